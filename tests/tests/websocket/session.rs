//! Sessions at the embedded server.

use std::fs::File;
use std::io::BufReader;
use std::time::Duration;

use kibitzer::transcript::{Direction, TranscriptReader};
use kibitzer::{Client, Profile};
use kibitzer_core::Event;
use kibitzer_core::event::{CloseCause, LostCause, RestoreOutcome};
use kibitzer_core::wire::Timeseal;
use kibitzer_server::{ConnectionTarget, Fault, FaultPoint, Feature, Server, ServerOptions};
use kibitzer_tests::live::{PASSWORD, begin_game, handle, options, play, wait_for};
use kibitzer_websocket::WebSocketListener;
use tokio::task::JoinHandle;

use super::certificates::Certificates;
use super::relay::Relay;

/// The embedded server on a port for WebSocket connections.
pub(crate) struct WebServer {
    pub(crate) server: Server,
    pub(crate) port: u16,
    accepting: JoinHandle<()>,
}

impl WebServer {
    pub(crate) async fn start(options: ServerOptions, mut listener: WebSocketListener) -> Self {
        let server = Server::start(options).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let control = server.control();
        let accepting = tokio::spawn(async move { while control.serve(listener.accept().await).await.is_ok() {} });
        Self { server, port, accepting }
    }

    pub(crate) async fn plain(options: ServerOptions) -> Self {
        Self::start(options, WebSocketListener::bind("127.0.0.1:0".parse().unwrap(), None).await.unwrap()).await
    }

    /// The profile of an account, over WebSocket without TLS.
    pub(crate) fn account(&self, name: &str) -> Profile {
        let profile = Profile::fics().url(&format!("ws://127.0.0.1:{}", self.port)).unwrap();
        let reconnect = kibitzer_core::session::Reconnect::default().base(Duration::from_millis(1));
        profile.session(|session| session.reconnect(reconnect)).account(handle(name), password())
    }

    pub(crate) async fn stop(self) {
        self.accepting.abort();
        self.server.shutdown().await;
    }
}

fn password() -> kibitzer::Password {
    kibitzer::Password::new(PASSWORD).unwrap()
}

#[tokio::test]
async fn a_session_that_is_shut_down_sends_a_close_frame() {
    let server = Server::start(ServerOptions::default()).await.unwrap();
    let mut listener = WebSocketListener::bind("127.0.0.1:0".parse().unwrap(), None).await.unwrap();
    let profile = Profile::fics().guest().url(&format!("ws://{}", listener.local_addr().unwrap())).unwrap();
    let control = server.control();
    let relay = tokio::spawn(async move {
        let (near, far) = tokio::io::duplex(1 << 16);
        control.serve(near).await.unwrap();
        let (mut from_client, mut to_client) = tokio::io::split(listener.accept().await);
        let (mut from_server, mut to_server) = tokio::io::split(far);
        tokio::select! {
            received = tokio::io::copy(&mut from_client, &mut to_server) => received,
            sent = tokio::io::copy(&mut from_server, &mut to_client) => sent,
        }
    });
    let client = Client::connect(profile).await.unwrap();
    client.ready().await.unwrap();
    client.shutdown().await;
    let error = relay.await.unwrap().unwrap_err();
    let cause = error.get_ref().and_then(|inner| inner.downcast_ref());
    assert_eq!(cause, Some(&CloseCause::WebSocketClosed(1000)), "{error:?}");
    server.shutdown().await;
}

#[tokio::test]
async fn bytes_in_messages_of_any_size_are_the_same_session_and_the_same_recording() {
    for size in [1, 7, 4096] {
        let path = std::env::temp_dir().join(format!("kibitzer-websocket-{}-{size}.jsonl", std::process::id()));
        let server = Server::start(options(&["Newton", "Euler"])).await.unwrap();
        let relay = Relay::start(server.control(), size).await;
        let profile = relay.profile().account(handle("Newton"), password()).record_file(&path);
        let client = Client::connect(profile).await.unwrap();
        assert_eq!(client.capabilities().timeseal, Timeseal::V2);
        assert!(client.request("finger Newton").await.unwrap().text().contains("Newton"));
        client.quit().await;
        client.shutdown().await;
        let relayed = relay.finish().await;
        server.shutdown().await;

        // Every message of the client is one sealed line.
        for message in &relayed.received {
            assert_eq!(message.iter().position(|&byte| byte == b'\n'), Some(message.len() - 1), "{message:?}");
        }
        assert!(relayed.received.len() > 5 && relayed.n_texts > 5, "{size}: {relayed:?}");
        let records = TranscriptReader::new(BufReader::new(File::open(&path).unwrap())).map(Result::unwrap);
        let received = records.filter(|record| record.direction == Direction::Received);
        let recorded: Vec<u8> = received.flat_map(|record| record.bytes.clone()).collect();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(String::from_utf8_lossy(&recorded), String::from_utf8_lossy(&relayed.sent), "{size}");
    }
}

#[tokio::test]
async fn a_connection_that_is_cut_is_restored_with_its_observed_game() {
    let server = WebServer::plain(options(&["Newton", "Euler", "Gauss"])).await;
    let newton = Client::connect(server.account("Newton")).await.unwrap();
    let euler = Client::connect(server.account("Euler")).await.unwrap();
    let builder = Client::builder(server.account("Gauss"));
    let mut events = builder.subscribe_lossless(1 << 12);
    let gauss = builder.start().await.unwrap();
    gauss.ready().await.unwrap();
    let game = begin_game(&newton, &euler).await;
    gauss.observe(game).await.unwrap();
    let mut moves = [(&newton, "e4"), (&euler, "e5"), (&newton, "Nf3"), (&euler, "Nc6")].into_iter();
    // A cut is a close frame; a reset is the end of the transport without one, which may discard bytes of the client.
    let reset = CloseCause::Failed(std::io::ErrorKind::ConnectionReset);
    let faults =
        [(Fault::Cut, vec![CloseCause::WebSocketClosed(1000)]), (Fault::Reset, vec![CloseCause::Closed, reset])];
    for (fault, want) in faults {
        let target = ConnectionTarget::Player("Gauss".to_owned());
        server.server.control().inject(target, FaultPoint::NextBoard, fault).await.unwrap();
        for (client, played) in moves.by_ref().take(2) {
            play(client, played).await;
        }
        let cause = wait_for(&mut events, |event| match event {
            Event::Lost(loss) => Some(loss.cause.clone()),
            _ => None,
        });
        let LostCause::Connection(cause) = cause.await else { panic!("{fault:?}") };
        assert!(want.contains(&cause), "{fault:?}: {cause:?}");
        let restored = wait_for(&mut events, |event| match event {
            Event::Restored(restored) => Some(restored.games[0].clone()),
            _ => None,
        });
        let restored = restored.await;
        assert_eq!((restored.now, restored.outcome), (Some(game), RestoreOutcome::advanced(2)), "{fault:?}");
    }
    for client in [&newton, &euler, &gauss] {
        client.shutdown().await;
    }
    server.stop().await;
}

#[tokio::test]
async fn a_server_without_timeseal_is_used_without_it() {
    let server = WebServer::plain(options(&["Newton"]).without(Feature::Timeseal)).await;
    let client = Client::connect(server.account("Newton")).await.unwrap();
    assert_eq!(client.capabilities().timeseal, Timeseal::Off);
    assert!(client.request("finger Newton").await.unwrap().text().contains("Newton"));
    client.quit().await;
    client.shutdown().await;
    server.stop().await;
}

#[tokio::test]
async fn a_session_with_tls_works_with_the_certificate_of_a_private_authority() {
    let certificates = Certificates::new("session");
    let (certificate, key) = certificates.issue("localhost", (2020, 4000));
    let listener = WebSocketListener::bind("127.0.0.1:0".parse().unwrap(), Some((&certificate, &key))).await.unwrap();
    let server = WebServer::start(options(&["Newton"]), listener).await;
    let profile = Profile::fics().url(&format!("wss://localhost:{}", server.port)).unwrap();
    let client = Client::connect(profile.ca_file(certificates.authority())).await.unwrap();
    assert_eq!(client.capabilities().timeseal, Timeseal::V2);
    assert!(client.request("finger Newton").await.unwrap().text().contains("Newton"));
    client.quit().await;
    client.shutdown().await;
    server.stop().await;
}
