//! Commands about variables, interface variables, the password, and lists of names and channels.
//!
//! Source of the answers: transcripts `fatics-*`, above all fatics-block-client.

use super::game::no_player_text;
use super::{CommandRefusal, CommandResult, CommandRow, DONE, refuse_if, required_first_word};
use crate::account::{find_only_by_prefix, name_key, unknown_or_ambiguous_text};
use crate::calendar::format_count;
use crate::options::Feature;
use crate::world::{ConnectionId, Ivar, LISTS, MAX_LIST_ENTRIES, World, settable_ivars};

#[rustfmt::skip] // one to a line: it is a table
pub(crate) const COMMANDS: &[CommandRow] = &[
    CommandRow::new("addlist", "list entry", "Adds a name to one of your lists, or a channel to your channels. \"+list entry\" does the same.", run_addlist),
    CommandRow::new("inchannel", "[channel]", "Lists the players in a channel, or in every channel.", run_inchannel),
    CommandRow::new("iset", "name 0|1", "Sets an interface variable, which controls the output that your program receives.", run_iset),
    CommandRow::new("ivariables", "[player]", "Shows interface variables.", run_ivariables),
    CommandRow::new("password", "old new", "Changes your password.", run_password),
    CommandRow::new("set", "name [value]", "Sets a variable of your account. \"set 1 text\" to \"set 10 text\" write notes.", run_set),
    CommandRow::new("showlist", "[list]", "Shows one of your lists, or the names of all lists. \"=list\" does the same.", run_showlist),
    CommandRow::new("style", "number", "Sets the format of boards. This server has style 12 only.", run_style),
    CommandRow::new("sublist", "list entry", "Removes an entry from one of your lists. \"-list entry\" does the same.", run_sublist),
    CommandRow::new("variables", "[player]", "Shows variables.", run_variables),
];

/// Executes `password`: changes the password of the player's account, if the old one is right.
///
/// Source of the forms: transcript fatics-info-native; uhlin/fics for the last one, which repeats the password as other
/// servers of its line do.
fn run_password(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let mut words = parameters.split_whitespace();
    let (Some(old), Some(new)) = (words.next(), words.next()) else { return Err(CommandRefusal::Usage) };
    let account = world.options.accounts.get_mut(&world.lobby.player_name(id));
    let account = account.ok_or("Setting a password is only for registered players.\n")?;
    refuse_if(account.password != old, "Incorrect password; password not changed!\n")?;
    new.clone_into(&mut account.password);
    Ok(format!("Password changed to \"{new}\".\n"))
}

fn run_set(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let (name, value) = parameters.split_once(' ').unwrap_or((required_first_word(parameters)?, ""));
    set_variable(world, id, name, value.trim_start())
}

fn run_style(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let number = parameters.parse::<u16>().map_err(|_| CommandRefusal::Usage)?;
    set_variable(world, id, "style", &number.to_string())
}

/// Sets a variable; returns the reply, also for an unknown variable or an invalid value.
fn set_variable(world: &mut World, id: ConnectionId, name: &str, value: &str) -> CommandResult {
    if let Some(answer) = world.set_icc_variable(id, name, value) {
        return Ok(format!("{answer}\n"));
    }
    let Some(player) = world.lobby.player_mut(id) else { return DONE };
    Ok(player.saved.variables.set_or_toggle(name, value) + "\n")
}

fn run_iset(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let mut words = parameters.split_whitespace();
    let (Some(name), value) = (words.next(), words.next()) else { return Err(CommandRefusal::Usage) };
    let is_offered = |ivar: &Ivar| *ivar != Ivar::Block || world.options.has_feature(Feature::BlockMode);
    let ivars = settable_ivars().filter(is_offered).map(|ivar| (ivar.as_str(), ivar));
    let refusal = |names: Vec<_>| unknown_or_ambiguous_text("ivariable", name, &names) + "\n";
    let ivar = find_only_by_prefix(ivars, &name_key(name)).map_err(refusal)?;
    set_or_toggle_ivar(world, id, ivar, value)
}

/// Sets an ivar, or inverts it without a value. Setting `seekinfo` also sends the list of seeks. Refused while the ivar `lock` is
/// set. Does nothing, without a reply, for a value other than 0 and 1.
fn set_or_toggle_ivar(world: &mut World, id: ConnectionId, ivar: Ivar, value: Option<&str>) -> CommandResult {
    let Some(player) = world.lobby.player_mut(id) else { return DONE };
    let value = match value {
        None => !player.ivars.is_set(ivar),
        Some("1") => true,
        Some("0") => false,
        // The recorded server answers nothing at all.
        Some(_) => return DONE,
    };
    refuse_if(player.ivars.is_set(Ivar::Lock), "Cannot alter: Interface setting locked.\n")?;
    player.ivars.set(ivar, value);
    let said = if value { "set" } else { "unset" };
    world.lobby.queue_text(id, &format!("{} {said}.\n", ivar.as_str()));
    if ivar == Ivar::SeekInfo && value {
        let list = world.seekinfo_list(id);
        world.lobby.queue_unwrapped(id, &list);
    }
    DONE
}

fn run_variables(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let Some(player) = world.lobby.player(requested_player_or_self(world, id, parameters)?) else { return DONE };
    let variables = &player.saved.variables;
    let prompt = variables.prompt_or(world.options.family.texts().prompt);
    let interface = variables.value("interface");
    let interface = if interface.is_empty() { String::new() } else { format!("Interface: {interface}\n") };
    let (name, table) = (player.name(), variables.format_table());
    Ok(format!("Variable settings of {name}:\n\n{table}\nPrompt: {prompt}\n{interface}\n"))
}

fn run_ivariables(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let Some(player) = world.lobby.player(requested_player_or_self(world, id, parameters)?) else { return DONE };
    let mut table = format!("Interface variable settings of {}:\n\n{}\n", player.name(), player.ivars.format_table());
    if !world.options.has_feature(Feature::BlockMode) {
        table = table.replace("block=0 ", "        ");
    }
    Ok(table)
}

/// Returns the player named by the first word, or `id` without a word. The error is the text of the refusal.
pub(crate) fn requested_player_or_self(
    world: &World,
    id: ConnectionId,
    words: &str,
) -> Result<ConnectionId, CommandRefusal> {
    let Some(name) = words.split_whitespace().next() else { return Ok(id) };
    Ok(world.lobby.find_player_by_prefix(name).ok_or_else(|| no_player_text(name))?)
}

/// Highest number of a channel.
const MAX_CHANNEL: u16 = 255;

/// Parses the number of a channel, from 0 to [`MAX_CHANNEL`]; the error is the text of the refusal.
pub(crate) fn parse_channel(word: &str) -> Result<u16, CommandRefusal> {
    Ok(word.parse().ok().filter(|&number| number <= MAX_CHANNEL).ok_or("Invalid channel number.\n")?)
}

/// Returns the list with this name, or the only one whose name starts with it. The error is the text of the refusal, for no match
/// or several.
fn find_list(prefix: &str) -> Result<&'static str, CommandRefusal> {
    find_only_by_prefix(LISTS.map(|list| (list, list)), &name_key(prefix))
        .map_err(|_| format!("There is no list matching the name \"{prefix}\".\n").into())
}

/// Parses a list and an entry: the number of a channel, or the name of a player in the player's own spelling.
fn parse_list_and_entry(world: &World, parameters: &str) -> Result<(&'static str, String), CommandRefusal> {
    let mut words = parameters.split_whitespace();
    let (Some(list), Some(entry)) = (words.next(), words.next()) else { return Err(CommandRefusal::Usage) };
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
