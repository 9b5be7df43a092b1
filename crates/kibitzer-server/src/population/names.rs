//! Names of simulated players.

use std::collections::BTreeSet;

use fastrand::Rng;
use kibitzer_core::message::Handle;

/// Names of the first opponents, which users type.
pub(super) const OPPONENTS: [&str; 4] = ["Whetstone", "Grindstone", "Touchstone", "Millstone"];

const STARTS: [&str; 32] = [
    "Amber", "Birch", "Brindle", "Cinder", "Copper", "Dapple", "Ember", "Fallow", "Fennel", "Flint", "Gorse", "Hazel",
    "Heron", "Indigo", "Juniper", "Kelp", "Lichen", "Marl", "Moss", "Nettle", "Ochre", "Pebble", "Plover", "Quill",
    "Rowan", "Sedge", "Sorrel", "Tansy", "Teasel", "Umber", "Willow", "Yarrow",
];

const ENDS: [&str; 24] = [
    "bank", "barrow", "beck", "bolt", "brook", "croft", "dale", "fen", "field", "ford", "gate", "heath", "holt",
    "knoll", "ley", "marsh", "mere", "moor", "pike", "ridge", "stead", "thorn", "wick", "wood",
];

/// Generates names, each once.
#[derive(Debug, Default)]
pub(super) struct UniqueNames {
    given: BTreeSet<String>,
}

impl UniqueNames {
    /// Returns a name that was not returned before: `wanted` if it is free, otherwise a random one.
    pub(super) fn pick_unused(&mut self, wanted: Option<&str>, random: &mut Rng) -> Handle {
        let mut name = wanted.map_or_else(|| generate_name(random), str::to_owned);
        while !self.given.insert(name.clone()) {
            name = generate_name(random);
            // With one more letter there are more names than the maximum number of players.
            if self.given.contains(&name) {
                name.push(random.lowercase());
            }
        }
        Handle::from_wire(name.as_bytes())
    }
}

fn generate_name(random: &mut Rng) -> String {
    [&STARTS[..], &ENDS[..]].map(|parts| random.choice(parts).copied().unwrap_or_default()).concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_valid_and_unique() {
        let (mut names, mut random) = (UniqueNames::default(), Rng::with_seed(3));
        let made: BTreeSet<String> = (0..2000).map(|_| names.pick_unused(None, &mut random).to_string()).collect();
        assert_eq!(made.len(), 2000);
        assert!(
            made.iter().all(|name| (3..=17).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphabetic()))
        );
        assert_eq!(names.pick_unused(Some("Whetstone"), &mut random).as_str(), "Whetstone");
        assert_ne!(names.pick_unused(Some("Whetstone"), &mut random).as_str(), "Whetstone");
    }
}
