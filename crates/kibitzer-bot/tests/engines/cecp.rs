//! Engines that speak CECP.

use std::time::Duration;

use kibitzer_bot::Engine;
use kibitzer_bot::engine::{
    BestMove, EngineConfig, EngineError, EngineProtocol, ExternalEngine, GameSetup, Score, SearchLimits, SearchPosition,
};
use kibitzer_core::chess::Color;
use tokio::time::timeout;

use super::script::{Script, patient, position, within};

/// Clauses of an engine with all features; `new` and the like have no reply.
const FEATURES: &str = r#"'protover 2') echo 'feature done=0'
        echo 'feature ping=1 setboard=1 usermove=1 name=1 memory=1 myname="Script C" variants="normal,crazyhouse,fischerandom"'
        echo 'feature option="Style -combo Solid /// Risky" option="Learn -check 0" done=1';;
    ping*) echo "pong ${line#ping }";;"#;

fn script(clauses: &str) -> Script {
    Script::answering(&format!("{clauses}\n{FEATURES}"))
}

async fn started(command: &EngineConfig) -> Result<ExternalEngine, EngineError> {
    let mut command = command.clone();
    command.protocol = EngineProtocol::Cecp;
    ExternalEngine::start(&command).await
}

async fn start(script: &Script) -> ExternalEngine {
    started(&script.command()).await.unwrap()
}

async fn search(engine: &mut ExternalEngine, moves: &[&str], limits: &SearchLimits) -> Result<BestMove, EngineError> {
    engine.search(&position(moves), limits, &mut |_| {}).await
}

/// Starts an engine that answers each `go` with these shell commands, and searches.
async fn search_with(on_go: &str, limits: &SearchLimits) -> Result<BestMove, EngineError> {
    let script = script(&format!("go) {on_go};;"));
    search(&mut start(&script).await, &[], limits).await
}

/// The lines that an engine received until its end, without those of the handshake and the synchronization.
async fn log(script: &Script, engine: impl Engine) -> Vec<String> {
    engine.quit().await;
    let skipped =
        |line: &String| ["xboard", "protover", "accepted", "ping", "quit"].iter().any(|word| line.starts_with(word));
    script.log().into_iter().filter(|line| !skipped(line)).collect()
}

#[tokio::test]
async fn handshake_negotiates_features_and_sets_options() {
    let script = script("");
    let mut command = script.command();
    command.protocol = EngineProtocol::Cecp;
    command.options =
        [("memory", "64"), ("style", "Risky"), ("Learn", "true")].map(|(a, b)| (a.to_owned(), b.to_owned())).to_vec();
    let engine = ExternalEngine::start(&command).await.unwrap();
    assert_eq!(engine.info().name, "Script C");
    assert_eq!(engine.info().variants, ["chess", "crazyhouse", "chess960"]);
    assert_eq!(engine.info().options, ["memory", "Style", "Learn"]);
    assert!(!engine.info().ponders);
    assert_eq!(log(&script, engine).await, ["memory 64", "option Style=Risky", "option Learn=1"]);
    assert!(script.log().contains(&"accepted setboard".to_owned()));
    command.options = vec![("Hash".to_owned(), "64".to_owned())];
    assert!(matches!(started(&command).await, Err(EngineError::Option { .. })));
}

#[tokio::test]
async fn engine_that_does_not_end_its_features_is_an_error() {
    for body in ["while read -r line; do :; done", "yes 'feature ping=0 option=\"a -button\"'", "yes"] {
        let script = Script::new(body);
        let mut command = script.command();
        command.reply_timeout = Duration::from_millis(200);
        assert!(matches!(started(&command).await, Err(EngineError::Silent { step: "handshake", .. })), "{body}");
    }
}

#[tokio::test]
async fn game_is_set_up_once_and_continued_by_its_moves() {
    let script = script("go) n=$((n+1)); if [ $n = 1 ]; then echo 'move e7e5'; else echo 'move b8c6'; fi;;");
    let mut engine = start(&script).await;
    let mut game = GameSetup::new("chess", Color::Black);
    (game.opponent, game.opponent_is_computer) = ("Eve\nquit".to_owned(), true);
    engine.new_game(&game).await.unwrap();
    let mut limits = patient();
    limits.clocks = Some([Duration::from_mins(3), Duration::from_millis(125_550)]);
    limits.increments = [Duration::from_secs(2); 2];
    assert_eq!(search(&mut engine, &["e2e4"], &limits).await.unwrap(), BestMove::new("e7e5"));
    limits.depth = Some(9);
    let next = ["e2e4", "e7e5", "g1f3"];
    assert_eq!(search(&mut engine, &next, &limits).await.unwrap(), BestMove::new("b8c6"));
    let want = [
        "new",
        "easy",
        "post",
        "force",
        "name Eve quit",
        "computer",
        "usermove e2e4",
        "level 0 2:05 2",
        "time 12555",
        "otim 18000",
        "go",
        "force",
        "usermove g1f3",
        "time 12555",
        "otim 18000",
        "sd 9",
        "go",
    ];
    assert_eq!(log(&script, engine).await, want);
}

#[tokio::test]
async fn takeback_and_other_positions_set_up_the_game_anew() {
    let script = script("go) echo 'move e7e5';;");
    let mut engine = start(&script).await;
    search(&mut engine, &["e2e4"], &patient()).await.unwrap();
    search(&mut engine, &["d2d4"], &SearchLimits::for_fixed_time(Duration::from_millis(1500))).await.unwrap();
    let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1".to_owned();
    let endgame = SearchPosition::new(Some(fen.clone()), Vec::new(), Color::White);
    engine.search(&endgame, &patient(), &mut |_| {}).await.unwrap();
    let setup = ["new", "easy", "post", "force"];
    let want = [
        &setup[..],
        &["usermove e2e4", "st 60", "go"],
        &setup,
        &["usermove d2d4", "st 2", "go"],
        &setup,
        &[&format!("setboard {fen}"), "st 60", "go"],
    ];
    assert_eq!(log(&script, engine).await, want.concat());
}

#[tokio::test]
async fn chess960_and_crazyhouse_are_set_up_with_their_variant() {
    let script = script("go) if [ $n = 0 ]; then n=1; echo 'move O-O-O'; else echo 'move P@e4'; fi;;");
    let mut engine = start(&script).await;
    engine.new_game(&GameSetup::new("chess960", Color::White)).await.unwrap();
    let fen = "1r2k2r/8/8/8/8/8/8/1R2K2R w HBhb - 0 1".to_owned();
    let moves = ["h1h2", "e8h8"].map(str::to_owned).to_vec();
    let shuffled = SearchPosition::new(Some(fen.clone()), moves, Color::White);
    let best = engine.search(&shuffled, &patient(), &mut |_| {}).await.unwrap();
    assert_eq!(best, BestMove::new("e1b1"));
    engine.new_game(&GameSetup::new("crazyhouse", Color::White)).await.unwrap();
    assert_eq!(search(&mut engine, &[], &patient()).await.unwrap(), BestMove::new("P@e4"));
    let atomic = engine.new_game(&GameSetup::new("atomic", Color::White)).await;
    assert!(matches!(atomic, Err(EngineError::Variant(_))));
    let want = [
        "new",
        "variant fischerandom",
        "easy",
        "post",
        "force",
        &format!("setboard {fen}"),
        "usermove h1h2",
        "usermove O-O",
        "st 60",
        "go",
        "new",
        "variant crazyhouse",
        "easy",
        "post",
        "force",
        "st 60",
        "go",
    ];
    assert_eq!(log(&script, engine).await, want);
}

#[tokio::test]
async fn thinking_offers_resignation_and_results_are_reported() {
    let script = script("go) echo ' 9 156 1084 48000 Nf3 Nc6'; echo 'offer draw'; echo 'move g1f3';;");
    let mut lines = Vec::new();
    let mut engine = start(&script).await;
    let best = engine.search(&position(&[]), &patient(), &mut |line| lines.push(line)).await.unwrap();
    assert_eq!(best, {
        let mut want = BestMove::new("g1f3");
        want.offers_draw = true;
        want
    });
    assert_eq!((lines[0].depth, lines[0].score), (Some(9), Some(Score::Centipawns(156))));
    assert!(search_with("echo resign", &patient()).await.unwrap().resigns);
    let claim = search_with("echo '1/2-1/2 {Draw by repetition}'", &patient()).await.unwrap();
    assert!(claim.offers_draw && claim.best.is_none());
    assert_eq!(search_with("echo '0-1 {Black mates}'", &patient()).await.unwrap(), BestMove::default());
}

#[tokio::test]
async fn result_after_a_move_does_not_end_the_next_search() {
    let script = script("go) echo 'move e7e5'; echo '1/2-1/2 {Draw}'; echo resign;;");
    let mut engine = start(&script).await;
    for first in ["e2e4", "d2d4"] {
        assert_eq!(search(&mut engine, &[first], &patient()).await.unwrap(), BestMove::new("e7e5"));
    }
}

#[tokio::test]
async fn refused_positions_and_moves_are_errors() {
    let refused = "usermove*) echo 'Illegal move: e2e4';; go) echo 'move e7e5';;";
    let result = search(&mut start(&script(refused)).await, &["e2e4"], &patient()).await;
    assert!(matches!(result, Err(EngineError::Position(_))), "{result:?}");
    let old = Script::answering("'protover 2') echo 'feature done=1';;");
    let endgame = SearchPosition::new(Some("4k3/8/8/8/8/8/8/4K2R w K - 0 1".to_owned()), Vec::new(), Color::White);
    let result = start(&old).await.search(&endgame, &patient(), &mut |_| {}).await;
    assert!(matches!(result, Err(EngineError::Position(_))), "{result:?}");
    for word in ["", "e2e9", "nonsense"] {
        let result = search_with(&format!("echo 'move {word}'"), &patient()).await;
        assert!(matches!(result, Err(EngineError::NotAMove(_))), "{word}: {result:?}");
    }
}

#[tokio::test]
async fn engine_that_crashes_or_hangs_is_an_error() {
    assert!(matches!(search_with("exit", &patient()).await, Err(EngineError::Exited { .. })));
    assert!(matches!(search_with("sleep 1000", &within(200)).await, Err(EngineError::NoMove)));
    assert!(matches!(search_with("yes", &within(200)).await, Err(EngineError::NoMove)));
    assert!(matches!(started(&Script::new("exit 1").command()).await, Err(EngineError::Exited { .. })));
}

#[tokio::test]
async fn fixed_time_ends_with_a_request_to_move() {
    let script = script("'?') echo 'move e2e4';;");
    let limits = SearchLimits::for_fixed_time(Duration::from_millis(50));
    assert_eq!(search(&mut start(&script).await, &[], &limits).await.unwrap(), BestMove::new("e2e4"));
}

#[tokio::test]
async fn fixed_time_and_depth_are_sent_and_a_limit_on_nodes_is_an_error() {
    let script = script("go) echo 'move e2e4';;");
    let mut command = script.command();
    (command.move_time_ms, command.depth) = (Some(1500), Some(9));
    let mut engine = started(&command).await.unwrap();
    let minutes = kibitzer::message::ClockReading::from_ms(300_000);
    let clocks = kibitzer_bot::GameClocks::new(minutes, minutes, Duration::ZERO, None);
    let limits = command.timed_limits(&clocks, Color::White, Duration::ZERO, Duration::ZERO);
    search(&mut engine, &[], &limits).await.unwrap();
    let log = log(&script, engine).await;
    assert!(log.ends_with(&["st 2", "sd 9", "go"].map(str::to_owned)), "{log:?}");
    command.nodes = Some(1);
    let error = started(&command).await.unwrap_err().to_string();
    assert!(error.contains(r#"option "nodes" of the engine: CECP has no limit on nodes; write `depth`"#), "{error}");
}

#[tokio::test]
async fn dropped_search_is_stopped_and_its_move_discarded() {
    let script = script("go) n=$((n+1)); if [ $n = 2 ]; then echo 'move b2b3'; fi;;\n'?') echo 'move a2a3';;");
    let mut engine = start(&script).await;
    timeout(Duration::from_millis(100), search(&mut engine, &[], &patient())).await.unwrap_err();
    assert_eq!(search(&mut engine, &[], &patient()).await.unwrap(), BestMove::new("b2b3"));
    timeout(Duration::from_millis(100), search(&mut engine, &[], &patient())).await.unwrap_err();
    let pondering = async { engine.ponder(&position(&["e2e4"]), &patient(), &mut |_| {}).await };
    assert!(timeout(Duration::from_millis(100), pondering).await.is_err());
    assert_eq!(script.log().iter().filter(|line| *line == "?").count(), 2);
}

#[tokio::test]
async fn engine_that_ignores_the_request_to_move_is_started_again() {
    let script = script("go) if [ -e moved ]; then echo 'move b2b3'; else touch moved; fi;;");
    let mut engine = start(&script).await;
    engine.new_game(&GameSetup::new("crazyhouse", Color::White)).await.unwrap();
    timeout(Duration::from_millis(100), search(&mut engine, &[], &patient())).await.unwrap_err();
    assert_eq!(search(&mut engine, &["e2e4"], &patient()).await.unwrap(), BestMove::new("b2b3"));
    assert_eq!(script.log().iter().filter(|line| *line == "variant crazyhouse").count(), 2);
}

#[tokio::test]
async fn engine_that_plays_one_game_is_started_again() {
    let script = Script::answering("'protover 2') echo 'feature reuse=0 done=1';;\ngo) echo 'move e2e4';;");
    let mut engine = start(&script).await;
    for _ in 0..2 {
        engine.new_game(&GameSetup::new("chess", Color::White)).await.unwrap();
        assert_eq!(search(&mut engine, &[], &patient()).await.unwrap(), BestMove::new("e2e4"));
    }
    assert_eq!(script.log().iter().filter(|line| *line == "xboard").count(), 2);
    engine.quit().await;
}
