//! A live session, for the class `Client` of Python.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::poll_fn;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use kibitzer::hub::SharedEvent;
use kibitzer::internal::filter::{EventFilter, Expression, Passed};
use kibitzer::internal::recorded::{SessionClock, Stamp};
use kibitzer::message::ServerText;
use kibitzer::transcript::RecordError;
use kibitzer::{Client, GameId, GameWatch, RecvError, RequestOptions, Subscription};
use pyo3::exceptions::{PyOSError, PyStopAsyncIteration, PyStopIteration, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tokio::time::Instant;

use crate::errors::{config_error, connect_error, ended, exception, request_error};
use crate::logging::follow_python;
use crate::objects::{Classes, Variants};
use crate::profile::PyProfile;
use crate::runtime::{RuntimeHandle, lock};

/// Number of events that a stream returns before the loop runs its other tasks.
const BATCH: u32 = 256;

/// A session with its share of the runtime.
#[derive(Clone)]
pub(crate) struct OpenSession {
    pub(crate) client: Client,
    pub(crate) runtime: RuntimeHandle,
    pub(crate) clock: SessionClock,
}

impl OpenSession {
    /// Returns the present time of the session.
    pub(crate) fn now(&self) -> Stamp {
        self.clock.stamp(Instant::now())
    }

    /// Takes over a session that was started on this runtime.
    pub(crate) fn new(client: Client, runtime: RuntimeHandle) -> Self {
        let clock = SessionClock::new(client.began());
        Self { client, runtime, clock }
    }
}

/// A session.
#[pyclass(frozen, module = "kibitzer_ics._native")]
pub(crate) struct Session {
    /// `None` once the session was closed.
    open: Mutex<Option<OpenSession>>,
}

impl Session {
    pub(crate) fn new(session: OpenSession) -> Self {
        Self { open: Mutex::new(Some(session)) }
    }

    /// Returns the session.
    ///
    /// # Errors
    ///
    /// The exception `Ended` if it was closed.
    pub(crate) fn open(&self, py: Python<'_>) -> PyResult<OpenSession> {
        lock(&self.open).clone().ok_or_else(|| exception(py, "Ended", ("shutdown", "the client is closed")))
    }
}

#[pymethods]
impl Session {
    /// Connects, logs in and sets up a session; returns a future of it.
    #[staticmethod]
    fn connect<'py>(py: Python<'py>, profile: &PyProfile) -> PyResult<Bound<'py, PyAny>> {
        follow_python(py)?;
        let (runtime, profile) = (RuntimeHandle::obtain()?, profile.0.clone());
        let share = runtime.clone();
        runtime.start(py, Client::connect(profile), move |py, connected| {
            let client = connected.map_err(|error| connect_error(py, &error))?;
            Ok(Self::new(OpenSession::new(client, share)))
        })
    }

    /// Sends a line and returns a future of the reply: its text and its events.
    fn request<'py>(
        &self,
        py: Python<'py>,
        line: String,
        expires: Option<f64>,
        during: Option<i32>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let session = self.open(py)?;
        let stamping = session.clone();
        let options = request_options(expires, during)?;
        let runtime = session.runtime.clone();
        let reply = async move { session.client.request_with(line, options).await };
        runtime.start(py, reply, move |py, reply| {
            let reply = reply.map_err(|error| request_error(py, &error))?;
            let (classes, stamp) = (Classes::get(py)?, stamping.now());
            let events = reply.events.iter().map(|event| classes.event(py, event, Some(stamp), 0, None));
            let events = PyTuple::new(py, events.collect::<PyResult<Vec<_>>>()?)?;
            Ok((reply.text(), events.unbind()))
        })
    }

    /// Returns a stream of the events from now on that a filter expression accepts.
    fn events(&self, py: Python<'_>, filter: Option<&str>, lossless: Option<usize>) -> PyResult<EventStream> {
        let session = self.open(py)?;
        let filter = filter.map(Expression::parse).transpose().map_err(|error| config_error(py, &error))?;
        let subscription = match lossless {
            None => session.client.subscribe(),
            Some(capacity) => session.client.subscribe_lossless(capacity),
        };
        Ok(EventStream::new(session, subscription, filter))
    }

    /// Returns a watch of the newest state of a game.
    fn watch(&self, py: Python<'_>, game: i32) -> PyResult<GameStream> {
        let session = self.open(py)?;
        let watch = Arc::new(tokio::sync::Mutex::new(session.client.watch_game(GameId(game))));
        Ok(GameStream { watch, session })
    }

    /// Waits until requests can be sent.
    fn ready<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let session = self.open(py)?;
        let runtime = session.runtime.clone();
        runtime.start(py, async move { session.client.ready().await }, |py, ready| {
            ready.map(|()| py.None()).map_err(|reason| ended(py, &reason))
        })
    }

    /// Records the session into a new file from now on.
    fn record<'py>(&self, py: Python<'py>, path: PathBuf) -> PyResult<Bound<'py, PyAny>> {
        let session = self.open(py)?;
        let runtime = session.runtime.clone();
        runtime.start(py, async move { session.client.record(path).await }, |py, recorded| match recorded {
            Ok(()) => Ok(py.None()),
            Err(RecordError::File(error)) => Err(error.into()),
            Err(RecordError::Session(error)) => Err(request_error(py, &error)),
            Err(error) => Err(PyOSError::new_err(error.to_string())),
        })
    }

    /// Ends the session, with `quit` if `politely`, and returns a future of the end.
    fn close<'py>(&self, py: Python<'py>, politely: bool) -> PyResult<Bound<'py, PyAny>> {
        let Some(session) = lock(&self.open).take() else {
            return RuntimeHandle::obtain()?.start(py, async {}, |py, ()| Ok(py.None()));
        };
        let runtime = session.runtime.clone();
        let share = runtime.clone();
        let end = async move {
            if politely {
                session.client.quit().await;
            }
            session.client.shutdown().await;
        };
        // The share ends on the loop's thread, after the task.
        runtime.start(py, end, move |py, ()| {
            drop(share);
            Ok(py.None())
        })
    }

    /// Name of this login; `None` before the first login.
    #[getter]
    fn handle(&self, py: Python<'_>) -> PyResult<Option<String>> {
        Ok(self.open(py)?.client.handle().map(|handle| handle.as_str().to_owned()))
    }

    /// Whether the session was closed.
    #[getter]
    fn is_closed(&self) -> bool {
        lock(&self.open).is_none()
    }
}

/// Makes the options of a request; `expires` in seconds.
pub(crate) fn request_options(expires: Option<f64>, during: Option<i32>) -> PyResult<RequestOptions> {
    let mut options = RequestOptions::new();
    if let Some(seconds) = expires {
        let time = Duration::try_from_secs_f64(seconds).map_err(|error| PyValueError::new_err(error.to_string()))?;
        options = options.send_within(time);
    }
    Ok(during.map_or(options, |game| options.only_during(GameId(game))))
}

/// An asynchronous iterator of events.
#[pyclass(frozen, module = "kibitzer_ics._native")]
pub(crate) struct EventStream {
    session: OpenSession,
    state: Arc<Mutex<StreamState>>,
}

/// An event that passed the filter, the variant of its board's game, and its time.
type PassedEvent = (SharedEvent, Option<ServerText>, Stamp);

struct StreamState {
    subscription: Subscription,
    /// An event that was received for a call that was canceled before it returned.
    received: Option<PassedEvent>,
    /// Events that passed the filter together with an earlier one.
    passed: VecDeque<PassedEvent>,
    /// Number of events missed before the next one.
    missed: u64,
    /// Number of events that were returned without waiting.
    in_batch: u32,
    variants: Variants,
    filter: EventFilter,
    clock: SessionClock,
}

impl StreamState {
    /// Polls for the next event; `None` after the last one.
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<PassedEvent>> {
        loop {
            if let Some(passed) = self.passed.pop_front() {
                return Poll::Ready(Some(passed));
            }
            match std::task::ready!(self.subscription.poll_recv(context)) {
                Ok(event) => {
                    // Those that the filter skips report their game's variant, too.
                    let variant = self.variants.record(&event);
                    let Self { filter, passed, .. } = self;
                    let recorded = filter.record(&event, self.clock.stamp(Instant::now()), |it| {
                        match it {
                            Passed::Event(it, stamp) if std::ptr::eq(it, event.as_ref()) => {
                                passed.push_back((event.clone(), variant.clone(), stamp));
                            }
                            // A sent line, which was held back.
                            Passed::Event(it, stamp) => passed.push_back((it.clone().into(), None, stamp)),
                            Passed::Answered { .. } | Passed::Unanswered => {}
                        }
                        Ok::<_, Infallible>(())
                    });
                    let Ok(()) = recorded;
                }
                Err(RecvError::Lagged { missed }) => self.missed += missed,
                Err(_) => return Poll::Ready(None),
            }
        }
    }
}

impl EventStream {
    pub(crate) fn new(session: OpenSession, subscription: Subscription, filter: Option<Expression>) -> Self {
        let state = StreamState {
            subscription,
            received: None,
            passed: VecDeque::new(),
            missed: 0,
            in_batch: 0,
            variants: Variants::default(),
            filter: EventFilter::new(filter),
            clock: session.clock,
        };
        Self { session, state: Arc::new(Mutex::new(state)) }
    }

    /// Receives an event without waiting. Returns whether one is there or the stream is over; never at the end of a batch.
    fn try_receive(&self) -> bool {
        let mut state = lock(&self.state);
        if state.received.is_none() {
            state.in_batch += 1;
            if state.in_batch > BATCH {
                return false;
            }
            let polled = state.poll_next(&mut Context::from_waker(std::task::Waker::noop()));
            let Poll::Ready(event) = polled else { return false };
            state.received = event;
        }
        true
    }
}

/// Makes the object of the received event.
fn take_event(py: Python<'_>, state: &Mutex<StreamState>) -> PyResult<Py<PyAny>> {
    let take = || {
        let mut state = lock(state);
        let (event, variant, stamp) = state.received.take()?;
        Some((event, std::mem::take(&mut state.missed), variant, stamp))
    };
    // The lock is not held while Python code may run.
    let (event, missed, variant, stamp) = take().ok_or_else(|| PyStopAsyncIteration::new_err(()))?;
    Ok(Classes::get(py)?.event(py, &event, Some(stamp), missed, variant)?.unbind())
}

#[pymethods]
impl EventStream {
    fn __aiter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __anext__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if self.try_receive() {
            let value = take_event(py, &self.state)?;
            return Ok(Bound::new(py, Ready(Some(value)))?.into_any());
        }
        let state = Arc::clone(&self.state);
        let receive = poll_fn(move |context| {
            let mut state = lock(&state);
            state.in_batch = 0;
            if state.received.is_none() {
                state.received = std::task::ready!(state.poll_next(context));
            }
            Poll::Ready(())
        });
        let state = Arc::clone(&self.state);
        self.session.runtime.start(py, receive, move |py, ()| take_event(py, &state))
    }
}

/// An awaitable that returns its value at once.
#[pyclass(module = "kibitzer_ics._native")]
pub(crate) struct Ready(pub(crate) Option<Py<PyAny>>);

#[pymethods]
impl Ready {
    fn __await__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__(&mut self) -> PyResult<Option<Py<PyAny>>> {
        Err(PyStopIteration::new_err((self.0.take(),)))
    }
}

/// An asynchronous iterator of the newest state of a game.
#[pyclass(frozen, module = "kibitzer_ics._native")]
pub(crate) struct GameStream {
    watch: Arc<tokio::sync::Mutex<GameWatch>>,
    session: OpenSession,
}

#[pymethods]
impl GameStream {
    fn __aiter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __anext__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let watch = Arc::clone(&self.watch);
        let changed = async move {
            // Held while it waits: it protects nothing but the watch, and calls at the same time wait for their turn.
            let mut watch = watch.lock().await;
            loop {
                watch.changed().await?;
                if let Some(game) = watch.latest() {
                    return Ok::<_, RecvError>(game);
                }
            }
        };
        self.session.runtime.start(py, changed, |py, game| {
            let game = game.map_err(|_| PyStopAsyncIteration::new_err(()))?;
            Ok(Classes::get(py)?.object(py, "Game", &*game)?.unbind())
        })
    }
}
