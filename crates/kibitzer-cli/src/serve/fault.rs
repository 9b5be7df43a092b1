//! Parsing of `--fault`.

use std::str::FromStr;

use kibitzer_server::{Fault, FaultPoint, LoginObstacle};

use crate::arguments::{parse_duration, unknown};

/// The long help of `--fault`.
pub(super) const HELP: &str = "\
Let something go wrong with the next connection; may be given again. FAULT is one of
  split=N, split-randomly=N   writes of N bytes, or of 1 to N
  delay=TIME                  everything arrives that much later
  stall                       the connection stays, and nothing is read or written any more
  cut, reset                  the connection ends in the middle of a line
  garbage=N, over-long=N      a line of N random bytes, or of N letters, in between
  refuse=WHY                  the login is refused: bad-name, registered, in-use, banned, guests, password, full, silence
                              (at connect, login or now only)
  kick, shutdown              thrown out by a second login once logged in, or with everybody
and POINT, if it is not the start of the connection (connect), one of
  login, setup                when a name is asked for, or the login is done (setup: not with --family icc)
  next-board, in-block        in the next board, or in the next reply in block mode (in-block: not with --family icc)
  after=N                     at byte N of the connection
  now                         at the next line";

/// The faults, for completion and suggestions; a value follows each `=` at the end.
pub(super) const FAULTS: [&str; 18] = [
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
    "shutdown",
];

/// The points at which a fault can happen.
const POINTS: [&str; 7] = ["connect", "login", "setup", "next-board", "in-block", "now", "after=1"];

/// A fault, and the point of the connection at which it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScheduledFault {
    pub(super) fault: Fault,
    pub(super) at: FaultPoint,
}

impl FromStr for ScheduledFault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (fault, at) = match text.split_once('@') {
            Some((fault, point)) => {
                (fault, parse_point(point).ok_or_else(|| unknown("point", point, POINTS.into_iter()))?)
            }
            None => (text, FaultPoint::Connect),
        };
        Ok(Self { fault: parse_fault(fault)?, at })
    }
}

/// Parses a fault with its number: `split=10`.
fn parse_fault(text: &str) -> Result<Fault, String> {
    const NUMBER: &str = "a number is missing after =";
    let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
    let number = || value.and_then(|value| value.parse::<usize>().ok()).ok_or_else(|| NUMBER.to_owned());
    match (name, value) {
        ("split", _) => number().map(Fault::SplitWrites),
        ("split-randomly", _) => number().map(Fault::SplitRandomly),
        ("garbage", _) => number().map(Fault::Garbage),
        ("over-long", _) => number().map(Fault::OverLongLine),
        ("delay", value) => parse_duration(value.unwrap_or_default()).map(Fault::Delay).map_err(str::to_owned),
        ("refuse", Some(why)) => {
            let unknown = || unknown("refusal", why, FAULTS.iter().filter_map(|fault| fault.strip_prefix("refuse=")));
            parse_refusal(why).map(Fault::RefuseLogin).ok_or_else(unknown)
        }
        ("stall", None) => Ok(Fault::Stall),
        ("cut", None) => Ok(Fault::CutMidLine),
        ("reset", None) => Ok(Fault::Reset),
        ("kick", None) => Ok(Fault::Kick),
        ("shutdown", None) => Ok(Fault::Shutdown),
        _ => Err(unknown(
            "fault",
            name,
            FAULTS.iter().map(|fault| fault.split_once('=').map_or(*fault, |(name, _)| name)),
        )),
    }
}

/// Parses the point of the connection at which a fault happens; `None` if there is no such point.
fn parse_point(text: &str) -> Option<FaultPoint> {
    Some(match text {
        "connect" => FaultPoint::Connect,
        "login" => FaultPoint::Login,
        "setup" => FaultPoint::Setup,
        "next-board" => FaultPoint::NextBoard,
        "in-block" => FaultPoint::InBlock,
        "now" => FaultPoint::Now,
        _ => FaultPoint::AfterBytes(text.strip_prefix("after=")?.parse().ok()?),
    })
}

/// Parses the reason of a refused login; `None` if there is no such reason.
fn parse_refusal(text: &str) -> Option<LoginObstacle> {
    Some(match text {
        "bad-name" => LoginObstacle::BadName,
        "registered" => LoginObstacle::NameRegistered,
        "in-use" => LoginObstacle::NameInUse,
        "banned" => LoginObstacle::Banned,
        "guests" => LoginObstacle::GuestsRefused,
        "password" => LoginObstacle::InvalidPassword,
        "full" => LoginObstacle::Full,
        "silence" => LoginObstacle::Silence,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_fault_has_a_point() {
        let cases = [
            ("stall", Fault::Stall, FaultPoint::Connect),
            ("cut@next-board", Fault::CutMidLine, FaultPoint::NextBoard),
            ("reset@after=4096", Fault::Reset, FaultPoint::AfterBytes(4096)),
            ("split=1", Fault::SplitWrites(1), FaultPoint::Connect),
            ("delay=200ms@setup", Fault::Delay(Duration::from_millis(200)), FaultPoint::Setup),
            ("refuse=full", Fault::RefuseLogin(LoginObstacle::Full), FaultPoint::Connect),
            ("garbage=80@in-block", Fault::Garbage(80), FaultPoint::InBlock),
        ];
        for (text, fault, at) in cases {
            assert_eq!(text.parse(), Ok(ScheduledFault { fault, at }), "{text}");
        }
    }

    #[test]
    fn invalid_faults_are_refused() {
        for text in
            ["", "fire", "stall=1", "split", "split=x", "delay=5", "refuse", "refuse=me", "cut@noon", "cut@after="]
        {
            assert!(text.parse::<ScheduledFault>().is_err(), "{text}");
        }
    }

    #[test]
    fn close_spellings_are_suggested() {
        let cases = [
            ("cutt", "unknown fault \"cutt\", did you mean \"cut\"?"),
            ("splitt=4", "unknown fault \"splitt\", did you mean \"split\"?"),
            ("cut@next-bord", "unknown point \"next-bord\", did you mean \"next-board\"?"),
            ("refuse=passwort", "unknown refusal \"passwort\", did you mean \"password\"?"),
            ("fire", "unknown fault \"fire\""),
        ];
        for (text, want) in cases {
            assert_eq!(text.parse::<ScheduledFault>().unwrap_err(), want);
        }
    }

    #[test]
    fn the_listed_faults_and_points_exist() {
        for fault in FAULTS {
            let value = if fault == "delay=" { "1s" } else { "1" };
            let text = if fault.ends_with('=') { format!("{fault}{value}") } else { fault.to_owned() };
            assert!(text.parse::<ScheduledFault>().is_ok(), "{text}");
            assert!(HELP.contains(fault.trim_start_matches("refuse=")), "{fault}");
        }
        for point in POINTS {
            assert!(format!("cut@{point}").parse::<ScheduledFault>().is_ok(), "{point}");
        }
    }

    #[test]
    fn the_help_names_every_fault() {
        for word in HELP.split([' ', ',', '\n']).filter(|word| word.starts_with("refuse=") || word.contains("=N")) {
            let word = word.replace("=N", "=1").replace("=WHY", "=full");
            assert!(
                word.parse::<ScheduledFault>().is_ok() || format!("cut@{word}").parse::<ScheduledFault>().is_ok(),
                "{word}"
            );
        }
    }
}
