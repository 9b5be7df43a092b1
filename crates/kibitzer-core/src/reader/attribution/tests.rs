use super::*;
use crate::MessageReader;
use crate::message::{Family, RequestOrigin};
use crate::wire::Framer;
use crate::{Event, EventReader};

const USER: Option<RequestOrigin> = Some(RequestOrigin::User);

/// A step of a stream.
enum Step {
    /// The server sent this.
    Rx(&'static str),
    /// The client sent this line, as the session states it: number and origin.
    Tx(&'static str, u32, Option<RequestOrigin>),
    /// The client sent this line, and the recording states nothing about it.
    Old(&'static str),
}
use Step::{Old, Rx, Tx};

fn stated(number: u32, origin: Option<RequestOrigin>) -> Attribution {
    Attribution::of_request(number.checked_sub(1).map(RequestId::after), origin)
}

/// Returns the events of a stream on FICS whose login is complete.
fn events(steps: &[Step]) -> Vec<Event> {
    events_of(EventReader::default(), steps)
}

fn events_of(mut reader: EventReader, steps: &[Step]) -> Vec<Event> {
    let mut events = Vec::new();
    let receive = |reader: &mut EventReader, mut bytes: &[u8]| -> Vec<Event> {
        std::iter::from_fn(|| reader.next(&mut bytes)).collect()
    };
    receive(&mut reader, b"fics% \n\r");
    for step in steps {
        match step {
            Rx(bytes) => events.extend(receive(&mut reader, bytes.as_bytes())),
            Tx(line, number, origin) => {
                reader.note_sent_line(line.as_bytes(), stated(*number, *origin));
            }
            Old(line) => {
                reader.note_sent_line(line.as_bytes(), Attribution::default());
            }
        }
    }
    events.extend(std::iter::from_fn(|| reader.finish()));
    events
}

/// Returns each line that is not empty, after its request and `~` if that is inferred; `?` for an unknown origin.
fn attributed(steps: &[Step]) -> Vec<String> {
    shown(&events(steps))
}

fn shown(events: &[Event]) -> Vec<String> {
    let lines = events.iter().filter(|event| !event.raw().is_empty());
    lines
        .map(|event| {
            let attribution = event.attribution();
            let number = attribution.request().map(|request| request.number().to_string()).unwrap_or_default();
            let by = attribution.origin().map_or("", <&str>::from);
            let inferred = if attribution.is_inferred() { "~" } else { "" };
            format!("{number}{by}{inferred}:{}", String::from_utf8_lossy(event.raw()))
        })
        .collect()
}

#[test]
fn marks_enclose_the_reply_to_their_number() {
    let steps = [
        Tx("3 set style 12", 7, Some(RequestOrigin::SetUp)),
        Tx("4 date", 8, USER),
        Rx(
            "Hi\n\r\x154\x1630\x16Noon\n\r\x17\n\rfics% Ho\n\r\x153\x1656\x16Style 12 set.\n\r\x17\n\r\x154\x1630\x16x\n\r\x17",
        ),
    ];
    assert_eq!(attributed(&steps), [":Hi", "8user:Noon", ":Ho", "7set_up:Style 12 set.", ":x"]);
    let units = [
        Tx("`1`finger", 1, USER),
        Tx("`2`date", 2, USER),
        Rx("\x19[28 Bar\nhi\n\r\x19]\x19[37 * 2\nNoon\n\r\x19[28 Bar\nBar shouts: hi\n\r\x19]more\n\r\x19]x\n\r"),
    ];
    let icc = EventReader::new(MessageReader::new(Framer::new(), Family::Icc));
    let got = shown(&events_of(icc, &units));
    assert_eq!(got, [":hi", "2user:Noon", "2user:Bar shouts: hi", "2user:more", ":x"]);
}

#[test]
fn between_a_command_and_its_fence_only_what_it_may_have_caused_is_its_reply() {
    let steps = [
        Tx("date", 1, USER),
        Rx("Noon\n\rfics% \n\rFoo shouts: hi\n\rfics% "),
        Tx("zqabcdefgh", 1, USER),
        Rx("One\n\rFoo tells you: zqabcdefgh\n\rzqabcdefgh: Command not found.\n\rfics% Two\n\r"),
    ];
    let want = [
        "1user~:Noon",
        ":Foo shouts: hi",
        "1user~:One",
        ":Foo tells you: zqabcdefgh",
        "1probe:zqabcdefgh: Command not found.",
        ":Two",
    ];
    assert_eq!(attributed(&steps), want);
}

#[test]
fn a_late_answer_ends_the_reply_that_another_command_follows() {
    let steps = [
        Tx("finger", 1, USER),
        Tx("zqaaaaaaaa", 1, USER),
        Tx("date", 2, USER),
        Tx("zqbbbbbbbb", 2, USER),
        Rx("Finger of Foo:\n\rOn for: 1 min   Idle: 0 secs\n\rzqaaaaaaaa: Command not found.\n\rfics% "),
        Rx("Noon\n\rzqbbbbbbbb: Command not found.\n\rfics% "),
    ];
    let got = attributed(&steps);
    assert!(got.contains(&"1user~:Finger of Foo:".to_owned()) && got.contains(&"2user~:Noon".to_owned()), "{got:?}");
    let events = events(&steps);
    let listing = events.iter().find(|event| matches!(event, Event::Listing { .. })).unwrap();
    assert_eq!(listing.attribution(), stated(1, USER).as_inferred());
}

#[test]
fn an_answer_to_a_later_fence_ends_earlier_replies() {
    let steps = [
        Tx("date", 1, USER),
        Tx("zqaaaaaaaa", 1, USER),
        Tx("date", 2, USER),
        Tx("zqbbbbbbbb", 2, USER),
        Rx("Noon\n\rzqbbbbbbbb: Command not found.\n\rfics% x\n\r"),
    ];
    assert_eq!(attributed(&steps), ["1user~:Noon", "2probe:zqbbbbbbbb: Command not found.", ":x"]);
}

#[test]
fn old_recordings_are_attributed_by_numbers_fences_and_prompts() {
    let steps = [
        Old("date"),
        Rx("Noon\n\rfics% x\n\r"),
        Old("5 $$date"),
        Rx("\x155\x1630\x16Noon\n\r\x17"),
        Old("date"),
        Old("uptime"),
        Rx("One\n\rfics% \n\rFoo shouts: hi\n\rfics% Two\n\rfics% x\n\r"),
        Old("$$zqabcdefgh"),
        Rx("y\n\rzqabcdefgh: Command not found.\n\r"),
    ];
    let want = [
        "1~:Noon",
        ":x",
        "2probe:Noon",
        "3~:One",
        ":Foo shouts: hi",
        "4~:Two",
        ":x",
        ":y",
        "5probe:zqabcdefgh: Command not found.",
    ];
    assert_eq!(attributed(&steps), want);
}

#[test]
fn a_line_before_the_login_is_no_command() {
    let mut reader = EventReader::default();
    assert_eq!(reader.note_sent_line(b"guest", Attribution::default()), Attribution::default());
    let set_up = Attribution::of_request(None, Some(RequestOrigin::SetUp));
    assert_eq!(reader.note_sent_line(b"guest", set_up), set_up);
    assert_eq!(reader.note_sent_line(b"zqabcdefgh", set_up), set_up.as_probe());
    let answer = reader.next(&mut &b"zqabcdefgh: Command not found.\n\rx"[..]).unwrap();
    assert_eq!(answer.attribution(), set_up.as_probe());
}

#[test]
fn the_refusal_of_a_line_without_a_number_is_its_reply() {
    let steps = [Tx("iset block 1", 4, Some(RequestOrigin::SetUp)), Rx("\x150\x16519\x16Which?\n\r\x17x\n\r")];
    assert_eq!(attributed(&steps), ["4set_up:Which?", ":x"]);
}

#[test]
fn unanswered_commands_are_forgotten_at_the_limit() {
    let mut attributor = Attributor::default();
    for number in 1..1_000 {
        attributor.note_sent_line(b"7 finger", stated(number, USER), true);
        attributor.note_sent_line(b"$$zqabcdefgh", stated(number, Some(RequestOrigin::Probe)), true);
    }
    assert_eq!(attributor.pending.len(), MAX_PENDING);
}

#[test]
fn a_number_and_its_end_make_a_numbered_line() {
    let cases: [(&str, Option<(u64, &str)>); 10] = [
        ("12 date", Some((12, "date"))),
        ("`7`finger foo", Some((7, "finger foo"))),
        ("12", None),
        ("0 date", None),
        ("`7 date", None),
        ("`x`date", None),
        ("7`date", None),
        ("x1 date", None),
        ("", None),
        ("99999999999999999999 x", None),
    ];
    for (line, want) in cases {
        assert_eq!(split_number(line.as_bytes()), want.map(|(number, command)| (number, command.as_bytes())), "{line}");
    }
}
