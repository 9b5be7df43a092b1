//! Commands in and about games, also finished and adjourned ones, and moves, which are commands without a name.
//!
//! Source of the forms: transcripts fatics-game-*, fatics-block-client, fatics-multi-observer, fatics-examine-*,
//! fatics-crazyhouse-*, fatics-bughouse-*.

use std::time::Duration;

use kibitzer_core::chess::{Color, LastMove, Role};
use kibitzer_core::message::{CommandCode, GameEndReason, GameId};

use super::{
    CommandRefusal, CommandResult, CommandRow, DONE, IN_SETUP, find_online_player, refuse_if, required_first_word,
};
use crate::calendar::format_count;
use crate::chess::{MoveCase, Position, TypedMoveError, Variant};
use crate::play::{
    ClockState, Ending, Game, HISTORY_HEAD, STORED_HEAD, Sides, adjourned_row, examined_row, format_move_list,
    games_row, history_row,
};
use crate::world::{ActiveGame, BoardReason, ConnectionId, Ivar, World};

#[rustfmt::skip] // one to a line: it is a table
pub(crate) const COMMANDS: &[CommandRow] = &[
    CommandRow::new("flag", "", "Ends the game if your opponent is out of time.", run_flag),
    CommandRow::new("games", "[player]", "Lists the games that are played and examined.", run_games),
    CommandRow::new("history", "[player]", "Lists the most recent games of a player.", run_history),
    CommandRow::new("moretime", "seconds", "Gives your opponent more time.", run_moretime),
    CommandRow::new("moves", "[game|player]", "Shows the moves of a game.", run_moves),
    CommandRow::new("refresh", "[game|player]", "Shows the board of a game.", run_refresh),
    CommandRow::new("resign", "", "Resigns your game.", run_resign),
    CommandRow::new("stored", "[player]", "Lists the adjourned games of a player.", run_stored),
    CommandRow::new("time", "[game|player]", "Shows the clocks of a game.", run_time),
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
    let seconds = parameters.trim_end().parse::<u64>().map_err(|_| CommandRefusal::Usage)?;
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
fn requested_game(world: &World, id: ConnectionId, parameters: &str) -> Result<GameId, CommandRefusal> {
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
pub(crate) fn canonical_player_name(world: &World, name: &str) -> Result<String, CommandRefusal> {
    let online = world.lobby.find_player_by_prefix(name).map(|id| world.lobby.player_name(id));
    let account = || world.options.accounts.get(name).map(|account| account.handle.to_string());
    Ok(online.or_else(account).ok_or_else(|| no_player_text(name))?)
}

/// Returns the name of the player named in the parameters, or that of `id` without a name. The error is the text of the refusal.
fn requested_or_own_name(world: &World, id: ConnectionId, parameters: &str) -> Result<String, CommandRefusal> {
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

/// Number of plies from which on the opponent of a mover is pinged, to measure the lag of the reply.
///
/// Source: observed-fatics §11.
const MIN_PLIES_TO_PING: usize = 2;

impl World {
    /// Plays the typed move, or queues a refusal: if it is not the player's turn, the clock is paused, or the move is ambiguous,
    /// illegal or without a game. Returns the code of a move in either case; `None`, without a reply, if the text is not a move.
    pub(crate) fn try_typed_move(&mut self, id: ConnectionId, typed: &str) -> Option<CommandCode> {
        let player = self.lobby.player(id)?;
        let Some(number) = player.game else { return self.refuse_move_without_game(id, typed) };
        let case = if player.ivars.is_set(Ivar::MoveCase) { MoveCase::Sensitive } else { MoveCase::Insensitive };
        let active_game = self.games.get(number)?;
        let position = active_game.position();
        let read = position.parse_typed_move(typed, case);
        if read == Err(TypedMoveError::NotAMove) {
            return None;
        }
        let is_waiting = self.played_game_of(id).is_some_and(|(_, color)| color != position.side_to_move);
        let is_in_setup = matches!(active_game, ActiveGame::Examined(game) if game.is_in_setup());
        let is_paused = active_game.as_played().is_some_and(|game| game.clock_state == ClockState::Paused);
        match read {
            _ if is_waiting => self.lobby.queue_text(id, "It is not your move.\n"),
            _ if is_in_setup => self.lobby.queue_text(id, IN_SETUP),
            _ if is_paused => self.lobby.queue_text(id, "The clock is paused, use \"unpause\" to resume.\n"),
            Ok(played) if active_game.as_played().is_some() => self.play_in_played_game(id, number, played),
            Ok(played) => self.play_in_examined_game(id, number, played),
            Err(error) => {
                let error = if error == TypedMoveError::Ambiguous { "Ambiguous" } else { "Illegal" };
                self.lobby.queue_text(id, &format!("{error} move ({typed}).\n"));
                // A client that already shows the move can restore its position.
                self.queue_board(number, id, BoardReason::Other);
            }
        }
        Some(CommandCode::GAME_MOVE)
    }

    /// Refuses a move of a player without a game. `None` for text that is not a move or could be the name of a command, because
    /// it has neither a digit nor `-`.
    fn refuse_move_without_game(&mut self, id: ConnectionId, typed: &str) -> Option<CommandCode> {
        let start = Position::start(Variant::Crazyhouse);
        let is_move = start.parse_typed_move(typed, MoveCase::Insensitive) != Err(TypedMoveError::NotAMove);
        let is_unmistakable = typed.contains(|c: char| c.is_ascii_digit()) || typed.contains('-');
        (is_move && is_unmistakable).then(|| {
            self.lobby.queue_text(id, "You are not playing or examining a game.\n");
            CommandCode::GAME_MOVE
        })
    }

    /// Plays a legal move in a played game: declines pending offers, reports board and reserve, pings the opponent, sets the
    /// deadline of the flag, and ends the game if the move does.
    fn play_in_played_game(&mut self, id: ConnectionId, number: GameId, played: LastMove) {
        self.decline_offers_by_moving(id);
        let now = self.now();
        // The network delay of a timeseal client's line is not charged to its clock.
        let seal = self.lobby.connection(id).and_then(|connection| connection.seal.as_ref());
        let lag = seal.and_then(|seal| seal.lag_since_answered_ping(now)).unwrap_or_default();
        let Some(game) = self.games.played_mut(number) else { return };
        // `try_typed_move` has checked turn, pause and legality.
        let color = game.side_to_move();
        let Some((captured, ending)) = game.try_play(color, played, now, lag) else { return };
        let partner = game.partner;
        if let Some(role) = captured {
            self.report_or_pass_captured_piece(number, partner, color, role);
        }
        self.show_board_to_audience(number, Some(id), BoardReason::Move);
        let n_plies = self.games.played(number).map_or(0, |game| game.record.plies.len());
        if let Some(opponent) = self.online_opponent_of(id).filter(|_| n_plies >= MIN_PLIES_TO_PING) {
            self.ping_player_to_move(number, opponent);
        }
        self.reschedule_flag_check(number);
        if let Some(ending) = ending {
            self.end_game(number, ending);
        }
    }

    /// Reports the piece that a capture adds to a reserve, before the move itself: in crazyhouse the captor's reserve, which the
    /// move has updated already; in bughouse the partner's, to which this function adds the piece.
    fn report_or_pass_captured_piece(&mut self, number: GameId, partner: Option<GameId>, color: Color, role: Role) {
        match (self.games.get(number).map(|active_game| active_game.header().terms.variant), partner) {
            (Some(Variant::Crazyhouse), _) => self.notify_reserve_addition(number, color, role),
            (Some(Variant::Bughouse), Some(partner)) => {
                let receiver = color.opponent();
                if let Some(game) = self.games.played_mut(partner) {
                    game.record.last_position_mut().hands.of_mut(receiver).add(role);
                }
                self.notify_reserve_addition(partner, receiver, role);
            }
            _ => {}
        }
    }

    /// Plays a legal move in an examined game and reports it to the audience.
    fn play_in_examined_game(&mut self, id: ConnectionId, number: GameId, played: LastMove) {
        let Some(game) = self.games.examined_mut(number) else { return };
        let san = game.shown_position().san(played);
        game.advance_or_branch(played);
        let text = format!("Game {number}: {} moves: {san}\n", self.lobby.player_name(id));
        for other in self.audience(number) {
            if other == id {
                self.queue_board(number, id, BoardReason::Other);
                self.lobby.queue_text(id, &text);
            } else {
                self.notify_board(number, other, BoardReason::Other);
                self.lobby.notify_on_prompt_line(other, &text);
            }
        }
    }

    /// Returns the game of that number, or the game that the player of that name plays or examines. The error is the text of the
    /// refusal.
    pub(crate) fn find_game(&self, word: &str) -> Result<GameId, CommandRefusal> {
        if let Ok(number) = word.parse().map(GameId) {
            return Ok(self.games.get(number).map(|_| number).ok_or("There is no such game.\n")?);
        }
        let id = find_online_player(self, word)?;
        let refusal = || format!("{} is not playing or examining a game.\n", self.lobby.player_name(id));
        Ok(self.lobby.own_game(id).ok_or_else(refusal)?)
    }

    /// Returns the game that a player plays, and the player's color. The error is the refusal of a player without a game.
    pub(crate) fn own_played_game(&self, id: ConnectionId) -> Result<(&Game, Color), CommandRefusal> {
        let refusal = || CommandRefusal::Coded(CommandCode::NOT_PLAYING, "You are not playing a game.\n".to_owned());
        self.played_game_of(id).ok_or_else(refusal)
    }
}
