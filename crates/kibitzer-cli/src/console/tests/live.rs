//! Live sessions: by hand, and with the embedded server in this process.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kibitzer::core::session::{CloseCause, LostCause};
use kibitzer::core::{Event, EventReader};
use kibitzer::{Client, Dial, Profile};
use kibitzer_server::{Server, ServerOptions};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tokio::runtime::Handle;

use super::text;
use crate::console::app::{App, Notice};
use crate::console::item::{Item, What};
use crate::console::live::Live;
use crate::console::model::Model;
use crate::console::row::{Body, Row};
use crate::console::source::Source;
use crate::console::view::{self, Theme};

fn take(model: &mut Model, second: u64, what: What) {
    model.take(Item { at: Duration::from_secs(second), what });
}

fn event(model: &mut Model, second: u64, event: Event) {
    take(model, second, What::Event { event: Arc::new(event), card: None, decoding: Duration::ZERO });
}

/// A connection on which the server said this.
fn connection(model: &mut Model, second: u64, said: &[u8]) {
    event(model, second, Event::Connected);
    take(model, second, What::Bytes(said.to_vec()));
    let (mut reader, mut input) = (EventReader::default(), said);
    while let Some(received) = reader.next(&mut input) {
        event(model, second, received);
    }
}

#[test]
fn each_connection_has_positions_of_its_own() {
    let mut model = Model::default();
    connection(&mut model, 1, b"Foo shouts: one\n\r");
    let cause = LostCause::Connection(CloseCause::Silent);
    event(&mut model, 3, Event::Lost { cause, retry_in: Some(Duration::from_secs(1)) });
    connection(&mut model, 5, b"Foo shouts: two\n\r");
    let shouts: Vec<_> = model.rows.iter().filter(|row| row.kind() == "shout").collect();
    let bytes = |row: &Row| model.bytes.get(row.base..row.base + 15).1.collect::<Vec<_>>();
    assert_eq!(shouts.iter().map(|row| row.event().unwrap().offset()).collect::<Vec<_>>(), [0, 0]);
    assert_eq!(shouts.into_iter().map(bytes).collect::<Vec<_>>(), [b"Foo shouts: one", b"Foo shouts: two"]);
    let losses: Vec<_> = model.rates.last(6, Duration::from_secs(5)).iter().map(|second| second.losses).collect();
    assert_eq!(losses, [0, 0, 0, 1, 0, 0]);
}

#[test]
fn a_line_nobody_may_see_is_a_row_without_it() {
    let mut model = Model::default();
    take(&mut model, 0, What::Sent { bytes: Vec::new(), text: Vec::new(), answers_ping: false, is_secret: true });
    let row = model.rows.get(1).unwrap();
    assert_eq!(row.line(), "> ********");
    assert!(matches!(&row.body, Body::Sent(sent) if sent.secret));
}

/// Somebody in front of a console with a session on the embedded server.
struct Guest {
    app: App,
    client: Client,
    server: Server,
}

impl Guest {
    /// # Cancel safety
    ///
    /// None is needed.
    async fn log_in() -> Self {
        let server = Server::start(ServerOptions::new().detached().seed(1)).await.unwrap();
        let connector = server.connector();
        let dial = Dial::with(move || {
            let connector = connector.clone();
            async move { connector.connect().await }
        });
        let (client, tap) = Client::start_tapped(Profile::demo().dial(dial).seed(7)).await.unwrap();
        client.ready().await.unwrap();
        let live = Live::new(client.clone(), tap, "the test's server".to_owned(), Handle::current());
        Self { app: App::new(Source::Live(Box::new(live)), None), client, server }
    }

    fn press(&mut self, code: KeyCode) {
        self.app.key(KeyEvent::new(code, KeyModifiers::NONE), Instant::now()).unwrap();
    }

    /// Types a line, and waits until the session has nothing more to do.
    ///
    /// # Cancel safety
    ///
    /// None is needed.
    async fn run(&mut self, line: &str) {
        self.press(KeyCode::Enter);
        line.chars().for_each(|character| self.press(KeyCode::Char(character)));
        self.press(KeyCode::Enter);
        tokio::time::sleep(Duration::from_secs(1)).await;
        while self.app.pump(Instant::now()).unwrap() {}
    }

    fn screen(&mut self) -> String {
        let mut terminal = Terminal::new(TestBackend::new(120, 30)).unwrap();
        terminal.draw(|frame| view::draw(frame, &mut self.app, Theme::new(true), Duration::ZERO)).unwrap();
        text(terminal.backend().buffer())
    }

    /// # Cancel safety
    ///
    /// None is needed.
    async fn leave(self) {
        self.client.shutdown().await;
        drop(self.app);
        self.server.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_typed_is_asked_and_answered() {
    let mut guest = Guest::log_in().await;
    guest.run("date").await;
    let sent = guest.app.model.rows.iter().find(|row| row.line().contains(" date")).unwrap().line();
    assert!(sent.contains("[reply #"), "{sent}");
    let screen = guest.screen();
    assert!(screen.starts_with("kibitzer live "), "{screen}");
    assert!(screen.contains("the test's server") && screen.contains("Local time"), "{screen}");
    guest.run("/speed 4").await;
    assert_eq!(guest.app.notice, Some(Notice::Wrong("only a recording can do that; this session is live".to_owned())));
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn a_break_stops_the_screen_and_not_the_session() {
    let mut guest = Guest::log_in().await;
    guest.run("/break text:time").await;
    guest.run("date").await;
    let (selected, newest) = (guest.app.list.selected().unwrap(), guest.app.model.rows.newest());
    assert!(!guest.app.list.follows() && selected < newest, "{selected} of {newest}");
    guest.run("uptime").await;
    assert_eq!(guest.app.list.selected(), Some(selected));
    assert!(guest.app.model.rows.newest() > newest);
    assert!(guest.screen().contains("screen paused"));
    guest.press(KeyCode::Char(' '));
    assert!(guest.app.list.follows());
    guest.leave().await;
}
