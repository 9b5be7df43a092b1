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

/// Kind of game for ratings and lists: the variant, or the speed of a game of chess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum GameKind {
    Untimed,
    Lightning,
    Blitz,
    Standard,
    Crazyhouse,
    Bughouse,
    FischerRandom,
}

impl GameKind {
    /// Returns the name in `Creating:` lines and seeks, and the letter in lists of games.
    ///
    /// Source: FICS help file `games`.
    const fn name_and_letter(self) -> (&'static str, char) {
        match self {
            Self::Untimed => ("untimed", 'u'),
            Self::Lightning => ("lightning", 'l'),
            Self::Blitz => ("blitz", 'b'),
            Self::Standard => ("standard", 's'),
            Self::Crazyhouse => ("crazyhouse", 'z'),
            Self::Bughouse => ("bughouse", 'B'),
            Self::FischerRandom => ("wild/fr", 'w'),
        }
    }

    pub(crate) const fn as_str(self) -> &'static str {
        self.name_and_letter().0
    }

    pub(crate) const fn letter(self) -> char {
        self.name_and_letter().1
    }
}

impl Terms {
    /// Returns the terms of an unrated game of chess.
    pub(crate) const fn unrated(minutes: u32, increment_s: u32) -> Self {
        Self { variant: Variant::Standard, rated: false, minutes, increment_s }
    }

    pub(crate) const fn is_untimed(self) -> bool {
        self.minutes == 0 && self.increment_s == 0
    }

    /// Returns the kind of game. The speed of chess depends on the time that a player has for forty moves: lightning below three
    /// minutes, blitz below fifteen.
    ///
    /// Source: FICS help files `lightning`, `blitz`, `standard`.
    pub(crate) const fn kind(self) -> GameKind {
        match self.variant {
            Variant::Crazyhouse => return GameKind::Crazyhouse,
            Variant::Bughouse => return GameKind::Bughouse,
            Variant::FischerRandom => return GameKind::FischerRandom,
            Variant::Standard => {}
        }
        match self.minutes.saturating_mul(60).saturating_add(self.increment_s.saturating_mul(40)) {
            0 => GameKind::Untimed,
            1..180 => GameKind::Lightning,
            180..900 => GameKind::Blitz,
            900.. => GameKind::Standard,
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
        write!(f, "{} {}", self.rated_word(), self.kind().as_str())?;
        if self.is_untimed() { Ok(()) } else { write!(f, " {} {}", self.minutes, self.increment_s) }
    }
}
