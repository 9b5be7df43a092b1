//! The Chess Engine Communication Protocol (xboard), version 2.
//!
//! The engine plays neither side (`force`) while its position is set up. It keeps the position of the last search; the next one
//! sends the moves since, or sets up the game anew.

use std::time::Duration;

use cozy_chess::Board;
use cozy_chess::util::{parse_san_move, parse_uci_move};
use kibitzer_core::chess::Color;

use super::dialect::{
    Dialect, EngineLine, EngineOption, EngineOptions, Handshake, MAX_LINE_MOVES, OptionKind, SearchKind, truncated,
};
use super::{
    BestMove, EngineError, GameSetup, Score, SearchInfo, SearchLimits, SearchPosition, is_uci_move, uci_notation,
};

/// Switches of the command `feature` that are known.
const SWITCHES: [&str; 8] = ["ping", "setboard", "usermove", "time", "reuse", "name", "memory", "smp"];

/// Driver's state of a CECP engine: its features, and the game and position that it was sent.
#[derive(Debug)]
pub(super) struct CecpDialect {
    /// The switches that are on.
    switches: Vec<&'static str>,
    game: Option<GameSetup>,
    /// Position of the engine's board; `None` if the game has to be set up.
    engine_position: Option<SearchPosition>,
    /// Whether the engine keeps clocks in this game.
    has_clocks: bool,
    /// Whether the engine has offered a draw since its last move.
    offers_draw: bool,
    last_ping: u32,
}

impl Default for CecpDialect {
    fn default() -> Self {
        // The protocol has these on until the engine turns them off.
        let switches = vec!["time", "reuse"];
        Self { switches, game: None, engine_position: None, has_clocks: false, offers_draw: false, last_ping: 0 }
    }
}

impl CecpDialect {
    /// Returns whether a switch of the command `feature` is on.
    fn has_switch(&self, switch: &str) -> bool {
        self.switches.contains(&switch)
    }

    /// Returns the variant of the current game; `chess` before the first one.
    fn variant(&self) -> &str {
        self.game.as_ref().map_or("chess", |game| &game.variant)
    }

    /// Stores a feature; returns whether it is known and thus accepted. Without an answer to `san`, an engine writes coordinates.
    fn store_feature(&mut self, name: &str, value: &str, handshake: &mut Handshake) -> bool {
        let Handshake { info, options, .. } = handshake;
        if let Some(switch) = SWITCHES.iter().find(|switch| **switch == name) {
            self.switches.retain(|on| on != switch);
            self.switches.extend((value != "0").then_some(*switch));
        }
        match name {
            "myname" => info.name = truncated(value),
            "variants" => {
                info.variants = value.split(',').map(|name| uci_variant(name.trim()).to_owned()).collect();
            }
            "option" => options.add_if_valid(value, parse_feature_option),
            "memory" if value != "0" => options.add_if_valid("memory -spin 16 1 1000000", parse_feature_option),
            "smp" if value != "0" => options.add_if_valid("cores -spin 1 1 1024", parse_feature_option),
            _ => return SWITCHES.contains(&name),
        }
        true
    }

    /// Returns the lines that start a game, up to its base position; `fen` is `None` for the usual start. Fails if the engine
    /// cannot set up positions.
    fn game_start_lines(&self, fen: Option<&String>) -> Result<Vec<String>, EngineError> {
        let mut sent = vec!["new".to_owned()];
        if self.variant() != "chess" {
            sent.push(format!("variant {}", cecp_variant(self.variant())));
        }
        sent.extend(["easy", "post", "force"].map(str::to_owned));
        if let Some(game) = &self.game {
            sent.extend(
                (self.has_switch("name") && !game.opponent.is_empty()).then(|| format!("name {}", game.opponent)),
            );
            sent.extend(game.opponent_is_computer.then(|| "computer".to_owned()));
        }
        match fen {
            Some(_) if !self.has_switch("setboard") => {
                return Err(EngineError::Position("it can only start from the initial position".to_owned()));
            }
            Some(fen) => sent.push(format!("setboard {fen}")),
            None => {}
        }
        Ok(sent)
    }
}

impl Dialect for CecpDialect {
    fn greeting(&self) -> &'static [&'static str] {
        &["xboard", "protover 2"]
    }

    fn process_handshake_line(&mut self, line: &str, handshake: &mut Handshake) {
        for (name, value) in line.strip_prefix("feature ").map(split_feature_pairs).unwrap_or_default() {
            handshake.is_done |= name == "done" && value == "1";
            if self.store_feature(name, value, handshake) {
                handshake.replies.push(format!("accepted {name}"));
            }
        }
    }

    fn option_line(&self, option: &EngineOption, value: &str) -> String {
        let name = &option.name;
        match (name.as_str(), &option.kind) {
            ("memory" | "cores", _) => format!("{name} {value}"),
            (_, OptionKind::Button) => format!("option {name}"),
            (_, OptionKind::Check) => format!("option {name}={}", u8::from(value == "true")),
            _ => format!("option {name}={value}"),
        }
    }

    fn synchronization(&mut self) -> Option<(String, String)> {
        self.last_ping += 1;
        let number = self.last_ping;
        self.has_switch("ping").then(|| (format!("ping {number}"), format!("pong {number}")))
    }

    fn synchronizes_each_search(&self) -> bool {
        true
    }

    fn needs_process_per_game(&self) -> bool {
        !self.has_switch("reuse")
    }

    fn game_lines(&mut self, game: &GameSetup, _options: &EngineOptions) -> Vec<String> {
        self.game = Some(game.clone());
        self.engine_position = None;
        Vec::new()
    }

    fn position_lines(&mut self, position: &SearchPosition) -> Result<Vec<String>, EngineError> {
        let moves = moves_to_send(position, self.variant())
            .ok_or_else(|| EngineError::Position("a move is illegal".to_owned()))?;
        let known = self.engine_position.take().filter(|known| known.fen == position.fen);
        let known = known.filter(|known| position.moves.starts_with(&known.moves));
        let mut sent = match &known {
            Some(_) => vec!["force".to_owned()],
            None => self.game_start_lines(position.fen.as_ref())?,
        };
        self.has_clocks &= known.is_some();
        let prefix = if self.has_switch("usermove") { "usermove " } else { "" };
        let first_unknown = known.map_or(0, |known| known.moves.len());
        sent.extend(moves.iter().skip(first_unknown).map(|text| format!("{prefix}{text}")));
        self.engine_position = Some(position.clone());
        Ok(sent)
    }

    fn go_lines(&mut self, position: &SearchPosition, limits: &SearchLimits, _kind: SearchKind) -> Vec<String> {
        let mut sent = Vec::new();
        if let Some([white, black]) = limits.clocks {
            let (own, other) = if position.side_to_move == Color::White { (white, black) } else { (black, white) };
            if !self.has_clocks {
                let [increment, _] = limits.increments;
                let seconds = own.as_secs().max(1);
                sent.push(format!("level 0 {}:{:02} {}", seconds / 60, seconds % 60, increment.as_secs()));
            }
            if self.has_switch("time") {
                sent.push(format!("time {}", own.as_millis() / 10));
                sent.push(format!("otim {}", other.as_millis() / 10));
            }
        } else {
            let time = limits.move_time.unwrap_or(limits.deadline);
            sent.push(format!("st {}", time.as_millis().div_ceil(1000)));
        }
        self.has_clocks = limits.clocks.is_some();
        sent.extend(limits.depth.map(|depth| format!("sd {depth}")));
        sent.push("go".to_owned());
        sent
    }

    fn stop_line(&self) -> &'static str {
        "?"
    }

    fn parse_search_line(&mut self, line: &str, position: &SearchPosition) -> Option<EngineLine> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let no_move = BestMove::default();
        let result = match word {
            "move" => self.accept_engine_move(rest, position),
            // GNU Chess: "My move is : g1f3".
            "My" => self.accept_engine_move(rest.strip_prefix("move is")?.trim_start_matches([' ', ':']), position),
            "offer" if rest.starts_with("draw") => {
                self.offers_draw = true;
                return None;
            }
            "resign" => Ok(BestMove { resigns: true, ..no_move }),
            "1-0" | "0-1" if rest.contains("resign") => Ok(BestMove { resigns: true, ..no_move }),
            "1-0" | "0-1" => Ok(no_move),
            "1/2-1/2" => Ok(BestMove { offers_draw: true, ..no_move }),
            "Illegal" => Err(EngineError::Position(truncated(line))),
            "tellusererror" => Err(EngineError::Position(truncated(rest))),
            _ => return parse_thinking(line).map(EngineLine::Info),
        };
        Some(EngineLine::Result(result))
    }
}

impl CecpDialect {
    /// Parses the engine's move, and adds it to the position that the engine has on its board, because the engine has played it there.
    /// Fails with [`EngineError::NotAMove`] if the text is not a move of the position.
    fn accept_engine_move(&mut self, text: &str, position: &SearchPosition) -> Result<BestMove, EngineError> {
        let known = self.engine_position.take();
        let offers_draw = std::mem::take(&mut self.offers_draw);
        let best = received_move_to_uci(text.trim(), position, self.variant());
        let best = best.ok_or_else(|| EngineError::NotAMove(truncated(text)))?;
        self.engine_position = known.map(|mut known| {
            known.moves.push(best.clone());
            known
        });
        Ok(BestMove { offers_draw, ..BestMove::new(best) })
    }
}

/// Scores from here on are mates in as many moves more.
const MATE_CP: i32 = 100_000;

/// Parses a line of analysis: depth, score in centipawns, time in hundredths of a second, nodes, moves. `None` if one of the four
/// numbers is missing or invalid. Keeps at most [`MAX_LINE_MOVES`] moves.
fn parse_thinking(line: &str) -> Option<SearchInfo> {
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
fn split_feature_pairs(mut rest: &str) -> Vec<(&str, &str)> {
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
fn parse_feature_option(description: &str) -> Option<EngineOption> {
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
fn cecp_variant(uci: &str) -> &str {
    match uci {
        "chess" => "normal",
        "chess960" => "fischerandom",
        other => other,
    }
}

/// Returns the name in UCI of a variant of the protocol; names that are the same in both are returned unchanged.
fn uci_variant(name: &str) -> &str {
    match name {
        "normal" => "chess",
        "fischerandom" => "chess960",
        other => other,
    }
}

/// Returns the moves of a position in the protocol's notation, which writes castling in chess960 as `O-O`. `None` if a move of a
/// chess960 game is illegal; other games are not checked.
fn moves_to_send(position: &SearchPosition, variant: &str) -> Option<Vec<String>> {
    if variant != "chess960" {
        return Some(position.moves.clone());
    }
    let mut board = SearchPosition { moves: Vec::new(), ..position.clone() }.chess_board()?;
    position.moves.iter().map(|text| text_of_next_move(&mut board, text)).collect()
}

/// Plays a move of a chess960 game and returns its text for the engine; `None` if it is illegal.
fn text_of_next_move(board: &mut Board, text: &str) -> Option<String> {
    let played = parse_uci_move(board, text).ok()?;
    let takes_own_rook = board.color_on(played.to) == Some(board.side_to_move());
    let is_short = played.to.file() > played.from.file();
    board.try_play(played).ok()?;
    let castling = if is_short { "O-O" } else { "O-O-O" };
    Some(if takes_own_rook { castling.to_owned() } else { text.to_owned() })
}

/// Converts a received move to UCI notation. Coordinates and drops are returned as they are, without a check that they are legal.
/// Castling and SAN are resolved on the board; `None` if that fails.
fn received_move_to_uci(text: &str, position: &SearchPosition, variant: &str) -> Option<String> {
    if is_uci_move(text) {
        return Some(text.to_owned());
    }
    let board = position.chess_board()?;
    let found = parse_san_move(&board, &text.replace('0', "O")).ok()?;
    Some(uci_notation(&board, found, variant))
}

#[cfg(test)]
mod tests;
