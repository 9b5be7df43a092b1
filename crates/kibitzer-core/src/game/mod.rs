//! Messages to game state: every game this session plays, observes or examines.
//!
//! The server's board is the truth. What is derived here (moves, a board from a delta) is checked against it, and where the
//! two differ the difference is reported as a [`Desync`] and the server's word taken.

mod play;
mod state;

use std::collections::{BTreeMap, VecDeque};

use crate::chess::Hands;
use crate::event::{Change, ChangeKind, Desync, DesyncReason};
use crate::message::{
    Delta, Examine, ExamineAction, GameCreated, GameEnded, GameId, GameInfo, Holding, Message, Observing, Partner,
    Received, Relation, Style12,
};

use state::Step;
pub use state::{Ending, Game, PlayedMove};

/// Announced games whose first board has not come; more than follow each other before a board does.
const ANNOUNCED_GAMES: usize = 64;

/// How much is kept of the games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameLimits {
    /// Games kept at once, those that have ended included. Default 1,024. The one that was over or left first makes room.
    pub games: usize,
    /// Moves kept of one game. Default 2,048. Beyond that, they are counted anew from the current board.
    pub moves: usize,
}

impl Default for GameLimits {
    fn default() -> Self {
        Self { games: 1024, moves: 2048 }
    }
}

/// The state of every game this session plays, observes or examines.
///
/// A game appears with its first board. It stays, with its result, after it has ended, until its number is used again or
/// room is needed. Boards printed on request or inside a move list change nothing.
#[derive(Clone, Debug, Default)]
pub struct Games {
    limits: GameLimits,
    by_id: BTreeMap<GameId, Game>,
    /// Reserves, kept apart from the games: they may be told before the first board.
    hands: BTreeMap<GameId, Hands>,
    announced: VecDeque<GameCreated>,
    /// Terms of games whose first board has not come: they are sent in front of it.
    terms: VecDeque<GameInfo>,
    /// The bughouse game of my partner.
    partner_game: Option<GameId>,
}

/// What a message did.
#[derive(Debug, Default)]
struct Applied {
    change: Option<Change>,
    desync: Option<(GameId, DesyncReason)>,
}

impl Games {
    /// No games, with other limits than the default.
    pub fn with_limits(limits: GameLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// The game of this number, also after it has ended.
    pub fn get(&self, game: GameId) -> Option<&Game> {
        self.by_id.get(&game)
    }

    /// All games, by number.
    pub fn iter(&self) -> impl Iterator<Item = &Game> {
        self.by_id.values()
    }

    /// The game this login is playing, if it is playing one. In a simultaneous exhibition, the lowest number.
    pub fn mine(&self) -> Option<&Game> {
        self.iter().find(|game| game.is_going_on() && game.position().relation.is_mine())
    }

    /// The pieces in reserve in a game, as last told; they may be known before its first board.
    pub fn hands(&self, game: GameId) -> Option<&Hands> {
        self.hands.get(&game)
    }

    /// Takes a message in: what it changed, and what it contradicted.
    pub fn receive(&mut self, received: &Received) -> (Option<Change>, Option<Desync>) {
        let applied = self.apply(&received.message);
        let offset = received.offset;
        (applied.change, applied.desync.map(|(game, reason)| Desync { offset, game, reason }))
    }

    fn apply(&mut self, message: &Message) -> Applied {
        match message {
            Message::Style12(board) => self.board(board),
            Message::Delta(delta) => self.delta(delta),
            Message::Holding(holding) => self.holding(holding),
            Message::GameInfo(info) => self.info(info),
            Message::GameCreated(created) => self.created(created),
            Message::GameEnded(ended) => self.ended(ended),
            Message::Observing(observing) => self.observing(*observing),
            Message::Examine(examine) => self.examine(examine),
            Message::Partner(Partner::Playing { game, .. }) => self.partner_plays(*game),
            _ => Applied::default(),
        }
    }

    fn board(&mut self, board: &Style12) -> Applied {
        if board.relation.is_isolated() || matches!(board.relation, Relation::Other(_)) {
            return Applied::default();
        }
        let id = board.game;
        let step = match self.by_id.get_mut(&id) {
            Some(game) if game.goes_on_with(board) => game.follow(board, self.limits.moves),
            Some(_) => self.open(board, ChangeKind::Replaced),
            None => self.open(board, ChangeKind::Opened),
        };
        step.applied(id, None)
    }

    fn open(&mut self, board: &Style12, kind: ChangeKind) -> Step {
        self.make_room();
        let mut game = Game::new(board.clone());
        if let Some(at) = self.announced.iter().rposition(|created| game.is_announced_by(created)) {
            game.announce(self.announced.remove(at).as_ref());
        }
        if let Some(beside) = self.partner_game.filter(|_| board.relation.is_mine()) {
            game.set_partner(beside);
        }
        let terms = self.terms.iter().rposition(|info| info.game == board.game).and_then(|at| self.terms.remove(at));
        let beside = terms.as_ref().and_then(|info| info.partner_game);
        if let Some(info) = terms {
            game.set_info(info);
        }
        let played = game.position().last_move.as_ref().and_then(|last| last.played);
        self.by_id.insert(board.game, game);
        if let Some(beside) = beside {
            self.link(board.game, beside);
        }
        Step { kind, played, desync: None }
    }

    /// Forgets a game if there are too many: one that is over or left rather than one that goes on.
    fn make_room(&mut self) {
        if self.by_id.len() >= self.limits.games {
            let over = self.by_id.iter().find(|(_, game)| !game.is_going_on()).map(|(id, _)| *id);
            if let Some(id) = over.or_else(|| self.by_id.keys().next().copied()) {
                self.by_id.remove(&id);
                self.hands.remove(&id);
            }
        }
    }

    fn delta(&mut self, delta: &Delta) -> Applied {
        let id = delta.game;
        let Some(game) = self.by_id.get_mut(&id) else {
            return Applied { desync: Some((id, DesyncReason::NoBoard)), ..Applied::default() };
        };
        match game.apply_delta(delta, self.limits.moves) {
            Ok(step) => step.applied(id, Some(Box::new(game.position().clone()))),
            Err(reason) => Applied { desync: Some((id, reason)), ..Applied::default() },
        }
    }

    fn holding(&mut self, holding: &Holding) -> Applied {
        if self.hands.len() >= self.limits.games && !self.hands.contains_key(&holding.game) {
            self.hands.pop_first();
        }
        self.hands.insert(holding.game, Hands { white: holding.white, black: holding.black });
        Applied::change(holding.game, ChangeKind::Holding)
    }

    fn info(&mut self, info: &GameInfo) -> Applied {
        let Some(game) = self.by_id.get_mut(&info.game).filter(|game| game.awaits_no_other()) else {
            push_bounded(&mut self.terms, info.clone());
            return Applied::default();
        };
        game.set_info(info.clone());
        if let Some(beside) = info.partner_game {
            self.link(info.game, beside);
        }
        Applied::change(info.game, ChangeKind::Info)
    }

    fn created(&mut self, created: &GameCreated) -> Applied {
        if let Some(game) = self.by_id.get_mut(&created.game) {
            game.supersede(created);
        }
        if !created.resumed {
            self.hands.remove(&created.game);
        }
        self.announced.retain(|known| known.game != created.game);
        self.terms.retain(|info| info.game != created.game);
        push_bounded(&mut self.announced, created.clone());
        Applied::default()
    }

    fn ended(&mut self, ended: &GameEnded) -> Applied {
        self.announced.retain(|known| known.game != ended.game);
        match self.by_id.get_mut(&ended.game) {
            // Some servers tell an observer twice.
            Some(game) if game.is_between(&ended.white, &ended.black) && game.awaits_no_other() => {
                game.end(ended);
                Applied::change(ended.game, ChangeKind::Ended)
            }
            _ => Applied::default(),
        }
    }

    fn observing(&mut self, observing: Observing) -> Applied {
        let kind = if observing.is_observed() { ChangeKind::Followed } else { ChangeKind::Left };
        self.set_followed(observing.game, kind)
    }

    fn examine(&mut self, examine: &Examine) -> Applied {
        match (&examine.action, examine.game) {
            (ExamineAction::Stop, Some(game)) if examine.by.is_none() => self.set_followed(game, ChangeKind::Left),
            _ => Applied::default(),
        }
    }

    fn set_followed(&mut self, id: GameId, kind: ChangeKind) -> Applied {
        let Some(game) = self.by_id.get_mut(&id) else {
            return Applied::default();
        };
        game.set_followed(kind == ChangeKind::Followed);
        Applied::change(id, kind)
    }

    fn partner_plays(&mut self, beside: GameId) -> Applied {
        self.partner_game = Some(beside);
        let Some(mine) = self.mine().map(Game::id) else {
            return Applied::default();
        };
        self.link(mine, beside);
        Applied::change(mine, ChangeKind::Info)
    }

    /// Puts two games of one bughouse match side by side.
    fn link(&mut self, one: GameId, other: GameId) {
        for (id, beside) in [(one, other), (other, one)] {
            if let Some(game) = self.by_id.get_mut(&id) {
                game.set_partner(beside);
            }
        }
    }
}

/// Remembers one more announcement, and forgets the oldest if there are too many.
fn push_bounded<T>(announcements: &mut VecDeque<T>, announcement: T) {
    if announcements.len() >= ANNOUNCED_GAMES {
        announcements.pop_front();
    }
    announcements.push_back(announcement);
}

impl Applied {
    fn change(game: GameId, kind: ChangeKind) -> Self {
        Self { change: Some(Change { game, kind, board: None, played: None }), desync: None }
    }
}

impl Step {
    fn applied(self, game: GameId, board: Option<Box<Style12>>) -> Applied {
        let change = Change { game, kind: self.kind, board, played: self.played };
        Applied { change: Some(change), desync: self.desync.map(|reason| (game, reason)) }
    }
}

#[cfg(test)]
mod tests;
