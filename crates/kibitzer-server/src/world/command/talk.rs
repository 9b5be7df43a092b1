//! What players say to each other.
//!
//! Source of the forms: transcripts fatics-talk-mixed-*, fatics-block-client; observed-fatics §12.

use super::lists::{channel, n};
use super::{Command, Verdict};
use crate::calendar::count;
use crate::world::{ConnectionId, Flag, Talk, Text, World};

#[rustfmt::skip] // one to a line: it is a table
pub(super) const COMMANDS: &[Command] = &[
    Command::registered("cshout", "text", "Says something about chess to everybody.", cshout),
    Command::registered("it", "text", "Shows your name and a text to everybody: \"it waves\".", it),
    Command::registered("messages", "player text", "Shows a message to a registered player who is logged in. Messages are not stored.", message),
    Command::registered("shout", "text", "Says something to everybody.", shout),
    Command::anyone("tell", "player|channel|.|, text", "Says something to a player or to a channel. \".\" is the player and \",\" the channel of your last tell.", tell),
    Command::anyone("xtell", "player text", "Says something to a player.", xtell),
];

fn tell(world: &mut World, id: ConnectionId, parameters: &str) -> Verdict {
    // Blanks behind the first belong to the text.
    let Some((to, text)) = parameters.split_once(' ') else { return Verdict::Usage };
    let Some(me) = world.lobby.player(id) else { return Verdict::Done };
    match to {
        "." => match me.last_told.clone() {
            Some(name) => tell_player(world, id, name.as_str(), text),
            None => refuse(world, id, "No previous tell.\n"),
        },
        "," => match me.last_channel.clone() {
            Some(channel) => tell_channel(world, id, &channel, text),
            None => refuse(world, id, "No previous channel.\n"),
        },
        _ if to.bytes().all(|byte| byte.is_ascii_digit()) => tell_channel(world, id, to, text),
        _ => tell_player(world, id, to, text),
    }
}

fn xtell(world: &mut World, id: ConnectionId, parameters: &str) -> Verdict {
    match parameters.split_once(' ') {
        Some((to, text)) => tell_player(world, id, to, text),
        None => Verdict::Usage,
    }
}

/// The echo and the message have the text on a line of its own.
///
/// Source: transcripts uhlinfics-talk-1-Boris, uhlinfics-talk-1-Carla.
fn message(world: &mut World, id: ConnectionId, parameters: &str) -> Verdict {
    let Some((to, text)) = parameters.split_once(' ') else { return Verdict::Usage };
    let Some(whom) = world.lobby.find(to) else {
        return refuse(world, id, &format!("No player named \"{to}\" is online.\n"));
    };
    if let Some(why) = world.deafness(id, whom) {
        return refuse(world, id, &why);
    }
    let (Some(me), Some(reader)) = (world.lobby.player(id), world.lobby.player(whom)) else { return Verdict::Done };
    if !reader.is_registered {
        return refuse(
            world,
            id,
            &format!("Player \"{}\" is unregistered and cannot receive messages.\n", reader.name()),
        );
    }
    let echo = format!("\nThe following message was sent to {}:\n   {text}\n", reader.name());
    let shown = format!("{} just sent you a message:\n    {text}\n", me.display());
    world.lobby.put(id, &echo);
    world.lobby.notify(whom, &shown);
    Verdict::Done
}

fn refuse(world: &mut World, id: ConnectionId, why: &str) -> Verdict {
    world.lobby.put(id, why);
    Verdict::Done
}

fn tell_player(world: &mut World, id: ConnectionId, to: &str, text: &str) -> Verdict {
    let Some(whom) = world.lobby.find(to) else {
        return refuse(world, id, &format!("No player named \"{to}\" is online.\n"));
    };
    if let Some(why) = world.deafness(id, whom) {
        return refuse(world, id, &why);
    }
    let (Some(me), Some(hearer)) = (world.lobby.player(id), world.lobby.player(whom)) else { return Verdict::Done };
    let line = format!("{} tells you: {text}\n", me.display());
    let (said, told) = (Talk::to_player(me, 1, text, line), hearer.handle.clone());
    world.lobby.put_talk(id, whom, &said);
    let receipt = world.receipt(whom);
    world.lobby.put(id, &receipt);
    if let Some(me) = world.lobby.player_mut(id) {
        me.last_told = Some(told);
    }
    Verdict::Done
}

fn tell_channel(world: &mut World, id: ConnectionId, word: &str, text: &str) -> Verdict {
    let Some(number) = channel(word) else { return refuse(world, id, "Invalid channel number.\n") };
    let listeners = world.lobby.channel_members(number);
    if !listeners.contains(&id) {
        return refuse(world, id, &format!("(Not sent because you are not in channel {number}.)\n"));
    }
    let Some(me) = world.lobby.player_mut(id) else { return Verdict::Done };
    me.last_channel = Some(word.to_owned());
    let line = format!("{}({number}): {text}\n", me.display());
    let said = Talk::to_channel(me, word, text, line);
    let is_guest = !me.is_registered;
    let hears = |&whom: &ConnectionId| {
        whom == id
            || world.lobby.hears(whom, id, Flag::Chanoff, false)
                && (!is_guest || world.lobby.has_flag(whom, Flag::Ctell))
    };
    let hearers: Vec<_> = listeners.into_iter().filter(hears).collect();
    world.broadcast(id, &said, hearers.iter().copied());
    // The own copy counts here, unlike elsewhere.
    let players = count(n(hearers.len()), "player");
    world.lobby.put(id, &format!("(told {players} in channel {number})\n"));
    Verdict::Done
}

fn shout(world: &mut World, id: ConnectionId, text: &str) -> Verdict {
    say_to_all(world, id, text, Flag::Shout, (0, "shouts:", "shouted"))
}

fn cshout(world: &mut World, id: ConnectionId, text: &str) -> Verdict {
    say_to_all(world, id, text, Flag::Cshout, (2, "c-shouts:", "c-shouted"))
}

fn it(world: &mut World, id: ConnectionId, text: &str) -> Verdict {
    say_to_all(world, id, text, Flag::Shout, (1, "", "it-shouted"))
}

/// A text to everybody who wants to hear it: behind a verb, or as `--> Foo waves` without one.
fn say_to_all(
    world: &mut World,
    id: ConnectionId,
    text: &str,
    flag: Flag,
    (kind, verb, done): (u8, &str, &str),
) -> Verdict {
    if text.is_empty() {
        return Verdict::Usage;
    }
    let Some(me) = world.lobby.player(id) else { return Verdict::Done };
    let display = me.display();
    let line = if verb.is_empty() { it_line(&display, text) } else { format!("{display} {verb} {text}\n") };
    let said = Talk::to_all(me, kind, text, line);
    let ids: Vec<_> = world.lobby.players().map(|(whom, _)| whom).collect();
    let hearers: Vec<_> =
        ids.into_iter().filter(|&whom| whom != id && world.lobby.hears(whom, id, flag, true)).collect();
    world.broadcast(id, &said, hearers.iter().copied().chain([id]));
    let players = count(n(hearers.len()), "player");
    world.lobby.put(id, &format!("({done} to {players})\n"));
    Verdict::Done
}

/// An apostrophe or a comma follows the name without a blank.
///
/// Source: text-messages §1.
fn it_line(display: &str, text: &str) -> String {
    let blank = if text.starts_with(['\'', ',']) { "" } else { " " };
    format!("--> {display}{blank}{text}\n")
}

impl World {
    /// Sends a player's line to all who hear it; to himself as part of the reply.
    pub(super) fn broadcast(&mut self, from: ConnectionId, said: &Talk, hearers: impl Iterator<Item = ConnectionId>) {
        for whom in hearers {
            self.lobby.put_talk(from, whom, said);
        }
    }

    /// Why a player does not hear another's tells, if that is so.
    pub(super) fn deafness(&self, from: ConnectionId, whom: ConnectionId) -> Option<String> {
        let (speaker, hearer) = (self.lobby.player(from)?, self.lobby.player(whom)?);
        let name = hearer.name();
        if self.lobby.censors(whom, from) {
            return Some(format!("{name} is censoring you.\n"));
        }
        let is_deaf = !speaker.is_registered && !hearer.has_flag(Flag::Tell);
        is_deaf.then(|| format!("Player \"{name}\" isn't listening to unregistered users' tells.\n"))
    }

    /// `(told Foo, who is playing)`.
    pub(super) fn receipt(&self, whom: ConnectionId) -> String {
        let Some(player) = self.lobby.player(whom) else { return String::new() };
        let busy = player.saved.variables.text(Text::Busy);
        let state = if self.game_of(whom).is_some() {
            ", who is playing".to_owned()
        } else if self.examined_by(whom).is_some() {
            ", who is examining a game".to_owned()
        } else if busy.is_empty() {
            String::new()
        } else {
            let idle = self.now().saturating_duration_since(player.last_command).as_secs() / 60;
            format!(", who {busy} (idle: {})", count(idle, "min"))
        };
        format!("(told {}{state})\n", player.name())
    }
}
