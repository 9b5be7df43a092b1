//! The list of all settings: the only place that names a setting of this crate.
//!
//! Each entry is a key of a profile's file, an environment variable, a line of [`Profile::to_toml`] and a row of
//! `docs/settings.md` of this crate, which the tests write together with `config/*.toml` (`KIBITZER_BLESS=1`). The numeric options of
//! `kibitzer-core` describe themselves.

use std::fmt::Write as _;

use super::Profile;
use super::values::{RawValue, SettingError, SettingValue, with_digit_groups};
use kibitzer_core::game::GameLimits;
use kibitzer_core::options::NumericOption;
use kibitzer_core::session::{Reconnect, RequestLimits, Timings};
use kibitzer_core::wire::Limits;

/// A setting of a profile.
pub(super) struct Setting {
    /// Key in files; in upper case after `KIBITZER_`, the environment variable.
    pub(super) key: &'static str,
    /// Documentation, line by line.
    pub(super) doc: Vec<String>,
    /// A value as it is written in a file, other than the default.
    pub(super) example: &'static str,
    /// Changes this setting of a profile. An error is the rest of a sentence that begins with the key.
    pub(super) apply: Apply,
    /// Returns the value in a profile as TOML; `None` if it is not set.
    pub(super) to_toml: ToToml,
}

type Apply = Box<dyn Fn(&mut Profile, RawValue<'_>) -> Result<(), SettingError>>;
type ToToml = Box<dyn Fn(&Profile) -> Option<String>>;

impl Setting {
    /// Creates the setting of a field of the profile, which has the form in files of its type.
    fn new<T: SettingValue + 'static>(
        key: &'static str,
        example: &'static str,
        doc: &[&str],
        field: fn(&mut Profile) -> &mut T,
    ) -> Self {
        Self {
            key,
            doc: doc.iter().map(|line| line.trim().to_owned()).collect(),
            example,
            apply: Box::new(move |profile, value| {
                *field(profile) = T::parse(value)?;
                Ok(())
            }),
            to_toml: Box::new(move |profile| field(&mut profile.clone()).to_toml()),
        }
    }

    /// Creates the setting of a numeric option in a group of options of the profile.
    fn number<G>(option: &'static NumericOption<G>, group: fn(&mut Profile) -> &mut G) -> Self {
        let sentence = |line: &&str| line.trim().replacen("Sets the ", "The ", 1).replacen("Sets how", "How", 1);
        Self {
            key: option.key,
            doc: option.doc.iter().take_while(|line| !line.is_empty()).map(sentence).collect(),
            example: "7",
            apply: Box::new(move |profile, value| {
                (option.set)(group(profile), value.parse_number(&option.range)?);
                Ok(())
            }),
            to_toml: Box::new(move |profile| (option.get)(group(&mut profile.clone())).map(with_digit_groups)),
        }
    }

    /// Creates the settings of all numeric options of a group.
    fn numbers<G>(options: &'static [NumericOption<G>], group: fn(&mut Profile) -> &mut G) -> Vec<Self> {
        options.iter().map(|option| Self::number(option, group)).collect()
    }

    /// Adds the rules of the host to its setting: an empty text is an error, a host replaces the URL, and [`Profile::to_toml`]
    /// writes the key as a comment if there is a URL.
    fn with_host_rules(mut self) -> Self {
        self.apply = Box::new(|profile, value| match value.parse_text()? {
            "" => Err(SettingError::Empty),
            host => {
                host.clone_into(&mut profile.dialer.host);
                profile.web_socket.url = None;
                Ok(())
            }
        });
        self.to_toml = Box::new(|profile| profile.dialer.host.to_toml().filter(|_| profile.web_socket.url.is_none()));
        self
    }

    /// Makes [`Profile::to_toml`] write the key as a comment while it has the default value.
    fn with_default_commented_out(mut self) -> Self {
        let default = (self.to_toml)(&Profile::new(""));
        let to_toml = self.to_toml;
        self.to_toml = Box::new(move |profile| to_toml(profile).filter(|value| Some(value) != default.as_ref()));
        self
    }
}

impl Profile {
    /// Returns the profile as a commented file with every setting, for [`load`](Self::load).
    ///
    /// Settings without a value are comments with an example. Left out: a password that is not fetched from a source,
    /// [`dial`](Self::dial), and everything else that is no setting of a file.
    ///
    /// ```
    /// use kibitzer::Profile;
    ///
    /// let file = Profile::fics().to_toml();
    /// assert!(file.contains("\nhost = \"freechess.org\"\n"));
    /// ```
    pub fn to_toml(&self) -> String {
        let mut file = String::new();
        for (title, settings) in settings_by_section() {
            let _ = writeln!(file, "# --- {title} {}\n", "-".repeat(113_usize.saturating_sub(title.len())));
            for setting in settings {
                let key = setting.key;
                for line in &setting.doc {
                    let _ = writeln!(file, "# {line}");
                }
                let _ = match (setting.to_toml)(self) {
                    Some(value) => writeln!(file, "{key} = {value}\n"),
                    None => writeln!(file, "# {key} = {}\n", setting.example),
                };
            }
        }
        file
    }
}

/// Returns all settings.
pub(super) fn all_settings() -> Vec<Setting> {
    settings_by_section().into_iter().flat_map(|(_, settings)| settings).collect()
}

/// Returns all settings by section.
pub(super) fn settings_by_section() -> [(&'static str, Vec<Setting>); 8] {
    [
        ("Server", server_section()),
        ("Login", login_section()),
        ("Features", feature_section()),
        ("Timeouts", Setting::numbers(Timings::OPTIONS, |profile| &mut profile.session.timings)),
        ("Reconnecting", Setting::numbers(Reconnect::OPTIONS, |profile| &mut profile.session.reconnect)),
        ("Limits", limit_section()),
        ("Recording", recording_section()),
        ("The program kibitzer", program_section()),
    ]
}

/// Makes a list of settings. An entry reads: documentation, key, example, field, and a method of [`Setting`] that changes it.
macro_rules! settings {
    ($($(#[doc = $doc:literal])+ $key:literal = $example:literal, $field:expr $(, $modifier:ident)?;)+) => {
        vec![$(Setting::new($key, $example, &[$($doc),+], $field)$(.$modifier())?),+]
    };
}

fn server_section() -> Vec<Setting> {
    settings! {
        /// Host name, or IPv4 or IPv6 address. All addresses are tried with the first port, then with the next.
        /// On the command line: HOST.
        "host" = r#""chess.example""#, |profile| &mut profile.dialer.host, with_host_rules;
        /// TCP ports, in the order in which they are tried. Not used with a URL. On the command line: HOST:PORT.
        "ports" = "[4000]", |profile| &mut profile.dialer.ports;
        /// URL of a server that is reached over WebSocket, used in place of host and ports: wss://HOST:PORT with TLS, or ws://HOST:PORT
        /// without, for servers on this machine or in a private network. Programs need the feature `websocket` of the library; kibitzer
        /// has it. On the command line: URL.
        "url" = r#""wss://www.freechess.org:5001""#, |profile| &mut profile.web_socket.url;
        /// The `Origin` header of the handshake of a WebSocket; empty: none.
        "origin" = r#""https://chess.example""#, |profile| &mut profile.web_socket.origin;
        /// PEM file with certificates of authorities, for the URL of a private server: the server's certificate may be issued by one of
        /// them or by a public authority. Certificate and host name are always checked.
        "ca_file" = r#""ca.pem""#, |profile| &mut profile.web_socket.ca_file;
        /// The timeout of the name lookup, and of each connection attempt, with the handshakes of TLS and WebSocket. A server that is
        /// silent for a fifth of it is connected to again, for three times as long; the connection on which it first sends something is used.
        "connect_timeout_ms" = "7", |profile| &mut profile.dialer.connect_timeout;
        /// What follows if the first connection or login fails: fail, or retry, as after a lost connection, for programs that may start
        /// before the server does. A wrong name or password is not tried again. The default of bots is retry.
        "first_connect" = r#""retry""#, |profile| &mut profile.session.first_connect;
        /// How long the server may accept no bytes before the connection is closed.
        "write_timeout_ms" = "7", |profile| &mut profile.dialer.write_timeout;
    }
}

fn login_section() -> Vec<Setting> {
    settings! {
        /// Name of the account; without a password, of the guest. Without this key: a guest with a name chosen by the server.
        /// On the command line: --user; with --guest, a guest.
        "handle" = r#""Newton""#, |profile| &mut profile.login.handle;
        /// Source of the password, which is never in this file: { env = "NAME" }, the first line that a { command = [..] }
        /// prints, or of a { file = "PATH" } of yours with mode 0600. Without this key, an account uses the variable
        /// KIBITZER_PASSWORD if it is set. On the command line: --password-command or --password-file.
        /// A file, or the environment, that names another handle needs its own password.
        "password_from" = r#"{ command = ["pass", "show", "fics"] }"#, |profile| &mut profile.login.password;
    }
}

fn feature_section() -> Vec<Setting> {
    settings! {
        /// Protocol family: fics, icc, or auto, which detects it.
        "family" = r#""fics""#, |profile| &mut profile.session.family;
        /// Character set of the server, beside its entities: latin-1, utf-8, or auto, which receives valid sequences of UTF-8 as such,
        /// and sends UTF-8 if the server's greeting has some.
        "encoding" = r#""utf-8""#, |profile| &mut profile.session.encoding;
        /// Version of timeseal: off, 1, 2, or auto: 2 if the server supports it, otherwise 1, otherwise none.
        "timeseal" = r#""2""#, |profile| &mut profile.session.timeseal;
        /// Features requested from the server for this session, by their FICS names; those that it does not offer are skipped.
        /// On ICC, gameinfo, ms, seekinfo and compressmove switch on the equivalent datagrams; the others have no effect.
        "ivars" = r#"["block", "seekinfo"]"#, |profile| &mut profile.session.ivars;
        /// Name of the client shown to other players; empty: none. Without this key: kibitzer and its version.
        "interface" = r#""my bot""#, |profile| &mut profile.session.interface, with_default_commented_out;
        /// The account's custom prompt, including its trailing blank; empty: detected at the login.
        "prompt" = r#""> ""#, |profile| &mut profile.session.prompt;
        /// Variables of the server, set after every login; or a table `[variables]` at the end of the file.
        "variables" = "{ gin = 1, open = 0 }", |profile| &mut profile.variables;
        /// Adjourned games of the account, which are listed after the login: report, or resume, which challenges each opponent who
        /// is logged in, or logs in later, to go on.
        "adjourned_games" = r#""resume""#, |profile| &mut profile.session.adjourned;
    }
}

fn limit_section() -> Vec<Setting> {
    let mut limits = Setting::numbers(RequestLimits::OPTIONS, |profile| &mut profile.session.requests);
    limits.extend(Setting::numbers(GameLimits::OPTIONS, |profile| &mut profile.session.game_limits));
    limits.extend(Setting::numbers(Limits::OPTIONS, |profile| &mut profile.session.limits));
    limits
}

fn recording_section() -> Vec<Setting> {
    settings! {
        /// A recording of the session, in a new file. Names and passwords of the login are left out.
        /// On the command line: --record.
        "record_file" = r#""session.jsonl""#, |profile| &mut profile.record_file;
        /// Whether recently sent passwords are also redacted in the events and replies that a program receives, when the server echoes them.
        /// Recordings, logs and attached programs contain neither lines of the login or of commands with a password, nor such an echo.
        /// A password that is typed in talk is not recognized.
        "redact_events" = "true", |profile| &mut profile.redacts_events;
    }
}

fn program_section() -> Vec<Setting> {
    settings! {
        /// Named filters of the console: `/filter talk`.
        "filters" = r#"{ talk = "kind:tell,say,channel_tell" }"#, |profile| &mut profile.program.filters;
        /// A new Unix socket that exposes the session to other programs of the same user, such as `kibitzer console`.
        /// On the command line: --attach-socket.
        "attach_socket" = r#""bot.sock""#, |profile| &mut profile.program.attach_socket;
        /// Access of those programs: read, or write to allow sending lines too. On the command line: --attach-write.
        "attach_access" = r#""write""#, |profile| &mut profile.program.attach_access;
    }
}
