//! Times of rows, the ruler, silences and the ends of connections.

use std::time::Duration;

use kibitzer::core::message::GameId;
use ratatui::crossterm::event::KeyCode;

use super::screens::assert_all_screens;
use super::travel::{line, notice};
use super::{TestConsole, record};
use crate::console::model::ConsoleRow;

/// Two shouts, a line sent, a silence, a board, the end inside a line, and another connection.
fn session() -> TestConsole {
    let board = |moves: &str| {
        format!(
            "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 7 Euwe Flohr \
             0 2 12 39 39 120 120 {moves} none (0:00) none 0 0 0\n\rfics% "
        )
    };
    let first =
        record(1.5, "rx", b"Foo shouts: one\n\rfics% ").replace('}', ", \"utc\": \"2025-03-01T23:59:59.500Z\"}");
    let rest = [
        record(2.75, "rx", b"Foo shouts: two\n\rfics% "),
        record(3.0, "tx", b"observe 7\n"),
        record(75.0, "rx", board("1").as_bytes()),
        record(75.5, "rx", b"half a line"),
        record(76.0, "rx", b""),
        record(80.0, "rx", b"Foo shouts: three\n\rfics% "),
    ];
    TestConsole::of_transcript(&(first + &rest.concat())).play_to_end()
}

#[test]
fn silences_and_ends_of_connections_are_rows() {
    let mut watcher = session();
    let rows = |watcher: &TestConsole| -> Vec<String> {
        let rows = watcher.app.model.rows.iter().filter(|row| !row.is_protocol_detail());
        rows.map(|row| format!("{} {}", row.kind_name(), row.summary_line())).collect()
    };
    let all = rows(&watcher);
    assert_eq!(all[3], "gap --- silence of 72.0s ---", "{all:#?}");
    assert!(all[4].starts_with("position "), "{all:#?}");
    assert_eq!(all[5..], ["text half a line", "disconnected --- the connection ended ---", "shout Foo shouts: three"]);
    assert!(!watcher.app.model.games[&GameId(7)].followed, "the connection of its game is gone");
    watcher.run("/filter kind:gap,disconnected");
    assert_eq!(watcher.app.list.n_listed(), 2);
}

#[test]
fn missed_plies_are_rows() {
    let mut watcher = TestConsole::of("fatics-game-quick-observer").play_to_end();
    let boards: Vec<_> = watcher.app.model.rows.iter().filter(|row| row.kind_name() == "position").cloned().collect();
    assert!(boards.len() > 4);
    watcher =
        TestConsole::of_pieces(&[boards[1].event().unwrap().raw(), b"\n\r", boards[4].event().unwrap().raw(), b"\n\r"]);
    watcher = watcher.play_to_end();
    let kinds: Vec<_> = watcher.app.model.rows.iter().map(ConsoleRow::kind_name).collect();
    assert_eq!(kinds, ["position", "missed", "position"]);
}

#[test]
fn bytes_after_the_end_of_a_connection_count_from_zero_and_are_found() {
    let mut watcher = session();
    watcher.keys("1");
    let screen = watcher.screen((80, 24));
    assert!(screen.contains("00000000  46 6f 6f 20 73 68 6f 75  Foo shou"), "{screen}");
}

#[test]
fn each_time_column_shows_its_times() {
    let mut watcher = session();
    watcher.press(KeyCode::Home);
    watcher.keys("j");
    let cases = [
        ("", "0:02.750 shout"),
        ("t", "00:00:00.750 shout"),
        ("t", "+0:01.250 shout"),
        ("t", "+0:02.750 shout"),
        ("M", "+0:00.000 shout"),
        ("k", "-0:01.250 shout"),
        ("jM", "+0:02.750 shout"),
        ("t", "0:02.750 shout"),
    ];
    for (keys, want) in cases {
        watcher.keys(keys);
        let screen = watcher.screen((80, 24));
        assert!(screen.lines().any(|line| line.contains('\u{25b8}') && line.contains(want)), "{keys} {want}\n{screen}");
    }
    watcher.run("/times utc");
    assert_eq!(notice(&watcher), "times of day, UTC");
    let mut without = TestConsole::of_pieces(&[b"Foo shouts: x\n\rfics% "]).play_to_end();
    without.keys("t");
    assert_eq!(notice(&without), "the recording contains no time of day");
}

#[test]
fn the_ruler_measures_between_rows_and_between_marks() {
    let mut watcher = session();
    watcher.press(KeyCode::Home);
    watcher.keys("Mjj");
    assert_eq!(line(&watcher), "> observe 7  [reply #7 after ~72.0s]");
    let measured = |watcher: &TestConsole| watcher.app.ruler_text();
    assert_eq!(measured(&watcher).unwrap(), "ruler #1 to #5: 1.5s, 2 rows, 30 bytes");
    watcher.keys("M");
    assert_eq!(measured(&watcher), None);
    watcher.run("/time 0");
    for time in ["1.6", "79"] {
        watcher.run(&format!("/time {time}"));
        watcher.keys("m");
    }
    assert!(measured(&watcher).unwrap().starts_with("ruler #3 to #"), "{:?}", measured(&watcher));
    assert!(watcher.screen((80, 24)).contains(": 77.4s, 7 rows, "), "{}", watcher.screen((80, 24)));
    watcher.keys("k");
    assert_eq!(measured(&watcher), None, "only marks are measured by themselves");
}

#[test]
fn times_of_all_rows_count_from_the_last_mark_before_each() {
    let mut watcher = session();
    watcher.run("/time 0");
    for time in ["1.6", "79", "80"] {
        watcher.run(&format!("/time {time}"));
        watcher.keys("m");
    }
    let rows = || watcher.app.model.rows.iter();
    let numbers: Vec<_> = rows().map(|row| row.number).collect();
    let last_mark = |number: &u64| rows().rfind(|row| row.number <= *number && row.kind_name() == "mark");
    let times = |numbers: &[u64]| -> Vec<_> {
        numbers.iter().map(|number| last_mark(number).map_or(Duration::ZERO, |mark| mark.at)).collect()
    };
    assert!(times(&numbers).windows(2).filter(|times| times[0] != times[1]).count() == 3, "{:?}", times(&numbers));
    for listed in [&numbers[..], &numbers[4..], &[numbers[0], numbers[numbers.len() - 1]], &[]] {
        assert_eq!(watcher.app.mark_times_for_rows(listed), times(listed), "{listed:?}");
    }
}

#[test]
fn times_and_ruler_on_every_screen() {
    let mut watcher = session();
    watcher.press(KeyCode::Home);
    watcher.keys("Mjjt");
    watcher.run("/times utc");
    watcher.press(KeyCode::Down);
    assert_all_screens("times", &mut watcher);
}
