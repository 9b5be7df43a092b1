//! How a game follows the state of the session.

use std::time::Duration;

use kibitzer::Game;
use kibitzer::core::chess::Color;
use kibitzer::core::game::{ChangeKind, Continuation};
use kibitzer::core::message::{GameEnded, Handle, OwnGameStarting, Relation};

use super::TrackedGame;
use crate::tracker::change::{TrackedChange, TrackedChangeKind, TrackedState};

impl TrackedGame {
    /// Replaces the state by the one after a change of the session's game, and returns the change of this game. With a board, the
    /// position is known again.
    pub(in crate::tracker) fn apply_change(&mut self, game: &Game, kind: ChangeKind, arrival: u64) -> TrackedChange {
        use TrackedChangeKind::{Adjourned, Ended, Left, Moved, Refreshed, Replaced, TakenBack};
        self.replace_state(game, arrival);
        let is_adjournment = game.ending().is_some_and(GameEnded::is_adjourned);
        let kind = match kind {
            ChangeKind::Ended if is_adjournment => Adjourned,
            ChangeKind::Ended => Ended,
            ChangeKind::Left if self.state == TrackedState::Playing => Left,
            ChangeKind::Moved => Moved,
            ChangeKind::TookBack { plies } => TakenBack { plies },
            ChangeKind::Jumped | ChangeKind::Replaced => Replaced,
            _ => Refreshed,
        };
        self.is_position_unknown &= !matches!(kind, Moved | TakenBack { .. } | Replaced);
        self.enter_state_after(kind)
    }

    /// Marks this game as resumed under the number and with the position of `game`.
    pub(in crate::tracker) fn resume(&mut self, game: &Game, arrival: u64) -> TrackedChange {
        self.replace_state(game, arrival);
        self.is_position_unknown = false;
        self.enter_state_after(TrackedChangeKind::Resumed)
    }

    /// Sets the state that a change leads to, and returns the change. A change of the position keeps the state.
    pub(in crate::tracker) const fn enter_state_after(&mut self, kind: TrackedChangeKind) -> TrackedChange {
        self.state = match kind {
            TrackedChangeKind::Started | TrackedChangeKind::Resumed => TrackedState::Playing,
            TrackedChangeKind::Adjourned => TrackedState::Adjourned,
            TrackedChangeKind::Ended => TrackedState::Over,
            TrackedChangeKind::Interrupted => TrackedState::Interrupted,
            TrackedChangeKind::Left => TrackedState::Left,
            _ => self.state,
        };
        TrackedChange { game: self.key, kind }
    }

    /// Stores the terms of an announcement if it names the players of this game; otherwise removes those that were stored.
    pub(in crate::tracker) fn set_terms_if_players_match(&mut self, terms: &OwnGameStarting) {
        let is_of_this_game =
            self.has_players(&terms.first, &terms.second) || self.has_players(&terms.second, &terms.first);
        self.terms = is_of_this_game.then(|| terms.clone());
    }

    /// Returns whether `game`, which has just appeared, continues this interrupted or adjourned game. `announced` is `Some(true)` if the
    /// server announced `game` as resumed, `Some(false)` as new, `None` if it announced nothing. ICC announces resumed games as new.
    pub(in crate::tracker) fn is_continued_by(&self, game: &Game, announced: Option<bool>) -> bool {
        let (known, new) = (self.position(), game.position());
        let can_resume = matches!(self.state, TrackedState::Interrupted | TrackedState::Adjourned);
        let has_same_terms = known.initial_min() == new.initial_min() && known.increment_s() == new.increment_s();
        let is_new = announced == Some(false) && new.last_move().is_none();
        let was_played_on = new.ply() >= known.ply() && new.last_move().is_some();
        let is_same_position = new.ply() == known.ply() && new.board() == known.board();
        // The players of an observed game may have begun another one.
        let may_go_on = match known.relation() {
            Relation::Observing => self.game().continuation_in(game, None, Duration::ZERO) == Continuation::Same,
            _ => is_same_position || was_played_on,
        };
        can_resume
            && self.has_players(&new.white(), &new.black())
            && has_same_terms
            && !is_new
            && (announced == Some(true) || may_go_on)
    }

    /// Returns whether `game` is a newer state of this game: it has the same number and players, and this game was not interrupted or
    /// left.
    pub(in crate::tracker) fn is_updated_by(&self, game: &Game) -> bool {
        let is_current = match self.state {
            TrackedState::Playing => true,
            // The last board may follow the end.
            TrackedState::Over | TrackedState::Adjourned => game.ending().is_some(),
            TrackedState::Interrupted | TrackedState::Left => false,
        };
        is_current && self.number() == game.id() && self.has_players(&game.position().white(), &game.position().black())
    }

    /// Returns whether the game has these players, regardless of case.
    pub(in crate::tracker) fn has_players(&self, white: &Handle, black: &Handle) -> bool {
        self.player(Color::White).is_same_player(white.as_str())
            && self.player(Color::Black).is_same_player(black.as_str())
    }
}
