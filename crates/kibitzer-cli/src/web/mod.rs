//! `kibitzer web`: the session in a browser.
//!
//! | module | contents |
//! |---|---|
//! | `args` | arguments, and the choice of the source |
//! | `pump` | moves items from the source to the console's model and to the hub of the page |
//! | `answers` | answers the page |
//! | `playback` | plays the source if it is a recording |

mod answers;
mod args;
mod playback;
mod pump;

use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use kibitzer::Client;
use kibitzer_web::{Hub, SourceInfo, WebServer, request_channel};
use tokio::runtime::{Handle, Runtime};
use tokio::sync::oneshot;
use tokio::time::Instant;

pub(crate) use args::{Args, WebArgs};
use pump::Pump;

use crate::console::source::{ConsoleSource, LiveSession, SessionFeed};
use crate::failure::Failure;
use crate::live::{LineSender, StopArgs, StopSignal, report_recorded, wait_for_end};

/// A server of the page that listens already, on a runtime of its own: its requests do not delay the session.
pub(crate) struct PageServer {
    runtime: Runtime,
    server: WebServer,
    ending: StopArgs,
}

impl PageServer {
    /// Shows a session of this process until the stop signal, then shuts it down. Meanwhile another thread drives `runtime`: it runs
    /// `companion`, whose argument resolves at the signal.
    ///
    /// # Errors
    ///
    /// [`Failure`] of the page, the session or its recording.
    pub(crate) fn show_session(
        self,
        runtime: &Runtime,
        client: &Client,
        feed: SessionFeed,
        (kind, server): (&'static str, String),
        companion: impl AsyncFnOnce(oneshot::Receiver<()>) + Send,
    ) -> Result<(), Failure> {
        let sender = Some(LineSender::Own(client.clone()));
        let source = SourceInfo::new(kind, server.clone());
        let session = LiveSession::new(feed, sender, server.clone(), runtime.handle().clone(), Instant::now());
        let background = async move |closed| {
            companion(closed).await;
            client.shutdown().await;
        };
        let live = ConsoleSource::Live(Box::new(session));
        self.show_beside(live, source, |closed| runtime.block_on(background(closed)))?;
        runtime.block_on(wait_for_end(&server, client, Ok(()))).map(report_recorded)
    }

    /// Shows a session of the present runtime on a thread of its own, until the stop signal.
    fn spawn(self, client: &Client, feed: SessionFeed, source: SourceInfo) {
        let sender = Some(LineSender::Own(client.clone()));
        let session = LiveSession::new(feed, sender, source.name.clone(), Handle::current(), Instant::now());
        thread::spawn(move || self.show(ConsoleSource::Live(Box::new(session)), source));
    }

    /// Shows the source until the stop signal, while `background` runs on another thread. The receiver passed to it resolves at the
    /// signal. Returns its result; `None` if it panicked.
    fn show_beside<T: Send>(
        self,
        source: ConsoleSource,
        info: SourceInfo,
        background: impl FnOnce(oneshot::Receiver<()>) -> T + Send,
    ) -> Result<Option<T>, Failure> {
        let (close, closed) = oneshot::channel();
        thread::scope(|scope| {
            let background = scope.spawn(move || background(closed));
            let shown = self.show(source, info);
            drop(close);
            let outcome = background.join().ok();
            shown.map(|()| outcome)
        })
    }

    /// Shows the source until the stop signal.
    fn show(self, source: ConsoleSource, info: SourceInfo) -> Result<(), Failure> {
        let Self { runtime, server, ending } = self;
        let result = runtime.block_on(async {
            let mut ending: StopSignal = ending.begin()?;
            let hub = Hub::new(info, run_number());
            let (sender, requests) = request_channel();
            let pump = Pump::new(source, hub.clone(), requests);
            tokio::select! {
                () = server.serve(hub, sender) => Ok(()),
                pumped = pump.run() => pumped,
                () = ending.wait() => Ok(()),
            }
        });
        runtime.shutdown_background();
        result
    }
}

/// Returns a number that distinguishes this process from earlier ones: the milliseconds of the time of day, without the high bits.
fn run_number() -> u32 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u32::try_from(now.as_millis() % u128::from(u32::MAX)).unwrap_or_default()
}
