//! The framer: the frames do not depend on the boundaries of reads, their sizes are limited, and no byte is lost or invented.
#![no_main]

use std::sync::Arc;

use kibitzer_core::text::Line;
use kibitzer_core::wire::{Control, Frame, FrameKind, Framer, Level1Header, LineTag, Timeseal};
use kibitzer_core_fuzz::{LimitValues, Setup};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some(setup) = Setup::parse(input) else { return };
    let framer = framer(&setup);
    let whole = run(framer.clone(), [setup.stream]);
    assert_eq!(run(framer.clone(), setup.reads()), whole, "reads of other sizes");
    assert_eq!(run(framer, setup.stream.chunks(1)), whole, "byte by byte");

    check_places(&whole, setup.stream);
    check_sizes(&whole, &setup.limits);
    check_conservation(&whole, setup.stream);
    check_plain_lines(&setup);
    check_wrapped_lines(&setup);
});

/// A frame that owns its bytes.
#[derive(Debug, PartialEq, Eq)]
struct OwnedFrame {
    offset: u64,
    end: u64,
    bell: bool,
    kind: Kind,
}

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Line(LineTag, Line),
    OverLong(Line, u64),
    Prompt,
    LoginPrompt,
    PasswordPrompt,
    GuestPrompt(Line),
    BlockStart(u64, u32),
    BlockEnd(u64, bool),
    Telnet(u8, Option<u8>),
    Ping,
    Datagram(Line),
    UnitStart(Arc<Level1Header>),
    UnitEnd,
    Overflow,
}

impl OwnedFrame {
    /// Returns whether the frame may be emitted before the line that it is inside of: a ping, or a level-2 unit, also a broken
    /// one.
    fn is_inline(&self, stream: &[u8]) -> bool {
        match &self.kind {
            Kind::Ping | Kind::Datagram(_) => true,
            // Where units are text, so is the byte that starts them.
            Kind::Line(_, line) | Kind::OverLong(line, _) => {
                stream.get(self.offset as usize) == Some(&0x19) && line.as_bytes().first() != Some(&0x19)
            }
            _ => false,
        }
    }
}

impl From<Frame<'_>> for OwnedFrame {
    fn from(frame: Frame<'_>) -> Self {
        let kind = match frame.kind {
            FrameKind::Line { tag, bytes } => Kind::Line(tag, bytes.into()),
            FrameKind::OverLong { bytes, length } => Kind::OverLong(bytes.into(), length),
            FrameKind::Datagram { bytes } => Kind::Datagram(bytes.into()),
            FrameKind::Control(control) => Kind::of_control(control),
            kind => panic!("a kind of frame that this target does not know: {kind:?}"),
        };
        Self { offset: frame.offset, end: frame.end, bell: frame.bell, kind }
    }
}

impl Kind {
    fn of_control(control: Control) -> Self {
        match control {
            Control::Prompt => Self::Prompt,
            Control::LoginPrompt => Self::LoginPrompt,
            Control::PasswordPrompt => Self::PasswordPrompt,
            Control::GuestPrompt(name) => Self::GuestPrompt(name.as_str().as_bytes().into()),
            Control::BlockStart { id, code } => Self::BlockStart(id, code.0),
            Control::BlockEnd { id, complete } => Self::BlockEnd(id, complete),
            Control::Telnet { command, option } => Self::Telnet(command, option),
            Control::Ping => Self::Ping,
            Control::UnitStart(header) => Self::UnitStart(header),
            Control::UnitEnd => Self::UnitEnd,
            Control::Overflow => Self::Overflow,
            control => panic!("a part of the stream that this target does not know: {control:?}"),
        }
    }
}

fn framer(setup: &Setup<'_>) -> Framer {
    let mut framer = Framer::new().with_limits(setup.limits.to_limits()).with_timeseal(setup.timeseal);
    if !setup.wraps {
        framer.disable_line_joining();
    }
    framer
}

fn run<'a>(mut framer: Framer, reads: impl IntoIterator<Item = &'a [u8]>) -> Vec<OwnedFrame> {
    let mut frames = Vec::new();
    let mut fed = 0;
    for mut read in reads {
        fed += read.len() as u64;
        while let Some(frame) = framer.next_frame(&mut read) {
            frames.push(OwnedFrame::from(frame));
        }
        assert!(read.is_empty(), "bytes were left without a frame");
        assert_eq!(framer.position(), fed);
    }
    while let Some(frame) = framer.finish() {
        frames.push(OwnedFrame::from(frame));
    }
    assert!(framer.finish().is_none(), "the end has to be final");
    frames
}

/// Checks that every frame is inside the stream, and that frames have its order. Inline frames and telnet commands may be emitted
/// before the line that they are inside of, but not before others of their kind.
fn check_places(frames: &[OwnedFrame], stream: &[u8]) {
    let (mut text, mut inline, mut telnet) = ((0, 0), (0, 0), (0, 0));
    for frame in frames {
        assert!(frame.offset <= frame.end && frame.end <= stream.len() as u64, "{frame:?}");
        let last = match frame.kind {
            Kind::Telnet(..) => &mut telnet,
            // Blanks before it belong to the line after it.
            Kind::Overflow => continue,
            _ if frame.is_inline(stream) => &mut inline,
            _ => &mut text,
        };
        assert!(*last <= (frame.offset, frame.end), "{frame:?} behind {last:?}");
        *last = (frame.offset, frame.end);
    }
}

/// Checks that no frame is longer than the limits.
fn check_sizes(frames: &[OwnedFrame], limits: &LimitValues) {
    for frame in frames {
        match &frame.kind {
            Kind::Line(_, bytes) | Kind::GuestPrompt(bytes) => {
                assert!(bytes.as_bytes().len() <= limits.wrapped_line_bytes.max(limits.datagram_bytes), "{frame:?}");
            }
            Kind::OverLong(bytes, length) => {
                assert!(bytes.as_bytes().len() as u64 <= *length, "{frame:?}");
                assert!(bytes.as_bytes().len() <= limits.wrapped_line_bytes.max(limits.datagram_bytes), "{frame:?}");
            }
            Kind::Datagram(bytes) => assert!(bytes.as_bytes().len() <= limits.datagram_bytes, "{frame:?}"),
            _ => {}
        }
    }
}

/// Number of occurrences of every byte.
type Counts = [u64; 256];

/// Checks that every byte for which [`is_accounted_for`] holds is in exactly one frame. Only terminal escapes, lines over the
/// limit and the marks of a block inside the reply to a posed command may drop bytes.
///
/// Positions inside text that started like a level-1 unit are not exact, because bytes are dropped there; a prompt in it cannot
/// be checked.
fn check_conservation(frames: &[OwnedFrame], stream: &[u8]) {
    let sent = without_telnet(stream);
    let inline: Vec<_> = frames.iter().filter(|frame| frame.is_inline(stream)).map(|f| f.offset..f.end).collect();
    let text: Vec<_> = sent.iter().copied().filter(|(at, _)| !inline.iter().any(|unit| unit.contains(at))).collect();
    let mut emitted: Counts = [0; 256];
    let mut is_cut = sent.iter().any(|&(_, byte)| byte == 0x1B);
    let dropped = digits_of_nested_marks(&sent);
    for frame in frames {
        let own = || stream_bytes_of(&sent, frame);
        let bytes = match &frame.kind {
            Kind::Line(_, bytes) => check_order(bytes, &own(), frame),
            Kind::OverLong(bytes, length) => {
                is_cut |= *length > bytes.as_bytes().len() as u64;
                check_order(bytes, &own(), frame)
            }
            Kind::Datagram(bytes) => check_order(bytes, &own(), frame),
            Kind::UnitStart(header) => {
                let line = own().into_iter().filter(|byte| !matches!(byte, 0x19 | b'\r' | b'\n')).collect::<Vec<_>>();
                let sent = line.strip_prefix(b"[").and_then(Level1Header::parse);
                // A letter that telnet has doubled is not in `own`.
                let is_escaped = stream[frame.offset as usize..frame.end as usize].contains(&0xFF);
                assert!(is_escaped || sent.as_ref() == Some(&**header), "{frame:?}");
                line
            }
            Kind::Prompt | Kind::LoginPrompt | Kind::PasswordPrompt | Kind::GuestPrompt(_) => {
                let prompt = printable(&without_marks(stream_bytes_of(&text, frame)));
                if !frame.kind.matches_prompt(&prompt) {
                    let is_inexact = is_cut || stream.windows(2).any(|pair| pair == b"\x19[");
                    assert!(is_inexact, "{frame:?} from {:?}", Line::from(&prompt[..]));
                    return;
                }
                prompt
            }
            Kind::BlockStart(id, code) => {
                let numbers: Vec<_> = own().into_iter().filter(|b| *b != 0x15).collect();
                let numbers: Vec<_> = numbers.split(|&b| b == 0x16).map(number).collect();
                assert_eq!(numbers, [Some(*id), Some(u64::from(*code)), None], "{frame:?}");
                own()
            }
            Kind::Ping => {
                assert!(is_cut || printable(&without_marks(own())) == b"[G]", "{frame:?}");
                vec![b'G']
            }
            Kind::Telnet(..) | Kind::BlockEnd(..) | Kind::UnitEnd | Kind::Overflow => continue,
        };
        bytes.iter().for_each(|&byte| emitted[usize::from(byte)] += 1);
    }
    let mut expected: Counts = [0; 256];
    sent.iter().for_each(|&(_, byte)| expected[usize::from(byte)] += 1);
    for byte in (0..=u8::MAX).filter(|&byte| is_accounted_for(byte)) {
        let [emitted, expected, dropped] = [emitted, expected, dropped].map(|counts| counts[usize::from(byte)]);
        let is_right = emitted <= expected && (is_cut || expected - emitted <= dropped);
        assert!(is_right, "{emitted} of {expected} bytes {:?} emitted: {frames:?}", char::from(byte));
    }
}

/// Counts the digits of block marks after the start of a posed command, which are dropped if they are inside its output.
fn digits_of_nested_marks(sent: &[(u64, u8)]) -> Counts {
    let mut counts: Counts = [0; 256];
    let mut is_in_mark = false;
    for &(_, byte) in sent.iter().skip_while(|&&(_, byte)| byte != 0x18) {
        is_in_mark = byte == 0x15 || (is_in_mark && (byte.is_ascii_digit() || byte == 0x16));
        counts[usize::from(byte)] += u64::from(is_in_mark && byte.is_ascii_digit());
    }
    counts
}

/// Returns whether frames have to contain a byte as often as the stream. `false` for line ends, bytes of control sequences, and
/// the blank, because joining lines adds and drops blanks.
fn is_accounted_for(byte: u8) -> bool {
    !matches!(byte, 0 | 7 | b'\n' | b'\r' | 0x15..=0x1B | b' ' | 0xFF) && !b"(){}<>[]\\".contains(&byte)
}

/// Returns the bytes of the stream without telnet commands, with their positions.
fn without_telnet(stream: &[u8]) -> Vec<(u64, u8)> {
    let mut left = Vec::new();
    let mut at = 0;
    while let Some(&byte) = stream.get(at) {
        let length = match &stream[at..] {
            [0xFF, 0xFF, ..] => 2,
            [0xFF, 251..=254, ..] => 3,
            [0xFF, 250, inside @ ..] => 2 + subnegotiation_length(inside),
            [0xFF, 236..=249, ..] => 2,
            _ => {
                left.push((at as u64, byte));
                1
            }
        };
        at += length;
    }
    left
}

/// Returns the length of a subnegotiation after its command byte, up to and including IAC SE or its limit.
fn subnegotiation_length(inside: &[u8]) -> usize {
    let mut is_command = false;
    for (index, &byte) in inside.iter().enumerate() {
        if (is_command && byte == 240) || index == 1024 {
            return index + 1;
        }
        is_command = byte == 255 && !is_command;
    }
    inside.len()
}

/// Returns the bytes of the stream between the positions of a frame.
fn stream_bytes_of(sent: &[(u64, u8)], frame: &OwnedFrame) -> Vec<u8> {
    let from = sent.partition_point(|&(at, _)| at < frame.offset);
    let to = sent.partition_point(|&(at, _)| at < frame.end);
    sent[from..to].iter().map(|&(_, byte)| byte).collect()
}

/// Checks that the bytes of a frame, except blanks, are in the stream in the same order; returns all of them.
fn check_order(line: &Line, own: &[u8], frame: &OwnedFrame) -> Vec<u8> {
    let mut own = own.iter();
    for &byte in line.as_bytes().iter().filter(|&&byte| byte != b' ' && byte != 0xFF) {
        assert!(own.any(|&sent| sent == byte), "{:?} was not sent: {frame:?}", char::from(byte));
    }
    line.as_bytes().to_vec()
}

impl Kind {
    /// Returns whether `prompt` is the text of this kind of prompt.
    fn matches_prompt(&self, prompt: &[u8]) -> bool {
        match self {
            Self::Prompt => is_command_prompt(prompt),
            Self::LoginPrompt => prompt == b"login: ",
            Self::PasswordPrompt => prompt == b"password: ",
            Self::GuestPrompt(name) => {
                let head = prompt.strip_suffix(b"\":").unwrap_or_default();
                head.starts_with(b"Press return") && head.ends_with(name.as_bytes())
            }
            _ => false,
        }
    }
}

fn is_command_prompt(prompt: &[u8]) -> bool {
    let name = match prompt {
        [a, b, b':', c, d, b'_', name @ ..] if [a, b, c, d].iter().all(|b| b.is_ascii_digit()) => name,
        name => name,
    };
    [&b"fics% "[..], b"aics% ", b"ics% ", b"chess% ", b"uscn% ", b"bics% "].contains(&name)
}

/// Removes control-Y together with the bracket after it.
fn without_marks(mut bytes: Vec<u8>) -> Vec<u8> {
    while let Some(at) = bytes.windows(2).position(|pair| pair[0] == 0x19 && b"){}<>".contains(&pair[1])) {
        bytes.drain(at..at + 2);
    }
    bytes
}

/// Removes the bytes that have no meaning inside a line.
fn printable(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().copied().filter(|b| !matches!(b, 0 | 7 | b'\n' | b'\r' | 0x15..=0x1A)).collect()
}

fn number(digits: &[u8]) -> Option<u64> {
    str::from_utf8(digits).ok()?.parse().ok()
}

/// Replaces the bytes of control sequences and prompts by dots, so that the stream contains only text.
fn to_plain_text(stream: &[u8]) -> Vec<u8> {
    let to_plain = |&byte: &u8| match byte {
        0x15..=0x1B | 0xFF | b'%' | b':' => b'.',
        byte => byte,
    };
    stream.iter().map(to_plain).collect()
}

/// Splits plain text into its lines, as the framer has to.
fn plain_lines(stream: &[u8]) -> Vec<Vec<u8>> {
    let mut lines: Vec<Vec<u8>> = stream
        .split(|&b| b == b'\n')
        .map(|line| line.iter().copied().filter(|b| !matches!(b, 0 | 7 | b'\r')).collect())
        .collect();
    lines.pop_if(|line| line.is_empty());
    lines
}

/// Checks the frames of plain text against a second, much simpler framer.
fn check_plain_lines(setup: &Setup<'_>) {
    let stream = to_plain_text(setup.stream);
    let lines = plain_lines(&stream);
    if lines.iter().any(|line| line == b"nowrap unset.") {
        return;
    }
    let mut framer = Framer::new().with_limits(setup.limits.to_limits());
    framer.disable_line_joining();
    let emitted: Vec<_> = run(framer, [&stream[..]]).into_iter().map(|frame| frame.kind).collect();
    let limit = setup.limits.line_bytes.min(setup.limits.wrapped_line_bytes);
    let want: Vec<_> = lines.into_iter().map(|line| expected_kind(line, limit)).collect();
    assert_eq!(emitted, want);
}

/// Returns the frame that a line of plain text has to become.
fn expected_kind(line: Vec<u8>, limit: usize) -> Kind {
    const TAGS: [(&[u8], LineTag); 14] = [
        (b"<12>", LineTag::Style12),
        (b"<10>", LineTag::Style10),
        (b"<b1>", LineTag::Holding),
        (b"<d1>", LineTag::Delta),
        (b"<s>", LineTag::Seek),
        (b"<sn>", LineTag::NewSeek),
        (b"<sr>", LineTag::SeeksRemoved),
        (b"<sc>", LineTag::SeeksCleared),
        (b"<pt>", LineTag::PendingTo),
        (b"<pf>", LineTag::PendingFrom),
        (b"<pr>", LineTag::PendingRemoved),
        (b"<g1>", LineTag::GameInfo),
        (b"<wa>", LineTag::UserArrived),
        (b"<wd>", LineTag::UserDeparted),
    ];
    if line.len() > limit {
        return Kind::OverLong(line[..limit].into(), line.len() as u64);
    }
    let head = &line[line.iter().take_while(|&&b| b == b' ').count()..];
    match TAGS.iter().find(|(tag, _)| head.starts_with(tag)) {
        Some(&(_, tag)) => Kind::Line(tag, head.into()),
        None => Kind::Line(LineTag::None, line[..].into()),
    }
}

/// Checks that joining wrapped lines changes only blanks and continuation marks, and keeps the order of all other bytes.
fn check_wrapped_lines(setup: &Setup<'_>) {
    let stream = to_plain_text(setup.stream);
    let frames = run(Framer::new().with_timeseal(Timeseal::Off), [&stream[..]]);
    let mut emitted = Vec::new();
    for frame in frames {
        match frame.kind {
            Kind::Line(_, line) => emitted.extend_from_slice(line.as_bytes()),
            Kind::OverLong(..) => return,
            kind => panic!("plain text became {kind:?}"),
        }
    }
    let is_text = |b: &u8| !matches!(b, b' ' | b'\\');
    let want = plain_lines(&stream).concat();
    assert!(
        emitted.iter().filter(|b| is_text(b)).eq(want.iter().filter(|b| is_text(b))),
        "{:?}",
        Line::from(&emitted[..])
    );
}
