//! Offers between players: in a game, to play a game, and to be bughouse partners; their answers, changes and ends.

use strum::AsRefStr;

use super::template::Captures;
use super::{GameId, Handle, MeOrOther};
use crate::by_name::named_enum;
use crate::text::PlayerText;

/// A report of an offer in a running game, or of the answer to one.
///
/// Players receive `Foo offers you a draw.`, observers `Game 39: Foo offers a draw.`; offers and answers of this login
/// are reported as `Draw request sent.` and `You decline the draw request from Foo.` ICC does not name the opponent:
/// `Your opponent offers you a draw.`
///
/// Source: transcripts of two servers; the list of offers in FICS help file `offers`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OfferNotice {
    /// The number of the observed game; `None` if this login plays the game.
    pub game: Option<GameId>,
    /// Whether this login or another player makes the offer or answers it.
    pub actor: MeOrOther,
    /// The player whom the line names: the one who offers or answers; for an answer of this login, the other player of the offer.
    /// `None` for an offer of this login, and if the line has no name.
    pub from: Option<Handle>,
    /// The kind of offer.
    pub kind: OfferKind,
    /// Number of plies to take back; `None` for other kinds, and if the line does not have it.
    pub count: Option<u32>,
    /// The answer; `None` if the line is the offer itself.
    pub answer: Option<OfferAnswer>,
}

named_enum! {
    /// Kind of an offer between the players of a game. Challenges and bughouse partnerships are messages of their own.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[expect(clippy::exhaustive_enums, reason = "the offers that players of a game can make one another")]
    pub enum OfferKind("Returns the name of the offer in commands and JSON.") {
        /// To end the game as a draw.
        Draw = "draw",
        /// To end the game without a result.
        Abort = "abort",
        /// To interrupt the game and resume it another day.
        Adjourn = "adjourn",
        /// To take back plies.
        Takeback = "takeback",
        /// To change sides.
        Switch = "switch",
        /// To stop the clocks.
        Pause = "pause",
        /// To start the clocks again.
        Unpause = "unpause",
    }
}

named_enum! {
    /// The way in which an offer ended.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[expect(clippy::exhaustive_enums, reason = "an offer ends in one of these ways")]
    pub enum OfferAnswer("Returns the answer in one word, as in JSON.") {
        /// The other side agreed.
        Accepted = "accepted",
        /// The other side did not agree.
        Declined = "declined",
        /// The player who made it withdrew it.
        Withdrawn = "withdrawn",
    }
}

impl OfferNotice {
    /// Creates the notice from the parts of its sentence. A name in the confirmation of an own offer is not stored.
    pub(super) fn from_sentence(
        actor: MeOrOther,
        kind: OfferKind,
        answer: Option<OfferAnswer>,
        found: Captures<'_>,
    ) -> Self {
        let from = found.name.filter(|_| actor == MeOrOther::Other || answer.is_some());
        let count = found.number.filter(|_| kind == OfferKind::Takeback);
        Self { game: found.game, actor, from, kind, count, answer }
    }
}

impl OfferKind {
    /// Returns the kind with this name; `None` for any other word.
    pub(super) fn from_word(word: &[u8]) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str().as_bytes() == word)
    }
}

/// A change of a challenge, an answer to it, or its end.
///
/// `Foo declines the match offer.`, `You accept the challenge of Foo.`, `Challenge from Foo removed.`, `Foo, whom you
/// were challenging, has joined a match with Bar.`
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChallengeUpdate {
    /// The other party of the challenge; `None` if the line does not name it.
    pub name: Option<Handle>,
    /// The party that updates, answers or withdraws. For a change by the server, the party that made the challenge.
    pub actor: MeOrOther,
    /// The change.
    pub change: ChallengeChange,
}

named_enum! {
    /// A change of a challenge.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum ChallengeChange("Returns the name of the change in JSON.") {
        /// The terms of the challenge changed.
        Updated = "updated",
        /// The challenge was accepted.
        Accepted = "accepted",
        /// The challenge was declined.
        Declined = "declined",
        /// The challenged party declined and proposed other terms.
        Countered = "countered",
        /// The challenger withdrew the challenge.
        Withdrawn = "withdrawn",
        /// The server removed the challenge.
        Removed = "removed",
        /// One of the two players logged out.
        Departed = "departed",
        /// One of the two players started another game.
        Joined = "joined",
        /// Two players had sent each other challenges with the same terms.
        Intercepted = "intercepted",
        /// This login's seek matches another player's.
        SeekMatched = "seek_matched",
        /// This login's seek matches another player's `getgame`.
        GetgameMatched = "getgame_matched",
        /// This login answered a seek whose owner has to confirm, so that the server sent a challenge.
        SeekIsManual = "seek_is_manual",
    }
}

/// An offer, an answer or a change that concerns the bughouse partnership of this login.
///
/// Source: FICS help files `partner` and `bughouse`, transcripts of two servers.
#[derive(Clone, Debug, PartialEq, Eq, AsRefStr)]
#[cfg_attr(test, derive(strum::VariantNames))]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum PartnershipUpdate {
    /// `Foo offers to be your bughouse partner; type "partner Foo" to accept.`
    Offered(Handle),
    /// `Making a partnership offer to Foo.`
    OfferSent(Handle),
    /// The offer was accepted: `Foo agrees to be your partner.`, `You agree to be Foo's partner.`
    Agreed {
        /// Whether this login or the other player accepted.
        actor: MeOrOther,
        /// The new partner.
        name: Handle,
    },
    /// `Foo declines the partnership request.`
    Declined(Handle),
    /// The offer was withdrawn: `Foo withdraws partnership request.`, `You withdraw the partnership request to Foo.`
    Withdrawn {
        /// Whether this login or the other player withdrew its offer.
        actor: MeOrOther,
        /// The other player.
        name: Handle,
    },
    /// `You no longer have a bughouse partner.`
    Ended,
    /// `Your partner has ended partnership.`
    EndedByPartner,
    /// `Your partner has disconnected.`
    Disconnected,
    /// The partner plays a game: `Your partner is playing game 75 (Foo vs. Bar).`
    Playing {
        /// The number of the partner's game.
        game: GameId,
        /// The player of the white pieces there.
        white: Handle,
        /// The player of the black pieces there.
        black: Handle,
    },
    /// A challenge to or by the team, or its end: the text after `Your bughouse partner `, `Your partner ` or `Your
    /// opponent's partner `.
    Team(PlayerText),
}

#[cfg(test)]
mod tests;
