//! `kibitzer publish` and `kibitzer tail`: events in a NATS JetStream stream.

mod games;
pub(crate) mod publish;
pub(crate) mod tail;

use kibitzer_nats::{DEFAULT_STREAM, NatsError, StreamOptions};

pub(crate) use games::for_each_server_output;

use crate::failure::{Failure, USAGE, report};

/// Environment variable with the address of the NATS server, which may contain a password.
const URL_VARIABLE: &str = "KIBITZER_NATS";

/// Arguments that name the NATS server and the stream. Not `Debug`, because the URL may contain a password.
#[derive(Clone, clap::Args)]
pub(crate) struct StreamArgs {
    /// The NATS server, 2.11 or later: nats://HOST:PORT or tls://HOST:PORT; several of a cluster are separated by commas. An
    /// address with USER:PASSWORD@ or TOKEN@ belongs in the variable `KIBITZER_NATS`, which applies without the URL
    #[arg(long = "nats", value_name = "URL", num_args = 0..=1, default_missing_value = "")]
    pub(crate) url: Option<String>,
    /// Name of the stream
    #[arg(long, value_name = "NAME", default_value = DEFAULT_STREAM)]
    stream: String,
}

impl StreamArgs {
    /// Returns the options for the server and stream. Without a URL in the arguments, the environment variable names the server.
    ///
    /// # Errors
    ///
    /// [`Failure`] if neither names a server.
    fn resolve_stream_options(&self) -> Result<StreamOptions, Failure> {
        let missing = || Failure::new(USAGE, format!("which NATS server? give --nats URL or set {URL_VARIABLE}"));
        let given = self.url.clone().filter(|url| !url.is_empty());
        if given.as_deref().is_some_and(has_credentials) {
            report(&format!(
                "every user of this machine can read the password of --nats in the list of processes: set {URL_VARIABLE} instead"
            ));
        }
        let url = given.or_else(|| std::env::var(URL_VARIABLE).ok()).ok_or_else(missing)?;
        let mut options = StreamOptions::new(url);
        options.name.clone_from(&self.stream);
        Ok(options)
    }
}

/// Returns whether an address of the list has a user name, a password or a token.
fn has_credentials(urls: &str) -> bool {
    urls.split(',').any(|url| {
        let address = url.split_once("://").map_or(url, |(_, address)| address);
        address.split('/').next().is_some_and(|authority| authority.contains('@'))
    })
}

/// Failure of publishing or reading: exit status [`FAILED`](crate::failure::FAILED).
impl From<NatsError> for Failure {
    fn from(error: NatsError) -> Self {
        Self::caused_by(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_found_in_any_address_of_a_list() {
        for urls in ["nats://foo:bar@host:4222", "nats://token@host", "foo:bar@host", "nats://a:1,tls://foo:b@c:1"] {
            assert!(has_credentials(urls), "{urls}");
        }
        for urls in ["nats://host:4222", "host", "nats://a:1,nats://b:2", "nats://host/path@"] {
            assert!(!has_credentials(urls), "{urls}");
        }
    }
}
