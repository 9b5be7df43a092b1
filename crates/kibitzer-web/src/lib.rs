//! A session with an internet chess server in a browser.
//!
//! A program pushes its events into a [`Hub`]; a [`WebServer`] sends them to the page, and passes the requests of the page to the
//! program. `docs/protocol.md` of this crate describes what the page requests and what it expects.

mod access;
mod games;
mod hub;
mod page;
mod request;
mod server;

pub use games::WebEvent;
pub use hub::{Hub, LineState, SourceInfo};
pub use page::PageFile;
pub use request::{Control, PageQuery, PageRequest};
pub use server::{WebOptions, WebServer, request_channel};
