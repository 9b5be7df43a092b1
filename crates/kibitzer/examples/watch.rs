//! Prints everything that happens in a session, from the first attempt to connect to the end.
//!
//! `cargo run -p kibitzer --example watch -- localhost`

use std::error::Error;

use kibitzer::hub::RecvError;
use kibitzer::{Client, Profile};

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "it is what the example is for")]
async fn main() -> Result<(), Box<dyn Error>> {
    let host = std::env::args().nth(1).ok_or("which server?")?;
    let profile = Profile::new("").environment()?.host(host);
    let builder = Client::builder(profile);
    let mut events = builder.subscribe();
    let client = builder.start().await?;
    loop {
        match events.recv().await {
            Ok(event) => println!("{:<14}{}", event.kind(), event.raw().escape_ascii()),
            Err(RecvError::Closed) => break,
            Err(slow) => println!("{slow}"),
        }
    }
    println!("{:?}", client.ended().await);
    client.shutdown().await;
    Ok(())
}
