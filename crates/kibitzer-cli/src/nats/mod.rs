//! `kibitzer publish` and `kibitzer tail`: events in a NATS JetStream stream.

mod games;
pub(crate) mod publish;
mod server_lines;
pub(crate) mod tail;

use kibitzer_nats::{DEFAULT_STREAM, NatsError, StreamOptions};

pub(crate) use games::for_each_server_output;

use crate::failure::{Failure, USAGE};

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
        let url = given.or_else(|| std::env::var(URL_VARIABLE).ok()).ok_or_else(missing)?;
        let mut options = StreamOptions::new(url);
        options.name.clone_from(&self.stream);
        Ok(options)
    }
}

/// Failure of publishing or reading: exit status [`FAILED`](crate::failure::FAILED).
impl From<NatsError> for Failure {
    fn from(error: NatsError) -> Self {
        Self::caused_by(error)
    }
}
