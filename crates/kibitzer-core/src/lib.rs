//! The protocol of internet chess servers (FICS, ICC and their relatives), from bytes to game state.
//!
//! Most programs use the client library `kibitzer`, and no item of this crate by name. What it re-exports is under its promise of
//! stability: [`chess`], [`event`], [`game`], [`message`], [`EventReader`], [`ParseError`], and of [`hub`] and [`session`] everything but the
//! publisher, the driver interface of a session and the detection of secrets. Everything else here may change in every version: the
//! framer, the message reader, the parsers of single lines, [`options`], [`text`], [`wire`], and all items that the documentation hides.
//!
//! This crate does no I/O, has no runtime and reads no clock. It decodes received bytes to typed [`Event`]s:
//!
//! - [`wire`]: bytes to frames. Telnet, timeseal pings, lines, prompts, block mode, ICC units.
//! - [`message`]: frames to messages, with one type for each known message of a server.
//! - [`chess`]: boards, squares and reported moves, without the rules of chess.
//! - [`game`]: messages to the state of every game that the session plays, observes or examines.
//! - [`EventReader`]: all of these layers, from bytes to events.
//! - [`session`]: login, setup, requests, keepalive and restoration after a reconnect, also without I/O.
//! - [`hub`]: delivery of events to subscribers.
//! - [`options`]: the description of numeric options, for configuration files.
//!
//! ```
//! use kibitzer_core::EventReader;
//!
//! let mut events = EventReader::default();
//! let mut read = &b"fics% \n\rNewton tells you: hello\n\rfics% "[..];
//! let mut tells = Vec::new();
//! while let Some(event) = events.next(&mut read) {
//!     if let Some(talk) = event.talk() {
//!         tells.push(talk.text().into_owned());
//!     }
//! }
//! assert_eq!(tells, ["hello"]);
//! ```

mod by_name;
pub mod chess;
pub mod event;
pub mod game;
pub mod hub;
pub mod message;
pub mod options;
mod players;
mod reader;
mod scan;
#[cfg(feature = "serde")]
mod serial;
pub mod session;
pub mod text;
pub mod wire;

pub use by_name::ParseError;
pub use event::{Event, EventCategory, EventKind};
pub use message::reader::MessageReader;
pub use message::template::SentenceParts;
pub use players::{Player, Players};
pub use reader::EventReader;

/// Builds the program of the crate's README with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
