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
mod tests;
