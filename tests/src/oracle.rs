//! A second parser of the stream, written from the protocol pages alone. It parses whole sessions, and of the messages boards and
//! holdings only. It is slow and simple; where it and the library disagree, one of them is wrong.

use kibitzer_core::wire::Timeseal;

use crate::{HoldingFacts, MoveFacts, PositionFacts};

/// A byte of text and its position in the stream.
type PlacedByte = (u8, u64);

/// The text of a stream, without telnet commands, pings, carriage returns, bells, NUL and terminal escapes. Marks of block mode
/// are replaced by line ends.
#[derive(Clone, Debug)]
pub struct CleanedText(Vec<PlacedByte>);

impl CleanedText {
    /// Removes from a stream everything that is not text.
    pub fn new(stream: &[u8], timeseal: Timeseal) -> Self {
        let (mut text, mut at) = (Vec::new(), 0);
        while let Some((&byte, rest)) = stream.get(at..).and_then(<[u8]>::split_first) {
            let (length, kept) = match byte {
                0xFF => telnet_command(rest),
                b'\r' | 0 | 7 => (1, None),
                0x1B if rest.starts_with(b"[") => (2 + until(rest, |b| b.is_ascii_alphabetic()), None),
                0x15 => (2 + until(rest, |b| b == 0x16) + code_length(rest), Some(b'\n')),
                0x17 => (1, Some(b'\n')),
                b'[' if timeseal == Timeseal::V2 && rest.starts_with(b"G]\0") => (4, None),
                byte => (1, Some(byte)),
            };
            text.extend(kept.map(|byte| (byte, at as u64)));
            at += length;
        }
        Self(text)
    }

    /// Returns all bytes except blanks, continuation marks, the marker after a style 10 board, and pings of version 1.
    pub fn printable_bytes(&self, timeseal: Timeseal) -> Vec<u8> {
        let lines = self.0.split(|&(byte, _)| byte == b'\n').map(bytes);
        lines
            .filter(|line| line != b">10<" && (timeseal != Timeseal::V1 || line != b"[G]"))
            .flat_map(|line| line.strip_prefix(b"\\   ").map_or(line.clone(), <[u8]>::to_vec))
            .filter(|byte| *byte != b' ')
            .collect()
    }
}

/// Returns the length of a telnet command, including the IAC before `rest`, and the byte of text that it stands for.
fn telnet_command(rest: &[u8]) -> (usize, Option<u8>) {
    match rest.first() {
        Some(0xFF) => (2, Some(0xFF)),
        Some(0xFB..=0xFE) => (3, None),
        _ => (2, None),
    }
}

/// Returns the number of bytes before the first for which `is_last` returns true; all of them without one.
fn until(bytes: &[u8], is_last: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|&byte| is_last(byte)).unwrap_or(bytes.len())
}

/// Returns the length of the code in a start mark of block mode, with its separator. `number` starts at the number before the
/// code.
fn code_length(number: &[u8]) -> usize {
    let code = number.get(until(number, |b| b == 0x16) + 1..).unwrap_or_default();
    until(code, |b| b == 0x16) + 1
}

fn bytes(line: &[PlacedByte]) -> Vec<u8> {
    line.iter().map(|&(byte, _)| byte).collect()
}

/// Returns the lines of a stream with the positions of their first bytes, without prompts and blanks before them. Wrapped pieces
/// are joined.
pub fn lines_of(cleaned: &CleanedText) -> Vec<(u64, Vec<u8>)> {
    let mut lines: Vec<(u64, Vec<u8>)> = Vec::new();
    for line in cleaned.0.split(|&(byte, _)| byte == b'\n') {
        let text = bytes(line);
        if let (Some(piece), Some((_, whole))) = (text.strip_prefix(b"\\   "), lines.last_mut()) {
            whole.push(b' ');
            whole.extend(piece);
            continue;
        }
        let head = without_prompts(&text);
        let offset = line.get(text.len() - head.len()).map_or(0, |&(_, at)| at);
        lines.push((offset, head.to_vec()));
    }
    lines
}

fn without_prompts(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii_start();
    line.strip_prefix(b"fics% ").map_or(line, without_prompts)
}

/// Returns every board at the start of a line that is complete up to its verbose move.
pub fn positions_in(cleaned: &CleanedText) -> Vec<PositionFacts> {
    lines_of(cleaned).iter().filter_map(|(offset, line)| position(*offset, line)).collect()
}

/// Returns every line of reserves.
pub fn holdings_in(cleaned: &CleanedText) -> Vec<HoldingFacts> {
    lines_of(cleaned).iter().filter_map(|(offset, line)| holding(*offset, line)).collect()
}

fn position(offset: u64, line: &[u8]) -> Option<PositionFacts> {
    let line: String = line.strip_prefix(b"<12>")?.iter().map(|&b| char::from(b)).collect();
    let mut words: Vec<&str> = std::iter::once("<12>").chain(line.split(' ').filter(|word| !word.is_empty())).collect();
    // Pieces are joined by a blank, and the last one was empty.
    let cut = line.ends_with(' ') && (29..=30).contains(&words.len());
    if cut && !line.ends_with(") ") {
        words.pop();
    }
    let rows: Vec<&str> = words.get(1..9)?.to_vec();
    let is_row = |row: &&str| row.len() == 8 && row.bytes().all(|b| b"-PNBRQKpnbrqk".contains(&b));
    if words.len() < if cut { 28 } else { 30 } || !rows.iter().all(is_row) {
        return None;
    }
    let number = |index: usize| words.get(index)?.parse::<i64>().ok();
    let optional = |index: usize| words.get(index).and_then(|word| word.parse::<i64>().ok());
    let (verbose, elapsed, san) = (*words.get(27)?, words.get(28).copied(), words.get(29).copied());
    let white_moves = *words.get(9)? == "W";
    let moved = verbose != "none";
    let ms_per_unit = if elapsed.is_some_and(|elapsed| elapsed.contains('.')) { 1 } else { 1000 };
    let double_push_file = u8::try_from(number(10)?).ok().filter(|file| *file < 8).map(|file| char::from(b'a' + file));
    let halfmove_clock = if moved { number(15)?.max(0) } else { 0 };
    let board = Rows(&rows);
    Some(PositionFacts {
        offset,
        game: number(16)?,
        fen: format!(
            "{} {} {} {} {halfmove_clock} {}",
            board.placement(),
            if white_moves { 'w' } else { 'b' },
            board.castling([number(11)?, number(12)?, number(13)?, number(14)?]),
            board.en_passant(white_moves, double_push_file),
            number(26)?
        ),
        side_to_move: if white_moves { "white" } else { "black" },
        white: (*words.get(17)?).to_owned(),
        black: (*words.get(18)?).to_owned(),
        relation: number(19)?,
        initial_s: number(20)? * 60,
        increment_s: number(21)?,
        white_material: number(22)?,
        black_material: number(23)?,
        white_clock_ms: number(24)? * ms_per_unit,
        black_clock_ms: number(25)? * ms_per_unit,
        move_number: number(26)?,
        halfmove_clock,
        double_push_file,
        last_move: moved.then(|| MoveFacts {
            verbose: verbose.to_owned(),
            san: san.map(str::to_owned),
            uci: uci(verbose, san.unwrap_or_default(), !white_moves),
            elapsed_ms: elapsed.and_then(milliseconds),
        }),
        flip: optional(30).map(|flip| flip != 0),
        clock_running: optional(31).map(|running| running != 0),
        lag_ms: optional(32),
        cut,
    })
}

/// The eight rows of a board line, the eighth rank first.
struct Rows<'a>(&'a [&'a str]);

impl Rows<'_> {
    /// Returns the letter on a square; ranks are 1 to 8.
    fn at(&self, file: char, rank: u8) -> Option<char> {
        let row = self.0.get(usize::from(8 - rank))?;
        row.chars().nth(usize::from(u8::try_from(file).ok()? - b'a'))
    }

    fn placement(&self) -> String {
        let mut text = self.0.join("/");
        for empty in (1..=8).rev() {
            text = text.replace(&"-".repeat(empty), &empty.to_string());
        }
        text
    }

    /// Returns the castling field of FEN: rights whose king is on its first rank with a rook between it and the edge.
    fn castling(&self, flags: [i64; 4]) -> String {
        let sides = [(1, 'K', 'R', true), (1, 'K', 'R', false), (8, 'k', 'r', true), (8, 'k', 'r', false)];
        let text: String = sides
            .iter()
            .zip("KQkq".chars())
            .zip(flags)
            .filter(|&((&(rank, king, rook, short), _), flag)| {
                let files = |piece| ('a'..='h').filter(move |&file| self.at(file, rank) == Some(piece));
                let between = |king: char| files(rook).any(|rook| if short { rook > king } else { rook < king });
                flag != 0 && files(king).next().is_some_and(between)
            })
            .map(|((_, letter), _)| letter)
            .collect();
        if text.is_empty() { "-".to_owned() } else { text }
    }

    fn en_passant(&self, white_moves: bool, file: Option<char>) -> String {
        let (pawn_rank, rank, pawn) = if white_moves { (5, 6, 'p') } else { (4, 3, 'P') };
        match file {
            Some(file) if self.at(file, pawn_rank) == Some(pawn) => format!("{file}{rank}"),
            _ => "-".to_owned(),
        }
    }
}

fn uci(verbose: &str, san: &str, white: bool) -> Option<String> {
    let rank = if white { '1' } else { '8' };
    match verbose {
        "o-o" => return Some(format!("e{rank}g{rank}")),
        "o-o-o" => return Some(format!("e{rank}c{rank}")),
        _ => {}
    }
    let (piece, squares) = verbose.split_once('/')?;
    if let Some(to) = squares.strip_prefix("@@-") {
        return Some(format!("{piece}@{to}"));
    }
    let (squares, promotion) =
        squares.split_once('=').map_or((squares, None), |(squares, letter)| (squares, Some(letter)));
    let last_rank = if white { '8' } else { '1' };
    let promotion = match promotion {
        None if piece == "P" && squares.ends_with(last_rank) => {
            san.split_once('=').and_then(|(_, letters)| letters.get(..1))
        }
        promotion => promotion,
    };
    Some(squares.replace('-', "") + &promotion.unwrap_or_default().to_ascii_lowercase())
}

/// Parses `(h:mm:ss.mmm)`; hours and fraction are optional.
fn milliseconds(elapsed: &str) -> Option<i64> {
    let (whole, fraction) = elapsed.trim_matches(['(', ')']).split_once('.').unwrap_or((elapsed, "0"));
    let whole = whole.trim_matches(['(', ')']);
    let seconds = whole.split(':').try_fold(0_i64, |sum, part| Some(sum * 60 + part.parse::<i64>().ok()?))?;
    Some(seconds * 1000 + fraction.parse::<i64>().ok()?)
}

fn holding(offset: u64, line: &[u8]) -> Option<HoldingFacts> {
    let line = std::str::from_utf8(line).ok()?.strip_prefix("<b1> game ")?;
    let (game, line) = line.split_once(" white [")?;
    let (white, line) = line.split_once("] black [")?;
    let (black, passed) = line.split_once(']')?;
    let mut passed = passed.trim().strip_prefix("<- ").into_iter().flat_map(str::chars);
    Some(HoldingFacts {
        offset,
        game: game.parse().ok()?,
        white: white.to_owned(),
        black: black.to_owned(),
        passed: passed.next().zip(passed.next()),
    })
}
