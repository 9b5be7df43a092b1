//! Commands that were sent and not answered yet.

use std::collections::VecDeque;
use std::time::Instant;

use crate::event::{RequestError, RequestId};
use crate::game::{GameIdentity, Games};
use crate::message::{Attribution, GameId, RequestOrigin};
use crate::session::command::Command;
use crate::session::reply::PartialReply;
use crate::wire::Fence;

/// Highest number of a command in block mode, after which the numbers start again at 1. FICS recommends small numbers; a long
/// cycle keeps late replies apart.
const MAX_NUMBER: u64 = 99;

/// Part of the session, or the caller, that makes a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Requester {
    /// A caller of the session, who waits for the reply.
    User,
    SetUp,
    Restore,
    Adjourned,
    /// The check of a silent connection, or the keep-alive.
    Probe,
    /// Repairs of boards; the reply is not used.
    Upkeep,
    Quit,
    /// The requester no longer waits. The session still learns from the reply. A sent command keeps its number until its reply
    /// arrives, because that reply would otherwise be matched to a later command.
    Abandoned,
}

/// A request with its command. It is kept after sending, because some commands have to be sent again.
#[derive(Clone, Debug)]
pub(crate) struct RequestedCommand {
    pub(crate) id: RequestId,
    pub(crate) requester: Requester,
    /// `None` for a probe, which is sent as `$$date` with a number, or as a fence alone.
    pub(crate) command: Option<Command>,
    /// Number of times that the server dropped this line of talk.
    pub(crate) n_drops: u8,
    pub(crate) conditions: SendConditions,
    /// Whether the request was made during a restoration. A game that it asks to observe may then be observed already.
    pub(crate) is_during_restoration: bool,
}

/// Origin of a command, and conditions under which it may be sent: its [`RequestOptions`](crate::session::RequestOptions) with the
/// identity of the game.
#[derive(Clone, Debug, Default)]
pub(crate) struct SendConditions {
    pub(crate) deadline: Option<Instant>,
    pub(crate) game: Option<(GameId, GameIdentity)>,
    /// Whether the program made the request on its own.
    pub(crate) is_by_program: bool,
}

impl SendConditions {
    /// Returns the error of the condition that is not met; `None` if the command may be sent.
    pub(crate) fn unmet_condition_error(&self, games: &Games, now: Instant) -> Option<RequestError> {
        if self.deadline.is_some_and(|deadline| deadline <= now) {
            return Some(RequestError::Expired);
        }
        let is_over = |(id, game): &(GameId, GameIdentity)| games.identity_in_progress(*id).as_ref() != Some(game);
        let is_over = self.game.as_ref().is_some_and(is_over);
        is_over.then_some(RequestError::GameOver)
    }
}

impl RequestedCommand {
    /// Returns the attribution of the lines that are sent for the request.
    pub(crate) fn attribution(&self) -> Attribution {
        let origin = match self.requester {
            _ if self.conditions.is_by_program => RequestOrigin::Program,
            Requester::User | Requester::Quit | Requester::Abandoned => RequestOrigin::User,
            Requester::SetUp => RequestOrigin::SetUp,
            Requester::Restore | Requester::Adjourned | Requester::Upkeep => RequestOrigin::Restoration,
            Requester::Probe => RequestOrigin::Probe,
        };
        Attribution::of_request(Some(self.id), Some(origin))
    }

    pub(crate) fn asks_to_observe(&self) -> bool {
        self.command.as_ref().is_some_and(Command::is_observe)
    }

    pub(crate) fn may_switch_block_mode(&self) -> bool {
        self.command.as_ref().is_some_and(Command::may_switch_block_mode)
    }
}

/// Mark by which the reply to a command is recognized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplyKey {
    /// The number that precedes the command.
    Number(u64),
    /// The fence that follows the command.
    Fence(Fence),
}

impl ReplyKey {
    pub(crate) const fn fence(self) -> Option<Fence> {
        match self {
            Self::Number(_) => None,
            Self::Fence(fence) => Some(fence),
        }
    }
}

/// A sent command whose reply has not ended.
#[derive(Debug)]
pub(crate) struct SentCommand {
    pub(crate) request: RequestedCommand,
    pub(crate) key: ReplyKey,
    /// Whether the command's fence is still to be sent.
    pub(crate) has_unsent_fence: bool,
    /// Time at which the last line was sent: the command, or its fence.
    pub(crate) sent_at: Instant,
    pub(crate) deadline: Instant,
    /// Events of the reply so far. Stays empty for a command with a fence: those events are collected for all commands together.
    pub(crate) reply: PartialReply,
    /// The prompt that the command has set; empty for the server's default. `None` if it has set none so far.
    pub(crate) new_prompt: Option<Vec<u8>>,
}

impl SentCommand {
    pub(crate) fn is_abandoned(&self) -> bool {
        self.request.requester == Requester::Abandoned
    }
}

/// The sent commands of one connection, in the order of sending.
#[derive(Debug, Default)]
pub(crate) struct SentCommands {
    pub(crate) commands: VecDeque<SentCommand>,
    last_number: u64,
    /// Fences of commands that were removed before their answer arrived, so that a late answer is ignored. Keeps the latest
    /// [`MAX_NUMBER`].
    pub(crate) removed_fences: VecDeque<Fence>,
}

impl SentCommands {
    /// Returns the commands that are not abandoned.
    pub(crate) fn not_abandoned(&self) -> impl Iterator<Item = &SentCommand> {
        self.commands.iter().filter(|sent| !sent.is_abandoned())
    }

    /// Reserves the next number of the cycle that no sent command has.
    ///
    /// If all numbers are reserved by abandoned commands, the one that was sent first is removed.
    pub(crate) fn reserve_number(&mut self) -> u64 {
        self.evict_abandoned_if_full();
        let mut cycle = (self.last_number..MAX_NUMBER).chain(0..self.last_number).map(|last| last + 1);
        let is_free = |number: &u64| !self.commands.iter().any(|sent| sent.key == ReplyKey::Number(*number));
        self.last_number = cycle.find(is_free).unwrap_or(1);
        self.last_number
    }

    /// Removes the oldest abandoned command if [`MAX_NUMBER`] or more commands are unanswered. Remembers its fence, so that a
    /// late answer is recognized; keeps the last [`MAX_NUMBER`] fences.
    pub(crate) fn evict_abandoned_if_full(&mut self) {
        if u64::try_from(self.commands.len()).is_ok_and(|n| n < MAX_NUMBER) {
            return;
        }
        if let Some(at) = self.commands.iter().position(SentCommand::is_abandoned) {
            let removed = self.commands.remove(at);
            self.removed_fences.extend(removed.and_then(|sent| sent.key.fence()));
        }
        while u64::try_from(self.removed_fences.len()).is_ok_and(|n| n > MAX_NUMBER) {
            self.removed_fences.pop_front();
        }
    }

    pub(crate) fn find_by_number(&mut self, number: u64) -> Option<&mut SentCommand> {
        self.commands.iter_mut().find(|sent| sent.key == ReplyKey::Number(number))
    }

    pub(crate) fn take_by_number(&mut self, number: u64) -> Option<SentCommand> {
        let at = self.commands.iter().position(|sent| sent.key == ReplyKey::Number(number))?;
        self.commands.remove(at)
    }

    /// Removes and returns the command whose fence this line answers, preceded by all commands with earlier fences; empty if the
    /// line answers no fence.
    pub(crate) fn take_up_to_answered(&mut self, line: &[u8]) -> Vec<SentCommand> {
        let is_answered = |sent: &SentCommand| sent.key.fence().is_some_and(|fence| fence.is_answered_by(line));
        self.commands.iter().position(is_answered).map_or_else(Vec::new, |at| self.take_fenced_among_first(at + 1))
    }

    /// Removes and returns the commands with a fence among the first `n` sent ones; keeps numbered ones.
    pub(crate) fn take_fenced_among_first(&mut self, n: usize) -> Vec<SentCommand> {
        let later = self.commands.split_off(n.min(self.commands.len()));
        let (fenced, numbered) = self.commands.drain(..).partition::<Vec<_>, _>(|sent| sent.key.fence().is_some());
        self.commands.extend(numbered.into_iter().chain(later));
        fenced
    }

    /// Returns whether this line answers the fence of a removed command. If it does, removes that fence and earlier ones.
    pub(crate) fn forget_late_answered_fence(&mut self, line: &[u8]) -> bool {
        let Some(at) = self.removed_fences.iter().position(|fence| fence.is_answered_by(line)) else { return false };
        self.removed_fences.drain(..=at);
        true
    }

    /// Releases unused memory.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.commands.shrink_to_fit();
        self.removed_fences.shrink_to_fit();
    }
}
