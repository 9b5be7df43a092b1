//! Formats a game as the lines that a server sends to its observers.

use std::fmt::Write as _;

use cozy_chess::{Color, File, Rank, Square};

use super::game::{Dialect, Game, HAND_PIECES, LastMove, STRENGTHS};
use super::names;
use super::rng::Rng;

impl Game {
    /// Returns the line that ends the game, `{Game …} result`; `None` while it continues. If its planned length is reached, the
    /// result is random.
    pub(crate) fn ending(&self, rng: &mut Rng) -> Option<String> {
        let (mover, other) = if self.mover() == 0 { (self.white, self.black) } else { (self.black, self.white) };
        let win = if self.mover() == 0 { "0-1" } else { "1-0" };
        let ending = if self.legal_moves().is_empty() {
            if self.board.checkers().is_empty() {
                "Game drawn by stalemate} 1/2-1/2".to_owned()
            } else {
                format!("{mover} checkmated}} {win}")
            }
        } else if self.clocks_ms.iter().any(|&ms| ms < -2_000) {
            format!("{mover} forfeits on time}} {win}")
        } else if self.board.halfmove_clock() == 100 {
            "Game drawn by the 50 move rule} 1/2-1/2".to_owned()
        } else if self.n_plies_left == 0 {
            match rng.below(8) {
                0 => "Game drawn by mutual agreement} 1/2-1/2".to_owned(),
                1 => "Game drawn by repetition} 1/2-1/2".to_owned(),
                2 => format!("{mover} lost connection; game adjourned}} *"),
                3 => format!("{mover} ran out of time and {other} has no material to mate}} 1/2-1/2"),
                _ => format!("{mover} resigns}} {win}"),
            }
        } else {
            return None;
        };
        Some(format!("{{Game {} ({} vs. {}) {ending}", self.id, self.white, self.black))
    }

    /// Returns the line that announces the game to all users.
    pub(crate) fn announcement(&self) -> String {
        let kind = if self.is_crazyhouse { "crazyhouse" } else { "blitz" };
        format!("{{Game {} ({} vs. {}) Creating rated {kind} match.}}", self.id, self.white, self.black)
    }

    /// Returns the line that an observer receives before the first board; the ratings are random.
    pub(crate) fn observed_game_line(&self, rng: &mut Rng) -> String {
        let (white, black) = (names::rating(rng), names::rating(rng));
        let (minutes, increment) = (self.minutes, self.increment);
        format!("Game {}: {} ({white}) {} ({black}) rated blitz {minutes} {increment}", self.id, self.white, self.black)
    }

    /// Returns the board as a style 12 line.
    pub(crate) fn style12(&self) -> String {
        let mut line = String::with_capacity(200);
        line.push_str("<12>");
        self.write_rows(&mut line);
        self.write_numbers(&mut line);
        self.write_last_move(&mut line);
        line
    }

    /// Returns the datagrams that ICC sends when observing starts: the game's properties and the position.
    pub(crate) fn start_list(&self) -> String {
        let (wild, kind) = if self.is_crazyhouse { (23, "Crazyhouse") } else { (0, "Blitz") };
        let (minutes, increment) = (self.minutes, self.increment);
        format!(
            "\x19(18 {id} {} {} {wild} {kind} 1 {minutes} {increment} {minutes} {increment} 1 {{}} 1500 1600 9 {{}} {{}} 0 0 0 {{}} 0\x19)\
             \x19(101 {id} {{}} 0\x19)",
            self.white,
            self.black,
            id = self.id,
        )
    }

    /// Returns the datagram of the last move.
    pub(crate) fn send_moves(&self) -> String {
        let LastMove { san, smith, elapsed_ms, .. } = &self.last_move;
        let clock = self.clock(self.clocks_ms[1 - self.mover()]);
        format!("\x19(24 {} {san} {smith} {} {clock} 1\x19)", self.id, elapsed_ms / 1000)
    }

    /// Returns both reserves as a `<b1>` line.
    pub(crate) fn holdings(&self) -> String {
        let [white, black] = self.hands.map(|hand| {
            let letters = b"PNBRQ".iter().zip(hand);
            letters.flat_map(|(&letter, n)| std::iter::repeat_n(char::from(letter), n.into())).collect::<String>()
        });
        format!("<b1> game {} white [{white}] black [{black}]", self.id)
    }

    /// Returns the `<b1>` line that is sent before the board of a capture; `None` if the last ply captured nothing.
    pub(crate) fn passed_piece(&self) -> Option<String> {
        let (color, piece) = self.passed?;
        let color = if color == Color::White { 'W' } else { 'B' };
        Some(format!("{} <- {color}{}", self.holdings(), char::from(piece).to_ascii_uppercase()))
    }

    fn write_rows(&self, line: &mut String) {
        for rank in Rank::ALL.into_iter().rev() {
            line.push(' ');
            for file in File::ALL {
                line.push(self.letter(Square::new(file, rank)));
            }
        }
    }

    fn letter(&self, square: Square) -> char {
        let Some(piece) = self.board.piece_on(square) else { return '-' };
        let letter = char::from(piece);
        if self.board.color_on(square) == Some(Color::White) { letter.to_ascii_uppercase() } else { letter }
    }

    fn write_numbers(&self, line: &mut String) {
        let side = if self.mover() == 0 { 'W' } else { 'B' };
        let double_push = self.last_move.double_push.map_or(-1, |file| file as i32);
        let [white_clock, black_clock] = self.clocks_ms.map(|ms| self.clock(ms));
        let rights = [Color::White, Color::Black].map(|color| *self.board.castle_rights(color));
        let castling =
            rights.map(|r| format!("{} {}", u8::from(r.short.is_some()), u8::from(r.long.is_some()))).join(" ");
        let text = write!(
            line,
            " {side} {double_push} {castling} {} {} {} {} 0 {} {} {} {} {white_clock} {black_clock} {}",
            self.board.halfmove_clock(),
            self.id,
            self.white,
            self.black,
            self.minutes,
            self.increment,
            self.strength(Color::White),
            self.strength(Color::Black),
            self.board.fullmove_number(),
        );
        debug_assert!(text.is_ok(), "a string takes all text");
    }

    fn write_last_move(&self, line: &mut String) {
        let LastMove { verbose, san, elapsed_ms, lag_ms, .. } = &self.last_move;
        let (minutes, seconds) = (elapsed_ms / 60_000, elapsed_ms / 1000 % 60);
        let ticking = u8::from(self.board.fullmove_number() > 1);
        let text = match self.dialect {
            Dialect::Milliseconds => {
                let ms = elapsed_ms % 1000;
                write!(line, " {verbose} ({minutes}:{seconds:02}.{ms:03}) {san} 0 {ticking} {lag_ms}")
            }
            Dialect::Seconds => write!(line, " {verbose} ({minutes}:{seconds:02}) {san} 0 {ticking} {lag_ms}"),
            Dialect::SecondsShort => write!(line, " {verbose} ({minutes}:{seconds:02}) {san} 0"),
        };
        debug_assert!(text.is_ok(), "a string takes all text");
    }

    /// Returns a clock in the unit of the dialect.
    fn clock(&self, ms: i64) -> i64 {
        if self.dialect == Dialect::Milliseconds { ms } else { ms / 1000 }
    }

    /// Returns the material of one side, with its reserve.
    fn strength(&self, color: Color) -> u32 {
        let on_board = HAND_PIECES.map(|piece| self.board.colored_pieces(color, piece).len());
        let in_hand = self.hands[color as usize].map(u32::from);
        (0..5).map(|i| (on_board[i] + in_hand[i]) * STRENGTHS[i]).sum()
    }
}
