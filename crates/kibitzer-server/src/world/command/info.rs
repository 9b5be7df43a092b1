//! Commands about the server and its players.
//!
//! Source of the forms: transcripts fatics-login-guest-*, fatics-block-client, fatics-multi-observer.

use std::collections::BTreeMap;

use kibitzer_core::message::listing::WhoStatus;

use super::game::no_player_text;
use super::{CommandResult, CommandRow, format_usage_line, refuse_if};
use crate::calendar::{format_count, format_date_with_weekday, format_duration};
use crate::play::Sides;
use crate::rating::PlayerRating;
use crate::world::{ConnectionId, Player, World};

#[rustfmt::skip] // one to a line: it is a table
pub(crate) const COMMANDS: &[CommandRow] = &[
    CommandRow::new("date", "", "Shows the date and the time.", run_date),
    CommandRow::new("finger", "[player]", "Shows the profile and the ratings of a player.", run_finger),
    CommandRow::new("help", "[command]", "Shows the usage of a command, or lists all commands.", run_help),
    CommandRow::new("ping", "[player]", "Shows the round-trip time of a player who uses timeseal.", run_ping),
    CommandRow::new("quit", "", "Ends your session.", run_quit),
    CommandRow::new("uptime", "", "Shows how long the server has been running.", run_uptime),
    CommandRow::new("who", "[letters]", "Lists the players who are logged in; with \"U\" only guests, with \"R\" only registered players, with \"I\" all ratings of each.", run_who),
];

fn run_date(world: &mut World, _: ConnectionId, _: &str) -> CommandResult {
    let date = format_date_with_weekday(world.lobby.clock.system_time());
    Ok(format!("Local time     - {date}\nServer time    - {date}\n"))
}

fn run_uptime(world: &mut World, _: ConnectionId, _: &str) -> CommandResult {
    let clock = &world.lobby.clock;
    let since = format_date_with_weekday(clock.started_date);
    let up = format_duration(clock.uptime());
    let version = env!("CARGO_PKG_VERSION");
    Ok(format!(
        "kibitzer-server version : {version}\nServer location: this machine\nThe server has been up since {since}.\nUp for: {up}\n"
    ))
}

/// Executes `quit`: logs the player out and closes the connection. Refused while the player plays a game.
///
/// Source of the refusal: transcripts uhlinfics-end-disconnect-*, uhlinfics-prompts-1-Carla.
fn run_quit(world: &mut World, id: ConnectionId, _: &str) -> CommandResult {
    let refusal = "You can't quit while you are playing a game.\n\
                   Type 'resign' to resign the game, or you can request an abort with 'abort'.\n";
    refuse_if(world.game_played_by(id).is_some(), refusal)?;
    world.lobby.queue_text(id, "Logging you out.\n");
    world.end_session(id);
    Ok("Thank you for using the embedded kibitzer server.\n".to_owned())
}

fn run_help(world: &mut World, _: ConnectionId, topic: &str) -> CommandResult {
    let topic = topic.trim_end().to_ascii_lowercase();
    if topic.is_empty() || topic == "commands" {
        let names: Vec<_> = world.directory.0.keys().copied().collect();
        return Ok(format!("The commands of this server:\n\n{}\n", names.join(" ")));
    }
    let unknown = || format!("There is no help available for \"{topic}\".\n");
    let (_, command) = world.directory.find_by_prefix(&topic).map_err(|_| unknown())?;
    Ok(format!("Command: {}\n{}\n\n{}\n", command.name, format_usage_line(command), command.summary))
}

fn run_finger(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let name = parameters.split_whitespace().next().unwrap_or_default();
    let whom = if name.is_empty() { Some(id) } else { world.lobby.find_player_by_prefix(name) };
    if let Some(text) = whom.and_then(|whom| format_finger_online(world, whom)) {
        return Ok(text);
    }
    let account = world.options.accounts.find_by_prefix(name).ok_or_else(|| no_player_text(name))?;
    let (name, titles) = (&account.handle, account.titles());
    let ratings = format_ratings_table(name.as_str(), &account.ratings);
    Ok(format!("Finger of {name}{titles}:\n\n{name} is not logged in.\n\n{ratings}"))
}

/// Formats the reply to `finger` about a player who is logged in; `None` if the connection has no player.
fn format_finger_online(world: &World, whom: ConnectionId) -> Option<String> {
    let player = world.lobby.player(whom)?;
    let (on, idle) = (format_duration(world.now() - player.since), format_duration(world.now() - player.last_command));
    let who = if player.is_registered {
        format_ratings_table(player.name(), &player.ratings)
    } else {
        format!("{} is NOT a registered player.\n", player.name())
    };
    let timeseal = if world.lobby.uses_timeseal(whom) { "On" } else { "Off" };
    let notes: Vec<_> = player.saved.variables.notes().map(|(number, note)| format!("\n{number:>2}: {note}")).collect();
    let end = if notes.is_empty() { "" } else { "\n" };
    let (display, activity) = (player.name_with_titles(), format_activity_with_newline(world, whom));
    Some(format!(
        "Finger of {display}:\n\nOn for: {on}   Idle: {idle}\n{activity}\n{who}Timeseal:    {timeseal}\n{}{end}",
        notes.concat()
    ))
}

/// Formats a line about the game that a player plays or examines, with a newline; empty without one.
fn format_activity_with_newline(world: &World, whom: ConnectionId) -> String {
    let (Some(number), Some(player)) = (world.lobby.own_game(whom), world.lobby.player(whom)) else {
        return String::new();
    };
    match world.game_played_by(whom).map(|game| game.header.names()) {
        Some(Sides { white, black }) => format!("(playing game {number}: {white} vs. {black})\n"),
        None => format!("({} is examining game {number})\n", player.name()),
    }
}

/// Formats the table of ratings, or a sentence if there are none, and an empty line. Only games on this server are counted.
fn format_ratings_table(name: &str, ratings: &BTreeMap<String, PlayerRating>) -> String {
    if ratings.is_empty() {
        return format!("{name} has not played any rated games.\n\n");
    }
    let row = |(kind, rating): (&String, &PlayerRating)| {
        let deviation = (rating.deviation_tenths + 5) / 10;
        format!("{kind:<24} {:<4}  {deviation:>3}   0.060000 {:>7} \n", rating.value, rating.n_games)
    };
    let rows: String = ratings.iter().map(row).collect();
    format!("speed & variant         rating  RD    Volat.    total  best\n{rows}\n")
}

fn run_ping(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let whom = super::settings::requested_player_or_self(world, id, parameters)?;
    let name = world.lobby.player_name(whom);
    let unsealed = || format!("Ping time not available; {name} is not using timeseal.\n");
    let seal = world.lobby.connection(whom).and_then(|connection| connection.seal.as_ref()).ok_or_else(unsealed)?;
    let samples = format_count(seal.n_answers, "sample");
    Ok(format!("Ping time for {name}, based on {samples}:\nAverage: {}ms\n", seal.lag.as_millis()))
}

/// Number of players on a line of `who`.
const WHO_COLUMNS: usize = 3;

fn run_who(world: &mut World, _: ConnectionId, letters: &str) -> CommandResult {
    let is_shown = |player: &Player| match (letters.contains('U'), letters.contains('R')) {
        (true, false) => !player.is_registered,
        (false, true) => player.is_registered,
        _ => true,
    };
    let shown = world.lobby.players().filter(|(_, player)| is_shown(player));
    if letters.contains('I') {
        let row = |(whom, player): (ConnectionId, &Player)| {
            player.arrival_line(who_status(world, whom)).replacen("<wa> ", "", 1)
        };
        let rows: Vec<_> = shown.map(row).collect();
        return Ok(format!("{}\n\n{} displayed.\n\n", rows.join("\n"), format_count(rows.len(), "player")));
    }
    let entry = |(whom, player): (ConnectionId, &Player)| {
        let rating = player.ratings.get("blitz").map_or(0, |rating| rating.value);
        (format!("{rating:>4}  {}", who_status(world, whom).sign()), player.name_with_titles())
    };
    let entries: Vec<_> = shown.map(entry).collect();
    let width = entries.iter().map(|(_, name)| name.len()).max().unwrap_or_default();
    // The last of a row's cells is not padded.
    let cell = |(column, (head, name)): (usize, &(String, String))| match column + 1 {
        WHO_COLUMNS => format!("{head}{name}"),
        _ => format!("{head}{name:<width$}  "),
    };
    let row = |row: &[_]| row.iter().enumerate().map(cell).chain(["\n".to_owned()]).collect::<String>();
    let rows: String = entries.chunks(WHO_COLUMNS).map(row).collect();
    Ok(format!("{rows}\n{} displayed.\n\n", format_count(entries.len(), "player")))
}

/// Returns a player's activity, which `who` shows as a sign.
fn who_status(world: &World, id: ConnectionId) -> WhoStatus {
    if !world.lobby.simul_games(id).is_empty() {
        WhoStatus::Simul
    } else if world.game_played_by(id).is_some() {
        WhoStatus::Playing
    } else if world.game_examined_by(id).is_some() {
        WhoStatus::Examining
    } else {
        WhoStatus::Free
    }
}
