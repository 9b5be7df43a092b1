//! Lines about this login's bughouse partnership, other than tells.

use strum::AsRefStr;

use super::template::{Captures, PlayerSentence, TemplateTable, match_table};
use super::{GameId, Handle, MeOrOther};
use crate::text::PlayerText;

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

impl PartnershipUpdate {
    /// Parses a line; `None` if it does not concern the partnership. A line about the partner that is not a known sentence becomes
    /// [`Team`](Self::Team).
    pub fn parse(line: &[u8]) -> Option<Self> {
        if let Some((build, captures)) = match_table(line, OF_MINE) {
            return build(captures);
        }
        let teams = [&b"Your bughouse partner "[..], b"Your opponent's partner ", b"Your partner "];
        if let Some(text) = teams.into_iter().find_map(|start| line.strip_prefix(start)) {
            return Some(Self::Team(PlayerText::from_wire(text.trim_ascii_end())));
        }
        let sentence = PlayerSentence::parse(line).filter(|sentence| sentence.game.is_none())?;
        let (build, _) = match_table(sentence.rest, OF_OTHERS)?;
        Some(build(sentence.handle()))
    }
}

/// Sentences about this login's own actions and its partner, each with the value for the text that its template captured.
const OF_MINE: TemplateTable<fn(Captures<'_>) -> Option<PartnershipUpdate>> = {
    use PartnershipUpdate::{Agreed, Disconnected, Ended, EndedByPartner, OfferSent, Playing, Withdrawn};
    &[
        ("Making a partnership offer to %.", |found| found.name.map(OfferSent)),
        ("Accepting the partnership request from %.", |found| Some(Agreed { actor: MeOrOther::Me, name: found.name? })),
        ("You agree to be %'s partner.", |found| Some(Agreed { actor: MeOrOther::Me, name: found.name? })),
        ("You withdraw the partnership request to %.", |found| {
            Some(Withdrawn { actor: MeOrOther::Me, name: found.name? })
        }),
        ("You no longer have a bughouse partner.", |_| Some(Ended)),
        ("You are no longer %'s partner.", |_| Some(Ended)),
        ("Your partner has ended partnership.", |_| Some(EndedByPartner)),
        ("Your partner has just unset his/her partner.", |_| Some(EndedByPartner)),
        ("Your partner has unset his/her partner variable.", |_| Some(EndedByPartner)),
        ("Your partner has just chosen a new partner.", |_| Some(EndedByPartner)),
        ("Your partner has accepted a partnership with %.", |_| Some(EndedByPartner)),
        ("Your partner has disconnected.", |_| Some(Disconnected)),
        ("Your partner, %, has departed.", |_| Some(Disconnected)),
        ("Your partner is playing game # (% vs. %).", |found| {
            Some(Playing { game: found.number_as_game()?, white: found.name?, black: found.second_name? })
        }),
    ]
};

/// Sentences about another player's actions, without the player's name at the start.
const OF_OTHERS: TemplateTable<fn(Handle) -> PartnershipUpdate> = {
    use PartnershipUpdate::{Agreed, Declined, Offered, Withdrawn};
    &[
        (" offers to be your bughouse partner; type \"partner %\" to accept.", Offered),
        (" agrees to be your partner.", |name| Agreed { actor: MeOrOther::Other, name }),
        (" accepts your partnership request.", |name| Agreed { actor: MeOrOther::Other, name }),
        (" declines the partnership request.", Declined),
        (" declines your partnership request.", Declined),
        (" withdraws partnership request.", |name| Withdrawn { actor: MeOrOther::Other, name }),
    ]
};

#[cfg(test)]
mod tests;
