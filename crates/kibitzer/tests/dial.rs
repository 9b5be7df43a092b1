//! Connections over real sockets, where the socket is what matters.

use std::error::Error as _;
use std::io;
use std::net::SocketAddr;

use kibitzer::{Client, ConnectError, Profile};
use kibitzer_core::Event;
use kibitzer_core::event::{CloseCause, DialError, LoginError, LostCause, SessionEndReason};
use kibitzer_core::hub::Subscription;
use kibitzer_core::session::Reconnect;
use kibitzer_core::text::error_chain;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Duration;
#[cfg(target_os = "linux")]
use tokio::{net::TcpSocket, task::JoinSet};

/// A port nobody listens at: it was free a moment ago, and nobody was told of it.
async fn closed_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port()
}

async fn listen(address: &str) -> io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind((address, 0)).await?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

async fn say(socket: &mut BufReader<TcpStream>, text: &str) {
    socket.get_mut().write_all(text.as_bytes()).await.unwrap();
}

async fn line(socket: &mut BufReader<TcpStream>) -> String {
    let mut line = String::new();
    socket.read_line(&mut line).await.unwrap();
    line
}

/// Lets a guest in and answers what the set-up asks.
async fn log_in(socket: &mut BufReader<TcpStream>) {
    say(socket, "login: ").await;
    assert!(line(socket).await.starts_with("%b"));
    say(socket, "\n\r#Ivars set.\n\r\n\rlogin: ").await;
    assert_eq!(line(socket).await, "guest\n");
    say(socket, "\n\rPress return to enter the server as \"GuestPUPE\": ").await;
    assert_eq!(line(socket).await, "\n");
    say(socket, "\n\r**** Starting FICS session as GuestPUPE(U) ****\n\r\n\rfics% ").await;
}

async fn serve(socket: &mut BufReader<TcpStream>) {
    loop {
        let line = line(socket).await;
        let number = line.split_once(' ').and_then(|(number, _)| number.parse().ok()).unwrap_or(0);
        let code = if number == 0 { 519 } else { 56 };
        say(socket, &format!("\x15{number}\x16{code}\x16set.\n\r\x17\n\rfics% ")).await;
    }
}

/// A client that is ready, and its server's end.
async fn connected(listener: TcpListener, profile: Profile) -> (Client, Subscription, BufReader<TcpStream>) {
    let accepting = async {
        let mut socket = BufReader::new(listener.accept().await.unwrap().0);
        log_in(&mut socket).await;
        socket
    };
    let builder = Client::builder(profile);
    let events = builder.subscribe_lossless(1000);
    let (client, mut socket) = tokio::join!(builder.start(), accepting);
    let client = client.unwrap();
    tokio::select! { ready = client.ready() => ready.unwrap(), () = serve(&mut socket) => {} }
    (client, events, socket)
}

#[tokio::test]
async fn the_next_port_is_tried() {
    let (listener, address) = listen("127.0.0.1").await.unwrap();
    let profile = Profile::new("127.0.0.1").ports([closed_port().await, address.port()]);
    let (client, ..) = connected(listener, profile).await;
    client.shutdown().await;
}

#[tokio::test]
async fn every_address_of_a_name_is_tried() {
    // Where the name has an IPv6 address as well, it comes first, and nobody listens there.
    let (listener, address) = listen("127.0.0.1").await.unwrap();
    let (client, ..) = connected(listener, Profile::new("localhost").ports([address.port()])).await;
    client.shutdown().await;
}

#[tokio::test]
async fn an_ipv6_address_will_do() {
    let Ok((listener, address)) = listen("::1").await else {
        println!("no IPv6 here");
        return;
    };
    let (client, ..) = connected(listener, Profile::new("::1").ports([address.port()])).await;
    client.shutdown().await;
}

#[tokio::test]
async fn refused_connections_at_all_ports_are_an_error() {
    let profile = Profile::new("127.0.0.1").ports([closed_port().await, closed_port().await]);
    let error = Client::connect(profile).await.unwrap_err();
    assert!(matches!(error, ConnectError::Dial(DialError::Failed(io::ErrorKind::ConnectionRefused))), "{error:?}");
}

#[tokio::test]
async fn an_empty_list_of_ports_is_an_error() {
    let error = Client::connect(Profile::new("127.0.0.1").ports([])).await.unwrap_err();
    assert!(matches!(error, ConnectError::Dial(DialError::Failed(_))), "{error:?}");
}

#[tokio::test]
async fn an_invalid_host_name_is_unknown() {
    // A label may not be longer than 63 bytes, so nobody is asked.
    let error = Client::connect(Profile::new("x".repeat(64))).await.unwrap_err();
    assert!(matches!(error, ConnectError::Dial(DialError::UnknownHost)), "{error:?}");
}

/// Linux leaves a connection unanswered if the listener's queue is full; it takes one more than asked for.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_connect_timeout_applies_to_each_port() {
    async fn full() -> (TcpListener, [TcpStream; 2], u16) {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let listener = socket.listen(1).unwrap();
        let address = listener.local_addr().unwrap();
        let queue = [TcpStream::connect(address).await.unwrap(), TcpStream::connect(address).await.unwrap()];
        (listener, queue, address.port())
    }
    let (first, second) = (full().await, full().await);
    tokio::time::pause();
    let start = tokio::time::Instant::now();
    let profile = Profile::new("127.0.0.1").ports([first.2, second.2]).connect_timeout(Duration::from_secs(7));
    let error = Client::connect(profile).await.unwrap_err();
    assert!(matches!(error, ConnectError::Dial(DialError::TimedOut)), "{error:?}");
    assert_eq!(start.elapsed().as_secs(), 14);
}

/// The system completed the first connection, and the server never heard of it.
#[tokio::test]
async fn a_silent_connection_is_made_again_beside_the_first() {
    for is_first_heard in [false, true] {
        let (listener, address) = listen("127.0.0.1").await.unwrap();
        let profile = Profile::new("127.0.0.1").ports([address.port()]).connect_timeout(Duration::from_secs(2));
        let accepting = async {
            let mut first = BufReader::new(listener.accept().await.unwrap().0);
            let mut second = BufReader::new(listener.accept().await.unwrap().0);
            let used = if is_first_heard { &mut first } else { &mut second };
            log_in(used).await;
            serve(used).await;
        };
        tokio::select! {
            client = Client::connect(profile) => drop(client.unwrap().shutdown().await),
            () = accepting => {}
        }
    }
}

/// A queue of five connections overflows when two hundred come at once.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn two_hundred_sessions_that_start_at_once_reach_a_server_with_a_short_queue() {
    for queue in [5, 50] {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let listener = socket.listen(queue).unwrap();
        let profile = Profile::new("127.0.0.1").ports([listener.local_addr().unwrap().port()]);
        let profile = profile.connect_timeout(Duration::from_secs(30));
        let mut clients = JoinSet::new();
        for _ in 0..200 {
            clients.spawn(Client::connect(profile.clone()));
        }
        let accepting = async {
            // Until then, the connections fill the queue.
            tokio::time::sleep(Duration::from_millis(500)).await;
            let mut sessions = JoinSet::new();
            loop {
                let mut socket = BufReader::new(listener.accept().await.unwrap().0);
                sessions.spawn(async move {
                    log_in(&mut socket).await;
                    serve(&mut socket).await;
                });
            }
        };
        let connected = async {
            while let Some(client) = clients.join_next().await {
                client.unwrap().unwrap().shutdown().await;
            }
        };
        tokio::select! { () = connected => {}, () = accepting => {} }
    }
}

#[tokio::test]
async fn the_error_of_connect_says_its_cause() {
    let error = Client::connect(Profile::new("127.0.0.1").ports([closed_port().await])).await.unwrap_err();
    assert_eq!(error_chain(&error), "not connected: no connection: connection refused");
    let wrong = ConnectError::from(SessionEndReason::Login(LoginError::InvalidPassword));
    assert_eq!(error_chain(&wrong), "login failed: wrong password");
    let cause = LostCause::Connection(CloseCause::Silent);
    let lost = ConnectError::from(SessionEndReason::lost(cause, 3));
    assert_eq!(error_chain(&lost), "session ended: connection lost, 3 attempts to reconnect: server is silent");
    for error in [error, wrong, lost] {
        assert!(!error.to_string().contains(&error.source().unwrap().to_string()), "{error:?}");
    }
}

#[tokio::test]
async fn a_reset_is_a_loss_after_the_received_bytes() {
    let (listener, address) = listen("127.0.0.1").await.unwrap();
    let profile =
        Profile::new("127.0.0.1").ports([address.port()]).session(|session| session.reconnect(Reconnect::never()));
    let (client, mut events, mut socket) = connected(listener, profile).await;
    say(&mut socket, "Foo(U) shouts: he").await;
    // A reset overtakes bytes that were not read yet; the answer says that these were.
    say(&mut socket, "\n\rfics% ").await;
    while !events.recv().await.unwrap().raw().starts_with(b"Foo(U)") {}
    socket.get_ref().set_zero_linger().unwrap();
    drop(socket);
    let cause = loop {
        if let Event::Lost(loss) = &*events.recv().await.unwrap() {
            break loss.cause.clone();
        }
    };
    assert_eq!(cause, LostCause::Connection(CloseCause::Failed(io::ErrorKind::ConnectionReset)));
    client.shutdown().await;
}

#[tokio::test]
async fn a_server_that_closes_at_once_is_the_error_of_connect() {
    let (listener, address) = listen("127.0.0.1").await.unwrap();
    let hanging_up = tokio::spawn(async move { drop(listener.accept().await.unwrap()) });
    let error = Client::connect(Profile::new("127.0.0.1").ports([address.port()])).await.unwrap_err();
    assert!(matches!(error, ConnectError::Login(LoginError::Closed(_))), "{error:?}");
    hanging_up.await.unwrap();
}
