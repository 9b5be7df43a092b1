//! Simuls: one player, the giver, plays several games and goes from board to board.
//!
//! Source of the forms: transcripts uhlinfics-simul-*.

use kibitzer_core::chess::Color;
use kibitzer_core::message::GameId;

use super::boards::BoardReason;
use super::{ConnectionId, World};
use crate::play::{Sides, Terms};

impl World {
    /// Starts an untimed, unrated game between the giver of a simul, who has White, and an opponent, as a further board. The
    /// giver stays at the current board, if there is one.
    pub(super) fn start_simul_game(&mut self, giver: ConnectionId, opponent: ConnectionId) {
        // Starting a game makes it the current board; the giver stays at the former one.
        let at = self.lobby.own_game(giver);
        self.start_game(Sides { white: giver, black: opponent }, Terms::unrated(0, 0), Some(giver));
        let number = self.lobby.own_game(opponent);
        if let Some(player) = self.lobby.player_mut(giver) {
            player.simul.extend(number);
            player.game = at.or(number);
        }
        self.notify_of_giver_distances(giver);
    }

    /// Moves the giver forward by this number of boards, beyond the last one to the first. The current opponent receives the
    /// giver's name and `words`; the offers about that game are removed. Does nothing if there is no other board.
    pub(crate) fn move_simul_giver(&mut self, giver: ConnectionId, steps: usize, words: &str) {
        let (boards, former) = (self.lobby.simul_games(giver).to_vec(), self.lobby.own_game(giver));
        let at = boards.iter().position(|&board| Some(board) == former).unwrap_or(0);
        let Some(&next) = boards.get((at + steps) % boards.len().max(1)).filter(|&&next| Some(next) != former) else {
            return;
        };
        if let Some(opponent) = self.online_opponent_of(giver) {
            self.remove_game_offers_made_by(&[giver, opponent]);
            let text = format!("{} {words}.\n", self.lobby.player_name(giver));
            self.lobby.notify(opponent, &text);
        }
        self.lobby.set_own_game(giver, Some(next));
        self.queue_board(next, giver, BoardReason::Other);
        self.notify_of_giver_distances(giver);
    }

    /// Removes a finished game from a simul. The giver goes to the next board if this was the current one. Does nothing for a
    /// game that is not part of one.
    pub(super) fn finish_simul_board(&mut self, giver: ConnectionId, number: GameId) {
        let Some(player) = self.lobby.player_mut(giver) else { return };
        let Some(index) = player.simul.iter().position(|&board| board == number) else { return };
        player.simul.remove(index);
        let n_left = player.simul.len();
        let next = player.simul.get(index % n_left.max(1)).copied();
        let has_to_go = player.game == Some(number) || player.game.is_none();
        if has_to_go {
            player.game = next;
        }
        self.lobby.notify(giver, &format!("Board {} has completed.\n", index + 1));
        let Some(next) = next else {
            return self.lobby.notify(giver, "That was the last board, thanks for playing.\n");
        };
        if has_to_go {
            self.notify_board(next, giver, BoardReason::Other);
        }
        self.lobby.notify(giver, &format!("There are {n_left} boards left.\n"));
        self.notify_of_giver_distances(giver);
    }

    /// Reports to each opponent of a simul how many boards away the giver is.
    fn notify_of_giver_distances(&mut self, giver: ConnectionId) {
        let (boards, name) = (self.lobby.simul_games(giver).to_vec(), self.lobby.player_name(giver));
        let at = boards.iter().position(|&board| Some(board) == self.lobby.own_game(giver)).unwrap_or(0);
        for (distance, &number) in boards.iter().cycle().skip(at).take(boards.len()).enumerate() {
            let game = self.games.played(number);
            let Some(opponent) = game.and_then(|game| self.online_player(game, Color::Black)) else { continue };
            let text = match distance {
                0 => format!("{name} is at your board!\n"),
                1 => format!("{name} will be at your board NEXT!\n"),
                distance => format!("{name} is {distance} boards away.\n"),
            };
            self.lobby.notify(opponent, &text);
        }
    }
}
