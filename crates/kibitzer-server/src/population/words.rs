//! Names and phrases of simulated players.

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

/// Talk in channels, with the channel's number.
pub(super) const CHANNEL: [(&str, &str); 14] = [
    ("1", "how do I see all my variables?"),
    ("1", "try \"variables\", or \"help variables\" for what they mean"),
    ("1", "is there a way to follow one player's games?"),
    ("1", "\"observe\" takes a name as well as a number"),
    ("1", "thanks, that worked"),
    ("50", "anyone seen a good endgame today?"),
    ("50", "rook and pawn, I lost on time in a drawn position again"),
    ("50", "that happens to the best of us"),
    ("50", "board 1 is getting sharp"),
    ("50", "I never know what to do against the London"),
    ("50", "castle, then panic"),
    ("50", "brb, tea"),
    ("50", "re"),
    ("50", "who left the h-file open :)"),
];

pub(super) const SHOUTS: [&str; 8] = [
    "good morning all",
    "anyone for a slow game? 15 5 or so",
    "unrated 3 0, no hurry",
    "lost a queen to a knight fork, going for a walk",
    "five wins in a row, time to stop",
    "which way did the bishop go?",
    "thanks for the games, good night",
    "looking for a bughouse partner later",
];

/// It-shouts, after the name: `--> Foo …`.
pub(super) const IT_SHOUTS: [&str; 4] =
    ["waves", "sharpens a pencil", "'s cat is on the keyboard", "wonders about the exchange sacrifice"];

/// Remarks about the player's own game.
pub(super) const KIBITZES: [&str; 8] = [
    "hm",
    "that was not the plan",
    "I missed that completely",
    "nice idea",
    "should be equal",
    "time is the problem here",
    "the knight is stronger than it looks",
    "now it gets interesting",
];

/// Replies to a tell.
pub(super) const ANSWERS: [&str; 6] =
    ["hello", "hi there", "sorry, thinking", "could be", "good question", "after this game, maybe"];

/// Tells to an opponent at the start and at the end of a game.
pub(super) const GREETINGS: [&str; 3] = ["hi, good luck", "have fun", "hello"];
pub(super) const FAREWELLS: [&str; 3] = ["good game", "thanks", "well played"];

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
