//! The debug console: what the server said, what was made of it, and what was answered, on one screen.
//!
//! A source hands over [`model::item::Item`]s, in the order in which things happened. [`model::Model`] keeps what they tell,
//! [`app::App`] how it is looked at, and `view` draws both. The source is a recording ([`source::player::Player`]) or a session
//! ([`source::live::Live`]).
//!
//! What is kept is bounded: 20,000 rows or 32 MiB of them, the last 8 MiB of bytes, 256 games. All that others wrote goes
//! through [`Shown`](crate::output::Shown) on its way to the screen.

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
use kibitzer_attach::{AttachError, Attached};
use thiserror::Error;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use self::app::App;
pub(crate) use self::args::{Args, Error, is_on_terminal, show};
pub(crate) use self::input::filters::{ProfileFilterError, ProfileFilters};
use self::input::store::Store;
use self::source::Source;
pub(crate) use self::source::feed::Writing;
use self::source::feed::{Remote, read};
use self::source::live::Live;
use self::source::player::Player;
use self::source::replay::Replay;
pub(crate) use self::source::replay::ReplayError;

/// Why the console ended by itself.
#[derive(Debug, Error)]
pub(crate) enum ConsoleError {
    #[error("the terminal cannot be used: {0}")]
    Terminal(io::Error),
    #[error("{0}")]
    Replay(#[from] ReplayError),
    #[error("{0}")]
    Filter(#[from] ProfileFilterError),
    /// Something behind the screen; what it said.
    #[error("the console has a bug: {0}")]
    Panicked(String),
}

/// Shows a recording, so many times as fast as it was made, until somebody leaves.
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
    let replay = Replay::open(path, family, timeseal, Instant::now, is_strict)?;
    let player = Player::new(replay, speed, Instant::now());
    terminal::run(App::new(Source::Recording(Box::new(player)), Store::of_user()))
}

/// Shows a live session until somebody leaves, and ends it then. The session runs on a thread of its own, and `beside` with
/// it; this one draws.
///
/// # Errors
///
/// [`ConsoleError`] if the terminal fails.
fn live(
    runtime: &Runtime,
    client: Client,
    tap: Tap,
    server: String,
    filters: ProfileFilters,
    beside: impl Future<Output = ()> + Send,
) -> Result<(), ConsoleError> {
    let (leave, left) = oneshot::channel::<()>();
    let live = Live::new(client.clone(), tap, server, runtime.handle().clone());
    let app = App::new(Source::Live(Box::new(live)), Store::of_user()).know(filters);
    thread::scope(|scope| {
        let session = scope.spawn(move || {
            runtime.block_on(async move {
                tokio::select! {
                    _ = left => {}
                    () = async { beside.await; pending().await } => {}
                }
                client.shutdown().await;
            });
        });
        let shown = terminal::run(app);
        drop(leave);
        // Had it panicked, that was told.
        let _ = session.join();
        shown
    })
}

/// What became of a session that was looked at: why it is over, if it is.
type Seen = Result<Option<EndReason>, AttachError>;

/// Shows a session of another process until somebody leaves. That does not end it. What became of it is told.
///
/// # Errors
///
/// [`ConsoleError`] if the terminal fails.
fn attached(runtime: &Runtime, session: Attached, writing: Writing) -> Result<Seen, ConsoleError> {
    let (leave, left) = oneshot::channel::<()>();
    let (remote, seen) = Remote::new(&session, writing);
    let live = Live::attached(remote, session.server().to_owned(), runtime.handle().clone(), session.began());
    let app = App::new(Source::Live(Box::new(live)), Store::of_user());
    thread::scope(|scope| {
        let reading = scope.spawn(move || {
            runtime.block_on(async move {
                tokio::select! {
                    _ = left => Ok(None),
                    outcome = read(session, seen) => outcome,
                }
            })
        });
        let shown = terminal::run(app);
        drop(leave);
        // Had it panicked, that was told.
        let outcome = reading.join().unwrap_or(Ok(None));
        shown.map(|()| outcome)
    })
}

/// Reads a speed that somebody typed: `4`, `0.5`, `4x`.
///
/// # Errors
///
/// What a speed is, in words.
pub(crate) fn parse_speed(text: &str) -> Result<f64, String> {
    let range = &source::clock::SPEEDS;
    input::command::speed(text)
        .filter(|speed| range.contains(speed))
        .ok_or_else(|| format!("a speed is a number from {} to {}", range.start(), range.end()))
}
