//! What the server sends.

use crate::corpus::{self, Corpus};

const SEED: u64 = 12;

pub(crate) fn boards(n_bytes: usize) -> Corpus {
    corpus::boards(SEED, n_bytes)
}

pub(crate) fn mixed(n_bytes: usize) -> Corpus {
    corpus::mixed(SEED, n_bytes)
}

/// So many messages, each a board and the prompt behind it.
pub(crate) fn messages(n_boards: usize) -> Vec<Vec<u8>> {
    let stream = boards(n_boards * 200).bytes;
    // The stream starts with a prompt, and only prompts have that sign.
    let ends = stream.split_inclusive(|&b| b == b'%').skip(1).take(n_boards);
    let messages: Vec<_> = ends.map(|message| [message.trim_ascii_start(), b" "].concat()).collect();
    let messages: Vec<_> = messages.iter().map(|message| [b"\n\r", &message[..]].concat()).collect();
    assert_eq!(messages.len(), n_boards);
    messages
}
