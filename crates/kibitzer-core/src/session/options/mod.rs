//! What a session is to do, and how long it waits.

pub(super) mod credentials;
pub(super) mod timeseal;

use std::time::{Duration, Instant};

use crate::game::GameLimits;
use crate::message::{Family, Ivar};
use crate::options::numeric_options;
use crate::session::command::Command;
use crate::session::options::credentials::Credentials;
use crate::session::options::timeseal::TimesealChoice;
use crate::session::recovery::adjourned::AdjournedGames;
use crate::wire::Limits;

numeric_options! {
    /// Timeouts and intervals of a session. A duration of more than thirty years counts as thirty years.
    pub struct Timings {
        /// Sets the maximum time from the connection to the first `login: ` prompt.
        pub(crate) greeting: Duration = Duration::from_secs(30), "greeting_timeout_ms";
        /// Sets the maximum time of each further step of the login.
        pub(crate) login_step: Duration = Duration::from_secs(20), "login_step_timeout_ms";
        /// Sets the maximum time that one login waits in the queue of a full server, from the first report of its place.
        pub(crate) queue: Duration = Duration::from_mins(30), "queue_timeout_ms";
        /// Sets the silence after the last answer of a login before a probe checks whether the login is complete.
        pub(crate) settle: Duration = Duration::from_secs(1), "settle_ms";
        /// Sets the maximum time of the whole set-up after the login.
        pub(crate) set_up: Duration = Duration::from_secs(30), "set_up_timeout_ms";
        /// Sets the maximum time from sending a request to its complete reply.
        pub(crate) request: Duration = Duration::from_secs(30), "request_timeout_ms";
        /// Sets the silence of the server before a probe is sent.
        pub(crate) probe_after: Duration = Duration::from_secs(15), "probe_after_ms";
        /// Sets the silence after a probe before the connection is closed.
        pub(crate) probe_timeout: Duration = Duration::from_secs(10), "probe_timeout_ms";
        /// Sets the time without a sent line before a harmless command prevents the idle logout. FICS logs out after 60 min.
        pub(crate) keep_alive: Duration = Duration::from_mins(50), "keep_alive_ms";
        /// Sets the maximum time for the server to close the connection after `quit`.
        pub(crate) quit: Duration = Duration::from_secs(5), "quit_timeout_ms";
    }
}

/// The time so much later; a duration that is too long for the clock is taken as thirty years.
pub(crate) fn after(start: Instant, duration: Duration) -> Instant {
    const THIRTY_YEARS: Duration = Duration::from_hours(30 * 365 * 24);
    start.checked_add(duration).unwrap_or_else(|| start + THIRTY_YEARS)
}

numeric_options! {
    /// Whether and when a lost connection is made again.
    pub struct Reconnect {
        /// Sets the first delay, which doubles with every attempt. Half of each delay is random.
        pub(crate) base: Duration = Duration::from_secs(1), "reconnect_base_ms";
        /// Sets the maximum delay.
        pub(crate) cap: Duration = Duration::from_mins(1), "reconnect_cap_ms";
        /// Sets the maximum number of attempts in a row; with 0, the session never reconnects.
        pub(crate) attempts: Option<u32> = None, "reconnect_attempts";
        /// Sets how long a session has to be ready before its loss resets delays and attempts.
        pub(crate) stable_after: Duration = Duration::from_secs(30), "reconnect_stable_ms";
    }
}

impl Reconnect {
    /// A lost connection ends the session.
    pub fn never() -> Self {
        Self::default().attempts(Some(0))
    }
}

numeric_options! {
    /// Limits of requests and replies.
    pub struct RequestLimits {
        /// Sets the maximum number of requests that wait to be sent; with 0, every request fails.
        pub(crate) queued: usize = 64, "queued_requests";
        /// Sets the maximum number of requests that wait for their reply. More than 64 count as 64.
        pub(crate) in_flight: usize = 16, "requests_in_flight";
        /// Sets the maximum number of events of one reply.
        pub(crate) reply_events: usize = 16_384, "reply_events";
        /// Sets the maximum number of bytes in the lines of one reply.
        pub(crate) reply_bytes: usize = 1_048_576, "reply_bytes";
    }
}

/// Declares by-value setters of fields, each with its unit and default.
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

/// Who logs in, what is wanted of the server, how long to wait, how much to keep.
///
/// ```
/// use kibitzer_core::message::Ivar;
/// use kibitzer_core::session::{Credentials, SessionOptions};
///
/// let options = SessionOptions::new(Credentials::Guest).want(Ivar::SeekInfo).without(Ivar::PendInfo);
/// assert!(options.wanted().any(|ivar| ivar == Ivar::SeekInfo));
/// ```
#[derive(Clone, Debug)]
pub struct SessionOptions {
    pub(crate) credentials: Credentials,
    pub(crate) wanted: Vec<Ivar>,
    pub(crate) interface: String,
    pub(crate) timeseal: TimesealChoice,
    pub(crate) timings: Timings,
    pub(crate) reconnect: Reconnect,
    pub(crate) requests: RequestLimits,
    pub(crate) family: Family,
    pub(crate) limits: Limits,
    pub(crate) game_limits: GameLimits,
    pub(crate) prompt: Vec<u8>,
    pub(crate) settings: Vec<Command>,
    pub(crate) adjourned: AdjournedGames,
    pub(crate) seed: u64,
}

/// What is wanted unless said otherwise.
const DEFAULT_IVARS: [Ivar; 8] = [
    Ivar::DefPrompt,
    Ivar::StartPos,
    Ivar::Block,
    Ivar::GameInfo,
    Ivar::PendInfo,
    Ivar::NoHighlight,
    Ivar::Ms,
    Ivar::NoWrap,
];

impl SessionOptions {
    /// Everything at its default.
    pub fn new(credentials: Credentials) -> Self {
        Self {
            credentials,
            wanted: DEFAULT_IVARS.to_vec(),
            interface: concat!("kibitzer ", env!("CARGO_PKG_VERSION")).to_owned(),
            timeseal: TimesealChoice::default(),
            timings: Timings::default(),
            reconnect: Reconnect::default(),
            requests: RequestLimits::default(),
            family: Family::default(),
            limits: Limits::default(),
            game_limits: GameLimits::default(),
            prompt: Vec::new(),
            settings: Vec::new(),
            adjourned: AdjournedGames::default(),
            seed: 0,
        }
    }

    /// Adds an ivar to those that are set. Default: defprompt, startpos, block, gameinfo, pendinfo, nohighlight, ms,
    /// nowrap.
    #[must_use]
    pub fn want(mut self, ivar: Ivar) -> Self {
        if !self.wanted.contains(&ivar) {
            self.wanted.push(ivar);
        }
        self
    }

    /// Takes an ivar out of those that are set.
    #[must_use]
    pub fn without(mut self, ivar: Ivar) -> Self {
        self.wanted.retain(|&wanted| wanted != ivar);
        self
    }

    /// The ivars that are set.
    pub fn wanted(&self) -> impl Iterator<Item = Ivar> {
        self.wanted.iter().copied()
    }

    setters! {
        /// Sets who logs in.
        credentials: Credentials,
        /// Sets what `set interface` tells other players. Default `kibitzer` and the version. Empty: nothing is told.
        interface: String,
        /// Sets the version of timeseal. Default [`TimesealChoice::Off`].
        timeseal: TimesealChoice,
        /// Sets how long to wait for what.
        timings: Timings,
        /// Sets whether and when to reconnect.
        reconnect: Reconnect,
        /// Sets how much to keep of requests and replies.
        requests: RequestLimits,
        /// Sets which family of servers it is. Default [`Family::Auto`].
        family: Family,
        /// Sets how much is kept of one thing the server sends. Default as in [`Limits`].
        limits: Limits,
        /// Sets how much is kept of the games. Default as in [`GameLimits`].
        game_limits: GameLimits,
        /// Sets the account's own prompt, its trailing blank included, if it is known. Default empty: it is found out.
        prompt: Vec<u8>,
        /// Sets commands that are sent after every login, before any request: `set gin 1`, `+channel 53`. Default none.
        settings: Vec<Command>,
        /// Sets what to do about adjourned games of the account. Default [`AdjournedGames::Report`]. A guest has none.
        adjourned: AdjournedGames,
        /// Sets what delays and fences are drawn from: a number nobody can guess, a new one per session. Default 0, for
        /// tests.
        seed: u64,
    }
}
