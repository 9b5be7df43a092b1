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

/// A connection to one of several servers, which is opened again, to any of them, whenever it is lost.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    pub(crate) client: Client,
    /// Number of lost connections.
    n_lost: watch::Receiver<u64>,
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
            Ok(Ok(client)) => {
                let connection = Self { client, n_lost };
                let too_old = |version| NatsError::TooOld { host, version };
                return connection.supported_version().map_err(too_old).map(|_| connection);
            }
            Ok(Err(error)) => error_chain(&error),
            Err(_) => "no answer".to_owned(),
        };
        Err(NatsError::Connect { host, reason })
    }

    /// Returns whether the server of the present connection supports atomic batches. Another one of the cluster may not.
    pub(crate) fn has_batches(&self) -> bool {
        self.supported_version().is_ok_and(|version| version >= BATCH_VERSION)
    }

    /// Returns the version of the server of the present connection, or as an error the text of a version that is too old.
    fn supported_version(&self) -> Result<(u64, u64), String> {
        let text = self.client.server_info().version;
        let version = parse_version(&text).filter(|version| *version >= OLDEST_VERSION);
        version.ok_or_else(|| text.chars().take(20).collect())
    }

    /// Returns a receiver of the number of lost connections, which changes with the next loss.
    pub(crate) fn subscribe_losses(&self) -> watch::Receiver<u64> {
        let mut n_lost = self.n_lost.clone();
        n_lost.mark_unchanged();
        n_lost
    }

    /// Waits for an answer of the server, at most five seconds and only while the connection holds.
    ///
    /// # Errors
    ///
    /// The reason why there is no answer: the limit, a lost connection, or a connection to a server that is too old.
    ///
    /// # Cancel safety
    ///
    /// As safe as the future, which is dropped with this one, at the time limit, or when the connection is lost.
    pub(crate) async fn wait_for_answer<T>(&self, answer: impl Future<Output = T>) -> Result<T, String> {
        let mut n_lost = self.subscribe_losses();
        if self.client.connection_state() != State::Connected {
            return Err("not connected".to_owned());
        }
        // The client connects to any server of a cluster.
        let too_old = |version| format!("it is connected to a server of version {version}, but needs 2.11 or later");
        self.supported_version().map_err(too_old)?;
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
mod tests;
