//! Offers in a game: draw, abort, adjourn, takeback, switch, pause, unpause.

use super::template::{PlayerSentence, match_table, match_template, read_name};
use super::{GameId, Handle, MeOrOther};
use crate::by_name::named_enum;
use crate::scan::Cursor;

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

impl OfferKind {
    /// Returns the kind with this name, ignoring case; `None` for any other word.
    fn from_word(word: &[u8]) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str().as_bytes().eq_ignore_ascii_case(word))
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

/// Sentences that make an offer, after the player's name.
const OF_OTHERS: &[(&str, OfferKind)] = {
    use OfferKind::{Abort, Adjourn, Draw, Pause, Switch, Takeback, Unpause};
    &[
        (" offers you a draw.", Draw),
        (" offers a draw.", Draw),
        (" would like to abort the game; type \"abort\" to accept.", Abort),
        (" would like to adjourn the game; type \"adjourn\" to accept.", Adjourn),
        (" would like to take back # half move(s).", Takeback),
        (" would like to take back # half-move(s).", Takeback),
        (" would like to switch sides.", Switch),
        (" would like to switch sides; type \"switch\" to accept.", Switch),
        (" requests to abort game #.", Abort),
        (" requests to abort the game.", Abort),
        (" requests to adjourn game #.", Adjourn),
        (" requests to adjourn the game.", Adjourn),
        (" requests to take back # half move(s).", Takeback),
        (" requests to take back # half-move(s).", Takeback),
        (" requests to switch sides.", Switch),
        (" requests to pause the game.", Pause),
        (" requests to unpause the game.", Unpause),
        (" proposes a different number (#) of half-move(s) to take back.", Takeback),
        (" proposes a different number (#) of half-move(s).", Takeback),
    ]
};

/// Whole lines without a player's name at the start. [`OfferNotice::parse_without_subject`] also accepts `Draw request sent.` and
/// the like.
const WHOLE_LINES: &[(&str, (MeOrOther, OfferKind))] = &[
    ("Offering a draw to %.", (MeOrOther::Me, OfferKind::Draw)),
    ("Requesting to abort game #.", (MeOrOther::Me, OfferKind::Abort)),
    ("Requesting to adjourn game #.", (MeOrOther::Me, OfferKind::Adjourn)),
    ("Alternate takeback request sent.", (MeOrOther::Me, OfferKind::Takeback)),
    ("Updated takeback request sent.", (MeOrOther::Me, OfferKind::Takeback)),
    ("Updated takeback request received.", (MeOrOther::Other, OfferKind::Takeback)),
];

impl OfferNotice {
    /// Parses a line, which must end with a full stop; `None` if it is neither an offer nor an answer.
    pub fn parse(line: &[u8]) -> Option<Self> {
        line.trim_ascii_end().ends_with(b".").then_some(())?;
        Self::parse_without_subject(line)
            .or_else(|| Self::parse_my_answer(line))
            .or_else(|| Self::parse_player_sentence(line))
    }

    /// Parses an offer without the name of the player who makes it: one of [`WHOLE_LINES`], or `Draw request sent.`
    fn parse_without_subject(line: &[u8]) -> Option<Self> {
        if let Some(((actor, kind), _)) = match_table(line, WHOLE_LINES) {
            return Some(Self::new(actor, None, kind, None));
        }
        let mut at = Cursor::new(line);
        let kind = OfferKind::from_word(at.word_here()?)?;
        match_template(at.rest(), " request sent.").map(|_| Self::new(MeOrOther::Me, None, kind, None))
    }

    /// Parses an answer of this login: `You decline the draw request from Foo.`, `Withdrawing your takeback request to Foo.`
    fn parse_my_answer(line: &[u8]) -> Option<Self> {
        let mut at = Cursor::new(line);
        let _ = at.eat(b"You ");
        let (kind, answer) = read_answer(&mut at, MeOrOther::Me)?;
        (at.eat(b" from ") || at.eat(b" to ")).then_some(())?;
        let name = Handle::from_wire(read_name(&mut at)?);
        at.expect(b".")?.expect_blank_rest()?;
        Some(Self::new(MeOrOther::Me, Some(name), kind, Some(answer)))
    }

    /// Parses an offer or an answer of another player.
    fn parse_player_sentence(line: &[u8]) -> Option<Self> {
        let sentence = PlayerSentence::parse(line)?;
        // ICC does not name the opponent.
        let unnamed = sentence.rest.strip_prefix(b" opponent").filter(|_| sentence.name == b"Your");
        let rest = unnamed.unwrap_or(sentence.rest);
        let from = unnamed.is_none().then(|| sentence.handle());
        let game = sentence.game;
        if let Some((kind, captures)) = match_table(rest, OF_OTHERS) {
            let count = captures.number.filter(|_| kind == OfferKind::Takeback);
            return Some(Self { game, count, ..Self::new(MeOrOther::Other, from, kind, None) });
        }
        let (kind, answer) = parse_answer_after_name(rest)?;
        Some(Self { game, ..Self::new(MeOrOther::Other, from, kind, Some(answer)) })
    }

    /// Creates a notice without the number of a game and without a count.
    const fn new(actor: MeOrOther, from: Option<Handle>, kind: OfferKind, answer: Option<OfferAnswer>) -> Self {
        Self { game: None, actor, from, kind, count: None, answer }
    }
}

/// Parses an answer after another player's name: ` declines the draw request.`, or one server's ` accepted pause. Game clock
/// paused.`
fn parse_answer_after_name(rest: &[u8]) -> Option<(OfferKind, OfferAnswer)> {
    if match_template(rest, " accepted pause. Game clock paused.").is_some() {
        return Some((OfferKind::Pause, OfferAnswer::Accepted));
    }
    if match_template(rest, " accepted unpause. Game clock resumed.").is_some() {
        return Some((OfferKind::Unpause, OfferAnswer::Accepted));
    }
    let mut at = Cursor::new(rest);
    let read = read_answer(at.expect(b" ")?, MeOrOther::Other)?;
    at.expect(b".")?.expect_blank_rest()?;
    Some(read)
}

/// Reads `declines the draw request`, `accepts your takeback offer`, `declines draw request`, up to the last word. `None` if the
/// verb is not one that `by` uses.
fn read_answer(at: &mut Cursor<'_>, by: MeOrOther) -> Option<(OfferKind, OfferAnswer)> {
    let word = at.word_here()?;
    let &(.., answer) = VERBS.iter().find(|(verb, actor, _)| *verb == word && *actor == by)?;
    let _ = at.expect(b" ")?.eat(b"the ") || at.eat(b"your ");
    let kind = OfferKind::from_word(at.word_here()?)?;
    (at.eat(b" request") || at.eat(b" offer")).then_some((kind, answer))
}

/// The verbs of answers: those of other players, then those of this login.
const VERBS: [(&[u8], MeOrOther, OfferAnswer); 9] = [
    (b"accepts", MeOrOther::Other, OfferAnswer::Accepted),
    (b"declines", MeOrOther::Other, OfferAnswer::Declined),
    (b"withdraws", MeOrOther::Other, OfferAnswer::Withdrawn),
    (b"accept", MeOrOther::Me, OfferAnswer::Accepted),
    (b"decline", MeOrOther::Me, OfferAnswer::Declined),
    (b"withdraw", MeOrOther::Me, OfferAnswer::Withdrawn),
    (b"Accepting", MeOrOther::Me, OfferAnswer::Accepted),
    (b"Declining", MeOrOther::Me, OfferAnswer::Declined),
    (b"Withdrawing", MeOrOther::Me, OfferAnswer::Withdrawn),
];

#[cfg(test)]
mod tests;
