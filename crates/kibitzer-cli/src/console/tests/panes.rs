//! Panes shown alone, at all sizes; limited terminals; what waits for an answer.

use std::time::Duration;

use kibitzer_core::EventReader;
use ratatui::crossterm::event::KeyCode;
use ratatui::style::Modifier;

use super::live::Guest;
use super::screens::{assert_screen, desync};
use super::{Shown, TestConsole, text};
use crate::console::app::ColorTheme;
use crate::console::app::TerminalRequest;
use crate::console::model::{SourceItem, SourceItemKind};
use crate::console::view::{Theme, contrast, is_square};

/// Each follows one of another size, so that the screen is resized in between.
const ALL_SIZES: [(u16, u16); 4] = [(160, 50), (40, 10), (80, 24), (60, 20)];

fn game() -> TestConsole {
    let mut console = TestConsole::of("fatics-game-quick-observer");
    console.wait(5.0);
    console
}

#[test]
fn a_key_shows_one_pane_alone_at_every_size() {
    let mut console = game();
    for name in ["all", "list-alone", "view-alone", "board-alone"] {
        for size in ALL_SIZES {
            assert_screen(name, size, &console.screen(size));
        }
        console.keys("z");
    }
    let all = console.screen((60, 20));
    assert!(!all.contains("\u{2500} game 1"), "{all}");
    console.keys("b");
    assert!(console.screen((60, 20)).contains("\u{2500} game 1"));
    console.keys("b");
    assert_eq!(console.screen((60, 20)), all);
    console.press(KeyCode::Enter);
    console.keys("x");
    console.press(KeyCode::F(3));
    assert!(console.screen((60, 20)).contains("\u{2500} game 1"), "also while a line is typed");
    assert_eq!(console.typed(), "x");
}

#[test]
fn long_rows_scroll_sideways() {
    let said = format!("Foo shouts: {}END\n\r", "0123456789".repeat(7));
    let mut console = TestConsole::of_pieces(&[said.as_bytes()]).play_to_end();
    assert!(!console.screen((80, 24)).lines().take(12).any(|line| line.contains("END")));
    console.keys("lll");
    let screen = console.screen((80, 24));
    assert!(
        screen.lines().take(12).any(|line| line.contains("END")) && screen.contains("from column 61, h"),
        "{screen}"
    );
    console.keys("hhhh");
    assert!(console.screen((80, 24)).contains("Foo shouts: 0123"));
}

/// Draws a console in both themes at all sizes.
fn assert_contrast(console: &mut TestConsole) {
    for (colors, size) in
        [ColorTheme::Dark, ColorTheme::Light].into_iter().flat_map(|theme| ALL_SIZES.map(|size| (theme, size)))
    {
        let theme = Theme::new(true).with_choices(Some(colors), None);
        let buffer = console.buffer(size, theme);
        for cell in buffer.content.iter().filter(|cell| cell.symbol() != " ") {
            let dimmed = cell.modifier.contains(Modifier::DIM);
            let least = if is_square(cell.bg) { 3.0 } else { 4.5 };
            assert!(!dimmed && contrast(cell.fg, cell.bg) >= least, "{colors:?} {cell:?}");
        }
    }
}

#[test]
fn every_drawn_character_has_contrast_with_its_ground() {
    let mut console = game();
    console.run("/break kind:shout");
    for keys in ["", "1", "2", "?", "?m", "z", "z", "z"] {
        console.keys(keys);
        assert_contrast(&mut console);
    }
    let mut console = desync();
    for keys in ["3", "1", "2"] {
        console.keys(keys);
        assert_contrast(&mut console);
    }
}

#[test]
fn a_terminal_without_utf_8_gets_ascii() {
    let mut console = game();
    for pieces in ["", "/pieces ascii", "/pieces letters", "/pieces filled"] {
        console.run(pieces);
        for size in ALL_SIZES {
            let screen = text(&console.buffer(size, Theme::new(false).ascii()));
            let (screen, hints) = screen.trim_end().rsplit_once('\n').unwrap();
            assert!(screen.is_ascii() && !screen.contains('?') && hints.is_ascii(), "{screen}");
        }
    }
    assert_screen("ascii", (80, 24), &text(&console.buffer((80, 24), Theme::new(false).ascii())));
    console.run("/pieces letters");
    let screen = console.screen((80, 24));
    assert!(screen.contains("8 R         R K "), "{screen}");
    console.run("/pieces round");
    assert_eq!(console.notice(), "/pieces needs ascii or letters or filled");
}

/// Lets the server say a line that it would say to another login.
fn say(guest: &mut Guest, line: &[u8]) {
    let (mut reader, mut input) = (EventReader::default(), line);
    while let Some(event) = reader.next(&mut input).or_else(|| reader.finish()) {
        let kind = SourceItemKind::Event { event, snapshot: None, decoding: Duration::ZERO };
        guest.app.model.apply_item(SourceItem { at: Duration::ZERO, kind });
    }
}

#[tokio::test(start_paused = true)]
async fn an_offer_waits_above_the_input_line_and_a_key_answers_it() {
    let mut guest = Guest::log_in().await;
    guest.run("/bell on").await;
    guest.press(KeyCode::F(5));
    guest.wait(Duration::ZERO).await;
    assert!(guest.screen().contains("no offer waits for an answer") && guest.requests().is_empty());
    say(&mut guest, b"Challenge: Euwe (1720) [white] Flohr (1720) rated standard 15 5.\n\r");
    guest.wait(Duration::ZERO).await;
    assert_eq!(guest.requests(), [TerminalRequest::Bell]);
    guest.keys("tell x");
    let screen = guest.screen();
    let wanted = "\nEuwe (1720) challenges you: rated standard 15+5: F5 accepts, F6 declines\n> tell x\n";
    assert!(screen.contains(wanted), "{screen}");
    guest.press(KeyCode::F(6));
    guest.wait(Duration::from_secs(1)).await;
    assert!(guest.rows().any(|row| row.summary_line().contains(" decline Euwe")));
    let screen = guest.screen();
    assert_eq!((guest.typed(), screen.contains("challenges you")), ("tell x", false));
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn the_users_move_is_shown_above_the_input_line() {
    let mut guest = Guest::among_players().await;
    guest.run("match Whetstone 2 0 unrated white").await;
    guest.wait(Duration::from_secs(2)).await;
    let screen = guest.screen();
    assert!(screen.contains(": your move; type it, such as e4, and Enter"), "{screen}");
    guest.keys("e4");
    guest.press(KeyCode::Enter);
    // The server is 18 ms away, and the opponent takes longer.
    guest.wait(Duration::from_millis(50)).await;
    assert!(!guest.screen().contains(": your move;"), "{}", guest.screen());
    guest.leave().await;
}
