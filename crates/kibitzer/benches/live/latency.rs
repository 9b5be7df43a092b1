//! From the server's write to a subscriber that has the board, against floor (e): a bare task that has the bytes.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use kibitzer::Client;
use kibitzer_core::hub::Subscription;
use kibitzer_core::message::Message;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::server::{self, BOARDS};
use crate::{profile, runtime, streams};

/// The server's silence before a board, in which everybody falls asleep.
const PAUSE: Duration = Duration::from_micros(100);

/// What a subscriber may have its boards later, at the median.
const LATER: Duration = Duration::from_micros(5);

/// How much later it may have the slowest of a hundred.
const TIMES: f64 = 1.5;

/// What happens at this end: which boards go out, and when each of them was read.
struct Line {
    messages: Vec<Vec<u8>>,
    read: Receiver<Instant>,
}

pub(crate) fn run(is_quick: bool) {
    let (n_rounds, n_boards) = if is_quick { (2, 50) } else { (12, 4_000) };
    println!("{:<28} {:>9} {:>9} {:>9}", "microseconds to", "p50", "p90", "p99");
    let (read_at, read) = mpsc::channel();
    let (measured, samples) = mpsc::channel();
    let line = Line { messages: streams::messages(n_boards), read };
    let port = server::start(move |listener| async move { measure(&listener, &line, n_rounds, &measured).await });
    let (floor, subject) = runtime().block_on(async {
        let client = Client::connect(profile(port)).await.unwrap();
        tokio::spawn(note_boards(client.subscribe(), read_at.clone()));
        client.request(BOARDS).await.unwrap();
        let bare = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        tokio::spawn(note_reads(bare, read_at));
        let collected = tokio::task::spawn_blocking(move || collect(&samples, n_rounds)).await.unwrap();
        client.shutdown().await;
        collected
    });
    print_rows(&floor, &subject);
}

/// The best of each figure: another program's turn on the processor is not ours.
#[derive(Clone, Copy, Debug)]
struct Percentiles([Duration; 3]);

impl Percentiles {
    fn of(mut samples: Vec<Duration>) -> Self {
        samples.sort();
        Self([50, 90, 99].map(|percent| samples[samples.len() * percent / 100]))
    }

    fn best(self, other: Self) -> Self {
        Self([0, 1, 2].map(|i| self.0[i].min(other.0[i])))
    }

    fn print(self, name: &str) {
        let [p50, p90, p99] = self.0.map(|time| time.as_secs_f64() * 1e6);
        println!("{name:<28} {p50:>9.1} {p90:>9.1} {p99:>9.1}");
    }
}

fn print_rows(floor: &Percentiles, subject: &Percentiles) {
    floor.print("(e) a task that reads");
    subject.print("a subscriber of a client");
    let ([p50, _, p99], [floor_p50, _, floor_p99]) = (subject.0, floor.0);
    let later = p50.saturating_sub(floor_p50);
    let times = p99.as_secs_f64() / floor_p99.as_secs_f64();
    let mark = |is_met| if is_met { "pass" } else { "FAIL" };
    println!("{}: p50 {later:.1?} later, <= {LATER:?}", mark(later <= LATER));
    println!("{}: p99 {times:.2} x (e), <= {TIMES}", mark(times <= TIMES));
}

/// Best of all rounds, floor and subject.
fn collect(samples: &Receiver<[Vec<Duration>; 2]>, n_rounds: usize) -> (Percentiles, Percentiles) {
    let rounds = (0..n_rounds).map(|_| samples.recv().unwrap().map(Percentiles::of));
    let best = rounds.reduce(|[a, b], [c, d]| [a.best(c), b.best(d)]);
    let [floor, subject] = best.unwrap();
    (floor, subject)
}

/// The server's end: a board to the one, a board to the other, and each time who has read it says when.
async fn measure(listener: &TcpListener, line: &Line, n_rounds: usize, measured: &Sender<[Vec<Duration>; 2]>) {
    let mut peer = server::accept(listener).await;
    peer.log_in().await;
    assert!(server::serve_until_boards(&mut peer).await, "the client stays");
    let bare = server::accept(listener).await.into_socket();
    let mut sockets = [bare, peer.into_socket()];
    for _ in 0..n_rounds {
        let mut samples = [Vec::new(), Vec::new()];
        for message in &line.messages {
            for (socket, samples) in sockets.iter_mut().zip(&mut samples) {
                thread::sleep(PAUSE);
                let written = Instant::now();
                socket.write_all(message).await.unwrap();
                samples.push(line.read.recv().unwrap() - written);
            }
        }
        if measured.send(samples).is_err() {
            break;
        }
    }
}

/// A subscriber that says when it has a board.
async fn note_boards(mut events: Subscription, read_at: Sender<Instant>) {
    while let Ok(event) = events.recv().await {
        if matches!(event.message(), Some(Message::Style12(_))) && read_at.send(Instant::now()).is_err() {
            break;
        }
    }
}

/// Floor (e).
async fn note_reads(mut socket: TcpStream, read_at: Sender<Instant>) {
    let mut buffer = [0; 4096];
    while socket.read(&mut buffer).await.is_ok_and(|n_bytes| n_bytes > 0) {
        if read_at.send(Instant::now()).is_err() {
            break;
        }
    }
}
