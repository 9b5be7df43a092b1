use proptest::prelude::*;

use super::*;

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
