//! The native half of the Python package `kibitzer_ics`.
//!
//! | module | contents |
//! |---|---|
//! | `runtime` | the tokio runtime, and asyncio futures for its tasks |
//! | `objects` | Python objects from values that implement `serde::Serialize` |
//! | `bot` | a bot whose engine, commands and hooks are functions of Python |
//! | `client`, `commands`, `profile` | a live session |
//! | `server` | the embedded server |
//! | `errors` | exceptions |

mod bot;
mod client;
mod errors;
mod objects;
mod profile;
mod runtime;
mod server;
mod stamp;

/// The native half of `kibitzer_ics`.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use super::bot::{Job, NativeBot};
    #[pymodule_export]
    use super::client::{EventStream, GameStream, Session};
    #[pymodule_export]
    use super::objects::Source;
    #[pymodule_export]
    use super::profile::PyProfile;
    #[pymodule_export]
    use super::server::NativeServer;
}
