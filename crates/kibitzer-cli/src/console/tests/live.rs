//! Live sessions: by hand, and with the embedded server in this process.

use std::io::Write as _;
use std::time::{Duration, Instant};

use kibitzer::{Client, Dial, Observation, Profile, Tap, TapItem};
use kibitzer_core::event::Attribution;
use kibitzer_core::event::{CloseCause, ConnectionLoss, LostCause};
use kibitzer_core::session::SessionState;
use kibitzer_core::{Event, EventReader};
use kibitzer_server::{ConnectionTarget, Fault, FaultPoint, Feature, PopulationOptions, Server, ServerOptions};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tokio::runtime::Handle;

use super::{Shown, text};
use crate::console::app::App;
use crate::console::input::StateDirectory;
use crate::console::model::{ConsoleRow, DelaySamples, RowContent, SentItem, SessionModel, SourceItem, SourceItemKind};
use crate::console::source::{ConsoleSource, LiveSession, SessionFeed};
use crate::console::view::{self, Theme};
use crate::live::LineSender;
use crate::log::{LogOnScreen, LogWriter};

fn take(model: &mut SessionModel, second: u64, kind: SourceItemKind) {
    model.apply_item(SourceItem { at: Duration::from_secs(second), kind });
}

fn event(model: &mut SessionModel, second: u64, event: Event) {
    take(model, second, SourceItemKind::Event { event, snapshot: None, decoding: Duration::ZERO });
}

/// A connection on which the server said this.
fn connection(model: &mut SessionModel, second: u64, said: &[u8]) {
    event(model, second, Event::Connected);
    take(model, second, SourceItemKind::Bytes(said.to_vec()));
    let (mut reader, mut input) = (EventReader::default(), said);
    while let Some(received) = reader.next(&mut input) {
        event(model, second, received);
    }
}

#[test]
fn each_connection_has_positions_of_its_own() {
    let mut model = SessionModel::default();
    connection(&mut model, 1, b"Foo shouts: one\n\r");
    let cause = LostCause::Connection(CloseCause::Silent);
    event(&mut model, 3, Event::Lost(ConnectionLoss::new(cause, Some(Duration::from_secs(1)), Duration::ZERO).into()));
    connection(&mut model, 5, b"Foo shouts: two\n\r");
    let shouts: Vec<_> = model.rows.iter().filter(|row| row.kind_name() == "shout").collect();
    let bytes = |row: &ConsoleRow| model.bytes.get(row.base..row.base + 15).1.collect::<Vec<_>>();
    assert_eq!(shouts.iter().map(|row| row.event().unwrap().offset()).collect::<Vec<_>>(), [Some(0), Some(0)]);
    assert_eq!(shouts.into_iter().map(bytes).collect::<Vec<_>>(), [b"Foo shouts: one", b"Foo shouts: two"]);
    let losses: Vec<_> =
        model.rates.last_seconds(6, Duration::from_secs(5)).iter().map(|second| second.losses).collect();
    assert_eq!(losses, [0, 0, 0, 1, 0, 0]);
}

#[test]
fn a_line_nobody_may_see_is_a_row_without_it() {
    let mut model = SessionModel::default();
    take(
        &mut model,
        0,
        SourceItemKind::Sent(SentItem {
            bytes: Vec::new(),
            text: Vec::new(),
            answers_ping: false,
            is_secret: true,
            attribution: Attribution::default(),
        }),
    );
    let row = model.rows.get(1).unwrap();
    assert_eq!(row.summary_line(), "> (password)");
    assert!(matches!(&row.content, RowContent::Sent(sent) if sent.secret));
}

/// Somebody in front of a console with a session on the embedded server.
pub(super) struct Guest {
    pub(super) app: App,
    pub(super) client: Client,
    pub(super) server: Server,
}

impl Shown for Guest {
    fn app(&self) -> &App {
        &self.app
    }
}

/// The time of tokio's clock, which stands still unless somebody waits.
fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

impl Guest {
    /// # Cancel safety
    ///
    /// None is needed.
    pub(super) async fn log_in() -> Self {
        let server = Server::start(ServerOptions::new().in_process().seed(1)).await.unwrap();
        Self::log_in_at(server, |_, tap| SessionFeed::Own(tap)).await
    }

    /// Logs in at a server where there is some life, and which is some way off; observes two games, and talks.
    ///
    /// # Cancel safety
    ///
    /// None is needed.
    pub(super) async fn among_players() -> Self {
        let options = ServerOptions::new().in_process().seed(7).population(PopulationOptions::new().speed(4.0));
        let server = Server::start(options).await.unwrap();
        let delay = Fault::Delay(Duration::from_millis(18));
        server.control().inject(ConnectionTarget::Next, FaultPoint::Connect, delay).await.unwrap();
        let mut guest = Self::log_in_at(server, |_, tap| SessionFeed::Own(tap)).await;
        for line in ["observe 2", "observe 1", "tell Whetstone hello"] {
            guest.run(line).await;
        }
        guest.wait(Duration::from_secs(10)).await;
        guest
    }

    /// Logs in at a server; `feed` receives the session before the login.
    ///
    /// # Cancel safety
    ///
    /// None is needed.
    pub(super) async fn log_in_at(server: Server, feed: impl FnOnce(&Client, Tap) -> SessionFeed) -> Self {
        let control = server.control();
        let dial = Dial::with(move || {
            let control = control.clone();
            async move { control.connect().await }
        });
        let mut builder = Client::builder(Profile::demo().dial(dial).session(|session| session.seed(7)));
        let tap = builder.tap();
        let client = builder.start().await.unwrap();
        let feed = feed(&client, tap);
        client.ready().await.unwrap();
        let mut live = live_session(&client, feed);
        live.set_embedded_server(&server.control());
        Self { app: App::new(ConsoleSource::Live(Box::new(live)), StateDirectory::default()), client, server }
    }

    pub(super) fn press(&mut self, code: KeyCode) {
        self.app.on_key(KeyEvent::new(code, KeyModifiers::NONE), now());
    }

    pub(super) fn press_control(&mut self, letter: char) {
        self.app.on_key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL), now());
    }

    /// Types a line, and waits until the session has nothing more to do.
    ///
    /// # Cancel safety
    ///
    /// None is needed.
    pub(super) async fn run(&mut self, line: &str) {
        self.keys(line);
        self.press(KeyCode::Enter);
        self.wait(Duration::from_secs(1)).await;
    }

    /// Types characters.
    pub(super) fn keys(&mut self, text: &str) {
        text.chars().for_each(|character| self.press(KeyCode::Char(character)));
    }

    /// Lets time pass, and takes in what comes.
    ///
    /// # Cancel safety
    ///
    /// None is needed.
    pub(super) async fn wait(&mut self, time: Duration) {
        tokio::time::sleep(time).await;
        while self.app.process_item_batch(now()).unwrap() {}
    }

    /// What a screen of this size shows. How long the decoder takes is the machine's to say: here it is the same every time.
    pub(super) fn buffer(&mut self, size: (u16, u16)) -> Buffer {
        self.buffer_in(size, Theme::new(true))
    }

    pub(super) fn buffer_in(&mut self, (width, height): (u16, u16), theme: Theme) -> Buffer {
        let decoding = &mut self.app.model.latency.decoding;
        *decoding = DelaySamples::default();
        decoding.push(Duration::from_micros(3));
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let time = self.app.playback.source.current_time(now());
        terminal.draw(|frame| view::draw(frame, &mut self.app, theme, time)).unwrap();
        terminal.backend().buffer().clone()
    }

    pub(super) fn screen(&mut self) -> String {
        text(&self.buffer((120, 30)))
    }

    /// # Cancel safety
    ///
    /// None is needed.
    pub(super) async fn leave(self) {
        self.client.shutdown().await;
        drop(self.app);
        self.server.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_typed_is_asked_and_answered() {
    let mut guest = Guest::log_in().await;
    guest.run("date").await;
    let sent = guest.rows().find(|row| row.summary_line().contains(" date")).unwrap().summary_line();
    assert!(sent.contains("[reply #"), "{sent}");
    let screen = guest.screen();
    assert!(screen.starts_with("kibitzer live "), "{screen}");
    assert!(screen.contains("the embedded server") && screen.contains("Local time"), "{screen}");
    guest.run("/speed 4").await;
    assert_eq!(guest.notice(), "only a recording can do that; this session is live");
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_sent_yet_stays_on_the_line() {
    let mut guest = Guest::log_in().await;
    let target = ConnectionTarget::Player(guest.client.handle().unwrap().to_string());
    guest.server.control().inject(target, FaultPoint::Now, Fault::Cut).await.unwrap();
    // Until the connection is lost, and not until it is made again.
    while guest.client.state() == SessionState::Ready {
        guest.wait(Duration::from_millis(10)).await;
    }
    guest.keys("date");
    guest.press(KeyCode::Enter);
    let why = "not sent: the session is not ready; Enter tries again";
    assert_eq!(guest.notice(), why);
    guest.client.ready().await.unwrap();
    guest.run("").await;
    assert!(guest.screen().contains("Local time"), "{}", guest.screen());
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn help_takes_nothing_from_a_typed_line() {
    let mut guest = Guest::log_in().await;
    guest.press(KeyCode::F(1));
    guest.run("tell heron hello").await;
    let sent = |guest: &Guest| -> Vec<String> {
        let lines = guest.rows().filter(|row| row.kind_name() == "sent").map(ConsoleRow::summary_line);
        lines.filter(|line| line.contains("tell") || line.contains("nger") || line.contains("who")).collect()
    };
    assert!(matches!(&sent(&guest)[..], [line] if line.contains(" tell heron hello ")), "{:?}", sent(&guest));
    assert!(!guest.screen().contains("─ help lines "));
    // The keys of the list send no end of a line that is typed there.
    guest.press(KeyCode::Esc);
    guest.run("finger heron").await;
    assert_eq!(sent(&guest).len(), 1);
    guest.press(KeyCode::Esc);
    guest.keys("?/fi");
    assert!(guest.screen().contains("─ help lines ") && guest.typed() == "/fi");
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn the_log_page_has_the_newest_lines_at_its_end() {
    let mut guest = Guest::log_in().await;
    guest.press(KeyCode::F(4));
    assert!(guest.screen().contains("The log is off: start the program with --log LEVEL"), "{}", guest.screen());
    crate::log::turn_on(None);
    let screen_log = LogOnScreen::begin();
    let long = "x".repeat(200);
    let log_line = |line: &str| LogWriter { is_json: false }.write_all(line.as_bytes()).unwrap();
    log_line(&format!("the first line {long} its end"));
    for number in 1..=50 {
        log_line(&format!("line {number} \u{1b}[2J"));
    }
    let screen = guest.screen();
    let rows: Vec<_> = screen.lines().collect();
    assert!(rows[1].contains("log") && rows[rows.len() - 3].starts_with(r"line 50 \u{1b}[2J"), "{screen}");
    for _ in 0..20 {
        guest.press(KeyCode::PageUp);
    }
    let screen = guest.screen();
    let rows: Vec<_> = screen.lines().skip(2).map(str::trim_end).collect();
    assert!(rows[0].starts_with("the first line") && rows[1].ends_with("its end"), "{screen}");
    assert!(rows[2].starts_with("line 1 "), "{screen}");
    guest.press(KeyCode::Esc);
    guest.run("/log").await;
    assert!(guest.screen().contains("line 50"), "it starts at its end: {}", guest.screen());
    drop(screen_log);
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn pasted_lines_are_shown_and_sent_one_by_one() {
    let mut guest = Guest::log_in().await;
    guest.app.on_paste("date\r\nuptime\r");
    let screen = guest.screen();
    assert!(screen.contains("2 lines: Enter runs each of them") && screen.contains("\n> date\n> uptime\n"), "{screen}");
    guest.run("").await;
    let rows: Vec<_> = guest.rows().map(ConsoleRow::summary_line).collect();
    assert!(rows.iter().any(|line| line.ends_with(" date") || line.contains(" date  [reply")), "{rows:?}");
    assert!(rows.iter().any(|line| line.contains(" uptime")), "{rows:?}");
    guest.app.on_paste("/nonsense\n/flip\ndate");
    guest.run("").await;
    assert_eq!(guest.typed(), "/flip\ndate", "what follows a failed line is not lost");
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn letters_typed_after_the_end_of_a_session_stay_in_the_input_line() {
    let mut guest = Guest::log_in().await;
    guest.run("quit").await;
    assert_eq!(guest.notice(), "session over: quit");
    guest.run("quick bye").await;
    assert!(!guest.is_over());
    assert!(guest.screen().contains("stream"), "all panes are shown");
    assert_eq!(guest.typed(), "quick bye");
    assert_eq!(guest.notice(), "not sent: the session is over");
    guest.press_control('c');
    let screen = guest.screen();
    assert!(screen.starts_with("kibitzer over: quit "), "{screen}");
    assert!(screen.contains("session over: Esc, then q quits"), "{screen}");
    guest.press(KeyCode::Esc);
    guest.keys("q");
    assert!(guest.is_over());
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn looking_for_something_at_the_newest_line_finds_what_was_there() {
    let mut guest = Guest::log_in().await;
    guest.run("date").await;
    guest.run("uptime").await;
    guest.run("/find kind:sent date").await;
    let found = guest.line();
    assert!(found.contains(" date "), "{found}");
    guest.run("/find kind:desync").await;
    assert_eq!(guest.notice(), "no stored line matches");
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn a_break_stops_the_screen_and_not_the_session() {
    let mut guest = Guest::log_in().await;
    guest.run("/break text:time").await;
    guest.run("date").await;
    let (selected, newest) = (guest.selected(), guest.newest());
    assert!(guest.is_paused() && selected < newest, "{selected} of {newest}");
    guest.run("uptime").await;
    assert_eq!(guest.selected(), selected);
    assert!(guest.newest() > newest);
    assert!(guest.screen().contains("screen paused"));
    // On a line with nothing on it Space is no letter.
    guest.press(KeyCode::Char(' '));
    assert!(!guest.is_paused() && guest.typed().is_empty());
    guest.keys("tell x");
    guest.press(KeyCode::Char(' '));
    assert_eq!((!guest.is_paused(), guest.typed()), (true, "tell x "));
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn observations_that_were_lost_are_a_row() {
    let guest = Guest::log_in().await;
    let missed = TapItem::new(tokio::time::Instant::now(), Observation::Missed(3), None);
    let feed = SessionFeed::Own(Tap::of_ended_session(vec![missed]));
    let live = live_session(&guest.client, feed);
    let mut app = App::new(ConsoleSource::Live(Box::new(live)), StateDirectory::default());
    while app.process_item_batch(now()).unwrap() {}
    let rows: Vec<_> = app.model.rows.iter().map(ConsoleRow::summary_line).collect();
    assert_eq!(rows, ["--- missed: 3 bytes, lines and events, as the screen was blocked ---"]);
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn fences_and_probes_are_listed_only_if_asked_for() {
    for feature in [Some(Feature::BlockMode), None] {
        let options = ServerOptions::new().in_process().seed(1);
        let options = feature.map_or_else(|| options.clone(), |feature| options.clone().without(feature));
        let server = Server::start(options).await.unwrap();
        let mut guest = Guest::log_in_at(server, |_, tap| SessionFeed::Own(tap)).await;
        guest.run("uptime").await;
        let selected = guest.selected();
        guest.wait(Duration::from_secs(20)).await;
        let is_own_line = |row: &&ConsoleRow| {
            let line = row.summary_line();
            row.kind_name() == "sent" && (line.contains("$$date") || line.contains("> zq") || line.contains("> $$zq"))
        };
        let sent: Vec<_> = guest.rows().filter(is_own_line).map(|row| row.number).collect();
        let last = *sent.last().unwrap();
        assert!(last > selected, "a probe was sent after the reply: {sent:?}");
        let reply: Vec<_> = guest.rows().filter(|row| row.number > last).collect();
        assert!(reply.iter().any(|row| row.event().is_some_and(|event| !event.raw().is_empty())), "{reply:?}");
        assert!(reply.iter().all(|row| !guest.app.list.includes(row)), "{reply:?}");
        assert_eq!(guest.selected(), selected);
        let row = |line: &str| guest.rows().find(|row| row.summary_line().contains(line)).unwrap();
        assert!(guest.app.list.includes(row("uptime")) && !guest.app.list.includes(row(&sent_line(&guest, last))));
        let newest = guest.newest();
        guest.press(KeyCode::Esc);
        guest.keys("a");
        assert_eq!(guest.selected(), newest);
        guest.keys("a");
        assert_eq!(guest.selected(), selected);
        guest.run("i/filter kind:sent").await;
        assert_eq!(guest.app.list.listed_at_or_before(last), Some(last), "a filter selects it");
        guest.leave().await;
    }
}

fn sent_line(guest: &Guest, row: u64) -> String {
    guest.app.model.rows.get(row).unwrap().summary_line()
}

/// A session on the embedded server that begins now.
fn live_session(client: &Client, feed: SessionFeed) -> LiveSession {
    let (sender, server) = (Some(LineSender::Own(client.clone())), "the embedded server".to_owned());
    LiveSession::new(feed, sender, server, Handle::current(), tokio::time::Instant::now())
}
