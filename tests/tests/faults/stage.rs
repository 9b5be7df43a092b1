//! One cell: a server, a client in that phase, something that goes wrong, and a look at what came of it.

use std::num::NonZeroU32;
use std::time::Duration;

use kibitzer::{Client, Profile};
use kibitzer_core::Event;
use kibitzer_core::event::RequestError;
use kibitzer_core::hub::{GameWatch, Subscription};
use kibitzer_core::message::GameId;
use kibitzer_core::session::{Reconnect, Reply, SessionState, Timings};
use kibitzer_server::{ConnectionTarget, Fault, FaultPoint, Feature, LoginObstacle, ServerOptions};
use kibitzer_tests::live::{TestServer, begin_game, drain, handle, n_tasks, options, play};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::matrix::{Phase, Trouble};
use super::outcome;

const NAMES: [&str; 3] = ["Newton", "Euler", "Gauss"];
/// The guest who is the subject where guests are concerned.
const GUEST: &str = "Leibniz";
/// Longer than all that a session waits for, one after the other.
const SETTLED: Duration = Duration::from_mins(5);
/// Longer than a server lets a player be idle.
const IDLE: Duration = Duration::from_mins(65);
/// How long a server is away that has shut down.
const AWAY: Duration = Duration::from_mins(1);
const MANY_EVENTS: usize = 1 << 14;

const QUESTION: &str = "finger Euler";
const ANSWER: &str = "Finger of Euler";

/// Runs a cell. Nothing of it is left afterwards.
pub(crate) async fn run(trouble: Trouble, phase: Phase) -> String {
    let mut stage = Stage::set(trouble, phase).await;
    let game = stage.prepare().await;
    let mut task = stage.strike(game).await;
    stage.settle().await;
    let said = stage.judge(game, task.take()).await;
    stage.strike_the_set().await;
    said
}

struct Stage {
    trouble: Trouble,
    phase: Phase,
    test_server: TestServer,
    cast: Vec<Client>,
    subject: Subject,
}

/// The client that is looked at, and what it told.
struct Subject {
    client: Client,
    /// Hears everything.
    all: Subscription,
    /// May miss something, and counts it.
    newest: Subscription,
    events: Vec<Event>,
    /// Events before something went wrong.
    n_before: usize,
}

type Asked = JoinHandle<Result<Reply, RequestError>>;

impl Stage {
    async fn set(trouble: Trouble, phase: Phase) -> Self {
        let n_bytes = if phase == Phase::SetUp { bytes_until_set_up(trouble, phase).await } else { 0 };
        let test_server = TestServer::start(server_options(trouble, phase)).await;
        if phase.is_first() {
            order(&test_server, trouble, phase.point(n_bytes), ConnectionTarget::Next).await;
        }
        let subject = Subject::begin(profile(&test_server, trouble)).await;
        Self { trouble, phase, test_server, cast: Vec::new(), subject }
    }

    /// Leads the client to where something is to go wrong. Returns the game it follows.
    async fn prepare(&mut self) -> Option<GameId> {
        if self.phase.is_first() {
            return None;
        }
        self.subject.client.ready().await.unwrap();
        let game = match self.phase {
            Phase::Observing => {
                self.cast = vec![self.join(NAMES[1]).await, self.join(NAMES[2]).await];
                let game = begin_game(&self.cast[0], &self.cast[1]).await;
                self.subject.client.observe(game).await.unwrap();
                Some(game)
            }
            Phase::Playing => {
                self.cast = vec![self.join(NAMES[1]).await];
                Some(begin_game(&self.cast[0], &self.subject.client).await)
            }
            _ => None,
        };
        self.subject.hear();
        self.subject.n_before = self.subject.events.len();
        game
    }

    /// Somebody who does not come back if his connection is lost.
    async fn join(&self, name: &str) -> Client {
        Client::connect(self.test_server.account(name).session(|session| session.reconnect(Reconnect::never())))
            .await
            .unwrap()
    }

    /// Lets it go wrong.
    async fn strike(&mut self, game: Option<GameId>) -> Option<Asked> {
        if self.phase.is_first() {
            return None;
        }
        if self.phase == Phase::LoginAgain {
            order(&self.test_server, self.trouble, self.phase.point(0), ConnectionTarget::Next).await;
            let own = ConnectionTarget::Player(self.subject.client.handle().unwrap().to_string());
            self.test_server.server().control().inject(own, FaultPoint::Now, Fault::Reset).await.unwrap();
            return None;
        }
        let own = ConnectionTarget::Player(NAMES[0].to_owned());
        let n_bytes = self.subject.client.counters().session.bytes_received;
        order(&self.test_server, self.trouble, self.phase.point(n_bytes), own).await;
        match self.phase {
            Phase::Request | Phase::Block => {
                let client = self.subject.client.clone();
                return Some(tokio::spawn(async move { client.request(QUESTION).await }));
            }
            Phase::Observing | Phase::Playing if game.is_some() => play(&self.cast[0], "e4").await,
            _ => {
                sleep(Duration::from_secs(5)).await;
                // The server may be gone.
                let _ = self.test_server.server().control().announce("tea is ready").await;
            }
        }
        None
    }

    /// Waits until nothing changes any more.
    async fn settle(&mut self) {
        match self.trouble {
            Trouble::IdleLogout => sleep(IDLE).await,
            Trouble::Fault(Fault::Shutdown) => {
                sleep(AWAY).await;
                self.test_server.shutdown().await;
                self.test_server.restart(server_options(self.trouble, self.phase)).await;
            }
            _ => {}
        }
        sleep(SETTLED).await;
        self.subject.hear();
    }

    /// Says what came of it.
    async fn judge(&mut self, game: Option<GameId>, asked: Option<Asked>) -> String {
        let news = self.subject.events[self.subject.n_before..].to_vec();
        let state = self.subject.client.state();
        let mut said = vec![outcome::life(&state, &self.subject.events)];
        if let SessionState::Ended(reason) = &state {
            let refused = self.subject.client.request("date").await;
            assert_eq!(refused, Err(RequestError::Ended(reason.clone())));
        } else {
            self.check_that_it_works(&said[0], &news).await;
            if let Some(game) = game {
                said.push(self.judge_game(game, &said[0], &news).await);
            }
        }
        if let Some(asked) = asked {
            said.push(outcome::request(&asked.await.unwrap(), ANSWER));
        }
        said.join("; ")
    }

    async fn check_that_it_works(&self, life: &str, news: &[Event]) {
        let reply = self.subject.client.request("date").await.unwrap();
        assert!(reply.text().contains("Server time"), "{reply:?}");
        let n_restored = news.iter().filter(|event| matches!(event, Event::Restored(_))).count();
        assert_eq!(n_restored, usize::from(life != "continues"), "{news:#?}");
        if life == "continues" && self.phase == Phase::Idle {
            let is_heard = |event: &Event| event.raw().ends_with(b"from admin: tea is ready");
            assert!(news.iter().any(is_heard), "{news:#?}");
        }
    }

    /// What became of the game. If it is followed, the next move shows.
    async fn judge_game(&mut self, game: GameId, life: &str, news: &[Event]) -> String {
        let said = if life == "continues" { "game followed".to_owned() } else { outcome::game(news) };
        if matches!(&*said, "game followed" | "game unchanged" | "game advanced") {
            let mover = if self.phase == Phase::Playing { &self.subject.client } else { &self.cast[1] };
            let mut watch = self.subject.client.watch_game(game);
            wait_for_ply(&mut watch, 1).await;
            play(mover, "e5").await;
            wait_for_ply(&mut watch, 2).await;
        }
        said
    }

    /// Takes everything down, and looks whether all adds up.
    async fn strike_the_set(mut self) {
        self.subject.client.shutdown().await;
        self.subject.check();
        for client in &self.cast {
            client.shutdown().await;
        }
        drop((self.subject, self.cast));
        self.test_server.shutdown().await;
        // What was told to stop has its turn.
        sleep(Duration::from_secs(1)).await;
        assert_eq!(n_tasks(), 0, "tasks are left");
    }
}

impl Subject {
    async fn begin(profile: Profile) -> Self {
        let builder = Client::builder(profile);
        let (all, newest) = (builder.subscribe_lossless(MANY_EVENTS), builder.subscribe());
        let client = builder.start().await.unwrap();
        Self { client, all, newest, events: Vec::new(), n_before: 0 }
    }

    fn hear(&mut self) {
        let (events, n_missed) = drain(&mut self.all);
        assert_eq!(n_missed, 0);
        self.events.extend(events);
    }

    /// Whether all who listened agree, and the counters too.
    fn check(&mut self) {
        self.hear();
        let counters = self.client.counters();
        let (newest, n_missed) = drain(&mut self.newest);
        assert_eq!(counters.missed_events, n_missed);
        assert_eq!(newest.len() + usize::try_from(n_missed).unwrap(), self.events.len());
        assert!(self.events.ends_with(&newest), "what was not missed is in order");
        let count = |is: fn(&Event) -> bool| self.events.iter().filter(|event| is(event)).count() as u64;
        let of_server =
            count(|event| matches!(event, Event::Received { .. } | Event::Desync(_) | Event::Listing { .. }));
        assert_eq!(counters.session.events, of_server);
        let sent = count(|event| matches!(event, Event::Sent { .. }));
        assert_eq!(counters.session.lines_sent, sent + counters.session.pings);
        let connected = count(|event| matches!(event, Event::Connected));
        assert_eq!(counters.session.reconnects, connected.saturating_sub(1));
        assert_eq!(count(|event| matches!(event, Event::Ended(_))), 1, "it has ended by now, once");
        assert!(matches!(self.events.last(), Some(Event::Ended(_))));
    }
}

/// Waits for so many plies; a session that does not follow the game fails here.
async fn wait_for_ply(watch: &mut GameWatch, plies: u32) {
    let waiting = async {
        while watch.latest().is_none_or(|game| game.position().ply() != plies) {
            watch.changed().await.unwrap();
        }
    };
    tokio::time::timeout(Duration::from_secs(10), waiting).await.unwrap_or_else(|_| panic!("no ply {plies}"));
}

fn server_options(trouble: Trouble, phase: Phase) -> ServerOptions {
    let options = options(&NAMES);
    match (trouble, phase) {
        (Trouble::Refused(LoginObstacle::Full), Phase::Connecting) => options.max_connections(0),
        (_, Phase::Request) => options.without(Feature::BlockMode),
        _ => options,
    }
}

/// Who the client is. Who waits to be logged out for his idleness must not be kept alive.
fn profile(test_server: &TestServer, trouble: Trouble) -> Profile {
    let profile =
        if trouble.is_guests() { test_server.profile().guest_as(handle(GUEST)) } else { test_server.account(NAMES[0]) };
    match trouble {
        Trouble::IdleLogout => {
            profile.session(|session| session.timings(Timings::default().keep_alive(Duration::from_hours(10))))
        }
        _ => profile,
    }
}

/// How much a server has sent before it lists the ivars, which is the first reply of the set-up: the same server, to which nothing happens.
async fn bytes_until_set_up(trouble: Trouble, phase: Phase) -> u64 {
    let test_server = TestServer::start(server_options(trouble, phase)).await;
    let mut subject = Subject::begin(profile(&test_server, trouble)).await;
    subject.client.ready().await.unwrap();
    subject.hear();
    subject.client.shutdown().await;
    let is_listing = |event: &&Event| event.raw().starts_with(b"Interface variable settings");
    subject.events.iter().find(is_listing).unwrap().offset().unwrap()
}

async fn order(test_server: &TestServer, trouble: Trouble, at: FaultPoint, whom: ConnectionTarget) {
    let control = test_server.server().control();
    match trouble {
        Trouble::Fault(fault) => control.inject(whom, at, fault).await.unwrap(),
        Trouble::Refused(_) if at == FaultPoint::Connect => {}
        Trouble::Refused(refusal) => control.inject(whom, FaultPoint::Now, Fault::Refuse(refusal)).await.unwrap(),
        Trouble::NobodyThere => test_server.dial_target().refuse(NonZeroU32::new(3).unwrap()),
        Trouble::IdleLogout => {}
    }
}
