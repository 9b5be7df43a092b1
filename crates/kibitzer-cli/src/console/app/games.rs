//! Which game the board shows.

use std::time::Duration;

use kibitzer::core::message::GameId;

use super::App;
use crate::console::model::card::Card;
use crate::console::model::row::Row;

impl App {
    /// The game the board shows: the one asked for, that of an older row that is looked at, or the one found.
    pub(in crate::console) fn game(&self) -> Option<GameId> {
        let selected = self.list.selected().filter(|_| !self.list.follows()).and_then(|row| self.model.rows.get(row));
        let of_row = selected.and_then(Row::game).filter(|game| self.model.games.contains_key(game));
        self.pinned.or(of_row).or(self.found)
    }

    /// That game as it is now, or as it was when an older row came; with how long ago its clocks were told.
    pub(in crate::console) fn card(&self, now: Duration) -> Option<(Card, Duration)> {
        let game = self.game()?;
        if let Some(row) = self.list.selected().filter(|_| !self.list.follows() && self.list.n_behind() > 0) {
            return self.model.game_at(game, row).map(|card| (card, Duration::ZERO));
        }
        let tracked = self.model.games.get(&game)?;
        Some(((*tracked.card).clone(), now.saturating_sub(tracked.since)))
    }

    pub(super) fn pin(&mut self, game: Option<GameId>) {
        match game {
            Some(game) if !self.model.games.contains_key(&game) => {
                self.wrong(format!("no board of game {game} has come yet"));
            }
            game => self.pinned = game,
        }
    }

    pub(super) fn pin_beside(&mut self, places: isize) {
        let games: Vec<_> = self.model.games.keys().copied().collect();
        let at = self.game().and_then(|game| games.iter().position(|other| *other == game));
        let to = at.map_or(Some(0), |at| at.checked_add_signed(places));
        if let Some(&game) = to.and_then(|to| games.get(to)) {
            self.pinned = Some(game);
        }
    }

    /// Finds the game to show among all of them.
    pub(super) fn find_games(&mut self) {
        let games: Vec<_> = self.model.games.keys().copied().collect();
        for game in games {
            self.find_game(game);
        }
    }

    /// Shows a new game if the one that is shown is over, and one's own at once.
    pub(super) fn find_game(&mut self, game: GameId) {
        let Some(new) = self.model.games.get(&game) else { return };
        let known = self.found.and_then(|found| self.model.games.get(&found));
        let is_mine = new.card.board.relation().is_mine();
        let is_better = new.card.followed && known.is_none_or(|known| !known.card.followed || is_mine);
        if self.found.is_none() || is_better {
            self.found = Some(game);
        }
    }
}
