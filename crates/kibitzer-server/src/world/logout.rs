//! End of sessions: timeouts, a second login of the same player, and what a departing player leaves behind.

use std::time::Duration;

use super::{ConnectionId, Deadline, World};

/// Time without a command after which a player without a game is logged out.
pub(super) const IDLE_TIMEOUT: Duration = Duration::from_hours(1);

impl World {
    /// Ends the earlier session of a player who has logged in on another connection, with the text that recorded servers send.
    pub(super) fn end_displaced_session(&mut self, former: ConnectionId) {
        let name = self.lobby.player_name(former);
        self.lobby.queue_text(former, &format!("**** {name} has arrived - you can't both be logged in. ****\n\n"));
        self.log_out_and_close(former);
    }

    /// Reports to a client that its login took too long, and closes the connection.
    pub(super) fn time_out_login(&mut self, id: ConnectionId) {
        self.lobby.queue_text(id, "\n**** LOGIN TIMEOUT ****\n");
        self.log_out_and_close(id);
    }

    /// Logs out a player who was idle for too long and has no game, and closes the connection. Otherwise sets the next deadline.
    /// Does nothing for a connection without a player.
    pub(super) fn log_out_if_idle_or_reschedule(&mut self, id: ConnectionId) {
        let Some(player) = self.lobby.player(id) else { return };
        let limit = player.last_command + IDLE_TIMEOUT;
        if limit > self.now() {
            return self.schedule.set(Deadline::Idle(id), limit);
        }
        // A player of a game is not logged out.
        if self.lobby.own_game(id).is_some() {
            return self.schedule.set(Deadline::Idle(id), self.now() + IDLE_TIMEOUT);
        }
        self.lobby.queue_text(id, "\n**** Auto-logout because you were idle more than 60 minutes. ****\n");
        self.log_out_and_close(id);
    }

    /// Logs out the player of a connection: ends or leaves the player's games, removes seeks, offers and the partnership, and
    /// announces the departure. Removes a guest's history. The connection remains and waits for a name. Without a player, only
    /// sets that stage.
    pub(super) fn log_out_player(&mut self, id: ConnectionId) {
        self.leave_all_games(id);
        if !self.remove_and_report_seeks_of(id).is_empty() {
            self.lobby.queue_text(id, "Your seeks have been removed.\n");
        }
        self.remove_offers_of_departing(id);
        if self.lobby.end_partnership_and_notify_partner(id) {
            self.lobby.queue_text(id, "You no longer have a bughouse partner.\n");
        }
        let Some(player) = self.lobby.log_out_and_save_settings(id) else { return };
        self.lobby.announce_presence_change(player.name(), ["disconnected", "departed"]);
        if !player.is_registered {
            self.games.remove_history(player.name());
        }
    }
}
