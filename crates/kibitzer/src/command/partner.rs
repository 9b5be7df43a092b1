//! Bughouse partners.

use kibitzer_core::event::{CommandError, RequestError};
use kibitzer_core::message::{self, Actor, Handle, Message};
use kibitzer_core::session::{Command, Reply};

use super::bare::bare_commands;
use super::terms::Words;
use super::{Request, answer};

/// `partner`: offers a player to be bughouse partners, or accepts that.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Partner(Handle);

impl Partner {
    /// Asks this player.
    pub const fn new(player: Handle) -> Self {
        Self(player)
    }
}

/// What became of an offer of partnership.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "partners they are, or not yet")]
pub enum PartnerAnswer {
    /// The player has to answer it.
    Sent,
    /// The player had offered the same: they are partners now.
    Agreed,
}

impl Request for Partner {
    type Answer = PartnerAnswer;

    fn command(&self) -> Result<Command, CommandError> {
        Command::new(Words::new("partner").with(&self.0).as_str())
    }

    fn answer(&self, reply: Reply) -> Result<PartnerAnswer, RequestError> {
        answer::first(&reply, |message| match message {
            Message::Partner(message::Partner::OfferSent(_)) => Some(PartnerAnswer::Sent),
            Message::Partner(message::Partner::Agreed { actor: Actor::Me, .. }) => Some(PartnerAnswer::Agreed),
            _ => None,
        })
    }
}

bare_commands! {
    /// `partner` without a name: ends the partnership, or takes the offer of one back.
    EndPartnership = "partner" -> (), read_end;
}

/// uhlin-fics answers nothing at all.
fn read_end(reply: &Reply) -> Result<(), RequestError> {
    if reply.answer().is_none() {
        return Ok(());
    }
    answer::first(reply, |message| match message {
        Message::Partner(message::Partner::Ended | message::Partner::Withdrawn { actor: Actor::Me, .. }) => Some(()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use kibitzer_core::event::RefusalReason;
    use kibitzer_core::message::Refusal;

    use super::super::testing::{answer, assert_line};
    use super::*;

    #[test]
    fn partners_are_asked_or_agree() {
        let command = Partner::new("Dmitri".parse().unwrap());
        assert_line(&command, "partner Dmitri");
        let sent = "Making a partnership offer to Dmitri.\n\n<pt> 4 w=Dmitri t=partner p=#";
        assert_eq!(answer(&command, sent), Ok(PartnerAnswer::Sent));
        assert_eq!(answer(&command, "You agree to be Dmitri's partner."), Ok(PartnerAnswer::Agreed));
        let nobody = answer(&command, "No player named \"dmitri\" is online.").unwrap_err();
        assert_eq!(nobody.refusal(), Some(RefusalReason::Refusal(Refusal::NotLoggedIn)));
    }

    #[test]
    fn a_partnership_ends() {
        assert_line(&EndPartnership::new(), "partner");
        let withdrawn = "You withdraw the partnership request to Bela.";
        for reply in ["You no longer have a bughouse partner.", withdrawn, "", "Foo tells you: bye"] {
            assert_eq!(answer(&EndPartnership::new(), reply), Ok(()), "{reply}");
        }
        let none = answer(&EndPartnership::new(), "You do not have a bughouse partner.").unwrap_err();
        assert_eq!(none.refusal(), Some(RefusalReason::Refusal(Refusal::NoPartner)));
    }
}
