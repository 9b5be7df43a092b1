//! Commands that make offers in a game, and those that answer any offer.
//!
//! Source of the forms: transcripts fatics-match-pending-*, fatics-game-offers-*.

use kibitzer_core::SentenceParts;
use kibitzer_core::message::{GameEndReason, MeOrOther, OfferKind};

use super::{CommandRefusal, CommandResult, CommandRow, DONE, number_or_one, refuse_if};
use crate::account::name_key;
use crate::options::Feature;
use crate::play::{ClockState, Ending};
use crate::world::{AnswerCommand, ConnectionId, Offer, Proposal, World};

#[rustfmt::skip] // one to a line: it is a table
pub(crate) const COMMANDS: &[CommandRow] = &[
    CommandRow::new("abort", "", "Offers to end your game without a result, or accepts that. In your first move it needs no consent.", run_abort),
    CommandRow::new("accept", "[number|player|kind]", "Accepts an offer; the parameter selects one of several.", |world, id, words| run_answer(world, id, words, AnswerCommand::Accept)),
    CommandRow::new("adjourn", "", "Offers to adjourn your game, or accepts that.", |world, id, _| end_by_courtesy_or_offer(world, id, OfferKind::Adjourn, GameEndReason::AdjournCourtesy)),
    CommandRow::new("decline", "[number|player|kind|all]", "Declines an offer; the parameter selects one of several.", |world, id, words| run_answer(world, id, words, AnswerCommand::Decline)),
    CommandRow::new("draw", "", "Offers a draw, accepts one, or claims one by repetition or by the 50 move rule.", run_draw),
    CommandRow::new("pause", "", "Offers to stop the clocks of your game, or accepts that.", run_pause),
    CommandRow::new("switch", "", "Offers to exchange the colors of your game, or accepts that.", run_switch),
    CommandRow::new("takeback", "[half-moves]", "Offers to take moves back, or accepts that.", run_takeback),
    CommandRow::new("unpause", "", "Offers to start the clocks of your paused game again, or accepts that.", run_unpause),
    CommandRow::new("withdraw", "[number|player|kind|all]", "Withdraws an offer; the parameter selects one of several.", |world, id, words| run_answer(world, id, words, AnswerCommand::Withdraw)),
];

fn run_draw(world: &mut World, id: ConnectionId, _: &str) -> CommandResult {
    let (game, _) = world.own_played_game(id)?;
    let Some(ending) = game.claimable_draw() else { return make_or_accept_offer(world, id, OfferKind::Draw, 0) };
    world.end_game(game.header.id, ending);
    DONE
}

fn run_abort(world: &mut World, id: ConnectionId, _: &str) -> CommandResult {
    let (game, color) = world.own_played_game(id)?;
    let Some(ending) = game.ending_by_early_abort(color) else {
        return end_by_courtesy_or_offer(world, id, OfferKind::Abort, GameEndReason::AbortCourtesy);
    };
    world.end_game(game.header.id, ending);
    DONE
}

/// Ends the game at once with `courtesy` if the opponent is to move and lags, or is out of time alone. Otherwise offers `kind` to
/// the opponent, also if both are out of time.
///
/// Source of the messages: transcripts uhlinfics-end-courtesyabort-*.
fn end_by_courtesy_or_offer(
    world: &mut World,
    id: ConnectionId,
    kind: OfferKind,
    courtesy: GameEndReason,
) -> CommandResult {
    let (game, color) = world.own_played_game(id)?;
    let number = game.header.id;
    let claim = game.ending_by_flag_claim(color, world.now());
    let is_opponent_to_move = game.side_to_move() != color;
    let is_lagging = |opponent| is_opponent_to_move && world.is_lagging(opponent);
    if claim.is_none() && world.online_opponent_of(id).is_some_and(is_lagging) {
        world.end_game(number, Ending::of_side(courtesy, color));
        return DONE;
    }
    if claim.is_none_or(|ending| ending.reason == GameEndReason::BothTime) {
        return make_or_accept_offer(world, id, kind, 0);
    }
    let verb = format!("{}ed", kind.as_str());
    let text = format!("Since you have time, and your opponent has none, the game has been {verb}.\n");
    world.lobby.queue_text(id, &text);
    if let Some(opponent) = world.online_opponent_of(id) {
        world.lobby.notify(opponent, &format!("Your opponent has {verb} the game rather than calling your flag.\n"));
    }
    world.end_game(number, Ending::of_side(courtesy, color));
    DONE
}

fn run_pause(world: &mut World, id: ConnectionId, _: &str) -> CommandResult {
    let (game, _) = world.own_played_game(id)?;
    refuse_if(game.header.terms.is_untimed(), "You can't pause untimed games.\n")?;
    refuse_if(game.clock_state == ClockState::Paused, "Game is already paused, use \"unpause\" to resume.\n")?;
    make_or_accept_offer(world, id, OfferKind::Pause, 0)
}

fn run_unpause(world: &mut World, id: ConnectionId, _: &str) -> CommandResult {
    let (game, _) = world.own_played_game(id)?;
    refuse_if(game.clock_state == ClockState::Running, "Game is not paused.\n")?;
    make_or_accept_offer(world, id, OfferKind::Unpause, 0)
}

fn run_switch(world: &mut World, id: ConnectionId, _: &str) -> CommandResult {
    let (game, _) = world.own_played_game(id)?;
    let has_begun = game.header.terms.rated && !game.record.plies.is_empty();
    refuse_if(game.partner.is_some(), "Switch not implemented for bughouse games.\n")?;
    refuse_if(has_begun, "You cannot switch sides once a rated game is underway.\n")?;
    make_or_accept_offer(world, id, OfferKind::Switch, 0)
}

fn run_takeback(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let (game, _) = world.own_played_game(id)?;
    let plies = number_or_one(parameters)?;
    let n_plies = game.record.plies.len();
    refuse_if(game.partner.is_some(), "Takeback is not allowed in bughouse.\n")?;
    refuse_if(plies == 0, "You can't takeback less than 1 move.\n")?;
    refuse_if(plies > n_plies, format!("There are only {n_plies} half-moves in your game.\n"))?;
    make_or_accept_offer(world, id, OfferKind::Takeback, plies)
}

/// Makes an offer in the game to the opponent, or accepts an equal one of the opponent. `plies` is 0 but for a takeback, and one of
/// another number counters the opponent's. Refuses a repeated offer, and any offer while the opponent, who gives a simul, is at
/// another board. Does nothing if the opponent is not logged in.
fn make_or_accept_offer(world: &mut World, id: ConnectionId, kind: OfferKind, plies: usize) -> CommandResult {
    let proposal = Proposal::InGame(kind, plies);
    let Some(opponent) = world.online_opponent_of(id) else { return DONE };
    let is_away = world.lobby.own_game(id).is_some_and(|number| world.lobby.is_at_other_board(opponent, number));
    refuse_if(is_away, "You can only make requests when the simul player is at your board.\n")?;
    if let Some(offer) = world.offers.pending_between(opponent, id, proposal) {
        if offer.proposal == proposal {
            world.answer_offer(offer, AnswerCommand::Accept);
        } else {
            counter_takeback(world, offer, plies);
        }
        return DONE;
    }
    let former = world.offers.pending_between(id, opponent, proposal);
    let is_repeated = former.is_some_and(|offer| offer.proposal == proposal);
    refuse_if(is_repeated, format!("You are already offering that to {}.\n", world.lobby.player_name(opponent)))?;
    if let Some(former) = former {
        world.remove_offer(former);
        world.lobby.queue_text(id, "Updated takeback request sent.\n");
        world.lobby.notify(opponent, "Updated takeback request received.\n");
    }
    make_offer(world, [id, opponent], kind, plies);
    DONE
}

/// Replaces the opponent's takeback request by one for another number of moves, and reports that to both players and the
/// observers.
fn counter_takeback(world: &mut World, offer: Offer, plies: usize) {
    let Offer { from: opponent, to: id, .. } = offer;
    let name = world.lobby.player_name(id);
    let text = "You disagree on the number of half-moves to take back.\nAlternate takeback request sent.\n";
    world.lobby.queue_text(id, text);
    world.lobby.notify(opponent, &format!("{name} proposes a different number ({plies}) of half-move(s).\n"));
    world.remove_offer(offer);
    let counter = world.offers.add(id, opponent, Proposal::InGame(OfferKind::Takeback, plies));
    world.lobby.queue_offer_line(counter, id);
    world.lobby.queue_offer_line(counter, opponent);
    let text = format!("{name} proposes a different number ({plies}) of half-move(s) to take back.");
    world.notify_observers_of_player(id, &text);
}

/// Makes an offer and reports it to both sides and the observers.
fn make_offer(world: &mut World, [id, opponent]: [ConnectionId; 2], kind: OfferKind, plies: usize) {
    let Some(game) = world.lobby.own_game(id) else { return };
    let (me, other) = (world.lobby.player_name(id), world.lobby.player_name(opponent));
    let number = if kind == OfferKind::Takeback { u32::try_from(plies).ok() } else { u32::try_from(game.0).ok() };
    // Observers receive a request to end a game in the same words as the opponent.
    let shown_game = (!matches!(kind, OfferKind::Abort | OfferKind::Adjourn)).then_some(game);
    let sentence = |actor, name: &str, game| {
        let parts = SentenceParts { names: &[name], number, game, ..SentenceParts::default() };
        format!("{}\n", kind.to_sentence(actor, &parts))
    };
    let texts = [sentence(MeOrOther::Me, &other, None), sentence(MeOrOther::Other, &me, None)];
    world.make_offer([id, opponent], Proposal::InGame(kind, plies), texts.each_ref().map(String::as_str));
    let observed = sentence(MeOrOther::Other, &me, shown_game);
    world.lobby.observers(game).into_iter().for_each(|observer| world.lobby.notify(observer, &observed));
}

/// Accepts, declines or withdraws the offer that the parameter selects; declines or withdraws all offers if it is `all`. Without
/// [`Feature::OfferNames`], any other parameter than a number does nothing, as recorded on FatICS.
fn run_answer(world: &mut World, id: ConnectionId, parameters: &str, answer: AnswerCommand) -> CommandResult {
    let is_number = parameters.parse::<u32>().is_ok();
    let is_unsupported = world.options.missing.contains(&Feature::OfferNames) && !is_number && !parameters.is_empty();
    let is_accepted = answer == AnswerCommand::Accept;
    refuse_if(is_unsupported, if is_accepted { "" } else { "TODO: find by user\n" })?;
    let is_own = |offer: &Offer| if answer == AnswerCommand::Withdraw { offer.from == id } else { offer.to == id };
    let mut offers = world.offers.select(is_own);
    if parameters != "all" || is_accepted || offers.is_empty() {
        offers = vec![select_offer(world, id, offers, [parameters, answer.as_ref()])?];
    }
    for offer in offers {
        world.answer_offer(offer, answer);
    }
    DONE
}

/// Returns the offer that the last word of the parameters selects, by its number, its kind, or the other player; without
/// parameters, the only one. The error is the text of the refusal to execute `verb`, for no match or several.
fn select_offer(
    world: &World,
    id: ConnectionId,
    mut offers: Vec<Offer>,
    [parameters, verb]: [&str; 2],
) -> Result<Offer, CommandRefusal> {
    let word = parameters.split_whitespace().last().map(name_key);
    let is_named = |offer: &Offer, word: &str| match word.parse::<u32>() {
        Ok(number) => offer.number == number,
        Err(_) if offer.proposal.wire_word() == word => true,
        Err(_) => world.lobby.player_name(offer.other_side(id)).eq_ignore_ascii_case(word),
    };
    offers.retain(|offer| word.as_deref().is_none_or(|word| is_named(offer, word)));
    match (offers.as_slice(), word) {
        (&[offer], _) => Ok(offer),
        ([], None) => Err(format!("There are no offers to {verb}.\n").into()),
        ([], Some(word)) => Err(format!("There is no offer {word} to {verb}.\n").into()),
        _ => {
            let how = format!("Use \"pending\" to see them and \"{verb} n\" to choose one.\n");
            Err(format!("You have more than one pending offer. {how}").into())
        }
    }
}
