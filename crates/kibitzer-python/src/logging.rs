//! Events of `tracing` as records of Python's `logging`, logger `kibitzer_ics`.
//!
//! Records are queued, and the event loop of the last session passes them to Python. A thread that logs never waits for the
//! interpreter: it may hold a lock for which another thread waits that has the interpreter's lock. The threads of the runtime do not
//! log in Python themselves, because `threading` would list them from then on.

use std::collections::VecDeque;
use std::fmt::{self, Write as _};
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, Ordering};

use pyo3::prelude::*;
use tokio::runtime::Handle;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber, callsite};

use crate::runtime::{call_soon, lock, running_loop};

/// Maximum number of queued records; the oldest are dropped.
const MAX_QUEUED: usize = 1_024;

/// Level of the logger in Python when the last session began.
static LEVEL: AtomicI32 = AtomicI32::new(30);

/// Records with their levels in Python.
static QUEUE: Mutex<VecDeque<(i32, String)>> = Mutex::new(VecDeque::new());

/// The loop that passes records to Python.
static EVENT_LOOP: Mutex<Option<Py<PyAny>>> = Mutex::new(None);

/// Logs from now on, by the running loop, what the logger in Python accepts at this time. The first call in a process installs the subscriber.
pub(crate) fn follow_python(py: Python<'_>) -> PyResult<()> {
    let level: i32 = logger(py)?.call_method0("getEffectiveLevel")?.extract()?;
    let event_loop = running_loop(py)?.unbind();
    // Dropped without the lock: the finalizer of a loop may run Python code, and with it another thread that needs the lock.
    let previous = lock(&EVENT_LOOP).replace(event_loop);
    drop(previous);
    // Those of a loop that was closed.
    pass_to_python(py)?;
    // Fails if it is installed already.
    let is_first = tracing::subscriber::set_global_default(PythonLog).is_ok();
    if LEVEL.swap(level, Ordering::Relaxed) != level && !is_first {
        callsite::rebuild_interest_cache();
    }
    Ok(())
}

fn logger(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    py.import("logging")?.call_method1("getLogger", ("kibitzer_ics",))
}

/// Returns the level in Python. Bytes, which are logged as `TRACE`, are never passed to it.
const fn python_level(level: Level) -> i32 {
    match level {
        Level::ERROR => 40,
        Level::WARN => 30,
        Level::INFO => 20,
        Level::DEBUG => 10,
        Level::TRACE => 0,
    }
}

struct PythonLog;

impl Subscriber for PythonLog {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let level = python_level(*metadata.level());
        metadata.target().starts_with("kibitzer") && level > 0 && level >= LEVEL.load(Ordering::Relaxed)
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        // Without a runtime there is no session.
        let Ok(runtime) = Handle::try_current() else { return };
        let mut text = Text::default();
        event.record(&mut text);
        let mut queue = lock(&QUEUE);
        if queue.len() >= MAX_QUEUED {
            queue.pop_front();
        }
        queue.push_back((python_level(*event.metadata().level()), text.message + &text.fields));
        if queue.len() == 1 {
            drop(runtime.spawn(async {
                Python::try_attach(|py| {
                    let event_loop = lock(&EVENT_LOOP).as_ref().map(|event_loop| event_loop.clone_ref(py));
                    // If the loop is closed, the next one passes the records.
                    event_loop.map(|event_loop| call_soon(py, &event_loop, pass_to_python))
                })
            }));
        }
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Passes the queued records to Python.
fn pass_to_python(py: Python<'_>) -> PyResult<()> {
    let records = std::mem::take(&mut *lock(&QUEUE));
    let logger = logger(py)?;
    for (level, text) in records {
        logger.call_method1("log", (level, "%s", text))?;
    }
    Ok(())
}

/// The message of a record, and its fields after it: `reconnecting attempt=2`.
#[derive(Default)]
struct Text {
    message: String,
    fields: String,
}

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Nothing fails on the way to memory.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}
