//! Seek ads in the form for people, sent while the ivar `seekinfo` is off, and notices about this login's seeks.

use smallvec::SmallVec;
use strum::AsRefStr;

use super::template::{read_bracketed_color, read_rated};
use super::{Handle, Rating, Seek, Titles, fields};
use crate::scan::Cursor;
use crate::text::ServerText;

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
        (self.automatic, self.formula) = (Some(true), Some(false));
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
            (self.initial_min, self.increment_s) = (Some(initial), Some(increment));
            return kind;
        }
        words
    }

    /// Stores an option (a color, `m`, `f` or a rating range); returns whether the word is one.
    fn try_set_option(&mut self, word: &[u8]) -> bool {
        if let Some(color) = fields::parse_whole(word, read_bracketed_color) {
            self.color = Some(color);
        } else if let Some(range) = fields::parse_pair(word, b"-", Cursor::number) {
            (self.rating_min, self.rating_max) = range;
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
    Posted {
        /// The number of the new ad.
        index: u32,
    },
    /// `(5 player(s) saw the seek.)`
    Seen {
        /// Number of players who saw it.
        players: u32,
    },
    /// `Your seeks have been removed.`
    Removed,
    /// `You can only have 3 active seeks.`
    TooMany {
        /// Number of ads that a player may have at once.
        limit: u32,
    },
}

#[cfg(test)]
mod tests;
