//! A session with an internet chess server in a browser.
//!
//! `docs/protocol.md` of this crate describes what the page requests and what it expects.

mod page;

pub use page::PageFile;
