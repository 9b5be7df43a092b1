//! Commands of observers.
//!
//! Source of the forms: transcripts fatics-multi-observer, fatics-game-offers-observer, fatics-examine-observer.

use kibitzer_core::message::GameId;

use super::{Command, CommandResult, DONE, Refusal, refuse_if, required_first_word};
use crate::calendar::format_count;
use crate::play::Sides;
use crate::world::{ActiveGame, BoardReason, ConnectionId, Ivar, MAX_OBSERVED, Player, World};

#[rustfmt::skip] // one to a line: it is a table
pub(crate) const COMMANDS: &[Command] = &[
    Command::new("allobservers", "[game|player]", "Lists the observers of a game, or of all games.", run_allobservers),
    Command::new("observe", "game|player ...", "Observes games: sends you their boards.", run_observe),
    Command::new("unobserve", "[game ...]", "Stops observing games; without a number, all of them.", run_unobserve),
];

fn run_observe(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    required_first_word(parameters)?;
    for word in parameters.split_whitespace() {
        let number = world.find_game(word).map_err(Refusal::Text);
        if let Err(Refusal::Text(why)) = number.and_then(|number| world.start_observing(id, number)) {
            world.lobby.queue_text(id, &why);
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
    fn start_observing(&mut self, id: ConnectionId, number: GameId) -> Result<(), Refusal> {
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
        self.queue_start_datagram_if_on(number, id, false);
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
            Err(why) => world.lobby.queue_text(id, &why),
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
