//! Simultaneous games: one player against several.
//!
//! Source of the forms: transcripts uhlinfics-simul-*; for refusals, uhlin/fics.

use super::{Command, DONE, Outcome, Refusal};
use crate::world::{ConnectionId, OfferKind, World};

#[rustfmt::skip] // one to a line: it is a table
pub(super) const COMMANDS: &[Command] = &[
    Command::query("simgames", "", "Shows how many games you are playing in your simul.", simgames),
    Command::anyone("simmatch", "player", "Asks a player to let you join a simul, or accepts such a request.", simmatch),
    Command::anyone("simnext", "", "Goes to the next board of your simul.", simnext),
    Command::anyone("simopen", "", "Lets players ask to join your simul, or not any more.", simopen),
    Command::anyone("simprev", "", "Goes to the previous board of your simul.", simprev),
];

fn simopen(world: &mut World, id: ConnectionId, _: &str) -> Outcome {
    let Some(player) = world.lobby.player_mut(id) else { return DONE };
    player.is_open_to_simul = !player.is_open_to_simul;
    let text = if player.is_open_to_simul {
        "sopen set to 1.\nYou are now open to receive simul requests.\n"
    } else {
        "sopen set to 0.\nYou are no longer open to receive simul requests.\n"
    };
    Ok(text.to_owned())
}

fn simgames(world: &World, id: ConnectionId, _: &str) -> Outcome {
    let text = match world.lobby.simul(id).len() {
        0 => "You are not giving a simul.\n".to_owned(),
        n_games => format!("You are playing {n_games} simultaneous games.\n"),
    };
    Ok(text)
}

fn simnext(world: &mut World, id: ConnectionId, _: &str) -> Outcome {
    go(world, id, 1, "is moving away from your board")
}

fn simprev(world: &mut World, id: ConnectionId, _: &str) -> Outcome {
    go(world, id, world.lobby.simul(id).len().saturating_sub(1), "is moving back to the previous board")
}

fn go(world: &mut World, id: ConnectionId, steps: usize, words: &str) -> Outcome {
    if world.lobby.simul(id).is_empty() {
        world.lobby.put(id, "You are not giving a simul.\n");
    } else {
        world.go_to_board(id, steps, words);
    }
    DONE
}

fn simmatch(world: &mut World, id: ConnectionId, parameters: &str) -> Outcome {
    let Some(name) = parameters.split_whitespace().next() else { return Err(Refusal::Usage) };
    let other = world.lobby.find(name).ok_or_else(|| format!("No user named \"{name}\" is logged in.\n"))?;
    if let Some(offer) = world.offers.between(other, id, OfferKind::Simul) {
        world.accept_offer(offer);
        return DONE;
    }
    if let Some(why) = obstacle(world, id, other) {
        return Ok(why);
    }
    let offer = world.offers.add(id, other, OfferKind::Simul);
    world.lobby.put(id, "Simul match request sent.\n");
    world.lobby.show_offer(offer, id);
    let text = format!("{} requests to join a simul match with you.\n", world.lobby.name(id));
    world.lobby.notify(other, &text);
    world.lobby.show_offer(offer, other);
    DONE
}

fn obstacle(world: &World, id: ConnectionId, giver: ConnectionId) -> Option<String> {
    let name = world.lobby.name(giver);
    if giver == id {
        Some("You can't simmatch yourself!\n".to_owned())
    } else if world.lobby.own_game(id).is_some() {
        Some("You are already playing a game.\n".to_owned())
    } else if !world.lobby.player(giver).is_some_and(|player| player.is_open_to_simul) {
        Some(format!("{name} is not open to receiving simul requests.\n"))
    } else if !world.lobby.may_give_simul(giver) {
        Some(format!("{name} can't begin a simul while playing a non-simul game.\n"))
    } else if world.offers.between(id, giver, OfferKind::Simul).is_some() {
        Some(format!("You are already offering that to {name}.\n"))
    } else if world.offers.are_too_many(id) {
        Some("You have too many pending offers.\n".to_owned())
    } else {
        None
    }
}
