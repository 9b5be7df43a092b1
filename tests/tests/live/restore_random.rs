//! Random games, lost connections and replaced servers: every outcome is compared with the games that were played.

use std::num::NonZeroU32;
use std::time::Duration;

use fastrand::Rng;
use kibitzer::Client;
use kibitzer::command::{GameTerms, OfferOutcome, OfferRef};
use kibitzer::pgn::{PgnCollector, PgnOrigin};
use kibitzer::track::{TrackedChangeKind, TrackedGame};
use kibitzer_core::Event;
use kibitzer_core::chess::Color;
use kibitzer_core::event::{RestoreOutcome, Restored, RestoredGame};
use kibitzer_core::hub::Subscription;
use kibitzer_core::message::{GameId, Relation};
use kibitzer_core::session::Reconnect;
use kibitzer_server::{ConnectionTarget, Fault, FaultPoint};
use kibitzer_tests::live::{TestServer, options, play};

/// The players of two tables, and the observer.
const NAMES: [&str; 5] = ["Newton", "Euler", "Hooke", "Boyle", "Gauss"];

/// Openings, two of which begin alike.
const LINES: [&str; 3] = [
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6",
    "e4 e5 Nf3 Nc6 Bc4 Bc5 c3 Nf6 d4 exd4 cxd4 Bb4+ Nc3 Nxe4",
    "d4 d5 c4 e6 Nc3 Nf6 Bg5 Be7 e3 O-O Nf3 Nbd7 Rc1 c6",
];

/// A game as it was played.
#[derive(Debug)]
struct PlayedGame {
    /// Number of the server that it was played on.
    server: usize,
    number: GameId,
    /// White's index in [`NAMES`].
    white: usize,
    black: usize,
    line: usize,
    n_plies: usize,
    /// Number of plies before the last takeback.
    most_plies: usize,
    /// Number of plies at which the observer began to follow it on its connection.
    followed_from: usize,
    is_over: bool,
}

struct Scene {
    rng: Rng,
    test_server: TestServer,
    n_servers: usize,
    players: Vec<Client>,
    gauss: Client,
    events: Subscription,
    is_restoring: bool,
    collector: PgnCollector,
    games: Vec<PlayedGame>,
    n_outcomes: usize,
    found: Vec<String>,
}

impl PlayedGame {
    fn moves(&self) -> Vec<&'static str> {
        LINES[self.line].split(' ').take(self.n_plies).collect()
    }

    fn has_players(&self, white: &str, black: &str) -> bool {
        NAMES[self.white] == white && NAMES[self.black] == black
    }
}

impl Scene {
    async fn open(seed: u64) -> Self {
        let test_server = TestServer::start(options(&NAMES)).await;
        let gauss = test_server.account("Gauss").session(|session| {
            let quick = Reconnect::default().base(Duration::from_millis(600)).cap(Duration::from_secs(2));
            session.reconnect(quick)
        });
        let gauss = Client::connect(gauss).await.unwrap();
        let events = gauss.subscribe_lossless(100_000);
        let mut scene = Self {
            rng: Rng::with_seed(seed),
            test_server,
            n_servers: 0,
            players: Vec::new(),
            gauss,
            events,
            is_restoring: false,
            collector: PgnCollector::new(PgnOrigin::default()).with_observed(),
            games: Vec::new(),
            n_outcomes: 0,
            found: Vec::new(),
        };
        scene.seat_players().await;
        scene
    }

    async fn seat_players(&mut self) {
        self.players.clear();
        for name in &NAMES[..4] {
            self.players.push(self.test_server.player(name).await);
        }
    }

    /// Returns the index of the game in progress at a table.
    fn current(&self, table: usize) -> Option<usize> {
        self.games.iter().rposition(|game| game.white / 2 == table && !game.is_over)
    }

    async fn begin(&mut self, white: usize, black: usize) {
        let terms = GameTerms::new().time(20, 0).color(Color::White);
        self.players[white].challenge(NAMES[black], terms).await.unwrap();
        let OfferOutcome::Started(created) = self.players[black].accept(OfferRef::Only).await.unwrap() else {
            panic!()
        };
        let line = self.rng.usize(..LINES.len());
        let (server, number) = (self.n_servers, created.game);
        self.games.push(PlayedGame {
            server,
            number,
            white,
            black,
            line,
            n_plies: 0,
            most_plies: 0,
            followed_from: 0,
            is_over: false,
        });
    }

    /// Plays up to `n_plies` moves, each after a think.
    async fn play(&mut self, index: usize, n_plies: usize) {
        for _ in 0..n_plies {
            let Some(game) = self.games.get_mut(index).filter(|game| game.n_plies < 14) else { return };
            let mover = if game.n_plies % 2 == 0 { game.white } else { game.black };
            game.n_plies += 1;
            game.most_plies = game.most_plies.max(game.n_plies);
            let san = *game.moves().last().unwrap();
            tokio::time::sleep(Duration::from_millis(self.rng.u64(100..4_000))).await;
            play(&self.players[mover], san).await;
        }
    }

    async fn take_back(&mut self, index: usize) {
        let game = &mut self.games[index];
        let [mover, other] = if game.n_plies % 2 == 1 { [game.white, game.black] } else { [game.black, game.white] };
        game.n_plies -= 1;
        self.players[mover].request("takeback 1").await.unwrap();
        self.players[other].request("accept").await.unwrap();
    }

    async fn resign(&mut self, index: usize) {
        self.games[index].is_over = true;
        self.players[self.games[index].white].request("resign").await.unwrap();
    }

    /// Does something at a table while the observer is away.
    async fn act(&mut self, table: usize) {
        let Some(index) = self.current(table) else { return };
        let n_plies = self.rng.usize(..6);
        let (white, black) = (self.games[index].white, self.games[index].black);
        match self.rng.u8(..8) {
            0 => {}
            1 | 2 => self.play(index, n_plies).await,
            // Without a known move of some time, fewer plies look like another game.
            3 if self.games[index].n_plies > self.games[index].followed_from.max(2) + 1 => self.take_back(index).await,
            3 | 4 => self.resign(index).await,
            action => {
                self.resign(index).await;
                if action == 5 {
                    self.begin(black, white).await;
                } else {
                    self.begin(white, black).await;
                }
                let index = self.games.len() - 1;
                self.play(index, n_plies).await;
            }
        }
    }

    /// Reads events until `take` returns a value, and checks each.
    async fn read_until<T>(&mut self, mut take: impl FnMut(&Event) -> Option<T>) -> T {
        loop {
            let event = self.events.recv().await.unwrap();
            self.check_event(&event);
            if let Some(found) = take(&event) {
                return found;
            }
        }
    }

    /// Checks that changes of the search are marked, and that each tracked game that is over is one that was played.
    fn check_event(&mut self, event: &Event) {
        match event {
            Event::SessionReady(_) => self.is_restoring = true,
            Event::Restored(_) => self.is_restoring = false,
            _ => {}
        }
        if let Some(change) = event.change() {
            assert_eq!(
                change.is_by_restoration(),
                self.is_restoring && change.relation == Relation::Observing,
                "{change:?}"
            );
        }
        for change in self.collector.apply(event, None) {
            if matches!(change.kind, TrackedChangeKind::Ended | TrackedChangeKind::Left) {
                self.check_tracked(self.collector.tracker().get(change.game).unwrap(), change.kind);
            }
        }
    }

    fn check_tracked(&self, tracked: &TrackedGame, kind: TrackedChangeKind) {
        let line = tracked.line();
        let moves: Vec<_> = line.moves.iter().map(|played| played.san.as_deref().unwrap()).collect();
        let n_unknown = usize::try_from(line.start_ply()).unwrap();
        let [white, black] = Color::BOTH.map(|color| tracked.player(color));
        let is_it = |game: &&PlayedGame| {
            let n_played = if kind == TrackedChangeKind::Ended { game.n_plies } else { game.most_plies };
            let played: Vec<_> = LINES[game.line].split(' ').take(n_played).skip(n_unknown).collect();
            game.number == tracked.number()
                && game.has_players(white.as_str(), black.as_str())
                && if kind == TrackedChangeKind::Ended { played == moves } else { played.starts_with(&moves) }
        };
        assert!(self.games.iter().any(|game| is_it(&game)), "{kind:?} {white} {black} {moves:?} {:#?}", self.games);
    }

    /// Compares the outcome of one game with what was played.
    fn check_outcome(&mut self, found: &RestoredGame, before: &[(usize, usize)]) {
        self.n_outcomes += 1;
        let &(index, n_known) = before.iter().find(|(index, _)| self.games[*index].number == found.was).unwrap();
        let game = &self.games[index];
        let has_gained = |plies: u32| game.n_plies == n_known + usize::try_from(plies).unwrap();
        let is_in_progress = !game.is_over && game.server == self.n_servers && found.now == Some(game.number);
        let is_right = match found.outcome {
            RestoreOutcome::Unchanged => is_in_progress && has_gained(0) && !found.moves_missing,
            RestoreOutcome::Advanced { plies, .. } => {
                is_in_progress && has_gained(plies) && (plies == 1) != found.moves_missing
            }
            RestoreOutcome::Changed => is_in_progress && game.n_plies < n_known && found.moves_missing,
            RestoreOutcome::Replaced { by, .. } => {
                let is_other = |by: GameId| {
                    self.games.iter().any(|other| {
                        let is_current = !other.is_over && other.server == self.n_servers && other.number == by;
                        is_current && (other.white, other.black) == (game.white, game.black)
                    })
                };
                game.is_over && found.now.is_none() && found.moves_missing && by.is_none_or(is_other)
            }
            RestoreOutcome::Gone => game.is_over && found.now.is_none() && found.moves_missing,
            _ => false,
        };
        assert!(is_right, "{found:#?}\n{game:#?}, {n_known} plies were known");
        self.found.push(found.outcome.as_ref().to_owned());
    }

    /// Lets games be played, loses the connection or the server, and compares what is restored.
    async fn round(&mut self) {
        for table in 0..2 {
            if self.current(table).is_none() {
                self.begin(2 * table, 2 * table + 1).await;
            }
            let index = self.current(table).unwrap();
            // It may be observed already.
            if self.gauss.observe(self.games[index].number).await.is_ok() {
                self.games[index].followed_from = self.games[index].n_plies;
            }
            let n_plies = self.rng.usize(3..9);
            self.play(index, n_plies).await;
        }
        let before: Vec<_> = (0..2).filter_map(|table| self.current(table)).collect();
        let before: Vec<_> = before.into_iter().map(|index| (index, self.games[index].n_plies)).collect();
        // The boards of the last moves have been received.
        self.gauss.request("date").await.unwrap();
        let is_swap = self.rng.u8(..6) == 0;
        if is_swap {
            self.test_server.restart(options(&NAMES)).await;
            self.n_servers += 1;
            self.games.iter_mut().for_each(|game| game.is_over = true);
            self.read_until(|event| matches!(event, Event::Lost(_)).then_some(())).await;
            self.seat_players().await;
            for table in 0..2 {
                if self.rng.bool() {
                    self.begin(2 * table, 2 * table + 1).await;
                }
            }
        } else {
            let control = self.test_server.server().control();
            let target = ConnectionTarget::Player("Gauss".to_owned());
            control.inject(target, FaultPoint::Now, Fault::Reset).await.unwrap();
            self.read_until(|event| matches!(event, Event::Lost(_)).then_some(())).await;
            self.test_server.dial_target().refuse(NonZeroU32::MAX);
            for table in 0..2 {
                self.act(table).await;
            }
            self.test_server.dial_target().refuse(NonZeroU32::MIN);
        }
        let restored: Restored =
            self.read_until(|event| if let Event::Restored(it) = event { Some((**it).clone()) } else { None }).await;
        assert_eq!(restored.games.len(), before.len());
        for game in &restored.games {
            self.check_outcome(game, &before);
        }
        self.games.iter_mut().for_each(|game| game.followed_from = game.n_plies);
        // A game that was not found again is not observed, unless it replaced one.
        let followed = self.gauss.subscribe_with_games().await.unwrap().games;
        for game in followed.iter().filter(|game| game.is_followed_and_ongoing()) {
            let is_reported = |restored: &RestoredGame| match restored.outcome {
                RestoreOutcome::Replaced { by, .. } => by == Some(game.id()),
                _ => restored.now == Some(game.id()),
            };
            assert!(restored.games.iter().any(is_reported), "{restored:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn every_outcome_is_that_of_the_game_that_was_played() {
    let mut scene = Scene::open(22).await;
    for _ in 0..40 {
        scene.round().await;
    }
    for outcome in ["unchanged", "advanced", "changed", "replaced", "gone"] {
        let n_found = scene.found.iter().filter(|found| *found == outcome).count();
        assert!(n_found > 0, "{outcome}: {:?}", scene.found);
    }
    assert!(scene.n_servers > 3 && scene.n_outcomes > 60, "{} servers, {} outcomes", scene.n_servers, scene.n_outcomes);
}
