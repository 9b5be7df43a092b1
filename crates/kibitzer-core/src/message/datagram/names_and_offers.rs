//! Facts from earlier datagrams that later ones omit: the name of this login, and the players and open offers of games.

use crate::message::{GameId, GameMap, Handle};

/// Most games that are stored, more than any server has in progress. At the limit, a new game evicts the one with the lowest
/// number that this login neither plays nor examines.
const MAX_GAMES: usize = 2048;

/// The name of this login, and the players and open offers of games, as earlier datagrams reported them.
#[derive(Clone, Debug, Default)]
pub(crate) struct DatagramNamesAndOffers {
    /// The name of this login; empty as long as it is unknown.
    pub(in crate::message) me: Handle,
    /// The games whose start was received, without those that were evicted or removed.
    pub(super) games: GameMap<GamePlayersAndOffers>,
}

/// The players and open offers of a game, and whether this login takes part in it.
#[derive(Clone, Debug)]
pub(super) struct GamePlayersAndOffers {
    pub(super) white: Handle,
    pub(super) black: Handle,
    /// Whether this login plays or examines it.
    pub(super) is_mine: bool,
    /// The open offers, in the order of the arguments of datagram 21.
    pub(super) offers: [OpenOffer; 8],
}

/// The open offer of one kind by one side of a game, if there is one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OpenOffer {
    /// 0 if no offer is open; the number of plies of an open takeback; any other number for an open offer of another kind.
    pub(super) count: u32,
    /// Plies since the offer was made.
    pub(super) n_plies: u8,
}

/// Number of plies after which an offer is void: one of two is the opponent's move, which declines the offer without a message.
const OFFER_LIFETIME_PLIES: u8 = 2;

impl DatagramNamesAndOffers {
    /// Returns whether `name` is the name of this login; `false` as long as that name is unknown.
    pub(super) fn is_me(&self, name: &Handle) -> bool {
        self.me == *name && !name.as_str().is_empty()
    }

    /// Stores the players of a game, without open offers. Replaces an entry with the same number; evicts another one if there are
    /// [`MAX_GAMES`] already.
    pub(in crate::message) fn add_game(&mut self, game: GameId, white: Handle, black: Handle, is_mine: bool) {
        if self.games.len() >= MAX_GAMES && self.games.get(game).is_none() {
            // Games of this login stay: their offers could not be reported without the names.
            let others = self.games.iter().find(|(_, known)| !known.is_mine);
            if let Some((evicted, _)) = others.or_else(|| self.games.iter().next()) {
                self.games.remove(evicted);
            }
        }
        self.games.insert(game, GamePlayersAndOffers { white, black, is_mine, offers: [OpenOffer::default(); 8] });
    }

    /// Counts a ply for each open offer of a game, and removes the offers that are void after it.
    pub(super) fn count_move_and_expire_offers(&mut self, game: GameId) {
        let Some(game) = self.games.get_mut(game) else { return };
        for offer in game.offers.iter_mut().filter(|offer| offer.count > 0) {
            offer.n_plies = offer.n_plies.saturating_add(1);
            if offer.n_plies >= OFFER_LIFETIME_PLIES {
                *offer = OpenOffer::default();
            }
        }
    }
}
