//! The programs in `crates/kibitzer/examples/` play a game against a simulated player.

use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

use crate::common::serve;

/// Runs an example with its interpreter. It has to print one line, the result of its game.
#[expect(clippy::print_stderr, reason = "a skipped test has to say so")]
fn plays_a_game(interpreter: &str, example: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kibitzer/examples").join(example);
    let n_lines = std::fs::read_to_string(&path).unwrap().lines().count();
    assert!(n_lines <= 40, "{example} has {n_lines} lines");
    let server = serve(&["--speed", "100"]);
    let mut command = Command::new(interpreter);
    command.arg(path).arg(&server.address).env("KIBITZER", env!("CARGO_BIN_EXE_kibitzer"));
    let output = match command.output() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return eprintln!("skipped: {interpreter} is not installed");
        }
        output => output.unwrap(),
    };
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    let words: Vec<_> = printed.split_whitespace().collect();
    let results = ["1-0", "0-1", "1/2-1/2"];
    assert!(matches!(&words[..], [_, "Whetstone", result, _] if results.contains(result)), "{printed}");
}

#[test]
fn a_python_program_plays_a_game() {
    plays_a_game("python3", "python/play.py");
}

#[test]
fn a_node_program_plays_a_game() {
    plays_a_game("node", "node/play.mjs");
}
