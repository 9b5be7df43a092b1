//! Notices about games: those of this login that start, those that it observes and examines, and the start of any game.

use strum::AsRefStr;

use super::template::{read_game_line_head, read_rated};
use super::{Challenge, GameEndReason, GameId, GameResult, Handle, MeOrOther, Rating};
use crate::scan::Cursor;
use crate::text::{PlayerText, ServerText};

/// A report that a game of this login is about to start: `Creating: Foo (1500) Bar (++++) unrated blitz 5 0`.
///
/// The line has no final period, and ends with ` (adjourned)` if a game is resumed. FICS sends it twice for a resumed game; not
/// every server sends it at all. The type of game starts with a capital on ICC.
///
/// Source: transcripts; the line is not in the help files.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OwnGameStarting {
    /// The player whom the line names first: White on FICS. Only [`GameCreated`] reports the colors reliably.
    pub first: Handle,
    /// The rating of the [`first`](Self::first) player.
    pub first_rating: Rating,
    /// The player whom the line names second.
    pub second: Handle,
    /// The rating of the [`second`](Self::second) player.
    pub second_rating: Rating,
    /// Whether ratings are at stake.
    pub rated: bool,
    /// The type of game.
    pub kind: ServerText,
    /// Minutes on the clock at the start; `None` in an untimed game.
    pub initial_min: Option<u32>,
    /// Seconds added per move; `None` in an untimed game.
    pub increment_s: Option<u32>,
    /// The stored position that the game starts from; `None` if the line names none.
    pub loaded_from: Option<ServerText>,
    /// Whether this is an adjourned game that is about to be resumed.
    pub adjourned: bool,
}

impl OwnGameStarting {
    /// Parses the text of a `Creating:` line after that word; `None` if a name, a rating, or `rated`/`unrated` is missing.
    pub(crate) fn parse_terms(text: &[u8]) -> Option<Self> {
        let terms = Challenge::parse_terms(text, MeOrOther::Me)?;
        Some(Self {
            first: terms.from,
            first_rating: terms.from_rating,
            second: terms.to,
            second_rating: terms.to_rating,
            rated: terms.rated,
            kind: terms.kind,
            initial_min: terms.initial_min,
            increment_s: terms.increment_s,
            loaded_from: terms.loaded_from,
            adjourned: terms.adjourned,
        })
    }
}

/// A report that a game started, or that an adjourned game was resumed: `{Game 107 (Foo vs. Bar) Creating unrated blitz match.}`.
///
/// With the variable `gin` set, it is also sent for games that this login does not follow. Titles after the names are
/// skipped.
///
/// Source: FICS help file `gin`, transcripts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameCreated {
    /// The number of the game.
    pub game: GameId,
    /// The player of the white pieces.
    pub white: Handle,
    /// The player of the black pieces.
    pub black: Handle,
    /// Whether ratings are at stake; `None` if the line does not report it.
    pub rated: Option<bool>,
    /// The type of game as received: zero, one or two words.
    pub kind: ServerText,
    /// Whether this is an adjourned game that was resumed (`Continuing`).
    pub resumed: bool,
    /// The stored position that the game starts from, by the last challenge between its players; the line does not contain it.
    pub loaded_from: Option<ServerText>,
}

impl GameCreated {
    /// Parses a line; `None` if it does not report that a game starts or continues.
    #[doc(hidden)]
    pub fn parse(line: &[u8]) -> Option<Self> {
        let mut at = Cursor::new(line.trim_ascii_end().strip_suffix(b" match.}")?);
        let (game, white, black) = read_game_line_head(&mut at)?;
        let resumed = match at.word_here()? {
            b"Creating" => false,
            b"Continuing" => true,
            _ => return None,
        };
        let rated = read_rated(&mut at);
        let kind = ServerText::from_wire(at.take_rest().trim_ascii());
        Some(Self { game, white, black, rated, kind, resumed, loaded_from: None })
    }
}

/// A report that a player on this login's list `gnotify` starts a game: `Game notification: Foo (1709) vs. Bar (1791) rated
/// standard 15 0: Game 262`.
///
/// Source: FICS help file `gnotify`; lines that other clients of freechess.org act on; the source code of FatICS.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameNotification {
    /// The number of the game; `None` if the line does not have it, as on uhlin-fics.
    pub game: Option<GameId>,
    /// The players and terms; the first player has White.
    pub terms: OwnGameStarting,
}

impl GameNotification {
    /// Parses the text after `Game notification: `.
    pub(super) fn parse_terms(text: &[u8]) -> Option<Self> {
        let mut at = Cursor::new(text);
        let first = at.take_until_and_skip(b" vs. ")?;
        let rest = at.take_rest();
        let (second, game) = match memchr::memmem::rfind(rest, b": Game ").and_then(|end| rest.split_at_checked(end)) {
            Some((second, number)) => (second, Some(GameId::read(Cursor::new(number).expect(b": Game ")?)?)),
            None => (rest, None),
        };
        Some(Self { game, terms: OwnGameStarting::parse_terms(&[first, second].join(&b' '))? })
    }
}

/// A report about the player whose games this login follows: `You will now be following Foo's games.`
///
/// Source: FICS help file `follow`; transcripts of FatICS.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FollowChange {
    /// The player whose games this login observes from now on; `None` if it follows no player.
    pub player: Option<Handle>,
    /// Whether the games are those of the player's bughouse partner (`pfollow`).
    pub is_partner: bool,
}

/// A report that this login started or stopped observing a game.
///
/// After it stopped, the server may still send boards of the game, if this login has become its examiner.
///
/// Source: FICS help files `observe` and `unobserve`, transcripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ObservingUpdate {
    /// The number of the game.
    pub game: GameId,
    /// Whether this login observes the game now. Observing ends on request, with the game, when its last examiner leaves, or when
    /// this login becomes an examiner of the game.
    pub is_observed: bool,
}

/// A report that the primary game has changed: the observed game or simul board that commands without a game number refer to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PrimaryGameChange {
    /// The number of the new primary game.
    pub game: GameId,
    /// The opponent on the new board in a simul; `None` for an observed game.
    pub opponent: Option<Handle>,
}

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

impl ExamineNotice {
    /// Parses the result of an examined game, `Black checkmated 1-0`. `None` without a result, or if its reason is not known, so that
    /// no other text after the number of a game becomes one.
    pub(super) fn from_result(game: GameId, text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        let (words, result) = text.rsplit_once(' ')?;
        let result = GameResult::from_wire(result.as_bytes())?;
        let player = words.split([' ', '\'']).next()?;
        let reason = GameEndReason::from_text(words, player, "");
        (reason != GameEndReason::Unknown || words == "Still in progress").then_some(())?;
        Some(Self { game: Some(game), by: None, action: ExamineAction::Result { result, reason } })
    }
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
    /// An examiner removed the moves after this ply.
    Truncate(u32),
    /// The result that the game had when it was played, after its last position: `Game 127: Black checkmated 1-0`.
    #[non_exhaustive]
    Result {
        /// The result; [`GameResult::Unfinished`] for `Still in progress *`.
        result: GameResult,
        /// The reason, as far as the server's words are known.
        reason: GameEndReason,
    },
    /// An examiner made this move, in the server's notation.
    Move(ServerText),
    /// An examiner set a name, a clock or the side to move: the text after `sets `. In a reply to `bsetup`, the setting that the
    /// line names.
    Set(PlayerText),
    /// This login starts to examine a game.
    #[non_exhaustive]
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

#[cfg(test)]
mod tests;
