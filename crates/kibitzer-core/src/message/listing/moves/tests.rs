use super::super::ListingError;
use super::super::collect::testing::{parse, parse_with_async_lines_inserted};
use super::*;

const FATICS: &str = "\
Movelist for game 1:

Alekhine (1882) vs. Bogoljubov (1558) --- 2026-11-21 00:30 UTC
Unrated blitz match, initial time: 5 minutes, increment: 0 seconds.

Move  Alekhine                Bogoljubov
----  ---------------------   ---------------------
  1.  e4      (0:00.000)      e5      (0:00.000)
  2.  Nf3     (0:00.100)      Nc6     (0:00.101)
  3.  Bb5     (0:00.100)      
      {Still in progress} *
";

const UHLIN: &str = "\
Alice (UNR) vs. Boris (UNR) --- 1999.09.01 23:28:00
Unrated Non-standard match, initial time: 5 minutes, increment: 0 seconds.

Move  Alice              Boris              
----  ----------------   ----------------
  1.  Nc3     (0:13)     e5      (0:00)  
 22.  N@g4    (0:00)     bxa1=R  (0:00)  
 40.  Ka1     (0:00)  
      {Black lost connection, game adjourned} *
";

fn with_row(row: &str) -> String {
    UHLIN.replace("  1.  Nc3     (0:13)     e5      (0:00)  ", row)
}

fn moves(list: &MoveList) -> Vec<(u32, &str, Option<u32>)> {
    list.moves.iter().map(|m| (m.ply, m.san.as_str(), m.elapsed_ms)).collect()
}

#[test]
fn a_list_of_fatics_with_milliseconds() {
    let list = parse::<MoveList>(FATICS).unwrap();
    assert_eq!(list.game, Some(GameId(1)));
    let (white, black) = (list.white.as_ref().unwrap(), list.black.as_ref().unwrap());
    assert_eq!((white.name.as_str(), black.name.as_str()), ("Alekhine", "Bogoljubov"));
    assert_eq!(white.rating, Some(Rating::Established(1882)));
    assert_eq!((list.rated, list.kind.as_str()), (Some(false), "blitz"));
    assert_eq!((list.initial_min, list.increment_s), (Some(5), Some(0)));
    let want =
        [(1, "e4", Some(0)), (2, "e5", Some(0)), (3, "Nf3", Some(100)), (4, "Nc6", Some(101)), (5, "Bb5", Some(100))];
    assert_eq!(moves(&list), want);
    assert_eq!((list.reason.as_str(), list.result), ("Still in progress", Some(GameResult::Unfinished)));
    assert_eq!(list.moves.iter().map(ListedMove::color).next_back(), Some(Color::White));
    assert!(list.unread.is_empty());
}

#[test]
fn terms_with_different_clocks_are_those_of_white() {
    let terms =
        "Rated Lighting match, initial time: 10 minutes, increment: 12 seconds AND 5 minutes, increment: 0 seconds.";
    let reply = UHLIN.replace("Unrated Non-standard match, initial time: 5 minutes, increment: 0 seconds.", terms);
    let list = parse::<MoveList>(&reply).unwrap();
    assert_eq!((list.rated, list.kind.as_str()), (Some(true), "Lighting"));
    assert_eq!((list.initial_min, list.increment_s, list.unread.len()), (Some(10), Some(12), 0));
}

// Rules: text M1, bugs 71
#[test]
fn dates_of_every_server() {
    let dates = [
        "Mon Nov  4, 08:38 CET 2002",
        "Mon Nov  4, 08:38 ??? 2002",
        "2008.01.19 16:55:38",
        "2010-10-14 20:36 UTC",
        "1999.09.01 23:28:00",
    ];
    for date in dates {
        let list = parse::<MoveList>(&FATICS.replace("2026-11-21 00:30 UTC", date)).unwrap();
        assert_eq!(list.date, date);
    }
}

// Rules: text M1, bugs 71
#[test]
fn ratings_and_names_of_every_kind() {
    let cases = [
        ("A vs. B --- x", "A", None, "B", None),
        ("A (UNR) vs. B (----) --- x", "A", Some(Rating::Unrated), "B", Some(Rating::Unrated)),
        ("White (0) vs. Black (++++) --- x", "White", Some(Rating::Established(0)), "Black", Some(Rating::Guest)),
        (
            "Foo(GM) ( 958) vs. B.Bar (1500P) --- x",
            "Foo",
            Some(Rating::Established(958)),
            "B.Bar",
            Some(Rating::Provisional(1500)),
        ),
    ];
    for (line, white, white_rating, black, black_rating) in cases {
        let mut list = MoveList::default();
        list.try_add_players(line.as_bytes()).unwrap();
        let (w, b) = (list.white.unwrap(), list.black.unwrap());
        assert_eq!((w.name.as_str(), w.rating), (white, white_rating), "{line}");
        assert_eq!((b.name.as_str(), b.rating), (black, black_rating), "{line}");
    }
}

// Rules: text M2, bugs 71
#[test]
fn kinds_from_nothing_to_several_words() {
    let cases = [
        ("Unrated  match", (false, "", None, None)),
        ("Unrated  match, initial time: 3 minutes, increment: 2 seconds.", (false, "", Some(3), Some(2))),
        (
            "Rated blitz crazyhouse match, initial time: 3 minutes, increment: 0 seconds.",
            (true, "blitz crazyhouse", Some(3), Some(0)),
        ),
        ("Rated wild/5 match, initial time: 1 minute, increment: 1 second.", (true, "wild/5", Some(1), Some(1))),
        ("Unrated untimed match, initial time: 0 minutes, increment: 0 seconds.", (false, "untimed", Some(0), Some(0))),
    ];
    for (line, want) in cases {
        let reply = FATICS.replace("Unrated blitz match, initial time: 5 minutes, increment: 0 seconds.", line);
        let list = parse::<MoveList>(&reply).unwrap();
        assert_eq!((list.rated.unwrap(), list.kind.as_str(), list.initial_min, list.increment_s), want, "{line}");
    }
}

// Rules: text M2, bugs 71
#[test]
fn an_untimed_list_has_no_times() {
    let list = parse::<MoveList>(&with_row("  1.  Nc3                e5")).unwrap();
    assert_eq!(moves(&list)[..2], [(1, "Nc3", None), (2, "e5", None)]);
}

// Rules: text M3, bugs 71
#[test]
fn times_in_every_form() {
    let list = parse::<MoveList>(&with_row("  1.  Nc3     (1:02:03)  e5      (12:26.052)")).unwrap();
    assert_eq!(moves(&list)[..2], [(1, "Nc3", Some(3_723_000)), (2, "e5", Some(746_052))]);
}

// Rules: text M4, bugs 71
#[test]
fn black_may_move_first() {
    let list = parse::<MoveList>(&with_row("  1.  ...     (0:00)   e5 (0:05)")).unwrap();
    assert_eq!(moves(&list)[0], (2, "e5", Some(5000)));
    assert_eq!(list.moves[0].color(), Color::Black);
    let untimed = parse::<MoveList>(&with_row("  1.  ...      e5")).unwrap();
    assert_eq!(moves(&untimed)[0], (2, "e5", None));
}

// Rules: text M5
#[test]
fn moves_of_every_kind() {
    for san in ["O-O", "o-o", "O-O-O+", "N@f3", "P@c3", "e8=Q+", "bxa1=R", "Nfxd4#", "none", "Qa1xb2=Q++"] {
        let list = parse::<MoveList>(&with_row(&format!("  1.  {san} (0:00) {san:8}(0:00)"))).unwrap();
        assert_eq!(moves(&list)[..2], [(1, san, Some(0)), (2, san, Some(0))]);
    }
}

// Rules: text M6
#[test]
fn trailers_of_every_result() {
    let cases = [
        ("      {White resigns} 0-1", "White resigns", "0-1"),
        ("      {Black checkmated} 1-0", "Black checkmated", "1-0"),
        ("      {Stalemate.} 1/2-1/2", "Stalemate.", "1/2-1/2"),
        ("{Game drawn by mutual agreement} 1/2-1/2", "Game drawn by mutual agreement", "1/2-1/2"),
        ("      {odd } text} *", "odd } text", "*"),
    ];
    for (line, reason, result) in cases {
        let list = parse::<MoveList>(&UHLIN.replace("      {Black lost connection, game adjourned} *", line)).unwrap();
        assert_eq!((list.reason.as_str(), list.result.map(GameResult::as_str)), (reason, Some(result)));
    }
    for line in
        ["      {White resigns} 2-0", "{", "}", "{}", "      White resigns} 0-1", "{Game 1 (A vs. B) A resigns} 0-1"]
    {
        assert_eq!(parse_last_line(line.as_bytes()), None, "{line}");
    }
}

// Rules: text M7
#[test]
fn a_start_position_precedes_the_table() {
    let board = |relation| {
        format!(
            "<12> bqnrnkrb pppppppp -------- -------- -------- -------- PPPPPPPP BQNRNKRB W -1 1 1 1 1 0 1 Alekhine \
                     Bogoljubov {relation} 5 0 39 39 300000 300000 1 none (0:00.000) none 0 0 0"
        )
    };
    for (relation, is_start) in [("-4", true), ("-3", true), ("1", false), ("0", false)] {
        let head = format!("{}\n\nMove  A", board(relation));
        let list = parse::<MoveList>(&FATICS.replace("Move  A", &head)).unwrap();
        assert_eq!((list.start.len(), list.unread.len()), (usize::from(is_start), usize::from(!is_start)));
        assert_eq!(list.moves.len(), 5);
    }
    let late = parse::<MoveList>(&with_row(&board("-4"))).unwrap();
    assert_eq!((late.start.len(), late.unread.len()), (0, 1));
}

// Rules: text M8, bugs 72
#[test]
fn other_lines_in_between_change_nothing() {
    for reply in [FATICS.trim_end(), UHLIN.trim_end()] {
        assert_eq!(parse_with_async_lines_inserted::<MoveList>(reply), parse::<MoveList>(reply));
    }
}

// Rules: text M8
#[test]
fn a_list_without_its_trailer_is_incomplete() {
    assert_eq!(parse::<MoveList>(FATICS.split('{').next().unwrap()), Err(ListingError::Incomplete));
}

// Rules: text M9
#[test]
fn a_list_sent_twice_is_two_lists() {
    let reply = format!("{FATICS}\nfoo\n{FATICS}");
    let mut lines = reply.lines().map(str::as_bytes);
    let first = MoveList::parse(&mut lines).unwrap();
    let second = MoveList::parse(&mut lines).unwrap();
    assert_eq!((first.moves, first.result), (second.moves, second.result));
    assert_eq!(second.unread.len(), 1);
    assert_eq!(MoveList::parse(&mut lines), Err(ListingError::NotThisReply));
}

// Rules: text M10
#[test]
fn a_game_may_have_no_moves() {
    let length_and_result = |reply: &str| parse::<MoveList>(reply).map(|list| (list.moves.len(), list.result));
    let list = parse::<MoveList>(FATICS.split("  1.").next().unwrap().to_owned().as_str());
    assert_eq!(list, Err(ListingError::Incomplete));
    let empty = "Alice (UNR) vs. Alice (UNR) --- 1999.09.01 23:28:22\n\
                     Unrated Untimed match, initial time: 0 minutes, increment: 0 seconds.\n\n\
                     Move  Alice              Alice              \n\
                     ----  ----------------   ----------------\n      {Still in progress} *";
    assert_eq!(length_and_result(empty), Ok((0, Some(GameResult::Unfinished))));
    assert_eq!(length_and_result("There are no moves."), Ok((0, None)));
}

#[test]
fn a_table_of_another_command_is_not_a_move_list() {
    let style_9 = "Move     Alice                  Boris\n----     --------------         --------------\n  1.     e4";
    assert_eq!(parse::<MoveList>(style_9), Err(ListingError::NotThisReply));
}

#[test]
fn numbers_too_large_make_no_row() {
    for row in ["4294967295.  e4", "0.  e4", "1.", "1.  e4 (0:00) e5 (0:00) x", "1.  e4 e5 (x)", "1.  ...."] {
        assert_eq!(parse_row(row.as_bytes()), None, "{row}");
    }
}
