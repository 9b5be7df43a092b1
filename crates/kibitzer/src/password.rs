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

use crate::core::session::Password;

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
    pub async fn fetch(&self) -> io::Result<Password> {
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
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::core::text::error_chain;

    fn shell(script: &str) -> PasswordSource {
        PasswordSource::Command(["sh", "-c", script].map(str::to_owned).to_vec())
    }

    fn password(text: &str) -> Password {
        Password::new(text).unwrap()
    }

    // Rules: transport LG2, bugs 17
    #[tokio::test]
    async fn the_first_line_of_a_command_is_the_password() {
        assert_eq!(shell("echo swordfish; echo url: freechess.org").fetch().await.unwrap(), password("swordfish"));
        assert_eq!(shell("printf 'sword fish\\r\\n'").fetch().await.unwrap(), password("sword fish"));
        assert_eq!(shell("printf swordfish").fetch().await.unwrap(), password("swordfish"));
        let cases = [
            ("true", "no password in the first line of a command"),
            ("echo; echo swordfish", "no password in the first line of a command"),
            ("head -c 2000 /dev/zero | tr '\\0' x", "no password in the first line of a command"),
            ("printf '\\377\\n'", "no password in the first line of a command"),
            ("echo swordfish; exit 3", "password command sh failed: exit status: 3"),
            ("printf 'sword\\tfish\\n'", "not a password: control character in a line"),
        ];
        for (script, want) in cases {
            let error = shell(script).fetch().await.unwrap_err();
            assert_eq!(error_chain(&error), want, "{script}");
            assert!(!format!("{error:?}").contains("fish"), "{error:?}");
        }
    }

    #[tokio::test]
    async fn a_command_that_cannot_run_is_an_error() {
        let missing = PasswordSource::Command(vec!["/no/such/program".to_owned()]).fetch().await.unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        assert!(missing.to_string().starts_with("password command /no/such/program failed: "), "{missing}");
        let empty = PasswordSource::Command(Vec::new()).fetch().await.unwrap_err();
        assert_eq!(empty.to_string(), "the password command is empty");
    }

    #[tokio::test(start_paused = true)]
    async fn a_command_is_killed_after_a_minute() {
        // The child's end of the pipe stays open until it is killed.
        let error = shell("exec sleep 1000").fetch().await.unwrap_err();
        assert_eq!(error_chain(&error), "password command sh failed: timed out");
    }

    // Rules: transport LG2
    #[tokio::test]
    async fn a_file_with_permissions_for_others_is_rejected() {
        let path = env::temp_dir().join(format!("kibitzer-password-{}", std::process::id()));
        fs::write(&path, "swordfish\nsecond line\n").unwrap();
        let source = PasswordSource::File(path.clone());
        let is_exposed = |error: &io::Error| error.to_string().ends_with("a regular file of yours with mode 0600");
        for (mode, is_accepted) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false), (0o622, false)] {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            match source.fetch().await {
                Ok(found) => assert!(is_accepted && found == password("swordfish"), "{mode:o}"),
                Err(error) => assert!(!is_accepted && is_exposed(&error), "{mode:o}: {error:?}"),
            }
        }
        fs::remove_file(&path).unwrap();
        // A named pipe without a writer is rejected like everything that is not a regular file.
        assert!(std::process::Command::new("mkfifo").args(["-m", "600"]).arg(&path).status().unwrap().success());
        let outcome = timeout(Duration::from_secs(10), source.fetch()).await.unwrap();
        fs::remove_file(&path).unwrap();
        assert!(outcome.as_ref().is_err_and(is_exposed), "{outcome:?}");
        let missing = source.fetch().await.unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        assert!(missing.to_string().starts_with("cannot read the password file "), "{missing}");
        assert!(PasswordSource::File(env::temp_dir()).fetch().await.as_ref().is_err_and(is_exposed));
    }

    #[tokio::test]
    async fn a_variable_contains_the_password() {
        let missing = PasswordSource::Variable("KIBITZER_TEST_NOT_SET".to_owned());
        let missing = missing.fetch().await.unwrap_err();
        assert_eq!(missing.to_string(), "environment variable KIBITZER_TEST_NOT_SET is not set");
        // Cargo sets it for every test.
        let set = PasswordSource::Variable("CARGO_PKG_NAME".to_owned());
        assert_eq!(set.fetch().await.unwrap(), password("kibitzer"));
    }
}
