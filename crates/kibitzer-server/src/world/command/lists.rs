//! Lists of names and of channels.
//!
//! Source of the answers: transcripts fatics-block-client, fatics-talk-mixed-*, fatics-match-pending-b.

use super::{Command, DONE, Outcome, Refusal};
use crate::calendar::count;
use crate::world::{ConnectionId, List, MAX_LIST_ENTRIES, World};

#[rustfmt::skip] // one to a line: it is a table
pub(super) const COMMANDS: &[Command] = &[
    Command::anyone("addlist", "list entry", "Adds a name to one of your lists, or a channel to your channels. \"+list entry\" does the same.", addlist),
    Command::query("inchannel", "[channel]", "Shows who listens to a channel, or to any.", inchannel),
    Command::query("showlist", "[list]", "Shows one of your lists, or which lists there are. \"=list\" does the same.", showlist),
    Command::anyone("sublist", "list entry", "Removes an entry from one of your lists. \"-list entry\" does the same.", sublist),
];

/// The greatest number of a channel.
pub(super) const MAX_CHANNEL: u16 = 255;

/// The number of a channel, if the word is one.
pub(super) fn channel(word: &str) -> Option<u16> {
    word.parse().ok().filter(|&number| number <= MAX_CHANNEL)
}

/// The list whose name starts so.
fn find_list(name: &str) -> Option<(List, &'static str)> {
    let name = name.to_ascii_lowercase();
    let mut fitting = List::ALL.into_iter().filter(|(_, known)| !name.is_empty() && known.starts_with(&name));
    let found = fitting.next()?;
    fitting.next().is_none().then_some(found)
}

/// Parses a list and an entry: the number of a channel, or the name of a player as the player spells it.
fn parse(world: &World, parameters: &str) -> Result<(List, &'static str, String), Refusal> {
    let mut words = parameters.split_whitespace();
    let (Some(list), Some(entry)) = (words.next(), words.next()) else { return Err(Refusal::Usage) };
    let (kind, name) = find_list(list).ok_or_else(|| no_list(list))?;
    let entry = match kind {
        List::Channel => channel(entry).ok_or("Invalid channel number.\n")?.to_string(),
        List::Censor | List::Gnotify | List::Noplay | List::Notify => super::records::registered_name(world, entry)?,
    };
    Ok((kind, name, entry))
}

fn no_list(name: &str) -> String {
    format!("There is no list matching the name \"{name}\".\n")
}

/// An entry as answers have it: channels stand in brackets.
fn shown(list: List, entry: &str) -> String {
    if list == List::Channel { format!("[{entry}]") } else { entry.to_owned() }
}

fn addlist(world: &mut World, id: ConnectionId, parameters: &str) -> Outcome {
    let (list, name, entry) = parse(world, parameters)?;
    let Some(player) = world.lobby.player_mut(id) else { return DONE };
    let entries = player.saved.lists.entry(list).or_default();
    let shown = shown(list, &entry);
    let answer = if entries.contains(&entry) {
        format!("{shown} is already on your {name} list.\n")
    } else if entries.len() >= MAX_LIST_ENTRIES {
        format!("Sorry, your {name} list is full.\n")
    } else {
        entries.push(entry);
        format!("{shown} added to your {name} list.\n")
    };
    Ok(answer)
}

fn sublist(world: &mut World, id: ConnectionId, parameters: &str) -> Outcome {
    let (list, name, entry) = parse(world, parameters)?;
    let Some(player) = world.lobby.player_mut(id) else { return DONE };
    let entries = player.saved.lists.entry(list).or_default();
    let n_before = entries.len();
    entries.retain(|known| *known != entry);
    let said = if entries.len() < n_before { "removed from" } else { "is not on" };
    let shown = shown(list, &entry);
    Ok(format!("{shown} {said} your {name} list.\n"))
}

fn showlist(world: &World, id: ConnectionId, parameters: &str) -> Outcome {
    if parameters.is_empty() {
        let names = List::ALL.map(|(_, name)| name).join("\n");
        return Ok(format!("{names}\n"));
    }
    let (list, name) = find_list(parameters.trim_end()).ok_or_else(|| no_list(parameters))?;
    let entries = world.lobby.player(id).map_or(&[][..], |player| player.saved.list(list));
    let noun = if list == List::Channel { "channel" } else { "name" };
    let text = format!("-- {name} list: {} --\n{}\n", count(n(entries.len()), noun), entries.join(" "));
    Ok(text)
}

fn inchannel(world: &World, _: ConnectionId, parameters: &str) -> Outcome {
    if parameters.is_empty() {
        let text: String = (0..=MAX_CHANNEL).filter_map(|number| channel_line(world, number)).collect();
        return Ok(text);
    }
    let number = channel(parameters.trim_end()).ok_or("Invalid channel number.\n")?;
    let n_listeners = world.lobby.channel_members(number).len();
    let line = channel_line(world, number).unwrap_or_default();
    let (verb, players) = (if n_listeners == 1 { "is" } else { "are" }, count(n(n_listeners), "player"));
    Ok(format!("{line}There {verb} {players} in channel {number}.\n"))
}

/// `53: Bogoljubov GuestMLBX(U)`; `None` for a channel without members.
fn channel_line(world: &World, number: u16) -> Option<String> {
    let listeners = world.lobby.channel_members(number);
    let names: Vec<_> = listeners.iter().filter_map(|&id| Some(world.lobby.player(id)?.display())).collect();
    (!names.is_empty()).then(|| format!("{number}: {}\n", names.join(" ")))
}

/// Converts a length for [`count`].
pub(super) fn n(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
