//! UCI engines.

use std::time::{Duration, Instant};

use kibitzer_bot::Engine;
use kibitzer_bot::engine::{
    BestMove, EngineConfig, EngineError, ExternalEngine, GameSetup, Score, SearchInfo, SearchLimits, SearchPosition,
};
use kibitzer_core::chess::Color;
use tokio::time::timeout;

use super::script::{Script, patient, position, within};

const OPTIONS: &str = "echo 'option name Hash type spin default 16 min 1 max 64'
    echo 'option name Clear Hash type button'
    echo 'option name Style type combo default Solid var Solid var Very Risky'
    echo 'option name Own Book type check default false'
    echo 'option name Path type string default <empty>'
    echo 'option name Ponder type check default false'
    echo 'option name UCI_Chess960 type check default false'
    echo 'option name UCI_Opponent type string default'
    echo 'option name UCI_Variant type combo default chess var chess var crazyhouse'
    echo uciok;;";

async fn search(engine: &mut ExternalEngine, limits: &SearchLimits) -> Result<BestMove, EngineError> {
    engine.search(&position(&[]), limits, &mut |_| {}).await
}

/// Starts an engine that answers each `go` with these shell commands, and searches.
async fn search_with(on_go: &str, limits: &SearchLimits) -> Result<BestMove, EngineError> {
    let script = Script::answering(&format!("go*) {on_go};;"));
    let mut engine = ExternalEngine::start(&script.command()).await.unwrap();
    search(&mut engine, limits).await
}

fn options(options: &[(&str, &str)]) -> Vec<(String, String)> {
    options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[tokio::test]
async fn handshake_reads_name_options_and_variants_and_sets_options() {
    let script = Script::answering(&format!("uci) echo 'id name Script 1'; {OPTIONS}"));
    let mut command = script.command();
    command.options =
        options(&[("hash", "64"), ("Clear Hash", ""), ("Style", "Very Risky"), ("Own Book", "true"), ("Path", "/a b")]);
    let engine = ExternalEngine::start(&command).await.unwrap();
    assert_eq!(engine.info().name, "Script 1");
    assert_eq!(engine.info().variants, ["chess", "crazyhouse", "chess960"]);
    assert!(engine.info().ponders);
    assert!(engine.info().options.contains(&"Clear Hash".to_owned()));
    let set = [
        "uci",
        "setoption name Hash value 64",
        "setoption name Clear Hash",
        "setoption name Style value Very Risky",
        "setoption name Own Book value true",
        "setoption name Path value /a b",
        "isready",
    ];
    assert_eq!(script.log(), set);
}

#[tokio::test]
async fn unknown_options_and_values_are_refused_with_the_accepted_ones() {
    let script = Script::answering(&format!("uci) {OPTIONS}"));
    let cases = [
        ("Hush", "1", "is unknown; the engine has: Hash, Clear Hash"),
        ("Hash", "65", "accepts a number from 1 to 64"),
        ("Hash", "many", "accepts a number"),
        ("Clear Hash", "1", "is a button"),
        ("Style", "Wild", "accepts: Solid, Very Risky"),
        ("Own Book", "yes", "accepts true or false"),
        ("Path", "a\nquit", "accepts no control characters"),
    ];
    for (name, value, problem) in cases {
        let mut command = script.command();
        command.options = options(&[(name, value)]);
        let error = ExternalEngine::start(&command).await.unwrap_err();
        assert!(error.to_string().contains(problem), "{name}={value}: {error}");
    }
}

#[tokio::test]
async fn search_sends_position_and_clocks_and_reports_analysis() {
    let script = Script::answering(
        "go*) echo 'info depth 1 currmove e2e4'
            echo 'info depth 9 seldepth 12 multipv 1 score cp -31 nodes 5000 nps 100000 time 50 pv e7e5 g1f3'
            echo 'info depth 9 multipv 2 score cp -80 pv a7a6'
            echo 'info depth 10 score cp 900 lowerbound pv e7e5'
            echo 'info depth 11 score mate -2 pv e7e5 rm'
            echo 'info string score cp 1 pv e7e5'
            echo 'bestmove e7e5 ponder g1f3';;",
    );
    let mut engine = ExternalEngine::start(&script.command()).await.unwrap();
    let mut limits = patient();
    limits.clocks = Some([Duration::from_millis(59_500), Duration::from_secs(61)]);
    limits.increments = [Duration::from_secs(2); 2];
    let mut lines = Vec::new();
    let best = engine.search(&position(&["e2e4"]), &limits, &mut |line| lines.push(line)).await.unwrap();
    assert_eq!((best.best.as_deref(), best.ponder.as_deref()), (Some("e7e5"), Some("g1f3")));
    let [first, second] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!((first.depth, first.score), (Some(9), Some(Score::Centipawns(-31))));
    assert_eq!((first.nodes, first.nodes_per_second), (Some(5000), Some(100_000)));
    assert_eq!(
        (first.time, &first.line[..]),
        (Some(Duration::from_millis(50)), &["e7e5".to_owned(), "g1f3".into()][..])
    );
    assert_eq!((second.score, second.line.len()), (Some(Score::Mate(-2)), 1));
    let log = script.log();
    assert_eq!(log[2..], ["position startpos moves e2e4", "go wtime 59500 btime 61000 winc 2000 binc 2000"]);
}

#[tokio::test]
async fn search_limits_become_words_of_go() {
    let script = Script::answering("go*) echo bestmove a2a3;;");
    let mut engine = ExternalEngine::start(&script.command()).await.unwrap();
    let mut by_nodes = patient();
    (by_nodes.nodes, by_nodes.depth) = (Some(500), Some(7));
    for limits in [patient(), SearchLimits::for_fixed_time(Duration::from_millis(250)), by_nodes] {
        search(&mut engine, &limits).await.unwrap();
    }
    let log = script.log();
    let go: Vec<&String> = log.iter().filter(|line| line.starts_with("go")).collect();
    assert_eq!(go, ["go infinite", "go movetime 250", "go nodes 500 depth 7"]);
}

#[tokio::test]
async fn new_game_sets_variant_and_opponent_in_one_line_each() {
    let script = Script::answering(&format!("uci) {OPTIONS}\ngo*) echo bestmove P@e4;;"));
    let mut engine = ExternalEngine::start(&script.command()).await.unwrap();
    let mut game = GameSetup::new("crazyhouse", Color::Black);
    (game.opponent, game.opponent_rating) = ("Eve\nquit".to_owned(), Some(1850));
    engine.new_game(&game).await.unwrap();
    let refused = engine.new_game(&GameSetup::new("atomic", Color::White)).await;
    assert!(matches!(refused, Err(EngineError::Variant(name)) if name == "atomic"));
    engine.new_game(&GameSetup::new("chess960", Color::White)).await.unwrap();
    let fen = "8/8/8/8/8/8/8/K1k5[Pp] w - - 0 1";
    let reserve = SearchPosition::new(Some(fen.to_owned()), Vec::new(), Color::White);
    let best = engine.search(&reserve, &patient(), &mut |_| {}).await.unwrap();
    assert_eq!(best.best.as_deref(), Some("P@e4"));
    let want = [
        "setoption name UCI_Variant value crazyhouse",
        "setoption name UCI_Chess960 value false",
        "ucinewgame",
        "isready",
        "setoption name UCI_Variant value chess",
        "setoption name UCI_Chess960 value true",
        "setoption name UCI_Opponent value none none human ",
        "ucinewgame",
        "isready",
        "position fen 8/8/8/8/8/8/8/K1k5[Pp] w - - 0 1",
        "go infinite",
    ];
    assert_eq!(script.log()[2..], want);
}

#[tokio::test]
async fn engine_that_cannot_start_or_crashes_at_start_is_an_error() {
    let missing = ExternalEngine::start(&EngineConfig::new(["/nonexistent/engine"])).await;
    assert!(matches!(missing, Err(EngineError::Start { program, .. }) if program == "/nonexistent/engine"));
    let empty = ExternalEngine::start(&EngineConfig::new(Vec::<String>::new())).await;
    assert!(matches!(empty, Err(EngineError::Start { .. })));
    let crash = Script::new("echo uciok-not; echo >&2; echo 'no network file' >&2; echo second >&2; exit 3");
    let error = ExternalEngine::start(&crash.command()).await.unwrap_err().to_string();
    assert_eq!(error, r#"the engine "sh" exited (exit status: 3): no network file"#);
    let closed = Script::new("exec >/dev/null; exec sleep 1000");
    let error = ExternalEngine::start(&closed.command()).await.unwrap_err().to_string();
    assert_eq!(error, r#"the engine "sh" closed its output"#);
}

#[tokio::test]
async fn engine_runs_in_its_directory_and_environment_and_its_errors_are_appended_to_a_file() {
    let script = Script::answering("go*) echo \"bestmove a2a3 $PWD $OPENING $THREADS\" >> log; echo bestmove a2a3;;");
    let folder = std::path::PathBuf::from(script.command().command.last().unwrap());
    std::fs::write(folder.join("engine.sh"), format!("echo one >&2; {}", script.file("engine.sh"))).unwrap();
    let mut command = EngineConfig::new(["sh", "engine.sh"]);
    command.directory = Some(folder.clone());
    command.environment = options(&[("OPENING", "a $b"), ("THREADS", "2")]);
    command.stderr_file = Some(folder.join("errors"));
    for _ in 0..2 {
        let mut engine = ExternalEngine::start(&command).await.unwrap();
        search(&mut engine, &patient()).await.unwrap();
        engine.quit().await;
    }
    let seen = script.log().into_iter().find(|line| line.starts_with("bestmove")).unwrap();
    let path = folder.canonicalize().unwrap();
    assert_eq!(seen, format!("bestmove a2a3 {} a $b 2", path.display()));
    assert_eq!(script.file("errors"), "one\none\n");
    command.directory = Some(folder.join("nosuch"));
    let error = ExternalEngine::start(&command).await.unwrap_err();
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.starts_with("there is no working directory ") && source.ends_with("nosuch"), "{source}");
    command.stderr_file = Some(folder.clone());
    let error = ExternalEngine::start(&command).await.unwrap_err();
    assert!(std::error::Error::source(&error).unwrap().to_string().starts_with("cannot open "), "{error:?}");
}

#[tokio::test]
async fn relative_program_is_searched_from_the_directory_of_the_bot() {
    let mut command = EngineConfig::new(["target/../no/such-engine"]);
    command.directory = Some(std::env::temp_dir());
    let error = ExternalEngine::start(&command).await.unwrap_err();
    assert!(matches!(&error, EngineError::Start { program, .. } if program == "target/../no/such-engine"), "{error}");
    let script = Script::answering("");
    let folder = std::path::PathBuf::from(script.command().command.last().unwrap());
    let here = std::env::current_dir().unwrap();
    let up = "../".repeat(here.components().count());
    let program = format!("{up}bin/sh");
    let mut command = EngineConfig::new([program.as_str(), "engine.sh"]);
    command.directory = Some(folder);
    ExternalEngine::start(&command).await.unwrap().quit().await;
}

#[tokio::test]
async fn silent_engine_fails_after_the_reply_timeout() {
    let script = Script::new("while read -r line; do :; done");
    let mut command = script.command();
    command.reply_timeout = Duration::from_millis(100);
    assert!(matches!(ExternalEngine::start(&command).await, Err(EngineError::Silent { step: "handshake", .. })));
    let script = Script::answering("ucinewgame) exec sleep 1000;;");
    let mut command = script.command();
    command.reply_timeout = Duration::from_secs(3);
    let mut engine = ExternalEngine::start(&command).await.unwrap();
    let game = GameSetup::new("chess", Color::White);
    assert!(matches!(engine.new_game(&game).await, Err(EngineError::Silent { step: "synchronization", .. })));
}

#[tokio::test]
async fn garbage_before_the_handshake_is_ignored() {
    let script = Script::answering(
        "uci) head -c 100000 /dev/urandom; echo; echo 'Free chess engine'; echo option; echo 'option name type x'
            echo id; echo 'id name Late'; echo uciok;;
        go*) printf 'bestmove e2e4\\r\\n';;",
    );
    let mut engine = ExternalEngine::start(&script.command()).await.unwrap();
    assert_eq!(engine.info().name, "Late");
    assert_eq!(search(&mut engine, &patient()).await.unwrap(), BestMove::new("e2e4"));
}

#[tokio::test]
async fn engine_that_exits_on_go_is_an_error() {
    assert!(matches!(search_with("exit", &patient()).await, Err(EngineError::Exited { .. })));
    assert!(matches!(search_with("kill -9 $$", &patient()).await, Err(EngineError::Exited { .. })));
}

#[tokio::test]
async fn engine_that_exits_after_its_move_has_moved() {
    assert_eq!(search_with("echo bestmove e2e4; exit", &patient()).await.unwrap(), BestMove::new("e2e4"));
}

#[tokio::test]
async fn engine_that_hangs_on_go_is_stopped_at_the_deadline() {
    let begun = Instant::now();
    assert!(matches!(search_with("sleep 1000", &within(200)).await, Err(EngineError::NoMove)));
    assert!(begun.elapsed() < Duration::from_secs(10));
    let script = Script::answering("stop) echo bestmove d2d4;;");
    let mut engine = ExternalEngine::start(&script.command()).await.unwrap();
    assert_eq!(search(&mut engine, &within(100)).await.unwrap(), BestMove::new("d2d4"));
}

#[tokio::test]
async fn words_that_are_no_move_are_an_error() {
    for word in ["", "e2", "e2e9", "nonsense", "Nf3", "e7e8x", "\u{e9}\u{e9}"] {
        let result = search_with(&format!("echo 'bestmove {word}'"), &patient()).await;
        assert!(matches!(result, Err(EngineError::NotAMove(_))), "{word}: {result:?}");
    }
    for word in ["(none)", "0000", "NULL"] {
        assert_eq!(search_with(&format!("echo 'bestmove {word}'"), &patient()).await.unwrap(), BestMove::default());
    }
}

#[tokio::test]
async fn dropped_search_is_stopped_and_its_move_discarded() {
    let script = Script::answering(
        "go*) n=$((n+1)); if [ $n = 2 ]; then echo bestmove b2b3; fi;;
        stop) echo 'info score cp 1 pv a2a3'; echo bestmove a2a3; echo bestmove a2a3;;",
    );
    let mut engine = ExternalEngine::start(&script.command()).await.unwrap();
    timeout(Duration::from_millis(100), search(&mut engine, &patient())).await.unwrap_err();
    assert_eq!(search(&mut engine, &patient()).await.unwrap(), BestMove::new("b2b3"));
    let log = script.log();
    assert_eq!(log[4..], ["stop", "position startpos", "isready", "go infinite"]);
}

#[tokio::test]
async fn engine_that_ignores_stop_is_started_again_for_the_next_search() {
    let script = Script::answering("go*) if [ -e moved ]; then echo bestmove b2b3; else touch moved; fi;;");
    let mut engine = ExternalEngine::start(&script.command()).await.unwrap();
    engine.new_game(&GameSetup::new("chess", Color::White)).await.unwrap();
    timeout(Duration::from_millis(100), search(&mut engine, &patient())).await.unwrap_err();
    assert_eq!(search(&mut engine, &patient()).await.unwrap(), BestMove::new("b2b3"));
    assert_eq!(script.log().iter().filter(|line| *line == "ucinewgame").count(), 2);
}

#[tokio::test]
async fn ponder_hit_continues_the_analysis() {
    let script = Script::answering(&format!(
        "uci) {OPTIONS}
        go*) echo 'info depth 3 score cp 5 pv g1f3';;
        ponderhit) echo bestmove g1f3;;
        stop) echo bestmove a2a3;;"
    ));
    let mut engine = ExternalEngine::start(&script.command()).await.unwrap();
    let expected = position(&["e2e4", "e7e5"]);
    ponder_until_reported(&mut engine, &expected).await;
    let best = engine.search(&expected, &patient(), &mut |_| {}).await.unwrap();
    assert_eq!(best, BestMove::new("g1f3"));
    let want =
        ["position startpos moves e2e4 e7e5", "setoption name Ponder value true", "go ponder infinite", "ponderhit"];
    assert_eq!(script.log()[2..], want);
}

#[tokio::test]
async fn ponder_miss_stops_the_analysis() {
    let script = Script::answering(&format!(
        "uci) {OPTIONS}
        'go ponder'*) echo 'info depth 3 score cp 5 pv g1f3';;
        go*) echo bestmove d7d5;;
        stop) echo bestmove a2a3;;"
    ));
    let mut engine = ExternalEngine::start(&script.command()).await.unwrap();
    ponder_until_reported(&mut engine, &position(&["e2e4", "e7e5"])).await;
    let best = engine.search(&position(&["e2e4", "c7c5"]), &patient(), &mut |_| {}).await.unwrap();
    assert_eq!(best, BestMove::new("d7d5"));
    ponder_until_reported(&mut engine, &position(&["e2e4"])).await;
    engine.new_game(&GameSetup::new("chess", Color::White)).await.unwrap();
}

#[tokio::test]
async fn stop_ends_the_search_at_once() {
    let script = Script::answering("stop) echo bestmove a2a3;;");
    let mut engine = ExternalEngine::start(&script.command()).await.unwrap();
    engine.stop().await.unwrap();
    timeout(Duration::from_millis(100), search(&mut engine, &patient())).await.unwrap_err();
    engine.stop().await.unwrap();
    assert_eq!(script.log()[2..], ["position startpos", "go infinite", "stop", "isready"]);
}

#[tokio::test]
async fn ponder_ends_with_an_engine_that_exits() {
    let script = Script::answering(&format!("uci) {OPTIONS}\ngo*) exit;;"));
    let mut engine = ExternalEngine::start(&script.command()).await.unwrap();
    assert!(matches!(engine.ponder(&position(&[]), &patient(), &mut |_| {}).await, Err(EngineError::Exited { .. })));
}

async fn ponder_until_reported(engine: &mut ExternalEngine, position: &SearchPosition) {
    let (sender, mut reported) = tokio::sync::mpsc::unbounded_channel::<SearchInfo>();
    let limits = patient();
    let mut report = |line| drop(sender.send(line));
    tokio::select! {
        ended = engine.ponder(position, &limits, &mut report) => panic!("{ended:?}"),
        line = reported.recv() => assert_eq!(line.unwrap().depth, Some(3)),
    }
}

#[tokio::test]
async fn output_of_any_size_is_read_in_bounded_memory() {
    let lines = "yes \"info string $(printf '%0999d' 0)\" | head -c 200000000; echo";
    assert_eq!(search_with(&format!("{lines}; echo bestmove e2e4"), &patient()).await.unwrap(), BestMove::new("e2e4"));
    let one_line = "head -c 200000000 /dev/zero; echo";
    assert_eq!(
        search_with(&format!("{one_line}; echo bestmove e2e4"), &patient()).await.unwrap(),
        BestMove::new("e2e4")
    );
    #[cfg(target_os = "linux")]
    assert!(peak_memory_kib() < 100_000, "{} KiB", peak_memory_kib());
}

/// Largest memory of this process so far.
#[cfg(target_os = "linux")]
fn peak_memory_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[tokio::test]
async fn endless_output_does_not_block_the_other_tasks() {
    let ticks = tokio::spawn(async {
        let mut longest = Duration::ZERO;
        for _ in 0..50 {
            let begun = Instant::now();
            tokio::time::sleep(Duration::from_millis(10)).await;
            longest = longest.max(begun.elapsed());
        }
        longest
    });
    assert!(matches!(search_with("yes", &within(300)).await, Err(EngineError::NoMove)));
    let longest = ticks.await.unwrap();
    assert!(longest < Duration::from_secs(1), "a task waited {longest:?}");
}

#[tokio::test]
async fn output_without_a_reader_blocks_only_the_engine() {
    let script = Script::answering("'go infinite') echo bestmove e2e4; yes | head -c 1000000; echo bestmove a2a3;;");
    let mut engine = ExternalEngine::start(&script.command()).await.unwrap();
    assert_eq!(search(&mut engine, &patient()).await.unwrap(), BestMove::new("e2e4"));
    tokio::time::sleep(Duration::from_millis(50)).await;
    engine.new_game(&GameSetup::new("chess", Color::White)).await.unwrap();
    assert_eq!(search(&mut engine, &patient()).await.unwrap(), BestMove::new("e2e4"));
}

#[tokio::test]
async fn flood_of_standard_error_is_read() {
    let flood = "yes \"$(printf '%099d' 0)\" | head -c 20000000 >&2; head -c 20000000 /dev/zero >&2";
    assert_eq!(search_with(&format!("{flood}; echo bestmove e2e4"), &patient()).await.unwrap(), BestMove::new("e2e4"));
}

#[tokio::test]
async fn dropped_engine_is_killed_with_its_children() {
    let script = Script::answering("go*) (while :; do echo alive >> alive; sleep 0.02; done) & echo bestmove e2e4;;");
    let mut engine = ExternalEngine::start(&script.command()).await.unwrap();
    search(&mut engine, &patient()).await.unwrap();
    while script.file("alive").is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    drop(engine);
    tokio::time::sleep(Duration::from_millis(100)).await;
    let written = script.file("alive").len();
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(script.file("alive").len(), written, "the child of the engine still runs");
}

#[tokio::test]
async fn quit_ends_an_engine_that_ignores_it() {
    let script = Script::answering("quit) echo left > left; exit;;");
    ExternalEngine::start(&script.command()).await.unwrap().quit().await;
    assert_eq!(script.file("left"), "left\n");
    let script = Script::answering("quit) ;;");
    let begun = Instant::now();
    ExternalEngine::start(&script.command()).await.unwrap().quit().await;
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn engine_inherits_no_socket_and_has_pipes_in_place_of_a_terminal() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let script = Script::answering("go*) ls -l /proc/$$/fd > files; echo bestmove e2e4;;");
    let mut engine = ExternalEngine::start(&script.command()).await.unwrap();
    search(&mut engine, &patient()).await.unwrap();
    let files = script.file("files");
    // The shell moves the pipe of its output while it redirects that of `ls`.
    assert!(files.contains(" 0 -> pipe:") && files.contains(" 2 -> pipe:"), "{files}");
    assert!(!files.contains("socket:") && !files.contains("/dev/pts"), "{files}");
    drop(listener);
}
