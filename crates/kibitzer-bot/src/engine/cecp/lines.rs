//! The lines of an engine that speaks CECP, and the notation of its moves.

use std::time::Duration;

use cozy_chess::Board;
use cozy_chess::util::{parse_san_move, parse_uci_move};

use crate::engine::dialect::MAX_LINE_MOVES;
use crate::engine::options::{EngineOption, OptionKind};
use crate::engine::{Score, SearchInfo, SearchPosition, is_uci_move, uci_notation};

/// Scores from here on are mates in as many moves more.
const MATE_CP: i32 = 100_000;

/// Parses a line of analysis: depth, score in centipawns, time in hundredths of a second, nodes, moves. `None` if one of the four
/// numbers is missing or invalid. Keeps at most [`MAX_LINE_MOVES`] moves.
pub(super) fn parse_thinking(line: &str) -> Option<SearchInfo> {
    let mut words = line.split_ascii_whitespace();
    // Some engines append a mark to the depth, as in `7&`.
    let depth = words.next()?.trim_end_matches(|c: char| !c.is_ascii_digit()).parse().ok()?;
    let score: i32 = words.next()?.parse().ok()?;
    let time_cs: u64 = words.next()?.parse().ok()?;
    let nodes: u64 = words.next()?.parse().ok()?;
    let score = match score {
        MATE_CP.. => Score::Mate(score - MATE_CP),
        ..=-100_000 => Score::Mate(score.saturating_add(MATE_CP)),
        _ => Score::Centipawns(score),
    };
    // Move numbers, and the further numbers of some engines, are no moves.
    let is_move = |word: &&str| word.starts_with(|c: char| c.is_ascii_alphabetic()) && word.len() <= 8;
    let line = words.filter(is_move).take(MAX_LINE_MOVES).map(str::to_owned).collect();
    Some(SearchInfo {
        depth: Some(depth),
        score: Some(score),
        nodes: Some(nodes),
        nodes_per_second: nodes.saturating_mul(100).checked_div(time_cs),
        time: Some(Duration::from_millis(time_cs.saturating_mul(10))),
        line,
    })
}

/// Splits `a=1 b="two words"` into names and values. A value without a closing quote extends to the end.
pub(super) fn split_feature_pairs(mut rest: &str) -> Vec<(&str, &str)> {
    let mut pairs = Vec::new();
    while let Some((name, after)) = rest.split_once('=') {
        let (value, remaining) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(' ').unwrap_or((after, "")),
        };
        pairs.push((name.trim(), value));
        rest = remaining;
    }
    pairs
}

/// Parses an option: `Contempt -spin 0 -100 100`, `Style -combo Solid /// *Risky`, `Clear -button`. `None` for an unknown type,
/// or numbers without a range.
pub(super) fn parse_feature_option(description: &str) -> Option<EngineOption> {
    let (name, rest) = description.split_once(" -")?;
    let (kind, details) = rest.split_once(' ').unwrap_or((rest, ""));
    let numbers: Vec<i64> = details.split_ascii_whitespace().filter_map(|word| word.parse().ok()).collect();
    let kind = match (kind, &numbers[..]) {
        ("button" | "save" | "reset", _) => OptionKind::Button,
        ("check", _) => OptionKind::Check,
        ("spin" | "slider", &[_, min, max, ..]) => OptionKind::Spin { min, max },
        ("combo", _) => {
            let values = details.split("///").map(|value| value.trim().trim_start_matches('*').to_owned());
            OptionKind::Combo(values.collect())
        }
        ("string" | "file" | "path", _) => OptionKind::Text,
        _ => return None,
    };
    Some(EngineOption { name: name.trim().to_owned(), kind })
}

/// Returns the protocol's name of a variant; names that are the same in both protocols are returned unchanged.
pub(super) fn cecp_variant(uci: &str) -> &str {
    match uci {
        "chess" => "normal",
        "chess960" => "fischerandom",
        other => other,
    }
}

/// Returns the name in UCI of a variant of the protocol; names that are the same in both are returned unchanged.
pub(super) fn uci_variant(name: &str) -> &str {
    match name {
        "normal" => "chess",
        "fischerandom" => "chess960",
        other => other,
    }
}

/// Returns the moves of a position in the protocol's notation, which writes castling in chess960 as `O-O`. `None` if a move of a
/// chess960 game is illegal; other games are not checked.
pub(super) fn moves_to_send(position: &SearchPosition, variant: &str) -> Option<Vec<String>> {
    if variant != "chess960" {
        return Some(position.moves.clone());
    }
    let mut board = SearchPosition { moves: Vec::new(), ..position.clone() }.chess_board()?;
    position.moves.iter().map(|text| play_and_format_chess960(&mut board, text)).collect()
}

/// Plays a move of a chess960 game and returns its text for the engine; `None` if it is illegal.
fn play_and_format_chess960(board: &mut Board, text: &str) -> Option<String> {
    let played = parse_uci_move(board, text).ok()?;
    let takes_own_rook = board.color_on(played.to) == Some(board.side_to_move());
    let is_short = played.to.file() > played.from.file();
    board.try_play(played).ok()?;
    let castling = if is_short { "O-O" } else { "O-O-O" };
    Some(if takes_own_rook { castling.to_owned() } else { text.to_owned() })
}

/// Converts a received move to UCI notation. Coordinates and drops are returned as they are, without a check that they are legal.
/// Castling and SAN are resolved on the board; `None` if that fails.
pub(super) fn received_move_to_uci(text: &str, position: &SearchPosition, variant: &str) -> Option<String> {
    if is_uci_move(text) {
        return Some(text.to_owned());
    }
    let board = position.chess_board()?;
    let found = parse_san_move(&board, &text.replace('0', "O")).ok()?;
    Some(uci_notation(&board, found, variant == "chess960"))
}

#[cfg(test)]
mod tests {
    use kibitzer::core::chess::Color;

    use super::*;

    #[test]
    fn thinking_lines_are_parsed() {
        // Line, depth, score, nodes per second, moves.
        let cases = [
            (" 9 156 1084 48000 Nf3 Nc6 Nc3", 9, Score::Centipawns(156), Some(4428), 3),
            ("7& -31 0 100 1. e4 2. 7.", 7, Score::Centipawns(-31), None, 1),
            ("12. 100003 50 1000 12 20000 0 e2e4 e7e5", 12, Score::Mate(3), Some(2000), 2),
            ("12 -100002 50 1000", 12, Score::Mate(-2), Some(2000), 0),
        ];
        for (line, depth, score, nps, moves) in cases {
            let info = parse_thinking(line).unwrap();
            assert_eq!((info.depth, info.score, info.nodes_per_second), (Some(depth), Some(score), nps), "{line}");
            assert_eq!(info.line.len(), moves, "{line}");
        }
    }

    #[test]
    fn castling_of_chess960_is_written_in_letters() {
        let fen = Some("4k3/8/8/8/8/8/8/R3K2R w HA - 0 1".to_owned());
        let moves = ["e1h1", "e8e7"].map(str::to_owned).to_vec();
        let position = SearchPosition::new(fen.clone(), moves, Color::White);
        assert_eq!(moves_to_send(&position, "chess960").unwrap(), ["O-O", "e8e7"]);
        assert_eq!(moves_to_send(&position, "chess").unwrap(), ["e1h1", "e8e7"]);
        let start = SearchPosition::new(fen, Vec::new(), Color::White);
        for (text, variant, want) in [
            ("O-O-O", "chess960", Some("e1a1")),
            ("0-0", "chess", Some("e1g1")),
            ("Rh8+", "chess", Some("h1h8")),
            ("e1g1", "chess", Some("e1g1")),
            ("Nf3", "chess", None),
        ] {
            assert_eq!(received_move_to_uci(text, &start, variant).as_deref(), want, "{text}");
        }
    }
}
