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
mod tests {
    use super::*;

    #[test]
    fn every_text_of_a_partnership() {
        let foo = || Handle::from_wire(b"Foo");
        let team = |text: &str| PartnershipUpdate::Team(PlayerText::from_wire(text.as_bytes()));
        let playing = |game| PartnershipUpdate::Playing {
            game: GameId(game),
            white: Handle::from_wire(b"A"),
            black: Handle::from_wire(b"B"),
        };
        let cases = [
            (
                "Foo offers to be your bughouse partner; type \"partner Foo\" to accept.",
                PartnershipUpdate::Offered(foo()),
            ),
            (
                "Foo offers to be your bughouse partner; type \"partner Foo\" to  accept.",
                PartnershipUpdate::Offered(foo()),
            ),
            ("Making a partnership offer to Foo.", PartnershipUpdate::OfferSent(foo())),
            ("Foo agrees to be your partner.", PartnershipUpdate::Agreed { actor: MeOrOther::Other, name: foo() }),
            ("You agree to be Foo's partner.", PartnershipUpdate::Agreed { actor: MeOrOther::Me, name: foo() }),
            ("Foo declines the partnership request.", PartnershipUpdate::Declined(foo())),
            (
                "Foo withdraws partnership request.",
                PartnershipUpdate::Withdrawn { actor: MeOrOther::Other, name: foo() },
            ),
            (
                "You withdraw the partnership request to Foo.",
                PartnershipUpdate::Withdrawn { actor: MeOrOther::Me, name: foo() },
            ),
            ("You no longer have a bughouse partner.", PartnershipUpdate::Ended),
            ("Your partner has ended partnership.", PartnershipUpdate::EndedByPartner),
            ("You are no longer Foo's partner.", PartnershipUpdate::Ended),
            ("Your partner has just unset his/her partner.", PartnershipUpdate::EndedByPartner),
            ("Your partner has unset his/her partner variable.", PartnershipUpdate::EndedByPartner),
            ("Your partner has just chosen a new partner.", PartnershipUpdate::EndedByPartner),
            ("Your partner has accepted a partnership with Foo.", PartnershipUpdate::EndedByPartner),
            ("Your partner has disconnected.", PartnershipUpdate::Disconnected),
            ("Your partner, Bogoljubov, has departed.", PartnershipUpdate::Disconnected),
            ("Your partner is playing game 75 (A vs. B).", playing(75)),
            ("Your partner is playing game 2 (A(GM) vs. B(C)).", playing(2)),
            (
                "Your bughouse partner issuing A (1500) B (1600) rated bughouse 2 0.",
                team("issuing A (1500) B (1600) rated bughouse 2 0."),
            ),
            (
                "Your partner was challenged A (1500) B (1600) rated bughouse 2 0.",
                team("was challenged A (1500) B (1600) rated bughouse 2 0."),
            ),
            ("Your opponent's partner has lagged.", team("has lagged.")),
            ("Your partner accepts the challenge of Alekhine.", team("accepts the challenge of Alekhine.")),
        ];
        for (line, want) in cases {
            assert_eq!(PartnershipUpdate::parse(line.as_bytes()), Some(want), "{line}");
        }
    }

    #[test]
    fn other_lines_are_not_parsed() {
        let lines = [
            "",
            "Foo (your partner) tells you: Your partner has disconnected.",
            "Your opponent offers you a draw.",
            "Your challenge intercepts Foo's challenge.",
            "Game 3: Foo agrees to be your partner.",
            "Foo Bar agrees to be your partner.",
            "You no longer care.",
            "Your opponent has no partner for bughouse.",
        ];
        for line in lines {
            assert_eq!(PartnershipUpdate::parse(line.as_bytes()), None, "{line}");
        }
    }
}
