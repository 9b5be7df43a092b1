//! The embedded server.

use std::sync::Mutex;

use kibitzer_server::{
    Account, ConnectionTarget, Fault, FaultPoint, Feature, ImitatedFamily, PopulationOptions, Server, ServerControl,
    ServerOptions,
};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
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
    #[pyo3(signature = (port, icc, seed, games, speed, accounts, guests))]
    #[expect(clippy::too_many_arguments, reason = "they are keyword arguments in Python")]
    fn start<'py>(
        py: Python<'py>,
        port: u16,
        icc: bool,
        seed: u64,
        games: Option<usize>,
        speed: f64,
        accounts: Vec<(String, String)>,
        guests: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
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
        runtime.start(py, Server::start(options), move |py, server| {
            let server = server?;
            let port = server.address().map_or(0, |address| address.port());
            let control = server.control();
            let server = Self { server: Mutex::new(Some(server)), control, runtime: Mutex::new(Some(share)), port };
            Ok(Bound::new(py, server)?.into_any().unbind())
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
