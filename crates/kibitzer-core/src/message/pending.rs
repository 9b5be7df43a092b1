//! `<pt>`, `<pf>`, `<pr>`: the list of offers that wait for an answer.

use super::{Challenge, Handle, MeOrOther, fields};
use crate::text::ServerText;

/// An offer that waits for an answer: `<pf> 7 w=Foo t=match p=Foo (1708) Bar (----) unrated blitz 5 0`.
///
/// Source: FICS help file `pendinfo`; captured sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PendingOffer {
    /// Whether this login made the offer (`<pt>`, [`MeOrOther::Me`]) or received it (`<pf>`, [`MeOrOther::Other`]).
    pub actor: MeOrOther,
    /// The number of the offer, which `accept`, `decline` and `withdraw` take.
    pub index: u32,
    /// The other player.
    pub name: Handle,
    /// The kind of offer as received: `match`, `draw`, `takeback`, `partner` …
    pub kind: ServerText,
    /// The rest of the line: the terms of a match, a number of plies, or `#` for none.
    pub parameters: ServerText,
}

impl PendingOffer {
    /// Parses [`parameters`](Self::parameters) as the terms of a challenge; `None` if the offer is not one of a game.
    pub fn terms(&self) -> Option<Challenge> {
        (self.kind == "match").then(|| Challenge::parse_terms(self.parameters.as_str().as_bytes(), self.actor))?
    }

    /// Parses a `<pt>` or `<pf>` line: the number of the offer, then `key=value` words.
    ///
    /// The value of `p` extends to the end of the line; without `p`, [`parameters`](Self::parameters) is empty. Unknown keys are
    /// ignored. `None` for any other tag, and if the number, the name (`w`) or the kind (`t`) is missing or invalid.
    #[doc(hidden)]
    pub fn parse(line: &[u8]) -> Option<Self> {
        let (actor, mut at) = match fields::after_tag(line, b"<pt>") {
            Some(at) => (MeOrOther::Me, at),
            None => (MeOrOther::Other, fields::after_tag(line, b"<pf>")?),
        };
        let index = fields::read_field_number(&mut at)?;
        let (mut name, mut kind, mut parameters) = <(&[u8], &[u8], &[u8])>::default();
        while let Some(key) = fields::next_key(&mut at) {
            match key {
                b"w" => name = fields::read_value(&mut at),
                b"t" => kind = fields::read_value(&mut at),
                // The terms of a match have blanks and equals signs, so `p` ends the search for keys.
                b"p" => parameters = at.take_rest().trim_ascii(),
                _ => {}
            }
        }
        (!name.is_empty() && !kind.is_empty()).then(|| Self {
            actor,
            index,
            name: Handle::from_wire(name),
            kind: ServerText::from_wire(kind),
            parameters: ServerText::from_wire(parameters),
        })
    }
}

/// Offers that were removed from the list for any reason: `<pr> 7 8`. Some may never have been reported.
///
/// Source: FICS help file `pendinfo`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PendingOffersRemoved {
    /// The numbers of the offers, one or more.
    pub indexes: Vec<u32>,
}

impl PendingOffersRemoved {
    /// Parses a line with its tag; `None` if it has no number, or anything besides numbers.
    #[doc(hidden)]
    pub fn parse(line: &[u8]) -> Option<Self> {
        let indexes = fields::parse_number_list(fields::after_tag(line, b"<pr>")?)?;
        Some(Self { indexes })
    }
}

#[cfg(test)]
mod tests;
