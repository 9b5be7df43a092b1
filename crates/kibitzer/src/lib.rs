//! A client library for internet chess servers: FICS, ICC and their relatives.
//!
//! - [`Client`]: a live session. It logs in, sends requests, delivers events to subscribers, and reconnects after a loss.
//! - [`Profile`]: server, login and options of a session, from code, a file and the environment.
//! - [`command`]: typed commands with typed answers.
//! - [`event`], [`message`], [`game`], [`chess`]: what events contain, and the state of games.
//! - [`hub`]: delivery of events to subscribers.
//! - [`session`]: options, requests and replies of a session.
//! - [`SessionObserver`]: an interface for everything that happens in a session, in order.
//! - [`track`]: whole games with all their moves, over takebacks, resumptions and lost connections.
//! - `pgn`: these games as PGN, with the feature `pgn`.
//! - [`RecordedEvents`]: the events of a recording; [`transcript`]: its lines.
//! - [`EventDecoder`]: bytes to events, for a `tokio_util` codec.
//!
//! The types that most bots use are also here: [`Event`], [`Message`], [`GameId`], [`Handle`], errors, and [`error_chain`], which formats an error with its
//! causes. The [`guide`] teaches the library
//! page by page.
//!
//! This guest answers every private message until the session is over:
//!
//! ```no_run
//! use kibitzer::{Client, Profile, TalkKind};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::connect(Profile::fics().guest()).await?;
//! let mut events = client.subscribe();
//! while let Some(event) = events.next().await {
//!     if let Some(talk) = event.talk()
//!         && talk.kind == TalkKind::Tell
//!         && let Some(from) = talk.speaker()
//!     {
//!         // The player may have logged out.
//!         drop(client.tell(&from, "welcome").await);
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Options
//!
//! Options set in code are set with by-value setters: [`Profile`], and the types named `…Options` in [`session`] and in the other
//! crates. Settings read from a file are public fields: the `BotConfig` of `kibitzer-bot`.
//!
//! # JSON
//!
//! Events, replies, the answers of all typed commands, [`RequestError`], and [`Game`] implement `serde::Serialize`. An event is the object that `kibitzer decode` prints, a
//! listing the object without `event` and `offset`; [`guide::events`] lists the keys. There is no feature for it, because recordings
//! need serde in any case.
//!
//! ```
//! let mut reader = kibitzer::EventReader::default();
//! let event = reader.next(&mut &b"{Game 39 (Foo vs. Bar) Bar checkmated} 1-0\n\r"[..]).expect("the line is complete");
//! let ended: serde_json::Value = serde_json::from_str(&serde_json::to_string(&event)?)?;
//! assert_eq!((&ended["event"], &ended["reason"]), (&"game_ended".into(), &"mate".into()));
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! # Versions
//!
//! Before 1.0, a breaking change raises the minor version. Raising the minimum supported Rust version (now 1.95)
//! also raises the minor version. All public items of this crate are
//! under this promise, those from `kibitzer-core` included. The core has further items, which may change in every version.

mod address;
mod client;
mod client_shared;
pub mod command;
mod decoder;
mod dial;
#[cfg(feature = "filter")]
mod filter;
pub mod guide;
mod json;
#[cfg(feature = "pgn")]
mod legal;
mod observer;
mod openings;
mod password;
#[cfg(feature = "pgn")]
pub mod pgn;
mod players;
mod profile;
mod recorded;
mod task;
pub mod track;
pub mod transcript;

/// Delivery of events to subscribers, each with a delivery mode of its choice.
pub mod hub {
    pub use kibitzer_core::hub::{Filter, GameWatch, Hub, RecvError, SharedEvent, Subscription, SubscriptionWithGames};
}

/// Options of a session, its commands and their replies.
pub mod session {
    pub use kibitzer_core::game::GameLimits;
    pub use kibitzer_core::session::{
        AdjournedGames, Command, Credentials, FirstConnect, Password, Reconnect, Reply, RequestLimits, RequestOptions,
        SessionCounters, SessionOptions, SessionState, TimesealChoice, Timings, TransmitKind,
    };
    pub use kibitzer_core::wire::{Encoding, Limits, Timeseal};
}

pub use address::{AddressError, HostPort};
pub use client::{Client, ClientBuilder, ConnectError, WeakClient};
pub use client_shared::ClientCounters;
pub use decoder::EventDecoder;
pub use dial::Dial;
pub use kibitzer_core::event::{Capabilities, DialError, LoginError, RequestError, SessionEndReason};
pub use kibitzer_core::game::Game;
pub use kibitzer_core::hub::{Filter, GameWatch, Hub, RecvError, SharedEvent, Subscription, SubscriptionWithGames};
pub use kibitzer_core::message::{GameId, Handle, MeOrOther, Message, Relation, Style12, TalkKind};
pub use kibitzer_core::session::{Command, Password, Reply, RequestOptions, SessionState, TimesealChoice};
pub use kibitzer_core::text::error_chain;
pub use kibitzer_core::{Event, EventCategory, EventKind, EventReader, ParseError, Player, Players};
#[doc(inline)]
pub use kibitzer_core::{chess, event, game, message};
pub use observer::{Observation, SessionObserver, SessionView, Tap, TapItem};
pub use password::PasswordSource;
pub use players::PlayersWatch;
pub use profile::{AttachAccess, ConfigError, Profile};
pub use recorded::{RecordedEvent, RecordedEvents};

/// Functions that the other crates of this workspace call. They may change in every version.
#[doc(hidden)]
pub mod internal {
    pub use crate::profile::{ProgramSettings, most_similar_word};

    /// Filter expressions.
    #[cfg(feature = "filter")]
    pub mod filter {
        pub use crate::filter::{
            ANSWERED, BOT, DISCONNECTED, EventFilter, Expression, FilterError, GAP, MARK, Passed, ReplyMatch,
            ReplyTimes, ShortDuration, Subject, TerminalSafe, game_of, is_quantity, kinds, parse_duration,
            term_completions, unknown_word_message,
        };
    }

    /// Logs and recordings as pieces of a stream, and their events.
    pub mod recorded {
        pub use crate::recorded::{PasswordPrompt, PieceDecoder, RecordedReader, SessionClock, Stamp, StreamPiece};
    }

    /// Rules of chess, and names of openings, for programs in which people play.
    pub mod rules {
        #[cfg(feature = "pgn")]
        pub use crate::legal::{LegalMove, chess_moves, legal_moves};
        pub use crate::openings::{OPENINGS, opening_name};
    }

    /// JSON that is safe to print on a terminal.
    pub mod json {
        pub use crate::json::{is_escaped, write};
    }

    /// The form of bytes in a transcript.
    pub mod hex {
        pub use crate::transcript::hex::{deserialize, serialize};
    }

    /// The form of times in a transcript.
    pub mod seconds {
        pub use crate::transcript::seconds::{deserialize, serialize};
    }
}

/// Builds the program of the crate's README with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
