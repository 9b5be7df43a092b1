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

/// `[book]`: a Polyglot opening book, and which of its moves are played.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct BookConfig {
    /// The file.
    pub file: PathBuf,
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

    /// Returns a move in UCI notation for a position of the variant; `None` if the book has none within its limits. Only legal
    /// moves are returned, whatever the file contains.
    ///
    /// Books cover `chess` and `chess960`. The call reads the file and blocks meanwhile, usually for less than a millisecond.
    ///
    /// # Errors
    ///
    /// The error of the operating system with the path, such as [`io::ErrorKind::UnexpectedEof`] if the file has become shorter.
    pub fn choose(&mut self, position: &SearchPosition, variant: &str) -> io::Result<Option<String>> {
        let is_chess960 = variant == "chess960";
        if !(is_chess960 || variant == "chess") || position.moves.len() / 2 >= self.config.max_moves {
            return Ok(None);
        }
        let Some(board) = position.chess_board() else { return Ok(None) };
        let read = self.playable_moves(&board);
        let moves = read.map_err(|error| self.config.describe_error("read", &error))?;
        Ok(select_move(&moves, self.config.selection, &mut self.random)
            .map(|chosen| uci_notation(&board, chosen, is_chess960)))
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
mod tests {
    use std::fs;

    use kibitzer::core::chess::Color as Side;
    use proptest::prelude::*;

    use super::*;

    /// A book in a file that is removed at the end of the test.
    struct BookFile(PathBuf);

    impl BookFile {
        fn new(name: &str, bytes: &[u8]) -> Self {
            let path = std::env::temp_dir().join(format!("kibitzer-book-{}-{name}.bin", std::process::id()));
            fs::write(&path, bytes).unwrap();
            Self(path)
        }

        fn config(&self) -> BookConfig {
            BookConfig::new(&self.0)
        }

        fn open(&self) -> Book {
            Book::open(self.config()).unwrap()
        }
    }

    impl Drop for BookFile {
        fn drop(&mut self) {
            drop(fs::remove_file(&self.0));
        }
    }

    fn position(fen: Option<&str>, moves: &str) -> SearchPosition {
        let moves = moves.split_whitespace().map(str::to_owned).collect();
        SearchPosition::new(fen.map(str::to_owned), moves, Side::White)
    }

    /// An entry for a position, with the move in UCI notation.
    fn entry(position: &SearchPosition, text: &str, weight: u16) -> Vec<u8> {
        let decoded: Move = text.parse().unwrap();
        let promotion = decoded.promotion.map_or(0, |piece| piece as u16);
        let code = (promotion << 12) | ((decoded.from as u16) << 6) | decoded.to as u16;
        let key = polyglot_key(&position.chess_board().unwrap());
        [&key.to_be_bytes()[..], &code.to_be_bytes(), &weight.to_be_bytes(), &[0; 4]].concat()
    }

    fn sorted(mut entries: Vec<Vec<u8>>) -> Vec<u8> {
        entries.sort();
        entries.concat()
    }

    #[test]
    fn keys_are_those_of_the_format_description() {
        let cases = [
            ("", 0x463b_9618_1691_fc9c),
            ("e2e4", 0x823c_9b50_fd11_4196),
            ("e2e4 d7d5", 0x0756_b944_61c5_0fb0),
            ("e2e4 d7d5 e4e5", 0x662f_afb9_65db_29d4),
            ("e2e4 d7d5 e4e5 f7f5", 0x22a4_8b5a_8e47_ff78),
            ("e2e4 d7d5 e4e5 f7f5 e1e2", 0x652a_607c_a3f2_42c1),
            ("e2e4 d7d5 e4e5 f7f5 e1e2 e8f7", 0x00fd_d303_c946_bdd9),
            ("a2a4 b7b5 h2h4 b5b4 c2c4", 0x3c81_23ea_7b06_7637),
            ("a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3", 0x5c3f_9b82_9b27_9560),
        ];
        for (moves, key) in cases {
            assert_eq!(polyglot_key(&position(None, moves).chess_board().unwrap()), key, "{moves}");
        }
    }

    #[test]
    fn moves_are_chosen_by_weight_within_the_limits() {
        let start = position(None, "");
        let reply = position(None, "e2e4");
        let weights = [("e2e4", 30), ("d2d4", 10), ("c2c4", 0)];
        let mut entries: Vec<_> = weights.map(|(text, weight)| entry(&start, text, weight)).to_vec();
        entries.push(entry(&reply, "c7c5", 1));
        let file = BookFile::new("weights", &sorted(entries));
        let mut counts = std::collections::BTreeMap::new();
        let mut book = file.open();
        for _ in 0..400 {
            *counts.entry(book.choose(&start, "chess").unwrap().unwrap()).or_insert(0) += 1;
        }
        assert!(counts["e2e4"] > 200 && counts["d2d4"] > 40 && counts.len() == 2, "{counts:?}");
        let best = BookConfig { selection: BookSelection::Best, ..file.config() };
        assert_eq!(Book::open(best.clone()).unwrap().choose(&start, "chess").unwrap().as_deref(), Some("e2e4"));
        let heavy = BookConfig { min_weight: 31, ..best };
        assert_eq!(Book::open(heavy).unwrap().choose(&start, "chess").unwrap(), None);
        let all = BookConfig { selection: BookSelection::Uniform, min_weight: 0, ..file.config() };
        let mut book = Book::open(all).unwrap();
        assert!((0..200).any(|_| book.choose(&start, "chess").unwrap().as_deref() == Some("c2c4")));
        assert_eq!(book.choose(&reply, "chess").unwrap().as_deref(), Some("c7c5"));
        assert_eq!(book.choose(&position(None, "d2d4"), "chess").unwrap(), None);
        assert_eq!(book.choose(&start, "atomic").unwrap(), None);
        let none = BookConfig { max_moves: 0, ..file.config() };
        assert_eq!(Book::open(none).unwrap().choose(&start, "chess").unwrap(), None);
    }

    #[test]
    fn castling_and_promotions_are_decoded() {
        let cases = [
            ("castling", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1h1", "chess", "e1g1"),
            ("long castling of Black", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8a8", "chess", "e8c8"),
            ("castling as the king's move", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1", "chess", "e1g1"),
            ("castling in chess960", "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", "e1h1", "chess960", "e1h1"),
            ("promotion", "8/P6k/8/8/8/8/8/K7 w - - 0 1", "a7a8r", "chess", "a7a8r"),
        ];
        for (name, fen, stored, variant, want) in cases {
            let position = position(Some(fen), "");
            let file = BookFile::new("castling", &entry(&position, stored, 1));
            let chosen = file.open().choose(&position, variant).unwrap();
            assert_eq!(chosen.as_deref(), Some(want), "{name}");
        }
    }

    #[test]
    fn files_that_are_no_book_are_errors_or_have_no_moves() {
        let missing = Book::open(BookConfig::new("/nonexistent/book.bin")).unwrap_err().to_string();
        assert!(missing.starts_with("cannot open the book /nonexistent/book.bin: "), "{missing}");
        assert!(Book::open(BookConfig::new(std::env::temp_dir())).is_err());
        let start = position(None, "");
        for bytes in [vec![], vec![0; 15], vec![0xff; 1000], entry(&start, "e2e5", 9), entry(&start, "a1a1", 9)] {
            let file = BookFile::new("hostile", &bytes);
            assert_eq!(file.open().choose(&start, "chess").unwrap(), None, "{bytes:?}");
        }
        let file = BookFile::new("cut", &entry(&start, "e2e4", 9));
        let mut book = file.open();
        fs::write(&file.0, b"").unwrap();
        assert!(book.choose(&start, "chess").is_err());
    }

    #[test]
    fn many_entries_of_one_position_are_read_up_to_a_limit() {
        let start = position(None, "");
        let file = BookFile::new("repeated", &entry(&start, "e2e4", u16::MAX).repeat(100_000));
        let mut book = file.open();
        assert_eq!(book.playable_moves(&Board::default()).unwrap().len(), 256);
        assert_eq!(book.choose(&start, "chess").unwrap().as_deref(), Some("e2e4"));
    }

    proptest! {
        #[test]
        fn any_bytes_give_legal_moves_only(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0_usize..13) {
            let start = position(None, "");
            let key = polyglot_key(&Board::default()).to_be_bytes();
            let mut bytes = bytes;
            for chunk in bytes.chunks_exact_mut(16).skip(at) {
                chunk[..8].copy_from_slice(&key);
            }
            let file = BookFile::new("any", &bytes);
            let chosen = Book::open(BookConfig { min_weight: 0, ..file.config() }).unwrap().choose(&start, "chess");
            let moved = chosen.unwrap().map(|text| position(None, &text).chess_board());
            prop_assert!(moved.is_none_or(|board| board.is_some()));
        }
    }
}
