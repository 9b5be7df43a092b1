use std::fs;
use std::path::Path;

use kibitzer_core::chess::{Board, Color, LastMove, Role, Square};
use kibitzer_core::{Event, EventReader};
use proptest::prelude::*;

use super::*;
use crate::transcript::Utc;

const START: &str = "rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0";
const AFTER_E4: &str = "rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0";
const AFTER_E5: &str = "rnbqkbnr pppp-ppp -------- ----p--- ----P--- -------- PPPP-PPP RNBQKBNR W 4 1 1 1 1 0";

fn board(squares: &str, game: u32, names: &str, number: u32, last: &str) -> String {
    format!("<12> {squares} {game} {names} 0 3 2 39 39 180000 170500 {number} {last} 0 1 0")
}

const NONE: &str = "none (0:00.000) none";
const E4: &str = "P/e2-e4 (0:01.500) e4";
const E5: &str = "P/e7-e5 (0:02.000) e5";

/// The lines of a game between two players until after its first move of each side.
fn opening(game: u32, names: &str, kind: &str) -> Vec<String> {
    let [white, black] = names.split(' ').collect::<Vec<_>>().try_into().unwrap();
    vec![
        format!("{{Game {game} ({white} vs. {black}) Creating rated {kind} match.}}"),
        format!("<g1> {game} p=0 t={kind} r=1 u=0,1 it=180,2 i=180,2 pt=0 rt=1583,0 ts=1,1 m=2 n=0"),
        board(START, game, names, 1, NONE),
        board(AFTER_E4, game, names, 1, E4),
        board(AFTER_E5, game, names, 2, E5),
    ]
}

fn collect(lines: &[String]) -> PgnCollector {
    let mut collector = PgnCollector::new(PgnOrigin::new("freechess.org")).with_observed().with_talk();
    let mut reader = EventReader::default();
    let text = lines.join("\n\r") + "\n\rfics% ";
    let mut input = text.as_bytes();
    let time: Utc = "2024-02-28T23:59:59.500Z".parse().unwrap();
    let events: Vec<Event> = std::iter::from_fn(|| reader.next(&mut input)).collect();
    for event in events {
        collector.apply(&event, Some(time));
    }
    collector
}

fn pgn_of(lines: &[String]) -> PgnGame {
    let collector = collect(lines);
    let key = collector.tracker().iter().last().unwrap().key();
    collector.game(key).unwrap()
}

#[test]
fn commands_of_a_move_precede_its_times_and_cannot_leave_the_comment() {
    let mut collector = collect(&opening(7, "Ann Bob", "blitz"));
    let key = collector.tracker().iter().last().unwrap().key();
    for (ply, commands) in [(0, "[%eval 9]"), (1, "[%eval 0.30]"), (2, "[%eval 0.17]}{ 1-0\u{7}"), (3, "[%eval 9]")] {
        collector.annotate(key, ply, commands);
    }
    collector.annotate(key, 1, "");
    let text = collector.game(key).unwrap().to_string();
    assert!(text.contains("1. e4 {[%clk ") && text.contains(" e5 {[%eval 0.17] 1-0[%clk "), "{text}");
    assert_eq!(text.matches("eval").count(), 1, "{text}");
    let mut game = pgn_of(&opening(7, "Ann Bob", "blitz")[..3]);
    game.add_commands(u32::MAX, "[%eval 9]");
    assert!(!game.to_string().contains("eval"));
}

#[test]
fn a_game_has_the_form_of_the_database() {
    let end = "{Game 7 (Ann vs. Bob) Bob resigns} 1-0".to_owned();
    let talk = "Bob(1600)[7] kibitzes: good luck} 0-1".to_owned();
    let mut lines = opening(7, "Ann Bob", "blitz");
    lines.splice(4..4, [talk]);
    lines.push(end);
    let mut pgn = pgn_of(&lines);
    pgn.set_tag("WhiteRD", "18.5");
    pgn.set_tag("ECO", "C20");
    pgn.set_tag("no name", "x");
    let want = r#"[Event "FICS rated blitz game"]
[Site "FICS freechess.org"]
[ICSGame "7"]
[White "Ann"]
[Black "Bob"]
[WhiteElo "1583"]
[WhiteRD "18.5"]
[TimeControl "180+2"]
[Date "2024.02.28"]
[Round "-"]
[Time "23:59:59"]
[UTCDate "2024.02.28"]
[UTCTime "23:59:59"]
[WhiteClock "0:03:00.000"]
[BlackClock "0:02:50.500"]
[ECO "C20"]
[PlyCount "2"]
[Result "1-0"]

1. e4 {[%clk 0:03:00.000][%emt 0:00:01.500]} {Bob: good luck) 0-1} 1... e5 {[%clk 0:02:50.500][%emt 0:00:02.000]} {Black resigns} 1-0
"#;
    assert_eq!(pgn.to_string(), want);
}

#[test]
fn a_pause_and_added_time_change_no_times_of_moves() {
    let plain = opening(7, "Ann Bob", "blitz");
    let mut lines = plain.clone();
    let notices = ["Game clock paused.", "Game clock resumed.", "Ann has added 60 seconds to Bob's clock."];
    lines.splice(4..4, notices.map(|notice| format!("Game 7: {notice}")));
    assert_eq!(pgn_of(&lines).to_string(), pgn_of(&plain).to_string());
    assert_eq!(pgn_of(&lines[..5]).to_string(), pgn_of(&plain[..4]).to_string(), "in the pause");
}

#[test]
fn games_that_are_broken_off_are_unterminated() {
    let mut lines = opening(7, "Ann Bob", "blitz");
    assert_eq!((pgn_of(&lines).tag("Result"), pgn_of(&lines).tag("Termination")), (Some("*"), None));
    lines.push("{Game 7 (Ann vs. Bob) Game adjourned by mutual agreement} *".to_owned());
    let adjourned = pgn_of(&lines);
    assert_eq!((adjourned.tag("Result"), adjourned.tag("Termination")), (Some("*"), Some("unterminated")));
    assert!(adjourned.to_string().ends_with("{Game adjourned by mutual agreement} *\n"));
    let mut collector = collect(&opening(7, "Ann Bob", "blitz"));
    let steps = collector.interrupt_games();
    assert_eq!(collector.game(steps[0].game).unwrap().tag("Termination"), Some("unterminated"));
}

#[test]
fn a_game_that_began_out_of_view_starts_from_a_position() {
    let pgn = pgn_of(&[board(AFTER_E4, 7, "Ann Bob", 1, E4), board(AFTER_E5, 7, "Ann Bob", 2, E5)]);
    assert_eq!(pgn.tag("FEN"), Some("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"));
    assert!(pgn.to_string().contains("\n\n1... e5 {"), "{pgn}");
    assert_eq!(pgn.tag("Event"), Some("FICS game"));
}

#[test]
fn variants_have_their_names() {
    let cases = [
        ("blitz", None, "FICS rated blitz game", None),
        ("crazyhouse", Some("Crazyhouse"), "FICS rated crazyhouse game", None),
        ("atomic", Some("Atomic"), "FICS rated atomic game", None),
        ("suicide", Some("Suicide"), "FICS rated suicide game", None),
        ("losers", Some("Losers"), "FICS rated losers game", None),
        ("bughouse", Some("Bughouse"), "FICS rated bughouse game", None),
        ("wild/fr", Some("Chess960"), "FICS rated wild/fr game", Some("1")),
        ("wild/1", Some("Wildcastle"), "FICS rated wild/1 game", None),
        ("wild/5", None, "FICS rated wild/5 game", None),
    ];
    for (kind, variant, event, set_up) in cases {
        let pgn = pgn_of(&opening(7, "Ann Bob", kind));
        assert_eq!((pgn.tag("Variant"), pgn.tag("Event"), pgn.tag("SetUp")), (variant, Some(event), set_up), "{kind}");
    }
}

#[test]
fn a_move_of_a_variant_has_its_squares_unless_the_servers_word_is_clear() {
    // Two knights can go to d2.
    let knights = "rnbqkbnr pppppppp -------- -------- -------- -----N-- PPPPPPPP RNBQKB-R W -1 1 1 1 1 0";
    let after = "rnbqkbnr pppppppp -------- -------- -------- -----N-- PPPNPPPP R-BQKB-R B -1 1 1 1 1 0";
    let knights = knights.replace("PPPPPPPP RNB", "PPP-PPPP RNB");
    for (sent, want) in [("Nd2", "1. Nb1d2 "), ("Nbd2", "1. Nbd2 "), ("N/b1-d2", "1. Nb1d2 "), ("N1d2+", "1. N1d2+ ")] {
        let last = format!("N/b1-d2 (0:01.000) {sent}");
        let lines = [
            "{Game 7 (Ann vs. Bob) Creating rated losers match.}".to_owned(),
            board(&knights, 7, "Ann Bob", 1, NONE),
            board(after, 7, "Ann Bob", 1, &last),
        ];
        let pgn = pgn_of(&lines).to_string();
        assert!(pgn.contains(want), "{sent}: {pgn}");
    }
    // In chess it is the shortest notation, whatever the server writes.
    let lines = [board(&knights, 7, "Ann Bob", 1, NONE), board(after, 7, "Ann Bob", 1, "N/b1-d2 (0:01.000) Nd2")];
    assert!(pgn_of(&lines).to_string().contains("1. Nbd2 "));
}

#[test]
fn a_bughouse_match_has_both_boards_in_order() {
    let mut lines: Vec<String> = Vec::new();
    let [a, b] = [opening(7, "Ann Bob", "bughouse"), opening(8, "Cid Dan", "bughouse")];
    let link = |line: &String, partner: &str| line.replace("pt=0", partner);
    lines.extend(a.iter().zip(&b).flat_map(|(a, b)| [link(a, "pt=8"), link(b, "pt=7")]));
    lines.push("{Game 7 (Ann vs. Bob) Bob's partner won} 0-1".to_owned());
    lines.push("{Game 8 (Cid vs. Dan) Dan forfeits on time} 1-0".to_owned());
    let collector = collect(&lines);
    for game in collector.tracker().iter() {
        let text = collector.bughouse_match(game.key()).unwrap();
        let want = r#"[Event "FICS rated bughouse game"]
[Site "FICS - freechess.org"]
[Date "2024.02.28"]
[Time "23:59:59"]
[WhiteA "Ann"][WhiteAElo "1583"]
[BlackA "Bob"]
[WhiteB "Cid"][WhiteBElo "1583"]
[BlackB "Dan"]
[TimeControl "180+2"]
[Result "0-1"]

1A. e4{180.000} 1B. e4{180.000} 1a. e5{170.500} 1b. e5{170.500}
{Dan forfeits on time} 0-1
"#;
        assert_eq!(text, want);
    }
}

/// A directory that is removed at the end of the test.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("kibitzer-pgn-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn files(&self) -> usize {
        fs::read_dir(&self.0).unwrap().count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn games_are_appended_and_live_files_are_replaced() {
    let folder = Folder::new("files");
    let path = folder.0.join("games.pgn");
    let game = pgn_of(&opening(7, "Ann Bob", "blitz"));
    append_game(&path, &game).unwrap();
    append_game(&path, &game).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("{game}\n{game}"));
    replace_games(&path, &[&game]).unwrap();
    assert_eq!((fs::read_to_string(&path).unwrap(), folder.files()), (game.to_string(), 1));
}

#[test]
fn a_file_that_cannot_be_written_is_reported_and_unchanged() {
    let folder = Folder::new("errors");
    let game = pgn_of(&opening(7, "Ann Bob", "blitz"));
    let missing = folder.0.join("none").join("games.pgn");
    let cannot = |operation: &str, path: &Path| format!("cannot {operation} {}: ", path.display());
    for error in [append_game(&missing, &game), replace_games(&missing, &[&game])].map(Result::unwrap_err) {
        assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
        assert!(error.to_string().starts_with(&cannot("open", &missing)), "{error}");
    }
    // A directory cannot be replaced by a file.
    let taken = folder.0.join("taken");
    fs::create_dir_all(folder.0.join("taken/inside")).unwrap();
    let error = replace_games(&taken, &[&game]).unwrap_err();
    assert!(error.to_string().starts_with(&cannot("write", &taken)), "{error}");
    assert_eq!(folder.files(), 1, "no temporary file is left");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported() {
    let game = pgn_of(&opening(7, "Ann Bob", "blitz"));
    let error = append_game(Path::new("/dev/full"), &game).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::StorageFull, "{error}");
    assert!(error.to_string().starts_with("cannot write /dev/full: "), "{error}");
}

type Tag = (String, String);

/// Reads one game as readers do: tags line by line, then comments in braces and words; `None` if it is malformed.
fn parse(text: &str) -> Option<(Vec<Tag>, Vec<String>)> {
    let (tags, movetext) = text.split_once("\n\n")?;
    let tags = tags.lines().map(parse_tag).collect::<Option<_>>()?;
    let mut words = Vec::new();
    let mut rest = movetext;
    while let Some((before, comment)) = rest.split_once('{') {
        words.extend(before.split_whitespace().map(str::to_owned));
        let (inside, after) = comment.split_once('}')?;
        (!inside.contains(['{', '\n', '\r'])).then_some(())?;
        rest = after;
    }
    words.extend(rest.split_whitespace().map(str::to_owned));
    (movetext.lines().count() == 1).then_some((tags, words))
}

fn parse_tag(line: &str) -> Option<Tag> {
    let (name, value) = line.strip_prefix('[')?.strip_suffix("\"]")?.split_once(" \"")?;
    let mut chars = value.chars();
    let mut unescaped = String::new();
    while let Some(next) = chars.next() {
        match next {
            '\\' => unescaped.push(chars.next()?),
            '"' => return None,
            other => unescaped.push(other),
        }
    }
    Some((name.to_owned(), unescaped))
}

proptest! {
    #[test]
    fn any_text_in_comments_and_tags_gives_a_game_that_parses(
        comments in prop::collection::vec(("[\\PC\n\r\t{}\\[\\]%;\"\\\\]{0,60}", 0..4_usize), 0..6),
        value in "[\\PC\n\r\"\\\\\\]\\[]{0,300}",
        name in "[!-~]{1,17}",
    ) {
        let name = name.replace(['(', ')', '{', '}'], "x");
        let mut pgn = pgn_of(&[
            board(START, 7, &format!("{name} Bob"), 1, NONE),
            board(AFTER_E4, 7, &format!("{name} Bob"), 1, E4),
        ]);
        for (comment, n_moves) in &comments {
            pgn.add_comment(*n_moves, comment);
        }
        pgn.set_tag("Annotator", &value);
        let (tags, words) = parse(&pgn.to_string()).unwrap();
        prop_assert_eq!(words, ["1.", "e4", "*"]);
        prop_assert_eq!(tags.iter().filter(|(name, _)| name == "Result").count(), 1);
        prop_assert_eq!(&tags.last().unwrap().1, "*");
        prop_assert!(tags.len() < 30);
    }

    #[test]
    fn any_board_and_moves_that_fit_it_give_a_game_that_parses(
        rows in "([-PNBRQKpnbrqk]{8} ){8}",
        castling in "([01] ){4}",
        tries in prop::collection::vec((0..64_usize, 0..64_usize, "[!-~]{1,9}"), 0..60),
        kind in "blitz|crazyhouse|atomic|wild/fr|wild/1|suicide|bughouse",
    ) {
        let start = board(&format!("{rows}W -1 {castling}0"), 7, "Ann Bob", 1, NONE);
        let mut lines = vec![format!("{{Game 7 (Ann vs. Bob) Creating rated {kind} match.}}"), start];
        let ranks: Vec<[u8; 8]> = rows.split_whitespace().map(|row| row.as_bytes().try_into().unwrap()).collect();
        let mut board = Board::from_rows(&ranks.try_into().unwrap()).unwrap();
        let (mut mover, mut plies) = (Color::White, 0);
        for (from, to, san) in &tries {
            let [from, to] = [from, to].map(|index| Square::all().nth(*index).unwrap());
            let Some(piece) = board.piece(from).filter(|piece| piece.color == mover) else { continue };
            let promotion = (piece.role == Role::Pawn && matches!(to.rank(), 0 | 7)).then_some(Role::Queen);
            let played = LastMove::Normal { role: piece.role, from, to, promotion };
            let Ok(captured) = board.apply(played, mover) else { continue };
            let letters = captured.map(|role| role.letter().to_ascii_lowercase()).into_iter();
            let letters: String = letters.chain(promotion.map(Role::letter)).collect();
            plies += 1;
            lines.push(format!("<d1> 7 {plies} {san} {from}{to}{letters} 1000 170000 5"));
            mover = mover.opponent();
        }
        let collector = collect(&lines);
        let game = collector.tracker().iter().last().unwrap();
        let pgn = PgnGame::new(game, &PgnOrigin::default());
        prop_assert!(parse(&pgn.to_string()).is_some(), "{pgn}");
        prop_assert_eq!(pgn.tag("PlyCount"), Some(&*game.n_moves().to_string()));
        prop_assert!(game.n_moves() + 3 > plies || kind == "atomic", "{} of {plies}: {lines:?}", game.n_moves());
    }
}
