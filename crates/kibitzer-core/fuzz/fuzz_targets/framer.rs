//! The framer: any cutting gives the same frames, what it lends is bounded, and no byte is lost or invented.
#![no_main]

use std::sync::Arc;

use kibitzer_core::text::Line;
use kibitzer_core::wire::{Control, Frame, FrameKind, Framer, Level1Header, LineTag, Timeseal};
use kibitzer_core_fuzz::{Kept, Setup};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some(setup) = Setup::of(input) else { return };
    let framer = framer(&setup);
    let whole = run(framer.clone(), [setup.stream]);
    assert_eq!(run(framer.clone(), setup.reads()), whole, "reads of other sizes");
    assert_eq!(run(framer, setup.stream.chunks(1)), whole, "byte by byte");

    check_places(&whole, setup.stream);
    check_sizes(&whole, &setup.kept);
    check_conservation(&whole, setup.stream);
    check_plain_lines(&setup);
    check_wrapped_lines(&setup);
});

/// A frame that owns its bytes.
#[derive(Debug, PartialEq, Eq)]
struct Owned {
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

impl Owned {
    /// Whether it overtakes the line it stands in: a ping, or a level-2 unit, be it broken and thus text.
    fn stands_apart(&self, stream: &[u8]) -> bool {
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

impl From<Frame<'_>> for Owned {
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
    let mut framer = Framer::new().with_limits(setup.kept.limits()).with_timeseal(setup.timeseal);
    if !setup.wraps {
        framer.set_unwrapped();
    }
    framer
}

fn run<'a>(mut framer: Framer, reads: impl IntoIterator<Item = &'a [u8]>) -> Vec<Owned> {
    let mut frames = Vec::new();
    let mut fed = 0;
    for mut read in reads {
        fed += read.len() as u64;
        while let Some(frame) = framer.next_frame(&mut read) {
            frames.push(Owned::from(frame));
        }
        assert!(read.is_empty(), "bytes were left without a frame");
        assert_eq!(framer.position(), fed);
    }
    while let Some(frame) = framer.finish() {
        frames.push(Owned::from(frame));
    }
    assert!(framer.finish().is_none(), "the end has to be final");
    frames
}

/// Every frame lies in the stream. Those that end the text before them come in its order. Pings and level-2 units, broken ones
/// too, overtake the line they stand in, telnet commands either; but nothing overtakes its like.
fn check_places(frames: &[Owned], stream: &[u8]) {
    let (mut text, mut apart, mut telnet) = ((0, 0), (0, 0), (0, 0));
    for frame in frames {
        assert!(frame.offset <= frame.end && frame.end <= stream.len() as u64, "{frame:?}");
        let last = match frame.kind {
            Kind::Telnet(..) => &mut telnet,
            // Blanks before it belong to the line behind it.
            Kind::Overflow => continue,
            _ if frame.stands_apart(stream) => &mut apart,
            _ => &mut text,
        };
        assert!(*last <= (frame.offset, frame.end), "{frame:?} behind {last:?}");
        *last = (frame.offset, frame.end);
    }
}

fn check_sizes(frames: &[Owned], kept: &Kept) {
    for frame in frames {
        match &frame.kind {
            Kind::Line(_, bytes) | Kind::GuestPrompt(bytes) => {
                assert!(bytes.as_bytes().len() <= kept.wrapped_line_bytes.max(kept.datagram_bytes), "{frame:?}");
            }
            Kind::OverLong(bytes, length) => {
                assert!(bytes.as_bytes().len() as u64 <= *length, "{frame:?}");
                assert!(bytes.as_bytes().len() <= kept.wrapped_line_bytes.max(kept.datagram_bytes), "{frame:?}");
            }
            Kind::Datagram(bytes) => assert!(bytes.as_bytes().len() <= kept.datagram_bytes, "{frame:?}"),
            _ => {}
        }
    }
}

/// How often every byte occurs.
type Counts = [u64; 256];

/// Accounts for every byte of any stream: what is neither a control byte nor one of the signs that mark something is in one
/// frame, once. A terminal escape or an over-long line is the only thing that may swallow some; nothing makes bytes up.
///
/// Positions inside of what began as a level-1 unit and turned out to be text are not exact, as bytes are dropped there; a
/// prompt there cannot be checked.
fn check_conservation(frames: &[Owned], stream: &[u8]) {
    let sent = without_telnet(stream);
    let apart: Vec<_> = frames.iter().filter(|frame| frame.stands_apart(stream)).map(|f| f.offset..f.end).collect();
    let text: Vec<_> = sent.iter().copied().filter(|(at, _)| !apart.iter().any(|unit| unit.contains(at))).collect();
    let mut told: Counts = [0; 256];
    let mut is_cut = sent.iter().any(|&(_, byte)| byte == 0x1B);
    for frame in frames {
        let own = || between(&sent, frame);
        let bytes = match &frame.kind {
            Kind::Line(_, bytes) => told_in_order(bytes, &own(), frame),
            Kind::OverLong(bytes, length) => {
                is_cut |= *length > bytes.as_bytes().len() as u64;
                told_in_order(bytes, &own(), frame)
            }
            Kind::Datagram(bytes) => told_in_order(bytes, &own(), frame),
            Kind::UnitStart(header) => {
                let line = own().into_iter().filter(|byte| !matches!(byte, 0x19 | b'\r' | b'\n')).collect::<Vec<_>>();
                let sent = line.strip_prefix(b"[").and_then(Level1Header::parse);
                // A letter that telnet has doubled is not in `own`.
                let is_escaped = stream[frame.offset as usize..frame.end as usize].contains(&0xFF);
                assert!(is_escaped || sent.as_ref() == Some(&**header), "{frame:?}");
                line
            }
            Kind::Prompt | Kind::LoginPrompt | Kind::PasswordPrompt | Kind::GuestPrompt(_) => {
                let prompt = printable(&without_marks(between(&text, frame)));
                if !frame.kind.is_made_from(&prompt) {
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
        bytes.iter().for_each(|&byte| told[usize::from(byte)] += 1);
    }
    let mut expected: Counts = [0; 256];
    sent.iter().for_each(|&(_, byte)| expected[usize::from(byte)] += 1);
    for byte in (0..=u8::MAX).filter(|&byte| is_accounted_for(byte)) {
        let (told, expected) = (told[usize::from(byte)], expected[usize::from(byte)]);
        let is_right = if is_cut { told <= expected } else { told == expected };
        assert!(is_right, "{told} of {expected} bytes {:?} told: {frames:?}", char::from(byte));
    }
}

/// Not what ends lines, starts a sequence or stands in one, and not the blank, of which joining a line may add or drop some.
fn is_accounted_for(byte: u8) -> bool {
    !matches!(byte, 0 | 7 | b'\n' | b'\r' | 0x15..=0x1B | b' ' | 0xFF) && !b"(){}<>[]\\".contains(&byte)
}

/// The stream without telnet commands: positions and bytes.
fn without_telnet(stream: &[u8]) -> Vec<(u64, u8)> {
    let mut left = Vec::new();
    let mut at = 0;
    while let Some(&byte) = stream.get(at) {
        let length = match &stream[at..] {
            [0xFF, 0xFF, ..] => 2,
            [0xFF, 251..=254, ..] => 3,
            [0xFF, 250, inside @ ..] => 2 + subnegotiation(inside),
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

/// Length of a subnegotiation behind its command byte, a single 255 and 240 at its end included; it has a limit.
fn subnegotiation(inside: &[u8]) -> usize {
    let mut is_command = false;
    for (index, &byte) in inside.iter().enumerate() {
        if (is_command && byte == 240) || index == 1024 {
            return index + 1;
        }
        is_command = byte == 255 && !is_command;
    }
    inside.len()
}

/// The bytes from which a frame was made, and what stands between them.
fn between(sent: &[(u64, u8)], frame: &Owned) -> Vec<u8> {
    let from = sent.partition_point(|&(at, _)| at < frame.offset);
    let to = sent.partition_point(|&(at, _)| at < frame.end);
    sent[from..to].iter().map(|&(_, byte)| byte).collect()
}

/// The bytes of a frame stand in the stream where it says, in the same order. Only blanks may be new.
fn told_in_order(line: &Line, own: &[u8], frame: &Owned) -> Vec<u8> {
    let mut own = own.iter();
    for &byte in line.as_bytes().iter().filter(|&&byte| byte != b' ' && byte != 0xFF) {
        assert!(own.any(|&sent| sent == byte), "{:?} was not sent: {frame:?}", char::from(byte));
    }
    line.as_bytes().to_vec()
}

impl Kind {
    fn is_made_from(&self, prompt: &[u8]) -> bool {
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

/// Control-Y and the sign behind it.
fn without_marks(mut bytes: Vec<u8>) -> Vec<u8> {
    while let Some(at) = bytes.windows(2).position(|pair| pair[0] == 0x19 && b"){}<>".contains(&pair[1])) {
        bytes.drain(at..at + 2);
    }
    bytes
}

/// Without the bytes that mean nothing inside a line.
fn printable(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().copied().filter(|b| !matches!(b, 0 | 7 | b'\n' | b'\r' | 0x15..=0x1A)).collect()
}

fn number(digits: &[u8]) -> Option<u64> {
    str::from_utf8(digits).ok()?.parse().ok()
}

/// The stream as one that has nothing in it but text: no sequences, no prompts.
fn plain(stream: &[u8]) -> Vec<u8> {
    let plain = |&byte: &u8| match byte {
        0x15..=0x1B | 0xFF | b'%' | b':' => b'.',
        byte => byte,
    };
    stream.iter().map(plain).collect()
}

fn plain_lines(stream: &[u8]) -> Vec<Vec<u8>> {
    let mut lines: Vec<Vec<u8>> = stream
        .split(|&b| b == b'\n')
        .map(|line| line.iter().copied().filter(|b| !matches!(b, 0 | 7 | b'\r')).collect())
        .collect();
    lines.pop_if(|line| line.is_empty());
    lines
}

/// Of plain text every line comes out as it is: a second, far simpler framer must agree to the byte.
fn check_plain_lines(setup: &Setup<'_>) {
    let stream = plain(setup.stream);
    let lines = plain_lines(&stream);
    if lines.iter().any(|line| line == b"nowrap unset.") {
        return;
    }
    let mut framer = Framer::new().with_limits(setup.kept.limits());
    framer.set_unwrapped();
    let told: Vec<_> = run(framer, [&stream[..]]).into_iter().map(|frame| frame.kind).collect();
    let limit = setup.kept.line_bytes.min(setup.kept.wrapped_line_bytes);
    let want: Vec<_> = lines.into_iter().map(|line| plain_line(line, limit)).collect();
    assert_eq!(told, want);
}

fn plain_line(line: Vec<u8>, limit: usize) -> Kind {
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

/// Joining wrapped lines changes nothing but blanks and the marks of continuation: all other bytes come out in order.
fn check_wrapped_lines(setup: &Setup<'_>) {
    let stream = plain(setup.stream);
    let frames = run(Framer::new().with_timeseal(Timeseal::Off), [&stream[..]]);
    let mut told = Vec::new();
    for frame in frames {
        match frame.kind {
            Kind::Line(_, line) => told.extend_from_slice(line.as_bytes()),
            Kind::OverLong(..) => return,
            kind => panic!("plain text became {kind:?}"),
        }
    }
    let is_text = |b: &u8| !matches!(b, b' ' | b'\\');
    let want = plain_lines(&stream).concat();
    assert!(told.iter().filter(|b| is_text(b)).eq(want.iter().filter(|b| is_text(b))), "{:?}", Line::from(&told[..]));
}
