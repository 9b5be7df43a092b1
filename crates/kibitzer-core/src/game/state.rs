//! One game: its last position, and the moves that led there as far as they are known.

use super::moves::{Moves, PlayedMove};
use super::play;
use crate::chess::{Color, LastMove};
use crate::event::{ChangeKind, DesyncReason};
use crate::message::{Delta, EndReason, GameCreated, GameEnded, GameId, GameInfo, GameResult, Handle, Style12};
use crate::text::{PlayerText, ServerText};

/// A game that is played, observed or examined, or was until it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    position: Style12,
    moves: Moves,
    kind: Option<ServerText>,
    rated: Option<bool>,
    info: Option<Box<GameInfo>>,
    partner: Option<GameId>,
    ending: Option<Ending>,
    followed: bool,
    /// A new game of this number was announced: the next board belongs to it.
    superseded: bool,
    /// After an adjournment, the same game was announced to go on.
    resumed: bool,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ending {
    /// Who won.
    pub result: GameResult,
    /// Why.
    pub reason: EndReason,
    /// The reason in the server's words.
    pub text: PlayerText,
}

/// What a board or a move did to a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) kind: ChangeKind,
    pub(super) played: Option<LastMove>,
    pub(super) desync: Option<DesyncReason>,
}

impl Step {
    const fn new(kind: ChangeKind, played: Option<LastMove>) -> Self {
        Self { kind, played, desync: None }
    }
}

impl Game {
    pub(super) fn new(position: Style12) -> Self {
        Self {
            moves: Moves::from_base(position.clone()),
            position,
            kind: None,
            rated: None,
            info: None,
            partner: None,
            ending: None,
            followed: true,
            superseded: false,
            resumed: false,
        }
    }

    /// Its number.
    pub const fn id(&self) -> GameId {
        self.position.game
    }

    /// The last position, as the server drew it or as a delta board led to it.
    pub const fn position(&self) -> &Style12 {
        &self.position
    }

    /// The board in front of the first of [`moves`](Self::moves).
    pub const fn base(&self) -> &Style12 {
        self.moves.base()
    }

    /// The moves that led from [`base`](Self::base) to [`position`](Self::position), without a gap.
    pub fn moves(&self) -> &[PlayedMove] {
        self.moves.as_slice()
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
    pub const fn partner(&self) -> Option<GameId> {
        self.partner
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
        let is_untimed = self.position.initial_min == 0 && self.position.increment_s == 0;
        if self.ending.is_some() || is_untimed || self.position.relation.is_examined() {
            return None;
        }
        let runs = self.position.clock_running.unwrap_or(self.position.ply() >= play::PLIES_WITHOUT_CLOCK);
        runs.then_some(self.position.side_to_move)
    }

    pub(super) fn is_between(&self, white: &Handle, black: &Handle) -> bool {
        self.position.white == *white && self.position.black == *black
    }

    pub(super) fn is_announced_by(&self, created: &GameCreated) -> bool {
        self.id() == created.game && self.is_between(&created.white, &created.black)
    }

    pub(super) fn announce(&mut self, created: Option<&GameCreated>) {
        self.kind = created.map(|created| created.kind.clone());
        self.rated = created.and_then(|created| created.rated);
    }

    pub(super) fn set_info(&mut self, info: GameInfo) {
        self.kind = info.kind.clone().or(self.kind.take());
        self.rated = info.rated.or(self.rated);
        self.info = Some(Box::new(info));
    }

    pub(super) const fn set_partner(&mut self, beside: GameId) {
        self.partner = Some(beside);
    }

    pub(super) const fn set_followed(&mut self, followed: bool) {
        self.followed = followed;
    }

    /// A game of this number was announced. A resumed one is announced twice on some servers, and is the same game.
    pub(super) fn supersede(&mut self, created: &GameCreated) {
        self.resumed = created.resumed && self.is_announced_by(created);
        self.superseded = !self.resumed;
    }

    /// Whether what is said of this number is said of this game: it has not ended, and no other was announced.
    pub(super) const fn awaits_no_other(&self) -> bool {
        self.ending.is_none() && !self.superseded
    }

    pub(super) fn end(&mut self, ended: &GameEnded) {
        self.ending = Some(Ending { result: ended.result, reason: ended.reason, text: ended.text.clone() });
    }

    /// Whether `board` is one of this game, rather than of another that got its number.
    pub(super) fn goes_on_with(&self, board: &Style12) -> bool {
        let is_same_position = || board.ply() == self.position.ply() && board.board == self.position.board;
        let starts_over = self.ending.is_some() && board.last_move.is_none() && self.position.last_move.is_some();
        !self.superseded
            && !starts_over
            && (!self.resumed || is_same_position())
            && self.is_between(&board.white, &board.black)
            && self.position.relation.is_examined() == board.relation.is_examined()
    }

    /// Takes the server's board.
    pub(super) fn follow(&mut self, board: &Style12, max_moves: usize) -> Step {
        // A final board after the end leaves the game ended; one after the observation ended revives it.
        self.followed = true;
        if std::mem::take(&mut self.resumed) {
            self.ending = None;
        }
        let (known, told) = (self.position.ply(), board.ply());
        let step = if Some(told) == known.checked_add(1) {
            self.follow_move(board, max_moves)
        } else if told == known {
            self.follow_same_ply(board)
        } else if told < known {
            self.follow_back(board, known - told)
        } else {
            self.rebase(board, ChangeKind::Jumped)
        };
        self.position = board.clone();
        step
    }

    fn follow_move(&mut self, board: &Style12, max_moves: usize) -> Step {
        let mover = self.position.side_to_move;
        let Some((reported, last_move)) = board.last_move.as_ref().and_then(|last| Some((last, last.played?))) else {
            return self.contradicted(board);
        };
        let played = match last_move {
            LastMove::Castle { .. } => last_move.located(&self.position.board, board.board.find_king(mover), mover),
            other => other,
        };
        let mut expected = self.position.board;
        let captured = expected.apply(played, mover);
        let is_expected = captured.is_ok() && expected == board.board;
        if !is_expected
            && !self.may_explode(captured.is_ok_and(|captured| captured.is_some()))
            && played != LastMove::Hidden
        {
            return self.contradicted(board);
        }
        self.moves.push(&self.position, reported.clone(), played, board.clock(mover), max_moves);
        Step::new(ChangeKind::Moved, Some(played))
    }

    /// In atomic chess a capture takes more than one piece; the type of an observed game need not be known.
    fn may_explode(&self, is_capture: bool) -> bool {
        self.kind().map_or(is_capture, |kind| kind.contains("atomic"))
    }

    fn follow_same_ply(&mut self, board: &Style12) -> Step {
        if board.board != self.position.board {
            return self.contradicted(board);
        }
        Step::new(ChangeKind::Repeated, self.moves.last_played())
    }

    fn follow_back(&mut self, board: &Style12, plies: u32) -> Step {
        let kind = ChangeKind::TookBack { plies };
        match self.moves.position_at(board.ply()) {
            Some(before) if before.board == board.board => {
                self.moves.truncate(board.ply());
                Step::new(kind, self.moves.last_played())
            }
            _ => self.rebase(board, kind),
        }
    }

    /// The board cannot be reached from what is known. An examiner may set up what he likes; in a played game it is a desync.
    fn contradicted(&mut self, board: &Style12) -> Step {
        let desync = (!board.relation.is_examined()).then_some(DesyncReason::WrongBoard);
        Step { desync, ..self.rebase(board, ChangeKind::Replaced) }
    }

    /// Starts the known moves anew from `board`.
    fn rebase(&mut self, board: &Style12, kind: ChangeKind) -> Step {
        self.moves.rebase(board);
        Step::new(kind, reported_move(board))
    }

    /// Takes a move without its board.
    ///
    /// A ply that is known already is the same move again, with another clock, or a takeback to it.
    pub(super) fn apply_delta(&mut self, delta: &Delta, max_moves: usize) -> Result<Step, DesyncReason> {
        let known = self.position.ply();
        // Delta boards count plies from the start board, not from the move number.
        let found = u32::from(delta.plies).saturating_add(self.moves.start_ply());
        let step = if Some(found) == known.checked_add(1) {
            self.play_delta(delta, max_moves)?
        } else if found <= known {
            self.return_to(found, delta).ok_or(DesyncReason::WrongPly { known, found })?
        } else {
            return Err(DesyncReason::WrongPly { known, found });
        };
        self.position.lag_ms = delta.lag_ms;
        Ok(step)
    }

    fn play_delta(&mut self, delta: &Delta, max_moves: usize) -> Result<Step, DesyncReason> {
        let (played, reported) = play::read_delta(delta, &self.position).ok_or(DesyncReason::WrongMove)?;
        let after = play::after(&self.position, played, reported.clone(), delta.clock);
        let after = after.map_err(|_| DesyncReason::WrongMove)?;
        self.moves.push(&self.position, reported, played, delta.clock, max_moves);
        self.position = after;
        Ok(Step::new(ChangeKind::Moved, Some(played)))
    }

    fn return_to(&mut self, ply: u32, delta: &Delta) -> Option<Step> {
        let last = self.moves.at(ply)?;
        let played = last.played;
        (last.reported.san == delta.san).then_some(())?;
        let plies = self.position.ply() - ply;
        let (white_clock, black_clock) = (self.position.white_clock, self.position.black_clock);
        let mut position = self.moves.position_at(ply)?;
        self.moves.truncate(ply);
        match position.side_to_move {
            Color::Black => (position.white_clock, position.black_clock) = (delta.clock, black_clock),
            Color::White => (position.white_clock, position.black_clock) = (white_clock, delta.clock),
        }
        self.position = position;
        let kind = if plies == 0 { ChangeKind::Repeated } else { ChangeKind::TookBack { plies } };
        Some(Step::new(kind, Some(played)))
    }
}

/// The last move of a board, as far as the board alone tells it.
pub(super) fn reported_move(board: &Style12) -> Option<LastMove> {
    board.last_move.as_ref().and_then(|last| last.played)
}
