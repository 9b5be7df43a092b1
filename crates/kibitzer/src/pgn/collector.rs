//! Games of a session as PGN, collected from its events, and bughouse matches as BPGN.

use std::collections::BTreeMap;

use kibitzer_core::Event;
use kibitzer_core::chess::Color;
use kibitzer_core::message::{GameEndReason, GameResult, Message, Rating, Talk, TalkKind};

use super::game::{MAX_COMMENTS, event_tag_value};
use super::notation::{escape_tag_value, san_moves, sanitize_comment};
use super::{PgnGame, PgnOrigin};
use crate::track::{GameKey, GameTracker, TrackedChange, TrackedChangeKind, TrackedGame, TrackedMove, TrackedState};
use crate::transcript::Utc;

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
    /// Commands of moves, by the ply to which they lead.
    commands: BTreeMap<u32, String>,
}

impl PgnCollector {
    /// Creates a collector of the games that this login plays, without games.
    pub fn new(origin: PgnOrigin) -> Self {
        Self { origin, ..Self::default() }
    }

    /// Collects observed games, too. Call it before the first event.
    #[must_use]
    pub fn with_observed(mut self) -> Self {
        self.tracker = self.tracker.with_observed();
        self
    }

    /// Keeps kibitzes, whispers and the opponent's words as comments.
    #[must_use]
    pub const fn with_talk(mut self) -> Self {
        self.keeps_talk = true;
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
            self.notes.insert(change.game, GameNotes { started: time, ..GameNotes::default() });
        }
        let tracker = &self.tracker;
        self.notes.retain(|key, _| tracker.get(*key).is_some());
        if let Some(Message::Talk(talk)) = event.message().filter(|_| self.keeps_talk) {
            self.add_talk_comment(talk);
        }
        changes
    }

    /// Sets the commands of the move that leads to a ply of a game, such as `[%eval 0.17]`; see [`PgnGame::add_commands`]. An empty text
    /// removes them. At most 500 moves of a game have commands; those of others, and of an unknown game, are dropped.
    pub fn annotate(&mut self, game: GameKey, ply: u32, commands: &str) {
        if self.tracker.get(game).is_none() {
            return;
        }
        // A game that was resumed has no notes yet.
        let notes = self.notes.entry(game).or_default();
        notes.commands.remove(&ply);
        if !commands.is_empty() && notes.commands.len() < MAX_COMMENTS {
            notes.commands.insert(ply, commands.to_owned());
        }
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
        for (ply, commands) in notes.iter().flat_map(|notes| &notes.commands) {
            pgn.add_commands(*ply, commands);
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
        Some(format_match(games, &self.origin_of(key)))
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
        | TalkKind::Say { game: number, .. }) = talk.kind
        else {
            return;
        };
        let Some(from) = talk.speaker() else { return };
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

/// Formats two games of a bughouse match in BPGN, version 1.2. Board A is the one with the lower number.
///
/// The moves of both boards are in the order in which they arrived. The result is that of the team of White on board A.
fn format_match(games: [&TrackedGame; 2], origin: &PgnOrigin) -> String {
    let mut boards = games;
    boards.sort_by_key(|game| game.number());
    let [a, b] = boards;
    let mut moves: Vec<_> = [('A', 'a', a), ('B', 'b', b)].into_iter().flat_map(moves_by_arrival).collect();
    moves.sort_by_key(|(arrival, _)| *arrival);
    // The words of the board whose end decided the match; the other one ends because of it.
    let decided = boards.into_iter().filter_map(TrackedGame::ending).min_by_key(|ending| {
        matches!(ending.reason, GameEndReason::Partner | GameEndReason::AbortPartner | GameEndReason::AdjournPartner)
    });
    let ending = decided.map(|ending| format!("{{{}}} ", sanitize_comment(ending.text.as_str())));
    let result = match (a.ending(), b.ending()) {
        (Some(ending), _) => ending.result,
        (None, Some(ending)) => opposite_result(ending.result),
        (None, None) => GameResult::Unfinished,
    };
    let tags = tag_lines(a, b, result, origin).join("\n");
    let moves = moves.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(" ");
    format!("{tags}\n\n{moves}\n{}{}\n", ending.unwrap_or_default(), result.as_str())
}

/// Returns the moves of a board as written, each with the number of the event with which it arrived. The letters of the board are
/// White's and Black's.
fn moves_by_arrival((white, black, game): (char, char, &TrackedGame)) -> impl Iterator<Item = (u64, String)> {
    let line = game.line();
    let sans = san_moves(&line, false);
    let written = move |((ply, step), san): ((u32, TrackedMove), String)| {
        let letter = if step.color == Color::White { white } else { black };
        let clock = step.clock.map(|clock| format!("{{{}}}", format_seconds(clock.as_ms()))).unwrap_or_default();
        (step.arrival, format!("{}{letter}. {san}{clock}", ply / 2 + 1))
    };
    (line.start_ply()..).zip(line.moves).zip(sans).map(written)
}

/// Formats milliseconds as seconds with three decimals.
fn format_seconds(ms: i64) -> String {
    let sign = if ms < 0 { "-" } else { "" };
    format!("{sign}{}.{:03}", ms.unsigned_abs() / 1000, ms.unsigned_abs() % 1000)
}

/// Returns the lines of tags of a match; `a` and `b` are its boards.
fn tag_lines(a: &TrackedGame, b: &TrackedGame, result: GameResult, origin: &PgnOrigin) -> Vec<String> {
    let tag = |name: &str, value: &str| format!("[{name} \"{}\"]", escape_tag_value(value));
    let (initial_s, increment_s) = a.time_control_s();
    let [date, time] = origin.date_and_time();
    let mut tags = vec![tag("Event", &event_tag_value(a, origin)), tag("Site", &origin.site(" - "))];
    tags.extend([tag("Date", &date), tag("Time", &time)]);
    for (board, game) in [("A", a), ("B", b)] {
        for (color, name) in [(Color::White, "White"), (Color::Black, "Black")] {
            let rating = game.rating(color).and_then(Rating::value).filter(|rating| *rating > 0);
            let elo = rating.map(|rating| tag(&format!("{name}{board}Elo"), &rating.to_string())).unwrap_or_default();
            tags.push(tag(&format!("{name}{board}"), game.player(color).as_str()) + &elo);
        }
    }
    tags.extend([tag("TimeControl", &format!("{initial_s}+{increment_s}")), tag("Result", result.as_str())]);
    tags
}

/// Returns the result from the view of the other color.
const fn opposite_result(result: GameResult) -> GameResult {
    match result {
        GameResult::WhiteWins => GameResult::BlackWins,
        GameResult::BlackWins => GameResult::WhiteWins,
        other => other,
    }
}
