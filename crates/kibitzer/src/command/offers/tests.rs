use kibitzer_core::message::{GameResult, Refusal};

use super::*;
use crate::command::testing::{answer, answer_after, assert_line};
use crate::command::{self, Request as _};

const BOARD: &str = "<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 1 \
        Alice Boris -1 5 0 39 39 300 300 1 P/e2-e4 (0:00) e4 0 1 0";

#[test]
fn commands_write_their_lines() {
    assert_line(&command::draw(), "draw");
    assert_line(&command::abort(), "abort");
    assert_line(&command::adjourn(), "adjourn");
    assert_line(&command::takeback(2), "takeback 2");
    assert_line(&command::resign(), "resign");
    assert_line(&command::flag(), "flag");
}

#[test]
fn offers_without_an_answer_yet_are_sent() {
    assert_eq!(answer(&command::draw(), "Draw request sent."), Ok(OfferOutcome::Sent));
    let another = "{Game 9 (Foo vs. Bar) Foo resigns} 0-1\nDraw request sent.";
    assert_eq!(answer(&command::draw(), another), Ok(OfferOutcome::Sent), "another game ends");
    assert_eq!(
        answer(&command::draw(), "Offering a draw to Flohr.\n\n<pt> 1 w=Flohr t=draw p=#"),
        Ok(OfferOutcome::Sent)
    );
    assert_eq!(answer(&command::abort(), "Abort request sent."), Ok(OfferOutcome::Sent));
    assert_eq!(answer(&command::abort(), "Requesting to abort game 1."), Ok(OfferOutcome::Sent));
    assert_eq!(answer(&command::adjourn(), "Adjourn request sent."), Ok(OfferOutcome::Sent));
    assert_eq!(answer(&command::adjourn(), "Requesting to adjourn game 1."), Ok(OfferOutcome::Sent));
    for reply in [
        "Takeback request sent.",
        "You disagree on the number of half-moves to take back.\nAlternate takeback request sent.\n\n<pr> 1",
        "<pr> 1\nUpdated takeback request sent.\nTakeback request sent.\n\n<pt> 2 w=Flohr t=takeback p=2",
    ] {
        assert_eq!(answer(&command::takeback(2), reply), Ok(OfferOutcome::Sent), "{reply}");
    }
}

#[test]
fn offers_that_end_the_game() {
    type Case = (fn(&str) -> Result<OfferOutcome, RequestError>, &'static str, GameResult);
    let cases: &[Case] = &[
        (
            |reply| answer(&command::draw(), reply),
            "{Game 1 (Alice vs. B) Game drawn by repetition} 1/2-1/2",
            GameResult::Draw,
        ),
        (
            |reply| answer(&command::draw(), reply),
            "Accepting the draw offer from Euwe.\n\n<pr> 2\n\n{Game 1 (Euwe vs. Alice) Game drawn by agreement} 1/2-1/2",
            GameResult::Draw,
        ),
        (
            |reply| answer(&command::abort(), reply),
            "Since you have time, and your opponent has none, the game has been aborted.\n\
                {Game 1 (Alice vs. Erika) Game courtesyaborted by Alice} *\nNo ratings adjustment done.",
            GameResult::Unfinished,
        ),
        (
            |reply| answer(&command::adjourn(), reply),
            "{Game 1 (Alice vs. Boris) Game adjourned by mutual agreement} *",
            GameResult::Unfinished,
        ),
    ];
    for (answer, reply, result) in cases {
        let Ok(OfferOutcome::Ended(ended)) = answer(reply) else { panic!("{reply}") };
        assert_eq!(ended.result, *result, "{reply}");
    }
}

#[test]
fn a_takeback_of_both_players_takes_effect_at_once() {
    let said = format!("Accepting the takeback request from Flohr.\n\n<pr> 1\n\n{BOARD}");
    for reply in [said.as_str(), BOARD] {
        let Ok(OfferOutcome::Changed { board: Some(board) }) = answer(&command::takeback(1), reply) else {
            panic!("{reply}")
        };
        assert_eq!(board.game().0, 1);
    }
}

#[test]
fn resign_and_flag_return_the_end_of_the_game() {
    let resigned = "{Game 1 (Alice vs. Boris) Alice resigns} 0-1\nBlitz rating adjustment: 1428 --> 1525";
    assert_eq!(answer(&command::resign(), resigned).map(|ended| ended.result), Ok(GameResult::BlackWins));
    let flagged = "{Game 1 (Alice vs. Boris) Boris forfeits on time} 1-0";
    assert_eq!(answer(&command::flag(), flagged).map(|ended| ended.result), Ok(GameResult::WhiteWins));
    // The end of another game comes first, as with the variable `gin`.
    let both = format!("{BOARD}\n{{Game 9 (Foo vs. Bar) Foo resigns}} 0-1\n{resigned}");
    assert_eq!(answer(&command::resign(), &both).map(|ended| ended.game.0), Ok(1));
}

/// A game that is observed beside the own one.
const OBSERVED: &str = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 8 \
        Foo Bar 0 5 0 39 39 300 300 1 none (0:00) none 0 0 0";
/// The end of that game, which servers report twice to an observer, and of one that is not observed.
const OTHERS_END: &str = "{Game 8 (Foo vs. Bar) Bar resigns} 1-0\n{Game 8 (Foo vs. Bar) Bar resigns} 1-0\n\
        {Game 9 (Carla vs. Erika) Erika resigns} 1-0\n{Game 7 (Carla vs. Erika) Creating rated blitz match.}";

#[test]
fn another_game_that_ends_in_the_same_reply_is_ignored() {
    let before = format!("{BOARD}\n{OBSERVED}");
    let agreed = format!("{OTHERS_END}\n{{Game 1 (Alice vs. Boris) Game drawn by agreement}} 1/2-1/2");
    let resigned = format!("{OTHERS_END}\n{{Game 1 (Alice vs. Boris) Alice resigns}} 0-1");
    let ended = answer_after(&before, &command::resign(), &resigned);
    assert_eq!(ended.map(|ended| ended.game.0), Ok(1));
    for offer in [
        answer_after(&before, &command::draw(), &agreed),
        answer_after(&before, &command::abort(), &agreed),
        answer_after(&before, &command::adjourn(), &agreed),
        answer_after(&before, &command::takeback(1), &agreed),
    ] {
        let Ok(OfferOutcome::Ended(ended)) = offer else { panic!("{offer:?}") };
        assert_eq!(ended.game.0, 1);
    }
    let taken_back = answer_after(&before, &command::takeback(1), &format!("{OTHERS_END}\n{BOARD}"));
    let Ok(OfferOutcome::Changed { board: Some(board) }) = taken_back else { panic!("{taken_back:?}") };
    assert_eq!(board.game().0, 1);
    for n_lines in 1..=4 {
        let others: Vec<_> = OTHERS_END.lines().take(n_lines).collect();
        let said = format!("{}\nSomething else.", others.join("\n"));
        let error = answer_after(&before, &command::takeback(1), &said).unwrap_err();
        assert_eq!(error.text(), Some("Something else."), "{said}");
    }
    let observed: Vec<_> = OTHERS_END.lines().take(2).collect();
    assert!(
        answer_after(&before, &command::resign(), &observed.join("\n")).is_err(),
        "none of those that ended is ours"
    );
}

#[test]
fn a_game_without_readable_boards_is_known_by_the_name_of_this_login() {
    let resigned = "{Game 1 (Alice vs. Boris) Alice resigns} 0-1";
    let ended = answer_after(OBSERVED, &command::resign(), &format!("{OTHERS_END}\n{resigned}"));
    assert_eq!(ended.map(|ended| ended.game.0), Ok(1));
    let others = answer_after(OBSERVED, &command::resign(), "{Game 9 (Carla vs. Erika) Erika resigns} 1-0");
    assert!(matches!(others, Err(RequestError::Unexpected { .. })), "the only end is that of others: {others:?}");
}

#[test]
fn refused_claims_and_takebacks_are_errors() {
    for text in ["Your opponent is not out of time.", "Your opponent is not out of time!"] {
        let error = answer(&command::flag(), text).unwrap_err();
        assert_eq!(error.refusal_reason(), Some(Refusal::NotOutOfTime));
    }
    for text in ["There are only 8 half-moves in your game.", "You can't takeback less than 1 move."] {
        let error = answer(&command::takeback(99), text).unwrap_err();
        assert_eq!(error.refusal_reason(), Some(Refusal::TakebackTooFar));
    }
    for text in ["Takeback is not allowed in bughouse.", "Takeback not implemented for bughouse games yet."] {
        assert_eq!(answer(&command::takeback(1), text).unwrap_err().text(), Some(text));
    }
    let not_playing = "You are not playing a game.";
    let offers = [answer(&command::draw(), not_playing), answer(&command::abort(), not_playing)];
    let errors =
        offers.map(Result::unwrap_err).into_iter().chain([answer(&command::resign(), not_playing).unwrap_err()]);
    for error in errors {
        assert!(error.is_refused_for(Refusal::NotPlaying), "{error:?}");
    }
    assert!(answer(&command::draw(), "Abort request sent.").is_err(), "an offer of another kind");
}

const OWN_BOARD: &str = "<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 1 \
        Alice Boris -1 5 0 39 39 300 300 1 P/e2-e4 (0:00) e4 0 1 0";

// Rules: datagrams P3
#[test]
fn an_offer_is_selected_in_four_ways() {
    assert_line(&command::accept(OfferRef::Only), "accept");
    assert_line(&command::accept(OfferRef::Number(22)), "accept 22");
    assert_line(&command::decline(OfferRef::Number(7)), "decline 7");
    assert_line(&command::withdraw(OfferRef::Number(1300)), "withdraw 1300");
    assert_line(&command::decline(OfferRef::Player("Newton".parse().unwrap())), "decline Newton");
    assert!(command::accept(OfferRef::Player(Handle::default())).command().is_err(), "it would accept any offer");
    assert_line(&command::decline(OfferRef::Kind(OfferKind::Draw)), "decline draw");
    assert_line(&command::withdraw(OfferRef::Only), "withdraw");
}

#[test]
fn accept_derives_the_outcome_from_the_reply() {
    let accept = |reply: &str| answer(&command::accept(OfferRef::Only), reply).unwrap();
    for reply in [
        "Accepting the match offer from Alekhine.\n\n<pr> 2\n\nCreating: Alekhine (----) Alice (----) rated blitz 5 2\n\
            {Game 1 (Alekhine vs. Alice) Creating rated blitz match.}",
        "You accept the challenge of Alekhine.\n\n{Game 1 (Alekhine vs. Alice) Creating rated blitz match.}",
        "You accept the challenge of Alekhine.\n{Game 1 (Alekhine vs. Alice) Continuing rated blitz match.}",
    ] {
        let OfferOutcome::Started(created) = accept(reply) else { panic!("{reply}") };
        assert_eq!((created.game.0, created.white.as_str()), (1, "Alekhine"));
    }
    for reply in [
        "Accepting the adjourn request from Bogoljubov.\n\n{Game 1 (Alice vs. Bogoljubov) Game adjourned by agreement} *",
        "{Game 1 (Alice vs. Carla) Game aborted by mutual agreement} *\nNo ratings adjustment done.",
    ] {
        assert!(matches!(accept(reply), OfferOutcome::Ended(_)), "{reply}");
    }
    let partner = "Accepting the partnership request from Alekhine.\n\n<pr> 4\nYou agree to be Alekhine's partner.";
    assert_eq!(accept(partner), OfferOutcome::Partner { name: "Alekhine".parse().unwrap() });
    let taken_back = format!("Accepting the takeback request from Alekhine.\n\n{OWN_BOARD}");
    for reply in [taken_back.as_str(), OWN_BOARD] {
        assert!(matches!(accept(reply), OfferOutcome::Changed { board: Some(_) }), "{reply}");
    }
}

#[test]
fn accept_ignores_other_games_in_the_same_reply() {
    const OTHERS: &str = "{Game 8 (Foo vs. Bar) Bar resigns} 1-0\n{Game 8 (Foo vs. Bar) Creating rated blitz match.}";
    let accept = |before: &str, reply: &str| answer_after(before, &command::accept(OfferRef::Only), reply).unwrap();
    let match_begins =
        format!("{OTHERS}\n{{Game 1 (Alice vs. Boris) Creating rated blitz match.}}\n{OTHERS}\n{OWN_BOARD}");
    let OfferOutcome::Started(created) = accept("", &match_begins) else { panic!() };
    assert_eq!(created.game.0, 1);
    let drawn = format!("{OTHERS}\n{{Game 1 (Alice vs. Boris) Game drawn by agreement}} 1/2-1/2");
    let OfferOutcome::Ended(ended) = accept(OWN_BOARD, &drawn) else { panic!() };
    assert_eq!(ended.game.0, 1);
    for reply in
        [format!("{OWN_BOARD}\n{OTHERS}"), format!("Accepting the takeback request from Boris.\n{OTHERS}\n{OWN_BOARD}")]
    {
        let OfferOutcome::Changed { board: Some(board) } = accept(OWN_BOARD, &reply) else { panic!("{reply}") };
        assert_eq!(board.game().0, 1);
    }
    let partner = format!("{OTHERS}\nYou agree to be Foo's partner.");
    assert_eq!(accept("", &partner), OfferOutcome::Partner { name: "Foo".parse().unwrap() });
    // The number of the own game that is over is another's now.
    let again = format!(
        "{OWN_BOARD}\n{{Game 1 (Alice vs. Boris) Alice resigns}} 0-1\n{{Game 1 (Foo vs. Bar) Creating rated blitz match.}}"
    );
    assert!(matches!(accept("", &again), OfferOutcome::Ended(_)));
}

#[test]
fn decline_and_withdraw_return_the_closed_offer() {
    let closed = |name: &str, kind| Ok(OfferOutcome::Closed { name: Some(name.parse().unwrap()), kind });
    let cases = [
        ("Declining the draw offer from Euwe.\n\n<pr> 1", "Euwe", Some(OfferKind::Draw)),
        ("Declining the abort request from Euwe.", "Euwe", Some(OfferKind::Abort)),
        ("You decline the draw request from Alice.", "Alice", Some(OfferKind::Draw)),
        ("You decline the takeback request from Boris.", "Boris", Some(OfferKind::Takeback)),
        ("Declining the match offer from Euwe.\n\n<pr> 18", "Euwe", None),
        ("You decline the match offer from Dmitri.", "Dmitri", None),
    ];
    for (reply, name, kind) in cases {
        assert_eq!(answer(&command::decline(OfferRef::Only), reply), closed(name, kind), "{reply}");
    }
    let cases = [
        ("Withdrawing your takeback request to Flohr.\n\n<pr> 2", "Flohr", Some(OfferKind::Takeback)),
        ("Withdrawing your match offer to GuestTLLA.\n\n<pr> 20", "GuestTLLA", None),
        ("You withdraw the match offer to Carla.", "Carla", None),
    ];
    for (reply, name, kind) in cases {
        assert_eq!(answer(&command::withdraw(OfferRef::Only), reply), closed(name, kind), "{reply}");
    }
}

// Rules: datagrams P2, datagrams P3
#[test]
fn missing_and_ambiguous_offers_are_errors() {
    for text in ["There are no offers to accept.", "You have no offers to accept."] {
        let error = answer(&command::accept(OfferRef::Only), text).unwrap_err();
        assert_eq!(error.refusal_reason(), Some(Refusal::NoSuchOffer));
    }
    for text in ["There are no offers to decline.", "There is no offer 77 to decline."] {
        let error = answer(&command::decline(OfferRef::Only), text).unwrap_err();
        assert_eq!(error.refusal_reason(), Some(Refusal::NoSuchOffer));
    }
    let several = "You have more than one pending offer. Use \"pending\" to see them and \"accept n\" to choose one.";
    let error = answer(&command::accept(OfferRef::Only), several).unwrap_err();
    assert_eq!(error.refusal_reason(), Some(Refusal::AmbiguousOffer));
    let none = "You have no pending offers to other players.";
    assert_eq!(answer(&command::withdraw(OfferRef::Only), none).unwrap_err().text(), Some(none));
}

#[test]
fn partner_sends_an_offer_or_accepts_one() {
    let command = command::partner("Dmitri");
    assert_line(&command, "partner Dmitri");
    let sent = "Making a partnership offer to Dmitri.\n\n<pt> 4 w=Dmitri t=partner p=#";
    assert_eq!(answer(&command, sent), Ok(OfferOutcome::Sent));
    assert_eq!(
        answer(&command, "You agree to be Dmitri's partner."),
        Ok(OfferOutcome::Partner { name: "Dmitri".parse().unwrap() })
    );
    let nobody = answer(&command, "No player named \"dmitri\" is online.").unwrap_err();
    assert_eq!(nobody.refusal_reason(), Some(Refusal::NotLoggedIn));
}

#[test]
fn the_end_of_a_partnership_is_confirmed() {
    assert_line(&command::end_partnership(), "partner");
    let withdrawn = "You withdraw the partnership request to Bela.";
    for reply in ["You no longer have a bughouse partner.", withdrawn, "", "Foo tells you: bye"] {
        assert_eq!(answer(&command::end_partnership(), reply), Ok(()), "{reply}");
    }
    let none = answer(&command::end_partnership(), "You do not have a bughouse partner.").unwrap_err();
    assert_eq!(none.refusal_reason(), Some(Refusal::NoPartner));
}

#[test]
fn answers_are_objects_with_the_keys_of_events() {
    let json = |reply: &str| serde_json::to_value(answer(&command::takeback(1), reply).unwrap()).unwrap();
    let ended = json("{Game 1 (Alice vs. Boris) Game aborted by mutual agreement} *");
    assert_eq!((&ended["outcome"], &ended["reason"]), (&"ended".into(), &"abort_agreement".into()));
    let changed = json(BOARD);
    assert_eq!((&changed["outcome"], &changed["board"]["game"]), (&"changed".into(), &1.into()));
    let challenged = answer(
        &command::challenge("Boris", super::super::GameTerms::new()),
        "Issuing: Alice (1500) Boris (1600) rated blitz 5 0.",
    );
    let challenged = serde_json::to_value(challenged.unwrap()).unwrap();
    assert_eq!((&challenged["outcome"], &challenged["to"]), (&"challenged".into(), &"Boris".into()));
}
