//! What datagrams leave out because another one told it before: names, mostly.

use std::collections::BTreeMap;

use crate::message::{GameId, Handle};

/// Games whose players are remembered. More are in progress on no server; then the lowest number makes room.
const MAX_GAMES: usize = 2048;

/// What was told of this login and of games.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    me: Handle,
    games: BTreeMap<GameId, KnownGame>,
}

/// What was told of one game.
#[derive(Clone, Debug)]
pub(super) struct KnownGame {
    pub(super) white: Handle,
    pub(super) black: Handle,
    /// Whether this login plays or examines it.
    pub(super) is_mine: bool,
    /// The offers that stand, in the order of their datagram.
    pub(super) offers: [StandingOffer; 8],
}

/// An offer in a game.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StandingOffer {
    /// 0 for none; plies, if it is one to take back.
    pub(super) count: u32,
    /// Moves since it was made.
    n_moves: u8,
}

/// After so many moves one was the other side's, which cancels an offer without a word.
const MOVES_OF_AN_OFFER: u8 = 2;

impl Known {
    pub(in crate::message) fn set_me(&mut self, me: Handle) {
        self.me = me;
    }

    /// Whether this login goes by that name.
    pub(super) fn is_me(&self, name: &Handle) -> bool {
        self.me == *name && !name.as_str().is_empty()
    }

    pub(super) fn game(&self, game: GameId) -> Option<&KnownGame> {
        self.games.get(&game)
    }

    pub(super) fn game_mut(&mut self, game: GameId) -> Option<&mut KnownGame> {
        self.games.get_mut(&game)
    }

    /// Takes the players of a game that starts.
    pub(in crate::message) fn add(&mut self, game: GameId, white: Handle, black: Handle, is_mine: bool) {
        if self.games.len() >= MAX_GAMES && !self.games.contains_key(&game) {
            self.games.pop_first();
        }
        self.games.insert(game, KnownGame { white, black, is_mine, offers: [StandingOffer::default(); 8] });
    }

    /// Forgets a game that this login has left.
    pub(super) fn forget(&mut self, game: GameId) {
        self.games.remove(&game);
    }
}

impl KnownGame {
    /// A move was made.
    pub(super) fn moved(&mut self) {
        for offer in &mut self.offers {
            offer.n_moves = offer.n_moves.saturating_add(1);
            if offer.n_moves >= MOVES_OF_AN_OFFER {
                *offer = StandingOffer::default();
            }
        }
    }
}

impl StandingOffer {
    /// Takes what is offered now; whether that is news.
    pub(super) fn is_renewed(&mut self, count: u32) -> bool {
        if self.count == count {
            return false;
        }
        *self = Self { count, n_moves: 0 };
        count > 0
    }
}
