//! `kibitzer connect` against a scripted server on a loopback port.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Command, Output, Stdio};

const GREETING: &str = "Welcome\n\rlogin: ";
const IVARS_SET: &str = "\n\r#Ivars set.\n\r\n\rlogin: ";
const GUEST: &str = "\n\rPress return to enter the server as \"GuestPUPE\": ";
const STARTING: &str = "\n\r**** Starting FICS session as GuestPUPE(U) ****\n\r\n\rfics% ";
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

    /// Answers the commands of the set-up, and returns the first one behind them, without its number.
    fn set_up(&mut self) -> String {
        loop {
            let line = self.line();
            let Some((number, command)) = line.trim_end().split_once(' ') else {
                // A line without a number, which shows that one is wanted.
                self.say("\x150\x16519\x16\x17\n\rfics% ");
                continue;
            };
            if !command.starts_with("set ") && !command.starts_with("iset ") && command != "ivariables" {
                return command.to_owned();
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
    (child, Peer { socket: BufReader::new(listener.accept().unwrap().0), said: Vec::new() })
}

fn start(address: &str, arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kibitzer"));
    command.args(["connect", address]).args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// What `kibitzer decode` prints for the same bytes.
fn decoded(bytes: &[u8], arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kibitzer"));
    command.arg("decode").args(arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    text(&child.wait_with_output().unwrap().stdout)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn assert_fails_with_one_line(output: &Output, start: &str) {
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(error.starts_with(start) && error.lines().count() == 1, "{error}");
}

#[test]
fn it_logs_in_prints_what_decode_prints_and_sends_what_is_typed() {
    for arguments in [&[][..], &["--format", "text"], &["--server", "fics"]] {
        let (mut child, mut peer) = connected(arguments);
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"say K\xc3\xb6ln\r\ntell a\x07b\nquit").unwrap();
        // Its end ends nothing.
        drop(stdin);
        peer.log_in();
        assert_eq!(peer.set_up(), "say K&#xf6;ln");
        assert!(peer.line().ends_with(" quit\n"));
        peer.say(FAREWELL);
        peer.socket.get_ref().shutdown(Shutdown::Write).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(text(&output.stdout), decoded(&peer.said, arguments));
        assert_eq!(text(&output.stderr), "kibitzer: not sent: control character in a line\n");
        assert!(output.status.success());
    }
}

#[test]
fn what_the_server_says_is_printed_before_it_says_more() {
    let (mut child, mut peer) = connected(&[]);
    peer.say("login: ");
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "{\"event\":\"login_prompt\",\"offset\":0,\"name\":null}\n");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn nobody_listens() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let output = start(&address, &[]).wait_with_output().unwrap();
    assert_fails_with_one_line(&output, &format!("kibitzer: cannot connect to {address}: "));
}

#[test]
fn the_login_fails() {
    let (child, mut peer) = connected(&[]);
    peer.say(GREETING);
    drop(peer);
    let output = child.wait_with_output().unwrap();
    assert_fails_with_one_line(&output, "kibitzer: cannot connect to 127.0.0.1:");
}

#[test]
fn the_connection_is_reset() {
    let (mut child, mut peer) = connected(&[]);
    peer.log_in();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"finger\n").unwrap();
    assert_eq!(peer.set_up(), "finger");
    stdin.write_all(b"date\n").unwrap();
    // A socket that is closed with bytes unread is reset.
    peer.socket.get_ref().peek(&mut [0]).unwrap();
    drop(peer);
    let output = child.wait_with_output().unwrap();
    assert_fails_with_one_line(&output, "kibitzer: connection to 127.0.0.1:");
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
