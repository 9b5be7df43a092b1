//! Between games: seeks, challenges to other players, rematches.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kibitzer::command::{self, Request};
use kibitzer::core::message::listing::{ListedPlayer, WhoList, WhoStatus};
use kibitzer::core::message::{Rating, Refusal};
use kibitzer::{Handle, RequestError};
use tokio::time::Instant;

use super::answers::{OfferAnswer, OfferAnswerVerb};
use super::opponents::{Opponents, has_computer_title};
use super::output::Output;
use crate::config::{BotConfig, MatchmakingRules, contains_player};
use crate::verdict::BotAction;

/// Time from the end of a game to the next seeks.
const SEEK_DELAY: Duration = Duration::from_secs(3);

/// Shortest time between two challenges.
const MIN_CHALLENGE_PAUSE: Duration = Duration::from_secs(10);

/// Longest time between two challenges.
const MAX_CHALLENGE_PAUSE: Duration = Duration::from_hours(24 * 365);

/// Whether the bot may begin a game on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Availability {
    Free,
    /// It plays, has accepted a game, is paused or is stopping.
    Busy,
    NoEngine,
}

/// Planned and sent seeks and challenges, and the memory of other players.
#[derive(Debug, Default)]
pub(super) struct Matchmaking {
    pub(super) opponents: Opponents,
    /// The handles of all accounts.
    own_handles: Arc<Mutex<Vec<Handle>>>,
    /// Number of games since the start.
    pub(super) n_games_started: u32,
    /// When to post seeks.
    seeks_at: Option<Instant>,
    /// When to challenge a player.
    challenge_at: Option<Instant>,
    /// The player who was challenged and has not answered yet.
    challenged: Option<Handle>,
    /// Number of rematches proposed to the last opponent.
    n_rematches: u32,
    last_opponent: Option<Handle>,
    random: fastrand::Rng,
}

impl Matchmaking {
    pub(super) fn new(own_handles: Arc<Mutex<Vec<Handle>>>) -> Self {
        Self { own_handles, ..Self::default() }
    }

    /// Locks the handles of all accounts.
    fn own_handles(&self) -> MutexGuard<'_, Vec<Handle>> {
        self.own_handles.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the handle of a login to those of all accounts.
    pub(super) fn add_own_handle(&self, handle: Handle) {
        let mut known = self.own_handles();
        if !contains_player(&known, &handle) {
            known.push(handle);
        }
    }

    /// Forgets the open challenge, and cancels planned seeks and challenges, as the connection is lost or a game starts.
    pub(super) fn reset(&mut self) {
        self.challenged = None;
        self.seeks_at = None;
        self.challenge_at = None;
    }

    /// Plans seeks and challenges after the end of a game, or when the session is ready.
    pub(super) fn plan(&mut self, now: Instant, config: &BotConfig) {
        self.seeks_at = (!config.seek.ads.is_empty()).then(|| now + SEEK_DELAY);
        self.challenge_at = next_challenge_at(now, config);
    }

    /// Cancels the planned seeks, which the session has posted again itself.
    pub(super) fn cancel_planned_seeks(&mut self) {
        self.seeks_at = None;
    }

    /// Returns when seeks or a challenge are due.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.seeks_at.into_iter().chain(self.challenge_at).min()
    }

    /// Records that a new game has started.
    pub(super) fn on_game_started(&mut self, opponent: &Handle, now: Instant) {
        self.n_games_started += 1;
        if !self.last_opponent.as_ref().is_some_and(|last| last.is_same_player(opponent.as_str())) {
            self.n_rematches = 0;
            self.last_opponent = Some(opponent.clone());
        }
        self.opponents.record_game(opponent, now);
    }

    /// Removes the last game with an opponent from the counts, as it was aborted before it had begun.
    pub(super) fn forget_last_game(&mut self, opponent: &Handle) {
        if self.opponents.forget_last_game(opponent) {
            self.n_games_started -= 1;
        }
    }

    /// Remembers for 24 hours that a player declined a challenge of the bot, and that no challenge of the bot is open.
    pub(super) fn on_decline_by(&mut self, player: &Handle) {
        self.challenged = None;
        self.opponents.record_decline_by(player, Instant::now());
    }

    /// Posts seeks and sends a challenge if they are due and a game may begin. Plans the next challenge in any case; postpones
    /// the seeks while no engine runs.
    pub(super) fn send_due(&mut self, now: Instant, availability: Availability, out: &mut Output) {
        if self.seeks_at.is_some_and(|at| at <= now) {
            self.seeks_at = (availability == Availability::NoEngine).then(|| now + SEEK_DELAY);
            if availability == Availability::Free {
                post_seeks(out);
            }
        }
        if self.challenge_at.is_some_and(|at| at <= now) {
            self.challenge_at = next_challenge_at(now, &out.config);
            if availability == Availability::Free {
                self.challenge_or_list_players(out);
            }
        }
    }

    /// Challenges a random one of the configured players whom it may challenge; without configured players, requests the list of
    /// those who are logged in. Withdraws an unanswered challenge first; its player is not challenged again for a day.
    fn challenge_or_list_players(&mut self, out: &mut Output) {
        let config = Arc::clone(&out.config);
        let Some(rules) = &config.matchmaking else { return };
        if let Some(player) = self.challenged.take() {
            self.opponents.record_decline_by(&player, Instant::now());
            out.report_to(BotAction::Challenged, &player, "withdrawn, as there was no answer");
            OfferAnswer::to_challenge(OfferAnswerVerb::Withdraw, player).send(out);
        }
        if rules.players.is_empty() {
            return out.request(
                |client| async move { client.who().await },
                |bot, result| bot.matchmaking.on_list_of_players(result, bot.availability(), &mut bot.out),
            );
        }
        let players: Vec<_> = rules.players.iter().filter(|player| self.may_challenge(player, &config)).collect();
        if let Some(player) = self.random.choice(players) {
            self.challenge_on_random_terms(player, rules, out);
        }
    }

    /// Remembers the computers of the list, and challenges a random suitable player if a game may still begin. Reports an error of the
    /// request.
    fn on_list_of_players(
        &mut self,
        result: Result<WhoList, RequestError>,
        availability: Availability,
        out: &mut Output,
    ) {
        let config = Arc::clone(&out.config);
        let Some(rules) = &config.matchmaking else { return };
        let list = match result {
            Ok(list) => list,
            Err(error) => return out.report(BotAction::ServerRefused, error.to_string()),
        };
        self.opponents.record_computers(&list);
        if availability != Availability::Free {
            return;
        }
        let suitable = suitable_players(&list, rules).filter(|player| self.may_challenge(player, &config));
        if let Some(player) = self.random.choice(suitable.collect::<Vec<_>>()) {
            self.challenge_on_random_terms(player, rules, out);
        }
    }

    /// Returns whether the bot may challenge a player: not one of its own accounts, nor one who is blocked or has declined recently.
    fn may_challenge(&self, player: &Handle, config: &BotConfig) -> bool {
        let is_excluded = contains_player(&self.own_handles(), player) || contains_player(&config.accept.block, player);
        !is_excluded && !self.opponents.has_declined_recently(player, Instant::now())
    }

    /// Challenges a player with random terms of the settings, and reports it; does nothing without terms.
    fn challenge_on_random_terms(&mut self, player: &Handle, rules: &MatchmakingRules, out: &mut Output) {
        let Some(terms) = self.random.choice(&rules.terms) else { return };
        out.report_to(BotAction::Challenged, player, &**terms);
        self.challenge(player, format!("match {player} {terms}"), out);
    }

    /// Sends a challenge, and remembers that the player has not answered yet. Forgets it if it fails; after a refusal that will not
    /// pass soon, the player is not challenged again for a day.
    fn challenge(&mut self, player: &Handle, command: impl Request + Send + Sync + 'static, out: &mut Output) {
        use Refusal::{AlreadyOffered, Examining, NoSuchPlayer, NotLoggedIn, PlayerBusy, Playing};
        let player = player.clone();
        self.challenged = Some(player.clone());
        out.request(
            |client| async move { client.request(&command).await.err() },
            move |bot, error| {
                let Some(failed) = &error else { return };
                bot.matchmaking.challenged = None;
                let passes = [NotLoggedIn, NoSuchPlayer, PlayerBusy, Playing, Examining, AlreadyOffered];
                if failed.refusal_reason().is_some_and(|reason| !passes.contains(&reason)) {
                    bot.matchmaking.on_decline_by(&player);
                }
                bot.out.report_error_if_any(None, Some(&player), error);
            },
        );
    }

    /// Withdraws seeks and challenges and cancels those that are planned, as no new game may begin.
    pub(super) fn withdraw_all(&mut self, out: &mut Output) {
        if let Some(player) = self.challenged.take() {
            OfferAnswer::to_challenge(OfferAnswerVerb::Withdraw, player).send(out);
        }
        self.reset();
        if !out.config.seek.ads.is_empty() {
            // Without an open seek the server refuses.
            out.request(|client| async move { drop(client.unseek_all().await) }, |_, ()| {});
        }
    }

    /// Proposes another game to an opponent who has not declined, within the limit of the settings.
    pub(super) fn propose_rematch_if_allowed(&mut self, opponent: &Handle, out: &mut Output) {
        if self.n_rematches >= out.config.rematch.propose || !self.may_challenge(opponent, &out.config) {
            return;
        }
        self.n_rematches += 1;
        out.report_to(BotAction::Challenged, opponent, "rematch");
        self.challenge(opponent, command::rematch(), out);
    }
}

/// Returns when to challenge the next player; `None` without `[matchmaking]`.
fn next_challenge_at(now: Instant, config: &BotConfig) -> Option<Instant> {
    Some(now + config.matchmaking.as_ref()?.pause.clamp(MIN_CHALLENGE_PAUSE, MAX_CHALLENGE_PAUSE))
}

/// Posts the seeks of the settings as manual ones, so that the policy judges the answers.
fn post_seeks(out: &mut Output) {
    for ad in out.config.seek.ads.clone() {
        out.report(BotAction::Sought, &*ad);
        // `m`: an answer is a challenge, which the policy judges.
        out.send(None, format!("seek {ad} m"));
    }
}

/// Returns the free players of a list whom the rules allow to challenge.
fn suitable_players<'a>(list: &'a WhoList, rules: &'a MatchmakingRules) -> impl Iterator<Item = &'a Handle> {
    let suits = |(player, status): &&(ListedPlayer, WhoStatus)| {
        *status == WhoStatus::Free
            && (has_computer_title(player) || !rules.computers_only)
            && player.rating.and_then(Rating::value).is_some_and(|rating| rules.rating.contains(&rating))
    };
    list.players.iter().filter(suits).map(|(player, _)| &player.name)
}
