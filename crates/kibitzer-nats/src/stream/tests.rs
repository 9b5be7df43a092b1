use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;

use super::*;

#[tokio::test]
async fn another_server_of_the_cluster_that_is_too_old_is_not_used() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("nats://{}", listener.local_addr().unwrap());
    let greet = async |version: &str| {
        let (mut server, _) = listener.accept().await.unwrap();
        let greeting = format!("INFO {{\"version\":\"{version}\",\"max_payload\":1,\"headers\":true}}\r\nPONG\r\n");
        server.write_all(greeting.as_bytes()).await.unwrap();
        server
    };
    let (connection, server) = tokio::join!(Connection::open(&url), greet("2.12.0"));
    let connection = connection.unwrap();
    assert!(connection.has_batches());
    assert_eq!(connection.wait_for_answer(std::future::ready(7)).await.unwrap(), 7);
    let mut lost = connection.subscribe_losses();
    drop(server);
    lost.changed().await.unwrap();
    let _server = greet("2.10.26").await;
    let reason = loop {
        match connection.wait_for_answer(std::future::ready(7)).await {
            Err(StreamFailure::NotConnected) => tokio::task::yield_now().await,
            answer => break answer.unwrap_err(),
        }
    };
    assert!(matches!(&reason, StreamFailure::TooOld(version) if version == "2.10.26"), "{reason}");
    assert!(!connection.has_batches());
}

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
