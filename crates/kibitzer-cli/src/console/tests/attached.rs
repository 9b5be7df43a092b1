//! Sessions of other processes; here, of the same one, over a real socket.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use kibitzer::{Client, Dial, Profile};
use kibitzer_attach::{AttachAccess, AttachedSession, Listener};
use kibitzer_core::Event;
use kibitzer_core::message::GameId;
use kibitzer_server::{ConnectionTarget, Fault, FaultPoint, PopulationOptions, Server, ServerOptions};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::export::decoded;
use super::text;
use crate::console::AttachedOutcome;
use crate::console::app::App;
use crate::console::input::StateDirectory;
use crate::console::source::{ConsoleSource, LiveSession, SessionFeed, fill_feed};
use crate::console::view::{self, Theme};
use crate::live::LineSender;

/// Many times what anything here takes.
const FINAL_FLUSH_TIMEOUT: Duration = Duration::from_secs(30);

/// A bot that observes a game, and exposes its session.
struct Bot {
    client: Client,
    server: Server,
    folder: PathBuf,
}

impl Bot {
    /// # Cancel safety
    ///
    /// None is needed.
    async fn start(access: AttachAccess) -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("kibitzer-console-attach-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        // Too slow to move while anybody looks.
        let population = PopulationOptions::new().speed(0.01);
        let server = Server::start(ServerOptions::new().in_process().seed(7).population(population)).await.unwrap();
        let control = server.control();
        let dial = Dial::with(move || {
            let control = control.clone();
            async move { control.connect().await }
        });
        let client = Client::connect(Profile::demo().dial(dial).session(|session| session.seed(7))).await.unwrap();
        Listener::bind(&folder.join("s")).await.unwrap().expose(&client, access).unwrap();
        client.request("observe 1").await.unwrap();
        Self { client, server, folder }
    }

    /// # Cancel safety
    ///
    /// None is needed.
    async fn stop(self) {
        self.client.shutdown().await;
        self.server.shutdown().await;
        std::fs::remove_dir_all(self.folder).unwrap();
    }
}

/// Somebody in front of a console that is attached to it.
struct TestConsole {
    app: App,
    reading: JoinHandle<AttachedOutcome>,
}

impl TestConsole {
    /// # Cancel safety
    ///
    /// None is needed.
    async fn attach(bot: &Bot, access: AttachAccess) -> Self {
        let session = AttachedSession::connect(bot.folder.join("s")).await.unwrap();
        let server = "the test's server".to_owned();
        let (feed, events) = SessionFeed::new_attached();
        let requests = access.may_send().then(|| LineSender::Attached(session.requests()));
        let live = LiveSession::new(feed, requests, server, Handle::current(), session.began());
        let app = App::new(ConsoleSource::Live(Box::new(live)), StateDirectory::default());
        Self { app, reading: tokio::spawn(fill_feed(session, events)) }
    }

    fn type_line(&mut self, line: &str) {
        for code in line.chars().map(KeyCode::Char).chain([KeyCode::Enter]) {
            self.press(code, KeyModifiers::NONE);
        }
    }

    fn press(&mut self, code: KeyCode, modifiers: KeyModifiers) {
        self.app.on_key(KeyEvent::new(code, modifiers), Instant::now());
    }

    fn screen(&mut self) -> String {
        let mut terminal = Terminal::new(TestBackend::new(120, 30)).unwrap();
        let time = self.app.playback.source.current_time(Instant::now());
        terminal.draw(|frame| view::draw(frame, &mut self.app, Theme::new(true), time)).unwrap();
        text(terminal.backend().buffer())
    }

    /// Waits until the screen shows this.
    ///
    /// # Cancel safety
    ///
    /// None is needed.
    async fn sees(&mut self, wanted: &str) -> String {
        let looking = async {
            loop {
                while self.app.process_item_batch(Instant::now()).unwrap() {}
                let screen = self.screen();
                if screen.contains(wanted) {
                    return screen;
                }
                tokio::task::yield_now().await;
            }
        };
        timeout(FINAL_FLUSH_TIMEOUT, looking).await.unwrap_or_else(|_| panic!("no {wanted}"))
    }
}

#[tokio::test]
async fn who_attaches_sees_the_board_at_once_and_may_only_look() {
    let bot = Bot::start(AttachAccess::Write).await;
    let mut watcher = TestConsole::attach(&bot, AttachAccess::Read).await;
    let screen = watcher.sees("--- attached; 1 game goes on ---").await;
    let name = bot.client.handle().unwrap();
    assert!(screen.starts_with("kibitzer live "), "{screen}");
    assert!(screen.contains(&format!("{name} at the test's server, attached to look")), "{screen}");
    assert!(!screen.contains("type to the server"), "{screen}");
    let game = bot.client.hub().subscribe_with_games().await.unwrap().games.remove(0);
    let (white, black) = (&game.position().white(), &game.position().black());
    assert!(
        screen.contains("game 1") && screen.contains(white.as_str()) && screen.contains(black.as_str()),
        "{screen}"
    );
    watcher.type_line("resign");
    watcher.sees("not sent: attached to look; with --write lines are sent").await;
    watcher.press(KeyCode::Char('u'), KeyModifiers::CONTROL);
    watcher.type_line("/record file.jsonl");
    watcher.sees("an attached session can be recorded by its own process only").await;
    bot.client.request("finger").await.unwrap();
    watcher.sees(" finger ").await;
    bot.stop().await;
    watcher.sees("kibitzer over").await;
    watcher.type_line("date");
    watcher.sees("not sent: the session is over").await;
    assert!(watcher.reading.await.unwrap().unwrap().is_some());
}

#[tokio::test]
async fn what_a_watcher_sends_is_shown_with_its_reply() {
    let bot = Bot::start(AttachAccess::Write).await;
    let mut watcher = TestConsole::attach(&bot, AttachAccess::Write).await;
    watcher.sees("attached;").await;
    watcher.type_line("date");
    let screen = watcher.sees(" date ").await;
    assert!(screen.contains("the test's server, attached") && !screen.contains("to look"), "{screen}");
    watcher.sees("[reply #").await;
    watcher.type_line(&"x".repeat(1500));
    watcher.sees("not sent: line of 1500 bytes is longer than").await;
    bot.stop().await;
}

#[tokio::test]
async fn an_exported_recording_starts_with_the_games_of_the_snapshot() {
    let bot = Bot::start(AttachAccess::Read).await;
    let mut watcher = TestConsole::attach(&bot, AttachAccess::Read).await;
    watcher.sees("attached; 1 game goes on").await;
    bot.client.request("finger").await.unwrap();
    watcher.sees(" finger ").await;
    assert!(watcher.app.model.rows.iter().filter_map(|row| row.event()).all(|event| event.board().is_none()));
    let file = bot.folder.join("exported.jsonl");
    watcher.type_line(&format!("/export recording {}", file.display()));
    let events = decoded(&std::fs::read_to_string(file).unwrap());
    let game = bot.client.hub().subscribe_with_games().await.unwrap().games.remove(0);
    let board = events.iter().filter_map(Event::board).next_back().unwrap().fen().to_string();
    assert_eq!(board, game.position().fen().to_string());
    bot.stop().await;
}

#[tokio::test]
async fn who_may_only_look_keeps_the_view_when_the_user_observes_and_sees_a_new_handle() {
    let bot = Bot::start(AttachAccess::Read).await;
    let mut watcher = TestConsole::attach(&bot, AttachAccess::Read).await;
    watcher.sees("attached; 1 game goes on").await;
    assert_eq!(watcher.app.shown_game(), Some(GameId(1)));
    bot.client.request("observe 2").await.unwrap();
    bot.client.request("finger").await.unwrap();
    watcher.sees(" finger ").await;
    assert!(watcher.app.model.games.contains_key(&GameId(2)));
    assert_eq!(watcher.app.shown_game(), Some(GameId(1)));
    let before = bot.client.handle().unwrap();
    bot.server
        .control()
        .inject(ConnectionTarget::Player(before.to_string()), FaultPoint::Now, Fault::Cut)
        .await
        .unwrap();
    watcher.sees(&format!(", before {before} ---")).await;
    bot.stop().await;
}
