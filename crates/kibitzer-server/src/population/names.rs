//! Names of simulated players.

use std::collections::BTreeSet;

use kibitzer_core::message::Handle;

use crate::random::Random;

/// The first opponents, whose names users type.
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

/// How often another name is made up before one is made longer.
const MAX_ATTEMPTS: usize = 20;

const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz";

/// Makes up names, each once.
#[derive(Debug, Default)]
pub(super) struct Names {
    given: BTreeSet<String>,
}

impl Names {
    /// Returns an unused name: `wanted` if it is free.
    pub(super) fn next(&mut self, wanted: Option<&str>, random: &mut Random) -> Handle {
        let mut name = wanted.map_or_else(|| made_up(random), str::to_owned);
        for attempt in 0.. {
            if self.given.insert(name.clone()) {
                break;
            }
            name = made_up(random);
            if attempt >= MAX_ATTEMPTS {
                // With a letter more there are more names than anybody asks for.
                name.push(random.pick(LETTERS).copied().map_or('a', char::from));
            }
        }
        Handle::from_wire(name.as_bytes())
    }
}

fn made_up(random: &mut Random) -> String {
    let mut name = String::new();
    for parts in [&STARTS[..], &ENDS[..]] {
        name.push_str(random.pick(parts).copied().unwrap_or_default());
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_names_and_differ() {
        let (mut names, mut random) = (Names::default(), Random::new(3));
        let made: BTreeSet<String> = (0..2000).map(|_| names.next(None, &mut random).to_string()).collect();
        assert_eq!(made.len(), 2000);
        assert!(
            made.iter().all(|name| (3..=17).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphabetic()))
        );
        assert_eq!(names.next(Some("Whetstone"), &mut random).as_str(), "Whetstone");
        assert_ne!(names.next(Some("Whetstone"), &mut random).as_str(), "Whetstone");
    }
}
