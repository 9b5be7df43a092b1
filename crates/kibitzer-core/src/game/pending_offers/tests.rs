use super::*;
use crate::reader::EventReader;

/// The open offers after these lines: maker, kind, player and number.
fn offers(lines: &str) -> Vec<String> {
    let mut events = EventReader::default();
    let mut offers = PendingOffers::default();
    let lines = lines.replace('\n', "\n\r");
    let mut input = lines.as_bytes();
    while let Some(event) = events.next(&mut input).or_else(|| events.finish()) {
        if let Some(message) = event.message() {
            offers.apply(message, event.change());
        }
    }
    let player = |offer: &OpenOffer| offer.player.as_ref().map_or("?".to_owned(), ToString::to_string);
    let index = |offer: &OpenOffer| offer.index.map_or(String::new(), |index| format!(" {index}"));
    offers.0.iter().map(|offer| format!("{:?} {} {}{}", offer.actor, offer.kind, player(offer), index(offer))).collect()
}

const CHALLENGE: &str = "Challenge: Euwe (1720) [white] Flohr (1720) rated standard 15 5.\n";
const NUMBERED: &str = "<pf> 4 w=Euwe t=match p=Euwe (1720) [white] Flohr (1720) rated standard 15 5\n";
const ISSUED: &str = "Issuing: Flohr (1720) Euwe (1720) rated standard 15 5.\n";

/// A board of this login's game against Euwe, before or after its first move.
fn board(ranks: &str, turn: char, relation: i32, moved: &str) -> String {
    format!(
        "<12> rnbqkbnr pppppppp {ranks} RNBQKBNR {turn} -1 1 1 1 1 0 7 Flohr Euwe {relation} 2 12 39 39 120 120 1 {moved} 0 0 0\n"
    )
}

#[test]
fn sentence_and_number_are_one_challenge_in_any_order() {
    assert_eq!(offers(CHALLENGE), ["Other match Euwe"]);
    for both in [format!("{NUMBERED}{CHALLENGE}"), format!("{CHALLENGE}{NUMBERED}")] {
        assert_eq!(offers(&both), ["Other match Euwe 4"]);
        assert_eq!(offers(&format!("{both}<pr> 3 4\n")), [""; 0]);
    }
    assert_eq!(offers(&NUMBERED.replace("Euwe", "Bob").repeat(2)), ["Other match Bob 4"]);
    assert_eq!(
        offers(&format!("{NUMBERED}<pf> 4 w=Bob t=partner p=#\n")),
        ["Other partner Bob 4"],
        "a number used again"
    );
}

#[test]
fn an_answer_removes_the_challenge_of_its_direction() {
    let both = format!("{CHALLENGE}{ISSUED}");
    assert_eq!(offers(&both), ["Other match Euwe", "Me match Euwe"]);
    for (line, left) in [
        ("Euwe withdraws the match offer.", "Me match Euwe"),
        ("You decline the match offer from Euwe.", "Me match Euwe"),
        ("Euwe declines the match offer.", "Other match Euwe"),
        ("Challenge to Euwe withdrawn.", "Other match Euwe"),
        ("Euwe, whom you were challenging, has departed.", "Other match Euwe"),
    ] {
        assert_eq!(offers(&format!("{both}{line}\n")), [left], "{line}");
    }
    assert_eq!(offers(&format!("{both}Bob declines the match offer.\n")).len(), 2, "another player");
    let start = board("-------- -------- -------- -------- PPPPPPPP", 'W', 1, "none (0:00) none");
    assert_eq!(offers(&format!("{both}<pf> 5 w=Bob t=partner p=#\n{start}")), ["Other partner Bob 5"]);
}

#[test]
fn offers_in_a_game_end_by_answer_move_or_end() {
    let before = board("-------- -------- -------- -------- PPPPPPPP", 'W', 1, "none (0:00) none");
    let after = board("-------- -------- ----P--- -------- PPPP-PPP", 'B', -1, "P/e2-e4 (0:01) e4");
    let draws = format!("{before}Euwe offers you a draw.\nDraw request sent.\n");
    assert_eq!(offers(&draws), ["Other draw Euwe", "Me draw ?"]);
    assert_eq!(offers(&format!("{draws}<pt> 6 w=Euwe t=draw p=#\n")), ["Other draw Euwe", "Me draw ? 6"]);
    assert_eq!(offers(&format!("{draws}{after}")), ["Me draw ?"], "the own move declines the opponent's offer");
    assert_eq!(offers(&format!("{draws}Euwe declines the draw request.\n")), ["Other draw Euwe"]);
    assert_eq!(offers(&format!("{draws}You decline the draw request from Euwe.\n")), ["Me draw ?"]);
    assert_eq!(
        offers(&format!("{draws}{CHALLENGE}{{Game 7 (Flohr vs. Euwe) Euwe resigns}} 1-0\n")),
        ["Other match Euwe"]
    );
    assert_eq!(offers("Game 39: Foo offers a draw.\n"), [""; 0], "a game that is observed");
}

#[test]
fn number_of_offers_is_limited() {
    let names = ('a'..='z').flat_map(|first| ['x', 'y', 'z'].map(|second| format!("F{first}{second}")));
    let lines: String = names.map(|name| CHALLENGE.replace("Euwe", &name)).collect();
    let offers = offers(&lines);
    assert_eq!((offers.len(), offers[0].as_str()), (MAX_OFFERS, "Other match Fez"));
}
