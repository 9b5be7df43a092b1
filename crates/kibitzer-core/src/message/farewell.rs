//! Announcements that a session ends: a kick, an idle logout, a shutdown.

use super::Handle;
use super::login::trim_decoration;
use super::template::{TemplateTable, match_table};
use crate::by_name::named_enum;

/// The reason why the server disconnects this login: `**** Foo has arrived - you can't both be logged in. ****`.
///
/// The line alone does not end the session; the session is over only if the connection closes right after it.
///
/// Source: transcripts of two servers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum KickedBy {
    /// A second login to the same account. Logging in again would throw that one out in turn.
    SecondLogin,
    /// The administrator with this name.
    Admin(Handle),
}

const KICKED: TemplateTable<fn(Handle) -> KickedBy> = &[
    ("You have been kicked out by %!", KickedBy::Admin),
    ("% has arrived - you can't both be logged in.", |_| KickedBy::SecondLogin),
    ("% has arrived; you can't both be logged in.", |_| KickedBy::SecondLogin),
];

impl KickedBy {
    /// Parses a complete line, including its stars; `None` if it does not report a kick.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let sentence = line.trim_ascii_end().strip_prefix(b"**** ")?.strip_suffix(b" ****")?;
        let (kicked_by, captures) = match_table(sentence, KICKED)?;
        captures.name.map(kicked_by)
    }
}

named_enum! {
    /// An announcement that the connection is about to end, or the withdrawal of one.
    ///
    /// Source: transport §9; transcripts of two servers.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Farewell("Returns the reason in JSON.") {
        /// `**** Auto-logout because you were idle more than 60 minutes. ****`
        Idle = "idle",
        /// `Logging you out.`, the reply to `quit` and the last line of a shutdown.
        LoggingOut = "logging_out",
        /// The server announces that it will stop, or that it stops now.
        Shutdown = "shutdown",
        /// The server canceled the shutdown.
        ShutdownCanceled = "shutdown_canceled",
    }
}

impl Farewell {
    /// Parses a line; `None` if it is not such an announcement. Blanks before a line between stars are ignored.
    pub fn parse(line: &[u8]) -> Option<Self> {
        if line.trim_ascii_end() == b"Logging you out." {
            return Some(Self::LoggingOut);
        }
        let framed = line.trim_ascii();
        (framed.starts_with(b"***") && framed.ends_with(b"***")).then_some(())?;
        match_table(trim_decoration(framed), FRAMED).map(|(farewell, _)| farewell)
    }
}

/// Sentences between stars.
const FRAMED: TemplateTable<Farewell> = &[
    ("Auto-logout because you were idle *", Farewell::Idle),
    ("Server going down *", Farewell::Shutdown),
    ("Server shutting down *", Farewell::Shutdown),
    ("Server shutdown ordered by *", Farewell::Shutdown),
    ("The server is shutting down *", Farewell::Shutdown),
    ("Server shutdown canceled*", Farewell::ShutdownCanceled),
];

#[cfg(test)]
mod tests;
