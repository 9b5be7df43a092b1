//! New games: challenges, seeks, and answers to seeks.

use std::ops::RangeInclusive;

use kibitzer_core::chess::Color;
use kibitzer_core::event::RequestError;
use kibitzer_core::message::{ChallengeChange, Handle, MeOrOther, Message, SeekNotice};
use kibitzer_core::session::Reply;

use super::{OfferOutcome, reply, with_argument};

/// The terms of a challenge or a seek. The server chooses those that are not set; for a challenge, the variables `time`, `inc`
/// and `rated` of this account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameTerms {
    /// Minutes on the clock at the start, and seconds added per move.
    time: Option<(u32, u32)>,
    /// `rated` or `unrated`.
    rated: Option<&'static str>,
    color: Option<Color>,
    variant: Option<String>,
    is_manual: bool,
    has_formula: bool,
    ratings: Option<RangeInclusive<u16>>,
}

impl GameTerms {
    /// Returns terms of which none is set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the time control: minutes at the start, seconds added per move. Default: that of the account. Servers of the FICS
    /// family accept up to 1,000 of each; 0 and 0 is a game without clocks.
    #[must_use]
    pub const fn time(mut self, initial_min: u32, increment_s: u32) -> Self {
        self.time = Some((initial_min, increment_s));
        self
    }

    /// Makes the game rated. Default: the account's setting. Games of guests and of some kinds are never rated.
    #[must_use]
    pub const fn rated(mut self) -> Self {
        self.rated = Some("rated");
        self
    }

    /// Makes the game unrated.
    #[must_use]
    pub const fn unrated(mut self) -> Self {
        self.rated = Some("unrated");
        self
    }

    /// Sets the color of this login. Default: the server decides.
    #[must_use]
    pub const fn color(mut self, color: Color) -> Self {
        self.color = Some(color);
        self
    }

    /// Sets the variant by its name on the server: `crazyhouse`, `wild fr`, `chess960 idn=692`. Default: standard chess.
    #[must_use]
    pub fn variant(mut self, variant: impl Into<String>) -> Self {
        self.variant = Some(variant.into());
        self
    }

    /// Makes an answer to the seek a challenge, which this login accepts or declines. Default: the answer starts the game. Not
    /// part of a challenge.
    #[must_use]
    pub const fn manual(mut self) -> Self {
        self.is_manual = true;
        self
    }

    /// Admits only players who meet this account's formula to the seek. Default: the formula is not checked. Not part of a
    /// challenge.
    #[must_use]
    pub const fn formula(mut self) -> Self {
        self.has_formula = true;
        self
    }

    /// Admits only players with ratings in this range, from 0 to 9,999, to the seek. It is sent without a check. Default: all
    /// players. Not part of a challenge.
    #[must_use]
    pub const fn ratings(mut self, ratings: RangeInclusive<u16>) -> Self {
        self.ratings = Some(ratings);
        self
    }

    /// Returns the time control as arguments of a command, such as `3 2`; `None` if it is not set.
    fn time_arguments(&self) -> Option<String> {
        self.time.map(|(initial_min, increment_s)| format!("{initial_min} {increment_s}"))
    }

    /// Returns the line that challenges this player, without the terms that only a seek has.
    pub(super) fn challenge_line(&self, opponent: &Handle) -> String {
        let line = with_argument(&format!("match {opponent}"), self.time_arguments());
        let line = with_argument(&with_argument(&line, self.rated), self.variant.as_ref());
        with_argument(&line, self.color.map(<&str>::from))
    }

    /// Returns the line of a seek.
    pub(super) fn seek_line(&self) -> String {
        let line = with_argument(&with_argument("seek", self.time_arguments()), self.rated);
        let line = with_argument(&with_argument(&line, self.color.map(<&str>::from)), self.variant.as_ref());
        let line = with_argument(&line, self.is_manual.then_some('m'));
        let ratings = self.ratings.as_ref().map(|ratings| format!("{}-{}", ratings.start(), ratings.end()));
        with_argument(&with_argument(&line, self.has_formula.then_some('f')), ratings)
    }
}

/// Parses the outcomes of challenges to resume adjourned games with one opponent, or with `None` all opponents.
pub(super) fn parse_resumptions(reply: &Reply, opponent: Option<&Handle>) -> Result<Vec<OfferOutcome>, RequestError> {
    match parse_challenge_outcome(reply, opponent)? {
        OfferOutcome::Challenged(_) => Ok(sent_challenges(reply).collect()),
        started => Ok(vec![started]),
    }
}

/// Returns the challenges of this login that the reply reports as sent.
fn sent_challenges(reply: &Reply) -> impl Iterator<Item = OfferOutcome> {
    reply.messages().filter_map(|message| match message {
        Message::Challenge(challenge) if challenge.actor == MeOrOther::Me => {
            Some(OfferOutcome::Challenged(challenge.clone()))
        }
        _ => None,
    })
}

/// Parses the outcome of a challenge: the own game that began, with `opponent` if one is given, otherwise the first challenge
/// that was sent. Fails with [`RequestError::Unexpected`] or a refusal without any of these.
pub(super) fn parse_challenge_outcome(reply: &Reply, opponent: Option<&Handle>) -> Result<OfferOutcome, RequestError> {
    if let Some(own) = reply::own_game_start(reply, opponent) {
        return Ok(OfferOutcome::Started(Box::new(own.clone())));
    }
    sent_challenges(reply).next().ok_or_else(|| reply::unexpected_reply(reply))
}

/// Parses the outcome of a seek: its number if it was posted, otherwise the outcome with the opponent that it matches.
pub(super) fn parse_seek_outcome(reply: &Reply) -> Result<OfferOutcome, RequestError> {
    let notices = || {
        reply.messages().filter_map(|message| match message {
            Message::SeekNotice(notice) => Some(**notice),
            _ => None,
        })
    };
    let index = |notice| if let SeekNotice::Posted { index, .. } = notice { Some(index) } else { None };
    let players = |notice| if let SeekNotice::Seen { players, .. } = notice { Some(players) } else { None };
    if let Some(index) = notices().find_map(index) {
        return Ok(OfferOutcome::Posted { index, seen_by: notices().find_map(players) });
    }
    let opponent = reply::find_in_messages(reply, |message| match message {
        Message::ChallengeUpdate(update)
            if matches!(update.change, ChallengeChange::SeekMatched | ChallengeChange::GetgameMatched) =>
        {
            Some(update.name.as_ref())
        }
        _ => None,
    })?;
    parse_challenge_outcome(reply, opponent)
}

/// Parses the reply to `unseek`. Fails if no line confirms that a seek was removed.
pub(super) fn parse_seeks_removed(reply: &Reply) -> Result<(), RequestError> {
    let is_removal = |line: &[u8]| line.starts_with(b"Your seek") && line.trim_ascii_end().ends_with(b" removed.");
    reply::find_in_lines(reply, |line| is_removal(line).then_some(()))
}

#[cfg(test)]
mod tests;
