//! Selection of the parser of a line, by its tag or its start.

use std::sync::Arc;

use super::spare::SpareAllocations;
use super::{
    Challenge, ChallengeUpdate, DeltaBoard, ExamineNotice, Farewell, GameCreated, GameEnded, GameInfo, Holding,
    KickedBy, LoggedIn, LoginRefusal, Message, NameStatus, ObservingUpdate, OfferNotice, OwnGameStarting,
    PartnershipUpdate, PendingOffer, PendingOffersRemoved, PresenceChange, PrimaryGameChange, Refusal, Seek,
    SeekNotice, SeeksCleared, SeeksRemoved, Style12, UserArrived,
};
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
        LineTag::Style10 | LineTag::None => parse_untagged(line, spare),
        LineTag::PlayerText => None,
    }
}

/// Parses a line without a tag; `None` if no parser accepts it.
fn parse_untagged(line: &[u8], spare: &mut SpareAllocations) -> Option<Message> {
    match line.first()? {
        // The start or the end of a game.
        b'{' => {
            let ended = || GameEnded::parse(line).map(Message::from);
            GameCreated::parse(line).map(Message::from).or_else(ended)
        }
        // Only the server sends such a start: a kick, a farewell, or an announcement.
        b'*' | b' ' if line.trim_ascii_start().starts_with(b"**") => {
            let farewell = || Farewell::parse(line).map(Message::from);
            KickedBy::parse(line).map(Message::from).or_else(farewell).or_else(|| spare.parse_talk(line))
        }
        _ => parse_sentence(line, spare),
    }
}

/// Parses a line that starts neither with `{` nor with stars, trying the most frequent messages first. No known line fits two of
/// the parsers before the last.
fn parse_sentence(line: &[u8], spare: &mut SpareAllocations) -> Option<Message> {
    let arrival = PresenceChange::parse(line).map(Message::from);
    arrival
        .or_else(|| spare.parse_talk(line))
        .or_else(|| Seek::parse_text(line).map(Message::from))
        .or_else(|| ObservingUpdate::parse(line).map(Message::from))
        .or_else(|| OwnGameStarting::parse(line).map(Message::from))
        .or_else(|| Challenge::parse(line).map(Message::from))
        .or_else(|| SeeksRemoved::parse_text(line).map(Message::from))
        .or_else(|| SeekNotice::parse(line).map(Message::from))
        .or_else(|| PrimaryGameChange::parse(line).map(Message::from))
        .or_else(|| Farewell::parse(line).map(Message::from))
        .or_else(|| OfferNotice::parse(line).map(Message::from))
        .or_else(|| ExamineNotice::parse(line).map(Message::from))
        .or_else(|| ChallengeUpdate::parse(line).map(Message::from))
        // Has the largest tables.
        .or_else(|| Refusal::parse(line).map(Message::from))
        // Accepts any other line about the partner.
        .or_else(|| PartnershipUpdate::parse(line).map(Message::from))
}

/// Parses a line without a tag received before the login is complete: the report that the login succeeded or was refused, or the
/// status of the name. `None` for any other line.
pub(super) fn parse_line_before_login(line: &[u8]) -> Option<Message> {
    LoggedIn::parse(line)
        .map(Message::from)
        .or_else(|| LoginRefusal::parse(line).map(Message::from))
        .or_else(|| NameStatus::parse(line).map(Message::from))
}
