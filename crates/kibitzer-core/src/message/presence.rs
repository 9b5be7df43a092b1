//! Logins and logouts: those of this session, with their refusals and announcements, and those of other players.

use std::fmt;

use super::template::{TemplateTable, match_table, templates};
use super::{Handle, Rating, Titles, fields};
use crate::by_name::named_enum;
use crate::scan::{Cursor, find};
use crate::text::ServerText;

/// The report that the login succeeded: `**** Starting FICS session as Foo(*)(TD) ****`.
///
/// Not every server sends such a line. Where it is missing, the first prompt shows that the login is complete.
///
/// Source: transcripts; transport §7.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoggedIn {
    /// The name of this login, as the server spells it.
    pub name: Handle,
    /// The titles of this login; `U` marks a guest.
    pub titles: Titles,
    /// The server's name for itself: `FICS`.
    pub server: ServerText,
}

named_enum! {
    /// Why a server refused the login: `**** Invalid password! ****`, `Sorry, Foo is already logged in. Try again.`
    ///
    /// The wording differs between servers and versions, so only a distinctive part is compared, ignoring case. Parse such lines
    /// only before the login is complete; afterwards the same words may be text (a message of the day, a help page).
    ///
    /// Source: transport §7; transcripts of two servers.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum LoginRefusal("Returns the reason in `snake_case`, as in JSON.", "no refusal of a login has this name") {
        /// The password is wrong.
        InvalidPassword = "invalid_password",
        /// Another guest is logged in under the name.
        NameInUse = "name_in_use",
        /// The account or the address is banned.
        Banned = "banned",
        /// The name is too short, too long, or has characters other than letters.
        BadName = "bad_name",
        /// Guests are not admitted, in general or from this client's address.
        NotRegistered = "not_registered",
        /// The login took longer than the server allows.
        Timeout = "timeout",
        /// The server accepts no more players.
        Full = "full",
        /// The server is full and has put the login in a queue; it continues without further input.
        Queued = "queued",
        /// Another reason, such as a time stamp that the server cannot parse.
        Other = "other",
    }
}

impl LoginRefusal {
    /// Returns the refusal for the code of ICC's datagram 69; [`Other`](Self::Other) for a code that is not listed.
    ///
    /// Codes 9 (an empty password) and 5 (a missing password) are mapped to [`InvalidPassword`](Self::InvalidPassword).
    ///
    /// Source: ICC's list of codes.
    pub(crate) const fn from_icc_code(code: u8) -> Self {
        match code {
            // Codes of ICC: 2 to 4 are about the name, 6 to 8 about guests, 18 and 19 about the number of players.
            2..=4 => Self::BadName,
            5 | 9 | 11 => Self::InvalidPassword,
            6..=8 | 17 => Self::NotRegistered,
            12 => Self::Banned,
            14 => Self::NameInUse,
            18 | 19 => Self::Full,
            20 => Self::Queued,
            _ => Self::Other,
        }
    }

    /// Parses a line, ignoring case; `None` if it is not a known refusal, or if it is longer than 200 bytes once blanks and stars
    /// at its ends, final punctuation and `Try again.` are removed.
    #[doc(hidden)]
    pub fn parse(line: &[u8]) -> Option<Self> {
        // The longest known line has 80 bytes. The limit keeps long chat lines cheap.
        let sentence = strip_decoration(line).filter(|sentence| sentence.len() <= 200)?.to_ascii_lowercase();
        let refusal = match_table(&sentence, REFUSALS).map(|(refusal, _)| refusal);
        refusal.or_else(|| Self::from_guest_or_site_refusal(&sentence))
    }

    /// Returns the refusal for a lower-case sentence about guests or about the client's address; `None` for any other sentence.
    /// The known words may be anywhere, but only letters and simple punctuation may precede them, because a colon would indicate
    /// chat.
    fn from_guest_or_site_refusal(sentence: &[u8]) -> Option<Self> {
        const RULES: [(&[u8], LoginRefusal); 5] = [
            (b"guest logins are blocked", LoginRefusal::NotRegistered),
            (b"may use this server from your site", LoginRefusal::Banned),
            (b"guest connections have been prevented", LoginRefusal::NotRegistered),
            (b"may login without an account", LoginRefusal::NotRegistered),
            (b"nobody from your site may login", LoginRefusal::Banned),
        ];
        let is_prose = |words: &[u8]| words.iter().all(|b| b.is_ascii_alphabetic() || b" ,.'".contains(b));
        let (_, reason) = RULES
            .iter()
            .find(|(part, _)| find(sentence, part).and_then(|at| sentence.get(..at)).is_some_and(is_prose))?;
        Some(*reason)
    }
}

/// Sentences in lower case, without stars and final punctuation. Of those about a full server, only the start is known.
const REFUSALS: TemplateTable<LoginRefusal> = templates! {
    LoginRefusal::InvalidPassword => "invalid password";
    LoginRefusal::Timeout => "login timeout";
    LoginRefusal::Other => "unknown timeseal version" "timeseal error*";
    LoginRefusal::Full => "{|sorry, }the server is {|currently }full*";
    LoginRefusal::BadName => "a name should be at least *" "names should be at {least|most} *"
        "names should only consist of *" "sorry, names can only consist of *" "sorry, names may be at most *";
    LoginRefusal::NameInUse => "sorry{,|} % is already logged in";
    LoginRefusal::Banned => "player \"%\" is banned";
};

/// Removes stars, blanks, final punctuation and a final `Try again.`; `None` if the rest does not start with a letter.
fn strip_decoration(line: &[u8]) -> Option<&[u8]> {
    let sentence = trim_decoration(line);
    let (head, tail) = sentence.split_at_checked(sentence.len().saturating_sub(9)).unwrap_or_default();
    let sentence = if tail.eq_ignore_ascii_case(b"try again") { trim_decoration(head) } else { sentence };
    sentence.first()?.is_ascii_alphabetic().then_some(sentence)
}

/// Removes blanks and stars at both ends, and final full stops and exclamation marks.
pub(super) fn trim_decoration(mut line: &[u8]) -> &[u8] {
    while let [b' ' | b'*', rest @ ..] | [rest @ .., b' ' | b'*' | b'.' | b'!'] = line {
        line = rest;
    }
    line
}

/// Whether the name of the login belongs to an account: `"Foo" is a registered name.  If it is yours, type the
/// password.`
///
/// Source: transport §7; transcripts of two servers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NameStatus {
    /// The name as the server spells it. For a guest who requested no particular name, it is the name that the server assigned.
    pub name: Handle,
    /// Whether an account has the name.
    pub kind: NameKind,
}

/// Whether a name belongs to an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[expect(clippy::exhaustive_enums, reason = "a name has an account or not")]
pub enum NameKind {
    /// An account has the name; the server asks for its password next.
    Registered,
    /// No account has the name; this login may enter as a guest.
    Unregistered,
}

/// The reason why the server disconnects this login: `**** Foo has arrived - you can't both be logged in. ****`.
///
/// The line alone does not end the session; the session is over only if the connection closes right after it.
///
/// Source: transcripts of two servers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum KickedBy {
    /// A second login to the same account. Logging in again would throw that one out in turn.
    SecondLogin,
    /// The administrator with this name.
    Admin(Handle),
}

named_enum! {
    /// An announcement that the connection is about to end, or the withdrawal of one.
    ///
    /// Source: transport §9; transcripts of two servers.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Farewell("Returns the reason in JSON.", "no farewell has this name") {
        /// `**** Auto-logout because you were idle more than 60 minutes. ****`
        Idle = "idle",
        /// `Logging you out.`, the reply to `quit` and the last line of a shutdown.
        LoggingOut = "logging_out",
        /// The server announces that it will stop, or that it stops now.
        Shutdown = "shutdown",
        /// The server canceled the shutdown.
        ShutdownCanceled = "shutdown_canceled",
    }
}

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
    /// Parses a `<wd>` line, which reports a departure while the ivar `pin` is set; the text after the name is ignored. `None` if
    /// the tag or a valid name is missing.
    #[doc(hidden)]
    pub fn parse_tagged_departure(line: &[u8]) -> Option<Self> {
        let name = Handle::read(&mut fields::after_tag(line, b"<wd>")?)?;
        let (titles, kind) = (Titles::default(), PresenceChangeKind::Departed);
        Some(Self { name: Handle::from_wire(name), titles, kind, reason: PresenceReportReason::Pin })
    }
}

named_enum! {
    /// A player's activity.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum WhoStatus("Returns the name in JSON.", "no status of a player has this name") {
        /// A blank: none of the other states.
        Free = "free",
        /// `^`: plays a game.
        Playing = "playing",
        /// `~`: gives a simultaneous exhibition.
        Simul = "simul",
        /// `:`: accepts no challenges.
        NotOpen = "not_open",
        /// `#`: examines a game.
        Examining = "examining",
        /// `.`: idle for five minutes or more, or marked as busy.
        Idle = "idle",
        /// `&`: takes part in a tournament.
        Tournament = "tournament",
    }
}

impl WhoStatus {
    /// The sign before the name for each status except [`Free`](Self::Free).
    const SIGNS: [(u8, Self); 6] = [
        (b'^', Self::Playing),
        (b'~', Self::Simul),
        (b':', Self::NotOpen),
        (b'#', Self::Examining),
        (b'.', Self::Idle),
        (b'&', Self::Tournament),
    ];

    /// Returns the sign before the name; a blank for [`Free`](Self::Free).
    #[doc(hidden)]
    pub fn sign(self) -> char {
        Self::SIGNS.iter().find(|(_, status)| *status == self).map_or(' ', |&(sign, _)| char::from(sign))
    }

    /// Reads the sign of a status; [`Free`](Self::Free), without consuming anything, if there is none.
    pub(super) fn read_sign(at: &mut Cursor<'_>) -> Self {
        Self::SIGNS.iter().find(|(sign, _)| at.eat(&[*sign])).map_or(Self::Free, |&(_, status)| status)
    }
}

/// Maximum number of ratings in a `<wa>` line; text after them is ignored.
pub(crate) const RATINGS: usize = 9;

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
    /// Creates the report of a player's login, to write it.
    #[doc(hidden)]
    pub const fn new(name: Handle, status: WhoStatus, titles: Titles, ratings: [Option<Rating>; RATINGS]) -> Self {
        Self { name, status, titles, ratings }
    }

    /// Returns whether the player has an account.
    pub fn is_registered(&self) -> bool {
        self.titles.iter().all(|title| title != "U")
    }

    /// Parses a line with its tag; `None` if the name or the digits of the titles are missing or invalid. Text after the ratings
    /// is ignored.
    #[doc(hidden)]
    pub fn parse(line: &[u8]) -> Option<Self> {
        Self::read(&mut fields::after_tag(line, b"<wa>")?)
    }

    /// Reads the text after the tag, which is also a row of `who I`.
    pub(super) fn read(at: &mut Cursor<'_>) -> Option<Self> {
        let name = Handle::from_wire(Handle::read(at)?);
        let status = WhoStatus::read_sign(at.skip_whitespace());
        let (digits, _) = at.skip_whitespace().rest().split_at_checked(2)?;
        let titles = Titles::from_seekinfo_bits(u8::try_from(fields::parse_hex(digits)?).ok()?);
        at.expect(digits)?;
        let ratings = std::array::from_fn(|_| Rating::read(at));
        Some(Self { name, status, titles, ratings })
    }
}

/// Writes the line with its tag.
impl fmt::Display for UserArrived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<wa> {}{}{:02x}", self.name, self.status.sign(), self.titles.seekinfo_bits())?;
        self.ratings.iter().flatten().try_for_each(|rating| {
            let rating = rating.or_zero();
            let mark = if rating.mark().is_empty() { " " } else { rating.mark() };
            write!(f, "{:04}{mark}", rating.value().unwrap_or_default())
        })
    }
}

#[cfg(test)]
mod tests;
