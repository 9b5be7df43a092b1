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
mod tests {
    use tokio::io::duplex;
    use tokio::net::TcpStream;
    use tokio::time::Instant;

    use super::*;

    /// Returns the answer to these bytes, which are followed by the end of the stream.
    async fn exchange(request: &[u8]) -> String {
        let (mut ours, theirs) = duplex(64);
        let serving = tokio::spawn(answer_request(theirs, || "page\n".to_owned()));
        let (mut reader, mut writer) = tokio::io::split(&mut ours);
        let mut answer = String::new();
        let write = async {
            let _ = writer.write_all(request).await;
            let _ = writer.shutdown().await;
        };
        let ((), read) = tokio::join!(write, reader.read_to_string(&mut answer));
        read.unwrap();
        let _ = serving.await.unwrap();
        answer
    }

    #[tokio::test]
    async fn requests_are_answered_with_a_status() {
        let long = [b"GET /metrics HTTP/1.1\r\nX: ".to_vec(), vec![b'x'; 2 * MAX_REQUEST_BYTES], b"\r\n\r\n".to_vec()]
            .concat();
        let cases: &[(&[u8], &str)] = &[
            (b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", "200 OK"),
            (b"GET /metrics HTTP/1.1\r\nX: y\r\nHOST:127.0.0.1:9100\r\n\r\n", "200 OK"),
            (b"GET /metrics HTTP/1.1\r\nHost: [::1]:9100\r\n\r\n", "200 OK"),
            (b"GET /metrics?name[]=x HTTP/1.0\r\n\r\n", "200 OK"),
            (b"GET / HTTP/1.1\r\nHost: [::1]\r\n\r\n", "404 Not Found"),
            (b"GET /metrics/../x HTTP/1.0\r\n\r\n", "404 Not Found"),
            (b"GET /metrics HTTP/1.1\r\nHost: rebound.example:9100\r\n\r\n", "403 Forbidden"),
            (b"GET /metrics HTTP/1.0\r\nHost: localhost.example\r\n\r\n", "403 Forbidden"),
            (b"GET /metrics HTTP/1.0\r\nHost: 127.0.0.1.example\r\n\r\n", "403 Forbidden"),
            (b"POST /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", "405 Method Not Allowed"),
            (b"POST /metrics HTTP/1.0\r\nContent-Length: 9\r\n\r\n\xff body", "405 Method Not Allowed"),
            (b"GET /metrics HTTP/1.1\r\n\r\n", "400 Bad Request"),
            (b"GET /metrics HTTP/2.0\r\n\r\n", "400 Bad Request"),
            (b"GET  /metrics HTTP/1.0\r\n\r\n", "400 Bad Request"),
            (b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n", "400 Bad Request"),
            (b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nhost: rebound.example\r\n\r\n", "400 Bad Request"),
            (b"GET /metrics HTTP/1.0\r\nHost: localhost\r\nX: y\r\nHost : localhost\r\n\r\n", "400 Bad Request"),
            (b"", "400 Bad Request"),
            (b"\xff\xfe\r\n\r\n", "400 Bad Request"),
            (&long, "400 Bad Request"),
        ];
        for (request, status) in cases {
            let answer = exchange(request).await;
            assert!(answer.starts_with(&format!("HTTP/1.1 {status}\r\n")), "{}: {answer}", request.escape_ascii());
            let (head, body) = answer.split_once("\r\n\r\n").unwrap();
            assert!(head.contains(&format!("\r\nContent-Length: {}\r\n", body.len())), "{answer}");
            assert_eq!(body == "page\n", *status == "200 OK", "{answer}");
        }
    }

    #[tokio::test]
    async fn the_answer_to_head_has_the_length_of_the_page_without_the_page() {
        let answer = exchange(b"HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n") && head.contains("\r\nContent-Length: 5\r\n"), "{answer}");
        assert_eq!(body, "");
    }

    #[tokio::test]
    async fn clients_that_send_nothing_are_limited_in_number_and_block_no_scrape() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(serve_page(listener, || "page\n".to_owned()));
        let mut silent = Vec::new();
        for _ in 0..2 * MAX_CONNECTIONS {
            silent.push(TcpStream::connect(address).await.unwrap());
        }
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.ends_with("page\n"), "{answer}");
        // All but the newest were closed for it, long before their time is over.
        let n_open = silent.iter().filter(|stream| stream.try_read(&mut [0]).is_err()).count();
        assert!(n_open < MAX_CONNECTIONS, "{n_open}");
        serving.abort();
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_sends_nothing_is_disconnected_in_time() {
        let (mut ours, theirs) = duplex(64);
        let began = Instant::now();
        let serving = tokio::spawn(timeout(REQUEST_TIMEOUT, answer_request(theirs, String::new)));
        assert_eq!(ours.read(&mut [0]).await.unwrap(), 0);
        assert!(serving.await.unwrap().is_err());
        assert_eq!(began.elapsed(), REQUEST_TIMEOUT);
    }
}
