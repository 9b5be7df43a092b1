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
        reason = client.ended() => println!("{reason:?}"),
        recording = client.recording_failed() => println!("recording failed: {:?}", recording.error),
        interrupted = tokio::signal::ctrl_c() => interrupted?,
    }
    client.shutdown().await;
    if let Some(recording) = client.recording() {
        println!("{} pieces recorded, {} bytes", recording.pieces, recording.bytes);
    }
    match client.counters().unrecorded_pieces {
        0 => Ok(()),
        missing => Err(format!("up to {missing} pieces are missing in the recording").into()),
    }
}
