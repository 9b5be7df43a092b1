//! Numbers nobody can guess who does not know the seed.

use std::collections::VecDeque;

use super::fence::Fence;

/// A small generator of random numbers (SplitMix64): for delays, and for words that must not collide.
///
/// Where a recorded session is run again, the words are those that were drawn then.
#[derive(Clone, Debug)]
pub(super) struct Random {
    state: u64,
    /// The next words, if they are known.
    foretold: VecDeque<Fence>,
}

impl Random {
    pub(super) const fn new(seed: u64) -> Self {
        Self { state: seed, foretold: VecDeque::new() }
    }

    /// This is a word that will be drawn, behind those foretold before.
    pub(super) fn foretell(&mut self, fence: Fence) {
        self.foretold.push_back(fence);
    }

    /// It was drawn then, and will not be now.
    pub(super) fn take_back(&mut self, fence: Fence) {
        self.foretold.retain(|known| *known != fence);
    }

    /// The next of the words that are known.
    pub(super) fn take_foretold(&mut self) -> Option<Fence> {
        self.foretold.pop_front()
    }

    pub(super) const fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}
