use std::os::unix::net::UnixListener as StdListener;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// A directory for one test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("kibitzer-socket-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    /// Returns the names of its files.
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
async fn the_socket_is_private_and_removed_with_its_listener() {
    let folder = Folder::new();
    let path = folder.0.join("bot.sock");
    let listener = Listener::bind(&path).await.unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, MODE);
    assert_eq!(folder.names(), ["bot.sock"], "the private directory is removed");
    let (accepted, connected) = tokio::join!(listener.accept(), connect(&path, PROBE_TIMEOUT));
    assert!(is_peer_same_user(&accepted.unwrap()).unwrap());
    connected.unwrap();
    drop(listener);
    assert_eq!(folder.names(), [""; 0]);
    let gone = connect(&path, PROBE_TIMEOUT).await.unwrap_err();
    assert!(matches!(gone, AttachError::NoSocket { .. }), "{gone}");
}

#[tokio::test]
async fn a_dead_socket_is_replaced_and_a_living_one_is_not() {
    let folder = Folder::new();
    let path = folder.0.join("bot.sock");
    drop(StdListener::bind(&path).unwrap());
    let abandoned = connect(&path, PROBE_TIMEOUT).await.unwrap_err();
    assert!(matches!(abandoned, AttachError::Abandoned { .. }), "{abandoned}");
    let first = Listener::bind(&path).await.unwrap();
    let second = Listener::bind(&path).await.unwrap_err();
    assert_eq!(second.kind(), ErrorKind::AddrInUse, "{second}");
    assert_eq!(folder.names(), ["bot.sock"]);
    let (accepted, connected) = tokio::join!(first.accept(), connect(&path, PROBE_TIMEOUT));
    drop((accepted.unwrap(), connected.unwrap()));
}

#[tokio::test]
async fn a_file_that_is_not_a_socket_stays() {
    let folder = Folder::new();
    let path = folder.0.join("notes.txt");
    fs::write(&path, "mine").unwrap();
    let link = folder.0.join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    for path in [&path, &link, &folder.0] {
        let error = Listener::bind(path).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{error}");
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    let nowhere = Listener::bind(&folder.0.join("no/such/folder.sock")).await.unwrap_err();
    assert!(nowhere.to_string().starts_with("cannot create the socket "), "{nowhere}");
}

#[tokio::test]
async fn the_file_of_another_listener_is_not_removed() {
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
