//! Sessions that are exposed on a socket, and their watchers.

#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails loudly")]

#[path = "../../kibitzer/tests/common/mod.rs"]
mod common;

use std::future::poll_fn;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener as StdListener;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::*;
use kibitzer::transcript::{Direction, Record, TranscriptReader};
use kibitzer::{Client, GameId, Observation, Profile, Tap, TapItem};
use kibitzer_attach::{
    AttachAccess, AttachError, AttachEvent, AttachedRequestError, AttachedSession, MissedAmounts, SessionSnapshot,
};
use kibitzer_core::event::{CloseCause, LostCause, RequestError, SessionEndReason};
use kibitzer_core::session::{Password, SessionState, TimesealChoice};
use kibitzer_core::{Event, EventReader};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;

/// A directory for one test, for its socket.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("kibitzer-attach-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn socket(&self) -> PathBuf {
        self.0.join("bot.sock")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A server, and the profile of a guest that names a socket.
fn exposed(folder: &Folder) -> (Listener, Profile) {
    let (listener, mut profile) = listen();
    profile.program.attach_socket = Some(folder.socket());
    (listener, profile)
}

/// The profile, with which watchers may send lines.
fn writable(mut profile: Profile) -> Profile {
    profile.program.attach_access = AttachAccess::Write;
    profile
}

/// Exposes a session as its profile says.
async fn expose(client: &Client, profile: &Profile) {
    let socket = kibitzer_attach::Listener::from_profile(profile).await.unwrap().unwrap();
    socket.expose(client, AttachAccess::from_profile(profile)).unwrap();
}

/// A guest's session, ready and exposed from its start.
async fn exposed_guest(listener: &mut Listener, profile: Profile) -> (Client, Peer) {
    let client = Client::builder(profile.clone()).start().await.unwrap();
    expose(&client, &profile).await;
    let mut peer = listener.accept().await;
    peer.log_in().await;
    peer.serving(client.ready()).await.unwrap();
    peer.heard.clear();
    (client, peer)
}

/// Attaches and returns the snapshot.
async fn attach(folder: &Folder) -> (AttachedSession, SessionSnapshot) {
    let mut session = AttachedSession::connect(folder.socket()).await.unwrap();
    let Some(AttachEvent::Snapshot(snapshot)) = session.recv().await.unwrap() else {
        panic!("no snapshot comes first")
    };
    (session, *snapshot)
}

/// Returns the next item.
async fn item(session: &mut AttachedSession) -> TapItem {
    match poll_fn(|context| session.poll_recv(context)).await.unwrap() {
        Some(AttachEvent::Item(item)) => item,
        other => panic!("{other:?}"),
    }
}

/// Returns the value of `take` for the first event for which there is one.
async fn seen<T>(session: &mut AttachedSession, mut take: impl FnMut(&Event) -> Option<T>) -> T {
    loop {
        if let Observation::Event { event, .. } = item(session).await.observation
            && let Some(found) = take(&event)
        {
            return found;
        }
    }
}

/// Waits for a line of the server that contains this text.
async fn line(session: &mut AttachedSession, text: &str) -> String {
    let holds = |event: &Event| {
        let raw = String::from_utf8_lossy(event.raw()).into_owned();
        raw.contains(text).then_some(raw)
    };
    seen(session, holds).await
}

/// Returns what can be compared of an item.
fn essence(item: &TapItem) -> Option<String> {
    Some(match &item.observation {
        Observation::Sent { bytes, kind, .. } => format!("{kind:?} {:?}", bytes.escape_ascii().to_string()),
        // The number of a request is not part of the stream.
        Observation::Event { event: Event::Sent { line, .. }, .. } => format!("sent {line:?}"),
        Observation::Event { event, .. } => {
            let fen = item.game.as_deref().map(kibitzer::Game::fen);
            format!("{event:?} {:?} {}", fen, event.raw().escape_ascii())
        }
        _ => return None,
    })
}

/// Returns everything that a tap receives until the session is over, and the received bytes.
async fn tapped(mut tap: Tap) -> (Vec<String>, Vec<u8>) {
    let (mut all, mut bytes) = (Vec::new(), Vec::new());
    while let Some(item) = tap.next().await {
        all.extend(essence(&item));
        if let Observation::Received(piece) = item.observation {
            bytes.extend(piece);
        }
    }
    (all, bytes)
}

/// Returns the same for a watcher.
async fn watched(mut session: AttachedSession) -> (Vec<String>, Vec<u8>) {
    let (mut all, mut bytes) = (Vec::new(), Vec::new());
    while let Some(event) = session.recv().await.unwrap() {
        let AttachEvent::Item(item) = event else { panic!("{event:?}") };
        all.extend(essence(&item));
        if let Observation::Received(piece) = item.observation {
            bytes.extend(piece);
        }
    }
    (all, bytes)
}

/// Serves two connections of a guest, with requests, talk, pings and a half line at the end.
async fn two_connections(listener: &mut Listener, client: &Client, is_sealed: bool) {
    let mut events = client.subscribe();
    for _ in 0..2 {
        let mut peer = listener.accept().await;
        if is_sealed {
            peer = peer.sealed();
            assert!(peer.line().await.starts_with("TIMESEAL2|"));
        }
        peer.log_in().await;
        peer.serving(client.ready()).await.unwrap();
        let observed = peer.serving(client.request("observe 7")).await.unwrap();
        assert!(observed.text().contains("now observing"), "{}", observed.text());
        if is_sealed {
            peer.say("[G]\0").await;
            assert!(peer.line().await.contains('9'), "the answer to a ping");
        }
        peer.say(
            "\n\rFoo tells you: this line is long enough to be one that the server has broken in two\n\r\\   x\n\r",
        )
        .await;
        peer.say("half a li").await;
        wait_for(&mut events, |event| event.raw().ends_with(b"x").then_some(())).await;
        drop(peer);
        wait_for(&mut events, |event| matches!(event, Event::Lost(_)).then_some(())).await;
    }
}

#[tokio::test]
async fn a_watcher_from_the_start_receives_the_items_of_a_tap() {
    for choice in [TimesealChoice::Off, TimesealChoice::V2] {
        let folder = Folder::new();
        let (mut listener, profile) = exposed(&folder);
        let reconnect = kibitzer_core::session::Reconnect::default().base(std::time::Duration::from_millis(1));
        let profile = profile.session(|session| session.timeseal(choice).reconnect(reconnect));
        let mut builder = Client::builder(profile.clone());
        let tap = builder.tap();
        let client = builder.start().await.unwrap();
        expose(&client, &profile).await;
        let (session, snapshot) = attach(&folder).await;
        assert_eq!((snapshot.handle, snapshot.games.len()), (None, 0));
        let (taking, watching) = (tokio::spawn(tapped(tap)), tokio::spawn(watched(session)));
        two_connections(&mut listener, &client, choice != TimesealChoice::Off).await;
        client.shutdown().await;
        let ((mut want, want_bytes), (got, got_bytes)) = (taking.await.unwrap(), watching.await.unwrap());
        assert_eq!(got_bytes, want_bytes);
        // Lines of the login are withheld.
        let mut is_shown = true;
        for line in &mut want {
            if line.starts_with("Login ") {
                is_shown = false;
                "Login \"\"".clone_into(line);
            } else if line.starts_with("sent ") && !std::mem::replace(&mut is_shown, true) {
                "sent None".clone_into(line);
            }
        }
        // The watcher may attach before or after the first events.
        let [want, got] = [want, got].map(|all| all.into_iter().filter(|piece| !is_first(piece)).collect::<Vec<_>>());
        for strand in [is_servers, is_sessions, is_order] {
            let [want, got] = [&want, &got].map(|all| all.iter().filter(|piece| strand(piece)).collect::<Vec<_>>());
            for (place, (got, want)) in got.iter().zip(&want).enumerate() {
                assert_eq!(got, want, "at {place}");
            }
            assert_eq!(got.len(), want.len());
        }
        // Consequences follow their cause.
        let place = |all: &[String], start: &str| all.iter().position(|piece| piece.starts_with(start)).unwrap();
        let said = got.iter().position(|piece| piece.contains("message: LoggedIn")).unwrap();
        assert!((said + 1..said + 3).contains(&place(&got, "LoggedIn")), "{got:?}");
        assert!(got.iter().any(|line| line.starts_with("Restored")), "{got:?}");
        assert!(got.last().unwrap().starts_with("Ended(Shutdown)"), "{got:?}");
    }
}

/// Returns whether it precedes the first received byte.
fn is_first(piece: &str) -> bool {
    ["Connecting(ConnectionAttempt { number: 1 })", "Connected", "Hello "].iter().any(|first| piece.starts_with(first))
}

/// Returns whether it was received.
fn is_servers(piece: &str) -> bool {
    piece.starts_with("Received")
}

/// Returns whether it is the event of a sent line.
fn is_order(piece: &str) -> bool {
    piece.starts_with("sent ")
}

/// Returns whether it is an event of the session, or sent bytes.
fn is_sessions(piece: &str) -> bool {
    !is_servers(piece) && !is_order(piece)
}

#[tokio::test]
async fn a_late_watcher_receives_a_snapshot_and_then_every_event() {
    let folder = Folder::new();
    let (mut listener, profile) = exposed(&folder);
    let (client, mut peer) = exposed_guest(&mut listener, profile).await;
    peer.serving(client.request("observe 7")).await.unwrap();
    peer.say("\n\r<b1> game 7 white [PN] black []\n\rfics% ").await;
    let mut joined = client.subscribe_with_games().await.unwrap();
    if joined.games[0].hands().is_none() {
        wait_for(&mut joined.events, |event| event.raw().starts_with(b"<b1>").then_some(())).await;
    }
    let (mut session, snapshot) = attach(&folder).await;
    assert_eq!(session.server(), "chess.example");
    assert_eq!((snapshot.state, snapshot.handle.unwrap().as_str()), (SessionState::Ready, "GuestPUPE"));
    let [game] = &snapshot.games[..] else { panic!("{:?}", snapshot.games) };
    let own = &client.subscribe_with_games().await.unwrap().games[0];
    assert_eq!((game.fen(), game.position()), (own.fen(), own.position()));
    assert!(snapshot.missed.is_zero());

    peer.serving(client.request("finger")).await.unwrap();
    let sent = seen(&mut session, |event| match event {
        Event::Sent { line, .. } => line.clone(),
        _ => None,
    });
    assert!(sent.await.ends_with(" finger"));
    assert_eq!(line(&mut session, "Finger").await, "Finger of Newton:");
    peer.say(BOARD.replace(" 119 122 ", " 118 122 ")).await;
    seen(&mut session, |event| (event.affected_game() == Some(GameId(7))).then_some(())).await;
    client.shutdown().await;
    let reason = seen(&mut session, |event| match event {
        Event::Ended(reason) => Some(reason.clone()),
        _ => None,
    });
    assert_eq!(reason.await, SessionEndReason::Shutdown);
    assert!(session.recv().await.unwrap().is_none());
}

#[tokio::test]
async fn a_watcher_that_attaches_within_a_line_receives_all_of_it() {
    // The first part is received before the watcher attaches; no part may become a line of its own.
    let cases: [(&str, &str, &str); 3] = [
        ("\n\rFoo tells you: hello ", "<12> world\n\rfics% ", "Foo tells you: hello <12> world"),
        ("\n\r\x1577\x1637\x16Finger of Newton:\n\rOn ", "for: 1 min\n\r\x17\n\rfics% ", "On for: 1 min"),
        ("\n\rFoo(TD) just sent you a message:\n\r", "    <12> hello\n\rfics% ", "    <12> hello"),
    ];
    for (begun, rest, want) in cases {
        let folder = Folder::new();
        let (mut listener, profile) = exposed(&folder);
        let (client, mut peer) = exposed_guest(&mut listener, profile).await;
        let mut events = client.subscribe();
        peer.say("\n\rBar shouts: mark\n\r").await;
        wait_for(&mut events, |event| event.raw().ends_with(b"mark").then_some(())).await;
        let n_before = client.counters().session.bytes_received;
        peer.say(begun).await;
        while client.counters().session.bytes_received < n_before + u64::try_from(begun.len()).unwrap() {
            tokio::task::yield_now().await;
        }
        let (mut session, _) = attach(&folder).await;
        peer.say(rest).await;
        let own = wait_for(&mut events, |event| {
            String::from_utf8_lossy(event.raw()).ends_with(want).then(|| event.raw().to_vec())
        });
        let own = own.await;
        let theirs = seen(&mut session, |event| {
            assert!(!event.raw().starts_with(b"<12>"), "{event:?}");
            (event.raw().ends_with(want.as_bytes())).then(|| event.raw().to_vec())
        });
        assert_eq!(theirs.await, own, "{want}");
        if begun.contains('\x15') {
            seen(&mut session, |event| (event.kind().as_str() == "block_end").then_some(())).await;
        }
        client.shutdown().await;
    }
}

/// Returns everything that is sent over the socket until it is closed.
async fn raw(mut socket: UnixStream) -> String {
    let mut text = String::new();
    socket.read_to_string(&mut text).await.unwrap();
    text
}

fn hex(text: &str) -> String {
    text.bytes().fold(String::new(), |digits, byte| format!("{digits}{byte:02x}"))
}

/// Reads until the input contains this text, and returns the input.
async fn raw_until(socket: &mut UnixStream, text: &str) -> String {
    let mut all = String::new();
    while !all.contains(text) {
        let mut buffer = vec![0; 4096];
        let n = socket.read(&mut buffer).await.unwrap();
        assert!(n > 0, "closed without {text}: {all}");
        all.push_str(std::str::from_utf8(&buffer[..n]).unwrap());
    }
    all
}

// Rules: transport LG2
#[tokio::test]
async fn no_secret_is_sent_over_the_socket_even_if_the_server_echoes_it() {
    const PASSWORD: &str = "swordfish";
    for choice in [TimesealChoice::Off, TimesealChoice::V2] {
        let folder = Folder::new();
        let (mut listener, profile) = exposed(&folder);
        let profile = profile
            .account("Newton".parse().unwrap(), Password::new(PASSWORD).unwrap())
            .session(|session| session.timeseal(choice));
        let client = Client::builder(profile.clone()).start().await.unwrap();
        expose(&client, &profile).await;
        let mut early = UnixStream::connect(folder.socket()).await.unwrap();
        let first = raw_until(&mut early, "\"stream\"").await;
        let mut peer = listener.accept().await;
        if choice != TimesealChoice::Off {
            peer = peer.sealed();
            peer.line().await;
        }
        peer.ask_name().await;
        assert_eq!(peer.line().await, "Newton");
        peer.say("\n\r\"Newton\" is a registered name.  If it is yours, type the password.\n\rpassword: ").await;
        assert_eq!(peer.line().await, PASSWORD);
        // In two reads: the test waits until the first one has reached the watcher.
        let (begun, rest) = PASSWORD.split_at(5);
        peer.say(begun).await;
        let masked = raw_until(&mut early, &hex("*****")).await;
        let late = UnixStream::connect(folder.socket()).await.unwrap();
        peer.say(format!("{rest}\n\r\n\r**** Starting FICS session as Newton ****\n\r\n\rfics% ")).await;
        peer.serving(client.ready()).await.unwrap();
        let number = peer.expect("stored").await;
        peer.say(block(number, 127, "Newton has no adjourned games.\n\r")).await;
        let changing = client.request("password swordfish marlin");
        let (changed, ()) = tokio::join!(changing, async {
            let number = peer.expect("password swordfish marlin").await;
            peer.say(block(number, 90, "Password changed.\n\r")).await;
        });
        changed.unwrap();
        client.shutdown().await;
        let all = format!("{first}{masked}{}{}", raw(early).await, raw(late).await);
        for secret in [PASSWORD, "marlin", "fish"] {
            assert!(!all.contains(&hex(secret)) && !all.contains(secret), "{secret} is in {all}");
        }
        assert!(!all.contains(&hex("Newton\n")), "{all}");
        let records: Vec<Record> = TranscriptReader::new(all.as_bytes()).map(Result::unwrap).collect();
        let sent = records.iter().filter(|record| record.direction == Direction::Sent);
        let hidden = sent.filter(|record| record.redacted).count();
        assert!(hidden >= 4, "login string, name, password, command: {hidden}");
    }
}

#[tokio::test]
async fn the_lines_of_the_socket_are_a_transcript() {
    let folder = Folder::new();
    let (mut listener, profile) = exposed(&folder);
    let (client, mut peer) = exposed_guest(&mut listener, profile).await;
    peer.serving(client.request("observe 7")).await.unwrap();
    let mut socket = UnixStream::connect(folder.socket()).await.unwrap();
    let first = raw_until(&mut socket, "\"stream\"").await;
    peer.serving(client.request("finger")).await.unwrap();
    client.shutdown().await;
    let all = format!("{first}{}", raw(socket).await);
    let records: Vec<_> = TranscriptReader::new(all.as_bytes()).map(Result::unwrap).collect();
    assert!(!records.is_empty() && records.iter().all(|record| record.utc.is_some()), "{all}");
    let bytes = records
        .into_iter()
        .filter(|record| record.direction == Direction::Received)
        .flat_map(|record| record.bytes)
        .collect::<Vec<_>>();
    let (mut reader, mut rest, mut n_fingers) = (EventReader::default(), &bytes[..], 0);
    while let Some(event) = reader.next(&mut rest) {
        n_fingers += usize::from(event.raw() == b"Finger of Newton:");
    }
    assert_eq!((reader.games().iter().count(), n_fingers), (1, 1));
    assert!(all.lines().next().unwrap().contains(r#""note":"hello","version":4,"program":"kibitzer "#), "{all}");
    assert!(all.lines().last().unwrap().contains(r#""note":"bye""#), "{all}");
}

#[tokio::test]
async fn a_watcher_without_write_access_sends_nothing() {
    let folder = Folder::new();
    let (mut listener, profile) = exposed(&folder);
    let (client, mut peer) = exposed_guest(&mut listener, profile).await;
    let (mut session, _) = attach(&folder).await;
    assert_eq!(session.access(), AttachAccess::Read);
    let requests = session.requests();
    let asking = tokio::spawn(async move { requests.request("resign").await });
    let refused = tokio::select! {
        refused = asking => refused.unwrap(),
        event = session.recv() => panic!("{event:?}"),
    };
    assert!(matches!(refused, Err(AttachedRequestError::ReadOnly)), "{refused:?}");
    peer.serving(client.request("finger")).await.unwrap();
    assert_eq!(peer.heard, ["finger"]);
    client.shutdown().await;
}

#[tokio::test]
async fn lines_of_a_watcher_are_sent_and_answered() {
    let folder = Folder::new();
    let (mut listener, profile) = exposed(&folder);
    let (client, mut peer) = exposed_guest(&mut listener, writable(profile)).await;
    let (mut session, _) = attach(&folder).await;
    assert_eq!(session.access(), AttachAccess::Write);
    let requests = session.requests();
    let watching = tokio::spawn(async move {
        let mut lines = Vec::new();
        while let Some(event) = session.recv().await.unwrap() {
            if let AttachEvent::Item(TapItem { observation: Observation::Event { event, .. }, .. }) = event {
                lines.push(String::from_utf8_lossy(event.raw()).into_owned());
            }
        }
        drop(session);
        lines
    });
    peer.serving(requests.request("finger")).await.unwrap();
    let outcomes = [
        peer.serving(requests.request("nonsense")).await.unwrap_err(),
        peer.serving(requests.request("tell Foo hi\nresign")).await.unwrap_err(),
        peer.serving(requests.request(&"x".repeat(2000))).await.unwrap_err(),
    ];
    assert!(outcomes[0].to_string().contains("nonsense: Command not found."), "{outcomes:?}");
    assert!(matches!(outcomes[1], AttachedRequestError::Request(RequestError::Command(_))), "{outcomes:?}");
    assert!(outcomes[2].to_string().contains("line of 2000 bytes"), "{outcomes:?}");
    assert_eq!(peer.heard, ["finger", "nonsense"]);
    client.shutdown().await;
    let lines = watching.await.unwrap();
    assert!(lines.iter().any(|line| line == "Finger of Newton:"), "{lines:?}");
    assert!(matches!(requests.request("finger").await, Err(AttachedRequestError::Detached)));
}

#[tokio::test]
async fn a_watcher_that_reads_nothing_delays_no_other_and_receives_its_losses() {
    const SHOUTS: usize = 4_000;
    let folder = Folder::new();
    let (mut listener, profile) = exposed(&folder);
    let (client, mut peer) = exposed_guest(&mut listener, profile).await;
    let (mut stuck, _) = attach(&folder).await;
    let (session, _) = attach(&folder).await;
    let quick = tokio::spawn(watched(session));
    let n_before = client.counters().session.bytes_received;
    for number in 0..SHOUTS {
        peer.say(format!("\n\rFoo shouts: {number} {}\n\rfics% ", "x".repeat(500))).await;
    }
    peer.serving(client.request("finger")).await.unwrap();
    let n_received = client.counters().session.bytes_received - n_before;

    let (mut n_seen, mut missed) = (0, MissedAmounts::default());
    let mut last = 0;
    // No event of the gap follows after it.
    while missed.is_zero() {
        match stuck.recv().await.unwrap().unwrap() {
            AttachEvent::Snapshot(snapshot) => missed = snapshot.missed,
            AttachEvent::Item(TapItem { observation: Observation::Received(bytes), .. }) => {
                n_seen += u64::try_from(bytes.len()).unwrap();
            }
            AttachEvent::Item(TapItem { observation: Observation::Event { event, .. }, .. }) => {
                let text = String::from_utf8_lossy(event.raw()).into_owned();
                if let Some(rest) = text.strip_prefix("Foo shouts: ") {
                    let number: usize = rest.split(' ').next().unwrap().parse().unwrap();
                    assert!(number == last || number == last + 1, "{number} after {last}");
                    last = number;
                }
            }
            _ => {}
        }
    }
    assert!(last + 1 < SHOUTS, "nothing was missed");
    assert_eq!(n_seen + missed.received_bytes, n_received, "{missed:?}");
    assert_eq!((missed.sent_lines, missed.notes), (1, 0));
    peer.say("\n\rFoo shouts: after the gap\n\rfics% ").await;
    line(&mut stuck, "after the gap").await;
    client.shutdown().await;
    let (all, bytes) = quick.await.unwrap();
    assert_eq!(all.iter().filter(|piece| piece.contains("Foo shouts:")).count(), SHOUTS + 1);
    assert!(u64::try_from(bytes.len()).unwrap() > n_received);
}

#[tokio::test]
async fn the_socket_is_private_used_once_and_removed_with_the_session() {
    let folder = Folder::new();
    let (mut listener, profile) = exposed(&folder);
    let (client, peer) = exposed_guest(&mut listener, profile.clone()).await;
    assert_eq!(std::fs::metadata(folder.socket()).unwrap().permissions().mode() & 0o777, 0o600);
    let second = kibitzer_attach::Listener::from_profile(&profile).await.unwrap_err();
    assert_eq!(second.kind(), io::ErrorKind::AddrInUse, "{second:?}");
    client.shutdown().await;
    drop(peer);
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 0);
    let error = AttachedSession::connect(folder.socket()).await.unwrap_err();
    assert!(matches!(error, AttachError::NoSocket { .. }), "{error}");
    let (client, _peer) = exposed_guest(&mut listener, profile).await;
    drop(attach(&folder).await);
    client.shutdown().await;
}

#[tokio::test]
async fn the_seventeenth_watcher_is_refused() {
    let folder = Folder::new();
    let (mut listener, profile) = exposed(&folder);
    let (client, _peer) = exposed_guest(&mut listener, profile).await;
    let mut sessions = Vec::new();
    for _ in 0..16 {
        sessions.push(attach(&folder).await);
    }
    let mut one_more = AttachedSession::connect(folder.socket()).await.unwrap();
    let error = one_more.recv().await.unwrap_err();
    assert!(matches!(&error, AttachError::Dismissed(reason) if reason.contains("too many watchers")), "{error}");
    drop(sessions.pop());
    // The place is free once the host has noticed.
    loop {
        let mut session = AttachedSession::connect(folder.socket()).await.unwrap();
        if session.recv().await.is_ok() {
            break;
        }
    }
    client.shutdown().await;
}

const HELLO: &str = r#"{"t": 1.0, "note": "hello", "version": 4, "program": "x", "server": "y", "access": "read"}"#;

/// A socket on which a test plays the process of a session.
fn listen_as_host(folder: &Folder) -> tokio::net::UnixListener {
    let listener = StdListener::bind(folder.socket()).unwrap();
    listener.set_nonblocking(true).unwrap();
    tokio::net::UnixListener::from_std(listener).unwrap()
}

/// Attaches to a process that sends this and closes the connection.
async fn attached_to(said: &str) -> Result<Option<AttachEvent>, AttachError> {
    let folder = Folder::new();
    let listener = listen_as_host(&folder);
    let telling = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(said.as_bytes()).await.unwrap();
    };
    let looking = async { AttachedSession::connect(folder.socket()).await?.recv().await };
    tokio::join!(telling, looking).1
}

#[tokio::test]
async fn lines_of_a_watcher_fail_at_once_when_it_is_detached() {
    for last in ["", "nonsense\n", "{\"t\": 2, \"note\": \"bye\", \"reason\": \"no\"}\n"] {
        let folder = Folder::new();
        let listener = listen_as_host(&folder);
        let hosting = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.write_all(format!("{HELLO}\n").as_bytes()).await.unwrap();
            raw_until(&mut stream, "finger").await;
            stream.write_all(last.as_bytes()).await.unwrap();
        };
        let watching = async {
            let mut session = AttachedSession::connect(folder.socket()).await.unwrap();
            let requests = session.requests();
            let (event, waiting) = tokio::join!(session.recv(), requests.request("finger"));
            assert!(event.is_err(), "{event:?}");
            for outcome in [waiting, requests.request("who").await] {
                assert!(matches!(outcome, Err(AttachedRequestError::Detached)), "{last}: {outcome:?}");
            }
        };
        let limited = tokio::time::timeout(std::time::Duration::from_secs(30), watching);
        tokio::join!(hosting, limited).1.unwrap();
    }
}

#[tokio::test]
async fn a_watcher_can_send_more_lines_after_callers_have_stopped_waiting() {
    let folder = Folder::new();
    let listener = listen_as_host(&folder);
    let hosting = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(format!("{HELLO}\n").as_bytes()).await.unwrap();
        stream
    };
    let (mut host, session) = tokio::join!(hosting, AttachedSession::connect(folder.socket()));
    let mut session = session.unwrap();
    let requests = session.requests();
    let watching = tokio::spawn(async move { session.recv().await.map(drop) });
    let mut callers = tokio::task::JoinSet::new();
    for number in 0..64 {
        let requests = requests.clone();
        callers.spawn(async move { requests.request(&format!("finger {number}")).await });
    }
    raw_until(&mut host, "\"id\":64,").await;
    drop(callers);
    let asking = tokio::spawn(async move { requests.request("who").await });
    raw_until(&mut host, "who").await;
    drop(host);
    assert!(matches!(asking.await.unwrap(), Err(AttachedRequestError::Detached)));
    assert!(matches!(watching.await.unwrap(), Err(AttachError::Gone)));
}

#[tokio::test]
async fn a_peer_that_is_no_session_of_this_version_is_reported() {
    let error = attached_to(&format!("{}\n", HELLO.replace("\"version\": 4", "\"version\": 1"))).await.unwrap_err();
    assert!(matches!(error, AttachError::Version { theirs: 1, ours: 4, .. }), "{error}");
    for said in ["SSH-2.0-x\n", "{}\n", "{\"t\": 1, \"dir\": \"rx\", \"hex\": \"\"}\n"] {
        let error = attached_to(said).await.unwrap_err();
        assert!(matches!(error, AttachError::InvalidLine), "{said}: {error}");
    }
    for said in ["", HELLO, &format!("{HELLO}\n"), &format!("{HELLO}\n{{\"t\": 2, \"note\": \"a later addition\"}}\n")]
    {
        let error = attached_to(said).await.unwrap_err();
        assert!(matches!(error, AttachError::Gone), "{said}: {error}");
    }
    let error =
        attached_to(&format!("{HELLO}\n{{\"t\": 2, \"note\": \"bye\", \"reason\": \"no\"}}\n")).await.unwrap_err();
    assert_eq!(error.to_string(), "detached: no");
    let error = attached_to(&format!("{HELLO}\nnonsense\n")).await.unwrap_err();
    assert!(matches!(error, AttachError::InvalidLine), "{error}");
}

#[tokio::test]
async fn the_end_of_a_session_has_its_reason() {
    let folder = Folder::new();
    let (mut listener, profile) = exposed(&folder);
    let never = profile.clone().session(|session| session.reconnect(kibitzer_core::session::Reconnect::never()));
    let client = Client::builder(never).start().await.unwrap();
    expose(&client, &profile).await;
    let (mut session, _) = attach(&folder).await;
    let mut peer = listener.accept().await;
    peer.log_in().await;
    peer.serving(client.ready()).await.unwrap();
    drop(peer);
    let cause = seen(&mut session, |event| match event {
        Event::Lost(loss) if loss.retry_in.is_none() => Some(loss.cause.clone()),
        _ => None,
    });
    assert_eq!(cause.await, LostCause::Connection(CloseCause::Closed));
    let reason = seen(&mut session, |event| match event {
        Event::Ended(reason) => Some(reason.clone()),
        _ => None,
    });
    assert_eq!(reason.await, client.ended().await);
    assert!(session.recv().await.unwrap().is_none());
}

#[tokio::test]
async fn a_watcher_that_sends_an_invalid_line_is_disconnected() -> io::Result<()> {
    let folder = Folder::new();
    let (mut listener, profile) = exposed(&folder);
    let (client, mut peer) = exposed_guest(&mut listener, writable(profile)).await;
    for (said, why) in [("GET / HTTP/1.1\r\n".to_owned(), "invalid line"), ("x".repeat(20_000), "too long")] {
        let mut socket = UnixStream::connect(folder.socket()).await?;
        socket.write_all(said.as_bytes()).await?;
        raw_until(&mut socket, why).await;
    }
    peer.serving(client.request("finger")).await.unwrap();
    client.shutdown().await;
    Ok(())
}

#[tokio::test]
async fn the_last_line_of_a_watcher_is_sent_and_answered() -> io::Result<()> {
    let folder = Folder::new();
    let (mut listener, profile) = exposed(&folder);
    let (client, mut peer) = exposed_guest(&mut listener, writable(profile)).await;
    let mut socket = UnixStream::connect(folder.socket()).await?;
    socket.write_all(b"{\"id\": 7, \"send\": \"finger\"}\n").await?;
    socket.shutdown().await?;
    let all = peer.serving(raw(socket)).await;
    assert!(all.contains(r#""note":"answer","id":7}"#), "{all}");
    assert_eq!(peer.heard, ["finger"]);
    client.shutdown().await;
    Ok(())
}

#[tokio::test]
async fn a_running_session_can_be_exposed_between_and_within_lines() {
    // Received before the session is exposed, and the rest of the line, which no watcher receives.
    for (before, rest) in [("\n\rfics% ", ""), ("\n\rFoo shouts: ", "one\n\r")] {
        let folder = Folder::new();
        let (mut listener, profile) = listen();
        let (client, mut peer) = listener.guest(profile).await;
        peer.serving(client.request("observe 7")).await.unwrap();
        let n_before = client.counters().session.bytes_received;
        peer.say(before).await;
        while client.counters().session.bytes_received < n_before + u64::try_from(before.len()).unwrap() {
            tokio::task::yield_now().await;
        }
        kibitzer_attach::expose(&client, folder.socket()).await.unwrap();
        let mut session = AttachedSession::connect(folder.socket()).await.unwrap();
        peer.say(rest).await;
        let first = session.recv().await.unwrap();
        assert!(matches!(&first, Some(AttachEvent::Snapshot(snapshot)) if snapshot.games.len() == 1), "{first:?}");
        peer.say("\n\rFoo shouts: two\n\r").await;
        let shout = seen(&mut session, |event| (!event.raw().is_empty()).then(|| event.raw().to_vec())).await;
        assert_eq!(shout, b"Foo shouts: two");
        client.shutdown().await;
    }
}
