//! The rules in plain sentences, for `kibitzer bot --check`.

use std::ops::RangeInclusive;

use humantime::format_duration;
use kibitzer::{DialError, Handle, Profile};

use crate::book::BookSelection;

use super::{
    AcceptRules, BotConfig, MatchmakingRules, MatchmakingTerms, OfferRules, Preference, ScoreAudience, format_range,
};

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
        let scores = || format!("At most {} scores a minute are sent: {:?}.", talk.scores_per_minute, talk.scores);
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
        let commands = &self.login.commands;
        // Arguments may be secret.
        let words: Vec<_> = commands.iter().map(|line| first_word(line)).collect();
        let memory = match &self.state.folder {
            Some(folder) => format!("Games and refusals of the last day are kept in the folder {}.", folder.display()),
            None => "Other players are forgotten at the end.".to_owned(),
        };
        let appended = self.pgn.file.as_ref().map(|file| format!("Every game is appended to {}.", file.display()));
        let sentences = [
            Some(format!(
                "{} ms are deducted from the time of every move, which takes {} ms or more and {} % of the clock or less; after {} \
                 restarts in one game the bot gives it up.",
                engine.move_overhead_ms, engine.min_move_ms, engine.max_clock_percent, engine.restarts_per_game
            )),
            engine.move_time_ms.map(|ms| format!("The engine thinks {ms} ms, or less if the clock is short.")),
            (!commands.is_empty())
                .then(|| format!("After each login, commands are sent that begin with: {}.", words.join("; "))),
            engine.ponder.then(|| "The engine thinks in the opponent's time.".to_owned()),
            Some(appended.unwrap_or_else(|| "Games are not written.".to_owned())),
            Some(memory),
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
        let conditions: Vec<_> = self.alternatives().iter().flat_map(Self::condition_sentences).collect();
        let per_day = self.games_per_opponent_per_day;
        let named = |handles: &[Handle]| (!handles.is_empty()).then(|| join_names(handles, ", "));
        let waits = "Challenges of people wait for the end of the game, those of computers are declined.";
        let sentences = [
            (self.prefer == Preference::Humans).then(|| waits.to_owned()),
            self.simuls.then(|| "Requests to join a simul are accepted, one at a time.".to_owned()),
            (per_day > 0).then(|| format!("One opponent gets {per_day} games a day.")),
            named(&self.allow).map(|names| format!("Only {names} may challenge, and are challenged.")),
            named(&self.block).map(|names| format!("Challenges of {names} are declined.")),
        ];
        conditions.into_iter().chain(sentences.into_iter().flatten())
    }

    /// Returns the sentences about the conditions of challenges, without those of the terms.
    fn condition_sentences(&self) -> [String; 2] {
        let rated = if self.rated { "Rated and unrated" } else { "Unrated" };
        let untimed = if self.untimed { ", or untimed" } else { "" };
        let unrated = if self.unrated_players { ", or without one" } else { "" };
        let (kinds, minutes, seconds) =
            (self.kinds.join(", "), format_range(&self.initial_min), format_range(&self.increment_s));
        let rating = format_rating(&self.rating, self.rating_difference);
        [
            format!(
                "{rated} challenges to {kinds} are accepted, with {minutes} minutes and {seconds} seconds per move{untimed}."
            ),
            format!("Opponents are {} with a rating of {rating}{unrated}.", self.computers.players()),
        ]
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
        let rating = format_rating(&self.rating, self.rating_difference);
        let whom = match &self.players[..] {
            [] => format!("{} with a rating of {rating}", self.computers.players()),
            players => join_names(players, " or "),
        };
        let terms: Vec<_> = self.terms.iter().map(MatchmakingTerms::phrase).collect();
        let (pause, terms) = (format_duration(self.pause), terms.join("; "));
        format!("Every {pause} without a game, the bot challenges {whom} to: {terms}.")
    }
}

impl MatchmakingTerms {
    /// Returns the words, and the conditions in brackets.
    fn phrase(&self) -> String {
        let conditions = [
            self.computers.map(|computers| format!(" ({})", computers.players())),
            self.rating.as_ref().map(|rating| format!(" (rating {})", format_range(rating))),
            self.rating_difference.map(|points| format!(" (at most {points} from the bot's own)")),
        ];
        self.words.clone() + &conditions.into_iter().flatten().collect::<String>()
    }
}

/// Formats a range of ratings and the largest difference.
fn format_rating(range: &RangeInclusive<u16>, difference: Option<u16>) -> String {
    let difference = difference.map(|points| format!(", at most {points} from the bot's own"));
    format_range(range) + &difference.unwrap_or_default()
}

/// Returns the sentence about a connection that was not made, with the addresses of the account's server.
pub(crate) fn dial_sentence(account: &Profile, error: DialError) -> String {
    let host = account.host_name();
    let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
    let addresses: Vec<_> = account.port_numbers().iter().map(|port| format!("{host}:{port}")).collect();
    let addresses = addresses.join(" or ");
    match error {
        DialError::Failed(kind) => format!("cannot connect to {addresses}: {kind}"),
        other => format!("cannot connect to {addresses}: {other}"),
    }
}

/// Returns the first word of a command; empty without one.
pub(crate) fn first_word(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}

/// Returns the names with this separator between them.
fn join_names(handles: &[Handle], separator: &str) -> String {
    handles.iter().map(Handle::as_str).collect::<Vec<_>>().join(separator)
}
