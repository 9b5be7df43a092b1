use super::*;
use crate::message::listing::collect::testing::{parse, parse_with_async_lines_inserted};

const REPLY: &str = "\
History for Bogoljubov:
                  Opponent      Type         ECO End Date
 0: - ---- B ---- Alekhine      [bnr  5   2] A00t Mat 2026-11-21 00:27 UTC
 2: + ---- B ---- Alekhine      [bBu  3   0] B00w PW  2026-11-21 00:30 UTC
 6: = 1500 B 1940 Alekhine      [bnu  5   5] A00a Rep 2026-11-21 00:34 UTC
13: + 1940 W ++++ GuestZEGN     [bnu  2   2] C20 Dis 2026-11-21 00:36 UTC
 7: + 1617 W 1462 Erika         [ br  2  12] *** Res Sat Nov 21 00:43:09 2026
54: * 1529 W 1484 HorowitzTheLon[psr100  12] D00 Adj Fri Nov 12, 19:41 EDT 2009
99: =    0 B  958 Abcdefghijklm [ wu 10 100] *** 50  Sat Nov 21 00:43:09 2026";

#[test]
fn rows_of_every_server() {
    let history = parse::<History>(REPLY).unwrap();
    assert_eq!((history.owner.as_str(), history.unread.len()), ("Bogoljubov", 0));
    let rows: Vec<_> = history
        .games
        .iter()
        .map(|r| (r.index, r.result, r.color, r.opponent.as_str(), r.eco.as_str(), r.ending.as_str()))
        .collect();
    let want = [
        (0, GameResult::WhiteWins, Color::Black, "Alekhine", "A00t", "Mat"),
        (2, GameResult::BlackWins, Color::Black, "Alekhine", "B00w", "PW"),
        (6, GameResult::Draw, Color::Black, "Alekhine", "A00a", "Rep"),
        (13, GameResult::WhiteWins, Color::White, "GuestZEGN", "C20", "Dis"),
        (7, GameResult::WhiteWins, Color::White, "Erika", "***", "Res"),
        (54, GameResult::Unfinished, Color::White, "HorowitzTheLon", "D00", "Adj"),
        (99, GameResult::Draw, Color::Black, "Abcdefghijklm", "***", "50"),
    ];
    assert_eq!(rows, want);
    let first = &history.games[0];
    assert_eq!((first.rating, first.terms.mark, first.terms.kind), (Rating::Unrated, Some('b'), Some('n')));
    assert_eq!((first.date.as_str(), history.games[3].opponent_rating), ("2026-11-21 00:27 UTC", Rating::Guest));
    assert_eq!(parse_with_async_lines_inserted::<History>(REPLY), Ok(history));
}

#[test]
fn no_games_and_odd_rows() {
    let none = parse::<History>("Alice has no history games.").unwrap();
    assert_eq!((none.owner.as_str(), none.games.len()), ("Alice", 0));
    let odd = parse::<History>("History for Alice:\n 0: ? 1882 W 1558 Boris [ br  3   0] A00 Mat Sat").unwrap();
    assert_eq!((odd.games.len(), odd.unread.len()), (0, 1));
}
