//! Challenges: proposals of one player to another to play a game.

use super::template::{read_bracketed_color, read_name, read_rated};
use super::{Handle, MeOrOther, Rating};
use crate::chess::Color;
use crate::scan::{Cursor, parse_decimal};
use crate::text::ServerText;

/// A challenge that this login received, or the server's confirmation of one that this login sent.
///
/// `Challenge: Foo (1500P) [white] Bar (1671) unrated blitz 5 0.` for a received one, `Issuing: …` for a sent one,
/// `Updating match request to: …` for a changed one. After the clocks, in any order: `Loaded from wild/fr` with or
/// without brackets, `(adjourned)`, and words of newer servers, stored in [`options`](Self::options).
///
/// Source: transcripts of two servers; FICS help file `match`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Challenge {
    /// Whether this login made the challenge ([`MeOrOther::Me`]) or received it ([`MeOrOther::Other`]).
    pub actor: MeOrOther,
    /// The challenger, whom the line names first.
    pub from: Handle,
    /// The challenger's rating for this type of game.
    pub from_rating: Rating,
    /// The color that the challenger requests; `None` if the server is to choose.
    pub from_color: Option<Color>,
    /// The challenged player.
    pub to: Handle,
    /// The challenged player's rating for this type of game.
    pub to_rating: Rating,
    /// Whether ratings are at stake.
    pub rated: bool,
    /// The type of game as received: `blitz`, `wild/fr`; may have several words or be empty.
    pub kind: ServerText,
    /// Minutes on the clock at the start; `None` in an untimed game.
    pub initial_min: Option<u32>,
    /// Seconds added per move; `None` in an untimed game.
    pub increment_s: Option<u32>,
    /// Black's minutes at the start; `None` if both sides get the same time.
    pub black_initial_min: Option<u32>,
    /// Black's increment in seconds; `None` if both sides get the same time.
    pub black_increment_s: Option<u32>,
    /// The stored position that the game starts from, such as `wild/fr`; `None` if the line names none.
    pub loaded_from: Option<ServerText>,
    /// Whether the game would resume an adjourned one.
    pub adjourned: bool,
    /// Words after the clocks without a field of their own: `idn=518`, `hourglass`, `overtime 40/90,SD/30+30`.
    pub options: Option<ServerText>,
}

impl Challenge {
    /// Parses a line that ends with a period; `None` if it is not a challenge.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let mut at = Cursor::new(line);
        let actor = if at.eat(b"Challenge: ") {
            MeOrOther::Other
        } else {
            (at.eat(b"Issuing: ") || at.eat(b"Updating match request to: ")).then_some(MeOrOther::Me)?
        };
        Self::parse_players_and_terms(at.rest().trim_ascii_end().strip_suffix(b".")?, actor)
    }

    /// Parses the text between the label and the final period, `Foo (1500P) Bar (1671) unrated blitz 5 0`, which is also the
    /// `p=` field of `<pt>` and `<pf>`. `None` if a name, a rating, or `rated`/`unrated` is missing; later words are always
    /// accepted.
    pub(crate) fn parse_players_and_terms(text: &[u8], actor: MeOrOther) -> Option<Self> {
        let mut at = Cursor::new(text);
        let (from, from_rating) = read_player_and_rating(&mut at)?;
        let from_color = read_bracketed_color(&mut at);
        let (to, to_rating) = read_player_and_rating(&mut at)?;
        let rated = read_rated(&mut at)?;
        let kind = read_kind(&mut at);
        // An untimed game has no clocks: `unrated untimed`.
        let (initial_min, increment_s) = read_minutes_and_increment(&mut at).unzip();
        // Two more numbers are Black's clock only if both are there, `1 0 : 2 1` on one server, `3 0 2 0` on others; otherwise they
        // belong to the options.
        let black_clock = at.attempt(|at| {
            let _ = at.skip_whitespace().eat(b": ");
            read_minutes_and_increment(at)
        });
        let (black_initial_min, black_increment_s) = black_clock.unzip();
        let mut challenge = Self {
            actor,
            from,
            from_rating,
            from_color,
            to,
            to_rating,
            rated,
            kind,
            initial_min,
            increment_s,
            black_initial_min,
            black_increment_s,
            loaded_from: None,
            adjourned: false,
            options: None,
        };
        challenge.set_extras(at);
        Some(challenge)
    }

    /// Stores the fields that may follow the clocks, in any order; unknown words become the options.
    fn set_extras(&mut self, mut at: Cursor<'_>) {
        let mut options = Vec::new();
        while let Some(word) = next_word(&mut at) {
            match word {
                b"(adjourned)" | b"[adjourned]" => self.adjourned = true,
                b"Loaded" | b"(Loaded" | b"[Loaded" if at.eat(b" from ") => {
                    self.loaded_from = read_position_name(&mut at);
                }
                other => options.push(other),
            }
        }
        self.options = (!options.is_empty()).then(|| ServerText::from_wire(&options.join(&b' ')));
    }
}

/// Reads a name, whose titles are skipped, and the rating after it: `Foo (1500P)`.
fn read_player_and_rating(at: &mut Cursor<'_>) -> Option<(Handle, Rating)> {
    let name = Handle::from_wire(read_name(at.skip_whitespace())?);
    Some((name, Rating::read_bracketed(at.skip_whitespace())?))
}

/// Reads the next word after optional blanks; `None` at the end.
fn next_word<'a>(at: &mut Cursor<'a>) -> Option<&'a [u8]> {
    at.skip_whitespace().word_here()
}

/// Reads the type of game: the words up to the clocks, or in an untimed game up to the first extra field. Empty if there is none.
fn read_kind(at: &mut Cursor<'_>) -> ServerText {
    at.skip_whitespace();
    let from = *at;
    let mut ahead = *at;
    while next_word(&mut ahead).is_some_and(|word| !ends_kind(word)) {
        *at = ahead;
    }
    ServerText::from_wire(at.since(from))
}

/// Returns whether a word belongs to the clocks or the extra fields, and thus no longer to the type of game.
fn ends_kind(word: &[u8]) -> bool {
    parse_decimal(word).is_some()
        || matches!(word.first(), Some(b'(' | b'['))
        || word == b"Loaded"
        || word.starts_with(b"idn=")
}

/// Reads initial minutes and increment in seconds: two numbers followed by a blank or the end. Otherwise returns `None`
/// and consumes nothing.
fn read_minutes_and_increment(at: &mut Cursor<'_>) -> Option<(u32, u32)> {
    at.attempt(|at| {
        let initial = at.skip_whitespace().number()?;
        let increment = at.expect(b" ")?.skip_whitespace().number()?;
        matches!(at.peek(), None | Some(b' ')).then_some((initial, increment))
    })
}

/// Reads the name of a stored position, without the closing bracket of `(Loaded from wild/fr)`.
fn read_position_name(at: &mut Cursor<'_>) -> Option<ServerText> {
    let board = next_word(at)?;
    Some(ServerText::from_wire(board.strip_suffix(b")").or_else(|| board.strip_suffix(b"]")).unwrap_or(board)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rating(value: u16) -> Rating {
        Rating::Established(value)
    }

    fn parsed(line: &str) -> Challenge {
        Challenge::parse(line.as_bytes()).unwrap_or_else(|| panic!("{line}"))
    }

    #[test]
    fn every_field_of_a_challenge() {
        let challenge = parsed("Challenge: A (1500P) [white] Bar ( 958) unrated blitz 5 0.");
        assert_eq!(
            challenge,
            Challenge {
                actor: MeOrOther::Other,
                from: Handle::from_wire(b"A"),
                from_rating: Rating::Provisional(1500),
                from_color: Some(Color::White),
                to: Handle::from_wire(b"Bar"),
                to_rating: rating(958),
                rated: false,
                kind: ServerText::from_wire(b"blitz"),
                initial_min: Some(5),
                increment_s: Some(0),
                black_initial_min: None,
                black_increment_s: None,
                loaded_from: None,
                adjourned: false,
                options: None,
            }
        );
    }

    #[test]
    fn heads_colors_and_ratings() {
        let cases = [
            ("Issuing: A (1500) B (1671) rated blitz 5 0.", MeOrOther::Me, None, rating(1500), rating(1671)),
            (
                "Challenge: GuestZEGN (++++) [black] Alekhine (1940) unrated blitz 2 2.",
                MeOrOther::Other,
                Some(Color::Black),
                Rating::Guest,
                rating(1940),
            ),
            (
                "Updating match request to: Dmitri (1910) [white] Carla (----) rated blitz 4 1.",
                MeOrOther::Me,
                Some(Color::White),
                rating(1910),
                Rating::Unrated,
            ),
            (
                "Challenge: A(C) (1500) B(GM)(*) (UNR) rated blitz 5 0.",
                MeOrOther::Other,
                None,
                rating(1500),
                Rating::Unrated,
            ),
        ];
        for (line, actor, color, from_rating, to_rating) in cases {
            let challenge = parsed(line);
            assert_eq!((challenge.actor, challenge.from_color), (actor, color), "{line}");
            assert_eq!((challenge.from_rating, challenge.to_rating), (from_rating, to_rating), "{line}");
        }
    }

    // Rules: bugs 60
    #[test]
    fn terms_in_every_form() {
        // kind, clock, Black's clock, board, adjourned, options
        type Terms<'a> = (&'a str, Option<(u32, u32)>, Option<(u32, u32)>, Option<&'a str>, bool, Option<&'a str>);
        let cases: &[(&str, Terms<'_>)] = &[
            ("unrated untimed", ("untimed", None, None, None, false, None)),
            ("rated blitz 3 0 2 0", ("blitz", Some((3, 0)), Some((2, 0)), None, false, None)),
            ("unrated non-standard 1 0 : 2 1", ("non-standard", Some((1, 0)), Some((2, 1)), None, false, None)),
            ("unrated wild 5 0 Loaded from wild/fr", ("wild", Some((5, 0)), None, Some("wild/fr"), false, None)),
            ("unrated wild 5 0 (Loaded from wild/fr)", ("wild", Some((5, 0)), None, Some("wild/fr"), false, None)),
            (
                "unrated wild 5 0 Loaded from wild/bughouse",
                ("wild", Some((5, 0)), None, Some("wild/bughouse"), false, None),
            ),
            ("unrated wild Loaded from wild/bughouse", ("wild", None, None, Some("wild/bughouse"), false, None)),
            (
                "unrated non-standard 5 0 Loaded from material-odds/queen",
                ("non-standard", Some((5, 0)), None, Some("material-odds/queen"), false, None),
            ),
            ("rated standard 10 10 (adjourned)", ("standard", Some((10, 10)), None, None, true, None)),
            ("rated wild 2 0 Loaded from wild/3 (adjourned)", ("wild", Some((2, 0)), None, Some("wild/3"), true, None)),
            (
                "unrated blitz chess960 5 5 idn=692",
                ("blitz chess960", Some((5, 5)), None, None, false, Some("idn=692")),
            ),
            ("unrated standard 5 0 hourglass", ("standard", Some((5, 0)), None, None, false, Some("hourglass"))),
            ("rated blitz 5 3 bronstein", ("blitz", Some((5, 3)), None, None, false, Some("bronstein"))),
            (
                "rated slow 90 30 overtime 40/90,SD/30+30",
                ("slow", Some((90, 30)), None, None, false, Some("overtime 40/90,SD/30+30")),
            ),
            ("unrated untimed idn=518", ("untimed", None, None, None, false, Some("idn=518"))),
            ("rated wild/5 2 12", ("wild/5", Some((2, 12)), None, None, false, None)),
            ("rated Blitz 5 0", ("Blitz", Some((5, 0)), None, None, false, None)),
            ("rated w22 5 0 new words 7", ("w22", Some((5, 0)), None, None, false, Some("new words 7"))),
            ("unrated  blitz bughouse  3 0 ", ("blitz bughouse", Some((3, 0)), None, None, false, None)),
        ];
        for (terms, want) in cases {
            let challenge = parsed(&format!("Challenge: A (1500) B (1671) {terms}."));
            let (clock, black) = (
                challenge.initial_min.zip(challenge.increment_s),
                challenge.black_initial_min.zip(challenge.black_increment_s),
            );
            let loaded = challenge.loaded_from.as_ref().map(ServerText::as_str);
            let options = challenge.options.as_ref().map(ServerText::as_str);
            let kind = challenge.kind.as_str();
            assert_eq!((kind, clock, black, loaded, challenge.adjourned, options), *want, "{terms}");
            assert_eq!(challenge.rated, terms.starts_with("rated"), "{terms}");
        }
    }

    #[test]
    fn the_parameters_of_a_pending_offer_have_no_head_and_no_point() {
        let challenge = Challenge::parse_players_and_terms(
            b"Bogoljubov (----) GuestSSXE (++++) unrated lightning 0 1",
            MeOrOther::Me,
        )
        .unwrap();
        assert_eq!((challenge.to.as_str(), challenge.to_rating), ("GuestSSXE", Rating::Guest));
        assert_eq!((challenge.initial_min, challenge.increment_s), (Some(0), Some(1)));
        assert_eq!(Challenge::parse_players_and_terms(b"#", MeOrOther::Me), None);
    }

    #[test]
    fn other_lines_are_not_parsed() {
        let lines = [
            "",
            "Challenge: ",
            "Challenge: A (1500) B (1671) rated blitz 5 0",
            "Challenge: A (1500) rated blitz 5 0.",
            "Challenge: A (1500) B (1671) blitz 5 0.",
            "Challenge: A B rated blitz 5 0.",
            " Challenge: A (1500) B (1671) rated blitz 5 0.",
            "Challenge from Duras removed.",
            "Creating: A (1500) B (++++) unrated blitz 5 0",
        ];
        for line in lines {
            assert_eq!(Challenge::parse(line.as_bytes()), None, "{line}");
        }
    }
}
