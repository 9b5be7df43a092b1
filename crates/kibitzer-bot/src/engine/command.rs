//! How to start an engine.

use std::path::PathBuf;
use std::time::Duration;

/// Protocol that an engine speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum EngineProtocol {
    /// Universal Chess Interface.
    #[default]
    Uci,
    /// Chess Engine Communication Protocol, also called xboard or winboard protocol, version 2.
    Cecp,
}

/// Program of an engine, its protocol and its options.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EngineCommand {
    /// Program and arguments. They are passed to the operating system as they are, never to a shell.
    pub command: Vec<String>,
    /// Protocol of the program.
    pub protocol: EngineProtocol,
    /// Working directory; that of this process if `None`.
    pub directory: Option<PathBuf>,
    /// Names and values of options, set in this order. The value of a button is empty.
    pub options: Vec<(String, String)>,
    /// Time within which the engine must complete its handshake, and confirm each command that has a reply.
    pub reply_timeout: Duration,
}

impl EngineCommand {
    /// Describes a UCI engine without options, which has 30 s for each reply.
    pub fn new(command: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            command: command.into_iter().map(Into::into).collect(),
            protocol: EngineProtocol::Uci,
            directory: None,
            options: Vec::new(),
            reply_timeout: Duration::from_secs(30),
        }
    }
}
