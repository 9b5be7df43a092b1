//! A game that is examined.

use std::time::SystemTime;

use kibitzer_core::message::GameId;

use super::board_line::BoardLine;
use super::{BoardView, Ending, Game, GameHeader, MoveRecord, Ply, SeatedPlayer, Sides, Terms};
use crate::chess::{Move, Position};

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
    ending: Option<Ending>,
    /// Whether it started from an empty board instead of a game.
    pub(crate) is_scratch: bool,
    /// Both clocks before the first ply.
    clocks_ms: Sides<i64>,
}

impl ExaminedGame {
    /// Creates an empty board on which the examiner may play both sides; both names are the examiner's.
    pub(crate) fn scratch(id: GameId, examiner: SeatedPlayer, started: SystemTime) -> Self {
        let header = GameHeader { id, terms: Terms::unrated(0, 0), seats: Sides::both(examiner), started };
        Self { clocks_ms: Sides::both(0), is_scratch: true, ..Self::relay(header) }
    }

    /// Creates a game that is played elsewhere and relayed from its start, with its clocks.
    pub(crate) fn relay(header: GameHeader) -> Self {
        let main = MoveRecord::new(Position::start(header.terms.variant));
        let clocks_ms = Sides::both(header.terms.initial_ms());
        Self {
            header,
            line: main.clone(),
            main,
            branch: None,
            n_shown_plies: 0,
            ending: None,
            is_scratch: false,
            clocks_ms,
        }
    }

    /// Creates an examined copy of a finished game, at its start position.
    pub(crate) fn of_game(id: GameId, game: &Game) -> Self {
        let header = GameHeader { id, ..game.header.clone() };
        let (main, ending) = (game.record.clone(), game.ending);
        Self { line: main.clone(), main, ending, ..Self::relay(header) }
    }

    pub(crate) fn position(&self) -> &Position {
        self.line.position_after(self.n_shown_plies)
    }

    /// Returns how the game ended; `None` if it has no ending, or the board does not show its final position.
    pub(crate) fn ending_if_final(&self) -> Option<Ending> {
        self.ending.filter(|_| self.branch.is_none() && self.n_shown_plies == self.line.plies.len())
    }

    /// Moves forward along the line, at most to its end, and returns the number of plies moved.
    pub(crate) fn forward(&mut self, plies: usize) -> usize {
        let n_moved = plies.min(self.line.plies.len() - self.n_shown_plies);
        self.n_shown_plies += n_moved;
        n_moved
    }

    /// Moves backward, at most to the start, and returns the number of plies moved.
    pub(crate) fn backward(&mut self, plies: usize) -> usize {
        let n_moved = plies.min(self.n_shown_plies);
        self.n_shown_plies -= n_moved;
        n_moved
    }

    /// Plays a legal move: goes forward if it is the next move of the line, otherwise replaces the rest of the line by a variation.
    ///
    /// A move after the last one of the main line is a variation too; only [`add_relayed_move`](Self::add_relayed_move) extends that line.
    pub(crate) fn play(&mut self, played: Move) {
        let next = self.line.plies.get(self.n_shown_plies).map(|ply| ply.played);
        if next != Some(played) {
            self.branch.get_or_insert(self.n_shown_plies);
            self.branch = self.branch.map(|branch| branch.min(self.n_shown_plies));
            self.line.plies.truncate(self.n_shown_plies);
            self.line.push(played, 0, 0, self.clocks_ms());
        }
        self.n_shown_plies += 1;
    }

    /// Adds a move to the main line, with its time and the clocks after it. Shows it unless a variation is on the board.
    pub(crate) fn add_relayed_move(&mut self, played: Move, elapsed_ms: u64, clocks_ms: Sides<i64>) {
        self.main.push(played, elapsed_ms, 0, clocks_ms);
        if self.branch.is_none() {
            self.line.push(played, elapsed_ms, 0, clocks_ms);
            self.n_shown_plies = self.line.plies.len();
        }
    }

    /// Records how the relayed game ended.
    pub(crate) const fn record_relay_ending(&mut self, ending: Ending) {
        self.ending = Some(ending);
    }

    /// Goes back to the position where the variation left the main line, and returns its move number. Does nothing
    /// on the main line, and returns `None`.
    pub(crate) fn revert(&mut self) -> Option<u32> {
        self.n_shown_plies = self.branch.take()?;
        self.line = self.main.clone();
        Some(self.position().move_number)
    }

    /// Returns the ply that led to the position on the board; `None` at the start.
    fn last(&self) -> Option<&Ply> {
        self.n_shown_plies.checked_sub(1).and_then(|at| self.line.plies.get(at))
    }

    /// Returns the clocks after the ply on the board.
    fn clocks_ms(&self) -> Sides<i64> {
        self.last().map_or(self.clocks_ms, |ply| ply.clocks_ms)
    }

    /// Formats the board for a viewer, without its last line end.
    pub(crate) fn board(&self, view: BoardView) -> String {
        let line = BoardLine {
            header: &self.header,
            position: self.position(),
            last: self.last(),
            clocks_ms: self.clocks_ms(),
            is_ticking: false,
        };
        line.format(view)
    }
}
