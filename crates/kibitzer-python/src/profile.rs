//! Profiles: from a name, an address, a file and keyword arguments.

use std::path::Path;

use kibitzer::Profile;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyTuple};

use crate::errors::config_error;

/// A profile whose settings are complete.
#[pyclass(frozen, name = "NativeProfile", module = "kibitzer_ics._native")]
pub(crate) struct PyProfile(pub(crate) Profile);

#[pymethods]
impl PyProfile {
    /// Makes a profile. `settings` are those of a profile's file.
    #[new]
    fn new(py: Python<'_>, server: &str, guest: bool, settings: &Bound<'_, PyDict>) -> PyResult<Self> {
        let profile = of_server(server).map_err(|error| config_error(py, &error))?;
        let mut texts = Vec::new();
        for (key, value) in settings {
            let key: String = key.extract()?;
            texts.push((format!("KIBITZER_{}", key.to_uppercase()), text_of(&value)?, key));
        }
        let known: Vec<_> = Profile::environment_variables().collect();
        if let Some((.., key)) = texts.iter().find(|(name, ..)| name == "KIBITZER_PASSWORD" || !known.contains(name)) {
            return Err(PyTypeError::new_err(format!(
                "there is no setting {key:?}; a password is given by password_from"
            )));
        }
        let look_up = |name: &str| Some(texts.iter().find(|(known, ..)| known == name)?.1.clone());
        let profile = profile.environment_from(look_up).map_err(|error| {
            let text = error.to_string();
            config_error(py, &texts.iter().fold(text, |text, (name, _, key)| text.replace(name, key)))
        })?;
        Ok(Self(if guest { as_guest(profile) } else { profile }))
    }

    /// The host name or address.
    #[getter]
    fn host(&self) -> &str {
        self.0.host_name()
    }

    /// The handle of the account or guest; `None` for a guest with a name chosen by the server.
    #[getter]
    fn handle(&self) -> Option<&str> {
        self.0.handle().map(kibitzer::Handle::as_str)
    }

    /// Returns the profile with a file for a recording of the session.
    fn recorded(&self, path: std::path::PathBuf) -> Self {
        Self(self.0.clone().record_file(path))
    }

    /// Returns the profile as a commented file with every setting.
    fn to_toml(&self) -> String {
        self.0.to_toml()
    }
}

/// Returns the profile without its password.
fn as_guest(profile: Profile) -> Profile {
    match profile.handle().cloned() {
        Some(handle) => profile.guest_as(handle),
        None => profile.guest(),
    }
}

/// Returns the profile of a server: one of the known names, the path of a TOML file, a URL, or `HOST` with an optional port.
fn of_server(server: &str) -> Result<Profile, String> {
    let is_file = || Path::new(server).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
    Ok(match server {
        "fics" => Profile::fics(),
        "fics-web" => Profile::fics_web(),
        "icc" => Profile::icc(),
        "demo" => Profile::demo(),
        _ if is_file() => Profile::load(server).map_err(|error| error.to_string())?,
        _ if server.contains("://") => Profile::new("").url(server).map_err(|error| error.to_string())?,
        _ => {
            let address: kibitzer::HostPort = server.parse().map_err(|error| format!("server {server:?}: {error}"))?;
            let profile = Profile::new(address.host);
            if let Some(port) = address.port { profile.ports([port]) } else { profile }
        }
    })
}

/// Returns the text of a setting in the form of an environment variable.
fn text_of(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok(value.is_true().to_string());
    }
    if let Ok(items) = value.cast::<PyDict>() {
        let pairs = items.iter().map(|(key, value)| Ok((key.extract::<String>()?, text_of(&value)?)));
        let pairs = pairs.collect::<PyResult<Vec<_>>>()?;
        // The source of a password, or variables of the server.
        if let [(key, value)] = &pairs[..]
            && matches!(key.as_str(), "env" | "file" | "command")
        {
            return Ok(format!("{key}:{value}"));
        }
        return Ok(pairs.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join("; "));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        return Ok(value.try_iter()?.map(|item| text_of(&item?)).collect::<PyResult<Vec<_>>>()?.join(","));
    }
    Ok(value.str()?.to_str()?.to_owned())
}
