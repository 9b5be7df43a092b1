//! ICC's units: level-2 datagrams and the headers of level-1 brackets, cut into their parts.

use crate::scan::Cursor;
use crate::text::PlayerText;

/// An ICC level-2 unit: a number and its arguments, decoded.
///
/// The framing is undone: words, `{…}` and `^Y{…^Y}` all give their plain text, an empty `{}` an empty one. Blanks between
/// arguments may be missing around braces.
///
/// Source: ICC's description of its level-2 format.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Datagram {
    /// Which unit it is.
    pub number: u32,
    /// Its arguments, in order. Some hold what players wrote.
    pub fields: Vec<PlayerText>,
}

const QUOTE_START: &[u8] = b"\x19{";
const QUOTE_END: &[u8] = b"\x19}";

impl Datagram {
    /// Reads what stands between `^Y(` and `^Y)`; `None` if it does not start with a number.
    ///
    /// A brace that is never closed takes the rest of the unit.
    pub fn parse(unit: &[u8]) -> Option<Self> {
        let mut at = Cursor::new(unit);
        at.blanks();
        let number = at.number()?;
        let mut fields = Vec::new();
        at.blanks();
        while !at.is_empty() {
            fields.push(PlayerText::from_wire(argument(&mut at)));
            at.blanks();
        }
        Some(Self { number, fields })
    }
}

fn argument<'a>(at: &mut Cursor<'a>) -> &'a [u8] {
    if at.eat(QUOTE_START) {
        at.until(QUOTE_END).unwrap_or_else(|| at.take_rest())
    } else if at.eat(b"{") {
        at.until(b"}").unwrap_or_else(|| at.take_rest())
    } else {
        let word = at.take_while(|b| !matches!(b, b' ' | b'{' | 0x19 | b'\n' | b'\r'));
        // A control byte that starts no quotation is a word of its own, so that the walk goes on.
        if word.is_empty() { at.take_one() } else { word }
    }
}

/// The first line of an ICC level-1 unit.
///
/// Source: ICC's description of its level-1 format.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnitHeader {
    /// Which command's output follows.
    pub command: u32,
    /// Who gave it: `*` for this login.
    pub player: PlayerText,
    /// The tag the client gave the command.
    pub tag: Option<PlayerText>,
}

impl UnitHeader {
    /// Reads what stands between `^Y[` and the end of that line: a number, a name and perhaps a tag.
    pub fn parse(header: &[u8]) -> Option<Self> {
        let mut at = Cursor::new(header);
        let command = at.number()?;
        at.blanks();
        let player = PlayerText::from_wire(at.word()?);
        at.blanks();
        Some(Self { command, player, tag: at.word().map(PlayerText::from_wire) })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fields(unit: &str) -> Vec<String> {
        Datagram::parse(unit.as_bytes()).unwrap().fields.iter().map(|field| field.as_str().to_owned()).collect()
    }

    // Rules: icc DG1, icc DG2, icc DG3, icc DG4, bugs 80, bugs 82, bugs 84
    #[test]
    fn arguments_of_every_form() {
        let cases: &[(&str, &[&str])] = &[
            ("124 24 1", &["24", "1"]),
            ("32 Flash {TD} 2 {a b}", &["Flash", "TD", "2", "a b"]),
            ("25 464 *{g3 g2g3 1 59}{d5 d7d5 0 60}", &["464", "*", "g3 g2g3 1 59", "d5 d7d5 0 60"]),
            ("18 {} {IM} {}", &["", "IM", ""]),
            ("31 x \x19{a}b {c) (\x19} 1", &["x", "a}b {c) (", "1"]),
            ("9999 extra", &["extra"]),
            ("109", &[]),
            ("1 {never closed", &["never closed"]),
        ];
        for &(unit, want) in cases {
            assert_eq!(fields(unit), want, "{unit:?}");
        }
        assert_eq!(Datagram::parse(b"x"), None);
    }

    // Rules: bugs 81
    #[test]
    fn a_level_1_header_has_a_command_a_player_and_perhaps_a_tag() {
        let header = UnitHeader::parse(b"101 * tag").unwrap();
        assert_eq!((header.command, header.player.as_str()), (101, "*"));
        assert_eq!(header.tag.map(|tag| tag.to_string()), Some("tag".to_owned()));
        assert_eq!(UnitHeader::parse(b"101 $server$").unwrap().tag, None);
        assert_eq!(UnitHeader::parse(b"101"), None);
    }

    proptest! {
        #[test]
        fn any_unit_is_read_to_its_end(unit in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Datagram::parse(&unit);
            let _ = UnitHeader::parse(&unit);
        }
    }
}
