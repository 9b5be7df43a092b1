use std::io;

use futures_util::{SinkExt as _, StreamExt as _};
use proptest::prelude::*;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex, split};
use tokio::time::timeout;
use tokio_websockets::{ClientBuilder, Limits, ServerBuilder};

use super::*;
use crate::transport::limited;

const SECOND: Duration = Duration::from_secs(1);

/// A client's stream with a limit of 1000 bytes for a message, and its peer.
fn client() -> (WebSocket, WebSocketStream<DuplexStream>) {
    let (near, far) = duplex(1 << 16);
    let limits = Limits::default().max_payload_len(Some(1000));
    let messages = ClientBuilder::new().limits(limits).take_over(limited(near));
    (WebSocket::new(messages, MessageUnit::Line), ServerBuilder::new().serve(far))
}

/// The cause inside of an error.
fn cause(error: &io::Error) -> Option<CloseCause> {
    error.get_ref()?.downcast_ref().copied()
}

/// Reads until the stream ends or fails.
async fn read_all(stream: &mut WebSocket) -> (Vec<u8>, io::Result<usize>) {
    let mut bytes = Vec::new();
    let end = stream.read_to_end(&mut bytes).await;
    (bytes, end)
}

proptest! {
    #[test]
    fn messages_that_are_cut_anywhere_are_the_same_bytes(
        bytes in prop::collection::vec(prop_oneof![Just(b'\n'), Just(0xff), any::<u8>()], 0..300),
        sizes in prop::collection::vec(0_usize..40, 1..8),
    ) {
        prop_assume!(sizes.iter().any(|&size| size > 0));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let read = runtime.block_on(async {
            let (mut stream, mut peer) = client();
            let mut rest = &bytes[..];
            for &size in sizes.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (piece, after) = rest.split_at(size.min(rest.len()));
                rest = after;
                let is_text = std::str::from_utf8(piece).is_ok();
                let message = if is_text { Message::text } else { Message::binary }(piece.to_vec());
                peer.send(message).await.unwrap();
            }
            drop(peer);
            read_all(&mut stream).await
        });
        prop_assert_eq!(read.0, bytes);
        prop_assert!(read.1.is_ok(), "the end of the transport is the end of the stream");
    }
}

#[tokio::test]
async fn each_line_of_a_client_is_one_binary_message_and_each_write_of_a_server() {
    let (mut stream, mut peer) = client();
    stream.write_all(b"one\nsealed\x80\ntwo\npart").await.unwrap();
    stream.flush().await.unwrap();
    for want in [&b"one\n"[..], b"sealed\x80\n", b"two\n", b"part"] {
        let message = peer.next().await.unwrap().unwrap();
        assert!(message.is_binary());
        assert_eq!(&message.as_payload()[..], want);
    }
    let (near, far) = duplex(1 << 16);
    let mut stream = WebSocket::new(ServerBuilder::new().serve(limited(near)), MessageUnit::Write);
    let mut peer = ClientBuilder::new().take_over(far);
    let long = vec![b'x'; MAX_WRITTEN_BYTES + 1];
    stream.write_all(b"one\ntwo\n").await.unwrap();
    stream.write_all(&long).await.unwrap();
    stream.flush().await.unwrap();
    for want in [&b"one\ntwo\n"[..], &long[1..], b"x"] {
        assert_eq!(&peer.next().await.unwrap().unwrap().as_payload()[..], want);
    }
}

#[tokio::test]
async fn a_close_frame_ends_the_stream_with_its_code_after_all_bytes() {
    for (code, want) in [(Some(CloseCode::GOING_AWAY), 1001), (CloseCode::try_from(4000).ok(), 4000), (None, 1005)] {
        let (mut stream, mut peer) = client();
        peer.send(Message::text("kicked\n")).await.unwrap();
        peer.send(Message::close(code, "")).await.unwrap();
        let (bytes, end) = read_all(&mut stream).await;
        assert_eq!(bytes, b"kicked\n");
        assert_eq!(cause(&end.unwrap_err()), Some(CloseCause::WebSocketClosed(want)));
        assert!(peer.next().await.unwrap().unwrap().is_close(), "it is answered");
    }
}

#[tokio::test]
async fn a_message_over_the_limit_is_an_error_whole_and_in_fragments() {
    for frame_size in [4000, 600] {
        let (mut stream, peer) = client();
        let config = tokio_websockets::Config::default().frame_size(frame_size);
        let mut peer = ServerBuilder::new().config(config).serve(peer.into_inner());
        peer.send(Message::binary(vec![0; 1000])).await.unwrap();
        peer.send(Message::binary(vec![1; 1001])).await.unwrap();
        let (bytes, end) = read_all(&mut stream).await;
        assert_eq!(bytes, [0; 1000], "{frame_size}");
        assert_eq!(end.unwrap_err().kind(), io::ErrorKind::InvalidData, "{frame_size}");
    }
}

#[tokio::test]
async fn each_violation_of_the_protocol_is_an_error_of_its_own() {
    use WebSocketViolation::{InvalidClose, InvalidFrame, InvalidUtf8, Masking, MessageTooLong, ReservedBits};
    let cases: [(&str, &[u8], WebSocketViolation); 9] = [
        ("giant", b"\x82\x7f\x00\x00\x01\x00\x00\x00\x00\x00", MessageTooLong),
        ("masked", b"\x81\x82\x01\x02\x03\x04ab", Masking),
        ("reserved bit 1", b"\xc1\x02ab", ReservedBits),
        ("reserved bit 3", b"\x91\x02ab", ReservedBits),
        ("invalid UTF-8", b"\x81\x02\xc3\x28", InvalidUtf8),
        ("close with code 1005", b"\x88\x02\x03\xed", InvalidClose),
        ("close with half a code", b"\x88\x01\x03", InvalidFrame),
        ("unknown opcode", b"\x83\x00", InvalidFrame),
        ("no frames", b"fics% <12> rnbqkbnr", ReservedBits),
    ];
    for (name, bytes, want) in cases {
        let (mut stream, peer) = client();
        let mut peer = peer.into_inner();
        peer.write_all(bytes).await.unwrap();
        let error = read_all(&mut stream).await.1.unwrap_err();
        assert_eq!(cause(&error), Some(CloseCause::WebSocketViolation(want)), "{name}");
        assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{name}");
    }
}

#[tokio::test]
async fn reading_continues_after_an_error_of_writing() {
    let (mut stream, mut peer) = client();
    peer.send(Message::ping("")).await.unwrap();
    peer.send(Message::text("kicked\n")).await.unwrap();
    drop(peer);
    stream.write_all(b"finger\n").await.unwrap();
    assert_eq!(stream.flush().await.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    assert_eq!(stream.write_all(b"who\n").await.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    let (bytes, end) = read_all(&mut stream).await;
    assert_eq!(bytes, b"kicked\n");
    end.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_ping_is_answered_and_not_read() {
    let (mut stream, mut peer) = client();
    peer.send(Message::ping("are you there")).await.unwrap();
    assert!(timeout(SECOND, stream.read_u8()).await.is_err(), "a ping is no sign of the chess server");
    let pong = peer.next().await.unwrap().unwrap();
    assert_eq!((pong.is_pong(), &pong.as_payload()[..]), (true, &b"are you there"[..]));
}

#[tokio::test(start_paused = true)]
async fn thirty_seconds_without_data_cause_a_ping() {
    let (mut stream, mut peer) = client();
    let start = Instant::now();
    // Data in either direction restarts the time.
    assert!(timeout(20 * SECOND, stream.read_u8()).await.is_err());
    stream.write_all(b"x\n").await.unwrap();
    stream.flush().await.unwrap();
    assert!(peer.next().await.unwrap().unwrap().is_binary());
    assert!(timeout(20 * SECOND, stream.read_u8()).await.is_err());
    peer.send(Message::text("y")).await.unwrap();
    assert_eq!(stream.read_u8().await.unwrap(), b'y');
    tokio::select! {
        biased;
        read = stream.read_u8() => panic!("{read:?}"),
        ping = peer.next() => assert!(ping.unwrap().unwrap().is_ping()),
    }
    assert_eq!(start.elapsed(), 70 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_pings_and_reads_nothing_does_not_fill_the_memory() {
    let (near, far) = duplex(256);
    let mut stream = WebSocket::new(ClientBuilder::new().take_over(limited(near)), MessageUnit::Line);
    let (_unread, mut peer) = split(far);
    let ping = [&[0x89, 100][..], &[b'p'; 100]].concat();
    let mut n_accepted = 0;
    let flood = async {
        while n_accepted < 10_000 {
            peer.write_all(&ping).await.unwrap();
            n_accepted += 1;
        }
    };
    let both = async { tokio::join!(flood, stream.read_u8()) };
    assert!(timeout(SECOND, both).await.is_err());
    // The buffer of the stream below holds some as well.
    assert!((MAX_QUEUED_PONGS..MAX_QUEUED_PONGS + 150).contains(&n_accepted), "{n_accepted}");
}

#[tokio::test(start_paused = true)]
async fn shutting_down_sends_a_close_frame_and_does_not_wait_for_the_answer() {
    let (mut stream, mut peer) = client();
    stream.write_all(b"quit\n").await.unwrap();
    timeout(SECOND, stream.shutdown()).await.unwrap().unwrap();
    assert_eq!(&peer.next().await.unwrap().unwrap().as_payload()[..], b"quit\n");
    let close = peer.next().await.unwrap().unwrap();
    assert_eq!(close.as_close(), Some((CloseCode::NORMAL_CLOSURE, "")));
    assert_eq!(stream.write_all(b"more\n").await.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
}
