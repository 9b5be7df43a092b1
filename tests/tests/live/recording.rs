//! A recorded session: what is in it, what is not, and that it plays again.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use kibitzer::Client;
use kibitzer::command::Observe;
use kibitzer::core::Event;
use kibitzer::core::session::{Credentials, Password, Reconnect, SessionOptions};
use kibitzer::transcript::{Direction, Record, Replay, TranscriptReader};
use kibitzer_tests::live::{Hall, PASSWORD, begin_game, drain, handle, options, play};
use tokio::time::sleep;

/// A file for one test, gone with it.
struct Recording(PathBuf);

impl Recording {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("kibitzer-live-{}-{name}.jsonl", std::process::id())))
    }

    fn reader(&self) -> TranscriptReader<BufReader<File>> {
        TranscriptReader::new(BufReader::new(File::open(&self.0).unwrap()))
    }

    fn records(&self) -> Vec<Record> {
        self.reader().map(Result::unwrap).collect()
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Gauss watches a game and is told something; what he heard of the server.
async fn record(recording: &Recording) -> Vec<Arc<Event>> {
    let hall = Hall::open(options(&["Newton", "Euler", "Gauss"])).await;
    let (newton, euler) = (hall.player("Newton").await, hall.player("Euler").await);
    let profile = hall.account("Gauss").record_file(&recording.0);
    let (gauss, mut events) = Client::start(profile, |hub| hub.subscribe_lossless(1 << 12)).await.unwrap();
    gauss.ready().await.unwrap();
    let game = begin_game(&newton, &euler).await;
    gauss.request(&Observe::new(game)).await.unwrap();
    for (client, played) in [(&newton, "e4"), (&euler, "e5"), (&newton, "Nf3")] {
        play(client, played).await;
        sleep(Duration::from_secs(20)).await;
    }
    newton.request("tell Gauss what do you think?").await.unwrap();
    sleep(Duration::from_secs(1)).await;
    gauss.shutdown().await;
    drain(&mut events).0
}

// Rules: transport LG2
#[tokio::test(start_paused = true)]
async fn names_and_passwords_of_the_login_are_not_recorded() {
    let recording = Recording::new("secrets");
    record(&recording).await;
    let records = recording.records();
    let redacted: Vec<_> = records.iter().filter(|record| record.redacted).collect();
    assert_eq!(redacted.len(), 3, "login string, name and password: {redacted:?}");
    for record in records.iter().filter(|record| record.direction == Direction::Sent) {
        let text = String::from_utf8_lossy(&record.bytes);
        assert!(!text.contains(PASSWORD) && !text.contains("Gauss"), "{text}");
    }
    let text = std::fs::read_to_string(&recording.0).unwrap();
    assert!(!text.contains(PASSWORD));
    let is_secret = |record: &Record| record.bytes.windows(PASSWORD.len()).any(|bytes| bytes == PASSWORD.as_bytes());
    assert!(!records.iter().any(is_secret));
}

#[tokio::test(start_paused = true)]
async fn a_recorded_session_plays_again_to_the_same_events() {
    let recording = Recording::new("replay");
    let heard = record(&recording).await;
    assert!(recording.records().is_sorted_by_key(|record| record.time));
    let again = replay(&recording);
    let heard: Vec<_> = heard.iter().filter_map(|event| told(event)).collect();
    let again: Vec<_> = again.iter().filter_map(|event| told(event)).collect();
    assert!(heard.len() > 20, "{}", heard.len());
    for (heard, again) in heard.iter().zip(&again) {
        assert_eq!(heard, again);
    }
    assert_eq!(heard.len(), again.len());
}

/// What an event tells of the session, but for how it ended: that was on our side.
fn told(event: &Event) -> Option<String> {
    match event {
        Event::Lost { .. } | Event::Ended(_) => None,
        event => Some(format!("{event:?}")),
    }
}

/// The same session, with another password: nobody knows the one that was sent.
fn replay(recording: &Recording) -> Vec<Arc<Event>> {
    let credentials = Credentials::Account { handle: handle("Gauss"), password: Password::new("another").unwrap() };
    let options = SessionOptions::new(credentials).seed(7).reconnect(Reconnect::never());
    Replay::new(recording.reader(), options).map(Result::unwrap).collect()
}
