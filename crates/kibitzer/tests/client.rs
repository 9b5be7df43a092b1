//! A client against a scripted server, in virtual time.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails loudly")]

mod common;

use common::*;
use kibitzer::Client;
use kibitzer::core::Event;
use kibitzer::core::message::Message;
use kibitzer::core::session::{EndReason, State};

#[tokio::test(start_paused = true)]
async fn a_guest_connects_and_asks() {
    let (mut listener, profile) = listen();
    let (client, mut peer) = listener.guest(profile).await;
    assert_eq!(client.state(), State::Ready);
    assert_eq!(client.handle().unwrap().as_str(), "GuestPUPE");
    assert!(client.capabilities().block() && client.capabilities().ms());
    let reply = peer.serving(client.request("finger Newton")).await.unwrap();
    assert_eq!(reply.text(), "Finger of Newton:\n\n");
    assert_eq!(peer.heard, ["finger Newton"]);
    client.shutdown().await;
    peer.hung_up().await;
    assert_eq!(client.state(), State::Ended(EndReason::ShutDown));
}
