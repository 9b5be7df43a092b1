//! Observing games.

use std::sync::Arc;

use kibitzer_core::event::{CommandError, RefusalReason, RequestError};
use kibitzer_core::message::{GameId, Message, ObservingChange, ObservingRefusal, Style12};
use kibitzer_core::session::{Command, Reply};
use kibitzer_core::text::ServerText;

use super::terms::Words;
use super::{GameRef, Request, answer};

/// `observe`: follow a game.
///
/// A game that is observed already is a refusal on most servers; uhlin-fics takes the command as the wish to observe no
/// longer, and does so. Its words are then in [`RequestError::Unexpected`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Observe(GameRef);

impl Observe {
    /// Asks to observe this game.
    pub fn new(game: impl Into<GameRef>) -> Self {
        Self(game.into())
    }
}

/// A game that is observed from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Observed {
    /// The number of the game.
    pub game: GameId,
    /// The board at this moment, if the reply has it in style 12.
    pub board: Option<Arc<Style12>>,
}

impl Request for Observe {
    type Answer = Observed;

    fn command(&self) -> Result<Command, CommandError> {
        Command::new(Words::new("observe").with(&self.0).as_str())
    }

    fn answer(&self, reply: Reply) -> Result<Observed, RequestError> {
        let game = answer::first(&reply, |message| match message {
            Message::Observing(observing) if observing.is_observed() && self.0.fits(observing.game) => {
                Some(observing.game)
            }
            _ => None,
        })?;
        Ok(Observed { game, board: answer::board_of_game(&reply, game).cloned() })
    }
}

impl GameRef {
    /// Whether it may be the game of this number.
    fn fits(&self, game: GameId) -> bool {
        match self {
            Self::Game(wanted) => *wanted == game,
            Self::Player(_) => true,
        }
    }
}

/// `unobserve`: follow a game no longer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Unobserve(Option<GameRef>);

impl Unobserve {
    /// Asks to observe this game no longer.
    pub fn new(game: impl Into<GameRef>) -> Self {
        Self(Some(game.into()))
    }

    /// Asks to observe no game any longer.
    pub const fn all() -> Self {
        Self(None)
    }
}

impl Request for Unobserve {
    /// The games that are not observed any longer; at least one.
    type Answer = Vec<GameId>;

    fn command(&self) -> Result<Command, CommandError> {
        Command::new(Words::new("unobserve").maybe(self.0.as_ref()).as_str())
    }

    fn answer(&self, reply: Reply) -> Result<Vec<GameId>, RequestError> {
        let left = reply.messages().filter_map(|message| match message {
            Message::Observing(observing) if observing.change == ObservingChange::Stopped => Some(observing.game),
            _ => None,
        });
        let left: Vec<_> = left.collect();
        match (left.is_empty(), reply.answer()) {
            (false, _) => Ok(left),
            (true, Some(_)) => Err(answer::unexpected(&reply)),
            (true, None) => Err(none_observed()),
        }
    }
}

/// What uhlin-fics 1.4.7 means by answering nothing at all; other servers say it.
fn none_observed() -> RequestError {
    let reason = RefusalReason::Observing(ObservingRefusal::NoneObserved);
    RequestError::Refused { reason, text: ServerText::from_wire(b"") }
}

#[cfg(test)]
mod tests {
    use kibitzer_core::message::Refusal;

    use super::super::testing::{answer, assert_line};
    use super::*;

    const BOARD: &str = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 1 \
        Alekhine Bogoljubov 0 5 0 39 39 300 300 1 none (0:00) none 0 0 0";

    fn player(name: &str) -> GameRef {
        GameRef::Player(name.parse().unwrap())
    }

    #[test]
    fn a_game_is_named_by_number_or_player() {
        assert_line(&Observe::new(GameId(42)), "observe 42");
        assert_line(&Observe::new(player("Alice")), "observe Alice");
        assert_line(&Unobserve::new(GameId(42)), "unobserve 42");
        assert_line(&Unobserve::all(), "unobserve");
    }

    #[test]
    fn a_game_that_is_observed_comes_with_its_board() {
        let fatics = format!(
            "You are now observing game 1.\nGame 1: Alekhine (1882) Bogoljubov (1558) unrated blitz 5 0\n\n{BOARD}"
        );
        let between = format!("{}\n{fatics}", BOARD.replace(" 1 Alekhine", " 2 Alekhine"));
        let uhlin = format!("You are now observing game 1.\n\n{BOARD}\n<b1> game 1 white [] black []");
        for (game, reply) in [(GameId(1).into(), &fatics), (player("Alekhine"), &uhlin), (GameId(1).into(), &between)] {
            let observed = answer(&Observe::new(game), reply).unwrap();
            assert_eq!((observed.game, observed.board.map(|board| board.game())), (GameId(1), Some(GameId(1))));
        }
        let in_style_1 = answer(&Observe::new(GameId(1)), "You are now observing game 1.\nGame 1 (Alice vs. Boris)");
        assert_eq!(in_style_1, Ok(Observed { game: GameId(1), board: None }));
    }

    #[test]
    fn games_that_cannot_be_observed() {
        let cases = [
            ("There is no such game.", ObservingRefusal::NoSuchGame),
            ("You are already observing game 1.", ObservingRefusal::AlreadyObserving(GameId(1))),
            ("Sorry, game 1 is a private game.", ObservingRefusal::Private(GameId(1))),
        ];
        for (reply, why) in cases {
            let error = answer(&Observe::new(GameId(1)), reply).unwrap_err();
            assert_eq!((error.refusal(), error.text()), (Some(RefusalReason::Observing(why)), Some(reply)));
        }
        for reply in ["Alice is not playing a game.", "Alice is not playing or examining a game."] {
            let error = answer(&Observe::new(player("Alice")), reply).unwrap_err();
            assert_eq!(error.refusal(), Some(RefusalReason::Refusal(Refusal::PlayerNotPlaying)), "{reply}");
        }
        // The first is uhlin-fics's answer to observing once more; the last is about another game.
        for reply in ["Removing game 1 from observation list.", "You are now observing game 2."] {
            let error = answer(&Observe::new(GameId(1)), reply).unwrap_err();
            assert!(matches!(&error, RequestError::Unexpected { text } if text.as_str() == reply), "{error:?}");
        }
    }

    #[test]
    fn games_that_are_left() {
        let one = "Removing game 1 from observation list.";
        assert_eq!(answer(&Unobserve::new(GameId(1)), one), Ok(vec![GameId(1)]));
        let both = "Removing game 1 from observation list.\nRemoving game 2 from observation list.";
        assert_eq!(answer(&Unobserve::all(), both), Ok(vec![GameId(1), GameId(2)]));
        let none = answer(&Unobserve::all(), "You are not observing any games.").unwrap_err();
        assert_eq!(none.refusal(), Some(RefusalReason::Observing(ObservingRefusal::NoneObserved)));
        let silence = answer(&Unobserve::all(), "Foo tells you: hi").unwrap_err();
        assert_eq!((silence.refusal(), silence.text()), (none.refusal(), None));
        assert!(matches!(answer(&Unobserve::all(), "Hm."), Err(RequestError::Unexpected { .. })));
    }
}
