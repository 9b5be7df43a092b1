//! Floors: the least work that reads the same lines, to compare the parser with.

use std::array;
use std::hint::black_box;

/// Checksum of a run. Two runs that decode the same boards have the same `sum`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Checksum {
    /// Number of frames: lines, and prompts if the run detects them.
    pub(crate) n_frames: u64,
    /// Number of boards among them.
    pub(crate) n_boards: u64,
    /// Hash of the numbers of all boards, which depends on their order.
    pub(crate) sum: u64,
}

/// The numbers of a board that the checksum covers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoardNumbers {
    pub(crate) game: i64,
    pub(crate) white_len: usize,
    pub(crate) black_len: usize,
    pub(crate) white_clock_ms: i64,
    pub(crate) black_clock_ms: i64,
    pub(crate) move_number: i64,
}

impl Checksum {
    /// Counts a frame other than a board.
    pub(crate) fn add_frame(&mut self) {
        self.n_frames += 1;
    }

    /// Counts a board and adds its numbers to the sum.
    pub(crate) fn add_board(&mut self, board: &BoardNumbers) {
        self.n_frames += 1;
        self.n_boards += 1;
        let names = board.white_len.wrapping_mul(64).wrapping_add(board.black_len);
        let clocks = board.white_clock_ms.wrapping_mul(3).wrapping_add(board.black_clock_ms);
        let place = board.game.wrapping_mul(4096).wrapping_add(board.move_number);
        let mixed = place.wrapping_mul(0x9E37_79B9).wrapping_add(clocks).cast_unsigned() ^ (names as u64) << 52;
        self.sum = self.sum.rotate_left(7) ^ mixed;
    }
}

/// Floor (a): finds each line with memchr and copies it to a `Vec`, which is dropped at once. The sum is the number of copied
/// bytes.
pub(crate) fn copy_lines(stream: &[u8]) -> Checksum {
    let mut read = Checksum::default();
    let mut from = 0;
    for end in memchr::memchr_iter(b'\n', stream) {
        let line = black_box(stream[from..end].to_vec());
        read.add_frame();
        read.sum += line.len() as u64;
        from = end + 1;
    }
    read
}

/// Floor (b): finds each line with memchr; splits the fields of a board and parses its integers, without checks.
pub(crate) fn read_boards(stream: &[u8]) -> Checksum {
    let mut read = Checksum::default();
    let mut from = 0;
    for end in memchr::memchr_iter(b'\n', stream) {
        if let Some(board) = read_board(&stream[from..end]) {
            read.add_board(&board);
        }
        from = end + 1;
    }
    read
}

/// Parses a line as floor (b) does, and returns the numbers of its board; `None` for any other line.
pub(crate) fn read_board(line: &[u8]) -> Option<BoardNumbers> {
    let board = Board::read(without_prompt(line).strip_prefix(b"<12> ")?);
    Some(black_box(&board).numbers())
}

/// Removes the carriage return and the prompts before a line.
fn without_prompt(line: &[u8]) -> &[u8] {
    let mut line = line.strip_prefix(b"\r").unwrap_or(line);
    while let Some(rest) = line.strip_prefix(b"fics% ") {
        line = rest;
    }
    line
}

/// A board as floor (b) parses it: text is borrowed, nothing is checked.
#[derive(Debug)]
#[expect(dead_code, reason = "reading the fields is the work that is measured")]
struct Board<'a> {
    rows: [&'a [u8]; 8],
    side_to_move: &'a [u8],
    double_push: i64,
    castling: [i64; 4],
    irreversible: i64,
    game: i64,
    white: &'a [u8],
    black: &'a [u8],
    relation: i64,
    initial: i64,
    increment: i64,
    strengths: [i64; 2],
    clocks: [i64; 2],
    move_number: i64,
    verbose: &'a [u8],
    elapsed: Elapsed,
    san: &'a [u8],
    flip: i64,
    ticking: i64,
    lag: i64,
}

#[derive(Debug)]
#[expect(dead_code, reason = "reading the fields is the work that is measured")]
struct Elapsed {
    ms: i64,
    has_fraction: bool,
}

impl<'a> Board<'a> {
    fn read(line: &'a [u8]) -> Self {
        let mut fields = Fields { rest: line };
        Self {
            rows: array::from_fn(|_| fields.text()),
            side_to_move: fields.text(),
            double_push: fields.integer(),
            castling: array::from_fn(|_| fields.integer()),
            irreversible: fields.integer(),
            game: fields.integer(),
            white: fields.text(),
            black: fields.text(),
            relation: fields.integer(),
            initial: fields.integer(),
            increment: fields.integer(),
            strengths: array::from_fn(|_| fields.integer()),
            clocks: array::from_fn(|_| fields.integer()),
            move_number: fields.integer(),
            verbose: fields.text(),
            elapsed: fields.elapsed(),
            san: fields.text(),
            flip: fields.integer(),
            ticking: fields.integer(),
            lag: fields.integer(),
        }
    }

    fn numbers(&self) -> BoardNumbers {
        let [white, black] = self.clocks;
        let unit = if self.elapsed.has_fraction { 1 } else { 1000 };
        BoardNumbers {
            game: self.game,
            white_len: self.white.len(),
            black_len: self.black.len(),
            white_clock_ms: white.wrapping_mul(unit),
            black_clock_ms: black.wrapping_mul(unit),
            move_number: self.move_number,
        }
    }
}

/// The rest of a line. Each method consumes one field and the blank after it.
struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    fn text(&mut self) -> &'a [u8] {
        let end = self.rest.iter().position(|&b| b == b' ').unwrap_or(self.rest.len());
        let (field, rest) = self.rest.split_at(end);
        self.rest = rest.strip_prefix(b" ").unwrap_or_default();
        field
    }

    fn integer(&mut self) -> i64 {
        let (mut value, mut sign) = (0_i64, 1);
        while let [b, rest @ ..] = self.rest {
            self.rest = rest;
            match b {
                b' ' => break,
                b'-' => sign = -1,
                digit => value = with_digit(value, *digit),
            }
        }
        sign * value
    }

    /// Parses `(m:ss)` or `(m:ss.mmm)`.
    fn elapsed(&mut self) -> Elapsed {
        let (mut total, mut value, mut has_fraction) = (0_i64, 0_i64, false);
        while let [b, rest @ ..] = self.rest {
            self.rest = rest;
            match b {
                b' ' => break,
                b'(' | b')' => {}
                b':' => (total, value) = (total.wrapping_add(value).wrapping_mul(60), 0),
                b'.' => {
                    has_fraction = true;
                    (total, value) = (total.wrapping_add(value).wrapping_mul(1000), 0);
                }
                digit => value = with_digit(value, *digit),
            }
        }
        let time = total.wrapping_add(value);
        Elapsed { ms: if has_fraction { time } else { time.wrapping_mul(1000) }, has_fraction }
    }
}

fn with_digit(value: i64, digit: u8) -> i64 {
    value.wrapping_mul(10).wrapping_add(i64::from(digit.wrapping_sub(b'0')))
}
