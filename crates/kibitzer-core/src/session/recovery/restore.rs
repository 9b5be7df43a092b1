//! After a login: settings are set; after a lost connection, games are observed and seeks made again, too.

use crate::event::{Outcome, RefusalReason, RequestError, RequestId, Restored, RestoredCommand, RestoredGame};
use crate::game::{Game, Games};
use crate::message::listing::{Listing as _, MoveList};
use crate::message::{GameId, Message, ObservingRefusal, Refusal, Style12};
use crate::session::command::Command;
use crate::session::recovery::memory::{KnownGame, Memory};
use crate::session::reply::Reply;
use crate::session::requests::Done;

/// A restoration that goes on.
#[derive(Debug)]
pub(crate) struct Restore {
    games: Vec<Lookup>,
    settings: Vec<Resent>,
    requests: Vec<Resent>,
    seeks: Vec<Resent>,
    waiting: Vec<(RequestId, Task)>,
    /// What is to be sent next, and why.
    next: Vec<(Command, Task)>,
    /// What is to be sent once all games were looked for: the search leaves games that are none of its own.
    last: Vec<(Command, Task)>,
}

/// A command that is sent again, and the reason for which it failed, if it did.
type Resent = (Command, Option<RequestError>);

/// A game, and what is known of it.
#[derive(Debug)]
struct Lookup {
    known: KnownGame,
    found: RestoredGame,
}

/// What a command is for. Games and seeks are told by their places in the lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Whether the number still means the same game.
    ByNumber(usize),
    /// Whether a player still plays it, perhaps under another number.
    ByPlayer(usize),
    Moves(usize),
    /// Another game took the number, and is not to be observed.
    Leave,
    Setting(usize),
    Request(usize),
    Seek(usize),
}

impl Restore {
    /// `settings` are those of every login. `games` are those of the new connection: the server may have resumed our own by itself.
    pub(crate) fn new(settings: &[Command], memory: &Memory, games: &Games) -> Self {
        let lookups = memory.games.iter().map(|known| Lookup::new(known.clone(), games)).collect();
        let settings = settings.iter().chain(memory.settings.iter().map(|(_, command)| command));
        let requests = memory.requests.iter().filter(|command| !memory.has_game_of(command));
        let mut restore = Self {
            games: lookups,
            settings: unsent(settings, memory),
            requests: unsent(requests, memory),
            seeks: unsent(memory.seeks.iter().map(|seek| &seek.command), memory),
            waiting: Vec::new(),
            next: Vec::new(),
            last: Vec::new(),
        };
        restore.next.extend(tasks(&restore.settings, Task::Setting));
        for at in 0..restore.games.len() {
            restore.begin(at);
        }
        restore.next.extend(tasks(&restore.seeks, Task::Seek));
        restore.last.extend(tasks(&restore.requests, Task::Request));
        restore
    }

    fn begin(&mut self, at: usize) {
        let Some(lookup) = self.games.get(at) else { return };
        let id = lookup.known.id();
        if lookup.known.relation().is_observer() {
            self.ask(&format!("observe {id}"), Task::ByNumber(at));
        } else {
            self.ask_for_moves(at);
        }
    }

    /// What to send now. [`sent`](Self::sent) has to be told under which number.
    pub(crate) fn take_next(&mut self) -> Vec<(Command, Task)> {
        if self.waiting.is_empty() && self.next.is_empty() {
            return std::mem::take(&mut self.last);
        }
        std::mem::take(&mut self.next)
    }

    pub(crate) fn sent(&mut self, id: RequestId, task: Task) {
        self.waiting.push((id, task));
    }

    pub(crate) fn is_done(&self) -> bool {
        self.waiting.is_empty() && self.next.is_empty() && self.last.is_empty()
    }

    pub(crate) fn finish(self, memory: &mut Memory) -> Restored {
        memory.requests.clear();
        memory.note_restored();
        for (seek, _) in self.seeks.iter().filter(|(_, error)| error.is_some()) {
            memory.drop_seek(seek);
        }
        Restored {
            games: self.games.into_iter().map(|lookup| lookup.found).collect(),
            settings: reports(self.settings),
            requests: reports(self.requests),
            seeks: reports(self.seeks),
            ..Restored::default()
        }
    }

    /// Takes in what the server made of a command.
    pub(crate) fn handle(&mut self, done: &Done, games: &Games) {
        let Some(at) = self.waiting.iter().position(|(id, _)| *id == done.id) else { return };
        let (_, task) = self.waiting.swap_remove(at);
        match task {
            Task::ByNumber(at) => self.looked_up(at, &done.result, true, games),
            Task::ByPlayer(at) => self.looked_up(at, &done.result, false, games),
            Task::Moves(at) => self.moves_listed(at, &done.result),
            Task::Leave => {}
            Task::Setting(at) => set_error(&mut self.settings, at, &done.result),
            Task::Request(at) => set_error(&mut self.requests, at, &done.result),
            Task::Seek(at) => set_error(&mut self.seeks, at, &done.result),
        }
    }

    /// The board that comes may be of another game that is looked for: numbers are given anew, and a player may have several.
    fn looked_up(&mut self, at: usize, result: &Result<Reply, RequestError>, by_number: bool, games: &Games) {
        let board = board_followed(result, games);
        match board.map(|board| (board, self.owner_of(board, at))) {
            Some((board, Some(owner))) => self.found(owner, board),
            Some((other, None)) if result.is_ok() => self.leave(other.game()),
            // Whoever observes it already wants it.
            Some((_, None)) | None => {}
        }
        let Some(lookup) = self.games.get_mut(at).filter(|lookup| lookup.found.now.is_none()) else { return };
        lookup.found.outcome = if board.is_some() { Outcome::Ended } else { not_found(result) };
        if by_number {
            self.ask_by_player(at);
        }
    }

    /// Which of the games that are looked for has this board: the one that was found by it; else the one that was asked
    /// about, if it is between its players, or any other that is.
    fn owner_of(&self, board: &Style12, asked: usize) -> Option<usize> {
        let is_found = |at: &usize| self.games.get(*at).is_some_and(|lookup| lookup.found.now == Some(board.game()));
        let is_sought = |at: &usize| self.games.get(*at).is_some_and(|lookup| lookup.is_sought_by(board));
        let all = 0..self.games.len();
        all.clone().find(is_found).or_else(|| std::iter::once(asked).chain(all).find(is_sought))
    }

    fn found(&mut self, at: usize, board: &Style12) {
        if let Some(lookup) = self.games.get_mut(at).filter(|lookup| lookup.found.now.is_none()) {
            lookup.found(board);
            self.ask_for_moves(at);
        }
    }

    /// Two names are two chances: in bughouse and simuls one of them may be at another board.
    fn ask_by_player(&mut self, at: usize) {
        let Some(lookup) = self.games.get(at) else { return };
        let line = format!("observe {}", lookup.known.position.white());
        self.ask(&line, Task::ByPlayer(at));
    }

    fn leave(&mut self, game: GameId) {
        self.ask(&format!("unobserve {game}"), Task::Leave);
    }

    fn ask_for_moves(&mut self, at: usize) {
        let found = self.games.get(at).map(|lookup| &lookup.found);
        let Some(game) = found.filter(|found| found.moves_missing).and_then(|found| found.now) else { return };
        self.ask(&format!("moves {game}"), Task::Moves(at));
    }

    fn moves_listed(&mut self, at: usize, result: &Result<Reply, RequestError>) {
        let moves = result.as_ref().ok().and_then(|reply| MoveList::parse(reply.lines()).ok());
        if let Some(lookup) = self.games.get_mut(at) {
            lookup.found.moves = moves;
        }
    }

    /// Numbers and names make lines; a name that does not is none.
    fn ask(&mut self, line: &str, task: Task) {
        if let Ok(command) = Command::new(line) {
            self.next.push((command, task));
        }
    }
}

fn unsent<'a>(commands: impl Iterator<Item = &'a Command>, memory: &Memory) -> Vec<Resent> {
    let error = |command: &Command| memory.is_given_up(command).then_some(RequestError::Lost);
    commands.map(|command| (command.clone(), error(command))).collect()
}

fn reports(commands: Vec<Resent>) -> Vec<RestoredCommand> {
    commands.into_iter().map(|(command, error)| RestoredCommand::new(command.as_str(), error)).collect()
}

fn tasks(commands: &[Resent], task: fn(usize) -> Task) -> impl Iterator<Item = (Command, Task)> {
    let unsent = commands.iter().enumerate().filter(|(_, (_, error))| error.is_none());
    unsent.map(move |(at, (command, _))| (command.clone(), task(at)))
}

/// Takes down why a command was refused. A game that is observed already is what the command asks for.
fn set_error(commands: &mut [Resent], at: usize, result: &Result<Reply, RequestError>) {
    let is_observed = |error: &RequestError| {
        matches!(error.refusal(), Some(RefusalReason::Observing(ObservingRefusal::AlreadyObserving(_))))
    };
    if let Some((_, error)) = commands.get_mut(at) {
        *error = result.as_ref().err().filter(|error| !is_observed(error)).cloned();
    }
}

impl Lookup {
    fn new(known: KnownGame, games: &Games) -> Self {
        let outcome = if known.relation().is_observer() { Outcome::Gone } else { Outcome::Interrupted };
        let found = RestoredGame {
            was: known.id(),
            now: None,
            white: known.position.white(),
            black: known.position.black(),
            relation: known.relation(),
            outcome,
            moves_missing: false,
            moves: None,
        };
        let mut lookup = Self { known, found };
        let is_resumed = |game: &&Game| {
            game.is_going_on() && game.position().relation().is_mine() && lookup.known.is_between(game.position())
        };
        if lookup.known.relation().is_mine()
            && let Some(board) = games.iter().find(is_resumed).map(|game| game.position().clone())
        {
            lookup.found(&board);
        }
        lookup
    }

    /// Whether the board may be the one that shows that the game goes on.
    fn is_sought_by(&self, board: &Style12) -> bool {
        self.known.relation().is_observer() && self.found.now.is_none() && self.known.is_between(board)
    }

    /// The game goes on, and this is its board.
    fn found(&mut self, board: &Style12) {
        let before = &self.known.position;
        let outcome = match board.ply().checked_sub(before.ply()) {
            Some(0) if board.board() == before.board() => Outcome::Unchanged,
            Some(plies) if plies > 0 => Outcome::Advanced { plies },
            _ => Outcome::Changed,
        };
        self.found.now = Some(board.game());
        self.found.outcome = outcome;
        // The board brings the last move with it.
        self.found.moves_missing = !matches!(outcome, Outcome::Unchanged | Outcome::Advanced { plies: 1 });
    }
}

/// The game that is observed from this reply on.
fn observed_game(reply: &Reply) -> Option<GameId> {
    reply.messages().find_map(|message| match message {
        Message::Observing(observing) if observing.is_observed() => Some(observing.game),
        _ => None,
    })
}

/// The board of the game that is observed: from this reply on, or from before, by whomever. It may have come as a line, or
/// as moves.
fn board_followed<'a>(result: &Result<Reply, RequestError>, games: &'a Games) -> Option<&'a Style12> {
    let game = match result {
        Ok(reply) => observed_game(reply)?,
        Err(RequestError::Refused {
            reason: RefusalReason::Observing(ObservingRefusal::AlreadyObserving(game)),
            ..
        }) => *game,
        Err(_) => return None,
    };
    games.get(game).map(Game::position)
}

/// Why a game is not observed: because it is over, or for a reason that says nothing about it.
fn not_found(result: &Result<Reply, RequestError>) -> Outcome {
    let is_over = match result {
        Err(RequestError::Refused { reason: RefusalReason::Observing(why), .. }) => {
            *why == ObservingRefusal::NoSuchGame
        }
        Err(RequestError::Refused { reason: RefusalReason::Refusal(why), .. }) => {
            matches!(why, Refusal::NotLoggedIn | Refusal::NoSuchPlayer | Refusal::PlayerNotPlaying)
        }
        Ok(_) | Err(_) => false,
    };
    if is_over { Outcome::Ended } else { Outcome::Gone }
}
