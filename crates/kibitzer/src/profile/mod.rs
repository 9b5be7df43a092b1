//! The profile of a session: server, login, options.

mod load;
mod settings;
#[cfg(test)]
mod tests;
mod values;

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::slice;
use std::time::Duration;

use crate::address::{WebSocketSettings, WebSocketUrl};
use crate::dial::{Dial, Dialer, random_seed};
use crate::password::PasswordSource;
use kibitzer_core::event::CommandError;
use kibitzer_core::message::{Family, Handle};
use kibitzer_core::session::{Command, Credentials, FirstConnect, Password, Reconnect, SessionOptions, TimesealChoice};
use serde::{Deserialize, Serialize};

pub use load::{ConfigError, most_similar_word};

/// The server of a session, its login and its options.
///
/// Values come from the defaults in the code, a [file](Self::load), the [environment](Self::environment) and setters. Each
/// of them overrides those before it. [`guide::settings`](crate::guide::settings) lists all settings of files and environment.
///
/// ```
/// use std::time::Duration;
///
/// use kibitzer::Profile;
/// use kibitzer::message::Ivar;
///
/// let profile = Profile::fics().guest().connect_timeout(Duration::from_secs(3));
/// let profile = profile.session(|session| session.with_ivar(Ivar::SeekInfo));
/// assert_eq!(profile.host_name(), "freechess.org");
/// ```
#[derive(Clone, Debug)]
pub struct Profile {
    pub(crate) dialer: Dialer,
    pub(crate) web_socket: WebSocketSettings,
    login: Login,
    pub(crate) session: SessionOptions,
    variables: BTreeMap<String, Command>,
    pub(crate) record_file: Option<PathBuf>,
    pub(crate) redacts_events: bool,
    #[doc(hidden)]
    pub program: ProgramSettings,
}

/// Settings in the file of a profile that the program `kibitzer` and `kibitzer-attach` use; a session ignores them.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ProgramSettings {
    /// Named filters of the console: the expression by name, not checked yet.
    pub filters: BTreeMap<String, String>,
    /// Unix socket on which the session is to be exposed; `None` if it is not.
    pub attach_socket: Option<PathBuf>,
    /// Rights of processes that attach.
    pub attach_access: AttachAccess,
}

/// Rights of processes that attach to a session with `kibitzer-attach`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum AttachAccess {
    /// They can watch the session.
    #[default]
    Read,
    /// They can also send lines to the server.
    Write,
}

impl AttachAccess {
    /// Returns the rights that the setting `attach_access` of a profile gives.
    pub const fn from_profile(profile: &Profile) -> Self {
        profile.program.attach_access
    }

    /// Returns whether lines can be sent to the server.
    pub const fn may_send(self) -> bool {
        matches!(self, Self::Write)
    }
}

/// The login of a session: without a handle, a guest whose name the server chooses; with a handle and no password, a guest of
/// this name; with both, an account.
#[derive(Clone, Debug, Default)]
struct Login {
    handle: Option<Handle>,
    password: Option<PasswordSource>,
}

impl Profile {
    /// Returns the default profile of a server: a guest, over TCP at port 5000 or 23, of a family that the session detects.
    pub fn new(host: impl Into<String>) -> Self {
        Self {
            dialer: Dialer::new(host.into()),
            web_socket: WebSocketSettings::default(),
            login: Login::default(),
            session: SessionOptions::default(),
            variables: BTreeMap::new(),
            record_file: None,
            redacts_events: false,
            program: ProgramSettings::default(),
        }
    }

    /// Returns the profile of freechess.org, with timeseal; the same as `config/fics.toml`.
    pub fn fics() -> Self {
        Self::new("freechess.org").session(|session| session.family(Family::Fics).timeseal(TimesealChoice::Auto))
    }

    /// Returns the profile of freechess.org over WebSocket with TLS; the same as `config/fics-web.toml`. Sessions with it need
    /// the feature `websocket`.
    pub fn fics_web() -> Self {
        let mut profile = Self::fics().host("");
        profile.web_socket.url = Some(WebSocketUrl::fics());
        profile
    }

    /// Returns the profile of chessclub.com; the same as `config/icc.toml`.
    pub fn icc() -> Self {
        Self::new("chessclub.com").session(|session| session.family(Family::Icc))
    }

    /// Returns the profile of the embedded server at its default address, 127.0.0.1 port 5000; the same as `config/demo.toml`.
    pub fn demo() -> Self {
        Self::fics().host("127.0.0.1").ports([5000])
    }

    /// Sets the host: a name, or an IPv4 or IPv6 address. All its addresses are tried. Removes the [URL](Self::url).
    #[must_use]
    pub fn host(mut self, host: impl Into<String>) -> Self {
        self.dialer.host = host.into();
        self.web_socket.url = None;
        self
    }

    /// Sets the URL of a server that is reached over WebSocket: `wss://HOST[:PORT][/PATH]`, or `ws://` without TLS, for servers
    /// on this machine or in a private network. It is used in place of host and ports. Default: none.
    ///
    /// Sessions with it need the feature `websocket`: without it, they do not start, and the error names the feature.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Url`].
    pub fn url(mut self, url: &str) -> Result<Self, ConfigError> {
        let invalid = |reason| ConfigError::Url { url: url.to_owned(), reason };
        self.web_socket.url = Some(url.parse().map_err(invalid)?);
        Ok(self)
    }

    /// Sets the `Origin` header of the handshake of a WebSocket; empty: none. Default `https://www.freechess.org`.
    #[must_use]
    pub fn origin(mut self, origin: impl Into<String>) -> Self {
        self.web_socket.origin = origin.into();
        self
    }

    /// Sets a PEM file with certificates of authorities, for the URL of a private server: its certificate may be issued by one of
    /// them or by a public authority. Certificate and name are always checked. Default: none.
    #[must_use]
    pub fn ca_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.web_socket.ca_file = Some(path.into());
        self
    }

    /// Sets the TCP ports, in the order in which they are tried. Default 5000, 23. Without ports every connection attempt fails.
    /// Not used with a [URL](Self::url).
    #[must_use]
    pub fn ports(mut self, ports: impl IntoIterator<Item = u16>) -> Self {
        self.dialer.ports = ports.into_iter().collect();
        self
    }

    /// Sets the method that opens connections. Default: TCP, or WebSocket with a [URL](Self::url).
    #[must_use]
    pub fn dial(mut self, dial: Dial) -> Self {
        self.dialer.dial = dial;
        self
    }

    /// Sets the timeout of the name lookup, and of each connection attempt, with the handshakes of TLS and WebSocket. Default 10
    /// s. A server that is silent for a fifth of it is connected to again, for three times as long; the connection on which it
    /// first sends something is used.
    #[must_use]
    pub const fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.dialer.connect_timeout = timeout;
        self
    }

    /// Sets how long the server may accept no bytes before the connection is closed. Default 30 s.
    #[must_use]
    pub const fn write_timeout(mut self, timeout: Duration) -> Self {
        self.dialer.write_timeout = timeout;
        self
    }

    /// Sets the login: a guest whose name the server chooses. This is the default.
    #[must_use]
    pub fn guest(self) -> Self {
        Self { login: Login::default(), ..self }
    }

    /// Sets the login: a guest of this name. The login fails if the name belongs to an account.
    #[must_use]
    pub fn guest_as(self, handle: Handle) -> Self {
        Self { login: Login { handle: Some(handle), password: None }, ..self }
    }

    /// Sets the login: an account and its password.
    #[must_use]
    pub fn account(self, handle: Handle, password: Password) -> Self {
        self.account_from(handle, PasswordSource::Known(password))
    }

    /// Sets the login: an account and the source from which its password is fetched when the session starts.
    #[must_use]
    pub fn account_from(self, handle: Handle, source: PasswordSource) -> Self {
        Self { login: Login { handle: Some(handle), password: Some(source) }, ..self }
    }

    /// Changes the options of the session: features, timeouts, limits, reconnecting.
    ///
    /// When a session starts, its credentials are replaced by the login of this profile, its settings are preceded by the
    /// [variables](Self::variable), and a seed of 0 is replaced by a random one.
    #[must_use]
    pub fn session(self, change: impl FnOnce(SessionOptions) -> SessionOptions) -> Self {
        Self { session: change(self.session), ..self }
    }

    /// Adds a variable of the server that is set after every login: `variable("gin", "1")` sends `set gin 1`. Default none.
    ///
    /// # Errors
    ///
    /// [`CommandError`] if name and value are not a valid line, or the value is empty.
    pub fn variable(mut self, name: impl Into<String>, value: &str) -> Result<Self, CommandError> {
        let name = name.into();
        let command = Command::with_text(&format!("set {name}"), value)?;
        self.variables.insert(name, command);
        Ok(self)
    }

    /// Sets a new file to which the session is recorded as a [transcript](crate::transcript). Default: no recording.
    ///
    /// Lines sent for the login, and lines with a password, are recorded as a placeholder, and echoed passwords as asterisks;
    /// text of the server still contains the login name. If the file exists or cannot be created, the session does not start.
    #[must_use]
    pub fn record_file(self, path: impl Into<PathBuf>) -> Self {
        Self { record_file: Some(path.into()), ..self }
    }

    /// Redacts recently sent passwords in the events of subscribers and of replies: an event with such a line is a text without
    /// the password, and a listing with such a line is left out, as in a [`Tap`](crate::Tap). For programs that display or store events. Default: events are unmodified.
    #[must_use]
    pub fn redact_events(self) -> Self {
        Self { redacts_events: true, ..self }
    }

    /// Returns the host: a name, or an IP address.
    pub fn host_name(&self) -> &str {
        self.web_socket.url.as_ref().map_or(&self.dialer.host, |url| &url.host)
    }

    /// Returns the TCP ports, in the order in which they are tried; that of the [URL](Self::url), if there is one.
    pub fn port_numbers(&self) -> &[u16] {
        self.web_socket.url.as_ref().map_or(&self.dialer.ports, |url| slice::from_ref(&url.port))
    }

    /// Returns the handle of the account or guest; `None` for a guest with a name chosen by the server.
    pub const fn handle(&self) -> Option<&Handle> {
        self.login.handle.as_ref()
    }

    /// Returns whether the [`handle`](Self::handle) has a password or a source of one.
    pub const fn has_password(&self) -> bool {
        self.login.password.is_some()
    }

    /// Checks that the password can be read. Does not run a password command.
    #[doc(hidden)]
    pub async fn check_password(&self) -> io::Result<()> {
        match (&self.login.handle, &self.login.password) {
            (Some(_), Some(PasswordSource::Command(_))) => Ok(()),
            _ => self.login.fetch_credentials().await.map(drop),
        }
    }

    /// Returns the profile of a session that is not recorded, and ends if it is not established at once.
    #[doc(hidden)]
    #[must_use]
    pub fn for_one_login(self) -> Self {
        let once = |session: SessionOptions| session.first_connect(FirstConnect::Fail).reconnect(Reconnect::never());
        Self { record_file: None, ..self.session(once) }
    }

    /// Returns the options of a session that starts now, with its credentials.
    ///
    /// # Errors
    ///
    /// As [`PasswordSource::fetch`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: dropping the future ends a running password command.
    pub(crate) async fn fetch_session_options(&self) -> io::Result<SessionOptions> {
        let credentials = self.login.fetch_credentials().await?;
        let mut options = self.session.clone().credentials(credentials);
        options.settings.splice(0..0, self.variables.values().cloned());
        if options.seed == 0 {
            options.seed = random_seed();
        }
        Ok(options)
    }
}

impl Login {
    /// Removes the password, and returns the login with it, for [`restore_password`](Self::restore_password) after a file or the
    /// environment has changed this one.
    fn take_password(&mut self) -> Self {
        Self { handle: self.handle.clone(), password: self.password.take() }
    }

    /// Sets the password of the earlier login, unless this one has another password or another handle by now: the password of one
    /// account is never used for another.
    fn restore_password(&mut self, earlier: Self) {
        let is_same = |handle: &Handle| earlier.handle.as_ref().is_none_or(|known| known == handle);
        if self.handle.as_ref().is_none_or(is_same) {
            self.password = self.password.take().or(earlier.password);
        }
    }

    /// Returns the credentials of the login, and fetches the password if it comes from a source.
    ///
    /// # Cancel safety
    ///
    /// As [`Profile::fetch_session_options`].
    async fn fetch_credentials(&self) -> io::Result<Credentials> {
        let (handle, source) = match (&self.handle, &self.password) {
            (None, None) => return Ok(Credentials::Guest),
            (None, Some(_)) => return Err(io::Error::new(io::ErrorKind::InvalidInput, "a password, but no handle")),
            (Some(handle), None) => return Ok(Credentials::NamedGuest(handle.clone())),
            (Some(handle), Some(source)) => (handle.clone(), source),
        };
        let password = source.fetch().await?;
        Ok(Credentials::account(handle, password))
    }
}
