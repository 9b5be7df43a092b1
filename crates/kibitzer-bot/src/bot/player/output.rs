//! The effects of the bot: events about its actions, and requests. Tasks wait for the replies, so that the loop that reads the events never does.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use kibitzer::command::Request;
use kibitzer::{Client, GameId, Handle, RequestError};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use super::BotPlayer;
use crate::bot::resume_unwind_if_panicked;
use crate::config::BotConfig;
use crate::engine::SearchInfo;
use crate::statistics::Statistics;
use crate::verdict::{BotAction, BotEvent};

/// Number of requests without a reply at which the talk, challenges and offers of players are ignored.
pub(super) const MAX_REQUESTS: usize = 256;

/// Number of late replies of the policy at which another one is dropped; lower than [`MAX_REQUESTS`], so that talk does not keep the
/// bot from answering challenges.
pub(super) const MAX_LATE_REPLIES: usize = 64;

/// Handles the reply to a request.
pub(super) type OnReply = Box<dyn FnOnce(&mut BotPlayer) + Send>;

/// Emits the events of an account, and sends its requests. Clones share both.
#[derive(Clone)]
pub(super) struct Output {
    pub(super) config: Arc<BotConfig>,
    client: Client,
    /// Requests without a reply yet.
    requests: Arc<Mutex<JoinSet<OnReply>>>,
    on_event: Arc<dyn Fn(&BotEvent) + Send + Sync>,
    /// Results of the games of all accounts.
    pub(super) statistics: watch::Sender<Statistics>,
    /// Permits for late replies of the policy.
    pub(super) late_replies: Arc<Semaphore>,
}

impl Output {
    pub(super) fn new(
        config: Arc<BotConfig>,
        client: Client,
        on_event: Arc<dyn Fn(&BotEvent) + Send + Sync>,
        statistics: watch::Sender<Statistics>,
    ) -> Self {
        let late_replies = Arc::new(Semaphore::new(MAX_LATE_REPLIES));
        Self { config, client, requests: Arc::default(), on_event, statistics, late_replies }
    }

    /// Locks the requests without a reply.
    fn requests(&self) -> MutexGuard<'_, JoinSet<OnReply>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the account: its handle on the server, before the first login that of the settings.
    pub(super) fn account(&self) -> Option<Handle> {
        self.client.handle().or_else(|| self.config.only_handle())
    }

    /// Sends a request in a task of its own, and passes the reply to `on_reply`.
    pub(super) fn request<F>(
        &self,
        send: impl FnOnce(Client) -> F,
        on_reply: impl FnOnce(&mut BotPlayer, F::Output) + Send + 'static,
    ) where
        F: Future<Output: Send> + Send + 'static,
    {
        let reply = send(self.client.clone());
        self.requests().spawn(async move {
            let reply = reply.await;
            Box::new(move |bot: &mut BotPlayer| on_reply(bot, reply)) as OnReply
        });
    }

    /// Sends a command in a task of its own. If it fails, the error is reported.
    pub(super) fn send(&self, game: Option<GameId>, command: impl Request + Send + Sync + 'static) {
        self.request(
            |client| async move { client.request(&command).await.err() },
            move |bot, error| bot.out.report_error_if_any(game, None, error),
        );
    }

    /// Waits for the next reply. Must be called again after a new request.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub(super) async fn next_reply(&self) -> OnReply {
        poll_fn(|cx| match self.requests().poll_join_next(cx) {
            // Nothing cancels a request. Only a reply of the policy can panic.
            Poll::Ready(Some(ended)) => Poll::Ready(resume_unwind_if_panicked(ended)),
            Poll::Ready(None) | Poll::Pending => Poll::Pending,
        })
        .await
    }

    /// Returns whether [`MAX_REQUESTS`] or more requests wait for a reply, so that no player's message may cause another one.
    pub(super) fn has_too_many_requests(&self) -> bool {
        self.requests().len() >= MAX_REQUESTS
    }

    /// Reports an action that concerns neither a game nor a player.
    pub(super) fn report(&self, action: BotAction, reason: impl Into<String>) {
        self.report_about(action, None, None, reason);
    }

    /// Reports an action in a game.
    pub(super) fn report_in_game(&self, action: BotAction, game: GameId, reason: impl Into<String>) {
        self.report_about(action, Some(game), None, reason);
    }

    /// Reports an action that concerns a player.
    pub(super) fn report_to(&self, action: BotAction, player: &Handle, reason: impl Into<String>) {
        self.report_about(action, None, Some(player), reason);
    }

    /// Emits the event of an action, and logs it.
    pub(super) fn report_about(
        &self,
        action: BotAction,
        game: Option<GameId>,
        player: Option<&Handle>,
        reason: impl Into<String>,
    ) {
        let account = self.account();
        let player = player.cloned();
        BotEvent::acted(account, action, game, player, reason.into()).emit(&*self.on_event);
    }

    /// Reports an error of a request; does nothing for `None`.
    pub(super) fn report_error_if_any(
        &self,
        game: Option<GameId>,
        player: Option<&Handle>,
        error: Option<RequestError>,
    ) {
        if let Some(error) = error {
            self.report_about(BotAction::ServerRefused, game, player, error_with_words(&error));
        }
    }

    /// Returns the value, or reports the error of a file and returns `None`. `game` is the game that the error concerns, if any.
    pub(super) fn ok_or_report<T>(&self, game: Option<GameId>, result: std::io::Result<T>) -> Option<T> {
        let failed = |error: &std::io::Error| self.report_about(BotAction::FileFailed, game, None, error.to_string());
        result.inspect_err(failed).ok()
    }

    /// Emits a line of analysis.
    pub(super) fn emit_analysis(&self, game: GameId, info: SearchInfo) {
        (self.on_event)(&BotEvent::analysis(self.client.handle(), game, info));
    }
}

/// Formats an error of a request with the server's words.
pub(super) fn error_with_words(error: &RequestError) -> String {
    // A refusal contains them already.
    let text = error.text().filter(|_| error.refusal_reason().is_none());
    format!("{error}{}", text.map_or_else(String::new, |text| format!(": {}", text.trim())))
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use kibitzer::Profile;

    use super::*;

    #[tokio::test]
    async fn number_of_requests_that_players_cause_is_limited() {
        let client = Client::builder(Profile::new("localhost").ports([])).start().await.unwrap();
        let output = Output::new(Arc::default(), client, Arc::new(|_| {}), watch::Sender::default());
        for _ in 1..MAX_REQUESTS {
            output.request(|_| pending::<()>(), |_, ()| {});
        }
        assert!(!output.has_too_many_requests());
        output.request(|_| ready(()), |_, ()| {});
        assert!(output.has_too_many_requests());
        drop(output.next_reply().await);
        assert!(!output.has_too_many_requests());
    }
}
