//! `kibitzer diff` from outside: differences, what is not compared, exit status.

use std::fs;
use std::io::Read as _;

use crate::common::{Outcome, file, kibitzer, run, transcript};

const SAID: &str = "fics% \n\rFoo tells you: one\n\rfics% Bar shouts: two\n\rBar shouts: three\n\rBar shouts: four\n\r\
    Bar shouts: five\n\rFoo tells you: six\n\rBar shouts: seven\n\r";

/// A raw log in a file.
fn log(name: &str, said: &str) -> String {
    file(&format!("diff-{name}.raw"), said)
}

fn diff(arguments: &[&str]) -> Outcome {
    run(&[&["diff"], arguments].concat(), b"")
}

#[test]
fn changed_added_and_removed_events_are_printed_with_context() {
    let old = log("old", SAID);
    let new = SAID.replace("tells you: six", "tells you: 6").replace("shouts: seven", "c-shouts: seven");
    let new = log("new", &new.replace("Bar shouts: two\n\r", ""));
    let Outcome { stdout, stderr, status } = diff(&[&old, &new]);
    assert_eq!((status, stderr.as_str()), (1, ""));
    let want = format!(
        "--- {old}\n+++ {new}\n\
         @@ -1,7 at byte 8 +1,6 at byte 8 @@\n \
         tell         Foo tells you: one\n\
         -shout        Bar shouts: two\n \
         shout        Bar shouts: three\n \
         shout        Bar shouts: four\n \
         shout        Bar shouts: five\n\
         -tell         Foo tells you: six\n\
         +tell         Foo tells you: 6\n\
         ?             text: six -> 6\n\
         -shout        Bar shouts: seven\n\
         +c_shout      Bar c-shouts: seven\n"
    );
    assert_eq!(stdout, want);
}

#[test]
fn a_recording_equals_itself_and_one_that_differs_in_what_is_not_compared() {
    let old = log("same", SAID);
    assert_eq!(diff(&[&old, &old]), Outcome { stdout: String::new(), stderr: String::new(), status: 0 });
    let prompts = log("prompts", &SAID.replace("fics% ", "fics% \n\rfics% \n\rfics% "));
    assert_eq!((diff(&[&old, &prompts]).status, diff(&["--kinds", "prompt", &old, &prompts]).status), (0, 1));
    let recorded = transcript(SAID.as_bytes(), 30);
    let later = String::from_utf8(recorded.clone()).unwrap().replace("\"t\": 1.5", "\"t\": 9.25");
    let (recorded, later) = (file("diff-recorded.jsonl", &recorded), file("diff-later.jsonl", later));
    assert_eq!(diff(&[&recorded, &later]).status, 0, "times");
}

/// The same commands, in one recording with other numbers, and with other checks by the session.
#[test]
fn numbers_of_requests_and_checks_of_the_session_are_not_compared() {
    let line = |direction: &str, text: &str, stated: &str| {
        let hex = text.bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
        format!("{{\"t\": 1, \"dir\": \"{direction}\", \"hex\": \"{hex}\"{stated}}}\n")
    };
    let request_by = |origin: &str, number: u32, command: &str, reply: &str| {
        let reply = format!("\x15{number}\x1633\x16{reply}\n\r\x17\n\rfics% ");
        let stated = format!(", \"request\": {number}, \"requested_by\": \"{origin}\"");
        line("tx", &format!("{number} {command}\n"), &stated) + &line("rx", &reply, "")
    };
    let request = |number, command, reply| request_by("user", number, command, reply);
    let old = file("diff-few.jsonl", request(1, "date", "Noon"));
    let check = request_by("probe", 1, "zqabcdefgh", "zqabcdefgh: Command not found.");
    let new = file("diff-more.jsonl", check + &request(2, "date", "Noon"));
    assert_eq!(diff(&[&old, &new]), Outcome { stdout: String::new(), stderr: String::new(), status: 0 });
    let other = file("diff-other.jsonl", request(1, "time", "Noon"));
    assert!(diff(&[&old, &other]).stdout.contains("line: date -> time"));
}

#[test]
fn kinds_and_fields_can_be_chosen() {
    let path = |name: &str| format!("{}/../../tests/transcripts/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let [one, other] = ["white", "observer"].map(|part| path(&format!("fatics-game-mate-{part}")));
    assert_eq!(diff(&["--kinds", "game_ended", &one, &other]).stdout.matches("\n-").count(), 1);
    let clocks = "white_clock_ms,black_clock_ms,relation,lag_ms,last_move.elapsed_ms,clock_running,flip,own";
    let moves = diff(&["--kinds", "position", "--ignore", clocks, &one, &other]);
    let all = diff(&["--kinds", "position", &one, &other]);
    assert!(moves.stdout.len() * 4 < all.stdout.len(), "{}", moves.stdout);
    let wrong = diff(&["--kinds", "positon", &one, &other]);
    assert!(wrong.status == 2 && wrong.stderr.contains("a similar value exists: 'position'"), "{}", wrong.stderr);
}

#[test]
fn what_is_no_recording_is_reported_with_status_2() {
    let good = log("good", SAID);
    let garbage = (0..20_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect::<Vec<_>>();
    let cases = [
        (log("empty", ""), "it is empty"),
        (file("diff-garbage.raw", garbage), "it has no line of a chess server"),
        (file("diff-json.jsonl", "{\"x\": 1}\n"), "transcript line 1 is not an object with t, dir and hex"),
        ("/no/such/file".to_owned(), "cannot open /no/such/file: "),
        (env!("CARGO_TARGET_TMPDIR").to_owned(), "only files can be read twice"),
    ];
    for (bad, message) in cases {
        for arguments in [[&good, &bad], [&bad, &good], [&bad, &bad]] {
            let Outcome { stdout, stderr, status } = diff(&arguments.map(String::as_str));
            assert_eq!((status, stdout.as_str(), stderr.lines().count()), (2, "", 1), "{bad}: {stderr}");
            assert!(stderr.starts_with("kibitzer: cannot ") && stderr.contains(message), "{stderr}");
        }
    }
    assert_eq!(diff(&[&good]).status, 2);
}

#[test]
fn a_torn_recording_is_compared_up_to_the_cut() {
    let recorded = transcript(SAID.as_bytes(), 30);
    let torn = [&recorded[..], b"{\"t\": 2"].concat();
    let (whole, torn) = (file("diff-whole.jsonl", &recorded), file("diff-torn.jsonl", torn));
    let Outcome { stdout, stderr, status } = diff(&[&whole, &torn]);
    assert!((status, stdout.as_str()) == (0, "") && stderr.contains("the recording ends inside line"), "{stderr}");
    assert_eq!(diff(&["--strict", &whole, &torn]).status, 2);
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    let old = log("long-old", &"Foo shouts: one\n\r".repeat(50_000));
    let new = log("long-new", &"Foo shouts: two\n\r".repeat(50_000));
    let mut child = kibitzer(&["diff", &old, &new]).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 10]).unwrap();
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(1), Vec::new()));
    for path in [old, new] {
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn of_long_values_the_part_that_differs_is_printed() {
    let tell = |word: &str| format!("Foo tells you: {}{word}\n\rfics% ", "x".repeat(95));
    let (old, new) = (log("long-one", &tell("first")), log("long-other", &tell("other")));
    let stdout = diff(&[&old, &new]).stdout;
    let same = "x".repeat(10);
    assert!(stdout.contains(&format!(" text: ...{same}first -> ...{same}other\n")), "{stdout}");
}

#[test]
fn ignored_names_stand_for_their_members_and_unknown_ones_are_reported() {
    let board = |elapsed: &str| {
        format!(
            "<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 7 Newton Einstein 0 2 \
            12 39 39 120 120 1 P/e2-e4 ({elapsed}) e4 0 1 0\n\rfics% "
        )
    };
    let (old, new) = (log("elapsed-one", &board("0:06")), log("elapsed-other", &board("0:07")));
    assert_eq!(diff(&[&old, &new]).status, 1);
    let same = diff(&["--ignore", "last_move,last_move.elapsed_ms", &old, &new]);
    assert_eq!(same, Outcome { stdout: String::new(), stderr: String::new(), status: 0 });
    let wrong = diff(&["--ignore", "last_mov", &old, &new]);
    let report = "kibitzer: --ignore last_mov: no compared event has this field\n";
    assert_eq!((wrong.status, wrong.stderr.as_str()), (1, report));
}
