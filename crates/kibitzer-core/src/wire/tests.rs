//! The framer's rules, each fed whole, byte by byte and in between.

use proptest::prelude::*;

use super::{Control, Family, FrameKind, Framer, Limits, LineTag, Timeseal};

/// Kind and contents of a frame, in the form that the tests compare.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Seen {
    Line(LineTag, Vec<u8>),
    OverLong(Vec<u8>, u64),
    Prompt,
    Login,
    Password,
    Guest(Vec<u8>),
    Block(u64, u32),
    End(u64, bool),
    Telnet(u8, Option<u8>),
    Ping,
    Datagram(Vec<u8>),
    Unit(Vec<u8>),
    UnitEnd,
    Overflow,
}

fn text(line: &str) -> Seen {
    Seen::Line(LineTag::None, line.as_bytes().to_vec())
}

fn tagged(tag: LineTag, line: &str) -> Seen {
    Seen::Line(tag, line.as_bytes().to_vec())
}

impl From<FrameKind<'_>> for Seen {
    fn from(kind: FrameKind<'_>) -> Self {
        match kind {
            FrameKind::Line { tag, bytes } => Self::Line(tag, bytes.to_vec()),
            FrameKind::OverLong { bytes, length } => Self::OverLong(bytes.to_vec(), length),
            FrameKind::Datagram { bytes } => Self::Datagram(bytes.to_vec()),
            FrameKind::Control(Control::Prompt) => Self::Prompt,
            FrameKind::Control(Control::LoginPrompt) => Self::Login,
            FrameKind::Control(Control::PasswordPrompt) => Self::Password,
            FrameKind::Control(Control::GuestPrompt(name)) => Self::Guest(name.as_str().into()),
            FrameKind::Control(Control::BlockStart { id, code }) => Self::Block(id, code.0),
            FrameKind::Control(Control::BlockEnd { id, complete }) => Self::End(id, complete),
            FrameKind::Control(Control::Telnet { command, option }) => Self::Telnet(command, option),
            FrameKind::Control(Control::Ping) => Self::Ping,
            FrameKind::Control(Control::UnitStart(header)) => {
                let tag = header.tag.as_ref().map_or(String::new(), |tag| format!(" {tag}"));
                Self::Unit(format!("{} {}{tag}", header.command, header.player).into())
            }
            FrameKind::Control(Control::UnitEnd) => Self::UnitEnd,
            FrameKind::Control(Control::Overflow) => Self::Overflow,
        }
    }
}

/// A frame with its offset, its end, and whether a bell preceded it.
type Placed = (u64, u64, bool, Seen);

/// Returns the frames of a stream that arrives in these reads.
fn run<'a>(mut framer: Framer, reads: impl IntoIterator<Item = &'a [u8]>) -> Vec<Placed> {
    let mut seen = Vec::new();
    for mut read in reads {
        while let Some(frame) = framer.next_frame(&mut read) {
            seen.push((frame.offset, frame.end, frame.bell, frame.kind.into()));
        }
        assert!(read.is_empty(), "bytes were left without a frame");
    }
    while let Some(frame) = framer.finish() {
        seen.push((frame.offset, frame.end, frame.bell, frame.kind.into()));
    }
    seen
}

/// Returns the frames of a stream, and asserts that they do not depend on the boundaries of reads.
fn frames_of(framer: &Framer, stream: &[u8]) -> Vec<Placed> {
    let whole = run(framer.clone(), [stream]);
    for size in [1, 2, 3, 5, 7, 11] {
        assert_eq!(run(framer.clone(), stream.chunks(size)), whole, "in pieces of {size}: {:?}", stream.escape_ascii());
    }
    whole
}

fn seen_by(framer: &Framer, stream: &[u8]) -> Vec<Seen> {
    frames_of(framer, stream).into_iter().map(|(.., seen)| seen).collect()
}

fn seen(stream: &[u8]) -> Vec<Seen> {
    seen_by(&Framer::new(), stream)
}

#[track_caller]
fn check(cases: &[(&[u8], &[Seen])]) {
    for (stream, want) in cases {
        assert_eq!(seen(stream), *want, "{:?}", stream.escape_ascii());
    }
}

// Rules: transport L1, ten 1, bugs 6, bugs 7
#[test]
fn every_kind_of_line_end_gives_the_same_lines() {
    check(&[
        (b"a\n\rb\n\r", &[text("a"), text("b")]),
        (b"a\r\nb\r\n", &[text("a"), text("b")]),
        (b"a\nb\n", &[text("a"), text("b")]),
        (b"a\r\r\n\rb", &[text("a"), text("b")]),
        (b"\n\r\n\r", &[text(""), text("")]),
        (b"a\rb\n", &[text("ab")]),
    ]);
}

// Rules: transport L3, transport L4, bugs 8
#[test]
fn noise_is_dropped_and_a_bell_is_reported() {
    check(&[(b"a\0b\0\n\0", &[text("ab")])]);
    for stream in [&b"fics% \x07\n\r<b1> game 1 white [] black []\n"[..], b"\x07<b1> game 1 white [] black []\nx\n"] {
        let frames = frames_of(&Framer::new(), stream);
        let holding = frames.iter().find(|frame| matches!(frame.3, Seen::Line(LineTag::Holding, _)));
        assert_eq!(holding.map(|frame| frame.2), Some(true), "{:?}", stream.escape_ascii());
    }
    let frames = frames_of(&Framer::new(), b"\x07a\nb\n");
    assert_eq!(frames.iter().map(|frame| frame.2).collect::<Vec<_>>(), [true, false]);
}

// Rules: transport T1, transport T2, transport T3, bugs 5, ten 10
#[test]
fn telnet_commands_leave_the_text_around_them_intact() {
    check(&[
        (b"ab\xff\xfb\x01cd\n", &[Seen::Telnet(251, Some(1)), text("abcd")]),
        (b"\xff\xfc\x01login: ", &[Seen::Telnet(252, Some(1)), Seen::Login]),
        (b"x\xff\xf9y\n", &[Seen::Telnet(249, None), text("xy")]),
        (b"x\xff\xfa\x18\x00\xff\xf0y\n", &[Seen::Telnet(250, Some(24)), text("xy")]),
        (b"a\xff\xffb\n", &[Seen::Line(LineTag::None, b"a\xffb".to_vec())]),
        (b"fi\xff\xfb\x01cs% ok\n", &[Seen::Telnet(251, Some(1)), Seen::Prompt, text("ok")]),
        (b"cut\xff", &[text("cut\u{0}").map_last(0xff)]),
        (b"\xff\xfb", &[Seen::Telnet(251, None)]),
    ]);
}

// Rules: transport T4, transport C1
#[test]
fn letters_that_look_like_telnet_verbs_stay() {
    check(&[(b"\xfb\xfc\xfd\n", &[Seen::Line(LineTag::None, b"\xfb\xfc\xfd".to_vec())])]);
}

// Rules: transport P2
#[test]
fn a_prompt_in_a_run_of_text_ends_at_its_last_blank() {
    // The NUL keeps the line from being read whole.
    for prompt in ["ab> ", "a: b> ", "a b  c> ", "longer than any known prompt> "] {
        let mut framer = Framer::new();
        framer.set_prompt(prompt.as_bytes());
        let stream = format!("\0  {prompt}{prompt}some text: {prompt}\n{prompt}\n");
        let text = text(&format!("some text: {prompt}"));
        assert_eq!(seen_by(&framer, stream.as_bytes()), [Seen::Prompt, Seen::Prompt, text, Seen::Prompt], "{prompt}");
    }
}

// Rules: transport P4, transport P5, ten 2, ten 3, bugs 9
#[test]
fn any_number_of_prompts_is_removed_from_the_start_of_a_line() {
    let board = "<12> short";
    check(&[
        (b"fics% \n\rtext\n", &[Seen::Prompt, text("text")]),
        (
            b"fics% fics% Game 4: Game clock paused.\n",
            &[Seen::Prompt, Seen::Prompt, text("Game 4: Game clock paused.")],
        ),
        (b"fics% <12> short\n", &[Seen::Prompt, tagged(LineTag::Style12, board)]),
        (b"<12> short\n\r\\   \n\rfics% ", &[tagged(LineTag::CutStyle12, board), Seen::Prompt]),
        (b"<12>\n\r\\   short\n\rfics% ", &[tagged(LineTag::Style12, board), Seen::Prompt]),
        (b"fics% \x07 <12> short\n", &[Seen::Prompt, tagged(LineTag::Style12, board)]),
        (b"  fics%  \n", &[Seen::Prompt]),
        (b"12:34_fics% x\n", &[Seen::Prompt, text("x")]),
        (b"aics% fics% \n", &[Seen::Prompt, Seen::Prompt]),
        (b" 1: indented\n", &[text(" 1: indented")]),
        (b"   \n", &[text("   ")]),
    ]);
}

// Rules: style12 cut
#[test]
fn a_board_that_uhlin_fics_cut_does_not_wait_for_its_line_end() {
    let boards = [
        "<12> rnbqkbnr ppp-pppp -------- ---P---- -------- -------- PPPP-PPP RNBQKBNR B -1 1 1 1 1 0 1 Abcdefghijklmnopq \
         Zyxwvutsrqponmlkj -1 100 60 39 38 6119 6060 2 P/e4-d5 (0:00",
        "<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 1 Abcdefghijklmnopq \
         Zyxwvutsrqponmlkj -1 100 60 39 39 6060 6000 1 P/e2-e4 (0:01",
    ];
    for board in boards {
        let mut framer = Framer::new();
        let cut = format!("{board}\n\r\\   ");
        let frame = framer.next_frame(&mut cut.as_bytes()).expect("a frame").kind;
        assert_eq!(frame, FrameKind::Line { tag: LineTag::CutStyle12, bytes: board.as_bytes() });
        for next in ["\n\rfics% ", "fics% "] {
            assert_eq!(
                seen(format!("{cut}{next}").as_bytes()),
                [tagged(LineTag::CutStyle12, board), Seen::Prompt],
                "{next}"
            );
        }
        // Others break boards where their width ends.
        let (piece, rest) = board.rsplit_once(' ').expect("words");
        let broken = format!("{piece}\n\r\\   {rest}) e4 0\n\rfics% ");
        assert_eq!(seen(broken.as_bytes()), [tagged(LineTag::Style12, &format!("{board}) e4 0")), Seen::Prompt]);
    }
}

// Rules: transport P6, transport P9, bugs 10
#[test]
fn a_prompt_is_emitted_at_once_and_only_once() {
    for prompt in
        ["fics% ", "12:34_fics% ", "login: ", "password: ", "Press return to enter the server as \"GuestABCD\":"]
    {
        let mut framer = Framer::new();
        assert!(framer.next_frame(&mut prompt.as_bytes()).is_some(), "{prompt}");
        let mut rest = &b"\n\r"[..];
        assert!(framer.next_frame(&mut rest).is_none(), "{prompt}");
        assert!(framer.finish().is_none(), "{prompt}");
    }
    let mut framer = Framer::new();
    framer.set_prompt(b"chess> ");
    assert_eq!(seen_by(&framer, b"chess> fics% x\n"), [Seen::Prompt, Seen::Prompt, text("x")]);
}

// Rules: transport P8, bugs 11
#[test]
fn prompt_text_inside_a_line_stays() {
    check(&[
        (b"joe(U) tells you: fics% hello\n", &[text("joe(U) tells you: fics% hello")]),
        (b"Foo tells you: 100fics% sure\n", &[text("Foo tells you: 100fics% sure")]),
    ]);
}

// Rules: transport LG4, transport LG1
#[test]
fn login_prompts_are_known_until_the_login() {
    check(&[
        (
            b"login: Sorry, Foo is already logged in. Try again.\n\rlogin: ",
            &[Seen::Login, text("Sorry, Foo is already logged in. Try again."), Seen::Login],
        ),
        (
            b"Press return to enter the FICS as \"Wanderer\":\xff\xfc\x01hi\n",
            &[Seen::Guest(b"Wanderer".to_vec()), Seen::Telnet(252, Some(1)), text("hi")],
        ),
        (
            b"**** Starting FICS session as Foo ****\nlogin: x\npassword: y\n",
            &[text("**** Starting FICS session as Foo ****"), text("login: x"), text("password: y")],
        ),
        (b"fics% login: x\n", &[Seen::Prompt, text("login: x")]),
        (
            b"fics% Press return to enter the FICS as \"Foo\":\n",
            &[Seen::Prompt, text("Press return to enter the FICS as \"Foo\":")],
        ),
    ]);
}

// Rules: transport W1, transport W3, transport W7, bugs 12
#[test]
fn wrapped_lines_are_joined_with_one_blank() {
    let long = "Foo tells you: the quick brown fox jumps over the lazy";
    let joined = format!("{long} dog");
    for sent in [
        format!("{long}\n\r\\   dog\n\rfics% "),
        format!("{long} \n\r\\   dog\n\rfics% "),
        format!("{long}\n\r\\    dog\r\nfics% "),
    ] {
        assert_eq!(seen(sent.as_bytes()), [text(&joined), Seen::Prompt], "{sent}");
    }
    let thrice = format!("{long}\n\\   and a second piece that is as long as the first\n\\   end\n");
    assert_eq!(seen(thrice.as_bytes()), [text(&format!("{long} and a second piece that is as long as the first end"))]);
}

// Rules: transport W2
#[test]
fn a_word_cut_at_full_width_is_joined_without_a_blank() {
    let (first, second) = ("W".repeat(75), "W".repeat(20));
    let sent = format!("fics% \n\rDripper tells you:\n\r\\   {first}\n\r\\   {second}\n\rfics% ");
    let joined = text(&format!("Dripper tells you: {first}{second}"));
    assert_eq!(seen(sent.as_bytes()), [Seen::Prompt, joined, Seen::Prompt]);
    let fatics = format!("Welcome to FatICS\nfics% Foo tells you: {}\n\\   {second}\nfics% ", "x".repeat(64));
    assert_eq!(seen(fatics.as_bytes())[2], text(&format!("Foo tells you: {}{second}", "x".repeat(64))));
}

// Rules: text X9
#[test]
fn talk_of_any_length_is_joined_with_the_long_word_after_it() {
    for piece in ["Foo tells you: see", "Foo tells you:", "--> Foo", "Foo(1): x", " 1: at"] {
        let word = "W".repeat(75);
        let sent = format!("fics% \n\r{piece}\n\r\\   {word}\n\r\\   W\n\rfics% ");
        assert_eq!(seen(sent.as_bytes()), [Seen::Prompt, text(&format!("{piece} {word}W")), Seen::Prompt], "{piece}");
    }
}

#[test]
fn a_tagged_line_changes_no_setting_wherever_reads_cut_it() {
    let piece = format!("a {}", "x".repeat(77));
    let sent = format!("<pt>FatICS\n{piece}\n\\   x");
    assert_eq!(seen(sent.as_bytes()), [tagged(LineTag::PendingTo, "<pt>FatICS"), text(&format!("{piece} x"))]);
}

// Rules: transport W4, bugs 12
#[test]
fn an_entity_cut_by_a_break_survives_joining() {
    let long = "Foo tells you: the quick brown fox jumps over the lazy &#x3b";
    let sent = format!("{long}\n\r\\   1;\n\rfics% ");
    let Seen::Line(_, bytes) = &seen(sent.as_bytes())[0] else { panic!("no line") };
    assert_eq!(crate::text::decode_received(bytes), "Foo tells you: the quick brown fox jumps over the lazy α");
}

// Rules: transport W5, bugs 13
#[test]
fn machine_lines_broken_by_a_small_width_are_joined() {
    let board = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 9 A B 0 2 12 39 39 120 120 1 none (0:00) none 0";
    let sent = board.replace(" PPPPPPPP", "\n\r\\   PPPPPPPP").replace(" 39 39", "\n\r\\   39 39") + "\n\rfics% ";
    assert_eq!(seen(sent.as_bytes()), [tagged(LineTag::Style12, board), Seen::Prompt]);
    let seek = "<s> 8 w=visar ti=02 rt=2194  t=4 i=0 r=r tp=suicide c=? rr=0-9999 a=t f=f";
    let sent = seek.replace(" c=?", "\n\r\\   c=?") + "\n\r";
    assert_eq!(seen(sent.as_bytes()), [tagged(LineTag::Seek, seek)]);
}

// Rules: transport W5, transport W6
#[test]
fn nothing_waits_once_lines_are_not_wrapped() {
    let long = "Foo tells you: the quick brown fox jumps over the lazy dog\n\r";
    let mut framer = Framer::new();
    assert!(framer.next_frame(&mut long.as_bytes()).is_none(), "a long line waits");
    let mut told = Framer::new();
    told.disable_line_joining();
    assert!(told.next_frame(&mut long.as_bytes()).is_some());
    let mut found_out = Framer::new();
    let mut rest = &b"fics% nowrap set.\n\r"[..];
    while found_out.next_frame(&mut rest).is_some() {}
    assert!(found_out.next_frame(&mut long.as_bytes()).is_some());
    assert_eq!(
        seen(b"nowrap set.\n12345678901234567890123456789012\n\\   x\nnowrap unset.\n"),
        [text("nowrap set."), text("12345678901234567890123456789012"), text("\\   x"), text("nowrap unset."),]
    );
}

/// Returns a framer that has received a prompt and the end of its line.
fn logged_in() -> Framer {
    let mut framer = Framer::new();
    let mut prompt = &b"fics% \n\r"[..];
    while framer.next_frame(&mut prompt).is_some() {}
    framer
}

#[test]
fn a_line_that_cannot_continue_is_emitted_at_once() {
    let board = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 9 A B 0 2 12 39 39 120 120 1 none (0:00) none 0\n\r";
    for line in [board, "\n\r", "<sr> 8\n\r", "{Game 107 (Abcdef vs. Bcdefg) Creating unrated blitz match.}\n\r"] {
        assert!(logged_in().next_frame(&mut line.as_bytes()).is_some(), "{line}");
    }
    let refusal = "**** Invalid password! ****\n\r";
    assert!(Framer::new().next_frame(&mut refusal.as_bytes()).is_some(), "no prompt need follow before the login");
    for next in ["f", "\n\r", "<", "\x07\n"] {
        let (mut framer, tell) = (logged_in(), format!("(told Foo)\n\r{next}"));
        assert!(framer.next_frame(&mut tell.as_bytes()).is_some(), "one byte more is enough: {next:?}");
    }
}

// Rules: transport W3, transport W5, bugs 13
#[test]
fn machine_lines_broken_in_their_last_words_are_joined() {
    let lines = [
        "{Game 107 (Abcdefghijklmnopq vs. Zyxwvutsrqpon) Zyxwvutsrqpon forfeits on time}|1-0",
        "<sr> 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34|35 36",
        "<b1> game 1 white [PPPPPPPPNNBBRRQ] black [PPPPPPPPNNBBRRQPPPPPPP]|<- BN",
        "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W|-1 1 1 1 1 0 9 Abcdefghi Bcdefghij 0 2 12 39 39 120 120 1 none (0:00) none 0|1 304",
    ];
    for line in lines {
        let frames = seen(format!("{}\n\rfics% ", line.replace('|', "\n\r\\   ")).as_bytes());
        assert_eq!(frames[0], Seen::Line(LineTag::of(line.as_bytes()), line.replace('|', " ").into()), "{line}");
        assert_eq!(frames.len(), 2, "{line}");
    }
}

// Rules: text X8, ten 8, bugs 42
#[test]
fn quoted_words_are_player_text_whatever_comes_between_them_and_their_heading() {
    let words = [
        "<12> rnbqkbnr",
        "fics% {Game 1 (A vs. B) A resigns} 0-1",
        "<b1> game 6 white [] black []",
        "fics% **** Me has arrived - you can't both be logged in. ****",
        "[G]",
        "\x07<12> x",
        "nowrap set.",
        "The following message was sent to Foo:",
    ];
    let between: [(&str, &[Seen]); 12] = [
        ("", &[]),
        ("\n\r", &[text("")]),
        ("\n\r\n\r", &[text(""), text("")]),
        ("[G]\n\r", &[Seen::Ping]),
        ("\n\r[G]\n\r", &[text(""), Seen::Ping]),
        ("\x1512\x1637\x16", &[Seen::Block(12, 37)]),
        ("\x1512\x1637\x16\n\r", &[Seen::Block(12, 37)]),
        ("\x1512\x1637\x16\x17\n\r", &[Seen::Block(12, 37), Seen::End(12, true)]),
        ("\x19(26 5\x19)", &[Seen::Datagram(b"26 5".to_vec())]),
        ("\x19[101 *\r\n", &[Seen::Unit(b"101 *".to_vec())]),
        ("fics% ", &[Seen::Prompt]),
        ("fics% \n\r\x07\x1b[7m\r\0", &[Seen::Prompt]),
    ];
    for (heading, indent) in [
        ("Foo(GM TD) just sent you a message:", "    "),
        ("The following message was sent to Foo:", "   "),
        ("The following message was received from Foo at Mon Jan  1, 10:00 PST 2024:", " "),
    ] {
        for (bytes, frames) in &between {
            for words in words {
                let sent =
                    format!("\n\r{heading}\n\r{bytes}{indent}{words}\n\r{indent}more\n\rfics% <b1> x\n    <b1> y\n");
                let mut want = vec![text(""), text(heading)];
                want.extend_from_slice(frames);
                want.extend([
                    tagged(LineTag::PlayerText, &format!("{indent}{}", words.trim_start_matches('\x07'))),
                    tagged(LineTag::PlayerText, &format!("{indent}more")),
                    Seen::Prompt,
                    tagged(LineTag::Holding, "<b1> x"),
                    tagged(LineTag::Holding, "<b1> y"),
                ]);
                let mut found = seen_by(&Framer::new().with_timeseal(Timeseal::V1), sent.as_bytes());
                found.retain(|frame| !matches!(frame, Seen::End(12, false) | Seen::UnitEnd));
                assert_eq!(found, want, "{sent:?}");
            }
        }
    }
    let sent = "Foo tells you: Bar just sent you a message:\n    <b1> x\n";
    assert_eq!(seen(sent.as_bytes())[1], tagged(LineTag::Holding, "<b1> x"));
}

// Rules: text X8, transport W2
#[test]
fn wrapped_quoted_words_of_any_length_are_joined() {
    let sent = "Foo just sent you a message:\n    <12>\n\\   <b1> x\n\\   fics% \n\\   <12> y\n<b1> z\n";
    assert_eq!(
        seen(sent.as_bytes())[1..],
        [tagged(LineTag::PlayerText, "    <12> <b1> x fics% <12> y"), tagged(LineTag::Holding, "<b1> z")]
    );
    let word = "y".repeat(75);
    let sent = format!("Foo just sent you a message:\n    {word}\n\\   {word}\n\\   <12> x\n");
    assert_eq!(seen(sent.as_bytes())[1..], [tagged(LineTag::PlayerText, &format!("    {word}{word}<12> x"))]);
    let sent = format!("Foo just sent you a message:\n\\   {}\n\\   <12> x\n", "y".repeat(75));
    assert!(!seen(sent.as_bytes()).iter().any(|frame| matches!(frame, Seen::Line(LineTag::Style12, _))), "{sent}");
}

/// Breaks a line before each word that does not fit, and puts a continuation mark before every further piece.
fn wrapped(line: &str, width: usize) -> String {
    let mut pieces = vec![String::new()];
    for word in line.split(' ') {
        let last = pieces.last_mut().unwrap();
        if !last.is_empty() && last.len() + 1 + word.len() > width {
            pieces.push(format!("\\   {word}"));
        } else {
            *last = if last.is_empty() { word.to_owned() } else { format!("{last} {word}") };
        }
    }
    pieces.join("\n\r")
}

// Rules: text X8
#[test]
fn a_heading_is_recognized_at_every_width_of_lines() {
    let headings = [
        "The following message was sent to Foo:",
        "The following message was forwarded and emailed to Abcdefghijklmno:",
        "The following message was received from Foo(GM)(TD) at Mon Jan  1, 10:00 PST 2024:",
        "Foo just sent you a message:",
        "Abcdefghijklmno(GM)(TD)(*)(SR) just sent you a message:",
        "Abcdefghijklmno just sent you a message:",
        "A message was just sent to you by Abcdefghijklmno(GM):",
    ];
    for (heading, family) in headings.iter().flat_map(|heading| [(heading, Family::Icc), (heading, Family::Fics)]) {
        for width in 32..=90 {
            let mut framer = Framer::new();
            framer.set_family(family);
            let sent = format!("fics% \n\r{}\n\r   <wd> Foo\n\rfics% ", wrapped(heading, width));
            let found = seen_by(&framer, sent.as_bytes());
            assert!(found.contains(&tagged(LineTag::PlayerText, "   <wd> Foo")), "{width}: {found:?}");
        }
    }
}

#[test]
fn an_incomplete_continuation_mark_starts_a_line() {
    let long = "Foo tells you: the quick brown fox jumps over the lazy dog";
    for (next, want) in [("\\ x", "\\ x"), ("\\", "\\"), ("\\  <12>", "\\  <12>"), ("x", "x")] {
        let sent = format!("{long}\n{next}\n");
        assert_eq!(seen(sent.as_bytes()), [text(long), text(want)], "{next}");
    }
    let sent = format!("{long}\n\\   \n<b1> game 1 white [] black []\n");
    assert_eq!(seen(sent.as_bytes()), [text(long), tagged(LineTag::Holding, "<b1> game 1 white [] black []")]);
}

// Rules: text X0, icc DG9, bugs K5
#[test]
fn units_count_on_icc_and_where_the_family_is_not_known_before_the_login() {
    let unit = b"x\x19(0 Evil {}\x19)\x1ay\n";
    let (is_unit, is_text) = (
        [Seen::Datagram(b"0 Evil {}".to_vec()), text("x"), Seen::Overflow, text("y")],
        [text("x\x19(0 Evil {}\x19)\x1ay")],
    );
    let known = |family| {
        let mut framer = Framer::new();
        framer.set_family(family);
        framer
    };
    let cases: &[(Family, &[u8], &[Seen])] = &[
        (Family::Auto, b"", &is_unit),
        (Family::Auto, b"aics% ", &is_unit),
        (Family::Auto, b"12:34_aics% \n\rfics% ", &is_unit),
        (Family::Auto, b"\x19(0 Foo {}\x19)", &is_unit),
        (Family::Auto, b"fics% ", &is_text),
        (Family::Auto, b"chess% ", &is_text),
        (Family::Auto, b"fics% \n\raics% ", &is_text),
        (Family::Auto, b"**** Starting FICS session as Foo ****\n", &is_text),
        (Family::Fics, b"", &is_text),
        (Family::Fics, b"aics% ", &is_text),
        (Family::Icc, b"", &is_unit),
        (Family::Icc, b"fics% ", &is_unit),
    ];
    for (family, before, want) in cases {
        let frames = seen_by(&known(*family), &[before, &unit[..]].concat());
        assert!(frames.ends_with(want), "{family}, {:?}: {frames:?}", before.escape_ascii());
    }
}

// Rules: datagrams BM1, bugs K5
#[test]
fn block_marks_count_only_without_words_before_them_and_if_block_mode_may_be_on() {
    let complaint: [u8; 8] = *b"\x150\x16519\x16\x17";
    let talk = "Foo tells you: \x1512\x1637\x16<12>\x17";
    let mut off = Framer::new();
    off.set_block_mode(false);
    for framer in [Framer::new(), off.clone()] {
        assert_eq!(seen_by(&framer, format!("{talk}\n").as_bytes()), [text(talk)]);
        assert_eq!(seen_by(&framer, &complaint), [Seen::Block(0, 519), Seen::End(0, true)]);
    }
    let reply = b"fics% \x1512\x1637\x16<12>\n\x17\n";
    let [prompt, end] = [Seen::Prompt, Seen::End(12, true)];
    assert_eq!(seen(reply), [prompt.clone(), Seen::Block(12, 37), tagged(LineTag::Style12, "<12>"), end]);
    assert_eq!(seen_by(&off, reply), [prompt, text("1237\x16<12>"), text("\x17")]);
}

// Rules: transport C5
#[test]
fn terminal_escapes_are_removed() {
    check(&[
        (b"fics% \x1b[7m\x1b[1m\n\rAlice\x1b[0m tells you: hello\n\r", &[Seen::Prompt, text("Alice tells you: hello")]),
        (b"a\x1b[1;31mb\n", &[text("ab")]),
        (b"a\x1bb\n", &[text("a\u{1b}b")]),
        (b"a\x1b[\x01\n", &[text("a\u{1b}[\u{1}")]),
        (b"end\x1b[3", &[text("end\u{1b}[3")]),
    ]);
}

// Rules: transport S2, transport S4, bugs 1, bugs 3
#[test]
fn a_version_1_ping_is_a_line_of_its_own() {
    let framer = Framer::new().with_timeseal(Timeseal::V1);
    assert_eq!(seen_by(&framer, b"fics% \n\r[G]\n\rx\n"), [Seen::Prompt, Seen::Ping, text("x")]);
    assert_eq!(seen_by(&framer, b"fics% \n\r[G]\n\r\n\rx\n"), [Seen::Prompt, Seen::Ping, text("x")]);
    assert_eq!(seen_by(&framer, b"foo tells you: [G]\n[G] \n"), [text("foo tells you: [G]"), text("[G] ")]);
    assert_eq!(seen_by(&framer, b"fics% [G]\n"), [Seen::Prompt, text("[G]")]);
    assert_eq!(seen(b"[G]\n"), [text("[G]")]);
}

// Rules: transport S2, transport S4, bugs 1, bugs 2, bugs 3, bugs 4
#[test]
fn a_version_2_ping_is_found_anywhere() {
    let framer = Framer::new().with_timeseal(Timeseal::V2);
    let cases: &[(&[u8], &[Seen])] = &[
        (b"[G]\0", &[Seen::Ping]),
        (b"abc[G]\0def\n", &[Seen::Ping, text("abcdef")]),
        (b"e4 [G]\0ok\n", &[Seen::Ping, text("e4 ok")]),
        (b"[G]\0[G]\0[G]\0", &[Seen::Ping, Seen::Ping, Seen::Ping]),
        (b"foo tells you: [G]\n", &[text("foo tells you: [G]")]),
        (b"[[G]\0G]\n", &[Seen::Ping, text("[G]")]),
        (b"fi[G]\0cs% \n", &[Seen::Ping, Seen::Prompt]),
        (b"x[G", &[text("x[G")]),
        (b"[G]\0\x1558\x161\x16ok\n\x17", &[Seen::Ping, Seen::Block(58, 1), text("ok"), Seen::End(58, true)]),
    ];
    for (stream, want) in cases {
        assert_eq!(seen_by(&framer, stream), *want, "{:?}", stream.escape_ascii());
    }
}

// Rules: datagrams BM1, datagrams BM2, bugs 95, bugs 96, bugs 97
#[test]
fn a_block_may_contain_every_kind_of_line() {
    check(&[
        (
            b"\x1558\x161\x16\n<b1> game 1 white [] black []\n\x17\nfics% ",
            &[
                Seen::Block(58, 1),
                tagged(LineTag::Holding, "<b1> game 1 white [] black []"),
                Seen::End(58, true),
                Seen::Prompt,
            ],
        ),
        (
            b"fics% \x1554\x1673\x16Issuing: x\n\n<pt> 7 w=B t=draw p=#\nfics% \x17\nfics% ",
            &[
                Seen::Prompt,
                Seen::Block(54, 73),
                text("Issuing: x"),
                text(""),
                tagged(LineTag::PendingTo, "<pt> 7 w=B t=draw p=#"),
                Seen::Prompt,
                Seen::End(54, true),
                Seen::Prompt,
            ],
        ),
        (b"\x150\x16519\x16\x17\nfics% ", &[Seen::Block(0, 519), Seen::End(0, true), Seen::Prompt]),
        (
            b"\x15999999999999\x1632\x16x\x17",
            &[Seen::Block(999_999_999_999, 32), text("x"), Seen::End(999_999_999_999, true)],
        ),
    ]);
}

// Rules: datagrams BM3, datagrams BM6, datagrams BM7, bugs 98
#[test]
fn a_block_that_goes_wrong_loses_no_text() {
    check(&[
        (
            b"\x151\x1610\x16abc\x152\x1611\x16d\x17",
            &[Seen::Block(1, 10), text("abc"), Seen::End(1, false), Seen::Block(2, 11), text("d"), Seen::End(2, true)],
        ),
        (b"\x151\x1610\x16abc", &[Seen::Block(1, 10), text("abc"), Seen::End(1, false)]),
        (b"\x15x\x16abc\n", &[text("x\u{16}abc")]),
        (b"\x1512\x16y\n", &[text("12y")]),
        (b"\x151234567890123456789\x161\x16z\n", &[text("1234567890123456789\u{16}1\u{16}z")]),
        (b"\x17a\n", &[text("\u{17}a")]),
    ]);
}

#[test]
fn posed_output_keeps_its_text() {
    check(&[
        (b"\x155\x1632\x16\x18posed\n\x19\x17", &[Seen::Block(5, 32), text("posed"), Seen::End(5, true)]),
        (
            b"\x155\x1632\x16a\n\x18\n\x150\x1680\x16posed\n\x17\x19b\n\x17c\n",
            &[Seen::Block(5, 32), text("a"), text(""), text("posed"), text("b"), Seen::End(5, true), text("c")],
        ),
        // A lost end of the inner block.
        (
            b"\x155\x1632\x16\x18\x150\x1680\x16posed\n\x19b\n\x17c\n",
            &[Seen::Block(5, 32), text("posed"), text("b"), Seen::End(5, true), text("c")],
        ),
    ]);
}

#[test]
fn marks_around_a_reply_to_a_posed_command_are_not_text() {
    const BOARD: &str = "<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 7 Newton \
        Einstein 0 2 12 39 39 119 122 1 P/e2-e4 (0:06) e4 0";
    let stream =
        format!("fics% \x18\n\r\x150\x1680\x16You are\n\r\x17\n\rfics% \x19{BOARD}\n\r\x18{BOARD}\n\rfics% \x19\n\r");
    let board = || tagged(LineTag::Style12, BOARD);
    let block = [Seen::Block(0, 80), text("You are"), Seen::End(0, true), Seen::Prompt];
    let want = [&[Seen::Prompt][..], &block, &[board(), board(), Seen::Prompt]].concat();
    check(&[
        (stream.as_bytes(), &want),
        (b"fics% \n\rFoo tells you: \x18a\x19b\n", &[Seen::Prompt, text("Foo tells you: \x18a\x19b")]),
    ]);
    let mut without_blocks = Framer::new();
    without_blocks.set_block_mode(false);
    assert_eq!(seen_by(&without_blocks, b"fics% \n\r\x19a\n"), [Seen::Prompt, text("\x19a")]);
}

// Rules: icc DG5, icc DG6, icc DG9, icc DG10, bugs 80, bugs 85
#[test]
fn level_2_units_are_separate_from_the_text() {
    check(&[
        (b"\x19(124 24 1\x19)aics% ", &[Seen::Datagram(b"124 24 1".to_vec()), Seen::Prompt]),
        (b"\x19(1 a\x19)\x19(2 b\x19)\n", &[Seen::Datagram(b"1 a".to_vec()), Seen::Datagram(b"2 b".to_vec())]),
        (b"\x19(31 x \x19{a}b)\x19(\n\x19}\x19)", &[Seen::Datagram(b"31 x \x19{a}b)\x19(\n\x19}".to_vec())]),
        (b"ab\x19(1\x19)cd\n", &[Seen::Datagram(b"1".to_vec()), text("abcd")]),
        (b"a\x19b\n", &[text("ab")]),
    ]);
}

// Rules: icc DG8, icc DG12, bugs 86, bugs 87
#[test]
fn broken_units_are_given_up_as_text() {
    check(&[
        (b"\x19(1 abc\x19(2 d\x19)", &[text("(1 abc"), Seen::Datagram(b"2 d".to_vec())]),
        (b"\x19(1 abc\x1a\nok\n", &[text("(1 abc"), Seen::Overflow, text(""), text("ok")]),
        (b"\x19(1 abc", &[text("(1 abc")]),
        (
            b"\x19(1 {abc} \x19{never closed\x1a\nok\n",
            &[text("(1 {abc} \u{19}{never closed"), Seen::Overflow, text(""), text("ok")],
        ),
    ]);
    let framer = Framer::new().with_limits(Limits::default().datagram_bytes(8));
    assert_eq!(
        seen_by(&framer, b"\x19(123456789\nx\n"),
        [Seen::OverLong(b"(12345678".to_vec(), 9), text("9"), text("x")]
    );
}

// Rules: bugs 81, icc L1, icc L2
#[test]
fn level_1_brackets_are_emitted_with_their_header() {
    check(&[
        (
            b"\x19[101 * tag\r\nhi\r\n\x19]aics% ",
            &[Seen::Unit(b"101 * tag".to_vec()), text("hi"), Seen::UnitEnd, Seen::Prompt],
        ),
        (b"\x19<\x19[177 *\nhi\n\x19]\x19>\n", &[Seen::Unit(b"177 *".to_vec()), text("hi"), Seen::UnitEnd]),
        (b"\x19[101 *\x19(1\x19)\n", &[Seen::Datagram(b"1".to_vec()), text("[101 *")]),
    ]);
}

// Rules: icc L3, icc L5
#[test]
fn level_1_units_nest_with_text_and_datagrams() {
    let unit = |header: &str| Seen::Unit(header.as_bytes().to_vec());
    check(&[(
        b"\x19[130 * t\r\na\r\n\x19[26 *\r\nb\x19(2 x\x19)c\r\n\x19]\r\nd\r\n\x19]\r\nnews\r\n",
        &[
            unit("130 * t"),
            text("a"),
            unit("26 *"),
            Seen::Datagram(b"2 x".to_vec()),
            text("bc"),
            Seen::UnitEnd,
            text("d"),
            Seen::UnitEnd,
            text("news"),
        ],
    )]);
}

// Rules: bugs 86, bugs 87, icc L4, icc DG12
#[test]
fn every_start_of_a_unit_has_its_end() {
    let unit = |header: &str| Seen::Unit(header.as_bytes().to_vec());
    check(&[
        // One more at the disconnection.
        (b"x\x19]\n", &[text("x")]),
        (b"\x19[1 *\n\x19]\x19]\n", &[unit("1 *"), Seen::UnitEnd]),
        // The rest of a command's output is lost, its end too.
        (
            b"\x19[1 *\nx\n\x1a\x19[2 *\n\x19]\n",
            &[unit("1 *"), text("x"), Seen::Overflow, Seen::UnitEnd, unit("2 *"), Seen::UnitEnd],
        ),
        (b"\x19[1 *\n\x1a\x19]y\n", &[unit("1 *"), Seen::Overflow, Seen::UnitEnd, text("y")]),
        // No server nests four deep.
        (
            b"\x19[1 *\n\x19[2 *\n\x19[3 *\n\x19[4 *\n\x19]",
            &[
                unit("1 *"),
                unit("2 *"),
                unit("3 *"),
                Seen::UnitEnd,
                Seen::UnitEnd,
                Seen::UnitEnd,
                unit("4 *"),
                Seen::UnitEnd,
            ],
        ),
        (b"\x19[1 *\nx", &[unit("1 *"), text("x"), Seen::UnitEnd]),
    ]);
}

// Rules: transport LG4, icc §1
#[test]
fn a_session_that_knows_its_name_asks_for_none() {
    check(&[(
        b"login: \x19(0 Foo {}\x19)\r\nlogin: \r\npassword: \r\n",
        &[Seen::Login, Seen::Datagram(b"0 Foo {}".to_vec()), text("login: "), text("password: ")],
    )]);
}

// Rules: bugs 14
#[test]
fn a_long_read_loses_nothing() {
    let mut sent = Vec::new();
    for n in 0..400 {
        sent.extend(format!("{n}: {}\n\r", "x".repeat(n)).bytes());
    }
    sent.extend(b"fics% <b1> game 1 white [] black []\n\r");
    let seen = seen(&sent);
    assert_eq!(seen.len(), 402);
    assert_eq!(seen.last(), Some(&tagged(LineTag::Holding, "<b1> game 1 white [] black []")));
}

#[test]
fn unit_header_that_becomes_a_line_is_cut_at_the_limit_of_a_line() {
    let framer = Framer::new().with_limits(Limits::default().line_bytes(40));
    for (length, want) in [(40, text(&"y".repeat(40))), (41, Seen::OverLong(vec![b'y'; 40], 41))] {
        let sent = format!("\x19[{}\n\rok\n\r", "y".repeat(length));
        assert_eq!(seen_by(&framer, sent.as_bytes()).first(), Some(&want));
    }
}

// Rules: ten 7
#[test]
fn lines_over_the_limit_are_cut_and_marked() {
    let limits = Limits::default().line_bytes(40).wrapped_line_bytes(60);
    let framer = Framer::new().with_limits(limits);
    let sent = format!("{}\nok\n", "y".repeat(100));
    assert_eq!(seen_by(&framer, sent.as_bytes()), [Seen::OverLong(vec![b'y'; 40], 100), text("ok")]);
    let wrapped = format!("{}\n\\   {}\nok\n", "a ".repeat(20), "b".repeat(39));
    assert_eq!(
        seen_by(&framer, wrapped.as_bytes()),
        [Seen::OverLong(format!("{}{}", "a ".repeat(20), "b".repeat(20)).into(), 79), text("ok")]
    );
    let framer = Framer::new().with_limits(limits.wrapped_line_bytes(40));
    let full = format!("{}\n\\   b\n", "a".repeat(40));
    assert_eq!(seen_by(&framer, full.as_bytes()), [Seen::OverLong(vec![b'a'; 40], 42)], "no room for the blank");
}

#[test]
fn a_block_over_the_limit_is_cut_after_a_line() {
    let framer = Framer::new().with_limits(Limits::default().block_bytes(20));
    assert_eq!(
        seen_by(&framer, b"\x151\x1610\x16abc\ndefghijklmnop\nlater\n\x17"),
        [Seen::Block(1, 10), text("abc"), text("defghijklmnop"), Seen::End(1, false), text("later"), text("\u{17}"),]
    );
}

#[test]
fn a_block_over_the_limit_is_cut_before_an_incomplete_continuation_mark() {
    let framer = Framer::new().with_limits(Limits::default().block_bytes(20));
    let long = "Foo tells you: the quick brown fox jumps over the lazy dog";
    let sent = format!("\x151\x1610\x16{long}\n\\\nx\n");
    assert_eq!(
        seen_by(&framer, sent.as_bytes()),
        [Seen::Block(1, 10), text(long), Seen::End(1, false), text("\\"), text("x")]
    );
}

// Rules: ten 3
#[test]
fn offsets_are_those_of_the_frames_own_first_byte() {
    let stream = b"fics% \n\r \x07<12> x\n\rabc\xff\xfb\x01d\n\r\n\r";
    let places: Vec<_> = frames_of(&Framer::new(), stream).into_iter().map(|(at, end, ..)| (at, end)).collect();
    assert_eq!(places, [(0, 6), (10, 17), (21, 24), (18, 26), (27, 28)]);
}

#[test]
fn a_unit_begun_inside_of_another_has_the_offset_of_its_own_control_y() {
    for (stream, want) in [
        (&b"\x19(ab\x19(2 d\x19)"[..], (4, 11)),
        (b"\x19(ab\x19\xff\xf9(2 d\x19)", (4, 13)),
        (b"\x19(ab\x19\xff\xfd\x01(2 d\x19)", (4, 14)),
    ] {
        let places = frames_of(&Framer::new(), stream);
        let Some(&(at, end, _, Seen::Datagram(_))) = places.last() else { panic!("{places:?}") };
        assert_eq!((at, end), want, "{:?}", stream.escape_ascii());
    }
}

#[test]
fn an_invalid_header_is_text_from_its_bracket_on() {
    check(&[
        (b"\x19[fics% Log\x12\n", &[text("[fics% Log\u{12}")]),
        (b"\x19[\x19[\x01b\n", &[text("["), text("[\u{1}b")]),
        (b"\x19(\x19(24\x19)", &[text("("), Seen::Datagram(b"24".to_vec())]),
    ]);
}

impl Seen {
    /// Returns the same line with another last byte, for bytes that a string literal cannot contain.
    fn map_last(mut self, byte: u8) -> Self {
        if let Self::Line(_, bytes) = &mut self
            && let Some(last) = bytes.last_mut()
        {
            *last = byte;
        }
        self
    }
}

#[test]
fn a_tag_after_a_continued_line_of_blanks_has_its_own_offset() {
    let stream = b"fics% hello\n \n\r\\   <sc>\n";
    let whole = run(Framer::new(), [&stream[..]]);
    assert_eq!(whole.last().map(|seen| seen.0), Some(19));
    assert_eq!(run(Framer::new(), stream.chunks(1)), whole);
}

/// Generates streams from pieces of sessions, valid and invalid, in any order.
fn session_bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        &b"fics% "[..], b"\n\r", b"\r\n", b"\n", b"\\   ", b"\\ ", b" ", b"login: ", b"password: ", b"aics% ", b"12:34_fics% ",
        b"<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 9 A B 0 2 12 39 39 120 120 1 none (0:00) none 0",
        b"<b1> game 1 white [] black []", b"<s> 8 w=visar ti=02", b"Foo tells you:", b" hello there, this is rather a long line of talk ",
        b"Press return to enter the server as \"GuestABCD\":", b"**** Starting FICS session as Foo ****", b"nowrap set.", b"nowrap unset.",
        b"FatICS", b"Foo(GM TD) just sent you a message:\n", b"\nThe following message was sent to Foo:\n\r   ", b"[G]\0", b"[G]", b"[", b"\0", b"\x07", b"\xff\xfb\x01", b"\xff\xff", b"\xff", b"\xfa", b"\x1b[7m", b"\x1b[", b"\x1b",
        b"\x1512\x1634\x16", b"\x15", b"\x16", b"\x17", b"\x18", b"\x19", b"\x19(", b"\x19)", b"\x19[101 * x\r\n", b"\x19]", b"\x19{", b"\x19}", b"\x1a",
        b"&#x3b1;", b"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", b"9",
    ]);
    prop::collection::vec(
        prop_oneof![9 => piece.prop_map(<[u8]>::to_vec), 1 => prop::collection::vec(any::<u8>(), 0..8)],
        0..40,
    )
    .prop_map(|pieces| pieces.concat())
}

fn any_framer() -> impl Strategy<Value = Framer> {
    let timeseal = prop::sample::select(vec![Timeseal::Off, Timeseal::V1, Timeseal::V2]);
    let limits = prop_oneof![
        Just(Limits::default()),
        Just(Limits::default().line_bytes(50).wrapped_line_bytes(90).block_bytes(60).datagram_bytes(20))
    ];
    // As the account may have set one, or as somebody may write it down.
    let prompt =
        prop::sample::select(vec![&b""[..], b"> ", b"9", b"Foo tells", b"x  ", b"[G]", b"\x1b[7m", b"\xff ", b"\x07 "]);
    (timeseal, limits, prompt).prop_map(|(timeseal, limits, prompt)| {
        let mut framer = Framer::new().with_timeseal(timeseal).with_limits(limits);
        framer.set_prompt(prompt);
        framer
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    // Rules: ten 6
    #[test]
    fn frames_do_not_depend_on_read_boundaries(
        framer in any_framer(),
        stream in session_bytes(),
        cuts in prop::collection::vec(1_usize..30, 1..60),
    ) {
        let whole = run(framer.clone(), [&stream[..]]);
        let mut rest = &stream[..];
        let mut reads = Vec::new();
        for size in cuts {
            let (read, later) = rest.split_at(size.min(rest.len()));
            reads.push(read);
            rest = later;
        }
        reads.push(rest);
        prop_assert_eq!(&run(framer.clone(), reads), &whole);
        prop_assert_eq!(&run(framer, stream.chunks(1)), &whole);
    }

    // Rules: ten 7
    #[test]
    fn printable_text_is_neither_lost_nor_invented(lines in prop::collection::vec("[ -~]{0,100}", 0..20)) {
        let mut framer = Framer::new();
        framer.disable_line_joining();
        let stream: Vec<u8> = lines.iter().flat_map(|line| format!("x{line}\n\r").into_bytes()).collect();
        let want: Vec<_> = lines.iter().map(|line| text(&format!("x{line}"))).collect();
        prop_assert_eq!(seen_by(&framer, &stream), want);
    }
}
