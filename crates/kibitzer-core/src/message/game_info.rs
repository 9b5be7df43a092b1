//! `<g1>`: the terms of a game, sent when it starts or is first observed.

use std::fmt;

use super::{Challenge, GameId, IccGameStart, MeOrOther, Rating, fields};
use crate::scan::Cursor;
use crate::text::{Handle, ServerText};

/// A game information line: `<g1> 482 p=0 t=blitz r=1 u=0,0 it=180,0 i=180,0 pt=0 rt=2009,2013 ts=1,1 m=2 n=0`.
///
/// Fields that the line does not have are `None`. It is sent before the game's first board; the clocks are in the
/// board. `Display` writes the line, without the terms that only ICC reports.
///
/// The help file's sample suggests that `it` has the initial times of both sides and `i` the increments. Today's
/// servers send one player's time and increment in each.
///
/// Source: FICS help file `gameinfo`; captured sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameInfo {
    /// The number of the game.
    pub game: GameId,
    /// White, in the line above an observed game; `None` in a `<g1>` line.
    pub white: Option<Handle>,
    /// Black, like [`white`](Self::white).
    pub black: Option<Handle>,
    /// `p`: whether the game is private, so that others cannot observe it.
    pub private: Option<bool>,
    /// `t`: type of the game as received: `blitz`, `wild/5` …
    pub kind: Option<ServerText>,
    /// `r`: whether the game is rated.
    pub rated: Option<bool>,
    /// `u`: whether White has an account. The line has the opposite flag, 1 for a guest.
    pub white_registered: Option<bool>,
    /// `u`: whether Black has an account, see [`white_registered`](Self::white_registered).
    pub black_registered: Option<bool>,
    /// `it`: White's time at the start, in seconds.
    pub white_time_s: Option<u32>,
    /// `it`: White's increment, in seconds.
    pub white_increment_s: Option<u32>,
    /// `i`: Black's time at the start, in seconds.
    pub black_time_s: Option<u32>,
    /// `i`: Black's increment, in seconds.
    pub black_increment_s: Option<u32>,
    /// `pt`: the game on the other board of a bughouse match; `None` if there is none, which the line reports as 0.
    pub partner_game: Option<GameId>,
    /// `rt`: White's rating; guests have 0.
    pub white_rating: Option<Rating>,
    /// `rt`: Black's rating; guests have 0.
    pub black_rating: Option<Rating>,
    /// `ts`: whether White uses timeseal.
    pub white_timeseal: Option<bool>,
    /// `ts`: whether Black uses timeseal.
    pub black_timeseal: Option<bool>,
    /// `m`: the minimum time charged for a move, in the server's unit.
    pub min_move_time: Option<u32>,
    /// `n`: whether the game is a noescape game.
    pub no_escape: Option<bool>,
    /// Other fields of ICC's game-start list; `None` on FICS.
    pub(crate) start: Option<Box<IccGameStart>>,
}

impl GameInfo {
    /// Parses a line with its tag: the number of the game, then `key=value` words in any order, separated by blanks.
    ///
    /// Unknown keys and empty values are ignored. `None` if the number is missing, or if the value of a known key is invalid.
    #[doc(hidden)]
    pub fn parse(line: &[u8]) -> Option<Self> {
        let mut at = fields::after_tag(line, b"<g1>")?;
        let mut info = Self { game: GameId(fields::read_field_number(&mut at)?), ..Self::default() };
        while let Some((key, value)) = fields::next_pair(&mut at) {
            info.set_field_unless_invalid(key, value)?;
        }
        Some(info)
    }

    /// Parses the terms in words that servers print above an observed game, after its number: `Motyl (1857) Aretus (1907) rated
    /// standard 15 10`. `None` if a name, a rating, or `rated`/`unrated` is missing.
    pub(super) fn from_terms(game: GameId, terms: &[u8]) -> Option<Self> {
        let terms = Challenge::parse_terms(terms, MeOrOther::Other)?;
        let white_time_s = terms.initial_min.and_then(|minutes| minutes.checked_mul(60));
        Some(Self {
            game,
            white: Some(terms.from),
            black: Some(terms.to),
            kind: (!terms.kind.as_str().is_empty()).then_some(terms.kind),
            rated: Some(terms.rated),
            white_time_s,
            white_increment_s: terms.increment_s,
            black_time_s: terms.black_initial_min.map_or(white_time_s, |minutes| minutes.checked_mul(60)),
            black_increment_s: terms.black_increment_s.or(terms.increment_s),
            white_rating: Some(terms.from_rating),
            black_rating: Some(terms.to_rating),
            ..Self::default()
        })
    }

    /// Fills the fields that are `None` from `earlier`, the terms of the same game in another form.
    pub(crate) fn complete_from(&mut self, earlier: &Self) {
        macro_rules! complete {
            ($($field:ident)+) => { $(self.$field = self.$field.take().or_else(|| earlier.$field.clone());)+ };
        }
        complete!(white black private kind rated white_registered black_registered white_time_s white_increment_s black_time_s
            black_increment_s partner_game white_rating black_rating white_timeseal black_timeseal min_move_time no_escape start);
    }

    /// Returns whether the rules of the variant, or the effects of its moves, differ from those of chess. Only ICC reports it;
    /// `false` otherwise.
    pub fn has_irregular_rules(&self) -> bool {
        self.start.as_ref().is_some_and(|start| start.has_irregular_legality || start.has_irregular_semantics)
    }

    /// Stores the value of a known key, and ignores unknown keys; `None` if the value is invalid.
    fn set_field_unless_invalid(&mut self, key: &[u8], value: &[u8]) -> Option<()> {
        match key {
            b"p" => self.private = Some(fields::parse_whole(value, read_bit)?),
            b"t" => self.kind = Some(ServerText::from_wire(value)),
            b"r" => self.rated = Some(fields::parse_whole(value, read_bit)?),
            b"u" => {
                // The server sends 1 for a guest.
                let read_registered = |at: &mut Cursor<'_>| read_bit(at).map(|guest| !guest);
                (self.white_registered, self.black_registered) = fields::parse_pair(value, b",", read_registered)?;
            }
            b"it" => (self.white_time_s, self.white_increment_s) = fields::parse_pair(value, b",", Cursor::number)?,
            b"i" => (self.black_time_s, self.black_increment_s) = fields::parse_pair(value, b",", Cursor::number)?,
            b"pt" => {
                let game = fields::parse_whole(value, Cursor::number)?;
                self.partner_game = (game != 0).then_some(GameId(game));
            }
            b"rt" => (self.white_rating, self.black_rating) = fields::parse_pair(value, b",", Rating::read)?,
            b"ts" => (self.white_timeseal, self.black_timeseal) = fields::parse_pair(value, b",", read_bit)?,
            b"m" => self.min_move_time = Some(fields::parse_whole(value, Cursor::number)?),
            b"n" => self.no_escape = Some(fields::parse_whole(value, read_bit)?),
            _ => {}
        }
        Some(())
    }
}

impl fmt::Display for GameInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bit = |flag: Option<bool>| flag.map(u8::from);
        // The server sends 1 for a guest, and 0 for a player without a rating.
        let guest = |is_registered: Option<bool>| is_registered.map(|yes| u8::from(!yes));
        write!(f, "<g1> {}", self.game)?;
        fields::write_field(f, "p", bit(self.private))?;
        fields::write_field(f, "t", self.kind.as_ref())?;
        fields::write_field(f, "r", bit(self.rated))?;
        fields::write_pair(f, "u", [self.white_registered, self.black_registered].map(guest), ',')?;
        fields::write_pair(f, "it", [self.white_time_s, self.white_increment_s], ',')?;
        fields::write_pair(f, "i", [self.black_time_s, self.black_increment_s], ',')?;
        fields::write_field(f, "pt", Some(self.partner_game.unwrap_or_default()))?;
        fields::write_pair(f, "rt", [self.white_rating, self.black_rating].map(|side| side.map(Rating::or_zero)), ',')?;
        fields::write_pair(f, "ts", [self.white_timeseal, self.black_timeseal].map(bit), ',')?;
        fields::write_field(f, "m", self.min_move_time)?;
        fields::write_field(f, "n", bit(self.no_escape))
    }
}

/// Reads `0` as `false` and `1` as `true`; `None` for anything else.
fn read_bit(at: &mut Cursor<'_>) -> Option<bool> {
    at.number::<u8>().and_then(|bit| (bit <= 1).then_some(bit == 1))
}

#[cfg(test)]
mod tests;
