//! Comparisons of numbers: `lag>1s`, `clock<10s`, `move>=40`.

use kibitzer::core::Event;
use kibitzer::core::chess::Color;
use kibitzer::core::message::{Message, Rating, Style12, TalkKind};

use super::Subject;
use crate::arguments::parse_duration;

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
        let board = subject.event.and_then(Event::reported_board);
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
