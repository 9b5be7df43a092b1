//! The process of an engine: lines to its standard input, lines from its standard output.
//!
//! It has no other open file of this process and no pipe to the terminal. On Unix it is in a process group of its own, which is
//! killed when [`EngineProcess`] is dropped. Nothing of its output is stored before it is read, so that an engine without a
//! reader blocks at a full pipe; memory is bounded by the length of one line.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::task::{JoinHandle, yield_now};
use tokio::time::timeout;
use tracing::{debug, info, warn};

use super::{EngineConfig, EngineError};

/// Longest line of an engine; the rest of a longer one is dropped.
const MAX_LINE_BYTES: usize = 64 * 1024;
/// Bytes that are queued for an engine that does not read.
const MAX_UNWRITTEN_BYTES: usize = 1024 * 1024;
/// Lines of standard error that are logged of one process, so that a flood does not fill the disk.
const MAX_LOGGED_LINES: usize = 500;
/// Characters that are logged of a line of standard error.
const MAX_LOGGED_CHARS: usize = 500;
/// Time to exit after `quit`.
const QUIT_TIMEOUT: Duration = Duration::from_secs(1);

/// A running engine.
#[derive(Debug)]
pub(super) struct EngineProcess {
    child: Child,
    input: ChildStdin,
    output: TruncatingLineReader<ChildStdout>,
    /// Sent lines that are not written yet.
    unwritten: Vec<u8>,
    error_log: JoinHandle<()>,
}

impl EngineProcess {
    /// Starts the program.
    ///
    /// # Errors
    ///
    /// [`EngineError::Start`] if the program cannot be started.
    pub(super) fn spawn(engine: &EngineConfig) -> Result<Self, EngineError> {
        let program = engine.command.first().cloned().unwrap_or_default();
        let failed = |source| EngineError::Start { program: program.clone(), source };
        let mut child = command_without_secrets(engine, &program).spawn().map_err(failed)?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = pipes else {
            return Err(failed(io::Error::other("a pipe is missing")));
        };
        Ok(Self {
            child,
            input,
            output: TruncatingLineReader::new(output),
            unwritten: Vec::new(),
            error_log: tokio::spawn(log_errors(errors)),
        })
    }

    /// Queues lines, as [`queue_line`](Self::queue_line) does.
    pub(super) fn queue_lines<S: AsRef<str>>(&mut self, lines: &[S]) {
        for line in lines {
            self.queue_line(line.as_ref());
        }
    }

    /// Queues a line, which [`read_line_while_writing`](Self::read_line_while_writing) writes. Control characters become spaces,
    /// so that no name or comment can add a second line. The line is dropped if the engine has left 1 MiB unread.
    pub(super) fn queue_line(&mut self, line: &str) {
        debug!(line, "sent to the engine");
        if self.unwritten.len() > MAX_UNWRITTEN_BYTES {
            return;
        }
        self.unwritten.extend(line.bytes().map(|byte| if byte.is_ascii_control() { b' ' } else { byte }));
        self.unwritten.push(b'\n');
    }

    /// Writes queued lines and returns the next line of the output, without control characters.
    ///
    /// # Errors
    ///
    /// [`EngineError::Exited`] at the end of the output.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no part of a line is lost.
    pub(super) async fn read_line_while_writing(&mut self) -> Result<String, EngineError> {
        loop {
            tokio::select! {
                biased;
                written = self.input.write(&self.unwritten), if !self.unwritten.is_empty() => match written {
                    Ok(count) => drop(self.unwritten.drain(..count)),
                    // The engine may have written its last lines before it closed its input.
                    Err(_) => self.unwritten.clear(),
                },
                line = self.output.next_line() => return line.ok_or(EngineError::Exited),
            }
        }
    }

    /// Sends `quit`, waits up to a second for the end of the output, and kills the process group.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: if the future is dropped, the process group is killed.
    pub(super) async fn quit(mut self) {
        self.queue_line("quit");
        let ended = async { while self.read_line_while_writing().await.is_ok() {} };
        if timeout(QUIT_TIMEOUT, ended).await.is_err() {
            debug!("the engine did not exit in time");
        }
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        self.error_log.abort();
        // The number of the group is valid as long as the child was not waited for, which only tokio does after this drop.
        #[cfg(unix)]
        if let Some(group) = self.child.id().and_then(|id| rustix::process::Pid::from_raw(i32::try_from(id).ok()?)) {
            // It fails if the group has ended.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        #[cfg(not(unix))]
        drop(self.child.start_kill());
    }
}

/// Returns the command that starts the program with pipes and, on Unix, in a new process group, without the environment variables
/// `KIBITZER_*`.
fn command_without_secrets(engine: &EngineConfig, program: &str) -> Command {
    let mut command = Command::new(program);
    command.args(engine.command.iter().skip(1)).kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // They may contain the password of the server.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("KIBITZER_")) {
        command.env_remove(name);
    }
    #[cfg(unix)]
    command.process_group(0);
    command
}

/// Logs the lines of the engine's standard error. Reads on when it logs no more, as the engine would block.
///
/// # Cancel safety
///
/// Cancel safe: only the log ends.
async fn log_errors(errors: ChildStderr) {
    let mut lines = TruncatingLineReader::new(errors);
    let mut logged = 0;
    while let Some(line) = lines.next_line().await {
        logged += 1;
        if logged <= MAX_LOGGED_LINES {
            let line: String = line.chars().take(MAX_LOGGED_CHARS).collect();
            info!(line, "standard error of the engine");
        } else if logged == MAX_LOGGED_LINES + 1 {
            warn!("no more lines of the engine's standard error are logged");
        }
    }
}

/// Splits a stream into lines of at most [`MAX_LINE_BYTES`].
#[derive(Debug)]
struct TruncatingLineReader<R> {
    reader: BufReader<R>,
    /// Beginning of the current line.
    line: Vec<u8>,
}

impl<R: AsyncRead + Unpin> TruncatingLineReader<R> {
    fn new(stream: R) -> Self {
        Self { reader: BufReader::new(stream), line: Vec::new() }
    }

    /// Returns the next line without its end; control characters become spaces. `None` at the end of the stream.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the beginning of a line is kept.
    async fn next_line(&mut self) -> Option<String> {
        loop {
            if self.reader.buffer().is_empty() {
                // A stream that is always ready must not keep the other tasks from running.
                yield_now().await;
            }
            let bytes = self.reader.fill_buf().await.unwrap_or_default();
            let at_end = bytes.is_empty();
            let line_end = memchr::memchr(b'\n', bytes);
            let part = bytes.get(..line_end.unwrap_or(bytes.len())).unwrap_or_default();
            let room = MAX_LINE_BYTES - self.line.len();
            self.line.extend_from_slice(part.get(..room).unwrap_or(part));
            let used = part.len() + usize::from(line_end.is_some());
            self.reader.consume(used);
            if line_end.is_some() || (at_end && !self.line.is_empty()) {
                let line = String::from_utf8_lossy(&std::mem::take(&mut self.line)).replace(char::is_control, " ");
                return Some(line.trim().to_owned());
            }
            if at_end {
                return None;
            }
        }
    }
}
