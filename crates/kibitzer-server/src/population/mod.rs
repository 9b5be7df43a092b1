//! Simulated players: games to observe and opponents to play.
//!
//! They are clients without a connection: the server's bytes are read by the core's own reader, and what they do is typed as
//! commands. All chance comes from one seed, all time from `now`, so that the same seed gives the same session.

mod brain;
mod director;
mod names;
mod options;
mod pace;
mod phrases;
mod relay;
mod simulated;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use kibitzer_core::message::Handle;

pub use self::options::{Pastime, PopulationOptions};
pub(crate) use self::relay::RelayAct;
pub(crate) use self::simulated::Part;

use self::names::Names;
use self::relay::Relay;
use self::simulated::{Noticed, Simulated};
use crate::account::Account;
use crate::lobby::{Agenda, ConnectionId};
use crate::play::Sides;
use crate::random::Random;

/// Plies of the first games that are played before the server starts.
const HURRIED_PLIES: (usize, usize) = (6, 36);

/// A scheduled task of a simulated player. Details are decided when it is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Task {
    /// Talk.
    Chat,
    /// The relay goes on.
    Relay,
    Move(ConnectionId),
    Answer(ConnectionId, u32),
    /// Answers the seek of that number.
    Take(ConnectionId, u32),
    /// Withdraws the own ads.
    Unseek(ConnectionId),
    Talk(ConnectionId, Occasion),
    /// Sees to it that there are games and ads; after all that is done at the same time.
    Direct,
}

/// The occasion on which a simulated player talks to another player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Occasion {
    GameStarted,
    GameEnded,
    Told,
    Arrived,
}

/// An action that the server executes for a simulated player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// A command.
    Command(ConnectionId, String),
    /// Something no command does.
    Relay(ConnectionId, RelayAct),
}

/// All simulated players.
#[derive(Debug)]
pub(crate) struct Population {
    options: PopulationOptions,
    random: Random,
    names: Names,
    crowd: BTreeMap<ConnectionId, Simulated>,
    agenda: Agenda<Task>,
    acts: VecDeque<Act>,
    relay: Relay,
    /// The players of the relayed games.
    relayed: Sides<Handle>,
    /// Whether they have just come: what is done then is done at once.
    is_opening: bool,
    /// Whether anything was directed yet.
    is_directed: bool,
}

impl Population {
    /// Creates a population without players.
    pub(crate) fn new(options: PopulationOptions, seed: u64, now: Instant) -> Self {
        let mut agenda = Agenda::default();
        agenda.set(Task::Direct, now);
        // The server draws from the same seed.
        let mut random = Random::new(!seed);
        let mut names = Names::default();
        let relayed = Sides { white: names.next(None, &mut random), black: names.next(None, &mut random) };
        Self {
            options,
            random,
            names,
            relayed,
            crowd: BTreeMap::new(),
            agenda,
            acts: VecDeque::new(),
            relay: Relay::Waiting,
            is_opening: true,
            is_directed: false,
        }
    }

    /// Returns the accounts of the players to be logged in, in order.
    pub(crate) fn cast(&mut self) -> Vec<(Account, Part)> {
        self.parts().into_iter().map(|(part, wanted)| (self.account(part, wanted), part)).collect()
    }

    /// A simulated player has come.
    pub(crate) fn join(&mut self, id: ConnectionId, name: Handle, part: Part) {
        let (least, most) = HURRIED_PLIES;
        let n_hurried_plies = u32::try_from(least + self.random.below(most - least)).unwrap_or(0);
        self.crowd.insert(id, Simulated::new(name, part, n_hurried_plies));
        let habits = Simulated::HABITS.map(str::to_owned).into_iter().chain(self.habits_of(id, part));
        self.acts.extend(habits.map(|line| Act::Command(id, line)));
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.crowd.len()
    }

    /// When [`next_act`](Self::next_act) has something to do again.
    pub(crate) fn next_time(&self) -> Option<Instant> {
        self.agenda.next_time()
    }

    /// What is to be carried out now; `None` if there is nothing more. What the server says then has to be
    /// [heard](Self::hear) before the next is asked for.
    pub(crate) fn next_act(&mut self, now: Instant) -> Option<Act> {
        loop {
            if let Some(act) = self.acts.pop_front() {
                return Some(act);
            }
            let Some(task) = self.agenda.take_due(now) else {
                if std::mem::take(&mut self.is_opening) {
                    self.crowd.values_mut().for_each(|player| player.n_hurried_plies = 0);
                }
                return None;
            };
            self.run(task, now);
        }
    }

    /// The server has sent something to a simulated player.
    pub(crate) fn hear(&mut self, id: ConnectionId, bytes: &[u8], now: Instant) {
        let Some(player) = self.crowd.get_mut(&id) else { return };
        for noticed in player.hear(bytes) {
            self.consider(id, noticed, now);
        }
    }

    fn consider(&mut self, id: ConnectionId, noticed: Noticed, now: Instant) {
        match noticed {
            Noticed::MyTurn => {
                let thought = self.thought(id);
                self.agenda.set(Task::Move(id), now + thought);
            }
            Noticed::NotMyTurn => self.agenda.cancel(Task::Move(id)),
            Noticed::GameStarted { opponent } => self.talk_later(id, opponent, Occasion::GameStarted, now),
            Noticed::GameEnded => {
                self.agenda.cancel(Task::Move(id));
                let whom = self.crowd.get(&id).and_then(|player| player.partner_in_talk.clone());
                if let Some(whom) = whom {
                    self.talk_later(id, whom, Occasion::GameEnded, now);
                }
            }
            Noticed::Offered(number) => {
                let delay = self.delay(1_000, 3_000);
                self.agenda.set(Task::Answer(id, number), now + delay);
            }
            Noticed::OfferGone(number) => self.agenda.cancel(Task::Answer(id, number)),
            Noticed::SeekPosted(number) => self.arrange(id, number, now),
            Noticed::Told { by } => self.talk_later(id, by, Occasion::Told, now),
            Noticed::Arrived { who } => self.talk_later(id, who, Occasion::Arrived, now),
        }
    }

    fn run(&mut self, task: Task, now: Instant) {
        match task {
            Task::Direct => self.direct(now),
            Task::Chat => self.chat(now),
            Task::Relay => self.run_relay(now),
            Task::Move(id) => {
                let turn = self.crowd.get_mut(&id).map(|player| player.take_turn(&mut self.random));
                turn.into_iter().flatten().for_each(|line| self.command(id, line));
            }
            Task::Answer(id, number) => {
                let answer = self.crowd.get_mut(&id).and_then(|player| player.answer(number, &mut self.random));
                if let Some(line) = answer {
                    self.command(id, line);
                }
            }
            Task::Take(id, number) => {
                if let Some(player) = self.crowd.get_mut(&id) {
                    player.is_promised = false;
                }
                self.command(id, format!("play {number}"));
            }
            Task::Unseek(id) => {
                if self.crowd.get_mut(&id).and_then(|player| player.ad.take()).is_some() {
                    self.command(id, "unseek".to_owned());
                }
            }
            Task::Talk(id, occasion) => self.talk(id, occasion),
        }
    }

    fn command(&mut self, id: ConnectionId, line: String) {
        self.acts.push_back(Act::Command(id, line));
    }

    /// Time to think about the next move.
    fn thought(&mut self, id: ConnectionId) -> Duration {
        let Some(player) = self.crowd.get(&id).filter(|player| !player.is_in_a_hurry()) else { return Duration::ZERO };
        let thought = player.board().map_or(Duration::ZERO, |board| pace::think(board, &mut self.random));
        self.options.pace(thought)
    }

    /// Some time between two numbers of milliseconds, at the pace of this population.
    fn rest(&mut self, least_ms: usize, most_ms: usize) -> Duration {
        let ms = least_ms + self.random.below(most_ms - least_ms);
        self.options.pace(Duration::from_millis(u64::try_from(ms).unwrap_or(0)))
    }

    /// The same; none when they have just come.
    fn delay(&mut self, least_ms: usize, most_ms: usize) -> Duration {
        let rest = self.rest(least_ms, most_ms);
        if self.is_opening { Duration::ZERO } else { rest }
    }

    fn run_relay(&mut self, now: Instant) {
        let Some((&by, _)) = self.crowd.iter().find(|(_, player)| player.part == Part::Relay) else { return };
        let (_, most) = HURRIED_PLIES;
        let n_hurried = if self.is_opening { most / 2 } else { 0 };
        let (act, rest) = self.relay.act(&self.relayed, n_hurried, &mut self.random);
        self.acts.push_back(Act::Relay(by, act));
        let rest = self.options.pace(rest);
        self.agenda.set(Task::Relay, now + rest);
    }
}
