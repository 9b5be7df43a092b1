//! Chooses the game on the board.

use std::time::Duration;

use kibitzer::core::message::GameId;

use super::{App, Pane};
use crate::console::model::{ConsoleRow, GameSnapshot};

/// Maximum number of boards in the grid, more than fit on most screens.
const MAX_BOARDS: usize = 64;

impl App {
    /// Returns the game on the board: the pinned one, else that of the selected older row, else the automatic choice.
    pub(crate) fn game(&self) -> Option<GameId> {
        let selected = self.list.selected().filter(|_| !self.list.follows()).and_then(|row| self.model.rows.get(row));
        let of_row = selected.and_then(ConsoleRow::game).filter(|game| self.model.games.contains_key(game));
        self.pinned_game.or(of_row).or(self.auto_game)
    }

    /// Returns the games to draw, that game first: with the other board of a bughouse match, and in the grid with all games in
    /// progress. Each as it is now, or at the selected older row, and with the time since its clocks were reported.
    pub(crate) fn boards(&self, now: Duration) -> Vec<(GameSnapshot, Duration)> {
        let all = self.model.games.iter().filter(|(_, game)| self.alone == Some(Pane::Grid) && game.snapshot.followed);
        let mut games: Vec<_> = self.game().into_iter().chain(self.partner_game()).collect();
        games.extend(all.map(|(id, _)| *id).filter(|id| !games.contains(id)).take(MAX_BOARDS).collect::<Vec<_>>());
        self.snapshots(&games, now)
    }

    /// Returns the other game of the bughouse match on the board, if its board was received. If the server did not report it, as to
    /// observers on some servers, it is the only other game with reserves that may be one of bughouse.
    pub(crate) fn partner_game(&self) -> Option<GameId> {
        let game = self.game()?;
        let shown = &self.model.games.get(&game)?.snapshot;
        if let Some(partner) = shown.partner {
            return Some(partner).filter(|partner| self.model.games.contains_key(partner));
        }
        let games = self.model.games.values().map(|other| &other.snapshot);
        let mut others = games.filter(|other| other.id() != game && other.may_be_bughouse());
        let only = others.next().filter(|_| shown.may_be_bughouse() && others.next().is_none());
        only.map(|other| other.id())
    }

    /// Returns these games as they are now, or at the selected older row, with the time since their clocks were reported.
    pub(super) fn snapshots(&self, games: &[GameId], now: Duration) -> Vec<(GameSnapshot, Duration)> {
        if let Some(row) = self.older_row() {
            let earlier = self.model.games_at_row(games, row).into_iter();
            return earlier.map(|snapshot| (snapshot, Duration::ZERO)).collect();
        }
        let tracked = games.iter().filter_map(|game| self.model.games.get(game));
        tracked.map(|game| ((*game.snapshot).clone(), now.saturating_sub(game.since))).collect()
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
    pub(super) fn toggle_game_pin(&mut self) {
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
