use kibitzer_core::message::{GameResult, Refusal};

use super::*;
use crate::command;
use crate::command::testing::{answer, answer_after, assert_line};

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
            "{Game 1 (A vs. B) Game drawn by repetition} 1/2-1/2",
            GameResult::Draw,
        ),
        (
            |reply| answer(&command::draw(), reply),
            "Accepting the draw offer from Euwe.\n\n<pr> 2\n\n{Game 1 (Euwe vs. Flohr) Game drawn by agreement} 1/2-1/2",
            GameResult::Draw,
        ),
        (
            |reply| answer(&command::abort(), reply),
            "Since you have time, and your opponent has none, the game has been aborted.\n\
                {Game 1 (Dmitri vs. Erika) Game courtesyaborted by Dmitri} *\nNo ratings adjustment done.",
            GameResult::Unfinished,
        ),
        (
            |reply| answer(&command::adjourn(), reply),
            "{Game 1 (Erika vs. Boris) Game adjourned by mutual agreement} *",
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
        let Ok(OfferOutcome::Changed(Some(board))) = answer(&command::takeback(1), reply) else { panic!("{reply}") };
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
    let Ok(OfferOutcome::Changed(Some(board))) = taken_back else { panic!("{taken_back:?}") };
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
fn the_only_game_without_readable_boards_is_that_of_this_login() {
    let resigned = "{Game 1 (Alice vs. Boris) Alice resigns} 0-1";
    let observed: Vec<_> = OTHERS_END.lines().take(2).collect();
    let ended = answer_after(OBSERVED, &command::resign(), &format!("{}\n{resigned}", observed.join("\n")));
    assert_eq!(ended.map(|ended| ended.game.0), Ok(1));
    let several = answer_after(OBSERVED, &command::resign(), &format!("{OTHERS_END}\n{resigned}"));
    assert!(matches!(several, Err(RequestError::Unexpected { .. })), "one of two: {several:?}");
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
