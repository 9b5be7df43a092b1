//! Variables and interface variables.
//!
//! Source of the answers: transcripts `fatics-*`, above all fatics-block-client.

use super::{Command, Verdict};
use crate::options::Feature;
use crate::world::{ConnectionId, Ivar, SetError, Text, World, ivars_starting_with};

#[rustfmt::skip] // one to a line: it is a table
pub(super) const COMMANDS: &[Command] = &[
    Command::anyone("iset", "name 0|1", "Sets an interface variable: what your program wants to be sent.", iset),
    Command::anyone("ivariables", "[player]", "Shows interface variables.", ivariables),
    Command::anyone("password", "old new", "Changes your password.", password),
    Command::anyone("set", "name [value]", "Sets a variable: how the server is to treat you. \"set 1 text\" to \"set 10 text\" write notes.", set),
    Command::anyone("style", "number", "Sets the form of boards. This server draws style 12 alone.", style),
    Command::anyone("variables", "[player]", "Shows variables.", variables),
];

/// Source of the forms: transcript fatics-info-native; uhlin/fics for the last one, which repeats the password as other
/// servers of its line do.
fn password(world: &mut World, id: ConnectionId, parameters: &str) -> Verdict {
    let mut words = parameters.split_whitespace();
    let (Some(old), Some(new)) = (words.next(), words.next()) else { return Verdict::Usage };
    let name = world.lobby.name(id);
    let text = match world.options.accounts.get_mut(&name) {
        None => "Setting a password is only for registered players.\n".to_owned(),
        Some(account) if account.password != old => "Incorrect password; password not changed!\n".to_owned(),
        Some(account) => {
            new.clone_into(&mut account.password);
            format!("Password changed to \"{new}\".\n")
        }
    };
    world.lobby.put(id, &text);
    Verdict::Done
}

fn set(world: &mut World, id: ConnectionId, parameters: &str) -> Verdict {
    let (name, value) = parameters.split_once(' ').unwrap_or((parameters, ""));
    if name.is_empty() {
        return Verdict::Usage;
    }
    change(world, id, name, value.trim_start())
}

fn style(world: &mut World, id: ConnectionId, parameters: &str) -> Verdict {
    match parameters.trim_end().parse::<u16>() {
        Ok(number) => change(world, id, "style", &number.to_string()),
        Err(_) => Verdict::Usage,
    }
}

fn change(world: &mut World, id: ConnectionId, name: &str, value: &str) -> Verdict {
    if let Some(answer) = world.set_levels(id, name, value) {
        world.lobby.put(id, &format!("{answer}\n"));
        return Verdict::Done;
    }
    let Some(player) = world.lobby.player_mut(id) else { return Verdict::Done };
    let answer = match player.saved.variables.set(name, value) {
        Ok(answer) => answer,
        Err(SetError::Unknown) => format!("No such variable \"{name}\"."),
        Err(SetError::Ambiguous(names)) => format!("Ambiguous variable \"{name}\". Matches: {}", names.join(" ")),
        Err(SetError::BadValue(name)) => format!("Bad value given for variable \"{name}\"."),
    };
    world.lobby.put(id, &format!("{answer}\n"));
    Verdict::Done
}

fn iset(world: &mut World, id: ConnectionId, parameters: &str) -> Verdict {
    let mut words = parameters.split_whitespace();
    let (Some(name), value) = (words.next(), words.next()) else { return Verdict::Usage };
    let prefix = name.to_ascii_lowercase();
    let is_offered = |ivar: &Ivar| *ivar != Ivar::Block || world.options.has(Feature::BlockMode);
    let fitting: Vec<_> = ivars_starting_with(&prefix).into_iter().filter(is_offered).collect();
    match fitting.as_slice() {
        [] => world.lobby.put(id, &format!("No such ivariable \"{name}\".\n")),
        &[ivar] => set_ivar(world, id, ivar, value),
        several => {
            let names: Vec<_> = several.iter().map(|ivar| ivar.name()).collect();
            world.lobby.put(id, &format!("Ambiguous ivariable \"{name}\". Matches: {}\n", names.join(" ")));
        }
    }
    Verdict::Done
}

fn set_ivar(world: &mut World, id: ConnectionId, ivar: Ivar, value: Option<&str>) {
    let Some(player) = world.lobby.player_mut(id) else { return };
    let value = match value {
        None => !player.ivars.is_set(ivar),
        Some("1") => true,
        Some("0") => false,
        // The recorded server answers nothing at all.
        Some(_) => return,
    };
    if player.ivars.is_set(Ivar::Lock) {
        return world.lobby.put(id, "Cannot alter: Interface setting locked.\n");
    }
    player.ivars.set(ivar, value);
    let said = if value { "set" } else { "unset" };
    world.lobby.put(id, &format!("{} {said}.\n", ivar.name()));
    if ivar == Ivar::SeekInfo && value {
        let list = world.seek_list(id);
        world.lobby.put_whole(id, &list);
    }
}

fn variables(world: &mut World, id: ConnectionId, parameters: &str) -> Verdict {
    let Some(player) = player_or_self(world, id, parameters).and_then(|whose| world.lobby.player(whose)) else {
        return Verdict::Done;
    };
    let variables = &player.saved.variables;
    let prompt =
        Some(variables.text(Text::Prompt)).filter(|prompt| !prompt.is_empty()).unwrap_or(world.options.family.prompt());
    let interface = variables.text(Text::Interface);
    let interface = if interface.is_empty() { String::new() } else { format!("Interface: {interface}\n") };
    let (name, table) = (player.name(), variables.table());
    let text = format!("Variable settings of {name}:\n\n{table}\nPrompt: {prompt}\n{interface}\n");
    world.lobby.put(id, &text);
    Verdict::Done
}

fn ivariables(world: &mut World, id: ConnectionId, parameters: &str) -> Verdict {
    let Some(player) = player_or_self(world, id, parameters).and_then(|whose| world.lobby.player(whose)) else {
        return Verdict::Done;
    };
    let mut table = format!("Interface variable settings of {}:\n\n{}\n", player.name(), player.ivars.table());
    if !world.options.has(Feature::BlockMode) {
        table = table.replace("block=0 ", "        ");
    }
    world.lobby.put(id, &table);
    Verdict::Done
}

/// Whom a parameter means: the player himself without one. Says so if there is nobody.
pub(super) fn player_or_self(world: &mut World, id: ConnectionId, parameter: &str) -> Option<ConnectionId> {
    let name = parameter.split_whitespace().next().unwrap_or_default();
    if name.is_empty() {
        return Some(id);
    }
    let found = world.lobby.find(name);
    if found.is_none() {
        world.lobby.put(id, &format!("There is no player matching the name \"{name}\".\n"));
    }
    found
}
