use std::collections::{HashMap, HashSet};

use super::super::tests::session;
use super::*;

#[test]
fn addresses_that_other_machines_can_reach_are_refused() {
    for text in ["127.0.0.1:9100", "127.1.2.3:0", "[::1]:9100"] {
        assert_eq!(parse_loopback(text).unwrap().to_string(), text);
    }
    for text in ["0.0.0.0:9100", "192.168.0.1:9100", "[::]:9100", "[::ffff:127.0.0.1]:1"] {
        assert!(parse_loopback(text).unwrap_err().contains("loopback"), "{text}");
    }
    for text in ["", "9100", "localhost:9100", "127.0.0.1", "127.0.0.1:70000"] {
        assert!(parse_loopback(text).unwrap_err().contains("looks like"), "{text}");
    }
}

type Labels = HashMap<String, String>;

/// Parses a page strictly: the samples with their labels, by the name of the metric.
fn parse(page: &str) -> HashMap<String, Vec<(Labels, String)>> {
    let (mut samples, mut seen) = (HashMap::<_, Vec<_>>::new(), HashSet::new());
    let mut lines = page.strip_suffix('\n').unwrap().lines().peekable();
    while let Some(line) = lines.next() {
        let (name, help) = line.strip_prefix("# HELP ").unwrap().split_once(' ').unwrap();
        let (typed, kind) = lines.next().unwrap().strip_prefix("# TYPE ").unwrap().split_once(' ').unwrap();
        assert!(!help.is_empty() && typed == name, "{line}");
        assert_eq!(kind == "counter", name.ends_with("_total"), "{line}");
        assert!(["counter", "gauge"].contains(&kind), "{line}");
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{name}");
        assert!(samples.insert(name.to_owned(), Vec::new()).is_none(), "{name} comes once");
        while let Some(sample) = lines.next_if(|line| !line.starts_with('#')) {
            assert!(seen.insert(sample.rsplit_once(' ').unwrap().0.to_owned()), "{sample} comes once");
            let (labels, value) = labels(sample.strip_prefix(name).unwrap().strip_prefix('{').unwrap());
            let value = value.strip_prefix(' ').unwrap();
            assert!(value.parse::<f64>().is_ok(), "{sample}");
            samples.get_mut(name).unwrap().push((labels, value.to_owned()));
        }
    }
    samples
}

/// Parses labels up to the closing brace, and returns the rest.
fn labels(mut rest: &str) -> (Labels, &str) {
    let mut labels = Labels::new();
    loop {
        let (name, value) = rest.split_once("=\"").unwrap();
        let (mut text, mut characters) = (String::new(), value.chars());
        loop {
            match characters.next().unwrap() {
                '"' => break,
                '\\' => text.push(match characters.next().unwrap() {
                    'n' => '\n',
                    escaped @ ('\\' | '"') => escaped,
                    other => panic!("\\{other}"),
                }),
                character => text.push(character),
            }
        }
        assert!(labels.insert(name.to_owned(), text).is_none(), "{name}");
        rest = characters.as_str();
        match rest.strip_prefix(',') {
            Some(more) => rest = more,
            None => return (labels, rest.strip_prefix('}').unwrap()),
        }
    }
}

#[test]
fn a_scrape_is_valid_whatever_the_names_contain() {
    let odd = "a\"b\\c\nd{e=\"f\"} 1";
    let page = prometheus_page(&[(1, session("hall.example", Some("Newton"))), (3, session(odd, None))]);
    let samples = parse(&page);
    assert_eq!(samples.len(), COUNTS.len() + TIMES.len() + 1);
    let bytes = &samples["kibitzer_session_bytes_received_total"];
    assert_eq!((bytes.len(), bytes[1].0["server"].as_str(), bytes[1].0["session"].as_str()), (2, odd, "3"));
    assert_eq!((bytes[0].0["handle"].as_str(), bytes[1].0["handle"].as_str()), ("Newton", ""));
    assert_eq!(samples["kibitzer_session_request_time_seconds_total"][0].1, "1.234567");
    let lag = &samples["kibitzer_session_round_trip_seconds"];
    assert_eq!((lag.len(), lag[0].1.as_str()), (1, "0.070500"), "no value without a measurement");
    assert_eq!(parse(&prometheus_page(&[]))["kibitzer_session_ready"].len(), 0);
}

#[test]
fn results_of_a_bot_have_a_fixed_number_of_series() {
    let mut results = Statistics::default();
    results.white.won = 3;
    results.black.lost = 2;
    results.without_result = 1;
    results.opponents.insert("Hostile\"\n} 1".to_owned(), results.white);
    let samples = parse(&results_page(&results));
    let of = |name: &str, label: (&str, &str)| {
        let has = |labels: &Labels| labels.get(label.0).is_some_and(|value| value == label.1);
        samples[name].iter().filter(|(labels, _)| has(labels)).map(|(_, value)| value.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(samples["kibitzer_bot_games_total"].len() + samples["kibitzer_bot_losses_total"].len(), 7 + 6);
    assert_eq!(of("kibitzer_bot_games_total", ("color", "white")), ["3", "0", "0"]);
    assert_eq!(of("kibitzer_bot_games_total", ("result", "lost")), ["0", "2"]);
    assert_eq!(of("kibitzer_bot_games_total", ("result", "none")), ["1"]);
    assert_eq!(of("kibitzer_bot_losses_total", ("cause", "engine_failure")), ["0"]);
}
