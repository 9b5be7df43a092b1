//! Answers to what others offer, and offers taken back.

use std::fmt;
use std::sync::Arc;

use kibitzer_core::event::{CommandError, RequestError};
use kibitzer_core::message::{
    Actor, ChallengeChange, GameCreated, GameEnded, Handle, Message, OfferAnswer, OfferKind, Partner, Style12,
};
use kibitzer_core::session::{Command, Reply};

use super::terms::Words;
use super::{Request, answer};

/// Which of the pending offers is meant.
///
/// Numbers come with the ivar `pendinfo`; FICS and FatICS know them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OfferRef {
    /// The only one there is.
    #[default]
    Only,
    /// The one of this number, as in [`Pending::index`](kibitzer_core::message::Pending::index).
    Number(u32),
    /// The one made by, or to, this player.
    Player(Handle),
    /// The one of this kind.
    Kind(OfferKind),
}

impl OfferRef {
    fn command(&self, name: &str) -> Result<Command, CommandError> {
        let word: Option<&dyn fmt::Display> = match self {
            Self::Only => None,
            Self::Number(number) => Some(number),
            Self::Player(player) => Some(player),
            Self::Kind(kind) => Some(&kind.as_str()),
        };
        Command::new(Words::new(name).maybe(word).as_str())
    }
}

/// `accept`: says yes to an offer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Accept(OfferRef);

impl Accept {
    /// Accepts this offer.
    pub const fn new(offer: OfferRef) -> Self {
        Self(offer)
    }
}

/// What an accepted offer led to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Accepted {
    /// A game began, or an adjourned one goes on.
    Started(Box<GameCreated>),
    /// The game is over.
    Ended(Box<GameEnded>),
    /// This player is the bughouse partner now.
    Partner(Handle),
    /// Something in the game changed; the board after it, if there is a new one.
    Changed(Option<Arc<Style12>>),
}

impl Request for Accept {
    type Answer = Accepted;

    fn command(&self) -> Result<Command, CommandError> {
        self.0.command("accept")
    }

    /// uhlin-fics does not say what was accepted, only what came of it.
    fn answer(&self, reply: Reply) -> Result<Accepted, RequestError> {
        if let Some(outcome) = own_outcome(&reply).or_else(|| new_partner(&reply)) {
            return Ok(outcome);
        }
        let kind = reply.messages().find_map(|message| match message {
            Message::Offer(offer) if is_answer(offer.actor, offer.answer, OfferAnswer::Accepted) => Some(offer.kind),
            _ => None,
        });
        // Games that begin or end beside one that goes on are others'.
        if kind.is_none_or(ends_games)
            && let Some(outcome) = likely_outcome(&reply)
        {
            return Ok(outcome);
        }
        let board = answer::own_board(&reply).cloned();
        if kind.is_none() && board.is_none() {
            return Err(answer::unexpected(&reply));
        }
        Ok(Accepted::Changed(board))
    }
}

fn outcome(start: Option<&GameCreated>, end: Option<&GameEnded>) -> Option<Accepted> {
    let started = start.map(|created| Accepted::Started(Box::new(created.clone())));
    started.or_else(|| end.map(|ended| Accepted::Ended(Box::new(ended.clone()))))
}

/// What became of a game that is known to be this login's.
fn own_outcome(reply: &Reply) -> Option<Accepted> {
    outcome(answer::own_start(reply, None), answer::own_end(reply))
}

/// What became of a game that can hardly be another's.
fn likely_outcome(reply: &Reply) -> Option<Accepted> {
    outcome(answer::likely_start(reply, None), answer::likely_end(reply))
}

fn new_partner(reply: &Reply) -> Option<Accepted> {
    reply.messages().find_map(|message| match message {
        Message::Partner(Partner::Agreed { actor: Actor::Me, name }) => Some(Accepted::Partner(name.clone())),
        _ => None,
    })
}

/// Whether a game is over once both players want this.
const fn ends_games(kind: OfferKind) -> bool {
    matches!(kind, OfferKind::Draw | OfferKind::Abort | OfferKind::Adjourn)
}

fn is_answer(actor: Actor, answer: Option<OfferAnswer>, wanted: OfferAnswer) -> bool {
    actor == Actor::Me && answer == Some(wanted)
}

/// An offer that waits no longer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Closed {
    /// The other player, if the server names one.
    pub name: Option<Handle>,
    /// What was offered inside a game; `None` for a challenge.
    pub kind: Option<OfferKind>,
}

/// `decline`: says no to an offer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Decline(OfferRef);

impl Decline {
    /// Declines this offer.
    pub const fn new(offer: OfferRef) -> Self {
        Self(offer)
    }
}

impl Request for Decline {
    type Answer = Closed;

    fn command(&self) -> Result<Command, CommandError> {
        self.0.command("decline")
    }

    fn answer(&self, reply: Reply) -> Result<Closed, RequestError> {
        read_closed(&reply, OfferAnswer::Declined, ChallengeChange::Declined)
    }
}

/// `withdraw`: takes an offer back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Withdraw(OfferRef);

impl Withdraw {
    /// Takes this offer back.
    pub const fn new(offer: OfferRef) -> Self {
        Self(offer)
    }
}

impl Request for Withdraw {
    type Answer = Closed;

    fn command(&self) -> Result<Command, CommandError> {
        self.0.command("withdraw")
    }

    fn answer(&self, reply: Reply) -> Result<Closed, RequestError> {
        read_closed(&reply, OfferAnswer::Withdrawn, ChallengeChange::Withdrawn)
    }
}

fn read_closed(reply: &Reply, how: OfferAnswer, change: ChallengeChange) -> Result<Closed, RequestError> {
    answer::first(reply, |message| match message {
        Message::ChallengeUpdate(update) if update.actor == Actor::Me && update.change == change => {
            Some(Closed { name: update.name.clone(), kind: None })
        }
        Message::Offer(offer) if is_answer(offer.actor, offer.answer, how) => {
            Some(Closed { name: offer.from.clone(), kind: Some(offer.kind) })
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use kibitzer_core::event::RefusalReason;
    use kibitzer_core::message::Refusal;

    use super::super::testing::{answer, answer_after, assert_line};
    use super::*;

    const BOARD: &str = "<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 1 \
        Alice Boris -1 5 0 39 39 300 300 1 P/e2-e4 (0:00) e4 0 1 0";

    // Rules: datagrams P3
    #[test]
    fn an_offer_is_named_in_four_ways() {
        assert_line(&Accept::new(OfferRef::Only), "accept");
        assert_line(&Accept::new(OfferRef::Number(22)), "accept 22");
        assert_line(&Decline::new(OfferRef::Number(7)), "decline 7");
        assert_line(&Withdraw::new(OfferRef::Number(1300)), "withdraw 1300");
        assert_line(&Decline::new(OfferRef::Player("Newton".parse().unwrap())), "decline Newton");
        assert_line(&Decline::new(OfferRef::Kind(OfferKind::Draw)), "decline draw");
        assert_line(&Withdraw::default(), "withdraw");
    }

    #[test]
    fn what_was_accepted_is_seen_by_what_came_of_it() {
        let accept = |reply: &str| answer(&Accept::default(), reply).unwrap();
        for reply in [
            "Accepting the match offer from Alekhine.\n\n<pr> 2\n\nCreating: Alekhine (----) Bogoljubov (----) rated blitz 5 2\n\
            {Game 1 (Alekhine vs. Bogoljubov) Creating rated blitz match.}",
            "You accept the challenge of Alekhine.\n\n{Game 1 (Alekhine vs. Bogoljubov) Creating rated blitz match.}",
            "You accept the challenge of Alekhine.\n{Game 1 (Alekhine vs. Bogoljubov) Continuing rated blitz match.}",
        ] {
            let Accepted::Started(created) = accept(reply) else { panic!("{reply}") };
            assert_eq!((created.game.0, created.white.as_str()), (1, "Alekhine"));
        }
        for reply in [
            "Accepting the adjourn request from Bogoljubov.\n\n{Game 1 (Alekhine vs. Bogoljubov) Game adjourned by agreement} *",
            "{Game 1 (Alice vs. Carla) Game aborted by mutual agreement} *\nNo ratings adjustment done.",
        ] {
            assert!(matches!(accept(reply), Accepted::Ended(_)), "{reply}");
        }
        let partner = "Accepting the partnership request from Alekhine.\n\n<pr> 4\nYou agree to be Alekhine's partner.";
        assert_eq!(accept(partner), Accepted::Partner("Alekhine".parse().unwrap()));
        let taken_back = format!("Accepting the takeback request from Alekhine.\n\n{BOARD}");
        for reply in [taken_back.as_str(), BOARD] {
            assert!(matches!(accept(reply), Accepted::Changed(Some(_))), "{reply}");
        }
    }

    #[test]
    fn another_game_that_begins_or_ends_in_the_same_reply_was_not_accepted() {
        const OTHERS: &str =
            "{Game 8 (Foo vs. Bar) Bar resigns} 1-0\n{Game 8 (Foo vs. Bar) Creating rated blitz match.}";
        let accept = |before: &str, reply: &str| answer_after(before, &Accept::default(), reply).unwrap();
        let match_begins =
            format!("{OTHERS}\n{{Game 1 (Alice vs. Boris) Creating rated blitz match.}}\n{OTHERS}\n{BOARD}");
        let Accepted::Started(created) = accept("", &match_begins) else { panic!() };
        assert_eq!(created.game.0, 1);
        let drawn = format!("{OTHERS}\n{{Game 1 (Alice vs. Boris) Game drawn by agreement}} 1/2-1/2");
        let Accepted::Ended(ended) = accept(BOARD, &drawn) else { panic!() };
        assert_eq!(ended.game.0, 1);
        for reply in
            [format!("{BOARD}\n{OTHERS}"), format!("Accepting the takeback request from Boris.\n{OTHERS}\n{BOARD}")]
        {
            let Accepted::Changed(Some(board)) = accept(BOARD, &reply) else { panic!("{reply}") };
            assert_eq!(board.game().0, 1);
        }
        let partner = format!("{OTHERS}\nYou agree to be Foo's partner.");
        assert_eq!(accept("", &partner), Accepted::Partner("Foo".parse().unwrap()));
        // The number of the own game that is over is another's now.
        let again = format!(
            "{BOARD}\n{{Game 1 (Alice vs. Boris) Alice resigns}} 0-1\n{{Game 1 (Foo vs. Bar) Creating rated blitz match.}}"
        );
        assert!(matches!(accept("", &again), Accepted::Ended(_)));
    }

    #[test]
    fn what_was_declined_or_withdrawn_is_named() {
        let closed = |name: &str, kind| Ok(Closed { name: Some(name.parse().unwrap()), kind });
        let cases = [
            ("Declining the draw offer from Euwe.\n\n<pr> 1", "Euwe", Some(OfferKind::Draw)),
            ("Declining the abort request from Euwe.", "Euwe", Some(OfferKind::Abort)),
            ("You decline the draw request from Alice.", "Alice", Some(OfferKind::Draw)),
            ("You decline the takeback request from Boris.", "Boris", Some(OfferKind::Takeback)),
            ("Declining the match offer from Euwe.\n\n<pr> 18", "Euwe", None),
            ("You decline the match offer from Dmitri.", "Dmitri", None),
        ];
        for (reply, name, kind) in cases {
            assert_eq!(answer(&Decline::default(), reply), closed(name, kind), "{reply}");
        }
        let cases = [
            ("Withdrawing your takeback request to Flohr.\n\n<pr> 2", "Flohr", Some(OfferKind::Takeback)),
            ("Withdrawing your match offer to GuestTLLA.\n\n<pr> 20", "GuestTLLA", None),
            ("You withdraw the match offer to Carla.", "Carla", None),
        ];
        for (reply, name, kind) in cases {
            assert_eq!(answer(&Withdraw::default(), reply), closed(name, kind), "{reply}");
        }
    }

    // Rules: datagrams P2, datagrams P3
    #[test]
    fn offers_that_there_are_not() {
        for text in ["There are no offers to accept.", "You have no offers to accept."] {
            let error = answer(&Accept::default(), text).unwrap_err();
            assert_eq!(error.refusal(), Some(RefusalReason::Refusal(Refusal::NoSuchOffer)));
        }
        for text in ["There are no offers to decline.", "There is no offer 77 to decline."] {
            let error = answer(&Decline::default(), text).unwrap_err();
            assert_eq!(error.refusal(), Some(RefusalReason::Refusal(Refusal::NoSuchOffer)));
        }
        let several =
            "You have more than one pending offer. Use \"pending\" to see them and \"accept n\" to choose one.";
        let error = answer(&Accept::default(), several).unwrap_err();
        assert_eq!(error.refusal(), Some(RefusalReason::Refusal(Refusal::AmbiguousOffer)));
        let none = "You have no pending offers to other players.";
        assert_eq!(answer(&Withdraw::default(), none).unwrap_err().text(), Some(none));
    }
}
