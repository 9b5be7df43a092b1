//! Shared parts of all commands with a live session.

mod address;
mod attached;
mod login;
mod noise_filter;
mod printer;
#[cfg(unix)]
mod prompt;
mod recording;
mod stop;
mod target;
mod typed;

use std::error::Error;
use std::io;
use std::path::PathBuf;

use kibitzer::core::event::EndReason;
use kibitzer::transcript::Recording;
use kibitzer::{ConfigError, ConnectError};
use kibitzer_attach::{AttachError, ExposeError};
use thiserror::Error;
use tokio::runtime::{Builder, Runtime};

pub(crate) use attached::{attach, print_attached};
pub(crate) use login::{LoginArgs, LoginArgsError};
pub(crate) use noise_filter::{NoiseFilter, is_repeated_reserve, reply_number, split_request_number};
pub(crate) use printer::{EventPrinter, EventSelection, EventSender};
pub(crate) use recording::{
    amount, announce_recording, failure, report_failed_recording, report_recorded, wait_for_end,
};
pub(crate) use stop::{StopArgs, StopSignal};
pub(crate) use target::{TARGET_HELP, Target};
pub(crate) use typed::{LongLine, send_typed, send_typed_attached};

use crate::failure::{FAILED, Failure, LOST, NO_SESSION};
use crate::output::WriteError;
use kibitzer::core::text::error_chain;

/// Failure of a session. Being stopped by the user is not a failure.
#[derive(Debug, Error)]
pub(crate) enum SessionError {
    #[error("cannot start: {0}")]
    Start(#[from] io::Error),
    #[error("{}", error_chain(.0))]
    Config(#[from] ConfigError),
    #[error("{0}")]
    Login(#[from] LoginArgsError),
    #[error("cannot connect to {server}: {}{}", cause_text(.source), advice(server, .source))]
    Connect { server: String, source: ConnectError },
    #[error("session on {server} lost: {}", cause_text(.source))]
    Lost { server: String, source: EndReason },
    #[error("{}", error_chain(.0))]
    Expose(#[from] ExposeError),
    #[error("{}", error_chain(.0))]
    Attach(#[source] AttachError),
    #[error("watchers of the session at {path} may only look; its process lets them send with attach_access = \"write\"", path = .0.display())]
    ReadOnly(PathBuf),
    #[error("session on {server} lost: {}", error_chain(.source))]
    Detached { server: String, source: AttachError },
    #[error("up to {pieces} pieces of the session are not recorded; {}", recorded(.recording))]
    Unrecorded { pieces: u64, recording: Recording },
    #[error("{0}")]
    Input(#[from] LongLine),
    #[error("{0}")]
    Write(#[from] WriteError),
}

impl Failure for SessionError {
    fn status(&self) -> u8 {
        match self {
            // Local failures, before any server was contacted.
            Self::Connect { source: ConnectError::Secret(_) | ConnectError::Record(_), .. }
            | Self::Expose(_)
            | Self::ReadOnly(_)
            | Self::Start(_)
            | Self::Config(_)
            | Self::Login(_)
            | Self::Input(_)
            | Self::Unrecorded { .. }
            | Self::Write(_) => FAILED,
            Self::Connect { .. } | Self::Attach(_) => NO_SESSION,
            Self::Lost { .. } | Self::Detached { .. } => LOST,
        }
    }
}

impl SessionError {
    /// Returns `Ok` if the session ended as requested, else the error.
    pub(crate) fn check_end(server: &impl ToString, reason: EndReason) -> Result<(), Self> {
        let server = server.to_string();
        match reason {
            EndReason::Quit | EndReason::Shutdown => Ok(()),
            EndReason::Dial(_) | EndReason::Login(_) => Err(Self::Connect { server, source: reason.into() }),
            source => Err(Self::Lost { server, source }),
        }
    }

    /// Like [`check_end`](Self::check_end), for an attached session.
    pub(crate) fn check_attached_end(server: &str, seen: Result<Option<EndReason>, AttachError>) -> Result<(), Self> {
        match seen {
            Ok(None) => Ok(()),
            Ok(Some(reason)) => Self::check_end(&server, reason),
            Err(source) => Err(Self::Detached { server: server.to_owned(), source }),
        }
    }
}

/// Returns why a recording failed, or how much of its successor is written.
fn recorded(recording: &Recording) -> String {
    match recording.error {
        Some(_) => failure(recording),
        None => format!("{} has {}", recording.path.display(), amount(recording)),
    }
}

/// Returns a hint for a failed connection: the default server `demo` has to be started first.
fn advice(server: &str, source: &ConnectError) -> &'static str {
    let is_absent = server == "demo" && matches!(source, ConnectError::Dial(_));
    if is_absent { "; `kibitzer serve` starts it, `kibitzer` alone has one of its own" } else { "" }
}

/// Returns an error's chain of sources, or the error itself if it has none.
fn cause_text(error: &(dyn Error + 'static)) -> String {
    error_chain(error.source().unwrap_or(error))
}

/// Builds a single-threaded runtime.
///
/// # Errors
///
/// [`io::Error`] if the system lacks resources, such as file descriptors.
pub(crate) fn runtime() -> io::Result<Runtime> {
    /// File descriptors that the runtime opens. tokio panics if it cannot open them, so this is tried first.
    #[cfg(unix)]
    const DESCRIPTORS: usize = 6;
    #[cfg(unix)]
    (0..DESCRIPTORS).map(|_| std::fs::File::open("/dev/null")).collect::<io::Result<Vec<_>>>()?;
    Builder::new_current_thread().enable_all().build()
}

/// Runs a command on its own runtime. Does not wait for blocking threads that read standard input.
pub(crate) fn run<E: From<io::Error>>(command: impl Future<Output = Result<(), E>>) -> Result<(), E> {
    let runtime = runtime()?;
    let result = runtime.block_on(command);
    // A blocking thread may still wait for standard input or output.
    runtime.shutdown_background();
    result
}
