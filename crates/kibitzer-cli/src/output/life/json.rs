//! The session's lines as JSON.

use std::time::Duration;

use kibitzer::core::event::{AdjournedState, Outcome, RestoredCommand, RestoredGame};
use kibitzer::core::message::{Handle, Ivar, NameKind};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{Life, end_name, outcome_name, state_name};
use crate::chain::chain;
use crate::output::values::{Codes, List, Printed, keys};

/// Writes the keys behind `event` and `offset`.
pub(in crate::output) fn write<M: SerializeMap>(object: &mut M, life: &Life<'_>) -> Result<(), M::Error> {
    match *life {
        Life::Connecting { attempt } => keys!(object, "attempt": attempt),
        Life::Connected => Ok(()),
        Life::LoggedIn(identity) => keys!(object,
            "name": identity.handle.as_ref().map(Handle::as_str),
            "titles": Codes(Some(&identity.titles)),
            "server": None::<&str>,
            "registered": identity.kind == NameKind::Registered,
        ),
        Life::Ready(capabilities) => keys!(object,
            "ivars": List(capabilities.ivars().map(Ivar::as_str).collect::<Vec<_>>().iter()),
            "timeseal": capabilities.timeseal().version(),
        ),
        Life::Sent(line) => keys!(object, "line": line),
        Life::Fault(fault) => keys!(object, "text": Printed(fault)),
        Life::Lost { cause, retry_in } => {
            keys!(object, "text": Printed(cause), "retry_in_ms": retry_in.map(whole_ms))
        }
        Life::Restored(restored) => keys!(object,
            "offline_ms": whole_ms(restored.offline_for),
            "games": List(restored.games.iter().map(FoundAgain)),
            "settings": List(restored.settings.iter().map(SentAgain)),
            "requests": List(restored.requests.iter().map(SentAgain)),
            "seeks": List(restored.seeks.iter().map(SentAgain)),
        ),
        Life::Adjourned(adjourned) => {
            let (game, error) = match &adjourned.state {
                AdjournedState::Resumed { game } => (Some(game.0), None),
                AdjournedState::Refused(error) => (None, Some(Printed(error))),
                _ => (None, None),
            };
            keys!(object,
                "white": adjourned.white.as_str(),
                "black": adjourned.black.as_str(),
                "state": state_name(&adjourned.state),
                "game": game,
                "error": error,
            )
        }
        Life::Ended(reason) => keys!(object, "reason": end_name(reason), "text": chain(reason)),
    }
}

fn whole_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// An object of the array `games`.
struct FoundAgain<'a>(&'a RestoredGame);

impl Serialize for FoundAgain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let game = self.0;
        let plies = match game.outcome {
            Outcome::Advanced { plies } => Some(plies),
            _ => None,
        };
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("was", &game.was.0)?;
        object.serialize_entry("now", &game.now.map(|now| now.0))?;
        object.serialize_entry("white", game.white.as_str())?;
        object.serialize_entry("black", game.black.as_str())?;
        object.serialize_entry("relation", &game.relation.code())?;
        object.serialize_entry("outcome", outcome_name(game.outcome))?;
        object.serialize_entry("plies", &plies)?;
        object.serialize_entry("moves_missing", &game.moves_missing)?;
        let moves = game.moves.as_ref().map(|list| List(list.moves.iter().map(|listed| listed.san.as_str())));
        object.serialize_entry("moves", &moves)?;
        object.end()
    }
}

/// An object of the arrays of commands.
struct SentAgain<'a>(&'a RestoredCommand);

impl Serialize for SentAgain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("command", self.0.command.as_str())?;
        object.serialize_entry("error", &self.0.error.as_ref().map(Printed))?;
        object.end()
    }
}
