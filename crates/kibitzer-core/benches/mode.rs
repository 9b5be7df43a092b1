//! How seriously a benchmark is meant.

use std::env;

/// Whether it only has to show that it runs: without `--bench` (`cargo test --benches`), or with `--quick` or `--test`.
pub(crate) fn is_quick() -> bool {
    let has = |wanted: &str| env::args().any(|arg| arg == wanted);
    !has("--bench") || has("--quick") || has("--test")
}
