//! Comments on the game in progress: the scores of the engine, to players and in the record of the game, and greetings to spectators.

use std::time::Duration;

use kibitzer::command::TalkCommand;
use kibitzer::track::{GameKey, TrackedGame};
use kibitzer::{GameId, Handle};
use kibitzer_core::chess::Color;
use kibitzer_core::message::listing::AnyListing;
use kibitzer_core::session::Reply;
use tokio::time::Instant;

use super::BotPlayer;
use super::games::OwnGames;
use crate::config::ScoreAudience;
use crate::engine::{Score, SearchInfo};
use crate::verdict::BotAction;

/// Number of expected moves that are sent with a score.
const MAX_LINE_MOVES: usize = 8;

/// Shortest time between two requests for the spectators of a game.
const SPECTATORS_PAUSE: Duration = Duration::from_secs(20);

/// Number of spectators who are greeted after one request.
const MAX_GREETINGS: usize = 5;

impl OwnGames {
    /// Comments on a move that was sent: in the record of the game, with the score to those whom the settings name, and with greetings to
    /// new spectators. `info` is the analysis that led to the move; `None` for a move of a book.
    pub(super) fn comment_on_move(&mut self, key: GameKey, info: Option<&SearchInfo>) {
        let Some(game) = self.tracker().get(key) else { return };
        let (number, ply) = (game.number(), game.position().ply());
        if self.out.config.pgn.evals
            && let Some(color) = game.my_color()
        {
            let commands = info.map(|info| pgn_commands(info, color)).unwrap_or_default();
            self.collector.annotate(key, ply.saturating_add(1), &commands);
        }
        if self.out.has_too_many_requests() {
            return;
        }
        if let Some(words) = info.and_then(describe_score) {
            self.send_score_if_due(number, &words);
        }
        self.request_spectators_if_due(number);
    }

    /// Sends a score to those whom the settings name, unless the last one was a moment ago. Whoever the server refuses it for gets none
    /// in the rest of the game, so that a limit of the server is respected.
    fn send_score_if_due(&mut self, number: GameId, words: &str) {
        let (talk, now) = (&self.out.config.talk, Instant::now());
        if self.commentary.scores_at.is_some_and(|at| now < at) {
            return;
        }
        let public = match talk.scores {
            ScoreAudience::Off => None,
            ScoreAudience::Kibitz => Some(("kibitz", TalkCommand::kibitz(words))),
            ScoreAudience::Whisper => Some(("whisper", TalkCommand::whisper(words))),
        };
        let owners = talk.owners.iter().filter(|_| talk.tell_score);
        let private = owners.map(|owner| (owner.as_str(), TalkCommand::tell(owner, words)));
        let recipients = public.into_iter().chain(private);
        let recipients: Vec<_> = recipients.filter(|(name, _)| !self.commentary.refused.contains(*name)).collect();
        if !recipients.is_empty() {
            self.commentary.scores_at = now.checked_add(Duration::from_mins(1) / talk.scores_per_minute.max(1));
        }
        for (name, message) in recipients {
            let name = name.to_owned();
            self.out.report_in_game(BotAction::Said, number, format!("{name}: {words}"));
            self.out.request(
                |client| async move { client.request(&message).await.err() },
                move |bot, error| {
                    if error.is_some() {
                        bot.out.report_error_if_any(Some(number), None, error);
                        bot.games.commentary.refused.insert(name);
                    }
                },
            );
        }
    }

    /// Requests the spectators of a game if they are greeted, unless that was done a moment ago.
    fn request_spectators_if_due(&mut self, number: GameId) {
        let now = Instant::now();
        let is_early = self.commentary.spectators_at.is_some_and(|at| now < at);
        if self.out.config.talk.spectator_greeting.is_empty() || is_early {
            return;
        }
        self.commentary.spectators_at = Some(now + SPECTATORS_PAUSE);
        self.out.request(
            move |client| async move { client.request(format!("allobservers {number}")).await },
            move |bot, reply| match reply {
                Ok(reply) => bot.greet_spectators(number, &reply),
                // Some servers refuse to list no spectators.
                Err(error) if error.refusal_reason().is_some() => {}
                Err(error) => bot.out.report_error_if_any(Some(number), None, Some(error)),
            },
        );
    }

    /// Returns words of the settings with the names of opponent and engine in place of `{opponent}` and `{engine}`.
    pub(super) fn fill_in(&self, words: &str, opponent: Option<&Handle>) -> String {
        let engine = self.engine.info.as_ref().map_or("", |engine| &engine.name);
        words.replace("{opponent}", opponent.map_or("", Handle::as_str)).replace("{engine}", engine)
    }
}

impl BotPlayer {
    /// Sends a greeting to each spectator of a game who got none before, at most [`MAX_GREETINGS`].
    fn greet_spectators(&mut self, number: GameId, reply: &Reply) {
        let Some(AnyListing::Observers(lists)) = reply.listing() else { return };
        let game = self.games.tracker().iter().find(|game| game.number() == number);
        let opponent = game.and_then(TrackedGame::opponent);
        let words = self.games.fill_in(&self.out.config.talk.spectator_greeting, opponent.as_ref());
        let greeted = &mut self.games.commentary.greeted;
        let observers = lists.games.iter().filter(|row| row.game == number).flat_map(|row| &row.observers);
        let new: Vec<_> = observers.map(|player| &player.name).filter(|name| !greeted.contains(*name)).collect();
        for spectator in new.into_iter().take(MAX_GREETINGS) {
            greeted.insert(spectator.clone());
            self.out.tell(spectator, &words.replace("{spectator}", spectator.as_str()));
        }
    }
}

/// Returns score, depth and line in words: `+0.35, depth 12: e2e4 e7e5`; `None` without a score.
fn describe_score(info: &SearchInfo) -> Option<String> {
    let mut words = info.score?.to_string();
    words.extend(info.depth.map(|depth| format!(", depth {depth}")));
    let line: Vec<_> = info.line.iter().take(MAX_LINE_MOVES).map(String::as_str).collect();
    words.extend((!line.is_empty()).then(|| format!(": {}", line.join(" "))));
    Some(words)
}

/// Returns score, from White's side, and depth as commands of a PGN comment: `[%eval 0.35][%depth 12]`. `color` is that of the engine.
fn pgn_commands(info: &SearchInfo, color: Color) -> String {
    let sign = if color == Color::White { 1 } else { -1 };
    let eval = info.score.map(|score| match score {
        Score::Centipawns(score) => format!("[%eval {:.2}]", f64::from(score.saturating_mul(sign)) / 100.0),
        Score::Mate(moves) => format!("[%eval #{}]", moves.saturating_mul(sign)),
    });
    let depth = info.depth.map(|depth| format!("[%depth {depth}]"));
    eval.into_iter().chain(depth).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_the_engine_in_words_and_of_white_in_pgn() {
        let mut info = SearchInfo { depth: Some(12), score: Some(Score::Centipawns(35)), ..SearchInfo::default() };
        info.line = (0..20).map(|n| format!("m{n}")).collect();
        assert_eq!(describe_score(&info).unwrap(), "+0.35, depth 12: m0 m1 m2 m3 m4 m5 m6 m7");
        assert_eq!(pgn_commands(&info, Color::White), "[%eval 0.35][%depth 12]");
        assert_eq!(pgn_commands(&info, Color::Black), "[%eval -0.35][%depth 12]");
        let of = |score| SearchInfo { score: Some(score), ..SearchInfo::default() };
        assert_eq!(pgn_commands(&of(Score::Mate(-3)), Color::White), "[%eval #-3]");
        assert_eq!(pgn_commands(&of(Score::Mate(-3)), Color::Black), "[%eval #3]");
        assert_eq!(pgn_commands(&of(Score::Centipawns(0)), Color::Black), "[%eval 0.00]");
        assert_eq!(pgn_commands(&of(Score::Centipawns(i32::MIN)), Color::Black), "[%eval 21474836.47]");
        assert_eq!(describe_score(&of(Score::Mate(2))).unwrap(), "mate in 2");
        assert_eq!(describe_score(&SearchInfo::default()), None);
    }
}
