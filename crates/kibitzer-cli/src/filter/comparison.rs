//! Comparisons of numbers: `lag>1s`, `clock<10s`, `move>=40`.

use std::fmt;

use kibitzer::core::Event;
use kibitzer::core::chess::Color;
use kibitzer::core::message::{Message, Rating, Style12, TalkKind};

use super::Subject;
use crate::arguments::parse_duration;

/// A number of an event that expressions can compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::EnumString, strum::VariantNames)]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
pub(crate) enum Quantity {
    /// Lag of the last move, as the server measured it.
    Lag,
    /// Either player's clock.
    Clock,
    /// Time of the last move.
    Elapsed,
    /// Time from a sent line to its reply.
    Reply,
    /// Number of the last move.
    Move,
    /// Any rating that the event names.
    Rating,
}

/// How the number of an event is compared with the value of the expression. The parser tries the variants in this order, so
/// longer signs come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::AsRefStr, strum::VariantArray)]
pub(crate) enum Operator {
    #[strum(serialize = "<=")]
    LessOrEqual,
    #[strum(serialize = ">=")]
    GreaterOrEqual,
    #[strum(serialize = "!=")]
    NotEqual,
    #[strum(serialize = "<")]
    Less,
    #[strum(serialize = ">")]
    Greater,
    #[strum(serialize = "=")]
    Equal,
}

/// A comparison of a number of an event with a value. Durations are in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Comparison {
    pub(super) quantity: Quantity,
    pub(super) operator: Operator,
    pub(super) value: i64,
}

impl Quantity {
    /// Returns whether the values are durations, in microseconds.
    pub(super) const fn is_duration(self) -> bool {
        matches!(self, Self::Lag | Self::Clock | Self::Elapsed | Self::Reply)
    }

    /// Returns the numbers of this quantity in an event, at most one for each player; durations in microseconds.
    fn numbers_of(self, subject: &Subject<'_>) -> [Option<i64>; 2] {
        let board = subject.event.and_then(Event::reported_board);
        let us = |ms: i64| ms.saturating_mul(1_000);
        let one = |value| [value, None];
        match self {
            Self::Lag => one(board.and_then(Style12::lag_ms).map(|ms| us(ms.into()))),
            Self::Clock => Color::BOTH.map(|color| board.map(|board| us(board.clock(color).as_ms()))),
            Self::Elapsed => one(board.and_then(|board| board.last_move()?.elapsed_ms).map(|ms| us(ms.into()))),
            Self::Reply => {
                one(subject.facts.reply_after.map(|after| i64::try_from(after.as_micros()).unwrap_or(i64::MAX)))
            }
            Self::Move => one(board.filter(|board| board.last_move().is_some()).map(|board| {
                let is_blacks = board.side_to_move() == Color::White;
                i64::from(board.move_number()) - i64::from(is_blacks)
            })),
            Self::Rating => ratings_of(subject).map(|rating| rating.and_then(Rating::value).map(i64::from)),
        }
    }
}

/// Returns the ratings that an event names; `None` without a first or second one.
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
        _ => [None; 2],
    }
}

impl Operator {
    /// Returns whether the number of an event meets the comparison with the value of the expression.
    fn is_met(self, number: i64, value: i64) -> bool {
        match self {
            Self::LessOrEqual => number <= value,
            Self::GreaterOrEqual => number >= value,
            Self::NotEqual => number != value,
            Self::Less => number < value,
            Self::Greater => number > value,
            Self::Equal => number == value,
        }
    }
}

impl Comparison {
    /// Parses the value, and creates the comparison with it.
    ///
    /// # Errors
    ///
    /// A description of the expected format.
    pub(super) fn with_parsed_value(quantity: Quantity, operator: Operator, value: &str) -> Result<Self, &'static str> {
        let value = if quantity.is_duration() {
            let ms = i64::try_from(parse_duration(value)?.as_millis()).unwrap_or(i64::MAX);
            ms.min(i64::MAX / 1_000) * 1_000
        } else {
            value.parse().map_err(|_| "a number is needed, such as 40")?
        };
        Ok(Self { quantity, operator, value })
    }

    /// Returns whether any number of this quantity meets the comparison. An event without such a number does not.
    pub(super) fn accepts(self, subject: &Subject<'_>) -> bool {
        self.quantity.numbers_of(subject).iter().flatten().any(|number| self.operator.is_met(*number, self.value))
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.quantity, self.operator)?;
        if !self.quantity.is_duration() {
            return write!(f, "{}", self.value);
        }
        let units = [("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000)];
        let unit = units.iter().find(|(_, unit)| self.value % unit == 0 && (self.value != 0 || *unit == 1_000_000));
        let (name, unit) = unit.copied().unwrap_or(("ms", 1_000));
        write!(f, "{}{name}", self.value / unit)
    }
}
