//! Records a session until Ctrl-C: all that both sides send, without names and passwords of the login.
//!
//! `cargo run -p kibitzer --example record -- localhost session.jsonl`

use std::error::Error;

use kibitzer::{Client, Profile};

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "it is what the example is for")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (host, path) = (args.next().ok_or("which server?")?, args.next().ok_or("which file?")?);
    let client = Client::connect(Profile::new("").environment()?.host(host).record_file(path)).await?;
    tokio::select! {
        reason = client.ended() => println!("{reason}"),
        interrupted = tokio::signal::ctrl_c() => interrupted?,
    }
    client.shutdown().await;
    let counters = client.counters();
    println!("{} bytes received, {} sent", counters.session.bytes_received, counters.session.bytes_sent);
    if counters.unrecorded_pieces > 0 {
        println!("{} pieces are missing in the recording", counters.unrecorded_pieces);
    }
    Ok(())
}
