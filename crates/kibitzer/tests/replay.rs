//! What was recorded, run again.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

mod common;

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use common::*;
use kibitzer::Client;
use kibitzer::core::hub::Hub;
use kibitzer::core::session::{Credentials, EndReason, SessionOptions, State};
use kibitzer::core::{Event, EventKind};
use kibitzer::transcript::{Replay, TranscriptReader};

fn replay(path: &Path, options: SessionOptions) -> Replay<BufReader<File>> {
    Replay::new(TranscriptReader::new(BufReader::new(File::open(path).unwrap())), options)
}

/// What of an event is the same whenever it happens.
fn shape(event: &Event) -> (EventKind, String) {
    let line = match event {
        Event::Sent { line, .. } => line.as_deref().unwrap_or("?").to_owned(),
        event => event.raw().escape_ascii().to_string(),
    };
    (event.kind(), line)
}

#[tokio::test(start_paused = true)]
async fn a_replayed_session_is_the_session_over_again() {
    let path = std::env::temp_dir().join(format!("kibitzer-replay-{}.jsonl", std::process::id()));
    let (mut listener, profile) = listen();
    let (client, events) = Client::start(profile.record_file(&path), Hub::subscribe).await.unwrap();
    let mut peer = listener.accept().await;
    peer.log_in().await;
    peer.serving(client.ready()).await.unwrap();
    peer.serving(client.request("observe 7")).await.unwrap();
    peer.serving(tokio::time::sleep(seconds(40))).await;
    drop(peer);
    let mut peer = listener.accept().await;
    peer.log_in().await;
    let mut later = client.subscribe();
    // A request that overtakes what has come and was not looked at stands behind it in the recording.
    let restored = wait_for(&mut later, |event| matches!(event, Event::Restored(_)).then_some(()));
    peer.serving(restored).await;
    peer.serving(client.request("finger Newton")).await.unwrap();
    client.shutdown().await;
    let want: Vec<_> = collect(events).await.iter().map(|event| shape(event)).collect();

    let mut replay = replay(&path, SessionOptions::new(Credentials::Guest).seed(7));
    let got: Vec<_> = replay.by_ref().map(|event| shape(&event.unwrap())).collect();
    std::fs::remove_file(&path).unwrap();
    // The recording does not know that somebody hung up, only that it ends.
    let n_same = want.len() - 1;
    assert!(n_same > 40, "{want:?}");
    for (number, (got, want)) in got.iter().zip(&want[..n_same]).enumerate() {
        assert_eq!(got, want, "event {number}");
    }
    assert!(got.len() >= n_same);
    assert!(replay.time() >= seconds(40));
}

/// The recorded sessions of the repository, whichever client made them.
fn recordings() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/transcripts");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl")).collect()
}

#[test]
fn any_recording_can_be_replayed_to_its_end() {
    let paths = recordings();
    assert!(paths.len() > 100, "transcripts are missing");
    for path in paths {
        let mut replay = replay(&path, SessionOptions::new(Credentials::Guest));
        let events: Vec<_> = replay.by_ref().map(Result::unwrap).collect();
        let ended = matches!(events.last().map(|event| &**event), Some(Event::Ended(_)));
        assert!(ended, "{}: {:?}", path.display(), events.last());
        assert!(matches!(replay.session().state(), State::Ended(reason) if reason != EndReason::Quit));
    }
}
