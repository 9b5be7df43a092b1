//! The socket's file: whose it is, when it may be replaced, and that nobody else gets in.

use std::fs::{self, DirBuilder, Permissions};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::net::{UnixListener, UnixStream};
use tokio::time::timeout;

use super::{AttachError, ExposeError};

/// Only the owner connects.
const MODE: u32 = 0o600;
/// How long a process has to take a connection before it is taken for one that is there and busy.
const PROBE_PATIENCE: Duration = Duration::from_secs(1);
/// How often the place of a dead process's socket is tried for, should others want it too.
const ATTEMPTS: usize = 3;

/// A socket that listens, and its file, which goes with it.
#[derive(Debug)]
pub(crate) struct Listener {
    socket: UnixListener,
    path: PathBuf,
    /// Device and number of the file, to know it again.
    id: (u64, u64),
}

/// Somebody has connected.
pub(super) enum Accepted {
    /// A process of this user.
    Ours(UnixStream),
    /// Any other.
    Foreign(UnixStream),
}

impl Listener {
    /// Makes the socket. One that a dead process has left is replaced, one with a process behind it never.
    ///
    /// It comes to life in a new folder that only its owner may enter, gets its mode there, and is then given its name by a
    /// hard link, which fails if the name is taken. So it has no moment in which others could connect, and none in which two
    /// processes could believe it theirs. (A mask for the modes of new files would be the whole process's, not ours.)
    ///
    /// # Errors
    ///
    /// [`ExposeError`].
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves nothing behind, but may have removed a dead process's socket.
    pub(crate) async fn bind(path: &Path) -> Result<Self, ExposeError> {
        let failed = |source| ExposeError::Create { path: path.to_owned(), source };
        let room = Room::beside(path).map_err(failed)?;
        let made = room.file(NEW);
        let socket = UnixListener::bind(&made).map_err(failed)?;
        fs::set_permissions(&made, Permissions::from_mode(MODE)).map_err(failed)?;
        let id = id_of(&made).map_err(failed)?;
        for _ in 0..ATTEMPTS {
            match fs::hard_link(&made, path) {
                Ok(()) => return Ok(Self { socket, path: path.to_owned(), id }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => make_way(path, &room).await?,
                Err(error) => return Err(failed(error)),
            }
        }
        Err(ExposeError::InUse { path: path.to_owned() })
    }

    /// Waits for somebody to connect.
    ///
    /// # Errors
    ///
    /// Those of the system, such as too many open files.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nobody is lost.
    pub(super) async fn accept(&self) -> io::Result<Accepted> {
        let (stream, _) = self.socket.accept().await?;
        Ok(if is_ours(&stream)? { Accepted::Ours(stream) } else { Accepted::Foreign(stream) })
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        // As long as we listen, nobody takes the name from us; somebody may have removed it by hand.
        if id_of(&self.path).is_ok_and(|id| id == self.id) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Connects to a socket that a process of this user has made.
///
/// # Errors
///
/// [`AttachError`].
///
/// # Cancel safety
///
/// Dropping the future connects nobody.
pub(super) async fn connect(path: &Path, patience: Duration) -> Result<UnixStream, AttachError> {
    let owned = || path.to_owned();
    let connected = timeout(patience, UnixStream::connect(path)).await.map_err(|_| AttachError::Silent(patience))?;
    let stream = connected.map_err(|source| match source.kind() {
        ErrorKind::NotFound => AttachError::NoSocket { path: owned() },
        ErrorKind::ConnectionRefused => AttachError::Abandoned { path: owned() },
        _ => AttachError::Connect { path: owned(), source },
    })?;
    match is_ours(&stream) {
        Ok(true) => Ok(stream),
        Ok(false) => Err(AttachError::OtherUser),
        Err(source) => Err(AttachError::Connect { path: owned(), source }),
    }
}

/// Whether a process of this user is at the other end, as the system tells it.
fn is_ours(stream: &UnixStream) -> io::Result<bool> {
    Ok(stream.peer_cred()?.uid() == rustix::process::geteuid().as_raw())
}

/// Removes what a dead process has left.
///
/// # Errors
///
/// [`ExposeError`]: there is something that must stay.
///
/// # Cancel safety
///
/// Dropping the future may have removed it.
async fn make_way(path: &Path, room: &Room) -> Result<(), ExposeError> {
    require_dead(path, path).await?;
    // Between the look and the removal, somebody may have put a living one there: so it is taken aside, and looked at again.
    let aside = room.file(OLD);
    match fs::rename(path, &aside) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(source) => return Err(ExposeError::Create { path: path.to_owned(), source }),
        Ok(()) => {}
    }
    let looked = require_dead(&aside, path).await;
    if looked.is_err() {
        // Should yet another one be there by now, that one stays.
        let _ = fs::hard_link(&aside, path);
    }
    let _ = fs::remove_file(&aside);
    looked
}

/// Makes sure that a file is a socket without a process, or is not there; `name` is what it is known by.
///
/// # Errors
///
/// [`ExposeError`]: it is something else.
///
/// # Cancel safety
///
/// Cancel safe: nothing is changed.
async fn require_dead(file: &Path, name: &Path) -> Result<(), ExposeError> {
    match fs::symlink_metadata(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Ok(metadata) if metadata.file_type().is_socket() => {}
        _ => return Err(ExposeError::NoSocket { path: name.to_owned() }),
    }
    match timeout(PROBE_PATIENCE, UnixStream::connect(file)).await {
        Ok(Err(error)) if matches!(error.kind(), ErrorKind::ConnectionRefused | ErrorKind::NotFound) => Ok(()),
        // What cannot be told is taken for alive.
        _ => Err(ExposeError::InUse { path: name.to_owned() }),
    }
}

fn id_of(file: &Path) -> io::Result<(u64, u64)> {
    fs::symlink_metadata(file).map(|metadata| (metadata.dev(), metadata.ino()))
}

/// Names of the files in a [`Room`]: a socket that gets its name, and one that loses it.
const NEW: &str = "s";
const OLD: &str = "old";

/// A folder that only its owner may enter, gone when it is dropped.
struct Room(PathBuf);

impl Room {
    /// Makes one on the same file system. Its name is short, as the path of a socket may not be long.
    fn beside(path: &Path) -> io::Result<Self> {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = parent.join(format!(".k{:06x}", RandomState::new().hash_one(()) & 0xFF_FFFF));
        DirBuilder::new().mode(0o700).create(&folder)?;
        Ok(Self(folder))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // By name: listing the folder would need a file descriptor, and there may be none left.
        for name in [NEW, OLD] {
            let _ = fs::remove_file(self.file(name));
        }
        let _ = fs::remove_dir(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener as StdListener;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// A folder of the test's own.
    struct Folder(PathBuf);

    impl Folder {
        fn new() -> Self {
            static NUMBER: AtomicUsize = AtomicUsize::new(0);
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let folder = std::env::temp_dir().join(format!("kibitzer-socket-{}-{number}", std::process::id()));
            fs::create_dir_all(&folder).unwrap();
            Self(folder)
        }

        /// What is in it.
        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(&self.0).unwrap();
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[tokio::test]
    async fn it_is_its_owners_alone_and_goes_with_its_process() {
        let folder = Folder::new();
        let path = folder.0.join("bot.sock");
        let listener = Listener::bind(&path).await.unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, MODE);
        assert_eq!(folder.names(), ["bot.sock"], "no folder is left");
        let (accepted, connected) = tokio::join!(listener.accept(), connect(&path, PROBE_PATIENCE));
        assert!(matches!(accepted.unwrap(), Accepted::Ours(_)));
        connected.unwrap();
        drop(listener);
        assert_eq!(folder.names(), [""; 0]);
        let gone = connect(&path, PROBE_PATIENCE).await.unwrap_err();
        assert!(matches!(gone, AttachError::NoSocket { .. }), "{gone}");
    }

    #[tokio::test]
    async fn a_dead_one_is_replaced_and_a_living_one_is_not() {
        let folder = Folder::new();
        let path = folder.0.join("bot.sock");
        drop(StdListener::bind(&path).unwrap());
        let abandoned = connect(&path, PROBE_PATIENCE).await.unwrap_err();
        assert!(matches!(abandoned, AttachError::Abandoned { .. }), "{abandoned}");
        let first = Listener::bind(&path).await.unwrap();
        let second = Listener::bind(&path).await.unwrap_err();
        assert!(matches!(second, ExposeError::InUse { .. }), "{second}");
        assert_eq!(folder.names(), ["bot.sock"]);
        let (accepted, connected) = tokio::join!(first.accept(), connect(&path, PROBE_PATIENCE));
        drop((accepted.unwrap(), connected.unwrap()));
    }

    #[tokio::test]
    async fn what_is_no_socket_stays() {
        let folder = Folder::new();
        let path = folder.0.join("notes.txt");
        fs::write(&path, "mine").unwrap();
        let link = folder.0.join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        for path in [&path, &link, &folder.0] {
            let error = Listener::bind(path).await.unwrap_err();
            assert!(matches!(error, ExposeError::NoSocket { .. }), "{error}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
        let nowhere = Listener::bind(&folder.0.join("no/such/folder.sock")).await.unwrap_err();
        assert!(matches!(nowhere, ExposeError::Create { .. }), "{nowhere}");
    }

    #[tokio::test]
    async fn another_ones_file_is_not_removed() {
        let folder = Folder::new();
        let path = folder.0.join("bot.sock");
        let first = Listener::bind(&path).await.unwrap();
        fs::remove_file(&path).unwrap();
        let second = Listener::bind(&path).await.unwrap();
        drop(first);
        assert_eq!(folder.names(), ["bot.sock"]);
        drop(second);
        assert_eq!(folder.names(), [""; 0]);
    }
}
