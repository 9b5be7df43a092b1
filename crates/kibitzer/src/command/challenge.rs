//! Challenges.

use kibitzer_core::chess::Color;
use kibitzer_core::event::{CommandError, RequestError};
use kibitzer_core::message::{Challenge, GameCreated, Handle, MeOrOther, Message, Parsed};
use kibitzer_core::session::{Command, Reply};

use super::terms::{CommandWords, Terms, terms_setters, typed_command};
use super::{Request, reply};

/// `match`: challenges a player.
///
/// The server chooses terms that are not set: the variables `time`, `inc` and `rated` of this account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchOptions {
    opponent: Handle,
    terms: Terms,
}

impl MatchOptions {
    /// Returns a challenge to this player. An adjourned game with the same player is resumed, with any terms.
    pub const fn new(opponent: Handle) -> Self {
        Self { opponent, terms: Terms::new() }
    }

    terms_setters! {}
}

impl Request for MatchOptions {
    type Answer = ChallengeOutcome;

    fn command(&self) -> Result<Command, CommandError> {
        let Terms { rated, color, variant, .. } = &self.terms;
        let words = CommandWords::new("match")
            .with_word(&self.opponent)
            .with_optional_word(self.terms.time_arguments())
            .with_optional_word(*rated);
        Command::new(
            &words.with_optional_word(variant.as_ref()).with_optional_word(color.map(Color::as_str)).into_line(),
        )
    }

    fn parse_reply(&self, reply: Reply) -> Result<ChallengeOutcome, RequestError> {
        parse_challenge_outcome(&reply, Some(&self.opponent))
    }
}

/// The outcome of a challenge, of a seek, or of an answer to a seek.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChallengeOutcome {
    /// The challenge was sent, with these terms; the opponent has not answered it yet.
    Sent(Parsed<Challenge>),
    /// The game began at once: the opponent had made the same challenge, or has a matching seek.
    Started(Box<GameCreated>),
    /// The seek was posted: it matches none of another player.
    Posted {
        /// Number of the seek.
        index: u32,
        /// Number of players who were notified, if the server reports it.
        seen_by: Option<u32>,
    },
}

/// Returns the command that challenges one opponent, or with `None` all opponents, to resume an adjourned game.
pub(super) fn resume(opponent: Option<Handle>) -> impl Request<Answer = Vec<ChallengeOutcome>> + Send + Sync {
    typed_command(CommandWords::new("resume").with_optional_word(opponent.as_ref()), move |reply| {
        match parse_challenge_outcome(reply, opponent.as_ref())? {
            ChallengeOutcome::Sent(_) => Ok(sent_challenges(reply).collect()),
            started => Ok(vec![started]),
        }
    })
}

/// Returns the challenges of this login that the reply reports as sent.
fn sent_challenges(reply: &Reply) -> impl Iterator<Item = ChallengeOutcome> {
    reply.messages().filter_map(|message| match message {
        Message::Challenge(challenge) if challenge.actor == MeOrOther::Me => {
            Some(ChallengeOutcome::Sent(challenge.clone()))
        }
        _ => None,
    })
}

/// Parses the outcome of a challenge: the own game that began, with `opponent` if one is given, otherwise the first challenge
/// that was sent. Fails with [`RequestError::Unexpected`] or a refusal without either.
pub(super) fn parse_challenge_outcome(
    reply: &Reply,
    opponent: Option<&Handle>,
) -> Result<ChallengeOutcome, RequestError> {
    let started = |created: &GameCreated| ChallengeOutcome::Started(Box::new(created.clone()));
    if let Some(own) = reply::own_game_start(reply, opponent) {
        return Ok(started(own));
    }
    let likely = || reply::likely_own_game_start(reply, opponent).map(started);
    sent_challenges(reply).next().or_else(likely).ok_or_else(|| reply::unexpected_reply(reply))
}

#[cfg(test)]
mod tests {
    use kibitzer_core::message::Refusal;

    use super::*;
    use crate::command;
    use crate::command::testing::{answer, assert_line};

    fn boris() -> MatchOptions {
        MatchOptions::new("Boris".parse().unwrap())
    }

    #[test]
    fn terms_are_in_the_order_that_servers_expect() {
        assert_line(&boris(), "match Boris");
        assert_line(&boris().time(3, 2).rated().color(Color::White), "match Boris 3 2 rated white");
        assert_line(&boris().unrated().variant("wild 1").color(Color::Black), "match Boris unrated wild 1 black");
        let injected = boris().variant("wild\nresign");
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
            let Ok(ChallengeOutcome::Sent(challenge)) = answer(&boris(), reply) else { panic!("{reply}") };
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
        assert!(matches!(answered.as_deref(), Ok([ChallengeOutcome::Started(game)]) if game.resumed), "{answered:?}");
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

    fn name_and_kind(challenged: ChallengeOutcome) -> (String, bool) {
        let ChallengeOutcome::Sent(challenge) = challenged else { panic!("{challenged:?}") };
        (challenge.to.to_string(), challenge.adjourned)
    }

    #[test]
    fn a_game_that_begins_at_once_is_the_outcome() {
        let reply = "Your challenge intercepts Boris's challenge.\nAccepting the match offer from Boris.\n\n<pr> 18\n\n\
            {Game 3 (Foo vs. Bar) Creating rated blitz match.}\n\n\
            Creating: Alice (1720) Boris (----) rated blitz 5 5\n{Game 1 (Alice vs. Boris) Creating rated blitz match.}";
        let Ok(ChallengeOutcome::Started(created)) = answer(&boris(), reply) else { panic!("{reply}") };
        assert_eq!(created.game.0, 1, "and not the other one");
    }

    #[test]
    fn a_game_of_the_opponent_with_another_player_is_ignored() {
        let sent = "{Game 3 (Foo vs. Boris) Creating rated blitz match.}\n\
            Issuing: Alice (1720) Boris (----) rated blitz 5 5.";
        assert!(matches!(answer(&boris(), sent), Ok(ChallengeOutcome::Sent(_))));
        let board = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 1 \
            Alice Boris 1 5 5 39 39 300 300 1 none (0:00) none 0 0 0";
        let started = format!(
            "{{Game 1 (Alice vs. Boris) Creating rated blitz match.}}\n{board}\n{{Game 3 (Foo vs. Boris) Creating rated blitz match.}}"
        );
        let Ok(ChallengeOutcome::Started(created)) = answer(&boris(), &started) else { panic!("{started}") };
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
}
