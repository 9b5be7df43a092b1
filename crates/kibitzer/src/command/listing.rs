//! Commands that ask for a table: games, players, moves, settings.

use kibitzer_core::event::{CommandError, RequestError};
use kibitzer_core::message::{Handle, listing};
use kibitzer_core::session::{Command, Reply};
use kibitzer_core::text::ServerText;

use super::bare::bare_commands;
use super::terms::Words;
use super::{GameRef, Request, answer};

/// Commands that may name a player, `finger Newton`, and else mean this login.
macro_rules! of_player {
    ($(#[$meta:meta])* $name:ident, $word:literal) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $name(Option<Handle>);

        impl $name {
            /// Asks for what belongs to this login.
            pub const fn mine() -> Self {
                Self(None)
            }

            /// Asks for what belongs to this player.
            pub const fn of(player: Handle) -> Self {
                Self(Some(player))
            }

            fn words(&self) -> Words {
                Words::new($word).maybe(self.0.as_ref())
            }
        }
    };
}

/// Implements [`Request`] for a command whose whole reply is a listing.
macro_rules! asks_for {
    ($name:ty, $listing:ty, $words:expr) => {
        impl Request for $name {
            type Answer = $listing;

            fn command(&self) -> Result<Command, CommandError> {
                let words: fn(&Self) -> Words = $words;
                Command::new(words(self).as_str())
            }

            fn answer(&self, reply: Reply) -> Result<Self::Answer, RequestError> {
                answer::listing(&reply)
            }
        }
    };
}

of_player! {
    /// `finger`: what is known of a player.
    Finger, "finger"
}
asks_for!(Finger, listing::Finger, Finger::words);

of_player! {
    /// `stored`: the adjourned games of a player.
    Stored, "stored"
}
asks_for!(Stored, listing::StoredGames, Stored::words);

of_player! {
    /// `variables`: the settings of a player.
    Variables, "variables"
}
asks_for!(Variables, listing::Variables, Variables::words);

of_player! {
    /// `history`: the last games of a player.
    History, "history"
}

impl Request for History {
    type Answer = listing::History;

    fn command(&self) -> Result<Command, CommandError> {
        Command::new(self.words().as_str())
    }

    /// One server does not say whose games there are none of: the owner is then who was asked for, or empty.
    fn answer(&self, reply: Reply) -> Result<Self::Answer, RequestError> {
        let is_none = |line: &[u8]| line.trim_ascii() == b"Sorry, no game information available.";
        if reply.answer().is_some_and(|event| is_none(event.raw())) {
            let mut history = listing::History::default();
            history.owner = self.0.clone().unwrap_or_default();
            return Ok(history);
        }
        answer::listing(&reply)
    }
}

bare_commands! {
    /// `ivariables`: the settings of this session's interface.
    InterfaceVariables = "ivariables" -> listing::Variables, answer::listing;
    /// `date`: the server's clocks. Harmless, so it also serves to show that the server is there.
    Date = "date" -> ServerDate, read_date;
}

/// `games`: the games that are played or examined.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Games(Option<GameRef>);

impl Games {
    /// Asks for every game.
    pub const fn all() -> Self {
        Self(None)
    }

    /// Asks for one game, or for those of players whose names start so.
    pub fn of(game: impl Into<GameRef>) -> Self {
        Self(Some(game.into()))
    }
}
asks_for!(Games, listing::GameListing, |command| Words::new("games").maybe(command.0.as_ref()));

/// `who`: the players who are logged in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Who;

impl Who {
    /// Asks for every player.
    pub const fn all() -> Self {
        Self
    }
}
asks_for!(Who, listing::WhoList, |_| Words::new("who"));

/// `sought`: the open seeks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sought {
    line: &'static str,
}

impl Sought {
    /// Asks for those that this login may answer.
    pub const fn suitable() -> Self {
        Self { line: "sought" }
    }

    /// Asks for every one.
    pub const fn all() -> Self {
        Self { line: "sought all" }
    }
}
asks_for!(Sought, listing::SoughtList, |command| Words::new(command.line));

/// `moves`: the moves of a game so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Moves(Option<GameRef>);

impl Moves {
    /// Asks for the moves of the game this login plays, or else examines or observes.
    pub const fn mine() -> Self {
        Self(None)
    }

    /// Asks for the moves of a game.
    pub fn of(game: impl Into<GameRef>) -> Self {
        Self(Some(game.into()))
    }
}
asks_for!(Moves, listing::MoveList, |command| Words::new("moves").maybe(command.0.as_ref()));

/// `inchannel`: who listens to a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InChannel(u16);

impl InChannel {
    /// Asks for the listeners of this channel.
    pub const fn new(channel: u16) -> Self {
        Self(channel)
    }
}
asks_for!(InChannel, listing::ChannelList, |command| Words::new("inchannel").with(command.0));

/// The clocks of a server, in its own words: every server has its own form.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerDate {
    /// The time in the time zone of this login.
    pub local: ServerText,
    /// The server's time, or Greenwich's, whichever it tells.
    pub server: Option<ServerText>,
}

fn read_date(reply: &Reply) -> Result<ServerDate, RequestError> {
    let local = answer::first_line(reply, |line| time_behind(line, b"local time"))?;
    let server = [&b"server time"[..], b"greenwich time"];
    let server = server.iter().find_map(|name| reply.answers().find_map(|event| time_behind(event.raw(), name)));
    Ok(ServerDate { local, server })
}

/// `Local time     - Sat Nov 21, 00:37 UTC 2026`
fn time_behind(line: &[u8], name: &[u8]) -> Option<ServerText> {
    let (head, tail) = line.split_at_checked(name.len())?;
    let time = head.eq_ignore_ascii_case(name).then_some(tail)?.trim_ascii().strip_prefix(b"-")?;
    Some(ServerText::from_wire(time.trim_ascii()))
}

#[cfg(test)]
mod tests {
    use kibitzer_core::event::RefusalReason;
    use kibitzer_core::message::listing::ListingError;
    use kibitzer_core::message::{GameId, Refusal};

    use super::super::testing::{answer, assert_line};
    use super::*;

    fn newton() -> Handle {
        "Newton".parse().unwrap()
    }

    #[test]
    fn lines_name_what_is_asked_for() {
        assert_line(&Games::all(), "games");
        assert_line(&Games::of(GameId(42)), "games 42");
        assert_line(&Games::of(newton()), "games Newton");
        assert_line(&Who::all(), "who");
        assert_line(&Sought::suitable(), "sought");
        assert_line(&Sought::all(), "sought all");
        assert_line(&Finger::mine(), "finger");
        assert_line(&Finger::of(newton()), "finger Newton");
        assert_line(&Stored::of(newton()), "stored Newton");
        assert_line(&History::mine(), "history");
        assert_line(&Variables::of(newton()), "variables Newton");
        assert_line(&InterfaceVariables::new(), "ivariables");
        assert_line(&Moves::mine(), "moves");
        assert_line(&Moves::of(GameId(7)), "moves 7");
        assert_line(&InChannel::new(53), "inchannel 53");
        assert_line(&Date::new(), "date");
    }

    #[test]
    fn what_comes_in_between_is_no_part_of_a_listing() {
        let reply = "Bogoljubov tells you: async 0: x\nThere are no games in progress.\n\n\
            Bogoljubov(53): hello\n<d1> 1 6 a6 a7a6 586 299312 0";
        let games = answer(&Games::all(), reply).unwrap();
        assert_eq!((games.games.len(), games.unread.len()), (0, 0));
        assert!(
            answer(&Sought::all(), "Alice tells you: an empty list comes without a line").unwrap().seeks.is_empty()
        );
    }

    #[test]
    fn a_board_in_a_move_list_is_its_start() {
        let reply = "Movelist for game 34:\n\nA (1626) vs. B (UNR) --- Mon Nov  4, 08:38 CET 2002\n\
            Rated standard match, initial time: 10 minutes, increment: 12 seconds.\n\n\
            <12> bbqnnrkr pppppppp -------- -------- -------- -------- PPPPPPPP BBQNNRKR W -1 1 1 1 1 0 34 A B -4 10 12 \
            39 39 600 600 1 none (0:00) none 0 0 0\n\n\
            Move  A                       B\n----  ---------------------   ---------------------\n  \
            1.  e4      (0:00.000)      c5      (0:00.123)\n      {Still in progress} *";
        let moves = answer(&Moves::mine(), reply).unwrap();
        assert_eq!((moves.start.len(), moves.unread.len()), (1, 0));
    }

    #[test]
    fn no_games_are_a_history_too() {
        let cases = [
            (History::of(newton()), "Sorry, no game information available.", "Newton"),
            (History::mine(), "Sorry, no game information available.", ""),
            (History::mine(), "Alice has no history games.", "Alice"),
        ];
        for (command, reply, owner) in cases {
            let history = answer(&command, reply).unwrap();
            assert_eq!((history.owner.as_str(), history.games.len()), (owner, 0), "{reply}");
        }
    }

    #[test]
    fn dates_of_two_servers() {
        let cases = [
            (
                "Local time     - Sat Nov 21, 00:37 UTC 2026\nServer time    - Sat Nov 21, 00:37 UTC 2026",
                ("Sat Nov 21, 00:37 UTC 2026", Some("Sat Nov 21, 00:37 UTC 2026")),
            ),
            (
                "Local time     - Sat Nov 21,  0:22 UTC\nGreenwich time - Sat Nov 21,  0:22 GMT",
                ("Sat Nov 21,  0:22 UTC", Some("Sat Nov 21,  0:22 GMT")),
            ),
            ("Local time     - Sat Nov 21,  0:22 UTC", ("Sat Nov 21,  0:22 UTC", None)),
        ];
        for (reply, want) in cases {
            let date = answer(&Date::new(), reply).unwrap();
            assert_eq!((date.local.as_str(), date.server.as_ref().map(ServerText::as_str)), want);
        }
        assert!(matches!(answer(&Date::new(), "Localtime"), Err(RequestError::Unexpected { .. })));
    }

    #[test]
    fn refusals_are_told_in_the_servers_words() {
        let no_player = answer(&Finger::of(newton()), "There is no player matching the name \"nobody\".").unwrap_err();
        assert_eq!(no_player.text(), Some("There is no player matching the name \"nobody\"."));
        assert!(matches!(no_player.refusal(), Some(RefusalReason::Refusal(_))));
        let no_game = answer(&Moves::of(GameId(1)), "There is no such game.").unwrap_err();
        assert!(matches!(no_game.refusal(), Some(RefusalReason::Observing(_))));
        let not_playing = answer(&Moves::mine(), "You are not playing, examining, or observing a game.");
        assert!(not_playing.unwrap_err().is_refusal(Refusal::NotPlaying));
        let unknown = answer(&Who::all(), "TODO: unsupported format").unwrap_err();
        assert_eq!(unknown.text(), Some("TODO: unsupported format"));
        let RequestError::Listing { source, .. } = unknown else { panic!("{unknown:?}") };
        assert_eq!(source, ListingError::NotThisReply);
    }
}
