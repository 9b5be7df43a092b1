//! Kinds of events, and their categories.

use crate::by_name::parse_by_name;

/// Every kind with its name, in one list.
macro_rules! event_kinds {
    ($($category:ident { $($(#[$meta:meta])* $kind:ident = $name:literal,)+ })+) => {
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
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum EventKind {
            $($($(#[$meta])* $kind,)+)+
        }

        impl EventKind {
            /// Every kind.
            pub const ALL: &[Self] = &[$($(Self::$kind),+),+];

            /// Returns the name of the kind, in `snake_case`.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $($(Self::$kind => $name,)+)+
                }
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
        Position = "position",
        /// The pieces in reserve.
        Holding = "holding",
        /// The terms of a game.
        GameInfo = "game_info",
        /// An ICC datagram about a game's board that leads to no new board.
        GameUpdate = "game_update",
        /// An examiner drew a circle or an arrow on a board, or removed one.
        BoardMark = "board_mark",
    }
    Game {
        /// A game of this login is about to begin.
        Creating = "creating",
        /// A game begins or is resumed.
        GameCreated = "game_created",
        /// A game is over.
        GameEnded = "game_ended",
        /// A game is observed from now on, or no longer.
        Observing = "observing",
        /// Another of the observed games is the primary one.
        Focus = "focus",
        /// A move, a step, or a change of the position in an examined game.
        Examine = "examine",
    }
    PrivateTalk {
        /// A tell to this login.
        Tell = "tell",
        /// A message of an opponent.
        Say = "say",
        /// A tell of the bughouse partner.
        PartnerTell = "partner_tell",
        /// A message that was left or sent.
        Message = "message",
    }
    PublicTalk {
        /// A shout.
        Shout = "shout",
        /// A shout in the third person.
        ItShout = "it_shout",
        /// A shout about chess.
        CShout = "c_shout",
        /// An announcement of the administrators.
        Announcement = "announcement",
    }
    ChannelTalk {
        /// A message in a channel.
        ChannelTell = "channel_tell",
    }
    GameTalk {
        /// A comment on a game, for players and observers.
        Kibitz = "kibitz",
        /// A comment on a game, for observers.
        Whisper = "whisper",
        /// A line that a robot sent by `qtell`, which is printed without a speaker.
        Qtell = "qtell",
    }
    Player {
        /// A player connected.
        Arrived = "arrived",
        /// A player disconnected.
        Departed = "departed",
    }
    Offer {
        /// A match request to this login.
        Challenge = "challenge",
        /// A match request of this login.
        ChallengeSent = "challenge_sent",
        /// A challenge was answered, changed or withdrawn.
        ChallengeUpdate = "challenge_update",
        /// An offer in a game, or its answer.
        Offer = "offer",
        /// A bughouse partnership is offered, begins, ends, or does something.
        Partner = "partner",
        /// An offer of this login without an answer yet.
        PendingTo = "pending_to",
        /// An offer to this login without an answer yet.
        PendingFrom = "pending_from",
        /// Offers left the list of pending ones.
        PendingRemoved = "pending_removed",
    }
    Seek {
        /// An ad in the seek list.
        Seek = "seek",
        /// Ads left the seek list.
        SeeksRemoved = "seeks_removed",
        /// The seek list is reset.
        SeeksCleared = "seeks_cleared",
        /// A report on this login's own ads.
        SeekNotice = "seek_notice",
    }
    Login {
        /// The server waits for a name.
        LoginPrompt = "login_prompt",
        /// The server waits for a password.
        PasswordPrompt = "password_prompt",
        /// The server offers a name to a guest.
        GuestPrompt = "guest_prompt",
        /// The server reports whether the name at the login prompt belongs to an account.
        NameStatus = "name_status",
        /// The login is complete: a report of the server ([`Message::LoggedIn`](crate::message::Message)), or the event that a
        /// live session emits once for each login ([`Event::LoggedIn`](crate::Event)).
        LoggedIn = "logged_in",
    }
    Refusal {
        /// A login was refused.
        LoginRefused = "login_refused",
        /// The server terminates this session for another login, or by an administrator.
        Kicked = "kicked",
        /// The session or the server is about to end.
        Farewell = "farewell",
        /// A command was not executed.
        Refused = "refused",
    }
    Control {
        /// The server waits for a command.
        Prompt = "prompt",
        /// A reply in block mode begins.
        BlockStart = "block_start",
        /// A reply in block mode is over.
        BlockEnd = "block_end",
        /// An ICC level-1 unit begins.
        UnitStart = "unit_start",
        /// An ICC level-1 unit ends.
        UnitEnd = "unit_end",
        /// A telnet command.
        Telnet = "telnet",
        /// A timeseal ping.
        Ping = "ping",
    }
    Text {
        /// An ICC datagram that no other kind represents.
        Datagram = "datagram",
        /// A line of a listing; the listing follows at the end of the reply.
        ListingLine = "listing_line",
        /// A line of no other kind.
        Text = "text",
    }
    Listing {
        /// The reply to `inchannel`.
        ChannelList = "channel_list",
        /// The reply to `finger` and `statistics`.
        Finger = "finger",
        /// The reply to `games`.
        GameList = "game_list",
        /// The reply to `history`.
        History = "history",
        /// The reply to `moves`, `oldmoves` and `smoves`.
        MoveList = "move_list",
        /// The reply to `sought`.
        SoughtList = "sought_list",
        /// The reply to `stored`.
        StoredGames = "stored_games",
        /// The reply to `variables` and `ivariables`.
        Variables = "variables",
        /// The reply to `who`.
        WhoList = "who_list",
    }
    Trouble {
        /// The server dropped the rest of an ICC command's output.
        Overflow = "overflow",
        /// A line exceeded the length limit.
        OverLong = "over_long",
        /// A message contradicts the known state of a game.
        Desync = "desync",
        /// The boards of a game left out moves.
        Missed = "missed",
        /// The server violated the protocol.
        Fault = "fault",
        /// The connection was lost.
        Lost = "lost",
    }
    Session {
        /// The session is about to open a connection.
        Connecting = "connecting",
        /// A connection is established.
        Connected = "connected",
        /// The session is set up and accepts requests.
        SessionReady = "session_ready",
        /// The outcome of restoring the games, settings and seeks after a reconnect.
        Restored = "restored",
        /// An adjourned game of the account is known, or its state changed.
        AdjournedGame = "adjourned_game",
        /// The session is over.
        Ended = "ended",
    }
    Sent {
        /// A line was sent.
        Sent = "sent",
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

impl std::fmt::Display for EventKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

parse_by_name!(EventKind, "no event has this name");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ParseError;

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
            assert_eq!(name.parse::<EventKind>(), Err(ParseError::new("no event has this name")), "{name:?}");
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
            ("Issuing: Foo (1500) Bar (1671) unrated blitz 5 0.\n\r", &[EventKind::ChallengeSent]),
            ("<pf> 7 w=Foo t=draw p=#\n\r", &[EventKind::PendingFrom]),
            ("There is no such game.\n\r", &[EventKind::Refused]),
            ("Your primary game is now game 3.\n\r", &[EventKind::Focus]),
        ];
        for &(sent, want) in cases {
            let (mut reader, mut input) = (crate::EventReader::default(), sent.as_bytes());
            let mut kinds: Vec<_> = std::iter::from_fn(|| reader.next(&mut input)).map(|event| event.kind()).collect();
            kinds.extend(std::iter::from_fn(|| reader.finish()).map(|event| event.kind()));
            assert_eq!(kinds, want, "{sent}");
        }
    }
}
