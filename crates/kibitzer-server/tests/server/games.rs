//! Games: playing, leaving, resuming, watching, examining, bughouse, timeseal.

use std::time::Duration;

use kibitzer_core::wire::{Timeseal, seal_hello, seal_line, seal_ping_answer};
use kibitzer_server::Server;
use tokio::time;

use crate::peer::{Peer, plain, server_with};

/// Two players who have started a game on these terms, White first.
async fn game(server: &Server, terms: &str) -> (Peer, Peer) {
    let (mut white, mut black) = (Peer::player(server, "Alekhine").await, Peer::player(server, "Bogoljubov").await);
    white.ask(&format!("match Bogoljubov {terms} white")).await;
    assert!(black.text().await.starts_with("Challenge: Alekhine "));
    let started = black.ask("accept").await;
    assert!(started.starts_with("Accepting the match offer from Alekhine.\n\nCreating: Alekhine "), "{started}");
    assert!(white.text().await.contains("\nBogoljubov accepts your match offer.\nfics% \nCreating: Alekhine "));
    (white, black)
}

/// Plays moves in turn, White first; both hear the boards.
async fn play(white: &mut Peer, black: &mut Peer, moves: &[&str]) {
    for (ply, typed) in moves.iter().enumerate() {
        let (mover, other) = if ply % 2 == 0 { (&mut *white, &mut *black) } else { (&mut *black, &mut *white) };
        let own = mover.ask(typed).await;
        assert!(own.starts_with("\n<12> ") && own.ends_with("\nfics% "), "{typed}: {own}");
        assert!(other.text().await.contains("\n<12> "), "{typed}");
    }
}

#[tokio::test(start_paused = true)]
async fn checkmate_ends_the_game_for_players_and_observers() {
    let server = server_with(&["Alekhine", "Bogoljubov"]).await;
    let mut observer = Peer::guest(&server, "Zoltan").await;
    observer.ask("set gin 1").await;
    let (mut white, mut black) = game(&server, "5 0 u").await;
    assert_eq!(observer.text().await, "\n{Game 1 (Alekhine vs. Bogoljubov) Creating unrated blitz match.}\nfics% ");
    observer.ask("observe 1").await;
    play(&mut white, &mut black, &["f3", "e5", "g4"]).await;
    assert_eq!(white.ask("e4").await, "It is not your move.\nfics% ");
    let refused = black.ask("e5e3").await;
    assert!(refused.starts_with("Illegal move (e5e3).\n\n<12> rnbqkbnr "), "{refused}");
    let mated = black.ask("Qh4").await;
    let end = "{Game 1 (Alekhine vs. Bogoljubov) Alekhine checkmated} 0-1\n";
    assert!(mated.ends_with(&format!(" Qh4# 1 1 0\n\n{end}fics% fics% ")), "{mated}");
    assert!(white.text().await.ends_with(&format!("fics% \n{end}fics% ")));
    let seen = observer.text().await;
    // Once as an observer, once for `gin`; then the game is removed.
    let tail = format!("\n{end}fics% \n{end}fics% \nRemoving game 1 from observation list.\nfics% ");
    assert!(seen.ends_with(&tail), "{seen}");
    assert!(white.ask("history").await.contains(" 0: - 1882 W 1882 Bogoljubov "));
    assert_eq!(white.ask("say gg").await, "(told Bogoljubov)\nfics% ");
    assert_eq!(black.text().await, "\nAlekhine says: gg\nfics% ");
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_rated_game_changes_the_ratings_as_forecast() {
    let server = server_with(&["Alekhine", "Bogoljubov", "Capablanca"]).await;
    let mut white = Peer::player(&server, "Alekhine").await;
    let mut black = Peer::player(&server, "Bogoljubov").await;
    let mut observer = Peer::player(&server, "Capablanca").await;
    // Both have 1882 in blitz from their accounts, and no standard rating.
    let issued = white.ask("match bogoljubov 5 0 r white").await;
    let forecast = "Your blitz rating will change:  Win: +7,  Draw: +0,  Loss: -7\nYour new RD will be 49.5\n";
    assert!(issued.contains(&format!("rated blitz 5 0.\n{forecast}")), "{issued}");
    let challenge = black.text().await;
    assert!(challenge.contains(&format!("rated blitz 5 0.\n{forecast}")), "{challenge}");
    black.ask("accept").await;
    observer.ask("observe 1").await;
    white.text().await;
    play(&mut white, &mut black, &["e4", "e5"]).await;
    observer.text().await;
    white.ask("resign").await;
    let end = "\n{Game 1 (Alekhine vs. Bogoljubov) Alekhine resigns} 0-1\n";
    assert_eq!(black.text().await, format!("{end}Blitz rating adjustment: 1882 --> 1889\nfics% "));
    assert!(observer.text().await.starts_with(&format!("{end}fics% ")), "observers receive the result alone");
    let finger = white.ask("finger").await;
    assert!(finger.contains("blitz                    1875   50   0.060000       1 \n"), "{finger}");
    // The new ratings last for the next game and the next login.
    black.ask("quit").await;
    let mut black = Peer::player(&server, "Bogoljubov").await;
    let issued = white.ask("match bogoljubov 15 0 r white").await;
    let first = "Your standard rating will change:  Win: +1882,  Draw: +1720,  Loss: +1558\n";
    assert!(issued.contains(first), "{issued}");
    black.ask("accept").await;
    white.text().await;
    assert!(
        white
            .ask("abort")
            .await
            .ends_with("aborted on move 1 by Alekhine} *\nNo ratings adjustment done.\nfics% fics% ")
    );
    assert!(black.ask("finger").await.contains("blitz                    1889   50"), "the rating is kept");
    // Without a rated game, nothing is reported.
    let issued = white.ask("match bogoljubov 5 0 u white").await;
    assert!(!issued.contains("rating"), "{issued}");
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_game_ends_when_a_clock_runs_out() {
    let server = server_with(&["Alekhine", "Bogoljubov"]).await;
    let (mut white, mut black) = game(&server, "1 0 u").await;
    play(&mut white, &mut black, &["e4", "e5"]).await;
    assert_eq!(black.ask("flag").await, "Your opponent is not out of time.\nfics% ");
    time::sleep(Duration::from_secs(59)).await;
    assert_eq!(white.text().await, "");
    time::sleep(Duration::from_secs(1)).await;
    let end = "\n{Game 1 (Alekhine vs. Bogoljubov) Alekhine forfeits on time} 0-1\nfics% ";
    assert_eq!(white.text().await, end);
    assert_eq!(black.text().await, end);
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_player_who_disconnects_can_resume_the_game() {
    let server = server_with(&["Alekhine", "Bogoljubov"]).await;
    let (mut white, mut black) = game(&server, "10 10 r").await;
    play(&mut white, &mut black, &["e4", "e5", "Nf3", "Nc6", "Bb5", "a6"]).await;
    drop(black);
    assert_eq!(
        white.text().await,
        "\nYour opponent, Bogoljubov, has lost contact or quit.\nfics% \n\
         {Game 1 (Alekhine vs. Bogoljubov) Bogoljubov lost connection; game adjourned} *\n\
         No ratings adjustment done.\nfics% "
    );
    assert!(white.ask("stored").await.contains(" 1: W Bogoljubov      N "));
    let mut black = Peer::player(&server, "Bogoljubov").await;
    let arrived = "\nNotification: Bogoljubov, who has an adjourned game with you, has arrived.\nfics% ";
    assert_eq!(white.text().await, arrived);
    assert!(
        white
            .ask("match Bogoljubov")
            .await
            .starts_with("Issuing: Alekhine (----) Bogoljubov (----) rated standard 10 10 (adjourned).\n")
    );
    black.text().await;
    let resumed = black.ask("accept").await;
    assert!(resumed.contains("{Game 1 (Alekhine vs. Bogoljubov) Continuing rated standard match.}\n"), "{resumed}");
    assert!(resumed.contains("<12> r-bqkbnr -ppp-ppp p-n----- -B--p--- "), "{resumed}");
    white.text().await;
    assert!(white.ask("Ba4").await.starts_with("\n<12> "));
    assert_eq!(white.ask("stored").await, "Alekhine has no adjourned games.\nfics% ");
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn quit_is_refused_during_a_game() {
    let server = server_with(&["Alekhine", "Bogoljubov"]).await;
    let (mut white, mut black) = game(&server, "10 10 u").await;
    let refusal = "You can't quit while you are playing a game.\n\
                   Type 'resign' to resign the game, or you can request an abort with 'abort'.\nfics% ";
    assert_eq!(white.ask("quit").await, refusal);
    assert_eq!(black.ask("logout").await, refusal);
    white.ask("abort").await;
    black.text().await;
    assert!(white.ask("quit").await.starts_with("Logging you out.\n"));
    assert!(white.is_closed().await);
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn resume_without_a_name_challenges_every_adjourned_opponent_online() {
    let server = server_with(&["Alekhine", "Bogoljubov", "Capablanca"]).await;
    let (mut white, mut black) = game(&server, "10 10 u").await;
    let none_online = "No player who has an adjourned game with you is online.\nfics% ";
    play(&mut white, &mut black, &["e4", "e5"]).await;
    white.ask("adjourn").await;
    black.text().await;
    black.ask("adjourn").await;
    white.text().await;
    let mut other = Peer::player(&server, "Capablanca").await;
    assert_eq!(other.ask("resume").await, none_online);
    assert!(white.ask("resume").await.starts_with("Issuing: Alekhine (----) Bogoljubov (----) unrated standard 10 10"));
    assert!(black.text().await.contains("(adjourned).\n"));
    let resumed = black.ask("resume").await;
    assert!(resumed.starts_with("Your challenge intercepts Alekhine's challenge.\n"), "{resumed}");
    assert!(resumed.contains("{Game 1 (Alekhine vs. Bogoljubov) Continuing unrated standard match.}\n"), "{resumed}");
    white.text().await;
    assert_eq!(white.ask("resume").await, none_online);
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn rematch_repeats_the_last_game_with_the_colors_exchanged() {
    let server = server_with(&["Alekhine", "Bogoljubov"]).await;
    let (mut white, mut black) = game(&server, "3 2 u").await;
    let mut other = Peer::guest(&server, "Vagabond").await;
    assert_eq!(other.ask("rematch").await, "You have no previous opponent.\nfics% ");
    play(&mut white, &mut black, &["e4", "e5"]).await;
    white.ask("resign").await;
    black.text().await;
    assert!(white.ask("rematch").await.starts_with("Issuing: Alekhine (1882) Bogoljubov (1882) unrated blitz 3 2"));
    black.text().await;
    let accepted = black.ask("accept").await;
    assert!(accepted.contains("{Game 1 (Bogoljubov vs. Alekhine) Creating unrated blitz match.}\n"), "{accepted}");
    white.text().await;
    black.ask("abort").await;
    white.text().await;
    black.ask("quit").await;
    assert_eq!(white.ask("rematch").await, "Your last opponent, Bogoljubov, is not logged in.\nfics% ");
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn clocks_stop_while_a_game_is_paused() {
    let server = server_with(&["Alekhine", "Bogoljubov"]).await;
    let (mut white, mut black) = game(&server, "3 0 u").await;
    let mut observer = Peer::guest(&server, "Onlooker").await;
    observer.ask("observe 1").await;
    play(&mut white, &mut black, &["e4", "e5"]).await;
    observer.text().await;
    assert_eq!(white.ask("unpause").await, "Game is not paused.\nfics% ");
    assert_eq!(white.ask("pause").await, "Pause request sent.\nfics% ");
    assert_eq!(black.text().await, "\nAlekhine requests to pause the game.\nfics% ");
    assert_eq!(observer.text().await, "\nGame 1: Alekhine requests to pause the game.\nfics% ");
    time::sleep(Duration::from_millis(9_500)).await;
    let accepted = black.ask("pause").await;
    assert!(accepted.starts_with("Accepting the pause request from Alekhine.\n"), "{accepted}");
    assert!(accepted.ends_with(" 170 180 2 P/e7-e5 (0:00) e5 1 0 0\nGame clock paused.\nfics% "), "{accepted}");
    assert!(white.text().await.ends_with(" 0 0 0\nfics% \nGame clock paused.\nfics% "));
    assert!(observer.text().await.ends_with("\nGame 1: Game clock paused.\nfics% "));
    time::sleep(Duration::from_secs(1000)).await;
    assert_eq!(white.ask("Nf3").await, "The clock is paused, use \"unpause\" to resume.\nfics% ");
    assert_eq!(white.ask("pause").await, "Game is already paused, use \"unpause\" to resume.\nfics% ");
    assert_eq!(white.ask("unpause").await, "Unpause request sent.\nfics% ");
    black.text().await;
    let resumed = black.ask("accept").await;
    assert!(resumed.ends_with(" 170 180 2 P/e7-e5 (0:00) e5 1 1 0\nGame clock resumed.\nfics% "), "{resumed}");
    time::sleep(Duration::from_secs(171)).await;
    assert!(black.text().await.contains("{Game 1 (Alekhine vs. Bogoljubov) Alekhine forfeits on time} 0-1\n"));
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn players_agree_to_switch_sides() {
    let server = server_with(&["Alekhine", "Bogoljubov"]).await;
    let (mut white, mut black) = game(&server, "3 0 u").await;
    play(&mut white, &mut black, &["e4"]).await;
    assert_eq!(white.ask("switch").await, "Switch request sent.\nfics% ");
    assert_eq!(black.text().await, "\nAlekhine would like to switch sides.\nfics% ");
    let accepted = black.ask("switch").await;
    assert!(accepted.contains(" 1 Bogoljubov Alekhine -1 3 0 "), "{accepted}");
    assert!(white.text().await.contains(" 1 Bogoljubov Alekhine 1 3 0 "));
    assert!(white.ask("e5").await.starts_with("\n<12> "));
    white.ask("abort").await;
    black.text().await;
    black.ask("abort").await;
    white.text().await;
    white.ask("match Bogoljubov 3 0 r").await;
    black.text().await;
    black.ask("accept").await;
    black.ask("d4").await;
    white.text().await;
    white.ask("d4").await;
    black.text().await;
    assert_eq!(black.ask("switch").await, "You cannot switch sides once a rated game is underway.\nfics% ");
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_game_ends_by_courtesy_if_the_opponent_alone_is_out_of_time() {
    let server = server_with(&["Alekhine", "Bogoljubov"]).await;
    for (command, verb) in [("abort", "aborted"), ("adjourn", "adjourned")] {
        let (mut white, mut black) = game(&server, "1 0 u").await;
        white.ask("set autoflag 0").await;
        play(&mut white, &mut black, &["e4", "e5", "Nf3"]).await;
        time::sleep(Duration::from_secs(61)).await;
        assert!(black.ask(command).await.starts_with(&format!("Requesting to {command} game 1.\n")));
        black.ask("withdraw").await;
        white.text().await;
        let end = format!("\n{{Game 1 (Alekhine vs. Bogoljubov) Game courtesy{verb} by Alekhine}} *\nfics% ");
        let own = format!("Since you have time, and your opponent has none, the game has been {verb}.\n");
        assert!(white.ask(command).await.starts_with(&format!("{own}{end}")));
        let notice = format!("\nYour opponent has {verb} the game rather than calling your flag.\nfics% {end}");
        assert_eq!(black.text().await, notice);
    }
    server.shutdown().await;
}

/// The files of king and rooks in a rank, the short rook's first.
fn castling_files(rank: &str) -> [usize; 3] {
    [rank.rfind('R').unwrap(), rank.find('K').unwrap(), rank.find('R').unwrap()]
}

#[tokio::test(start_paused = true)]
async fn wild_fr_has_random_starts_and_orthodox_castling_targets() {
    let server = server_with(&["Alekhine", "Bogoljubov"]).await;
    let mut starts = std::collections::BTreeSet::new();
    let (mut white, mut black) = (Peer::player(&server, "Alekhine").await, Peer::player(&server, "Bogoljubov").await);
    let mut n_castled = 0;
    for _ in 0..40 {
        let issued = white.ask("match Bogoljubov 5 0 u white wild fr").await;
        assert!(
            issued.starts_with("Issuing: Alekhine (----) [white] Bogoljubov (----) unrated wild/fr 5 0.\n"),
            "{issued}"
        );
        black.text().await;
        let started = black.ask("accept").await;
        assert!(started.contains("{Game 1 (Alekhine vs. Bogoljubov) Creating unrated wild/fr match.}\n"), "{started}");
        let start = white.text().await;
        let rank = start.split_once("PPPPPPPP ").unwrap().1.split(' ').next().unwrap().to_owned();
        // Long castling at once, where the start leaves no piece in the way.
        let [_, king, rook] = castling_files(&rank);
        let (least, most) = (king.min(rook).min(2), king.max(rook).max(3));
        let others = rank.bytes().enumerate().filter(|&(file, _)| file != king && file != rook);
        if others.clone().all(|(file, _)| !(least..=most).contains(&file)) {
            let castled = white.ask("O-O-O").await;
            assert!(castled.contains(" o-o-o (0:00) O-O-O "), "{castled}");
            let mut want = vec![b'-'; 8];
            (want[2], want[3]) = (b'K', b'R');
            others.for_each(|(file, piece)| want[file] = piece);
            assert!(castled.contains(&format!("PPPPPPPP {} B -1 0 0 1 1 ", plain(&want))), "{rank}: {castled}");
            black.text().await;
            n_castled += 1;
        }
        starts.insert(rank);
        white.ask("abort").await;
        black.ask("abort").await;
        white.text().await;
    }
    assert!(starts.len() > 30 && n_castled > 0, "{starts:?}");
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_simul_is_played_board_by_board() {
    let server = server_with(&["Alice", "Boris", "Carla", "Dmitri"]).await;
    let mut alice = Peer::player(&server, "Alice").await;
    let mut others = Vec::new();
    for name in ["Boris", "Carla", "Dmitri"] {
        others.push((name, Peer::player(&server, name).await));
    }
    let refusal = "Alice is not open to receiving simul requests.\nfics% ";
    assert_eq!(others[0].1.ask("simmatch Alice").await, refusal);
    alice.ask("simopen").await;
    for (number, (name, peer)) in (1..).zip(&mut others) {
        assert_eq!(peer.ask("simmatch Alice").await, "Simul match request sent.\nfics% ");
        assert_eq!(alice.text().await, format!("\n{name} requests to join a simul match with you.\nfics% "));
        let accepted = alice.ask(if number == 1 { "simmatch Boris" } else { "accept" }).await;
        let line = format!("{{Game {number} (Alice vs. {name}) Creating unrated untimed match.}}\n");
        assert!(accepted.contains(&line), "{accepted}");
    }
    let [(_, mut boris), (_, mut carla), (_, mut dmitri)]: [_; 3] = others.try_into().ok().unwrap();
    assert!(boris.text().await.ends_with("\nAlice is at your board!\nfics% "));
    assert!(carla.text().await.ends_with("\nAlice will be at your board NEXT!\nfics% "));
    assert!(dmitri.text().await.ends_with("\nAlice is 2 boards away.\nfics% "));
    assert_eq!(alice.ask("simgames").await, "You are playing 3 simultaneous games.\nfics% ");

    assert!(alice.ask("e4").await.contains(" 1 Alice Boris -1 "));
    assert!(boris.text().await.contains(" 1 Alice Boris 1 "));
    let next = alice.ask("simnext").await;
    assert!(next.starts_with("\n<12> ") && next.contains(" 2 Alice Carla 1 "), "{next}");
    let away = "\nAlice is moving away from your board.\nfics% \nAlice is 2 boards away.\nfics% ";
    assert_eq!(boris.text().await, away);
    assert_eq!(dmitri.text().await, "\nAlice will be at your board NEXT!\nfics% ");
    assert_eq!(carla.text().await, "\nAlice is at your board!\nfics% ");
    // Alice is not shown the board she is away from, and is asked for nothing there.
    assert!(boris.ask("e5").await.starts_with("\n<12> "));
    let asked = boris.ask("draw").await;
    assert_eq!(asked, "You can only make requests when the simul player is at your board.\nfics% ");
    assert_eq!(alice.text().await, "");
    assert!(alice.ask("simprev").await.contains(" -------- ----p--- ----P--- "));
    assert!(boris.text().await.contains("Alice is at your board!"));

    carla.text().await;
    dmitri.text().await;
    boris.ask("resign").await;
    let ended = alice.text().await;
    assert!(
        ended.starts_with("\n{Game 1 (Alice vs. Boris) Boris resigns} 1-0\nfics% \nBoard 1 has completed.\n"),
        "{ended}"
    );
    assert!(ended.contains(" 2 Alice Carla 1 ") && ended.ends_with("\nThere are 2 boards left.\nfics% "), "{ended}");
    assert!(alice.ask("quit").await.starts_with("You can't quit while you are playing a game."));
    // All that is left ends with the connection.
    drop(alice);
    for (peer, name) in [(&mut carla, "Carla"), (&mut dmitri, "Dmitri")] {
        let end = peer.text().await;
        assert!(
            end.contains(&format!("(Alice vs. {name}) Alice lost connection and too few moves; game aborted}} *")),
            "{end}"
        );
    }
    server.shutdown().await;
}

/// The numbers of the offers in a text that were made (`<pt>`) or got (`<pf>`).
fn offer_numbers(text: &str, tag: &str) -> Vec<u32> {
    let numbers = text.lines().filter_map(|line| line.strip_prefix(tag)?.trim_start().split(' ').next());
    numbers.map(|number| number.parse().unwrap()).collect()
}

// Rules: datagrams P2
#[tokio::test(start_paused = true)]
async fn the_number_of_an_offer_is_not_reused_soon() {
    let server = server_with(&["Alekhine", "Bogoljubov"]).await;
    let (mut alekhine, mut bogoljubov) =
        (Peer::player(&server, "Alekhine").await, Peer::player(&server, "Bogoljubov").await);
    bogoljubov.ask("iset pendinfo 1").await;
    let mut used = Vec::new();
    for _ in 0..60 {
        alekhine.ask("match Bogoljubov 5 0 u").await;
        let [number] = offer_numbers(&bogoljubov.text().await, "<pf>")[..] else { panic!("one offer") };
        assert!(!used.contains(&number), "{number} of {used:?}");
        used.push(number);
        alekhine.ask("withdraw").await;
        bogoljubov.text().await;
        time::sleep(Duration::from_secs(1)).await;
    }
    alekhine.ask("match Bogoljubov 5 0 u").await;
    let late = bogoljubov.ask(&format!("accept {}", used[59])).await;
    assert!(late.ends_with(&format!("There is no offer {} to accept.\nfics% ", used[59])), "{late}");
    server.shutdown().await;
}

// Rules: datagrams P3
#[tokio::test(start_paused = true)]
async fn offers_are_accepted_declined_and_withdrawn_by_number() {
    let server = server_with(&["Alekhine", "Bogoljubov", "Capablanca"]).await;
    let mut challengers = (Peer::player(&server, "Alekhine").await, Peer::player(&server, "Bogoljubov").await);
    let mut player = Peer::player(&server, "Capablanca").await;
    for peer in [&mut challengers.0, &mut challengers.1, &mut player] {
        peer.ask("iset pendinfo 1").await;
    }
    let made = challengers.0.ask("match Capablanca 5 0 u").await;
    challengers.1.ask("match Capablanca 3 0 u").await;
    let [first, second] = offer_numbers(&player.text().await, "<pf>")[..] else { panic!("two offers") };
    assert_eq!(offer_numbers(&made, "<pt>"), [first], "it has one number for both");

    let taken_back = challengers.0.ask(&format!("withdraw {first}")).await;
    assert!(taken_back.contains(&format!("\n<pr> {first}\n")), "{taken_back}");
    player.text().await;
    challengers.0.ask("match Capablanca 5 0 u").await;
    let [third] = offer_numbers(&player.text().await, "<pf>")[..] else { panic!("one offer") };

    let declined = player.ask(&format!("decline {second}")).await;
    assert!(declined.starts_with("Declining the match offer from Bogoljubov.\n"), "{declined}");
    let accepted = player.ask(&format!("accept {third}")).await;
    assert!(accepted.starts_with("Accepting the match offer from Alekhine.\n"), "{accepted}");
    assert!(accepted.contains("Creating: "), "{accepted}");
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_adjourns_or_aborts_games() {
    let server = server_with(&["Alekhine", "Bogoljubov"]).await;
    let (mut white, mut black) = game(&server, "5 0 u").await;
    play(&mut white, &mut black, &["e4"]).await;
    server.control().shutdown(Duration::ZERO).await.unwrap();
    let heard = white.text().await;
    let end = "\n{Game 1 (Alekhine vs. Bogoljubov) Game adjourned by server shutdown} *\nfics% ";
    assert!(heard.ends_with(end), "{heard}");
    assert!(white.is_closed().await);
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_guest_who_leaves_loses_and_an_early_game_is_aborted() {
    let server = server_with(&["Alekhine", "Bogoljubov"]).await;
    let mut guest = Peer::guest(&server, "Zoltan").await;
    let mut alekhine = Peer::player(&server, "Alekhine").await;
    guest.ask("match Alekhine 5 0 white").await;
    alekhine.text().await;
    alekhine.ask("accept").await;
    guest.text().await;
    play(&mut guest, &mut alekhine, &["e4", "e5", "Nf3", "Nc6", "Bb5"]).await;
    drop(guest);
    assert!(
        alekhine.text().await.ends_with("{Game 1 (Zoltan vs. Alekhine) Zoltan forfeits by disconnection} 0-1\nfics% ")
    );
    let (mut white, mut black) = {
        alekhine.ask("quit").await;
        game(&server, "5 0 u").await
    };
    assert_eq!(
        black.ask("abort").await,
        "\n{Game 1 (Alekhine vs. Bogoljubov) Game aborted on move 1 by Bogoljubov} *\nfics% fics% "
    );
    assert!(white.text().await.contains("Game aborted on move 1 by Bogoljubov} *"));
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn the_bell_precedes_boards_if_it_is_on() {
    let server = server_with(&["Alekhine", "Bogoljubov"]).await;
    let (mut white, mut black) = game(&server, "5 0 u").await;
    black.ask("set bell 1").await;
    white.ask("e4").await;
    assert!(black.text().await.starts_with("\u{7}\n<12> "));
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn boards_are_drawn_for_each_viewer() {
    let server = server_with(&["Alekhine", "Bogoljubov"]).await;
    let (mut white, mut black) = game(&server, "5 0 u").await;
    white.ask("iset ms 1").await;
    black.ask("iset compressmove 1").await;
    time::sleep(Duration::from_millis(1500)).await;
    play_one(
        &mut white,
        &mut black,
        "e4",
        " -1 5 0 39 39 300000 300000 1 P/e2-e4 (0:00.000) e4 0 0 0\n",
        "\n<d1> 1 1 e4 e2e4 0 300000 0\n",
    )
    .await;
    play_one(
        &mut black,
        &mut white,
        "e5",
        "\n<d1> 1 2 e5 e7e5 0 300000 0\n",
        " 1 5 0 39 39 300000 300000 2 P/e7-e5 (0:00.000) e5 0 1 0\n",
    )
    .await;
    time::sleep(Duration::from_millis(1500)).await;
    let own = white.ask("Nf3").await;
    assert!(own.contains(" P/e7-e5 ") || own.contains(" N/g1-f3 (0:01."), "{own}");
    assert!(black.text().await.starts_with("\n<d1> 1 3 Nf3 g1f3 15"));
    let refreshed = black.ask("refresh").await;
    assert!(
        refreshed.starts_with("Game 1: Alekhine (1882) Bogoljubov (1882) unrated blitz 5 0\n\n<12> "),
        "{refreshed}"
    );
    let mut stranger = Peer::guest(&server, "Zoltan").await;
    assert!(stranger.ask("refresh 1").await.contains(" Alekhine Bogoljubov -3 5 0 "));
    assert_eq!(stranger.ask("observe 7").await, "There is no such game.\nfics% ");
    assert!(stranger.ask("observe Alekhine").await.contains(" Alekhine Bogoljubov 0 5 0 "));
    assert_eq!(stranger.ask("observe 1").await, "You are already observing game 1.\nfics% ");
    let observers =
        "Observing 1 [Alekhine vs. Bogoljubov]: Zoltan(U) (1 user)\n  1 game displayed (of 1 in progress).\nfics% ";
    assert_eq!(stranger.ask("allobservers").await, observers);
    for (viewer, flips) in [(&mut white, ["0", "1"]), (&mut black, ["1", "0"]), (&mut stranger, ["0", "1"])] {
        for (value, flip) in flips.into_iter().enumerate() {
            viewer.ask(&format!("set flip {value}")).await;
            let board = viewer.ask("refresh 1").await;
            let fields: Vec<&str> = board.split("<12> ").nth(1).unwrap().split([' ', '\n']).collect();
            assert_eq!((fields[29], fields[32]), (flip, "fics%"), "{board}");
        }
    }
    assert_eq!(stranger.ask("unobserve").await, "Removing game 1 from observation list.\nfics% ");
    assert_eq!(stranger.ask("unobserve").await, "You are not observing any games.\nfics% ");
    assert!(stranger.ask("who").await.contains("1882  ^Alekhine"));
    server.shutdown().await;
}

async fn play_one(mover: &mut Peer, other: &mut Peer, typed: &str, own: &str, theirs: &str) {
    let heard = mover.ask(typed).await;
    assert!(heard.contains(own), "{heard}");
    let heard = other.text().await;
    assert!(heard.contains(theirs), "{heard}");
}

#[tokio::test(start_paused = true)]
async fn a_finished_game_is_examined() {
    let server = server_with(&["Alekhine", "Bogoljubov"]).await;
    let (mut white, mut black) = game(&server, "5 0 u").await;
    play(&mut white, &mut black, &["e4", "e5"]).await;
    black.ask("resign").await;
    white.text().await;
    let begun = white.ask("examine Alekhine 0").await;
    assert!(begun.starts_with("Starting a game in examine mode.\n\n<12> rnbqkbnr "), "{begun}");
    assert!(begun.contains(" Alekhine Bogoljubov 2 5 0 "), "{begun}");
    black.ask("observe 1").await;
    let end = white.ask("forward 9").await;
    assert!(end.starts_with("Game 1: Alekhine goes forward 2 moves.\nfics% \n<12> rnbqkbnr pppp-ppp "), "{end}");
    assert!(end.ends_with("\nGame 1: Bogoljubov resigns 1-0\nfics% "), "{end}");
    assert!(black.text().await.ends_with("\nfics% Game 1: Bogoljubov resigns 1-0\nfics% "));
    assert_eq!(white.ask("forward").await, "You're at the end of the game.\nfics% ");
    white.ask("backward").await;
    assert!(white.ask("c5").await.ends_with("\nGame 1: Alekhine moves: c5\nfics% "));
    let reverted = white.ask("revert").await;
    assert!(reverted.starts_with("Game 1: Alekhine reverts to main line move 1.\nfics% \n<12> "), "{reverted}");
    black.text().await;
    assert_eq!(white.ask("unexamine").await, "You are no longer examining game 1.\nfics% ");
    assert_eq!(
        black.text().await,
        "\nAlekhine has stopped examining game 1.\nfics% Game 1 (which you were observing) has no examiners.\nfics% \n\
         Removing game 1 from observation list.\nfics% "
    );
    assert_eq!(white.ask("e4").await, "You are not playing or examining a game.\nfics% ");
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn an_examined_game_is_set_up_and_shortened() {
    let server = server_with(&["Alekhine", "Bogoljubov"]).await;
    let mut examiner = Peer::player(&server, "Alekhine").await;
    let mut observer = Peer::player(&server, "Bogoljubov").await;
    assert_eq!(examiner.ask("bsetup").await, "You are not examining a game.\nfics% ");
    examiner.ask("examine").await;
    observer.ask("observe 1").await;
    assert_eq!(examiner.ask("bsetup clear").await, "You are not setting up a position.\nfics% ");
    assert!(examiner.ask("bsetup").await.starts_with("Entering setup mode.\n\n<12> rnbqkbnr "));
    let heard = observer.text().await;
    assert!(heard.starts_with("Game 1: Alekhine enters setup mode.\nfics% \n<12> rnbqkbnr "), "{heard}");
    for refused in ["bsetup", "e4", "forward", "revert"] {
        assert_eq!(examiner.ask(refused).await, "You are still setting up the position.\nfics% ", "{refused}");
    }
    assert!(examiner.ask("games").await.contains("  1 (Setup    0 Alekhine"));
    examiner.ask("bsetup clear").await;
    assert!(examiner.ask("bsetup done").await.starts_with("The position is not valid: "));
    assert_eq!(examiner.ask("bsetup fen 8/8/8 w").await, "The FEN is not valid.\nfics% ");
    examiner.ask("bsetup fen 4k2P/8/8/8/8/8/8/4K3 w - - 0 1").await;
    let refused = examiner.ask("bsetup done").await;
    assert!(refused.ends_with(" and no pawn is on the first or last rank.\nfics% "), "{refused}");
    let set = examiner.ask("bsetup fen 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").await;
    assert!(set.contains("<12> ----k--- -------- -------- -------- -------- -------- ----P--- ----K--- W "), "{set}");
    observer.text().await;
    let to_move = examiner.ask("bsetup tomove black").await;
    assert!(to_move.starts_with("It is now black's turn to move.\n\n<12> ----k--- "), "{to_move}");
    let heard = observer.text().await;
    assert!(heard.starts_with("Game 1: Alekhine sets the side to move to black.\n"), "{heard}");
    assert!(
        examiner.ask("bsetup done").await.starts_with("Game is validated - entering examine mode.\n\n<12> ----k--- ")
    );
    let heard = observer.text().await;
    assert!(heard.starts_with("Game 1: Alekhine has validated the position. Entering examine mode.\n"), "{heard}");
    for typed in ["Kd7", "e4", "backward", "Kd2"] {
        examiner.ask(typed).await;
    }
    observer.text().await;
    assert!(examiner.ask("commit").await.starts_with("Game 1: Alekhine commits the subvariation.\n"));
    assert!(observer.text().await.starts_with("Game 1: Alekhine commits the subvariation.\n"));
    assert_eq!(examiner.ask("commit").await, "You are already in the main line.\nfics% ");
    examiner.ask("backward").await;
    assert!(examiner.ask("truncate").await.starts_with("Game 1: Alekhine truncates the game at halfmove 1.\n"));
    assert_eq!(examiner.ask("forward").await, "You're at the end of the game.\nfics% ");
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_captured_piece_goes_to_the_partner() {
    let names = ["Alekhine", "Bogoljubov", "Capablanca", "Duras"];
    let server = server_with(&names).await;
    let [mut a, mut b, mut c, mut d] = [
        Peer::player(&server, "Alekhine").await,
        Peer::player(&server, "Bogoljubov").await,
        Peer::player(&server, "Capablanca").await,
        Peer::player(&server, "Duras").await,
    ];
    for peer in [&mut c, &mut d] {
        assert_eq!(peer.ask("set bugopen 1").await, "You are now open for bughouse.\nfics% ");
    }
    assert_eq!(a.ask("partner Duras").await, "Making a partnership offer to Duras.\nfics% ");
    d.text().await;
    let agreed = "Accepting the partnership request from Alekhine.\nYou agree to be Alekhine's partner.\nfics% ";
    assert_eq!(d.ask("accept").await, agreed);
    let told = "\nDuras accepts your partnership request.\nfics% \nDuras agrees to be your partner.\nfics% ";
    assert_eq!(a.text().await, told);
    assert_eq!(a.ask("match Bogoljubov 3 0 bughouse u").await, "Your opponent has no partner for bughouse.\nfics% ");
    b.ask("partner Capablanca").await;
    c.text().await;
    c.ask("partner Bogoljubov").await;
    b.text().await;
    a.ask("match Bogoljubov 3 0 bughouse u white").await;
    b.text().await;
    b.ask("accept").await;
    let started = a.text().await;
    assert!(started.contains("Your partner is playing game 2 (Capablanca vs. Duras).\n"), "{started}");
    assert!(started.ends_with(" 0 1 0\n\n<b1> game 1 white [] black []\nfics% "), "{started}");
    for peer in [&mut c, &mut d] {
        assert!(peer.text().await.contains("{Game 2 (Capablanca vs. Duras) Creating unrated bughouse match.}"));
    }
    a.ask("e4").await;
    b.ask("d5").await;
    d.text().await;
    a.ask("exd5").await;
    // White took on board 1; his partner has Black on board 2.
    assert_eq!(d.text().await, "\n\n<b1> game 2 white [] black [P] <- BP\nfics% ");
    assert_eq!(a.ask("ptell use it").await, "(told Duras, who is playing)\nfics% ");
    assert_eq!(d.text().await, "\nAlekhine (your partner) tells you: use it\nfics% ");
    b.text().await;
    b.ask("resign").await;
    assert!(c.text().await.ends_with("{Game 2 (Capablanca vs. Duras) Duras's partner won} 0-1\nfics% "));
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_match_does_not_start_while_its_player_is_at_another_board() {
    let server = server_with(&["Alekhine", "Bogoljubov"]).await;
    let (mut white, mut black) = game(&server, "5 0 u").await;
    play(&mut white, &mut black, &["e4", "e5"]).await;
    black.ask("resign").await;
    white.text().await;
    white.ask("match Bogoljubov 5 0 u white").await;
    assert!(white.ask("examine Alekhine 0").await.starts_with("Starting a game in examine mode."));
    black.text().await;
    let refused = "The match can't start: one of its players is at another board.\n";
    assert_eq!(black.ask("accept").await, format!("Accepting the match offer from Alekhine.\n{refused}fics% "));
    assert!(white.text().await.ends_with(&format!("\n{refused}fics% ")));
    assert_eq!(white.ask("unexamine").await, "You are no longer examining game 1.\nfics% ");

    assert!(white.ask("seek 5 0 u").await.starts_with("Your seek has been posted"));
    white.ask("examine Alekhine 0").await;
    black.text().await;
    assert!(black.ask("seek 5 0 u").await.starts_with("Your seek has been posted"), "nobody is free");
    assert!(white.ask("unexamine").await.ends_with("You are no longer examining game 1.\nfics% "));
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_bughouse_match_does_not_start_while_a_partner_plays() {
    let server = server_with(&["Alekhine", "Bogoljubov", "Capablanca", "Duras"]).await;
    let mut a = Peer::player(&server, "Alekhine").await;
    let mut b = Peer::player(&server, "Bogoljubov").await;
    let mut c = Peer::player(&server, "Capablanca").await;
    let mut d = Peer::player(&server, "Duras").await;
    for (one, partner, other) in [(&mut a, "Duras", &mut d), (&mut b, "Capablanca", &mut c)] {
        other.ask("set bugopen 1").await;
        one.ask(&format!("partner {partner}")).await;
        other.text().await;
        assert!(other.ask("accept").await.contains("You agree to be "));
    }
    a.ask("match Bogoljubov 3 0 bughouse u white").await;
    let mut guest = Peer::guest(&server, "Zoltan").await;
    c.ask("match Zoltan 5 0 u white").await;
    assert!(guest.ask("accept").await.contains("{Game 1 (Capablanca vs. Zoltan) Creating "));
    b.text().await;
    assert!(b.ask("accept").await.contains("The match can't start: "));
    c.text().await;
    assert!(c.ask("e4").await.starts_with("\n<12> "), "the game goes on");
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_timeseal_player_is_pinged_and_not_charged_for_lag() {
    for (version, ping) in [(Timeseal::V1, &b"\n\r[G]\n\r"[..]), (Timeseal::V2, b"[G]\0")] {
        let server = server_with(&["Alekhine", "Bogoljubov"]).await;
        let (mut white, _) = Peer::connect(&server).await;
        white.send(&seal_hello(version, 0).unwrap()).await;
        assert_eq!(white.text().await, "");
        for line in ["Alekhine", "secret", "iset ms 1", "match Bogoljubov 5 0 u white"] {
            white.send(&seal_line(line.as_bytes(), 10).unwrap()).await;
        }
        let mut black = Peer::player(&server, "Bogoljubov").await;
        white.heard().await;
        white.send(&seal_line(b"match Bogoljubov 5 0 u white", 10).unwrap()).await;
        white.text().await;
        black.text().await;
        black.ask("accept").await;
        white.send(&seal_line(b"e4", 20).unwrap()).await;
        white.heard().await;
        black.text().await;
        black.ask("e5").await;
        let heard = white.heard().await;
        assert!(heard.ends_with(ping), "{}", String::from_utf8_lossy(&heard));
        // 100 ms there, one second of thought by the client's clock, 200 ms back.
        time::sleep(Duration::from_millis(100)).await;
        white.send(&seal_ping_answer(5_000)).await;
        time::sleep(Duration::from_millis(1200)).await;
        white.send(&seal_line(b"Nf3", 6_000).unwrap()).await;
        let board = white.text().await;
        assert!(board.contains(" N/g1-f3 (0:01.000) Nf3 "), "{board}");
        assert!(board.contains(" 299000 300000 "), "{board}");
        assert!(black.ask("ping Alekhine").await.contains("Ping time for Alekhine, based on 1 sample:\nAverage: 10"));
        server.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_player_who_answers_no_ping_lags_and_the_opponent_may_abort_as_a_courtesy() {
    let server = server_with(&["Alekhine", "Bogoljubov"]).await;
    let (mut white, _) = Peer::connect(&server).await;
    white.send(&seal_hello(Timeseal::V2, 0).unwrap()).await;
    for line in ["Alekhine", "secret"] {
        white.send(&seal_line(line.as_bytes(), 10).unwrap()).await;
    }
    let mut black = Peer::player(&server, "Bogoljubov").await;
    white.send(&seal_line(b"match Bogoljubov 5 0 u white", 10).unwrap()).await;
    white.heard().await;
    black.text().await;
    black.ask("accept").await;
    let mut observer = Peer::guest(&server, "Onlooker").await;
    observer.ask("observe 1").await;
    white.send(&seal_line(b"e4", 20).unwrap()).await;
    white.heard().await;
    black.text().await;
    black.ask("e5").await;
    white.heard().await;
    observer.text().await;
    // An answered ping is no lag.
    time::sleep(Duration::from_secs(29)).await;
    white.send(&seal_ping_answer(5_000)).await;
    time::sleep(Duration::from_secs(5)).await;
    assert_eq!((black.text().await.as_str(), observer.text().await.as_str()), ("", ""));
    white.send(&seal_line(b"Nf3", 40_000).unwrap()).await;
    black.text().await;
    black.ask("Nc6").await;
    white.heard().await;
    observer.text().await;
    assert_eq!(black.ask("abort").await, "Requesting to abort game 1.\nfics% ");
    assert_eq!(black.ask("withdraw").await.lines().last(), Some("fics% "));
    observer.text().await;
    white.heard().await;
    time::sleep(Duration::from_secs(31)).await;
    let lagged = "\nGame 1: Alekhine has lagged for 30 seconds.\n";
    assert_eq!(black.text().await, format!("{lagged}You may courtesyabort the game.\nfics% "));
    assert_eq!(observer.text().await, format!("{lagged}fics% "));
    let ended = black.ask("abort").await;
    assert!(ended.contains("{Game 1 (Alekhine vs. Bogoljubov) Game courtesyaborted by Bogoljubov} *\n"), "{ended}");
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_player_who_has_moved_does_not_lag_without_an_answer_to_a_ping() {
    let server = server_with(&["Alekhine", "Bogoljubov"]).await;
    let (mut white, _) = Peer::connect(&server).await;
    white.send(&seal_hello(Timeseal::V2, 0).unwrap()).await;
    for line in ["Alekhine", "secret"] {
        white.send(&seal_line(line.as_bytes(), 10).unwrap()).await;
    }
    let mut black = Peer::player(&server, "Bogoljubov").await;
    white.send(&seal_line(b"match Bogoljubov 5 0 u white", 10).unwrap()).await;
    white.heard().await;
    black.text().await;
    black.ask("accept").await;
    white.send(&seal_line(b"e4", 20).unwrap()).await;
    white.heard().await;
    black.text().await;
    black.ask("e5").await;
    white.heard().await;
    white.send(&seal_line(b"Nf3", 30).unwrap()).await;
    white.heard().await;
    black.text().await;
    time::sleep(Duration::from_secs(31)).await;
    assert_eq!(black.ask("abort").await, "Requesting to abort game 1.\nfics% ");
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn an_unknown_timeseal_version_is_refused_and_plain_lines_are_not() {
    let server = server_with(&[]).await;
    let (mut peer, _) = Peer::connect(&server).await;
    peer.send(&seal_line(b"ZIPSEAL|1|0|nobody|nothing|", 0).unwrap()).await;
    assert_eq!(peer.text().await, "unknown timeseal version\n");
    assert!(peer.is_closed().await);
    let (mut peer, _) = Peer::connect(&server).await;
    peer.send(&seal_hello(Timeseal::V2, 0).unwrap()).await;
    peer.send(&seal_line(b"Newton", 5).unwrap()).await;
    peer.send(b"\n").await;
    assert!(peer.text().await.ends_with("fics% "));
    assert_eq!(peer.ask("unsealed line").await, "unsealed: Command not found.\nfics% ");
    server.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_player_has_at_most_twenty_pending_partnership_offers() {
    let server = server_with(&["Alekhine"]).await;
    let mut alekhine = Peer::player(&server, "Alekhine").await;
    let mut guests = Vec::new();
    for letter in 'a'..='u' {
        let name = format!("Guest{letter}{letter}");
        let mut guest = Peer::guest(&server, &name).await;
        guest.ask("set bugopen 1").await;
        guests.push(guest);
        let reply = alekhine.ask(&format!("partner {name}")).await;
        let is_refused = reply == "You have too many pending offers.\nfics% ";
        assert_eq!(is_refused, letter == 'u', "{reply}");
    }
    server.shutdown().await;
}
