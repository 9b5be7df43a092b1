//! What recorded clients sent over timeseal, read and sealed again.

use kibitzer_core::wire::{Unsealed, seal_line, seal_ping_answer, unseal};
use kibitzer_tests::Transcript;

/// Every recorded session that was sealed from its first line to its last.
const SEALED: [&str; 6] = [
    "fatics-seal-noack-black",
    "fatics-seal-noack-white",
    "fatics-timeseal1-black",
    "fatics-timeseal1-white",
    "fatics-timeseal2-black",
    "fatics-timeseal2-white",
];

fn lines(transcript: &Transcript) -> Vec<Unsealed> {
    transcript.sent.split_inclusive(|&byte| byte == b'\n').map(|line| unseal(line).unwrap()).collect()
}

// Rules: transport S1, transport S3
#[test]
fn sealed_sessions_are_read_and_sealed_to_the_same_bytes() {
    for name in SEALED {
        let transcript = Transcript::named(name);
        let lines = lines(&transcript);
        assert_eq!(lines.first().and_then(Unsealed::hello_version), Some(transcript.timeseal()), "{name}");
        assert!(lines.is_sorted_by_key(|line| line.time_ms), "{name}: a clock went back");
        let again = |line: &Unsealed| {
            if line.is_ping_answer() {
                seal_ping_answer(line.time_ms)
            } else {
                seal_line(&line.text, line.time_ms).unwrap()
            }
        };
        assert_eq!(lines.iter().flat_map(again).collect::<Vec<_>>(), transcript.sent, "{name}");
    }
}

#[test]
fn a_sealed_session_says_what_its_player_typed() {
    let lines = lines(&Transcript::named("fatics-timeseal1-white"));
    let found: Vec<_> = lines.iter().map(|line| str::from_utf8(&line.text).unwrap()).collect();
    let long_tell = format!("tell Bogoljubov {}", "long ".repeat(40));
    let want = [
        "TIMESTAMP|openseal|Running on an operating system|",
        "Alekhine",
        "pwalekhine",
        "set style 12",
        "iset ms 1",
        "iset nowrap 1",
        "tell Bogoljubov sealed \"text\": 100% ok \\ end",
        &long_tell,
        "match Bogoljubov 3 0 r white",
        "e4",
        "\x029",
        "f4",
        "\x029",
        "Nf3",
        "\x029",
        "h4",
        "\x029",
        "Ne5",
        "\x029",
        "ping",
        "ping Bogoljubov",
        "finger Bogoljubov",
        "quit",
    ];
    assert_eq!(found, want);
}

#[test]
fn an_unsealed_line_on_a_sealed_connection_is_told_apart() {
    let transcript = Transcript::named("fatics-seal-errors-garbage");
    let lines = transcript.sent.split_inclusive(|&byte| byte == b'\n');
    let unsealed: Vec<_> = lines.filter(|line| unseal(line).is_none()).collect();
    assert_eq!(unsealed, [b"unsealed line\n"]);
}

#[test]
fn a_hello_of_an_unknown_version_is_none() {
    let hello = unseal(&Transcript::named("fatics-seal-errors-badhello").sent).unwrap();
    assert_eq!((hello.text.as_slice(), hello.hello_version()), (&b"TIMESTAMP3|x|"[..], None));
}
