//! The tokio runtime, and the bridge from its futures to those of asyncio.
//!
//! | from | by | to |
//! |---|---|---|
//! | a future of Rust | [`RuntimeHandle::start`] | an asyncio future of the running loop, and a task of the runtime |
//! | the output of the task | `loop.call_soon_threadsafe` | the result of the asyncio future, converted on the loop's thread |
//! | the cancellation of the asyncio future | its done callback | the end of the task: the Rust future is dropped |
//!
//! The runtime starts with the first object that needs it, and its threads end with the last one.

use std::future::Future;
use std::mem;
use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;
use tokio::runtime::{Builder, Handle, Runtime};

/// Locks a mutex whose holders do not panic.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Number of threads that run sessions: one may wait for the interpreter's lock while the other reads sockets.
const THREADS: usize = 2;

static CURRENT: Mutex<Weak<RuntimeInner>> = Mutex::new(Weak::new());

/// The process whose threads are counted, and their number.
static RUNNING: Mutex<(u32, usize)> = Mutex::new((0, 0));

/// How long the exit of the interpreter waits for the threads.
const EXIT_WAIT: Duration = Duration::from_secs(1);

/// Ends the runtime before the interpreter ends, and waits for its threads: one that asks for the interpreter's lock later crashes.
#[pyfunction]
pub(crate) fn end_runtime(py: Python<'_>) {
    let inner = lock(&CURRENT).upgrade().filter(|inner| inner.pid == process::id());
    let runtime = inner.and_then(|inner| lock(&inner.runtime).take());
    py.detach(|| {
        if let Some(runtime) = runtime {
            runtime.shutdown_background();
        }
        let began = Instant::now();
        let is_running = || matches!(*lock(&RUNNING), (pid, 1..) if pid == process::id());
        while is_running() && began.elapsed() < EXIT_WAIT {
            thread::sleep(Duration::from_millis(1));
        }
    });
}

/// Counts a thread that starts (1) or stops (-1).
fn count_thread(change: isize) {
    let mut running = lock(&RUNNING);
    if running.0 != process::id() {
        *running = (process::id(), 0);
    }
    running.1 = running.1.saturating_add_signed(change);
}

/// A share of the runtime. The runtime ends with the last share.
#[derive(Clone)]
pub(crate) struct RuntimeHandle(Arc<RuntimeInner>);

struct RuntimeInner {
    /// `None` once the interpreter ends.
    runtime: Mutex<Option<Runtime>>,
    handle: Handle,
    /// The process whose threads run the runtime; a child after `fork` has none of them.
    pid: u32,
}

impl Drop for RuntimeInner {
    fn drop(&mut self) {
        match lock(&self.runtime).take() {
            Some(runtime) if self.pid == process::id() => runtime.shutdown_background(),
            // To close the parent's runtime would change its registrations with the operating system.
            runtime => mem::forget(runtime),
        }
    }
}

impl RuntimeHandle {
    /// Returns a share of the runtime of this process; starts it if there is none.
    ///
    /// # Errors
    ///
    /// `OSError` if its threads cannot be started.
    pub(crate) fn obtain() -> PyResult<Self> {
        let mut current = lock(&CURRENT);
        if let Some(inner) = current.upgrade().filter(|inner| inner.pid == process::id()) {
            return Ok(Self(inner));
        }
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("kibitzer")
            .on_thread_start(|| count_thread(1))
            .on_thread_stop(|| count_thread(-1))
            .enable_all()
            .build()?;
        let handle = runtime.handle().clone();
        let inner = Arc::new(RuntimeInner { runtime: Mutex::new(Some(runtime)), handle, pid: process::id() });
        *current = Arc::downgrade(&inner);
        Ok(Self(inner))
    }

    /// Returns the handle with which tasks are started.
    ///
    /// # Errors
    ///
    /// `RuntimeError` in a child after `fork`.
    pub(crate) fn handle(&self) -> PyResult<&Handle> {
        if self.0.pid == process::id() {
            return Ok(&self.0.handle);
        }
        Err(PyRuntimeError::new_err(
            "this object was made before a fork and cannot be used in the child process: connect again there, or start \
             the process with multiprocessing's method \"spawn\"",
        ))
    }

    /// Runs a future as a task, and returns an asyncio future of the running loop with its output.
    ///
    /// `convert` makes the Python object, on the loop's thread. It is dropped with the output if the asyncio future was canceled, so
    /// an output that must not be lost has to be kept elsewhere.
    ///
    /// # Errors
    ///
    /// `RuntimeError` without a running loop, and in a child after `fork`.
    pub(crate) fn start<'py, T, R, C>(
        &self,
        py: Python<'py>,
        future: impl Future<Output = T> + Send + 'static,
        convert: C,
    ) -> PyResult<Bound<'py, PyAny>>
    where
        T: Send + 'static,
        C: FnOnce(Python<'_>, T) -> PyResult<R> + Send + 'static,
        R: for<'a> IntoPyObject<'a>,
    {
        let handle = self.handle()?;
        let event_loop = running_loop(py)?;
        let py_future = event_loop.call_method0(intern!(py, "create_future"))?;
        let (event_loop, waiting) = (event_loop.unbind(), py_future.clone().unbind());
        let task = handle.spawn(async move {
            let output = future.await;
            // `None` while the interpreter shuts down.
            Python::try_attach(|py| {
                call_soon(py, &event_loop, move |py| {
                    let waiting = waiting.bind(py);
                    if waiting.call_method0(intern!(py, "done"))?.is_truthy()? {
                        return Ok(());
                    }
                    match convert(py, output) {
                        Ok(value) => waiting.call_method1(intern!(py, "set_result"), (value,))?,
                        Err(error) => waiting.call_method1(intern!(py, "set_exception"), (error,))?,
                    };
                    Ok(())
                });
            });
        });
        let end_task = Callback::new(move |_| {
            // It has ended already unless the asyncio future was cancelled.
            task.abort();
            Ok(())
        });
        py_future.call_method1(intern!(py, "add_done_callback"), (end_task,))?;
        Ok(py_future)
    }
}

/// Calls a function on the loop's thread, later. Drops it if the loop is closed.
pub(crate) fn call_soon(
    py: Python<'_>,
    event_loop: &Py<PyAny>,
    function: impl FnOnce(Python<'_>) -> PyResult<()> + Send + 'static,
) {
    let _ = event_loop.call_method1(py, intern!(py, "call_soon_threadsafe"), (Callback::new(function),));
}

/// Returns the running event loop of this thread.
///
/// # Errors
///
/// `RuntimeError` without one.
pub(crate) fn running_loop(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    static GET: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    GET.import(py, "asyncio", "get_running_loop")?.call0()
}

type Function = Box<dyn FnOnce(Python<'_>) -> PyResult<()> + Send>;

/// Calls a function of Rust, once, whatever its arguments.
#[pyclass(frozen, module = "kibitzer_ics._native")]
struct Callback(Mutex<Option<Function>>);

impl Callback {
    fn new(function: impl FnOnce(Python<'_>) -> PyResult<()> + Send + 'static) -> Self {
        Self(Mutex::new(Some(Box::new(function))))
    }
}

#[pymethods]
impl Callback {
    #[pyo3(signature = (*_arguments))]
    fn __call__(&self, py: Python<'_>, _arguments: &Bound<'_, PyTuple>) -> PyResult<()> {
        let function = lock(&self.0).take();
        function.map_or(Ok(()), |function| function(py))
    }
}
