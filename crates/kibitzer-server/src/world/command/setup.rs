//! Commands that change an examined game: its position, or its moves.
//!
//! Source of the forms: lines that other clients of freechess.org act on; text-messages §7 and FICS help file `bsetup`.

use kibitzer_core::chess::{Board, Color, Fen};

use super::observe::examined_game_or_refusal;
use super::{CommandRefusal, CommandResult, CommandRow, DONE, IN_SETUP, refuse_if};
use crate::chess::Position;
use crate::play::ExaminedGame;
use crate::world::{BoardReason, ConnectionId, World};

#[rustfmt::skip] // one to a line: it is a table
pub(crate) const COMMANDS: &[CommandRow] = &[
    CommandRow::new("bsetup", "[start|clear|fen FEN|tomove white|black|done]", "Sets up a position in the game you examine: without a parameter begins, with \"done\" ends.", run_bsetup),
    CommandRow::new("commit", "", "Makes the variation that you examine the main line.", run_commit),
    CommandRow::new("truncate", "", "Removes the moves after the position that you examine.", run_truncate),
];

const NOT_IN_SETUP: &str = "You are not setting up a position.\n";

/// What the examiner and the other viewers read about a change.
struct Report {
    own: String,
    /// The text after the number of the game and the examiner's name.
    others: String,
}

impl Report {
    fn new(own: impl Into<String>, others: impl Into<String>) -> Self {
        Self { own: own.into(), others: others.into() }
    }
}

fn run_bsetup(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    change_examined_game(world, id, |game| match parameters.split_once(' ').unwrap_or((parameters, "")) {
        ("", _) => {
            refuse_if(!game.enter_setup(), IN_SETUP)?;
            Ok(Report::new("Entering setup mode.\n", "enters setup mode."))
        }
        ("start", _) => set_position(game, &Fen::START),
        ("clear", _) => set_position(game, &Fen::from_board(Board::EMPTY, Color::White)),
        ("fen", text) => set_position(game, &text.trim().parse().map_err(|_| "The FEN is not valid.\n")?),
        ("tomove", side) => set_side_to_move(game, side),
        ("done", _) => {
            refuse_if(game.setup_mut().is_none(), NOT_IN_SETUP)?;
            refuse_if(
                !game.finish_setup(),
                "The position is not valid: each side has one king, which the side to move can not capture, \
                 and no pawn is on the first or last rank.\n",
            )?;
            Ok(Report::new(
                "Game is validated - entering examine mode.\n",
                "has validated the position. Entering examine mode.",
            ))
        }
        _ => Err(CommandRefusal::Usage),
    })
}

fn set_position(game: &mut ExaminedGame, fen: &Fen) -> Result<Report, CommandRefusal> {
    let variant = game.header.terms.variant;
    *game.setup_mut().ok_or(NOT_IN_SETUP)? = Position::from_fen(variant, fen);
    Ok(Report::new("", "sets the board."))
}

fn set_side_to_move(game: &mut ExaminedGame, side: &str) -> Result<Report, CommandRefusal> {
    let position = game.setup_mut().ok_or(NOT_IN_SETUP)?;
    position.side_to_move = match side.trim() {
        "white" => Color::White,
        "black" => Color::Black,
        _ => return Err(CommandRefusal::Usage),
    };
    let side = position.side_to_move;
    // The pawn that could be captured in passing is one of the side that has just moved.
    position.en_passant = None;
    Ok(Report::new(format!("It is now {side}'s turn to move.\n"), format!("sets the side to move to {side}.")))
}

fn run_commit(world: &mut World, id: ConnectionId, _: &str) -> CommandResult {
    change_examined_game(world, id, |game| {
        refuse_if(game.is_in_setup(), IN_SETUP)?;
        refuse_if(!game.commit_variation(), "You are already in the main line.\n")?;
        Ok(Report::new("", "commits the subvariation."))
    })
}

fn run_truncate(world: &mut World, id: ConnectionId, _: &str) -> CommandResult {
    change_examined_game(world, id, |game| {
        refuse_if(game.is_in_setup(), IN_SETUP)?;
        let left = game.truncate();
        Ok(Report::new("", format!("truncates the game at halfmove {left}.")))
    })
}

/// Changes the game that the player examines, and reports that to the audience, each with the board. An examiner without words of
/// its own receives those of the others.
fn change_examined_game(
    world: &mut World,
    id: ConnectionId,
    change: impl FnOnce(&mut ExaminedGame) -> Result<Report, CommandRefusal>,
) -> CommandResult {
    let number = examined_game_or_refusal(world, id)?;
    let Some(game) = world.games.examined_mut(number) else { return DONE };
    let Report { own, others } = change(game)?;
    let others = format!("Game {number}: {} {others}\n", world.lobby.player_name(id));
    for other in world.audience(number) {
        if other == id {
            world.lobby.queue_text(id, if own.is_empty() { &others } else { &own });
            world.queue_board(number, id, BoardReason::Other);
        } else {
            world.lobby.notify_on_prompt_line(other, &others);
            world.notify_board(number, other, BoardReason::Other);
        }
    }
    DONE
}
