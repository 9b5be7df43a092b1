use super::*;
use crate::console::tests::rows;

fn shown(said: &[u8]) -> Vec<String> {
    row_fields(rows(said).last().unwrap()).into_iter().map(|(name, value)| format!("{name}: {value}")).collect()
}

#[test]
fn fields_have_names_and_units_for_people() {
    let board = b"<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 107 Euwe Flohr -1 2 12 \
            39 39 119500 120000 1 none (0:00.000) none 0 1 1304\n\r";
    let shown = shown(board);
    for line in [
        "game: 107",
        "relation: played by this login; the opponent is to move",
        "initial: 2 min",
        "increment: 12 s",
        "white clock: 1:59",
        "lag: 1.304 s",
        "clock running: yes",
        "change: first board of the game",
    ] {
        assert!(shown.iter().any(|field| field == line), "{line}: {shown:#?}");
    }
    assert!(shown.iter().all(|field| !field.contains(['{', '(', '_'])), "{shown:#?}");
}

#[test]
fn every_member_of_an_object_and_of_a_list_is_a_field() {
    let shown = shown(b"Foo(GM)(TM) tells you: {hi}\n\r");
    assert_eq!(shown, ["from: Foo", "titles: GM TM", "text: {hi}"]);
    let long = [&b"Foo tells you: "[..], "\u{e9}".repeat(70_000).as_bytes()].concat();
    let value = row_fields(rows(&[&long[..], b"\n\r"].concat()).last().unwrap());
    assert!(value.iter().map(|(_, value)| value.len()).sum::<usize>() <= MAX_BYTES + 16);
}

#[test]
fn values_are_wrapped_beside_the_names() {
    let lines = |name: &str, value: &str, width| -> Vec<String> {
        let field = (name.to_owned(), value.to_owned());
        field_lines(Theme::new(true), &field, width).iter().map(ToString::to_string).collect()
    };
    assert_eq!(lines("text", "abcdef", 22), ["text       abcdef"]);
    assert_eq!(lines("text", "abcdef", 8), ["text", "    abcd", "    ef"]);
    assert_eq!(lines("text", "", 40), ["text              "]);
    assert_eq!(lines("a long name of a field", "ab", 22)[1], "           ab");
}
