//! The argument that names the server.

use std::env;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::builder::TypedValueParser;
use kibitzer::internal::most_similar_word;
use kibitzer::{AddressError, ConfigError, HostPort, Profile, TimesealChoice};

use crate::arguments::SuggestingParser;
use crate::failure::{Failure, report};

/// Argument that names a server: a built-in profile, a profile file, an address, or the URL of a WebSocket. `Display` writes it
/// in the form that is parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Name of a built-in profile, one of [`NAMES`].
    Named(&'static str),
    /// Path of a profile: ends in `.toml` or contains a slash.
    File(PathBuf),
    /// `HOST` or `HOST:PORT`.
    Address(HostPort),
    /// Any text with `://`, not checked yet.
    Url(String),
}

/// Help text of an argument that is a [`Target`].
pub(crate) const TARGET_HELP: &str = "The server: fics, fics-web, icc, demo (the server of `kibitzer serve`), a profile (PATH.toml), HOST[:PORT], or wss://HOST[:PORT]";

/// Returns the value parser of an argument that is a [`Target`]. Shells complete the names of the built-in profiles.
pub(crate) fn target_parser() -> impl TypedValueParser<Value = Target> {
    SuggestingParser::new(|text: &str| text.parse::<Target>(), || NAMES.to_vec())
}

/// Names of the built-in profiles.
pub(super) const NAMES: [&str; 4] = ["fics", "fics-web", "icc", "demo"];

impl Target {
    /// Loads the profile of the target, overridden by the environment. Reports misspelled environment variables of this program
    /// on standard error.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the profile or a variable of the environment is not valid.
    pub(crate) fn load_profile(&self) -> Result<Profile, Failure> {
        let names = env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
        names.filter_map(|name| unknown_variable(&name)).for_each(|message| report(&message));
        self.to_profile().map_err(Failure::caused_by)
    }

    /// Returns the name of the server for messages. For a profile, it is the name or path with the host and first port of
    /// `profile`, because other settings may have replaced them; otherwise the argument itself.
    pub(crate) fn name(&self, profile: &Profile) -> String {
        match (self, profile.port_numbers().first()) {
            (Self::Address(_) | Self::Url(_), _) => self.to_string(),
            (_, Some(port)) => format!("{self} ({}:{port})", profile.host_name()),
            (_, None) => format!("{self} ({})", profile.host_name()),
        }
    }

    /// Returns the profile of the target, overridden by the environment.
    fn to_profile(&self) -> Result<Profile, ConfigError> {
        match self {
            Self::Named("fics") => Profile::fics().environment(),
            Self::Named("fics-web") => Profile::fics_web().environment(),
            Self::Named("icc") => Profile::icc().environment(),
            Self::Named(_) => Profile::demo().environment(),
            Self::File(path) => Profile::load(path)?.environment(),
            Self::Address(address) => {
                let profile = Profile::new("").environment()?.host(&address.host);
                Ok(match address.port {
                    Some(port) => profile.ports([port]),
                    None => profile,
                })
            }
            // Servers that are reached over WebSocket use timeseal; the session falls back if one does not.
            Self::Url(url) => {
                let profile = Profile::new("").session(|session| session.timeseal(TimesealChoice::Auto));
                profile.environment()?.url(url)
            }
        }
    }
}

/// Returns the message for an environment variable that looks like a misspelled one of this program; `None` for known variables,
/// and for names that resemble none.
fn unknown_variable(name: &str) -> Option<String> {
    const PREFIX: &str = "KIBITZER_";
    /// Variables that are not settings of a profile.
    const OTHERS: [&str; 2] = ["log", "nats"];
    let key = name.strip_prefix(PREFIX)?.to_lowercase();
    let settings = Profile::environment_variables();
    let settings = settings.filter_map(|known| Some(known.strip_prefix(PREFIX)?.to_lowercase()));
    let known: Vec<_> = settings.chain(OTHERS.map(str::to_owned)).collect();
    if known.contains(&key) && name == name.to_uppercase() {
        return None;
    }
    let nearest = most_similar_word(&key, known.iter().map(String::as_str))?.to_uppercase();
    Some(format!("environment variable {name} is ignored, did you mean {PREFIX}{nearest}?"))
}

impl FromStr for Target {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        if let Some(name) = NAMES.iter().find(|&&name| name == text) {
            return Ok(Self::Named(name));
        }
        if text.contains("://") {
            return Ok(Self::Url(text.to_owned()));
        }
        // No host has a slash in its name, and there is no domain of this ending.
        let path = Path::new(text);
        if text.contains('/') || path.extension().is_some_and(|extension| extension == "toml") {
            return Ok(Self::File(path.to_owned()));
        }
        text.parse().map(Self::Address)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => f.write_str(name),
            Self::File(path) => path.display().fmt(f),
            Self::Address(address) => address.fmt(f),
            Self::Url(url) => f.write_str(url),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelled_variable_is_reported_with_the_nearest_name() {
        for name in ["KIBITZER_HOST", "KIBITZER_LOG", "KIBITZER_NATS", "KIBITZER_OF_A_WRAPPER", "KIBITZER_", "PATH"] {
            assert_eq!(unknown_variable(name), None);
        }
        for (name, nearest) in [
            ("KIBITZER_HOTS", "HOST"),
            ("KIBITZER_CONECT_TIMEOUT", "CONNECT_TIMEOUT_MS"),
            ("KIBITZER_password", "PASSWORD"),
        ] {
            assert_eq!(
                unknown_variable(name).unwrap(),
                format!("environment variable {name} is ignored, did you mean KIBITZER_{nearest}?")
            );
        }
    }

    #[test]
    fn profiles_and_addresses_are_told_apart() {
        let address = |text: &str| Target::Address(text.parse().unwrap());
        let cases = [
            ("fics", Target::Named("fics")),
            ("icc", Target::Named("icc")),
            ("fics-web", Target::Named("fics-web")),
            ("wss://www.freechess.org:5001", Target::Url("wss://www.freechess.org:5001".to_owned())),
            ("ws://[::1]:5001/ics.toml", Target::Url("ws://[::1]:5001/ics.toml".to_owned())),
            ("demo", Target::Named("demo")),
            ("my/fics", Target::File("my/fics".into())),
            ("bot.toml", Target::File("bot.toml".into())),
            ("freechess.org", address("freechess.org")),
            ("localhost:5001", address("localhost:5001")),
        ];
        for (text, want) in cases {
            assert_eq!(text.parse().as_ref(), Ok(&want), "{text}");
            assert_eq!(want.to_string(), text);
        }
    }
}
