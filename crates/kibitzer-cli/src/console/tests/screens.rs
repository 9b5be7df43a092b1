//! Every view at both sizes, held against the screens that were looked at.

use std::path::Path;
use std::time::Duration;

use kibitzer_core::message::GameId;
use kibitzer_server::{ConnectionTarget, Fault, FaultPoint};
use ratatui::crossterm::event::KeyCode;
use ratatui::style::Color;

use super::live::Guest;
use super::{SIZES, Shown, TestConsole, assert_matches_file, text};
use crate::console::view::Theme;

/// Holds both sizes against the files of this name.
fn assert_screens(name: &str, watcher: &mut TestConsole) {
    for size in SIZES {
        assert_screen(name, size, &watcher.screen(size));
    }
}

/// Holds four sizes, down to very small ones, against the files of this name.
pub(super) fn assert_all_screens(name: &str, watcher: &mut TestConsole) {
    for size in [(160, 50), (80, 24), (60, 20), (40, 10)] {
        assert_screen(name, size, &watcher.screen(size));
    }
}

pub(super) fn assert_live_screens(name: &str, guest: &mut Guest) {
    for size in SIZES {
        assert_screen(name, size, &text(&guest.buffer(size)));
    }
}

pub(super) fn assert_screen(name: &str, (width, height): (u16, u16), screen: &str) {
    let file = format!("src/console/tests/screens/{name}-{width}x{height}.txt");
    assert_eq!(screen.lines().count(), usize::from(height), "{name}");
    assert_matches_file(&Path::new(env!("CARGO_MANIFEST_DIR")).join(file), screen);
}

/// In the middle of a game.
fn game() -> TestConsole {
    let mut watcher = TestConsole::of("fatics-game-quick-observer");
    watcher.wait(5.0);
    watcher
}

#[test]
fn the_event_with_every_field() {
    assert_screens("event", &mut game());
}

#[test]
fn the_bytes() {
    let mut watcher = game();
    watcher.keys("1");
    assert_screens("bytes", &mut watcher);
}

#[test]
fn the_frame() {
    let mut watcher = game();
    watcher.keys("2");
    assert_screens("frame", &mut watcher);
}

#[test]
fn the_help() {
    let mut watcher = game();
    watcher.keys("?");
    assert_screens("help", &mut watcher);
    watcher.press(KeyCode::Tab);
    assert_screens("commands", &mut watcher);
    watcher.press(KeyCode::Tab);
    assert!(watcher.screen((80, 24)).contains("Play: lines without"));
    let screen = |watcher: &mut TestConsole| watcher.screen((80, 24)).lines().nth(1).unwrap().to_owned();
    (0..99).for_each(|_| watcher.press(KeyCode::PageDown));
    let last = screen(&mut watcher);
    let (first, rest) = last.strip_prefix("─ help lines ").unwrap().split_once(" to ").unwrap();
    let (end, rest) = rest.split_once(" of ").unwrap();
    assert!(rest.starts_with(&format!("{end}, ")) && first.parse::<u32>().unwrap() > 80, "{last}");
}

#[test]
fn a_filter_and_what_is_typed() {
    let mut watcher = TestConsole::of("uhlinfics-talk-1-Alice").play_to_end();
    watcher.run("/filter kind:tell,channel_tell -from:Boris");
    watcher.keys("/find \"hello");
    assert_screens("filter", &mut watcher);
}

#[test]
fn a_break() {
    let mut watcher = game();
    watcher.run("/break kind:game_ended");
    watcher.wait(60.0);
    assert_screens("break", &mut watcher);
}

#[test]
fn an_older_row_that_is_looked_at() {
    let mut watcher = game();
    (0..12).for_each(|_| watcher.press(KeyCode::Up));
    assert_screens("older", &mut watcher);
}

#[test]
fn what_was_sent_and_its_reply() {
    let mut watcher = TestConsole::of("fatics-block-client").play_to_end();
    watcher.run("/filter kind:sent,block_start,block_end");
    watcher.run("/find finger");
    watcher.press(KeyCode::Home);
    watcher.keys("n2");
    assert_screens("sent", &mut watcher);
}

#[test]
fn reserves() {
    let mut watcher = TestConsole::of("fatics-crazyhouse-black").play_to_end();
    watcher.run("/move 7");
    assert_screens("reserves", &mut watcher);
}

/// The start of a game, and a board on which White's pawn went to another square than its move says.
fn contradicting_boards() -> (String, String) {
    let start = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 7 Euwe Flohr 0 5 0 39 39 \
        300000 300000 1 none (0:00.000) none 0 0 0\n\r";
    let wrong = start.replace("-------- PPPPPPPP RNBQKBNR W -1", "---P---- PPPP-PPP RNBQKBNR B 4");
    let wrong = wrong.replace("none (0:00.000) none 0", "P/e2-e4 (0:01.500) e4 0");
    (start.to_owned(), wrong)
}

/// A session with these boards, and the desync selected.
pub(super) fn desync() -> TestConsole {
    let (start, wrong) = contradicting_boards();
    let mut watcher = TestConsole::of_pieces(&[start.as_bytes(), wrong.as_bytes(), b"fics% "]).play_to_end();
    watcher.run("/find kind:desync");
    watcher.press(KeyCode::Home);
    watcher.keys("n");
    watcher
}

#[test]
fn a_desync_with_both_boards() {
    let mut watcher = desync();
    assert_screens("desync", &mut watcher);
    watcher.keys("J");
    assert_screens("desync-scrolled", &mut watcher);
    watcher.keys("1");
    assert_screens("desync-bytes", &mut watcher);
    watcher.keys("3");
    for (width, height) in [(60, 20), (40, 10), (100, 14), (42, 30), (5, 5), (1, 1)] {
        watcher.buffer((width, height), Theme::new(false));
    }
}

#[test]
fn a_break_at_a_desync_shows_the_message_that_contradicts() {
    let (start, wrong) = contradicting_boards();
    let mut watcher = TestConsole::of_pieces(&[start.as_bytes(), wrong.as_bytes(), b"fics% "]);
    watcher.run("/break kind:desync or kind:position");
    watcher.keys("J1");
    watcher.wait(100.0);
    assert_screens("desync-break", &mut watcher);
    assert_eq!((watcher.selected(), watcher.newest()), (2, 3), "the message, and no row after it");
    watcher.keys(" ");
    watcher.wait(100.0);
    assert_eq!(watcher.newest(), 4);
    // The same for a step and a search.
    for goal in ["s", "/find kind:desync"] {
        watcher.run("/break");
        watcher.run("/time 0");
        if goal.starts_with('/') {
            watcher.run(goal);
        } else {
            watcher.keys(goal);
        }
        assert_eq!((watcher.selected(), watcher.newest()), (2, 3), "{goal}");
    }
}

#[test]
fn the_differing_squares_and_fields_are_marked_without_color() {
    let mut watcher = desync();
    let plain = watcher.buffer((160, 50), Theme::new(false));
    let reversed: Vec<_> = plain
        .content
        .chunks(160)
        .map(|line| {
            let cells = line.iter().filter(|cell| cell.modifier.contains(ratatui::style::Modifier::REVERSED));
            cells.map(ratatui::buffer::Cell::symbol).collect::<String>()
        })
        .collect();
    let reversed = reversed.concat();
    for marked in ["P/e2-e4", "e4", "---P----", "*"] {
        assert!(reversed.contains(marked), "{marked}: {reversed}");
    }
    let screen = text(&plain);
    assert_eq!(screen.matches('*').count(), 4, "two squares on either board:\n{screen}");
}

#[test]
fn an_empty_session() {
    assert_screens("empty", &mut TestConsole::of_pieces(&[]).play_to_end());
}

#[test]
fn without_color_everything_is_told_otherwise() {
    let mut watcher = game();
    for size in SIZES {
        let plain = watcher.buffer(size, Theme::new(false));
        let has_color = |color| !matches!(color, Color::Reset);
        assert!(plain.content.iter().all(|cell| !has_color(cell.fg) && !has_color(cell.bg)));
        let reversed = plain.content.iter().filter(|cell| cell.modifier.contains(ratatui::style::Modifier::REVERSED));
        assert!(reversed.count() > 4, "the row that is looked at and the squares of the last move");
        let colored = watcher.buffer(size, Theme::new(true));
        assert!(colored.content.iter().any(|cell| has_color(cell.bg)));
    }
}

#[test]
fn any_size_is_drawn() {
    let mut watcher = game();
    for focus in ["", "?", "q"] {
        for width in [0, 1, 2, 10, 27, 28, 29, 63, 64, 81, 119, 120, 200] {
            for height in [0, 1, 2, 3, 5, 16, 24, 39, 40, 70] {
                watcher.buffer((width, height), Theme::new(true));
            }
        }
        watcher.keys(focus);
    }
}

#[test]
fn clocks_tick_while_the_recording_runs() {
    let mut watcher = TestConsole::of_pieces(&[
        b"<12> rnbqkb-r pppppppp -----n-- -------- ----P--- -------- PPPPKPPP RNBQ-BNR B -1 0 0 1 1 0 7 Newton Einstein 0 2 12 39 39 \
            119 122 2 K/e1-e2 (0:06) Ke2 0 1 0\n\r",
        b"fics% ",
        b"fics% ",
        b"fics% ",
        b"fics% ",
    ]);
    watcher.wait(1.0);
    assert!(watcher.screen(SIZES[0]).contains("2:01"));
    watcher.wait(2.0);
    let screen = watcher.screen(SIZES[0]);
    assert!(screen.contains("1:59") && screen.contains("Newton"), "{screen}");
    watcher.keys(" ");
    watcher.wait(60.0);
    assert!(watcher.screen(SIZES[0]).contains("1:59"), "it stands still");
}

#[test]
fn paused_clocks_stand_still_and_added_time_counts_at_once() {
    let mut watcher = TestConsole::of_pieces(&[
        b"<12> rnbqkb-r pppppppp -----n-- -------- ----P--- -------- PPPPKPPP RNBQ-BNR B -1 0 0 1 1 0 7 Newton Einstein 0 2 12 39 39 \
            119 122 2 K/e1-e2 (0:06) Ke2 0\n\rfics% ",
        b"\n\rGame 7: Newton has added 60 seconds to Einstein's clock.\n\rfics% ",
        b"\n\rGame 7: Game clock paused.\n\rfics% ",
        b"fics% ",
        b"\n\rGame 7: Game clock resumed.\n\rfics% ",
        b"fics% ",
    ]);
    let mut clock_after = |seconds: f64| {
        watcher.wait(seconds);
        let screen = watcher.screen(SIZES[0]);
        ["3:00", "3:01", "3:02"].into_iter().find(|clock| screen.contains(clock)).unwrap_or_else(|| panic!("{screen}"))
    };
    // The time since the board counts, although the added time came a second later.
    assert_eq!([clock_after(1.2), clock_after(1.2), clock_after(0.8)], ["3:00", "3:02", "3:02"]);
    assert_eq!(clock_after(1.5), "3:01", "it runs again");
}

#[tokio::test(start_paused = true)]
async fn a_live_session_in_each_view() {
    let mut guest = Guest::among_players().await;
    for view in ["live-bytes", "live-frame", "live-event"] {
        // On an empty line it changes the view, as in the list.
        guest.press(KeyCode::Tab);
        assert_live_screens(view, &mut guest);
    }
    guest.run("/help").await;
    assert_live_screens("live-help", &mut guest);
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn a_live_session_that_is_asked_and_answers() {
    let mut guest = Guest::among_players().await;
    guest.run("/filter kind:sent,tell").await;
    guest.run("/find tell").await;
    guest.keys("finger Whet");
    guest.press(KeyCode::Tab);
    assert_live_screens("live-sent", &mut guest);
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn a_break_in_a_live_session_with_what_came_in_meanwhile() {
    let mut guest = Guest::among_players().await;
    guest.run("/break kind:position").await;
    guest.wait(Duration::from_secs(8)).await;
    assert_live_screens("live-break", &mut guest);
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn a_fault_is_injected_on_request_and_is_a_row_when_it_takes_effect() {
    let mut guest = Guest::among_players().await;
    for (line, error) in [
        ("/fault cutt", "unknown fault \"cutt\", did you mean \"cut\"?"),
        ("/fault cut #9999", "no such connection"),
        ("/fault refuse=full@in-block", "connect, login, now"),
    ] {
        guest.run(line).await;
        assert!(guest.screen().contains(error), "{line}: {}", guest.screen());
        guest.press_control('u');
    }
    guest.keys("/fault cut@n");
    guest.press(KeyCode::Tab);
    assert!(guest.screen().contains("next-board  cut@now"), "{}", guest.screen());
    guest.press_control('u');
    guest.run("/fault cut@next-board").await;
    guest.wait(Duration::from_secs(10)).await;
    guest.run("/filter kind:mark,lost,restored").await;
    for size in [(160, 50), (80, 24), (60, 20), (40, 10)] {
        assert_screen("live-fault", size, &text(&guest.buffer(size)));
    }
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn the_users_own_game_is_not_behind_a_pause_or_a_pin() {
    let mut guest = Guest::among_players().await;
    guest.run("/game 1").await;
    guest.run("/pause").await;
    guest.run("match Whetstone 2 0 unrated white").await;
    guest.wait(Duration::from_secs(2)).await;
    let own = guest.shown_game();
    guest.press(KeyCode::F(3));
    assert!(!guest.is_paused());
    guest.run("/game 1").await;
    assert_eq!(guest.shown_game(), Some(GameId(1)));
    (0..40).for_each(|_| guest.press(KeyCode::PageUp));
    let shown = guest.app.shown_boards().remove(0).board;
    assert_eq!(shown, guest.app.model.games[&GameId(1)].board, "no old board is beside the request for a move");
    guest.run("date").await;
    assert_eq!((guest.shown_game(), guest.is_paused()), (own, false), "a sent line ends pin and pause");
    (0..40).for_each(|_| guest.press(KeyCode::PageUp));
    assert_live_screens("live-own-game", &mut guest);
    assert_eq!((guest.shown_game(), guest.is_paused()), (own, true));
    guest.keys("e4");
    guest.press(KeyCode::Enter);
    assert!(!guest.is_paused());
    // The server is 18 ms away, and the opponent takes longer.
    guest.wait(Duration::from_millis(50)).await;
    guest.keys("/game 1");
    guest.press(KeyCode::Enter);
    assert_ne!(guest.shown_game(), own, "while the opponent is to move");
    guest.wait(Duration::from_secs(10)).await;
    assert_eq!(guest.shown_game(), own, "the opponent has moved");
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn a_stalled_line_is_not_live_and_stops_the_clocks() {
    let mut guest = Guest::among_players().await;
    let target = ConnectionTarget::Player(guest.client.handle().unwrap().to_string());
    guest.server.control().inject(target, FaultPoint::Now, Fault::Stall).await.unwrap();
    guest.wait(Duration::from_secs(4)).await;
    let quiet = guest.screen();
    assert!(quiet.starts_with("kibitzer live, silent "), "{quiet}");
    guest.run("date").await;
    guest.wait(Duration::from_secs(2)).await;
    assert_live_screens("live-stalled", &mut guest);
    let boards = |guest: &mut Guest| {
        let screen = guest.screen();
        screen.lines().skip(1).take(17).map(|line| line.chars().take(27).collect::<String>()).collect::<Vec<_>>()
    };
    let stopped = boards(&mut guest);
    guest.wait(Duration::from_secs(5)).await;
    assert_eq!(boards(&mut guest), stopped);
    guest.wait(Duration::from_secs(30)).await;
    assert!(!guest.screen().contains("stalled"), "{}", guest.screen());
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_is_lost_and_made_again() {
    let mut guest = Guest::among_players().await;
    let target = ConnectionTarget::Player(guest.client.handle().unwrap().to_string());
    guest.server.control().inject(target, FaultPoint::Now, Fault::Cut).await.unwrap();
    guest.wait(Duration::from_secs(10)).await;
    guest.run("/filter kind:lost,connecting,connected,logged_in,session_ready,restored").await;
    assert_live_screens("live-lost", &mut guest);
    guest.leave().await;
}
