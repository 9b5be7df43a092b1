//! Rules of the protocol that take the whole way from bytes to messages. `docs/protocol.md` says what each is about.

use std::sync::Arc;

use kibitzer_core::MessageReader;
use kibitzer_core::message::{Control, Family, Message, Style12};
use kibitzer_core::wire::Framer;
use kibitzer_tests::{Transcript, kind_of};

const E4: &str = "<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 7 Foo Bar 0 2 12 39 39 \
                  120 120 1 P/e2-e4 (0:01) e4 0 1 0";

fn messages_of(family: Family, stream: &[u8]) -> Vec<Message> {
    let mut reader = MessageReader::new(Framer::new(), family);
    let mut rest = stream;
    let mut messages: Vec<_> = std::iter::from_fn(|| reader.next(&mut rest)).map(|received| received.message).collect();
    messages.extend(std::iter::from_fn(|| reader.finish()).map(|received| received.message));
    messages
}

fn messages(stream: &str) -> Vec<Message> {
    messages_of(Family::Auto, stream.as_bytes())
}

fn kinds(stream: &str) -> Vec<String> {
    messages(stream).iter().map(kind_of).collect()
}

fn board(stream: &str) -> Option<Arc<Style12>> {
    messages(stream).into_iter().find_map(|message| match message {
        Message::Style12(board) => Some(board),
        _ => None,
    })
}

/// Each line, in a session that is logged in, makes one message of this kind.
#[track_caller]
fn check(kind: &str, lines: &[&str]) {
    for line in lines {
        let found = kinds(&format!("fics% \n\r{line}\n\rfics% "));
        assert_eq!(found, ["Prompt", kind, "Prompt"], "{line}");
    }
}

// Rules: transport P7, bugs 85
#[test]
fn prompts_follow_units_or_are_missing() {
    assert_eq!(kinds("\u{19}(124 24 1\u{19})aics% "), ["Datagram", "Prompt"]);
    assert_eq!(kinds("\u{19}(124 24 1\u{19})\r\nFoo shouts: hi\r\n"), ["Datagram", "Talk"]);
}

// Rules: transport S5
#[test]
fn a_complaint_of_timeseals_decoder_is_text() {
    check("Text", &["timeseal error: your timeseal did not reply to the server ping"]);
}

// Rules: text X10
#[test]
fn a_line_that_begins_with_a_colon_is_a_robots_whatever_it_says() {
    let board = format!(":{E4}");
    let ended = ":{Game 7 (Foo vs. Bar) Foo resigns} 0-1";
    check(
        "Talk",
        &[":Notification: Foo has arrived.", ":[Foo has connected.]", ended, &board, ":fics% ", ":Foo says: hi"],
    );
    check("Refused", &[": Command not found."]);
}

// Rules: transport C1
#[test]
fn ascii_and_latin_1_are_read_alike() {
    for (sent, text) in [(&b"Foo tells you: caf\xe9\n"[..], "caf\u{e9}"), (b"Foo tells you: cafe\n", "cafe")] {
        let messages = messages_of(Family::Icc, sent);
        assert!(matches!(&messages[..], [Message::Talk(talk)] if talk.text() == text), "{messages:?}");
    }
}

// Rules: style12 V3
#[test]
fn the_pretty_move_is_kept_and_not_read() {
    for san in ["e4", "e3+", "N@f3", "??", "O-O"] {
        let board = board(&E4.replace(" e4 0", &format!(" {san} 0"))).unwrap();
        let last_move = board.last_move().unwrap();
        assert_eq!(last_move.text(), san);
        assert_eq!(last_move.played.unwrap().to_uci(kibitzer_core::chess::Color::White).unwrap().to_string(), "e2e4");
    }
}

// Rules: style12 B1, bugs 8, bugs 9, ten 2
#[test]
fn a_board_is_found_behind_what_may_precede_it() {
    let want = board(E4);
    assert!(want.is_some());
    for before in ["fics% ", "\u{7}", " ", "\0", "\r", "fics% fics% ", "fics% \u{7}\n\r", "fics% \u{7} \0", "aics%  "] {
        assert_eq!(board(&format!("{before}{E4}\n")), want, "{before:?}");
    }
}

// Rules: style12 B2, bugs 42, bugs 43, ten 3, ten 8
#[test]
fn a_board_that_somebody_wrote_is_text() {
    for line in [
        format!("Foo shouts: {E4}"),
        format!("Foo tells you: {E4}"),
        format!("--> Foo {E4}"),
        format!(" 1: {E4}"),
        format!("\\   {E4}"),
        "<12> is the tag of a board".to_owned(),
        "<12> rnbqkb-r pppppppp (see \"help style12\")".to_owned(),
        "- <d1> 2 64 Rxc2 e2c2p 1200 203800".to_owned(),
        "Foo shouts: {Game 5 (A vs. B) A resigns} 0-1".to_owned(),
    ] {
        let found = kinds(&format!("fics% \n\r{line}\n\rfics% "));
        assert!(matches!(found[1].as_str(), "Text" | "Talk"), "{line}: {found:?}");
    }
}

// Rules: style12 B3, bugs 13
#[test]
fn a_board_broken_at_a_small_width_is_one_board() {
    let broken = E4.replace(" --------", "\n\r\\   --------").replace(" Foo", "\n\r\\   Foo");
    assert_eq!(board(&broken), board(E4));
}

// Rules: bugs 23, ten 9
#[test]
fn clocks_go_below_zero() {
    let seconds = board(&E4.replace("120 120", "-3 0")).unwrap();
    assert_eq!((seconds.white_clock().as_ms(), seconds.black_clock().as_ms()), (-3000, 0));
    let fractions = board(&E4.replace("120 120", "-917 0").replace("(0:01)", "(0:01.000)")).unwrap();
    assert_eq!(fractions.white_clock().as_ms(), -917);
}

// Rules: style10 O2, style10 O4
#[test]
fn boards_of_all_styles_come_between_diagrams() {
    for name in ["uhlinfics-styles-midgame-Alice", "uhlinfics-styles-midgame-Carla"] {
        let kinds: Vec<_> =
            Transcript::named(name).events().iter().filter_map(|event| event.message().map(kind_of)).collect();
        let count = |kind: &str| kinds.iter().filter(|found| *found == kind).count();
        assert!(count("Style12") > 1 && count("Style10") > 0, "{name}");
    }
}

// Rules: style10 O3
#[test]
fn what_stands_beside_a_diagram_is_text() {
    check(
        "Text",
        &[
            "Game 7 (Foo vs. Bar)",
            "    8  | *r| *n| *b| *q| *k| *b| *n| *r|     Move # : 12 (White)",
            "    7  | *p| *p| *p| *p| *p| *p| *p| *p|     White Moves : 'Nf3     (0:00)'",
            "    5  |   |   |   |   |   |   |   |   |     Black Clock : 1:10",
            "    2  | P | P | P | P | P | P | P | P |     White Strength : 39",
            "       ---------------------------------",
            "         a   b   c   d   e   f   g   h",
        ],
    );
}

// Rules: datagrams P4
#[test]
fn an_offer_comes_as_text_and_as_a_datagram() {
    let kinds: Vec<_> = Transcript::named("fatics-match-pending-a")
        .events()
        .iter()
        .filter_map(|event| event.message().map(kind_of))
        .collect();
    let count = |kind: &str| kinds.iter().filter(|found| *found == kind).count();
    assert_eq!(count("Pending"), count("Challenge"));
}

// Rules: datagrams P5
#[test]
fn a_game_that_starts_removes_the_offers_to_play() {
    let messages: Vec<_> = Transcript::named("fatics-match-pending-a")
        .events()
        .iter()
        .filter_map(|event| event.message().cloned())
        .collect();
    let created = messages.iter().position(|message| matches!(message, Message::GameCreated(_))).unwrap();
    let mut pending = Vec::new();
    for message in &messages[..created] {
        match message {
            Message::Pending(offer) => pending.push(offer.index),
            Message::PendingRemoved(removed) => pending.retain(|index| !removed.indexes.contains(index)),
            _ => {}
        }
    }
    assert!(!pending.contains(&18), "the offer that was accepted stays: {pending:?}");
}

// Rules: text Z9
#[test]
fn the_trailer_of_a_move_list_ends_no_game() {
    check("Text", &["      {White resigns} 0-1", "      {Still in progress} *", "{Still in progress} *"]);
}

// Rules: bughouse §3
#[test]
fn lines_about_partners() {
    check(
        "Partner",
        &[
            "Foo offers to be your bughouse partner; type \"partner Foo\" to accept.",
            "Making a partnership offer to Foo.",
            "Foo agrees to be your partner.",
            "You agree to be Foo's partner.",
            "Foo declines the partnership request.",
            "You no longer have a bughouse partner.",
            "Your partner has ended partnership.",
            "Your partner has disconnected.",
            "Your partner is playing game 75 (A vs. B).",
        ],
    );
    check("Talk", &["Foo (your partner) tells you: N!"]);
}

// Rules: text §1
#[test]
fn every_kind_of_chat() {
    check(
        "Talk",
        &[
            "Foo(C) tells you: hello",
            "Foo[26] says: gg",
            "Foo says: gg",
            "Foo(U) (your partner) tells you: N!",
            "Foo(C)( 958)[235] kibitzes: +0.3",
            "Foo(1900)[12] whispers: nice",
            "Foo(*) shouts: hi",
            "Foo c-shouts: hi",
            "--> Foo waves",
            "--> Foo's cat",
            "Foo(TD)(49): start",
            ":Foo(TM) t-shouts: blitz in 5 minutes",
            "    **ANNOUNCEMENT** from Foo: hi",
            " 1. Foo at Mon Jan  1, 10:00 PST 2024: hi",
        ],
    );
    check("Delivered", &["(told Foo)", "(shouted to 45 players)"]);
    check("Text", &["----> hello"]);
}

// Rules: text §2
#[test]
fn arrivals_and_departures() {
    check(
        "Arrival",
        &[
            "Notification: Foo has arrived.",
            "Notification: Foo(GM) has departed.",
            "Notification: Foo has arrived and isn't on your notify list.",
            "[Foo has connected.]",
            "[Foo has disconnected.]",
        ],
    );
}

// Rules: text §3, bugs 60
#[test]
fn offers_to_play_and_what_becomes_of_them() {
    check(
        "Challenge",
        &[
            "Challenge: Foo (1500P) [white] Bar (1671) unrated blitz 5 0.",
            "Challenge: Foo (----) Bar (++++) rated wild/fr 2 12 Loaded from wild/fr.",
            "Challenge: Foo (----) Bar ( 958) unrated untimed.",
            "Challenge: Foo (1500) Bar (1600) rated standard 15 5 (adjourned).",
            "Issuing: Foo (1500) Bar (1671) rated blitz 5 0.",
        ],
    );
    check(
        "ChallengeUpdate",
        &[
            "Foo updates the match request.",
            "Foo declines the match offer.",
            "Foo accepts the match offer.",
            "You accept the match offer from Foo.",
            "You decline the match offer from Foo.",
            "Challenge from Foo removed.",
            "Challenge to Foo withdrawn.",
            "Foo, who was challenging you, has joined a match with Bar.",
            "Foo, whom you were challenging, has departed.",
            "Your challenge intercepts Foo's challenge.",
        ],
    );
}

// Rules: text §4
#[test]
fn offers_in_a_game_and_their_answers() {
    check(
        "Offer",
        &[
            "Foo offers you a draw.",
            "Your opponent offers you a draw.",
            "Foo would like to abort the game; type \"abort\" to accept.",
            "Foo would like to adjourn the game; type \"adjourn\" to accept.",
            "Foo would like to take back 2 half move(s).",
            "Foo would like to switch sides.",
            "Foo requests to pause the game.",
            "Foo declines the draw request.",
            "Foo withdraws the draw request.",
            "Foo proposes a different number (3) of half-move(s) to take back.",
            "Draw request sent.",
            "You decline the draw request from Foo.",
            "Game 39: Foo offers a draw.",
            "Game 39: Foo requests to take back 1 half move(s).",
            "Game 39: Foo declines the draw request.",
        ],
    );
}

// Rules: text §5, bugs 54
#[test]
fn the_lines_that_start_a_game() {
    check(
        "Creating",
        &[
            "Creating: Foo (1500) Bar (++++) unrated blitz 5 0",
            "Creating: Foo (1500) Bar (----) rated standard 15 5 (adjourned)",
        ],
    );
    check(
        "GameCreated",
        &[
            "{Game 107 (Foo vs. Bar) Creating unrated blitz match.}",
            "{Game 107 (Foo vs. Bar) Continuing rated standard match.}",
            "{Game 3 (Foo(*) vs. Bar) Creating rated wild/5 match.}",
            "{Game 3 (Foo vs. Bar) Creating unrated  match.}",
        ],
    );
}

// Rules: text §6, datagrams S6, datagrams S7
#[test]
fn ads_in_words() {
    check(
        "Seek",
        &[
            "Foo(C) ( 886) seeking 2 12 rated blitz [white] m f (\"play 48\" to respond)",
            "Foo (++++) seeking 5 0 unrated blitz (\"play 1\" to respond)",
            "Foo (1449) seeking blitz 5 0 rated 1300-1600 (\"play 17\" to respond)",
        ],
    );
    check("SeeksRemoved", &["Ads removed: 22 1 119"]);
    check("SeekNotice", &["Your seek has been posted with index 121.", "Your seeks have been removed."]);
}

// Rules: text §7
#[test]
fn observing_and_examining() {
    check(
        "Observing",
        &[
            "You are now observing game 463.",
            "Removing game 463 from observation list.",
            "Game 1 (which you were observing) has no examiners.",
        ],
    );
    check(
        "Refused",
        &["You are already observing game 463.", "There is no such game.", "Sorry, game 5 is a private game."],
    );
    check(
        "Examine",
        &[
            "Game 29: Foo goes forward 22 moves.",
            "Game 29: Foo backs up 1 move.",
            "Game 29: Foo reverts to main line move 5.",
            "Game 29: Foo commits the subvariation.",
            "Game 29: Foo moves: Nf3",
            "Starting a game in examine (scratch) mode.",
            "Foo is now an examiner of game 29.",
            "Foo has made you an examiner of game 104.",
            "Foo stopped examining game 1.",
            "You are no longer examining game 29.",
            "Entering setup mode.",
            "You're at the beginning of the game.",
        ],
    );
    check("Focus", &["You are now at Foo's board (game 5).", "Your primary game is now game 5."]);
}

// Rules: text §8, text Z1
#[test]
fn how_games_end() {
    let reasons = [
        ("Foo resigns", "0-1"),
        ("Bar checkmated", "1-0"),
        ("Foo forfeits on time", "0-1"),
        ("Bar forfeits by disconnection", "1-0"),
        ("Game drawn by mutual agreement", "1/2-1/2"),
        ("Neither player has mating material", "1/2-1/2"),
        ("Foo's partner won", "1-0"),
        ("Game aborted on move 1", "*"),
        ("Foo lost connection; game adjourned", "*"),
        ("something nobody knows", "*"),
    ];
    let lines: Vec<_> =
        reasons.iter().map(|(reason, result)| format!("{{Game 9 (Foo vs. Bar) {reason}}} {result}")).collect();
    check("GameEnded", &lines.iter().map(String::as_str).collect::<Vec<_>>());
}

// Rules: text §9
#[test]
fn refusals() {
    check(
        "Refused",
        &[
            "Illegal move (Qd2).",
            "Illegal move.",
            "Ambiguous move (Rd1).",
            "It is not your move.",
            "You are not playing or examining a game.",
            "The clock is paused, use \"unpause\" to resume.",
            "foo: Command not found.",
            "No such command (foo).",
            "Ambiguous command \"s\". Matches: say seek",
            "Opponent is not out of time.",
            "The clock is not ticking.",
            "There are only 1 half moves in your game.",
            "There are no draw offers to accept.",
            "You cannot challenge while you are examining a game.",
            "Foo is censoring you.",
            "You are on Foo's noplay list.",
            "There is no player matching the name Foo.",
        ],
    );
}

// Rules: text §10, text §11, text §12, ten 7
#[test]
fn listings_are_text_for_those_who_asked_for_none() {
    check(
        "Text",
        &[
            "  29 1622 Vman        1609 PopKid     [ sr 10  10]   1:14 -  5:10 (21-22) B: 18",
            "  6 games displayed (of 23 in progress).",
            "  4 1500 loon                5   0 unrated standard   [white]    0-9999 mf",
            "3 ads displayed.",
            "Finger of Foo(TM):",
            "Blitz     1321     54.4    220    402     27    649   1417 (15-Mar-2003)",
            "Observing 18 [A vs. B]: #boffo TieFighter (3 users)",
            "History for Foo:",
            "Movelist for game 34:",
            "  1.  e4      (0:00.000)      c5      (0:00.123)",
        ],
    );
}

// Rules: icc §9
#[test]
fn what_icc_puts_in_other_words() {
    check(
        "Talk",
        &[
            "Foo(TD) s-shouts: hi",
            "guest53 tells you: hi",
            ">hello from a robot",
            "Foo announces: hi",
            "Al tells you: hi",
        ],
    );
    check("Refused", &["No such command (foo)."]);
    check("Creating", &["Creating: A (1500) B (1600) rated Blitz 5 0", "Creating: A (1500) B (1600) rated w22 5 0"]);
    check(
        "GameCreated",
        &["{Game 5 (A vs. B) Creating rated Blitz match.}", "{Game 5 (A vs. B) Creating unrated wild(22) match.}"],
    );
    check(
        "GameEnded",
        &["{Game 5 (A vs. B) White resigns} 0-1", "{Game 5 (A vs. B) Game was drawn by mutual agreement} 1/2-1/2"],
    );
}

/// The samples of the help pages, damage included.
const INDENTED: &str = " <12> rnbqkb-r pppppppp -----n-- -------- ----P--- -------- PPPPKPPP RNBQ-BNR B -1 0 0 1 1 0 7 Quimbee Darooha 1 2 12 39 \
                        39 119 122 2 K/e1-e2 (0:06) Ke2 0";
const STYLE10: &str = "\"10\"\r\n|r b kbnr|\r\n|ppp ppp |\r\n|  nq    |\r\n|   p   p|\r\n|   P    |\r\n|  NQB  N|\r\n|PPP PPPP|\r\n\
                       |R   KB R|\r\nB -1 1 1 1 1 3\r\n0 Darooha Quimbee 1 2 12 39 39 113 129 5 B/c1-e3 (0:22) Be3\r\n";

// Rules: icc B1
#[test]
fn the_boards_of_iccs_help_pages() {
    let board = messages_of(Family::Icc, INDENTED.as_bytes());
    let [Message::Style12(board)] = &board[..] else { panic!("{board:?}") };
    assert_eq!(board.fen().to_string(), "rnbqkb1r/pppppppp/5n2/8/4P3/8/PPPPKPPP/RNBQ1BNR b kq - 0 2");
    // ICC's lines end with the flip; nothing tells whether a clock runs.
    assert_eq!((board.flip(), board.clock_running(), board.lag_ms()), (Some(false), None, None));
    for end in ["", "aics% ", ">10<\r\naics% ", "\u{19}(124 24 1\u{19})"] {
        let block = messages_of(Family::Icc, format!("{STYLE10}{end}").as_bytes());
        let Some(Message::Style10(board)) = block.iter().find(|message| matches!(message, Message::Style10(_))) else {
            panic!("{block:?}")
        };
        assert_eq!(board.fen().to_string(), "r1b1kbnr/ppp1ppp1/2nq4/3p3p/3P4/2NQB2N/PPP1PPPP/R3KB1R b KQkq - 3 5");
        assert_eq!((board.white_clock().as_ms(), board.black().as_str()), (113_000, "Quimbee"));
        assert!(!block.iter().any(|message| matches!(message, Message::Text(_))), "{block:?}");
    }
    // A datagram between the lines of a block parts them not.
    let parted = STYLE10.replace("|R   KB R|", "\u{19}(75 Foo 1 2 3\u{19})|R   KB R|");
    assert_eq!(kinds_of_icc(&parted), ["Datagram", "Style10"]);
}

fn kinds_of_icc(stream: &str) -> Vec<String> {
    messages_of(Family::Icc, stream.as_bytes()).iter().map(kind_of).collect()
}

// Rules: icc B2
#[test]
fn the_reserves_of_iccs_help_pages() {
    for line in ["<b1> game 6 white [PNBBB] black [PNB]", " game 6 white [PNBBB] black [PNB]"] {
        assert_eq!(kinds_of_icc(&format!("{line}\r\n")), ["Holding"], "{line}");
    }
    assert_eq!(kinds_of_icc("\u{19}(37 6 {PNBBB} {PNB}\u{19})\r\n"), ["Holding"]);
}

// Rules: icc L1, icc L5
#[test]
fn a_reply_stands_between_the_marks_of_its_command() {
    let stream = "news\r\n\u{19}[130 * tag1\r\nFinger of Foo:\r\n\u{19}(31 Bar {} \u{19}{hi\u{19}} 1\u{19})On for: 1 min\r\n\u{19}]more\r\n";
    assert_eq!(kinds_of_icc(stream), ["Text", "UnitStart", "Text", "Talk", "Text", "UnitEnd", "Text"]);
    let messages = messages_of(Family::Icc, stream.as_bytes());
    let Message::Control(Control::UnitStart(header)) = &messages[1] else { panic!("{messages:?}") };
    assert_eq!((header.command, header.player.as_str()), (130, "*"));
    assert_eq!(header.tag.as_ref().map(kibitzer_core::text::PlayerText::as_str), Some("tag1"));
}
