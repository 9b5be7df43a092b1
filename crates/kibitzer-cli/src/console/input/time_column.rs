//! Contents of the list's time column.

/// Time that the list shows for each row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TimeColumn {
    /// Time since the session began.
    #[default]
    Session,
    /// Time of day in UTC.
    Utc,
    /// Time since the listed row before.
    Previous,
    /// Time since the start of the ruler, otherwise since the last mark.
    Mark,
}

impl TimeColumn {
    /// The columns in the order of their key.
    pub(crate) const ALL: [Self; 4] = [Self::Session, Self::Utc, Self::Previous, Self::Mark];

    /// Returns the name in `/times`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Utc => "utc",
            Self::Previous => "previous",
            Self::Mark => "mark",
        }
    }

    /// Returns the column that the key shows after this one.
    pub(crate) const fn next(self) -> Self {
        match self {
            Self::Session => Self::Utc,
            Self::Utc => Self::Previous,
            Self::Previous => Self::Mark,
            Self::Mark => Self::Session,
        }
    }

    /// Returns what the column shows, for people.
    pub(crate) const fn description(self) -> &'static str {
        match self {
            Self::Session => "times since the start of the session",
            Self::Utc => "times of day, UTC",
            Self::Previous => "times since the row before",
            Self::Mark => "times since the ruler's start, otherwise since the last mark",
        }
    }
}
