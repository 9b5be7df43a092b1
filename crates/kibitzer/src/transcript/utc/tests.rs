use super::*;

#[test]
fn times_are_printed_and_parsed() {
    // The seconds are those of `date -u -d TEXT +%s`.
    let cases = [
        (0, 0, "1970-01-01T00:00:00.000Z"),
        (951_782_399, 1, "2000-02-28T23:59:59.001Z"),
        (951_782_400, 0, "2000-02-29T00:00:00.000Z"),
        (951_868_800, 999, "2000-03-01T00:00:00.999Z"),
        (1_735_689_599, 0, "2024-12-31T23:59:59.000Z"),
        (4_107_542_400, 0, "2100-03-01T00:00:00.000Z"),
        (253_402_300_799, 999, "9999-12-31T23:59:59.999Z"),
    ];
    for (seconds, ms, text) in cases {
        let utc = Utc(Duration::from_secs(seconds) + Duration::from_millis(ms));
        assert_eq!(utc.to_string(), text);
        assert_eq!(text.parse(), Ok(utc));
    }
}

#[test]
fn times_out_of_range_are_clamped() {
    assert_eq!(Utc::now().plus(Duration::MAX).to_string(), "9999-12-31T23:59:59.999Z");
    assert_eq!(Utc::now().minus(Duration::MAX).to_string(), "1970-01-01T00:00:00.000Z");
    assert!(Utc::now().to_string().as_str() > "2025");
}

#[test]
fn other_text_is_refused() {
    assert_eq!("2025-01-02T03:04:05Z".parse::<Utc>().unwrap().to_string(), "2025-01-02T03:04:05.000Z");
    assert_eq!("2025-01-02T03:04:05.1234567Z".parse::<Utc>().unwrap().to_string(), "2025-01-02T03:04:05.123Z");
    for text in [
        "",
        "now",
        "2025-01-02",
        "2025-01-02T03:04:05",
        "2025-01-02T03:04:05+01:00",
        "2025-02-29T00:00:00Z",
        "2025-13-01T00:00:00Z",
        "2025-00-01T00:00:00Z",
        "2025-01-00T00:00:00Z",
        "1969-12-31T23:59:59Z",
        "10000-01-01T00:00:00Z",
        "2025-01-02T24:00:00Z",
        "2025-01-02T03:60:00Z",
        "2025-01-02T03:04:61Z",
        "2025-01-02T03:04:+5Z",
        "2025-01-02T03:04:05.é1Z",
        "2025-01-02-03T03:04:05Z",
    ] {
        assert!(text.parse::<Utc>().is_err(), "{text}");
    }
}
