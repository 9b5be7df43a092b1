//! Faults of the embedded server as text: `--fault`, the control socket, and `/fault` of the console.

use std::fmt;
use std::str::FromStr;

use kibitzer_core::hub::RecvError;
use kibitzer_server::{ConnectionTarget, Fault, FaultParseError, FaultPoint, FiredFault, ServerControl};

use crate::arguments::unknown_word_message;

/// The long help of `--fault`.
pub(crate) const HELP: &str = "\
Let something go wrong with the next connection; may be given again. FAULT is one of
  split=N, split-randomly=N   writes of N bytes, or of 1 to N
  delay=TIME                  everything arrives that much later
  stall                       the connection stays, and nothing is read or written any more
  cut, reset                  the connection ends in the middle of a line
  garbage=N, over-long=N      a line of N random bytes, or of N letters, in between
  refuse=WHY                  the login is refused: bad-name, registered, in-use, banned, guests, password, full, silence
                              (at connect, login or now only)
  kick, kick-by-admin         once logged in, thrown out by a second login, or by an administrator
  shutdown                    everybody is thrown out
and POINT, if it is not the start of the connection (connect), one of
  login, setup                when a name is asked for, or the login is done (setup: not with --family icc)
  next-board, in-block        in the next board, or in the next reply in block mode (in-block: not with --family icc)
  after=N                     at byte N of the connection
  now                         at the next line";

/// Names of the faults, for completion and suggestions. A number or duration follows those that end in `=`.
pub(crate) const FAULTS: [&str; 19] = [
    "split=",
    "split-randomly=",
    "delay=",
    "stall",
    "cut",
    "reset",
    "garbage=",
    "over-long=",
    "refuse=bad-name",
    "refuse=registered",
    "refuse=in-use",
    "refuse=banned",
    "refuse=guests",
    "refuse=password",
    "refuse=full",
    "refuse=silence",
    "kick",
    "kick-by-admin",
    "shutdown",
];

/// Points of a connection by name. A number follows the one that ends in `=`.
const POINTS: [&str; 7] = ["connect", "login", "setup", "next-board", "in-block", "after=", "now"];

/// A fault, and the point of the connection at which it takes effect. Parsed from and displayed as `FAULT@POINT`; a text without
/// a point means the start of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScheduledFault {
    pub(crate) fault: Fault,
    pub(crate) at: FaultPoint,
}

impl FromStr for ScheduledFault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (fault, point) = text.split_once('@').unwrap_or((text, "connect"));
        let scheduled = point.parse().and_then(|at| Ok(Self { fault: fault.parse()?, at }));
        scheduled.map_err(|error| parse_error_message(&error))
    }
}

impl fmt::Display for ScheduledFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.fault {
            Fault::Split(n) | Fault::SplitRandomly(n) | Fault::Garbage(n) | Fault::OverLong(n) => {
                write!(f, "{}={n}", self.fault.as_ref())
            }
            Fault::Delay(delay) => write!(f, "delay={}ms", delay.as_millis()),
            Fault::Refuse(why) => write!(f, "refuse={}", why.as_ref()),
            other => f.write_str(other.as_ref()),
        }?;
        match self.at {
            FaultPoint::After(n) => write!(f, "@after={n}"),
            at => write!(f, "@{}", at.as_ref()),
        }
    }
}

/// A request to inject a fault into a running server, parsed from `FAULT[@POINT] [#N|NAME|next]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FaultRequest {
    fault: ScheduledFault,
    /// Connection that the fault is for; `None` if the request names none.
    target: Option<ConnectionTarget>,
}

impl FromStr for FaultRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let fault = words.next().ok_or("a fault is missing, such as cut@next-board")?.parse()?;
        let target = words.next().map(|word| match (word, word.strip_prefix('#')) {
            ("next", _) => Ok(ConnectionTarget::Next),
            (_, Some(number)) => {
                number.parse().map(ConnectionTarget::Connection).map_err(|_| "a number is missing after #")
            }
            (name, None) => Ok(ConnectionTarget::Player(name.to_owned())),
        });
        if let Some(word) = words.next() {
            return Err(format!("nothing is expected at {word:?}: FAULT[@POINT] [#N|NAME|next]"));
        }
        Ok(Self { fault, target: target.transpose()? })
    }
}

impl FaultRequest {
    /// Schedules the fault on the requested connection, or on `default_target` if the request names none. Returns a confirmation
    /// in one line, for people.
    ///
    /// # Errors
    ///
    /// A message for people if there is no such connection, or the fault cannot take effect at its point.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the fault may or may not be injected.
    pub(crate) async fn inject(
        self,
        control: &ServerControl,
        default_target: ConnectionTarget,
    ) -> Result<String, String> {
        let target = self.target.unwrap_or(default_target);
        let place = match &target {
            ConnectionTarget::Connection(number) => format!("connection #{number}"),
            ConnectionTarget::Player(name) => format!("the connection of {name}"),
            _ => "the next connection".to_owned(),
        };
        let injected = control.inject(target, self.fault.at, self.fault.fault).await;
        injected.map(|()| format!("{} is set for {place}", self.fault)).map_err(|error| format!("{place}: {error}"))
    }
}

/// Returns a line that reports that a fault took effect, with the connection and its byte, or how many such lines are missing;
/// `None` once the server has shut down.
pub(crate) fn fired_fault_text(fired: Result<FiredFault, RecvError>) -> Option<String> {
    match fired {
        Ok(FiredFault { fault, at, connection, byte, .. }) => {
            let fault = ScheduledFault { fault, at };
            Some(format!("fault {fault} took effect on connection #{connection} at byte {byte}"))
        }
        Err(RecvError::Lagged { missed }) => Some(format!("missed {missed} faults")),
        Err(_) => None,
    }
}

/// Returns all faults, or if `word` contains `@`, its fault with every point. The caller selects those that begin with `word`.
pub(crate) fn fault_completions(word: &str) -> Vec<String> {
    if let Some((fault, _)) = word.split_once('@') {
        return POINTS.map(|point| format!("{fault}@{point}")).to_vec();
    }
    FAULTS.iter().map(|name| (*name).to_owned()).collect()
}

/// Returns the message for a text that is not a fault or point; for an unknown name, with the most similar one.
fn parse_error_message(error: &FaultParseError) -> String {
    match error {
        FaultParseError::UnknownFault(name) => {
            let names = FAULTS.iter().map(|fault| fault.split_once('=').map_or(*fault, |(name, _)| name));
            unknown_word_message("fault", name, names)
        }
        FaultParseError::UnknownRefusal(why) => {
            unknown_word_message("refusal", why, FAULTS.iter().filter_map(|fault| fault.strip_prefix("refuse=")))
        }
        FaultParseError::UnknownPoint(name) => unknown_word_message("point", name, POINTS.into_iter()),
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests;
