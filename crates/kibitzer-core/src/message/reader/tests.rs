use super::*;
use crate::message::{Control, Handle, TalkKind};
use crate::text::decode_received;
use crate::wire::Limits;

fn read(stream: &[u8]) -> Vec<Received> {
    let mut reader = MessageReader::default();
    let mut rest = stream;
    let mut all = Vec::new();
    while let Some(received) = reader.next(&mut rest).or_else(|| reader.finish()) {
        all.push(received);
    }
    all
}

// Rules: text §1
#[test]
fn a_players_message_stands_on_two_lines() {
    let all = read(b"fics% \n\rCarla(TD) just sent you a message:\n\r    leave a \"message\": 100%\n\rfics% ");
    let Message::Talk(talk) = &all[1].message else { panic!("{all:?}") };
    assert_eq!((talk.kind, talk.speaker().as_ref().map(Handle::as_str)), (TalkKind::Message, Some("Carla")));
    assert_eq!(talk.text(), "leave a \"message\": 100%");
    assert_eq!(all[1].raw(), b"Carla(TD) just sent you a message:\n    leave a \"message\": 100%");
    assert_eq!((all[1].offset, all.len()), (8, 3));
}

#[test]
fn telnet_between_the_lines_of_a_message_parts_them_not() {
    let all = read(b"Carla just sent you a message:\n\xff\xfb\x01    hello\n");
    assert!(matches!(all[0].message, Message::Control(Control::Telnet { .. })));
    assert!(matches!(&all[1].message, Message::Talk(talk) if talk.text() == "hello"), "{all:?}");
    assert_eq!(all.len(), 2);
}

#[test]
fn what_does_not_follow_leaves_the_first_line_as_text() {
    for next in ["fics% ", "x\n", "\n", "<b1> game 1 white [] black []\n", "\x1a", ""] {
        let all = read(format!("Carla just sent you a message:\n{next}").as_bytes());
        assert_eq!(all[0].raw(), b"Carla just sent you a message:", "{next}");
        assert!(matches!(all[0].message, Message::Text(_)), "{next}");
        assert_eq!(all.len(), if next.is_empty() { 1 } else { 2 }, "{next}");
    }
}

// Rules: transport C1
#[test]
fn all_text_of_a_server_in_latin_1_is_decoded_from_it() {
    let texts = |encoding| {
        let framer = Framer::new().with_encoding(encoding).with_limits(Limits::default().line_bytes(40));
        let mut reader = MessageReader::new(framer, Family::Icc);
        let mut rest =
            "a caf\u{e9}\n\u{19}(50 caf\u{e9}\u{19})0123456789012345678901234567890123 caf\u{e9} x\ncaf\u{e9}"
                .as_bytes();
        let mut all = Vec::new();
        while let Some(received) = reader.next(&mut rest).or_else(|| reader.finish()) {
            all.push(decode_received(received.raw()).into_owned());
        }
        all
    };
    let utf8 = ["a café", "50 café", "0123456789012345678901234567890123 café", "café"];
    assert_eq!(texts(Encoding::Auto), utf8);
    assert_eq!(texts(Encoding::Latin1), utf8.map(|text| text.replace('é', "Ã©")));
}
