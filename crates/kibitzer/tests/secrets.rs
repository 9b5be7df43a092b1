//! Passwords in logs, recordings, taps and `Debug` output: there are none.

use std::fmt::{self, Write as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::*;
use kibitzer::transcript::{Direction, Record, TranscriptReader};
use kibitzer::{Client, Observation, Tap};
use kibitzer_core::Event;
use kibitzer_core::event::RequestError;
use kibitzer_core::session::{Password, TimesealChoice};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::subscriber::Interest;
use tracing::{Level, Metadata, Subscriber};

const PASSWORD: &str = "swordfish";

/// Talk with the password as a word, after its redaction has ended.
const CHAT: &[u8] = b"Foo shouts: a swordfish or a trout?";

/// Stores everything that is logged, as text.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

impl Log {
    fn text(&self) -> String {
        self.0.lock().unwrap().clone()
    }
}

impl Visit for Log {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        write!(self.0.lock().unwrap(), " {}={value:?}", field.name()).unwrap();
    }
}

impl Subscriber for Log {
    fn register_callsite(&self, _: &'static Metadata<'static>) -> Interest {
        Interest::sometimes()
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("kibitzer") && *metadata.level() <= Level::TRACE
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        writeln!(self.0.lock().unwrap()).unwrap();
        span.record(&mut self.clone());
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &tracing::span::Record<'_>) {
        values.record(&mut self.clone());
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        writeln!(self.0.lock().unwrap()).unwrap();
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// A recording that is deleted with its test.
struct Recording(PathBuf);

impl Recording {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("kibitzer-secrets-{}-{name}.jsonl", std::process::id())))
    }

    fn records(&self) -> Vec<Record> {
        TranscriptReader::new(&std::fs::read(&self.0).unwrap()[..]).map(Result::unwrap).collect()
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Logs in to an account and sends requests. Returns the log with all `Debug` output, and the events.
async fn session(timeseal: TimesealChoice, recording: &Recording) -> (String, Vec<Event>) {
    let log = Log::default();
    let _guard = tracing::subscriber::set_default(log.clone());
    let (mut listener, profile) = listen();
    let profile = profile
        .account("Newton".parse().unwrap(), Password::new(PASSWORD).unwrap())
        .session(|session| session.timeseal(timeseal))
        .record_file(&recording.0);
    let builder = Client::builder(profile.clone());
    let events = builder.subscribe();
    let client = builder.start().await.unwrap();
    let mut peer = listener.accept().await;
    if timeseal != TimesealChoice::Off {
        peer = peer.sealed();
        assert!(peer.line().await.starts_with("TIMESEAL2|"));
    }
    peer.ask_name().await;
    assert_eq!(peer.line().await, "Newton");
    peer.say("\n\r\"Newton\" is a registered name.  If it is yours, type the password.\n\rpassword: ").await;
    assert_eq!(peer.line().await, PASSWORD);
    peer.say("\n\r**** Starting FICS session as Newton ****\n\r\n\rfics% ").await;
    peer.serving(client.ready()).await.unwrap();
    peer.serving(client.request("finger")).await.unwrap();
    let shown = format!("{client:?} {client:#?} {profile:?}");
    assert!(!shown.contains(PASSWORD), "{shown}");
    client.shutdown().await;
    assert_eq!(client.counters().unrecorded_pieces, 0);
    (log.text(), collect(events).await)
}

// Rules: transport LG2, bugs 17
#[tokio::test(start_paused = true)]
async fn no_output_contains_the_password() {
    let recording = Recording::new("plain");
    let (log, events) = session(TimesealChoice::Off, &recording).await;
    assert!(log.contains("server=\"chess.example\"") && log.contains("handle=\"Newton\""), "{log}");
    assert!(log.contains("message=sent bytes=") && log.contains("finger"), "{log}");
    assert!(!log.contains(PASSWORD), "{log}");
    assert!(!format!("{events:?}").contains(PASSWORD));

    let records = recording.records();
    let text = String::from_utf8(std::fs::read(&recording.0).unwrap()).unwrap();
    assert!(!text.contains(&hex(PASSWORD)));
    assert!(!records.iter().any(|record| String::from_utf8_lossy(&record.bytes).contains(PASSWORD)));
    let redacted: Vec<_> = records.iter().filter(|record| record.redacted).collect();
    assert_eq!(redacted.len(), 3, "the login string, the name, the password: {redacted:?}");
    assert!(redacted.iter().all(|record| record.direction == Direction::Sent && record.bytes == b"[redacted]\n"));
}

#[tokio::test(start_paused = true)]
async fn a_password_in_talk_is_recorded_as_typed_and_one_in_a_command_is_not() {
    let recording = Recording::new("talk");
    let (mut listener, profile) = listen();
    let (client, mut peer) = listener.guest(profile.record_file(&recording.0)).await;
    peer.serving(client.request(&format!("tell Foo my password is {PASSWORD}"))).await.unwrap();
    let _ = peer.serving(client.request("password swordfish perch")).await;
    client.shutdown().await;
    let sent = recording.records().into_iter().filter(|record| record.direction == Direction::Sent);
    let lines: Vec<_> = sent.map(|record| String::from_utf8(record.bytes).unwrap()).collect();
    let [talk, command] = lines.last_chunk().unwrap();
    assert!(talk.ends_with("tell Foo my password is swordfish\n"), "{talk}");
    assert_eq!(command, "[redacted]\n");
}

// Rules: transport LG2
#[tokio::test(start_paused = true)]
async fn a_sealed_password_is_not_recorded() {
    let recording = Recording::new("sealed");
    let (log, _) = session(TimesealChoice::V2, &recording).await;
    assert!(!log.contains(PASSWORD));
    let sent = recording.records().into_iter().filter(|record| record.direction == Direction::Sent && !record.redacted);
    let lines: Vec<_> = sent
        .map(|record| String::from_utf8(kibitzer_core::wire::unseal(&record.bytes).unwrap().text).unwrap())
        .collect();
    assert!(lines.iter().any(|line| line.ends_with("finger")), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains(PASSWORD)), "{lines:?}");
}

/// Returns the received bytes in a recording.
fn received(recording: &Recording) -> String {
    let records = recording.records().into_iter().filter(|record| record.direction == Direction::Received);
    String::from_utf8(records.flat_map(|record| record.bytes).collect()).unwrap()
}

/// Returns the received bytes in a tap, and the `Debug` output of its other items without the talk.
async fn tapped(mut tap: Tap) -> (String, String) {
    let (mut bytes, mut shown) = (Vec::new(), String::new());
    while let Some(item) = tap.next().await {
        match item.observation {
            Observation::Received(received) => bytes.extend(received),
            Observation::Event { event, .. } if event.raw() == CHAT => {}
            other => writeln!(shown, "{other:?}").unwrap(),
        }
    }
    (String::from_utf8_lossy(&bytes).into_owned(), shown)
}

// Rules: transport LG2, bugs 17
#[tokio::test(start_paused = true)]
async fn an_echoed_password_is_redacted_until_the_session_is_set_up() {
    for pipe_bytes in [1, 3, 7, 4096] {
        let (log, recording) = (Log::default(), Recording::new("echo"));
        let _guard = tracing::subscriber::set_default(log.clone());
        let (mut listener, profile) = listen_with(pipe_bytes);
        let profile =
            profile.account("Newton".parse().unwrap(), Password::new(PASSWORD).unwrap()).record_file(&recording.0);
        let mut builder = Client::builder(profile);
        let tap = builder.tap();
        let client = builder.start().await.unwrap();
        let tap = tokio::spawn(tapped(tap));
        let mut peer = listener.accept().await;
        peer.ask_name().await;
        assert_eq!(peer.line().await, "Newton");
        peer.say("password: ").await;
        assert_eq!(peer.line().await, PASSWORD);
        peer.say("swordfish\n\rSWORDFISH? It swords.\n\r**** Starting FICS session as Newton ****\n\r\n\rfics% ").await;
        peer.serving(client.ready()).await.unwrap();
        // The server does not know the command, and repeats it.
        peer.serving(client.request("password swordfish trout")).await.unwrap_err();
        // In the log, the pieces of the chat are cut anywhere.
        let log = log.text();
        let mut events = client.subscribe();
        peer.say([b"\n\r", CHAT, b"\n\rfics% "].concat()).await;
        wait_for(&mut events, |event| (event.raw() == CHAT).then_some(())).await;
        client.shutdown().await;

        let (bytes, shown) = tap.await.unwrap();
        assert_eq!(received(&recording), bytes);
        assert!(bytes.contains("\r*********? It swords.\n\r"), "{bytes}");
        assert!(bytes.contains("password ********* *****: Command not found."), "{bytes}");
        let chat = str::from_utf8(CHAT).unwrap();
        assert!(bytes.contains(chat), "it is a word again: {bytes}");
        for text in [bytes.replace(chat, ""), log, shown] {
            let text = text.to_lowercase();
            assert!(!text.contains(PASSWORD) && !text.contains("trout"), "{pipe_bytes}: {text}");
        }
    }
}

/// Returns the lines that a reader parses.
fn decoded(bytes: &[u8]) -> Vec<String> {
    let mut reader = kibitzer_core::EventReader::default();
    let mut rest = bytes;
    let events = std::iter::from_fn(|| reader.next(&mut rest).or_else(|| reader.finish()));
    events.map(|event| kibitzer_core::text::decode_received(event.raw()).into_owned()).collect()
}

// Rules: transport LG2, bugs 17
#[tokio::test(start_paused = true)]
async fn an_echoed_password_is_redacted_with_any_bytes_inside() {
    let said =
        b"a swo\0rd\xff\xf1f\r&#x69;sh, a sw\x1b[1mordfish, and because this line is long a swordf\n\r\\   ish.\n\r";
    for pipe_bytes in [1, 3, 4096] {
        let (log, recording) = (Log::default(), Recording::new("inside"));
        let _guard = tracing::subscriber::set_default(log.clone());
        let (mut listener, profile) = listen_with(pipe_bytes);
        let profile =
            profile.account("Newton".parse().unwrap(), Password::new(PASSWORD).unwrap()).record_file(&recording.0);
        let mut builder = Client::builder(profile);
        let tap = builder.tap();
        let client = builder.start().await.unwrap();
        let tap = tokio::spawn(tapped(tap));
        let mut peer = listener.accept().await;
        peer.ask_name().await;
        assert_eq!(peer.line().await, "Newton");
        peer.say("password: ").await;
        assert_eq!(peer.line().await, PASSWORD);
        peer.say(said).await;
        peer.say("\n\r**** Starting FICS session as Newton ****\n\r\n\rfics% ").await;
        peer.serving(client.ready()).await.unwrap();
        client.shutdown().await;
        let (_, shown) = tap.await.unwrap();
        assert!(!shown.replace(' ', "").contains(PASSWORD), "{pipe_bytes}: {shown}");
        let records = recording.records().into_iter().filter(|record| record.direction == Direction::Received);
        let bytes: Vec<u8> = records.flat_map(|record| record.bytes).collect();
        let lines = decoded(&bytes);
        assert!(lines.iter().any(|line| line.starts_with("a ") && line.matches("***").count() > 2), "{lines:?}");
        assert!(!lines.iter().any(|line| line.replace(' ', "").contains(PASSWORD)), "{lines:?}");
        assert!(bytes.windows(said.len()).any(|part| {
            // Each byte in its place, and those between the letters as they came.
            part.iter().zip(said).all(|(&written, &sent)| written == sent || written == b'*')
        }));
        assert!(!log.text().replace("\\x00", "").contains(PASSWORD));
    }
}

// Rules: transport LG2
#[tokio::test(start_paused = true)]
async fn events_of_subscribers_are_redacted_on_request() {
    for is_redacted in [true, false] {
        let (mut listener, profile) = listen();
        let profile = if is_redacted { profile.redact_events() } else { profile };
        let (client, mut peer) = listener.guest(profile).await;
        let events = client.subscribe();
        let asking = tokio::spawn({
            let client = client.clone();
            async move { client.request("password swordfish trout").await }
        });
        let number = peer.expect("password swordfish trout").await;
        peer.say(block(number, 93, "Password changed to \"trout\".\n\r")).await;
        let reply = asking.await.unwrap().unwrap().text();
        assert_eq!(reply.contains("trout"), !is_redacted, "{reply}");
        peer.say([CHAT, b"\n\rfics% "].concat()).await;
        peer.serving(client.request("date")).await.unwrap();
        client.shutdown().await;
        let events = collect(events).await;
        let lines: Vec<_> = events.iter().map(|event| String::from_utf8_lossy(event.raw()).into_owned()).collect();
        let want = if is_redacted { "Password changed to \"*****\"." } else { "Password changed to \"trout\"." };
        assert!(lines.iter().any(|line| line == want), "{lines:?}");
        assert!(lines.iter().any(|line| line.as_bytes() == CHAT), "it is a word again: {lines:?}");
    }
}

// Rules: transport LG2
#[tokio::test(start_paused = true)]
async fn a_listing_with_a_password_is_left_out_on_request() {
    for is_redacted in [true, false] {
        let (mut listener, profile) = listen();
        let profile = if is_redacted { profile.redact_events() } else { profile };
        let mut builder = Client::builder(profile);
        let tap = tokio::spawn(tapped(builder.tap()));
        let client = builder.start().await.unwrap();
        let mut peer = listener.accept().await;
        peer.log_in().await;
        peer.serving(client.ready()).await.unwrap();
        let events = client.subscribe();
        let ask = |command: &'static str| {
            let client = client.clone();
            tokio::spawn(async move { client.request(command).await })
        };
        // The reply is late, so that the new password remains secret.
        let asking = ask("password swordfish trout");
        peer.expect("password swordfish trout").await;
        for _ in 0..3 {
            tokio::time::sleep(Duration::from_secs(12)).await;
            peer.say("fics% ").await;
        }
        assert!(matches!(asking.await.unwrap(), Err(RequestError::TimedOut(_))));
        let mut replies = Vec::new();
        for note in ["I fish trout", "I fish"] {
            let asking = ask("finger Newton");
            let number = peer.expect("finger Newton").await;
            let finger = format!("Finger of Newton:\n\r\n\rOn for: 1 min   Idle: 0 secs\n\r\n\r 1: {note}\n\r");
            peer.say(block(number, 37, &finger)).await;
            replies.push(asking.await.unwrap().unwrap());
        }
        client.shutdown().await;
        let is_listing = |event: &Event| matches!(event, Event::Listing { .. });
        let has_listing: Vec<_> = replies.iter().map(|reply| reply.events.iter().any(is_listing)).collect();
        assert_eq!(has_listing, [!is_redacted, true]);
        let events = collect(events).await;
        assert_eq!(events.iter().filter(|event| is_listing(event)).count(), if is_redacted { 1 } else { 2 });
        assert_eq!(format!("{replies:?} {events:?}").contains("trout"), !is_redacted);
        let (_, shown) = tap.await.unwrap();
        assert!(shown.contains("Listing") && !shown.contains("trout"), "{shown}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_password_in_a_late_reply_is_redacted() {
    let recording = Recording::new("late");
    let (mut listener, profile) = listen();
    let (client, mut peer) = listener.guest(profile.record_file(&recording.0)).await;
    let asking = tokio::spawn({
        let client = client.clone();
        async move { client.request("password swordfish trout").await }
    });
    let number = peer.expect("password swordfish trout").await;
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_secs(12)).await;
        peer.say("fics% ").await;
    }
    assert!(matches!(asking.await.unwrap(), Err(RequestError::TimedOut(_))));
    peer.say(block(number, 512, "password swordfish trout: Command not found.\n\r")).await;
    peer.serving(client.request("date")).await.unwrap();
    client.shutdown().await;
    let bytes = received(&recording);
    assert!(bytes.contains("password ********* *****: Command not found."), "{bytes}");
}

#[tokio::test(start_paused = true)]
async fn a_recording_contains_every_received_byte() {
    let recording = Recording::new("bytes");
    let (_, events) = session(TimesealChoice::Off, &recording).await;
    let received: Vec<u8> = recording
        .records()
        .into_iter()
        .filter(|record| record.direction == Direction::Received)
        .flat_map(|record| record.bytes)
        .collect();
    let mut reader = kibitzer_core::EventReader::default();
    let mut rest = &received[..];
    let mut decoded = std::iter::from_fn(|| reader.next(&mut rest)).filter(|event| event.message().is_some());
    // A login string that is understood tells the reader nothing new, so it reads the same again.
    let told = events.iter().filter(|event| event.message().is_some());
    for event in told {
        assert_eq!(decoded.next().as_ref().map(Event::raw), Some(event.raw()));
    }
    assert_eq!(decoded.next(), None);
}

fn hex(text: &str) -> String {
    text.bytes().fold(String::new(), |digits, byte| format!("{digits}{byte:02x}"))
}
