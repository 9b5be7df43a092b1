//! Sources of passwords: environment variable, program, private file.

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::fs::{File, OpenOptions};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, Command};
use tokio::time::timeout;
use zeroize::Zeroizing;

use kibitzer_core::session::Password;

/// Timeout of a password command. It is long, because the user may have to type another password to unlock the store.
const COMMAND_TIMEOUT: Duration = Duration::from_mins(1);
/// Maximum length of a password's line in bytes; lines to a server are shorter.
const MAX_BYTES: u64 = 1024;

/// The source of a password, from which it is fetched when a session starts.
///
/// [`Debug`] prints the source, never the password.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PasswordSource {
    /// The password itself.
    Known(Password),
    /// The first line of the environment variable with this name.
    Variable(String),
    /// The first line that a program prints, such as `["pass", "show", "fics"]`: its name and its arguments. It runs without a
    /// shell and without input, and has to succeed within a minute.
    Command(Vec<String>),
    /// The first line of a file of this user without permissions for other users (mode 0600 or less).
    File(PathBuf),
}

impl PasswordSource {
    /// Reads the password from its source; a command is run for up to a minute.
    ///
    /// # Errors
    ///
    /// [`NotFound`](io::ErrorKind::NotFound): the variable, the program or the file does not exist.
    /// [`InvalidData`](io::ErrorKind::InvalidData): the first line is empty, longer than 1024 bytes, not UTF-8, or has characters
    /// that no server accepts in a password. [`PermissionDenied`](io::ErrorKind::PermissionDenied): the file is not a regular
    /// file of this user, or has permissions for other users. [`TimedOut`](io::ErrorKind::TimedOut): the program did not finish
    /// in time and was killed. [`InvalidInput`](io::ErrorKind::InvalidInput): the command names no program. Other kinds if the
    /// program failed or the file cannot be read. Messages never contain the password.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future kills the command.
    pub(crate) async fn fetch(&self) -> io::Result<Password> {
        let text = match self {
            Self::Known(password) => return Ok(password.clone()),
            Self::Variable(name) => read_variable_line(name)?,
            Self::Command(words) => run_command(words).await?,
            Self::File(path) => read_private_file(path).await?,
        };
        Password::new(text.as_str()).map_err(|error| invalid_data(format!("not a password: {error}")))
    }
}

/// Returns the first line of an environment variable.
fn read_variable_line(name: &str) -> io::Result<Zeroizing<String>> {
    let missing = || io::Error::new(io::ErrorKind::NotFound, format!("environment variable {name} is not set"));
    let value = env::var_os(name).ok_or_else(missing)?;
    parse_first_line(&Zeroizing::new(value.into_encoded_bytes()), "an environment variable")
}

fn invalid_data(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// Runs a program without input and returns the first line of its output. The program is killed after [`COMMAND_TIMEOUT`].
///
/// # Errors
///
/// As [`fetch`](PasswordSource::fetch) for a command. The message does not contain the program's arguments.
///
/// # Cancel safety
///
/// Dropping the future kills the program.
async fn run_command(words: &[String]) -> io::Result<Zeroizing<String>> {
    let missing = || io::Error::new(io::ErrorKind::InvalidInput, "the password command is empty");
    let (program, arguments) = words.split_first().ok_or_else(missing)?;
    let failed = |error: io::Error| io::Error::new(error.kind(), format!("password command {program} failed: {error}"));
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(failed)?;
    let output = timeout(COMMAND_TIMEOUT, read_output_and_wait(&mut child)).await;
    let bytes = output.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())).map_err(failed)?;
    parse_first_line(&bytes, "a command")
}

/// Reads at most [`MAX_BYTES`] + 1 bytes of a program's output, then waits for its exit.
///
/// # Errors
///
/// Errors of the system, and the status of a program that was not successful.
///
/// # Cancel safety
///
/// Dropping the future loses the output.
async fn read_output_and_wait(child: &mut Child) -> io::Result<Zeroizing<Vec<u8>>> {
    let bytes = match child.stdout.take() {
        Some(stdout) => read_up_to_limit(stdout).await?,
        None => Zeroizing::default(),
    };
    // Our end of the pipe is closed by now, so a program that prints more than the limit fails instead of blocking.
    let status = child.wait().await?;
    if status.success() { Ok(bytes) } else { Err(io::Error::other(status.to_string())) }
}

/// Returns the first line of a file, if only this user can access it.
///
/// # Cancel safety
///
/// Cancel safe.
async fn read_private_file(path: &Path) -> io::Result<Zeroizing<String>> {
    let shown = path.display();
    let failed =
        |error: io::Error| io::Error::new(error.kind(), format!("cannot read the password file {shown}: {error}"));
    let file = open_nonblocking(path).await.map_err(failed)?;
    if !is_private_file(&file.metadata().await.map_err(failed)?) {
        let message = format!("password file {shown} has to be a regular file of yours with mode 0600");
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    parse_first_line(&read_up_to_limit(file).await.map_err(failed)?, "a file")
}

/// Opens a file without blocking on a named pipe that has no writer.
///
/// # Cancel safety
///
/// Cancel safe.
async fn open_nonblocking(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    options.open(path).await
}

/// Returns whether the metadata is that of a regular file of this user, without any permission for group and others.
#[cfg(unix)]
fn is_private_file(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let for_others = metadata.mode() & 0o077;
    metadata.is_file() && for_others == 0 && metadata.uid() == rustix::process::geteuid().as_raw()
}

/// Returns `false`: without file modes it is unknown who can read a file, so none is accepted.
#[cfg(not(unix))]
const fn is_private_file(_: &std::fs::Metadata) -> bool {
    false
}

/// Reads up to [`MAX_BYTES`] + 1 bytes, so that a line that is too long can be detected.
///
/// # Cancel safety
///
/// Dropping the future loses the bytes that were read.
async fn read_up_to_limit(source: impl AsyncRead + Unpin) -> io::Result<Zeroizing<Vec<u8>>> {
    // A buffer that does not grow leaves no copy of the password in freed memory.
    let capacity = usize::try_from(MAX_BYTES + 2).unwrap_or(usize::MAX);
    let mut bytes = Zeroizing::new(Vec::with_capacity(capacity));
    source.take(MAX_BYTES + 1).read_to_end(&mut bytes).await?;
    Ok(bytes)
}

/// Returns the first line without its line end. `source` is what an error names.
///
/// # Errors
///
/// [`InvalidData`](io::ErrorKind::InvalidData) if the line is empty, longer than [`MAX_BYTES`] or not UTF-8.
fn parse_first_line(bytes: &[u8], source: &str) -> io::Result<Zeroizing<String>> {
    let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let is_whole = u64::try_from(line.len()).is_ok_and(|length| length <= MAX_BYTES);
    let text = std::str::from_utf8(line).ok().filter(|text| is_whole && !text.is_empty());
    let text = text.ok_or_else(|| invalid_data(format!("no password in the first line of {source}")))?;
    Ok(Zeroizing::new(text.to_owned()))
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
