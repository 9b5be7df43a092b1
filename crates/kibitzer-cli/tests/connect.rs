//! `kibitzer connect` against a scripted server on a loopback port.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Output, Stdio};

use crate::common::{decode, file, kibitzer, serve, timeless};

const GREETING: &str = "Welcome\n\rlogin: ";
const IVARS_SET: &str = "\n\r#Ivars set.\n\r\n\rlogin: ";
const GUEST: &str = "\n\rPress return to enter the server as \"GuestPUPE\": ";
const STARTING: &str = "\n\r**** Starting FICS session as GuestPUPE(U) ****\n\r\n\rfics% ";
const BOARD: &str = "<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 7 Newton \
    Einstein 0 2 12 39 39 119 122 1 P/e2-e4 (0:06) e4 0\n\r";
const FAREWELL: &str = "Bar tells you: hello\n\rfics% Logging you out.\n\r";

/// The server's end of a connection.
struct Peer {
    socket: BufReader<TcpStream>,
    /// All that was said.
    said: Vec<u8>,
}

impl Peer {
    fn say(&mut self, text: &str) {
        self.said.extend_from_slice(text.as_bytes());
        self.socket.get_mut().write_all(text.as_bytes()).unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.socket.read_line(&mut line).unwrap();
        line
    }

    fn log_in(&mut self) {
        self.say(GREETING);
        assert!(self.line().starts_with("%b"));
        self.say(IVARS_SET);
        assert_eq!(self.line(), "guest\n");
        self.say(GUEST);
        assert_eq!(self.line(), "\n");
        self.say(STARTING);
    }

    /// Answers the commands of the set-up and what else comes, up to this one, and returns its number.
    fn set_up(&mut self, wanted: &str) -> String {
        loop {
            let line = self.line();
            let Some((number, command)) = line.trim_end().split_once(' ') else {
                // A line without a number, which shows that one is wanted.
                self.say("\x150\x16519\x16\x17\n\rfics% ");
                continue;
            };
            if command == wanted {
                return number.to_owned();
            }
            self.reply(number, "set.\n\r");
        }
    }

    fn reply(&mut self, number: &str, text: &str) {
        self.say(&format!("\x15{number}\x1656\x16{text}\x17\n\rfics% "));
    }
}

/// The program, connected to a server that the test plays.
fn connected(arguments: &[&str]) -> (Child, Peer) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let child = start(&listener.local_addr().unwrap().to_string(), arguments);
    (child, accept(&listener))
}

fn accept(listener: &TcpListener) -> Peer {
    Peer { socket: BufReader::new(listener.accept().unwrap().0), said: Vec::new() }
}

fn start(address: &str, arguments: &[&str]) -> Child {
    let arguments = [&["connect", address, "--for", "1m"], arguments].concat();
    kibitzer(&arguments).stdin(Stdio::piped()).spawn().unwrap()
}

/// What the program prints of what the server says, rather than of itself.
fn of_the_server(printed: &str) -> String {
    printed.lines().filter(|line| !line.contains("\"offset\":null")).flat_map(|line| [line, "\n"]).collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// What a script is told of a failure.
const FAILED: i32 = 1;
const NO_SESSION: i32 = 3;
const LOST: i32 = 4;

fn assert_fails_with_one_line(output: &Output, status: i32, start: &str) {
    assert_eq!(output.status.code(), Some(status), "{output:?}");
    let error = text(&output.stderr);
    assert!(error.starts_with(start) && error.lines().count() == 1, "{error}");
}

#[test]
fn it_logs_in_prints_what_decode_prints_and_sends_what_is_typed() {
    for arguments in [&["--json"][..], &["--format", "jsonl"]] {
        let (mut child, mut peer) = connected(arguments);
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"say K\xc3\xb6ln\r\ntell a\x07b\nquit").unwrap();
        // Its end ends nothing.
        drop(stdin);
        peer.log_in();
        peer.set_up("say K&#xf6;ln");
        assert!(peer.line().ends_with(" quit\n"));
        peer.say(FAREWELL);
        peer.socket.get_ref().shutdown(Shutdown::Write).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(timeless(&of_the_server(&text(&output.stdout))), decode(&[], &peer.said));
        assert_eq!(text(&output.stderr), "kibitzer: not sent: control character in a line\n");
        assert!(output.status.success());
    }
}

#[test]
fn a_typed_line_without_an_end_is_refused_at_64_kib() {
    let recording = std::env::temp_dir().join(format!("kibitzer-long-line-{}.jsonl", std::process::id()));
    for arguments in [&["connect"][..], &["record"]] {
        let (listener, mut arguments) = (TcpListener::bind("127.0.0.1:0").unwrap(), arguments.to_vec());
        let address = listener.local_addr().unwrap().to_string();
        arguments.extend(["--for", "1m", &address]);
        arguments.extend((arguments[0] == "record").then(|| recording.to_str().unwrap()));
        let mut child = kibitzer(&arguments).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut peer = accept(&listener);
        stdin.write_all(&b"x".repeat(64 << 10)).unwrap();
        stdin.write_all(b"\nfinger\n").unwrap();
        peer.log_in();
        peer.set_up("finger");
        let endless = std::thread::spawn(move || while stdin.write_all(&[b'x'; 4096]).is_ok() {});
        let output = child.wait_with_output().unwrap();
        endless.join().unwrap();
        assert_eq!(output.status.code(), Some(FAILED), "{output:?}");
        let errors = text(&output.stderr);
        let errors: Vec<_> = errors.lines().filter(|line| !line.contains("kibitzer-long-line")).collect();
        let refused = "kibitzer: not sent: line of 65536 bytes is longer than 995";
        assert_eq!(errors, [refused, "kibitzer: a line of standard input is longer than 64 KiB"]);
    }
    std::fs::remove_file(recording).unwrap();
}

#[test]
fn a_password_that_the_server_repeats_is_not_printed() {
    let secret = file("connect-echoed-password", "swordfish\n");
    for format in [&["--json"][..], &["--format", "text"]] {
        let (mut child, mut peer) = connected(&[&["--user", "Newton", "--password-file", &secret], format].concat());
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"alias pw password\npw swordfish perch\nquit\n").unwrap();
        peer.say(GREETING);
        assert!(peer.line().starts_with("%b"));
        peer.say(IVARS_SET);
        assert_eq!(peer.line(), "Newton\n");
        peer.say("password: ");
        assert_eq!(peer.line(), "swordfish\n");
        peer.say("swordfish\n\r**** Starting FICS session as Newton ****\n\r\n\rfics% ");
        let number = peer.set_up("alias pw password");
        peer.reply(&number, "Alias set.\n\r");
        let number = peer.set_up("pw swordfish perch");
        peer.reply(&number, "Password changed to \"PER&#x43;H\".\n\r");
        peer.socket.get_ref().shutdown(Shutdown::Write).unwrap();
        drop(stdin);
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        let printed = text(&output.stdout).to_lowercase();
        assert!(printed.contains("*********"), "{printed}");
        assert!(!printed.contains("swordfish") && !printed.contains("perch"), "{printed}");
    }
}

#[test]
fn what_the_server_says_is_printed_before_it_says_more() {
    let (mut child, mut peer) = connected(&["--json"]);
    peer.say("login: ");
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let prompt = lines.find(|line| !line.contains("\"offset\":null")).unwrap();
    assert_eq!(timeless(&prompt), "{\"event\":\"login_prompt\",\"offset\":0,\"name\":null}\n");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn nobody_listens() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let output = start(&address, &[]).wait_with_output().unwrap();
    assert_fails_with_one_line(&output, NO_SESSION, &format!("kibitzer: cannot connect to {address}: "));
}

#[test]
fn the_server_of_this_machine_has_to_be_started() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    drop(listener);
    let output = said(&["demo"], &[("KIBITZER_PORTS", &port)]);
    assert_fails_with_one_line(&output, NO_SESSION, &format!("kibitzer: cannot connect to demo (127.0.0.1:{port}): "));
    assert!(text(&output.stderr).contains("`kibitzer serve` starts it"), "{output:?}");
}

#[cfg(unix)]
#[test]
fn a_low_limit_of_open_files_is_an_error_and_leaves_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("localhost:{}", listener.local_addr().unwrap().port());
    drop(listener);
    let folder = std::env::temp_dir().join(format!("kibitzer-limit-{}", std::process::id()));
    let mut n_refused = 0;
    for limit in 5..20 {
        std::fs::create_dir(&folder).unwrap();
        let mut shell = std::process::Command::new("sh");
        let program = env!("CARGO_BIN_EXE_kibitzer");
        let line = format!("ulimit -n {limit}; exec {program} connect --record r --attach-socket s {address}");
        let output = shell.args(["-c", &line]).current_dir(&folder).stdin(Stdio::null()).output().unwrap();
        let error = text(&output.stderr);
        let is_refused = error.ends_with("connection refused\n");
        n_refused += i32::from(is_refused);
        let error = error.strip_prefix("kibitzer: recording in r\n").unwrap_or(&error);
        assert!(error.starts_with("kibitzer: cannot ") && error.lines().count() == 1, "{limit}: {error}");
        assert!(is_refused || error.contains("oo many open files"), "{limit}: {error}");
        assert_eq!(output.status.code(), Some(if output.stdout.is_empty() { FAILED } else { NO_SESSION }), "{error}");
        let left = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
        assert_eq!(left.count(), 0, "{limit}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
    assert!((1..15).contains(&n_refused), "some limits are enough, others are not: {n_refused}");
}

#[test]
fn the_login_fails() {
    let (child, mut peer) = connected(&[]);
    peer.say(GREETING);
    drop(peer);
    let output = child.wait_with_output().unwrap();
    assert_fails_with_one_line(&output, NO_SESSION, "kibitzer: cannot connect to 127.0.0.1:");
}

#[test]
fn the_connection_is_reset() {
    let (mut child, mut peer) = connected(&["--no-reconnect"]);
    peer.log_in();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"finger\n").unwrap();
    peer.set_up("finger");
    stdin.write_all(b"date\n").unwrap();
    // A socket that is closed with bytes unread is reset.
    peer.socket.get_ref().peek(&mut [0]).unwrap();
    drop(peer);
    let output = child.wait_with_output().unwrap();
    assert_fails_with_one_line(&output, LOST, "kibitzer: session on 127.0.0.1:");
}

#[test]
fn nobody_reads_on() {
    let (mut child, mut peer) = connected(&[]);
    drop(child.stdout.take());
    // More than once: a program that another test starts at this moment has the pipe open for as long as that takes.
    while peer.socket.get_mut().write_all(GREETING.as_bytes()).is_ok() {}
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn an_address_that_is_none_is_refused() {
    for address in ["localhost:", "localhost:five", ":5000", "fe80::1"] {
        let output = start(address, &[]).wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{address}");
    }
}

/// Everything a session tells of itself, in the order of `session.txt`; times are not ours to say.
#[test]
fn what_a_session_tells_of_itself_is_printed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut child = start(&listener.local_addr().unwrap().to_string(), &["--json"]);
    child.stdin.take().unwrap().write_all(b"observe 7\n").unwrap();
    let mut first = accept(&listener);
    first.log_in();
    let number = first.set_up("observe 7");
    first.reply(&number, &format!("You are now observing game 7.\n\r{BOARD}"));
    first.socket.get_ref().shutdown(Shutdown::Write).unwrap();
    let mut second = accept(&listener);
    second.log_in();
    let number = second.set_up("observe 7");
    second.reply(&number, &format!("You are now observing game 7.\n\r{BOARD}"));
    second.say("**** GuestPUPE has arrived - you can't both be logged in. ****\n\r");
    second.socket.get_ref().shutdown(Shutdown::Write).unwrap();
    let output = child.wait_with_output().unwrap();
    let printed = text(&output.stdout);
    let own = printed.lines().filter(|line| line.contains("\"offset\":null"));
    let own = own.filter(|line| !line.contains("\"sent\"") || line.contains("observe"));
    let own = own.filter(|line| !line.contains("\"answered\"") || !line.contains("\"set_up\""));
    let told = own.flat_map(|line| [without_delays(&timed(line)), "\n".to_owned()]).collect::<String>();
    let table = include_str!("session.txt");
    assert_eq!(told, table.split_once("\n\n").unwrap().1);
    assert_fails_with_one_line(&output, LOST, "kibitzer: session on 127.0.0.1:");
}

/// The line without its times, which it has to have.
fn timed(line: &str) -> String {
    let (event, rest) = line.split_once(",\"t\":").unwrap();
    let (_, keys) = rest.split_once("Z\"").unwrap();
    event.to_owned() + keys
}

/// The line with 0 for every number behind `_ms":`.
fn without_delays(line: &str) -> String {
    let mut parts = line.split("_ms\":");
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |line, part| line + "_ms\":0" + part.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

#[test]
fn a_reply_comes_from_a_live_server_and_people_are_spared_the_rest() {
    let server = serve(&["--no-population"]);
    let mut child = start(&server.address, &[]);
    child.stdin.take().unwrap().write_all(b"games\nquit\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let printed = text(&output.stdout);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    assert!(printed.contains("\nThere are no games in progress.\n"), "{printed}");
    assert!(printed.contains("\n**** Starting FICS session as Guest") && printed.contains("\n* ready\n"), "{printed}");
    assert!(printed.ends_with("* session over: quit\n"), "{printed}");
    for noise in ["fics%", "Style 12 set", "reply ", "telnet"] {
        assert!(!printed.contains(noise), "{noise} in {printed}");
    }
}

const ACCOUNTS: &str = "[[account]]\nhandle = 'Newton'\npassword = 'swordfish'\n";

#[test]
fn passwords_come_from_where_nobody_sees_them() {
    let server = serve(&["--no-population", "--accounts", &file("connect-accounts.toml", ACCOUNTS)]);
    let secret = file("connect-password", "swordfish\n");
    let command = format!("cat {secret}");
    let profile = file(
        "connect-profile.toml",
        format!(
            "host = '127.0.0.1'\nports = [{}]\nhandle = 'Newton'\npassword_from = {{ file = '{secret}' }}\n",
            port(&server.address)
        ),
    );
    let sources: [&[&str]; 4] = [
        &[&server.address, "--user", "Newton", "--password-file", &secret],
        &[&server.address, "--user", "newton", "--password-command", &command],
        &[&profile],
        &[&profile, "--user", "NEWTON"],
    ];
    for arguments in sources {
        let output = said(arguments, &[]);
        assert!(text(&output.stdout).contains("Starting FICS session as Newton"), "{arguments:?}: {output:?}");
    }
    let output = said(&[&server.address, "--user", "Newton"], &[("KIBITZER_PASSWORD", "swordfish")]);
    assert!(text(&output.stdout).contains("Starting FICS session as Newton"), "{output:?}");
    let output = said(&[&profile, "--guest", "--user", "Leibniz"], &[]);
    assert!(text(&output.stdout).contains("Starting FICS session as Leibniz(U)"), "{output:?}");
}

/// A session that only quits.
fn said(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let arguments = [&["connect", "--for", "1m"], arguments].concat();
    let mut command = kibitzer(&arguments);
    let mut child = command.envs(variables.iter().copied()).stdin(Stdio::piped()).spawn().unwrap();
    // A program that cannot log in may be gone.
    let _ = child.stdin.take().unwrap().write_all(b"quit\n");
    child.wait_with_output().unwrap()
}

fn port(address: &str) -> &str {
    address.rsplit(':').next().unwrap()
}

#[test]
fn logins_that_fail_are_told_in_one_line() {
    let server = serve(&["--no-population", "--accounts", &file("connect-accounts-2.toml", ACCOUNTS)]);
    let wrong = file("connect-wrong-password", "goldfish\n");
    let exposed = "Cargo.toml";
    let cases: [(&[&str], i32, &str); 5] = [
        (&["--user", "Newton", "--password-file", &wrong], NO_SESSION, "wrong password"),
        (&["--user", "Newton", "--password-command", "false"], FAILED, "password command false failed: exit status: 1"),
        (&["--user", "Newton", "--password-file", exposed], FAILED, "has to be a regular file of yours with mode 0600"),
        (&["--guest", "--user", "Newton"], NO_SESSION, "name belongs to an account, which requires a password"),
        (&["--user", "Newton"], FAILED, "no password for Newton"),
    ];
    for (arguments, status, want) in cases {
        let output = said(&[&[&*server.address], arguments].concat(), &[]);
        assert_fails_with_one_line(&output, status, "kibitzer: ");
        assert!(text(&output.stderr).contains(want), "{output:?}");
        assert!(!text(&output.stderr).contains("fish"), "{output:?}");
    }
}

#[test]
fn what_is_wrong_in_a_profile_is_told_with_its_line() {
    let profile = file("connect-wrong-profile.toml", "host = 'localhost'\nprots = [5000]\n");
    let output = said(&[&profile], &[]);
    assert_fails_with_one_line(&output, FAILED, &format!("kibitzer: {profile}, line 2: "));
}

#[test]
fn url_that_cannot_be_used_is_reported_in_one_line() {
    let output = said(&["wss://"], &[]);
    assert_fails_with_one_line(&output, FAILED, "kibitzer: wss://: the URL has no host");
    let url = "wss://localhost:1";
    let profile = file("connect-ca.toml", format!("url = '{url}'\nca_file = 'no/such/ca.pem'\n"));
    let output = said(&[&profile], &[]);
    let want = format!("kibitzer: cannot connect to {profile} (localhost:1): no/such/ca.pem: No such file");
    assert_fails_with_one_line(&output, FAILED, &want);
    let server = serve(&["--no-population"]);
    let url = format!("wss://{}", server.address);
    let want = format!("kibitzer: cannot connect to {url}: TLS: the handshake failed");
    assert_fails_with_one_line(&said(&[&url], &[]), NO_SESSION, &want);
}

#[test]
fn arguments_that_contradict_each_other_are_refused() {
    let cases: [&[&str]; 5] = [
        &["--guest", "--password-command", "true"],
        &["--password-file", "a", "--password-command", "b"],
        &["--json", "--format", "text"],
        &["--user", "No one"],
        &["--password", "swordfish"],
    ];
    for arguments in cases {
        let output = said(arguments, &[]);
        assert_eq!((output.status.code(), text(&output.stderr).lines().count()), (Some(2), 1), "{output:?}");
    }
}
