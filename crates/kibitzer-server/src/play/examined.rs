//! A game that is examined.

use std::time::SystemTime;

use kibitzer_core::chess::LastMove;
use kibitzer_core::message::GameId;

use super::board::BoardLine;
use super::{BoardViewer, Ending, Game, GameHeader, MoveRecord, Ply, SeatedPlayer, Sides, Terms};
use crate::chess::Position;

/// A game whose board moves forward and backward along the main line, or along a variation.
#[derive(Clone, Debug)]
pub(crate) struct ExaminedGame {
    pub(crate) header: GameHeader,
    /// The game as it was played.
    pub(crate) main: MoveRecord,
    /// The main line, or the variation that is shown.
    pub(crate) line: MoveRecord,
    /// Number of plies after which `line` leaves `main`.
    branch: Option<usize>,
    /// Number of plies of `line` up to the position on the board.
    n_shown_plies: usize,
    /// The position that an examiner sets up, shown in place of that of the line.
    setup: Option<Position>,
    pub(crate) ending: Option<Ending>,
    /// Whether it was created without a played game.
    pub(crate) is_scratch: bool,
    /// Both clocks before the first ply.
    clocks_ms: Sides<i64>,
}

impl ExaminedGame {
    /// Creates a game at the start position in which the examiner may play both sides; both names are the examiner's.
    pub(crate) fn new_scratch(id: GameId, examiner: SeatedPlayer, started: SystemTime) -> Self {
        let header = GameHeader { id, terms: Terms::unrated(0, 0), seats: Sides::both(examiner), started };
        Self { clocks_ms: Sides::both(0), is_scratch: true, ..Self::new_relayed(header) }
    }

    /// Creates a game that is played elsewhere and relayed from its start; its clocks are full.
    pub(crate) fn new_relayed(header: GameHeader) -> Self {
        let main = MoveRecord::new(Position::start(header.terms.variant));
        let clocks_ms = Sides::both(header.terms.initial_ms());
        let line = main.clone();
        Self {
            header,
            line,
            main,
            branch: None,
            n_shown_plies: 0,
            setup: None,
            ending: None,
            is_scratch: false,
            clocks_ms,
        }
    }

    /// Creates an examined copy of a finished game. It shows the start position; the ending is shown only at the final one.
    pub(crate) fn at_start_of_finished_game(id: GameId, game: &Game) -> Self {
        let header = GameHeader { id, ..game.header.clone() };
        let (main, ending) = (game.record.clone(), game.ending);
        Self { line: main.clone(), main, ending, ..Self::new_relayed(header) }
    }

    pub(crate) fn shown_position(&self) -> &Position {
        self.setup.as_ref().unwrap_or_else(|| self.line.position_after(self.n_shown_plies))
    }

    /// Returns whether a position is being set up.
    pub(crate) const fn is_in_setup(&self) -> bool {
        self.setup.is_some()
    }

    /// Starts to set up a position, with the one that is shown. Returns `false` if one is set up already.
    pub(crate) fn enter_setup(&mut self) -> bool {
        let is_new = self.setup.is_none();
        self.setup = Some(*self.shown_position());
        is_new
    }

    /// Returns the position that is being set up.
    pub(crate) const fn setup_mut(&mut self) -> Option<&mut Position> {
        self.setup.as_mut()
    }

    /// Ends the set-up: the position is the start of a game without moves. Returns `false`, and changes nothing, if the position
    /// has no legal continuation.
    pub(crate) fn finish_setup(&mut self) -> bool {
        let Some(position) = self.setup.take_if(|position| position.is_valid()) else { return false };
        self.line = MoveRecord::new(position);
        self.n_shown_plies = 0;
        self.make_line_main();
        true
    }

    /// Makes the variation the main line. Returns `false` if the main line is shown already.
    pub(crate) fn commit_variation(&mut self) -> bool {
        let is_variation = self.branch.is_some();
        if is_variation {
            self.make_line_main();
        }
        is_variation
    }

    /// Removes the moves after the shown position, and returns the number of plies that are left.
    pub(crate) fn truncate(&mut self) -> usize {
        self.line.plies.truncate(self.n_shown_plies);
        self.make_line_main();
        self.n_shown_plies
    }

    /// Makes the line, which differs from the game as it was played, the main line: the game has no ending then.
    fn make_line_main(&mut self) {
        self.main = self.line.clone();
        self.branch = None;
        self.ending = None;
    }

    /// Returns how the game ended; `None` if it has no ending, or the board does not show its final position.
    pub(crate) fn ending_if_shown(&self) -> Option<Ending> {
        self.ending.filter(|_| self.branch.is_none() && self.n_shown_plies == self.line.plies.len())
    }

    /// Steps forward along the line, at most to its end, and returns the number of plies stepped.
    pub(crate) fn step_forward(&mut self, plies: usize) -> usize {
        let n_moved = plies.min(self.line.plies.len() - self.n_shown_plies);
        self.n_shown_plies += n_moved;
        n_moved
    }

    /// Steps backward, at most to the start, and returns the number of plies stepped.
    pub(crate) fn step_backward(&mut self, plies: usize) -> usize {
        let n_moved = plies.min(self.n_shown_plies);
        self.n_shown_plies -= n_moved;
        n_moved
    }

    /// Plays a legal move: steps forward if it is the next move of the line, otherwise replaces the rest of the line by a
    /// variation.
    ///
    /// A move after the last one of the main line is a variation too; only [`add_relayed_move`](Self::add_relayed_move) extends
    /// that line.
    pub(crate) fn advance_or_branch(&mut self, played: LastMove) {
        let next = self.line.plies.get(self.n_shown_plies).map(|ply| ply.played);
        if next != Some(played) {
            self.branch.get_or_insert(self.n_shown_plies);
            self.branch = self.branch.map(|branch| branch.min(self.n_shown_plies));
            self.line.plies.truncate(self.n_shown_plies);
            self.line.push_legal_move(played, 0, 0, self.shown_clocks_ms());
        }
        self.n_shown_plies += 1;
    }

    /// Adds a move to the main line, with its time and the clocks after it. Shows it unless a variation is on the board.
    pub(crate) fn add_relayed_move(&mut self, played: LastMove, elapsed_ms: u32, clocks_ms: Sides<i64>) {
        self.main.push_legal_move(played, elapsed_ms, 0, clocks_ms);
        if self.branch.is_none() {
            self.line.push_legal_move(played, elapsed_ms, 0, clocks_ms);
            self.n_shown_plies = self.line.plies.len();
        }
    }

    /// Discards the variation and shows the position where it left the main line. Returns `false` if the main line is shown
    /// already.
    pub(crate) fn revert_to_main_line(&mut self) -> bool {
        let Some(branch) = self.branch.take() else { return false };
        self.n_shown_plies = branch;
        self.line = self.main.clone();
        true
    }

    /// Returns the ply that led to the shown position; `None` at the start.
    fn shown_ply(&self) -> Option<&Ply> {
        let n_plies = self.n_shown_plies.checked_sub(1).filter(|_| self.setup.is_none());
        n_plies.and_then(|at| self.line.plies.get(at))
    }

    /// Returns both clocks in the shown position, in milliseconds.
    fn shown_clocks_ms(&self) -> Sides<i64> {
        self.shown_ply().map_or(self.clocks_ms, |ply| ply.clocks_ms)
    }

    /// Formats the board for a viewer, without its last line end.
    pub(crate) fn format_board(&self, view: BoardViewer) -> String {
        let line = BoardLine {
            header: &self.header,
            position: self.shown_position(),
            last: self.shown_ply(),
            clocks_ms: self.shown_clocks_ms(),
            is_ticking: false,
        };
        line.format(view)
    }
}
