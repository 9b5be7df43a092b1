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
        ("", AddressError::NoScheme),
        ("www.freechess.org:5001", AddressError::NoScheme),
        ("https://www.freechess.org", AddressError::NoScheme),
        ("wss:/x", AddressError::NoScheme),
        ("wss://", AddressError::NoHost),
        ("wss://:5001", AddressError::NoHost),
        ("wss://[]:5001", AddressError::NoHost),
        ("wss://[::1]5001", AddressError::InvalidPort),
        ("wss://::1", AddressError::NoHost),
        ("wss://a b", AddressError::NotAscii),
        ("wss://a\r\nHost: b", AddressError::InvalidPort),
        ("wss://\u{e4}.example", AddressError::NotAscii),
        ("wss://chess.example:", AddressError::InvalidPort),
        ("wss://chess.example:0", AddressError::InvalidPort),
        ("wss://chess.example:65536", AddressError::InvalidPort),
        ("wss://Newton:apple@chess.example", AddressError::UserName),
    ];
    for (text, want) in cases {
        assert_eq!(text.parse::<WebSocketUrl>(), Err(want), "{text}");
    }
}

#[test]
fn addresses_have_a_host_and_may_have_a_port() {
    let cases = [
        ("localhost:5001", "localhost", Some(5001)),
        ("127.0.0.1:23", "127.0.0.1", Some(23)),
        ("[::1]:5000", "::1", Some(5000)),
        ("chess.example", "chess.example", None),
        ("[::1]", "::1", None),
    ];
    for (text, host, port) in cases {
        assert_eq!(text.parse(), Ok(HostPort { host: host.to_owned(), port }));
        assert_eq!(text.parse::<HostPort>().unwrap().to_string(), text);
    }
}

#[test]
fn invalid_addresses_are_refused() {
    let cases = [
        ("", AddressError::NoHost),
        (":5000", AddressError::NoHost),
        ("[]:5000", AddressError::NoHost),
        ("localhost:", AddressError::InvalidPort),
        ("localhost:0", AddressError::InvalidPort),
        ("localhost:65536", AddressError::InvalidPort),
        ("localhost:five", AddressError::InvalidPort),
        ("[::1]5000", AddressError::InvalidPort),
        ("::1", AddressError::NoHost),
        ("fe80::1", AddressError::NoBrackets),
        ("[::1", AddressError::NoBrackets),
    ];
    for (text, want) in cases {
        assert_eq!(text.parse::<HostPort>(), Err(want), "{text}");
    }
}
