//! JSON values that no type has of itself.

use std::fmt;

use kibitzer::core::chess::{Color, Role};
use kibitzer::core::message::Titles;
use serde::ser::{Serialize, SerializeMap, Serializer};

/// The object `passed`.
pub(super) struct Passed {
    pub(super) to: Color,
    pub(super) piece: Role,
}

impl Serialize for Passed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("to", self.to.as_str())?;
        object.serialize_entry("piece", &self.piece.letter())?;
        object.end()
    }
}

/// Titles as an array.
pub(super) struct Codes<'a>(pub(super) Option<&'a Titles>);

impl Serialize for Codes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.into_iter().flat_map(Titles::iter))
    }
}

/// Anything that can be gone through again and again, as an array.
pub(super) struct List<I>(pub(super) I);

impl<I: Clone + Iterator<Item: Serialize>> Serialize for List<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.clone())
    }
}

/// What a type prints, as a string.
pub(super) struct Printed<T>(pub(super) T);

impl<T: fmt::Display> Serialize for Printed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// Writes keys and values in the order given.
macro_rules! keys {
    ($object:expr, $($key:literal: $value:expr),+ $(,)?) => {{
        $($object.serialize_entry($key, &$value)?;)+
        Ok(())
    }};
}

pub(super) use keys;
