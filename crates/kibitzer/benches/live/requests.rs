//! Requests and their replies, one at a time and many at once, against a bare task that writes the command and reads the
//! reply.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use kibitzer::Client;
use kibitzer_core::message::Ivar;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::{profile, runtime, server};

/// How many wait for a reply at once. The most that a session sends before it is answered, by default.
const MANY: usize = 16;

/// How replies are told apart.
#[derive(Clone, Copy)]
enum Mode {
    Blocks,
    Fences,
}

pub(crate) fn run(is_quick: bool) {
    let (n_rounds, n_requests) = if is_quick { (2, 64) } else { (9, 16_000) };
    println!("{:<28} {:>10} {:>12} {:>8}", "requests", "in flight", "a second", "x bare");
    let runtime = runtime();
    let floor = runtime.block_on(async {
        let port = server::start(echo);
        let mut socket = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        socket.set_nodelay(true).unwrap();
        let mut best = Duration::MAX;
        for _ in 0..n_rounds {
            best = best.min(ask_bare(&mut socket, n_requests).await);
        }
        best
    });
    print_row("bare socket", 1, n_requests, floor, floor);
    for (name, mode) in [("block mode", Mode::Blocks), ("fences", Mode::Fences)] {
        let client = runtime.block_on(connect(mode));
        for n_in_flight in [1, MANY] {
            let times = (0..n_rounds).map(|_| runtime.block_on(ask(&client, n_in_flight, n_requests)));
            print_row(name, n_in_flight, n_requests, times.min().unwrap(), floor);
        }
        runtime.block_on(client.shutdown());
    }
}

fn print_row(name: &str, n_in_flight: usize, n_requests: usize, time: Duration, floor: Duration) {
    let rate = n_requests as f64 / time.as_secs_f64();
    let ratio = floor.as_secs_f64() / time.as_secs_f64();
    println!("{name:<28} {n_in_flight:>10} {rate:>12.0} {ratio:>8.2}");
}

async fn connect(mode: Mode) -> Client {
    let port = server::start(move |listener| serve(listener, mode));
    let profile = match mode {
        Mode::Blocks => profile(port),
        Mode::Fences => profile(port).session(|session| session.without_ivar(Ivar::Block)),
    };
    let client = Client::connect(profile).await.unwrap();
    assert_eq!(client.capabilities().has(Ivar::Block), matches!(mode, Mode::Blocks));
    client
}

async fn serve(listener: TcpListener, mode: Mode) {
    let mut peer = server::accept(&listener).await;
    peer = match mode {
        Mode::Blocks => peer,
        Mode::Fences => peer.in_blocks(false),
    };
    peer.log_in().await;
    while server::serve_until_boards(&mut peer).await {}
}

/// Answers as a server does, without a login.
async fn echo(listener: TcpListener) {
    let mut peer = server::accept(&listener).await;
    while server::serve_until_boards(&mut peer).await {}
}

async fn ask(client: &Client, n_in_flight: usize, n_requests: usize) -> Duration {
    let start = Instant::now();
    join_all((0..n_in_flight).map(|_| async {
        for _ in 0..n_requests / n_in_flight {
            let reply = client.request("finger newton").await.unwrap();
            assert!(reply.lines().next().is_some_and(|line| line.starts_with(b"Finger of")));
        }
    }))
    .await;
    start.elapsed()
}

async fn ask_bare(socket: &mut TcpStream, n_requests: usize) -> Duration {
    let start = Instant::now();
    let (mut buffer, mut reply) = ([0; 4096], Vec::new());
    for _ in 0..n_requests {
        socket.write_all(b"1 finger newton\n").await.unwrap();
        reply.clear();
        while !reply.ends_with(b"fics% ") {
            let n_bytes = socket.read(&mut buffer).await.unwrap();
            assert!(n_bytes > 0, "the server stays");
            reply.extend_from_slice(&buffer[..n_bytes]);
        }
    }
    start.elapsed()
}
