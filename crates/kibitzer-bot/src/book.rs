//! Opening books in the Polyglot format.
//!
//! A book is a file of entries of 16 bytes, sorted by key: key of the position (8 bytes), move (2), weight (2), learning data (4),
//! all big-endian. It may be several gigabytes long: a lookup reads about 30 entries, never the whole file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;

use cozy_chess::util::parse_uci_move;
use cozy_chess::{Board, Color, Move, Piece, Rank, Square};
use fastrand::Rng;
use serde::Deserialize;

use crate::engine::{SearchPosition, uci_notation};

/// Size of an entry in bytes.
const ENTRY_BYTES: u64 = 16;
/// Entries that are read for one position; more than it can have legal moves.
const MAX_MOVES: u64 = 256;
/// The 781 random numbers of the format, from which the keys are made: pieces on squares, castling rights, files of en passant,
/// White to move.
const RANDOM_NUMBERS: &[[u8; 8]] = include_bytes!("book/polyglot.bin").as_chunks().0;
const CASTLING_OFFSET: usize = 768;
const EN_PASSANT_OFFSET: usize = 772;
const TURN_OFFSET: usize = 780;

/// How a book chooses among its moves for a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum BookSelection {
    /// At random, in proportion to the weights.
    #[default]
    Weighted,
    /// At random, each with the same probability.
    Uniform,
    /// The move with the largest weight.
    Best,
}

/// `[book]`, or each of several `[[book]]`: a Polyglot opening book, and which of its moves are played.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct BookConfig {
    /// The file.
    pub file: PathBuf,
    /// The variants in which it is used, by the names of UCI; `chess` and `chess960` by default. In others, a move must be legal by the
    /// rules of chess.
    #[serde(default = "default_variants")]
    pub variants: Vec<String>,
    /// Selection among the moves for a position.
    #[serde(default)]
    pub selection: BookSelection,
    /// Number of moves of each side after which the book is not used any more: at most 1,000, 10 by default.
    #[serde(default = "default_max_moves")]
    pub max_moves: usize,
    /// Smallest weight of a move that is played. 1 by default: books keep disabled moves with weight 0.
    #[serde(default = "default_min_weight")]
    pub min_weight: u16,
}

impl BookConfig {
    /// Returns the default settings of a book.
    pub fn new(file: impl Into<PathBuf>) -> Self {
        Self {
            file: file.into(),
            variants: default_variants(),
            selection: BookSelection::default(),
            max_moves: default_max_moves(),
            min_weight: default_min_weight(),
        }
    }

    /// Returns the error with the failed operation and the path in its text.
    fn describe_error(&self, operation: &str, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("cannot {operation} the book {}: {error}", self.file.display()))
    }
}

fn default_variants() -> Vec<String> {
    ["chess", "chess960"].map(str::to_owned).to_vec()
}

const fn default_max_moves() -> usize {
    10
}

const fn default_min_weight() -> u16 {
    1
}

/// An opening book whose file is open. It is read from the disk for each position.
#[derive(Debug)]
pub struct Book {
    file: File,
    n_entries: u64,
    config: BookConfig,
    random: Rng,
}

/// A legal move that the book has for a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BookMove {
    chosen: Move,
    weight: u16,
}

impl Book {
    /// Opens the file of a book. Bytes after the last complete entry are ignored.
    ///
    /// # Errors
    ///
    /// The error of the operating system, or [`io::ErrorKind::InvalidInput`] if the path is not a regular file; both with the path.
    pub fn open(config: BookConfig) -> io::Result<Self> {
        let failed = |error| config.describe_error("open", &error);
        // Checked before opening, which would block at a named pipe.
        let metadata = config.file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")));
        }
        let file = File::open(&config.file).map_err(failed)?;
        Ok(Self { file, n_entries: metadata.len() / ENTRY_BYTES, config, random: Rng::new() })
    }

    /// Reads the whole file of a book, and checks its form: entries of 16 bytes in ascending order of their keys.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open), and [`io::ErrorKind::InvalidData`] for another form.
    pub(crate) fn check(config: BookConfig) -> io::Result<()> {
        let mut book = Self::open(config)?;
        let size = book.file.metadata()?.len();
        let invalid = |reason: String| {
            let error = io::Error::new(io::ErrorKind::InvalidData, reason);
            book.config.describe_error("use", &error)
        };
        if size == 0 || size % ENTRY_BYTES != 0 {
            return Err(invalid(format!("its {size} bytes are not entries of {ENTRY_BYTES} bytes")));
        }
        let mut reader = io::BufReader::new(&mut book.file);
        let mut entry = [0; 16];
        let mut last = 0;
        for number in 1..=book.n_entries {
            reader.read_exact(&mut entry)?;
            if entry_key(&entry) < last {
                return Err(invalid(format!("entry {number} is not in the ascending order of keys")));
            }
            last = entry_key(&entry);
        }
        Ok(())
    }

    /// Returns a move in UCI notation for a position of the variant; `None` if the book has none within its limits. Only legal
    /// moves are returned, whatever the file contains.
    ///
    /// There is none in a variant that the settings of the book do not list. The call reads the file and blocks meanwhile, usually for
    /// less than a millisecond.
    ///
    /// # Errors
    ///
    /// The error of the operating system with the path, such as [`io::ErrorKind::UnexpectedEof`] if the file has become shorter.
    pub fn choose(&mut self, position: &SearchPosition, variant: &str) -> io::Result<Option<String>> {
        if !self.config.variants.iter().any(|listed| listed == variant) {
            return Ok(None);
        }
        let Some(board) = position.chess_board() else { return Ok(None) };
        if usize::from(board.fullmove_number()) > self.config.max_moves {
            return Ok(None);
        }
        let read = self.playable_moves(&board);
        let moves = read.map_err(|error| self.config.describe_error("read", &error))?;
        Ok(select_move(&moves, self.config.selection, &mut self.random)
            .map(|chosen| uci_notation(&board, chosen, variant)))
    }

    /// Returns the legal moves of sufficient weight for a position, from at most [`MAX_MOVES`] entries of the book.
    fn playable_moves(&mut self, board: &Board) -> io::Result<Vec<BookMove>> {
        let key = polyglot_key(board);
        let mut moves = Vec::new();
        let first = self.first_entry_from(key)?;
        for index in first..self.n_entries.min(first + MAX_MOVES) {
            let entry = self.read_entry(index)?;
            if entry_key(&entry) != key {
                break;
            }
            let [.., high, low, weight_high, weight_low, _, _, _, _] = entry;
            let weight = u16::from_be_bytes([weight_high, weight_low]);
            let legal = decode_move(u16::from_be_bytes([high, low]), board).filter(|chosen| board.is_legal(*chosen));
            moves.extend(legal.map(|chosen| BookMove { chosen, weight }));
        }
        moves.retain(|known| known.weight >= self.config.min_weight);
        Ok(moves)
    }

    /// Returns the index of the first entry with at least this key; the number of entries if all keys are smaller.
    fn first_entry_from(&mut self, key: u64) -> io::Result<u64> {
        let (mut low, mut high) = (0, self.n_entries);
        while low < high {
            let middle = low + (high - low) / 2;
            if entry_key(&self.read_entry(middle)?) < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }

    /// Reads the entry with this index from the file.
    fn read_entry(&mut self, index: u64) -> io::Result<[u8; 16]> {
        let mut entry = [0; 16];
        self.file.seek(SeekFrom::Start(index * ENTRY_BYTES))?;
        self.file.read_exact(&mut entry)?;
        Ok(entry)
    }
}

/// Returns the key of a position: the first eight bytes of an entry.
fn entry_key(entry: &[u8; 16]) -> u64 {
    entry.first_chunk().map_or(0, |key| u64::from_be_bytes(*key))
}

/// Chooses one of the moves; `None` for an empty list. If all weights are 0, [`BookSelection::Weighted`] chooses each move with the
/// same probability.
fn select_move(moves: &[BookMove], selection: BookSelection, random: &mut Rng) -> Option<Move> {
    let total: u32 = moves.iter().map(|known| u32::from(known.weight)).sum();
    let chosen = match selection {
        BookSelection::Best => moves.iter().max_by_key(|known| known.weight),
        BookSelection::Weighted if total > 0 => {
            let mut drawn = random.u32(0..total);
            moves.iter().find(|known| {
                let is_chosen = drawn < u32::from(known.weight);
                drawn = drawn.saturating_sub(u32::from(known.weight));
                is_chosen
            })
        }
        _ if moves.is_empty() => None,
        _ => moves.get(random.usize(0..moves.len())),
    };
    chosen.map(|known| known.chosen)
}

/// Decodes a move: from the lowest bit, target file and rank, origin file and rank, and promotion, three bits each. Castling is
/// king takes rook, in some books also the king's move.
fn decode_move(code: u16, board: &Board) -> Option<Move> {
    let square = |shift: u16| Square::try_index(usize::from((code >> shift) & 0x3f));
    let promotions = [None, Some(Piece::Knight), Some(Piece::Bishop), Some(Piece::Rook), Some(Piece::Queen)];
    let promotion = *promotions.get(usize::from(code >> 12))?;
    let decoded = Move { from: square(6)?, to: square(0)?, promotion };
    parse_uci_move(board, &decoded.to_string()).ok()
}

/// Returns the key of a position in a Polyglot book. A file of en passant counts only if a pawn stands beside the pawn that has
/// just moved.
fn polyglot_key(board: &Board) -> u64 {
    let mut key = 0;
    let mut add = |index: usize| key ^= RANDOM_NUMBERS.get(index).map_or(0, |bytes| u64::from_be_bytes(*bytes));
    for square in board.occupied() {
        if let (Some(piece), Some(color)) = (board.piece_on(square), board.color_on(square)) {
            let kind = 2 * piece as usize + usize::from(color == Color::White);
            add(64 * kind + square as usize);
        }
    }
    let rights = [Color::White, Color::Black].map(|color| *board.castle_rights(color));
    let rights = rights.iter().flat_map(|rights| [rights.short, rights.long]);
    for (index, _) in rights.enumerate().filter(|(_, right)| right.is_some()) {
        add(CASTLING_OFFSET + index);
    }
    let side = board.side_to_move();
    if let Some(file) = board.en_passant() {
        let moved_pawn = Square::new(file, Rank::Fifth.relative_to(side));
        let beside = file.adjacent() & moved_pawn.rank().bitboard();
        if !(beside & board.colored_pieces(side, Piece::Pawn)).is_empty() {
            add(EN_PASSANT_OFFSET + file as usize);
        }
    }
    if side == Color::White {
        add(TURN_OFFSET);
    }
    key
}

#[cfg(test)]
mod tests;
