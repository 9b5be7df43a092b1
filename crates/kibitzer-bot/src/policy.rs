//! Decisions: which challenges to accept, how to answer offers, when to offer a draw or to resign.

use std::fmt;
use std::pin::Pin;

use kibitzer::track::TrackedGame;
use kibitzer::{Handle, TalkKind};
use kibitzer_core::message::{Challenge, OfferKind, Titles};

use crate::config::{AcceptRules, BotConfig, format_range, is_computer};
use crate::engine::{Score, SearchInfo};
use crate::verdict::Verdict;

/// Decides for a bot. Every method has a default that follows the settings.
///
/// Methods must return quickly: the bot waits for them.
pub trait Policy: Send + Sync + 'static {
    /// Decides whether to accept a challenge.
    fn judge_challenge(&mut self, challenge: &Challenge, situation: &ChallengeSituation<'_>) -> Verdict<bool> {
        situation.judge(challenge)
    }

    /// Decides whether to accept a player's request to join a simultaneous exhibition of the bot.
    fn judge_simul(&mut self, from: &Handle, situation: &ChallengeSituation<'_>) -> Verdict<bool> {
        situation.judge_simul(from)
    }

    /// Returns whether decisions depend on the titles of a challenger. If so, the bot requests the player's `finger` before it decides,
    /// unless it knows the titles.
    fn needs_titles(&self, config: &BotConfig) -> bool {
        config.accept.distinguishes_computers()
    }

    /// Decides whether to grant an offer of the opponent.
    fn judge_offer(&mut self, offer: OfferKind, game: &GameSituation<'_>) -> Verdict<bool> {
        game.judge_offer(offer)
    }

    /// Decides after a search whether to resign or to offer a draw with the move; `None` for neither.
    fn decide_resign_or_draw(&mut self, game: &GameSituation<'_>) -> Option<Verdict<ResignOrDraw>> {
        game.decide_resign_or_draw()
    }

    /// Returns the reply to a tell, to words of the opponent or to a kibitz, or `None` to send none. Not called for the commands
    /// of owners. The reply is sent as a tell, to each player at most one in [`answer_pause`](crate::config::TalkRules::answer_pause).
    fn choose_reply(&mut self, talk: &TalkSituation<'_>) -> Option<TalkReply> {
        talk.configured_answer().map(|answer| TalkReply::Now(answer.to_owned()))
    }
}

/// The policy of the settings alone.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has no state")]
pub struct SettingsPolicy;

impl Policy for SettingsPolicy {}

/// A resignation in place of a move, or a draw offer with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a player can do nothing else about the result")]
pub enum ResignOrDraw {
    /// Resigns in place of the move.
    Resign,
    /// Offers a draw with the move.
    OfferDraw,
}

/// State of the bot when a challenge is received.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ChallengeSituation<'a> {
    /// The settings.
    pub config: &'a BotConfig,
    /// Variants that the engine plays, by the names of UCI.
    pub variants: &'a [String],
    /// Titles of the challenger, such as `C` for a computer; empty also if they are not known, see [`Policy::needs_titles`].
    pub titles: &'a Titles,
    /// Whether a game is in progress, or a challenge has been accepted. `false` for a challenge that may wait for the end of the
    /// game ([`Preference::Humans`](crate::config::Preference::Humans)); it is judged again then.
    pub is_busy: bool,
    /// Whether the bot accepts no more games, because it is stopping or is paused by its owner.
    pub is_closed: bool,
    /// Number of games with the challenger in the last 24 hours.
    pub games_with_opponent: u32,
}

impl ChallengeSituation<'_> {
    /// Decides by the settings whether to accept a challenge.
    ///
    /// For the resumption of an adjourned game, the rules about players, terms and ratings do not apply; only whether such games
    /// are resumed.
    pub fn judge(&self, challenge: &Challenge) -> Verdict<bool> {
        match self.first_objection(challenge) {
            Some(reason) => Verdict::decline(reason),
            None => Verdict::accept("it fits the settings"),
        }
    }

    /// Decides by the settings whether to accept a player's request to join a simultaneous exhibition of the bot.
    pub fn judge_simul(&self, from: &Handle) -> Verdict<bool> {
        let accept = &self.config.accept;
        let not_given = (!accept.simuls).then(|| "the bot gives no simuls".to_owned());
        let objection = not_given.or_else(|| self.objection_to_any_game()).or_else(|| self.objection_to_player(from));
        match objection.or_else(|| accept.objection_to_titles(self.titles)).or_else(|| self.objection_to_repetition()) {
            Some(reason) => Verdict::decline(reason),
            None => Verdict::accept("requests to join a simul are accepted"),
        }
    }

    /// Returns the first reason to decline a challenge; `None` to accept it.
    fn first_objection(&self, challenge: &Challenge) -> Option<String> {
        let objection = self.objection_to_any_game();
        if objection.is_some() || challenge.adjourned {
            let resumes = self.config.adjourned.resume;
            return objection.or_else(|| (!resumes).then(|| "adjourned games are not resumed".to_owned()));
        }
        let objection = self.objection_to_player(&challenge.from);
        objection.or_else(|| self.objection_to_conditions(challenge)).or_else(|| self.objection_to_repetition())
    }

    /// Returns the reason why no game may begin now; `None` if one may.
    fn objection_to_any_game(&self) -> Option<String> {
        let closed = self.is_closed.then(|| "no new games are accepted at the moment".to_owned());
        closed.or_else(|| self.is_busy.then(|| "a game is in progress".to_owned()))
    }

    /// Returns the reason to decline a player who is blocked or not among those allowed; `None` otherwise.
    fn objection_to_player(&self, player: &Handle) -> Option<String> {
        (!self.config.accept.may_play(player)).then(|| "only certain players are accepted".to_owned())
    }

    /// Returns the reasons to decline if the challenge meets none of the terms; `None` if it meets one.
    fn objection_to_conditions(&self, challenge: &Challenge) -> Option<String> {
        let objection = |rules: &AcceptRules| {
            let objection = rules.objection_to_terms(challenge).or_else(|| self.objection_to_kind(rules, challenge));
            objection
                .or_else(|| rules.objection_to_rating(challenge))
                .or_else(|| rules.objection_to_titles(self.titles))
        };
        let mut objections: Vec<_> = self.config.accept.alternatives().iter().map(objection).collect::<Option<_>>()?;
        objections.dedup();
        Some(objections.join("; or "))
    }

    /// Returns the reason to decline the kind of game: its speed or variant is not listed, or the engine does not play it. `None`
    /// if it is played.
    fn objection_to_kind(&self, rules: &AcceptRules, challenge: &Challenge) -> Option<String> {
        let kind = challenge.game_kind();
        let variant = match &kind.variant {
            Some(variant) => variant.as_str(),
            None if challenge.kind.as_str().is_empty() => "chess",
            None => challenge.kind.as_str(),
        };
        // A variant is played at any speed if it is listed; chess at the listed speeds.
        let name = if variant == "chess" { kind.speed.unwrap_or("chess") } else { variant };
        // Whether untimed games are played is a setting of its own.
        if name != "untimed" && !rules.kinds.iter().any(|listed| listed.eq_ignore_ascii_case(name)) {
            return Some(format!("{name} is not played"));
        }
        (!self.variants.iter().any(|known| known == variant)).then(|| format!("the engine does not play {variant}"))
    }

    /// Returns the reason to decline if the limit of games with one opponent within 24 hours is reached; `None` otherwise.
    fn objection_to_repetition(&self) -> Option<String> {
        let limit = self.config.accept.games_per_opponent_per_day;
        (limit > 0 && self.games_with_opponent >= limit)
            .then(|| format!("the limit is {limit} games a day with one player"))
    }
}

impl AcceptRules {
    /// Returns the reason to decline a rated challenge or its time control; `None` if both are accepted.
    fn objection_to_terms(&self, challenge: &Challenge) -> Option<String> {
        if challenge.rated && !self.rated {
            return Some("rated games are not played".to_owned());
        }
        let (Some(initial), Some(increment)) = (challenge.initial_min, challenge.increment_s) else {
            return (!self.untimed).then(|| "untimed games are not played".to_owned());
        };
        let black = (challenge.black_initial_min.unwrap_or(initial), challenge.black_increment_s.unwrap_or(increment));
        let clocks = [(initial, increment), black];
        clocks.into_iter().find_map(|(initial_min, increment_s)| self.objection_to_clock(initial_min, increment_s))
    }

    /// Returns the reason to decline a challenger whose rating is out of range, too far from the bot's own one, or missing; `None` if
    /// it is accepted.
    fn objection_to_rating(&self, challenge: &Challenge) -> Option<String> {
        let Some(rating) = challenge.from_rating.value() else {
            return (!self.unrated_players).then(|| "opponents have a rating".to_owned());
        };
        if !self.rating.contains(&rating) {
            return Some(format!("opponents have a rating of {}", format_range(&self.rating)));
        }
        let (own, limit) = (challenge.to_rating.value()?, self.rating_difference?);
        (rating.abs_diff(own) > limit).then(|| format!("opponents have a rating of {own} plus or minus {limit}"))
    }

    /// Returns the reason to decline a computer, or a person; `None` if the player is accepted.
    fn objection_to_titles(&self, titles: &Titles) -> Option<String> {
        let whom = if is_computer(titles) { "computers are not played" } else { "only computers are played" };
        (!self.computers.admits(titles)).then(|| whom.to_owned())
    }
}

/// A message of a player, and what the bot knows when it is received.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct TalkSituation<'a> {
    /// The settings.
    pub config: &'a BotConfig,
    /// The speaker.
    pub from: &'a Handle,
    /// The speaker's titles, as the message has them: `GM`, `C`; empty if it has none.
    pub titles: &'a Titles,
    /// [`TalkKind::Tell`], [`TalkKind::Say`] or [`TalkKind::Kibitz`].
    pub kind: TalkKind,
    /// The words.
    pub text: &'a str,
    /// The game in progress that the message is about: the one that it names, otherwise that against the speaker, otherwise any.
    pub game: Option<GameSituation<'a>>,
    /// The last line of the engine's analysis in that game.
    pub analysis: Option<&'a SearchInfo>,
}

impl<'a> TalkSituation<'a> {
    /// Returns the answer of the settings to the command with which the message begins; otherwise the first answer whose word occurs in
    /// it. Both regardless of case. `None` without one, and to a kibitz without a command.
    pub fn configured_answer(&self) -> Option<&'a str> {
        let first = self.text.split_whitespace().next().unwrap_or_default();
        if let Some((_, answer)) = self.config.talk.commands.iter().find(|(name, _)| name.eq_ignore_ascii_case(first)) {
            return Some(answer);
        }
        let text = self.text.to_lowercase();
        let mut answers = self.config.talk.answers.iter();
        let is_private = !matches!(self.kind, TalkKind::Kibitz { .. });
        answers.find(|(word, _)| is_private && text.contains(&word.to_lowercase())).map(|(_, answer)| answer.as_str())
    }
}

/// Reply to a player's message. An empty text sends nothing.
#[non_exhaustive]
pub enum TalkReply {
    /// This text.
    Now(String),
    /// The text that the future returns, or nothing; also nothing after a minute.
    Later(Pin<Box<dyn Future<Output = Option<String>> + Send>>),
}

impl fmt::Debug for TalkReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Now(text) => f.debug_tuple("Now").field(text).finish(),
            Self::Later(_) => f.debug_tuple("Later").finish_non_exhaustive(),
        }
    }
}

/// State of a game in which the bot decides whether to grant an offer, to offer a draw or to resign.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct GameSituation<'a> {
    /// The settings.
    pub config: &'a BotConfig,
    /// The game.
    pub game: &'a TrackedGame,
    /// Scores of the bot's last moves, the latest last, from its point of view.
    pub scores: &'a [Score],
    /// Number of takebacks granted in this game.
    pub takebacks: u32,
}

/// Number of plies within which a game may be aborted without a reason.
const FIRST_PLIES: u32 = 2;

impl GameSituation<'_> {
    /// Decides by the settings whether to grant an offer.
    ///
    /// Whatever the settings are, an abort within the first two plies is accepted; a switch of sides, a pause, its end, and offers of
    /// later versions are declined.
    pub fn judge_offer(&self, offer: OfferKind) -> Verdict<bool> {
        let offers = &self.config.offers;
        match offer {
            OfferKind::Draw => match offers.draw {
                None => Verdict::decline("draws are not agreed"),
                Some(_) if self.permits_draw() => Verdict::accept(self.describe_scores()),
                Some(_) => Verdict::decline(self.describe_scores()),
            },
            OfferKind::Takeback if self.takebacks < offers.takebacks => {
                Verdict::accept(format!("{} of {} takebacks were granted", self.takebacks, offers.takebacks))
            }
            OfferKind::Takeback => Verdict::decline(format!("{} takebacks are granted per game", offers.takebacks)),
            OfferKind::Abort if self.game.position().ply() <= FIRST_PLIES => {
                Verdict::accept("the game has hardly begun")
            }
            OfferKind::Abort => Verdict::new(offers.abort, "by the settings"),
            OfferKind::Adjourn => Verdict::new(offers.adjourn, "by the settings"),
            _ => Verdict::decline("the bot plays the game as it is"),
        }
    }

    /// Decides by the settings whether to resign or to offer a draw; `None` to do neither, as while there are fewer scores than a
    /// rule requires.
    pub fn decide_resign_or_draw(&self) -> Option<Verdict<ResignOrDraw>> {
        let lost = self.config.offers.resign.is_some_and(|rule| {
            let is_lost = |score: &Score| centipawns(*score) < rule.below_cp;
            self.last_scores(rule.for_moves).is_some_and(|scores| scores.iter().all(is_lost))
        });
        if lost {
            return Some(Verdict::new(ResignOrDraw::Resign, self.describe_scores()));
        }
        self.permits_draw().then(|| Verdict::new(ResignOrDraw::OfferDraw, self.describe_scores()))
    }

    /// Returns whether the rules allow a draw: the game is old enough, and the last scores are close to 0.
    fn permits_draw(&self) -> bool {
        self.config.offers.draw.is_some_and(|rule| {
            let is_even = |score: &Score| centipawns(*score).saturating_abs() <= rule.within_cp;
            self.game.position().move_number() >= rule.from_move
                && self.game.position().board().pieces().count() <= rule.max_pieces
                && self.last_scores(rule.for_moves).is_some_and(|scores| scores.iter().all(is_even))
        })
    }

    /// Returns the scores of the last `n` moves; `None` if there are fewer, or if `n` is 0.
    fn last_scores(&self, n: usize) -> Option<&[Score]> {
        let start = self.scores.len().checked_sub(n)?;
        self.scores.get(start..).filter(|scores| !scores.is_empty())
    }

    /// Formats the scores of the last moves for the reason of a decision.
    fn describe_scores(&self) -> String {
        let scores: Vec<_> = self.scores.iter().rev().take(5).map(ToString::to_string).collect();
        if scores.is_empty() { "there is no score yet".to_owned() } else { format!("scores {}", scores.join(", ")) }
    }
}

/// Score of a mate, in hundredths of a pawn.
const MATE: i32 = 30_000;

/// Returns a score in hundredths of a pawn; a mate counts as plus or minus 30,000.
pub(crate) const fn centipawns(score: Score) -> i32 {
    match score {
        Score::Centipawns(score) => score,
        Score::Mate(moves) if moves < 0 => -MATE,
        Score::Mate(_) => MATE,
    }
}
