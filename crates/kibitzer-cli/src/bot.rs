//! `kibitzer bot`: plays with an engine.

mod results;

use std::future::pending;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kibitzer::internal::recorded::SessionClock;
use kibitzer::{Handle, Profile};
use kibitzer_bot::check::ConfigCheck;
use kibitzer_bot::config::{MatchmakingRules, SCHEMA};
use kibitzer_bot::{Bot, BotConfig, BotError, BotEvent, EngineConfig, StartEngine, Stop, WeakPlayer};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::console::{self, ConsoleOptions, SessionFeed};
use crate::demo;
use crate::failure::{EXIT_STATUS, FAILED, Failure, report};
use crate::live::{ExposureArgs, StopSignal, check_end, connect_failure, run, runtime, start_and_expose_bot};
use crate::output::{LineFormat, TerminalSafe, bot_event_json};
use results::ResultPrinter;

/// File to which the demo appends its games, in the current folder.
const DEMO_GAMES: &str = "kibitzer-demo.pgn";

/// Time that the demo's bot takes for each move, so that people can follow.
const DEMO_MOVE: Duration = Duration::from_millis(500);

/// Play with an engine, by the settings of a file
///
/// Accepts challenges, posts seeks and plays, until Ctrl-C: then the game in progress is finished first; a second Ctrl-C ends at
/// once. Games survive a lost connection and a restart where the server keeps them. Every decision is printed with its reason and
/// the time of day (UTC). On a terminal the session is shown in the console, and closing it stops the bot in the same way.
/// config/bot.toml describes all settings. The results of all games are printed at the end and, outside the console, at SIGUSR1.
///
/// [server] alone is one account. With [[account]] tables those play, each with an engine of its own, and [server] has defaults for
/// their keys. The failure of one account is reported at once with its name, and the others play on.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_STATUS}"))]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub(crate) struct Args {
    /// The settings
    #[arg(value_name = "CONFIG", required_unless_present_any = ["demo", "schema"], conflicts_with_all = ["demo", "schema"])]
    config: Option<PathBuf>,
    /// Play on an embedded server with a built-in weak player; the games are appended to kibitzer-demo.pgn
    #[arg(long)]
    demo: bool,
    /// Print every mistake in the settings, open the files that they name, start the engine, and print what was found and every rule.
    /// The exit status is 1 if there is an error; a warning is none
    #[arg(long, conflicts_with_all = ["demo", "schema"])]
    check: bool,
    /// With --check, log in with every account, and out again, if there is no error. Ends the session of a bot that plays with it
    #[arg(long, requires = "check")]
    login: bool,
    /// Print the JSON Schema of the settings, for editors
    #[arg(long, conflicts_with = "demo")]
    schema: bool,
    #[cfg(feature = "web")]
    #[command(flatten)]
    web: crate::web::WebArgs,
    #[command(flatten)]
    exposure: ExposureArgs,
    #[command(flatten)]
    shared: demo::Args,
}

/// Where the time of day without fractions is in a [`Utc`](kibitzer::transcript::Utc).
const TIME_OF_DAY: std::ops::Range<usize> = "2025-03-01T".len().."2025-03-01T12:34:56".len();

/// Where the session of a bot is shown.
enum View {
    Console(Box<ConsoleOptions>),
    /// In a browser, with the name of the server; the bot's events are printed as well.
    #[cfg(feature = "web")]
    Page(Box<crate::web::PageServer>, String),
}

const EXAMPLES: &str = "\
Examples:
  kibitzer bot --demo                      watch a weak player on an embedded server
  kibitzer bot --check bot.toml            find mistakes, or print the engine's options and all rules
  kibitzer bot --check --login bot.toml    also try every account
  kibitzer bot bot.toml                    play
  kibitzer bot bot.toml --attach-socket bot.sock   let `kibitzer console --attach bot.sock` look at it
  kibitzer bot bot.toml --json | jq -r .reason   for programs";

impl Args {
    /// With `--schema`, prints it. With `--check`, prints the mistakes, or the engine's options and the rules; otherwise plays: by the configuration or, with
    /// `--demo`, on an embedded server. Blocks until the bot has stopped. `plain` keeps the console closed.
    pub(crate) fn play_or_check(&self, plain: bool) -> Result<(), Failure> {
        if self.schema {
            return io::stdout().lock().write_all(SCHEMA.as_bytes()).map_err(Failure::stdout);
        }
        let opens_console = console::can_open_console(plain, self.shared.format.format(), self.shared.ending);
        match &self.config {
            Some(path) if self.check => run(self.check_config(path)),
            Some(path) => self.play_with_config(load_config(path)?, opens_console),
            None => self.run_demo(opens_console),
        }
    }

    /// Checks the configuration file at `path`, and prints its mistakes on standard error; without an error, prints the engine's name,
    /// variants and options and all rules of the bot.
    ///
    /// # Errors
    ///
    /// A [`Failure`] without a message if there is an error.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the engine or the session.
    async fn check_config(&self, path: &Path) -> Result<(), Failure> {
        let mut check = ConfigCheck::run(path, |notice| report(&notice)).await.map_err(Failure::caused_by)?;
        let logins = if self.login && !check.has_errors() { check.log_in().await } else { Vec::new() };
        check.problems().iter().for_each(|problem| report(&problem.to_string()));
        let config = check.config();
        let Some(info) = check.engine().filter(|_| !check.has_errors()) else { return Err(Failure::silent(FAILED)) };
        let names = config.accounts.iter().map(|account| account.handle().map_or("a guest", Handle::as_str));
        let author = if info.author.is_empty() { String::new() } else { format!(" by {}", info.author) };
        let mut lines = vec![
            format!("Engine: {}{author}", info.name),
            format!("Variants: {}", info.variants.join(", ")),
            format!("Options: {}", info.options.join(", ")),
            format!("Accounts: {}", names.collect::<Vec<_>>().join(", ")),
        ];
        lines.extend(logins.into_iter().chain(config.sentences()));
        let mut out = io::stdout().lock();
        lines.iter().try_for_each(|line| writeln!(out, "{}", TerminalSafe(line))).map_err(Failure::stdout)
    }

    /// Plays by a configuration: in the console if `opens_console` and there is exactly one account, otherwise printing the bot's
    /// events.
    fn play_with_config(&self, mut config: BotConfig, opens_console: bool) -> Result<(), Failure> {
        #[cfg(feature = "web")]
        if self.web.is_given() && config.accounts.len() != 1 {
            return Err(Failure::local("--web shows one account, and this bot has several"));
        }
        if self.exposure.attach_socket.is_some() && config.accounts.len() != 1 {
            return Err(Failure::local("--attach-socket exposes one account, and this bot has several"));
        }
        config.accounts.iter_mut().for_each(|account| self.exposure.apply_to(account));
        if let [profile] = &config.accounts[..]
            && (opens_console || self.has_page())
        {
            let runtime = runtime()?;
            let profile = profile.clone();
            let server = profile.host_name().to_owned();
            let settings = self.shared.settings.load()?;
            let options = ConsoleOptions { server: server.clone(), settings, ..ConsoleOptions::default() };
            let view = self.view(options, &server)?;
            return self.play_in_view(&runtime, Bot::new(config), profile, view, (&server, Stop::request_or_force));
        }
        run(self.play_on_stdout(Bot::new(config), None))
    }

    /// Starts an embedded server, plays on it with the built-in weak player until the session ends, and shuts the server down.
    fn run_demo(&self, opens_console: bool) -> Result<(), Failure> {
        let runtime = runtime()?;
        let (server, address, mut profile) = runtime.block_on(demo::start_server(self.shared.population))?;
        self.exposure.apply_to(&mut profile);
        let name = format!("the embedded server, {address}");
        let seed = self.shared.population.seed;
        let bot =
            Bot::new(demo_config(profile.clone())).engine(move || async move { Ok(WeakPlayer::new(seed, DEMO_MOVE)) });
        let result = if opens_console || self.has_page() {
            // The server ends with the demo: there is no game to finish.
            let embedded_server = Some(server.control());
            let settings = self.shared.settings.load()?;
            let options =
                ConsoleOptions { server: name.clone(), embedded_server, settings, ..ConsoleOptions::default() };
            let view = self.view(options, &name)?;
            self.play_in_view(&runtime, bot, profile, view, (&name, Stop::force))
        } else {
            runtime.block_on(self.play_on_stdout(bot, Some(&name)))
        };
        runtime.block_on(server.shutdown());
        result
    }

    /// Returns whether the session is shown in a browser.
    #[cfg_attr(not(feature = "web"), expect(clippy::unused_self, reason = "the option is missing"))]
    const fn has_page(&self) -> bool {
        #[cfg(feature = "web")]
        return self.web.is_given();
        #[cfg(not(feature = "web"))]
        false
    }

    /// Returns where the session is shown: in a browser if that is asked for, otherwise in the console with these options.
    #[cfg_attr(
        not(feature = "web"),
        expect(clippy::unnecessary_wraps, clippy::unused_self, unused_variables, reason = "a page can fail to open")
    )]
    fn view(&self, options: ConsoleOptions, server: &str) -> Result<View, Failure> {
        #[cfg(feature = "web")]
        if let Some(page) = self.web.listen(self.shared.ending)? {
            return Ok(View::Page(Box::new(page), server.to_owned()));
        }
        Ok(View::Console(Box::new(options)))
    }

    /// Plays, and shows the session. When the user closes the console, or at a signal, calls the function beside the name of the
    /// server, which has to stop the bot; its further events are printed.
    fn play_in_view<S: StartEngine>(
        &self,
        runtime: &Runtime,
        bot: Bot<S>,
        profile: Profile,
        view: View,
        (server, on_close): (&str, fn(&Stop)),
    ) -> Result<(), Failure> {
        let prints = !matches!(view, View::Console(_));
        let format = self.shared.format.format();
        let metrics = runtime.block_on(self.shared.metrics.bind_and_serve(LineFormat::Text))?;
        let clock = SessionClock::new(Instant::now());
        let results = ResultPrinter::new(&bot, format, clock);
        metrics.add_bot(bot.statistics());
        let bot = bot.on_event(move |event| drop(print_bot_event(event, format, clock)));
        let bot = runtime.block_on(bot.start_engine()).map_err(Failure::caused_by)?;
        let (session, tap) = runtime.block_on(start_and_expose_bot(bot.session_profile(profile), server))?;
        let client = session.client().clone();
        metrics.add_session(&client);
        let (feed, sender) = SessionFeed::with_bot(tap);
        let (stop, ending) = (Stop::new(), self.shared.ending);
        let on_closed = stop.clone();
        let bot = bot.on_event(move |event| {
            let is_shown = sender.send_or_drop(event);
            if (prints || !is_shown) && print_bot_event(event, format, clock).is_err() {
                on_closed.force();
            }
        });
        let player = bot.run_with(session, stop.clone());
        let printed = if prints { results.clone() } else { results.hidden() };
        let companion = async move |closed: oneshot::Receiver<()>| {
            let closing = async {
                let _ = closed.await;
                on_close(&stop);
                // From here on, signals do not reach the console.
                if let Ok(mut signals) = ending.begin() {
                    stop_at_signal_or_deadline(&mut signals, &stop).await
                } else {
                    stop.force();
                    pending().await
                }
            };
            tokio::select! {
                // The session's end is reported by the console.
                _ = player => {}
                never = closing => match never {},
                // Without an output, as it would damage the console.
                _ = printed.print_at_signals() => {}
            }
        };
        let shown = match view {
            View::Console(options) => console::run(runtime, &client, feed, *options, companion),
            #[cfg(feature = "web")]
            View::Page(page, server) => page.show_session(runtime, &client, feed, ("bot", server), companion),
        };
        let printed = results.print_at_end();
        shown.and(printed)
    }

    /// Starts the engines, then a session for every account, plays in all of them and prints the bot's events, until every session
    /// has ended. The first signal lets the games in progress end, the second stops the bot at once. `server` is the server's name
    /// in messages; `None` for the host of each account.
    ///
    /// # Errors
    ///
    /// [`Failure`] of the first account whose engine does not start or whose session fails. It is reported at once, and the others
    /// play on.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the bot.
    async fn play_on_stdout<S: StartEngine>(&self, bot: Bot<S>, server: Option<&str>) -> Result<(), Failure> {
        let mut signals = self.shared.ending.begin()?;
        let (stop, format, clock) = (Stop::new(), self.shared.format.format(), SessionClock::new(Instant::now()));
        let metrics = Arc::new(self.shared.metrics.bind_and_serve(format).await?);
        metrics.add_bot(bot.statistics());
        let results = ResultPrinter::new(&bot, format, clock);
        let added = Arc::clone(&metrics);
        let has_others = bot.accounts().len() > 1;
        let server = server.map(str::to_owned);
        let names = move |profile: &Profile| {
            let server = server.clone().unwrap_or_else(|| profile.host_name().to_owned());
            (server, profile.handle().filter(|_| has_others).cloned())
        };
        // A reader of the output that has gone stops the bot like a signal.
        let on_closed = stop.clone();
        let bot = bot.on_client(move |client, _| added.add_session(client)).on_event(move |event| {
            if print_bot_event(event, format, clock).is_err() {
                on_closed.force();
            }
        });
        let names_of_started = names.clone();
        let connect = move |profile: Profile| {
            let (server, account) = names_of_started(&profile);
            async move {
                let started = start_and_expose_bot(profile, &server).await;
                started.map(|(session, _)| session).map_err(|failure| failure.report_now(account.as_ref()))
            }
        };
        let on_end = move |profile: &Profile, error| {
            let (server, account) = names(profile);
            check_bot_end(&server, error).map_err(|failure| failure.report_now(account.as_ref()))
        };
        tokio::select! {
            result = bot.run_with_sessions(stop.clone(), connect, on_end) => {
                let printed = results.print_at_end();
                result.and(printed)
            }
            failure = metrics.print_at_interval() => Err(failure),
            failure = results.print_at_signals() => Err(failure),
            never = stop_at_signal_or_deadline(&mut signals, &stop) => match never {},
        }
    }
}

/// Requests a stop of the bot at the first signal or the deadline, and forces it at the next signal. Later signals change
/// nothing. Never completes.
///
/// # Cancel safety
///
/// Cancel safe.
async fn stop_at_signal_or_deadline(signals: &mut StopSignal, stop: &Stop) -> std::convert::Infallible {
    loop {
        signals.wait().await;
        stop.request_or_force();
    }
}

/// Loads a configuration, and reports what is probably a mistake in it.
fn load_config(path: &Path) -> Result<BotConfig, Failure> {
    let config = BotConfig::load(path).map_err(Failure::caused_by)?;
    config.warning.iter().for_each(|warning| report(warning));
    Ok(config)
}

/// Returns the configuration of the demo, which repeatedly challenges Whetstone, the simulated player that accepts every match.
fn demo_config(profile: Profile) -> BotConfig {
    let mut config = BotConfig::new(profile, EngineConfig::new(Vec::<String>::new()));
    let mut matchmaking = MatchmakingRules::against("Whetstone".parse().ok(), "2 0 unrated");
    matchmaking.pause = Duration::from_secs(2);
    config.matchmaking = Some(matchmaking);
    config.pgn.file = Some(DEMO_GAMES.into());
    config.shutdown.finish_game_within = Duration::ZERO;
    config
}

/// Returns `Ok` if the error stands for a requested end of the session, otherwise the failure. `server` is the server's name in
/// the message.
fn check_bot_end(server: &str, error: BotError) -> Result<(), Failure> {
    match error {
        BotError::Connect(error) => Err(connect_failure(server, &error)),
        BotError::Ended(reason) => check_end(server, reason),
        error => Err(Failure::caused_by(error)),
    }
}

/// Prints an event on standard output: every event as JSON, with the present time of the clock, but as text only actions of the
/// bot, with the time of day (UTC).
fn print_bot_event(event: &BotEvent, format: LineFormat, clock: SessionClock) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match (format, event) {
        (LineFormat::Jsonl, _) => {
            let mut line = bot_event_json(event, &clock.stamp(Instant::now()));
            line.push(b'\n');
            out.write_all(&line)
        }
        (LineFormat::Text, BotEvent::Acted { .. }) => {
            let utc = clock.stamp(Instant::now()).utc.map(|utc| utc.to_string()).unwrap_or_default();
            let time = utc.get(TIME_OF_DAY).unwrap_or_default();
            writeln!(out, "{time} {}", TerminalSafe(&event.to_string()))
        }
        _ => Ok(()),
    }
}
