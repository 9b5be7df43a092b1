//! Time that a bot adds to a move, on the embedded server over loopback.
//!
//! The opponent measures the time from sending its move to the board with the reply. The floor is a client that replies at once from
//! the event, without engine, rules or tracker; the bot has an engine that replies at once. Both play the same moves, in turn.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a benchmark"
)]

use std::time::{Duration, Instant};

use kibitzer::command::{self, GameTerms, MoveText};
use kibitzer::{Client, MeOrOther, Message, Profile, Relation, Subscription};
use kibitzer_bot::engine::BestMove;
use kibitzer_bot::{Bot, BotConfig, EngineConfig, ScriptedEngine, Stop};
use kibitzer_core::chess::Color;
use kibitzer_server::{Server, ServerOptions};

/// Moves of each side per game: every pawn goes two steps, so that no position is repeated.
const MOVES: usize = 16;

/// Games against each opponent, in turn.
const GAMES: usize = 40;

/// Returns the n-th move of White or Black.
fn pawn_move(n: usize, color: Color) -> String {
    let file = char::from(b"abcdefgh"[n % 8]);
    let (from, to) = match (color, n / 8) {
        (Color::White, 0) => (2, 3),
        (Color::White, _) => (3, 4),
        (Color::Black, 0) => (7, 6),
        (Color::Black, _) => (6, 5),
    };
    format!("{file}{from}{file}{to}")
}

/// Whether a run only shows that the benchmark works.
fn is_trial() -> bool {
    !std::env::args().any(|argument| argument == "--bench")
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let games = if is_trial() { 1 } else { GAMES };
    let server = Server::start(ServerOptions::new()).await.unwrap();
    let profile = Profile::demo().ports([server.address().unwrap().port()]);
    let bot = start_bot(&profile);
    let floor = tokio::spawn(reply_at_once(Client::connect(profile.clone().guest_as(name("Floor"))).await.unwrap()));
    let opponent = Client::connect(profile.guest_as(name("Opponent"))).await.unwrap();
    let (mut times, names) = ([Vec::new(), Vec::new()], ["Floor", "Botvin"]);
    for _ in 0..games {
        for (times, name) in times.iter_mut().zip(names) {
            times.extend(play(&opponent, name).await);
        }
    }
    for (times, name) in times.iter_mut().zip(["client that replies at once", "bot with an instant engine"]) {
        times.sort_unstable();
        let at = |percent: usize| times[(times.len() - 1) * percent / 100];
        println!("{name}: {} replies, p50 {:.0?}, p99 {:.0?}", times.len(), at(50), at(99));
    }
    floor.abort();
    bot.force();
}

fn name(text: &str) -> kibitzer::Handle {
    text.parse().unwrap()
}

/// Starts the bot, whose engine answers at once.
fn start_bot(profile: &Profile) -> Stop {
    let stop = Stop::new();
    let mut config = BotConfig::new(profile.clone().guest_as(name("Botvin")), EngineConfig::new(["none"]));
    config.offers.draw = None;
    let engine = || async {
        Ok(ScriptedEngine::new(|position, _| Ok(BestMove::new(pawn_move(position.moves.len() / 2, Color::Black)))))
    };
    tokio::spawn(Bot::new(config).engine(engine).run(stop.clone()));
    stop
}

/// Accepts every challenge, and replies to each board at once.
async fn reply_at_once(client: Client) {
    let mut events = client.subscribe();
    while let Some(event) = events.next().await {
        match event.message() {
            Some(Message::Challenge(challenge)) if challenge.actor == MeOrOther::Other => {
                drop(client.request("accept").await);
            }
            Some(Message::Style12(board)) if board.relation() == Relation::MyTurn && board.ply() > 0 => {
                let reply = MoveText::new(&pawn_move(board.ply() as usize / 2, Color::Black)).unwrap();
                let client = client.clone();
                tokio::spawn(async move { client.make_move(&reply).await.map(drop) });
            }
            _ => {}
        }
    }
}

/// Plays a game, and returns the time of each reply.
async fn play(opponent: &Client, against: &str) -> Vec<Duration> {
    let terms = GameTerms::new().time(60, 0).unrated().color(Color::White);
    let challenge = command::challenge(name(against), terms);
    let mut events = opponent.subscribe();
    while opponent.request(&challenge).await.is_err() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    wait_for_turn(&mut events).await;
    let mut times = Vec::with_capacity(MOVES);
    for n in 0..MOVES {
        let sent = Instant::now();
        opponent.make_move(&MoveText::new(&pawn_move(n, Color::White)).unwrap()).await.unwrap();
        wait_for_turn(&mut events).await;
        times.push(sent.elapsed());
    }
    opponent.resign().await.unwrap();
    times
}

async fn wait_for_turn(events: &mut Subscription) {
    loop {
        let event = events.next().await.expect("the session is over");
        if let Some(Message::Style12(board)) = event.message()
            && board.relation() == Relation::MyTurn
        {
            return;
        }
    }
}
