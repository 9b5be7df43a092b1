//! Speed and variant of a game, which servers print as one kind.

use super::listing::ListedTerms;
use super::{Challenge, GameCreated, GameInfo, OwnGameStarting, Seek};
use crate::text::ServerText;

/// Speed and variant of a game.
///
/// Servers mix the two in one word (`blitz` is chess, `atomic` has a speed that is not printed) or print both (`blitz crazyhouse`
/// on FatICS).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct GameKind {
    /// The speed in lower case: `lightning`, `bullet`, `blitz`, `standard`, `slow`, `untimed`, `correspondence`, on ICC also
    /// `5-minute` and the like. `None` if the server does not print it, as for most variants.
    pub speed: Option<&'static str>,
    /// The variant in lower case: one of [`VARIANTS`](Self::VARIANTS), or `wild/` with a number. `None` if the server does not print
    /// the kind, or prints an unknown word.
    pub variant: Option<ServerText>,
}

/// The speeds. Chess with unequal clocks is `nonstandard`, which is not one.
const SPEEDS: &str =
    "lightning bullet blitz standard slow untimed 1-minute 3-minute 5-minute 15-minute 45-minute correspondence";

/// FatICS's words for clocks, which follow the speed and the variant.
const CLOCKS: [&str; 3] = ["bronstein", "hourglass", "overtime"];

impl GameKind {
    /// The names of variants, except of `wild/` with a number. `wild` is one whose number is unknown.
    pub const VARIANTS: [&str; 8] =
        ["atomic", "bughouse", "chess", "chess960", "crazyhouse", "losers", "suicide", "wild"];

    /// Parses the kind as a server prints it, ignoring case: `blitz`, `wild/fr`, `Standard`, `w22`, `blitz crazyhouse`.
    ///
    /// A speed alone has the variant `chess`; the last word that is neither a speed nor a clock is the variant.
    pub fn parse(kind: &str) -> Self {
        let kind = kind.to_ascii_lowercase().replace("wild ", "wild/");
        let mut speed = None;
        let mut variant_word = None;
        for word in kind.split_ascii_whitespace().filter(|word| !CLOCKS.contains(word)) {
            let name = match word {
                // uhlin-fics's lists of moves.
                "lighting" => "lightning",
                "corr" => "correspondence",
                word => word,
            };
            match SPEEDS.split(' ').find(|speed| *speed == name) {
                Some(known) => speed = Some(known),
                None => variant_word = Some(word),
            }
        }
        Self { speed, variant: variant_word.or(speed.map(|_| "chess")).and_then(variant_from_word) }
    }

    /// Returns whether the variant is known, and its rules forbid a move that leaves one's own king attacked.
    pub fn forbids_check(&self) -> bool {
        let variant = self.variant.as_ref().map_or("", ServerText::as_str);
        matches!(variant, "chess" | "chess960" | "crazyhouse" | "bughouse" | "losers")
    }

    /// Replaces the variant `wild` by the one that the name of the start position gives: `wild/fr` is `chess960`. Other kinds do
    /// not change.
    fn resolve_wild(mut self, position: Option<&str>) -> Self {
        if self.variant.as_ref().is_some_and(|variant| variant == "wild")
            && let Some(variant) = position.and_then(|position| variant_from_word(&position.to_ascii_lowercase()))
        {
            self.variant = Some(variant);
        }
        self
    }
}

/// Returns the variant that a word in lower case stands for: `fr`, `wild/fr` and `w22` are `chess960`. `None` for an unknown word.
fn variant_from_word(word: &str) -> Option<ServerText> {
    // ICC's numbers: `w22`, `wild(22)`. Unlike there, `wild/0` of FICS is not chess.
    let icc_number = word.strip_prefix('w').map(|rest| rest.trim_start_matches("ild").trim_matches(['(', ')']));
    let name = match icc_number.and_then(|number| number.parse().ok()) {
        Some(number) => return Some(variant_from_icc_number(number)),
        None => word.strip_prefix("wild/").unwrap_or(word),
    };
    let variant = match name {
        "fr" => "chess960",
        "nonstandard" | "non-standard" => "chess",
        name if GameKind::VARIANTS.contains(&name) => name,
        _ if word.len() == name.len() => return None,
        number if number.starts_with(|first: char| first.is_ascii_digit()) => word,
        _ => "wild",
    };
    Some(ServerText::from_wire(variant.as_bytes()))
}

/// Returns the variant with this number on ICC; `wild/NUMBER` if it has no name of its own.
///
/// Source: ICC's list of wild numbers (datagram 116).
fn variant_from_icc_number(number: u16) -> ServerText {
    ServerText::from_wire(match number {
        0 => b"chess",
        17 => b"losers",
        22 => b"chess960",
        23 => b"crazyhouse",
        24 => b"bughouse",
        27 => b"atomic",
        _ => return ServerText::from_wire(format!("wild/{number}").as_bytes()),
    })
}

impl Challenge {
    /// Parses [`kind`](Self::kind) as speed and variant; [`loaded_from`](Self::loaded_from) shows which variant `wild` is.
    pub fn game_kind(&self) -> GameKind {
        GameKind::parse(self.kind.as_str()).resolve_wild(self.loaded_from.as_ref().map(ServerText::as_str))
    }
}

impl OwnGameStarting {
    /// Parses [`kind`](Self::kind) as speed and variant; [`loaded_from`](Self::loaded_from) shows which variant `wild` is.
    pub fn game_kind(&self) -> GameKind {
        GameKind::parse(self.kind.as_str()).resolve_wild(self.loaded_from.as_ref().map(ServerText::as_str))
    }
}

impl GameCreated {
    /// Parses [`kind`](Self::kind) as speed and variant; [`loaded_from`](Self::loaded_from) shows which variant `wild` is.
    pub fn game_kind(&self) -> GameKind {
        GameKind::parse(self.kind.as_str()).resolve_wild(self.loaded_from.as_ref().map(ServerText::as_str))
    }
}

impl Seek {
    /// Parses [`kind`](Self::kind) as speed and variant.
    pub fn game_kind(&self) -> GameKind {
        GameKind::parse(self.kind.as_ref().map_or("", ServerText::as_str))
    }
}

impl GameInfo {
    /// Parses [`kind`](Self::kind) as speed and variant. On ICC, the number of the variant takes precedence unless it
    /// is 0.
    pub fn game_kind(&self) -> GameKind {
        let mut kind = GameKind::parse(self.kind.as_ref().map_or("", ServerText::as_str));
        if let Some(start) = self.start.as_ref().filter(|start| start.wild != 0) {
            kind.variant = Some(variant_from_icc_number(start.wild));
        }
        kind
    }
}

impl ListedTerms {
    /// Returns the speed and the variant that the letters stand for. Both are `None` for an examined game.
    pub fn game_kind(&self) -> GameKind {
        let name = |letter| match letter {
            'b' => "blitz",
            'l' => "lightning",
            's' => "standard",
            'o' => "slow",
            'c' => "correspondence",
            'u' | '?' => "untimed",
            'w' => "wild",
            'z' => "crazyhouse",
            'B' => "bughouse",
            'L' => "losers",
            'S' => "suicide",
            'x' => "atomic",
            'n' => "nonstandard",
            '9' => "chess960",
            // Examined, and private: neither is a kind.
            'e' | 'p' => "",
            _ => "unknown",
        };
        let [mark, kind] = [self.mark, self.kind].map(|letter| letter.map_or("", name));
        GameKind::parse(&format!("{mark} {kind}"))
    }
}

#[cfg(test)]
mod tests;
