//! Processor time of the page's server: 1,000 events a second for 50 viewers, pushed as the program does, every 25 ms.
//!
//! Prints the part of a core that the thread of the server used. Linux only.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement fails by panicking")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use kibitzer::EventReader;
use kibitzer_web::{Hub, SourceInfo, WebEvent, WebOptions, WebServer, request_channel};
use tokio::runtime::Builder;

const VIEWERS: usize = 50;
const PER_TICK: u64 = 25;
const TICK: Duration = Duration::from_millis(25);
const LENGTH: Duration = Duration::from_secs(10);

/// Nanoseconds that this thread has run.
fn cpu_time_ns() -> u64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse().unwrap()
}

fn main() {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let server = runtime.block_on(WebServer::bind(WebOptions::new(SocketAddr::from(([127, 0, 0, 1], 0))))).unwrap();
    let address: SocketAddr = server.links().first().unwrap().split('/').nth(2).unwrap().parse().unwrap();
    let hub = Hub::new(SourceInfo::new("session", "bench"), 1);
    let received = Arc::<AtomicU64>::default();
    for _ in 0..VIEWERS {
        let received = Arc::clone(&received);
        thread::spawn(move || {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(format!("GET /events HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes()).unwrap();
            let mut buffer = vec![0; 64 << 10];
            while let Ok(n) = stream.read(&mut buffer) {
                received.fetch_add(n as u64, Ordering::Relaxed);
            }
        });
    }
    let line = b"<12> rnbqkb-r pppppppp -----n-- -------- ----P--- -------- PPPPKPPP RNBQ-BNR B -1 0 0 1 1 0 7 Newton Einstein 0 3 2 39 \
        39 178 174 2 K/e1-e2 (0:04) Ke2 0 1 0\n\r";
    runtime.block_on(async {
        let (sender, _requests) = request_channel();
        let pushed = async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let (began, before, mut n) = (Instant::now(), cpu_time_ns(), 0);
            let mut ticks = tokio::time::interval(TICK);
            while began.elapsed() < LENGTH {
                ticks.tick().await;
                for _ in 0..PER_TICK {
                    n += 1;
                    let event = EventReader::default().next(&mut &line[..]).unwrap();
                    let mut published = WebEvent::new(n, "position", Vec::new());
                    event.write_json(",\"t\":1.000000,\"utc\":null", &mut published.json);
                    published.game = event.affected_game();
                    published.event = Some(&event);
                    hub.push(&published);
                }
                hub.wake();
            }
            let (used, passed) = (Duration::from_nanos(cpu_time_ns() - before), began.elapsed());
            let share = 100.0 * used.as_secs_f64() / passed.as_secs_f64();
            let megabytes = received.load(Ordering::Relaxed) >> 20;
            println!("{n} events in {passed:.1?} to {VIEWERS} viewers, {megabytes} MiB: {share:.1} % of a core");
        };
        tokio::select! {
            () = server.serve(hub.clone(), sender) => {}
            () = pushed => {}
        }
    });
}
