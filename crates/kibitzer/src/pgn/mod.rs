//! Games as PGN (portable game notation), bughouse matches as BPGN, and their files. Needs the feature `pgn`.
//!
//! The form is that of the FICS Games Database: [the guide](crate::guide::pgn) describes tags and comments. [`PgnCollector`] follows
//! the games of a session or of a recording:
//!
//! ```
//! use kibitzer::EventReader;
//! use kibitzer::pgn::{PgnCollector, PgnOrigin};
//!
//! let mut received: &[u8] = b"<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 \
//!     7 Ann Bob 0 3 2 39 39 180 180 1 none (0:00) none 0 0 0\n\r{Game 7 (Ann vs. Bob) Bob resigns} 1-0\n\r";
//! let mut games = PgnCollector::new(PgnOrigin::new("freechess.org")).with_observed();
//! let mut reader = EventReader::default();
//! while let Some(event) = reader.next(&mut received) {
//!     games.apply(&event, None);
//! }
//! let game = games.tracker().iter().next().expect("a board arrived").key();
//! let mut pgn = games.game(game).expect("the game is kept");
//! pgn.add_comment(0, "a first comment");
//! assert_eq!(pgn.tag("White"), Some("Ann"));
//! assert!(pgn.to_string().ends_with("{a first comment} {Black resigns} 1-0\n"));
//! ```

mod collector;
mod game;
mod notation;
#[cfg(test)]
mod tests;
mod writer;

pub use collector::PgnCollector;
pub use game::{PgnGame, PgnOrigin};
pub use writer::{GameFile, append_game, replace_games};
