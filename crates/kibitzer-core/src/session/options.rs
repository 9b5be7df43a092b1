//! What a session is to do, and how long it waits.

use std::time::{Duration, Instant};

use super::adjourned::AdjournedGames;
use super::command::Command;
use super::credentials::Credentials;
use super::timeseal::TimesealChoice;
use crate::game::GameLimits;
use crate::message::{Family, Ivar};
use crate::wire::Limits;

/// How long a session waits for what. Whatever is longer than thirty years is taken as that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timings {
    pub(super) greeting: Duration,
    pub(super) login_step: Duration,
    pub(super) queue: Duration,
    pub(super) settle: Duration,
    pub(super) set_up: Duration,
    pub(super) request: Duration,
    pub(super) probe_after: Duration,
    pub(super) probe_timeout: Duration,
    pub(super) keep_alive: Duration,
    pub(super) quit: Duration,
}

impl Default for Timings {
    fn default() -> Self {
        Self {
            greeting: Duration::from_secs(30),
            login_step: Duration::from_secs(20),
            queue: Duration::from_mins(30),
            settle: Duration::from_secs(1),
            set_up: Duration::from_secs(30),
            request: Duration::from_secs(30),
            probe_after: Duration::from_secs(15),
            probe_timeout: Duration::from_secs(10),
            keep_alive: Duration::from_mins(50),
            quit: Duration::from_secs(5),
        }
    }
}

/// The time so much later; a duration that is too long for the clock is taken as thirty years.
pub(super) fn after(start: Instant, duration: Duration) -> Instant {
    const THIRTY_YEARS: Duration = Duration::from_hours(30 * 365 * 24);
    start.checked_add(duration).unwrap_or_else(|| start + THIRTY_YEARS)
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

impl Timings {
    setters! {
        /// Sets how long the first `login: ` may take, from the connection on. Default 30 s.
        greeting: Duration,
        /// Sets how long each further step of the login may take. Default 20 s.
        login_step: Duration,
        /// Sets how long one login may wait in the queue of a full server, from the first report of its place. Default 30 min.
        queue: Duration,
        /// Sets how long the server must be silent after our last answer before it is asked whether we are in. Default 1 s.
        settle: Duration,
        /// Sets how long the whole set-up behind the login may take. Default 30 s.
        set_up: Duration,
        /// Sets how long the reply to a request may take, from when it is sent. Default 30 s.
        request: Duration,
        /// Sets how long the server may be silent before a probe is sent. Default 15 s.
        probe_after: Duration,
        /// Sets how long the server may be silent on behind a probe before the line is given up. Default 10 s.
        probe_timeout: Duration,
        /// Sets after how long of sending nothing that the server takes for a sign of life a harmless command is sent.
        /// Default 50 min; FICS logs out after 60.
        keep_alive: Duration,
        /// Sets how long the server may take to hang up after `quit`. Default 5 s.
        quit: Duration,
    }
}

/// Whether and when a lost connection is made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reconnect {
    pub(super) base: Duration,
    pub(super) cap: Duration,
    pub(super) attempts: Option<u32>,
    pub(super) stable_after: Duration,
}

impl Default for Reconnect {
    fn default() -> Self {
        let (base, cap) = (Duration::from_secs(1), Duration::from_mins(1));
        Self { base, cap, attempts: None, stable_after: Duration::from_secs(30) }
    }
}

impl Reconnect {
    /// A lost connection ends the session.
    pub fn never() -> Self {
        Self::default().attempts(Some(0))
    }

    setters! {
        /// Sets the first delay, which doubles with every attempt; half of every delay is left to chance. Default 1 s.
        base: Duration,
        /// Sets the longest delay. Default 60 s.
        cap: Duration,
        /// Sets how many attempts are made in a row, until a session is stable; `None` for no limit. Default `None`;
        /// `Some(0)` never reconnects.
        attempts: Option<u32>,
        /// Sets how long a session has to be ready before it counts as stable, so that delays and attempts start over after its
        /// loss. Default 30 s.
        stable_after: Duration,
    }
}

/// How much a session keeps of requests and replies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestLimits {
    pub(super) queued: usize,
    pub(super) in_flight: usize,
    pub(super) reply_events: usize,
    pub(super) reply_bytes: usize,
}

impl Default for RequestLimits {
    fn default() -> Self {
        Self { queued: 64, in_flight: 16, reply_events: 16 << 10, reply_bytes: 1 << 20 }
    }
}

impl RequestLimits {
    setters! {
        /// Sets how many requests may wait to be sent. Default 64; with 0 every request is refused.
        queued: usize,
        /// Sets how many requests may have been sent and not answered. Default 16; brought into 1 to 64.
        in_flight: usize,
        /// Sets how many events are kept of one reply. Default 16,384.
        reply_events: usize,
        /// Sets how many bytes of lines are kept of one reply. Default 1,048,576.
        reply_bytes: usize,
    }
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
    pub(super) credentials: Credentials,
    pub(super) wanted: Vec<Ivar>,
    pub(super) interface: String,
    pub(super) timeseal: TimesealChoice,
    pub(super) timings: Timings,
    pub(super) reconnect: Reconnect,
    pub(super) requests: RequestLimits,
    pub(super) family: Family,
    pub(super) limits: Limits,
    pub(super) game_limits: GameLimits,
    pub(super) prompt: Vec<u8>,
    pub(super) settings: Vec<Command>,
    pub(super) adjourned: AdjournedGames,
    pub(super) seed: u64,
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
