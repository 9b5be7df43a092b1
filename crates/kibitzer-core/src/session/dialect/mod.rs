//! Differences between the families of servers.

pub(super) mod levels;
pub(super) mod login_string;
pub(super) mod refusal;
pub(super) mod units;
