//! One server's configuration.

mod environment;
mod load;
mod settings;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, RandomState};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::attach::AttachAccess;
use crate::core::event::CommandError;
use crate::core::game::GameLimits;
use crate::core::hub::HubOptions;
use crate::core::message::{Family, Handle, Ivar};
use crate::core::session::{
    AdjournedGames, Command, Credentials, Password, Reconnect, RequestLimits, SessionOptions, TimesealChoice, Timings,
};
use crate::core::wire::Limits;
use crate::dial::{Dial, Target};
use crate::password::{PasswordSource, SecretError};

pub use load::ConfigError;

/// The ports of FICS and of ICC; both speak the same.
const PORTS: [u16; 2] = [5000, 23];

/// How to reach one server, who logs in there, what to want of it, how long to wait and how much to keep.
///
/// Each layer goes over the one before: defaults of the code, a [file](Self::load), the [environment](Self::environment),
/// setters.
///
/// ```
/// use std::time::Duration;
///
/// use kibitzer::Profile;
///
/// let profile = Profile::fics().guest().connect_timeout(Duration::from_secs(3));
/// assert_eq!(profile.host_name(), "freechess.org");
/// ```
#[derive(Clone, Debug)]
pub struct Profile {
    host: String,
    ports: Vec<u16>,
    dial: Dial,
    connect_timeout: Duration,
    write_timeout: Duration,
    login: Login,
    family: Family,
    timeseal: TimesealChoice,
    ivars: Vec<Ivar>,
    interface: String,
    prompt: String,
    variables: BTreeMap<String, Command>,
    adjourned_games: AdjournedGames,
    timings: Timings,
    reconnect: Reconnect,
    requests: RequestLimits,
    limits: Limits,
    game_limits: GameLimits,
    hub: HubOptions,
    record_file: Option<PathBuf>,
    filters: BTreeMap<String, String>,
    attach_socket: Option<PathBuf>,
    attach_access: AttachAccess,
    redacts_events: bool,
    seed: Option<u64>,
}

/// Who logs in: without a handle a guest whose name the server chooses, without a secret a guest of this name.
#[derive(Clone, Debug, Default)]
struct Login {
    handle: Option<Handle>,
    secret: Option<Secret>,
}

#[derive(Clone, Debug)]
enum Secret {
    Known(Password),
    Source(PasswordSource),
}

/// Declares setters of the fields of the same name.
macro_rules! setters {
    ($($(#[$doc:meta])* $field:ident: $kind:ty,)*) => {
        $(
            $(#[$doc])*
            #[must_use]
            pub fn $field(self, $field: $kind) -> Self {
                Self { $field, ..self }
            }
        )*
    };
}

impl Profile {
    /// A server of any family, as a guest, over TCP at ports 5000 and 23.
    pub fn new(host: impl Into<String>) -> Self {
        let options = SessionOptions::new(Credentials::Guest);
        Self {
            host: host.into(),
            ports: PORTS.to_vec(),
            dial: Dial::tcp(),
            connect_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(30),
            login: Login::default(),
            family: Family::Auto,
            timeseal: TimesealChoice::Off,
            ivars: options.wanted().collect(),
            interface: concat!("kibitzer ", env!("CARGO_PKG_VERSION")).to_owned(),
            prompt: String::new(),
            variables: BTreeMap::new(),
            adjourned_games: AdjournedGames::Report,
            timings: Timings::default(),
            reconnect: Reconnect::default(),
            requests: RequestLimits::default(),
            limits: Limits::default(),
            game_limits: GameLimits::default(),
            hub: HubOptions::default(),
            record_file: None,
            filters: BTreeMap::new(),
            attach_socket: None,
            attach_access: AttachAccess::Read,
            redacts_events: false,
            seed: None,
        }
    }

    /// freechess.org, with timeseal; `config/fics.toml`.
    pub fn fics() -> Self {
        Self::new("freechess.org").family(Family::Fics).timeseal(TimesealChoice::Auto)
    }

    /// chessclub.com; `config/icc.toml`.
    pub fn icc() -> Self {
        Self::new("chessclub.com").family(Family::Icc)
    }

    /// The embedded server at its usual address, 127.0.0.1 port 5000; `config/demo.toml`.
    pub fn demo() -> Self {
        Self::new("127.0.0.1").ports([PORTS[0]]).family(Family::Fics).timeseal(TimesealChoice::Auto)
    }

    /// Sets the host: a name, or an IPv4 or IPv6 address. All its addresses are tried.
    #[must_use]
    pub fn host(self, host: impl Into<String>) -> Self {
        Self { host: host.into(), ..self }
    }

    /// Sets the TCP ports, in the order in which they are tried. Default 5000, 23. Without any there is no connection.
    #[must_use]
    pub fn ports(self, ports: impl IntoIterator<Item = u16>) -> Self {
        Self { ports: ports.into_iter().collect(), ..self }
    }

    /// Logs in as a guest whose name the server chooses. The default.
    #[must_use]
    pub fn guest(self) -> Self {
        Self { login: Login::default(), ..self }
    }

    /// Logs in as a guest of this name, which must not be an account's.
    #[must_use]
    pub fn guest_as(self, handle: Handle) -> Self {
        Self { login: Login { handle: Some(handle), secret: None }, ..self }
    }

    /// Logs in to an account.
    #[must_use]
    pub fn account(self, handle: Handle, password: Password) -> Self {
        Self { login: Login { handle: Some(handle), secret: Some(Secret::Known(password)) }, ..self }
    }

    /// Logs in to an account whose password is fetched when the session starts.
    #[must_use]
    pub fn account_from(self, handle: Handle, source: PasswordSource) -> Self {
        Self { login: Login { handle: Some(handle), secret: Some(Secret::Source(source)) }, ..self }
    }

    /// Adds an ivar to those that are set after the login. Default as in [`SessionOptions::want`].
    #[must_use]
    pub fn want(mut self, ivar: Ivar) -> Self {
        if !self.ivars.contains(&ivar) {
            self.ivars.push(ivar);
        }
        self
    }

    /// Takes an ivar out of those that are set after the login.
    #[must_use]
    pub fn without(mut self, ivar: Ivar) -> Self {
        self.ivars.retain(|&wanted| wanted != ivar);
        self
    }

    /// Sets what `set interface` tells other players. Default `kibitzer` and its version; empty: nothing is told.
    #[must_use]
    pub fn interface(self, interface: impl Into<String>) -> Self {
        Self { interface: interface.into(), ..self }
    }

    /// Sets the prompt of the account, its trailing blank included, if it is known. Default empty: it is found out.
    #[must_use]
    pub fn prompt(self, prompt: impl Into<String>) -> Self {
        Self { prompt: prompt.into(), ..self }
    }

    /// Adds a variable of the server that is set after every login: `variable("gin", "1")` sends `set gin 1`. Default: none.
    ///
    /// # Errors
    ///
    /// [`CommandError`] if name and value make no line, or the value is empty.
    pub fn variable(mut self, name: impl Into<String>, value: &str) -> Result<Self, CommandError> {
        let name = name.into();
        let command = Command::with_text(&format!("set {name}"), value)?;
        self.variables.insert(name, command);
        Ok(self)
    }

    /// Records the session to a new file as a [transcript](crate::transcript). Default: it is not recorded.
    ///
    /// Names and passwords of the login are left out. A file that exists is not written over: the session does not start.
    #[must_use]
    pub fn record_file(self, path: impl Into<PathBuf>) -> Self {
        Self { record_file: Some(path.into()), ..self }
    }

    /// Names an expression by which a console filters this server's sessions. Default: none. The session does nothing with
    /// it.
    #[must_use]
    pub fn filter(mut self, name: impl Into<String>, expression: impl Into<String>) -> Self {
        self.filters.insert(name.into(), expression.into());
        self
    }

    /// Exposes the session on a Unix socket of this name, so that [`Attached`](crate::Attached) and
    /// `kibitzer console --attach` can look at it. Default: it is not exposed.
    ///
    /// Only processes of the same user get in (mode 0600, and who connects is asked for). What is sent at the login is not
    /// told, nor any line with a password. A socket that a dead process has left is replaced; if there is anything else of
    /// that name, the session does not start. The socket goes with the session.
    #[must_use]
    pub fn attach_socket(self, path: impl Into<PathBuf>) -> Self {
        Self { attach_socket: Some(path.into()), ..self }
    }

    /// Gives subscribers events without passwords that were just sent: where the server repeats one, the event is the text
    /// that is left of its line, as in a [`Tap`](crate::Tap). For programs that show or keep events. Default: the event as it is.
    #[must_use]
    pub fn redact_events(self) -> Self {
        Self { redacts_events: true, ..self }
    }

    /// Sets what delays and fences are drawn from, to have the same session again. Default: another one every time.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed: Some(seed), ..self }
    }

    setters! {
        /// Sets what those who look at the exposed session may do. Default [`AttachAccess::Read`]: look.
        attach_access: AttachAccess,
        /// Sets in which way connections are made. Default [`Dial::tcp`].
        dial: Dial,
        /// Sets how long the look-up of the host may take, and each try to connect. Default 10 s.
        connect_timeout: Duration,
        /// Sets how long the server may take no bytes before the connection is given up. Default 30 s.
        write_timeout: Duration,
        /// Sets the version of timeseal. Default off; `auto` for FICS.
        timeseal: TimesealChoice,
        /// Sets what to do about adjourned games of the account. Default [`AdjournedGames::Report`].
        adjourned_games: AdjournedGames,
        /// Sets which family of servers it is. Default: either.
        family: Family,
        /// Sets how long to wait for what. Defaults as in [`Timings`].
        timings: Timings,
        /// Sets whether and when a lost connection is made again. Defaults as in [`Reconnect`].
        reconnect: Reconnect,
        /// Sets how much is kept of requests and replies. Defaults as in [`RequestLimits`].
        requests: RequestLimits,
        /// Sets how much is kept of one thing the server sends. Defaults as in [`Limits`].
        limits: Limits,
        /// Sets how much is kept of the games. Defaults as in [`GameLimits`].
        game_limits: GameLimits,
        /// Sets how much is kept for slow subscribers. Defaults as in [`HubOptions`].
        hub: HubOptions,
    }

    /// The host.
    pub fn host_name(&self) -> &str {
        &self.host
    }

    /// The expressions that have a name, by name.
    pub const fn filters(&self) -> &BTreeMap<String, String> {
        &self.filters
    }

    /// The commands that set variables after every login, by the name of the variable.
    pub const fn variables(&self) -> &BTreeMap<String, Command> {
        &self.variables
    }

    /// The account or guest that logs in; `None` for a guest whose name the server chooses.
    pub const fn handle(&self) -> Option<&Handle> {
        self.login.handle.as_ref()
    }

    /// Whether there is a password for the [`handle`](Self::handle), or a source of one.
    pub const fn has_password(&self) -> bool {
        self.login.secret.is_some()
    }

    /// What the session machine is told.
    ///
    /// # Errors
    ///
    /// [`SecretError`] if the password cannot be had.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing.
    pub(crate) async fn session_options(&self) -> Result<SessionOptions, SecretError> {
        let mut options = SessionOptions::new(self.login.credentials().await?)
            .interface(self.interface.clone())
            .timeseal(self.timeseal)
            .timings(self.timings)
            .reconnect(self.reconnect)
            .requests(self.requests)
            .family(self.family)
            .limits(self.limits)
            .game_limits(self.game_limits)
            .prompt(self.prompt.clone().into_bytes())
            .adjourned(self.adjourned_games)
            .settings(self.variables.values().cloned().collect())
            .seed(self.seed.unwrap_or_else(random_seed));
        for &ivar in Ivar::ALL {
            options = if self.ivars.contains(&ivar) { options.want(ivar) } else { options.without(ivar) };
        }
        Ok(options)
    }

    pub(crate) fn dialing(&self) -> Dial {
        self.dial.clone()
    }

    pub(crate) const fn patience(&self) -> Duration {
        self.write_timeout
    }

    pub(crate) const fn hub_options(&self) -> HubOptions {
        self.hub
    }

    pub(crate) fn recording(&self) -> Option<&Path> {
        self.record_file.as_deref()
    }

    pub(crate) fn attach_path(&self) -> Option<&Path> {
        self.attach_socket.as_deref()
    }

    pub(crate) const fn redacts_events(&self) -> bool {
        self.redacts_events
    }

    pub(crate) const fn access(&self) -> AttachAccess {
        self.attach_access
    }

    pub(crate) fn target(&self) -> Target {
        Target { host: self.host.clone(), ports: self.ports.clone(), timeout: self.connect_timeout }
    }
}

impl Login {
    /// Fetches the password, if one is needed.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing.
    async fn credentials(&self) -> Result<Credentials, SecretError> {
        let (handle, secret) = match (&self.handle, &self.secret) {
            (None, None) => return Ok(Credentials::Guest),
            (None, Some(_)) => return Err(SecretError::NoHandle),
            (Some(handle), None) => return Ok(Credentials::NamedGuest(handle.clone())),
            (Some(handle), Some(secret)) => (handle.clone(), secret),
        };
        let password = match secret {
            Secret::Known(password) => password.clone(),
            Secret::Source(source) => source.fetch().await?,
        };
        Ok(Credentials::Account { handle, password })
    }
}

/// A number that nobody can guess: the keys of the standard library's hash maps come from the system.
fn random_seed() -> u64 {
    RandomState::new().hash_one(())
}
