//! Ads, and answers to them.
//!
//! Source of the forms: transcripts fatics-seeks-*.

use kibitzer_core::chess::Color;

use super::challenge::{Proposal, challenged, issue};
use super::{Command, DONE, Outcome, Refusal};
use crate::chess::Variant;
use crate::play::Terms;
use crate::world::{Challenge, ConnectionId, List, MAX_SEEKS, Seek, World};

#[rustfmt::skip] // one to a line: it is a table
pub(super) const COMMANDS: &[Command] = &[
    Command::anyone("play", "number|player", "Answers an ad.", play),
    Command::anyone("seek", "[minutes [increment]] [rated|unrated] [white|black] [crazyhouse] [manual] [formula] [least-most]", "Posts an ad for a game.", seek),
    Command::query("sought", "[all]", "Shows the ads there are.", sought),
    Command::anyone("unseek", "[number]", "Takes your ads away, or one of them.", unseek),
];

/// Default rating range of a seek.
const ANY_RATING: (u16, u16) = (0, 9_999);

fn seek(world: &mut World, id: ConnectionId, parameters: &str) -> Outcome {
    if world.lobby.own_game(id).is_some() {
        return Ok("You are playing a game.\n".to_owned());
    }
    if world.seeks.iter().filter(|seek| seek.from == id).count() >= MAX_SEEKS {
        return Ok(format!("You can only have {MAX_SEEKS} active seeks.\n"));
    }
    let proposal = Proposal::parse(parameters).filter(|proposal| proposal.variant != Variant::Bughouse);
    let Some(proposal) = proposal else { return Err(Refusal::Usage) };
    let is_rated = proposal.rating(world, [id, id], "seek")?;
    let wanted = Seek {
        number: 0,
        from: id,
        terms: proposal.terms(world, id, is_rated),
        color: proposal.color,
        rating_range: proposal.rating_range.unwrap_or(ANY_RATING),
        is_manual: proposal.is_manual,
        is_checked: proposal.is_checked,
    };
    match matching(world, &wanted) {
        Some(found) => start_matching(world, id, &found, wanted.color),
        None => post(world, id, &wanted),
    }
    DONE
}

fn post(world: &mut World, id: ConnectionId, seek: &Seek) {
    let (number, n_viewers) = world.add_seek(seek);
    world.lobby.put(id, &format!("Your seek has been posted with index {number}.\n"));
    let players = if n_viewers == 1 { "player" } else { "players" };
    world.lobby.put(id, &format!("({n_viewers} {players} saw the seek.)\n"));
}

/// An ad that asks for the same game.
fn matching(world: &World, wanted: &Seek) -> Option<Seek> {
    let fits = |seek: &&Seek| {
        seek.from != wanted.from
            && world.lobby.own_game(seek.from).is_none()
            && seek.terms == wanted.terms
            && !seek.is_manual
            && !wanted.is_manual
            && (seek.color.is_none() || wanted.color.is_none() || seek.color == wanted.color.map(Color::opponent))
            && may_answer(world, wanted.from, seek)
            && may_answer(world, seek.from, wanted)
    };
    world.seeks.iter().find(fits).cloned()
}

fn start_matching(world: &mut World, id: ConnectionId, found: &Seek, color: Option<Color>) {
    let (me, other) = (world.lobby.name(id), world.lobby.name(found.from));
    world.lobby.put(id, &format!("Your seek matches one posted by {other}.\n"));
    world.lobby.notify(found.from, &format!("Your seek matches one posted by {me}.\n"));
    start(world, id, found, color);
}

fn start(world: &mut World, id: ConnectionId, found: &Seek, color: Option<Color>) {
    let players = world.seat_players(id, found.from, color.or(found.color.map(Color::opponent)));
    world.start_game(players, found.terms, Some(id));
}

/// Whether a player matches a seek's conditions.
fn may_answer(world: &World, id: ConnectionId, seek: &Seek) -> bool {
    let (Some(player), Some(seeker)) = (world.lobby.player(id), world.lobby.player(seek.from)) else { return false };
    let rating = player.rating(seek.terms.kind().as_str()).value().unwrap_or_default();
    let lists = |list| seeker.saved.lists(list, player.name());
    (seek.rating_range.0..=seek.rating_range.1).contains(&rating)
        && (player.is_registered || !seek.terms.rated)
        && !lists(List::Noplay)
        && !lists(List::Censor)
}

fn unseek(world: &mut World, id: ConnectionId, parameters: &str) -> Outcome {
    let word = parameters.trim_end();
    let text = if word.is_empty() {
        let numbers = world.remove_seeks(id);
        if numbers.is_empty() { "You have no active seeks.\n" } else { "Your seeks have been removed.\n" }.to_owned()
    } else {
        let Ok(number) = word.parse() else { return Err(Refusal::Usage) };
        if world.seeks.iter().any(|seek| seek.number == number && seek.from == id) {
            world.remove_seek(number);
            format!("Your seek {number} has been removed.\n")
        } else {
            format!("You have no seek {number}.\n")
        }
    };
    Ok(text)
}

fn play(world: &mut World, id: ConnectionId, parameters: &str) -> Outcome {
    let word = parameters.trim_end();
    if word.is_empty() {
        return Err(Refusal::Usage);
    }
    let seek = sought_by(world, id, word)?;
    let name = world.lobby.name(seek.from);
    challenged(world, id, &name)?;
    if !may_answer(world, id, &seek) {
        return Ok(format!("You do not match {name}'s seek.\n"));
    }
    if seek.is_manual {
        world.lobby.put(id, "Issuing match request since the seek was set to manual.\n");
        let color = seek.color.map(Color::opponent);
        issue(world, id, seek.from, Challenge { terms: seek.terms, color, is_adjourned: false });
        return DONE;
    }
    let me = world.lobby.name(id);
    world.lobby.notify(seek.from, &format!("{me} accepts your seek.\n"));
    start(world, id, &seek, None);
    DONE
}

/// Returns the seek of another player by its number or by the seeker's name.
fn sought_by(world: &World, id: ConnectionId, word: &str) -> Result<Seek, String> {
    let (number, seeker) = (word.parse::<u32>(), world.lobby.find(word));
    let is_named = |seek: &&Seek| match number {
        Ok(number) => seek.number == number,
        Err(_) => Some(seek.from) == seeker,
    };
    let seeks: Vec<_> = world.seeks.iter().filter(|seek| seek.from != id).filter(is_named).cloned().collect();
    match seeks.as_slice() {
        [seek] => Ok(seek.clone()),
        [] => Err("That seek is not available.\n".to_owned()),
        [seek, ..] => Err(format!("{} is seeking several games.\n", world.lobby.name(seek.from))),
    }
}

fn sought(world: &World, _: ConnectionId, _: &str) -> Outcome {
    let rows: String = world.seeks.iter().filter_map(|seek| row(world, seek)).collect();
    let n_ads = world.seeks.len();
    let ads = if n_ads == 1 { "ad" } else { "ads" };
    Ok(format!("{rows}{n_ads} {ads} displayed.\n"))
}

/// `  4 ---- Alekhine           15  10 unrated standard   [white]     0-9999 m`.
fn row(world: &World, seek: &Seek) -> Option<String> {
    let player = world.lobby.player(seek.from)?;
    let Terms { minutes, increment_s, .. } = seek.terms;
    let kind = seek.terms.kind().as_str();
    let color = match seek.color {
        Some(Color::White) => "[white]",
        Some(Color::Black) => "[black]",
        None => "",
    };
    let flags = match (seek.is_manual, seek.is_checked) {
        (true, true) => " mf",
        (true, false) => " m",
        (false, true) => " f",
        (false, false) => "",
    };
    let (least, most) = seek.rating_range;
    Some(format!(
        "{:>3} {:>4} {:<17} {minutes:>3} {increment_s:>3} {:<7} {kind:<10} {color:<7} {least:>5}-{most:<4}{flags}\n",
        seek.number,
        player.rating(kind).to_string(),
        player.display(),
        seek.terms.rated_word(),
    ))
}
