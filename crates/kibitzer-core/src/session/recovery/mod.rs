//! Recovery after the loss of a connection.

pub(super) mod adjourned;
pub(super) mod backoff;
pub(super) mod memory;
pub(super) mod restore;
pub(super) mod resync;
mod setting;
pub(super) mod style;
