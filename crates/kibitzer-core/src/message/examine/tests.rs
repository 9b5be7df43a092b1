use super::ExamineAction::{
    AtBeginning, AtEnd, Backward, Commit, Forward, IsExaminer, MadeMeExaminer, Move, Revert, Set, SetupEntered,
    SetupLeft, Start, Stop,
};
use super::*;

fn text(words: &str) -> PlayerText {
    PlayerText::from_wire(words.as_bytes())
}

#[test]
fn events_of_others_with_and_without_a_game_number() {
    let cases = [
        ("Game 29: A goes forward 22 moves.", Some(29), Forward(22)),
        ("Game 29: A goes forward 1 move.", Some(29), Forward(1)),
        ("A goes forward 1 move.", None, Forward(1)),
        ("A goes forward 40 moves.", None, Forward(40)),
        ("Game 29: A backs up 4 moves.", Some(29), Backward(4)),
        ("A backs up 1 move.", None, Backward(1)),
        ("A backs up 500 moves.", None, Backward(500)),
        ("Game 29: A reverts to main line move 5.", Some(29), Revert(Some(5))),
        ("Game 29: A reverts to the main line", Some(29), Revert(None)),
        ("A reverts to mainline.", None, Revert(None)),
        ("Game 29: A commits the subvariation.", Some(29), Commit),
        ("Game 29: A moves: Nf3", Some(29), Move(ServerText::from_wire(b"Nf3"))),
        ("A(GM) moves: Bb5+ ", None, Move(ServerText::from_wire(b"Bb5+"))),
        ("Game 29: A sets White's clock to 5:00.", Some(29), Set(text("White's clock to 5:00."))),
        ("Game 29: A sets whatever", Some(29), Set(text("whatever"))),
        ("A sets the side to move to white.", None, Set(text("the side to move to white."))),
        ("A is now an examiner of game 29.", Some(29), IsExaminer),
        ("A is now examiner of game 29.", Some(29), IsExaminer),
        ("A has made you an examiner of game 104.", Some(104), MadeMeExaminer),
        ("A stopped examining game 1.", Some(1), Stop),
        ("A has stopped examining game 1.", Some(1), Stop),
    ];
    for (line, game, action) in cases {
        let want = ExamineNotice { game: game.map(GameId), by: Some(Handle::from_wire(b"A")), action };
        assert_eq!(ExamineNotice::parse(line.as_bytes()), Some(want), "{line}");
    }
}

#[test]
fn events_of_this_login() {
    let cases = [
        ("Starting a game in examine (scratch) mode.", None, Start { scratch: true }),
        ("Starting a game in examine mode.", None, Start { scratch: false }),
        ("You are now examiner of game 1.", Some(1), IsExaminer),
        ("You are no longer examining game 29.", Some(29), Stop),
        ("Entering setup mode.", None, SetupEntered),
        ("Game is validated - entering examine mode.", None, SetupLeft),
        ("You're at the beginning of the game.", None, AtBeginning),
        ("You're at the end of the game.", None, AtEnd),
        ("Beginning of game.", None, AtBeginning),
        ("End of game.", None, AtEnd),
    ];
    for (line, game, action) in cases {
        let want = ExamineNotice { game: game.map(GameId), by: None, action };
        assert_eq!(ExamineNotice::parse(line.as_bytes()), Some(want), "{line}");
    }
}

#[test]
fn other_lines_are_not_parsed() {
    let lines = [
        "",
        "A sets his alarm clock.",
        "A goes forward x moves.",
        "A goes forward 2 moves. Or 3.",
        "A B goes forward 2 moves.",
        "You are now observing game 463.",
        "Game 1 (which you were observing) has no examiners.",
        "Game 29: A offers a draw.",
        "Game 1: Bogoljubov resigns 1-0",
        "Alekhine, whom you are following, has started examining a game.",
    ];
    for line in lines {
        assert_eq!(ExamineNotice::parse(line.as_bytes()), None, "{line}");
    }
}
