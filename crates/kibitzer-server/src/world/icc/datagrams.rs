//! ICC's level-2 datagrams, which replace lines for clients that switched them on.
//!
//! Source: icc §5, §6, §8.

use kibitzer_core::chess::Color;
use kibitzer_core::message::{Datagram, GameId, Rating, Titles};

use crate::chess::Variant;
use crate::play::{Game, GameHeader, SeatedPlayer, Sides, Terms, color_letter};
use crate::world::{ActiveGame, BoardReason, ConnectionId, PostedSeek, World};

/// The numbers of the datagrams that are sent. Source: icc §8.
pub(crate) mod number {
    pub(crate) const WHO_AM_I: u32 = 0;
    pub(crate) const MY_GAME_STARTED: u32 = 15;
    pub(crate) const STARTED_OBSERVING: u32 = 18;
    pub(crate) const TAKEBACK: u32 = 22;
    pub(crate) const SEND_MOVES: u32 = 24;
    pub(crate) const KIBITZ: u32 = 26;
    pub(crate) const CHANNEL_TELL: u32 = 28;
    pub(crate) const PERSONAL_TELL: u32 = 31;
    pub(crate) const SHOUT: u32 = 32;
    pub(crate) const MOVE_ALGEBRAIC: u32 = 33;
    pub(crate) const MOVE_SMITH: u32 = 34;
    pub(crate) const MOVE_TIME: u32 = 35;
    pub(crate) const MOVE_CLOCK: u32 = 36;
    pub(crate) const HOLDINGS: u32 = 37;
    pub(crate) const SET_CLOCK: u32 = 38;
    pub(crate) const MY_RELATION: u32 = 43;
    pub(crate) const SEEK: u32 = 50;
    pub(crate) const SEEK_REMOVED: u32 = 51;
    pub(crate) const MSEC: u32 = 56;
    pub(crate) const LOGIN_FAILED: u32 = 69;
    pub(crate) const DUMMY_RESPONSE: u32 = 81;
    pub(crate) const POSITION_BEGIN: u32 = 110;
    pub(crate) const IS_VARIATION: u32 = 113;
    pub(crate) const SET_2: u32 = 124;
}

impl World {
    /// Queues the datagrams that follow a login, if the client has switched them on: the player's own name and titles, and all
    /// visible seeks.
    pub(crate) fn queue_login_datagrams_if_on(&mut self, id: ConnectionId) {
        let Some(player) = self.lobby.player(id) else { return };
        let who = Datagram::new(number::WHO_AM_I, [player.name(), &datagram_titles(&player.titles)]);
        self.lobby.queue_datagram_if_on(id, &who);
        self.queue_seek_list_if_on(id);
    }

    /// Queues the datagram that announces a game to a client, if the client has switched it on. `kind` is its number: that for its
    /// own game, or for one that it observes from now on.
    pub(crate) fn queue_start_datagram_if_on(&mut self, game: GameId, to: ConnectionId, kind: u32) {
        if let Some(list) = self.game_start_datagram(game, kind) {
            self.lobby.queue_datagram_if_on(to, &list);
        }
    }

    /// Returns the datagram that announces a game; `kind` is its number. `None` without such a game.
    fn game_start_datagram(&self, game: GameId, kind: u32) -> Option<Datagram> {
        let active_game = self.games.get(game)?;
        let GameHeader { terms, seats: Sides { white, black }, .. } = active_game.header();
        let rating = |seat: &SeatedPlayer| seat.rating.value().unwrap_or_default().to_string();
        let titles = |seat: &SeatedPlayer| {
            let id = self.lobby.connection_of_player(seat.name.as_str());
            id.and_then(|id| self.lobby.player(id)).map(|player| datagram_titles(&player.titles)).unwrap_or_default()
        };
        let (minutes, increment) = (terms.minutes.to_string(), terms.increment_s.to_string());
        let arguments = [
            game.to_string(),
            white.name.to_string(),
            black.name.to_string(),
            icc_wild_number(*terms).to_string(),
            icc_rating_type(*terms),
            u8::from(terms.rated).to_string(),
            minutes.clone(),
            increment.clone(),
            minutes,
            increment,
            u8::from(active_game.as_played().is_some()).to_string(),
            String::new(),
            rating(white),
            rating(black),
            game.to_string(),
            titles(white),
            titles(black),
            "0".to_owned(),
            "0".to_owned(),
            u8::from(terms.variant != Variant::Standard).to_string(),
            String::new(),
            "0".to_owned(),
        ];
        Some(Datagram::new(kind, arguments))
    }

    /// Queues the datagram of a client's new relation to a game, if the client has switched it on. `symbol` is `O`, `PW`, `PB`,
    /// `E`, or `X` for none.
    pub(crate) fn queue_relation_datagram_if_on(&mut self, game: GameId, to: ConnectionId, symbol: &str) {
        self.lobby.queue_datagram_if_on(to, &Datagram::new(number::MY_RELATION, [game.to_string().as_str(), symbol]));
    }

    /// Queues both reserves of a game as a datagram. Returns `false`, and queues nothing, if the variant has no reserves or the
    /// client has the datagram switched off.
    pub(crate) fn queue_holdings_datagram_if_on(&mut self, game: GameId, to: ConnectionId) -> bool {
        let active_game = self.games.get(game).filter(|active_game| active_game.header().terms.variant.has_hands());
        let Some(hands) = active_game.map(|active_game| active_game.position().hands) else { return false };
        let arguments = [game.to_string(), hands.white.to_string(), hands.black.to_string()];
        self.lobby.queue_datagram_if_on(to, &Datagram::new(number::HOLDINGS, arguments))
    }

    /// Queues the datagrams that accompany a board for an ICC client, if it has switched them on: both clocks in milliseconds in
    /// a played game, and for a client without board lines the move or the position. Queues nothing for other clients.
    pub(crate) fn queue_board_datagrams_if_on(&mut self, number: GameId, to: ConnectionId, reason: BoardReason) {
        let Some(connection) = self.lobby.connection(to).filter(|connection| connection.family.has_levels()) else {
            return;
        };
        if connection.board_form.is_none()
            && let Some(position) = self.position_change_datagram(number, to, reason)
        {
            self.lobby.queue_datagram_if_on(to, &position);
        }
        let Some(game) = self.games.get(number).and_then(|active_game| active_game.as_played()) else { return };
        for clock in clock_datagrams(game, game.clocks.readings(self.now())) {
            self.lobby.queue_datagram_if_on(to, &clock);
        }
    }

    /// Returns the datagram of a change: the last move, a takeback, new clocks, otherwise the whole position, which also replaces
    /// a takeback that the client has switched off. `None` without such a game, or for a move if there is none.
    fn position_change_datagram(&self, number: GameId, to: ConnectionId, reason: BoardReason) -> Option<Datagram> {
        let ActiveGame::Played(game) = self.games.get(number)? else { return self.whole_position_datagram(number) };
        let id = number.to_string();
        match reason {
            BoardReason::Move => self.last_move_datagram(game, to),
            BoardReason::TookBack(plies) if self.lobby.connection(to)?.levels.is_datagram_on(number::TAKEBACK) => {
                Some(Datagram::new(number::TAKEBACK, [id, plies.to_string()]))
            }
            BoardReason::ClockChange => {
                let left = game.clocks.readings(self.now());
                let seconds = [left.white, left.black].map(|ms| ms.div_euclid(1000).to_string());
                Some(Datagram::new(number::SET_CLOCK, std::iter::once(id).chain(seconds)))
            }
            BoardReason::TookBack(_) | BoardReason::Other => self.whole_position_datagram(number),
        }
    }

    /// Returns the datagram of a game's position; `None` without such a game.
    fn whole_position_datagram(&self, number: GameId) -> Option<Datagram> {
        let position = self.games.get(number)?.position();
        let arguments = [number.to_string(), position.fen().to_string(), "0".to_owned()];
        Some(Datagram::new(number::POSITION_BEGIN, arguments))
    }

    /// Returns the datagram of the last move, in the notations that the client has switched on; `None` before the first move.
    fn last_move_datagram(&self, game: &Game, to: ConnectionId) -> Option<Datagram> {
        let ply = game.record.plies.last()?;
        let before = game.record.position_after(game.record.plies.len().saturating_sub(1));
        let levels = &self.lobby.connection(to)?.levels;
        let clock_s = ply.clocks_ms.of(before.side_to_move).div_euclid(1000);
        let parts = [
            (number::MOVE_ALGEBRAIC, ply.san.clone()),
            (number::MOVE_SMITH, before.smith_notation(ply.played)),
            (number::MOVE_TIME, (ply.elapsed_ms / 1000).to_string()),
            (number::MOVE_CLOCK, clock_s.to_string()),
            (number::IS_VARIATION, "1".to_owned()),
        ];
        let parts = parts.into_iter().filter(|(part, _)| levels.is_datagram_on(*part)).map(|(_, part)| part);
        Some(Datagram::new(number::SEND_MOVES, std::iter::once(game.header.id.to_string()).chain(parts)))
    }

    /// Queues a seek as a datagram. Returns `false`, and queues nothing, if the client has the datagram switched off.
    pub(crate) fn queue_seek_datagram_if_on(&mut self, to: ConnectionId, seek: &PostedSeek) -> bool {
        self.lobby.queue_datagram_if_on(to, &seek_datagram(seek))
    }

    /// Queues the datagram of a removed seek, if the client has switched it on.
    pub(crate) fn queue_seek_removal_datagram_if_on(&mut self, seek: u32, to: ConnectionId) {
        self.lobby.queue_datagram_if_on(to, &Datagram::new(number::SEEK_REMOVED, [&seek.to_string(), "1"]));
    }

    /// Queues all visible seeks as datagrams, if the client has switched the datagram on.
    pub(crate) fn queue_seek_list_if_on(&mut self, to: ConnectionId) {
        for seek in self.visible_seeks(to) {
            self.queue_seek_datagram_if_on(to, &seek);
        }
    }
}

fn seek_datagram(PostedSeek { terms, ad, .. }: &PostedSeek) -> Datagram {
    let rating = ad.rating.and_then(Rating::value);
    let color = match ad.color {
        Some(Color::White) => "1",
        Some(Color::Black) => "0",
        None => "-1",
    };
    let flag = |is: Option<bool>| u8::from(is == Some(true)).to_string();
    let arguments = [
        ad.index.to_string(),
        ad.name.to_string(),
        datagram_titles(&ad.titles),
        rating.unwrap_or_default().to_string(),
        if rating.is_some() { "2" } else { "0" }.to_owned(),
        icc_wild_number(*terms).to_string(),
        icc_rating_type(*terms),
        terms.minutes.to_string(),
        terms.increment_s.to_string(),
        flag(ad.rated),
        color.to_owned(),
        ad.rating_min.unwrap_or_default().to_string(),
        ad.rating_max.unwrap_or_default().to_string(),
        flag(ad.automatic),
        flag(ad.formula),
        String::new(),
    ];
    Datagram::new(number::SEEK, arguments)
}

/// Returns the datagrams of both clocks, in milliseconds.
fn clock_datagrams(game: &Game, readings: Sides<i64>) -> [Datagram; 2] {
    let (id, is_running) = (game.header.id, game.clocks.running.is_some());
    Color::BOTH.map(|color| {
        let runs = u8::from(is_running && game.side_to_move() == color).to_string();
        let (letter, reading) = (color_letter(color).to_string(), readings.of(color).to_string());
        Datagram::new(number::MSEC, [id.to_string(), letter, reading, runs])
    })
}

/// Returns ICC's number of a variant; 0 for chess. Source: icc §7.
const fn icc_wild_number(terms: Terms) -> u8 {
    match terms.variant {
        Variant::Standard => 0,
        Variant::Crazyhouse => 23,
        Variant::Bughouse => 24,
        Variant::FischerRandom => 22,
    }
}

/// Returns the kind of a game in ICC's spelling: `Blitz`.
fn icc_rating_type(terms: Terms) -> String {
    let kind = terms.kind();
    let (first, rest) = kind.split_at_checked(1).unwrap_or_default();
    first.to_ascii_uppercase() + rest
}

/// Formats titles as in datagrams, separated by blanks: `GM C`.
pub(crate) fn datagram_titles(titles: &Titles) -> String {
    titles.iter().collect::<Vec<_>>().join(" ")
}
