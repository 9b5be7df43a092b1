use proptest::prelude::*;

use super::*;

fn print(delta: &DeltaBoard) -> String {
    let DeltaBoard { game, plies, san, smith, taken_ms, clock, lag_ms } = delta;
    let lag = lag_ms.map_or(String::new(), |lag| format!(" {lag}"));
    format!("<d1> {game} {plies} {san} {smith} {taken_ms} {}{lag}", clock.as_ms())
}

fn delta(
    game: i32,
    plies: u16,
    san: &str,
    smith: &str,
    (taken_ms, left_ms): (u32, i64),
    lag_ms: Option<i32>,
) -> DeltaBoard {
    DeltaBoard {
        game: GameId(game),
        plies,
        san: ServerText::from_wire(san.as_bytes()),
        smith: ServerText::from_wire(smith.as_bytes()),
        taken_ms,
        clock: ClockReading::from_ms(left_ms),
        lag_ms,
    }
}

// Rules: datagrams D7, bugs 73
#[test]
fn six_fields_or_seven_or_more() {
    let help = delta(2, 64, "Rxc2", "e2c2p", (1200, 203_800), None);
    let castling = delta(399, 10, "O-O", "e8g8c", (922, 168_890), Some(207));
    let promotion = delta(1, 63, "gxf8=B", "g7f8bB", (126, 86_208), Some(0));
    let cases: &[(&str, &str, &DeltaBoard)] = &[
        ("help, six fields", "<d1> 2 64 Rxc2 e2c2p 1200 203800", &help),
        ("captured, seven fields", "<d1> 399 10 O-O e8g8c 922 168890 207", &castling),
        ("captured, promotion", "<d1> 1 63 gxf8=B g7f8bB 126 86208 0", &promotion),
        ("eight fields", "<d1> 399 10 O-O e8g8c 922 168890 207 1", &castling),
        ("appended field is no number", "<d1> 2 64 Rxc2 e2c2p 1200 203800 new", &help),
        ("no blank behind the tag, two in between", "<d1>2 64  Rxc2 e2c2p 1200 203800 ", &help),
        ("captured", "<d1> 314 5 e3 e2e3 100 59800 563", &delta(314, 5, "e3", "e2e3", (100, 59_800), Some(563))),
        ("flag has fallen", "<d1> 1 5 e3 e2e3 100 -917 -1", &delta(1, 5, "e3", "e2e3", (100, -917), Some(-1))),
    ];
    for &(name, sent, want) in cases {
        assert_eq!(DeltaBoard::parse(sent.as_bytes()).as_ref(), Some(want), "{name}");
    }
}

#[test]
fn a_line_with_a_missing_or_wrong_field_is_refused() {
    let cases = [
        "<d2> 2 64 Rxc2 e2c2p 1200 203800",
        "<d1>",
        "<d1> 2 64 Rxc2",
        "<d1> 2 64 Rxc2 e2c2p 1200",
        "<d1> x 64 Rxc2 e2c2p 1200 203800",
        "<d1> 2 65536 Rxc2 e2c2p 1200 203800",
        "<d1> 2 64 Rxc2 e2c2p 0:12 203800",
        "<d1> 2 64 Rxc2 e2c2p 1200 203800x",
    ];
    for sent in cases {
        assert_eq!(DeltaBoard::parse(sent.as_bytes()), None, "{sent}");
    }
}

prop_compose! {
    fn any_delta()(
        game in 0..i32::MAX,
        plies in any::<u16>(),
        san in "[!-~&&[^&]]{1,30}",
        smith in "[a-h][1-8][a-h][1-8][pnbrqkcCE]?[NBRQK]?",
        times in (any::<u32>(), -1_000_000_i64..1_000_000_000),
        lag_ms in proptest::option::of(any::<i32>()),
    ) -> DeltaBoard {
        delta(game, plies, &san, &smith, times, lag_ms)
    }
}

proptest! {
    #[test]
    fn a_printed_line_parses_to_the_same_value(value in any_delta()) {
        prop_assert_eq!(DeltaBoard::parse(print(&value).as_bytes()), Some(value));
    }

    #[test]
    fn any_bytes_are_accepted_or_refused_without_panic(line in "(<d1>)?( ?-?[0-9a-z]{0,22}){0,9}", bytes in any::<Vec<u8>>()) {
        let _ = (DeltaBoard::parse(line.as_bytes()), DeltaBoard::parse(&bytes));
    }
}
