//! Which line an event becomes.

use std::borrow::Cow;

use kibitzer::core::Event;
use kibitzer::core::chess::LastMove;
use kibitzer::core::game::{Change, Desync, MissedPlies};
use kibitzer::core::message::{
    Actor, ArrivalKind, Challenge, Datagram, GameCreated, GameEnded, GameInfo, Handle, Holding, LoggedIn, Message,
    Observing, ObservingRefusal, Offer, Pending, PendingRemoved, Received, Seek, SeeksRemoved, Style12, Talk, Titles,
    UnitHeader,
};
use kibitzer::core::text::{Line, decode};
use kibitzer::core::wire::telnet_command_name;

use super::life::Life;

/// An event as it is printed: one variant per form of line that `kibitzer decode` promises, and one for what a live session
/// tells of itself. The name of the line is that of the event's kind.
#[derive(Clone, Debug)]
pub(crate) enum Entry<'a> {
    Position(Position<'a>),
    Holding(&'a Holding),
    GameCreated(&'a GameCreated),
    GameEnded(&'a GameEnded),
    GameInfo(&'a GameInfo),
    Observing(&'a Observing),
    Talk(&'a Talk),
    Arrived(&'a Handle, Option<&'a Titles>),
    Departed(&'a Handle, Option<&'a Titles>),
    Challenge(&'a Challenge),
    Offer(&'a Offer),
    Pending(&'a Pending),
    PendingRemoved(&'a PendingRemoved),
    Seek(&'a Seek),
    SeeksRemoved(&'a SeeksRemoved),
    SeeksCleared,
    LoginPrompt,
    PasswordPrompt,
    GuestPrompt(&'a Handle),
    LoggedIn(&'a LoggedIn),
    LoginRefused { reason: &'static str, text: Cow<'a, str> },
    Kicked(Cow<'a, str>),
    Prompt,
    BlockStart { id: u64, code: u32 },
    BlockEnd { id: u64, complete: bool },
    Datagram(Cow<'a, Datagram>),
    UnitStart(&'a UnitHeader),
    UnitEnd,
    Overflow,
    Refused { reason: &'static str, text: Cow<'a, str> },
    Telnet { command: Option<&'static str>, option: Option<u8> },
    Desync(&'a Desync),
    Missed(&'a MissedPlies),
    OverLong { line: &'a Line, bytes: u64 },
    Text(Cow<'a, str>),
    Session(Life<'a>),
}

/// A board, whichever message brought it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position<'a> {
    pub(crate) board: &'a Style12,
    /// The last move, with as much of it as is known.
    pub(crate) played: Option<LastMove>,
    /// Which kind of message it was.
    pub(crate) source: &'static str,
}

impl<'a> Position<'a> {
    fn new(board: &'a Style12, change: Option<&Change>, source: &'static str) -> Self {
        let reported = board.played();
        Self { board, played: change.and_then(|change| change.played).or(reported), source }
    }
}

impl<'a> Entry<'a> {
    /// The line this event becomes; `None` for pings. A move whose board is not known is text, behind the desync that says so.
    pub(crate) fn of(event: &'a Event) -> Option<Self> {
        match event {
            Event::Desync(desync) => Some(Self::Desync(desync)),
            Event::Missed(missed) => Some(Self::Missed(missed)),
            Event::Received { received, change } => match &received.message {
                Message::Ping => None,
                Message::Delta(_) => match change.as_ref().and_then(|change| change.board.as_ref()) {
                    Some(board) => Some(Self::Position(Position::new(board, change.as_ref(), "delta"))),
                    None => Some(Self::Text(decode(received.raw()))),
                },
                Message::GameUpdate(_) => match change.as_ref().and_then(|change| change.board.as_ref()) {
                    Some(board) => Some(Self::Position(Position::new(board, change.as_ref(), "datagram"))),
                    None => Some(Self::unnamed(received)),
                },
                Message::Style12(board) => Some(Self::Position(Position::new(board, change.as_ref(), "style12"))),
                Message::Style10(board) => Some(Self::Position(Position::new(board, change.as_ref(), "style10"))),
                _ => Some(Self::of_message(received)),
            },
            event => Life::of(event).map(Self::Session),
        }
    }

    /// The line of a message; what has none of its own is text.
    fn of_message(received: &'a Received) -> Self {
        match &received.message {
            Message::Holding(holding) => Self::Holding(holding),
            Message::GameInfo(info) => Self::GameInfo(info),
            Message::GameCreated(created) => Self::GameCreated(created),
            Message::GameEnded(ended) => Self::GameEnded(ended),
            Message::Observing(observing) => Self::Observing(observing),
            Message::ObservingRefused(refusal) => {
                Self::Refused { reason: observing_refusal(*refusal), text: words(received) }
            }
            Message::Talk(talk) => Self::Talk(talk),
            Message::Arrival(arrival) => match arrival.kind {
                ArrivalKind::Arrived => Self::Arrived(&arrival.name, Some(&arrival.titles)),
                ArrivalKind::Departed => Self::Departed(&arrival.name, Some(&arrival.titles)),
            },
            Message::UserArrived(arrived) => Self::Arrived(&arrived.name, Some(&arrived.titles)),
            Message::UserDeparted(departed) => Self::Departed(&departed.name, None),
            Message::Challenge(challenge) if challenge.actor == Actor::Other => Self::Challenge(challenge),
            Message::Offer(offer) => Self::Offer(offer),
            Message::Pending(pending) => Self::Pending(pending),
            Message::PendingRemoved(removed) => Self::PendingRemoved(removed),
            Message::Seek(seek) => Self::Seek(seek),
            Message::SeeksRemoved(removed) => Self::SeeksRemoved(removed),
            Message::SeeksCleared(_) => Self::SeeksCleared,
            Message::Refused(refusal) => Self::Refused { reason: refusal.as_str(), text: words(received) },
            Message::LoggedIn(login) => Self::LoggedIn(login),
            Message::LoginRefused(refusal) => Self::LoginRefused { reason: refusal.as_str(), text: words(received) },
            Message::Kicked(_) => Self::Kicked(words(received)),
            Message::Prompt => Self::Prompt,
            Message::LoginPrompt => Self::LoginPrompt,
            Message::PasswordPrompt => Self::PasswordPrompt,
            Message::GuestPrompt(name) => Self::GuestPrompt(name),
            &Message::BlockStart { id, code } => Self::BlockStart { id, code: code.0 },
            &Message::BlockEnd { id, complete } => Self::BlockEnd { id, complete },
            &Message::Telnet { command, option } => Self::Telnet { command: telnet_command_name(command), option },
            Message::Datagram(datagram) => Self::Datagram(Cow::Borrowed(datagram)),
            Message::UnitStart(header) => Self::UnitStart(header),
            Message::UnitEnd => Self::UnitEnd,
            Message::Overflow => Self::Overflow,
            Message::OverLong { line, length } => Self::OverLong { line, bytes: *length },
            _ => Self::unnamed(received),
        }
    }

    /// What has no name of its own: a datagram, or text.
    fn unnamed(received: &'a Received) -> Self {
        match received.datagram() {
            Some(datagram) => Self::Datagram(Cow::Owned(datagram)),
            None => Self::Text(decode(received.raw())),
        }
    }
}

/// The server's words: the line, or what a datagram has for people to read. All of it, if it has no words.
fn words(received: &Received) -> Cow<'_, str> {
    let datagram = received.datagram();
    let words = datagram.iter().flat_map(|datagram| ["text", "move"].map(|name| datagram.argument(name))).flatten();
    let words = words.map(|words| words.as_str().to_owned()).find(|words| !words.is_empty());
    words.map_or_else(|| decode(received.raw()), Cow::Owned)
}

const fn observing_refusal(refusal: ObservingRefusal) -> &'static str {
    match refusal {
        ObservingRefusal::AlreadyObserving(_) => "already_observing",
        ObservingRefusal::NoSuchGame => "no_such_game",
        ObservingRefusal::Private(_) => "private_game",
        ObservingRefusal::NotObserving(_) => "not_observing",
        ObservingRefusal::NoneObserved => "none_observed",
        _ => "other",
    }
}
