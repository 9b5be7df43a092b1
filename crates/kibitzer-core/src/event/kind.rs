//! What an event is, in one word.

use super::Event;
use crate::by_name::parse_by_name;
use crate::game::Change;
use crate::message::{Actor, ArrivalKind, Message, PendingDirection, Talk, TalkKind};

/// Every kind with its name, in one list.
macro_rules! event_kinds {
    ($($(#[$meta:meta])* $kind:ident = $name:literal,)+) => {
        /// What an event is, in one word: the `event` of a line of `kibitzer decode`, and what a subscription can ask for.
        ///
        /// A message that has no kind of its own is [`Text`](Self::Text), as it prints as a line of text. Kinds are only added,
        /// and none is renamed.
        ///
        /// ```
        /// use kibitzer_core::EventKind;
        ///
        /// assert_eq!("channel_tell".parse(), Ok(EventKind::ChannelTell));
        /// assert_eq!(EventKind::ChannelTell.to_string(), "channel_tell");
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum EventKind {
            $($(#[$meta])* $kind,)+
        }

        impl EventKind {
            /// Every kind.
            pub const ALL: &[Self] = &[$(Self::$kind),+];

            /// The name, in `snake_case`.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)+
                }
            }
        }
    };
}

event_kinds! {
    /// A board: in style 12 or 10, or one that a delta board led to.
    Position = "position",
    /// The pieces in reserve.
    Holding = "holding",
    /// A game begins or goes on.
    GameCreated = "game_created",
    /// A game is over.
    GameEnded = "game_ended",
    /// The terms of a game.
    GameInfo = "game_info",
    /// A game is observed from now on, or not any more.
    Observing = "observing",
    /// A tell to this login.
    Tell = "tell",
    /// Said by an opponent.
    Say = "say",
    /// A tell of the bughouse partner.
    PartnerTell = "partner_tell",
    /// A shout.
    Shout = "shout",
    /// A shout in the third person.
    ItShout = "it_shout",
    /// A shout about chess.
    CShout = "c_shout",
    /// Said in a channel.
    ChannelTell = "channel_tell",
    /// A comment on a game, to everybody there.
    Kibitz = "kibitz",
    /// A comment on a game, to its observers.
    Whisper = "whisper",
    /// An announcement of the administrators.
    Announcement = "announcement",
    /// A robot's tell.
    Qtell = "qtell",
    /// A message that was left or sent.
    Message = "message",
    /// A player came.
    Arrived = "arrived",
    /// A player left.
    Departed = "departed",
    /// Somebody wants to play this login.
    Challenge = "challenge",
    /// An offer inside a game, or its answer.
    Offer = "offer",
    /// An offer of this login waits for its answer.
    PendingTo = "pending_to",
    /// An offer to this login waits for its answer.
    PendingFrom = "pending_from",
    /// Offers left the list of pending ones.
    PendingRemoved = "pending_removed",
    /// An ad in the seek list.
    Seek = "seek",
    /// Ads left the seek list.
    SeeksRemoved = "seeks_removed",
    /// The seek list starts anew.
    SeeksCleared = "seeks_cleared",
    /// The server waits for a name.
    LoginPrompt = "login_prompt",
    /// The server waits for a password.
    PasswordPrompt = "password_prompt",
    /// The server offers to let a guest in.
    GuestPrompt = "guest_prompt",
    /// The login is complete: in the server's words, where it has any, as [`Message::LoggedIn`]; and in a live session once,
    /// whatever the server says, as [`Event::LoggedIn`].
    LoggedIn = "logged_in",
    /// The login is not possible so.
    LoginRefused = "login_refused",
    /// The server ends this session for another, or for good.
    Kicked = "kicked",
    /// The server waits for a command.
    Prompt = "prompt",
    /// A reply in block mode begins.
    BlockStart = "block_start",
    /// A reply in block mode is over.
    BlockEnd = "block_end",
    /// An ICC level-2 unit that no other kind stands for.
    Datagram = "datagram",
    /// An ICC level-1 unit begins.
    UnitStart = "unit_start",
    /// An ICC level-1 unit ends.
    UnitEnd = "unit_end",
    /// The server dropped the rest of an ICC command's output.
    Overflow = "overflow",
    /// A command was not carried out.
    Refused = "refused",
    /// A telnet command.
    Telnet = "telnet",
    /// A timeseal ping.
    Ping = "ping",
    /// A line that was too long.
    OverLong = "over_long",
    /// A line that is none of the other kinds.
    Text = "text",
    /// The server's word contradicts what was known of a game.
    Desync = "desync",
    /// The boards of a game left out moves.
    Missed = "missed",
    /// The session is about to open a connection.
    Connecting = "connecting",
    /// A connection stands.
    Connected = "connected",
    /// The session is set up and takes requests.
    SessionReady = "session_ready",
    /// A line went out.
    Sent = "sent",
    /// The server did something that it should not.
    Fault = "fault",
    /// The connection was lost.
    Lost = "lost",
    /// What the session followed before the connection was lost is followed again.
    Restored = "restored",
    /// An adjourned game of the account is known, or something has become of it.
    AdjournedGame = "adjourned_game",
    /// The session is over.
    Ended = "ended",
}

impl std::fmt::Display for EventKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

parse_by_name!(EventKind, "no event has this name");

impl Event {
    /// What it is, in one word.
    pub const fn kind(&self) -> EventKind {
        match self {
            Self::Received { received, change } => match of_message(&received.message, change.as_ref()) {
                EventKind::Text if received.is_datagram() => EventKind::Datagram,
                kind => kind,
            },
            Self::Desync(_) => EventKind::Desync,
            Self::Missed(_) => EventKind::Missed,
            Self::Connecting { .. } => EventKind::Connecting,
            Self::Connected => EventKind::Connected,
            Self::LoggedIn(_) => EventKind::LoggedIn,
            Self::Ready(_) => EventKind::SessionReady,
            Self::Sent { .. } => EventKind::Sent,
            Self::Fault(_) => EventKind::Fault,
            Self::Lost { .. } => EventKind::Lost,
            Self::Restored(_) => EventKind::Restored,
            Self::Adjourned(_) => EventKind::AdjournedGame,
            Self::Ended(_) => EventKind::Ended,
        }
    }
}

/// The kind of a message, given what it changed.
const fn of_message(message: &Message, change: Option<&Change>) -> EventKind {
    match message {
        Message::Style12(_) | Message::Style10(_) => EventKind::Position,
        Message::Delta(_) => match change {
            Some(Change { board: Some(_), .. }) => EventKind::Position,
            _ => EventKind::Text,
        },
        Message::GameUpdate(_) => match change {
            Some(Change { board: Some(_), .. }) => EventKind::Position,
            _ => EventKind::Datagram,
        },
        Message::Holding(_) => EventKind::Holding,
        Message::GameCreated(_) => EventKind::GameCreated,
        Message::GameEnded(_) => EventKind::GameEnded,
        Message::GameInfo(_) => EventKind::GameInfo,
        Message::Observing(_) => EventKind::Observing,
        Message::Talk(talk) => of_talk(talk),
        Message::Arrival(arrival) => match arrival.kind {
            ArrivalKind::Arrived => EventKind::Arrived,
            ArrivalKind::Departed => EventKind::Departed,
        },
        Message::UserArrived(_) => EventKind::Arrived,
        Message::UserDeparted(_) => EventKind::Departed,
        Message::Challenge(challenge) => match challenge.actor {
            Actor::Other => EventKind::Challenge,
            Actor::Me => EventKind::Text,
        },
        Message::Offer(_) => EventKind::Offer,
        Message::Pending(pending) => match pending.direction {
            PendingDirection::To => EventKind::PendingTo,
            PendingDirection::From => EventKind::PendingFrom,
        },
        Message::PendingRemoved(_) => EventKind::PendingRemoved,
        Message::Seek(_) => EventKind::Seek,
        Message::SeeksRemoved(_) => EventKind::SeeksRemoved,
        Message::SeeksCleared(_) => EventKind::SeeksCleared,
        Message::Refused(_) | Message::ObservingRefused(_) => EventKind::Refused,
        Message::LoggedIn(_) => EventKind::LoggedIn,
        Message::LoginRefused(_) => EventKind::LoginRefused,
        Message::Kicked(_) => EventKind::Kicked,
        Message::Prompt => EventKind::Prompt,
        Message::LoginPrompt => EventKind::LoginPrompt,
        Message::PasswordPrompt => EventKind::PasswordPrompt,
        Message::GuestPrompt(_) => EventKind::GuestPrompt,
        Message::BlockStart { .. } => EventKind::BlockStart,
        Message::BlockEnd { .. } => EventKind::BlockEnd,
        Message::Telnet { .. } => EventKind::Telnet,
        Message::Ping => EventKind::Ping,
        Message::Mark(_) | Message::Datagram(_) => EventKind::Datagram,
        Message::UnitStart(_) => EventKind::UnitStart,
        Message::UnitEnd => EventKind::UnitEnd,
        Message::Overflow => EventKind::Overflow,
        Message::OverLong { .. } => EventKind::OverLong,
        Message::Creating(_)
        | Message::Focus(_)
        | Message::Examine(_)
        | Message::ChallengeUpdate(_)
        | Message::Partner(_)
        | Message::SeekNotice(_)
        | Message::NameStatus(_)
        | Message::Farewell(_)
        | Message::Text(_) => EventKind::Text,
    }
}

const fn of_talk(talk: &Talk) -> EventKind {
    match talk.kind {
        TalkKind::Tell => EventKind::Tell,
        TalkKind::Say { .. } => EventKind::Say,
        TalkKind::PartnerTell => EventKind::PartnerTell,
        TalkKind::Shout => EventKind::Shout,
        TalkKind::ItShout => EventKind::ItShout,
        TalkKind::CShout => EventKind::CShout,
        TalkKind::ChannelTell { .. } => EventKind::ChannelTell,
        TalkKind::Kibitz { .. } => EventKind::Kibitz,
        TalkKind::Whisper { .. } => EventKind::Whisper,
        TalkKind::Announcement => EventKind::Announcement,
        TalkKind::Qtell => EventKind::Qtell,
        TalkKind::Message => EventKind::Message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::UnknownName;

    #[test]
    fn every_name_is_its_kinds_alone() {
        for &kind in EventKind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(kind));
            assert_eq!(kind.to_string(), kind.as_str());
            let name: String = format!("{kind:?}")
                .chars()
                .flat_map(|c| c.is_uppercase().then_some('_').into_iter().chain(c.to_lowercase()))
                .collect();
            assert_eq!(kind.as_str(), name.trim_start_matches('_'));
        }
        for name in ["", "Tell", "tell ", "pings"] {
            assert_eq!(name.parse::<EventKind>(), Err(UnknownName::new("no event has this name")), "{name:?}");
        }
    }

    #[test]
    fn an_event_is_of_the_kind_its_line_shows() {
        const BOARD: &str = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 1 \
            Euwe Flohr 0 2 12 39 39 120 120 1 none (0:00) none 0 0 0\n\r";
        let delta = "<d1> 1 1 e4 e2e4 922 121078 207\n\r";
        let cases: &[(&str, &[EventKind])] = &[
            (BOARD, &[EventKind::Position]),
            (&format!("{BOARD}{delta}"), &[EventKind::Position, EventKind::Position]),
            (delta, &[EventKind::Desync, EventKind::Text]),
            ("Foo(50): hi\n\r", &[EventKind::ChannelTell]),
            ("<wa> gbtami 001411E1663P1483P0000 0000 0000 0000 0000 0000 \n\r", &[EventKind::Arrived]),
            ("Challenge: Foo (1500) Bar (1671) unrated blitz 5 0.\n\r", &[EventKind::Challenge]),
            ("Issuing: Foo (1500) Bar (1671) unrated blitz 5 0.\n\r", &[EventKind::Text]),
            ("<pf> 7 w=Foo t=draw p=#\n\r", &[EventKind::PendingFrom]),
            ("There is no such game.\n\r", &[EventKind::Refused]),
            ("Your primary game is now game 3.\n\r", &[EventKind::Text]),
        ];
        for &(sent, want) in cases {
            let (mut reader, mut input) = (crate::EventReader::default(), sent.as_bytes());
            let mut kinds: Vec<_> = std::iter::from_fn(|| reader.next(&mut input)).map(|event| event.kind()).collect();
            kinds.extend(std::iter::from_fn(|| reader.finish()).map(|event| event.kind()));
            assert_eq!(kinds, want, "{sent}");
        }
    }
}
