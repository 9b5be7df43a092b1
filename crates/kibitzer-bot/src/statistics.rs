//! Results of a bot's games: by color, opponent, speed and variant, with the difference in Elo points and the causes of losses.

use std::collections::BTreeMap;
use std::fmt;

use kibitzer::track::TrackedGame;
use kibitzer_core::chess::Color;
use kibitzer_core::message::{GameEndReason, GameResult};
use serde::ser::{Serialize, SerializeStruct as _, Serializer};

/// Number of opponents that are counted by name, and the longest such name. The games with others are counted together.
const MAX_OPPONENTS: usize = 1_000;
const MAX_NAME_BYTES: usize = 64;

/// Number of speeds or variants that are counted by name. Others are counted as [`OTHER`].
const MAX_KINDS: usize = 32;

/// Name of a speed or variant that is not known, or beyond the limit.
const OTHER: &str = "other";

/// Number of opponents that the text form lists.
const N_LISTED_OPPONENTS: usize = 20;

/// Number of standard deviations of an interval with a probability of 95 %.
const DEVIATIONS_95: f64 = 1.96;

/// Numbers of games that were won, drawn and lost. In JSON also `games`, `elo` and `elo_error`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tally {
    /// Number of games won.
    pub won: u32,
    /// Number of games drawn.
    pub drawn: u32,
    /// Number of games lost.
    pub lost: u32,
}

impl Tally {
    /// Returns the number of games.
    pub const fn games(&self) -> u32 {
        self.won.saturating_add(self.drawn).saturating_add(self.lost)
    }

    /// Returns the share of the points from 0 to 1; `None` without games.
    fn share(&self) -> Option<f64> {
        (self.games() > 0).then(|| (f64::from(self.won) + f64::from(self.drawn) / 2.0) / f64::from(self.games()))
    }

    /// Returns the difference in Elo points to the opponents, by the share s of the points: -400 log10(1/s - 1). `None` without games,
    /// and if all were won or all were lost.
    pub fn elo(&self) -> Option<f64> {
        self.share().and_then(elo_of_share)
    }

    /// Returns half of the width, in Elo points, of the interval that contains the difference with a probability of 95 %. It follows
    /// from 1.96 standard deviations of the share of the points, which is taken as normally distributed. `None` if the interval of the
    /// share reaches 0 or 1, as it does after few games.
    pub fn elo_error(&self) -> Option<f64> {
        let share = self.share()?;
        let squared = [(self.won, 1.0), (self.drawn, 0.5), (self.lost, 0.0)].map(|(n, points)| {
            let difference: f64 = points - share;
            f64::from(n) * difference * difference
        });
        let n_games = f64::from(self.games());
        let deviation = (squared.iter().sum::<f64>() / n_games / n_games).sqrt();
        let [low, high] = [-DEVIATIONS_95, DEVIATIONS_95].map(|factor| elo_of_share(share + factor * deviation));
        Some((high? - low?) / 2.0)
    }

    /// Counts a game of the player of a color.
    fn count(&mut self, result: GameResult, color: Color) {
        let counter = match result.winner() {
            Some(winner) if winner == color => &mut self.won,
            Some(_) => &mut self.lost,
            None => &mut self.drawn,
        };
        *counter = counter.saturating_add(1);
    }
}

/// Returns the difference in Elo points at which this share of the points is expected; `None` unless it is between 0 and 1.
fn elo_of_share(share: f64) -> Option<f64> {
    // Of a difference of 0, not -0.
    (share > 0.0 && share < 1.0).then(|| 0.0 - 400.0 * (1.0 / share - 1.0).log10())
}

impl fmt::Display for Tally {
    /// Writes `12 games: 5 won, 3 drawn, 4 lost, Elo difference +29 ± 201`, the last part as far as it is known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.games() == 1 { "" } else { "s" };
        write!(f, "{} game{plural}: {} won, {} drawn, {} lost", self.games(), self.won, self.drawn, self.lost)?;
        if let Some(elo) = self.elo() {
            write!(f, ", Elo difference {elo:+.0}")?;
        }
        if let Some(error) = self.elo_error() {
            write!(f, " ± {error:.0}")?;
        }
        Ok(())
    }
}

impl Serialize for Tally {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_struct("Tally", 6)?;
        members.serialize_field("games", &self.games())?;
        members.serialize_field("won", &self.won)?;
        members.serialize_field("drawn", &self.drawn)?;
        members.serialize_field("lost", &self.lost)?;
        members.serialize_field("elo", &self.elo())?;
        members.serialize_field("elo_error", &self.elo_error())?;
        members.end()
    }
}

/// Why a game was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LossCause {
    /// The time was up.
    Time,
    /// Checkmate, or its equivalent in a variant.
    Mate,
    /// The bot resigned by its rules, or on behalf of an owner.
    Resignation,
    /// The engine failed too often, or on the clock.
    EngineFailure,
    /// The connection was lost, and the game was over before it was back.
    Connection,
    /// Any other cause, such as an administrator's decision.
    Other,
}

impl LossCause {
    /// All causes, in the order of the JSON.
    pub const ALL: [Self; 6] =
        [Self::Time, Self::Mate, Self::Resignation, Self::EngineFailure, Self::Connection, Self::Other];

    /// Returns the name, as in JSON: `engine_failure`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Mate => "mate",
            Self::Resignation => "resignation",
            Self::EngineFailure => "engine_failure",
            Self::Connection => "connection",
            Self::Other => "other",
        }
    }
}

/// Trouble of the bot during a game, beside the moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    None,
    /// The engine failed, and was started again.
    EngineRestarted,
    /// The game was given up because the engine failed too often.
    EngineGaveUp,
    /// The connection was lost, and the game did not go on.
    Disconnected,
}

/// A game that is over, as far as the statistics need it.
#[derive(Clone, Debug)]
pub(crate) struct FinishedGame {
    opponent: String,
    color: Color,
    speed: &'static str,
    variant: String,
    /// `None` if the end was not received.
    ending: Option<(GameResult, GameEndReason)>,
    trouble: Trouble,
}

impl FinishedGame {
    /// Describes a game of this login; `None` for one that it observes.
    pub(crate) fn new(game: &TrackedGame, trouble: Trouble) -> Option<Self> {
        let color = game.my_color()?;
        Some(Self {
            opponent: game.player(color.opponent()).to_string(),
            color,
            speed: game.speed().unwrap_or(OTHER),
            variant: game.variant(),
            ending: game.ending().map(|ending| (ending.result, ending.reason)),
            trouble,
        })
    }
}

/// Results of the games of a bot since its start, over all accounts. In JSON an object with the fields as keys.
///
/// The memory is bounded: 1,000 opponents with names of up to 64 bytes are counted by name.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Statistics {
    /// All games with a result.
    pub total: Tally,
    /// Number of games without a result: aborted, or their end was not received. Adjourned games count when they end.
    pub without_result: u32,
    /// Games with the white pieces.
    pub white: Tally,
    /// Games with the black pieces.
    pub black: Tally,
    /// By speed: `blitz`; `other` if the server did not report it, as for most variants.
    pub speeds: BTreeMap<String, Tally>,
    /// By the variant's UCI name: `chess`, `crazyhouse`.
    pub variants: BTreeMap<String, Tally>,
    /// By opponent.
    pub opponents: BTreeMap<String, Tally>,
    /// Games with opponents who are not counted by name.
    pub other_opponents: Tally,
    /// Number of lost games by cause.
    pub losses: BTreeMap<LossCause, u32>,
}

impl Default for Statistics {
    fn default() -> Self {
        let losses = LossCause::ALL.map(|cause| (cause, 0));
        let none = Tally::default();
        Self {
            total: none,
            without_result: 0,
            white: none,
            black: none,
            speeds: BTreeMap::new(),
            variants: BTreeMap::new(),
            opponents: BTreeMap::new(),
            other_opponents: none,
            losses: BTreeMap::from(losses),
        }
    }
}

impl Statistics {
    /// Returns whether no game was counted.
    pub const fn is_empty(&self) -> bool {
        self.total.games() == 0 && self.without_result == 0
    }

    /// Counts a game that is over. An adjourned game is not.
    pub(crate) fn record(&mut self, game: &FinishedGame) {
        let color = game.color;
        let (result, reason) = match game.ending {
            Some((_, reason)) if reason.is_adjournment() => return,
            Some((result, reason)) if result != GameResult::Unfinished => (result, reason),
            _ => return self.without_result = self.without_result.saturating_add(1),
        };
        let of_color = if color == Color::White { &mut self.white } else { &mut self.black };
        let is_known = self.opponents.contains_key(&game.opponent);
        let is_counted = is_known || (self.opponents.len() < MAX_OPPONENTS && game.opponent.len() <= MAX_NAME_BYTES);
        let of_opponent = if is_counted {
            self.opponents.entry(game.opponent.clone()).or_default()
        } else {
            &mut self.other_opponents
        };
        let (of_speed, of_variant) =
            (of_kind(&mut self.speeds, game.speed), of_kind(&mut self.variants, &game.variant));
        for tally in [&mut self.total, of_color, of_opponent, of_speed, of_variant] {
            tally.count(result, color);
        }
        if result.winner() == Some(color.opponent()) {
            let n_lost = self.losses.entry(loss_cause(reason, game.trouble)).or_default();
            *n_lost = n_lost.saturating_add(1);
        }
    }
}

/// Returns the tally of a speed or variant.
fn of_kind<'a>(tallies: &'a mut BTreeMap<String, Tally>, name: &str) -> &'a mut Tally {
    let is_counted = tallies.contains_key(name) || (tallies.len() < MAX_KINDS && name.len() <= MAX_NAME_BYTES);
    tallies.entry(if is_counted { name } else { OTHER }.to_owned()).or_default()
}

/// Returns the cause of a lost game.
fn loss_cause(reason: GameEndReason, trouble: Trouble) -> LossCause {
    use Trouble::{Disconnected, EngineGaveUp, EngineRestarted};
    match (reason, trouble) {
        (GameEndReason::Disconnect, _) | (_, Disconnected) => LossCause::Connection,
        (_, EngineGaveUp) | (GameEndReason::Time, EngineRestarted) => LossCause::EngineFailure,
        (GameEndReason::Time, _) => LossCause::Time,
        (GameEndReason::Resign, _) => LossCause::Resignation,
        (GameEndReason::Mate | GameEndReason::Variant, _) => LossCause::Mate,
        _ => LossCause::Other,
    }
}

impl fmt::Display for Statistics {
    /// Writes one line for all games, then lines for each color, speed, variant and cause of losses. The last lines are those of the
    /// 20 opponents with the most games. Names are untrusted: escape them for a terminal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.total)?;
        for (name, tally) in [("as white", &self.white), ("as black", &self.black)] {
            write!(f, "\n  {name}: {tally}")?;
        }
        for (name, tally) in self.speeds.iter().chain(&self.variants) {
            write!(f, "\n  {name}: {tally}")?;
        }
        for (cause, n_lost) in self.losses.iter().filter(|(_, n_lost)| **n_lost > 0) {
            write!(f, "\n  lost by {}: {n_lost}", cause.as_str().replace('_', " "))?;
        }
        if self.without_result > 0 {
            write!(f, "\n  without a result: {}", self.without_result)?;
        }
        let mut opponents: Vec<_> = self.opponents.iter().collect();
        opponents.sort_by_key(|(_, tally)| std::cmp::Reverse(tally.games()));
        let mut others = self.other_opponents;
        for (_, tally) in opponents.split_off(opponents.len().min(N_LISTED_OPPONENTS)) {
            others.won = others.won.saturating_add(tally.won);
            others.drawn = others.drawn.saturating_add(tally.drawn);
            others.lost = others.lost.saturating_add(tally.lost);
        }
        for (name, tally) in opponents {
            write!(f, "\n  against {name}: {tally}")?;
        }
        if others.games() > 0 {
            write!(f, "\n  against others: {others}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(opponent: &str, result: GameResult, reason: GameEndReason) -> FinishedGame {
        FinishedGame {
            opponent: opponent.to_owned(),
            color: Color::White,
            speed: "blitz",
            variant: "chess".to_owned(),
            ending: Some((result, reason)),
            trouble: Trouble::None,
        }
    }

    fn tally(won: u32, drawn: u32, lost: u32) -> Tally {
        Tally { won, drawn, lost }
    }

    #[test]
    fn elo_difference_and_its_error_follow_the_formula() {
        // Of 100 games with 75 points: 400 log10(3) = 190.8.
        let cases = [
            (tally(75, 0, 25), "100 games: 75 won, 0 drawn, 25 lost, Elo difference +191 ± 81"),
            (tally(25, 0, 75), "100 games: 25 won, 0 drawn, 75 lost, Elo difference -191 ± 81"),
            (tally(50, 100, 50), "200 games: 50 won, 100 drawn, 50 lost, Elo difference +0 ± 34"),
            (tally(1, 0, 0), "1 game: 1 won, 0 drawn, 0 lost"),
            (tally(2, 0, 1), "3 games: 2 won, 0 drawn, 1 lost, Elo difference +120"),
            (tally(0, 3, 0), "3 games: 0 won, 3 drawn, 0 lost, Elo difference +0 ± 0"),
            (tally(0, 0, 0), "0 games: 0 won, 0 drawn, 0 lost"),
        ];
        for (tally, want) in cases {
            assert_eq!(tally.to_string(), want);
        }
    }

    #[test]
    fn games_are_counted_by_color_opponent_speed_and_variant() {
        use GameEndReason::{AbortMove1, AdjournDisconnect, Agreement, Mate, Resign};
        let mut statistics = Statistics::default();
        assert!(statistics.is_empty());
        statistics.record(&game("Newton", GameResult::WhiteWins, Resign));
        let black = FinishedGame { color: Color::Black, ..game("Newton", GameResult::WhiteWins, Mate) };
        statistics.record(&black);
        statistics.record(&FinishedGame { speed: OTHER, variant: "crazyhouse".to_owned(), ..black });
        statistics.record(&game("Alekhin", GameResult::Draw, Agreement));
        statistics.record(&game("Alekhin", GameResult::Unfinished, AbortMove1));
        statistics.record(&game("Alekhin", GameResult::Unfinished, AdjournDisconnect));
        statistics.record(&FinishedGame { ending: None, ..game("Alekhin", GameResult::Draw, Agreement) });
        let named = |tallies: &BTreeMap<String, Tally>| {
            tallies.iter().map(|(name, tally)| (name.clone(), *tally)).collect::<Vec<_>>()
        };
        assert_eq!(
            [statistics.total, statistics.white, statistics.black],
            [tally(1, 1, 2), tally(1, 1, 0), tally(0, 0, 2)]
        );
        assert_eq!(statistics.without_result, 2);
        assert_eq!(
            named(&statistics.opponents),
            [("Alekhin".into(), tally(0, 1, 0)), ("Newton".into(), tally(1, 0, 2))]
        );
        assert_eq!(named(&statistics.speeds), [("blitz".into(), tally(1, 1, 1)), ("other".into(), tally(0, 0, 1))]);
        assert_eq!(
            named(&statistics.variants),
            [("chess".into(), tally(1, 1, 1)), ("crazyhouse".into(), tally(0, 0, 1))]
        );
        let text = statistics.to_string();
        assert!(
            text.contains("\n  lost by mate: 2\n  without a result: 2\n  against Newton: 3 games: 1 won"),
            "{text}"
        );
    }

    #[test]
    fn losses_are_counted_by_their_cause() {
        use GameEndReason::{Adjudication, Disconnect, Mate, Resign, Time, Variant};
        let cases = [
            (Time, Trouble::None, LossCause::Time),
            (Time, Trouble::EngineRestarted, LossCause::EngineFailure),
            (Time, Trouble::Disconnected, LossCause::Connection),
            (Mate, Trouble::EngineRestarted, LossCause::Mate),
            (Variant, Trouble::None, LossCause::Mate),
            (Resign, Trouble::None, LossCause::Resignation),
            (Resign, Trouble::EngineGaveUp, LossCause::EngineFailure),
            (Disconnect, Trouble::None, LossCause::Connection),
            (Adjudication, Trouble::None, LossCause::Other),
        ];
        for (reason, trouble, want) in cases {
            let mut statistics = Statistics::default();
            statistics.record(&FinishedGame { trouble, ..game("Newton", GameResult::BlackWins, reason) });
            statistics.record(&FinishedGame { trouble, ..game("Newton", GameResult::WhiteWins, reason) });
            let counted: Vec<_> = statistics.losses.iter().filter(|(_, n)| **n > 0).collect();
            assert_eq!(counted, [(&want, &1)], "{reason:?} {trouble:?}");
        }
    }

    #[test]
    fn hostile_names_use_little_memory() {
        let mut statistics = Statistics::default();
        for number in 0..5_000 {
            let name = if number % 2 == 0 { format!("\u{1b}]0;{number}") } else { "x".repeat(10_000) };
            let variant = format!("wild/{number}");
            statistics.record(&FinishedGame { variant, ..game(&name, GameResult::Draw, GameEndReason::Agreement) });
        }
        assert_eq!((statistics.total.games(), statistics.opponents.len()), (5_000, MAX_OPPONENTS));
        assert_eq!(statistics.other_opponents.games(), 4_000);
        assert_eq!(statistics.variants.len(), MAX_KINDS + 1);
        assert_eq!(statistics.variants.values().map(Tally::games).sum::<u32>(), 5_000);
        let json = serde_json::to_string(&statistics).unwrap();
        assert!(json.len() < 200_000 && !json.contains('\u{1b}'), "{} bytes", json.len());
        assert!(statistics.to_string().len() < 10_000);
    }
}
