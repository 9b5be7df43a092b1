//! Commands about finished and adjourned games.
//!
//! Source of the forms: transcripts fatics-game-endings-*, fatics-block-client.

use kibitzer_core::chess::Color;

use super::{Command, CommandResult, refuse_if};
use crate::play::{Game, HISTORY_HEAD, STORED_HEAD, adjourned_row, history_row};
use crate::world::{ConnectionId, World};

#[rustfmt::skip] // one to a line: it is a table
pub(super) const COMMANDS: &[Command] = &[
    Command::new("history", "[player]", "Lists the most recent games of a player.", run_history),
    Command::new("stored", "[player]", "Lists the adjourned games of a player.", run_stored),
];

/// Formats the refusal of a name that no player has, with a newline.
pub(super) fn no_player_text(name: &str) -> String {
    format!("There is no player matching the name \"{name}\".\n")
}

/// Returns the name of a player in that player's own spelling: of one who is logged in, also by a prefix, or of an account. The
/// error is the text of the refusal.
pub(super) fn canonical_player_name(world: &World, name: &str) -> Result<String, String> {
    let online = world.lobby.find_player_by_prefix(name).map(|id| world.lobby.player_name(id));
    let account = || world.options.accounts.get(name).map(|account| account.handle.to_string());
    online.or_else(account).ok_or_else(|| no_player_text(name))
}

/// Returns the name of the player named in the parameters, or that of `id` without a name. The error is the text of the refusal.
fn requested_or_own_name(world: &World, id: ConnectionId, parameters: &str) -> Result<String, String> {
    match parameters.split_whitespace().next() {
        Some(name) => canonical_player_name(world, name),
        None => Ok(world.lobby.player_name(id)),
    }
}

fn run_history(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let name = requested_or_own_name(world, id, parameters)?;
    let games = world.games.history_of(&name);
    refuse_if(games.is_empty(), format!("{name} has no history games.\n"))?;
    let rows = games.iter().filter_map(|finished| {
        let color = finished.game.header.color_of(&name)?;
        Some(format!("{}\n", history_row(finished.index, &finished.game, color)))
    });
    Ok(format!("History for {name}:\n{HISTORY_HEAD}\n{}", rows.collect::<String>()))
}

fn run_stored(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let name = requested_or_own_name(world, id, parameters)?;
    let own = world.games.adjourned.iter().filter_map(|game| Some((game, game.header.color_of(&name)?)));
    let row = |(index, (game, color)): (usize, (&Game, Color))| {
        let opponent = game.header.seats.of(color.opponent()).name.as_str();
        let is_online = world.lobby.connection_of_player(opponent).is_some();
        format!("{}\n", adjourned_row(index + 1, game, color, is_online))
    };
    let rows: String = own.enumerate().map(row).collect();
    refuse_if(rows.is_empty(), format!("{name} has no adjourned games.\n"))?;
    Ok(format!("Stored games for {name}:\n{STORED_HEAD}\n{rows}"))
}
