use std::collections::BTreeSet;

use super::*;

fn parse(line: &str) -> Result<ConsoleCommand, CommandError> {
    ConsoleCommand::parse(line, &NamedFilters::default())
}

#[test]
fn commands_are_parsed_with_their_arguments() {
    let cases = [
        ("/game 3", "Game(Some(GameId(3)))"),
        ("/game", "Game(None)"),
        ("/mark  after the crash ", "Mark(\"after the crash\")"),
        ("/speed 4x", "Speed(4.0)"),
        ("/times utc", "Times(Utc)"),
        ("/export json a file", "Export(Json, Rows, \"a file\")"),
        ("/export test  game a file", "Export(Test, Game, \"a file\")"),
        ("/export text game", "Export(Text, Rows, \"game\")"),
        ("/time 1:02:03.5", "Time(Absolute(3723.5s))"),
        ("/time +10", "Time(Forward(10s))"),
        ("/time -1:00", "Time(Backward(60s))"),
        ("/move 12", "Move(23)"),
        ("/move 12...", "Move(24)"),
        ("/filter", "Filter(None)"),
        ("/filter talk =", "RemoveFilter(\"talk\")"),
        ("/quit", "Act(Quit)"),
    ];
    for (line, want) in cases {
        assert_eq!(format!("{:?}", parse(line).unwrap()), want, "{line}");
    }
    assert!(matches!(parse("/filter talk = kind:tell"), Ok(ConsoleCommand::NameFilter(name, _)) if name == "talk"));
    assert!(matches!(parse("/filter \"a = b\""), Ok(ConsoleCommand::Filter(Some(_)))));
    let mut filters = NamedFilters::default();
    assert!(filters.try_set("talk", Expression::parse("kind:tell").unwrap()));
    let named = ConsoleCommand::parse("/filter talk", &filters);
    assert!(matches!(named, Ok(ConsoleCommand::Filter(Some(filter))) if filter.to_string() == "kind:tell"));
    assert!(matches!(parse("/break kind:tell"), Ok(ConsoleCommand::Break(Some(_)))));
}

const EXPORT: &str = "/export needs recording, json, pgn, text or test, perhaps rows, marks or game, and a new file";

#[test]
fn invalid_commands_are_reported() {
    let cases = [
        ("/nonsense 1", "unknown command /nonsense; /help lists the commands"),
        ("/filtr kind:tell", "unknown command /filtr, did you mean /filter?"),
        ("/game x", "/game needs a number"),
        ("/speed 0", "/speed needs a number above 0, such as 4 or 0.5"),
        ("/speed nan", "/speed needs a number above 0, such as 4 or 0.5"),
        ("/time soon", "/time needs a time such as 1:23, 83.5, +10, -0:30 or end"),
        ("/time -", "/time needs a time such as 1:23, 83.5, +10, -0:30 or end"),
        ("/time 1e9", "/time needs a time such as 1:23, 83.5, +10, -0:30 or end"),
        ("/move 0", "/move needs a move number such as 12 or 12..."),
        ("/move 4294967295...", "/move needs a move number such as 12 or 12..."),
        ("/find hex:0", "hex: needs pairs of hexadecimal digits, such as hex:0a0d3c (character 5)"),
        ("/find", "an expression needs at least one term, such as kind:tell (character 1)"),
        ("/break kind:x", "unknown kind \"x\" (character 6)"),
        ("/export pgn", EXPORT),
        ("/export pgn ", EXPORT),
        ("/export png games.pgn", EXPORT),
        ("/times", "/times needs session, utc, previous or mark"),
        ("/record", "/record needs the name of a new file"),
    ];
    for (line, want) in cases {
        assert_eq!(parse(line).unwrap_err().message, want, "{line}");
    }
}

#[test]
fn the_page_of_the_console_lists_the_commands() {
    let page = include_str!("../../../../../../docs/console.md");
    let rows = page.lines().filter(|line| line.starts_with("| `/")).filter_map(|line| line.split('|').nth(1));
    let listed: BTreeSet<_> = rows.flat_map(|row| row.split(['`', ' '])).filter(|word| word.starts_with('/')).collect();
    assert_eq!(listed, command_words().collect());
}

#[test]
fn every_word_is_a_command() {
    for word in command_words() {
        assert!(!matches!(parse(word), Err(error) if error.message.starts_with("unknown command")), "{word}");
    }
    assert_eq!(command_words().filter(|word| *word == "/filter").count(), 1);
}
