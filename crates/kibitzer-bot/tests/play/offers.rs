//! Offers within a game: those of the opponent, and the bot's own.

use kibitzer_bot::config::{DrawRule, ResignRule};
use kibitzer_bot::engine::BestMove;
use kibitzer_bot::{BotAction, BotConfig};

use super::probe::{Log, probe};
use super::table::{Human, Running, options, ready, scripted, serve, settings, shuffle};

/// A bot whose engine has this score, in a game in which it has moved so often.
async fn play(score_cp: i32, n_moves: usize, set: impl FnOnce(&mut BotConfig)) -> (Running, Human) {
    let (_server, profile) = serve(options()).await;
    let mut config = settings(&profile);
    set(&mut config);
    let bot = ready(config, probe(&Log::default(), score_cp)).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.begin(&["a2a3", "b2b3", "c2c3", "d2d3", "e2e3"][..n_moves]).await;
    (bot, human)
}

fn draw_rule(for_moves: usize, from_move: u32) -> DrawRule {
    let mut rule = DrawRule::default();
    (rule.for_moves, rule.from_move) = (for_moves, from_move);
    rule
}

#[tokio::test(start_paused = true)]
async fn draw_depends_on_the_number_of_pieces() {
    for (max_pieces, action) in [(31, BotAction::Refused), (32, BotAction::Granted)] {
        let (bot, human) = play(10, 3, |config| {
            let mut rule = draw_rule(1, 1);
            rule.max_pieces = max_pieces;
            config.offers.draw = Some(rule);
        })
        .await;
        human.send("draw").await;
        bot.wait_for(action, "draw: scores +0.10").await;
    }
}

#[tokio::test(start_paused = true)]
async fn offers_are_refused_by_default_with_the_reason() {
    let (bot, human) = play(50, 3, |_| {}).await;
    for (offer, reason) in [
        ("draw", "draw: scores +0.50"),
        ("abort", "abort: by the settings"),
        ("adjourn", "adjourn: by the settings"),
        ("takeback 2", "takeback: 0 takebacks"),
        ("switch", "switch: the bot plays the game as it is"),
        ("pause", "pause: the bot plays the game as it is"),
    ] {
        human.send(offer).await;
        bot.wait_for(BotAction::Refused, reason).await;
    }
    assert_eq!(bot.count(BotAction::Granted), 0);
}

#[tokio::test(start_paused = true)]
async fn offer_withdrawn_before_it_is_declined_is_no_refusal_of_the_server() {
    let (bot, human) = play(50, 3, |_| {}).await;
    for _ in 0..20 {
        tokio::join!(human.send("draw"), human.send("withdraw"));
    }
    bot.wait_for_count(BotAction::Refused, 20).await;
    human.send("abort").await;
    bot.wait_for(BotAction::Refused, "abort").await;
    assert_eq!(bot.count(BotAction::ServerRefused), 0, "{:#?}", bot.actions());
}

#[tokio::test(start_paused = true)]
async fn offers_are_granted_by_the_settings() {
    for (offer, end) in [("draw", "drawn"), ("abort", "aborted"), ("adjourn", "adjourned")] {
        let (bot, mut human) = play(10, 3, |config| {
            let offers = &mut config.offers;
            (offers.abort, offers.adjourn, offers.draw) = (true, true, Some(draw_rule(3, 3)));
        })
        .await;
        // The bot has offered a draw itself.
        human.send("decline").await;
        human.send(offer).await;
        let words = human.end().await;
        assert!(words.contains(end), "{words}: {:#?}", bot.actions());
    }
}

#[tokio::test(start_paused = true)]
async fn abort_is_granted_in_the_first_moves() {
    let (bot, mut human) = play(0, 1, |_| {}).await;
    human.send("abort").await;
    assert!(human.end().await.contains("aborted"), "{:#?}", bot.actions());
}

#[tokio::test(start_paused = true)]
async fn draw_is_offered_by_the_rule_once() {
    let (bot, mut human) = play(-20, 3, |config| config.offers.draw = Some(draw_rule(2, 3))).await;
    human.line("offers you a draw").await;
    human.send("decline").await;
    for played in ["h2h3", "g2g3"] {
        human.play(played).await;
        human.turn().await;
    }
    assert_eq!(bot.count(BotAction::OfferedDraw), 1, "{:#?}", bot.actions());
    let (bot, _human) = play(-21, 5, |config| config.offers.draw = Some(draw_rule(2, 3))).await;
    assert_eq!(bot.count(BotAction::OfferedDraw), 0);
}

#[tokio::test(start_paused = true)]
async fn draw_that_the_engine_offers_is_offered_unless_the_rules_exclude_draws() {
    for is_allowed in [true, false] {
        let (_server, profile) = serve(options()).await;
        let mut config = settings(&profile);
        config.offers.draw = config.offers.draw.filter(|_| is_allowed);
        let engine = scripted(|position, _| {
            let mut best = shuffle(position);
            best.offers_draw = true;
            Ok(best)
        });
        let bot = ready(config, engine).await;
        let mut human = Human::log_in(&profile, "Alekhin").await;
        human.begin(&["a2a3", "b2b3"]).await;
        assert_eq!(bot.count(BotAction::OfferedDraw), usize::from(is_allowed), "{:#?}", bot.actions());
    }
}

#[tokio::test(start_paused = true)]
async fn scores_of_any_size_are_neither_even_nor_an_error() {
    for score_cp in [i32::MIN, i32::MAX] {
        let (bot, _human) = play(score_cp, 3, |config| config.offers.draw = Some(draw_rule(2, 1))).await;
        assert_eq!((bot.count(BotAction::Moved), bot.count(BotAction::OfferedDraw)), (3, 0), "{:#?}", bot.actions());
    }
}

#[tokio::test(start_paused = true)]
async fn lost_game_is_resigned_by_the_rule() {
    let (bot, mut human) = play(-901, 3, |config| config.offers.resign = Some(ResignRule::default())).await;
    human.play("h2h3").await;
    let end = human.end().await;
    assert!(end.contains("Botvin resigns"), "{end}");
    assert_eq!(bot.count(BotAction::Moved), 3);
    bot.wait_for(BotAction::Resigned, "scores -9.01").await;
}

#[tokio::test(start_paused = true)]
async fn fifty_moves_without_progress_are_claimed() {
    let (_server, profile) = serve(options()).await;
    // Both sides walk a knight and a rook so that no position occurs three times.
    let bot =
        ready(settings(&profile), scripted(|position, _| Ok(BestMove::new(walk(position.moves.len() / 2, true)))))
            .await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.challenge(|terms| terms.time(60, 0).color(kibitzer_core::chess::Color::White)).await;
    for n in 0..51 {
        if human.client.make_move(&kibitzer::command::MoveText::new(walk(n, false)).unwrap()).await.is_err() {
            break;
        }
        if bot.count(BotAction::ClaimedDraw) > 0 {
            break;
        }
        human.turn().await;
    }
    bot.wait_for(BotAction::ClaimedDraw, "").await;
    let end = human.end().await;
    assert!(end.contains("50 move") || end.contains("repetition"), "{end}");
}

/// Moves of a knight to and fro, with periods that differ between the sides.
fn walk(n: usize, is_black: bool) -> &'static str {
    let white = ["g1f3", "f3d4", "d4f3", "f3g1"];
    let black = ["b8c6", "c6e5", "e5g4", "g4e5", "e5c6", "c6b8"];
    if is_black { black[n % 6] } else { white[n % 4] }
}
