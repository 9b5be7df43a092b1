//! The settings file in a session, and notifications.

use std::path::Path;
use std::time::Duration;

use ratatui::crossterm::event::KeyCode;

use super::live::Guest;
use super::{Shown, TestConsole};
use crate::console::app::{ConsoleSettings, TerminalRequest};
use crate::console::model::ConsoleRow;

fn settings(text: &str) -> ConsoleSettings {
    ConsoleSettings::default().with_file(Path::new("console.toml"), text).unwrap()
}

/// The texts of the notifications that were requested, which are removed.
fn take_notifications(guest: &mut Guest) -> Vec<String> {
    let requests = std::mem::take(&mut guest.app.screen.terminal_requests).into_iter();
    requests.filter_map(|request| if let TerminalRequest::Notify(text) = request { Some(text) } else { None }).collect()
}

#[tokio::test(start_paused = true)]
async fn commands_of_the_settings_run_once_the_session_is_ready() {
    let mut guest = Guest::log_in().await;
    guest.app.apply_settings(settings(
        "theme = 'light'\npane = 'talk'\nmouse = false\nnotify = 'kind:tell'\n\
         commands = ['/filter kind:sent', 'date', '/nosuch', 'uptime']",
    ));
    // The lines are sent when the session is found to be ready, and listed later.
    guest.wait(Duration::from_secs(1)).await;
    guest.wait(Duration::from_secs(1)).await;
    assert!(guest.screen().contains("─ all tells kibitzes shouts ─"));
    assert!(guest.requests().iter().any(|request| matches!(request, TerminalRequest::CaptureMouse(_))));
    let sent: Vec<_> = guest.rows().filter(|row| row.kind_name() == "sent").map(ConsoleRow::summary_line).collect();
    assert!(sent.iter().any(|line| line.contains(" date")), "{sent:?}");
    assert!(!sent.iter().any(|line| line.contains("uptime")), "{sent:?}");
    let notice = "`/nosuch` of the settings: unknown command /nosuch; /help lists the commands";
    assert_eq!((guest.notice(), guest.typed()), (notice, ""));
    assert_eq!(guest.app.list.filter.as_ref().unwrap().to_string(), "kind:sent");
    guest.leave().await;
}

#[test]
fn settings_apply_to_a_recording_which_sends_nothing() {
    let mut console = TestConsole::of_pieces(&[b"Newton tells you: hi\n\r"]);
    console.app.apply_settings(settings("times = 'previous'\nview = 'bytes'\ncommands = ['date', '/filter chat']"));
    let mut console = console.play_to_end();
    assert_eq!((console.notice(), console.n_listed()), ("", 1));
    assert!(console.screen((80, 24)).contains("+0:00.000 tell"));
    console.run("/save");
    assert_eq!(console.notice(), "settings not saved: entity not found");
    console.run("/notify kind:tell");
    assert_eq!(console.notice(), "only a session notifies; this is a recording");
}

#[tokio::test(start_paused = true)]
async fn lines_that_match_the_rule_notify_at_a_limited_rate() {
    let mut guest = Guest::among_players().await;
    assert_eq!(take_notifications(&mut guest), [""; 0]);
    guest.run("/notify kind:delivered").await;
    assert_eq!(guest.notice(), "notifies: kind:delivered");
    guest.run("tell Whetstone one").await;
    assert_eq!(take_notifications(&mut guest), ["(told Whetstone)"]);
    guest.run("tell Whetstone two").await;
    guest.run("tell Whetstone three").await;
    assert_eq!(take_notifications(&mut guest), [""; 0], "too early");
    guest.wait(Duration::from_secs(5)).await;
    assert_eq!(take_notifications(&mut guest), ["(told Whetstone) (+1)"]);
    guest.press(KeyCode::Char('x'));
    assert_eq!(guest.requests(), [TerminalRequest::RestoreTitle]);
    guest.press_control('u');
    guest.run("/notify kind:nosuch").await;
    assert!(guest.notice().starts_with("unknown kind"), "{}", guest.notice());
    guest.press_control('c');
    guest.run("/notify").await;
    guest.run("tell Whetstone four").await;
    guest.wait(Duration::from_secs(9)).await;
    assert_eq!(take_notifications(&mut guest), [""; 0]);
    guest.leave().await;
}
