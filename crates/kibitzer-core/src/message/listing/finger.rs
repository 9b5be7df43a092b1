//! The reply to `finger` and `statistics`.

use std::ops::ControlFlow;

use super::finger_ratings::{FingerRating, RatingColumn, parse_table_head};
use super::parts::{decode_field, read_text};
use super::{ListedPlayer, Listing};
use crate::by_name::named_enum;
use crate::message::template::{TemplateTable, match_table};
use crate::message::{GameId, Handle};
use crate::scan::Cursor;
use crate::text::{Line, PlayerText, decode_received};

/// A player's profile and ratings.
///
/// The first line is `Finger of Foo(TM):`, on uhlin-fics `Statistics for Foo      On for: 6 secs   Idle: 1 sec`. Then
/// follow, all optional: the presence, the game, the table of ratings, lines like `Email       : foo@example.com`, and
/// the player's notes ` 1: free text`. No line marks the end.
///
/// Source: FICS help file `finger`; transcripts of FatICS and uhlin-fics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finger {
    /// The player. The rating is `None`; see [`ratings`](Self::ratings).
    pub player: ListedPlayer,
    /// Whether the player has no account: `Foo is NOT a registered player.`
    pub is_unregistered: bool,
    /// Whether the player is logged in; `None` if no line reports it.
    pub presence: Option<OnlineStatus>,
    /// The game that the player plays, examines or observes; `None` if no line reports one.
    pub game: Option<FingerGame>,
    /// The rows of the table; empty without rated games.
    pub ratings: Vec<FingerRating>,
    /// The names and values of lines with a known name, such as `Email`.
    pub details: Vec<(String, PlayerText)>,
    /// The notes that the player wrote, each with its number, from 1 on. Their text is never parsed.
    pub notes: Vec<(u8, PlayerText)>,
    /// Lines of the reply that could not be parsed.
    pub unread: Vec<Line>,
    /// The columns of the table of ratings, from its head; empty before the head.
    columns: Vec<RatingColumn>,
}

/// Whether the player of a [`Finger`] is logged in. Times are text, as every server words them differently.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnlineStatus {
    /// `On for: 10 mins   Idle: 1 min`
    Online {
        /// Time since the player logged in, as printed.
        on_for: String,
        /// Time since the player's last command, as printed.
        idle: String,
    },
    /// `Last disconnected: 2026-11-21 00:37 UTC`
    LoggedOut {
        /// Time at which the player logged out, as printed.
        since: String,
    },
    /// The player has never logged in: `Foo has never connected.`
    Never,
}

/// The game in a [`Finger`]: `(playing game 5: A vs. B)`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FingerGame {
    /// The player's role in it.
    pub activity: GameActivity,
    /// The number of the game.
    pub game: GameId,
    /// White; `None` if the line does not name the players.
    pub white: Option<Handle>,
    /// Black; `None` if the line does not name the players.
    pub black: Option<Handle>,
}

named_enum! {
    /// A player's role in a game.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum GameActivity("Returns the name in JSON.") {
        /// The player plays: `playing`, `is in game`.
        Playing = "playing",
        /// The player examines the game: `examining`.
        Examining = "examining",
        /// The player observes the game: `observing`.
        Observing = "observing",
    }
}

impl Listing for Finger {
    fn add_line(&mut self, line: &[u8]) -> Option<ControlFlow<()>> {
        if self.player.name.as_str().is_empty() {
            self.try_add_head(line)?;
        } else {
            parse_note(line)
                .map(|note| self.notes.push(note))
                .or_else(|| OnlineStatus::parse(line).map(|presence| self.presence = Some(presence)))
                .or_else(|| FingerGame::parse(line).map(|game| self.game = Some(game)))
                .or_else(|| self.try_add_sentence(line))
                .or_else(|| parse_table_head(line).map(|columns| self.columns = columns))
                .or_else(|| FingerRating::parse_row(line, &self.columns).map(|row| self.ratings.push(row)))
                .or_else(|| parse_detail(line).map(|detail| self.details.push(detail)))?;
        }
        Some(ControlFlow::Continue(()))
    }
}

impl Finger {
    /// Adds the first line of the reply: the player, and on uhlin-fics the presence.
    fn try_add_head(&mut self, line: &[u8]) -> Option<()> {
        let mut at = Cursor::new(line);
        let is_fics = at.eat(b"Finger of ");
        (is_fics || at.eat(b"Statistics for ")).then_some(())?;
        let player = ListedPlayer::read(&mut at)?;
        if is_fics {
            at.expect(b":")?.expect_blank_rest()?;
        } else {
            self.presence = OnlineStatus::parse(at.rest().trim_ascii());
        }
        self.player = player;
        Some(())
    }

    /// Adds one of the known sentences that start with the player's name. The one about rated games is accepted, but changes
    /// nothing.
    fn try_add_sentence(&mut self, line: &[u8]) -> Option<()> {
        let sentence = decode_received(line.trim_ascii());
        match sentence.strip_prefix(self.player.name.as_str())? {
            " is NOT a registered player." => self.is_unregistered = true,
            " has never connected." => self.presence = Some(OnlineStatus::Never),
            " has not played any rated games." => {}
            _ => return None,
        }
        Some(())
    }
}

impl OnlineStatus {
    /// Parses `On for: …   Idle: …`, `Last disconnected: …`, `(Last disconnected …):` or `(Never connected.)`; `None` for any other
    /// text.
    fn parse(line: &[u8]) -> Option<Self> {
        if line == b"(Never connected.)" {
            return Some(Self::Never);
        }
        let bracketed = line.strip_prefix(b"(").and_then(|line| line.strip_suffix(b"):"));
        let mut at = Cursor::new(bracketed.unwrap_or(line));
        if at.eat(b"On for: ") {
            let on_for = read_text(&mut Cursor::new(at.take_until_and_skip(b" Idle: ")?));
            return Some(Self::Online { on_for, idle: read_text(&mut at) });
        }
        let _colon = at.expect(b"Last disconnected")?.eat(b":");
        Some(Self::LoggedOut { since: read_text(&mut at) })
    }
}

impl FingerGame {
    const FORMS: TemplateTable<GameActivity> = &[
        ("(playing game $: *)", GameActivity::Playing),
        ("(examining game $: *)", GameActivity::Examining),
        ("(Examining game $: *)", GameActivity::Examining),
        ("(examining game $)", GameActivity::Examining),
        ("(observing game $: *)", GameActivity::Observing),
        ("% is in game $: *", GameActivity::Playing),
    ];

    /// Parses `(playing game 5: A vs. B)` or `Foo is in game 5: …`; `None` for any other line.
    fn parse(line: &[u8]) -> Option<Self> {
        let (activity, captures) = match_table(line, Self::FORMS)?;
        let (white, black) = parse_versus(captures.rest).unzip();
        Some(Self { activity, game: captures.game?, white, black })
    }
}

/// Parses the names in `A vs. B`; `None` for any other text.
fn parse_versus(names: &[u8]) -> Option<(Handle, Handle)> {
    let mut at = Cursor::new(names);
    let white = at.take_until_and_skip(b" vs. ")?;
    let black = at.take_while(|b| b != b' ' && b != b'.');
    Some((Handle::from_wire(white), Handle::from_wire(black)))
}

/// Parses a line with a name and a value, `Timeseal 1:  On`; `None` for an unknown name, so that `Foo says: hi` is not a detail.
fn parse_detail(line: &[u8]) -> Option<(String, PlayerText)> {
    const KNOWN: [&[u8]; 18] = [
        b"Acc",
        b"Address",
        b"Admin Level",
        b"Admin level",
        b"Comments",
        b"Email",
        b"Full Name",
        b"Host",
        b"Real name",
        b"System",
        b"System/OS",
        b"Timeseal",
        b"Total time on-line",
        b"Total time online",
        b"Unix acc",
        b"Zipseal",
        b"% of life on-line",
        b"% of life online",
    ];
    let mut at = Cursor::new(line);
    let name = at.take_until_and_skip(b":")?.trim_ascii();
    let unnumbered = name.strip_suffix(b"1").or_else(|| name.strip_suffix(b"2")).unwrap_or(name);
    KNOWN.contains(&unnumbered.trim_ascii_end()).then_some(())?;
    Some(decode_field(name, at.take_rest().trim_ascii()))
}

/// Parses a note with its number, ` 1: free text`.
fn parse_note(line: &[u8]) -> Option<(u8, PlayerText)> {
    let mut at = Cursor::new(line);
    let number = at.skip_whitespace().number()?;
    let _blank = at.expect(b":")?.eat(b" ");
    Some((number, PlayerText::from_wire(at.take_rest())))
}

#[cfg(test)]
mod tests;
