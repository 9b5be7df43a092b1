//! `<10>`: a board as a block of lines, made for the first graphical clients.

use std::sync::Arc;

use super::style12::Style12;
use crate::chess::Board;

/// Collects the lines of a style 10 block: eight rows between bars, a line of 7 words, a line of 14 words or more.
///
/// Row 8 comes first, and the board is never flipped; a blank is an empty square. Some servers end the block with `>10<`, on a
/// line of its own or directly after the last word; some do not end it. Game numbers count from 0 in this style.
///
/// Source: ICC help file `style10`; FICS 1.6 transcripts.
#[derive(Clone, Debug, Default)]
pub(super) struct Style10Builder {
    rows: Vec<[u8; 8]>,
    state_words: Vec<u8>,
}

/// The progress of a style 10 block after a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Style10Progress {
    /// The line was added, and more lines have to follow.
    More,
    /// The line completes the block.
    Board(Arc<Style12>),
    /// The line does not fit the block, which can no longer be completed.
    Broken,
}

/// The line that ends a block on servers that end it.
pub(super) const END: &[u8] = b">10<";

impl Style10Builder {
    /// Adds the next line after the start marker. After [`Board`](Style10Progress::Board) or [`Broken`](Style10Progress::Broken), the
    /// builder must not be used again.
    pub(super) fn add_line(&mut self, line: &[u8]) -> Style10Progress {
        if self.rows.len() < 8 {
            return self.add_board_row(line).unwrap_or(Style10Progress::Broken);
        }
        if self.state_words.is_empty() {
            // The line with the state is split into two; together they have the words of a style 12 line.
            self.state_words = line.to_vec();
            let is_state = matches!(line, [b'W' | b'B', b' ', ..]);
            return if is_state { Style10Progress::More } else { Style10Progress::Broken };
        }
        self.build_board(line).map_or(Style10Progress::Broken, |board| Style10Progress::Board(Arc::new(board)))
    }

    /// Adds one of the eight rows; `None` if the line does not have the form of a row.
    fn add_board_row(&mut self, line: &[u8]) -> Option<Style10Progress> {
        let squares = line.trim_ascii_end().strip_prefix(b"|")?.strip_suffix(b"|")?;
        let squares: [u8; 8] = squares.try_into().ok()?;
        self.rows.push(squares.map(|square| if square == b' ' { b'-' } else { square }));
        Some(Style10Progress::More)
    }

    /// Parses the collected lines and the last one to a board; `None` if a square or a word is invalid.
    fn build_board(&self, last_line: &[u8]) -> Option<Style12> {
        let rows: &[[u8; 8]; 8] = self.rows.as_slice().try_into().ok()?;
        let board = Board::from_rows(rows)?;
        let words = [&self.state_words, last_line.strip_suffix(END).unwrap_or(last_line)].join(&b' ');
        Style12::from_style10(&board, &words).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Color;

    const ROWS: [&str; 8] = [
        "|r b k  r|",
        "|ppp  pp |",
        "|  np q p|",
        "|  b p   |",
        "|  B P   |",
        "|   P N  |",
        "|PPP  PPP|",
        "|RN Q RK |",
    ];

    fn read(lines: &[&str]) -> Style10Progress {
        let mut builder = Style10Builder::default();
        let mut last = Style10Progress::Broken;
        for line in lines {
            last = builder.add_line(line.as_bytes());
        }
        last
    }

    // Rules: style10 block
    #[test]
    fn a_block_of_a_server_reads_as_a_board() {
        for data in [
            "0 Alice Boris 0 5 0 36 36 290 299 8 Q/d8-f6 (0:00) Qxf6 0",
            "0 Alice Boris 0 5 0 36 36 290 299 8 Q/d8-f6 (0:00) Qxf6",
            "0 Alice Boris 0 5 0 36 36 290 299 8 Q/d8-f6 (0:00) Qxf6>10<",
        ] {
            let mut lines = ROWS.to_vec();
            lines.extend(["W -1 0 0 1 1 0", data]);
            let Style10Progress::Board(board) = read(&lines) else { panic!("{data}") };
            assert_eq!(
                board.fen().to_string(),
                "r1b1k2r/ppp2pp1/2np1q1p/2b1p3/2B1P3/3P1N2/PPP2PPP/RN1Q1RK1 w - - 0 8".replace(" w - -", " w kq -")
            );
            assert_eq!((board.game().0, board.initial_min(), board.side_to_move()), (0, 5, Color::White));
            assert_eq!(board.last_move().map(|last| last.text().to_owned()), Some("Qxf6".to_owned()));
        }
    }

    // Rules: style10 block
    #[test]
    fn lines_of_another_form_break_the_block() {
        assert_eq!(read(&["|r b k  |"]), Style10Progress::Broken);
        let mut lines = ROWS.to_vec();
        lines.push("Black to move");
        assert_eq!(read(&lines), Style10Progress::Broken);
        lines.pop();
        lines.extend(["W -1 0 0 1 1 0", "0 Alice Boris 0 5"]);
        assert_eq!(read(&lines), Style10Progress::Broken);
    }
}
