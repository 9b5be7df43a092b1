//! Answers to offers.
//!
//! Source of the forms: transcripts fatics-match-pending-*, fatics-game-offers-*.

use super::{Command, DONE, Outcome};
use crate::account::key;
use crate::world::{ConnectionId, Offer, OfferKind, World};

#[rustfmt::skip] // one to a line: it is a table
pub(super) const COMMANDS: &[Command] = &[
    Command::anyone("accept", "[number|player|kind]", "Accepts an offer; which one, if there are several.", accept),
    Command::anyone("decline", "[number|player|kind|all]", "Declines an offer; which one, if there are several.", decline),
    Command::query("pending", "", "Shows the offers you made and got.", pending),
    Command::anyone("withdraw", "[number|player|kind|all]", "Takes an offer of yours back; which one, if there are several.", withdraw),
];

fn accept(world: &mut World, id: ConnectionId, parameters: &str) -> Outcome {
    let offer = only(world, id, parameters, "accept")?;
    world.accept_offer(offer);
    DONE
}

fn decline(world: &mut World, id: ConnectionId, parameters: &str) -> Outcome {
    chosen(world, id, parameters, "decline")?.into_iter().for_each(|offer| world.decline_offer(offer));
    DONE
}

fn withdraw(world: &mut World, id: ConnectionId, parameters: &str) -> Outcome {
    chosen(world, id, parameters, "withdraw")?.into_iter().for_each(|offer| world.withdraw_offer(offer));
    DONE
}

/// The offers an answer may be about: made ones are withdrawn, the others were received.
fn candidates(world: &World, id: ConnectionId, verb: &str) -> Vec<Offer> {
    let is_mine = |offer: &Offer| if verb == "withdraw" { offer.from == id } else { offer.to == id };
    world.offers.all().iter().copied().filter(is_mine).collect()
}

/// Returns all candidates for `all`, else the one that is named.
fn chosen(world: &World, id: ConnectionId, parameters: &str, verb: &str) -> Result<Vec<Offer>, String> {
    let candidates = candidates(world, id, verb);
    if parameters.trim_end() == "all" && !candidates.is_empty() {
        return Ok(candidates);
    }
    only(world, id, parameters, verb).map(|offer| vec![offer])
}

/// Returns the one candidate that is named, or the only one.
fn only(world: &World, id: ConnectionId, parameters: &str, verb: &str) -> Result<Offer, String> {
    let word = parameters.split_whitespace().last().map(key);
    let is_chosen = |offer: &Offer| word.as_deref().is_none_or(|word| is_named(world, id, offer, word));
    let matches: Vec<_> = candidates(world, id, verb).into_iter().filter(is_chosen).collect();
    match (matches.as_slice(), word) {
        (&[offer], _) => Ok(offer),
        ([], None) => Err(format!("There are no offers to {verb}.\n")),
        ([], Some(word)) => Err(format!("There is no offer {word} to {verb}.\n")),
        _ => Err(format!(
            "You have more than one pending offer. Use \"pending\" to see them and \"{verb} n\" to choose one.\n"
        )),
    }
}

fn is_named(world: &World, id: ConnectionId, offer: &Offer, word: &str) -> bool {
    let other = if offer.from == id { offer.to } else { offer.from };
    match word.parse::<u32>() {
        Ok(number) => offer.number == number,
        Err(_) => offer.kind.word() == word || world.lobby.name(other).eq_ignore_ascii_case(word),
    }
}

/// freechess.org's form; no recorded server has this command.
fn pending(world: &World, id: ConnectionId, _: &str) -> Outcome {
    let made = list(world, id, "withdraw");
    let got = list(world, id, "accept");
    let made = if made.is_empty() {
        "There are no offers pending to other players.\n\n".to_owned()
    } else {
        format!(
            "Offers to other players:\n\n{made}\nIf you wish to withdraw any of these offers type \"withdraw number\".\n\n"
        )
    };
    let got = if got.is_empty() {
        "There are no offers pending from other players.\n".to_owned()
    } else {
        format!(
            "Offers from other players:\n\n{got}\nIf you wish to accept any of these offers type \"accept number\".\n"
        )
    };
    Ok(format!("{made}{got}"))
}

fn list(world: &World, id: ConnectionId, verb: &str) -> String {
    candidates(world, id, verb).iter().map(|offer| entry(world, id, offer)).collect()
}

fn entry(world: &World, id: ConnectionId, offer: &Offer) -> String {
    let (from, to) = (world.lobby.name(offer.from), world.lobby.name(offer.to));
    let (who, whom) =
        if offer.from == id { ("You are".to_owned(), to) } else { (format!("{from} is"), "you".to_owned()) };
    let what = match offer.kind {
        OfferKind::Match(challenge) => {
            format!("a challenge: {}", world.lobby.challenge_text(offer.from, offer.to, challenge))
        }
        OfferKind::Partner => "a bughouse partnership".to_owned(),
        OfferKind::Simul => "to join the simul".to_owned(),
        OfferKind::Draw => "a draw".to_owned(),
        OfferKind::Abort => "to abort the game".to_owned(),
        OfferKind::Adjourn => "to adjourn the game".to_owned(),
        OfferKind::Switch => "to switch sides".to_owned(),
        OfferKind::Pause | OfferKind::Unpause => format!("to {} the game", offer.kind.word()),
        OfferKind::Takeback(plies) => format!("to take back {plies} half-move(s)"),
    };
    format!("{:>4}: {who} offering {whom} {what}.\n", offer.number)
}
