//! Commands that answer offers.
//!
//! Source of the forms: transcripts fatics-match-pending-*, fatics-game-offers-*.

use super::{Command, CommandResult, DONE, refuse_if};
use crate::account::name_key;
use crate::options::Feature;
use crate::world::{ConnectionId, Offer, World};

#[rustfmt::skip] // one to a line: it is a table
pub(super) const COMMANDS: &[Command] = &[
    Command::new("accept", "[number|player|kind]", "Accepts an offer; the parameter selects one of several.", run_accept),
    Command::new("decline", "[number|player|kind|all]", "Declines an offer; the parameter selects one of several.", run_decline),
    Command::new("withdraw", "[number|player|kind|all]", "Withdraws an offer; the parameter selects one of several.", run_withdraw),
];

fn run_accept(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    refuse_if(is_unsupported_parameter(world, parameters), "")?;
    let offer = select_one_offer(world, id, parameters, "accept")?;
    world.accept_offer(offer);
    DONE
}

fn run_decline(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    refuse_if(is_unsupported_parameter(world, parameters), "TODO: find by user\n")?;
    select_offers(world, id, parameters, "decline")?.into_iter().for_each(|offer| world.decline_offer(offer));
    DONE
}

fn run_withdraw(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    refuse_if(is_unsupported_parameter(world, parameters), "TODO: find by user\n")?;
    select_offers(world, id, parameters, "withdraw")?.into_iter().for_each(|offer| world.withdraw_offer(offer));
    DONE
}

/// Returns whether the parameter is not a number and [`Feature::OfferNames`] is disabled, so that the command is ignored.
///
/// Source: FatICS, recorded.
fn is_unsupported_parameter(world: &World, parameters: &str) -> bool {
    world.options.missing.contains(&Feature::OfferNames) && parameters.parse::<u32>().is_err() && !parameters.is_empty()
}

/// Returns the offers to which a verb applies: for `withdraw` those that the player made, otherwise those that the player
/// received.
fn answerable_offers(world: &World, id: ConnectionId, verb: &str) -> Vec<Offer> {
    let is_mine = |offer: &Offer| if verb == "withdraw" { offer.from == id } else { offer.to == id };
    world.offers.select(is_mine)
}

/// Returns all answerable offers if the parameter is `all`, otherwise the one that it selects. The error is the text of the
/// refusal.
fn select_offers(world: &World, id: ConnectionId, parameters: &str, verb: &str) -> Result<Vec<Offer>, String> {
    let candidates = answerable_offers(world, id, verb);
    if parameters == "all" && !candidates.is_empty() {
        return Ok(candidates);
    }
    select_one_offer(world, id, parameters, verb).map(|offer| vec![offer])
}

/// Returns the answerable offer that the last word of the parameters selects; without parameters, the only one. The error is
/// the text of the refusal, for no match or several.
fn select_one_offer(world: &World, id: ConnectionId, parameters: &str, verb: &str) -> Result<Offer, String> {
    let word = parameters.split_whitespace().last().map(name_key);
    let mut matches = answerable_offers(world, id, verb);
    matches.retain(|offer| word.as_deref().is_none_or(|word| matches_word(world, id, offer, word)));
    match (matches.as_slice(), word) {
        (&[offer], _) => Ok(offer),
        ([], None) => Err(format!("There are no offers to {verb}.\n")),
        ([], Some(word)) => Err(format!("There is no offer {word} to {verb}.\n")),
        _ => Err(format!(
            "You have more than one pending offer. Use \"pending\" to see them and \"{verb} n\" to choose one.\n"
        )),
    }
}

/// Returns whether a word names an offer: its number, its kind, or the other player.
fn matches_word(world: &World, id: ConnectionId, offer: &Offer, word: &str) -> bool {
    match word.parse::<u32>() {
        Ok(number) => offer.number == number,
        Err(_) => {
            offer.kind.wire_word() == word || world.lobby.player_name(offer.other_side(id)).eq_ignore_ascii_case(word)
        }
    }
}
