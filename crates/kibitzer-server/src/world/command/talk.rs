//! Talk between players, and around games.
//!
//! Source of the forms: transcripts fatics-talk-mixed-*, fatics-block-client, fatics-examine-*, fatics-bughouse-*;
//! observed-fatics §12.

use kibitzer_core::message::{CommandCode, GameId};

use super::lists::{channel, n};
use super::{Command, DONE, Outcome, Refusal};
use crate::calendar::count;
use crate::world::{ConnectionId, Flag, Talk, Text, World};

#[rustfmt::skip] // one to a line: it is a table
pub(super) const COMMANDS: &[Command] = &[
    Command::registered("cshout", "text", "Says something about chess to everybody.", cshout),
    Command::registered("it", "text", "Shows your name and a text to everybody: \"it waves\".", it),
    Command::anyone("kibitz", "text", "Says something to the players and followers of a game.", kibitz),
    Command::registered("messages", "player text", "Shows a message to a registered player who is logged in. Messages are not stored.", message),
    Command::anyone("say", "text", "Says something to your opponent, or to your last one.", say),
    Command::registered("shout", "text", "Says something to everybody.", shout),
    Command::anyone("tell", "player|channel|.|, text", "Says something to a player or to a channel. \".\" is the player and \",\" the channel of your last tell.", tell),
    Command::anyone("whisper", "text", "Says something to the followers of a game.", whisper),
    Command::anyone("xtell", "player text", "Says something to a player.", xtell),
];

fn tell(world: &mut World, id: ConnectionId, parameters: &str) -> Outcome {
    // Blanks behind the first belong to the text.
    let Some((to, text)) = parameters.split_once(' ') else { return Err(Refusal::Usage) };
    let Some(me) = world.lobby.player(id) else { return DONE };
    match to {
        "." => {
            let name = me.last_told.clone().ok_or("No previous tell.\n")?;
            tell_player(world, id, name.as_str(), text)
        }
        "," => {
            let channel = me.last_channel.clone().ok_or("No previous channel.\n")?;
            tell_channel(world, id, &channel, text)
        }
        _ if to.bytes().all(|byte| byte.is_ascii_digit()) => tell_channel(world, id, to, text),
        _ => tell_player(world, id, to, text),
    }
}

fn xtell(world: &mut World, id: ConnectionId, parameters: &str) -> Outcome {
    match parameters.split_once(' ') {
        Some((to, text)) => tell_player(world, id, to, text),
        None => Err(Refusal::Usage),
    }
}

/// The echo and the message have the text on a line of its own.
///
/// Source: transcripts uhlinfics-talk-1-Boris, uhlinfics-talk-1-Carla.
fn message(world: &mut World, id: ConnectionId, parameters: &str) -> Outcome {
    let Some((to, text)) = parameters.split_once(' ') else { return Err(Refusal::Usage) };
    let whom = listener(world, id, to)?;
    let (Some(me), Some(reader)) = (world.lobby.player(id), world.lobby.player(whom)) else { return DONE };
    if !reader.is_registered {
        return Ok(format!("Player \"{}\" is unregistered and cannot receive messages.\n", reader.name()));
    }
    let echo = format!("\nThe following message was sent to {}:\n   {text}\n", reader.name());
    let shown = format!("{} just sent you a message:\n    {text}\n", me.display());
    world.lobby.put(id, &echo);
    world.lobby.notify(whom, &shown);
    DONE
}

/// Returns the player of that name, if that player hears tells of `id`.
fn listener(world: &World, id: ConnectionId, name: &str) -> Result<ConnectionId, String> {
    let whom = world.lobby.find(name).ok_or_else(|| format!("No player named \"{name}\" is online.\n"))?;
    world.obstacle_to_tells(id, whom).map_or(Ok(whom), Err)
}

fn tell_player(world: &mut World, id: ConnectionId, to: &str, text: &str) -> Outcome {
    let whom = listener(world, id, to)?;
    let (Some(me), Some(hearer)) = (world.lobby.player(id), world.lobby.player(whom)) else { return DONE };
    let line = format!("{} tells you: {text}\n", me.display());
    let (said, told) = (Talk::to_player(me, 1, text, line), hearer.handle.clone());
    world.lobby.put_talk(id, whom, &said);
    let receipt = world.receipt(whom);
    world.lobby.put(id, &receipt);
    if let Some(me) = world.lobby.player_mut(id) {
        me.last_told = Some(told);
    }
    DONE
}

fn tell_channel(world: &mut World, id: ConnectionId, word: &str, text: &str) -> Outcome {
    let number = channel(word).ok_or("Invalid channel number.\n")?;
    let listeners = world.lobby.channel_members(number);
    if !listeners.contains(&id) {
        return Ok(format!("(Not sent because you are not in channel {number}.)\n"));
    }
    let Some(me) = world.lobby.player_mut(id) else { return DONE };
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
    Ok(format!("(told {players} in channel {number})\n"))
}

fn shout(world: &mut World, id: ConnectionId, text: &str) -> Outcome {
    say_to_all(world, id, text, Flag::Shout, (0, "shouts:", "shouted"))
}

fn cshout(world: &mut World, id: ConnectionId, text: &str) -> Outcome {
    say_to_all(world, id, text, Flag::Cshout, (2, "c-shouts:", "c-shouted"))
}

fn it(world: &mut World, id: ConnectionId, text: &str) -> Outcome {
    say_to_all(world, id, text, Flag::Shout, (1, "", "it-shouted"))
}

/// Sends a shout to all players with the flag set: after a verb, or as `--> Foo waves` without one.
fn say_to_all(
    world: &mut World,
    id: ConnectionId,
    text: &str,
    flag: Flag,
    (kind, verb, done): (u8, &str, &str),
) -> Outcome {
    if text.is_empty() {
        return Err(Refusal::Usage);
    }
    let Some(me) = world.lobby.player(id) else { return DONE };
    let display = me.display();
    let line = if verb.is_empty() { it_line(&display, text) } else { format!("{display} {verb} {text}\n") };
    let said = Talk::to_all(me, kind, text, line);
    let ids: Vec<_> = world.lobby.players().map(|(whom, _)| whom).collect();
    let hearers: Vec<_> =
        ids.into_iter().filter(|&whom| whom != id && world.lobby.hears(whom, id, flag, true)).collect();
    world.broadcast(id, &said, hearers.iter().copied().chain([id]));
    let players = count(n(hearers.len()), "player");
    Ok(format!("({done} to {players})\n"))
}

/// An apostrophe or a comma follows the name without a blank.
///
/// Source: text-messages §1.
fn it_line(display: &str, text: &str) -> String {
    let blank = if text.starts_with(['\'', ',']) { "" } else { " " };
    format!("--> {display}{blank}{text}\n")
}

fn kibitz(world: &mut World, id: ConnectionId, text: &str) -> Outcome {
    remark(world, id, text, ("kibitz", "kibitzes", "kibitzed"))
}

fn whisper(world: &mut World, id: ConnectionId, text: &str) -> Outcome {
    remark(world, id, text, ("whisper", "whispers", "whispered"))
}

fn remark(world: &mut World, id: ConnectionId, text: &str, (verb, says, said): (&str, &str, &str)) -> Outcome {
    if text.is_empty() {
        return Err(Refusal::Usage);
    }
    let number = world.lobby.primary_game(id).ok_or("You are not playing, examining, or observing a game.\n")?;
    let Some(me) = world.lobby.player(id) else { return DONE };
    if !me.is_registered && me.game != Some(number) {
        let text = format!("Only registered players may {verb} to others' games.\n");
        return Err(Refusal::Coded(CommandCode::INSUFFICIENT_RIGHTS, text));
    }
    let kind = world.tables.get(number).map_or("", |table| table.terms().kind().as_str());
    let line = format!("{}({:>4})[{number}] {says}: {text}\n", me.display(), me.rating(kind).to_string());
    let utterance = Talk::at_table(me, number, verb == "kibitz", text, line);
    let hearers = hearers(world, id, number, verb);
    world.broadcast(id, &utterance, [id].into_iter().chain(hearers.iter().copied()));
    let players = count(n(hearers.len()), "player");
    Ok(format!("({said} to {players})\n"))
}

/// Followers, examiners among them, and to a kibitz the players.
fn hearers(world: &World, id: ConnectionId, number: GameId, verb: &str) -> Vec<ConnectionId> {
    let is_examined = world.tables.get(number).is_some_and(|table| !table.examiners().is_empty());
    let near = if verb == "kibitz" || is_examined { world.participants(number) } else { Vec::new() };
    let all = near.into_iter().chain(world.tables.observers(number));
    all.filter(|&whom| whom != id && world.lobby.hears(whom, id, Flag::Kibitz, true)).collect()
}

fn say(world: &mut World, id: ConnectionId, text: &str) -> Outcome {
    if text.is_empty() {
        return Err(Refusal::Usage);
    }
    let now = world.opponent_of(id).zip(world.lobby.own_game(id));
    let last = || {
        let name = world.lobby.player(id)?.last_opponent.as_ref()?;
        world.lobby.online(name.as_str())
    };
    let (opponent, place) = match now {
        Some((opponent, number)) => (Some(opponent), format!("[{number}]")),
        None => (last(), String::new()),
    };
    let opponent = opponent.ok_or("There is nobody to say anything to.\n")?;
    if let Some(why) = world.obstacle_to_tells(id, opponent) {
        return Ok(why);
    }
    let Some(me) = world.lobby.player(id) else { return DONE };
    let said = Talk::to_player(me, 0, text, format!("{}{place} says: {text}\n", me.display()));
    world.lobby.put_talk(id, opponent, &said);
    let receipt = world.receipt(opponent);
    Ok(receipt)
}

impl World {
    /// Sends a player's talk to all receivers; to the speaker as part of the reply.
    pub(super) fn broadcast(&mut self, from: ConnectionId, said: &Talk, hearers: impl Iterator<Item = ConnectionId>) {
        for whom in hearers {
            self.lobby.put_talk(from, whom, said);
        }
    }

    /// Returns why tells of `from` do not reach a player; `None` if they do.
    pub(super) fn obstacle_to_tells(&self, from: ConnectionId, whom: ConnectionId) -> Option<String> {
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
