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

    /// Returns the name of the kind of game in `Creating:` lines, seeks and ratings: the variant, or the speed of a game of chess.
    /// The speed depends on the time that a player has for forty moves: lightning below three minutes, blitz below fifteen.
    ///
    /// Source: FICS help files `lightning`, `blitz`, `standard`.
    pub(crate) const fn kind(self) -> &'static str {
        let chess_s = self.minutes.saturating_mul(60).saturating_add(self.increment_s.saturating_mul(40));
        match (self.variant, chess_s) {
            (Variant::Crazyhouse, _) => "crazyhouse",
            (Variant::Bughouse, _) => "bughouse",
            (Variant::FischerRandom, _) => "wild/fr",
            (Variant::Standard, 0) => "untimed",
            (Variant::Standard, 1..180) => "lightning",
            (Variant::Standard, 180..900) => "blitz",
            (Variant::Standard, 900..) => "standard",
        }
    }

    /// Returns the letter of the kind of game in lists of games.
    ///
    /// Source: FICS help file `games`.
    pub(crate) fn kind_letter(self) -> char {
        match self.variant {
            Variant::Crazyhouse => 'z',
            Variant::Bughouse => 'B',
            Variant::Standard | Variant::FischerRandom => self.kind().chars().next().unwrap_or_default(),
        }
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
