//! `[matchmaking]`: whom the bot challenges.

use std::ops::RangeInclusive;
use std::time::Duration;

use kibitzer::Handle;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::accept::Computers;
use super::rules::{any_rating, deserialize_handles, deserialize_range, deserialize_some_range};

/// `[matchmaking]`: challenges to other players while no game is played. `block` and `allow` of `[accept]` apply to them, too.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MatchmakingRules {
    /// Terms, of which a random one is proposed.
    pub terms: Vec<MatchmakingTerms>,
    /// Players to challenge, in place of the players whom the server lists. If empty, those players in the list who are free.
    #[serde(default, deserialize_with = "deserialize_handles")]
    pub players: Vec<Handle>,
    /// The opponent's rating in the server's list of players: 0 to 9,999. Not checked for `players`.
    #[serde(default = "any_rating", deserialize_with = "deserialize_range")]
    pub rating: RangeInclusive<u16>,
    /// Largest difference between the opponent's rating and the bot's own one for the kind of game, by the server's `finger`; `None` for
    /// any. Not checked for `players`, and without an own rating.
    #[serde(default)]
    pub rating_difference: Option<u16>,
    /// Time between two challenges, and how long the bot waits without a game before the first: 10 s to 7 days. Set by a program, less
    /// than 10 s counts as 10 s.
    #[serde(default = "default_challenge_pause", deserialize_with = "super::deserialize_duration")]
    pub pause: Duration,
    /// Whether computers are challenged. By default, only computers are: FICS asks bots not to challenge people who do not want to
    /// play computers. Not checked for `players`.
    #[serde(default = "default_challenged_computers")]
    pub computers: Computers,
}

/// Terms of a challenge. In the settings a text such as `"3 0 unrated"`, or a table with conditions of its own. Those that are
/// `None` are the ones of `[matchmaking]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
#[non_exhaustive]
pub struct MatchmakingTerms {
    /// The key `match`: terms in the words of the server's command `match`, such as `3 0 unrated`.
    #[serde(rename = "match")]
    pub words: String,
    /// See [`MatchmakingRules::rating`].
    #[serde(default, deserialize_with = "deserialize_some_range")]
    pub rating: Option<RangeInclusive<u16>>,
    /// See [`MatchmakingRules::rating_difference`].
    #[serde(default)]
    pub rating_difference: Option<u16>,
    /// See [`MatchmakingRules::computers`].
    #[serde(default)]
    pub computers: Option<Computers>,
}

impl MatchmakingTerms {
    /// Creates terms without conditions of their own.
    pub fn new(words: impl Into<String>) -> Self {
        Self { words: words.into(), rating: None, rating_difference: None, computers: None }
    }
}

impl<'de> Deserialize<'de> for MatchmakingTerms {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match toml::Value::deserialize(deserializer)? {
            toml::Value::String(words) => Ok(Self::new(words)),
            // The derived function, which is not that of the trait.
            table @ toml::Value::Table(_) => {
                Self::deserialize(table).map_err(|error: toml::de::Error| D::Error::custom(error.message()))
            }
            _ => {
                Err(D::Error::custom("expected a text such as \"3 0 unrated\", or a table with such a text as `match`"))
            }
        }
    }
}

impl MatchmakingRules {
    /// Returns rules that challenge one of these players every 5 minutes, with these terms.
    pub fn against(players: impl IntoIterator<Item = Handle>, terms: impl Into<String>) -> Self {
        Self {
            terms: vec![MatchmakingTerms::new(terms)],
            players: players.into_iter().collect(),
            rating: any_rating(),
            rating_difference: None,
            pause: default_challenge_pause(),
            computers: Computers::Included,
        }
    }
}

const fn default_challenge_pause() -> Duration {
    Duration::from_mins(5)
}

const fn default_challenged_computers() -> Computers {
    Computers::Only
}
