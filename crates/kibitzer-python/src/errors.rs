//! Errors of the client as exceptions of `kibitzer_ics.errors`.

use kibitzer::event::SessionEndReason;
use kibitzer::{ConnectError, Event, RequestError};
use kibitzer_core::text::error_chain;
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;

use crate::objects::{Classes, EventSource};

/// Makes an exception of this class of `kibitzer_ics.errors`.
pub(crate) fn exception<'py>(py: Python<'py>, class: &str, arguments: impl PyCallArgs<'py>) -> PyErr {
    let class = py.import("kibitzer_ics.errors").and_then(|module| module.getattr(class));
    class.and_then(|class| class.call1(arguments)).map_or_else(|error| error, PyErr::from_value)
}

/// Returns the exception for a failed request.
pub(crate) fn request_error(py: Python<'_>, error: &RequestError) -> PyErr {
    let name = error.as_ref();
    match error {
        RequestError::Refused { reason, text, .. } => exception(py, "Refused", (reason.as_ref(), text.as_str())),
        RequestError::NotConnected | RequestError::Lost => exception(py, "NotConnected", (name, error.to_string())),
        RequestError::TimedOut(_) | RequestError::Expired | RequestError::Blocked { .. } => {
            exception(py, "TimedOut", (name, error.to_string()))
        }
        RequestError::Ended(reason) => ended(py, reason),
        RequestError::Command(_) => exception(py, "InvalidRequest", (name, error.to_string())),
        _ => exception(py, "RequestFailed", (name, error.text().map_or_else(|| error.to_string(), str::to_owned))),
    }
}

/// Returns the exception for the end of a session, with the names and texts of the event `ended`.
pub(crate) fn ended(py: Python<'_>, reason: &SessionEndReason) -> PyErr {
    let event = Event::Ended(reason.clone());
    let event = Classes::get(py).and_then(|classes| classes.event(py, EventSource::new(&event, None)));
    let fields = event.and_then(|event| Ok((event.getattr("reason")?, event.getattr("text")?)));
    fields.map_or_else(|error| error, |fields| exception(py, "Ended", fields))
}

/// Returns the exception for a session that could not be started.
pub(crate) fn connect_error(py: Python<'_>, error: &ConnectError) -> PyErr {
    match error {
        ConnectError::Ended(reason) => ended(py, reason),
        ConnectError::Dial(error) => exception(py, "Ended", ("dial", error.to_string())),
        ConnectError::Login(error) => exception(py, "Ended", ("login", error.to_string())),
        _ => config_error(py, &error_chain(error)),
    }
}

/// Returns the exception for an invalid setting.
pub(crate) fn config_error(py: Python<'_>, error: &impl ToString) -> PyErr {
    exception(py, "ConfigError", (error.to_string(),))
}
