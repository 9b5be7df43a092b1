//! Options of a session: login, requested features, timeouts, limits.

use std::fmt;
use std::time::{Duration, Instant};

use zeroize::Zeroizing;

use crate::by_name::named_enum;
use crate::event::CommandError;
use crate::game::GameLimits;
use crate::message::{Family, Handle, Ivar};
use crate::options::numeric_options;
use crate::session::command::{Command, refuse_control_characters};
use crate::session::secret::Secret;
use crate::wire::{Encoding, Limits, Timeseal};

numeric_options! {
    /// Timeouts and intervals of a session. A duration of more than thirty years counts as thirty years.
    pub struct Timings {
        /// Sets the maximum time from the connection to the first `login: ` prompt.
        pub(crate) greeting: Duration = Duration::from_secs(30), "greeting_timeout_ms";
        /// Sets the maximum time of each further step of the login.
        pub(crate) login_step: Duration = Duration::from_secs(20), "login_step_timeout_ms";
        /// Sets the maximum time that one login waits in the queue of a full server, from the first report of its place.
        pub(crate) queue: Duration = Duration::from_mins(30), "queue_timeout_ms";
        /// Sets how long the server has to be silent after its last answer to a login before a probe checks whether the login is
        /// complete.
        pub(crate) settle: Duration = Duration::from_secs(1), "settle_ms";
        /// Sets the maximum time from the end of the login, or from the last answer to the set-up, to the next answer.
        pub(crate) set_up: Duration = Duration::from_secs(30), "set_up_timeout_ms";
        /// Sets the maximum time from sending a request to its complete reply.
        pub(crate) request: Duration = Duration::from_secs(30), "request_timeout_ms";
        /// Sets how long the server may be silent before a probe is sent: a command after `$$`, which does not keep an idle account
        /// logged in. Where the server does not know `$$`, it is telnet's timing mark; where it does not answer that either, a
        /// command after twenty times as long, which does.
        pub(crate) probe_after: Duration = Duration::from_secs(15), "probe_after_ms";
        /// Sets how long the server may stay silent after a probe before the connection is closed.
        pub(crate) probe_timeout: Duration = Duration::from_secs(10), "probe_timeout_ms";
        /// Sets the time without a sent line before a harmless command prevents the idle logout. FICS logs out after 60 min.
        pub(crate) keep_alive: Duration = Duration::from_mins(50), "keep_alive_ms";
        /// Sets the maximum time for the server to close the connection after `quit`.
        pub(crate) quit: Duration = Duration::from_secs(5), "quit_timeout_ms";
    }
}

/// Returns `start + duration`, or thirty years after `start` if the sum exceeds the clock's range.
pub(crate) fn saturating_deadline(start: Instant, duration: Duration) -> Instant {
    const THIRTY_YEARS: Duration = Duration::from_hours(30 * 365 * 24);
    start.checked_add(duration).unwrap_or_else(|| start + THIRTY_YEARS)
}

numeric_options! {
    /// Limits and delays of attempts to reconnect after a lost connection.
    pub struct Reconnect {
        /// Sets the first delay, which doubles with every attempt. Half of each delay is random.
        pub(crate) base: Duration = Duration::from_secs(1), "reconnect_base_ms";
        /// Sets the maximum delay between two attempts.
        pub(crate) cap: Duration = Duration::from_mins(1), "reconnect_cap_ms";
        /// Sets the maximum number of successive attempts, after which the session ends: 0 never reconnects, none sets no limit.
        pub(crate) attempts: Option<u32> = None, "reconnect_attempts";
        /// Sets how long a session has to be ready before its loss resets delays and attempts.
        pub(crate) stable_after: Duration = Duration::from_secs(30), "reconnect_stable_ms";
    }
}

impl Reconnect {
    /// Returns options under which the first lost connection ends the session.
    pub fn never() -> Self {
        Self::default().attempts(Some(0))
    }
}

numeric_options! {
    /// Limits of requests, their replies, and undelivered events.
    pub struct RequestLimits {
        /// Sets the maximum number of requests that wait to be sent.
        ///
        /// With 0, every request fails.
        pub(crate) queued: usize = 64, "queued_requests";
        /// Sets the maximum number of requests that wait for their reply. More than 64 count as 64.
        pub(crate) in_flight: usize = 16, "requests_in_flight";
        /// Sets the maximum number of events of one reply. A longer reply is dropped, and its request fails.
        pub(crate) reply_events: usize = 16_384, "reply_events";
        /// Sets the maximum number of bytes in the lines of one reply. A longer reply is dropped, and its request fails.
        pub(crate) reply_bytes: usize = 1_048_576, "reply_bytes";
        /// Sets the maximum number of events kept for broadcast subscribers that have not read them.
        ///
        /// 0 counts as 1. Memory is used only while a subscriber lags: without unread events the ring shrinks to 32 bytes. The session
        /// keeps the memory of its last two batches for later events, until it is idle.
        pub kept_events: usize = 1_024, "kept_events";
    }
}

/// Declares a struct of options: fields with their defaults, and a by-value setter with the documentation of each field. The fields
/// are for the settings of a profile.
macro_rules! session_options {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[doc = $doc:literal])+ $field:ident: $kind:ty = $default:expr;)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub struct $name {
            $(
                #[doc(hidden)]
                pub $field: $kind,
            )+
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)+ }
            }
        }

        impl $name {
            $(
                $(#[doc = $doc])+
                #[must_use]
                pub fn $field(self, $field: $kind) -> Self {
                    Self { $field, ..self }
                }
            )+
        }
    };
}

session_options! {
    /// Options of a session: the login, the requested features, timeouts, limits.
    ///
    /// ```
    /// use kibitzer_core::message::Ivar;
    /// use kibitzer_core::session::{Credentials, SessionOptions};
    ///
    /// let options = SessionOptions::new(Credentials::Guest).with_ivar(Ivar::SeekInfo).without_ivar(Ivar::PendInfo);
    /// let options = options.interface("my bot".to_owned()).seed(7);
    /// ```
    pub struct SessionOptions {
        /// Sets the login. Default [`Credentials::Guest`].
        credentials: Credentials = Credentials::Guest;
        /// Sets the ivars that the session requests; those that a server does not offer are skipped. Default: defprompt,
        /// startpos, block, gameinfo, pendinfo, nohighlight, ms, nowrap.
        ivars: Vec<Ivar> = vec![
            Ivar::DefPrompt, Ivar::StartPos, Ivar::Block, Ivar::GameInfo, Ivar::PendInfo, Ivar::NoHighlight, Ivar::Ms, Ivar::NoWrap,
        ];
        /// Sets the name of the client that `set interface` shows to other players; empty: none. Default: `kibitzer` and its
        /// version.
        interface: String = concat!("kibitzer ", env!("CARGO_PKG_VERSION")).to_owned();
        /// Sets the version of timeseal. Default [`TimesealChoice::Off`].
        timeseal: TimesealChoice = TimesealChoice::default();
        /// Sets timeouts and intervals.
        timings: Timings = Timings::default();
        /// Sets whether and when to reconnect.
        reconnect: Reconnect = Reconnect::default();
        /// Sets whether to reconnect if the session was never ready. Default [`FirstConnect::Fail`].
        first_connect: FirstConnect = FirstConnect::default();
        /// Sets the limits of requests, their replies, and undelivered events.
        requests: RequestLimits = RequestLimits::default();
        /// Sets the protocol family. Default [`Family::Auto`]: the session detects it.
        family: Family = Family::default();
        /// Sets the character set of the server. Default [`Encoding::Auto`]: the session detects it.
        encoding: Encoding = Encoding::default();
        /// Sets the limits of received data.
        limits: Limits = Limits::default();
        /// Sets the limits on tracked games.
        game_limits: GameLimits = GameLimits::default();
        /// Sets the account's custom prompt, including its trailing blank. Default empty: the session detects it at the login.
        prompt: Vec<u8> = Vec::new();
        /// Sets commands that are sent after every login, before any request: `set gin 1`, `+channel 53`. Default none.
        settings: Vec<Command> = Vec::new();
        /// Sets the handling of the account's adjourned games; a guest has none. Default [`AdjournedGames::Report`].
        adjourned: AdjournedGames = AdjournedGames::default();
        /// Sets the seed of delays and fences, which has to be unguessable and different for each session outside of tests.
        /// Default 0; `kibitzer::Client` replaces 0 by a random seed.
        seed: u64 = 0;
    }
}

impl SessionOptions {
    /// Returns the default options with these credentials.
    pub fn new(credentials: Credentials) -> Self {
        Self::default().credentials(credentials)
    }

    /// Adds an ivar to those that the session requests, unless it is among them.
    #[must_use]
    pub fn with_ivar(mut self, ivar: Ivar) -> Self {
        if !self.ivars.contains(&ivar) {
            self.ivars.push(ivar);
        }
        self
    }

    /// Removes an ivar from those that the session requests.
    #[must_use]
    pub fn without_ivar(mut self, ivar: Ivar) -> Self {
        self.ivars.retain(|&wanted| wanted != ivar);
        self
    }
}

named_enum! {
    /// Choice of the timeseal version that a session uses.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum TimesealChoice("Returns the name in options and profiles.", "timeseal is none of off, 1, 2 and auto") {
        /// No timeseal.
        #[default]
        Off = "off",
        /// Version 1; the login fails if the server does not speak it.
        V1 = "1",
        /// Version 2; the login fails if the server does not speak it.
        V2 = "2",
        /// Version 2 if the server speaks it, else 1, else none.
        Auto = "auto",
    }
}

impl TimesealChoice {
    /// Returns the versions to try, best first.
    pub(crate) const fn versions_to_try(self) -> &'static [Timeseal] {
        match self {
            Self::Off => &[Timeseal::Off],
            Self::V1 => &[Timeseal::V1],
            Self::V2 => &[Timeseal::V2],
            Self::Auto => &[Timeseal::V2, Timeseal::V1, Timeseal::Off],
        }
    }
}

named_enum! {
    /// Handling of the account's adjourned games.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum AdjournedGames("Returns the name in options and profiles.", "adjourned_games is neither report nor resume") {
        /// Reports them after the login.
        #[default]
        Report = "report",
        /// Reports them, and challenges each opponent who is logged in, or logs in later, to resume the game.
        Resume = "resume",
    }
}

named_enum! {
    /// Handling of a connection or login that fails before the session was ever ready.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum FirstConnect("Returns the name in options and profiles.", "first_connect is neither fail nor retry") {
        /// Ends the session.
        #[default]
        Fail = "fail",
        /// Connects again, as after a lost connection.
        Retry = "retry",
    }
}

/// A password. It is wiped from memory when dropped, and `Debug` prints nothing of it.
///
/// ```
/// use kibitzer_core::session::Password;
///
/// assert_eq!(format!("{:?}", Password::new("swordfish").unwrap()), "Password(..)");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Password(Zeroizing<String>);

impl Password {
    /// Validates a password. It is sent without encoding, and only printable ASCII reaches a server unchanged.
    ///
    /// # Errors
    ///
    /// [`CommandError::Empty`]: servers ask for another name after an empty line. [`CommandError::LineBreak`];
    /// [`CommandError::Control`], also for characters other than ASCII; [`CommandError::TooLong`].
    pub fn new(password: impl Into<String>) -> Result<Self, CommandError> {
        let password = Zeroizing::new(password.into());
        refuse_control_characters(&password)?;
        match password.len() {
            0 => Err(CommandError::Empty),
            length if length > Command::MAX_BYTES => Err(CommandError::too_long(length, Command::MAX_BYTES)),
            _ if !password.is_ascii() => Err(CommandError::Control),
            _ => Ok(Self(password)),
        }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(..)")
    }
}

/// Name and password, or guest access, for a login.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Credentials {
    /// A guest whose name the server chooses.
    Guest,
    /// A guest of this name. The login fails if an account has this name.
    NamedGuest(Handle),
    /// A registered account, which logs in with a password.
    #[non_exhaustive]
    Account {
        /// Name of the account; servers ignore case.
        handle: Handle,
        /// Password of the account, sent when the server asks for it; on ICC sent with the name, on the same line.
        password: Password,
    },
}

impl Credentials {
    /// Creates the credentials of a registered [account](Self::Account).
    pub const fn account(handle: Handle, password: Password) -> Self {
        Self::Account { handle, password }
    }

    /// Returns the name to send at `login: `.
    pub fn name_to_send(&self) -> &str {
        match self {
            Self::Guest => "guest",
            Self::NamedGuest(handle) | Self::Account { handle, .. } => handle.as_str(),
        }
    }

    pub(crate) const fn is_guest(&self) -> bool {
        !matches!(self, Self::Account { .. })
    }

    /// Returns whether a line contains the password; servers echo what they received.
    pub(crate) fn password_appears_in(&self, line: &[u8]) -> bool {
        let Self::Account { password, .. } = self else { return false };
        Secret::new(password.as_bytes()).is_some_and(|secret| secret.is_in(line))
    }
}

#[cfg(test)]
mod tests;
