//! `kibitzer connect` against a scripted server on a loopback port.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Command, Output, Stdio};

const GREETING: &[u8] = b"Welcome\n\rlogin: ";
const REST: &[u8] = b"\xff\xfb\x01password: \xff\xfc\x01\n\r**** Starting FICS session as Foo ****\n\r\n\rfics% \n\r\
    Bar tells you: hello\n\rfics% Logging you out.\n\r";

/// The program, connected to a server that the test plays.
fn connected(arguments: &[&str]) -> (Child, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let child = start(&listener.local_addr().unwrap().to_string(), arguments);
    (child, listener.accept().unwrap().0)
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
fn it_prints_what_decode_prints_and_sends_what_is_typed() {
    for arguments in [&[][..], &["--format", "text"], &["--server", "fics"]] {
        let (mut child, mut server) = connected(arguments);
        server.write_all(GREETING).unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"Foo\r\nsecret\nsay K\xc3\xb6ln\ntell a\x07b\nquit").unwrap();
        // Its end ends nothing.
        drop(stdin);
        let mut sent = BufReader::new(server.try_clone().unwrap());
        for want in ["Foo\n", "secret\n", "say K&#xf6;ln\n", "quit\n"] {
            let mut line = String::new();
            sent.read_line(&mut line).unwrap();
            assert_eq!(line, want);
        }
        server.write_all(REST).unwrap();
        server.shutdown(Shutdown::Write).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(text(&output.stdout), decoded(&[GREETING, REST].concat(), arguments));
        assert_eq!(text(&output.stderr), "kibitzer: not sent: control character in a line\n");
        assert!(output.status.success());
        assert!(!text(&output.stdout).contains("secret"));
    }
}

#[test]
fn what_the_server_says_is_printed_before_it_says_more() {
    let (mut child, mut server) = connected(&[]);
    server.write_all(b"login: ").unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "{\"event\":\"login_prompt\",\"offset\":0,\"name\":null}\n");
    drop(server);
    assert!(child.wait().unwrap().success());
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
fn the_connection_is_reset() {
    let (mut child, mut server) = connected(&[]);
    child.stdin.take().unwrap().write_all(b"Foo\n").unwrap();
    server.read_exact(&mut [0]).unwrap();
    server.write_all(b"login: ").unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut String::new()).unwrap();
    // A socket that is closed with bytes unread is reset.
    drop(server);
    let output = child.wait_with_output().unwrap();
    assert_fails_with_one_line(&output, "kibitzer: connection to 127.0.0.1:");
}

#[test]
fn nobody_reads_on() {
    let (mut child, mut server) = connected(&[]);
    drop(child.stdout.take());
    // More than once: a program that another test starts at this moment has the pipe open for as long as that takes.
    while server.write_all(GREETING).is_ok() {}
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
