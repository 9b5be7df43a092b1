//! What `--help` shows can be done, scripts of completions are scripts, and the manual has all of it.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::thread;

use crate::common::{file, kibitzer, run, serve, transcript};

/// The commands, with what of their examples has to be left out, and why.
const COMMANDS: [(&str, &[&str]);
    12 + if cfg!(feature = "nats") { 2 } else { 0 } + if cfg!(feature = "web") { 1 } else { 0 }] = [
    // Two recordings have to be there: tests/diff.rs has them.
    ("", &["kibitzer diff"]),
    // A bot has to be there: tests/attach.rs has one.
    // The URL is that of a public server.
    ("console", &["--attach", "wss://"]),
    // No browser opens, and no bot or page is there.
    #[cfg(feature = "web")]
    ("web", &["--open", "--attach", "curl"]),
    ("connect", &[]),
    ("record", &[]),
    ("decode", &[]),
    ("diff", &["kibitzer diff"]),
    ("replay", &[]),
    ("pgn", &[]),
    // A NATS server has to be there: tests/nats.rs has one.
    #[cfg(feature = "nats")]
    ("publish", &["kibitzer publish"]),
    #[cfg(feature = "nats")]
    ("tail", &["kibitzer tail"]),
    ("serve", &[]),
    ("bot", &[]),
    ("completions", &[]),
    // What it prints is read by a pager.
    ("man", &["man -l"]),
];

/// The commands that go on until they are told to end.
const ENDLESS: [&str; 7] = ["console", "connect", "record", "serve", "pgn", "bot", "web"];

/// The help of a command; of the program, if it has no name.
fn help(command: &str) -> String {
    let arguments: Vec<_> = [command].into_iter().filter(|word| !word.is_empty()).chain(["--help"]).collect();
    let outcome = run(&arguments, b"");
    assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""), "{command}");
    outcome.stdout
}

/// The examples in the help of a command, without what is said about them.
fn examples(command: &str) -> Vec<String> {
    let help = help(command);
    let (_, behind) = help.split_once("\nExamples:\n").unwrap_or_else(|| panic!("{command} has no examples: {help}"));
    let lines = behind.lines().map_while(|line| line.strip_prefix("  "));
    lines.map(|line| line.split("   ").next().unwrap().trim_end().to_owned()).collect()
}

#[test]
fn every_command_teaches_by_example() {
    for line in help("").lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty()) {
        let name = line.split_whitespace().next().unwrap();
        assert!(name == "help" || COMMANDS.iter().any(|(command, _)| *command == name), "{name} is not tried");
    }
    for (command, left_out) in COMMANDS {
        let examples = examples(command);
        assert!(examples.iter().any(|line| line.contains(&format!("kibitzer {command}"))), "{command}: {examples:?}");
        for part in left_out {
            assert!(examples.iter().any(|line| line.contains(part)), "{part} is no longer in {examples:?}");
        }
    }
}

#[test]
fn the_examples_work() {
    let place = Place::new();
    let tried: Vec<_> = COMMANDS.into_iter().flat_map(|(command, left_out)| tried(command, left_out)).collect();
    assert!(tried.len() > 25, "{tried:?}");
    let tried: Vec<_> = tried.iter().enumerate().collect();
    // All at once would leave a slow machine no time for each.
    for some in tried.chunks(6) {
        thread::scope(|scope| {
            for (number, example) in some {
                scope.spawn(|| place.assert_works(*number, example));
            }
        });
    }
}

/// How long what goes on for ever is let go on.
const TIMES: [&str; 2] = ["2s", "15s"];

/// The examples of a command that are tried.
fn tried(command: &str, left_out: &[&str]) -> Vec<String> {
    examples(command).into_iter().filter(|line| !left_out.iter().any(|part| line.contains(part))).collect()
}

const ACCOUNTS: &str = "[[account]]\nhandle = 'Newton'\npassword = 'swordfish'\n";

/// A folder with what the examples name, and programs that they use.
struct Place {
    folder: PathBuf,
}

impl Place {
    fn new() -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("help");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("bin")).unwrap();
        let place = Self { folder };
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_kibitzer"), place.folder.join("bin/kibitzer")).unwrap();
        place.program("pass", "echo swordfish");
        if Command::new("jq").arg("--version").output().is_err() {
            place.program("jq", "cat");
        }
        let answers = "uci) echo uciok ;; isready) echo readyok ;; quit) exit ;;";
        place.program("engine", &format!("while read -r line; do case $line in {answers} esac; done"));
        place
    }

    fn program(&self, name: &str, script: &str) {
        let path = self.folder.join("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// A folder for one example, with the files that all of them read.
    fn room(&self, example: usize, address: &str) -> PathBuf {
        let room = self.folder.join(example.to_string());
        let _ = fs::remove_dir_all(&room);
        for folder in [".zfunc", ".config/fish/completions", ".local/share/bash-completion/completions"] {
            fs::create_dir_all(room.join(folder)).unwrap();
        }
        fs::write(room.join("session.jsonl"), transcript(SAID, 40)).unwrap();
        fs::write(room.join("session.raw"), SAID).unwrap();
        fs::write(room.join("accounts.toml"), ACCOUNTS).unwrap();
        let (host, port) = address.split_once(':').unwrap();
        fs::write(room.join("my.toml"), format!("host = '{host}'\nports = [{port}]\n")).unwrap();
        let bot = format!("[server]\nhost = '{host}'\nports = [{port}]\n[engine]\ncommand = ['engine']\n");
        fs::write(room.join("bot.toml"), bot).unwrap();
        let packed = Command::new("gzip").arg("-k").arg(room.join("session.raw")).status().unwrap();
        assert!(packed.success());
        room
    }

    fn assert_works(&self, number: usize, example: &str) {
        let is_silent = example.contains(" > ") || example.contains(" -o ") || example.starts_with("eval");
        // A machine that is busy takes longer until something is shown.
        let shows = TIMES.iter().any(|time| {
            let output = self.run(number, example, time);
            let reports = String::from_utf8_lossy(&output.stderr);
            let is_about_recording = |line: &str| example.contains("record") && line.contains(".jsonl");
            assert!(output.status.success() && reports.lines().all(is_about_recording), "{example}: {output:?}");
            is_silent || !output.stdout.is_empty()
        });
        assert!(shows, "{example}");
    }

    /// Runs an example, at a server of its own whichever it names, and no longer than need be.
    fn run(&self, number: usize, example: &str, time: &str) -> Output {
        let server = serve(&["--no-population", "--accounts", &file(&format!("help-{number}.toml"), ACCOUNTS)]);
        let room = self.room(number, &server.address);
        let (host, port) = server.address.split_once(':').unwrap();
        let path = std::env::var("PATH").unwrap();
        let bin = self.folder.join("bin");
        let line = adapted(example, &server.address, time);
        if line.contains("kibitzer record") || line.contains("--record") {
            fs::remove_file(room.join("session.jsonl")).unwrap();
        }
        let mut command = Command::new("bash");
        // What is set for one run is not taken from the environment of the tests.
        command.env_clear().env("PATH", format!("{}:{path}", bin.display())).env("HOME", &room);
        command.env("KIBITZER_HOST", host).env("KIBITZER_PORTS", port).env("KIBITZER_PASSWORD", "swordfish");
        command.env("KIBITZER_TIMESEAL", "off").env("KIBITZER_FAMILY", "auto");
        command.args(["-o", "pipefail", "-c", &line]).current_dir(&room).stdin(std::process::Stdio::null());
        command.output().unwrap()
    }
}

/// The line with an end, and with an address that is there.
fn adapted(example: &str, address: &str, time: &str) -> String {
    let mut line = example.replace("localhost:5000", address).replace("localhost:5001", address);
    line = line.replace("--websocket 5001", "--websocket 0");
    // Several pages are shown at a time.
    line = line.replace("kibitzer web", "kibitzer web --listen 127.0.0.1:0");
    if line.contains("--for ") {
        // Long enough to log in is long enough.
        for long in ["10m", "10s", "5s"] {
            line = line.replace(&format!("--for {long}"), &format!("--for {time}"));
        }
    } else if let Some(command) = ENDLESS.iter().find(|command| line.contains(&format!("kibitzer {command}"))) {
        line = line.replace(&format!("kibitzer {command}"), &format!("kibitzer {command} --for {time}"));
    } else if ["kibitzer", "kibitzer --plain"].contains(&line.as_str()) {
        line.push_str(" --for ");
        line.push_str(time);
    }
    let is_server = line.contains("kibitzer serve") && !line.contains("--port");
    if is_server { line.replace("kibitzer serve", "kibitzer serve --port 0") } else { line }
}

const SAID: &[u8] =
    b"fics% \n\rFoo tells you: hi\n\r<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP \
    RNBQKBNR W -1 1 1 1 1 0 1 Euwe Flohr 0 2 12 39 39 120 120 1 none (0:00) none 0 0 0\n\r";

#[test]
fn every_shell_gets_a_script_that_names_all_commands() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let outcome = run(&["completions", shell], b"");
        assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""), "{shell}");
        for (command, _) in COMMANDS {
            assert!(outcome.stdout.contains(command), "{command} for {shell}");
        }
    }
    let outcome = run(&["completions", "tcsh"], b"");
    assert_eq!((outcome.status, outcome.stdout.as_str(), outcome.stderr.lines().count()), (2, "", 1));
}

#[test]
fn bash_completes_by_its_script() {
    let script = "source <(\"$1\" completions bash) && COMP_WORDS=(kibitzer con) COMP_CWORD=1 && \
        _kibitzer kibitzer con kibitzer && echo \"${COMPREPLY[@]}\"";
    let output = Command::new("bash").args(["-c", script, "bash", env!("CARGO_BIN_EXE_kibitzer")]).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "console connect\n");
}

#[test]
fn every_command_has_a_page_of_the_manual() {
    for (command, _) in COMMANDS {
        let arguments: Vec<_> = ["man", command].into_iter().filter(|word| !word.is_empty()).collect();
        let outcome = run(&arguments, b"");
        assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""), "{command}");
        let title = ["kibitzer", command].join("-");
        assert!(outcome.stdout.contains(&format!(".TH {} 1", title.trim_end_matches('-'))), "{}", outcome.stdout);
        for part in [".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION", ".SH OPTIONS", ".SH EXAMPLES\n.nf\n"] {
            assert!(outcome.stdout.contains(part), "{part} of {command}");
        }
    }
    for session in ["connect", "console", "record", "pgn"] {
        assert!(run(&["man", session], b"").stdout.contains(".SH \"EXIT STATUS\"\n.nf\n"), "{session}");
    }
    let outcome = run(&["man", "nonsense"], b"");
    assert_eq!((outcome.status, outcome.stdout.as_str(), outcome.stderr.lines().count()), (2, "", 1));
}

#[test]
fn nobody_has_to_read_all_of_it() {
    let mut child = kibitzer(&["completions", "zsh"]).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn close_spellings_are_suggested_and_a_page_that_does_not_exist_is_a_wrong_argument() {
    let cases: [(&[&str], &str); 6] = [
        (&["conect"], "a similar subcommand exists: 'connect'"),
        (&["connect", "--jsn"], "a similar argument exists: '--json'"),
        (&["man", "consol"], "unknown command \"consol\", did you mean \"console\"?"),
        (&["man", "nosuch"], "unknown command \"nosuch\""),
        (&["serve", "--fault", "cutt"], "unknown fault \"cutt\", did you mean \"cut\"?"),
        (&["decode", "--format", "jsn"], "a similar value exists: 'jsonl'"),
    ];
    for (arguments, want) in cases {
        let outcome = run(arguments, b"");
        assert_eq!((outcome.status, outcome.stderr.lines().count()), (2, 1), "{arguments:?}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(want), "{arguments:?}: {}", outcome.stderr);
    }
}

#[test]
fn options_of_all_commands_may_precede_the_command_and_options_of_the_demo_may_not() {
    let file = file("replayed.jsonl", include_str!("session.txt"));
    let outcome = run(&["--plain", "--log", "warn", "decode", &file, "--format", "text"], b"");
    assert_eq!(outcome.status, 0, "{outcome:?}");
    for options in [&["--json"][..], &["--seed", "1"], &["--plain", "--for", "1s"]] {
        let outcome = run(&[options, &["decode", &file]].concat(), b"");
        let reason = "the subcommand 'decode' cannot be used with '--";
        assert!(outcome.status == 2 && outcome.stderr.contains(reason), "{outcome:?}");
    }
}

#[test]
fn every_command_accepts_plain() {
    for (command, _) in COMMANDS {
        let arguments: Vec<_> = [command, "--plain", "--help"].into_iter().filter(|word| !word.is_empty()).collect();
        let outcome = run(&arguments, b"");
        assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""), "{command}");
        assert!(outcome.stdout.contains("--plain"), "{command}");
    }
}

#[test]
fn completions_offer_profiles_faults_kinds_and_pages() {
    for shell in ["bash", "zsh", "fish"] {
        let script = run(&["completions", shell], b"").stdout;
        for word in ["fics-web", "split-randomly=", "refuse=full", "channel_tell", "completions"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    let script = run(&["completions", "bash"], b"").stdout;
    let line = |command: &str| {
        let section = script.split(&format!("        kibitzer__subcmd__{command})\n")).nth(1).unwrap();
        section.lines().next().unwrap().to_owned()
    };
    assert!(line("man").contains(" console connect record "), "{}", line("man"));
    assert!(line("connect").contains(" fics "), "{}", line("connect"));
}
