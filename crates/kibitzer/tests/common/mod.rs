//! A server in the hands of a test, at the other end of a pipe, or of a benchmark's socket.

#![allow(dead_code, clippy::allow_attributes, reason = "no test file uses all of it")]

use std::future::Future;
use std::io;
use std::time::Duration;

use kibitzer::{Client, Dial, Profile};
use kibitzer_core::Event;
use kibitzer_core::hub::{RecvError, Subscription};
use kibitzer_core::wire::unseal;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader, DuplexStream, duplex};
use tokio::sync::mpsc;

/// Capacity of a pipe in bytes.
pub(crate) const PIPE_BYTES: usize = 16 << 10;

pub(crate) const GREETING: &str = "Welcome\n\r\n\rlogin: ";
pub(crate) const BOARD: &str = "\n\r<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 7 \
    Newton Einstein 0 2 12 39 39 119 122 1 P/e2-e4 (0:06) e4 0\n\r";

/// Accepts the connections of clients, over pipes.
pub(crate) struct Listener {
    accepted: mpsc::UnboundedReceiver<DuplexStream>,
}

/// Returns a listener, and the profile of a guest that connects to it.
pub(crate) fn listen() -> (Listener, Profile) {
    listen_with(PIPE_BYTES)
}

/// As [`listen`], with pipes of this capacity.
pub(crate) fn listen_with(pipe_bytes: usize) -> (Listener, Profile) {
    let (sender, accepted) = mpsc::unbounded_channel();
    let dial = Dial::with(move || {
        let (client, server) = duplex(pipe_bytes);
        let outcome = sender.send(server).map_err(|_| io::Error::from(io::ErrorKind::ConnectionRefused));
        async move { outcome.map(|()| client) }
    });
    (Listener { accepted }, Profile::new("chess.example").dial(dial).session(|session| session.seed(7)))
}

impl Listener {
    /// Waits for the next connection.
    pub(crate) async fn accept(&mut self) -> Peer {
        Peer::new(self.accepted.recv().await.unwrap())
    }

    /// Returns a guest's session that is ready, and its connection.
    pub(crate) async fn guest(&mut self, profile: Profile) -> (Client, Peer) {
        let connecting = async {
            let mut peer = self.accept().await;
            peer.log_in().await;
            peer
        };
        let starting = Client::builder(profile).start();
        let (client, mut peer) = tokio::join!(starting, connecting);
        let client = client.unwrap();
        peer.serving(client.ready()).await.unwrap();
        peer.heard.clear();
        (client, peer)
    }
}

/// The server's end of a connection. It answers like FICS: login string, ivars, block mode.
pub(crate) struct Peer<S = DuplexStream> {
    io: BufReader<S>,
    /// The received part of the next line.
    line: Vec<u8>,
    /// The rest of a text that was being sent when its future was dropped.
    unsent: Vec<u8>,
    /// Whether received lines are sealed by timeseal.
    is_sealed: bool,
    /// Whether commands begin with a number.
    is_numbered: bool,
    /// Commands that were answered, without their numbers.
    pub(crate) heard: Vec<String>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Peer<S> {
    pub(crate) fn new(io: S) -> Self {
        let io = BufReader::new(io);
        Self { io, line: Vec::new(), unsent: Vec::new(), is_sealed: false, is_numbered: true, heard: Vec::new() }
    }

    /// Expects a client that seals its lines.
    pub(crate) fn sealed(self) -> Self {
        Self { is_sealed: true, ..self }
    }

    /// Sets whether the client uses block mode.
    pub(crate) fn in_blocks(self, is_numbered: bool) -> Self {
        Self { is_numbered, ..self }
    }

    pub(crate) async fn say(&mut self, text: impl AsRef<[u8]>) {
        self.unsent.extend_from_slice(text.as_ref());
        while !self.unsent.is_empty() {
            let n = self.io.get_mut().write(&self.unsent).await.unwrap();
            self.unsent.drain(..n);
        }
    }

    /// Sends a text. Returns whether the client is still connected.
    pub(crate) async fn try_say(&mut self, text: &str) -> bool {
        self.io.get_mut().write_all(text.as_bytes()).await.is_ok()
    }

    /// Waits for the next line of the client, without its end; `None` once it has disconnected.
    pub(crate) async fn next_line(&mut self) -> Option<String> {
        if self.io.read_until(b'\n', &mut self.line).await.unwrap() == 0 && self.line.is_empty() {
            return None;
        }
        let mut line = std::mem::take(&mut self.line);
        if self.is_sealed {
            line = unseal(&line).unwrap().text;
            line.push(b'\n');
        }
        let line = String::from_utf8(line).unwrap();
        Some(line.strip_suffix('\n').unwrap_or_else(|| panic!("half a line: {line:?}")).to_owned())
    }

    pub(crate) async fn line(&mut self) -> String {
        self.next_line().await.unwrap_or_else(|| panic!("the client has hung up"))
    }

    /// Logs in a guest, up to the first prompt.
    pub(crate) async fn log_in(&mut self) {
        self.ask_name().await;
        assert_eq!(self.line().await, "guest");
        self.say(
            "\n\rLogging you in as \"GuestPUPE\"; you may use this name to play unrated games.\n\r\n\r\
             Press return to enter the server as \"GuestPUPE\": ",
        )
        .await;
        assert_eq!(self.line().await, "");
        self.say("\n\r**** Starting FICS session as GuestPUPE(U) ****\n\r\n\rfics% ").await;
    }

    /// Sends the greeting and the second `login: `.
    pub(crate) async fn ask_name(&mut self) {
        self.say(GREETING).await;
        assert!(self.line().await.starts_with("%b"));
        self.say("\n\r#Ivars set.\n\r\n\rlogin: ").await;
    }

    /// Answers commands until the future is ready.
    pub(crate) async fn serving<T>(&mut self, until: impl Future<Output = T>) -> T {
        tokio::select! {
            biased;
            output = until => output,
            () = self.serve() => panic!("the client has hung up"),
        }
    }

    /// Answers commands until the client disconnects.
    pub(crate) async fn serve(&mut self) {
        while let Some(line) = self.next_line().await {
            self.answer(&line).await;
        }
    }

    pub(crate) async fn answer(&mut self, line: &str) {
        if !self.is_numbered {
            self.heard.push(line.to_owned());
            return self.say(format!("{}fics% ", run(line).1)).await;
        }
        let Some((number, command)) = split_number(line) else {
            return self.say("\x150\x16519\x16\x17\n\rfics% ").await;
        };
        self.heard.push(command.to_owned());
        let (code, text) = run(command);
        self.say(block(number, code, &text)).await;
    }

    /// Waits for the next line, which has to be this command, and returns its number.
    pub(crate) async fn expect(&mut self, command: &str) -> u32 {
        let line = self.line().await;
        let (number, got) = split_number(&line).unwrap_or_else(|| panic!("no number: {line:?}"));
        assert_eq!(got, command);
        number
    }

    /// Returns the connection without its buffers.
    pub(crate) fn into_socket(self) -> S {
        self.io.into_inner()
    }

    /// Waits until the client has disconnected.
    pub(crate) async fn hung_up(&mut self) {
        while self.next_line().await.is_some() {}
    }
}

/// A reply in block mode.
pub(crate) fn block(number: u32, code: u32, text: &str) -> String {
    format!("\x15{number}\x16{code}\x16{text}\x17\n\rfics% ")
}

fn split_number(line: &str) -> Option<(u32, &str)> {
    let (number, command) = line.split_once(' ')?;
    Some((number.parse().ok()?, command))
}

fn run(command: &str) -> (u32, String) {
    let words: Vec<_> = command.trim_start_matches('$').split(' ').collect();
    match words[..] {
        ["iset" | "set", name, ..] => (56, format!("{name} set.\n\r")),
        ["ivariables"] => {
            (58, "Interface variable settings of GuestPUPE:\n\r\n\rblock=1   ms=1   nowrap=1\n\r\n\r".to_owned())
        }
        ["date"] => (32, "Local time     - Sat Nov 21,  0:22 UTC\n\r".to_owned()),
        ["observe", game] => (80, format!("You are now observing game {game}.\n\r{BOARD}")),
        ["tell", player, ..] => (132, format!("(told {player})\n\r")),
        ["e2e4"] => (1, "You are not playing or examining a game.\n\r".to_owned()),
        ["finger", ..] => (37, "Finger of Newton:\n\r\n\r".to_owned()),
        ["quit"] => (0, "Logging you out.\n\r".to_owned()),
        _ => (512, format!("{command}: Command not found.\n\r")),
    }
}

/// Waits for the first event for which `take` returns a value. Panics at the end of the session.
pub(crate) async fn wait_for<T>(events: &mut Subscription, mut take: impl FnMut(&Event) -> Option<T>) -> T {
    loop {
        match events.recv().await {
            Ok(event) => {
                if let Some(found) = take(&event) {
                    return found;
                }
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// Returns all events of a subscription until the session is over.
pub(crate) async fn collect(mut events: Subscription) -> Vec<Event> {
    let mut all = Vec::new();
    loop {
        match events.recv().await {
            Ok(event) => all.push(Event::clone(&event)),
            Err(RecvError::Closed) => return all,
            Err(error) => panic!("{error}"),
        }
    }
}

pub(crate) const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}
