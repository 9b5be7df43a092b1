//! The memory of other players: their games with the bot, refusals, answers, and which of them are computers.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use kibitzer::Handle;
use kibitzer::core::message::listing::{ListedPlayer, WhoList};
use tokio::time::Instant;

/// How long games with an opponent and refusals are remembered.
const DAY: Duration = Duration::from_hours(24);

/// Number of opponents that are remembered; the one whose last entry is oldest is dropped.
const MAX_OPPONENTS: usize = 10_000;

/// Minimum time between two answers to one player, so that two bots do not talk to each other for ever.
const ANSWER_PAUSE: Duration = Duration::from_secs(10);

/// Number of reasons that one player is given for declined challenges, so that a flood of challenges is not answered by one of tells.
const MAX_REASONS: usize = 16;

/// What the bot remembers of other players.
#[derive(Debug, Default)]
pub(super) struct Opponents {
    records: HashMap<String, OpponentRecord>,
    computers: HashSet<String>,
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
        self.computers.contains(&spelling_key(player))
    }

    /// Returns the number of games with a player in the last 24 hours.
    pub(super) fn n_games_in_last_day(&self, player: &Handle, now: Instant) -> u32 {
        let games = self.records.get(&spelling_key(player)).map_or(&[][..], |opponent| &opponent.games);
        let recent = games.iter().filter(|&&at| now.saturating_duration_since(at) < DAY).count();
        u32::try_from(recent).unwrap_or(u32::MAX)
    }

    /// Remembers for 24 hours that a player declined a challenge of the bot.
    pub(super) fn record_decline_by(&mut self, player: &Handle, now: Instant) {
        self.record(player).refused = Some(now);
    }

    /// Returns whether a player declined a challenge of the bot in the last 24 hours.
    pub(super) fn has_declined_recently(&self, player: &Handle, now: Instant) -> bool {
        let refused = self.records.get(&spelling_key(player)).and_then(|opponent| opponent.refused);
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

    /// Records an answer to a player. Returns `false`, and records nothing, if the last answer is less than [`ANSWER_PAUSE`] ago: no
    /// answer may be sent then.
    pub(super) fn record_answer_if_allowed(&mut self, player: &Handle, now: Instant) -> bool {
        let answered = &mut self.record(player).answered;
        let may_answer = answered.is_none_or(|at| now.saturating_duration_since(at) >= ANSWER_PAUSE);
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
        let key = spelling_key(player);
        if self.records.len() >= MAX_OPPONENTS && !self.records.contains_key(&key) {
            let last_seen =
                |opponent: &OpponentRecord| opponent.games.last().copied().max(opponent.refused).max(opponent.answered);
            let oldest = self.records.iter().min_by_key(|(_, opponent)| last_seen(opponent));
            if let Some(oldest) = oldest.map(|(name, _)| name.clone()) {
                self.records.remove(&oldest);
            }
        }
        self.records.entry(key).or_default()
    }

    /// Remembers which players of a list are computers, in place of those of an earlier list.
    pub(super) fn record_computers(&mut self, list: &WhoList) {
        let computers = list.players.iter().map(|(player, _)| player).filter(|player| has_computer_title(player));
        self.computers = computers.map(|player| spelling_key(&player.name)).collect();
    }
}

/// Returns the form of a handle that is equal for all spellings of the same player.
fn spelling_key(player: &Handle) -> String {
    player.as_str().to_lowercase()
}

/// Returns whether the titles mark a computer account.
pub(super) fn has_computer_title(player: &ListedPlayer) -> bool {
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
