use super::super::*;
use crate::message::listing::collect::testing::parse;

// The source code of uhlin-fics; FICS help file `journal`.
#[test]
fn a_journal_has_games_by_letter() {
    let reply = "Journal for Alice:\n   White         Rating  Black         Rating  Type         ECO End Result\n\
        A: Alice         1882    Boris         1558    [ br  3   0] A00 Mat 1-0    \n\
        C: Boris            0    Alice         1882    [ bu  2  12] C50 Agr 1/2-1/2\n";
    let journal: Journal = parse(reply).unwrap();
    assert_eq!((journal.owner.as_str(), journal.games.len(), journal.unread.len()), ("Alice", 2, 0));
    let row = &journal.games[1];
    assert_eq!((row.slot, row.white.as_str(), row.black_rating), ('C', "Boris", Rating::Established(1882)));
    assert_eq!((row.ending.as_str(), row.result), ("Agr", GameResult::Draw));
}
