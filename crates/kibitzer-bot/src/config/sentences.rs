//! The rules in plain sentences, for `kibitzer bot --check`.

use crate::book::BookSelection;

use super::{AcceptRules, BotConfig, MatchmakingRules, OfferRules};

impl BotConfig {
    /// Returns every rule as a sentence.
    pub fn sentences(&self) -> Vec<String> {
        let engine = &self.engine;
        let mut sentences = self.rule_sentences();
        sentences.push(format!(
            "{} ms are deducted from the time of every move; after {} restarts in one game the bot gives it up.",
            engine.move_overhead_ms, engine.restarts_per_game
        ));
        if engine.ponder {
            sentences.push("The engine thinks in the opponent's time.".to_owned());
        }
        if let Some(book) = &self.book {
            let selection = match book.selection {
                BookSelection::Weighted => "a weighted random move",
                BookSelection::Uniform => "a random move",
                BookSelection::Best => "the best move",
            };
            sentences.push(format!(
                "The first {} moves are played from {}: {selection} of weight {} or more.",
                book.max_moves,
                book.file.display(),
                book.min_weight
            ));
        }
        sentences.push(match &self.pgn.file {
            Some(file) => format!("Every game is appended to {}.", file.display()),
            None => "Games are not written.".to_owned(),
        });
        sentences.push(format!(
            "When stopped, the bot plays on for at most {} and then adjourns.",
            humantime::format_duration(self.shutdown.finish_game_within)
        ));
        sentences
    }

    fn rule_sentences(&self) -> Vec<String> {
        let mut sentences = self.accept.sentences();
        sentences.push(match &self.seek.ads[..] {
            [] => "No seek is posted.".to_owned(),
            ads => format!("Without a game, these seeks are open: {}.", ads.join("; ")),
        });
        sentences.extend(self.offers.sentences());
        let resumes = if self.adjourned.resume { "are resumed when the opponent is there" } else { "are left alone" };
        sentences.push(format!("Adjourned games {resumes}."));
        if self.rematch.propose > 0 {
            sentences
                .push(format!("After a game the bot proposes a rematch, up to {} in a row.", self.rematch.propose));
        }
        sentences.push(
            self.matchmaking
                .as_ref()
                .map_or_else(|| "The bot challenges no one.".to_owned(), MatchmakingRules::sentence),
        );
        if !self.talk.owners.is_empty() {
            let owners: Vec<_> = self.talk.owners.iter().map(ToString::to_string).collect();
            sentences.push(format!("Tells of {} are commands.", owners.join(", ")));
        }
        sentences
    }
}

impl AcceptRules {
    fn sentences(&self) -> Vec<String> {
        let rated = if self.rated { "Rated and unrated" } else { "Unrated" };
        let untimed = if self.untimed { ", or untimed" } else { "" };
        let unrated = if self.unrated_players { ", or without one" } else { "" };
        let mut sentences = vec![
            format!(
                "{rated} challenges to {} are accepted, with {} minutes and {} seconds per move{untimed}.",
                self.kinds.join(", "),
                self.initial_min,
                self.increment_s
            ),
            format!("Opponents have a rating of {}{unrated}.", self.rating),
        ];
        if self.games_per_opponent_per_day > 0 {
            sentences.push(format!("One opponent gets {} games a day.", self.games_per_opponent_per_day));
        }
        let names =
            |handles: &[kibitzer::Handle]| handles.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        if !self.allow.is_empty() {
            sentences.push(format!("Only {} may challenge.", names(&self.allow)));
        }
        if !self.block.is_empty() {
            sentences.push(format!("Challenges of {} are declined.", names(&self.block)));
        }
        sentences
    }
}

impl OfferRules {
    fn sentences(&self) -> Vec<String> {
        let when = |granted: bool| if granted { "granted" } else { "refused" };
        let mut sentences = vec![
            format!("{} takebacks per game are granted.", self.takebacks),
            format!(
                "Requests to abort are {} after the first moves, requests to adjourn {}.",
                when(self.abort),
                when(self.adjourn)
            ),
        ];
        sentences.push(match self.draw {
            Some(rule) => format!(
                "From move {}, a draw is offered and accepted if the score was within {} centipawns for {} moves.",
                rule.from_move, rule.within_cp, rule.for_moves
            ),
            None => "A draw is never offered or accepted, but claimed on repetition.".to_owned(),
        });
        sentences.push(match self.resign {
            Some(rule) => format!(
                "The bot resigns if the score was below {} centipawns for {} moves.",
                rule.below_cp, rule.for_moves
            ),
            None => "The bot never resigns by the score.".to_owned(),
        });
        sentences
    }
}

impl MatchmakingRules {
    fn sentence(&self) -> String {
        let whom = match &self.players[..] {
            [] if self.computers_only => format!("computers with a rating of {}", self.rating),
            [] => format!("players with a rating of {}", self.rating),
            players => players.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or "),
        };
        format!(
            "Every {} without a game, the bot challenges {whom} to: {}.",
            humantime::format_duration(self.pause),
            self.terms.join("; ")
        )
    }
}
