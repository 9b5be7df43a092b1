//! Pending offers between players: their texts, answers to them, and their end with a game or a player.
//!
//! Source of the forms: transcripts fatics-match-pending-*, fatics-game-offers-*, fatics-bughouse-*.

use kibitzer_core::SentenceParts;
use kibitzer_core::chess::Color;
use kibitzer_core::message::{ChallengeChange, GameEndReason, GameId, MeOrOther, OfferKind};

use super::boards::BoardReason;
use super::{ConnectionId, Ivar, Lobby, World};
use crate::chess::Variant;
use crate::play::{ClockState, Ending, Sides, Terms};

/// Maximum number of pending offers that a player has made.
const MAX_OFFERS: usize = 20;

/// Highest number of an offer while fewer are pending.
const HIGHEST_USUAL_NUMBER: u32 = 9_999;

/// What an offer proposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proposal {
    Match(ProposedMatch),
    Partner,
    /// To join the simul of the other.
    Simul,
    /// An offer in the game of both players. The number of plies is 0 for all kinds but a takeback.
    InGame(OfferKind, usize),
}

/// The game that a challenge proposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProposedMatch {
    pub(crate) terms: Terms,
    /// The challenger's color.
    pub(crate) color: Option<Color>,
    /// Whether to resume the adjourned game of both players.
    pub(crate) is_adjourned: bool,
}

/// Command that ends an offer, and its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::AsRefStr)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum AnswerCommand {
    Accept,
    Decline,
    Withdraw,
}

/// A pending offer of one player to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    pub(crate) number: u32,
    pub(crate) from: ConnectionId,
    pub(crate) to: ConnectionId,
    pub(crate) proposal: Proposal,
}

impl Offer {
    /// Returns the other party of an offer that `id` made or received.
    pub(crate) fn other_side(&self, id: ConnectionId) -> ConnectionId {
        if self.from == id { self.to } else { self.from }
    }
}

impl Proposal {
    /// Returns the word for the offer in `<pt>` and `<pf>` lines, and in parameters of `accept`, `decline` and `withdraw`.
    pub(crate) fn wire_word(self) -> &'static str {
        match self {
            Self::Match(_) => "match",
            Self::Partner => "partner",
            Self::Simul => "simul",
            Self::InGame(kind, _) => kind.as_str(),
        }
    }

    /// Returns whether the offer concerns a game that both players are playing.
    pub(crate) const fn is_in_game(self) -> bool {
        matches!(self, Self::InGame(..))
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
    pub(crate) fn pending_between(&self, from: ConnectionId, to: ConnectionId, proposal: Proposal) -> Option<Offer> {
        let is_same = |offer: &&Offer| offer.proposal.wire_word() == proposal.wire_word();
        self.pending.iter().filter(|offer| offer.from == from && offer.to == to).find(is_same).copied()
    }

    /// Returns whether a player has made [`MAX_OFFERS`] offers that are still pending.
    pub(crate) fn has_reached_limit(&self, from: ConnectionId) -> bool {
        self.pending.iter().filter(|offer| offer.from == from).count() >= MAX_OFFERS
    }

    /// Adds an offer under a new number, without a report or a check of the limit. Numbers run from 1 to 9999, or beyond if so
    /// many offers are pending, and are reused late, as clients may still hold an old one.
    pub(crate) fn add(&mut self, from: ConnectionId, to: ConnectionId, proposal: Proposal) -> Offer {
        let highest = u32::try_from(self.pending.len() + 1).unwrap_or(u32::MAX).max(HIGHEST_USUAL_NUMBER);
        loop {
            self.newest = self.newest % highest + 1;
            if self.pending.iter().all(|offer| offer.number != self.newest) {
                break;
            }
        }
        let offer = Offer { number: self.newest, from, to, proposal };
        self.pending.push(offer);
        offer
    }

    /// Removes the offer with this number, without a report.
    pub(crate) fn remove(&mut self, number: u32) {
        self.pending.retain(|offer| offer.number != number);
    }

    /// Returns the pending offers that satisfy a condition, the oldest first.
    pub(crate) fn select(&self, is_selected: impl Fn(&Offer) -> bool) -> Vec<Offer> {
        self.pending.iter().copied().filter(is_selected).collect()
    }
}

/// Texts about pending offers.
impl Lobby {
    /// Queues the `<pt>` or `<pf>` line of a new offer to its maker or receiver, if that client has set the ivar `pendinfo`.
    pub(crate) fn queue_offer_line(&mut self, offer: Offer, side: ConnectionId) {
        let (tag, other) = if side == offer.from { ("<pt>", offer.to) } else { ("<pf>", offer.from) };
        let parameters = match offer.proposal {
            Proposal::Match(proposed) => self.challenge_text(offer.from, offer.to, proposed),
            Proposal::InGame(OfferKind::Takeback, plies) => plies.to_string(),
            _ => "#".to_owned(),
        };
        let name = self.player_name(other);
        let line = format!("\n{tag} {} w={name} t={} p={parameters}\n", offer.number, offer.proposal.wire_word());
        self.queue_if_pendinfo_on(side, &line);
    }

    /// Queues the `<pr>` line, which reports that an offer is gone, to its maker or receiver, if that client has set the ivar
    /// `pendinfo`.
    pub(super) fn queue_removed_offer_line(&mut self, offer: Offer, side: ConnectionId) {
        self.queue_if_pendinfo_on(side, &format!("\n<pr> {}\n", offer.number));
    }

    /// Queues a line about a pending offer if the ivar `pendinfo` is set.
    fn queue_if_pendinfo_on(&mut self, to: ConnectionId, line: &str) {
        if self.has_ivar(to, Ivar::PendInfo) {
            self.queue_unwrapped(to, line);
        }
    }

    /// Formats a challenge: `Alekhine (1882) [white] Bogoljubov (1558) unrated blitz 5 0`.
    pub(crate) fn challenge_text(&self, from: ConnectionId, to: ConnectionId, proposed: ProposedMatch) -> String {
        let kind = proposed.terms.kind();
        let seat = |id| self.seated_player(id, kind).map(|seat| seat.name_with_rating()).unwrap_or_default();
        let color = format_requested_color(proposed.color);
        let adjourned = if proposed.is_adjourned { " (adjourned)" } else { "" };
        format!("{}{color} {} {}{adjourned}", seat(from), seat(to), proposed.terms)
    }
}

/// Formats the sentence about a change of a challenge and a newline: to the player who makes it, or to the other one. The first
/// name is that of the other party.
pub(crate) fn challenge_sentence(change: ChallengeChange, actor: MeOrOther, names: &[&str]) -> String {
    change.to_sentence(actor, &SentenceParts { names, ..SentenceParts::default() }) + "\n"
}

/// Formats a requested color with a blank before it: ` [white]`; empty without one.
pub(crate) fn format_requested_color(color: Option<Color>) -> String {
    color.map(|color| format!(" [{color}]")).unwrap_or_default()
}

impl World {
    /// Adds an offer and reports it to both players: `own` is the text for `from`, sent as part of the reply to its command;
    /// `theirs` is the text for `to`.
    pub(crate) fn make_offer(&mut self, [from, to]: [ConnectionId; 2], proposal: Proposal, [own, theirs]: [&str; 2]) {
        let offer = self.offers.add(from, to, proposal);
        self.lobby.queue_text(from, own);
        self.lobby.queue_offer_line(offer, from);
        self.lobby.notify(to, theirs);
        self.lobby.queue_offer_line(offer, to);
    }

    /// Removes an offer, and reports that by a `<pr>` line to each side whose client has switched those on.
    pub(crate) fn remove_offer(&mut self, offer: Offer) {
        self.offers.remove(offer.number);
        self.lobby.queue_removed_offer_line(offer, offer.from);
        self.lobby.queue_removed_offer_line(offer, offer.to);
    }

    /// Sends a line to the observers of the player's own game: its number and `text`. Does nothing without a game.
    pub(crate) fn notify_observers_of_player(&mut self, player: ConnectionId, text: &str) {
        let Some(number) = self.lobby.own_game(player) else { return };
        for id in self.lobby.observers(number) {
            self.lobby.notify(id, &format!("Game {number}: {text}\n"));
        }
    }

    /// Ends an offer in the name of its receiver or, if it is withdrawn, of its maker. Reports that to both sides and, if it is
    /// about a game, to the observers. Executes an accepted offer.
    pub(crate) fn answer_offer(&mut self, offer: Offer, answer: AnswerCommand) {
        let (actor, doing, does, preposition) = match answer {
            AnswerCommand::Accept => (offer.to, "Accepting the", "accepts your", "from"),
            AnswerCommand::Decline => (offer.to, "Declining the", "declines your", "from"),
            AnswerCommand::Withdraw => (offer.from, "Withdrawing your", "withdraws the", "to"),
        };
        let other = offer.other_side(actor);
        let (me, them) = (self.lobby.player_name(actor), self.lobby.player_name(other));
        let noun = match offer.proposal {
            Proposal::Partner => "partnership request".to_owned(),
            Proposal::Match(_) | Proposal::InGame(OfferKind::Draw, _) => {
                format!("{} offer", offer.proposal.wire_word())
            }
            _ => format!("{} request", offer.proposal.wire_word()),
        };
        self.lobby.queue_text(actor, &format!("{doing} {noun} {preposition} {them}.\n"));
        self.offers.remove(offer.number);
        self.lobby.queue_removed_offer_line(offer, actor);
        self.lobby.notify(other, &format!("{me} {does} {noun}.\n"));
        self.lobby.queue_removed_offer_line(offer, other);
        if offer.proposal.is_in_game() {
            self.notify_observers_of_player(actor, &format!("{me} {} {noun}.", does.replace("your", "the")));
        }
        if answer == AnswerCommand::Accept {
            self.execute_accepted_offer(offer);
        }
    }

    /// Carries out an accepted offer. Does nothing if the game in which it was made no longer exists, if a simul is no longer
    /// possible because a player has a game, or for a kind of offer that no command of this server makes.
    fn execute_accepted_offer(&mut self, offer: Offer) {
        let (kind, plies, number) = match (offer.proposal, self.lobby.own_game(offer.to)) {
            (Proposal::Match(proposed), _) => return self.start_accepted_match(offer, proposed),
            (Proposal::Partner, _) => return self.lobby.make_partners(offer.from, offer.to),
            (Proposal::InGame(kind, plies), Some(number)) => (kind, plies, number),
            (Proposal::Simul, _)
                if self.lobby.own_game(offer.from).is_none() && self.lobby.may_give_simul(offer.to) =>
            {
                return self.start_simul_game(offer.to, offer.from);
            }
            (Proposal::Simul | Proposal::InGame(..), _) => return,
        };
        let now = self.now();
        let Some(game) = self.games.played_mut(number) else { return };
        match kind {
            OfferKind::Draw => self.end_game(number, Ending::of_game(GameEndReason::Agreement)),
            OfferKind::Abort => self.end_game(number, Ending::of_game(GameEndReason::AbortAgreement)),
            OfferKind::Adjourn => self.end_game(number, Ending::of_game(GameEndReason::AdjournAgreement)),
            OfferKind::Takeback if game.try_take_back(plies, now) => {
                self.show_board_to_audience(number, Some(offer.to), BoardReason::TookBack(plies));
                self.reschedule_flag_check(number);
            }
            OfferKind::Pause => self.set_clock_state(number, offer.to, ClockState::Paused),
            OfferKind::Unpause => self.set_clock_state(number, offer.to, ClockState::Running),
            OfferKind::Switch => {
                let Sides { white, black } = &mut game.header.seats;
                std::mem::swap(white, black);
                self.show_board_to_audience(number, Some(offer.to), BoardReason::Other);
            }
            _ => {}
        }
    }

    /// Pauses or resumes the clocks of a game, updates the deadline of the flag, and reports the change to the audience.
    ///
    /// Source of the forms: transcripts uhlinfics-game-mate-1-*; text-messages §4 for observers.
    fn set_clock_state(&mut self, number: GameId, actor: ConnectionId, state: ClockState) {
        let now = self.now();
        if let Some(game) = self.games.played_mut(number) {
            game.set_clock_state(state, now);
        }
        let text = if state == ClockState::Paused { "Game clock paused.\n" } else { "Game clock resumed.\n" };
        self.reschedule_flag_check(number);
        self.show_board_to_audience(number, Some(actor), BoardReason::Other);
        self.lobby.queue_text(actor, text);
        for id in self.audience(number).into_iter().filter(|&id| id != actor) {
            let game = if self.lobby.own_game(id) == Some(number) { String::new() } else { format!("Game {number}: ") };
            self.lobby.notify(id, &format!("{game}{text}"));
        }
    }

    /// Starts the game of an accepted challenge, or resumes the adjourned one. If a player, or in bughouse a partner, has joined a
    /// game since the offer was made, nothing starts, and both players receive a message. Resuming a game needs no partners.
    fn start_accepted_match(&mut self, offer: Offer, proposed: ProposedMatch) {
        let partner = |id| self.lobby.player(id).and_then(|player| player.partner);
        let mut players = vec![Some(offer.from), Some(offer.to)];
        if proposed.terms.variant == Variant::Bughouse && !proposed.is_adjourned {
            players.extend([partner(offer.from), partner(offer.to)]);
        }
        if !players.into_iter().all(|id| id.is_some_and(|id| self.lobby.own_game(id).is_none())) {
            let text = "The match can't start: one of its players is at another board.\n";
            self.lobby.queue_text(offer.to, text);
            return self.lobby.notify(offer.from, text);
        }
        let stored =
            self.games.adjourned_index_between(&self.lobby.player_name(offer.from), &self.lobby.player_name(offer.to));
        if let Some(index) = stored.filter(|_| proposed.is_adjourned) {
            return self.resume_adjourned_game(index, Some(offer.to));
        }
        let players = self.choose_colors([offer.from, offer.to], proposed.color);
        self.start_game(players, proposed.terms, Some(offer.to));
    }

    /// Returns the colors of two players. `color` is that of `asker`; without it, `asker` has White, unless it was White in its
    /// last finished game.
    ///
    /// Source: transcripts fatics-match-pending-*, fatics-seeks-*, fatics-game-offers-* (a rematch).
    pub(crate) fn choose_colors(&self, [asker, other]: [ConnectionId; 2], color: Option<Color>) -> Sides<ConnectionId> {
        let name = self.lobby.player_name(asker);
        let last = self.games.history_of(&name).last().and_then(|finished| finished.game.header.color_of(&name));
        let default = if last == Some(Color::White) { Color::Black } else { Color::White };
        match color.unwrap_or(default) {
            Color::White => Sides { white: asker, black: other },
            Color::Black => Sides { white: other, black: asker },
        }
    }

    /// Removes the offers about a game that these players made, and reports that to both sides.
    pub(super) fn remove_game_offers_made_by(&mut self, players: &[ConnectionId]) {
        let ended = |offer: &Offer| offer.proposal.is_in_game() && players.contains(&offer.from);
        for offer in self.offers.select(ended) {
            self.remove_offer(offer);
        }
    }

    /// Removes the challenges to and from a player who starts a game, and reports that to both sides. The lines to the player
    /// have no prompt, as more output follows.
    pub(super) fn remove_challenges_at_game_start(&mut self, id: ConnectionId, opponent: ConnectionId) {
        let opponent = self.lobby.player_name(opponent);
        let concerned =
            |offer: &Offer| matches!(offer.proposal, Proposal::Match(_)) && (offer.from == id || offer.to == id);
        for offer in self.offers.select(concerned) {
            // The text precedes `<pr>` here, and follows it when a player departs, as recorded.
            self.queue_removed_challenge_text(offer, id);
            self.offers.remove(offer.number);
            self.lobby.queue_removed_offer_line(offer, id);
            self.notify_of_removed_challenge(offer, id, Some(&opponent));
        }
    }

    /// Removes the offers to and from a departing player. The other side of a challenge receives a message, that of another offer
    /// only the line of its removal.
    pub(super) fn remove_offers_of_departing(&mut self, id: ConnectionId) {
        for offer in self.offers.select(|offer| offer.from == id || offer.to == id) {
            self.offers.remove(offer.number);
            self.lobby.queue_removed_offer_line(offer, id);
            if matches!(offer.proposal, Proposal::Match(_)) {
                self.queue_removed_challenge_text(offer, id);
                self.notify_of_removed_challenge(offer, id, None);
            } else {
                self.lobby.queue_removed_offer_line(offer, offer.other_side(id));
            }
        }
    }

    /// Reports the end of a challenge to the player who caused it.
    fn queue_removed_challenge_text(&mut self, offer: Offer, id: ConnectionId) {
        let (preposition, end) = if offer.to == id { ("from", "removed") } else { ("to", "withdrawn") };
        let other = self.lobby.player_name(offer.other_side(id));
        self.lobby.queue_text(id, &format!("Challenge {preposition} {other} {end}.\n"));
    }

    /// Sends the other player the message that `id` ended the challenge: by joining a game with the opponent of this name, or
    /// without one by departing.
    fn notify_of_removed_challenge(&mut self, offer: Offer, id: ConnectionId, opponent: Option<&str>) {
        let (name, other) = (self.lobby.player_name(id), offer.other_side(id));
        let change = if opponent.is_some() { ChallengeChange::Joined } else { ChallengeChange::Departed };
        let names = [&name, opponent.unwrap_or_default()];
        if offer.from == id {
            self.lobby.queue_removed_offer_line(offer, other);
            let text = challenge_sentence(change, MeOrOther::Other, &names);
            self.lobby.notify(other, &format!("{text}Challenge from {name} removed.\n"));
        } else {
            self.lobby.notify(other, &challenge_sentence(change, MeOrOther::Me, &names));
            self.lobby.notify_on_prompt_line(other, &format!("Challenge to {name} withdrawn.\n"));
            self.lobby.queue_removed_offer_line(offer, other);
        }
    }

    /// Declines the opponent's offers about a game when the player makes a move.
    pub(crate) fn decline_offers_by_moving(&mut self, id: ConnectionId) {
        let declined = |offer: &Offer| offer.to == id && offer.proposal.is_in_game();
        for offer in self.offers.select(declined) {
            self.answer_offer(offer, AnswerCommand::Decline);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_offers_than_usual_numbers_have_distinct_numbers() {
        let mut offers = Offers::default();
        let mut add = || offers.add(ConnectionId(1), ConnectionId(2), Proposal::Partner).number;
        let mut numbers: Vec<_> = (0..10_001).map(|_| add()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 10_001);
    }
}
