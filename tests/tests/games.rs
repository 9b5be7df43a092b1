//! The state of games over whole recorded sessions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kibitzer_core::Event;
use kibitzer_core::EventReader;
use kibitzer_core::MessageReader;
use kibitzer_core::chess::LastMove;
use kibitzer_core::game::ChangeKind;
use kibitzer_core::message::{Family, GameEndReason, GameId, Message, Style12};
use kibitzer_core::wire::{Encoding, Framer};
use kibitzer_tests::{Transcript, events_of};

// Rules: style12 R3, style12 R5, style12 R6, bugs 37, bugs 74
#[test]
fn no_recorded_session_contradicts_what_is_known() {
    for transcript in Transcript::all() {
        let desyncs: Vec<_> =
            transcript.events().into_iter().filter(|event| matches!(event, Event::Desync(_))).collect();
        assert!(desyncs.is_empty(), "{}: {desyncs:?}", transcript.name);
    }
}

#[test]
fn the_known_moves_lead_to_the_position() {
    let mut n_moves = 0;
    for transcript in Transcript::all() {
        let (mut reader, stream) = (transcript.reader(), transcript.stream());
        let mut rest = stream.as_slice();
        while let Some(event) = reader.next(&mut rest) {
            let Some(game) = event.affected_game().and_then(|id| reader.games().get(id)) else { continue };
            let (mut board, mut mover) = (game.base().board(), game.base().side_to_move());
            for step in game.moves() {
                board.apply(step.played(), mover).unwrap();
                mover = mover.opponent();
            }
            let place = format!("{} at {}", transcript.name, event.offset().unwrap_or_default());
            assert_eq!((board, mover), (game.position().board(), game.position().side_to_move()), "{place}");
            n_moves = n_moves.max(game.moves().len());
        }
    }
    assert!(n_moves > 150, "no game is longer than {n_moves} plies");
}

// Rules: bugs K2
#[test]
fn the_observed_rematch_of_a_recording_is_a_game_in_progress() {
    let transcript = Transcript::named("fatics-rematch-observed");
    // The first of its two connections.
    let (mut reader, stream) = (transcript.reader(), transcript.reads.split(Vec::is_empty).next().unwrap().concat());
    let (mut rest, mut kinds) = (stream.as_slice(), Vec::new());
    while let Some(event) = reader.next(&mut rest) {
        kinds.extend(event.change().map(|change| change.kind));
    }
    let end = kinds.iter().position(|kind| *kind == ChangeKind::Ended).unwrap();
    assert_eq!(
        kinds[end..],
        [ChangeKind::Ended, ChangeKind::Left, ChangeKind::Followed, ChangeKind::Replaced, ChangeKind::Moved]
    );
    let game = reader.games().get(GameId(2)).unwrap();
    assert!(game.is_followed_and_ongoing());
    assert_eq!(game.moves().iter().map(|step| step.pretty().unwrap()).collect::<Vec<_>>(), ["c4"]);
}

#[test]
fn the_text_of_a_resignation_names_the_loser() {
    let ends: Vec<_> = Transcript::all().iter().flat_map(Transcript::events).collect();
    let resigned: Vec<_> = ends
        .iter()
        .filter_map(Event::game_ended)
        .filter(|ended| ended.reason == GameEndReason::Resign && ended.named_player().is_some())
        .collect();
    assert!(!resigned.is_empty());
    assert!(resigned.iter().all(|ended| ended.named_player() == ended.result.winner().map(|winner| !winner)));
}

#[test]
fn a_move_that_ignores_a_check_is_irregular() {
    let irregular = |transcript: &Transcript| {
        let found = transcript.events().into_iter().filter(|event| event.is_irregular_move() == Some(true));
        found.filter_map(|event| event.board()?.numbered_move()).collect::<Vec<_>>()
    };
    for transcript in Transcript::all() {
        let want: &[&str] = if transcript.name == "fatics-illegal-move-accepted" { &["6. h3"] } else { &[] };
        assert_eq!(irregular(&transcript), want, "{}", transcript.name);
    }
    let events = Transcript::named("fatics-suicide-observer").events();
    let moves = events.iter().filter(|event| event.change().is_some_and(|change| change.kind == ChangeKind::Moved));
    assert!(moves.into_iter().all(|event| event.is_irregular_move().is_none()), "a variant without checks");
}

#[test]
fn a_board_has_the_reserves_that_a_later_line_reports() {
    let (mut n_checked, mut n_drops) = (0, 0);
    for transcript in Transcript::all() {
        // The server cuts long reserves in one set.
        if transcript.name.starts_with("uhlinfics-bughouse-2") {
            continue;
        }
        let mut boards = BTreeMap::new();
        for event in transcript.events() {
            match event.message() {
                Some(Message::Style12(board)) => drop(boards.insert(board.game(), Arc::clone(board))),
                Some(Message::Holding(holding)) if holding.passed.is_none() => {
                    let Some(board) = boards.remove(&holding.game) else { continue };
                    let Some(reserves) = board.reserves() else { continue };
                    let place = format!("{} {:?}", transcript.name, board.numbered_move());
                    assert_eq!((reserves.white, reserves.black), (holding.white, holding.black), "{place}");
                    n_checked += 1;
                    n_drops += usize::from(matches!(board.played(), Some(LastMove::Drop { .. })));
                }
                // A piece from the other board arrived after this one.
                Some(Message::Holding(holding)) => drop(boards.remove(&holding.game)),
                _ => {}
            }
        }
    }
    assert!(n_checked > 800 && n_drops > 100, "{n_checked} boards, {n_drops} drops");
}

#[test]
fn the_greeting_of_a_server_with_utf_8_is_read_as_it_was_written() {
    let transcript = Transcript::named("fatics-login-guest-native");
    let greeting = |encoding: Encoding| {
        let reader = EventReader::new(MessageReader::new(Framer::new().with_encoding(encoding), Family::Auto));
        let events = events_of(reader, [transcript.stream().as_slice()]);
        let lines = events.into_iter().filter_map(|event| match event.message() {
            Some(Message::Text(line)) => Some(line.to_text().into_owned()),
            _ => None,
        });
        lines.take(3).collect::<Vec<_>>()
    };
    let knights = "                   ♙♘♗♖♕♔ FatICS ♚♛♜♝♞♟";
    for encoding in [Encoding::Auto, Encoding::Utf8] {
        let want = ["Welcome to / Bienvenue à / Bienvenido a / Willkommen auf", "", knights];
        assert_eq!(greeting(encoding), want);
    }
    assert_eq!(greeting(Encoding::Latin1)[0], "Welcome to / Bienvenue Ã\u{a0} / Bienvenido a / Willkommen auf");
}

/// What a board tells that a delta board tells too: squares, side, move number, the mover's clock. The server rounds the other
/// clock anew for every board.
type Told = (String, &'static str, u32, i64);

fn told(board: &Style12) -> Told {
    let squares = board.board().to_string();
    (squares, board.side_to_move().into(), board.move_number(), board.clock(board.side_to_move().opponent()).as_ms())
}

// Rules: datagrams D1, datagrams D2, datagrams D3, datagrams D4, datagrams D6
#[test]
fn delta_boards_lead_where_others_see_full_ones() {
    let full: BTreeSet<Told> = boards_of("fatics-ms-compress-observer2", |event| match event.message() {
        Some(Message::Style12(board)) => Some(told(board)),
        _ => None,
    });
    assert!(full.len() > 70, "only {} boards", full.len());
    for name in ["white", "black", "observer"] {
        let led_to: BTreeSet<Told> = boards_of(&format!("fatics-ms-compress-{name}"), |event| match event {
            Event::Received { change: Some(change), .. } => change.board.as_deref().map(told),
            _ => None,
        });
        let strange: Vec<_> = led_to.difference(&full).collect();
        assert!(strange.is_empty() && led_to.len() > 70, "{name}: {strange:#?} of {}", led_to.len());
    }
}

fn boards_of(name: &str, board: impl Fn(&Event) -> Option<Told>) -> BTreeSet<Told> {
    Transcript::named(name).events().iter().filter_map(board).collect()
}

// Rules: transport W1, transport W2, transport W3, bugs 12
#[test]
fn long_talk_arrives_as_it_was_sent() {
    let mut sent: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let set = |name: &str| name.trim_end_matches("-again").rsplit_once('-').map_or(name, |(set, _)| set).to_owned();
    let transcripts = Transcript::all();
    for transcript in &transcripts {
        sent.entry(set(&transcript.name)).or_default().extend(&transcript.sent);
    }
    let mut n_lines = 0;
    // What a sealed client sent cannot be read here, and of the long words there is only the receiver's side.
    let is_readable = |name: &str| !name.contains("seal") && name != "uhlinfics-talk-long-words";
    for transcript in transcripts.iter().filter(|transcript| is_readable(&transcript.name)) {
        for event in transcript.events() {
            let Some(Message::Talk(talk)) = event.message() else { continue };
            // What a server broke is longer than the least width in use. The server speaks itself, and deletes tabs.
            let unsent = ["The command 'quit'", "tabhere"].iter().any(|start| talk.text().starts_with(start));
            if event.raw().len() < 58 || unsent || !event.raw().is_ascii() {
                continue;
            }
            let raw_text = event.raw().splitn(2, |&byte| byte == b':').nth(1).unwrap_or_default().trim_ascii();
            let sent = &sent[&set(&transcript.name)];
            let text = talk.text();
            let text = text.as_bytes();
            let was_sent = |text: &[u8]| sent.windows(text.len()).any(|window| window == text);
            assert!(
                was_sent(text) || was_sent(raw_text),
                "{} at {}: {}",
                transcript.name,
                event.offset().unwrap_or_default(),
                talk.text()
            );
            n_lines += 1;
        }
    }
    assert!(n_lines > 100, "only {n_lines} lines");
}
