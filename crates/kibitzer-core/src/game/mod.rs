//! Messages to game state: every game this session plays, observes or examines.
//!
//! The server's board is the truth. What is derived here (moves, a board from a delta) is checked against it, and where the
//! two differ the difference is reported as a [`Desync`] and the server's word taken.

mod announced;
mod change;
mod lines;
mod moves;
mod opening;
mod play;
mod state;
mod update;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::chess::Hands;
use crate::message::{
    ByGame, Control, Delta, Examine, ExamineAction, GameCreated, GameEnded, GameId, GameInfo, Handle, Holding, Message,
    Observing, Partner, Relation, Style12,
};
use crate::options::numeric_options;
use crate::text::PlayerText;

use announced::AnnouncedGames;
pub(crate) use change::Notice;
pub use change::{Change, ChangeKind, Desync, DesyncReason, MissedPlies};
pub use moves::PlayedMove;
use state::Step;
pub use state::{Ending, Game};

numeric_options! {
    /// Limits on tracked games.
    pub struct GameLimits {
        /// Sets the maximum number of games, including those that have ended.
        ///
        /// 0 counts as 1. A new game replaces one that is over or left, the lowest number first; without any, one in progress.
        games: usize = 1_024, "kept_games";
        /// Sets the maximum number of moves kept of one game. When it is reached, all are dropped, and the list restarts from the
        /// current board.
        ///
        /// 0 counts as 1.
        moves: usize = 2_048, "kept_moves";
    }
}

/// The state of every game this session plays, observes or examines.
///
/// They are kept by an [`EventReader`](crate::EventReader):
///
/// ```
/// use kibitzer_core::EventReader;
/// use kibitzer_core::message::GameId;
///
/// let mut events = EventReader::default();
/// let mut read = &b"<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 7 \
///     Newton Einstein -1 2 12 39 39 119 122 1 P/e2-e4 (0:06) e4 0\n\r<b1> game 7 white [N] black []\n\r"[..];
/// while events.next(&mut read).is_some() {}
///
/// let game = events.games().get(GameId(7)).unwrap();
/// assert_eq!(game.fen().to_string(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR[N] b KQkq e3 0 1");
/// assert_eq!(game.position().last_move().unwrap().text(), "e4");
/// assert_eq!(events.games().mine().map(|mine| mine.id()), Some(game.id()));
/// ```
///
/// A game appears with its first board. It stays, with its result, after it has ended, until its number is used again or
/// room is needed. Boards printed on request or inside a move list change nothing.
#[derive(Clone, Debug, Default)]
pub struct Games {
    limits: GameLimits,
    by_id: ByGame<Game>,
    /// Games that ended or were left, perhaps resumed since. Lets [`make_room`](Self::make_room) avoid a search of all games.
    stopped: BTreeSet<GameId>,
    /// Announcements, terms and reserves that arrived before the first board.
    announced: AnnouncedGames,
    /// Number of the bughouse game of this login's partner.
    partner_game: Option<GameId>,
    /// Name of this login, once the server has reported it.
    me: Option<Handle>,
    /// Number of an isolated board, which is not a game.
    isolated: Option<GameId>,
    /// Player whose command caused the open ICC unit; `None` outside of units.
    actor: Option<PlayerText>,
}

/// The effect of a message on the state of a game.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    pub(crate) change: Option<Change>,
    /// A report about a game that precedes the message.
    pub(crate) notice: Option<(GameId, Notice)>,
    /// The position that a board has replaced.
    pub(crate) replaced: Option<Arc<Style12>>,
}

impl Games {
    /// Creates an empty state with these limits.
    pub(crate) fn with_limits(limits: GameLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Returns the game of this number, even after its end; `None` if it is unknown or was dropped to make room.
    pub fn get(&self, game: GameId) -> Option<&Game> {
        self.by_id.get(game)
    }

    /// Returns all games, including those that have ended, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &Game> {
        self.by_id.iter().map(|(_, game)| game)
    }

    /// Returns the game that this login is playing, the lowest number in a simultaneous exhibition; `None` if it plays none.
    pub fn mine(&self) -> Option<&Game> {
        self.iter().find(|game| game.is_going_on() && game.position().relation().is_mine())
    }

    /// Applies a message to the state, and returns the change that it made; `None` if it made none.
    ///
    /// For a copy of the state that is kept from the messages of a session, from a connection's first one on.
    pub fn follow(&mut self, message: &Message) -> Option<Change> {
        self.apply(message).change
    }

    /// Applies a message to the state; messages that concern no game change nothing.
    #[inline]
    pub(crate) fn apply(&mut self, message: &Message) -> Applied {
        match message {
            Message::Style12(board) => self.board(board),
            Message::Control(Control::Prompt) => Applied::default(),
            other => self.apply_other(other),
        }
    }

    /// Applies a message that is not a board. Kept apart from boards, whose change is then built in place.
    #[inline(never)]
    fn apply_other(&mut self, message: &Message) -> Applied {
        match message {
            Message::Delta(delta) => self.delta(delta),
            Message::Holding(holding) => self.holding(holding),
            Message::GameUpdate(update) => self.update(update),
            Message::GameInfo(info) => self.info(info),
            Message::GameCreated(created) => self.created(created),
            Message::GameEnded(ended) => self.ended(ended),
            Message::Observing(observing) => self.observing(**observing),
            Message::Examine(examine) => self.examine(examine),
            Message::Partner(partner) => self.partner(partner),
            Message::LoggedIn(login) => {
                self.me = Some(login.name.clone());
                Applied::default()
            }
            Message::Control(Control::UnitStart(header)) => {
                self.actor = Some(header.player.clone());
                Applied::default()
            }
            Message::Control(Control::UnitEnd) => {
                self.actor = None;
                Applied::default()
            }
            _ => Applied::default(),
        }
    }

    #[inline]
    fn board(&mut self, board: &Arc<Style12>) -> Applied {
        if board.relation().is_isolated() || matches!(board.relation(), Relation::Other(_)) {
            return Applied::default();
        }
        let id = board.game();
        let kind = match self.by_id.get_mut(id) {
            Some(game) if game.goes_on_with(board) => {
                let was_current = game.is_current();
                let (step, replaced) = game.apply_board(board, self.limits.moves);
                if !was_current {
                    self.settle(id);
                }
                return Applied { replaced: Some(replaced), ..step.applied(board, None) };
            }
            Some(_) => ChangeKind::Replaced,
            None => ChangeKind::Opened,
        };
        self.open(board, kind).applied(board, None)
    }

    fn open(&mut self, board: &Arc<Style12>, kind: ChangeKind) -> Step {
        if kind == ChangeKind::Opened {
            self.make_room();
        }
        let mut game = Game::new(Arc::clone(board));
        if let Some(partner_game) = self.partner_game.filter(|_| board.relation().is_mine()) {
            game.set_partner_game(partner_game);
        }
        self.by_id.insert(board.game(), game);
        self.settle(board.game());
        Step::new(kind, board.played())
    }

    /// Applies the reports that arrived before the board of a game, and removes them.
    fn settle(&mut self, id: GameId) {
        let (Some(reports), Some(game)) = (self.announced.take(id), self.by_id.get_mut(id)) else {
            return;
        };
        let partner_game = reports.info.as_ref().and_then(|info| info.partner_game);
        game.learn(reports);
        if let Some(partner_game) = partner_game {
            self.link_partners(id, partner_game);
        }
    }

    /// Removes one game if the limit is reached: preferably one that is over or left, else one that this login does not play.
    fn make_room(&mut self) {
        if self.by_id.len() < self.limits.games {
            return;
        }
        let (games, stopped) = (&self.by_id, &mut self.stopped);
        let is_over = |id: &GameId| games.get(*id).is_some_and(|game| !game.is_going_on());
        let over = std::iter::from_fn(|| stopped.pop_first()).find(is_over);
        let others = || games.iter().find(|(_, game)| !game.position().relation().is_mine());
        let unneeded = || others().or_else(|| games.iter().next()).map(|(id, _)| id);
        if let Some(id) = over.or_else(unneeded) {
            self.by_id.remove(id);
        }
    }

    fn delta(&mut self, delta: &Delta) -> Applied {
        let id = delta.game;
        let max_moves = self.limits.moves;
        let Some(game) = self.current(id) else {
            return Applied::desync(id, DesyncReason::NoBoard);
        };
        match game.apply_delta(delta, max_moves) {
            Ok(step) => step.applied(game.position(), Some(game.shared_position())),
            Err(reason) => Applied::desync(id, reason),
        }
    }

    fn holding(&mut self, holding: &Holding) -> Applied {
        let hands = Hands { white: holding.white, black: holding.black };
        let Some(game) = self.current(holding.game) else {
            self.announced.of(holding.game).hands = Some(hands);
            return Applied::default();
        };
        game.set_hands(hands);
        Applied::change(game, ChangeKind::Holding)
    }

    fn info(&mut self, info: &GameInfo) -> Applied {
        if !self.begin(info) {
            return Applied::default();
        }
        let Some(game) = self.current(info.game) else {
            self.announced.of(info.game).inform(info);
            return Applied::default();
        };
        game.set_info(info.clone());
        let applied = Applied::change(game, ChangeKind::Info);
        if let Some(partner_game) = info.partner_game {
            self.link_partners(info.game, partner_game);
        }
        applied
    }

    /// The game that has this number beyond doubt.
    fn current(&mut self, id: GameId) -> Option<&mut Game> {
        self.by_id.get_mut(id).filter(|game| game.is_current())
    }

    fn created(&mut self, created: &GameCreated) -> Applied {
        let known = self.by_id.get_mut(created.game);
        self.announced.of(created.game).announce(created, known.is_some());
        if let Some(game) = known {
            game.set_announced(created);
        }
        Applied::default()
    }

    fn ended(&mut self, ended: &GameEnded) -> Applied {
        self.announced.take(ended.game);
        // Some servers tell an observer twice.
        let Some(game) = self.by_id.get_mut(ended.game) else {
            return Applied::default();
        };
        if !game.end(ended) {
            return Applied::default();
        }
        self.stopped.insert(ended.game);
        if game.position().relation().is_mine() {
            self.partner_game = None;
        }
        Applied::change(game, ChangeKind::Ended)
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
        let Some(game) = self.by_id.get_mut(id) else {
            return Applied::default();
        };
        game.set_followed(kind == ChangeKind::Followed);
        if kind == ChangeKind::Left {
            self.stopped.insert(id);
        }
        Applied::change(game, kind)
    }

    fn partner(&mut self, partner: &Partner) -> Applied {
        match *partner {
            Partner::Playing { game, .. } => return self.partner_plays(game),
            Partner::Ended | Partner::EndedByPartner | Partner::Disconnected => self.partner_game = None,
            _ => {}
        }
        Applied::default()
    }

    fn partner_plays(&mut self, partner_game: GameId) -> Applied {
        self.partner_game = Some(partner_game);
        let Some(mine) = self.mine() else {
            return Applied::default();
        };
        let (id, applied) = (mine.id(), Applied::change(mine, ChangeKind::Info));
        self.link_partners(id, partner_game);
        applied
    }

    /// Puts two games of one bughouse match side by side.
    fn link_partners(&mut self, game: GameId, partner_game: GameId) {
        for (id, beside) in [(game, partner_game), (partner_game, game)] {
            if let Some(game) = self.by_id.get_mut(id) {
                game.set_partner_game(beside);
            }
        }
    }
}

impl Applied {
    fn change(game: &Game, kind: ChangeKind) -> Self {
        Step::new(kind, None).applied(game.position(), None)
    }

    const fn desync(game: GameId, reason: DesyncReason) -> Self {
        Self { change: None, notice: Some((game, Notice::Desync(reason))), replaced: None }
    }
}

impl Step {
    /// What a step has done to the game of which this is the last position.
    fn applied(self, position: &Style12, board: Option<Arc<Style12>>) -> Applied {
        let (game, relation) = (position.game(), position.relation());
        let change = Change { game, relation, kind: self.kind, board, played: self.played };
        Applied { change: Some(change), notice: self.notice.map(|notice| (game, notice)), replaced: None }
    }
}

#[cfg(test)]
mod tests;
