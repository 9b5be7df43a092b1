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

#[test]
fn other_texts_are_refused() {
    let cases = [
        ("", NO_SCHEME),
        ("www.freechess.org:5001", NO_SCHEME),
        ("https://www.freechess.org", NO_SCHEME),
        ("wss:/x", NO_SCHEME),
        ("wss://", INVALID),
        ("wss://:5001", INVALID),
        ("wss://[]:5001", INVALID),
        ("wss://[::1]5001", INVALID),
        ("wss://::1", INVALID),
        ("wss://a b", INVALID),
        ("wss://a\r\nHost: b", INVALID),
        ("wss://\u{e4}.example", INVALID),
        ("wss://chess.example:", INVALID),
        ("wss://chess.example:0", INVALID),
        ("wss://chess.example:65536", INVALID),
        ("wss://Newton:apple@chess.example", USER_NAME),
    ];
    for (text, want) in cases {
        assert_eq!(text.parse::<WebSocketUrl>(), Err(want), "{text}");
    }
}
