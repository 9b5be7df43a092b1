//! Announcements, terms and reserves that the server sends before the first board of a game.

use std::collections::VecDeque;

use crate::chess::Hands;
use crate::message::{GameCreated, GameId, GameInfo, IccGameStartReason, MyGameRole};

/// Maximum number of games for which reports are kept until their board arrives; the oldest is dropped.
pub(super) const MAX_ANNOUNCED_GAMES: usize = 64;

/// Reports about a game number that arrived before the first board of its game; `None` for each that has not arrived.
#[derive(Clone, Debug, Default)]
pub(super) struct AnnouncedGame {
    number: GameId,
    pub(super) created: Option<GameCreated>,
    pub(super) info: Option<GameInfo>,
    pub(super) hands: Option<Hands>,
    pub(super) role: Option<MyGameRole>,
}

/// Reports about games whose board has not arrived, at most [`MAX_ANNOUNCED_GAMES`] games, the latest last.
#[derive(Clone, Debug, Default)]
pub(super) struct AnnouncedGames {
    games: VecDeque<AnnouncedGame>,
}

impl AnnouncedGame {
    /// Records the announcement of a game. Discards reports that may belong to an earlier one: the terms and the role, and the
    /// reserves if the number was announced before or had a game (`number_had_game`).
    ///
    /// A repeated announcement changes nothing: some servers announce twice.
    pub(super) fn set_announcement_and_reset(&mut self, created: &GameCreated, number_had_game: bool) {
        if self.created.as_ref() == Some(created) {
            return;
        }
        // Earlier reports may belong to an earlier game. Reserves of a number without a game belong to the announced one.
        if number_had_game || self.created.is_some() {
            self.hands = None;
        }
        (self.info, self.role) = (None, None);
        self.created = Some(created.clone());
    }

    /// Records the terms of the game. A list that does not show the relation of this login to the game keeps the known relation.
    pub(super) fn set_terms_keeping_relation(&mut self, info: &GameInfo) {
        let known = self.info.take().unwrap_or_default();
        let mut info = info.clone();
        if let (Some(start), Some(kind)) = (&mut info.start, known.start.as_ref().map(|start| start.kind))
            && matches!(start.kind, IccGameStartReason::Foreign | IccGameStartReason::Changed)
        {
            start.kind = kind;
        }
        info.complete_from(&known);
        self.info = Some(info);
    }
}

impl AnnouncedGames {
    /// Moves the entry of this number to the end of the list, or appends an empty one, and returns it. A list of
    /// [`MAX_ANNOUNCED_GAMES`] entries first loses its oldest one.
    pub(super) fn move_to_latest_or_insert(&mut self, number: GameId) -> &mut AnnouncedGame {
        let reports = self.take(number).unwrap_or_else(|| AnnouncedGame { number, ..AnnouncedGame::default() });
        if self.games.len() >= MAX_ANNOUNCED_GAMES {
            self.games.pop_front();
        }
        self.games.push_back_mut(reports)
    }

    /// Returns the reports about this number; `None` without any.
    pub(super) fn get(&self, number: GameId) -> Option<&AnnouncedGame> {
        self.games.iter().rfind(|reports| reports.number == number)
    }

    /// Removes and returns the reports about this number; `None` without any.
    pub(super) fn take(&mut self, number: GameId) -> Option<AnnouncedGame> {
        let at = self.games.iter().rposition(|reports| reports.number == number)?;
        self.games.remove(at)
    }

    /// Returns the number of games with reports.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.games.len()
    }
}
