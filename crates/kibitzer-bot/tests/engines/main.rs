//! Engines that behave well and badly, as scripts of the POSIX shell in real processes.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail by panicking")]

mod cecp;
mod script;
mod uci;
