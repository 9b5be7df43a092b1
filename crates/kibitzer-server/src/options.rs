//! Options of a server.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, SystemTime};

use crate::account::{Account, Accounts};
use crate::family::ImitatedFamily;
use crate::population::PopulationOptions;

/// A feature that a server of the FICS family may lack, which a client has to detect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Feature {
    /// Block mode: replies enclosed in marks with the number of their command.
    BlockMode,
    /// Interface variables set before the name, by a line of `%b` and digits.
    LoginIvars,
    /// Timeseal, of either version. Without it the client's first line is an invalid name.
    Timeseal,
    /// Processing of all lines that arrive together. Without it, one line is processed, and the next one when more bytes arrive
    /// or two seconds later, as on uhlin-fics.
    Pipelining,
    /// Names of players and kinds of offers as parameters of `accept`, `decline` and `withdraw`. Without it they do nothing, as
    /// on FatICS; numbers work.
    OfferNames,
    /// Refusal of challenges to a player who plays a game. Without it they are delivered.
    BusyRefusal,
}

/// Options of a [`Server`](crate::Server).
///
/// ```
/// use kibitzer_server::{Account, ServerOptions};
///
/// let newton = Account::new("Newton".parse().unwrap(), "apple").rating("blitz", 2100);
/// let options = ServerOptions::new().in_process().seed(7).account(newton);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ServerOptions {
    pub(crate) address: Option<SocketAddr>,
    pub(crate) is_remote_allowed: bool,
    pub(crate) family: ImitatedFamily,
    pub(crate) seed: u64,
    pub(crate) date: Option<SystemTime>,
    pub(crate) accounts: Accounts,
    pub(crate) are_guests_refused: bool,
    pub(crate) max_connections: usize,
    pub(crate) max_unsent_bytes: usize,
    pub(crate) login_timeout: Duration,
    pub(crate) missing: Vec<Feature>,
    pub(crate) population: Option<PopulationOptions>,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            address: Some((Ipv4Addr::LOCALHOST, 0).into()),
            is_remote_allowed: false,
            family: ImitatedFamily::Fics,
            seed: 0,
            date: None,
            accounts: Accounts::default(),
            are_guests_refused: false,
            max_connections: 10_000,
            max_unsent_bytes: 1 << 20,
            login_timeout: Duration::from_secs(30),
            missing: Vec::new(),
            population: None,
        }
    }
}

impl ServerOptions {
    /// Returns the default options: a FICS server on a free port of 127.0.0.1, which has no accounts and admits guests.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the address to listen on. Default: a free port of 127.0.0.1. An address that other machines can reach requires
    /// [`allow_remote`](Self::allow_remote) too.
    pub const fn address(mut self, address: SocketAddr) -> Self {
        self.address = Some(address);
        self
    }

    /// Permits an [`address`](Self::address) that other machines can reach. The server is not hardened for the open internet.
    pub const fn allow_remote(mut self) -> Self {
        self.is_remote_allowed = true;
        self
    }

    /// Opens no port: clients connect only by [`Server::connect`](crate::Server::connect), or over streams that are passed to
    /// [`ServerControl::serve`](crate::ServerControl::serve).
    pub const fn in_process(mut self) -> Self {
        self.address = None;
        self
    }

    /// Sets the family of servers to imitate. Default: [`ImitatedFamily::Fics`].
    pub const fn family(mut self, family: ImitatedFamily) -> Self {
        self.family = family;
        self
    }

    /// Sets the seed of the random numbers: with a fixed [`date`](Self::date), the same seed and the same input at the same times
    /// give the same bytes. Default: 0. An update of the dependency `fastrand` may change the numbers of a seed.
    pub const fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the date and time that the server shows at its start; it advances with the clock of the runtime. Default: the current
    /// ones.
    pub const fn date(mut self, date: SystemTime) -> Self {
        self.date = Some(date);
        self
    }

    /// Adds an account, replacing one of the same name, in any case. Default: none.
    pub fn account(mut self, account: Account) -> Self {
        self.accounts.insert(account);
        self
    }

    /// Adds accounts, each replacing one of the same name, in any case.
    pub fn accounts(self, accounts: impl IntoIterator<Item = Account>) -> Self {
        accounts.into_iter().fold(self, Self::account)
    }

    /// Refuses guests, so that only players with an account can log in. Default: guests are admitted.
    pub const fn refuse_guests(mut self) -> Self {
        self.are_guests_refused = true;
        self
    }

    /// Sets the maximum number of connections. Further clients receive the text that the server is full, and are disconnected.
    /// Default: 10,000.
    pub const fn max_connections(mut self, max_connections: usize) -> Self {
        self.max_connections = max_connections;
        self
    }

    /// Sets the maximum number of bytes that are queued for a client; a client whose queue would exceed it is disconnected.
    /// Default: 1 MiB.
    pub const fn max_unsent_bytes(mut self, max_unsent_bytes: usize) -> Self {
        self.max_unsent_bytes = max_unsent_bytes;
        self
    }

    /// Sets the maximum time from connecting to the end of the login; a client that needs longer is disconnected. Default: 30 s.
    pub const fn login_timeout(mut self, timeout: Duration) -> Self {
        self.login_timeout = timeout;
        self
    }

    /// Disables a feature that some servers lack. Default: all are enabled. On ICC, only [`Feature::Pipelining`],
    /// [`Feature::OfferNames`] and [`Feature::BusyRefusal`] have an effect; it never has the others.
    pub fn without(mut self, feature: Feature) -> Self {
        self.missing.push(feature);
        self
    }

    /// Adds simulated players. Default: none.
    pub fn population(mut self, population: PopulationOptions) -> Self {
        self.population = Some(population);
        self
    }

    /// Returns whether a feature that only the FICS family has is enabled; always `false` on ICC. Not for [`Feature::Pipelining`],
    /// [`Feature::OfferNames`] and [`Feature::BusyRefusal`], which do not depend on the family.
    pub(crate) fn has_feature(&self, feature: Feature) -> bool {
        self.family.has_fics_extensions() && !self.missing.contains(&feature)
    }
}
