use std::fs;

use kibitzer_core::chess::Color as Side;
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
    let listed = BookConfig { variants: vec!["atomic".to_owned()], ..file.config() };
    assert!(Book::open(listed).unwrap().choose(&start, "atomic").unwrap().is_some());
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
