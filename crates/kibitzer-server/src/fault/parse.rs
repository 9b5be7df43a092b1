//! Faults and their points from text.

use std::str::FromStr;

use thiserror::Error;

use super::{Fault, FaultPoint};

/// Maximum number of bytes in a fault, because the server holds an inserted line in memory.
const MAX_BYTES: usize = 16 << 20;

/// Why a text is not a [`Fault`] or a [`FaultPoint`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FaultParseError {
    /// There is no fault of this name, or its value is missing or not allowed.
    #[error("there is no fault {0:?}, or its value is missing or not allowed")]
    UnknownFault(String),
    /// There is no [`LoginObstacle`](crate::LoginObstacle) of this name.
    #[error("unknown refusal {0:?}")]
    UnknownRefusal(String),
    /// There is no point of this name.
    #[error("unknown point {0:?}")]
    UnknownPoint(String),
    /// The value is not a number of bytes, or the number is too large.
    #[error("a number up to 16777216 is missing after {0}=")]
    Number(&'static str),
    /// The value is not a number of bytes.
    #[error("a number of bytes is missing after after=")]
    Offset,
    /// The value is not a time.
    #[error("a time such as 500ms or 10s is missing after delay=")]
    Time,
}

impl FromStr for Fault {
    type Err = FaultParseError;

    fn from_str(text: &str) -> Result<Self, FaultParseError> {
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        let number = |name| {
            let number = value.and_then(|value| value.parse().ok()).filter(|n| *n <= MAX_BYTES);
            number.ok_or(FaultParseError::Number(name))
        };
        match (name, value) {
            ("split", _) => number("split").map(Self::Split),
            ("split-randomly", _) => number("split-randomly").map(Self::SplitRandomly),
            ("garbage", _) => number("garbage").map(Self::Garbage),
            ("over-long", _) => number("over-long").map(Self::OverLong),
            ("delay", value) => {
                let delay = humantime::parse_duration(value.unwrap_or_default());
                delay.map(Self::Delay).map_err(|_| FaultParseError::Time)
            }
            ("refuse", Some(why)) => {
                why.parse().map(Self::Refuse).map_err(|_| FaultParseError::UnknownRefusal(why.to_owned()))
            }
            _ => {
                let plain = [Self::Stall, Self::Cut, Self::Reset, Self::Kick, Self::KickByAdmin, Self::Shutdown];
                let fault = plain.into_iter().find(|fault| fault.as_ref() == text);
                fault.ok_or_else(|| FaultParseError::UnknownFault(name.to_owned()))
            }
        }
    }
}

impl FromStr for FaultPoint {
    type Err = FaultParseError;

    fn from_str(text: &str) -> Result<Self, FaultParseError> {
        if let Some(byte) = text.strip_prefix("after=") {
            return byte.parse().map(Self::After).map_err(|_| FaultParseError::Offset);
        }
        let points = [Self::Connect, Self::Login, Self::Setup, Self::NextBoard, Self::InBlock, Self::Now];
        let point = points.into_iter().find(|point| point.as_ref() == text);
        point.ok_or_else(|| FaultParseError::UnknownPoint(text.to_owned()))
    }
}
