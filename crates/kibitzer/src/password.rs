//! Where a password comes from.

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use thiserror::Error;
use tokio::fs::{File, OpenOptions};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, Command};
use tokio::time::timeout;
use zeroize::Zeroizing;

use crate::core::event::CommandError;
use crate::core::session::Password;

/// How long a command may take to tell a password: somebody may have to type another one to unlock it.
const COMMAND_TIMEOUT: Duration = Duration::from_mins(1);
/// Most that is read of a file or of what a command prints; a line to a server is shorter.
const MAX_BYTES: u64 = 1024;

/// Where a password comes from. It is fetched when a session starts, and kept nowhere but there.
///
/// [`Debug`] shows where it is, not what it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PasswordSource {
    /// The environment variable of this name.
    Variable(String),
    /// The first line that a program prints, such as `["pass", "show", "fics"]`. No shell is involved. It has a minute,
    /// and has to end with success.
    Command(Vec<String>),
    /// The first line of a file that belongs to this user and that nobody else may read (mode 0600 or less).
    File(PathBuf),
}

/// Why there is no password.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SecretError {
    /// The variable is not set.
    #[error("environment variable {0} is not set")]
    NoVariable(String),
    /// The command names no program.
    #[error("the password command is empty")]
    NoProgram,
    /// The program could not be run, or what it says not be read.
    #[error("password command {program} failed")]
    Command {
        /// The program, without its arguments.
        program: String,
        /// What the system says.
        source: io::Error,
    },
    /// The program told that it failed.
    #[error("password command {program} was not successful")]
    Unsuccessful {
        /// The program, without its arguments.
        program: String,
    },
    /// The program took too long, and was ended.
    #[error("password command {program} took longer than {after:?}")]
    TimedOut {
        /// The program, without its arguments.
        program: String,
        /// How long it had.
        after: Duration,
    },
    /// The file cannot be read.
    #[error("cannot read the password file {path}", path = .path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Others could read the file, or write it, or it is no file.
    #[error("password file {path} has to be a regular file of yours with mode 0600", path = .path.display())]
    Exposed {
        /// Which file.
        path: PathBuf,
    },
    /// There is a password, but whose is not known.
    #[error("a password, but no handle")]
    NoHandle,
    /// There is nothing in the first line, or too much.
    #[error("no password in the first line of {0}")]
    NoLine(&'static str),
    /// It is no password a server could take.
    #[error("not a password")]
    Invalid(#[from] CommandError),
}

impl PasswordSource {
    /// Fetches the password.
    ///
    /// # Errors
    ///
    /// [`SecretError`] says why there is none; it never shows one.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the command, if there is one.
    pub async fn fetch(&self) -> Result<Password, SecretError> {
        let text = match self {
            Self::Variable(name) => variable(name)?,
            Self::Command(words) => command(words).await?,
            Self::File(path) => file(path).await?,
        };
        Ok(Password::new(text.as_str())?)
    }
}

fn variable(name: &str) -> Result<Zeroizing<String>, SecretError> {
    let value = env::var_os(name).ok_or_else(|| SecretError::NoVariable(name.to_owned()))?;
    first_line(&Zeroizing::new(value.into_encoded_bytes())).ok_or(SecretError::NoLine("an environment variable"))
}

/// # Cancel safety
///
/// Dropping the future ends the program.
async fn command(words: &[String]) -> Result<Zeroizing<String>, SecretError> {
    let (program, arguments) = words.split_first().ok_or(SecretError::NoProgram)?;
    let failed = |source| SecretError::Command { program: program.clone(), source };
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(failed)?;
    let (bytes, is_success) = timeout(COMMAND_TIMEOUT, output(&mut child))
        .await
        .map_err(|_| SecretError::TimedOut { program: program.clone(), after: COMMAND_TIMEOUT })?
        .map_err(failed)?;
    if !is_success {
        return Err(SecretError::Unsuccessful { program: program.clone() });
    }
    first_line(&bytes).ok_or(SecretError::NoLine("a command"))
}

/// What a program prints, up to the limit, and whether it was successful.
///
/// # Cancel safety
///
/// What was read is lost.
async fn output(child: &mut Child) -> io::Result<(Zeroizing<Vec<u8>>, bool)> {
    let bytes = match child.stdout.take() {
        Some(stdout) => start_of(stdout).await?,
        None => Zeroizing::default(),
    };
    // Its end of the pipe is closed by now, so a program that prints on and on fails here and does not wait.
    Ok((bytes, child.wait().await?.success()))
}

/// # Cancel safety
///
/// Dropping the future loses nothing.
async fn file(path: &Path) -> Result<Zeroizing<String>, SecretError> {
    let failed = |source| SecretError::File { path: path.to_owned(), source };
    let file = open(path).await.map_err(failed)?;
    if !is_private(&file.metadata().await.map_err(failed)?) {
        return Err(SecretError::Exposed { path: path.to_owned() });
    }
    first_line(&start_of(file).await.map_err(failed)?).ok_or(SecretError::NoLine("a file"))
}

/// Opens a file, and does not wait for one that is none: a named pipe has no writer yet.
///
/// # Cancel safety
///
/// Dropping the future loses nothing.
async fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    options.open(path).await
}

/// Whether it is a regular file of this user's that others can neither read nor write.
#[cfg(unix)]
fn is_private(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let for_others = metadata.mode() & 0o077;
    metadata.is_file() && for_others == 0 && metadata.uid() == rustix::process::geteuid().as_raw()
}

/// Where files have no mode, who may read them cannot be told: no file is good enough.
#[cfg(not(unix))]
const fn is_private(_: &std::fs::Metadata) -> bool {
    false
}

/// The first bytes, up to the limit and one.
///
/// # Cancel safety
///
/// What was read is lost.
async fn start_of(source: impl AsyncRead + Unpin) -> io::Result<Zeroizing<Vec<u8>>> {
    // With room for all from the start, no copy is left behind when it grows.
    let capacity = usize::try_from(MAX_BYTES + 2).unwrap_or(usize::MAX);
    let mut bytes = Zeroizing::new(Vec::with_capacity(capacity));
    source.take(MAX_BYTES + 1).read_to_end(&mut bytes).await?;
    Ok(bytes)
}

/// The first line without its end, if it is UTF-8 and neither empty nor too long.
fn first_line(bytes: &[u8]) -> Option<Zeroizing<String>> {
    let line = bytes.split(|&byte| byte == b'\n').next()?;
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let is_whole = u64::try_from(line.len()).is_ok_and(|length| length <= MAX_BYTES);
    let text = std::str::from_utf8(line).ok().filter(|text| is_whole && !text.is_empty())?;
    Some(Zeroizing::new(text.to_owned()))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn shell(script: &str) -> PasswordSource {
        PasswordSource::Command(["sh", "-c", script].map(str::to_owned).to_vec())
    }

    fn password(text: &str) -> Password {
        Password::new(text).unwrap()
    }

    // Rules: transport LG2, bugs 17
    #[tokio::test]
    async fn a_command_tells_it_in_its_first_line() {
        assert_eq!(shell("echo swordfish; echo url: freechess.org").fetch().await.unwrap(), password("swordfish"));
        assert_eq!(shell("printf 'sword fish\\r\\n'").fetch().await.unwrap(), password("sword fish"));
        assert_eq!(shell("printf swordfish").fetch().await.unwrap(), password("swordfish"));
        let cases = [
            ("true", "no password in the first line of a command"),
            ("echo; echo swordfish", "no password in the first line of a command"),
            ("head -c 2000 /dev/zero | tr '\\0' x", "no password in the first line of a command"),
            ("printf '\\377\\n'", "no password in the first line of a command"),
            ("echo swordfish; exit 3", "password command sh was not successful"),
            ("printf 'sword\\tfish\\n'", "not a password"),
        ];
        for (script, want) in cases {
            let error = shell(script).fetch().await.unwrap_err();
            assert_eq!(error.to_string(), want, "{script}");
            assert!(!format!("{error:?}").contains("fish"), "{error:?}");
        }
    }

    #[tokio::test]
    async fn a_command_that_cannot_be_run_says_so() {
        let missing = PasswordSource::Command(vec!["/no/such/program".to_owned()]);
        assert!(matches!(missing.fetch().await, Err(SecretError::Command { .. })));
        assert!(matches!(PasswordSource::Command(Vec::new()).fetch().await, Err(SecretError::NoProgram)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_command_has_a_minute() {
        // The child's end of the pipe stays open until it is killed.
        let error = shell("exec sleep 1000").fetch().await.unwrap_err();
        assert!(matches!(error, SecretError::TimedOut { .. }), "{error:?}");
    }

    // Rules: transport LG2
    #[tokio::test]
    async fn a_file_is_its_owners_alone() {
        let path = env::temp_dir().join(format!("kibitzer-password-{}", std::process::id()));
        fs::write(&path, "swordfish\nsecond line\n").unwrap();
        let source = PasswordSource::File(path.clone());
        for (mode, is_taken) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false), (0o622, false)] {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            match source.fetch().await {
                Ok(found) => assert!(is_taken && found == password("swordfish"), "{mode:o}"),
                Err(SecretError::Exposed { .. }) => assert!(!is_taken, "{mode:o}"),
                Err(error) => panic!("{mode:o}: {error:?}"),
            }
        }
        fs::remove_file(&path).unwrap();
        // A pipe that nobody writes to is refused like any file that is none.
        assert!(std::process::Command::new("mkfifo").args(["-m", "600"]).arg(&path).status().unwrap().success());
        let outcome = timeout(Duration::from_secs(10), source.fetch()).await.unwrap();
        fs::remove_file(&path).unwrap();
        assert!(matches!(outcome, Err(SecretError::Exposed { .. })), "{outcome:?}");
        assert!(matches!(source.fetch().await, Err(SecretError::File { .. })));
        assert!(matches!(PasswordSource::File(env::temp_dir()).fetch().await, Err(SecretError::Exposed { .. })));
    }

    #[tokio::test]
    async fn a_variable_has_it_or_is_not_set() {
        let missing = PasswordSource::Variable("KIBITZER_TEST_NOT_SET".to_owned());
        assert!(matches!(missing.fetch().await, Err(SecretError::NoVariable(_))));
        // Cargo sets it for every test.
        let set = PasswordSource::Variable("CARGO_PKG_NAME".to_owned());
        assert_eq!(set.fetch().await.unwrap(), password("kibitzer"));
    }
}
