//! `<wa>`: arrivals with the ivar `pin`.

use super::listing::WhoStatus;
use super::{Handle, Rating, Titles, fields};
use crate::scan::Cursor;

/// Most ratings in a `<wa>` line; text after them is ignored.
const RATINGS: usize = 9;

/// A report that a player logged in: `<wa> gbtami 001411E1663P…`.
///
/// After the name come the status character of `who` (a blank if there is none), two hexadecimal digits of titles, and
/// the ratings, each with its mark (a blank for an established one), without separators.
///
/// Source: one captured line; the digits are those of the help file `seekinfo`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UserArrived {
    /// The player who logged in.
    pub name: Handle,
    /// The player's activity, by the status character of `who`.
    pub status: WhoStatus,
    /// The player's titles.
    pub titles: Titles,
    /// The ratings for blitz, standard, lightning, wild, bughouse, crazyhouse, suicide, losers and atomic, in this order; `None`
    /// for each that the line does not have.
    pub ratings: [Option<Rating>; RATINGS],
}

impl UserArrived {
    /// Parses a line with its tag; `None` if the name or the digits of the titles are missing or invalid. Text after the ratings is
    /// ignored.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let mut at = fields::after_tag(line, b"<wa>")?;
        let name = Handle::from_wire(Handle::read(&mut at)?);
        let status = WhoStatus::read_sign(at.skip_whitespace());
        let titles = read_title_digits(at.skip_whitespace())?;
        let ratings = std::array::from_fn(|_| Rating::read(&mut at));
        Some(Self { name, status, titles, ratings })
    }
}

/// Reads two hexadecimal digits, whose bits are titles.
fn read_title_digits(at: &mut Cursor<'_>) -> Option<Titles> {
    let (digits, _) = at.rest().split_at_checked(2)?;
    let bits = fields::parse_hex(digits)?;
    at.expect(digits)?;
    Some(Titles::from_seekinfo_bits(u8::try_from(bits).ok()?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::message::fields::testing::{any_rating, print_rating, print_title_bits};
    use crate::message::{Confidence, PresenceChange};

    fn print(user: &UserArrived, sign: u8) -> String {
        let ratings: String = user.ratings.iter().flatten().map(|&rating| print_rating(rating)).collect();
        format!("<wa> {} {}{}{ratings}", user.name, char::from(sign), print_title_bits(&user.titles))
    }

    fn arrived(name: &str, status: WhoStatus, titles: u8, sent: &[Rating]) -> UserArrived {
        let mut ratings = [None; RATINGS];
        for (rating, &sent) in ratings.iter_mut().zip(sent) {
            *rating = Some(sent);
        }
        UserArrived {
            name: Handle::from_wire(name.as_bytes()),
            status,
            titles: Titles::from_seekinfo_bits(titles),
            ratings,
        }
    }

    const fn rated(value: u16) -> Rating {
        Rating::Rated(value, Confidence::Established)
    }

    #[test]
    fn arrivals_with_and_without_a_status() {
        let [estimated, provisional] = [Confidence::Estimated, Confidence::Provisional];
        let captured =
            arrived("gbtami", WhoStatus::Free, 0, &[Rating::Rated(1411, estimated), Rating::Rated(1663, provisional)]);
        let cases: &[(&str, &str, UserArrived)] = &[
            ("captured, cut", "<wa> gbtami 001411E1663P", captured.clone()),
            ("two blanks: one is the status", "<wa> gbtami  001411E1663P", captured.clone()),
            ("no rating follows", "<wa> gbtami 001411E1663P\u{2026}", captured),
            (
                "playing computer, a blank for a mark",
                "<wa> visar ^022194 1500 0P",
                arrived("visar", WhoStatus::Playing, 2, &[rated(2194), rated(1500), Rating::Rated(0, provisional)]),
            ),
            ("status glued to the name", "<wa> visar^02", arrived("visar", WhoStatus::Playing, 2, &[])),
            (
                "ten ratings",
                "<wa> visar .041 2 3 4 5 6 7 8 9 10 ",
                arrived("visar", WhoStatus::Idle, 4, &[1, 2, 3, 4, 5, 6, 7, 8, 9].map(rated)),
            ),
        ];
        for (name, sent, want) in cases {
            assert_eq!(UserArrived::parse(sent.as_bytes()).as_ref(), Some(want), "{name}");
        }
    }

    #[test]
    fn lines_that_do_not_fit() {
        let cases = ["<wa>", "<wx> gbtami", "<wa> gbtami", "<wa> gbtami xx1411E"];
        for sent in cases {
            assert_eq!(UserArrived::parse(sent.as_bytes()), None, "{sent}");
        }
    }

    proptest! {
        #[test]
        fn a_printed_line_parses_to_the_same_value(
            name in "[A-Za-z]{1,17}",
            (sign, status) in proptest::sample::select([&WhoStatus::SIGNS[..], &[(b' ', WhoStatus::Free)]].concat()),
            titles in any::<u8>(),
            ratings in proptest::collection::vec(any_rating(), 0..=RATINGS),
        ) {
            let value = arrived(&name, status, titles, &ratings);
            prop_assert_eq!(UserArrived::parse(print(&value, sign).as_bytes()), Some(value));
        }

        #[test]
        fn any_bytes_are_accepted_or_refused_without_panic(line in "<w[ad]> ?[a-z]{0,3}[ ^.]{0,3}[0-9a-fEP ]{0,60}", bytes in any::<Vec<u8>>()) {
            let _ = (UserArrived::parse(line.as_bytes()), UserArrived::parse(&bytes), PresenceChange::parse_tagged_departure(&bytes));
        }
    }
}
