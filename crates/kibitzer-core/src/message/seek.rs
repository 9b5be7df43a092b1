//! The list of seek ads: `<s>`, `<sn>`, `<sr>`, `<sc>`, ads in the form for people while the ivar `seekinfo` is off, and notices.

use std::fmt;

use smallvec::SmallVec;
use strum::AsRefStr;

use super::template::{read_bracketed_color, read_rated};
use super::{Handle, Rating, Titles, fields};
use crate::chess::Color;
use crate::scan::Cursor;
use crate::text::ServerText;

/// An ad in the seek list: `<s> 8 w=visar ti=02 rt=2194  t=4 i=0 r=r tp=suicide c=? rr=0-9999 a=t f=f`.
///
/// Fields that the line does not have are `None`. A new ad replaces an older one with the same index, as servers reuse
/// numbers after a removal. Text ads ([`parse_text`](Self::parse_text)) and rows of
/// [`SoughtList`](super::listing::SoughtList) have the same type. `Display` writes the tagged line, without titles that have no bit
/// in it.
///
/// Source: FICS help file `seekinfo`; captured sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Seek {
    /// The number of the ad, which the command `play` accepts.
    pub index: u32,
    /// The player who posted the ad.
    pub name: Handle,
    /// The seeker's titles.
    pub titles: Titles,
    /// The seeker's rating for this type of game. Tagged lines have 0 for a player without a rating, including a guest.
    pub rating: Option<Rating>,
    /// Minutes on each clock at the start.
    pub initial_min: Option<u16>,
    /// Seconds added per move.
    pub increment_s: Option<u16>,
    /// Whether the game would be rated.
    pub rated: Option<bool>,
    /// Type of the game as received: `blitz`, `wild/2`, in text ads also `blitz crazyhouse`.
    pub kind: Option<ServerText>,
    /// The color that the seeker requests; `None` if either is accepted.
    pub color: Option<Color>,
    /// Lowest rating with which a player may answer the ad.
    pub rating_min: Option<u16>,
    /// Highest rating with which a player may answer the ad.
    pub rating_max: Option<u16>,
    /// Whether the game starts without the seeker's consent.
    pub automatic: Option<bool>,
    /// Whether an answer has to satisfy the seeker's formula.
    pub formula: Option<bool>,
    /// Whether the server reported the ad as new (`<sn>`, or a text ad) rather than listed it (`<s>`, `sought`). Some servers
    /// send `<s>` only.
    pub new: bool,
}

impl Seek {
    /// Parses an `<s>` or `<sn>` line: the number of the ad, then `key=value` words in any order.
    ///
    /// Unknown keys and empty values are ignored. `None` if the number or the name (`w`) is missing, or if the value of a known
    /// key is invalid.
    #[doc(hidden)]
    pub fn parse(line: &[u8]) -> Option<Self> {
        let listed = fields::after_tag(line, b"<s>");
        let new = listed.is_none();
        let mut at = listed.or_else(|| fields::after_tag(line, b"<sn>"))?;
        let mut seek = Self::empty(fields::read_field_number(&mut at)?, Handle::default(), new);
        while let Some((key, value)) = fields::next_pair(&mut at) {
            seek.set_field_unless_invalid(key, value)?;
        }
        (!seek.name.as_str().is_empty()).then_some(seek)
    }

    /// Creates an ad with these fields; every other one is empty or `None`.
    pub(super) fn empty(index: u32, name: Handle, new: bool) -> Self {
        Self { index, name, new, ..Self::default() }
    }

    /// Stores the value of a known key, and ignores unknown keys; `None` if the value is invalid.
    fn set_field_unless_invalid(&mut self, key: &[u8], value: &[u8]) -> Option<()> {
        match key {
            b"w" => self.name = Handle::from_wire(value),
            b"ti" => {
                // A server with more titles would send more digits; the known titles are in the last two.
                let [.., known] = fields::parse_hex(value)?.to_be_bytes();
                self.titles = Titles::from_seekinfo_bits(known);
            }
            b"rt" => self.rating = Some(fields::parse_whole(value, Rating::read)?),
            b"t" => self.initial_min = Some(fields::parse_whole(value, Cursor::number)?),
            b"i" => self.increment_s = Some(fields::parse_whole(value, Cursor::number)?),
            b"r" => self.rated = Some(parse_choice(value, b"r", b"u")?),
            b"tp" => self.kind = Some(ServerText::from_wire(value)),
            b"c" if value == b"?" => self.color = None,
            b"c" => self.color = Some(fields::parse_whole(value, |at| Color::from_letter(*at.take_one().first()?))?),
            b"rr" => (self.rating_min, self.rating_max) = fields::parse_pair(value, b"-", Cursor::number)?,
            b"a" => self.automatic = Some(parse_choice(value, b"t", b"f")?),
            b"f" => self.formula = Some(parse_choice(value, b"t", b"f")?),
            _ => {}
        }
        Some(())
    }
}

impl fmt::Display for Seek {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tag = if self.new { "<sn>" } else { "<s>" };
        let flag = |flag: Option<bool>| flag.map(|yes| if yes { 't' } else { 'f' });
        let color = match self.color {
            None => '?',
            Some(Color::White) => 'W',
            Some(Color::Black) => 'B',
        };
        write!(f, "{tag} {} w={} ti={:02x}", self.index, self.name, self.titles.seekinfo_bits())?;
        // An established rating has a blank in place of its mark.
        let rating = self.rating.map(Rating::or_zero);
        fields::write_field(f, "rt", rating)?;
        f.write_str(if rating.is_some_and(|rating| rating.mark().is_empty()) { " " } else { "" })?;
        fields::write_field(f, "t", self.initial_min)?;
        fields::write_field(f, "i", self.increment_s)?;
        fields::write_field(f, "r", self.rated.map(|rated| if rated { 'r' } else { 'u' }))?;
        fields::write_field(f, "tp", self.kind.as_ref())?;
        fields::write_field(f, "c", Some(color))?;
        fields::write_pair(f, "rr", [self.rating_min, self.rating_max], '-')?;
        fields::write_field(f, "a", flag(self.automatic))?;
        fields::write_field(f, "f", flag(self.formula))
    }
}

/// Returns `true` for a value equal to `yes`, `false` for one equal to `no`, and `None` for any other.
fn parse_choice(value: &[u8], yes: &[u8], no: &[u8]) -> Option<bool> {
    (value == yes || value == no).then_some(value == yes)
}

/// Seek ads that were removed: `<sr> 8 9`, or `Ads removed: 22 1 119` as text.
///
/// It may include numbers that were never listed. Source: FICS help file `seekinfo`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SeeksRemoved {
    /// The numbers of the ads, one or more.
    pub indexes: Vec<u32>,
}

impl SeeksRemoved {
    /// Parses a line with its tag; `None` if it has no number, or anything besides numbers.
    #[doc(hidden)]
    pub fn parse(line: &[u8]) -> Option<Self> {
        let indexes = fields::parse_number_list(fields::after_tag(line, b"<sr>")?)?;
        Some(Self { indexes })
    }
}

/// A report that the server emptied the seek list: `<sc>`, sent before a full list and when a game begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SeeksCleared;

impl SeeksCleared {
    /// Parses a line with its tag; the rest of the line is ignored. `None` without the tag.
    #[doc(hidden)]
    pub fn parse(line: &[u8]) -> Option<Self> {
        fields::after_tag(line, b"<sc>").map(|_| Self)
    }
}

/// Most words in the terms of a text ad, more than any server prints. Ads with more words are not parsed.
const MAX_WORDS: usize = 16;

/// The words of an ad's terms, without an allocation.
type TermWords<'a> = SmallVec<[&'a [u8]; MAX_WORDS]>;

impl Seek {
    /// Parses an ad in the form for people, which is always [`new`](Self::new).
    ///
    /// FICS: `Foo(C) ( 886) seeking 2 12 rated blitz [white] m f ("play 48" to respond)`.
    ///
    /// ICC: `Foo (1449) seeking blitz 5 0 rated 1300-1600 ("play 17" to respond)`; guests may have no rating.
    ///
    /// `None` for any other line, for an ad without the number for `play`, and for one with more than sixteen words of terms.
    ///
    /// Source: FICS help file `seek`; captured sessions.
    #[doc(hidden)]
    pub fn parse_text(line: &[u8]) -> Option<Self> {
        let mut at = Cursor::new(line);
        at.skip_whitespace();
        let name = Handle::from_wire(Handle::read(&mut at)?);
        let titles = Titles::read(&mut at);
        let rating = Rating::read_bracketed(at.skip_whitespace());
        let terms = at.skip_whitespace().expect(b"seeking ")?.take_until_and_skip(b"(\"play ")?;
        let index = at.number()?;
        at.expect(b"\" to respond)")?;
        at.expect_blank_rest()?;
        let mut seek = Self { titles, rating, ..Self::empty(index, name, true) };
        seek.set_text_terms(terms)?;
        Some(seek)
    }

    /// Stores the terms between `seeking` and `("play`: the times before `rated` or `unrated`, the type of game before or after it,
    /// then options. `None` without `rated` or `unrated`, and for more than [`MAX_WORDS`] words.
    fn set_text_terms(&mut self, terms: &[u8]) -> Option<()> {
        let words: TermWords<'_> =
            terms.split(|&b| b == b' ').filter(|word| !word.is_empty()).take(MAX_WORDS + 1).collect();
        (words.len() <= MAX_WORDS).then_some(())?;
        let rated = |word: &[u8]| fields::parse_whole(word, read_rated);
        let (place, rated) = words.iter().enumerate().find_map(|(place, word)| Some((place, rated(word)?)))?;
        let (before, [_, after @ ..]) = words.split_at_checked(place)? else { return None };
        self.rated = Some(rated);
        // The text has `m` and `f` only if they differ from these.
        self.automatic = Some(true);
        self.formula = Some(false);
        let mut kind: TermWords<'_> = self.set_times_from_last_words(before).iter().copied().collect();
        kind.extend(after.iter().copied().filter(|word| !self.try_set_option(word)));
        self.kind = (!kind.is_empty()).then(|| ServerText::from_wire(&kind.join(&b' ')));
        Some(())
    }

    /// Stores the last two words as initial minutes and increment in seconds, and returns the words before them. Returns all words if
    /// the last two are not numbers, as in an untimed game.
    fn set_times_from_last_words<'w, 'a>(&mut self, words: &'w [&'a [u8]]) -> &'w [&'a [u8]] {
        if let [kind @ .., initial, increment] = words
            && let Some(initial) = fields::parse_whole(initial, Cursor::number)
            && let Some(increment) = fields::parse_whole(increment, Cursor::number)
        {
            self.initial_min = Some(initial);
            self.increment_s = Some(increment);
            return kind;
        }
        words
    }

    /// Stores an option (a color, `m`, `f` or a rating range); returns whether the word is one.
    fn try_set_option(&mut self, word: &[u8]) -> bool {
        if let Some(color) = fields::parse_whole(word, read_bracketed_color) {
            self.color = Some(color);
        } else if let Some((rating_min, rating_max)) = fields::parse_pair(word, b"-", Cursor::number) {
            self.rating_min = rating_min;
            self.rating_max = rating_max;
        } else {
            match word {
                b"m" => self.automatic = Some(false),
                b"f" => self.formula = Some(true),
                b"mf" => {
                    self.automatic = Some(false);
                    self.formula = Some(true);
                }
                _ => return false,
            }
        }
        true
    }
}

/// A notice by the server about the seek ads of this login.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, AsRefStr)]
#[cfg_attr(test, derive(strum::VariantNames))]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum SeekNotice {
    /// `Your seek has been posted with index 121.`
    #[non_exhaustive]
    Posted {
        /// The number of the new ad.
        index: u32,
    },
    /// `(5 player(s) saw the seek.)`
    #[non_exhaustive]
    Seen {
        /// Number of players who saw it.
        players: u32,
    },
    /// The terms of an ad changed: `Updating seek ad 105 to automatic.`
    #[non_exhaustive]
    Updated {
        /// The number of the ad.
        index: u32,
    },
    /// `Your seek 8 has been removed.`
    #[strum(serialize = "removed")]
    #[non_exhaustive]
    RemovedOne {
        /// The number of the ad.
        index: u32,
    },
    /// `Your seeks have been removed.`
    Removed,
    /// `You can only have 3 active seeks.`
    #[non_exhaustive]
    TooMany {
        /// Number of ads that a player may have at once.
        limit: u32,
    },
}

#[cfg(test)]
mod tests;
