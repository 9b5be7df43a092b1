//! Offers and challenges that wait for an answer of this login.

use kibitzer::core::Event;
use kibitzer::core::game::ChangeKind;
use kibitzer::core::message::{
    Challenge, ChallengeChange, Handle, MeOrOther, Message, OfferNotice, PendingOffer, Relation,
};

/// Maximum number of offers; the oldest is dropped.
const KEPT_OFFERS: usize = 32;
/// The server's word for a challenge in the list of pending offers.
const MATCH: &str = "match";

/// Offers and challenges that wait for an answer of this login, the oldest first, at most 32.
#[derive(Debug, Default)]
pub(crate) struct ReceivedOffers {
    pub(crate) offers: Vec<ReceivedOffer>,
}

/// An offer or challenge of another player to this login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReceivedOffer {
    /// `None` if the server does not name the opponent.
    from: Option<Handle>,
    /// The server's word: `match`, `draw`, `takeback`.
    kind: String,
    /// Number of the offer, on servers that number them.
    index: Option<u32>,
    /// The offer in words.
    pub(crate) text: String,
    /// Command that makes the same offer, such as `takeback 2`; accepts an offer without a number.
    terms: String,
}

impl ReceivedOffers {
    /// Adds the offer that an event reports, and removes those that it answers or voids.
    pub(crate) fn apply_event(&mut self, event: &Event) {
        match event.message() {
            Some(Message::Challenge(challenge)) if challenge.actor == MeOrOther::Other => {
                self.add_or_replace(offer_from_challenge(challenge));
            }
            Some(Message::Offer(offer)) if offer.game.is_none() => match offer.answer {
                None if offer.actor == MeOrOther::Other => self.add_or_replace(offer_from_message(offer)),
                None => {}
                Some(_) => self.offers.retain(|known| known.kind != offer.kind.as_str()),
            },
            Some(Message::Pending(pending)) if pending.actor == MeOrOther::Other => {
                self.number_or_add(pending);
            }
            Some(Message::PendingRemoved(removed)) => {
                self.offers.retain(|offer| offer.index.is_none_or(|index| !removed.indexes.contains(&index)));
            }
            Some(Message::ChallengeUpdate(update)) if update.change != ChallengeChange::Updated => {
                self.offers.retain(|offer| offer.kind != MATCH || offer.from != update.name);
            }
            _ => {}
        }
        let Some(change) = event.change().filter(|change| change.relation.is_mine()) else { return };
        match change.kind {
            // The server withdraws all challenges when a game starts.
            ChangeKind::Opened => self.offers.retain(|offer| offer.kind != MATCH),
            ChangeKind::Ended => self.offers.retain(|offer| offer.kind == MATCH),
            // A move declines the opponent's offers.
            ChangeKind::Moved if change.relation == Relation::OpponentsTurn => {
                self.offers.retain(|offer| offer.kind == MATCH);
            }
            _ => {}
        }
    }

    /// Adds an offer as the newest. It replaces the one of the same kind and player, whose number it keeps unless it has its own.
    /// At the limit, the oldest is dropped.
    fn add_or_replace(&mut self, mut offer: ReceivedOffer) {
        if let Some(at) = self.offers.iter().position(|known| known.kind == offer.kind && known.from == offer.from) {
            let known = self.offers.remove(at);
            offer.index = offer.index.or(known.index);
        } else if self.offers.len() >= KEPT_OFFERS {
            self.offers.remove(0);
        }
        self.offers.push(offer);
    }

    /// Stores the number of a pending offer in the known offer of the same kind and player; adds the offer if none is known.
    fn number_or_add(&mut self, pending: &PendingOffer) {
        let kind = pending.kind.as_str();
        let known = self
            .offers
            .iter_mut()
            .find(|offer| offer.kind == kind && offer.from.as_ref().is_none_or(|from| *from == pending.name));
        if let Some(known) = known {
            known.index = Some(pending.index);
            return;
        }
        let text = format!("{} offers: {kind} {}", pending.name, pending.parameters.as_str().trim_matches('#'));
        self.add_or_replace(ReceivedOffer {
            from: Some(pending.name.clone()),
            kind: kind.to_owned(),
            index: Some(pending.index),
            text: text.trim_end().to_owned(),
            terms: kind.to_owned(),
        });
    }
}

impl ReceivedOffer {
    /// Returns the command that accepts (`true`) or declines the offer.
    pub(crate) fn answer(&self, accepts: bool) -> String {
        let word = if accepts { "accept" } else { "decline" };
        match (self.index, &self.from) {
            (Some(number), _) => format!("{word} {number}"),
            (None, Some(from)) if self.kind == MATCH => format!("{word} {from}"),
            // To offer the same is to accept, on servers that do not number offers.
            _ if accepts => self.terms.clone(),
            _ => word.to_owned(),
        }
    }
}

fn offer_from_challenge(challenge: &Challenge) -> ReceivedOffer {
    let Challenge { from, from_rating, kind, .. } = challenge;
    let rated = if challenge.rated { "rated" } else { "unrated" };
    let terms = challenge.initial_min.zip(challenge.increment_s);
    let terms = terms.map_or_else(String::new, |(initial, increment)| format!(" {initial}+{increment}"));
    let text = format!("{from} ({from_rating}) challenges you: {rated} {kind}{terms}");
    let (from, kind, terms) = (Some(from.clone()), MATCH.to_owned(), MATCH.to_owned());
    ReceivedOffer { from, kind, index: None, text, terms }
}

fn offer_from_message(offer: &OfferNotice) -> ReceivedOffer {
    let from = offer.from.as_ref().map_or("your opponent", Handle::as_str);
    let kind = offer.kind.as_str();
    let terms = offer.count.map_or_else(|| kind.to_owned(), |plies| format!("{kind} {plies}"));
    let text = format!("{from} offers you: {terms}");
    ReceivedOffer { from: offer.from.clone(), kind: kind.to_owned(), index: None, text, terms }
}

#[cfg(test)]
mod tests;
