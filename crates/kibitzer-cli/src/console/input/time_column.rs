//! Contents of the list's time column.

use clap::ValueEnum;

/// Kind of time that the list shows for each row. The help texts are shown to the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TimeColumn {
    /// times since the start of the session
    #[default]
    Session,
    /// times of day, UTC
    Utc,
    /// times since the line before
    Previous,
    /// times since the ruler's start, otherwise since the last mark
    Mark,
}

impl TimeColumn {
    /// Returns the column that the key shows after this one.
    pub(crate) fn next(self) -> Self {
        let mut all = Self::value_variants().iter().cycle().copied().skip_while(|column| *column != self);
        all.nth(1).unwrap_or_default()
    }

    /// Returns the content, for people.
    pub(crate) fn description(self) -> String {
        self.to_possible_value().and_then(|value| value.get_help().map(ToString::to_string)).unwrap_or_default()
    }
}
