//! Chat: tells, shouts, kibitzes, channel tells, announcements.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use super::template::read_template;
use super::{GameId, Handle, Rating, Titles};
use crate::scan::{Cursor, parse_decimal};
use crate::text::{LineBytes, PlayerText, decode_latin_1};

/// A line of chat: `Foo(C) tells you: hello`, `Foo(TD)(49): start`, `--> Foo waves`.
///
/// The start of the line determines the kind. The rest is the player's text and is not parsed, so a `<12>` or a `tells you:` in
/// it stays text. The text may be empty; its leading blanks are preserved, and its entities are decoded.
///
/// It is a view of its line: the methods decode the speaker, the titles and the text on demand.
///
/// Source: help files `tell`, `shout`, `channel`, `kibitz`, `qtell`; transcripts of two servers.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Talk {
    /// The kind of talk.
    pub kind: TalkKind,
    places: TalkPositions,
    line: LineBytes,
    /// Parts that replace those of the line, because the line does not have them or has them in another form.
    apart: Option<Box<SeparateParts>>,
}

/// Positions of the parts of talk in its line, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct TalkPositions {
    /// Start and end of the name; both 0 if there is none.
    name: [usize; 2],
    /// End of the titles, which follow the name.
    titles_end: usize,
    /// Start of the text, which extends to the end of the line.
    text: usize,
}

/// The parts of talk that are not taken from its line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SeparateParts {
    from: Handle,
    titles: Titles,
    /// The text; `None` if it is in the line.
    text: Option<PlayerText>,
}

/// Kind of a chat line, by the command that the speaker used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TalkKind {
    /// `Foo tells you: x`
    #[default]
    Tell,
    /// `Foo[26] says: x`, from an opponent.
    Say {
        /// The game, if the line names it; it does not after the game's end.
        game: Option<GameId>,
    },
    /// `Foo (your partner) tells you: x`, in bughouse.
    PartnerTell,
    /// `Foo shouts: x`
    Shout,
    /// `--> Foo x`
    ItShout,
    /// `Foo c-shouts: x`, on ICC `Foo s-shouts: x`.
    CShout,
    /// `Foo(50): x`
    ChannelTell {
        /// Number of the channel, at most three digits.
        channel: u16,
    },
    /// `Foo(1882)[1] kibitzes: x`
    Kibitz {
        /// The game, if the line names it.
        game: Option<GameId>,
        /// The speaker's rating, if the line has one.
        rating: Option<Rating>,
    },
    /// `Foo(1882)[1] whispers: x`
    Whisper {
        /// The game, if the line names it.
        game: Option<GameId>,
        /// The speaker's rating, if the line has one.
        rating: Option<Rating>,
    },
    /// `    **ANNOUNCEMENT** from Foo: x`, on ICC `Foo announces: x`.
    Announcement,
    /// `:x`, on ICC `>x`: output of a robot, each line on its own.
    Qtell,
    /// `Foo at Mon Jan  1, 10:00 PST 2024: x`, after its number in a listing; while the receiver is online two lines,
    /// `Foo just sent you a message:` and `    x`.
    Message,
}

impl Talk {
    /// Parses a line of chat; `None` for any other line. A line that starts with a blank can only be an announcement or a
    /// numbered message.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let mut talk = Self::default();
        talk.overwrite_from_line(line).then_some(talk)
    }

    /// Replaces this value by the talk in a line, and returns `true`. Returns `false`, without a change, if the line is not talk.
    pub(super) fn overwrite_from_line(&mut self, line: &[u8]) -> bool {
        let Some((kind, places)) = find_parts(line) else { return false };
        (self.kind, self.places, self.apart) = (kind, places, None);
        self.set_line(line);
        true
    }

    /// Creates a [`TalkKind::Message`] that the server quotes; its text is the last `text_length` bytes of the line.
    pub(super) fn new_quoted_message((from, titles): (Handle, Titles), line: &[u8], text_length: usize) -> Self {
        let places = TalkPositions { text: line.len().saturating_sub(text_length), ..TalkPositions::default() };
        let apart = Some(Box::new(SeparateParts { from, titles, text: None }));
        Self { kind: TalkKind::Message, places, line: LineBytes::from_slice(line), apart }
    }

    /// Creates talk whose text is not in its line, as in a datagram. The line is empty until [`set_line`](Self::set_line).
    pub(super) fn with_text(kind: TalkKind, from: Handle, titles: Titles, text: PlayerText) -> Self {
        let apart = Some(Box::new(SeparateParts { from, titles, text: Some(text) }));
        Self { kind, apart, ..Self::default() }
    }

    /// Returns the speaker. `None` for a [`TalkKind::Qtell`] line, which does not name its sender, and for an announcement
    /// without a name.
    pub fn from(&self) -> Option<Handle> {
        if let Some(apart) = &self.apart {
            return Some(apart.from.clone());
        }
        let [start, end] = self.places.name;
        Some(self.line.get(start..end)?).filter(|name| !name.is_empty()).map(Handle::from_wire)
    }

    /// Returns the speaker's titles; empty if the line has none.
    pub fn titles(&self) -> Titles {
        let TalkPositions { name: [_, start], titles_end, .. } = self.places;
        let in_line = || Titles::from_bracketed(self.line.get(start..titles_end).unwrap_or_default());
        self.apart.as_ref().map_or_else(in_line, |apart| apart.titles.clone())
    }

    /// Returns the decoded text of the player (see [`decode_latin_1`]). It must not be parsed as protocol.
    pub fn text(&self) -> Cow<'_, str> {
        match self.apart.as_ref().and_then(|apart| apart.text.as_ref()) {
            Some(text) => Cow::Borrowed(text.as_str()),
            None => decode_latin_1(self.line.get(self.places.text..).unwrap_or_default()),
        }
    }

    /// Returns the byte ranges of the speaker's name, the titles and the text in the line; the range of a name or of titles that
    /// are not in the line is empty.
    ///
    /// For talk from an ICC datagram the ranges do not apply: that of the text is the complete line.
    pub fn name_titles_text_ranges(&self) -> [Range<usize>; 3] {
        let TalkPositions { name: [start, end], titles_end, text } = self.places;
        [start..end, end..titles_end, text..self.line.len()]
    }

    /// Returns the line as received; empty until it is set. See [`Received::raw`](super::Received::raw).
    pub(super) fn line(&self) -> &[u8] {
        &self.line
    }

    /// Replaces the line; the other parts do not change.
    pub(super) fn set_line(&mut self, line: &[u8]) {
        self.line.clear();
        self.line.extend_from_slice(line);
    }
}

#[expect(clippy::missing_fields_in_debug, reason = "the line repeats the other fields")]
impl fmt::Debug for Talk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Talk")
            .field("kind", &self.kind)
            .field("from", &self.from())
            .field("titles", &self.titles())
            .field("text", &format_args!("PlayerText({:?})", self.text()))
            .finish()
    }
}

/// Determines the kind of a chat line and the positions of its parts; `None` if the line is not talk.
fn find_parts(line: &[u8]) -> Option<(TalkKind, TalkPositions)> {
    match line.first()? {
        b'a'..=b'z' | b'A'..=b'Z' => parse_player_talk(line, Cursor::new(line)),
        b' ' | b'*' | b'0'..=b'9' => parse_announcement(line).or_else(|| parse_listed_message(line)),
        b':' | b'>' => parse_qtell(line),
        b'-' => parse_it_shout(line),
        _ => None,
    }
}

/// Returns the byte position of the cursor in its line.
const fn cursor_offset(line: &[u8], at: &Cursor<'_>) -> usize {
    line.len().saturating_sub(at.rest().len())
}

/// Reads a name and its titles, and returns their positions; that of the text is 0.
fn read_speaker(line: &[u8], at: &mut Cursor<'_>) -> Option<TalkPositions> {
    let start = cursor_offset(line, at);
    Handle::read(at)?;
    let end = cursor_offset(line, at);
    Titles::skip(at);
    Some(TalkPositions { name: [start, end], titles_end: cursor_offset(line, at), text: 0 })
}

/// Reads a name that need not be a handle, one or more bytes other than blanks and colons, and returns its position; that of the
/// text is 0.
fn read_free_form_name(line: &[u8], at: &mut Cursor<'_>) -> Option<TalkPositions> {
    let start = cursor_offset(line, at);
    let is_empty = at.take_while(|b| b != b' ' && b != b':').is_empty();
    let end = cursor_offset(line, at);
    (!is_empty).then_some(TalkPositions { name: [start, end], titles_end: end, text: 0 })
}

/// Parses a line, from the cursor on, that starts with the speaker's name: `Foo(C) tells you: hello`.
fn parse_player_talk(line: &[u8], mut at: Cursor<'_>) -> Option<(TalkKind, TalkPositions)> {
    let speaker = read_speaker(line, &mut at)?;
    let kind = TalkKind::read(&mut at)?;
    Some((kind, TalkPositions { text: read_text_start(line, &mut at)?, ..speaker }))
}

/// Parses `--> Foo waves`. Text that follows the name without a blank belongs to the player: `--> Foo's cat`.
fn parse_it_shout(line: &[u8]) -> Option<(TalkKind, TalkPositions)> {
    let mut at = Cursor::new(line);
    let speaker = read_speaker(line, at.expect(b"--> ")?)?;
    let _ = at.eat(b" ");
    Some((TalkKind::ItShout, TalkPositions { text: cursor_offset(line, &at), ..speaker }))
}

/// Parses `    **ANNOUNCEMENT** from Foo: x`; guests receive `**UNREG ANNOUNCEMENT**`, and older servers send no name. Any single
/// word before the colon is accepted as the name.
fn parse_announcement(line: &[u8]) -> Option<(TalkKind, TalkPositions)> {
    let mut at = Cursor::new(line);
    let _ = at.skip_whitespace().expect(b"**")?.eat(b"UNREG ");
    at.expect(b"ANNOUNCEMENT**")?;
    let announcer = at.between(b" from ", b":", |at| read_speaker(line, at));
    let announcer =
        announcer.or_else(|| at.between(b" from ", b":", |at| read_free_form_name(line, at))).unwrap_or_default();
    Some((TalkKind::Announcement, TalkPositions { text: read_text_start(line, &mut at)?, ..announcer }))
}

/// Parses a numbered message, ` 1. Foo at DATE: x`; not the notes in a finger reply, which have a colon after the number.
fn parse_listed_message(line: &[u8]) -> Option<(TalkKind, TalkPositions)> {
    let mut at = Cursor::new(line);
    at.skip_whitespace();
    at.number::<u32>()?;
    at.expect(b". ")?;
    parse_player_talk(line, at).filter(|(kind, _)| *kind == TalkKind::Message)
}

/// Parses a line of a robot's output, `:x` or `>x`; `None` for any other line, including server lines with such a start.
fn parse_qtell(line: &[u8]) -> Option<(TalkKind, TalkPositions)> {
    // The answers to an empty command name, and the end of a style 10 board.
    const OTHERS: [&[u8]; 3] = [b": Command not found.", b": Command has failed.", b">10<"];
    let is_output = match line {
        [b':', ..] => true,
        // A prompt that a player set to `>` has a blank after it.
        [b'>', text @ ..] => text.first().is_some_and(|&b| b != b' '),
        _ => false,
    };
    (is_output && !OTHERS.contains(&line))
        .then(|| (TalkKind::Qtell, TalkPositions { text: 1, ..TalkPositions::default() }))
}

impl TalkKind {
    /// Reads the text between the speaker and the player's text, including the colon; `None` if it has an unknown form.
    fn read(at: &mut Cursor<'_>) -> Option<Self> {
        if let Some(channel) = read_channel(at) {
            return Some(Self::ChannelTell { channel });
        }
        let rating = Rating::read_bracketed(at);
        let game = read_game(at);
        at.expect(b" ")?;
        Some(match (at.word_here()?, rating, game) {
            (b"tells", None, None) if at.eat(b" you:") => Self::Tell,
            (b"(your", None, None) if at.eat(b" partner) tells you:") => Self::PartnerTell,
            (b"says:", None, game) => Self::Say { game },
            (b"shouts:", None, None) => Self::Shout,
            (b"c-shouts:" | b"s-shouts:", None, None) => Self::CShout,
            (b"kibitzes:", rating, game) => Self::Kibitz { game, rating },
            (b"whispers:", rating, game) => Self::Whisper { game, rating },
            (b"announces:", None, None) => Self::Announcement,
            // Players cannot write this start of a line: the name and the date are the server's.
            (b"at", None, None) if skip_date(at).is_some() => Self::Message,
            _ => return None,
        })
    }
}

/// Reads a channel number of up to three digits, `(50):`. Consumes nothing otherwise, as at the rating in `(1500) kibitzes:`.
fn read_channel(at: &mut Cursor<'_>) -> Option<u16> {
    at.between(b"(", b"):", |at| {
        let digits = at.take_while(|b| b.is_ascii_digit());
        u16::try_from(parse_decimal(digits).filter(|_| digits.len() <= 3)?).ok()
    })
}

/// Reads a game number in square brackets, `[26]`.
fn read_game(at: &mut Cursor<'_>) -> Option<GameId> {
    at.between(b"[", b"]", GameId::read)
}

/// Reads the blank between the colon and the player's text, and returns the position of the text; `None` without the blank. At
/// the end of the line it may be missing, because servers remove blanks there. Further blanks belong to the text.
fn read_text_start(line: &[u8], at: &mut Cursor<'_>) -> Option<usize> {
    (at.is_empty() || at.eat(b" ")).then(|| cursor_offset(line, at))
}

/// Skips a date and its colon: ` Mon Jan  1, 10:00 PST 2024:` with or without the year, or ` 2026-11-21 00:36 UTC:`. The zone may
/// be `???`; names and values are not checked. `None` for any other text.
fn skip_date(at: &mut Cursor<'_>) -> Option<()> {
    [" @ @ #, ", " #-#-# "].iter().find_map(|day| at.attempt(|at| read_template(at, day)))?;
    read_template(at, "#:# ")?;
    (!at.take_while(|b| b.is_ascii_uppercase() || b == b'?').is_empty()).then_some(())?;
    if at.eat(b" ") {
        at.number::<u16>()?;
    }
    at.expect(b":").map(drop)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::TalkKind::*;
    use super::*;

    const GAME_1: Option<GameId> = Some(GameId(1));

    const fn rated(value: u16) -> Rating {
        Rating::Established(value)
    }

    /// Line, kind, name (empty: none), titles, text.
    type Row = (&'static str, TalkKind, &'static str, &'static [&'static str], &'static str);

    fn check(rows: &[Row]) {
        for &(line, kind, from, titles, text) in rows {
            let talk = Talk::parse(line.as_bytes()).unwrap_or_else(|| panic!("not talk: {line}"));
            assert_eq!(talk.kind, kind, "{line}");
            assert_eq!(talk.from().as_ref().map_or("", Handle::as_str), from, "{line}");
            assert_eq!(talk.titles().iter().collect::<Vec<_>>(), titles, "{line}");
            assert_eq!(talk.text(), text, "{line}");
        }
    }

    fn check_none(lines: &[&str]) {
        for line in lines {
            assert_eq!(Talk::parse(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn every_form_of_talk() {
        check(&[
            ("Foo(C) tells you: hello", Tell, "Foo", &["C"], "hello"),
            ("GuestHYMY(U) tells you: from guest 5", Tell, "GuestHYMY", &["U"], "from guest 5"),
            ("guest53 tells you: hi", Tell, "guest53", &[], "hi"),
            ("Foo(GM TD) tells you: hi", Tell, "Foo", &["GM", "TD"], "hi"),
            ("Boris says: good luck!", Say { game: None }, "Boris", &[], "good luck!"),
            ("Bogoljubov[1] says: hi \"there\"", Say { game: GAME_1 }, "Bogoljubov", &[], "hi \"there\""),
            ("Foo(TD)[26] says: gg", Say { game: Some(GameId(26)) }, "Foo", &["TD"], "gg"),
            ("Carla (your partner) tells you: ok: no \"knights\"", PartnerTell, "Carla", &[], "ok: no \"knights\""),
            ("Foo(U) (your partner) tells you: N!", PartnerTell, "Foo", &["U"], "N!"),
            ("Foo(*) shouts: hi", Shout, "Foo", &["*"], "hi"),
            ("Bogoljubov c-shouts: learn: the \"Caro\" 1%", CShout, "Bogoljubov", &[], "learn: the \"Caro\" 1%"),
            ("Foo s-shouts: hi", CShout, "Foo", &[], "hi"),
            ("Foo(GM)(*)(50): x", ChannelTell { channel: 50 }, "Foo", &["GM", "*"], "x"),
            ("Alekhine(53):    leading", ChannelTell { channel: 53 }, "Alekhine", &[], "   leading"),
            ("Foo(0): x", ChannelTell { channel: 0 }, "Foo", &[], "x"),
            (
                "Alekhine(1940)[1] whispers: a",
                Whisper { game: GAME_1, rating: Some(rated(1940)) },
                "Alekhine",
                &[],
                "a",
            ),
            ("    **ANNOUNCEMENT** from admin: back: soon", Announcement, "admin", &[], "back: soon"),
            ("    **UNREG ANNOUNCEMENT** from Headadm(*): behave", Announcement, "Headadm", &["*"], "behave"),
            ("    **ANNOUNCEMENT** from 1st_admin: back", Announcement, "1st_admin", &[], "back"),
            ("    **ANNOUNCEMENT** from now on: no guests", Announcement, "", &[], "from now on: no guests"),
            ("**ANNOUNCEMENT** shutdown at 5", Announcement, "", &[], "shutdown at 5"),
            ("Foo announces: shutdown", Announcement, "Foo", &[], "shutdown"),
            (":Foo(TM) t-shouts: blitz in 5 minutes", Qtell, "", &[], "Foo(TM) t-shouts: blitz in 5 minutes"),
            (":", Qtell, "", &[], ""),
            (">Standings: 1. Foo", Qtell, "", &[], "Standings: 1. Foo"),
        ]);
    }

    #[test]
    fn messages_have_a_date() {
        check(&[
            ("1. Foo at Mon Jan  1, 10:00 PST 2024: hi", Message, "Foo", &[], "hi"),
            (" 1. Carla at Sat Nov 21,  0:36 UTC: 100% \\ ok", Message, "Carla", &[], "100% \\ ok"),
            ("Alekhine at 2026-11-21 00:36 UTC: read \"this\": 50%", Message, "Alekhine", &[], "read \"this\": 50%"),
            ("Foo(TD) at Mon Jan  1, 10:00 ??? 2024: hi", Message, "Foo", &["TD"], "hi"),
        ]);
        check_none(&[
            "Foo at home: hi",
            "Foo at Mon: hi",
            "Foo at 10:00: hi",
            "1. Foo tells you: hi",
            "1. Foo at noon: hi",
            "Carla just sent you a message:",
            "    leave a \"message\": 100% \\ ok",
            "The following message was received:",
        ]);
    }

    // Rules: text X6, bugs 55
    #[test]
    fn ratings_of_kibitzes_in_every_form() {
        let provisional = Some(Rating::Provisional(1500));
        let estimated = Some(Rating::Estimated(2158));
        check(&[
            (
                "Foo(C)( 958)[235] kibitzes: +0.3",
                Kibitz { game: Some(GameId(235)), rating: Some(rated(958)) },
                "Foo",
                &["C"],
                "+0.3",
            ),
            ("Alekhine(1882)[1] kibitzes: x", Kibitz { game: GAME_1, rating: Some(rated(1882)) }, "Alekhine", &[], "x"),
            ("Foo(----)[1] kibitzes: x", Kibitz { game: GAME_1, rating: Some(Rating::Unrated) }, "Foo", &[], "x"),
            ("Foo(U)(++++)[1] kibitzes: x", Kibitz { game: GAME_1, rating: Some(Rating::Guest) }, "Foo", &["U"], "x"),
            ("Foo(1500P)[1] kibitzes: x", Kibitz { game: GAME_1, rating: provisional }, "Foo", &[], "x"),
            ("Foo(2158E)[1] whispers: x", Whisper { game: GAME_1, rating: estimated }, "Foo", &[], "x"),
            ("Carla(1882) kibitzes: e4", Kibitz { game: None, rating: Some(rated(1882)) }, "Carla", &[], "e4"),
            ("Foo[12] kibitzes: x", Kibitz { game: Some(GameId(12)), rating: None }, "Foo", &[], "x"),
        ]);
    }

    // Rules: text X0, bugs 42, ten 8
    #[test]
    fn the_start_decides_and_the_rest_is_text() {
        let line = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1";
        let shout = format!("Alekhine shouts: {line}");
        assert_eq!(Talk::parse(shout.as_bytes()).unwrap().text(), line);
        check(&[
            ("Foo shouts: {Game 5 (A vs. B) A resigns} 1-0", Shout, "Foo", &[], "{Game 5 (A vs. B) A resigns} 1-0"),
            ("--> Alekhine tells you: fake", ItShout, "Alekhine", &[], "tells you: fake"),
            ("Alekhine tells you: tells you: fake", Tell, "Alekhine", &[], "tells you: fake"),
        ]);
        check_none(&[
            "foo bar tells you: x",
            "Foo  tells you: x",
            "Foo (C) tells you: x",
            " Foo tells you: x",
            "Foo tells you x",
            "Foo tells you:x",
            "Foo tells me: x",
            "Foo(1500) tells you: x",
            "Foo[3] shouts: x",
            "(told Foo)",
            "(4) Boris shouts: hello",
            "Game 4: Game clock paused.",
            "Creating: A (1500) B (1671) unrated blitz 5 0",
        ]);
    }

    // Rules: text X1, bugs 56
    #[test]
    fn longer_arrows_are_not_shouts() {
        check_none(&["----> Foo waves", "---> Foo waves", "-->  Foo waves", "-->Foo waves", "--> (x)", "--> ", "-->"]);
    }

    // Rules: bugs 57
    #[test]
    fn it_shouts_may_go_on_without_a_blank() {
        check(&[
            ("--> Foo waves", ItShout, "Foo", &[], "waves"),
            ("--> Foo's cat", ItShout, "Foo", &[], "'s cat"),
            ("--> Foo, too", ItShout, "Foo", &[], ", too"),
            ("--> Foo(TD) waves", ItShout, "Foo", &["TD"], "waves"),
            ("--> MAd> (hm)", ItShout, "MAd", &[], "> (hm)"),
            ("--> Foo", ItShout, "Foo", &[], ""),
        ]);
    }

    // Rules: text X2
    #[test]
    fn the_text_may_be_empty() {
        check(&[
            ("Foo tells you: ", Tell, "Foo", &[], ""),
            ("Foo tells you:", Tell, "Foo", &[], ""),
            ("Boris(1): ", ChannelTell { channel: 1 }, "Boris", &[], ""),
            ("Guestling(22):", ChannelTell { channel: 22 }, "Guestling", &[], ""),
        ]);
    }

    // Rules: text X3, bugs 58
    #[test]
    fn a_channel_tell_may_quote_a_tell() {
        check(&[
            ("Foo(50): Bar tells you: x", ChannelTell { channel: 50 }, "Foo", &[], "Bar tells you: x"),
            ("Foo(50): tells you: x", ChannelTell { channel: 50 }, "Foo", &[], "tells you: x"),
        ]);
    }

    // Rules: text X4
    #[test]
    fn a_channel_is_a_number() {
        check(&[
            ("Foo(50): x", ChannelTell { channel: 50 }, "Foo", &[], "x"),
            ("Foo(255): x", ChannelTell { channel: 255 }, "Foo", &[], "x"),
        ]);
        check_none(&["Foo(C): x", "Foo(T50): x", "Foo(1882): x", "Foo(): x", "Foo: x", "Foo(-1): x", "Foo(50)(C): x"]);
    }

    // Rules: text X5
    #[test]
    fn entities_are_decoded_after_typing() {
        check(&[
            ("Alekhine(53): na&#xef;ve &#x265e;", ChannelTell { channel: 53 }, "Alekhine", &[], "naïve ♞"),
            ("Foo tells you: &#x3c;12&#x3e;", Tell, "Foo", &[], "<12>"),
        ]);
        check_none(&["Foo tells you&#x3a; x", "Foo&#x28;50): x"]);
    }

    // Rules: text X7
    #[test]
    fn a_line_is_a_whole_tell() {
        check_none(&["    and this goes on", "\\   and this too"]);
    }

    // Rules: bugs 59
    #[test]
    fn numbered_notes_are_not_tells() {
        check_none(&[
            " 1: Foo tells you: x",
            " 1: Foo(50): x",
            " 1: Foo at Mon Jan  1, 10:00 PST 2024: hi",
            "10: Foo says: x",
        ]);
    }

    #[test]
    fn server_lines_that_look_like_robot_output() {
        check_none(&[": Command not found.", ": Command has failed.", ">10<", "> ", "> Foo tells you: x"]);
    }

    proptest! {
        #[test]
        fn any_told_text_is_returned_unchanged(text in "[ -%'-~]{0,60}") {
            let line = format!("Foo(C)(50): {text}");
            let talk = Talk::parse(line.as_bytes()).unwrap();
            prop_assert_eq!(talk.kind, ChannelTell { channel: 50 });
            prop_assert_eq!(talk.text(), text);
        }
    }
}
