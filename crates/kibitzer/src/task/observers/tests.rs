use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Waker;

use tracing::Span;

use super::*;
use crate::core::session::{Credentials, SessionOptions};

/// Counts observations, and is done after a number of them.
struct Limited {
    n_observed: Arc<AtomicUsize>,
    max: usize,
}

impl SessionObserver for Limited {
    fn observe(&mut self, _: &Observation, _: &Session) {
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
