//! Through time: play, step, jump, break, find, mark.

use kibitzer::core::wire::Timeseal;
use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::{SIZES, TestConsole, fixed_instant, record};
use crate::arguments::ReaderArgs;
use crate::console::model::ConsoleRow;
use crate::console::source::{Notice, RecordingReader};
use crate::console::view::Theme;

/// Ten shouts, a second apart.
fn shouts() -> TestConsole {
    let pieces: Vec<_> = (0..10).map(|n| format!("Foo shouts: number {n}\n\rfics% ")).collect();
    TestConsole::of_pieces(&pieces.iter().map(String::as_bytes).collect::<Vec<_>>())
}

pub(super) fn notice(watcher: &TestConsole) -> &str {
    match &watcher.app.notice {
        Some(Notice::Info(text) | Notice::Error(text)) => text,
        None => "",
    }
}

/// The line that is looked at.
pub(super) fn line(watcher: &TestConsole) -> String {
    watcher.app.model.rows.get(watcher.selected()).unwrap().summary_line()
}

#[test]
fn it_plays_at_its_speed_and_stops() {
    let mut watcher = shouts();
    watcher.wait(3.5);
    assert_eq!(line(&watcher), "Foo shouts: number 3");
    watcher.keys("+");
    watcher.wait(1.0);
    assert_eq!(line(&watcher), "Foo shouts: number 5");
    watcher.keys(" ");
    watcher.wait(100.0);
    assert_eq!(line(&watcher), "Foo shouts: number 5");
    watcher.run("/speed 0.5");
    watcher.keys(" ");
    watcher.wait(3.0);
    assert_eq!(line(&watcher), "Foo shouts: number 7");
    watcher.wait(100.0);
    assert!(watcher.app.source.try_as_recording_ref().unwrap().reader.is_over);
    watcher.keys(" ");
    watcher.wait(1.5);
    assert_eq!(line(&watcher), "Foo shouts: number 0");
    assert!(watcher.app.source.try_as_recording_ref().unwrap().is_playing(), "from the start again, at half the speed");
}

#[test]
fn a_seek_ends_at_control_c_and_the_line_stays_empty() {
    let mut watcher = shouts();
    watcher.press(KeyCode::Enter);
    watcher.keys("/find nowhere");
    // The seek begins, and has processed nothing yet.
    watcher.app.on_key(KeyEvent::from(KeyCode::Enter), watcher.now);
    assert!(watcher.app.source.try_as_recording_ref().unwrap().goal.is_some());
    watcher.press_control('c');
    assert!(watcher.app.source.try_as_recording_ref().unwrap().goal.is_none() && !watcher.app.is_over);
    assert!(notice(&watcher).starts_with("the search ended here"));
    watcher.press_control('c');
    assert!(watcher.app.is_over);
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
    assert!(notice(&watcher).starts_with("unknown command"));
    watcher.wait(2.0);
    assert!(notice(&watcher).starts_with("unknown command"), "the recording ended at 9 s");
    watcher.keys(" ");
    watcher.run("/nonsense");
    watcher.wait(0.0);
    watcher.run("/speed 0.1");
    watcher.run("/nonsense");
    watcher.wait(0.0);
    watcher.wait(11.0);
    assert_eq!(notice(&watcher), "");
}

#[test]
fn a_torn_recording_is_played_up_to_the_cut_each_time() {
    let torn = "{\"t\": 1, \"dir\": \"rx\", \"hex\": \"466f6f2073686f7574733a206869\"}\n{\"t\": 2, \"di";
    let mut watcher = TestConsole::of_transcript(torn);
    for _ in 0..2 {
        watcher.wait(100.0);
        assert_eq!(
            watcher.app.model.rows.iter().map(ConsoleRow::summary_line).collect::<Vec<_>>(),
            ["Foo shouts: hi", CUT]
        );
        assert!(watcher.app.source.try_as_recording_ref().unwrap().reader.is_over);
        watcher.run("/time 0");
        assert_eq!(watcher.app.model.rows.iter().count(), 0);
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
    assert_eq!(line(&watcher), "Foo shouts: number 2");
    watcher.keys("ss");
    watcher.press(KeyCode::Left);
    assert_eq!(line(&watcher), "Foo shouts: number 3");
    let n_rows = watcher.app.model.rows.newest;
    watcher.press(KeyCode::Right);
    assert_eq!((line(&watcher).as_str(), watcher.app.model.rows.newest), ("Foo shouts: number 4", n_rows));
    watcher.keys("a");
    let before = watcher.app.model.rows.newest;
    watcher.keys("s");
    assert_eq!(watcher.app.model.rows.newest, before + 1, "a prompt");
}

#[test]
fn jumps_go_on_and_back() {
    let mut watcher = shouts();
    watcher.run("/time 7.5");
    assert_eq!(line(&watcher), "Foo shouts: number 7");
    watcher.run("/mark here");
    watcher.run("/time -5");
    assert_eq!(line(&watcher), "Foo shouts: number 2");
    assert_eq!(watcher.app.source.current_time(watcher.now).as_secs_f32().to_string(), "2.5");
    watcher.run("/time +0:04");
    assert_eq!(line(&watcher), "Foo shouts: number 6");
    watcher.run("/time end");
    assert_eq!(line(&watcher), "Foo shouts: number 9");
    let screen = watcher.screen((160, 50));
    assert_eq!(screen.matches("--- here ---").count(), 1, "the mark has come back:\n{screen}");
}

#[test]
fn the_next_match_is_found_in_the_list_and_behind_it() {
    let mut watcher = shouts();
    watcher.keys("n");
    assert_eq!(notice(&watcher), "nothing to search for yet: /find EXPR");
    watcher.wait(1.0);
    watcher.run("/find \"number [27]\"");
    assert_eq!(line(&watcher), "Foo shouts: number 2");
    watcher.keys("n");
    assert_eq!(line(&watcher), "Foo shouts: number 7");
    watcher.keys("N");
    assert_eq!(line(&watcher), "Foo shouts: number 2");
    watcher.keys("N");
    let wrapped = "no match before this line: the search went on at the end";
    assert_eq!((line(&watcher).as_str(), notice(&watcher)), ("Foo shouts: number 7", wrapped));
    let wrapped = "no match after this line: the search went on at the start";
    for _ in 0..2 {
        // First past the rows that were not played yet, then past the last one.
        watcher.keys("n");
        assert_eq!((line(&watcher).as_str(), notice(&watcher)), ("Foo shouts: number 2", wrapped));
        watcher.keys("n");
        assert_eq!((line(&watcher).as_str(), notice(&watcher)), ("Foo shouts: number 7", ""));
    }
    watcher.run("/find nowhere");
    assert_eq!((line(&watcher).as_str(), notice(&watcher)), ("Foo shouts: number 7", "no stored line matches"));
}

#[test]
fn a_search_without_a_match_returns_to_its_start() {
    let mut watcher = shouts();
    for paused in [false, true] {
        watcher.run("/time 3.5");
        if paused {
            watcher.press(KeyCode::Up);
        }
        let place = |watcher: &TestConsole| {
            let newest = watcher.app.model.rows.newest;
            (line(watcher), newest, watcher.app.list.is_paused, watcher.app.source.current_time(watcher.now))
        };
        let start = place(&watcher);
        watcher.run("/find nowhere");
        assert_eq!((notice(&watcher), place(&watcher)), ("no stored line matches", start));
    }
    watcher = shouts();
    watcher.keys(" ");
    watcher.run("/find nowhere");
    assert_eq!((notice(&watcher), watcher.app.model.rows.newest), ("no stored line matches", 0));
    // A breakpoint does not hold the search up on its way back.
    watcher.keys("sss");
    watcher.run("/break \"number 1\"");
    watcher.run("/find nowhere");
    assert_eq!((notice(&watcher), line(&watcher).as_str()), ("no stored line matches", "Foo shouts: number 2"));
}

#[test]
fn a_search_goes_on_at_the_start_of_a_recording_whose_first_rows_are_no_longer_stored() {
    let text = "Foo shouts: first\n\rfics% ".to_owned() + &"Foo shouts: x\n\rfics% ".repeat(15_000);
    let mut watcher = TestConsole::of_pieces(&[text.as_bytes(), b"Foo shouts: last\n\r"]).play_to_end();
    assert!(watcher.app.model.rows.oldest_number() > 1);
    watcher.run("/find first");
    let wrapped = "no match after this line: the search went on at the start";
    assert_eq!((line(&watcher).as_str(), notice(&watcher)), ("Foo shouts: first", wrapped));
    watcher.run("/time end");
    watcher.run("/find nowhere");
    assert_eq!((line(&watcher).as_str(), notice(&watcher)), ("Foo shouts: last", "no stored line matches"));
}

#[test]
fn a_break_stops_the_screen_where_it_matches() {
    let mut watcher = shouts();
    watcher.run("/break \"number 4\"");
    watcher.wait(100.0);
    assert_eq!(line(&watcher), "Foo shouts: number 4");
    assert!(
        !watcher.app.source.try_as_recording_ref().unwrap().is_playing() && notice(&watcher).starts_with("break at #")
    );
    watcher.keys(" ");
    watcher.wait(2.0);
    assert_eq!(line(&watcher), "Foo shouts: number 6");
    watcher.run("/break");
    assert_eq!(notice(&watcher), "no breakpoint");
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
    assert_eq!(
        (watcher.selected(), watcher.app.list.n_listed() < watcher.app.model.rows.iter().count()),
        (first + 2, true)
    );
}

#[test]
fn what_comes_while_an_older_line_is_looked_at_is_counted() {
    let mut watcher = shouts();
    watcher.wait(3.0);
    watcher.press(KeyCode::Up);
    watcher.wait(4.0);
    assert_eq!(line(&watcher), "Foo shouts: number 2");
    assert!(watcher.screen(SIZES[0]).contains("+5 below"), "{}", watcher.screen(SIZES[0]));
    watcher.press(KeyCode::End);
    assert_eq!(line(&watcher), "Foo shouts: number 7");
}

#[test]
fn moves_are_found_by_their_number() {
    let mut watcher = TestConsole::of("fatics-game-quick-observer");
    watcher.run("/move 3");
    assert!(line(&watcher).starts_with("game 1 3. "), "{}", line(&watcher));
    watcher.run("/move 36...");
    assert!(line(&watcher).contains("36... Re7"), "{}", line(&watcher));
    watcher.run("/move 36");
    assert!(line(&watcher).contains("36. Rf1"), "{}", line(&watcher));
    watcher.run("/move 99");
    assert_eq!(notice(&watcher), "not found up to the end of the recording");
}

#[test]
fn the_board_is_that_of_the_line_looked_at() {
    let mut watcher = TestConsole::of("fatics-game-quick-observer").play_to_end();
    watcher.run("/move 36");
    let screen = watcher.screen(SIZES[0]);
    assert!(screen.contains("36. Rf1  unrated") && screen.contains("as it was then"), "{screen}");
    watcher.press(KeyCode::End);
    assert!(watcher.screen(SIZES[0]).contains("38... Re1#  0-1"));
}

#[test]
fn nothing_is_sent_from_a_recording() {
    let mut watcher = shouts();
    watcher.run("tell foo hi");
    assert!(notice(&watcher).starts_with("nothing is sent"));
    watcher.run("/nonsense");
    assert_eq!(notice(&watcher), "unknown command /nonsense; /help lists the commands");
}

#[test]
fn what_is_typed_for_a_password_is_not_shown_nor_remembered() {
    let mut watcher = TestConsole::of_pieces(&[b"login: ", b"\n\rpassword: "]).play_to_end();
    watcher.press(KeyCode::Enter);
    watcher.keys("sesame");
    assert!(watcher.app.masks_input());
    let screen = watcher.screen(SIZES[0]);
    assert!(screen.contains("> ******") && !screen.contains("sesame"), "{screen}");
    watcher.press(KeyCode::Enter);
    watcher.press(KeyCode::Enter);
    watcher.press(KeyCode::Up);
    assert_eq!(watcher.app.input.text(), "");
    watcher.keys("/quit");
    assert!(!watcher.app.masks_input(), "a command of the console");
}

#[test]
fn passwords_of_a_recording_are_not_shown() {
    let mut watcher = TestConsole::of("fatics-block-client").play_to_end();
    assert!(!format!("{:?}", watcher.app.model.rows).contains("pwalekhine"), "not even kept");
    watcher.run("/filter kind:sent text:\"(password)\"");
    assert_eq!(watcher.app.list.n_listed(), 1);
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
    assert_eq!(line(&watcher), "reply 5 to command 37:");
    watcher.keys("r");
    assert_eq!(notice(&watcher), "this line was not sent");
}

#[test]
fn keys_edit_complete_and_leave() {
    let mut watcher = shouts();
    watcher.wait(2.0);
    watcher.keys("/filt");
    watcher.press(KeyCode::Tab);
    watcher.keys("from:f");
    watcher.press(KeyCode::Tab);
    assert_eq!(watcher.app.input.text(), "/filter from:Foo ");
    watcher.press(KeyCode::Enter);
    assert_eq!(watcher.app.list.filter.as_ref().unwrap().to_string(), "from:Foo");
    watcher.keys("/");
    watcher.press(KeyCode::Up);
    assert_eq!(watcher.app.input.text(), "/filter from:Foo ");
    watcher.press(KeyCode::Esc);
    watcher.keys("q");
    assert!(watcher.app.is_over);
}

#[test]
fn an_expression_with_an_error_returns_to_the_editor_with_the_cursor_there() {
    let mut watcher = TestConsole::of("uhlinfics-talk-1-Alice").play_to_end();
    for (line, before) in [
        ("/break kind:tell or kind:tel", "/break kind:tell or kind:"),
        ("/filter  kind:sya", "/filter  kind:"),
        ("/filter talk = lag>x", "/filter talk = lag>"),
        ("/color red move<x", "/color red move<"),
    ] {
        watcher.run(line);
        assert_eq!(watcher.app.input.split_at_cursor().0, before, "{line}");
        assert!(matches!(watcher.app.notice, Some(Notice::Error(_))), "{line}");
        watcher.app.input.take_text();
        watcher.press(KeyCode::Esc);
    }
    watcher.run("/filter move=1");
    assert!(watcher.app.list.filter.is_some() && watcher.app.filters.names().next().is_none(), "no name");
}

#[test]
fn rows_have_the_color_of_the_first_expression_that_they_match() {
    let mut watcher = TestConsole::of("uhlinfics-talk-1-Alice").play_to_end();
    watcher.run("/color blue kind:tell");
    watcher.run("/color red from:Carla");
    watcher.run("/filter kind:tell");
    let theme = Theme::new(true);
    let colors = |watcher: &mut TestConsole| -> Vec<_> {
        let buffer = watcher.buffer(SIZES[1], theme);
        // The selected row has its own colors.
        (1..5).map(|y| buffer[(60, y)].fg).collect()
    };
    watcher.press(KeyCode::End);
    let colored = colors(&mut watcher);
    assert!(colored.contains(&theme.row_color("red").fg.unwrap()), "{colored:?}");
    assert!(colored.contains(&theme.row_color("blue").fg.unwrap()), "{colored:?}");
    watcher.run("/color red");
    assert!(!colors(&mut watcher).contains(&theme.row_color("red").fg.unwrap()));
    watcher.run("/color pink kind:tell");
    assert!(watcher.screen(SIZES[1]).contains("/color needs red, yellow"));
}

#[test]
fn the_word_of_a_kind_alone_is_searched_and_the_kind_is_mentioned() {
    let session =
        record(0.0, "rx", b"fics% ") + &record(1.0, "tx", b"who\n") + &record(2.0, "rx", b"Foo shouts: sent\n\r");
    let mut watcher = TestConsole::of_transcript(&session).play_to_end();
    watcher.run("/filter sent");
    assert_eq!(notice(&watcher), "lines with the word sent; kind:sent lists those of this kind");
    assert_eq!((line(&watcher).as_str(), watcher.app.list.n_listed()), ("Foo shouts: sent", 1));
    watcher.run("/filter kind:sent");
    assert_eq!((notice(&watcher), watcher.app.list.n_listed()), ("", 1));
    watcher.run("/filter sent = kind:sent");
    watcher.run("/filter sent");
    assert_eq!(notice(&watcher), "", "the name of a filter");
}

#[test]
fn a_slash_typed_in_the_list_starts_a_command_and_cuts_an_unfinished_line() {
    let mut watcher = shouts();
    watcher.press(KeyCode::Enter);
    watcher.keys("tell Foo hi");
    watcher.press(KeyCode::Left);
    watcher.press(KeyCode::Esc);
    watcher.keys("/ti");
    assert_eq!(watcher.app.input.text(), "/ti");
    watcher.press(KeyCode::Esc);
    watcher.keys("/me 3");
    assert_eq!(watcher.app.input.text(), "/time 3", "an unfinished command is continued");
    watcher.press(KeyCode::Enter);
    watcher.press(KeyCode::Enter);
    watcher.press_control('y');
    assert_eq!(watcher.app.input.text(), "tell Foo hi");
}

#[test]
fn a_password_that_a_slash_replaces_cannot_be_pasted() {
    let mut watcher = TestConsole::of_pieces(&[b"login: \n\rpassword: "]).play_to_end();
    watcher.press(KeyCode::Enter);
    watcher.keys("swordfish");
    watcher.press(KeyCode::Esc);
    watcher.keys("/");
    watcher.press_control('y');
    assert_eq!(watcher.app.input.text(), "/");
}

#[test]
fn filters_have_names() {
    let mut watcher = shouts();
    watcher.run("/filter late = \"number [89]\"");
    watcher.wait(20.0);
    assert_eq!(watcher.app.list.n_listed(), 2);
    watcher.run("/filter");
    assert_eq!(watcher.app.list.n_listed(), 10);
    watcher.run("/filter late");
    assert_eq!(watcher.app.list.n_listed(), 2);
    watcher.run("/filter kind:nonsense");
    assert_eq!(notice(&watcher), "unknown kind \"nonsense\" (character 6)");
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
            watcher.app.scroll = usize::MAX;
            let last = watcher.screen(size);
            assert!(watcher.app.scroll < 100, "{}", watcher.app.scroll);
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
    assert_eq!(notice(&watcher), "3 lines: Enter runs each of them, Ctrl-C removes them");
    watcher.wait(2.0);
    assert!(watcher.app.notice.is_none());
}
