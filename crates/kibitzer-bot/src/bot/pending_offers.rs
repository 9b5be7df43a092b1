//! The numbers of pending offers, for servers that know offers only by their numbers.

use kibitzer::command::OfferRef;
use kibitzer::core::message::{MeOrOther, Message, PendingOffer};

use super::requests::{OfferAnswer, OfferAnswerVerb};

/// Number of offers that are remembered; the oldest is dropped. Servers permit about 20.
const MAX_OFFERS: usize = 64;

/// The pending offers that the server has reported with their numbers: `<pf>` and `<pt>` lines.
#[derive(Debug, Default)]
pub(super) struct PendingOffers(Vec<PendingOffer>);

impl PendingOffers {
    /// Adds or removes the offers that a message reports; ignores other messages. An offer replaces one with the same number, or the oldest if
    /// [`MAX_OFFERS`] are known.
    pub(super) fn update(&mut self, message: &Message) {
        match message {
            Message::Pending(pending) => {
                self.0.retain(|known| known.index != pending.index);
                if self.0.len() == MAX_OFFERS {
                    self.0.remove(0);
                }
                self.0.push(PendingOffer::clone(pending));
            }
            Message::PendingRemoved(removed) => self.0.retain(|known| !removed.indexes.contains(&known.index)),
            _ => {}
        }
    }

    /// Returns the number of the newest offer that an answer selects by name or kind; `None` if it is not known.
    pub(super) fn number_for(&self, answer: &OfferAnswer) -> Option<u32> {
        let is_mine = answer.verb == OfferAnswerVerb::Withdraw;
        let actor = if is_mine { MeOrOther::Me } else { MeOrOther::Other };
        let is_meant = |pending: &&PendingOffer| match &answer.offer {
            OfferRef::Player(player) => pending.kind == "match" && pending.name.is_same_player(player.as_str()),
            OfferRef::Kind(kind) => pending.kind == *kind.to_string(),
            _ => false,
        };
        let offer = self.0.iter().rev().filter(|pending| pending.actor == actor).find(is_meant)?;
        Some(offer.index)
    }
}
