//! New games: challenges, seeks, and answers to seeks.

use std::ops::RangeInclusive;

use kibitzer_core::chess::Color;
use kibitzer_core::event::RequestError;
use kibitzer_core::message::{ChallengeChange, GameCreated, Handle, MeOrOther, Message, SeekNotice};
use kibitzer_core::session::Reply;

use super::{OfferOutcome, Request, reply, typed_command, with_argument};

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

/// Returns the command that challenges one opponent, or with `None` all opponents, to resume an adjourned game.
pub(super) fn resume(opponent: Option<Handle>) -> impl Request<Answer = Vec<OfferOutcome>> + Send + Sync {
    typed_command(with_argument("resume", opponent.as_ref()), move |reply| {
        match parse_challenge_outcome(reply, opponent.as_ref())? {
            OfferOutcome::Challenged(_) => Ok(sent_challenges(reply).collect()),
            started => Ok(vec![started]),
        }
    })
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
/// that was sent, otherwise the [likely](reply::likely_own_game_start) own game. Fails with [`RequestError::Unexpected`] or a
/// refusal without any of these.
pub(super) fn parse_challenge_outcome(reply: &Reply, opponent: Option<&Handle>) -> Result<OfferOutcome, RequestError> {
    let started = |created: &GameCreated| OfferOutcome::Started(Box::new(created.clone()));
    if let Some(own) = reply::own_game_start(reply, opponent) {
        return Ok(started(own));
    }
    let likely = || reply::likely_own_game_start(reply, opponent).map(started);
    sent_challenges(reply).next().or_else(likely).ok_or_else(|| reply::unexpected_reply(reply))
}

/// Parses the outcome of a seek: its number if it was posted, otherwise the outcome with the opponent that it matches.
pub(super) fn parse_seek_outcome(reply: &Reply) -> Result<OfferOutcome, RequestError> {
    let notices = || {
        reply.messages().filter_map(|message| match message {
            Message::SeekNotice(notice) => Some(**notice),
            _ => None,
        })
    };
    let index = |notice| if let SeekNotice::Posted { index } = notice { Some(index) } else { None };
    let players = |notice| if let SeekNotice::Seen { players } = notice { Some(players) } else { None };
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
mod tests {
    use kibitzer_core::event::CommandError;
    use kibitzer_core::message::Refusal;

    use super::*;
    use crate::command;
    use crate::command::testing::{answer, assert_line};

    fn boris() -> impl Request<Answer = OfferOutcome> {
        boris_at(GameTerms::new())
    }

    fn boris_at(terms: GameTerms) -> impl Request<Answer = OfferOutcome> {
        command::challenge("Boris".parse().unwrap(), terms)
    }

    fn seek() -> impl Request<Answer = OfferOutcome> {
        command::seek(GameTerms::new())
    }

    #[test]
    fn terms_of_a_challenge_are_in_the_order_that_servers_expect() {
        assert_line(&boris(), "match Boris");
        let terms = GameTerms::new;
        assert_line(&boris_at(terms().time(3, 2).rated().color(Color::White)), "match Boris 3 2 rated white");
        let wild = terms().unrated().variant("wild 1").color(Color::Black);
        assert_line(&boris_at(wild), "match Boris unrated wild 1 black");
        assert_line(&boris_at(terms().manual().formula().ratings(1300..=1600)), "match Boris");
        let injected = boris_at(terms().variant("wild\nresign"));
        assert_eq!(injected.command(), Err(CommandError::LineBreak));
    }

    #[test]
    fn a_sent_challenge_is_the_outcome() {
        for (reply, kind) in [
            (
                "Issuing: Alice (----) [white] Boris (----) rated standard 15 0.\n\
              Your standard rating will change:  Win: +1882,  Draw: +1720,  Loss: +1558\nYour new RD will be 290.2",
                "standard",
            ),
            ("Game is untimed - reverting to unrated\nIssuing: Alice (----) Boris (----) unrated untimed.", "untimed"),
            (
                "Updating the offer already made to Boris.\nIssuing: Alice (1882) [white] Boris (----) rated blitz 5 0.\n\n\
              <pt> 9 w=Boris t=match p=Alice (1882) [white] Boris (----) rated blitz 5 0",
                "blitz",
            ),
            (
                "Updating offer already made to \"Boris\".\n\
              Updating match request to: Alice (1910) [white] Boris (1882) rated blitz 4 1.",
                "blitz",
            ),
            (
                "Declining offer from Boris and offering new match parameters.\n\
              Issuing: Alice (1882) [black] Boris (1910) rated blitz 6 0.",
                "blitz",
            ),
        ] {
            let Ok(OfferOutcome::Challenged(challenge)) = answer(&boris(), reply) else { panic!("{reply}") };
            assert_eq!((challenge.to.as_str(), challenge.kind.as_str()), ("Boris", kind), "{reply}");
        }
    }

    // As FatICS answers `match` for an adjourned game and `rematch`: fatics-game-endings-a, fatics-game-offers-white.
    #[test]
    fn resumed_games_and_rematches_are_challenges() {
        assert_line(&command::resume_all(), "resume");
        assert_line(&command::resume("Boris".parse().unwrap()), "resume Boris");
        assert_line(&command::rematch(), "rematch");
        let issued = "Issuing: Alekhine (----) Bogoljubov (----) rated standard 10 10 (adjourned).";
        let both = format!("{issued}\n{}", issued.replace("Bogoljubov", "Duras"));
        let to: Vec<_> = answer(&command::resume_all(), &both).unwrap().into_iter().map(name_and_kind).collect();
        assert_eq!(to, [("Bogoljubov".to_owned(), true), ("Duras".to_owned(), true)]);
        let issued = "Issuing: Euwe (1910) Flohr (1500) rated blitz 3 12.";
        assert_eq!(answer(&command::rematch(), issued).map(name_and_kind), Ok(("Flohr".to_owned(), false)));
        let met = "Your challenge intercepts Bogoljubov's challenge.\n\
            {Game 1 (Alekhine vs. Bogoljubov) Continuing rated standard match.}";
        let answered = answer(&command::resume_all(), met);
        assert!(matches!(answered.as_deref(), Ok([OfferOutcome::Started(game)]) if game.resumed), "{answered:?}");
        for unknown in ["resume: Command not found.", "resume: Command has failed."] {
            assert!(
                answer(&command::resume_all(), unknown).unwrap_err().is_refused_for(Refusal::UnknownCommand),
                "{unknown}"
            );
        }
        for refusal in ["You have no previous opponent.", "Your last opponent, Flohr, is not logged in."] {
            assert!(answer(&command::rematch(), refusal).is_err(), "{refusal}");
        }
    }

    fn name_and_kind(challenged: OfferOutcome) -> (String, bool) {
        let OfferOutcome::Challenged(challenge) = challenged else { panic!("{challenged:?}") };
        (challenge.to.to_string(), challenge.adjourned)
    }

    #[test]
    fn a_game_that_begins_at_once_is_the_outcome() {
        let reply = "Your challenge intercepts Boris's challenge.\nAccepting the match offer from Boris.\n\n<pr> 18\n\n\
            {Game 3 (Foo vs. Bar) Creating rated blitz match.}\n\n\
            Creating: Alice (1720) Boris (----) rated blitz 5 5\n{Game 1 (Alice vs. Boris) Creating rated blitz match.}";
        let Ok(OfferOutcome::Started(created)) = answer(&boris(), reply) else { panic!("{reply}") };
        assert_eq!(created.game.0, 1, "and not the other one");
    }

    #[test]
    fn a_game_of_the_opponent_with_another_player_is_ignored() {
        let sent = "{Game 3 (Foo vs. Boris) Creating rated blitz match.}\n\
            Issuing: Alice (1720) Boris (----) rated blitz 5 5.";
        assert!(matches!(answer(&boris(), sent), Ok(OfferOutcome::Challenged(_))));
        let board = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 1 \
            Alice Boris 1 5 5 39 39 300 300 1 none (0:00) none 0 0 0";
        let started = format!(
            "{{Game 1 (Alice vs. Boris) Creating rated blitz match.}}\n{board}\n{{Game 3 (Foo vs. Boris) Creating rated blitz match.}}"
        );
        let Ok(OfferOutcome::Started(created)) = answer(&boris(), &started) else { panic!("{started}") };
        assert_eq!(created.game.0, 1);
    }

    #[test]
    fn refused_challenges_are_errors_with_reasons() {
        let cases = [
            ("You are on Boris's noplay list.", Refusal::Noplay),
            ("Boris is not open to match requests.", Refusal::NotOpen),
            ("No player named \"nobody\" is online.", Refusal::NotLoggedIn),
            ("You can't match yourself.", Refusal::OwnName),
            ("You are already offering an identical match to Boris.", Refusal::AlreadyOffered),
            ("You can't challenge while you are playing a game.", Refusal::Playing),
            ("You can't challenge while you are examining a game.", Refusal::Examining),
            ("Game is bughouse - reverting to unrated\nYou have no partner for bughouse.", Refusal::NoPartner),
            ("Game is bughouse - reverting to unrated\nYour opponent has no partner for bughouse.", Refusal::NoPartner),
        ];
        for (reply, reason) in cases {
            let error = answer(&boris(), reply).unwrap_err();
            assert_eq!(error.refusal_reason(), Some(reason), "{reply}");
            assert_eq!(error.text(), reply.lines().last(), "{reply}");
        }
        let guest = answer(&boris(), "Only registered players can play rated games.");
        assert!(guest.unwrap_err().is_refused_for(Refusal::NotRegistered));
        for reply in [
            "Boris is playing a game.",
            "Can't interpret u in match command.",
            "No such category/board: wild/fr",
            "You can't specify time or inc above 1000.",
        ] {
            assert_eq!(answer(&boris(), reply).unwrap_err().text(), Some(reply));
        }
    }

    #[test]
    fn terms_of_a_seek_are_in_the_order_that_servers_expect() {
        assert_line(&seek(), "seek");
        let all = GameTerms::new().time(5, 0).rated().color(Color::White).variant("crazyhouse").manual().formula();
        assert_line(&command::seek(all.ratings(1300..=1600)), "seek 5 0 rated white crazyhouse m f 1300-1600");
        assert_line(&command::seek(GameTerms::new().time(15, 10).unrated()), "seek 15 10 unrated");
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
            assert_eq!(answer(&seek(), reply), Ok(OfferOutcome::Posted { index, seen_by }), "{reply}");
        }
    }

    #[test]
    fn a_seek_that_matches_another_begins_a_game() {
        let reply = "<s> 1 w=Alekhine ti=00 rt=1882  t=4 i=4 r=u tp=blitz c=? rr=0-9999 a=t f=f\n\n\
            Your seek matches one posted by Alekhine.\n\n<sr> 1\n\n\
            Creating: Bogoljubov (1558) Alekhine (1882) unrated blitz 4 4\n\
            {Game 1 (Bogoljubov vs. Alekhine) Creating unrated blitz match.}";
        let Ok(OfferOutcome::Started(created)) = answer(&seek(), reply) else { panic!("{reply}") };
        assert_eq!(created.black.as_str(), "Alekhine");
    }

    #[test]
    fn an_answer_to_a_seek_begins_a_game_or_challenges() {
        let started = "<sr> 8\n<sr> 3\n\nCreating: Bogoljubov (1558) Alekhine (1882) rated blitz 5 0\n\
            {Game 1 (Bogoljubov vs. Alekhine) Creating rated blitz match.}";
        assert!(matches!(answer(&command::play(3), started), Ok(OfferOutcome::Started(_))));
        let manual = "Issuing match request since the seek was set to manual.\n\
            Issuing: Bogoljubov (----) GuestSSXE (++++) unrated lightning 0 1.";
        assert!(matches!(answer(&command::play(7), manual), Ok(OfferOutcome::Challenged(_))));
    }

    #[test]
    fn withdrawn_seeks_are_confirmed() {
        for reply in ["<sr> 1\nYour seeks have been removed.", "Your seek 3 has been removed."] {
            assert_eq!(answer(&command::unseek_all(), reply), Ok(()), "{reply}");
        }
    }

    #[test]
    fn unknown_refusals_contain_the_text_of_the_server() {
        let seek = answer(&seek(), "You can only have 3 active seeks.").unwrap_err();
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
        assert_eq!(answer(&seek(), "You are playing a game.").map_err(refusal), Err(playing));
    }
}
