//! Events that require an answer of the user: offers, and the user's move.

use kibitzer::core::message::Relation;

use super::{App, TerminalRequest};
use crate::console::model::{GameSnapshot, ReceivedOffer};

impl App {
    /// Returns what waits for the user in a session without a bot, with the keys that answer it; `None` if nothing does.
    pub(crate) fn attention(&self) -> Option<String> {
        if !self.source.is_live() || self.source.has_bot() {
            return None;
        }
        let keys = |keys: &'static str| if self.source.accepts_lines() { keys } else { "" };
        if let Some(offer) = self.first_offer() {
            let others = match self.model.received_offers.iter().len() - 1 {
                0 => String::new(),
                n => format!(" ({n} more)"),
            };
            return Some(format!("{}{}{others}", offer.text, keys(": F5 accepts, F6 declines")));
        }
        let is_waiting = |snapshot: &&GameSnapshot| snapshot.followed && snapshot.board.relation() == Relation::MyTurn;
        let game = self.model.games.values().map(|game| &*game.snapshot).find(is_waiting)?;
        Some(format!("game {}: your move{}", game.id(), keys("; type it, such as e4, and Enter")))
    }

    fn first_offer(&self) -> Option<&ReceivedOffer> {
        self.model.received_offers.iter().next()
    }

    /// Accepts or declines the oldest offer. Shows an error if no offer is pending.
    pub(super) fn answer_offer(&mut self, accepts: bool) {
        let Some(offer) = self.first_offer().cloned() else {
            return self.show_error("no offer waits for an answer");
        };
        let draft = self.input.take();
        self.send(if accepts { &offer.accept } else { &offer.decline });
        // A line that cannot be sent must not replace the draft.
        self.input.set(&draft);
        if self.notice.is_none() {
            self.model.received_offers.remove(&offer);
        }
    }

    /// Rings the bell, if it is on, for a new offer, and when it becomes the user's move.
    pub(super) fn ring_if_new(&mut self) {
        let attention = self.attention();
        if attention != self.last_attention {
            if self.has_bell && attention.is_some() {
                self.request(TerminalRequest::Bell);
            }
            self.last_attention = attention;
        }
    }
}
