use super::*;
use crate::message::MeOrOther;

fn parsed(kind: &str) -> (Option<&'static str>, Option<String>) {
    let GameKind { speed, variant } = GameKind::parse(kind);
    (speed, variant.map(|variant| variant.to_string()))
}

#[test]
fn a_kind_has_a_speed_and_a_variant() {
    let cases: &[(&str, Option<&str>, Option<&str>)] = &[
        ("blitz", Some("blitz"), Some("chess")),
        ("lightning", Some("lightning"), Some("chess")),
        ("Standard", Some("standard"), Some("chess")),
        ("untimed", Some("untimed"), Some("chess")),
        ("5-minute", Some("5-minute"), Some("chess")),
        ("nonstandard", None, Some("chess")),
        ("non-standard", None, Some("chess")),
        ("blitz crazyhouse", Some("blitz"), Some("crazyhouse")),
        ("Crazyhouse", None, Some("crazyhouse")),
        ("bughouse", None, Some("bughouse")),
        ("suicide", None, Some("suicide")),
        ("losers", None, Some("losers")),
        ("atomic", None, Some("atomic")),
        ("chess960", None, Some("chess960")),
        ("wild/fr", None, Some("chess960")),
        ("wild/5", None, Some("wild/5")),
        ("wild 5", None, Some("wild/5")),
        ("wild/8a", None, Some("wild/8a")),
        ("wild/0", None, Some("wild/0")),
        ("wild/bughouse", None, Some("bughouse")),
        ("wild(22)", None, Some("chess960")),
        ("w5", None, Some("wild/5")),
        ("w0", None, Some("chess")),
        ("Wild", None, Some("wild")),
        ("wild/foo", None, Some("wild")),
        ("Lighting", Some("lightning"), Some("chess")),
        ("slow", Some("slow"), Some("chess")),
        ("corr chess960", Some("correspondence"), Some("chess960")),
        ("blitz crazyhouse hourglass", Some("blitz"), Some("crazyhouse")),
        ("slow overtime", Some("slow"), Some("chess")),
        ("blitz kriegspiel", Some("blitz"), None),
        ("kriegspiel", None, None),
        ("5", None, None),
        ("", None, None),
    ];
    for &(kind, speed, variant) in cases {
        assert_eq!(parsed(kind), (speed, variant.map(str::to_owned)), "{kind}");
    }
}

#[test]
fn the_start_position_names_a_wild_variant() {
    let variant = |terms: &str| {
        let terms = format!("A (1500) B (1600) {terms}");
        let challenge = Challenge::parse_terms(terms.as_bytes(), MeOrOther::Other).unwrap();
        challenge.game_kind().variant.unwrap().to_string()
    };
    assert_eq!(variant("unrated wild 5 0 Loaded from wild/fr"), "chess960");
    assert_eq!(variant("unrated Wild 5 0 Loaded from w9"), "wild/9");
    assert_eq!(variant("unrated blitz 5 0 Loaded from eco/a00"), "chess");
    assert_eq!(variant("unrated wild 5 0"), "wild");
    assert_eq!(variant("unrated wild 5 0 Loaded from misc/foo"), "wild");
}

#[test]
fn letters_of_a_table_are_a_speed_or_a_variant() {
    let cases = [
        ("[ br  3   0]", (Some("blitz"), Some("chess"))),
        ("[pzr  3   0]", (None, Some("crazyhouse"))),
        ("[lzr  3   0]", (Some("lightning"), Some("crazyhouse"))),
        ("[bnr  3   0]", (Some("blitz"), Some("chess"))),
        ("[ eu  0   0]", (None, None)),
        ("[  u  3   0]", (None, None)),
        ("[ ?u  0   0]", (Some("untimed"), Some("chess"))),
        ("[bkr  3   0]", (Some("blitz"), None)),
        ("[pbr  3   0]", (Some("blitz"), Some("chess"))),
    ];
    for (terms, want) in cases {
        let read = ListedTerms::read(&mut crate::scan::Cursor::new(terms.as_bytes())).unwrap().game_kind();
        assert_eq!((read.speed, read.variant.as_ref().map(ServerText::as_str)), want, "{terms}");
    }
}
