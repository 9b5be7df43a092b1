//! An HTTP/1 server of one page, which Prometheus scrapes. Number, size and duration of the requests are limited.

use std::collections::VecDeque;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};
use tracing::warn;

/// Maximum number of connections at the same time; a further one closes the oldest.
const MAX_CONNECTIONS: usize = 8;
/// Maximum size of a request with its headers.
const MAX_REQUEST_BYTES: usize = 8 << 10;
/// Time in which the client has to send its request, read the answer and close the connection.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(2);
/// Pause after a failure to accept a connection, such as too many open files.
const ACCEPT_RETRY: Duration = Duration::from_secs(1);

/// Answers each request for `/metrics` with the result of a call of `page`, as plain text in the Prometheus format. Never
/// completes.
///
/// # Cancel safety
///
/// Dropping the future closes all connections.
pub(super) async fn serve_page(listener: TcpListener, page: impl Fn() -> String + Clone + Send + 'static) {
    let mut connections = JoinSet::new();
    let mut oldest_first = VecDeque::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    oldest_first.retain(|connection: &AbortHandle| !connection.is_finished());
                    if oldest_first.len() >= MAX_CONNECTIONS
                        && let Some(oldest) = oldest_first.pop_front()
                    {
                        oldest.abort();
                    }
                    let answering = timeout(REQUEST_TIMEOUT, answer_request(stream, page.clone()));
                    oldest_first.push_back(connections.spawn(answering));
                }
                Err(error) => {
                    warn!(%error, "no scrape can be accepted");
                    sleep(ACCEPT_RETRY).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Reads one request, answers it, and waits until the peer closes the connection. Sets no timeout.
///
/// # Errors
///
/// [`io::Error`] of the connection.
///
/// # Cancel safety
///
/// Dropping the future closes the connection.
async fn answer_request(mut stream: impl AsyncRead + AsyncWrite + Unpin, page: impl Fn() -> String) -> io::Result<()> {
    let mut request = Vec::new();
    while head_length(&request).is_none() && request.len() <= MAX_REQUEST_BYTES {
        if (&mut stream).take(1 << 10).read_buf(&mut request).await? == 0 {
            break;
        }
    }
    let request = Request::parse(&request);
    let (status, body) = match &request {
        None => ("400 Bad Request", "the request is not HTTP/1 of at most 8 KiB\n".to_owned()),
        Some(request) if !request.names_this_machine() => {
            ("403 Forbidden", "the host of the request is neither an IP address nor localhost\n".to_owned())
        }
        Some(Request { method: "GET" | "HEAD", path: "/metrics", .. }) => ("200 OK", page()),
        Some(Request { method: "GET" | "HEAD", .. }) => ("404 Not Found", "the page is /metrics\n".to_owned()),
        Some(_) => ("405 Method Not Allowed", "the page can only be read\n".to_owned()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: {}\r\n\
         Allow: GET, HEAD\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let body = if request.is_some_and(|request| request.method == "HEAD") { "" } else { &body };
    stream.write_all(&[head.as_bytes(), body.as_bytes()].concat()).await?;
    stream.shutdown().await?;
    // A socket that is closed with unread bytes, such as those of a `POST`, resets the connection, which may lose the answer.
    while stream.read(&mut [0; 1 << 10]).await? > 0 {}
    Ok(())
}

/// Returns the length of the request line and the headers, without the empty line after them; `None` if they are not complete.
fn head_length(request: &[u8]) -> Option<usize> {
    request.windows(4).position(|bytes| bytes == b"\r\n\r\n")
}

/// The parts of a request on which its answer depends.
struct Request<'a> {
    method: &'a str,
    /// Path without its query.
    path: &'a str,
    /// Value of the header `Host`, which only HTTP/1.1 requires.
    host: Option<&'a str>,
}

impl<'a> Request<'a> {
    /// Parses the request line and the header `Host`. `None` if the headers are incomplete or not UTF-8, the request line does
    /// not have three words, the version is neither HTTP/1.0 nor 1.1, a request of HTTP/1.1 has no `Host`, or one has several.
    fn parse(request: &'a [u8]) -> Option<Self> {
        let head = request.get(..head_length(request)?)?;
        let mut lines = str::from_utf8(head).ok()?.split("\r\n");
        let [method, target, version] = lines.next()?.split(' ').collect::<Vec<_>>()[..] else { return None };
        let headers = lines.filter_map(|line| line.split_once(':'));
        let mut hosts = headers.filter(|(name, _)| name.trim().eq_ignore_ascii_case("host"));
        let host = hosts.next().map(|(_, value)| value.trim());
        let is_valid = match version {
            "HTTP/1.0" => true,
            "HTTP/1.1" => host.is_some(),
            _ => false,
        };
        (is_valid && hosts.next().is_none()).then_some(Self { method, path: target.split('?').next()?, host })
    }

    /// Returns whether the host is an IP address or `localhost`, or not given. Refuses other names to prevent DNS rebinding, in
    /// which a web page reads the counters through a name of its own that resolves to this machine.
    fn names_this_machine(&self) -> bool {
        let Some(host) = self.host else { return true };
        let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
        let name = host.rsplit_once(':').filter(|(_, port)| is_port(port)).map_or(host, |(name, _)| name);
        let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        address.parse::<IpAddr>().is_ok() || name.eq_ignore_ascii_case("localhost")
    }
}

#[cfg(test)]
mod tests;
