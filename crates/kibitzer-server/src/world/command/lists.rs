//! Commands about lists of names and of channels.
//!
//! Source of the answers: transcripts fatics-block-client, fatics-talk-mixed-*, fatics-match-pending-b.

use super::{Command, CommandResult, DONE, Refusal, refuse_if};
use crate::account::{find_only_by_prefix, name_key};
use crate::calendar::format_count;
use crate::world::{ConnectionId, LISTS, MAX_LIST_ENTRIES, World};

#[rustfmt::skip] // one to a line: it is a table
pub(crate) const COMMANDS: &[Command] = &[
    Command::new("addlist", "list entry", "Adds a name to one of your lists, or a channel to your channels. \"+list entry\" does the same.", run_addlist),
    Command::new("inchannel", "[channel]", "Lists the players in a channel, or in every channel.", run_inchannel),
    Command::new("showlist", "[list]", "Shows one of your lists, or the names of all lists. \"=list\" does the same.", run_showlist),
    Command::new("sublist", "list entry", "Removes an entry from one of your lists. \"-list entry\" does the same.", run_sublist),
];

/// Highest number of a channel.
const MAX_CHANNEL: u16 = 255;

/// Parses the number of a channel, from 0 to [`MAX_CHANNEL`]; the error is the text of the refusal.
pub(crate) fn parse_channel(word: &str) -> Result<u16, Refusal> {
    Ok(word.parse().ok().filter(|&number| number <= MAX_CHANNEL).ok_or("Invalid channel number.\n")?)
}

/// Returns the list with this name, or the only one whose name starts with it. The error is the text of the refusal, for no match
/// or several.
fn find_list(prefix: &str) -> Result<&'static str, Refusal> {
    find_only_by_prefix(LISTS.map(|list| (list, list)), &name_key(prefix))
        .map_err(|_| format!("There is no list matching the name \"{prefix}\".\n").into())
}

/// Parses a list and an entry: the number of a channel, or the name of a player in the player's own spelling.
fn parse_list_and_entry(world: &World, parameters: &str) -> Result<(&'static str, String), Refusal> {
    let mut words = parameters.split_whitespace();
    let (Some(list), Some(entry)) = (words.next(), words.next()) else { return Err(Refusal::Usage) };
    let list = find_list(list)?;
    let entry = match list {
        "channel" => parse_channel(entry)?.to_string(),
        _ => super::game::canonical_player_name(world, entry)?,
    };
    Ok((list, entry))
}

/// Formats an entry for replies: channels are in brackets.
fn format_entry(list: &str, entry: &str) -> String {
    if list == "channel" { format!("[{entry}]") } else { entry.to_owned() }
}

fn run_addlist(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let (list, entry) = parse_list_and_entry(world, parameters)?;
    let Some(player) = world.lobby.player_mut(id) else { return DONE };
    let entries = player.saved.lists.entry(list).or_default();
    let shown = format_entry(list, &entry);
    refuse_if(entries.contains(&entry), format!("{shown} is already on your {list} list.\n"))?;
    refuse_if(entries.len() >= MAX_LIST_ENTRIES, format!("Sorry, your {list} list is full.\n"))?;
    entries.push(entry);
    Ok(format!("{shown} added to your {list} list.\n"))
}

fn run_sublist(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let (list, entry) = parse_list_and_entry(world, parameters)?;
    let Some(player) = world.lobby.player_mut(id) else { return DONE };
    let entries = player.saved.lists.entry(list).or_default();
    let verb = if entries.contains(&entry) { "removed from" } else { "is not on" };
    entries.retain(|known| *known != entry);
    Ok(format!("{} {verb} your {list} list.\n", format_entry(list, &entry)))
}

fn run_showlist(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    if parameters.is_empty() {
        return Ok(LISTS.map(|list| format!("{list}\n")).concat());
    }
    let list = find_list(parameters.trim_end())?;
    let entries = world.lobby.player(id).map_or(&[][..], |player| player.saved.list(list));
    let n_entries = format_count(entries.len(), if list == "channel" { "channel" } else { "name" });
    Ok(format!("-- {list} list: {n_entries} --\n{}\n", entries.join(" ")))
}

fn run_inchannel(world: &mut World, _: ConnectionId, parameters: &str) -> CommandResult {
    if parameters.is_empty() {
        return Ok((0..=MAX_CHANNEL).map(|number| format_channel_with_newline(world, number)).collect());
    }
    let number = parse_channel(parameters.trim_end())?;
    let n_members = world.lobby.channel_members(number).len();
    let (verb, players) = (if n_members == 1 { "is" } else { "are" }, format_count(n_members, "player"));
    Ok(format!("{}There {verb} {players} in channel {number}.\n", format_channel_with_newline(world, number)))
}

/// Formats the members of a channel: `53: Bogoljubov GuestMLBX(U)` and a newline; empty without members.
fn format_channel_with_newline(world: &World, number: u16) -> String {
    let members = world.lobby.channel_members(number);
    let names: Vec<_> = members.iter().filter_map(|&id| Some(world.lobby.player(id)?.name_with_titles())).collect();
    if names.is_empty() { String::new() } else { format!("{number}: {}\n", names.join(" ")) }
}
