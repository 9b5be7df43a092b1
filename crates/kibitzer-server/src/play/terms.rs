//! Variant, rating and time control of a game.

use std::fmt;

use crate::chess::Variant;

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

fn first_letter(word: &str) -> char {
    word.chars().next().unwrap_or_default()
}
