//! Answers every tell, until somebody tells it to go.
//!
//! `cargo run -p kibitzer --example tell_bot -- localhost`

use std::error::Error;

use kibitzer::event::RequestError;
use kibitzer::message::TalkKind;
use kibitzer::{Client, Profile, error_chain};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let host = std::env::args().nth(1).ok_or("which server?")?;
    run(Profile::new(host).guest()).await
}

/// Answers until it is told to go.
///
/// # Cancel safety
///
/// Dropping the future gives the session up.
#[expect(clippy::print_stdout, reason = "it is what the example is for")]
pub(crate) async fn run(profile: Profile) -> Result<(), Box<dyn Error>> {
    let client = Client::connect(profile).await?;
    let mut events = client.subscribe();
    while let Some(event) = events.next().await {
        let Some(talk) = event.talk() else { continue };
        let Some(from) = talk.speaker().filter(|_| talk.kind == TalkKind::Tell) else { continue };
        if talk.text() == "go" {
            client.quit().await;
            return Ok(());
        }
        match client.tell(&from, format!("you said: {}", talk.text())).await {
            Ok(_) => {}
            Err(RequestError::Ended(reason)) => return Err(reason.into()),
            // Who has left, or is told something while the line is down, is no reason to stop.
            Err(error) => println!("no answer to {from}: {}", error_chain(&error)),
        }
    }
    Err(client.ended().await.into())
}
