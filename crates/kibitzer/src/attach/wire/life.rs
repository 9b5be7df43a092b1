//! What a session tells of itself, as it goes over the socket.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::cause::{EndDef, LostDef, RequestDef};
use super::stream::{seal_number, seal_of};
use crate::core::event::{
    AdjournedGame, AdjournedState, Capabilities, EndReason, Identity, LostCause, Outcome, RequestError, Restored,
    RestoredCommand, RestoredGame,
};
use crate::core::message::{Family, GameId, Handle, Ivar, NameKind, Relation, Titles};
use crate::core::session::Command;
use crate::core::text::encode;
use crate::core::{Event, ServerFault};

/// An event of the session itself, but for what was sent: that is a piece of the stream.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(in crate::attach) enum Life {
    Connecting {
        attempt: u32,
    },
    Connected,
    LoggedIn {
        handle: Option<String>,
        titles: Vec<String>,
        registered: bool,
    },
    SessionReady {
        icc: bool,
        timeseal: u8,
        units: bool,
        ivars: Vec<String>,
    },
    Fault,
    Lost {
        #[serde(with = "LostDef")]
        cause: LostCause,
        retry_in: Option<Duration>,
    },
    Restored {
        offline_for: Duration,
        games: Vec<GameNote>,
        settings: Vec<CommandNote>,
        requests: Vec<CommandNote>,
        seeks: Vec<CommandNote>,
    },
    AdjournedGame {
        white: String,
        black: String,
        #[serde(with = "AdjournedDef")]
        state: AdjournedState,
    },
    Ended {
        #[serde(with = "EndDef")]
        reason: EndReason,
    },
}

/// A game that is found again, without the moves that were played meanwhile.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::attach) struct GameNote {
    was: i32,
    now: Option<i32>,
    white: String,
    black: String,
    /// The server's number.
    relation: i32,
    #[serde(with = "OutcomeDef")]
    outcome: Outcome,
    moves_missing: bool,
}

/// A command that was sent again.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::attach) struct CommandNote {
    command: String,
    error: Option<Trouble>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Trouble(#[serde(with = "RequestDef")] RequestError);

#[derive(Serialize, Deserialize)]
#[serde(remote = "Outcome", rename_all = "snake_case")]
#[non_exhaustive]
enum OutcomeDef {
    Unchanged,
    Advanced { plies: u32 },
    Changed,
    Ended,
    Gone,
    Adjourned,
    Interrupted,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "AdjournedState", rename_all = "snake_case")]
#[non_exhaustive]
enum AdjournedDef {
    Stored,
    Challenged,
    Resumed {
        #[serde(with = "GameNumber")]
        game: GameId,
    },
    Declined,
    Refused(#[serde(with = "RequestDef")] RequestError),
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "GameId")]
struct GameNumber(i32);

impl Life {
    /// What tells of this event; `None` for what the server said, and what was sent.
    pub(super) fn of(event: &Event) -> Option<Self> {
        Some(match event {
            &Event::Connecting { attempt } => Self::Connecting { attempt },
            Event::Connected => Self::Connected,
            Event::LoggedIn(identity) => Self::LoggedIn {
                handle: identity.handle.as_ref().map(ToString::to_string),
                titles: identity.titles.iter().map(str::to_owned).collect(),
                registered: identity.kind == NameKind::Registered,
            },
            Event::Ready(capabilities) => Self::SessionReady {
                icc: capabilities.family() == Family::Icc,
                timeseal: seal_number(capabilities.timeseal()),
                units: capabilities.units(),
                ivars: capabilities.ivars().map(|ivar| ivar.as_str().to_owned()).collect(),
            },
            Event::Fault(_) => Self::Fault,
            Event::Lost { cause, retry_in } => Self::Lost { cause: cause.clone(), retry_in: *retry_in },
            Event::Restored(restored) => Self::Restored {
                offline_for: restored.offline_for,
                games: restored.games.iter().map(GameNote::of).collect(),
                settings: restored.settings.iter().map(CommandNote::of).collect(),
                requests: restored.requests.iter().map(CommandNote::of).collect(),
                seeks: restored.seeks.iter().map(CommandNote::of).collect(),
            },
            Event::Adjourned(game) => Self::AdjournedGame {
                white: game.white.to_string(),
                black: game.black.to_string(),
                state: game.state.clone(),
            },
            Event::Ended(reason) => Self::Ended { reason: reason.clone() },
            _ => return None,
        })
    }

    /// The event that was told of.
    pub(in crate::attach) fn event(self) -> Event {
        match self {
            Self::Connecting { attempt } => Event::Connecting { attempt },
            Self::Connected => Event::Connected,
            Self::LoggedIn { handle, titles, registered } => {
                let kind = if registered { NameKind::Registered } else { NameKind::Unregistered };
                let titles = Titles::from_codes(titles.join(" ").as_bytes());
                Event::LoggedIn(Arc::new(Identity::new(handle.as_deref().map(name), titles, kind)))
            }
            Self::SessionReady { icc, timeseal, units, ivars } => {
                let family = if icc { Family::Icc } else { Family::Fics };
                let ivars = ivars.iter().filter_map(|ivar| ivar.parse::<Ivar>().ok());
                let capabilities = Capabilities::new(family, seal_of(timeseal), ivars);
                Event::Ready(if units { capabilities.with_units() } else { capabilities })
            }
            Self::Fault => Event::Fault(ServerFault::Unnumbered),
            Self::Lost { cause, retry_in } => Event::Lost { cause, retry_in },
            Self::Restored { offline_for, games, settings, requests, seeks } => {
                let commands = |notes: Vec<CommandNote>| notes.into_iter().filter_map(CommandNote::command).collect();
                let mut restored = Restored::default();
                restored.offline_for = offline_for;
                restored.games = games.into_iter().map(GameNote::game).collect();
                restored.settings = commands(settings);
                restored.requests = commands(requests);
                restored.seeks = commands(seeks);
                Event::Restored(Arc::new(restored))
            }
            Self::AdjournedGame { white, black, state } => {
                Event::Adjourned(Arc::new(AdjournedGame::new(name(&white), name(&black), state)))
            }
            Self::Ended { reason } => Event::Ended(reason),
        }
    }
}

impl GameNote {
    fn of(game: &RestoredGame) -> Self {
        Self {
            was: game.was.0,
            now: game.now.map(|now| now.0),
            white: game.white.to_string(),
            black: game.black.to_string(),
            relation: game.relation.code(),
            outcome: game.outcome,
            moves_missing: game.moves_missing,
        }
    }

    fn game(self) -> RestoredGame {
        let mut game = RestoredGame::new(
            GameId(self.was),
            name(&self.white),
            name(&self.black),
            Relation::from_code(self.relation),
        );
        game.now = self.now.map(GameId);
        (game.outcome, game.moves_missing) = (self.outcome, self.moves_missing);
        game
    }
}

impl CommandNote {
    fn of(restored: &RestoredCommand) -> Self {
        Self { command: restored.command.clone(), error: restored.error.clone().map(Trouble) }
    }

    /// Returns what it stands for; `None` if the text is not a command.
    fn command(self) -> Option<RestoredCommand> {
        Some(RestoredCommand::new(Command::new(&self.command).ok()?.as_str(), self.error.map(|Trouble(error)| error)))
    }
}

fn name(name: &str) -> Handle {
    Handle::from_wire(encode(name).as_bytes())
}
