//! The games of a session, followed from its events.
//!
//! [`Game`] is the state of a game since its last gap. A [`TrackedGame`] is the whole game: its [key](GameKey) stays the same, and its
//! moves stay known, over takebacks, resumptions, other numbers and lost connections. A reply to `moves` adds the moves before the first
//! board. This program observes all games of a server until five have ended, and prints statistics for each kind of game:
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use kibitzer::message::GameResult;
//! use kibitzer::track::{GameTracker, TrackedChangeKind};
//! use kibitzer::{Client, Profile};
//! use kibitzer_server::{PopulationOptions, Server, ServerOptions};
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let server = Server::start(ServerOptions::new().population(PopulationOptions::new().speed(500.0))).await?;
//!     let port = server.address().ok_or("not on the network")?.port();
//!     let client = Client::connect(Profile::demo().ports([port]).guest()).await?;
//!     let mut events = client.subscribe();
//!     for row in client.games().await?.games {
//!         drop(client.observe(row.game).await); // The game may be over.
//!     }
//!     let mut tracker = GameTracker::new().with_observed();
//!     let mut statistics = BTreeMap::<_, (u32, usize, u32)>::new();
//!     let mut n_ended = 0;
//!     while n_ended < 5 {
//!         let event = events.next().await.ok_or("the session is over")?;
//!         for change in tracker.apply(&event) {
//!             let Some(game) = tracker.get(change.game) else { continue };
//!             match change.kind {
//!                 TrackedChangeKind::Started | TrackedChangeKind::Resumed if game.has_missing_moves() => {
//!                     drop(client.moves(game.number()).await);
//!                 }
//!                 TrackedChangeKind::Ended => {
//!                     n_ended += 1;
//!                     let (n_games, n_moves, white_wins) = statistics.entry((game.variant(), game.is_rated())).or_default();
//!                     *n_games += 1;
//!                     *n_moves += game.n_moves();
//!                     *white_wins += u32::from(game.ending().is_some_and(|end| end.result == GameResult::WhiteWins));
//!                 }
//!                 _ => {}
//!             }
//!         }
//!     }
//!     for ((variant, is_rated), (n_games, n_moves, white_wins)) in &statistics {
//!         let rated = if *is_rated == Some(true) { "rated" } else { "unrated" };
//!         println!("{rated} {variant}: {n_games} games, {n_moves} moves, White won {white_wins}");
//!     }
//!     client.shutdown().await;
//!     Ok(())
//! }
//! ```
//!
//! # States
//!
//! | state | event | next state | change |
//! |---|---|---|---|
//! | – | first board | `Playing` | `Started`; `Resumed` if it was announced so |
//! | `Playing` | board | `Playing` | `Moved`, `TakenBack`, `Replaced`, `Refreshed` |
//! | `Playing` | end line, adjourned | `Adjourned` | `Adjourned` |
//! | `Playing` | end line | `Over` | `Ended` |
//! | `Playing` | unobserved, number used again | `Left` | `Left` |
//! | `Playing` | connection lost | `Interrupted` | `Interrupted` |
//! | `Interrupted` | listed as stored | `Adjourned` | `Adjourned` |
//! | `Interrupted` | found, and its end reported | `Over` | `Ended` |
//! | `Interrupted` | not stored, not found, or replaced by another game | `Left` | `Left` |
//! | `Interrupted`, `Adjourned` | board of the same game | `Playing` | `Resumed` |
//! | `Interrupted`, observed | list of moves that continues it | `Playing` | `Resumed` |
//!
//! While a session restores observed games, its report decides which games they are. A recording has no such report: an observed
//! game that may be another one starts as a new game, until a list of its moves shows that it continues the known one.

mod game;
mod line;

use std::collections::BTreeMap;
use std::time::Duration;

use kibitzer_core::chess::Color;
use kibitzer_core::event::{AdjournedGame, Event, RestoreOutcome, Restored, RestoredGame, ResumptionState};
use kibitzer_core::game::{Change, ChangeKind, Continuation, Game, Games};
use kibitzer_core::message::listing::{AnyListing, ListedName, ListedPlayer, MoveList};
use kibitzer_core::message::{GameId, Message, OwnGameStarting, Relation};

pub use game::{GamePositionKey, TrackedGame};
pub use line::{MoveLine, TrackedMove};

/// Maximum number of kept games that are not in progress when another one begins.
const MAX_IDLE_GAMES: usize = 64;

/// Maximum number of announcements kept until the first board. A server may announce every game that starts.
const MAX_ANNOUNCED: usize = 256;

/// Tracks the games of a session from its events.
///
/// It must receive every event since the session began, in order; after missed events, create a new one.
#[derive(Debug, Default)]
pub struct GameTracker {
    /// Whether observed games are tracked, too.
    with_observed: bool,
    /// The games of this connection.
    games: Games,
    tracked: Vec<TrackedGame>,
    /// Games that were announced since their number last had a first board, and whether as resumed; at most [`MAX_ANNOUNCED`].
    announced: BTreeMap<GameId, bool>,
    /// The terms of the last own game that was announced, or of the last one that was observed.
    terms: Option<OwnGameStarting>,
    /// Number of applied events.
    n_events: u64,
    next_key: u64,
}

impl GameTracker {
    /// Creates a tracker of the games that this login plays, without games.
    pub fn new() -> Self {
        Self::default()
    }

    /// Tracks observed games, too; not examined ones. Call it before the first event.
    #[must_use]
    pub const fn with_observed(mut self) -> Self {
        self.with_observed = true;
        self
    }

    /// Returns a game; `None` if it was dropped: of games that are not in progress, about 64 are kept.
    pub fn get(&self, key: GameKey) -> Option<&TrackedGame> {
        self.tracked.iter().find(|game| game.key() == key)
    }

    /// Returns all kept games, the oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &TrackedGame> {
        self.tracked.iter()
    }

    /// Returns whether a decision that was made in a position may still be sent: the game is in progress, in this very position, and
    /// it is this login's turn.
    pub fn is_current(&self, position: GamePositionKey) -> bool {
        self.get(position.game()).is_some_and(|game| game.is_my_turn() && game.position_key() == position)
    }

    /// Applies an event, and returns what it changed. Most events change nothing; a lost connection changes every game in progress.
    pub fn apply(&mut self, event: &Event) -> Vec<TrackedChange> {
        self.n_events += 1;
        match event {
            Event::Received { received, change, .. } => {
                self.record_announcement(&received.message);
                let applied = self.games.apply_message(&received.message);
                let settled = applied.filter(|_| !change.as_ref().is_some_and(Change::is_by_restoration));
                settled.map_or_else(Vec::new, |change| self.apply_change(&change))
            }
            Event::Desync(desync) if desync.reason.needs_board() => {
                let is_it =
                    |game: &&mut TrackedGame| game.state() == TrackedState::Playing && game.number() == desync.game;
                if let Some(game) = self.tracked.iter_mut().find(is_it) {
                    game.is_position_unknown = true;
                }
                Vec::new()
            }
            Event::Connected | Event::Lost(_) | Event::Ended(_) => self.interrupt_games(),
            Event::Restored(restored) => self.apply_restored(restored),
            Event::Listing { listing, .. } if let AnyListing::Moves(list) = &**listing => self.add_listed_moves(list),
            Event::AdjournedGame(adjourned) if adjourned.state == ResumptionState::Stored => {
                self.mark_adjourned(adjourned)
            }
            _ => Vec::new(),
        }
    }

    /// Marks all games in progress as interrupted, and returns these changes. [`apply`](Self::apply) does so for a lost connection; a recording has no such event.
    pub fn interrupt_games(&mut self) -> Vec<TrackedChange> {
        self.games = Games::default();
        self.announced.clear();
        let playing = self.tracked.iter_mut().filter(|game| game.state() == TrackedState::Playing);
        playing.map(|game| game.enter_state_after(TrackedChangeKind::Interrupted)).collect()
    }

    /// Remembers the announcement or the terms of a game that a message contains, until its first board.
    fn record_announcement(&mut self, message: &Message) {
        match message {
            Message::GameCreated(created) => {
                self.announced.insert(created.game, created.resumed);
                if self.announced.len() > MAX_ANNOUNCED {
                    self.announced.pop_first();
                }
            }
            Message::Creating(creating) => self.terms = Some((**creating).clone()),
            _ => {}
        }
    }

    /// Applies a change of a game of this connection to the tracked game; starts or resumes one if none is in progress.
    fn apply_change(&mut self, change: &Change) -> Vec<TrackedChange> {
        let Some(game) = self.games.get(change.game) else { return Vec::new() };
        let is_new = match change.kind {
            ChangeKind::Opened => true,
            // Another game may have got the number.
            ChangeKind::Replaced => game.position().last_move().is_none() || self.announced.contains_key(&game.id()),
            _ => false,
        };
        if !is_new && let Some(tracked) = self.tracked.iter_mut().rfind(|known| known.is_updated_by(game)) {
            return vec![tracked.apply_change(game, change.kind, self.n_events)];
        }
        let is_tracked = change.relation.is_mine() || self.with_observed && change.relation == Relation::Observing;
        if game.is_followed_and_ongoing() && is_tracked { self.start_or_resume(&game.clone()) } else { Vec::new() }
    }

    /// Starts to track a game, or resumes the interrupted or adjourned game that it continues. Marks other games with the same number as
    /// left, and may drop one game that is not in progress. Returns the changes of all these games.
    fn start_or_resume(&mut self, game: &Game) -> Vec<TrackedChange> {
        let announced = self.announced.remove(&game.id());
        let mut changes = self.mark_replaced_or_missing_as_left(game.id());
        if let Some(known) = self.tracked.iter_mut().rfind(|known| known.is_continued_by(game, announced)) {
            changes.push(known.resume(game, self.n_events));
            return changes;
        }
        let mut tracked = TrackedGame::new(GameKey(self.next_key), game);
        self.next_key += 1;
        if let Some(terms) = &self.terms {
            tracked.set_terms_if_players_match(terms);
        }
        let kind = if announced == Some(true) { TrackedChangeKind::Resumed } else { TrackedChangeKind::Started };
        changes.push(tracked.enter_state_after(kind));
        self.tracked.push(tracked);
        self.drop_excess_idle_game();
        changes
    }

    /// Marks games in progress as left: those with this number, and those that are no longer part of the session's state.
    fn mark_replaced_or_missing_as_left(&mut self, number: GameId) -> Vec<TrackedChange> {
        let games = &self.games;
        let is_gone = |game: &&mut TrackedGame| {
            game.state() == TrackedState::Playing && (game.number() == number || games.get(game.number()).is_none())
        };
        self.tracked.iter_mut().filter(is_gone).map(|game| game.enter_state_after(TrackedChangeKind::Left)).collect()
    }

    /// Drops one game if more than [`MAX_IDLE_GAMES`] are not in progress: the oldest one that is over, otherwise the oldest one.
    fn drop_excess_idle_game(&mut self) {
        let is_idle = |game: &TrackedGame| game.state() != TrackedState::Playing;
        let is_over = |game: &TrackedGame| matches!(game.state(), TrackedState::Over | TrackedState::Left);
        if self.iter().filter(|game| is_idle(game)).count() > MAX_IDLE_GAMES {
            let first = |is_it: fn(&TrackedGame) -> bool| self.tracked.iter().position(is_it);
            if let Some(dropped) = first(is_over).or_else(|| first(is_idle)) {
                self.tracked.remove(dropped);
            }
        }
    }

    /// Applies the report about the games that a lost connection interrupted, starts those that are observed instead, and adds listed
    /// moves.
    fn apply_restored(&mut self, restored: &Restored) -> Vec<TrackedChange> {
        let mut changes: Vec<_> = restored.games.iter().filter_map(|game| self.apply_outcome(game)).collect();
        let is_new = |game: &&Game| {
            let is_it = |known: &TrackedGame| known.state() == TrackedState::Playing && known.number() == game.id();
            game.is_followed_and_ongoing()
                && game.position().relation() == Relation::Observing
                && !self.tracked.iter().any(is_it)
        };
        let new: Vec<_> = self.games.iter().filter(is_new).filter(|_| self.with_observed).cloned().collect();
        changes.extend(new.iter().flat_map(|game| self.start_or_resume(game)));
        let lists = restored.games.iter().filter_map(|game| game.moves.as_ref());
        changes.extend(lists.flat_map(|list| self.add_listed_moves(list)));
        changes
    }

    /// Applies the outcome of a game that a lost connection interrupted. Returns the change; `None` if the game is not tracked, or is an
    /// own one that was resumed before.
    fn apply_outcome(&mut self, restored: &RestoredGame) -> Option<TrackedChange> {
        let known = self.tracked.iter_mut().find(|game| {
            game.state() == TrackedState::Interrupted
                && game.number() == restored.was
                && game.has_players(&restored.white, &restored.black)
        })?;
        let number = restored.now.or_else(|| Some(restored.ending.as_ref()?.game));
        Some(match (restored.outcome, number.and_then(|number| self.games.get(number))) {
            (RestoreOutcome::Ended, Some(game)) => known.apply_change(game, ChangeKind::Ended, self.n_events),
            (RestoreOutcome::Ended, None) => known.enter_state_after(TrackedChangeKind::Ended),
            (RestoreOutcome::Adjourned, _) => known.enter_state_after(TrackedChangeKind::Adjourned),
            (_, Some(game)) => known.resume(game, self.n_events),
            (_, None) => known.enter_state_after(TrackedChangeKind::Left),
        })
    }

    /// Marks the interrupted games of these players as adjourned, because the server lists them so.
    fn mark_adjourned(&mut self, stored: &AdjournedGame) -> Vec<TrackedChange> {
        let is_it = |game: &&mut TrackedGame| {
            game.state() == TrackedState::Interrupted && game.has_players(&stored.white, &stored.black)
        };
        let found = self.tracked.iter_mut().filter(is_it);
        found.map(|game| game.enter_state_after(TrackedChangeKind::Adjourned)).collect()
    }

    /// Completes the game in progress that a list of moves belongs to. If the list shows that this game is an observed one that was
    /// interrupted, resumes that one in its place, and returns the change.
    fn add_listed_moves(&mut self, list: &MoveList) -> Vec<TrackedChange> {
        let is_it = |game: &&mut TrackedGame| {
            let has_player = |color, listed: &Option<ListedPlayer<ListedName>>| {
                listed.as_ref().is_some_and(|listed| game.player(color) == *listed.name.as_str())
            };
            let has_players = || has_player(Color::White, &list.white) && has_player(Color::Black, &list.black);
            game.state() == TrackedState::Playing
                && list.game.map_or_else(has_players, |number| number == game.number())
        };
        let Some(found) = self.tracked.iter_mut().find(is_it) else { return Vec::new() };
        found.add_missing_moves(list);
        let (key, game) = (found.key(), found.game().clone());
        let is_continued = |known: &&mut TrackedGame| {
            known.state() == TrackedState::Interrupted
                && known.position().relation() == Relation::Observing
                && known.game().continuation_in(&game, Some(list), Duration::ZERO) == Continuation::Same
        };
        let Some(known) = self.tracked.iter_mut().find(is_continued) else { return Vec::new() };
        let resumed = known.resume(&game, self.n_events);
        known.add_missing_moves(list);
        self.tracked.retain(|tracked| tracked.key() != key);
        vec![resumed]
    }
}

/// Identifies a game of a tracker. Unlike the server's number it stays the same when the game is resumed, and is never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameKey(u64);

/// State of a tracked game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TrackedState {
    /// In progress; boards arrive.
    Playing,
    /// The connection was lost while the game was in progress. It may be resumed.
    Interrupted,
    /// The server adjourned the game. It may be resumed.
    Adjourned,
    /// The game ended, or the server reported that it is over.
    Over,
    /// The session stopped observing the game, or another game has its number: its end is unknown.
    Left,
}

/// A change of a tracked game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrackedChange {
    /// The game.
    pub game: GameKey,
    /// The change.
    pub kind: TrackedChangeKind,
}

/// Kind of a change of a tracked game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TrackedChangeKind {
    /// A game has its first board.
    Started,
    /// A game continues after an adjournment or a lost connection, perhaps with another number and other clocks. If
    /// [`has_missing_moves`](TrackedGame::has_missing_moves), the server's command `moves` lists its moves.
    Resumed,
    /// One more move was played.
    Moved,
    /// Moves were taken back.
    #[non_exhaustive]
    TakenBack {
        /// Number of plies.
        plies: u16,
    },
    /// Another position replaced the known one; moves in between are not known.
    Replaced,
    /// Position and moves are unchanged: clocks, terms or reserves were sent.
    Refreshed,
    /// The game was adjourned by the server, or found among the adjourned games after a lost connection.
    Adjourned,
    /// The game is over or was aborted (result `*`); [`TrackedGame::ending`](TrackedGame::ending) has the server's report.
    Ended,
    /// The connection was lost.
    Interrupted,
    /// No more boards arrive: the session stopped observing the game, it was not found after a lost connection, or another game has
    /// taken its place. Its end is not known.
    Left,
}

#[cfg(test)]
mod tests;
