//! What reading a stream costs, against floors timed in the same run: `cargo bench -p kibitzer-core --bench decode`.
//!
//! Streams come from a seeded generator (`corpus`), floors from `floors`. Every round runs all subjects of a stream one
//! after the other, so a machine that slows down slows down all of them; the best round counts. Before any time is taken
//! each subject must have read the same boards as floor (b). Without `--bench` (`cargo test --benches`), or with
//! `--quick`, the streams are small and the times mean nothing; the comparison is made all the same.
#![expect(clippy::print_stdout, reason = "the table is the output")]
#![expect(clippy::indexing_slicing, reason = "of our own numbers; a wrong one should end the run")]
#![expect(clippy::cast_precision_loss, reason = "figures for people")]

mod corpus;
mod floors;
mod mode;
mod subjects;

use std::hint::black_box;
use std::time::{Duration, Instant};

use corpus::Corpus;
use floors::Checksum;

const SEED: u64 = 12;

/// Something that reads a stream.
struct Subject {
    name: &'static str,
    /// Name of the stream it is run on.
    stream: &'static str,
    run: fn(&[u8]) -> Checksum,
    budget: Budget,
    /// Heap allocations allowed per frame.
    max_allocations: f64,
}

/// What a subject may cost.
#[derive(Clone, Copy)]
enum Budget {
    /// It is a floor.
    Unlimited,
    /// At most this many times the time of floor (b).
    TimesB(f64),
    /// At least this part of floor (a)'s throughput.
    ShareOfA(f64),
}

const fn floor(name: &'static str, stream: &'static str, run: fn(&[u8]) -> Checksum) -> Subject {
    Subject { name, stream, run, budget: Budget::Unlimited, max_allocations: f64::INFINITY }
}

/// The floors; (a) first in each stream, (b) second.
const FLOORS: &[Subject] = &[
    floor("(a) lines copied", "boards", floors::copy_lines),
    floor("(b) fields read", "boards", floors::read_boards),
    floor("(a) lines copied", "level2", floors::copy_lines),
    floor("(a) lines copied", "mixed", floors::copy_lines),
    floor("(a) lines copied", "chat", floors::copy_lines),
];

/// What is measured against them.
const SUBJECTS: &[Subject] = &[
    Subject {
        name: "frames",
        stream: "boards",
        run: subjects::frames,
        budget: Budget::Unlimited,
        max_allocations: 0.001,
    },
    Subject {
        name: "messages",
        stream: "boards",
        run: subjects::messages,
        budget: Budget::TimesB(0.65),
        max_allocations: 0.001,
    },
    Subject {
        name: "shared events",
        stream: "boards",
        run: subjects::events,
        budget: Budget::TimesB(1.3),
        // One an event; the list of a game's moves grows now and then.
        max_allocations: 1.05,
    },
    Subject {
        name: "messages",
        stream: "level2",
        run: subjects::messages,
        budget: Budget::Unlimited,
        max_allocations: f64::INFINITY,
    },
    Subject {
        name: "shared events",
        stream: "level2",
        run: subjects::events,
        budget: Budget::Unlimited,
        max_allocations: f64::INFINITY,
    },
    Subject {
        name: "messages",
        stream: "mixed",
        run: subjects::messages,
        budget: Budget::ShareOfA(0.25),
        max_allocations: 1.0,
    },
    Subject {
        name: "shared events",
        stream: "mixed",
        run: subjects::events,
        budget: Budget::Unlimited,
        max_allocations: 2.0,
    },
    Subject {
        name: "messages",
        stream: "chat",
        run: subjects::messages,
        budget: Budget::ShareOfA(0.25),
        max_allocations: 1.0,
    },
];

/// Figures of one subject over its stream.
struct Figures {
    checksum: Checksum,
    n_allocations: u64,
    times: Vec<Duration>,
}

impl Figures {
    fn best(&self) -> f64 {
        self.times[0].as_secs_f64()
    }

    fn median(&self) -> f64 {
        self.times[self.times.len() / 2].as_secs_f64()
    }
}

fn main() {
    let (n_bytes, n_rounds) = if mode::is_quick() { (200_000, 3) } else { (20_000_000, 41) };
    println!(
        "{:<7} {:<22} {:>8} {:>8} {:>7} {:>7} {:>6} {:>6}  budget",
        "stream", "subject", "ns/line", "median", "MB/s", "allocs", "x (b)", "x (a)"
    );
    for stream in [corpus::boards, corpus::level2, corpus::mixed, corpus::chat] {
        let corpus = stream(SEED, n_bytes);
        assert!(corpus == stream(SEED, n_bytes), "a seed gives one stream");
        print_stream(&corpus, n_rounds);
    }
}

fn print_stream(corpus: &Corpus, n_rounds: usize) {
    let subjects: Vec<&Subject> = FLOORS.iter().chain(SUBJECTS).filter(|s| s.stream == corpus.name).collect();
    let figures = measure(corpus, &subjects, n_rounds);
    let a = figures[0].best();
    let b = subjects.iter().position(|s| s.name.starts_with("(b)")).map(|i| figures[i].best());
    for (subject, figures) in subjects.iter().zip(&figures) {
        print_row(corpus, subject, figures, a, b);
    }
}

/// Checks what the subjects read, counts what they allocate, then times them in turns.
fn measure(corpus: &Corpus, subjects: &[&Subject], n_rounds: usize) -> Vec<Figures> {
    let mut figures: Vec<Figures> = subjects.iter().map(|subject| check(corpus, subject)).collect();
    // Not counting costs floor (a) least: some 2 ns a line.
    allocation_counter::opt_out(|| {
        for _ in 0..n_rounds {
            for (subject, figures) in subjects.iter().zip(&mut figures) {
                time(corpus, subject, figures);
            }
        }
    });
    for figures in &mut figures {
        figures.times.sort();
    }
    figures
}

fn time(corpus: &Corpus, subject: &Subject, figures: &mut Figures) {
    let start = Instant::now();
    let checksum = (subject.run)(black_box(&corpus.bytes));
    figures.times.push(start.elapsed());
    assert_eq!(checksum, figures.checksum, "{} reads the same each time", subject.name);
}

fn check(corpus: &Corpus, subject: &Subject) -> Figures {
    let mut checksum = Checksum::default();
    let allocated = allocation_counter::measure(|| checksum = (subject.run)(&corpus.bytes));
    // Datagrams lead to boards; a message alone is none.
    let has_boards = corpus.boards.is_empty() || subject.name == "shared events";
    if !subject.name.starts_with("(a)") && has_boards {
        let want = floors::read_boards(if corpus.boards.is_empty() { &corpus.bytes } else { &corpus.boards });
        assert_eq!(want.n_boards, corpus.n_boards, "floor (b) reads every board of {}", corpus.name);
        let read = (checksum.n_boards, checksum.sum);
        assert_eq!(read, (want.n_boards, want.sum), "{} reads {} as floor (b) does", subject.name, corpus.name);
    }
    Figures { checksum, n_allocations: allocated.count_total, times: Vec::new() }
}

fn print_row(corpus: &Corpus, subject: &Subject, figures: &Figures, a: f64, b: Option<f64>) {
    let per_line = 1e9 / corpus.n_lines as f64;
    let best = figures.best();
    let allocations = figures.n_allocations as f64 / figures.checksum.n_frames as f64;
    let times_b = b.map_or("-".to_owned(), |b| format!("{:.2}", best / b));
    println!(
        "{:<7} {:<22} {:>8.1} {:>8.1} {:>7.0} {:>7.3} {:>6} {:>6.2}  {}",
        corpus.name,
        subject.name,
        best * per_line,
        figures.median() * per_line,
        corpus.bytes.len() as f64 / best / 1e6,
        allocations,
        times_b,
        a / best,
        verdict(subject, best, allocations, a, b),
    );
}

fn verdict(subject: &Subject, best: f64, allocations: f64, a: f64, b: Option<f64>) -> String {
    let (is_met, text) = match subject.budget {
        Budget::Unlimited => return "floor".to_owned(),
        Budget::TimesB(times) => (b.is_some_and(|b| best <= b * times), format!("<= {times} x (b)")),
        Budget::ShareOfA(share) => (a / best >= share, format!(">= {share} x (a)")),
    };
    let is_met = is_met && allocations <= subject.max_allocations;
    let mark = if is_met { "pass" } else { "FAIL" };
    format!("{mark}: {text}, allocations <= {}", subject.max_allocations)
}
