//! The pictures of the documentation, made from what the console draws. `docs/pictures.sh` writes them.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use ratatui::buffer::{Buffer, Cell};
use ratatui::crossterm::event::KeyCode;
use ratatui::style::{Color, Modifier};

use super::live::Guest;
use super::own_game::in_own_game;
use super::{TestConsole, assert_matches_file};
use crate::console::app::ColorTheme;
use crate::console::view::Theme;

/// Width and height of a cell, in units of the picture.
const CELL: (u16, u16) = (9, 18);
const GROUND: &str = "#000000";
const INK: &str = "#d5d9e0";

#[test]
fn the_pictures_show_what_is_drawn() {
    let mut game = TestConsole::of("fatics-game-quick-observer");
    game.wait(5.0);
    assert_picture("console-160x50", &game.buffer((160, 50), Theme::new(true)));
    game.keys("1");
    (0..6).for_each(|_| game.press(KeyCode::Up));
    assert_picture("console-80x24", &game.buffer((80, 24), Theme::new(true)));
}

#[tokio::test(start_paused = true)]
async fn the_pictures_of_a_session_show_what_is_drawn() {
    let mut guest = Guest::among_players().await;
    assert_picture("console-live-160x50", &guest.buffer((160, 50)));
    guest.run("/filter kind:position,tell,sent").await;
    guest.run("/break kind:tell").await;
    guest.run("tell Whetstone how are you?").await;
    guest.wait(Duration::from_secs(4)).await;
    assert_picture("console-live-80x24", &guest.buffer((80, 24)));
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn the_pictures_of_an_own_game_show_what_is_drawn() {
    let mut guest = in_own_game().await;
    let light = Theme::new(true).with_choices(Some(ColorTheme::Light), None);
    for (name, theme) in [("dark", Theme::new(true)), ("light", light), ("plain", Theme::new(false))] {
        for (width, height) in [(80, 24), (100, 30), (160, 50)] {
            let picture = format!("own-game-{name}-{width}x{height}");
            assert_picture(&picture, &guest.buffer_in((width, height), theme));
        }
    }
    guest.leave().await;
}

fn assert_picture(name: &str, buffer: &Buffer) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures").join(name).with_extension("svg");
    assert_matches_file(&path, &svg(buffer));
}

/// The screen as a picture: a rectangle for each ground but that of the first cell, which is below all, and a text for each run of
/// characters that look the same.
fn svg(buffer: &Buffer) -> String {
    let (width, height) = (buffer.area.width * CELL.0, buffer.area.height * CELL.1);
    let ground = look(&buffer[(0, 0)]).1;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"monospace\" font-size=\"15\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"{ground}\"/>\n"
    );
    for y in 0..buffer.area.height {
        let cells: Vec<_> = (0..buffer.area.width).map(|x| &buffer[(x, y)]).collect();
        let mut x = 0;
        for run in cells.chunk_by(|a, b| look(a) == look(b) && is_plain(a) && is_plain(b)) {
            draw(&mut svg, &ground, (x, y), run);
            x += u16::try_from(run.len()).unwrap();
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// What is drawn in one go, so that every other character stands exactly in its cell.
fn is_plain(cell: &Cell) -> bool {
    cell.symbol().is_ascii()
}

fn look(cell: &Cell) -> (String, String, Modifier) {
    let (ink, ground) = (color(cell.fg, INK), color(cell.bg, GROUND));
    if cell.modifier.contains(Modifier::REVERSED) { (ground, ink, cell.modifier) } else { (ink, ground, cell.modifier) }
}

fn draw(svg: &mut String, below: &str, (x, y): (u16, u16), run: &[&Cell]) {
    let Some((ink, ground, modifier)) = run.first().map(|cell| look(cell)) else { return };
    let (left, top, width) = (x * CELL.0, y * CELL.1, u16::try_from(run.len()).unwrap() * CELL.0);
    if ground != below {
        let _ =
            writeln!(svg, "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{}\" fill=\"{ground}\"/>", CELL.1);
    }
    let text: String = run.iter().map(|cell| cell.symbol()).collect();
    if text.trim().is_empty() {
        return;
    }
    let bold = if modifier.contains(Modifier::BOLD) { " font-weight=\"bold\"" } else { "" };
    let line = if modifier.contains(Modifier::UNDERLINED) { " text-decoration=\"underline\"" } else { "" };
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(
        svg,
        "<text x=\"{left}\" y=\"{}\" fill=\"{ink}\"{bold}{line} textLength=\"{width}\" xml:space=\"preserve\">{escaped}</text>",
        top + 14
    );
}

/// A color as `#rrggbb`, by the rule of the 256.
fn color(color: Color, default: &str) -> String {
    match color {
        Color::Indexed(number @ 16..232) => {
            let level = |place: u8| [0, 95, 135, 175, 215, 255][usize::from((number - 16) / place % 6)];
            format!("#{:02x}{:02x}{:02x}", level(36), level(6), level(1))
        }
        Color::Indexed(number @ 232..) => format!("#{}", format!("{:02x}", 8 + 10 * (number - 232)).repeat(3)),
        _ => default.to_owned(),
    }
}
