//! Lists of names and of channels.
//!
//! Source of the answers: transcripts fatics-block-client, fatics-talk-mixed-*, fatics-match-pending-b.

use super::{Command, Verdict};
use crate::calendar::count;
use crate::world::{ConnectionId, List, MAX_LIST_ENTRIES, World};

#[rustfmt::skip] // one to a line: it is a table
pub(super) const COMMANDS: &[Command] = &[
    Command::anyone("addlist", "list entry", "Adds a name to one of your lists, or a channel to your channels. \"+list entry\" does the same.", addlist),
    Command::anyone("inchannel", "[channel]", "Shows who listens to a channel, or to any.", inchannel),
    Command::anyone("showlist", "[list]", "Shows one of your lists, or which lists there are. \"=list\" does the same.", showlist),
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

/// A list and an entry, made sure that the entry is a channel's number or a player's name as it is spelled.
fn parse(world: &mut World, id: ConnectionId, parameters: &str) -> Result<(List, &'static str, String), Verdict> {
    let mut words = parameters.split_whitespace();
    let (Some(list), Some(entry)) = (words.next(), words.next()) else { return Err(Verdict::Usage) };
    let Some((kind, name)) = find_list(list) else {
        world.lobby.put(id, &format!("There is no list matching the name \"{list}\".\n"));
        return Err(Verdict::Done);
    };
    let entry = match kind {
        List::Channel => channel(entry).map(|number| number.to_string()),
        List::Censor | List::Gnotify | List::Noplay | List::Notify => spelled(world, entry),
    };
    entry.map(|entry| (kind, name, entry)).ok_or_else(|| {
        let word = words_after(parameters);
        let answer = match kind {
            List::Channel => "Invalid channel number.\n".to_owned(),
            _ => format!("There is no player matching the name \"{word}\".\n"),
        };
        world.lobby.put(id, &answer);
        Verdict::Done
    })
}

fn words_after(parameters: &str) -> &str {
    parameters.split_whitespace().nth(1).unwrap_or_default()
}

/// A player's name as he spells it, online or registered.
fn spelled(world: &World, name: &str) -> Option<String> {
    let online = world.lobby.find(name).and_then(|id| world.lobby.player(id)).map(|player| player.name().to_owned());
    online.or_else(|| world.options.accounts.get(name).map(|account| account.handle.to_string()))
}

/// An entry as answers have it: channels stand in brackets.
fn shown(list: List, entry: &str) -> String {
    if list == List::Channel { format!("[{entry}]") } else { entry.to_owned() }
}

fn addlist(world: &mut World, id: ConnectionId, parameters: &str) -> Verdict {
    let (list, name, entry) = match parse(world, id, parameters) {
        Ok(parsed) => parsed,
        Err(verdict) => return verdict,
    };
    let Some(player) = world.lobby.player_mut(id) else { return Verdict::Done };
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
    world.lobby.put(id, &answer);
    Verdict::Done
}

fn sublist(world: &mut World, id: ConnectionId, parameters: &str) -> Verdict {
    let (list, name, entry) = match parse(world, id, parameters) {
        Ok(parsed) => parsed,
        Err(verdict) => return verdict,
    };
    let Some(player) = world.lobby.player_mut(id) else { return Verdict::Done };
    let entries = player.saved.lists.entry(list).or_default();
    let n_before = entries.len();
    entries.retain(|known| *known != entry);
    let said = if entries.len() < n_before { "removed from" } else { "is not on" };
    let shown = shown(list, &entry);
    world.lobby.put(id, &format!("{shown} {said} your {name} list.\n"));
    Verdict::Done
}

fn showlist(world: &mut World, id: ConnectionId, parameters: &str) -> Verdict {
    if parameters.is_empty() {
        let names = List::ALL.map(|(_, name)| name).join("\n");
        world.lobby.put(id, &format!("{names}\n"));
        return Verdict::Done;
    }
    let Some((list, name)) = find_list(parameters.trim_end()) else {
        world.lobby.put(id, &format!("There is no list matching the name \"{parameters}\".\n"));
        return Verdict::Done;
    };
    let entries = world.lobby.player(id).map_or(&[][..], |player| player.saved.list(list));
    let noun = if list == List::Channel { "channel" } else { "name" };
    let text = format!("-- {name} list: {} --\n{}\n", count(n(entries.len()), noun), entries.join(" "));
    world.lobby.put(id, &text);
    Verdict::Done
}

fn inchannel(world: &mut World, id: ConnectionId, parameters: &str) -> Verdict {
    if parameters.is_empty() {
        let text: String = (0..=MAX_CHANNEL).filter_map(|number| channel_line(world, number)).collect();
        world.lobby.put(id, &text);
        return Verdict::Done;
    }
    let Some(number) = channel(parameters.trim_end()) else {
        world.lobby.put(id, "Invalid channel number.\n");
        return Verdict::Done;
    };
    let n_listeners = world.lobby.channel_members(number).len();
    let line = channel_line(world, number).unwrap_or_default();
    let (verb, players) = (if n_listeners == 1 { "is" } else { "are" }, count(n(n_listeners), "player"));
    world.lobby.put(id, &format!("{line}There {verb} {players} in channel {number}.\n"));
    Verdict::Done
}

/// `53: Bogoljubov GuestMLBX(U)`; `None` if nobody listens.
fn channel_line(world: &World, number: u16) -> Option<String> {
    let listeners = world.lobby.channel_members(number);
    let names: Vec<_> = listeners.iter().filter_map(|&id| Some(world.lobby.player(id)?.display())).collect();
    (!names.is_empty()).then(|| format!("{number}: {}\n", names.join(" ")))
}

/// A length as [`count`] takes it.
pub(super) fn n(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
