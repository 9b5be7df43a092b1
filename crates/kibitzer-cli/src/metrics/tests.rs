use super::*;
use std::collections::{HashMap, HashSet};
use tokio::io::duplex;
use tokio::net::TcpStream;
use tokio::time::Instant;

#[test]
fn addresses_that_other_machines_can_reach_are_refused() {
    for text in ["127.0.0.1:9100", "127.1.2.3:0", "[::1]:9100"] {
        assert_eq!(parse_loopback(text).unwrap().to_string(), text);
    }
    for text in ["0.0.0.0:9100", "192.168.0.1:9100", "[::]:9100", "[::ffff:127.0.0.1]:1"] {
        assert!(parse_loopback(text).unwrap_err().contains("loopback"), "{text}");
    }
    for text in ["", "9100", "localhost:9100", "127.0.0.1", "127.0.0.1:70000"] {
        assert!(parse_loopback(text).unwrap_err().contains("looks like"), "{text}");
    }
}

#[test]
fn intervals_are_within_reason() {
    assert_eq!(parse_interval("100ms"), Ok(Duration::from_millis(100)));
    for text in ["0s", "99ms", "25h", "18446744073709551615h", "", "1"] {
        assert!(parse_interval(text).is_err(), "{text}");
    }
}

fn session(server: &str, handle: Option<&str>) -> SessionMetrics {
    let mut counters = ClientCounters::default();
    counters.session.bytes_received = u64::MAX;
    counters.session.request_time = Duration::from_micros(1_234_567);
    if handle.is_some() {
        counters.session.round_trip = Some(Duration::from_micros(70_500));
    }
    let clock = SessionClock::new(Instant::now());
    SessionMetrics { clock, server: server.to_owned(), handle: handle.map(str::to_owned), is_ready: true, counters }
}

type Labels = HashMap<String, String>;

/// Parses a page strictly: the samples with their labels, by the name of the metric.
fn parse(page: &str) -> HashMap<String, Vec<(Labels, String)>> {
    let (mut samples, mut seen) = (HashMap::<_, Vec<_>>::new(), HashSet::new());
    let mut lines = page.strip_suffix('\n').unwrap().lines().peekable();
    while let Some(line) = lines.next() {
        let (name, help) = line.strip_prefix("# HELP ").unwrap().split_once(' ').unwrap();
        let (typed, kind) = lines.next().unwrap().strip_prefix("# TYPE ").unwrap().split_once(' ').unwrap();
        assert!(!help.is_empty() && typed == name, "{line}");
        assert_eq!(kind == "counter", name.ends_with("_total"), "{line}");
        assert!(["counter", "gauge"].contains(&kind), "{line}");
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{name}");
        assert!(samples.insert(name.to_owned(), Vec::new()).is_none(), "{name} comes once");
        while let Some(sample) = lines.next_if(|line| !line.starts_with('#')) {
            assert!(seen.insert(sample.rsplit_once(' ').unwrap().0.to_owned()), "{sample} comes once");
            let (labels, value) = labels(sample.strip_prefix(name).unwrap().strip_prefix('{').unwrap());
            let value = value.strip_prefix(' ').unwrap();
            assert!(value.parse::<f64>().is_ok(), "{sample}");
            samples.get_mut(name).unwrap().push((labels, value.to_owned()));
        }
    }
    samples
}

/// Parses labels up to the closing brace, and returns the rest.
fn labels(mut rest: &str) -> (Labels, &str) {
    let mut labels = Labels::new();
    loop {
        let (name, value) = rest.split_once("=\"").unwrap();
        let (mut text, mut characters) = (String::new(), value.chars());
        loop {
            match characters.next().unwrap() {
                '"' => break,
                '\\' => text.push(match characters.next().unwrap() {
                    'n' => '\n',
                    escaped @ ('\\' | '"') => escaped,
                    other => panic!("\\{other}"),
                }),
                character => text.push(character),
            }
        }
        assert!(labels.insert(name.to_owned(), text).is_none(), "{name}");
        rest = characters.as_str();
        match rest.strip_prefix(',') {
            Some(more) => rest = more,
            None => return (labels, rest.strip_prefix('}').unwrap()),
        }
    }
}

#[test]
fn a_scrape_is_valid_whatever_the_names_contain() {
    let odd = "a\"b\\c\nd{e=\"f\"} 1";
    let page = prometheus_page(&[(1, session("hall.example", Some("Newton"))), (3, session(odd, None))]);
    let samples = parse(&page);
    assert_eq!(samples.len(), COUNTS.len() + TIMES.len() + 1);
    let bytes = &samples["kibitzer_session_bytes_received_total"];
    assert_eq!((bytes.len(), bytes[1].0["server"].as_str(), bytes[1].0["session"].as_str()), (2, odd, "3"));
    assert_eq!((bytes[0].0["handle"].as_str(), bytes[1].0["handle"].as_str()), ("Newton", ""));
    assert_eq!(samples["kibitzer_session_request_time_seconds_total"][0].1, "1.234567");
    let lag = &samples["kibitzer_session_round_trip_seconds"];
    assert_eq!((lag.len(), lag[0].1.as_str()), (1, "0.070500"), "no value without a measurement");
    assert_eq!(parse(&prometheus_page(&[]))["kibitzer_session_ready"].len(), 0);
}

#[test]
fn the_event_has_every_counter() {
    let event = serde_json::to_value(session("hall.example", Some("Newton"))).unwrap();
    assert_eq!(event.as_object().unwrap().len(), 3 + COUNTS.len() + TIMES.len(), "{event}");
    assert_eq!((&event["server"], &event["ready"]), (&"hall.example".into(), &true.into()));
    assert_eq!((&event["bytes_received"], &event["round_trip_ms"]), (&u64::MAX.into(), &70.into()));
    assert_eq!(event["request_time_ms"], 1234);
}

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
    let long =
        [b"GET /metrics HTTP/1.1\r\nX: ".to_vec(), vec![b'x'; 2 * MAX_REQUEST_BYTES], b"\r\n\r\n".to_vec()].concat();
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
