//! A game that is examined.

use std::time::SystemTime;

use kibitzer_core::chess::{Color, Role};
use kibitzer_core::message::GameId;

use super::{BoardLine, Ending, Game, Ply, Record, Seat, Sides, Terms, View, holding_line};
use crate::chess::{Move, Position};

/// A game that is gone through: forward and back along its main line, and off it.
#[derive(Clone, Debug)]
pub(crate) struct Examined {
    id: GameId,
    terms: Terms,
    seats: Sides<Seat>,
    started: SystemTime,
    /// The game as it was played.
    main: Record,
    /// The line that is looked at: the main line, or one that leaves it.
    line: Record,
    /// Plies after which the line leaves the main one.
    branch: Option<usize>,
    /// Plies of the line that stand on the board.
    at: usize,
    /// How the game ended.
    ending: Option<Ending>,
    /// The clocks before the first ply.
    clocks_ms: Sides<i64>,
}

/// Where a return to the main line led.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reverted {
    /// To this move of it, from 1.
    ToMove(u32),
    /// Nowhere: it had not been left.
    NotLeft,
}

impl Examined {
    /// An empty board, on which whoever examines can play anything; both names are the examiner's.
    pub(crate) fn scratch(id: GameId, examiner: Seat, started: SystemTime) -> Self {
        Self::from_start(id, Terms::unrated(0, 0), Sides::both(examiner), started)
    }

    /// A game that is played elsewhere and relayed from its start, with its clocks.
    pub(crate) fn relay(id: GameId, terms: Terms, seats: Sides<Seat>, started: SystemTime) -> Self {
        let clocks_ms = Sides::both(terms.initial_ms());
        Self { clocks_ms, ..Self::from_start(id, terms, seats, started) }
    }

    fn from_start(id: GameId, terms: Terms, seats: Sides<Seat>, started: SystemTime) -> Self {
        let main = Record::new(Position::start(terms.variant));
        let line = main.clone();
        Self { id, terms, seats, started, main, line, branch: None, at: 0, ending: None, clocks_ms: Sides::both(0) }
    }

    /// A finished game, from its start.
    pub(crate) fn of_game(id: GameId, game: &Game) -> Self {
        let seats = Sides { white: game.seat(Color::White).clone(), black: game.seat(Color::Black).clone() };
        let mut examined = Self::relay(id, game.terms(), seats, game.started());
        examined.main = game.record().clone();
        examined.line = examined.main.clone();
        examined.ending = game.ending();
        examined
    }

    /// The number of the game.
    pub(crate) const fn id(&self) -> GameId {
        self.id
    }

    pub(crate) const fn terms(&self) -> Terms {
        self.terms
    }

    pub(crate) const fn seats(&self) -> Sides<&Seat> {
        Sides { white: &self.seats.white, black: &self.seats.black }
    }

    pub(crate) const fn started(&self) -> SystemTime {
        self.started
    }

    /// The game as it was played.
    #[cfg(test)]
    pub(crate) const fn main_line(&self) -> &Record {
        &self.main
    }

    /// The line that is looked at: the main line, or one that leaves it.
    pub(crate) const fn line(&self) -> &Record {
        &self.line
    }

    pub(crate) fn position(&self) -> &Position {
        self.line.position_after(self.at)
    }

    /// How the game ended, if its last position is on the board.
    pub(crate) fn ending_here(&self) -> Option<Ending> {
        self.ending.filter(|_| self.branch.is_none() && self.at == self.line.len())
    }

    /// Goes forward along the line; how many plies it went, fewer at the end.
    pub(crate) fn forward(&mut self, plies: usize) -> usize {
        let went = plies.min(self.line.len() - self.at);
        self.at += went;
        went
    }

    /// Goes back; how many plies it went, fewer at the start.
    pub(crate) fn backward(&mut self, plies: usize) -> usize {
        let went = plies.min(self.at);
        self.at -= went;
        went
    }

    /// Plays a legal move: goes along the line if it is the line's next, else leaves it.
    ///
    /// A line that ends is prolonged; a main line is so only where a game is [relayed](Self::relay_move).
    pub(crate) fn play(&mut self, played: Move) {
        let next = self.line.plies().get(self.at).map(|ply| ply.played);
        if next != Some(played) {
            self.branch.get_or_insert(self.at);
            self.branch = self.branch.map(|branch| branch.min(self.at));
            self.line.truncate(self.at);
            self.line.push(played, 0, 0, self.clocks_ms());
        }
        self.at += 1;
    }

    /// Adds a move to the main line, with the time it took and the clocks after it, and shows it unless another line is
    /// looked at.
    pub(crate) fn relay_move(&mut self, played: Move, elapsed_ms: u64, clocks_ms: Sides<i64>) {
        self.main.push(played, elapsed_ms, 0, clocks_ms);
        if self.branch.is_none() {
            self.line.push(played, elapsed_ms, 0, clocks_ms);
            self.at = self.line.len();
        }
    }

    /// The relayed game is over.
    pub(crate) const fn relay_end(&mut self, ending: Ending) {
        self.ending = Some(ending);
    }

    /// Goes back to where the main line was left.
    pub(crate) fn revert(&mut self) -> Reverted {
        let Some(branch) = self.branch.take() else { return Reverted::NotLeft };
        self.line = self.main.clone();
        self.at = branch;
        Reverted::ToMove(self.position().move_number())
    }

    /// The last ply on the board.
    fn last(&self) -> Option<&Ply> {
        self.at.checked_sub(1).and_then(|at| self.line.plies().get(at))
    }

    fn clocks_ms(&self) -> Sides<i64> {
        self.last().map_or(self.clocks_ms, |ply| ply.clocks_ms)
    }

    /// The board, for one who looks at it.
    pub(crate) fn board(&self, view: View) -> String {
        let line = BoardLine {
            game: self.id,
            names: Sides { white: self.seats.white.name.as_str(), black: self.seats.black.name.as_str() },
            terms: self.terms,
            position: self.position(),
            last: self.last(),
            clocks_ms: self.clocks_ms(),
            is_ticking: false,
            is_examined: true,
        };
        line.print(view)
    }

    /// What both sides hold; `None` in variants without hands.
    pub(crate) fn holding(&self, passed: Option<(Color, Role)>) -> Option<String> {
        self.terms.variant.has_hands().then(|| holding_line(self.id, &self.position().hands(), passed))
    }
}
