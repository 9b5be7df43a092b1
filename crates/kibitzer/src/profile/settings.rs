//! The keys of a profile's file.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::num::{NonZeroU16, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer, de};

use super::{Profile, Secret};
use crate::attach::AttachAccess;
use crate::core::game::GameLimits;
use crate::core::hub::HubOptions;
use crate::core::message::{Family, Handle, Ivar};
use crate::core::session::{AdjournedGames, Command, Reconnect, RequestLimits, TimesealChoice, Timings};
use crate::core::wire::Limits;
use crate::password::PasswordSource;

/// What a file or the environment says. A key that is not there changes nothing.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    host: Option<NonEmpty<String>>,
    ports: Option<NonEmpty<Vec<NonZeroU16>>>,
    connect_timeout_ms: Option<Wait>,
    write_timeout_ms: Option<Wait>,
    handle: Option<Parsed<Handle>>,
    #[serde(default, deserialize_with = "source_of_password")]
    password_from: Option<PasswordSource>,
    family: Option<Parsed<Family>>,
    timeseal: Option<Parsed<TimesealChoice>>,
    ivars: Option<Vec<Parsed<Ivar>>>,
    interface: Option<String>,
    prompt: Option<String>,
    variables: Option<Variables>,
    adjourned_games: Option<Parsed<AdjournedGames>>,
    greeting_timeout_ms: Option<Wait>,
    login_step_timeout_ms: Option<Wait>,
    queue_timeout_ms: Option<Wait>,
    settle_ms: Option<Wait>,
    set_up_timeout_ms: Option<Wait>,
    request_timeout_ms: Option<Wait>,
    probe_after_ms: Option<Wait>,
    probe_timeout_ms: Option<Wait>,
    keep_alive_ms: Option<Wait>,
    quit_timeout_ms: Option<Wait>,
    reconnect_base_ms: Option<Wait>,
    reconnect_cap_ms: Option<Wait>,
    reconnect_attempts: Option<u32>,
    reconnect_stable_ms: Option<Wait>,
    queued_requests: Option<NonZeroUsize>,
    requests_in_flight: Option<NonZeroUsize>,
    reply_events: Option<NonZeroUsize>,
    reply_bytes: Option<NonZeroUsize>,
    kept_events: Option<NonZeroUsize>,
    kept_games: Option<NonZeroUsize>,
    kept_moves: Option<NonZeroUsize>,
    line_bytes: Option<NonZeroUsize>,
    wrapped_line_bytes: Option<NonZeroUsize>,
    block_bytes: Option<NonZeroU64>,
    datagram_bytes: Option<NonZeroUsize>,
    record_file: Option<PathBuf>,
    filters: Option<BTreeMap<String, String>>,
    attach_socket: Option<PathBuf>,
    attach_access: Option<AttachAccess>,
}

/// A source that is none may be the password itself, so the error does not repeat it.
fn source_of_password<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PasswordSource>, D::Error> {
    let unshown = |_| de::Error::custom("password_from takes one of env, command and file");
    PasswordSource::deserialize(deserializer).map(Some).map_err(unshown)
}

impl Settings {
    /// Changes what is set, and leaves the rest as it is.
    pub(super) fn apply(self, profile: &mut Profile) {
        put(&mut profile.host, self.host.map(|NonEmpty(host)| host));
        put(
            &mut profile.ports,
            self.ports.map(|NonEmpty(ports)| ports.into_iter().map(NonZeroU16::get).collect::<Vec<_>>()),
        );
        put(&mut profile.connect_timeout, self.connect_timeout_ms);
        put(&mut profile.write_timeout, self.write_timeout_ms);
        put(&mut profile.family, self.family.map(|Parsed(family)| family));
        put(&mut profile.timeseal, self.timeseal.map(|Parsed(choice)| choice));
        put(&mut profile.ivars, self.ivars.map(|ivars| ivars.into_iter().map(|Parsed(ivar)| ivar).collect::<Vec<_>>()));
        put(&mut profile.interface, self.interface);
        put(&mut profile.prompt, self.prompt);
        put(&mut profile.variables, self.variables.map(|Variables(variables)| variables));
        put(&mut profile.adjourned_games, self.adjourned_games.map(|Parsed(choice)| choice));
        put(&mut profile.record_file, self.record_file.map(Some));
        put(&mut profile.filters, self.filters);
        put(&mut profile.attach_socket, self.attach_socket.map(Some));
        put(&mut profile.attach_access, self.attach_access);
        if let Some(Parsed(handle)) = self.handle {
            profile.login.handle = Some(handle);
        }
        put(&mut profile.login.secret, self.password_from.map(|source| Some(Secret::Source(source))));

        let timings = &mut profile.timings;
        set(timings, self.greeting_timeout_ms, Timings::greeting);
        set(timings, self.login_step_timeout_ms, Timings::login_step);
        set(timings, self.queue_timeout_ms, Timings::queue);
        set(timings, self.settle_ms, Timings::settle);
        set(timings, self.set_up_timeout_ms, Timings::set_up);
        set(timings, self.request_timeout_ms, Timings::request);
        set(timings, self.probe_after_ms, Timings::probe_after);
        set(timings, self.probe_timeout_ms, Timings::probe_timeout);
        set(timings, self.keep_alive_ms, Timings::keep_alive);
        set(timings, self.quit_timeout_ms, Timings::quit);

        let reconnect = &mut profile.reconnect;
        set(reconnect, self.reconnect_base_ms, Reconnect::base);
        set(reconnect, self.reconnect_cap_ms, Reconnect::cap);
        set(reconnect, self.reconnect_attempts.map(Some), Reconnect::attempts);
        set(reconnect, self.reconnect_stable_ms, Reconnect::stable_after);

        let requests = &mut profile.requests;
        set(requests, self.queued_requests, RequestLimits::queued);
        set(requests, self.requests_in_flight, RequestLimits::in_flight);
        set(requests, self.reply_events, RequestLimits::reply_events);
        set(requests, self.reply_bytes, RequestLimits::reply_bytes);

        set(&mut profile.hub, self.kept_events, HubOptions::kept_events);
        set(&mut profile.game_limits, self.kept_games, GameLimits::games);
        set(&mut profile.game_limits, self.kept_moves, GameLimits::moves);
        let limits = &mut profile.limits;
        set(limits, self.line_bytes, Limits::line_bytes);
        set(limits, self.wrapped_line_bytes, Limits::wrapped_line_bytes);
        set(limits, self.block_bytes, Limits::block_bytes);
        set(limits, self.datagram_bytes, Limits::datagram_bytes);
    }
}

fn put<T>(place: &mut T, value: Option<impl Into<T>>) {
    if let Some(value) = value {
        *place = value.into();
    }
}

fn set<T: Copy, V>(options: &mut T, value: Option<impl Into<V>>, setter: impl FnOnce(T, V) -> T) {
    if let Some(value) = value {
        *options = setter(*options, value.into());
    }
}

/// How long to wait, in milliseconds; not 0.
#[derive(Debug, Deserialize)]
struct Wait(NonZeroU64);

impl From<Wait> for Duration {
    fn from(Wait(ms): Wait) -> Self {
        Self::from_millis(ms.get())
    }
}

/// What a key may not leave empty.
#[derive(Debug)]
struct NonEmpty<T>(T);

impl<'de, T: Deserialize<'de> + Default + PartialEq> Deserialize<'de> for NonEmpty<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = T::deserialize(deserializer)?;
        if value == T::default() {
            return Err(de::Error::custom("must not be empty"));
        }
        Ok(Self(value))
    }
}

/// What is typed as a text.
#[derive(Debug)]
struct Parsed<T>(T);

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for Parsed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map(Self).map_err(de::Error::custom)
    }
}

/// Variables of the server: the command that sets each, by its name.
#[derive(Debug)]
struct Variables(BTreeMap<String, Command>);

/// The value of a variable. Servers take 1 and 0 for on and off.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "a variable's value is a text, a whole number or a bool")]
enum VariableValue {
    Text(String),
    Number(i64),
    Switch(bool),
}

impl<'de> Deserialize<'de> for Variables {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let values = BTreeMap::<String, VariableValue>::deserialize(deserializer)?;
        let command = |(name, value): (String, VariableValue)| {
            let value = match value {
                VariableValue::Text(text) => text,
                VariableValue::Number(number) => number.to_string(),
                VariableValue::Switch(is_on) => u8::from(is_on).to_string(),
            };
            let command = Command::with_text(&format!("set {name}"), &value);
            Ok((name.clone(), command.map_err(|error| de::Error::custom(format_args!("variable {name}: {error}")))?))
        };
        values.into_iter().map(command).collect::<Result<_, _>>().map(Self)
    }
}
