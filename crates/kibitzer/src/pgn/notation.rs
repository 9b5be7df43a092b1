//! Moves, and text of servers and players, in the forms that PGN readers accept.

use cozy_chess::util::display_san_move;
use cozy_chess::{Board as RulesBoard, Move, Square as RulesSquare};
use kibitzer_core::chess::{Board, CastlingSide, LastMove, Role, SanMove};

use crate::track::{MoveLine, TrackedMove};

/// Returns the moves of a line up to the first hidden one.
///
/// Where the rules of chess hold, a move is legal, as short as possible, and has the mark of a check or mate. In variants it is the
/// server's move, spelled in standard form, with the square of departure if the board shows more than one piece that could make it.
pub(super) fn san_moves(line: &MoveLine, follows_chess_rules: bool) -> Vec<String> {
    // `None` once the position is not one of chess.
    let mut rules: Option<RulesBoard> =
        follows_chess_rules.then(|| line.start.with_counters(0, 1).with_hands(None).to_string().parse().ok()).flatten();
    let mut board = line.start.board;
    let mut sans = Vec::with_capacity(line.moves.len());
    for step in &line.moves {
        if step.played == LastMove::Hidden {
            break;
        }
        let legal = rules.as_mut().and_then(|rules| san_of_next_move(rules, step));
        let before = board;
        let fits = line.play(&mut board, step).is_ok();
        // Castling of the old wild variants ends on other squares than that of chess.
        let has_same_squares = |rules: &RulesBoard| rules.to_string().split(' ').next() == Some(&board.to_string());
        let agrees = fits && rules.as_ref().is_some_and(has_same_squares);
        if !agrees {
            rules = None;
        }
        sans.push(legal.filter(|_| agrees).unwrap_or_else(|| standardized_san(step, &before)));
    }
    sans
}

/// Plays a move, and returns it in short form; `None` if it is not legal.
fn san_of_next_move(rules: &mut RulesBoard, step: &TrackedMove) -> Option<String> {
    let played: Move = step.uci_chess960()?.parse().ok()?;
    let played = castling_as_rook_capture(rules, played, step)?;
    let mut after = rules.clone();
    after.try_play(played).ok()?;
    let san = display_san_move(rules, played).to_string();
    *rules = after;
    Some(san)
}

/// Returns castling as the capture of the own rook, also if the squares of king and rook are not known.
fn castling_as_rook_capture(rules: &RulesBoard, played: Move, step: &TrackedMove) -> Option<Move> {
    let LastMove::Castle { side, rook_from: None, .. } = step.played else { return Some(played) };
    let rights = rules.castle_rights(rules.side_to_move());
    let file = if side == CastlingSide::Short { rights.short } else { rights.long }?;
    Some(Move { to: RulesSquare::new(file, played.from.rank()), ..played })
}

/// Returns the server's notation of a move in standard form. If it does not mean this move on the board, writes both squares of the
/// move.
fn standardized_san(step: &TrackedMove, before: &Board) -> String {
    let sent = step.san.as_deref().unwrap_or_default();
    let mark = ["#", "+"].into_iter().find(|mark| sent.ends_with(mark)).unwrap_or_default();
    let parsed =
        SanMove::parse(sent.as_bytes()).filter(|san| san.to_last_move(before, step.color) == Some(step.played));
    let (from_file, from_rank) = match parsed {
        Some(SanMove::Normal { from_file, from_rank, .. }) => (from_file, from_rank),
        _ => (None, None),
    };
    let text = match step.played {
        LastMove::Normal { role, from, to, promotion } => {
            let is_capture = before.piece(to).is_some() || role == Role::Pawn && from.file() != to.file();
            let [file, rank] = from.to_string().chars().collect::<Vec<_>>().try_into().unwrap_or(['?'; 2]);
            let needs_file = if role == Role::Pawn { is_capture } else { parsed.is_none() || from_file.is_some() };
            let needs_rank = role != Role::Pawn && (parsed.is_none() || from_rank.is_some());
            let letter = (role != Role::Pawn).then(|| role.letter());
            let origin: String =
                letter.into_iter().chain(needs_file.then_some(file)).chain(needs_rank.then_some(rank)).collect();
            let promotion = promotion.map(|role| format!("={}", role.letter())).unwrap_or_default();
            format!("{origin}{}{to}{promotion}", if is_capture { "x" } else { "" })
        }
        LastMove::Castle { side: CastlingSide::Short, .. } => "O-O".to_owned(),
        LastMove::Castle { .. } => "O-O-O".to_owned(),
        LastMove::Drop { role, to } => format!("{}@{to}", role.letter()),
        _ => "--".to_owned(),
    };
    text + mark
}

/// Maximum number of characters of a tag's value or a comment; the rest is dropped.
const MAX_CHARS: usize = 400;

/// Formats milliseconds as `H:MM:SS.mmm`; a negative time, of a player who is out of time, is 0.
pub(super) fn format_clock(ms: i64) -> String {
    let ms = ms.max(0);
    let (hours, minutes, seconds) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
    format!("{hours}:{minutes:02}:{seconds:02}.{:03}", ms % 1000)
}

/// Returns the value of a tag with quotation marks and backslashes escaped; `?` if it is empty.
pub(super) fn escape_tag_value(text: &str) -> String {
    let text = one_line_truncated(text);
    if text.is_empty() { "?".to_owned() } else { text.replace('\\', "\\\\").replace('"', "\\\"") }
}

/// Returns text that cannot end a comment, begin one inside it, or look like a command such as `[%clk 0:01:00]`.
pub(super) fn sanitize_comment(text: &str) -> String {
    one_line_truncated(text).replace('{', "(").replace('}', ")").replace("[%", "[ %")
}

/// Returns the start of the text on one line: control characters become blanks, runs of blanks one blank.
fn one_line_truncated(text: &str) -> String {
    let is_blank = |c: char| c.is_control() || c.is_whitespace();
    let words: Vec<_> = text.split(is_blank).filter(|word| !word.is_empty()).collect();
    words.join(" ").chars().take(MAX_CHARS).collect()
}

#[cfg(test)]
mod tests;
