//! Chooses the game on the board.

use kibitzer::core::message::{GameId, Relation};

use super::{App, Pane};
use crate::console::model::{ConsoleRow, GameSnapshot};

/// Maximum number of boards in the grid, more than fit on most screens.
const MAX_BOARDS: usize = 64;

impl App {
    /// Returns the game in progress that the user plays: the pinned one if the user plays it, otherwise one in which it is the
    /// user's move. `None` without one, in a recording, without write access, and if a bot plays.
    pub(super) fn own_game(&self) -> Option<&GameSnapshot> {
        let may_play = self.source.accepts_lines() && !self.source.has_bot();
        let is_own = |game: &&GameSnapshot| may_play && game.followed && game.board.relation().is_mine();
        let games = self.model.games.values().map(|game| &**game).filter(is_own);
        games.max_by_key(|game| (Some(game.id()) == self.pinned_game, game.board.relation() == Relation::MyTurn))
    }

    /// Ends the pause of the list, and unpins the pinned game, if the user plays a game.
    pub(super) fn return_to_own_game(&mut self) {
        if self.own_game().is_some() {
            self.list.follow_end();
            self.pinned_game = None;
        }
    }

    /// Returns the game on the board: the user's own if it waits for a move or no game is pinned; otherwise the pinned one,
    /// otherwise that of the selected row while the list is paused, otherwise the automatic choice. `None` before the first board.
    pub(crate) fn shown_game(&self) -> Option<GameId> {
        let own = self.own_game();
        let shows_own = |own: &&GameSnapshot| self.pinned_game.is_none() || own.board.relation() == Relation::MyTurn;
        if let Some(own) = own.filter(shows_own) {
            return Some(own.id());
        }
        let selected = self.selected_row().filter(|_| self.list.is_paused);
        let of_row = selected.and_then(ConsoleRow::game).filter(|game| self.model.games.contains_key(game));
        self.pinned_game.or(of_row).or(self.auto_game)
    }

    /// Returns the games to draw: the shown game, the other board of its bughouse match and, in the grid, up to 64 other games in
    /// progress. Each is as it is now, or was at the selected older row.
    pub(crate) fn shown_boards(&self) -> Vec<GameSnapshot> {
        let all = self.model.games.iter().filter(|(_, game)| self.alone == Some(Pane::Grid) && game.followed);
        let mut games: Vec<_> = self.shown_game().into_iter().chain(self.partner_of_shown_game()).collect();
        games.extend(all.map(|(id, _)| *id).filter(|id| !games.contains(id)).take(MAX_BOARDS).collect::<Vec<_>>());
        self.snapshots_at_selection(&games)
    }

    /// Returns the other game of the bughouse match on the board, if its board was received. If the server did not name it, as
    /// some servers do not for observers, returns the only other game that may be bughouse; `None` if there are several.
    pub(crate) fn partner_of_shown_game(&self) -> Option<GameId> {
        let game = self.shown_game()?;
        let shown = self.model.games.get(&game)?;
        if let Some(partner) = shown.partner {
            return Some(partner).filter(|partner| self.model.games.contains_key(partner));
        }
        let games = self.model.games.values();
        let mut others = games.filter(|other| other.id() != game && other.may_be_bughouse());
        let only = others.next().filter(|_| shown.may_be_bughouse() && others.next().is_none());
        only.map(|other| other.id())
    }

    /// Returns these games as they are now or, with stopped clocks, as they were at the [row of the boards](Self::row_of_boards).
    /// Leaves out games without a stored board.
    pub(super) fn snapshots_at_selection(&self, games: &[GameId]) -> Vec<GameSnapshot> {
        match self.row_of_boards() {
            Some(row) => self.model.games_at_row(games, row),
            None => games.iter().filter_map(|game| self.model.games.get(game)).map(|game| (**game).clone()).collect(),
        }
    }

    /// Returns the older row whose boards are shown: the selected one. `None` if they are shown as they are now: without a
    /// selection, while it follows the newest row, at the newest stored row, and always if the user plays the shown game.
    pub(crate) fn row_of_boards(&self) -> Option<u64> {
        let own = self.own_game().map(GameSnapshot::id);
        let is_older = |row: &u64| self.list.is_paused && *row < self.model.rows.newest;
        self.list.selected_number().filter(is_older).filter(|_| own.is_none() || own != self.shown_game())
    }

    /// Pins a game to the board; `None` unpins. Shows an error for a game without a board, and for one that is not shown, because
    /// another game waits for the user's move.
    pub(super) fn pin_game(&mut self, game: Option<GameId>) {
        match game {
            Some(game) if !self.model.games.contains_key(&game) => {
                self.show_error(format!("the server has not sent a board of game {game} yet"));
            }
            game => {
                self.pinned_game = game;
                if let Some(shown) = self.shown_game().filter(|shown| game.is_some_and(|game| game != *shown)) {
                    self.show_error(format!("game {shown} waits for your move; its board stays until then"));
                }
            }
        }
    }

    /// Pins the game that is `places` after the shown one, in the order of numbers; the first one if none is shown. Does nothing
    /// beyond the first and the last.
    pub(super) fn pin_neighboring_game(&mut self, places: isize) {
        let games: Vec<_> = self.model.games.keys().copied().collect();
        let at = self.shown_game().and_then(|game| games.iter().position(|other| *other == game));
        let to = at.map_or(Some(0), |at| at.checked_add_signed(places));
        if let Some(&game) = to.and_then(|to| games.get(to)) {
            self.pin_game(Some(game));
        }
    }

    /// Makes a game the automatic choice if no game is. A followed game in progress also replaces a choice that is over or no
    /// longer followed; if the user plays it, it replaces any choice. Ignores a game without a stored board.
    pub(super) fn consider_auto_game(&mut self, game: GameId) {
        let Some(new) = self.model.games.get(&game) else { return };
        let known = self.auto_game.and_then(|auto_game| self.model.games.get(&auto_game));
        let is_mine = new.board.relation().is_mine();
        let is_better = new.followed && known.is_none_or(|known| !known.followed || is_mine);
        if self.auto_game.is_none() || is_better {
            self.auto_game = Some(game);
        }
    }
}
