//! Challenges, and partnerships for bughouse.
//!
//! Source of the forms: transcripts fatics-match-pending-*, fatics-game-endings-* (interrupted games), fatics-bughouse-*,
//! fatics-block-client; bughouse §3.

use kibitzer_core::chess::Color;
use kibitzer_core::message::{ChallengeChange, CommandCode, MeOrOther};

use super::{CommandRefusal, CommandResult, CommandRow, DONE, find_online_player, refuse_if, required_first_word};
use crate::calendar::format_count;
use crate::chess::Variant;
use crate::options::Feature;
use crate::play::{Terms, games_row};
use crate::world::offers::challenge_sentence;
use crate::world::{ActiveGame, AnswerCommand, ConnectionId, Player, Proposal, ProposedMatch, World};

#[rustfmt::skip] // one to a line: it is a table
pub(crate) const COMMANDS: &[CommandRow] = &[
    CommandRow::new("bugwho", "", "Lists bughouse games, partnerships, and players who are open for bughouse.", run_bugwho),
    CommandRow::new("match", "player [minutes [increment]] [rated|unrated] [white|black] [crazyhouse|bughouse|wild fr|untimed]", "Challenges a player to a game, or to resume the adjourned one.", run_match),
    CommandRow::new("partner", "[player]", "Offers a bughouse partnership, or accepts one; without a name it ends yours.", run_partner),
    CommandRow::new("ptell", "text", "Sends a message to your bughouse partner.", run_ptell),
    CommandRow::new("rematch", "", "Challenges your previous opponent to another game on the same terms.", run_rematch),
    CommandRow::new("resume", "[player]", "Asks a player, or every opponent who is online, to continue your adjourned game.", run_resume),
];

/// Parameters of `match` and `seek`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MatchParameters {
    pub(crate) minutes: Option<u16>,
    pub(crate) increment_s: Option<u16>,
    pub(crate) is_rated: Option<bool>,
    pub(crate) color: Option<Color>,
    pub(crate) variant: Variant,
    pub(crate) is_untimed: bool,
    pub(crate) is_manual: bool,
    pub(crate) is_checked: bool,
    pub(crate) rating_range: Option<(u16, u16)>,
}

/// Refusal of a player with as many pending offers as allowed.
pub(crate) const TOO_MANY_OFFERS: &str = "You have too many pending offers.\n";

/// Maximum of minutes and increment.
const MAX_TIME: u16 = 999;

impl MatchParameters {
    /// Parses the words, in any order and case; the first number is that of minutes, the second the increment. `None` if a word
    /// is invalid.
    pub(crate) fn parse(words: &str) -> Option<Self> {
        let words = words.to_ascii_lowercase().replace("wild fr", "wild/fr");
        words.split_whitespace().try_fold(Self::default(), Self::with_word)
    }

    /// Applies a word of the parameters: rating mode, variant, color, a number, or a flag of a seek. `None` if it is invalid.
    fn with_word(mut self, word: &str) -> Option<Self> {
        match word {
            "r" | "rated" => self.is_rated = Some(true),
            "u" | "unrated" => self.is_rated = Some(false),
            "untimed" => self.is_untimed = true,
            "chess" | "blitz" | "lightning" | "standard" => self.variant = Variant::Standard,
            "crazyhouse" | "zh" => self.variant = Variant::Crazyhouse,
            "bughouse" | "bug" => self.variant = Variant::Bughouse,
            "wild/fr" => self.variant = Variant::FischerRandom,
            "w" | "white" => self.color = Some(Color::White),
            "b" | "black" => self.color = Some(Color::Black),
            "a" | "auto" => self.is_manual = false,
            "m" | "manual" => self.is_manual = true,
            "f" | "formula" => self.is_checked = true,
            _ => return self.with_rating_range_or_number(word),
        }
        Some(self)
    }

    /// Applies a rating range, or the next number of the time control: first minutes, then increment. `None` if the word is
    /// neither, for a number over [`MAX_TIME`], and for a third number.
    fn with_rating_range_or_number(mut self, word: &str) -> Option<Self> {
        if let Some((least, most)) = word.split_once('-') {
            self.rating_range = Some((least.parse().ok()?, most.parse().ok()?));
            return Some(self);
        }
        let number = Some(word.parse().ok()?).filter(|&number| number <= MAX_TIME);
        match (self.minutes, self.increment_s) {
            (None, _) => self.minutes = Some(number?),
            (Some(_), None) => self.increment_s = Some(number?),
            (Some(_), Some(_)) => return None,
        }
        Some(self)
    }

    /// Returns the terms of the game. The variables `time` and `inc` of the player replace a missing time control; a missing
    /// increment after a number of minutes is 0. Both are 0 in an untimed game.
    pub(crate) fn terms_with_defaults(self, world: &World, id: ConnectionId, is_rated: bool) -> Terms {
        let preferred = |number| world.lobby.player(id).map_or(0, |player| player.saved.variables.number(number));
        let (minutes, increment_s) = match (self.is_untimed, self.minutes) {
            (true, _) => (0, 0),
            (false, Some(minutes)) => (minutes, self.increment_s.unwrap_or(0)),
            (false, None) => (preferred("time"), preferred("inc")),
        };
        Terms { variant: self.variant, rated: is_rated, minutes: minutes.into(), increment_s: increment_s.into() }
    }

    /// Returns whether the game is rated: as proposed, otherwise if both players are registered and the game is timed. If it is
    /// unrated by default, queues a text that says so about `subject`.
    ///
    /// # Errors
    ///
    /// A refusal of a game that is proposed as rated and cannot be.
    pub(crate) fn decide_rated(
        self,
        world: &mut World,
        [id, opponent]: [ConnectionId; 2],
        subject: &str,
    ) -> Result<bool, CommandRefusal> {
        let is_registered = |id| world.lobby.player(id).is_some_and(|player| player.is_registered);
        let is_possible = is_registered(id) && is_registered(opponent) && !self.is_untimed;
        match self.is_rated {
            Some(true) if !is_possible => {
                let text = "Only registered players can play rated games.\n".to_owned();
                return Err(CommandRefusal::Coded(CommandCode::INSUFFICIENT_RIGHTS, text));
            }
            None if !is_possible => world.lobby.queue_text(id, &format!("Setting {subject} to unrated.\n")),
            _ => {}
        }
        Ok(self.is_rated.unwrap_or(is_possible))
    }
}

fn run_match(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let (name, words) = parameters.split_once(' ').unwrap_or((parameters, ""));
    let proposal = MatchParameters::parse(words).filter(|_| !name.is_empty()).ok_or(CommandRefusal::Usage)?;
    let opponent = find_challengeable(world, id, name)?;
    if world.games.adjourned_index_between(&world.lobby.player_name(id), &world.lobby.player_name(opponent)).is_some() {
        return challenge_to_resume(world, id, opponent);
    }
    check_bughouse_partners(world, [id, opponent], proposal.variant)?;
    let is_rated = proposal.decide_rated(world, [id, opponent], "match offer")?;
    let terms = proposal.terms_with_defaults(world, id, is_rated);
    make_or_accept_challenge(
        world,
        [id, opponent],
        ProposedMatch { terms, color: proposal.color, is_adjourned: false },
    );
    DONE
}

/// Returns the player of that name if `id` can challenge that player now. The error is the refusal: for an unknown name, a player
/// who is busy or not open, or one whose lists exclude the challenger.
pub(crate) fn find_challengeable(world: &World, id: ConnectionId, name: &str) -> Result<ConnectionId, CommandRefusal> {
    let opponent = find_online_player(world, name)?;
    let (me, other) = (world.lobby.player_name(id), world.lobby.player_name(opponent));
    let lists = |list| world.lobby.player(opponent).is_some_and(|player| player.saved.is_on_list(list, &me));
    let is_closed = !world.lobby.has_flag(opponent, "open");
    let (plays, has_game) = (|id| world.game_played_by(id).is_some(), |id| world.lobby.own_game(id).is_some());
    refuse_if(opponent == id, "You can't match yourself.\n")?;
    refuse_if(plays(id), "You can't challenge while you are playing a game.\n")?;
    refuse_if(has_game(id), "You can't challenge while you are examining a game.\n")?;
    refuse_if(lists("censor"), format!("{other} is censoring you.\n"))?;
    refuse_if(lists("noplay"), format!("You are on {other}'s noplay list.\n"))?;
    refuse_if(is_closed, format!("{other} is not open to match requests.\n"))?;
    let delivers_to_busy = plays(opponent) && world.options.missing.contains(&Feature::BusyRefusal);
    refuse_if(plays(opponent) && !delivers_to_busy, format!("{other} is playing a game.\n"))?;
    refuse_if(has_game(opponent) && !delivers_to_busy, format!("{other} is examining a game.\n"))?;
    Ok(opponent)
}

/// Refuses a game of bughouse unless both players have partners who are free, and are not each other's. Accepts every other
/// variant.
fn check_bughouse_partners(
    world: &World,
    [id, opponent]: [ConnectionId; 2],
    variant: Variant,
) -> Result<(), CommandRefusal> {
    if variant != Variant::Bughouse {
        return Ok(());
    }
    let partner = |id| world.lobby.player(id).and_then(|player| player.partner);
    let has_game = |id| world.lobby.own_game(id).is_some();
    let mine = partner(id).ok_or("You have no partner for bughouse.\n")?;
    let theirs = partner(opponent).ok_or("Your opponent has no partner for bughouse.\n")?;
    refuse_if(mine == opponent, "You can't match your own partner.\n")?;
    refuse_if(has_game(mine) || has_game(theirs), "A partner is playing a game already.\n")
}

/// Makes a challenge and reports it to both players. Accepts an equivalent challenge of the opponent instead; declines a
/// different one; replaces an earlier one of this player. For an identical challenge, or one over the limit of offers, only
/// queues a refusal.
pub(crate) fn make_or_accept_challenge(world: &mut World, [id, opponent]: [ConnectionId; 2], proposed: ProposedMatch) {
    let proposal = Proposal::Match(proposed);
    let (me, other) = (world.lobby.player_name(id), world.lobby.player_name(opponent));
    let report = |world: &mut World, change| {
        world.lobby.queue_text(id, &challenge_sentence(change, MeOrOther::Me, &[&other]));
        world.lobby.notify_on_prompt_line(opponent, &challenge_sentence(change, MeOrOther::Other, &[&me]));
    };
    let mine = world.offers.pending_between(id, opponent, proposal);
    let theirs = world.offers.pending_between(opponent, id, proposal);
    // The same game, as the opponent proposes it.
    let same = Proposal::Match(ProposedMatch { color: proposed.color.map(Color::opponent), ..proposed });
    if let Some(offer) = theirs.filter(|offer| offer.proposal == same) {
        report(world, ChallengeChange::Intercepted);
        return world.answer_offer(offer, AnswerCommand::Accept);
    }
    if mine.is_some_and(|offer| offer.proposal == proposal) {
        return world.lobby.queue_text(id, &format!("You are already offering an identical match to {other}.\n"));
    }
    if world.offers.has_reached_limit(id) {
        return world.lobby.queue_text(id, TOO_MANY_OFFERS);
    }
    if let Some(offer) = theirs {
        report(world, ChallengeChange::Countered);
        world.remove_offer(offer);
    }
    if let Some(offer) = mine {
        report(world, ChallengeChange::Updated);
        world.offers.remove(offer.number);
    }
    let text = world.lobby.challenge_text(id, opponent, proposed);
    let offer = world.offers.add(id, opponent, proposal);
    let forecast = world.format_rating_forecast(id, opponent, proposed);
    world.lobby.queue_unwrapped(id, &format!("Issuing: {text}.\n{forecast}"));
    world.lobby.queue_offer_line(offer, id);
    let forecast = world.format_rating_forecast(opponent, id, proposed);
    world.lobby.queue_unwrapped(opponent, &format!("Challenge: {text}.\n{forecast}"));
    world.lobby.queue_bell_if_on(opponent);
    world.lobby.notify_on_prompt_line(opponent, "You can \"accept\", \"decline\", or propose different parameters.\n");
    world.lobby.queue_offer_line(offer, opponent);
}

fn run_resume(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let Some(name) = parameters.split_whitespace().next() else { return challenge_all_to_resume(world, id) };
    let opponent = find_challengeable(world, id, name)?;
    challenge_to_resume(world, id, opponent)
}

/// Challenges every adjourned opponent who is online. Queues the refusal of each challenge that is not possible, and continues
/// with the next opponent.
///
/// Source: ICC help file `stored`. No recording has the text for a player without such an opponent.
fn challenge_all_to_resume(world: &mut World, id: ConnectionId) -> CommandResult {
    let mut opponents = world.games.adjourned_opponents(&world.lobby.player_name(id));
    opponents.retain(|opponent| world.lobby.connection_of_player(opponent.as_str()).is_some());
    refuse_if(opponents.is_empty(), "No player who has an adjourned game with you is online.\n")?;
    for opponent in opponents {
        let challenge = find_challengeable(world, id, opponent.as_str());
        if let Err(refusal) = challenge.and_then(|opponent| challenge_to_resume(world, id, opponent)) {
            world.lobby.queue_text(id, &refusal.into_text());
        }
    }
    DONE
}

/// Challenges one opponent to resume the adjourned game of both; refused if there is none.
fn challenge_to_resume(world: &mut World, id: ConnectionId, opponent: ConnectionId) -> CommandResult {
    let name = world.lobby.player_name(opponent);
    let index = world.games.adjourned_index_between(&world.lobby.player_name(id), &name);
    let Some(stored) = index.and_then(|index| world.games.adjourned.get(index)) else {
        return Err(CommandRefusal::Coded(
            CommandCode::BAD_PARAMETERS,
            format!("You have no adjourned game with {name}.\n"),
        ));
    };
    let proposed = ProposedMatch { terms: stored.header.terms, color: None, is_adjourned: true };
    make_or_accept_challenge(world, [id, opponent], proposed);
    DONE
}

fn run_rematch(world: &mut World, id: ConnectionId, _: &str) -> CommandResult {
    let name = world.lobby.player_name(id);
    let last = &world.games.history_of(&name).last().ok_or("You have no previous opponent.\n")?.game.header;
    let terms = last.terms;
    let Some(color) = last.color_of(&name) else { return DONE };
    let opponent = last.seats.of(color.opponent()).name.as_str();
    let is_absent = world.lobby.connection_of_player(opponent).is_none();
    refuse_if(is_absent, format!("Your last opponent, {opponent}, is not logged in.\n"))?;
    let opponent = find_challengeable(world, id, opponent)?;
    make_or_accept_challenge(world, [id, opponent], ProposedMatch { terms, color: None, is_adjourned: false });
    DONE
}

fn run_partner(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    let Some(name) = parameters.split_whitespace().next() else {
        refuse_if(!world.lobby.end_partnership(id), "You do not have a bughouse partner.\n")?;
        return Ok("You no longer have a bughouse partner.\n".to_owned());
    };
    let whom = find_online_player(world, name)?;
    if let Some(offer) = world.offers.pending_between(whom, id, Proposal::Partner) {
        world.answer_offer(offer, AnswerCommand::Accept);
        return DONE;
    }
    let (me, other) = (world.lobby.player_name(id), world.lobby.player_name(whom));
    let has_partner = |id| world.lobby.player(id).is_some_and(|player| player.partner.is_some());
    let is_closed = !world.lobby.has_flag(whom, "bugopen");
    let is_repeated = world.offers.pending_between(id, whom, Proposal::Partner).is_some();
    refuse_if(whom == id, "You can't be your own bughouse partner.\n")?;
    refuse_if(has_partner(id), "You already have a bughouse partner.\n")?;
    refuse_if(has_partner(whom), format!("{other} already has a partner.\n"))?;
    refuse_if(is_closed, format!("{other} is not open for bughouse.\n"))?;
    refuse_if(is_repeated, format!("You are already offering to be {other}'s partner.\n"))?;
    refuse_if(world.offers.has_reached_limit(id), TOO_MANY_OFFERS)?;
    let own = format!("Making a partnership offer to {other}.\n");
    let theirs = format!("{me} offers to be your bughouse partner; type \"partner {me}\" to accept.\n");
    world.make_offer([id, whom], Proposal::Partner, [&own, &theirs]);
    DONE
}

fn run_ptell(world: &mut World, id: ConnectionId, text: &str) -> CommandResult {
    required_first_word(text)?;
    let me = world.lobby.player(id).and_then(|me| Some((me.partner?, me.name_with_titles())));
    let (partner, display) = me.ok_or("You do not have a partner at present.\n")?;
    world.lobby.notify(partner, &format!("{display} (your partner) tells you: {text}\n"));
    Ok(world.format_tell_receipt(partner))
}

fn run_bugwho(world: &mut World, _: ConnectionId, _: &str) -> CommandResult {
    let played =
        world.games.in_progress.values().filter_map(ActiveGame::as_played).filter(|game| game.partner.is_some());
    let games: Vec<_> = played.map(|game| format!("{}\n", games_row(game, world.now()))).collect();
    let rated = |player: &Player| format!("{} {}", player.rating("bughouse"), player.name_with_titles());
    let (mut pairs, mut open) = (Vec::new(), Vec::new());
    for (id, player) in world.lobby.players().filter(|(_, player)| player.game.is_none()) {
        match player.partner {
            // Each pair is listed once.
            Some(partner) if id < partner => {
                let pair = world.lobby.player(partner).map(|other| format!("{} / {}\n", rated(player), rated(other)));
                pairs.extend(pair);
            }
            None if player.has_flag("bugopen") => open.push(format!("{}\n", rated(player))),
            _ => {}
        }
    }
    Ok(format!(
        "Bughouse games in progress\n{} {} displayed.\nPartnerships not playing bughouse\n{}  {} displayed.\n\
         Unpartnered players with bugopen on\n{}  {} displayed (of {}).\n",
        games.concat(),
        format_count(games.len(), "game"),
        pairs.concat(),
        format_count(pairs.len(), "partnership"),
        open.concat(),
        format_count(open.len(), "player"),
        world.lobby.players().count(),
    ))
}

#[cfg(test)]
mod tests;
