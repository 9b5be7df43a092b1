//! Checks the settings of a bot with everything that they name: files, passwords, engine and accounts.
//!
//! ```no_run
//! use kibitzer_bot::check::ConfigCheck;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let check = ConfigCheck::run("bot.toml", |notice| eprintln!("{notice}")).await?;
//! check.problems().iter().for_each(|problem| println!("{problem}"));
//! # Ok(())
//! # }
//! ```

mod files;
mod rules;
mod terms;

use std::fmt;
use std::path::Path;
use std::time::Duration;

use kibitzer::{Client, ConfigError, ConnectError, DialError, Profile};
use kibitzer_core::message::GameKind;
use kibitzer_core::session::AdjournedGames;
use kibitzer_core::text::error_chain;
use tokio::time::timeout;

use crate::bot::StartEngine as _;
use crate::config::{BotConfig, ConfigFile, ParsedConfig, dial_sentence};
use crate::engine::{Engine as _, EngineError, EngineInfo};

/// How long the login and the logout of an account may take together.
const LOGIN_TIMEOUT: Duration = Duration::from_secs(30);

/// Whether the bot can play with a mistake in its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Severity {
    /// The bot plays, but perhaps not as the author of the settings expects.
    Warning,
    /// The bot does not start, or a setting has no effect or contradicts another one.
    Error,
}

/// A mistake in the settings of a bot. Formatted, it has file, line, key, what is wrong and what to write.
#[derive(Debug)]
#[non_exhaustive]
pub struct ConfigProblem {
    /// How serious it is.
    pub severity: Severity,
    /// The place and the reason.
    pub error: ConfigError,
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.severity == Severity::Warning { "warning: " } else { "" };
        write!(f, "{mark}{}", error_chain(&self.error))
    }
}

/// The problems that were found, in the order of the checks.
struct Findings<'a> {
    file: &'a ConfigFile,
    problems: Vec<ConfigProblem>,
}

impl Findings<'_> {
    /// Adds an error about a key, as [`ConfigFile::mistake_at`] names it.
    fn error(&mut self, key: &str, reason: impl fmt::Display) {
        self.add(Severity::Error, key, reason);
    }

    fn warn(&mut self, key: &str, reason: impl fmt::Display) {
        self.add(Severity::Warning, key, reason);
    }

    /// Adds a problem, once: several accounts or terms may inherit the same value.
    fn add(&mut self, severity: Severity, key: &str, reason: impl fmt::Display) {
        let problem = ConfigProblem { severity, error: self.file.mistake_at(key, reason) };
        let text = problem.to_string();
        if self.problems.iter().all(|known| known.to_string() != text) {
            self.problems.push(problem);
        }
    }

    /// Returns the key by which the file sets a key of an account: in its table, otherwise in `[server]`.
    fn account_key(&self, account: usize, key: &str) -> String {
        self.own_key(&format!("account.{account}"), "server", key)
    }

    /// Returns a key of a table, or of the table with its defaults if only that may set it.
    fn own_key(&self, table: &str, defaults: &str, key: &str) -> String {
        let own = format!("{table}.{key}");
        if self.file.contains(&own) { own } else { format!("{defaults}.{key}") }
    }

    /// Returns the key of an account's address that a failed attempt to connect calls into question.
    fn address_key(&self, account: usize, error: DialError) -> String {
        let possible = if error == DialError::UnknownHost { &["url"][..] } else { &["url", "ports"] };
        let mut keys = possible.iter().map(|key| self.account_key(account, key));
        keys.find(|key| self.file.contains(key)).unwrap_or_else(|| self.account_key(account, "host"))
    }
}

/// The settings of a file, after a check of everything that they name.
#[derive(Debug)]
pub struct ConfigCheck {
    file: ConfigFile,
    config: BotConfig,
    engine: Option<EngineInfo>,
    problems: Vec<ConfigProblem>,
}

impl ConfigCheck {
    /// Reads the settings and finds all problems: compares the settings with each other, opens the files and folders that they name,
    /// reads the passwords, and starts and ends the engine. Password commands are not run, and the certificates in a `ca_file` are not
    /// parsed. Nothing is sent over the network, and no file is changed, except that the engine may append to `stderr_file`.
    ///
    /// `on_slow_start` receives a sentence if the engine has not answered for 5 s.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Read`] if the file cannot be read. Everything else is one of the [`problems`](Self::problems).
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the engine.
    pub async fn run(path: impl AsRef<Path>, on_slow_start: impl FnOnce(String) + Send) -> Result<Self, ConfigError> {
        let mut file = ConfigFile::read(path.as_ref())?;
        let ParsedConfig { config, errors, no_engine } = file.parse();
        let mut findings = Findings { file: &file, problems: Vec::new() };
        findings.problems.extend(errors.into_iter().chain(no_engine).map(as_error));
        rules::check(&config, &mut findings);
        files::check(&config, &mut findings).await;
        let mut engine = None;
        if !config.engine.command.is_empty() {
            match config.engine.start_with_notice(on_slow_start).await {
                Ok(started) => {
                    check_variants(&config, started.info(), &mut findings);
                    engine = Some(started.info().clone());
                    started.quit().await;
                }
                Err(error) => report_engine_error(&error, &mut findings),
            }
        }
        let mut problems = findings.problems;
        problems.sort_by_key(|problem| match &problem.error {
            ConfigError::File { line, .. } => *line,
            _ => 0,
        });
        Ok(Self { file, config, engine, problems })
    }

    /// Returns the settings. Defaults stand for those that are not valid.
    pub const fn config(&self) -> &BotConfig {
        &self.config
    }

    /// Returns the description of the engine; `None` if it did not start.
    pub const fn engine(&self) -> Option<&EngineInfo> {
        self.engine.as_ref()
    }

    /// Returns the problems by line; those of [`log_in`](Self::log_in) come last.
    pub fn problems(&self) -> &[ConfigProblem] {
        &self.problems
    }

    /// Returns whether one of the problems is an error.
    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(|problem| problem.severity == Severity::Error)
    }

    /// Logs in to the server with each account, one after the other, and out again. Reports an error for an account
    /// whose login is refused, or takes longer than 30 s, with its password command. Adjourned games are not resumed. Returns a
    /// sentence for each successful login.
    ///
    /// The login of an account that plays at the moment ends its session on most servers.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the session.
    pub async fn log_in(&mut self) -> Vec<String> {
        let mut findings = Findings { file: &self.file, problems: Vec::new() };
        let mut logins = Vec::new();
        for (index, account) in self.config.accounts.iter().enumerate() {
            match timeout(LOGIN_TIMEOUT, log_in_and_out(account)).await {
                Ok(Ok(sentence)) => logins.push(sentence),
                Ok(Err(ConnectError::Dial(error))) => {
                    let key = findings.address_key(index, error);
                    findings.error(&key, format!("{}; change `host` or `ports`", dial_sentence(account, error)));
                }
                Ok(Err(error)) => {
                    let reason = format!("no login on {}: {}", account.host_name(), error_chain(&error));
                    findings.error(&findings.account_key(index, "handle"), reason);
                }
                Err(_) => {
                    let command = format!("{}.command", findings.account_key(index, "password_from"));
                    let with =
                        if self.file.contains(&command) { ", with the time of the password command" } else { "" };
                    let reason = format!("no login on {} within {LOGIN_TIMEOUT:?}{with}", account.host_name());
                    findings.error(&findings.account_key(index, "host"), reason);
                }
            }
        }
        self.problems.extend(findings.problems);
        logins
    }
}

const fn as_error(error: ConfigError) -> ConfigProblem {
    ConfigProblem { severity: Severity::Error, error }
}

/// Logs in and out, and returns a sentence about it.
///
/// # Errors
///
/// As [`Client::connect`].
///
/// # Cancel safety
///
/// Dropping the future ends the session.
async fn log_in_and_out(account: &Profile) -> Result<String, ConnectError> {
    // The logout would abandon a challenge to resume a game.
    let profile = account.clone().for_one_login().session(|session| session.adjourned(AdjournedGames::Report));
    let client = Client::connect(profile).await?;
    let handle = client.handle().map_or_else(|| "a guest".to_owned(), |handle| handle.to_string());
    client.quit().await;
    Ok(format!("Logged in to {} as {handle}, and out.", account.host_name()))
}

/// Reports the kinds of games, and the variants of books, that the engine does not play.
fn check_variants(config: &BotConfig, engine: &EngineInfo, findings: &mut Findings<'_>) {
    let plays = |variant: &str| engine.variants.iter().any(|known| known == variant);
    let played = engine.variants.join(", ");
    for (prefix, rules) in rules::alternatives(&config.accept) {
        for (index, kind) in rules.kinds.iter().enumerate() {
            let variant = GameKind::parse(kind).variant;
            if let Some(variant) = variant.filter(|variant| !plays(variant.as_str())) {
                let reason = format!("the engine does not play {variant}; write variants that it plays: {played}");
                let key = findings.own_key(&prefix, "accept", "kinds");
                findings.error(&format!("{key}.{index}"), reason);
            }
        }
    }
    for (index, book) in config.books.iter().enumerate() {
        if !book.variants.is_empty() && !book.variants.iter().any(|variant| plays(variant)) {
            let reason = format!("the engine plays none of these, and the book is not used; it plays {played}");
            findings.error(&format!("book.{index}.variants"), reason);
        }
    }
    if config.engine.ponder && !engine.ponders {
        findings.warn("engine.ponder", "the engine cannot think in the opponent's time; remove the key");
    }
}

/// Reports an engine that does not start, at its option or its command.
fn report_engine_error(error: &EngineError, findings: &mut Findings<'_>) {
    match error {
        EngineError::Option { name, problem } => {
            findings.error(&format!("engine.options.{name}"), format!("the option of the engine {problem}"));
        }
        EngineError::Start { .. } => findings.error(
            "engine.command",
            format!("{}; write the path of a program, or a name that is in PATH", error_chain(error)),
        ),
        _ => findings.error(
            "engine.command",
            format!("{}; write a program that speaks the `protocol` of [engine]", error_chain(error)),
        ),
    }
}

#[cfg(test)]
mod tests;
