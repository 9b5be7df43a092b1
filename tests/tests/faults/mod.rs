//! Everything that can go wrong, in everything a session does: what came of it stands in `docs/faults.md`.
//!
//! `KIBITZER_BLESS=1 cargo test -p kibitzer-tests faults` writes the page anew.

mod matrix;
mod outcome;
mod page;
mod stage;

use kibitzer_tests::blessing;

use self::matrix::{NOBODY_THERE, Phase, TROUBLES, Trouble};
use self::page::Row;

#[tokio::test(start_paused = true)]
async fn every_fault_in_every_phase_ends_as_documented() {
    let mut rows = Vec::new();
    for (name, trouble) in TROUBLES.into_iter().chain([NOBODY_THERE]) {
        let mut cells = Vec::new();
        for phase in Phase::ALL {
            cells.push(cell(name, trouble, phase).await);
        }
        rows.push(Row { name, cells });
    }
    let observed = page::render(&rows);
    if blessing() {
        std::fs::write(page::path(), &observed).unwrap();
    }
    let kept = std::fs::read_to_string(page::path()).unwrap();
    for (kept, observed) in kept.lines().zip(observed.lines()) {
        assert_eq!(observed, kept, "run with KIBITZER_BLESS=1 if that is right");
    }
    assert_eq!(observed, kept);
}

/// Says which cell it was if it fails.
struct Cell {
    name: &'static str,
    phase: Phase,
}

impl Drop for Cell {
    #[expect(clippy::print_stderr, reason = "the test harness shows it if the test fails")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("in the cell: {}, {}", self.name, self.phase.name());
        }
    }
}

async fn cell(name: &'static str, trouble: Trouble, phase: Phase) -> Result<String, &'static str> {
    if let Some(reason) = trouble.why_not(phase) {
        return Err(reason);
    }
    let cell = Cell { name, phase };
    let said = stage::run(trouble, phase).await;
    drop(cell);
    Ok(said)
}
