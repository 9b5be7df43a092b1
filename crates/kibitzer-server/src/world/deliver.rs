//! The forms in which something is sent to a player.
//!
//! Source: transcripts `fatics-*`; observed-fatics §5.

use super::{ConnectionId, Flag, Ivar, Player, Text, World};
use crate::family::Family;

impl World {
    /// Part of a reply; long lines are broken if the client wants that.
    pub(crate) fn put(&mut self, to: ConnectionId, text: &str) {
        if let Some(connection) = self.connection_mut(to) {
            connection.put(text);
        }
    }

    /// Part of a reply whose lines are never broken.
    pub(crate) fn put_whole(&mut self, to: ConnectionId, text: &str) {
        if let Some(connection) = self.connection_mut(to) {
            connection.put_whole(text);
        }
    }

    pub(crate) fn put_bytes(&mut self, to: ConnectionId, bytes: &[u8]) {
        if let Some(connection) = self.connection_mut(to) {
            connection.put_bytes(bytes);
        }
    }

    /// Something the player did not ask for: behind a line end, which ends the line of the prompt, and in front of a prompt.
    pub(crate) fn notify(&mut self, to: ConnectionId, text: &str) {
        self.put(to, &format!("\n{text}"));
        self.prompt(to);
    }

    /// The same with lines that are never broken.
    pub(crate) fn notify_whole(&mut self, to: ConnectionId, text: &str) {
        self.put_whole(to, &format!("\n{text}"));
        self.prompt(to);
    }

    /// Something the player did not ask for that some servers print right behind the prompt.
    pub(crate) fn glue(&mut self, to: ConnectionId, text: &str) {
        self.put_whole(to, text);
        self.prompt(to);
    }

    /// The bell, if the player wants to hear it.
    ///
    /// Source: transport rule L4.
    pub(crate) fn ring(&mut self, to: ConnectionId) {
        if self.player(to).is_some_and(|player| player.keepsake.variables.is_set(Flag::Bell)) {
            self.put_bytes(to, b"\x07");
        }
    }

    pub(crate) fn prompt(&mut self, to: ConnectionId) {
        let Some(connection) = self.connection(to).filter(|connection| connection.levels.has_prompt()) else { return };
        let family = connection.family;
        let Some(prompt) = connection.player().map(|player| self.prompt_of(player, family)) else { return };
        self.put_whole(to, &prompt);
    }

    fn prompt_of(&self, player: &Player, family: Family) -> String {
        let variables = &player.keepsake.variables;
        if player.ivars.is_set(Ivar::DefPrompt) {
            return family.prompt().to_owned();
        }
        let own = variables.text(Text::Prompt);
        let prompt = if own.is_empty() { family.prompt() } else { own };
        if variables.is_set(Flag::Ptime) { format!("{}_{prompt}", self.date().clock()) } else { prompt.to_owned() }
    }
}
