//! Names of openings.

/// The openings, one a line: the moves from the start position of chess, `: `, and the name. The moves are in standard algebraic
/// notation without marks.
pub const OPENINGS: &str = include_str!("openings.txt");

/// Returns the name of the longest listed opening that these moves from the start position of chess begin with. Marks of check,
/// mate and comment are ignored.
pub fn opening_name<'a>(moves: impl Iterator<Item = &'a str>) -> Option<&'static str> {
    let played: String = moves.take(MAX_PLIES).flat_map(|san| [san.trim_end_matches(MARKS), " "]).collect();
    let openings = OPENINGS.lines().filter_map(|line| line.split_once(": "));
    let begins = |moves: &str| played.strip_prefix(moves).is_some_and(|rest| rest.starts_with(' '));
    let known = openings.filter(|(moves, _)| begins(moves));
    known.max_by_key(|(moves, _)| moves.len()).map(|(_, name)| name)
}

/// Maximum number of plies of an opening.
const MAX_PLIES: usize = 14;
/// Characters after a move that are not part of it.
const MARKS: [char; 4] = ['+', '#', '!', '?'];

#[cfg(test)]
mod tests {
    use kibitzer_core::chess::{Color, Fen, SanMove};

    use super::*;

    #[test]
    fn the_longest_opening_is_found() {
        let name = |moves: &str| opening_name(moves.split_whitespace());
        assert_eq!(name("e4 e5 Nf3 Nc6 Bb5 a6 Ba4"), Some("Ruy Lopez, Morphy Defence"));
        assert_eq!(name("e4 e5 Nf3 Nc6 Bb5"), Some("Ruy Lopez"));
        assert_eq!(name("e4"), Some("King's Pawn"));
        assert_eq!(name("d4 Nf6 c4 e6 Nc3 Bb4"), Some("Nimzo-Indian Defence"));
        assert_eq!(name("d4 e6 c4 Bb4+ Bd2 Nf6"), name("d4 e6 c4 Bb4"));
        assert_eq!((name(""), name("a3 a6"), name("e")), (None, None, None));
    }

    #[test]
    fn every_opening_is_short_enough_and_listed_once() {
        let moves: Vec<_> = OPENINGS.lines().map(|line| line.split_once(": ").unwrap().0).collect();
        assert!(moves.iter().all(|moves| moves.split(' ').count() <= MAX_PLIES));
        let mut unique = moves.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), moves.len());
    }

    #[test]
    fn every_opening_can_be_played() {
        for line in OPENINGS.lines() {
            let mut board = Fen::START.board;
            let mut color = Color::White;
            for san in line.split_once(": ").unwrap().0.split(' ') {
                let played = SanMove::parse(san.as_bytes()).and_then(|san| san.to_last_move(&board, color));
                let captured = board.apply(played.unwrap_or_else(|| panic!("{san} of {line}")), color).unwrap();
                assert_eq!(san.contains('x'), captured.is_some(), "{san} of {line}");
                color = color.opponent();
            }
        }
    }
}
