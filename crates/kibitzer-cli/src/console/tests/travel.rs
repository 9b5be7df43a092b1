//! Through time: play, step, jump, break, find, mark.

use kibitzer_core::wire::Timeseal;
use ratatui::buffer::Cell;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::style::Modifier;

use super::{SIZES, Shown, TestConsole, fixed_instant, record};
use crate::arguments::ReaderArgs;
use crate::console::model::ConsoleRow;
use crate::console::source::RecordingReader;
use crate::console::view::Theme;

/// Ten shouts, a second apart.
fn shouts() -> TestConsole {
    let pieces: Vec<_> = (0..10).map(|n| format!("Foo shouts: number {n}\n\rfics% ")).collect();
    TestConsole::of_pieces(&pieces.iter().map(String::as_bytes).collect::<Vec<_>>())
}

#[test]
fn it_plays_at_its_speed_and_stops() {
    let mut watcher = shouts();
    watcher.wait(3.5);
    assert_eq!(watcher.line(), "Foo shouts: number 3");
    watcher.keys("+");
    watcher.wait(1.0);
    assert_eq!(watcher.line(), "Foo shouts: number 5");
    watcher.keys(" ");
    watcher.wait(100.0);
    assert_eq!(watcher.line(), "Foo shouts: number 5");
    watcher.run("/speed 0.5");
    watcher.keys(" ");
    watcher.wait(3.0);
    assert_eq!(watcher.line(), "Foo shouts: number 7");
    watcher.wait(100.0);
    assert!(watcher.state() == "over");
    watcher.keys(" ");
    watcher.wait(1.5);
    assert_eq!(watcher.line(), "Foo shouts: number 0");
    assert!(watcher.state() == "playing", "from the start again, at half the speed");
}

#[test]
fn a_seek_ends_at_control_c_and_the_line_stays_empty() {
    let mut watcher = shouts();
    watcher.press(KeyCode::Enter);
    watcher.keys("/find nowhere");
    // The seek begins, and has processed nothing yet.
    watcher.app.on_key(KeyEvent::from(KeyCode::Enter), watcher.now);
    assert_eq!(watcher.state(), "seeking");
    watcher.press_control('c');
    assert!(watcher.state() == "paused" && !watcher.is_over());
    assert!(watcher.notice().starts_with("the search ended here"));
    watcher.press_control('c');
    assert!(watcher.is_over());
}

#[test]
fn the_board_is_that_of_the_row_that_a_step_or_a_search_reaches() {
    let board = |game: u32, white: &str| {
        format!(
            "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 {game} {white} \
            Flohr 0 2 12 39 39 120 120 1 none (0:00) none 0 0 0\n\r"
        )
    };
    let pieces =
        [board(1, "Euwe"), board(2, "Reti"), "Foo shouts: hi\n\r".to_owned(), board(1, "Euwe"), board(2, "Reti")];
    let mut watcher = TestConsole::of_pieces(&pieces.iter().map(String::as_bytes).collect::<Vec<_>>());
    let shown = |watcher: &mut TestConsole| {
        let screen = watcher.screen(SIZES[0]);
        let title =
            screen.lines().nth(1).unwrap().split('\u{2502}').next().unwrap().trim_matches(['\u{2500}', ' ']).to_owned();
        (title, screen.lines().take(16).any(|line| line.starts_with("  Reti") || line.starts_with("\u{25b8} Reti")))
    };
    watcher.keys(" s");
    assert_eq!(shown(&mut watcher), ("game 1".to_owned(), false));
    watcher.keys("s");
    assert_eq!(shown(&mut watcher), ("game 2".to_owned(), true));
    watcher.run("/time 0");
    watcher.run("/find game:2");
    assert_eq!(shown(&mut watcher), ("game 2".to_owned(), true));
    watcher.keys("n");
    assert_eq!(shown(&mut watcher), ("game 2".to_owned(), true));
    watcher.run("/game 1");
    assert_eq!(shown(&mut watcher), ("game 1 pinned, p unpins".to_owned(), false));
    watcher.keys("p");
    assert_eq!(shown(&mut watcher), ("game 2".to_owned(), true));
}

#[test]
fn messages_disappear_while_the_recording_goes_on_and_stay_while_it_stands() {
    let mut watcher = shouts();
    watcher.run("/nonsense");
    watcher.wait(0.0);
    watcher.wait(9.0);
    assert!(watcher.notice().starts_with("unknown command"));
    watcher.wait(2.0);
    assert!(watcher.notice().starts_with("unknown command"), "the recording ended at 9 s");
    watcher.keys(" ");
    watcher.run("/nonsense");
    watcher.wait(0.0);
    watcher.run("/speed 0.1");
    watcher.run("/nonsense");
    watcher.wait(0.0);
    watcher.wait(11.0);
    assert_eq!(watcher.notice(), "");
}

#[test]
fn a_torn_recording_is_played_up_to_the_cut_each_time() {
    let torn = "{\"t\": 1, \"dir\": \"rx\", \"hex\": \"466f6f2073686f7574733a206869\"}\n{\"t\": 2, \"di";
    let mut watcher = TestConsole::of_transcript(torn);
    for _ in 0..2 {
        watcher.wait(100.0);
        assert_eq!(watcher.rows().map(ConsoleRow::summary_line).collect::<Vec<_>>(), ["Foo shouts: hi", CUT]);
        assert!(watcher.state() == "over");
        watcher.run("/time 0");
        assert_eq!(watcher.rows().count(), 0);
        watcher.keys(" ");
    }
    let path = watcher.folder.as_ref().unwrap().join("session.jsonl");
    let error = RecordingReader::open(&path, ReaderArgs { strict: true, ..ReaderArgs::default() }, fixed_instant);
    let message = error.unwrap_err().message.unwrap();
    assert!(message.ends_with("session.jsonl: transcript ends inside line 2"), "{message}");
}

const CUT: &str = "--- the recording ends inside line 2 ---";

#[test]
fn steps_go_by_listed_lines_in_the_list_and_behind_it() {
    let mut watcher = shouts();
    watcher.wait(1.0);
    watcher.keys("s");
    assert_eq!(watcher.line(), "Foo shouts: number 2");
    watcher.keys("ss");
    watcher.press(KeyCode::Left);
    assert_eq!(watcher.line(), "Foo shouts: number 3");
    let n_rows = watcher.newest();
    watcher.press(KeyCode::Right);
    assert_eq!((watcher.line().as_str(), watcher.newest()), ("Foo shouts: number 4", n_rows));
    watcher.keys("a");
    let before = watcher.newest();
    watcher.keys("s");
    assert_eq!(watcher.newest(), before + 1, "a prompt");
}

#[test]
fn jumps_go_on_and_back() {
    let mut watcher = shouts();
    watcher.run("/time 7.5");
    assert_eq!(watcher.line(), "Foo shouts: number 7");
    watcher.run("/time -5");
    assert_eq!(watcher.line(), "Foo shouts: number 2");
    assert!(watcher.screen(SIZES[0]).starts_with("kibitzer paused  0:02.500 "));
    watcher.run("/time +0:04");
    assert_eq!(watcher.line(), "Foo shouts: number 6");
    watcher.run("/time end");
    assert_eq!(watcher.line(), "Foo shouts: number 9");
}

#[test]
fn the_next_match_is_found_in_the_list_and_behind_it() {
    let mut watcher = shouts();
    watcher.keys("n");
    assert_eq!(watcher.notice(), "nothing to search for yet: /find EXPR");
    watcher.wait(1.0);
    watcher.run("/find \"number [27]\"");
    assert_eq!(watcher.line(), "Foo shouts: number 2");
    watcher.keys("n");
    assert_eq!(watcher.line(), "Foo shouts: number 7");
    watcher.keys("N");
    assert_eq!(watcher.line(), "Foo shouts: number 2");
    watcher.keys("N");
    let wrapped = "no match before this line: the search went on at the end";
    assert_eq!((watcher.line().as_str(), watcher.notice()), ("Foo shouts: number 7", wrapped));
    let wrapped = "no match after this line: the search went on at the start";
    for _ in 0..2 {
        // First past the rows that were not played yet, then past the last one.
        watcher.keys("n");
        assert_eq!((watcher.line().as_str(), watcher.notice()), ("Foo shouts: number 2", wrapped));
        watcher.keys("n");
        assert_eq!((watcher.line().as_str(), watcher.notice()), ("Foo shouts: number 7", ""));
    }
    watcher.run("/find nowhere");
    assert_eq!((watcher.line().as_str(), watcher.notice()), ("Foo shouts: number 7", "no stored line matches"));
}

#[test]
fn a_search_without_a_match_returns_to_the_line_where_it_began() {
    for paused in [false, true] {
        let mut watcher = shouts();
        watcher.run("/time 3.5");
        if paused {
            watcher.press(KeyCode::Up);
        }
        let start = watcher.line();
        watcher.run("/find nowhere");
        assert_eq!((watcher.notice(), watcher.line()), ("no stored line matches", start));
    }
    let mut watcher = shouts();
    watcher.keys(" ");
    watcher.run("/find nowhere");
    assert_eq!((watcher.notice(), watcher.line().as_str()), ("no stored line matches", "Foo shouts: number 9"));
}

#[test]
fn bytes_are_searched_in_the_list_and_in_the_rest_of_a_recording() {
    let mut watcher = TestConsole::of("fatics-game-quick-observer");
    watcher.wait(5.0);
    watcher.press(KeyCode::Home);
    // A line end and a board.
    watcher.run("/find hex:0a0d3c31323e");
    let first = watcher.selected();
    assert_eq!(watcher.row().kind_name(), "position", "{}", watcher.screen((80, 24)));
    assert!(watcher.screen((80, 24)).contains("3c 31 32 3e"), "{}", watcher.screen((80, 24)));
    watcher.keys("n");
    let second = watcher.selected();
    assert!(second > first);
    watcher.keys("N");
    assert_eq!(watcher.selected(), first);
    watcher.keys("n");
    assert_eq!(watcher.selected(), second);
    let known = watcher.newest();
    watcher.run("/find hex:4c6f6767696e6720796f75206f7574");
    assert!(watcher.selected() > known, "\"Logging you out\" is later in the recording");
    watcher.run("/find hex:00ff00ff");
    assert_eq!(watcher.notice(), "no stored line matches");
}

#[test]
fn found_bytes_are_highlighted() {
    let mut watcher = TestConsole::of_pieces(&[b"Foo shouts: hi\n\r"]).play_to_end();
    watcher.run("/find hex:73686f");
    let buffer = watcher.buffer(SIZES[0], Theme::new(false));
    let reversed = buffer.content[12 * 80..].iter().filter(|cell| cell.modifier.contains(Modifier::REVERSED));
    assert_eq!(reversed.map(Cell::symbol).collect::<String>(), "73 68 6f sho");
}

#[test]
fn a_break_stops_the_screen_where_it_matches() {
    let mut watcher = shouts();
    watcher.run("/break \"number 4\"");
    watcher.wait(100.0);
    assert_eq!(watcher.line(), "Foo shouts: number 4");
    assert!(watcher.state() == "paused" && watcher.notice().starts_with("break at #"));
    watcher.keys(" ");
    watcher.wait(2.0);
    assert_eq!(watcher.line(), "Foo shouts: number 6");
    watcher.run("/break");
    assert_eq!(watcher.notice(), "no breakpoint");
}

#[test]
fn the_next_match_of_a_breakpoint_may_be_a_row_that_is_not_listed() {
    let mut watcher = shouts();
    watcher.run("/break kind:prompt");
    watcher.wait(1.0);
    let first = watcher.selected();
    watcher.keys("nn");
    assert_eq!(watcher.selected(), first + 4);
    watcher.keys("N");
    assert_eq!((watcher.selected(), watcher.n_listed() < watcher.rows().count()), (first + 2, true));
}

#[test]
fn what_comes_while_an_older_line_is_looked_at_is_counted() {
    let mut watcher = shouts();
    watcher.wait(3.0);
    watcher.press(KeyCode::Up);
    watcher.wait(4.0);
    assert_eq!(watcher.line(), "Foo shouts: number 2");
    assert!(watcher.screen(SIZES[0]).contains("+5 below"), "{}", watcher.screen(SIZES[0]));
    watcher.press(KeyCode::End);
    assert_eq!(watcher.line(), "Foo shouts: number 7");
}

#[test]
fn moves_are_found_by_their_number() {
    let mut watcher = TestConsole::of("fatics-game-quick-observer");
    watcher.run("/move 3");
    assert!(watcher.line().starts_with("game 1 3. "), "{}", watcher.line());
    watcher.run("/move 36...");
    assert!(watcher.line().contains("36... Re7"), "{}", watcher.line());
    watcher.run("/move 36");
    assert!(watcher.line().contains("36. Rf1"), "{}", watcher.line());
    watcher.run("/move 99");
    assert_eq!(watcher.notice(), "not found up to the end of the recording");
}

#[test]
fn the_board_is_that_of_the_line_looked_at() {
    let mut watcher = TestConsole::of("fatics-game-quick-observer").play_to_end();
    watcher.run("/move 36");
    let screen = watcher.screen(SIZES[0]);
    assert!(screen.contains("  36. Rf1 ") && screen.contains("as it was then"), "{screen}");
    watcher.press(KeyCode::End);
    let screen = watcher.screen(SIZES[0]);
    assert!(screen.contains("38... Re1#") && screen.contains("0-1, Flohr won: "), "{screen}");
}

#[test]
fn nothing_is_sent_from_a_recording() {
    let mut watcher = shouts();
    watcher.run("tell foo hi");
    assert!(watcher.notice().starts_with("nothing is sent"));
    watcher.run("/nonsense");
    assert_eq!(watcher.notice(), "unknown command /nonsense; /help lists the commands");
}

#[test]
fn what_is_typed_for_a_password_is_not_shown_nor_remembered() {
    let mut watcher = TestConsole::of_pieces(&[b"login: ", b"\n\rpassword: "]).play_to_end();
    watcher.press(KeyCode::Enter);
    watcher.keys("sesame");
    let screen = watcher.screen(SIZES[0]);
    assert!(screen.contains("> ******") && !screen.contains("sesame"), "{screen}");
    watcher.press(KeyCode::Enter);
    watcher.press(KeyCode::Enter);
    watcher.press(KeyCode::Up);
    assert_eq!(watcher.typed(), "");
    watcher.keys("/quit");
    assert!(watcher.screen(SIZES[0]).contains("> /quit"), "a command of the console");
}

#[test]
fn passwords_of_a_recording_are_not_shown() {
    let mut watcher = TestConsole::of("fatics-block-client").play_to_end();
    assert!(!format!("{:?}", watcher.app.model.rows).contains("pwalekhine"), "not even kept");
    watcher.run("/filter kind:sent text:\"(password)\"");
    assert_eq!(watcher.n_listed(), 1);
    for view in ["1", "2", "3"] {
        watcher.keys(view);
        assert!(SIZES.iter().all(|size| !watcher.screen(*size).contains("pwale")));
    }
}

#[test]
fn a_sent_line_leads_to_its_reply() {
    let mut watcher = TestConsole::of("fatics-block-client").play_to_end();
    watcher.run("/find \"> 5 finger\"");
    watcher.press(KeyCode::Home);
    watcher.keys("nr");
    assert_eq!(watcher.line(), "reply 5 to command 37:");
    watcher.keys("r");
    assert_eq!(watcher.notice(), "this line was not sent");
}

#[test]
fn keys_edit_complete_and_leave() {
    let mut watcher = shouts();
    watcher.wait(2.0);
    watcher.keys("/filt");
    watcher.press(KeyCode::Tab);
    watcher.keys("from:f");
    watcher.press(KeyCode::Tab);
    assert_eq!(watcher.typed(), "/filter from:Foo ");
    watcher.press(KeyCode::Enter);
    assert!(watcher.screen(SIZES[1]).contains(" match from:Foo"));
    watcher.keys("/");
    watcher.press(KeyCode::Up);
    assert_eq!(watcher.typed(), "/filter from:Foo ");
    watcher.press(KeyCode::Esc);
    watcher.keys("q");
    assert!(watcher.is_over());
}

#[test]
fn an_expression_with_an_error_returns_to_the_editor_with_the_cursor_there() {
    let mut watcher = TestConsole::of("uhlinfics-talk-1-Alice").play_to_end();
    for (line, before) in [
        ("/break kind:tell or kind:tel", "/break kind:tell or kind:"),
        ("/filter  kind:sya", "/filter  kind:"),
        ("/filter talk = lag>x", "/filter talk = lag>"),
    ] {
        watcher.run(line);
        assert_eq!(watcher.app.input.editor.split_at_cursor().0, before, "{line}");
        assert!(watcher.notice().contains("(character "), "{line}");
        watcher.press_control('e');
        watcher.press_control('u');
        watcher.press(KeyCode::Esc);
    }
    watcher.run("/filter move=1");
    let screen = watcher.screen(SIZES[1]);
    assert!(screen.contains(" match move=1") && watcher.notice().is_empty(), "no name: {screen}");
}

#[test]
fn the_word_of_a_kind_alone_is_searched_and_the_kind_is_mentioned() {
    let session =
        record(0.0, "rx", b"fics% ") + &record(1.0, "tx", b"who\n") + &record(2.0, "rx", b"Foo shouts: tell\n\r");
    let mut watcher = TestConsole::of_transcript(&session).play_to_end();
    watcher.run("/filter tell");
    assert_eq!(watcher.notice(), "lines with the word tell; kind:tell lists those of this kind");
    assert_eq!((watcher.line().as_str(), watcher.n_listed()), ("Foo shouts: tell", 1));
    watcher.run("/filter kind:sent");
    assert_eq!((watcher.notice(), watcher.n_listed()), ("", 1));
    watcher.run("/filter tell = kind:sent");
    watcher.run("/filter tell");
    assert_eq!(watcher.notice(), "", "the name of a filter");
}

#[test]
fn a_slash_typed_in_the_list_starts_a_command_and_cuts_an_unfinished_line() {
    let mut watcher = shouts();
    watcher.press(KeyCode::Enter);
    watcher.keys("tell Foo hi");
    watcher.press(KeyCode::Left);
    watcher.press(KeyCode::Esc);
    watcher.keys("/ti");
    assert_eq!(watcher.typed(), "/ti");
    watcher.press(KeyCode::Esc);
    watcher.keys("/me 3");
    assert_eq!(watcher.typed(), "/time 3", "an unfinished command is continued");
    watcher.press(KeyCode::Enter);
    watcher.press(KeyCode::Enter);
    watcher.press_control('y');
    assert_eq!(watcher.typed(), "tell Foo hi");
}

#[test]
fn a_password_that_a_slash_replaces_cannot_be_pasted() {
    let mut watcher = TestConsole::of_pieces(&[b"login: \n\rpassword: "]).play_to_end();
    watcher.press(KeyCode::Enter);
    watcher.keys("swordfish");
    watcher.press(KeyCode::Esc);
    watcher.keys("/");
    watcher.press_control('y');
    assert_eq!(watcher.typed(), "/");
}

#[test]
fn filters_have_names() {
    let mut watcher = shouts();
    watcher.run("/filter late = \"number [89]\"");
    watcher.wait(20.0);
    assert_eq!(watcher.n_listed(), 2);
    watcher.run("/filter");
    assert_eq!(watcher.n_listed(), 10);
    watcher.run("/filter late");
    assert_eq!(watcher.n_listed(), 2);
    watcher.run("/filter kind:nonsense");
    assert_eq!(watcher.notice(), "unknown kind \"nonsense\" (character 6)");
}

#[test]
fn sealed_lines_are_shown_in_clear() {
    let mut watcher = TestConsole::of_sealed("fatics-timeseal2-white", Timeseal::V2).play_to_end();
    watcher.run("/filter kind:sent");
    watcher.press(KeyCode::Home);
    watcher.keys("2");
    let screen = watcher.screen((160, 50));
    assert!(screen.contains("> TIMESTAMP") || screen.contains("> TIMESEAL"), "the hello:\n{screen}");
    assert!(screen.contains("> Capablanca") && screen.contains("> set style 12  [reply #"), "{screen}");
    assert!(screen.contains("> (password)"), "the password:\n{screen}");
}

#[test]
fn a_view_is_not_scrolled_beyond_its_end() {
    let mut watcher = TestConsole::of("fatics-game-quick-observer");
    watcher.wait(5.0);
    for view in ["1", "2", "3"] {
        watcher.keys(view);
        for size in SIZES {
            watcher.app.screen.scroll = usize::MAX;
            let last = watcher.screen(size);
            assert!(watcher.app.screen.scroll < 100, "{}", watcher.app.screen.scroll);
            assert_eq!(watcher.screen(size), last);
            assert!(!last.contains("no longer kept"), "{last}");
        }
    }
}

#[test]
fn a_notice_that_replaces_another_stays_for_ten_seconds_as_well() {
    let mut watcher = TestConsole::of_pieces(&[&b"Foo shouts: x\n\r"[..]; 60]);
    watcher.wait(1.0);
    watcher.app.on_paste("one\ntwo");
    watcher.wait(1.0);
    watcher.wait(8.0);
    watcher.app.on_paste("\nthree");
    watcher.wait(1.0);
    watcher.wait(9.0);
    assert_eq!(watcher.notice(), "3 lines: Enter runs each of them, Ctrl-C removes them");
    watcher.wait(2.0);
    assert!(watcher.notice().is_empty());
}
