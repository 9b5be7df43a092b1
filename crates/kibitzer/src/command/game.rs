//! Offers and claims in the game that is played.

use std::sync::Arc;

use kibitzer_core::event::{CommandError, RequestError};
use kibitzer_core::message::{Actor, GameEnded, Message, OfferAnswer, OfferKind, Style12};
use kibitzer_core::session::{Command, Reply};

use super::bare::bare_commands;
use super::terms::Words;
use super::{Request, answer};

/// What became of an offer in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GameOffer {
    /// The opponent has to answer it.
    Sent,
    /// The game is over: the opponent had offered the same, or the server decided.
    Ended(Box<GameEnded>),
    /// The opponent had offered the same, and it is done. For a takeback, the board to which the game went back.
    Done(Option<Arc<Style12>>),
}

/// Reads the reply to an offer of this kind.
fn read_offer(reply: &Reply, kind: OfferKind) -> Result<GameOffer, RequestError> {
    let mine = reply.messages().find_map(|message| match message {
        Message::Offer(offer) if offer.actor == Actor::Me && offer.kind == kind => Some(offer.answer),
        _ => None,
    });
    // Another game may end meanwhile.
    if mine == Some(None) {
        return Ok(GameOffer::Sent);
    }
    let ended = if kind == OfferKind::Takeback { answer::own_end(reply) } else { answer::likely_end(reply) };
    if let Some(ended) = ended {
        return Ok(GameOffer::Ended(Box::new(ended.clone())));
    }
    let board = answer::own_board(reply).cloned();
    // uhlin-fics takes an offer of the same for an answer and shows nothing but the board it leads to.
    let is_shown = kind == OfferKind::Takeback && reply.answer().is_none() && board.is_some();
    if is_shown || mine == Some(Some(OfferAnswer::Accepted)) {
        return Ok(GameOffer::Done(board));
    }
    Err(answer::unexpected(reply))
}

/// Reads the reply to a command that ends the game or is refused.
fn read_end(reply: &Reply) -> Result<GameEnded, RequestError> {
    answer::likely_end(reply).cloned().ok_or_else(|| answer::unexpected(reply))
}

bare_commands! {
    /// `draw`: offers a draw, accepts one, or claims one by the rules.
    Draw = "draw" -> GameOffer, |reply| read_offer(reply, OfferKind::Draw);
    /// `abort`: offers to end the game without a result, or accepts that; at the start of a game, just does so.
    Abort = "abort" -> GameOffer, |reply| read_offer(reply, OfferKind::Abort);
    /// `adjourn`: offers to go on another day, or accepts that.
    Adjourn = "adjourn" -> GameOffer, |reply| read_offer(reply, OfferKind::Adjourn);
    /// `resign`: gives the game up.
    Resign = "resign" -> GameEnded, read_end;
    /// `flag`: claims that the opponent's time is up.
    Flag = "flag" -> GameEnded, read_end;
}

/// `takeback`: asks to take back plies, or accepts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Takeback {
    plies: u32,
}

impl Takeback {
    /// So many plies; from 1 on.
    pub const fn plies(plies: u32) -> Self {
        Self { plies }
    }
}

impl Request for Takeback {
    type Answer = GameOffer;

    fn command(&self) -> Result<Command, CommandError> {
        Command::new(Words::new("takeback").with(self.plies).as_str())
    }

    fn answer(&self, reply: Reply) -> Result<GameOffer, RequestError> {
        read_offer(&reply, OfferKind::Takeback)
    }
}

#[cfg(test)]
mod tests {
    use kibitzer_core::event::RefusalReason;
    use kibitzer_core::message::{GameResult, Refusal};

    use super::super::testing::{answer, answer_after, assert_line};
    use super::*;

    const BOARD: &str = "<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 1 \
        Alice Boris -1 5 0 39 39 300 300 1 P/e2-e4 (0:00) e4 0 1 0";

    #[test]
    fn every_command_has_its_line() {
        assert_line(&Draw::new(), "draw");
        assert_line(&Abort::new(), "abort");
        assert_line(&Adjourn::new(), "adjourn");
        assert_line(&Takeback::plies(2), "takeback 2");
        assert_line(&Resign::new(), "resign");
        assert_line(&Flag::new(), "flag");
    }

    #[test]
    fn offers_that_wait_for_their_answer() {
        assert_eq!(answer(&Draw::new(), "Draw request sent."), Ok(GameOffer::Sent));
        let another = "{Game 9 (Foo vs. Bar) Foo resigns} 0-1\nDraw request sent.";
        assert_eq!(answer(&Draw::new(), another), Ok(GameOffer::Sent), "another game ends");
        assert_eq!(answer(&Draw::new(), "Offering a draw to Flohr.\n\n<pt> 1 w=Flohr t=draw p=#"), Ok(GameOffer::Sent));
        assert_eq!(answer(&Abort::new(), "Abort request sent."), Ok(GameOffer::Sent));
        assert_eq!(answer(&Abort::new(), "Requesting to abort game 1."), Ok(GameOffer::Sent));
        assert_eq!(answer(&Adjourn::new(), "Adjourn request sent."), Ok(GameOffer::Sent));
        assert_eq!(answer(&Adjourn::new(), "Requesting to adjourn game 1."), Ok(GameOffer::Sent));
        for reply in [
            "Takeback request sent.",
            "You disagree on the number of half-moves to take back.\nAlternate takeback request sent.\n\n<pr> 1",
            "<pr> 1\nUpdated takeback request sent.\nTakeback request sent.\n\n<pt> 2 w=Flohr t=takeback p=2",
        ] {
            assert_eq!(answer(&Takeback::plies(2), reply), Ok(GameOffer::Sent), "{reply}");
        }
    }

    #[test]
    fn offers_that_end_the_game() {
        type Case = (fn(&str) -> Result<GameOffer, RequestError>, &'static str, GameResult);
        let cases: &[Case] = &[
            (
                |reply| answer(&Draw::new(), reply),
                "{Game 1 (A vs. B) Game drawn by repetition} 1/2-1/2",
                GameResult::Draw,
            ),
            (
                |reply| answer(&Draw::new(), reply),
                "Accepting the draw offer from Euwe.\n\n<pr> 2\n\n{Game 1 (Euwe vs. Flohr) Game drawn by agreement} 1/2-1/2",
                GameResult::Draw,
            ),
            (
                |reply| answer(&Abort::new(), reply),
                "Since you have time, and your opponent has none, the game has been aborted.\n\
                {Game 1 (Dmitri vs. Erika) Game courtesyaborted by Dmitri} *\nNo ratings adjustment done.",
                GameResult::Unfinished,
            ),
            (
                |reply| answer(&Adjourn::new(), reply),
                "{Game 1 (Erika vs. Boris) Game adjourned by mutual agreement} *",
                GameResult::Unfinished,
            ),
        ];
        for (answer, reply, result) in cases {
            let Ok(GameOffer::Ended(ended)) = answer(reply) else { panic!("{reply}") };
            assert_eq!(ended.result, *result, "{reply}");
        }
    }

    #[test]
    fn a_takeback_that_both_want_is_done_at_once() {
        let said = format!("Accepting the takeback request from Flohr.\n\n<pr> 1\n\n{BOARD}");
        for reply in [said.as_str(), BOARD] {
            let Ok(GameOffer::Done(Some(board))) = answer(&Takeback::plies(1), reply) else { panic!("{reply}") };
            assert_eq!(board.game().0, 1);
        }
    }

    #[test]
    fn games_that_end_by_one_players_word() {
        let resigned = "{Game 1 (Alice vs. Boris) Alice resigns} 0-1\nBlitz rating adjustment: 1428 --> 1525";
        assert_eq!(answer(&Resign::new(), resigned).map(|ended| ended.result), Ok(GameResult::BlackWins));
        let flagged = "{Game 1 (Alice vs. Boris) Boris forfeits on time} 1-0";
        assert_eq!(answer(&Flag::new(), flagged).map(|ended| ended.result), Ok(GameResult::WhiteWins));
        // Another game's end, told of all games, comes first.
        let both = format!("{BOARD}\n{{Game 9 (Foo vs. Bar) Foo resigns}} 0-1\n{resigned}");
        assert_eq!(answer(&Resign::new(), &both).map(|ended| ended.game.0), Ok(1));
    }

    /// A game that is observed beside the own one.
    const OBSERVED: &str = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 8 \
        Foo Bar 0 5 0 39 39 300 300 1 none (0:00) none 0 0 0";
    /// It ends, which observers are told twice, and so does one that nobody here looks at.
    const OTHERS_END: &str = "{Game 8 (Foo vs. Bar) Bar resigns} 1-0\n{Game 8 (Foo vs. Bar) Bar resigns} 1-0\n\
        {Game 9 (Carla vs. Erika) Erika resigns} 1-0\n{Game 7 (Carla vs. Erika) Creating rated blitz match.}";

    #[test]
    fn another_game_that_ends_in_the_same_reply_is_not_ours() {
        let before = format!("{BOARD}\n{OBSERVED}");
        let agreed = format!("{OTHERS_END}\n{{Game 1 (Alice vs. Boris) Game drawn by agreement}} 1/2-1/2");
        let resigned = format!("{OTHERS_END}\n{{Game 1 (Alice vs. Boris) Alice resigns}} 0-1");
        let ended = answer_after(&before, &Resign::new(), &resigned);
        assert_eq!(ended.map(|ended| ended.game.0), Ok(1));
        for offer in [
            answer_after(&before, &Draw::new(), &agreed),
            answer_after(&before, &Abort::new(), &agreed),
            answer_after(&before, &Adjourn::new(), &agreed),
            answer_after(&before, &Takeback::plies(1), &agreed),
        ] {
            let Ok(GameOffer::Ended(ended)) = offer else { panic!("{offer:?}") };
            assert_eq!(ended.game.0, 1);
        }
        let taken_back = answer_after(&before, &Takeback::plies(1), &format!("{OTHERS_END}\n{BOARD}"));
        let Ok(GameOffer::Done(Some(board))) = taken_back else { panic!("{taken_back:?}") };
        assert_eq!(board.game().0, 1);
        for n_lines in 1..=4 {
            let others: Vec<_> = OTHERS_END.lines().take(n_lines).collect();
            let said = format!("{}\nSomething else.", others.join("\n"));
            let error = answer_after(&before, &Takeback::plies(1), &said).unwrap_err();
            assert_eq!(error.text(), Some("Something else."), "{said}");
        }
        let observed: Vec<_> = OTHERS_END.lines().take(2).collect();
        assert!(
            answer_after(&before, &Resign::new(), &observed.join("\n")).is_err(),
            "none of those that ended is ours"
        );
    }

    #[test]
    fn a_game_whose_boards_cannot_be_read_is_ours_if_no_other_can_be_meant() {
        let resigned = "{Game 1 (Alice vs. Boris) Alice resigns} 0-1";
        let observed: Vec<_> = OTHERS_END.lines().take(2).collect();
        let ended = answer_after(OBSERVED, &Resign::new(), &format!("{}\n{resigned}", observed.join("\n")));
        assert_eq!(ended.map(|ended| ended.game.0), Ok(1));
        let several = answer_after(OBSERVED, &Resign::new(), &format!("{OTHERS_END}\n{resigned}"));
        assert!(matches!(several, Err(RequestError::Unexpected { .. })), "one of two: {several:?}");
    }

    #[test]
    fn what_is_not_to_be_had() {
        for text in ["Your opponent is not out of time.", "Your opponent is not out of time!"] {
            let error = answer(&Flag::new(), text).unwrap_err();
            assert_eq!(error.refusal(), Some(RefusalReason::Refusal(Refusal::NotOutOfTime)));
        }
        for text in ["There are only 8 half-moves in your game.", "You can't takeback less than 1 move."] {
            let error = answer(&Takeback::plies(99), text).unwrap_err();
            assert_eq!(error.refusal(), Some(RefusalReason::Refusal(Refusal::TakebackTooFar)));
        }
        for text in ["Takeback is not allowed in bughouse.", "Takeback not implemented for bughouse games yet."] {
            assert_eq!(answer(&Takeback::plies(1), text).unwrap_err().text(), Some(text));
        }
        let not_playing = "You are not playing a game.";
        let offers = [answer(&Draw::new(), not_playing), answer(&Abort::new(), not_playing)];
        let errors =
            offers.map(Result::unwrap_err).into_iter().chain([answer(&Resign::new(), not_playing).unwrap_err()]);
        for error in errors {
            assert!(error.is_refusal(Refusal::NotPlaying), "{error:?}");
        }
        assert!(answer(&Draw::new(), "Abort request sent.").is_err(), "an offer of another kind");
    }
}
