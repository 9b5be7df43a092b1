use super::*;

#[test]
fn urls_have_a_host_and_the_default_port_of_their_scheme() {
    let cases = [
        ("wss://www.freechess.org:5001", "www.freechess.org", 5001),
        ("wss://chess.example/ics:1", "chess.example", 443),
        ("ws://127.0.0.1?x=1", "127.0.0.1", 80),
        ("ws://[::1]:5001/", "::1", 5001),
    ];
    for (text, host, port) in cases {
        let url: WebSocketUrl = text.parse().unwrap();
        assert_eq!((url.host.as_str(), url.port, url.to_string().as_str()), (host, port, text));
    }
    assert_eq!(WebSocketUrl::fics(), "wss://www.freechess.org:5001".parse().unwrap());
}
