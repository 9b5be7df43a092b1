use super::*;
use crate::chess::{MoveCase, Position, TypedMoveError, Variant};
use crate::family::BoardForm;
use kibitzer_core::chess::{Color, LastMove, Role};
use kibitzer_core::message::listing::{GameList, History, Listing, MoveList, StoredGames};
use kibitzer_core::message::{GameEndReason, GameId, GameInfo, Rating, Relation, Style12};
use std::time::{Duration, Instant, SystemTime};

const SECOND: Duration = Duration::from_secs(1);

const OBSERVER: BoardViewer = BoardViewer {
    relation: Relation::Observing,
    unit: ClockUnit::Seconds,
    form: BoardForm::Style12,
    is_flipped: false,
};

fn seat(name: &str, rating: u16) -> SeatedPlayer {
    let rating = Rating::Established(rating);
    SeatedPlayer { name: name.parse().unwrap(), rating, is_registered: true, has_timeseal: false }
}

fn guest(name: &str) -> SeatedPlayer {
    SeatedPlayer { rating: Rating::Guest, is_registered: false, ..seat(name, 0) }
}

fn players() -> Sides<SeatedPlayer> {
    Sides { white: seat("Newton", 1700), black: seat("Einstein", 1850) }
}

fn terms(variant: Variant, minutes: u32, increment_s: u32) -> Terms {
    Terms { variant, rated: true, minutes, increment_s }
}

/// 21 November 2026, 00:30 UTC.
fn date() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_mins(29_920_350)
}

/// A game, and the time of its next move.
struct Table {
    game: Game,
    now: Instant,
}

impl Table {
    fn new(terms: Terms, seats: Sides<SeatedPlayer>) -> Self {
        let now = Instant::now();
        let header = GameHeader { id: GameId(7), terms, seats, started: date() };
        Self { game: Game::new(header, Position::start(terms.variant), now), now }
    }

    fn of(variant: Variant, minutes: u32, increment_s: u32) -> Self {
        Self::new(terms(variant, minutes, increment_s), players())
    }

    /// Plays moves that each take a second.
    fn play(&mut self, moves: &str) -> Option<(Option<Role>, Option<Ending>)> {
        moves.split_whitespace().map(|typed| self.play_after(SECOND, typed)).last()
    }

    fn play_after(&mut self, time: Duration, typed: &str) -> (Option<Role>, Option<Ending>) {
        self.now += time;
        let played = self.read(typed).unwrap_or_else(|error| panic!("{typed}: {error:?}"));
        self.game.try_play(self.game.side_to_move(), played, self.now, Duration::ZERO).unwrap()
    }

    fn read(&self, typed: &str) -> Result<LastMove, TypedMoveError> {
        self.game.position().parse_typed_move(typed, MoveCase::Insensitive)
    }

    fn clocks(&self) -> (i64, i64) {
        let clocks = self.game.clocks.readings(self.now);
        (clocks.white, clocks.black)
    }

    fn finish(&mut self, ending: Ending) -> String {
        self.game.finish(ending, self.now, date());
        self.game.result_line().unwrap()
    }

    fn format_move_list(&self, unit: ClockUnit) -> String {
        format_move_list(&self.game.header, self.game.ending, &self.game.record, unit)
    }
}

// Rules: style12 K5
#[test]
fn clocks_and_increments_start_at_the_third_ply() {
    let mut table = Table::of(Variant::Standard, 3, 2);
    table.play("e4 e5");
    assert_eq!((table.clocks(), table.game.clocks.running.is_some()), ((180_000, 180_000), true));
    table.play_after(SECOND * 5, "Nf3");
    assert_eq!(table.clocks(), (177_000, 180_000));
    table.now += SECOND * 3;
    assert_eq!(table.clocks(), (177_000, 177_000));
    table.play_after(SECOND, "Nc6");
    assert_eq!(table.clocks(), (177_000, 178_000));
    assert_eq!(table.game.record.plies.iter().map(|ply| ply.elapsed_ms).collect::<Vec<_>>(), [0, 0, 5_000, 4_000]);
}

#[test]
fn clocks_of_bughouse_start_at_once_and_untimed_ones_never() {
    let mut bughouse = Table::of(Variant::Bughouse, 3, 0);
    bughouse.play_after(SECOND * 4, "e4");
    assert_eq!(bughouse.clocks(), (176_000, 180_000));
    let mut untimed = Table::of(Variant::Standard, 0, 0);
    untimed.play("e4 e5 Nf3 Nc6");
    assert_eq!((untimed.clocks(), untimed.game.clocks.runs_out_at()), ((0, 0), None));
    assert_eq!(untimed.game.ending_by_flag_claim(Color::White, untimed.now), None);
}

// Rules: style12 K4
#[test]
fn an_increment_alone_starts_with_ten_seconds() {
    assert_eq!(Table::of(Variant::Standard, 0, 12).clocks(), (10_000, 10_000));
}

#[test]
fn lag_is_printed_and_not_charged() {
    let mut table = Table::of(Variant::Standard, 1, 0);
    table.play("e4 e5");
    table.now += SECOND;
    let (played, lag) = (table.read("Nf3").unwrap(), Duration::from_millis(250));
    table.game.try_play(Color::White, played, table.now, lag).unwrap();
    assert_eq!(table.clocks(), (59_250, 60_000));
    let line = table.game.format_board(BoardViewer { unit: ClockUnit::Milliseconds, ..OBSERVER }, table.now);
    assert!(line.ends_with("59250 60000 2 N/g1-f3 (0:00.750) Nf3 0 1 250"), "{line}");
}

#[test]
fn a_flag_can_be_claimed_when_the_time_is_over() {
    let mut table = Table::of(Variant::Standard, 1, 0);
    table.play("e4 e5 Nf3");
    assert_eq!(table.game.clocks.runs_out_at(), Some(table.now + SECOND * 60));
    table.now += Duration::from_millis(59_999);
    assert_eq!(table.game.ending_by_flag_fall(table.now), None);
    assert_eq!(table.game.ending_by_flag_claim(Color::White, table.now), None);
    table.now += Duration::from_millis(1);
    assert_eq!(table.game.ending_by_flag_fall(table.now), Some(Ending::of_side(GameEndReason::Time, Color::Black)));
    assert_eq!(table.game.ending_by_flag_claim(Color::Black, table.now), None);
    table.now += Duration::from_millis(917);
    let end = table.finish(Ending::of_side(GameEndReason::Time, Color::Black));
    assert_eq!(end, "{Game 7 (Newton vs. Einstein) Einstein forfeits on time} 1-0");
    let after = table.now + SECOND * 9;
    let line = Style12::parse(table.game.format_board(OBSERVER, after).as_bytes()).unwrap();
    assert_eq!((line.black_clock().as_ms(), line.clock_running()), (-1000, Some(false)), "the clock stands, below 0");
}

#[test]
fn a_side_that_cannot_mate_does_not_win_on_time() {
    let mut table = Table::of(Variant::Standard, 1, 0);
    let line = "e4 d5 exd5 Qxd5 d4 Qxd4 Qxd4 Nc6 Qxg7 Bxg7 Nc3 Bxc3+ bxc3 Nf6 Bg5 Ne4 Bxe7 Nxc3 Bd6 cxd6 Nf3 Nxa2 Nd4 Nxd4 \
                Rxa2 Nxc2+ Rxc2 Bg4 Rc8+ Rxc8 g3 Rc2 f3 Bxf3 h4 Bxh1 h5 Rc1+ Kd2 Rxf1 Kd3 Rf3+ Ke2 Rxg3 h6 Rg6 Kd3 Rxh6 Ke3";
    let moved = table.play(line).unwrap();
    assert_eq!(moved.1, None);
    assert!(table.game.position().has_insufficient_material(Color::White));
    table.now += SECOND * 60;
    assert_eq!(
        table.game.ending_by_flag_fall(table.now),
        Some(Ending::of_side(GameEndReason::TimeMaterial, Color::Black))
    );
    let end = table.finish(Ending::of_side(GameEndReason::TimeMaterial, Color::Black));
    assert_eq!(
        end,
        "{Game 7 (Newton vs. Einstein) Einstein ran out of time and Newton has no material to mate} 1/2-1/2"
    );
}

#[test]
fn moves_end_games_by_mate() {
    let mut table = Table::of(Variant::Standard, 3, 0);
    assert_eq!(table.play("f3 e5 g4 Qh4").unwrap().1, Some(Ending::of_side(GameEndReason::Mate, Color::White)));
    assert_eq!(
        table.finish(Ending::of_side(GameEndReason::Mate, Color::White)),
        "{Game 7 (Newton vs. Einstein) Newton checkmated} 0-1"
    );
    let late = table.game.try_play(
        Color::White,
        LastMove::Drop { role: Role::Pawn, to: "e4".parse().unwrap() },
        table.now,
        SECOND,
    );
    assert_eq!(late, None);
}

#[test]
fn a_move_out_of_turn_or_against_the_rules_changes_nothing() {
    let mut table = Table::of(Variant::Standard, 3, 0);
    let played = table.read("e4").unwrap();
    assert_eq!(table.game.try_play(Color::Black, played, table.now, Duration::ZERO), None);
    let bold =
        LastMove::Normal { role: Role::Pawn, from: "e2".parse().unwrap(), to: "e5".parse().unwrap(), promotion: None };
    assert_eq!(table.game.try_play(Color::White, bold, table.now, Duration::ZERO), None);
    assert_eq!(table.game.record.plies.len(), 0);
}

#[test]
fn draws_are_claimed_after_three_repetitions_or_fifty_quiet_moves() {
    let mut table = Table::of(Variant::Standard, 30, 0);
    table.play("Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1");
    assert_eq!(table.game.claimable_draw(), None);
    table.play("Ng8");
    assert_eq!(table.game.claimable_draw(), Some(Ending::of_game(GameEndReason::Repetition)));
    table.play("e4");
    assert_eq!(table.game.claimable_draw(), None);
    let mut quiet = Table::of(Variant::Standard, 60, 0);
    // Rooks and kings that wander so that no position comes thrice.
    quiet.play("a4 a5 h4 h5");
    let (white, black) = (["Ra3", "Rah3", "Ra3", "Ra1"], ["Ra6", "Rah6", "Ra6", "Ra8"]);
    for turn in 0..50 {
        quiet.play(white[turn % 4]);
        if turn == 49 {
            assert_eq!(quiet.game.position().halfmove_clock, 99);
        }
        quiet.play(black[turn % 4]);
    }
    assert_eq!(quiet.game.position().halfmove_clock, 100);
    assert!(quiet.game.claimable_draw().is_some());
}

#[test]
fn takebacks_restore_position_and_clocks() {
    let mut table = Table::of(Variant::Standard, 3, 2);
    table.play("e4 e5 Nf3 Nc6 Bb5");
    let before = table.clocks();
    table.play("a6 Ba4");
    assert!(table.game.try_take_back(2, table.now));
    assert_eq!((table.clocks(), table.game.record.plies.len(), table.game.side_to_move()), (before, 5, Color::Black));
    assert!(!table.game.try_take_back(6, table.now));
    assert!(table.game.try_take_back(5, table.now));
    assert_eq!((table.clocks(), table.game.clocks.running.is_some()), ((180_000, 180_000), false));
}

#[test]
fn only_an_early_game_is_aborted_without_consent() {
    let mut table = Table::of(Variant::Standard, 3, 2);
    table.play("e4");
    assert_eq!(
        table.game.ending_by_early_abort(Color::Black),
        Some(Ending::of_side(GameEndReason::AbortMove1, Color::Black))
    );
    let end = table.finish(Ending::of_side(GameEndReason::AbortMove1, Color::Black));
    assert_eq!(end, "{Game 7 (Newton vs. Einstein) Game aborted on move 1 by Einstein} *");
    let mut late = Table::of(Variant::Standard, 3, 2);
    late.play("e4 e5");
    assert_eq!(late.game.ending_by_early_abort(Color::White), None);
}

#[test]
fn a_disconnection_loses_adjourns_or_aborts_the_game() {
    let mut early = Table::of(Variant::Standard, 3, 0);
    early.play("e4 e5 Nf3 Nc6");
    assert_eq!(
        early.game.ending_by_leaving(Color::White),
        Ending::of_side(GameEndReason::AbortDisconnect, Color::White)
    );
    early.play("Bb5");
    assert_eq!(
        early.game.ending_by_leaving(Color::White),
        Ending::of_side(GameEndReason::AdjournDisconnect, Color::White)
    );
    let mut guests = Table::new(terms(Variant::Standard, 3, 0), Sides { white: guest("GuestABCD"), ..players() });
    guests.play("e4 e5 Nf3 Nc6 Bb5");
    assert_eq!(guests.game.ending_by_leaving(Color::Black), Ending::of_side(GameEndReason::Disconnect, Color::Black));
}

#[test]
fn an_adjourned_game_resumes_with_its_clocks() {
    let mut table = Table::of(Variant::Standard, 10, 10);
    table.play("e4 e5 Nf3");
    let end = table.finish(Ending::of_game(GameEndReason::AdjournAgreement));
    assert_eq!(end, "{Game 7 (Newton vs. Einstein) Game adjourned by mutual agreement} *");
    let clocks = table.clocks();
    table.now += SECOND * 86_400;
    table.game = table.game.resume(GameId(9), table.now);
    assert_eq!((table.clocks(), table.game.ending, table.game.header.id), (clocks, None, GameId(9)));
    table.play("Nc6");
    assert_eq!(table.clocks().1, clocks.1 + 9_000);
}

#[test]
fn partners_pass_pieces_and_end_together() {
    let mut table = Table::of(Variant::Bughouse, 3, 0);
    let moved = table.play("e4 d5 exd5").unwrap();
    assert_eq!((moved.0, table.game.position().hands.white.is_empty()), (Some(Role::Pawn), true));
    table.game.record.last_position_mut().hands.black.add(Role::Knight);
    let passed = table.game.header.holding_line(table.game.position(), Some((Color::Black, Role::Knight)));
    assert_eq!(passed.as_deref(), Some("<b1> game 7 white [] black [N] <- BN"));
    table.play("N@e4");
    assert_eq!(
        table.game.header.holding_line(table.game.position(), None).as_deref(),
        Some("<b1> game 7 white [] black []")
    );
    let cases = [
        (Ending::of_side(GameEndReason::Mate, Color::White), Ending::of_side(GameEndReason::Partner, Color::White)),
        (Ending::of_side(GameEndReason::Resign, Color::Black), Ending::of_side(GameEndReason::Partner, Color::Black)),
        (Ending::of_game(GameEndReason::Agreement), Ending::of_game(GameEndReason::Partner)),
        (Ending::of_game(GameEndReason::AbortAgreement), Ending::of_game(GameEndReason::AbortPartner)),
        (Ending::of_game(GameEndReason::AdjournAgreement), Ending::of_game(GameEndReason::AdjournPartner)),
    ];
    for (here, there) in cases {
        assert_eq!(here.to_partner_ending(), there);
    }
}

#[test]
fn a_board_has_the_fields_of_its_view() {
    let mut table = Table::of(Variant::Standard, 3, 0);
    table.play("e4");
    for (relation, is_flipped, fields) in
        [(Relation::OpponentsTurn, false, ("-1", "0")), (Relation::MyTurn, true, ("1", "1"))]
    {
        let line = table.game.format_board(BoardViewer { relation, is_flipped, ..OBSERVER }, table.now);
        let all: Vec<&str> = line.split(' ').collect();
        assert_eq!((all[19], all[30], all.len()), (fields.0, fields.1, 33), "{relation:?}");
    }
    let line = table.game.format_board(OBSERVER, table.now);
    assert_eq!(
        line,
        "<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 7 Newton Einstein 0 3 0 \
         39 39 180 180 1 P/e2-e4 (0:00) e4 0 0 0"
    );
}

#[test]
fn long_times_have_hours() {
    assert_eq!(ClockUnit::Seconds.format_elapsed(3_723_004), "1:02:03");
    assert_eq!(ClockUnit::Milliseconds.format_elapsed(3_723_004), "1:02:03.004");
    assert_eq!(ClockUnit::Milliseconds.format_elapsed(746_052), "12:26.052");
}

#[test]
fn the_move_list_has_the_recorded_form() {
    // fatics-block-client, but for the date.
    let mut table = Table::new(
        Terms { rated: false, ..terms(Variant::Standard, 5, 0) },
        Sides { white: seat("Alekhine", 1882), black: seat("Bogoljubov", 1558) },
    );
    for (ms, typed) in [(0, "e4"), (0, "e5"), (100, "Nf3"), (101, "Nc6"), (100, "Bb5")] {
        table.play_after(Duration::from_millis(ms), typed);
    }
    let want = "Movelist for game 7:\n\
        \n\
        Alekhine (1882) vs. Bogoljubov (1558) --- Sat Nov 21, 00:30 UTC 2026\n\
        Unrated blitz match, initial time: 5 minutes, increment: 0 seconds.\n\
        \n\
        Move  Alekhine                Bogoljubov\n\
        ----  ---------------------   ---------------------\n  \
          1.  e4      (0:00.000)      e5      (0:00.000)\n  \
          2.  Nf3     (0:00.100)      Nc6     (0:00.101)\n  \
          3.  Bb5     (0:00.100)      \n      \
              {Still in progress} *";
    assert_eq!(table.format_move_list(ClockUnit::Milliseconds), want);
    table.finish(Ending::of_side(GameEndReason::Resign, Color::White));
    let list: MoveList = parse(&table.format_move_list(ClockUnit::Seconds));
    assert_eq!((list.moves.len(), list.reason.as_str(), list.unread.len()), (5, "White resigns", 0));
}

fn parse<L: Listing>(text: &str) -> L {
    L::parse(text.lines().map(str::as_bytes)).unwrap()
}

#[test]
fn the_client_parses_rows_of_games() {
    let mut table = Table::of(Variant::Crazyhouse, 15, 10);
    table.play("e4 e5 Nf3 Nc6");
    let row = games_row(&table.game, table.now);
    assert_eq!(row, "  7 1700 Newton      1850 Einstein   [ zr 15  10]  15:09 - 15:09 (39-39) W:  3");
    let mut examined = ExaminedGame::new_scratch(GameId(25), guest("Friar"), date());
    let exam = examined_row(&examined);
    assert_eq!(exam, " 25 (Exam.    0 Friar          0 Friar     ) [ uu  0   0] W:  1");
    let listing: GameList = parse(&format!("{row}\n{exam}\n\n  2 games displayed."));
    assert_eq!((listing.games.len(), listing.unread.len()), (2, 0));
    assert!(!examined.revert_to_main_line());
    let long = Table::new(
        terms(Variant::Bughouse, 100, 60),
        Sides { white: guest("Abcdefghijklmnopq"), black: guest("Zyxwvutsrqponmlkj") },
    );
    let row = games_row(&long.game, long.now);
    assert_eq!(row, "  7 ++++ Abcdefghijk ++++ Zyxwvutsrq [ Br100  60] 1:40:00 -1:40:00 (39-39) W:  1");
    assert_eq!(parse::<GameList>(&format!("{row}\n  1 game displayed.")).games.len(), 1);
}

#[test]
fn the_client_parses_rows_of_history_and_stored_games() {
    let mut table = Table::of(Variant::Standard, 3, 0);
    table.play("e4 c5 Nf3 d6");
    table.finish(Ending::of_side(GameEndReason::Resign, Color::Black));
    let rows = [Color::White, Color::Black].map(|owner| history_row(0, &table.game, owner));
    assert_eq!(rows[0], " 0: + 1700 W 1850 Einstein      [bnr  3   0] B50 Res 2026-11-21 00:30 UTC");
    assert_eq!(rows[1], " 0: - 1850 B 1700 Newton        [bnr  3   0] B50 Res 2026-11-21 00:30 UTC");
    let history: History = parse(&format!("History for Newton:\n{HISTORY_HEAD}\n{}", rows[0]));
    assert_eq!((history.games.len(), history.unread.len()), (1, 0));
    let row = adjourned_row(1, &table.game, Color::White, true);
    assert_eq!(row, " 1: W Einstein        Y [bnr  3   0] 39-39 W3   B50 2026-11-21 00:30 UTC");
    let stored: StoredGames = parse(&format!("Stored games for Newton:\n{STORED_HEAD}\n{row}"));
    assert_eq!((stored.games.len(), stored.unread.len()), (1, 0));
}

/// Columns of fatics-game-endings-a, fatics-game-offers-white, fatics-bughouse-whiteA; the letter 9 is FatICS's for Chess960.
#[test]
fn history_shows_the_letters_of_speed_and_variant() {
    let cases = [
        (Variant::Standard, 0, 1, "[lnu  0   1]"),
        (Variant::Standard, 5, 2, "[bnu  5   2]"),
        (Variant::Standard, 10, 10, "[snu 10  10]"),
        (Variant::Standard, 0, 0, "[unu  0   0]"),
        (Variant::Crazyhouse, 1, 2, "[lzu  1   2]"),
        (Variant::Bughouse, 3, 0, "[bBu  3   0]"),
        (Variant::FischerRandom, 5, 5, "[b9u  5   5]"),
    ];
    for (variant, minutes, increment_s, want) in cases {
        let terms = Terms { variant, ..Terms::unrated(minutes, increment_s) };
        assert_eq!(terms.history_column(), want);
    }
}

#[test]
fn the_client_parses_game_information() {
    let mut table = Table::new(terms(Variant::Bughouse, 3, 2), Sides { black: guest("GuestABCD"), ..players() });
    table.game.partner = Some(GameId(8));
    let line = table.game.to_game_info().to_string();
    assert_eq!(line, "<g1> 7 p=0 t=bughouse r=1 u=0,1 it=180,2 i=180,2 pt=8 rt=1700,0 ts=0,0 m=2 n=0");
    assert!(GameInfo::parse(line.as_bytes()).is_some());
}

#[test]
fn kinds_depend_on_the_time_of_forty_moves() {
    let cases = [
        ((0, 0), "untimed", "rated untimed"),
        ((1, 0), "lightning", "rated lightning 1 0"),
        ((2, 1), "lightning", "rated lightning 2 1"),
        ((3, 0), "blitz", "rated blitz 3 0"),
        ((2, 12), "blitz", "rated blitz 2 12"),
        ((15, 0), "standard", "rated standard 15 0"),
        ((0, 1), "lightning", "rated lightning 0 1"),
    ];
    for ((minutes, increment_s), kind, text) in cases {
        let terms = terms(Variant::Standard, minutes, increment_s);
        assert_eq!((terms.kind(), terms.to_string().as_str()), (kind, text));
    }
}

#[test]
fn an_examined_game_moves_both_ways_and_into_variations() {
    let mut table = Table::of(Variant::Standard, 3, 0);
    table.play("e4 e5 Nf3 Nc6 Bb5");
    table.finish(Ending::of_side(GameEndReason::Resign, Color::Black));
    let mut examined = ExaminedGame::at_start_of_finished_game(GameId(3), &table.game);
    assert_eq!((examined.step_forward(2), examined.step_backward(9), examined.step_forward(4)), (2, 2, 4));
    let line = examined.format_board(BoardViewer { relation: Relation::Examining, ..OBSERVER });
    assert!(line.ends_with("3 Newton Einstein 2 3 0 39 39 179 179 3 N/b8-c6 (0:01) Nc6 0 0 0"), "{line}");
    let play = |examined: &mut ExaminedGame, typed: &str| {
        examined.advance_or_branch(examined.shown_position().parse_typed_move(typed, MoveCase::Sensitive).unwrap());
    };
    play(&mut examined, "Bc4");
    play(&mut examined, "Bc5");
    assert_eq!((examined.step_forward(1), examined.step_backward(3), examined.step_forward(3)), (0, 3, 3));
    assert!(examined.revert_to_main_line());
    assert_eq!(examined.shown_position().move_number, 3);
    assert_eq!(examined.ending_if_shown(), None);
    play(&mut examined, "Bb5");
    assert_eq!(
        (examined.ending_if_shown(), examined.revert_to_main_line()),
        (Some(Ending::of_side(GameEndReason::Resign, Color::Black)), false)
    );
    let observed = examined.format_board(BoardViewer { relation: Relation::ObservingExamined, ..OBSERVER });
    assert!(observed.contains(" Newton Einstein -2 "), "{observed}");
    assert_eq!(examined.main.plies.len(), 5);
}

#[test]
fn a_relayed_game_shows_its_last_move_unless_a_variation_is_shown() {
    let mut relay = ExaminedGame::new_relayed(GameHeader {
        id: GameId(5),
        terms: terms(Variant::Standard, 90, 30),
        seats: players(),
        started: date(),
    });
    let feed = |relay: &mut ExaminedGame, typed: &str, white, black| {
        let next = relay.main.last_position().parse_typed_move(typed, MoveCase::Sensitive).unwrap();
        relay.add_relayed_move(next, 4_000, Sides { white, black });
    };
    feed(&mut relay, "d4", 5_396_000, 5_400_000);
    let line = relay.format_board(BoardViewer { relation: Relation::ObservingExamined, ..OBSERVER });
    assert!(line.ends_with("-2 90 30 39 39 5396 5400 1 P/d2-d4 (0:04) d4 0 0 0"), "{line}");
    relay.step_backward(1);
    let other = relay.shown_position().parse_typed_move("e4", MoveCase::Sensitive).unwrap();
    relay.advance_or_branch(other);
    feed(&mut relay, "d5", 5_396_000, 5_390_000);
    assert!(
        relay.format_board(BoardViewer { relation: Relation::ObservingExamined, ..OBSERVER }).contains(" e4 0 0 0")
    );
    relay.ending = Some(Ending::of_game(GameEndReason::Agreement));
    assert!(relay.revert_to_main_line());
    assert_eq!(relay.shown_position().move_number, 1);
    assert_eq!((relay.step_forward(9), relay.ending_if_shown()), (2, Some(Ending::of_game(GameEndReason::Agreement))));
}
