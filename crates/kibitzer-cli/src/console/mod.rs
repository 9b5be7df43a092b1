//! The debug console: a full-screen view of a recorded or live session, with its bytes, events, sent lines and timing.
//!
//! | folder | contents |
//! |---|---|
//! | `model` | the session so far, within fixed limits: rows, bytes, games, delays |
//! | `export` | rows as recordings, JSON, text, PGN and tests |
//! | `source` | where [`model::SourceItem`]s come from: a recording, a session of this process, or an attached one |
//! | `input` | the input line with its history and completion |
//! | `app` | keys, commands and preferences, and their effects on the model, the source and the selection |
//! | `view` | draws the app |
//! | `terminal` | the event loop on the terminal |
//!
//! Memory is bounded: 20,000 rows or 32 MiB of them, the last 8 MiB of bytes, 256 games. Text received from others passes
//! [`TerminalSafe`](crate::output::TerminalSafe) before it is drawn.

mod app;
mod args;
pub(crate) mod export;
mod input;
pub(crate) mod model;
pub(crate) mod source;
mod terminal;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod view;

use std::path::Path;
use std::thread;
use std::time::Instant;

use kibitzer::Client;
use kibitzer_attach::{AttachAccess, AttachError, AttachedSession};
use kibitzer_core::event::SessionEndReason;
use kibitzer_server::ServerControl;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use self::app::App;
pub(crate) use self::app::{ConsoleSettings, ProfileFilters, SettingsArgs};
pub(crate) use self::args::{Args, can_draw_on_stdout, can_open_console};
use self::input::StateDirectory;
use self::source::{ConsoleSource, LiveSession, RecordingPlayer, RecordingReader, fill_feed};
pub(crate) use self::source::{SPEEDS, SessionFeed};
pub(crate) use self::terminal::LineMode;
use crate::arguments::ReaderArgs;
use crate::failure::Failure;
use crate::filter::Expression;
use crate::live::{LineSender, report_recorded, wait_for_end};
use crate::log::LogOnScreen;

/// Plays a recording in the console until the user quits. `speed` is a multiple of the recorded speed, limited to [`SPEEDS`];
/// `filter` is the initial filter of the list.
///
/// # Errors
///
/// [`Failure`] if the recording cannot be read, or the terminal fails.
pub(crate) fn replay(
    path: &Path,
    args: ReaderArgs,
    filter: Option<Expression>,
    speed: f64,
    settings: ConsoleSettings,
) -> Result<(), Failure> {
    let reader = RecordingReader::open(path, args, Instant::now)?;
    let player = RecordingPlayer::new(reader, speed, Instant::now());
    terminal::run_until_quit(new_app(ConsoleSource::Recording(Box::new(player)), filter, settings))
}

fn new_app(source: ConsoleSource, filter: Option<Expression>, settings: ConsoleSettings) -> App {
    let mut app = App::new(source, StateDirectory::for_user());
    app.apply_settings(settings);
    app.list.filter = filter;
    app
}

/// How the console shows a session of this process.
#[derive(Debug, Default)]
pub(crate) struct ConsoleOptions {
    /// Name of the server, for the title.
    pub(crate) server: String,
    /// Control of the server, if it is embedded.
    pub(crate) embedded_server: Option<ServerControl>,
    /// Named filters of the session's profile.
    pub(crate) profile_filters: ProfileFilters,
    /// Initial filter of the list.
    pub(crate) filter: Option<Expression>,
    pub(crate) settings: ConsoleSettings,
}

/// Shows a session of this process until the user quits, then shuts it down, and reports on standard error how much of it was
/// recorded. Meanwhile another thread drives `runtime`: it runs `companion`, whose argument resolves once the console is closed,
/// and shuts the session down when `companion` returns.
///
/// # Errors
///
/// [`Failure`] if the terminal, the session or its recording failed.
pub(crate) fn run(
    runtime: &Runtime,
    client: &Client,
    feed: SessionFeed,
    options: ConsoleOptions,
    companion: impl AsyncFnOnce(oneshot::Receiver<()>) + Send,
) -> Result<(), Failure> {
    let ConsoleOptions { server, embedded_server, profile_filters, filter, settings } = options;
    let sender = Some(LineSender::Own(client.clone()));
    let began = tokio::time::Instant::now();
    let mut session = LiveSession::new(feed, sender, server.clone(), runtime.handle().clone(), began);
    if let Some(control) = embedded_server {
        session.set_embedded_server(&control);
    }
    let mut app = new_app(ConsoleSource::Live(Box::new(session)), filter, settings);
    app.preferences.filters.profile = profile_filters;
    let background = async move |closed| {
        companion(closed).await;
        client.shutdown().await;
    };
    run_with_background(app, |closed| runtime.block_on(background(closed)))?;
    runtime.block_on(wait_for_end(&server, client, Ok(()))).map(report_recorded)
}

/// Outcome of watching an attached session: the reason of its end, `Ok(None)` if the console was closed before, or the error that
/// ended the attachment.
type AttachedOutcome = Result<Option<SessionEndReason>, AttachError>;

/// Shows a session of another process until the user quits; typed lines are sent if `access` permits it. The session continues
/// afterwards.
///
/// # Errors
///
/// [`Failure`] if the terminal fails.
fn show_attached_session(
    runtime: &Runtime,
    session: AttachedSession,
    access: AttachAccess,
    filter: Option<Expression>,
    settings: ConsoleSettings,
) -> Result<AttachedOutcome, Failure> {
    let server = session.server().to_owned();
    let (feed, sender) = SessionFeed::new_attached();
    let requests = access.may_send().then(|| LineSender::Attached(session.requests()));
    let live = LiveSession::new(feed, requests, server, runtime.handle().clone(), session.began());
    let app = new_app(ConsoleSource::Live(Box::new(live)), filter, settings);
    let background = async move |closed: oneshot::Receiver<()>| {
        tokio::select! {
            _ = closed => Ok(None),
            outcome = fill_feed(session, sender) => outcome,
        }
    };
    let outcome = run_with_background(app, |closed| runtime.block_on(background(closed)))?;
    Ok(outcome.unwrap_or(Ok(None)))
}

/// Runs the console on this thread while `background` runs on another, and returns once both have ended. The receiver passed to
/// `background` resolves when the console is closed.
///
/// Returns the result of `background`, or `None` if it panicked after the console was closed. An earlier panic closes the console
/// and is the returned [`Failure`].
fn run_with_background<T: Send>(
    app: App,
    background: impl FnOnce(oneshot::Receiver<()>) -> T + Send,
) -> Result<Option<T>, Failure> {
    let (close, closed) = oneshot::channel();
    thread::scope(|scope| {
        let log = LogOnScreen::begin();
        let background = scope.spawn(move || background(closed));
        let shown = terminal::run_until_quit(app);
        drop(log);
        drop(close);
        let outcome = background.join().ok();
        shown.map(|()| outcome)
    })
}
