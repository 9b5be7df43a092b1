//! Renders the matrix as `docs/faults.md`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::matrix::Phase;
use super::outcome::MEANINGS;

const HEAD: &str = "\
# Outcomes of faults

The outcome of each fault in each phase of a session. The table was recorded from a real client on the embedded server, with
faults injected through the server's control handle. `cargo test -p kibitzer-tests faults` runs every cell and compares;
with `KIBITZER_BLESS=1` it writes this page.

Every cell also checks four things: a lossless and a lossy subscriber agree on the number of events, the counters add up, a session
that continues or was restored answers a request, and no task is left after the shutdown.

";

const ON_DEMAND: &str = "
## Faults on demand

`kibitzer serve --fault cut@next-board` injects a fault into the next connection, `kibitzer serve --help` lists all faults and points.
While the server runs, `kibitzer serve --control-socket s.sock` accepts commands on a Unix socket with mode 0600, one per line:

```text
> connections
#3 GuestABCD
ok
> fault cut@next-board #3
ok: cut@next-board is set for connection #3
fault cut@next-board took effect on connection #3 at byte 4711
```

Each reply ends with a line that begins with `ok` or `error`; an unknown name is answered with a similar one. A fault without a
connection is for the next one; a connection is `#N`, a player's name, or `next`. Every fault that takes effect is reported on all
connections to the socket and on standard error of `serve`, with the number of bytes that the server had sent before. In the console of
an embedded server, `/fault cut@next-board` does the same, by default on its own connection. Programs use `ServerControl::inject` and
`ServerControl::fired_faults`; the names are the same: `over-long=100` is `Fault::OverLong(100)`.
";

/// One row: a fault, and for each phase its outcome or the reason why it does not apply.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) cells: Vec<Result<String, &'static str>>,
}

pub(crate) fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/faults.md")
}

pub(crate) fn render(rows: &[Row]) -> String {
    let mut reasons = Vec::new();
    let mut page = HEAD.to_owned();
    let names: Vec<_> = Phase::ALL.iter().map(|phase| phase.name()).collect();
    line(&mut page, &format!("| | {} |", names.join(" | ")));
    line(&mut page, &format!("|---{}|", "|---".repeat(names.len())));
    for row in rows {
        let cells: Vec<_> = row.cells.iter().map(|cell| shown(cell, &mut reasons)).collect();
        line(&mut page, &format!("| **{}** | {} |", row.name, cells.join(" | ")));
    }
    page += "\n## Columns\n\n";
    for phase in Phase::ALL {
        line(&mut page, &format!("- **{}**: {}.", phase.name(), phase.sentence()));
    }
    page += "\n## Meaning of each outcome\n\n";
    for (word, meaning) in MEANINGS {
        assert!(page.contains(word), "no cell says {word}");
        line(&mut page, &format!("- **{word}**: {meaning}"));
    }
    page += "\n## Cells that do not apply\n\n";
    for (reason, letter) in reasons.iter().zip('a'..) {
        line(&mut page, &format!("- {letter}: {reason}."));
    }
    page + ON_DEMAND
}

fn shown(cell: &Result<String, &'static str>, reasons: &mut Vec<&'static str>) -> String {
    match cell {
        Ok(said) => {
            for word in said.split("; ") {
                let is_known = MEANINGS.iter().any(|(known, _)| word.starts_with(known));
                assert!(is_known, "the page does not say what it means: {word}");
            }
            said.clone()
        }
        Err(reason) => {
            let at = reasons.iter().position(|known| known == reason).unwrap_or_else(|| {
                reasons.push(reason);
                reasons.len() - 1
            });
            let letter = ('a'..).nth(at).unwrap();
            format!("— {letter}")
        }
    }
}

fn line(page: &mut String, text: &str) {
    writeln!(page, "{text}").unwrap();
}
