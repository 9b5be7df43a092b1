//! Commands about bughouse partners.
//!
//! Source of the forms: transcripts fatics-bughouse-*, fatics-block-client; bughouse §3.

use kibitzer_core::message::OfferAnswer;

use super::challenge::TOO_MANY_OFFERS;
use super::{Command, CommandResult, DONE, find_online_player, refuse_if, required_first_word};
use crate::calendar::format_count;
use crate::play::games_row;
use crate::world::{ActiveGame, ConnectionId, Player, Proposal, World};

#[rustfmt::skip] // one to a line: it is a table
pub(crate) const COMMANDS: &[Command] = &[
    Command::new("bugwho", "", "Lists bughouse games, partnerships, and players who are open for bughouse.", run_bugwho),
    Command::new("partner", "[player]", "Offers a bughouse partnership, or accepts one; without a name it ends yours.", run_partner),
    Command::new("ptell", "text", "Sends a message to your bughouse partner.", run_ptell),
];

fn run_partner(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let Some(name) = parameters.split_whitespace().next() else {
        refuse_if(!world.lobby.end_partnership(id), "You do not have a bughouse partner.\n")?;
        return Ok("You no longer have a bughouse partner.\n".to_owned());
    };
    let whom = find_online_player(world, name)?;
    if let Some(offer) = world.offers.pending_between(whom, id, Proposal::Partner) {
        world.answer_offer(offer, OfferAnswer::Accepted);
        return DONE;
    }
    let (me, other) = (world.lobby.player_name(id), world.lobby.player_name(whom));
    let has_partner = |id| world.lobby.player(id).is_some_and(|player| player.partner.is_some());
    let is_closed = !world.lobby.has_flag(whom, "bugopen");
    let is_repeated = world.offers.pending_between(id, whom, Proposal::Partner).is_some();
    refuse_if(whom == id, "You can't be your own bughouse partner.\n")?;
    refuse_if(has_partner(id), "You already have a bughouse partner.\n")?;
    refuse_if(has_partner(whom), format!("{other} already has a partner.\n"))?;
    refuse_if(is_closed, format!("{other} is not open for bughouse.\n"))?;
    refuse_if(is_repeated, format!("You are already offering to be {other}'s partner.\n"))?;
    refuse_if(world.offers.has_reached_limit(id), TOO_MANY_OFFERS)?;
    let own = format!("Making a partnership offer to {other}.\n");
    let theirs = format!("{me} offers to be your bughouse partner; type \"partner {me}\" to accept.\n");
    world.make_offer([id, whom], Proposal::Partner, [&own, &theirs]);
    DONE
}

fn run_ptell(world: &mut World, id: ConnectionId, text: &str) -> CommandResult {
    required_first_word(text)?;
    let me = world.lobby.player(id).and_then(|me| Some((me.partner?, me.name_with_titles())));
    let (partner, display) = me.ok_or("You do not have a partner at present.\n")?;
    world.lobby.notify(partner, &format!("{display} (your partner) tells you: {text}\n"));
    Ok(world.format_tell_receipt(partner))
}

fn run_bugwho(world: &mut World, _: ConnectionId, _: &str) -> CommandResult {
    let played =
        world.games.in_progress.values().filter_map(ActiveGame::as_played).filter(|game| game.partner.is_some());
    let games: Vec<_> = played.map(|game| format!("{}\n", games_row(game, world.now()))).collect();
    let rated = |player: &Player| format!("{} {}", player.rating("bughouse"), player.name_with_titles());
    let (mut pairs, mut open) = (Vec::new(), Vec::new());
    for (id, player) in world.lobby.players().filter(|(_, player)| player.game.is_none()) {
        match player.partner {
            // Each pair is listed once.
            Some(partner) if id < partner => {
                let pair = world.lobby.player(partner).map(|other| format!("{} / {}\n", rated(player), rated(other)));
                pairs.extend(pair);
            }
            None if player.has_flag("bugopen") => open.push(format!("{}\n", rated(player))),
            _ => {}
        }
    }
    Ok(format!(
        "Bughouse games in progress\n{} {} displayed.\nPartnerships not playing bughouse\n{}  {} displayed.\n\
         Unpartnered players with bugopen on\n{}  {} displayed (of {}).\n",
        games.concat(),
        format_count(games.len(), "game"),
        pairs.concat(),
        format_count(pairs.len(), "partnership"),
        open.concat(),
        format_count(open.len(), "player"),
        world.lobby.players().count(),
    ))
}
