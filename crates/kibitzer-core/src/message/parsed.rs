//! A typed line: the line and the value parsed from it, in one allocation.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::text::LineBytes;

/// A value parsed from a line, together with that line. Derefs to the value.
///
/// Clones share one allocation, which contains lines of up to 96 bytes; a longer line has a second allocation.
#[derive(Clone, PartialEq, Eq)]
pub struct Parsed<T>(Arc<LineAndValue<T>>);

#[derive(PartialEq, Eq)]
struct LineAndValue<T> {
    line: LineBytes,
    value: T,
}

impl<T> Parsed<T> {
    /// Wraps a value without its line, which is empty until [`set_line`](Self::set_line).
    pub(super) fn without_line(value: T) -> Self {
        Self(Arc::new(LineAndValue { line: LineBytes::new(), value }))
    }

    /// Replaces the line. Does nothing if clones exist, because they share the allocation.
    pub(super) fn set_line(&mut self, line: &[u8]) {
        if let Some(contents) = Arc::get_mut(&mut self.0) {
            contents.line.clear();
            contents.line.extend_from_slice(line);
        }
    }

    /// Returns the line as received; see [`Received::raw`](super::Received::raw).
    pub fn raw(&self) -> &[u8] {
        &self.0.line
    }
}

impl<T> Deref for Parsed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Parsed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
