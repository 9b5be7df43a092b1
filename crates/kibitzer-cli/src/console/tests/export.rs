//! Copied text and exported files.

use std::fs;
use std::iter::once;
use std::path::{Path, PathBuf};

use kibitzer::transcript::{Direction, Record, TranscriptReader};
use kibitzer_core::{Event, EventReader};
use ratatui::crossterm::event::{KeyCode, MouseButton, MouseEventKind};

use super::screens::assert_all_screens;
use super::{Shown, TestConsole, assert_matches_file, record};
use crate::console::app::{MouseTarget, Switch, TerminalRequest};
use crate::console::model::RowContent;

/// A folder of the test's own, removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("kibitzer-export-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Exports with this form and these rows, and returns the file.
    fn export(&self, watcher: &mut TestConsole, form_and_rows: &str) -> String {
        let path = self.0.join(form_and_rows.replace(' ', "-"));
        watcher.run(&format!("/export {form_and_rows} {}", path.display()));
        let content = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(watcher.notice(), format!("{} written: {} bytes", path.display(), content.len()));
        content
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn records(text: &str) -> Vec<Record> {
    TranscriptReader::new(text.as_bytes()).map(Result::unwrap).collect()
}

/// The events of a recording, without a login before it.
pub(super) fn decoded(text: &str) -> Vec<Event> {
    let (mut reader, mut events) = (EventReader::default(), Vec::new());
    for record in records(text).into_iter().filter(|record| record.direction == Direction::Received) {
        let mut bytes = &record.bytes[..];
        events.extend(std::iter::from_fn(|| reader.next(&mut bytes)));
    }
    events.extend(std::iter::from_fn(|| reader.finish()));
    events
}

/// Copies with this second key, and returns the text.
fn copied(watcher: &mut TestConsole, key: char) -> Option<String> {
    watcher.keys("y");
    watcher.press(KeyCode::Char(key));
    match watcher.app.screen.terminal_requests.pop() {
        Some(TerminalRequest::Copy(text)) => Some(text),
        _ => None,
    }
}

#[test]
fn a_line_its_frame_its_bytes_its_position_and_its_json_are_copied() {
    let mut watcher = TestConsole::of("fatics-crazyhouse-black").play_to_end();
    watcher.run("/move 7");
    let row = watcher.row().clone();
    let frame = copied(&mut watcher, 'f').unwrap();
    assert!(frame.starts_with("<12> ") && frame.as_bytes() == row.event().unwrap().raw(), "{frame}");
    assert_eq!(watcher.notice(), format!("frame copied: {} bytes, if the terminal permits it", frame.len()));
    assert_eq!(copied(&mut watcher, 'y').unwrap(), row.summary_line());
    assert!(copied(&mut watcher, 'h').unwrap().starts_with("3c 31 32 3e 20 "));
    let fen = copied(&mut watcher, 'p').unwrap();
    assert!(fen.contains('[') && fen.split(' ').count() == 6, "reserves included: {fen}");
    let json = copied(&mut watcher, 'j').unwrap();
    assert!(json.starts_with(r#"{"event":"position","offset":"#) && json.contains(r#","t":"#), "{json}");
    assert_eq!(copied(&mut watcher, 'x'), None);
    assert_eq!(watcher.notice(), "nothing copied; copy: y line  f frame  h hex  p position (FEN)  j JSON");
    watcher.keys("y");
    watcher.press(KeyCode::Esc);
    watcher.keys("jj");
    assert_eq!(watcher.requests(), [], "Esc ends it");
}

#[test]
fn requests_of_one_input_batch_are_all_carried_out() {
    let mut watcher = TestConsole::of("fatics-crazyhouse-black").play_to_end();
    watcher.keys("yy");
    watcher.press_control('l');
    watcher.run("/mouse off");
    watcher.press_control('l');
    watcher.run("/mouse on");
    let copied = watcher.app.screen.terminal_requests.remove(0);
    assert!(matches!(copied, TerminalRequest::Copy(_)), "{copied:?}");
    assert_eq!(watcher.requests(), [TerminalRequest::Redraw, TerminalRequest::CaptureMouse(Switch::On)]);
}

#[test]
fn a_paste_or_a_click_ends_the_wait_for_the_second_key() {
    let mut watcher = TestConsole::of("fatics-crazyhouse-black").play_to_end();
    watcher.keys("y");
    watcher.app.on_paste("tell Foo ");
    assert!(watcher.notice().is_empty());
    watcher.keys("y");
    assert_eq!((watcher.typed(), watcher.requests().len()), ("tell Foo y", 0));
    watcher.press(KeyCode::Esc);
    watcher.keys("y");
    watcher.app.on_mouse(MouseTarget::List(Some(7)), MouseEventKind::Down(MouseButton::Left));
    watcher.keys("f");
    assert!(!watcher.app.game_choice.turned.is_empty() && watcher.requests().is_empty());
}

#[test]
fn secrets_and_long_text_are_not_copied() {
    let long = "x".repeat(30_000);
    let session = record(0.0, "rx", b"password: ")
        + &record(1.0, "tx", b"swordfish\n")
        + &record(2.0, "rx", format!("fics% \n\rFoo shouts: {long}\n\rfics% ").as_bytes());
    let mut watcher = TestConsole::of_transcript(&session).play_to_end();
    watcher.run("/find kind:shout");
    watcher.press(KeyCode::End);
    assert_eq!(copied(&mut watcher, 'h'), None);
    assert_eq!(watcher.notice(), "90038 bytes are too many for the clipboard; /export writes a file");
    watcher.run("/filter kind:sent");
    let line = copied(&mut watcher, 'y').unwrap();
    assert!(line.starts_with("> (password)"), "{line}");
    assert_eq!(copied(&mut watcher, 'h'), None);
    assert!(!copied(&mut watcher, 'j').unwrap().contains("swordfish"));
    watcher.run("/filter");
    let folder = Folder::new("secret");
    for form in ["recording", "json", "text"] {
        let file = folder.export(&mut watcher, form);
        assert!(!file.contains("swordfish") && !file.contains("66697368"), "{file:.300}");
    }
    let recording = folder.0.join("recording");
    let recorded = records(&fs::read_to_string(recording).unwrap());
    assert!(recorded.iter().any(|record| record.redacted), "the line is marked");
}

#[test]
fn an_exported_recording_decodes_to_the_same_events() {
    for name in ["fatics-game-quick-white", "uhlinfics-game-mate-1-Alice", "fatics-ms-compress-observer"] {
        let mut watcher = TestConsole::of(name).play_to_end();
        let folder = Folder::new(name);
        let exported = folder.export(&mut watcher, "recording");
        let rows = watcher.rows();
        let events: Vec<_> =
            rows.filter_map(|row| row.event()).map(|event| (event.kind(), event.raw().to_vec())).collect();
        let again: Vec<_> = decoded(&exported).iter().map(|event| (event.kind(), event.raw().to_vec())).collect();
        let different = again.iter().zip(&events).position(|(again, event)| again != event);
        assert_eq!((different, again.len()), (None, events.len()), "{name}");
        let sent = watcher.rows().filter(|row| matches!(row.content, RowContent::Sent(_))).count();
        let n_sent = records(&exported).iter().filter(|record| record.direction == Direction::Sent).count();
        assert_eq!(n_sent, sent, "{name}");
    }
}

#[test]
fn a_part_of_a_game_decodes_with_the_state_before_it() {
    for name in ["fatics-game-quick-observer", "fatics-ms-compress-observer", "fatics-crazyhouse-black"] {
        let mut watcher = TestConsole::of(name).play_to_end();
        let folder = Folder::new(&format!("part-{name}"));
        watcher.run("/filter kind:position move>2");
        let exported = folder.export(&mut watcher, "recording");
        assert!(exported.contains(r#""snapshot":true"#), "{exported:.500}");
        let events = decoded(&exported);
        let troubles = events.iter().filter(|event| ["desync", "missed"].contains(&event.kind().as_str())).count();
        assert_eq!(troubles, 0, "{name}");
        let boards = |events: Vec<&Event>| -> Vec<String> {
            let boards = events.into_iter().filter_map(|event| Some(event.board()?.fen().to_string()));
            boards.collect()
        };
        let rows = watcher.rows().filter(|row| watcher.app.list.includes(row));
        let expected = boards(rows.filter_map(|row| row.event()).collect());
        let again = boards(events.iter().collect());
        assert!(expected.len() > 2 && again.ends_with(&expected), "{name}: {expected:#?} {again:#?}");
        let again = TestConsole::of_transcript(&exported).play_to_end();
        let moves = again.rows().filter_map(|row| row.event()?.change()?.played.map(|_| ())).count();
        assert!(moves > 1, "{name}: the moves between the boards are known");
    }
}

#[test]
fn a_game_is_exported_alone() {
    let mut watcher = TestConsole::of("fatics-multi-observer").play_to_end();
    let folder = Folder::new("game");
    let games: Vec<_> = watcher.app.model.games.keys().copied().collect();
    assert!(games.len() > 1);
    watcher.run(&format!("/game {}", games[1]));
    let recording = folder.export(&mut watcher, "recording game");
    assert!(
        decoded(&recording)
            .iter()
            .all(|event| event.affected_game().or_else(|| event.message()?.game()) == Some(games[1]))
    );
    let pgn = folder.export(&mut watcher, "pgn game");
    assert_eq!(pgn.matches("[Event ").count(), 1, "{pgn}");
    assert!(folder.export(&mut watcher, "pgn").matches("[Event ").count() > 1);
    let text = folder.export(&mut watcher, "text game");
    let n_rows = watcher.rows().filter(|row| row.game() == Some(games[1])).count();
    assert_eq!(text.lines().count(), n_rows);
}

#[test]
fn exported_json_is_that_of_decode() {
    let session = record(1.5, "rx", b"Foo shouts: a\n\rfics% ")
        .replace('}', ", \"utc\": \"2025-03-01T00:00:01.500Z\"}")
        + &record(60.0, "tx", b"who \xc3\xbc\n");
    let mut watcher = TestConsole::of_transcript(&session).play_to_end();
    let json = Folder::new("json").export(&mut watcher, "json");
    let want = r#"{"event":"shout","offset":0,"t":1.500000,"utc":"2025-03-01T00:00:01.500Z","from":"Foo","titles":[],"text":"a"}
{"event":"gap","offset":null,"t":60.000000,"utc":"2025-03-01T00:01:00.000Z","text":"--- silence of 58.5s ---"}
{"event":"sent","offset":null,"t":60.000000,"utc":"2025-03-01T00:01:00.000Z","request":1,"line":"who ü"}
"#;
    assert_eq!(json, want);
    let text = Folder::new("text").export(&mut watcher, "text");
    assert_eq!(text.lines().next(), Some("         1.500 shout           Foo shouts: a"));
}

#[test]
fn an_exported_test_is_the_one_that_the_tests_run() {
    let mut watcher = TestConsole::of("fatics-game-mate-white").play_to_end();
    let test = Folder::new("test").export(&mut watcher, "test");
    assert_matches_file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/tests/exported_bot.rs"), &test);
}

#[test]
fn names_of_players_do_not_change_an_exported_test() {
    let board = |squares: &str, rest: &str| {
        format!("<12> rnbqkbnr pppppppp -------- -------- {squares} RNBQKBNR {rest}\n\r")
            .replace("NAMES", "{moves} {board}")
    };
    let boards = [
        board("-------- -------- PPPPPPPP", "W -1 1 1 1 1 0 7 NAMES 0 5 0 39 39 300 300 1 none (0:00) none 0"),
        board("----P--- -------- PPPP-PPP", "B 4 1 1 1 1 0 7 NAMES 0 5 0 39 39 299 300 1 P/e2-e4 (0:01) e4 0"),
    ];
    let terms = b"<g1> 7 p=0 t=blitz r=0 u=1,1 it=300,0 i=300,0 pt=0 rt=0,0 ts=0,0\n\r";
    let mut watcher = TestConsole::of_pieces(&[terms, boards[0].as_bytes(), boards[1].as_bytes()]).play_to_end();
    let test = Folder::new("names").export(&mut watcher, "test");
    assert!(test.starts_with("//! A bot plays game 7, {moves} against {board}, again"), "{test:.200}");
    assert!(test.contains("const MOVES: &str = \"e2e4\";"), "{test:.1500}");
}

/// A session with boards of game 7: the squares that differ from the start, then side to move, move number and last move; lines
/// without the latter are sent as they are.
fn boards(boards: &[(&str, &str)]) -> TestConsole {
    let terms = "<g1> 7 p=0 t=blitz r=0 u=1,1 it=300,0 i=300,0 pt=0 rt=0,0 ts=0,0\n\r".to_owned();
    let lines = boards.iter().map(|(squares, rest)| {
        let [before, after] = ["rnbqkbnr pppppppp -------- --------", "RNBQKBNR"];
        let Some((side, rest)) = rest.split_at_checked(1) else { return format!("{squares}\n\r") };
        format!("<12> {before} {squares} {after} {side} -1 1 1 1 1 0 7 A B 0 5 0 39 39 300 300 {rest} 0\n\r")
    });
    let pieces: Vec<_> = once(terms).chain(lines).collect();
    TestConsole::of_pieces(&pieces.iter().map(String::as_bytes).collect::<Vec<_>>()).play_to_end()
}

const START: (&str, &str) = ("-------- -------- PPPPPPPP", "W1 none (0:00) none");
const E4: (&str, &str) = ("----P--- -------- PPPP-PPP", "B1 P/e2-e4 (0:01) e4");
const D4: (&str, &str) = ("---P---- -------- PPP-PPPP", "B1 P/d2-d4 (0:01) d4");
const RESIGNED: (&str, &str) = ("{Game 7 (A vs. B) A resigns} 0-1", "");
const A3: (&str, &str) = ("----P--- P------- -PPP-PPP", "B2 P/a2-a3 (0:01) a3");

#[test]
fn of_several_games_with_a_number_the_test_plays_that_of_the_selected_row() {
    let mut watcher = boards(&[START, E4, RESIGNED, START, D4]);
    let folder = Folder::new("again");
    assert!(folder.export(&mut watcher, "test").contains("const MOVES: &str = \"d2d4\";"));
    watcher.run("/move 1");
    assert!(folder.export(&mut watcher, "test game").contains("const MOVES: &str = \"e2e4\";"));
}

#[test]
fn a_game_that_no_test_can_play_is_refused_with_the_reason() {
    let file = Folder::new("reason").0.join("new");
    let refusal = |shown: &[(&str, &str)]| {
        let mut watcher = boards(shown);
        watcher.run(&format!("/export test {}", file.display()));
        watcher.notice().to_owned()
    };
    assert_eq!(refusal(&[START]), "game 7 has no known moves");
    let lost = |first| {
        format!("game 7 is stored only from move {first}: earlier moves are missing, or a takeback dropped them")
    };
    assert_eq!(refusal(&[E4]), lost(1));
    let taken_back_to_another_board = [START, E4, A3, D4];
    assert_eq!(refusal(&taken_back_to_another_board), lost(1));
    assert!(!file.exists());
}

#[test]
fn what_cannot_be_exported_is_refused() {
    let mut watcher = TestConsole::of("fatics-crazyhouse-black").play_to_end();
    let folder = Folder::new("refused");
    let file = folder.0.join("kept");
    fs::write(&file, "mine").unwrap();
    let mut refused = |command: &str, path: &Path| {
        watcher.run(&format!("/export {command} {}", path.display()));
        watcher.notice().to_owned()
    };
    let missing = folder.0.join("missing/file");
    assert!(refused("text", &missing).starts_with(&format!("cannot write {}: ", missing.display())));
    assert!(refused("text", &file).starts_with(&format!("cannot write {}: ", file.display())));
    let new = folder.0.join("new");
    assert!(refused("marks", &new).starts_with("/export needs recording, json"));
    assert!(refused("test", &new).ends_with(" is crazyhouse: a test plays only chess"));
    watcher.run("/filter kind:prompt nothing");
    watcher.run(&format!("/export pgn {}", new.display()));
    assert_eq!(watcher.notice(), "there are no lines to write");
    assert_eq!(fs::read_to_string(file).unwrap(), "mine");
    assert!(!new.exists());
    watcher.run("/filter kind:sent");
    watcher.run(&format!("/export pgn {}", new.display()));
    assert_eq!(watcher.notice(), "these lines contain no game");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        folder.export(&mut watcher, "text");
        let mode = fs::metadata(folder.0.join("text")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn the_second_key_is_asked_for_on_every_screen() {
    let mut watcher = TestConsole::of("fatics-game-quick-observer");
    watcher.wait(5.0);
    watcher.keys("y");
    assert_all_screens("copy", &mut watcher);
}
