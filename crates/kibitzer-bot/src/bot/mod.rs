//! A bot that plays: accounts, engine and policy in one place.

mod answers;
mod endings;
mod engine_task;
mod game_decisions;
mod games;
mod matchmaking;
mod matchmaking_state;
mod moves;
mod pending_offers;
mod player;
mod record;
mod requests;

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use kibitzer::core::session::AdjournedGames;
use kibitzer::{Client, ConnectError, Profile, SessionEndReason};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::config::BotConfig;
use crate::engine::{Engine, EngineConfig, EngineError, ExternalEngine};
use crate::policy::{Policy, SettingsPolicy};
use crate::verdict::BotEvent;

use player::BotPlayer;

/// Number of unread events at which a session waits for the bot.
const MAX_UNREAD: usize = 1_024;

/// Starts engines: one for each account, and another after each failure.
///
/// Implemented for [`EngineConfig`] and for closures that return a future of an engine.
pub trait StartEngine: Clone + Send + Sync + 'static {
    /// The engine.
    type Engine: Engine;

    /// Starts an engine.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if it does not start; the bot tries again.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a half-started engine is ended.
    fn start(&self) -> impl Future<Output = Result<Self::Engine, EngineError>> + Send;
}

impl StartEngine for EngineConfig {
    type Engine = ExternalEngine;

    async fn start(&self) -> Result<ExternalEngine, EngineError> {
        ExternalEngine::start(self).await
    }
}

impl<S, F, E> StartEngine for S
where
    S: Fn() -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Result<E, EngineError>> + Send,
    E: Engine,
{
    type Engine = E;

    async fn start(&self) -> Result<E, EngineError> {
        self().await
    }
}

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
    on_client: Arc<dyn Fn(&Client) + Send + Sync>,
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
        Self {
            config: Arc::new(config),
            engine,
            policy: SettingsPolicy,
            on_event: Arc::new(|_| {}),
            on_client: Arc::new(|_| {}),
        }
    }
}

impl<S: StartEngine, P: Policy + Clone> Bot<S, P> {
    /// Replaces the engine of the settings.
    pub fn engine<T: StartEngine>(self, engine: T) -> Bot<T, P> {
        let Self { config, policy, on_event, on_client, .. } = self;
        Bot { config, engine, policy, on_event, on_client }
    }

    /// Replaces the policy of the settings. Each account uses a clone of its own.
    pub fn policy<Q: Policy + Clone>(self, policy: Q) -> Bot<S, Q> {
        let Self { config, engine, on_event, on_client, .. } = self;
        Bot { config, engine, policy, on_event, on_client }
    }

    /// Sets the function that receives the bot's events. It must return quickly, as the bot waits for it. Default:
    /// nothing is called.
    pub fn on_event(mut self, on_event: impl Fn(&BotEvent) + Send + Sync + 'static) -> Self {
        self.on_event = Arc::new(on_event);
        self
    }

    /// Sets the function that receives the client of each account when it is connected for the first time: to subscribe to
    /// events, or to expose the session. [`run_with`](Self::run_with) calls it at once.
    ///
    /// It must return quickly, as the bot waits for it. Default: nothing is called.
    pub fn on_client(mut self, on_client: impl Fn(&Client) + Send + Sync + 'static) -> Self {
        self.on_client = Arc::new(on_client);
        self
    }

    /// Plays with a session that exists already, until it is stopped or the session is over. The accounts of the settings are not
    /// used. The session should be new: a game that began before is not played.
    ///
    /// # Errors
    ///
    /// [`BotError::Ended`] if the session ended for another reason than the stop.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: dropping the future ends the engine; the session goes on.
    pub async fn run_with(self, client: Client, stop: Stop) -> Result<(), BotError> {
        // Nothing may be missed: a bot without the start of its game does not move.
        let events = client.subscribe_lossless(MAX_UNREAD);
        BotPlayer::new(self, client, events).play(stop).await
    }

    /// Returns the profile with the treatment of adjourned games that the rules require, to connect a client for
    /// [`run_with`](Self::run_with).
    pub fn session_profile(&self, profile: Profile) -> Profile {
        let resume = self.config.adjourned.resume;
        let adjourned = if resume { AdjournedGames::Resume } else { AdjournedGames::Report };
        profile.session(|session| session.adjourned(adjourned))
    }

    /// Plays until it is stopped, or all sessions are over; returns at once if the settings have no account.
    ///
    /// # Errors
    ///
    /// [`BotError`] of the first account whose session could not start or ended for another reason than the stop. The other
    /// accounts play on until they end, too.
    ///
    /// # Panics
    ///
    /// If the policy, the engine or a callback panics. The other accounts are then disconnected.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: dropping the future disconnects all accounts and ends the engines.
    pub async fn run(self, stop: Stop) -> Result<(), BotError> {
        let mut players = JoinSet::new();
        for profile in self.config.accounts.clone() {
            let (bot, stop) = (self.clone(), stop.clone());
            players.spawn(async move {
                let (client, events) =
                    Client::start(bot.session_profile(profile), |hub| hub.subscribe_lossless(MAX_UNREAD)).await?;
                BotPlayer::new(bot, client, events).play(stop).await
            });
        }
        let mut result = Ok(());
        while let Some(ended) = players.join_next().await {
            let ended = ended.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
            result = result.and(ended);
        }
        result
    }
}

/// Reason why a bot ended on its own.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BotError {
    /// The session of an account could not start.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The session ended: another login of the account, a ban, a lost connection that could not be restored.
    #[error("the session is over")]
    Ended(#[source] SessionEndReason),
}

/// How urgently a bot is to stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum StopUrgency {
    /// Not at all.
    #[default]
    None,
    /// After the game in progress, within the limit of the settings.
    AfterGame,
    /// Now.
    Now,
}

/// Handle that asks a bot to stop. Clones, and all bots that were started with them, share the request.
#[derive(Clone, Debug, Default)]
pub struct Stop(watch::Sender<StopUrgency>);

impl Stop {
    /// Creates a handle on which no stop is requested.
    pub fn new() -> Self {
        Self::default()
    }

    /// Requests the bot to stop: the first call lets the game in progress end within
    /// [`finish_game_within`](crate::config::ShutdownConfig::finish_game_within), the second stops at once. With a limit of zero,
    /// the first one stops at once, too.
    pub fn request_or_force(&self) {
        self.0.send_modify(|urgency| {
            *urgency = if *urgency == StopUrgency::None { StopUrgency::AfterGame } else { StopUrgency::Now };
        });
    }

    /// Stops the bot at once. A game in progress is left to the server's rules for lost connections.
    pub fn force(&self) {
        self.0.send_replace(StopUrgency::Now);
    }
}
