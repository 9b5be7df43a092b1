//! Games: players and terms, moves, clocks, endings, and the lines that describe them.
//!
//! Nothing here sends output or reads a clock. The caller passes moves and times to a [`Game`]; lines are computed from its state.

mod board;
mod examined;
mod game;
mod listing;

#[cfg(test)]
mod recorded_tests;

use std::fmt;
use std::time::SystemTime;

use kibitzer_core::SentenceParts;
use kibitzer_core::chess::{Color, Hands, LastMove, Role};
use kibitzer_core::message::{GameEndReason, GameId, GameResult, Handle, Rating};

pub(crate) use self::board::{BoardViewer, ClockUnit};
pub(crate) use self::examined::ExaminedGame;
pub(crate) use self::game::{ClockState, Game};
pub(crate) use self::listing::{
    HISTORY_HEAD, STORED_HEAD, adjourned_row, examined_row, format_move_list, games_row, history_row,
};
use crate::chess::{Position, Variant};

/// One value for White and one for Black.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sides<T> {
    pub(crate) white: T,
    pub(crate) black: T,
}

impl<T: Clone> Sides<T> {
    pub(crate) const fn of(&self, color: Color) -> &T {
        match color {
            Color::White => &self.white,
            Color::Black => &self.black,
        }
    }

    pub(crate) const fn of_mut(&mut self, color: Color) -> &mut T {
        match color {
            Color::White => &mut self.white,
            Color::Black => &mut self.black,
        }
    }

    /// Creates a pair with the same value for both sides.
    pub(crate) fn both(value: T) -> Self {
        Self { white: value.clone(), black: value }
    }
}

/// Variant, rating and time control of a game. `Display` writes `rated blitz 5 0`, or `unrated untimed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Terms {
    pub(crate) variant: Variant,
    pub(crate) rated: bool,
    /// Minutes on each clock.
    pub(crate) minutes: u32,
    /// Seconds added for each move.
    pub(crate) increment_s: u32,
}

impl Terms {
    /// Returns the terms of an unrated game of chess.
    pub(crate) const fn unrated(minutes: u32, increment_s: u32) -> Self {
        Self { variant: Variant::Standard, rated: false, minutes, increment_s }
    }

    pub(crate) const fn is_untimed(self) -> bool {
        self.minutes == 0 && self.increment_s == 0
    }

    /// Returns the name of the kind of game in `Creating:` lines, seeks and ratings: the variant, or the speed of a game of
    /// chess.
    pub(crate) const fn kind(self) -> &'static str {
        match self.variant {
            Variant::Crazyhouse => "crazyhouse",
            Variant::Bughouse => "bughouse",
            Variant::FischerRandom => "wild/fr",
            Variant::Standard => self.speed(),
        }
    }

    /// Returns `untimed`, `lightning`, `blitz` or `standard`, according to the time that a player has for forty moves: lightning
    /// is below three minutes, blitz below fifteen.
    ///
    /// Source: FICS help files `lightning`, `blitz`, `standard`.
    const fn speed(self) -> &'static str {
        match self.minutes.saturating_mul(60).saturating_add(self.increment_s.saturating_mul(40)) {
            0 => "untimed",
            1..180 => "lightning",
            180..900 => "blitz",
            900.. => "standard",
        }
    }

    /// Formats the terms as in `games`: `[ sr 10  10]`.
    ///
    /// Source: FICS help file `games`.
    pub(super) fn games_column(self) -> String {
        self.format_column(' ', first_letter(self.kind()), first_letter(self.kind()))
    }

    /// Formats the terms as in `history` and `stored`, with letters of the speed and of the variant: `[snr 10  10]`.
    ///
    /// Source: transcripts fatics-game-endings-a, fatics-crazyhouse-white, fatics-bughouse-whiteA.
    pub(super) fn history_column(self) -> String {
        self.format_column(first_letter(self.speed()), '9', 'n')
    }

    /// Formats the terms in brackets, after a mark. The letters are those of Chess960 and of chess; other variants have their
    /// own.
    fn format_column(self, mark: char, chess960: char, chess: char) -> String {
        let letter = match self.variant {
            Variant::Crazyhouse => 'z',
            Variant::Bughouse => 'B',
            Variant::FischerRandom => chess960,
            Variant::Standard => chess,
        };
        let rated = if self.rated { 'r' } else { 'u' };
        format!("[{mark}{letter}{rated}{:>3} {:>3}]", self.minutes, self.increment_s)
    }

    /// Returns `rated` or `unrated`.
    pub(crate) const fn rated_word(self) -> &'static str {
        if self.rated { "rated" } else { "unrated" }
    }

    /// Returns the initial reading of each clock, in milliseconds: ten seconds if there is only an increment.
    ///
    /// Source: style 12 rule K4.
    pub(crate) fn initial_ms(self) -> i64 {
        match (self.minutes, self.increment_s) {
            (0, 0) => 0,
            (0, _) => 10_000,
            (minutes, _) => i64::from(minutes) * 60_000,
        }
    }
}

impl fmt::Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.rated_word(), self.kind())?;
        if self.is_untimed() { Ok(()) } else { write!(f, " {} {}", self.minutes, self.increment_s) }
    }
}

/// A player of a game, with the rating and other facts that the lines of the game contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SeatedPlayer {
    pub(crate) name: Handle,
    /// Rating in this kind of game.
    pub(crate) rating: Rating,
    pub(crate) is_registered: bool,
    pub(crate) has_timeseal: bool,
}

impl SeatedPlayer {
    /// Formats the name and the rating: `Alekhine (1940)`.
    pub(crate) fn name_with_rating(&self) -> String {
        format!("{} ({:>4})", self.name, self.rating.to_string())
    }
}

/// Number, terms and players of a game that is played or examined.
#[derive(Clone, Debug)]
pub(crate) struct GameHeader {
    pub(crate) id: GameId,
    pub(crate) terms: Terms,
    pub(crate) seats: Sides<SeatedPlayer>,
    pub(crate) started: SystemTime,
}

impl GameHeader {
    pub(crate) fn names(&self) -> Sides<&str> {
        Sides { white: self.seats.white.name.as_str(), black: self.seats.black.name.as_str() }
    }

    /// Formats the players with their ratings, and the terms: `Alekhine (1940) Bogoljubov (1500) unrated blitz 10 0`.
    pub(crate) fn format_players_and_terms(&self) -> String {
        let Self { seats: Sides { white, black }, terms, .. } = self;
        format!("{} {} {terms}", white.name_with_rating(), black.name_with_rating())
    }

    /// Returns the color of the player with this name, in any case; `None` if neither player has it. White if both have it.
    pub(crate) fn color_of(&self, name: &str) -> Option<Color> {
        Color::BOTH.into_iter().find(|&color| self.seats.of(color).name == *name)
    }

    /// Returns whether both players have accounts.
    pub(crate) fn are_both_registered(&self) -> bool {
        self.seats.white.is_registered && self.seats.black.is_registered
    }

    /// Formats both reserves in a position, and the piece that was just added: `<b1> game 1 white [P] black [] <- WP`. `None` in
    /// variants without reserves.
    ///
    /// Source: bughouse §1; transcripts.
    pub(crate) fn holding_line(&self, position: &Position, added: Option<(Color, Role)>) -> Option<String> {
        let added =
            added.map(|(color, role)| format!(" <- {}{}", color_letter(color), role.letter())).unwrap_or_default();
        let Hands { white, black } = position.hands;
        let has_hands = self.terms.variant.has_hands();
        has_hands.then(|| format!("<b1> game {} white [{white}] black [{black}]{added}", self.id))
    }
}

/// A move of one side, with its time and the position after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ply {
    pub(crate) played: LastMove,
    pub(crate) san: String,
    /// Time charged for the move, in milliseconds.
    pub(crate) elapsed_ms: u32,
    /// Network delay that was not charged, in milliseconds.
    pub(crate) lag_ms: i32,
    /// The position after the move.
    pub(crate) position: Position,
    /// Readings of both clocks after the move.
    pub(crate) clocks_ms: Sides<i64>,
}

/// A start position and the moves played from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MoveRecord {
    start: Position,
    pub(crate) plies: Vec<Ply>,
}

impl MoveRecord {
    pub(crate) const fn new(start: Position) -> Self {
        Self { start, plies: Vec::new() }
    }

    /// Returns the position after that many plies, or after the last one if there are fewer.
    pub(crate) fn position_after(&self, plies: usize) -> &Position {
        let last = plies.min(self.plies.len()).checked_sub(1).and_then(|at| self.plies.get(at));
        last.map_or(&self.start, |ply| &ply.position)
    }

    /// Returns the position after the last ply.
    pub(crate) fn last_position(&self) -> &Position {
        self.position_after(self.plies.len())
    }

    /// Adds a move, which must be legal in the last position, with its SAN and the position after it.
    pub(crate) fn push_legal_move(&mut self, played: LastMove, elapsed_ms: u32, lag_ms: i32, clocks_ms: Sides<i64>) {
        let before = self.last_position();
        let (san, position) = (before.san(played), before.after(played));
        self.plies.push(Ply { played, san, elapsed_ms, lag_ms, position, clocks_ms });
    }

    /// Returns the position after the last ply for a change of its reserves, when the partner captures a piece.
    pub(crate) fn last_position_mut(&mut self) -> &mut Position {
        self.plies.last_mut().map_or(&mut self.start, |ply| &mut ply.position)
    }

    /// Counts the occurrences of the last position, including the last one.
    pub(crate) fn n_occurrences_of_last_position(&self) -> usize {
        let now = self.last_position();
        // No earlier position can be repeated after a capture, pawn move or drop.
        let since_lasting = usize::try_from(now.halfmove_clock).unwrap_or(usize::MAX);
        let earlier = self.plies.iter().map(|ply| &ply.position).rev().chain([&self.start]);
        earlier.take(since_lasting.saturating_add(1)).filter(|position| position.is_repetition_of(now)).count()
    }
}

/// Returns `W` or `B`.
pub(crate) const fn color_letter(color: Color) -> char {
    match color {
        Color::White => 'W',
        Color::Black => 'B',
    }
}

fn first_letter(word: &str) -> char {
    word.chars().next().unwrap_or_default()
}

/// How a game ended: the reason, and the side that the server's sentence names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Ending {
    pub(crate) reason: GameEndReason,
    /// The side that resigned, lost, left, aborted or adjourned, or whose partner won; `None` if the sentence names neither.
    side: Option<Color>,
}

impl Ending {
    /// Creates an ending whose sentence names no side.
    pub(crate) const fn of_game(reason: GameEndReason) -> Self {
        Self { reason, side: None }
    }

    /// Creates an ending whose sentence names a side: the one that resigned, lost, left, aborted or adjourned, or whose partner
    /// won.
    pub(crate) const fn of_side(reason: GameEndReason, side: Color) -> Self {
        Self { reason, side: Some(side) }
    }

    /// Returns how the game ends in this position; `None` if it continues. See [`Position::termination`].
    pub(crate) fn of_position(position: &Position) -> Option<Self> {
        let reason = position.termination()?;
        Some(Self { reason, side: (reason == GameEndReason::Mate).then_some(position.side_to_move) })
    }

    /// Returns who won; [`GameResult::Unfinished`] after an abort or an adjournment.
    pub(crate) fn result(self) -> GameResult {
        use GameEndReason::{Disconnect, Mate, Partner, Resign, Time};

        let winner = match self.reason {
            Partner => self.side,
            Resign | Mate | Time | Disconnect => self.side.map(Color::opponent),
            reason if reason.is_abort() || reason.is_adjournment() => return GameResult::Unfinished,
            _ => None,
        };
        match winner {
            Some(Color::White) => GameResult::WhiteWins,
            Some(Color::Black) => GameResult::BlackWins,
            None => GameResult::Draw,
        }
    }

    /// Formats the sentence with the names of the players: `Foo resigns`.
    pub(crate) fn format_text(self, names: Sides<&str>) -> String {
        let named = self.side.map(|side| [*names.of(side), *names.of(side.opponent())]);
        let names = named.as_ref().map_or(&[][..], |names| names);
        self.reason.to_sentence(&SentenceParts { names, ..SentenceParts::default() })
    }

    /// Returns how the game on the other board of a bughouse match ends if this one ends in this way.
    pub(crate) fn to_partner_ending(self) -> Self {
        let reason = match self.reason {
            reason if reason.is_adjournment() => GameEndReason::AdjournPartner,
            reason if reason.is_abort() => GameEndReason::AbortPartner,
            _ => GameEndReason::Partner,
        };
        // The winner's partner has the other color there.
        Self { reason, side: self.result().winner().map(Color::opponent) }
    }
}

#[cfg(test)]
mod tests;
