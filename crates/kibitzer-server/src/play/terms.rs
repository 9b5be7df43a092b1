//! What was agreed before the game.

use std::fmt;

use crate::chess::Variant;

/// What was agreed before the game. `Display` writes `rated blitz 5 0`, or `unrated untimed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Terms {
    pub(crate) variant: Variant,
    pub(crate) rated: bool,
    /// Minutes on each clock.
    pub(crate) minutes: u32,
    /// Seconds added for each move.
    pub(crate) increment_s: u32,
}

/// The name of a kind of game: the variant, or how fast it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    Untimed,
    Lightning,
    Blitz,
    Standard,
    Crazyhouse,
    Bughouse,
    FischerRandom,
}

impl Kind {
    /// The name, as `Creating:` and seeks have it.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Untimed => "untimed",
            Self::Lightning => "lightning",
            Self::Blitz => "blitz",
            Self::Standard => "standard",
            Self::Crazyhouse => "crazyhouse",
            Self::Bughouse => "bughouse",
            Self::FischerRandom => "wild/fr",
        }
    }

    /// The letter in lists of games.
    ///
    /// Source: FICS help file `games`.
    pub(crate) const fn letter(self) -> char {
        match self {
            Self::Untimed => 'u',
            Self::Lightning => 'l',
            Self::Blitz => 'b',
            Self::Standard => 's',
            Self::Crazyhouse => 'z',
            Self::Bughouse => 'B',
            Self::FischerRandom => 'w',
        }
    }
}

impl Terms {
    /// A blitz or slower game of chess with nothing at stake.
    pub(crate) const fn unrated(minutes: u32, increment_s: u32) -> Self {
        Self { variant: Variant::Standard, rated: false, minutes, increment_s }
    }

    pub(crate) const fn is_untimed(self) -> bool {
        self.minutes == 0 && self.increment_s == 0
    }

    /// The kind of game. Chess is called after the time a game of forty moves gives a player: below three minutes it is
    /// lightning, below fifteen blitz.
    ///
    /// Source: FICS help files `lightning`, `blitz`, `standard`.
    pub(crate) const fn kind(self) -> Kind {
        match self.variant {
            Variant::Crazyhouse => return Kind::Crazyhouse,
            Variant::Bughouse => return Kind::Bughouse,
            Variant::FischerRandom => return Kind::FischerRandom,
            Variant::Standard => {}
        }
        match self.minutes.saturating_mul(60).saturating_add(self.increment_s.saturating_mul(40)) {
            0 => Kind::Untimed,
            1..180 => Kind::Lightning,
            180..900 => Kind::Blitz,
            900.. => Kind::Standard,
        }
    }

    /// `rated` or `unrated`.
    pub(crate) const fn rated_word(self) -> &'static str {
        if self.rated { "rated" } else { "unrated" }
    }

    /// What is on each clock at the start, in milliseconds: ten seconds if there is an increment only.
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
