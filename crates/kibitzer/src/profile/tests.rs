//! Layers of configuration.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use serde::Deserialize as _;

use super::environment::Environment;
use super::settings::Settings;
use super::*;

/// Every key, at another value than any default.
const OTHER: &str = r#"
host = "elsewhere"
ports = [4000]
connect_timeout_ms = 1
write_timeout_ms = 2
handle = "Newton"
password_from = { env = "SOME_VARIABLE" }
family = "auto"
timeseal = "1"
ivars = ["seekinfo"]
interface = "other"
prompt = "> "
variables = { gin = 1 }
adjourned_games = "resume"
greeting_timeout_ms = 3
login_step_timeout_ms = 4
queue_timeout_ms = 44
settle_ms = 5
set_up_timeout_ms = 6
request_timeout_ms = 7
probe_after_ms = 8
probe_timeout_ms = 9
keep_alive_ms = 10
quit_timeout_ms = 11
reconnect_base_ms = 12
reconnect_cap_ms = 13
reconnect_attempts = 14
reconnect_stable_ms = 16
queued_requests = 15
requests_in_flight = 17
reply_events = 18
reply_bytes = 19
kept_events = 20
kept_games = 21
kept_moves = 22
line_bytes = 23
wrapped_line_bytes = 24
block_bytes = 25
datagram_bytes = 26
record_file = "session.jsonl"
filters = { other = "game:27 kind:tell,say" }
attach_socket = "bot.sock"
attach_access = "write"
"#;

/// Keys that have no default.
const OPTIONAL: [&str; 8] = [
    "handle",
    "password_from",
    "interface",
    "variables",
    "reconnect_attempts",
    "record_file",
    "filters",
    "attach_socket",
];

/// A file for one test, gone with it.
struct Config(PathBuf);

impl Config {
    fn new(name: &str, text: &str) -> Self {
        let path = std::env::temp_dir().join(format!("kibitzer-profile-{}-{name}.toml", std::process::id()));
        std::fs::write(&path, text).unwrap();
        Self(path)
    }
}

impl Drop for Config {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config").join(name)
}

/// Every key there is.
fn keys() -> Vec<String> {
    let asked = RefCell::new(Vec::new());
    Settings::deserialize(Environment(|name: &str| {
        asked.borrow_mut().push(name.trim_start_matches("KIBITZER_").to_ascii_lowercase());
        None
    }))
    .unwrap();
    asked.into_inner()
}

fn show(profile: &Profile) -> String {
    format!("{profile:#?}")
}

#[test]
fn the_shipped_files_say_what_the_code_says() {
    let other = Config::new("other", OTHER);
    for (name, want) in [("fics.toml", Profile::fics()), ("icc.toml", Profile::icc()), ("demo.toml", Profile::demo())] {
        assert_eq!(show(&Profile::load(shipped(name)).unwrap()), show(&want), "{name}");
        // Over a profile in which everything is different, all of it has to be said.
        let mut changed = want.clone().file(&other.0).unwrap().file(shipped(name)).unwrap();
        (changed.login, changed.record_file, changed.filters, changed.variables) = Default::default();
        changed.reconnect = changed.reconnect.attempts(None);
        changed.attach_socket = None;
        changed.interface.clone_from(&want.interface);
        assert_eq!(show(&changed), show(&want), "{name}");
        let text = std::fs::read_to_string(shipped(name)).unwrap();
        for key in keys() {
            let line = if OPTIONAL.contains(&&*key) { format!("\n# {key} = ") } else { format!("\n{key} = ") };
            assert!(text.contains(&line), "{name}: {key}");
        }
    }
}

#[test]
fn every_key_changes_something() {
    let all = Profile::fics();
    for key in keys() {
        let line = OTHER.lines().find(|line| line.starts_with(&format!("{key} = "))).unwrap();
        let one = Config::new(&key, line);
        assert_ne!(show(&all.clone().file(&one.0).unwrap()), show(&all), "{key}");
    }
}

#[test]
fn what_is_wrong_in_a_file_is_told_with_its_line() {
    let cases = [
        ("an unknown key", "host = \"x\"\n\nprots = [1]\n", 3, "unknown field `prots`"),
        ("a password", "host = \"x\"\npassword = \"swordfish\"\n", 2, "unknown field `password`"),
        ("no TOML", "host = \"x\"\nports = [1\nfamily = \"fics\"\n", 3, ""),
        ("another type", "ports = \"5000\"\n", 1, "invalid type"),
        ("no port", "host = \"x\"\nports = []\n", 2, "must not be empty"),
        ("port 0", "host = \"x\"\nports = [5000, 0]\n", 2, "nonzero"),
        ("no host", "host = \"\"\n", 1, "must not be empty"),
        ("no time", "host = \"x\"\nconnect_timeout_ms = 0\n", 2, "nonzero"),
        ("less than no time", "host = \"x\"\nconnect_timeout_ms = -1\n", 2, "integer `-1`"),
        ("no such family", "\nfamily = \"kics\"\n", 2, "family is none of auto, fics and icc"),
        ("no such ivar", "ivars = [\"block\", \"blok\"]\n", 1, ""),
        ("no text", "filters = { talk = 7 }\n", 1, "invalid type"),
        ("a variable of two lines", "[variables]\ngin = 1\n3 = \"a\\nb\"\n", 1, "variable 3: line break"),
        ("a variable without a value", "variables = { gin = \"\" }\n", 1, "variable gin: line is empty"),
        ("a variable of another type", "variables = { gin = [1] }\n", 1, "text, a whole number or a bool"),
        ("no such choice", "adjourned_games = \"yes\"\n", 1, "neither report nor resume"),
        ("no name", "handle = \"No Name\"\n", 1, ""),
        ("two sources", "password_from = { env = \"A\", file = \"b\" }\n", 1, ""),
        ("the key twice", "host = \"x\"\nhost = \"y\"\n", 2, "duplicate key"),
    ];
    for (name, text, want_line, want_reason) in cases {
        let config = Config::new("wrong", text);
        let error = Profile::load(&config.0).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("swordfish"), "{name}: {error:?}");
        let ConfigError::File { line, reason, .. } = &error else { panic!("{name}: {error:?}") };
        assert_eq!(*line, want_line, "{name}: {error}");
        assert!(reason.contains(want_reason), "{name}: {error}");
        assert!(!reason.contains('\n'), "{name}: {error}");
    }
}

#[test]
fn a_file_names_its_host_or_is_laid_over_one_that_does() {
    let config = Config::new("hostless", "ports = [4000]\n");
    assert!(matches!(Profile::load(&config.0), Err(ConfigError::NoHost { .. })));
    let profile = Profile::fics().file(&config.0).unwrap();
    assert_eq!((profile.host_name(), &profile.ports[..]), ("freechess.org", &[4000][..]));
    assert!(matches!(Profile::load("no/such/file.toml"), Err(ConfigError::Read { .. })));
}

/// An environment of these variables.
fn environment<'a>(variables: &'a [(&str, &str)]) -> impl Fn(&str) -> Option<String> + 'a {
    |name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
}

#[test]
fn defaults_then_file_then_environment_then_setters() {
    let config =
        Config::new("layers", "host = \"file\"\nconnect_timeout_ms = 1\nwrite_timeout_ms = 1\nkept_events = 1\n");
    let variables =
        [("KIBITZER_CONNECT_TIMEOUT_MS", "2"), ("KIBITZER_WRITE_TIMEOUT_MS", "2"), ("KIBITZER_LOG", "debug")];
    let profile = Profile::load(&config.0).unwrap().environment_from(environment(&variables)).unwrap();
    let profile = profile.write_timeout(Duration::from_millis(3));
    let ms = |time: Duration| time.as_millis();
    assert_eq!((ms(profile.connect_timeout), ms(profile.write_timeout)), (2, 3));
    assert_eq!((profile.hub, profile.host_name()), (HubOptions::default().kept_events(1), "file"));
    assert_eq!(profile.timings, Timings::default());
}

#[test]
fn every_key_is_a_variable() {
    // As a file has them, without brackets and quotes.
    let plain =
        |value: &str| value.replace("{ env = ", "env:").replace(['[', ']', '"', '{', '}'], "").trim().to_owned();
    let config = Config::new("variables", OTHER);
    let set: Vec<_> = OTHER
        .lines()
        .filter_map(|line| line.split_once(" = "))
        .map(|(key, value)| (format!("KIBITZER_{}", key.to_ascii_uppercase()), plain(value)))
        .collect();
    let look_up = |name: &str| set.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    let (from_file, from_environment) = (Profile::fics().file(&config.0), Profile::fics().environment_from(look_up));
    // What a variable holds is taken without the blanks around it, which a prompt needs.
    let from_environment = from_environment.unwrap().prompt("> ");
    assert_eq!(show(&from_environment), show(&from_file.unwrap()));
}

#[tokio::test]
async fn variables_of_the_server_are_commands_of_every_login() {
    let config = Config::new("server-variables", "host = \"x\"\n[variables]\ngin = 1\nopen = true\n3 = \"a note\"\n");
    let profile = Profile::load(&config.0).unwrap();
    let lines = |profile: &Profile| -> Vec<_> { profile.variables().values().map(ToString::to_string).collect() };
    assert_eq!(lines(&profile), ["set 3 a note", "set gin 1", "set open 1"]);
    let profile = profile.variable("gin", "0").unwrap();
    assert_eq!(lines(&profile), ["set 3 a note", "set gin 0", "set open 1"]);
    assert!(profile.clone().variable("3", "a\nb").is_err());
    let variables = [("KIBITZER_VARIABLES", "gin=1; 3=a note")];
    assert_eq!(lines(&profile.environment_from(environment(&variables)).unwrap()), ["set 3 a note", "set gin 1"]);
}

#[test]
fn lists_and_sources_are_variables_too() {
    let variables = [
        ("KIBITZER_PORTS", "5000, 23"),
        ("KIBITZER_IVARS", "block,ms"),
        ("KIBITZER_HANDLE", "Newton"),
        ("KIBITZER_PASSWORD_FROM", "command:pass,show,fics"),
        ("KIBITZER_FILTERS", "talk = kind:tell,say; mine=game:7 \"a = b\";"),
    ];
    let profile = Profile::new("x").environment_from(environment(&variables)).unwrap();
    assert_eq!((&profile.ports[..], &profile.ivars[..]), (&[5000, 23][..], &[Ivar::Block, Ivar::Ms][..]));
    let Some(Secret::Source(PasswordSource::Command(words))) = profile.login.secret else { panic!("{profile:?}") };
    assert_eq!(words, ["pass", "show", "fics"]);
    let filters: Vec<_> = profile.filters.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    assert_eq!(filters, [("mine", "game:7 \"a = b\""), ("talk", "kind:tell,say")]);
}

#[test]
fn a_wrong_variable_is_told_by_its_name() {
    let cases = [
        ("KIBITZER_CONNECT_TIMEOUT_MS", "soon", "not a whole number"),
        ("KIBITZER_CONNECT_TIMEOUT_MS", "0", "nonzero"),
        ("KIBITZER_PORTS", "5000,70000", "not a number from 0 to 65535"),
        ("KIBITZER_HOST", "", "must not be empty"),
        ("KIBITZER_TIMESEAL", "3", "none of off, 1, 2 and auto"),
        ("KIBITZER_TIMESEAL", "auto:2", "none of off, 1, 2 and auto"),
        ("KIBITZER_IVARS", "block,blok", ""),
        ("KIBITZER_FILTERS", "kind:tell", "have a = between"),
        ("KIBITZER_PASSWORD_FROM", "file", "env, command and file"),
    ];
    for (name, value, want) in cases {
        let error = Profile::fics().environment_from(environment(&[(name, value)])).unwrap_err();
        let ConfigError::Variable { name: told, reason } = &error else { panic!("{error:?}") };
        assert_eq!(told, name);
        assert!(reason.contains(want), "{error}");
    }
}

#[test]
fn the_variable_of_the_password_counts_where_there_is_a_handle_and_nothing_else() {
    let password = ("KIBITZER_PASSWORD", "swordfish");
    let guest = Profile::fics().environment_from(environment(&[password])).unwrap();
    assert!(guest.login.secret.is_none());
    let account = Profile::fics().environment_from(environment(&[password, ("KIBITZER_HANDLE", "Newton")])).unwrap();
    let Some(Secret::Source(PasswordSource::Variable(name))) = &account.login.secret else { panic!("{account:?}") };
    assert_eq!(name, "KIBITZER_PASSWORD");
    assert!(!show(&account).contains("swordfish"));
    let file = PasswordSource::File("secret".into());
    let profile = Profile::fics().account_from("Newton".parse().unwrap(), file.clone());
    let profile = profile.environment_from(environment(&[password])).unwrap();
    assert!(matches!(profile.login.secret, Some(Secret::Source(source)) if source == file));
}

// Rules: transport LG2, bugs 17
#[test]
fn a_profile_never_shows_its_password() {
    let profile = Profile::fics().account("Newton".parse().unwrap(), Password::new("swordfish").unwrap());
    for shown in [format!("{profile:?}"), format!("{profile:#?}")] {
        assert!(shown.contains("Newton") && !shown.contains("swordfish"), "{shown}");
    }
}

#[tokio::test]
async fn who_logs_in_is_known_when_the_session_starts() {
    let handle: Handle = "Newton".parse().unwrap();
    let password = Password::new("swordfish").unwrap();
    let credentials = async |profile: Profile| profile.login.credentials().await;
    assert_eq!(credentials(Profile::fics()).await.unwrap(), Credentials::Guest);
    let named = credentials(Profile::fics().guest_as(handle.clone())).await.unwrap();
    assert_eq!(named, Credentials::NamedGuest(handle.clone()));
    let account = credentials(Profile::fics().account(handle.clone(), password.clone())).await.unwrap();
    assert_eq!(account, Credentials::Account { handle: handle.clone(), password });
    let mut homeless = Profile::fics().account_from(handle, PasswordSource::Variable("X".to_owned()));
    homeless.login.handle = None;
    assert!(matches!(credentials(homeless).await, Err(SecretError::NoHandle)));
}

// Rules: bugs 17
#[test]
fn a_password_in_the_place_of_its_source_is_not_repeated() {
    for text in ["password_from = \"swordfish\"\n", "password_from = { swordfish = \"swordfish\" }\n"] {
        let file = Config::new("in-place", &format!("host = \"x\"\n{text}"));
        let error = Profile::load(&file.0).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("swordfish"), "{error:?}");
        assert!(
            matches!(&error, ConfigError::File { line: 2, reason, .. } if reason.contains("password_from")),
            "{error:?}"
        );
    }
    let variable = |name: &str| (name == "KIBITZER_PASSWORD_FROM").then(|| "swordfish".to_owned());
    let error = Profile::fics().environment_from(variable).unwrap_err();
    assert!(!format!("{error} {error:?}").contains("swordfish"), "{error:?}");
}
