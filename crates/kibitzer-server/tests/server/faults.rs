//! Connections that go wrong on demand, and a server under load.

use std::io::ErrorKind;
use std::time::Duration;

use kibitzer_server::{ConnectionTarget, Fault, FaultPoint, ImitatedFamily, LoginObstacle, Server, ServerOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time;

use crate::peer::{Peer, options_with, plain, server_with};

#[tokio::test(start_paused = true)]
async fn a_connection_is_cut_in_the_middle_of_a_line() {
    let server = server_with(&["Newton"]).await;
    let control = server.control();
    control.inject(ConnectionTarget::Next, FaultPoint::Login, Fault::Cut).await.unwrap();
    let (mut peer, banner) = Peer::connect(&server).await;
    assert!(plain(&banner).ends_with("\n\nlog"), "{}", plain(&banner));
    assert!(peer.is_closed().await);
    control.inject(ConnectionTarget::Next, FaultPoint::Setup, Fault::Reset).await.unwrap();
    let (mut peer, _) = Peer::connect(&server).await;
    peer.ask("Newton").await;
    let greeting = peer.ask("secret").await;
    assert_eq!(greeting, "<WONT ECHO>\n**** Starting FICS s");
    assert!(peer.is_closed().await);
    time::sleep(Duration::from_secs(5)).await;
    assert_eq!(control.connections().await.unwrap(), []);
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_closes_its_half_receives_its_replies() {
    let server = server_with(&[]).await;
    let mut peer = Peer::guest(&server, "Newton").await;
    peer.send(b"date\n").await;
    peer.end_input().await;
    assert!(peer.text().await.starts_with("Local time     - Sat Nov 21, 00:30 UTC 2026\nServer time"));
    assert!(peer.is_closed().await);
    assert_eq!(server.control().connections().await.unwrap(), []);
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_stalled_connection_stays_open_without_output() {
    let server = server_with(&["Newton"]).await;
    let mut peer = Peer::player(&server, "Newton").await;
    let target = ConnectionTarget::Player("newton".to_owned());
    server.control().inject(target.clone(), FaultPoint::Now, Fault::Stall).await.unwrap();
    assert_eq!(peer.ask("date").await, "");
    time::sleep(Duration::from_mins(1)).await;
    assert!(!peer.is_closed().await);
    assert_eq!(server.control().connections().await.unwrap().len(), 1);
    // A second login gets rid of it.
    let second = Peer::player(&server, "Newton").await;
    assert!(peer.is_closed().await);
    drop(second);
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn writes_are_split_delayed_and_mixed_with_garbage() {
    let server = server_with(&[]).await;
    let control = server.control();
    let target = || ConnectionTarget::Player("Newton".to_owned());
    let mut peer = Peer::guest(&server, "Newton").await;
    control.inject(target(), FaultPoint::Now, Fault::Split(1)).await.unwrap();
    assert!(peer.ask("date").await.starts_with("Local time     - Sat Nov 21, 00:30 UTC 2026\nServer time"));
    control.inject(target(), FaultPoint::Now, Fault::OverLong(4000)).await.unwrap();
    let noisy = peer.ask("inchannel 1").await;
    assert_eq!(noisy, format!("{}\nThere are 0 players in channel 1.\nfics% ", "x".repeat(4000)));
    control.inject(target(), FaultPoint::Now, Fault::Delay(Duration::from_secs(7))).await.unwrap();
    assert_eq!(peer.ask("inchannel 1").await, "");
    time::sleep(Duration::from_secs(7)).await;
    assert_eq!(peer.text().await, "There are 0 players in channel 1.\nfics% ");
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn the_operator_kicks_announces_and_shuts_down() {
    let server = server_with(&["Newton"]).await;
    let control = server.control();
    let mut peer = Peer::player(&server, "Newton").await;
    control.announce("tea\nis ready").await.unwrap();
    assert_eq!(peer.text().await, "\n\n    **ANNOUNCEMENT** from admin: tea is ready\nfics% ");
    control.inject(ConnectionTarget::Player("Newton".to_owned()), FaultPoint::Now, Fault::Kick).await.unwrap();
    assert_eq!(peer.text().await, "**** Newton has arrived - you can't both be logged in. ****\n\n");
    assert!(peer.is_closed().await);
    let mut guest = Peer::guest(&server, "Euler").await;
    control.inject(ConnectionTarget::Player("Euler".to_owned()), FaultPoint::Now, Fault::KickByAdmin).await.unwrap();
    assert_eq!(guest.text().await, "\n\n**** You have been kicked out by admin! ****\n\nfics% ");
    assert!(guest.is_closed().await);
    let absent = control.inject(ConnectionTarget::Player("Newton".to_owned()), FaultPoint::Now, Fault::Kick).await;
    assert_eq!(absent.unwrap_err().kind(), ErrorKind::NotFound);

    let mut peer = Peer::player(&server, "Newton").await;
    control.shutdown(Duration::from_mins(3)).await.unwrap();
    let warning = "\n\n    *** The server is shutting down in 3 minutes, initiated by admin ***\n\nfics% ";
    assert_eq!(peer.text().await, warning);
    time::sleep(Duration::from_secs(179)).await;
    assert!(!peer.is_closed().await);
    time::sleep(Duration::from_secs(2)).await;
    assert!(peer.is_closed().await);
    drop(peer);
    time::sleep(Duration::from_secs(5)).await;
    assert_eq!(control.connections().await.unwrap_err().kind(), ErrorKind::ConnectionRefused);
    assert!(server.connect().await.is_err());
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_is_disconnected() {
    let server = Server::start(options_with(&[]).max_unsent_bytes(20_000)).await.unwrap();
    let mut peer = Peer::guest(&server, "Newton").await;
    let control = server.control();
    // 64 KiB fit into the pipe, then the outbox fills.
    for _ in 0..400 {
        control.announce(&"x".repeat(400)).await.unwrap();
    }
    time::sleep(Duration::from_secs(1)).await;
    assert_eq!(control.connections().await.unwrap(), []);
    assert!(peer.heard().await.len() < 100_000);
    assert!(peer.is_closed().await);
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_sends_many_commands_at_once_is_throttled() {
    const N_COMMANDS: usize = 20_000;
    let server = Server::start(options_with(&[]).max_unsent_bytes(20_000)).await.unwrap();
    let (reader, mut writer) = tokio::io::split(server.connect().await.unwrap());
    let sent = tokio::spawn(async move {
        writer.write_all(format!("Newton\n\n{}quit\n", "date\n".repeat(N_COMMANDS)).as_bytes()).await.unwrap();
        writer
    });
    // It does not read meanwhile.
    time::sleep(Duration::from_secs(10)).await;
    assert!(!sent.is_finished(), "the server read everything");
    let mut heard = Vec::new();
    tokio::io::BufReader::new(reader).read_to_end(&mut heard).await.unwrap();
    let heard = plain(&heard);
    assert_eq!(heard.matches("Server time").count(), N_COMMANDS);
    assert!(heard.ends_with("Thank you for using the embedded kibitzer server.\n"));
    drop(sent.await.unwrap());
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn bytes_after_a_wrong_password_are_not_read_until_the_pause_ends() {
    let server = server_with(&["Newton"]).await;
    let (reader, mut writer) = tokio::io::split(server.connect().await.unwrap());
    let typed = format!("Newton\nwrong\n{}Newton\nsecret\nquit\n", "\n".repeat(20_000));
    let sent = tokio::spawn(async move { writer.write_all(typed.as_bytes()).await.map(|()| writer) });
    let mut heard = Vec::new();
    tokio::io::BufReader::new(reader).read_to_end(&mut heard).await.unwrap();
    assert!(String::from_utf8_lossy(&heard).contains("**** Starting FICS session as Newton ****"));
    sent.await.unwrap().unwrap();
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn faults_injected_for_the_next_connection_take_effect_at_its_start() {
    for (fault, farewell) in [
        (Fault::Stall, None),
        (Fault::Reset, None),
        (Fault::Kick, Some("**** Newton has arrived - you can't both be logged in. ****\n\n")),
        (Fault::KickByAdmin, Some("\n\n**** You have been kicked out by admin! ****\n\nfics% ")),
        (Fault::Shutdown, None),
    ] {
        let server = server_with(&["Newton"]).await;
        server.control().inject(ConnectionTarget::Next, FaultPoint::Now, fault).await.unwrap();
        let (mut peer, banner) = Peer::connect(&server).await;
        if let Some(farewell) = farewell {
            peer.ask("Newton").await;
            let end = peer.ask("secret").await;
            assert!(end.contains("**** Starting FICS session as Newton ****") && end.ends_with(farewell), "{end}");
        } else if fault != Fault::Shutdown {
            assert_eq!(banner, b"", "{fault:?}");
        }
        assert_eq!(peer.is_closed().await, fault != Fault::Stall, "{fault:?}");
        drop(peer);
        server.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_fault_at_an_unsupported_point_is_rejected() {
    let refuse = Fault::Refuse(LoginObstacle::Full);
    let cases = [
        (ImitatedFamily::Fics, refuse, FaultPoint::NextBoard, "connect, login, now"),
        (ImitatedFamily::Fics, refuse, FaultPoint::After(7), "connect, login, now"),
        (ImitatedFamily::Icc, Fault::Stall, FaultPoint::InBlock, "connect, login, next-board, after=N, now"),
        (ImitatedFamily::Icc, Fault::Kick, FaultPoint::Setup, "connect, login, next-board, after=N, now"),
    ];
    for (family, fault, at, points) in cases {
        let server = Server::start(options_with(&[]).family(family)).await.unwrap();
        let refused = server.control().inject(ConnectionTarget::Next, at, fault).await;
        let message = format!("this fault can take effect at these points: {points}");
        assert_eq!(refused.unwrap_err().to_string(), message, "{fault:?} {at:?}");
        server.shutdown().await;
    }
}

#[tokio::test]
async fn the_server_listens_on_loopback_unless_remote_access_is_allowed() {
    let server = Server::start(ServerOptions::new()).await.unwrap();
    let address = server.address().unwrap();
    assert!(address.ip().is_loopback());
    let mut socket = tokio::net::TcpStream::connect(address).await.unwrap();
    let mut banner = [0; 35];
    socket.read_exact(&mut banner).await.unwrap();
    assert_eq!(&banner, b"This is an embedded kibitzer server");
    socket.write_all(b"%q\n").await.unwrap();
    let mut rest = Vec::new();
    socket.read_to_end(&mut rest).await.unwrap();
    assert!(rest.ends_with(b"login: "));

    server.control().inject(ConnectionTarget::Next, FaultPoint::Login, Fault::Reset).await.unwrap();
    let mut socket = tokio::net::TcpStream::connect(address).await.unwrap();
    let reset = socket.read_to_end(&mut rest).await.unwrap_err();
    assert_eq!(reset.kind(), ErrorKind::ConnectionReset);
    server.shutdown().await;

    let open = ServerOptions::new().address(([0, 0, 0, 0], 0).into());
    let refused = Server::start(open.clone()).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::PermissionDenied);
    Server::start(open.allow_remote()).await.unwrap().shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn thousands_of_clients_receive_one_shout() {
    const N: usize = 2_000;
    let server = server_with(&["Newton"]).await;
    let mut newton = Peer::player(&server, "Newton").await;
    let mut guests = Vec::new();
    for _ in 0..N {
        let mut stream = server.connect().await.unwrap();
        stream.write_all(b"guest\n\n").await.unwrap();
        guests.push(stream);
    }
    while server.control().connections().await.unwrap().iter().any(|(_, handle)| handle.is_none()) {
        time::sleep(Duration::from_millis(10)).await;
    }
    let shouted = newton.ask("shout hello").await;
    assert!(shouted.contains(&format!("(shouted to {N} players)")), "{shouted}");
    for guest in &mut guests {
        let mut heard = Vec::new();
        while !heard.ends_with(b"Newton shouts: hello\n\rfics% ") {
            assert!(guest.read_buf(&mut heard).await.unwrap() > 0);
        }
    }
    server.shutdown().await;
}
