//! Whether a benchmark measures, or only shows that it runs.

use std::env;

/// Returns whether the benchmark only has to show that it runs: without `--bench` (`cargo test --benches`), or with `--quick` or
/// `--test`.
pub(crate) fn is_quick() -> bool {
    let has = |wanted: &str| env::args().any(|arg| arg == wanted);
    !has("--bench") || has("--quick") || has("--test")
}
