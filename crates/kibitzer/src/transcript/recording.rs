//! How far a recording has come.

use std::io;
use std::path::Path;
use std::sync::Arc;

/// The state of a recording that was started for a session.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Recording {
    /// The file.
    pub path: Arc<Path>,
    /// Number of pieces written to the file.
    pub pieces: u64,
    /// Number of bytes written to the file.
    pub bytes: u64,
    /// Why the recording ended before its session; `None` as long as it goes on.
    pub error: Option<Arc<io::Error>>,
}
