//! The memory of other players over a restart, and what is sent after a login.

use std::path::{Path, PathBuf};
use std::time::Duration;

use kibitzer_bot::config::MatchmakingRules;
use kibitzer_bot::{BotAction, BotConfig};
use tokio::time::sleep;

use super::table::{Human, Running, on_both_flavours, options, ready, serve, serve_accounts, settings, weak};

const MINUTE: Duration = Duration::from_mins(1);

/// A folder for one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let family = if module_path!().contains("play_icc") { "icc" } else { "fics" };
        let name = format!("kibitzer-memory-{family}-{}-{name}", std::process::id());
        let folder = Self(std::env::temp_dir().join(name));
        let _ = std::fs::remove_dir_all(&folder.0);
        folder
    }

    /// Returns the text of its only file.
    fn text(&self) -> String {
        let mut files = std::fs::read_dir(&self.0).unwrap();
        let (file, other) = (files.next().unwrap().unwrap(), files.next());
        assert!(other.is_none(), "no temporary files: {other:?}");
        assert!(file.file_name().to_str().unwrap().starts_with("botvin@"), "{file:?}");
        std::fs::read_to_string(file.path()).unwrap()
    }

    fn write(&self, config: &BotConfig, text: impl AsRef<[u8]>) {
        std::fs::create_dir_all(&self.0).unwrap();
        let file = format!("botvin@{}.json", config.accounts[0].host_name());
        std::fs::write(self.0.join(file), text).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The settings of a bot that remembers players in a folder, and challenges one of them.
fn remembering(config: &mut BotConfig, folder: &Path) {
    config.state.folder = Some(folder.to_owned());
    config.accept.games_per_opponent_per_day = 1;
    config.matchmaking = Some(MatchmakingRules::against(["Euwe".parse().unwrap()], "5 0 unrated"));
}

#[test]
fn games_are_remembered_over_a_restart() {
    on_both_flavours(|| async {
        let folder = Folder::new("restart");
        let (_server, profile) = serve(options()).await;
        let mut config = settings(&profile);
        remembering(&mut config, &folder.0.join("inner"));
        if let Some(rules) = &mut config.matchmaking {
            rules.pause = Duration::from_secs(10);
        }
        // The time of the other flavour of the runtime is real.
        config.accept.games_per_opponent_per_day = 1;
        let mut human = Human::log_in(&profile, "Alekhin").await;
        let bot = ready(config.clone(), weak()).await;
        human.begin(&["e2e4"]).await;
        human.client.resign().await.unwrap();
        bot.wait_for(BotAction::Ended, "").await;
        bot.stop.force();
        bot.done.await.unwrap().unwrap();
        let bot = ready(config, weak()).await;
        human.send("match Botvin 5 0 unrated").await;
        bot.wait_for(BotAction::Declined, "the limit is 1 games a day").await;
        bot.stop.force();
        bot.done.await.unwrap().unwrap();
    });
}

#[tokio::test(start_paused = true)]
async fn player_who_declined_is_not_challenged_after_a_restart_until_the_file_is_deleted() {
    let folder = Folder::new("declined");
    let (_server, profile) = serve(options()).await;
    let mut config = settings(&profile);
    remembering(&mut config, &folder.0);
    let mut euwe = Human::log_in(&profile, "Euwe").await;
    let bot = ready(config.clone(), weak()).await;
    euwe.line("Challenge: Botvin").await;
    euwe.send("decline").await;
    bot.wait_for(BotAction::Challenged, "was declined").await;
    bot.kill();
    sleep(MINUTE).await;
    assert!(folder.text().contains("Euwe"), "{}", folder.text());
    let bot = ready(config.clone(), weak()).await;
    sleep(60 * MINUTE).await;
    assert_eq!(bot.count(BotAction::Challenged), 0, "{:#?}", bot.actions());
    bot.kill();
    std::fs::remove_dir_all(&folder.0).unwrap();
    let bot = ready(config, weak()).await;
    bot.wait_for(BotAction::Challenged, "5 0").await;
    assert_eq!(bot.count(BotAction::FileFailed), 0, "{:#?}", bot.actions());
}

#[tokio::test(start_paused = true)]
async fn broken_file_is_a_warning_and_a_new_beginning() {
    for (name, text, words) in [
        ("half", &b"{\"Euwe\":{\"declined\":9"[..], "column"),
        ("no file of the bot", b"[1, 2]", "invalid type"),
        ("binary", &[0xFF; 100], "column 1"),
        ("empty", b"", "EOF"),
        ("negative", b"{\"Euwe\":{\"declined\":-5}}", "invalid value"),
    ] {
        let folder = Folder::new("broken");
        let (_server, profile) = serve(options()).await;
        let mut config = settings(&profile);
        remembering(&mut config, &folder.0);
        folder.write(&config, text);
        let bot = ready(config, weak()).await;
        bot.wait_for(BotAction::FileFailed, "the memory of other players is lost, and begins again: cannot read").await;
        bot.wait_for(BotAction::FileFailed, words).await;
        Human::log_in(&profile, "Alekhin").await.begin(&["e2e4"]).await;
        assert!(folder.text().starts_with("{\"Alekhin\":{\"games\":["), "{name}: {}", folder.text());
    }
}

#[tokio::test(start_paused = true)]
async fn entries_that_make_no_sense_are_skipped() {
    let folder = Folder::new("odd");
    let (_server, profile) = serve(options()).await;
    let mut config = settings(&profile);
    remembering(&mut config, &folder.0);
    let late = u64::MAX;
    folder.write(
        &config,
        format!("{{\"not a name\\n\":{{\"declined\":5}},\"Tal\":{{\"games\":[1]}},\"Euwe\":{{\"declined\":{late},\"x\":1}}}}"),
    );
    let mut human = Human::log_in(&profile, "Alekhin").await;
    let _euwe = Human::log_in(&profile, "Euwe").await;
    let bot = ready(config, weak()).await;
    sleep(60 * MINUTE).await;
    assert_eq!(bot.count(BotAction::Challenged), 0, "a time that has not come is now: {:#?}", bot.actions());
    human.begin(&["e2e4"]).await;
    let text = folder.text();
    assert!(text.contains("Euwe") && !text.contains("not a name") && !text.contains("Tal"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn folder_that_cannot_be_made_is_reported_and_the_bot_plays_on() {
    let folder = Folder::new("file");
    std::fs::write(&folder.0, "a file").unwrap();
    let (_server, profile) = serve(options()).await;
    let mut config = settings(&profile);
    remembering(&mut config, &folder.0);
    config.accept.games_per_opponent_per_day = 0;
    let bot = ready(config, weak()).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    for n in 1..=3 {
        human.begin(&["e2e4"]).await;
        human.client.resign().await.unwrap();
        bot.wait_for_count(BotAction::Ended, n).await;
    }
    let failed = bot.names_of(BotAction::FileFailed, "cannot create the folder");
    assert_eq!(failed.len(), 3, "once for each game: {:#?}", bot.actions());
    std::fs::remove_file(&folder.0).unwrap();
}

#[tokio::test(start_paused = true)]
async fn commands_are_sent_after_every_login_and_a_refused_one_is_reported() {
    let (server, mut config, human) = serve_accounts().await;
    config.login.commands =
        ["tell Alekhin here I am", "tell Nobody join 3", "tell Alekhin a\nb"].map(str::to_owned).into();
    let mut human = Human::log_in_with(human).await;
    let bot = Running::start(config, weak());
    human.line("here I am").await;
    bot.wait_for_count(BotAction::ServerRefused, 2).await;
    let refused = bot.names_of(BotAction::ServerRefused, "command `tell` of [login]: refused");
    assert_eq!(refused.len(), 1, "{:#?}", bot.actions());
    assert_eq!(bot.names_of(BotAction::ServerRefused, "command `tell` of [login]: ").len(), 2, "{:#?}", bot.actions());
    bot.cut(&server).await;
    human.line("here I am").await;
    bot.wait_for_count(BotAction::ServerRefused, 4).await;
}
