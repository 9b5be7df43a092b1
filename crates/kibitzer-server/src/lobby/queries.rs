//! Queries about players, and about the clients over which they are logged in.

use kibitzer_core::message::{GameId, Ivar};

use super::{ConnectionId, Lobby, Player};
use crate::account::name_key;
use crate::play::{ClockUnit, SeatedPlayer};

impl Lobby {
    pub(crate) fn player(&self, id: ConnectionId) -> Option<&Player> {
        self.connections.get(&id)?.player()
    }

    pub(crate) fn player_mut(&mut self, id: ConnectionId) -> Option<&mut Player> {
        self.connections.get_mut(&id)?.player_mut()
    }

    /// Returns all players who are logged in, ordered by name.
    pub(crate) fn players(&self) -> impl Iterator<Item = (ConnectionId, &Player)> {
        self.online.values().filter_map(|&id| Some((id, self.player(id)?)))
    }

    /// Returns the players that satisfy a condition, ordered by name.
    pub(crate) fn players_where(&self, is_chosen: impl Fn(ConnectionId, &Player) -> bool) -> Vec<ConnectionId> {
        self.players().filter(|&(id, player)| is_chosen(id, player)).map(|(id, _)| id).collect()
    }

    /// Returns the connection of the player with this name, in any case; `None` if the player is not logged in.
    pub(crate) fn connection_of_player(&self, name: &str) -> Option<ConnectionId> {
        self.online.get(&name_key(name)).copied()
    }

    /// Returns the player with this name, otherwise the only one whose name starts with it, in any case; `None` if there is none or
    /// there are several, or if `name` is empty.
    pub(crate) fn find_player_by_prefix(&self, name: &str) -> Option<ConnectionId> {
        let prefix = name_key(name);
        if let Some(&exact) = self.online.get(&prefix) {
            return Some(exact);
        }
        let mut matches = self.online.range(prefix.clone()..).take_while(|(name, _)| name.starts_with(&prefix));
        let (_, &id) = matches.next().filter(|_| !prefix.is_empty())?;
        matches.next().is_none().then_some(id)
    }

    /// Like [`find_player_by_prefix`](Self::find_player_by_prefix), with the server's refusal for `None`.
    pub(crate) fn find_player_or_refusal(&self, name: &str) -> Result<ConnectionId, String> {
        self.find_player_by_prefix(name).ok_or_else(|| format!("No player named \"{name}\" is online.\n"))
    }

    /// Returns the name of the player logged in over a connection; empty if there is none.
    pub(crate) fn player_name(&self, id: ConnectionId) -> String {
        self.player(id).map(|player| player.name().to_owned()).unwrap_or_default()
    }

    /// Returns whether a player has switched a flag on; `false` if no player is logged in.
    pub(crate) fn has_flag(&self, id: ConnectionId, flag: &str) -> bool {
        self.player(id).is_some_and(|player| player.has_flag(flag))
    }

    /// Returns whether a player has switched an ivar on; `false` if no player is logged in.
    pub(crate) fn has_ivar(&self, id: ConnectionId, ivar: Ivar) -> bool {
        self.player(id).is_some_and(|player| player.ivars.is_set(ivar))
    }

    /// Returns the game that a player plays or examines; `None` if there is none.
    pub(crate) fn own_game(&self, id: ConnectionId) -> Option<GameId> {
        self.player(id)?.game
    }

    /// Sets the game that a player plays or examines; `None` removes it.
    pub(crate) fn set_own_game(&mut self, id: ConnectionId, game: Option<GameId>) {
        if let Some(player) = self.player_mut(id) {
            player.game = game;
        }
    }

    /// Returns the game that a command without a game number refers to: the one that the player plays or examines, otherwise the
    /// one observed for the longest time; `None` if there is none.
    pub(crate) fn primary_game(&self, id: ConnectionId) -> Option<GameId> {
        let player = self.player(id)?;
        player.game.or_else(|| player.observing.first().copied())
    }

    /// Returns the observers of a game, ordered by name: neither its players nor its examiners.
    pub(crate) fn observers(&self, game: GameId) -> Vec<ConnectionId> {
        self.players_where(|_, player| player.observing.contains(&game))
    }

    /// Returns the entry of a player in a new game of this kind: name, rating and other facts; `None` if no player is logged in
    /// over the connection.
    pub(crate) fn seated_player(&self, id: ConnectionId, game_kind: &str) -> Option<SeatedPlayer> {
        let player = self.player(id)?;
        Some(SeatedPlayer {
            name: player.handle.clone(),
            rating: player.rating(game_kind),
            is_registered: player.is_registered,
            has_timeseal: self.uses_timeseal(id),
        })
    }

    /// Returns whether the client uses timeseal.
    pub(crate) fn uses_timeseal(&self, id: ConnectionId) -> bool {
        self.connection(id).is_some_and(|connection| connection.seal.is_some())
    }

    /// Returns whether a player accepts a sender's talk: the player has switched on the flag for such talk, and the sender is not
    /// on the player's censor list.
    pub(crate) fn accepts_talk_from(&self, id: ConnectionId, sender: ConnectionId, flag: &str) -> bool {
        self.has_flag(id, flag) && !self.censors(id, sender)
    }

    /// Returns whether a player has a sender on the censor list.
    pub(crate) fn censors(&self, id: ConnectionId, sender: ConnectionId) -> bool {
        let (Some(receiver), Some(sender)) = (self.player(id), self.player(sender)) else { return false };
        receiver.saved.is_on_list("censor", sender.name())
    }

    /// Returns the players in a channel, ordered by name.
    pub(crate) fn channel_members(&self, channel: u16) -> Vec<ConnectionId> {
        let channel = channel.to_string();
        self.players_where(|_, player| player.saved.is_on_list("channel", &channel))
    }

    /// Returns the games of the simul that a player gives, in the order of the boards.
    pub(crate) fn simul_games(&self, id: ConnectionId) -> &[GameId] {
        self.player(id).map_or(&[], |player| &player.simul)
    }

    /// Returns whether a player can start or extend a simul: the player has no other game.
    pub(crate) fn may_give_simul(&self, id: ConnectionId) -> bool {
        self.own_game(id).is_none_or(|game| self.simul_games(id).contains(&game))
    }

    /// Returns whether a player gives a simul that includes this game, and is at another board.
    pub(crate) fn is_at_other_board(&self, id: ConnectionId, game: GameId) -> bool {
        self.simul_games(id).contains(&game) && self.own_game(id) != Some(game)
    }

    /// Returns the unit in which a client receives clocks: milliseconds with the ivar `ms`, otherwise seconds.
    pub(crate) fn clock_unit(&self, id: ConnectionId) -> ClockUnit {
        if self.has_ivar(id, Ivar::Ms) { ClockUnit::Milliseconds } else { ClockUnit::Seconds }
    }
}
