//! Datagrams about players: this login, arrivals and departures, partners.

use smallvec::smallvec;

use crate::message::icc::DatagramMessages;
use crate::message::icc::arguments::{NamedArguments, parse_signed};
use crate::message::icc::offers::EarlierDatagrams;
use crate::message::{
    LoggedIn, MeOrOther, Message, PartnershipUpdate, PresenceChange, PresenceChangeKind, PresenceReportReason, Talk,
    TalkKind, Titles,
};
use crate::scan::Cursor;
use crate::text::{PlayerText, ServerText};

/// Parses the name of this login to a [`LoggedIn`], and stores it in `known`.
pub(super) fn parse_own_name(arguments: &NamedArguments<'_>, known: &mut EarlierDatagrams) -> Option<DatagramMessages> {
    let name = arguments.handle("name")?;
    known.me = name.clone();
    let login = LoggedIn { name, titles: arguments.titles("titles"), server: ServerText::from_wire(b"ICC") };
    Some(smallvec![login.into()])
}

/// Parses an arrival or a departure, as the kind of datagram determines.
pub(super) fn parse_arrival(
    arguments: &NamedArguments<'_>,
    kind: PresenceChangeKind,
    reason: PresenceReportReason,
) -> Option<Message> {
    let name = arguments.handle("name")?;
    Some(PresenceChange { name, titles: Titles::default(), kind, reason }.into())
}

/// Parses the start or the end of a partnership of this login; `None` for a partnership of other players, for which there is no
/// message.
pub(super) fn parse_partnership(
    arguments: &NamedArguments<'_>,
    known: &mut EarlierDatagrams,
) -> Option<DatagramMessages> {
    let (first, second) = (arguments.handle("first")?, arguments.handle("second")?);
    let name = if known.is_me(&first) {
        second
    } else if known.is_me(&second) {
        first
    } else {
        return None;
    };
    let partner = if arguments.flag("joined")? {
        PartnershipUpdate::Agreed { actor: MeOrOther::Other, name }
    } else {
        PartnershipUpdate::Ended
    };
    Some(smallvec![partner.into()])
}

pub(super) fn parse_personal_tell(arguments: &NamedArguments<'_>) -> Option<Message> {
    let (text, code) = text_and_type_arguments(arguments)?;
    let kind = match code {
        0 => TalkKind::Say { game: None },
        2 => TalkKind::PartnerTell,
        3 => TalkKind::Qtell,
        // 1 is a tell, 4 an administrator's tell; unknown codes are treated as tells, too.
        _ => TalkKind::Tell,
    };
    talk_message(arguments, kind, text)
}

pub(super) fn parse_channel_tell(arguments: &NamedArguments<'_>) -> Option<Message> {
    let kind = TalkKind::ChannelTell { channel: arguments.number("channel")? };
    talk_message(arguments, kind, text_and_type_arguments(arguments)?.0)
}

pub(super) fn parse_shout(arguments: &NamedArguments<'_>) -> Option<Message> {
    let (text, code) = text_and_type_arguments(arguments)?;
    let kind = match code {
        0 => TalkKind::Shout,
        1 => TalkKind::ItShout,
        2 => TalkKind::CShout,
        3 => TalkKind::Announcement,
        _ => return None,
    };
    talk_message(arguments, kind, text)
}

pub(super) fn parse_kibitz(arguments: &NamedArguments<'_>) -> Option<Message> {
    let (game, rating) = (Some(arguments.game()?), None);
    let is_kibitz = arguments.flag("kib")?;
    let kind = if is_kibitz { TalkKind::Kibitz { game, rating } } else { TalkKind::Whisper { game, rating } };
    let text = arguments.argument("text")?;
    talk_message(arguments, kind, PlayerText::from_wire(text.bytes))
}

/// Parses talk of a robot.
pub(super) fn parse_qtell(arguments: &NamedArguments<'_>, kind: TalkKind) -> Option<Message> {
    talk_message(arguments, kind, text_without_qtell_marks(arguments)?)
}

/// Creates talk by the player in the arguments; `None` if the name is missing or empty.
fn talk_message(arguments: &NamedArguments<'_>, kind: TalkKind, text: PlayerText) -> Option<Message> {
    let (from, titles) = (arguments.handle("player")?, arguments.titles("titles"));
    Some(Talk::with_text(kind, from, titles, text).into())
}

/// Returns the arguments `text` and `type`; `None` if either is missing or the type is not a number. Older servers send them in the
/// opposite order, in which case only the second one is quoted.
fn text_and_type_arguments(arguments: &NamedArguments<'_>) -> Option<(PlayerText, i64)> {
    let (text, code) = (arguments.argument("text")?, arguments.argument("type")?);
    // Only one of the two is quoted, whichever comes first.
    let (text, code) = if code.is_quoted && !text.is_quoted { (code, text) } else { (text, code) };
    Some((PlayerText::from_wire(text.bytes), parse_signed(code.bytes)?))
}

/// Returns the argument `text` of a robot: `\n` becomes a line feed; the marks `\H` and `\h` for bold letters and `\b` for the bell
/// are removed.
fn text_without_qtell_marks(arguments: &NamedArguments<'_>) -> Option<PlayerText> {
    let mut text = Vec::new();
    let mut at = Cursor::new(arguments.argument("text")?.bytes);
    while !at.is_empty() {
        if at.eat(b"\\n") {
            text.push(b'\n');
        } else if !(at.eat(b"\\H") || at.eat(b"\\h") || at.eat(b"\\b")) {
            text.extend(at.take_one());
        }
    }
    Some(PlayerText::from_wire(&text))
}
