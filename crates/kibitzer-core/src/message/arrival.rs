//! Arrivals and departures of players.

use super::{Handle, Titles, fields};
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
    /// A line that starts with `:` is a robot's, even if it relays a notification. Administrators receive `pin` lines with the
    /// player's address in brackets after the name; it is skipped.
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
    /// Consumes whichever of the two texts comes next; `None` if neither does.
    fn read_either(at: &mut Cursor<'_>, arrived: &[u8], departed: &[u8]) -> Option<Self> {
        if at.eat(arrived) {
            return Some(Self::Arrived);
        }
        at.eat(departed).then_some(Self::Departed)
    }
}

#[cfg(test)]
mod tests {
    use super::PresenceChangeKind::*;
    use super::PresenceReportReason::*;
    use super::*;

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
}
