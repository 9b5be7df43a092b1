use proptest::prelude::*;

use super::*;

fn print(holding: &Holding) -> String {
    let Holding { game, white_letters, black_letters, .. } = holding;
    let passed = holding.passed.map_or(String::new(), |(to, role)| {
        let to = if to == Color::White { 'W' } else { 'B' };
        let piece = "PNBRQ".chars().find(|&l| Role::from_letter(u8::try_from(l).unwrap()) == Some(role)).unwrap();
        format!(" <- {to}{piece}")
    });
    format!("<b1> game {game} white [{white_letters}] black [{black_letters}]{passed}")
}

fn holding(game: i32, white: &str, black: &str, passed: Option<(Color, Role)>) -> Holding {
    Holding {
        game: GameId(game),
        white: Hand::parse(white.as_bytes()).unwrap(),
        black: Hand::parse(black.as_bytes()).unwrap(),
        white_letters: ServerText::from_wire_uppercase(white.as_bytes()),
        black_letters: ServerText::from_wire_uppercase(black.as_bytes()),
        passed,
    }
}

// Rules: bughouse H3
#[test]
fn every_form_of_the_line() {
    let cut_short = holding(1, "PPPPPPPPNNBBRRQ", "PPPPPB", Some((Color::White, Role::Bishop)));
    let cases: &[(&str, &str, Holding)] = &[
        ("help, state", "<b1> game 6 white [PNBBB] black [PNB]", holding(6, "PNBBB", "PNB", None)),
        (
            "help, passed",
            "<b1> game 52 white [NB] black [N] <- BN",
            holding(52, "NB", "N", Some((Color::Black, Role::Knight))),
        ),
        ("captured, empty", "<b1> game 3 white [] black []", holding(3, "", "", None)),
        (
            "captured, first piece",
            "<b1> game 1 white [] black [P] <- BP",
            holding(1, "", "P", Some((Color::Black, Role::Pawn))),
        ),
        ("captured, cut short", "<b1> game 1 white [PPPPPPPPNNBBRRQ] black [PPPPPB] <- WB", cut_short),
        ("any order", "<b1> game 6 white [BPNBB] black [BNP]", holding(6, "BPNBB", "BNP", None)),
        ("trailing blanks", "<b1> game 6 white [P] black []  ", holding(6, "P", "", None)),
        (
            "trailing blank behind a passed piece",
            "<b1> game 6 white [P] black [] <- WP ",
            holding(6, "P", "", Some((Color::White, Role::Pawn))),
        ),
        (
            "small letters",
            "<b1> game 6 white [pn] black [q] <- bq",
            holding(6, "PN", "Q", Some((Color::Black, Role::Queen))),
        ),
        ("no blank", "<b1>game 6 white [P] black []", holding(6, "P", "", None)),
        ("blank in front", " <b1> game 6 white [P] black []", holding(6, "P", "", None)),
    ];
    for (name, sent, want) in cases {
        assert_eq!(Holding::parse(sent.as_bytes()).as_ref(), Some(want), "{name}");
        assert_eq!(Holding::parse(sent.as_bytes()), Holding::parse(sent.as_bytes()), "{name}: same line, same value");
    }
}

#[test]
fn repeated_letters_count() {
    let read = Holding::parse(b"<b1> game 6 white [PNBBB] black [PNB]").unwrap();
    assert_eq!((read.white.count(Role::Bishop), read.black.count(Role::Bishop)), (3, 1));
    assert_eq!(read.white_letters.as_str(), "PNBBB");
}

// Rules: bughouse H2
#[test]
fn a_line_with_a_syntax_error_is_refused() {
    let cases = [
        "<b2> game 6 white [P] black []",
        "Foo tells you: <b1> game 6 white [P] black []",
        "<b1> 6 white [P] black []",
        "<b1> game x white [P] black []",
        "<b1> game 99999999999 white [P] black []",
        "<b1> game 6 white [PK] black []",
        "<b1> game 6 white [P",
        "<b1> game 6 white [P] black",
        "<b1> game 6 white [P] black [] <-",
        "<b1> game 6 white [P] black [] <- W",
        "<b1> game 6 white [P] black [] <- WK",
        "<b1> game 6 white [P] black [] <- PW",
        "<b1> game 6 white [P] black [] <- WPP",
        "<b1> game 6 white [P] black [] hello",
    ];
    for sent in cases {
        assert_eq!(Holding::parse(sent.as_bytes()), None, "{sent}");
    }
}

#[test]
fn icc_help_sample_lost_its_tag() {
    let tagged = Holding::parse(b"<b1> game 6 white [PNBBB] black [PNB]");
    assert_eq!(Holding::parse_untagged(b" game 6 white [PNBBB] black [PNB]"), tagged);
    assert_eq!(Holding::parse_untagged(b"game 6 white [PNBBB] black [PNB]"), tagged);
    assert_eq!(Holding::parse_untagged(b"Foo: game 6 white [] black []"), None);
    assert_eq!(Holding::parse_untagged(b"<b1> game 6 white [] black []"), None);
}

prop_compose! {
    fn any_holding()(
        game in any::<i32>(),
        white in "[PNBRQ]{0,60}",
        black in "[PNBRQ]{0,60}",
        passed in proptest::option::of((
            prop_oneof![Just(Color::White), Just(Color::Black)],
            prop_oneof![Just(Role::Pawn), Just(Role::Knight), Just(Role::Bishop), Just(Role::Rook), Just(Role::Queen)],
        )),
    ) -> Holding {
        holding(game, &white, &black, passed)
    }
}

proptest! {
    #[test]
    fn a_printed_line_parses_to_the_same_value(value in any_holding()) {
        prop_assert_eq!(Holding::parse(print(&value).as_bytes()), Some(value));
    }

    #[test]
    fn any_bytes_are_accepted_or_refused_without_panic(
        line in "(<b1>)? ?(game)? ?[0-9x]{0,3} ?(white)? ?\\[?[PNBRQKp]{0,300}\\]? ?(black)?.{0,20}( <- ?.{0,4})?",
        bytes in any::<Vec<u8>>(),
    ) {
        let _ = (Holding::parse(line.as_bytes()), Holding::parse(&bytes), Holding::parse_untagged(&bytes));
    }
}
