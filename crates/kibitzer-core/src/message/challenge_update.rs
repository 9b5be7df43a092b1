//! Updates, answers and ends of challenges.

use super::template::{PlayerSentence, TemplateTable, match_table};
use super::{Handle, MeOrOther};
use crate::by_name::named_enum;

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

/// Sentences about another player, without the name that starts them; each with [`actor`](ChallengeUpdate::actor) and change.
const OF_OTHERS: TemplateTable<(MeOrOther, ChallengeChange)> = {
    use ChallengeChange::{Accepted, Countered, Declined, Departed, Intercepted, Joined, Updated, Withdrawn};
    use MeOrOther::{Me, Other};
    &[
        (" updates the match request.", (Other, Updated)),
        (" updates the offer.", (Other, Updated)),
        (" accepts the match offer.", (Other, Accepted)),
        (" accepts your match offer.", (Other, Accepted)),
        (" accepts the match request.", (Other, Accepted)),
        (" accepts your challenge.", (Other, Accepted)),
        (" accepts your seek.", (Other, Accepted)),
        (" declines the match offer.", (Other, Declined)),
        (" declines your match offer.", (Other, Declined)),
        (" declines the match request.", (Other, Declined)),
        (" declines match request.", (Other, Declined)),
        (" declines your offer and proposes a counteroffer.", (Other, Countered)),
        (" declines your match offer a match with these parameters:", (Other, Countered)),
        (" withdraws the match offer.", (Other, Withdrawn)),
        (" withdraws the match request.", (Other, Withdrawn)),
        (", who was challenging you, has departed.", (Other, Departed)),
        (", who was challenging you, has joined a match with %.", (Other, Joined)),
        (", who was challenging you, has joined a game with %.", (Other, Joined)),
        (", whom you were challenging, has departed.", (Me, Departed)),
        (", whom you were challenging, has joined a match with %.", (Me, Joined)),
        (", whom you were challenging, has joined a game with %.", (Me, Joined)),
        ("'s challenge intercepts your challenge.", (Other, Intercepted)),
    ]
};

/// Complete lines that do not start with a name; `%` is the other party.
const OF_MINE: TemplateTable<(MeOrOther, ChallengeChange)> = {
    use ChallengeChange::{
        Accepted, Countered, Declined, GetgameMatched, Intercepted, Removed, SeekIsManual, SeekMatched, Updated,
        Withdrawn,
    };
    use MeOrOther::{Me, Other};
    &[
        ("You accept the match offer from %.", (Me, Accepted)),
        ("You accept the challenge of %.", (Me, Accepted)),
        ("Accepting the match offer from %.", (Me, Accepted)),
        ("You decline the match offer from %.", (Me, Declined)),
        ("Declining the match offer from %.", (Me, Declined)),
        ("Declining the offer from % and proposing a counteroffer.", (Me, Countered)),
        ("Declining offer from % and offering new match parameters.", (Me, Countered)),
        ("Updating the offer already made to %.", (Me, Updated)),
        ("Updating offer already made to \"%\".", (Me, Updated)),
        ("Challenge to % withdrawn.", (Me, Withdrawn)),
        ("You withdraw the match offer to %.", (Me, Withdrawn)),
        ("Withdrawing your match offer to %.", (Me, Withdrawn)),
        ("Challenge from % withdrawn.", (Other, Withdrawn)),
        ("Challenge from % removed.", (Other, Removed)),
        ("Your challenge intercepts %'s challenge.", (Me, Intercepted)),
        ("Your seek matches one already posted by %.", (Me, SeekMatched)),
        ("Your seek matches one posted by %.", (Me, SeekMatched)),
        ("Your seek qualifies for %'s getgame.", (Me, GetgameMatched)),
        ("Issuing match request since the seek was set to manual.", (Me, SeekIsManual)),
    ]
};

impl ChallengeUpdate {
    /// Parses a line; `None` if it reports no change of a challenge.
    pub fn parse(line: &[u8]) -> Option<Self> {
        // Every sentence ends with a point or a colon, which rules out most lines.
        matches!(line.trim_ascii_end().last(), Some(b'.' | b':')).then_some(())?;
        if let Some(((actor, change), captures)) = match_table(line, OF_MINE) {
            return Some(Self { name: captures.name, actor, change });
        }
        let sentence = PlayerSentence::parse(line).filter(|sentence| sentence.game.is_none())?;
        let ((actor, change), _) = match_table(sentence.rest, OF_OTHERS)?;
        Some(Self { name: Some(sentence.handle()), actor, change })
    }
}

#[cfg(test)]
mod tests;
