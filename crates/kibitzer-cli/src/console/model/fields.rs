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
mod tests {
    use kibitzer::core::EventReader;

    use super::*;

    /// Names and bytes of the fields of the last frame.
    fn named(stream: &[u8]) -> Vec<(String, Vec<u8>)> {
        let (mut reader, mut input) = (EventReader::default(), stream);
        let events = std::iter::from_fn(|| reader.next(&mut input));
        let event = events.filter(|event| matches!(event, Event::Received { .. })).last().unwrap();
        let Event::Received { received, .. } = &event else { panic!() };
        let place = |at| usize::try_from(at).unwrap();
        let frame = &stream[place(received.offset)..place(received.end())];
        fields_of_frame(&event, frame).into_iter().map(|field| (field.name, frame[field.in_frame].to_vec())).collect()
    }

    fn assert_named(stream: &[u8], want: &[(&str, &[u8])]) {
        let named = named(stream);
        let named: Vec<_> = named.iter().map(|(name, bytes)| (name.as_str(), &bytes[..])).collect();
        assert_eq!(named, want, "{}", stream.escape_ascii());
    }

    const BOARD: &str = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 0 1 0 4 107 Euwe \
                         Flohr 0 2 12 39 38 120000 119000 7 P/e2-e4 (0:01.500) e4 0 1 304";

    #[test]
    fn fields_of_a_board_have_the_numbers_and_words_of_the_documentation() {
        let named = named(format!("fics% {BOARD}\n\rfics% ").replace("fics% ", "").as_bytes());
        assert_eq!(named.len(), 33);
        for (number, name, bytes) in [
            (0, "tag", "<12>"),
            (1, "rank 8", "rnbqkbnr"),
            (14, "Black may castle long", "0"),
            (16, "game", "107"),
            (24, "White's clock", "120000"),
            (32, "lag, ms", "304"),
        ] {
            assert_eq!(named[number], (format!("{name} (field {number})"), bytes.as_bytes().to_vec()));
        }
        let document = include_str!("../../../../../docs/protocol.md");
        for (number, name) in STYLE12.split('|').enumerate() {
            assert!(document.contains(&format!("| {number} | {name} |")), "{number} {name}");
        }
        for name in DELTA.iter().chain(&HOLDING).filter(|name| !name.is_empty()) {
            assert!(document.contains(name), "{name}");
        }
    }

    #[test]
    fn fields_are_found_in_bytes_that_framing_changes() {
        let wrapped = BOARD.replacen("107 Euwe", "107\n\r\\   Euwe", 1).replacen("Flohr", "Fl\u{1}\u{2}ohr", 1);
        // A telnet command inside a name.
        let wrapped: Vec<u8> = wrapped
            .bytes()
            .map(|byte| match byte {
                1 => 0xFF,
                2 => 0xF9,
                byte => byte,
            })
            .collect();
        let named = named(&[&wrapped[..], b"\n\rx"].concat());
        assert_eq!(named[16].1, b"107");
        assert_eq!(named[17].1, b"Euwe");
        assert_eq!(named[18].1, b"Fl\xff\xf9ohr");
        assert_eq!(named[32].1, b"304");
    }

    #[test]
    fn fields_of_other_frames() {
        assert_named(b"fics% ", &[("prompt", b"fics% ")]);
        assert_named(b"\xff\xfb\x01", &[("telnet", b"\xff\xfb\x01")]);
        assert_named(
            b"Foo(C)(TM) tells you: hi \xff\xff&#65;\n\rx",
            &[("speaker", b"Foo"), ("titles", b"(C)(TM)"), ("text", b"hi \xff\xff&#65;")],
        );
        assert_named(b":from a robot\n\rx", &[("text", b"from a robot")]);
        let delta: &[(&str, &[u8])] = &[
            ("tag", b"<d1>"),
            ("game", b"399"),
            ("plies", b"10"),
            ("pretty move", b"O-O"),
            ("Smith notation", b"e8g8c"),
            ("elapsed time, ms", b"922"),
            ("mover's clock, ms", b"168890"),
            ("lag, ms", b"207"),
        ];
        assert_named(b"<d1> 399 10 O-O e8g8c 922 168890 207\n\rx", delta);
        let holding: &[(&str, &[u8])] = &[
            ("tag", b"<b1>"),
            ("game", b"52"),
            ("White's reserve", b"[NB]"),
            ("Black's reserve", b"[]"),
            ("piece added", b"BN"),
        ];
        assert_named(b"<b1> game 52 white [NB] black [] <- BN\n\rx", holding);
        assert_named(b"Something else.\n\rx", &[("line", b"Something else.")]);
    }

    #[test]
    fn bytes_that_do_not_contain_the_line_have_no_origins() {
        assert_eq!(positions_in_frame(b"abc", b"a\x07b"), None);
        assert_eq!(positions_in_frame(b"x[", b"\x1b[1;2mx["), Some(vec![6, 7]));
        assert_eq!(positions_in_frame(b"ab", b"a[G]\0b"), Some(vec![0, 5]));
        assert_eq!(positions_in_frame(b"a", b"\x1b["), None);
    }
}
