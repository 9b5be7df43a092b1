//! No parser of a line or reply panics on any bytes, and words of a player never become anything but talk.
#![no_main]

use kibitzer_core::MessageReader;
use kibitzer_core::message::listing::{
    ChannelList, Finger, GameList, History, Listing, MoveList, SoughtList, StoredGames, Variables, WhoList,
};
use kibitzer_core::message::{
    Datagram, DeltaBoard, Family, GameCreated, GameEnded, GameInfo, Holding, LoginRefusal, Message, PendingOffer,
    PendingOffersRemoved, PresenceChange, Seek, SeeksCleared, SeeksRemoved, Style12, TalkKind, UserArrived,
};
use kibitzer_core::text::{decode_received, encode_ascii};
use kibitzer_core::wire::{Framer, Level1Header};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let lines: Vec<_> = input.split(|&b| b == b'\n').take(256).collect();
    for line in &lines {
        parse_line(line);
        check_board(line);
        let text = decode_received(line);
        if !text.contains("&#") && !text.contains(char::is_control) {
            assert_eq!(decode_received(encode_ascii(&text).as_bytes()), text);
        }
    }
    parse_listings(&lines);
    for pair in lines.chunks(2) {
        check_talk(pair);
    }
});

/// Passes a line to every parser of lines.
fn parse_line(line: &[u8]) {
    let _ = (Style12::parse(line), Holding::parse(line), Holding::parse_untagged(line), DeltaBoard::parse(line));
    let _ = (Seek::parse(line), Seek::parse_text(line), SeeksRemoved::parse(line), SeeksCleared::parse(line));
    let _ = (PendingOffer::parse(line), PendingOffersRemoved::parse(line), GameInfo::parse(line));
    let _ = (UserArrived::parse(line), PresenceChange::parse_tagged_departure(line));
    let _ = (Message::parse_untagged(line), GameCreated::parse(line), GameEnded::parse(line));
    let _ = (LoginRefusal::parse(line), Datagram::parse(line), Level1Header::parse(line));
}

/// Checks that both parsers of boards agree: an additional blank after the tag selects the slower one.
fn check_board(line: &[u8]) {
    if let Some(rest) = line.strip_prefix(b"<12> ") {
        assert_eq!(Style12::parse(&[b"<12>  ", rest].concat()), Style12::parse(line), "{:?}", line.escape_ascii());
    }
}

/// Passes lines to every parser of replies.
fn parse_listings(lines: &[&[u8]]) {
    fn parse<L: Listing>(lines: &[&[u8]]) {
        drop(L::parse(lines.iter().copied()));
    }
    parse::<ChannelList>(lines);
    parse::<Finger>(lines);
    parse::<GameList>(lines);
    parse::<History>(lines);
    parse::<MoveList>(lines);
    parse::<SoughtList>(lines);
    parse::<StoredGames>(lines);
    parse::<Variables>(lines);
    parse::<WhoList>(lines);
}

/// Checks that a tell with the first line, which the server continues with the others, is read as nothing but talk and text.
fn check_talk(lines: &[&[u8]]) {
    let printable: Vec<Vec<u8>> = lines.iter().map(|line| line.iter().copied().map(printable).collect()).collect();
    let [said, more @ ..] = &printable[..] else { return };
    for family in [Family::Auto, Family::Fics, Family::Icc] {
        let mut stream = [&b"fics% \nFoo tells you: "[..], said, b"\n"].concat();
        let messages = read(family, &stream);
        let Some(Message::Talk(talk)) = messages.get(1) else { panic!("{messages:?}") };
        assert_eq!((messages.len(), talk.kind, &*talk.text()), (2, TalkKind::Tell, &*decode_received(said)));
        for piece in more {
            stream.extend([b"\\   ", &piece[..], b"\n"].concat());
        }
        for message in read(family, &stream).iter().skip(1) {
            assert!(matches!(message, Message::Talk(_) | Message::Text(_) | Message::OverLong(_)), "{message:?}");
        }
    }
}

fn read(family: Family, mut stream: &[u8]) -> Vec<Message> {
    let mut reader = MessageReader::new(Framer::new(), family);
    let mut messages = Vec::new();
    while let Some(received) = reader.next(&mut stream) {
        messages.push(received.message);
    }
    messages.extend(std::iter::from_fn(|| reader.finish()).map(|received| received.message));
    messages
}

/// Replaces a control byte, which players cannot send, by a dot.
fn printable(byte: u8) -> u8 {
    if byte < b' ' || byte == 0xFF { b'.' } else { byte }
}
