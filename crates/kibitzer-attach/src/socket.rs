//! The Unix socket and its file: access for one user only, and replacement of sockets whose process is gone.

use std::fs::{self, DirBuilder, Permissions};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::net::{UnixListener, UnixStream};
use tokio::time::timeout;

use crate::AttachError;

pub(crate) type Stream = UnixStream;

/// Mode of the socket: only its owner can connect.
const MODE: u32 = 0o600;
/// How long a process has to accept a connection. One that is slower exists and is busy.
const PROBE_TIMEOUT: Duration = Duration::from_secs(1);
/// Attempts to replace the socket of a dead process, which other processes may replace at the same time.
const ATTEMPTS: usize = 3;

/// A Unix socket that listens for processes of the same user (mode 0600). Dropping it removes its file.
#[derive(Debug)]
pub struct Listener {
    socket: UnixListener,
    path: PathBuf,
    /// Device and inode of the file, which identify it.
    id: (u64, u64),
}

impl Listener {
    /// Creates the socket. The socket of a dead process is replaced, any other file is not.
    ///
    /// # Errors
    ///
    /// [`AddrInUse`](io::ErrorKind::AddrInUse): another process listens on the socket.
    /// [`AlreadyExists`](io::ErrorKind::AlreadyExists): a file that is not a socket has this path; it is not replaced.
    /// [`Unsupported`](io::ErrorKind::Unsupported): this system has no Unix sockets. Other kinds if the socket cannot be created.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves no file, but may have removed a dead process's socket.
    pub async fn bind(path: &Path) -> io::Result<Self> {
        let failed = |error| creation_error(path, &error);
        // The socket is created in a directory that only its owner may enter, receives its mode there, and then its final
        // name by a hard link, which fails if the name is taken. At no moment can another user connect, or do two processes
        // own the name. A umask would apply to the whole process, and fchmod does not affect the file of a socket.
        let directory = PrivateDirectory::create_beside(path).map_err(failed)?;
        let new = directory.path_of(NEW);
        let socket = UnixListener::bind(&new).map_err(failed)?;
        fs::set_permissions(&new, Permissions::from_mode(MODE)).map_err(failed)?;
        let id = device_and_inode(&new).map_err(failed)?;
        for _ in 0..ATTEMPTS {
            match fs::hard_link(&new, path) {
                Ok(()) => return Ok(Self { socket, path: path.to_owned(), id }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    remove_abandoned_socket(path, &directory).await?;
                }
                Err(error) => return Err(failed(error)),
            }
        }
        Err(in_use_error(path))
    }

    /// Waits for a connection. The mode of the socket keeps other users out; the user of the peer is not checked in addition.
    ///
    /// # Errors
    ///
    /// Errors of the operating system, such as too many open files.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no connection is lost.
    pub async fn accept(&self) -> io::Result<Stream> {
        Ok(self.socket.accept().await?.0)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        // No program replaces a socket that listens, but a person may have removed the file and started another one.
        if device_and_inode(&self.path).is_ok_and(|id| id == self.id) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Connects to a socket on which a process of this user listens.
///
/// # Errors
///
/// [`AttachError`].
///
/// # Cancel safety
///
/// Dropping the future closes the connection.
pub(crate) async fn connect(path: &Path, connect_timeout: Duration) -> Result<UnixStream, AttachError> {
    let owned = || path.to_owned();
    let connected =
        timeout(connect_timeout, UnixStream::connect(path)).await.map_err(|_| AttachError::Silent(connect_timeout))?;
    let stream = connected.map_err(|source| match source.kind() {
        ErrorKind::NotFound => AttachError::NoSocket(owned()),
        ErrorKind::ConnectionRefused => AttachError::Abandoned(owned()),
        _ => AttachError::Connect { path: owned(), source },
    })?;
    match is_peer_same_user(&stream) {
        Ok(true) => Ok(stream),
        Ok(false) => Err(AttachError::OtherUser),
        Err(source) => Err(AttachError::Connect { path: owned(), source }),
    }
}

/// Asks the operating system whether the peer is a process of this user.
pub(crate) fn is_peer_same_user(stream: &UnixStream) -> io::Result<bool> {
    Ok(stream.peer_cred()?.uid() == rustix::process::geteuid().as_raw())
}

/// Removes the socket of a dead process.
///
/// # Errors
///
/// [`ErrorKind::AddrInUse`]: a process listens on the socket. [`ErrorKind::AlreadyExists`]: the file is not a socket.
///
/// # Cancel safety
///
/// Dropping the future may have removed the socket.
async fn remove_abandoned_socket(path: &Path, directory: &PrivateDirectory) -> io::Result<()> {
    require_abandoned_or_missing(path, path).await?;
    // Another process may have replaced the socket since the check, so it is renamed, checked again, and only then removed.
    let aside = directory.path_of(OLD);
    match fs::rename(path, &aside) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(creation_error(path, &error)),
        Ok(()) => {}
    }
    let checked = require_abandoned_or_missing(&aside, path).await;
    if checked.is_err() {
        // Fails if there is a third socket by now, which stays.
        let _ = fs::hard_link(&aside, path);
    }
    let _ = fs::remove_file(&aside);
    checked
}

/// Checks that a file is a socket without a process, or does not exist. Errors contain `name`.
///
/// # Errors
///
/// As [`remove_abandoned_socket`]: it is anything else.
///
/// # Cancel safety
///
/// Cancel safe: no file is changed.
async fn require_abandoned_or_missing(file: &Path, name: &Path) -> io::Result<()> {
    match fs::symlink_metadata(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Ok(metadata) if metadata.file_type().is_socket() => {}
        _ => {
            let message = format!("{} exists, and is not a socket", name.display());
            return Err(io::Error::new(ErrorKind::AlreadyExists, message));
        }
    }
    match timeout(PROBE_TIMEOUT, UnixStream::connect(file)).await {
        Ok(Err(error)) if matches!(error.kind(), ErrorKind::ConnectionRefused | ErrorKind::NotFound) => Ok(()),
        // In doubt, a process is assumed to listen.
        _ => Err(in_use_error(name)),
    }
}

fn in_use_error(path: &Path) -> io::Error {
    io::Error::new(ErrorKind::AddrInUse, format!("another session is exposed at {}", path.display()))
}

fn creation_error(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot create the socket {}: {error}", path.display()))
}

/// Returns device and inode of a file, which identify it even after it was renamed.
fn device_and_inode(file: &Path) -> io::Result<(u64, u64)> {
    fs::symlink_metadata(file).map(|metadata| (metadata.dev(), metadata.ino()))
}

/// Names of the files in a [`PrivateDirectory`]: the new socket, and the one that it replaces.
const NEW: &str = "s";
const OLD: &str = "old";

/// A directory that only its owner may enter. Dropping it removes it.
struct PrivateDirectory(PathBuf);

impl PrivateDirectory {
    /// Creates a directory on the same file system. Its name is short, because the length of a socket's path is limited.
    fn create_beside(path: &Path) -> io::Result<Self> {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let directory = parent.join(format!(".k{:06x}", RandomState::new().hash_one(()) & 0xFF_FFFF));
        DirBuilder::new().mode(0o700).create(&directory)?;
        Ok(Self(directory))
    }

    /// Returns the path of the file with this name in the directory.
    fn path_of(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for PrivateDirectory {
    fn drop(&mut self) {
        // By name: listing the directory would need a file descriptor, and none may be left.
        for name in [NEW, OLD] {
            let _ = fs::remove_file(self.path_of(name));
        }
        let _ = fs::remove_dir(&self.0);
    }
}

#[cfg(test)]
mod tests;
