//! Ratings by the Glicko system.
//!
//! Source: M. E. Glickman, "The Glicko system"; FICS help file `glicko`; the start of a rating is that of the transcripts
//! uhlinfics-end-*. Between games a deviation does not grow, as a server of this crate runs for hours, not for months.

use std::f64::consts::{LN_10, PI};

use serde::Deserialize;

/// A rating in one kind of game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "u16")]
pub(crate) struct PlayerRating {
    pub(crate) value: u16,
    /// The deviation, in tenths.
    pub(crate) deviation_tenths: u16,
    /// The rated games on this server.
    pub(crate) n_games: u32,
}

/// The score of a game for one player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Score {
    Win,
    Draw,
    Loss,
}

/// An account states only the number: its deviation is that of an active player.
impl From<u16> for PlayerRating {
    fn from(value: u16) -> Self {
        Self { value, deviation_tenths: 500, n_games: 0 }
    }
}

impl PlayerRating {
    /// The rating that is assumed of a player without a rated game.
    pub(crate) const ASSUMED: Self = Self { value: 1720, deviation_tenths: 3500, n_games: 0 };
    const HIGHEST: f64 = 9999.0;

    /// Returns the rating after one game.
    pub(crate) fn after(self, opponent: Self, score: Score) -> Self {
        let q = LN_10 / 400.0;
        let weight = 1.0 / (1.0 + 3.0 * (q * opponent.deviation() / PI).powi(2)).sqrt();
        let difference = f64::from(self.value) - f64::from(opponent.value);
        let expected = 1.0 / (1.0 + (-weight * q * difference).exp());
        let information = (q * weight).powi(2) * expected * (1.0 - expected);
        let precision = self.deviation().powi(-2) + information;
        let scored = match score {
            Score::Win => 1.0,
            Score::Draw => 0.5,
            Score::Loss => 0.0,
        };
        let value = f64::from(self.value) + q / precision * weight * (scored - expected);
        Self {
            value: round(value),
            deviation_tenths: round(10.0 * precision.powf(-0.5)),
            n_games: self.n_games.saturating_add(1),
        }
    }

    fn deviation(self) -> f64 {
        f64::from(self.deviation_tenths) / 10.0
    }
}

/// Returns the nearest number from 0 to [`PlayerRating::HIGHEST`].
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the number is clamped")]
fn round(number: f64) -> u16 {
    number.round().clamp(0.0, PlayerRating::HIGHEST) as u16
}

/// Formats the two lines about the effect of a rated game on a player's rating; the rating of a player without one counts as 0.
pub(crate) fn format_forecast(kind: &str, own: Option<PlayerRating>, opponent: Option<PlayerRating>) -> String {
    let opponent = opponent.unwrap_or(PlayerRating::ASSUMED);
    let after = |score| own.unwrap_or(PlayerRating::ASSUMED).after(opponent, score);
    let now = own.map_or(0, |rating| i32::from(rating.value));
    let change = |score| i32::from(after(score).value) - now;
    let [win, draw, loss] = [Score::Win, Score::Draw, Score::Loss].map(change);
    let deviation = after(Score::Draw).deviation();
    format!(
        "Your {kind} rating will change:  Win: {win:+},  Draw: {draw:+},  Loss: {loss:+}\n\
         Your new RD will be {deviation:.1}\n"
    )
}

/// Formats the line about a changed rating; the rating of a player without one was 0.
pub(crate) fn format_adjustment(kind: &str, old: Option<PlayerRating>, new: PlayerRating) -> String {
    let (first, rest) = kind.split_at_checked(1).unwrap_or((kind, ""));
    let old = old.map_or(0, |rating| rating.value);
    format!("{}{rest} rating adjustment: {old} --> {}\n", first.to_ascii_uppercase(), new.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Transcripts uhlinfics-wild-and-odd-matches-Alice and uhlinfics-end-resign-Alice: ratings, and the deviation of both players
    /// in tenths, which grows a little between two games there.
    #[test]
    fn forecasts_are_those_of_a_recorded_server() {
        let recorded = [
            (1882, 1558, 2902, "Win: +58,  Draw: -85,  Loss: -229"),
            (1940, 1500, 2605, "Win: +33,  Draw: -99,  Loss: -230"),
            (1973, 1467, 2435, "Win: +22,  Draw: -100,  Loss: -223"),
            (1995, 1445, 2320, "Win: +17,  Draw: -99,  Loss: -215"),
            (2012, 1428, 2235, "Win: +13,  Draw: -97,  Loss: -207"),
        ];
        for (own, opponent, deviation_tenths, changes) in recorded {
            let rating = |value| Some(PlayerRating { value, deviation_tenths, n_games: 1 });
            let forecast = format_forecast("wild", rating(own), rating(opponent));
            assert!(forecast.contains(&format!("Your wild rating will change:  {changes}\n")), "{forecast}");
        }
        let first =
            "Your wild rating will change:  Win: +1882,  Draw: +1720,  Loss: +1558\nYour new RD will be 290.2\n";
        assert_eq!(format_forecast("wild", None, None), first);
    }

    #[test]
    fn adjustment_starts_at_zero_and_ratings_stay_within_four_digits() {
        let new = PlayerRating::ASSUMED.after(PlayerRating::ASSUMED, Score::Win);
        assert_eq!(format_adjustment("blitz", None, new), "Blitz rating adjustment: 0 --> 1882\n");
        let [lowest, highest] = [0, 9999].map(PlayerRating::from);
        assert_eq!(lowest.after(lowest, Score::Loss).value, 0);
        assert_eq!(highest.after(highest, Score::Win).value, 9999);
    }
}
