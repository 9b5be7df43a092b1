use kibitzer_core::message::Refusal;

use super::*;
use crate::command;
use crate::command::testing::{answer, answer_after, assert_line};

const BOARD: &str = "<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 1 \
        Alice Boris -1 5 0 39 39 300 300 1 P/e2-e4 (0:00) e4 0 1 0";

// Rules: datagrams P3
#[test]
fn an_offer_is_selected_in_four_ways() {
    assert_line(&command::accept(OfferRef::Only), "accept");
    assert_line(&command::accept(OfferRef::Number(22)), "accept 22");
    assert_line(&command::decline(OfferRef::Number(7)), "decline 7");
    assert_line(&command::withdraw(OfferRef::Number(1300)), "withdraw 1300");
    assert_line(&command::decline(OfferRef::Player("Newton".parse().unwrap())), "decline Newton");
    assert_line(&command::decline(OfferRef::Kind(OfferKind::Draw)), "decline draw");
    assert_line(&command::withdraw(OfferRef::Only), "withdraw");
}

#[test]
fn accept_derives_the_outcome_from_the_reply() {
    let accept = |reply: &str| answer(&command::accept(OfferRef::Only), reply).unwrap();
    for reply in [
        "Accepting the match offer from Alekhine.\n\n<pr> 2\n\nCreating: Alekhine (----) Bogoljubov (----) rated blitz 5 2\n\
            {Game 1 (Alekhine vs. Bogoljubov) Creating rated blitz match.}",
        "You accept the challenge of Alekhine.\n\n{Game 1 (Alekhine vs. Bogoljubov) Creating rated blitz match.}",
        "You accept the challenge of Alekhine.\n{Game 1 (Alekhine vs. Bogoljubov) Continuing rated blitz match.}",
    ] {
        let OfferOutcome::Started(created) = accept(reply) else { panic!("{reply}") };
        assert_eq!((created.game.0, created.white.as_str()), (1, "Alekhine"));
    }
    for reply in [
        "Accepting the adjourn request from Bogoljubov.\n\n{Game 1 (Alekhine vs. Bogoljubov) Game adjourned by agreement} *",
        "{Game 1 (Alice vs. Carla) Game aborted by mutual agreement} *\nNo ratings adjustment done.",
    ] {
        assert!(matches!(accept(reply), OfferOutcome::Ended(_)), "{reply}");
    }
    let partner = "Accepting the partnership request from Alekhine.\n\n<pr> 4\nYou agree to be Alekhine's partner.";
    assert_eq!(accept(partner), OfferOutcome::Partner("Alekhine".parse().unwrap()));
    let taken_back = format!("Accepting the takeback request from Alekhine.\n\n{BOARD}");
    for reply in [taken_back.as_str(), BOARD] {
        assert!(matches!(accept(reply), OfferOutcome::Changed(Some(_))), "{reply}");
    }
}

#[test]
fn accept_ignores_other_games_in_the_same_reply() {
    const OTHERS: &str = "{Game 8 (Foo vs. Bar) Bar resigns} 1-0\n{Game 8 (Foo vs. Bar) Creating rated blitz match.}";
    let accept = |before: &str, reply: &str| answer_after(before, &command::accept(OfferRef::Only), reply).unwrap();
    let match_begins = format!("{OTHERS}\n{{Game 1 (Alice vs. Boris) Creating rated blitz match.}}\n{OTHERS}\n{BOARD}");
    let OfferOutcome::Started(created) = accept("", &match_begins) else { panic!() };
    assert_eq!(created.game.0, 1);
    let drawn = format!("{OTHERS}\n{{Game 1 (Alice vs. Boris) Game drawn by agreement}} 1/2-1/2");
    let OfferOutcome::Ended(ended) = accept(BOARD, &drawn) else { panic!() };
    assert_eq!(ended.game.0, 1);
    for reply in
        [format!("{BOARD}\n{OTHERS}"), format!("Accepting the takeback request from Boris.\n{OTHERS}\n{BOARD}")]
    {
        let OfferOutcome::Changed(Some(board)) = accept(BOARD, &reply) else { panic!("{reply}") };
        assert_eq!(board.game().0, 1);
    }
    let partner = format!("{OTHERS}\nYou agree to be Foo's partner.");
    assert_eq!(accept("", &partner), OfferOutcome::Partner("Foo".parse().unwrap()));
    // The number of the own game that is over is another's now.
    let again = format!(
        "{BOARD}\n{{Game 1 (Alice vs. Boris) Alice resigns}} 0-1\n{{Game 1 (Foo vs. Bar) Creating rated blitz match.}}"
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
    let command = command::partner("Dmitri".parse().unwrap());
    assert_line(&command, "partner Dmitri");
    let sent = "Making a partnership offer to Dmitri.\n\n<pt> 4 w=Dmitri t=partner p=#";
    assert_eq!(answer(&command, sent), Ok(OfferOutcome::Sent));
    assert_eq!(
        answer(&command, "You agree to be Dmitri's partner."),
        Ok(OfferOutcome::Partner("Dmitri".parse().unwrap()))
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
