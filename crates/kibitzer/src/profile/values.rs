//! Values of settings: how they are parsed from a file or a variable, and written to a file.

use std::collections::BTreeMap;
use std::error::Error;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;
use toml::de::DeValue;

use super::AttachAccess;
use crate::address::WebSocketUrl;
use crate::password::PasswordSource;
use kibitzer_core::message::{Family, Handle, Ivar};
use kibitzer_core::session::{AdjournedGames, Command, FirstConnect, TimesealChoice};
use kibitzer_core::wire::Encoding;

/// Reason why a value is not valid for a setting: the end of a sentence whose subject is the key.
#[derive(Debug, Error)]
pub(super) enum SettingError {
    /// The value is of another type, or none of the known words.
    #[error("must be {0}")]
    Expected(&'static str),
    /// The value is not a whole number of this range.
    #[error("must be a whole number {}", range_text(.0))]
    OutOfRange(RangeInclusive<u64>),
    /// The value is empty.
    #[error("must not be empty")]
    Empty,
    /// The text is not a value of the setting's type.
    #[error(transparent)]
    Value(Box<dyn Error>),
    /// The entry of a table with this key is not valid, for this reason.
    #[error("{0}: {1}")]
    Entry(String, Box<dyn Error>),
}

fn range_text(range: &RangeInclusive<u64>) -> String {
    match *range.end() {
        u64::MAX => format!("of at least {}", range.start()),
        end => format!("from {} to {end}", range.start()),
    }
}

/// Value of a setting in its source, before it is converted to the setting's type.
#[derive(Clone, Copy, Debug)]
pub(super) enum RawValue<'a> {
    /// A value of a TOML file.
    Toml(&'a DeValue<'a>),
    /// The content of an environment variable.
    Variable(&'a str),
}

impl<'a> RawValue<'a> {
    /// Returns a string; fails if the TOML value has another type.
    pub(super) fn parse_text(self) -> Result<&'a str, SettingError> {
        match self {
            Self::Toml(value) => value.as_str().ok_or(SettingError::Expected("a string")),
            Self::Variable(text) => Ok(text),
        }
    }

    /// Parses a whole number; fails if the value has another type or is outside this range.
    pub(super) fn parse_number(self, range: &RangeInclusive<u64>) -> Result<u64, SettingError> {
        let number = match self {
            Self::Toml(value) => {
                value.as_integer().and_then(|integer| u64::from_str_radix(integer.as_str(), integer.radix()).ok())
            }
            Self::Variable(text) => text.trim().parse().ok(),
        };
        number.filter(|number| range.contains(number)).ok_or_else(|| SettingError::OutOfRange(range.clone()))
    }

    /// Returns the items of a TOML array, or the trimmed parts of an environment variable between commas. An empty variable has
    /// no items. Fails if the TOML value is not an array.
    pub(super) fn split_items(self) -> Result<Vec<Self>, SettingError> {
        match self {
            Self::Toml(value) => {
                let items = value.as_array().ok_or(SettingError::Expected("an array"))?;
                Ok(items.iter().map(|item| Self::Toml(item.get_ref())).collect())
            }
            Self::Variable(text) if text.trim().is_empty() => Ok(Vec::new()),
            Self::Variable(text) => Ok(text.split(',').map(str::trim).map(Self::Variable).collect()),
        }
    }

    /// Returns the entries of a TOML table, or the trimmed `name=value` pairs of an environment variable, which semicolons
    /// separate. Fails if the TOML value is not a table, or a pair has no `=`.
    pub(super) fn split_entries(self) -> Result<Vec<(&'a str, Self)>, SettingError> {
        match self {
            Self::Toml(value) => {
                let table = value.as_table().ok_or(SettingError::Expected("a table"))?;
                Ok(table.iter().map(|(key, value)| (key.get_ref().as_ref(), Self::Toml(value.get_ref()))).collect())
            }
            Self::Variable(text) => {
                let pairs = text.split(';').filter(|pair| !pair.trim().is_empty());
                let entry = |pair: &'a str| {
                    let (name, value) = pair.split_once('=').ok_or(SettingError::Expected("pairs `name=value`"))?;
                    Ok((name.trim(), Self::Variable(value.trim())))
                };
                pairs.map(entry).collect()
            }
        }
    }

    /// Returns the key and the value of a TOML table with one entry, or of a variable before and after its first colon. `None` if
    /// the table has another number of entries, or there is no colon.
    pub(super) fn split_only_entry(self) -> Option<(&'a str, Self)> {
        match self {
            Self::Toml(_) => {
                let entries = self.split_entries().ok()?;
                if let [entry] = entries[..] { Some(entry) } else { None }
            }
            Self::Variable(text) => text.split_once(':').map(|(name, value)| (name.trim(), Self::Variable(value))),
        }
    }
}

/// A type of values that a setting can have, with its form in files and variables.
pub(super) trait SettingValue: Sized {
    /// Parses a value.
    ///
    /// # Errors
    ///
    /// [`SettingError`].
    fn parse(value: RawValue<'_>) -> Result<Self, SettingError>;

    /// Returns the value as TOML; `None` if it is not set or has no form in files.
    fn to_toml(&self) -> Option<String>;
}

/// Implements [`SettingValue`] for types that are written as a string: how it is parsed, and how it is written.
macro_rules! text_values {
    ($($kind:ty: $parse:expr, $to_text:expr;)+) => {$(
        impl SettingValue for $kind {
            fn parse(value: RawValue<'_>) -> Result<Self, SettingError> {
                let parse: fn(&str) -> Result<Self, SettingError> = $parse;
                parse(value.parse_text()?)
            }

            fn to_toml(&self) -> Option<String> {
                let to_text: fn(&Self) -> Option<String> = $to_text;
                to_text(self).map(|text| quote_toml(&text))
            }
        }
    )+};
}
text_values! {
    String: |text| Ok(text.to_owned()), |text| Some(text.clone());
    // A prompt: UTF-8 text.
    Vec<u8>: |text| Ok(text.into()), |prompt| Some(String::from_utf8_lossy(prompt).into_owned());
    Family: parse_from_str, |family| Some(family.to_string());
    Encoding: parse_from_str, |encoding| Some(encoding.to_string());
    TimesealChoice: parse_from_str, |choice| Some(choice.to_string());
    AdjournedGames: parse_from_str, |choice| Some(choice.to_string());
    FirstConnect: parse_from_str, |choice| Some(choice.to_string());
    AttachAccess: |text| match text {
        "read" => Ok(AttachAccess::Read),
        "write" => Ok(AttachAccess::Write),
        _ => Err(SettingError::Expected("read or write")),
    }, |access| Some(if access.may_send() { "write" } else { "read" }.to_owned());
    Option<WebSocketUrl>: |text| parse_from_str(text).map(Some), |url| url.as_ref().map(WebSocketUrl::to_string);
    Option<Handle>: |text| parse_from_str(text).map(Some), |handle| handle.as_ref().map(Handle::to_string);
    Option<PathBuf>: |text| Ok(Some(text.into())), |path| path.as_ref().map(|path| path.display().to_string());
}

/// Parses a string; the error is the reason as text.
fn parse_from_str<T: FromStr<Err: Error + 'static>>(text: &str) -> Result<T, SettingError> {
    text.parse().map_err(|error: T::Err| SettingError::Value(Box::new(error)))
}

/// A whole number of milliseconds, at least 1.
impl SettingValue for Duration {
    fn parse(value: RawValue<'_>) -> Result<Self, SettingError> {
        value.parse_number(&(1..=u64::MAX)).map(Self::from_millis)
    }

    fn to_toml(&self) -> Option<String> {
        u64::try_from(self.as_millis()).ok().map(with_digit_groups)
    }
}

impl SettingValue for bool {
    fn parse(value: RawValue<'_>) -> Result<Self, SettingError> {
        let flag = match value {
            RawValue::Toml(value) => value.as_bool(),
            RawValue::Variable(text) => text.trim().parse().ok(),
        };
        flag.ok_or(SettingError::Expected("true or false"))
    }

    fn to_toml(&self) -> Option<String> {
        Some(self.to_string())
    }
}

/// A list of TCP ports from 1 to 65,535, not empty.
impl SettingValue for Vec<u16> {
    fn parse(value: RawValue<'_>) -> Result<Self, SettingError> {
        let port = |item: RawValue<'_>| {
            let number = item.parse_number(&(1..=u64::from(u16::MAX)))?;
            u16::try_from(number).map_err(|error| SettingError::Value(Box::new(error)))
        };
        let ports: Self = value.split_items()?.into_iter().map(port).collect::<Result<_, _>>()?;
        if ports.is_empty() { Err(SettingError::Empty) } else { Ok(ports) }
    }

    fn to_toml(&self) -> Option<String> {
        Some(format!("{self:?}"))
    }
}

impl SettingValue for Vec<Ivar> {
    fn parse(value: RawValue<'_>) -> Result<Self, SettingError> {
        value.split_items()?.into_iter().map(|item| parse_from_str(item.parse_text()?)).collect()
    }

    fn to_toml(&self) -> Option<String> {
        let names: Vec<_> = self.iter().map(|ivar| ivar.as_str()).collect();
        Some(format!("{names:?}"))
    }
}

/// The source of the password. An error does not repeat the value, which may be the password itself.
impl SettingValue for Option<PasswordSource> {
    fn parse(value: RawValue<'_>) -> Result<Self, SettingError> {
        let source = value.split_only_entry().and_then(|(kind, value)| {
            let text = || value.parse_text().ok();
            Some(match kind {
                "env" => PasswordSource::Variable(text()?.to_owned()),
                "file" => PasswordSource::File(text()?.into()),
                "command" => {
                    let words = value.split_items().ok()?.into_iter().map(|word| word.parse_text().map(str::to_owned));
                    PasswordSource::Command(words.collect::<Result<_, _>>().ok()?)
                }
                _ => return None,
            })
        });
        source.map(Some).ok_or(SettingError::Expected("one of env, command and file"))
    }

    fn to_toml(&self) -> Option<String> {
        Some(match self.as_ref()? {
            PasswordSource::Known(_) => return None,
            PasswordSource::Variable(name) => format!("{{ env = {} }}", quote_toml(name)),
            PasswordSource::File(path) => format!("{{ file = {} }}", quote_toml(&path.to_string_lossy())),
            PasswordSource::Command(words) => {
                let words: Vec<_> = words.iter().map(|word| quote_toml(word)).collect();
                format!("{{ command = [{}] }}", words.join(", "))
            }
        })
    }
}

/// Filters by name.
impl SettingValue for BTreeMap<String, String> {
    fn parse(value: RawValue<'_>) -> Result<Self, SettingError> {
        let filter = |(name, value): (&str, RawValue<'_>)| Ok((name.to_owned(), value.parse_text()?.to_owned()));
        value.split_entries()?.into_iter().map(filter).collect()
    }

    fn to_toml(&self) -> Option<String> {
        inline_table(self.iter().map(|(name, expression)| (name.as_str(), expression.as_str())))
    }
}

/// Variables of the server, each with the command that sets it.
impl SettingValue for BTreeMap<String, Command> {
    fn parse(value: RawValue<'_>) -> Result<Self, SettingError> {
        let command = |(name, value): (&str, RawValue<'_>)| {
            let invalid = |reason: Box<dyn Error>| SettingError::Entry(name.to_owned(), reason);
            let text = match value {
                RawValue::Variable(text) => text.to_owned(),
                RawValue::Toml(DeValue::String(text)) => text.to_string(),
                RawValue::Toml(DeValue::Integer(number)) => number.as_str().to_owned(),
                RawValue::Toml(DeValue::Boolean(is_on)) => u8::from(*is_on).to_string(),
                RawValue::Toml(_) => {
                    return Err(invalid(Box::new(SettingError::Expected("a string, a whole number or a boolean"))));
                }
            };
            let command = Command::with_text(&format!("set {name}"), &text);
            Ok((name.to_owned(), command.map_err(|error| invalid(Box::new(error)))?))
        };
        value.split_entries()?.into_iter().map(command).collect()
    }

    fn to_toml(&self) -> Option<String> {
        let value = |(name, command): (&'_ String, &'_ Command)| {
            let value = command.as_str().strip_prefix("set ").and_then(|rest| rest.strip_prefix(name.as_str()));
            (name.clone(), value.unwrap_or_default().trim_start().to_owned())
        };
        let values: Vec<_> = self.iter().map(value).collect();
        inline_table(values.iter().map(|(name, value)| (name.as_str(), value.as_str())))
    }
}

/// Formats an inline table of strings; `None` if it has no entries.
fn inline_table<'a>(entries: impl Iterator<Item = (&'a str, &'a str)>) -> Option<String> {
    let entries: Vec<_> = entries.map(|(key, value)| format!("{} = {}", quote_toml(key), quote_toml(value))).collect();
    (!entries.is_empty()).then(|| format!("{{ {} }}", entries.join(", ")))
}

/// Formats a TOML basic string, with control characters escaped.
fn quote_toml(text: &str) -> String {
    let escaped = text.chars().map(|character| match character {
        '"' | '\\' => format!("\\{character}"),
        _ if character.is_control() => format!("\\u{:04X}", u32::from(character)),
        _ => character.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

/// Formats a number with an underscore between groups of three digits.
pub(super) fn with_digit_groups(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join("_")
}
