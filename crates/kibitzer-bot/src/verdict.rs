//! Decisions of a bot with their reasons, and the events that report them.

use std::fmt;

use kibitzer::{GameId, Handle};
use serde::Serialize;
use tracing::info;

use crate::engine::{Score, SearchInfo};

/// A decision and its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a decision with its reason")]
pub struct Verdict<T> {
    /// The decision.
    pub decision: T,
    /// The reason, as part of a sentence: `rated games are not played`.
    pub reason: String,
}

impl<T> Verdict<T> {
    /// Creates a verdict.
    pub fn new(decision: T, reason: impl Into<String>) -> Self {
        Self { decision, reason: reason.into() }
    }
}

impl Verdict<bool> {
    /// Creates the verdict that accepts.
    pub fn accept(reason: impl Into<String>) -> Self {
        Self::new(true, reason)
    }

    /// Creates the verdict that declines.
    pub fn decline(reason: impl Into<String>) -> Self {
        Self::new(false, reason)
    }
}

/// An action of a bot with its reason, or a line of its engine's analysis. In JSON: one object with the key `event`, which is
/// `bot` or `analysis`.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum BotEvent {
    /// The bot acted, or decided not to.
    #[serde(rename = "bot")]
    #[non_exhaustive]
    Acted {
        /// The account; `None` before the first login of a guest whose name the server chooses.
        account: Option<Handle>,
        /// The kind of action.
        action: BotAction,
        /// The game that it concerns.
        game: Option<GameId>,
        /// The player that it concerns.
        player: Option<Handle>,
        /// The reason.
        reason: String,
    },
    /// The engine reported a line of analysis of the current position.
    #[non_exhaustive]
    Analysis {
        /// The account.
        account: Option<Handle>,
        /// The game.
        game: GameId,
        /// Depth in plies.
        depth: Option<u32>,
        /// Score in hundredths of a pawn, from the bot's point of view.
        score_cp: Option<i32>,
        /// Number of moves to mate; negative if the bot is mated.
        mate: Option<i32>,
        /// Nodes per second.
        nodes_per_second: Option<u64>,
        /// The expected moves.
        line: Vec<String>,
    },
}

impl fmt::Display for BotEvent {
    /// Writes one line: account, action, game, player and reason; the alternate form (`{:#}`) leaves out the account. The reason
    /// may contain words of other players.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Acted { account, action, game, player, reason } => {
                if let Some(account) = account
                    && !f.alternate()
                {
                    write!(f, "{account}: ")?;
                }
                write!(f, "{action:?}")?;
                if let Some(game) = game {
                    write!(f, ", game {game}")?;
                }
                if let Some(player) = player {
                    write!(f, ", {player}")?;
                }
                write!(f, ": {reason}")
            }
            Self::Analysis { depth, line, .. } => {
                if let Some(depth) = depth {
                    write!(f, "depth {depth} ")?;
                }
                if let Some(score) = self.score() {
                    write!(f, "score {score} ")?;
                }
                f.write_str(&line.join(" "))
            }
        }
    }
}

impl BotEvent {
    /// Returns the score of a line of analysis, from the bot's point of view; `None` if the engine reported none, and for
    /// actions.
    pub const fn score(&self) -> Option<Score> {
        match *self {
            Self::Analysis { mate: Some(moves), .. } => Some(Score::Mate(moves)),
            Self::Analysis { score_cp: Some(score), .. } => Some(Score::Centipawns(score)),
            _ => None,
        }
    }

    /// Logs an action, and passes the event to the function that receives the events.
    pub(crate) fn emit(&self, on_event: &dyn Fn(&Self)) {
        if let Self::Acted { account, action, game, player, reason } = self {
            info!(
                account = account.as_ref().map(tracing::field::display),
                ?action,
                game = game.map(tracing::field::display),
                player = player.as_ref().map(tracing::field::display),
                reason,
                "bot acted"
            );
        }
        on_event(self);
    }

    /// Creates the event of an action.
    pub const fn acted(
        account: Option<Handle>,
        action: BotAction,
        game: Option<GameId>,
        player: Option<Handle>,
        reason: String,
    ) -> Self {
        Self::Acted { account, action, game, player, reason }
    }

    /// Creates the event of a line of analysis.
    pub fn analysis(account: Option<Handle>, game: GameId, info: SearchInfo) -> Self {
        let (score_cp, mate) = match info.score {
            Some(Score::Centipawns(score)) => (Some(score), None),
            Some(Score::Mate(moves)) => (None, Some(moves)),
            None => (None, None),
        };
        let SearchInfo { depth, nodes_per_second, line, .. } = info;
        Self::Analysis { account, game, depth, score_cp, mate, nodes_per_second, line }
    }
}

/// An action of a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BotAction {
    /// Accepted a challenge, or a request to join a simul.
    Accepted,
    /// Declined a challenge, or a request to join a simul.
    Declined,
    /// Posted a seek.
    Sought,
    /// Challenged a player or proposed a rematch; or such a challenge was declined or withdrawn.
    Challenged,
    /// A game started, or goes on after an interruption.
    Started,
    /// A game ended or was adjourned, or its end was not received.
    Ended,
    /// Counted a game that is over; the reason has the results since the start, over all accounts.
    Counted,
    /// The engine was ordered to search; the reason contains the move number and the maximum time.
    Thinking,
    /// Sent a move.
    Moved,
    /// Did not use the result of a search, because the position has changed or the game is over or given up; or did not answer a
    /// player, because too many others wait.
    Dropped,
    /// Did not answer a player, because the last answer was a moment ago.
    Suppressed,
    /// An answer waits until the bot can give it, or a message was delivered late.
    Delayed,
    /// Offered a draw.
    OfferedDraw,
    /// Claimed a draw.
    ClaimedDraw,
    /// Granted an offer of the opponent.
    Granted,
    /// Refused an offer of the opponent, a bughouse partnership, or the command of a guest with the name of an owner.
    Refused,
    /// Asked to abort the game.
    Aborted,
    /// Resigned.
    Resigned,
    /// Claimed the game because the opponent's time is up.
    Flagged,
    /// Waits for the engine, which takes long to start.
    StartingEngine,
    /// Started the engine.
    StartedEngine,
    /// The engine failed.
    EngineFailed,
    /// Sent words to a player.
    Said,
    /// Obeyed a command of an owner.
    Obeyed,
    /// The connection was lost or is back, or the session could not start or is over.
    Connection,
    /// The server refused what the bot tried.
    ServerRefused,
    /// A book, a file of games or the memory of other players cannot be used.
    FileFailed,
    /// Began to stop, or took a further step to it.
    Stopping,
}
