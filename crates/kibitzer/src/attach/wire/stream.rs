//! What the meaning of the next byte depends on, as it goes over the socket.

use serde::{Deserialize, Serialize};

use crate::core::message::{Family, Handle};
use crate::core::text::encode;
use crate::core::wire::{Quote, StreamState, Timeseal};
use crate::transcript::decode_hex;
use crate::transcript::line::push_hex;

/// A [`StreamState`].
#[derive(Debug, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "as many as in what it stands for")]
pub(in crate::attach) struct StreamNote {
    #[serde(with = "FamilyDef")]
    family: Family,
    /// 0 for none.
    timeseal: u8,
    /// In hexadecimal.
    prompt: String,
    unwrapped: bool,
    unblocked: bool,
    logged_in: bool,
    keeps_blanks: bool,
    block: Option<u64>,
    units: u8,
    mid_line: bool,
    #[serde(with = "QuoteDef")]
    quote: Quote,
    me: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Family", rename_all = "snake_case")]
enum FamilyDef {
    Auto,
    Fics,
    Icc,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Quote", rename_all = "snake_case")]
enum QuoteDef {
    None,
    Expected,
    Begun,
}

impl StreamNote {
    pub(super) fn of(state: &StreamState) -> Self {
        let mut prompt = String::new();
        push_hex(&mut prompt, &state.prompt);
        Self {
            family: state.family,
            timeseal: seal_number(state.timeseal),
            prompt,
            unwrapped: state.is_unwrapped,
            unblocked: state.is_unblocked,
            logged_in: state.is_logged_in,
            keeps_blanks: state.keeps_blanks,
            block: state.block,
            units: state.n_units,
            mid_line: state.is_mid_line,
            quote: state.quote,
            me: state.me.as_ref().map(ToString::to_string),
        }
    }

    /// What it stands for. A prompt that is no bytes is none.
    pub(in crate::attach) fn state(&self) -> StreamState {
        let mut state = StreamState::default();
        state.family = self.family;
        state.timeseal = seal_of(self.timeseal);
        state.prompt = decode_hex(&self.prompt).unwrap_or_default();
        state.is_unwrapped = self.unwrapped;
        state.is_unblocked = self.unblocked;
        state.is_logged_in = self.logged_in;
        state.keeps_blanks = self.keeps_blanks;
        state.block = self.block;
        state.n_units = self.units;
        state.is_mid_line = self.mid_line;
        state.quote = self.quote;
        state.me = self.me.as_ref().map(|me| Handle::from_wire(encode(me).as_bytes()));
        state
    }
}

pub(super) const fn seal_number(timeseal: Timeseal) -> u8 {
    match timeseal {
        Timeseal::Off => 0,
        Timeseal::V1 => 1,
        Timeseal::V2 => 2,
    }
}

pub(super) const fn seal_of(number: u8) -> Timeseal {
    match number {
        1 => Timeseal::V1,
        2 => Timeseal::V2,
        _ => Timeseal::Off,
    }
}
