use kibitzer_core::event::CommandError;
use kibitzer_core::message::Refusal;

use super::*;
use crate::command::testing::{answer, assert_line};
use crate::command::{self, Request, TypedCommand};

fn boris() -> TypedCommand<OfferOutcome> {
    boris_at(GameTerms::new())
}

fn boris_at(terms: GameTerms) -> TypedCommand<OfferOutcome> {
    command::challenge("Boris", terms)
}

fn seek() -> TypedCommand<OfferOutcome> {
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
    assert_line(&command::resume("Boris"), "resume Boris");
    assert_line(&command::rematch(), "rematch");
    let issued = "Issuing: Alekhine (----) Bogoljubov (----) rated standard 10 10 (adjourned).";
    let both = format!("{issued}\n{}", issued.replace("Bogoljubov", "Duras"));
    let to: Vec<_> = answer(&command::resume_all(), &both).unwrap().into_iter().map(name_and_kind).collect();
    assert_eq!(to, [("Bogoljubov".to_owned(), true), ("Duras".to_owned(), true)]);
    let issued = "Issuing: Euwe (1910) Flohr (1500) rated blitz 3 12.";
    assert_eq!(answer(&command::rematch(), issued).map(name_and_kind), Ok(("Flohr".to_owned(), false)));
    let met = "Your challenge intercepts Bogoljubov's challenge.\n\
            {Game 1 (Alice vs. Bogoljubov) Continuing rated standard match.}";
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
    assert_line(&command::play_seek_of("Alekhine"), "play Alekhine");
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
            Creating: Alice (1558) Alekhine (1882) unrated blitz 4 4\n\
            {Game 1 (Alice vs. Alekhine) Creating unrated blitz match.}";
    let Ok(OfferOutcome::Started(created)) = answer(&seek(), reply) else { panic!("{reply}") };
    assert_eq!(created.black.as_str(), "Alekhine");
}

#[test]
fn an_answer_to_a_seek_begins_a_game_or_challenges() {
    let started = "<sr> 8\n<sr> 3\n\nCreating: Alice (1558) Alekhine (1882) rated blitz 5 0\n\
            {Game 1 (Alice vs. Alekhine) Creating rated blitz match.}";
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
