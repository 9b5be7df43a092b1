//! The reply to `finger` and `statistics`.

use std::ops::ControlFlow;

use strum::EnumString;

use crate::by_name::named_enum;
use crate::message::listing::collect::{NamedValue, read_text};
use crate::message::listing::{ListedName, ListedPlayer, Listing};
use crate::message::template::{TemplateTable, match_table};
use crate::message::{GameId, Handle, Rating};
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
    pub details: Vec<NamedValue>,
    /// The notes that the player wrote.
    pub notes: Vec<FingerNote>,
    /// Lines of the reply that could not be parsed.
    pub unread: Vec<Line>,
    /// The columns of the table of ratings, from its head; empty before the head.
    columns: Vec<RatingColumn>,
}

/// One note of a [`Finger`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FingerNote {
    /// The number of the note, from 1 on.
    pub number: u8,
    /// The text, which is never parsed.
    pub text: PlayerText,
}

/// Whether the player of a [`Finger`] is logged in. Times are text, as every server words them differently.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnlineStatus {
    /// `On for: 10 mins   Idle: 1 min`
    #[non_exhaustive]
    Online {
        /// Time since the player logged in, as printed.
        on_for: String,
        /// Time since the player's last command, as printed.
        idle: String,
    },
    /// `Last disconnected: 2026-11-21 00:37 UTC`
    #[non_exhaustive]
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
    pub white: Option<ListedName>,
    /// Black; `None` if the line does not name the players.
    pub black: Option<ListedName>,
}

named_enum! {
    /// A player's role in a game.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum GameActivity("Returns the name in JSON.", "no activity has this name") {
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
fn parse_versus(names: &[u8]) -> Option<(ListedName, ListedName)> {
    let mut at = Cursor::new(names);
    let white = at.take_until_and_skip(b" vs. ")?;
    let black = at.take_while(|b| b != b' ' && b != b'.');
    Some((Handle::from_wire(white).into(), Handle::from_wire(black).into()))
}

/// Parses a line with a name and a value, `Timeseal 1:  On`; `None` for an unknown name, so that `Foo says: hi` is not a detail.
fn parse_detail(line: &[u8]) -> Option<NamedValue> {
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
    Some(NamedValue::from_wire(name, at.take_rest().trim_ascii()))
}

/// Parses a note with its number, ` 1: free text`.
fn parse_note(line: &[u8]) -> Option<FingerNote> {
    let mut at = Cursor::new(line);
    let number = at.skip_whitespace().number()?;
    let _blank = at.expect(b":")?.eat(b" ");
    Some(FingerNote { number, text: PlayerText::from_wire(at.take_rest()) })
}

/// One row of ratings in a [`Finger`](super::Finger). A value is `None` if the server has no such column or leaves it blank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FingerRating {
    /// The kind of game as printed: `Blitz`, `blitz crazyhouse`.
    pub category: String,
    /// The rating.
    pub rating: Option<Rating>,
    /// The rating deviation in tenths: `54.4` is 544.
    pub rd_tenths: Option<u32>,
    /// The volatility in millionths (FatICS).
    pub volatility_millionths: Option<u32>,
    /// Games won.
    pub wins: Option<u32>,
    /// Games lost.
    pub losses: Option<u32>,
    /// Games drawn.
    pub draws: Option<u32>,
    /// Games played.
    pub total: Option<u32>,
    /// The best rating ever; `None` if the player has none yet.
    pub best: Option<Rating>,
    /// The day of the best rating as printed: `15-Mar-2003`.
    pub best_on: Option<String>,
}

/// A column of the table of ratings. `FromStr` parses its heading, such as `win` or `RD`; case matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "lowercase")]
pub(super) enum RatingColumn {
    Rating,
    #[strum(serialize = "RD")]
    Rd,
    #[strum(serialize = "Volat.")]
    Volatility,
    Win,
    Loss,
    Draw,
    Total,
    Best,
}

/// Parses the head of the table, `         rating     RD     win   loss   draw  total   best`; `None` for any other line, and if a
/// column is unknown.
pub(super) fn parse_table_head(line: &[u8]) -> Option<Vec<RatingColumn>> {
    let mut at = Cursor::new(line);
    at.skip_whitespace();
    // FatICS names the first column too.
    if at.eat(b"speed & variant") {
        at.skip_whitespace();
    }
    at.rest().starts_with(b"rating ").then_some(())?;
    let words = at.rest().split(|&b| b == b' ').filter(|word| !word.is_empty());
    words.map(|word| str::from_utf8(word).ok()?.parse().ok()).collect()
}

impl FingerRating {
    /// Parses a row of a table with these columns; `None` if the line does not fit them, or if there are none.
    pub(super) fn parse_row(line: &[u8], columns: &[RatingColumn]) -> Option<Self> {
        (!columns.is_empty()).then_some(())?;
        let mut at = Cursor::new(line);
        let mut row = Self { category: read_category(&mut at)?, ..Self::default() };
        for &column in columns {
            at.skip_whitespace();
            row.read_cell(&mut at, column)?;
        }
        at.expect_blank_rest()?;
        Some(row)
    }

    /// Reads the cell of a column, and stores its value in the row; `None` if the cell does not fit. The cells of
    /// [`RatingColumn::Best`] may be blank.
    fn read_cell(&mut self, at: &mut Cursor<'_>, column: RatingColumn) -> Option<()> {
        match column {
            RatingColumn::Rating => self.rating = Some(Rating::read(at)?),
            RatingColumn::Rd => self.rd_tenths = Some(read_fixed_point(at, 1)?),
            RatingColumn::Volatility => self.volatility_millionths = Some(read_fixed_point(at, 6)?),
            RatingColumn::Win => self.wins = Some(at.number()?),
            RatingColumn::Loss => self.losses = Some(at.number()?),
            RatingColumn::Draw => self.draws = Some(at.number()?),
            RatingColumn::Total => self.total = Some(at.number()?),
            // The column is blank until there is a best rating.
            RatingColumn::Best => {
                self.best = Rating::read(at);
                let day = at.skip_whitespace().between(b"(", b")", |at| Some(at.take_while(|b| b != b')')));
                // FatICS prints the day without brackets.
                let day = day.or_else(|| at.attempt(|at| at.word_here().filter(|day| day.contains(&b'-'))));
                self.best_on = day.map(|day| decode_received(day).into_owned());
            }
        }
        Some(())
    }
}

/// Reads the category: the words before the first cell, each starting with a letter. `None` for a line with another start, such as
/// a numbered chat line.
fn read_category(at: &mut Cursor<'_>) -> Option<String> {
    at.peek().filter(u8::is_ascii_alphabetic)?;
    let from = *at;
    while at.peek()?.is_ascii_alphabetic() {
        at.take_while(|b| b.is_ascii_alphanumeric() || b == b'/' || b == b'-');
        at.expect(b" ")?.skip_whitespace();
    }
    Some(read_text(&mut Cursor::new(at.since(from))))
}

/// Reads a decimal number, and returns it multiplied by ten to the power of `decimals`: with 1, `54.4` is 544, and `54` is 540.
/// Further digits are ignored.
fn read_fixed_point(at: &mut Cursor<'_>, decimals: usize) -> Option<u32> {
    let whole: u32 = at.number()?;
    let digits = if at.eat(b".") { at.take_while(|b| b.is_ascii_digit()) } else { b"" };
    let padded = digits.iter().chain(std::iter::repeat(&b'0')).take(decimals);
    padded.copied().try_fold(whole, |value, digit| value.checked_mul(10)?.checked_add(u32::from(digit - b'0')))
}

#[cfg(test)]
mod tests;
