//! Commands of talk between players and about games.
//!
//! Source of the forms: transcripts fatics-talk-mixed-*, fatics-block-client, fatics-examine-*, fatics-bughouse-*;
//! observed-fatics §12.

use kibitzer_core::message::{CommandCode, Datagram};

use super::settings::parse_channel;
use super::{CommandRefusal, CommandResult, CommandRow, DONE, find_online_player, refuse_if, required_first_word};
use crate::calendar::format_count;
use crate::world::icc::datagrams::{datagram_titles, number};
use crate::world::{ConnectionId, World};

#[rustfmt::skip] // one to a line: it is a table
pub(crate) const COMMANDS: &[CommandRow] = &[
    CommandRow::new("cshout", "text", "Sends a message about chess to all players.", |world, id, text| shout_to_all(world, id, text, ["cshout", "2", "c-shouts:", "c-shouted"])).registered_only(),
    CommandRow::new("it", "text", "Sends your name followed by a text to all players: \"it waves\".", |world, id, text| shout_to_all(world, id, text, ["shout", "1", "", "it-shouted"])).registered_only(),
    CommandRow::new("kibitz", "text", "Sends a message to the players and observers of a game.", |world, id, text| send_game_comment(world, id, text, ["kibitz", "kibitzes", "kibitzed"])),
    CommandRow::new("messages", "player text", "Sends a message to a registered player who is logged in. Messages are not stored.", run_messages).registered_only(),
    CommandRow::new("say", "text", "Sends a message to your opponent, or to your previous one.", run_say),
    CommandRow::new("shout", "text", "Sends a message to all players.", |world, id, text| shout_to_all(world, id, text, ["shout", "0", "shouts:", "shouted"])).registered_only(),
    CommandRow::new("tell", "player|channel|.|, text", "Sends a message to a player or to a channel. \".\" is the player and \",\" the channel of your last tell.", run_tell),
    CommandRow::new("whisper", "text", "Sends a message to the observers of a game.", |world, id, text| send_game_comment(world, id, text, ["whisper", "whispers", "whispered"])),
    CommandRow::new("xtell", "player text", "Sends a message to a player.", run_xtell),
];

fn run_tell(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    // Further blanks belong to the text.
    let (to, text) = parameters.split_once(' ').ok_or(CommandRefusal::Usage)?;
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

fn run_xtell(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let (to, text) = parameters.split_once(' ').ok_or(CommandRefusal::Usage)?;
    tell_player(world, id, to, text)
}

/// Sends a message to a registered player who is logged in, at once; nothing is stored. Echo and message have the text on a line
/// of its own.
///
/// Source: transcripts uhlinfics-talk-1-Boris, uhlinfics-talk-1-Carla.
fn run_messages(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let (to, text) = parameters.split_once(' ').ok_or(CommandRefusal::Usage)?;
    let whom = find_online_player(world, to)?;
    check_accepts_tells_from(world, id, whom)?;
    let (Some(me), Some(reader)) = (world.lobby.player(id), world.lobby.player(whom)) else { return DONE };
    let (name, is_guest) = (reader.name(), !reader.is_registered);
    refuse_if(is_guest, format!("Player \"{name}\" is unregistered and cannot receive messages.\n"))?;
    let echo = format!("\nThe following message was sent to {name}:\n   {text}\n");
    let shown = format!("{} just sent you a message:\n    {text}\n", me.name_with_titles());
    world.lobby.queue_text(id, &echo);
    world.lobby.notify(whom, &shown);
    DONE
}

/// Refuses tells of `from` to a player who censors `from`, and tells of a guest to a player who switched `tell` off. Accepts them
/// if one of both is not logged in.
fn check_accepts_tells_from(world: &World, from: ConnectionId, whom: ConnectionId) -> Result<(), CommandRefusal> {
    let (Some(speaker), Some(listener)) = (world.lobby.player(from), world.lobby.player(whom)) else { return Ok(()) };
    let name = listener.name();
    let is_deaf = !speaker.is_registered && !listener.has_flag("tell");
    refuse_if(world.lobby.censors(whom, from), format!("{name} is censoring you.\n"))?;
    refuse_if(is_deaf, format!("Player \"{name}\" isn't listening to unregistered users' tells.\n"))
}

fn tell_player(world: &mut World, id: ConnectionId, to: &str, text: &str) -> CommandResult {
    let whom = find_online_player(world, to)?;
    let receipt = tell_if_accepted(world, [id, whom], [" tells you", "1"], text)?;
    let told = world.lobby.player(whom).map(|hearer| hearer.handle.clone());
    if let Some(me) = world.lobby.player_mut(id) {
        me.last_told = told;
    }
    Ok(receipt)
}

/// Sends a text to one player: after the sender's name and `says`, or as a datagram of this kind if the client has switched that
/// on. Returns the receipt. Refused if the player does not accept tells from `id`.
fn tell_if_accepted(
    world: &mut World,
    [id, whom]: [ConnectionId; 2],
    [says, kind]: [&str; 2],
    text: &str,
) -> CommandResult {
    check_accepts_tells_from(world, id, whom)?;
    let Some(me) = world.lobby.player(id) else { return DONE };
    let line = format!("{}{says}: {text}\n", me.name_with_titles());
    let datagram = Datagram::new(number::PERSONAL_TELL, [me.name(), &datagram_titles(&me.titles), text, kind]);
    world.lobby.queue_talk(id, whom, &line, &datagram);
    Ok(world.format_tell_receipt(whom))
}

fn tell_channel(world: &mut World, id: ConnectionId, word: &str, text: &str) -> CommandResult {
    let number = parse_channel(word)?;
    let mut members = world.lobby.channel_members(number);
    refuse_if(!members.contains(&id), format!("(Not sent because you are not in channel {number}.)\n"))?;
    let Some(me) = world.lobby.player_mut(id) else { return DONE };
    me.last_channel = Some(word.to_owned());
    let line = format!("{}({number}): {text}\n", me.name_with_titles());
    let datagram = Datagram::new(number::CHANNEL_TELL, [word, me.name(), &datagram_titles(&me.titles), text, "1"]);
    let is_guest = !me.is_registered;
    members.retain(|&whom| {
        whom == id
            || !world.lobby.has_flag(whom, "chanoff")
                && !world.lobby.censors(whom, id)
                && (!is_guest || world.lobby.has_flag(whom, "ctell"))
    });
    for &whom in &members {
        world.lobby.queue_talk(id, whom, &line, &datagram);
    }
    // The speaker is counted here, unlike elsewhere.
    Ok(format!("(told {} in channel {number})\n", format_count(members.len(), "player")))
}

/// Sends a shout to all players with the flag set who do not censor the sender: after a verb, or as `--> Foo waves` without one;
/// as a datagram of this kind if a client has switched that on. The reply contains the shout, and after `done` the number of
/// receivers without the sender.
fn shout_to_all(world: &mut World, id: ConnectionId, text: &str, [flag, kind, verb, done]: [&str; 4]) -> CommandResult {
    required_first_word(text)?;
    let Some(me) = world.lobby.player(id) else { return DONE };
    let display = me.name_with_titles();
    let line = match verb {
        // An apostrophe or a comma follows the name without a blank. Source: text-messages §1.
        "" if text.starts_with(['\'', ',']) => format!("--> {display}{text}\n"),
        "" => format!("--> {display} {text}\n"),
        verb => format!("{display} {verb} {text}\n"),
    };
    let datagram = Datagram::new(number::SHOUT, [me.name(), &datagram_titles(&me.titles), kind, text]);
    let hearers = world.lobby.players_where(|whom, _| whom != id && world.lobby.accepts_talk_from(whom, id, flag));
    for &whom in hearers.iter().chain([&id]) {
        world.lobby.queue_talk(id, whom, &line, &datagram);
    }
    Ok(format!("({done} to {})\n", format_count(hearers.len(), "player")))
}

/// Sends a kibitz or whisper, depending on `verb`, to those of the sender's primary game who receive it. The reply contains the
/// line and the number of receivers. Refused to guests in other players' games.
fn send_game_comment(world: &mut World, id: ConnectionId, text: &str, [verb, says, said]: [&str; 3]) -> CommandResult {
    required_first_word(text)?;
    let number = world.lobby.primary_game(id).ok_or("You are not playing, examining, or observing a game.\n")?;
    let Some(me) = world.lobby.player(id) else { return DONE };
    if !me.is_registered && me.game != Some(number) {
        let text = format!("Only registered players may {verb} to others' games.\n");
        return Err(CommandRefusal::Coded(CommandCode::INSUFFICIENT_RIGHTS, text));
    }
    let kind = world.games.get(number).map_or("", |active_game| active_game.header().terms.kind());
    let line = format!("{}({:>4})[{number}] {says}: {text}\n", me.name_with_titles(), me.rating(kind).to_string());
    let (game, is_kibitz) = (number.to_string(), if verb == "kibitz" { "1" } else { "0" });
    let datagram = Datagram::new(number::KIBITZ, [&game, me.name(), &datagram_titles(&me.titles), is_kibitz, text]);
    let is_examined = world.games.get(number).is_some_and(|active_game| active_game.as_played().is_none());
    // Players hear no whisper, but examiners do.
    let near = if verb == "kibitz" || is_examined { world.players_or_examiners(number) } else { Vec::new() };
    let accepts = |whom: &_| *whom != id && world.lobby.accepts_talk_from(*whom, id, "kibitz");
    let hearers: Vec<_> = near.into_iter().chain(world.lobby.observers(number)).filter(accepts).collect();
    for &whom in [&id].into_iter().chain(&hearers) {
        world.lobby.queue_talk(id, whom, &line, &datagram);
    }
    Ok(format!("({said} to {})\n", format_count(hearers.len(), "player")))
}

fn run_say(world: &mut World, id: ConnectionId, text: &str) -> CommandResult {
    required_first_word(text)?;
    let playing = world.online_opponent_of(id).zip(world.lobby.own_game(id));
    let says = playing.map_or_else(|| " says".to_owned(), |(_, number)| format!("[{number}] says"));
    let last = world.lobby.player(id).and_then(|me| me.last_opponent.as_ref());
    let last = last.and_then(|last| world.lobby.connection_of_player(last.as_str()));
    let opponent = playing.map(|(opponent, _)| opponent).or(last);
    let opponent = opponent.ok_or("There is nobody to say anything to.\n")?;
    tell_if_accepted(world, [id, opponent], [&says, "0"], text)
}

impl World {
    /// Formats the receipt of a tell: `(told Foo, who is playing)`. Without a game, contains the text of the player's variable
    /// `busy` and the idle time in minutes. Empty if the receiver is not logged in.
    pub(crate) fn format_tell_receipt(&self, whom: ConnectionId) -> String {
        let Some(player) = self.lobby.player(whom) else { return String::new() };
        let busy = player.saved.variables.value("busy");
        let state = if self.game_played_by(whom).is_some() {
            ", who is playing".to_owned()
        } else if self.game_examined_by(whom).is_some() {
            ", who is examining a game".to_owned()
        } else if busy.is_empty() {
            String::new()
        } else {
            let idle = self.now().saturating_duration_since(player.last_command).as_secs() / 60;
            format!(", who {busy} (idle: {})", format_count(idle, "min"))
        };
        format!("(told {}{state})\n", player.name())
    }
}
