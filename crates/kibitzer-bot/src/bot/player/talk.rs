//! Private messages: replies, greetings, and the commands of owners.

use std::time::Duration;

use kibitzer::command;
use kibitzer::core::message::Talk;
use kibitzer::core::message::listing::Finger;
use kibitzer::{Handle, TalkKind};
use tokio::time::Instant;

use super::BotPlayer;
use super::output::Output;
use crate::bot::stop::StopUrgency;
use crate::config::contains_player;
use crate::tracker::TrackedGame;
use crate::verdict::BotAction;

/// Delay of a private message above which it is reported.
const TELL_DELAY: Duration = Duration::from_secs(2);

/// Longest answer in characters; longer ones are cut, as servers limit a tell to about 400 bytes.
const MAX_ANSWER: usize = 300;

impl Output {
    /// Sends a private message to a player and reports it. Removes control characters and cuts it to [`MAX_ANSWER`] characters; does
    /// nothing if it is empty. Reports an error, or a delay of more than [`TELL_DELAY`].
    pub(super) fn tell(&mut self, player: &Handle, words: &str) {
        if words.is_empty() {
            return;
        }
        let words: String = words.chars().filter(|letter| !letter.is_control()).take(MAX_ANSWER).collect();
        self.report_to(BotAction::Said, player, &*words);
        let (player, began) = (player.clone(), Instant::now());
        let message = command::Talk::tell(&player, words);
        self.request(
            |client| async move { client.request(&message).await.err() },
            move |bot, error| {
                let delay = began.elapsed();
                if error.is_none() && delay > TELL_DELAY {
                    let reason = format!("the message was delivered after {delay:.0?}");
                    bot.out.report_to(BotAction::Delayed, &player, reason);
                }
                bot.out.report_error_if_any(None, Some(&player), error);
            },
        );
    }
}

impl BotPlayer {
    /// Handles a private message. Requests the profile of a sender with the name of an owner, as only a registered owner may
    /// command; sends any other player the reply of the policy. Ignores other talk.
    pub(super) fn on_talk(&mut self, talk: &Talk) {
        let (TalkKind::Tell | TalkKind::Say { .. }, Some(from)) = (talk.kind, talk.from()) else { return };
        if !contains_player(&self.out.config.talk.owners, &from) {
            return self.answer_message(&from, &talk.text());
        }
        let (text, player) = (talk.text().trim().to_owned(), from.clone());
        self.out.request(
            |client| async move { client.finger(player).await },
            move |bot, result| match result {
                Ok(Finger { is_unregistered: false, player, .. }) if player.name.is_same_player(from.as_str()) => {
                    bot.run_owner_command(&from, &text);
                }
                // Any guest may take the name of an owner who is not registered.
                Ok(_) => {
                    let reason = "has the name of an owner, but is not registered";
                    bot.out.report_to(BotAction::Refused, &from, reason);
                    bot.answer_message(&from, &text);
                }
                Err(error) => bot.out.report_error_if_any(None, Some(&from), Some(error)),
            },
        );
    }

    /// Sends a player the reply of the policy to a message, at most one in 10 s to each player.
    fn answer_message(&mut self, from: &Handle, text: &str) {
        let Some(answer) = self.policy.choose_reply(from, text, &self.out.config) else { return };
        if self.matchmaking.opponents.record_answer_if_allowed(from, Instant::now()) {
            self.out.tell(from, &answer);
        } else {
            self.out.report_to(BotAction::Dropped, from, "the last answer is less than 10 s ago");
        }
    }

    /// Executes a command of an owner and sends the owner the result; the answer to an unknown command lists the commands.
    fn run_owner_command(&mut self, owner: &Handle, command: &str) {
        self.out.report_to(BotAction::Obeyed, owner, command.chars().take(MAX_ANSWER).collect::<String>());
        let playing = self.games.playing().map(|game| (game.key(), game.number()));
        let answer = match (command, playing) {
            ("status", _) => self.status_line(),
            ("pause", _) => {
                self.is_paused = true;
                self.matchmaking.withdraw_all(&mut self.out);
                "no new games until: play".to_owned()
            }
            ("play", _) => {
                self.is_paused = false;
                self.plan_next_game();
                "playing".to_owned()
            }
            ("resign", Some((key, _))) => {
                self.games.resign(key, "an owner said so", &mut self.out);
                "resigned".to_owned()
            }
            ("abort", Some((_, number))) => {
                self.out.report_in_game(BotAction::Aborted, number, "an owner said so");
                self.out.send(Some(number), command::abort());
                "asked to abort".to_owned()
            }
            ("stop", _) => {
                self.on_stop_requested(StopUrgency::AfterGame);
                "stopping after the game".to_owned()
            }
            ("resign" | "abort", None) => "no game is in progress".to_owned(),
            _ => "commands: status, pause, play, resign, abort, stop".to_owned(),
        };
        self.out.tell(owner, &answer);
    }

    /// Returns one line for an owner: mode, engine, game and number of games.
    fn status_line(&self) -> String {
        let engine = self.games.engine.info.as_ref().map_or("no engine", |engine| &engine.name);
        let describe = |game: &TrackedGame| format!("game {}, move {}", game.number(), game.position().move_number());
        let game = self.games.playing().map_or("no game".to_owned(), describe);
        let mode = if self.is_paused { "paused" } else { "playing" };
        format!("{mode}, {engine}, {game}, {} games since the start", self.matchmaking.n_games_started)
    }

    /// Sends the greeting of the settings, if there is one, with the names of opponent and engine in place of `{opponent}` and
    /// `{engine}`.
    pub(super) fn greet(&mut self, opponent: &Handle) {
        let engine = self.games.engine.info.as_ref().map_or("", |engine| &engine.name);
        let words = &self.out.config.talk.greeting;
        let words = words.replace("{opponent}", opponent.as_str()).replace("{engine}", engine);
        self.out.tell(opponent, &words);
    }

    /// Sends the closing words of the settings, if there are any.
    pub(super) fn say_goodbye(&mut self, opponent: &Handle) {
        let words = self.out.config.talk.goodbye.replace("{opponent}", opponent.as_str());
        self.out.tell(opponent, &words);
    }
}
