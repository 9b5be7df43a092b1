//! Events that require an answer of the user: offers, and the user's move.

use kibitzer::core::message::Relation;

use super::commands::NO_SERVER;
use super::{App, TerminalRequest};

impl App {
    /// Returns the text of the row above the input: the oldest offer to this login, with the keys that answer it if lines can be
    /// sent; without one, that it is the user's move. `None` without either, for a recording, and in a session that a bot plays.
    pub(crate) fn attention_text(&self) -> Option<String> {
        if !self.source.is_live() || self.source.has_bot() {
            return None;
        }
        let keys = |keys: &'static str| if self.source.accepts_lines() { keys } else { "" };
        if let [offer, others @ ..] = &self.model.received_offers.offers[..] {
            let n_others = others.len();
            let others = if n_others == 0 { String::new() } else { format!(" ({n_others} more)") };
            return Some(format!("{}{}{others}", offer.text, keys(": F5 accepts, F6 declines")));
        }
        let game = self.own_game().filter(|game| game.board.relation() == Relation::MyTurn)?;
        Some(format!("game {}: your move; type it, such as e4, and Enter", game.id()))
    }

    /// Starts to send the command that accepts (`true`) or declines the oldest offer, and removes the offer. Shows an error, and
    /// keeps the offer, if the command cannot be sent now. Shows an error without an offer.
    pub(super) fn answer_oldest_offer(&mut self, accepts: bool) {
        let Some(offer) = self.model.received_offers.offers.first().cloned() else {
            return self.show_error("no offer waits for an answer");
        };
        let answer = offer.answer(accepts);
        if self.start_job(NO_SERVER, |live| live.start_sending(&answer)) {
            self.model.received_offers.offers.retain(|other| *other != offer);
            self.return_to_own_game();
        }
    }

    /// Requests the terminal's bell if it is switched on and the row above the input has a new text since the last call, for
    /// example because an offer arrived or it has become the user's move.
    pub(super) fn ring_bell_on_new_attention(&mut self) {
        let attention = self.attention_text();
        if attention != self.last_attention {
            if self.has_bell && attention.is_some() {
                self.queue_terminal_request(TerminalRequest::Bell);
            }
            self.last_attention = attention;
        }
    }
}
