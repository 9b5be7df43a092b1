//! `<s>`, `<sn>`, `<sr>`, `<sc>`: the list of seek ads.

use std::fmt;

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
    pub fn parse(line: &[u8]) -> Option<Self> {
        fields::after_tag(line, b"<sc>").map(|_| Self)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::message::Message;
    use crate::message::fields::testing::any_rating;

    /// An ad with everything as in the help file's sample, for tests to change.
    pub(in super::super) fn sample() -> Seek {
        Seek {
            titles: Titles::from_seekinfo_bits(2),
            rating: Some(Rating::Established(2194)),
            initial_min: Some(4),
            increment_s: Some(0),
            rated: Some(true),
            kind: Some(ServerText::from_wire(b"suicide")),
            color: None,
            rating_min: Some(0),
            rating_max: Some(9999),
            automatic: Some(true),
            formula: Some(false),
            ..Seek::empty(8, Handle::from_wire(b"visar"), false)
        }
    }

    // Rules: datagrams S1, datagrams S2, bugs 65, bugs 66
    #[test]
    fn ads_in_every_shape() {
        let alekhine = Seek {
            index: 5,
            name: Handle::from_wire(b"Alekhine"),
            titles: Titles::default(),
            rating: Some(Rating::Established(1558)),
            initial_min: Some(3),
            kind: Some(ServerText::from_wire(b"crazyhouse")),
            color: Some(Color::Black),
            automatic: Some(false),
            ..sample()
        };
        let guest = Seek {
            index: 6,
            name: Handle::from_wire(b"GuestSSXE"),
            titles: Titles::from_seekinfo_bits(1),
            rating: Some(Rating::Established(0)),
            initial_min: Some(2),
            increment_s: Some(12),
            rated: Some(false),
            kind: Some(ServerText::from_wire(b"blitz")),
            ..sample()
        };
        let provisional = Seek { rating: Some(Rating::Provisional(0)), ..guest.clone() };
        let bare = Seek::empty(8, Handle::from_wire(b"visar"), false);
        let cases: &[(&str, &str, Seek)] = &[
            ("help", "<s> 8 w=visar ti=02 rt=2194  t=4 i=0 r=r tp=suicide c=? rr=0-9999 a=t f=f", sample()),
            ("captured", "<s> 5 w=Alekhine ti=00 rt=1558  t=3 i=0 r=r tp=crazyhouse c=B rr=0-9999 a=f f=f", alekhine),
            ("captured, guest", "<s> 6 w=GuestSSXE ti=01 rt=0  t=2 i=12 r=u tp=blitz c=? rr=0-9999 a=t f=f", guest),
            (
                "guest with a mark",
                "<s> 6 w=GuestSSXE ti=01 rt=0P t=2 i=12 r=u tp=blitz c=? rr=0-9999 a=t f=f",
                provisional,
            ),
            (
                "new",
                "<sn> 8 w=visar ti=02 rt=2194  t=4 i=0 r=r tp=suicide c=? rr=0-9999 a=t f=f",
                Seek { new: true, ..sample() },
            ),
            (
                "another order, unknown keys and words",
                "<s> 8 f=f a=t zz=1=2 rr=0-9999 c=? tp=suicide r=r i=0 t=4 rt=2194 word ti=0002 w=visar",
                sample(),
            ),
            ("no keys but the name, an empty value", "<s>8 w=visar rt=", bare),
        ];
        for (name, sent, want) in cases {
            assert_eq!(Seek::parse(sent.as_bytes()).as_ref(), Some(want), "{name}");
        }
        for (name, sent, seek) in &cases[..5] {
            assert_eq!(seek.to_string(), *sent, "{name}");
        }
    }

    #[test]
    fn a_line_with_a_missing_or_wrong_value_is_refused() {
        let cases = [
            "<sx> 8 w=visar",
            "<s>",
            "<s> 8",
            "<s> 8 w=",
            "<s> w=visar",
            "<s> 8 w=visar ti=xx",
            "<s> 8 w=visar rt=21x",
            "<s> 8 w=visar t=70000",
            "<s> 8 w=visar i=-1",
            "<s> 8 w=visar r=x",
            "<s> 8 w=visar c=?W",
            "<s> 8 w=visar rr=0",
            "<s> 8 w=visar a=true",
            "<s> 8 w=visar f=F",
        ];
        for sent in cases {
            assert_eq!(Seek::parse(sent.as_bytes()), None, "{sent}");
        }
    }

    // Rules: datagrams S5
    #[test]
    fn an_index_can_be_reused_for_another_ad() {
        let removed = SeeksRemoved::parse(b"<sr> 8").unwrap();
        let again = Seek::parse(b"<sn> 8 w=Foo").unwrap();
        assert!(removed.indexes.contains(&again.index));
        assert_eq!(again, Seek::empty(8, Handle::from_wire(b"Foo"), true));
    }

    // Rules: datagrams S4
    #[test]
    fn removals_name_any_numbers_any_number_of_times() {
        let cases: &[(&str, Option<&[u32]>)] = &[
            ("<sr> 8", Some(&[8])),
            ("<sr> 8 9", Some(&[8, 9])),
            ("<sr> 8 9 8 4294967295 1 2 ", Some(&[8, 9, 8, u32::MAX, 1, 2])),
            ("Ads removed: 22 1 119", Some(&[22, 1, 119])),
            ("<sr>", None),
            ("<sr> x", None),
            ("Ads removed: none", None),
        ];
        for &(sent, want) in cases {
            let in_text = || match Message::parse_untagged(sent.as_bytes()) {
                Some(Message::SeeksRemoved(removed)) => Some(SeeksRemoved::clone(&removed)),
                _ => None,
            };
            let read = SeeksRemoved::parse(sent.as_bytes()).or_else(in_text);
            assert_eq!(read.as_ref().map(|r| &r.indexes[..]), want, "{sent}");
        }
    }

    #[test]
    fn clearing_needs_no_more_than_the_tag() {
        assert_eq!(SeeksCleared::parse(b"<sc>"), Some(SeeksCleared));
        assert_eq!(SeeksCleared::parse(b"<sr>"), None);
    }

    prop_compose! {
        fn any_seek()(
            (index, name, bits, new) in (any::<u32>(), "[A-Za-z]{1,17}", any::<u8>(), any::<bool>()),
            rating in proptest::option::of(any_rating()),
            times in proptest::option::of(any::<(u16, u16)>()),
            kind in proptest::option::of("[a-z/0-9]{1,30}"),
            color in proptest::option::of(prop_oneof![Just(Color::White), Just(Color::Black)]),
            range in proptest::option::of(any::<(u16, u16)>()),
            (rated, automatic, formula) in any::<(Option<bool>, Option<bool>, Option<bool>)>(),
        ) -> Seek {
            Seek {
                titles: Titles::from_seekinfo_bits(bits),
                initial_min: times.map(|t| t.0),
                increment_s: times.map(|t| t.1),
                kind: kind.map(|kind| ServerText::from_wire(kind.as_bytes())),
                rating_min: range.map(|r| r.0),
                rating_max: range.map(|r| r.1),
                rating, rated, color, automatic, formula,
                ..Seek::empty(index, Handle::from_wire(name.as_bytes()), new)
            }
        }
    }

    proptest! {
        #[test]
        fn a_printed_line_parses_to_the_same_value(value in any_seek()) {
            prop_assert_eq!(Seek::parse(value.to_string().as_bytes()), Some(value));
        }

        #[test]
        fn removals_are_read_back(indexes in proptest::collection::vec(any::<u32>(), 1..20)) {
            let printed = indexes.iter().fold("<sr>".to_owned(), |line, index| format!("{line} {index}"));
            prop_assert_eq!(SeeksRemoved::parse(printed.as_bytes()).unwrap().indexes, indexes);
        }

        #[test]
        fn any_bytes_are_accepted_or_refused_without_panic(line in "<s[nrc]?> ?[0-9]{0,12}( [a-z]{0,2}=?[0-9a-zA-Z?, -]{0,9}){0,9}", bytes in any::<Vec<u8>>()) {
            let _ = (Seek::parse(line.as_bytes()), Seek::parse(&bytes), SeeksRemoved::parse(line.as_bytes()));
        }
    }
}
