//! Opening codes.

use super::MoveRecord;

/// Opening codes with the first moves. The longest matching line decides; later moves are ignored, so that the code is coarser
/// than the classification allows.
///
/// Source: the classification of the Encyclopaedia of Chess Openings.
const LINES: &str = "\
    B00 e4 / B01 e4 d5 / B02 e4 Nf6 / B06 e4 g6 / B07 e4 d6 / B10 e4 c6 / B20 e4 c5 / B27 e4 c5 Nf3 / \
    B30 e4 c5 Nf3 Nc6 / B40 e4 c5 Nf3 e6 / B50 e4 c5 Nf3 d6 / C00 e4 e6 / C20 e4 e5 / C21 e4 e5 d4 / \
    C23 e4 e5 Bc4 / C25 e4 e5 Nc3 / C30 e4 e5 f4 / C40 e4 e5 Nf3 / C41 e4 e5 Nf3 d6 / C42 e4 e5 Nf3 Nf6 / \
    C44 e4 e5 Nf3 Nc6 / C50 e4 e5 Nf3 Nc6 Bc4 / C60 e4 e5 Nf3 Nc6 Bb5 / A40 d4 / A41 d4 d6 / A45 d4 Nf6 / \
    A50 d4 Nf6 c4 / A80 d4 f5 / D00 d4 d5 / D06 d4 d5 c4 / D10 d4 d5 c4 c6 / D20 d4 d5 c4 dxc4 / \
    D30 d4 d5 c4 e6 / E00 d4 Nf6 c4 e6 / E60 d4 Nf6 c4 g6 / A01 b3 / A02 f4 / A04 Nf3 / A06 Nf3 d5 / A10 c4 / \
    A15 c4 Nf6 / A20 c4 e5 / A30 c4 c5";

/// Code of a game that matches no line.
const IRREGULAR: &str = "A00";

/// Returns the opening code of the longest line in [`LINES`] with which the game begins, otherwise [`IRREGULAR`].
pub(super) fn eco_code(record: &MoveRecord) -> &'static str {
    let fits = |line: &str| {
        let mut plies = record.plies.iter();
        line.split(' ').all(|san| plies.next().is_some_and(|ply| ply.san == san))
    };
    let lines = LINES.split(" / ").filter_map(|line| line.split_once(' '));
    lines.filter(|(_, line)| fits(line)).max_by_key(|(_, line)| line.len()).map_or(IRREGULAR, |(code, _)| code)
}
