//! Sessions over WebSocket, with and without TLS: a client at the embedded server, at scripted servers, and through another project's
//! proxy.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    reason = "the helpers of a test fail by panicking, and a skipped test has to say so"
)]

mod certificates;
mod proxy;
mod refused;
mod relay;
mod session;
