//! Events of examined games, apart from boards.

use super::template::{Captures, PlayerSentence, match_table};
use super::{GameId, Handle};
use crate::text::{PlayerText, ServerText};

/// An event of an examined game.
///
/// Most servers start the line with the number of the game, `Game 29: Foo backs up 4 moves.`; one omits it: `Foo backs
/// up 4 moves.` After every event that moves the game, the server sends a board.
///
/// Source: FICS help files `examine`, `revert`, `bsetup`; transcripts of two servers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Examine {
    /// The number of the game, if the line has it.
    pub game: Option<GameId>,
    /// Who acts; `None` is this login.
    pub by: Option<Handle>,
    /// The event.
    pub action: ExamineAction,
}

/// An event of an examined game.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExamineAction {
    /// A number of plies forward. Servers print the requested number, which may be more than there are.
    Forward(u32),
    /// So many plies back; see [`Forward`](Self::Forward).
    Backward(u32),
    /// Back to the main line; to this move if the line has it.
    Revert(Option<u32>),
    /// A variation was made the main line.
    Commit,
    /// A move, as the server writes it.
    Move(ServerText),
    /// A name, a clock or the side to move was set: the text after `sets `.
    Set(PlayerText),
    /// I begin to examine.
    Start {
        /// Whether it is a board without a recorded game.
        scratch: bool,
    },
    /// [`Examine::by`] may move the pieces now; `None` is this login.
    IsExaminer,
    /// [`Examine::by`] lets me move the pieces.
    MadeMeExaminer,
    /// Examining ended for [`Examine::by`]; `None` is this login.
    Stop,
    /// The position can be edited from now on.
    SetupEntered,
    /// The position is complete, and examining continues.
    SetupLeft,
    /// There is nothing before this position.
    AtBeginning,
    /// There is nothing after this position.
    AtEnd,
}

impl Examine {
    /// Reads a whole line.
    pub fn parse(line: &[u8]) -> Option<Self> {
        Self::parse_mine(line).or_else(|| Self::parse_of_others(line))
    }

    fn parse_mine(line: &[u8]) -> Option<Self> {
        // Rules out most lines without comparing each template.
        matches!(line.first(), Some(b'S' | b'Y' | b'E' | b'G' | b'B')).then_some(())?;
        let (action, captures) = match_table(line, OF_MINE)?;
        Some(Self { game: captures.game(), by: None, action: action(&captures) })
    }

    fn parse_of_others(line: &[u8]) -> Option<Self> {
        let sentence = PlayerSentence::read(line)?;
        let (game, action) = if let Some((action, captures)) = match_table(sentence.rest, EXAMINERS) {
            (captures.game(), action(&captures))
        } else if let Some((action, captures)) = match_table(sentence.rest, STEPS) {
            (sentence.game, action(&captures))
        } else {
            (sentence.game, ExamineAction::Set(read_set(&sentence)?))
        };
        Some(Self { game, by: Some(sentence.handle()), action })
    }
}

/// The event of a row, from the captures of its template.
type Action = fn(&Captures<'_>) -> ExamineAction;

/// Lines without a subject other than me; a number in them is the game.
const OF_MINE: &[(&str, Action)] = &[
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

/// Sentences about examiners after the name; the number is that of the game.
const EXAMINERS: &[(&str, Action)] = &[
    (" is now an examiner of game #.", |_| ExamineAction::IsExaminer),
    (" is now examiner of game #.", |_| ExamineAction::IsExaminer),
    (" has made you an examiner of game #.", |_| ExamineAction::MadeMeExaminer),
    (" stopped examining game #.", |_| ExamineAction::Stop),
    (" has stopped examining game #.", |_| ExamineAction::Stop),
];

/// Sentences about the board after the name; the number is that of moves.
const STEPS: &[(&str, Action)] = &[
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

/// Reads ` sets White's clock to 5:00.` Without the number of a game, only known settings are accepted.
fn read_set(sentence: &PlayerSentence<'_>) -> Option<PlayerText> {
    const KNOWN: [&[u8]; 3] = [b"White's ", b"Black's ", b"the "];
    let what = sentence.rest.strip_prefix(b" sets ")?;
    (sentence.game.is_some() || KNOWN.iter().any(|start| what.starts_with(start))).then_some(())?;
    Some(PlayerText::from_wire(what.trim_ascii_end()))
}

#[cfg(test)]
mod tests {
    use super::ExamineAction::{
        AtBeginning, AtEnd, Backward, Commit, Forward, IsExaminer, MadeMeExaminer, Move, Revert, Set, SetupEntered,
        SetupLeft, Start, Stop,
    };
    use super::*;

    fn text(words: &str) -> PlayerText {
        PlayerText::from_wire(words.as_bytes())
    }

    #[test]
    fn events_of_others_with_and_without_a_game_number() {
        let cases = [
            ("Game 29: A goes forward 22 moves.", Some(29), Forward(22)),
            ("Game 29: A goes forward 1 move.", Some(29), Forward(1)),
            ("A goes forward 1 move.", None, Forward(1)),
            ("A goes forward 40 moves.", None, Forward(40)),
            ("Game 29: A backs up 4 moves.", Some(29), Backward(4)),
            ("A backs up 1 move.", None, Backward(1)),
            ("A backs up 500 moves.", None, Backward(500)),
            ("Game 29: A reverts to main line move 5.", Some(29), Revert(Some(5))),
            ("Game 29: A reverts to the main line", Some(29), Revert(None)),
            ("A reverts to mainline.", None, Revert(None)),
            ("Game 29: A commits the subvariation.", Some(29), Commit),
            ("Game 29: A moves: Nf3", Some(29), Move(ServerText::from_wire(b"Nf3"))),
            ("A(GM) moves: Bb5+ ", None, Move(ServerText::from_wire(b"Bb5+"))),
            ("Game 29: A sets White's clock to 5:00.", Some(29), Set(text("White's clock to 5:00."))),
            ("Game 29: A sets whatever", Some(29), Set(text("whatever"))),
            ("A sets the side to move to white.", None, Set(text("the side to move to white."))),
            ("A is now an examiner of game 29.", Some(29), IsExaminer),
            ("A is now examiner of game 29.", Some(29), IsExaminer),
            ("A has made you an examiner of game 104.", Some(104), MadeMeExaminer),
            ("A stopped examining game 1.", Some(1), Stop),
            ("A has stopped examining game 1.", Some(1), Stop),
        ];
        for (line, game, action) in cases {
            let want = Examine { game: game.map(GameId), by: Some(Handle::from_wire(b"A")), action };
            assert_eq!(Examine::parse(line.as_bytes()), Some(want), "{line}");
        }
    }

    #[test]
    fn events_of_this_login() {
        let cases = [
            ("Starting a game in examine (scratch) mode.", None, Start { scratch: true }),
            ("Starting a game in examine mode.", None, Start { scratch: false }),
            ("You are now examiner of game 1.", Some(1), IsExaminer),
            ("You are no longer examining game 29.", Some(29), Stop),
            ("Entering setup mode.", None, SetupEntered),
            ("Game is validated - entering examine mode.", None, SetupLeft),
            ("You're at the beginning of the game.", None, AtBeginning),
            ("You're at the end of the game.", None, AtEnd),
            ("Beginning of game.", None, AtBeginning),
            ("End of game.", None, AtEnd),
        ];
        for (line, game, action) in cases {
            let want = Examine { game: game.map(GameId), by: None, action };
            assert_eq!(Examine::parse(line.as_bytes()), Some(want), "{line}");
        }
    }

    #[test]
    fn other_lines_are_not_parsed() {
        let lines = [
            "",
            "A sets his alarm clock.",
            "A goes forward x moves.",
            "A goes forward 2 moves. Or 3.",
            "A B goes forward 2 moves.",
            "You are now observing game 463.",
            "Game 1 (which you were observing) has no examiners.",
            "Game 29: A offers a draw.",
            "Game 1: Bogoljubov resigns 1-0",
            "Alekhine, whom you are following, has started examining a game.",
        ];
        for line in lines {
            assert_eq!(Examine::parse(line.as_bytes()), None, "{line}");
        }
    }
}
