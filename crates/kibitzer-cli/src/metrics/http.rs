//! A server of one page, for scrapes over HTTP/1. Number, size and time of the requests are limited.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tracing::warn;

/// Maximum number of requests at the same time; further connections are closed.
const MAX_CONNECTIONS: usize = 8;
/// Maximum size of a request with its headers.
const MAX_REQUEST_BYTES: usize = 8 << 10;
/// Time for sending a request and reading the answer.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// Pause after a failure to accept a connection, such as too many open files.
const ACCEPT_RETRY: Duration = Duration::from_secs(1);

/// Serves a page at `/metrics`, built anew for each request.
///
/// # Cancel safety
///
/// Dropping the future closes all connections.
pub(super) async fn serve(listener: TcpListener, page: impl Fn() -> String + Clone + Send + 'static) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(_) if connections.len() >= MAX_CONNECTIONS => {}
                Ok((stream, _)) => {
                    connections.spawn(timeout(REQUEST_TIMEOUT, answer(stream, page.clone())));
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

/// Reads one request, answers it and closes the connection.
///
/// # Errors
///
/// The peer is gone.
///
/// # Cancel safety
///
/// Dropping the future closes the connection.
async fn answer(mut stream: impl AsyncRead + AsyncWrite + Unpin, page: impl Fn() -> String) -> io::Result<()> {
    let mut request = Vec::new();
    while !is_complete(&request) && request.len() <= MAX_REQUEST_BYTES {
        if (&mut stream).take(1 << 10).read_buf(&mut request).await? == 0 {
            break;
        }
    }
    let (status, body) = match path(&request) {
        Some("/metrics") => ("200 OK", page()),
        Some(_) => ("404 Not Found", "the page is /metrics\n".to_owned()),
        None => ("400 Bad Request", "the request is not a GET of at most 8 KiB\n".to_owned()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(&[head.as_bytes(), body.as_bytes()].concat()).await?;
    stream.shutdown().await
}

fn is_complete(request: &[u8]) -> bool {
    request.ends_with(b"\r\n\r\n")
}

/// Returns the path without its query; `None` unless this is a complete `GET` request.
fn path(request: &[u8]) -> Option<&str> {
    let line = request.split(|&byte| byte == b'\r').next().filter(|_| is_complete(request))?;
    match str::from_utf8(line).ok()?.split(' ').collect::<Vec<_>>()[..] {
        ["GET", path, "HTTP/1.1" | "HTTP/1.0"] => path.split('?').next(),
        _ => None,
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
        let serving = tokio::spawn(answer(theirs, || "page\n".to_owned()));
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
            (b"GET /metrics?name[]=x HTTP/1.0\r\n\r\n", "200 OK"),
            (b"GET / HTTP/1.1\r\n\r\n", "404 Not Found"),
            (b"GET /metrics/../x HTTP/1.1\r\n\r\n", "404 Not Found"),
            (b"POST /metrics HTTP/1.1\r\n\r\n", "400 Bad Request"),
            (b"GET /metrics HTTP/2.0\r\n\r\n", "400 Bad Request"),
            (b"GET  /metrics HTTP/1.1\r\n\r\n", "400 Bad Request"),
            (b"GET /metrics HTTP/1.1\r\n", "400 Bad Request"),
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
    async fn clients_that_send_nothing_are_limited_in_number() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(serve(listener, || "page\n".to_owned()));
        let mut silent = Vec::new();
        for _ in 0..MAX_CONNECTIONS {
            silent.push(TcpStream::connect(address).await.unwrap());
        }
        let mut refused = TcpStream::connect(address).await.unwrap();
        let mut nothing = Vec::new();
        // A reset or an end: nothing is answered.
        let _ = refused.read_to_end(&mut nothing).await;
        assert_eq!(nothing, b"");
        drop(silent);
        // The server may not have noticed the closed connections yet.
        let mut answer = String::new();
        while !answer.ends_with("page\n") {
            answer.clear();
            let mut stream = TcpStream::connect(address).await.unwrap();
            let _ = stream.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").await;
            let _ = stream.read_to_string(&mut answer).await;
        }
        serving.abort();
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_sends_nothing_is_disconnected_in_time() {
        let (mut ours, theirs) = duplex(64);
        let began = Instant::now();
        let serving = tokio::spawn(timeout(REQUEST_TIMEOUT, answer(theirs, String::new)));
        assert_eq!(ours.read(&mut [0]).await.unwrap(), 0);
        assert!(serving.await.unwrap().is_err());
        assert_eq!(began.elapsed(), REQUEST_TIMEOUT);
    }
}
