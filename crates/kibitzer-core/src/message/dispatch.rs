//! Selection of the parser of a line: by its tag, or by its start in the table of the server's sentences.

use std::sync::{Arc, LazyLock};

use super::presence::trim_decoration;
use super::received::SpareAllocations;
use super::sentences::{
    ANNOUNCEMENTS, BEFORE_LOGIN, CHALLENGES, CLOCKS, CONFIRMATIONS, GAME_OFFERS, LOGINS, Meaning, PARTNERS,
    REFUSALS_OF_GAME, SEEKS, Sentence, TERMS, WATCHED_GAMES, find_in,
};
use super::template::read_template_after_name;
use super::{
    DeltaBoard, GameCreated, GameEnded, GameId, GameInfo, Handle, Holding, LoginRefusal, Message, PendingOffer,
    PendingOffersRemoved, PresenceChange, Seek, SeeksCleared, SeeksRemoved, Style12, UserArrived, refused,
};
use crate::scan::Cursor;
use crate::text::Titles;
use crate::wire::LineTag;

/// Parses a line received after the login; `None` for text, and for a tagged line that does not fit. `spare` may provide the
/// allocation of the message.
pub(super) fn parse_line_after_login(tag: LineTag, line: &[u8], spare: &mut SpareAllocations) -> Option<Message> {
    match tag {
        LineTag::Style12 => Style12::parse(line).ok().map(Arc::new).map(Message::Style12),
        LineTag::CutStyle12 => Style12::parse_cut(line).ok().map(Arc::new).map(Message::Style12),
        LineTag::Holding => Holding::parse(line).map(Message::from),
        LineTag::Delta => DeltaBoard::parse(line).map(Message::from),
        LineTag::Seek | LineTag::NewSeek => Seek::parse(line).map(Message::from),
        LineTag::SeeksRemoved => SeeksRemoved::parse(line).map(Message::from),
        LineTag::SeeksCleared => SeeksCleared::parse(line).map(Message::from),
        LineTag::PendingTo | LineTag::PendingFrom => PendingOffer::parse(line).map(Message::from),
        LineTag::PendingRemoved => PendingOffersRemoved::parse(line).map(Message::from),
        LineTag::GameInfo => GameInfo::parse(line).map(Message::from),
        LineTag::UserArrived => UserArrived::parse(line).map(Message::from),
        LineTag::UserDeparted => PresenceChange::parse_tagged_departure(line).map(Message::from),
        // Talk is the most frequent. Players can write no other sentence.
        LineTag::Style10 | LineTag::None => spare.parse_talk(line).or_else(|| parse_sentence(line)),
        LineTag::PlayerText => None,
    }
}

/// Parses a line without a tag received before the login is complete: the report that the login succeeded or was refused, or the
/// status of the name; `None` for any other line.
pub(super) fn parse_line_before_login(line: &[u8]) -> Option<Message> {
    find_in(BEFORE_LOGIN, line).or_else(|| LoginRefusal::parse(line).map(Message::from))
}

/// All sentences. If a line fits several, the first one that starts like the line without a name counts, then the first one after
/// a command, then the first one after a name. Only the last table has sentences that other ones fit too.
fn all_sentences() -> impl Iterator<Item = Sentence> {
    let tables =
        [LOGINS, TERMS, SEEKS, WATCHED_GAMES, GAME_OFFERS, CHALLENGES, REFUSALS_OF_GAME, CLOCKS, CONFIRMATIONS];
    let refusals = refused::SENTENCES.iter().map(|&(sentence, refusal)| (sentence, Meaning::Refused(refusal)));
    tables.into_iter().flatten().copied().chain(refusals).chain(PARTNERS.iter().copied())
}

/// The part of a line before the text that a sentence is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    Line,
    You,
    Command,
    Name,
}

/// A sentence without its start.
struct IndexedSentence {
    template: &'static str,
    may_follow_game: bool,
    meaning: Meaning,
}

/// The sentences, each in the place of its [start and first byte](place). They rule out most of them at little cost.
static INDEX: LazyLock<Vec<Vec<IndexedSentence>>> = LazyLock::new(|| {
    let mut index = Vec::new();
    for (sentence, meaning) in all_sentences() {
        let of_game = sentence.strip_prefix("[Game $: ]%");
        let starts = [
            (Start::You, sentence.strip_prefix("You ")),
            (Start::Command, sentence.strip_prefix("@: ")),
            (Start::Name, of_game.or(sentence.strip_prefix('%'))),
        ];
        let without_start = starts.into_iter().find_map(|(start, rest)| Some((start, rest?)));
        let (start, template) = without_start.unwrap_or((Start::Line, sentence));
        let place = place(start, template.as_bytes());
        index.resize_with(index.len().max(place + 1), Vec::new);
        if let Some(entries) = index.get_mut(place) {
            entries.push(IndexedSentence { template, may_follow_game: of_game.is_some(), meaning });
        }
    }
    index
});

/// Returns the place of a sentence, or of a line that may be one, in the index.
const fn place(start: Start, text: &[u8]) -> usize {
    start as usize * 256 + key(text) as usize
}

/// Returns the byte by which texts are compared first: the first one, or the second after a blank. All digits have the byte of the
/// placeholder for numbers.
const fn key(text: &[u8]) -> u8 {
    match text {
        [b' ', byte, ..] | [byte, ..] if byte.is_ascii_digit() => b'#',
        [b' ', byte, ..] | [byte, ..] => *byte,
        [] => 0,
    }
}

/// Parses a line that is a sentence of the server; `None` for any other line, for talk, and for the sentences before the login is
/// complete.
pub(super) fn parse_sentence(line: &[u8]) -> Option<Message> {
    match line {
        [b'{', ..] => GameCreated::parse(line).map(Message::from).or_else(|| GameEnded::parse(line).map(Message::from)),
        // Most lines with the number of a game are about a player.
        [b'G', b'a', b'm', b'e', b' ', b'0'..=b'9', ..] => {
            parse_after_name(line).or_else(|| find_sentence(Start::Line, line, Subject::default()))
        }
        // Only the server sends such a start.
        [b'*' | b' ', ..] if line.trim_ascii_start().starts_with(b"***") => parse_announcement(line),
        _ => {
            let (start, rest) = line.strip_prefix(b"You ").map_or((Start::Line, line), |rest| (Start::You, rest));
            find_sentence(start, rest, Subject::default())
                .or_else(|| parse_after_command(line))
                .or_else(|| parse_after_name(line))
                .or_else(|| Seek::parse_text(line).map(Message::from))
        }
    }
}

/// Parses a line between stars. Blanks before an announcement are ignored.
fn parse_announcement(line: &[u8]) -> Option<Message> {
    let framed = line.trim_ascii();
    let sentence = framed.ends_with(b"***").then(|| trim_decoration(framed))?;
    let is_kick = |message: &Message| matches!(message, Message::Kicked(_));
    find_in(ANNOUNCEMENTS, sentence).filter(|message| !is_kick(message) || line.starts_with(b"*"))
}

/// The player that a sentence starts with.
#[derive(Clone, Copy, Debug, Default)]
struct Subject<'a> {
    /// The number of the game before the name.
    game: Option<GameId>,
    /// The name; `None` for ICC's `Your opponent`, and in a sentence that starts without one.
    name: Option<&'a [u8]>,
    titles: &'a [u8],
}

/// Returns the message of the first sentence with this start that the rest of a line fits.
fn find_sentence(start: Start, rest: &[u8], subject: Subject<'_>) -> Option<Message> {
    let Subject { game, name, titles } = subject;
    let is_named = name.is_some() || start != Start::Name;
    let fits_subject = |sentence: &&IndexedSentence| {
        (game.is_none() || sentence.may_follow_game)
            && match sentence.meaning {
                Meaning::Offer(..) | Meaning::Answer(..) => true,
                // No refusal has titles; chat may.
                Meaning::Refused(_) => is_named && titles.is_empty(),
                _ => is_named,
            }
    };
    INDEX.get(place(start, rest))?.iter().filter(fits_subject).find_map(|sentence| {
        let mut at = Cursor::new(rest);
        let mut found = read_template_after_name(&mut at, sentence.template, name, titles)?;
        at.expect_blank_rest()?;
        found.game = found.game.or(game);
        sentence.meaning.to_message(found)
    })
}

/// Parses a sentence after a command with a colon, `foo: Command not found.`
fn parse_after_command(line: &[u8]) -> Option<Message> {
    let mut at = Cursor::new(line);
    let command = at.word_here()?.strip_suffix(b":")?;
    // A word with a bracket, `>` or another colon is part of chat: `Foo(50):`, `:foo:`.
    let is_chat = command.iter().any(|byte| b"():>".contains(byte));
    find_sentence(Start::Command, at.expect(b" ").filter(|_| !is_chat)?.rest(), Subject::default())
}

/// Parses a sentence after a player's name, which may follow the number of a game: `Game 39: Foo offers a draw.`
fn parse_after_name(line: &[u8]) -> Option<Message> {
    let mut at = Cursor::new(line);
    let game = at.between(b"Game ", b": ", GameId::read);
    let name = if at.eat(b"Your opponent") { None } else { Some(Handle::read(&mut at)?) };
    let from = at;
    Titles::skip(&mut at);
    let titles = at.since(from);
    find_sentence(Start::Name, at.rest(), Subject { game, name, titles })
}

#[cfg(test)]
mod tests;
