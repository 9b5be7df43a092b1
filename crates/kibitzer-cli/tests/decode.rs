//! `kibitzer decode` from outside: inputs, options, formats, exit status.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::Stdio;

use crate::common::{Outcome, decode, file, kibitzer, objects, run, timeless, transcript};
use serde_json::{Value, json};

const SESSION: &[u8] = b"login: Foo\n\r**** Starting FICS session as Foo ****\n\rfics% \n\rBar shouts: hi\n\r\
    <12> rnbqkb-r pppppppp -----n-- -------- ----P--- -------- PPPPKPPP RNBQ-BNR B -1 0 0 1 1 0 7 Newton Einstein \
    1 2 12 39 39 119 122 2 K/e1-e2 (0:06) Ke2 0\n\rfics% ";

/// Bytes of no meaning, always the same, with a good share of line ends and control bytes.
fn garbage(length: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let mut byte = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let [.., high, top] = state.to_le_bytes();
        if top < 64 { high % 32 } else { high }
    };
    std::iter::once(b'\n').chain(std::iter::repeat_with(&mut byte)).take(length).collect()
}

#[test]
fn a_file_and_standard_input_give_the_same() {
    let want = decode(&[], SESSION);
    let raw = file("session.raw", SESSION);
    let recorded = file("session.jsonl", transcript(SESSION, 11));
    assert_eq!(want.lines().count(), 7, "{want}");
    assert_eq!(decode(&["-"], SESSION), want);
    assert_eq!(decode(&[&raw], b""), want);
    let printed = decode(&[&recorded], b"");
    assert_eq!(timeless(&printed), want);
    assert_eq!(decode(&["--format", "jsonl", "--server", "fics", "--chunk", "5", &recorded], b""), printed);
}

#[test]
fn nothing_gives_nothing() {
    assert_eq!(decode(&[], b""), "");
    assert_eq!(decode(&["--format", "text", &file("empty.raw", b"")], b""), "");
    let summary = &objects(&decode(&["--format", "summary"], b""))[0];
    assert_eq!((&summary["bytes"], &summary["frames"]), (&0.into(), &0.into()));
}

#[test]
fn garbage_is_read_to_its_end() {
    let bytes = garbage(300_000);
    let printed = decode(&[], &bytes);
    assert!(objects(&printed).iter().all(|object| object["event"].is_string() && object["offset"].is_u64()));
    assert!(!printed.contains(|c: char| c.is_control() && c != '\n'), "control characters are escaped");
    assert_eq!(decode(&["--chunk", "7"], &bytes), printed);
    assert_eq!(decode(&["--chunk", "99999999999"], &bytes), printed);
    let text = decode(&["--format", "text"], &bytes);
    assert!(!text.contains(|c: char| c.is_control() && c != '\n' && c != '\t'), "and in text");
}

#[test]
fn a_line_of_json_is_one_line_and_safe_on_a_terminal() {
    let printed = decode(&[], b"Foo tells you: a&#x2028;b\x85c\x7fd&#x202e;e&#x2066;f&#x61c;g\n\r");
    let text = r#""text":"a\u2028b\u0085c\u007fd\u202ee\u2066f\u061cg""#;
    assert!(printed.contains(text) && printed.is_ascii(), "{printed}");
}

#[test]
fn what_has_come_is_printed_before_the_end() {
    let mut child = kibitzer(&["decode"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for said in ["one", "two"] {
        write!(stdin, "Foo shouts: {said}\n\rfics% ").unwrap();
        assert!(lines.next().unwrap().unwrap().ends_with(&format!("\"text\":\"{said}\"}}")));
        assert!(lines.next().unwrap().unwrap().starts_with("{\"event\":\"prompt\""));
    }
    drop(stdin);
    assert!(lines.next().is_none());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    for format in ["jsonl", "text"] {
        let path = file(&format!("long-{format}.raw"), b"Foo shouts: hi\n\r".repeat(100_000));
        let mut child = kibitzer(&["decode", "--format", format, &path]).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 10]).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()), "{format}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    for format in ["jsonl", "text", "summary"] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let path = file(&format!("full-{format}.raw"), SESSION);
        let output = kibitzer(&["decode", "--format", format, &path]).stdout(full).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{format}");
        assert!(stderr.starts_with("kibitzer: cannot write to standard output: "), "{stderr}");
        assert_eq!(stderr.lines().count(), 1);
    }
}

#[test]
fn wrong_arguments_are_told_in_one_line() {
    let cases: &[&[&str]] = &[
        &["decode", "--format", "xml"],
        &["decode", "--server", "usenet"],
        &["decode", "--timeseal", "3"],
        &["decode", "--chunk", "0"],
        &["decode", "--chunk", "-1"],
        &["decode", "--chunk", "many"],
        &["decode", "--chunk"],
        &["decode", "--nothing"],
        &["decode", "one", "two"],
        &["encode"],
        &["decode", "--bad\nflag"],
    ];
    for &args in cases {
        let Outcome { stdout, stderr, status } = run(args, b"");
        assert_eq!((status, stdout.as_str(), stderr.lines().count()), (2, "", 1), "{args:?}: {stderr}");
        assert!(stderr.starts_with("kibitzer: ") && stderr.ends_with(" (try --help)\n"), "{stderr}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_told_in_one_line() {
    let directory = env!("CARGO_TARGET_TMPDIR");
    for (path, want) in
        [("/no/such\nfile", r"kibitzer: cannot open /no/such\nfile: "), (directory, "kibitzer: cannot ")]
    {
        let Outcome { stdout, stderr, status } = run(&["decode", path], b"");
        assert_eq!((status, stdout.as_str(), stderr.lines().count()), (1, "", 1), "{path}: {stderr}");
        assert!(stderr.starts_with(want), "{stderr}");
    }
}

#[test]
fn a_wrong_line_of_a_transcript_is_told_by_its_number() {
    let mut recorded = transcript(b"Foo shouts: hi\n\rBar", 1000);
    recorded.extend(b"{\"t\": 1, \"dir\": \"rx\"}\n");
    let Outcome { stdout, stderr, status } = run(&["decode"], &recorded);
    let want = "kibitzer: cannot read standard input: transcript line 4 is not an object with t, dir and hex\n";
    assert_eq!((status, stderr.as_str()), (1, want));
    assert_eq!(timeless(&stdout), decode(&[], b"Foo shouts: hi\n\r"), "what came before it is printed");
}

/// A session with secrets: one that its recording leaves out, one that answers a prompt, and one in a command.
const RECORDED: &str = r#"{"t": 0.000001, "dir": "rx", "hex": "6c6f67696e3a20", "utc": "2025-01-02T03:04:05.000Z"}
{"t": 0.5, "dir": "tx", "hex": "466f6f0a"}
{"t": 1, "dir": "rx", "hex": "70617373776f72643a20"}
{"t": 1.25, "dir": "tx", "hex": "736573"}
{"t": 1.5, "dir": "tx", "hex": "616d650a"}
{"t": 2, "dir": "rx", "hex": "0a0d666963732520"}
{"t": 2.25, "dir": "tx", "hex": "5b72656461637465645d0a", "redacted": true}
{"t": 2.5, "dir": "tx", "hex": "6461746526237866363b0a77686f0d0a"}
{"t": 61.0000009, "dir": "rx", "hex": "4e6f"}
{"t": 62, "dir": "rx", "hex": "6f6e0a0d666963732520"}
{"t": 62.5, "dir": "tx", "hex": "70617373776f7264206f6c64206e65770a"}
{"t": 63, "dir": "rx", "hex": ""}
"#;

const DECODED: &str = r#"{"event":"login_prompt","offset":0,"t":0.000001,"utc":"2025-01-02T03:04:05.000Z","name":null}
{"event":"sent","offset":null,"t":0.500000,"utc":"2025-01-02T03:04:05.499Z","line":"Foo"}
{"event":"password_prompt","offset":7,"t":1.000000,"utc":"2025-01-02T03:04:05.999Z","name":null}
{"event":"sent","offset":null,"t":1.250000,"utc":"2025-01-02T03:04:06.249Z","line":null}
{"event":"sent","offset":null,"t":1.500000,"utc":"2025-01-02T03:04:06.499Z","line":null}
{"event":"prompt","offset":19,"t":2.000000,"utc":"2025-01-02T03:04:06.999Z"}
{"event":"sent","offset":null,"t":2.250000,"utc":"2025-01-02T03:04:07.249Z","request":1,"line":null}
{"event":"sent","offset":null,"t":2.500000,"utc":"2025-01-02T03:04:07.499Z","request":2,"line":"date&#xf6;"}
{"event":"sent","offset":null,"t":2.500000,"utc":"2025-01-02T03:04:07.499Z","request":3,"line":"who"}
{"event":"answered","offset":null,"t":62.000000,"utc":"2025-01-02T03:05:06.999Z","request":1,"inferred":true,"after_ms":59750.0}
{"event":"text","offset":25,"t":62.000000,"utc":"2025-01-02T03:05:06.999Z","request":1,"inferred":true,"text":"Noon"}
{"event":"prompt","offset":31,"t":62.000000,"utc":"2025-01-02T03:05:06.999Z","request":1,"inferred":true}
{"event":"sent","offset":null,"t":62.500000,"utc":"2025-01-02T03:05:07.499Z","request":4,"line":null}
"#;

#[test]
fn a_recording_has_times_and_what_was_sent_in_pieces_of_any_size() {
    for chunk in ["1", "2", "3", "7", "100"] {
        assert_eq!(decode(&["--chunk", chunk], RECORDED.as_bytes()), DECODED, "{chunk}");
    }
    assert_eq!(decode(&[], RECORDED.as_bytes()), DECODED);
    let without_utc = RECORDED.replace(r#", "utc": "2025-01-02T03:04:05.000Z""#, "");
    let printed = decode(&[], without_utc.as_bytes());
    assert_eq!(printed.matches(r#","utc":null"#).count(), DECODED.lines().count(), "{printed}");
    let text = decode(&["--format", "text"], RECORDED.as_bytes());
    assert_eq!(
        text,
        "login:\n> Foo\npassword:\n> (password)\n> (password)\n%\n> (password)\n> date&#xf6;\n> who\nNoon\n%\n> (password)\n"
    );
}

#[test]
fn lines_without_a_reply_are_found_and_reply_times_summarized() {
    let unanswered = objects(&decode(&["--filter", "unanswered"], RECORDED.as_bytes()));
    let lines: Vec<_> = unanswered.iter().map(|object| (&object["request"], &object["line"], &object["t"])).collect();
    assert_eq!(
        lines,
        [
            (&2.into(), &"date&#xf6;".into(), &2.5.into()),
            (&3.into(), &"who".into(), &2.5.into()),
            (&4.into(), &Value::Null, &62.5.into())
        ]
    );
    let slow = objects(&decode(&["--filter", "reply>1s"], RECORDED.as_bytes()));
    assert_eq!(slow.iter().map(|object| &object["event"]).collect::<Vec<_>>(), ["answered", "text"]);
    let summary = |recorded: &[u8], filter: &[&str]| {
        let mut object = objects(&decode(&[&["--format", "summary"], filter].concat(), recorded)).remove(0);
        (object["unanswered"].take(), object["reply_ms"].take(), object["events"]["answered"].take())
    };
    let one_reply = json!({"p50": 59700.0, "p90": 59700.0, "p99": 59700.0});
    assert_eq!(summary(RECORDED.as_bytes(), &[]), (3.into(), one_reply, 1.into()));
    let none = json!({"p50": null, "p90": null, "p99": null});
    assert_eq!(summary(RECORDED.as_bytes(), &["--filter", "unanswered who"]), (1.into(), none.clone(), Value::Null));
    assert_eq!(summary(SESSION, &[]), (0.into(), none, Value::Null));
}

/// A hundred requests in block mode, answered after 1 ms to 100 ms.
#[test]
fn percentiles_are_those_of_all_replies() {
    let hex = |bytes: String| bytes.bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
    let records = (1..=100).map(|n| {
        let (sent, reply) = (hex(format!("{n} date\n")), hex(format!("\x15{n}\x1633\x16x\n\r\x17\n\rfics% ")));
        format!(
            "{{\"t\": {n}, \"dir\": \"tx\", \"hex\": \"{sent}\"}}\n\
             {{\"t\": {n}.{n:03}, \"dir\": \"rx\", \"hex\": \"{reply}\"}}\n"
        )
    });
    let recorded: String = records.collect();
    let summary = &objects(&decode(&["--format", "summary"], recorded.as_bytes()))[0];
    assert_eq!(summary["reply_ms"], json!({"p50": 50.0, "p90": 90.0, "p99": 99.0}), "{summary}");
    assert_eq!((&summary["unanswered"], &summary["events"]["answered"]), (&0.into(), &100.into()));
}

/// A recording of two connections: a piece of the server's without bytes ends each of them.
#[test]
fn the_connections_of_a_recording_are_decoded_one_by_one() {
    let board = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 7 Newton \
        Einstein 0 2 12 39 39 120 120 1 none (0:00) none 0\n\r";
    let connections = [
        format!("login: password: fics% nowrap set.\n\r{board}a torn li"),
        format!(
            "login: password: fics% \n\r{}",
            board.replace("RNBQKBNR W", "RNBQKB-R B").replace("120 1 none", "120 9 none")
        ),
    ];
    let [first, mut second] = connections.each_ref().map(|bytes| objects(&decode(&[], bytes.as_bytes())));
    for object in &mut second {
        object["offset"] = (object["offset"].as_u64().unwrap() + connections[0].len() as u64).into();
    }
    for chunk in ["1", "100"] {
        let recorded = connections.each_ref().map(|bytes| [&transcript(bytes.as_bytes(), 11), END].concat()).concat();
        let printed = decode(&["--chunk", chunk], &recorded);
        assert_eq!(objects(&timeless(&printed)), [&first[..], &second].concat(), "{chunk}");
    }
    let n_prompts =
        [&first, &second].map(|all| all.iter().filter(|object| object["event"] == "password_prompt").count());
    assert_eq!(n_prompts, [1, 1]);
}

const END: &[u8] = b"{\"t\": 9.5, \"dir\": \"rx\", \"hex\": \"\"}\n";

#[test]
fn a_torn_recording_is_read_up_to_the_cut() {
    let whole = r#"{"t": 1.5, "dir": "rx", "hex": "6869"}"#;
    let cut = r#"{"event":"cut","offset":null,"t":1.500000,"utc":null,"line":2}"#;
    let hi = r#"{"event":"text","offset":0,"t":1.500000,"utc":null,"text":"hi"}"#;
    for torn in ["{", r#"{"t": 2"#, r#"{"t": 2, "dir": "rx", "hex": "66"#, "\0\0\0"] {
        let recorded = format!("{whole}\n{torn}");
        let printed = format!("{hi}\n{cut}\n");
        assert_eq!(decode(&[], recorded.as_bytes()), printed, "{torn}");
        let Outcome { stdout, stderr, status } = run(&["decode", "--strict", "--chunk", "1"], recorded.as_bytes());
        assert_eq!((stdout, status), (printed, 1), "{torn}");
        assert_eq!(stderr, "kibitzer: cannot read standard input: transcript ends inside line 2\n");
    }
    let torn = format!("{whole}\n{{");
    assert_eq!(decode(&["--format", "text"], torn.as_bytes()), "hi\n* the recording ends inside line 2\n");
    assert_eq!(objects(&decode(&["--format", "summary"], torn.as_bytes()))[0]["events"]["cut"], 1);
    assert_eq!(decode(&["--strict"], whole.as_bytes()), format!("{hi}\n"), "only its line end is missing");
    let first = objects(&decode(&[], br#"{"t": 1"#));
    assert_eq!((first.len(), &first[0]["event"], &first[0]["line"]), (1, &"cut".into(), &1.into()));
}

#[test]
fn pings_are_removed_where_their_protocol_is_spoken() {
    let cases: &[(&[&str], &[u8], &str)] = &[
        (&[], b"[G]\n\rFoo shouts: hi\n\r", "text 0, shout 5"),
        (&["--timeseal", "1"], b"[G]\n\rFoo shouts: hi\n\r", "shout 5"),
        (&["--timeseal", "2"], b"[G]\0Foo sho[G]\0uts: hi\n\r", "shout 4"),
        (&["--timeseal", "2"], b"[G]\n\rFoo shouts: hi\n\r", "text 0, shout 5"),
    ];
    for &(args, sent, want) in cases {
        for chunk in ["1", "100"] {
            let printed = objects(&decode(&[args, &["--chunk", chunk]].concat(), sent));
            let lines = printed.iter().map(|line| format!("{} {}", line["event"].as_str().unwrap(), line["offset"]));
            assert_eq!(lines.collect::<Vec<_>>().join(", "), want, "{args:?}");
        }
    }
}

#[test]
fn a_server_that_is_named_is_understood() {
    let sent = b" game 6 white [PNBBB] black [PNB]\n\r";
    for (server, want) in [("auto", "text"), ("fics", "text"), ("icc", "holding")] {
        assert_eq!(objects(&decode(&["--server", server], sent))[0]["event"], want, "{server}");
    }
}

/// What public documents print, damage included, and what each line says: kind, game and position or reserve.
const SAMPLES: [(&str, &str); 7] = [
    (
        "<12> rnbqkb-r pppppppp -----n-- -------- ----P--- -------- PPPPKPPP RNBQ-BNR B -1 0 0 1 1 0 7 Newton Einstein 1 2 12 39 39 119 \
         122 2 K/e1-e2 (0:06) Ke2 0\r\n",
        "position 7 rnbqkb1r/pppppppp/5n2/8/4P3/8/PPPPKPPP/RNBQ1BNR b kq - 0 2",
    ),
    (
        " <12> rnbqkb-r pppppppp -----n-- -------- ----P--- -------- PPPPKPPP RNBQ-BNR B -1 0 0 1 1 0 7 Quimbee Darooha 1 2 12 39 39 \
         119 122 2 K/e1-e2 (0:06) Ke2 0\r\n",
        "position 7 rnbqkb1r/pppppppp/5n2/8/4P3/8/PPPPKPPP/RNBQ1BNR b kq - 0 2",
    ),
    (
        "<12>rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 100 guestBLARG guestcday 1 10 0 39 39 \
         600 600 1 P/e2-e4 (0:00) e4 1 0 0\r\n",
        "position 100 rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
    ),
    ("<b1> game 6 white [PNBBB] black [PNB]\r\n", "holding 6 PNBBB PNB"),
    ("<b1> game 52 white [NB] black [N] <- BN\r\n", "holding 52 NB N"),
    (" game 6 white [PNBBB] black [PNB]\r\n", "holding 6 PNBBB PNB"),
    (
        "\"10\"\r\n|r b kbnr|\r\n|ppp ppp |\r\n|  nq    |\r\n|   p   p|\r\n|   P    |\r\n|  NQB  N|\r\n|PPP PPPP|\r\n|R   KB R|\r\n\
         B -1 1 1 1 1 3\r\n0 Darooha Quimbee 1 2 12 39 39 113 129 5 B/c1-e3 (0:22) Be3\r\n",
        "position 0 r1b1kbnr/ppp1ppp1/2nq4/3p3p/3P4/2NQB2N/PPP1PPPP/R3KB1R b KQkq - 3 5",
    ),
];

#[test]
fn samples_of_public_documents_decode() {
    let all = SAMPLES.map(|(sent, _)| sent).concat();
    let want = SAMPLES.map(|(_, want)| want);
    for line_end in ["\r\n", "\n\r", "\n"] {
        for chunk in ["1", "1000"] {
            let sent = all.replace("\r\n", line_end);
            let printed = objects(&decode(&["--server", "icc", "--chunk", chunk], sent.as_bytes()));
            let said = printed.iter().map(|event| {
                let text = |field: &str| event[field].as_str().unwrap_or_default();
                let content = if event["event"] == "holding" {
                    [text("white"), text("black")].join(" ")
                } else {
                    text("fen").into()
                };
                format!("{} {} {content}", text("event"), event["game"])
            });
            assert_eq!(said.collect::<Vec<_>>(), want, "{line_end:?}");
        }
    }
}

#[test]
fn a_summary_counts() {
    let sent = [SESSION, b"\n\r<d1> 399 10 O-O e8g8c 922 168890 207\n\r"].concat();
    let printed = decode(&["--format", "summary"], &transcript(&sent, 50));
    let summary = &objects(&printed)[0];
    assert!(
        printed.starts_with(&format!("{{\"bytes\":{},\"frames\":8,\"events\":{{\"desync\":1,", sent.len())),
        "{printed}"
    );
    assert_eq!(printed.lines().count(), 1);
    assert_eq!(summary["desyncs"], 1);
    let events = r#"{"desync":1,"logged_in":1,"login_prompt":1,"position":1,"prompt":2,"sent":6,"shout":1,"text":2}"#;
    assert_eq!(summary["events"].to_string(), events);
    assert!(summary["elapsed_s"].is_number() && summary["mb_per_s"].is_number());
}

#[test]
fn text_draws_boards_and_obeys_nobody() {
    let said = b"Foo tells you: \x1b[2J\x9b31m caf\xe9 &#x202e;x\n\r\n\r<sr> 8 9\n\rfics% ";
    let printed = decode(&["--format", "text"], &[said, SESSION].concat());
    let want = r"
Foo tells you: \u{9b}31m café \u{202e}x

seeks removed: indexes 8 9
%
login: Foo
**** Starting FICS session as Foo ****
%
Bar shouts: hi
 8  r n b q k b . r   Einstein              2:02 <
 7  p p p p p p p p
 6  . . . . . n . .   2. Ke2  (0:06)
 5  . . . . . . . .
 4  . . . . P . . .   game 7, 2+12
 3  . . . . . . . .   material 39-39
 2  P P P P K P P P
 1  R N B Q . B N R   Newton                1:59
    a b c d e f g h
%
";
    assert_eq!(printed, want.trim_start());
}

#[test]
fn datagrams_are_put_in_words() {
    let sent = b"\x19(0 Foo {GM}\x19)\x19(19 7\x19)\x19(31 Bar {TD} \x19{hi \x1b[2J {you}\x19} 1\x19)\x19(32 Bar {} 1 {waves}\x19)\
        \x19(28 50 Bar {} {x} 1\x19)\x19(26 7 Bar {} 1 {x}\x19)\x19(15 7 Foo Bar 0 Blitz 1 3 2 3 2 1\x19)\
        \x19(21 7 0 1 0 0 0 0 0 0\x19)\x19(16 7 0 Res 1-0 {Black resigns} {}\x19)\x19(42 7 e5 2\x19)\x19(59 7 Bar e4\x19)\
        \x19(29 Bar 1500 1 {} Foo 0 0 {} 0 Blitz 0 0 5 3 5 3 -1 {}\x19)\x19(69 11 {Sorry}\x19)\x19(64 Bar\x19)";
    let want = r"
logged in as Foo
no longer observing game 7
Bar(TD) tells you: hi \u{1b}[2J {you}
Bar waves
Bar(50): x
Bar[7] kibitzes: x
game 7: Foo against Bar, Blitz
game 7: rated Blitz, ratings ---- and ----
offer of Bar: draw
game 7: 1-0, Black resigns
illegal move: e5
board mark: game 7, by Bar, shape circle, from e4, drawn yes
challenge: Bar (1500P), unrated Blitz 5+3
invalid password: Sorry
Bar has arrived
";
    assert_eq!(decode(&["--format", "text"], sent), want.trim_start());
}

#[test]
fn colors_come_where_they_are_wanted() {
    let path = file("colors.raw", SESSION);
    let cases = [("CLICOLOR_FORCE", "1", true), ("NO_COLOR", "1", false), ("CLICOLOR", "1", false)];
    for (name, value, is_colored) in cases {
        let output = kibitzer(&["decode", "--format", "text", &path]).env(name, value).output().unwrap();
        assert_eq!(output.stdout.contains(&0x1b), is_colored, "{name}");
        let plain = anstream::adapter::strip_bytes(&output.stdout).into_vec();
        assert_eq!(String::from_utf8(plain).unwrap(), decode(&["--format", "text"], SESSION), "{name}");
    }
}

#[test]
fn help_is_given() {
    let examples = |command: &str| format!("Examples:\n  kibitzer {command} ");
    for command in ["connect", "record", "decode", "serve"] {
        let Outcome { stdout, stderr, status } = run(&[command, "--help"], b"");
        assert_eq!((status, stderr.as_str()), (0, ""), "{command}");
        assert!(stdout.contains(examples(command).trim_end()), "{stdout}");
    }
    let Outcome { stdout, status, .. } = run(&["--help"], b"");
    assert!(status == 0 && stdout.contains("Usage: kibitzer [OPTIONS]\n       kibitzer <COMMAND>"), "{stdout}");
}

/// A game that the login plays, and one that it observes.
#[test]
fn boards_are_lines_unless_they_are_drawn() {
    let board = |game: u32, relation: i32| {
        format!(
            "<12> rnbqkb-r pppppppp -----n-- -------- ----P--- -------- PPPPKPPP RNBQ-BNR B -1 0 0 1 1 0 {game} Newton \
             Einstein {relation} 2 12 39 39 297 298 2 K/e1-e2 (0:06) Ke2 0\n\r"
        )
    };
    let start = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 8 Foo Bar 0 2 \
        12 39 39 120 120 1 none (0:00) none 0\n\r";
    let said = format!("{}{}{start}Foo shouts: hi\n\r", board(7, -1), board(8, 0));
    let text = |arguments: &[&str]| decode(&[&["--format", "text"], arguments].concat(), said.as_bytes());
    let moves = "game 7: 2. Ke2, white 4:57, black 4:58\ngame 8: 2. Ke2, white 4:57, black 4:58\n\
        game 8: no move yet, white 2:00, black 2:00\nFoo shouts: hi\n";
    assert_eq!(text(&["--boards", "never"]), moves);
    let [_, others] = moves.split_inclusive("black 4:58\n").collect::<Vec<_>>()[..2] else { panic!() };
    let mine = text(&["--boards", "mine"]);
    assert!(mine.lines().count() == 12 && mine.contains(others) && mine.contains("a b c d e f g h"), "{mine}");
    assert_eq!((text(&["--boards", "all"]), text(&[]).lines().count()), (text(&[]), 28));
    assert_eq!(text(&["--boards", "never", "--times"]), moves, "a raw log has no times");
}

#[test]
fn lines_begin_with_their_time_if_asked() {
    let text = decode(&["--format", "text", "--times"], RECORDED.as_bytes());
    assert!(text.starts_with("0:00 login:\n0:00 > Foo\n0:01 password:\n"), "{text}");
    assert!(text.contains("\n1:02 Noon\n"), "{text}");
    let board = transcript(SESSION, 1_000);
    let drawn = decode(&["--format", "text", "--times"], &board);
    assert!(drawn.contains("\n0:01 \n 8 "), "{drawn}");
    let moves = decode(&["--format", "text", "--times", "--boards", "never"], &board);
    assert!(moves.contains("\n0:01 game 7: 2. Ke2, white 1:59, black 2:02\n"), "{moves}");
}
