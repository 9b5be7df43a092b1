//! One event to 1, 8, 64 and 1,000 subscribers, against a bare `tokio::sync::broadcast` of the same event.
//!
//! A burst is published in one step, as a session publishes the events of one read.
//!
//! `cargo bench -p kibitzer-core --bench hub`. Both run in turn in one process; the ratio is the result.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark fails loudly and prints its result")]

use std::future::Future;
use std::time::{Duration, Instant};

use kibitzer_core::EventReader;
use kibitzer_core::game::Games;
use kibitzer_core::hub::{HubPublisher, SharedEvent};
use kibitzer_core::session::SessionCounters;
use tokio::runtime::Builder;
use tokio::sync::broadcast;
use tokio::task::{JoinSet, yield_now};

const KEPT_EVENTS: usize = 1024;
const ROUNDS: usize = 25;

/// Numbers of subscribers, each with the budgets of the ratio: read in bursts, and in tasks that wait.
const BUDGETS: [(usize, f64, f64); 4] = [(1, 0.5, 0.9), (8, 0.25, 0.8), (64, 0.2, 0.7), (1000, 0.2, 0.7)];

fn main() {
    println!("{:<42} {:>10} {:>10} {:>7}  budget", "ns per event", "hub", "broadcast", "ratio");
    for (subscribers, in_bursts, waiting) in BUDGETS {
        for (name, burst, most) in [("each read at once", 1, None), ("read in bursts of 100", 100, Some(in_bursts))] {
            let events = 100_000 / subscribers / burst * burst;
            let hub = move || hub_ready(subscribers, burst, events);
            let bare = move || bare_ready(subscribers, burst, events);
            compare(&format!("{subscribers} subscribers, {name}"), most, events, hub, bare);
        }
        let events = 40_000 / subscribers;
        let (hub, bare) = (move || hub_waiting(subscribers, events), move || bare_waiting(subscribers, events));
        compare(&format!("{subscribers} subscribers, tasks that wait"), Some(waiting), events, hub, bare);
    }
}

/// Measures both in turn; prints the best time of each, the median of the ratios, and whether it is `most` or less.
fn compare<H, B>(name: &str, most: Option<f64>, events: usize, hub: impl Fn() -> H, bare: impl Fn() -> B)
where
    H: Future<Output = Duration>,
    B: Future<Output = Duration>,
{
    let runtime = Builder::new_current_thread().build().unwrap();
    let mut rounds: Vec<_> = (0..ROUNDS).map(|_| (runtime.block_on(hub()), runtime.block_on(bare()))).collect();
    let per_event =
        |time: Option<Duration>| time.unwrap().as_secs_f64() * 1e9 / f64::from(u32::try_from(events).unwrap());
    let best_hub = per_event(rounds.iter().map(|round| round.0).min());
    let best_bare = per_event(rounds.iter().map(|round| round.1).min());
    let ratio = |round: &(Duration, Duration)| round.0.as_secs_f64() / round.1.as_secs_f64();
    rounds.sort_by(|a, b| ratio(a).total_cmp(&ratio(b)));
    let median = rounds.get(ROUNDS / 2).map(ratio).unwrap();
    let mark = |most| if median <= most { "pass" } else { "FAIL" };
    let verdict = most.map_or(String::new(), |most| format!("{}: <= {most}", mark(most)));
    println!("{name:<42} {best_hub:>10.1} {best_bare:>10.1} {median:>7.2}  {verdict}");
}

fn event() -> SharedEvent {
    let mut reader = EventReader::default();
    reader.next(&mut &b"Foo shouts: hello\n\r"[..]).map(SharedEvent::from).unwrap()
}

/// Returns the time to publish events in bursts to subscribers of the hub that read each burst at once.
async fn hub_ready(subscribers: usize, burst: usize, events: usize) -> Duration {
    let (event, games, counters) = (event(), Games::default(), SessionCounters::default());
    let mut publisher = HubPublisher::new(KEPT_EVENTS);
    let mut batch = Vec::new();
    let mut subscriptions: Vec<_> = (0..subscribers).map(|_| publisher.hub().subscribe()).collect();
    let start = Instant::now();
    for _ in 0..events / burst {
        batch.clear();
        batch.extend(std::iter::repeat_n(&*event, burst).cloned());
        publisher.publish_batch(&mut batch, &games, &counters);
        for subscription in &mut subscriptions {
            for _ in 0..burst {
                subscription.recv().await.unwrap();
            }
        }
    }
    start.elapsed()
}

/// Does the same as [`hub_ready`] with a broadcast channel.
async fn bare_ready(subscribers: usize, burst: usize, events: usize) -> Duration {
    let event = event();
    let sender = broadcast::Sender::new(KEPT_EVENTS);
    let mut receivers: Vec<_> = (0..subscribers).map(|_| sender.subscribe()).collect();
    let start = Instant::now();
    for _ in 0..events / burst {
        for _ in 0..burst {
            sender.send(event.clone()).unwrap();
        }
        for receiver in &mut receivers {
            for _ in 0..burst {
                receiver.recv().await.unwrap();
            }
        }
    }
    start.elapsed()
}

/// Returns the time to publish events to subscribers of the hub that wait for each event in tasks of their own.
async fn hub_waiting(subscribers: usize, events: usize) -> Duration {
    let (event, games) = (event(), Games::default());
    let mut publisher = HubPublisher::new(KEPT_EVENTS);
    let mut tasks = JoinSet::new();
    for _ in 0..subscribers {
        let mut subscription = publisher.hub().subscribe();
        tasks.spawn(async move { while subscription.recv().await.is_ok() {} });
    }
    yield_now().await;
    let start = Instant::now();
    for _ in 0..events {
        publisher.publish(event.clone(), &games).await;
        yield_now().await;
    }
    drop(publisher);
    tasks.join_all().await;
    start.elapsed()
}

/// Does the same as [`hub_waiting`] with a broadcast channel.
async fn bare_waiting(subscribers: usize, events: usize) -> Duration {
    let event = event();
    let sender = broadcast::Sender::new(KEPT_EVENTS);
    let mut tasks = JoinSet::new();
    for _ in 0..subscribers {
        let mut receiver = sender.subscribe();
        tasks.spawn(async move { while receiver.recv().await.is_ok() {} });
    }
    yield_now().await;
    let start = Instant::now();
    for _ in 0..events {
        sender.send(event.clone()).unwrap();
        yield_now().await;
    }
    drop(sender);
    tasks.join_all().await;
    start.elapsed()
}
