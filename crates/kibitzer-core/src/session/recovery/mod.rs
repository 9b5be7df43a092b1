//! Recovery: what survives the loss of a connection, and how it is restored.
//!
//! [`memory`] records games, seeks and settings; [`backoff`] delays the next attempt; [`restore`] restores them after the login.
//! [`adjourned`] resumes the account's adjourned games, [`boards`] requests boards that are unknown.

pub(super) mod adjourned;
pub(super) mod backoff;
pub(super) mod boards;
pub(super) mod memory;
pub(super) mod restore;
