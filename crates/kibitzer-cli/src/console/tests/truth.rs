//! What the screen says is true: the own game, the state of the line, the chosen game, results and refusals.

use std::time::Duration;

use kibitzer_core::message::GameId;
use kibitzer_server::{ConnectionTarget, Fault, FaultPoint, PopulationOptions, Server, ServerOptions};
use ratatui::crossterm::event::KeyCode;

use super::bot::bot;
use super::live::Guest;
use super::screens::{assert_live_screens, assert_screen};
use super::{SIZES, Shown, TestConsole, text};
use crate::console::SessionFeed;
use crate::console::model::ConsoleRow;
use crate::demo::join_channels_and_observe;

/// Begins a game against one of the embedded server's players, with this color, and leaves the board pane.
///
/// # Cancel safety
///
/// None is needed.
async fn begin_own_game(guest: &mut Guest, color: &str) -> GameId {
    guest.run(&format!("match Whetstone 2 0 unrated {color}")).await;
    guest.wait(Duration::from_secs(2)).await;
    guest.press(KeyCode::F(3));
    guest.shown_game().unwrap()
}

/// Sends a move that the console reports as illegal, by a second Enter.
///
/// # Cancel safety
///
/// None is needed.
async fn send_illegal_move(guest: &mut Guest, san: &str) {
    guest.run(san).await;
    guest.press(KeyCode::Enter);
    guest.wait(Duration::from_secs(1)).await;
}

/// Lets a fault of the guest's connection take effect now.
///
/// # Cancel safety
///
/// None is needed.
async fn inject(guest: &Guest, fault: Fault) {
    let target = ConnectionTarget::Player(guest.client.handle().unwrap().to_string());
    guest.server.control().inject(target, FaultPoint::Now, fault).await.unwrap();
}

/// The rows that contain a text.
fn rows_with(screen: &str, text: &str) -> Vec<usize> {
    screen.lines().enumerate().filter(|(_, line)| line.contains(text)).map(|(row, _)| row).collect()
}

#[tokio::test(start_paused = true)]
async fn in_the_grid_the_own_game_is_as_it_is_now_and_others_are_as_they_were() {
    let mut guest = Guest::among_players().await;
    let own = begin_own_game(&mut guest, "white").await;
    guest.keys("e4");
    guest.press(KeyCode::Enter);
    // The server is 18 ms away, and the opponent takes longer.
    guest.wait(Duration::from_millis(50)).await;
    guest.keys("/grid");
    guest.press(KeyCode::Enter);
    (0..40).for_each(|_| guest.press(KeyCode::PageUp));
    let screen = guest.screen();
    let title = |game: GameId, note: &str| format!("\u{2500} game {game} {note}");
    let titles = [title(own, "\u{2500}"), title(GameId(2), "as it was then")];
    assert!(titles.iter().all(|title| screen.contains(title)), "{screen}");
    for game in guest.app.shown_boards() {
        let newest = &guest.app.model.games[&game.id()];
        assert_eq!(game.board == newest.board, game.id() == own, "{}", game.id());
    }
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn a_board_is_turned_for_its_game_alone_and_the_own_one_has_the_own_side_below() {
    let mut guest = Guest::among_players().await;
    guest.run("/game 1").await;
    guest.run("/flip").await;
    let own = begin_own_game(&mut guest, "black").await;
    let handle = guest.client.handle().unwrap().to_string();
    let is_below = |guest: &mut Guest, name: &str| {
        let screen: String =
            guest.screen().lines().map(|line| line.chars().take(27).collect::<String>() + "\n").collect();
        let labels = rows_with(&screen, "  h g f e d c b a");
        labels.first().is_some_and(|labels| rows_with(&screen, name).iter().any(|row| row > labels))
    };
    assert!(is_below(&mut guest, &handle), "{}", guest.screen());
    guest.run("/flip").await;
    assert!(!is_below(&mut guest, &handle));
    guest.run("/game 1").await;
    assert_ne!(guest.shown_game(), Some(own));
    assert!(guest.screen().contains("  h g f e d c b a"), "turned before: {}", guest.screen());
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn a_silent_line_says_so_probes_and_reports_how_long_it_was_silent() {
    let mut guest = Guest::among_players().await;
    inject(&guest, Fault::Stall).await;
    guest.wait(Duration::from_secs(4)).await;
    let quiet = guest.screen();
    assert!(quiet.starts_with("kibitzer live, silent ") && quiet.contains(" ~4:"), "{quiet}");
    guest.wait(Duration::from_secs(12)).await;
    let probing = guest.screen();
    assert!(probing.starts_with("kibitzer probing, silent "), "{probing}");
    guest.wait(Duration::from_secs(3)).await;
    let stopped = guest.screen();
    let clocks = |screen: &str| {
        rows_with(screen, "~")
            .iter()
            .map(|row| screen.lines().nth(*row).unwrap().chars().take(27).collect())
            .collect::<Vec<String>>()
    };
    guest.wait(Duration::from_secs(3)).await;
    assert_eq!(clocks(&guest.screen()), clocks(&stopped));
    guest.wait(Duration::from_secs(30)).await;
    let lost = guest.rows().find(|row| row.kind_name() == "lost").unwrap().summary_line();
    assert!(lost.starts_with("* session lost: server is silent; nothing received for 2"), "{lost}");
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn a_line_without_its_reply_is_named_with_the_time_that_it_waits() {
    let mut guest = Guest::among_players().await;
    inject(&guest, Fault::Stall).await;
    guest.run("date").await;
    assert!(!guest.screen().contains("date waits"), "{}", guest.screen());
    guest.wait(Duration::from_secs(4)).await;
    let screen = guest.screen();
    assert!(screen.starts_with("kibitzer stalled ") && screen.contains("date waits 5s  "), "{screen}");
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn a_game_is_shown_that_is_observed_chosen_or_observed_again() {
    let mut guest = Guest::among_players().await;
    for (line, game) in [("observe 3", 3), ("observe 1", 1), ("/game 2", 2), ("observe 3", 3)] {
        guest.press(KeyCode::PageUp);
        guest.run(line).await;
        assert_eq!(guest.shown_game(), Some(GameId(game)), "{line}: {}", guest.screen());
    }
    let own = begin_own_game(&mut guest, "white").await;
    guest.run("observe 1").await;
    assert_eq!(guest.shown_game(), Some(GameId(1)));
    guest.run("date").await;
    assert_eq!(guest.shown_game(), Some(own));
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn commands_of_the_demo_are_the_sessions_and_change_no_choice() {
    let options = ServerOptions::new().in_process().seed(7).population(PopulationOptions::new().speed(4.0));
    let server = Server::start(options).await.unwrap();
    let mut guest = Guest::log_in_at(server, |_, tap| SessionFeed::Own(tap)).await;
    guest.run("observe 2").await;
    let client = guest.client.clone();
    let demo = tokio::spawn(async move { join_channels_and_observe(&client).await });
    guest.wait(Duration::from_secs(5)).await;
    assert_eq!(guest.shown_game(), Some(GameId(2)));
    let sent: Vec<_> = guest.rows().filter(|row| row.kind_name() == "sent").map(ConsoleRow::summary_line).collect();
    let with = |text: &str| sent.iter().find(|line| line.contains(text)).cloned().unwrap_or_default();
    assert!(with("+channel 50").starts_with("session> ") && with("observe 1").starts_with("session> "), "{sent:?}");
    assert!(with("observe 2").starts_with("> "), "{sent:?}");
    inject(&guest, Fault::Cut).await;
    guest.wait(Duration::from_secs(10)).await;
    let marks: Vec<_> = guest.rows().filter(|row| row.kind_name() == "mark").map(ConsoleRow::summary_line).collect();
    let handle = guest.client.handle().unwrap();
    assert!(marks.iter().any(|mark| mark.starts_with(&format!("--- new handle {handle}, before Guest"))), "{marks:?}");
    demo.abort();
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn a_refused_move_and_the_result_are_beside_the_board() {
    let mut guest = Guest::among_players().await;
    begin_own_game(&mut guest, "white").await;
    send_illegal_move(&mut guest, "e5").await;
    assert_live_screens("live-own-refused", &mut guest);
    guest.keys("e4");
    guest.press(KeyCode::Enter);
    guest.wait(Duration::from_millis(50)).await;
    let beside = |guest: &mut Guest| {
        guest.screen().lines().map(|line| line.chars().take(27).collect::<String>() + "\n").collect::<String>()
    };
    assert!(!beside(&mut guest).contains("Illegal move"), "{}", guest.screen());
    guest.wait(Duration::from_secs(20)).await;
    guest.run("resign").await;
    guest.wait(Duration::from_secs(5)).await;
    assert_live_screens("live-own-result", &mut guest);
    assert!(beside(&mut guest).contains("0-1, you lost: "), "{}", guest.screen());
    guest.leave().await;
}

#[test]
fn a_check_and_the_winner_are_beside_the_board() {
    let mut console = TestConsole::of_pieces(&[
        b"<12> rnbqkbnr pppp-ppp -------- ----p--Q ----P--- -------- PPPP-PPP RNB-KBNR B -1 1 1 1 1 1 7 Newton Einstein 0 2 12 39 39 \
            119 122 2 Q/d1-h5 (0:06) Qh5 0 1 0\n\r",
        b"<12> rnbqkbnr pppp-Qpp -------- ----p--- ----P--- -------- PPPP-PPP RNB-KBNR B -1 1 1 1 1 0 7 Newton Einstein 0 2 12 39 38 \
            119 122 3 Q/h5-f7 (0:06) Qxf7+ 0 1 0\n\r",
        b"\n\r{Game 7 (Newton vs. Einstein) Einstein resigns} 1-0\n\rfics% ",
    ]);
    console.wait(1.5);
    for size in SIZES {
        assert_screen("check", size, &console.screen(size));
    }
    console.wait(5.0);
    for size in SIZES {
        assert_screen("result", size, &console.screen(size));
    }
}

#[tokio::test(start_paused = true)]
async fn the_grid_says_how_many_boards_it_hides_and_fills_the_screen() {
    let mut guest = Guest::among_players().await;
    for game in 3..=6 {
        guest.run(&format!("observe {game}")).await;
    }
    guest.run("/grid").await;
    let n_boards = guest.app.shown_boards().len();
    assert!(n_boards > 3, "{n_boards}");
    for size in SIZES {
        assert_screen("live-grid-of-many", size, &text(&guest.buffer(size)));
    }
    let screen = text(&guest.buffer((80, 24)));
    let n_shown = screen.matches("\u{2500} game ").count();
    assert!(screen.contains(&format!(" +{} more ", n_boards - n_shown)), "{screen}");
    assert!(!text(&guest.buffer((160, 50))).contains(" more "));
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn a_pin_in_a_bots_console_stays_after_moves_of_its_games() {
    let mut bot = bot().await;
    let own = bot.shown_game().unwrap();
    bot.client.request("observe 2").await.unwrap();
    bot.wait(Duration::ZERO).await;
    assert_eq!(bot.shown_game(), Some(own), "the bot's request to observe moves no view");
    bot.run("/game 2").await;
    let n_moves = |bot: &Guest| bot.app.model.games[&own].board.ply();
    let before = n_moves(&bot);
    bot.wait(Duration::from_secs(15)).await;
    assert!(n_moves(&bot) > before + 1, "{}", n_moves(&bot));
    assert_eq!(bot.shown_game(), Some(GameId(2)));
    bot.leave().await;
}

/// Start of a board line, up to the clocks.
fn board_of(game: u32, relation: i32, placement: &str, rest: &str) -> String {
    format!("<12> {placement} {rest} {game} Newton Einstein {relation} 2 12 39 39 120 120 ")
}

#[test]
fn a_pin_in_a_recording_stays_after_moves_of_the_own_games_and_a_flip_after_moving_back() {
    let start = "rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR";
    let e4 = "rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR";
    let pieces = [
        board_of(7, -1, start, "W -1 1 1 1 1 0") + "1 none (0:00) none 0 0 0\n\r",
        board_of(2, 0, start, "W -1 1 1 1 1 0") + "1 none (0:00) none 0 0 0\n\r",
        board_of(7, 1, e4, "B 4 1 1 1 1 0") + "1 P/e2-e4 (0:06) e4 0 1 0\n\r",
    ];
    let mut console = TestConsole::of_pieces(&pieces.iter().map(String::as_bytes).collect::<Vec<_>>());
    console.wait(1.5);
    console.run("/game 2");
    console.run("/flip");
    console.wait(5.0);
    let last = console.rows().filter_map(ConsoleRow::game).next_back();
    assert_eq!((last, console.shown_game()), (Some(GameId(7)), Some(GameId(2))));
    console.run("/time 0");
    console.run("/time 2");
    assert!(console.screen(SIZES[0]).contains("  h g f e d c b a"), "{}", console.screen(SIZES[0]));
}

#[tokio::test(start_paused = true)]
async fn a_long_line_without_its_reply_leaves_room_in_the_title() {
    let mut guest = Guest::among_players().await;
    inject(&guest, Fault::Stall).await;
    guest.run(&format!("tell Whetstone {}", "long ".repeat(20))).await;
    guest.wait(Duration::from_secs(4)).await;
    let title = text(&guest.buffer((80, 24))).lines().next().unwrap().to_owned();
    let handle = guest.client.handle().unwrap();
    assert!(title.contains("tell Whetstone long") && title.contains(" waits 5s  "), "{title}");
    assert!(title.contains(&handle.to_string()), "{title}");
    guest.leave().await;
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_not_below_the_board_of_a_new_game_nor_after_a_reconnect() {
    let mut guest = Guest::among_players().await;
    for line in ["match Whetstone 2 0 unrated white", "observe 999"] {
        guest.keys(line);
        guest.press(KeyCode::Enter);
    }
    let n_games = guest.app.model.games.len();
    guest.wait(Duration::from_millis(100)).await;
    assert!(guest.app.model.refusal.is_some() && guest.app.model.games.len() == n_games, "{}", guest.screen());
    guest.wait(Duration::from_secs(3)).await;
    assert!(guest.app.model.games.len() > n_games, "{}", guest.screen());
    assert_eq!(guest.app.model.refusal, None);
    send_illegal_move(&mut guest, "e5").await;
    assert!(guest.app.model.refusal.is_some(), "{}", guest.screen());
    inject(&guest, Fault::Cut).await;
    guest.wait(Duration::from_secs(10)).await;
    assert!(guest.screen().starts_with("kibitzer live"), "{}", guest.screen());
    assert_eq!(guest.app.model.refusal, None);
    guest.leave().await;
}

#[test]
fn check_is_shown_only_in_games_whose_rules_know_it() {
    let board = "<12> rnbqkbnr pppp-Qpp -------- ----p--- ----P--- -------- PPPP-PPP RNB-KBNR B -1 1 1 1 1 0 7 Newton Einstein \
        0 2 12 39 38 119 122 3 Q/h5-f7 (0:06) Qxf7+ 0 1 0\n\r";
    for (kind, want) in [("suicide", false), ("atomic", false), ("blitz", true), ("crazyhouse", true)] {
        let created = format!("{{Game 7 (Newton vs. Einstein) Creating rated {kind} match.}}\n\r");
        let mut console = TestConsole::of_pieces(&[created.as_bytes(), board.as_bytes()]);
        console.wait(1.5);
        let screen = console.screen(SIZES[0]);
        assert!(screen.contains("Qxf7+"), "{screen}");
        assert_eq!(screen.contains("Qxf7+  check"), want, "{kind}: {screen}");
    }
}
