use super::*;
use kibitzer_core::chess::Color;
use proptest::prelude::*;

#[test]
fn ends_of_a_search_are_parsed() {
    let start = SearchPosition::new(None, Vec::new(), Color::White);
    let resigns = BestMove { resigns: true, ..BestMove::default() };
    let claims_draw = BestMove { offers_draw: true, ..BestMove::default() };
    let cases = [
        ("move e2e4", BestMove::new("e2e4")),
        ("move Nf3", BestMove::new("g1f3")),
        ("My move is : g1f3", BestMove::new("g1f3")),
        ("resign", resigns.clone()),
        ("0-1 {White resigns}", resigns),
        ("0-1 {Black mates}", BestMove::default()),
        ("1/2-1/2 {Draw by repetition}", claims_draw),
    ];
    for (line, want) in cases {
        let Some(EngineLine::Result(Ok(result))) = CecpDialect::default().parse_search_line(line, &start) else {
            panic!("{line}")
        };
        assert_eq!(result, want, "{line}");
    }
    for line in ["Illegal move: e2e5", "tellusererror Illegal position", "move e2e9"] {
        let parsed = CecpDialect::default().parse_search_line(line, &start);
        assert!(matches!(parsed, Some(EngineLine::Result(Err(_)))), "{line}");
    }
    for line in ["Error (unknown command): random", "tellics say hello", "# 1 2 3 4 e2e4", "8 dwarfs", "My word", ""] {
        assert!(CecpDialect::default().parse_search_line(line, &start).is_none(), "{line}");
    }
}

#[test]
fn features_are_read_with_their_options() {
    let (mut cecp, mut handshake) = (CecpDialect::default(), Handshake::default());
    let mut read = |line: &str| {
        cecp.process_handshake_line(line, &mut handshake);
        (std::mem::take(&mut handshake.replies).join(" ").replace("accepted ", ""), handshake.is_done)
    };
    let first = r#"feature ping=1 setboard=0 san=1 myname="My Engine 1" variants="normal,fischerandom" memory=1 x"#;
    assert_eq!(read(first), ("ping setboard myname variants memory".to_owned(), false));
    assert!(read(r#"feature option="Style -combo *Solid /// Risky" option="Clear -button" done=1"#).1);
    read(r#"feature reuse=0 option="Unterminated -spin 1 2"#);
    let Handshake { info, options, .. } = handshake;
    assert!(cecp.has_switch("ping") && !cecp.has_switch("setboard") && cecp.needs_process_per_game());
    assert_eq!(info.variants, ["chess", "chess960"]);
    assert_eq!(options.names(), ["memory", "Style", "Clear"]);
    assert!(options.option_that_accepts("style", "Solid").is_ok());
    assert!(options.option_that_accepts("memory", "0").is_err());
}

proptest! {
    #[test]
    fn any_line_is_parsed(line in "(move |feature |[0-9]{1,12} -?[0-9]{1,12} [0-9]{1,20} [0-9]{1,20} )?\\PC{0,40}") {
        let mut cecp = CecpDialect::default();
        cecp.process_handshake_line(&line, &mut Handshake::default());
        let _ = cecp.parse_search_line(&line, &SearchPosition::new(None, Vec::new(), Color::White));
    }
}

#[test]
fn thinking_lines_are_parsed() {
    // Line, depth, score, nodes per second, moves.
    let cases = [
        (" 9 156 1084 48000 Nf3 Nc6 Nc3", 9, Score::Centipawns(156), Some(4428), 3),
        ("7& -31 0 100 1. e4 2. 7.", 7, Score::Centipawns(-31), None, 1),
        ("12. 100003 50 1000 12 20000 0 e2e4 e7e5", 12, Score::Mate(3), Some(2000), 2),
        ("12 -100002 50 1000", 12, Score::Mate(-2), Some(2000), 0),
    ];
    for (line, depth, score, nps, moves) in cases {
        let info = parse_thinking(line).unwrap();
        assert_eq!((info.depth, info.score, info.nodes_per_second), (Some(depth), Some(score), nps), "{line}");
        assert_eq!(info.line.len(), moves, "{line}");
    }
}

#[test]
fn castling_of_chess960_is_written_in_letters() {
    let fen = Some("4k3/8/8/8/8/8/8/R3K2R w HA - 0 1".to_owned());
    let moves = ["e1h1", "e8e7"].map(str::to_owned).to_vec();
    let position = SearchPosition::new(fen.clone(), moves, Color::White);
    assert_eq!(moves_to_send(&position, "chess960").unwrap(), ["O-O", "e8e7"]);
    assert_eq!(moves_to_send(&position, "chess").unwrap(), ["e1h1", "e8e7"]);
    let start = SearchPosition::new(fen, Vec::new(), Color::White);
    for (text, variant, want) in [
        ("O-O-O", "chess960", Some("e1a1")),
        ("0-0", "chess", Some("e1g1")),
        ("Rh8+", "chess", Some("h1h8")),
        ("e1g1", "chess", Some("e1g1")),
        ("Nf3", "chess", None),
    ] {
        assert_eq!(received_move_to_uci(text, &start, variant).as_deref(), want, "{text}");
    }
}
