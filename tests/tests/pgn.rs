//! Games of recorded sessions as PGN, read by an independent reader and by the rules of chess.
//!
//! The independent reader is python-chess. Its test is skipped, and says so, if Python or the module is missing; the variable
//! `KIBITZER_PYTHON` names the interpreter.

use std::io::Write as _;
use std::process::{Command, Stdio};

use cozy_chess::Board as Rules;
use cozy_chess::util::parse_san_move;
use kibitzer::pgn::{PgnCollector, PgnGame, PgnOrigin};
use kibitzer::track::{TrackedChangeKind, TrackedGame};
use kibitzer_core::Event;
use kibitzer_core::message::Message;
use kibitzer_tests::{Transcript, events_of};

/// A recorded game: its record and the server's last position, without counters.
struct Recorded {
    place: String,
    variant: String,
    pgn: PgnGame,
    position: String,
}

/// Returns the games of all recordings.
fn recorded() -> Vec<Recorded> {
    let all = Transcript::all();
    // A server accepted an illegal move in one.
    let legal = all.iter().filter(|transcript| transcript.name != "fatics-illegal-move-accepted");
    legal.flat_map(|transcript| games_of(&transcript.name, &transcript.events())).collect()
}

fn games_of(name: &str, events: &[Event]) -> Vec<Recorded> {
    let mut collector = PgnCollector::new(PgnOrigin::new("freechess.org")).with_observed().with_talk();
    for event in events {
        collector.apply(event, None);
    }
    let games = collector.tracker().iter().map(|game| Recorded {
        place: format!("{name}, game {}", game.number()),
        variant: game.variant(),
        pgn: collector.game(game.key()).unwrap(),
        position: game.position().fen().to_string(),
    });
    games.collect()
}

/// Returns the moves of a PGN text, without numbers, comments and the result.
fn sans(pgn: &str) -> Vec<String> {
    let (_, movetext) = pgn.split_once("\n\n").unwrap();
    let without_comments: String =
        movetext.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest)).collect();
    let is_move = |word: &&str| !word.starts_with(|c: char| c.is_ascii_digit()) && *word != "*";
    without_comments.split_whitespace().filter(is_move).map(str::to_owned).collect()
}

fn first_fields(fen: &str, n_fields: usize) -> String {
    fen.split(' ').take(n_fields).collect::<Vec<_>>().join(" ")
}

#[test]
fn recorded_games_of_chess_have_legal_unambiguous_moves_to_the_last_position() {
    let (mut n_games, mut n_moves) = (0, 0);
    for game in recorded() {
        if !["chess", "chess960"].contains(&game.variant.as_str()) {
            continue;
        }
        let mut rules: Rules = match game.pgn.tag("FEN") {
            Some(fen) => format!("{} 0 1", first_fields(fen, 4)).parse().unwrap(),
            None => Rules::default(),
        };
        for san in sans(&game.pgn.to_string()) {
            let played = parse_san_move(&rules, &san).unwrap_or_else(|_| panic!("{}: {san}", game.place));
            let mut after = rules.clone();
            after.try_play(played).unwrap();
            // Legal, shortest and with its mark: the notation of the library of rules.
            assert_eq!(cozy_chess::util::display_san_move(&rules, played).to_string(), san, "{}", game.place);
            rules = after;
            n_moves += 1;
        }
        assert_eq!(first_fields(&rules.to_string(), 2), first_fields(&game.position, 2), "{}", game.place);
        n_games += 1;
    }
    assert!(n_games > 150 && n_moves > 1500, "{n_games} games, {n_moves} moves");
}

#[test]
fn a_typed_list_of_moves_completes_a_game_without_block_mode() {
    let transcript = Transcript::named("uhlinfics-moves-reply");
    let games = games_of(&transcript.name, &transcript.events_with_requests());
    let [game] = &games[..] else { panic!("{} games", games.len()) };
    assert_eq!(sans(&game.pgn.to_string()), ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6"]);
    assert_eq!(game.pgn.tag("FEN"), None);
    // Other clients send no fences, so what they typed makes no event.
    let of_other_clients = |transcript: &&Transcript| transcript.records.iter().all(|record| !record.redacted);
    for transcript in Transcript::all().iter().filter(of_other_clients) {
        let n_listings =
            |events: &[Event]| events.iter().filter(|event| matches!(event, Event::Listing { .. })).count();
        let found = n_listings(&transcript.events_with_requests());
        assert_eq!(found, n_listings(&transcript.events()), "{}", transcript.name);
    }
}

/// Reads games from standard input, and prints one line for each: errors, ply count, variant, last position.
const PYTHON: &str = r#"
import sys, io, chess.pgn
text = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", newline="\n")
while True:
    game = chess.pgn.read_game(text)
    if game is None:
        break
    end = game.end()
    board = end.board()
    clocks = sum(node.clock() is not None and node.emt() is not None for node in game.mainline())
    print("\t".join([str(len(game.errors)), str(end.ply() - game.ply()), str(clocks), type(board).uci_variant,
        board.fen(en_passant="fen"), game.headers["Result"], game.headers["White"], game.headers["Black"]]))
"#;

/// Runs the independent reader; `None` if it is not installed.
fn read_by_python(pgn: &str) -> Option<Vec<Vec<String>>> {
    let python = std::env::var("KIBITZER_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has_module = Command::new(&python).args(["-c", "import chess.pgn"]).stderr(Stdio::null()).status();
    if !has_module.is_ok_and(|status| status.success()) {
        eprintln!(
            "SKIPPED: {python} or its module chess (python-chess) is missing; PGN was not read by an independent reader"
        );
        return None;
    }
    let mut child = Command::new(&python)
        .args(["-c", PYTHON])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let text = pgn.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect())
}

/// Returns whether the independent reader knows the variant.
fn is_readable(game: &Recorded) -> bool {
    !["bughouse", "unknown", "wild/0", "wild/1"].contains(&game.variant.as_str())
}

#[test]
fn reserves_without_a_reported_kind_show_by_captures_which_variant_it_is() {
    // An observer of the first server is told of no kind; the lines that report it on the second are left out here.
    let is_kind = |line: &[u8]| {
        [&b"<g1>"[..], b"Creating: ", b"{Game "].iter().any(|start| line.trim_ascii().starts_with(start))
            || line.windows(5).any(|word| word == b" blit")
    };
    for (name, want) in [
        ("uhlinfics-bughouse-3-observer-only", &["bughouse", "bughouse"][..]),
        ("uhlinfics-bughouse-1-Erika", &["bughouse", "bughouse"]),
        ("uhlinfics-bughouse-2-deep-holdings-Erika", &["bughouse", "bughouse"]),
        ("fatics-bughouse-observer", &["bughouse", "bughouse"]),
        ("fatics-bughouse-whiteA", &["bughouse"]),
        ("fatics-crazyhouse-observer", &["crazyhouse"]),
        ("fatics-crazyhouse-white", &["crazyhouse"]),
    ] {
        let transcript = Transcript::named(name);
        let stream = transcript.stream();
        let lines: Vec<_> = stream.split_inclusive(|byte| *byte == b'\n').filter(|line| !is_kind(line)).collect();
        let found: Vec<_> =
            games_of(name, &events_of(transcript.reader(), lines)).into_iter().map(|game| game.variant).collect();
        assert_eq!(found, want, "{name}");
    }
    let collected = |events: &[Event]| {
        let mut collector = PgnCollector::new(PgnOrigin::new("localhost")).with_observed();
        for event in events {
            collector.apply(event, None);
        }
        collector
    };
    let events = Transcript::named("uhlinfics-bughouse-3-observer-only").events();
    let both = collected(&events);
    let first = both.tracker().iter().next().unwrap();
    assert!(both.bughouse_match(first.key()).unwrap().contains("Boris"), "both boards are one match");
    // Before the first piece is passed nothing shows it.
    let is_pass =
        |event: &Event| matches!(event.message(), Some(Message::Holding(holding)) if holding.passed.is_some());
    let early = collected(&events[..events.iter().position(is_pass).unwrap()]);
    assert!(early.tracker().iter().all(|game| game.variant() == "unknown"));
}

#[test]
fn a_game_from_a_bughouse_challenge_is_announced_as_bughouse() {
    let mut n_created = 0;
    for player in ["Alice", "Boris", "Carla", "Dmitri"] {
        for event in Transcript::named(&format!("uhlinfics-bughouse-1-{player}")).events() {
            if let Some(Message::GameCreated(created)) = event.message() {
                let is_mine = [&created.white, &created.black].iter().any(|name| name.as_str() == player);
                let variant = created.game_kind().variant.unwrap();
                n_created += usize::from(is_mine && variant == "bughouse");
                assert!(variant == "bughouse" || !is_mine && variant == "wild", "{player}: {created:?}");
            }
        }
    }
    assert_eq!(n_created, 4);
}

#[test]
fn an_independent_reader_replays_every_recorded_game_to_the_last_position() {
    let games: Vec<_> = recorded().into_iter().filter(is_readable).collect();
    let text = games.iter().map(|game| game.pgn.to_string()).collect::<Vec<_>>().join("\n");
    let Some(read) = read_by_python(&text) else { return };
    assert_eq!(read.len(), games.len());
    let mut faults = Vec::new();
    for (game, line) in games.iter().zip(&read) {
        let [errors, plies, clocks, _variant, fen, result, white, black] = &line[..] else { panic!("{line:?}") };
        // Servers report reserves in some recordings only, and not which pieces were promoted.
        let has_reserves = game.position.contains('[');
        let read = first_fields(&fen.replace('~', ""), 2);
        let read = if has_reserves { read } else { without_reserves(&read) };
        let known = first_fields(&game.position, 2);
        let text = game.pgn.to_string();
        let wanted = ["PlyCount", "Result", "White", "Black"].map(|tag| game.pgn.tag(tag).unwrap());
        let n_clocks = text.matches("[%emt").count();
        if errors != "0" || read != known || n_clocks.to_string() != *clocks || wanted != [plies, result, white, black]
        {
            faults.push(format!("{}: {line:?}, known {known}", game.place));
        }
    }
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), games.len(), faults.join("\n"));
    assert!(games.len() > 200, "{}", games.len());
}

fn without_reserves(fen: &str) -> String {
    fen.split('[').map(|part| part.split_once(']').map_or(part, |(_, rest)| rest)).collect()
}

#[test]
fn games_with_takebacks_and_resumptions_are_among_the_recorded_ones() {
    let mut kinds = Vec::new();
    for transcript in Transcript::all() {
        let mut collector = PgnCollector::new(PgnOrigin::default()).with_observed();
        for event in transcript.events() {
            kinds.extend(collector.apply(&event, None).into_iter().map(|step| step.kind));
        }
    }
    let count = |is_it: fn(&TrackedChangeKind) -> bool| kinds.iter().filter(|kind| is_it(kind)).count();
    assert!(count(|kind| matches!(kind, TrackedChangeKind::TakenBack { .. })) > 5);
    assert!(count(|kind| *kind == TrackedChangeKind::Resumed) > 0);
    assert!(count(|kind| *kind == TrackedChangeKind::Adjourned) > 0);
}

#[test]
fn both_boards_of_a_recorded_bughouse_match_are_in_one_game() {
    let mut collector = PgnCollector::new(PgnOrigin::default()).with_observed();
    for event in Transcript::named("fatics-bughouse-observer").events() {
        collector.apply(&event, None);
    }
    let boards: Vec<_> = collector.tracker().iter().map(TrackedGame::key).collect();
    let text = collector.bughouse_match(boards[0]).unwrap();
    assert_eq!(collector.bughouse_match(boards[1]).unwrap(), text);
    let moves: Vec<_> = text.lines().rev().nth(1).unwrap().split_whitespace().collect();
    for (board, letters) in boards.iter().zip([["A", "a"], ["B", "b"]]) {
        let is_here = |number: &str| letters.iter().any(|letter| number.trim_end_matches('.').ends_with(letter));
        let here = moves.chunks(2).filter(|step| is_here(step[0])).map(|step| step[1].split_once('{').unwrap().0);
        let here: Vec<_> = here.collect();
        assert_eq!(here, sans(&collector.game(*board).unwrap().to_string()));
        assert!(here.len() > 20, "{here:?}");
    }
    assert!(text.ends_with("{Duras checkmated} 0-1\n"), "{text}");
}
