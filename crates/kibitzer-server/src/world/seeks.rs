//! Seeks: players who look for an opponent.
//!
//! Source of the forms: transcripts fatics-seeks-*; datagrams §3.

use kibitzer_core::chess::Color;

use super::command::challenge::{Proposal, find_challengeable, make_or_accept_challenge};
use super::command::{Command, CommandResult, DONE, Refusal, refuse_if, required_first_word};
use super::offers::{Challenge, format_requested_color};
use super::{ConnectionId, Ivar, World};
use crate::calendar::format_count;
use crate::chess::Variant;
use crate::play::{Terms, color_letter};

/// Maximum number of seeks of a player.
const MAX_SEEKS: usize = 3;

/// A seek: the terms on which a player looks for an opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seek {
    pub(crate) number: u32,
    pub(crate) from: ConnectionId,
    pub(crate) terms: Terms,
    /// The seeker's color.
    pub(crate) color: Option<Color>,
    /// Lowest and highest rating of an opponent, inclusive.
    pub(crate) rating_range: (u16, u16),
    /// Whether the seeker confirms before the game starts.
    pub(crate) is_manual: bool,
    /// Whether the seeker requested that answers are checked against the formula; this server does not check it.
    pub(crate) is_checked: bool,
}

impl World {
    /// Posts a seek under the lowest unused number, in place of its own, and shows it to the players. Returns the number and how
    /// many others saw it.
    pub(crate) fn post_seek(&mut self, seek: Seek) -> (u32, usize) {
        let mut taken: Vec<_> = self.seeks.iter().map(|seek| seek.number).collect();
        taken.sort_unstable();
        // The lowest unused number.
        let number = taken.into_iter().fold(1, |free, number| if number == free { free + 1 } else { free });
        let seek = Seek { number, ..seek };
        let (data, text) = (self.seekinfo_with_newline(&seek), self.seek_text(&seek));
        let mut viewers = self.lobby.players_where(|id, _| self.is_seek_shown_to(id, &seek));
        viewers.retain(|&id| self.show_seek(id, &seek, &data, &text) && id != seek.from);
        self.seeks.push(seek);
        (number, viewers.len())
    }

    /// Returns whether a seek is shown to a player: not during a game, rated ones not to guests, own ones only with the ivar
    /// `showownseek`.
    fn is_seek_shown_to(&self, id: ConnectionId, seek: &Seek) -> bool {
        let is_registered = self.lobby.player(id).is_some_and(|player| player.is_registered);
        let is_possible = self.game_played_by(id).is_none() && (is_registered || !seek.terms.rated);
        is_possible && (id != seek.from || self.lobby.has_ivar(id, Ivar::ShowOwnSeek))
    }

    /// Shows a seek as data, as text, or both, as the client has requested; returns whether it was shown at all. The seeker needs
    /// the variable `showownseek` to receive the text.
    ///
    /// The caller has to check [`is_seek_shown_to`](Self::is_seek_shown_to) first.
    fn show_seek(&mut self, id: ConnectionId, seek: &Seek, data: &str, text: &str) -> bool {
        let has_data = self.lobby.has_ivar(id, Ivar::SeekInfo);
        let is_own = id == seek.from;
        let has_text = self.lobby.has_flag(id, "seek") && (!is_own || self.lobby.has_flag(id, "showownseek"));
        if has_data {
            self.lobby.queue_unwrapped(id, data);
        }
        // A datagram is sent in addition, if the client has switched it on.
        let has_data = self.queue_seek_datagram_if_on(id, seek) || has_data;
        if has_text {
            self.lobby.notify_unwrapped(id, text);
        }
        has_data || has_text
    }

    /// Formats a seek for the ivar `seekinfo`: `<s> 3 w=Alekhine ti=00 rt=1882 t=5 i=0 r=r tp=blitz c=? rr=0-9999 a=t f=f`
    /// and a newline. Empty if the seeker is not logged in.
    pub(crate) fn seekinfo_with_newline(&self, seek: &Seek) -> String {
        let Some(player) = self.lobby.player(seek.from) else { return String::new() };
        let Seek { number, terms, rating_range: (least, most), .. } = seek;
        let kind = terms.kind();
        let color = seek.color.map_or('?', color_letter);
        let letter = |is: bool| if is { 't' } else { 'f' };
        format!(
            "<s> {number} w={} ti={:02x} rt={}  t={} i={} r={} tp={} c={color} rr={least}-{most} a={} f={}\n",
            player.name(),
            title_bits(&player.titles),
            player.rating(kind).value().unwrap_or_default(),
            terms.minutes,
            terms.increment_s,
            if terms.rated { 'r' } else { 'u' },
            kind,
            letter(!seek.is_manual),
            letter(seek.is_checked),
        )
    }

    /// Formats a seek as text: `Alekhine (1882) seeking 5 0 rated blitz ("play 3" to respond)` and a newline. Empty if
    /// the seeker is not logged in.
    fn seek_text(&self, seek: &Seek) -> String {
        let Some(player) = self.lobby.player(seek.from) else { return String::new() };
        let terms = seek.terms;
        let rating = player.rating(terms.kind());
        let mut words = format!("{} {} {} {}", terms.minutes, terms.increment_s, terms.rated_word(), terms.kind());
        words += &format_requested_color(seek.color);
        words += if seek.is_manual { " m" } else { "" };
        words += if seek.is_checked { " f" } else { "" };
        format!("{} ({:>4}) seeking {words} (\"play {}\" to respond)\n", player.name(), rating.to_string(), seek.number)
    }

    /// Formats the line `<sc>` and all visible seeks as data, for a client that has just switched `seekinfo` on.
    pub(crate) fn seekinfo_list(&self, to: ConnectionId) -> String {
        let shown = self.visible_seeks(to);
        shown.iter().fold("\n<sc>\n".to_owned(), |list, seek| list + &self.seekinfo_with_newline(seek))
    }

    /// Removes a player's seeks and reports each removal; returns their numbers, none if the player has no seek.
    pub(crate) fn remove_and_report_seeks_of(&mut self, from: ConnectionId) -> Vec<u32> {
        let numbers: Vec<_> = self.seeks.iter().filter(|seek| seek.from == from).map(|seek| seek.number).collect();
        for &number in &numbers {
            self.remove_and_report_seek(number);
        }
        numbers
    }

    /// Removes a seek and reports that to the clients that follow seeks as data: with both ivars `seekinfo` and `seekremove`, or
    /// by a datagram. Does nothing without such a seek.
    pub(crate) fn remove_and_report_seek(&mut self, number: u32) {
        let Some(at) = self.seeks.iter().position(|seek| seek.number == number) else { return };
        self.seeks.remove(at);
        let [info, removal] = [Ivar::SeekInfo, Ivar::SeekRemove];
        for id in self.lobby.players_where(|_, player| player.ivars.is_set(info) && player.ivars.is_set(removal)) {
            self.lobby.queue_unwrapped(id, &format!("<sr> {number}\n"));
        }
        for id in self.lobby.players_where(|_, _| true) {
            self.queue_seek_removal_datagram_if_on(number, id);
        }
    }

    /// Returns the seeks that are shown to a player.
    pub(crate) fn visible_seeks(&self, to: ConnectionId) -> Vec<Seek> {
        self.seeks.iter().filter(|seek| self.is_seek_shown_to(to, seek)).copied().collect()
    }
}

/// Encodes titles as the bits of `ti=`.
///
/// Source: datagrams §3.
fn title_bits(titles: &str) -> u8 {
    // The highest bit first.
    const TITLES: [&str; 8] = ["(WFM)", "(WIM)", "(WGM)", "(FM)", "(IM)", "(GM)", "(C)", "(U)"];
    TITLES.iter().fold(0, |bits, title| (bits << 1) | u8::from(titles.contains(title)))
}

#[rustfmt::skip] // one to a line: it is a table
pub(crate) const COMMANDS: &[Command] = &[
    Command::new("play", "number|player", "Accepts a seek.", run_play),
    Command::new("seek", "[minutes [increment]] [rated|unrated] [white|black] [crazyhouse] [manual] [formula] [least-most]", "Posts a seek for a game.", run_seek),
    Command::new("sought", "[all]", "Lists all seeks.", run_sought),
    Command::new("unseek", "[number]", "Removes all of your seeks, or one of them.", run_unseek),
];

/// Default rating range of a seek.
const ANY_RATING: (u16, u16) = (0, 9_999);

fn run_seek(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    refuse_if(world.lobby.own_game(id).is_some(), "You are playing a game.\n")?;
    let n_own = world.seeks.iter().filter(|seek| seek.from == id).count();
    refuse_if(n_own >= MAX_SEEKS, format!("You can only have {MAX_SEEKS} active seeks.\n"))?;
    let proposal = Proposal::parse(parameters).filter(|proposal| proposal.variant != Variant::Bughouse);
    let proposal = proposal.ok_or(Refusal::Usage)?;
    let is_rated = proposal.decide_rated_and_report(world, [id, id], "seek")?;
    let wanted = Seek {
        // Assigned when the seek is posted.
        number: 0,
        from: id,
        terms: proposal.terms_with_defaults(world, id, is_rated),
        color: proposal.color,
        rating_range: proposal.rating_range.unwrap_or(ANY_RATING),
        is_manual: proposal.is_manual,
        is_checked: proposal.is_checked,
    };
    let Some(found) = find_automatic_match(world, &wanted) else {
        let (number, n_viewers) = world.post_seek(wanted);
        let viewers = format_count(n_viewers, "player");
        return Ok(format!("Your seek has been posted with index {number}.\n({viewers} saw the seek.)\n"));
    };
    let (me, other) = (world.lobby.player_name(id), world.lobby.player_name(found.from));
    world.lobby.queue_text(id, &format!("Your seek matches one posted by {other}.\n"));
    world.lobby.notify(found.from, &format!("Your seek matches one posted by {me}.\n"));
    start_game_of_seek(world, id, &found, wanted.color);
    DONE
}

/// Returns another player's seek with which a game starts at once: it is for the same game, both players meet its conditions and
/// those of `wanted`, neither seek is manual, and its player is not in a game.
fn find_automatic_match(world: &World, wanted: &Seek) -> Option<Seek> {
    let fits = |seek: &&Seek| {
        seek.from != wanted.from
            && world.lobby.own_game(seek.from).is_none()
            && seek.terms == wanted.terms
            && !seek.is_manual
            && !wanted.is_manual
            && (seek.color.is_none() || wanted.color.is_none() || seek.color == wanted.color.map(Color::opponent))
            && meets_seek_conditions(world, wanted.from, seek)
            && meets_seek_conditions(world, seek.from, wanted)
    };
    world.seeks.iter().find(fits).copied()
}

/// Starts the game of a seek for the player who answers it. `color` is the color of that player; without it, the seek decides, or
/// else [`World::choose_colors`].
fn start_game_of_seek(world: &mut World, id: ConnectionId, found: &Seek, color: Option<Color>) {
    let players = world.choose_colors([id, found.from], color.or(found.color.map(Color::opponent)));
    world.start_game(players, found.terms, Some(id));
}

/// Returns whether a player meets a seek's conditions: the rating range, registration for a rated game, and the seeker's lists
/// `noplay` and `censor`. A player without a rating counts as 0.
fn meets_seek_conditions(world: &World, id: ConnectionId, seek: &Seek) -> bool {
    let (Some(player), Some(seeker)) = (world.lobby.player(id), world.lobby.player(seek.from)) else { return false };
    let rating = player.rating(seek.terms.kind()).value().unwrap_or_default();
    let lists = |list| seeker.saved.is_on_list(list, player.name());
    (seek.rating_range.0..=seek.rating_range.1).contains(&rating)
        && (player.is_registered || !seek.terms.rated)
        && !lists("noplay")
        && !lists("censor")
}

fn run_unseek(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    if parameters.is_empty() {
        refuse_if(world.remove_and_report_seeks_of(id).is_empty(), "You have no active seeks.\n")?;
        return Ok("Your seeks have been removed.\n".to_owned());
    }
    let number = parameters.parse().map_err(|_| Refusal::Usage)?;
    let is_mine = world.seeks.iter().any(|seek| seek.number == number && seek.from == id);
    refuse_if(!is_mine, format!("You have no seek {number}.\n"))?;
    world.remove_and_report_seek(number);
    Ok(format!("Your seek {number} has been removed.\n"))
}

fn run_play(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    required_first_word(parameters)?;
    let seek = find_seek_of_other(world, id, parameters)?;
    let (me, name) = (world.lobby.player_name(id), world.lobby.player_name(seek.from));
    find_challengeable(world, id, &name)?;
    refuse_if(!meets_seek_conditions(world, id, &seek), format!("You do not match {name}'s seek.\n"))?;
    if seek.is_manual {
        world.lobby.queue_text(id, "Issuing match request since the seek was set to manual.\n");
        let color = seek.color.map(Color::opponent);
        make_or_accept_challenge(world, [id, seek.from], Challenge { terms: seek.terms, color, is_adjourned: false });
        return DONE;
    }
    world.lobby.notify(seek.from, &format!("{me} accepts your seek.\n"));
    start_game_of_seek(world, id, &seek, None);
    DONE
}

/// Returns the seek of another player by its number or by the seeker's name. The error is the text of the refusal, for no seek or
/// several of that player.
fn find_seek_of_other(world: &World, id: ConnectionId, word: &str) -> Result<Seek, String> {
    let (number, seeker) = (word.parse::<u32>(), world.lobby.find_player_by_prefix(word));
    let is_named = |seek: &&Seek| match number {
        Ok(number) => seek.number == number,
        Err(_) => Some(seek.from) == seeker,
    };
    let seeks: Vec<_> = world.seeks.iter().filter(|seek| seek.from != id).filter(is_named).copied().collect();
    match seeks.as_slice() {
        &[seek] => Ok(seek),
        [] => Err("That seek is not available.\n".to_owned()),
        [seek, ..] => Err(format!("{} is seeking several games.\n", world.lobby.player_name(seek.from))),
    }
}

fn run_sought(world: &mut World, _: ConnectionId, _: &str) -> CommandResult {
    let rows: String = world.seeks.iter().filter_map(|seek| Some(format_sought_row(world, seek)? + "\n")).collect();
    Ok(format!("{rows}{} displayed.\n", format_count(world.seeks.len(), "ad")))
}

/// Formats a row of `sought`: ` 4 ---- Alekhine 15 10 unrated standard [white] 0-9999 m`. `None` if the seeker is not logged in.
fn format_sought_row(world: &World, seek: &Seek) -> Option<String> {
    let player = world.lobby.player(seek.from)?;
    let Terms { minutes, increment_s, .. } = seek.terms;
    let kind = seek.terms.kind();
    let color = format_requested_color(seek.color);
    let flags = match (seek.is_manual, seek.is_checked) {
        (true, true) => " mf",
        (true, false) => " m",
        (false, true) => " f",
        (false, false) => "",
    };
    let (least, most) = seek.rating_range;
    Some(format!(
        "{:>3} {:>4} {:<17} {minutes:>3} {increment_s:>3} {:<7} {kind:<10}{color:<8} {least:>5}-{most:<4}{flags}",
        seek.number,
        player.rating(kind).to_string(),
        player.name_with_titles(),
        seek.terms.rated_word(),
    ))
}
