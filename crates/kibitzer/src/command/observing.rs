//! Observing games.

use std::sync::Arc;

use kibitzer_core::event::RequestError;
use kibitzer_core::message::{GameId, Handle, Message, Refusal, Style12};
use kibitzer_core::session::Reply;
use kibitzer_core::text::ServerText;

use super::{Request, reply, typed_command};

/// A reference to a game, by its number or a player in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "servers have no other reference to a game")]
pub enum GameRef {
    /// The game with this number.
    Game(GameId),
    /// The game that this player plays or examines.
    Player(Handle),
}

impl From<GameId> for GameRef {
    fn from(game: GameId) -> Self {
        Self::Game(game)
    }
}

impl From<Handle> for GameRef {
    fn from(player: Handle) -> Self {
        Self::Player(player)
    }
}

impl GameRef {
    /// Returns the line `command` followed by the number of this game or the name of this player.
    pub(super) fn command_line(&self, command: &str) -> String {
        match self {
            Self::Game(game) => format!("{command} {game}"),
            Self::Player(player) => format!("{command} {player}"),
        }
    }
}

/// A game that this login observes from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ObservedGame {
    /// Number of the game.
    pub game: GameId,
    /// The current board; `None` if the reply does not contain it in style 12.
    pub board: Option<Arc<Style12>>,
}

/// Returns the command that observes a game.
pub(super) fn observe(game: GameRef) -> impl Request<Answer = ObservedGame> + Send + Sync {
    typed_command(game.command_line("observe"), move |reply| {
        let is_meant = |number: GameId| match &game {
            GameRef::Game(game) => *game == number,
            GameRef::Player(_) => true,
        };
        let game = reply::find_in_messages(reply, |message| match message {
            Message::Observing(observing) if observing.is_observed && is_meant(observing.game) => Some(observing.game),
            _ => None,
        })?;
        Ok(ObservedGame { game, board: reply::boards_from_last(reply).find(|board| board.game() == game).cloned() })
    })
}

/// Parses the reply to `unobserve`: the games that are no longer observed, at least one. An empty reply is a refusal, because no
/// game was observed.
pub(super) fn parse_unobserved_games(reply: &Reply) -> Result<Vec<GameId>, RequestError> {
    let stopped = reply.messages().filter_map(|message| match message {
        Message::Observing(observing) if !observing.is_observed => Some(observing.game),
        _ => None,
    });
    let stopped: Vec<_> = stopped.collect();
    if !stopped.is_empty() {
        return Ok(stopped);
    }
    if reply.first_answer().is_some() {
        return Err(reply::unexpected_reply(reply));
    }
    // uhlin-fics 1.4.7 answers nothing if no game is observed; other servers say so.
    let reason = Refusal::NoneObserved;
    Err(RequestError::Refused { reason, text: ServerText::from_wire(b"") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command;
    use crate::command::testing::{answer, assert_line};

    const BOARD: &str = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 1 \
        Alekhine Bogoljubov 0 5 0 39 39 300 300 1 none (0:00) none 0 0 0";

    fn player(name: &str) -> GameRef {
        GameRef::Player(name.parse().unwrap())
    }

    #[test]
    fn a_game_is_named_by_number_or_player() {
        assert_line(&command::observe(GameId(42)), "observe 42");
        assert_line(&command::observe(player("Alice")), "observe Alice");
        assert_line(&command::unobserve(GameId(42)), "unobserve 42");
        assert_line(&command::unobserve_all(), "unobserve");
    }

    #[test]
    fn observe_returns_the_number_and_the_board() {
        let fatics = format!(
            "You are now observing game 1.\nGame 1: Alekhine (1882) Bogoljubov (1558) unrated blitz 5 0\n\n{BOARD}"
        );
        let between = format!("{}\n{fatics}", BOARD.replace(" 1 Alekhine", " 2 Alekhine"));
        let uhlin = format!("You are now observing game 1.\n\n{BOARD}\n<b1> game 1 white [] black []");
        for (game, reply) in [(GameId(1).into(), &fatics), (player("Alekhine"), &uhlin), (GameId(1).into(), &between)] {
            let observed = answer(&command::observe(game), reply).unwrap();
            assert_eq!((observed.game, observed.board.map(|board| board.game())), (GameId(1), Some(GameId(1))));
        }
        let in_style_1 =
            answer(&command::observe(GameId(1)), "You are now observing game 1.\nGame 1 (Alice vs. Boris)");
        assert_eq!(in_style_1, Ok(ObservedGame { game: GameId(1), board: None }));
    }

    #[test]
    fn refused_observations_are_errors() {
        let cases = [
            ("There is no such game.", Refusal::NoSuchGame),
            ("You are already observing game 1.", Refusal::AlreadyObserving(GameId(1))),
            ("Sorry, game 1 is a private game.", Refusal::PrivateGame(GameId(1))),
        ];
        for (reply, why) in cases {
            let error = answer(&command::observe(GameId(1)), reply).unwrap_err();
            assert_eq!((error.refusal_reason(), error.text()), (Some(why), Some(reply)));
        }
        for reply in ["Alice is not playing a game.", "Alice is not playing or examining a game."] {
            let error = answer(&command::observe(player("Alice")), reply).unwrap_err();
            assert_eq!(error.refusal_reason(), Some(Refusal::PlayerNotPlaying), "{reply}");
        }
        // The first is uhlin-fics's answer to observing once more; the last is about another game.
        for reply in ["Removing game 1 from observation list.", "You are now observing game 2."] {
            let error = answer(&command::observe(GameId(1)), reply).unwrap_err();
            assert!(matches!(&error, RequestError::Unexpected { text } if text.as_str() == reply), "{error:?}");
        }
    }

    #[test]
    fn unobserve_returns_the_games() {
        let one = "Removing game 1 from observation list.";
        assert_eq!(answer(&command::unobserve(GameId(1)), one), Ok(vec![GameId(1)]));
        let both = "Removing game 1 from observation list.\nRemoving game 2 from observation list.";
        assert_eq!(answer(&command::unobserve_all(), both), Ok(vec![GameId(1), GameId(2)]));
        let none = answer(&command::unobserve_all(), "You are not observing any games.").unwrap_err();
        assert_eq!(none.refusal_reason(), Some(Refusal::NoneObserved));
        let silence = answer(&command::unobserve_all(), "Foo tells you: hi").unwrap_err();
        assert_eq!((silence.refusal_reason(), silence.text()), (none.refusal_reason(), None));
        assert!(matches!(answer(&command::unobserve_all(), "Hm."), Err(RequestError::Unexpected { .. })));
    }
}
