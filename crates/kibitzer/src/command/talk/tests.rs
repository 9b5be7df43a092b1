use kibitzer_core::message::Refusal;

use super::*;
use crate::command::testing::{answer, assert_line};

#[test]
fn a_text_of_more_than_one_piece_is_an_error() {
    let longest = TalkCommand::say("x".repeat(MAX_TEXT_BYTES));
    assert!(longest.command().is_ok());
    let long = TalkCommand::say("x".repeat(MAX_TEXT_BYTES + 1));
    assert_eq!(long.command(), Err(CommandError::too_long(MAX_TEXT_BYTES + 1, MAX_TEXT_BYTES)));
    assert!(long.pieces().iter().all(|piece| piece.command().is_ok()));
    // The limit applies to the encoded text.
    assert!(TalkCommand::say("ö".repeat(100)).command().is_err());
}

#[test]
fn every_kind_of_talk_writes_its_line() {
    assert_line(&TalkCommand::tell("Newton", "hi"), "tell Newton hi");
    assert_line(&TalkCommand::channel_tell(53, "hi"), "tell 53 hi");
    assert_line(&TalkCommand::say("hi"), "say hi");
    assert_line(&TalkCommand::partner_tell("N!"), "ptell N!");
    assert_line(&TalkCommand::kibitz("hi"), "kibitz hi");
    assert_line(&TalkCommand::whisper("hi"), "whisper hi");
    assert_line(&TalkCommand::shout("hi"), "shout hi");
    assert_line(&TalkCommand::c_shout("hi"), "cshout hi");
}

// Rules: transport L7, bugs 15
#[test]
fn talk_cannot_contain_a_second_command() {
    for (text, want) in [
        ("hi\nresign", CommandError::LineBreak),
        ("hi\rresign", CommandError::LineBreak),
        ("hi\0", CommandError::Control),
        ("hi\x18", CommandError::Control),
        ("  ", CommandError::Empty),
        ("", CommandError::Empty),
    ] {
        let talk = TalkCommand::tell("Newton", text);
        assert_eq!(talk.command(), Err(want), "{text:?}");
        assert!(talk.pieces().iter().any(|piece| piece.command().is_err()), "{text:?}");
    }
}

// Rules: transport L6
#[test]
fn long_talk_is_split_between_words() {
    let talk = TalkCommand::tell("Newton", "Köln ".repeat(100));
    let pieces = talk.pieces();
    assert!(pieces.len() > 1);
    for piece in &pieces {
        let line = piece.command().unwrap();
        let text = line.as_str().strip_prefix("tell Newton ").unwrap();
        assert!(text.len() <= MAX_TEXT_BYTES && text.split(' ').all(|word| word == "K&#xf6;ln"), "{text}");
    }
    let words: usize = pieces.iter().map(|piece| piece.text.split(' ').count()).sum();
    assert_eq!(words, 100);
    assert_eq!(TalkCommand::say(" a  b ").pieces(), [TalkCommand::say(" a  b ")], "what fits stays as it is");
}

#[test]
fn recipients_are_counted_in_all_formats() {
    let cases = [
        ("(told Bogoljubov, who is playing)", 1),
        ("(told Boris, who in a game, back at 10:30 (idle: 0 secs))", 1),
        ("(told Duras)\n(told Capablanca)\n(told Bogoljubov)", 3),
        ("Alekhine(53): first!\n(told 3 players in channel 53)", 3),
        ("(told 12 players in channel 1 \"help\")", 12),
        ("(1->(2))", 2),
        ("Player \"Carla\" isn't listening.\n(22->(3))\n (You're not listening to channel 22.)", 3),
        ("Alekhine(1882)[1] kibitzes: hi\n(kibitzed to 2 players)", 2),
        ("kibitzed to 3.", 3),
        ("Alekhine(1940)[1] whispers: hi\n(whispered to 1 player)", 1),
        ("whispered to 1.", 1),
        ("Alekhine shouts: hi\n(shouted to 45 players)", 45),
        ("(4) Boris shouts: hello", 4),
        ("Alekhine c-shouts: hi\n(c-shouted to 2 players)", 2),
        ("(3) Carla c-shouts: e4", 3),
    ];
    for (reply, players) in cases {
        let delivered = answer(&TalkCommand::say("hi"), reply).map(|delivered| delivered.players);
        assert_eq!(delivered, Ok(players), "{reply}");
    }
}

#[test]
fn talk_without_a_recipient_is_an_error() {
    let cases = [
        ("Bogoljubov is censoring you.", Refusal::Censored),
        ("Player \"Carla\" is censoring you.", Refusal::Censored),
        ("Player \"Carla\" isn't listening to unregistered tells.", Refusal::NotListening),
        ("No player named \"nosuchuser\" is online.", Refusal::NotLoggedIn),
        ("No user named \"nobodyhere\" is logged in.", Refusal::NotLoggedIn),
        ("(Not sent because you are not in channel 2.)", Refusal::NotInChannel),
        ("Shout not sent. Next shout in 59 seconds.", Refusal::ShoutQuota),
        ("Invalid channel number.", Refusal::NoSuchChannel),
        ("The maximum channel number is 255.", Refusal::NoSuchChannel),
        ("I don't know whom to say that to.", Refusal::NobodyToTell),
        ("No one to say anything to, try tell.", Refusal::NobodyToTell),
        ("You do not have a partner at present.", Refusal::NoPartner),
    ];
    for (text, reason) in cases {
        let error = answer(&TalkCommand::say("hi"), text).unwrap_err();
        assert_eq!((error.refusal_reason(), error.text()), (Some(reason), Some(text)));
    }
    for text in ["Only admins may send tells to channel 0.", "(told)"] {
        assert_eq!(answer(&TalkCommand::say("hi"), text).unwrap_err().text(), Some(text));
    }
}
