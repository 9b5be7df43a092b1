//! Events as lines: JSON for programs, text for people.

mod board;
mod entry;
pub(crate) mod json;
mod shown;
pub(crate) mod text;
mod values;

pub(crate) use entry::Entry;
pub(crate) use shown::Shown;
