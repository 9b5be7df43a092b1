//! What is said around a game.
//!
//! Source of the forms: transcripts fatics-talk-mixed-*, fatics-examine-*, fatics-bughouse-*.

use kibitzer_core::message::{CommandCode, GameId};

use super::lists::n;
use super::{Command, Verdict};
use crate::calendar::count;
use crate::world::{ConnectionId, Flag, Talk, World};

#[rustfmt::skip] // one to a line: it is a table
pub(super) const COMMANDS: &[Command] = &[
    Command::anyone("kibitz", "text", "Says something to the players and followers of a game.", kibitz),
    Command::anyone("say", "text", "Says something to your opponent, or to your last one.", say),
    Command::anyone("whisper", "text", "Says something to the followers of a game.", whisper),
];

fn kibitz(world: &mut World, id: ConnectionId, text: &str) -> Verdict {
    remark(world, id, text, ("kibitz", "kibitzes", "kibitzed"))
}

fn whisper(world: &mut World, id: ConnectionId, text: &str) -> Verdict {
    remark(world, id, text, ("whisper", "whispers", "whispered"))
}

fn remark(world: &mut World, id: ConnectionId, text: &str, (verb, says, said): (&str, &str, &str)) -> Verdict {
    if text.is_empty() {
        return Verdict::Usage;
    }
    let Some(number) = world.lobby.primary_game(id) else {
        world.lobby.put(id, "You are not playing, examining, or observing a game.\n");
        return Verdict::Done;
    };
    let Some(me) = world.lobby.player(id) else { return Verdict::Done };
    if !me.is_registered && me.game != Some(number) {
        world.lobby.put(id, &format!("Only registered players may {verb} to others' games.\n"));
        return Verdict::Refused(CommandCode::INSUFFICIENT_RIGHTS);
    }
    let kind = world.tables.get(number).map_or("", |table| table.terms().kind().as_str());
    let line = format!("{}({:>4})[{number}] {says}: {text}\n", me.display(), me.rating(kind).to_string());
    let utterance = Talk::at_table(me, number, verb == "kibitz", text, line);
    let hearers = hearers(world, id, number, verb);
    world.broadcast(id, &utterance, [id].into_iter().chain(hearers.iter().copied()));
    let players = count(n(hearers.len()), "player");
    world.lobby.put(id, &format!("({said} to {players})\n"));
    Verdict::Done
}

/// Followers, examiners among them, and to a kibitz the players.
fn hearers(world: &World, id: ConnectionId, number: GameId, verb: &str) -> Vec<ConnectionId> {
    let is_examined = world.tables.get(number).is_some_and(|table| !table.examiners().is_empty());
    let near = if verb == "kibitz" || is_examined { world.participants(number) } else { Vec::new() };
    let all = near.into_iter().chain(world.tables.observers(number));
    all.filter(|&whom| whom != id && world.lobby.hears(whom, id, Flag::Kibitz, true)).collect()
}

fn say(world: &mut World, id: ConnectionId, text: &str) -> Verdict {
    if text.is_empty() {
        return Verdict::Usage;
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
    let Some(opponent) = opponent else {
        world.lobby.put(id, "There is nobody to say anything to.\n");
        return Verdict::Done;
    };
    if let Some(why) = world.deafness(id, opponent) {
        world.lobby.put(id, &why);
        return Verdict::Done;
    }
    let Some(me) = world.lobby.player(id) else { return Verdict::Done };
    let said = Talk::to_player(me, 0, text, format!("{}{place} says: {text}\n", me.display()));
    world.lobby.put_talk(id, opponent, &said);
    let receipt = world.receipt(opponent);
    world.lobby.put(id, &receipt);
    Verdict::Done
}
