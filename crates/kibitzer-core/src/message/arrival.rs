//! Arrivals and departures of players.

use super::listing::WhoStatus;
use super::{Handle, Rating, Titles, fields};
use crate::scan::Cursor;

/// A report that a player logged in or out: `Notification: Foo has arrived.`, `[Foo has connected.]`, `<wd> Foo`.
///
/// Source: help files `notify`, `pin`; transcripts of two servers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PresenceChange {
    /// The player who logged in or out.
    pub name: Handle,
    /// The player's titles; empty if the line has none.
    pub titles: Titles,
    /// Whether the player logged in or out.
    pub kind: PresenceChangeKind,
    /// Why the server sends the line.
    pub reason: PresenceReportReason,
}

/// Whether a player logged in or out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "players come or go")]
pub enum PresenceChangeKind {
    /// The player logged in.
    Arrived,
    /// The player logged out, or lost the connection.
    Departed,
}

/// Reason why the server reports a player's arrival or departure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PresenceReportReason {
    /// The player is on this login's notify list.
    Notify,
    /// This login is on the player's notify list, but not the reverse (variable `notifiedby`).
    NotifiedBy,
    /// The player has an adjourned game with this login.
    Adjourned,
    /// The server reports all players (variable `pin`, ivar `pin`).
    Pin,
}

impl PresenceChange {
    /// Parses a notification or a bracketed `pin` line; `None` for any other line, including the tagged ones.
    ///
    /// A line that starts with `:` is a robot's output and is refused, even if it relays a notification. Administrators receive
    /// `pin` lines with the player's address in brackets after the name; it is skipped.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let mut at = Cursor::new(line);
        if at.eat(b"[") {
            return Self::parse_pin_line(at);
        }
        at.expect(b"Notification: ")?;
        Self::parse_notification(at)
    }

    /// Parses a `<wd>` line, which reports a departure while the ivar `pin` is set; the text after the name is ignored. `None` if
    /// the tag or a valid name is missing.
    pub fn parse_tagged_departure(line: &[u8]) -> Option<Self> {
        let name = Handle::read(&mut fields::after_tag(line, b"<wd>")?)?;
        let (titles, kind) = (Titles::default(), PresenceChangeKind::Departed);
        Some(Self { name: Handle::from_wire(name), titles, kind, reason: PresenceReportReason::Pin })
    }

    /// Parses the rest of a line after `Notification: `.
    fn parse_notification(mut at: Cursor<'_>) -> Option<Self> {
        let name = Handle::read(&mut at)?;
        let titles = Titles::read(&mut at);
        let is_opponent = at.eat(b", who has an adjourned game with you,");
        let kind = PresenceChangeKind::read_either(&mut at, b" has arrived", b" has departed")?;
        let is_stranger = at.eat(b" and isn't on your notify list");
        at.expect(b".")?.expect_blank_rest()?;
        let reason = match (is_opponent, is_stranger) {
            (true, _) => PresenceReportReason::Adjourned,
            (false, true) => PresenceReportReason::NotifiedBy,
            (false, false) => PresenceReportReason::Notify,
        };
        Some(Self { name: Handle::from_wire(name), titles, kind, reason })
    }

    /// Parses the rest of a `pin` line after its opening bracket.
    fn parse_pin_line(mut at: Cursor<'_>) -> Option<Self> {
        let name = Handle::read(&mut at)?;
        let titles = Titles::read(&mut at);
        // Administrators see the address after the name, registered or unregistered.
        if at.eat(b" (R: ") || at.eat(b" (U: ") {
            at.take_while(|b| b != b')' && b != b' ');
            at.expect(b")")?;
        }
        let kind = PresenceChangeKind::read_either(&mut at, b" has connected", b" has disconnected")?;
        at.expect(b".]")?.expect_blank_rest()?;
        Some(Self { name: Handle::from_wire(name), titles, kind, reason: PresenceReportReason::Pin })
    }
}

impl PresenceChangeKind {
    /// Consumes whichever of the two texts comes next, and returns the kind that it stands for; `None` if neither does.
    fn read_either(at: &mut Cursor<'_>, arrived: &[u8], departed: &[u8]) -> Option<Self> {
        if at.eat(arrived) {
            return Some(Self::Arrived);
        }
        at.eat(departed).then_some(Self::Departed)
    }
}

/// Maximum number of ratings in a `<wa>` line; text after them is ignored.
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
    /// Parses a line with its tag; `None` if the name or the digits of the titles are missing or invalid. Text after the ratings
    /// is ignored.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let mut at = fields::after_tag(line, b"<wa>")?;
        let name = Handle::from_wire(Handle::read(&mut at)?);
        let status = WhoStatus::read_sign(at.skip_whitespace());
        let (digits, _) = at.skip_whitespace().rest().split_at_checked(2)?;
        let titles = Titles::from_seekinfo_bits(u8::try_from(fields::parse_hex(digits)?).ok()?);
        at.expect(digits)?;
        let ratings = std::array::from_fn(|_| Rating::read(&mut at));
        Some(Self { name, status, titles, ratings })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::PresenceChangeKind::*;
    use super::PresenceReportReason::*;
    use super::*;
    use crate::message::fields::testing::{any_rating, print_rating, print_title_bits};

    #[test]
    fn every_form_of_notification() {
        let cases: &[(&str, &str, &[&str], PresenceChangeKind, PresenceReportReason)] = &[
            ("Notification: Boris has arrived.", "Boris", &[], Arrived, Notify),
            ("Notification: Carla has departed.", "Carla", &[], Departed, Notify),
            ("Notification: Foo(FM)(*) has arrived.", "Foo", &["FM", "*"], Arrived, Notify),
            ("Notification: Erika has departed and isn't on your notify list.", "Erika", &[], Departed, NotifiedBy),
            ("Notification: Foo has arrived and isn't on your notify list.", "Foo", &[], Arrived, NotifiedBy),
            (
                "Notification: Bogoljubov, who has an adjourned game with you, has arrived.",
                "Bogoljubov",
                &[],
                Arrived,
                Adjourned,
            ),
            ("[Alekhine has connected.]", "Alekhine", &[], Arrived, Pin),
            ("[GuestZEGN has disconnected.]", "GuestZEGN", &[], Departed, Pin),
            ("[Foo(U) has connected.]", "Foo", &["U"], Arrived, Pin),
            ("[Trouble (U: 127.0.0.1) has connected.]", "Trouble", &[], Arrived, Pin),
            ("[Boris (R: 127.0.0.1) has connected.]", "Boris", &[], Arrived, Pin),
        ];
        for &(line, name, titles, kind, reason) in cases {
            let read = PresenceChange::parse(line.as_bytes()).unwrap_or_else(|| panic!("not read: {line}"));
            assert_eq!((read.name.as_str(), read.kind, read.reason), (name, kind, reason), "{line}");
            assert_eq!(read.titles.iter().collect::<Vec<_>>(), titles, "{line}");
        }
    }

    #[test]
    fn departures_with_the_ivar() {
        let departed = PresenceChange::parse_tagged_departure(b"<wd> gbtami").unwrap();
        assert_eq!((departed.name.as_str(), departed.kind, departed.reason), ("gbtami", Departed, Pin));
        for line in ["<wx> gbtami", "<wd>", "<wd> 17"] {
            assert_eq!(PresenceChange::parse_tagged_departure(line.as_bytes()), None, "{line}");
        }
    }

    // Rules: text X0, ten 8
    #[test]
    fn chat_is_never_an_arrival() {
        let cases = [
            "Foo tells you: Notification: Bar has arrived.",
            "--> Foo has arrived.",
            "Foo has arrived.",
            "Notification: Foo Bar has arrived.",
            "Notification: Foo has arrived. ok?",
            "Notification: Foo has arrived",
            "Notification: Foo has left.",
            " Notification: Foo has arrived.",
            ":Notification: Foo has arrived.",
            "[Foo has connected.] really",
            "[Foo has connected]",
            "[Dmitri] added to your notify list.",
            "[Foo (X: 1) has connected.]",
            "Your arrival was noted by: Carla.",
            "Present company includes: Dmitri.",
            "**** Foo has arrived - you can't both be logged in. ****",
            "Your partner, Bogoljubov, has departed.",
        ];
        for line in cases {
            assert_eq!(PresenceChange::parse(line.as_bytes()), None, "{line}");
        }
    }

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
        Rating::Established(value)
    }

    #[test]
    fn arrivals_with_and_without_a_status() {
        let captured = arrived("gbtami", WhoStatus::Free, 0, &[Rating::Estimated(1411), Rating::Provisional(1663)]);
        let cases: &[(&str, &str, UserArrived)] = &[
            ("captured, cut", "<wa> gbtami 001411E1663P", captured.clone()),
            ("two blanks: one is the status", "<wa> gbtami  001411E1663P", captured.clone()),
            ("no rating follows", "<wa> gbtami 001411E1663P\u{2026}", captured),
            (
                "playing computer, a blank for a mark",
                "<wa> visar ^022194 1500 0P",
                arrived("visar", WhoStatus::Playing, 2, &[rated(2194), rated(1500), Rating::Provisional(0)]),
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
    fn tagged_arrivals_that_do_not_fit() {
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
