//! Keys and commands: each row of their tables has an effect, and mistakes are reported.

use std::collections::BTreeSet;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::{Shown, TestConsole};
use crate::console::app::{COMMANDS, KEY_GROUPS, KeyGroup, PAGE_KEY_GROUPS};

/// A console with a board of game 107 and some talk.
fn console() -> TestConsole {
    TestConsole::of_pieces(&[
        b"Newton tells you: hi\n\r<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 \
            1 0 107 Euwe Flohr 0 2 12 39 39 120 120 1 none (0:00) none 0 0 0\n\rfics% ",
    ])
    .play_to_end()
}

const EXPORT: &str = "/export needs recording, json, pgn, text or test, perhaps game, and a new file";

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
        ("/times", "/times needs session or utc or previous or mark"),
        ("/record", "/record needs the name of a new file"),
        ("/theme pink", "/theme needs dark or light"),
        ("/bell", "/bell needs on or off"),
    ];
    let mut console = console();
    for (line, want) in cases {
        console.run(line);
        assert_eq!(console.notice(), want, "{line}");
        console.press_control('e');
        console.press_control('u');
        console.press(KeyCode::Esc);
    }
}

#[test]
fn times_are_absolute_or_relative() {
    let pieces = [&b"Foo shouts: x\n\r"[..]; 101];
    let mut console = TestConsole::of_pieces(&pieces);
    for (line, want) in [
        ("/time 1:02.5", "1:02.500"),
        ("/time +10", "1:12.500"),
        ("/time -0:0:30", "0:42.500"),
        ("/time 7", "0:07.000"),
        ("/time end", "1:40.000"),
        ("/time -9:00:00", "0:00.000"),
    ] {
        console.run(line);
        let screen = console.screen((80, 24));
        assert!(screen.lines().next().unwrap().contains(&format!(" {want} of ")), "{line}: {screen}");
    }
}

#[test]
fn names_of_filters_stand_for_their_expressions() {
    let mut console = console();
    console.run("/filter talk = kind:tell");
    assert_eq!(console.n_listed(), 1);
    console.run("/filter");
    console.run("/filter talk");
    assert_eq!(console.n_listed(), 1);
    console.run("/break talk");
    assert_eq!(console.notice(), "break at kind:tell");
    console.run("/filter \"a = b\"");
    assert!(console.screen((160, 50)).contains("match \"a = b\""));
    console.run("/filter talk =");
    assert_eq!(console.notice(), "talk is forgotten");
    console.run("/filter talk =");
    assert_eq!(console.notice(), "no filter was named talk here");
}

#[test]
fn the_page_of_the_console_lists_the_commands() {
    let page = include_str!("../../../../../docs/console.md");
    let rows = page.lines().filter(|line| line.starts_with("| `/")).filter_map(|line| line.split('|').nth(1));
    let listed: BTreeSet<_> = rows.flat_map(|row| row.split(['`', ' '])).filter(|word| word.starts_with('/')).collect();
    assert_eq!(listed, COMMANDS.iter().map(|command| command.word).collect());
}

#[test]
fn the_help_fits_on_a_small_screen() {
    let keys: Vec<_> = KEY_GROUPS.iter().chain(PAGE_KEY_GROUPS).flat_map(KeyGroup::help_lines).collect();
    let commands = COMMANDS.iter().map(|command| (command.word.to_owned(), command.help));
    for (name, help) in keys.into_iter().chain(commands) {
        assert!(name.len() <= 24 && help.len() <= 53, "{name} {help}");
    }
}

#[test]
fn arguments_are_completed() {
    for (typed, want) in [
        ("/fi", "2: /filter  /find"),
        ("/times p", "/times previous "),
        ("/export re", "/export recording "),
        ("/export text g", "/export text game "),
        ("/game 1", "/game 107 "),
        ("/pieces f", "/pieces filled "),
        ("/bell o", "2: off  on"),
        ("/filter kind:sho", "/filter kind:shout "),
        ("/mark ne", "/mark Newton "),
        ("/x", "/x"),
    ] {
        let mut console = console();
        console.press(KeyCode::Enter);
        console.keys(typed);
        console.press(KeyCode::Tab);
        let got = if console.notice().is_empty() { console.typed() } else { console.notice() };
        assert_eq!(got, want, "{typed}");
    }
}

#[test]
fn letters_are_letters_while_typing_and_commands_in_the_list() {
    let mut console = console();
    console.keys("i");
    assert!(console.notice().starts_with("i is no key of the list"));
    console.press(KeyCode::Enter);
    let mut press = |code, modifiers| {
        console.app.on_key(KeyEvent::new(code, modifiers), console.now);
        console.typed().to_owned()
    };
    let (plain, control, alt) = (KeyModifiers::NONE, KeyModifiers::CONTROL, KeyModifiers::ALT);
    for (code, modifiers, want) in [
        (KeyCode::Char('q'), plain, "q"),
        (KeyCode::Char('Q'), KeyModifiers::SHIFT, "qQ"),
        (KeyCode::Char(' '), plain, "qQ "),
        (KeyCode::Char('x'), control, "qQ "),
        (KeyCode::Char('x'), alt, "qQ "),
        (KeyCode::PageUp, plain, "qQ "),
        (KeyCode::Left, control, "qQ "),
        (KeyCode::Char('z'), plain, "zqQ "),
        (KeyCode::Char('f'), alt, "zqQ "),
        (KeyCode::Char('w'), control, " "),
        (KeyCode::Char('y'), control, "zqQ "),
        (KeyCode::Char('c'), control, ""),
    ] {
        assert_eq!(press(code, modifiers), want, "{code:?} {modifiers:?}");
    }
    assert!(!console.is_over());
    let release = KeyEvent::new_with_kind(KeyCode::Char('x'), plain, KeyEventKind::Release);
    console.app.on_key(release, console.now);
    console.keys("/quit");
    // A line feed is Enter.
    console.press_control('j');
    assert!(console.is_over());
}

#[test]
fn a_page_takes_no_letter_from_a_typed_line() {
    let mut console = console();
    let shows_page = |console: &mut TestConsole| console.screen((80, 24)).contains("─ help lines ");
    console.press(KeyCode::F(1));
    console.keys("jj");
    assert!(shows_page(&mut console));
    console.keys("/t j?q");
    assert!(shows_page(&mut console) && console.typed() == "/t j?q");
    console.press_control('c');
    console.keys(" ");
    assert!(!shows_page(&mut console) && console.typed().is_empty(), "a blank on an empty line closes it");
    console.press(KeyCode::Esc);
    for key in ["q", "?", " "] {
        console.press(KeyCode::F(1));
        console.keys(key);
        assert!(!shows_page(&mut console) && !console.is_over(), "{key}");
    }
}
