//! Commands in and about games, also finished and adjourned ones, except moves and offers.
//!
//! Source of the forms: transcripts fatics-game-endings-*, fatics-block-client, fatics-multi-observer.

use std::time::Duration;

use kibitzer_core::chess::Color;
use kibitzer_core::message::{GameEndReason, GameId};

use super::{Command, CommandResult, DONE, Refusal, refuse_if, required_first_word};
use crate::calendar::format_count;
use crate::play::{
    Ending, Game, HISTORY_HEAD, STORED_HEAD, Sides, adjourned_row, examined_row, format_move_list, games_row,
    history_row,
};
use crate::world::{ActiveGame, BoardReason, ConnectionId, World};

#[rustfmt::skip] // one to a line: it is a table
pub(crate) const COMMANDS: &[Command] = &[
    Command::new("flag", "", "Ends the game if your opponent is out of time.", run_flag),
    Command::new("games", "[player]", "Lists the games that are played and examined.", run_games),
    Command::new("history", "[player]", "Lists the most recent games of a player.", run_history),
    Command::new("moretime", "seconds", "Gives your opponent more time.", run_moretime),
    Command::new("moves", "[game|player]", "Shows the moves of a game.", run_moves),
    Command::new("refresh", "[game|player]", "Shows the board of a game.", run_refresh),
    Command::new("resign", "", "Resigns your game.", run_resign),
    Command::new("stored", "[player]", "Lists the adjourned games of a player.", run_stored),
    Command::new("time", "[game|player]", "Shows the clocks of a game.", run_time),
];

fn run_resign(world: &mut World, id: ConnectionId, _: &str) -> CommandResult {
    let (game, color) = world.own_played_game(id)?;
    let ending = game.ending_by_early_abort(color).unwrap_or(Ending::of_side(GameEndReason::Resign, color));
    world.end_game(game.header.id, ending);
    DONE
}

fn run_flag(world: &mut World, id: ConnectionId, _: &str) -> CommandResult {
    let (game, color) = world.own_played_game(id)?;
    refuse_if(game.header.terms.is_untimed(), "The clock is not ticking.\n")?;
    let ending = game.ending_by_flag_claim(color, world.now()).ok_or("Your opponent is not out of time.\n")?;
    world.end_game(game.header.id, ending);
    DONE
}

fn run_moretime(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let (game, color) = world.own_played_game(id)?;
    let number = game.header.id;
    let seconds = parameters.trim_end().parse::<u64>().map_err(|_| Refusal::Usage)?;
    refuse_if(!(1..=6_000).contains(&seconds), "Invalid number of seconds.\n")?;
    let (name, opponent) = (world.lobby.player_name(id), world.online_opponent_of(id));
    let other = opponent.map(|opponent| world.lobby.player_name(opponent)).unwrap_or_default();
    if let Some(game) = world.games.played_mut(number) {
        game.clocks.add_time(color.opponent(), Duration::from_secs(seconds));
    }
    for whom in world.audience(number) {
        if whom == id {
            world.lobby.queue_text(id, &format!("You have added {seconds} seconds to {other}'s clock.\n"));
        } else {
            let whose = if Some(whom) == opponent { "your".to_owned() } else { format!("{other}'s") };
            world.lobby.notify_on_prompt_line(whom, &format!("{name} has added {seconds} seconds to {whose} clock.\n"));
        }
    }
    world.show_board_to_audience(number, Some(id), BoardReason::ClockChange);
    world.reschedule_flag_check(number);
    DONE
}

/// Returns the game that a command names, by number or by player, otherwise the player's primary game. The error is the text of
/// the refusal.
fn requested_game(world: &World, id: ConnectionId, parameters: &str) -> Result<GameId, Refusal> {
    if let Ok(word) = required_first_word(parameters) {
        return world.find_game(word);
    }
    Ok(world.lobby.primary_game(id).ok_or("You are not playing, examining, or observing a game.\n")?)
}

fn run_refresh(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let number = requested_game(world, id, parameters)?;
    let title = world.games.title_with_newline(number);
    world.lobby.queue_unwrapped(id, &title);
    world.queue_board(number, id, BoardReason::Other);
    DONE
}

fn run_time(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let number = requested_game(world, id, parameters)?;
    let clocks = world.games.played(number).map(|game| game.clocks.readings(world.now()));
    let Sides { white, black } = clocks.unwrap_or_default();
    let unit = world.lobby.clock_unit(id);
    let show = |ms: i64| format!("{}{}", if ms < 0 { "-" } else { "" }, unit.format_elapsed(ms.unsigned_abs()));
    let text = format!(
        "{}White Clock : {}\nBlack Clock : {}\n",
        world.games.title_with_newline(number),
        show(white),
        show(black)
    );
    world.lobby.queue_unwrapped(id, &text);
    DONE
}

fn run_moves(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let number = requested_game(world, id, parameters)?;
    let Some(active_game) = world.games.get(number) else { return DONE };
    let record = match active_game {
        ActiveGame::Played(game) => &game.record,
        ActiveGame::Examined(game) => &game.line,
    };
    Ok(format!("\n{}\n\n", format_move_list(active_game.header(), None, record, world.lobby.clock_unit(id))))
}

fn run_games(world: &mut World, _: ConnectionId, parameters: &str) -> CommandResult {
    let name = parameters.split_whitespace().next();
    let is_wanted = |active_game: &&ActiveGame| name.is_none_or(|name| active_game.header().color_of(name).is_some());
    let row = |active_game: &ActiveGame| match active_game {
        ActiveGame::Played(game) => games_row(game, world.now()),
        ActiveGame::Examined(game) => examined_row(game),
    };
    let rows: Vec<_> = world.games.in_progress.values().filter(is_wanted).map(row).collect();
    refuse_if(rows.is_empty(), "There are no games in progress.\n")?;
    let n_games = format_count(rows.len(), "game");
    Ok(format!("{}\n\n  {n_games} displayed (of {:>3} in progress).\n", rows.join("\n"), world.games.in_progress.len()))
}

/// Formats the refusal of a name that no player has, with a newline.
pub(crate) fn no_player_text(name: &str) -> String {
    format!("There is no player matching the name \"{name}\".\n")
}

/// Returns the name of a player in that player's own spelling: of one who is logged in, also by a prefix, or of an account. The
/// error is the text of the refusal.
pub(crate) fn canonical_player_name(world: &World, name: &str) -> Result<String, Refusal> {
    let online = world.lobby.find_player_by_prefix(name).map(|id| world.lobby.player_name(id));
    let account = || world.options.accounts.get(name).map(|account| account.handle.to_string());
    Ok(online.or_else(account).ok_or_else(|| no_player_text(name))?)
}

/// Returns the name of the player named in the parameters, or that of `id` without a name. The error is the text of the refusal.
fn requested_or_own_name(world: &World, id: ConnectionId, parameters: &str) -> Result<String, Refusal> {
    match parameters.split_whitespace().next() {
        Some(name) => canonical_player_name(world, name),
        None => Ok(world.lobby.player_name(id)),
    }
}

fn run_history(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let name = requested_or_own_name(world, id, parameters)?;
    let games = world.games.history_of(&name);
    refuse_if(games.is_empty(), format!("{name} has no history games.\n"))?;
    let rows = games.iter().filter_map(|finished| {
        let color = finished.game.header.color_of(&name)?;
        Some(format!("{}\n", history_row(finished.index, &finished.game, color)))
    });
    Ok(format!("History for {name}:\n{HISTORY_HEAD}\n{}", rows.collect::<String>()))
}

fn run_stored(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let name = requested_or_own_name(world, id, parameters)?;
    let own = world.games.adjourned.iter().filter_map(|game| Some((game, game.header.color_of(&name)?)));
    let row = |(index, (game, color)): (usize, (&Game, Color))| {
        let opponent = game.header.seats.of(color.opponent()).name.as_str();
        let is_online = world.lobby.connection_of_player(opponent).is_some();
        format!("{}\n", adjourned_row(index + 1, game, color, is_online))
    };
    let rows: String = own.enumerate().map(row).collect();
    refuse_if(rows.is_empty(), format!("{name} has no adjourned games.\n"))?;
    Ok(format!("Stored games for {name}:\n{STORED_HEAD}\n{rows}"))
}
