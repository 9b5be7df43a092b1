//! Values of settings as a file or a variable contains them.

use std::ops::RangeInclusive;

use toml::de::DeValue;

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
    pub(super) fn parse_text(self) -> Result<&'a str, String> {
        match self {
            Self::Toml(value) => value.as_str().ok_or_else(|| "must be a string".to_owned()),
            Self::Variable(text) => Ok(text),
        }
    }

    /// Parses a whole number; fails if the value has another type or is outside this range.
    pub(super) fn parse_number(self, range: &RangeInclusive<u64>) -> Result<u64, String> {
        let number = match self {
            Self::Toml(value) => {
                value.as_integer().and_then(|integer| u64::from_str_radix(integer.as_str(), integer.radix()).ok())
            }
            Self::Variable(text) => text.trim().parse().ok(),
        };
        number.filter(|number| range.contains(number)).ok_or_else(|| match *range.end() {
            u64::MAX => format!("must be a whole number of at least {}", range.start()),
            end => format!("must be a whole number from {} to {end}", range.start()),
        })
    }

    /// Returns the items of a TOML array, or the trimmed parts of an environment variable between commas. An empty variable has
    /// no items. Fails if the TOML value is not an array.
    pub(super) fn split_items(self) -> Result<Vec<Self>, String> {
        match self {
            Self::Toml(value) => {
                let items = value.as_array().ok_or("must be an array")?;
                Ok(items.iter().map(|item| Self::Toml(item.get_ref())).collect())
            }
            Self::Variable(text) if text.trim().is_empty() => Ok(Vec::new()),
            Self::Variable(text) => Ok(text.split(',').map(str::trim).map(Self::Variable).collect()),
        }
    }

    /// Returns the entries of a TOML table, or the trimmed `name=value` pairs of an environment variable, which semicolons
    /// separate. Fails if the TOML value is not a table, or a pair has no `=`.
    pub(super) fn split_entries(self) -> Result<Vec<(&'a str, Self)>, String> {
        match self {
            Self::Toml(value) => {
                let table = value.as_table().ok_or("must be a table")?;
                Ok(table.iter().map(|(key, value)| (key.get_ref().as_ref(), Self::Toml(value.get_ref()))).collect())
            }
            Self::Variable(text) => {
                let pairs = text.split(';').filter(|pair| !pair.trim().is_empty());
                let entry = |pair: &'a str| {
                    let (name, value) = pair.split_once('=').ok_or("must be pairs `name=value`")?;
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
