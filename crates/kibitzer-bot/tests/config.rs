//! The settings of a bot.

use std::path::{Path, PathBuf};
use std::time::Duration;

use kibitzer::Profile;
use kibitzer_bot::{BotConfig, EngineConfig};

/// A file for one test, removed at its end.
struct File(PathBuf);

impl File {
    fn new(name: &str, text: &str) -> Self {
        let path = std::env::temp_dir().join(format!("kibitzer-bot-{}-{name}.toml", std::process::id()));
        std::fs::write(&path, text).unwrap();
        Self(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

const MINIMAL: &str = "[server]\nhost = \"chess.example\"\n[engine]\ncommand = [\"engine\"]\n";

fn load(name: &str, text: &str) -> Result<BotConfig, String> {
    let file = File::new(name, text);
    BotConfig::load(&file.0).map_err(|error| error.to_string())
}

#[test]
fn shipped_file_has_the_default_rules() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/bot.toml");
    let shipped = BotConfig::load(&path).unwrap();
    let default = BotConfig::new(Profile::demo(), EngineConfig::new(["stockfish"]));
    let rules = |config: BotConfig| {
        let BotConfig { accept, seek, offers, adjourned, rematch, matchmaking, talk, .. } = config;
        format!("{:#?}", (accept, seek, offers, adjourned, rematch, matchmaking, talk))
    };
    assert_eq!(rules(shipped.clone()), rules(default.clone()));
    assert_eq!(shipped.sentences(), default.sentences());
    assert_eq!(
        shipped.engine.options,
        [("Hash", "64"), ("Threads", "1")].map(|(name, value)| (name.into(), value.into()))
    );
}

#[test]
fn keys_in_comments_of_the_shipped_file_are_known() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/bot.toml");
    let text = std::fs::read_to_string(path).unwrap();
    let is_setting = |line: &str| line.starts_with("# [") || line.starts_with("# ") && line.contains(" = ");
    let lines = text.lines().map(|line| if is_setting(line) { line.trim_start_matches("# ") } else { line });
    let config = load("commented", &lines.collect::<Vec<_>>().join("\n")).unwrap();
    assert_eq!(config.matchmaking.as_ref().unwrap().pause, Duration::from_mins(5));
    assert!(config.books.len() == 1 && config.offers.resign.is_some());
    assert!(config.state.folder.is_some() && config.accept.rating_difference == Some(300));
    assert_eq!((config.accept.terms.len(), config.matchmaking.as_ref().unwrap().terms.len()), (2, 2));
    assert!(config.pgn.file.is_some() && config.pgn.live_file.is_some());
    assert!(config.sentences().iter().any(|line| line.contains("below -900 centipawns for 4 moves")));
}

#[test]
fn the_sentence_about_challenges_names_whom_the_bot_challenges() {
    let cases = [
        ("", "challenges computers with a rating of 0 to 9999 to: 3 0"),
        (
            "computers = true\nrating_difference = 300\n",
            "challenges players with a rating of 0 to 9999, at most 300 from the bot's own to: 3 0",
        ),
        ("computers = true\nrating = [1200, 2400]\n", "challenges players with a rating of 1200 to 2400 to: 3 0"),
        ("players = [\"Foo\", \"Bar\"]\n", "challenges Foo or Bar to: 3 0"),
    ];
    for (n, (rules, want)) in cases.into_iter().enumerate() {
        let text = format!("{MINIMAL}[matchmaking]\nterms = [\"3 0\"]\n{rules}");
        let sentences = load(&format!("challenges-{n}"), &text).unwrap().sentences();
        assert!(sentences.iter().any(|sentence| sentence.contains(want)), "{want}: {sentences:#?}");
    }
}

#[test]
fn minimal_file_is_enough_and_accounts_override_the_server() {
    let config = load("minimal", MINIMAL).unwrap();
    assert_eq!((config.accounts.len(), config.accounts[0].host_name()), (1, "chess.example"));
    let two =
        format!("{MINIMAL}[[account]]\nhandle = \"One\"\n[[account]]\nhost = \"other.example\"\n[x-mine]\nkey = 1\n");
    let config = load("two", &two).unwrap();
    assert_eq!(config.accounts.len(), 2);
    assert_eq!(config.accounts[1].host_name(), "other.example");
    let first_connect =
        |account: &Profile, value: &str| account.to_toml().contains(&format!("first_connect = \"{value}\""));
    assert!(config.accounts.iter().all(|account| first_connect(account, "retry")));
    let strict = load("strict", &MINIMAL.replace("[engine]", "first_connect = \"fail\"\n[engine]")).unwrap();
    assert!(first_connect(&strict.accounts[0], "fail"));
    assert_eq!(config.warning, None);
}

#[test]
fn accounts_may_be_written_in_one_line() {
    let text = "server = {host = \"a\"}\nengine = {command = \"e\"}\naccount = [{handle = \"One\"}, {host = \"b\"}]\n";
    let accounts = load("inline", text).unwrap().accounts;
    assert_eq!(accounts.iter().map(Profile::host_name).collect::<Vec<_>>(), ["a", "b"]);
    let error = load("inline error", &text.replace("{command", "{ponder = 3, command")).unwrap_err();
    assert!(error.contains("line 2: `engine.ponder`: invalid type: integer `3`, expected a boolean"), "{error}");
}

#[test]
fn accounts_are_those_that_play_and_a_handle_of_the_server_that_does_not_is_a_warning() {
    let server = MINIMAL.replace("[engine]", "handle = \"Server\"\n[engine]");
    let load = |name: &str, accounts: &str| {
        let BotConfig { accounts, warning, .. } = load(name, &format!("{server}{accounts}")).unwrap();
        let handles = accounts.iter().map(|account| account.handle().unwrap().to_string());
        (handles.collect::<Vec<_>>().join(" "), warning.unwrap_or_default())
    };
    assert_eq!(load("server", ""), ("Server".to_owned(), String::new()));
    let (handles, warning) = load("accounts", "[[account]]\nhandle = \"One\"\n[[account]]\nhandle = \"Two\"\n");
    assert_eq!(handles, "One Two");
    assert!(warning.contains("the handle Server of [server] is not used"), "{warning}");
    let other =
        "[[account]]\nhandle = \"One\"\n[[account]]\nhost = \"other.example\"\n[[account]]\nhost = \"third.example\"\n";
    assert_eq!(load("inherited", other), ("One Server Server".to_owned(), String::new()));
}

#[test]
fn book_is_one_table_or_several() {
    let one = load("one book", &format!("{MINIMAL}[book]\nfile = \"a\"\n")).unwrap().books;
    assert_eq!(one.iter().map(|book| book.variants.join(" ")).collect::<Vec<_>>(), ["chess chess960"]);
    let text = format!("{MINIMAL}[[book]]\nfile = \"a\"\n[[book]]\nfile = \"b\"\nvariants = [\"atomic\"]\n");
    let config = load("two books", &text).unwrap();
    assert_eq!((config.books.len(), config.books[1].variants.join(" ")), (2, "atomic".to_owned()));
    assert!(config.sentences().iter().any(|line| line.contains("10 moves of atomic are played from b:")));
}

#[test]
fn sentences_name_the_conditions_of_each_of_several_terms() {
    let text = format!(
        "{MINIMAL}[login]\ncommands = [\"+channel 1\"]\n[accept]\nprefer = \"humans\"\nsimuls = true\n\
         [[accept.terms]]\nkinds = [\"lightning\"]\ncomputers = \"only\"\n\
         [[accept.terms]]\nrated = true\nrating_difference = 200\ncomputers = false\n\
         [matchmaking]\nterms = [\"3 0\", {{ match = \"5 0\", rating = [1, 2], computers = true }}]\n\
         [state]\nfolder = \"memory\"\n"
    );
    let sentences = load("terms", &text).unwrap().sentences();
    for want in [
        "Unrated challenges to lightning are accepted, with 1 to 60 minutes and 0 to 60 seconds per move.",
        "Opponents are computers with a rating of 0 to 9999, or without one.",
        "Rated and unrated challenges to lightning, blitz, standard are accepted, with 1 to 60 minutes and 0 to 60 seconds per move.",
        "Opponents are people with a rating of 0 to 9999, at most 200 from the bot's own, or without one.",
        "Challenges of people wait for the end of the game, those of computers are declined.",
        "Requests to join a simul are accepted, one at a time.",
        "Every 5m without a game, the bot challenges computers with a rating of 0 to 9999 to: 3 0; 5 0 (players) (rating 1 to 2).",
        "Games and refusals of the last day are kept in the folder memory.",
        "After each login, commands are sent that begin with: +channel.",
    ] {
        assert!(sentences.iter().any(|sentence| sentence == want), "{want}: {sentences:#?}");
    }
}

#[test]
fn mistakes_are_reported_with_their_line() {
    for (name, text, line, words) in [
        ("key", "[accept]\nratd = true\n", 6, "unknown field `ratd`"),
        ("table", "[acept]\n", 5, "unknown table `acept`, did you mean `accept`?"),
        ("range", "[accept]\nrating = [2000, 1000]\n", 6, "the range [2000, 1000] is empty"),
        ("negative", "[accept]\ninitial_min = [-1, 3]\n", 6, "`accept.initial_min` must be 0 to 9999"),
        ("resign", "[offers]\nresign = { below_cp = 900 }\n", 6, "`offers.resign.below_cp` must be -29999 to -1"),
        ("pause", "[matchmaking]\nterms = []\npause = \"9s\"\n", 7, "`matchmaking.pause` must be 10s to 7days"),
        (
            "twice",
            "[[account]]\nhandle = \"One\"\n[[account]]\nhandle = \"ONE\"\n",
            7,
            "another account has the same handle",
        ),
        ("duration", "[shutdown]\nfinish_game_within = \"soon\"\n", 6, "expected number"),
        ("handle", "[accept]\nblock = [\"a b\"]\n", 6, "`a b`"),
        (
            "book",
            "[[book]]\nfile = \"a\"\n[[book]]\nfile = \"b\"\nmax_moves = 1001\n",
            9,
            "`book.max_moves` must be 0 to 1000",
        ),
        ("book key", "[[book]]\nfil = \"a\"\n", 6, "unknown field `fil`"),
        ("pieces", "[offers]\ndraw = { max_pieces = 1 }\n", 6, "`offers.draw.max_pieces` must be 2 to 32"),
        ("environment", "environment = { A = [] }\n[accept]\n", 5, "`A` is not a text, a whole number, true or false"),
        ("nodes", "protocol = \"cecp\"\nnodes = 1\n[accept]\n", 6, "CECP has no limit on nodes; write `depth` or"),
        ("pause of answers", "[talk]\nanswer_pause = \"8days\"\n", 6, "`talk.answer_pause` must be 0s to 7days"),
        (
            "scores",
            "[talk]\nscores = \"shout\"\n",
            6,
            "unknown variant `shout`, expected one of `off`, `kibitz`, `whisper`",
        ),
        ("rate", "[talk]\nscores_per_minute = 61\n", 6, "`talk.scores_per_minute` must be 1 to 60"),
        ("command", "[talk.commands]\n\"a b\" = \"c\"\n", 5, "the command `a b` is not one word: write"),
        ("path", "[pgn]\nfile = \"{me}.pgn\"\n", 6, "`{me}.pgn` has other words in braces than {date}, {opponent}"),
        ("option", "[matchmaking]\npause = 3\n", 6, "invalid type"),
        ("account table", "[account]\n", 5, "[[account]]"),
        ("computers", "[accept]\ncomputers = \"no\"\n", 6, "`accept.computers`: expected true, false or \"only\""),
        (
            "prefer",
            "[accept]\nprefer = \"people\"\n",
            6,
            "`accept.prefer`: unknown variant `people`, expected `none` or",
        ),
        ("empty terms", "[[accept.terms]]\nrating = [9, 1]\n", 6, "`accept.terms.rating`: the range [9, 1] is empty"),
        ("terms key", "[[accept.terms]]\nblock = []\n", 6, "unknown field `block`, expected one of `rated`"),
        (
            "terms range",
            "[[accept.terms]]\n[[accept.terms]]\ninitial_min = [1, 10000]\n",
            7,
            "`accept.terms.initial_min` must be",
        ),
        ("difference", "[accept]\nrating_difference = 10000\n", 6, "`accept.rating_difference` must be 0 to 9999"),
        ("match", "[matchmaking]\nterms = [{ rating = [1, 2] }]\n", 6, "`matchmaking.terms`: missing field `match`"),
        ("number", "[matchmaking]\nterms = [3]\n", 6, "expected a text such as \"3 0 unrated\", or a table with"),
        (
            "command",
            "[login]\ncommands = [\"+channel 1\", \"tell a\\nb\"]\n",
            6,
            "`login.commands`: command 2 cannot be sent",
        ),
        ("account", "[[account]]\nhandl = \"One\"\n", 6, "did you mean `handle`"),
    ] {
        let error = load(name, &format!("{MINIMAL}{text}")).unwrap_err();
        assert!(error.contains(&format!("line {line}: ")) && error.contains(words), "{name}: {error}");
    }
    assert!(load("no engine", "[server]\nhost = \"chess.example\"\n").unwrap_err().contains("engine"));
    assert!(load("no server", "[engine]\ncommand = [\"engine\"]\n").unwrap_err().contains("server"));
    let no_command = load("no command", "[server]\nhost = \"chess.example\"\n[engine]\nponder = true\n").unwrap_err();
    assert!(no_command.contains("line 3: missing field `command`"), "{no_command}");
    let number = load("book number", &format!("book = 3\n{MINIMAL}")).unwrap_err();
    assert!(number.contains("line 1: ") && number.contains("a table `[book]`, or several `[[book]]`"), "{number}");
    assert!(load("no toml", "server").is_err());
}
