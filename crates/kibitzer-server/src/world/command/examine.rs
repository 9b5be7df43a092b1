//! Commands of examiners.
//!
//! Source of the forms: transcripts fatics-examine-*; text-messages §7 for `revert`.

use std::sync::Arc;

use kibitzer_core::message::GameId;

use super::{Command, CommandResult, DONE, number_or_one, refuse_if, required_first_word};
use crate::calendar::format_count;
use crate::play::{Ending, ExaminedGame, Game, GameHeader};
use crate::world::{ActiveGame, BoardReason, ConnectionId, World};

#[rustfmt::skip] // one to a line: it is a table
pub(crate) const COMMANDS: &[Command] = &[
    Command::new("backward", "[half-moves]", "Goes back in the game you examine.", |world, id, plies| step_examined_game(world, id, plies, false)),
    Command::new("examine", "[player [number]]", "Examines a game of a player's history, the last one without a number; without a player an empty board.", run_examine),
    Command::new("forward", "[half-moves]", "Goes forward in the game you examine.", |world, id, plies| step_examined_game(world, id, plies, true)),
    Command::new("mexamine", "player", "Makes an observer of your game an examiner of it.", run_mexamine),
    Command::new("revert", "", "Returns to the position at which the variation left the main line.", run_revert),
    Command::new("unexamine", "", "Stops examining.", run_unexamine),
];

fn run_examine(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    refuse_if(world.game_played_by(id).is_some(), "You are playing a game.\n")?;
    refuse_if(world.lobby.own_game(id).is_some(), "You are already examining a game.\n")?;
    let mut words = parameters.split_whitespace();
    let number = world.games.lowest_free_number();
    let game = match (words.next(), words.next()) {
        (None, _) => {
            let Some(seat) = world.lobby.seated_player(id, "untimed") else { return DONE };
            ExaminedGame::new_scratch(number, seat, world.lobby.clock.system_time())
        }
        (Some(name), index) => {
            ExaminedGame::at_start_of_finished_game(number, &*find_finished_game(world, name, index)?)
        }
    };
    let mode = if game.is_scratch { "examine (scratch)" } else { "examine" };
    world.start_examining(id, game);
    world.lobby.queue_text(id, &format!("Starting a game in {mode} mode.\n"));
    world.queue_board(number, id, BoardReason::Other);
    DONE
}

/// Returns a finished game of a player's history: the one with this index, or the last one without an index. The error is the
/// text of the refusal.
fn find_finished_game(world: &World, name: &str, index: Option<&str>) -> Result<Arc<Game>, String> {
    let name = super::game::canonical_player_name(world, name)?;
    let games = world.games.history_of(&name);
    let found = match index {
        None => games.last(),
        Some(index) => games.iter().find(|finished| index.parse() == Ok(finished.index)),
    };
    let game = found.map(|finished| Arc::clone(&finished.game));
    game.ok_or_else(|| format!("There is no history game {} for {name}.\n", index.unwrap_or("0")))
}

fn run_unexamine(world: &mut World, id: ConnectionId, _: &str) -> CommandResult {
    let number = examined_game_or_refusal(world, id)?;
    world.lobby.queue_text(id, &format!("You are no longer examining game {number}.\n"));
    world.stop_examining(number, id);
    DONE
}

/// Returns the game that a player examines. The error is the text of the refusal.
fn examined_game_or_refusal(world: &World, id: ConnectionId) -> Result<GameId, &'static str> {
    world.game_examined_by(id).ok_or("You are not examining a game.\n")
}

/// Steps through the game that the player examines, forward or backward by the number of plies in the parameters, 1 by default,
/// and reports that to the audience. Refused at the end or the beginning of the game.
fn step_examined_game(world: &mut World, id: ConnectionId, parameters: &str, is_forward: bool) -> CommandResult {
    let number = examined_game_or_refusal(world, id)?;
    let plies = number_or_one(parameters)?;
    let Some(game) = world.games.examined_mut(number) else { return DONE };
    let (n_moved, verb, edge) = if is_forward {
        (game.step_forward(plies), "goes forward", "end")
    } else {
        (game.step_backward(plies), "backs up", "beginning")
    };
    refuse_if(n_moved == 0, format!("You're at the {edge} of the game.\n"))?;
    let text = format!("Game {number}: {} {verb} {}.\n", world.lobby.player_name(id), format_count(n_moved, "move"));
    report_step(world, id, number, &text);
    DONE
}

/// Reports an examiner's step to the audience. The examiner receives a prompt in between, as recorded.
fn report_step(world: &mut World, id: ConnectionId, number: GameId, text: &str) {
    let Some(ActiveGame::Examined(game)) = world.games.get(number) else { return };
    let ending = game.ending_if_shown().map(|ending| format_examined_ending(&game.header, ending)).unwrap_or_default();
    for other in world.audience(number) {
        world.lobby.notify_on_prompt_line(other, text);
        if other == id {
            world.queue_board(number, id, BoardReason::Other);
            world.lobby.queue_text(id, &ending);
        } else {
            world.notify_board(number, other, BoardReason::Other);
            if !ending.is_empty() {
                world.lobby.notify_on_prompt_line(other, &ending);
            }
        }
    }
}

/// Formats the ending of an examined game, `Game 3: Foo resigns 0-1`, and a newline.
pub(crate) fn format_examined_ending(game: &GameHeader, ending: Ending) -> String {
    format!("Game {}: {} {}\n", game.id, ending.format_text(game.names()), ending.result())
}

fn run_revert(world: &mut World, id: ConnectionId, _: &str) -> CommandResult {
    let number = examined_game_or_refusal(world, id)?;
    let Some(game) = world.games.examined_mut(number) else { return DONE };
    refuse_if(!game.revert_to_main_line(), "You are already in the main line.\n")?;
    let to = game.shown_position().move_number;
    let text = format!("Game {number}: {} reverts to main line move {to}.\n", world.lobby.player_name(id));
    report_step(world, id, number, &text);
    DONE
}

fn run_mexamine(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let number = examined_game_or_refusal(world, id)?;
    let name = required_first_word(parameters)?;
    let is_free_observer =
        |whom: &_| world.lobby.observers(number).contains(whom) && world.lobby.own_game(*whom).is_none();
    let whom = world.lobby.find_player_by_prefix(name).filter(is_free_observer);
    let whom = whom.ok_or_else(|| format!("{name} must be observing the game you are examining.\n"))?;
    if let Some(player) = world.lobby.player_mut(whom) {
        player.observing.retain(|&observed| observed != number);
        player.game = Some(number);
    }
    let (me, other) = (world.lobby.player_name(id), world.lobby.player_name(whom));
    world.lobby.notify(whom, &format!("{me} has made you an examiner of game {number}.\n"));
    world.notify_board(number, whom, BoardReason::Other);
    Ok(format!("{other} is now an examiner of game {number}.\n"))
}
