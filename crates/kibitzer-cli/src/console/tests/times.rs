//! Times of rows, silences and the ends of connections.

use kibitzer_core::message::GameId;
use ratatui::crossterm::event::KeyCode;

use super::screens::assert_all_screens;
use super::{Shown, TestConsole, record};
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
        let rows = watcher.rows().filter(|row| !row.is_protocol_detail());
        rows.map(|row| format!("{} {}", row.kind_name(), row.summary_line())).collect()
    };
    let all = rows(&watcher);
    assert_eq!(all[3], "gap --- silence of 72.0s ---", "{all:#?}");
    assert!(all[4].starts_with("position "), "{all:#?}");
    assert_eq!(all[5..], ["text half a line", "disconnected --- the connection ended ---", "shout Foo shouts: three"]);
    assert!(!watcher.app.model.games[&GameId(7)].followed, "the connection of its game is gone");
    watcher.run("/filter kind:gap,disconnected");
    assert_eq!(watcher.n_listed(), 2);
}

#[test]
fn missed_plies_are_rows() {
    let mut watcher = TestConsole::of("fatics-game-quick-observer").play_to_end();
    let boards: Vec<_> = watcher.rows().filter(|row| row.kind_name() == "position").cloned().collect();
    assert!(boards.len() > 4);
    watcher =
        TestConsole::of_pieces(&[boards[1].event().unwrap().raw(), b"\n\r", boards[4].event().unwrap().raw(), b"\n\r"]);
    watcher = watcher.play_to_end();
    let kinds: Vec<_> = watcher.rows().map(ConsoleRow::kind_name).collect();
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
        ("t", "0:02.750 shout"),
    ];
    for (keys, want) in cases {
        watcher.keys(keys);
        let screen = watcher.screen((80, 24));
        assert!(screen.lines().any(|line| line.contains('\u{25b8}') && line.contains(want)), "{keys} {want}\n{screen}");
    }
    watcher.run("/times utc");
    assert_eq!(watcher.notice(), "times of day, UTC");
    let mut without = TestConsole::of_pieces(&[b"Foo shouts: x\n\rfics% "]).play_to_end();
    without.keys("t");
    assert_eq!(without.notice(), "the recording contains no time of day");
}

#[test]
fn times_count_from_the_last_mark_before_each_row() {
    let mut watcher = session();
    watcher.run("/time 0");
    for time in ["1.6", "79"] {
        watcher.run(&format!("/time {time}"));
        watcher.keys("m");
    }
    watcher.run("/time end");
    watcher.run("/times mark");
    let screen = watcher.screen((160, 50));
    for row in ["+0:01.500 shout", "+0:00.000 mark", "+0:01.150 shout", "+1:13.400 gap", "+0:01.000 shout"] {
        assert!(screen.contains(row), "{row}: {screen}");
    }
}

#[test]
fn times_on_every_screen() {
    let mut watcher = session();
    watcher.press(KeyCode::Home);
    watcher.keys("jjt");
    watcher.run("/times utc");
    watcher.press(KeyCode::Down);
    assert_all_screens("times", &mut watcher);
}
