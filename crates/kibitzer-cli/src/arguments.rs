//! Arguments that several commands share, and the parsing of their values.

use std::ffi::OsStr;
use std::ops::RangeInclusive;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command};
pub(crate) use kibitzer::internal::filter::{parse_duration, unknown_word_message};
use kibitzer_core::EventReader;
use kibitzer_core::MessageReader;
use kibitzer_core::message::Family;
use kibitzer_core::wire::{Encoding, Framer, Timeseal};
use kibitzer_server::PopulationOptions;

use crate::output::{LineFormat, TextArgs};

/// Output format of a live session.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct FormatArgs {
    /// Output format of the events
    #[arg(long, value_enum, default_value_t = LineFormat::Text)]
    format: LineFormat,
    /// The same as --format jsonl
    #[arg(long, conflicts_with = "format")]
    json: bool,
    #[command(flatten)]
    pub(crate) text: TextArgs,
}

impl FormatArgs {
    /// Returns the format of `--format`, which is text by default, or JSON Lines for `--json`.
    pub(crate) const fn format(self) -> LineFormat {
        if self.json { LineFormat::Jsonl } else { self.format }
    }
}

/// Options for parsing the bytes of a log or recording.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct ReaderArgs {
    /// Which family the server belongs to
    #[arg(long, value_parser = family_parser(), default_value = "auto")]
    pub(crate) server: Family,
    /// Which timeseal protocol the session spoke: its pings are removed, sealed lines shown in clear [default: none]
    #[arg(long, value_name = "VERSION", value_parser = timeseal_parser())]
    pub(crate) timeseal: Option<Timeseal>,
    /// Which character set the server used beside its entities
    #[arg(long, value_parser = encoding_parser(), default_value = "auto")]
    pub(crate) encoding: Encoding,
    /// Fail if the transcript ends inside a line, as it does after a crash or on a full disk
    #[arg(long)]
    pub(crate) strict: bool,
}

impl ReaderArgs {
    /// Returns the timeseal protocol that the session used; none by default.
    pub(crate) fn timeseal(self) -> Timeseal {
        self.timeseal.unwrap_or_default()
    }

    /// Creates an event reader, with these options, for one connection.
    pub(crate) fn event_reader(self) -> EventReader {
        let framer = Framer::new().with_timeseal(self.timeseal()).with_encoding(self.encoding);
        EventReader::new(MessageReader::new(framer, self.server))
    }
}

fn family_parser() -> impl TypedValueParser<Value = Family> {
    let values = [("auto", "The one that the login shows"), ("fics", "FICS and its relatives"), ("icc", "ICC")];
    let values = values.map(|(name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(values).try_map(|name| name.parse::<Family>())
}

fn encoding_parser() -> impl TypedValueParser<Value = Encoding> {
    let values =
        [("auto", "UTF-8 where it is valid, else ISO 8859-1"), ("latin-1", "ISO 8859-1"), ("utf-8", "As auto")];
    let values = values.map(|(name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(values).try_map(|name| name.parse::<Encoding>())
}

fn timeseal_parser() -> impl TypedValueParser<Value = Timeseal> {
    let values = [("1", "`[G]` alone on a line"), ("2", "`[G]` and a zero byte, anywhere")];
    let values = values.map(|(name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(values).map(|name| if name == "1" { Timeseal::V1 } else { Timeseal::V2 })
}

/// Options for the simulated players of the embedded server.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct PopulationArgs {
    /// Seed of the random numbers; another seed gives other players and games
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// How many times faster than people simulated players think and talk: 0.01 to 1000
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = speed_parser(0.01..=1000.0))]
    speed: f64,
}

impl PopulationArgs {
    /// Returns the options of the simulated players: their speed. The seed is not included, because it is an option of the whole
    /// server.
    pub(crate) fn options(self) -> PopulationOptions {
        PopulationOptions::new().speed(self.speed)
    }
}

/// Wraps a value parser, and suggests words to the shell's completion. Whether a value is accepted depends on the wrapped parser
/// alone.
#[derive(Clone)]
pub(crate) struct SuggestingParser<P> {
    parser: P,
    words: fn() -> Vec<&'static str>,
}

impl<P: TypedValueParser> SuggestingParser<P> {
    /// Creates a parser that accepts what `parser` does, and suggests the result of `words`, which is called for each completion.
    pub(crate) const fn new(parser: P, words: fn() -> Vec<&'static str>) -> Self {
        Self { parser, words }
    }
}

impl<P: TypedValueParser> TypedValueParser for SuggestingParser<P> {
    type Value = P::Value;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<P::Value, clap::Error> {
        self.parser.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.words)().into_iter().map(PossibleValue::new)))
    }
}

/// Returns a parser of speeds (see [`parse_speed`]) within an inclusive range. Its error is a message that states the range.
pub(crate) fn speed_parser(range: RangeInclusive<f64>) -> impl Fn(&str) -> Result<f64, String> + Clone {
    move |text| {
        let speed = parse_speed(text).filter(|speed| range.contains(speed));
        speed.ok_or_else(|| format!("a speed is a number from {} to {}", range.start(), range.end()))
    }
}

/// Parses a positive, finite speed such as `4`, `0.5`, `4x` or `4×`; `None` for any other text.
pub(crate) fn parse_speed(text: &str) -> Option<f64> {
    let number: f64 = text.trim_end_matches(['x', '\u{d7}']).parse().ok()?;
    (number > 0.0 && number.is_finite()).then_some(number)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_have_a_number_and_a_unit() {
        let cases = [("500ms", 500), ("10s", 10_000), ("2m", 120_000), ("1h", 3_600_000), ("0s", 0)];
        for (text, ms) in cases {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        assert!(parse_duration("18446744073709551615h").is_ok(), "longer than anybody waits");
        for text in ["", "10", "s", "-1s", "1.5s", "10 s", "10S", "99999999999999999999s"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }
}
