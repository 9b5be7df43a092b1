//! Options of a server.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, SystemTime};

use crate::account::{Account, Accounts};
use crate::family::Family;
use crate::population::PopulationOptions;

/// Something a server of the family may lack. A client has to find that out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Feature {
    /// Replies framed by the number of their command.
    BlockMode,
    /// Interface variables set before the name, by a line of `%b` and bits.
    LoginIvars,
    /// Sealed lines, of either version. Without it a hello is a bad name.
    Timeseal,
    /// Lines that arrive together are processed at once. Without it one of them is, and the next one when more bytes arrive
    /// or two seconds later, as on uhlin-fics.
    Pipelining,
}

/// How a [`Server`](crate::Server) behaves.
///
/// ```
/// use kibitzer_server::{Account, ServerOptions};
///
/// let newton = Account::new("Newton".parse().unwrap(), "apple").rating("blitz", 2100);
/// let options = ServerOptions::new().detached().seed(7).account(newton);
/// ```
#[derive(Clone, Debug)]
pub struct ServerOptions {
    pub(crate) address: Option<SocketAddr>,
    pub(crate) is_remote_allowed: bool,
    pub(crate) family: Family,
    pub(crate) seed: u64,
    pub(crate) date: Option<SystemTime>,
    pub(crate) accounts: Accounts,
    pub(crate) are_guests_refused: bool,
    pub(crate) max_connections: usize,
    pub(crate) max_unsent_bytes: usize,
    pub(crate) login_timeout: Duration,
    pub(crate) idle_timeout: Duration,
    pub(crate) password_delay: Duration,
    pub(crate) missing: Vec<Feature>,
    pub(crate) population: Option<PopulationOptions>,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            address: Some((Ipv4Addr::LOCALHOST, 0).into()),
            is_remote_allowed: false,
            family: Family::Fics,
            seed: 0,
            date: None,
            accounts: Accounts::default(),
            are_guests_refused: false,
            max_connections: 10_000,
            max_unsent_bytes: 1 << 20,
            login_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_hours(1),
            password_delay: Duration::from_secs(3),
            missing: Vec::new(),
            population: None,
        }
    }
}

impl ServerOptions {
    /// A server on a free port of 127.0.0.1 that admits guests only.
    pub fn new() -> Self {
        Self::default()
    }

    /// Where to listen. Default: a free port of 127.0.0.1. An address beyond the own machine needs
    /// [`allow_remote`](Self::allow_remote) as well.
    #[must_use]
    pub const fn address(mut self, address: SocketAddr) -> Self {
        self.address = Some(address);
        self
    }

    /// Permits an [`address`](Self::address) that other machines can reach. Nothing here is meant to stand on the open net.
    #[must_use]
    pub const fn allow_remote(mut self) -> Self {
        self.is_remote_allowed = true;
        self
    }

    /// Listens nowhere: [`Server::connect`](crate::Server::connect) is the only way in.
    #[must_use]
    pub const fn detached(mut self) -> Self {
        self.address = None;
        self
    }

    /// Which family of servers it speaks like. Default: [`Family::Fics`].
    #[must_use]
    pub const fn family(mut self, family: Family) -> Self {
        self.family = family;
        self
    }

    /// Seed of the random numbers: the same seed and the same input at the same times give the same bytes. Default: 0.
    #[must_use]
    pub const fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The date it is when the server starts. Default: today's.
    #[must_use]
    pub const fn date(mut self, date: SystemTime) -> Self {
        self.date = Some(date);
        self
    }

    /// Adds one registered player. Default: there are none.
    #[must_use]
    pub fn account(mut self, account: Account) -> Self {
        self.accounts.insert(account);
        self
    }

    /// The registered players, in place of those before.
    #[must_use]
    pub fn accounts(mut self, accounts: Accounts) -> Self {
        self.accounts = accounts;
        self
    }

    /// Admits registered players alone.
    #[must_use]
    pub const fn refuse_guests(mut self) -> Self {
        self.are_guests_refused = true;
        self
    }

    /// How many connections there may be before the server calls itself full. Default: 10,000.
    #[must_use]
    pub const fn max_connections(mut self, max_connections: usize) -> Self {
        self.max_connections = max_connections;
        self
    }

    /// How many bytes may wait for a client that does not read, before it is dropped. Default: 1 MiB.
    #[must_use]
    pub const fn max_unsent_bytes(mut self, max_unsent_bytes: usize) -> Self {
        self.max_unsent_bytes = max_unsent_bytes;
        self
    }

    /// How long a login may take. Default: 30 s.
    #[must_use]
    pub const fn login_timeout(mut self, timeout: Duration) -> Self {
        self.login_timeout = timeout;
        self
    }

    /// Time without a command after which a player is logged out. Default: 60 min. The message has whole minutes.
    #[must_use]
    pub const fn idle_timeout(mut self, timeout: Duration) -> Self {
        self.idle_timeout = timeout;
        self
    }

    /// How long the server is silent after a wrong password. Default: 3 s.
    #[must_use]
    pub const fn password_delay(mut self, delay: Duration) -> Self {
        self.password_delay = delay;
        self
    }

    /// Leaves a feature out, as some servers do. Default: all are there.
    #[must_use]
    pub fn without(mut self, feature: Feature) -> Self {
        self.missing.push(feature);
        self
    }

    /// Fills the server with simulated players. Default: there are none.
    #[must_use]
    pub fn population(mut self, population: PopulationOptions) -> Self {
        self.population = Some(population);
        self
    }

    /// Features are those of the FICS family.
    pub(crate) fn has(&self, feature: Feature) -> bool {
        self.family == Family::Fics && !self.missing.contains(&feature)
    }
}
