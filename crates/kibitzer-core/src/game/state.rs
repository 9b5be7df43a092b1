//! State of one game: its last position, and the known moves that led to it.

mod follow;

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::chess::{Color, Fen, Hands, LastMove, Role};
use crate::game::announced::AnnouncedGame;
use crate::game::moves::{KnownMoves, PlayedMove};
use crate::game::play;
use crate::message::{BoardNumbers, GameCreated, GameEnded, GameId, GameInfo, GameKind, Handle, Style12};
use crate::text::{ServerText, encode_as_received};

pub(super) use follow::{AwaitedMoves, GameStep};

/// A game that is played, observed or examined, or was until it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "the other board of a bughouse match has one name everywhere")]
pub struct Game {
    /// Shared with all copies of the state of this game; see [`GameIdentity`].
    pub(super) marker: Arc<()>,
    pub(super) position: Arc<Style12>,
    pub(super) moves: KnownMoves,
    pub(super) kind: Option<ServerText>,
    pub(super) rated: Option<bool>,
    /// The variant of `kind`; `None` if the server has not reported it.
    pub(super) variant: Option<ServerText>,
    /// Whether the rules of that variant forbid a move that leaves one's own king attacked.
    pub(super) forbids_check: bool,
    pub(super) info: Option<Box<GameInfo>>,
    pub(super) partner_game: Option<GameId>,
    pub(super) hands: Option<Hands>,
    pub(super) ending: Option<Arc<GameEnded>>,
    pub(super) followed: bool,
    pub(super) next_board: Option<NextBoardOwner>,
    pub(super) awaited: Option<AwaitedMoves>,
    /// Whether boards or moves may have been missed. The current board is then unknown, and the next one is accepted without a
    /// desync.
    pub(super) is_out_of_step: bool,
    /// The ply at which the clocks were paused; `None` without a pause, or after it.
    pub(super) paused_at: Option<u32>,
    pub(super) reserves: ReserveEvidence,
}

/// Identity of a game. It stays the same if a session finds the game again after a lost connection, even under another number. It
/// differs from that of earlier and later games with the same number.
#[derive(Clone, Debug)]
pub struct GameIdentity(Arc<()>);

impl PartialEq for GameIdentity {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for GameIdentity {}

impl Hash for GameIdentity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

/// Game that the next board with this number belongs to, according to an earlier message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NextBoardOwner {
    /// The next board belongs to the same game, which goes on after an adjournment.
    Same,
    /// The next board belongs to a different game, which has taken the number.
    Other,
    /// The number is observed again, and only the next board shows which game has it.
    Either,
}

impl Game {
    /// Creates a game whose first board is `position`, and which keeps at most `max_moves` moves.
    pub(super) fn new(position: Arc<Style12>, max_moves: usize) -> Self {
        Self {
            marker: Arc::default(),
            moves: KnownMoves::from_base(Arc::clone(&position), max_moves),
            position,
            kind: None,
            rated: None,
            variant: None,
            forbids_check: false,
            info: None,
            partner_game: None,
            hands: None,
            ending: None,
            followed: true,
            next_board: None,
            awaited: None,
            is_out_of_step: false,
            paused_at: None,
            reserves: ReserveEvidence::default(),
        }
    }

    /// Returns the number of the game on the server.
    pub fn id(&self) -> GameId {
        self.position.game()
    }

    /// Returns the identity of the game, which outlives connections; the number does not.
    pub fn identity(&self) -> GameIdentity {
        GameIdentity(Arc::clone(&self.marker))
    }

    /// Returns the last known position, either sent by the server or derived from a move that it sent.
    pub fn position(&self) -> &Style12 {
        &self.position
    }

    /// Returns the numbers of the position for modification. Copies the position if it is shared, and drops its received line.
    pub(super) fn numbers_mut(&mut self) -> &mut BoardNumbers {
        Arc::make_mut(&mut self.position).numbers_mut_dropping_line()
    }

    /// Returns the board before the first of [`moves`](Self::moves).
    pub fn base(&self) -> &Style12 {
        &self.moves.base
    }

    /// Returns the moves that led from [`base`](Self::base) to [`position`](Self::position), without a gap.
    ///
    /// They may be fewer than the moves of the game: after a gap, a contradicting board, or the limit of
    /// [`GameLimits`](super::GameLimits), all are dropped, and the base becomes the current board.
    pub fn moves(&self) -> &[PlayedMove] {
        &self.moves.played
    }

    /// Returns the type of the game in the server's words (`blitz`, `wild/5`); `None` if the server has not reported it.
    pub fn kind(&self) -> Option<&str> {
        self.kind.as_ref().map(ServerText::as_str)
    }

    /// Returns whether the game is rated; `None` if the server has not reported it.
    pub const fn is_rated(&self) -> Option<bool> {
        self.rated
    }

    /// Returns the terms from the last `<g1>` line or ICC start list; `None` before the first one.
    pub fn info(&self) -> Option<&GameInfo> {
        self.info.as_deref()
    }

    /// Returns the number of the other game of a bughouse match; `None` if it is not known, or there is none.
    pub const fn partner_game(&self) -> Option<GameId> {
        self.partner_game
    }

    /// Returns the pieces in reserve by the last report; `None` without a report, as in games without reserves.
    ///
    /// FICS reports a captured piece before the board of the capture. Until that board arrives, the piece is both on the board
    /// and in reserve.
    pub const fn hands(&self) -> Option<Hands> {
        self.hands
    }

    /// Returns the last known position with the reserves.
    pub fn fen(&self) -> Fen {
        self.position.fen().with_hands(self.hands)
    }

    /// Returns the message that ended the game, with its result; `None` if the server has not reported the end.
    pub fn ending(&self) -> Option<&GameEnded> {
        self.ending.as_deref()
    }

    /// Returns whether the server sends boards of the game to this session: the game has not ended, and the session follows it.
    pub const fn is_followed_and_ongoing(&self) -> bool {
        self.ending.is_none() && self.followed
    }

    /// Returns the side whose clock is running. If the server does not report this, clocks run once both sides have moved, except
    /// in a pause, which the next move ends.
    ///
    /// `None` if no clock is running, as in a game that is examined, untimed or over.
    pub fn running_clock(&self) -> Option<Color> {
        let is_untimed = self.position.initial_min() == 0 && self.position.increment_s() == 0;
        if self.ending.is_some() || is_untimed || self.position.relation().is_examined() {
            return None;
        }
        let ply = self.position.ply();
        let is_paused = self.paused_at.is_some_and(|paused_at| ply <= paused_at);
        let runs = self.position.clock_running().unwrap_or(ply >= play::PLIES_WITHOUT_CLOCK && !is_paused);
        runs.then_some(self.position.side_to_move())
    }

    /// Returns the side of this player; `None` if the game has other players.
    pub(super) fn color_of(&self, name: &Handle) -> Option<Color> {
        Color::BOTH.into_iter().find(|&color| self.position.player(color) == *name)
    }

    /// Returns whether the game has these players.
    pub(super) fn has_players(&self, white: &Handle, black: &Handle) -> bool {
        self.position.white() == *white && self.position.black() == *black
    }

    /// Applies the announcement, terms and reserves that were reported before the board. Ignores an announcement of other
    /// players, but not the terms and reserves. Keeps known reserves if none were reported.
    pub(super) fn apply_announced(&mut self, reports: AnnouncedGame) {
        if let Some(created) = reports.created.filter(|created| self.has_players(&created.white, &created.black)) {
            self.set_variant(created.game_kind());
            self.kind = Some(created.kind);
            self.rated = created.rated;
        }
        if let Some(info) = reports.info {
            self.set_terms_keeping_kind(info);
        }
        self.hands = reports.hands.or(self.hands);
    }

    /// Stores the variant, unless the kind has none.
    fn set_variant(&mut self, kind: GameKind) {
        if kind.variant.is_some() {
            self.forbids_check = kind.forbids_check();
            self.variant = kind.variant;
        }
    }

    /// Replaces the terms, unless they are those of other players. Facts that the terms lack keep their values.
    pub(super) fn set_terms_keeping_kind(&mut self, mut info: GameInfo) {
        if info.white.as_ref().zip(info.black.as_ref()).is_some_and(|(white, black)| !self.has_players(white, black)) {
            return;
        }
        if let Some(known) = &self.info {
            info.complete_from(known);
        }
        // The announcement of a game may show which variant the same word stands for.
        if info.start.is_some() || info.kind != self.kind {
            self.set_variant(info.game_kind());
        }
        self.kind = info.kind.clone().or(self.kind.take());
        self.rated = info.rated.or(self.rated);
        self.info = Some(Box::new(info));
    }

    /// Replaces the reserves, and clears the evidence of captures since the last report.
    pub(super) const fn set_hands_and_reset_evidence(&mut self, hands: Hands) {
        self.hands = Some(hands);
        self.reserves.has_captured = false;
    }

    /// Records that the server starts or stops sending boards of the game. If a game is followed again, the next board shows
    /// whether it is this one, and the known position counts as out of step until then.
    pub(super) fn start_or_stop_following(&mut self, followed: bool) {
        if followed && self.ending.is_some() {
            // Servers let only games in progress be observed.
            let is_resumed = self.ending.as_ref().is_some_and(|ending| ending.is_adjourned() && !ending.lives_on);
            let again = if is_resumed { NextBoardOwner::Same } else { NextBoardOwner::Other };
            self.next_board = self.next_board.filter(|announced| *announced != NextBoardOwner::Either).or(Some(again));
        } else if followed && !self.followed {
            self.next_board.get_or_insert(NextBoardOwner::Either);
            self.is_out_of_step = true;
        }
        self.followed = followed;
    }

    /// Records that a game with this number was announced. The next board then belongs to this game if the announcement is of a
    /// resumed game of the same players, which some servers announce twice; otherwise it belongs to a new game.
    pub(super) fn set_next_owner_by_announcement(&mut self, created: &GameCreated) {
        let is_same = created.resumed && self.has_players(&created.white, &created.black);
        self.next_board = Some(if is_same { NextBoardOwner::Same } else { NextBoardOwner::Other });
    }

    /// Returns whether messages about the number of this game apply to it. If not, the next board shows which game has the
    /// number.
    pub(super) const fn owns_number(&self) -> bool {
        self.is_followed_and_ongoing() && self.next_board.is_none()
    }

    /// Records the result. Returns `false`, and changes nothing, if it belongs to another game or a result is already known. A
    /// result without names belongs to this game, unless another one is announced.
    pub(super) fn try_set_ending(&mut self, ended: &GameEnded) -> bool {
        let is_unnamed = ended.white.as_str().is_empty() && ended.black.as_str().is_empty();
        let is_mine = (is_unnamed || self.has_players(&ended.white, &ended.black))
            && self.next_board != Some(NextBoardOwner::Other);
        if !is_mine || self.ending.is_some() {
            return false;
        }
        self.ending = Some(Arc::new(ended.clone()));
        true
    }

    /// Returns whether `board` belongs to this game, rather than to another one with the same number.
    pub(super) fn continues_with(&self, board: &Style12) -> bool {
        let may_go_on = match self.next_board {
            None | Some(NextBoardOwner::Either) => match self.ending {
                Some(_) => self.may_be_final_board(board),
                None => !self.is_start_of_another_game(board),
            },
            Some(NextBoardOwner::Same) => self.has_squares_and_ply_of(board),
            Some(NextBoardOwner::Other) => false,
        };
        may_go_on
            && self.position.has_same_players(board)
            && self.position.relation().is_examined() == board.relation().is_examined()
    }

    /// Returns whether `board` has the last known squares at the last known ply.
    fn has_squares_and_ply_of(&self, board: &Style12) -> bool {
        board.ply() == self.position.ply() && board.has_same_squares(&self.position)
    }

    /// Returns whether `board`, received after the end of the game, may be its last position: the last known one, or one ply
    /// later.
    fn may_be_final_board(&self, board: &Style12) -> bool {
        let is_same = self.has_squares_and_ply_of(board) && board.has_last_move() == self.position.has_last_move();
        let is_next = board.has_last_move() && board.ply().checked_sub(1) == Some(self.position.ply());
        is_same || is_next
    }

    /// Returns whether `board` is a start position that this game cannot have, so that another game has taken its number.
    ///
    /// A takeback of all moves also leads to the start position. If this game's start is unknown, an earlier or equal ply is
    /// accepted.
    fn is_start_of_another_game(&self, board: &Style12) -> bool {
        let is_start = !board.has_last_move() && !board.relation().is_examined();
        is_start
            && match self.moves.board_at(board.ply(), &self.position) {
                Some(known) => known != board.board(),
                None => board.ply() > self.position.ply() || self.next_board == Some(NextBoardOwner::Either),
            }
    }
}

/// Number of last plies whose positions are included.
const RECENT_PLIES: u32 = 8;

/// Text after a board that the server cut: a continuation mark without text.
const CUT: &str = "\n\r\\   ";

impl Game {
    /// Returns lines from which a reader that starts in the middle of the stream restores the game, without line ends: the terms
    /// (`<g1>`) if they are known, the start board and the last boards (`<12>`, with clocks in milliseconds), and the reserves
    /// (`<b1>`) if they are known.
    ///
    /// The restored game has no ending, and only the last eight moves, which is as many as a delta board is expected to take
    /// back. It has no moves if one of these boards cannot be derived.
    #[doc(hidden)]
    pub fn to_snapshot_lines(&self) -> Vec<Vec<u8>> {
        let terms = self.known_terms().map(|terms| terms.to_string());
        let boards = self.base_and_recent_positions();
        let boards = boards.iter().chain([self.position()]).map(|board| {
            let end = if board.is_cut() { CUT } else { "" };
            format!("{board}{end}")
        });
        let hands = self
            .hands()
            .map(|Hands { white, black }| format!("<b1> game {} white [{white}] black [{black}]", self.id()));
        let lines = terms.into_iter().chain(boards).chain(hands);
        lines.map(|line| encode_as_received(&line).into_owned()).collect()
    }

    /// Returns the start board, from which delta boards count, and the board before each of the last [`RECENT_PLIES`] plies;
    /// empty without known moves, or if one of the boards cannot be derived from them.
    fn base_and_recent_positions(&self) -> Vec<Style12> {
        let (start, end) = (self.base().ply(), self.position().ply());
        let recent = end.saturating_sub(RECENT_PLIES).max(start.saturating_add(1))..end;
        let start = (start < end).then(|| Some(self.base().clone()));
        start
            .into_iter()
            .chain(recent.map(|ply| self.moves.position_at(ply, &self.position)))
            .collect::<Option<_>>()
            .unwrap_or_default()
    }

    /// Returns the terms as far as they are known; `None` if neither the type of the game nor whether it is rated is known.
    fn known_terms(&self) -> Option<Cow<'_, GameInfo>> {
        let announced = || GameInfo {
            game: self.id(),
            kind: self.kind().map(|kind| ServerText::from_wire(kind.as_bytes())),
            rated: self.is_rated(),
            ..GameInfo::default()
        };
        let is_announced = self.kind().is_some() || self.is_rated().is_some();
        self.info().map(Cow::Borrowed).or_else(|| is_announced.then(|| Cow::Owned(announced())))
    }
}

/// Number of the variant in which pieces are passed from another board.
const BUGHOUSE: u16 = 24;

/// Evidence of pieces in reserve beyond the last report. The server may send a report before or after the move that changed the
/// reserve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ReserveEvidence {
    /// The last report before the last move.
    pub(super) before_move: Option<Hands>,
    /// Whether a move has captured a piece since the last report.
    pub(super) has_captured: bool,
    /// A piece that the last report added to a reserve, until the next move: the receiver and the piece.
    pub(super) passed: Option<(Color, Role)>,
    /// The variant, as far as the captures show: `crazyhouse` if the pieces in reserve were captured on the same board, `bughouse` if
    /// they were captured on another one.
    pub(super) variant: Option<&'static str>,
}

impl Game {
    /// Returns whether the side to move may have a piece of this role in reserve; `true` if that is not known.
    ///
    /// Without a report, it is known only for games that were followed from their start, except bughouse.
    pub(super) fn mover_may_hold(&self, role: Role) -> bool {
        let side = self.position.side_to_move();
        let has = |hands: Hands| hands.of(side).count(role) > 0;
        let ReserveEvidence { before_move, has_captured, .. } = self.reserves;
        let wild = self.info.as_ref().and_then(|info| info.start.as_ref()).map(|start| start.wild);
        let is_unknown = self.hands.is_none() && (self.base().ply() > 0 || wild.is_none_or(|wild| wild == BUGHOUSE));
        is_unknown || has_captured || self.hands.is_some_and(has) || before_move.is_some_and(has)
    }

    /// Returns the variant: the reported one, or else the one that the partner's game and the captures show. `None` if neither does;
    /// `wild` is not a variant.
    pub fn variant(&self) -> Option<&str> {
        let reported = self.variant.as_ref().map(ServerText::as_str).filter(|variant| *variant != "wild");
        reported.or(self.partner_game.map(|_| "bughouse")).or(self.reserves.variant)
    }

    /// Returns the side that made the last known move, and the piece that it captured; `None` without a capture.
    pub(super) fn last_capture(&self) -> Option<(Color, Role)> {
        let (_, role) = self.moves().last()?.captured()?;
        Some((!self.position.side_to_move(), role))
    }

    /// Records that a report of the reserves added a piece, and returns whether the last move may have captured it. Servers report a
    /// capture on the same board before or after the move.
    pub(super) fn note_passed_piece(&mut self, passed: Option<(Color, Role)>) -> bool {
        self.reserves.passed = passed;
        let Some((to, role)) = passed else { return false };
        // A promoted piece becomes a pawn.
        let is_of_last_move =
            self.last_capture().is_some_and(|(taker, taken)| taker == to && (role == taken || role == Role::Pawn));
        if is_of_last_move {
            self.compare_passed_piece_with_capture();
        }
        is_of_last_move
    }

    /// Compares the piece that was passed before a move with the piece that the move captured.
    pub(super) fn compare_passed_piece_with_capture(&mut self) {
        let Some((to, role)) = self.reserves.passed.take() else { return };
        match self.last_capture() {
            // A promoted piece becomes a pawn.
            Some((taker, taken)) if taker == to && role == Role::Pawn && taken != role => {}
            Some(capture) if capture == (to, role) => _ = self.reserves.variant.get_or_insert("crazyhouse"),
            _ => self.reserves.variant = Some("bughouse"),
        }
    }

    /// Returns the reserves after the last move of `board`, the next one of this game; `None` if they are not known.
    pub(super) fn reserves_on(&self, board: &Style12) -> Option<Hands> {
        let hands = self.hands?;
        let is_next = board.ply().checked_sub(1) == Some(self.position.ply());
        Some(if is_next { without_dropped_piece(hands, board) } else { hands })
    }
}

/// Removes the piece that the last move of `board` dropped, unless the report of the reserves included the drop. If it did, the
/// material of the board, which contains the reserve, fits without a change.
pub(super) fn without_dropped_piece(mut hands: Hands, board: &Style12) -> Hands {
    let mover = !board.side_to_move();
    let hand = hands.of_mut(mover);
    let reported = if mover == Color::White { board.white_material() } else { board.black_material() };
    let held: i32 = hand.pieces().map(|role| i32::from(role.material_value())).sum();
    let fits = reported == held + i32::from(board.board().material(mover));
    if let Some(LastMove::Drop { role, .. }) = board.played().filter(|_| !fits) {
        let _ = hand.take(role);
    }
    hands
}

#[cfg(test)]
mod tests;
