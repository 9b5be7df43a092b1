//! Going through games.
//!
//! Source of the forms: transcripts fatics-examine-*; text-messages §7 for `revert`.

use kibitzer_core::message::GameId;

use super::{Command, Verdict};
use crate::play::{Ending, Examined, Kind, Reverted};
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

fn examine(world: &mut World, id: ConnectionId, parameters: &str) -> Verdict {
    if world.game_of(id).is_some() {
        world.lobby.put(id, "You are playing a game.\n");
        return Verdict::Done;
    }
    if world.lobby.own_game(id).is_some() {
        world.lobby.put(id, "You are already examining a game.\n");
        return Verdict::Done;
    }
    let mut words = parameters.split_whitespace();
    let (number, date) = (world.tables.free_number(), world.lobby.clock.system_time());
    match (words.next(), words.next()) {
        (None, _) => {
            let Some(seat) = world.lobby.seat(id, Kind::Untimed) else { return Verdict::Done };
            begin(world, id, Examined::scratch(number, seat, date), true);
        }
        (Some(name), index) => {
            let Some(game) = historic(world, id, (name, index)) else { return Verdict::Done };
            begin(world, id, Examined::of_game(number, &game), false);
        }
    }
    Verdict::Done
}

/// A game of somebody's history. Says so if there is none.
fn historic(
    world: &mut World,
    id: ConnectionId,
    (name, index): (&str, Option<&str>),
) -> Option<std::sync::Arc<crate::play::Game>> {
    let Some(name) = super::records::whose(world, name) else {
        world.lobby.put(id, &format!("There is no player matching the name \"{name}\".\n"));
        return None;
    };
    let games = world.tables.history_of(&name);
    let found = match index {
        None => games.last(),
        Some(index) => games.iter().find(|finished| index.parse() == Ok(finished.index)),
    };
    let game = found.map(|finished| std::sync::Arc::clone(&finished.game));
    if game.is_none() {
        world.lobby.put(id, &format!("There is no history game {} for {name}.\n", index.unwrap_or("0")));
    }
    game
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

fn unexamine(world: &mut World, id: ConnectionId, _: &str) -> Verdict {
    let Some(number) = examined(world, id) else { return Verdict::Done };
    world.lobby.put(id, &format!("You are no longer examining game {number}.\n"));
    world.stop_examining(number, id);
    Verdict::Done
}

/// The game a player examines. Says so if he does not.
fn examined(world: &mut World, id: ConnectionId) -> Option<GameId> {
    let number = world.examined_by(id);
    if number.is_none() {
        world.lobby.put(id, "You are not examining a game.\n");
    }
    number
}

fn forward(world: &mut World, id: ConnectionId, parameters: &str) -> Verdict {
    walk(world, id, parameters, Examined::forward, ("goes forward", "end"))
}

fn backward(world: &mut World, id: ConnectionId, parameters: &str) -> Verdict {
    walk(world, id, parameters, Examined::backward, ("backs up", "beginning"))
}

fn walk(
    world: &mut World,
    id: ConnectionId,
    parameters: &str,
    step: fn(&mut Examined, usize) -> usize,
    (verb, edge): (&str, &str),
) -> Verdict {
    let Some(number) = examined(world, id) else { return Verdict::Done };
    let parameters = parameters.trim_end();
    let Ok(plies) = (if parameters.is_empty() { Ok(1) } else { parameters.parse() }) else { return Verdict::Usage };
    let Some(game) = world.tables.examined_mut(number) else {
        return Verdict::Done;
    };
    let went = step(game, plies);
    if went == 0 {
        world.lobby.put(id, &format!("You're at the {edge} of the game.\n"));
        return Verdict::Done;
    }
    let moves = crate::calendar::count(super::lists::n(went), "move");
    let text = format!("Game {number}: {} {verb} {moves}.\n", world.lobby.name(id));
    show_walk(world, id, number, &text);
    Verdict::Done
}

/// Tells everybody where the examiner has gone. He sees a prompt in between, as recorded.
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

fn revert(world: &mut World, id: ConnectionId, _: &str) -> Verdict {
    let Some(number) = examined(world, id) else { return Verdict::Done };
    let Some(game) = world.tables.examined_mut(number) else {
        return Verdict::Done;
    };
    match game.revert() {
        Reverted::ToMove(to) => {
            let text = format!("Game {number}: {} reverts to main line move {to}.\n", world.lobby.name(id));
            show_walk(world, id, number, &text);
        }
        Reverted::NotLeft => world.lobby.put(id, "You are already in the main line.\n"),
    }
    Verdict::Done
}

fn mexamine(world: &mut World, id: ConnectionId, parameters: &str) -> Verdict {
    let Some(number) = examined(world, id) else { return Verdict::Done };
    let Some(name) = parameters.split_whitespace().next() else { return Verdict::Usage };
    let follower = world.lobby.find(name).filter(|whom| world.tables.observers(number).contains(whom));
    let Some(whom) = follower.filter(|&whom| world.lobby.own_game(whom).is_none()) else {
        world.lobby.put(id, &format!("{name} must be observing the game you are examining.\n"));
        return Verdict::Done;
    };
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
    world.lobby.put(id, &format!("{other} is now an examiner of game {number}.\n"));
    Verdict::Done
}
