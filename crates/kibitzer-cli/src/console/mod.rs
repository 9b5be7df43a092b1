//! The debug console: a full-screen view of a recorded or live session, with its bytes, events, sent lines and timing.
//!
//! | folder | contents |
//! |---|---|
//! | `model` | the session so far, within fixed limits: rows, bytes, games, delays |
//! | `source` | where [`model::item::SourceItem`]s come from: a recording, a session of this process, or an attached one |
//! | `input` | keys, the input line, its history and completion, commands and named filters |
//! | `app` | the effect of keys and commands on the model, the source and the selection |
//! | `view` | draws the app |
//! | `terminal` | the event loop on the terminal |
//!
//! Memory is bounded: 20,000 rows or 32 MiB of them, the last 8 MiB of bytes, 256 games. Text received from others passes
//! [`TerminalSafe`](crate::output::TerminalSafe) before it is drawn.

mod app;
mod args;
mod input;
mod model;
mod source;
mod terminal;
#[cfg(test)]
mod tests;
mod view;

use std::future::pending;
use std::io;
use std::path::Path;
use std::thread;
use std::time::Instant;

use kibitzer::core::event::EndReason;
use kibitzer::core::message::Family;
use kibitzer::core::wire::Timeseal;
use kibitzer::{Client, Tap};
use kibitzer_attach::{AttachAccess, AttachError, Attached};
use thiserror::Error;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use self::app::App;
pub(crate) use self::args::{Args, Error, is_on_terminal, run_session};
use self::input::StateDirectory;
pub(crate) use self::input::named_filters::{ProfileFilterError, ProfileFilters};
use self::source::Source;
use self::source::feed::{AttachedFeed, forward_events};
use self::source::live_session::LiveSession;
use self::source::recording_player::RecordingPlayer;
use self::source::recording_reader::RecordingReader;
pub(crate) use self::source::recording_reader::ReplayError;

/// Failure of the console itself; the end of the session is reported separately.
#[derive(Debug, Error)]
pub(crate) enum ConsoleError {
    #[error("the terminal cannot be used: {0}")]
    Terminal(io::Error),
    #[error("{0}")]
    Replay(#[from] ReplayError),
    #[error("{0}")]
    Filter(#[from] ProfileFilterError),
    /// A thread other than the drawing one panicked; holds its message.
    #[error("the console has a bug: {0}")]
    Panicked(String),
}

/// Plays a recording in the console, at a multiple of its recorded speed, until the user quits.
///
/// # Errors
///
/// [`ConsoleError`] if the recording cannot be read, or the terminal fails.
pub(crate) fn replay(
    path: &Path,
    family: Family,
    timeseal: Timeseal,
    speed: f64,
    is_strict: bool,
) -> Result<(), ConsoleError> {
    let reader = RecordingReader::open(path, family, timeseal, Instant::now, is_strict)?;
    let player = RecordingPlayer::new(reader, speed, Instant::now());
    terminal::run(App::new(Source::Recording(Box::new(player)), StateDirectory::for_user()))
}

/// Shows a session of this process until the user quits, then shuts the session down.
///
/// The session runs on its own thread, together with `companion`; this thread draws.
///
/// # Errors
///
/// [`ConsoleError`] if the terminal fails.
fn show_live(
    runtime: &Runtime,
    client: Client,
    tap: Tap,
    server: String,
    filters: ProfileFilters,
    companion: impl Future<Output = ()> + Send,
) -> Result<(), ConsoleError> {
    let session = LiveSession::new(client.clone(), tap, server, runtime.handle().clone());
    let app = App::new(Source::Live(Box::new(session)), StateDirectory::for_user()).with_profile_filters(filters);
    let background = async move |closed: oneshot::Receiver<()>| {
        tokio::select! {
            _ = closed => {}
            () = async { companion.await; pending().await } => {}
        }
        client.shutdown().await;
    };
    run_with_background(app, |closed| runtime.block_on(background(closed))).map(|_| ())
}

/// Outcome of watching an attached session: `Ok(None)` if the user quit first, else why the session or the attachment ended.
type AttachedOutcome = Result<Option<EndReason>, AttachError>;

/// Shows a session of another process until the user quits. The session continues afterwards.
///
/// # Errors
///
/// [`ConsoleError`] if the terminal fails.
fn show_attached(runtime: &Runtime, session: Attached, access: AttachAccess) -> Result<AttachedOutcome, ConsoleError> {
    let (feed, sender) = AttachedFeed::new(&session, access);
    let live = LiveSession::attached(feed, session.server().to_owned(), runtime.handle().clone(), session.began());
    let app = App::new(Source::Live(Box::new(live)), StateDirectory::for_user());
    let background = async move |closed: oneshot::Receiver<()>| {
        tokio::select! {
            _ = closed => Ok(None),
            outcome = forward_events(session, sender) => outcome,
        }
    };
    let outcome = run_with_background(app, |closed| runtime.block_on(background(closed)))?;
    Ok(outcome.unwrap_or(Ok(None)))
}

/// Draws the app on this thread while `background` runs on another; its receiver resolves once the console is closed.
///
/// Returns the result of `background`, or `None` if it panicked: the console has shown that panic already.
fn run_with_background<T: Send>(
    app: App,
    background: impl FnOnce(oneshot::Receiver<()>) -> T + Send,
) -> Result<Option<T>, ConsoleError> {
    let (close, closed) = oneshot::channel();
    thread::scope(|scope| {
        let background = scope.spawn(move || background(closed));
        let shown = terminal::run(app);
        drop(close);
        let outcome = background.join().ok();
        shown.map(|()| outcome)
    })
}

/// Parses a playback speed: `4`, `0.5`, `4x`.
///
/// # Errors
///
/// The accepted range, in words.
pub(crate) fn parse_speed(text: &str) -> Result<f64, String> {
    let range = &source::replay_clock::SPEEDS;
    input::command::speed(text)
        .filter(|speed| range.contains(speed))
        .ok_or_else(|| format!("a speed is a number from {} to {}", range.start(), range.end()))
}
