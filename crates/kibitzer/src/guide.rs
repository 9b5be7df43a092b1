//! The guide, page by page. It has no items.
//!
//! - [`client`]: using the library, from an empty crate to a program that plays; every program on it runs as a test
//! - [`events`]: events as JSON, and the language of filters
//! - [`pgn`]: games as PGN, on the command line and in code
//! - [`settings`]: all settings of a profile
//! - [`programs`]: programs in any language, over the pipe of `kibitzer connect --json`
//!
//! The guide to bots is in the crate [`kibitzer-bot`](https://docs.rs/kibitzer-bot/latest/kibitzer_bot/guide/index.html).

// rustdoc uses the first definition of a link; those of `rustdoc-links.md` override the page's relative links.

#[doc = include_str!("../docs/rustdoc-links.md")]
#[doc = include_str!("../docs/client.md")]
pub mod client {}

#[doc = include_str!("../docs/rustdoc-links.md")]
#[doc = include_str!("../docs/events.md")]
pub mod events {}

#[doc = include_str!("../docs/rustdoc-links.md")]
#[doc = include_str!("../docs/pgn.md")]
pub mod pgn {}

#[doc = include_str!("../docs/rustdoc-links.md")]
#[expect(clippy::doc_markdown, reason = "the page is generated, and says the same in the files of settings")]
#[doc = include_str!("../docs/settings.md")]
pub mod settings {}

#[doc = include_str!("../docs/rustdoc-links.md")]
#[doc = include_str!("../docs/programs.md")]
pub mod programs {}
