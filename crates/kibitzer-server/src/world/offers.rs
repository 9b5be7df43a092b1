//! Pending offers between players, and their texts.
//!
//! Source of the forms: transcripts fatics-match-pending-*, fatics-game-offers-*, fatics-bughouse-*.

use std::mem::discriminant;

use kibitzer_core::chess::Color;

use super::{ConnectionId, Ivar, Lobby};
use crate::play::Terms;

/// Maximum number of pending offers that a player has made.
const MAX_OFFERS: usize = 20;

/// Highest number of an offer while fewer are pending.
const HIGHEST_USUAL_NUMBER: u32 = 9_999;

/// Kind of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OfferKind {
    Match(Challenge),
    Partner,
    /// To join the simul of the other.
    Simul,
    Draw,
    Abort,
    Adjourn,
    Pause,
    Unpause,
    /// To exchange the colors.
    Switch,
    /// To take back this number of plies.
    Takeback(usize),
}

/// The game that a challenge proposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Challenge {
    pub(crate) terms: Terms,
    /// The challenger's color.
    pub(crate) color: Option<Color>,
    /// Whether to resume the adjourned game of both players.
    pub(crate) is_adjourned: bool,
}

/// A pending offer of one player to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    pub(crate) number: u32,
    pub(crate) from: ConnectionId,
    pub(crate) to: ConnectionId,
    pub(crate) kind: OfferKind,
}

impl Offer {
    /// Returns the other party of an offer that `id` made or received.
    pub(crate) fn other_side(&self, id: ConnectionId) -> ConnectionId {
        if self.from == id { self.to } else { self.from }
    }
}

impl OfferKind {
    /// Returns the noun for the offer in replies: `draw offer`, `abort request`.
    pub(crate) fn reply_noun(self) -> String {
        match self {
            Self::Partner => "partnership request".to_owned(),
            Self::Match(_) | Self::Draw => format!("{} offer", self.wire_word()),
            _ => format!("{} request", self.wire_word()),
        }
    }

    /// Returns the word for the offer in `<pt>` and `<pf>` lines, and in parameters of `accept`, `decline` and `withdraw`.
    pub(crate) const fn wire_word(self) -> &'static str {
        match self {
            Self::Match(_) => "match",
            Self::Partner => "partner",
            Self::Simul => "simul",
            Self::Draw => "draw",
            Self::Abort => "abort",
            Self::Adjourn => "adjourn",
            Self::Pause => "pause",
            Self::Unpause => "unpause",
            Self::Switch => "switch",
            Self::Takeback(_) => "takeback",
        }
    }

    /// Returns whether the offer concerns a game that both players are playing.
    pub(crate) const fn concerns_current_game(self) -> bool {
        !matches!(self, Self::Match(_) | Self::Partner | Self::Simul)
    }
}

/// The offers that are pending.
#[derive(Debug, Default)]
pub(crate) struct Offers {
    pending: Vec<Offer>,
    /// Number of the newest offer.
    newest: u32,
}

impl Offers {
    /// Returns the pending offer of one player to another of this kind, whatever its terms or number of plies; `None` if there is
    /// none.
    pub(crate) fn pending_between(&self, from: ConnectionId, to: ConnectionId, kind: OfferKind) -> Option<Offer> {
        let fits =
            |offer: &&Offer| offer.from == from && offer.to == to && discriminant(&offer.kind) == discriminant(&kind);
        self.pending.iter().find(fits).copied()
    }

    /// Returns whether a player has made [`MAX_OFFERS`] offers that are still pending.
    pub(crate) fn has_reached_limit(&self, from: ConnectionId) -> bool {
        self.pending.iter().filter(|offer| offer.from == from).count() >= MAX_OFFERS
    }

    /// Adds an offer under a new number, without a report or a check of the limit. Numbers run from 1 to 9999, or beyond if so
    /// many offers are pending, and are reused late, as clients may still hold an old one.
    pub(crate) fn add(&mut self, from: ConnectionId, to: ConnectionId, kind: OfferKind) -> Offer {
        let highest = u32::try_from(self.pending.len() + 1).unwrap_or(u32::MAX).max(HIGHEST_USUAL_NUMBER);
        loop {
            self.newest = self.newest % highest + 1;
            if self.pending.iter().all(|offer| offer.number != self.newest) {
                break;
            }
        }
        let offer = Offer { number: self.newest, from, to, kind };
        self.pending.push(offer);
        offer
    }

    /// Removes and returns the offer with this number, without a report; `None` if it is not pending.
    pub(crate) fn remove(&mut self, number: u32) -> Option<Offer> {
        let index = self.pending.iter().position(|offer| offer.number == number)?;
        Some(self.pending.remove(index))
    }

    /// Returns the pending offers that satisfy a condition, the oldest first.
    pub(crate) fn select(&self, is_selected: impl Fn(&Offer) -> bool) -> Vec<Offer> {
        self.pending.iter().copied().filter(is_selected).collect()
    }
}

/// Texts about pending offers.
impl Lobby {
    /// Queues the `<pt>` or `<pf>` line of a new offer to its maker or receiver, if that client has set the ivar `pendinfo`.
    pub(crate) fn queue_offer_line_if_on(&mut self, offer: Offer, side: ConnectionId) {
        let (tag, other) = if side == offer.from { ("<pt>", offer.to) } else { ("<pf>", offer.from) };
        let parameters = match offer.kind {
            OfferKind::Match(challenge) => self.challenge_text(offer.from, offer.to, challenge),
            OfferKind::Takeback(plies) => plies.to_string(),
            _ => "#".to_owned(),
        };
        let name = self.player_name(other);
        let line = format!("\n{tag} {} w={name} t={} p={parameters}\n", offer.number, offer.kind.wire_word());
        self.queue_if_pendinfo_on(side, &line);
    }

    /// Queues the `<pr>` line, which reports that an offer is gone, to its maker or receiver, if that client has set the ivar
    /// `pendinfo`.
    pub(super) fn queue_offer_removal_if_on(&mut self, offer: Offer, side: ConnectionId) {
        self.queue_if_pendinfo_on(side, &format!("\n<pr> {}\n", offer.number));
    }

    /// Queues a line about a pending offer if the ivar `pendinfo` is set.
    fn queue_if_pendinfo_on(&mut self, to: ConnectionId, line: &str) {
        if self.has_ivar(to, Ivar::PendInfo) {
            self.queue_unwrapped(to, line);
        }
    }

    /// Formats a challenge: `Alekhine (1882) [white] Bogoljubov (1558) unrated blitz 5 0`.
    pub(crate) fn challenge_text(&self, from: ConnectionId, to: ConnectionId, challenge: Challenge) -> String {
        let kind = challenge.terms.kind();
        let seat = |id| self.seated_player(id, kind).map(|seat| seat.name_with_rating()).unwrap_or_default();
        let color = format_requested_color(challenge.color);
        let adjourned = if challenge.is_adjourned { " (adjourned)" } else { "" };
        format!("{}{color} {} {}{adjourned}", seat(from), seat(to), challenge.terms)
    }
}

/// Formats a requested color with a blank before it: ` [white]`; empty without one.
pub(crate) fn format_requested_color(color: Option<Color>) -> String {
    color.map(|color| format!(" [{color}]")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_offers_than_usual_numbers_have_distinct_numbers() {
        let mut offers = Offers::default();
        let mut add = || offers.add(ConnectionId(1), ConnectionId(2), OfferKind::Draw).number;
        let mut numbers: Vec<_> = (0..10_001).map(|_| add()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 10_001);
    }
}
