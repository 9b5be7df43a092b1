//! What a viewer needs of the session before the newest event: the state of its games, and what waits for an answer.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;

use bytes::Bytes;
use kibitzer::chess::{Color, Fen};
use kibitzer::game::PendingOffers;
use kibitzer::message::ClockAction;
use kibitzer::pgn::{PgnCollector, PgnOrigin};
use kibitzer::track::{GameKey, TrackedChange, TrackedChangeKind, TrackedGame, TrackedMove, TrackedState};
use kibitzer::transcript::Utc;
use kibitzer::{Event, GameId, Message};
use serde_json::{Value, json};

/// Maximum number of games; at the limit, the one with the oldest start is dropped, preferably one that is over.
const KEPT_GAMES: usize = 512;
/// Maximum number of events kept of a game. Later ones are part of the state, not of the kept events.
const KEPT_EVENTS: usize = 4_000;
/// Maximum memory of the kept events of all games, in bytes; beyond it, games are dropped, too.
const KEPT_BYTES: usize = 48 << 20;

/// Kinds of which the newest event of a game is part of its state, in the order in which they are sent.
const STATE_KINDS: [&str; 7] =
    ["game_created", "game_info", "holding", "position", "analysis", "observing", "game_ended"];
/// Place of the board in [`STATE_KINDS`]. What changes the clocks after it is sent after it.
const BOARD_PLACE: usize = 3;
/// Maximum number of changes of the clocks of a game that are kept after a board.
const KEPT_CLOCKS: usize = 64;
/// Kinds that begin another game of the same number if the last one is over.
const OPENING_KINDS: [&str; 5] = ["game_created", "game_info", "observing", "holding", "position"];

/// An event to publish.
#[derive(Debug)]
#[non_exhaustive]
pub struct WebEvent<'a> {
    /// Number of the row that the program keeps of it.
    pub row: u64,
    /// Its name in JSON.
    pub kind: &'a str,
    /// Number of the game that it is about.
    pub game: Option<GameId>,
    /// The JSON object, on one line.
    pub json: Vec<u8>,
    /// The event itself; `None` if only its JSON is known.
    pub event: Option<&'a Event>,
    /// Time of day, if it is known.
    pub utc: Option<Utc>,
}

impl<'a> WebEvent<'a> {
    /// Creates an event that is about no game, of which only the JSON is known.
    pub const fn new(row: u64, kind: &'a str, json: Vec<u8>) -> Self {
        Self { row, kind, game: None, json, event: None, utc: None }
    }
}

/// The newest game with a number.
#[derive(Debug, Default)]
struct KnownGame {
    /// Count of games before this one.
    order: u64,
    /// Newest event of each kind, by its place in [`STATE_KINDS`].
    state: [Option<Bytes>; STATE_KINDS.len()],
    /// Changes of the clocks since the newest board. Each one adds to those before it.
    clocks: VecDeque<Bytes>,
    kept: Vec<Bytes>,
    is_over: bool,
    /// Legal moves as they are sent, with the version in which they changed; `None` if this login is not to move.
    legal: Option<(u64, Bytes)>,
}

impl KnownGame {
    /// Returns the events that lead to the present state.
    fn events(&self) -> impl Iterator<Item = &Bytes> {
        let (board, rest) = self.state.split_at(BOARD_PLACE + 1);
        board.iter().flatten().chain(&self.clocks).chain(rest.iter().flatten())
    }
}

/// The games of a session, its open questions, and its last loss.
#[derive(Debug)]
pub(crate) struct SessionState {
    games: BTreeMap<GameId, KnownGame>,
    n_games: u64,
    n_kept_bytes: usize,
    collector: PgnCollector,
    /// PGN of games that are over.
    finished: BTreeMap<GameKey, String>,
    offers: PendingOffers,
    /// Challenges and offers without an answer.
    questions: Vec<(Message, Bytes)>,
    /// The newest `lost` or `restored`.
    loss: Option<Bytes>,
}

impl SessionState {
    /// Creates the state of a session on the server `host`, without games.
    pub(crate) fn new(host: &str) -> Self {
        Self {
            games: BTreeMap::new(),
            n_games: 0,
            n_kept_bytes: 0,
            collector: PgnCollector::new(PgnOrigin::new(host)).with_observed().with_talk(),
            finished: BTreeMap::new(),
            offers: PendingOffers::default(),
            questions: Vec::new(),
            loss: None,
        }
    }

    /// Applies the next event of the session. Returns the number of a game that begins with it, and whose earlier moves are missing.
    pub(crate) fn apply(&mut self, stored: &WebEvent<'_>, json: &Bytes) -> Option<GameId> {
        let (mut begins, mut incomplete) = (false, None);
        if let Some(event) = stored.event {
            let changes = self.collector.apply(event, stored.utc);
            let begun = changes
                .iter()
                .filter(|change| matches!(change.kind, TrackedChangeKind::Started | TrackedChangeKind::Resumed));
            let begun: Vec<_> = begun.filter_map(|change| self.collector.tracker().get(change.game)).collect();
            begins = changes.iter().any(|change| change.kind == TrackedChangeKind::Started);
            incomplete = begun.into_iter().find(|game| game.has_missing_moves()).map(TrackedGame::number);
            self.forget_changed(&changes);
            self.apply_question(event, json);
        }
        match stored.kind {
            "lost" | "restored" => self.loss = Some(json.clone()),
            "connected" | "ended" => {
                self.offers = PendingOffers::default();
                self.questions.clear();
            }
            _ => {}
        }
        if let Some(number) = stored.game {
            self.apply_to_game(number, stored, json, begins);
        }
        incomplete
    }

    /// Marks the games in progress as interrupted, at the end of a recorded connection.
    pub(crate) fn interrupt_games(&mut self) {
        let changes = self.collector.interrupt_games();
        self.forget_changed(&changes);
    }

    fn forget_changed(&mut self, changes: &[TrackedChange]) {
        for change in changes {
            self.finished.remove(&change.game);
        }
    }

    /// Stores a question that an event asks, and removes those that it answers.
    fn apply_question(&mut self, event: &Event, json: &Bytes) {
        let Some(message) = event.message() else { return };
        self.offers.apply(message, event.change());
        let Self { offers, questions, .. } = self;
        let is_open = |report: &Message| offers.received().chain(offers.sent()).any(|offer| offer.report == *report);
        questions.retain(|(report, _)| is_open(report));
        if matches!(event.kind().as_str(), "challenge" | "offer") && is_open(message) {
            questions.push((message.clone(), json.clone()));
        }
    }

    fn apply_to_game(&mut self, number: GameId, stored: &WebEvent<'_>, json: &Bytes, begins: bool) {
        let kind = STATE_KINDS.iter().position(|kind| *kind == stored.kind);
        let known = self.games.get(&number);
        if known.is_none() && kind.is_none() {
            return;
        }
        let has_board = known.is_some_and(|known| known.state.get(BOARD_PLACE).is_some_and(Option::is_some));
        let reopens = known.is_some_and(|known| known.is_over) && OPENING_KINDS.contains(&stored.kind);
        let is_left = is_end_of_observation(stored);
        if known.is_none() || (reopens && !is_left) || (begins && has_board) {
            self.n_games += 1;
            let replaced = self.games.insert(number, KnownGame { order: self.n_games, ..KnownGame::default() });
            self.release(replaced.as_ref());
        }
        if let Some(game) = self.games.get_mut(&number) {
            if let Some(place) = kind.and_then(|kind| game.state.get_mut(kind)) {
                *place = Some(json.clone());
            }
            // A board has the clocks.
            if stored.kind == "position" {
                game.clocks.clear();
            }
            if is_change_of_clocks(stored) {
                game.clocks.push_back(json.clone());
                if game.clocks.len() > KEPT_CLOCKS {
                    game.clocks.pop_front();
                }
            }
            if stored.kind == "game_ended" || is_left {
                game.is_over = true;
                game.legal = None;
            }
            if game.kept.len() < KEPT_EVENTS {
                self.n_kept_bytes += json.len();
                game.kept.push(json.clone());
            }
        }
        while (self.games.len() > KEPT_GAMES || self.n_kept_bytes > KEPT_BYTES)
            && let Some(oldest) =
                self.games.iter().min_by_key(|(_, game)| (!game.is_over, game.order)).map(|(number, _)| *number)
        {
            let dropped = self.games.remove(&oldest);
            self.release(dropped.as_ref());
        }
    }

    fn release(&mut self, game: Option<&KnownGame>) {
        let bytes: usize = game.into_iter().flat_map(|game| &game.kept).map(Bytes::len).sum();
        self.n_kept_bytes -= bytes.min(self.n_kept_bytes);
    }

    /// Replaces the legal moves of the newest game with a number, if it is known.
    pub(crate) fn set_legal(&mut self, number: GameId, legal: Option<(u64, Bytes)>) {
        if let Some(game) = self.games.get_mut(&number) {
            game.legal = legal;
        }
    }

    /// Returns the legal moves of all games in which this login is to move.
    pub(crate) fn legal(&self) -> impl Iterator<Item = &(u64, Bytes)> {
        self.games.values().filter_map(|game| game.legal.as_ref())
    }

    /// Returns the newest played or observed game with a number.
    pub(crate) fn tracked(&self, number: GameId) -> Option<&TrackedGame> {
        self.collector.tracker().iter().rfind(|game| game.number() == number)
    }

    /// Returns the events that lead to the present state, oldest game first, then open questions and the last loss.
    pub(crate) fn events(&self) -> Vec<Bytes> {
        let mut games: Vec<_> = self.games.values().collect();
        games.sort_by_key(|game| game.order);
        let of_games = games.into_iter().flat_map(KnownGame::events);
        of_games.chain(self.questions.iter().map(|(_, json)| json)).chain(&self.loss).cloned().collect()
    }

    /// Returns the kept events of the newest game with a number, one on each line; empty if it is not known. Before them are the positions
    /// that only a list of moves shows.
    pub(crate) fn game_lines(&self, number: GameId) -> Vec<u8> {
        let mut lines = self.tracked(number).map(listed_positions).unwrap_or_default();
        lines.extend_from_slice(self.games.get(&number).map_or(&[][..], |game| &game.kept));
        lines.iter().flat_map(|json| [json, &b"\n"[..]]).collect::<Vec<_>>().concat()
    }

    /// Returns the PGN of all games, or of the newest game with a number; empty without one.
    pub(crate) fn pgn(&mut self, number: Option<GameId>) -> String {
        let Self { collector, finished, .. } = self;
        let tracker = collector.tracker();
        finished.retain(|key, _| tracker.get(*key).is_some());
        let is_shown = |game: &&TrackedGame| game.state() != TrackedState::Left || game.n_moves() > 0;
        let games: Vec<_> = match number {
            None => tracker.iter().filter(is_shown).collect(),
            Some(number) => tracker.iter().rfind(|game| game.number() == number).into_iter().collect(),
        };
        games.into_iter().fold(String::new(), |mut text, game| {
            let key = game.key();
            if let Some(known) = finished.get(&key) {
                return text + known;
            }
            let Some(pgn) = collector.game(key) else { return text };
            let pgn = format!("{pgn}\n");
            // Writing to a string cannot fail.
            let _ = text.write_str(&pgn);
            if game.state() == TrackedState::Over {
                finished.insert(key, pgn);
            }
            text
        })
    }
}

/// Returns the positions of a game before its first board, if the server has listed the moves, as events without times and clocks.
fn listed_positions(game: &TrackedGame) -> Vec<Bytes> {
    let line = game.line();
    let (mut board, mut last_move) = (line.start.board, Value::Null);
    let position = |(ply, step): (u32, &TrackedMove)| {
        let mut fen = Fen::from_board(board, step.color).with_counters(0, ply / 2 + 1);
        fen.castling = line.start.castling.plausible_on(&board);
        let position = json!({
            "event": "position", "game": game.number().0, "relation": 0, "own": false,
            "white": game.player(Color::White).as_str(), "black": game.player(Color::Black).as_str(),
            "fen": fen.to_string(), "side_to_move": step.color.to_string(), "last_move": last_move,
            "white_clock_ms": null, "black_clock_ms": null, "white_reserve": null, "black_reserve": null,
        });
        line.play(&mut board, step).ok()?;
        last_move = json!({ "san": step.san, "uci": step.uci() });
        Some(position.to_string().into())
    };
    let listed = line.moves.iter().take_while(|step| step.clock.is_none());
    (line.start_ply()..).zip(listed).map_while(position).collect()
}

/// Returns whether an event stops the clocks, lets them run, or adds time.
fn is_change_of_clocks(stored: &WebEvent<'_>) -> bool {
    match stored.event.and_then(Event::message) {
        Some(Message::Clock(notice)) => {
            !matches!(notice.action, ClockAction::Lagged | ClockAction::MayAbort | ClockAction::MayAdjourn)
        }
        _ => stored.kind == "clock",
    }
}

/// Returns whether an event says that a game is no longer observed.
fn is_end_of_observation(stored: &WebEvent<'_>) -> bool {
    stored.kind == "observing"
        && match stored.event.and_then(Event::message) {
            Some(Message::Observing(observing)) => !observing.is_observed,
            _ => false,
        }
}
