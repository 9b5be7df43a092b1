//! Observes a game and prints its boards as they come.
//!
//! `cargo run -p kibitzer --example observe_bot -- localhost 17`

use std::error::Error;

use kibitzer::Event;
use kibitzer::message::GameId;
use kibitzer::{Client, Profile};

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "it is what the example is for")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (host, game) = (args.next().ok_or("which server?")?, args.next().ok_or("which game?")?);
    let client = Client::connect(Profile::new(host).guest()).await?;
    let mut events = client.subscribe();
    let game = GameId(game.parse()?);
    let mut watch = client.watch_game(game);
    client.observe(game).await?;
    loop {
        tokio::select! {
            changed = watch.changed() => {
                changed?;
                let Some(game) = watch.latest() else { continue };
                let last = game.moves().last().map_or_else(String::new, ToString::to_string);
                println!("{last:<8}{}", game.position().fen());
            }
            // What was missed while the line was down is told here.
            event = events.next() => if let Some(Event::Restored(restored)) = event.as_deref() {
                println!("back after {:?}", restored.offline_for);
            }
        }
    }
}
