//! The server's end.

use std::future::Future;
use std::net::{self, Ipv4Addr};
use std::sync::Arc;
use std::thread;

use tokio::net::{TcpListener, TcpStream};

use crate::common::Peer;
use crate::runtime;

/// The command that brings the stream.
pub(crate) const BOARDS: &str = "finger boards";

/// Serves on a thread of its own, as long as the program runs. Returns the port.
pub(crate) fn start<F: Future<Output = ()>>(serve: impl FnOnce(TcpListener) -> F + Send + 'static) -> u16 {
    let (port, listener) = listen();
    thread::spawn(move || runtime().block_on(async { serve(TcpListener::from_std(listener).unwrap()).await }));
    port
}

/// A port of the loopback address.
pub(crate) fn listen() -> (u16, net::TcpListener) {
    let listener = net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.set_nonblocking(true).unwrap();
    (listener.local_addr().unwrap().port(), listener)
}

pub(crate) async fn accept(listener: &TcpListener) -> Peer<TcpStream> {
    let (socket, _) = listener.accept().await.unwrap();
    socket.set_nodelay(true).unwrap();
    Peer::new(socket)
}

/// Lets everybody in, answers commands, and sends the stream to who asks for it.
pub(crate) async fn sessions(listener: TcpListener, stream: Arc<[u8]>) {
    loop {
        let (peer, stream) = (accept(&listener).await, Arc::clone(&stream));
        tokio::spawn(async move {
            let mut peer = peer;
            peer.log_in().await;
            while serve_until_boards(&mut peer).await {
                peer.say(&stream).await;
            }
        });
    }
}

/// Sends the stream for every line that comes, and nothing else.
pub(crate) async fn bare(listener: TcpListener, stream: Arc<[u8]>) {
    loop {
        let (peer, stream) = (accept(&listener).await, Arc::clone(&stream));
        tokio::spawn(async move {
            let mut peer = peer;
            while peer.next_line().await.is_some() {
                peer.say(&stream).await;
            }
        });
    }
}

/// Answers commands until one asks for boards; `false` if the client has hung up instead.
pub(crate) async fn serve_until_boards(peer: &mut Peer<TcpStream>) -> bool {
    while let Some(line) = peer.next_line().await {
        peer.answer(&line).await;
        peer.heard.clear();
        if line.ends_with(BOARDS) {
            return true;
        }
    }
    false
}
