//! Connections to NATS servers.

use std::time::Duration;

use async_nats::connection::State;
use async_nats::{Client, ConnectOptions, Event, ServerAddr};
use kibitzer_core::text::error_chain;
use percent_encoding::percent_decode_str;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::NatsError;

/// Oldest version whose conditions on a session's last event work: major and minor number.
const OLDEST_VERSION: (u64, u64) = (2, 11);

/// First version with atomic batches.
const BATCH_VERSION: (u64, u64) = (2, 12);

/// Time limit of a connection attempt, and of every answer of the server.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// A connection to one of the servers of a URL, which is opened again whenever it is lost.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    pub(crate) client: Client,
    /// Number of lost connections.
    n_lost: watch::Receiver<u64>,
    /// Whether the server supports atomic batches.
    pub(crate) has_batches: bool,
}

impl Connection {
    /// Connects to one of the servers in a list such as `nats://USER:PASSWORD@HOST:PORT,tls://HOST`.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: dropping the future closes the connection.
    pub(crate) async fn open(urls: &str) -> Result<Self, NatsError> {
        let mut options = ConnectOptions::new().name("kibitzer").connection_timeout(ANSWER_TIMEOUT);
        let mut servers = Vec::new();
        for url in urls.split(',') {
            let mut url = url.parse::<ServerAddr>().map_err(|_| NatsError::Address)?.into_inner();
            let user = percent_decode_str(url.username()).decode_utf8_lossy().into_owned();
            let password = url.password().map(|password| percent_decode_str(password).decode_utf8_lossy().into_owned());
            options = match (user.is_empty(), password) {
                (true, _) => options,
                (false, None) => options.token(user),
                (false, Some(password)) => options.user_and_password(user, password),
            };
            // The client logs the addresses.
            let stripped = url.set_username("").and_then(|()| url.set_password(None));
            if stripped.is_err() || url.host_str().is_none() || !matches!(url.scheme(), "nats" | "tls") {
                return Err(NatsError::Address);
            }
            servers.push(ServerAddr::from_url(url).map_err(|_| NatsError::Address)?);
        }
        let host: Vec<_> = servers.iter().map(|server| format!("{}:{}", server.host(), server.port())).collect();
        let host = host.join(",");
        let (counter, n_lost) = watch::channel(0);
        let options = options.request_timeout(Some(ANSWER_TIMEOUT)).event_callback(move |event| {
            if event == Event::Disconnected {
                counter.send_modify(|count| *count += 1);
            }
            std::future::ready(())
        });
        let reason = match timeout(ANSWER_TIMEOUT * 2, options.connect(servers)).await {
            Ok(Ok(client)) => return Self::check_version(client, n_lost, host),
            Ok(Err(error)) => error_chain(&error),
            Err(_) => "no answer".to_owned(),
        };
        Err(NatsError::Connect { host, reason })
    }

    fn check_version(client: Client, n_lost: watch::Receiver<u64>, host: String) -> Result<Self, NatsError> {
        let version = client.server_info().version;
        let parsed = parse_version(&version).unwrap_or_default();
        if parsed < OLDEST_VERSION {
            return Err(NatsError::TooOld { host, version: version.chars().take(20).collect() });
        }
        Ok(Self { client, n_lost, has_batches: parsed >= BATCH_VERSION })
    }

    /// Returns a receiver that changes when the connection is lost.
    pub(crate) fn losses(&self) -> watch::Receiver<u64> {
        let mut n_lost = self.n_lost.clone();
        n_lost.mark_unchanged();
        n_lost
    }

    /// Waits for an answer of the server, as long as the connection holds.
    ///
    /// # Errors
    ///
    /// The reason why there is no answer.
    ///
    /// # Cancel safety
    ///
    /// As safe as the future, which is dropped with this one, at the time limit, or when the connection is lost.
    pub(crate) async fn answer<T>(&self, answer: impl Future<Output = T>) -> Result<T, String> {
        let mut n_lost = self.losses();
        if self.client.connection_state() != State::Connected {
            return Err("not connected".to_owned());
        }
        tokio::select! {
            biased;
            answer = timeout(ANSWER_TIMEOUT, answer) => answer.map_err(|_| "no answer".to_owned()),
            Ok(()) = n_lost.changed() => Err("the connection was lost".to_owned()),
        }
    }
}

/// Returns the major and minor number of a version such as `2.11.3-rc.1`; `None` if it has another form.
fn parse_version(version: &str) -> Option<(u64, u64)> {
    let mut numbers = version.trim_start_matches('v').split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        for (text, is_supported, has_batches) in [
            ("2.11.0", true, false),
            ("2.15.1", true, true),
            ("2.12.0-RC.1", true, true),
            ("v3.0.0", true, true),
            ("2.9.25", false, false),
            ("2.10.26", false, false),
            ("99999999999999999999.12.1", false, false),
            ("", false, false),
        ] {
            let version = parse_version(text).unwrap_or_default();
            assert_eq!((version >= OLDEST_VERSION, version >= BATCH_VERSION), (is_supported, has_batches), "{text}");
        }
    }
}
