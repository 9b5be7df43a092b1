//! The protocol of internet chess servers (FICS, ICC and their relatives), from bytes to game state.
//!
//! This crate does no I/O, has no runtime and reads no clock. Bytes go in, typed [`Event`]s come out:
//!
//! - [`wire`]: bytes to frames. Telnet, timeseal pings, lines, prompts, block mode, ICC units.
//! - [`message`]: frames to messages, one type for everything a server is known to say.
//! - [`chess`]: boards, squares, moves as reported. No rules.
//! - [`game`]: messages to the state of every game this session plays, observes or examines.
//! - [`EventReader`]: all of it in one.
//! - [`session`]: login, set-up, requests, signs of life, restoring. No I/O either.
//! - [`hub`]: events to subscribers.
//! - [`options`]: the description of numeric options, for configuration files.
//!
//! ```
//! use kibitzer_core::EventReader;
//! use kibitzer_core::message::Message;
//!
//! let mut events = EventReader::default();
//! let mut read = &b"fics% \n\rNewton tells you: hello\n\rfics% "[..];
//! let mut told = Vec::new();
//! while let Some(event) = events.next(&mut read) {
//!     if let Some(Message::Talk(talk)) = event.message() {
//!         told.push(talk.text().into_owned());
//!     }
//! }
//! assert_eq!(told, ["hello"]);
//! ```

mod by_name;
pub mod chess;
pub mod event;
pub mod game;
pub mod hub;
pub mod message;
pub mod options;
mod reader;
mod scan;
#[cfg(feature = "serde")]
mod serial;
pub mod session;
pub mod text;
pub mod wire;

pub use by_name::UnknownName;
pub use event::{Event, EventCategory, EventKind, ServerFault};
pub use reader::EventReader;
