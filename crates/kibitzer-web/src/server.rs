//! The HTTP server.

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::ready;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, REFERRER_POLICY,
    SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::serve::Listener;
use futures_util::stream;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use kibitzer::GameId;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio_io_timeout::TimeoutStream;

use crate::access::{self, Access, Rights};
use crate::hub::Hub;
use crate::page::PageFile;
use crate::request::{Control, PageQuery, PageRequest};

/// Maximum number of viewers at a time.
const MAX_VIEWERS: usize = 256;
/// Maximum number of connections, those of viewers included; further ones wait until one is closed.
const MAX_CONNECTIONS: usize = 2 * MAX_VIEWERS;
/// Time in which a connection has to send the next request with its headers.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);
/// Time after which a connection is closed if its peer reads nothing of what waits for it.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// Size of the buffers of a connection, and so about the maximum of a request's headers.
const CONNECTION_BUFFER: usize = 32 << 10;
/// Maximum size of a command.
const MAX_BODY: usize = 16 << 10;
/// Number of rows in an answer if the page names none, and the maximum.
const ROWS: (usize, usize) = (200, 2_000);
/// Number of requests that wait for the program.
const WAITING_REQUESTS: usize = 64;

/// The values of a query by their keys.
type Query = HashMap<String, String>;

const JSON: &str = "application/json";
/// Type of a file to store.
const FILE: &str = "application/octet-stream";
const TEXT: &str = "text/plain; charset=utf-8";
/// Type of the Prometheus text format.
const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";
/// Type of PGN, as OBS and broadcast tools expect it.
const PGN: &str = "application/x-chess-pgn; charset=utf-8";

/// How a [`WebServer`] listens, and what its viewers may do.
#[derive(Clone, Debug)]
pub struct WebOptions {
    listen: SocketAddr,
    hosts: Vec<String>,
    has_write: bool,
    has_control: bool,
}

impl WebOptions {
    /// Creates options that listen on this address, for viewers who may only look. An address that other machines reach requires a
    /// token.
    pub const fn new(listen: SocketAddr) -> Self {
        Self { listen, hosts: Vec::new(), has_write: false, has_control: false }
    }

    /// Sets the names, besides IP addresses and `localhost`, by which viewers reach the server, such as that of a proxy. Default: none.
    /// A name requires a token, as a proxy makes the server known to other machines.
    #[must_use]
    pub fn hosts(mut self, hosts: impl IntoIterator<Item = String>) -> Self {
        self.hosts = hosts.into_iter().collect();
        self
    }

    /// Lets viewers send commands. Default: no.
    #[must_use]
    pub const fn write(mut self) -> Self {
        self.has_write = true;
        self
    }

    /// Lets viewers play a recording. Default: no.
    #[must_use]
    pub const fn control(mut self) -> Self {
        self.has_control = true;
        self
    }
}

/// A server that listens, but does not answer yet.
#[derive(Debug)]
pub struct WebServer {
    listener: TcpListener,
    address: SocketAddr,
    access: Access,
}

impl WebServer {
    /// Listens on the address of the options.
    ///
    /// # Errors
    ///
    /// The address cannot be listened on, or the system has no random numbers.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub async fn bind(options: WebOptions) -> io::Result<Self> {
        let listener = TcpListener::bind(options.listen).await?;
        let address = listener.local_addr()?;
        let is_remote = !address.ip().is_loopback() || !options.hosts.is_empty();
        let links = if is_remote { Some([access::random_token()?, access::random_token()?]) } else { None };
        let access = Access {
            hosts: options.hosts,
            cookie: format!("kibitzer-{}", address.port()),
            links,
            write: if options.has_write { Some(access::random_token()?) } else { None },
            control: if options.has_control { Some(access::random_token()?) } else { None },
        };
        Ok(Self { listener, address, access })
    }

    /// Returns the links to the page: first that of viewers who may act, then, if tokens are required and viewers may act at all, that
    /// of those who may only look.
    pub fn links(&self) -> Vec<String> {
        let acts = self.access.write.is_some() || self.access.control.is_some();
        let link = |token: &String| format!("http://{}/?token={token}", self.address);
        match &self.access.links {
            None => vec![format!("http://{}/", self.address)],
            Some(links) if acts => links.iter().map(link).collect(),
            Some([_, look]) => vec![link(look)],
        }
    }

    /// Answers viewers with the events of `hub`, and never completes. Sends to `requests` what the program has to answer.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes all connections.
    pub async fn serve(self, hub: Hub, requests: mpsc::Sender<PageRequest>) {
        let viewers = Arc::new(Semaphore::new(MAX_VIEWERS));
        let server = Arc::new(Handler { hub, access: self.access, viewers, requests });
        let answer = move |request| {
            let server = Arc::clone(&server);
            async move { server.check_and_answer(request).await }
        };
        accept(self.listener, answer).await;
    }

    /// Answers requests for `/metrics` with a page of counters, and all others with an error. Never completes.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes all connections.
    pub async fn serve_metrics(self, page: impl Fn() -> String + Clone + Send + 'static) {
        let access = Arc::new(self.access);
        let answer = move |request: Request| {
            let answer = match access.check(request.headers(), request.uri()) {
                Err(refusal) => refused(StatusCode::FORBIDDEN, refusal),
                Ok(_) if !is_read(&request) => not_allowed("GET, HEAD"),
                Ok(_) if request.uri().path() == "/metrics" => typed(METRICS, page()),
                Ok(_) => refused(StatusCode::NOT_FOUND, "the page is /metrics"),
            };
            ready(with_headers(answer))
        };
        accept(self.listener, answer).await;
    }
}

/// Answers the requests of all connections. Never completes.
///
/// # Cancel safety
///
/// Dropping the future closes all connections.
async fn accept<A: Future<Output = Response> + Send + 'static>(
    mut listener: impl Listener,
    answer: impl Fn(Request) -> A + Clone + Send + 'static,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(REQUEST_TIMEOUT).max_buf_size(CONNECTION_BUFFER);
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            (stream, _) = listener.accept(), if connections.len() < MAX_CONNECTIONS => {
                let mut stream = TimeoutStream::new(stream);
                stream.set_write_timeout(Some(WRITE_TIMEOUT));
                let answer = answer.clone();
                let service = service_fn(move |request: hyper::Request<Incoming>| {
                    let answer = answer(request.map(Body::new));
                    async move { Ok::<_, Infallible>(answer.await) }
                });
                // A browser opens a failed connection again.
                connections.spawn(http.serve_connection(TokioIo::new(Box::pin(stream)), service));
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Returns the channel for the requests of the page.
pub fn request_channel() -> (mpsc::Sender<PageRequest>, mpsc::Receiver<PageRequest>) {
    mpsc::channel(WAITING_REQUESTS)
}

/// What the answers depend on.
struct Handler {
    hub: Hub,
    access: Access,
    viewers: Arc<Semaphore>,
    requests: mpsc::Sender<PageRequest>,
}

/// The headers of every answer.
const HEADERS: [(HeaderName, &str); 4] = [
    (CONTENT_SECURITY_POLICY, "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Returns a refusal in a line of plain text.
fn refused(status: StatusCode, text: &str) -> Response {
    (status, [(CONTENT_TYPE, TEXT)], format!("{text}\n")).into_response()
}

fn not_found() -> Response {
    refused(StatusCode::NOT_FOUND, "there is no such page")
}

fn typed(content_type: &'static str, body: impl Into<Body>) -> Response {
    ([(CONTENT_TYPE, content_type)], body.into()).into_response()
}

fn json_answer(value: &Value) -> Response {
    typed(JSON, value.to_string())
}

/// Returns an error that a viewer can cause, with a status that browsers do not print to the console.
fn failed(text: &str) -> Response {
    json_answer(&json!({ "error": text }))
}

fn not_allowed(allow: &'static str) -> Response {
    (StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, allow)]).into_response()
}

/// Returns whether a request changes nothing.
fn is_read(request: &Request) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD)
}

/// Adds the headers of every answer.
fn with_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

impl Handler {
    async fn check_and_answer(&self, request: Request) -> Response {
        with_headers(match self.access.check(request.headers(), request.uri()) {
            Err(refusal) => refused(StatusCode::FORBIDDEN, refusal),
            Ok(rights) => self.answer(rights, request).await,
        })
    }

    async fn answer(&self, rights: Rights, request: Request) -> Response {
        let path = request.uri().path().trim_start_matches('/').to_owned();
        if path == "command" && request.method() == Method::POST {
            return self.command(request).await;
        }
        if !is_read(&request) {
            return not_allowed(if path == "command" { "POST" } else { "GET, HEAD" });
        }
        if path.is_empty()
            && self.access.links.is_some()
            && let Some(token) = access::token_of(request.uri())
        {
            // The token was checked; the page is opened without it.
            let cookie = format!("{}={token}; HttpOnly; SameSite=Lax; Path=/", self.access.cookie);
            return (StatusCode::SEE_OTHER, [(LOCATION, "./"), (SET_COOKIE, &cookie)]).into_response();
        }
        let query = query_of(&request);
        match path.split('/').collect::<Vec<_>>()[..] {
            ["events"] => self.stream(rights, request.headers()),
            ["games.pgn"] => typed(PGN, self.hub.pgn(None)),
            ["game", file] => self.game_file(file),
            ["rows"] => self.ask(JSON, self.rows(&query)).await,
            ["row", id] => match self.hub.row_of(id) {
                Some(row) => self.ask(JSON, PageQuery::Row(row)).await,
                None => failed("the event is no longer kept"),
            },
            ["timeline"] => self.ask(JSON, PageQuery::Timeline).await,
            ["export"] => self.export(&query).await,
            ["metrics"] => self.ask(METRICS, PageQuery::Metrics).await,
            [name] => match PageFile::find(name) {
                Some(file) => {
                    ([(CONTENT_TYPE, file.content_type), (CACHE_CONTROL, "no-cache")], file.text).into_response()
                }
                None => not_found(),
            },
            _ => not_found(),
        }
    }

    /// Asks the program, and returns its answer with this type, or its error.
    async fn ask(&self, content_type: &'static str, query: PageQuery) -> Response {
        let (answer, answered) = oneshot::channel();
        if self.requests.send(PageRequest { query, answer }).await.is_err() {
            return failed("the session is over");
        }
        match answered.await {
            Ok(Ok(content)) => typed(content_type, content),
            Ok(Err(error)) => failed(&error),
            Err(_) => failed("the session is over"),
        }
    }

    fn stream(&self, rights: Rights, headers: &HeaderMap) -> Response {
        let Ok(permit) = Arc::clone(&self.viewers).try_acquire_owned() else {
            return refused(StatusCode::SERVICE_UNAVAILABLE, "there are too many viewers");
        };
        let last = access::single(headers, &HeaderName::from_static("last-event-id"));
        let viewer = self.hub.viewer(last, self.access.tokens(rights));
        let chunks = stream::unfold((viewer, permit), async |(mut viewer, permit)| {
            let chunk = viewer.next_chunk().await?;
            Some((Ok::<_, Infallible>(chunk), (viewer, permit)))
        });
        typed("text/event-stream", Body::from_stream(chunks))
    }

    fn game_file(&self, file: &str) -> Response {
        let parts = file.split_once('.').and_then(|(number, form)| Some((GameId(number.parse().ok()?), form)));
        match parts {
            Some((number, "pgn")) => typed(PGN, self.hub.pgn(Some(number))),
            Some((number, "jsonl")) => typed("application/jsonl; charset=utf-8", self.hub.game_lines(number)),
            _ => not_found(),
        }
    }

    fn rows(&self, query: &Query) -> PageQuery {
        let text = |key| query.get(key).map(String::as_str);
        let limit = text("limit").and_then(|limit| limit.parse().ok());
        PageQuery::Rows {
            filter: text("filter").unwrap_or_default().to_owned(),
            range: self.hub.rows_between(text("after"), text("before")),
            limit: limit.map_or(ROWS.0, |limit: usize| limit.min(ROWS.1)),
        }
    }

    async fn export(&self, query: &Query) -> Response {
        let text = |key| query.get(key).cloned().unwrap_or_default();
        let (form, filter) = (text("form"), text("filter"));
        let name = match &*form {
            "recording" => "session.jsonl",
            "json" => "events.jsonl",
            "pgn" => "games.pgn",
            "test" => "test_of_game.rs",
            _ => "events.txt",
        };
        let game = query.get("game").and_then(|game| game.parse().ok()).map(GameId);
        let mut response = self.ask(FILE, PageQuery::Export { form, filter, game }).await;
        if response.headers().get(CONTENT_TYPE).is_some_and(|content_type| content_type == FILE)
            && let Ok(disposition) = HeaderValue::try_from(format!("attachment; filename=\"{name}\""))
        {
            response.headers_mut().insert(CONTENT_DISPOSITION, disposition);
        }
        response
    }

    /// Checks the token of a command and passes the command on.
    async fn command(&self, request: Request) -> Response {
        let (head, body) = request.into_parts();
        // Pages of other origins cannot send this type without asking first.
        let content_type = access::single(&head.headers, &CONTENT_TYPE).unwrap_or_default();
        if !content_type.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case(JSON)) {
            return refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, "a command is application/json");
        }
        let forbidden = || {
            let body = json!({ "error": "there is no right to do this" });
            (StatusCode::FORBIDDEN, json_answer(&body)).into_response()
        };
        let [may_write, may_control] = [&self.access.write, &self.access.control]
            .map(|token| access::is_authorized(&head.headers, token.as_ref()));
        // A sender without a right cannot hold the connection open with an incomplete body.
        if !may_write && !may_control {
            return forbidden();
        }
        let Ok(body) = to_bytes(body, MAX_BODY).await else {
            return refused(StatusCode::PAYLOAD_TOO_LARGE, "a command has at most 16 KiB");
        };
        let value: Value = serde_json::from_slice(&body).unwrap_or_default();
        let is_control = value.get("control").is_some();
        if !(if is_control { may_control } else { may_write }) {
            return forbidden();
        }
        if is_control {
            let Some(control) = Control::parse(&value) else { return failed("there is no such control") };
            self.ask(JSON, PageQuery::Control(control)).await;
            return StatusCode::NO_CONTENT.into_response();
        }
        self.ask(JSON, PageQuery::Command(body)).await
    }
}

/// Returns the decoded values of a query that are not empty.
fn query_of(request: &Request) -> Query {
    let pairs = form_urlencoded::parse(request.uri().query().unwrap_or_default().as_bytes()).into_owned();
    pairs.filter(|(_, value)| !value.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
    use tokio::time::Instant;

    use super::*;

    /// Connections in memory, which need no file descriptors and have a small buffer.
    struct InMemory(mpsc::Receiver<DuplexStream>);

    impl Listener for InMemory {
        type Io = DuplexStream;
        type Addr = ();

        async fn accept(&mut self) -> (DuplexStream, ()) {
            let Some(stream) = self.0.recv().await else { return std::future::pending().await };
            (stream, ())
        }

        fn local_addr(&self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Starts a server that sends a body of this size.
    fn start(size: usize) -> mpsc::Sender<DuplexStream> {
        let (connections, listener) = mpsc::channel(1);
        tokio::spawn(accept(InMemory(listener), move |_| ready("x".repeat(size).into_response())));
        connections
    }

    /// Connects, and sends a request.
    async fn connect(server: &mpsc::Sender<DuplexStream>) -> DuplexStream {
        let (mut ours, theirs) = duplex(64);
        server.send(theirs).await.unwrap();
        ours.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
        ours
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_too_many_is_answered_once_another_one_is_closed() {
        let server = start(0);
        let mut connections = Vec::new();
        for _ in 0..MAX_CONNECTIONS {
            let mut connection = connect(&server).await;
            connection.read_exact(&mut [0; 8]).await.unwrap();
            connections.push(connection);
        }
        let mut further = connect(&server).await;
        let is_answered = tokio::time::timeout(Duration::from_secs(1), further.read_u8()).await.is_ok();
        assert!(!is_answered);
        drop(connections.pop());
        let mut answer = [0; 8];
        further.read_exact(&mut answer).await.unwrap();
        assert_eq!(&answer, b"HTTP/1.1");
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_reads_nothing_is_disconnected_in_time() {
        let server = start(1 << 20);
        let began = Instant::now();
        let mut idle = connect(&server).await;
        let mut slow = connect(&server).await;
        // One that reads a little from time to time is not idle.
        for _ in 0..10 {
            tokio::time::sleep(WRITE_TIMEOUT * 2 / 3).await;
            slow.read_exact(&mut [0; 64]).await.unwrap();
        }
        assert!(began.elapsed() > 6 * WRITE_TIMEOUT);
        let mut rest = Vec::new();
        idle.read_to_end(&mut rest).await.unwrap();
        assert!(rest.len() <= 64, "{}", rest.len());
        slow.read_to_end(&mut rest).await.unwrap();
        assert!(rest.len() > 1_000_000, "{}", rest.len());
    }
}
