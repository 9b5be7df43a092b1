//! A live session, for the class `Client` of Python.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::poll_fn;
use std::mem;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use kibitzer::internal::filter::{EventFilter, Expression, Passed};
use kibitzer::internal::recorded::{SessionClock, Stamp};
use kibitzer::transcript::RecordError;
use kibitzer::{Client, GameId, GameWatch, RecvError, RequestOptions, Subscription};
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyStopAsyncIteration, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;
use tokio::time::Instant;

use crate::errors::{config_error, connect_error, ended, exception, request_error};
use crate::logging::follow_python;
use crate::objects::{Classes, EventSource, Variants};
use crate::profile::PyProfile;
use crate::runtime::{RuntimeHandle, lock};

/// Number of events that a stream receives at once, and returns before the loop runs its other tasks.
const BATCH: usize = 256;

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
            let events = reply.events.iter().map(|event| classes.event(py, EventSource::new(event, Some(stamp))));
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
        Ok(GameStream { watch: Arc::new(Mutex::new(session.client.watch_game(GameId(game)))), session })
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

struct StreamState {
    subscription: Subscription,
    /// Events that were received and not returned yet, [`BATCH`] at most.
    received: VecDeque<EventSource>,
    /// Whether the session is over, and its last event was received.
    is_over: bool,
    /// Number of events missed before the next one.
    missed: u64,
    /// Number of events that were returned without waiting.
    in_batch: usize,
    /// Number of the last wait. An earlier one was canceled, but its task may poll once more: it must not replace the waker.
    wait: u64,
    variants: Variants,
    filter: EventFilter,
    clock: SessionClock,
}

impl StreamState {
    /// Begins a wait, and receives events without waiting. Returns whether there is one, or the stream is over; and whether the
    /// loop has to run its other tasks first.
    fn try_receive(&mut self) -> (bool, bool) {
        self.wait += 1;
        let is_ready = self.poll_receive(&mut Context::from_waker(Waker::noop())).is_ready();
        self.in_batch = if is_ready { (self.in_batch + 1) % BATCH } else { 0 };
        (is_ready, self.in_batch == 0)
    }

    /// Polls for events until there are some, and receives those that are there, [`BATCH`] at most.
    fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.is_over || !self.received.is_empty() {
            return Poll::Ready(());
        }
        let now = Instant::now();
        for _ in 0..BATCH {
            match self.subscription.poll_recv(context) {
                Poll::Ready(Ok(event)) => {
                    // Those that the filter skips report their game's variant, too.
                    let variant = self.variants.record(&event);
                    let Self { filter, received, missed, .. } = self;
                    let recorded = filter.record(&event, self.clock.stamp(now), |passed| {
                        if let Passed::Event(it, stamp) = passed {
                            // The filter may hold back a sent line, and pass it with the event that answers it.
                            let variant = variant.clone().filter(|_| std::ptr::eq(it, event.as_ref()));
                            let source = EventSource::new(it, Some(stamp));
                            received.push_back(EventSource { missed: mem::take(missed), variant, ..source });
                        }
                        Ok::<_, Infallible>(())
                    });
                    let Ok(()) = recorded;
                }
                Poll::Ready(Err(RecvError::Lagged { missed })) => self.missed += missed,
                Poll::Ready(Err(_)) => {
                    self.is_over = true;
                    return Poll::Ready(());
                }
                Poll::Pending if self.received.is_empty() => return Poll::Pending,
                Poll::Pending => return Poll::Ready(()),
            }
        }
        if self.received.is_empty() {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(())
    }
}

impl EventStream {
    pub(crate) fn new(session: OpenSession, subscription: Subscription, filter: Option<Expression>) -> Self {
        let state = StreamState {
            subscription,
            received: VecDeque::new(),
            is_over: false,
            missed: 0,
            in_batch: 0,
            wait: 0,
            variants: Variants::default(),
            filter: EventFilter::new(filter),
            clock: session.clock,
        };
        Self { session, state: Arc::new(Mutex::new(state)) }
    }
}

#[pymethods]
impl EventStream {
    fn __aiter__(this: Py<Self>) -> Py<Self> {
        this
    }

    /// Returns a coroutine, which takes an event when it ends: one that is canceled, or never started, loses none.
    fn __anext__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Classes::get(this.py())?.next_event.bind(this.py()).call1((this,))
    }

    /// Whether an event was received, or the stream is over.
    fn _is_ready(&self) -> bool {
        lock(&self.state).poll_receive(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    /// Returns what to await before the next event; `None` if there is nothing to wait for.
    fn _wait<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        static SLEEP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let (is_ready, is_batch_over) = lock(&self.state).try_receive();
        if is_ready {
            return is_batch_over.then(|| SLEEP.import(py, "asyncio", "sleep")?.call1((0,))).transpose();
        }
        let state = Arc::clone(&self.state);
        let wait = lock(&self.state).wait;
        let receive = poll_fn(move |context| {
            let mut state = lock(&state);
            if state.wait == wait { state.poll_receive(context) } else { Poll::Ready(()) }
        });
        self.session.runtime.start(py, receive, |py, ()| Ok(py.None())).map(Some)
    }

    /// Makes the object of the first received event.
    fn _take<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        // The lock is not held while Python code may run.
        let (source, is_over) = {
            let mut state = lock(&self.state);
            (state.received.pop_front(), state.is_over)
        };
        let source = source.ok_or_else(|| {
            let taken = "another task has taken the event: each task needs an iterator of its own";
            if is_over { PyStopAsyncIteration::new_err(()) } else { PyRuntimeError::new_err(taken) }
        })?;
        Classes::get(py)?.event(py, source)
    }
}

/// An asynchronous iterator of the newest state of a game.
#[pyclass(frozen, module = "kibitzer_ics._native")]
pub(crate) struct GameStream {
    watch: Arc<Mutex<GameWatch>>,
    session: OpenSession,
}

#[pymethods]
impl GameStream {
    fn __aiter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __anext__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let watch = Arc::clone(&self.watch);
        let changed = poll_fn(move |context| {
            let mut watch = lock(&watch);
            loop {
                std::task::ready!(watch.poll_changed(context))?;
                if let Some(game) = watch.latest() {
                    return Poll::Ready(Ok::<_, RecvError>(game));
                }
            }
        });
        self.session.runtime.start(py, changed, |py, game| {
            let game = game.map_err(|_| PyStopAsyncIteration::new_err(()))?;
            Ok(Classes::get(py)?.object(py, "Game", &*game)?.unbind())
        })
    }
}
