//! Kinds of events, and their categories.

use strum::{Display, IntoStaticStr};

use crate::by_name::parse_by_name;

/// Every kind by its category, in one list.
macro_rules! event_kinds {
    ($($category:ident { $($(#[$meta:meta])* $kind:ident,)+ })+) => {
        /// Kind of an event: the `event` field in the output of `kibitzer decode`, and a criterion of subscription filters.
        ///
        /// A message without a kind of its own is [`Text`](Self::Text). Later versions may add kinds, but rename none.
        ///
        /// ```
        /// use kibitzer_core::EventKind;
        ///
        /// assert_eq!("channel_tell".parse(), Ok(EventKind::ChannelTell));
        /// assert_eq!(EventKind::ChannelTell.to_string(), "channel_tell");
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Display, IntoStaticStr)]
        #[strum(serialize_all = "snake_case")]
        #[non_exhaustive]
        pub enum EventKind {
            $($($(#[$meta])* $kind,)+)+
        }

        impl EventKind {
            /// Every kind.
            pub const ALL: &[Self] = &[$($(Self::$kind),+),+];

            /// Returns the name of the kind, in `snake_case`.
            pub fn as_str(self) -> &'static str {
                self.into()
            }

            /// Returns the category, which determines its color on a terminal.
            pub const fn category(self) -> EventCategory {
                match self {
                    $($(Self::$kind)|+ => EventCategory::$category,)+
                }
            }
        }
    };
}

event_kinds! {
    Board {
        /// A board: in style 12 or 10, or one that a delta board or a datagram led to.
        Position,
        /// The pieces in reserve.
        Holding,
        /// The terms of a game.
        GameInfo,
        /// An ICC datagram about a game's board that leads to no new board.
        GameUpdate,
        /// An examiner drew a circle or an arrow on a board, or removed one.
        BoardMark,
    }
    Game {
        /// A game of this login is about to begin.
        Creating,
        /// A game begins or is resumed.
        GameCreated,
        /// A game is over.
        GameEnded,
        /// A game is observed from now on, or no longer.
        Observing,
        /// Another of the observed games is the primary one.
        Focus,
        /// A move, a step, or a change of the position in an examined game.
        Examine,
        /// Clocks were stopped or changed, or a player lags.
        Clock,
        /// A player on the list `gnotify` starts a game.
        GameNotification,
        /// The rating of this login after its game.
        RatingChange,
        /// The effect of a challenge on the rating of this login.
        RatingForecast,
    }
    PrivateTalk {
        /// A tell to this login.
        Tell,
        /// A message of an opponent.
        Say,
        /// A tell of the bughouse partner.
        PartnerTell,
        /// A message that another player left for this login with the command `message`, or one that this login sent.
        Message,
    }
    PublicTalk {
        /// A shout.
        Shout,
        /// A shout in the third person.
        ItShout,
        /// A shout about chess.
        CShout,
        /// An announcement of the administrators.
        Announcement,
    }
    ChannelTalk {
        /// A message in a channel.
        ChannelTell,
    }
    GameTalk {
        /// A comment on a game, for players and observers.
        Kibitz,
        /// A comment on a game, for observers.
        Whisper,
        /// A line that a robot sent by `qtell`, which is printed without a speaker.
        Qtell,
    }
    Player {
        /// A player connected.
        Arrived,
        /// A player disconnected.
        Departed,
        /// The outcome of a change to one of this login's lists.
        ListChanged,
        /// This login follows the games of another player from now on, or of none.
        Following,
        /// The server delivered talk of this login.
        Delivered,
    }
    Offer {
        /// A match request to this login.
        Challenge,
        /// A match request of this login.
        ChallengeSent,
        /// A challenge was answered, changed or withdrawn.
        ChallengeUpdate,
        /// An offer in a game, or its answer.
        Offer,
        /// A bughouse partnership is offered, begins or ends, or the partner plays a game.
        Partner,
        /// An offer of this login without an answer yet.
        PendingTo,
        /// An offer to this login without an answer yet.
        PendingFrom,
        /// Offers left the list of pending ones.
        PendingRemoved,
    }
    Seek {
        /// An ad in the seek list.
        Seek,
        /// Ads left the seek list.
        SeeksRemoved,
        /// The seek list is reset.
        SeeksCleared,
        /// A report on this login's own ads.
        SeekNotice,
    }
    Login {
        /// The server waits for a name.
        LoginPrompt,
        /// The server waits for a password.
        PasswordPrompt,
        /// The server offers a name to a guest.
        GuestPrompt,
        /// The server reports whether the name at the login prompt belongs to an account.
        NameStatus,
        /// The login is complete: a report of the server ([`Message::LoggedIn`](crate::message::Message)), or the event that a
        /// live session emits once for each login ([`Event::LoggedIn`](crate::Event)).
        LoggedIn,
    }
    Refusal {
        /// A login was refused.
        LoginRefused,
        /// The server terminates this session for another login, or by an administrator.
        Kicked,
        /// The session or the server is about to end.
        Farewell,
        /// A command was not executed.
        Refused,
    }
    Control {
        /// The server waits for a command.
        Prompt,
        /// A reply in block mode begins.
        BlockStart,
        /// A reply in block mode is over.
        BlockEnd,
        /// An ICC level-1 unit begins.
        UnitStart,
        /// An ICC level-1 unit ends.
        UnitEnd,
        /// A telnet command.
        Telnet,
        /// A timeseal ping.
        Ping,
    }
    Text {
        /// An ICC datagram that no other kind represents.
        Datagram,
        /// A line of a listing; the listing follows at the end of the reply.
        ListingLine,
        /// A line of no other kind.
        Text,
    }
    Listing {
        /// The reply to `bugwho`.
        BughouseList,
        /// The reply to `inchannel`.
        ChannelList,
        /// The reply to `finger` and `statistics`.
        Finger,
        /// The reply to `ginfo`.
        GameDetails,
        /// The reply to `games`.
        GameList,
        /// The reply to `help`.
        Help,
        /// The reply to `history`.
        History,
        /// The reply to `journal`.
        Journal,
        /// The reply to `moves`, `oldmoves` and `smoves`.
        MoveList,
        /// The reply to `showlist`, `handles` and `znotify`.
        NameLists,
        /// The reply to `allobservers`.
        ObserverLists,
        /// The reply to `sought`.
        SoughtList,
        /// The reply to `stored`.
        StoredGames,
        /// The reply to `variables` and `ivariables`.
        Variables,
        /// The reply to `who`.
        WhoList,
    }
    Trouble {
        /// The server dropped the rest of an ICC command's output.
        Overflow,
        /// A line exceeded the length limit.
        OverLong,
        /// A message contradicts the known state of a game.
        Desync,
        /// The boards of a game left out moves.
        Missed,
        /// The server violated the protocol.
        Fault,
        /// The connection was lost.
        Lost,
    }
    Session {
        /// The session is about to open a connection.
        Connecting,
        /// A connection is established.
        Connected,
        /// The session is set up and accepts requests.
        SessionReady,
        /// The outcome of restoring the games, settings and seeks after a reconnect.
        Restored,
        /// An adjourned game of the account is known, or its state changed.
        AdjournedGame,
        /// The session is over.
        Ended,
    }
    Sent {
        /// A line was sent.
        Sent,
    }
}

/// Subject of an [`EventKind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EventCategory {
    /// Boards and the terms of games.
    Board,
    /// Games that begin and end, and events in games other than moves.
    Game,
    /// Talk to this login alone.
    PrivateTalk,
    /// Talk to all players.
    PublicTalk,
    /// Talk in a channel.
    ChannelTalk,
    /// Talk about a game.
    GameTalk,
    /// Players who connect and disconnect.
    Player,
    /// Challenges and offers.
    Offer,
    /// Seek ads.
    Seek,
    /// The login.
    Login,
    /// Refusals, and the end of the session by the server.
    Refusal,
    /// Prompts, marks of replies, telnet and pings: how the server frames its output.
    Control,
    /// Everything else from the server.
    Text,
    /// Listings, which follow their lines.
    Listing,
    /// Lost connections, lost output, and contradictions in the server's messages.
    Trouble,
    /// State of the session.
    Session,
    /// Lines of the client.
    Sent,
}

parse_by_name!(EventKind, "no event has this name");

#[cfg(test)]
mod tests;
