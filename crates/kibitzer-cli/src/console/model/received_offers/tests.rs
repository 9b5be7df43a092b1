use super::*;
use crate::console::tests::model;

fn offers(said: &str) -> Vec<(String, String, String)> {
    let model = model(said.replace('\n', "\n\r").as_bytes());
    let offers = model.received_offers.offers.iter();
    offers.map(|offer| (offer.text.clone(), offer.answer(true), offer.answer(false))).collect()
}

fn one(text: &str, accept: &str, decline: &str) -> Vec<(String, String, String)> {
    vec![(text.to_owned(), accept.to_owned(), decline.to_owned())]
}

const CHALLENGE: &str = "Challenge: Euwe (1720) [white] Flohr (1720) rated standard 15 5.\n";
const NUMBERED: &str = "<pf> 4 w=Euwe t=match p=Euwe (1720) [white] Flohr (1720) rated standard 15 5\n";

#[test]
fn a_challenge_is_answered_by_number_or_else_by_name() {
    let text = "Euwe (1720) challenges you: rated standard 15+5";
    assert_eq!(offers(CHALLENGE), one(text, "accept Euwe", "decline Euwe"));
    assert_eq!(offers(&format!("{NUMBERED}{CHALLENGE}")), one(text, "accept 4", "decline 4"));
    assert_eq!(offers(&format!("{CHALLENGE}{NUMBERED}")), one(text, "accept 4", "decline 4"));
    assert_eq!(offers(&format!("{CHALLENGE}{NUMBERED}<pr> 3 4\n")), []);
    assert_eq!(offers(&format!("{CHALLENGE}Euwe withdraws the match offer.\n")), []);
}

#[test]
fn an_offer_in_a_game_is_accepted_by_the_same_offer_and_declined_by_a_move() {
    let board = |ranks: &str, turn: char, relation: i32, moved: &str| {
        format!(
            "<12> rnbqkbnr pppppppp {ranks} RNBQKBNR {turn} -1 1 1 1 1 0 7 Flohr Euwe {relation} 2 12 39 39 120 120 1 {moved} 0 0 0\n"
        )
    };
    let before = board("-------- -------- -------- -------- PPPPPPPP", 'W', 1, "none (0:00) none");
    let after = board("-------- -------- ----P--- -------- PPPP-PPP", 'B', -1, "P/e2-e4 (0:01) e4");
    let draw = "Euwe offers you a draw.\n";
    assert_eq!(offers(&format!("{before}{draw}")), one("Euwe offers you: draw", "draw", "decline"));
    assert_eq!(offers(&format!("{before}{draw}{after}")), []);
    assert_eq!(offers(&format!("{draw}You decline the draw request from Euwe.\n")), []);
    assert_eq!(offers("Game 39: Foo offers a draw.\n"), [], "a game that is observed");
}

#[test]
fn a_flood_of_challenges_is_bounded() {
    let names = ('a'..='z').flat_map(|first| ['x', 'y', 'z'].map(|second| format!("F{first}{second}")));
    let said: String = names.map(|name| CHALLENGE.replace("Euwe", &name)).collect();
    assert_eq!(offers(&said).len(), KEPT_OFFERS);
}
