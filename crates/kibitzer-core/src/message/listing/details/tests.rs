use super::*;
use crate::message::Rating;
use crate::message::listing::collect::testing::{parse, parse_with_async_lines_inserted};

// Transcript fatics-timeseal1-black, with the sentence of freechess.org about a private game.
#[test]
fn a_played_game_has_terms_and_clocks() {
    let reply = "Game 1: Game information.\n\n  Foo(C) (2322) vs Bar (----) private rated Blitz game.\n  Time controls: 180 2\n  \
        Time of starting: Sat Nov 21, 00:30 UTC 2026\n   White time 1:25:27    Black time 0:58\n  The clock is paused\n  \
        1 halfmove has been made.\n  White may castle kingside.\n";
    let details: GameDetails = parse_with_async_lines_inserted(reply).unwrap();
    assert_eq!((details.white.as_str(), details.black.as_str(), details.examiner), ("Foo", "Bar", None));
    let terms = &details.terms;
    assert_eq!(
        (terms.private, terms.rated, terms.white_time_s, terms.black_increment_s),
        (Some(true), Some(true), Some(180), Some(2))
    );
    assert_eq!((terms.white_rating, terms.black_rating), (Some(Rating::Established(2322)), Some(Rating::Unrated)));
    assert_eq!(details.white_clock.map(ClockReading::as_ms), Some(5_127_000));
    assert_eq!(
        (details.is_paused, details.plies, details.sentences.len(), details.unread.len()),
        (Some(true), Some(1), 1, 0)
    );
    let running: GameDetails = parse(&reply.replace("is paused", "is not paused")).unwrap();
    assert_eq!(running.is_paused, Some(false));
}

// Transcript fatics-examine-observer.
#[test]
fn an_examined_game_has_its_examiner() {
    let reply = "Game 1: Game information.\n\n  Alekhine is examining Alekhine vs Bogoljubov.\n  2 halfmoves have been made.\n  \
        Fifty move count started at halfmove 2 (100 halfmoves until a draw).\n  Double pawn push didn't occur.\n";
    let details: GameDetails = parse(reply).unwrap();
    assert_eq!(details.examiner.as_ref().map(Handle::as_str), Some("Alekhine"));
    assert_eq!((details.black.as_str(), details.plies, details.sentences.len()), ("Bogoljubov", Some(2), 2));
}

// Transcript fatics-bughouse-observer.
#[test]
fn partners_and_players_without_one() {
    let reply = "Bughouse games in progress\n 0 games displayed.\nPartnerships not playing bughouse\n\
        ---- Alekhine / ---- Duras\n---- Bogoljubov / ---- Capablanca\n  2 partnerships displayed.\n\
        Unpartnered players with bugopen on\n++++ GuestXY(U)\n  1 player displayed (of 5).\n";
    let list: BughouseList = parse(reply).unwrap();
    let names: Vec<_> =
        list.partnerships.iter().map(|pair| pair.each_ref().map(|it| it.player.name.as_str())).collect();
    assert_eq!(names, [["Alekhine", "Duras"], ["Bogoljubov", "Capablanca"]]);
    assert_eq!((list.unpartnered.len(), list.unpartnered[0].player.name.as_str(), list.games.len()), (1, "GuestXY", 0));
    assert_eq!(list.unread, []);
}

#[test]
fn a_help_file_is_its_lines() {
    let help: HelpText = parse("Command: help\n\nUsage: help [topic]\n").unwrap();
    assert_eq!(help.lines.iter().map(ServerText::as_str).collect::<Vec<_>>(), ["Command: help", "Usage: help [topic]"]);
}
