use super::*;
use crate::message::listing::collect::testing::{parse, parse_with_async_lines_inserted};

fn entries(list: &NameList) -> Vec<&str> {
    list.entries.iter().map(ServerText::as_str).collect()
}

// Transcripts fatics-block-client, fatics-multi-observer.
#[test]
fn lists_have_a_name_and_entries() {
    let reply = "-- channel list: 2 channels --\n2 53\n";
    let channels: NameLists = parse_with_async_lines_inserted(reply).unwrap();
    let [list] = &channels.lists[..] else { panic!("{channels:?}") };
    assert_eq!((list.name.as_str(), list.count, entries(list)), ("channel", Some(2), vec!["2", "53"]));
    let handles: NameLists = parse("-- Matches: 1 player --\nBogoljubov\n").unwrap();
    assert_eq!((handles.lists[0].name.as_str(), handles.lists[0].count), ("Matches", Some(1)));
    assert_eq!(entries(&handles.lists[0]), ["Bogoljubov"]);
    // Source code of uhlin-fics.
    let found: NameLists = parse_with_async_lines_inserted("Found 2 names.\nAlice               Alina\n").unwrap();
    assert_eq!((found.lists[0].name.as_str(), found.lists[0].count), ("Matches", Some(2)));
    assert_eq!(entries(&found.lists[0]), ["Alice", "Alina"]);
    let empty: NameLists = parse("-- censor list: 0 names --\n\n").unwrap();
    assert_eq!((empty.lists.len(), entries(&empty.lists[0]).len(), empty.unread.len()), (1, 0, 0));
}

// The form is that of the test data of a client of freechess.org; FICS help file `znotify`.
#[test]
fn znotify_has_two_lists() {
    let reply = "Present company on your notify list:\n   Joe(idle:26m) Ann\n   Bot(idle:3m)\n\
        The following players have you on their notify list:\n   GuestHHJR\n";
    let lists: NameLists = parse(reply).unwrap();
    let shown: Vec<_> = lists.lists.iter().map(|list| (list.name.as_str(), entries(list))).collect();
    assert_eq!(shown, [("notify", vec!["Joe", "Ann", "Bot"]), ("notified by", vec!["GuestHHJR"])]);
    let empty = "No one from your notify list is logged on.\nNo one logged in has you on their notify list.\n";
    assert_eq!(parse::<NameLists>(empty).unwrap().lists.len(), 2);
}

// Transcripts fatics-game-mate-observer, fatics-examine-observer; FICS help file `allobservers`.
#[test]
fn observers_and_examiners_of_games() {
    let reply = "Observing 1 [Alekhine vs. Bogoljubov]: Gruenfeld GuestPEFF(U) (2 users)\n\
        Examining 29 (scratch): #Friar, loon\n  2 games displayed (of 3 in progress).\n";
    let lists: ObserverLists = parse_with_async_lines_inserted(reply).unwrap();
    let names =
        |players: &[ListedPlayer]| players.iter().map(|it| format!("{}{}", it.name, it.titles)).collect::<Vec<_>>();
    let [played, examined] = &lists.games[..] else { panic!("{lists:?}") };
    assert_eq!((played.game, played.white.as_ref().map(Handle::as_str)), (GameId(1), Some("Alekhine")));
    assert_eq!(
        (names(&played.examiners), names(&played.observers)),
        (vec![], vec!["Gruenfeld".into(), "GuestPEFF(U)".into()])
    );
    assert_eq!((examined.game, &examined.white), (GameId(29), &None));
    assert_eq!((names(&examined.examiners), names(&examined.observers)), (vec!["Friar".into()], vec!["loon".into()]));
    assert!(parse::<ObserverLists>("No one is observing game 5.\n").unwrap().games.is_empty());
}
