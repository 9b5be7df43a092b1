//! Seeks: players who look for an opponent.
//!
//! Source of the forms: transcripts fatics-seeks-*; datagrams §3.
#![expect(clippy::unnecessary_wraps, reason = "all commands have one signature")]

use kibitzer_core::chess::Color;
use kibitzer_core::message::{Rating, Seek};
use kibitzer_core::text::ServerText;

use super::command::challenge::{MatchParameters, find_challengeable, make_or_accept_challenge};
use super::command::{CommandRefusal, CommandResult, CommandRow, DONE, refuse_if, required_first_word};
use super::offers::{ProposedMatch, format_requested_color};
use super::{ConnectionId, Ivar, World};
use crate::calendar::format_count;
use crate::chess::Variant;
use crate::play::Terms;

/// Maximum number of seeks of a player.
const MAX_SEEKS: usize = 3;

/// A posted seek.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PostedSeek {
    pub(crate) from: ConnectionId,
    pub(crate) terms: Terms,
    /// The ad as clients receive it; all of its fields are known, but for a color that the seeker does not request.
    pub(crate) ad: Seek,
}

impl PostedSeek {
    fn is_manual(&self) -> bool {
        self.ad.automatic == Some(false)
    }

    /// Formats the seek as text: `Alekhine (1882) seeking 5 0 rated blitz ("play 3" to respond)` and a newline.
    fn to_text(&self, rating: Rating) -> String {
        let Self { terms, ad: Seek { index, name, color, .. }, .. } = self;
        let Terms { minutes, increment_s, .. } = terms;
        let (rated, kind, color) = (terms.rated_word(), terms.kind(), format_requested_color(*color));
        let words = format!("{minutes} {increment_s} {rated} {kind}{color}");
        let manual = if self.is_manual() { " m" } else { "" };
        let formula = if self.ad.formula == Some(true) { " f" } else { "" };
        let rating = rating.to_string();
        format!("{name} ({rating:>4}) seeking {words}{manual}{formula} (\"play {index}\" to respond)\n")
    }
}

impl World {
    /// Posts a seek under the lowest unused number, in place of its own, and shows it to the players. Returns the number and how
    /// many others saw it.
    fn post_seek(&mut self, mut seek: PostedSeek) -> (u32, usize) {
        let mut taken: Vec<_> = self.seeks.iter().map(|seek| seek.ad.index).collect();
        taken.sort_unstable();
        // The lowest unused number.
        let number = taken.into_iter().fold(1, |free, number| if number == free { free + 1 } else { free });
        seek.ad.index = number;
        let rating = self.lobby.player(seek.from).map(|player| player.rating(seek.terms.kind()));
        let text = seek.to_text(rating.unwrap_or(Rating::Unrated));
        let mut viewers = self.lobby.players_where(|id, _| self.is_seek_shown_to(id, &seek));
        viewers.retain(|&id| self.show_seek(id, &seek, &text) && id != seek.from);
        self.seeks.push(seek);
        (number, viewers.len())
    }

    /// Returns whether a seek is shown to a player: not during a game, rated ones not to guests, own ones only with the ivar
    /// `showownseek`.
    fn is_seek_shown_to(&self, id: ConnectionId, seek: &PostedSeek) -> bool {
        let is_registered = self.lobby.player(id).is_some_and(|player| player.is_registered);
        let is_possible = self.game_played_by(id).is_none() && (is_registered || !seek.terms.rated);
        is_possible && (id != seek.from || self.lobby.has_ivar(id, Ivar::ShowOwnSeek))
    }

    /// Shows a seek as data, as text, or both, as the client has requested; returns whether it was shown at all. The seeker needs
    /// the variable `showownseek` to receive the text.
    ///
    /// The caller has to check [`is_seek_shown_to`](Self::is_seek_shown_to) first.
    fn show_seek(&mut self, id: ConnectionId, seek: &PostedSeek, text: &str) -> bool {
        let has_data = self.lobby.has_ivar(id, Ivar::SeekInfo);
        let is_own = id == seek.from;
        let has_text = self.lobby.has_flag(id, "seek") && (!is_own || self.lobby.has_flag(id, "showownseek"));
        if has_data {
            self.lobby.queue_unwrapped(id, &format!("{}\n", seek.ad));
        }
        // A datagram is sent in addition, if the client has switched it on.
        let has_data = self.queue_seek_datagram_if_on(id, seek) || has_data;
        if has_text {
            self.lobby.notify_unwrapped(id, text);
        }
        has_data || has_text
    }

    /// Formats the line `<sc>` and all visible seeks as data, for a client that has just switched `seekinfo` on.
    pub(crate) fn seekinfo_list(&self, to: ConnectionId) -> String {
        let shown = self.visible_seeks(to);
        shown.iter().fold("\n<sc>\n".to_owned(), |list, seek| format!("{list}{}\n", seek.ad))
    }

    /// Removes a player's seeks and reports each removal; returns their numbers, none if the player has no seek.
    pub(crate) fn remove_seeks_of(&mut self, from: ConnectionId) -> Vec<u32> {
        let numbers: Vec<_> = self.seeks.iter().filter(|seek| seek.from == from).map(|seek| seek.ad.index).collect();
        for &number in &numbers {
            self.remove_seek(number);
        }
        numbers
    }

    /// Removes a seek and reports that to the clients that follow seeks as data: with both ivars `seekinfo` and `seekremove`, or
    /// by a datagram. Does nothing without such a seek.
    pub(crate) fn remove_seek(&mut self, number: u32) {
        let Some(at) = self.seeks.iter().position(|seek| seek.ad.index == number) else { return };
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
    pub(crate) fn visible_seeks(&self, to: ConnectionId) -> Vec<PostedSeek> {
        self.seeks.iter().filter(|seek| self.is_seek_shown_to(to, seek)).cloned().collect()
    }
}

#[rustfmt::skip] // one to a line: it is a table
pub(crate) const COMMANDS: &[CommandRow] = &[
    CommandRow::new("play", "number|player", "Accepts a seek.", run_play),
    CommandRow::new("seek", "[minutes [increment]] [rated|unrated] [white|black] [crazyhouse] [manual] [formula] [least-most]", "Posts a seek for a game.", run_seek),
    CommandRow::new("sought", "[all]", "Lists all seeks.", run_sought),
    CommandRow::new("unseek", "[number]", "Removes all of your seeks, or one of them.", run_unseek),
];

/// Highest rating of an opponent, unless a seek has a rating range.
const MAX_RATING: u16 = 9_999;

fn run_seek(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    refuse_if(world.lobby.own_game(id).is_some(), "You are playing a game.\n")?;
    let n_own = world.seeks.iter().filter(|seek| seek.from == id).count();
    refuse_if(n_own >= MAX_SEEKS, format!("You can only have {MAX_SEEKS} active seeks.\n"))?;
    let parameters = MatchParameters::parse(parameters).filter(|words| words.variant != Variant::Bughouse);
    let parameters = parameters.ok_or(CommandRefusal::Usage)?;
    let is_rated = parameters.decide_rated(world, [id, id], "seek")?;
    let terms = parameters.terms_with_defaults(world, id, is_rated);
    let Some(ad) = new_ad(world, id, terms, parameters) else { return DONE };
    let wanted = PostedSeek { from: id, terms, ad };
    let Some(found) = find_automatic_match(world, &wanted) else {
        let (number, n_viewers) = world.post_seek(wanted);
        let viewers = format_count(n_viewers, "player");
        return Ok(format!("Your seek has been posted with index {number}.\n({viewers} saw the seek.)\n"));
    };
    let (me, other) = (world.lobby.player_name(id), world.lobby.player_name(found.from));
    world.lobby.queue_text(id, &format!("Your seek matches one posted by {other}.\n"));
    world.lobby.notify(found.from, &format!("Your seek matches one posted by {me}.\n"));
    start_game_of_seek(world, id, &found, wanted.ad.color);
    DONE
}

/// Creates the ad of a seek, whose number is assigned when it is posted; `None` if the seeker is not logged in.
fn new_ad(world: &World, id: ConnectionId, terms: Terms, parameters: MatchParameters) -> Option<Seek> {
    let player = world.lobby.player(id)?;
    let (least, most) = parameters.rating_range.unwrap_or((0, MAX_RATING));
    let mut ad = Seek::default();
    ad.name = player.handle.clone();
    ad.titles = player.titles.clone();
    ad.rating = Some(player.rating(terms.kind()));
    ad.initial_min = u16::try_from(terms.minutes).ok();
    ad.increment_s = u16::try_from(terms.increment_s).ok();
    ad.rated = Some(terms.rated);
    ad.kind = Some(ServerText::from_wire(terms.kind().as_bytes()));
    ad.color = parameters.color;
    ad.rating_min = Some(least);
    ad.rating_max = Some(most);
    ad.automatic = Some(!parameters.is_manual);
    ad.formula = Some(parameters.is_checked);
    Some(ad)
}

/// Returns another player's seek with which a game starts at once: it is for the same game, both players meet its conditions and
/// those of `wanted`, neither seek is manual, and its player is not in a game.
fn find_automatic_match(world: &World, wanted: &PostedSeek) -> Option<PostedSeek> {
    let (wanted_color, is_manual) = (wanted.ad.color, wanted.is_manual());
    let fits = |seek: &&PostedSeek| {
        seek.from != wanted.from
            && world.lobby.own_game(seek.from).is_none()
            && seek.terms == wanted.terms
            && !seek.is_manual()
            && !is_manual
            && (seek.ad.color.is_none() || wanted_color.is_none() || seek.ad.color == wanted_color.map(Color::opponent))
            && meets_seek_conditions(world, wanted.from, seek)
            && meets_seek_conditions(world, seek.from, wanted)
    };
    world.seeks.iter().find(fits).cloned()
}

/// Starts the game of a seek for the player who answers it. `color` is the color of that player; without it, the seek decides, or
/// else [`World::choose_colors`].
fn start_game_of_seek(world: &mut World, id: ConnectionId, found: &PostedSeek, color: Option<Color>) {
    let players = world.choose_colors([id, found.from], color.or(found.ad.color.map(Color::opponent)));
    world.start_game(players, found.terms, Some(id));
}

/// Returns whether a player meets a seek's conditions: the rating range, registration for a rated game, and the seeker's lists
/// `noplay` and `censor`. A player without a rating counts as 0.
pub(super) fn meets_seek_conditions(world: &World, id: ConnectionId, seek: &PostedSeek) -> bool {
    let (Some(player), Some(seeker)) = (world.lobby.player(id), world.lobby.player(seek.from)) else { return false };
    let rating = player.rating(seek.terms.kind()).value().unwrap_or_default();
    let lists = |list| seeker.saved.is_on_list(list, player.name());
    seek.ad.rating_min.is_none_or(|least| rating >= least)
        && seek.ad.rating_max.is_none_or(|most| rating <= most)
        && (player.is_registered || !seek.terms.rated)
        && !lists("noplay")
        && !lists("censor")
}

fn run_unseek(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    if parameters.is_empty() {
        refuse_if(world.remove_seeks_of(id).is_empty(), "You have no active seeks.\n")?;
        return Ok("Your seeks have been removed.\n".to_owned());
    }
    let number = parameters.parse().map_err(|_| CommandRefusal::Usage)?;
    let is_mine = world.seeks.iter().any(|seek| seek.ad.index == number && seek.from == id);
    refuse_if(!is_mine, format!("You have no seek {number}.\n"))?;
    world.remove_seek(number);
    Ok(format!("Your seek {number} has been removed.\n"))
}

fn run_play(world: &mut World, id: ConnectionId, parameters: &str) -> CommandResult {
    required_first_word(parameters)?;
    let seek = find_seek_of_other(world, id, parameters)?;
    let (me, name) = (world.lobby.player_name(id), world.lobby.player_name(seek.from));
    find_challengeable(world, id, &name)?;
    refuse_if(!meets_seek_conditions(world, id, &seek), format!("You do not match {name}'s seek.\n"))?;
    if seek.is_manual() {
        world.lobby.queue_text(id, "Issuing match request since the seek was set to manual.\n");
        let color = seek.ad.color.map(Color::opponent);
        let proposed = ProposedMatch { terms: seek.terms, color, is_adjourned: false };
        make_or_accept_challenge(world, [id, seek.from], proposed);
        return DONE;
    }
    world.lobby.notify(seek.from, &format!("{me} accepts your seek.\n"));
    start_game_of_seek(world, id, &seek, None);
    DONE
}

/// Returns the seek of another player by its number or by the seeker's name. The error is the text of the refusal, for no seek or
/// several of that player.
fn find_seek_of_other(world: &World, id: ConnectionId, word: &str) -> Result<PostedSeek, CommandRefusal> {
    let (number, seeker) = (word.parse::<u32>(), world.lobby.find_player_by_prefix(word));
    let is_named = |seek: &&PostedSeek| match number {
        Ok(number) => seek.ad.index == number,
        Err(_) => Some(seek.from) == seeker,
    };
    let seeks: Vec<_> = world.seeks.iter().filter(|seek| seek.from != id).filter(is_named).collect();
    match *seeks.as_slice() {
        [seek] => Ok(seek.clone()),
        [] => Err("That seek is not available.\n".into()),
        [seek, ..] => Err(format!("{} is seeking several games.\n", world.lobby.player_name(seek.from)).into()),
    }
}

fn run_sought(world: &mut World, _: ConnectionId, _: &str) -> CommandResult {
    let rows: String = world.seeks.iter().map(|seek| format_sought_row(world, seek)).collect();
    Ok(format!("{rows}{} displayed.\n", format_count(world.seeks.len(), "ad")))
}

/// Formats a row of `sought`: ` 4 ---- Alekhine 15 10 unrated standard [white] 0-9999 m` and a newline. Empty if the seeker is not
/// logged in.
fn format_sought_row(world: &World, seek: &PostedSeek) -> String {
    let Some(player) = world.lobby.player(seek.from) else { return String::new() };
    let PostedSeek { terms, ad: Seek { index, color, rating_min, rating_max, formula, .. }, .. } = seek;
    let Terms { minutes, increment_s, .. } = terms;
    let (rated, kind, color) = (terms.rated_word(), terms.kind(), format_requested_color(*color));
    let (rating, name) = (player.rating(kind).to_string(), player.name_with_titles());
    let flags = match (seek.is_manual(), *formula == Some(true)) {
        (true, true) => " mf",
        (true, false) => " m",
        (false, true) => " f",
        (false, false) => "",
    };
    let (least, most) = (rating_min.unwrap_or_default(), rating_max.unwrap_or(MAX_RATING));
    let terms = format!("{minutes:>3} {increment_s:>3} {rated:<7} {kind:<10}{color:<8}");
    format!("{index:>3} {rating:>4} {name:<17} {terms} {least:>5}-{most:<4}{flags}\n")
}
