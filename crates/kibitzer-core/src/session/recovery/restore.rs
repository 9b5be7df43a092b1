//! Restoration after a login: settings are sent; after a lost connection also seeks and requests to observe the games.
//!
//! | task | sent | reply | next |
//! |---|---|---|---|
//! | `FindByNumber` | `observe 7` | board of the game | `ListMoves` if moves may be missing |
//! | `FindByNumber` | | refusal; no board of the game | `FindByPlayer` |
//! | `FindByNumber`, `FindByPlayer` | | board of another sought game | that game is found |
//! | `FindByNumber`, `FindByPlayer` | | board of a game that is not sought | `Unobserve` |
//! | `FindByPlayer` | `observe Newton` | refusal; no board of the game | done: the game ended or is unknown |
//! | `ListMoves` | `moves 7` | any | done |
//! | `SendAgain` | the command | any | done |
//!
//! Requests to observe are sent last, after all games were sought: the search unobserves games that are not among them.

use super::memory::{SessionMemory, has_same_player_names};
use crate::event::{RequestError, RequestId, RestoreOutcome, Restored, RestoredCommand, RestoredGame};
use crate::game::{Game, Games};
use crate::message::listing::{Listing as _, MoveList};
use crate::message::{Message, Refusal, Style12};
use crate::session::command::Command;
use crate::session::reply::Reply;
use crate::session::requests::CompletedRequest;

/// A restoration in progress.
#[derive(Debug)]
pub(crate) struct Restoration {
    games: Vec<RestoreSearch>,
    /// Commands to send again, with their errors so far. A command with an error from the start was given up and is not sent.
    commands: Vec<(RestoredCommandKind, RestoredCommand)>,
    /// Tasks whose reply is awaited.
    pub(crate) pending: Vec<(RequestId, RestoreTask)>,
    next: Vec<(Command, RestoreTask)>,
    /// Tasks to send once nothing else is pending.
    last: Vec<(Command, RestoreTask)>,
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
    last_board: Style12,
    report: RestoredGame,
}

/// Purpose of a command; the number is the index in the list of games or of commands to send again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RestoreTask {
    /// Checks whether the number still means the same game.
    FindByNumber(usize),
    /// Checks whether a player still plays the game, perhaps under another number.
    FindByPlayer(usize),
    ListMoves(usize),
    /// Stops observing a game that is not sought.
    Unobserve,
    SendAgain(usize),
}

impl Restoration {
    /// Creates the tasks. `settings` are sent after every login. `games` are those of the new connection: the server may already
    /// have resumed games of this login.
    pub(crate) fn new(settings: &[Command], memory: &SessionMemory, games: &Games) -> Self {
        let mut restoration = Self {
            games: memory.games.iter().map(|before| RestoreSearch::new(before.clone(), games)).collect(),
            commands: Vec::new(),
            pending: Vec::new(),
            next: Vec::new(),
            last: Vec::new(),
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
    fn queue_or_report_given_up(&mut self, kind: RestoredCommandKind, command: &Command, memory: &SessionMemory) {
        let error = memory.given_up.contains(command).then_some(RequestError::Lost);
        if error.is_none() {
            let tasks = if kind == RestoredCommandKind::Request { &mut self.last } else { &mut self.next };
            tasks.push((command.clone(), RestoreTask::SendAgain(self.commands.len())));
        }
        self.commands.push((kind, RestoredCommand { command: command.as_str().to_owned(), error }));
    }

    /// Queues the search for an observed game; for an own game that was resumed, its move list if moves may be missing.
    fn queue_search_or_move_list(&mut self, at: usize) {
        let Some(search) = self.games.get(at) else { return };
        if search.last_board.relation().is_observer() {
            self.queue_task(&format!("observe {}", search.last_board.game()), RestoreTask::FindByNumber(at));
        } else {
            self.queue_move_list_if_missing(at);
        }
    }

    /// Removes and returns the commands to send now; empty if there are none. Those in `last` follow once no other command is
    /// queued or pending. The caller adds the request of each to `pending`.
    pub(crate) fn take_next_commands(&mut self) -> Vec<(Command, RestoreTask)> {
        if self.pending.is_empty() && self.next.is_empty() {
            return std::mem::take(&mut self.last);
        }
        std::mem::take(&mut self.next)
    }

    pub(crate) fn is_done(&self) -> bool {
        self.pending.is_empty() && self.next.is_empty() && self.last.is_empty()
    }

    /// Returns the report with a default `offline_for`. Clears the remembered requests and the count of losses without a reply,
    /// and forgets seeks that failed.
    pub(crate) fn into_report_and_forget(self, memory: &mut SessionMemory) -> Restored {
        memory.requests.clear();
        memory.unanswered_at_loss = None;
        let games = self.games.into_iter().map(|search| search.report).collect();
        let mut restored = Restored { games, ..Restored::default() };
        for (kind, command) in self.commands {
            match kind {
                RestoredCommandKind::Setting => restored.settings.push(command),
                RestoredCommandKind::Request => restored.requests.push(command),
                RestoredCommandKind::Seek => {
                    if command.error.is_some() {
                        memory.seeks.retain(|seek| seek.command.as_str() != command.command);
                    }
                    restored.seeks.push(command);
                }
            }
        }
        restored
    }

    /// Processes the reply to a command of the restoration; ignores requests that are not pending here.
    pub(crate) fn handle_reply(&mut self, completed: &CompletedRequest, games: &Games) {
        let Some(at) = self.pending.iter().position(|(id, _)| *id == completed.request.id) else { return };
        let (_, task) = self.pending.swap_remove(at);
        let result = &completed.result;
        match task {
            RestoreTask::FindByNumber(at) => self.handle_observe_reply(at, result, true, games),
            RestoreTask::FindByPlayer(at) => self.handle_observe_reply(at, result, false, games),
            RestoreTask::ListMoves(at) => {
                if let Some(search) = self.games.get_mut(at) {
                    search.report.moves = result.as_ref().ok().and_then(|reply| MoveList::parse(reply.lines()).ok());
                }
            }
            RestoreTask::Unobserve => {}
            RestoreTask::SendAgain(at) => {
                if let Some((_, command)) = self.commands.get_mut(at) {
                    command.error = result.as_ref().err().filter(|error| !is_already_observing(error)).cloned();
                }
            }
        }
    }

    /// Processes the reply to `observe`. Assigns the reported board to the search that it matches, which need not be this one:
    /// the server assigns new numbers, and a player may have several games. Stops observing a game that no search matches, if
    /// this command started that.
    ///
    /// If this search still has no game, records the outcome, and after a search by number queues one by player.
    fn handle_observe_reply(
        &mut self,
        at: usize,
        result: &Result<Reply, RequestError>,
        by_number: bool,
        games: &Games,
    ) {
        let board = observed_board(result, games);
        match board.map(|board| (board, self.search_index_for(board, at))) {
            Some((board, Some(found))) => self.record_found_game(found, board),
            Some((other, None)) if result.is_ok() => {
                self.queue_task(&format!("unobserve {}", other.game()), RestoreTask::Unobserve);
            }
            // The game was observed before this command, so a request of the user observes it.
            Some((_, None)) | None => {}
        }
        let Some(search) = self.games.get_mut(at).filter(|search| search.report.now.is_none()) else { return };
        search.report.outcome = if board.is_some() { RestoreOutcome::Ended } else { outcome_of_refusal(result) };
        if by_number {
            // One name suffices: in bughouse and simuls the other player may be at another board.
            let line = format!("observe {}", search.last_board.white());
            self.queue_task(&line, RestoreTask::FindByPlayer(at));
        }
    }

    /// Returns the index of the search that a board belongs to: the one that has found this game already; else the current one,
    /// if the players match; else the first other one whose players match; else `None`.
    fn search_index_for(&self, board: &Style12, current: usize) -> Option<usize> {
        let has_found = |at: &usize| self.games.get(*at).is_some_and(|search| search.report.now == Some(board.game()));
        let matches = |at: &usize| self.games.get(*at).is_some_and(|search| search.may_be_found_as(board));
        let all = 0..self.games.len();
        all.clone().find(has_found).or_else(|| std::iter::once(current).chain(all).find(matches))
    }

    /// Records that a search has found its game, and queues the move list if moves may be missing; ignored if it had found one.
    fn record_found_game(&mut self, at: usize, board: &Style12) {
        if let Some(search) = self.games.get_mut(at).filter(|search| search.report.now.is_none()) {
            search.record_found(board);
            self.queue_move_list_if_missing(at);
        }
    }

    fn queue_move_list_if_missing(&mut self, at: usize) {
        let report = self.games.get(at).map(|search| &search.report);
        let Some(game) = report.filter(|report| report.moves_missing).and_then(|report| report.now) else { return };
        self.queue_task(&format!("moves {game}"), RestoreTask::ListMoves(at));
    }

    fn queue_task(&mut self, line: &str, task: RestoreTask) {
        if let Ok(command) = Command::new(line) {
            self.next.push((command, task));
        }
    }
}

/// Returns whether the server refused to observe a game that is already observed, which counts as success.
const fn is_already_observing(error: &RequestError) -> bool {
    matches!(error.refusal_reason(), Some(Refusal::AlreadyObserving(_)))
}

impl RestoreSearch {
    /// Starts the search with the last board of a game. An own game is found at once if it is among `games`, as the server
    /// resumes some; otherwise it counts as interrupted.
    fn new(last_board: Style12, games: &Games) -> Self {
        let relation = last_board.relation();
        let mut report = RestoredGame::unchanged(last_board.game(), last_board.white(), last_board.black(), relation);
        (report.now, report.outcome) =
            (None, if relation.is_observer() { RestoreOutcome::Gone } else { RestoreOutcome::Interrupted });
        let mut search = Self { last_board, report };
        let is_resumed = |game: &&Game| {
            let position = game.position();
            game.is_followed_and_ongoing()
                && position.relation().is_mine()
                && has_same_player_names(&search.last_board, position)
        };
        if relation.is_mine()
            && let Some(game) = games.iter().find(is_resumed)
        {
            search.record_found(game.position());
        }
        search
    }

    /// Returns whether a board belongs to the observed game that is being searched for: the same players, and not found yet.
    /// Always false for games that this login played.
    fn may_be_found_as(&self, board: &Style12) -> bool {
        self.last_board.relation().is_observer()
            && self.report.now.is_none()
            && has_same_player_names(&self.last_board, board)
    }

    /// Records that the game was found with this board: its number, the outcome, and whether moves may be missing.
    fn record_found(&mut self, board: &Style12) {
        let outcome = match board.ply().checked_sub(self.last_board.ply()) {
            Some(0) if board.board() == self.last_board.board() => RestoreOutcome::Unchanged,
            Some(plies) if plies > 0 => RestoreOutcome::Advanced { plies },
            _ => RestoreOutcome::Changed,
        };
        self.report.now = Some(board.game());
        self.report.outcome = outcome;
        // The board contains the last move.
        self.report.moves_missing =
            !matches!(outcome, RestoreOutcome::Unchanged | RestoreOutcome::Advanced { plies: 1 });
    }
}

/// Returns the board of the game that a reply to `observe` reports as observed, newly or already; `None` if it reports no game,
/// or an unknown one.
fn observed_board<'a>(result: &Result<Reply, RequestError>, games: &'a Games) -> Option<&'a Style12> {
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
    games.get(game).map(Game::position)
}

/// Returns the outcome for a game that could not be observed: [`Ended`](RestoreOutcome::Ended) if the refusal shows that the game
/// is no longer played, else [`Gone`](RestoreOutcome::Gone).
fn outcome_of_refusal(result: &Result<Reply, RequestError>) -> RestoreOutcome {
    match result.as_ref().err().and_then(RequestError::refusal_reason) {
        Some(Refusal::NoSuchGame | Refusal::NotLoggedIn | Refusal::NoSuchPlayer | Refusal::PlayerNotPlaying) => {
            RestoreOutcome::Ended
        }
        _ => RestoreOutcome::Gone,
    }
}
