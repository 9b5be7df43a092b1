//! Asking somebody to play.
//!
//! Source of the forms: transcripts fatics-match-pending-*, fatics-game-endings-* (interrupted games).

use kibitzer_core::chess::Color;
use kibitzer_core::message::CommandCode;

use super::game::color;
use super::{Command, Verdict};
use crate::chess::Variant;
use crate::play::Terms;
use crate::world::{Challenge, ConnectionId, Flag, List, Number, OfferKind, World};

#[rustfmt::skip] // one to a line: it is a table
pub(super) const COMMANDS: &[Command] = &[
    Command::anyone("match", "player [minutes [increment]] [rated|unrated] [white|black] [crazyhouse|bughouse|wild fr|untimed]", "Challenges a player to a game; if you have an interrupted one, to go on with that.", challenge),
    Command::anyone("rematch", "", "Challenges your last opponent to the same game again.", rematch),
    Command::anyone("resume", "[player]", "Asks a player, or every opponent who is online, to continue your adjourned game.", resume),
];

/// What the words behind a `match` or `seek` ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Proposal {
    pub(super) minutes: Option<u16>,
    pub(super) increment_s: Option<u16>,
    pub(super) is_rated: Option<bool>,
    pub(super) color: Option<Color>,
    pub(super) variant: Variant,
    pub(super) is_untimed: bool,
    pub(super) is_manual: bool,
    pub(super) is_checked: bool,
    pub(super) rating_range: Option<(u16, u16)>,
}

/// Longest time and increment of a game.
const MAX_TIME: u16 = 999;

impl Proposal {
    /// Reads the words; `None` if one of them makes no sense.
    pub(super) fn parse(words: &str) -> Option<Self> {
        let words = words.to_ascii_lowercase().replace("wild fr", "wild/fr");
        words.split_whitespace().try_fold(Self::default(), Self::with)
    }

    fn with(mut self, word: &str) -> Option<Self> {
        match word {
            "r" | "rated" => self.is_rated = Some(true),
            "u" | "unrated" => self.is_rated = Some(false),
            "untimed" => self.is_untimed = true,
            "chess" | "blitz" | "lightning" | "standard" => self.variant = Variant::Standard,
            "crazyhouse" | "zh" => self.variant = Variant::Crazyhouse,
            "bughouse" | "bug" => self.variant = Variant::Bughouse,
            "wild/fr" => self.variant = Variant::FischerRandom,
            "a" | "auto" => self.is_manual = false,
            "m" | "manual" => self.is_manual = true,
            "f" | "formula" => self.is_checked = true,
            _ => return self.with_color_or_number(word),
        }
        Some(self)
    }

    fn with_color_or_number(mut self, word: &str) -> Option<Self> {
        if let Some(color) = color(word) {
            self.color = Some(color);
            return Some(self);
        }
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

    /// The terms, with what a player prefers where nothing was asked for.
    pub(super) fn terms(self, world: &World, id: ConnectionId, is_rated: bool) -> Terms {
        let preferred = |number| world.lobby.player(id).map_or(0, |player| player.saved.variables.number(number));
        let (minutes, increment_s) = match (self.is_untimed, self.minutes) {
            (true, _) => (0, 0),
            (false, Some(minutes)) => (minutes, self.increment_s.unwrap_or(0)),
            (false, None) => (preferred(Number::Time), preferred(Number::Inc)),
        };
        Terms { variant: self.variant, rated: is_rated, minutes: minutes.into(), increment_s: increment_s.into() }
    }

    /// Whether the game is rated: as asked for, else if that is possible, which is said. `None` if it was asked for and
    /// is not possible.
    pub(super) fn rating(
        self,
        world: &mut World,
        id: ConnectionId,
        opponent: ConnectionId,
        what: &str,
    ) -> Option<bool> {
        let is_registered = |id| world.lobby.player(id).is_some_and(|player| player.is_registered);
        let is_possible = is_registered(id) && is_registered(opponent) && !self.is_untimed;
        match self.is_rated {
            Some(true) if !is_possible => {
                world.lobby.put(id, "Only registered players can play rated games.\n");
                None
            }
            Some(is_rated) => Some(is_rated),
            None => {
                if !is_possible {
                    world.lobby.put(id, &format!("Setting {what} to unrated.\n"));
                }
                Some(is_possible)
            }
        }
    }
}

fn challenge(world: &mut World, id: ConnectionId, parameters: &str) -> Verdict {
    let (name, words) = parameters.split_once(' ').unwrap_or((parameters, ""));
    let Some(proposal) = Proposal::parse(words).filter(|_| !name.is_empty()) else { return Verdict::Usage };
    let Some(opponent) = challenged(world, id, name) else { return Verdict::Done };
    if world.tables.stored_between(&world.lobby.name(id), &world.lobby.name(opponent)).is_some() {
        return resume_with(world, id, opponent);
    }
    if !has_partners(world, id, opponent, proposal.variant) {
        return Verdict::Done;
    }
    let Some(is_rated) = proposal.rating(world, id, opponent, "match offer") else {
        return Verdict::Refused(CommandCode::INSUFFICIENT_RIGHTS);
    };
    let terms = proposal.terms(world, id, is_rated);
    issue(world, id, opponent, Challenge { terms, color: proposal.color, is_adjourned: false });
    Verdict::Done
}

/// The player who is to be challenged, if he can be. Says so if not.
pub(super) fn challenged(world: &mut World, id: ConnectionId, name: &str) -> Option<ConnectionId> {
    let Some(opponent) = world.lobby.find(name) else {
        world.lobby.put(id, &format!("No player named \"{name}\" is online.\n"));
        return None;
    };
    match obstacle(world, id, opponent) {
        Some(why) => {
            world.lobby.put(id, &format!("{why}\n"));
            None
        }
        None => Some(opponent),
    }
}

fn obstacle(world: &World, id: ConnectionId, opponent: ConnectionId) -> Option<String> {
    let (me, other) = (world.lobby.name(id), world.lobby.name(opponent));
    let lists = |list| world.lobby.player(opponent).is_some_and(|player| player.saved.lists(list, &me));
    if opponent == id {
        Some("You can't match yourself.".to_owned())
    } else if world.game_of(id).is_some() {
        Some("You can't challenge while you are playing a game.".to_owned())
    } else if world.lobby.own_game(id).is_some() {
        Some("You can't challenge while you are examining a game.".to_owned())
    } else if lists(List::Censor) {
        Some(format!("{other} is censoring you."))
    } else if lists(List::Noplay) {
        Some(format!("You are on {other}'s noplay list."))
    } else if !world.lobby.has_flag(opponent, Flag::Open) {
        Some(format!("{other} is not open to match requests."))
    } else if world.game_of(opponent).is_some() {
        Some(format!("{other} is playing a game."))
    } else if world.lobby.own_game(opponent).is_some() {
        Some(format!("{other} is examining a game."))
    } else {
        None
    }
}

/// Whether a game of that variant has the players it needs. Says so if not.
fn has_partners(world: &mut World, id: ConnectionId, opponent: ConnectionId, variant: Variant) -> bool {
    if variant != Variant::Bughouse {
        return true;
    }
    let partner = |id| world.lobby.player(id).and_then(|player| player.partner);
    let why = match (partner(id), partner(opponent)) {
        (None, _) => "You have no partner for bughouse.\n",
        (_, None) => "Your opponent has no partner for bughouse.\n",
        (Some(mine), Some(_)) if mine == opponent => "You can't match your own partner.\n",
        (Some(mine), Some(theirs)) if [mine, theirs].into_iter().any(|id| world.lobby.own_game(id).is_some()) => {
            "A partner is playing a game already.\n"
        }
        _ => return true,
    };
    world.lobby.put(id, why);
    false
}

/// Makes a challenge, takes it for an answer to the opponent's, or changes an earlier one.
pub(super) fn issue(world: &mut World, id: ConnectionId, opponent: ConnectionId, challenge: Challenge) {
    let kind = OfferKind::Match(challenge);
    let (me, other) = (world.lobby.name(id), world.lobby.name(opponent));
    let (mine, theirs) = (world.offers.between(id, opponent, kind), world.offers.between(opponent, id, kind));
    if let Some(offer) =
        theirs.filter(|offer| matches!(offer.kind, OfferKind::Match(their) if is_same(their, challenge)))
    {
        world.lobby.put(id, &format!("Your challenge intercepts {other}'s challenge.\n"));
        world.lobby.notify_after_prompt(opponent, &format!("{me}'s challenge intercepts your challenge.\n"));
        return world.accept_offer(offer);
    }
    if mine.is_some_and(|offer| offer.kind == kind) {
        return world.lobby.put(id, &format!("You are already offering an identical match to {other}.\n"));
    }
    if world.offers.are_too_many(id) {
        return world.lobby.put(id, "You have too many pending offers.\n");
    }
    if let Some(offer) = theirs {
        world.lobby.put(id, &format!("Declining the offer from {other} and proposing a counteroffer.\n"));
        world.lobby.notify_after_prompt(opponent, &format!("{me} declines your offer and proposes a counteroffer.\n"));
        world.remove_offer(offer);
    }
    if let Some(offer) = mine {
        world.lobby.put(id, &format!("Updating the offer already made to {other}.\n"));
        world.lobby.notify_after_prompt(opponent, &format!("{me} updates the offer.\n"));
        world.offers.remove(offer.number);
    }
    let text = world.lobby.challenge_text(id, opponent, challenge);
    let offer = world.offers.add(id, opponent, kind);
    world.lobby.put_whole(id, &format!("Issuing: {text}.\n"));
    world.lobby.show_offer(offer, id);
    world.lobby.put_whole(opponent, &format!("Challenge: {text}.\n"));
    world.lobby.ring(opponent);
    world.lobby.notify_after_prompt(opponent, "You can \"accept\", \"decline\", or propose different parameters.\n");
    world.lobby.show_offer(offer, opponent);
}

/// Whether two challenges ask for the same game, each from its own side.
fn is_same(one: Challenge, other: Challenge) -> bool {
    let is_same_color = one.color == other.color.map(Color::opponent);
    one.terms == other.terms && one.is_adjourned == other.is_adjourned && is_same_color
}

fn resume(world: &mut World, id: ConnectionId, parameters: &str) -> Verdict {
    let Some(name) = parameters.split_whitespace().next() else { return resume_with_all(world, id) };
    let Some(opponent) = challenged(world, id, name) else { return Verdict::Done };
    resume_with(world, id, opponent)
}

/// Challenges every adjourned opponent who is online.
///
/// Source: ICC help file `stored`. No recording has the text for a player without such an opponent.
fn resume_with_all(world: &mut World, id: ConnectionId) -> Verdict {
    let opponents = world.tables.stored_opponents(&world.lobby.name(id));
    let online: Vec<_> = opponents.iter().filter(|opponent| world.lobby.online(opponent.as_str()).is_some()).collect();
    if online.is_empty() {
        world.lobby.put(id, "No player who has an adjourned game with you is online.\n");
    }
    for opponent in online {
        if let Some(opponent) = challenged(world, id, opponent.as_str()) {
            resume_with(world, id, opponent);
        }
    }
    Verdict::Done
}

fn resume_with(world: &mut World, id: ConnectionId, opponent: ConnectionId) -> Verdict {
    let stored = world.tables.stored_between(&world.lobby.name(id), &world.lobby.name(opponent));
    let Some(terms) = stored.and_then(|index| world.tables.stored.get(index)).map(|stored| stored.game.terms()) else {
        let name = world.lobby.name(opponent);
        world.lobby.put(id, &format!("You have no adjourned game with {name}.\n"));
        return Verdict::Refused(CommandCode::BAD_PARAMETERS);
    };
    issue(world, id, opponent, Challenge { terms, color: None, is_adjourned: true });
    Verdict::Done
}

fn rematch(world: &mut World, id: ConnectionId, _: &str) -> Verdict {
    let name = world.lobby.name(id);
    let Some(last) = world.tables.history_of(&name).last().map(|finished| std::sync::Arc::clone(&finished.game)) else {
        world.lobby.put(id, "You have no previous opponent.\n");
        return Verdict::Done;
    };
    let Some(color) = last.color_of(&name) else { return Verdict::Done };
    let opponent = last.seat(color.opponent()).name.clone();
    if world.lobby.online(opponent.as_str()).is_none() {
        world.lobby.put(id, &format!("Your last opponent, {opponent}, is not logged in.\n"));
        return Verdict::Done;
    }
    if let Some(opponent) = challenged(world, id, opponent.as_str()) {
        issue(world, id, opponent, Challenge { terms: last.terms(), color: None, is_adjourned: false });
    }
    Verdict::Done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_proposal_stand_in_any_order() {
        let want = Proposal {
            minutes: Some(5),
            increment_s: Some(0),
            is_rated: Some(false),
            color: Some(Color::White),
            ..Proposal::default()
        };
        assert_eq!(Proposal::parse("5 0 u white"), Some(want));
        assert_eq!(Proposal::parse("white Unrated 5 0"), Some(want));
        let seek = Proposal::parse("3 0 crazyhouse black m f 1000-2000").unwrap();
        assert_eq!((seek.variant, seek.is_manual, seek.is_checked), (Variant::Crazyhouse, true, true));
        assert_eq!(seek.rating_range, Some((1000, 2000)));
        assert!(Proposal::parse("untimed").unwrap().is_untimed);
        for bad in ["1 2 3", "banana", "5000", "-1", "5 0 u white x"] {
            assert_eq!(Proposal::parse(bad), None, "{bad}");
        }
    }
}
