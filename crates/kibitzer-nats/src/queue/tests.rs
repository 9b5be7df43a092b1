use super::*;

#[tokio::test]
async fn a_spill_file_contains_all_that_is_not_stored_and_little_else() {
    let path = std::env::temp_dir().join(format!("kibitzer-queue-{}.spill", std::process::id()));
    let (session, policy) =
        (SessionName::new("a").unwrap(), WhenUnreachable::Spill { path: path.clone(), max_bytes: 8 << 20 });
    let queue = EventQueue::new(&session, &policy, 8 << 20, 1 << 20).unwrap();
    let line = |n: u64| format!(r#"{{"event":"text","offset":{n},"text":"{}"}}"#, "x".repeat(1_000));
    // The server is never quite done, so that the queue is never empty.
    for n in 0..5_000 {
        let position = Position { epoch: 0, offset: n, n: 0 };
        queue.push_by_policy(QueuedEvent { position, line: line(n).into() }).await;
        if n >= 10 {
            queue.remove_oldest(1);
        }
        assert!(std::fs::metadata(&path).unwrap().len() < STALE_FILE_BYTES + 3_000, "{n}");
    }
    drop(queue);
    let left = EventQueue::new(&session, &policy, 8 << 20, 1 << 20).unwrap();
    let mut found = Vec::new();
    left.close();
    while let Some(events) = left.wait_and_peek_batch().await.unwrap() {
        left.remove_oldest(events.len());
        found.extend(events.into_iter().map(|event| event.position.offset));
    }
    std::fs::remove_file(path).unwrap();
    let first = *found.first().unwrap();
    assert!(first <= 4_990 && found == (first..5_000).collect::<Vec<_>>(), "{found:?}");
}

fn event(n: u64) -> QueuedEvent {
    let line = format!(r#"{{"event":"text","offset":{n},"text":"{}"}}"#, "x".repeat(1_000));
    QueuedEvent { position: Position { epoch: 0, offset: n, n: 0 }, line: line.into() }
}

fn spill_queue(name: &str, file_bytes: u64, memory_bytes: usize) -> (PathBuf, EventQueue) {
    let path = std::env::temp_dir().join(format!("kibitzer-queue-{name}-{}.spill", std::process::id()));
    let policy = WhenUnreachable::Spill { path: path.clone(), max_bytes: file_bytes };
    (path, EventQueue::new(&SessionName::new("a").unwrap(), &policy, memory_bytes, 1 << 20).unwrap())
}

#[tokio::test]
async fn a_report_of_dropped_events_that_the_file_cannot_take_stays_in_memory() {
    let (path, queue) = spill_queue("full", 0, 2_500);
    queue.push_by_policy(event(0)).await;
    let report = queue.wait_and_peek_batch().await.unwrap().unwrap();
    assert!(report.len() == 1 && report[0].line.starts_with(br#"{"event":"dropped""#), "{report:?}");
    assert!(!queue.count_unstored().are_all_in_file);
    std::fs::remove_file(path).unwrap();
}

#[tokio::test]
async fn a_steady_backlog_never_fills_the_spill_file() {
    let (path, queue) = spill_queue("backlog", 2 << 20, 8 << 20);
    for n in 0..5_000 {
        queue.push_by_policy(event(n)).await;
        if n >= 200 {
            queue.remove_oldest(1);
        }
        let unstored = queue.count_unstored();
        assert!(unstored.are_all_in_file && unstored.count == 200.min(n + 1), "{n}");
    }
    std::fs::remove_file(path).unwrap();
}

#[tokio::test]
async fn events_that_the_disk_cannot_take_are_kept_in_memory_until_they_are_stored() {
    let (path, queue) = spill_queue("disk", 1 << 20, 8_000);
    let set_writable = |is_writable| queue.lock().spill.as_mut().unwrap().set_writable(is_writable).unwrap();
    let left = || std::fs::read_to_string(&path).unwrap().lines().count() - 1;
    queue.push_by_policy(event(0)).await;
    assert!(queue.count_unstored().are_all_in_file);
    set_writable(false);
    for n in 1..5 {
        queue.push_by_policy(event(n)).await;
    }
    assert!(!queue.count_unstored().are_all_in_file);
    // The file of a disk with room again would lack the events in memory.
    set_writable(true);
    queue.push_by_policy(event(5)).await;
    let stored = queue.wait_and_peek_batch().await.unwrap().unwrap();
    assert_eq!(stored.iter().map(|event| event.position.offset).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
    queue.remove_oldest(6);
    queue.push_by_policy(event(6)).await;
    let unstored = queue.count_unstored();
    assert!(unstored.count == 1 && unstored.are_all_in_file);
    assert!(left() >= 1);
    // Without room in memory, new events are dropped and reported.
    set_writable(false);
    for n in 7..20 {
        queue.push_by_policy(event(n)).await;
    }
    assert!(queue.lock().dropped.is_some_and(|range| range.last.offset == 19 && range.first.offset > 10));
    std::fs::remove_file(path).unwrap();
}
