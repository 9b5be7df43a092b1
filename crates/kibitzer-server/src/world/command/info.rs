//! Commands about the server and its players.
//!
//! Source of the forms: transcripts fatics-login-guest-*, fatics-block-client, fatics-multi-observer.

use super::lists::n;
use super::{Command, DONE, Outcome, usage};
use crate::calendar::{count, span};
use crate::play::{Game, Sides};
use crate::world::{ConnectionId, Player, World};

#[rustfmt::skip] // one to a line: it is a table
pub(super) const COMMANDS: &[Command] = &[
    Command::query("date", "", "Shows the date and the time.", date),
    Command::query("finger", "[player]", "Shows who a player is.", finger),
    Command::query("help", "[command]", "Shows how a command is used, or which commands there are.", help),
    Command::query("ping", "[player]", "Shows how long a player's connection takes, if it is sealed.", ping),
    Command::anyone("quit", "", "Ends your session.", quit),
    Command::query("uptime", "", "Shows how long the server has been running.", uptime),
    Command::query("who", "[letters]", "Shows who is logged in: with \"U\" guests alone, with \"R\" registered players.", who),
];

fn date(world: &World, _: ConnectionId, _: &str) -> Outcome {
    let date = world.lobby.clock.date().long();
    Ok(format!("Local time     - {date}\nServer time    - {date}\n"))
}

fn uptime(world: &World, _: ConnectionId, _: &str) -> Outcome {
    let (since, up) = (world.lobby.clock.date_at(world.lobby.clock.started).long(), span(world.lobby.clock.uptime()));
    let version = env!("CARGO_PKG_VERSION");
    let text = format!(
        "kibitzer-server version : {version}\nServer location: this machine\nThe server has been up since {since}.\nUp for: {up}\n"
    );
    Ok(text)
}

/// Source of the refusal: transcripts uhlinfics-end-disconnect-*, uhlinfics-prompts-1-Carla.
fn quit(world: &mut World, id: ConnectionId, _: &str) -> Outcome {
    if world.game_of(id).is_some() {
        return Ok("You can't quit while you are playing a game.\n\
             Type 'resign' to resign the game, or you can request an abort with 'abort'.\n"
            .to_owned());
    }
    world.lobby.put(id, "Logging you out.\n");
    world.close(id);
    Ok("Thank you for using the embedded kibitzer server.\n".to_owned())
}

fn help(world: &World, _: ConnectionId, topic: &str) -> Outcome {
    let topic = topic.trim_end().to_ascii_lowercase();
    let text = if topic.is_empty() || topic == "commands" {
        let names: Vec<_> = world.directory.names().collect();
        format!("The commands of this server:\n\n{}\n", names.join(" "))
    } else {
        match world.directory.command(&topic) {
            Some(command) => format!("Command: {}\n{}\n{}\n", command.name, usage(command), command.summary),
            None => format!("There is no help available for \"{topic}\".\n"),
        }
    };
    Ok(text)
}

fn finger(world: &World, id: ConnectionId, parameters: &str) -> Outcome {
    let name = parameters.split_whitespace().next().unwrap_or_default();
    let whose = if name.is_empty() { Some(id) } else { world.lobby.find(name) };
    let text = match whose.and_then(|whose| finger_online(world, whose)) {
        Some(text) => text,
        None => finger_absent(world, name),
    };
    Ok(text)
}

fn finger_online(world: &World, whose: ConnectionId) -> Option<String> {
    let player = world.lobby.player(whose)?;
    let (on, idle) = (span(world.now() - player.since), span(world.now() - player.last_command));
    let who = if player.is_registered {
        ratings(player.name(), &player.ratings)
    } else {
        format!("{} is NOT a registered player.\n", player.name())
    };
    let timeseal = if world.lobby.is_sealed(whose) { "On" } else { "Off" };
    let notes: Vec<_> = player.saved.variables.notes().map(|(number, note)| format!("\n{number:>2}: {note}")).collect();
    let notes = if notes.is_empty() { String::new() } else { notes.concat() + "\n" };
    let (display, occupation) = (player.display(), occupation(world, whose));
    Some(format!(
        "Finger of {display}:\n\nOn for: {on}   Idle: {idle}\n{occupation}\n{who}Timeseal:    {timeseal}\n{notes}"
    ))
}

/// Returns a line about the game a player plays or examines; empty without one.
fn occupation(world: &World, whose: ConnectionId) -> String {
    let (Some(number), Some(player)) = (world.lobby.own_game(whose), world.lobby.player(whose)) else {
        return String::new();
    };
    match world.game_of(whose).map(Game::names) {
        Some(Sides { white, black }) => format!("(playing game {number}: {white} vs. {black})\n"),
        None => format!("({} is examining game {number})\n", player.name()),
    }
}

fn finger_absent(world: &World, name: &str) -> String {
    let accounts = &world.options.accounts;
    match accounts.get(name).or_else(|| accounts.starting_with(name)) {
        Some(account) => {
            let titles = account.titles_shown();
            let (name, ratings) = (&account.handle, ratings(account.handle.as_str(), &account.ratings));
            format!("Finger of {name}{titles}:\n\n{name} is not logged in.\n\n{ratings}")
        }
        None => format!("There is no player matching the name \"{name}\".\n"),
    }
}

/// Formats the table of ratings and an empty line. Ratings never change on this server, so their deviation is fixed.
fn ratings(name: &str, ratings: &std::collections::BTreeMap<String, u16>) -> String {
    if ratings.is_empty() {
        return format!("{name} has not played any rated games.\n\n");
    }
    let row = |(kind, rating): (&String, &u16)| format!("{kind:<24} {rating:<4}   50   0.060000       0 \n");
    let rows: Vec<_> = ratings.iter().map(row).collect();
    format!("speed & variant         rating  RD    Volat.    total  best\n{}\n", rows.concat())
}

fn ping(world: &World, id: ConnectionId, parameters: &str) -> Outcome {
    let whom = super::settings::player_or_self(world, id, parameters)?;
    let Some(name) = world.lobby.player(whom).map(|player| player.name().to_owned()) else { return DONE };
    let text = match world.lobby.connection(whom).and_then(|connection| connection.seal.as_ref()) {
        Some(seal) => {
            let (lag, n_samples) = seal.samples();
            let samples = count(n_samples, "sample");
            format!("Ping time for {name}, based on {samples}:\nAverage: {}ms\n", lag.as_millis())
        }
        None => format!("Ping time not available; {name} is not using timeseal.\n"),
    };
    Ok(text)
}

/// How many players stand on a line of `who`.
const WHO_COLUMNS: usize = 3;

fn who(world: &World, _: ConnectionId, letters: &str) -> Outcome {
    let wants = |player: &Player| match (letters.contains('U'), letters.contains('R')) {
        (true, false) => !player.is_registered,
        (false, true) => player.is_registered,
        _ => true,
    };
    let shown: Vec<_> = world.lobby.players().filter(|(_, player)| wants(player)).collect();
    let width = shown.iter().map(|(_, player)| player.display().len()).max().unwrap_or_default();
    let entries: Vec<_> = shown.iter().map(|&(whom, player)| who_entry(world, whom, player)).collect();
    let rows: Vec<_> = entries.chunks(WHO_COLUMNS).map(|row| who_row(row, width)).collect();
    let n_players = count(n(entries.len()), "player");
    Ok(format!("{}\n{n_players} displayed.\n\n", rows.concat()))
}

/// Formats a row of entries; only the last column of a full row has no trailing blanks.
fn who_row(row: &[(String, String)], width: usize) -> String {
    let cells = row.iter().enumerate().map(|(column, (head, name))| {
        if column + 1 == WHO_COLUMNS { format!("{head}{name}") } else { format!("{head}{name:<width$}  ") }
    });
    cells.collect::<Vec<_>>().concat() + "\n"
}

/// Rating and state, and the name.
fn who_entry(world: &World, whom: ConnectionId, player: &Player) -> (String, String) {
    let rating = player.ratings.get("blitz").copied().unwrap_or_default();
    (format!("{rating:>4}  {}", state_sign(world, whom)), player.display())
}

/// The sign before a player's name in `who`: giver of a simul, player, examiner, or none of these.
fn state_sign(world: &World, id: ConnectionId) -> char {
    if !world.lobby.simul(id).is_empty() {
        '~'
    } else if world.game_of(id).is_some() {
        '^'
    } else if world.examined_by(id).is_some() {
        '#'
    } else {
        ' '
    }
}
