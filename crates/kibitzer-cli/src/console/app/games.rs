//! Chooses the game on the board.

use std::time::Duration;

use kibitzer::core::message::GameId;

use super::App;
use crate::console::model::{ConsoleRow, GameSnapshot};

impl App {
    /// Returns the game on the board: the pinned one, else that of the selected older row, else the automatic choice.
    pub(crate) fn game(&self) -> Option<GameId> {
        let selected = self.list.selected().filter(|_| !self.list.follows()).and_then(|row| self.model.rows.get(row));
        let of_row = selected.and_then(ConsoleRow::game).filter(|game| self.model.games.contains_key(game));
        self.pinned_game.or(of_row).or(self.auto_game)
    }

    /// Returns that game now, or at the selected older row, and the time since its clocks were reported.
    pub(crate) fn snapshot(&self, now: Duration) -> Option<(GameSnapshot, Duration)> {
        let game = self.game()?;
        if let Some(row) = self.older_row() {
            return self.model.game_at_row(game, row).map(|snapshot| (snapshot, Duration::ZERO));
        }
        let tracked = self.model.games.get(&game)?;
        Some(((*tracked.snapshot).clone(), now.saturating_sub(tracked.since)))
    }

    /// Returns the selected row, if newer ones are in the session, listed or not.
    pub(crate) fn older_row(&self) -> Option<u64> {
        self.list.selected().filter(|&row| !self.list.follows() && row < self.model.rows.newest)
    }

    pub(super) fn pin_game(&mut self, game: Option<GameId>) {
        match game {
            Some(game) if !self.model.games.contains_key(&game) => {
                self.show_error(format!("the server has not sent a board of game {game} yet"));
            }
            game => self.pinned_game = game,
        }
    }

    pub(crate) const fn is_pinned(&self) -> bool {
        self.pinned_game.is_some()
    }

    /// Pins the shown game, or unpins the pinned one.
    pub(super) fn toggle_pin(&mut self) {
        self.pinned_game = if self.is_pinned() { None } else { self.game() };
    }

    pub(super) fn pin_neighbor(&mut self, places: isize) {
        let games: Vec<_> = self.model.games.keys().copied().collect();
        let at = self.game().and_then(|game| games.iter().position(|other| *other == game));
        let to = at.map_or(Some(0), |at| at.checked_add_signed(places));
        if let Some(&game) = to.and_then(|to| games.get(to)) {
            self.pinned_game = Some(game);
        }
    }

    /// Reconsiders the automatic choice for all games.
    pub(super) fn choose_auto_game(&mut self) {
        let games: Vec<_> = self.model.games.keys().copied().collect();
        for game in games {
            self.consider_auto_game(game);
        }
    }

    /// Chooses a game if the current one has ended, or if the user plays in the new one.
    pub(super) fn consider_auto_game(&mut self, game: GameId) {
        let Some(new) = self.model.games.get(&game) else { return };
        let known = self.auto_game.and_then(|auto_game| self.model.games.get(&auto_game));
        let is_mine = new.snapshot.board.relation().is_mine();
        let is_better = new.snapshot.followed && known.is_none_or(|known| !known.snapshot.followed || is_mine);
        if self.auto_game.is_none() || is_better {
            self.auto_game = Some(game);
        }
    }
}
