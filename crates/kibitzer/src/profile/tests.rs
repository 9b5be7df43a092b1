//! Settings from files, the environment and setters; the generated files.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use super::load::variable_name_of;
use super::settings::{Setting, all_settings, settings_by_section};
use super::values::RawValue;
use super::*;
use kibitzer_core::message::Ivar;
use kibitzer_core::session::{RequestLimits, Timings};

/// A file for one test, removed at its end.
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

fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Compares a generated file with the one in the repository; with `KIBITZER_BLESS=1`, writes it first.
fn assert_generated(path: &str, want: &str) {
    let path = in_repository(path);
    if std::env::var_os("KIBITZER_BLESS").is_some() {
        std::fs::write(&path, want).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap();
    assert!(found == want, "{} is out of date; KIBITZER_BLESS=1 writes it", path.display());
}

fn show(profile: &Profile) -> String {
    format!("{profile:#?}")
}

/// A line of a file that sets this setting to its example.
fn example(setting: &Setting) -> String {
    format!("{} = {}\n", setting.key, setting.example)
}

/// The profiles with a file, and how that file begins.
fn shipped() -> [(&'static str, Profile, &'static str); 4] {
    let fics =
        "# freechess.org (FICS). All keys have their default values, so the file is equivalent to `Profile::fics()`.\n";
    let fics_web = "# freechess.org (FICS) over WebSocket with TLS. All keys have their default values, so the file is equivalent to\n\
        # `Profile::fics_web()`.\n";
    let icc = "# chessclub.com (ICC). Its telnet access was reported closed in 2025, so kibitzer's ICC support is tested against the\n\
        # description of its formats, recorded samples and the embedded server (`kibitzer serve --family icc`), not against the\n\
        # live service. Boards have clocks in seconds; datagrams add milliseconds.\n\
        #\n\
        # All keys have their default values, so the file is equivalent to `Profile::icc()`.\n";
    let demo = "# The embedded server (`kibitzer serve`). All keys have their default values, so the file is equivalent to\n\
        # `Profile::demo()`.\n";
    [
        ("config/fics.toml", Profile::fics(), fics),
        ("config/fics-web.toml", Profile::fics_web(), fics_web),
        ("config/icc.toml", Profile::icc(), icc),
        ("config/demo.toml", Profile::demo(), demo),
    ]
}

const FILE_HEAD: &str = "\
# Each key is also an environment variable, which overrides the file: KIBITZER_CONNECT_TIMEOUT_MS=3000. Times are in
# milliseconds. Unknown keys are errors, except for tables of other programs: [x-mybot].

";

#[test]
fn the_files_in_config_are_the_profiles_of_the_code() {
    let examples: String = all_settings().iter().map(example).collect();
    let other = Config::new("other", &examples);
    for (path, want, head) in shipped() {
        assert_generated(path, &format!("{head}{FILE_HEAD}{}\n", want.to_toml().trim_end()));
        assert_eq!(show(&Profile::load(in_repository(path)).unwrap()), show(&want), "{path}");
        // It overrides a profile in which every setting differs, except for those without a default.
        let changed = want.clone().file(&other.0).unwrap().file(in_repository(path)).unwrap();
        for setting in all_settings() {
            let expected = (setting.to_toml)(&want).or_else(|| (setting.to_toml)(&changed));
            assert_eq!((setting.to_toml)(&changed), expected, "{path}: {}", setting.key);
        }
    }
}

#[test]
fn the_page_of_settings_lists_all_of_them() {
    let mut page = String::from(PAGE_HEAD);
    for (title, settings) in settings_by_section() {
        let _ = write!(page, "\n## {title}\n\n| key | default | numbers | description |\n|---|---|---|---|\n");
        for setting in settings {
            let default = match (setting.to_toml)(&Profile::new("")) {
                Some(empty) if setting.key == "host" && empty == "\"\"" => "required without `url`".to_owned(),
                Some(default) => format!("`{default}`"),
                None => format!("none; example `{}`", setting.example),
            };
            let no_number = (setting.apply)(&mut Profile::new(""), RawValue::Variable("-"));
            let numbers = no_number.err().and_then(|error| {
                Some(error.to_string().strip_prefix("must be a whole number ")?.trim_start_matches("of ").to_owned())
            });
            let description = setting.doc.join(" ").replace('|', "\\|");
            let _ =
                writeln!(page, "| `{}` | {default} | {} | {description} |", setting.key, numbers.unwrap_or_default());
        }
    }
    assert_generated("crates/kibitzer/docs/settings.md", &page);
}

const PAGE_HEAD: &str = "\
# Settings

This page lists all settings of a profile. It is generated from the list in `crates/kibitzer/src/profile/settings.rs` and from the
numeric options of the core; `KIBITZER_BLESS=1 cargo test -p kibitzer profile` writes it and the files in [config/][config].

A setting is a key of a TOML file (`Profile::load`; `kibitzer connect PATH.toml`). It is also an environment variable: `KIBITZER_` and
the key in upper case, such as `KIBITZER_CONNECT_TIMEOUT_MS`. Each of these overrides the previous one: defaults of the code, file,
environment, command line (or setters of `Profile`). `Profile::to_toml` returns a profile as a commented file.

- The unit of a number is the end of its key: `_ms` is milliseconds, `_bytes` bytes. The other numbers are counts.
- In a variable, items of a list are separated by commas (`KIBITZER_PORTS=5000,23`), pairs of a table by semicolons
  (`KIBITZER_VARIABLES='gin=1; open=0'`), and the source of a password is `env:NAME`, `file:PATH` or `command:pass,show,fics`.
- The variable `KIBITZER_PASSWORD` contains the password itself. It is used if there is a handle and no other password.
- An unknown key is an error with its line and the most similar key. Keys that begin with `x-` are ignored: a program may keep
  its own settings in the same file, in a table such as `[x-mybot]`.
- A `Client` ignores the keys of the last section. `from_profile` of `kibitzer_attach::Listener` and `AttachAccess` reads the last two.
- `--no-reconnect` on the command line sets `reconnect_attempts` to 0; `--guest` removes the password.

[config]: ../../../config
";

#[test]
fn every_setting_changes_the_profile_from_a_file_and_from_a_variable() {
    // As a file has them, without brackets and quotes; a source of a password has a colon.
    let plain = |value: &str| {
        let value = value.replace("{ command = ", "command:").replace(", open", "; open");
        value.replace(['[', ']', '"', '{', '}'], "").trim().to_owned()
    };
    let keys: BTreeSet<_> = all_settings().iter().map(|setting| setting.key).collect();
    assert_eq!(keys.len(), all_settings().len(), "no two settings have the same key");
    let default = Profile::new("x");
    for setting in all_settings() {
        let file = Config::new(setting.key, &example(&setting));
        let from_file = default.clone().file(&file.0).unwrap();
        assert_ne!(show(&from_file), show(&default), "{}", setting.key);
        // A prompt ends with a blank, which the variable keeps.
        let text = if setting.key == "prompt" { "> ".to_owned() } else { plain(setting.example) };
        let look_up = |name: &str| (name == variable_name_of(setting.key)).then(|| text.clone());
        let from_variable = default.clone().environment_from(look_up).unwrap();
        assert_eq!(show(&from_variable), show(&from_file), "{}", setting.key);
    }
}

#[test]
fn a_written_profile_is_the_same_when_it_is_read() {
    // A file with a URL has no host.
    let examples: String = all_settings().iter().filter(|setting| setting.key != "host").map(example).collect();
    let examples = examples.replace("\"Newton\"", "\"Newton\" # \\ ").replace("\"> \"", r#""\"\\\u0007> ""#);
    let profile = Profile::load(&Config::new("written", &examples).0).unwrap();
    let written = Config::new("written-again", &profile.to_toml());
    assert_eq!(show(&Profile::load(&written.0).unwrap()), show(&profile));
    for source in [PasswordSource::Variable("A".to_owned()), PasswordSource::File("b c".into())] {
        let profile = profile.clone().account_from("Newton".parse().unwrap(), source);
        let written = Config::new("written-source", &profile.to_toml());
        assert_eq!(show(&Profile::load(&written.0).unwrap()), show(&profile));
    }
}

#[test]
fn tables_of_other_programs_are_ignored() {
    let file = Config::new("foreign", "host = \"x\"\nx-mode = 1\n[x-mybot]\nhost = 7\n[[x-list]]\na = 1\n");
    assert_eq!(show(&Profile::load(&file.0).unwrap()), show(&Profile::new("x")));
}

#[test]
fn errors_in_a_file_name_key_and_line() {
    let cases = [
        ("an unknown key", "host = \"x\"\n\nprots = [1]\n", 3, "unknown key `prots`, did you mean `ports`?"),
        (
            "a missing letter",
            "request_timout_ms = 1\n",
            1,
            "unknown key `request_timout_ms`, did you mean `request_timeout_ms`?",
        ),
        ("an unlike key", "host = \"x\"\nzzz = 1\n", 2, "unknown key `zzz`"),
        (
            "an unknown table",
            "host = \"x\"\n[jq]\na = 1\n",
            2,
            "unknown table `jq`; tables of other programs begin with `x-`",
        ),
        (
            "a password",
            "host = \"x\"\npassword = \"swordfish\"\n",
            2,
            "unknown key `password`, did you mean `password_from`?",
        ),
        ("no TOML", "host = \"x\"\nports = [1\nfamily = \"fics\"\n", 3, ""),
        ("another type", "ports = \"5000\"\n", 1, "`ports` must be an array"),
        ("no port", "host = \"x\"\nports = []\n", 2, "`ports` must not be empty"),
        ("port 0", "host = \"x\"\nports = [5000, 0]\n", 2, "`ports` must be a whole number from 1 to 65535"),
        ("no host", "host = \"\"\n", 1, "`host` must not be empty"),
        (
            "no time",
            "host = \"x\"\nconnect_timeout_ms = 0\n",
            2,
            "`connect_timeout_ms` must be a whole number of at least 1",
        ),
        ("less than no time", "host = \"x\"\nsettle_ms = -1\n", 2, "`settle_ms` must be a whole number of at least 1"),
        ("half a time", "settle_ms = 1.5\n", 1, "`settle_ms` must be a whole number of at least 1"),
        ("too many attempts", "reconnect_attempts = 0x1_0000_0000\n", 1, "from 0 to 4294967295"),
        ("no such family", "\nfamily = \"kics\"\n", 2, "`family` "),
        ("no such ivar", "ivars = [\"block\", \"blok\"]\n", 1, "`ivars` "),
        ("a filter that is no text", "filters = { talk = 7 }\n", 1, "`filters` must be a string"),
        ("a variable of two lines", "[variables]\ngin = 1\n3 = \"a\\nb\"\n", 1, "`variables` 3: line break"),
        ("a variable without a value", "variables = { gin = \"\" }\n", 1, "`variables` gin: line is empty"),
        (
            "a variable of another type",
            "variables = { gin = [1] }\n",
            1,
            "`variables` gin: must be a string, a whole number or a boolean",
        ),
        ("no such choice", "adjourned_games = \"yes\"\n", 1, "`adjourned_games` "),
        ("no name", "handle = \"No Name\"\n", 1, "`handle` "),
        (
            "two sources",
            "password_from = { env = \"A\", file = \"b\" }\n",
            1,
            "`password_from` must be one of env, command and file",
        ),
        ("no access", "attach_access = \"all\"\n", 1, "`attach_access` must be read or write"),
        ("the key twice", "host = \"x\"\nhost = \"y\"\n", 2, "duplicate key"),
    ];
    for (name, text, want_line, want_reason) in cases {
        let config = Config::new("wrong", text);
        let error = Profile::load(&config.0).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("swordfish"), "{name}: {error:?}");
        assert!(error.to_string().contains(&config.0.display().to_string()), "{name}: {error}");
        let ConfigError::File { line, reason, .. } = &error else { panic!("{name}: {error:?}") };
        assert_eq!(*line, want_line, "{name}: {error}");
        assert!(reason.contains(want_reason), "{name}: {error}");
        assert!(!reason.contains('\n'), "{name}: {error}");
    }
}

#[test]
fn the_later_of_host_and_url_is_used_and_the_url_within_one_file() {
    let both = Config::new("both", "url = \"wss://web.example:1/ics\"\nhost = \"tcp.example\"\nports = [2]\n");
    let web = Profile::load(&both.0).unwrap();
    assert_eq!(web.host_name(), "web.example");
    assert!(!web.to_toml().contains("\nhost = "), "{}", web.to_toml());
    let tcp = web.clone().environment_from(environment(&[("KIBITZER_HOST", "later.example")])).unwrap();
    assert_eq!((tcp.host_name(), tcp.web_socket.url.as_ref()), ("later.example", None));
    assert_eq!(tcp.url("ws://[::1]:7").unwrap().host_name(), "::1");
    assert_eq!(web.host("x").host_name(), "x");
}

#[test]
fn an_invalid_url_is_an_error_with_the_line() {
    let config = Config::new("url", "\nurl = \"https://chess.example\"\n");
    let error = Profile::load(&config.0).unwrap_err();
    let ConfigError::File { line: 2, reason, .. } = &error else { panic!("{error:?}") };
    assert_eq!(reason, "`url` must begin with ws:// or wss://");
    let error = Profile::fics().url("wss://").unwrap_err();
    assert_eq!(error.to_string(), "wss://: the URL has no host");
}

#[tokio::test]
async fn connection_settings_that_cannot_be_used_are_an_error_of_the_start() {
    let start = async |profile: Profile| {
        let error = crate::Client::connect(profile).await.unwrap_err();
        assert!(matches!(error, crate::ConnectError::Transport(_)), "{error:?}");
        std::error::Error::source(&error).unwrap().to_string()
    };
    #[cfg(not(feature = "websocket"))]
    assert_eq!(
        start(Profile::fics_web()).await,
        "wss://www.freechess.org:5001 needs the feature `websocket` of the crate `kibitzer`, which is off"
    );
    #[cfg(feature = "websocket")]
    {
        let empty = Config::new("no-certificate", "no certificate\n");
        let missing = start(Profile::fics_web().ca_file("no/such/ca.pem")).await;
        assert!(missing.starts_with("no/such/ca.pem: No such file"), "{missing}");
        let reason = start(Profile::fics_web().ca_file(&empty.0)).await;
        assert_eq!(reason, format!("{}: no certificate in PEM format", empty.0.display()));
        assert_eq!(start(Profile::fics_web().origin("a\r\nHost: b")).await, "origin: not a valid header");
    }
}

#[test]
fn a_loaded_file_needs_a_host() {
    let config = Config::new("hostless", "ports = [4000]\n");
    assert!(matches!(Profile::load(&config.0), Err(ConfigError::NoHost { .. })));
    let profile = Profile::fics().file(&config.0).unwrap();
    assert_eq!((profile.host_name(), &profile.dialer.ports[..]), ("freechess.org", &[4000][..]));
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
    assert_eq!((ms(profile.dialer.connect_timeout), ms(profile.dialer.write_timeout)), (2, 3));
    assert_eq!((profile.session.requests, profile.host_name()), (RequestLimits::default().kept_events(1), "file"));
    assert_eq!(profile.session.timings, Timings::default());
}

#[tokio::test]
async fn variables_of_the_server_are_commands_of_every_login() {
    let config = Config::new("server-variables", "host = \"x\"\n[variables]\ngin = 1\nopen = true\n3 = \"a note\"\n");
    let profile = Profile::load(&config.0).unwrap();
    let lines = |profile: &Profile| -> Vec<_> { profile.variables.values().map(ToString::to_string).collect() };
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
    assert_eq!(
        (&profile.dialer.ports[..], &profile.session.ivars[..]),
        (&[5000, 23][..], &[Ivar::Block, Ivar::Ms][..])
    );
    let Some(PasswordSource::Command(words)) = profile.login.password else { panic!("{profile:?}") };
    assert_eq!(words, ["pass", "show", "fics"]);
    let filters: Vec<_> = profile.program.filters.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    assert_eq!(filters, [("mine", "game:7 \"a = b\""), ("talk", "kind:tell,say")]);
}

#[test]
fn an_empty_variable_is_an_empty_list() {
    let profile = Profile::fics().environment_from(environment(&[("KIBITZER_IVARS", "")])).unwrap();
    assert!(!Profile::fics().session.ivars.is_empty() && profile.session.ivars.is_empty());
}

#[test]
fn errors_in_the_environment_name_the_variable() {
    let cases = [
        ("KIBITZER_PORTS", "", "must not be empty"),
        ("KIBITZER_REDACT_EVENTS", "yes", "must be true or false"),
        ("KIBITZER_CONNECT_TIMEOUT_MS", "soon", "must be a whole number of at least 1"),
        ("KIBITZER_CONNECT_TIMEOUT_MS", "0", "must be a whole number of at least 1"),
        ("KIBITZER_PORTS", "5000,70000", "from 1 to 65535"),
        ("KIBITZER_HOST", "", "must not be empty"),
        ("KIBITZER_TIMESEAL", "3", "none of off, 1, 2 and auto"),
        ("KIBITZER_TIMESEAL", "auto:2", "none of off, 1, 2 and auto"),
        ("KIBITZER_IVARS", "block,blok", ""),
        ("KIBITZER_FILTERS", "kind:tell", "must be pairs `name=value`"),
        ("KIBITZER_PASSWORD_FROM", "file", "env, command and file"),
    ];
    for (name, value, want) in cases {
        let error = Profile::fics().environment_from(environment(&[(name, value)])).unwrap_err();
        let ConfigError::Variable { name: named, reason } = &error else { panic!("{error:?}") };
        assert_eq!(named, name);
        assert!(reason.contains(want), "{error}");
    }
}

#[test]
fn the_password_variable_is_used_with_a_handle_and_no_other_password() {
    let password = ("KIBITZER_PASSWORD", "swordfish");
    let guest = Profile::fics().environment_from(environment(&[password])).unwrap();
    assert!(guest.login.password.is_none());
    let account = Profile::fics().environment_from(environment(&[password, ("KIBITZER_HANDLE", "Newton")])).unwrap();
    let Some(PasswordSource::Variable(name)) = &account.login.password else { panic!("{account:?}") };
    assert_eq!(name, "KIBITZER_PASSWORD");
    assert!(!show(&account).contains("swordfish"));
    let file = PasswordSource::File("secret".into());
    let profile = Profile::fics().account_from("Newton".parse().unwrap(), file.clone());
    let profile = profile.environment_from(environment(&[password])).unwrap();
    assert!(matches!(profile.login.password, Some(source) if source == file));
}

#[test]
fn the_password_of_one_account_is_not_used_for_another() {
    let file = Config::new("account", "host = \"x\"\nhandle = \"Newton\"\npassword_from = { file = \"newton\" }\n");
    let profile = Profile::load(&file.0).unwrap();
    let secret_for = |handle: &str, more: &[(&str, &str)]| {
        let variables = [&[("KIBITZER_HANDLE", handle)], more].concat();
        profile.clone().environment_from(environment(&variables)).unwrap().login.password
    };
    let is_file = |secret| matches!(secret, Some(PasswordSource::File(_)));
    let is_variable = |secret| matches!(secret, Some(PasswordSource::Variable(_)));
    assert!(is_file(profile.clone().environment_from(|_| None).unwrap().login.password));
    assert!(is_file(secret_for("newton", &[])), "the same account");
    assert!(secret_for("Euler", &[]).is_none());
    assert!(is_variable(secret_for("Euler", &[("KIBITZER_PASSWORD", "swordfish")])));
    assert!(is_variable(secret_for("Euler", &[("KIBITZER_PASSWORD_FROM", "env:EULER")])));
    let later = Config::new("other-account", "handle = \"Euler\"\n");
    assert!(profile.file(&later.0).unwrap().login.password.is_none());
    let source = Config::new("source", "host = \"x\"\npassword_from = { file = \"any\" }\n");
    let profile = Profile::load(&source.0).unwrap();
    assert!(is_file(profile.file(&later.0).unwrap().login.password), "a source without an account");
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
async fn credentials_are_resolved_when_the_session_starts() {
    let handle: Handle = "Newton".parse().unwrap();
    let password = Password::new("swordfish").unwrap();
    let credentials = async |profile: Profile| profile.login.fetch_credentials().await;
    assert_eq!(credentials(Profile::fics()).await.unwrap(), Credentials::Guest);
    let named = credentials(Profile::fics().guest_as(handle.clone())).await.unwrap();
    assert_eq!(named, Credentials::NamedGuest(handle.clone()));
    let account = credentials(Profile::fics().account(handle.clone(), password.clone())).await.unwrap();
    assert_eq!(account, Credentials::account(handle.clone(), password));
    let mut homeless = Profile::fics().account_from(handle, PasswordSource::Variable("X".to_owned()));
    homeless.login.handle = None;
    assert_eq!(credentials(homeless).await.unwrap_err().to_string(), "a password, but no handle");
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

#[test]
fn table_of_a_file_is_a_profile_and_its_errors_have_the_line_of_the_file() {
    let text = "[server]\nhost = \"one.example\"\n[[account]]\nhandle = \"Newton\"\n[[account]]\nhost = \"two.example\"\nhots = 1\n";
    let file = Config::new("table", text);
    let load = |keys: &[&str]| Profile::fics().file_table(&file.0, keys);
    assert_eq!(load(&["server"]).unwrap().host_name(), "one.example");
    assert!(show(&load(&["account", "0"]).unwrap()).contains("Newton"));
    let unknown = load(&["account", "1"]).unwrap_err();
    assert!(matches!(&unknown, ConfigError::File { line: 7, .. }), "{unknown}");
    for keys in [&["servers"][..], &["account", "2"], &["account", "x"], &["server", "host"], &["server", "host", "0"]]
    {
        assert!(load(keys).unwrap_err().to_string().contains("is missing"), "{keys:?}");
    }
}
