//! Commands that were sent and not answered.

use std::collections::VecDeque;
use std::time::Instant;

use crate::event::RequestId;
use crate::session::command::Command;
use crate::session::reply::OpenReply;
use crate::session::requests::Sending;
use crate::session::requests::fence::Fence;
use crate::session::requests::prompt::changed_prompt;

/// Numbers for block mode: from 1 to this. FICS advises small ones; a long round keeps late replies apart.
const NUMBERS: u64 = 99;

/// For whom a command is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// Somebody outside waits for the reply.
    User,
    SetUp,
    Restore,
    Adjourned,
    Probe,
    KeepAlive,
    /// For boards that are of use.
    Boards,
    Quit,
    /// Whoever waited has given up: what the server did is learnt all the same.
    Nobody,
}

/// A command that is to be sent, or was.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    pub(crate) id: RequestId,
    pub(crate) owner: Owner,
    /// A probe without block mode has none: its fence is enough.
    pub(crate) command: Option<Command>,
    /// How often the server dropped it.
    pub(crate) n_drops: u8,
    /// It was made while games were observed again, by whomever: a game that it asks to observe may be observed by then.
    pub(crate) is_of_restoration: bool,
}

impl Order {
    pub(crate) fn asks_to_observe(&self) -> bool {
        self.command.as_ref().is_some_and(Command::is_observe)
    }
}

/// By what the reply is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Its number in block mode.
    Number(u64),
    /// What was sent behind it.
    Fence(Fence),
}

impl Mark {
    const fn fence(self) -> Option<Fence> {
        match self {
            Self::Number(_) => None,
            Self::Fence(fence) => Some(fence),
        }
    }
}

/// A command that was sent.
#[derive(Debug)]
pub(crate) struct InFlight {
    pub(crate) order: Order,
    pub(crate) mark: Mark,
    /// Its fence is still to be sent.
    pub(crate) owes_fence: bool,
    /// When its last line was sent.
    pub(crate) sent: Instant,
    pub(crate) due: Instant,
    /// What has come, in block mode.
    pub(crate) reply: OpenReply,
    /// Nobody waits any more. Its number stays taken until the reply has come, so that the reply is not taken for
    /// another's.
    pub(crate) is_given_up: bool,
}

/// The commands that were sent, in order.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    sent: VecDeque<InFlight>,
    last_number: u64,
    /// The fences of commands that had to make room, the newest of them: a late answer must not be taken for a reply.
    forgotten: VecDeque<Fence>,
}

impl Pending {
    /// How many somebody waits for.
    pub(crate) fn n_waiting(&self) -> usize {
        self.sent.iter().filter(|sent| !sent.is_given_up).count()
    }

    #[cfg(test)]
    pub(crate) fn footprint(&self) -> usize {
        self.forgotten.len() + self.sent.iter().map(|sent| 1 + sent.reply.footprint()).sum::<usize>()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut InFlight> {
        self.sent.iter_mut()
    }

    /// The commands whose replies are awaited.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &Order> {
        self.sent.iter().filter(|sent| !sent.is_given_up).map(|sent| &sent.order)
    }

    /// When the first of them has waited too long.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.sent.iter().filter(|sent| !sent.is_given_up).map(|sent| sent.due).min()
    }

    /// Whether a fence is still to be sent.
    pub(crate) fn owes_fence(&self) -> bool {
        self.sent.iter().any(|sent| sent.owes_fence)
    }

    /// Sends the fence that is still to be sent, and returns it.
    pub(crate) fn send_fence(&mut self, cx: &mut Sending<'_>) -> Option<Fence> {
        let sent = self.sent.iter_mut().find(|sent| sent.owes_fence)?;
        let fence = sent.mark.fence()?;
        cx.out.push_command(None, fence.as_str().to_owned(), Some(sent.order.id));
        sent.owes_fence = false;
        sent.sent = cx.now;
        Some(fence)
    }

    /// Whether one of them may switch block mode.
    pub(crate) fn may_switch_block_mode(&self) -> bool {
        self.sent
            .iter()
            .any(|sent| !sent.is_given_up && sent.order.command.as_ref().is_some_and(Command::may_switch_block_mode))
    }

    /// A number that no command has which was sent and not answered: the next in the round.
    ///
    /// If every number waits for a reply that nobody wants any more, the one that has waited longest is used again.
    pub(crate) fn free_number(&mut self) -> u64 {
        self.make_room();
        let mut round = (self.last_number..NUMBERS).chain(0..self.last_number).map(|last| last + 1);
        let is_free = |number: &u64| !self.sent.iter().any(|sent| sent.mark == Mark::Number(*number));
        self.last_number = round.find(is_free).unwrap_or(1);
        self.last_number
    }

    /// Keeps the list shorter than the round of numbers.
    pub(crate) fn make_room(&mut self) {
        if u64::try_from(self.sent.len()).is_ok_and(|n| n < NUMBERS) {
            return;
        }
        if let Some(at) = self.sent.iter().position(|sent| sent.is_given_up) {
            let removed = self.sent.remove(at);
            self.forgotten.extend(removed.and_then(|sent| sent.mark.fence()));
        }
        while u64::try_from(self.forgotten.len()).is_ok_and(|n| n > NUMBERS) {
            self.forgotten.pop_front();
        }
    }

    pub(crate) fn push(&mut self, sent: InFlight) {
        self.sent.push_back(sent);
    }

    /// The command of this number.
    pub(crate) fn numbered(&mut self, number: u64) -> Option<&mut InFlight> {
        self.sent.iter_mut().find(|sent| sent.mark == Mark::Number(number))
    }

    /// Takes the command of this number out.
    pub(crate) fn take_numbered(&mut self, number: u64) -> Option<InFlight> {
        let at = self.sent.iter().position(|sent| sent.mark == Mark::Number(number))?;
        self.sent.remove(at)
    }

    /// Takes out the command whose fence this line answers, and in front of it those whose fences were never answered.
    pub(crate) fn take_fenced(&mut self, line: &[u8]) -> Vec<InFlight> {
        let answers = |sent: &InFlight| matches!(sent.mark, Mark::Fence(fence) if fence.is_answered_by(line));
        let Some(at) = self.sent.iter().position(answers) else { return Vec::new() };
        let (done, rest) = std::mem::take(&mut self.sent)
            .into_iter()
            .enumerate()
            .partition::<Vec<_>, _>(|(index, sent)| *index <= at && matches!(sent.mark, Mark::Fence(_)));
        self.sent = rest.into_iter().map(|(_, sent)| sent).collect();
        done.into_iter().map(|(_, sent)| sent).collect()
    }

    /// Takes all of them out.
    pub(crate) fn take_all(&mut self) -> VecDeque<InFlight> {
        std::mem::take(&mut self.sent)
    }

    /// Gives back memory that is not used.
    pub(crate) fn shrink(&mut self) {
        self.sent.shrink_to_fit();
        self.forgotten.shrink_to_fit();
    }

    /// Whether this line answers the fence of a command that had to make room.
    pub(crate) fn take_forgotten(&mut self, line: &[u8]) -> bool {
        let Some(at) = self.forgotten.iter().position(|fence| fence.is_answered_by(line)) else { return false };
        self.forgotten.drain(..=at);
        true
    }

    /// Whether a command with a fence is not answered.
    pub(crate) fn has_fenced(&self) -> bool {
        self.sent.iter().any(|sent| matches!(sent.mark, Mark::Fence(_)))
    }

    /// Takes out those with a fence.
    pub(crate) fn take_all_fenced(&mut self) -> Vec<InFlight> {
        let (fenced, rest) = std::mem::take(&mut self.sent)
            .into_iter()
            .partition::<Vec<_>, _>(|sent| matches!(sent.mark, Mark::Fence(_)));
        self.sent = rest.into();
        fenced
    }
}

impl InFlight {
    /// The prompt that it has set, by the answer to its fence.
    pub(crate) fn prompt_set(&self, line: &[u8]) -> Option<Vec<u8>> {
        match (&self.order.command, self.mark) {
            (Some(command), Mark::Fence(fence)) => changed_prompt(command, fence, line),
            _ => None,
        }
    }

    /// For whom the reply is.
    pub(crate) const fn owner(&self) -> Owner {
        if self.is_given_up { Owner::Nobody } else { self.order.owner }
    }
}
