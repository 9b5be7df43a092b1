//! Printed lines, held against every game that was recorded.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant, SystemTime};

use kibitzer_core::chess::{Color, LastMove, Role};
use kibitzer_core::message::{
    DeltaBoard, GameEndReason, GameEnded, GameId, Handle, Holding, Message, Rating, Relation, Style12,
};

use super::*;
use crate::chess::{MoveCase, Position, Variant};
use crate::family::BoardForm;
use crate::testing::{Session, sessions, with_promotion};

/// Sessions of variants this server does not play, and of a game with an illegal move.
const OTHER_RULES: [&str; 4] = ["chess960", "suicide", "wild-and-odd", "illegal-move"];

/// A game that repeats the moves of a recorded one.
struct Replay {
    game: Game,
    now: Instant,
    /// How much more than ours each recorded clock showed when it last stood; unknown after a takeback, which
    /// gives other clocks back than ours.
    ahead_ms: Sides<Option<i64>>,
    /// A line `<b1>` that came before the board it belongs to.
    passed: Option<(Color, Role, String)>,
}

#[derive(Debug, Default)]
struct Checked {
    boards: usize,
    clocks: usize,
    deltas: usize,
    holdings: usize,
    passed: usize,
    takebacks: usize,
}

fn seat(name: &Handle) -> SeatedPlayer {
    SeatedPlayer { name: name.clone(), rating: Rating::Unrated, is_registered: true, has_timeseal: false }
}

fn variant(session: &Session, game: GameId) -> Variant {
    let has_hands = session.events.iter().any(|event| match event.message() {
        Some(Message::Holding(holding)) => holding.game == game,
        _ => false,
    });
    match (has_hands, session.name.contains("bughouse")) {
        (false, _) => Variant::Standard,
        (true, false) => Variant::Crazyhouse,
        (true, true) => Variant::Bughouse,
    }
}

impl Replay {
    fn start(session: &Session, board: &Style12) -> Self {
        let terms = Terms {
            variant: variant(session, board.game()),
            rated: false,
            minutes: board.initial_min(),
            increment_s: board.increment_s(),
        };
        let seats = Sides { white: seat(&board.white()), black: seat(&board.black()) };
        let now = Instant::now();
        let game = Game::new(
            GameHeader { id: board.game(), terms, seats, started: SystemTime::UNIX_EPOCH },
            Position::start(terms.variant),
            now,
        );
        Self { game, now, ahead_ms: Sides::both(Some(0)), passed: None }
    }

    /// Plays a reported move. The time it took is the reported one.
    fn play(&mut self, spelled: &str, elapsed_ms: u32, lag_ms: i32) {
        let position = self.game.position();
        let played = position.parse_typed_move(spelled, MoveCase::Sensitive).unwrap();
        let lag = Duration::from_millis(u64::try_from(lag_ms).unwrap_or(0));
        self.now += Duration::from_millis(u64::from(elapsed_ms)) + lag;
        self.game.try_play(position.side_to_move, played, self.now, lag).unwrap();
    }

    fn n_plies(&self) -> u32 {
        u32::try_from(self.game.record.plies.len()).unwrap()
    }

    /// Moves the game to the ply of a board; `false` if it has no such ply.
    fn follow(&mut self, board: &Style12, checked: &mut Checked) -> bool {
        if board.ply() == self.n_plies() + 1 {
            let reported = board.last_move().unwrap();
            let spelled = with_promotion(reported.verbose.as_str(), reported.played);
            self.play(&spelled, reported.elapsed_ms.unwrap(), board.lag_ms().unwrap_or(0));
        } else if board.ply() < self.n_plies() {
            self.take_back_to(board.ply(), checked);
        }
        board.ply() == self.n_plies() && self.game.position().board() == board.board()
    }

    fn take_back_to(&mut self, ply: u32, checked: &mut Checked) {
        let back = usize::try_from(self.n_plies() - ply).unwrap();
        assert!(self.game.try_take_back(back, self.now));
        self.ahead_ms = Sides::both(None);
        checked.takebacks += 1;
    }
}

fn view(board: &Style12, is_ms: bool) -> BoardViewer {
    let relation = board.relation();
    assert!(
        relation.is_mine() || relation == Relation::Observing,
        "{relation:?} is no relation to a game that is played"
    );
    let unit = if is_ms { ClockUnit::Milliseconds } else { ClockUnit::Seconds };
    BoardViewer { relation, unit, form: BoardForm::Style12, is_flipped: board.flip() == Some(true) }
}

/// Fields of style 12 in which a recorded server differs from freechess.org, by number.
fn differing(session: &Session, variant: Variant, board: &Style12) -> Vec<usize> {
    // Clocks are compared by themselves.
    let mut fields = vec![24, 25];
    if session.name.starts_with("fatics") {
        // The file of a double push only where a pawn can capture.
        fields.push(10);
        if variant.has_hands() {
            // Other worths, and no count of quiet plies.
            fields.extend([15, 22, 23]);
        }
        if board.lag_ms().is_some_and(|lag| lag < 0) {
            fields.push(32);
        }
    } else {
        // A right whose rook was taken stays; the counter after a takeback; `=Q`; twins and mates in the notation; clocks
        // that run from the first move, and from the start of the move in the move's time.
        fields.extend([11, 12, 13, 14, 15, 27, 28, 29]);
        if matches!(board.played(), Some(LastMove::Drop { .. })) {
            // A dropped pawn is taken for one that went two squares.
            fields.push(10);
        }
    }
    fields
}

fn check_board(
    session: &Session,
    replay: &mut Replay,
    board: &Style12,
    raw: &str,
    is_next: bool,
    checked: &mut Checked,
) {
    let is_ms = raw.split(' ').nth(28).unwrap().contains('.');
    let ours = replay.game.format_board(view(board, is_ms), replay.now);
    let skipped = differing(session, replay.game.header.terms.variant, board);
    let (mut mine, mut theirs) = (ours.split(' '), raw.split(' '));
    for field in 0..raw.split(' ').count() {
        let (mine, theirs) = (mine.next().unwrap(), theirs.next().unwrap());
        assert!(skipped.contains(&field) || mine == theirs, "{} field {field}:\n{ours}\n{raw}", session.name);
    }
    // Only the stopped clock is compared, as the other one ran while the line was written.
    let mover = !board.side_to_move();
    let ahead_ms = board.clock(mover).as_ms() - replay.game.clocks.reading(mover, replay.now);
    if let (true, true, Some(before)) = (is_ms, is_next, replay.ahead_ms.of(mover)) {
        let drift_ms = ahead_ms - before;
        assert!(drift_ms.abs() <= 3, "{} {mover} {drift_ms} ms:\n{ours}\n{raw}", session.name);
        checked.clocks += 1;
    }
    *replay.ahead_ms.of_mut(mover) = Some(ahead_ms);
    checked.boards += 1;
}

fn check_delta(replay: &mut Replay, delta: &DeltaBoard, raw: &str, checked: &mut Checked) {
    if u32::from(delta.plies) < replay.n_plies() {
        replay.take_back_to(delta.plies.into(), checked);
    }
    if u32::from(delta.plies) != replay.n_plies() + 1 {
        return;
    }
    let mover = replay.game.side_to_move();
    replay.play(delta.san.as_str(), delta.taken_ms, 0);
    let ours = replay.game.delta_line().unwrap();
    let (mut mine, mut theirs): (Vec<&str>, Vec<&str>) = (ours.split(' ').collect(), raw.split(' ').collect());
    let (left, recorded) = (mine.remove(6), theirs.remove(6));
    assert_eq!(mine, theirs);
    let ahead_ms = recorded.parse::<i64>().unwrap() - left.parse::<i64>().unwrap();
    if let Some(before) = replay.ahead_ms.of(mover) {
        assert!((ahead_ms - before).abs() <= 3, "{ours}\n{raw}");
        checked.deltas += 1;
    }
    *replay.ahead_ms.of_mut(mover) = Some(ahead_ms);
}

/// uhlin-fics lists so many pieces and leaves off the rest.
const MAX_LISTED: usize = 21;

/// Compares a holdings line, as far as the recorded server prints it.
fn assert_holding(replay: &Replay, added: Option<(Color, Role)>, raw: &str, place: &str) {
    let n_listed = raw.split(['[', ']']).skip(1).step_by(2).map(str::len).sum::<usize>();
    if n_listed < MAX_LISTED {
        assert_eq!(replay.game.header.holding_line(replay.game.position(), added).unwrap(), raw, "{place}");
    }
}

fn check_holding(session: &Session, replay: &mut Replay, holding: &Holding, raw: &str, checked: &mut Checked) {
    let raw = raw.trim_end();
    match (holding.passed, replay.game.header.terms.variant) {
        (Some((color, role)), Variant::Bughouse) => {
            replay.game.record.last_position_mut().hands.of_mut(color).add(role);
            assert_holding(replay, holding.passed, raw, &session.name);
            checked.passed += 1;
        }
        (Some((color, role)), _) => replay.passed = Some((color, role, raw.to_owned())),
        (None, _) => {
            assert_holding(replay, None, raw, &session.name);
            checked.holdings += 1;
        }
    }
}

fn replay(session: &Session, checked: &mut Checked) {
    let mut replays: HashMap<GameId, Replay> = HashMap::new();
    for event in &session.events {
        let raw = String::from_utf8_lossy(event.raw()).into_owned();
        match event.message() {
            Some(Message::Style12(board)) if board.relation().is_examined() || board.relation().is_isolated() => {}
            // The server here writes whole lines.
            Some(Message::Style12(board)) if board.is_cut() => {}
            Some(Message::Style12(board)) => {
                if board.last_move().is_none() && board.ply() == 0 {
                    replays.insert(board.game(), Replay::start(session, board));
                }
                let Some(mut replay) = replays.remove(&board.game()) else { continue };
                let before = replay.n_plies();
                if !replay.follow(board, checked) {
                    continue;
                }
                let is_next = before + 1 == replay.n_plies();
                check_board(session, &mut replay, board, &raw, is_next, checked);
                if let Some((color, role, raw)) = replay.passed.take() {
                    assert_holding(&replay, Some((color, role)), &raw, &session.name);
                    checked.passed += 1;
                }
                replays.insert(board.game(), replay);
            }
            Some(Message::Delta(delta)) => {
                if let Some(replay) = replays.get_mut(&delta.game) {
                    check_delta(replay, delta, &raw, checked);
                }
            }
            Some(Message::Holding(holding)) => {
                if let Some(replay) = replays.get_mut(&holding.game) {
                    check_holding(session, replay, holding, &raw, checked);
                }
            }
            Some(Message::GameEnded(end)) => {
                replays.remove(&end.game);
            }
            _ => replays.values_mut().for_each(|replay| add_time(replay, &raw)),
        }
    }
}

/// Takes `Foo has added 5 seconds to your clock.`
fn add_time(replay: &mut Replay, line: &str) {
    let Some((giver, rest)) = line.split_once(" has added ") else { return };
    let Some(seconds) = rest.strip_suffix(" seconds to your clock.") else { return };
    if let Some(giver) = replay.game.header.color_of(giver) {
        replay.game.clocks.add_time(!giver, Duration::from_secs(seconds.parse().unwrap()));
    }
}

// Rules: style12 K1, style12 K5, datagrams D6, bughouse H1
#[test]
fn lines_about_a_game_equal_the_recorded_ones_field_by_field() {
    let mut checked = Checked::default();
    for session in sessions().filter(|session| !OTHER_RULES.iter().any(|other| session.name.contains(other))) {
        replay(&session, &mut checked);
    }
    let Checked { boards, clocks, deltas, holdings, passed, takebacks } = checked;
    let least = [(boards, 4000), (clocks, 500), (deltas, 200), (holdings, 1400), (passed, 350), (takebacks, 20)];
    assert!(least.iter().all(|(n, least)| n >= least), "{checked:?}");
}

/// Words of the recorded servers for which this one has others, or which it has no use for.
const OTHER_WORDS: [&str; 9] = [
    "Game drawn by agreement",
    "Game aborted by agreement",
    "Game adjourned by agreement",
    "aborts by disconnection",
    "Game courtesyaborted",
    "having less material",
    "losing all material",
    "aborted",
    "adjourned",
];

fn every_ending() -> Vec<Ending> {
    let of_sides = [
        GameEndReason::Resign,
        GameEndReason::Mate,
        GameEndReason::Time,
        GameEndReason::Disconnect,
        GameEndReason::TimeMaterial,
        GameEndReason::AbortMove1,
        GameEndReason::AbortDisconnect,
        GameEndReason::AdjournDisconnect,
        GameEndReason::Partner,
    ];
    let of_games = [
        GameEndReason::Agreement,
        GameEndReason::Stalemate,
        GameEndReason::Repetition,
        GameEndReason::Fifty,
        GameEndReason::Material,
        GameEndReason::BothTime,
        GameEndReason::AbortAgreement,
        GameEndReason::AbortShutdown,
        GameEndReason::AdjournAgreement,
        GameEndReason::AdjournShutdown,
        GameEndReason::Partner,
        GameEndReason::AbortPartner,
        GameEndReason::AdjournPartner,
    ];
    let of_sides = of_sides.into_iter().flat_map(|reason| Color::BOTH.map(|side| Ending::of_side(reason, side)));
    of_games.into_iter().map(Ending::of_game).chain(of_sides).collect()
}

// Rules: text Z1, text Z2, text Z3
#[test]
fn endings_have_the_recorded_texts() {
    let mut seen = HashSet::new();
    for session in sessions() {
        for end in session.events.iter().filter_map(|event| event.message()) {
            let Message::GameEnded(end) = end else { continue };
            let names = Sides { white: end.white.as_str(), black: end.black.as_str() };
            let words = end.text.to_string();
            let ours = every_ending().into_iter().find(|ending| ending.format_text(names) == words);
            match ours {
                Some(ending) => {
                    assert_eq!(ending.result(), end.result, "{words}");
                    seen.insert(ending);
                }
                None => assert!(OTHER_WORDS.iter().any(|other| words.contains(other)), "{}: {words}", session.name),
            }
        }
    }
    assert!(seen.len() >= 14, "{seen:?}");
}

// Rules: text Z4
#[test]
fn the_client_parses_every_ending() {
    for ending in every_ending() {
        let names = Sides { white: "Time", black: "Partner" };
        let line = format!("{{Game 7 (Time vs. Partner) {}}} {}", ending.format_text(names), ending.result());
        let end = GameEnded::parse(line.as_bytes()).unwrap_or_else(|| panic!("{line}"));
        assert_eq!((end.reason, end.result), (ending.reason, ending.result()), "{line}");
    }
}
