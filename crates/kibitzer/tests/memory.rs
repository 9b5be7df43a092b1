//! Memory of an idle session, and allocations of a busy one.

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
    assert!(each <= BUDGET_BYTES, "{each} bytes, with its end of a small pipe");
    drop(kept);
}

/// The boards and prompts of one read.
const BOARDS_PER_READ: usize = 60;

#[test]
fn a_session_that_is_read_in_time_allocates_nothing_per_board() {
    for is_lossless in [false, true] {
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let (client, mut peer) = runtime.block_on(async {
            let (mut listener, profile) = listen();
            listener.guest(profile).await
        });
        let mut events = if is_lossless { client.subscribe_lossless(256) } else { client.subscribe() };
        // Boards of 40 games, which keep their last one.
        let boards = (1..=40).map(|game| BOARD.replace("0 7 Newton", &format!("0 {game} Newton")) + "fics% ");
        let boards: Vec<_> = boards.cycle().take(BOARDS_PER_READ * 2).collect();
        let reads = boards.chunks(BOARDS_PER_READ).map(<[String]>::concat).collect::<Vec<_>>();
        let mut feed = |n_reads| {
            runtime.block_on(async {
                for read in reads.iter().cycle().take(n_reads) {
                    assert!(peer.try_say(read).await);
                    for _ in 0..BOARDS_PER_READ {
                        wait_for(&mut events, |event| event.board().map(drop)).await;
                    }
                }
            });
        };
        feed(20);
        let used = allocation_counter::measure(|| feed(100));
        println!("{} allocations for 100 reads", used.count_total);
        assert!(used.count_total <= 400, "{} allocations for 100 reads", used.count_total);
    }
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
