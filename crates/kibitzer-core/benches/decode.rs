//! The time to decode a stream, compared with lower bounds (floors) that are measured in the same run: `cargo bench -p
//! kibitzer-core --bench decode`. Names of streams after `--` select some of them.
//!
//! Streams come from a seeded generator (`corpus`), floors from `floors`. Every round runs all subjects of a stream in turn, so
//! that a machine that slows down affects all of them; the best round counts. Before the measurement, each subject has to decode
//! the same boards as floor (b). Without `--bench` (`cargo test --benches`), or with `--quick`, the streams are small and the
//! times are meaningless, but the boards are compared.
#![expect(clippy::print_stdout, reason = "the table is the output")]
#![expect(clippy::indexing_slicing, reason = "of our own numbers; a wrong one should end the run")]
#![expect(clippy::cast_precision_loss, reason = "figures for people")]

mod corpus;
mod floors;
mod mode;
mod subjects;

use std::env;
use std::hint::black_box;
use std::time::{Duration, Instant};

use corpus::Corpus;
use floors::Checksum;

const SEED: u64 = 12;

/// Code that decodes a stream, with its limits.
struct Subject {
    name: &'static str,
    /// Name of the stream that it decodes.
    stream: &'static str,
    run: fn(&Corpus) -> Checksum,
    budget: Option<Budget>,
    /// Maximum number of heap allocations per frame.
    max_allocations: f64,
}

/// Maximum time of a subject, as a multiple of the time of the subject with this name on the same stream.
#[derive(Clone, Copy)]
struct Budget(f64, &'static str);

const A: &str = "(a) lines copied";
const B: &str = "(b) fields read";

/// Creates a subject without limits.
const fn row(stream: &'static str, name: &'static str, run: fn(&Corpus) -> Checksum) -> Subject {
    Subject { name, stream, run, budget: None, max_allocations: f64::INFINITY }
}

impl Subject {
    const fn budget(self, times: f64, row: &'static str) -> Self {
        Self { budget: Some(Budget(times, row)), ..self }
    }

    const fn allocations(self, max_allocations: f64) -> Self {
        Self { max_allocations, ..self }
    }
}

/// Floors of each stream, (a) before (b).
const FLOORS: &[Subject] = &[
    row("boards", A, |corpus| floors::copy_lines(&corpus.bytes)),
    row("boards", B, |corpus| floors::read_boards(&corpus.bytes)),
    row("level2", A, |corpus| floors::copy_lines(&corpus.bytes)),
    row("level2", B, |corpus| floors::read_boards(&corpus.reference)),
    row("mixed", A, |corpus| floors::copy_lines(&corpus.bytes)),
    row("mixed", B, |corpus| floors::read_boards(&corpus.bytes)),
    row("chat", A, |corpus| floors::copy_lines(&corpus.bytes)),
    row("long", A, |corpus| floors::copy_lines(&corpus.bytes)),
    row("wrapped", A, |corpus| floors::copy_lines(&corpus.bytes)),
    row("games", B, |corpus| floors::read_boards(&corpus.bytes)),
    row("undo", B, |corpus| floors::read_boards(&corpus.bytes)),
];

/// Subjects that are compared with the floors.
const SUBJECTS: &[Subject] = &[
    row("boards", "frames", |corpus| subjects::frames(&corpus.bytes)).allocations(0.001),
    row("boards", "lent messages", |corpus| subjects::borrowed_messages(&corpus.bytes))
        .budget(0.75, B)
        .allocations(0.001),
    row("boards", "messages", |corpus| subjects::messages(&corpus.bytes)).allocations(0.51),
    // The list of a game's moves is reallocated from time to time.
    row("boards", "events", |corpus| subjects::events(&corpus.bytes)).budget(1.4, B).allocations(0.1),
    row("boards", "events as JSON", |corpus| subjects::json(&corpus.bytes)),
    row("boards", "reads of 256", |corpus| subjects::events_of_reads(&corpus.bytes, 256)).budget(1.5, "events"),
    row("level2", "lent messages", |corpus| subjects::borrowed_messages(&corpus.bytes)).budget(1.2, B),
    row("level2", "events", |corpus| subjects::events(&corpus.bytes)).budget(2.2, B),
    row("mixed", "lent messages", |corpus| subjects::borrowed_messages(&corpus.bytes)).allocations(1.0),
    row("mixed", "events", |corpus| subjects::events(&corpus.bytes)).budget(2.3, B).allocations(2.0),
    row("mixed", "events as JSON", |corpus| subjects::json(&corpus.bytes)),
    row("chat", "lent messages", |corpus| subjects::borrowed_messages(&corpus.bytes)).budget(2.8, A).allocations(1.0),
    row("long", "events", |corpus| subjects::events(&corpus.bytes)),
    row("long", "reads of 4 KiB", |corpus| subjects::events_of_reads(&corpus.bytes, 4096)),
    row("wrapped", "events", |corpus| subjects::events(&corpus.bytes)),
    row("games", "one game at a time", |corpus| subjects::events(&corpus.reference)),
    row("games", "1,000 at once", |corpus| subjects::events(&corpus.bytes)).budget(1.3, "one game at a time"),
    row("undo", "takebacks at ply 20", |corpus| subjects::events(&corpus.reference)),
    row("undo", "takebacks at ply 2,000", |corpus| subjects::events(&corpus.bytes)).budget(1.5, "takebacks at ply 20"),
];

/// Measurements of one subject on its stream.
struct Figures {
    checksum: Checksum,
    n_allocations: u64,
    /// Time of each round, sorted at the end.
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
    let names: Vec<String> = env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let is_chosen = |name: &str| names.is_empty() || names.iter().any(|chosen| chosen == name);
    for (_, stream) in corpus::STREAMS.into_iter().filter(|(name, _)| is_chosen(name)) {
        let corpus = stream(SEED, n_bytes);
        assert!(corpus == stream(SEED, n_bytes), "a seed gives one stream");
        print_stream(&corpus, n_rounds);
    }
}

/// Measures all subjects of a stream and prints their rows.
fn print_stream(corpus: &Corpus, n_rounds: usize) {
    let subjects: Vec<&Subject> = FLOORS.iter().chain(SUBJECTS).filter(|s| s.stream == corpus.name).collect();
    let figures = measure(corpus, &subjects, n_rounds);
    let rows: Vec<_> = subjects.into_iter().zip(&figures).collect();
    for (subject, figures) in &rows {
        print_row(corpus, subject, figures, &rows);
    }
}

/// Checks the boards that the subjects decode, counts their allocations, then measures their times in turn.
fn measure(corpus: &Corpus, subjects: &[&Subject], n_rounds: usize) -> Vec<Figures> {
    let mut figures: Vec<Figures> = subjects.iter().map(|subject| check(corpus, subject)).collect();
    // Disabled, because counting takes about 2 ns a line.
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

/// Adds the time of one run of a subject; panics if its checksum differs from the first run's.
fn time(corpus: &Corpus, subject: &Subject, figures: &mut Figures) {
    let start = Instant::now();
    let checksum = (subject.run)(black_box(corpus));
    figures.times.push(start.elapsed());
    assert_eq!(checksum, figures.checksum, "{} reads the same each time", subject.name);
}

/// Runs a subject once and counts its allocations; panics if its boards differ from those of floor (b).
fn check(corpus: &Corpus, subject: &Subject) -> Figures {
    let mut checksum = Checksum::default();
    let allocated = allocation_counter::measure(|| checksum = (subject.run)(corpus));
    if let Some(want) = corpus.expected_boards(subject.name) {
        assert_eq!(want.n_boards, corpus.n_boards, "floor (b) reads every board of {}", corpus.name);
        let read = (checksum.n_boards, checksum.sum);
        assert_eq!(read, (want.n_boards, want.sum), "{} reads {} as floor (b) does", subject.name, corpus.name);
    }
    Figures { checksum, n_allocations: allocated.count_total, times: Vec::new() }
}

impl Corpus {
    /// Returns the checksum of the boards that a subject has to decode; `None` if it decodes none.
    fn expected_boards(&self, subject: &str) -> Option<Checksum> {
        match (self.name, subject) {
            // Only the state of a game has the board after a datagram.
            (_, A) | ("level2", "lent messages") => None,
            ("level2", _) | (_, "one game at a time" | "takebacks at ply 20") => {
                Some(floors::read_boards(&self.reference))
            }
            _ => Some(floors::read_boards(&self.bytes)),
        }
    }
}

/// Prints the measurements of one subject, with its time as a multiple of both floors.
fn print_row(corpus: &Corpus, subject: &Subject, figures: &Figures, rows: &[(&Subject, &Figures)]) {
    let per_line = 1e9 / corpus.n_lines as f64;
    let best = figures.best();
    let allocations = figures.n_allocations as f64 / figures.checksum.n_frames as f64;
    let times = |row: &str| rows.iter().find(|(other, _)| other.name == row).map(|(_, other)| best / other.best());
    let shown = |row| times(row).map_or("-".to_owned(), |times| format!("{times:.2}"));
    println!(
        "{:<7} {:<22} {:>8.1} {:>8.1} {:>7.0} {:>7.3} {:>6} {:>6}  {}",
        corpus.name,
        subject.name,
        best * per_line,
        figures.median() * per_line,
        corpus.bytes.len() as f64 / best / 1e6,
        allocations,
        shown(B),
        shown(A),
        verdict(subject, allocations, times),
    );
}

/// Returns whether a subject keeps its limits, followed by them; an empty string if it has none. `times` returns the time as a
/// multiple of the time of a row.
fn verdict(subject: &Subject, allocations: f64, times: impl Fn(&str) -> Option<f64>) -> String {
    let mut limits = Vec::new();
    let mut is_met = allocations <= subject.max_allocations;
    if let Some(Budget(most, row)) = subject.budget {
        let Some(times) = times(row) else { return format!("no row {row}") };
        is_met &= times <= most;
        limits.push(format!("{times:.2} x {row}, at most {most}"));
    }
    if subject.max_allocations.is_finite() {
        limits.push(format!("allocations at most {}", subject.max_allocations));
    }
    let mark = if is_met { "pass: " } else { "FAIL: " };
    if limits.is_empty() { String::new() } else { mark.to_owned() + &limits.join("; ") }
}
