//! Adjourned games of the account: which there are, and how they are resumed.
//!
//! | state | input | next state |
//! |---|---|---|
//! | `Stored` | opponent is logged in, no game of ours goes on, resuming is on | `Asking` |
//! | `Asking` | the challenge is issued, or stands already | `Challenged` |
//! | `Asking` | opponent is away or busy | `Stored`, until the opponent arrives |
//! | `Asking` | we are playing or examining, as the server says | `Stored`, until a game of ours ends or a player arrives |
//! | `Asking` | any other refusal, or a challenge to another game, which is withdrawn | `Refused` |
//! | `Challenged` | opponent declines | `Declined` |
//! | `Challenged` | opponent leaves; a game of ours begins, which removes our challenges | `Stored` |
//! | `Declined`, `Refused` | opponent asks to resume the game | `Stored` |
//! | any | the game goes on | gone |

use std::sync::Arc;

use crate::by_name::{named_enum, parse_by_name};
use crate::chess::Color;
use crate::event::{AdjournedGame, AdjournedState, Event, RefusalReason, RequestError};
use crate::game::{Change, ChangeKind, Game, Games};
use crate::message::listing::{Listing as _, StoredGames};
use crate::message::{Actor, ArrivalKind, ChallengeChange, GameId, Handle, Message, Refusal, Relation};
use crate::session::command::Command;
use crate::session::context::Context;
use crate::session::reply::Reply;
use crate::session::requests::Done;
use crate::text::PlayerText;

/// Adjourned games that are kept; servers allow 10 to 20.
const MAX_GAMES: usize = 64;

named_enum! {
    /// What a session does about adjourned games of its account.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum AdjournedGames("The name in options and profiles.") {
        /// Reports them after the login.
        #[default]
        Report = "report",
        /// Reports them, and challenges each opponent who is logged in, or logs in later, to resume the game.
        Resume = "resume",
    }
}

parse_by_name!(AdjournedGames, "adjourned_games is neither report nor resume");

/// The adjourned games, as far as they are known on this connection.
#[derive(Debug, Default)]
pub(crate) struct Adjourned {
    games: Vec<Entry>,
    /// `stored` was sent and is not answered.
    pub(crate) is_listing: bool,
    /// The server refused a challenge because this login plays or examines a game. [`Games`] may not know that game, so another
    /// challenge waits for an event that can have ended it.
    is_busy: bool,
}

#[derive(Debug)]
struct Entry {
    white: Handle,
    black: Handle,
    opponent: Handle,
    /// The opponent is logged in, as far as is known.
    is_here: bool,
    step: Step,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Stored,
    Asking,
    Challenged,
    /// Declined or refused.
    Closed,
}

impl Adjourned {
    /// Whether a game between these players is adjourned.
    pub(crate) fn has(&self, white: &Handle, black: &Handle) -> bool {
        self.games.iter().any(|game| game.is_between(white, black))
    }

    /// Returns the next challenge to send: one for each opponent who is logged in, while no game of ours goes on.
    pub(crate) fn next_challenge(&mut self, games: &Games) -> Option<Command> {
        let may_ask = |game: &Entry| {
            let is_taken = |other: &Entry| other.is_with(&game.opponent) && other.step != Step::Stored;
            game.step == Step::Stored && game.is_here && !self.games.iter().any(is_taken)
        };
        let at = self.games.iter().position(may_ask).filter(|_| !self.is_listing && !self.is_busy)?;
        let is_ours = |game: &Game| {
            let relation = game.position().relation();
            game.is_going_on() && (relation.is_mine() || relation == Relation::Examining)
        };
        if games.iter().any(is_ours) {
            return None;
        }
        let game = self.games.get_mut(at)?;
        game.step = Step::Asking;
        // Every server resumes an adjourned game by `match`; some do not know `resume`.
        // Source: FICS and ICC help files `stored`; uhlin-fics and FatICS, recorded.
        Command::new(&format!("match {}", game.opponent)).ok()
    }

    /// Takes in the reply to `stored`, or to a challenge. Returns a command that has to follow.
    pub(crate) fn answered(&mut self, done: &Done, cx: &mut Context<'_>) -> Option<Command> {
        if std::mem::take(&mut self.is_listing) {
            if let Ok(reply) = &done.result {
                self.listed(reply, cx);
            }
            return None;
        }
        let game = self.games.iter_mut().find(|game| game.step == Step::Asking)?;
        let said = |reply: &Reply| PlayerText::from_wire(reply.answer().map_or(&[], Event::raw));
        let error =
            done.result.as_ref().map_or_else(Clone::clone, |reply| RequestError::Unexpected { text: said(reply) });
        match error.refusal() {
            Some(RefusalReason::Refusal(Refusal::AlreadyOffered)) => {
                game.go(Step::Challenged, AdjournedState::Challenged, cx);
            }
            Some(RefusalReason::Refusal(Refusal::Playing | Refusal::Examining)) => {
                (game.step, self.is_busy) = (Step::Stored, true);
            }
            Some(RefusalReason::Refusal(Refusal::NotLoggedIn | Refusal::NoSuchPlayer | Refusal::PlayerBusy)) => {
                (game.step, game.is_here) = (Step::Stored, false);
            }
            _ => game.go(Step::Closed, AdjournedState::Refused(error), cx),
        }
        let is_challenge =
            |message: &Message| matches!(message, Message::Challenge(challenge) if challenge.actor == Actor::Me);
        let is_for_another_game = done.result.as_ref().is_ok_and(|reply| reply.messages().any(is_challenge));
        is_for_another_game.then(|| Command::new(&format!("withdraw {}", game.opponent)).ok())?
    }

    fn listed(&mut self, reply: &Reply, cx: &mut Context<'_>) {
        let Ok(list) = StoredGames::parse(reply.answers().map(Event::raw)) else { return };
        for row in list.games {
            // uhlin-fics does not list who is logged in; it refuses a challenge to a player who is not.
            let is_here = row.details.is_none_or(|details| details.opponent_is_on);
            let is_whites = row.white.is_same_player(list.owner.as_str());
            let opponent = if is_whites { row.black.clone() } else { row.white.clone() };
            self.add(Entry { white: row.white, black: row.black, opponent, is_here, step: Step::Stored }, cx);
        }
    }

    fn add(&mut self, mut game: Entry, cx: &mut Context<'_>) {
        if self.games.len() >= MAX_GAMES || self.has(&game.white, &game.black) {
            return;
        }
        let has_declined = cx.memory.declined.iter().any(|name| game.is_with(name));
        game.go(if has_declined { Step::Closed } else { Step::Stored }, AdjournedState::Stored, cx);
        self.games.push(game);
    }

    /// Takes in what the server reports of the games and their opponents.
    pub(crate) fn handle(&mut self, event: &Event, cx: &mut Context<'_>) {
        let Event::Received { received, change } = event else { return };
        let own = change.as_ref().filter(|change| change.relation.is_mine());
        let is_over = |change: &Change| matches!(change.kind, ChangeKind::Ended | ChangeKind::Left);
        if change.as_ref().is_some_and(is_over) || matches!(received.message, Message::Arrival(_)) {
            self.is_busy = false;
        }
        match (&received.message, own) {
            (Message::GameEnded(ended), Some(change)) if ended.is_adjourned() => {
                if let Some(game) = cx.reader.games().get(change.game).and_then(Entry::of) {
                    self.add(game, cx);
                }
            }
            _ if self.games.is_empty() => {}
            (_, Some(change)) => self.game_played(change.game, cx),
            (Message::Arrival(arrival), _) => {
                for game in self.games.iter_mut().filter(|game| game.is_with(&arrival.name)) {
                    game.is_here = arrival.kind == ArrivalKind::Arrived;
                    if !game.is_here && game.step == Step::Challenged {
                        game.go(Step::Stored, AdjournedState::Stored, cx);
                    }
                }
            }
            (Message::Challenge(challenge), _) if challenge.adjourned => {
                let is_mine = challenge.actor == Actor::Me;
                let opponent = if is_mine { &challenge.to } else { &challenge.from };
                let Some(game) = self.games.iter_mut().find(|game| game.is_with(opponent)) else { return };
                if is_mine && game.step != Step::Challenged {
                    game.go(Step::Challenged, AdjournedState::Challenged, cx);
                } else if !is_mine && game.step == Step::Closed {
                    // A challenge of ours meets theirs, and the game goes on.
                    (game.step, game.is_here) = (Step::Stored, true);
                }
            }
            (Message::ChallengeUpdate(update), _) => {
                if let Some(name) = &update.name {
                    self.challenge_updated(name, update.actor, update.change, cx);
                }
            }
            _ => {}
        }
    }

    /// A game of ours goes on: when it began, the server removed our challenges.
    fn game_played(&mut self, id: GameId, cx: &mut Context<'_>) {
        let played = cx.reader.games().get(id).filter(|game| game.is_going_on());
        let Some(played) = played.and_then(Entry::of) else { return };
        cx.memory.declined.retain(|name| !played.is_with(name));
        self.games.retain_mut(|game| {
            let is_resumed = game.is_between(&played.white, &played.black);
            if is_resumed {
                game.go(Step::Closed, AdjournedState::Resumed { game: id }, cx);
            } else if game.step == Step::Challenged {
                game.go(Step::Stored, AdjournedState::Stored, cx);
            }
            !is_resumed
        });
    }

    fn challenge_updated(&mut self, name: &Handle, actor: Actor, change: ChallengeChange, cx: &mut Context<'_>) {
        let is_challenged = |game: &&mut Entry| game.is_with(name) && game.step == Step::Challenged;
        let Some(game) = self.games.iter_mut().find(is_challenged) else { return };
        match (actor, change) {
            (Actor::Other, ChallengeChange::Declined | ChallengeChange::Countered) => {
                game.go(Step::Closed, AdjournedState::Declined, cx);
                cx.memory.decline(name);
            }
            (Actor::Me, ChallengeChange::Departed | ChallengeChange::Joined) => {
                game.is_here = false;
                game.go(Step::Stored, AdjournedState::Stored, cx);
            }
            // Taken back by a request: the caller does not want the game now.
            (Actor::Me, ChallengeChange::Withdrawn) => game.go(Step::Closed, AdjournedState::Stored, cx),
            _ => {}
        }
    }
}

impl Entry {
    /// The entry of a game that this login plays.
    fn of(game: &Game) -> Option<Self> {
        let position = game.position();
        let (white, black) = (position.white().clone(), position.black().clone());
        let opponent = if position.my_color()? == Color::White { black.clone() } else { white.clone() };
        Some(Self { white, black, opponent, is_here: false, step: Step::Stored })
    }

    fn is_between(&self, white: &Handle, black: &Handle) -> bool {
        self.white.is_same_player(white.as_str()) && self.black.is_same_player(black.as_str())
    }

    fn is_with(&self, player: &Handle) -> bool {
        self.opponent.is_same_player(player.as_str())
    }

    fn go(&mut self, step: Step, state: AdjournedState, cx: &mut Context<'_>) {
        self.step = step;
        cx.tell(Event::Adjourned(Arc::new(AdjournedGame::new(self.white.clone(), self.black.clone(), state))));
    }
}
