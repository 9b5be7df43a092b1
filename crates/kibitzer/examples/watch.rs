//! Watches a server: logs in as a guest, observes one game and prints its moves as they are played.
//!
//! `cargo run -p kibitzer --example watch -- localhost:5000 17`

use std::error::Error;

use kibitzer::ConnectOptions;
use kibitzer::core::Event;
use kibitzer::core::hub::{HubOptions, Publisher};
use kibitzer::core::message::Message;

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "it is what the example is for")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (server, game) = (args.next().ok_or("which server?")?, args.next().ok_or("which game?")?);
    let (host, port) = server.split_once(':').ok_or("host:port")?;

    let publisher = Publisher::new(HubOptions::default());
    let mut events = publisher.hub().subscribe_lossless(256);
    let (mut lines, _reading) = kibitzer::connect(&ConnectOptions::new(host, port.parse()?), publisher).await?;
    let mut observing = false;
    while let Ok(event) = events.next().await {
        match event.message() {
            Some(Message::LoginPrompt) => lines.send("guest").await?,
            Some(Message::GuestPrompt(_)) => lines.send("").await?,
            Some(Message::Prompt) if !observing => {
                observing = true;
                lines.send("set style 12").await?;
                lines.send(&format!("observe {game}")).await?;
            }
            Some(Message::Style12(board)) => {
                let san = board.last_move.as_ref().map_or("", |last| last.san.as_str());
                println!("{san:<8}{}", board.fen());
            }
            _ => {}
        }
        if let Event::Desync(desync) = &*event {
            println!("{}", desync.reason);
        }
    }
    Ok(())
}
