use tokio::io::duplex;
use tokio::net::TcpStream;
use tokio::time::Instant;

use super::*;

/// Returns the answer to these bytes, which are followed by the end of the stream.
async fn exchange(request: &[u8]) -> String {
    let (mut ours, theirs) = duplex(64);
    let serving = tokio::spawn(answer_request(theirs, || "page\n".to_owned()));
    let (mut reader, mut writer) = tokio::io::split(&mut ours);
    let mut answer = String::new();
    let write = async {
        let _ = writer.write_all(request).await;
        let _ = writer.shutdown().await;
    };
    let ((), read) = tokio::join!(write, reader.read_to_string(&mut answer));
    read.unwrap();
    let _ = serving.await.unwrap();
    answer
}

#[tokio::test]
async fn requests_are_answered_with_a_status() {
    let long =
        [b"GET /metrics HTTP/1.1\r\nX: ".to_vec(), vec![b'x'; 2 * MAX_REQUEST_BYTES], b"\r\n\r\n".to_vec()].concat();
    let cases: &[(&[u8], &str)] = &[
        (b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", "200 OK"),
        (b"GET /metrics HTTP/1.1\r\nX: y\r\nHOST:127.0.0.1:9100\r\n\r\n", "200 OK"),
        (b"GET /metrics HTTP/1.1\r\nHost: [::1]:9100\r\n\r\n", "200 OK"),
        (b"GET /metrics?name[]=x HTTP/1.0\r\n\r\n", "200 OK"),
        (b"GET / HTTP/1.1\r\nHost: [::1]\r\n\r\n", "404 Not Found"),
        (b"GET /metrics/../x HTTP/1.0\r\n\r\n", "404 Not Found"),
        (b"GET /metrics HTTP/1.1\r\nHost: rebound.example:9100\r\n\r\n", "403 Forbidden"),
        (b"GET /metrics HTTP/1.0\r\nHost: localhost.example\r\n\r\n", "403 Forbidden"),
        (b"GET /metrics HTTP/1.0\r\nHost: 127.0.0.1.example\r\n\r\n", "403 Forbidden"),
        (b"POST /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", "405 Method Not Allowed"),
        (b"POST /metrics HTTP/1.0\r\nContent-Length: 9\r\n\r\n\xff body", "405 Method Not Allowed"),
        (b"GET /metrics HTTP/1.1\r\n\r\n", "400 Bad Request"),
        (b"GET /metrics HTTP/2.0\r\n\r\n", "400 Bad Request"),
        (b"GET  /metrics HTTP/1.0\r\n\r\n", "400 Bad Request"),
        (b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n", "400 Bad Request"),
        (b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nhost: rebound.example\r\n\r\n", "400 Bad Request"),
        (b"GET /metrics HTTP/1.0\r\nHost: localhost\r\nX: y\r\nHost : localhost\r\n\r\n", "400 Bad Request"),
        (b"", "400 Bad Request"),
        (b"\xff\xfe\r\n\r\n", "400 Bad Request"),
        (&long, "400 Bad Request"),
    ];
    for (request, status) in cases {
        let answer = exchange(request).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}\r\n")), "{}: {answer}", request.escape_ascii());
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("\r\nContent-Length: {}\r\n", body.len())), "{answer}");
        assert_eq!(body == "page\n", *status == "200 OK", "{answer}");
    }
}

#[tokio::test]
async fn the_answer_to_head_has_the_length_of_the_page_without_the_page() {
    let answer = exchange(b"HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n") && head.contains("\r\nContent-Length: 5\r\n"), "{answer}");
    assert_eq!(body, "");
}

#[tokio::test]
async fn clients_that_send_nothing_are_limited_in_number_and_block_no_scrape() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = tokio::spawn(serve_page(listener, || "page\n".to_owned()));
    let mut silent = Vec::new();
    for _ in 0..2 * MAX_CONNECTIONS {
        silent.push(TcpStream::connect(address).await.unwrap());
    }
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.ends_with("page\n"), "{answer}");
    // All but the newest were closed for it, long before their time is over.
    let n_open = silent.iter().filter(|stream| stream.try_read(&mut [0]).is_err()).count();
    assert!(n_open < MAX_CONNECTIONS, "{n_open}");
    serving.abort();
}

#[tokio::test(start_paused = true)]
async fn a_client_that_sends_nothing_is_disconnected_in_time() {
    let (mut ours, theirs) = duplex(64);
    let began = Instant::now();
    let serving = tokio::spawn(timeout(REQUEST_TIMEOUT, answer_request(theirs, String::new)));
    assert_eq!(ours.read(&mut [0]).await.unwrap(), 0);
    assert!(serving.await.unwrap().is_err());
    assert_eq!(began.elapsed(), REQUEST_TIMEOUT);
}
