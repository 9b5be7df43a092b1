//! The account's adjourned games, and the challenges that resume them.
//!
//! | state | input | next state |
//! |---|---|---|
//! | `Stored` | opponent is online, this login plays and examines no game, resuming is on | `Asking` |
//! | `Asking` | the challenge is issued, or already open | `Challenged` |
//! | `Asking` | opponent is away or busy | `Stored`, until the opponent arrives |
//! | `Asking` | the server reports that this login plays or examines | `Stored`, until a game of this login ends or a player arrives |
//! | `Asking` | any other refusal, or a challenge to another game, which is withdrawn | `Closed` |
//! | `Challenged` | opponent declines | `Closed` |
//! | `Challenged` | opponent leaves; a game of this login begins, which removes its challenges | `Stored` |
//! | `Closed` | opponent challenges to resume the game | `Stored` |
//! | any | the game is resumed | removed |

use std::sync::Arc;

use super::push_bounded;
use crate::chess::Color;
use crate::event::{AdjournedGame, Event, RequestError, ResumptionState};
use crate::game::{Change, ChangeKind, Game, Games};
use crate::message::listing::{ListedName, Listing as _, StoredGames};
use crate::message::{ChallengeChange, GameId, Handle, MeOrOther, Message, PresenceChangeKind, Refusal, Relation};
use crate::session::command::Command;
use crate::session::output::Output;
use crate::session::reply::Reply;
use crate::session::requests::CompletedRequest;
use crate::text::PlayerText;

/// Maximum number of tracked games; further ones are ignored. Servers permit 10 to 20.
const MAX_GAMES: usize = 64;

/// Maximum number of remembered players who declined; the oldest is dropped.
const MAX_DECLINED: usize = 16;

/// Adjourned games that are known on this connection, and players who declined to resume one.
#[derive(Debug, Default)]
pub(crate) struct AdjournedTracker {
    games: Vec<ResumptionCandidate>,
    /// Players who declined to resume an adjourned game, on any connection. They are not challenged again.
    declined: Vec<Handle>,
    /// Whether the reply to `stored` is awaited; no challenge is sent before.
    pub(crate) awaits_list: bool,
    /// Whether the server refused a challenge because this login plays or examines a game. [`Games`] may not know that game, so
    /// another challenge waits for an event that may have ended it.
    is_busy: bool,
}

#[derive(Debug)]
struct ResumptionCandidate {
    white: Handle,
    black: Handle,
    opponent: Handle,
    /// Whether the opponent is online, according to the last report.
    is_online: bool,
    challenge: ChallengeState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChallengeState {
    Stored,
    Asking,
    Challenged,
    /// Declined, refused or withdrawn; not challenged again unless the opponent challenges.
    Closed,
}

impl AdjournedTracker {
    /// Forgets the games of a connection that has ended.
    pub(crate) fn forget_connection(&mut self) {
        *self = Self { declined: std::mem::take(&mut self.declined), ..Self::default() };
    }

    /// Returns whether a game between these players is adjourned.
    pub(crate) fn contains_game(&self, white: &Handle, black: &Handle) -> bool {
        self.games.iter().any(|game| game.has_players(white, black))
    }

    /// Returns the next challenge to send, and marks its game as [`ChallengeState::Asking`].
    ///
    /// `None` if no challengeable opponent is online, while this login plays or examines a game, or while the list of games is
    /// awaited. An opponent of several games is challenged to one at a time.
    pub(crate) fn take_next_challenge(&mut self, games: &Games) -> Option<Command> {
        let may_challenge = |game: &ResumptionCandidate| {
            let is_opponent_busy = |other: &ResumptionCandidate| {
                other.has_opponent(&game.opponent) && other.challenge != ChallengeState::Stored
            };
            game.challenge == ChallengeState::Stored && game.is_online && !self.games.iter().any(is_opponent_busy)
        };
        let at = self.games.iter().position(may_challenge).filter(|_| !self.awaits_list && !self.is_busy)?;
        let is_in_progress = |game: &Game| {
            let relation = game.position().relation();
            game.is_followed_and_ongoing() && (relation.is_mine() || relation == Relation::Examining)
        };
        if games.iter().any(is_in_progress) {
            return None;
        }
        let game = self.games.get_mut(at)?;
        game.challenge = ChallengeState::Asking;
        // Every server resumes an adjourned game by `match`; some do not know `resume`.
        // Source: FICS and ICC help files `stored`; uhlin-fics and FatICS, recorded.
        Command::new(&format!("match {}", game.opponent)).ok()
    }

    /// Processes the reply to `stored`, which adds the listed games, or to a challenge, which sets the state of the challenged
    /// game and reports it, unless the opponent is offline or busy, or this login plays or examines a game.
    ///
    /// Returns a `withdraw` command if the server took the challenge as one to another game.
    pub(crate) fn handle_reply_and_withdraw(
        &mut self,
        completed: &CompletedRequest,
        output: &mut Output,
    ) -> Option<Command> {
        if std::mem::take(&mut self.awaits_list) {
            if let Ok(reply) = &completed.result {
                self.add_listed_games(reply, output);
            }
            return None;
        }
        let game = self.games.iter_mut().find(|game| game.challenge == ChallengeState::Asking)?;
        let said = |reply: &Reply| PlayerText::from_wire(reply.first_answer().map_or(&[], Event::raw));
        let error =
            completed.result.as_ref().map_or_else(Clone::clone, |reply| RequestError::Unexpected { text: said(reply) });
        match error.refusal_reason() {
            Some(Refusal::AlreadyOffered) => {
                game.set_and_report(ChallengeState::Challenged, ResumptionState::Challenged, output);
            }
            Some(Refusal::Playing | Refusal::Examining) => {
                game.challenge = ChallengeState::Stored;
                self.is_busy = true;
            }
            Some(Refusal::NotLoggedIn | Refusal::NoSuchPlayer | Refusal::PlayerBusy) => {
                game.challenge = ChallengeState::Stored;
                game.is_online = false;
            }
            _ => game.set_and_report(ChallengeState::Closed, ResumptionState::Refused(error), output),
        }
        let is_challenge =
            |message: &Message| matches!(message, Message::Challenge(challenge) if challenge.actor == MeOrOther::Me);
        let is_for_another_game = completed.result.as_ref().is_ok_and(|reply| reply.messages().any(is_challenge));
        is_for_another_game.then(|| Command::new(&format!("withdraw {}", game.opponent)).ok())?
    }

    /// Adds the games of the reply to `stored`; ignores any other reply.
    fn add_listed_games(&mut self, reply: &Reply, output: &mut Output) {
        let Ok(list) = StoredGames::parse(reply.answers().map(Event::raw)) else { return };
        for row in list.games {
            // uhlin-fics does not list who is logged in; it refuses a challenge to a player who is not.
            let is_online = row.details.is_none_or(|details| details.opponent_is_on);
            let [white, black] = [row.white, row.black].map(ListedName::into_printed);
            let opponent = if white == list.owner { black.clone() } else { white.clone() };
            self.add_and_report(
                ResumptionCandidate { white, black, opponent, is_online, challenge: ChallengeState::Stored },
                output,
            );
        }
    }

    /// Adds a game, and reports it as stored; ignored if it is known or [`MAX_GAMES`] are. A game whose opponent has declined is
    /// added as `Closed`, so it is not challenged.
    fn add_and_report(&mut self, mut game: ResumptionCandidate, output: &mut Output) {
        if self.games.len() >= MAX_GAMES || self.contains_game(&game.white, &game.black) {
            return;
        }
        let has_declined = self.declined.iter().any(|name| game.has_opponent(name));
        game.set_and_report(
            if has_declined { ChallengeState::Closed } else { ChallengeState::Stored },
            ResumptionState::Stored,
            output,
        );
        self.games.push(game);
    }

    /// Updates the games from a message about games, challenges, arrivals or departures. Emits [`Event::AdjournedGame`] for each new
    /// state, except when an opponent reopens a closed challenge.
    pub(crate) fn handle_event(&mut self, event: &Event, games: &Games, output: &mut Output) {
        let Event::Received { received, change } = event else { return };
        let own = change.as_ref().filter(|change| change.relation.is_mine());
        let is_over = |change: &Change| matches!(change.kind, ChangeKind::Ended | ChangeKind::Left);
        if change.as_ref().is_some_and(is_over) || matches!(received.message, Message::Arrival(_)) {
            self.is_busy = false;
        }
        match (&received.message, own) {
            (Message::GameEnded(ended), Some(change)) if ended.is_adjourned() => {
                if let Some(game) = games.get(change.game).and_then(ResumptionCandidate::from_played_game) {
                    self.add_and_report(game, output);
                }
            }
            _ if self.games.is_empty() => {}
            (_, Some(change)) => self.handle_own_game_in_progress(change.game, games, output),
            (Message::Arrival(arrival), _) => {
                for game in self.games.iter_mut().filter(|game| game.has_opponent(&arrival.name)) {
                    game.is_online = arrival.kind == PresenceChangeKind::Arrived;
                    if !game.is_online && game.challenge == ChallengeState::Challenged {
                        game.set_and_report(ChallengeState::Stored, ResumptionState::Stored, output);
                    }
                }
            }
            (Message::Challenge(challenge), _) if challenge.adjourned => {
                let is_mine = challenge.actor == MeOrOther::Me;
                let opponent = if is_mine { &challenge.to } else { &challenge.from };
                let Some(game) = self.games.iter_mut().find(|game| game.has_opponent(opponent)) else { return };
                if is_mine && game.challenge != ChallengeState::Challenged {
                    game.set_and_report(ChallengeState::Challenged, ResumptionState::Challenged, output);
                } else if !is_mine && game.challenge == ChallengeState::Closed {
                    // A challenge in return accepts theirs.
                    game.challenge = ChallengeState::Stored;
                    game.is_online = true;
                }
            }
            (Message::ChallengeUpdate(update), _) => {
                if let Some(name) = &update.name {
                    self.handle_challenge_update(name, update.actor, update.change, output);
                }
            }
            _ => {}
        }
    }

    /// Updates the entries after a message about a game of this login; does nothing unless that game is in progress. Reports the
    /// stored game that was resumed as [`ResumptionState::Resumed`] and removes its entry. Sets every other challenged game back
    /// to stored, because the server removed all challenges of this login when the game began. Forgets that this opponent
    /// declined.
    fn handle_own_game_in_progress(&mut self, id: GameId, games: &Games, output: &mut Output) {
        let played = games.get(id).filter(|game| game.is_followed_and_ongoing());
        let Some(played) = played.and_then(ResumptionCandidate::from_played_game) else { return };
        self.declined.retain(|name| !played.has_opponent(name));
        self.games.retain_mut(|game| {
            let is_resumed = game.has_players(&played.white, &played.black);
            if is_resumed {
                game.set_and_report(ChallengeState::Closed, ResumptionState::Resumed { game: id }, output);
            } else if game.challenge == ChallengeState::Challenged {
                game.set_and_report(ChallengeState::Stored, ResumptionState::Stored, output);
            }
            !is_resumed
        });
    }

    /// Updates a challenged game by the answer to the challenge or its end, and reports the new state. Ignores other challenges.
    fn handle_challenge_update(
        &mut self,
        name: &Handle,
        actor: MeOrOther,
        change: ChallengeChange,
        output: &mut Output,
    ) {
        let is_challenged =
            |game: &&mut ResumptionCandidate| game.has_opponent(name) && game.challenge == ChallengeState::Challenged;
        let Some(game) = self.games.iter_mut().find(is_challenged) else { return };
        match (actor, change) {
            (MeOrOther::Other, ChallengeChange::Declined | ChallengeChange::Countered) => {
                game.set_and_report(ChallengeState::Closed, ResumptionState::Declined, output);
                push_bounded(&mut self.declined, name.clone(), MAX_DECLINED);
            }
            (MeOrOther::Me, ChallengeChange::Departed | ChallengeChange::Joined) => {
                game.is_online = false;
                game.set_and_report(ChallengeState::Stored, ResumptionState::Stored, output);
            }
            // A request of the user has withdrawn it.
            (MeOrOther::Me, ChallengeChange::Withdrawn) => {
                game.set_and_report(ChallengeState::Closed, ResumptionState::Stored, output);
            }
            _ => {}
        }
    }
}

impl ResumptionCandidate {
    /// Creates the entry of a game that this login plays; `None` if it does not play this game. The opponent counts as offline.
    fn from_played_game(game: &Game) -> Option<Self> {
        let position = game.position();
        let (white, black) = (position.white().clone(), position.black().clone());
        let opponent = if position.my_color()? == Color::White { black.clone() } else { white.clone() };
        Some(Self { white, black, opponent, is_online: false, challenge: ChallengeState::Stored })
    }

    fn has_players(&self, white: &Handle, black: &Handle) -> bool {
        self.white == *white && self.black == *black
    }

    fn has_opponent(&self, player: &Handle) -> bool {
        self.opponent == *player
    }

    /// Sets the state of the challenge, and emits [`Event::AdjournedGame`] with `state`.
    fn set_and_report(&mut self, challenge: ChallengeState, state: ResumptionState, output: &mut Output) {
        self.challenge = challenge;
        output.emit(Event::AdjournedGame(Arc::new(AdjournedGame::new(self.white.clone(), self.black.clone(), state))));
    }
}
