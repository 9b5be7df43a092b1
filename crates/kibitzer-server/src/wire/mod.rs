//! Between bytes and what they say: a client's bytes to lines, the server's text to bytes.

pub(crate) mod input;
pub(crate) mod output;
mod wrap;
