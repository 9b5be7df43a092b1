use super::*;

#[tokio::test(start_paused = true)]
async fn a_timer_expires_no_later_than_its_deadline() {
    let start = time::Instant::now();
    let in_seconds = |seconds| Some((start + Duration::from_secs(seconds)).into_std());
    let mut timer = Timer::new();
    timer.set(in_seconds(5));
    timer.set(in_seconds(9));
    timer.wait_until_expired().await;
    assert_eq!(start.elapsed(), Duration::from_secs(5), "the earlier deadline remains");
    timer.set(in_seconds(9));
    timer.set(in_seconds(7));
    timer.wait_until_expired().await;
    assert_eq!(start.elapsed(), Duration::from_secs(7), "an earlier deadline replaces a later one");
    timer.set(in_seconds(9));
    timer.wait_until_expired().await;
    assert_eq!(start.elapsed(), Duration::from_secs(9));
}
