//! Following games.
//!
//! Source of the forms: transcripts fatics-multi-observer, fatics-game-offers-observer, fatics-examine-observer.

use kibitzer_core::message::GameId;

use super::{Command, DONE, Outcome, Refusal};
use crate::calendar::count;
use crate::play::Sides;
use crate::world::{ConnectionId, Ivar, MAX_OBSERVED, Occasion, Player, Show, Table, World};

#[rustfmt::skip] // one to a line: it is a table
pub(super) const COMMANDS: &[Command] = &[
    Command::query("allobservers", "[game|player]", "Shows who follows a game, or any.", allobservers),
    Command::anyone("observe", "game|player ...", "Follows games: you are sent their boards.", observe),
    Command::anyone("unobserve", "[game ...]", "Follows a game no more, or any.", unobserve),
];

fn observe(world: &mut World, id: ConnectionId, parameters: &str) -> Outcome {
    if parameters.is_empty() {
        return Err(Refusal::Usage);
    }
    for word in parameters.split_whitespace() {
        match world.find_game(word) {
            Ok(number) => world.observe(id, number),
            Err(why) => world.lobby.put(id, &why),
        }
    }
    DONE
}

impl World {
    /// Has a player follow a game.
    pub(crate) fn observe(&mut self, id: ConnectionId, number: GameId) {
        if let Some(why) = self.obstacle_to_observing(id, number) {
            return self.lobby.put(id, &why);
        }
        let is_single = self.lobby.player(id).is_some_and(|player| player.ivars.is_set(Ivar::SingleBoard));
        if is_single {
            self.stop_observing(id, None);
        }
        if let Some(table) = self.tables.get_mut(number) {
            table.observers.push(id);
        }
        if let Some(player) = self.lobby.player_mut(id) {
            player.observing.push(number);
        }
        let title = self.tables.title(number);
        let info = self.info_line(number, id).unwrap_or_default();
        self.lobby.put_whole(id, &format!("You are now observing game {number}.\n{title}{info}"));
        self.put_start(number, id, false);
        self.put_relation(number, id, "O");
        self.put_board(number, id, Occasion::Other);
    }

    fn obstacle_to_observing(&self, id: ConnectionId, number: GameId) -> Option<String> {
        let player = self.lobby.player(id)?;
        if player.observing.contains(&number) {
            Some(format!("You are already observing game {number}.\n"))
        } else if player.game == Some(number) {
            Some("You are already at that game.\n".to_owned())
        } else if player.observing.len() >= MAX_OBSERVED {
            Some(format!("You are already observing {MAX_OBSERVED} games.\n"))
        } else {
            None
        }
    }

    /// Stops observing one game or all; returns the games.
    fn stop_observing(&mut self, id: ConnectionId, only: Option<GameId>) -> Vec<GameId> {
        let Some(player) = self.lobby.player_mut(id) else { return Vec::new() };
        let (left, kept) = player.observing.iter().partition(|&&number| only.is_none_or(|only| only == number));
        player.observing = kept;
        let left: Vec<GameId> = left;
        for &number in &left {
            self.tables.drop_observer(number, id);
            self.lobby.put(id, &format!("Removing game {number} from observation list.\n"));
            self.put_relation(number, id, "X");
        }
        left
    }
}

fn unobserve(world: &mut World, id: ConnectionId, parameters: &str) -> Outcome {
    if parameters.is_empty() {
        if world.stop_observing(id, None).is_empty() {
            world.lobby.put(id, "You are not observing any games.\n");
        }
        return DONE;
    }
    for word in parameters.split_whitespace() {
        match world.find_game(word) {
            Ok(number) if world.stop_observing(id, Some(number)).is_empty() => {
                world.lobby.put(id, &format!("You are not observing game {number}.\n"));
            }
            Ok(_) => {}
            Err(why) => world.lobby.put(id, &why),
        }
    }
    DONE
}

fn allobservers(world: &World, _: ConnectionId, parameters: &str) -> Outcome {
    let Some(word) = parameters.split_whitespace().next() else {
        let lines: Vec<_> =
            world.tables.all().iter().filter_map(|(&number, table)| line(world, number, table)).collect();
        let text =
            if lines.is_empty() { String::new() } else { format!("{}{}", lines.concat(), footer(world, lines.len())) };
        return Ok(text);
    };
    let number = world.find_game(word)?;
    let line = world.tables.get(number).and_then(|table| line(world, number, table));
    let text = match line {
        Some(line) => format!("{line}{}", footer(world, 1)),
        None => format!("No one is observing game {number}.\n"),
    };
    Ok(text)
}

fn footer(world: &World, n_games: usize) -> String {
    let games = count(super::lists::n(n_games), "game");
    format!("  {games} displayed (of {} in progress).\n", world.tables.all().len())
}

/// `Observing 1 [Alekhine vs. Bogoljubov]: Gruenfeld GuestPEFF(U) (2 users)`; `None` for a game without observers.
fn line(world: &World, number: GameId, table: &Table) -> Option<String> {
    let name = |&id: &ConnectionId| world.lobby.player(id).map(Player::display);
    let mut names: Vec<_> = table.examiners().iter().filter_map(name).map(|name| format!("#{name}")).collect();
    names.extend(table.observers.iter().filter_map(name));
    let Sides { white, black } = table.seats();
    let head = match &table.show {
        Show::Played(_) => format!("Observing {number} [{} vs. {}]", white.name, black.name),
        Show::Examined { is_scratch: true, .. } => format!("Examining {number} (scratch)"),
        Show::Examined { .. } => format!("Examining {number} [{} vs. {}]", white.name, black.name),
    };
    let users = count(super::lists::n(names.len()), "user");
    (!names.is_empty()).then(|| format!("{head}: {} ({users})\n", names.join(" ")))
}
