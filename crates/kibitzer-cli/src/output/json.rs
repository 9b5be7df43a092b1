//! Events as JSON, one object per line.

use std::io::{self, Write};

use kibitzer::core::chess::Color;
use kibitzer::core::message::{
    Challenge, GameEnded, GameInfo, Handle, Offer, OfferAnswer, Rating, ReportedMove, Seek, Talk, TalkKind,
};
use kibitzer::core::text::{PlayerText, ServerText};
use kibitzer::core::{Event, EventKind};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::entry::{Entry, Position};
use super::life;
use super::stamp::Stamp;
use super::values::{Codes, List, Passed, Printed, keys};

/// Writes the event's line, if it has one.
pub(crate) fn write(out: &mut impl Write, event: &Event, stamp: Option<&Stamp>) -> io::Result<()> {
    let Some(entry) = Entry::of(event) else {
        return Ok(());
    };
    // What a session tells of itself stands nowhere in the server's stream.
    let offset = (!matches!(entry, Entry::Session(_))).then(|| event.offset());
    let line = Object { kind: event.kind(), offset, stamp, entry: &entry };
    kibitzer::json::write(out, &line)?;
    out.write_all(b"\n")
}

/// Writes the line of a recording that ends inside a line.
pub(crate) fn write_cut(out: &mut impl Write, line: u64, stamp: &Stamp) -> io::Result<()> {
    kibitzer::json::write(out, &Cut { line, stamp })?;
    out.write_all(b"\n")
}

struct Cut<'a> {
    line: u64,
    stamp: &'a Stamp,
}

impl Serialize for Cut<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("event", "cut")?;
        object.serialize_entry("offset", &None::<u64>)?;
        self.stamp.write_keys(&mut object)?;
        object.serialize_entry("line", &self.line)?;
        object.end()
    }
}

struct Object<'a> {
    kind: EventKind,
    offset: Option<u64>,
    stamp: Option<&'a Stamp>,
    entry: &'a Entry<'a>,
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("event", self.kind.as_str())?;
        object.serialize_entry("offset", &self.offset)?;
        if let Some(stamp) = self.stamp {
            stamp.write_keys(&mut object)?;
        }
        write_keys(&mut object, self.entry)?;
        object.end()
    }
}

/// Writes the keys of the entry itself.
fn write_keys<M: SerializeMap>(object: &mut M, entry: &Entry<'_>) -> Result<(), M::Error> {
    match entry {
        Entry::Position(position) => write_position(object, position),
        Entry::Holding(holding) => keys!(object,
            "game": holding.game.0,
            "white": holding.white_letters.as_str(),
            "black": holding.black_letters.as_str(),
            "passed": holding.passed.map(|(to, piece)| Passed { to, piece }),
        ),
        Entry::GameCreated(created) => keys!(object,
            "game": created.game.0,
            "white": created.white.as_str(),
            "black": created.black.as_str(),
            "rated": created.rated,
            "kind": known(created.kind.as_str()),
            "resumed": created.resumed,
        ),
        Entry::GameEnded(ended) => write_ended(object, ended),
        Entry::GameInfo(info) => write_info(object, info),
        Entry::Observing(observing) => keys!(object, "game": observing.game.0, "on": observing.is_observed()),
        Entry::Talk(talk) => write_talk(object, talk),
        Entry::Arrived(name, titles) | Entry::Departed(name, titles) => {
            keys!(object, "name": name.as_str(), "titles": Codes(*titles))
        }
        Entry::Challenge(challenge) => write_challenge(object, challenge),
        Entry::Offer(offer) => write_offer(object, offer),
        Entry::Pending(pending) => keys!(object,
            "index": pending.index,
            "name": pending.name.as_str(),
            "kind": pending.kind.as_str(),
            "parameters": known(pending.parameters.as_str()),
        ),
        Entry::PendingRemoved(removed) => keys!(object, "indexes": removed.indexes[..]),
        Entry::Seek(seek) => write_seek(object, seek),
        Entry::SeeksRemoved(removed) => keys!(object, "indexes": removed.indexes[..]),
        Entry::LoginPrompt | Entry::PasswordPrompt => keys!(object, "name": None::<&str>),
        Entry::GuestPrompt(name) => keys!(object, "name": name.as_str()),
        Entry::LoggedIn(login) => keys!(object,
            "name": login.name.as_str(),
            "titles": Codes(Some(&login.titles)),
            "server": login.server.as_str(),
        ),
        Entry::BlockStart { id, code } => keys!(object, "id": id, "code": code),
        Entry::BlockEnd { id, complete } => keys!(object, "id": id, "complete": complete),
        Entry::Datagram(datagram) => {
            let fields = datagram.fields.iter().map(PlayerText::as_str);
            keys!(object, "number": datagram.number, "fields": List(fields))
        }
        Entry::UnitStart(header) => keys!(object,
            "command": header.command,
            "player": header.player.as_str(),
            "tag": header.tag.as_ref().map(PlayerText::as_str),
        ),
        Entry::LoginRefused { reason, text } | Entry::Refused { reason, text } => {
            keys!(object, "reason": reason, "text": text)
        }
        Entry::Telnet { command, option } => keys!(object, "command": command, "option": option),
        Entry::Desync(desync) => keys!(object, "game": desync.game.0, "text": Printed(desync.reason)),
        Entry::Missed(missed) => {
            keys!(object, "game": missed.game.0, "from_ply": missed.from_ply, "to_ply": missed.to_ply)
        }
        Entry::OverLong { line, bytes } => keys!(object, "text": line.to_text(), "bytes": bytes),
        Entry::Kicked(text) | Entry::Text(text) => keys!(object, "text": text),
        Entry::Session(life) => life::json::write(object, life),
        Entry::SeeksCleared | Entry::Prompt | Entry::UnitEnd | Entry::Overflow => Ok(()),
    }
}

fn write_position<M: SerializeMap>(object: &mut M, position: &Position<'_>) -> Result<(), M::Error> {
    let board = position.board;
    let reported = board.last_move();
    let last_move = reported.as_ref().map(|reported| LastMove { reported, position });
    keys!(object,
        "game": board.game().0,
        "fen": Printed(board.fen()),
        "side_to_move": board.side_to_move().as_str(),
        "white": board.white().as_str(),
        "black": board.black().as_str(),
        "relation": board.relation().code(),
        "initial_s": u64::from(board.initial_min()) * 60,
        "increment_s": board.increment_s(),
        "white_material": board.white_material(),
        "black_material": board.black_material(),
        "white_clock_ms": board.white_clock().as_ms(),
        "black_clock_ms": board.black_clock().as_ms(),
        "move_number": board.move_number(),
        "halfmove_clock": board.halfmove_clock(),
        "double_push_file": board.double_push_file().map(|file| char::from(b'a'.saturating_add(file))),
        "last_move": last_move,
        "flip": board.flip(),
        "clock_running": board.clock_running(),
        "lag_ms": board.lag_ms(),
        "source": position.source,
        "cut": board.is_cut(),
    )
}

fn write_ended<M: SerializeMap>(object: &mut M, ended: &GameEnded) -> Result<(), M::Error> {
    keys!(object,
        "game": ended.game.0,
        "white": known(ended.white.as_str()),
        "black": known(ended.black.as_str()),
        "result": ended.result.as_str(),
        "reason": ended.reason.as_str(),
        "text": ended.text.as_str(),
    )
}

fn write_info<M: SerializeMap>(object: &mut M, info: &GameInfo) -> Result<(), M::Error> {
    keys!(object,
        "game": info.game.0,
        "kind": info.kind.as_ref().map(ServerText::as_str),
        "private": info.private,
        "rated": info.rated,
        "white_registered": info.white_registered,
        "black_registered": info.black_registered,
        "white_time_s": info.white_time_s,
        "white_increment_s": info.white_increment_s,
        "black_time_s": info.black_time_s,
        "black_increment_s": info.black_increment_s,
        "partner_game": info.partner_game.map(|game| game.0),
        "white_rating": info.white_rating.and_then(Rating::value),
        "black_rating": info.black_rating.and_then(Rating::value),
        "white_timeseal": info.white_timeseal,
        "black_timeseal": info.black_timeseal,
    )
}

fn write_talk<M: SerializeMap>(object: &mut M, talk: &Talk) -> Result<(), M::Error> {
    object.serialize_entry("from", &talk.from.as_ref().map(Handle::as_str))?;
    object.serialize_entry("titles", &Codes(Some(&talk.titles)))?;
    object.serialize_entry("text", talk.text.as_str())?;
    match talk.kind {
        TalkKind::ChannelTell { channel } => keys!(object, "channel": channel),
        TalkKind::Say { game } => keys!(object, "game": game.map(|game| game.0)),
        TalkKind::Kibitz { game, rating } | TalkKind::Whisper { game, rating } => {
            keys!(object, "game": game.map(|game| game.0), "rating": rating.and_then(Rating::value))
        }
        _ => Ok(()),
    }
}

fn write_challenge<M: SerializeMap>(object: &mut M, challenge: &Challenge) -> Result<(), M::Error> {
    keys!(object,
        "from": challenge.from.as_str(),
        "from_rating": challenge.from_rating.value(),
        "from_color": challenge.from_color.map(Color::as_str),
        "to": challenge.to.as_str(),
        "to_rating": challenge.to_rating.value(),
        "rated": challenge.rated,
        "kind": known(challenge.kind.as_str()),
        "initial_min": challenge.initial_min,
        "increment_s": challenge.increment_s,
        "loaded_from": challenge.loaded_from.as_ref().map(ServerText::as_str),
        "adjourned": challenge.adjourned,
    )
}

fn write_offer<M: SerializeMap>(object: &mut M, offer: &Offer) -> Result<(), M::Error> {
    keys!(object,
        "game": offer.game.map(|game| game.0),
        "from": offer.from.as_ref().map(Handle::as_str),
        "kind": offer.kind.as_str(),
        "count": offer.count,
        "answer": offer.answer.map(OfferAnswer::as_str),
    )
}

fn write_seek<M: SerializeMap>(object: &mut M, seek: &Seek) -> Result<(), M::Error> {
    let mark = match seek.rating {
        Some(Rating::Rated(_, confidence)) => confidence.mark(),
        _ => "",
    };
    keys!(object,
        "index": seek.index,
        "name": seek.name.as_str(),
        "titles": Codes(Some(&seek.titles)),
        "rating": seek.rating.and_then(Rating::value),
        "provisional": mark,
        "initial_min": seek.initial_min,
        "increment_s": seek.increment_s,
        "rated": seek.rated,
        "kind": seek.kind.as_ref().map(ServerText::as_str),
        "color": seek.color.map(Color::as_str),
        "rating_min": seek.rating_min,
        "rating_max": seek.rating_max,
        "automatic": seek.automatic,
        "formula": seek.formula,
        "new": seek.new,
    )
}

/// The server left it out if it is empty.
fn known(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// The object `last_move`.
struct LastMove<'a> {
    reported: &'a ReportedMove,
    position: &'a Position<'a>,
}

impl Serialize for LastMove<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { reported, position } = self;
        let mover = position.board.side_to_move().opponent();
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("verbose", reported.verbose.as_str())?;
        object.serialize_entry("san", &reported.san.as_ref().map(ServerText::as_str))?;
        object.serialize_entry("uci", &position.played.and_then(|played| played.to_uci(mover)).map(Printed))?;
        object.serialize_entry("elapsed_ms", &reported.elapsed_ms)?;
        object.end()
    }
}
