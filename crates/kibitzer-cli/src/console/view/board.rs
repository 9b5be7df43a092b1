//! The board of a game, with players, clocks, reserves and the last move.

use std::time::Duration;

use kibitzer_bot::BotEvent;
use kibitzer_core::chess::{Board, Color, LastMove, Piece, Role, Square};
use kibitzer_core::message::Style12;
use ratatui::layout::{Rect, Size};
use ratatui::text::{Line, Span};

use super::draw::{Canvas, short_count, wrap_text};
use super::theme::Theme;
use crate::console::app::App;
use crate::console::model::{ClockTime, GameSnapshot};
use crate::output::{TerminalSafe, is_move_square, numbered_move};

/// Number of lines below the board for the engine's analysis and the time of the last move.
pub(super) const ANALYSIS_LINES: u16 = 3;

/// Minimum width and height of a board in the grid, in cells of the terminal.
const LEAST_CELL: Size = Size::new(25, 15);

/// Minimum width of the space beside the board in which the engine's analysis is drawn.
const LEAST_SIDE_WIDTH: u16 = 30;

/// Minimum height for the squares; below it, the position is drawn as FEN.
const LEAST_HEIGHT: u16 = 11;

/// Size of a small square, in cells of the terminal.
const SMALL_SQUARE: Size = Size::new(2, 1);
/// Sizes of larger squares, the largest first.
const LARGER_SQUARES: [Size; 3] = [Size::new(8, 4), Size::new(6, 3), Size::new(4, 2)];

/// Returns the largest size of squares that fits, with the labels of ranks and six more rows, below the heading of a game.
fn square_size(width: u16, height: u16) -> Size {
    let fits = |size: &Size| width >= 8 * size.width + 3 && height >= 8 * size.height + 6;
    LARGER_SQUARES.into_iter().find(fits).unwrap_or(SMALL_SQUARE)
}

/// Divides an area into a grid, and returns the areas of its first `n_boards` cells, or of fewer if not all fit. The squares of all
/// boards are as large as possible, then the cells as wide as possible.
pub(super) fn board_areas(area: Rect, n_boards: usize) -> Vec<Rect> {
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

/// Draws as many of the shown games as fit, with the clocks at `now`; the title of the last one has the number of the
/// others. The partner of the shown game in a bughouse match is drawn from the side of its team, opposite to that game.
pub(super) fn draw_boards(mut canvas: Canvas<'_>, app: &App, now: Duration) {
    let (games, partner) = (app.shown_boards(), app.partner_of_shown_game());
    let now = app.model.clock_time(now);
    let Some(first) = games.first() else {
        return draw_no_board(canvas, app);
    };
    let cells = board_areas(canvas.area, games.len());
    let n_hidden = games.len().saturating_sub(cells.len());
    for (number, (snapshot, cell)) in games.iter().zip(&cells).enumerate() {
        let of_game = if partner == Some(snapshot.id()) { first } else { snapshot };
        let bottom = bottom_side(of_game, app.game_choice.turned.contains(&of_game.id()));
        let bottom = if partner == Some(snapshot.id()) { bottom.opponent() } else { bottom };
        let refusal = app.model.refusal.as_deref().filter(|_| snapshot.followed && snapshot.own_color().is_some());
        let hidden = (n_hidden > 0 && number + 1 == cells.len()).then(|| format!("+{n_hidden} more"));
        let notes = [board_note(app, snapshot).to_owned()].into_iter().chain(hidden).filter(|note| !note.is_empty());
        let game = DrawnGame { snapshot, now, bottom, note: notes.collect::<Vec<_>>().join(", "), refusal };
        draw_game(canvas.sub_canvas(*cell), &game);
    }
}

/// Draws what stands in place of the boards: that the chosen game had none at the selected row; in a session without a game, the
/// commands that bring one.
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

/// A game as it is drawn.
struct DrawnGame<'a> {
    snapshot: &'a GameSnapshot,
    now: ClockTime,
    bottom: Color,
    /// Note in the title.
    note: String,
    /// Why the server refused the user's last line.
    refusal: Option<&'a str>,
}

/// Draws a game: players, clocks, reserves, squares and the last move; below or beside them the engine's analysis and the times
/// of moves. Without room for the squares, draws the position as FEN.
fn draw_game(canvas: Canvas<'_>, game: &DrawnGame<'_>) {
    let &DrawnGame { snapshot, now, bottom, ref note, refusal } = game;
    let mut canvas = canvas.draw_heading(&format!("game {}", snapshot.id()), note);
    let Canvas { area, theme, .. } = canvas;
    if area.height < LEAST_HEIGHT {
        let players = [bottom.opponent(), bottom].map(|color| player_line(theme, snapshot, color, now, area.width));
        let lines = players.into_iter().chain([joined(state_lines(theme, snapshot, refusal))]);
        return canvas.draw_lines(lines.chain(wrap_text(&snapshot.board.fen().to_string(), area.width)));
    }
    let size = square_size(area.width, area.height);
    let rows = usize::from(8 * size.height);
    // What is beside the squares, if there is room.
    let side = Rect { x: area.x + 8 * size.width + 4, y: area.y + 2, ..area };
    let side_width = area.right().saturating_sub(side.x);
    let has_side = side_width >= LEAST_SIDE_WIDTH && (snapshot.analysis.is_some() || !snapshot.move_times.is_empty());
    let width = if has_side { side.x - area.x } else { area.width };
    let player = |color| player_line(theme, snapshot, color, now, width);
    canvas.draw_line(0, &player(bottom.opponent()));
    canvas.draw_line(1, &reserve_or_captures_line(theme, snapshot, bottom.opponent()));
    let squares = Rect { y: area.y + 2, height: area.height.saturating_sub(2), ..area };
    let mark = |square| is_move_square(snapshot.played, square).then_some(' ');
    draw_squares(canvas.sub_canvas(squares), &snapshot.board.board(), &mark, bottom, size);
    canvas.draw_line(3 + rows, &reserve_or_captures_line(theme, snapshot, bottom));
    canvas.draw_line(4 + rows, &player(bottom));
    let state = state_lines(theme, snapshot, refusal);
    let n_below = usize::from(area.height).saturating_sub(6 + rows);
    let has_below = !has_side && (snapshot.analysis.is_some() || !snapshot.move_times.is_empty());
    // The engine's analysis needs all lines if there are few.
    let is_joined = n_below == 0 || (has_below && n_below <= usize::from(ANALYSIS_LINES));
    let state = if is_joined { vec![joined(state)] } else { state.to_vec() };
    let below = 5 + rows + state.len();
    (5 + rows..).zip(state).for_each(|(row, line)| canvas.draw_line(row, &line));
    if has_side {
        let height = 8 * size.height;
        let mut lines = analysis_lines(theme, snapshot, side_width, rows / 2);
        lines.push(Line::styled("  move         used / left", theme.dimmed()));
        lines.extend(move_time_lines(theme, snapshot, rows.saturating_sub(lines.len())));
        canvas.sub_canvas(Rect { width: side_width, height, ..side }).draw_lines(lines);
        return;
    }
    let mut lines = analysis_lines(theme, snapshot, area.width, 1);
    lines.resize(2, Line::default());
    lines.extend(move_time_lines(theme, snapshot, 1));
    (below..).zip(lines).for_each(|(row, line)| canvas.draw_line(row, &line));
}

/// Draws the board of an event with small squares, and highlights `played`, its last move.
pub(super) fn draw_event_board(canvas: Canvas<'_>, board: &Style12, played: Option<LastMove>) {
    let bottom = if board.flip() == Some(true) { Color::Black } else { Color::White };
    let mark = |square| is_move_square(played, square).then_some(' ');
    draw_squares(canvas, &board.board(), &mark, bottom, SMALL_SQUARE);
}

/// Draws one of two compared boards, with small squares and White at the bottom; squares in `differing` are marked with a star.
pub(super) fn draw_compared_board(canvas: Canvas<'_>, board: &Board, differing: &[Square]) {
    let mark = |square| differing.contains(&square).then_some('*');
    draw_squares(canvas, board, &mark, Color::White, SMALL_SQUARE);
}

/// Draws the squares and their labels. `mark` returns the sign after the piece on a highlighted square; `None` for any other
/// square.
fn draw_squares(
    mut canvas: Canvas<'_>,
    board: &Board,
    mark: &dyn Fn(Square) -> Option<char>,
    bottom: Color,
    size: Size,
) {
    let theme = canvas.theme;
    for row in 0..8 {
        let rank = if bottom == Color::White { 7 - row } else { row };
        for line in 0..size.height {
            let label = if line == size.height / 2 { (rank + 1).to_string() } else { " ".to_owned() };
            let mut spans = vec![Span::styled(format!("{label} "), theme.dimmed())];
            for column in 0..8 {
                let file = if bottom == Color::White { column } else { 7 - column };
                spans.extend(Square::new(file, rank).map(|square| {
                    let drawn = DrawnSquare { square, piece: board.piece(square), mark: mark(square) };
                    square_span(theme, drawn, size, line)
                }));
            }
            canvas.draw_line(usize::from(u16::from(row) * size.height + line), &Line::from(spans));
        }
    }
    let files = if bottom == Color::White { "abcdefgh" } else { "hgfedcba" };
    let width = usize::from(size.width);
    let labels = files.chars().map(|file| Span::styled(format!("{file:^width$}"), theme.dimmed()));
    let labels = [Span::raw("  ")].into_iter().chain(labels).collect();
    canvas.draw_line(usize::from(8 * size.height), &labels);
}

/// A square, and what is on it.
#[derive(Clone, Copy)]
struct DrawnSquare {
    square: Square,
    piece: Option<Piece>,
    /// Sign after the piece on a highlighted square.
    mark: Option<char>,
}

/// Returns row `line` of a square, counted from its top; the piece is in the middle row.
fn square_span(theme: Theme, drawn: DrawnSquare, size: Size, line: u16) -> Span<'static> {
    let DrawnSquare { square, piece, mark } = drawn;
    let is_light = (square.file() + square.rank()) % 2 == 1;
    let ground = theme.square(is_light, mark.is_some());
    let width = usize::from(size.width);
    let is_middle = line == size.height / 2;
    let cells = |character: char| {
        let mut cells = format!("{character:^width$}");
        if let Some(sign) = mark.filter(|_| is_middle) {
            cells.pop();
            cells.push(sign);
        }
        cells
    };
    let Some(piece) = piece.filter(|_| is_middle) else {
        // Without color, a dot marks dark squares.
        return Span::styled(cells(if theme.has_color() || is_light || !is_middle { ' ' } else { '\u{b7}' }), ground);
    };
    Span::styled(cells(theme.glyph(piece.role, piece.color)), ground.patch(theme.piece(piece.color)))
}

/// Returns a player's row: name and rating on the left, clock on the right; with `~` if the clock runs and may have been stopped by a
/// move that was not received.
fn player_line(theme: Theme, snapshot: &GameSnapshot, color: Color, now: ClockTime, width: u16) -> Line<'static> {
    let name = TerminalSafe(snapshot.board.player(color).as_str()).in_cells().into_owned();
    let rating = snapshot.rating(color).map_or_else(String::new, |rating| format!(" {rating}"));
    let about = if now.is_estimate && snapshot.is_running(color) { "~" } else { "" };
    let clock = format!("{about}{}", snapshot.clock_at(color, now.at));
    let room = usize::from(width).saturating_sub(clock.len() + 3);
    let name: String = name.chars().take(room.saturating_sub(rating.len())).collect();
    let gap = room.saturating_sub(name.chars().count() + rating.len());
    let is_to_move = snapshot.board.side_to_move() == color && snapshot.ending.is_none();
    let mark = if is_to_move { "\u{25b8} " } else { "  " };
    Line::from(vec![
        Span::raw(mark),
        Span::styled(name, theme.emphasized()),
        Span::styled(format!("{rating}{}", " ".repeat(gap)), theme.dimmed()),
        Span::styled(clock, if is_to_move { theme.running_clock() } else { theme.emphasized() }),
    ])
}

/// Returns a side's reserve or, in games without reserves, the pieces it captured.
fn reserve_or_captures_line(theme: Theme, snapshot: &GameSnapshot, color: Color) -> Line<'static> {
    let draw =
        |roles: &mut dyn Iterator<Item = Role>, color| roles.map(|role| theme.glyph(role, color)).collect::<String>();
    let (word, pieces) = match &snapshot.hands {
        Some(hands) => ("holds ", draw(&mut hands.of(color).pieces(), color)),
        None => ("", draw(&mut snapshot.missing_pieces(color.opponent()).into_iter(), color.opponent())),
    };
    Line::from(vec![Span::styled(format!("  {word}"), theme.dimmed()), Span::raw(pieces)])
}

/// Returns the last move, with whether it gives check; and the result with the winner, otherwise why the user's last line was refused,
/// otherwise the terms of the game.
fn state_lines(theme: Theme, snapshot: &GameSnapshot, refusal: Option<&str>) -> [Line<'static>; 2] {
    let played = numbered_move(&snapshot.board).unwrap_or_else(|| "no move yet".to_owned());
    let check = if snapshot.is_check() { "  check" } else { "" };
    let (about, style) = match (snapshot.result_text(), refusal) {
        (Some(result), _) => (result, theme.success()),
        (None, Some(refusal)) => (refusal.to_owned(), theme.error()),
        (None, None) => (snapshot.terms_text(), theme.dimmed()),
    };
    let about = TerminalSafe(&about).in_cells().into_owned();
    [
        Line::from(vec![Span::styled(format!("  {played}"), theme.emphasized()), Span::styled(check, theme.accent())]),
        Line::styled(format!("  {about}"), style),
    ]
}

/// Returns two lines as one.
fn joined(lines: [Line<'static>; 2]) -> Line<'static> {
    lines
        .into_iter()
        .flat_map(|line| {
            let style = line.style;
            line.spans.into_iter().map(move |span| span.patch_style(style))
        })
        .collect()
}

/// Returns the engine's analysis: a line with score, depth and speed, then as many of the expected moves as fit into `n_lines`.
/// Empty without analysis.
fn analysis_lines(theme: Theme, snapshot: &GameSnapshot, width: u16, n_lines: usize) -> Vec<Line<'static>> {
    let Some(event) = &snapshot.analysis else { return Vec::new() };
    let BotEvent::Analysis { depth, nodes_per_second, line, .. } = event else { return Vec::new() };
    let score = event.score().map_or_else(String::new, |score| score.to_string());
    let depth = depth.map_or_else(String::new, |depth| format!(" depth {depth}"));
    let speed = nodes_per_second.map_or_else(String::new, |speed| format!(" {} n/s", short_count(speed)));
    let numbers =
        [Span::styled(format!("  {score}"), theme.emphasized()), Span::styled(depth + &speed, theme.dimmed())];
    let (mut lines, mut moves) = (vec![Line::from_iter(numbers)], String::from(" "));
    for played in line {
        let played = TerminalSafe(played).in_cells();
        if moves.chars().count() + played.chars().count() >= usize::from(width) {
            lines.push(Line::raw(std::mem::replace(&mut moves, " ".to_owned())));
        }
        if lines.len() > n_lines {
            return lines;
        }
        moves.extend([" ", &played]);
    }
    lines.push(Line::raw(moves));
    lines
}

/// Returns a line for each of the newest `n` moves of this login: the time used, and the time left on the clock.
fn move_time_lines(theme: Theme, snapshot: &GameSnapshot, n: usize) -> impl Iterator<Item = Line<'static>> {
    let skipped = snapshot.move_times.len().saturating_sub(n);
    snapshot.move_times.iter().skip(skipped).map(move |time| {
        let played = TerminalSafe(&time.played).in_cells().into_owned();
        Line::from(vec![
            Span::styled(format!("  {played:<12} "), theme.emphasized()),
            Span::raw(time.used.to_string()),
            Span::styled(format!(" / {}", time.left), theme.dimmed()),
        ])
    })
}
