use super::*;

// Rules: style12 K3
#[test]
fn k3_elapsed_times_in_every_form() {
    let cases: &[(&str, Option<u32>)] = &[
        ("1:02:03.004", Some(3_723_004)),
        ("0:06.123", Some(6123)),
        ("12:26.052", Some(746_052)),
        ("0:07", Some(7000)),
        ("75:03", Some(4_503_000)),
        ("0:06.1", Some(6100)),
        ("0:06.", None),
        ("7", None),
        ("99999999:00", None),
    ];
    for &(sent, want) in cases {
        assert_eq!(read_duration_ms(&mut Cursor::new(sent.as_bytes())), want, "{sent}");
    }
}

#[test]
fn clocks_read_like_clocks() {
    let cases = [
        (0, "0:00"),
        (6_000, "0:06"),
        (6_440, "0:06.4"),
        (59_999, "0:59.9"),
        (60_500, "1:00"),
        (3_599_000, "59:59"),
        (3_661_000, "1:01:01"),
        (-917, "-0:00.9"),
        (-3_000, "-0:03"),
        (i64::MIN, "-2562047788015:12:55"),
    ];
    for (ms, want) in cases {
        assert_eq!(ClockReading::from_ms(ms).to_string(), want, "{ms}");
    }
}

#[test]
fn a_clock_that_ran_out_has_nothing_left() {
    assert_eq!(ClockReading::from_ms(1500).remaining(), Some(Duration::from_millis(1500)));
    assert_eq!(ClockReading::from_ms(-917).remaining(), None);
}
