//! Commands of observers and examiners.
//!
//! Source of the forms: transcripts fatics-multi-observer, fatics-game-offers-observer, fatics-examine-*; text-messages §7 for
//! `revert`.

use std::sync::Arc;

use kibitzer_core::message::GameId;

use super::{CommandRefusal, CommandResult, CommandRow, DONE, IN_SETUP, number_or_one, refuse_if, required_first_word};
use crate::calendar::format_count;
use crate::play::{Ending, ExaminedGame, Game, GameHeader, Sides};
use crate::world::icc::datagrams::number;
use crate::world::{ActiveGame, BoardReason, ConnectionId, Ivar, MAX_OBSERVED, Player, World};

#[rustfmt::skip] // one to a line: it is a table
pub(crate) const COMMANDS: &[CommandRow] = &[
    CommandRow::new("allobservers", "[game|player]", "Lists the observers of a game, or of all games.", run_allobservers),
    CommandRow::new("backward", "[half-moves]", "Goes back in the game you examine.", |world, id, plies| step_examined_game(world, id, plies, &BACKWARD)),
    CommandRow::new("examine", "[player [number]]", "Examines a game of a player's history, the last one without a number; without a player an empty board.", run_examine),
    CommandRow::new("forward", "[half-moves]", "Goes forward in the game you examine.", |world, id, plies| step_examined_game(world, id, plies, &FORWARD)),
    CommandRow::new("mexamine", "player", "Makes an observer of your game an examiner of it.", run_mexamine),
    CommandRow::new("observe", "game|player ...", "Observes games: sends you their boards.", run_observe),
    CommandRow::new("revert", "", "Returns to the position at which the variation left the main line.", run_revert),
    CommandRow::new("unexamine", "", "Stops examining.", run_unexamine),
    CommandRow::new("unobserve", "[game ...]", "Stops observing games; without a number, all of them.", run_unobserve),
];

fn run_observe(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    required_first_word(parameters)?;
    for word in parameters.split_whitespace() {
        let number = world.find_game(word);
        if let Err(refusal) = number.and_then(|number| world.start_observing(id, number)) {
            world.lobby.queue_text(id, &refusal.into_text());
        }
    }
    DONE
}

impl World {
    /// Starts observing a game, and queues its terms and board. With the ivar `singleboard`, stops observing all other games
    /// first.
    ///
    /// # Errors
    ///
    /// A refusal: the game is observed already or the player's own, or the player observes [`MAX_OBSERVED`] games.
    fn start_observing(&mut self, id: ConnectionId, number: GameId) -> Result<(), CommandRefusal> {
        let Some(player) = self.lobby.player(id) else { return Ok(()) };
        let (is_repeated, has_too_many) = (player.observing.contains(&number), player.observing.len() >= MAX_OBSERVED);
        refuse_if(is_repeated, format!("You are already observing game {number}.\n"))?;
        refuse_if(player.game == Some(number), "You are already at that game.\n")?;
        refuse_if(has_too_many, format!("You are already observing {MAX_OBSERVED} games.\n"))?;
        // With `singleboard`, a newly observed game replaces all others.
        if player.ivars.is_set(Ivar::SingleBoard) {
            self.stop_observing(id, None);
        }
        if let Some(player) = self.lobby.player_mut(id) {
            player.observing.push(number);
        }
        let title = self.games.title_with_newline(number);
        let info = self.gameinfo_with_newline_if_on(number, id).unwrap_or_default();
        self.lobby.queue_unwrapped(id, &format!("You are now observing game {number}.\n{title}{info}"));
        self.queue_start_datagram_if_on(number, id, number::STARTED_OBSERVING);
        self.queue_relation_datagram_if_on(number, id, "O");
        self.queue_board(number, id, BoardReason::Other);
        Ok(())
    }

    /// Stops observing one game, or all without `only`. Reports each game to the player, and returns those games; empty if none
    /// was observed.
    fn stop_observing(&mut self, id: ConnectionId, only: Option<GameId>) -> Vec<GameId> {
        let Some(player) = self.lobby.player_mut(id) else { return Vec::new() };
        let (left, kept) = player.observing.iter().partition(|&&number| only.is_none_or(|only| only == number));
        player.observing = kept;
        let left: Vec<GameId> = left;
        for &number in &left {
            self.lobby.queue_text(id, &format!("Removing game {number} from observation list.\n"));
            self.queue_relation_datagram_if_on(number, id, "X");
        }
        left
    }
}

fn run_unobserve(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    if parameters.is_empty() {
        refuse_if(world.stop_observing(id, None).is_empty(), "You are not observing any games.\n")?;
    }
    for word in parameters.split_whitespace() {
        match world.find_game(word) {
            Ok(number) if world.stop_observing(id, Some(number)).is_empty() => {
                world.lobby.queue_text(id, &format!("You are not observing game {number}.\n"));
            }
            Ok(_) => {}
            Err(refusal) => world.lobby.queue_text(id, &refusal.into_text()),
        }
    }
    DONE
}

fn run_allobservers(world: &mut World, _: ConnectionId, parameters: &str) -> CommandResult {
    let only = parameters.split_whitespace().next().map(|word| world.find_game(word)).transpose()?;
    let active_games = world.games.in_progress.iter().filter(|(number, _)| only.is_none_or(|only| only == **number));
    let lines: Vec<_> =
        active_games.filter_map(|(&number, active_game)| format_observers_line(world, number, active_game)).collect();
    match only {
        Some(number) if lines.is_empty() => Err(format!("No one is observing game {number}.\n").into()),
        None if lines.is_empty() => DONE,
        _ => {
            let (games, n_all) = (format_count(lines.len(), "game"), world.games.in_progress.len());
            Ok(format!("{}\n  {games} displayed (of {n_all} in progress).\n", lines.join("\n")))
        }
    }
}

/// Formats the observers of a game, after its examiners: `Observing 1 [Alekhine vs. Bogoljubov]: Gruenfeld GuestPEFF(U) (2
/// users)`, without a newline. `None` for a game without either.
fn format_observers_line(world: &World, number: GameId, active_game: &ActiveGame) -> Option<String> {
    let name = |id: ConnectionId| world.lobby.player(id).map(Player::name_with_titles);
    let examiners = if active_game.as_played().is_some() { Vec::new() } else { world.players_or_examiners(number) };
    let mut names: Vec<_> = examiners.into_iter().filter_map(name).map(|name| format!("#{name}")).collect();
    names.extend(world.lobby.observers(number).into_iter().filter_map(name));
    let Sides { white, black } = active_game.header().names();
    let head = match active_game {
        ActiveGame::Played(_) => format!("Observing {number} [{white} vs. {black}]"),
        ActiveGame::Examined(game) if game.is_scratch => format!("Examining {number} (scratch)"),
        ActiveGame::Examined(_) => format!("Examining {number} [{white} vs. {black}]"),
    };
    let users = format_count(names.len(), "user");
    (!names.is_empty()).then(|| format!("{head}: {} ({users})", names.join(" ")))
}

fn run_examine(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    refuse_if(world.game_played_by(id).is_some(), "You are playing a game.\n")?;
    refuse_if(world.lobby.own_game(id).is_some(), "You are already examining a game.\n")?;
    let mut words = parameters.split_whitespace();
    let number = world.games.lowest_free_number();
    let game = match (words.next(), words.next()) {
        (None, _) => {
            let Some(seat) = world.lobby.seated_player(id, "untimed") else { return DONE };
            ExaminedGame::new_scratch(number, seat, world.lobby.clock.system_time())
        }
        (Some(name), index) => {
            ExaminedGame::at_start_of_finished_game(number, &*find_finished_game(world, name, index)?)
        }
    };
    let mode = if game.is_scratch { "examine (scratch)" } else { "examine" };
    world.start_examining(id, game);
    world.lobby.queue_text(id, &format!("Starting a game in {mode} mode.\n"));
    world.queue_board(number, id, BoardReason::Other);
    DONE
}

/// Returns a finished game of a player's history: the one with this index, or the last one without an index. The error is the
/// text of the refusal.
fn find_finished_game(world: &World, name: &str, index: Option<&str>) -> Result<Arc<Game>, CommandRefusal> {
    let name = super::game::canonical_player_name(world, name)?;
    let games = world.games.history_of(&name);
    let found = match index {
        None => games.last(),
        Some(index) => games.iter().find(|finished| index.parse() == Ok(finished.index)),
    };
    let game = found.map(|finished| Arc::clone(&finished.game));
    Ok(game.ok_or_else(|| format!("There is no history game {} for {name}.\n", index.unwrap_or("0")))?)
}

fn run_unexamine(world: &mut World, id: ConnectionId, _: &str) -> CommandResult {
    let number = examined_game_or_refusal(world, id)?;
    world.lobby.queue_text(id, &format!("You are no longer examining game {number}.\n"));
    world.stop_examining(number, id);
    DONE
}

/// Returns the game that a player examines. The error is the text of the refusal.
pub(super) fn examined_game_or_refusal(world: &World, id: ConnectionId) -> Result<GameId, CommandRefusal> {
    Ok(world.game_examined_by(id).ok_or("You are not examining a game.\n")?)
}

/// A way to step through an examined game, with the words that report it.
struct ExaminerStep {
    step: fn(&mut ExaminedGame, usize) -> usize,
    verb: &'static str,
    /// Where no further step is possible.
    edge: &'static str,
}

const FORWARD: ExaminerStep = ExaminerStep { step: ExaminedGame::step_forward, verb: "goes forward", edge: "end" };

const BACKWARD: ExaminerStep = ExaminerStep { step: ExaminedGame::step_backward, verb: "backs up", edge: "beginning" };

/// Steps through the game that the player examines, forward or backward by the number of plies in the parameters, 1 by default,
/// and reports that to the audience. Refused at the end or the beginning of the game.
fn step_examined_game(world: &mut World, id: ConnectionId, parameters: &str, step: &ExaminerStep) -> CommandResult {
    let number = examined_game_or_refusal(world, id)?;
    let plies = number_or_one(parameters)?;
    let Some(game) = world.games.examined_mut(number) else { return DONE };
    refuse_if(game.is_in_setup(), IN_SETUP)?;
    let ExaminerStep { step, verb, edge } = step;
    let n_moved = step(game, plies);
    refuse_if(n_moved == 0, format!("You're at the {edge} of the game.\n"))?;
    let text = format!("Game {number}: {} {verb} {}.\n", world.lobby.player_name(id), format_count(n_moved, "move"));
    report_step(world, id, number, &text);
    DONE
}

/// Reports an examiner's step to the audience. The examiner receives a prompt in between, as recorded.
fn report_step(world: &mut World, id: ConnectionId, number: GameId, text: &str) {
    let Some(ActiveGame::Examined(game)) = world.games.get(number) else { return };
    let ending = game.ending_if_shown().map(|ending| format_examined_ending(&game.header, ending)).unwrap_or_default();
    for other in world.audience(number) {
        world.lobby.notify_on_prompt_line(other, text);
        if other == id {
            world.queue_board(number, id, BoardReason::Other);
            world.lobby.queue_text(id, &ending);
        } else {
            world.notify_board(number, other, BoardReason::Other);
            if !ending.is_empty() {
                world.lobby.notify_on_prompt_line(other, &ending);
            }
        }
    }
}

/// Formats the ending of an examined game, `Game 3: Foo resigns 0-1`, and a newline.
pub(crate) fn format_examined_ending(game: &GameHeader, ending: Ending) -> String {
    format!("Game {}: {} {}\n", game.id, ending.format_text(game.names()), ending.result())
}

fn run_revert(world: &mut World, id: ConnectionId, _: &str) -> CommandResult {
    let number = examined_game_or_refusal(world, id)?;
    let Some(game) = world.games.examined_mut(number) else { return DONE };
    refuse_if(game.is_in_setup(), IN_SETUP)?;
    refuse_if(!game.revert_to_main_line(), "You are already in the main line.\n")?;
    let to = game.shown_position().move_number;
    let text = format!("Game {number}: {} reverts to main line move {to}.\n", world.lobby.player_name(id));
    report_step(world, id, number, &text);
    DONE
}

fn run_mexamine(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let number = examined_game_or_refusal(world, id)?;
    let name = required_first_word(parameters)?;
    let is_free_observer =
        |whom: &_| world.lobby.observers(number).contains(whom) && world.lobby.own_game(*whom).is_none();
    let whom = world.lobby.find_player_by_prefix(name).filter(is_free_observer);
    let whom = whom.ok_or_else(|| format!("{name} must be observing the game you are examining.\n"))?;
    if let Some(player) = world.lobby.player_mut(whom) {
        player.observing.retain(|&observed| observed != number);
        player.game = Some(number);
    }
    let (me, other) = (world.lobby.player_name(id), world.lobby.player_name(whom));
    world.lobby.notify(whom, &format!("{me} has made you an examiner of game {number}.\n"));
    world.notify_board(number, whom, BoardReason::Other);
    Ok(format!("{other} is now an examiner of game {number}.\n"))
}
