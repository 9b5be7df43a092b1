//! Events of examined games, apart from boards.

use strum::AsRefStr;

use super::template::{Captures, PlayerSentence, match_table};
use super::{GameId, Handle};
use crate::text::{PlayerText, ServerText};

/// A line that reports an event of an examined game.
///
/// Most servers start the line with the number of the game, `Game 29: Foo backs up 4 moves.`; one omits it: `Foo backs
/// up 4 moves.` After every event that moves the game, the server sends a board.
///
/// Source: FICS help files `examine`, `revert`, `bsetup`; transcripts of two servers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExamineNotice {
    /// The number of the game; `None` if the line does not have it.
    pub game: Option<GameId>,
    /// The player who caused the event; `None` if it was this login.
    pub by: Option<Handle>,
    /// The event.
    pub action: ExamineAction,
}

/// The event that an [`ExamineNotice`] reports.
#[derive(Clone, Debug, PartialEq, Eq, AsRefStr)]
#[cfg_attr(test, derive(strum::VariantNames))]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum ExamineAction {
    /// An examiner moved forward by this number of plies. Servers print the requested number, which may exceed the plies left.
    Forward(u32),
    /// An examiner moved back by this number of plies; see [`Forward`](Self::Forward).
    Backward(u32),
    /// An examiner returned to the main line, at this move number if the line has it.
    Revert(Option<u32>),
    /// A variation was made the main line.
    Commit,
    /// An examiner made this move, in the server's notation.
    Move(ServerText),
    /// An examiner set a name, a clock or the side to move: the text after `sets `.
    Set(PlayerText),
    /// This login starts to examine a game.
    Start {
        /// Whether the board has no recorded game (`scratch`).
        scratch: bool,
    },
    /// [`ExamineNotice::by`] may move the pieces now; `None` stands for this login.
    IsExaminer,
    /// [`ExamineNotice::by`] made this login an examiner.
    MadeMeExaminer,
    /// [`ExamineNotice::by`] stopped examining; `None` stands for this login.
    Stop,
    /// The position can be edited from now on.
    SetupEntered,
    /// The position is complete, and examining continues.
    SetupLeft,
    /// The game is at its first position; it cannot be moved further back.
    AtBeginning,
    /// The game is at its last position; it cannot be moved further forward.
    AtEnd,
}

impl ExamineNotice {
    /// Parses a line; `None` if it reports no event of an examined game.
    pub fn parse(line: &[u8]) -> Option<Self> {
        if let Some((action, captures)) = match_table(line, OF_MINE) {
            return Some(Self { game: captures.number_as_game(), by: None, action: action(&captures) });
        }
        Self::parse_player_sentence(line)
    }

    /// Parses a sentence about another examiner, with or without the number of the game; `None` if the sentence is not known.
    fn parse_player_sentence(line: &[u8]) -> Option<Self> {
        let sentence = PlayerSentence::parse(line)?;
        let (game, action) = if let Some((action, captures)) = match_table(sentence.rest, EXAMINERS) {
            (captures.number_as_game(), action(&captures))
        } else if let Some((action, captures)) = match_table(sentence.rest, STEPS) {
            (sentence.game, action(&captures))
        } else {
            (sentence.game, ExamineAction::Set(text_after_sets(&sentence)?))
        };
        Some(Self { game, by: Some(sentence.handle()), action })
    }
}

/// Creates the event of a table row from the text that its template captured.
type ActionFromCaptures = fn(&Captures<'_>) -> ExamineAction;

/// Lines about this login or without a subject; a number in them is the number of the game.
const OF_MINE: &[(&str, ActionFromCaptures)] = &[
    ("Starting a game in examine (scratch) mode.", |_| ExamineAction::Start { scratch: true }),
    ("Starting a game in examine mode.", |_| ExamineAction::Start { scratch: false }),
    ("You are now an examiner of game #.", |_| ExamineAction::IsExaminer),
    ("You are now examiner of game #.", |_| ExamineAction::IsExaminer),
    ("You are no longer examining game #.", |_| ExamineAction::Stop),
    ("You're at the beginning of the game.", |_| ExamineAction::AtBeginning),
    ("You're at the end of the game.", |_| ExamineAction::AtEnd),
    ("Beginning of game.", |_| ExamineAction::AtBeginning),
    ("End of game.", |_| ExamineAction::AtEnd),
    ("Entering setup mode.", |_| ExamineAction::SetupEntered),
    ("Game is validated - entering examine mode.", |_| ExamineAction::SetupLeft),
];

/// Sentences about examiners, after the name; a number in them is the number of the game.
const EXAMINERS: &[(&str, ActionFromCaptures)] = &[
    (" is now an examiner of game #.", |_| ExamineAction::IsExaminer),
    (" is now examiner of game #.", |_| ExamineAction::IsExaminer),
    (" has made you an examiner of game #.", |_| ExamineAction::MadeMeExaminer),
    (" stopped examining game #.", |_| ExamineAction::Stop),
    (" has stopped examining game #.", |_| ExamineAction::Stop),
];

/// Sentences about moves, after the name; a number in them counts moves.
const STEPS: &[(&str, ActionFromCaptures)] = &[
    (" moves: *", |captures| ExamineAction::Move(ServerText::from_wire(captures.rest))),
    (" goes forward # moves.", |captures| ExamineAction::Forward(captures.number.unwrap_or_default())),
    (" goes forward # move.", |captures| ExamineAction::Forward(captures.number.unwrap_or_default())),
    (" backs up # moves.", |captures| ExamineAction::Backward(captures.number.unwrap_or_default())),
    (" backs up # move.", |captures| ExamineAction::Backward(captures.number.unwrap_or_default())),
    (" reverts to main line move #.", |captures| ExamineAction::Revert(captures.number)),
    (" reverts to the main line", |_| ExamineAction::Revert(None)),
    (" reverts to the main line.", |_| ExamineAction::Revert(None)),
    (" reverts to main line.", |_| ExamineAction::Revert(None)),
    (" reverts to mainline.", |_| ExamineAction::Revert(None)),
    (" commits the subvariation.", |_| ExamineAction::Commit),
];

/// Returns the text after ` sets `, such as `White's clock to 5:00.` In a line without the number of the game, the text has to
/// start like a known setting, because a player may have written it; `None` otherwise.
fn text_after_sets(sentence: &PlayerSentence<'_>) -> Option<PlayerText> {
    const KNOWN: [&[u8]; 3] = [b"White's ", b"Black's ", b"the "];
    let setting = sentence.rest.strip_prefix(b" sets ")?;
    (sentence.game.is_some() || KNOWN.iter().any(|start| setting.starts_with(start))).then_some(())?;
    Some(PlayerText::from_wire(setting.trim_ascii_end()))
}

#[cfg(test)]
mod tests;
