//! The files of games, and games that were cut off by a kill.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use kibitzer::command::OfferRef;
use kibitzer_bot::BotAction;
use kibitzer_core::chess::Color;
use tokio::time::sleep;

use super::table::{Human, Running, options, ready, serve, serve_accounts, settings, shuffler, weak};

/// A folder that is removed at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("kibitzer-files-{}-{}-{name}", std::process::id(), module_path!().replace(':', "-"));
        let folder = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap_or_default()
    }

    /// The names of the files, and those in folders with the names of these.
    fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut folders = vec![self.0.clone()];
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    folders.push(path);
                } else {
                    names.push(path.strip_prefix(&self.0).unwrap().to_str().unwrap().to_owned());
                }
            }
        }
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

async fn stop(bot: Running) {
    bot.stop.request_or_force();
    bot.stop.request_or_force();
    bot.done.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn path_has_the_values_of_the_game() {
    let (_server, profile) = serve(options()).await;
    let folder = Folder::new("fields");
    let mut config = settings(&profile);
    config.accept.kinds.push("crazyhouse".to_owned());
    config.pgn.file = Some(folder.0.join("{account}/{variant}/{opponent}.pgn"));
    config.pgn.live_file = Some(folder.0.join("{date}/live.pgn"));
    let bot = ready(config, || async {
        let mut engine = super::table::TestEngine::new(0, std::sync::Arc::default());
        engine.add_variant("crazyhouse");
        Ok(engine)
    })
    .await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    for (n, kind) in ["", " crazyhouse"].into_iter().enumerate() {
        human.send(&format!("match Botvin 5 0 unrated white{kind}")).await;
        human.board(|board| board.ply() == 0).await;
        human.play("e2e4").await;
        human.turn().await;
        assert!(folder.names().iter().any(|name| name.starts_with("unfinished-Botvin-")), "{:?}", folder.names());
        human.client.resign().await.unwrap();
        bot.wait_for_count(BotAction::Ended, n + 1).await;
    }
    stop(bot).await;
    let names = folder.names();
    let date = kibitzer::transcript::Utc::now().to_string();
    let live = names.iter().find(|name| name.ends_with("/live.pgn")).unwrap();
    assert!(live.starts_with(date.get(..8).unwrap()) && live.len() == "2025-03-01/live.pgn".len(), "{live}");
    assert_eq!(names[1..], ["Botvin/Crazyhouse/Alekhin.pgn", "Botvin/chess/Alekhin.pgn"]);
}

#[tokio::test(start_paused = true)]
async fn game_cut_off_by_a_kill_is_in_the_file_once_after_it_was_resumed_and_finished() {
    let (_server, mut config, human) = serve_accounts().await;
    let folder = Folder::new("resumed");
    config.pgn.file = Some(folder.0.join("{date}.pgn"));
    config.pgn.evals = true;
    let bot = ready(config.clone(), shuffler()).await;
    let mut human = Human::log_in_with(human).await;
    human.begin(&["e2e4", "d2d3", "f1e2"]).await;
    bot.kill();
    human.line("adjourned").await;
    assert!(folder.names().iter().all(|name| name.starts_with("unfinished-")), "{:?}", folder.names());
    let bot = ready(config, || async { Ok(super::table::TestEngine::new(1, std::sync::Arc::default())) }).await;
    human.line("Challenge: Botvin").await;
    human.client.accept(OfferRef::Only).await.unwrap();
    bot.wait_for(BotAction::Started, "").await;
    human.play("a2a3").await;
    human.board(|board| board.ply() == 8).await;
    human.client.resign().await.unwrap();
    bot.wait_for(BotAction::Ended, "resigns").await;
    sleep(Duration::from_mins(2)).await;
    stop(bot).await;
    let names = folder.names();
    let date = kibitzer::transcript::Utc::now().to_string();
    assert!(names.len() == 1 && names[0].starts_with(date.get(..8).unwrap()), "{names:?}");
    let games = folder.read(&names[0]);
    assert_eq!(games.matches("[Event ").count(), 1, "{games}");
    assert!(games.contains("1. e4 ") && games.contains("4... ") && games.ends_with("0-1\n"), "{games}");
    assert!(games.contains("[%eval "), "{games}");
}

#[tokio::test(start_paused = true)]
async fn game_cut_off_by_kills_that_is_not_resumed_is_in_the_file_as_it_was() {
    let (_server, mut config, profile) = serve_accounts().await;
    let folder = Folder::new("adjourned");
    config.pgn.file = Some(folder.0.join("games.pgn"));
    let bot = ready(config.clone(), shuffler()).await;
    let mut human = Human::log_in_with(profile.clone()).await;
    human.begin(&["e2e4", "d2d3", "f1e2"]).await;
    bot.kill();
    human.line("adjourned").await;
    human.client.quit().await;
    // Another kill before the game is written, and another game.
    let bot = ready(config.clone(), shuffler()).await;
    let mut other = Human::log_in(&profile, "Capablanca").await;
    other.begin(&["a2a3"]).await;
    bot.kill();
    assert_eq!(folder.read("games.pgn"), "");
    let bot = ready(config.clone(), weak()).await;
    sleep(Duration::from_secs(61)).await;
    let games = folder.read("games.pgn");
    let counts = ["[Event ", "1. e4 ", "2... Ng8 ", "1. a3 ", "[Termination \"unterminated\"]", " *\n"]
        .map(|it| games.matches(it).count());
    assert_eq!(counts, [2, 1, 1, 1, 2, 2], "{games}");
    stop(bot).await;
    assert_eq!((folder.read("games.pgn"), folder.names()), (games, vec!["games.pgn".to_owned()]));
}

#[tokio::test(start_paused = true)]
async fn bot_that_is_stopped_at_once_writes_the_game_that_was_cut_off() {
    let (_server, profile) = serve(options()).await;
    let folder = Folder::new("stopped");
    let mut config = settings(&profile);
    config.pgn.file = Some(folder.0.join("{opponent}.pgn"));
    let bot = ready(config.clone(), shuffler()).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.begin(&["e2e4", "d2d3"]).await;
    bot.kill();
    human.end().await;
    stop(ready(config, weak()).await).await;
    let game = folder.read("Alekhin.pgn");
    assert!(game.contains("2. d3 ") && game.ends_with(" *\n"), "{game}");
    assert_eq!(folder.names(), ["Alekhin.pgn"]);
}

#[tokio::test(start_paused = true)]
async fn record_that_cannot_be_read_or_written_is_reported_once_and_costs_no_game() {
    let (_server, profile) = serve(options()).await;
    let folder = Folder::new("broken");
    let mut config = settings(&profile);
    config.pgn.file = Some(folder.0.join("games.pgn"));
    let bot = ready(config.clone(), weak()).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.challenge(|terms| terms.color(Color::White)).await;
    let record = folder.names().remove(0);
    bot.kill();
    human.end().await;
    fs::remove_file(folder.0.join(&record)).unwrap();
    fs::create_dir_all(folder.0.join(&record).join("folder")).unwrap();
    for words in ["cannot read ", "cannot write "] {
        let bot = ready(config.clone(), weak()).await;
        human.begin(&["e2e4"]).await;
        if words == "cannot write " {
            fs::remove_file(folder.0.join(&record)).unwrap();
            fs::create_dir_all(folder.0.join(&record).join("folder")).unwrap();
        }
        human.play("d2d3").await;
        human.turn().await;
        bot.wait_for(BotAction::FileFailed, words).await;
        human.client.resign().await.unwrap();
        bot.wait_for(BotAction::Ended, "resigns").await;
        stop(bot).await;
        assert!(folder.read("games.pgn").ends_with("0-1\n"));
        // A record that could not be read is neither replaced nor removed.
        fs::remove_dir_all(folder.0.join(&record)).unwrap();
    }
    assert_eq!(folder.read("games.pgn").matches("[Event ").count(), 2);
}

#[tokio::test(start_paused = true)]
async fn game_that_cannot_be_appended_is_appended_later() {
    let (_server, profile) = serve(options()).await;
    let folder = Folder::new("later");
    let mut config = settings(&profile);
    let file = folder.0.join("games.pgn");
    config.pgn.file = Some(file.clone());
    let bot = ready(config.clone(), weak()).await;
    let mut human = Human::log_in(&profile, "Alekhin").await;
    human.begin(&["e2e4"]).await;
    fs::create_dir(&file).unwrap();
    human.client.resign().await.unwrap();
    bot.wait_for(BotAction::FileFailed, "cannot open ").await;
    stop(bot).await;
    fs::remove_dir(&file).unwrap();
    // Neither a failure after the time of resumption nor one at a stop removes the game.
    let bot = ready(config.clone(), weak()).await;
    fs::create_dir(&file).unwrap();
    sleep(Duration::from_secs(61)).await;
    bot.wait_for_count(BotAction::FileFailed, 1).await;
    stop(bot).await;
    fs::remove_dir(&file).unwrap();
    stop(ready(config, weak()).await).await;
    let games = folder.read("games.pgn");
    assert!(games.matches("[Event ").count() == 1 && games.ends_with("0-1\n"), "{games}");
    assert_eq!(folder.names(), ["games.pgn"]);
}
