//! Writes the games.

use super::player::BotPlayer;
use crate::pgn::{PgnGame, append_game, replace_games};
use crate::policy::Policy;
use crate::tracker::{GameKey, TrackedChange, TrackedChangeKind, TrackedGame, TrackedState};

impl<P: Policy + Clone> BotPlayer<P> {
    /// Replaces the live file, and appends a game that is over. A file that cannot be written is reported, and the bot plays on.
    pub(super) fn update_pgn_files(&self, change: TrackedChange) {
        let is_over = matches!(change.kind, TrackedChangeKind::Ended | TrackedChangeKind::Left);
        // Most bots have no live file, and need the whole game at its end only.
        if self.config.pgn.live_file.is_none() && !is_over {
            return;
        }
        let Some(game) = self.games.game(change.game) else { return };
        if let Some(path) = &self.config.pgn.live_file {
            self.ok_or_report(Some(change.game), replace_games(path, &[&game]));
        }
        if is_over {
            self.append_to_pgn_file(change.game, &game);
        }
    }

    /// Appends the games that were in progress or adjourned when the bot stopped.
    pub(super) fn append_unfinished_games(&self) {
        use TrackedState::{Adjourned, Interrupted, Playing};
        let is_unfinished = |game: &&TrackedGame| matches!(game.state(), Playing | Interrupted | Adjourned);
        for key in self.games.tracker().iter().filter(is_unfinished).map(TrackedGame::key) {
            if let Some(game) = self.games.game(key) {
                self.append_to_pgn_file(key, &game);
            }
        }
    }

    /// Appends a game to the file of the settings, if there is one; reports an error.
    fn append_to_pgn_file(&self, key: GameKey, game: &PgnGame) {
        if let Some(path) = &self.config.pgn.file {
            self.ok_or_report(Some(key), append_game(path, game));
        }
    }
}
