//! Notations of moves: algebraic and Smith notation, and moves as people and clients type them.

use kibitzer_core::chess::{CastlingSide, Color, LastMove, Role, Square};
use kibitzer_core::message::GameEndReason;

use super::Variant;
use super::position::{CastlingSquares, Position};

impl Position {
    /// Formats a legal move in standard algebraic notation, with `+` or `#`: style 12's field 29.
    pub(crate) fn san(&self, played: LastMove) -> String {
        let mut san = match played {
            LastMove::Castle { side: CastlingSide::Short, .. } => "O-O".to_owned(),
            LastMove::Castle { side: CastlingSide::Long, .. } => "O-O-O".to_owned(),
            LastMove::Drop { role, to } => format!("{}@{to}", role.letter()),
            _ => self.board_move_to_san(played),
        };
        let after = self.after(played);
        if after.is_check() {
            san.push(if after.termination() == Some(GameEndReason::Mate) { '#' } else { '+' });
        }
        san
    }

    /// Formats a move of a piece on the board, without the mark of a check; empty for castling and drops.
    fn board_move_to_san(&self, played: LastMove) -> String {
        let LastMove::Normal { role, from, to, promotion } = played else { return String::new() };
        // En passant included: the target square may be empty.
        let takes = self.capture_of(played).is_some();
        let mut san = String::with_capacity(8);
        if role == Role::Pawn {
            san.extend(takes.then(|| file_letter(from)));
        } else {
            san.push(role.letter());
            self.push_disambiguation(&mut san, role, from, to);
        }
        san.extend(takes.then_some('x'));
        san.push_str(&to.to_string());
        san.extend(promotion.into_iter().flat_map(|role| ['=', role.letter()]));
        san
    }

    /// Appends as much of the origin as distinguishes the move from those of other pieces: nothing, the file, the rank, or both.
    fn push_disambiguation(&self, san: &mut String, role: Role, from: Square, to: Square) {
        let rivals: Vec<_> = self.other_origins(role, from, to).collect();
        if rivals.is_empty() {
            return;
        }
        let file_tells = rivals.iter().all(|rival| rival.file() != from.file());
        let rank_tells = rivals.iter().all(|rival| rival.rank() != from.rank());
        let (file, rank) = (file_letter(from), char::from(b'1' + from.rank()));
        san.extend((file_tells || !rank_tells).then_some(file));
        san.extend((!file_tells).then_some(rank));
    }

    /// Formats a legal move in the notation of delta boards: `e2e4`, `c1h6n`, `e5d6E`, `a7b8nQ`, `e1g1c`, `e8c8C`, `Q@f7`.
    ///
    /// Source: FICS help file `deltaboard`.
    pub(crate) fn smith_notation(&self, played: LastMove) -> String {
        match played {
            LastMove::Castle { side, .. } => {
                let squares = CastlingSquares::of(self.castling_files, self.side_to_move, side);
                let mark = if side == CastlingSide::Short { 'c' } else { 'C' };
                format!("{}{}{mark}", squares.king_from, squares.king_to)
            }
            LastMove::Drop { role, to } => format!("{}@{to}", role.letter()),
            LastMove::Normal { from, to, promotion, .. } => {
                let mut word = format!("{from}{to}");
                word.extend(
                    self.capture_of(played)
                        .map(|(square, role)| if square == to { role.letter().to_ascii_lowercase() } else { 'E' }),
                );
                word.extend(promotion.map(Role::letter));
                word
            }
            _ => String::new(),
        }
    }
}

fn file_letter(square: Square) -> char {
    char::from(b'a' + square.file())
}

/// Why a typed text is not a move that can be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypedMoveError {
    /// The text does not have the form of a move; it may be a command.
    NotAMove,
    /// More than one legal move matches.
    Ambiguous,
    /// No legal move matches.
    Illegal,
}

/// How the case of letters in a typed move is interpreted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum MoveCase {
    /// Lower-case letters name pieces too; `bc3` is a move of the pawn if one is legal, otherwise of the bishop.
    #[default]
    Insensitive,
    /// With the ivar `movecase`: only capital letters name pieces.
    Sensitive,
}

/// Longest text that is parsed as a move: `Qa1xb2=Q+!!`, with room for more marks.
const MAX_MOVE_BYTES: usize = 16;

impl Position {
    /// Parses a typed text as one of the legal moves.
    ///
    /// Accepts squares (`e2e4`, `e2-e4`, the king's squares for castling); standard notation with or without `x`, `+`, `#`,
    /// `=`, `!`, `?` (`Nf3`, `Nb1d2`, `exd5`, `ed5`, `exd`, `e8=Q`, `e8Q`, `e8(Q)`, `e7e8=q`); castling as `o-o`, `O-O-O`,
    /// `0-0`, `oo`; and drops (`P@f5`, `p@@f5`, `N/@@-f3`). A pawn promotes to a queen if the text names no role.
    ///
    /// Source: FICS help files `moves`, `iv_movecase`.
    ///
    /// # Errors
    ///
    /// [`TypedMoveError::NotAMove`] depends on the text alone, the others on the position.
    pub(crate) fn parse_typed_move(&self, typed: &str, case: MoveCase) -> Result<LastMove, TypedMoveError> {
        let (first, second) = parse_patterns(typed, case).ok_or(TypedMoveError::NotAMove)?;
        match (self.find_only_match(first), second) {
            (Err(TypedMoveError::Illegal), Some(second)) => self.find_only_match(second),
            (found, _) => found,
        }
    }

    /// Returns the only legal move that matches a pattern; fails if none or several do.
    fn find_only_match(&self, pattern: MovePattern) -> Result<LastMove, TypedMoveError> {
        let mut matches = self.legal_moves().into_iter().filter(|&legal| self.matches(pattern, legal));
        match (matches.next(), matches.next()) {
            (None, _) => Err(TypedMoveError::Illegal),
            (Some(found), None) => Ok(found),
            (Some(_), Some(_)) => Err(TypedMoveError::Ambiguous),
        }
    }

    /// Returns whether a legal move satisfies a pattern.
    fn matches(&self, pattern: MovePattern, legal: LastMove) -> bool {
        match (pattern, legal) {
            (MovePattern::Exactly(exact), legal) => exact == legal,
            (MovePattern::Partial(walk), LastMove::Normal { role, from, to, promotion }) => {
                walk.role.is_none_or(|typed| typed == role)
                    && walk.from_file.is_none_or(|file| file == from.file())
                    && walk.from_rank.is_none_or(|rank| rank == from.rank())
                    && walk.to_file == to.file()
                    && walk.to_rank.is_none_or(|rank| rank == to.rank())
                    && (promotion == walk.promotion || (promotion == Some(Role::Queen) && walk.promotion.is_none()))
            }
            (MovePattern::Partial(walk), LastMove::Castle { side, .. }) => {
                let squares = CastlingSquares::of(self.castling_files, self.side_to_move, side);
                let from = walk.from_file.zip(walk.from_rank).and_then(|(file, rank)| Square::new(file, rank));
                let to = walk.to_rank.and_then(|rank| Square::new(walk.to_file, rank));
                // In Chess960 the same squares may be those of a plain move of the king.
                self.variant != Variant::FischerRandom
                    && walk.role.is_none_or(|role| role == Role::King)
                    && from == Some(squares.king_from)
                    && to == Some(squares.king_to)
            }
            (MovePattern::Partial(_), _) => false,
        }
    }
}

/// What a legal move has to match to be the typed one.
#[derive(Clone, Copy, Debug)]
enum MovePattern {
    Exactly(LastMove),
    Partial(TypedMove),
}

/// The typed parts of a move on the board.
#[derive(Clone, Copy, Debug)]
struct TypedMove {
    role: Option<Role>,
    from_file: Option<u8>,
    from_rank: Option<u8>,
    to_file: u8,
    to_rank: Option<u8>,
    promotion: Option<Role>,
}

/// Parses a typed move into one or two patterns; the second applies if no legal move matches the first, as `b` may be a file or a
/// bishop. `None` if the text is not a move.
fn parse_patterns(typed: &str, case: MoveCase) -> Option<(MovePattern, Option<MovePattern>)> {
    if typed.len() > MAX_MOVE_BYTES {
        return None;
    }
    let text = typed.trim_end_matches(['+', '#', '!', '?']).as_bytes();
    if let Some(exact) = parse_castling_or_drop(text) {
        return Some((MovePattern::Exactly(exact), None));
    }
    let as_pawn = parse_typed_squares(text, None).map(MovePattern::Partial);
    let as_piece = text.split_first().and_then(|(&letter, rest)| {
        let is_piece = case == MoveCase::Insensitive || letter.is_ascii_uppercase();
        parse_typed_squares(rest, Some(Role::from_letter(letter).filter(|_| is_piece)?))
    });
    match (as_pawn, as_piece.map(MovePattern::Partial)) {
        (Some(first), second) => Some((first, second)),
        (None, second) => Some((second?, None)),
    }
}

/// Parses castling, or a drop such as `P@f5`, `P@@f5` or `P/@@-f5`.
fn parse_castling_or_drop(text: &[u8]) -> Option<LastMove> {
    let mut letters: Vec<u8> = text.iter().copied().filter(|byte| !matches!(byte, b'/' | b'-')).collect();
    letters.dedup_by(|next, byte| (*next, *byte) == (b'@', b'@'));
    LastMove::parse_verbose(&letters, b"", Color::White)
        .filter(|played| matches!(played, LastMove::Castle { .. } | LastMove::Drop { .. }))
}

/// Parses the squares after the letter of a piece, or a whole move without a letter.
///
/// Without a letter, a move with one square is a pawn's; with two squares any piece may stand on the first.
fn parse_typed_squares(text: &[u8], role: Option<Role>) -> Option<TypedMove> {
    let (text, promotion) = split_promotion(text);
    let text = text.strip_prefix(b"/").filter(|_| role.is_some()).unwrap_or(text);
    let letters: Vec<u8> = text.iter().copied().filter(|byte| !matches!(byte, b'x' | b'-' | b':')).collect();
    let (origin, to_file, to_rank) = match letters.as_slice() {
        [origin @ .., file, rank] if parse_rank_digit(*rank).is_some() => {
            (origin, parse_file_letter(*file)?, parse_rank_digit(*rank))
        }
        // `exd`: a capture of a pawn without the rank.
        [from, file] if role.is_none() && text.contains(&b'x') && parse_file_letter(*from).is_some() => {
            (letters.get(..1)?, parse_file_letter(*file)?, None)
        }
        _ => return None,
    };
    let (from_file, from_rank) = match *origin {
        [] => (None, None),
        [letter] => (parse_file_letter(letter), parse_rank_digit(letter)),
        [file, rank] => (Some(parse_file_letter(file)?), Some(parse_rank_digit(rank)?)),
        _ => return None,
    };
    if origin.len() == 1 {
        from_file.or(from_rank)?;
    }
    let role = if origin.len() == 2 { role } else { Some(role.unwrap_or(Role::Pawn)) };
    Some(TypedMove { role, from_file, from_rank, to_file, to_rank, promotion })
}

/// Splits a promotion off the end of a move: `=Q`, `(Q)`, or a bare `Q` after a rank; knight, bishop, rook or queen, in either
/// case. Returns the whole text and `None` if there is none.
fn split_promotion(text: &[u8]) -> (&[u8], Option<Role>) {
    let (head, letter) = match text {
        [head @ .., b'=', letter] | [head @ .., b'(', letter, b')'] => (head, letter),
        [head @ .., letter] if head.last().is_some_and(u8::is_ascii_digit) && letter.is_ascii_alphabetic() => {
            (head, letter)
        }
        _ => return (text, None),
    };
    match Role::from_letter(*letter) {
        Some(role @ (Role::Knight | Role::Bishop | Role::Rook | Role::Queen)) => (head, Some(role)),
        _ => (text, None),
    }
}

fn parse_file_letter(letter: u8) -> Option<u8> {
    letter.checked_sub(b'a').filter(|&file| file < 8)
}

fn parse_rank_digit(digit: u8) -> Option<u8> {
    digit.checked_sub(b'1').filter(|&rank| rank < 8)
}
