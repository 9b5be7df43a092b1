//! The client sides of recorded sessions, sent to the embedded server; its answers are held against the recorded ones.
//!
//! Names of guests, dates, clocks, and the numbers of offers and ads must differ and are masked. Forms that differ on purpose
//! are listed with the reason in [`ON_PURPOSE`]: they are written into the recorded text before the two are compared.

use std::collections::BTreeMap;
use std::time::Duration;

use kibitzer_server::{Account, Server, ServerOptions};
use tokio::time::{self, Instant};

use crate::peer::{Peer, plain};

/// A recorded connection: its file, when it began in seconds of the set's first file, and how far it is compared.
struct Part(&'static str, f64, Until);

/// How far a session is compared, from its first prompt on.
#[derive(Clone, Copy)]
enum Until {
    End,
    /// Up to this text, after which the recorded session repeats earlier events.
    Text(&'static str),
    /// Not at all: it was recorded on the port of the other dialect, or is one of the server's surprises, and only takes part.
    Nothing,
}

/// Time from the last bytes of a client without `quit` to its disconnection.
const HANG_UP: Duration = Duration::from_millis(50);

/// Lines that are sent in place of recorded ones.
const SENT_OTHERWISE: [(&str, &str); 4] = [
    // An ad that was not his; here it would be.
    ("unseek 2\n", "unseek 99\n"),
    // Time controls that freechess.org has not.
    ("match euwe 40/90,sd/30+30\n", "match euwe 90 30\n"),
    ("match euwe hourglass 5 0\n", "match euwe 20 0 u\n"),
    ("match euwe bronstein 5 3 r\n", "match euwe 5 3 r\n"),
];

/// Forms that differ on purpose: the recorded one, ours, and why.
const ON_PURPOSE: &[(&str, &str, &str)] = &[
    (
        "&#x2659;&#x2659;&#x2659; Thank you for using FatICS. &#x265f;&#x265f;&#x265f;\n",
        "Thank you for using the embedded kibitzer server.\n",
        "the server is another",
    ),
    ("Game drawn by agreement}", "Game drawn by mutual agreement}", "freechess.org's words"),
    ("Game aborted by agreement}", "Game aborted by mutual agreement}", "freechess.org's words"),
    ("Game adjourned by agreement}", "Game adjourned by mutual agreement}", "freechess.org's words"),
    (
        "Bogoljubov aborts by disconnection} *",
        "Bogoljubov lost connection and too few moves; game aborted} *",
        "freechess.org's words",
    ),
    (" blitz crazyhouse", " crazyhouse", "freechess.org names the variant alone"),
    (" blitz bughouse", " bughouse", "freechess.org names the variant alone"),
    ("unrated untimed 0 0", "unrated untimed", "as the recorded server itself has it in offers"),
    (" (0) ", " (----) ", "the examiner's rating, not a number"),
    ("seekinfo set.\n", "seekinfo set.\n\n<sc>\n", "freechess.org sends the list when it is asked for"),
    ("Zipseal:     Off", "Timeseal:    Off", "freechess.org's timeseal, not the recorded server's own"),
    ("You have no seek 2.", "You have no seek 99.", "what was sent is another number"),
    ("slow 90 30 overtime 40/90,SD/30+30", "standard 90 30", "freechess.org has no such time controls"),
    (
        "Setting match offer to unrated.\nUpdating the offer already made to Euwe.\nIssuing: Duras (----) Euwe (----) unrated standard 5 0",
        "Updating the offer already made to Euwe.\nIssuing: Duras (----) Euwe (----) unrated standard 20 0",
        "what was sent says so itself",
    ),
    ("standard 5 0 hourglass", "standard 20 0", "freechess.org has no such time controls"),
    (" bronstein", "", "freechess.org has no such time controls"),
    ("standard 20 0 hourglass", "standard 20 0", "freechess.org has no such time controls"),
    ("[53] is already on your channel list.", "[53] added to your channel list.", "accounts are new here"),
    (
        "   0   GuestHYMY(U)  1558   Bogoljubov    1882   Alekhine",
        "1500   Alekhine      1500   Bogoljubov       0   GuestHYMY(U)",
        "players are listed by name, with the ratings of this test",
    ),
    (
        "Accepting the match offer from Duras.\n\n<pr> #\nfics% \nCreating",
        "Accepting the match offer from Duras.\n\n<pr> #\n\nCreating",
        "the recorded server looked something up before it went on",
    ),
    ("1 none # none 1 0 #\n\n{Game 1 (Duras", "1 none # none 1 0 #\nfics% \n{Game 1 (Duras", "the same prompt, later"),
    (
        "History for Alekhine:\n                  Opponent      Type         ECO End Date\n",
        "Alekhine has no history games.\n",
        "accounts are new here",
    ),
    (
        "Email:       alekhine@example.com\n\nTotal time online: 2 minutes \n% of life online:  14.0 (since Sat Nov 21, 00:21 UTC 2026)\n\n",
        "",
        "none of that is known here",
    ),
    (" 6 P/c2-c3 # c3 0 0 #", " 6 P/c2-c3 # c3 0 1 #", "the clock of a resumed game runs at once"),
    (" 6 P/c2-c3 # c3 1 0 #", " 6 P/c2-c3 # c3 1 1 #", "the clock of a resumed game runs at once"),
    (" 8 P/d7-d6 # d6 0 0 #", " 8 P/d7-d6 # d6 0 1 #", "the clock of a resumed game runs at once"),
    (" 8 P/d7-d6 # d6 1 0 #", " 8 P/d7-d6 # d6 1 1 #", "the clock of a resumed game runs at once"),
    (
        "GuestZEGN forfeits by disconnection} 1-0",
        "GuestZEGN lost connection and too few moves; game aborted} *",
        "freechess.org has nobody lose after two moves",
    ),
    ("tzone=Europe/L", "tzone=UTC", "there is one time zone"),
    ("flip=?", "flip=0", "it is known here"),
    ("kiblevel=?", "kiblevel=0", "it is known here"),
    ("style=12 \n", "style=12\n", "nobody needs the blank"),
    ("width=79 \n", "width=79\n", "nobody needs the blank"),
    (
        "  1 ---- Euwe        ---- Flohr      [ bu  2  12]  0:00 -  0:00 (39-39) B:  1",
        "  1 1500 Euwe        1500 Flohr      [ bu  2  12]   2:00 -  2:00 (39-39) W:  1",
        "the clocks, the side to move and the ratings of this test; two blanks in front, as freechess.org has them",
    ),
    ("fics% You are now receiving match requests.\n", "fics% ", "who challenges stays closed to others here"),
    ("bugopen=1 ", "bugopen=0 ", "accounts are new here"),
    ("height=24 \n", "height=24\n", "nobody needs the blank"),
    ("\u{16}512\u{16}Usage: #", "\u{16}513\u{16}Usage: #", "freechess.org has a code for bad parameters"),
    (
        "Matches: unalias unseek unexamine unobserve",
        "Matches: unexamine unobserve unpause unseek",
        "there are other commands, in alphabetical order",
    ),
    (
        "\u{15}26\u{16}79\u{16}There is no more to show.",
        "\u{15}26\u{16}512\u{16}next: Command not found.",
        "there are no pages here",
    ),
    ("0-9999 \n\\   m\n", "0-9999 m\n", "the name of the variant alone leaves room for it"),
    ("backs up 99 moves", "backs up 4 moves", "as many as there were"),
];

/// One line of a transcript.
struct Piece {
    time: Duration,
    is_sent: bool,
    bytes: Vec<u8>,
}

fn read(file: &str) -> Vec<Piece> {
    let path = format!("{}/../../tests/transcripts/fatics-{file}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(piece).collect()
}

fn piece(line: &str) -> Piece {
    let value: serde_json::Value = serde_json::from_str(line).unwrap();
    let hex = value["hex"].as_str().unwrap();
    let bytes = (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect();
    Piece { time: Duration::from_secs_f64(value["t"].as_f64().unwrap()), is_sent: value["dir"] == "tx", bytes }
}

/// The names and passwords that are typed in a session.
fn accounts(parts: &[Part]) -> Vec<Account> {
    let mut accounts = Vec::new();
    for part in parts {
        let sent: Vec<_> =
            read(part.0).into_iter().filter(|piece| piece.is_sent).map(|piece| line(&piece.bytes)).collect();
        for pair in sent.windows(2).filter(|pair| pair[1].starts_with("pw")) {
            accounts.push(Account::new(capital(&pair[0]).parse().unwrap(), pair[1].clone()).rating("blitz", 1500));
        }
    }
    accounts
}

/// The name as its account spells it, however it was typed.
fn capital(name: &str) -> String {
    let (first, rest) = name.split_at(1);
    format!("{}{rest}", first.to_ascii_uppercase())
}

fn line(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches(['\r', '\n']).to_owned()
}

/// Output of one connection, and the recorded one.
struct Heard {
    file: &'static str,
    until: Until,
    recorded: String,
    ours: String,
}

/// Sends the recorded lines at their times and collects the output.
async fn replay(parts: &[Part]) -> Vec<Heard> {
    let date = std::time::UNIX_EPOCH + Duration::from_secs(crate::peer::START_S);
    let options = ServerOptions::new().in_process().date(date);
    let options = accounts(parts).into_iter().fold(options, ServerOptions::account);
    let server = Server::start(options).await.unwrap();
    let start = Instant::now();
    let mut events: Vec<_> = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        events.push((Duration::from_secs_f64(part.1), index, None));
        let pieces = read(part.0);
        let end = pieces.last().map_or(Duration::ZERO, |piece| piece.time) + HANG_UP;
        let has_quit = pieces.iter().any(|piece| piece.bytes.windows(4).any(|word| word == b"quit"));
        for piece in pieces.into_iter().filter(|piece| piece.is_sent) {
            events.push((Duration::from_secs_f64(part.1) + piece.time, index, Some(piece.bytes)));
        }
        if !has_quit {
            events.push((Duration::from_secs_f64(part.1) + end, index, Some(Vec::new())));
        }
    }
    events.sort_by_key(|(time, ..)| *time);
    let mut peers: BTreeMap<usize, (Peer, Vec<u8>)> = BTreeMap::new();
    let recorded_guests: Vec<_> = parts.iter().map(|part| guest_name(&recorded(part.0))).collect();
    let mut guests: Vec<(String, String)> = Vec::new();
    for (time, index, bytes) in events {
        time::sleep_until(start + time).await;
        let Some(bytes) = bytes else {
            peers.insert(index, Peer::connect(&server).await);
            continue;
        };
        if bytes.is_empty() {
            // The client disconnected; its output is kept.
            let (peer, heard) = peers.get_mut(&index).unwrap();
            heard.extend(peer.heard().await);
            peer.hang_up();
            continue;
        }
        let typed = String::from_utf8_lossy(&bytes).into_owned();
        let until = time.saturating_sub(Duration::from_secs_f64(parts[index].1));
        let heard = || heard_until(parts[index].0, until);
        let typed = translated(&typed, heard, &plain(&peers[&index].1));
        let text = guests.iter().fold(typed, |text, (recorded, ours)| text.replace(recorded, ours));
        let text = SENT_OTHERWISE
            .iter()
            .fold(text, |text, (recorded, ours)| if text == *recorded { (*ours).to_owned() } else { text });
        let sent = if std::str::from_utf8(&bytes).is_ok() { text.into_bytes() } else { bytes };
        peers.get_mut(&index).unwrap().0.send(&sent).await;
        for (peer, heard) in peers.values_mut() {
            heard.extend(peer.heard().await);
        }
        let guest = recorded_guests[index].clone().zip(guest_name(&peers[&index].1));
        let guest = guest.filter(|pair| !guests.contains(pair));
        guests.extend(guest);
    }
    time::sleep(Duration::from_secs(1)).await;
    let mut all = Vec::new();
    for (index, (mut peer, mut heard)) in peers {
        heard.extend(peer.heard().await);
        if !matches!(parts[index].2, Until::Nothing) {
            let ours = guests.iter().fold(plain(&heard), |text, (recorded, ours)| text.replace(ours, recorded));
            all.push(Heard {
                file: parts[index].0,
                until: parts[index].2,
                recorded: plain(&recorded(parts[index].0)),
                ours,
            });
        }
    }
    server.shutdown().await;
    all
}

/// Returns the recorded output up to some time.
fn heard_until(file: &str, time: Duration) -> String {
    let heard =
        read(file).into_iter().filter(|piece| !piece.is_sent && piece.time <= time).flat_map(|piece| piece.bytes);
    String::from_utf8_lossy(&heard.collect::<Vec<_>>()).into_owned()
}

/// The name a guest was given.
fn guest_name(heard: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(heard);
    text.split("Logging you in as \"").nth(1)?.split('"').next().map(str::to_owned)
}

/// Returns all recorded output.
fn recorded(file: &str) -> Vec<u8> {
    read(file).into_iter().filter(|piece| !piece.is_sent).flat_map(|piece| piece.bytes).collect()
}

/// Returns the text after the first prompt with masks for parts that must differ.
fn comparable(text: &str, until: Until) -> String {
    let session = text.split_once("fics% ").map_or(text, |(_, session)| session);
    let session = match until {
        Until::Text(end) => session.split_once(end).unwrap_or_else(|| panic!("{end:?} is missing in {session}")).0,
        Until::End | Until::Nothing => session,
    };
    let lines: Vec<_> = session.split('\n').filter(|line| !is_past(line)).collect();
    let is_crazyhouse = |at: usize| lines.get(at + 1).is_some_and(|next| next.starts_with("<b1>"));
    let masked = lines.iter().enumerate().map(|(at, line)| masked(line, is_crazyhouse(at)));
    masked.collect::<Vec<_>>().join("\n")
}

/// Returns whether a line is about games before the recording: a row of a history or of ratings; or about a change of ratings, which
/// the recorded server does not report.
fn is_past(line: &str) -> bool {
    let is_history = line.trim_start().split_once(": ").is_some_and(|(number, rest)| {
        number.parse::<u32>().is_ok() && ["+ ", "- ", "= "].iter().any(|sign| rest.starts_with(sign))
    });
    // Rows of stored games differ in the opening, of which less is known here.
    let is_change = ["Your new RD", "No ratings adj"].iter().any(|start| line.starts_with(start))
        || ["rating will change: ", "rating adjustment: "].iter().any(|text| line.contains(text));
    is_history || is_change || line.contains("  0.00195") || line.contains("  0.060000  ") || line.contains("] 39-39 ")
}

fn masked(line: &str, is_crazyhouse: bool) -> String {
    let start = line.trim_start_matches("fics% ");
    let prompts = &line[..line.len() - start.len()];
    for prefix in [
        "Local time ",
        "Server time ",
        "The server has been up since ",
        "Up for: ",
        "FatICS version ",
        "kibitzer-server version ",
        "Server location: ",
    ] {
        if let Some((before, _)) = line.split_once(prefix) {
            return format!("{before}#");
        }
    }
    if let Some((block, _)) = start.split_once("\u{16}Usage: ") {
        return format!("{prompts}{block}\u{16}Usage: #");
    }
    // Usages, and how many saw an ad: the recorded server explains nothing and counts itself.
    for (prefix, suffix) in [("Usage: ", ""), ("(", "saw the seek.)"), ("Your seek has been posted with index ", "")] {
        if start.starts_with(prefix) && start.ends_with(suffix) {
            return format!("{prompts}{prefix}#{suffix}");
        }
    }
    if let Some((_, ad)) = start.split_at_checked(8).filter(|_| start.contains(" 0-9999") && !start.starts_with('<')) {
        return format!("{prompts}######## {ad}");
    }
    if let Some((ad, _)) = start.split_once("(\"play ") {
        return format!("{prompts}{} (\"play #\" to respond)", masked(ad.trim_end(), false));
    }
    let words: Vec<_> = start.split(' ').collect();
    let hidden: &[usize] = match words[0] {
        // The file of a pawn's double step, which freechess.org always prints; both strengths, which the recorded server
        // counts otherwise in variants, where it counts no irreversible moves either; both clocks, the time of the move, the lag.
        "<12>" if words.len() == 33 && is_crazyhouse => &[10, 15, 22, 23, 24, 25, 28, 32],
        "<12>" if words.len() == 33 => &[10, 22, 23, 24, 25, 28, 32],
        "<d1>" => &[5, 6, 7],
        "<pt>" | "<pf>" | "<pr>" | "<s>" | "<sr>" => &[1],
        _ => &[],
    };
    let shown =
        words.iter().enumerate().map(|(at, &word)| if hidden.contains(&at) { "#".to_owned() } else { mask_word(word) });
    format!("{prompts}{}", shown.collect::<Vec<_>>().join(" "))
}

/// Ratings and numbers of ads.
fn mask_word(word: &str) -> String {
    let inner = word.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let is_rating = |text: &str| text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    if inner.is_some_and(is_rating) {
        return "(----)".to_owned();
    }
    if word.starts_with("rt=") {
        return "rt=#".to_owned();
    }
    // `Foo(1882)[1] kibitzes:`
    match word.split_once('(') {
        Some((name, rest)) if !name.is_empty() && rest.get(4..).is_some_and(|rest| rest.starts_with(")[")) => {
            format!("{name}(----{}", &rest[4..])
        }
        _ => word.to_owned(),
    }
}

/// A command whose number means the same offer or ad now as when it was recorded.
fn translated(text: &str, recorded: impl FnOnce() -> String, ours: &str) -> String {
    let Some((verb, number)) = text.trim_end().split_once(' ') else { return text.to_owned() };
    if !matches!(verb, "accept" | "decline" | "withdraw" | "play") || number.parse::<u32>().is_err() {
        return text.to_owned();
    }
    let numbers = |text: &str| {
        let words = text.split_whitespace().collect::<Vec<_>>();
        let tag = if verb == "play" { "<s>" } else { "<pf>" };
        let pairs = words.windows(2).filter(|pair| pair[0] == tag);
        pairs.map(|pair| pair[1].to_owned()).collect::<Vec<_>>()
    };
    // Counted from the end, as some offers of the recorded session are not possible here.
    let behind = numbers(&recorded()).iter().rev().position(|known| known == number);
    match behind.and_then(|behind| numbers(ours).into_iter().rev().nth(behind)) {
        Some(now) => format!("{verb} {now}\n"),
        None => text.to_owned(),
    }
}

/// Replays a set and compares every session of it that can be.
async fn compare(parts: &[Part]) {
    for heard in replay(parts).await {
        let recorded = comparable(&heard.recorded, heard.until);
        let want = ON_PURPOSE.iter().fold(recorded, |text, (recorded, ours, _)| text.replace(recorded, ours));
        let got = comparable(&heard.ours, heard.until);
        let differs = want.lines().zip(got.lines()).position(|(want, got)| want != got);
        if let Some(at) = differs {
            let around = |text: &str| text.lines().skip(at.saturating_sub(3)).take(8).collect::<Vec<_>>().join("\n");
            panic!("{} differs at line {at}; recorded:\n{}\nours:\n{}", heard.file, around(&want), around(&got));
        }
        assert_eq!(want.lines().count(), got.lines().count(), "{}", heard.file);
    }
}

#[tokio::test(start_paused = true)]
async fn offers_in_a_game() {
    compare(&[
        Part("game-offers-white", 0.0, Until::Text("History for ")),
        Part("game-offers-black", 0.090, Until::Text("You have more than one pending offer.")),
        Part("game-offers-observer", 0.188, Until::End),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn challenges() {
    compare(&[
        Part("match-pending-a", 0.0, Until::End),
        Part("match-pending-b", 0.088, Until::End),
        Part("match-pending-c", 0.166, Until::End),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn ads() {
    compare(&[
        Part("seeks-seeker", 0.0, Until::End),
        Part("seeks-watcher", 0.082, Until::End),
        Part("seeks-guest", 0.164, Until::End),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn talk() {
    compare(&[
        Part("talk-mixed-a", 0.0, Until::Text("re: $1 `cmd`")),
        Part("talk-mixed-b", 0.085, Until::Nothing),
        Part("talk-mixed-guest", 0.126, Until::Nothing),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn examining() {
    compare(&[
        Part("examine-examiner", 0.0, Until::Text("Movelist for")),
        Part("examine-second", 0.140, Until::Text("whispers: ok")),
        Part("examine-observer", 0.228, Until::Nothing),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_whole_game_and_its_observer() {
    compare(&[
        Part("game-quick-white", 0.0, Until::End),
        Part("game-quick-black", 0.085, Until::End),
        Part("game-quick-observer", 0.2, Until::End),
        Part("game-quick-observer2", 0.2, Until::Nothing),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn delta_boards_and_milliseconds() {
    compare(&[
        Part("ms-compress-white", 0.0, Until::End),
        Part("ms-compress-black", 0.114, Until::End),
        Part("ms-compress-observer", 0.2, Until::End),
        Part("ms-compress-observer2", 0.26, Until::Nothing),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn crazyhouse() {
    compare(&[
        Part("crazyhouse-white", 0.0, Until::End),
        Part("crazyhouse-black", 0.170, Until::Nothing),
        Part("crazyhouse-observer", 0.25, Until::End),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn block_mode() {
    compare(&[
        Part("block-client", 0.0, Until::Text("White Clock")),
        Part("block-opponent", 0.078, Until::Text("(told Alekhine")),
        Part("block-third", 0.156, Until::Text("declines the draw")),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn endings() {
    compare(&[
        Part("game-endings-a", 0.0, Until::Text("History for ")),
        Part("game-endings-b", 0.099, Until::End),
        Part("game-endings-b2", 23.140, Until::Nothing),
        Part("game-endings-guest", 30.866, Until::End),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn single_sessions() {
    compare(&[Part("login-guest-guest", 0.0, Until::End)]).await;
    compare(&[Part("login-guest-named", 0.0, Until::End)]).await;
    compare(&[Part("login-registered-plain", 0.0, Until::End)]).await;
    compare(&[Part("login-registered-ivarstring", 0.0, Until::Text("Style 12 set."))]).await;
}
