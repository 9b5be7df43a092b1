use super::*;

const LINE: MissedAmounts = MissedAmounts::SENT_LINE;

fn poll_needs_snapshot(watchers: &Watchers) -> bool {
    watchers.poll_needs_snapshot(Waker::noop())
}

fn line(text: &'static str) -> Bytes {
    Bytes::from_static(text.as_bytes())
}

#[test]
fn a_new_watcher_receives_a_snapshot_first_and_misses_nothing() {
    let watchers = Watchers::default();
    assert!(watchers.is_empty());
    let id = watchers.join(line("hello")).unwrap();
    watchers.send_or_count_missed(&line("early"), LINE);
    assert_eq!(watchers.try_next_line(id), NextLine::Line(line("hello")));
    assert_eq!(watchers.try_next_line(id), NextLine::NeedsSnapshot);
    assert!(poll_needs_snapshot(&watchers));
    watchers.send_snapshots(|missed| {
        assert_eq!(missed, MissedAmounts::default());
        line("now")
    });
    watchers.send_or_count_missed(&line("late"), LINE);
    assert_eq!(
        [watchers.try_next_line(id), watchers.try_next_line(id)],
        [NextLine::Line(line("now")), NextLine::Line(line("late"))]
    );
    assert_eq!(watchers.try_next_line(id), NextLine::Nothing);
}

#[test]
fn a_slow_watcher_keeps_a_bounded_queue_and_receives_its_losses() {
    let watchers = Watchers::default();
    let [slow, quick] = [(); 2].map(|()| watchers.join(line("hello")).unwrap());
    watchers.send_snapshots(|_| line("now"));
    let big = Bytes::from(vec![b'x'; 100_000]);
    for _ in 0..50 {
        watchers.send_or_count_missed(&big, MissedAmounts { received_bytes: 7, ..MissedAmounts::default() });
        while let NextLine::Line(_) = watchers.try_next_line(quick) {}
    }
    assert!(watchers.lock().watchers[0].n_unread_bytes <= QUEUE_BYTES);
    let n_kept =
        std::iter::from_fn(|| matches!(watchers.try_next_line(slow), NextLine::Line(_)).then_some(())).count() - 2;
    assert_eq!(n_kept, 10);
    watchers.send_or_count_missed(&big, MissedAmounts::NOTE);
    watchers.send_snapshots(|missed| {
        assert_eq!(missed, MissedAmounts { received_bytes: 40 * 7, sent_lines: 0, notes: 1 });
        line("now")
    });
    watchers.send_or_count_missed(&line("next"), LINE);
    assert_eq!(
        [watchers.try_next_line(slow), watchers.try_next_line(slow)],
        [NextLine::Line(line("now")), NextLine::Line(line("next"))]
    );
}

#[test]
fn the_number_of_watchers_is_limited_and_none_joins_after_the_end() {
    let watchers = Watchers::default();
    let ids: Vec<_> = (0..MAX_WATCHERS).map(|_| watchers.join(line("hello")).unwrap()).collect();
    assert_eq!(watchers.join(line("hello")), None);
    watchers.leave(ids[3]);
    let last = watchers.join(line("hello")).unwrap();
    assert_eq!(watchers.try_next_line(ids[3]), NextLine::Closed);
    watchers.close(&line("bye"));
    assert_eq!(
        [watchers.try_next_line(last), watchers.try_next_line(last)],
        [NextLine::Line(line("hello")), NextLine::Line(line("bye"))]
    );
    assert_eq!(watchers.try_next_line(last), NextLine::Closed);
    assert_eq!(watchers.join(line("hello")), None);
}

#[test]
fn a_watcher_that_sends_and_never_reads_receives_no_more_answers() {
    let watchers = Watchers::default();
    let id = watchers.join(line("hello")).unwrap();
    let answers = (0..).take_while(|_| watchers.try_queue_answer(id, Bytes::from(vec![b'x'; 1 << 20])));
    assert_eq!(answers.count(), 8);
}
