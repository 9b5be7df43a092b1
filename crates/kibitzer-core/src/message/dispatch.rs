//! Selection of the parser of a line, by its tag or its start.

use std::sync::Arc;

use super::spare::SpareAllocations;
use super::{
    Arrival, Challenge, ChallengeUpdate, Creating, Delta, Examine, Farewell, Focus, GameCreated, GameEnded, GameInfo,
    Holding, KickedBy, LoggedIn, LoginRefusal, Message, NameStatus, Observing, ObservingRefusal, Offer, Partner,
    Pending, PendingRemoved, Refusal, Seek, SeekNotice, SeeksCleared, SeeksRemoved, Style12, UserArrived,
};
use crate::wire::LineTag;

/// Parses a line of a session that is logged in. `None` for text, and for a tagged line that its parser refuses.
pub(super) fn parse_line(tag: LineTag, line: &[u8], spare: &mut SpareAllocations) -> Option<Message> {
    match tag {
        LineTag::Style12 => Style12::parse(line).ok().map(Arc::new).map(Message::Style12),
        LineTag::CutStyle12 => Style12::parse_cut(line).ok().map(Arc::new).map(Message::Style12),
        LineTag::Holding => Holding::parse(line).map(Message::from),
        LineTag::Delta => Delta::parse(line).map(Message::from),
        LineTag::Seek | LineTag::NewSeek => Seek::parse(line).map(Message::from),
        LineTag::SeeksRemoved => SeeksRemoved::parse(line).map(Message::from),
        LineTag::SeeksCleared => SeeksCleared::parse(line).map(Message::from),
        LineTag::PendingTo | LineTag::PendingFrom => Pending::parse(line).map(Message::from),
        LineTag::PendingRemoved => PendingRemoved::parse(line).map(Message::from),
        LineTag::GameInfo => GameInfo::parse(line).map(Message::from),
        LineTag::UserArrived => UserArrived::parse(line).map(Message::from),
        LineTag::UserDeparted => Arrival::parse_departure(line).map(Message::from),
        LineTag::Style10 | LineTag::None => parse_untagged(line, spare),
        LineTag::PlayerText => None,
    }
}

/// Parses a line without a tag; `None` if no parser accepts it.
fn parse_untagged(line: &[u8], spare: &mut SpareAllocations) -> Option<Message> {
    match line.first()? {
        b'{' => parse_game_line(line),
        b'*' | b' ' if line.trim_ascii_start().starts_with(b"**") => parse_starred(line, spare),
        _ => parse_sentence(line, spare),
    }
}

fn parse_game_line(line: &[u8]) -> Option<Message> {
    let ended = || GameEnded::parse(line).map(Message::from);
    GameCreated::parse(line).map(Message::from).or_else(ended)
}

/// Parses a line that starts with stars, which only the server sends.
fn parse_starred(line: &[u8], spare: &mut SpareAllocations) -> Option<Message> {
    let kicked = KickedBy::parse(line).map(Message::from);
    kicked.or_else(|| Farewell::parse(line).map(Message::from)).or_else(|| spare.parse_talk(line))
}

/// Parses any other line, trying the likeliest message first. No real line fits two of these.
fn parse_sentence(line: &[u8], spare: &mut SpareAllocations) -> Option<Message> {
    let arrival = Arrival::parse(line).map(Message::from);
    arrival
        .or_else(|| spare.parse_talk(line))
        .or_else(|| Refusal::parse(line).map(Message::from))
        .or_else(|| Seek::parse_text(line).map(Message::from))
        .or_else(|| Observing::parse(line).map(Message::from))
        .or_else(|| ObservingRefusal::parse(line).map(Message::from))
        .or_else(|| Creating::parse(line).map(Message::from))
        .or_else(|| Challenge::parse(line).map(Message::from))
        .or_else(|| SeeksRemoved::parse_text(line).map(Message::from))
        .or_else(|| SeekNotice::parse(line).map(Message::from))
        .or_else(|| Focus::parse(line).map(Message::from))
        .or_else(|| Farewell::parse(line).map(Message::from))
        .or_else(|| Offer::parse(line).map(Message::from))
        .or_else(|| Examine::parse(line).map(Message::from))
        .or_else(|| ChallengeUpdate::parse(line).map(Message::from))
        .or_else(|| Partner::parse(line).map(Message::from))
}

/// Parses a line without a tag that comes before the login is complete. Only messages about the login are tried; `None` for any
/// other line.
pub(super) fn parse_login_line(line: &[u8]) -> Option<Message> {
    LoggedIn::parse(line)
        .map(Message::from)
        .or_else(|| LoginRefusal::parse(line).map(Message::from))
        .or_else(|| NameStatus::parse(line).map(Message::from))
}
