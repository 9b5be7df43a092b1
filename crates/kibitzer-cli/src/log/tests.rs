use super::*;

#[test]
fn a_filter_is_checked_part_by_part() {
    for (text, want) in [
        ("debug", "debug"),
        ("WARN", "WARN"),
        (" warn , kibitzer::task=trace,", "warn,kibitzer::task=trace"),
        ("kibitzer_bot", "kibitzer_bot"),
        ("[request{command=tell}]=trace", "[request{command=tell}]=trace"),
        ("off", "off"),
    ] {
        assert_eq!(parse_filter(text).as_deref(), Ok(want), "{text}");
    }
    for (text, part) in [
        ("debgu", "\"debgu\" is not one of the levels"),
        ("info,verbose", "\"verbose\" is not one of the levels"),
        ("info,kibitzer=lod", "\"kibitzer=lod\" is not a filter"),
        ("kibitzer=info=debug", "\"kibitzer=info=debug\" is not a filter"),
        ("[login", "\"[login\" is not a filter"),
        ("[\u{e9}", "\"[\u{e9}\" is not a filter"),
        (" , ", "the filter is empty"),
        ("", "the filter is empty"),
    ] {
        let error = parse_filter(text).unwrap_err();
        assert!(error.starts_with(part), "{text}: {error}");
    }
}

#[test]
fn an_object_stays_the_same_value_and_controls_no_terminal() {
    let object = "{\"a\":\"caf\u{e9} \u{9b}2J \u{202e} \\n\"}\n";
    let safe = safe_json(object.as_bytes()).unwrap();
    assert_eq!(safe, "{\"a\":\"caf\u{e9} \\u009b2J \\u202e \\n\"}");
    let [got, want] = [&safe, object].map(|text| serde_json::from_str::<serde_json::Value>(text).unwrap());
    assert_eq!(got, want);
}

#[test]
fn lines_that_nobody_reads_are_dropped_and_counted() {
    let (read, reads) = mpsc::channel::<()>();
    let (written, lines) = mpsc::channel();
    let mut queue = LineQueue::start(move |line| {
        // Blocks until the test reads.
        let _ = reads.recv();
        written.send(line.to_owned()).unwrap();
    });
    for number in 0..MAX_UNWRITTEN_LINES + 100 {
        queue.push_or_drop(&number.to_string());
    }
    assert!((99..=100).contains(&queue.n_dropped), "{}", queue.n_dropped);
    let n_dropped = queue.n_dropped;
    drop(read);
    let first: Vec<_> = lines.iter().take(MAX_UNWRITTEN_LINES).collect();
    assert!(first.iter().enumerate().all(|(number, line)| *line == number.to_string()), "{first:?}");
    queue.push_or_drop("later");
    queue.finish();
    let rest: Vec<_> = lines.iter().skip_while(|line| line.len() == 4).collect();
    let report = format!("kibitzer: {n_dropped} lines of the log are missing: standard error was not read");
    assert_eq!(rest, [report.as_str(), "later"]);
}

#[cfg(target_os = "linux")]
#[test]
fn lines_for_a_full_disk_are_counted_and_the_log_goes_on_when_there_is_room() {
    let path = env::temp_dir().join(format!("kibitzer-log-full-{}", std::process::id()));
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut file = LogFile { file: full, n_lost: 0, is_cut: false };
    for n_lost in 1..=3 {
        assert!(file.write_line_or_count("secret").is_err() && file.n_lost == n_lost);
    }
    file.file = open_log_file(&path).unwrap();
    file.write_line_or_count("later").unwrap();
    file.write_line_or_count("last").unwrap();
    assert_eq!((file.n_lost, std::fs::read_to_string(&path).unwrap().as_str()), (3, "\nlater\nlast\n"));
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn the_page_has_the_newest_lines_and_the_file_has_all() {
    let path = env::temp_dir().join(format!("kibitzer-log-{}", std::process::id()));
    let file = Some(LogFile { file: open_log_file(&path).unwrap(), n_lost: 0, is_cut: false });
    let mut destination = LogDestination { is_on: true, file, screen: None, stderr: None };
    destination.write_log_line("before the screen");
    destination.screen = Some(VecDeque::new());
    for number in 0..=MAX_LINES {
        destination.write_log_line(&format!("{number} {}", "x".repeat(2 * MAX_LINE_CHARS)));
    }
    let lines = destination.screen.unwrap();
    assert_eq!((lines.len(), lines[0].chars().count()), (MAX_LINES, MAX_LINE_CHARS));
    assert!(lines[0].starts_with("1 ") && lines[MAX_LINES - 1].starts_with("1000 "));
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), MAX_LINES + 2);
    std::fs::remove_file(&path).unwrap();
}
