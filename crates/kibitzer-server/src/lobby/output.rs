//! Queueing output. `queue_text` adds to the reply to a command, `notify` sends text of its own with a prompt.
//!
//! Source of the forms: transcripts `fatics-*`; observed-fatics §5.

use kibitzer_core::message::listing::WhoStatus;
use kibitzer_core::message::{Datagram, Ivar};
use kibitzer_core::wire::Timeseal;

use super::{ConnectionId, Lobby, Player};
use crate::calendar::format_date;
use crate::wire::encode_text;

/// Telnet's escape byte, which is doubled within data.
const IAC: u8 = 0xFF;

impl Lobby {
    /// Queues text. Wraps lines longer than the player's `width`, unless the client has switched wrapping off or no player is
    /// logged in.
    pub(crate) fn queue_text(&mut self, to: ConnectionId, text: &str) {
        if let Some(connection) = self.queue_for_output(to) {
            let player = connection.player().filter(|player| !player.ivars.is_set(Ivar::NoWrap));
            let player = player.filter(|_| !connection.levels.is_wrap_off);
            let width = player.map(|player| player.saved.variables.number("width").into());
            encode_text(text, width, connection.family.texts().line_end, &mut connection.unsent);
        }
    }

    /// Queues text whose lines are never wrapped.
    pub(crate) fn queue_unwrapped(&mut self, to: ConnectionId, text: &str) {
        if let Some(connection) = self.queue_for_output(to) {
            encode_text(text, None, connection.family.texts().line_end, &mut connection.unsent);
        }
    }

    /// Queues raw bytes, which are neither wrapped nor escaped.
    pub(crate) fn queue_bytes(&mut self, to: ConnectionId, bytes: &[u8]) {
        if let Some(connection) = self.queue_for_output(to) {
            connection.unsent.extend_from_slice(bytes);
        }
    }

    /// Queues unsolicited text: a line end after the current prompt, the text, and a new prompt.
    pub(crate) fn notify(&mut self, to: ConnectionId, text: &str) {
        self.queue_text(to, &format!("\n{text}"));
        self.queue_prompt_if_on(to);
    }

    /// Like [`notify`](Self::notify), with lines that are never wrapped.
    pub(crate) fn notify_unwrapped(&mut self, to: ConnectionId, text: &str) {
        self.queue_unwrapped(to, &format!("\n{text}"));
        self.queue_prompt_if_on(to);
    }

    /// Queues unsolicited text on the line of the current prompt, and a new prompt; real servers send some lines in this way. The
    /// text is never wrapped.
    pub(crate) fn notify_on_prompt_line(&mut self, to: ConnectionId, text: &str) {
        self.queue_unwrapped(to, text);
        self.queue_prompt_if_on(to);
    }

    /// Queues a bell character if the player has the flag `bell` set.
    ///
    /// Source: transport rule L4.
    pub(crate) fn queue_bell_if_on(&mut self, to: ConnectionId) {
        if self.has_flag(to, "bell") {
            self.queue_bytes(to, b"\x07");
        }
    }

    /// Queues the prompt. Does nothing if no player is logged in, or the client has switched prompts off or receives units.
    pub(crate) fn queue_prompt_if_on(&mut self, to: ConnectionId) {
        let Some(connection) = self.connection(to).filter(|connection| connection.levels.receives_prompts()) else {
            return;
        };
        let default = connection.family.texts().prompt;
        let Some(prompt) = connection.player().map(|player| self.format_prompt(player, default)) else { return };
        self.queue_unwrapped(to, &prompt);
    }

    /// Formats the prompt of a player: the variable `prompt`, or `default` if it is empty, preceded by the time if `ptime` is set.
    /// If the ivar `defprompt` is set, returns `default` alone.
    fn format_prompt(&self, player: &Player, default: &str) -> String {
        if player.ivars.is_set(Ivar::DefPrompt) {
            return default.to_owned();
        }
        let prompt = player.saved.variables.prompt_or(default);
        if player.has_flag("ptime") {
            let date = format_date(self.clock.system_time());
            // The time of day.
            format!("{}_{prompt}", date.get(11..16).unwrap_or_default())
        } else {
            prompt.to_owned()
        }
    }

    /// Queues a timeseal ping and records its time, if the client uses timeseal.
    pub(crate) fn queue_ping_if_sealed(&mut self, id: ConnectionId) {
        let now = self.clock.now;
        let Some(connection) = self.queue_for_output(id) else { return };
        let Some(seal) = &mut connection.seal else { return };
        seal.pinged = Some(now);
        let ping: &[u8] = if seal.version == Timeseal::V1 { b"\n\r[G]\n\r" } else { b"[G]\0" };
        connection.unsent.extend_from_slice(ping);
    }

    /// Queues a datagram if the client has switched it on. Returns whether it was queued.
    pub(crate) fn queue_datagram_if_on(&mut self, to: ConnectionId, datagram: &Datagram) -> bool {
        let is_on = self.connection(to).is_some_and(|connection| connection.levels.is_datagram_on(datagram.number));
        // `queue_for_output` queues the connection, so it is called only if something is sent.
        if let Some(connection) = is_on.then(|| self.queue_for_output(to)).flatten() {
            let mut unit = Vec::new();
            datagram.write(&mut unit);
            // Every IAC in a datagram is data.
            let escaped = unit.into_iter().flat_map(|byte| std::iter::repeat_n(byte, if byte == IAC { 2 } else { 1 }));
            connection.unsent.extend(escaped);
        }
        is_on
    }

    /// Queues talk to one receiver: as a datagram if the client has switched it on, otherwise as a line. To the speaker, it is
    /// part of the reply, without a prompt of its own.
    pub(crate) fn queue_talk(&mut self, from: ConnectionId, to: ConnectionId, line: &str, datagram: &Datagram) {
        match (self.queue_datagram_if_on(to, datagram), from == to) {
            (true, true) => {}
            (true, false) => self.queue_prompt_if_on(to),
            (false, true) => self.queue_text(to, line),
            (false, false) => self.notify(to, line),
        }
    }

    /// Reports an arrival or a departure to other players with the variable `pin` set, and to those with the name on their notify
    /// list. `logged` and `listed` are the verbs of the two texts: `connected`, `arrived`.
    pub(crate) fn announce_presence_change(&mut self, name: &str, [logged, listed]: [&str; 2]) {
        let player = self.connection_of_player(name).and_then(|id| self.player(id));
        let arrival = player.map(|player| player.arrival_line(WhoStatus::Free));
        let tagged = arrival.filter(|_| logged == "connected").unwrap_or_else(|| format!("<wd> {name}"));
        for id in self.players_where(|_, player| player.name() != name) {
            let has_name_on_list = self.player(id).is_some_and(|player| player.saved.is_on_list("notify", name));
            if self.has_flag(id, "pin") && self.has_ivar(id, Ivar::Pin) {
                self.notify_unwrapped(id, &format!("{tagged}\n"));
            } else if self.has_flag(id, "pin") {
                self.notify(id, &format!("[{name} has {logged}.]\n"));
            }
            if has_name_on_list {
                self.queue_bell_if_on(id);
                self.notify(id, &format!("Notification: {name} has {listed}.\n"));
            }
        }
    }

    /// Ends the bughouse partnership of a player and notifies the partner. Returns `false` if the player has no partner.
    pub(crate) fn end_partnership(&mut self, id: ConnectionId) -> bool {
        let Some(partner) = self.player_mut(id).and_then(|player| player.partner.take()) else { return false };
        if let Some(player) = self.player_mut(partner) {
            player.partner = None;
        }
        self.notify(partner, "Your partner has ended partnership.\n");
        true
    }

    /// Makes two players bughouse partners, which ends their former partnerships, and reports that to both.
    pub(crate) fn make_partners(&mut self, from: ConnectionId, to: ConnectionId) {
        for (id, partner) in [(from, to), (to, from)] {
            self.end_partnership(id);
            if let Some(player) = self.player_mut(id) {
                player.partner = Some(partner);
            }
        }
        let (from_name, to_name) = (self.player_name(from), self.player_name(to));
        self.queue_text(to, &format!("You agree to be {from_name}'s partner.\n"));
        self.notify(from, &format!("{to_name} agrees to be your partner.\n"));
    }
}
