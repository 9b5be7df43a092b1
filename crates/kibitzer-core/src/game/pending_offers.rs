//! The offers that wait for an answer, of this login and to it.

use super::{Change, ChangeKind};
use crate::message::{
    ChallengeChange, ChallengeUpdate, Handle, MeOrOther, Message, OfferAnswer, OfferKind, PendingOffer, Relation,
};
use crate::text::ServerText;

/// Maximum number of offers; the oldest is dropped. Servers permit about 20.
const MAX_OFFERS: usize = 64;

/// The server's word for a challenge in the list of pending offers.
const MATCH: &str = "match";

/// The open challenges and offers between this login and other players, the oldest first, at most 64.
///
/// Servers report an offer in a sentence, by its number (`<pf>`, `<pt>`), or in both ways, in any order. Each connection starts
/// with an empty list.
///
/// ```
/// use kibitzer_core::EventReader;
/// use kibitzer_core::game::PendingOffers;
///
/// let mut events = EventReader::default();
/// let mut read = &b"Challenge: Euwe (1720) Flohr (1720) rated standard 15 5.\n\r\
///     <pf> 4 w=Euwe t=match p=Euwe (1720) Flohr (1720) rated standard 15 5\n\r"[..];
/// let mut offers = PendingOffers::default();
/// while let Some(event) = events.next(&mut read).or_else(|| events.finish()) {
///     if let Some(message) = event.message() {
///         offers.apply(message, event.change());
///     }
/// }
/// let offer = offers.received().next().unwrap();
/// assert_eq!((offer.player.as_ref().unwrap().as_str(), offer.index), ("Euwe", Some(4)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct PendingOffers(Vec<OpenOffer>);

/// An offer or challenge that is not answered yet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenOffer {
    /// Whether this login or the other player made it.
    pub actor: MeOrOther,
    /// The other player; `None` if the server does not name the opponent of a game.
    pub player: Option<Handle>,
    /// The server's word: `match`, `draw`, `takeback`, `partner` …
    pub kind: ServerText,
    /// Number of the offer, on servers that number them.
    pub index: Option<u32>,
    /// The first message that reported the offer, with its terms: a [`Message::Challenge`], [`Message::Offer`] or
    /// [`Message::Pending`].
    pub report: Message,
}

impl PendingOffers {
    /// Adds the offer that a message reports, and removes those that it, or the change that it made to a game, answers or voids.
    pub fn apply(&mut self, message: &Message, change: Option<&Change>) {
        match message {
            Message::Challenge(challenge) => {
                let player = if challenge.actor == MeOrOther::Me { &challenge.to } else { &challenge.from };
                self.add_or_replace(OpenOffer::new(challenge.actor, Some(player), MATCH, message));
            }
            Message::ChallengeUpdate(update) => self.remove_answered_challenge(update),
            Message::Offer(offer) if offer.game.is_none() => match offer.answer {
                None => {
                    let player = offer.from.as_ref();
                    self.add_or_replace(OpenOffer::new(offer.actor, player, offer.kind.as_str(), message));
                }
                Some(answer) => {
                    let actor = if answer == OfferAnswer::Withdrawn { offer.actor } else { other_side(offer.actor) };
                    self.0.retain(|known| known.actor != actor || known.kind != *offer.kind.as_str());
                }
            },
            Message::Pending(pending) => self.number_or_add(pending, message),
            Message::PendingRemoved(removed) => {
                self.0.retain(|offer| offer.index.is_none_or(|index| !removed.indexes.contains(&index)));
            }
            _ => {}
        }
        if let Some(change) = change.filter(|change| change.relation.is_mine()) {
            self.remove_voided(change);
        }
    }

    /// Returns the offers of other players to this login, the oldest first.
    pub fn received(&self) -> impl DoubleEndedIterator<Item = &OpenOffer> {
        self.0.iter().filter(|offer| offer.actor == MeOrOther::Other)
    }

    /// Returns the offers of this login, the oldest first.
    pub fn sent(&self) -> impl DoubleEndedIterator<Item = &OpenOffer> {
        self.0.iter().filter(|offer| offer.actor == MeOrOther::Me)
    }

    /// Removes an offer that is being answered; does nothing if it is not open.
    pub fn remove(&mut self, offer: &OpenOffer) {
        self.0.retain(|known| known != offer);
    }

    /// Adds an offer as the newest. It replaces the one of the same side, kind and player, whose number it keeps.
    fn add_or_replace(&mut self, mut offer: OpenOffer) {
        if let Some(at) = self.0.iter().position(|known| known.is_same(&offer)) {
            offer.index = self.0.remove(at).index;
        }
        self.push(offer);
    }

    /// Stores the number of a listed offer in the known offer of the same side, kind and player; adds the offer if none is known.
    fn number_or_add(&mut self, pending: &PendingOffer, message: &Message) {
        let mut listed = OpenOffer::new(pending.actor, Some(&pending.name), pending.kind.as_str(), message);
        listed.index = Some(pending.index);
        self.0.retain(|known| known.index != listed.index || known.is_same(&listed));
        match self.0.iter_mut().find(|known| known.is_same(&listed)) {
            Some(known) => known.index = listed.index,
            None => self.push(listed),
        }
    }

    fn push(&mut self, offer: OpenOffer) {
        if self.0.len() == MAX_OFFERS {
            self.0.remove(0);
        }
        self.0.push(offer);
    }

    /// Removes the challenge that is answered, withdrawn or void; its new terms come as a challenge of their own.
    fn remove_answered_challenge(&mut self, update: &ChallengeUpdate) {
        use ChallengeChange::{Accepted, Countered, Declined, Departed, Joined, Removed, Withdrawn};
        let actor = match update.change {
            Accepted | Declined | Countered => other_side(update.actor),
            Withdrawn | Removed | Departed | Joined => update.actor,
            // A game begins, which removes all challenges.
            _ => return,
        };
        let Some(player) = &update.name else { return };
        self.0.retain(|known| known.actor != actor || !known.is_challenge() || !known.has_player(player));
    }

    /// Removes the offers that a change of this login's game voids.
    fn remove_voided(&mut self, change: &Change) {
        match change.kind {
            // The server withdraws all challenges when a game starts.
            ChangeKind::Opened => self.0.retain(|offer| !offer.is_challenge()),
            ChangeKind::Ended => self.0.retain(|offer| !offer.is_in_game()),
            // A move declines the offers of the player's opponent.
            ChangeKind::Moved => {
                let declined =
                    if change.relation == Relation::OpponentsTurn { MeOrOther::Other } else { MeOrOther::Me };
                self.0.retain(|offer| offer.actor != declined || !offer.is_in_game());
            }
            _ => {}
        }
    }
}

impl OpenOffer {
    fn new(actor: MeOrOther, player: Option<&Handle>, kind: &str, report: &Message) -> Self {
        let kind = ServerText::from_wire(kind.as_bytes());
        Self { actor, player: player.cloned(), kind, index: None, report: report.clone() }
    }

    /// Returns whether this is a challenge, not an offer in a game or of a partnership.
    pub fn is_challenge(&self) -> bool {
        self.kind == *MATCH
    }

    /// Returns whether the offer names this player, regardless of case.
    pub fn has_player(&self, player: &Handle) -> bool {
        self.player.as_ref() == Some(player)
    }

    fn is_in_game(&self) -> bool {
        OfferKind::ALL.iter().any(|kind| self.kind == *kind.as_str())
    }

    /// Returns whether `other` is a report of the same offer. A report without a name is about the opponent.
    fn is_same(&self, other: &Self) -> bool {
        let has_same_player =
            other.player.as_ref().is_none_or(|player| self.player.is_none() || self.has_player(player));
        self.actor == other.actor && self.kind == other.kind && has_same_player
    }
}

const fn other_side(actor: MeOrOther) -> MeOrOther {
    match actor {
        MeOrOther::Me => MeOrOther::Other,
        MeOrOther::Other => MeOrOther::Me,
    }
}

#[cfg(test)]
mod tests;
