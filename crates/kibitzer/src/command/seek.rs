//! Seeks, and answers to them.

use std::ops::RangeInclusive;

use kibitzer_core::chess::Color;
use kibitzer_core::event::{CommandError, RequestError};
use kibitzer_core::message::{ChallengeChange, Message, SeekNotice};
use kibitzer_core::session::{Command, Reply};

use super::challenge::{self, ChallengeOutcome};
use super::terms::{CommandWords, Terms, terms_setters};
use super::{Request, reply};

/// `seek`: advertises a game to all players.
///
/// The server chooses terms that are not set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeekOptions {
    terms: Terms,
    is_manual: bool,
    has_formula: bool,
    ratings: Option<RangeInclusive<u16>>,
}

impl SeekOptions {
    /// Returns a seek with the terms of the account's variables.
    pub const fn new() -> Self {
        Self { terms: Terms::new(), is_manual: false, has_formula: false, ratings: None }
    }

    terms_setters! {}

    /// Makes an answer a challenge, which this login accepts or declines. Default: the answer starts the game.
    #[must_use]
    pub const fn manual(mut self) -> Self {
        self.is_manual = true;
        self
    }

    /// Admits only players who meet this account's formula. Default: the formula is not checked.
    #[must_use]
    pub const fn formula(mut self) -> Self {
        self.has_formula = true;
        self
    }

    /// Admits only players with ratings in this range, from 0 to 9,999. It is sent without a check. Default: all players.
    #[must_use]
    pub const fn ratings(mut self, ratings: RangeInclusive<u16>) -> Self {
        self.ratings = Some(ratings);
        self
    }
}

impl Request for SeekOptions {
    type Answer = ChallengeOutcome;

    fn command(&self) -> Result<Command, CommandError> {
        let Terms { rated, color, variant, .. } = &self.terms;
        let words =
            CommandWords::new("seek").with_optional_word(self.terms.time_arguments()).with_optional_word(*rated);
        let words = words.with_optional_word(color.map(Color::as_str)).with_optional_word(variant.as_ref());
        let words =
            words.with_optional_word(self.is_manual.then_some('m')).with_optional_word(self.has_formula.then_some('f'));
        let ratings = self.ratings.as_ref().map(|ratings| format!("{}-{}", ratings.start(), ratings.end()));
        Command::new(&words.with_optional_word(ratings).into_line())
    }

    fn parse_reply(&self, reply: Reply) -> Result<ChallengeOutcome, RequestError> {
        let notice = |pick: fn(SeekNotice) -> Option<u32>| {
            reply.messages().find_map(|message| match message {
                Message::SeekNotice(notice) => pick(**notice),
                _ => None,
            })
        };
        let posted = notice(|notice| if let SeekNotice::Posted { index } = notice { Some(index) } else { None });
        if let Some(index) = posted {
            let seen_by = notice(|notice| if let SeekNotice::Seen { players } = notice { Some(players) } else { None });
            return Ok(ChallengeOutcome::Posted { index, seen_by });
        }
        let opponent = reply::find_in_messages(&reply, |message| match message {
            Message::ChallengeUpdate(update) if is_seek_match(update.change) => Some(update.name.as_ref()),
            _ => None,
        })?;
        challenge::parse_challenge_outcome(&reply, opponent)
    }
}

/// Returns whether a change of a challenge reports that a seek found an opponent.
const fn is_seek_match(change: ChallengeChange) -> bool {
    matches!(change, ChallengeChange::SeekMatched | ChallengeChange::GetgameMatched)
}

/// Parses the reply to `unseek`. Fails if no line confirms that a seek was removed.
pub(super) fn parse_seeks_removed(reply: &Reply) -> Result<(), RequestError> {
    let is_removal = |line: &[u8]| line.starts_with(b"Your seek") && line.trim_ascii_end().ends_with(b" removed.");
    reply::find_in_lines(reply, |line| is_removal(line).then_some(()))
}

#[cfg(test)]
mod tests {
    use kibitzer_core::message::Refusal;

    use super::*;
    use crate::command;
    use crate::command::testing::{answer, assert_line};

    #[test]
    fn terms_are_in_the_order_that_servers_expect() {
        assert_line(&SeekOptions::new(), "seek");
        let all = SeekOptions::new().time(5, 0).rated().color(Color::White).variant("crazyhouse").manual().formula();
        assert_line(&all.ratings(1300..=1600), "seek 5 0 rated white crazyhouse m f 1300-1600");
        assert_line(&SeekOptions::new().time(15, 10).unrated(), "seek 15 10 unrated");
        assert_line(&command::unseek(3), "unseek 3");
        assert_line(&command::unseek_all(), "unseek");
        assert_line(&command::play(7), "play 7");
        assert_line(&command::play_seek_of("Alekhine".parse().unwrap()), "play Alekhine");
    }

    #[test]
    fn a_seek_that_is_posted_has_a_number() {
        let cases = [
            (
                "<s> 3 w=Alekhine ti=00 rt=1882  t=5 i=0 r=r tp=blitz c=? rr=0-9999 a=t f=f\n\
                 Your seek has been posted with index 3.\n(1 player saw the seek.)",
                3,
                Some(1),
            ),
            ("Setting seek to unrated.\nYour seek has been posted with index 6.", 6, None),
        ];
        for (reply, index, seen_by) in cases {
            assert_eq!(answer(&SeekOptions::new(), reply), Ok(ChallengeOutcome::Posted { index, seen_by }), "{reply}");
        }
    }

    #[test]
    fn a_seek_that_matches_another_begins_a_game() {
        let reply = "<s> 1 w=Alekhine ti=00 rt=1882  t=4 i=4 r=u tp=blitz c=? rr=0-9999 a=t f=f\n\n\
            Your seek matches one posted by Alekhine.\n\n<sr> 1\n\n\
            Creating: Bogoljubov (1558) Alekhine (1882) unrated blitz 4 4\n\
            {Game 1 (Bogoljubov vs. Alekhine) Creating unrated blitz match.}";
        let Ok(ChallengeOutcome::Started(created)) = answer(&SeekOptions::new(), reply) else { panic!("{reply}") };
        assert_eq!(created.black.as_str(), "Alekhine");
    }

    #[test]
    fn an_answer_to_a_seek_begins_a_game_or_challenges() {
        let started = "<sr> 8\n<sr> 3\n\nCreating: Bogoljubov (1558) Alekhine (1882) rated blitz 5 0\n\
            {Game 1 (Bogoljubov vs. Alekhine) Creating rated blitz match.}";
        assert!(matches!(answer(&command::play(3), started), Ok(ChallengeOutcome::Started(_))));
        let manual = "Issuing match request since the seek was set to manual.\n\
            Issuing: Bogoljubov (----) GuestSSXE (++++) unrated lightning 0 1.";
        assert!(matches!(answer(&command::play(7), manual), Ok(ChallengeOutcome::Sent(_))));
    }

    #[test]
    fn withdrawn_seeks_are_confirmed() {
        for reply in ["<sr> 1\nYour seeks have been removed.", "Your seek 3 has been removed."] {
            assert_eq!(answer(&command::unseek_all(), reply), Ok(()), "{reply}");
        }
    }

    #[test]
    fn unknown_refusals_contain_the_text_of_the_server() {
        let seek = answer(&SeekOptions::new(), "You can only have 3 active seeks.").unwrap_err();
        assert_eq!(seek.text(), Some("You can only have 3 active seeks."));
        let play = answer(&command::play(999), "Alekhine is seeking several games.").unwrap_err();
        assert_eq!(play.text(), Some("Alekhine is seeking several games."));
    }

    #[test]
    fn missing_seeks_and_games_in_progress_are_refusals() {
        let refusal = |error: RequestError| error.refusal_reason();
        let gone = Some(Refusal::NoSuchSeek);
        for text in ["You have no active seeks.", "You have no seek 2."] {
            assert_eq!(answer(&command::unseek_all(), text).map_err(refusal), Err(gone), "{text}");
        }
        let play = command::play(999);
        assert_eq!(answer(&play, "That seek is not available.").map_err(refusal), Err(gone));
        let playing = Some(Refusal::Playing);
        assert_eq!(answer(&SeekOptions::new(), "You are playing a game.").map_err(refusal), Err(playing));
    }
}
