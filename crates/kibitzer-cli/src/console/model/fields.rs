//! Fields of a received frame, and the bytes that each came from.

use std::ops::Range;

use kibitzer::core::Event;
use kibitzer::core::message::{Message, Received};

/// Field names of board lines in the order of their numbers, as in docs/protocol.md.
const STYLE12: &str = "tag|rank 8|rank 7|rank 6|rank 5|rank 4|rank 3|rank 2|rank 1|side to move|double-push file|\
    White may castle short|White may castle long|Black may castle short|Black may castle long|half-move clock|game|White|Black|\
    relation|initial time, min|increment, s|White's material|Black's material|White's clock|Black's clock|move number|\
    verbose move|elapsed time|pretty move|flip|clock runs|lag, ms";
const DELTA: [&str; 8] =
    ["tag", "game", "plies", "pretty move", "Smith notation", "elapsed time, ms", "mover's clock, ms", "lag, ms"];
const HOLDING: [&str; 9] = ["tag", "", "game", "", "White's reserve", "", "Black's reserve", "", "piece added"];

/// Names of the fields with a move.
pub(super) const MOVE_FIELDS: [&str; 3] = ["verbose move", "pretty move", "Smith notation"];

/// A named part of a received frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FrameField {
    /// Name of the field; of a board line also its number.
    pub(crate) name: String,
    /// Range of its bytes in the line after framing; empty for a frame without a line.
    pub(crate) in_line: Range<usize>,
    /// Range of its bytes in the frame as received, from the first byte of the frame.
    pub(crate) in_frame: Range<usize>,
}

/// Returns the fields of an event's frame, in order; `frame` are its bytes as received. A frame without a line, such as a prompt,
/// is a single field with the name of its kind. Empty for an event without a frame, and if the bytes of the line cannot be found
/// in the frame.
pub(crate) fn fields_of_frame(event: &Event, frame: &[u8]) -> Vec<FrameField> {
    let Event::Received { received, .. } = event else { return Vec::new() };
    let line = received.raw();
    if line.is_empty() {
        let name = event.kind().as_str().replace('_', " ");
        return vec![FrameField { name, in_line: 0..0, in_frame: 0..frame.len() }];
    }
    let Some(origins) = positions_in_frame(line, frame) else { return Vec::new() };
    let field = |(name, in_line): (String, Range<usize>)| {
        let (first, last) = (origins.get(in_line.start)?, origins.get(in_line.end.checked_sub(1)?)?);
        Some(FrameField { name, in_frame: *first..last + 1, in_line })
    };
    named_parts(received, line).into_iter().filter_map(field).collect()
}

/// Returns the names and positions of the parts of a line; the line itself, if it has no named parts.
fn named_parts(received: &Received, line: &[u8]) -> Vec<(String, Range<usize>)> {
    let numbered = |(number, (name, place)): (usize, (&str, _))| (format!("{name} (field {number})"), place);
    let named = |names: &[&'static str]| -> Vec<_> {
        let named = names.iter().copied().zip(word_ranges(line));
        named.filter(|(name, _)| !name.is_empty()).map(|(name, place)| (name.to_owned(), place)).collect()
    };
    match &received.message {
        Message::Style12(_) if line.starts_with(b"<12>") => {
            STYLE12.split('|').zip(word_ranges(line)).enumerate().map(numbered).collect()
        }
        Message::Delta(_) => named(&DELTA),
        Message::Holding(_) if line.starts_with(b"<b1>") => named(&HOLDING),
        Message::Talk(talk) if !received.is_datagram() => {
            let parts = ["speaker", "titles", "text"].into_iter().zip(talk.name_titles_text_ranges());
            parts.filter(|(_, place)| !place.is_empty()).map(|(name, place)| (name.to_owned(), place)).collect()
        }
        _ => vec![("line".to_owned(), 0..line.len())],
    }
}

/// Returns the positions of the words of a tagged line. The first is the tag up to its `>`, which no blank has to follow.
fn word_ranges(line: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let tag = line.iter().position(|&byte| byte == b'>').map_or(0, |at| at + 1);
    let mut end = tag;
    let rest = std::iter::from_fn(move || {
        let start = end + line.get(end..)?.iter().position(|&byte| byte != b' ')?;
        let length = line.get(start..)?.iter().position(|&byte| byte == b' ');
        end = length.map_or(line.len(), |length| start + length);
        Some(start..end)
    });
    std::iter::once(0..tag).chain(rest)
}

/// Returns the position in the frame of each byte of its line; `None` if a byte of the line is not in the frame.
///
/// The framer removes telnet commands, pings, control bytes and the marks of wrapped lines, and keeps the order of all other bytes.
fn positions_in_frame(line: &[u8], frame: &[u8]) -> Option<Vec<usize>> {
    let mut at = 0;
    let origin = |&byte: &u8| {
        loop {
            let rest = frame.get(at..)?;
            let removed = match rest {
                [0xFF, 0xFF, ..] if byte == 0xFF => 1,
                [0xFF, 251..=254, ..] => 3,
                [0xFF, _, ..] => 2,
                [b'[', b'G', b']', 0, ..] => 4,
                [first, ..] if *first == byte => 0,
                [b'\x1b', b'[', parameters @ ..] => 3 + parameters.iter().position(u8::is_ascii_alphabetic)?,
                [_, ..] => 1,
                [] => return None,
            };
            at += removed;
            if removed == 0 || byte == 0xFF {
                at += 1;
                return Some(at - 1);
            }
        }
    };
    line.iter().map(origin).collect()
}

#[cfg(test)]
mod tests;
