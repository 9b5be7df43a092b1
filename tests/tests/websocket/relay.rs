//! A server over WebSocket that cuts the embedded server's bytes into messages as a test requires.

use std::sync::{Arc, Mutex};

use futures_util::{SinkExt as _, StreamExt as _};
use kibitzer::Profile;
use kibitzer_server::ServerControl;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_websockets::{Message, ServerBuilder, WebSocketStream};

/// Everything that the relay sent and received.
#[derive(Debug, Default)]
pub(crate) struct Relayed {
    /// Bytes sent to the client.
    pub(crate) sent: Vec<u8>,
    /// Number of text messages among those sent.
    pub(crate) n_texts: usize,
    /// Messages received from the client.
    pub(crate) received: Vec<Vec<u8>>,
}

/// A relay for one connection.
pub(crate) struct Relay {
    port: u16,
    pub(crate) relayed: Arc<Mutex<Relayed>>,
    task: JoinHandle<()>,
}

impl Relay {
    /// Accepts one connection and relays it to a server, in messages of `size` bytes that are text where their bytes are UTF-8.
    pub(crate) async fn start(control: ServerControl, size: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let relayed = Arc::new(Mutex::new(Relayed::default()));
        let log = Arc::clone(&relayed);
        let task = tokio::spawn(async move {
            let stream = listener.accept().await.unwrap().0;
            let (_, messages) = ServerBuilder::new().accept(stream).await.unwrap();
            relay(messages, control, size, &log).await;
        });
        Self { port, relayed, task }
    }

    pub(crate) fn profile(&self) -> Profile {
        Profile::fics().url(&format!("ws://127.0.0.1:{}", self.port)).unwrap()
    }

    /// Waits until the connection is over, and returns everything that was relayed.
    pub(crate) async fn finish(self) -> Relayed {
        self.task.await.unwrap();
        std::mem::take(&mut *self.relayed.lock().unwrap())
    }
}

async fn relay(mut messages: WebSocketStream<TcpStream>, control: ServerControl, size: usize, log: &Mutex<Relayed>) {
    let mut server = control.connect().await.unwrap();
    let mut buffer = [0; 4096];
    loop {
        tokio::select! {
            n_read = server.read(&mut buffer) => {
                let n_read = n_read.unwrap();
                if n_read == 0 {
                    messages.close().await.unwrap();
                    return;
                }
                for piece in buffer[..n_read].chunks(size) {
                    let is_text = std::str::from_utf8(piece).is_ok();
                    let message = if is_text { Message::text } else { Message::binary }(piece.to_vec());
                    {
                        let mut log = log.lock().unwrap();
                        log.sent.extend_from_slice(piece);
                        log.n_texts += usize::from(is_text);
                    }
                    messages.feed(message).await.unwrap();
                    // Pings between the pieces of a line.
                    messages.feed(Message::ping("relay")).await.unwrap();
                }
                messages.flush().await.unwrap();
            }
            message = messages.next() => {
                let Some(Ok(message)) = message else { return };
                if message.is_binary() {
                    let payload = message.into_payload();
                    server.write_all(&payload).await.unwrap();
                    log.lock().unwrap().received.push(payload.to_vec());
                }
            }
        }
    }
}
