//! Typed commands and the replies that a recorded session in block mode got to them.

use std::collections::BTreeMap;
use std::fmt::Debug;

use kibitzer::command::{self, GameTerms, MoveText, OfferOutcome, OfferRef, Request, TalkCommand};
use kibitzer_core::EventKind;
use kibitzer_core::chess::Color;
use kibitzer_core::event::RequestError;
use kibitzer_core::message::{Control, GameId, GameResult, Handle, Ivar, Message, Refusal};
use kibitzer_core::session::Reply;
use kibitzer_tests::Transcript;

/// A session in block mode.
struct Blocks {
    replies: BTreeMap<u64, Reply>,
    sent: String,
}

impl Blocks {
    fn read(name: &str) -> Self {
        let transcript = Transcript::named(name);
        let mut replies: BTreeMap<u64, Reply> = BTreeMap::new();
        let mut open = None;
        for event in transcript.events() {
            match event.message() {
                Some(&Message::Control(Control::BlockStart { id, code })) => {
                    let mut reply = Reply::default();
                    reply.code = Some(code);
                    open = Some((id, reply));
                }
                Some(Message::Control(Control::BlockEnd { .. })) => replies.extend(open.take()),
                _ if event.kind() == EventKind::Prompt => {}
                _ => {
                    if let Some((_, reply)) = &mut open {
                        reply.events.push(event);
                    }
                }
            }
        }
        Self { replies, sent: String::from_utf8(transcript.sent).unwrap() }
    }

    /// What comes of a command that the recording client sent, letter by letter, under this number.
    fn answer<R: Request>(&self, id: u64, command: &R) -> Result<R::Answer, RequestError> {
        let line = format!("{id} {}\n", command.command().unwrap());
        assert!(self.sent.lines().any(|sent| sent == line.trim_end()), "{line} was not sent");
        self.answer_to_like(id, command)
    }

    /// What comes of a command that the recording client sent in other words.
    fn answer_to_like<R: Request>(&self, id: u64, command: &R) -> Result<R::Answer, RequestError> {
        command.parse_reply(self.replies[&id].clone().into_result()?)
    }
}

fn bogoljubov() -> Handle {
    "Bogoljubov".parse().unwrap()
}

fn refusal<T: Debug>(answer: Result<T, RequestError>) -> Option<Refusal> {
    answer.unwrap_err().refusal_reason()
}

#[test]
fn tables_are_read() {
    let blocks = Blocks::read("fatics-block-client");
    assert!(blocks.answer(4, &command::date()).unwrap().local.as_str().starts_with("Sat Nov 21"));
    let finger = blocks.answer(5, &command::finger(bogoljubov())).unwrap();
    assert_eq!((finger.player.name.as_str(), finger.ratings.len(), finger.game), ("Bogoljubov", 2, None));
    assert_eq!(blocks.answer(6, &command::who()).unwrap().players.len(), 3);
    assert_eq!(blocks.answer(8, &command::games()).unwrap().games.len(), 0);
    assert_eq!(blocks.answer(9, &command::sought()).unwrap().seeks.len(), 0);
    assert_eq!(blocks.answer(10, &command::in_channel(1)).unwrap().channels.len(), 1);
    assert_eq!(blocks.answer(11, &command::own_history()).unwrap().games.len(), 3);
    assert_eq!(blocks.answer(12, &command::own_variables()).unwrap().value("style"), Some("12"));
    assert_eq!(blocks.answer(13, &command::interface_variables()).unwrap().value("nowrap"), Some("1"));
    let moves = blocks.answer(49, &command::own_moves()).unwrap();
    assert_eq!((moves.game, moves.moves.len(), moves.result), (Some(GameId(1)), 5, Some(GameResult::Unfinished)));
    assert_eq!(blocks.answer(113, &command::own_stored()).unwrap().games.len(), 0);
}

#[test]
fn a_table_is_read_although_others_talk_and_move_in_the_middle_of_its_reply() {
    let blocks = Blocks::read("fatics-block-client");
    assert!(blocks.replies[&53].messages().filter(|message| matches!(message, Message::Talk(_))).count() > 5);
    let finger = blocks.answer(53, &command::finger(bogoljubov())).unwrap();
    assert_eq!(finger.game.map(|game| game.game), Some(GameId(1)));
    assert_eq!((finger.ratings.len(), finger.notes.len()), (2, 0));
    assert_eq!(blocks.answer(54, &TalkCommand::tell(bogoljubov(), "inflight")).unwrap().players, 1);
}

#[test]
fn a_game_is_played() {
    let blocks = Blocks::read("fatics-block-client");
    let terms = GameTerms::new().time(5, 0).unrated().color(Color::White);
    let sent = blocks.answer_to_like(35, &command::challenge(bogoljubov(), terms));
    let Ok(OfferOutcome::Challenged(challenge)) = sent else { panic!("not sent") };
    assert_eq!((challenge.to.as_str(), challenge.rated), ("Bogoljubov", false));
    for (id, text, ply) in [(40, "e4", 1), (41, "Nf3", 2), (83, "Bxc6", 4), (84, "O-O", 5)] {
        let board = blocks.answer(id, &MoveText::new(text).unwrap()).unwrap().board.unwrap();
        assert_eq!((board.move_number(), board.side_to_move()), (ply, Color::Black), "{text}");
        assert_eq!(board.last_move().unwrap().text(), text);
    }
    assert_eq!(blocks.answer(50, &command::draw()), Ok(OfferOutcome::Sent));
    let Ok(OfferOutcome::Changed { board: Some(board), .. }) = blocks.answer(85, &command::accept(OfferRef::Only))
    else {
        panic!("no board")
    };
    assert_eq!(board.last_move().unwrap().text(), "O-O");
    assert_eq!(blocks.answer_to_like(86, &command::takeback(1)), Ok(OfferOutcome::Sent));
    assert_eq!(blocks.answer(87, &command::resign()).map(|ended| ended.result), Ok(GameResult::BlackWins));
}

#[test]
fn moves_and_offers_are_refused_with_a_reason() {
    let blocks = Blocks::read("fatics-block-client");
    let not_my_move = blocks.answer(43, &MoveText::new("e2e5").unwrap());
    assert_eq!(refusal(not_my_move), Some(Refusal::NotYourMove));
    let no_offer = Some(Refusal::NoSuchOffer);
    assert_eq!(refusal(blocks.answer(125, &command::decline(OfferRef::Only))), no_offer);
    assert_eq!(refusal(blocks.answer(126, &command::accept(OfferRef::Only))), no_offer);
    let not_playing = Some(Refusal::NotPlaying);
    assert_eq!(refusal(blocks.answer(127, &command::abort())), not_playing);
    assert_eq!(refusal(blocks.answer(128, &command::adjourn())), not_playing);
    assert_eq!(refusal(blocks.answer(129, &command::resign())), not_playing);
    assert_eq!(refusal(blocks.answer(130, &command::flag())), not_playing);
    assert_eq!(refusal(blocks.answer(132, &command::takeback(2))), not_playing);
    assert_eq!(refusal(blocks.answer(133, &command::draw())), not_playing);
}

#[test]
fn talk_and_seeks_are_confirmed() {
    let blocks = Blocks::read("fatics-block-client");
    assert_eq!(blocks.answer(45, &TalkCommand::kibitz("block \"mode\" 1%")).unwrap().players, 2);
    assert_eq!(blocks.answer(46, &TalkCommand::say("hi")).unwrap().players, 1);
    assert_eq!(blocks.answer(99, &TalkCommand::shout("hi")).unwrap().players, 2);
    assert_eq!(blocks.answer(101, &TalkCommand::c_shout("hi")).unwrap().players, 2);
    let not_playing = Some(Refusal::NotPlaying);
    assert_eq!(refusal(blocks.answer(102, &TalkCommand::whisper("x"))), not_playing);
    let no_partner = blocks.answer(106, &TalkCommand::partner_tell("x")).unwrap_err();
    assert_eq!(no_partner.text(), Some("You do not have a partner at present."));
    let not_there = blocks.answer(34, &TalkCommand::channel_tell(2, "hi"));
    assert_eq!(refusal(not_there), Some(Refusal::NotInChannel));
    let posted = blocks.answer(90, &command::seek(GameTerms::new().time(5, 0))).unwrap();
    assert!(matches!(posted, OfferOutcome::Posted { index: 1, seen_by: Some(1), .. }), "{posted:?}");
    assert_eq!(blocks.answer(91, &command::unseek_all()), Ok(()));
}

#[test]
fn games_are_examined_and_observed() {
    let blocks = Blocks::read("fatics-block-client");
    assert_eq!(blocks.answer(92, &command::examine_scratch()).unwrap().game(), GameId(1));
    assert!(blocks.answer_to_like(93, &command::backward(1)).unwrap().is_at_edge);
    assert_eq!(blocks.answer(94, &command::unexamine()), Ok(()));
    let no_game = Some(Refusal::NoSuchGame);
    assert_eq!(refusal(blocks.answer(109, &command::observe(GameId(77)))), no_game);
    let none = Some(Refusal::NoneObserved);
    assert_eq!(refusal(blocks.answer(110, &command::unobserve_all())), none);
}

#[test]
fn settings_and_the_rest() {
    let blocks = Blocks::read("fatics-block-client");
    assert_eq!(blocks.answer(1, &command::style(12)), Ok(()));
    assert_eq!(blocks.answer(2, &command::enable_ivar(Ivar::NoWrap)), Ok(()));
    assert_eq!(blocks.answer(3, &command::enable_ivar(Ivar::Block)), Ok(()));
    assert_eq!(blocks.answer(141, &command::disable_ivar(Ivar::Block)), Ok(()));
    assert_eq!(blocks.answer(98, &command::set("interface", "test")).unwrap().as_str(), "interface set to \"test\".");
    let no_variable = refusal(blocks.answer(22, &command::set("nosuch", "1")));
    assert_eq!(no_variable, Some(Refusal::NoSuchVariable));
    let no_partner = refusal(blocks.answer(107, &command::end_partnership()));
    assert_eq!(no_partner, Some(Refusal::NoPartner));
    let withdrawn = blocks.answer(124, &command::withdraw(OfferRef::Only)).unwrap();
    assert!(matches!(withdrawn, OfferOutcome::Closed { name: Some(to), kind: None, .. } if to == bogoljubov()));
    let usage = blocks.answer_to_like(19, &command::challenge(bogoljubov(), GameTerms::new())).unwrap_err();
    assert_eq!(usage.refusal_reason(), Some(Refusal::BadParameters));
}
