//! Games that are over, or interrupted.
//!
//! Source of the forms: transcripts fatics-game-endings-*, fatics-block-client.

use super::{Command, Outcome};
use crate::play::{HISTORY_HEAD, Presence, STORED_HEAD, history_row, stored_row};
use crate::world::{ConnectionId, World};

#[rustfmt::skip] // one to a line: it is a table
pub(super) const COMMANDS: &[Command] = &[
    Command::query("history", "[player]", "Shows the last games of a player.", history),
    Command::query("stored", "[player]", "Shows the interrupted games of a player.", stored),
];

/// Returns the name of a player who is logged in or registered, as that player spells it.
pub(super) fn registered_name(world: &World, name: &str) -> Result<String, String> {
    let online = world.lobby.find(name).map(|id| world.lobby.name(id));
    let account = || world.options.accounts.get(name).map(|account| account.handle.to_string());
    online.or_else(account).ok_or_else(|| format!("There is no player matching the name \"{name}\".\n"))
}

/// Returns the name in the parameters, else the player's own.
fn asked(world: &World, id: ConnectionId, parameters: &str) -> Result<String, String> {
    match parameters.split_whitespace().next() {
        Some(name) => registered_name(world, name),
        None => Ok(world.lobby.name(id)),
    }
}

fn history(world: &World, id: ConnectionId, parameters: &str) -> Outcome {
    let name = asked(world, id, parameters)?;
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
    Ok(text)
}

fn stored(world: &World, id: ConnectionId, parameters: &str) -> Outcome {
    let name = asked(world, id, parameters)?;
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
    Ok(text)
}
