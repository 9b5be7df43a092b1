//! A recorded session: its contents, the secrets that it omits, and that a session can be run again on it.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::time::Duration;

use kibitzer::Client;
use kibitzer::transcript::{Direction, Record, TranscriptReader};
use kibitzer::{Command, TimesealChoice};
use kibitzer_core::Event;
use kibitzer_core::message::Ivar;
use kibitzer_core::session::{Credentials, Password, SessionOptions};
use kibitzer_server::{ConnectionTarget, Fault, FaultPoint};
use kibitzer_tests::live::{PASSWORD, TestServer, begin_game, drain, handle, options, play, wait_for};
use kibitzer_tests::rerun;
use tokio::time::sleep;

/// A command that is omitted from the recording.
const CHANGE_PASSWORD: &str = "password swordfish perch";

/// A recording that is deleted with its test.
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
async fn record(recording: &Recording) -> Vec<Event> {
    let test_server = TestServer::start(options(&["Newton", "Euler", "Gauss"])).await;
    let (newton, euler) = (test_server.player("Newton").await, test_server.player("Euler").await);
    let profile = test_server.account("Gauss").record_file(&recording.0);
    let builder = Client::builder(profile);
    let mut events = builder.subscribe_lossless(1 << 12);
    let gauss = builder.start().await.unwrap();
    gauss.ready().await.unwrap();
    let game = begin_game(&newton, &euler).await;
    gauss.observe(game).await.unwrap();
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

/// How the server speaks to the client, and how it breaks the connection.
const CASES: [(&str, TimesealChoice, Option<Ivar>, Fault); 3] = [
    ("blocks", TimesealChoice::Off, None, Fault::Cut),
    ("sealed-blocks", TimesealChoice::V2, None, Fault::Stall),
    ("fences", TimesealChoice::Off, Some(Ivar::Block), Fault::Reset),
];

/// Records a session that requests, loses its connection, comes back and requests again.
async fn record_reconnect(
    recording: &Recording,
    timeseal: TimesealChoice,
    without: Option<Ivar>,
    fault: Fault,
) -> Vec<Event> {
    let test_server = TestServer::start(options(&["Newton", "Euler", "Gauss"])).await;
    let (newton, euler) = (test_server.player("Newton").await, test_server.player("Euler").await);
    let profile = test_server
        .account("Gauss")
        .session(|session| session.timeseal(timeseal))
        .redact_events()
        .record_file(&recording.0);
    let profile = profile.session(|session| without.into_iter().fold(session, SessionOptions::without_ivar));
    let builder = Client::builder(profile);
    let mut events = builder.subscribe_lossless(1 << 12);
    let gauss = builder.start().await.unwrap();
    gauss.ready().await.unwrap();
    let game = begin_game(&newton, &euler).await;
    gauss.observe(game).await.unwrap();
    play(&newton, "e4").await;
    for line in ["finger Newton", "finger Newton", CHANGE_PASSWORD, "finger Newton", "date"] {
        gauss.request(line).await.unwrap();
    }
    sleep(Duration::from_secs(100)).await;
    let mut later = gauss.subscribe();
    let own = ConnectionTarget::Player("Gauss".to_owned());
    test_server.server().control().inject(own, FaultPoint::Now, fault).await.unwrap();
    play(&euler, "e5").await;
    wait_for(&mut later, |event| matches!(event, Event::Restored(_)).then_some(())).await;
    gauss.request("finger Newton").await.unwrap();
    sleep(Duration::from_secs(100)).await;
    gauss.shutdown().await;
    drain(&mut events).0
}

#[tokio::test(start_paused = true)]
async fn a_session_with_the_same_seed_emits_the_same_events_for_its_recording() {
    for (name, timeseal, without, fault) in CASES {
        let recording = Recording::new(name);
        let heard = record_reconnect(&recording, timeseal, without, fault).await;
        let records = recording.records();
        assert!(records.is_sorted_by_key(|record| record.time));
        let password = Password::new("not recorded").unwrap();
        let options = SessionOptions::new(Credentials::account(handle("Gauss"), password)).seed(7);
        let options = without.into_iter().fold(options.timeseal(timeseal), SessionOptions::without_ivar);
        // The last piece is the end of the connection, which followed from the shutdown.
        let (last, records) = records.split_last().unwrap();
        assert!(last.bytes.is_empty(), "{name}: {last:?}");
        let again = rerun(records, options, &[Command::new(CHANGE_PASSWORD).unwrap()]);
        let heard: Vec<_> = heard.iter().filter_map(comparable).collect();
        let again: Vec<_> = again.iter().filter_map(comparable).collect();
        assert!(heard.len() > 100, "{name}: {}", heard.len());
        for (number, (heard, again)) in heard.iter().zip(&again).enumerate() {
            assert_eq!(again, heard, "{name}: event {number}");
        }
        assert_eq!(heard.len(), again.len(), "{name}");
    }
}

/// The event without what a recording does not contain: why the connection was lost and the session ended.
fn comparable(event: &Event) -> Option<String> {
    match event {
        Event::Lost(loss) => Some(format!("lost, {:?}", loss.retry_in)),
        Event::Ended(_) => None,
        event => Some(format!("{event:?}")),
    }
}
