//! Games of random legal moves.

use cozy_chess::util::display_san_move;
use cozy_chess::{Board, BoardBuilder, Color, File, Move, Piece, Rank, Square};

use super::names;
use super::rng::Rng;

/// Unit of the clocks in a style 12 line, and its number of fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// FICS with `iset ms 1`: milliseconds, 33 fields.
    Milliseconds,
    /// FICS: seconds, 33 fields.
    Seconds,
    /// ICC and lasker: seconds, 31 fields.
    SecondsShort,
}

/// The last move in the notations of the server.
#[derive(Debug)]
pub(crate) struct LastMove {
    pub(crate) verbose: String,
    /// Smith notation, as in ICC's datagrams.
    pub(crate) smith: String,
    pub(crate) san: String,
    pub(crate) elapsed_ms: u32,
    pub(crate) lag_ms: u32,
    pub(crate) double_push: Option<File>,
}

impl LastMove {
    fn none() -> Self {
        Self {
            verbose: "none".into(),
            smith: String::new(),
            san: "none".into(),
            elapsed_ms: 0,
            lag_ms: 0,
            double_push: None,
        }
    }
}

/// A game that a session observes.
#[derive(Debug)]
pub(crate) struct Game {
    pub(crate) id: u32,
    pub(crate) white: &'static str,
    pub(crate) black: &'static str,
    /// Whether captured pieces go to the capturer's reserve, so that the server sends `<b1>` lines.
    pub(crate) is_crazyhouse: bool,
    pub(crate) dialect: Dialect,
    pub(crate) minutes: u32,
    pub(crate) increment: u32,
    pub(crate) board: Board,
    pub(crate) last_move: LastMove,
    pub(crate) clocks_ms: [i64; 2],
    pub(crate) hands: [[u8; 5]; 2],
    /// Color and piece that the last ply added to a reserve.
    pub(crate) passed: Option<(Color, Piece)>,
    pub(crate) n_plies_left: u32,
}

pub(crate) const HAND_PIECES: [Piece; 5] = [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];
pub(crate) const STRENGTHS: [u32; 5] = [1, 3, 3, 5, 9];

impl Game {
    /// Creates a game with random players, time control and length. Its number determines dialect and variant.
    pub(crate) fn new(id: u32, rng: &mut Rng) -> Self {
        let white = names::name(rng);
        let mut black = names::name(rng);
        while black == white {
            black = names::name(rng);
        }
        let (minutes, increment) = rng.pick(&[(1, 0), (3, 0), (3, 0), (5, 0), (2, 12), (15, 10), (0, 1), (120, 0)]);
        let dialect = match id % 4 {
            0 => Dialect::Seconds,
            1 => Dialect::SecondsShort,
            _ => Dialect::Milliseconds,
        };
        Self {
            id,
            white,
            black,
            is_crazyhouse: id % 8 == 3,
            dialect,
            minutes,
            increment,
            board: Board::default(),
            last_move: LastMove::none(),
            clocks_ms: [i64::from(minutes * 60_000).max(10_000); 2],
            hands: [[0; 5]; 2],
            passed: None,
            n_plies_left: rng.between(16, 180),
        }
    }

    /// Sets the game up as on ICC: clocks in seconds, and at least one minute at the start.
    pub(crate) fn use_icc_clocks(&mut self) {
        self.dialect = Dialect::SecondsShort;
        self.minutes = self.minutes.max(1);
        self.clocks_ms = [i64::from(self.minutes * 60_000); 2];
    }

    /// Plays one random legal move or drop, and updates the clocks.
    pub(crate) fn play_random_move(&mut self, rng: &mut Rng) {
        self.n_plies_left = self.n_plies_left.saturating_sub(1);
        self.passed = None;
        if !(self.is_crazyhouse && rng.percent(30) && self.try_drop_piece(rng)) {
            let moves = self.legal_moves();
            self.play_move(rng.pick(&moves));
        }
        self.spend_time(rng);
    }

    /// Plays the next of four knight moves that lead back to the start, so that the game never ends.
    pub(crate) fn play_knight_move(&mut self) {
        let (white, black) = if self.board.fullmove_number() % 2 == 1 {
            ((Square::G1, Square::F3), (Square::G8, Square::F6))
        } else {
            ((Square::F3, Square::G1), (Square::F6, Square::G8))
        };
        let (from, to) = if self.mover() == 0 { white } else { black };
        self.play_move(Move { from, to, promotion: None });
    }

    /// Returns the side to move: 0 for White, 1 for Black.
    pub(crate) fn mover(&self) -> usize {
        self.board.side_to_move() as usize
    }

    /// Returns all legal moves, without drops.
    pub(crate) fn legal_moves(&self) -> Vec<Move> {
        let mut moves = Vec::with_capacity(64);
        self.board.generate_moves(|of_piece| {
            moves.extend(of_piece);
            false
        });
        moves
    }

    /// Plays a move and stores its notations.
    fn play_move(&mut self, mv: Move) {
        let san = display_san_move(&self.board, mv).to_string();
        let is_castling = san.starts_with('O');
        let verbose = if is_castling { castling_verbose(&san) } else { self.to_verbose(mv) };
        let smith = if is_castling { castling_smith(mv, &san) } else { self.smith(mv) };
        let piece = self.board.piece_on(mv.from);
        let is_double_push = piece == Some(Piece::Pawn) && (mv.from.rank() as i32 - mv.to.rank() as i32).abs() == 2;
        if self.is_crazyhouse && !is_castling {
            self.add_captured_to_hand(mv.to);
        }
        let double_push = is_double_push.then(|| mv.to.file());
        self.last_move = LastMove { verbose, smith, san, double_push, ..LastMove::none() };
        self.board.play_unchecked(mv);
    }

    fn to_verbose(&self, mv: Move) -> String {
        let piece = self.board.piece_on(mv.from).map_or('?', |piece| char::from(piece).to_ascii_uppercase());
        let mut verbose = format!("{piece}/{}-{}", mv.from, mv.to);
        if let Some(promotion) = mv.promotion {
            verbose.push('=');
            verbose.push(char::from(promotion).to_ascii_uppercase());
        }
        verbose
    }

    fn smith(&self, mv: Move) -> String {
        let mut smith = format!("{}{}", mv.from, mv.to);
        let is_pawn = self.board.piece_on(mv.from) == Some(Piece::Pawn);
        match self.board.piece_on(mv.to) {
            Some(captured) => smith.push(char::from(captured)),
            None if is_pawn && mv.from.file() != mv.to.file() => smith.push('E'),
            None => {}
        }
        smith.extend(mv.promotion.map(|promotion| char::from(promotion).to_ascii_uppercase()));
        smith
    }

    /// Adds the piece on the square to the reserve of the mover, if there is one.
    fn add_captured_to_hand(&mut self, square: Square) {
        let captured = self.board.piece_on(square);
        if let Some(i) = HAND_PIECES.iter().position(|&piece| Some(piece) == captured) {
            let color = self.board.side_to_move();
            self.hands[color as usize][i] += 1;
            self.passed = Some((color, HAND_PIECES[i]));
        }
    }

    /// Tries to drop a piece of the mover's reserve on a random square. Returns `false`, and changes nothing, if the square is
    /// not empty or the position would be illegal.
    fn try_drop_piece(&mut self, rng: &mut Rng) -> bool {
        let color = self.board.side_to_move();
        let Some(i) = self.hands[color as usize].iter().position(|&n| n > 0) else { return false };
        let piece = HAND_PIECES[i];
        let square = Square::index(rng.index(Square::NUM));
        let is_back_rank = square.rank() == Rank::First || square.rank() == Rank::Eighth;
        if self.board.piece_on(square).is_some() || (piece == Piece::Pawn && is_back_rank) {
            return false;
        }
        let mut builder = BoardBuilder::from_board(&self.board);
        *builder.square_mut(square) = Some((piece, color));
        builder.side_to_move = !color;
        builder.en_passant = None;
        builder.halfmove_clock = if piece == Piece::Pawn { 0 } else { (builder.halfmove_clock + 1).min(100) };
        builder.fullmove_number += u16::from(color == Color::Black);
        let Ok(board) = builder.build() else { return false };
        let letter = char::from(piece).to_ascii_uppercase();
        let check = if board.checkers().is_empty() { "" } else { "+" };
        self.last_move = LastMove {
            verbose: format!("{letter}/@@-{square}"),
            smith: format!("{letter}@{square}{check}"),
            san: format!("{letter}@{square}{check}"),
            ..LastMove::none()
        };
        self.hands[color as usize][i] -= 1;
        self.board = board;
        true
    }

    /// Sets a random time for the last move, and subtracts it from the clock of its side. Half of the moves are fast, few are
    /// very slow.
    fn spend_time(&mut self, rng: &mut Rng) {
        let limit = rng.pick(&[900, 900, 4_000, 4_000, 9_000, 30_000, 150_000]);
        let spent_ms = rng.between(100, limit).min(self.minutes * 4_000 + 3_000);
        self.last_move.elapsed_ms = spent_ms;
        self.last_move.lag_ms = if rng.percent(30) { 0 } else { rng.between(20, 420) };
        self.clocks_ms[1 - self.mover()] += i64::from(self.increment) * 1000 - i64::from(spent_ms);
    }
}

fn castling_verbose(san: &str) -> String {
    if san.starts_with("O-O-O") { "o-o-o".into() } else { "o-o".into() }
}

fn castling_smith(mv: Move, san: &str) -> String {
    let (file, letter) = if san.starts_with("O-O-O") { (File::C, 'C') } else { (File::G, 'c') };
    format!("{}{}{letter}", mv.from, Square::new(file, mv.from.rank()))
}
