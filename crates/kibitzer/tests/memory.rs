//! Memory of an idle session.

use crate::common::*;
use futures_util::FutureExt as _;
use futures_util::future::join_all;
use kibitzer_core::session::SessionState;
use tokio::runtime::Builder;
use tokio::time::sleep;

/// Most bytes that an idle session may allocate. The budget of 6 KiB of resident memory in `docs/performance.md` also covers
/// the runtime's registration of a socket, and memory that the allocator cannot return.
const BUDGET_BYTES: i64 = 5 << 10;
const SESSIONS: usize = 50;

#[test]
fn an_idle_session_stays_within_its_budget() {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    // The first sessions allocate what all share.
    drop(runtime.block_on(idle_sessions(2)));
    let mut kept = None;
    let used = allocation_counter::measure(|| kept = Some(runtime.block_on(idle_sessions(SESSIONS))));
    let each = used.bytes_current / i64::try_from(SESSIONS).unwrap();
    println!("{each} bytes");
    assert!(each < BUDGET_BYTES, "{each} bytes, with its end of a small pipe");
    drop(kept);
}

/// Returns sessions after five idle minutes with probes. Each has a subscriber that has read every event.
async fn idle_sessions(n_sessions: usize) -> impl Sized {
    let (mut listener, profile) = listen_with(64);
    let (mut clients, mut peers) = (Vec::with_capacity(n_sessions), Vec::with_capacity(n_sessions));
    for _ in 0..n_sessions {
        let (client, peer) = listener.guest(profile.clone()).await;
        clients.push((client.subscribe(), client));
        peers.push(peer);
    }
    join_all(peers.iter_mut().map(|peer| peer.serving(sleep(seconds(300))))).await;
    for peer in &mut peers {
        // A waker in the pipe would keep the memory of a future that is over.
        assert_eq!(peer.next_line().now_or_never(), None);
    }
    for (events, client) in &mut clients {
        assert_eq!(client.state(), SessionState::Ready);
        while events.try_recv().unwrap().is_some() {}
    }
    (clients, peers.into_iter().map(Peer::into_socket).collect::<Vec<_>>())
}
