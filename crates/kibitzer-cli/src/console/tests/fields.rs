//! The byte cursor and the fields of a frame.

use ratatui::crossterm::event::KeyCode;
use ratatui::style::{Color, Modifier};

use super::screens::assert_all_screens;
use super::travel::notice;
use super::{SIZES, TestConsole};
use crate::console::view::Theme;

/// A board whose line the server has wrapped, and a line that says something else.
fn board() -> TestConsole {
    let board: &[u8] = b"fics% <12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 7\n\r\\   Euwe \
        Fl\xff\xf9ohr 0 2 12 39 39 120000 119000 1 none (0:00.000) none 0 1 304\n\rfics% ";
    let mut watcher = TestConsole::of_pieces(&[board, b"Foo shouts: hi\n\rfics% "]).play_to_end();
    watcher.press(KeyCode::Home);
    // After the telnet command.
    watcher.press(KeyCode::Down);
    watcher
}

/// The characters that are highlighted, of the whole screen.
fn highlighted(watcher: &mut TestConsole, modifier: Modifier) -> String {
    let buffer = watcher.buffer(SIZES[1], Theme::new(true));
    let is_meant = |x, y| buffer[(x, y)].bg == Color::Indexed(24) && buffer[(x, y)].modifier.contains(modifier);
    let rows = (21..buffer.area.height).map(|y| {
        (41..buffer.area.width)
            .filter(|&x| is_meant(x, y))
            .map(|x| buffer[(x, y)].symbol().to_owned())
            .collect::<String>()
    });
    rows.collect::<Vec<_>>().concat()
}

#[test]
fn selecting_a_field_highlights_its_bytes_and_a_byte_its_field() {
    let mut watcher = board();
    watcher.keys(&">".repeat(18));
    assert_eq!(highlighted(&mut watcher, Modifier::empty()), "Euwe45 75 77 65 Euwe");
    watcher.keys(">");
    let screen = watcher.screen(SIZES[1]);
    assert!(screen.contains("field   Black (field 18): 110 to 117: 46 6c ff f9 6f 68 72"), "{screen}");
    assert_eq!(highlighted(&mut watcher, Modifier::empty()), "Flohr46 6c ff f9 6f 68 72 Fl..ohr");
    watcher.keys(",,");
    assert_eq!(highlighted(&mut watcher, Modifier::UNDERLINED), "65 e");
    let screen = watcher.screen(SIZES[1]);
    assert!(screen.contains("White (field 17), 0000006c"), "{screen}");
    watcher.keys(".");
    assert!(watcher.screen(SIZES[1]).contains("between fields, 0000006d"));
    watcher.keys("<");
    assert!(watcher.screen(SIZES[1]).contains("White (field 17), 00000069"));
    watcher.press(KeyCode::Down);
    assert_eq!(highlighted(&mut watcher, Modifier::empty()), "", "another line has no cursor");
    watcher.keys(">>");
    assert!(watcher.screen(SIZES[1]).contains("text, 000000c3"), "{}", watcher.screen(SIZES[1]));
    watcher.keys(">");
    assert_eq!(notice(&watcher), "there is no further field");
}

#[test]
fn the_cursor_stays_on_the_bytes() {
    let mut watcher = board();
    watcher.keys(",");
    assert_eq!(watcher.app.byte_cursor(), Some(0));
    watcher.keys(&".".repeat(500));
    let end = watcher.app.byte_cursor().unwrap();
    watcher.keys(".");
    assert_eq!(watcher.app.byte_cursor(), Some(end));
    watcher.keys("1");
    assert!(watcher.screen((80, 24)).contains("between fields, 000000af"), "the line feed");
    assert!(watcher.screen((40, 10)).lines().any(|line| line.contains("000000ae")), "the view follows the cursor");
    watcher.press(KeyCode::End);
    watcher.keys("m>");
    assert_eq!(notice(&watcher), "this line has no fields");
    watcher.keys(".");
    assert_eq!(notice(&watcher), "this line has no bytes here");
}

#[test]
fn bytes_are_searched_in_the_list_and_in_the_rest_of_a_recording() {
    let mut watcher = TestConsole::of("fatics-game-quick-observer");
    watcher.wait(5.0);
    watcher.press(KeyCode::Home);
    // A line end and a board.
    watcher.run("/find hex:0a0d3c31323e");
    let first = watcher.selected();
    assert_eq!(watcher.app.model.rows.get(first).unwrap().kind_name(), "position", "{}", watcher.screen((80, 24)));
    assert_eq!(watcher.app.byte_cursor(), Some(0));
    assert!(watcher.screen((80, 24)).contains("tag (field 0), 0"), "{}", watcher.screen((80, 24)));
    watcher.keys("n");
    let second = watcher.selected();
    assert!(second > first);
    watcher.keys("N");
    assert_eq!(watcher.selected(), first);
    watcher.keys("n");
    assert_eq!(watcher.selected(), second);
    let known = watcher.app.model.rows.newest;
    watcher.run("/find hex:4c6f6767696e6720796f75206f7574");
    assert!(watcher.selected() > known, "\"Logging you out\" is later in the recording");
    watcher.run("/find hex:00ff00ff");
    assert_eq!(notice(&watcher), "no stored line matches");
}

#[test]
fn fields_on_every_screen() {
    let mut watcher = board();
    watcher.keys("1");
    watcher.keys(&">".repeat(19));
    assert_all_screens("field-bytes", &mut watcher);
    watcher.keys("2");
    assert_all_screens("field-frame", &mut watcher);
}
