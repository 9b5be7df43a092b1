//! Offers between players: in a game, to play a game, and to be bughouse partners; their answers, changes and ends.

use strum::AsRefStr;

use super::template::{Captures, read_bracketed_color, read_rated};
use super::{GameId, Handle, MeOrOther, Rating, Titles};
use crate::by_name::named_enum;
use crate::chess::Color;
use crate::scan::{Cursor, parse_decimal};
use crate::text::{PlayerText, ServerText};

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
    #[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
    #[non_exhaustive]
    pub enum OfferKind("Returns the name of the offer in commands and JSON.", "no offer has this name") {
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
    #[non_exhaustive]
    pub enum OfferAnswer("Returns the answer in one word, as in JSON.", "an offer is accepted, declined or withdrawn") {
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

/// A challenge that this login received, or the server's confirmation of one that this login sent.
///
/// `Challenge: Foo (1500P) [white] Bar (1671) unrated blitz 5 0.` for a received one, `Issuing: …` for a sent one,
/// `Updating match request to: …` for a changed one. After the clocks, in any order: `Loaded from wild/fr` with or
/// without brackets, `(adjourned)`, and words of newer servers, stored in [`options`](Self::options).
///
/// Source: transcripts of two servers; FICS help file `match`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Challenge {
    /// Whether this login made the challenge ([`MeOrOther::Me`]) or received it ([`MeOrOther::Other`]).
    pub actor: MeOrOther,
    /// The challenger, whom the line names first.
    pub from: Handle,
    /// The challenger's titles, such as `C` for a computer; empty where the line shows none, as on most servers.
    pub from_titles: Titles,
    /// The challenger's rating for this type of game.
    pub from_rating: Rating,
    /// The color that the challenger requests; `None` if the server is to choose.
    pub from_color: Option<Color>,
    /// The challenged player.
    pub to: Handle,
    /// The challenged player's rating for this type of game.
    pub to_rating: Rating,
    /// Whether ratings are at stake.
    pub rated: bool,
    /// The type of game as received: `blitz`, `wild/fr`; may have several words or be empty.
    pub kind: ServerText,
    /// Minutes on the clock at the start; `None` in an untimed game.
    pub initial_min: Option<u32>,
    /// Seconds added per move; `None` in an untimed game.
    pub increment_s: Option<u32>,
    /// Black's minutes at the start; `None` if both sides get the same time.
    pub black_initial_min: Option<u32>,
    /// Black's increment in seconds; `None` if both sides get the same time.
    pub black_increment_s: Option<u32>,
    /// The stored position that the game starts from, such as `wild/fr`; `None` if the line names none.
    pub loaded_from: Option<ServerText>,
    /// Whether the game would resume an adjourned one.
    pub adjourned: bool,
    /// Words after the clocks without a field of their own: `idn=518`, `hourglass`, `overtime 40/90,SD/30+30`.
    pub options: Option<ServerText>,
}

impl Challenge {
    /// Parses the text between the label and the final period, `Foo (1500P) Bar (1671) unrated blitz 5 0`, which is also the
    /// `p=` field of `<pt>` and `<pf>`. `None` if a name, a rating, or `rated`/`unrated` is missing; later words are always
    /// accepted.
    pub(crate) fn parse_terms(text: &[u8], actor: MeOrOther) -> Option<Self> {
        let mut at = Cursor::new(text);
        let (from, from_titles, from_rating) = read_player(&mut at)?;
        let from_color = read_bracketed_color(&mut at);
        let (to, _, to_rating) = read_player(&mut at)?;
        let rated = read_rated(&mut at)?;
        let kind = read_kind(&mut at);
        // An untimed game has no clocks: `unrated untimed`.
        let (initial_min, increment_s) = read_time_control(&mut at).unzip();
        // Two more numbers are Black's clock only if both are there, `1 0 : 2 1` on one server, `3 0 2 0` on others; otherwise they
        // belong to the options.
        let black_clock = at.attempt(|at| {
            let _ = at.skip_whitespace().eat(b": ");
            read_time_control(at)
        });
        let (black_initial_min, black_increment_s) = black_clock.unzip();
        let mut challenge = Self {
            actor,
            from,
            from_titles,
            from_rating,
            from_color,
            to,
            to_rating,
            rated,
            kind,
            initial_min,
            increment_s,
            black_initial_min,
            black_increment_s,
            loaded_from: None,
            adjourned: false,
            options: None,
        };
        challenge.set_extras(at);
        Some(challenge)
    }

    /// Stores the fields that may follow the clocks, in any order; unknown words become the options.
    fn set_extras(&mut self, mut at: Cursor<'_>) {
        let mut options = Vec::new();
        while let Some(word) = next_word(&mut at) {
            match word {
                b"(adjourned)" | b"[adjourned]" => self.adjourned = true,
                b"Loaded" | b"(Loaded" | b"[Loaded" if at.eat(b" from ") => {
                    self.loaded_from = read_position_name(&mut at);
                }
                other => options.push(other),
            }
        }
        self.options = (!options.is_empty()).then(|| ServerText::from_wire(&options.join(&b' ')));
    }
}

/// Reads a name with its titles, and the rating after it: `Foo(C) (1500P)`.
fn read_player(at: &mut Cursor<'_>) -> Option<(Handle, Titles, Rating)> {
    let name = Handle::from_wire(Handle::read(at.skip_whitespace())?);
    Some((name, Titles::read(at), Rating::read_bracketed(at.skip_whitespace())?))
}

/// Reads the next word after optional blanks; `None` at the end.
fn next_word<'a>(at: &mut Cursor<'a>) -> Option<&'a [u8]> {
    at.skip_whitespace().word_here()
}

/// Reads the type of game: the words up to the clocks, or in an untimed game up to the first extra field. Empty if there is none.
fn read_kind(at: &mut Cursor<'_>) -> ServerText {
    at.skip_whitespace();
    let from = *at;
    let mut ahead = *at;
    while next_word(&mut ahead).is_some_and(|word| !ends_kind(word)) {
        *at = ahead;
    }
    ServerText::from_wire(at.since(from))
}

/// Returns whether a word belongs to the clocks or the extra fields, and thus no longer to the type of game.
fn ends_kind(word: &[u8]) -> bool {
    parse_decimal(word).is_some()
        || matches!(word.first(), Some(b'(' | b'['))
        || word == b"Loaded"
        || word.starts_with(b"idn=")
}

/// Reads initial minutes and increment in seconds: two numbers followed by a blank or the end. Otherwise returns `None`
/// and consumes nothing.
fn read_time_control(at: &mut Cursor<'_>) -> Option<(u32, u32)> {
    at.attempt(|at| {
        let initial = at.skip_whitespace().number()?;
        let increment = at.expect(b" ")?.skip_whitespace().number()?;
        matches!(at.peek(), None | Some(b' ')).then_some((initial, increment))
    })
}

/// Reads the name of a stored position, without the closing bracket of `(Loaded from wild/fr)`.
fn read_position_name(at: &mut Cursor<'_>) -> Option<ServerText> {
    let board = next_word(at)?;
    Some(ServerText::from_wire(board.strip_suffix(b")").or_else(|| board.strip_suffix(b"]")).unwrap_or(board)))
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
    pub enum ChallengeChange("Returns the name of the change in JSON.", "no change of a challenge has this name") {
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
    #[non_exhaustive]
    Agreed {
        /// Whether this login or the other player accepted.
        actor: MeOrOther,
        /// The new partner.
        name: Handle,
    },
    /// `Foo declines the partnership request.`
    Declined(Handle),
    /// The offer was withdrawn: `Foo withdraws partnership request.`, `You withdraw the partnership request to Foo.`
    #[non_exhaustive]
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
    #[non_exhaustive]
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
