//! Facts about an event that depend on earlier events: whether the game is the login's own, and the delay of a reply.

use std::collections::BTreeSet;
use std::time::Duration;

use kibitzer::core::Event;
use kibitzer::core::message::{GameId, Handle, Message, Relation};

use super::reply_matcher::{ReplyMatch, ReplyMatcher};

/// Maximum number of own games that are remembered; beyond it, the lowest number is forgotten.
const MAX_OWN_GAMES: usize = 1_024;

/// First byte of a telnet command, IAC, as a character.
const IAC: char = '\u{ff}';

/// Facts about an event that depend on earlier events of its connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// Whether the event is about a game that this login plays or has played, an offer to it, or the creation of its game.
    pub(crate) is_mine: bool,
    /// Time from the sent line to this event, if the event starts its numbered reply or is the prompt after it; `None` otherwise.
    pub(crate) reply_after: Option<Duration>,
}

/// Derives the [`Facts`] of each event of a session from the events before it. Starts anew with each connection.
#[derive(Debug, Default)]
pub(crate) struct SessionFacts {
    /// Numbers of the games that this login plays or has played.
    own_games: BTreeSet<GameId>,
    /// Name of this login, once it is known.
    me: Option<Handle>,
    replies: ReplyMatcher,
}

impl SessionFacts {
    /// Records a line sent `at` after the start of the session, so that its reply can be matched. Ignores telnet commands, which
    /// have no reply. `row` is the number of its row in the console; [`record_event`](Self::record_event) returns it with the
    /// reply.
    pub(crate) fn record_sent(&mut self, row: u64, at: Duration, line: &str) {
        if !line.starts_with(IAC) {
            self.replies.record_sent(row, at, line.trim_ascii_end().as_bytes());
        }
    }

    /// Records whether this login plays the game with this number. Forgets an own game of that number if `relation` is not that
    /// of a player.
    pub(crate) fn record_relation(&mut self, game: GameId, relation: Relation) {
        if !relation.is_mine() {
            self.own_games.remove(&game);
            return;
        }
        self.own_games.insert(game);
        if self.own_games.len() > MAX_OWN_GAMES {
            self.own_games.pop_first();
        }
    }

    /// Records an event in row `row` of the console, `at` after the start of the session. Returns its facts and, if it matches a
    /// sent line, the row of that line with the reply. A sent line needs no call of [`record_sent`](Self::record_sent) if it is
    /// passed here as an event.
    pub(crate) fn record_event(&mut self, row: u64, at: Duration, event: &Event) -> (Facts, Option<(u64, ReplyMatch)>) {
        match event {
            Event::Connected => *self = Self::default(),
            Event::LoggedIn(identity) => self.me.clone_from(&identity.handle),
            // The number of a line with a password is not known.
            Event::Sent { line, .. } => self.record_sent(row, at, line.as_deref().unwrap_or_default()),
            _ => {}
        }
        let reply = self.replies.record_event(row, at, event);
        let reply_after = reply.as_ref().map(|(_, reply)| reply.after);
        (Facts { is_mine: self.record_and_check_mine(event), reply_after }, reply)
    }

    /// Records which games this login plays, and returns whether the event is about one of them, the creation of one, or an offer
    /// to this login.
    fn record_and_check_mine(&mut self, event: &Event) -> bool {
        if let Some(change) = event.change() {
            self.record_relation(change.game, change.relation);
        }
        match event.message() {
            Some(Message::LoggedIn(login)) => self.me = Some(login.name.clone()),
            Some(Message::Creating(_)) => return true,
            // Servers name no game in offers to a player.
            Some(Message::Offer(offer)) if offer.game.is_none() => return true,
            Some(Message::GameCreated(created)) => {
                let is_me = |name: &Handle| self.me.as_ref().is_some_and(|me| me.is_same_player(name.as_str()));
                let is_mine = is_me(&created.white) || is_me(&created.black);
                self.record_relation(created.game, if is_mine { Relation::MyTurn } else { Relation::Observing });
            }
            _ => {}
        }
        game_of(event).is_some_and(|game| self.own_games.contains(&game))
    }
}

/// Returns the game that an event changed, otherwise the game that its message names. `None` if the event is about no game.
pub(crate) fn game_of(event: &Event) -> Option<GameId> {
    event.affected_game().or_else(|| event.message()?.game())
}
