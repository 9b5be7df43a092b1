//! A bot that plays: accounts, engine and policy in one place.

mod engine_task;
mod player;
mod stop;

use std::fmt;
use std::sync::{Arc, Mutex};

use kibitzer::{Client, ClientBuilder, ConnectError, Handle, Profile, SessionEndReason, Subscription};
use kibitzer_core::session::AdjournedGames;
use kibitzer_core::text::error_chain;
use tokio::sync::watch;
use tokio::task::{JoinError, JoinSet};

use crate::config::BotConfig;
use crate::engine::{EngineConfig, EngineError};
use crate::policy::{Policy, SettingsPolicy};
use crate::statistics::Statistics;
use crate::verdict::{BotAction, BotEvent};

use engine_task::StartAfter;
pub use engine_task::StartEngine;
use player::BotPlayer;
pub use stop::Stop;

/// Number of unread events at which a session waits for the bot.
const MAX_UNREAD: usize = 1_024;

/// The function of [`Bot::on_client`].
type OnClient = dyn Fn(&Client, Subscription) + Send + Sync;

/// A bot: plays the games of one or more accounts with an engine.
///
/// ```no_run
/// use kibitzer_bot::{Bot, BotConfig, Stop};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let bot = Bot::new(BotConfig::load("bot.toml")?).on_event(|event| println!("{event:?}"));
/// bot.run(Stop::new()).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use]
pub struct Bot<S = EngineConfig, P = SettingsPolicy> {
    config: Arc<BotConfig>,
    engine: S,
    policy: P,
    on_event: Arc<dyn Fn(&BotEvent) + Send + Sync>,
    on_client: Arc<OnClient>,
    /// The handles of all accounts; those of nameless guests once they have logged in.
    own_handles: Arc<Mutex<Vec<Handle>>>,
    statistics: watch::Sender<Statistics>,
}

impl<S: fmt::Debug, P: fmt::Debug> fmt::Debug for Bot<S, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { config, engine, policy, .. } = self;
        f.debug_struct("Bot")
            .field("config", config)
            .field("engine", engine)
            .field("policy", policy)
            .finish_non_exhaustive()
    }
}

impl Bot {
    /// Creates a bot with the engine and the rules of `config`. Starts neither the engine nor a session.
    pub fn new(config: BotConfig) -> Self {
        let engine = config.engine.clone();
        let handles = config.accounts.iter().filter_map(|account| account.handle().cloned()).collect();
        Self {
            own_handles: Arc::new(Mutex::new(handles)),
            statistics: watch::Sender::default(),
            config: Arc::new(config),
            engine,
            policy: SettingsPolicy,
            on_event: Arc::new(|_| {}),
            on_client: Arc::new(|_, _| {}),
        }
    }
}

impl<S: StartEngine, P: Policy + Clone> Bot<S, P> {
    /// Replaces the engine of the settings.
    pub fn engine<T: StartEngine>(self, engine: T) -> Bot<T, P> {
        let Self { config, policy, on_event, on_client, own_handles, statistics, .. } = self;
        Bot { config, engine, policy, on_event, on_client, own_handles, statistics }
    }

    /// Replaces the policy of the settings. Each account uses a clone of its own.
    pub fn policy<Q: Policy + Clone>(self, policy: Q) -> Bot<S, Q> {
        let Self { config, engine, on_event, on_client, own_handles, statistics, .. } = self;
        Bot { config, engine, policy, on_event, on_client, own_handles, statistics }
    }

    /// Sets the function that receives the bot's events. It must return quickly, as the bot waits for it. Default:
    /// nothing is called.
    pub fn on_event(mut self, on_event: impl Fn(&BotEvent) + Send + Sync + 'static) -> Self {
        self.on_event = Arc::new(on_event);
        self
    }

    /// Sets the function that receives the client of each account when its session begins, for example to expose the session.
    ///
    /// It also receives a subscription to all events, from the beginning of a [`BotSession`] that the bot or
    /// [`BotSession::start`] has started. It must return quickly, as the bot waits for it. Default: nothing is called.
    pub fn on_client(mut self, on_client: impl Fn(&Client, Subscription) + Send + Sync + 'static) -> Self {
        self.on_client = Arc::new(on_client);
        self
    }

    /// Starts the engine now, before there is a session. The returned bot plays with it, and starts another one after a failure.
    /// After 5 s without an answer of the engine, an event names it.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if the engine does not start within 30 s.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a half-started engine is ended.
    pub async fn start_engine(self) -> Result<Bot<impl StartEngine<Engine = S::Engine>, P>, EngineError> {
        let slow = |notice| {
            report_action(&*self.on_event, self.config.only_handle(), BotAction::StartingEngine, notice);
        };
        let first = self.engine.start_with_notice(slow).await?;
        let start = self.engine.clone();
        Ok(self.engine(StartAfter::new(first, start)))
    }

    /// Plays with a session that exists already, until it is stopped or the session is over. The accounts of the settings are not
    /// used. The session should be new: a game that began before is not played. Until the engine has started, challenges wait.
    ///
    /// # Errors
    ///
    /// [`BotError::Engine`] if the engine does not start; [`BotError::Ended`] if the session ended for another reason than the stop.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: dropping the future ends the engine; the session goes on.
    pub async fn run_with(self, session: impl Into<BotSession>, stop: Stop) -> Result<(), BotError> {
        BotPlayer::new(self, session.into()).play(stop).await
    }

    /// Returns the profile with the treatment of adjourned games that the rules require, to connect a client for
    /// [`run_with`](Self::run_with).
    pub fn session_profile(&self, profile: Profile) -> Profile {
        let resume = self.config.adjourned.resume;
        let adjourned = if resume { AdjournedGames::Resume } else { AdjournedGames::Report };
        profile.session(|session| session.adjourned(adjourned))
    }

    /// Plays until it is stopped, or all sessions are over; returns at once if the settings have no account. Each account logs in
    /// when its engine has started, and waits for no other one.
    ///
    /// # Errors
    ///
    /// The [`BotError`] of the first account whose engine or session could not start, or whose session ended for another reason than
    /// the stop; the event of that moment names the account. The other accounts play on until they end, too.
    ///
    /// # Panics
    ///
    /// If the policy, the engine or a callback panics. The other accounts are then disconnected.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: dropping the future disconnects all accounts and ends the engines.
    pub async fn run(self, stop: Stop) -> Result<(), BotError> {
        let (on_event, on_failure) = (Arc::clone(&self.on_event), Arc::clone(&self.on_event));
        let connect = move |profile: Profile| {
            let on_event = Arc::clone(&on_event);
            async move {
                let account = profile.handle().cloned();
                Ok(BotSession::start(Client::builder(profile)).await.inspect_err(|error| {
                    let reason = format!("failed: {}", error_chain(error));
                    report_action(&*on_event, account, BotAction::Connection, reason);
                })?)
            }
        };
        let on_end = move |account: &Profile, error| {
            if let BotError::Engine(error) = &error {
                report_action(&*on_failure, account.handle().cloned(), BotAction::EngineFailed, error_chain(error));
            }
            Err(error)
        };
        self.run_with_sessions(stop, connect, on_end).await
    }

    /// Plays as [`run`](Self::run) does, in sessions that the caller starts. The future of `connect` starts the session of an account. It
    /// is polled once the engine has started. `on_end` converts the error with which an account ends.
    ///
    /// # Errors
    ///
    /// The first error of an account, by `connect` or `on_end`; the latter also converts that of an engine that does not start.
    ///
    /// # Panics
    ///
    /// As [`run`](Self::run).
    ///
    /// # Cancel safety
    ///
    /// As [`run`](Self::run).
    pub async fn run_with_sessions<C, T, E>(
        self,
        stop: Stop,
        connect: impl Fn(Profile) -> C,
        on_end: impl Fn(&Profile, BotError) -> Result<(), E> + Clone + Send + 'static,
    ) -> Result<(), E>
    where
        C: Future<Output = Result<T, E>> + Send + 'static,
        T: Into<BotSession>,
        E: Send + 'static,
    {
        let mut players = JoinSet::new();
        for account in self.config.accounts.clone() {
            let config = BotConfig { accounts: vec![account.clone()], ..BotConfig::clone(&self.config) };
            let bot = Self { config: Arc::new(config), ..self.clone() };
            let session = connect(bot.session_profile(account.clone()));
            let (stop, on_end) = (stop.clone(), on_end.clone());
            players.spawn(async move {
                let started = tokio::select! {
                    started = bot.start_engine() => started,
                    () = stop.requested() => return Ok(()),
                };
                let bot = match started {
                    Ok(bot) => bot,
                    Err(error) => return on_end(&account, error.into()),
                };
                let session: BotSession = session.await?.into();
                bot.run_with(session, stop).await.or_else(|error| on_end(&account, error))
            });
        }
        let mut result = Ok(());
        while let Some(ended) = players.join_next().await {
            result = result.and(resume_unwind_if_panicked(ended));
        }
        result
    }

    /// Returns the results of the games since the bot was created, over all accounts and clones of the bot. The receiver is notified
    /// after each game.
    pub fn statistics(&self) -> watch::Receiver<Statistics> {
        self.statistics.subscribe()
    }

    /// Returns the accounts of the settings.
    pub fn accounts(&self) -> &[Profile] {
        &self.config.accounts
    }
}

/// A session in which a bot plays: one that [`start`](Self::start) has started, or that of a [`Client`].
#[derive(Debug)]
pub struct BotSession {
    client: Client,
    /// Lossless: without the start of its game, the bot does not move.
    events: Subscription,
    /// For the function of [`Bot::on_client`].
    events_for_caller: Subscription,
}

impl BotSession {
    /// Starts a session, and subscribes before its first event. A bot that is given a running [`Client`] can miss events from before it
    /// subscribes.
    ///
    /// # Errors
    ///
    /// As [`ClientBuilder::start`].
    ///
    /// # Cancel safety
    ///
    /// As [`ClientBuilder::start`].
    pub async fn start(builder: ClientBuilder) -> Result<Self, ConnectError> {
        let events = builder.subscribe_lossless(MAX_UNREAD);
        let events_for_caller = builder.subscribe();
        Ok(Self { client: builder.start().await?, events, events_for_caller })
    }

    /// Returns the client of the session.
    pub const fn client(&self) -> &Client {
        &self.client
    }
}

impl From<Client> for BotSession {
    fn from(client: Client) -> Self {
        let events = client.subscribe_lossless(MAX_UNREAD);
        Self { events, events_for_caller: client.subscribe(), client }
    }
}

/// Reason why a bot ended on its own.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BotError {
    /// The engine did not start.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The session of an account could not start.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The session ended: another login of the account, a ban, a lost connection that could not be restored.
    #[error("the session is over")]
    Ended(#[source] SessionEndReason),
}

/// Emits the event of an action outside a session.
fn report_action(on_event: &dyn Fn(&BotEvent), account: Option<Handle>, action: BotAction, reason: String) {
    BotEvent::acted(account, action, None, None, reason).emit(on_event);
}

/// Returns the output of a task that was not cancelled; continues its panic if it panicked.
fn resume_unwind_if_panicked<T>(ended: Result<T, JoinError>) -> T {
    ended.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use super::*;

    #[test]
    fn an_error_with_a_source_does_not_repeat_it() {
        let start = EngineError::Start { program: String::new(), source: std::io::ErrorKind::NotFound.into() };
        for error in [start.into(), BotError::Ended(SessionEndReason::Quit)] {
            assert!(!error.to_string().contains(&error.source().unwrap().to_string()), "{error:?}");
        }
    }
}
