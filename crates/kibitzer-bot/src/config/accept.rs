//! `[accept]`: which challenges are accepted.

use std::ops::RangeInclusive;

use kibitzer::Handle;
use kibitzer_core::message::Titles;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::rules::{any_rating, deserialize_handles, deserialize_range, deserialize_some_range, format_range};

/// Whether computer players are included, who have the title `C`. In the settings `true`, `false` or `"only"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a player is a computer or not")]
pub enum Computers {
    /// Computers and people.
    Included,
    /// People only.
    Excluded,
    /// Computers only.
    Only,
}

impl Computers {
    /// Returns whether a player with these titles is included.
    pub fn admits(self, titles: &Titles) -> bool {
        !matches!((self, is_computer(titles)), (Self::Excluded, true) | (Self::Only, false))
    }

    /// Returns the word for those who are included.
    pub(super) const fn players(self) -> &'static str {
        match self {
            Self::Included => "players",
            Self::Excluded => "people",
            Self::Only => "computers",
        }
    }
}

impl<'de> Deserialize<'de> for Computers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match toml::Value::deserialize(deserializer)? {
            toml::Value::Boolean(true) => Ok(Self::Included),
            toml::Value::Boolean(false) => Ok(Self::Excluded),
            toml::Value::String(word) if word == "only" => Ok(Self::Only),
            _ => Err(D::Error::custom("expected true, false or \"only\"")),
        }
    }
}

/// Returns whether the titles mark a computer account.
pub(crate) fn is_computer(titles: &Titles) -> bool {
    titles.iter().any(|code| code == "C")
}

/// Players whose challenges are preferred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Preference {
    /// None: a challenge during a game is declined.
    #[default]
    None,
    /// People: their challenges during a game wait for its end, and are answered before the bot plays a computer again.
    Humans,
}

/// `[accept]`: which challenges are accepted. All others are declined, with the reason. Numbers are at most 9,999.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub struct AcceptRules {
    /// Whether rated games are played. FICS allows it only for registered computer accounts.
    pub rated: bool,
    /// The kinds of game by their names on the server: speeds such as `blitz`, variants such as `crazyhouse`.
    pub kinds: Vec<String>,
    /// Accepted range of minutes on the clock at the start.
    #[serde(deserialize_with = "deserialize_range")]
    pub initial_min: RangeInclusive<u32>,
    /// Accepted range of seconds added per move.
    #[serde(deserialize_with = "deserialize_range")]
    pub increment_s: RangeInclusive<u32>,
    /// Whether untimed games are played.
    pub untimed: bool,
    /// The opponent's rating.
    #[serde(deserialize_with = "deserialize_range")]
    pub rating: RangeInclusive<u16>,
    /// Largest difference between the opponent's rating and the bot's own one for the kind of game; `None` for any. Does not apply
    /// while one of them has no rating.
    pub rating_difference: Option<u16>,
    /// Whether opponents without a rating are accepted, such as guests.
    pub unrated_players: bool,
    /// Whether computers are accepted. A player whose titles the server does not show counts as a person.
    pub computers: Computers,
    /// Whose challenges wait for the end of a game in place of being declined.
    pub prefer: Preference,
    /// Whether requests to join a simultaneous exhibition of the bot are accepted, while no game is played: it plays one board at a
    /// time. The other conditions apply to the player, but not to kind, clocks and rating.
    pub simuls: bool,
    /// Kinds of games with conditions of their own; a challenge is accepted if it meets one of these. Empty: the conditions above
    /// are the only ones.
    pub terms: Vec<AcceptTerms>,
    /// Number of games with one opponent within 24 hours, at most 10,000; 0 means no limit.
    pub games_per_opponent_per_day: u32,
    /// Players whose challenges are declined, and who are not challenged.
    #[serde(deserialize_with = "deserialize_handles")]
    pub block: Vec<Handle>,
    /// Players whose challenges are accepted, and who are challenged; empty: all.
    #[serde(deserialize_with = "deserialize_handles")]
    pub allow: Vec<Handle>,
}

impl Default for AcceptRules {
    fn default() -> Self {
        Self {
            rated: false,
            kinds: ["lightning", "blitz", "standard"].map(str::to_owned).to_vec(),
            initial_min: 1..=60,
            increment_s: 0..=60,
            untimed: false,
            rating: any_rating(),
            rating_difference: None,
            unrated_players: true,
            computers: Computers::Included,
            prefer: Preference::None,
            simuls: false,
            terms: Vec::new(),
            games_per_opponent_per_day: 0,
            block: Vec::new(),
            allow: Vec::new(),
        }
    }
}

/// `[[accept.terms]]`: a kind of games with conditions of its own. Those that are `None` are the ones of `[accept]`, whose fields
/// describe them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct AcceptTerms {
    /// See [`AcceptRules::rated`].
    pub rated: Option<bool>,
    /// See [`AcceptRules::kinds`].
    pub kinds: Option<Vec<String>>,
    /// See [`AcceptRules::initial_min`].
    #[serde(deserialize_with = "deserialize_some_range")]
    pub initial_min: Option<RangeInclusive<u32>>,
    /// See [`AcceptRules::increment_s`].
    #[serde(deserialize_with = "deserialize_some_range")]
    pub increment_s: Option<RangeInclusive<u32>>,
    /// See [`AcceptRules::untimed`].
    pub untimed: Option<bool>,
    /// See [`AcceptRules::rating`].
    #[serde(deserialize_with = "deserialize_some_range")]
    pub rating: Option<RangeInclusive<u16>>,
    /// See [`AcceptRules::rating_difference`].
    pub rating_difference: Option<u16>,
    /// See [`AcceptRules::unrated_players`].
    pub unrated_players: Option<bool>,
    /// See [`AcceptRules::computers`].
    pub computers: Option<Computers>,
}

impl AcceptRules {
    /// Returns the rules of which a challenge has to meet one: those of each of the terms, or `self` without terms.
    pub(crate) fn alternatives(&self) -> Vec<Self> {
        let rules_of = |terms: &AcceptTerms| Self {
            rated: terms.rated.unwrap_or(self.rated),
            kinds: terms.kinds.clone().unwrap_or_else(|| self.kinds.clone()),
            initial_min: terms.initial_min.clone().unwrap_or_else(|| self.initial_min.clone()),
            increment_s: terms.increment_s.clone().unwrap_or_else(|| self.increment_s.clone()),
            untimed: terms.untimed.unwrap_or(self.untimed),
            rating: terms.rating.clone().unwrap_or_else(|| self.rating.clone()),
            rating_difference: terms.rating_difference.or(self.rating_difference),
            unrated_players: terms.unrated_players.unwrap_or(self.unrated_players),
            computers: terms.computers.unwrap_or(self.computers),
            terms: Vec::new(),
            ..self.clone()
        };
        if self.terms.is_empty() { vec![self.clone()] } else { self.terms.iter().map(rules_of).collect() }
    }

    /// Returns the reason to decline a clock of this many minutes, and seconds per move; `None` if it is accepted.
    pub(crate) fn objection_to_clock(&self, initial_min: u32, increment_s: u32) -> Option<String> {
        if !self.initial_min.contains(&initial_min) {
            return Some(format!("games have {} minutes", format_range(&self.initial_min)));
        }
        let fits = self.increment_s.contains(&increment_s);
        (!fits).then(|| format!("games have an increment of {} seconds", format_range(&self.increment_s)))
    }

    /// Returns whether games with a player are allowed by the lists `block` and `allow`.
    pub fn may_play(&self, player: &Handle) -> bool {
        !self.block.contains(player) && (self.allow.is_empty() || self.allow.contains(player))
    }

    /// Returns whether a decision by these rules depends on whether the challenger is a computer.
    pub(crate) fn distinguishes_computers(&self) -> bool {
        let depends = |rules: &Self| rules.computers != Computers::Included;
        self.prefer == Preference::Humans || self.alternatives().iter().any(depends)
    }
}
