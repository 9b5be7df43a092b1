//! Many sessions in one process: what each keeps while it is idle, and what all of them read at once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use kibitzer::Client;
use kibitzer_core::session::Timings;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::floors::{self, Checksum};
use crate::process::{self, Server};
use crate::server::{self, BOARDS};
use crate::{profile, runtime, stream, streams};

/// What an idle session may keep in memory.
const BUDGET_BYTES: u64 = 5_500;

/// Boards that all sessions together have to read in a second of processor time.
const BUDGET_BOARDS: f64 = 1e6;

/// A session, and its subscriber that counts boards.
struct Counted {
    client: Client,
    boards: JoinHandle<Checksum>,
}

/// Serves the sessions and, at a second port, floor (c).
pub(crate) fn serve(n_boards: usize) {
    let stream: Arc<[u8]> = streams::messages(n_boards).concat().into();
    let (port, sessions) = server::listen();
    let (bare_port, bare) = server::listen();
    println!("{port}\n{bare_port}");
    runtime().block_on(async {
        let (sessions, bare) = (TcpListener::from_std(sessions).unwrap(), TcpListener::from_std(bare).unwrap());
        tokio::join!(server::sessions(sessions, Arc::clone(&stream)), server::bare(bare, stream));
    });
}

pub(crate) fn run(is_quick: bool) {
    let (steps, n_boards) = if is_quick { ([10, 20, 40], 100) } else { ([250, 500, 1_000], 10_000) };
    let probe_after = Duration::from_millis(if is_quick { 200 } else { 15_000 });
    let timings = Timings::default().probe_after(probe_after).probe_timeout(Duration::from_mins(1));
    let server = Server::start(n_boards);
    let [port, bare_port] = server.ports;
    runtime().block_on(async {
        let sessions = open(port, timings, probe_after * 3 / 2, steps, n_boards as u64).await;
        let stream = streams::messages(n_boards).concat();
        let times = [read_all(sessions, &stream).await, drop_all(bare_port, steps[2], &stream).await];
        print_load(steps[2] * n_boards, times);
    });
}

/// Opens sessions and tells what each keeps once the server was silent so long (`quiet`) that it was asked for a sign of life.
async fn open(port: u16, timings: Timings, quiet: Duration, steps: [usize; 3], n_boards: u64) -> Vec<Counted> {
    // What all share is there from the first on.
    let mut sessions = vec![Counted::start(port, timings, n_boards).await];
    sleep(quiet).await;
    println!("{:<28} {:>12} {:>12}", "idle sessions", "bytes each", "of the last");
    let first = (1, process::resident_bytes());
    let mut last = first;
    for n_sessions in steps {
        while sessions.len() < n_sessions {
            sessions.push(Counted::start(port, timings, n_boards).await);
        }
        sleep(quiet).await;
        let now = (n_sessions, process::resident_bytes());
        print_kept(now, each(first, now), each(last, now));
        last = now;
    }
    sessions
}

/// Bytes for each session that was opened in between.
fn each(before: (usize, Option<u64>), now: (usize, Option<u64>)) -> Option<u64> {
    let n_sessions = u64::try_from(now.0 - before.0).unwrap();
    Some(now.1?.saturating_sub(before.1?) / n_sessions)
}

fn print_kept((n_sessions, _): (usize, Option<u64>), all: Option<u64>, last: Option<u64>) {
    let (Some(all), Some(last)) = (all, last) else {
        return println!("{n_sessions:<28} not known on this system");
    };
    let mark = if all <= BUDGET_BYTES { "pass" } else { "FAIL" };
    println!("{n_sessions:<28} {all:>12} {last:>12}  {mark}: <= {BUDGET_BYTES}");
}

impl Counted {
    async fn start(port: u16, timings: Timings, n_boards: u64) -> Self {
        let client = Client::connect(profile(port).session(|session| session.timings(timings))).await.unwrap();
        let mut events = client.subscribe();
        let boards = tokio::spawn(async move { stream::count_boards(&mut events, n_boards).await });
        Self { client, boards }
    }
}

/// What reading took: time, and processor time of this process.
struct Taken {
    time: Duration,
    processor_time: Option<Duration>,
}

/// Measures what a future takes.
async fn measure(future: impl Future<Output = ()>) -> Taken {
    let (start, used) = (Instant::now(), process::processor_time());
    future.await;
    let processor_time = process::processor_time().zip(used).map(|(now, before)| now.saturating_sub(before));
    Taken { time: start.elapsed(), processor_time }
}

/// Has all sessions read all their boards, and compares.
async fn read_all(sessions: Vec<Counted>, stream: &[u8]) -> Taken {
    let want = floors::read_boards(stream);
    let (clients, boards): (Vec<_>, Vec<_>) =
        sessions.into_iter().map(|session| (session.client, session.boards)).unzip();
    let taken = measure(async {
        for reply in join_all(clients.iter().map(|client| client.request(BOARDS))).await {
            reply.unwrap();
        }
        for read in join_all(boards).await {
            let read = read.unwrap();
            assert_eq!((read.n_boards, read.sum), (want.n_boards, want.sum), "every board, as the server sent it");
        }
    })
    .await;
    let reconnects: u64 = clients.iter().map(|client| client.counters().session.reconnects).sum();
    assert_eq!(reconnects, 0, "no connection was lost");
    join_all(clients.iter().map(Client::shutdown)).await;
    taken
}

/// Floor (c), on as many sockets.
async fn drop_all(port: u16, n_sockets: usize, stream: &[u8]) -> Taken {
    let mut sockets = Vec::new();
    for _ in 0..n_sockets {
        sockets.push(stream::connect(port).await);
    }
    measure(async {
        let stream: Arc<[u8]> = stream.into();
        let tasks = sockets.into_iter().map(|mut socket| {
            let stream = Arc::clone(&stream);
            tokio::spawn(async move { stream::drop_lines(&mut socket, &stream).await })
        });
        for task in join_all(tasks).await {
            task.unwrap();
        }
    })
    .await
}

fn print_load(n_boards: usize, [sessions, floor]: [Taken; 2]) {
    println!(
        "{:<28} {:>10} {:>12} {:>10} {:>14}",
        "all boards, counted", "seconds", "boards/s", "CPU s", "boards/CPU s"
    );
    for (name, taken) in [("(c) LinesCodec, dropped", floor), ("sessions", sessions)] {
        let (time, used) = (taken.time.as_secs_f64(), taken.processor_time.map_or(f64::NAN, |used| used.as_secs_f64()));
        let (rate, each) = (n_boards as f64 / time, n_boards as f64 / used);
        let mark = if each >= BUDGET_BOARDS { "pass" } else { "FAIL" };
        let verdict = if name == "sessions" { format!("{mark}: >= {BUDGET_BOARDS}") } else { String::new() };
        println!("{name:<28} {time:>10.2} {rate:>12.0} {used:>10.2} {each:>14.0}  {verdict}");
    }
    if let Some(peak) = process::peak_bytes() {
        println!("at most {:.1} MB resident", peak as f64 / 1e6);
    }
}
