//! Servers to which no WebSocket can be opened: each failure is an error with its reason.

use std::io;
use std::time::Duration;

use kibitzer::{Client, ConnectError, Profile};
use kibitzer_core::event::DialError;
use kibitzer_websocket::WebSocketListener;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::certificates::Certificates;

/// The failure of a first connection.
async fn failure(profile: Profile) -> DialError {
    match Client::connect(profile).await {
        Err(ConnectError::Dial(error)) => error,
        other => panic!("{other:?}"),
    }
}

/// A server that reads the request and writes an answer, with an endless header if required; returns the failure and the request.
async fn answered(answer: &'static str, is_endless: bool) -> (DialError, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("ws://{}/ics", listener.local_addr().unwrap());
    let serving = async {
        let mut stream = listener.accept().await.unwrap().0;
        let mut request = vec![0; 4096];
        let n_read = stream.read(&mut request).await.unwrap();
        stream.write_all(answer.as_bytes()).await.unwrap();
        while is_endless && stream.write_all(&[b'x'; 4096]).await.is_ok() {}
        request.truncate(n_read);
        String::from_utf8(request).unwrap()
    };
    tokio::join!(failure(Profile::fics().url(&url).unwrap().origin("https://chess.example")), serving)
}

#[tokio::test]
async fn answers_other_than_that_of_a_websocket_are_errors() {
    let cases = [
        ("not found", "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", DialError::HttpStatus(404)),
        (
            "a redirection is not followed",
            "HTTP/1.1 301 Moved Permanently\r\nLocation: ws://127.0.0.1:1/\r\n\r\n",
            DialError::HttpStatus(301),
        ),
        ("a chess server without WebSocket", "login: \r\n\r\n", DialError::NoWebSocket),
        (
            "a wrong key",
            "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: AAAA\r\n\r\n",
            DialError::NoWebSocket,
        ),
        (
            "a key that is too long",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             sec-websocket-accept: AAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n\r\n",
            DialError::NoWebSocket,
        ),
        ("closed at once", "", DialError::Failed(io::ErrorKind::UnexpectedEof)),
    ];
    for (name, answer, want) in cases {
        let (found, request) = answered(answer, false).await;
        assert_eq!(found, want, "{name}");
        assert!(request.starts_with("GET /ics HTTP/1.1\r\nHost: 127.0.0.1:"), "{request}");
        assert!(request.contains("\r\norigin: https://chess.example\r\n"), "{request}");
    }
}

#[tokio::test]
async fn an_endless_answer_is_an_error_before_it_fills_the_memory() {
    let (found, _) = answered("HTTP/1.1 101 Switching Protocols\r\nX: ", true).await;
    assert_eq!(found, DialError::HandshakeTooLong);
}

#[tokio::test]
async fn one_timeout_applies_to_a_connection_with_all_its_handshakes() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    // The system accepts the connection, and nobody answers.
    for scheme in ["ws", "wss"] {
        let profile = Profile::fics().url(&format!("{scheme}://127.0.0.1:{port}")).unwrap();
        let found = failure(profile.connect_timeout(Duration::from_millis(50))).await;
        assert_eq!(found, DialError::TimedOut, "{scheme}");
    }
}

#[tokio::test]
async fn certificates_that_are_not_valid_for_the_host_are_refused() {
    let (ours, other) = (Certificates::new("ours"), Certificates::new("other"));
    let valid = (2020, 4000);
    let cases = [
        ("issued by an unknown authority", &other, "localhost", valid, DialError::UnknownCertificateIssuer),
        ("for another host", &ours, "chess.example", valid, DialError::CertificateOfOtherHost),
        ("expired", &ours, "localhost", (2000, 2001), DialError::CertificateExpired),
        ("not valid yet", &ours, "localhost", (3000, 4000), DialError::CertificateNotYetValid),
    ];
    for (name, issuer, host, years, want) in cases {
        let (certificate, key) = issuer.issue(host, years);
        let address = "127.0.0.1:0".parse().unwrap();
        let mut listener = WebSocketListener::bind(address, Some((&certificate, &key))).await.unwrap();
        let url = format!("wss://localhost:{}", listener.local_addr().unwrap().port());
        let profile = Profile::fics().url(&url).unwrap().ca_file(ours.authority());
        tokio::select! {
            found = failure(profile) => assert_eq!(found, want, "{name}"),
            stream = listener.accept() => panic!("{name}: {stream:?}"),
        }
    }
}

#[tokio::test]
async fn a_server_without_tls_is_an_error_of_the_handshake() {
    let (mut listener, url) = plain_listener("wss").await;
    tokio::select! {
        found = failure(Profile::fics().url(&url).unwrap()) => assert_eq!(found, DialError::TlsHandshake),
        stream = listener.accept() => panic!("{stream:?}"),
    }
}

#[tokio::test]
async fn a_listener_answers_and_closes_connections_that_are_no_websockets() {
    let (mut listener, url) = plain_listener("http").await;
    let asking = async {
        let mut stream = TcpStream::connect(url.trim_start_matches("http://")).await.unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: chess.example\r\n\r\n").await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        String::from_utf8(answer).unwrap()
    };
    tokio::select! {
        answer = asking => assert_eq!(answer, "HTTP/1.1 400 Bad Request\r\n\r\n"),
        stream = listener.accept() => panic!("{stream:?}"),
    }
}

async fn plain_listener(scheme: &str) -> (WebSocketListener, String) {
    let listener = WebSocketListener::bind("127.0.0.1:0".parse().unwrap(), None).await.unwrap();
    let url = format!("{scheme}://{}", listener.local_addr().unwrap());
    (listener, url)
}
