mod parts;

use proptest::prelude::*;

use super::super::{ChannelList, Finger, GameList, History, MoveList, SoughtList, StoredGames, Variables, WhoList};
use super::testing::parse;
use super::*;

// Rules: transport W8
#[test]
fn a_page_is_not_the_whole_listing() {
    let mut collector = ListingCollector::<History>::default();
    let added = Some(ControlFlow::Continue(()));
    assert_eq!(collector.add_line(PAGER), None);
    assert_eq!(collector.add_line(b"History for Alice:"), added);
    assert_eq!(collector.add_line(PAGER), added);
    assert_eq!(collector.clone().finish(), Err(ListingError::Incomplete));
    let row = b" 0: + 1882 W 1558 Boris         [ br  3   0] A00 Mat Sat Nov 21 00:25:56 2026";
    assert_eq!(collector.add_line(row), added);
    assert_eq!(collector.finish().map(|history| history.games.len()), Ok(1));
}

#[test]
fn a_listing_has_a_limit() {
    let reply = "\n".repeat(MAX_LINES);
    assert!(parse::<History>(&format!("History for A:\n{}", reply.get(1..).unwrap())).is_ok());
    assert_eq!(parse::<History>(&format!("History for A:\n{reply}")), Err(ListingError::TooLong));
    assert_eq!(parse::<History>(&"x\n".repeat(MAX_LINES + 1)), Err(ListingError::TooLong));
}

#[test]
fn another_reply_is_not_this_listing() {
    for reply in ["", "\n\n", "foo: Command not found."] {
        assert_eq!(parse::<MoveList>(reply), Err(ListingError::NotThisReply), "{reply}");
    }
    assert_eq!(parse::<SoughtList>("\n"), Ok(SoughtList::default()));
    assert_eq!(parse::<SoughtList>("sought: Command not found."), Err(ListingError::NotThisReply));
}

/// Bytes with the words and signs that the parsers look for.
fn reply() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let pieces = prop_oneof![
        "(Movelist for game |Finger of |History for |Stored games for |Variable settings of |Channel )",
        "( vs\\. | --- |Move  |----|rating|RD|total|best|games displayed|\\(of |ads displayed|players|On for: )",
        "[ 0-9]{1,12}|[\\[\\]():.{}*#^~+=/-]|[A-Za-z]{1,5}| ",
        proptest::collection::vec(any::<u8>(), 0..4).prop_map(|b| b.into_iter().map(char::from).collect()),
    ];
    let line = proptest::collection::vec(pieces, 0..10).prop_map(|words: Vec<String>| words.concat().into_bytes());
    proptest::collection::vec(line, 0..8)
}

fn try_parse<L: Listing>(lines: &[Vec<u8>]) {
    drop(L::parse(lines.iter().map(Vec::as_slice)));
}

proptest! {
    #[test]
    fn no_bytes_panic(lines in reply()) {
        try_parse::<ChannelList>(&lines);
        try_parse::<Finger>(&lines);
        try_parse::<GameList>(&lines);
        try_parse::<History>(&lines);
        try_parse::<MoveList>(&lines);
        try_parse::<SoughtList>(&lines);
        try_parse::<StoredGames>(&lines);
        try_parse::<Variables>(&lines);
        try_parse::<WhoList>(&lines);
    }
}
