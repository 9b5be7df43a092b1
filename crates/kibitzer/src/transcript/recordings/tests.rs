use std::future::poll_fn;
use std::path::Path;
use std::time::Instant;

use bytes::Bytes;
use tokio::io::{AsyncReadExt as _, duplex};

use super::*;
use kibitzer_core::session::{Credentials, Session, SessionOptions};

fn receive(observer: &mut RecordingObserver, bytes: &'static [u8]) {
    let session = Session::new(SessionOptions::new(Credentials::Guest), Instant::now());
    observer.observe(&Observation::Received(Bytes::from_static(bytes)), SessionView(&session));
}

async fn close(observer: &mut RecordingObserver) {
    poll_fn(|context| observer.poll_close(context)).await;
}

#[tokio::test]
async fn a_failed_recording_reports_its_error_and_can_be_replaced() {
    let (sink, reader) = duplex(16);
    drop(reader);
    let recordings = Arc::new(Recordings::default());
    let mut observer = recordings.start_recording(Recorder::new(Path::new("full.jsonl"), sink)).unwrap().unwrap();
    receive(&mut observer, b"one");
    close(&mut observer).await;
    receive(&mut observer, b"two");
    let recording = recordings.wait_for_failure().await;
    assert_eq!(recording.error.as_ref().unwrap().kind(), io::ErrorKind::BrokenPipe);
    let found = (&*recording.path, recording.pieces, recordings.unrecorded_pieces());
    assert_eq!(found, (Path::new("full.jsonl"), 0, 2));

    let (sink, mut reader) = duplex(1024);
    let second = recordings.start_recording(Recorder::new(Path::new("room.jsonl"), sink)).unwrap();
    assert!(second.is_none(), "the same observer writes the second one");
    receive(&mut observer, b"three");
    close(&mut observer).await;
    let recording = recordings.latest().unwrap();
    assert!(recording.error.is_none() && recording.pieces == 1, "{recording:?}");
    assert_eq!(recordings.unrecorded_pieces(), 2);
    drop(observer);
    let mut written = String::new();
    reader.read_to_string(&mut written).await.unwrap();
    assert!(written.contains("7468726565"), "{written}");
}

#[tokio::test]
async fn a_recording_that_is_not_written_fails_before_it_fills_the_memory() {
    let (sink, _reader) = duplex(16);
    let recordings = Arc::new(Recordings::default());
    let mut observer = recordings.start_recording(Recorder::new(Path::new("stuck.jsonl"), sink)).unwrap().unwrap();
    let mut n_pieces = 0;
    while recordings.lock().recorder.is_some() {
        receive(&mut observer, &[b'x'; 1000]);
        n_pieces += 1;
    }
    assert!((900..1100).contains(&n_pieces), "{n_pieces} pieces of 2 KB each");
    assert_eq!(recordings.wait_for_failure().await.error.unwrap().kind(), io::ErrorKind::TimedOut);
    assert_eq!(recordings.unrecorded_pieces(), n_pieces);
}

#[tokio::test]
async fn a_recording_that_is_not_written_in_time_has_failed() {
    let (sink, _reader) = duplex(16);
    let recordings = Arc::new(Recordings::default());
    let mut observer = recordings.start_recording(Recorder::new(Path::new("slow.jsonl"), sink)).unwrap().unwrap();
    receive(&mut observer, b"one");
    drop(observer);
    assert_eq!(recordings.wait_for_failure().await.error.unwrap().kind(), io::ErrorKind::TimedOut);
    assert_eq!(recordings.unrecorded_pieces(), 1);
}
