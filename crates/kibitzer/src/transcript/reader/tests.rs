use super::super::Direction;
use super::*;
use kibitzer_core::text::error_chain;

fn read(text: &str, limit_bytes: usize) -> Vec<Result<Record, String>> {
    let records = TranscriptReader { limit_bytes, ..TranscriptReader::new(text.as_bytes()) };
    records.map(|record| record.map_err(|error| error_chain(&error))).collect()
}

fn record(ms: u64, direction: Direction, bytes: &[u8]) -> Record {
    let (time, bytes) = (Duration::from_millis(ms), bytes.to_vec());
    Record { time, utc: None, direction, bytes, redacted: false, request: None, requested_by: None }
}

#[test]
fn records_have_the_time_direction_and_bytes_of_their_lines() {
    let text = concat!(
        r#"{"t": 0.25, "dir": "rx", "hex": "6c6F0aff"}"#,
        "\r\n\n  \n",
        r#"{"hex":"","note":{"a":[1]},"dir":"tx","t":1}"#,
        "\n",
        r#"{"t":2,"dir":"rx","hex":"\u0034\u0031"}"#,
        "\n",
        r#"{"t":2.5,"note":"lost","text":"server is silent"}"#,
        "\n",
        r#"{"t":3,"dir":"tx","hex":"3f","redacted":true}"#,
    );
    let want = [
        Ok(record(250, Direction::Received, b"lo\n\xff")),
        Ok(record(1000, Direction::Sent, b"")),
        Ok(record(2000, Direction::Received, b"A")),
        Ok(Record { redacted: true, ..record(3000, Direction::Sent, b"?") }),
    ];
    assert_eq!(read(text, 1000), want);
    assert_eq!(read("", 1000), []);
}

#[test]
fn an_invalid_line_is_reported_by_its_number_and_skipped() {
    let good = r#"{"t":0,"dir":"rx","hex":"41"}"#;
    let cases = [
        ("no JSON", "{", "EOF while parsing"),
        ("no bytes", r#"{"t":0,"dir":"rx"}"#, "missing field `hex`"),
        ("an unknown direction", r#"{"t":0,"dir":"up","hex":""}"#, "unknown variant `up`"),
        ("not UTF-8 escapes", r#"{"t":0,"dir":"rx","hex":"\ud800"}"#, "end of hex escape"),
        ("half a byte", r#"{"t":0,"dir":"rx","hex":"414"}"#, "not pairs of hexadecimal digits"),
        ("not a digit", r#"{"t":0,"dir":"rx","hex":"4g"}"#, "not pairs of hexadecimal digits"),
        ("before the start", r#"{"t":-1,"dir":"rx","hex":""}"#, "value is negative"),
        ("never", r#"{"t":1e300,"dir":"rx","hex":""}"#, "value is either too big or NaN"),
    ];
    for (name, line, want) in cases {
        let text = format!("{good}\n\n{line}\n{good}\n");
        let byte = || Ok(record(0, Direction::Received, b"A"));
        let [first, Err(error), last] = &read(&text, 1000)[..] else { panic!("{name}") };
        assert_eq!([first, last], [&byte(), &byte()], "{name}");
        assert!(error.starts_with("transcript line 3 is not an object with t, dir and hex: "), "{name}: {error}");
        assert!(error.contains(want), "{name}: {error}");
    }
}

#[test]
fn a_recording_can_end_anywhere_in_its_last_line() {
    let whole = concat!(r#"{"t":0,"dir":"rx","hex":"41"}"#, "\n");
    let last = r#"{"t": 12.5, "dir": "tx", "hex": "5b5d0a", "redacted": true, "utc": "2025-01-02T03:04:05.678Z"}"#;
    let note = r#"{"t": 1.5, "note": "life", "event": "connected"}"#;
    let torn = |line| Err(format!("transcript ends inside line {line}"));
    let first = || Ok(record(0, Direction::Received, b"A"));
    for last in [last, note] {
        for length in 1..last.len() {
            let text = format!("{whole}{}", last.get(..length).unwrap());
            assert_eq!(read(&text, 1000), [first(), torn(2)], "{text}");
        }
        assert!(read(&format!("{whole}{last}"), 1000).iter().all(Result::is_ok), "only the line end is missing");
    }
    assert_eq!(read(&format!("{whole}\0\0\0"), 1000), [first(), torn(2)]);
    assert_eq!(read(last.get(..9).unwrap(), 1000), [torn(1)]);
    for wrong in ["{\"t\": 12\n", "{\"name\": 1}", "{]"] {
        let [Err(error)] = &read(wrong, 1000)[..] else { panic!("{wrong}") };
        assert!(error.starts_with("transcript line 1 is not an object"), "{wrong}: {error}");
    }
}

#[test]
fn times_of_day_are_counted_from_the_last_stated_one() {
    let text = concat!(
        r#"{"t":1,"dir":"rx","hex":""}"#,
        "\n",
        r#"{"t":1.5,"note":"hello","utc":"2025-01-02T03:04:05.500Z"}"#,
        "\n",
        r#"{"t":2.25,"dir":"rx","hex":""}"#,
        "\n",
        r#"{"t":0.5,"dir":"tx","hex":"","utc":"2025-06-01T00:00:00.000Z"}"#,
        "\n",
        r#"{"t":0.625,"dir":"rx","hex":""}"#,
        "\n",
        r#"{"t":0.5,"dir":"rx","hex":""}"#,
        "\n",
        r#"{"t":0.5,"dir":"rx","hex":"","utc":"yesterday"}"#,
    );
    let times: Vec<_> = read(text, 1000)
        .into_iter()
        .map(|record| record.map(|record| record.utc.map_or_else(String::new, |utc| utc.to_string())))
        .collect();
    let want = ["", "2025-01-02T03:04:06.250Z", "2025-06-01T00:00:00.000Z", "2025-06-01T00:00:00.125Z", ""];
    assert_eq!(times[..5], want.map(|text| Ok(text.to_owned())));
    let [Err(error)] = &times[5..] else { panic!("{times:?}") };
    assert!(error.starts_with("transcript line 7 ") && error.contains("not a UTC time"), "{error}");
}

#[test]
fn a_line_over_the_limit_is_the_last_item() {
    let line = r#"{"t":0,"dir":"rx","hex":"41"}"#;
    let (text, limit) = (format!("{line}\n{line} \n{line}"), line.len());
    let too_long = format!("transcript line 2 is longer than {limit} bytes");
    assert_eq!(read(&text, limit), [Ok(record(0, Direction::Received, b"A")), Err(too_long)]);
    assert_eq!(read(line, limit).len(), 1, "a last line without its end");
    assert_eq!(read(&format!("{line}\n"), limit).len(), 1, "a last line with its end");
}

#[test]
fn an_error_of_the_input_is_the_last_item() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("broken"))
        }
    }
    let mut records = TranscriptReader::new(io::BufReader::new(Broken));
    let error = records.next().unwrap().unwrap_err();
    assert_eq!(error.to_string(), "transcript line 1 cannot be read");
    assert!(records.next().is_none());
}
