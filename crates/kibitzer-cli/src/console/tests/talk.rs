//! The pane with talk, its tabs and answers; filters that have a key.

use ratatui::crossterm::event::KeyCode;

use super::live::Guest;
use super::screens::{assert_all_screens, assert_live_screens};
use super::{Shown, TestConsole, record};
use crate::console::app::TalkTab;

const SAID: &[u8] =
    b"Newton tells you: a long tell that is wrapped where the pane ends, as it has more words than fit there\n\r\
    Euler(50): in a channel\n\rGauss(TD)(1): in another\n\rFlohr(1882)[7] kibitzes: a move\n\rTal shouts: to all\n\r\
    fics% Euler tells you: later\n\r";

fn talkers() -> TestConsole {
    TestConsole::of_pieces(&[SAID]).play_to_end()
}

fn tabs(console: &TestConsole) -> Vec<(TalkTab, u64)> {
    console.app().talk.tabs().collect()
}

#[test]
fn talk_is_in_tabs_until_it_is_read() {
    use TalkTab::{All, Channel, Kibitzes, Shouts, Tells};
    let mut console = talkers();
    let unread = |n| [(All, n + 4), (Tells, n), (Channel(1), 1), (Channel(50), 1), (Kibitzes, 1), (Shouts, 1)];
    assert_eq!(tabs(&console), unread(2));
    console.screen((80, 24));
    assert_eq!(tabs(&console), unread(2), "the pane is closed");
    console.keys("c");
    console.press(KeyCode::Tab);
    let screen = console.screen((80, 24));
    assert!(screen.contains("all(4) tells 1(1) 50(1)"), "{screen}");
    assert!(screen.contains("Newton tells you") && screen.contains("Euler tells you"), "{screen}");
    assert!(!screen.contains("in a channel") && screen.contains("fit there"), "{screen}");
    assert_eq!(tabs(&console), unread(0));
    console.press(KeyCode::BackTab);
    console.screen((80, 24));
    assert!(tabs(&console).iter().all(|(_, unread)| *unread == 0));
}

#[test]
fn talk_is_wrapped_at_any_width_and_scrolled() {
    let mut console = talkers();
    console.keys("c");
    assert_all_screens("talk", &mut console);
    console.press(KeyCode::Home);
    assert!(console.screen((40, 10)).contains("Newton tells you"));
    console.press(KeyCode::End);
    assert!(console.screen((40, 10)).contains("Euler tells you: later"));
}

#[test]
fn new_lines_do_not_move_a_pane_that_is_scrolled_up() {
    let pieces: Vec<_> = (0..60).map(|n| format!("Foo shouts: number {n} of those that are wrapped\n\r")).collect();
    let mut console = TestConsole::of_pieces(&pieces.iter().map(String::as_bytes).collect::<Vec<_>>());
    console.keys("c");
    let shown = |console: &mut TestConsole, second: f64| -> Vec<String> {
        console.wait(second);
        let screen = console.screen((40, 10));
        screen.lines().filter(|line| line.contains("number")).map(str::to_owned).collect()
    };
    let newest = shown(&mut console, 30.5);
    (0..4).for_each(|_| console.press(KeyCode::Up));
    let scrolled = shown(&mut console, 0.0);
    assert_ne!(scrolled, newest);
    assert_eq!(shown(&mut console, 1.0), scrolled);
    assert_eq!(shown(&mut console, 20.0), scrolled);
    console.press(KeyCode::End);
    let newest = shown(&mut console, 0.0);
    assert!(newest.last().unwrap().contains("number 50"), "{newest:?}");
    let newest = shown(&mut console, 1.0);
    assert!(newest.last().unwrap().contains("number 51"), "the newest line again: {newest:?}");
}

#[test]
fn what_the_user_tells_in_capitals_is_talk() {
    let sent = ["Tell Newton hi", "TELL 50 hi", "Say hi", "xtell Newton hi", "Date"];
    let sent = (0_u32..).zip(sent).map(|(n, line)| record(n.into(), "tx", format!("{line}\n").as_bytes()));
    let mut console = TestConsole::of_transcript(&sent.collect::<Vec<_>>().concat()).play_to_end();
    let rows = &console.app().model.rows;
    assert_eq!(console.app().talk.rows_back(TalkTab::Tells, rows).count(), 3);
    console.keys("C");
    assert_eq!(console.n_listed(), 4);
}

#[test]
fn tabs_and_lines_are_limited() {
    let said = (0..999).map(|n| format!("Foo({n}): x\n\r")).collect::<Vec<_>>().concat();
    let mut console = TestConsole::of_pieces(&[said.repeat(3).as_bytes()]).play_to_end();
    assert_eq!(tabs(&console).len(), 33);
    assert_eq!(tabs(&console)[0], (TalkTab::All, 2_997));
    let rows = &console.app().model.rows;
    assert_eq!(console.app().talk.rows_back(TalkTab::All, rows).count(), 2_000);
    console.keys("c");
    (0..31).for_each(|_| console.press(KeyCode::Tab));
    assert!(console.screen((40, 10)).contains("shouts"));
}

#[test]
fn hostile_talk_stays_on_its_lines() {
    let said = "Foo tells you: \u{1b}]0;x\u{7}\u{202e}evil \u{9c}\n\rFoo(1): ok\n\r";
    let mut console = TestConsole::of_pieces(&[said.as_bytes()]).play_to_end();
    console.keys("c");
    let screen = console.screen((80, 24));
    assert!(screen.contains(r"\u{1b}]0;x\u{202e}evil") && screen.contains(r"\u{9c}"), "{screen}");
}

#[tokio::test(start_paused = true)]
async fn one_key_answers_a_tell_or_the_tab() {
    let mut guest = Guest::among_players().await;
    guest.wait(std::time::Duration::from_secs(20)).await;
    let screen = guest.screen();
    assert!(screen.contains("F7 talk: 2 unread  F9 answer"), "{screen}");
    guest.keys("half a line");
    guest.press(KeyCode::F(9));
    assert_eq!(guest.typed(), "tell Whetstone ");
    guest.press_control('u');
    assert!(guest.screen().contains("F7 talk: 2 unread"), "an answer is not a look at the talk");
    guest.press(KeyCode::F(7));
    assert!(!guest.screen().contains("unread"));
    assert_live_screens("live-talk", &mut guest);
    // After the tells and the kibitzes, of which there are none.
    (0..2).for_each(|_| guest.press(KeyCode::Tab));
    guest.press(KeyCode::F(9));
    assert_eq!((guest.typed(), guest.notice()), ("", "there is no talk to answer here"));
    guest.press(KeyCode::Tab);
    guest.press(KeyCode::F(9));
    assert_eq!(guest.typed(), "shout ");
    guest.press_control('u');
    guest.press(KeyCode::F(8));
    assert!(guest.screen().contains(" stream "));
    guest.leave().await;
}

#[test]
fn filters_have_keys_and_one_key_resets() {
    let mut console = talkers();
    console.keys("C");
    assert_eq!(console.n_listed(), 6);
    assert!(console.screen((160, 50)).contains("6 of 7 match chat"));
    console.keys("C");
    assert_eq!(console.n_listed(), 6, "all but the prompt");
    for (key, name) in [("M", "mine"), ("S", "sent"), ("W", "wrong")] {
        console.keys(key);
        let screen = console.screen((80, 24));
        assert!(screen.contains(&format!("0 of 7 match {name}")), "{screen}");
    }
    console.run("/filter chat");
    assert_eq!(console.n_listed(), 6);
    console.press(KeyCode::Up);
    console.keys("azx");
    assert!(!console.is_paused() && console.app().list.filter.is_none() && console.app().screen.alone.is_none());
    assert_eq!(console.n_listed(), 6);
    console.keys("G~");
    assert!(console.notice().contains("Enter types a line"), "{}", console.notice());
}

#[test]
fn a_recording_has_nobody_to_answer() {
    let mut console = talkers();
    console.keys("w");
    assert!(console.notice().contains("this is a recording"), "{}", console.notice());
}
