//! Games that are over, or interrupted.
//!
//! Source of the forms: transcripts fatics-game-endings-*, fatics-block-client.

use super::{Command, Verdict};
use crate::play::{HISTORY_HEAD, Presence, STORED_HEAD, history_row, stored_row};
use crate::world::{ConnectionId, World};

#[rustfmt::skip] // one to a line: it is a table
pub(super) const COMMANDS: &[Command] = &[
    Command::anyone("history", "[player]", "Shows the last games of a player.", history),
    Command::anyone("stored", "[player]", "Shows the interrupted games of a player.", stored),
];

/// The name of whoever is meant, online or registered.
pub(super) fn whose(world: &World, name: &str) -> Option<String> {
    let online = world.lobby.find(name).map(|id| world.lobby.name(id));
    online.or_else(|| world.options.accounts.get(name).map(|account| account.handle.to_string()))
}

/// The name a command is about: the own one without parameters. Says so if nobody has it.
fn asked(world: &mut World, id: ConnectionId, parameters: &str) -> Option<String> {
    let Some(name) = parameters.split_whitespace().next() else { return Some(world.lobby.name(id)) };
    let found = whose(world, name);
    if found.is_none() {
        world.lobby.put(id, &format!("There is no player matching the name \"{name}\".\n"));
    }
    found
}

fn history(world: &mut World, id: ConnectionId, parameters: &str) -> Verdict {
    let Some(name) = asked(world, id, parameters) else { return Verdict::Done };
    let games = world.tables.history_of(&name);
    let rows = games.iter().filter_map(|finished| {
        let color = finished.game.color_of(&name)?;
        Some(format!("{}\n", history_row(finished.index, &finished.game, color, finished.ended)))
    });
    let text = if games.is_empty() {
        format!("{name} has no history games.\n")
    } else {
        format!("History for {name}:\n{HISTORY_HEAD}\n{}", rows.collect::<String>())
    };
    world.lobby.put(id, &text);
    Verdict::Done
}

fn stored(world: &mut World, id: ConnectionId, parameters: &str) -> Verdict {
    let Some(name) = asked(world, id, parameters) else { return Verdict::Done };
    let own = world.tables.stored.iter().filter_map(|stored| Some((stored, stored.game.color_of(&name)?)));
    let rows: Vec<_> = own
        .enumerate()
        .map(|(index, (stored, color))| {
            let is_online = world.lobby.online(stored.game.seat(color.opponent()).name.as_str()).is_some();
            let presence = if is_online { Presence::LoggedIn } else { Presence::Away };
            format!("{}\n", stored_row(index + 1, &stored.game, color, presence, stored.since))
        })
        .collect();
    let text = if rows.is_empty() {
        format!("{name} has no adjourned games.\n")
    } else {
        format!("Stored games for {name}:\n{STORED_HEAD}\n{}", rows.concat())
    };
    world.lobby.put(id, &text);
    Verdict::Done
}
