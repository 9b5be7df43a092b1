//! Engines that speak the Universal Chess Interface.
//!
//! | activity | call | lines | next activity |
//! |---|---|---|---|
//! | idle | `search` | `position`, `go` | searching |
//! | idle | `ponder` | `position`, `go ponder` | pondering |
//! | pondering | `search` of the same position | `ponderhit` | searching |
//! | searching, pondering | another call | `stop` | stopping |
//! | searching, pondering, stopping | `bestmove` is received | | idle |

use std::time::Duration;

use tokio::time::timeout;
use tracing::debug;

use super::options::{EngineOption, EngineOptions, OptionKind};
use super::process::EngineProcess;
use super::{
    BestMove, Engine, EngineCommand, EngineError, EngineInfo, GameSetup, Score, SearchInfo, SearchLimits,
    SearchPosition, is_uci_move,
};

/// Time to return a move after `stop`.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);
/// Characters that are kept of an engine's or author's name.
const MAX_NAME_CHARS: usize = 100;
/// Moves that are kept of a principal variation.
const MAX_LINE_MOVES: usize = 40;

/// A UCI engine in a process of its own.
#[derive(Debug)]
pub struct Uci {
    process: EngineProcess,
    info: EngineInfo,
    options: EngineOptions,
    activity: Activity,
    /// Whether the engine knows that it will ponder.
    ponder_enabled: bool,
}

#[derive(Debug)]
enum Activity {
    Idle,
    Searching,
    Pondering(SearchPosition),
    /// `stop` was sent; the move of the stopped search is still to come.
    Stopping,
}

impl Uci {
    /// Starts the program, completes the handshake and sets the options.
    ///
    /// # Errors
    ///
    /// [`EngineError::Start`] if the program cannot be started, [`EngineError::Exited`] or [`EngineError::Silent`] if it does not
    /// complete the handshake, [`EngineError::Option`] if it does not have an option or accept its value.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: if the future is dropped, the process is killed.
    pub async fn start(command: &EngineCommand) -> Result<Self, EngineError> {
        let mut process = EngineProcess::spawn(command)?;
        let mut info = EngineInfo::default();
        let mut options = EngineOptions::default();
        process.send("uci");
        process
            .reply("uci", |line| {
                let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
                match (word, rest.split_once(' ')) {
                    ("uciok", _) => return Some(()),
                    ("id", Some(("name", name))) => info.name = shortened(name),
                    ("id", Some(("author", author))) => info.author = shortened(author),
                    ("option", _) => options.add(rest, EngineOption::parse_uci),
                    _ => {}
                }
                None
            })
            .await?;
        info.options = options.names();
        info.variants = variants(&options);
        info.ponders = options.find("Ponder").is_some();
        let mut engine = Self { process, info, options, activity: Activity::Idle, ponder_enabled: false };
        for (name, value) in &command.options {
            engine.set_option(name, value)?;
        }
        engine.synchronize().await?;
        Ok(engine)
    }

    /// Sends an option.
    ///
    /// # Errors
    ///
    /// [`EngineError::Option`] if the engine does not have it or does not accept the value.
    fn set_option(&mut self, name: &str, value: &str) -> Result<(), EngineError> {
        let option = self.options.accepting(name, value)?;
        let line = match option.kind {
            OptionKind::Button => format!("setoption name {}", option.name),
            _ => format!("setoption name {} value {value}", option.name),
        };
        self.process.send(&line);
        Ok(())
    }

    /// Sends an option that the protocol defines, if the engine has it.
    fn set_if_offered(&mut self, name: &str, value: &str) {
        if self.set_option(name, value).is_err() {
            debug!(name, value, "option not offered");
        }
    }

    /// Waits until the engine has processed all sent lines.
    ///
    /// # Errors
    ///
    /// [`EngineError::Exited`], [`EngineError::Silent`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the answer is ignored later.
    async fn synchronize(&mut self) -> Result<(), EngineError> {
        self.process.send("isready");
        self.process.reply("isready", |line| (line == "readyok").then_some(())).await
    }

    /// Ends a search or analysis that still runs and discards its move.
    ///
    /// # Errors
    ///
    /// [`EngineError::NoMove`] if none comes within a second, [`EngineError::Exited`], [`EngineError::Silent`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the next call continues.
    async fn halt(&mut self) -> Result<(), EngineError> {
        if matches!(self.activity, Activity::Idle) {
            return Ok(());
        }
        match self.stopped_move(&mut |_| {}).await {
            // It is the move of a search without a caller.
            Ok(_) | Err(EngineError::NotAMove(_)) => self.synchronize().await,
            Err(error) => Err(error),
        }
    }

    fn go(&mut self, mode: &str, position: &SearchPosition, limits: &SearchLimits) {
        self.process.send(&position_line(position));
        self.process.send(&go_line(mode, limits));
    }

    /// Stops the search and returns its move.
    ///
    /// # Errors
    ///
    /// [`EngineError::NoMove`] if none comes within a second, otherwise as [`best_move`](Self::best_move).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the next call stops the search.
    async fn stopped_move(&mut self, report: &mut (dyn FnMut(SearchInfo) + Send)) -> Result<BestMove, EngineError> {
        if !matches!(self.activity, Activity::Stopping) {
            self.process.send("stop");
            self.activity = Activity::Stopping;
        }
        timeout(STOP_TIMEOUT, self.best_move(report)).await.unwrap_or(Err(EngineError::NoMove))
    }

    /// Reports lines of analysis until the engine returns a move.
    ///
    /// # Errors
    ///
    /// [`EngineError::Exited`], [`EngineError::NotAMove`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the next call stops the search.
    async fn best_move(&mut self, report: &mut (dyn FnMut(SearchInfo) + Send)) -> Result<BestMove, EngineError> {
        loop {
            let line = self.process.next_line().await?;
            if let Some(words) = line.strip_prefix("bestmove") {
                self.activity = Activity::Idle;
                return parse_best_move(words);
            }
            line.strip_prefix("info ").and_then(parse_info).map(&mut *report);
        }
    }
}

impl Engine for Uci {
    fn info(&self) -> &EngineInfo {
        &self.info
    }

    /// See [`Engine::new_game`].
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: drop the engine if the future was dropped.
    async fn new_game(&mut self, game: &GameSetup) -> Result<(), EngineError> {
        if !self.info.variants.contains(&game.variant) {
            return Err(EngineError::Variant(game.variant.clone()));
        }
        self.halt().await?;
        let is_chess960 = game.variant == "chess960";
        self.set_if_offered("UCI_Variant", if is_chess960 { "chess" } else { &game.variant });
        self.set_if_offered("UCI_Chess960", &is_chess960.to_string());
        self.set_if_offered("UCI_Opponent", &opponent(game));
        self.process.send("ucinewgame");
        self.synchronize().await
    }

    /// See [`Engine::stop`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the next call continues.
    async fn stop(&mut self) -> Result<(), EngineError> {
        self.halt().await
    }

    /// See [`Engine::search`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the next call stops the search and discards its move.
    async fn search(
        &mut self,
        position: &SearchPosition,
        limits: &SearchLimits,
        report: &mut (dyn FnMut(SearchInfo) + Send),
    ) -> Result<BestMove, EngineError> {
        if matches!(&self.activity, Activity::Pondering(pondered) if pondered == position) {
            self.process.send("ponderhit");
        } else {
            self.halt().await?;
            self.go("", position, limits);
        }
        self.activity = Activity::Searching;
        match timeout(limits.deadline, self.best_move(report)).await {
            Ok(result) => result,
            Err(_) => self.stopped_move(report).await,
        }
    }

    /// See [`Engine::ponder`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the next call continues or stops the analysis.
    async fn ponder(
        &mut self,
        position: &SearchPosition,
        limits: &SearchLimits,
        report: &mut (dyn FnMut(SearchInfo) + Send),
    ) -> Result<(), EngineError> {
        self.halt().await?;
        if self.info.ponders {
            if !std::mem::replace(&mut self.ponder_enabled, true) {
                self.set_if_offered("Ponder", "true");
            }
            self.go("ponder ", position, limits);
            self.activity = Activity::Pondering(position.clone());
        }
        loop {
            // The protocol forbids a move before `ponderhit` or `stop`; some engines send it after a mate or at a depth limit.
            self.best_move(report).await?;
        }
    }

    /// See [`Engine::quit`].
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: if the future is dropped, the process is killed.
    async fn quit(self) {
        self.process.quit().await;
    }
}

fn shortened(name: &str) -> String {
    name.chars().take(MAX_NAME_CHARS).collect()
}

/// The variants of the options `UCI_Variant` and `UCI_Chess960`; `chess` for an engine without the former.
fn variants(options: &EngineOptions) -> Vec<String> {
    let mut variants = match options.find("UCI_Variant").map(|option| &option.kind) {
        Some(OptionKind::Combo(values)) => values.clone(),
        _ => vec!["chess".to_owned()],
    };
    if options.find("UCI_Chess960").is_some() {
        variants.push("chess960".to_owned());
    }
    variants
}

/// The value of `UCI_Opponent`: title, rating, kind and name. A server's title does not say which one it is.
fn opponent(game: &GameSetup) -> String {
    let rating = game.opponent_rating.map_or("none".to_owned(), |rating| rating.to_string());
    let kind = if game.opponent_is_computer { "computer" } else { "human" };
    format!("none {rating} {kind} {}", game.opponent)
}

fn position_line(position: &SearchPosition) -> String {
    let base = position.fen.as_ref().map_or("startpos".to_owned(), |fen| format!("fen {fen}"));
    let moves = if position.moves.is_empty() { "" } else { " moves " };
    format!("position {base}{moves}{}", position.moves.join(" "))
}

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
        other => Err(EngineError::NotAMove(shortened(other))),
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
