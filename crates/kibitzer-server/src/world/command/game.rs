//! Commands in and about games, except moves.
//!
//! Source of the forms: transcripts fatics-game-offers-*, fatics-game-endings-*, fatics-block-client,
//! fatics-multi-observer.

use std::time::Duration;

use kibitzer_core::message::GameId;

use super::{Command, CommandResult, DONE, Refusal, number_or_one, refuse_if, required_first_word};
use crate::calendar::format_count;
use crate::play::{Ending, Sides, examined_row, format_move_list, games_row};
use crate::world::{ActiveGame, BoardReason, ConnectionId, Offer, OfferKind, World};

#[rustfmt::skip] // one to a line: it is a table
pub(super) const COMMANDS: &[Command] = &[
    Command::new("abort", "", "Offers to end your game without a result, or accepts that. In your first move it needs no consent.", run_abort),
    Command::new("adjourn", "", "Offers to adjourn your game, or accepts that.", |world, id, _| end_by_courtesy_or_offer(world, id, OfferKind::Adjourn, Ending::COURTESY_ADJOURNED)),
    Command::new("draw", "", "Offers a draw, accepts one, or claims one by repetition or by the 50 move rule.", run_draw),
    Command::new("flag", "", "Ends the game if your opponent is out of time.", run_flag),
    Command::new("games", "[player]", "Lists the games that are played and examined.", run_games),
    Command::new("moretime", "seconds", "Gives your opponent more time.", run_moretime),
    Command::new("moves", "[game|player]", "Shows the moves of a game.", run_moves),
    Command::new("pause", "", "Offers to stop the clocks of your game, or accepts that.", run_pause),
    Command::new("refresh", "[game|player]", "Shows the board of a game.", run_refresh),
    Command::new("resign", "", "Resigns your game.", run_resign),
    Command::new("switch", "", "Offers to exchange the colors of your game, or accepts that.", run_switch),
    Command::new("takeback", "[half-moves]", "Offers to take moves back, or accepts that.", run_takeback),
    Command::new("time", "[game|player]", "Shows the clocks of a game.", run_time),
    Command::new("unpause", "", "Offers to start the clocks of your paused game again, or accepts that.", run_unpause),
];

fn run_resign(world: &mut World, id: ConnectionId, _: &str) -> CommandResult {
    let (game, color) = world.own_game_and_color(id)?;
    let ending = game.ending_by_early_abort(color).unwrap_or(Ending::RESIGNED.with_named_side(color));
    world.end_game(game.header.id, ending);
    DONE
}

fn run_flag(world: &mut World, id: ConnectionId, _: &str) -> CommandResult {
    let (game, color) = world.own_game_and_color(id)?;
    refuse_if(game.header.terms.is_untimed(), "The clock is not ticking.\n")?;
    let ending = game.ending_by_flag_claim(color, world.now()).ok_or("Your opponent is not out of time.\n")?;
    world.end_game(game.header.id, ending);
    DONE
}

fn run_draw(world: &mut World, id: ConnectionId, _: &str) -> CommandResult {
    let (game, _) = world.own_game_and_color(id)?;
    let Some(ending) = game.claimable_draw() else { return make_or_accept_offer(world, id, OfferKind::Draw) };
    world.end_game(game.header.id, ending);
    DONE
}

fn run_abort(world: &mut World, id: ConnectionId, _: &str) -> CommandResult {
    let (game, color) = world.own_game_and_color(id)?;
    let Some(ending) = game.ending_by_early_abort(color) else {
        return end_by_courtesy_or_offer(world, id, OfferKind::Abort, Ending::COURTESY_ABORTED);
    };
    world.end_game(game.header.id, ending);
    DONE
}

/// Ends the game at once with `courtesy` if only the opponent is out of time; otherwise offers `kind` to the opponent, also if
/// both are out of time.
///
/// Source of the messages: transcripts uhlinfics-end-courtesyabort-*.
fn end_by_courtesy_or_offer(world: &mut World, id: ConnectionId, kind: OfferKind, courtesy: Ending) -> CommandResult {
    let (game, color) = world.own_game_and_color(id)?;
    let number = game.header.id;
    let claim = game.ending_by_flag_claim(color, world.now());
    if claim.is_none_or(|ending| ending == Ending::BOTH_FLAGGED) {
        return make_or_accept_offer(world, id, kind);
    }
    let verb = format!("{}ed", kind.wire_word());
    let text = format!("Since you have time, and your opponent has none, the game has been {verb}.\n");
    world.lobby.queue_text(id, &text);
    if let Some(opponent) = world.online_opponent_of(id) {
        world.lobby.notify(opponent, &format!("Your opponent has {verb} the game rather than calling your flag.\n"));
    }
    world.end_game(number, courtesy.with_named_side(color));
    DONE
}

fn run_pause(world: &mut World, id: ConnectionId, _: &str) -> CommandResult {
    let (game, _) = world.own_game_and_color(id)?;
    refuse_if(game.header.terms.is_untimed(), "You can't pause untimed games.\n")?;
    refuse_if(game.is_paused, "Game is already paused, use \"unpause\" to resume.\n")?;
    make_or_accept_offer(world, id, OfferKind::Pause)
}

fn run_unpause(world: &mut World, id: ConnectionId, _: &str) -> CommandResult {
    let (game, _) = world.own_game_and_color(id)?;
    refuse_if(!game.is_paused, "Game is not paused.\n")?;
    make_or_accept_offer(world, id, OfferKind::Unpause)
}

fn run_switch(world: &mut World, id: ConnectionId, _: &str) -> CommandResult {
    let (game, _) = world.own_game_and_color(id)?;
    let has_begun = game.header.terms.rated && !game.record.plies.is_empty();
    refuse_if(game.partner.is_some(), "Switch not implemented for bughouse games.\n")?;
    refuse_if(has_begun, "You cannot switch sides once a rated game is underway.\n")?;
    make_or_accept_offer(world, id, OfferKind::Switch)
}

fn run_takeback(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let (game, _) = world.own_game_and_color(id)?;
    let plies = number_or_one(parameters)?;
    let n_plies = game.record.plies.len();
    refuse_if(game.partner.is_some(), "Takeback is not allowed in bughouse.\n")?;
    refuse_if(plies == 0, "You can't takeback less than 1 move.\n")?;
    refuse_if(plies > n_plies, format!("There are only {n_plies} half-moves in your game.\n"))?;
    make_or_accept_offer(world, id, OfferKind::Takeback(plies))
}

/// Makes an offer to the opponent, or accepts an equal one of the opponent. A takeback of another number of moves counters the
/// opponent's. Refuses a repeated offer, and any offer while the opponent, who gives a simul, is at another board. Does nothing
/// if the opponent is not logged in.
fn make_or_accept_offer(world: &mut World, id: ConnectionId, kind: OfferKind) -> CommandResult {
    let Some(opponent) = world.online_opponent_of(id) else { return DONE };
    let is_away = world.lobby.own_game(id).is_some_and(|number| world.lobby.is_at_other_board(opponent, number));
    refuse_if(is_away, "You can only make requests when the simul player is at your board.\n")?;
    if let Some(offer) = world.offers.pending_between(opponent, id, kind) {
        if offer.kind == kind {
            world.accept_offer(offer);
        } else {
            counter_takeback(world, offer, kind);
        }
        return DONE;
    }
    let former = world.offers.pending_between(id, opponent, kind);
    let is_repeated = former.is_some_and(|offer| offer.kind == kind);
    refuse_if(is_repeated, format!("You are already offering that to {}.\n", world.lobby.player_name(opponent)))?;
    replace_or_make_offer(world, [id, opponent], former, kind);
    DONE
}

/// Replaces the opponent's takeback request by one for another number of moves, and reports that to both players and the
/// observers. Does nothing for other offers.
fn counter_takeback(world: &mut World, offer: Offer, kind: OfferKind) {
    let OfferKind::Takeback(plies) = kind else { return };
    let Offer { from: opponent, to: id, .. } = offer;
    let name = world.lobby.player_name(id);
    let text = "You disagree on the number of half-moves to take back.\nAlternate takeback request sent.\n";
    world.lobby.queue_text(id, text);
    world.lobby.notify(opponent, &format!("{name} proposes a different number ({plies}) of half-move(s).\n"));
    world.remove_offer_and_report_to_both(offer);
    let counter = world.offers.add(id, opponent, kind);
    world.lobby.queue_offer_line_if_on(counter, id);
    world.lobby.queue_offer_line_if_on(counter, opponent);
    world.notify_observers_of_player(
        id,
        &format!("{name} proposes a different number ({plies}) of half-move(s) to take back."),
    );
}

/// Makes an offer and reports it to both sides and the observers, after removing the former takeback request, if there is one.
fn replace_or_make_offer(world: &mut World, [id, opponent]: [ConnectionId; 2], former: Option<Offer>, kind: OfferKind) {
    if let Some(former) = former {
        world.remove_offer_and_report_to_both(former);
        world.lobby.queue_text(id, "Updated takeback request sent.\n");
        world.lobby.notify(opponent, "Updated takeback request received.\n");
    }
    let (name, other) = (world.lobby.player_name(id), world.lobby.player_name(opponent));
    let (number, word) = (world.lobby.own_game(id).unwrap_or(GameId(0)), kind.wire_word());
    let texts = |own: &str, theirs: &str, observed: &str| [own, theirs, observed].map(str::to_owned);
    let [own, theirs, observed] = match kind {
        OfferKind::Draw => texts(&format!("Offering a draw to {other}"), "offers you a draw", "offers a draw"),
        OfferKind::Takeback(plies) => {
            let what = format!("take back {plies} half-move(s)");
            texts("Takeback request sent", &format!("would like to {what}"), &format!("requests to {what}"))
        }
        OfferKind::Switch => texts("Switch request sent", "would like to switch sides", "would like to switch sides"),
        OfferKind::Pause => texts("Pause request sent", "requests to pause the game", "requests to pause the game"),
        OfferKind::Unpause => {
            texts("Unpause request sent", "requests to unpause the game", "requests to unpause the game")
        }
        _ => texts(&format!("Requesting to {word} game {number}"), &format!("requests to {word} game {number}"), ""),
    };
    let theirs = format!("{name} {theirs}.\n");
    world.make_and_report_offer([id, opponent], kind, [&format!("{own}.\n"), &theirs]);
    if observed.is_empty() {
        // Observers receive a request to end a game in the same words as the opponent.
        world.lobby.observers(number).into_iter().for_each(|observer| world.lobby.notify(observer, &theirs));
    } else {
        world.notify_observers_of_player(id, &format!("{name} {observed}."));
    }
}

fn run_moretime(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let (game, color) = world.own_game_and_color(id)?;
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
        return Ok(world.find_game(word)?);
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
