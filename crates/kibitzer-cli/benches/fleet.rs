//! Fifty publishers with a million events, ten of which are killed again and again; a consumer checks that every event arrives once and
//! in order. `docs/scale.md` has its figures.
//!
//! `NATS_SERVER` names the server's program. Arguments: publishers, victims, events of each session.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

#[path = "../tests/fleet/mod.rs"]
mod fleet;
#[path = "../../kibitzer-nats/tests/common/mod.rs"]
mod nats_server;

use std::path::Path;

use fleet::Fleet;
use nats_server::NatsServer;

fn main() {
    let mut sizes = std::env::args().filter_map(|argument| argument.parse().ok());
    let mut size = |default| sizes.next().unwrap_or(default);
    let fleet = Fleet { n_publishers: size(50), n_victims: size(10), events_per_session: size(20_000) };
    let Some(server) = NatsServer::start("fleet-bench") else { return };
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fleet-bench");
    let outcome = runtime.block_on(fleet.run(&folder, &server.url()));
    let n_events = fleet.n_publishers * fleet.events_per_session;
    let seconds = outcome.elapsed.as_secs_f64();
    println!("{fleet:?}: {n_events} events, each once and in order, {seconds:.1} s");
    println!("{} kills, {} MB, publishers' peak {:?} kB", outcome.n_kills, outcome.bytes / 1_000_000, outcome.peak_kb);
}
