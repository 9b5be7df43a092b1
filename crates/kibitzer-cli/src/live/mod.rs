//! Shared parts of all commands with a live session.

mod attached;
mod exposure;
mod login;
mod printer;
mod program;
#[cfg(unix)]
mod prompt;
mod stop;
mod target;
mod typed;

use std::error::Error;
use std::io;

use kibitzer::internal::most_similar_word;
use kibitzer::{Client, ClientBuilder, ConnectError, Profile, Tap};
use kibitzer_attach::{AttachAccess, AttachError, Listener};
use kibitzer_bot::BotSession;
use kibitzer_core::event::SessionEndReason;
use kibitzer_core::text::error_chain;
use tokio::runtime::{Builder, Runtime};

pub(crate) use attached::{attach, forward_attached, run_attached_session};
pub(crate) use exposure::ExposureArgs;
pub(crate) use login::LoginArgs;
pub(crate) use printer::{EventPrinter, PrintItem, PrintedEvents, is_repeated_reserve, print_and_shut_down};
#[cfg(feature = "web")]
pub(crate) use program::answer_request;
pub(crate) use program::spawn_program_input;
#[cfg(unix)]
pub(crate) use prompt::TerminalModes;
use stop::announce_recording;
pub(crate) use stop::{StopArgs, StopSignal, recorded_amount, recording_failure_text, report_recorded, wait_for_end};
use target::NAMES;
pub(crate) use target::{TARGET_HELP, Target, target_parser};
pub(crate) use typed::{InputLines, LineSender, TypedInput, send_failure_text, send_typed_until_failure};

use crate::failure::{FAILED, Failure, LOST, NO_SESSION, report};

/// Starts a session, without waiting for its login, and exposes it if its profile names a socket. `server` is the name of the
/// server in messages.
///
/// # Errors
///
/// [`Failure`] if the socket, the recording or the password is not available. A server that does not answer is reported by the
/// end of the session.
///
/// # Cancel safety
///
/// Dropping the future starts nothing.
pub(crate) async fn start_and_expose_session(profile: Profile, server: &str) -> Result<(Client, Tap), Failure> {
    start_and_expose(profile, server, ClientBuilder::start, |client| client).await
}

/// Starts a session as [`start_and_expose_session`] does, of which a bot receives everything.
///
/// # Errors
///
/// As [`start_and_expose_session`].
///
/// # Cancel safety
///
/// As [`start_and_expose_session`].
pub(crate) async fn start_and_expose_bot(profile: Profile, server: &str) -> Result<(BotSession, Tap), Failure> {
    start_and_expose(profile, server, BotSession::start, BotSession::client).await
}

/// Starts a session by `start`, and exposes the client that `client_of` returns.
///
/// # Errors
///
/// As [`start_and_expose_session`].
///
/// # Cancel safety
///
/// As [`start_and_expose_session`].
async fn start_and_expose<T, F: Future<Output = Result<T, ConnectError>>>(
    profile: Profile,
    server: &str,
    start: impl FnOnce(ClientBuilder) -> F,
    client_of: fn(&T) -> &Client,
) -> Result<(T, Tap), Failure> {
    let socket = Listener::from_profile(&profile).await.map_err(Failure::caused_by)?;
    if socket.is_none() && std::env::var_os("KIBITZER_ATTACH_SOCKET").is_some() {
        report("KIBITZER_ATTACH_SOCKET is not used: the profile of this session is not read from the environment");
    }
    let access = AttachAccess::from_profile(&profile);
    let mut builder = Client::builder(profile);
    let tap = builder.tap();
    let session = start(builder).await.map_err(|error| connect_failure(server, &error))?;
    if let Some(socket) = socket {
        socket.expose(client_of(&session), access).map_err(Failure::caused_by)?;
    }
    Ok((session, tap))
}

/// Starts a session with the profile that `profile` loads, and reports on standard error in which file it is recorded. Returns
/// the client, its tap, and the server's name for messages; `None` if the stop signal arrives first.
///
/// # Errors
///
/// The failure of `profile`, or of [`start_and_expose_session`].
///
/// # Cancel safety
///
/// Dropping the future starts nothing.
pub(crate) async fn start_unless_stopped(
    target: &Target,
    profile: impl Future<Output = Result<Profile, Failure>>,
    ending: &mut StopSignal,
) -> Result<Option<(Client, Tap, String)>, Failure> {
    // Boxed, as a profile is large.
    let start = Box::pin(async {
        let profile = profile.await?;
        let server = target.name(&profile);
        let (client, tap) = start_and_expose_session(profile, &server).await?;
        announce_recording(&client);
        Ok((client, tap, server))
    });
    ending.unless_stopped(start).await.transpose()
}

/// Returns `Ok` if the session ended as requested, by `quit` or a shutdown; otherwise the failure, in whose message `server` is
/// the server's name.
pub(crate) fn check_end(server: &str, reason: SessionEndReason) -> Result<(), Failure> {
    match reason {
        SessionEndReason::Quit | SessionEndReason::Shutdown => Ok(()),
        SessionEndReason::Dial(_) | SessionEndReason::Login(_) => Err(connect_failure(server, &reason.into())),
        reason => Err(Failure::new(LOST, format!("session on {server} lost: {}", cause_text(&reason)))),
    }
}

/// Checks the end of an attached session as [`check_end`] does. `Ok(None)` stands for a session that has not ended, which is not
/// a failure; an error counts as the loss of the session.
pub(crate) fn check_attached_end(
    server: &str,
    seen: Result<Option<SessionEndReason>, AttachError>,
) -> Result<(), Failure> {
    match seen {
        Ok(None) => Ok(()),
        Ok(Some(reason)) => check_end(server, reason),
        Err(error) => Err(Failure::new(LOST, format!("session on {server} lost: {}", error_chain(&error)))),
    }
}

/// Returns the failure for an error of starting a session on `server`. Its exit status is [`FAILED`] for errors before the server
/// is contacted, otherwise [`NO_SESSION`].
pub(crate) fn connect_failure(server: &str, error: &ConnectError) -> Failure {
    // The file alone is in question.
    if let ConnectError::Record(_) = error {
        return Failure::local(cause_text(error));
    }
    // These fail before the server is contacted.
    let is_local = matches!(error, ConnectError::Transport(_) | ConnectError::Secret(_));
    let status = if is_local { FAILED } else { NO_SESSION };
    Failure::new(status, format!("cannot connect to {server}: {}{}", cause_text(error), connect_advice(server, error)))
}

/// Returns a hint that ends the message for a connection that could not be opened: how to start the default server `demo`, or the
/// profile whose name is similar to the host. Empty for other errors and for other hosts.
fn connect_advice(server: &str, source: &ConnectError) -> String {
    if !matches!(source, ConnectError::Dial(_)) {
        return String::new();
    }
    if server.starts_with("demo (") {
        return "; `kibitzer serve` starts it, `kibitzer` alone has one of its own".to_owned();
    }
    let profile = most_similar_word(server, NAMES);
    profile.map_or_else(String::new, |profile| format!("; did you mean the profile {profile}?"))
}

/// Returns the messages of an error's sources, without its own; its own if it has no source.
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

/// Builds a runtime and blocks until the command has ended on it. Does not wait for blocking threads that still read standard
/// input.
pub(crate) fn run<E: From<io::Error>>(command: impl Future<Output = Result<(), E>>) -> Result<(), E> {
    let runtime = runtime()?;
    let result = runtime.block_on(command);
    // A blocking thread may still wait for standard input or output.
    runtime.shutdown_background();
    result
}
