//! The Universal Chess Interface.

use std::time::Duration;

use super::dialect::{
    Dialect, EngineLine, EngineOption, EngineOptions, Handshake, MAX_LINE_MOVES, OptionKind, SearchKind, truncated,
};
use super::{BestMove, EngineError, GameSetup, Score, SearchInfo, SearchLimits, SearchPosition, is_uci_move};

/// State of a UCI engine in addition to that of its driver.
#[derive(Debug, Default)]
pub(super) struct UciDialect {
    /// Whether the engine has yet to be informed that it will ponder.
    must_enable_ponder: bool,
}

impl Dialect for UciDialect {
    fn greeting(&self) -> &'static [&'static str] {
        &["uci"]
    }

    fn process_handshake_line(&mut self, line: &str, handshake: &mut Handshake) {
        let Handshake { info, options, is_done, .. } = handshake;
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (word, rest.split_once(' ')) {
            ("id", Some(("name", name))) => info.name = truncated(name),
            ("id", Some(("author", author))) => info.author = truncated(author),
            ("option", _) => options.add_if_valid(rest, EngineOption::parse_uci),
            ("uciok", _) => {
                info.variants = supported_variants(options);
                info.ponders = options.find("Ponder").is_some();
                self.must_enable_ponder = info.ponders;
                *is_done = true;
            }
            _ => {}
        }
    }

    fn option_line(&self, option: &EngineOption, value: &str) -> String {
        match option.kind {
            OptionKind::Button => format!("setoption name {}", option.name),
            _ => format!("setoption name {} value {value}", option.name),
        }
    }

    fn synchronization(&mut self) -> Option<(String, String)> {
        Some(("isready".to_owned(), "readyok".to_owned()))
    }

    fn game_lines(&mut self, game: &GameSetup, options: &EngineOptions) -> Vec<String> {
        let is_chess960 = game.variant == "chess960";
        let variant = if is_chess960 { "chess" } else { &game.variant };
        let values = [
            ("UCI_Variant", variant.to_owned()),
            ("UCI_Chess960", is_chess960.to_string()),
            ("UCI_Opponent", uci_opponent_value(game)),
        ];
        let accepted =
            values.iter().filter_map(|(name, value)| Some((options.option_that_accepts(name, value).ok()?, value)));
        let set = accepted.map(|(option, value)| self.option_line(option, value));
        set.chain(["ucinewgame".to_owned()]).collect()
    }

    fn position_lines(&mut self, position: &SearchPosition) -> Result<Vec<String>, EngineError> {
        let base = position.fen.as_ref().map_or("startpos".to_owned(), |fen| format!("fen {fen}"));
        let moves = if position.moves.is_empty() { "" } else { " moves " };
        Ok(vec![format!("position {base}{moves}{}", position.moves.join(" "))])
    }

    fn go_lines(&mut self, _position: &SearchPosition, limits: &SearchLimits, kind: SearchKind) -> Vec<String> {
        let mut lines = Vec::new();
        if kind == SearchKind::Ponder && std::mem::take(&mut self.must_enable_ponder) {
            lines.push("setoption name Ponder value true".to_owned());
        }
        lines.push(go_line(if kind == SearchKind::Ponder { "ponder " } else { "" }, limits));
        lines
    }

    fn stop_line(&self) -> &'static str {
        "stop"
    }

    fn parse_search_line(&mut self, line: &str, _position: &SearchPosition) -> Option<EngineLine> {
        match line.split_once(' ').unwrap_or((line, "")) {
            ("bestmove", words) => Some(EngineLine::Result(parse_best_move(words))),
            ("info", words) => parse_info(words).map(EngineLine::Info),
            _ => None,
        }
    }
}

/// Returns the variants that the engine supports: the values of `UCI_Variant`, or `chess` without that option; and `chess960` if it
/// has `UCI_Chess960`.
fn supported_variants(options: &EngineOptions) -> Vec<String> {
    let mut variants = match options.find("UCI_Variant").map(|option| &option.kind) {
        Some(OptionKind::Combo(values)) => values.clone(),
        _ => vec!["chess".to_owned()],
    };
    if options.find("UCI_Chess960").is_some() {
        variants.push("chess960".to_owned());
    }
    variants
}

/// Returns the value of `UCI_Opponent`: title, rating, kind and name. The title is always `none`, as
/// titles of servers are not those of UCI.
fn uci_opponent_value(game: &GameSetup) -> String {
    let rating = game.opponent_rating.map_or("none".to_owned(), |rating| rating.to_string());
    let kind = if game.opponent_is_computer { "computer" } else { "human" };
    format!("none {rating} {kind} {}", game.opponent)
}

/// Returns the command `go` with the limits of a search. `mode` follows the word directly: empty, or `ponder` and a blank.
fn go_line(mode: &str, limits: &SearchLimits) -> String {
    let mut line = format!("go {mode}");
    let mut add = |name: &str, value: Option<u128>| {
        line.extend(value.map(|value| format!("{name} {value} ")));
    };
    let clocks = limits.clocks.filter(|_| limits.move_time.is_none());
    let increments = clocks.map(|_| limits.increments.map(|increment| increment.as_millis()));
    add("wtime", clocks.map(|[white, _]| white.as_millis()));
    add("btime", clocks.map(|[_, black]| black.as_millis()));
    add("winc", increments.map(|[white, _]| white));
    add("binc", increments.map(|[_, black]| black));
    add("movetime", limits.move_time.map(|time| time.as_millis()));
    add("nodes", limits.nodes.map(u128::from));
    add("depth", limits.depth.map(u128::from));
    if clocks.is_none() && limits.move_time.is_none() && limits.nodes.is_none() && limits.depth.is_none() {
        line.push_str("infinite");
    }
    line.trim_end().to_owned()
}

/// Parses the words after `bestmove`: a move, and a reply after `ponder`. `(none)` and `0000` mean that there is no legal move.
fn parse_best_move(words: &str) -> Result<BestMove, EngineError> {
    let mut words = words.split_ascii_whitespace();
    let best = words.next().unwrap_or_default();
    let ponder = words.nth(1).filter(|reply| is_uci_move(reply)).map(str::to_owned);
    match best {
        "(none)" | "none" | "0000" | "NULL" => Ok(BestMove::default()),
        best if is_uci_move(best) => Ok(BestMove { ponder, ..BestMove::new(best) }),
        other => Err(EngineError::NotAMove(truncated(other))),
    }
}

/// Parses the words after `info`. `None` without a score or variation, for a second-best line, and for a bound of a score.
fn parse_info(words: &str) -> Option<SearchInfo> {
    let mut info = SearchInfo::default();
    let mut words = words.split_ascii_whitespace();
    while let Some(word) = words.next() {
        match word {
            "depth" => info.depth = words.next()?.parse().ok(),
            "nodes" => info.nodes = words.next()?.parse().ok(),
            "nps" => info.nodes_per_second = words.next()?.parse().ok(),
            "time" => info.time = words.next()?.parse().ok().map(Duration::from_millis),
            "cp" => info.score = words.next()?.parse().ok().map(Score::Centipawns),
            "mate" => info.score = words.next()?.parse().ok().map(Score::Mate),
            "multipv" if words.next()? != "1" => return None,
            "lowerbound" | "upperbound" | "string" => return None,
            "pv" => {
                let moves = words.by_ref().take_while(|word| is_uci_move(word)).take(MAX_LINE_MOVES);
                info.line = moves.map(str::to_owned).collect();
                break;
            }
            _ => {}
        }
    }
    (info.score.is_some() || !info.line.is_empty()).then_some(info)
}
