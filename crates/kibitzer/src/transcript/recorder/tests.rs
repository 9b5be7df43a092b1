use std::future::poll_fn;
use std::io::ErrorKind;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, duplex};

use super::super::{Direction, Record, TranscriptReader};
use super::*;

impl Recorder {
    async fn flush(&mut self) -> io::Result<()> {
        poll_fn(|context| self.poll_flush(context)).await
    }
}

fn read(text: &[u8]) -> Vec<Record> {
    TranscriptReader::new(text).map(Result::unwrap).collect()
}

#[tokio::test(start_paused = true)]
async fn records_are_read_as_they_were_recorded() {
    let (sink, mut recorded) = duplex(4096);
    let mut recorder = Recorder::new(Path::new("pipe.jsonl"), sink);
    let all: Vec<u8> = (0..=255).collect();
    recorder.record_received(&all);
    tokio::time::advance(Duration::from_micros(1_000_001)).await;
    recorder.record_sent(b"quit\n", Attribution::default());
    recorder.record_redacted(Attribution::default());
    assert!(!recorder.is_flushed());
    recorder.flush().await.unwrap();
    assert!(recorder.is_flushed());
    drop(recorder);
    let mut text = Vec::new();
    recorded.read_to_end(&mut text).await.unwrap();
    let records = read(&text);
    let [first, second, third] = &records[..] else { panic!("{records:?}") };
    assert_eq!((first.time, first.direction, &first.bytes), (Duration::ZERO, Direction::Received, &all));
    let late = Duration::from_micros(1_000_001);
    assert_eq!((second.time, second.direction, &second.bytes[..]), (late, Direction::Sent, &b"quit\n"[..]));
    assert_eq!((third.redacted, &third.bytes[..]), (true, REDACTED));
    assert!(!first.redacted && !second.redacted);
}

#[tokio::test(start_paused = true)]
async fn a_slow_sink_loses_nothing_and_fills_the_recorder() {
    let (sink, mut recorded) = duplex(16);
    let mut recorder = Recorder::new(Path::new("pipe.jsonl"), sink);
    let mut n_put = 0;
    while !recorder.is_full() {
        recorder.record_received(&[b'x'; 1000]);
        n_put += 1;
    }
    assert!(n_put > 100, "{n_put}");
    let reading = tokio::spawn(async move {
        let mut text = Vec::new();
        recorded.read_to_end(&mut text).await.unwrap();
        text
    });
    // Futures that are dropped lose no bytes.
    for _ in 0..10 {
        tokio::select! {
            biased;
            result = recorder.flush() => result.unwrap(),
            () = tokio::task::yield_now() => {}
        }
    }
    recorder.flush().await.unwrap();
    drop(recorder);
    assert_eq!(read(&reading.await.unwrap()).len(), n_put);
}

#[tokio::test]
async fn a_recording_is_private_and_never_overwritten() {
    let folder = std::env::temp_dir().join(format!("kibitzer-recorder-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let path = folder.join("session.jsonl");
    let mut recorder = Recorder::create(&path).await.unwrap();
    recorder.record_received(b"fics% ");
    recorder.flush().await.unwrap();
    assert_eq!(read(&std::fs::read(&path).unwrap()).len(), 1);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let error = Recorder::create(&path).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test]
async fn an_error_of_the_sink_is_reported() {
    let (sink, recorded) = duplex(16);
    drop(recorded);
    let mut recorder = Recorder::new(Path::new("pipe.jsonl"), sink);
    recorder.record_received(b"fics% ");
    assert_eq!(recorder.flush().await.unwrap_err().kind(), ErrorKind::BrokenPipe);
    assert!(!recorder.is_flushed());
}

#[tokio::test]
async fn a_file_is_counted_and_an_empty_one_is_removed() {
    let path = std::env::temp_dir().join(format!("kibitzer-recorder-empty-{}.jsonl", std::process::id()));
    drop(Recorder::create(&path).await.unwrap());
    assert!(!path.exists());
    let mut recorder = Recorder::create(&path).await.unwrap();
    recorder.record_received(b"fics% ");
    recorder.record_received(b"");
    assert_eq!(recorder.recording.pieces, 0, "nothing is written yet");
    recorder.flush().await.unwrap();
    let recording = recorder.recording.clone();
    drop(recorder);
    let written = std::fs::read(&path).unwrap();
    assert_eq!((recording.pieces, recording.bytes, &*recording.path), (2, written.len() as u64, &*path));
    let records = read(&written);
    assert!(records.iter().all(|record| record.utc.is_some()), "{records:?}");
    assert_eq!(String::from_utf8(written).unwrap().matches("utc").count(), 1);
    std::fs::remove_file(&path).unwrap();
}
