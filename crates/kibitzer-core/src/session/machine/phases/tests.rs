use proptest::prelude::{prop_assert, proptest};

use super::*;

fn delays(options: &Reconnect, seed: u64, n: usize) -> Vec<Duration> {
    let (mut backoff, mut rng) = (Backoff::default(), Rng::with_seed(seed));
    let now = Instant::now();
    (0..n).map_while(|_| backoff.next_delay(options, &mut rng, now)).collect()
}

#[test]
fn delays_double_up_to_the_cap() {
    let seconds = [1, 2, 4, 8, 16, 32, 60, 60];
    for (delay, full) in delays(&Reconnect::default(), 3, 8).into_iter().zip(seconds.map(Duration::from_secs)) {
        assert!(full / 2 <= delay && delay < full, "{delay:?} of {full:?}");
    }
}

#[test]
fn delays_depend_on_the_seed_alone() {
    let options = Reconnect::default();
    assert_eq!(delays(&options, 3, 9), delays(&options, 3, 9));
    assert_ne!(delays(&options, 3, 9), delays(&options, 4, 9));
}

#[test]
fn a_stable_session_resets_delays_and_the_limit_ends_them() {
    let (mut backoff, mut rng) = (Backoff::default(), Rng::with_seed(1));
    let options = Reconnect::default().attempts(Some(2));
    let start = Instant::now();
    let almost = start + options.stable_after.saturating_sub(Duration::from_millis(1));
    assert!(backoff.next_delay(&options, &mut rng, start).is_some());
    assert!(backoff.next_delay(&options, &mut rng, start).is_some());
    assert_eq!((backoff.next_delay(&options, &mut rng, start), backoff.attempts), (None, 2));
    backoff.note_ready(start);
    assert_eq!(backoff.next_delay(&options, &mut rng, almost), None);
    backoff.note_ready(start);
    let delay = backoff.next_delay(&options, &mut rng, start + options.stable_after);
    assert!(delay.unwrap() < Duration::from_secs(1));
}

proptest! {
    #[test]
    fn no_delay_exceeds_the_maximum(base in 0_u64..10_000, cap in 0_u64..100_000, n in 1_usize..100, seed: u64) {
        let options = Reconnect::default().base(Duration::from_millis(base)).cap(Duration::from_millis(cap));
        prop_assert!(delays(&options, seed, n).iter().all(|delay| *delay <= Duration::from_millis(cap)));
    }
}
