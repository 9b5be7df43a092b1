//! One game: its last position, and the moves that led there as far as they are known.

mod follow;
mod reserves;
mod sent;

use std::sync::Arc;

use super::foretold::Told;
use super::moves::{Moves, PlayedMove};
use super::play;
use crate::chess::{Color, Fen, Hands};
use crate::message::{
    BoardNumbers, GameCreated, GameEndReason, GameEnded, GameId, GameInfo, GameResult, Handle, Style12,
};
use crate::text::{PlayerText, ServerText};

pub(super) use follow::Step;
use reserves::Reserves;
use sent::Awaited;

/// A game that is played, observed or examined, or was until it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "the other board of a bughouse match has one name everywhere")]
pub struct Game {
    position: Arc<Style12>,
    moves: Moves,
    kind: Option<ServerText>,
    rated: Option<bool>,
    info: Option<Box<GameInfo>>,
    partner_game: Option<GameId>,
    hands: Option<Hands>,
    ending: Option<Ending>,
    after_end: AfterEnd,
    followed: bool,
    announced: Option<Announced>,
    awaited: Option<Awaited>,
    /// Boards or moves may have been missed: the current board is not known, and the server's next one contradicts nothing.
    is_out_of_step: bool,
    reserves: Reserves,
}

/// Whose the next board of a number is, where something was said about that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Announced {
    /// The same game goes on, after an adjournment.
    Same,
    /// Another game has the number.
    Other,
    /// The number is observed again; the board tells which game it has.
    Either,
}

/// How a game that has ended may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AfterEnd {
    Nothing,
    /// Later, after an adjournment.
    Resumed,
    /// At once, as an examined one.
    Examined,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ending {
    /// Who won.
    pub result: GameResult,
    /// Why.
    pub reason: GameEndReason,
    /// The reason in the server's words.
    pub text: PlayerText,
}

impl Game {
    pub(super) fn new(position: Arc<Style12>) -> Self {
        Self {
            moves: Moves::from_base(Arc::clone(&position)),
            position,
            kind: None,
            rated: None,
            info: None,
            partner_game: None,
            hands: None,
            ending: None,
            after_end: AfterEnd::Nothing,
            followed: true,
            announced: None,
            awaited: None,
            is_out_of_step: false,
            reserves: Reserves::default(),
        }
    }

    /// Its number.
    pub fn id(&self) -> GameId {
        self.position.game()
    }

    /// The last position, as the server drew it or as a delta board led to it.
    pub fn position(&self) -> &Style12 {
        &self.position
    }

    pub(super) fn shared_position(&self) -> Arc<Style12> {
        Arc::clone(&self.position)
    }

    /// The numbers of the position, to change what it says.
    fn numbers_mut(&mut self) -> &mut BoardNumbers {
        Arc::make_mut(&mut self.position).numbers_mut()
    }

    /// The board in front of the first of [`moves`](Self::moves).
    pub fn base(&self) -> &Style12 {
        self.moves.base()
    }

    /// The moves that led from [`base`](Self::base) to [`position`](Self::position), without a gap: the first one is the ply
    /// after that of the base.
    pub fn moves(&self) -> &[PlayedMove] {
        self.moves.as_slice()
    }

    /// The position after an earlier ply; `None` if the moves since then do not say what it was.
    pub(super) fn position_at(&self, ply: u32) -> Option<Style12> {
        self.moves.position_at(ply, &self.position)
    }

    /// Its type in the server's words (`blitz`, `wild/5`), if the server told.
    pub fn kind(&self) -> Option<&str> {
        self.kind.as_ref().map(ServerText::as_str)
    }

    /// Whether it is rated, if the server told.
    pub const fn is_rated(&self) -> Option<bool> {
        self.rated
    }

    /// What `<g1>` told of it.
    pub fn info(&self) -> Option<&GameInfo> {
        self.info.as_deref()
    }

    /// The other game of a bughouse match.
    pub const fn partner_game(&self) -> Option<GameId> {
        self.partner_game
    }

    /// The pieces in reserve, as last told; `None` if nothing was, as in games without reserves.
    ///
    /// FICS tells of a captured piece in front of the board of the capture: until that comes, the piece is in both places.
    pub const fn hands(&self) -> Option<Hands> {
        self.hands
    }

    /// The position with the reserves.
    pub fn fen(&self) -> Fen {
        self.position.fen().with_hands(self.hands)
    }

    /// How it ended, once it has.
    pub const fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref()
    }

    /// Whether the server sends its boards to this session: it has not ended and was not left.
    pub const fn is_going_on(&self) -> bool {
        self.ending.is_none() && self.followed
    }

    /// Whose clock is running. The server's own word counts where it gives it; else clocks run once both sides have moved.
    ///
    /// No clock runs in an examined game, an untimed one, or one that is over.
    pub fn running_clock(&self) -> Option<Color> {
        let is_untimed = self.position.initial_min() == 0 && self.position.increment_s() == 0;
        if self.ending.is_some() || is_untimed || self.position.relation().is_examined() {
            return None;
        }
        let runs = self.position.clock_running().unwrap_or(self.position.ply() >= play::PLIES_WITHOUT_CLOCK);
        runs.then_some(self.position.side_to_move())
    }

    fn is_between(&self, white: &Handle, black: &Handle) -> bool {
        self.position.white() == *white && self.position.black() == *black
    }

    /// Takes what was told of this game before its board.
    pub(super) fn learn(&mut self, told: Told) {
        if let Some(created) = told.created.filter(|created| self.is_between(&created.white, &created.black)) {
            self.kind = Some(created.kind);
            self.rated = created.rated;
        }
        if let Some(info) = told.info {
            self.set_info(info);
        }
        self.hands = told.hands.or(self.hands);
    }

    pub(super) fn set_info(&mut self, info: GameInfo) {
        self.kind = info.kind.clone().or(self.kind.take());
        self.rated = info.rated.or(self.rated);
        self.info = Some(Box::new(info));
    }

    pub(super) const fn set_partner_game(&mut self, partner_game: GameId) {
        self.partner_game = Some(partner_game);
    }

    pub(super) const fn set_hands(&mut self, hands: Hands) {
        self.hands = Some(hands);
        self.reserves.has_captured = false;
    }

    pub(super) fn set_followed(&mut self, followed: bool) {
        if followed && self.ending.is_some() {
            // Servers let only games in progress be observed.
            let is_resumed = self.after_end == AfterEnd::Resumed;
            let again = if is_resumed { Announced::Same } else { Announced::Other };
            self.announced = self.announced.filter(|announced| *announced != Announced::Either).or(Some(again));
        } else if followed && !self.followed {
            self.announced.get_or_insert(Announced::Either);
            self.is_out_of_step = true;
        }
        self.followed = followed;
    }

    /// A game of this number was announced. A resumed one is announced twice on some servers, and is the same game.
    pub(super) fn set_announced(&mut self, created: &GameCreated) {
        let is_same = created.resumed && self.is_between(&created.white, &created.black);
        self.announced = Some(if is_same { Announced::Same } else { Announced::Other });
    }

    /// Whether what is said of this number is said of this game. If not, the next board tells.
    pub(super) const fn is_current(&self) -> bool {
        self.is_going_on() && self.announced.is_none()
    }

    /// Takes the result; `false` if it is another game's, or known already.
    pub(super) fn end(&mut self, ended: &GameEnded) -> bool {
        let is_unnamed = ended.white.as_str().is_empty() && ended.black.as_str().is_empty();
        let is_mine =
            (is_unnamed || self.is_between(&ended.white, &ended.black)) && self.announced != Some(Announced::Other);
        if !is_mine || self.ending.is_some() {
            return false;
        }
        self.after_end = match ended.lives_on {
            true => AfterEnd::Examined,
            false if ended.is_adjourned() => AfterEnd::Resumed,
            false => AfterEnd::Nothing,
        };
        self.ending = Some(Ending { result: ended.result, reason: ended.reason, text: ended.text.clone() });
        true
    }

    /// Whether `board` is one of this game, rather than of another that got its number.
    pub(super) fn goes_on_with(&self, board: &Style12) -> bool {
        let may_go_on = match self.announced {
            None | Some(Announced::Either) => match self.ending {
                Some(_) => self.may_end_with(board),
                None => !self.is_refuted_by_start(board),
            },
            Some(Announced::Same) => self.is_at(board),
            Some(Announced::Other) => false,
        };
        may_go_on
            && self.position.has_same_players(board)
            && self.position.relation().is_examined() == board.relation().is_examined()
    }

    /// Whether `board` has the last known squares at the last known ply.
    fn is_at(&self, board: &Style12) -> bool {
        board.ply() == self.position.ply() && board.has_same_squares(&self.position)
    }

    /// Whether `board`, received after the end of the game, may be its last position: the last known one, or one ply later.
    fn may_end_with(&self, board: &Style12) -> bool {
        let is_same = self.is_at(board) && board.has_last_move() == self.position.has_last_move();
        let is_next = board.has_last_move() && board.ply().checked_sub(1) == Some(self.position.ply());
        is_same || is_next
    }

    /// Whether `board` is the start position of a played game, and not the one that this game began with.
    ///
    /// A takeback of all moves leads to the start position too, and if that one is not known, it may be any.
    fn is_refuted_by_start(&self, board: &Style12) -> bool {
        let is_start = !board.has_last_move() && !board.relation().is_examined();
        is_start
            && match self.moves.board_at(board.ply(), &self.position) {
                Some(known) => known != board.board(),
                None => board.ply() > self.position.ply() || self.announced == Some(Announced::Either),
            }
    }
}
