//! What is told of a game before the board that it belongs to.

use std::collections::VecDeque;

use crate::chess::Hands;
use crate::message::{GameCreated, GameId, GameInfo, GameRole, StartKind};

/// Numbers of games something is remembered of; more than follow each other before a board does.
pub(super) const MAX_NUMBERS: usize = 64;

/// What was told of one number since its last board.
#[derive(Clone, Debug)]
pub(super) struct Told {
    number: GameId,
    pub(super) created: Option<GameCreated>,
    pub(super) info: Option<GameInfo>,
    pub(super) hands: Option<Hands>,
    pub(super) role: Option<GameRole>,
}

/// What was told of games whose board has not come, the newest last.
#[derive(Clone, Debug, Default)]
pub(super) struct Foretold {
    numbers: VecDeque<Told>,
}

impl Told {
    /// A game of this number was announced; `is_known` if the number had a game. Some servers announce twice.
    pub(super) fn announce(&mut self, created: &GameCreated, is_known: bool) {
        if self.created.as_ref() == Some(created) {
            return;
        }
        // What was told so far may have been of another game. Reserves of a number that had none were this game's.
        if is_known || self.created.is_some() {
            self.hands = None;
        }
        (self.info, self.role) = (None, None);
        self.created = Some(created.clone());
    }

    /// The game's terms were told. A list that says nothing about what the game is to this login leaves that as it was.
    pub(super) fn inform(&mut self, info: &GameInfo) {
        let known = self.info.take().and_then(|known| known.start).map(|start| start.kind);
        let mut info = info.clone();
        if let (Some(start), Some(kind)) = (&mut info.start, known)
            && matches!(start.kind, StartKind::Foreign | StartKind::Changed)
        {
            start.kind = kind;
        }
        self.info = Some(info);
    }
}

impl Foretold {
    /// The place for what is told of this number; the oldest makes room if there are too many.
    pub(super) fn of(&mut self, number: GameId) -> &mut Told {
        let told = self.take(number).unwrap_or(Told { number, created: None, info: None, hands: None, role: None });
        if self.numbers.len() >= MAX_NUMBERS {
            self.numbers.pop_front();
        }
        self.numbers.push_back_mut(told)
    }

    /// What was told of this number.
    pub(super) fn get(&self, number: GameId) -> Option<&Told> {
        self.numbers.iter().rfind(|told| told.number == number)
    }

    /// What was told of this number, which is forgotten.
    pub(super) fn take(&mut self, number: GameId) -> Option<Told> {
        let at = self.numbers.iter().rposition(|told| told.number == number)?;
        self.numbers.remove(at)
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }
}
