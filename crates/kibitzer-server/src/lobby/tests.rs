use super::*;

#[test]
fn items_are_taken_in_the_order_of_their_last_due_time() {
    let start = Instant::now();
    let at = |seconds| start + Duration::from_secs(seconds);
    let mut schedule = Schedule::default();
    schedule.set('a', at(1));
    schedule.set('b', at(2));
    schedule.set('c', at(3));
    schedule.set('a', at(4));
    schedule.cancel('c');
    assert_eq!(schedule.next_time(), Some(at(2)));
    assert_eq!(schedule.take_due(at(1)), None);
    assert_eq!(schedule.take_due(at(9)), Some('b'));
    assert_eq!(schedule.take_due(at(9)), Some('a'));
    assert_eq!((schedule.take_due(at(9)), schedule.next_time()), (None, None));
}
