//! Random names, titles, ratings and chat.

use super::rng::Rng;

const NAMES: [&str; 64] = [
    "Abel",
    "Rookie",
    "Marbella",
    "Quietus",
    "pawnstorm",
    "GuestKXQP",
    "GuestBBRT",
    "Zugzwang",
    "blitzen",
    "TwoKnights",
    "Lucena",
    "Philidor",
    "vancura",
    "Saavedra",
    "Troitzky",
    "Morphology",
    "HorwitzBishops",
    "AlekhinesPistol",
    "kotovsyndrome",
    "Dragoneer",
    "Najdorfian",
    "Bo",
    "Ivo",
    "Ana",
    "tal",
    "Sicilienne",
    "gambiteer",
    "OpenFile",
    "BackRankMate",
    "halfopen",
    "Fianchetto",
    "EnPassant",
    "Underpromotion",
    "Windmiller",
    "smothered",
    "Caissa",
    "exd",
    "Wayfarer",
    "Nightowl",
    "Lighthouse",
    "Tempo",
    "outpost",
    "IsolaniPlayer",
    "HangingPawns",
    "minority",
    "Skewer",
    "xray",
    "GuestZZPL",
    "GuestMMNH",
    "decoyed",
    "Interference",
    "Zwischenzug",
    "desperado",
    "perpetual",
    "StalemateTrick",
    "fortress",
    "oppositionist",
    "Triangulate",
    "KeySquares",
    "RuleOfTheSquare",
    "Breakthrough",
    "WrongBishop",
    "theexchange",
    "InitiativeSeeker",
];

const TITLES: [&str; 10] = ["", "", "", "", "", "(C)", "(U)", "(FM)", "(TD)", "(GM)(*)"];

const WORDS: [&str; 72] = [
    "the", "a", "is", "to", "and", "you", "that", "it", "i", "of", "for", "not", "was", "but", "on", "so", "he",
    "white", "black", "rook", "knight", "bishop", "queen", "pawn", "king", "e4", "Nf3", "c5", "Bxf7+", "O-O", "Qh5",
    "good", "game", "gg", "thanks", "nice", "move", "lol", "time", "trouble", "anyone", "want", "play", "3", "0",
    "rated", "unrated", "why", "did", "resign", "draw", "here", "lost", "won", "think", "engine", "says", "+0.3",
    "line", "better", "mate", "in", "two", "hello", "channel", "help", "how", "do", "observe", "server", "lag", "cool",
];

const ENDS: [&str; 8] = ["", "", "", ".", "!", "?", " :)", "..."];

pub(crate) fn name(rng: &mut Rng) -> &'static str {
    rng.pick(&NAMES)
}

pub(crate) fn titles(rng: &mut Rng) -> &'static str {
    rng.pick(&TITLES)
}

/// Returns a rating in four columns, as between brackets: a number, `----` for none, `++++` for a guest.
pub(crate) fn rating(rng: &mut Rng) -> String {
    match rng.below(10) {
        0 => "----".to_owned(),
        1 => "++++".to_owned(),
        _ => format!("{:4}", rng.between(750, 2600)),
    }
}

/// Returns random words of a chat line: mostly a few, sometimes up to 70.
pub(crate) fn chat(rng: &mut Rng) -> String {
    let n_words = match rng.below(100) {
        0..30 => rng.between(1, 3),
        30..75 => rng.between(4, 10),
        75..95 => rng.between(11, 25),
        _ => rng.between(26, 70),
    };
    let mut text = String::new();
    for i in 0..n_words {
        text.push_str(if i == 0 { "" } else { " " });
        text.push_str(rng.pick(&WORDS));
    }
    text.push_str(rng.pick(&ENDS));
    if rng.percent(1) {
        text.push_str(" &#x263a;");
    }
    text
}
