//! Options that an engine offers, with the values it accepts.

use super::EngineError;

/// Options that are kept of one engine; the rest is ignored.
const MAX_OPTIONS: usize = 500;
/// Longest description of an option in bytes; a longer one is ignored.
const MAX_DESCRIPTION_BYTES: usize = 8192;

/// The options of an engine, in the order in which it reported them.
#[derive(Debug, Default)]
pub(super) struct EngineOptions(Vec<EngineOption>);

#[derive(Debug, PartialEq, Eq)]
pub(super) struct EngineOption {
    pub(super) name: String,
    pub(super) kind: OptionKind,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum OptionKind {
    Button,
    Check,
    Spin { min: i64, max: i64 },
    Combo(Vec<String>),
    Text,
}

impl EngineOptions {
    /// Adds an option, unless its description is too long or there are too many.
    pub(super) fn add_if_valid(&mut self, description: &str, parse: impl Fn(&str) -> Option<EngineOption>) {
        if self.0.len() < MAX_OPTIONS && description.len() <= MAX_DESCRIPTION_BYTES {
            self.0.extend(parse(description));
        }
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.0.iter().map(|option| option.name.clone()).collect()
    }

    /// Finds an option by its name, regardless of letter case.
    pub(super) fn find(&self, name: &str) -> Option<&EngineOption> {
        self.0.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// Returns the option of this name if it accepts the value; fails with [`EngineError::Option`] otherwise.
    pub(super) fn option_that_accepts(&self, name: &str, value: &str) -> Result<&EngineOption, EngineError> {
        let refused = |problem| EngineError::Option { name: name.to_owned(), problem };
        let option = self
            .find(name)
            .ok_or_else(|| refused(format!("is unknown; the engine has: {}", self.names().join(", "))))?;
        option.kind.problem_with(value).map_or(Ok(option), |problem| Err(refused(problem)))
    }
}

impl EngineOption {
    /// Parses the UCI form after the word `option`: `name Hash type spin default 16 min 1 max 1024`. A missing bound is no limit.
    /// `None` for another form or an unknown type.
    pub(super) fn parse_uci(description: &str) -> Option<Self> {
        let (name, rest) = description.trim().strip_prefix("name ")?.split_once(" type ")?;
        let (kind, details) = rest.split_once(' ').unwrap_or((rest, ""));
        let bound = |word| number_after(details, word);
        let kind = match kind {
            "button" => OptionKind::Button,
            "check" => OptionKind::Check,
            "spin" => OptionKind::Spin { min: bound("min").unwrap_or(i64::MIN), max: bound("max").unwrap_or(i64::MAX) },
            "combo" => OptionKind::Combo(details.split("var ").skip(1).map(|value| value.trim().to_owned()).collect()),
            "string" => OptionKind::Text,
            _ => return None,
        };
        Some(Self { name: name.trim().to_owned(), kind })
    }
}

/// Returns the number after a word of an option's description; `None` if either is missing.
fn number_after(text: &str, word: &str) -> Option<i64> {
    text.split_ascii_whitespace().skip_while(|found| *found != word).nth(1)?.parse().ok()
}

impl OptionKind {
    /// Returns the reason why the option does not accept the value; `None` if it does.
    fn problem_with(&self, value: &str) -> Option<String> {
        match self {
            Self::Button => (!value.is_empty()).then(|| "is a button and has no value".to_owned()),
            Self::Check => (!matches!(value, "true" | "false")).then(|| "accepts true or false".to_owned()),
            Self::Spin { min, max } => {
                let accepted = value.parse().is_ok_and(|number| (*min..=*max).contains(&number));
                (!accepted).then(|| format!("accepts a number from {min} to {max}"))
            }
            Self::Combo(values) => {
                let accepted = values.iter().any(|accepted| accepted.eq_ignore_ascii_case(value));
                (!accepted).then(|| format!("accepts: {}", values.join(", ")))
            }
            Self::Text => value.contains(char::is_control).then(|| "accepts no control characters".to_owned()),
        }
    }
}
