//! What a live session costs, against floors timed in the same run: `cargo bench -p kibitzer --bench live`.
//!
//! Parts are `sessions`, `stream`, `latency` and `requests`; name some to run only those. Everything goes over loopback
//! sockets. The server's end (`server`) is a thread of its own, and for `sessions`, where memory and processor time of the
//! client alone are told, a process of its own: this program, started again. What the client reads is compared with what
//! floor (b) of the core's benchmarks reads in the same stream. Without `--bench` (`cargo test --benches`), or with
//! `--quick` or `--test`, there is little to read and the figures mean nothing; the comparison is made all the same.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark fails loudly and prints its result"
)]
#![expect(clippy::indexing_slicing, reason = "of our own numbers; a wrong one should end the run")]
#![expect(clippy::cast_precision_loss, reason = "figures for people")]

#[path = "../../tests/common/mod.rs"]
mod common;
#[path = "../../../kibitzer-core/benches/corpus/mod.rs"]
#[expect(dead_code, reason = "a stream of chat is not sent here")]
mod corpus;
#[path = "../../../kibitzer-core/benches/floors/mod.rs"]
#[expect(dead_code, reason = "copied lines are no floor for a socket")]
mod floors;
mod latency;
#[path = "../../../kibitzer-core/benches/mode.rs"]
mod mode;
mod process;
mod requests;
mod server;
mod sessions;
mod stream;
mod streams;
#[path = "../../../kibitzer-core/benches/subjects.rs"]
#[expect(dead_code, reason = "the parts of the core are measured there")]
mod subjects;

use std::env;

use kibitzer::Profile;
use tokio::runtime::{Builder, Runtime};

type Part = (&'static str, fn(bool));

/// Memory first: nothing else has used any then.
const PARTS: [Part; 4] =
    [("sessions", sessions::run), ("stream", stream::run), ("latency", latency::run), ("requests", requests::run)];

fn main() {
    let args: Vec<String> = env::args().skip(1).collect();
    if let [serve, n_boards] = &args[..]
        && serve == process::SERVE
    {
        return sessions::serve(n_boards.parse().unwrap());
    }
    let named: Vec<_> = args.iter().filter(|arg| !arg.starts_with('-')).collect();
    for (name, run) in PARTS {
        if named.is_empty() || named.iter().any(|wanted| *wanted == name) {
            println!("\n# {name}");
            run(mode::is_quick());
        }
    }
}

/// One thread for the session's task and its subscribers: what is handed over is not woken on another processor.
fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// A guest at this port of the loopback address.
fn profile(port: u16) -> Profile {
    Profile::new("127.0.0.1").ports([port]).session(|session| session.seed(7))
}
