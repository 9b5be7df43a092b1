//! Phrases of simulated players.

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
