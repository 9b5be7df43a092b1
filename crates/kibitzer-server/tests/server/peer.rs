//! A client that sends and receives bytes.

use std::time::Duration;

use kibitzer_server::{Account, Server, ServerOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::time;

/// After this time without output, on a paused clock, all output has been received.
const SILENCE: Duration = Duration::from_millis(1);

/// Sat Nov 21, 00:30 UTC 2026.
pub(crate) const START_S: u64 = 1_795_221_000;

pub(crate) struct Peer {
    stream: DuplexStream,
}

impl Peer {
    /// Connects and receives the banner.
    pub(crate) async fn connect(server: &Server) -> (Self, Vec<u8>) {
        let mut peer = Self { stream: server.connect().await.unwrap() };
        let banner = peer.heard().await;
        (peer, banner)
    }

    /// Logs in as a guest of that name.
    pub(crate) async fn guest(server: &Server, name: &str) -> Self {
        let (mut peer, _) = Self::connect(server).await;
        peer.ask(name).await;
        assert!(peer.ask("").await.ends_with("fics% "));
        peer
    }

    /// Logs in with the password `secret`.
    pub(crate) async fn player(server: &Server, name: &str) -> Self {
        let (mut peer, _) = Self::connect(server).await;
        peer.ask(name).await;
        assert!(peer.ask("secret").await.ends_with("fics% "));
        peer
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.unwrap();
    }

    /// All that comes until there is silence or the end.
    pub(crate) async fn heard(&mut self) -> Vec<u8> {
        let mut heard = Vec::new();
        while let Ok(Ok(1..)) = time::timeout(SILENCE, self.stream.read_buf(&mut heard)).await {}
        heard
    }

    /// The same, once the line ends are known to be LF CR, with LF alone.
    pub(crate) async fn text(&mut self) -> String {
        plain(&self.heard().await)
    }

    /// Sends a line and returns the reply.
    pub(crate) async fn ask(&mut self, line: &str) -> String {
        self.send(format!("{line}\n").as_bytes()).await;
        self.text().await
    }

    /// Ends the connection from this side.
    pub(crate) fn hang_up(&mut self) {
        self.stream = tokio::io::duplex(1).0;
    }

    /// Says that nothing more will be said.
    pub(crate) async fn end_input(&mut self) {
        self.stream.shutdown().await.unwrap();
    }

    /// Returns whether the server has closed the connection and no output is left.
    pub(crate) async fn is_closed(&mut self) -> bool {
        let mut byte = [0];
        matches!(time::timeout(SILENCE, self.stream.read(&mut byte)).await, Ok(Ok(0)))
    }
}

/// Text with LF for each LF CR; telnet commands as `<WILL ECHO>` and `<WONT ECHO>`.
pub(crate) fn plain(bytes: &[u8]) -> String {
    let mut text = String::new();
    let mut rest = bytes;
    while let Some((&byte, later)) = rest.split_first() {
        let (piece, length) = match rest {
            [b'\n', b'\r', ..] => ("\n".to_owned(), 2),
            [0xFF, 0xFB, 1, ..] => ("<WILL ECHO>".to_owned(), 3),
            [0xFF, 0xFC, 1, ..] => ("<WONT ECHO>".to_owned(), 3),
            _ => (char::from(byte).to_string(), 1),
        };
        assert!(!matches!(piece.as_str(), "\r"), "a stray CR behind {text:?}");
        text += &piece;
        rest = later.split_at(length - 1).1;
    }
    text
}

/// A server without sockets on which these names are registered, all with the password `secret`.
pub(crate) async fn server_with(names: &[&str]) -> Server {
    Server::start(options_with(names)).await.unwrap()
}

pub(crate) fn options_with(names: &[&str]) -> ServerOptions {
    let date = std::time::UNIX_EPOCH + Duration::from_secs(START_S);
    names.iter().fold(ServerOptions::new().in_process().date(date), |options, name| {
        options.account(Account::new(name.parse().unwrap(), "secret").rating("blitz", 1882))
    })
}
