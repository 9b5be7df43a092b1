//! Partners of bughouse.
//!
//! Source of the forms: transcripts fatics-bughouse-*, fatics-block-client; bughouse §3.

use super::{Command, DONE, Outcome, Refusal};
use crate::calendar::count;
use crate::world::{ConnectionId, Flag, OfferKind, World};

#[rustfmt::skip] // one to a line: it is a table
pub(super) const COMMANDS: &[Command] = &[
    Command::query("bugwho", "", "Shows who plays bughouse, or would.", bugwho),
    Command::anyone("partner", "[player]", "Offers a bughouse partnership, or accepts one; without a name it ends yours.", partner),
    Command::anyone("ptell", "text", "Says something to your bughouse partner.", ptell),
];

fn partner(world: &mut World, id: ConnectionId, parameters: &str) -> Outcome {
    let Some(name) = parameters.split_whitespace().next() else {
        let had_one = world.lobby.end_partnership(id);
        let text =
            if had_one { "You no longer have a bughouse partner.\n" } else { "You do not have a bughouse partner.\n" };
        return Ok(text.to_owned());
    };
    let whom = world.lobby.find(name).ok_or_else(|| format!("No player named \"{name}\" is online.\n"))?;
    if let Some(offer) = world.offers.between(whom, id, OfferKind::Partner) {
        world.accept_offer(offer);
        return DONE;
    }
    match obstacle(world, id, whom) {
        Some(why) => world.lobby.put(id, &format!("{why}\n")),
        None => offer(world, id, whom),
    }
    DONE
}

fn obstacle(world: &World, id: ConnectionId, whom: ConnectionId) -> Option<String> {
    let name = world.lobby.name(whom);
    let has_partner = |id| world.lobby.player(id).is_some_and(|player| player.partner.is_some());
    if whom == id {
        Some("You can't be your own bughouse partner.".to_owned())
    } else if has_partner(id) {
        Some("You already have a bughouse partner.".to_owned())
    } else if has_partner(whom) {
        Some(format!("{name} already has a partner."))
    } else if !world.lobby.has_flag(whom, Flag::Bugopen) {
        Some(format!("{name} is not open for bughouse."))
    } else {
        let is_made = world.offers.between(id, whom, OfferKind::Partner).is_some();
        is_made.then(|| format!("You are already offering to be {name}'s partner."))
    }
}

fn offer(world: &mut World, id: ConnectionId, whom: ConnectionId) {
    let (me, other) = (world.lobby.name(id), world.lobby.name(whom));
    world.lobby.put(id, &format!("Making a partnership offer to {other}.\n"));
    let offer = world.offers.add(id, whom, OfferKind::Partner);
    world.lobby.show_offer(offer, id);
    world.lobby.notify(whom, &format!("{me} offers to be your bughouse partner; type \"partner {me}\" to accept.\n"));
    world.lobby.show_offer(offer, whom);
}

fn ptell(world: &mut World, id: ConnectionId, text: &str) -> Outcome {
    if text.is_empty() {
        return Err(Refusal::Usage);
    }
    let Some((partner, display)) = world.lobby.player(id).and_then(|me| Some((me.partner?, me.display()))) else {
        return Ok("You do not have a partner at present.\n".to_owned());
    };
    world.lobby.notify(partner, &format!("{display} (your partner) tells you: {text}\n"));
    let receipt = world.receipt(partner);
    Ok(receipt)
}

fn bugwho(world: &World, _: ConnectionId, _: &str) -> Outcome {
    let games = world.tables.all().values().filter_map(|table| table.played().filter(|game| game.partner().is_some()));
    let rows: Vec<_> = games.map(|game| format!("{}\n", crate::play::games_row(game, world.now()))).collect();
    let idle: Vec<_> = world.lobby.players().filter(|(_, player)| player.game.is_none()).collect();
    let rated = |player: &crate::world::Player| format!("{} {}", player.rating("bughouse"), player.display());
    let pairs: Vec<_> = idle
        .iter()
        .filter_map(|&(one, player)| {
            player.partner.filter(|&other| one < other).and_then(|other| Some((player, world.lobby.player(other)?)))
        })
        .map(|(one, other)| format!("{} / {}\n", rated(one), rated(other)))
        .collect();
    let is_open = |player: &crate::world::Player| player.partner.is_none() && player.has_flag(Flag::Bugopen);
    let open: Vec<_> =
        idle.iter().filter(|(_, player)| is_open(player)).map(|(_, player)| format!("{}\n", rated(player))).collect();
    let shown = |n: usize, noun| count(super::lists::n(n), noun);
    let text = format!(
        "Bughouse games in progress\n{} {} displayed.\nPartnerships not playing bughouse\n{}  {} displayed.\n\
         Unpartnered players with bugopen on\n{}  {} displayed (of {}).\n",
        rows.concat(),
        shown(rows.len(), "game"),
        pairs.concat(),
        shown(pairs.len(), "partnership"),
        open.concat(),
        shown(open.len(), "player"),
        world.lobby.players().count(),
    );
    Ok(text)
}
