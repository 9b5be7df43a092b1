//! Who is played: computers and people, ratings, several terms.

use std::time::Duration;

use kibitzer::Profile;
use kibitzer_bot::config::{AcceptTerms, Computers, MatchmakingRules, MatchmakingTerms, Preference};
use kibitzer_bot::policy::{ChallengeSituation, Policy};
use kibitzer_bot::{Bot, BotAction, BotConfig, EngineConfig, Verdict};
use kibitzer_core::message::Challenge;
use kibitzer_core::session::Password;
use kibitzer_server::{Account, Feature, ServerOptions};
use tokio::time::sleep;

use super::table::{Human, Running, on_both_flavours, options, ready, serve, weak};

const MINUTE: Duration = Duration::from_mins(1);

/// The accounts of the tests, with their ratings for blitz and standard.
const ACCOUNTS: [(&str, bool, [u16; 2]); 5] = [
    ("Botvin", true, [1500, 2000]),
    ("Alekhin", false, [1600, 1700]),
    ("Euwe", false, [1900, 1950]),
    ("Robot", true, [1550, 2300]),
    ("Deep", true, [2400, 2050]),
];

/// A server with these accounts, and the profile of each. It delivers challenges to players who play.
async fn serve_all(options: ServerOptions) -> impl Fn(&str) -> Profile {
    let account = |(name, is_computer, [blitz, standard]): (&str, bool, [u16; 2])| {
        let account = Account::new(name.parse().unwrap(), "secret").rating("blitz", blitz).rating("standard", standard);
        if is_computer { account.add_title("C") } else { account }
    };
    let options = options.without(Feature::BusyRefusal);
    let (_server, profile) = serve(ACCOUNTS.into_iter().map(account).fold(options, ServerOptions::account)).await;
    move |name| profile.clone().account(name.parse().unwrap(), Password::new("secret").unwrap())
}

/// A bot with these settings on a server with all accounts.
async fn bot_with(set: impl FnOnce(&mut BotConfig)) -> (Running, impl Fn(&str) -> Profile) {
    bot_on(options(), set).await
}

/// A bot with these settings on a server with these options and all accounts.
pub(crate) async fn bot_on(
    options: ServerOptions,
    set: impl FnOnce(&mut BotConfig),
) -> (Running, impl Fn(&str) -> Profile) {
    let account = serve_all(options).await;
    let mut config = BotConfig::new(account("Botvin"), EngineConfig::new(["none"]));
    set(&mut config);
    (ready(config, weak()).await, account)
}

#[test]
fn computers_are_recognized_and_declined_or_played_alone() {
    on_both_flavours(|| async {
        for (computers, played, declined, reason) in [
            (Computers::Excluded, "Alekhin", "Robot", "computers are not played"),
            (Computers::Only, "Robot", "Alekhin", "only computers are played"),
        ] {
            let (bot, account) = bot_with(|config| config.accept.computers = computers).await;
            let mut other = Human::log_in_with(account(declined)).await;
            other.send("match Botvin 5 0 unrated").await;
            other.line(reason).await;
            // The titles are known now.
            other.send("match Botvin 6 0 unrated").await;
            bot.wait_for_count(BotAction::Declined, 2).await;
            Human::log_in_with(account(played)).await.challenge(|terms| terms).await;
            bot.wait_for(BotAction::Started, "").await;
        }
    });
}

#[tokio::test(start_paused = true)]
async fn terms_that_change_while_the_titles_are_requested_are_judged() {
    let (bot, account) = bot_with(|config| config.accept.computers = Computers::Excluded).await;
    let human = Human::log_in_with(account("Alekhin")).await;
    // Both lines are received before the reply to the request.
    tokio::join!(human.send("match Botvin 5 0 unrated"), human.send("match Botvin 5 0 rated"));
    bot.wait_for(BotAction::Declined, "rated games are not played").await;
    sleep(MINUTE).await;
    assert_eq!(bot.count(BotAction::Accepted), 0, "{:#?}", bot.actions());
}

#[tokio::test(start_paused = true)]
async fn guest_whom_the_settings_do_not_distinguish_is_not_looked_up() {
    let (bot, account) = bot_with(|_| {}).await;
    let mut robot = Human::log_in_with(account("Robot")).await;
    robot.challenge(|terms| terms).await;
    assert_eq!(bot.count(BotAction::Accepted), 1);
}

/// Declines computers, whatever the settings are.
#[derive(Clone)]
struct PeopleOnly;

impl Policy for PeopleOnly {
    fn needs_titles(&self, _: &BotConfig) -> bool {
        true
    }

    fn judge_challenge(&mut self, _: &Challenge, situation: &ChallengeSituation<'_>) -> Verdict<bool> {
        let is_computer = situation.titles.iter().any(|title| title == "C");
        Verdict::new(!is_computer, if is_computer { "a computer" } else { "a person" })
    }
}

#[tokio::test(start_paused = true)]
async fn policy_of_a_program_sees_the_titles() {
    let account = serve_all(options()).await;
    let config = BotConfig::new(account("Botvin"), EngineConfig::new(["none"]));
    let bot = Running::start_bot(Bot::new(config).engine(weak()).policy(PeopleOnly));
    bot.wait_for(BotAction::Connection, "ready").await;
    Human::log_in_with(account("Robot")).await.send("match Botvin 5 0 unrated").await;
    bot.wait_for(BotAction::Declined, "a computer").await;
    Human::log_in_with(account("Alekhin")).await.send("match Botvin 5 0 unrated").await;
    bot.wait_for(BotAction::Accepted, "a person").await;
}

#[test]
fn challenge_of_a_person_waits_for_the_game_and_comes_before_computers() {
    on_both_flavours(|| async {
        let (bot, account) = bot_with(|config| {
            config.accept.prefer = Preference::Humans;
            config.rematch.propose = 5;
        })
        .await;
        let mut robot = Human::log_in_with(account("Robot")).await;
        robot.begin(&["e2e4"]).await;
        let deep = Human::log_in_with(account("Deep")).await;
        deep.send("match Botvin 5 0 unrated").await;
        bot.wait_for(BotAction::Declined, "a game is in progress").await;
        let mut human = Human::log_in_with(account("Alekhin")).await;
        human.send("match Botvin 5 0 unrated").await;
        human.line("your challenge is answered when it is over").await;
        human.send("match Botvin 6 0 unrated").await;
        bot.wait_for_count(BotAction::Delayed, 2).await;
        assert_eq!(bot.count(BotAction::Started), 1);
        robot.client.resign().await.unwrap();
        human.board(|board| board.initial_min() == 6).await;
        let actions = bot.actions();
        assert_eq!(bot.count(BotAction::Challenged), 0, "no rematch while a person waits: {actions:#?}");
        let told = bot.names_of(BotAction::Said, "your challenge is answered");
        assert_eq!(told, [(Some("Botvin".to_owned()), Some("Alekhin".to_owned()))], "told once");
    });
}

#[tokio::test(start_paused = true)]
async fn waiting_challenge_that_is_withdrawn_is_not_accepted() {
    let (bot, account) = bot_with(|config| config.accept.prefer = Preference::Humans).await;
    let mut robot = Human::log_in_with(account("Robot")).await;
    robot.begin(&["e2e4"]).await;
    let human = Human::log_in_with(account("Alekhin")).await;
    human.send("match Botvin 5 0 unrated").await;
    bot.wait_for(BotAction::Delayed, "").await;
    human.send("withdraw").await;
    robot.client.resign().await.unwrap();
    bot.wait_for(BotAction::Ended, "").await;
    sleep(MINUTE).await;
    assert_eq!((bot.count(BotAction::Accepted), bot.count(BotAction::ServerRefused)), (1, 0), "{:#?}", bot.actions());
}

#[tokio::test(start_paused = true)]
async fn challenge_meets_one_of_several_terms() {
    let (bot, account) = bot_with(|config| {
        let mut short = AcceptTerms::default();
        short.initial_min = Some(1..=2);
        short.kinds = Some(vec!["lightning".to_owned()]);
        short.computers = Some(Computers::Only);
        let mut long = AcceptTerms::default();
        long.rated = Some(true);
        long.kinds = Some(vec!["standard".to_owned()]);
        long.rating_difference = Some(100);
        config.accept.terms = vec![short, long];
    })
    .await;
    let euwe = Human::log_in_with(account("Euwe")).await;
    for (terms, reason) in [
        ("5 0 unrated", "games have 1 to 2 minutes; or blitz is not played"),
        ("1 0 unrated", "only computers are played; or lightning is not played"),
        ("1 0 rated", "rated games are not played; or lightning is not played"),
    ] {
        euwe.send(&format!("match Botvin {terms}")).await;
        bot.wait_for(BotAction::Declined, reason).await;
    }
    let alekhin = Human::log_in_with(account("Alekhin")).await;
    alekhin.send("match Botvin 15 0 rated").await;
    bot.wait_for(BotAction::Declined, "or opponents have a rating of 2000 plus or minus 100").await;
    assert_eq!(bot.count(BotAction::Accepted), 0, "{:#?}", bot.actions());
    euwe.send("match Botvin 15 0 rated").await;
    bot.wait_for(BotAction::Started, "").await;
    euwe.client.resign().await.unwrap();
    bot.wait_for(BotAction::Ended, "").await;
    Human::log_in_with(account("Robot")).await.send("match Botvin 1 0 unrated").await;
    bot.wait_for_count(BotAction::Started, 2).await;
}

/// Returns those whom a bot with these rules challenges within an hour, of all accounts.
async fn challenged(set: impl FnOnce(&mut BotConfig, &mut MatchmakingRules)) -> Vec<String> {
    let (bot, account) = bot_with(|config| {
        let mut rules = MatchmakingRules::against([], "5 0 unrated");
        set(config, &mut rules);
        config.matchmaking = Some(rules);
    })
    .await;
    let mut others = Vec::new();
    for (name, ..) in &ACCOUNTS[1..] {
        others.push(Human::log_in_with(account(name)).await);
    }
    sleep(60 * MINUTE).await;
    let mut names: Vec<_> =
        bot.names_of(BotAction::Challenged, " 0 ").into_iter().filter_map(|(_, name)| name).collect();
    names.sort();
    names.dedup();
    names
}

#[tokio::test(start_paused = true)]
async fn matchmaking_follows_titles_lists_and_the_conditions_of_its_terms() {
    let all = ["Alekhin", "Deep", "Euwe", "Robot"];
    assert_eq!(challenged(|_, _| {}).await, all);
    assert_eq!(challenged(|_, rules| rules.computers = Computers::Only).await, ["Deep", "Robot"]);
    assert_eq!(challenged(|_, rules| rules.computers = Computers::Excluded).await, ["Alekhin", "Euwe"]);
    let allowed = challenged(|config, _| config.accept.allow = vec!["ALEKHIN".parse().unwrap()]).await;
    assert_eq!(allowed, ["Alekhin"]);
    let blocked = challenged(|config, _| config.accept.block = vec!["deep".parse().unwrap()]).await;
    assert_eq!(blocked, ["Alekhin", "Euwe", "Robot"]);
    let own_terms = challenged(|_, rules| {
        rules.terms[0].rating = Some(2000..=9999);
        let mut people = MatchmakingTerms::new("3 0 unrated");
        people.computers = Some(Computers::Excluded);
        people.rating = Some(0..=1700);
        rules.terms.push(people);
    });
    assert_eq!(own_terms.await, ["Alekhin", "Deep"]);
}

#[tokio::test(start_paused = true)]
async fn matchmaking_compares_the_ratings_of_the_kind_of_game() {
    let blitz = challenged(|_, rules| rules.rating_difference = Some(100)).await;
    assert_eq!(blitz, ["Alekhin", "Robot"]);
    let standard = challenged(|_, rules| {
        rules.terms = vec![MatchmakingTerms::new("15 0 rated")];
        rules.terms[0].rating_difference = Some(100);
    });
    assert_eq!(standard.await, ["Deep", "Euwe"]);
    assert_eq!(challenged(|_, rules| rules.rating_difference = Some(10)).await, [""; 0]);
    let without_rating = challenged(|_, rules| {
        rules.terms = vec![MatchmakingTerms::new("5 0 crazyhouse")];
        rules.rating_difference = Some(10);
    });
    assert_eq!(without_rating.await, ["Alekhin", "Deep", "Euwe", "Robot"]);
}
