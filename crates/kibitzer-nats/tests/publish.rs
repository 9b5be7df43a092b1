//! Publishing to a real server that is killed, and over links that are cut: every event is stored once and in order.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails loudly")]

mod common;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use common::{Link, NatsServer, garbage_server};
use kibitzer_nats::{
    EventStream, NatsError, PublishOptions, Publisher, ReadFrom, SessionName, StoredEvent, StreamOptions, StreamReader,
    SubjectFilter, WhenUnreachable,
};

/// No test waits longer.
const LIMIT: Duration = Duration::from_mins(2);

fn line(n: u64) -> String {
    let event = ["tell", "prompt", "text"][usize::try_from(n % 3).unwrap()];
    format!(r#"{{"event":"{event}","offset":{},"text":"{n}"}}"#, n * 10)
}

fn session() -> SessionName {
    SessionName::new("a.b").unwrap()
}

async fn publisher(url: &str, options: PublishOptions) -> Publisher {
    let stream = EventStream::open_or_create(&StreamOptions::new(url)).await.unwrap();
    let started = async {
        loop {
            match Publisher::start(stream.clone(), session(), options.clone()).await {
                // The task of a publisher that was dropped may still hold it.
                Err(NatsError::Spill { source, .. }) if source.to_string() == "another publisher uses it" => {
                    tokio::task::yield_now().await;
                }
                started => return started.unwrap(),
            }
        }
    };
    tokio::time::timeout(LIMIT, started).await.unwrap()
}

async fn push(publisher: &mut Publisher, n: u64) -> Result<(), NatsError> {
    tokio::time::timeout(LIMIT, publisher.push(line(n).into())).await.unwrap()
}

/// All stored events of all sessions.
async fn stored(url: &str) -> Vec<StoredEvent> {
    let stream = EventStream::open(&StreamOptions::new(url)).await.unwrap();
    let mut reader = StreamReader::open(&stream, &SubjectFilter::default(), ReadFrom::First).await.unwrap();
    let mut events = Vec::new();
    while reader.n_pending() > 0 {
        events.push(tokio::time::timeout(LIMIT, reader.recv()).await.unwrap().unwrap());
    }
    events
}

fn assert_all_in_order(events: &[StoredEvent], count: u64) {
    let lines: Vec<_> = events.iter().map(|event| String::from_utf8(event.line.to_vec()).unwrap()).collect();
    let want: Vec<_> = (0..count).map(line).collect();
    assert!(
        lines == want,
        "{} of {count} events, first difference {:?}",
        lines.len(),
        lines.iter().zip(&want).find(|(a, b)| a != b)
    );
    assert!(events.is_sorted_by(|a, b| a.position < b.position && a.sequence < b.sequence));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_that_is_cut_again_and_again_loses_and_doubles_nothing() {
    let Some(server) = NatsServer::start("link") else { return };
    let link = Link::new(server.port);
    let mut publisher = publisher(&link.url(), PublishOptions::recording().buffer_bytes(100_000)).await;
    for n in 0..6_000 {
        push(&mut publisher, n).await.unwrap();
        if n % 250 == 249 {
            link.cut();
        }
    }
    publisher.finish(LIMIT).await.unwrap();
    assert_all_in_order(&stored(&server.url()).await, 6_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_killed_again_and_again_loses_and_doubles_nothing() {
    let Some(mut server) = NatsServer::start("server") else { return };
    let mut publisher = publisher(&server.url(), PublishOptions::recording().buffer_bytes(100_000)).await;
    for n in 0..6_000 {
        if n % 1_000 == 500 {
            server.kill();
            server.restart();
        }
        push(&mut publisher, n).await.unwrap();
    }
    publisher.finish(LIMIT).await.unwrap();
    assert_all_in_order(&stored(&server.url()).await, 6_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_continues_over_a_restart_of_the_server() {
    let Some(mut server) = NatsServer::start("reader") else { return };
    let mut publisher = publisher(&server.url(), PublishOptions::recording()).await;
    let stream = EventStream::open(&StreamOptions::new(server.url())).await.unwrap();
    let mut reader = StreamReader::open(&stream, &SubjectFilter::default(), ReadFrom::Now).await.unwrap();
    let mut events = Vec::new();
    for n in 0..6 {
        if n == 3 {
            server.kill();
            server.restart();
        }
        push(&mut publisher, n).await.unwrap();
        events.push(tokio::time::timeout(LIMIT, reader.recv()).await.unwrap().unwrap());
    }
    publisher.finish(LIMIT).await.unwrap();
    assert_all_in_order(&events, 6);
}

#[tokio::test]
async fn a_recording_continues_after_its_last_stored_event() {
    let Some(server) = NatsServer::start("continue") else { return };
    for end in [1, 700, 700, 2_000] {
        let mut publisher = publisher(&server.url(), PublishOptions::recording()).await;
        for n in 0..end {
            push(&mut publisher, n).await.unwrap();
        }
        publisher.finish(LIMIT).await.unwrap();
        assert_all_in_order(&stored(&server.url()).await, end);
    }
}

#[tokio::test]
async fn another_recording_under_the_same_name_is_refused() {
    let Some(server) = NatsServer::start("other") else { return };
    let mut first = publisher(&server.url(), PublishOptions::recording()).await;
    for n in 0..10 {
        push(&mut first, n).await.unwrap();
    }
    first.finish(LIMIT).await.unwrap();
    let mut other = publisher(&server.url(), PublishOptions::recording()).await;
    for n in 0..9 {
        push(&mut other, n).await.unwrap();
    }
    let different = line(9).replace("\"9\"", "\"other\"");
    let error = other.push(different.into()).await.unwrap_err();
    assert!(matches!(&error, NatsError::OtherSource { .. }), "{error}");
    let mut shorter = publisher(&server.url(), PublishOptions::recording()).await;
    push(&mut shorter, 0).await.unwrap();
    let error = shorter.finish(LIMIT).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "session a=2Eb in the stream is not this recording: they differ at event 1.90.0; give it another name with --session"
    );
    assert_all_in_order(&stored(&server.url()).await, 10);
}

#[tokio::test]
async fn a_live_session_begins_a_new_epoch() {
    let Some(server) = NatsServer::start("epoch") else { return };
    for _ in 0..2 {
        let mut publisher = publisher(&server.url(), PublishOptions::live()).await;
        for text in ["connecting", "connected", "lost", "connecting", "ended"] {
            publisher.push(format!(r#"{{"event":"{text}","offset":null}}"#).into()).await.unwrap();
        }
        publisher.finish(LIMIT).await.unwrap();
    }
    let positions: Vec<_> = stored(&server.url()).await.iter().map(|event| event.position.to_string()).collect();
    assert_eq!(positions, ["1.0.0", "1.0.1", "1.0.2", "2.0.0", "2.0.1", "3.0.0", "3.0.1", "3.0.2", "4.0.0", "4.0.1"]);
}

#[tokio::test]
async fn an_earlier_publisher_of_a_session_is_fenced_off() {
    let Some(server) = NatsServer::start("fence") else { return };
    let mut first = publisher(&server.url(), PublishOptions::live()).await;
    push(&mut first, 0).await.unwrap();
    while stored(&server.url()).await.is_empty() {}
    let mut second = publisher(&server.url(), PublishOptions::live()).await;
    push(&mut second, 1).await.unwrap();
    second.finish(LIMIT).await.unwrap();
    push(&mut first, 2).await.unwrap();
    let error = tokio::time::timeout(LIMIT, first.wait_for_failure()).await.unwrap();
    assert_eq!(error.to_string(), "another process publishes session a=2Eb: it stored event 0.10.0; this one ends");
    assert_all_in_order(&stored(&server.url()).await, 2);
}

#[tokio::test]
async fn a_later_publisher_continues_after_all_that_an_earlier_one_stored_meanwhile() {
    let Some(server) = NatsServer::start("meanwhile") else { return };
    let connecting = r#"{"event":"connecting","offset":null}"#;
    let mut first = publisher(&server.url(), PublishOptions::live()).await;
    first.push(connecting.into()).await.unwrap();
    while stored(&server.url()).await.is_empty() {}
    let mut second = publisher(&server.url(), PublishOptions::live()).await;
    push(&mut first, 1).await.unwrap();
    while stored(&server.url()).await.len() < 2 {}
    second.push(connecting.into()).await.unwrap();
    second.finish(LIMIT).await.unwrap();
    push(&mut first, 2).await.unwrap();
    let error = tokio::time::timeout(LIMIT, first.wait_for_failure()).await.unwrap();
    assert!(matches!(error, NatsError::Fenced { .. }), "{error}");
    let positions: Vec<_> = stored(&server.url()).await.iter().map(|event| event.position.to_string()).collect();
    assert_eq!(positions, ["1.0.0", "1.10.0", "2.0.0"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_in_one_stream_do_not_disturb_each_other() {
    let Some(server) = NatsServer::start("sessions") else { return };
    let publish = |name: String| {
        let url = server.url();
        async move {
            let stream = EventStream::open_or_create(&StreamOptions::new(url)).await.unwrap();
            let session = SessionName::new(&name).unwrap();
            let mut publisher = Publisher::start(stream, session, PublishOptions::recording()).await.unwrap();
            for n in 0..500 {
                push(&mut publisher, n).await.unwrap();
            }
            publisher.finish(LIMIT).await.unwrap();
        }
    };
    // More than a server accepts batches of at a time.
    let tasks: Vec<_> = (0..60).map(|n| tokio::spawn(publish(format!("s{n}")))).collect();
    for task in tasks {
        task.await.unwrap();
    }
    let events = stored(&server.url()).await;
    assert_eq!(events.len(), 60 * 500);
    for n in 0..60 {
        let name = format!("s{n}");
        let of_session: Vec<_> = events.iter().filter(|event| event.session_token() == name).cloned().collect();
        assert_all_in_order(&of_session, 500);
    }
}

/// Lets a buffer overflow while the link is closed, then opens it.
async fn overflow(server: &NatsServer, policy: WhenUnreachable) -> Vec<StoredEvent> {
    let link = Link::new(server.port);
    let options = PublishOptions::live().buffer_bytes(20_000).when_unreachable(policy);
    let mut publisher = publisher(&link.url(), options).await;
    push(&mut publisher, 0).await.unwrap();
    while stored(&server.url()).await.is_empty() {}
    link.close();
    for n in 1..1_000 {
        push(&mut publisher, n).await.unwrap();
    }
    link.open();
    while !stored(&server.url()).await.iter().any(|event| event.subject.ends_with("dropped") || event.line == line(999))
    {
        tokio::task::yield_now().await;
    }
    push(&mut publisher, 1_000).await.unwrap();
    publisher.finish(LIMIT).await.unwrap();
    stored(&server.url()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn dropped_events_are_reported_by_their_exact_range() {
    let Some(server) = NatsServer::start("drop") else { return };
    let events = overflow(&server, WhenUnreachable::Drop).await;
    let gap = events.iter().position(|event| event.subject == "kibitzer.v1.a=2Eb.life.dropped").unwrap();
    let first = u64::try_from(gap).unwrap();
    assert_all_in_order(&events[..gap], first);
    let report = String::from_utf8(events[gap].line.to_vec()).unwrap();
    let want = format!(
        r#"{{"event":"dropped","offset":null,"t":null,"utc":null,"first":"0.{}.0","last":"0.9990.0","count":{}}}"#,
        first * 10,
        1_000 - first
    );
    assert_eq!(report, want);
    let rest: Vec<_> = events[gap + 1..].iter().map(|event| event.line.clone()).collect();
    assert_eq!(rest, [line(1_000)]);
}

fn spill_path(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}.spill", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

#[tokio::test(flavor = "multi_thread")]
async fn spilled_events_are_stored_later_and_in_order() {
    let Some(server) = NatsServer::start("spill") else { return };
    let path = spill_path("later");
    let policy = WhenUnreachable::spill(path.clone(), 1 << 20);
    assert_all_in_order(&overflow(&server, policy).await, 1_001);
    assert_eq!(std::fs::read_to_string(path).unwrap(), "kibitzer spill v1 a=2Eb\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_spill_file_drops_events_and_reports_them() {
    let Some(server) = NatsServer::start("full") else { return };
    let policy = WhenUnreachable::spill(spill_path("full"), 30_000);
    let events = overflow(&server, policy).await;
    let gap = events.iter().position(|event| event.subject.ends_with("dropped")).unwrap();
    assert_all_in_order(&events[..gap], u64::try_from(gap).unwrap());
    assert!(gap > 300 && events.len() == gap + 2, "{gap} of {}", events.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_later_publisher_stores_what_an_earlier_one_spilled() {
    let Some(server) = NatsServer::start("left") else { return };
    let path = spill_path("left");
    let link = Link::new(server.port);
    let policy = WhenUnreachable::spill(path.clone(), 1 << 20);
    let options = || PublishOptions::live().buffer_bytes(20_000).when_unreachable(policy.clone());
    let mut first = publisher(&link.url(), options()).await;
    link.close();
    for n in 0..500 {
        push(&mut first, n).await.unwrap();
    }
    let stream = EventStream::open(&StreamOptions::new(server.url())).await.unwrap();
    let error = Publisher::start(stream, session(), options()).await.unwrap_err();
    assert!(format!("{error:?}").contains("another publisher uses it"), "{error:?}");
    let error = first.finish(Duration::from_millis(10)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "500 events of session a=2Eb are not stored: the server did not answer within 10ms; the spill file has them"
    );
    // As a crash leaves it.
    let mut left = std::fs::read(&path).unwrap();
    left.extend_from_slice(b"0.5000.0 {\"event\":\"te");
    std::fs::write(&path, left).unwrap();
    let mut second = publisher(&server.url(), options()).await;
    push(&mut second, 500).await.unwrap();
    second.finish(LIMIT).await.unwrap();
    assert_all_in_order(&stored(&server.url()).await, 501);
    std::fs::write(&path, "my notes\n").unwrap();
    let stream = EventStream::open(&StreamOptions::new(server.url())).await.unwrap();
    let error = Publisher::start(stream, session(), options()).await.unwrap_err();
    assert!(matches!(error, NatsError::Spill { .. }), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "my notes\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_publisher_with_a_spill_file_loses_nothing() {
    let Some(server) = NatsServer::start("killed") else { return };
    let path = spill_path("killed");
    let options = PublishOptions::live().when_unreachable(WhenUnreachable::spill(path.clone(), 1 << 20));
    let mut n_pushed = 0;
    for n_before_cut in [0, 3, 50, 700] {
        let link = Link::new(server.port);
        let mut publisher = publisher(&link.url(), options.clone()).await;
        for n in 0..n_before_cut + 40 {
            if n == n_before_cut {
                link.close();
            }
            push(&mut publisher, n_pushed).await.unwrap();
            n_pushed += 1;
        }
        // Dropped without `finish`, as if the process were killed.
    }
    let last = publisher(&server.url(), options).await;
    last.finish(LIMIT).await.unwrap();
    assert_all_in_order(&stored(&server.url()).await, n_pushed);
    assert_eq!(std::fs::read_to_string(path).unwrap(), "kibitzer spill v1 a=2Eb\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn events_that_a_killed_publisher_dropped_are_reported_by_their_exact_range() {
    let Some(server) = NatsServer::start("killed-full") else { return };
    let options = PublishOptions::live().when_unreachable(WhenUnreachable::spill(spill_path("killed-full"), 20_000));
    let link = Link::new(server.port);
    let mut first = publisher(&link.url(), options.clone()).await;
    link.close();
    for n in 0..1_000 {
        push(&mut first, n).await.unwrap();
    }
    drop(first);
    let mut second = publisher(&server.url(), options).await;
    // The file is full until the report is stored.
    while !stored(&server.url()).await.iter().any(|event| event.subject.ends_with("dropped")) {}
    push(&mut second, 1_000).await.unwrap();
    second.finish(LIMIT).await.unwrap();
    let events = stored(&server.url()).await;
    let n_saved = u64::try_from(events.len()).unwrap() - 2;
    assert_all_in_order(&events[..events.len() - 2], n_saved);
    let report = String::from_utf8(events[events.len() - 2].line.to_vec()).unwrap();
    let (first, count) = (n_saved * 10, 1_000 - n_saved);
    let range = format!(r#""first":"0.{first}.0","last":"0.9990.0","count":{count}}}"#);
    assert!(report.starts_with(r#"{"event":"dropped""#) && report.ends_with(&range), "{report}");
    assert_eq!(events[events.len() - 1].line, line(1_000));
}

/// Publishes a live session whose spill file contains events that an earlier publisher left. Returns what the stream then has of it.
async fn publish_with_left(server: &NatsServer, path: &Path, left: &str) -> Vec<String> {
    std::fs::write(path, format!("kibitzer spill v1 a=2Eb\n{left}")).unwrap();
    let policy = WhenUnreachable::spill(path.to_owned(), 1 << 20);
    let options = PublishOptions::live().when_unreachable(policy);
    let mut publisher = publisher(&server.url(), options).await;
    publisher.push(r#"{"event":"connecting","offset":null}"#.into()).await.unwrap();
    publisher.finish(LIMIT).await.unwrap();
    let events = stored(&server.url()).await;
    assert!(events.is_sorted_by(|a, b| a.position < b.position && a.sequence < b.sequence), "{events:?}");
    let text = |event: &StoredEvent| format!("{} {}", event.position, String::from_utf8_lossy(&event.line));
    events.iter().map(text).collect()
}

#[tokio::test]
async fn spilled_events_that_another_machine_has_overtaken_are_reported_by_their_exact_range() {
    let Some(server) = NatsServer::start("overtaken") else { return };
    let connecting = r#"{"event":"connecting","offset":null}"#;
    for lines in [[connecting, r#"{"event":"text","offset":10}"#], [connecting, r#"{"event":"text","offset":15}"#]] {
        let mut publisher = publisher(&server.url(), PublishOptions::live()).await;
        for line in lines {
            publisher.push(line.into()).await.unwrap();
        }
        publisher.finish(LIMIT).await.unwrap();
    }
    let path = spill_path("overtaken");
    let left = [
        "1.10.0 {\"event\":\"text\",\"offset\":10}\n",
        "1.20.0 {\"event\":\"text\",\"offset\":20}\n",
        "2.0.0 {\"event\":\"connecting\",\"offset\":null}\n",
        "2.99.0 {\"event\":\"text\",\"offset\":99}\n",
        "3.0.0 {\"event\":\"connecting\",\"offset\":null}\n",
    ];
    let dropped = r#"{"event":"dropped","offset":null,"t":null,"utc":null,"first":"1.20.0","last":"2.99.0","count":3}"#;
    let want = [
        format!("1.0.0 {connecting}"),
        "1.10.0 {\"event\":\"text\",\"offset\":10}".to_owned(),
        format!("2.0.0 {connecting}"),
        "2.15.0 {\"event\":\"text\",\"offset\":15}".to_owned(),
        format!("2.15.1 {dropped}"),
        format!("3.0.0 {connecting}"),
        format!("4.0.0 {connecting}"),
    ];
    assert_eq!(publish_with_left(&server, &path, &left.concat()).await, want);
    // All of them are stored or reported, so nothing is left.
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "kibitzer spill v1 a=2Eb\n");
}

#[tokio::test]
async fn spilled_events_that_are_stored_already_are_not_reported() {
    let Some(server) = NatsServer::start("spilled") else { return };
    let mut first = publisher(&server.url(), PublishOptions::live()).await;
    for n in 0..1500 {
        push(&mut first, n).await.unwrap();
    }
    first.finish(LIMIT).await.unwrap();
    let position = |n: u64| if n == 0 { "0.0.1".to_owned() } else { format!("0.{}.0", n * 10) };
    let left: Vec<_> = (3..1503).map(|n| format!("{} {}\n", position(n), line(n))).collect();
    let events = publish_with_left(&server, &spill_path("spilled"), &left.concat()).await;
    assert_eq!(events.len(), 1504);
    assert!(events.iter().all(|event| !event.contains("dropped")), "{events:?}");
}

#[tokio::test]
async fn the_end_of_the_stored_events_is_fixed_when_the_reader_is_opened() {
    let Some(server) = NatsServer::start("end") else { return };
    let mut publisher = publisher(&server.url(), PublishOptions::live()).await;
    for n in 0..3 {
        push(&mut publisher, n).await.unwrap();
    }
    while stored(&server.url()).await.len() < 3 {}
    let stream = EventStream::open(&StreamOptions::new(server.url())).await.unwrap();
    let mut reader = StreamReader::open(&stream, &SubjectFilter::default(), ReadFrom::First).await.unwrap();
    for n in 0..3 {
        // The stream grows as fast as it is read.
        push(&mut publisher, n + 3).await.unwrap();
        while stored(&server.url()).await.len() < usize::try_from(n).unwrap() + 4 {}
        let event = tokio::time::timeout(LIMIT, reader.recv_stored()).await.unwrap().unwrap().unwrap();
        assert_eq!(event.line, line(n));
    }
    assert_eq!(tokio::time::timeout(LIMIT, reader.recv_stored()).await.unwrap().unwrap(), None);
    assert!(stream.has_session(&session()).await.unwrap());
    assert!(!stream.has_session(&SessionName::new("b").unwrap()).await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_publisher_that_holds_waits_and_loses_nothing() {
    let Some(server) = NatsServer::start("hold") else { return };
    let link = Link::new(server.port);
    let options = PublishOptions::live().buffer_bytes(20_000).when_unreachable(WhenUnreachable::Hold);
    let mut publisher = publisher(&link.url(), options).await;
    link.close();
    let pushed = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&pushed);
    let pushing = tokio::spawn(async move {
        for n in 0..1_000 {
            push(&mut publisher, n).await.unwrap();
            counter.store(n, Ordering::SeqCst);
        }
        publisher.finish(LIMIT).await.unwrap();
    });
    while pushed.load(Ordering::SeqCst) < 50 {
        tokio::task::yield_now().await;
    }
    assert!(!pushing.is_finished());
    link.open();
    pushing.await.unwrap();
    assert!(pushed.load(Ordering::SeqCst) == 999);
    assert_all_in_order(&stored(&server.url()).await, 1_000);
}

#[tokio::test]
async fn a_message_that_the_server_would_refuse_is_reported_as_dropped() {
    let Some(server) = NatsServer::start("long") else { return };
    let mut publisher = publisher(&server.url(), PublishOptions::recording()).await;
    push(&mut publisher, 0).await.unwrap();
    let long = format!(r#"{{"event":"over_long","offset":10,"text":"{}"}}"#, "x".repeat(1 << 20));
    publisher.push(long.into()).await.unwrap();
    push(&mut publisher, 2).await.unwrap();
    publisher.finish(LIMIT).await.unwrap();
    let lines: Vec<_> = stored(&server.url()).await.into_iter().map(|event| event.line).collect();
    let dropped = r#"{"event":"dropped","offset":null,"t":null,"utc":null,"first":"1.10.0","last":"1.10.0","count":1}"#;
    assert_eq!(lines, [line(0), dropped.to_owned(), line(2)]);
}

#[tokio::test]
async fn a_stream_with_unfit_settings_is_refused() {
    let Some(server) = NatsServer::start("settings") else { return };
    let client = async_nats::connect(server.url()).await.unwrap();
    let context = async_nats::jetstream::new(client);
    let config = |name: &str| async_nats::jetstream::stream::Config {
        name: name.to_owned(),
        subjects: vec!["kibitzer.v1.>".to_owned()],
        ..Default::default()
    };
    let open = async |options: StreamOptions| {
        EventStream::open_or_create(&options).await.map(drop).map_err(|error| error.to_string())
    };
    let options = || StreamOptions::new(server.url());
    assert_eq!(EventStream::open(&options()).await.unwrap_err().to_string().split(':').next(), Some("stream KIBITZER"));
    let mut queue = config("KIBITZER");
    queue.retention = async_nats::jetstream::stream::RetentionPolicy::WorkQueue;
    context.create_stream(queue).await.unwrap();
    assert!(open(options()).await.unwrap_err().contains("events are deleted once they are read"));
    assert!(open(options().name("OTHER")).await.unwrap_err().contains("subjects overlap"));
    context.delete_stream("KIBITZER").await.unwrap();
    context.create_stream(config("KIBITZER")).await.unwrap();
    open(options()).await.unwrap();
    let minute = Some(Duration::from_mins(1));
    assert!(open(options().max_age(minute)).await.unwrap_err().contains("another maximum age"));
    assert!(open(options().max_bytes(Some(7))).await.unwrap_err().contains("another maximum size"));
    assert!(open(options().name("a b")).await.is_err());
}

#[tokio::test]
async fn a_stream_that_is_created_again_is_noticed() {
    let Some(server) = NatsServer::start("deleted") else { return };
    let mut publisher = publisher(&server.url(), PublishOptions::live()).await;
    push(&mut publisher, 0).await.unwrap();
    while stored(&server.url()).await.is_empty() {}
    let context = async_nats::jetstream::new(async_nats::connect(server.url()).await.unwrap());
    context.delete_stream("KIBITZER").await.unwrap();
    EventStream::open_or_create(&StreamOptions::new(server.url())).await.unwrap();
    push(&mut publisher, 1).await.unwrap();
    let error = tokio::time::timeout(LIMIT, publisher.wait_for_failure()).await.unwrap();
    assert!(matches!(error, NatsError::Lost { .. }), "{error}");
}

#[tokio::test]
async fn a_recording_is_stored_again_after_its_events_were_purged() {
    let Some(server) = NatsServer::start("purged") else { return };
    for _ in 0..2 {
        let mut publisher = publisher(&server.url(), PublishOptions::recording()).await;
        for n in 0..3 {
            push(&mut publisher, n).await.unwrap();
        }
        publisher.finish(Duration::from_secs(20)).await.unwrap();
        assert_all_in_order(&stored(&server.url()).await, 3);
        let context = async_nats::jetstream::new(async_nats::connect(server.url()).await.unwrap());
        context.get_stream("KIBITZER").await.unwrap().purge().await.unwrap();
    }
}

#[tokio::test]
async fn a_message_that_the_stream_would_refuse_is_reported_as_dropped() {
    let Some(server) = NatsServer::start("size") else { return };
    let context = async_nats::jetstream::new(async_nats::connect(server.url()).await.unwrap());
    let config = async_nats::jetstream::stream::Config {
        name: "KIBITZER".to_owned(),
        subjects: vec!["kibitzer.v1.>".to_owned()],
        max_message_size: 4096,
        ..Default::default()
    };
    context.create_stream(config).await.unwrap();
    let mut publisher = publisher(&server.url(), PublishOptions::recording()).await;
    let long = format!(r#"{{"event":"text","offset":10,"text":"{}"}}"#, "x".repeat(4000));
    publisher.push(long.into()).await.unwrap();
    push(&mut publisher, 2).await.unwrap();
    publisher.finish(Duration::from_secs(20)).await.unwrap();
    let events = stored(&server.url()).await;
    assert!(events.len() == 2 && events[0].subject.ends_with(".dropped") && events[1].line == line(2), "{events:?}");
}

#[tokio::test]
async fn a_reader_ends_when_the_stream_is_created_again() {
    let Some(mut server) = NatsServer::start("again") else { return };
    let mut first = publisher(&server.url(), PublishOptions::recording()).await;
    let stream = EventStream::open(&StreamOptions::new(server.url())).await.unwrap();
    let mut reader = StreamReader::open(&stream, &SubjectFilter::default(), ReadFrom::First).await.unwrap();
    for n in 0..3 {
        push(&mut first, n).await.unwrap();
        tokio::time::timeout(LIMIT, reader.recv()).await.unwrap().unwrap();
    }
    first.finish(LIMIT).await.unwrap();
    let context = async_nats::jetstream::new(async_nats::connect(server.url()).await.unwrap());
    context.delete_stream("KIBITZER").await.unwrap();
    let mut second = publisher(&server.url(), PublishOptions::recording()).await;
    push(&mut second, 0).await.unwrap();
    second.finish(LIMIT).await.unwrap();
    server.kill();
    server.restart();
    let result = tokio::time::timeout(Duration::from_secs(20), reader.next()).await.unwrap();
    let error = result.unwrap().unwrap_err();
    assert!(error.to_string().contains("created again"), "{error}");
    assert!(reader.next().await.is_none());
}

#[tokio::test]
async fn servers_that_are_old_or_send_garbage_are_refused() {
    let greetings: [(&'static [u8], &str); 5] = [
        (
            b"INFO {\"server_id\":\"x\",\"version\":\"2.10.26\",\"max_payload\":1048576,\"headers\":true}\r\nPONG\r\n",
            "has version 2.10.26",
        ),
        (
            b"INFO {\"server_id\":\"x\",\"version\":\"99999999999999999999.1.1\",\"max_payload\":1}\r\nPONG\r\n",
            "has version 99999999",
        ),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "cannot connect"),
        (b"\0\xff\xfe\r\n\r\n", "cannot connect"),
        (b"INFO {\"server_id\":7}\r\n", "cannot connect"),
    ];
    for (greeting, want) in greetings {
        let url = format!("nats://127.0.0.1:{}", garbage_server(greeting));
        let error = EventStream::open(&StreamOptions::new(url)).await.unwrap_err().to_string();
        assert!(error.contains(want), "{error}");
    }
}

#[tokio::test]
async fn no_error_contains_a_password() {
    for url in [
        "nats://user:s3cret@127.0.0.1:1",
        "nats://s3cret@127.0.0.1:1",
        "http://user:s3cret@127.0.0.1:1",
        "nats://user:s3cret@[::1",
        "user:s3cret@127.0.0.1:99999",
        "nats://user:s3cret@",
        "s3cret://",
    ] {
        let options = StreamOptions::new(url);
        assert!(!format!("{options:?}").contains("s3cret"));
        let error = EventStream::open(&options).await.unwrap_err();
        assert!(!format!("{error} {error:?}").contains("s3cret"), "{error:?}");
    }
}
