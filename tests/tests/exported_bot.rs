//! A bot plays game 1, Alekhine against Bogoljubov, again: it has to answer its opponent's moves as recorded.
//!
//! Exported by the console of kibitzer. The test needs the crates `kibitzer`, `kibitzer-bot` and `kibitzer-server`, and tokio with the
//! features `macros`, `rt`, `test-util` and `time`.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use kibitzer::chess::Color;
use kibitzer::command::{self, GameTerms, MoveText};
use kibitzer::{Client, Dial, Profile, Relation, RequestError};
use kibitzer_bot::engine::{BestMove, EngineError};
use kibitzer_bot::{Bot, BotConfig, EngineConfig, ScriptedEngine, Stop};
use kibitzer_server::{Server, ServerOptions};

/// The moves of both sides.
const MOVES: &str = "g2g3 f7f5 f1g2 c7c5 g2h3 a7a5 h3g2 g7g6 g1f3 b8c6 e1g1 e7e5 f3e5 c6e5 g3g4 d8f6 \
    e2e3 g6g5 g2b7 f6a6 f1e1 g8f6 b1a3 a6c4 a1b1 e5f7 b7c8 c4f4 g4f5 f7e5 h2h4 f4g4 \
    d1g4 f6g4 c8d7 e5d7 h4g5 e8c8 f5f6 g4e5 f6f7 e5g6 e3e4 h8g8 f7g8q c5c4 g8h7 f8e7 \
    d2d4 c4d3 h7h5 e7a3 h5f3 a3b2 f3h1 b2a3 c1a3 d3c2 e1e2 c2c1r e2e1 a5a4 a3c1 g6h8 \
    e4e5 d7e5 h1b7";
/// The side that the bot plays.
const BOT: Color = Color::White;
/// The squares after the last move.
const BOARD: &str = "2kr3n/1Q6/8/4n1P1/p7/8/P4P2/1RB1R1K1";

#[tokio::test(start_paused = true)]
async fn a_bot_plays_the_exported_game() -> Result<(), Box<dyn Error>> {
    let server = Arc::new(Server::start(ServerOptions::new().in_process()).await?);
    let dial = Dial::with(move || {
        let server = Arc::clone(&server);
        async move { server.connect().await }
    });
    let profile = Profile::demo().dial(dial);

    // Replace this engine, or the whole bot, by the one to test.
    let engine = || async {
        Ok(ScriptedEngine::new(|position, _| {
            let played = MOVES.split_whitespace().nth(position.moves.len());
            played.map(BestMove::new).ok_or(EngineError::NoMove)
        }))
    };
    let config = BotConfig::new(profile.clone().guest_as("Bot".parse()?), EngineConfig::new(["none"]));
    let bot = tokio::spawn(Bot::new(config).engine(engine).run(Stop::new()));

    let opponent = profile.guest_as("Opponent".parse()?);
    let builder = Client::builder(opponent);
    let mut events = builder.subscribe_lossless(10_000);
    let opponent = builder.start().await?;
    opponent.ready().await?;
    let terms = GameTerms::new().time(60, 0).unrated().color(BOT.opponent());
    let challenge = command::challenge("Bot", terms);
    // The bot may not have logged in yet.
    while matches!(opponent.request(&challenge).await, Err(RequestError::Refused { .. })) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    loop {
        let event = events.next().await.ok_or("the session ended during the game")?;
        let Some(board) = event.board() else { continue };
        if !board.relation().is_mine() {
            continue;
        }
        let ply = usize::try_from(board.ply())?;
        let mut played = MOVES.split_whitespace().skip(ply);
        match played.next() {
            None => {
                assert_eq!(board.fen().to_string().split(' ').next(), Some(BOARD));
                break;
            }
            Some(played) if board.relation() == Relation::MyTurn => {
                opponent.make_move(&MoveText::new(played)?).await?;
            }
            Some(_) => {}
        }
    }
    bot.abort();
    Ok(())
}
