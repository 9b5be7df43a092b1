//! Replies that are tables: parsers over the lines of one reply.

mod finger;
mod games;
mod history;
mod inchannel;
mod moves;
mod sought;
mod stored;
mod variables;
mod who;
