//! Restoration after a login: settings are sent; after a lost connection also seeks and requests to observe the games.
//!
//! | task | sent | reply | next |
//! |---|---|---|---|
//! | `FindByNumber` | `observe 7` | board with the players of the game | `ListMoves` if moves may be missing |
//! | `FindByNumber` | | refusal; no board of the game | `FindByPlayer` |
//! | `FindByNumber`, `FindByPlayer` | | board of another sought game | that game is found |
//! | `FindByNumber`, `FindByPlayer` | | board of a game that is not sought | `Unobserve` |
//! | `FindByPlayer` | `observe Newton` | refusal; no board of the game | done: the game is gone or replaced |
//! | `ListMoves` | `moves 7` | any | done: [`Continuation`] decides whether it is the same game |
//! | `SendAgain` | the command | any | done |
//!
//! Requests to observe are sent last, after all games were sought: the search unobserves games that are not among them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Memory;
use crate::event::{RequestError, RequestId, RestoreOutcome, Restored, RestoredCommand, RestoredGame};
use crate::game::{Continuation, Game, Games};
use crate::message::listing::{Listing as _, MoveList};
use crate::message::{GameId, Message, Refusal, Style12};
use crate::session::command::Command;
use crate::session::reply::Reply;
use crate::session::requests::{CompletedRequest, Requester, Requests};

/// A restoration in progress.
#[derive(Debug)]
pub(crate) struct Restoration {
    games: Vec<RestoreSearch>,
    /// The report so far: commands to send again, with their errors. A command with an error from the start was given up and is not
    /// sent.
    report: Restored,
    /// Tasks whose reply is awaited.
    pending: Vec<(RequestId, RestoreTask)>,
    next: Vec<(Command, RestoreTask)>,
    /// Tasks to send once nothing else is pending.
    last: Vec<(Command, RestoreTask)>,
    /// Time from the last byte of the lost connection until the search.
    gap: Duration,
    /// Whether a connection was lost. Otherwise it is the first login, which only sends settings.
    pub(crate) is_after_loss: bool,
}

/// Purpose of a command that is sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RestoredCommandKind {
    Setting,
    /// Observes a game.
    Request,
    Seek,
}

/// A game in progress at the loss, with the partial report about its restoration.
#[derive(Debug)]
struct RestoreSearch {
    known: Game,
    report: RestoredGame,
    /// Number of the followed game with the same players and colors; `continuation` is its relation to the known one.
    found: Option<GameId>,
    continuation: Continuation,
}

/// Purpose of a command; the number is the index in the list of games, or of commands of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RestoreTask {
    /// Checks whether the number still means the same game.
    FindByNumber(usize),
    /// Checks whether a player still plays the game, perhaps under another number.
    FindByPlayer(usize),
    ListMoves(usize),
    /// Stops observing a game that is not sought.
    Unobserve,
    SendAgain(RestoredCommandKind, usize),
}

impl Restoration {
    /// Creates the tasks. `settings` are sent after every login. `games` are those of the new connection: the server may already
    /// have resumed games of this login.
    pub(crate) fn new(settings: &[Command], memory: &Memory, games: &Games, now: Instant) -> Self {
        let gap = memory.loss.as_ref().map(|loss| now.saturating_duration_since(loss.last_byte_at)).unwrap_or_default();
        let mut restoration = Self {
            games: memory.games.iter().map(|known| RestoreSearch::new(known.clone(), games, gap)).collect(),
            report: Restored::default(),
            pending: Vec::new(),
            next: Vec::new(),
            last: Vec::new(),
            gap,
            is_after_loss: memory.loss.is_some(),
        };
        for setting in settings.iter().chain(memory.settings.iter().map(|(_, command)| command)) {
            restoration.queue_or_report_given_up(RestoredCommandKind::Setting, setting, memory);
        }
        for at in 0..restoration.games.len() {
            restoration.queue_search_or_move_list(at);
        }
        for seek in &memory.seeks {
            restoration.queue_or_report_given_up(RestoredCommandKind::Seek, &seek.command, memory);
        }
        for request in memory.requests.iter().filter(|command| !memory.names_remembered_game(command)) {
            restoration.queue_or_report_given_up(RestoredCommandKind::Request, request, memory);
        }
        restoration
    }

    /// Queues a command to send again. One that was given up is not queued, but listed in the report with an error.
    fn queue_or_report_given_up(&mut self, kind: RestoredCommandKind, command: &Command, memory: &Memory) {
        let error = memory.given_up.contains(command).then_some(RequestError::Lost);
        let is_given_up = error.is_some();
        let commands = self.commands_mut(kind);
        let at = commands.len();
        commands.push(RestoredCommand { command: command.as_str().to_owned(), error, game: None });
        if !is_given_up {
            let tasks = if kind == RestoredCommandKind::Request { &mut self.last } else { &mut self.next };
            tasks.push((command.clone(), RestoreTask::SendAgain(kind, at)));
        }
    }

    /// Returns the report about the commands of a kind.
    const fn commands_mut(&mut self, kind: RestoredCommandKind) -> &mut Vec<RestoredCommand> {
        match kind {
            RestoredCommandKind::Setting => &mut self.report.settings,
            RestoredCommandKind::Request => &mut self.report.requests,
            RestoredCommandKind::Seek => &mut self.report.seeks,
        }
    }

    /// Queues the search for an observed game; for an own game that was resumed, its move list if moves may be missing.
    fn queue_search_or_move_list(&mut self, at: usize) {
        let Some(search) = self.games.get(at) else { return };
        if search.known.position().relation().is_observer() {
            self.queue_task(&format!("observe {}", search.known.id()), RestoreTask::FindByNumber(at));
        } else {
            self.queue_move_list_if_missing(at);
        }
    }

    /// Queues the requests that can be made now, those in `last` once no other task is queued or pending. Returns whether there
    /// are any.
    pub(crate) fn queue_next_commands(&mut self, requests: &mut Requests) -> bool {
        let is_last = self.pending.is_empty() && self.next.is_empty();
        let commands = std::mem::take(if is_last { &mut self.last } else { &mut self.next });
        let has_commands = !commands.is_empty();
        for (command, task) in commands {
            self.pending.push((requests.enqueue(Requester::Restore, Some(command)), task));
        }
        has_commands
    }

    pub(crate) fn is_done(&self) -> bool {
        self.pending.is_empty() && self.next.is_empty() && self.last.is_empty()
    }

    /// Gives found games their identity, clears the memory of the loss, and forgets seeks that failed. Returns the report;
    /// `None` after the first login, which only sends the configured settings.
    pub(crate) fn finish(self, memory: &mut Memory, games: &mut Games, now: Instant) -> Option<Restored> {
        memory.requests.clear();
        memory.unanswered_at_loss = None;
        let mut restored = self.report;
        for search in self.games {
            let mut report = search.into_report(games);
            if report.outcome == RestoreOutcome::Interrupted
                && memory.adjourned.contains_game(&report.white, &report.black)
            {
                report.outcome = RestoreOutcome::Adjourned;
            }
            restored.games.push(report);
        }
        for failed in restored.seeks.iter().filter(|seek| seek.error.is_some()) {
            memory.seeks.retain(|seek| seek.command.as_str() != failed.command);
        }
        let loss = memory.loss.take()?;
        restored.offline_for = now.saturating_duration_since(loss.last_byte_at);
        restored.silent_for = loss.noticed_at.saturating_duration_since(loss.last_byte_at);
        Some(restored)
    }

    /// Processes the reply to a command of the restoration; ignores requests that are not pending here.
    pub(crate) fn handle_reply(&mut self, completed: &CompletedRequest, games: &Games) {
        let Some(at) = self.pending.iter().position(|(id, _)| *id == completed.request.id) else { return };
        let (_, task) = self.pending.swap_remove(at);
        let result = &completed.result;
        match task {
            RestoreTask::FindByNumber(at) => {
                self.handle_observe_reply(at, result, games);
                self.queue_search_by_player(at);
            }
            RestoreTask::FindByPlayer(at) => self.handle_observe_reply(at, result, games),
            RestoreTask::ListMoves(at) => {
                let list = result.as_ref().ok().and_then(|reply| MoveList::parse(reply.lines()).ok());
                if let (Some(search), Some(list)) = (self.games.get_mut(at), list) {
                    search.decide_by_list(list, games, self.gap);
                }
            }
            RestoreTask::Unobserve => {}
            RestoreTask::SendAgain(kind, at) => {
                if let Some(command) = self.commands_mut(kind).get_mut(at) {
                    // A game that is already observed counts as success.
                    let is_failure =
                        |error: &&RequestError| !matches!(error.refusal_reason(), Some(Refusal::AlreadyObserving(_)));
                    command.error = result.as_ref().err().filter(is_failure).cloned();
                    command.game = observed_game(result, games).map(Game::id);
                }
            }
        }
    }

    /// Processes the reply to `observe`. Assigns the reported board to the search that it matches, which need not be this one:
    /// the server assigns new numbers, and a player may have several games. Stops observing a game that no search matches, if
    /// this command started that.
    ///
    /// If this search still has no game, records the outcome.
    fn handle_observe_reply(&mut self, at: usize, result: &Result<Reply, RequestError>, games: &Games) {
        let observed = observed_game(result, games);
        match observed.map(|game| (game, self.search_index_for(game.position(), at))) {
            Some((game, Some(found))) => self.record_found_game(found, game),
            Some((other, None)) if result.is_ok() => {
                self.queue_task(&format!("unobserve {}", other.id()), RestoreTask::Unobserve);
            }
            // The game was observed before this command, so a request of the user observes it.
            Some((_, None)) | None => {}
        }
        let Some(search) = self.games.get_mut(at).filter(|search| search.found.is_none()) else { return };
        match (observed, result.as_ref().err().and_then(RequestError::refusal_reason)) {
            (Some(_), _) => search.report.outcome = RestoreOutcome::Replaced { by: None },
            // Perhaps on another server, whose numbers mean nothing.
            (None, Some(Refusal::NotLoggedIn | Refusal::NoSuchPlayer)) => search.report.outcome = RestoreOutcome::Gone,
            _ => {}
        }
    }

    /// Queues the search for a game by its player; does nothing if it was found.
    fn queue_search_by_player(&mut self, at: usize) {
        if let Some(search) = self.games.get(at).filter(|search| search.found.is_none()) {
            // One name suffices: in bughouse and simuls the other player may be at another board.
            let line = format!("observe {}", search.known.position().white());
            self.queue_task(&line, RestoreTask::FindByPlayer(at));
        }
    }

    /// Returns the index of the search that a board belongs to: the one that has found this game already; else the current one,
    /// if the players match; else the first other one whose players match; else `None`.
    fn search_index_for(&self, board: &Style12, current: usize) -> Option<usize> {
        let has_found = |at: &usize| self.games.get(*at).is_some_and(|search| search.found == Some(board.game()));
        let is_sought = |search: &RestoreSearch| {
            let known = search.known.position();
            known.relation().is_observer() && search.found.is_none() && known.has_same_player_names(board)
        };
        let matches = |at: &usize| self.games.get(*at).is_some_and(is_sought);
        let all = 0..self.games.len();
        all.clone().find(has_found).or_else(|| std::iter::once(current).chain(all).find(matches))
    }

    /// Records that a search has found its game, and queues the move list if moves may be missing; ignored if it had found one.
    fn record_found_game(&mut self, at: usize, game: &Game) {
        if let Some(search) = self.games.get_mut(at).filter(|search| search.found.is_none()) {
            search.record_found(game, self.gap);
            self.queue_move_list_if_missing(at);
        }
    }

    /// Queues the command that lists the moves of a found game, if moves may be missing or it may be another game.
    fn queue_move_list_if_missing(&mut self, at: usize) {
        let Some(search) = self.games.get(at) else { return };
        let is_known = search.continuation == Continuation::Same && !search.report.moves_missing;
        let Some(game) = search.found.filter(|_| !is_known) else { return };
        self.queue_task(&format!("moves {game}"), RestoreTask::ListMoves(at));
    }

    fn queue_task(&mut self, line: &str, task: RestoreTask) {
        if let Ok(command) = Command::new(line) {
            self.next.push((command, task));
        }
    }
}

impl RestoreSearch {
    /// Starts the search for a game. An own game is found at once if one with its players is among `games`, as the server resumes
    /// some; otherwise it counts as interrupted.
    fn new(known: Game, games: &Games, gap: Duration) -> Self {
        let position = known.position();
        let relation = position.relation();
        let mut report = RestoredGame::unchanged(known.id(), position.white(), position.black(), relation);
        report.now = None;
        report.moves_missing = true;
        report.outcome = if relation.is_observer() { RestoreOutcome::Gone } else { RestoreOutcome::Interrupted };
        let mut search = Self { known, report, found: None, continuation: Continuation::Other };
        let is_resumed = |game: &&Game| {
            game.is_followed_and_ongoing()
                && game.position().relation().is_mine()
                && search.known.position().has_same_player_names(game.position())
        };
        if relation.is_mine()
            && let Some(game) = games.iter().find(is_resumed)
        {
            search.record_found(game, gap);
        }
        search
    }

    /// Records that a game with the same players and colors was found: whether it is this one, and whether moves may be missing.
    fn record_found(&mut self, game: &Game, gap: Duration) {
        self.found = Some(game.id());
        self.continuation = self.known.continuation_in(game, None, gap);
        let outcome = outcome_of_boards(self.known.position(), game.position());
        // The board contains the last move.
        self.report.moves_missing =
            !matches!(outcome, RestoreOutcome::Unchanged | RestoreOutcome::Advanced { plies: 1 });
    }

    /// Decides by the list of its moves whether the found game is this one, unless that is known.
    fn decide_by_list(&mut self, list: MoveList, games: &Games, gap: Duration) {
        let undecided = self.found.filter(|_| self.continuation != Continuation::Same);
        if let Some(game) = undecided.and_then(|found| games.get(found)) {
            self.continuation = self.known.continuation_in(game, Some(&list), gap);
        }
        self.report.moves = Some(list);
    }

    /// Completes the report with the state of the found game, and gives that game the identity of this one, unless it is another
    /// game.
    fn into_report(self, games: &mut Games) -> RestoredGame {
        let Self { known, mut report, found, continuation } = self;
        let Some(game) = found.and_then(|found| games.get(found)) else {
            report.moves_missing = true;
            return report;
        };
        let now = found.filter(|_| game.is_followed_and_ongoing());
        if matches!(continuation, Continuation::Unlikely | Continuation::Other) {
            report.outcome = RestoreOutcome::Replaced { by: now };
            report.moves_missing = true;
            return report;
        }
        report.now = now;
        report.ending = game.ending().map(|ending| Arc::new(ending.clone()));
        report.outcome = match (now, &report.ending) {
            (Some(_), _) => outcome_of_boards(known.position(), game.position()),
            (None, Some(_)) => RestoreOutcome::Ended,
            (None, None) => RestoreOutcome::Gone,
        };
        report.moves_missing |= report.outcome == RestoreOutcome::Gone;
        games.adopt_identity(now, &known);
        report
    }
}

/// Returns how a game has changed from one of its positions to another.
fn outcome_of_boards(before: &Style12, after: &Style12) -> RestoreOutcome {
    match after.ply().checked_sub(before.ply()) {
        Some(0) if after.has_same_squares(before) => RestoreOutcome::Unchanged,
        Some(plies) if plies > 0 => RestoreOutcome::Advanced { plies },
        _ => RestoreOutcome::Changed,
    }
}

/// Returns the game that a reply to `observe` reports as observed, newly or already; `None` if it reports none, or an unknown one.
fn observed_game<'a>(result: &Result<Reply, RequestError>, games: &'a Games) -> Option<&'a Game> {
    let game = match result {
        Ok(reply) => reply.messages().find_map(|message| match message {
            Message::Observing(observing) if observing.is_observed => Some(observing.game),
            _ => None,
        })?,
        Err(error) => match error.refusal_reason()? {
            Refusal::AlreadyObserving(game) => game,
            _ => return None,
        },
    };
    // The board may have been sent as a line or as moves.
    games.get(game)
}
