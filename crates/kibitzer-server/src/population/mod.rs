//! Simulated players: games to observe and opponents to play.
//!
//! They are clients without a connection: the core's reader parses the server's output, and they act by commands. All random
//! numbers come from one seed and all times from `now`, so that the same seed gives the same session.

mod brain;
mod director;
mod simulated;
#[cfg(test)]
mod tests;
mod words;

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::time::{Duration, Instant};

use fastrand::Rng;
use kibitzer_core::message::Handle;

pub(crate) use self::simulated::SimulatedRole;

use self::simulated::{PlayerObservation, SimulatedPlayer};
use self::words::UniqueNames;
use crate::lobby::{ConnectionId, Schedule};
use crate::play::Sides;

/// Number of plies, chosen at random for each player, that are played without thinking time in the first game, so that games are
/// under way from the start.
const INSTANT_PLIES: Range<u32> = 6..36;

/// The simulated players of a [`Server`](crate::Server): how many games of chess they play, and how fast.
///
/// ```
/// use kibitzer_server::{PopulationOptions, ServerOptions};
///
/// let population = PopulationOptions::new().games(3).speed(10.0);
/// let options = ServerOptions::new().in_process().seed(7).population(population);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct PopulationOptions {
    games: usize,
    speed: f64,
    challenges_clients: bool,
}

/// Upper limit of [`PopulationOptions::games`].
const MAX_GAMES: usize = 200;

impl Default for PopulationOptions {
    fn default() -> Self {
        Self { games: 6, speed: 1.0, challenges_clients: false }
    }
}

impl PopulationOptions {
    /// Returns the default options: six games of chess at human pace.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how many games of chess simulated players play at a time, besides those of crazyhouse and bughouse. Default: 6; a
    /// larger number than 200 becomes 200.
    pub fn games(mut self, games: usize) -> Self {
        self.games = games.min(MAX_GAMES);
        self
    }

    /// Sets how many times faster than people they think and talk. Clocks run at normal speed. Default: 1, also for NaN; limited
    /// to 0.01 to 1000.
    pub fn speed(mut self, speed: f64) -> Self {
        self.speed = if speed.is_nan() { 1.0 } else { speed.clamp(0.01, 1000.0) };
        self
    }

    /// Lets simulated players challenge clients who wait without a game and are open to challenges. Default: they only answer seeks.
    pub fn challenge_clients(mut self) -> Self {
        self.challenges_clients = true;
        self
    }

    /// Converts the time that people need to the time that simulated players need.
    fn scale_time(&self, time: Duration) -> Duration {
        time.div_f64(self.speed)
    }
}

/// What a simulated player, or the population, does at a scheduled time. The details are decided when it is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Task {
    Chat,
    /// Continues the relayed game.
    Relay,
    Move(ConnectionId),
    /// Answers the offer of that number.
    Answer(ConnectionId, u32),
    /// Answers the seek of that number.
    AnswerSeek(ConnectionId, u32),
    /// Withdraws the player's own seeks.
    Unseek(ConnectionId),
    Talk(ConnectionId, TalkOccasion),
    /// Arranges games. The last variant, as tasks of the same time are executed in this order.
    Arrange,
}

/// The occasion on which a simulated player talks to another player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum TalkOccasion {
    GameStarted,
    GameEnded,
    Told,
    Arrived,
}

/// An action that the server executes for a simulated player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SimulatedAction {
    Command(ConnectionId, String),
    /// The next step of the game that the player relays, which no command can do.
    Relay(ConnectionId),
    /// Free players answer the seeks of clients who wait, and challenge the others. The server knows who waits.
    MeetClients,
}

/// How long clients wait for the first challenge.
const PROPOSAL_DELAY: Duration = Duration::from_secs(4);

/// Maximum number of times that the delay between two proposals doubles.
const MAX_DOUBLINGS: u32 = 4;

/// All simulated players.
#[derive(Debug)]
pub(crate) struct Population {
    options: PopulationOptions,
    random: Rng,
    names: UniqueNames,
    players: BTreeMap<ConnectionId, SimulatedPlayer>,
    schedule: Schedule<Task>,
    actions: VecDeque<SimulatedAction>,
    /// Names of the players of relayed games.
    relayed: Sides<Handle>,
    /// Whether the server is starting: actions then have no delay.
    is_starting: bool,
    /// Whether [`Task::Arrange`] was executed.
    has_arranged: bool,
}

impl Population {
    /// Creates a population without players.
    pub(crate) fn new(options: PopulationOptions, seed: u64, now: Instant) -> Self {
        let mut schedule = Schedule::default();
        schedule.set(Task::Arrange, now);
        // Inverted, as the server uses the seed itself.
        let mut random = Rng::with_seed(!seed);
        let mut names = UniqueNames::default();
        let relayed =
            Sides { white: names.pick_unused(None, &mut random), black: names.pick_unused(None, &mut random) };
        Self {
            options,
            random,
            names,
            relayed,
            players: BTreeMap::new(),
            schedule,
            actions: VecDeque::new(),
            is_starting: true,
            has_arranged: false,
        }
    }

    /// Adds a player who has just been logged in by the server, and queues the player's first commands.
    pub(crate) fn add_logged_in_player(&mut self, id: ConnectionId, name: Handle, role: SimulatedRole) {
        let n_instant_plies = self.random.u32(INSTANT_PLIES);
        self.players.insert(id, SimulatedPlayer::new(name, role, n_instant_plies));
        let commands =
            SimulatedPlayer::LOGIN_COMMANDS.map(str::to_owned).into_iter().chain(self.commands_after_login(id, role));
        self.actions.extend(commands.map(|line| SimulatedAction::Command(id, line)));
    }

    /// Returns the number of players.
    pub(crate) fn len(&self) -> usize {
        self.players.len()
    }

    /// Returns when [`take_next_action`](Self::take_next_action) is due next; `None` if nothing is scheduled.
    pub(crate) fn next_time(&self) -> Option<Instant> {
        self.schedule.next_time()
    }

    /// Removes and returns the next action, after running the tasks that are due; `None` if there is none now, which also ends
    /// the undelayed start of the population. The output that an action causes has to be [received](Self::receive_output) before
    /// the next call.
    pub(crate) fn take_next_action(&mut self, now: Instant) -> Option<SimulatedAction> {
        loop {
            if let Some(action) = self.actions.pop_front() {
                return Some(action);
            }
            let Some(task) = self.schedule.take_due(now) else {
                if std::mem::take(&mut self.is_starting) {
                    self.players.values_mut().for_each(|player| player.n_instant_plies = 0);
                }
                return None;
            };
            self.run_task(task, now);
        }
    }

    /// Processes the server's output to a simulated player and schedules the reactions. Does nothing for another connection.
    pub(crate) fn receive_output(&mut self, id: ConnectionId, bytes: &[u8], now: Instant) {
        let Some(player) = self.players.get_mut(&id) else { return };
        for observation in player.receive_output(bytes) {
            self.schedule_reaction(id, observation, now);
        }
    }

    /// Schedules the reaction of a player to an observation, or cancels a task that it makes obsolete.
    fn schedule_reaction(&mut self, id: ConnectionId, observation: PlayerObservation, now: Instant) {
        match observation {
            PlayerObservation::MyTurn => {
                let time = self.thinking_time(id);
                self.schedule.set(Task::Move(id), now + time);
            }
            PlayerObservation::NotMyTurn => self.schedule.cancel(Task::Move(id)),
            PlayerObservation::Occasion(occasion, whom) => self.schedule_tell(id, whom, occasion, now),
            PlayerObservation::GameEnded => {
                self.schedule.cancel(Task::Move(id));
                if let Some(whom) = self.players.get(&id).and_then(|player| player.talk_partner.clone()) {
                    self.schedule_tell(id, whom, TalkOccasion::GameEnded, now);
                }
            }
            PlayerObservation::OfferReceived(number) => {
                let delay = self.random_delay_unless_starting(1_000..3_000);
                self.schedule.set(Task::Answer(id, number), now + delay);
            }
            PlayerObservation::OfferRemoved(number) => self.schedule.cancel(Task::Answer(id, number)),
            PlayerObservation::SeekPosted(number) => self.schedule_arranged_answer(id, number, now),
        }
    }

    /// Executes a task that is due: queues its commands, which the server executes later, or schedules further tasks.
    fn run_task(&mut self, task: Task, now: Instant) {
        let Self { players, random, .. } = self;
        match task {
            Task::Arrange => self.run_arrange_task(now),
            Task::Chat => self.run_chat_task(now),
            Task::Relay => {
                let relaying = self.players_with_role(SimulatedRole::Relay);
                self.actions.extend(relaying.into_iter().map(SimulatedAction::Relay));
            }
            Task::Move(id) => {
                let commands = players.get_mut(&id).map(|player| player.choose_turn_commands(random));
                commands.into_iter().flatten().for_each(|line| self.queue_command(id, line));
            }
            Task::Answer(id, number) => {
                let answer = players.get_mut(&id).and_then(|player| player.take_offer_answer(number, random));
                if let Some(line) = answer {
                    self.queue_command(id, line);
                }
            }
            Task::AnswerSeek(id, number) => {
                if let Some(player) = players.get_mut(&id) {
                    player.is_reserved = false;
                }
                self.queue_command(id, format!("play {number}"));
            }
            Task::Unseek(id) => {
                if players.get_mut(&id).and_then(|player| player.seek.take()).is_some() {
                    self.queue_command(id, "unseek".to_owned());
                }
            }
            Task::Talk(id, occasion) => self.tell_talk_partner(id, occasion),
        }
    }

    /// Queues a command that the server executes for a player.
    fn queue_command(&mut self, id: ConnectionId, line: String) {
        self.actions.push_back(SimulatedAction::Command(id, line));
    }

    /// Returns a random time that a player thinks about the next move; zero in the undelayed first plies, or without a game.
    fn thinking_time(&mut self, id: ConnectionId) -> Duration {
        let player = self.players.get(&id).filter(|player| !player.plays_instantly());
        let Some(board) = player.and_then(|player| player.board.as_deref()) else { return Duration::ZERO };
        self.options.scale_time(brain::thinking_time(board, &mut self.random))
    }

    /// Returns a random time in a range of milliseconds, at the pace of this population.
    fn random_scaled_time(&mut self, ms: Range<u64>) -> Duration {
        self.options.scale_time(Duration::from_millis(self.random.u64(ms)))
    }

    /// Returns a random time like [`random_scaled_time`](Self::random_scaled_time), but zero while the server starts.
    fn random_delay_unless_starting(&mut self, ms: Range<u64>) -> Duration {
        // The random number is drawn in either case.
        let pause = self.random_scaled_time(ms);
        if self.is_starting { Duration::ZERO } else { pause }
    }
}
