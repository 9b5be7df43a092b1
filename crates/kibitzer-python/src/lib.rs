//! The native half of the Python package `kibitzer_ics`.
//!
//! | module | contents |
//! |---|---|
//! | `runtime` | the tokio runtime, and asyncio futures for its tasks |
//! | `objects` | Python objects from values that implement `serde::Serialize` |
//! | `bot` | a bot whose engine, commands and hooks are functions of Python |
//! | `client`, `commands`, `profile` | a live session |
//! | `recordings` | events and games of recordings |
//! | `server` | the embedded server |
//! | `errors`, `logging` | exceptions; log records |

mod bot;
mod client;
mod commands;
mod errors;
mod logging;
mod objects;
mod profile;
mod recordings;
mod runtime;
mod server;

/// The native half of `kibitzer_ics`.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use super::bot::{Job, NativeBot};
    /// The names of variants.
    #[pymodule_export]
    const VARIANTS: [&str; 8] = kibitzer::message::GameKind::VARIANTS;
    #[pymodule_export]
    use super::client::{EventStream, GameStream, Session};
    #[pymodule_export]
    use super::objects::NativeEvent;
    #[pymodule_export]
    use super::profile::PyProfile;
    #[pymodule_export]
    use super::recordings::{Decoder, games};
    #[pymodule_export]
    use super::runtime::end_runtime;
    #[pymodule_export]
    use super::server::NativeServer;
}
