//! Going through games.
//!
//! Source of the forms: transcripts fatics-examine-*; text-messages §7 for `revert`.

use std::sync::Arc;

use kibitzer_core::message::GameId;

use super::{Command, DONE, Outcome, Refusal};
use crate::play::{Ending, Examined, Game, Kind, Reverted};
use crate::world::{ConnectionId, Occasion, Show, World};

#[rustfmt::skip] // one to a line: it is a table
pub(super) const COMMANDS: &[Command] = &[
    Command::anyone("backward", "[half-moves]", "Goes back in the game you examine.", backward),
    Command::anyone("examine", "[player [number]]", "Examines a game of a player's history, the last one without a number; without a player an empty board.", examine),
    Command::anyone("forward", "[half-moves]", "Goes forward in the game you examine.", forward),
    Command::anyone("mexamine", "player", "Has a player who follows your game examine it with you.", mexamine),
    Command::anyone("revert", "", "Goes back to where the main line was left.", revert),
    Command::anyone("unexamine", "", "Stops examining.", unexamine),
];

fn examine(world: &mut World, id: ConnectionId, parameters: &str) -> Outcome {
    if world.game_of(id).is_some() {
        return Ok("You are playing a game.\n".to_owned());
    }
    if world.lobby.own_game(id).is_some() {
        return Ok("You are already examining a game.\n".to_owned());
    }
    let mut words = parameters.split_whitespace();
    let (number, date) = (world.tables.free_number(), world.lobby.clock.system_time());
    match (words.next(), words.next()) {
        (None, _) => {
            let Some(seat) = world.lobby.seat(id, Kind::Untimed) else { return DONE };
            begin(world, id, Examined::scratch(number, seat, date), true);
        }
        (Some(name), index) => {
            let game = historic(world, name, index)?;
            begin(world, id, Examined::of_game(number, &game), false);
        }
    }
    DONE
}

/// Returns a game of a player's history: the one of that index, else the last.
fn historic(world: &World, name: &str, index: Option<&str>) -> Result<Arc<Game>, String> {
    let name = super::records::registered_name(world, name)?;
    let games = world.tables.history_of(&name);
    let found = match index {
        None => games.last(),
        Some(index) => games.iter().find(|finished| index.parse() == Ok(finished.index)),
    };
    let game = found.map(|finished| Arc::clone(&finished.game));
    game.ok_or_else(|| format!("There is no history game {} for {name}.\n", index.unwrap_or("0")))
}

fn begin(world: &mut World, id: ConnectionId, game: Examined, is_scratch: bool) {
    let number = game.id();
    world.tables.add(number, Show::Examined { game, is_scratch, examiners: vec![id] });
    if let Some(player) = world.lobby.player_mut(id) {
        player.game = Some(number);
    }
    let mode = if is_scratch { "examine (scratch)" } else { "examine" };
    world.lobby.put(id, &format!("Starting a game in {mode} mode.\n"));
    world.put_board(number, id, Occasion::Other);
}

fn unexamine(world: &mut World, id: ConnectionId, _: &str) -> Outcome {
    let number = examined(world, id)?;
    world.lobby.put(id, &format!("You are no longer examining game {number}.\n"));
    world.stop_examining(number, id);
    DONE
}

/// Returns the game a player examines.
fn examined(world: &World, id: ConnectionId) -> Result<GameId, &'static str> {
    world.examined_by(id).ok_or("You are not examining a game.\n")
}

fn forward(world: &mut World, id: ConnectionId, parameters: &str) -> Outcome {
    walk(world, id, parameters, Examined::forward, ("goes forward", "end"))
}

fn backward(world: &mut World, id: ConnectionId, parameters: &str) -> Outcome {
    walk(world, id, parameters, Examined::backward, ("backs up", "beginning"))
}

fn walk(
    world: &mut World,
    id: ConnectionId,
    parameters: &str,
    step: fn(&mut Examined, usize) -> usize,
    (verb, edge): (&str, &str),
) -> Outcome {
    let number = examined(world, id)?;
    let parameters = parameters.trim_end();
    let Ok(plies) = (if parameters.is_empty() { Ok(1) } else { parameters.parse() }) else {
        return Err(Refusal::Usage);
    };
    let Some(game) = world.tables.examined_mut(number) else {
        return DONE;
    };
    let went = step(game, plies);
    if went == 0 {
        return Ok(format!("You're at the {edge} of the game.\n"));
    }
    let moves = crate::calendar::count(super::lists::n(went), "move");
    let text = format!("Game {number}: {} {verb} {moves}.\n", world.lobby.name(id));
    show_walk(world, id, number, &text);
    DONE
}

/// Reports an examiner's step to the audience. The examiner receives a prompt in between, as recorded.
fn show_walk(world: &mut World, id: ConnectionId, number: GameId, text: &str) {
    let ending = ending_line(world, number);
    for other in world.audience(number) {
        world.lobby.notify_after_prompt(other, text);
        if other == id {
            world.put_board(number, id, Occasion::Other);
            world.lobby.put(id, &ending);
        } else {
            world.send_board(number, other, Occasion::Other);
            if !ending.is_empty() {
                world.lobby.notify_after_prompt(other, &ending);
            }
        }
    }
}

/// How the game ended, once its last position is on the board; else nothing.
fn ending_line(world: &World, number: GameId) -> String {
    let Some(Show::Examined { game, .. }) = world.tables.get(number).map(|table| &table.show) else {
        return String::new();
    };
    let seats = game.seats();
    let names = crate::play::Sides { white: seats.white.name.as_str(), black: seats.black.name.as_str() };
    let line = |ending: Ending| format!("Game {number}: {} {}\n", ending.text(names), ending.result());
    game.ending_here().map(line).unwrap_or_default()
}

fn revert(world: &mut World, id: ConnectionId, _: &str) -> Outcome {
    let number = examined(world, id)?;
    let Some(game) = world.tables.examined_mut(number) else {
        return DONE;
    };
    match game.revert() {
        Reverted::ToMove(to) => {
            let text = format!("Game {number}: {} reverts to main line move {to}.\n", world.lobby.name(id));
            show_walk(world, id, number, &text);
        }
        Reverted::NotLeft => world.lobby.put(id, "You are already in the main line.\n"),
    }
    DONE
}

fn mexamine(world: &mut World, id: ConnectionId, parameters: &str) -> Outcome {
    let number = examined(world, id)?;
    let Some(name) = parameters.split_whitespace().next() else { return Err(Refusal::Usage) };
    let follower = world.lobby.find(name).filter(|whom| world.tables.observers(number).contains(whom));
    let whom = follower
        .filter(|&whom| world.lobby.own_game(whom).is_none())
        .ok_or_else(|| format!("{name} must be observing the game you are examining.\n"))?;
    world.tables.drop_observer(number, whom);
    if let Some(player) = world.lobby.player_mut(whom) {
        player.observing.retain(|&observed| observed != number);
        player.game = Some(number);
    }
    if let Some(examiners) = world.tables.examiners_mut(number) {
        examiners.push(whom);
    }
    let (me, other) = (world.lobby.name(id), world.lobby.name(whom));
    world.lobby.notify(whom, &format!("{me} has made you an examiner of game {number}.\n"));
    world.send_board(number, whom, Occasion::Other);
    Ok(format!("{other} is now an examiner of game {number}.\n"))
}
