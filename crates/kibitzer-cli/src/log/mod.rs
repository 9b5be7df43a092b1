//! The log of the program: its arguments, its filter, and its destinations.

mod sink;

use std::env;
use std::path::PathBuf;

use clap::ValueEnum;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use crate::failure::Failure;
use sink::open_log_file;

pub(crate) use sink::{LogOnScreen, LogWriter, newest_lines_if_on, turn_on, wait_for_queued_lines};

/// Environment variable with the filter, used if `--log` is not given.
const VARIABLE: &str = "KIBITZER_LOG";

/// Filter used with `--log-file` if neither `--log` nor the variable names one.
const DEFAULT_FILTER: &str = "info";

/// Arguments of the log.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct LogArgs {
    /// Log from this level on: error, warn, info, debug or trace; or by a filter such as warn,kibitzer=debug [default: the
    /// variable `KIBITZER_LOG`, else off]
    #[arg(long, global = true, value_name = "FILTER", value_parser = parse_filter, help_heading = "Log")]
    log: Option<String>,
    /// Append the log to this file, which only its owner can read, instead of standard error
    #[arg(long, global = true, value_name = "FILE", help_heading = "Log")]
    log_file: Option<PathBuf>,
    /// Form of its lines
    #[arg(long, global = true, value_enum, default_value_t = LogFormat::Text, value_name = "FORMAT", help_heading = "Log")]
    log_format: LogFormat,
}

/// Form of the lines of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// Time, level, spans, message and fields
    Text,
    /// One JSON object per line
    Json,
}

impl LogArgs {
    /// Installs the subscriber of the log for the process, and opens the log file. Does nothing if `--log`, `--log-file` and the
    /// variable are all missing, so that logging costs nothing.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the variable has no valid filter, or the file cannot be used.
    pub(crate) fn install_subscriber(&self) -> Result<(), Failure> {
        let Some(filter) = self.chosen_filter()? else { return Ok(()) };
        let file = self.log_file.as_deref().map(open_log_file).transpose()?;
        let is_json = self.log_format == LogFormat::Json;
        turn_on(file);
        let filter = filter_builder().parse(filter).map_err(Failure::caused_by)?;
        let log = tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(move || LogWriter { is_json })
            .with_ansi(false)
            .log_internal_errors(false);
        let started =
            if is_json { log.json().flatten_event(true).with_current_span(false).try_init() } else { log.try_init() };
        started.map_err(|error| Failure::local(format!("cannot start the log: {error}")))
    }

    /// Returns the filter: of `--log`, else of the variable, else [`DEFAULT_FILTER`] with `--log-file`; `None` if nothing is to
    /// be logged. An empty variable counts as not set.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the variable has no valid filter.
    fn chosen_filter(&self) -> Result<Option<String>, Failure> {
        let variable = env::var_os(VARIABLE).filter(|value| !value.is_empty());
        match (&self.log, variable) {
            (Some(filter), _) => Ok(Some(filter.clone())),
            (None, Some(value)) => {
                let parsed = parse_filter(&value.to_string_lossy());
                parsed.map(Some).map_err(|reason| Failure::local(format!("environment variable {VARIABLE}: {reason}")))
            }
            (None, None) => Ok(self.log_file.as_ref().map(|_| DEFAULT_FILTER.to_owned())),
        }
    }
}

/// Returns the builder that parses all filters of the log.
fn filter_builder() -> tracing_subscriber::filter::Builder {
    // A pattern of a field would be an automaton of any size.
    EnvFilter::builder().with_regex(false)
}

/// Checks a filter: parts between commas, each a level, a target or span with a level, or a target of kibitzer alone. Returns the
/// filter without blanks around the parts and without empty parts.
///
/// # Errors
///
/// The first part that is not valid, and the reason.
fn parse_filter(text: &str) -> Result<String, String> {
    let parts: Vec<_> = text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    for part in &parts {
        check_filter_part(part).map_err(|reason| format!("{part:?} {reason}"))?;
    }
    if parts.is_empty() { Err("the filter is empty".to_owned()) } else { Ok(parts.join(",")) }
}

/// Checks one part of a filter. An error is the end of a message that begins with the part.
///
/// `EnvFilter` treats a word that is no level as a target, so that a misspelled level would log nothing. Such a word is refused
/// unless it begins with `kibitzer`.
fn check_filter_part(part: &str) -> Result<(), &'static str> {
    let is_word = !part.contains(['=', '[']) && !part.starts_with("kibitzer");
    if is_word && part.parse::<LevelFilter>().is_err() {
        return Err(
            "is not one of the levels off, error, warn, info, debug and trace; a target has one: kibitzer=debug",
        );
    }
    filter_builder().parse(part).map(drop).map_err(|_| "is not a filter such as kibitzer=debug or [login]=trace")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_checked_part_by_part() {
        for (text, want) in [
            ("debug", "debug"),
            ("WARN", "WARN"),
            (" warn , kibitzer::task=trace,", "warn,kibitzer::task=trace"),
            ("kibitzer_bot", "kibitzer_bot"),
            ("[request{command=tell}]=trace", "[request{command=tell}]=trace"),
            ("off", "off"),
        ] {
            assert_eq!(parse_filter(text).as_deref(), Ok(want), "{text}");
        }
        for (text, part) in [
            ("debgu", "\"debgu\" is not one of the levels"),
            ("info,verbose", "\"verbose\" is not one of the levels"),
            ("info,kibitzer=lod", "\"kibitzer=lod\" is not a filter"),
            ("kibitzer=info=debug", "\"kibitzer=info=debug\" is not a filter"),
            ("[login", "\"[login\" is not a filter"),
            ("[\u{e9}", "\"[\u{e9}\" is not a filter"),
            (" , ", "the filter is empty"),
            ("", "the filter is empty"),
        ] {
            let error = parse_filter(text).unwrap_err();
            assert!(error.starts_with(part), "{text}: {error}");
        }
    }
}
