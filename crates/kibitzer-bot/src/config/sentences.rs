//! The rules in plain sentences, for `kibitzer bot --check`.

use humantime::format_duration;
use kibitzer::Handle;

use crate::book::BookSelection;

use super::{AcceptRules, BotConfig, MatchmakingRules, OfferRules, ScoreAudience, format_range};

impl BotConfig {
    /// Returns the rules and the settings of the program as English sentences, for people to check.
    pub fn sentences(&self) -> Vec<String> {
        self.accept.sentences().chain(self.rule_sentences()).chain(self.program_sentences()).collect()
    }

    /// Returns the sentences about all rules except `[accept]`.
    fn rule_sentences(&self) -> impl Iterator<Item = String> {
        let seeks = match &self.seek.ads[..] {
            [] => "No seek is posted.".to_owned(),
            ads => format!("Without a game, these seeks are open: {}.", ads.join("; ")),
        };
        let resumes = if self.adjourned.resume { "are resumed when the opponent is there" } else { "are left alone" };
        let rematches = self.rematch.propose;
        let rematch = format!("After a game the bot proposes a rematch, up to {rematches} in a row.");
        let matchmaking = self.matchmaking.as_ref().map(MatchmakingRules::sentence);
        let owners = &self.talk.owners;
        let talk = &self.talk;
        let scores = || format!("The scores of {} moves a minute are sent: {:?}.", talk.scores_per_minute, talk.scores);
        let rest = [
            Some(format!("Adjourned games {resumes}.")),
            (rematches > 0).then_some(rematch),
            Some(matchmaking.unwrap_or_else(|| "The bot challenges no one.".to_owned())),
            (talk.scores != ScoreAudience::Off).then(scores),
            (!owners.is_empty()).then(|| format!("Tells of {} are commands.", join_names(owners, ", "))),
        ];
        std::iter::once(seeks).chain(self.offers.sentences()).chain(rest.into_iter().flatten())
    }

    /// Returns the sentences about the engine, the book, the file of games and the shutdown.
    fn program_sentences(&self) -> impl Iterator<Item = String> {
        let engine = &self.engine;
        let books = self.books.iter().map(|book| {
            let selection = match book.selection {
                BookSelection::Weighted => "a weighted random move",
                BookSelection::Uniform => "a random move",
                BookSelection::Best => "the best move",
            };
            let (file, weight, variants) = (book.file.display(), book.min_weight, book.variants.join(", "));
            format!(
                "The first {} moves of {variants} are played from {file}: {selection} of weight {weight} or more.",
                book.max_moves
            )
        });
        let appended = self.pgn.file.as_ref().map(|file| format!("Every game is appended to {}.", file.display()));
        let sentences = [
            Some(format!(
                "{} ms are deducted from the time of every move, which takes {} ms or more and {} % of the clock or less; after {} \
                 restarts in one game the bot gives it up.",
                engine.move_overhead_ms, engine.min_move_ms, engine.max_clock_percent, engine.restarts_per_game
            )),
            engine.move_time_ms.map(|ms| format!("The engine thinks {ms} ms, or less if the clock is short.")),
            engine.ponder.then(|| "The engine thinks in the opponent's time.".to_owned()),
            Some(appended.unwrap_or_else(|| "Games are not written.".to_owned())),
            Some(format!(
                "When stopped, the bot plays on for at most {} and then adjourns.",
                format_duration(self.shutdown.finish_game_within)
            )),
        ];
        sentences.into_iter().flatten().chain(books)
    }
}

impl AcceptRules {
    fn sentences(&self) -> impl Iterator<Item = String> {
        let rated = if self.rated { "Rated and unrated" } else { "Unrated" };
        let untimed = if self.untimed { ", or untimed" } else { "" };
        let unrated = if self.unrated_players { ", or without one" } else { "" };
        let (kinds, minutes, seconds) =
            (self.kinds.join(", "), format_range(&self.initial_min), format_range(&self.increment_s));
        let per_day = self.games_per_opponent_per_day;
        let named = |handles: &[Handle]| (!handles.is_empty()).then(|| join_names(handles, ", "));
        let sentences = [
            Some(format!(
                "{rated} challenges to {kinds} are accepted, with {minutes} minutes and {seconds} seconds per move{untimed}."
            )),
            Some(format!("Opponents have a rating of {}{unrated}.", format_range(&self.rating))),
            (per_day > 0).then(|| format!("One opponent gets {per_day} games a day.")),
            named(&self.allow).map(|names| format!("Only {names} may challenge.")),
            named(&self.block).map(|names| format!("Challenges of {names} are declined.")),
        ];
        sentences.into_iter().flatten()
    }
}

impl OfferRules {
    fn sentences(&self) -> [String; 4] {
        let when = |granted: bool| if granted { "granted" } else { "refused" };
        let (abort, adjourn) = (when(self.abort), when(self.adjourn));
        [
            format!("{} takebacks per game are granted.", self.takebacks),
            format!("Requests to abort are {abort} after the first moves, requests to adjourn {adjourn}."),
            match self.draw {
                Some(rule) => format!(
                    "From move {}, a draw is offered and accepted if the score was within {} centipawns for {} moves and \
                     {} pieces or fewer are left.",
                    rule.from_move, rule.within_cp, rule.for_moves, rule.max_pieces
                ),
                None => "A draw is never offered or accepted, but claimed on repetition.".to_owned(),
            },
            match self.resign {
                Some(rule) => format!(
                    "The bot resigns if the score was below {} centipawns for {} moves.",
                    rule.below_cp, rule.for_moves
                ),
                None => "The bot never resigns by the score.".to_owned(),
            },
        ]
    }
}

impl MatchmakingRules {
    fn sentence(&self) -> String {
        let rating = format_range(&self.rating);
        let whom = match &self.players[..] {
            [] if self.computers_only => format!("computers with a rating of {rating}"),
            [] => format!("players with a rating of {rating}"),
            players => join_names(players, " or "),
        };
        let (pause, terms) = (format_duration(self.pause), self.terms.join("; "));
        format!("Every {pause} without a game, the bot challenges {whom} to: {terms}.")
    }
}

/// Returns the names with this separator between them.
fn join_names(handles: &[Handle], separator: &str) -> String {
    handles.iter().map(Handle::as_str).collect::<Vec<_>>().join(separator)
}
