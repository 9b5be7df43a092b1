//! Games of a session as PGN, collected from its events.

use std::collections::BTreeMap;

use kibitzer::Event;
use kibitzer::core::chess::Color;
use kibitzer::core::message::{Message, Talk, TalkKind};
use kibitzer::transcript::Utc;

use super::game::MAX_COMMENTS;
use super::{PgnGame, PgnOrigin, bpgn};
use crate::tracker::{GameKey, GameTracker, TrackedChange, TrackedChangeKind, TrackedGame, TrackedState};

/// Collects the games of a session from its events: start times, moves, and on request the players' talk.
#[derive(Debug, Default)]
pub struct PgnCollector {
    tracker: GameTracker,
    origin: PgnOrigin,
    keeps_talk: bool,
    notes: BTreeMap<GameKey, GameNotes>,
}

/// Start time and comments of a game, which the tracker does not keep.
#[derive(Debug, Default)]
struct GameNotes {
    started: Option<Utc>,
    /// Comments by the number of moves before them.
    comments: Vec<(usize, String)>,
}

impl PgnCollector {
    /// Creates a collector of the games that this login plays, without games.
    pub fn new(origin: PgnOrigin) -> Self {
        Self { origin, ..Self::default() }
    }

    /// Collects observed games, too. Call it before the first event.
    #[must_use]
    pub fn with_observed(mut self) -> Self {
        self.tracker = GameTracker::with_observed();
        self
    }

    /// Sets whether kibitzes, whispers and the opponent's words become comments. Default: no.
    #[must_use]
    pub const fn with_talk(mut self, keeps_talk: bool) -> Self {
        self.keeps_talk = keeps_talk;
        self
    }

    /// Returns the tracker of the games.
    pub const fn tracker(&self) -> &GameTracker {
        &self.tracker
    }

    /// Applies an event that happened at this time, and returns the changes of games. With `None`, the records of
    /// games that start have an unknown date.
    pub fn apply(&mut self, event: &Event, time: Option<Utc>) -> Vec<TrackedChange> {
        let changes = self.tracker.apply(event);
        for change in changes.iter().filter(|change| change.kind == TrackedChangeKind::Started) {
            self.notes.insert(change.game, GameNotes { started: time, comments: Vec::new() });
        }
        let tracker = &self.tracker;
        self.notes.retain(|key, _| tracker.get(*key).is_some());
        if let Some(Message::Talk(talk)) = event.message().filter(|_| self.keeps_talk) {
            self.add_talk_comment(talk);
        }
        changes
    }

    /// Marks all games in progress as interrupted, at the end of a recorded connection.
    pub fn interrupt_games(&mut self) -> Vec<TrackedChange> {
        self.tracker.interrupt_games()
    }

    /// Returns a game in its current state; `None` as for [`GameTracker::get`].
    pub fn game(&self, key: GameKey) -> Option<PgnGame> {
        let game = self.tracker.get(key)?;
        let notes = self.notes.get(&key);
        let mut pgn = PgnGame::new(game, &self.origin_of(key));
        for (n_moves, comment) in notes.iter().flat_map(|notes| &notes.comments) {
            pgn.add_comment(*n_moves, comment);
        }
        Some(pgn)
    }

    /// Returns the game on the other board of a bughouse match; `None` for other games, and if it is not known.
    ///
    /// If the server did not report which games belong together, as to observers on some servers, it is the only other game of
    /// bughouse.
    pub fn partner_game(&self, key: GameKey) -> Option<&TrackedGame> {
        let game = self.tracker.get(key)?;
        let is_bughouse = |game: &&TrackedGame| game.variant() == "bughouse" && game.key() != key;
        let mut others = self.tracker.iter().filter(is_bughouse);
        match game.game().partner_game() {
            Some(number) => others.rfind(|other| other.number() == number),
            None if game.variant() == "bughouse" => others.next().filter(|_| others.next().is_none()),
            None => None,
        }
    }

    /// Returns the bughouse match that a game is part of, in BPGN; `None` unless both games are known.
    pub fn bughouse_match(&self, key: GameKey) -> Option<String> {
        let games = [self.tracker.get(key)?, self.partner_game(key)?];
        Some(bpgn::format_match(games, &self.origin_of(key)))
    }

    /// Returns the server of a game, with its start time if that is known.
    fn origin_of(&self, key: GameKey) -> PgnOrigin {
        let started = self.notes.get(&key).and_then(|notes| notes.started);
        started.map_or_else(|| self.origin.clone(), |time| self.origin.clone().started_at(time))
    }

    /// Adds talk to the game that it is about: by its number, for an opponent's words also by the opponent's name.
    fn add_talk_comment(&mut self, talk: &Talk) {
        let (TalkKind::Kibitz { game: number, .. }
        | TalkKind::Whisper { game: number, .. }
        | TalkKind::Say { game: number }) = talk.kind
        else {
            return;
        };
        let Some(from) = talk.from() else { return };
        let is_player = |game: &TrackedGame| Color::BOTH.iter().any(|color| game.player(*color) == from);
        let is_about = |game: &&TrackedGame| number.map_or_else(|| is_player(game), |number| number == game.number());
        let is_recent = |game: &&TrackedGame| matches!(game.state(), TrackedState::Playing | TrackedState::Over);
        let Some(game) = self.tracker.iter().filter(is_recent).rfind(is_about) else { return };
        let notes = self.notes.entry(game.key()).or_default();
        if notes.comments.len() < MAX_COMMENTS {
            notes.comments.push((game.n_moves(), format!("{from}: {}", talk.text())));
        }
    }
}
