//! The server of the page, over TCP.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "the helpers of a test fail by panicking"
)]

use std::net::SocketAddr;

use kibitzer::{EventReader, GameId};
use kibitzer_web::{Hub, PageQuery, PageRequest, SourceInfo, WebEvent, WebOptions, WebServer, request_channel};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

/// Starts a server on a free port.
async fn start(
    options: impl FnOnce(WebOptions) -> WebOptions,
) -> (Hub, SocketAddr, Vec<String>, mpsc::Receiver<PageRequest>) {
    let any_port = SocketAddr::from(([127, 0, 0, 1], 0));
    let server = WebServer::bind(options(WebOptions::new(any_port))).await.unwrap();
    let links = server.links();
    let address = links[0].split('/').nth(2).unwrap().parse().unwrap();
    let hub = Hub::new(SourceInfo::new("session", "a server"), 7);
    let (sender, requests) = request_channel();
    tokio::spawn(server.serve(hub.clone(), sender));
    (hub, address, links, requests)
}

/// Sends a request with these headers, and returns the whole answer.
async fn request(address: SocketAddr, line: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(format!("{line} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n").as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    String::from_utf8(answer).unwrap()
}

async fn status(address: SocketAddr, line: &str, headers: &str) -> String {
    request(address, line, headers).await.split(' ').nth(1).unwrap().to_owned()
}

/// A stream of events.
struct Stream(BufReader<TcpStream>);

/// A message: identifier, name and data.
type Message = (Option<String>, Option<String>, Value);

impl Stream {
    async fn open(address: SocketAddr, headers: &str) -> Self {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = format!("GET /events HTTP/1.1\r\nHost: {address}\r\n{headers}\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        Self(BufReader::new(stream))
    }

    /// Returns the next message. Lines of the chunked encoding and of the headers have none of the fields.
    async fn next(&mut self) -> Message {
        let (mut id, mut event) = (None, None);
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).await.unwrap() > 0, "the stream has ended");
            match line.trim_end().split_once(": ") {
                Some(("id", value)) => id = Some(value.to_owned()),
                Some(("event", value)) => event = Some(value.to_owned()),
                Some(("data", value)) => return (id, event, serde_json::from_str(value).unwrap()),
                _ => {}
            }
        }
    }

    /// Returns the next message that is not the state of the line.
    async fn next_event(&mut self) -> Message {
        loop {
            let message = self.next().await;
            if message.1.as_deref() != Some("line") {
                return message;
            }
        }
    }
}

fn push(hub: &Hub, n: u64) {
    hub.push(&WebEvent::new(n, "tell", json!({ "event": "tell", "n": n }).to_string().into_bytes()));
}

#[tokio::test]
async fn a_stream_continues_after_the_last_event_without_loss_or_repetition() {
    let (hub, address, ..) = start(|options| options).await;
    let mut stream = Stream::open(address, "").await;
    let (last, name, data) = stream.next_event().await;
    assert_eq!((name.as_deref(), &data["reason"]), (Some("reset"), &json!("start")));
    let mut last = last.unwrap();
    let mut seen = Vec::new();
    for round in 0..20 {
        for n in 0..50 {
            push(&hub, round * 50 + n + 1);
        }
        hub.wake();
        // Part of them, then the connection is cut; the rest and more arrive on the next one.
        while seen.len() < usize::try_from(round * 50 + 20).unwrap() {
            let (id, _, data) = stream.next_event().await;
            last = id.unwrap();
            seen.push(data["n"].as_u64().unwrap());
        }
        stream = Stream::open(address, &format!("Last-Event-ID: {last}\r\n")).await;
    }
    while seen.len() < 1_000 {
        seen.push(stream.next_event().await.2["n"].as_u64().unwrap());
    }
    assert_eq!(seen, (1..=1_000).collect::<Vec<_>>());
    let other_run = Stream::open(address, "Last-Event-ID: 6.900\r\n").await.next_event().await;
    assert_eq!((other_run.1.as_deref(), &other_run.2["reason"]), (Some("reset"), &json!("start")));
    assert_eq!(other_run.2["recent"].as_array().unwrap().len(), 500);
}

#[tokio::test]
async fn a_slow_viewer_is_reset_and_delays_nobody() {
    let (hub, address, ..) = start(|options| options).await;
    let (mut slow, mut fast) = (Stream::open(address, "").await, Stream::open(address, "").await);
    assert!(slow.next_event().await.2["recent"].as_array().unwrap().is_empty());
    fast.next_event().await;
    let text = "x".repeat(8_000);
    let total = 6_000;
    for n in 1..=total {
        let json = json!({ "event": "tell", "n": n, "text": text }).to_string().into_bytes();
        hub.push(&WebEvent::new(n, "tell", json));
        if n.is_multiple_of(100) {
            hub.wake();
            while fast.next_event().await.2["n"] != n {}
        }
    }
    let mut n_received = 0;
    let missed = loop {
        let (_, name, data) = slow.next_event().await;
        if name.is_some() {
            assert_eq!(data["reason"], "slow");
            break data["missed"].as_u64().unwrap();
        }
        n_received += 1;
    };
    assert!(missed > 0);
    assert_eq!(n_received + missed, total);
    push(&hub, total + 1);
    hub.wake();
    assert_eq!(slow.next_event().await.2["n"], total + 1);
}

#[tokio::test]
async fn foreign_pages_and_names_are_refused() {
    let (_hub, address, ..) = start(WebOptions::write).await;
    let own = format!("Host: {address}\r\n");
    let port = address.port();
    for (headers, expected) in [
        (own.clone(), "200"),
        (format!("Host: localhost:{port}\r\n"), "200"),
        (format!("Host: [::1]:{port}\r\n"), "200"),
        ("Host: chess.example\r\n".to_owned(), "403"),
        (format!("Host: localhost.chess.example:{port}\r\n"), "403"),
        (format!("{own}Host: chess.example\r\n"), "403"),
        (format!("{own}Origin: http://{address}\r\n"), "200"),
        (format!("{own}Origin: null\r\n"), "403"),
        (format!("{own}Origin: http://chess.example\r\n"), "403"),
        (format!("{own}Origin: http://127.0.0.1:1\r\n"), "403"),
    ] {
        assert_eq!(status(address, "GET /", &headers).await, expected, "{headers}");
    }
    let page = request(address, "GET /", &own).await;
    assert!(
        page.contains("content-security-policy: default-src 'self';")
            && page.contains("x-content-type-options: nosniff")
    );
    assert_eq!(status(address, "GET /../Cargo.toml", &own).await, "404");
    assert_eq!(status(address, "DELETE /events", &own).await, "405");
}

#[tokio::test]
async fn commands_need_their_token_and_type() {
    let (_hub, address, _, mut requests) = start(WebOptions::write).await;
    tokio::spawn(async move {
        while let Some(request) = requests.recv().await {
            let PageQuery::Command(body) = request.query else { panic!("{request:?}") };
            request.answer.send(Ok([&b"{\"echo\":"[..], &body, b"}"].concat())).unwrap();
        }
    });
    let (_, _, reset) = Stream::open(address, "").await.next_event().await;
    let token = reset["tokens"]["write"].as_str().unwrap();
    assert_eq!(reset["tokens"]["control"], Value::Null);
    let command = |headers: String| async move {
        let body = r#"{"id":1,"command":"e2e4"}"#;
        let head = format!("Host: {address}\r\nContent-Length: {}\r\n{headers}\r\n{body}", body.len());
        // The empty line is the one before the body.
        request(address, "POST /command", head.trim_end()).await
    };
    let json = "Content-Type: application/json\r\n";
    let accepted = command(format!("{json}Authorization: Bearer {token}\r\n")).await;
    assert!(accepted.ends_with(r#"{"echo":{"id":1,"command":"e2e4"}}"#), "{accepted}");
    for headers in [json.to_owned(), format!("{json}Authorization: Bearer {}\r\n", "0".repeat(32))] {
        assert!(command(headers).await.starts_with("HTTP/1.1 403"));
    }
    let as_form = format!("Content-Type: text/plain\r\nAuthorization: Bearer {token}\r\n");
    assert!(command(as_form).await.starts_with("HTTP/1.1 415"));
    let control = r#"{"control":"play"}"#;
    let head = format!(
        "Host: {address}\r\n{json}Authorization: Bearer {token}\r\nContent-Length: {}\r\n\r\n{control}",
        control.len()
    );
    assert!(request(address, "POST /command", &head).await.starts_with("HTTP/1.1 403"));
}

#[tokio::test]
async fn remote_viewers_need_a_link_which_decides_what_they_may_do() {
    let (_hub, address, links, _requests) = start(|options| options.hosts(["chess.example".to_owned()]).write()).await;
    let host = "Host: chess.example\r\n";
    assert_eq!(status(address, "GET /", host).await, "403");
    assert_eq!(status(address, "GET /events", host).await, "403");
    assert_eq!(links.len(), 2);
    for (link, may_write) in links.iter().zip([true, false]) {
        let path = &link[link.find("/?").unwrap()..];
        let opened = request(address, &format!("GET {path}"), host).await;
        assert!(opened.starts_with("HTTP/1.1 303") && opened.contains("location: ./"), "{opened}");
        let cookie =
            opened.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap().split(';').next().unwrap();
        let headers = format!("Cookie: other=1; {cookie}\r\n");
        assert_eq!(status(address, "GET /", &format!("{host}{headers}")).await, "200");
        let (_, _, reset) = Stream::open(address, &headers).await.next_event().await;
        assert_eq!(reset["tokens"]["write"].is_string(), may_write);
        let token = path.split('=').nth(1).unwrap();
        assert_eq!(status(address, &format!("GET /games.pgn?token={token}"), host).await, "200");
    }
    assert_eq!(status(address, "GET /?token=0", host).await, "403");
    let cookie = |token: &str| format!("{host}Cookie: kibitzer-{}={token}\r\n", address.port());
    let [acts, looks] = [&links[0], &links[1]].map(|link| link.split_once('=').unwrap().1);
    let upgraded = request(address, &format!("GET /?token={acts}"), &cookie(looks)).await;
    assert!(upgraded.contains(&format!("={acts};")), "{upgraded}");
    assert_eq!(status(address, &format!("GET /?token={acts}"), &cookie("of-an-earlier-run")).await, "303");
    for foreign in ["0", "0;Path=/game"] {
        let answer = request(address, &format!("GET /?token={foreign}"), &cookie(acts)).await;
        assert!(answer.starts_with("HTTP/1.1 403") && !answer.contains("set-cookie"), "{answer}");
    }
}

#[tokio::test]
async fn at_most_256_viewers_have_a_stream() {
    let (hub, address, ..) = start(|options| options).await;
    let mut viewers = Vec::new();
    for _ in 0..256 {
        let mut viewer = Stream::open(address, "").await;
        viewer.next_event().await;
        viewers.push(viewer);
    }
    let own = format!("Host: {address}\r\n");
    let refused = request(address, "GET /events", &own).await;
    assert!(refused.starts_with("HTTP/1.1 503") && refused.ends_with("there are too many viewers\n"), "{refused}");
    assert_eq!(status(address, "GET /", &own).await, "200");
    push(&hub, 1);
    hub.wake();
    for viewer in &mut viewers {
        assert_eq!(viewer.next_event().await.2["n"], 1);
    }
    drop(viewers.pop());
    let mut line = String::new();
    while !line.starts_with("HTTP/1.1 200") {
        let mut next = Stream::open(address, "").await;
        line.clear();
        next.0.read_line(&mut line).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_without_a_request_is_closed_in_time() {
    let (_hub, address, ..) = start(|options| options).await;
    let whole = format!("GET /icon.svg HTTP/1.1\r\nHost: {address}\r\n\r\n");
    for (sent, is_answered) in [("", false), ("GET / HTTP/1.1\r\nHost", false), (&*whole, true)] {
        let started = tokio::time::Instant::now();
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(sent.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert_eq!(answer.starts_with("HTTP/1.1 200"), is_answered, "{answer}");
        assert!((14..17).contains(&started.elapsed().as_secs()), "{:?} {sent}", started.elapsed());
    }
    // The body of a command without a right is not waited for.
    let head = format!("Host: {address}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n");
    assert_eq!(status(address, "POST /command", &head).await, "403");
}

#[tokio::test]
async fn headers_are_limited_in_size() {
    let (_hub, address, ..) = start(|options| options).await;
    for (size, is_answered) in [(30 << 10, true), (200 << 10, false)] {
        let request =
            format!("GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nCookie: {}\r\n\r\n", "x".repeat(size));
        let mut stream = TcpStream::connect(address).await.unwrap();
        let mut answer = Vec::new();
        // The server may close the connection before it has read all.
        let _ = stream.write_all(request.as_bytes()).await;
        let _ = stream.read_to_end(&mut answer).await;
        assert_eq!(answer.starts_with(b"HTTP/1.1 200"), is_answered, "{size}");
    }
}

#[tokio::test]
async fn a_reset_has_the_newest_rows_up_to_a_size() {
    let (hub, address, ..) = start(|options| options).await;
    let text = "x".repeat(60_000);
    for n in 1..=100 {
        let json = json!({ "event": "tell", "n": n, "text": text }).to_string().into_bytes();
        hub.push(&WebEvent::new(n, "tell", json));
    }
    let (_, _, reset) = Stream::open(address, "").await.next_event().await;
    let recent = reset["recent"].as_array().unwrap();
    assert!((30..35).contains(&recent.len()), "{}", recent.len());
    assert_eq!(recent.last().unwrap()["event"]["n"], 100);
}

/// Starts a server of counters, sends these bytes, and returns the answer.
async fn scrape(request: &[u8]) -> String {
    let any_port = SocketAddr::from(([127, 0, 0, 1], 0));
    let server = WebServer::bind(WebOptions::new(any_port)).await.unwrap();
    let address: SocketAddr = server.links()[0].split('/').nth(2).unwrap().parse().unwrap();
    let serving = tokio::spawn(server.serve_metrics(|| "page\n".to_owned()));
    let mut stream = TcpStream::connect(address).await.unwrap();
    let mut answer = Vec::new();
    // The server may close the connection before it has read all.
    let _ = stream.write_all(request).await;
    let _ = stream.shutdown().await;
    let _ = stream.read_to_end(&mut answer).await;
    serving.abort();
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn requests_for_counters_are_answered_with_a_status() {
    let long = [&b"GET /metrics HTTP/1.1\r\nX: "[..], &vec![b'x'; 200 << 10], b"\r\n\r\n"].concat();
    let cases: &[(&[u8], &str)] = &[
        (b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", "200 OK"),
        (b"GET /metrics HTTP/1.1\r\nX: y\r\nHOST:127.0.0.1:9100\r\n\r\n", "200 OK"),
        (b"GET /metrics HTTP/1.1\r\nHost: [::1]:9100\r\n\r\n", "200 OK"),
        (b"GET /metrics?name[]=x HTTP/1.0\r\nHost: localhost\r\n\r\n", "200 OK"),
        (b"GET / HTTP/1.1\r\nHost: [::1]\r\n\r\n", "404 Not Found"),
        (b"GET /events HTTP/1.1\r\nHost: [::1]\r\n\r\n", "404 Not Found"),
        (b"GET /metrics/../x HTTP/1.1\r\nHost: localhost\r\n\r\n", "404 Not Found"),
        (b"GET /metrics HTTP/1.1\r\nHost: rebound.example:9100\r\n\r\n", "403 Forbidden"),
        (b"GET /metrics HTTP/1.1\r\nHost: localhost.example\r\n\r\n", "403 Forbidden"),
        (b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1.example\r\n\r\n", "403 Forbidden"),
        (b"GET /metrics HTTP/1.1\r\n\r\n", "403 Forbidden"),
        (b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nhost: rebound.example\r\n\r\n", "403 Forbidden"),
        (b"POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6\r\n\r\n\xff body", "405 Method Not Allowed"),
        (b"GET /metrics HTTP/2.0\r\n\r\n", "400 Bad Request"),
        (b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: y\r\nHost : localhost\r\n\r\n", "400 Bad Request"),
        (b"\xff\xfe\r\n\r\n", "400 Bad Request"),
        (&long, "431 Request Header Fields Too Large"),
    ];
    for (request, status) in cases {
        let answer = scrape(request).await;
        assert!(answer.split("\r\n").next().unwrap().ends_with(status), "{}: {answer}", request.escape_ascii());
        assert_eq!(answer.ends_with("\r\n\r\npage\n"), *status == "200 OK", "{answer}");
    }
    for incomplete in [&b""[..], b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n"] {
        let answer = scrape(incomplete).await;
        assert!(!answer.contains("page"), "{answer}");
    }
    let head = scrape(b"HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n") && head.contains("\r\ncontent-length: 5\r\n"), "{head}");
    assert!(head.contains("\r\ncontent-type: text/plain; version=0.0.4") && head.ends_with("\r\n\r\n"), "{head}");
}

/// Pushes what a server says, and returns the games that begin without their earlier moves.
fn push_said(hub: &Hub, said: &str) -> Vec<GameId> {
    let (mut reader, mut rest) = (EventReader::default(), said.as_bytes());
    let (mut row, mut incomplete) = (0, Vec::new());
    while let Some(event) = reader.next(&mut rest) {
        row += 1;
        let mut published = WebEvent::new(row, event.kind().as_str(), Vec::new());
        event.write_json("", &mut published.json);
        published.game = event.affected_game().or_else(|| event.message()?.game());
        published.event = Some(&event);
        incomplete.extend(hub.push(&published));
    }
    hub.wake();
    incomplete
}

const START: &str = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 ";

#[tokio::test]
async fn a_reset_has_the_clocks_that_changed_since_the_last_board() {
    let (hub, address, ..) = start(WebOptions::write).await;
    let clock_of = |names| format!("{START}{names} 0 3 2 39 39 180 180 1 none (0:00) none 0 1 0\n\r");
    let paused = |game| format!("Game {game}: Game clock paused.\n\r");
    let lagged = "Game 7: Ann has lagged for 30 seconds.\n\r".to_owned();
    let added = "Game 7: Bob has added 5 seconds to Ann's clock.\n\r".to_owned();
    let said = [clock_of("7 Ann Bob"), clock_of("8 Cy Di"), paused(7), added, paused(8), lagged, clock_of("8 Cy Di")];
    push_said(&hub, &said.concat());
    let (_, _, reset) = Stream::open(address, "").await.next_event().await;
    let state: Vec<_> =
        reset["state"].as_array().unwrap().iter().map(|it| (it["event"].as_str(), it["game"].as_u64())).collect();
    let [position, clock] = ["position", "clock"].map(Some);
    assert_eq!(state, [(position, Some(7)), (clock, Some(7)), (clock, Some(7)), (position, Some(8))]);
    assert_eq!([1, 2].map(|n| &reset["state"][n]["action"]), ["paused", "time_added"]);
}

#[tokio::test]
async fn a_reset_has_each_game_once_and_the_moves_that_are_legal() {
    let (hub, address, ..) = start(WebOptions::write).await;
    push_said(
        &hub,
        &format!(
            "{START}7 Ann Bob 0 3 2 39 39 180 180 1 none (0:00) none 0 0 0\n\r{START}8 Cy Di 1 3 2 39 39 180 180 1 none (0:00) none 0 0 0\n\r\
             {{Game 7 (Ann vs. Bob) Bob resigns}} 1-0\n\r{START}7 Ed Fay 0 3 2 39 39 180 180 1 none (0:00) none 0 0 0\n\r"
        ),
    );
    let mut stream = Stream::open(address, "").await;
    let (_, _, reset) = stream.next_event().await;
    let state: Vec<_> =
        reset["state"].as_array().unwrap().iter().map(|it| (it["event"].as_str(), it["white"].as_str())).collect();
    assert_eq!(state, [(Some("position"), Some("Cy")), (Some("position"), Some("Ed"))]);
    let (_, name, legal) = stream.next_event().await;
    assert_eq!((name.as_deref(), &legal["game"]), (Some("legal"), &json!(8)));
    assert_eq!(legal["moves"].as_array().unwrap().len(), 20);
    assert_eq!(legal["fen"], reset["state"][0]["fen"]);
    let lines = request(address, "GET /game/7.jsonl", &format!("Host: {address}\r\n")).await;
    assert!(lines.contains("Ed") && !lines.contains("Ann"));
    let pgn = request(address, "GET /games.pgn", &format!("Host: {address}\r\n")).await;
    assert!(["Ann", "Cy", "Ed"].iter().all(|name| pgn.contains(&format!("[White \"{name}\"]"))), "{pgn}");
    assert_eq!(hub.pgn(Some(GameId(9))), "");
    // A game that is over has no legal moves.
    push_said(
        &hub,
        &format!(
            "{START}8 Cy Di 1 3 2 39 39 180 180 1 none (0:00) none 0 0 0\n\r{{Game 8 (Cy vs. Di) Di resigns}} 1-0\n\r"
        ),
    );
    let mut stream = Stream::open(address, "").await;
    assert_eq!(stream.next_event().await.1.as_deref(), Some("reset"));
    push(&hub, 100);
    hub.wake();
    let next = stream.next_event().await;
    assert_eq!(next.2["n"], 100, "{next:?}");
}

#[tokio::test]
async fn drops_are_legal_once_the_reserve_is_known() {
    let (hub, address, ..) = start(WebOptions::write).await;
    let mut stream = Stream::open(address, "").await;
    stream.next_event().await;
    let info = "<g1> 7 p=0 t=crazyhouse r=0 u=1,1 it=180,0 i=180,0 pt=0 rt=0,0 ts=1,1";
    push_said(&hub, &format!("{info}\n\r{START}7 Ann Bob 1 3 2 39 39 180 180 1 none (0:00) none 0 0 0\n\r"));
    push_said(&hub, "<b1> game 7 white [N] black []\n\r");
    let drops = loop {
        let (_, name, legal) = stream.next_event().await;
        if name.as_deref() == Some("legal") && !legal["moves"].is_null() {
            let moves = legal["moves"].as_array().unwrap();
            break moves.iter().filter(|it| it.as_str().unwrap().starts_with("N@")).count();
        }
    };
    assert_eq!(drops, 32);
}

#[tokio::test]
async fn listed_moves_complete_a_game_that_was_joined_later() {
    let (hub, address, ..) = start(|options| options).await;
    let board = "<12> rnbqkbnr pppp-ppp -------- ----p--- ----P--- -----N-- PPPP-PPP RNBQKB-R B -1 1 1 1 1 1 7 Ann Bob 0 3 0 39 39 \
                 170 175 2 N/g1-f3 (0:02) Nf3 0 1 0\n\r";
    let incomplete = push_said(&hub, board);
    assert_eq!(incomplete, [GameId(7)]);
    let lines =
        async || request(address, "GET /game/7.jsonl", &format!("Connection: close\r\nHost: {address}\r\n")).await;
    assert_eq!(lines().await.matches("\"event\":\"position\"").count(), 1);
    let list = "\x151\x1677\x16\n\rMovelist for game 7:\n\r\n\rAnn (1500) vs. Bob (1600) --- Tue Mar  4, 10:00 PST 2025\n\r\
                Rated blitz match, initial time: 3 minutes, increment: 0 seconds.\n\r\n\r\
                Move  Ann                Bob\n\r----  ----------------   ----------------\n\r\
                \x20 1.  e4      (0:00)     e5      (0:00)\n\r  2.  Nf3     (0:02)\n\r      {Still in progress} *\n\r\n\r\x17\n\r";
    push_said(&hub, list);
    let lines = lines().await;
    let boards: Vec<Value> = lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let fens: Vec<_> =
        boards.iter().filter(|it| it["event"] == "position").map(|it| it["fen"].as_str().unwrap()).collect();
    assert_eq!(
        fens,
        [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2",
        ]
    );
    assert_eq!((&boards[1]["last_move"]["uci"], &boards[2]["last_move"]["san"]), (&json!("e2e4"), &json!("e5")));
    assert!(hub.pgn(Some(GameId(7))).contains("\n1. e4 "), "{}", hub.pgn(None));
}

#[tokio::test]
async fn hostile_text_stays_inside_its_json_string() {
    let (hub, address, ..) = start(|options| options).await;
    let mut stream = Stream::open(address, "").await;
    stream.next_event().await;
    let long = "\u{202e}<script>".repeat(4_000);
    let hostile = [
        "<img src=x onerror=alert(1)>",
        "</script><script>",
        "\n\nevent: reset\ndata: {}",
        "\u{2028}\u{2029}\u{7f}\0",
        &long,
    ];
    let text_of =
        |n: u64| if n.is_multiple_of(100) { &long } else { hostile[usize::try_from(n).unwrap() % hostile.len()] };
    for n in 0..10_000_u64 {
        let text = text_of(n);
        let mut said = Vec::new();
        kibitzer::internal::json::write(&mut said, &json!({ "event": "tell", "from": text, "text": text })).unwrap();
        hub.push(&WebEvent::new(n, "tell", said));
        hub.wake();
        if n % 50 == 49 {
            for before in n - 49..=n {
                let (_, name, data) = stream.next_event().await;
                assert_eq!((name, &data["from"]), (None, &json!(text_of(before))));
            }
        }
    }
}
