use tokio::io::{AsyncReadExt as _, duplex};

use super::*;
use crate::MissedAmounts;
use crate::wire::{Note, WireLine};

fn host() -> WatcherHost {
    let hello = Hello {
        version: VERSION,
        program: "test".to_owned(),
        server: "chess.example".to_owned(),
        access: AttachAccess::Read,
        utc: None,
    };
    WatcherHost { watchers: Arc::default(), client: WeakClient::default(), hello, began: Instant::now() }
}

#[tokio::test(start_paused = true)]
async fn a_watcher_that_reads_nothing_is_disconnected() {
    let (host, began) = (host(), Instant::now());
    let (ours, theirs) = duplex(16);
    let watchers = Arc::clone(&host.watchers);
    let serving = tokio::spawn(host.serve(ours));
    while watchers.is_empty() {
        tokio::task::yield_now().await;
    }
    watchers.send_snapshots(|_| Bytes::from_static(b"now\n"));
    watchers.send_or_count_missed(&Bytes::from_static(b"line\n"), MissedAmounts::SENT_LINE);
    serving.await.unwrap();
    assert!(watchers.is_empty());
    assert_eq!(began.elapsed(), READ_TIMEOUT + REFUSAL_TIMEOUT);
    drop(theirs);
}

#[tokio::test]
async fn a_watcher_that_disconnects_is_removed() {
    let host = host();
    let (ours, theirs) = duplex(1024);
    let watchers = Arc::clone(&host.watchers);
    drop(theirs);
    host.serve(ours).await;
    assert!(watchers.is_empty());
}

#[tokio::test]
async fn the_reason_follows_a_complete_line() {
    let (ours, mut theirs) = duplex(16);
    let serving = tokio::spawn(host().serve(ours));
    let mut text = vec![theirs.read_u8().await.unwrap()];
    theirs.write_all(b"nonsense\n").await.unwrap();
    theirs.read_to_end(&mut text).await.unwrap();
    serving.await.unwrap();
    let lines: Vec<_> = text.trim_ascii_end().split(|&byte| byte == b'\n').map(WireLine::parse).collect();
    let [Some(WireLine::Note(hello)), Some(WireLine::Note(bye))] = &lines[..] else {
        panic!("{}", text.escape_ascii())
    };
    assert!(matches!(hello, Note { kind: NoteKind::Hello(_), .. }), "{hello:?}");
    assert!(matches!(bye, Note { kind: NoteKind::Bye { .. }, .. }), "{bye:?}");
}

#[tokio::test(start_paused = true)]
async fn a_session_ends_while_no_watcher_can_be_accepted() {
    let (host, began) = (host(), Instant::now());
    let watchers = Arc::clone(&host.watchers);
    let running = tokio::spawn(host.accept_until_session_ends(async || Err(io::ErrorKind::QuotaExceeded.into())));
    tokio::time::sleep(ACCEPT_RETRY / 2).await;
    watchers.close(&Bytes::new());
    running.await.unwrap();
    assert_eq!(began.elapsed(), ACCEPT_RETRY / 2);
}
