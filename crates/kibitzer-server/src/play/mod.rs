//! Games: players and terms, moves, clocks, endings, and the lines that describe them.
//!
//! Nothing here sends output or reads a clock. The caller passes moves and times to a [`Game`]; lines are computed from its state.

mod board_line;
mod clocks;
mod ending;
mod examined;
mod game;
mod listing;
mod record;
mod terms;

#[cfg(test)]
mod recorded_tests;
#[cfg(test)]
mod tests;

use std::time::SystemTime;

use kibitzer_core::chess::{Color, Hands, Role};
use kibitzer_core::message::{GameId, Handle, Rating};

pub(crate) use self::board_line::{BoardForm, BoardViewer, ClockUnit};
pub(crate) use self::clocks::Clocks;
pub(crate) use self::ending::Ending;
pub(crate) use self::examined::ExaminedGame;
pub(crate) use self::game::Game;
pub(crate) use self::listing::{
    HISTORY_HEAD, STORED_HEAD, adjourned_row, examined_row, format_move_list, games_row, history_row,
};
pub(crate) use self::record::{MoveRecord, Ply};
pub(crate) use self::terms::Terms;
use crate::chess::Position;

/// One value for White and one for Black.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sides<T> {
    pub(crate) white: T,
    pub(crate) black: T,
}

impl<T: Clone> Sides<T> {
    pub(crate) const fn of(&self, color: Color) -> &T {
        match color {
            Color::White => &self.white,
            Color::Black => &self.black,
        }
    }

    pub(crate) const fn of_mut(&mut self, color: Color) -> &mut T {
        match color {
            Color::White => &mut self.white,
            Color::Black => &mut self.black,
        }
    }

    /// Creates a pair with the same value for both sides.
    pub(crate) fn both(value: T) -> Self {
        Self { white: value.clone(), black: value }
    }
}

/// A player of a game, with the rating and other facts that the lines of the game contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SeatedPlayer {
    pub(crate) name: Handle,
    /// Rating in this kind of game.
    pub(crate) rating: Rating,
    pub(crate) is_registered: bool,
    pub(crate) has_timeseal: bool,
}

impl SeatedPlayer {
    /// Formats the name and the rating: `Alekhine (1940)`.
    pub(crate) fn name_with_rating(&self) -> String {
        format!("{} ({:>4})", self.name, self.rating.to_string())
    }
}

/// Number, terms and players of a game that is played or examined.
#[derive(Clone, Debug)]
pub(crate) struct GameHeader {
    pub(crate) id: GameId,
    pub(crate) terms: Terms,
    pub(crate) seats: Sides<SeatedPlayer>,
    pub(crate) started: SystemTime,
}

impl GameHeader {
    pub(crate) fn names(&self) -> Sides<&str> {
        Sides { white: self.seats.white.name.as_str(), black: self.seats.black.name.as_str() }
    }

    /// Formats the players with their ratings, and the terms: `Alekhine (1940) Bogoljubov (1500) unrated blitz 10 0`.
    pub(crate) fn format_players_and_terms(&self) -> String {
        let Self { seats: Sides { white, black }, terms, .. } = self;
        format!("{} {} {terms}", white.name_with_rating(), black.name_with_rating())
    }

    /// Returns the color of the player with this name, in any case; `None` if neither player has it. White if both have it.
    pub(crate) fn color_of(&self, name: &str) -> Option<Color> {
        Color::BOTH.into_iter().find(|&color| self.seats.of(color).name.is_same_player(name))
    }

    /// Returns whether both players have accounts.
    pub(crate) fn are_both_registered(&self) -> bool {
        self.seats.white.is_registered && self.seats.black.is_registered
    }

    /// Formats both reserves in a position, and the piece that was just added: `<b1> game 1 white [P] black [] <- WP`. `None` in
    /// variants without reserves.
    ///
    /// Source: bughouse §1; transcripts.
    pub(crate) fn holding_line(&self, position: &Position, added: Option<(Color, Role)>) -> Option<String> {
        let added =
            added.map(|(color, role)| format!(" <- {}{}", color_letter(color), role.letter())).unwrap_or_default();
        let Hands { white, black } = position.hands;
        let has_hands = self.terms.variant.has_hands();
        has_hands.then(|| format!("<b1> game {} white [{white}] black [{black}]{added}", self.id))
    }
}

/// Returns `W` or `B`.
pub(crate) const fn color_letter(color: Color) -> char {
    match color {
        Color::White => 'W',
        Color::Black => 'B',
    }
}
