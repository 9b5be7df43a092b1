//! Expressions and their meaning.

use std::cell::OnceCell;
use std::fmt;
use std::time::Duration;

use kibitzer_core::chess::Color;
use kibitzer_core::message::{GameId, Handle, Message, Rating, Style12, TalkKind};
use kibitzer_core::{Event, EventKind};
use regex_lite::Regex;

use super::words::{TerminalSafe, parse_duration};

/// Words with a meaning of their own in an expression; other words are searched as text.
pub(super) const RESERVED: [&str; 5] = ["and", "or", "not", "mine", "unanswered"];

/// A filter expression, such as `kind:tell from:foo`. `Display` writes the text it was parsed from, trimmed and on one line;
/// expressions with the same text are equal.
#[derive(Clone, Debug)]
pub struct Expression {
    pub(super) text: String,
    pub(super) term: Term,
}

/// An expression, or a part of one.
#[derive(Clone, Debug)]
pub(super) enum Term {
    /// All of these hold.
    And(Vec<Self>),
    /// At least one of these holds.
    Or(Vec<Self>),
    Not(Box<Self>),
    /// The event is of one of these kinds.
    Kind(Vec<&'static str>),
    /// The event is about one of these games.
    Game(Vec<GameId>),
    /// The event reports words of one of these players, in any case.
    From(Vec<String>),
    /// The text mentions one of these players, in any case.
    Name(Vec<String>),
    /// The text contains this text, in any case, which is stored in lower case.
    Text(String),
    /// The text matches this pattern, which ignores case.
    Matches(Regex),
    /// The event is about a game of this login, or an offer to it: see [`Attribution::is_own_game`](kibitzer_core::event::Attribution::is_own_game).
    Mine,
    /// The event is a sent line of a request that has no reply.
    Unanswered,
    Compare(Comparison),
}

impl Expression {
    /// Returns whether the event or console row meets the expression.
    pub fn accepts(&self, subject: &Subject<'_>) -> bool {
        self.term.accepts(subject)
    }
}

impl Term {
    fn accepts(&self, subject: &Subject<'_>) -> bool {
        match self {
            Self::And(all) => all.iter().all(|one| one.accepts(subject)),
            Self::Or(any) => any.iter().any(|one| one.accepts(subject)),
            Self::Not(inner) => !inner.accepts(subject),
            Self::Kind(kinds) => kinds.contains(&subject.kind),
            Self::Game(games) => subject.game.is_some_and(|game| games.contains(&game)),
            Self::From(names) => subject.speaker().is_some_and(|speaker| is_one_of(names, speaker.as_str())),
            Self::Name(names) => mentioned_names(subject.text()).any(|word| is_one_of(names, word)),
            Self::Text(text) => subject.text().to_lowercase().contains(text),
            Self::Matches(pattern) => pattern.is_match(subject.text()),
            Self::Mine => subject.event.is_some_and(|event| event.attribution().is_own_game()),
            Self::Unanswered => subject.is_unanswered,
            Self::Compare(comparison) => comparison.accepts(subject),
        }
    }
}

/// Returns the words of a text that may be handles. A hyphen may be part of a handle: `Foo-Bar` gives the whole word and both
/// parts.
fn mentioned_names(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    words.flat_map(|word| std::iter::once(word).chain(word.split('-')))
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Returns whether the list contains the word, in any ASCII case.
pub(super) fn is_one_of(words: &[impl AsRef<str>], word: &str) -> bool {
    words.iter().any(|known| known.as_ref().eq_ignore_ascii_case(word))
}

/// Kind of the rows in which users of the console mark a place.
pub const MARK: &str = "mark";
/// Kind of the console's rows for actions of a bot.
pub const BOT: &str = "bot";
/// Kind of the console's rows for long silences.
pub const GAP: &str = "gap";
/// Kind of the console's rows at which a recorded connection ends.
pub const DISCONNECTED: &str = "disconnected";

/// Kind of the reports of a [filter](super::EventFilter) that a reply began.
pub const ANSWERED: &str = "answered";

/// Returns every valid value of `kind:`: the kinds of events, and those of the console's other rows and of reports.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    EventKind::ALL.iter().map(|kind| kind.as_str()).chain([MARK, BOT, GAP, DISCONNECTED, ANSWERED])
}

/// An event or a console row, as expressions see it.
#[expect(missing_debug_implementations, reason = "it borrows what it compares")]
pub struct Subject<'a> {
    pub(super) kind: &'static str,
    pub(super) game: Option<GameId>,
    /// `None` for rows that are not events, such as marks.
    pub(super) event: Option<&'a Event>,
    /// Time from the sent line to this event, if the event starts its reply.
    pub(super) reply_after: Option<Duration>,
    is_unanswered: bool,
    /// The text that words and patterns are searched in.
    display: &'a dyn fmt::Display,
    /// Result of [`text`](Self::text), which is formatted at the first use.
    text: OnceCell<String>,
}

impl<'a> Subject<'a> {
    /// Creates the subject of an event. `reply_after` is the time from the sent line, if the event starts its reply.
    pub fn of_event(event: &'a Event, reply_after: Option<Duration>) -> Self {
        Self { event: Some(event), reply_after, ..Self::of_row(event.kind().as_str(), game_of(event), event) }
    }

    /// Creates the subject of a row that is not an event, with the text to search in. `mine` and comparisons do not accept it.
    pub fn of_row(kind: &'static str, game: Option<GameId>, display: &'a dyn fmt::Display) -> Self {
        Self { kind, game, event: None, reply_after: None, is_unanswered: false, display, text: OnceCell::new() }
    }

    /// Creates the subject of the report that a reply began, `after` the sent line.
    pub(super) fn of_reply(after: Duration, display: &'a dyn fmt::Display) -> Self {
        Self { reply_after: Some(after), ..Self::of_row(ANSWERED, None, display) }
    }

    /// Returns the subject as that of a sent line, and sets whether it has no reply.
    #[must_use]
    pub fn unanswered_if(self, is_unanswered: bool) -> Self {
        Self { is_unanswered, ..self }
    }

    /// Returns the text as the console's list of events shows it, with control characters escaped.
    pub(super) fn text(&self) -> &str {
        self.text.get_or_init(|| TerminalSafe(&self.display.to_string()).in_cells().into_owned())
    }

    /// Returns the player whose words the event reports; `None` for other events and for rows.
    pub(super) fn speaker(&self) -> Option<Handle> {
        self.event?.message().and_then(Message::speaker)
    }
}

/// Returns the game that an event changed, otherwise the game that its message names. `None` if the event is about no game.
pub fn game_of(event: &Event) -> Option<GameId> {
    event.affected_game().or_else(|| event.message()?.game())
}

/// A number of an event that expressions can compare.
#[derive(Clone, Copy, Debug, strum::EnumString, strum::VariantNames)]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
pub(super) enum Quantity {
    /// Lag of the last move, as the server measured it.
    Lag,
    /// Remaining time of either player.
    Clock,
    /// Time that the last move took.
    Elapsed,
    /// Time from a sent line to its reply.
    Reply,
    /// Number of the last move; White's and Black's move share it.
    Move,
    /// Any rating that the event names.
    Rating,
}

/// Compares a number of an event, the first argument, with the value in the expression.
pub(super) type Operator = fn(&i64, &i64) -> bool;

/// The operators and their signs. The parser tries them in this order, so longer signs come first.
pub(super) const OPERATORS: [(&str, Operator); 6] =
    [("<=", i64::le), (">=", i64::ge), ("!=", i64::ne), ("<", i64::lt), (">", i64::gt), ("=", i64::eq)];

/// A comparison of a [`Quantity`] with a value, such as `lag>1s`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comparison {
    pub(super) quantity: Quantity,
    pub(super) operator: Operator,
    /// In microseconds if the quantity is a duration.
    pub(super) value: i64,
}

impl Quantity {
    /// Parses a value to compare with: an integer for a move or rating, otherwise a duration such as `10s`, which is returned in
    /// microseconds.
    ///
    /// # Errors
    ///
    /// A description of the expected format.
    pub(super) fn parse_value(self, text: &str) -> Result<i64, &'static str> {
        if let Self::Move | Self::Rating = self {
            return text.parse().map_err(|_| "a number is needed, such as 40");
        }
        let ms = i64::try_from(parse_duration(text)?.as_millis()).unwrap_or(i64::MAX);
        Ok(ms.min(i64::MAX / 1_000) * 1_000)
    }

    /// Returns the numbers of this quantity in an event, at most one for each player; durations in microseconds. `None` where the
    /// event has no such number.
    fn numbers_of(self, subject: &Subject<'_>) -> [Option<i64>; 2] {
        let board = subject.event.and_then(Event::board).map(|board| &**board);
        let us = |ms: i64| ms.saturating_mul(1_000);
        let one = |value| [value, None];
        match self {
            Self::Lag => one(board.and_then(Style12::lag_ms).map(|ms| us(ms.into()))),
            Self::Clock => Color::BOTH.map(|color| board.map(|board| us(board.clock(color).as_ms()))),
            Self::Elapsed => one(board.and_then(|board| board.last_move()?.elapsed_ms).map(|ms| us(ms.into()))),
            Self::Reply => one(subject.reply_after.map(|after| i64::try_from(after.as_micros()).unwrap_or(i64::MAX))),
            Self::Move => one(board.filter(|board| board.last_move().is_some()).map(|board| {
                let is_blacks = board.side_to_move() == Color::White;
                i64::from(board.move_number()) - i64::from(is_blacks)
            })),
            Self::Rating => ratings_of(subject).map(|rating| rating.and_then(Rating::value).map(i64::from)),
        }
    }
}

/// Returns the ratings of the two players that an event names, or of one player and `None`; no ratings for most kinds of events.
fn ratings_of(subject: &Subject<'_>) -> [Option<Rating>; 2] {
    match subject.event.and_then(Event::message) {
        Some(Message::Talk(talk)) => match talk.kind {
            TalkKind::Kibitz { rating, .. } | TalkKind::Whisper { rating, .. } => [rating, None],
            _ => [None; 2],
        },
        Some(Message::Seek(seek)) => [seek.rating, None],
        Some(Message::Challenge(challenge)) => [Some(challenge.from_rating), Some(challenge.to_rating)],
        Some(Message::Creating(creating)) => [Some(creating.first_rating), Some(creating.second_rating)],
        Some(Message::GameInfo(info)) => [info.white_rating, info.black_rating],
        Some(Message::GameNotification(it)) => [Some(it.terms.first_rating), Some(it.terms.second_rating)],
        Some(Message::RatingChange(change)) => [change.old, change.new].map(|rating| rating.map(Rating::Established)),
        _ => [None; 2],
    }
}

impl Comparison {
    /// Returns whether any number of this quantity in the event meets the comparison. `false` for an event without such a number,
    /// also with `!=`.
    pub(super) fn accepts(self, subject: &Subject<'_>) -> bool {
        self.quantity.numbers_of(subject).iter().flatten().any(|number| (self.operator)(number, &self.value))
    }
}
