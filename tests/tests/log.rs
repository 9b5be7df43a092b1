//! The log of a session at level TRACE: its spans, and that it has no secret.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kibitzer::{Client, ConnectError};
use kibitzer_bot::{Bot, BotAction, BotConfig, BotEvent, EngineConfig, ScriptedEngine, Stop};
use kibitzer_core::Event;
use kibitzer_core::hub::Subscription;
use kibitzer_core::session::{Password, TimesealChoice};
use kibitzer_server::{ConnectionTarget, Fault, FaultPoint, ImitatedFamily};
use kibitzer_tests::live::{TestServer, handle, options, wait_for};
use tokio::time::{sleep, timeout};
use tracing::subscriber::DefaultGuard;

/// Everything that was logged, as text.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Collects all that this thread logs until the guard is dropped.
    fn begin() -> (Self, DefaultGuard) {
        let log = Self::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_ansi(false)
            .without_time()
            .with_writer(move || writer.clone())
            .finish();
        (log, tracing::subscriber::set_default(subscriber))
    }

    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Breaks the connection of a player, and waits until the session is restored.
async fn reconnect(test_server: &TestServer, name: &str, events: &mut Subscription) {
    let target = ConnectionTarget::Player(name.to_owned());
    test_server.server().control().inject(target, FaultPoint::Now, Fault::Reset).await.unwrap();
    wait_for(events, |event| matches!(event, Event::Restored(_)).then_some(())).await;
}

#[tokio::test(start_paused = true)]
async fn every_line_has_the_spans_it_belongs_to() {
    let (log, _guard) = Log::begin();
    let test_server = TestServer::start(options(&["Newton"])).await;
    let client = test_server.player("Newton").await;
    let mut events = client.subscribe();
    client.request("finger Newton").await.unwrap();
    client.request("nonsense").await.unwrap_err();
    reconnect(&test_server, "Newton", &mut events).await;
    client.shutdown().await;
    let log = log.text();
    let session = "session{server=\"server.example\" handle=\"Newton\"}:connection{attempt=1}";
    for want in [
        "session{server=\"server.example\"}:connection{attempt=1}:login: kibitzer::task::log: connected\n".to_owned(),
        format!("{session}:login: kibitzer::task::log: logged in\n"),
        format!("{session}:request{{command=\"finger\" id=9}}: kibitzer::task::log: sent bytes="),
        format!(
            "{session}:request{{command=\"finger\" id=9}}: kibitzer::task::log: request completed outcome=\"answered\" elapsed_ms="
        ),
        "request completed outcome=\"refused\"".to_owned(),
        format!("{session}: kibitzer::task::log: session lost cause=server closed the connection"),
        format!("{session}:restore: kibitzer::task::log: session restored offline_for="),
        format!("{session}: kibitzer::task::log: session over reason=\"shutdown\""),
    ] {
        assert!(log.contains(&want), "{want} is missing in:\n{log}");
    }
    let after_login = log.lines().skip_while(|line| !line.ends_with("logged in"));
    for line in after_login {
        assert!(line.contains(session), "{line}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_guest_with_a_new_name_after_each_reconnect_has_one_handle_in_each_span() {
    let (log, _guard) = Log::begin();
    let test_server = TestServer::start(options(&[])).await;
    let client = Client::connect(test_server.profile()).await.unwrap();
    let mut events = client.subscribe();
    let first = client.handle().unwrap();
    for _ in 0..3 {
        let name = client.handle().unwrap();
        reconnect(&test_server, name.as_str(), &mut events).await;
        assert_ne!(client.handle().unwrap(), name);
    }
    let last = client.handle().unwrap();
    client.shutdown().await;
    let log = log.text();
    assert!(log.lines().all(|line| line.matches("handle=").count() <= 2), "{log}");
    let session = format!("session{{server=\"server.example\" handle=\"{first}\"}}");
    let spans = format!("{session}:connection{{attempt=3 handle=\"{last}\"}}");
    assert!(log.contains(&format!("{spans}:restore: kibitzer::task::log: session restored")), "{log}");
}

#[tokio::test(start_paused = true)]
async fn the_actions_of_a_bot_are_logged_with_plain_names() {
    let (log, _guard) = Log::begin();
    let test_server = TestServer::start(options(&["Newton"])).await;
    let client = test_server.player("Newton").await;
    let stop = Stop::new();
    let on_started = stop.clone();
    let bot = Bot::new(BotConfig::new(test_server.profile(), EngineConfig::new(["none"])))
        .engine(|| async { Ok(ScriptedEngine::with_moves(["e2e4"])) })
        .on_event(move |event| {
            if matches!(event, BotEvent::Acted { action: BotAction::StartedEngine, .. }) {
                on_started.force();
            }
        });
    bot.run_with(client, stop).await.unwrap();
    let log = log.text();
    assert!(log.contains("bot acted account=Newton action=StartedEngine reason=\"ScriptedEngine\""), "{log}");
}

#[tokio::test(start_paused = true)]
async fn a_pause_in_reading_is_logged_once_after_a_second() {
    let (log, _guard) = Log::begin();
    let test_server = TestServer::start(options(&["Newton"])).await;
    let client = test_server.player("Newton").await;
    let mut events = client.subscribe_lossless(1);
    let asking = tokio::spawn({
        let client = client.clone();
        async move { client.request("finger Newton").await }
    });
    let warning = "full=a lossless subscription";
    sleep(Duration::from_millis(900)).await;
    assert!(!log.text().contains(warning));
    sleep(Duration::from_secs(20)).await;
    assert_eq!(log.text().matches(warning).count(), 1);
    while !asking.is_finished() {
        let _ = timeout(Duration::from_secs(1), events.next()).await;
    }
    asking.await.unwrap().unwrap();
    client.shutdown().await;
}

/// Passwords that are sent, in the order of the commands.
const SECRETS: [&str; 12] = [
    "swordfish",
    "wrongfish",
    "troutling",
    "herringbone",
    "perchance",
    "salmonella",
    "mackerelish",
    "tunafishy",
    "halibutted",
    "sturgeonish",
    "anchovied",
    "codpieces",
];

#[tokio::test(start_paused = true)]
async fn no_secret_is_logged_at_any_level() {
    for (family, timeseal) in [
        (ImitatedFamily::Fics, TimesealChoice::Off),
        (ImitatedFamily::Fics, TimesealChoice::V2),
        (ImitatedFamily::Icc, TimesealChoice::Off),
    ] {
        let (log, _guard) = Log::begin();
        let test_server = TestServer::start(options(&["Newton"]).family(family)).await;
        let wrong = Password::new("wrongfish").unwrap();
        let refused = Client::connect(test_server.profile().account(handle("Newton"), wrong)).await.unwrap_err();
        assert!(matches!(refused, ConnectError::Login(_)), "{refused:?}");
        let client =
            Client::connect(test_server.account("Newton").session(|session| session.timeseal(timeseal))).await.unwrap();
        let mut events = client.subscribe();
        for line in [
            "password swordfish troutling",
            "$PASSW troutling herringbone",
            "/set password perchance",
            "alias pw password",
            "pw herringbone salmonella",
            "asetpasswd Newton mackerelish",
            "register Foo tunafishy",
            "multi finger; password salmonella halibutted",
            ";finger;password halibutted sturgeonish",
            "asetv Newton password anchovied",
            "login Newton codpieces",
            "tell Newton a word of a password",
        ] {
            // Refused or not: the server repeats words of a line that it does not know.
            let _ = client.request(line).await;
        }
        reconnect(&test_server, "Newton", &mut events).await;
        client.shutdown().await;
        let text = log.text();
        assert!(text.contains("a word of a password") && text.contains("session restored"), "{text}");
        assert!(text.matches("request completed").count() >= 12, "{text}");
        assert!(
            family == ImitatedFamily::Icc || text.contains("* ***") || text.contains("****"),
            "echoes are masked: {text}"
        );
        // Received bytes are cut anywhere: search them without the parts of the log between them, too.
        let received = text.lines().filter_map(|line| line.split_once("received bytes=")).map(|(_, bytes)| bytes);
        let received: String = received.collect();
        for secret in SECRETS {
            for shown in [&text, &received] {
                assert!(!shown.to_lowercase().contains(secret), "{secret} ({family:?}, {timeseal:?}): {shown}");
            }
        }
    }
}
