//! Moves in a game, observing and examining games.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use kibitzer_core::chess::SanMove;
use kibitzer_core::event::{CommandError, RequestError};
use kibitzer_core::message::{ExamineAction, GameEnded, GameId, Handle, Message, Refusal, Relation, Style12};
use kibitzer_core::session::{Command, Reply};
use kibitzer_core::text::ServerText;
use kibitzer_core::{Event, ParseError};
use serde::Serialize;

use super::{IntoHandle, Request, reply};

/// Maximum length of a move in bytes: `Qa1xb2=Q+`, with space for the marks of variants.
const MAX_BYTES: usize = 12;

/// A move to play, as engines write it (`e2e4`, `e7e8q`, `N@f3`) or as people do (`Nf3`, `exd5`, `O-O`, `e8=Q+`).
///
/// It is sent in the form that servers accept: a promotion with `=`, castling with letters `O`. The text is checked to be a
/// move, so that the server cannot execute it as another command, but not to be legal. Castling in the notation of engines is
/// sent as the king's move, `e1g1`, which servers of the FICS family accept in standard chess; they accept `O-O` always.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MoveText(String);

impl MoveText {
    /// Parses a move. Blanks around it, and marks of check, mate and comment (`+`, `#`, `!`, `?`) at its end, are dropped.
    ///
    /// # Errors
    ///
    /// [`ParseError`] if the text is not a move in either notation, or longer than 12 bytes.
    pub fn new(text: &str) -> Result<Self, ParseError> {
        let text = text.trim().trim_end_matches(['+', '#', '!', '?']);
        normalize_move_text(text).filter(|_| text.len() <= MAX_BYTES).map(Self).ok_or(ParseError::new("not a move"))
    }

    /// Returns the normalized move, as it is sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns a move without its `-`, with a capital piece in a drop, with `=` and a small letter in a promotion, and with capital
/// letters in castling; `None` for other text.
fn normalize_move_text(text: &str) -> Option<String> {
    let castling = text.replace(['o', '0'], "O");
    if matches!(castling.as_str(), "O-O" | "O-O-O") {
        return Some(castling);
    }
    let plain = text.replace('-', "");
    if let Some((piece, square)) = plain.split_once('@') {
        let drop = format!("{}@{square}", piece.to_ascii_uppercase());
        let is_drop = matches!(SanMove::parse(drop.as_bytes()), Some(SanMove::Drop { .. }));
        return (is_drop && !piece.is_empty()).then_some(drop);
    }
    let squares = plain.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let promotion = plain.strip_prefix(squares)?;
    let (san, normalized) = if promotion.is_empty() {
        (squares.to_owned(), squares.to_owned())
    } else {
        let squares = squares.strip_suffix('=').unwrap_or(squares);
        let form = |promotion: String| format!("{squares}={promotion}");
        (form(promotion.to_ascii_uppercase()), form(promotion.to_ascii_lowercase()))
    };
    matches!(SanMove::parse(san.as_bytes()), Some(SanMove::Normal { .. })).then_some(normalized)
}

impl FromStr for MoveText {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::new(text)
    }
}

impl fmt::Display for MoveText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A move that the server accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MoveMade {
    /// The new board; `None` if the reply contains only the end of the game, or an unreadable board.
    pub board: Option<Arc<Style12>>,
    /// The end of the game, if the move ended it; `None` otherwise.
    pub ended: Option<Box<GameEnded>>,
}

impl Request for MoveText {
    type Answer = MoveMade;

    fn command(&self) -> Result<Command, CommandError> {
        Command::new(&self.0)
    }

    /// Parses the board after the move, and the end of the game if the move ended it.
    ///
    /// Some servers refuse a move that they cannot parse as an unknown command:
    /// [`Refusal::UnknownCommand`](kibitzer_core::message::Refusal::UnknownCommand).
    fn parse_reply(&self, reply: Reply) -> Result<MoveMade, RequestError> {
        let board = reply::last_own_board(&reply).cloned();
        let ended = match &board {
            Some(board) => reply.events.iter().filter_map(Event::game_ended).find(|ended| ended.game == board.game()),
            None => reply::own_game_end(&reply),
        };
        let ended = ended.cloned().map(Box::new);
        // uhlin-fics cuts the board lines of players with long names.
        let has_board_line = || reply.answers().any(|event| event.raw().starts_with(b"<12> "));
        if board.is_none() && ended.is_none() && !has_board_line() {
            return Err(reply::unexpected_reply(&reply));
        }
        Ok(MoveMade { board, ended })
    }
}

/// A reference to a game, by its number or a player in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GameRef {
    /// The game with this number.
    Game(GameId),
    /// The game that this player plays or examines.
    Player(Handle),
}

/// A game as an argument: its number, a player in it, or a [`GameRef`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name a game",
    label = "not a game",
    note = "pass a `GameId`, a `Handle`, or the name of a player such as `\"Newton\"`"
)]
pub trait IntoGameRef {
    /// Returns the reference to the game.
    ///
    /// # Errors
    ///
    /// [`CommandError::InvalidName`] if no account can have the name of the player.
    fn into_game_ref(self) -> Result<GameRef, CommandError>;
}

impl IntoGameRef for GameRef {
    fn into_game_ref(self) -> Result<GameRef, CommandError> {
        match self {
            Self::Game(_) => Ok(self),
            Self::Player(player) => player.into_game_ref(),
        }
    }
}

impl IntoGameRef for GameId {
    fn into_game_ref(self) -> Result<GameRef, CommandError> {
        Ok(GameRef::Game(self))
    }
}

impl<P: IntoHandle> IntoGameRef for P {
    fn into_game_ref(self) -> Result<GameRef, CommandError> {
        self.into_handle().map(GameRef::Player)
    }
}

impl GameRef {
    /// Returns the line `command` followed by the number of this game or the name of this player.
    pub(super) fn command_line(&self, command: &str) -> String {
        match self {
            Self::Game(game) => format!("{command} {game}"),
            Self::Player(player) => format!("{command} {player}"),
        }
    }
}

/// A game that this login observes from now on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ObservedGame {
    /// Number of the game.
    pub game: GameId,
    /// The current board; `None` if the reply does not contain it in style 12.
    pub board: Option<Arc<Style12>>,
}

/// Parses the reply to `observe` with this argument: the observed game and its board.
pub(super) fn parse_observed_game(reply: &Reply, game: &GameRef) -> Result<ObservedGame, RequestError> {
    let is_meant = |number: GameId| match game {
        GameRef::Game(game) => *game == number,
        GameRef::Player(_) => true,
    };
    let game = reply::find_in_messages(reply, |message| match message {
        Message::Observing(observing) if observing.is_observed && is_meant(observing.game) => Some(observing.game),
        _ => None,
    })?;
    Ok(ObservedGame { game, board: reply::boards_from_last(reply).find(|board| board.game() == game).cloned() })
}

/// Parses the reply to `unobserve`: the games that are no longer observed, at least one. An empty reply is a refusal, because no
/// game was observed.
pub(super) fn parse_unobserved_games(reply: &Reply) -> Result<Vec<GameId>, RequestError> {
    let stopped = reply.messages().filter_map(|message| match message {
        Message::Observing(observing) if !observing.is_observed => Some(observing.game),
        _ => None,
    });
    let stopped: Vec<_> = stopped.collect();
    if !stopped.is_empty() {
        return Ok(stopped);
    }
    if reply.first_answer().is_some() {
        return Err(reply::unexpected_reply(reply));
    }
    // uhlin-fics 1.4.7 answers nothing if no game is observed; other servers say so.
    let reason = Refusal::NoneObserved;
    Err(RequestError::refused(reason, ServerText::from_wire(b"")))
}

/// The result of a step in an examined game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ExamineStep {
    /// The board after the step; `None` if the position is the same, or if the server sends the board later.
    pub board: Option<Arc<Style12>>,
    /// Whether the first or last position of the game stopped the step.
    #[serde(rename = "at_edge")]
    pub is_at_edge: bool,
}

/// Returns the last board of the game that this login examines. Fails if the reply has none.
pub(super) fn parse_examined_board(reply: &Reply) -> Result<Arc<Style12>, RequestError> {
    last_examined_board(reply).ok_or_else(|| reply::unexpected_reply(reply))
}

/// Returns the last board of the game that this login examines.
fn last_examined_board(reply: &Reply) -> Option<Arc<Style12>> {
    reply::last_own_board(reply).filter(|board| board.relation() == Relation::Examining).cloned()
}

/// Parses the reply to a step in the examined game. Fails if it has no board of that game and no report of the step.
pub(super) fn parse_examine_step(reply: &Reply) -> Result<ExamineStep, RequestError> {
    let board = last_examined_board(reply);
    let is_at_edge = |message: &Message| match message {
        Message::Examine(examine) => match examine.action {
            ExamineAction::AtBeginning | ExamineAction::AtEnd => Some(true),
            ExamineAction::Forward(_) | ExamineAction::Backward(_) | ExamineAction::Revert(_) => Some(false),
            _ => None,
        },
        _ => None,
    };
    // The line of uhlin-fics for the end of a game without moves.
    let has_no_moves = |event: &Event| event.raw().trim_ascii() == b"You cannot go forward; no moves are stored.";
    let reports = reply.messages().filter_map(is_at_edge);
    let reports: Vec<bool> = reports.chain(reply.answers().any(has_no_moves).then_some(true)).collect();
    if board.is_none() && reports.is_empty() {
        return Err(reply::unexpected_reply(reply));
    }
    Ok(ExamineStep { board, is_at_edge: reports.contains(&true) })
}

/// Parses the reply to `unexamine`. Fails if no line reports that this login stopped examining.
pub(super) fn parse_examination_end(reply: &Reply) -> Result<(), RequestError> {
    reply::find_in_messages(reply, |message| match message {
        Message::Examine(examine) if examine.by.is_none() && examine.action == ExamineAction::Stop => Some(()),
        _ => None,
    })
}

#[cfg(test)]
mod tests;
