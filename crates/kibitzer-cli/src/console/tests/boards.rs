//! Several boards, and the mouse.

use std::time::Duration;

use kibitzer_core::message::GameId;
use ratatui::crossterm::event::{MouseButton, MouseEventKind};
use ratatui::layout::{Position, Rect};

use super::live::Guest;
use super::screens::{assert_all_screens, assert_screen};
use super::{Shown, TestConsole};
use crate::console::app::{Switch, TerminalRequest};
use crate::console::model::ConsoleRow;
use crate::console::tests::text;
use crate::console::view;

const CLICK: MouseEventKind = MouseEventKind::Down(MouseButton::Left);
const SIZES: [(u16, u16); 4] = [(160, 50), (80, 24), (60, 20), (40, 10)];

/// Uses the mouse where the screen shows a text.
fn mouse(console: &mut TestConsole, size: (u16, u16), shown: &str, kind: MouseEventKind) {
    let screen = console.screen(size);
    let place =
        screen.lines().enumerate().find_map(|(row, line)| Some((line.split_once(shown)?.0.chars().count(), row)));
    let (column, row) = place.unwrap_or_else(|| panic!("{shown} is not shown: {screen}"));
    let position = Position::new(u16::try_from(column).unwrap(), u16::try_from(row).unwrap());
    if let Some(target) = view::target_at(&mut console.app, Rect::new(0, 0, size.0, size.1), position) {
        console.app.on_mouse(target, kind);
    }
}

#[test]
fn both_boards_of_a_bughouse_match_are_shown_with_their_reserves() {
    for name in ["fatics-bughouse-observer", "uhlinfics-bughouse-2-deep-holdings-Erika"] {
        let mut console = TestConsole::of(name).play_to_end();
        console.run("/move 20");
        console.keys("b");
        assert_all_screens(&format!("boards-{name}"), &mut console);
        let screen = console.screen((80, 24));
        assert_eq!((screen.matches("\u{2500} game ").count(), screen.matches("  holds ").count()), (2, 4), "{screen}");
    }
}

#[test]
fn the_partner_board_is_beside_the_board_on_a_wide_screen() {
    let mut console = TestConsole::of("fatics-bughouse-observer").play_to_end();
    console.run("/move 3");
    assert_all_screens("bughouse", &mut console);
}

#[tokio::test(start_paused = true)]
async fn the_grid_shows_the_games_that_fit() {
    let mut guest = Guest::among_players().await;
    guest.run("observe 3").await;
    guest.wait(Duration::from_secs(5)).await;
    guest.run("/grid").await;
    for size in SIZES {
        assert_screen("live-grid", size, &text(&guest.buffer(size)));
    }
    guest.run("/grid").await;
    assert!(guest.screen().contains("stream"), "all panes again");
    guest.leave().await;
}

#[test]
fn the_mouse_selects_rows_tabs_and_games_and_the_wheel_scrolls() {
    let size = (80, 24);
    let mut console = TestConsole::of("fatics-bughouse-observer").play_to_end();
    mouse(&mut console, size, "bytes frame", CLICK);
    assert!(console.screen(size).contains("  0d 0a") || console.screen(size).contains(" in the frame"));
    let newest = console.selected();
    mouse(&mut console, size, "stream", MouseEventKind::ScrollUp);
    mouse(&mut console, size, "stream", MouseEventKind::ScrollUp);
    assert!(console.selected() < newest);
    (0..3).for_each(|_| mouse(&mut console, size, "stream", MouseEventKind::ScrollDown));
    assert_eq!((console.selected(), !console.is_paused()), (newest, true));
    let games: Vec<_> = console.app.model.games.keys().copied().collect();
    for game in games {
        let row = console.app.model.games[&game].board.white().to_string();
        mouse(&mut console, size, &format!("{:>3} {}", game, row.chars().take(8).collect::<String>()), CLICK);
        assert_eq!(console.shown_game(), Some(game));
    }
    console.keys("?");
    mouse(&mut console, size, "Play:", MouseEventKind::ScrollDown);
    assert_eq!(console.app.screen.page.map(|(_, scroll)| scroll), Some(3));
}

#[test]
fn the_grid_on_an_older_row_has_the_last_board_of_each_game_before_it() {
    let console = TestConsole::of("fatics-multi-observer").play_to_end();
    let games: Vec<_> = console.app.model.games.keys().copied().collect();
    let rows = &console.app.model.rows;
    let last = rows.iter().filter(|row| row.event().is_some_and(|event| event.board().is_some())).nth(8);
    let row = last.unwrap().number;
    let board_of = |game| {
        let mut events =
            rows.iter_back_from(row).filter_map(ConsoleRow::event).filter(|event| event.affected_game() == Some(game));
        events.find_map(|event| event.board()).map(|board| (**board).clone())
    };
    let expected: Vec<_> = games.iter().filter_map(|game| board_of(*game)).collect();
    let found = |games: &[GameId]| -> Vec<_> {
        console.app.model.games_at_row(games, row).into_iter().map(|snapshot| snapshot.board).collect()
    };
    assert!(expected.len() > 1, "{games:?}");
    assert_eq!(found(&games), expected);
    assert!(games.iter().all(|game| found(&[*game]) == board_of(*game).into_iter().collect::<Vec<_>>()));
    assert!(found(&[GameId(99_999)]).is_empty() && console.app.model.games_at_row(&games, 0).is_empty());
}

#[test]
fn any_position_of_any_screen_can_be_clicked() {
    let mut console = TestConsole::of("fatics-bughouse-observer").play_to_end();
    for pane in ["", "z", "z", "z", "z", "?"] {
        console.keys(pane);
        for (width, height) in [(0, 0), (1, 1), (40, 10), (63, 20), (80, 24), (160, 50)] {
            for (x, y) in (0..=width).flat_map(|x| (0..=height).map(move |y| (x, y))).step_by(197) {
                for kind in [CLICK, MouseEventKind::ScrollDown, MouseEventKind::ScrollUp, MouseEventKind::Moved] {
                    let screen = Rect::new(0, 0, width, height);
                    if let Some(target) = view::target_at(&mut console.app, screen, Position::new(x, y)) {
                        console.app.on_mouse(target, kind);
                    }
                }
            }
        }
    }
}

#[test]
fn the_mouse_is_left_to_the_terminal_on_request() {
    let mut console = TestConsole::of_pieces(&[]);
    for (line, switch) in [("/mouse off", Switch::Off), ("/mouse on", Switch::On)] {
        console.run(line);
        assert_eq!(console.requests(), [TerminalRequest::CaptureMouse(switch)]);
    }
    console.run("/mouse");
    assert!(console.screen((80, 24)).contains("/mouse needs on or off"));
}
