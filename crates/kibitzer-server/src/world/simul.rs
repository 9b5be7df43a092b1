//! Simuls: one player, the giver, plays several games and goes from board to board.
//!
//! Source of the forms: transcripts uhlinfics-simul-*; for refusals, uhlin/fics.

use kibitzer_core::chess::Color;
use kibitzer_core::message::GameId;

use super::boards::BoardReason;
use super::command::challenge::TOO_MANY_OFFERS;
use super::command::{CommandResult, CommandRow, DONE, refuse_if, required_first_word};
use super::{AnswerCommand, ConnectionId, Proposal, World};
use crate::play::{Sides, Terms};

#[rustfmt::skip] // one to a line: it is a table
pub(crate) const COMMANDS: &[CommandRow] = &[
    CommandRow::new("simgames", "", "Shows how many games you are playing in your simul.", run_simgames),
    CommandRow::new("simmatch", "player", "Asks a player to let you join a simul, or accepts such a request.", run_simmatch),
    CommandRow::new("simnext", "", "Goes to the next board of your simul.", |world, id, _| go_to_board(world, id, |_| 1, "is moving away from your board")),
    CommandRow::new("simopen", "", "Switches on or off that players may ask to join your simul.", run_simopen),
    CommandRow::new("simprev", "", "Goes to the previous board of your simul.", |world, id, _| go_to_board(world, id, |n_games| n_games - 1, "is moving back to the previous board")),
];

/// Refusal of a player without a simul.
const NO_SIMUL: &str = "You are not giving a simul.\n";

fn run_simopen(world: &mut World, id: ConnectionId, _: &str) -> CommandResult {
    let Some(player) = world.lobby.player_mut(id) else { return DONE };
    player.is_open_to_simul = !player.is_open_to_simul;
    let (value, state) = if player.is_open_to_simul { (1, "now") } else { (0, "no longer") };
    Ok(format!("sopen set to {value}.\nYou are {state} open to receive simul requests.\n"))
}

fn run_simgames(world: &mut World, id: ConnectionId, _: &str) -> CommandResult {
    let n_games = world.lobby.simul_games(id).len();
    refuse_if(n_games == 0, NO_SIMUL)?;
    Ok(format!("You are playing {n_games} simultaneous games.\n"))
}

/// Moves the giver of a simul forward by a number of boards, which depends on how many there are. The current opponent receives the
/// giver's name and `words`.
fn go_to_board(world: &mut World, id: ConnectionId, steps: fn(usize) -> usize, words: &str) -> CommandResult {
    let n_games = world.lobby.simul_games(id).len();
    refuse_if(n_games == 0, NO_SIMUL)?;
    world.move_simul_giver(id, steps(n_games), words);
    DONE
}

fn run_simmatch(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let name = required_first_word(parameters)?;
    let giver =
        world.lobby.find_player_by_prefix(name).ok_or_else(|| format!("No user named \"{name}\" is logged in.\n"))?;
    if let Some(offer) = world.offers.pending_between(giver, id, Proposal::Simul) {
        world.answer_offer(offer, AnswerCommand::Accept);
        return DONE;
    }
    let (me, other) = (world.lobby.player_name(id), world.lobby.player_name(giver));
    let is_open = world.lobby.player(giver).is_some_and(|player| player.is_open_to_simul);
    let is_busy = !world.lobby.may_give_simul(giver);
    let is_repeated = world.offers.pending_between(id, giver, Proposal::Simul).is_some();
    refuse_if(giver == id, "You can't simmatch yourself!\n")?;
    refuse_if(world.lobby.own_game(id).is_some(), "You are already playing a game.\n")?;
    refuse_if(!is_open, format!("{other} is not open to receiving simul requests.\n"))?;
    refuse_if(is_busy, format!("{other} can't begin a simul while playing a non-simul game.\n"))?;
    refuse_if(is_repeated, format!("You are already offering that to {other}.\n"))?;
    refuse_if(world.offers.has_reached_limit(id), TOO_MANY_OFFERS)?;
    let theirs = format!("{me} requests to join a simul match with you.\n");
    world.make_offer([id, giver], Proposal::Simul, ["Simul match request sent.\n", &theirs]);
    DONE
}

impl World {
    /// Starts an untimed, unrated game between the giver of a simul, who has White, and an opponent, as a further board. The
    /// giver stays at the current board, if there is one.
    pub(crate) fn start_simul_game(&mut self, giver: ConnectionId, opponent: ConnectionId) {
        // Starting a game makes it the current board; the giver stays at the former one.
        let at = self.lobby.own_game(giver);
        self.start_game(Sides { white: giver, black: opponent }, Terms::unrated(0, 0), Some(giver));
        let number = self.lobby.own_game(opponent);
        if let Some(player) = self.lobby.player_mut(giver) {
            player.simul.extend(number);
            player.game = at.or(number);
        }
        self.notify_of_giver_distances(giver);
    }

    /// Moves the giver forward by this number of boards, beyond the last one to the first. The current opponent receives the
    /// giver's name and `words`; the offers about that game are removed. Does nothing if there is no other board.
    pub(crate) fn move_simul_giver(&mut self, giver: ConnectionId, steps: usize, words: &str) {
        let (boards, former) = (self.lobby.simul_games(giver).to_vec(), self.lobby.own_game(giver));
        let at = boards.iter().position(|&board| Some(board) == former).unwrap_or(0);
        let Some(&next) = boards.get((at + steps) % boards.len().max(1)).filter(|&&next| Some(next) != former) else {
            return;
        };
        if let Some(opponent) = self.online_opponent_of(giver) {
            self.remove_game_offers_made_by(&[giver, opponent]);
            let text = format!("{} {words}.\n", self.lobby.player_name(giver));
            self.lobby.notify(opponent, &text);
        }
        self.lobby.set_own_game(giver, Some(next));
        self.queue_board(next, giver, BoardReason::Other);
        self.notify_of_giver_distances(giver);
    }

    /// Removes a finished game from a simul. The giver goes to the next board if this was the current one. Does nothing for a
    /// game that is not part of one.
    pub(crate) fn finish_simul_board(&mut self, giver: ConnectionId, number: GameId) {
        let Some(player) = self.lobby.player_mut(giver) else { return };
        let Some(index) = player.simul.iter().position(|&board| board == number) else { return };
        player.simul.remove(index);
        let n_left = player.simul.len();
        let next = player.simul.get(index % n_left.max(1)).copied();
        let has_to_go = player.game == Some(number) || player.game.is_none();
        if has_to_go {
            player.game = next;
        }
        self.lobby.notify(giver, &format!("Board {} has completed.\n", index + 1));
        let Some(next) = next else {
            return self.lobby.notify(giver, "That was the last board, thanks for playing.\n");
        };
        if has_to_go {
            self.notify_board(next, giver, BoardReason::Other);
        }
        self.lobby.notify(giver, &format!("There are {n_left} boards left.\n"));
        self.notify_of_giver_distances(giver);
    }

    /// Reports to each opponent of a simul how many boards away the giver is.
    fn notify_of_giver_distances(&mut self, giver: ConnectionId) {
        let (boards, name) = (self.lobby.simul_games(giver).to_vec(), self.lobby.player_name(giver));
        let at = boards.iter().position(|&board| Some(board) == self.lobby.own_game(giver)).unwrap_or(0);
        for (distance, &number) in boards.iter().cycle().skip(at).take(boards.len()).enumerate() {
            let game = self.games.played(number);
            let Some(opponent) = game.and_then(|game| self.online_player(game, Color::Black)) else { continue };
            let text = match distance {
                0 => format!("{name} is at your board!\n"),
                1 => format!("{name} will be at your board NEXT!\n"),
                distance => format!("{name} is {distance} boards away.\n"),
            };
            self.lobby.notify(opponent, &text);
        }
    }
}
