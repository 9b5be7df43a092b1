//! The memory of a bot between games: opponents, refusals, and planned seeks and challenges.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use kibitzer::Handle;
use kibitzer::core::message::listing::{ListedPlayer, WhoList, WhoStatus};
use kibitzer::core::message::{Challenge, Rating};
use tokio::time::Instant;

use crate::config::MatchmakingRules;

/// How long games with an opponent and refusals are remembered.
const DAY: Duration = Duration::from_hours(24);

/// Number of opponents that are remembered; the one whose last entry is oldest is dropped.
const MAX_OPPONENTS: usize = 10_000;

/// Minimum time between two answers to one player, so that two bots do not talk to each other for ever.
const ANSWER_PAUSE: Duration = Duration::from_secs(10);

/// Number of reasons that one player is given for declined challenges, so that a flood of challenges is not answered by one of tells.
const MAX_REASONS: usize = 16;

/// Number of challenges that are postponed; further ones are not answered.
const MAX_POSTPONED_CHALLENGES: usize = 16;

/// State of the connection of a bot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum LinkState {
    /// No request can be sent.
    #[default]
    Down,
    /// Requests can be sent, but it is not known yet whether an interrupted game goes on.
    Restoring,
    /// All games are known.
    Up,
}

/// State of a bot beside its games: connection, planned seeks and challenges, and memory of other players.
#[derive(Debug, Default)]
pub(super) struct MatchmakingState {
    /// State of the connection.
    pub(super) link: LinkState,
    /// Challenges that arrived before the session was ready, or before it was known whether an interrupted game goes on.
    pub(super) postponed_challenges: Vec<Challenge>,
    /// Whether a challenge was accepted whose game has not started yet.
    pub(super) is_accepting: bool,
    /// Whether an owner has paused the bot.
    pub(super) is_paused: bool,
    /// Number of games since the start.
    pub(super) n_games_started: u32,
    /// When to post seeks.
    pub(super) seeks_at: Option<Instant>,
    /// When to challenge a player.
    pub(super) challenge_at: Option<Instant>,
    /// The player who was challenged and has not answered yet.
    pub(super) challenged: Option<Handle>,
    /// Number of rematches proposed to the last opponent.
    pub(super) n_rematches: u32,
    last_opponent: Option<Handle>,
    opponents: HashMap<String, OpponentRecord>,
    computers: HashSet<String>,
    pub(super) random: fastrand::Rng,
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

impl MatchmakingState {
    /// Records that the connection is lost: forgets received and sent challenges, and cancels planned seeks and challenges.
    pub(super) fn on_connection_lost(&mut self) {
        (self.link, self.is_accepting) = (LinkState::Down, false);
        self.challenged = None;
        self.postponed_challenges.clear();
        self.plan(None, None);
    }

    /// Postpones a challenge; it replaces an earlier one of the same player. Drops it, and returns `false`, if
    /// [`MAX_POSTPONED_CHALLENGES`] are postponed.
    pub(super) fn postpone_challenge(&mut self, challenge: &Challenge) -> bool {
        self.postponed_challenges.retain(|known| !known.from.is_same_player(challenge.from.as_str()));
        let has_room = self.postponed_challenges.len() < MAX_POSTPONED_CHALLENGES;
        self.postponed_challenges.extend(has_room.then(|| challenge.clone()));
        has_room
    }

    /// Returns whether a list of players named this one as a computer.
    pub(super) fn is_known_computer(&self, player: &Handle) -> bool {
        self.computers.contains(&spelling_key(player))
    }

    /// Returns the number of games with a player in the last 24 hours.
    pub(super) fn n_games_in_last_day(&self, player: &Handle, now: Instant) -> u32 {
        let games = self.opponents.get(&spelling_key(player)).map_or(&[][..], |opponent| &opponent.games);
        let recent = games.iter().filter(|&&at| now.saturating_duration_since(at) < DAY).count();
        u32::try_from(recent).unwrap_or(u32::MAX)
    }

    /// Remembers for 24 hours that a player declined a challenge of the bot, and that no challenge of the bot is open.
    pub(super) fn record_decline_by(&mut self, player: &Handle, now: Instant) {
        self.challenged = None;
        self.opponent_record(player).refused = Some(now);
    }

    /// Returns whether a player declined a challenge of the bot in the last 24 hours.
    pub(super) fn has_declined_recently(&self, player: &Handle, now: Instant) -> bool {
        let refused = self.opponents.get(&spelling_key(player)).and_then(|opponent| opponent.refused);
        refused.is_some_and(|at| now.saturating_duration_since(at) < DAY)
    }

    /// Remembers the reason for declining that is given to a player. Returns `false` if it was given before, or after 16 reasons.
    pub(super) fn record_reason_if_new(&mut self, player: &Handle, reason: &str) -> bool {
        let reasons = &mut self.opponent_record(player).reasons;
        let is_new = reasons.len() < MAX_REASONS && !reasons.iter().any(|known| known == reason);
        if is_new {
            reasons.push(reason.to_owned());
        }
        is_new
    }

    /// Records an answer to a player. Returns `false`, and records nothing, if the last answer is less than [`ANSWER_PAUSE`] ago: no
    /// answer may be sent then.
    pub(super) fn record_answer_if_allowed(&mut self, player: &Handle, now: Instant) -> bool {
        let answered = &mut self.opponent_record(player).answered;
        let may_answer = answered.is_none_or(|at| now.saturating_duration_since(at) >= ANSWER_PAUSE);
        if may_answer {
            *answered = Some(now);
        }
        may_answer
    }

    /// Records that a game has started, and cancels planned seeks and challenges. A resumed game (`is_new` is `false`) is not
    /// counted, because it was counted before.
    pub(super) fn on_game_started(&mut self, opponent: &Handle, is_new: bool, now: Instant) {
        self.is_accepting = false;
        self.challenged = None;
        self.plan(None, None);
        if !is_new {
            return;
        }
        self.n_games_started += 1;
        if !self.last_opponent.as_ref().is_some_and(|last| last.is_same_player(opponent.as_str())) {
            self.n_rematches = 0;
            self.last_opponent = Some(opponent.clone());
        }
        let games = &mut self.opponent_record(opponent).games;
        games.retain(|&at| now.saturating_duration_since(at) < DAY);
        games.push(now);
    }

    /// Removes the last game with an opponent from the counts, as it was aborted before it had begun.
    pub(super) fn forget_last_game(&mut self, opponent: &Handle) {
        if self.opponent_record(opponent).games.pop().is_some() {
            self.n_games_started -= 1;
        }
    }

    /// Sets the times of the next seeks and the next challenge; `None` cancels.
    pub(super) fn plan(&mut self, seeks_at: Option<Instant>, challenge_at: Option<Instant>) {
        self.seeks_at = seeks_at;
        self.challenge_at = challenge_at;
    }

    /// Returns the record of a player, creating one. At [`MAX_OPPONENTS`], replaces the one not seen for the longest time.
    fn opponent_record(&mut self, player: &Handle) -> &mut OpponentRecord {
        let key = spelling_key(player);
        if self.opponents.len() >= MAX_OPPONENTS && !self.opponents.contains_key(&key) {
            let last_seen =
                |opponent: &OpponentRecord| opponent.games.last().copied().max(opponent.refused).max(opponent.answered);
            let oldest = self.opponents.iter().min_by_key(|(_, opponent)| last_seen(opponent));
            if let Some(oldest) = oldest.map(|(name, _)| name.clone()) {
                self.opponents.remove(&oldest);
            }
        }
        self.opponents.entry(key).or_default()
    }

    /// Remembers which players of a list are computers, in place of those of an earlier list.
    pub(super) fn record_computers(&mut self, list: &WhoList) {
        let computers = list.players.iter().map(|(player, _)| player).filter(|player| has_computer_title(player));
        self.computers = computers.map(|player| spelling_key(&player.name)).collect();
    }
}

/// Returns the free players of a list whom the rules allow to challenge.
pub(super) fn suitable_players<'a>(list: &'a WhoList, rules: &'a MatchmakingRules) -> impl Iterator<Item = &'a Handle> {
    let suits = |(player, status): &&(ListedPlayer, WhoStatus)| {
        *status == WhoStatus::Free
            && (has_computer_title(player) || !rules.computers_only)
            && player.rating.and_then(Rating::value).is_some_and(|rating| rules.rating.contains(&rating))
    };
    list.players.iter().filter(suits).map(|(player, _)| &player.name)
}

/// Returns the form of a handle that is equal for all spellings of the same player.
fn spelling_key(player: &Handle) -> String {
    player.as_str().to_lowercase()
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
        let (mut idle, now) = (MatchmakingState::default(), Instant::now());
        let player = |n: usize| -> Handle { format!("Guest{n}").parse().unwrap() };
        idle.record_decline_by(&player(0), now);
        for n in 0..MAX_OPPONENTS + 100 {
            idle.record_reason_if_new(&player(n), "rated games are not played");
        }
        assert_eq!(idle.opponents.len(), MAX_OPPONENTS);
        assert!(idle.has_declined_recently(&player(0), now), "those who only challenged are forgotten first");
        let n_given = (0..1000).filter(|n| idle.record_reason_if_new(&player(0), &n.to_string())).count();
        assert!(n_given <= MAX_REASONS);
    }

    #[test]
    fn refusals_and_games_are_remembered_for_a_day_in_any_spelling() {
        let (mut idle, now) = (MatchmakingState::default(), Instant::now());
        let [one, other]: [Handle; 2] = ["Alekhin", "ALEKHIN"].map(|name| name.parse().unwrap());
        idle.record_decline_by(&one, now);
        idle.on_game_started(&one, true, now);
        idle.on_game_started(&one, false, now);
        assert_eq!(
            (idle.has_declined_recently(&other, now), idle.n_games_in_last_day(&other, now), idle.n_games_started),
            (true, 1, 1)
        );
        assert_eq!(
            (idle.has_declined_recently(&other, now + DAY), idle.n_games_in_last_day(&other, now + DAY)),
            (false, 0)
        );
    }
}
