//! What was recorded, run again.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

mod common;

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use common::*;
use kibitzer::Client;
use kibitzer::core::event::EndReason;
use kibitzer::core::hub::Hub;
use kibitzer::core::message::{Ivar, Message};
use kibitzer::core::session::{Credentials, SessionOptions, State, TimesealChoice};
use kibitzer::core::{Event, EventKind};
use kibitzer::transcript::{Replay, TranscriptReader};
use tokio::time::sleep;

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

/// How a server talks to a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Blocks,
    SealedBlocks,
    Fences,
}

impl Mode {
    fn timeseal(self) -> TimesealChoice {
        if self == Self::SealedBlocks { TimesealChoice::V2 } else { TimesealChoice::Off }
    }

    fn options(self, seed: u64) -> SessionOptions {
        let options = SessionOptions::new(Credentials::Guest).timeseal(self.timeseal()).seed(seed);
        if self == Self::Fences { options.without(Ivar::Block) } else { options }
    }

    async fn log_in(self, peer: Peer) -> Peer {
        let mut peer = peer.in_blocks(self != Self::Fences);
        if self == Self::SealedBlocks {
            peer = peer.sealed();
            assert!(peer.line().await.starts_with("TIMESEAL2|"));
        }
        peer.log_in().await;
        peer
    }
}

/// A session with requests, a lost connection and requests again, recorded; and what its subscriber has got of all that is
/// in the recording.
async fn record(path: &Path, mode: Mode, seed: u64) -> Vec<(EventKind, String)> {
    let (mut listener, profile) = listen();
    let profile = if mode == Mode::Fences { profile.without(Ivar::Block) } else { profile };
    let profile = profile.timeseal(mode.timeseal()).seed(seed).record_file(path);
    let (client, events) = Client::start(profile, Hub::subscribe).await.unwrap();
    let mut peer = mode.log_in(listener.accept().await).await;
    peer.serving(client.ready()).await.unwrap();
    peer.serving(client.request("observe 7")).await.unwrap();
    // The same again is another command, and what nobody may know is left out of the recording.
    for line in ["finger Newton", "finger Newton", "set password swordfish", "finger Newton", "date"] {
        drop(peer.serving(client.request(line)).await);
    }
    peer.serving(sleep(seconds(40))).await;
    // One server hangs up, the other falls silent, so that the session does.
    let silent = (mode == Mode::SealedBlocks).then_some(peer);
    let peer = listener.accept().await;
    drop(silent);
    // Longer than the longest first delay: a session that does not wait for the recording is there before.
    sleep(seconds(2)).await;
    let mut peer = mode.log_in(peer).await;
    let mut later = client.subscribe();
    // A request that overtakes what has come and was not looked at stands behind it in the recording.
    let restored = wait_for(&mut later, |event| matches!(event, Event::Restored(_)).then_some(()));
    peer.serving(restored).await;
    peer.serving(client.request("finger Newton")).await.unwrap();
    peer.serving(sleep(seconds(40))).await;
    client.shutdown().await;
    let mut events = collect(events).await;
    // The recording does not know what was hidden, nor that somebody hung up, only that it ends.
    let hidden = events.iter().find_map(|event| match **event {
        Event::Sent { line: None, request } if request.is_some() => Some(request),
        _ => None,
    });
    let hidden = hidden.unwrap();
    events.retain(|event| !matches!(**event, Event::Sent { request, .. } if request == hidden));
    events.pop();
    events.iter().map(|event| shape(event)).collect()
}

/// A place for a recording, gone with the test.
struct Recording(PathBuf);

impl Recording {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("kibitzer-replay-{}-{name}.jsonl", std::process::id())))
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_replayed_session_is_the_session_over_again_whatever_chance_says() {
    for (mode, seed) in [(Mode::Blocks, 7), (Mode::SealedBlocks, 8), (Mode::Fences, 7), (Mode::Fences, 8)] {
        let recording = Recording::new(&format!("{mode:?}-{seed}"));
        let want = record(&recording.0, mode, seed).await;
        assert!(want.len() > 80, "{want:?}");
        for other_seed in [7, 0, 1, 2, 3, 4, 5, 6] {
            let name = format!("{mode:?}, seed {seed} as {other_seed}");
            let mut replay = replay(&recording.0, mode.options(other_seed));
            let got: Vec<_> = replay.by_ref().map(|event| shape(&event.unwrap())).collect();
            for (number, (got, want)) in got.iter().zip(&want).enumerate() {
                assert_eq!(got, want, "{name}: event {number}");
            }
            assert!(got.len() >= want.len(), "{name}");
            assert!(replay.time() >= seconds(82), "{name}");
            assert_eq!(replay.session().counters().reconnects, 1, "{name}");
        }
    }
}

#[test]
fn a_time_beyond_all_clocks_is_now() {
    let recorded = br#"{"t": 1e19, "dir": "rx", "hex": "6c6f67696e3a20"}"#;
    let mut replay = Replay::new(TranscriptReader::new(&recorded[..]), SessionOptions::new(Credentials::Guest));
    let events: Vec<_> = replay.by_ref().map(Result::unwrap).collect();
    assert!(events.iter().any(|event| event.message() == Some(&Message::LoginPrompt)), "{events:?}");
    assert_eq!(replay.time(), seconds(0));
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
        // Of the other clients no session becomes ready, so what they asked for is not asked for again.
        let is_our_own =
            path.ends_with("fatics-rematch-observed.jsonl") || path.ends_with("uhlinfics-talk-long-words.jsonl");
        let State::Ended(reason) = replay.session().state() else { panic!("{}", path.display()) };
        assert_eq!(reason == EndReason::Quit, is_our_own, "{}", path.display());
    }
}
