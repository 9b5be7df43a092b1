//! A scripted server on a loopback port says what was recorded, or what no server should.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails loudly")]

use std::error::Error as _;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use kibitzer::core::game::GameLimits;
use kibitzer::core::hub::{Hub, HubOptions, Publisher, RecvError, Subscription};
use kibitzer::core::message::{GameId, Message};
use kibitzer::core::session::CommandError;
use kibitzer::core::{Event, EventReader};
use kibitzer::transcript::{Direction, TranscriptReader};
use kibitzer::{ConnectError, ConnectOptions, LineWriter, ReadTask, SendError, connect};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
#[cfg(target_os = "linux")]
use tokio::net::TcpSocket;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// A server that has accepted one connection, and the client's side of it.
struct Pair {
    server: TcpStream,
    hub: Hub,
    subscription: Subscription,
    lines: LineWriter,
    reading: ReadTask,
}

impl Pair {
    async fn new() -> Self {
        Self::with(|options| options).await
    }

    async fn with(set: impl FnOnce(ConnectOptions) -> ConnectOptions) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let options = set(ConnectOptions::new("127.0.0.1", listener.local_addr().unwrap().port()));
        let publisher = Publisher::new(HubOptions::default());
        let hub = publisher.hub();
        let subscription = hub.subscribe_lossless(16);
        let (client, server) = tokio::join!(connect(&options, publisher), listener.accept());
        let (lines, reading) = client.unwrap();
        Self { server: server.unwrap().0, hub, subscription, lines, reading }
    }
}

/// All that a subscription brings until the session is over.
async fn collect(mut subscription: Subscription) -> Vec<Arc<Event>> {
    let mut events = Vec::new();
    loop {
        match subscription.next().await {
            Ok(event) => events.push(event),
            Err(RecvError::Closed) => return events,
            Err(error) => panic!("{error}"),
        }
    }
}

/// What the reader makes of the bytes at once.
fn read(mut bytes: &[u8]) -> Vec<Arc<Event>> {
    let mut reader = EventReader::default();
    let mut events = Vec::new();
    while let Some(event) = reader.next(&mut bytes) {
        events.push(Arc::new(event));
    }
    events.extend(std::iter::from_fn(|| reader.finish()).map(Arc::new));
    events
}

/// What the server sent in each recorded session, piece by piece.
fn recorded_sessions() -> Vec<(String, Vec<Vec<u8>>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/transcripts");
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let transcripts = paths.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    transcripts.map(|path| (path.display().to_string(), received(&path))).collect()
}

fn received(path: &Path) -> Vec<Vec<u8>> {
    let records = TranscriptReader::new(BufReader::new(File::open(path).unwrap())).map(Result::unwrap);
    records.filter(|record| record.direction == Direction::Received).map(|record| record.bytes).collect()
}

#[tokio::test]
async fn recorded_sessions_side_by_side_give_the_events_of_their_bytes() {
    let sessions = recorded_sessions();
    assert!(sessions.len() >= 6, "transcripts are missing");
    let mut checks = JoinSet::new();
    for (name, pieces) in sessions {
        checks.spawn(check_session(name, pieces));
    }
    checks.join_all().await;
}

async fn check_session(name: String, pieces: Vec<Vec<u8>>) {
    let Pair { mut server, subscription, reading, lines, .. } = Pair::new().await;
    let want = read(&pieces.concat());
    let serving = async {
        for piece in &pieces {
            server.write_all(piece).await.unwrap();
        }
        drop(server);
    };
    let ((), got) = tokio::join!(serving, collect(subscription));
    assert!(got == want, "{name}");
    reading.ended().await.unwrap();
    drop(lines);
}

#[tokio::test]
async fn nobody_listens() {
    // The port was free a moment ago, and nobody was told of it.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let publisher = Publisher::new(HubOptions::default());
    let mut subscription = publisher.hub().subscribe();
    let error = connect(&ConnectOptions::new("127.0.0.1", port), publisher).await.unwrap_err();
    assert!(matches!(error, ConnectError::Unreachable(_)), "{error:?}");
    assert_eq!(subscription.next().await, Err(RecvError::Closed));
}

/// Linux leaves a connection unanswered if the listener's queue is full; it takes one more than asked for.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn connecting_takes_no_longer_than_allowed() {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let queue = [TcpStream::connect(address).await.unwrap(), TcpStream::connect(address).await.unwrap()];
    tokio::time::pause();
    let options = ConnectOptions::new("127.0.0.1", address.port()).connect_timeout(Duration::from_secs(7));
    let error = connect(&options, Publisher::new(HubOptions::default())).await.unwrap_err();
    assert_eq!(error.to_string(), "no connection within 7s");
    drop((queue, listener));
}

#[tokio::test]
async fn half_a_line_at_the_close_is_an_event() {
    let Pair { mut server, subscription, reading, lines, .. } = Pair::new().await;
    server.write_all(b"fics% \n\rFoo shouts: he").await.unwrap();
    drop(server);
    let events = collect(subscription).await;
    assert_eq!(events.last().unwrap().raw(), b"Foo shouts: he");
    reading.ended().await.unwrap();
    drop(lines);
}

#[tokio::test]
async fn half_a_line_before_a_reset_is_an_event_and_the_reset_an_error() {
    let Pair { mut server, mut subscription, reading, lines, .. } = Pair::new().await;
    server.write_all(b"fics% \n\rFoo shouts: he").await.unwrap();
    // The prompt says that the bytes have come; a reset would overtake them.
    assert_eq!(subscription.next().await.unwrap().message(), Some(&Message::Prompt));
    server.set_zero_linger().unwrap();
    drop(server);
    let events = collect(subscription).await;
    assert_eq!(events.last().unwrap().raw(), b"Foo shouts: he");
    let error = reading.ended().await.unwrap_err();
    assert_eq!(error.to_string(), "connection lost");
    assert!(error.source().is_some());
    drop(lines);
}

#[tokio::test]
async fn a_line_of_ten_megabytes_is_cut_and_the_stream_goes_on() {
    const LENGTH: u64 = 10 << 20;
    let Pair { mut server, subscription, reading, lines, .. } = Pair::new().await;
    let serving = async {
        let piece = vec![b'x'; 1 << 16];
        for _ in 0..LENGTH >> 16 {
            server.write_all(&piece).await.unwrap();
        }
        server.write_all(b"\n\rFoo shouts: hello\n\r").await.unwrap();
        drop(server);
    };
    let ((), events) = tokio::join!(serving, collect(subscription));
    let [cut, shout] = &events[..] else { panic!("{} events", events.len()) };
    let Some(Message::OverLong { line, length }) = cut.message() else { panic!("{cut:?}") };
    assert!(line.as_bytes().len() < 100_000);
    assert_eq!(*length, LENGTH);
    assert_eq!(shout.raw(), b"Foo shouts: hello");
    reading.ended().await.unwrap();
    drop(lines);
}

#[tokio::test]
async fn lines_go_out_one_by_one_and_others_not_at_all() {
    let Pair { mut server, mut lines, reading, .. } = Pair::new().await;
    lines.send("guest").await.unwrap();
    for (line, want) in [
        ("tell Foo hi\nresign", CommandError::LineBreak),
        ("say \x07", CommandError::Control),
        (&*"x".repeat(5000), CommandError::TooLong { length: 5000 }),
    ] {
        let error = lines.send(line).await.unwrap_err();
        assert!(matches!(error, SendError::Line(error) if error == want), "{error:?}");
    }
    lines.send("").await.unwrap();
    lines.send("say Köln").await.unwrap();
    drop(lines);
    let mut sent = String::new();
    server.read_to_string(&mut sent).await.unwrap();
    assert_eq!(sent, "guest\n\nsay K&#xf6;ln\n");
    reading.stop().await;
}

#[tokio::test]
async fn a_server_that_takes_nothing_is_given_up() {
    let Pair { server, mut lines, reading, .. } = Pair::new().await;
    tokio::time::pause();
    let line = "x".repeat(900);
    let error = loop {
        if let Err(error) = lines.send(&line).await {
            break error;
        }
    };
    assert!(matches!(error, SendError::TimedOut(_)), "{error:?}");
    assert!(!format!("{lines:?}").contains("xxx"), "what was typed is not shown");
    reading.stop().await;
    drop(server);
}

#[tokio::test]
async fn a_stopped_task_ends_the_subscriptions() {
    let Pair { server, subscription, hub, reading, lines } = Pair::new().await;
    reading.stop().await;
    assert_eq!(collect(subscription).await, []);
    assert_eq!(hub.subscribe().next().await, Err(RecvError::Closed));
    drop((server, lines));
}

#[tokio::test]
async fn a_game_watched_in_a_quiet_session_is_there_at_once() {
    let Pair { mut server, mut subscription, hub, reading, lines } = Pair::new().await;
    let board = b"<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 7 \
        Newton Einstein 0 2 12 39 39 119 122 1 P/e2-e4 (0:06) e4 0\n\r";
    server.write_all(board).await.unwrap();
    let game = subscription.next().await.unwrap().game().unwrap();
    let mut watch = hub.watch_game(game);
    watch.changed().await.unwrap();
    assert_eq!(watch.latest().unwrap().position().move_number, 1);
    reading.stop().await;
    drop((server, lines));
}

#[tokio::test]
async fn the_reader_is_set_up_as_the_options_say() {
    let set = |options: ConnectOptions| options.prompt("my> ").game_limits(GameLimits::default().moves(1));
    let Pair { mut server, subscription, hub, reading, lines } = Pair::with(set).await;
    let mut watch = hub.watch_game(GameId(7));
    let said = b"my> <12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 7 \
        Newton Einstein 0 2 12 39 39 120 120 1 none (0:00) none 0\n\r<d1> 7 1 e4 e2e4 1 2\n\r<d1> 7 2 e5 e7e5 1 2\n\r";
    server.write_all(said).await.unwrap();
    drop(server);
    let events = collect(subscription).await;
    assert_eq!((events.len(), events[0].message()), (4, Some(&Message::Prompt)));
    let game = watch.latest().unwrap();
    assert_eq!((game.moves().len(), game.position().ply()), (1, 2));
    reading.ended().await.unwrap();
    drop(lines);
}

#[tokio::test]
async fn a_lossless_subscriber_that_does_not_read_holds_the_server_back_and_then_gets_everything() {
    const LINES: usize = 12_000;
    let Pair { mut server, subscription, reading, lines, .. } = Pair::new().await;
    let line = format!("Foo shouts: {}\n\r", "x".repeat(1000));
    let serving = tokio::spawn(async move {
        for _ in 0..LINES {
            server.write_all(line.as_bytes()).await.unwrap();
        }
    });
    for _ in 0..100_000 {
        tokio::task::yield_now().await;
    }
    assert!(!serving.is_finished(), "the socket buffers of a reader that stops do not hold 12 MB");
    assert_eq!(collect(subscription).await.len(), LINES);
    serving.await.unwrap();
    reading.ended().await.unwrap();
    drop(lines);
}
