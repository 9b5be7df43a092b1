//! A stream through a socket, parsed, applied and handed to subscribers, against floor (c): the lines of the same stream
//! from a socket, dropped. Beside it the lower bound for a program without the client: the same lines, and the boards
//! among them parsed by floor (b), which checks nothing and keeps no game.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use kibitzer::{Client, EventDecoder};
use kibitzer_core::hub::{RecvError, Subscription};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_util::codec::{Framed, LinesCodec};

use crate::corpus::Corpus;
use crate::floors::{self, Checksum};
use crate::server::{self, BOARDS};
use crate::{profile, runtime, streams, subjects};

pub(crate) fn run(is_quick: bool) {
    let (n_bytes, n_rounds) = if is_quick { (200_000, 2) } else { (20_000_000, 21) };
    println!("{:<7} {:<26} {:>8} {:>8} {:>8} {:>7}", "stream", "read by", "best ms", "median", "MB/s", "x (c)");
    for corpus in [streams::boards(n_bytes), streams::mixed(n_bytes)] {
        runtime().block_on(compare(&corpus, n_rounds));
    }
}

/// The subjects, from the floor on; the times of each round are in this order.
const SUBJECTS: [&str; 5] = [
    "(c) LinesCodec, dropped",
    "LinesCodec, floor (b)",
    "EventDecoder, dropped",
    "client, 1 subscriber",
    "client, 64, one stuck",
];

/// At least this part of floor (c)'s throughput; `None` without a budget.
fn budget(stream: &str, subject: &str) -> Option<f64> {
    match (stream, subject) {
        ("boards", "client, 1 subscriber") => Some(0.45),
        ("mixed", "client, 1 subscriber") => Some(0.38),
        (_, "client, 64, one stuck") => Some(0.2),
        _ => None,
    }
}

/// Connections to the same stream, read in turn.
async fn compare(corpus: &Corpus, n_rounds: usize) {
    let stream: Arc<[u8]> = corpus.bytes.clone().into();
    let (bare_stream, session_stream) = (Arc::clone(&stream), stream);
    let bare_port = server::start(move |listener| server::bare(listener, bare_stream));
    let port = server::start(move |listener| server::sessions(listener, session_stream));
    let mut bare = connect(bare_port).await;
    let mut decoded = Framed::new(TcpStream::connect(("127.0.0.1", bare_port)).await.unwrap(), EventDecoder::default());
    let mut alone = Reader::start(port).await;
    let mut crowd = Crowd::start(port).await;
    let mut times = [const { Vec::new() }; SUBJECTS.len()];
    let want = floors::read_boards(&corpus.bytes);
    for _ in 0..n_rounds {
        let round = [
            timed(drop_lines(&mut bare, &corpus.bytes)).await,
            timed(parse_lines(&mut bare, &corpus.bytes, &want)).await,
            timed(drop_events(&mut decoded, &want)).await,
            alone.round(&want).await.0,
            crowd.round(&want).await,
        ];
        times.iter_mut().zip(round).for_each(|(times, time)| times.push(time));
    }
    let floor = *times[0].iter().min().unwrap();
    for (name, times) in SUBJECTS.into_iter().zip(times) {
        print_row(corpus, name, times, floor);
    }
}

async fn timed(subject: impl Future<Output = ()>) -> Duration {
    let start = Instant::now();
    subject.await;
    start.elapsed()
}

fn print_row(corpus: &Corpus, name: &str, mut times: Vec<Duration>, floor: Duration) {
    times.sort();
    let (best, median) = (times[0].as_secs_f64(), times[times.len() / 2].as_secs_f64());
    let rate = corpus.bytes.len() as f64 / best / 1e6;
    let ratio = floor.as_secs_f64() / best;
    let mark = |least| if ratio >= least { "pass" } else { "FAIL" };
    let verdict = budget(corpus.name, name).map_or(String::new(), |least| format!("{}: >= {least} x (c)", mark(least)));
    let (stream, best, median) = (corpus.name, best * 1e3, median * 1e3);
    println!("{stream:<7} {name:<26} {best:>8.1} {median:>8.1} {rate:>8.0} {ratio:>7.2}  {verdict}");
}

/// A socket whose lines are wanted.
pub(crate) async fn connect(port: u16) -> Framed<TcpStream, LinesCodec> {
    Framed::new(TcpStream::connect(("127.0.0.1", port)).await.unwrap(), LinesCodec::new())
}

/// Floor (c): asks for the stream, takes its lines, and drops them.
pub(crate) async fn drop_lines(socket: &mut Framed<TcpStream, LinesCodec>, stream: &[u8]) {
    socket.get_mut().write_all(b"\n").await.unwrap();
    for _ in memchr::memchr_iter(b'\n', stream) {
        socket.next().await.unwrap().unwrap();
    }
}

/// What a program without the client does at least: takes the lines, and parses the boards.
async fn parse_lines(socket: &mut Framed<TcpStream, LinesCodec>, stream: &[u8], want: &Checksum) {
    socket.get_mut().write_all(b"\n").await.unwrap();
    let mut read = Checksum::default();
    for _ in memchr::memchr_iter(b'\n', stream) {
        let line = socket.next().await.unwrap().unwrap();
        match floors::read_board(line.as_bytes()) {
            Some(board) => read.add_board(&board),
            None => read.add_frame(),
        }
    }
    assert_eq!(read.sum, want.sum, "every board, as the server sent it");
}

/// What a client does with the stream, without the client: no task, no sharing, no session.
async fn drop_events(socket: &mut Framed<TcpStream, EventDecoder>, want: &Checksum) {
    socket.get_mut().write_all(b"\n").await.unwrap();
    let mut read = Checksum::default();
    while read.n_boards < want.n_boards {
        if let Some(message) = socket.next().await.unwrap().unwrap().message() {
            subjects::add(&mut read, message);
        }
    }
    assert_eq!(read.sum, want.sum, "every board, as the server sent it");
}

/// A session with one subscriber.
struct Reader {
    client: Client,
    events: Subscription,
}

impl Reader {
    async fn start(port: u16) -> Self {
        let client = Client::connect(profile(port)).await.unwrap();
        let events = client.subscribe();
        Self { client, events }
    }

    /// Reads the stream once; returns how long that took, and how many events it was.
    async fn round(&mut self, want: &Checksum) -> (Duration, u64) {
        let start = Instant::now();
        self.client.request(BOARDS).await.unwrap();
        let read = count_boards(&mut self.events, want.n_boards).await;
        let time = start.elapsed();
        assert_eq!((read.n_boards, read.sum), (want.n_boards, want.sum), "every board, as the server sent it");
        (time, read.n_frames)
    }
}

/// Takes events until so many boards have come; fails if one is missed. The frames of the sum are all events.
pub(crate) async fn count_boards(events: &mut Subscription, n_boards: u64) -> Checksum {
    let mut read = Checksum::default();
    while read.n_boards < n_boards {
        match events.recv().await.unwrap().message() {
            Some(message) => subjects::add(&mut read, message),
            None => read.add_frame(),
        }
    }
    read
}

/// A session with 64 subscribers, one of which reads nothing.
struct Crowd {
    reader: Reader,
    /// Those who read all; one that misses something panics.
    others: JoinSet<()>,
    stuck: Subscription,
}

impl Crowd {
    async fn start(port: u16) -> Self {
        let reader = Reader::start(port).await;
        let mut others = JoinSet::new();
        for _ in 0..62 {
            let mut events = reader.client.subscribe();
            others.spawn(async move {
                loop {
                    match events.recv().await {
                        Ok(_) => {}
                        Err(RecvError::Closed) => break,
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
        let stuck = reader.client.subscribe();
        Self { reader, others, stuck }
    }

    /// Reads the stream once; the one that is stuck is told exactly how much it missed.
    async fn round(&mut self, want: &Checksum) -> Duration {
        self.stuck = self.reader.client.subscribe();
        self.reader.events = self.reader.client.subscribe();
        let (time, n_read) = self.reader.round(want).await;
        assert!(self.others.try_join_next().is_none(), "nobody else misses anything");
        assert_eq!(count_waiting(&mut self.stuck), n_read + count_waiting(&mut self.reader.events), "the exact count");
        time
    }
}

/// How many events are there or were missed.
fn count_waiting(events: &mut Subscription) -> u64 {
    let mut n_events = 0;
    loop {
        match events.try_recv() {
            Ok(None) => break n_events,
            Ok(Some(_)) => n_events += 1,
            Err(RecvError::Lagged { missed }) => n_events += missed,
            Err(error) => panic!("{error}"),
        }
    }
}
