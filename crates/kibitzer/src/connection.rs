//! A live connection: a task that reads, and a writer of lines.

use std::io;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use thiserror::Error;
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedReadHalf;
use tokio::task::{JoinHandle, coop};
use tokio::time::timeout;
use tokio_util::codec::FramedRead;

use crate::core::Event;
use crate::core::game::Games;
use crate::core::hub::Publisher;
use crate::decoder::EventDecoder;
use crate::options::ConnectOptions;
use crate::writer::LineWriter;

/// Bytes read at once. The framer keeps what is unfinished, so lines may be longer; an idle session keeps this much.
const READ_BYTES: usize = 4096;

/// Why there is no connection.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// It took too long.
    #[error("no connection within {0:?}")]
    TimedOut(Duration),
    /// The name is not known, or nobody answers there.
    #[error("no connection")]
    Unreachable(#[source] io::Error),
}

/// The connection broke off. When the server just closes it, that is no error.
#[derive(Debug, Error)]
#[error("connection lost")]
pub struct ConnectionLost(#[source] io::Error);

/// Connects to a server and publishes all it says, until it closes the connection.
///
/// Nothing is answered: the caller logs in. Who subscribes to the publisher's hub before this call misses nothing. The
/// task that reads belongs to the [`ReadTask`]; it needs a tokio runtime with I/O and time. Every subscription ends with it.
///
/// ```no_run
/// use kibitzer::ConnectOptions;
/// use kibitzer::core::hub::{HubOptions, Publisher};
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let publisher = Publisher::new(HubOptions::default());
/// let mut subscription = publisher.hub().subscribe_lossless(64);
/// let (mut lines, reading) = kibitzer::connect(&ConnectOptions::new("localhost", 5000), publisher).await?;
/// lines.send("guest").await?;
/// while let Ok(event) = subscription.next().await {
///     println!("{}", event.raw().escape_ascii());
/// }
/// reading.ended().await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`ConnectError`] says why there is no connection; the publisher is gone with it, which ends its subscriptions.
///
/// # Cancel safety
///
/// Dropping the future before it is ready gives the connection up, and the publisher with it.
pub async fn connect(options: &ConnectOptions, publisher: Publisher) -> Result<(LineWriter, ReadTask), ConnectError> {
    let (read, write) = open(options).await?.into_split();
    let events = FramedRead::with_capacity(read, EventDecoder::new(options.events()), READ_BYTES);
    let task = tokio::spawn(Reading { events, publisher }.run());
    Ok((LineWriter::new(write, options.write_timeout), ReadTask { task }))
}

/// Opens the socket. Lines are short and wait for their answer, so none is held back to fill a packet.
///
/// # Cancel safety
///
/// Dropping the future before it is ready gives the connection up.
async fn open(options: &ConnectOptions) -> Result<TcpStream, ConnectError> {
    let connecting = TcpStream::connect((options.host(), options.port()));
    let stream = timeout(options.connect_timeout, connecting)
        .await
        .map_err(|_| ConnectError::TimedOut(options.connect_timeout))?
        .map_err(ConnectError::Unreachable)?;
    stream.set_nodelay(true).map_err(ConnectError::Unreachable)?;
    Ok(stream)
}

/// The task that reads what the server says. Dropping this ends it.
#[derive(Debug)]
pub struct ReadTask {
    task: JoinHandle<io::Result<()>>,
}

impl ReadTask {
    /// Waits until the server has closed the connection.
    ///
    /// By then everything it said was published, but see [`subscribe_lossless`](crate::core::hub::Hub::subscribe_lossless):
    /// the task waits for subscribers who asked for that.
    ///
    /// # Errors
    ///
    /// [`ConnectionLost`] if the connection broke off instead. What had come until then was published.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future before it is ready ends the task, as dropping the [`ReadTask`] does.
    pub async fn ended(mut self) -> Result<(), ConnectionLost> {
        match (&mut self.task).await {
            Ok(result) => result.map_err(ConnectionLost),
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(_canceled) => Ok(()),
            },
        }
    }

    /// Ends the task, and returns when it has ended. What was read and not published is dropped.
    ///
    /// # Cancel safety
    ///
    /// The task ends even if the future is dropped.
    pub async fn stop(mut self) {
        self.task.abort();
        // How it ended no longer matters.
        drop((&mut self.task).await);
    }
}

impl Drop for ReadTask {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What the task has.
#[derive(Debug)]
struct Reading {
    events: FramedRead<OwnedReadHalf, EventDecoder>,
    publisher: Publisher,
}

impl Reading {
    /// Publishes until the connection ends.
    ///
    /// # Cancel safety
    ///
    /// What was read and not published is lost.
    async fn run(mut self) -> io::Result<()> {
        loop {
            tokio::select! {
                biased;
                event = self.events.next() => match event {
                    Some(Ok(event)) => self.publish(event).await,
                    Some(Err(error)) => {
                        self.publish_rest().await;
                        return Err(error);
                    }
                    None => return Ok(()),
                },
                () = self.publisher.newcomers() => self.publisher.admit(games(&self.events)),
            }
        }
    }

    /// Publishes an event, with the games as they stand after it.
    ///
    /// # Cancel safety
    ///
    /// The event is lost.
    async fn publish(&mut self, event: Event) {
        self.publisher.publish(Arc::new(event), games(&self.events)).await;
        // A full read buffer is many events at once; now and then the subscribers on this thread want their turn.
        coop::consume_budget().await;
    }

    /// Publishes the line the connection broke off in; after an error `FramedRead` does not ask for it.
    ///
    /// # Cancel safety
    ///
    /// What was not published is lost.
    async fn publish_rest(&mut self) {
        while let Some(event) = self.events.decoder_mut().events_mut().finish() {
            self.publish(event).await;
        }
    }
}

fn games(events: &FramedRead<OwnedReadHalf, EventDecoder>) -> &Games {
    events.decoder().events().games()
}
