//! `kibitzer bot`.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::schema::Schema;
use crate::common::{file, kibitzer, serve};
use serde_json::Value;

/// A folder of one test, with a program `stockfish` that knows the protocol, but plays no move.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let options =
        "option name Hash type spin default 16 min 1 max 1024\\noption name Threads type spin default 1 min 1 max 64";
    let answers =
        format!("uci) printf 'id name Paperfish\\n{options}\\nuciok\\n' ;; isready) echo readyok ;; quit) exit ;;");
    let program = folder.join("stockfish");
    fs::write(&program, format!("#!/bin/sh\nwhile read -r line; do case $line in {answers} esac; done\n")).unwrap();
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// Runs the program in a folder, with the programs in it.
fn run_in(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let output = kibitzer(args).current_dir(folder).env("PATH", path).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn check_prints_the_engine_and_the_rules_of_the_shipped_file() {
    let folder = folder("bot-check");
    let settings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/bot.toml");
    let (status, stdout, stderr) = run_in(&folder, &["bot", "--check", settings.to_str().unwrap()]);
    assert_eq!((status, stderr.as_str()), (0, ""));
    for line in ["Engine: Paperfish", "Variants: chess", "Adjourned games are resumed"] {
        assert!(stdout.contains(line), "{line}: {stdout}");
    }
}

#[test]
fn shipped_file_starts_a_session() {
    let folder = folder("bot-session");
    let server = serve(&["--no-population"]);
    let settings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/bot.toml");
    let text = fs::read_to_string(settings).unwrap();
    let (_, port) = server.address.split_once(':').unwrap();
    let path = file("bot-session.toml", text.replace("ports = [5000]", &format!("ports = [{port}]")));
    let (status, stdout, stderr) = run_in(&folder, &["bot", &path, "--json", "--for", "3s"]);
    assert_eq!((status, stderr.as_str()), (0, ""));
    check_objects(&stdout);
    let events: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let has = |action: &str| events.iter().any(|event| event["event"] == "bot" && event["action"] == action);
    assert!(has("started_engine") && has("connection") && has("stopping"), "{stdout}");
    assert!(events.iter().any(|event| event["account"] == "MyBot"), "{stdout}");
    let (status, stdout, _) = run_in(&folder, &["bot", &path, "--format", "text", "--for", "1s"]);
    assert!(status == 0 && stdout.contains("StartedEngine: Paperfish\n"), "{stdout}");
    let is_time = |time: &str| time.len() == 8 && time.split(':').all(|part| part.parse::<u8>().is_ok_and(|n| n < 61));
    assert!(stdout.lines().all(|line| is_time(line.split_once(' ').unwrap().0)), "{stdout}");
}

#[test]
fn demo_plays_and_writes_its_game() {
    let folder = folder("bot-demo");
    let (status, stdout, stderr) =
        run_in(&folder, &["bot", "--demo", "--json", "--for", "18s", "--metrics-every", "5s"]);
    assert_eq!((status, stderr.as_str()), (0, ""), "{stdout}");
    let games = fs::read_to_string(folder.join("kibitzer-demo.pgn")).unwrap();
    assert!(games.starts_with("[Event \"") && games.contains("\n1. "), "{games}");
    let kinds = check_objects(&stdout);
    assert!(["bot", "analysis", "metrics"].iter().all(|kind| kinds.contains(*kind)), "{stdout}");
    assert!(stdout.contains("\"action\":\"moved\""), "{stdout}");
}

#[test]
fn the_page_for_programs_has_every_action() {
    let page = include_str!("../../kibitzer/docs/events.md").split_once("## Events of a bot").unwrap().1;
    let actions = include_str!("../../kibitzer-bot/src/verdict.rs").split_once("pub enum BotAction {").unwrap().1;
    let variants =
        actions.split_once("\n}").unwrap().0.lines().filter(|line| line.ends_with(',') && !line.contains("//"));
    let mut n_actions = 0;
    for variant in variants.map(|line| line.trim_matches([' ', ','])) {
        let snake = |letter: char| if letter.is_ascii_uppercase() { format!("_{letter}") } else { letter.to_string() };
        let name = variant.chars().map(snake).collect::<String>().to_lowercase();
        assert!(page.contains(&format!("`{}`", name.trim_start_matches('_'))), "{variant}");
        n_actions += 1;
    }
    assert!(n_actions > 20, "{n_actions}");
}

/// Checks that every object is as the page for programs and the schema have it, and returns the kinds.
fn check_objects(lines: &str) -> BTreeSet<String> {
    let page = include_str!("../../kibitzer/docs/events.md").split_once("## Events of a bot").unwrap().1;
    let schema = Schema::read("events");
    let (mut kinds, mut last) = (BTreeSet::new(), 0.0);
    for line in lines.lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        assert_eq!(schema.error(&event), None, "{line}");
        assert!(line.starts_with(&format!("{{\"event\":{},\"offset\":null,\"t\":", event["event"])), "{line}");
        let known = |name: &Value| page.contains(&format!("`{}`", name.as_str().unwrap()));
        assert!(known(&event["event"]) && event.get("action").is_none_or(known), "{line}");
        if event["event"] != "metrics" {
            assert!(event["t"].as_f64().unwrap() >= last && event["utc"].as_str().unwrap().ends_with('Z'), "{line}");
            last = event["t"].as_f64().unwrap();
        }
        kinds.insert(event["event"].as_str().unwrap().to_owned());
    }
    kinds
}

#[test]
fn account_that_cannot_play_is_reported_by_its_name_and_the_others_play() {
    let folder = folder("bot-accounts");
    let server = serve(&["--no-population"]);
    let (_, port) = server.address.split_once(':').unwrap();
    let settings = format!(
        "[server]\nhost = '127.0.0.1'\nports = [{port}]\nhandle = 'Unused'\n[engine]\ncommand = 'stockfish'\n\
        [[account]]\nhandle = 'Tal'\npassword_from = {{ file = 'nosuch' }}\n[[account]]\nhandle = 'Botvin'\n\
        [[account]]\nhandle = 'Petrov'\npassword_from = {{ command = ['echo', 'wrong'] }}\n"
    );
    let path = file("bot-accounts.toml", settings);
    let (status, stdout, stderr) = run_in(&folder, &["bot", &path, "--for", "3s"]);
    assert_eq!(status, 1, "{stdout}{stderr}");
    let lines: Vec<_> = stderr.lines().collect();
    let begins = |words: &str| lines.iter().any(|line| line.starts_with(words));
    assert!(lines.len() == 3 && lines[0].contains("the handle Unused of [server] is not used"), "{stderr}");
    assert!(begins("kibitzer: Tal: ") && begins("kibitzer: Petrov: cannot connect to 127.0.0.1: "), "{stderr}");
    assert!(stdout.contains("Botvin: Connection: the session is ready"), "{stdout}");
    let (status, stdout, stderr) = run_in(&folder, &["bot", "--check", &path]);
    assert_eq!((status, stdout.as_str()), (1, ""));
    assert!(
        stderr.contains("kibitzer: warning: ") && stderr.contains("line 4: `server.handle`: is not used"),
        "{stderr}"
    );
    assert!(stderr.contains("line 9: `account.password_from`: cannot read the password file nosuch: "), "{stderr}");
    let (status, _, stderr) = run_in(&folder, &["bot", &path, "--attach-socket", "several.sock"]);
    assert!(status == 1 && stderr.contains("exposes one account, and this bot has several"), "{stderr}");
}

#[test]
fn check_with_login_tries_every_account() {
    let folder = folder("bot-login");
    let accounts = file("bot-login-accounts.toml", "[[account]]\nhandle = 'Tal'\npassword = 'secret'\n");
    let server = serve(&["--no-population", "--accounts", &accounts]);
    let port = server.address.split_once(':').unwrap().1.to_owned();
    let settings = |password: &str| {
        let text = format!(
            "[server]\nhost = '127.0.0.1'\nports = [{port}]\n[engine]\ncommand = 'stockfish'\n\
            [[account]]\nhandle = 'Botvin'\n[[account]]\nhandle = 'Tal'\npassword_from = {{ command = ['echo', '{password}'] }}\n"
        );
        file(&format!("bot-login-{password}.toml"), text)
    };
    let (status, stdout, stderr) = run_in(&folder, &["bot", "--check", "--login", &settings("secret")]);
    assert_eq!((status, stderr.as_str()), (0, ""));
    for handle in ["Botvin", "Tal"] {
        assert!(stdout.contains(&format!("\nLogged in to 127.0.0.1 as {handle}, and out.\n")), "{stdout}");
    }
    let wrong = settings("wrong");
    let (status, stdout, stderr) = run_in(&folder, &["bot", "--check", "--login", &wrong]);
    assert_eq!((status, stdout.as_str(), stderr.lines().count()), (1, "", 1), "{stderr}");
    assert!(stderr.contains("line 9: `account.handle`: no login on 127.0.0.1: "), "{stderr}");
    // Without --login, no password command is run, and nothing is sent.
    drop(server);
    assert_eq!(run_in(&folder, &["bot", "--check", &wrong]).0, 0);
    let (status, _, stderr) = run_in(&folder, &["bot", "--check", "--login", &settings("secret")]);
    let reason = format!("cannot connect to 127.0.0.1:{port}: connection refused; change `host` or `ports`");
    // The accounts inherit the ports: one mistake.
    assert_eq!((status, stderr.lines().count()), (1, 1), "{stderr}");
    assert!(stderr.trim_end().ends_with(&format!("line 3: `server.ports`: {reason}")), "{stderr}");
}

#[test]
fn schema_is_printed_for_editors() {
    let (status, stdout, _) = run_in(&folder("bot-schema"), &["bot", "--schema"]);
    let schema: Value = serde_json::from_str(&stdout).unwrap();
    let rated = &schema["properties"]["accept"]["properties"]["rated"];
    assert_eq!((status, &rated["type"], &rated["default"]), (0, &"boolean".into(), &false.into()), "{rated}");
    assert_eq!(schema["definitions"]["profile"]["properties"]["ports"]["items"]["maximum"], 65_535);
}

#[test]
fn account_that_fails_in_a_game_is_reported_at_once_and_the_others_play_on() {
    let folder = folder("bot-one-fails");
    let program = folder.join("quiet");
    fs::write(&program, QUIET_ENGINE).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let accounts = file("bot-one-fails-accounts.toml", "[[account]]\nhandle = 'Tal'\npassword = 'secret'\n");
    let server = serve(&["--no-population", "--accounts", &accounts]);
    let (_, port) = server.address.split_once(':').unwrap();
    let password = file("bot-one-fails-password", "secret");
    let settings = |name: &str, rest: &str| {
        let text = format!(
            "[server]\nhost = '127.0.0.1'\nports = [{port}]\n[engine]\ncommand = './quiet'\nmin_move_ms = 100\n{rest}"
        );
        file(&format!("bot-one-fails-{name}.toml"), text)
    };
    let challenger = |handle: &str, player: &str| {
        let rest = "[matchmaking]\nterms = ['5 0 unrated']\npause = '10s'\ncomputers = true\n";
        settings(handle, &format!("[[account]]\nhandle = '{handle}'\n{rest}players = ['{player}']\n"))
    };
    let start = |path: &str| {
        let mut program = kibitzer(&["bot", path]);
        Program(program.current_dir(&folder).stderr(Stdio::piped()).spawn().unwrap())
    };
    let source = format!("password_from = {{ file = '{password}' }}");
    let mut bot =
        start(&settings("bot", &format!("[[account]]\nhandle = 'Botvin'\n[[account]]\nhandle = 'Tal'\n{source}\n")));
    let _others = [challenger("Alfa", "Botvin"), challenger("Beta", "Tal")].map(|path| start(&path));
    bot.wait_for("Tal: Moved", 1);
    let args = ["connect", &server.address, "--user", "Tal", "--password-file", &password, "--for", "1s"];
    assert_eq!(run_in(&folder, &args).0, 0);
    // The program still runs.
    let mut report = String::new();
    BufReader::new(bot.0.stderr.take().unwrap()).read_line(&mut report).unwrap();
    assert!(report.starts_with("kibitzer: Tal: session on 127.0.0.1 lost: "), "{report}");
    bot.wait_for("Botvin: Moved", 8);
}

/// Whether this process runs: it exists, and is not a zombie.
#[cfg(target_os = "linux")]
fn is_running(pid: &str) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    status.rsplit_once(')').is_some_and(|(_, fields)| !fields.trim_start().starts_with('Z'))
}

#[test]
#[cfg(target_os = "linux")]
fn killed_bot_leaves_no_engine_behind_not_even_one_that_ignores_its_input_and_signals() {
    let folder = folder("bot-killed");
    let program = folder.join("stubborn");
    let stubborn = "#!/bin/sh\ntrap '' HUP INT TERM PIPE\n(while :; do sleep 1; done) &\necho $$ $! > pids.new\nmv pids.new pids\n\
        echo 'id name Stubborn'; echo uciok; read -r uci; read -r ready; echo readyok\nwhile :; do sleep 1; done\n";
    fs::write(&program, stubborn).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let server = serve(&["--no-population"]);
    let (_, port) = server.address.split_once(':').unwrap();
    let settings = format!("[server]\nhost = '127.0.0.1'\nports = [{port}]\n[engine]\ncommand = './stubborn'\n");
    let path = file("bot-killed.toml", settings);
    let mut bot = kibitzer(&["bot", &path]).current_dir(&folder).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(bot.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("the session is ready")));
    let pids = fs::read_to_string(folder.join("pids")).unwrap();
    let pids: Vec<&str> = pids.split_whitespace().collect();
    assert!(pids.len() == 2 && pids.iter().all(|pid| is_running(pid)), "{pids:?}");
    bot.kill().unwrap();
    bot.wait().unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    while pids.iter().any(|pid| is_running(pid)) {
        assert!(Instant::now() < deadline, "{pids:?} still run");
        thread::sleep(Duration::from_millis(20));
    }
}

/// An engine that moves its pawns, and then a knight out and back.
const QUIET_ENGINE: &str = r"#!/bin/sh
pawns='a2a3 a7a6 b2b3 b7b6 c2c3 c7c6 d2d3 d7d6 e2e3 e7e6 f2f3 f7f6 g2g3 g7g6 h2h3 h7h6'
knights='g1e2 g8e7 e2g1 e7g8'
while read -r line; do case $line in
    uci) echo 'id name Quiet'; echo uciok;;
    isready) echo readyok;;
    position*) set -- $line; if [ $# = 2 ]; then n=0; else n=$(($# - 3)); fi;;
    go*) if [ $n -lt 16 ]; then set -- $pawns; shift $n; else set -- $knights; shift $((n % 4)); fi; echo bestmove $1;;
    quit) exit;;
esac; done
";

/// A program that is killed with SIGKILL at the end of the test at the latest.
struct Program(std::process::Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Program {
    /// Waits for so many lines with these words.
    fn wait_for(&mut self, words: &str, n: usize) {
        let lines = BufReader::with_capacity(1, self.0.stdout.as_mut().unwrap()).lines().map(Result::unwrap);
        let found = lines.filter(|line| line.contains(words)).take(n).count();
        assert_eq!(found, n, "{words}");
    }
}

#[test]
fn game_of_a_program_killed_with_sigkill_is_in_its_file_after_the_restart() {
    let folder = folder("bot-sigkill");
    let program = folder.join("quiet");
    fs::write(&program, QUIET_ENGINE).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let account = |handle: &str| format!("[[account]]\nhandle = '{handle}'\npassword = 'secret'\n");
    let accounts = file("bot-sigkill-accounts.toml", account("Botvin") + &account("Tal"));
    let server = serve(&["--no-population", "--accounts", &accounts]);
    let (_, port) = server.address.split_once(':').unwrap();
    let password = file("bot-sigkill-password", "secret");
    let settings = |handle: &str, rest: &str| {
        let text = format!(
            "[server]\nhost = '127.0.0.1'\nports = [{port}]\nhandle = '{handle}'\npassword_from = {{ file = '{password}' }}\n\
            [engine]\ncommand = './quiet'\nmin_move_ms = 200\n[pgn]\nfile = '{handle}.pgn'\n{rest}"
        );
        file(&format!("bot-sigkill-{handle}.toml"), text)
    };
    let tal = settings("Tal", "[matchmaking]\nterms = ['3 0 unrated']\nplayers = ['Botvin']\npause = '10s'\n");
    let botvin = settings("Botvin", "");
    let start = |path: &str| Program(kibitzer(&["bot", path]).current_dir(&folder).spawn().unwrap());
    let (mut first, other) = (start(&botvin), start(&tal));
    first.wait_for("Botvin: Moved", 4);
    drop(first);
    let record = folder.join("unfinished-Botvin-127_0_0_1.pgn");
    assert!(fs::read_to_string(&record).unwrap().contains("1. a3 "));
    // The game is resumed, and drawn when a position has occurred three times. Then the next one begins.
    let mut second = start(&botvin);
    second.wait_for("Botvin: Ended", 1);
    second.wait_for("Botvin: Counted, game ", 1);
    let signal = format!("kill -s USR1 {}", second.0.id());
    assert!(Command::new("sh").args(["-c", &signal]).status().unwrap().success());
    second.wait_for("  against Tal: 1 game: 0 won, 1 drawn, 0 lost", 1);
    second.wait_for("Botvin: Moved", 4);
    let games = fs::read_to_string(folder.join("Botvin.pgn")).unwrap();
    assert!(games.matches("[Event ").count() == 1 && games.ends_with("1/2-1/2\n"), "{games}");
    assert!(games.contains("1. a3 ") && games.contains("1... a6 ") && games.contains(" 8... h6 "), "{games}");
    // The opponent is gone when the program starts again.
    drop((other, second));
    let (status, _, stderr) = run_in(&folder, &["bot", &botvin, "--for", "2s"]);
    assert_eq!((status, stderr.as_str()), (0, ""));
    let games = fs::read_to_string(folder.join("Botvin.pgn")).unwrap();
    assert!(games.matches("[Event ").count() == 2 && games.ends_with(" *\n"), "{games}");
    assert!(!record.exists());
}

#[test]
fn mistakes_are_reported_in_one_line() {
    let folder = folder("bot-mistakes");
    let unknown = file("bot-unknown.toml", "[server]\nhost = 'x'\n[engine]\ncommand = ['stockfish']\n[acept]\n");
    let absent = file("bot-absent.toml", "[server]\nhost = 'x'\n[engine]\ncommand = ['no-such-engine']\n");
    let silent = file("bot-silent.toml", "[server]\nhost = 'x'\n[engine]\ncommand = 'false'\n");
    let engine = "[server]\nhost = 'x'\n[engine]\ncommand = 'stockfish'\n";
    let option = file("bot-option.toml", format!("{engine}options = {{ Hush = 1 }}\n"));
    let book = file("bot-book.toml", format!("{engine}[book]\nfile = 'nosuch.bin'\n"));
    for (args, status, words) in [
        (&["bot", "nosuch.toml"][..], 1, "cannot read nosuch.toml"),
        (&["bot", &unknown], 1, "line 5: unknown table `acept`"),
        (&["bot", "--check", &absent], 1, "\"no-such-engine\""),
        (&["bot", &absent], 1, "\"no-such-engine\""),
        (&["bot", &silent], 1, "the engine \"false\" exited (exit status: 1)"),
        (&["bot", &option], 1, "option \"Hush\" of the engine: is unknown"),
        (&["bot", "--check", &book], 1, "cannot open the book nosuch.bin: "),
        (&["bot"], 2, "CONFIG"),
    ] {
        let (found, stdout, stderr) = run_in(&folder, args);
        assert_eq!((found, stdout.as_str(), stderr.lines().count()), (status, "", 1), "{args:?}: {stderr}");
        assert!(stderr.contains(words), "{args:?}: {stderr}");
    }
}
