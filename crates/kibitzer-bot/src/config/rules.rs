//! Rules: which games the bot plays, and how it answers offers; and the ranges of all numeric settings.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Range, RangeInclusive};
use std::time::Duration;

use humantime::{format_duration, parse_duration};
use kibitzer::Handle;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Reads a closed range of numbers, written as `[1, 30]`.
pub(super) fn deserialize_range<'de, T, D>(deserializer: D) -> Result<RangeInclusive<T>, D::Error>
where
    T: Deserialize<'de> + PartialOrd + fmt::Display,
    D: Deserializer<'de>,
{
    let [min, max] = <[T; 2]>::deserialize(deserializer)?;
    if min > max {
        return Err(D::Error::custom(format_args!("the range [{min}, {max}] is empty")));
    }
    Ok(min..=max)
}

/// Reads a range as [`deserialize_range`] does, of a setting that may be missing.
pub(super) fn deserialize_some_range<'de, T, D>(deserializer: D) -> Result<Option<RangeInclusive<T>>, D::Error>
where
    T: Deserialize<'de> + PartialOrd + fmt::Display,
    D: Deserializer<'de>,
{
    deserialize_range(deserializer).map(Some)
}

/// Formats a range for a sentence: `1 to 30`.
pub(crate) fn format_range(range: &RangeInclusive<impl fmt::Display>) -> String {
    format!("{} to {}", range.start(), range.end())
}

/// `[seek]`: advertisements that stay open while no game is played.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct SeekRules {
    /// Terms in the words of the server's command `seek`: `"3 0 unrated"`. Answers are accepted by the rules for challenges.
    pub ads: Vec<String>,
}

/// `[offers]`: offers within a game.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct OfferRules {
    /// Number of requests to take back moves that are granted per game, at most 1,000.
    pub takebacks: u32,
    /// When a draw is offered or accepted; `None` for never.
    pub draw: Option<DrawRule>,
    /// When the game is resigned; `None` for never.
    pub resign: Option<ResignRule>,
    /// Whether requests to abort are granted. In the first two plies they always are.
    pub abort: bool,
    /// Whether requests to adjourn are granted.
    pub adjourn: bool,
}

impl Default for OfferRules {
    fn default() -> Self {
        Self { takebacks: 0, draw: Some(DrawRule::default()), resign: None, abort: false, adjourn: false }
    }
}

/// When a draw is offered, and when an offered draw is accepted.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct DrawRule {
    /// Largest distance of the score from 0, in hundredths of a pawn: 0 to 30,000.
    pub within_cp: i32,
    /// For how many own moves in a row: 1 to 64.
    pub for_moves: usize,
    /// Earliest move number: 1 to 10,000.
    pub from_move: u32,
    /// Largest number of pieces on the board, kings and pawns included: 2 to 32.
    pub max_pieces: usize,
}

impl Default for DrawRule {
    fn default() -> Self {
        Self { within_cp: 20, for_moves: 5, from_move: 40, max_pieces: 32 }
    }
}

/// When the game is resigned.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct ResignRule {
    /// Score, in hundredths of a pawn, below which the game counts as lost: -29,999 to -1.
    pub below_cp: i32,
    /// For how many own moves in a row: 1 to 64.
    pub for_moves: usize,
}

impl Default for ResignRule {
    fn default() -> Self {
        Self { below_cp: -900, for_moves: 4 }
    }
}

/// `[adjourned]`: games that were interrupted.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct AdjournedRules {
    /// Whether the bot challenges the opponent to continue, and accepts such a challenge.
    pub resume: bool,
}

impl Default for AdjournedRules {
    fn default() -> Self {
        Self { resume: true }
    }
}

/// `[rematch]`: another game against the same opponent.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct RematchRules {
    /// Number of rematches that the bot proposes in a row, at most 1,000.
    pub propose: u32,
}

pub(super) const fn any_rating() -> RangeInclusive<u16> {
    0..=9_999
}

/// To whom the scores of the engine are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ScoreAudience {
    /// To no one.
    #[default]
    Off,
    /// To the opponent and all observers.
    Kibitz,
    /// To the observers.
    Whisper,
}

/// `[talk]`: words to other players, and the owner's commands. Talk never reaches the engine or a shell.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct TalkRules {
    /// Words to the opponent when a game starts; empty: none. `{opponent}`, `{engine}` are replaced.
    pub greeting: String,
    /// Words to the opponent when a game ends; empty: none. `{opponent}`, `{engine}` are replaced.
    pub goodbye: String,
    /// Words to a player who observes a game, once in it; empty: none. `{spectator}`, `{opponent}`, `{engine}` are replaced.
    pub spectator_greeting: String,
    /// Answers to messages and kibitzes whose first word is this one, regardless of case, such as `!help`.
    #[serde(deserialize_with = "deserialize_commands")]
    pub commands: BTreeMap<String, String>,
    /// Answers to tells that contain a word, regardless of case, and are not one of the commands.
    pub answers: BTreeMap<String, String>,
    /// Shortest time between two answers to one player: at most 7 days, 10 s by default. Two bots that answer each other need it.
    #[serde(deserialize_with = "super::deserialize_duration")]
    pub answer_pause: Duration,
    /// To whom score, depth and line of the engine are sent after a move of the bot.
    pub scores: ScoreAudience,
    /// Whether they are sent to the owners as well.
    pub tell_score: bool,
    /// Maximum number of scores sent per minute, at even intervals: 1 to 60, 6 by default.
    pub scores_per_minute: u32,
    /// Handles of registered players whose tells are commands: `status`, `pause`, `play`, `resign`, `abort`, `stop`.
    #[serde(deserialize_with = "deserialize_handles")]
    pub owners: Vec<Handle>,
}

impl Default for TalkRules {
    fn default() -> Self {
        Self {
            greeting: String::new(),
            goodbye: String::new(),
            spectator_greeting: String::new(),
            commands: BTreeMap::new(),
            answers: BTreeMap::new(),
            answer_pause: Duration::from_secs(10),
            scores: ScoreAudience::Off,
            tell_score: false,
            scores_per_minute: 6,
            owners: Vec::new(),
        }
    }
}

/// Reads answers by their commands, which are single words.
fn deserialize_commands<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error> {
    let commands = BTreeMap::<String, String>::deserialize(deserializer)?;
    match commands.keys().find(|name| name.is_empty() || name.contains(char::is_whitespace)) {
        Some(name) => {
            Err(D::Error::custom(format_args!("the command `{name}` is not one word: write `\"!help\" = ...`")))
        }
        None => Ok(commands),
    }
}

/// Reads a list of names of players.
pub(super) fn deserialize_handles<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Handle>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    let parse = |name: String| name.parse().map_err(|error| D::Error::custom(format_args!("`{name}`: {error}")));
    names.into_iter().map(parse).collect()
}

/// The accepted values of a setting.
#[derive(Debug)]
enum Limits {
    /// Of a number, or of both ends of a range.
    Number(RangeInclusive<i64>),
    /// Of a duration.
    Seconds(RangeInclusive<u64>),
}

use Limits::{Number, Seconds};

/// All settings that are numbers, ranges of numbers or durations.
const NUMBERS: &[(&str, Limits)] = &[
    ("engine.move_overhead_ms", Number(0..=60_000)),
    ("engine.restarts_per_game", Number(0..=100)),
    ("engine.move_time_ms", Number(10..=86_400_000)),
    ("engine.min_move_ms", Number(0..=60_000)),
    ("engine.max_clock_percent", Number(1..=50)),
    ("engine.nodes", Number(1..=1_000_000_000_000)),
    ("engine.depth", Number(1..=1_000)),
    ("engine.untimed_move_ms", Number(10..=86_400_000)),
    ("book.max_moves", Number(0..=1_000)),
    ("book.min_weight", Number(0..=65_535)),
    ("accept.initial_min", Number(0..=9_999)),
    ("accept.increment_s", Number(0..=9_999)),
    ("accept.rating", Number(0..=9_999)),
    ("accept.rating_difference", Number(0..=9_999)),
    ("accept.terms.initial_min", Number(0..=9_999)),
    ("accept.terms.increment_s", Number(0..=9_999)),
    ("accept.terms.rating", Number(0..=9_999)),
    ("accept.terms.rating_difference", Number(0..=9_999)),
    ("accept.games_per_opponent_per_day", Number(0..=10_000)),
    ("rematch.propose", Number(0..=1_000)),
    ("matchmaking.rating", Number(0..=9_999)),
    ("matchmaking.rating_difference", Number(0..=9_999)),
    ("matchmaking.terms.rating", Number(0..=9_999)),
    ("matchmaking.terms.rating_difference", Number(0..=9_999)),
    ("matchmaking.pause", Seconds(10..=604_800)),
    ("offers.takebacks", Number(0..=1_000)),
    ("offers.draw.within_cp", Number(0..=30_000)),
    ("offers.draw.for_moves", Number(1..=64)),
    ("offers.draw.from_move", Number(1..=10_000)),
    ("offers.draw.max_pieces", Number(2..=32)),
    ("offers.resign.below_cp", Number(-29_999..=-1)),
    ("offers.resign.for_moves", Number(1..=64)),
    ("talk.answer_pause", Seconds(0..=604_800)),
    ("talk.scores_per_minute", Number(1..=60)),
    ("shutdown.finish_game_within", Seconds(0..=604_800)),
];

/// Returns the places and reasons of the numbers and durations of the file that are out of their ranges.
pub(super) fn out_of_range(file: &DeTable<'_>) -> Vec<(Range<usize>, String)> {
    let of_setting = |(path, limits): &(&str, Limits)| {
        let values = values_at(file, path).into_iter();
        let wrong =
            values.filter_map(|value| Some((value.span(), format!("`{path}` {}", problem_with(value, limits)?))));
        wrong.collect::<Vec<_>>()
    };
    NUMBERS.iter().flat_map(of_setting).collect()
}

/// Returns the values of a setting in all of several tables, and those of its list.
pub(super) fn values_at<'a, 'de>(file: &'a DeTable<'de>, path: &str) -> Vec<&'a Spanned<DeValue<'de>>> {
    let mut names = path.split('.');
    let first = names.next().and_then(|table| file.get(table));
    let tables = first.into_iter().flat_map(values_of).collect();
    names.fold(tables, |values: Vec<&Spanned<DeValue<'_>>>, name| {
        values.into_iter().filter_map(|value| value.get_ref().get(name)).flat_map(values_of).collect()
    })
}

/// Returns the values of a list, such as the ends of a range or several tables; of another value, itself.
pub(super) fn values_of<'a, 'de>(value: &'a Spanned<DeValue<'de>>) -> &'a [Spanned<DeValue<'de>>] {
    value.get_ref().as_array().map_or(std::slice::from_ref(value), |list| list)
}

/// Returns the reason why a number or duration is not accepted; `None` if it is, and for a value of another type.
fn problem_with(value: &Spanned<DeValue<'_>>, limits: &Limits) -> Option<String> {
    let (is_accepted, min, max) = match (value.get_ref(), limits) {
        (DeValue::Integer(number), Number(range)) => {
            let is_accepted = i64::from_str_radix(number.as_str(), number.radix()).is_ok_and(|n| range.contains(&n));
            (is_accepted, range.start().to_string(), range.end().to_string())
        }
        (DeValue::String(text), Seconds(range)) => {
            let [min, max] = [range.start(), range.end()].map(|seconds| Duration::from_secs(*seconds));
            let duration = parse_duration(text).ok()?;
            ((min..=max).contains(&duration), format_duration(min).to_string(), format_duration(max).to_string())
        }
        _ => return None,
    };
    (!is_accepted).then(|| format!("must be {min} to {max}"))
}

#[cfg(test)]
mod tests;
