//! Chat: tells, shouts, kibitzes, channel tells, announcements.

use std::borrow::Cow;
use std::fmt;

use super::template::read_template;
use super::{GameId, Handle, Rating, Titles};
use crate::scan::{Cursor, parse_decimal};
use crate::text::{LineBytes, PlayerText, decode_received};

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
    #[non_exhaustive]
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
    #[non_exhaustive]
    ChannelTell {
        /// Number of the channel, at most three digits.
        channel: u16,
    },
    /// `Foo(1882)[1] kibitzes: x`
    #[non_exhaustive]
    Kibitz {
        /// The game, if the line names it.
        game: Option<GameId>,
        /// The speaker's rating, if the line has one.
        rating: Option<Rating>,
    },
    /// `Foo(1882)[1] whispers: x`
    #[non_exhaustive]
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
    pub(crate) fn parse(line: &[u8]) -> Option<Self> {
        let mut talk = Self::default();
        talk.overwrite_from_line(line).then_some(talk)
    }

    /// Replaces this value by the talk in a line, and returns `true`. Returns `false`, without a change, if the line is not talk.
    pub(super) fn overwrite_from_line(&mut self, line: &[u8]) -> bool {
        let Some((kind, places)) = find_parts(line) else { return false };
        self.kind = kind;
        self.places = places;
        self.apart = None;
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
    pub fn speaker(&self) -> Option<Handle> {
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

    /// Returns the decoded text of the player (see [`decode_received`]). It must not be parsed as protocol.
    pub fn text(&self) -> Cow<'_, str> {
        match self.apart.as_ref().and_then(|apart| apart.text.as_ref()) {
            Some(text) => Cow::Borrowed(text.as_str()),
            None => decode_received(self.line.get(self.places.text..).unwrap_or_default()),
        }
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
            .field("from", &self.speaker())
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
        let game = at.between(b"[", b"]", GameId::read);
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
mod tests;
