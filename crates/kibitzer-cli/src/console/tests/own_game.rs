//! The own game: the pane of its board, the moves as they are typed.

use std::time::Duration;

use kibitzer_core::message::GameId;
use kibitzer_server::{ConnectionTarget, Fault, FaultPoint};
use ratatui::crossterm::event::KeyCode;

use super::live::Guest;
use super::screens::assert_screen;
use super::{Shown, TestConsole, rows, text};
use crate::console::app::{App, Pane, TalkTab};
use crate::console::model::ConsoleRow;
use crate::console::view::{Theme, is_square};

const SIZES: [(u16, u16); 4] = [(80, 24), (100, 30), (160, 50), (200, 20)];

/// Begins a game against one of the embedded server's players.
///
/// # Cancel safety
///
/// None is needed.
async fn begin(color: &str) -> Guest {
    let mut guest = Guest::among_players().await;
    guest.run(&format!("match Whetstone 2 0 unrated {color}")).await;
    guest.wait(Duration::from_secs(2)).await;
    guest
}

/// Plays a move, and waits for the opponent's.
///
/// # Cancel safety
///
/// None is needed.
async fn play(guest: &mut Guest, san: &str) {
    guest.run(san).await;
    guest.wait(Duration::from_secs(12)).await;
}

/// Plays the opening of a game, and talks to the opponent.
///
/// # Cancel safety
///
/// None is needed.
pub(super) async fn in_own_game() -> Guest {
    let mut guest = begin("white").await;
    play(&mut guest, "e4").await;
    guest.run("say good luck").await;
    for san in ["Nf3", "Bc4", "O-O"] {
        play(&mut guest, san).await;
    }
    guest
}

/// Number of sent lines with this text.
fn n_sent(guest: &Guest, text: &str) -> usize {
    let sent = guest.rows().filter(|row| row.kind_name() == "sent").map(ConsoleRow::summary_line);
    sent.filter(|line| line.contains(&format!(" {text} "))).count()
}

#[tokio::test(start_paused = true)]
async fn an_own_game_fills_the_screen_until_a_key_also_after_its_end() {
    let mut guest = in_own_game().await;
    let own = guest.shown_game();
    assert_eq!(guest.app.screen.alone, Some(Pane::Board));
    for size in SIZES {
        assert_screen("own-game", size, &text(&guest.buffer(size)));
    }
    guest.run("resign").await;
    guest.wait(Duration::from_secs(5)).await;
    guest.keys("date");
    for size in SIZES {
        assert_screen("own-game-over", size, &text(&guest.buffer(size)));
    }
    guest.press(KeyCode::Enter);
    assert_eq!((guest.shown_game(), guest.screen().contains("0-1, you lost: ")), (own, true), "{}", guest.screen());
    guest.press(KeyCode::F(3));
    assert!(guest.screen().contains("\u{2500} stream "), "{}", guest.screen());
    guest.run("match Whetstone 2 0 unrated black").await;
    guest.wait(Duration::from_secs(2)).await;
    assert_eq!(guest.app.screen.alone, Some(Pane::Board));
    let shown = &guest.app.model.games[&guest.shown_game().unwrap()];
    assert!(shown.ending.is_none() && shown.own_color().is_some());
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn squares_keep_their_size_and_place_when_the_turn_changes() {
    let mut guest = begin("white").await;
    for size in [(80, 24), (80, 31), (100, 30), (160, 50), (160, 52)] {
        let squares = |guest: &mut Guest| -> Vec<_> {
            let buffer = guest.buffer(size);
            buffer.content.iter().map(|cell| is_square(cell.bg)).collect()
        };
        let before = squares(&mut guest);
        assert!(before.iter().any(|is_square| *is_square));
        guest.keys("x");
        guest.app.input.editor.take_text();
        let attention = guest.app.attention_text();
        guest.app.model.games.values_mut().for_each(|game| game.followed = false);
        assert_ne!(guest.app.attention_text(), attention);
        assert!(squares(&mut guest) == before, "{size:?}");
        guest.app.model.games.values_mut().for_each(|game| game.followed = true);
    }
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn a_game_that_goes_on_after_a_reconnect_keeps_the_panes() {
    let mut guest = begin("white").await;
    guest.press(KeyCode::F(3));
    let target = ConnectionTarget::Player(guest.client.handle().unwrap().to_string());
    guest.server.control().inject(target, FaultPoint::Now, Fault::Cut).await.unwrap();
    guest.wait(Duration::from_secs(10)).await;
    assert!(guest.rows().any(|row| row.kind_name() == "lost"));
    assert_eq!(guest.app.screen.alone, None);
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn tab_completes_legal_moves() {
    let mut guest = begin("white").await;
    guest.press(KeyCode::Tab);
    assert!(guest.notice().starts_with("20: Na3  Nc3  Nf3  Nh3  a3"), "{}", guest.notice());
    for (typed, completed) in
        [("Nf", "Nf3"), ("N", "N"), ("h4", "h4"), ("e5", "e5"), ("exam", "examine "), ("nf", "Nf3")]
    {
        guest.keys(typed);
        guest.press(KeyCode::Tab);
        assert_eq!(guest.typed(), completed, "{typed}");
        guest.press_control('u');
    }
    guest.keys("e");
    guest.press(KeyCode::Tab);
    assert_eq!(guest.notice(), "3: e3  e4  examine");
    guest.press_control('u');
    guest.keys("e4");
    guest.press(KeyCode::Enter);
    // The server is 18 ms away, and the opponent takes longer.
    guest.wait(Duration::from_millis(50)).await;
    guest.keys("Nf");
    guest.press(KeyCode::Tab);
    assert_eq!(guest.typed(), "Nf", "it is the opponent's move");
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn an_illegal_move_is_reported_at_the_input_line_and_sent_by_a_second_enter() {
    let mut guest = begin("white").await;
    for illegal in ["e5", "Nd2", "e1g1", "O-O", "Bb5", "e8=Q", "bxc3", "Q@f7"] {
        guest.run(illegal).await;
        assert_eq!(guest.notice(), format!("not sent, {illegal} is not legal here: Enter again sends it"));
        assert_eq!((guest.typed(), n_sent(&guest, illegal)), (illegal, 0), "{illegal}");
        guest.press_control('u');
    }
    guest.run("e5").await;
    guest.press(KeyCode::Enter);
    guest.wait(Duration::from_secs(1)).await;
    assert_eq!(n_sent(&guest, "e5"), 1);
    assert!(guest.screen().contains("Illegal move (e5)"), "{}", guest.screen());
    // What is no move, and moves that servers understand.
    for line in ["date", "eco", "nf3", "b2b3"] {
        guest.run(line).await;
        assert_eq!((n_sent(&guest, line), guest.typed()), (1, ""), "{line}");
    }
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn a_move_is_not_judged_in_a_variant_whose_rules_are_not_known() {
    let mut guest = begin("white").await;
    let own = guest.shown_game().unwrap();
    for (variant, is_sent) in [(Some("chess"), false), (Some("atomic"), true), (None, true), (Some("crazyhouse"), true)]
    {
        guest.app.model.games.get_mut(&own).unwrap().variant = variant.map(str::to_owned);
        let before = n_sent(&guest, "Ke2");
        guest.run("Ke2").await;
        assert_eq!(n_sent(&guest, "Ke2") > before, is_sent, "{variant:?}");
        guest.press(KeyCode::Tab);
        guest.press_control('u');
    }
    guest.leave().await;
}

/// A game of which the first board and these boards are known.
fn console_of(boards: &[&str]) -> TestConsole {
    let lines: Vec<_> = boards.iter().map(|board| format!("<12> {board}\n\r")).collect();
    let mut console = TestConsole::of_pieces(&lines.iter().map(String::as_bytes).collect::<Vec<_>>()).play_to_end();
    console.keys("b");
    console
}

const START: &str = "rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 7 Newton Einstein 0 2 12 \
    39 39 120 120 1 none (0:00) none 0";
const AFTER_E4: &str = "rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 7 Newton Einstein 0 2 12 \
    39 39 120 120 1 P/e2-e4 (0:06) e4 0";
const AFTER_E5: &str = "rnbqkbnr pppp-ppp -------- ----p--- ----P--- -------- PPPP-PPP RNBQKBNR W 4 1 1 1 1 0 7 Newton Einstein 0 2 12 \
    39 39 120 120 2 P/e7-e5 (0:04) e5 0";
const AFTER_QH5: &str = "rnbqkbnr pppp-ppp -------- ----p--Q ----P--- -------- PPPP-PPP RNB-KBNR B -1 1 1 1 1 1 7 Newton Einstein 0 2 12 \
    39 39 119 120 2 Q/d1-h5 (0:13) Qh5 0";
const AFTER_QXF7: &str = "rnbqkbnr pppp-Qpp -------- ----p--- ----P--- -------- PPPP-PPP RNB-KBNR B -1 1 1 1 1 0 7 Newton Einstein 0 2 12 \
    39 38 119 122 3 Q/h5-f7 (0:06) Qxf7+ 0";

#[test]
fn moves_that_were_not_seen_have_dots_and_a_king_in_check_has_a_mark() {
    let mut console = console_of(&[AFTER_E4, AFTER_E5, AFTER_QH5]);
    let screen = console.screen((80, 24));
    assert!(screen.contains("  1. ...           e5       0:04"), "{screen}");
    assert!(screen.contains("  2. Qh5      0:13"), "{screen}");
    let mut console = console_of(&[AFTER_QH5, AFTER_QXF7]);
    let screen = text(&console.buffer((80, 24), Theme::new(false)));
    assert!(screen.contains("k +") && screen.contains("  3. Qxf7+  check") && screen.contains(" +1"), "{screen}");
}

fn shown_moves(console: &TestConsole) -> Vec<String> {
    console.app.shown_boards().remove(0).moves.iter().map(ToString::to_string).collect()
}

/// Selects the row this many lines below the first.
fn go_down(console: &mut TestConsole, lines: usize) {
    console.press(KeyCode::Home);
    (0..lines).for_each(|_| console.press(KeyCode::Down));
}

#[test]
fn an_earlier_board_has_the_moves_up_to_it_unless_some_were_taken_back() {
    let mut console = console_of(&[AFTER_E4, AFTER_E5, AFTER_QH5]);
    assert_eq!(shown_moves(&console), ["e5", "Qh5"]);
    go_down(&mut console, 1);
    assert_eq!(shown_moves(&console), ["e5"]);
    let mut console = console_of(&[AFTER_E4, AFTER_E5, AFTER_E4, AFTER_E5, AFTER_QH5]);
    go_down(&mut console, 1);
    assert_eq!((shown_moves(&console), console.shown_game()), (vec![], Some(GameId(7))));
    go_down(&mut console, 3);
    assert_eq!(shown_moves(&console), ["e5"], "after the takeback");
}

#[test]
fn an_earlier_board_has_no_moves_of_another_game_with_its_number() {
    let of_others = |board: &str| board.replace("Newton Einstein", "Euler Gauss");
    let [e4, e5, qh5] = [AFTER_E4, AFTER_E5, AFTER_QH5].map(of_others);
    let mut console = console_of(&[AFTER_E4, AFTER_E5, AFTER_E4, &e4, &e5, &qh5]);
    go_down(&mut console, 4);
    assert_eq!(shown_moves(&console), ["e5"], "the takeback was in the game before");
    // As if the moves before the first board of the other game had been fetched.
    let mut console = console_of(&[AFTER_E4, &qh5]);
    let moves = console_of(&[START, AFTER_E4, AFTER_E5, AFTER_QH5]).app.shown_boards().remove(0).moves;
    console.app.model.games.get_mut(&GameId(7)).unwrap().moves = moves;
    assert_eq!(shown_moves(&console), ["e4", "e5", "Qh5"]);
    go_down(&mut console, 0);
    assert_eq!((shown_moves(&console), console.shown_game()), (vec![], Some(GameId(7))));
}

#[tokio::test(start_paused = true)]
async fn a_comment_on_another_game_is_answered_with_its_number() {
    let guest = in_own_game().await;
    let own = guest.shown_game().unwrap();
    let answer = |app: &App, game: GameId, verb: &str| {
        app.start_of_answer(&rows(format!("Flohr(1882)[{game}] {verb}: a move\n\r").as_bytes())[0]).unwrap()
    };
    for (game, verb, start) in [
        (own, "kibitzes", "kibitz "),
        (own, "whispers", "whisper "),
        (GameId(1), "kibitzes", "xkibitz 1 "),
        (GameId(2), "whispers", "xwhisper 2 "),
    ] {
        assert_eq!(answer(&guest.app, game, verb), start);
    }
    let observer = console_of(&[AFTER_E4]);
    assert_eq!(answer(&observer.app, GameId(7), "kibitzes"), "kibitz ");
    assert_eq!(answer(&observer.app, GameId(8), "kibitzes"), "xkibitz 8 ");
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn tells_beside_the_own_board_are_read() {
    let mut guest = begin("white").await;
    play(&mut guest, "e4").await;
    let n_before = guest.app.talk.unread_tells();
    assert_ne!(n_before, 0);
    guest.screen();
    assert_eq!(guest.app.talk.unread_tells(), n_before, "those before the game are not drawn");
    guest.app.talk.mark_read(TalkTab::Tells);
    guest.run("tell Whetstone hello").await;
    guest.wait(Duration::from_secs(10)).await;
    assert_ne!(guest.app.talk.unread_tells(), 0);
    let screen = guest.screen();
    assert!(screen.contains("Whetstone(C) tells you: sorry, thinking"), "{screen}");
    assert_eq!(guest.app.talk.unread_tells(), 0);
    guest.leave().await;
}
