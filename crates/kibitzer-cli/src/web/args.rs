//! Arguments of `kibitzer web`, and the choice of the source.

use std::future::pending;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use kibitzer::Profile;
use kibitzer_attach::AttachAccess;
use kibitzer_web::{SourceInfo, WebOptions, WebServer};
use tokio::runtime::Runtime;
use tokio::sync::{Semaphore, oneshot};

use super::PageServer;
use crate::arguments::{PopulationArgs, ReaderArgs};
use crate::console::source::{ConsoleSource, LiveSession, RecordingPlayer, RecordingReader, SessionFeed, fill_feed};
use crate::demo;
use crate::failure::{EXIT_STATUS, Failure, USAGE, report};
use crate::live::{
    LineSender, LoginArgs, StopArgs, Target, attach, check_attached_end, runtime, start_and_expose_session,
};
use crate::pgn::observe_games;

/// Show a session in a browser: boards, talk, graphs and every event
///
/// Without a source, it shows the demo of `kibitzer`. Only this machine can open the page, and only look, unless options allow more.
#[derive(clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_STATUS}"))]
pub(crate) struct Args {
    /// A server, as for `kibitzer connect`, for a session of its own; or a recording, which is played
    #[arg(value_name = "PROFILE|HOST[:PORT]|RECORDING")]
    source: Option<String>,
    /// Show the session that another process of the same user exposes on this socket
    #[arg(long, value_name = "PATH", conflicts_with_all = ["source", "guest", "user", "password_command", "password_file", "no_reconnect", "record"])]
    attach: Option<PathBuf>,
    #[cfg(feature = "nats")]
    #[command(flatten)]
    stored: crate::nats::follow::FollowArgs,
    #[command(flatten)]
    page: PageArgs,
    #[command(flatten)]
    login: LoginArgs,
    /// Record the session in this new file, without names and passwords of the login
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    #[command(flatten)]
    population: PopulationArgs,
    #[command(flatten)]
    ending: StopArgs,
}

/// How the page is served.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct PageArgs {
    /// The address of the page; port 0: any that is free
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8765")]
    listen: SocketAddr,
    /// Open the page in the browser of this machine. With --allow-remote, open the printed link yourself: every user of this machine
    /// could read its token in the list of processes
    #[arg(long, conflicts_with = "allow_remote")]
    open: bool,
    /// Let viewers send commands and play; with --allow-remote, those with the first link
    #[arg(long)]
    write: bool,
    /// Let other machines open the page, with the link that is printed; a proxy has to add TLS
    #[arg(long)]
    allow_remote: bool,
    /// A name by which viewers reach the page, such as that of the proxy; may be given again
    #[arg(long = "host", value_name = "NAME", requires = "allow_remote")]
    hosts: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  kibitzer web                               the demo, at http://127.0.0.1:8765/
  kibitzer web --open --write fics --user Newton   play on a board
  kibitzer web session.jsonl                 step through a recording
  kibitzer web --attach bot.sock             a running bot
  curl -s http://127.0.0.1:8765/games.pgn    all games, for broadcast tools";

impl PageArgs {
    /// Listens, and opens the page if that is asked for.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the address is not that of this machine alone without `--allow-remote`, or cannot be listened on.
    fn listen(self, ending: StopArgs, controls: bool) -> Result<PageServer, Failure> {
        let runtime = runtime()?;
        if !self.allow_remote && !self.listen.ip().is_loopback() {
            return Err(Failure::new(USAGE, format!("--listen {} needs --allow-remote (try --help)", self.listen)));
        }
        let mut options = WebOptions::new(self.listen).hosts(self.hosts);
        if self.write {
            options = options.write();
        }
        if controls {
            options = options.control();
        }
        let bound = runtime.block_on(WebServer::bind(options));
        let server = bound.map_err(|error| Failure::local(format!("cannot listen on {}: {error}", self.listen)))?;
        if self.open
            && let Some(link) = server.links().first()
        {
            open_in_browser(link);
        }
        Ok(PageServer { runtime, server, ending })
    }
}

/// Option of commands whose session a browser can show as well.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct WebArgs {
    /// Show the session in a browser, to look only, at this loopback address [default: 127.0.0.1:8765]
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, require_equals = true, default_missing_value = "127.0.0.1:8765")]
    web: Option<SocketAddr>,
}

impl WebArgs {
    /// Returns whether the option is given.
    pub(crate) const fn is_given(&self) -> bool {
        self.web.is_some()
    }

    /// Listens if the option is given.
    ///
    /// # Errors
    ///
    /// As [`PageArgs::listen`].
    pub(crate) fn listen(self, ending: StopArgs) -> Result<Option<PageServer>, Failure> {
        let page = |listen| PageArgs { listen, open: false, write: false, allow_remote: false, hosts: Vec::new() };
        let page = self.web.map(|address| page(address).listen(ending, false)).transpose()?;
        if let Some(link) = page.as_ref().and_then(|page| page.server.links().into_iter().next()) {
            report(&format!("the page is at {link}"));
        }
        Ok(page)
    }

    /// If the option is given, shows all games of the embedded server at this address, which a guest observes, until the stop signal.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the page cannot be served, or the guest cannot log in.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future may leave the page without the games.
    pub(crate) async fn show_server(self, server: SocketAddr, ending: StopArgs) -> Result<(), Failure> {
        if !self.is_given() {
            return Ok(());
        }
        // Its runtime must not be made on a thread that drives another one.
        let listening = tokio::task::spawn_blocking(move || self.listen(ending)).await;
        let Some(page) = listening.map_err(|error| Failure::local(error.to_string()))?? else { return Ok(()) };
        let profile = Profile::demo().host("127.0.0.1").ports([server.port()]).redact_events();
        let (client, tap) = start_and_expose_session(profile, demo::SERVER).await?;
        page.spawn(&client, SessionFeed::Own(tap), SourceInfo::new("server", demo::SERVER));
        tokio::spawn(observe_games(client, Arc::new(Semaphore::new(Semaphore::MAX_PERMITS))));
        Ok(())
    }
}

/// Starts the browser of this machine; a failure is reported.
fn open_in_browser(link: &str) {
    let program: &[&str] = if cfg!(target_os = "macos") {
        &["open"]
    } else if cfg!(windows) {
        &["rundll32", "url.dll,FileProtocolHandler"]
    } else {
        &["xdg-open"]
    };
    let Some((program, arguments)) = program.split_first() else { return };
    let mut command = Command::new(program);
    command.args(arguments).arg(link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Err(error) = command.spawn() {
        report(&format!("the browser cannot be opened: {program}: {error}"));
    }
}

impl Args {
    /// Shows the source until the stop signal.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the source is not available, or of the page.
    pub(crate) fn show(self) -> Result<(), Failure> {
        if let Some(path) = &self.attach {
            return self.show_attached(path);
        }
        #[cfg(feature = "nats")]
        if self.stored.is_given() {
            return self.show_stored();
        }
        match &self.source {
            None => self.show_demo(),
            Some(source) if is_recording(source) => self.show_recording(Path::new(source)),
            Some(source) => {
                let target = source.parse::<Target>().map_err(|error| Failure::new(USAGE, error.to_string()))?;
                self.show_own_session(&target)
            }
        }
    }

    /// Listens, and prints the links of the page on standard output, each in a line: first that of viewers who may act.
    fn listen(&self, controls: bool) -> Result<PageServer, Failure> {
        let page = self.page.clone().listen(self.ending, controls)?;
        let mut out = io::stdout().lock();
        let written = page.server.links().iter().try_for_each(|link| writeln!(out, "{link}"));
        written.and_then(|()| out.flush()).map_err(Failure::stdout)?;
        Ok(page)
    }

    fn show_own_session(&self, target: &Target) -> Result<(), Failure> {
        let runtime = runtime()?;
        let mut profile = runtime.block_on(self.login.load_profile_and_ask_password(target))?.redact_events();
        if let Some(path) = &self.record {
            profile = profile.record_file(path);
        }
        let name = target.name(&profile);
        let page = self.listen(false)?;
        let (client, tap) = runtime.block_on(start_and_expose_session(profile, &name))?;
        let source = ("session", name);
        page.show_session(&runtime, &client, SessionFeed::Own(tap), source, async |closed| drop(closed.await))
    }

    fn show_demo(&self) -> Result<(), Failure> {
        let page = self.listen(false)?;
        let runtime = runtime()?;
        let (server, _, profile) = runtime.block_on(demo::start_server(self.population))?;
        let (client, tap) = runtime.block_on(start_and_expose_session(profile.redact_events(), demo::SERVER))?;
        let observer = client.clone();
        let companion = async move |closed| {
            tokio::select! {
                _ = closed => {}
                () = async { demo::join_channels_and_observe(&observer).await; pending().await } => {}
            }
        };
        let source = ("session", demo::SERVER.to_owned());
        let shown = page.show_session(&runtime, &client, SessionFeed::Own(tap), source, companion);
        runtime.block_on(server.shutdown());
        shown
    }

    fn show_recording(&self, path: &Path) -> Result<(), Failure> {
        let reader = RecordingReader::open(path, ReaderArgs::default(), std::time::Instant::now)?;
        let name = reader.file_name();
        let player = RecordingPlayer::new(reader, 1.0, std::time::Instant::now());
        let page = self.listen(true)?;
        page.show(ConsoleSource::Recording(Box::new(player)), SourceInfo::new("recording", name))
    }

    /// Shows the session that another process exposes on the socket `path`.
    fn show_attached(&self, path: &Path) -> Result<(), Failure> {
        let access = if self.page.write { AttachAccess::Write } else { AttachAccess::Read };
        let runtime = runtime()?;
        let session = runtime.block_on(attach(path, access))?;
        let server = session.server().to_owned();
        let (feed, sender) = SessionFeed::new_attached();
        let requests = access.may_send().then(|| LineSender::Attached(session.requests()));
        let live = LiveSession::new(feed, requests, server.clone(), runtime.handle().clone(), session.began());
        let source = SourceInfo::new("attached", server.clone());
        let outcome = self.show_watched(&runtime, live, source, fill_feed(session, sender))?;
        check_attached_end(&server, outcome.unwrap_or(Ok(None)))
    }

    /// Shows a session of a NATS stream.
    #[cfg(feature = "nats")]
    fn show_stored(&self) -> Result<(), Failure> {
        let runtime = runtime()?;
        let session = runtime.block_on(Box::pin(self.stored.open()))?;
        let (feed, sender) = SessionFeed::new_attached();
        let live = session.live_session(feed, runtime.handle().clone());
        let source = SourceInfo::new("stream", session.name.clone());
        self.show_watched(&runtime, live, source, session.forward(sender)).map(drop)
    }

    /// Shows a session of which `fill` fills the feed. The page stays open after its end. Returns its result; `None` before its end.
    fn show_watched<T: Send>(
        &self,
        runtime: &Runtime,
        live: LiveSession,
        source: SourceInfo,
        fill: impl Future<Output = T> + Send,
    ) -> Result<Option<T>, Failure> {
        let page = self.listen(false)?;
        let background = async move |closed: oneshot::Receiver<()>| {
            tokio::pin!(closed);
            tokio::select! {
                _ = &mut closed => None,
                outcome = fill => {
                    let _ = closed.await;
                    Some(outcome)
                }
            }
        };
        let shown = page
            .show_beside(ConsoleSource::Live(Box::new(live)), source, |closed| runtime.block_on(background(closed)));
        shown.map(Option::flatten)
    }
}

/// Returns whether the argument names an existing file that is not a profile.
fn is_recording(source: &str) -> bool {
    let path = Path::new(source);
    path.is_file() && path.extension().is_none_or(|extension| extension != "toml")
}
