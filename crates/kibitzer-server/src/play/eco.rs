//! Opening codes.

use super::MoveRecord;

/// Opening codes by the first moves. The longest matching line decides; later moves are ignored, so that the code is coarser
/// than the classification allows.
///
/// Source: the classification of the Encyclopaedia of Chess Openings.
const LINES: &[(&str, &str)] = &[
    ("e4", "B00"),
    ("e4 d5", "B01"),
    ("e4 Nf6", "B02"),
    ("e4 g6", "B06"),
    ("e4 d6", "B07"),
    ("e4 c6", "B10"),
    ("e4 c5", "B20"),
    ("e4 c5 Nf3", "B27"),
    ("e4 c5 Nf3 Nc6", "B30"),
    ("e4 c5 Nf3 e6", "B40"),
    ("e4 c5 Nf3 d6", "B50"),
    ("e4 e6", "C00"),
    ("e4 e5", "C20"),
    ("e4 e5 d4", "C21"),
    ("e4 e5 Bc4", "C23"),
    ("e4 e5 Nc3", "C25"),
    ("e4 e5 f4", "C30"),
    ("e4 e5 Nf3", "C40"),
    ("e4 e5 Nf3 d6", "C41"),
    ("e4 e5 Nf3 Nf6", "C42"),
    ("e4 e5 Nf3 Nc6", "C44"),
    ("e4 e5 Nf3 Nc6 Bc4", "C50"),
    ("e4 e5 Nf3 Nc6 Bb5", "C60"),
    ("d4", "A40"),
    ("d4 d6", "A41"),
    ("d4 Nf6", "A45"),
    ("d4 Nf6 c4", "A50"),
    ("d4 f5", "A80"),
    ("d4 d5", "D00"),
    ("d4 d5 c4", "D06"),
    ("d4 d5 c4 c6", "D10"),
    ("d4 d5 c4 dxc4", "D20"),
    ("d4 d5 c4 e6", "D30"),
    ("d4 Nf6 c4 e6", "E00"),
    ("d4 Nf6 c4 g6", "E60"),
    ("b3", "A01"),
    ("f4", "A02"),
    ("Nf3", "A04"),
    ("Nf3 d5", "A06"),
    ("c4", "A10"),
    ("c4 Nf6", "A15"),
    ("c4 e5", "A20"),
    ("c4 c5", "A30"),
];

/// Code of a game that matches no line.
const IRREGULAR: &str = "A00";

/// Returns the opening code of the longest line in [`LINES`] with which the game begins, otherwise [`IRREGULAR`].
pub(super) fn eco(record: &MoveRecord) -> &'static str {
    let fits = |line: &str| {
        let mut plies = record.plies().iter();
        line.split(' ').all(|san| plies.next().is_some_and(|ply| ply.san == san))
    };
    LINES.iter().filter(|(line, _)| fits(line)).max_by_key(|(line, _)| line.len()).map_or(IRREGULAR, |&(_, code)| code)
}
