//! Ratings of players: their forecast in a challenge, and their change after a game.
//!
//! Source of the forms: transcripts uhlinfics-end-*, uhlinfics-cut-mid-line-*.

use kibitzer_core::chess::Color;
use kibitzer_core::message::{GameId, GameResult};

use super::{ConnectionId, ProposedMatch, World};
use crate::play::{Game, Sides};
use crate::rating::{PlayerRating, Score, format_adjustment, format_forecast};

impl World {
    /// Formats how a challenge would change the rating of `id`; empty for an unrated game.
    pub(crate) fn format_rating_forecast(
        &self,
        id: ConnectionId,
        opponent: ConnectionId,
        proposed: ProposedMatch,
    ) -> String {
        if !proposed.terms.rated {
            return String::new();
        }
        let kind = proposed.terms.kind();
        let [own, other] = [id, opponent].map(|id| self.rating_of(&self.lobby.player_name(id), kind));
        format_forecast(rating_word(kind), own, other)
    }

    /// Updates both ratings after a finished game, and returns the line for each player. Lines are empty for unrated games, and for
    /// players without an account, as in relayed games.
    pub(super) fn adjust_ratings(&mut self, number: GameId) -> Sides<String> {
        let Some(game) = self.games.played(number).filter(|game| self.is_rated_here(game)) else {
            return Sides::default();
        };
        let kind = game.header.terms.kind();
        let names = [Color::White, Color::Black].map(|color| game.header.seats.of(color).name.to_string());
        let Some(scores) = game.ending.and_then(|ending| scores(ending.result())) else {
            return Sides::both("No ratings adjustment done.\n".to_owned());
        };
        let [white, black] = names.each_ref().map(|name| self.rating_of(name, kind));
        let [old_white, old_black] = [white, black].map(|rating| rating.unwrap_or(PlayerRating::ASSUMED));
        let new_white = old_white.after(old_black, scores.white);
        let new_black = old_black.after(old_white, scores.black);
        for (name, rating) in names.iter().zip([new_white, new_black]) {
            self.set_rating(name, kind, rating);
        }
        Sides {
            white: format_adjustment(rating_word(kind), white, new_white),
            black: format_adjustment(rating_word(kind), black, new_black),
        }
    }

    fn is_rated_here(&self, game: &Game) -> bool {
        let has_account = |color| self.options.accounts.get(game.header.seats.of(color).name.as_str()).is_some();
        game.header.terms.rated && Color::BOTH.into_iter().all(has_account)
    }

    fn rating_of(&self, name: &str, kind: &str) -> Option<PlayerRating> {
        self.options.accounts.get(name)?.ratings.get(kind).copied()
    }

    /// Sets a rating of an account, and of its player who is logged in.
    fn set_rating(&mut self, name: &str, kind: &str, rating: PlayerRating) {
        if let Some(account) = self.options.accounts.get_mut(name) {
            account.ratings.insert(kind.to_owned(), rating);
        }
        let id = self.lobby.connection_of_player(name);
        if let Some(player) = id.and_then(|id| self.lobby.player_mut(id)) {
            player.ratings.insert(kind.to_owned(), rating);
        }
    }
}

/// Returns the word for a kind of game in lines about ratings, which have one rating for all wild games: `wild` for `wild/fr`.
fn rating_word(kind: &str) -> &str {
    kind.split_once('/').map_or(kind, |(word, _)| word)
}

/// Returns the scores of both players; `None` for a game without a result.
fn scores(result: GameResult) -> Option<Sides<Score>> {
    Some(match result {
        GameResult::WhiteWins => Sides { white: Score::Win, black: Score::Loss },
        GameResult::BlackWins => Sides { white: Score::Loss, black: Score::Win },
        GameResult::Draw => Sides::both(Score::Draw),
        GameResult::Unfinished => return None,
    })
}
