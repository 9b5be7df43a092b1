//! Recovery: what survives the loss of a connection, and how it is restored.
//!
//! [`memory`] records games, seeks and settings; [`restore`] restores them after the login and reports that.
//! [`adjourned`] resumes the account's adjourned games, [`boards`] requests boards that are unknown.

pub(super) mod adjourned;
pub(super) mod boards;
pub(super) mod memory;
pub(super) mod restore;

/// Appends an item, and removes the oldest one if there are more than `max`.
fn push_bounded<T>(items: &mut Vec<T>, item: T, max: usize) {
    if items.len() >= max {
        items.remove(0);
    }
    items.push(item);
}
