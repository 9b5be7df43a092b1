//! The embedded server.

use std::sync::Mutex;

use kibitzer_server::{
    Account, ConnectionTarget, Fault, FaultParseError, FaultPoint, ImitatedFamily, PopulationOptions, Server,
    ServerControl, ServerOptions,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::runtime::{RuntimeHandle, lock};

/// A running server.
#[pyclass(frozen, module = "kibitzer_ics._native")]
pub(crate) struct NativeServer {
    server: Mutex<Option<Server>>,
    control: ServerControl,
    runtime: Mutex<Option<RuntimeHandle>>,
    /// The port on 127.0.0.1.
    #[pyo3(get)]
    port: u16,
}

#[pymethods]
impl NativeServer {
    /// Starts a server; returns a future of it. `accounts` are pairs of name and password.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "they are keyword arguments in Python")]
    fn start(
        py: Python<'_>,
        port: u16,
        icc: bool,
        seed: u64,
        games: Option<usize>,
        speed: f64,
        accounts: Vec<(String, String)>,
        guests: bool,
    ) -> PyResult<Bound<'_, PyAny>> {
        let mut options = ServerOptions::new().address(([127, 0, 0, 1], port).into()).seed(seed);
        if icc {
            options = options.family(ImitatedFamily::Icc);
        }
        if let Some(games) = games {
            options = options.population(PopulationOptions::new().games(games).speed(speed));
        }
        if !guests {
            options = options.refuse_guests();
        }
        for (name, password) in accounts {
            let name =
                name.parse().map_err(|_| PyValueError::new_err(format!("{name:?} is not a name of an account")))?;
            options = options.account(Account::new(name, password));
        }
        let runtime = RuntimeHandle::obtain()?;
        let share = runtime.clone();
        runtime.start(py, Server::start(options), move |_, server| {
            let server = server?;
            let port = server.address().map_or(0, |address| address.port());
            let control = server.control();
            Ok(Self { server: Mutex::new(Some(server)), control, runtime: Mutex::new(Some(share)), port })
        })
    }

    /// Injects a fault into a connection; returns a future. The next connection without `player`.
    fn inject<'py>(
        &self,
        py: Python<'py>,
        fault: &str,
        at: &str,
        player: Option<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let invalid = |error: FaultParseError| PyValueError::new_err(error.to_string());
        let fault: Fault = fault.parse().map_err(invalid)?;
        let at: FaultPoint = at.parse().map_err(invalid)?;
        let target = player.map_or(ConnectionTarget::Next, ConnectionTarget::Player);
        let control = self.control.clone();
        let runtime = lock(&self.runtime).clone().map_or_else(RuntimeHandle::obtain, Ok)?;
        runtime.start(py, async move { control.inject(target, at, fault).await }, |py, injected| {
            injected.map(|()| py.None()).map_err(|error| PyValueError::new_err(error.to_string()))
        })
    }

    /// Shuts the server down; returns a future of the end of all its tasks.
    fn close<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let server = lock(&self.server).take();
        let share = lock(&self.runtime).take();
        let runtime = share.clone().map_or_else(RuntimeHandle::obtain, Ok)?;
        let end = async move {
            if let Some(server) = server {
                server.shutdown().await;
            }
        };
        runtime.start(py, end, move |py, ()| {
            drop(share);
            Ok(py.None())
        })
    }
}
