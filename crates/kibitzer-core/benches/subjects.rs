//! The measured code: the stages of the crate that decode a stream.

use std::hint::black_box;

use kibitzer_core::MessageReader;
use kibitzer_core::chess::Color;
use kibitzer_core::game::Change;
use kibitzer_core::message::{Message, Style12};
use kibitzer_core::wire::{FrameKind, Framer, LineTag};
use kibitzer_core::{Event, EventReader};

use crate::floors::{BoardNumbers, Checksum};

/// Returns the numbers of a board that the checksum covers.
fn board_numbers(board: &Style12) -> BoardNumbers {
    BoardNumbers {
        game: i64::from(board.game().0),
        white_len: board.player_bytes(Color::White).len(),
        black_len: board.player_bytes(Color::Black).len(),
        white_clock_ms: board.white_clock().as_ms(),
        black_clock_ms: board.black_clock().as_ms(),
        move_number: i64::from(board.move_number()),
    }
}

/// Adds a message to the checksum.
pub(crate) fn add(read: &mut Checksum, message: &Message) {
    match message {
        Message::Style12(board) => read.add_board(&board_numbers(board)),
        _ => read.add_frame(),
    }
}

/// Decodes bytes to frames. Boards are parsed too, because the checksum has to be that of floor (b).
#[expect(clippy::expect_used, reason = "the corpus is our own; a wrong one should end the run")]
pub(crate) fn frames(stream: &[u8]) -> Checksum {
    let mut read = Checksum::default();
    let mut framer = Framer::new();
    let mut rest = stream;
    while let Some(frame) = framer.next_frame(&mut rest) {
        match frame.kind {
            FrameKind::Line { tag: LineTag::Style12, bytes } => {
                let board = Style12::parse(bytes).expect("the corpus contains valid boards");
                read.add_board(&board_numbers(&board));
            }
            _ => read.add_frame(),
        }
    }
    read
}

/// Decodes bytes to messages that are borrowed from the reader.
pub(crate) fn borrowed_messages(stream: &[u8]) -> Checksum {
    let mut read = Checksum::default();
    let mut reader = MessageReader::default();
    let mut rest = stream;
    while let Some(received) = reader.next_ref(&mut rest) {
        add(&mut read, &black_box(received).message);
    }
    read
}

/// Decodes bytes to owned messages.
pub(crate) fn messages(stream: &[u8]) -> Checksum {
    let mut read = Checksum::default();
    let mut reader = MessageReader::default();
    let mut rest = stream;
    while let Some(received) = reader.next(&mut rest) {
        add(&mut read, &black_box(&received).message);
    }
    read
}

/// Decodes bytes to events, with the state of games.
pub(crate) fn events(stream: &[u8]) -> Checksum {
    events_of_reads(stream, usize::MAX)
}

/// Does the same as [`events`], with reads of this many bytes.
pub(crate) fn events_of_reads(stream: &[u8], read_bytes: usize) -> Checksum {
    let mut read = Checksum::default();
    let mut events = EventReader::default();
    for mut rest in stream.chunks(read_bytes) {
        while let Some(event) = events.next(&mut rest) {
            let event = black_box(event);
            add_event(&mut read, &event);
        }
    }
    read
}

/// Decodes bytes to events, and writes each as JSON.
pub(crate) fn json(stream: &[u8]) -> Checksum {
    let mut read = Checksum::default();
    let mut events = EventReader::default();
    let (mut rest, mut line) = (stream, Vec::new());
    while let Some(event) = events.next(&mut rest) {
        line.clear();
        event.write_json("", &mut line);
        black_box(&line);
        add_event(&mut read, &event);
    }
    read
}

/// Adds an event to the checksum; the board is that of the changed game, if there is one.
fn add_event(read: &mut Checksum, event: &Event) {
    match event {
        Event::Received { change: Some(Change { board: Some(board), .. }), .. } => {
            read.add_board(&board_numbers(board));
        }
        Event::Received { received, .. } => add(read, &received.message),
        _ => read.add_frame(),
    }
}
