use super::*;
use crate::Event;
use crate::message::{Control, Family, Message};

fn read(reader: &mut EventReader, mut input: &[u8]) -> Vec<Event> {
    std::iter::from_fn(|| reader.next(&mut input)).collect()
}

/// Returns the kind and the line of each event.
fn kinds_and_lines(events: &[Event]) -> Vec<(String, Vec<u8>)> {
    events.iter().map(|event| (event.kind().to_string(), event.raw().to_vec())).collect()
}

#[test]
fn a_resumed_reader_returns_the_same_events() {
    let streams: [&[u8]; 8] = [
        b"fics% \n\r\x1512\x16513\x16Which?\n\r\x17\n\rfics% \x1513\x16516\x16\x17\n\rfics% ",
        b"login: Newton\n\r**** Starting FICS session as Newton ****\n\rfics% \n\rlogin: is text now\n\rfics% ",
        b"fics% \n\r\x1512\x1637\x16Finger of Newton:\n\rOn for: 1 min\n\r\x17\n\rfics% \n\rFoo shouts: hello\n\r",
        b"nowrap set.\n\rfics% \n\rFoo tells you: a line that is long enough to be broken by the server\n\r\\   no\n\r",
        b"\x19[1 *\n\rHello\n\r\x19[2 *\n\rthere\n\r\x19]\n\r\x19]\n\raics% ",
        b"The following message was sent to Foo:\n\r\n\r   fics% <12> x\n\r   <b1> y\n\rfics% \n\r   <b1> z\n\r",
        b"The following message was received:\n\rfics%   <12> x\n\rfics% ",
        b"Foo tells you: <12>\n\rfics% \n\r{Game 7 (A vs. B) A resigns} 0-1\n\rfics% ",
    ];
    for stream in streams {
        let mut first = EventReader::default();
        let all = kinds_and_lines(&read(&mut EventReader::default(), stream));
        let mut input = stream;
        let mut seen = Vec::new();
        while let Some(event) = first.next(&mut input) {
            seen.push(event);
            let Some(Event::Received { received, .. }) = seen.last().filter(|_| first.is_resume_point()) else {
                continue;
            };
            let end = usize::try_from(received.end()).unwrap();
            let mut second = EventReader::resume(&first.stream_state(), Games::default());
            let rest = kinds_and_lines(&read(&mut second, &stream[end..]));
            assert_eq!(rest, all[seen.len()..], "after {:?}", String::from_utf8_lossy(&stream[..end]));
        }
        assert_eq!(kinds_and_lines(&seen), all);
    }
}

#[test]
fn settings_apply_to_the_rest_of_the_stream() {
    let mut reader = EventReader::resume(&StreamState::default(), Games::default());
    let settings = StreamState { prompt: b"chess> ".to_vec(), family: Family::Fics, ..StreamState::default() };
    assert!(!settings.has_same_settings(&StreamState::default()));
    assert_eq!(read(&mut reader, b"chess> "), []);
    reader.apply_settings(&settings);
    assert!(reader.stream_state().has_same_settings(&settings));
    let events = read(&mut reader, b"\n\rchess> ");
    assert_eq!(events.last().and_then(Event::message), Some(&Message::Control(Control::Prompt)));
}

#[test]
fn prompts_marks_and_boards_allocate_nothing_and_other_lines_once() {
    const BOARD: &[u8] =
        b"<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 7 Newton \
            Einstein 0 2 12 39 39 119 122 1 P/e2-e4 (0:06) e4 0\n\rfics% \n\r";
    let cases: [(&[u8], u64); 6] = [
        (b"fics% \n\r", 0),
        (b"\xff\xfb\x01", 0),
        (b"\x151\x1623\x16\x17", 0),
        (BOARD, 0),
        (b"Foo shouts: hello\n\rfics% \n\r", 1),
        (b"<b1> game 7 white [N] black []\n\rfics% \n\r", 1),
    ];
    for (line, want) in cases {
        let mut reader = EventReader::default();
        let mut feed = |mut input: &[u8]| while reader.next(&mut input).is_some() {};
        feed(b"fics% \n\r");
        (0..3).for_each(|_| feed(line));
        let used = allocation_counter::measure(|| (0..100).for_each(|_| feed(line)));
        assert_eq!(used.count_total, 100 * want, "{}", line.escape_ascii());
    }
}
