//! Seek ads in the form for people, sent while the ivar `seekinfo` is off, and notices about this login's seeks.

use smallvec::SmallVec;
use strum::AsRefStr;

use super::template::{TemplateTable, match_table, read_bracketed_color, read_rated};
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

impl SeekNotice {
    /// Parses a line; `None` if it is not one of the variants' sentences. Blanks before the sentence are ignored.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let (notice, captures) = match_table(line.trim_ascii_start(), NOTICES)?;
        Some(notice(captures.number.unwrap_or_default()))
    }
}

const NOTICES: TemplateTable<fn(u32) -> SeekNotice> = &[
    ("Your seek has been posted with index #.", |index| SeekNotice::Posted { index }),
    ("(# player saw the seek.)", |players| SeekNotice::Seen { players }),
    ("(# players saw the seek.)", |players| SeekNotice::Seen { players }),
    ("(# player(s) saw the seek.)", |players| SeekNotice::Seen { players }),
    ("Your seeks have been removed.", |_| SeekNotice::Removed),
    ("You can only have # active seeks.", |limit| SeekNotice::TooMany { limit }),
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::chess::Color;
    use crate::message::seek::tests::sample;

    fn ad(index: u32, name: &str, rating: Option<Rating>, times: Option<(u16, u16)>, rated: bool, kind: &str) -> Seek {
        Seek {
            index,
            name: Handle::from_wire(name.as_bytes()),
            titles: Titles::default(),
            rating,
            initial_min: times.map(|t| t.0),
            increment_s: times.map(|t| t.1),
            rated: Some(rated),
            kind: Some(ServerText::from_wire(kind.as_bytes())),
            rating_min: None,
            rating_max: None,
            new: true,
            ..sample()
        }
    }

    const fn rated(value: u16) -> Rating {
        Rating::Established(value)
    }

    #[test]
    fn ads_in_the_order_of_each_server() {
        let full = Seek {
            titles: Titles::from_seekinfo_bits(2),
            color: Some(Color::White),
            automatic: Some(false),
            formula: Some(true),
            ..ad(48, "Foo", Some(rated(886)), Some((2, 12)), true, "blitz")
        };
        let crazyhouse = Seek {
            color: Some(Color::Black),
            automatic: Some(false),
            ..ad(5, "Alekhine", Some(rated(1558)), Some((3, 0)), true, "blitz crazyhouse")
        };
        let ranged = Seek {
            rating_min: Some(1300),
            rating_max: Some(1600),
            ..ad(17, "Foo", Some(rated(1449)), Some((5, 0)), true, "blitz")
        };
        let cases: &[(&str, &str, Seek)] = &[
            ("FICS", "Foo(C) ( 886) seeking 2 12 rated blitz [white] m f (\"play 48\" to respond)", full.clone()),
            ("FatICS", "Foo(C) (886) seeking 2 12 rated blitz [white] mf (\"play 48\" to respond)", full),
            (
                "captured, two words of type",
                "Alekhine (1558) seeking 3 0 rated blitz crazyhouse [black] m (\"play 5\" to respond)",
                crazyhouse,
            ),
            (
                "captured, guest",
                "GuestSSXE (++++) seeking 2 12 unrated blitz (\"play 6\" to respond)",
                ad(6, "GuestSSXE", Some(Rating::Guest), Some((2, 12)), false, "blitz"),
            ),
            (
                "captured, no rating",
                "Alekhine (----) seeking 9 9 rated standard (\"play 9\" to respond)",
                ad(9, "Alekhine", Some(Rating::Unrated), Some((9, 9)), true, "standard"),
            ),
            (
                "untimed",
                "Foo (1449) seeking unrated untimed (\"play 9\" to respond)",
                ad(9, "Foo", Some(rated(1449)), None, false, "untimed"),
            ),
            ("ICC", "Foo (1449) seeking blitz 5 0 rated 1300-1600 (\"play 17\" to respond)", ranged),
            (
                "ICC, guest, type of two words",
                "guest7 seeking Wild 24 3 0 unrated (\"play 17\" to respond)",
                ad(17, "guest7", None, Some((3, 0)), false, "Wild 24"),
            ),
        ];
        for (name, sent, want) in cases {
            assert_eq!(Seek::parse_text(sent.as_bytes()).as_ref(), Some(want), "{name}");
        }
    }

    #[test]
    fn lines_that_are_not_ads() {
        let cases = [
            "Foo tells you: Bar (1449) seeking 5 0 rated blitz (\"play 17\" to respond)",
            "Foo (1449) seeking 5 0 rated blitz (\"play 17\" to respond) or not",
            "Foo (1449) seeking 5 0 rated blitz",
            "Foo (1449) seeking a friend (\"play 17\" to respond)",
            "Foo (1449) seeking blitz 5 0 rated (\"play Foo\" to respond)",
            "Foo (1449) seeking 5 0 rated a b c d e f g h i j k l m n o p (\"play 17\" to respond)",
            "",
        ];
        for sent in cases {
            assert_eq!(Seek::parse_text(sent.as_bytes()), None, "{sent}");
        }
    }

    // Rules: datagrams S6
    #[test]
    fn notices_about_own_ads() {
        let cases: &[(&str, Option<SeekNotice>)] = &[
            ("Your seek has been posted with index 121.", Some(SeekNotice::Posted { index: 121 })),
            ("(1 player saw the seek.)", Some(SeekNotice::Seen { players: 1 })),
            ("(4 players saw the seek.)", Some(SeekNotice::Seen { players: 4 })),
            ("(5 player(s) saw the seek.)", Some(SeekNotice::Seen { players: 5 })),
            ("Your seeks have been removed.", Some(SeekNotice::Removed)),
            ("You can only have 3 active seeks.", Some(SeekNotice::TooMany { limit: 3 })),
            ("Your seek has been posted with index 121. ", Some(SeekNotice::Posted { index: 121 })),
            ("Your seek has been posted with index 121. Hello", None),
            ("(5 saw the seek.)", None),
            ("", None),
        ];
        for &(sent, want) in cases {
            assert_eq!(SeekNotice::parse(sent.as_bytes()), want, "{sent}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_accepted_or_refused_without_panic(
            terms in "([0-9]{1,6}|rated|unrated|m|f|\\[white\\]|[0-9]-[0-9]| ){0,40}",
            bytes in any::<Vec<u8>>(),
        ) {
            let _ = Seek::parse_text(format!("Foo seeking {terms} (\"play 17\" to respond)").as_bytes());
            let _ = (Seek::parse_text(&bytes), SeekNotice::parse(&bytes));
        }
    }
}
