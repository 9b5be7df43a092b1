//! Commands about games, other than moves.
//!
//! Source of the forms: transcripts fatics-game-offers-*, fatics-game-endings-*, fatics-block-client,
//! fatics-multi-observer.

use std::time::Duration;

use kibitzer_core::chess::Color;
use kibitzer_core::message::GameId;

use super::{Command, DONE, Outcome, Refusal};
use crate::play::{Ending, FlagError, Game, MoveListHead, Sides, examined_row, games_row, move_list};
use crate::world::{ConnectionId, Occasion, OfferKind, Show, Table, World};

#[rustfmt::skip] // one to a line: it is a table
pub(super) const COMMANDS: &[Command] = &[
    Command::anyone("abort", "", "Offers to end your game without a result, or accepts that. In your first move it needs no consent.", abort),
    Command::anyone("adjourn", "", "Offers to interrupt your game, or accepts that.", adjourn),
    Command::anyone("draw", "", "Offers a draw, accepts one, or claims one by repetition or by the 50 move rule.", draw),
    Command::anyone("flag", "", "Ends the game if your opponent is out of time.", flag),
    Command::query("games", "[player]", "Shows the games that are played and examined.", games),
    Command::anyone("moretime", "seconds", "Gives your opponent more time.", moretime),
    Command::query("moves", "[game|player]", "Shows the moves of a game.", moves),
    Command::anyone("pause", "", "Offers to stop the clocks of your game, or accepts that.", pause),
    Command::anyone("refresh", "[game|player]", "Shows the board of a game once more.", refresh),
    Command::anyone("resign", "", "Gives your game up.", resign),
    Command::anyone("switch", "", "Offers to exchange the colors of your game, or accepts that.", switch),
    Command::anyone("takeback", "[half-moves]", "Offers to take moves back, or accepts that.", takeback),
    Command::anyone("time", "[game|player]", "Shows the clocks of a game.", time),
    Command::anyone("unpause", "", "Offers to start the clocks of your paused game again, or accepts that.", unpause),
];

fn resign(world: &mut World, id: ConnectionId, _: &str) -> Outcome {
    let (number, color) = world.own_side(id)?;
    let early = world.game_of(id).and_then(|game| game.abort_without_asking(color));
    world.end_game(number, early.unwrap_or(Ending::Resigned(color)));
    DONE
}

fn flag(world: &mut World, id: ConnectionId, _: &str) -> Outcome {
    let (number, color) = world.own_side(id)?;
    match world.game_of(id).map(|game| game.claim_flag(color, world.now())) {
        Some(Ok(ending)) => world.end_game(number, ending),
        Some(Err(FlagError::Untimed)) => world.lobby.put(id, "The clock is not ticking.\n"),
        Some(Err(FlagError::NotOut)) | None => world.lobby.put(id, "Your opponent is not out of time.\n"),
    }
    DONE
}

fn draw(world: &mut World, id: ConnectionId, _: &str) -> Outcome {
    let (number, _) = world.own_side(id)?;
    if let Some(ending) = world.game_of(id).and_then(Game::draw_by_claim) {
        world.end_game(number, ending);
        return DONE;
    }
    propose(world, id, OfferKind::Draw)
}

fn abort(world: &mut World, id: ConnectionId, _: &str) -> Outcome {
    let (number, color) = world.own_side(id)?;
    if let Some(ending) = world.game_of(id).and_then(|game| game.abort_without_asking(color)) {
        world.end_game(number, ending);
        return DONE;
    }
    propose_or_end(world, id, (OfferKind::Abort, "aborted"), Ending::CourtesyAborted(color))
}

fn adjourn(world: &mut World, id: ConnectionId, _: &str) -> Outcome {
    let (_, color) = world.own_side(id)?;
    propose_or_end(world, id, (OfferKind::Adjourn, "adjourned"), Ending::CourtesyAdjourned(color))
}

/// Ends the game at once if the opponent alone is out of time; else the opponent has to agree.
///
/// Source of the forms: transcripts uhlinfics-end-courtesyabort-*.
fn propose_or_end(world: &mut World, id: ConnectionId, (kind, verb): (OfferKind, &str), courtesy: Ending) -> Outcome {
    let claim = world.game_of(id).zip(world.color_of(id)).map(|(game, color)| game.claim_flag(color, world.now()));
    let (Some(Ok(Ending::Flagged(_) | Ending::FlaggedNoMaterial(_))), Some(number)) = (claim, world.lobby.own_game(id))
    else {
        return propose(world, id, kind);
    };
    world.lobby.put(id, &format!("Since you have time, and your opponent has none, the game has been {verb}.\n"));
    if let Some(opponent) = world.opponent_of(id) {
        world.lobby.notify(opponent, &format!("Your opponent has {verb} the game rather than calling your flag.\n"));
    }
    world.end_game(number, courtesy);
    DONE
}

fn pause(world: &mut World, id: ConnectionId, _: &str) -> Outcome {
    world.own_side(id)?;
    let why = match world.game_of(id) {
        Some(game) if game.terms().is_untimed() => "You can't pause untimed games.\n",
        Some(game) if game.is_paused() => "Game is already paused, use \"unpause\" to resume.\n",
        _ => return propose(world, id, OfferKind::Pause),
    };
    Ok(why.to_owned())
}

fn unpause(world: &mut World, id: ConnectionId, _: &str) -> Outcome {
    world.own_side(id)?;
    if world.game_of(id).is_some_and(Game::is_paused) {
        return propose(world, id, OfferKind::Unpause);
    }
    Ok("Game is not paused.\n".to_owned())
}

fn switch(world: &mut World, id: ConnectionId, _: &str) -> Outcome {
    world.own_side(id)?;
    let why = match world.game_of(id) {
        Some(game) if game.partner().is_some() => "Switch not implemented for bughouse games.\n",
        Some(game) if game.terms().rated && game.record().len() > 0 => {
            "You cannot switch sides once a rated game is underway.\n"
        }
        _ => return propose(world, id, OfferKind::Switch),
    };
    Ok(why.to_owned())
}

fn takeback(world: &mut World, id: ConnectionId, parameters: &str) -> Outcome {
    world.own_side(id)?;
    let Ok(plies) = parameters.trim_end().parse().or(if parameters.is_empty() { Ok(1) } else { Err(()) }) else {
        return Err(Refusal::Usage);
    };
    let n_plies = world.game_of(id).map_or(0, |game| game.record().len());
    let is_bughouse = world.game_of(id).is_some_and(|game| game.partner().is_some());
    if is_bughouse {
        world.lobby.put(id, "Takeback is not allowed in bughouse.\n");
    } else if plies == 0 {
        world.lobby.put(id, "You can't takeback less than 1 move.\n");
    } else if plies > n_plies {
        world.lobby.put(id, &format!("There are only {n_plies} half-moves in your game.\n"));
    } else {
        return propose(world, id, OfferKind::Takeback(plies));
    }
    DONE
}

/// Makes an offer to the opponent, or accepts an equal one of the opponent.
fn propose(world: &mut World, id: ConnectionId, kind: OfferKind) -> Outcome {
    let Some(opponent) = world.opponent_of(id) else { return DONE };
    if world.lobby.own_game(id).is_some_and(|number| world.lobby.is_away_from(opponent, number)) {
        return Ok("You can only make requests when the simul player is at your board.\n".to_owned());
    }
    match world.offers.between(opponent, id, kind) {
        Some(offer) if offer.kind == kind => world.accept_offer(offer),
        Some(offer) => counter_takeback(world, id, opponent, (offer, kind)),
        None => match world.offers.between(id, opponent, kind) {
            Some(offer) if offer.kind == kind => {
                world.lobby.put(id, &format!("You are already offering that to {}.\n", world.lobby.name(opponent)));
            }
            former => offer_anew(world, id, opponent, (former, kind)),
        },
    }
    DONE
}

/// Replaces the opponent's takeback request by one for another number of moves.
fn counter_takeback(
    world: &mut World,
    id: ConnectionId,
    opponent: ConnectionId,
    (offer, kind): (crate::world::Offer, OfferKind),
) {
    let OfferKind::Takeback(plies) = kind else { return };
    let name = world.lobby.name(id);
    world.lobby.put(id, "You disagree on the number of half-moves to take back.\nAlternate takeback request sent.\n");
    world.lobby.notify(opponent, &format!("{name} proposes a different number ({plies}) of half-move(s).\n"));
    world.remove_offer(offer);
    let counter = world.offers.add(id, opponent, kind);
    world.lobby.show_offer(counter, id);
    world.lobby.show_offer(counter, opponent);
    world.notify_observers(id, &format!("{name} proposes a different number ({plies}) of half-move(s) to take back."));
}

fn offer_anew(
    world: &mut World,
    id: ConnectionId,
    opponent: ConnectionId,
    (former, kind): (Option<crate::world::Offer>, OfferKind),
) {
    if let Some(former) = former {
        world.remove_offer(former);
        world.lobby.put(id, "Updated takeback request sent.\n");
        world.lobby.notify(opponent, "Updated takeback request received.\n");
    }
    let (name, other, number) =
        (world.lobby.name(id), world.lobby.name(opponent), world.lobby.own_game(id).unwrap_or(GameId(0)));
    let (own, theirs, observers) = match kind {
        OfferKind::Draw => (
            format!("Offering a draw to {other}.\n"),
            format!("{name} offers you a draw.\n"),
            Some(format!("{name} offers a draw.")),
        ),
        OfferKind::Takeback(plies) => (
            "Takeback request sent.\n".to_owned(),
            format!("{name} would like to take back {plies} half-move(s).\n"),
            Some(format!("{name} requests to take back {plies} half-move(s).")),
        ),
        OfferKind::Switch => (
            "Switch request sent.\n".to_owned(),
            format!("{name} would like to switch sides.\n"),
            Some(format!("{name} would like to switch sides.")),
        ),
        OfferKind::Pause | OfferKind::Unpause => {
            let verb = kind.word();
            let own = format!("{}ause request sent.\n", if kind == OfferKind::Pause { "P" } else { "Unp" });
            let text = format!("{name} requests to {verb} the game.");
            (own, format!("{text}\n"), Some(text))
        }
        _ => {
            let verb = kind.word();
            let text = format!("{name} requests to {verb} game {number}.\n");
            (format!("Requesting to {verb} game {number}.\n"), text, None)
        }
    };
    let offer = world.offers.add(id, opponent, kind);
    world.lobby.put(id, &own);
    world.lobby.show_offer(offer, id);
    world.lobby.notify(opponent, &theirs);
    world.lobby.show_offer(offer, opponent);
    match observers {
        Some(text) => world.notify_observers(id, &text),
        // Requests to end a game are told to observers as they are to the opponent.
        None => world.tables.observers(number).into_iter().for_each(|observer| world.lobby.notify(observer, &theirs)),
    }
}

fn moretime(world: &mut World, id: ConnectionId, parameters: &str) -> Outcome {
    let (number, color) = world.own_side(id)?;
    let Ok(seconds) = parameters.trim_end().parse::<u64>() else { return Err(Refusal::Usage) };
    if !(1..=6_000).contains(&seconds) {
        return Ok("Invalid number of seconds.\n".to_owned());
    }
    let (name, opponent) = (world.lobby.name(id), world.opponent_of(id));
    let other = opponent.map(|opponent| world.lobby.name(opponent)).unwrap_or_default();
    if let Some(game) = world.tables.played_mut(number) {
        game.add_time(color.opponent(), Duration::from_secs(seconds));
    }
    for whom in world.audience(number) {
        if whom == id {
            world.lobby.put(id, &format!("You have added {seconds} seconds to {other}'s clock.\n"));
        } else {
            let whose = if Some(whom) == opponent { "your".to_owned() } else { format!("{other}'s") };
            world.lobby.notify_after_prompt(whom, &format!("{name} has added {seconds} seconds to {whose} clock.\n"));
        }
    }
    world.send_boards(number, Some(id), Occasion::Clock);
    world.watch_flag(number);
    DONE
}

/// Returns the game that a command names, else the player's primary game.
fn asked_game(world: &World, id: ConnectionId, parameters: &str) -> Result<GameId, String> {
    if let Some(word) = parameters.split_whitespace().next() {
        return world.find_game(word);
    }
    let text = || "You are not playing, examining, or observing a game.\n".to_owned();
    world.lobby.primary_game(id).ok_or_else(text)
}

fn refresh(world: &mut World, id: ConnectionId, parameters: &str) -> Outcome {
    let number = asked_game(world, id, parameters)?;
    let title = world.tables.title(number);
    world.lobby.put_whole(id, &title);
    world.put_board(number, id, Occasion::Other);
    DONE
}

fn time(world: &mut World, id: ConnectionId, parameters: &str) -> Outcome {
    let number = asked_game(world, id, parameters)?;
    let clocks = world.tables.played(number).map(|game| game.clocks().readings(world.now()));
    let Sides { white, black } = clocks.unwrap_or_default();
    let unit = world.lobby.clock_unit(id);
    let show = |ms: i64| format!("{}{}", if ms < 0 { "-" } else { "" }, unit.elapsed(ms.unsigned_abs()));
    let text = format!("{}White Clock : {}\nBlack Clock : {}\n", world.tables.title(number), show(white), show(black));
    world.lobby.put_whole(id, &text);
    DONE
}

fn moves(world: &World, id: ConnectionId, parameters: &str) -> Outcome {
    let number = asked_game(world, id, parameters)?;
    let unit = world.lobby.clock_unit(id);
    let Some(table) = world.tables.get(number) else { return DONE };
    let (started, record) = match &table.show {
        Show::Played(game) => (game.started(), game.record()),
        Show::Examined { game, .. } => (game.started(), game.line()),
    };
    let head = MoveListHead { game: number, seats: table.seats(), terms: table.terms(), started, ending: None };
    let list = format!("\n{}\n\n", move_list(&head, record, unit));
    Ok(list)
}

fn games(world: &World, _: ConnectionId, parameters: &str) -> Outcome {
    let name = parameters.split_whitespace().next();
    let is_wanted = |table: &Table| {
        let Sides { white, black } = table.seats();
        name.is_none_or(|name| white.name.is_same_player(name) || black.name.is_same_player(name))
    };
    let rows: Vec<_> =
        world.tables.all().values().filter(|table| is_wanted(table)).map(|table| row(world, table)).collect();
    let text = if rows.is_empty() {
        "There are no games in progress.\n".to_owned()
    } else {
        let games = if rows.len() == 1 { "game" } else { "games" };
        let footer = format!("  {} {games} displayed (of {:>3} in progress).\n", rows.len(), world.tables.all().len());
        format!("{}\n{footer}", rows.concat())
    };
    Ok(text)
}

fn row(world: &World, table: &Table) -> String {
    let line = match &table.show {
        Show::Played(game) => games_row(game, world.now()),
        Show::Examined { game, .. } => examined_row(game.id(), game.seats(), game.terms(), game.position()),
    };
    format!("{line}\n")
}

/// The color a word asks for.
pub(super) fn color(word: &str) -> Option<Color> {
    match word {
        "w" | "white" => Some(Color::White),
        "b" | "black" => Some(Color::Black),
        _ => None,
    }
}
