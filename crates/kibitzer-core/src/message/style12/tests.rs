use proptest::prelude::*;

use super::*;
use crate::chess::CastlingSide;

const GOOD: &str = "<12> rnbqkb-r pppppppp -----n-- -------- ----P--- -------- PPPPKPPP RNBQ-BNR B -1 0 0 1 1 0 7 \
    Newton Einstein 1 2 12 39 39 119 122 2 K/e1-e2 (0:06) Ke2 0";
/// A board of a real log: clocks in milliseconds, both later fields.
const MODERN: &str = "<12> rnb-kbnr pppp-ppp -------- ----p--- ------Pq -----P-- PPPPP--P RNBQKBNR W -1 1 1 1 1 1 \
    107 gbtami ggbtami 1 5 0 39 39 297338 295763 3 Q/d8-h4 (0:04.237) Qh4# 0 1 304";

fn parse(line: &str) -> Style12 {
    Style12::parse(line.as_bytes()).unwrap_or_else(|error| panic!("{error}: {line}"))
}

#[test]
fn the_help_files_sample_in_every_field() {
    let board = parse(GOOD);
    assert_eq!(board.fen().to_string(), "rnbqkb1r/pppppppp/5n2/8/4P3/8/PPPPKPPP/RNBQ1BNR b kq - 0 2");
    assert_eq!((board.game(), board.white().as_str(), board.black().as_str()), (GameId(7), "Newton", "Einstein"));
    assert_eq!((board.relation(), board.my_color()), (Relation::MyTurn, Some(Color::Black)));
    assert_eq!(
        (board.initial_min(), board.increment_s(), board.white_material(), board.black_material()),
        (2, 12, 39, 39)
    );
    assert_eq!((board.white_clock().as_ms(), board.black_clock().as_ms(), board.move_number()), (119_000, 122_000, 2));
    let last = board.last_move().unwrap();
    assert_eq!((last.verbose.as_str(), last.text(), last.elapsed_ms), ("K/e1-e2", "Ke2", Some(6000)));
    assert!(matches!(last.played, Some(LastMove::Normal { role: Role::King, .. })));
    assert_eq!((board.flip(), board.clock_running(), board.lag_ms(), board.ply()), (Some(false), None, None, 3));
}

// Rules: style12 K1, style12 K2, bugs 20, bugs 21, bugs 22, ten 9
#[test]
fn a_fraction_in_the_elapsed_time_makes_the_clocks_milliseconds() {
    let cases = [
        (MODERN.to_owned(), (297_338, 295_763), Some(4237)),
        (MODERN.replace("297338", "900").replace("295763", "-917"), (900, -917), Some(4237)),
        (GOOD.replace(" 119 122 ", " 10800 -3 "), (10_800_000, -3000), Some(6000)),
        (GOOD.replace("(0:06)", "(1:02:03.004)"), (119, 122), Some(3_723_004)),
        (GOOD.replace("(0:06)", "(75:03)"), (119_000, 122_000), Some(4_503_000)),
    ];
    for (line, clocks, elapsed) in cases {
        let board = parse(&line);
        assert_eq!((board.white_clock().as_ms(), board.black_clock().as_ms()), clocks, "{line}");
        assert_eq!(board.last_move().and_then(|last| last.elapsed_ms), elapsed, "{line}");
    }
    let start = parse(&GOOD.replace("K/e1-e2 (0:06) Ke2", "none (0:00.000) none"));
    assert_eq!((start.last_move(), start.white_clock().as_ms()), (None, 119));
}

// Rules: style12 K3
#[test]
fn an_invalid_elapsed_time_is_unknown() {
    for (sent, want) in [("0:06", Some(6000)), ("(0:06", Some(6000)), ("(x)", None), ("(0:06)x", None), ("-", None)] {
        let board = parse(&GOOD.replace("(0:06)", sent));
        assert_eq!(board.last_move().and_then(|last| last.elapsed_ms), want, "{sent}");
    }
}

// Rules: style12 B4, style12 B5, ten 4, ten 5, bugs 35, bugs 40
#[test]
fn trailing_fields_may_be_missing_or_more() {
    let words = GOOD.trim_end_matches(" 0");
    let cases = [
        (words.to_owned(), (None, None, None)),
        (format!("{words} 1"), (Some(true), None, None)),
        (format!("{words} 0 1"), (Some(false), Some(true), None)),
        (format!("{words} 0 1 304"), (Some(false), Some(true), Some(304))),
        (format!("{words} 0 0 -412"), (Some(false), Some(false), Some(-412))),
        (format!("{words} 0 1 304 what ever"), (Some(false), Some(true), Some(304))),
        (words.replace(' ', "   "), (None, None, None)),
        (words.replace("<12> ", "<12>"), (None, None, None)),
    ];
    for (line, want) in cases {
        let board = parse(&line);
        assert_eq!((board.flip(), board.clock_running(), board.lag_ms()), want, "{line}");
    }
}

// Rules: style12 B5, style12 B6, bugs 41, ten 5
#[test]
fn the_first_field_that_does_not_fit_is_named() {
    let cases = [
        ("rnbqkb-r", "rnbqkb-x", Style12Error::Invalid(8)),
        ("pppppppp", "ppppppppp-", Style12Error::Invalid(2)),
        (" B -1", " b -1", Style12Error::Invalid(9)),
        (" -1 0 0", " x 0 0", Style12Error::Invalid(10)),
        (" 0 0 1 1 ", " 0 0 1 y ", Style12Error::Invalid(14)),
        (" 7 ", " 7z ", Style12Error::Invalid(16)),
        (" 7 ", " 99999999999 ", Style12Error::Invalid(16)),
        (" 1 2 12 ", " x 2 12 ", Style12Error::Invalid(19)),
        (" 119 ", " 999999999999999999 ", Style12Error::Invalid(24)),
        (" 122 2 ", " 122 -2 ", Style12Error::Invalid(26)),
        (" Ke2 0", "", Style12Error::Missing(29)),
        (" K/e1-e2 (0:06) Ke2 0", "", Style12Error::Missing(27)),
        (
            " RNBQ-BNR B -1 0 0 1 1 0 7 Newton Einstein 1 2 12 39 39 119 122 2 K/e1-e2 (0:06) Ke2 0",
            "",
            Style12Error::Missing(8),
        ),
    ];
    for (part, other, want) in cases {
        let line = GOOD.replacen(part, other, 1);
        assert_eq!(Style12::parse(line.as_bytes()), Err(want), "{line}");
    }
    assert_eq!(Style12::parse(b"<b1> x"), Err(Style12Error::Invalid(0)));
    assert_eq!(Style12::parse(b"<12>"), Err(Style12Error::Missing(1)));
}

// Rules: bugs 24, bugs 34
#[test]
fn the_half_move_clock_is_never_negative_nor_set_at_a_start() {
    assert_eq!(parse(&GOOD.replace(" 0 7 ", " -41 7 ")).halfmove_clock(), 0);
    assert_eq!(parse(&GOOD.replace(" 0 7 ", " 99 7 ")).halfmove_clock(), 99);
    let start = GOOD.replace(" 0 7 ", " 1 7 ").replace("K/e1-e2 (0:06) Ke2", "NONE (0:00) none");
    assert_eq!(parse(&start).halfmove_clock(), 0);
}

#[test]
fn moves_are_counted_from_1() {
    assert_eq!(parse(&GOOD.replace(" 122 2 ", " 122 0 ")).move_number(), 1);
    assert_eq!(parse(&MODERN.replace(" 295763 3 ", " 295763 0 ")).move_number(), 1);
}

// Rules: bugs 25
#[test]
fn initial_time_is_minutes_and_increment_seconds() {
    let board = parse(&MODERN.replace(" 1 5 0 39", " 1 5 12 39"));
    assert_eq!((board.initial_min(), board.increment_s()), (5, 12));
}

// Rules: style12 FEN, bugs 33
#[test]
fn a_double_push_becomes_a_square_if_its_pawn_is_there() {
    let d5 = "<12> rnbqkbnr ppp-pppp -------- ---pP--- -------- -------- PPPP-PPP RNBQKBNR W 3 1 1 1 1 0 7 A B 0 2 12 39 39 119 122 3 P/d7-d5 (0:06) d5 0";
    assert_eq!(parse(d5).fen().to_string(), "rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3");
    assert_eq!(parse(&d5.replace(" W 3 ", " W 4 ")).fen().en_passant, None, "no pawn of Black's on e5");
    for (sent, want) in [("7", Some(7)), ("8", None), ("-2", None), ("99", None)] {
        assert_eq!(parse(&d5.replace(" W 3 ", &format!(" W {sent} "))).double_push_file(), want, "{sent}");
    }
}

#[test]
fn castling_rights_are_those_of_the_server_even_if_a_fen_drops_them() {
    let board = parse(&GOOD.replace(" 0 0 1 1 ", " 1 1 1 1 "));
    assert!(board.castling().has(Color::White, CastlingSide::Short));
    assert_eq!(board.fen().castling.to_string(), "kq");
}

// Rules: style12 R1
#[test]
fn relations_have_the_servers_numbers() {
    for code in -6..6 {
        assert_eq!(Relation::from_code(code).code(), i32::from(code));
    }
    assert_eq!(parse(&GOOD.replace(" 1 2 12 ", " 17 2 12 ")).relation(), Relation::Other(17));
}

// Rules: style12 R2, bugs 29
#[test]
fn names_are_any_words() {
    let board = parse(&GOOD.replace("Newton Einstein", "*1.e4_-Foo *1.e4_-Foo"));
    assert_eq!((board.white().as_str(), board.black().as_str()), ("*1.e4_-Foo", "*1.e4_-Foo"));
    let long = "x".repeat(300);
    assert_eq!(parse(&GOOD.replace("Newton", &long)).white().as_str(), long);
}

// Rules: style12 V5, bugs 30, bugs 31, bugs 32, bugs 39
#[test]
fn moves_of_every_form_are_read() {
    let cases = [
        ("P/g7-g8 (0:00) g8=R+", true),
        ("o-o (0:00) O-O", true),
        ("P/@@-c3 (0:00) P@c3", true),
        ("x/y (0:00) zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz", false),
    ];
    for (sent, known) in cases {
        let last = parse(&GOOD.replace("K/e1-e2 (0:06) Ke2", sent)).last_move().unwrap();
        assert_eq!(last.played.is_some(), known, "{sent}");
    }
}

const USUAL: [&str; 6] = [
    MODERN,
    GOOD,
    "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 9 A B 0 2 12 39 39 120 120 1 none (0:00) none 0",
    "<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 9 A B -1 120 0 39 39 7200000 7199000 1 P/e2-e4 (12:01.000) e4 1 0 -2",
    "<12> r---k--r -------- -------- -------- -------- -------- -------- R----RK- B -1 0 0 1 1 12 398 Abcdefghijklmnopq Zyxwvutsrqponmlkj 2 0 12 39 39 -5 120 31 o-o (10:06) O-O+ 0 1 1000",
    "<12> r---k--r -------- -----N-- -------- -------- -------- -------- R----RK- B -1 0 0 1 1 0 398 caf\u{e9} B&#x41; -2 0 0 0 0 0 0 31 N/@@-f6 (0:06) N@f6+ 0 1 7",
];

#[test]
fn fast_lines_keep_their_bytes() {
    for line in USUAL {
        let line = encode_as_received(line);
        let mut board = Style12::default();
        assert!(board.overwrite_from_usual_line(&line), "{}", line.escape_ascii());
        assert_eq!(Style12::parse_word_by_word(&line).as_ref(), Ok(&board), "{}", line.escape_ascii());
        assert_eq!(board.line(), Some(&line[..]));
    }
}

/// A board of uhlin-fics, whose last field is 30.
const CUT: &str = "<12> rnbqkbnr ppp-pppp -------- ---P---- -------- -------- PPPP-PPP RNBQKBNR B -1 1 1 1 1 0 1 \
    Abcdefghijklmnopq Zyxwvutsrqponmlkj -1 100 60 39 38 6119 6060 2 P/e4-d5 (0:00) exd5 0";

// Rules: style12 cut
#[test]
fn a_cut_line_has_its_complete_fields() {
    let cut = |end: usize| Style12::parse_cut(&CUT.as_bytes()[..end]);
    let whole = parse(CUT);
    let verbose = CUT.find(" (0:00)").unwrap();
    for end in verbose + 1..CUT.len() - 1 {
        let board = cut(end).unwrap();
        let elapsed_ms = (end >= verbose + " (0:00)".len()).then_some(0);
        let last_move = ReportedMove { san: None, elapsed_ms, ..whole.last_move().unwrap() };
        assert_eq!((board.is_cut(), board.flip()), (true, None));
        assert_eq!(board.last_move(), Some(last_move.clone()), "cut after {end} bytes");
        let derived = DerivedMove { played: last_move.played.unwrap(), san: b"", elapsed_ms };
        let mut want = whole.clone();
        want.replace_position(&whole.board(), Some(derived));
        want.numbers_mut_dropping_line().flip = None;
        assert_eq!(board, want, "cut after {end} bytes");
    }
    assert_eq!(cut(CUT.len()), Ok(parse(CUT)), "a whole line");
    for end in 0..=verbose {
        assert!(cut(end).is_err(), "cut after {end} bytes");
    }
    let start = Style12::parse_cut(CUT.replace("P/e4-d5 (0:00) exd5 0", "none (0:00) no").as_bytes()).unwrap();
    assert_eq!((start.last_move(), start.is_cut()), (None, true));
}

#[test]
fn a_promotion_in_a_cut_line_is_read_from_the_board() {
    let line = "<12> ------R- -------- -------- -------- -------- -------- -------- K-k----- B -1 0 0 0 0 0 1 \
        Abcdefghijklmnopq Zyxwvutsrqponmlkj -1 100 60 5 0 6119 6060 50 P/g7-g8 (0:00) g8";
    let played = Style12::parse_cut(line.as_bytes()).unwrap().played();
    assert!(matches!(played, Some(LastMove::Normal { promotion: Some(Role::Rook), .. })), "{played:?}");
}

fn any_last_move() -> impl Strategy<Value = LastMove> {
    let words = "[NBRQK]/[a-h][1-8]-[a-h][1-8]|P/[a-h]7-[a-h]8=[NBRQ]|[PNBRQ]/@@-[a-h][1-8]|o-o|o-o-o|\\?";
    words.prop_map(|word| LastMove::parse_verbose(word.as_bytes(), b"", Color::White).unwrap())
}

// Rules: style12 K1
#[test]
fn lines_of_servers_are_written_byte_for_byte() {
    for line in [GOOD, USUAL[4]] {
        assert_eq!(format!("{:#}", parse(line)), line);
    }
    for line in [MODERN, USUAL[3]] {
        assert_eq!(parse(line).to_string(), line);
    }
    let cut = Style12::parse_cut(MODERN.trim_end_matches(" Qh4# 0 1 304").as_bytes()).unwrap();
    assert_eq!(Style12::parse_cut(cut.to_string().as_bytes()), Ok(cut));
}

proptest! {
    #[test]
    fn lines_read_at_once_are_read_as_word_by_word(
        line in 0..USUAL.len(),
        words in prop::collection::vec((9_usize..34, "-?[0-9]{0,9}|[ -~]{0,9}|\\([0-9]{0,3}:[0-9.]{0,7}\\)|[PNK]/[a-i][0-9]-[a-h][1-8](=Q)?"), 0..3),
        bytes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..2),
    ) {
        let mut line: Vec<_> = USUAL[line].split(' ').collect();
        for (at, word) in &words {
            if let Some(place) = line.get_mut(*at) {
                *place = word;
            }
        }
        let mut line = encode_as_received(&line.join(" ")).into_owned();
        for (at, byte) in bytes {
            *at.get_mut(&mut line) = byte;
        }
        let mut board = Style12::default();
        if board.overwrite_from_usual_line(&line) {
            prop_assert_eq!(Style12::parse_word_by_word(&line), Ok(board));
        }
    }

    #[test]
    fn a_written_board_is_parsed_again(
        (board, names) in (0..USUAL.len(), ("[A-Za-z]{1,24}", "[!-%'-~\u{e9}]{1,9}")),
        (side_to_move, double_push_file, flags) in (any::<bool>(), prop::option::of(0..8_u8), any::<[bool; 4]>()),
        (game, relation, move_number, halfmove_clock) in (any::<i32>(), any::<i8>(), 1..u32::MAX, any::<u32>()),
        (terms, material) in (any::<[u32; 2]>(), any::<[i32; 2]>()),
        clocks_s in [-9_999_999..99_999_999_i64, -9_999_999..99_999_999_i64],
        (is_second, elapsed_ms) in (any::<bool>(), any::<u32>()),
        played in prop::option::of(any_last_move()),
        later in prop::option::of((any::<bool>(), prop::option::of((any::<bool>(), any::<i32>())))),
    ) {
        let unit_ms = if is_second { 1000 } else { 1 };
        let mut numbers = BoardNumbers {
            side_to_move: if side_to_move { Color::White } else { Color::Black },
            castling: CastlingRights::from_flags(flags.map(u8::from)),
            game: GameId(game),
            relation: Relation::from_code(relation),
            halfmove_clock: if played.is_some() { halfmove_clock } else { 0 },
            flip: later.map(|(flip, _)| flip),
            clock_running: later.and_then(|(_, later)| later).map(|(running, _)| running),
            lag_ms: later.and_then(|(_, later)| later).map(|(_, lag)| lag),
            double_push_file,
            move_number,
            ..BoardNumbers::default()
        };
        [numbers.initial_min, numbers.increment_s] = terms;
        [numbers.white_material, numbers.black_material] = material;
        [numbers.white_clock, numbers.black_clock] = clocks_s.map(|clock| ClockReading::from_ms(clock * unit_ms));
        let squares = parse(USUAL[board]).board();
        let [white, black] = [&names.0, &names.1].map(|name| Handle::from_wire(name.as_bytes()));
        let mut board = Style12::new(numbers, &squares, &white, &black);
        if let Some(played) = played {
            board = board.with_last_move(played, "Nf3+", elapsed_ms / 1000 * 1000);
        }
        let line = if is_second { format!("{board:#}") } else { board.to_string() };
        prop_assert_eq!(Style12::parse(line.as_bytes()), Ok(board), "{}", line);
    }

    #[test]
    fn no_line_panics(line in prop::collection::vec(any::<u8>(), 0..250)) {
        let _ = Style12::parse(&line);
        let _ = Style12::parse(&[b"<12> ", &line[..]].concat());
        let _ = Style12::parse_cut(&line);
        let _ = Style12::parse_cut(&[CUT.as_bytes(), &line[..]].concat());
    }

    #[test]
    fn a_good_line_with_any_word_changed_is_read_or_refused(at in 0_usize..33, word in "[ -~]{0,12}") {
        let mut words: Vec<_> = MODERN.split(' ').collect();
        words[at] = &word;
        let _ = Style12::parse(words.join(" ").as_bytes());
    }
}
