use super::*;
use kibitzer_core::chess::Color;
use tokio::time::Instant;

async fn best(variant: &str, fen: Option<&str>, moves: Vec<String>) -> Result<Option<String>, EngineError> {
    let mut player = WeakPlayer::new(moves.len() as u64, Duration::ZERO);
    player.new_game(&GameSetup::new(variant, Color::White)).await?;
    let position = SearchPosition::new(fen.map(str::to_owned), moves, Color::White);
    let limits = SearchLimits::deadline(Duration::from_secs(1));
    Ok(player.search(&position, &limits, &mut |_| {}).await?.best)
}

#[tokio::test]
async fn game_against_itself_has_legal_moves_until_its_end() {
    let mut moves = Vec::new();
    while moves.len() < 150 {
        let Some(next) = best("chess", None, moves.clone()).await.unwrap() else { break };
        moves.push(next);
    }
    assert!(SearchPosition::new(None, moves, Color::White).chess_board().is_some());
}

#[tokio::test]
async fn mates_and_captures_are_seen() {
    let cases = [
        ("mate", "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", Some("a1a8")),
        ("queen for nothing", "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", Some("e4d5")),
        ("mated", "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", None),
    ];
    for (name, fen, want) in cases {
        assert_eq!(best("chess", Some(fen), Vec::new()).await.unwrap().as_deref(), want, "{name}");
    }
}

#[tokio::test]
async fn castling_is_written_as_the_variant_requires() {
    // Castling and Rf1 mate.
    for (variant, castling) in [("chess", "e1g1"), ("chess960", "e1h1")] {
        let mut found = Vec::new();
        for seed in 0..30 {
            let mut player = WeakPlayer::new(seed, Duration::ZERO);
            player.new_game(&GameSetup::new(variant, Color::White)).await.unwrap();
            let fen = "4rkr1/4p1p1/8/8/8/8/8/4K2R w K - 0 1".to_owned();
            let position = SearchPosition::new(Some(fen), Vec::new(), Color::White);
            let limits = SearchLimits::deadline(Duration::from_secs(1));
            found.extend(player.search(&position, &limits, &mut |_| {}).await.unwrap().best);
        }
        assert!(found.iter().all(|best| best == "h1f1" || best == castling), "{found:?}");
        assert!(found.iter().any(|best| best == castling), "{found:?}");
    }
}

#[tokio::test]
async fn other_variants_and_positions_are_refused() {
    assert!(matches!(best("atomic", None, Vec::new()).await, Err(EngineError::Variant(_))));
    for (fen, moves) in [(Some("not a position"), vec![]), (None, vec!["e2e5".to_owned()])] {
        assert!(matches!(best("chess", fen, moves).await, Err(EngineError::Position(_))), "{fen:?}");
    }
}

async fn search(engine: &mut ScriptedEngine) -> Result<BestMove, EngineError> {
    let start = SearchPosition::new(None, Vec::new(), Color::White);
    engine.search(&start, &SearchLimits::deadline(Duration::from_secs(9)), &mut |_| {}).await
}

#[tokio::test(start_paused = true)]
async fn moves_come_in_turn_after_the_delay() {
    let mut engine = ScriptedEngine::with_moves(["e2e4", "d2d4"]).delay(Duration::from_secs(2));
    let begun = Instant::now();
    assert_eq!(search(&mut engine).await.unwrap(), BestMove::new("e2e4"));
    assert_eq!(search(&mut engine).await.unwrap(), BestMove::new("d2d4"));
    assert_eq!(search(&mut engine).await.unwrap(), BestMove::default());
    assert_eq!(begun.elapsed(), Duration::from_secs(6));
}

#[tokio::test(start_paused = true)]
async fn failures_and_hangs_come_on_demand() {
    let silent = EngineError::Silent { program: "x".to_owned(), step: "handshake" };
    let mut answers = vec![EngineError::NoMove, silent];
    let mut engine = ScriptedEngine::new(move |_, _| Err(answers.pop().unwrap()));
    assert!(matches!(search(&mut engine).await, Err(EngineError::Silent { .. })));
    let begun = Instant::now();
    assert!(matches!(search(&mut engine).await, Err(EngineError::NoMove)));
    assert_eq!(begun.elapsed(), Duration::from_secs(10));
}
