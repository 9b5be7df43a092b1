//! The boards: which games are drawn where. The board pane that fills the screen, as in an own game, has squares as large as fit, clocks
//! and moves beside them, and the talk about the game.

use std::time::Duration;

use kibitzer_core::chess::Color;
use kibitzer_core::game::ChangeKind;
use kibitzer_core::message::{Message, TalkKind};
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Rect, Size};
use ratatui::text::{Line, Span};

use super::board::{
    DrawnGame, LEAST_SIDE_WIDTH, about_result, analysis_lines, draw_game, draw_position, last_move_line, player_line,
    reserve_or_captures_line, square_of_height, square_size,
};
use super::draw::{Canvas, wrap_spans, wrap_words};
use super::moves::move_lines;
use crate::console::app::{App, Pane, TalkTab, talk_text};
use crate::console::model::{ConsoleRow, GameSnapshot, SessionModel};
use crate::output::TerminalSafe;

/// Minimum width and height of a board in the grid, in cells of the terminal.
const LEAST_CELL: Size = Size::new(25, 15);

/// Minimum height of the talk, with its heading.
const LEAST_TALK_HEIGHT: u16 = 3;
/// Minimum height of a pane with talk below boards that have the players above and below.
const LEAST_HEIGHT_WITH_TALK: u16 = 19;

/// Divides an area into a grid, and returns the areas of its first `n_boards` cells, or of fewer if not all fit. The squares of all
/// boards are as large as possible, then the cells as wide as possible.
fn board_areas(area: Rect, n_boards: usize) -> Vec<Rect> {
    let n_boards = u16::try_from(n_boards).unwrap_or(u16::MAX).max(1);
    let most_columns = (area.width / LEAST_CELL.width).max(1);
    let most_rows = (area.height / LEAST_CELL.height).max(1);
    // One free column separates neighbors, and a heading takes a row.
    let square = |(columns, rows): &(u16, u16)| {
        square_size((area.width / columns).saturating_sub(1), (area.height / rows).saturating_sub(1)).height
    };
    let grids = (1..=most_columns.min(n_boards)).map(|columns| (columns, n_boards.div_ceil(columns)));
    let grids = grids.filter(|(_, rows)| *rows <= most_rows);
    // The last of the largest is the one with the fewest columns.
    let (columns, rows) = grids.rev().max_by_key(square).unwrap_or((most_columns, most_rows));
    let (gap, width, height) = (u16::from(columns > 1), area.width / columns, area.height / rows);
    let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row))).take(n_boards.into());
    let cell = |(column, row)| Rect {
        x: area.x + column * width,
        y: area.y + row * height,
        width: width.saturating_sub(gap),
        height,
    };
    places.map(cell).collect()
}

/// Returns the areas in which the first of `n_boards` games are drawn, as many as fit.
pub(super) fn areas_of_games(pane: Rect, app: &App, n_boards: usize) -> Vec<Rect> {
    let is_alone = app.screen.alone == Some(Pane::Board);
    board_areas(if is_alone { BoardPaneAreas::divide(pane, n_boards).boards } else { pane }, n_boards)
}

/// Draws as many of the shown games as fit, with the clocks at `now`; the title of the last one has the number of the
/// others. The partner of the shown game in a bughouse match is drawn from the side of its team, opposite to that game. Tells that are
/// drawn beside the boards are read.
pub(super) fn draw_boards(mut canvas: Canvas<'_>, app: &mut App, now: Duration) {
    let (games, partner) = (app.shown_boards(), app.partner_of_shown_game());
    let now = app.model.clock_time(now);
    let Some(first) = games.first() else {
        return draw_no_board(canvas, app);
    };
    let alone = (app.screen.alone == Some(Pane::Board)).then(|| BoardPaneAreas::divide(canvas.area, games.len()));
    let cells = areas_of_games(canvas.area, app, games.len());
    let n_hidden = games.len().saturating_sub(cells.len());
    for (number, (snapshot, cell)) in games.iter().zip(&cells).enumerate() {
        let of_game = if partner == Some(snapshot.id()) { first } else { snapshot };
        let bottom = bottom_side(of_game, app.game_choice.turned.contains(&of_game.id()));
        let bottom = if partner == Some(snapshot.id()) { bottom.opponent() } else { bottom };
        let refusal = app.model.refusal.as_deref().filter(|_| snapshot.followed && snapshot.own_color().is_some());
        let hidden = (n_hidden > 0 && number + 1 == cells.len()).then(|| format!("+{n_hidden} more"));
        let notes = [board_note(app, snapshot).to_owned()].into_iter().chain(hidden).filter(|note| !note.is_empty());
        let game = DrawnGame { snapshot, now, bottom, note: notes.collect::<Vec<_>>().join(", "), refusal };
        match alone.as_ref().and_then(|areas| areas.beside.as_ref()) {
            Some(beside) => draw_game_beside(&mut canvas, &game, beside),
            None => draw_game(canvas.sub_canvas(*cell), &game),
        }
    }
    if let Some(areas) = alone {
        let note = match first.own_color() {
            _ if !app.playback.source.accepts_lines() => "",
            Some(_) => "say TEXT: to the opponent",
            None => "kibitz TEXT: to all",
        };
        let canvas = canvas.sub_canvas(areas.talk).draw_heading("talk", note);
        let n_tells = draw_talk(canvas, &app.model, first);
        app.talk.mark_newest_read(TalkTab::Tells, n_tells);
    }
}

/// Draws a placeholder: the chosen game has no board at the selected row, or the session has no game; then with the commands that
/// begin or show one.
fn draw_no_board(canvas: Canvas<'_>, app: &App) {
    let (title, text) = match app.shown_game() {
        Some(game) => (format!("game {game}"), "no board up to the selected line"),
        None => ("board".to_owned(), "no game yet"),
    };
    let is_waiting = app.shown_game().is_none() && app.playback.source.is_live();
    let mut canvas = canvas.draw_heading(&title, if is_waiting { "games, observe N" } else { "" });
    let theme = canvas.theme;
    canvas.draw_line(0, &Line::styled(text, theme.dimmed()));
}

/// Returns the note in the title of a board: that it shows an earlier time, is no longer current, or is pinned; otherwise empty.
fn board_note(app: &App, snapshot: &GameSnapshot) -> &'static str {
    if app.row_of_board(snapshot.id()).is_some() {
        "as it was then"
    } else if !snapshot.followed && snapshot.ending.is_none() {
        "last known"
    } else if app.game_choice.pinned == Some(snapshot.id()) {
        "pinned, p unpins"
    } else {
        ""
    }
}

/// Returns the side at the bottom of a board: that of this login if it plays, otherwise the one that the server chose, by default
/// White. `is_turned` exchanges them.
fn bottom_side(snapshot: &GameSnapshot, is_turned: bool) -> Color {
    let chosen = if snapshot.board.flip() == Some(true) { Color::Black } else { Color::White };
    let bottom = snapshot.own_color().unwrap_or(chosen);
    if is_turned { bottom.opponent() } else { bottom }
}

/// Areas of the pane.
struct BoardPaneAreas {
    /// The boards, each with its players.
    boards: Rect,
    /// The parts of the only game, if its players fit beside the squares.
    beside: Option<GameAreas>,
    talk: Rect,
}

/// Areas of a game with its players beside the squares.
struct GameAreas {
    squares: Rect,
    /// Heading, and the player at the top.
    head: Rect,
    /// State of the game, and moves.
    middle: Rect,
    /// The player at the bottom.
    foot: Rect,
}

impl BoardPaneAreas {
    /// Divides the pane for a number of games.
    fn divide(pane: Rect, n_games: usize) -> Self {
        let side_height = (pane.width.saturating_sub(LEAST_SIDE_WIDTH + 4) / 16).min(pane.height.saturating_sub(1) / 8);
        let talk_height =
            if pane.height < LEAST_HEIGHT_WITH_TALK { 0 } else { (pane.height / 5).max(LEAST_TALK_HEIGHT) };
        let [boards, talk] = Layout::vertical([Fill(1), Length(talk_height)]).areas(pane);
        let is_larger = square_size(boards.width, boards.height.saturating_sub(1)).height > side_height;
        if n_games != 1 || side_height == 0 || is_larger {
            return Self { boards, beside: None, talk };
        }
        let square = square_of_height(side_height);
        let [boards, below] = Layout::vertical([Length(8 * square.height + 1), Fill(1)]).areas(pane);
        let [squares, _, side] = Layout::horizontal([Length(8 * square.width + 2), Length(2), Fill(1)]).areas(boards);
        let has_talk_below = below.height >= LEAST_TALK_HEIGHT;
        let talk_height = if has_talk_below { 0 } else { side.height / 3 };
        let [head, middle, talk, foot] =
            Layout::vertical([Length(3), Fill(1), Length(talk_height), Length(2)]).areas(side);
        let talk = if has_talk_below { below } else { talk };
        Self { boards, beside: Some(GameAreas { squares, head, middle, foot }), talk }
    }
}

/// Draws a game with its players, its last move, its result, the engine's analysis and the moves beside the squares.
fn draw_game_beside(canvas: &mut Canvas<'_>, game: &DrawnGame<'_>, areas: &GameAreas) {
    let &DrawnGame { snapshot, now, bottom, ref note, refusal } = game;
    let (theme, width) = (canvas.theme, areas.middle.width);
    draw_position(canvas.sub_canvas(areas.squares), snapshot, bottom, square_of_height(areas.squares.height / 8));
    let terms = TerminalSafe(&snapshot.terms_text()).in_cells().into_owned();
    let notes = [note.as_str(), terms.as_str()].into_iter().filter(|note| !note.is_empty());
    let player = |color| player_line(theme, snapshot, color, now, width);
    let pieces = |color| reserve_or_captures_line(theme, snapshot, color);
    let top = bottom.opponent();
    let head = canvas.sub_canvas(areas.head);
    let mut head = head.draw_heading(&format!("game {}", snapshot.id()), &notes.collect::<Vec<_>>().join(", "));
    head.draw_lines([player(top), pieces(top)]);
    canvas.sub_canvas(areas.foot).draw_lines([pieces(bottom), player(bottom)]);
    let mut lines = vec![last_move_line(theme, snapshot)];
    if let Some((text, style)) = about_result(theme, snapshot, refusal) {
        lines.extend(wrap_spans(&[(&format!("  {text}"), style)], width));
    }
    lines.extend(snapshot.opening().map(|name| Line::from(Span::styled(format!("  {name}"), theme.dimmed()))));
    lines.extend(analysis_lines(theme, snapshot, width, 2));
    let n_free = usize::from(areas.middle.height).saturating_sub(lines.len());
    lines.extend(move_lines(theme, snapshot, width, n_free));
    canvas.sub_canvas(areas.middle).draw_lines(lines);
}

/// Draws the newest talk that is about a game or to this login: of the opponent, the observers and the user. Returns the number of
/// drawn lines of the server that are tells.
fn draw_talk(mut canvas: Canvas<'_>, model: &SessionModel, game: &GameSnapshot) -> u64 {
    let (theme, height, width) = (canvas.theme, canvas.area.height, canvas.area.width);
    let mut n_tells = 0;
    let of_game = model.rows.iter_back_from(model.rows.newest).take_while(|row| !opens_game(row, game));
    let wrapped = of_game.filter(|row| is_talk_beside(row, game)).flat_map(|row| {
        n_tells += u64::from(row.event().is_some() && TalkTab::of_row(row) == Some(TalkTab::Tells));
        let style = theme.row_kind(row.kind_name());
        let text = talk_text(row);
        let parts = wrap_words(&text, width.into()).into_iter().map(|part| Line::styled(part.to_owned(), style));
        parts.rev().collect::<Vec<_>>()
    });
    let newest_first: Vec<_> = wrapped.take(height.into()).collect();
    canvas.draw_lines(newest_first.into_iter().rev());
    n_tells
}

/// Returns whether a row is the first one of a game.
fn opens_game(row: &ConsoleRow, game: &GameSnapshot) -> bool {
    let change = row.event().and_then(|event| event.change());
    change.is_some_and(|change| {
        change.game == game.id() && matches!(change.kind, ChangeKind::Opened | ChangeKind::Replaced)
    })
}

/// Returns whether a row is talk to this login or about a game, or a message of the user to a player.
fn is_talk_beside(row: &ConsoleRow, game: &GameSnapshot) -> bool {
    let is_about_game = || match row.event().and_then(|event| event.message()) {
        Some(Message::Talk(talk)) => match talk.kind {
            TalkKind::Kibitz { game: about, .. } | TalkKind::Whisper { game: about, .. } => {
                about.is_none_or(|about| about == game.id())
            }
            _ => false,
        },
        _ => false,
    };
    TalkTab::of_row(row).is_some_and(|tab| tab == TalkTab::Tells || is_about_game())
}
