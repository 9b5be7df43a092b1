//! Seeks a game, plays an opening whoever answers, and resigns when it knows no further.
//!
//! `cargo run -p kibitzer --example seek_bot -- localhost`

use std::error::Error;

use kibitzer::Event;
use kibitzer::command::{self, GameTerms};
use kibitzer::event::RequestError;
use kibitzer::game::ChangeKind;
use kibitzer::message::{Refusal, Relation};
use kibitzer::{Client, Profile};

/// The moves it knows, for either side.
const OPENING: [&str; 6] = ["e2e4 g1f3 f1c4", "d2d3 c2c3 e1g1", "a2a3", "e7e5 b8c6 g8f6", "f8e7 d7d6 e8g8", "a7a6"];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let host = std::env::args().nth(1).ok_or("which server?")?;
    run(Profile::new(host).guest()).await
}

/// Plays until the session is over.
///
/// # Cancel safety
///
/// Dropping the future gives the session up.
pub(crate) async fn run(profile: Profile) -> Result<(), Box<dyn Error>> {
    let client = Client::connect(profile).await?;
    let mut events = client.subscribe();
    let seek = command::seek(GameTerms::new().time(3, 0).unrated());
    client.request(&seek).await?;
    while let Some(event) = events.next().await {
        if event.game_ended().is_some() {
            client.request(&seek).await?;
        }
        // A refusal brings the board again, which is no reason to move.
        if event.board().is_some_and(|board| board.relation() == Relation::MyTurn) && !is_repeated(&event) {
            for played in OPENING.iter().flat_map(|line| line.split(' ')).chain(["resign"]) {
                // The server knows the rules: what it refuses is tried no further.
                match client.request(played).await {
                    // Played.
                    Ok(_) => break,
                    // The game of the board is over.
                    Err(error) if error.is_refused_for(Refusal::NotPlaying) => break,
                    Err(RequestError::Refused { .. }) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
    }
    Err(client.ended().await.into())
}

fn is_repeated(event: &Event) -> bool {
    event.change().is_some_and(|change| change.kind == ChangeKind::Repeated)
}
