use kibitzer::core::EventReader;
use kibitzer::core::event::Capabilities;

use super::*;

fn sent(line: &str) -> Event {
    Event::Sent { line: Some(line.into()), request: None }
}

/// Returns the lines of the events that pass.
fn heard(housekeeping_filter: &mut HousekeepingFilter, said: &str) -> Vec<String> {
    let (mut reader, mut input) = (EventReader::default(), said.as_bytes());
    let events: Vec<_> = std::iter::from_fn(|| reader.next(&mut input)).collect();
    let shown = events.iter().filter(|event| housekeeping_filter.record_and_check_printed(event));
    shown.map(|event| String::from_utf8_lossy(event.raw()).into_owned()).collect()
}

#[test]
fn replies_to_the_session_itself_are_left_out() {
    let mut housekeeping_filter = HousekeepingFilter::default();
    assert!(!housekeeping_filter.record_and_check_printed(&sent("3 set style 12")));
    assert_eq!(
        heard(&mut housekeeping_filter, "\x153\x1656\x16Style 12 set.\n\r\x17\n\rfics% \n\rHello.\n\rfics% "),
        ["Hello."]
    );
    assert!(housekeeping_filter.record_and_check_printed(&Event::Ready(Capabilities::default())));
    housekeeping_filter.record_and_check_printed(&sent("3 date"));
    housekeeping_filter.record_and_check_printed(&sent("4 $$date"));
    let replies = "\x153\x1630\x16Noon\n\r\x17\n\rfics% \n\r\x154\x1630\x16Noon\n\r\x17\n\rfics% \n\rBye.\n\rfics% ";
    assert_eq!(heard(&mut housekeeping_filter, replies), ["Noon", "Bye."]);
}

#[test]
fn replies_to_the_session_with_a_tag_are_left_out() {
    let mut housekeeping_filter = HousekeepingFilter::default();
    housekeeping_filter.record_and_check_printed(&sent("`2`set prompt 0"));
    let said = "\x19[107 * 2\nPrompt off.\n\r\x19[28 Bar\nBar shouts: hi\n\r\x19]more\n\r\x19]\x19[28 Bar\nBar shouts: ho\n\r\x19]";
    assert_eq!(heard(&mut housekeeping_filter, said), ["Bar shouts: ho"]);
}

#[test]
fn answers_to_fences_and_refusals_of_the_set_up_are_left_out() {
    let mut housekeeping_filter = HousekeepingFilter::default();
    housekeeping_filter.record_and_check_printed(&sent("iset block 1"));
    housekeeping_filter.record_and_check_printed(&sent("zqabcdefgh"));
    let said = "iset: Command has failed.\n\rzqabcdefgh: Command has failed.\n\rFoo tells you: zqabcdefgh\n\r";
    assert_eq!(heard(&mut housekeeping_filter, said), ["Foo tells you: zqabcdefgh"]);
    housekeeping_filter.record_and_check_printed(&Event::Ready(Capabilities::default()));
    housekeeping_filter.record_and_check_printed(&sent("dance"));
    housekeeping_filter.record_and_check_printed(&sent("$$zqhgfedcba"));
    let said =
        "dance: Command not found.\n\rfics% zqhgfedcba: Command not found.\n\rzqhgfedcba: Command not found.\n\rfics% ";
    let again = "zqhgfedcba: Command not found.";
    assert_eq!(heard(&mut housekeeping_filter, said), ["dance: Command not found.", again]);
    for _ in 0..1_000 {
        housekeeping_filter.record_and_check_printed(&sent("zqabcdefgh"));
    }
    assert_eq!(housekeeping_filter.fences.len(), MAX_FENCES);
}

#[test]
fn another_connection_has_other_numbers() {
    let mut housekeeping_filter = HousekeepingFilter::default();
    housekeeping_filter.record_and_check_printed(&sent("3 set style 12"));
    housekeeping_filter.record_and_check_printed(&Event::Connected);
    assert_eq!(heard(&mut housekeeping_filter, "\x153\x1630\x16Noon\n\r\x17"), ["Noon"]);
}
