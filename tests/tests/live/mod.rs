//! A client at the embedded server: every point of a live session, over a pipe and in virtual time.

mod adjourned;
mod commands;
mod connect;
mod games;
mod liveness;
mod login;
mod notices;
mod recording;
mod requests;
mod restore;
mod restore_random;
mod setup;
mod subscribers;
mod talk;
mod wire;
