//! Text that tries to leave its place.

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyCode;
use unicode_width::UnicodeWidthStr as _;

use super::{SIZES, Shown, TestConsole};
use crate::console::view::Theme;

/// What players and servers may send.
pub(super) const TEXTS: [&[u8]; 14] = [
    b"\x1b[2J\x1b[H\x1b]0;title\x07gone",
    b"\x9b2J\x9b31m\x90q\x9c",
    b"a\rb\x08\x08c\x0b\x0c",
    b"tab\tand\x00nul\x7f",
    b"&#x202e;txet&#x202c; &#x2066;x&#x2069;",
    b"&#x5d0;&#x5d1;&#x5d2; &#x627;&#x628; 12:00 <- right to left",
    b"&#x4e16;&#x754c;&#xff21; wide &#x1f600;",
    b"e&#x301;&#x301;&#x301;&#x301; a&#x20dd; &#x1100;&#x1161;&#x11a8;",
    b"&#x1f468;&#x200d;&#x1f469;&#x200d;&#x1f467; &#x1f1e9;&#x1f1ea; &#x1f44d;&#x1f3fd; &#x265f;&#xfe0f;",
    b"&#x2028;next&#x2029;next&#x85;&#xa;",
    b"&#xad;&#x200b;&#xfeff;&#xe000;&#x17d8;&#xfdfd;",
    b"0:00.001 tell         Bar tells you: forged \xe2\x94\x82",
    b"\\u{1b}[31m \xff\xfe",
    b"%s %n {} \"quoted\" (",
];

/// A session with this text wherever a player can put it.
fn session(text: &[u8]) -> TestConsole {
    let board = [
        b"<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 7 ",
        text.split(|b| *b == b' ').next().unwrap(),
        b" Flohr 2 2 12 39 39 120 120 1 none (0:00) none 0 0 0\n\r",
    ]
    .concat();
    let told = [&b"Foo tells you: "[..], text, b"\n\rfics% "].concat();
    let ended = [&b"{Game 7 (A vs. Flohr) "[..], text, b"} 1-0\n\r"].concat();
    let mut watcher = TestConsole::of_pieces(&[&board, &told, &ended, b"fics% "]).play_to_end();
    watcher.run("/mark \u{5d0}\u{301}x");
    watcher
}

#[test]
fn every_cell_holds_one_harmless_character() {
    for text in TEXTS {
        let mut watcher = session(text);
        watcher.press(KeyCode::Home);
        for view in ["1", "2", "3", "a1", "2", "3"].repeat(2) {
            watcher.keys(view);
            watcher.keys("j");
            for (width, height) in SIZES {
                assert_harmless(&watcher.buffer((width, height), Theme::new(true)), text);
            }
        }
    }
}

/// Asserts that each cell holds one harmless character.
pub(super) fn assert_harmless(buffer: &Buffer, text: &[u8]) {
    for cell in &buffer.content {
        let symbol = cell.symbol();
        assert!(symbol.chars().count() <= 1 && symbol.width() <= 2, "{symbol:?} of {:?}", text.escape_ascii());
        assert_eq!(crate::output::TerminalSafe(symbol).in_cells(), symbol, "{:?}", text.escape_ascii().to_string());
    }
}

#[test]
fn the_parts_of_the_screen_stay_in_their_places() {
    let mut plain = session(b"x");
    for text in TEXTS {
        let mut watcher = session(text);
        for (width, height) in SIZES {
            let screen = watcher.buffer((width, height), Theme::new(true));
            let good = plain.buffer((width, height), Theme::new(true));
            for (at, cell) in good.content.iter().enumerate() {
                let is_rule = matches!(cell.symbol(), "\u{2502}")
                    || (at % usize::from(width) == 0 && cell.symbol() == "\u{2500}");
                assert!(
                    !is_rule || screen.content[at].symbol() == cell.symbol(),
                    "{:?} at {at}",
                    text.escape_ascii().to_string()
                );
            }
        }
    }
}

#[test]
fn no_text_makes_a_line_of_its_own() {
    for text in TEXTS {
        let mut watcher = session(text);
        watcher.keys("a");
        let rows: Vec<_> = watcher.rows().map(|row| (row.kind_name(), row.summary_line())).collect();
        let cells = rows.iter().map(|(kind, _)| kind.len()).max().unwrap().max(15);
        let screen = watcher.screen((160, 50));
        let list: Vec<_> =
            screen.lines().skip(2).take(rows.len()).map(|line| line.chars().skip(41).collect::<String>()).collect();
        for ((kind, text), line) in rows.iter().zip(&list) {
            assert!(
                line.chars().skip(10).collect::<String>().starts_with(&format!("{kind:<cells$} ")),
                "{line:?} is no {kind}"
            );
            assert!(!text.contains(char::is_control), "{text:?}");
        }
    }
}

#[test]
fn a_line_of_64_kib_is_one_line() {
    for byte in ["x", "\u{e9}", "\t", "&#x4e16;"] {
        let long = byte.replace('\u{e9}', "\u{1}").repeat((64 << 10) / byte.len());
        let told = format!("Foo tells you: {long}\n\rfics% Bar shouts: behind it\n\r");
        let mut watcher = TestConsole::of_pieces(&[told.as_bytes()]).play_to_end();
        for view in ["1", "2", "3"] {
            watcher.press(KeyCode::Home);
            watcher.keys(view);
            for size in SIZES {
                let screen = watcher.screen(size);
                assert!(screen.contains("Bar shouts: behind it"), "{screen}");
            }
            watcher.keys(&"J".repeat(50));
            watcher.screen(SIZES[0]);
        }
    }
}
