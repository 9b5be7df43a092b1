use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Waker;

use proptest::prelude::*;
use tracing::Span;

use super::*;
use kibitzer_core::EventReader;
use kibitzer_core::session::{Credentials, SessionOptions};

/// Counts observations, and is done after a number of them.
struct Limited {
    n_observed: Arc<AtomicUsize>,
    max: usize,
}

impl SessionObserver for Limited {
    fn observe(&mut self, _: &Observation, _: SessionView<'_>) {
        self.n_observed.fetch_add(1, Ordering::Relaxed);
    }

    fn is_done(&self) -> bool {
        self.n_observed.load(Ordering::Relaxed) >= self.max
    }
}

#[test]
fn an_observer_that_is_done_is_dropped_before_the_next_observation() {
    let session = Session::new(SessionOptions::new(Credentials::Guest), Instant::now());
    let n_observed = Arc::new(AtomicUsize::new(0));
    let limited = Limited { n_observed: Arc::clone(&n_observed), max: 2 };
    let mut observers = Observers::new(SessionLog::new(Span::none()), vec![Box::new(limited)]);
    for _ in 0..2 {
        observers.show_received_redacted(b"fics% ", Instant::now(), &session);
    }
    assert_eq!(Arc::strong_count(&n_observed), 2);
    observers.notify_all(&session, || panic!("no observer is left"));
    assert_eq!((n_observed.load(Ordering::Relaxed), Arc::strong_count(&n_observed)), (2, 1));
}

#[test]
fn an_observer_that_is_done_is_dropped_while_the_session_waits() {
    let session = Session::new(SessionOptions::new(Credentials::Guest), Instant::now());
    let n_observed = Arc::new(AtomicUsize::new(0));
    let [short, long] = [1, 2]
        .map(|max| -> Box<dyn SessionObserver> { Box::new(Limited { n_observed: Arc::clone(&n_observed), max }) });
    let mut observers = Observers::new(SessionLog::new(Span::none()), vec![short, long]);
    n_observed.store(1, Ordering::Relaxed);
    assert!(observers.poll_progress(&session, &mut Context::from_waker(Waker::noop())).is_pending());
    assert_eq!(Arc::strong_count(&n_observed), 2, "only the other observer is left");
}

fn sent(text: &str, at_latest: Option<Instant>) -> SentSecret {
    SentSecret { secret: Secret::new(text.as_bytes()).unwrap(), request: None, at_latest }
}

fn redactor(secrets: &[&str]) -> Redactor {
    Redactor { secrets: secrets.iter().map(|text| sent(text, None)).collect(), ..Redactor::default() }
}

/// Returns the bytes shown after each read and at the end.
fn shown(redactor: &mut Redactor, reads: &[&str]) -> Vec<String> {
    let mut shown: Vec<_> = reads.iter().map(|read| redactor.redact_or_withhold(read.as_bytes())).collect();
    shown.push(redactor.release_masked());
    shown.into_iter().map(|bytes| String::from_utf8(bytes).unwrap()).collect()
}

/// A name, the secrets, the reads, and the bytes shown after each and at the end.
type Case = (&'static str, &'static [&'static str], &'static [&'static str], &'static [&'static str]);

#[test]
fn a_secret_is_redacted_at_any_read_boundary() {
    let cases: &[Case] = &[
        ("whole", &["swordfish"], &["x swordfish\n\r"], &["x *********\n\r", ""]),
        ("in other letters", &["SwordFish"], &["swORDfish."], &["*********.", ""]),
        ("cut", &["swordfish"], &["a sword", "fish b"], &["a ", "********* b", ""]),
        ("cut twice", &["abc"], &["a", "b", "c"], &["", "", "***", ""]),
        ("a similar word", &["swordfish"], &["a sword", "s b"], &["a ", "swords b", ""]),
        ("overlapping starts", &["aab"], &["aa", "ab"], &["", "a***", ""]),
        ("half a secret at the end", &["swordfish"], &["a sword"], &["a ", "*****"]),
        ("the longer of two", &["pass", "password"], &["password pass "], &["******** **** ", ""]),
        ("the shorter of two, later", &["pass", "password"], &["pass", "ion"], &["", "****ion", ""]),
        ("none", &[], &["swordfish"], &["swordfish", ""]),
        ("a line break inside it", &["perch"], &["pe\n\r", "\\   rch."], &["", "**\n\r\\   ***.", ""]),
        ("a line end that is no break", &["perch"], &["pe\n\r", "rch."], &["", "pe\n\rrch.", ""]),
        ("control bytes remain", &["perch"], &["pe\0\n\r"], &["", "**\0\n\r"]),
    ];
    for (name, secrets, reads, want) in cases {
        assert_eq!(shown(&mut redactor(secrets), reads), *want, "{name}");
    }
}

#[test]
fn released_bytes_are_returned_once() {
    let mut redactor = redactor(&["aab"]);
    assert_eq!(
        (redactor.redact_or_withhold(b"x aa"), redactor.release_masked(), redactor.release_masked()),
        (b"x ".to_vec(), b"**".to_vec(), vec![])
    );
    assert_eq!(redactor.redact_or_withhold(b"b c a"), b"* c ", "the rest of the secret");
    assert_eq!(redactor.release_masked(), b"*");
    assert_eq!(redactor.redact_or_withhold(b" d"), b" d", "no secret after all");
}

#[test]
fn a_secret_is_redacted_until_it_expires() {
    let at_latest = Instant::now() + REPLY_TIMEOUT;
    let mut redactor = redactor(&["swordfish"]);
    redactor.secrets.push(sent("perch", Some(at_latest)));
    redactor.forget_login_secrets();
    assert_eq!(redactor.redact_or_withhold(b"perch swordfish "), b"***** swordfish ");
    redactor.forget_overdue_secrets(at_latest);
    assert!(redactor.secrets.is_empty());
}

#[test]
fn a_redacted_event_is_the_text_of_its_line() {
    let mut reader = EventReader::default();
    let mut read = &b"fics% \n\r\"pass\" is not a registered name.\n\rhello\n\r\n\r"[..];
    let events: Vec<_> = std::iter::from_fn(|| reader.next(&mut read)).collect();
    let redactor = redactor(&["pass", "password"]);
    let shown: Vec<_> = events.iter().map(|event| redactor.redact_event(event)).collect();
    let masked: Vec<_> = shown.iter().flatten().collect();
    assert_eq!((shown.len(), masked.len()), (4, 1), "{events:?}");
    assert_eq!(masked[0].raw(), b"\"****\" is not a registered name.");
    assert_eq!(masked[0].offset(), events[1].offset());
}

proptest! {
    #[test]
    fn every_byte_is_shown_once_and_no_secret(input in "[ab]{0,24}", secret in "[ab]{1,4}", size in 1_usize..9) {
        let mut redactor = redactor(&[&secret]);
        let mut written = Vec::new();
        for read in input.as_bytes().chunks(size) {
            written.extend(redactor.redact_or_withhold(read));
        }
        written.extend(redactor.release_masked());
        prop_assert_eq!(written.len(), input.len());
        prop_assert!(!String::from_utf8(written.clone()).unwrap().contains(&secret), "{}", written.escape_ascii());
        let same = written.iter().zip(input.bytes()).all(|(&shown, byte)| shown == byte || shown == b'*');
        prop_assert!(same);
    }
}
