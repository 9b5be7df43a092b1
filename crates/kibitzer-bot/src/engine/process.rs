//! The process of an engine: lines to its standard input, lines from its standard output.
//!
//! It has no other open file of this process and no pipe to the terminal. Nothing of its output is stored before it is read, so
//! that an engine without a reader blocks at a full pipe; memory is bounded by the length of one line.
//!
//! On Unix the engine is in the process group of a guard: a shell that waits for the end of its input, which only this process
//! holds, and then kills the group. So the engine ends with this process, even if that is killed; and the group is killed when
//! [`EngineProcess`] is dropped.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, OnceLock};
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
/// Time to wait for the exit status, and for the standard error, of an engine that has closed its output.
const END_TIMEOUT: Duration = Duration::from_millis(200);
/// Script of the guard.
#[cfg(unix)]
const GUARD: &str = "read -r line; kill -9 0";

/// A running engine.
#[derive(Debug)]
pub(super) struct EngineProcess {
    program: String,
    child: Child,
    /// The leader of the process group; `None` if there is no shell.
    #[cfg(unix)]
    guard: Option<Child>,
    input: ChildStdin,
    output: TruncatingLineReader<ChildStdout>,
    /// Sent lines that are not written yet.
    unwritten: Vec<u8>,
    error_log: JoinHandle<()>,
    first_error: Arc<OnceLock<String>>,
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
        let error_file = open_error_file(engine).map_err(failed)?;
        let mut command = command_without_secrets(engine, &program).map_err(failed)?;
        #[cfg(unix)]
        let guard = spawn_guard();
        #[cfg(unix)]
        command.process_group(guard.as_ref().and_then(Child::id).and_then(|id| i32::try_from(id).ok()).unwrap_or(0));
        let mut child = command.spawn().map_err(failed)?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = pipes else {
            return Err(failed(io::Error::other("a pipe is missing")));
        };
        let first_error = Arc::<OnceLock<String>>::default();
        Ok(Self {
            program,
            child,
            #[cfg(unix)]
            guard,
            input,
            output: TruncatingLineReader::new(output),
            unwritten: Vec::new(),
            error_log: tokio::spawn(log_errors(errors, error_file, Arc::clone(&first_error))),
            first_error,
        })
    }

    /// Returns the error of an engine that did not complete a step in time.
    pub(super) fn silent(&self, step: &'static str) -> EngineError {
        EngineError::Silent { program: self.program.clone(), step }
    }

    /// Returns the error of an engine that has closed its output. Waits shortly for its exit status and its standard error.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    async fn describe_exit(&mut self) -> EngineError {
        let status = timeout(END_TIMEOUT, self.child.wait()).await.ok().and_then(Result::ok);
        if !self.error_log.is_finished() {
            // Another process may have the standard error of the engine.
            let _ = timeout(END_TIMEOUT, &mut self.error_log).await;
        }
        EngineError::Exited { program: self.program.clone(), status, first_error: self.first_error.get().cloned() }
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
        let line = loop {
            tokio::select! {
                biased;
                written = self.input.write(&self.unwritten), if !self.unwritten.is_empty() => match written {
                    Ok(count) => drop(self.unwritten.drain(..count)),
                    // The engine may have written its last lines before it closed its input.
                    Err(_) => self.unwritten.clear(),
                },
                line = self.output.next_line() => break line,
            }
        };
        match line {
            Some(line) => Ok(line),
            None => Err(self.describe_exit().await),
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
        // The number of the group is valid as long as its leader was not waited for, which only tokio does after this drop.
        #[cfg(unix)]
        let leader = self.guard.as_ref().unwrap_or(&self.child);
        #[cfg(unix)]
        if let Some(group) = leader.id().and_then(|id| rustix::process::Pid::from_raw(i32::try_from(id).ok()?)) {
            // It fails if the group has ended.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        #[cfg(not(unix))]
        drop(self.child.start_kill());
    }
}

/// Starts the guard as the leader of a new process group; `None`, with a warning, if that fails, as without a shell.
#[cfg(unix)]
fn spawn_guard() -> Option<Child> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", GUARD]).env_clear().process_group(0).kill_on_drop(true);
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let unguarded = |error: &io::Error| warn!(%error, "no guard: the engine may survive this process");
    spawned.inspect_err(unguarded).ok()
}

/// Returns the command that starts the program with pipes, in the environment of the settings, without the variables `KIBITZER_*`.
///
/// # Errors
///
/// [`io::ErrorKind::NotADirectory`] with the path if there is no such working directory.
fn command_without_secrets(engine: &EngineConfig, program: &str) -> io::Result<Command> {
    let is_path = Path::new(program).components().nth(1).is_some();
    // A relative path would mean another file in another working directory, on some systems.
    let mut command = if is_path { Command::new(std::path::absolute(program)?) } else { Command::new(program) };
    if let Some(directory) = &engine.directory {
        if !directory.is_dir() {
            let reason = format!("there is no working directory {}", directory.display());
            return Err(io::Error::new(io::ErrorKind::NotADirectory, reason));
        }
        command.current_dir(directory);
    }
    command.args(engine.command.iter().skip(1)).kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // They may contain the password of the server.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("KIBITZER_")) {
        command.env_remove(name);
    }
    command.envs(engine.environment.iter().map(|(name, value)| (name, value)));
    Ok(command)
}

/// Opens the file for the standard error, if the settings have one.
fn open_error_file(engine: &EngineConfig) -> io::Result<Option<File>> {
    let Some(path) = &engine.stderr_file else { return Ok(None) };
    let opened = OpenOptions::new().append(true).create(true).open(path);
    opened.map(Some).map_err(|error| io::Error::new(error.kind(), format!("cannot open {}: {error}", path.display())))
}

/// Appends the lines of the engine's standard error to the file; without one, or if that fails, logs them. Stores the first one that is
/// not empty. Reads on when it logs no more, as the engine would block.
///
/// # Cancel safety
///
/// Cancel safe: only the log ends.
async fn log_errors(errors: ChildStderr, mut file: Option<File>, first: Arc<OnceLock<String>>) {
    let mut lines = TruncatingLineReader::new(errors);
    let mut logged = 0;
    while let Some(line) = lines.next_line().await {
        let beginning: String = line.chars().take(MAX_LOGGED_CHARS).collect();
        if !beginning.is_empty() {
            first.get_or_init(|| beginning.clone());
        }
        // One write, so that the lines of two engines do not mix.
        match file.as_mut().map(|file| file.write_all(format!("{line}\n").as_bytes())) {
            Some(Ok(())) => continue,
            Some(Err(error)) => warn!(%error, "the file for the engine's standard error cannot be written"),
            None => {}
        }
        file = None;
        logged += 1;
        if logged <= MAX_LOGGED_LINES {
            info!(line = beginning, "standard error of the engine");
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
