//! Between games: seeks, challenges to other players, rematches; and the memory of those players.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kibitzer::command::{self, Request};
use kibitzer::{Handle, RequestError};
use kibitzer_core::message::listing::{ListedPlayer, WhoList, WhoRow, WhoStatus};
use kibitzer_core::message::{Rating, Refusal};
use tokio::time::Instant;

use super::answers::{AnswerToOffer, OfferAnswerVerb};
use super::output::Output;
use crate::config::MatchmakingRules;
use crate::verdict::BotAction;

/// Time from the end of a game to the next seeks.
const SEEK_DELAY: Duration = Duration::from_secs(3);

/// Shortest time between two challenges.
const MIN_CHALLENGE_PAUSE: Duration = Duration::from_secs(10);

/// Whether the bot may begin a game on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Availability {
    Free,
    /// It plays, has accepted a game, is paused or is stopping.
    Busy,
    NoEngine,
}

/// Planned and sent seeks and challenges, and the memory of other players.
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
    /// The last opponent, and the number of rematches proposed to that player.
    rematches: Option<(Handle, u32)>,
    random: fastrand::Rng,
    out: Output,
}

impl Matchmaking {
    pub(super) fn new(own_handles: Arc<Mutex<Vec<Handle>>>, out: Output) -> Self {
        Self {
            opponents: Opponents::default(),
            own_handles,
            n_games_started: 0,
            seeks_at: None,
            challenge_at: None,
            challenged: None,
            rematches: None,
            random: fastrand::Rng::new(),
            out,
        }
    }

    /// Locks the handles of all accounts.
    fn own_handles(&self) -> MutexGuard<'_, Vec<Handle>> {
        self.own_handles.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the handle of a login to those of all accounts.
    pub(super) fn add_own_handle(&self, handle: Handle) {
        let mut known = self.own_handles();
        if !known.contains(&handle) {
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
    pub(super) fn plan(&mut self, now: Instant) {
        self.seeks_at = (!self.out.config.seek.ads.is_empty()).then(|| now + SEEK_DELAY);
        self.challenge_at = self.next_challenge_at(now);
    }

    /// Returns when to challenge the next player; `None` without `[matchmaking]`.
    fn next_challenge_at(&self, now: Instant) -> Option<Instant> {
        now.checked_add(self.out.config.matchmaking.as_ref()?.pause.max(MIN_CHALLENGE_PAUSE))
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
        if self.rematches.as_ref().is_none_or(|(last, _)| last != opponent) {
            self.rematches = Some((opponent.clone(), 0));
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
    pub(super) fn send_due(&mut self, now: Instant, availability: Availability) {
        if self.seeks_at.is_some_and(|at| at <= now) {
            self.seeks_at = (availability == Availability::NoEngine).then(|| now + SEEK_DELAY);
            if availability == Availability::Free {
                for ad in &self.out.config.seek.ads {
                    self.out.report(BotAction::Sought, &**ad);
                    // `m`: as manual ones, so that an answer is a challenge, which the policy judges.
                    self.out.send(None, format!("seek {ad} m"));
                }
            }
        }
        if self.challenge_at.is_some_and(|at| at <= now) {
            self.challenge_at = self.next_challenge_at(now);
            if availability == Availability::Free {
                self.challenge_or_list_players();
            }
        }
    }

    /// Challenges a random one of the configured players whom it may challenge; without configured players, requests the list of
    /// those who are logged in. Withdraws an unanswered challenge first; its player is not challenged again for a day.
    fn challenge_or_list_players(&mut self) {
        let config = Arc::clone(&self.out.config);
        let Some(rules) = &config.matchmaking else { return };
        if let Some(player) = self.challenged.take() {
            self.opponents.record_decline_by(&player, Instant::now());
            self.out.report_to(BotAction::Challenged, &player, "withdrawn, as there was no answer");
            AnswerToOffer::to_challenge(OfferAnswerVerb::Withdraw, player).send(&self.out);
        }
        if rules.players.is_empty() {
            return self.out.request(
                |client| async move { client.who().await },
                |bot, result| bot.matchmaking.on_list_of_players(result, bot.availability()),
            );
        }
        let players: Vec<_> = rules.players.iter().filter(|player| self.may_challenge(player)).collect();
        if let Some(player) = self.random.choice(players) {
            self.challenge_on_random_terms(player, rules);
        }
    }

    /// Remembers the computers of the list, and challenges a random suitable player if a game may still begin. Reports an error of the
    /// request.
    fn on_list_of_players(&mut self, result: Result<WhoList, RequestError>, availability: Availability) {
        let config = Arc::clone(&self.out.config);
        let Some(rules) = &config.matchmaking else { return };
        let list = match result {
            Ok(list) => list,
            Err(error) => return self.out.report(BotAction::ServerRefused, error.to_string()),
        };
        self.opponents.record_computers(&list);
        if availability != Availability::Free {
            return;
        }
        let suitable = suitable_players(&list, rules).filter(|player| self.may_challenge(player));
        if let Some(player) = self.random.choice(suitable.collect::<Vec<_>>()) {
            self.challenge_on_random_terms(player, rules);
        }
    }

    /// Returns whether the bot may challenge a player: not one of its own accounts, nor one who is blocked or has declined recently.
    fn may_challenge(&self, player: &Handle) -> bool {
        let is_excluded = self.own_handles().contains(player) || self.out.config.accept.block.contains(player);
        !is_excluded && !self.opponents.has_declined_recently(player, Instant::now())
    }

    /// Challenges a player with random terms of the settings, and reports it; does nothing without terms.
    fn challenge_on_random_terms(&mut self, player: &Handle, rules: &MatchmakingRules) {
        let Some(terms) = self.random.choice(&rules.terms) else { return };
        self.out.report_to(BotAction::Challenged, player, &**terms);
        self.challenge(player, format!("match {player} {terms}"));
    }

    /// Sends a challenge, and remembers that the player has not answered yet. Forgets it if it fails; after a refusal that will not
    /// pass soon, the player is not challenged again for a day.
    fn challenge(&mut self, player: &Handle, command: impl Request + Send + Sync + 'static) {
        use Refusal::{AlreadyOffered, Examining, NoSuchPlayer, NotLoggedIn, PlayerBusy, Playing};
        let player = player.clone();
        self.challenged = Some(player.clone());
        self.out.request(
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
    pub(super) fn withdraw_all(&mut self) {
        if let Some(player) = self.challenged.take() {
            AnswerToOffer::to_challenge(OfferAnswerVerb::Withdraw, player).send(&self.out);
        }
        self.reset();
        if !self.out.config.seek.ads.is_empty() {
            // Without an open seek the server refuses.
            self.out.request(|client| async move { drop(client.unseek_all().await) }, |_, ()| {});
        }
    }

    /// Proposes another game to an opponent who has not declined, within the limit of the settings.
    pub(super) fn propose_rematch_if_allowed(&mut self, opponent: &Handle) {
        let may_challenge = self.may_challenge(opponent);
        let Some((_, n_proposed)) = &mut self.rematches else { return };
        if *n_proposed >= self.out.config.rematch.propose || !may_challenge {
            return;
        }
        *n_proposed += 1;
        self.out.report_to(BotAction::Challenged, opponent, "rematch");
        self.challenge(opponent, command::rematch());
    }
}

/// Returns the free players of a list whom the rules allow to challenge.
fn suitable_players<'a>(list: &'a WhoList, rules: &'a MatchmakingRules) -> impl Iterator<Item = &'a Handle> {
    let suits = |row: &&WhoRow| {
        row.status == WhoStatus::Free
            && (has_computer_title(&row.player) || !rules.computers_only)
            && row.player.rating.and_then(Rating::value).is_some_and(|rating| rules.rating.contains(&rating))
    };
    list.players.iter().filter(suits).map(|row| &row.player.name)
}

/// How long games with an opponent and refusals are remembered.
const DAY: Duration = Duration::from_hours(24);

/// Number of opponents that are remembered; the one whose last entry is oldest is dropped.
const MAX_OPPONENTS: usize = 10_000;

/// Number of reasons that one player is given for declined challenges, so that a flood of challenges is not answered by one of tells.
const MAX_REASONS: usize = 16;

/// Records of other players: their earlier games, and whether they are computers.
#[derive(Debug, Default)]
pub(super) struct Opponents {
    records: HashMap<Handle, OpponentRecord>,
    computers: HashSet<Handle>,
}

/// Record of another player: games, refusals and answers.
#[derive(Debug, Default)]
struct OpponentRecord {
    games: Vec<Instant>,
    refused: Option<Instant>,
    answered: Option<Instant>,
    /// The reasons given for declining, at most [`MAX_REASONS`].
    reasons: Vec<String>,
}

impl Opponents {
    /// Returns whether a list of players named this one as a computer.
    pub(super) fn is_known_computer(&self, player: &Handle) -> bool {
        self.computers.contains(player)
    }

    /// Returns the number of games with a player in the last 24 hours.
    pub(super) fn n_games_in_last_day(&self, player: &Handle, now: Instant) -> u32 {
        let games = self.records.get(player).map_or(&[][..], |opponent| &opponent.games);
        let recent = games.iter().filter(|&&at| now.saturating_duration_since(at) < DAY).count();
        u32::try_from(recent).unwrap_or(u32::MAX)
    }

    /// Remembers for 24 hours that a player declined a challenge of the bot.
    pub(super) fn record_decline_by(&mut self, player: &Handle, now: Instant) {
        self.record(player).refused = Some(now);
    }

    /// Returns whether a player declined a challenge of the bot in the last 24 hours.
    pub(super) fn has_declined_recently(&self, player: &Handle, now: Instant) -> bool {
        let refused = self.records.get(player).and_then(|opponent| opponent.refused);
        refused.is_some_and(|at| now.saturating_duration_since(at) < DAY)
    }

    /// Remembers the reason for declining that is given to a player. Returns `false` if it was given before, or after 16 reasons.
    pub(super) fn record_reason_if_new(&mut self, player: &Handle, reason: &str) -> bool {
        let reasons = &mut self.record(player).reasons;
        let is_new = reasons.len() < MAX_REASONS && !reasons.iter().any(|known| known == reason);
        if is_new {
            reasons.push(reason.to_owned());
        }
        is_new
    }

    /// Records an answer to a player. Returns `false`, and records nothing, if the last answer is less than `pause` ago: no answer may be
    /// sent then.
    pub(super) fn record_answer_if_allowed(&mut self, player: &Handle, now: Instant, pause: Duration) -> bool {
        let answered = &mut self.record(player).answered;
        let may_answer = answered.is_none_or(|at| now.saturating_duration_since(at) >= pause);
        if may_answer {
            *answered = Some(now);
        }
        may_answer
    }

    /// Counts a game with a player.
    pub(super) fn record_game(&mut self, player: &Handle, now: Instant) {
        let games = &mut self.record(player).games;
        games.retain(|&at| now.saturating_duration_since(at) < DAY);
        games.push(now);
    }

    /// Removes the last game with a player from the count. Returns whether there was one.
    pub(super) fn forget_last_game(&mut self, player: &Handle) -> bool {
        self.record(player).games.pop().is_some()
    }

    /// Returns the record of a player, creating one. At [`MAX_OPPONENTS`], replaces the one not seen for the longest time.
    fn record(&mut self, player: &Handle) -> &mut OpponentRecord {
        if self.records.len() >= MAX_OPPONENTS && !self.records.contains_key(player) {
            let last_seen =
                |opponent: &OpponentRecord| opponent.games.last().copied().max(opponent.refused).max(opponent.answered);
            let oldest = self.records.iter().min_by_key(|(_, opponent)| last_seen(opponent));
            if let Some(oldest) = oldest.map(|(name, _)| name.clone()) {
                self.records.remove(&oldest);
            }
        }
        self.records.entry(player.clone()).or_default()
    }

    /// Remembers which players of a list are computers, in place of those of an earlier list.
    pub(super) fn record_computers(&mut self, list: &WhoList) {
        let computers = list.players.iter().map(|row| &row.player).filter(|player| has_computer_title(player));
        self.computers = computers.map(|player| player.name.clone()).collect();
    }
}

/// Returns whether the titles mark a computer account.
fn has_computer_title(player: &ListedPlayer) -> bool {
    player.titles.iter().any(|code| code == "C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_players_is_limited() {
        let (mut known, now) = (Opponents::default(), Instant::now());
        let player = |n: usize| -> Handle { format!("Guest{n}").parse().unwrap() };
        known.record_decline_by(&player(0), now);
        for n in 0..MAX_OPPONENTS + 100 {
            known.record_reason_if_new(&player(n), "rated games are not played");
        }
        assert_eq!(known.records.len(), MAX_OPPONENTS);
        assert!(known.has_declined_recently(&player(0), now), "those who only challenged are forgotten first");
        let n_given = (0..1000).filter(|n| known.record_reason_if_new(&player(0), &n.to_string())).count();
        assert!(n_given <= MAX_REASONS);
    }

    #[test]
    fn refusals_and_games_are_remembered_for_a_day_in_any_spelling() {
        let (mut known, now) = (Opponents::default(), Instant::now());
        let [one, other]: [Handle; 2] = ["Alekhin", "ALEKHIN"].map(|name| name.parse().unwrap());
        known.record_decline_by(&one, now);
        known.record_game(&one, now);
        assert_eq!((known.has_declined_recently(&other, now), known.n_games_in_last_day(&other, now)), (true, 1));
        assert_eq!(
            (known.has_declined_recently(&other, now + DAY), known.n_games_in_last_day(&other, now + DAY)),
            (false, 0)
        );
    }
}
