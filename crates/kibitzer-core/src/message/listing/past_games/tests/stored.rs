use super::*;
use crate::message::listing::collect::testing::{parse, parse_with_async_lines_inserted};

#[test]
fn a_table_of_fatics() {
    let reply = "Stored games for Alekhine:\n    C Opponent       On Type          Str  M    ECO Date\n \
                     1: W Bogoljubov      Y [snr 10  10] 39-38 B6   C77 2026-11-21 00:35 UTC\n \
                     2: B Duras           N [ br  2  12] 9-12 W116 --- Wed Nov 12, 19:41 EDT 2009\n \
                     3: W Boris           Y [  u 10   5]  9-3  W3   A00 2026-11-21 09:19 UTC";
    let stored = parse::<StoredGames>(reply).unwrap();
    let names: Vec<_> = stored.games.iter().map(|g| (g.white.as_str(), g.black.as_str())).collect();
    assert_eq!(names, [("Alekhine", "Bogoljubov"), ("Duras", "Alekhine"), ("Alekhine", "Boris")]);
    let first = stored.games[0].details.as_ref().unwrap();
    assert_eq!((first.index, first.opponent_is_on, first.terms.mark), (1, true, Some('s')));
    assert_eq!((first.white_material, first.black_material), (39, 38));
    assert_eq!((first.to_move, first.move_number, first.eco.as_str()), (Color::Black, 6, "C77"));
    assert_eq!(first.date, "2026-11-21 00:35 UTC");
    assert_eq!(stored.games[1].details.as_ref().map(|d| (d.opponent_is_on, d.move_number)), Some((false, 116)));
    let third = stored.games[2].details.as_ref().unwrap();
    assert_eq!((third.white_material, third.black_material), (9, 3));
    let unrated = third.terms;
    assert_eq!((unrated.mark, unrated.kind, unrated.rated, unrated.initial_min), (None, None, false, 10));
    assert!(stored.unread.is_empty());
    assert_eq!(parse_with_async_lines_inserted::<StoredGames>(reply), Ok(stored));
}

#[test]
fn names_of_uhlin_fics() {
    let stored = parse::<StoredGames>("Stored games for Boris:\n   boris vs. alice\n   alice vs. boris\n").unwrap();
    let names: Vec<_> = stored.games.iter().map(|g| (g.white.as_str(), g.black.as_str())).collect();
    assert_eq!(names, [("boris", "alice"), ("alice", "boris")]);
}

#[test]
fn no_games() {
    let replies = ["Stored games for Alice:\n\n", "Alice has no adjourned games.", "Player Alice has no games stored."];
    for reply in replies {
        let stored = parse::<StoredGames>(reply).unwrap();
        assert_eq!((stored.owner.as_str(), stored.games.len()), ("Alice", 0), "{reply}");
    }
}
