//! Commands of simultaneous games: one player, the giver, against several.
//!
//! Source of the forms: transcripts uhlinfics-simul-*; for refusals, uhlin/fics.

use super::challenge::TOO_MANY_OFFERS;
use super::{Command, CommandResult, DONE, refuse_if, required_first_word};
use crate::world::{ConnectionId, OfferKind, World};

#[rustfmt::skip] // one to a line: it is a table
pub(super) const COMMANDS: &[Command] = &[
    Command::new("simgames", "", "Shows how many games you are playing in your simul.", run_simgames),
    Command::new("simmatch", "player", "Asks a player to let you join a simul, or accepts such a request.", run_simmatch),
    Command::new("simnext", "", "Goes to the next board of your simul.", |world, id, _| go_to_board(world, id, true)),
    Command::new("simopen", "", "Switches on or off that players may ask to join your simul.", run_simopen),
    Command::new("simprev", "", "Goes to the previous board of your simul.", |world, id, _| go_to_board(world, id, false)),
];

/// Refusal of a player without a simul.
const NO_SIMUL: &str = "You are not giving a simul.\n";

fn run_simopen(world: &mut World, id: ConnectionId, _: &str) -> CommandResult {
    let Some(player) = world.lobby.player_mut(id) else { return DONE };
    player.is_open_to_simul = !player.is_open_to_simul;
    let (value, state) = if player.is_open_to_simul { (1, "now") } else { (0, "no longer") };
    Ok(format!("sopen set to {value}.\nYou are {state} open to receive simul requests.\n"))
}

fn run_simgames(world: &mut World, id: ConnectionId, _: &str) -> CommandResult {
    let n_games = world.lobby.simul_games(id).len();
    refuse_if(n_games == 0, NO_SIMUL)?;
    Ok(format!("You are playing {n_games} simultaneous games.\n"))
}

/// Moves the giver of a simul to the next or the previous board.
fn go_to_board(world: &mut World, id: ConnectionId, is_next: bool) -> CommandResult {
    let n_games = world.lobby.simul_games(id).len();
    refuse_if(n_games == 0, NO_SIMUL)?;
    let words = if is_next { "is moving away from your board" } else { "is moving back to the previous board" };
    world.move_simul_giver(id, if is_next { 1 } else { n_games - 1 }, words);
    DONE
}

fn run_simmatch(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let name = required_first_word(parameters)?;
    let giver =
        world.lobby.find_player_by_prefix(name).ok_or_else(|| format!("No user named \"{name}\" is logged in.\n"))?;
    if let Some(offer) = world.offers.pending_between(giver, id, OfferKind::Simul) {
        world.accept_offer(offer);
        return DONE;
    }
    let (me, other) = (world.lobby.player_name(id), world.lobby.player_name(giver));
    let is_open = world.lobby.player(giver).is_some_and(|player| player.is_open_to_simul);
    let is_busy = !world.lobby.may_give_simul(giver);
    let is_repeated = world.offers.pending_between(id, giver, OfferKind::Simul).is_some();
    refuse_if(giver == id, "You can't simmatch yourself!\n")?;
    refuse_if(world.lobby.own_game(id).is_some(), "You are already playing a game.\n")?;
    refuse_if(!is_open, format!("{other} is not open to receiving simul requests.\n"))?;
    refuse_if(is_busy, format!("{other} can't begin a simul while playing a non-simul game.\n"))?;
    refuse_if(is_repeated, format!("You are already offering that to {other}.\n"))?;
    refuse_if(world.offers.has_reached_limit(id), TOO_MANY_OFFERS)?;
    let theirs = format!("{me} requests to join a simul match with you.\n");
    world.make_and_report_offer([id, giver], OfferKind::Simul, ["Simul match request sent.\n", &theirs]);
    DONE
}
