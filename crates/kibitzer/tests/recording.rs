//! Recordings of live sessions: their state, and the files that remain.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::Duration;

use crate::common::listen;
use kibitzer::transcript::{RecordError, TranscriptReader};
use kibitzer::{Client, ConnectError, Dial, Profile, RequestError};
use kibitzer_core::session::Reconnect;

/// A path without a file, for one test. A file that is created there is removed.
struct Vacant(PathBuf);

impl Vacant {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("kibitzer-recording-{name}-{}.jsonl", std::process::id())))
    }
}

impl Drop for Vacant {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_failed_connection_leaves_no_file() {
    let path = Vacant::new("dial");
    let refuse = Dial::with(|| async { Err::<tokio::io::DuplexStream, _>(ErrorKind::ConnectionRefused.into()) });
    let profile = Profile::new("chess.example")
        .dial(refuse)
        .session(|session| session.reconnect(Reconnect::never()))
        .record_file(&path.0);
    let error = Client::connect(profile).await.unwrap_err();
    assert!(matches!(error, ConnectError::Dial(_)), "{error:?}");
    assert!(!path.0.exists());
}

#[tokio::test(start_paused = true)]
async fn a_session_has_one_recording_at_a_time() {
    let (mut listener, profile) = listen();
    let (client, mut peer) = listener.guest(profile).await;
    assert!(client.recording().is_none());
    let (first, second) = (Vacant::new("first"), Vacant::new("second"));
    client.record(&first.0).await.unwrap();
    let recording = client.recording().unwrap();
    assert_eq!((&*recording.path, recording.pieces), (&*first.0, 0));
    let busy = client.record(&second.0).await.unwrap_err();
    assert!(matches!(&busy, RecordError::Recording(path) if **path == *first.0), "{busy}");
    assert!(!second.0.exists());

    peer.serving(client.request("date")).await.unwrap();
    client.shutdown().await;
    let recording = client.recording().unwrap();
    let written = std::fs::read(&first.0).unwrap();
    let n_records = TranscriptReader::new(&written[..]).map(Result::unwrap).count();
    assert!(recording.error.is_none() && n_records > 1, "{recording:?}");
    assert_eq!((recording.pieces, recording.bytes), (n_records as u64, written.len() as u64));
    let over = client.record(&second.0).await.unwrap_err();
    assert!(matches!(over, RecordError::Session(RequestError::Ended(_))), "{over:?}");
    assert!(!second.0.exists());
}

#[tokio::test(start_paused = true)]
async fn a_recording_that_never_started_leaves_no_file() {
    let (mut listener, profile) = listen();
    let (client, mut peer) = listener.guest(profile).await;
    let unread = client.subscribe_lossless(1);
    peer.say("Foo shouts: hello\n\r".repeat(300)).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let path = Vacant::new("never");
    client.record(&path.0).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(path.0.exists());
    // The bytes that are not parsed are discarded.
    client.shutdown().await;
    drop(unread);
    let recording = client.recording().unwrap();
    assert!(recording.error.is_none() && recording.pieces == 0, "{recording:?}");
    assert!(!path.0.exists());
}
