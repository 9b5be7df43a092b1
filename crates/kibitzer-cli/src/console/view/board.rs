//! The board of a game, with players, clocks, reserves and the last move.

use kibitzer_bot::BotEvent;
use kibitzer_core::chess::{Board, Color, LastMove, Piece, Role, Square};
use kibitzer_core::message::Style12;
use ratatui::layout::{Rect, Size};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::draw::{Canvas, short_count, wrap_text};
use super::moves;
use super::theme::Theme;
use crate::console::model::{ClockTime, GameSnapshot};
use crate::output::{TerminalSafe, is_move_square, numbered_move};

/// Number of lines below the board for the engine's analysis and the time of the bot's last move.
pub(super) const ANALYSIS_LINES: u16 = 3;

/// Minimum width of the space beside the board in which the engine's analysis and the moves are drawn.
pub(super) const LEAST_SIDE_WIDTH: u16 = moves::PAIR_WIDTH;

/// Minimum height for the squares; below it, the position is drawn as FEN.
const LEAST_HEIGHT: u16 = 11;

/// Size of a small square, in cells of the terminal.
const SMALL_SQUARE: Size = Size::new(2, 1);

/// Returns the largest size of squares that fits, with the labels of ranks and six more rows, below the heading of a game.
pub(super) fn square_size(width: u16, height: u16) -> Size {
    square_of_height((width.saturating_sub(3) / 16).min(height.saturating_sub(6) / 8))
}

/// Returns the size of squares of this height, at least of a small one. A cell is about twice as high as wide.
pub(super) const fn square_of_height(height: u16) -> Size {
    let height = if height == 0 { 1 } else { height };
    Size::new(2 * height, height)
}

/// A game as it is drawn.
pub(super) struct DrawnGame<'a> {
    pub(super) snapshot: &'a GameSnapshot,
    pub(super) now: ClockTime,
    pub(super) bottom: Color,
    /// Note in the title.
    pub(super) note: String,
    /// Why the server refused the user's last line.
    pub(super) refusal: Option<&'a str>,
}

/// Draws a game: players, clocks, reserves, squares and the last move; below or beside them the engine's analysis and the moves.
/// Without room for the squares, draws the position as FEN.
pub(super) fn draw_game(canvas: Canvas<'_>, game: &DrawnGame<'_>) {
    let &DrawnGame { snapshot, now, bottom, ref note, refusal } = game;
    let mut canvas = canvas.draw_heading(&format!("game {}", snapshot.id()), note);
    let Canvas { area, theme, .. } = canvas;
    if area.height < LEAST_HEIGHT {
        let players = [bottom.opponent(), bottom].map(|color| player_line(theme, snapshot, color, now, area.width));
        let lines = players.into_iter().chain([joined(state_lines(theme, snapshot, refusal))]);
        return canvas.draw_lines(lines.chain(wrap_text(&snapshot.board.fen().to_string(), area.width)));
    }
    let has_details = snapshot.analysis.is_some() || !snapshot.moves.is_empty();
    let largest = square_size(area.width, area.height);
    let beside_details = square_size(area.width.saturating_sub(LEAST_SIDE_WIDTH + 1), area.height);
    // Squares that are a little smaller leave room beside them.
    let is_near = beside_details.height > 1 && beside_details.height + 1 >= largest.height;
    let size = if has_details && is_near { beside_details } else { largest };
    let rows = usize::from(8 * size.height);
    let side = Rect { x: area.x + 8 * size.width + 4, y: area.y + 2, ..area };
    let side_width = area.right().saturating_sub(side.x);
    let has_side = side_width >= LEAST_SIDE_WIDTH && has_details;
    let width = if has_side { side.x - area.x } else { area.width };
    let player = |color| player_line(theme, snapshot, color, now, width);
    canvas.draw_line(0, &player(bottom.opponent()));
    canvas.draw_line(1, &reserve_or_captures_line(theme, snapshot, bottom.opponent()));
    let squares = Rect { y: area.y + 2, height: area.height.saturating_sub(2), ..area };
    draw_position(canvas.sub_canvas(squares), snapshot, bottom, size);
    canvas.draw_line(3 + rows, &reserve_or_captures_line(theme, snapshot, bottom));
    canvas.draw_line(4 + rows, &player(bottom));
    let state = state_lines(theme, snapshot, refusal);
    let n_below = usize::from(area.height).saturating_sub(6 + rows);
    let has_below = !has_side && snapshot.analysis.is_some();
    // The engine's analysis needs all lines if there are few.
    let is_joined = n_below == 0 || (has_below && n_below <= usize::from(ANALYSIS_LINES));
    let state = if is_joined { vec![joined(state)] } else { state.to_vec() };
    let below = 5 + rows + state.len();
    (5 + rows..).zip(state).for_each(|(row, line)| canvas.draw_line(row, &line));
    if has_side {
        let mut lines = analysis_lines(theme, snapshot, side_width, rows / 2);
        lines.extend(moves::move_lines(theme, snapshot, side_width, rows.saturating_sub(lines.len())));
        canvas.sub_canvas(Rect { width: side_width, height: 8 * size.height, ..side }).draw_lines(lines);
        return;
    }
    let mut lines = analysis_lines(theme, snapshot, area.width, 1);
    if has_below {
        lines.extend(moves::last_own_move_line(theme, snapshot));
    }
    let n_free = usize::from(area.height).saturating_sub(below + lines.len());
    lines.extend(moves::move_lines(theme, snapshot, area.width, n_free));
    (below..).zip(lines).for_each(|(row, line)| canvas.draw_line(row, &line));
}

/// Draws the squares of a game, with marks on those of its last move and on that of a king in check.
pub(super) fn draw_position(canvas: Canvas<'_>, snapshot: &GameSnapshot, bottom: Color, size: Size) {
    let board = snapshot.board.board();
    let checked = snapshot.is_check().then(|| board.find_king(snapshot.board.side_to_move())).flatten();
    let mark = |square| match is_move_square(snapshot.played, square) {
        _ if checked == Some(square) => Some(CHECK_MARK),
        is_moved => is_moved.then_some(' '),
    };
    draw_squares(canvas, &board, &mark, bottom, size);
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

/// Sign after a king in check.
const CHECK_MARK: char = '+';

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
    let ground = if mark == Some(CHECK_MARK) { theme.check_square() } else { theme.square(is_light, mark.is_some()) };
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
pub(super) fn player_line(
    theme: Theme,
    snapshot: &GameSnapshot,
    color: Color,
    now: ClockTime,
    width: u16,
) -> Line<'static> {
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

/// Returns a side's reserve or, in games without reserves, the pieces it captured and its lead in material.
pub(super) fn reserve_or_captures_line(theme: Theme, snapshot: &GameSnapshot, color: Color) -> Line<'static> {
    let draw =
        |roles: &mut dyn Iterator<Item = Role>, color| roles.map(|role| theme.glyph(role, color)).collect::<String>();
    let (word, pieces) = match &snapshot.hands {
        Some(hands) => ("holds ", draw(&mut hands.of(color).pieces(), color)),
        None => ("", draw(&mut snapshot.missing_pieces(color.opponent()).into_iter(), color.opponent())),
    };
    let lead = match snapshot.material_lead(color) {
        0 => String::new(),
        lead => format!(" +{lead}"),
    };
    Line::from(vec![
        Span::styled(format!("  {word}"), theme.dimmed()),
        Span::raw(pieces),
        Span::styled(lead, theme.emphasized()),
    ])
}

/// Returns the last move with whether it gives check; and the [result or the refusal](about_result), otherwise the terms of the game.
fn state_lines(theme: Theme, snapshot: &GameSnapshot, refusal: Option<&str>) -> [Line<'static>; 2] {
    let (about, style) = about_result(theme, snapshot, refusal).unwrap_or_else(|| {
        let terms = snapshot.terms_text();
        (TerminalSafe(&terms).in_cells().into_owned(), theme.dimmed())
    });
    [last_move_line(theme, snapshot), Line::styled(format!("  {about}"), style)]
}

/// Returns the last move, and whether it gives check.
pub(super) fn last_move_line(theme: Theme, snapshot: &GameSnapshot) -> Line<'static> {
    let played = numbered_move(&snapshot.board).unwrap_or_else(|| "no move yet".to_owned());
    let check = if snapshot.is_check() { "  check" } else { "" };
    Line::from(vec![Span::styled(format!("  {played}"), theme.emphasized()), Span::styled(check, theme.accent())])
}

/// Returns the result with the winner, otherwise why the user's last line was refused, and the style of the text; `None` without
/// either.
pub(super) fn about_result(theme: Theme, snapshot: &GameSnapshot, refusal: Option<&str>) -> Option<(String, Style)> {
    let (about, style) = match snapshot.result_text() {
        Some(result) => (result, theme.success()),
        None => (refusal?.to_owned(), theme.error()),
    };
    Some((TerminalSafe(&about).in_cells().into_owned(), style))
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
pub(super) fn analysis_lines(theme: Theme, snapshot: &GameSnapshot, width: u16, n_lines: usize) -> Vec<Line<'static>> {
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
