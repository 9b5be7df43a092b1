//! Logins on slow connections: the outcome of each is in `docs/logins.md`.
//!
//! `KIBITZER_BLESS=1 cargo test -p kibitzer-tests logins` writes the page anew.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use kibitzer::{Client, Dial, Profile};
use kibitzer_core::Event;
use kibitzer_core::message::Message;
use kibitzer_core::session::{Password, TimesealChoice};
use kibitzer_core::text::error_chain;
use kibitzer_server::{Feature, ImitatedFamily, ServerControl, ServerOptions};
use kibitzer_tests::blessing;
use kibitzer_tests::live::{PASSWORD, TestServer, drain, handle, options};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, ReadHalf, WriteHalf, duplex, split};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};

const HEAD: &str = "\
# Logins on slow connections

The outcome of each login if the server's answers are late: recorded from a real client on the embedded server, in virtual time, with
the default timeouts. `cargo test -p kibitzer-tests logins` runs every login and compares; with `KIBITZER_BLESS=1` it writes this page.

Each cell stands for seven logins: its answers are late by 0, 1, 2, 3, 5, 8 and 10 s. **Ready** means that all seven succeed, that the handle
is the server's spelling of the name, and that no event reports a refused login. Otherwise the cell has the longest delay with which the
login succeeds, and the error with the next one. With more than one connection the cell has their largest number.

";

const FOOT: &str = "
## Servers

- **FICS-like**: the embedded server as it is. With timeseal: the client tries timeseal 2, 1, and none.
- **FatICS-like**: without names of players as parameters of `accept`.
- **uhlin-like**: without login string, block mode and timeseal; it reads the second of two lines two seconds after the first. With
  timeseal: the client tries it in vain.
- **ICC-like**: ICC's prompts, units and datagrams. An account sends name and password on one line.

## Columns

- **greeting**: everything before the client's first line.
- **before the name**: the answers to the login string, to the levels of ICC, and to the hello of timeseal.
- **name**, **password**: the answer to the name; the answer to the password, or to the empty line of a guest.
- **entering**: the answer to the command that proves the login, and the set-up.
- **every answer**: all of these, as on a connection with a long round trip.
- **every line**: each line of the server comes that much later than the line before. One step of a login has several lines, and its
  settings `greeting_timeout_ms`, `login_step_timeout_ms` and `set_up_timeout_ms` limit the sum.
";

const DELAYS_S: [u64; 7] = [0, 1, 2, 3, 5, 8, 10];

/// Part of the server's output that is late.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LatePart {
    /// Output after this step of the client and before the next one.
    After(Step),
    EveryAnswer,
    EveryLine,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Connected,
    LinesBeforeName,
    Name,
    Password,
    Entering,
}

const COLUMNS: [(&str, LatePart); 7] = [
    ("greeting", LatePart::After(Step::Connected)),
    ("before the name", LatePart::After(Step::LinesBeforeName)),
    ("name", LatePart::After(Step::Name)),
    ("password", LatePart::After(Step::Password)),
    ("entering", LatePart::After(Step::Entering)),
    ("every answer", LatePart::EveryAnswer),
    ("every line", LatePart::EveryLine),
];

#[derive(Clone, Copy)]
struct TestedServer {
    name: &'static str,
    family: ImitatedFamily,
    without: &'static [Feature],
    timeseal: TimesealChoice,
}

const UHLIN: &[Feature] = &[Feature::LoginIvars, Feature::BlockMode, Feature::Timeseal, Feature::Pipelining];

const SERVERS: [TestedServer; 6] = [
    TestedServer { name: "FICS-like", family: ImitatedFamily::Fics, without: &[], timeseal: TimesealChoice::Off },
    TestedServer {
        name: "FICS-like, timeseal",
        family: ImitatedFamily::Fics,
        without: &[],
        timeseal: TimesealChoice::Auto,
    },
    TestedServer {
        name: "FatICS-like",
        family: ImitatedFamily::Fics,
        without: &[Feature::OfferNames],
        timeseal: TimesealChoice::Off,
    },
    TestedServer { name: "uhlin-like", family: ImitatedFamily::Fics, without: UHLIN, timeseal: TimesealChoice::Off },
    TestedServer {
        name: "uhlin-like, timeseal",
        family: ImitatedFamily::Fics,
        without: UHLIN,
        timeseal: TimesealChoice::Auto,
    },
    TestedServer { name: "ICC-like", family: ImitatedFamily::Icc, without: &[], timeseal: TimesealChoice::Off },
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Login {
    Account,
    NamedGuest,
    Guest,
}

#[tokio::test(start_paused = true)]
async fn every_slow_login_ends_as_documented() {
    let mut page = HEAD.to_owned();
    writeln!(page, "| | {} |\n|---{}|", COLUMNS.map(|(name, _)| name).join(" | "), "|---".repeat(COLUMNS.len()))
        .unwrap();
    for server in SERVERS {
        for (name, login) in [("account", Login::Account), ("named guest", Login::NamedGuest), ("guest", Login::Guest)]
        {
            let mut cells = Vec::new();
            for (_, late) in COLUMNS {
                cells.push(outcome_of_all_delays(server, login, late).await);
            }
            writeln!(page, "| **{}**, {name} | {} |", server.name, cells.join(" | ")).unwrap();
        }
    }
    page += FOOT;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/logins.md");
    if blessing() {
        std::fs::write(&path, &page).unwrap();
    }
    let kept = std::fs::read_to_string(path).unwrap();
    for (kept, observed) in kept.lines().zip(page.lines()) {
        assert_eq!(observed, kept, "run with KIBITZER_BLESS=1 if that is right");
    }
    assert_eq!(page, kept);
}

/// Returns the cell of a table: the outcome of the login with each delay.
async fn outcome_of_all_delays(server: TestedServer, login: Login, late: LatePart) -> String {
    let mut longest_s = None;
    let mut most_connections = 1;
    for delay_s in DELAYS_S {
        match outcome(server, login, late, Duration::from_secs(delay_s)).await {
            Ok(n_connections) => most_connections = most_connections.max(n_connections),
            Err(error) => return format!("to {} s; then {error}", longest_s.unwrap()),
        }
        longest_s = Some(delay_s);
    }
    if most_connections == 1 { "ready".to_owned() } else { format!("ready, {most_connections} connections") }
}

/// Logs in, and returns the number of connections, or the error.
async fn outcome(server: TestedServer, login: Login, late: LatePart, delay: Duration) -> Result<usize, String> {
    let test_server = TestServer::start(server.options()).await;
    let slow = SlowConnection { server, login, late, delay };
    let profile = slow.profile(test_server.server().control());
    let builder = Client::builder(profile);
    let mut events = builder.subscribe_lossless(1 << 14);
    let client = builder.start().await.unwrap();
    let ready = client.ready().await;
    let spelled = client.handle();
    client.shutdown().await;
    let (events, _) = drain(&mut events);
    ready.map_err(|reason| error_chain(&reason))?;
    match login {
        Login::Account => assert_eq!(spelled.unwrap().as_str(), "Newton"),
        Login::NamedGuest => assert_eq!(spelled.unwrap().as_str(), "hooke"),
        Login::Guest => assert!(spelled.unwrap().as_str().to_ascii_lowercase().starts_with("guest")),
    }
    assert!(!events.iter().any(|event| matches!(event.message(), Some(Message::LoginRefused(_)))), "{events:#?}");
    Ok(events.iter().filter(|event| matches!(event, Event::Connected)).count())
}

impl TestedServer {
    fn options(self) -> ServerOptions {
        let options = options(&["Newton"]).family(self.family).login_timeout(Duration::from_hours(1));
        self.without.iter().fold(options, |options, &feature| options.without(feature))
    }
}

/// A client whose connections pass the server's output on later.
#[derive(Clone, Copy)]
struct SlowConnection {
    server: TestedServer,
    login: Login,
    late: LatePart,
    delay: Duration,
}

impl SlowConnection {
    fn profile(self, control: ServerControl) -> Profile {
        let dial = Dial::with(move || {
            let control = control.clone();
            async move {
                let (near, far) = duplex(1 << 16);
                self.spawn_relay(control.connect().await?, far);
                Ok(near)
            }
        });
        let profile = Profile::new("server.example").dial(dial);
        let profile = profile.session(|session| session.seed(7).timeseal(self.server.timeseal));
        match self.login {
            Login::Account => profile.account(handle("nEWTON"), Password::new(PASSWORD).unwrap()),
            Login::NamedGuest => profile.guest_as(handle("hooke")),
            Login::Guest => profile,
        }
    }

    /// Spawns the tasks that pass bytes on; they end with the connection.
    fn spawn_relay(self, server: DuplexStream, client: DuplexStream) {
        let (from_server, to_server) = split(server);
        let (from_client, to_client) = split(client);
        let (count, n_lines) = watch::channel(0);
        let (queue, queued) = mpsc::unbounded_channel();
        tokio::spawn(pass_lines_on(from_client, to_server, count));
        tokio::spawn(self.queue_output(from_server, n_lines, queue));
        tokio::spawn(pass_on_in_time(queued, to_client));
    }

    async fn queue_output(
        self,
        mut from_server: ReadHalf<DuplexStream>,
        n_lines: watch::Receiver<usize>,
        queue: mpsc::UnboundedSender<(Instant, Vec<u8>)>,
    ) {
        let mut bytes = [0; 1 << 14];
        let mut due = Instant::now();
        while let Ok(n_read @ 1..) = from_server.read(&mut bytes).await {
            let is_late = match self.late {
                LatePart::After(step) => self.step_after(*n_lines.borrow()) == step,
                LatePart::EveryAnswer | LatePart::EveryLine => true,
            };
            let delay = if is_late { self.delay } else { Duration::ZERO };
            due = due.max(Instant::now() + delay);
            for (number, line) in bytes[..n_read].split_inclusive(|&byte| byte == b'\n').enumerate() {
                if self.late == LatePart::EveryLine && number > 0 {
                    due += delay;
                }
                if queue.send((due, line.to_vec())).is_err() {
                    return;
                }
            }
        }
    }

    /// Returns the last step of a client that has sent this number of lines.
    fn step_after(&self, n_lines: usize) -> Step {
        let n_hello = usize::from(self.server.timeseal != TimesealChoice::Off);
        let n_before_name = n_hello + if self.server.family == ImitatedFamily::Icc { 2 } else { 1 };
        let has_password_with_name = self.server.family == ImitatedFamily::Icc && self.login == Login::Account;
        match n_lines.checked_sub(n_before_name) {
            _ if n_lines == 0 => Step::Connected,
            None | Some(0) => Step::LinesBeforeName,
            Some(1) if !has_password_with_name => Step::Name,
            Some(1 | 2) if has_password_with_name == (n_lines == n_before_name + 1) => Step::Password,
            Some(_) => Step::Entering,
        }
    }
}

/// Passes the client's lines on, and counts them.
async fn pass_lines_on(
    mut from_client: ReadHalf<DuplexStream>,
    mut to_server: WriteHalf<DuplexStream>,
    count: watch::Sender<usize>,
) {
    let mut bytes = [0; 1 << 10];
    while let Ok(n_read @ 1..) = from_client.read(&mut bytes).await {
        count.send_modify(|n_lines| *n_lines += bytes[..n_read].split(|&byte| byte == b'\n').count() - 1);
        if to_server.write_all(&bytes[..n_read]).await.is_err() {
            break;
        }
    }
    let _ = to_server.shutdown().await;
}

async fn pass_on_in_time(
    mut queued: mpsc::UnboundedReceiver<(Instant, Vec<u8>)>,
    mut to_client: WriteHalf<DuplexStream>,
) {
    while let Some((due, bytes)) = queued.recv().await {
        sleep_until(due).await;
        if to_client.write_all(&bytes).await.is_err() {
            return;
        }
    }
    let _ = to_client.shutdown().await;
}
