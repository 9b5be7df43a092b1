//! What ICC's datagrams say about a game: changes of it, drawings on its board, and the list at its start.

use strum::AsRefStr;

use crate::chess::{Board, Color, Fen, Square};
use crate::message::{ClockReading, GameId, Handle};
use crate::text::ServerText;

/// A change of one game: a move, a position, a clock, or the role of this login.
///
/// ICC sends these in place of FICS's full boards. [`Games`](crate::game::Games) builds the board from them, and the event's
/// [`Change`](crate::game::Change) contains it; [`Received::datagram`](crate::message::Received::datagram) returns the arguments as sent.
///
/// Source: ICC's description of its level-2 format.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameUpdate {
    /// The number of the game.
    pub game: GameId,
    /// The change.
    pub(crate) action: GameUpdateKind,
}

/// A change of a game; each variant comes from the datagrams that it names.
#[derive(Clone, Debug, PartialEq, Eq, AsRefStr)]
#[cfg_attr(test, derive(strum::VariantNames))]
#[strum(serialize_all = "snake_case")]
pub(crate) enum GameUpdateKind {
    /// A move (datagram 24).
    Move(DatagramMove),
    /// An earlier move (datagram 111): one of those announced by [`Position`](Self::Position).
    PastMove(DatagramMove),
    /// The whole game so far (datagram 25).
    MoveList {
        /// The squares that the game started from; `None` for the usual start position.
        start: Option<Board>,
        /// The moves since then.
        moves: Vec<DatagramMove>,
    },
    /// A position, and the number of moves that follow to lead to the current one (datagrams 101 and 110).
    Position {
        /// The position.
        fen: Fen,
        /// Number of moves that follow, each in a datagram of its own.
        n_moves: u32,
    },
    /// The current position (datagram 70).
    Fen(Fen),
    /// The current squares, in games whose moves do not determine them (datagram 84).
    Board {
        /// The squares.
        board: Board,
        /// The side to move.
        side_to_move: Color,
    },
    /// Plies were taken back in a played game (datagram 22).
    TookBack {
        /// Number of plies taken back.
        plies: u32,
    },
    /// An examiner moved back in the game (datagram 23).
    WentBack {
        /// Number of plies moved back.
        plies: u32,
    },
    /// Both clocks were set (datagram 38).
    Clocks {
        /// White's clock.
        white: ClockReading,
        /// Black's clock.
        black: ClockReading,
    },
    /// One clock was set, to the millisecond (datagram 56).
    Clock {
        /// The side whose clock it is.
        color: Color,
        /// The time on the clock.
        reading: ClockReading,
        /// Whether the clock is running.
        is_running: bool,
    },
    /// Whether the board is to be shown with Black at the bottom (datagram 39).
    Flip(bool),
    /// The role of this login in the game (datagram 43).
    Role(MyGameRole),
}

/// A move in datagram 24, 25 or 111. The server sends only the parts that the client switched on; the others are `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DatagramMove {
    /// The move in algebraic notation.
    pub(crate) san: Option<ServerText>,
    /// The move in Smith notation: see [`LastMove::parse_smith`](crate::chess::LastMove::parse_smith).
    pub(crate) smith: Option<ServerText>,
    /// Time that the player used for the move, in seconds.
    pub(crate) taken_s: Option<u32>,
    /// The mover's clock after the move, in seconds; negative once time is out.
    pub(crate) clock_s: Option<i32>,
    /// The origin of the move: 0 sent at the start, 1 played, 2 an examiner went forward, 3 an examiner moved.
    pub(crate) variation: Option<u8>,
}

/// The role of this login in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MyGameRole {
    /// `O`: this login observes the game.
    Observer,
    /// `PW`, `PB`: this login plays the game with this color.
    Player(Color),
    /// `SW`, `SB`: this login plays the game with this color as the giver of a simul.
    SimulGiver(Color),
    /// `E`: this login examines the game.
    Examiner,
    /// `X`: this login no longer takes part in the game.
    Gone,
}

impl MyGameRole {
    /// Parses the symbol of datagram 43, such as `PW`; `None` if it is unknown.
    pub(crate) fn parse(symbol: &[u8]) -> Option<Self> {
        Some(match symbol {
            b"O" => Self::Observer,
            b"PW" => Self::Player(Color::White),
            b"PB" => Self::Player(Color::Black),
            b"SW" => Self::SimulGiver(Color::White),
            b"SB" => Self::SimulGiver(Color::Black),
            b"E" => Self::Examiner,
            b"X" => Self::Gone,
            _ => return None,
        })
    }
}

/// A circle or an arrow that an examiner added to the board or erased: ICC's datagrams 59, 60, 89 and 90.
///
/// Source: ICC's description of its level-2 format.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BoardMark {
    /// The examined game.
    pub game: GameId,
    /// The examiner who drew or erased it.
    pub by: Handle,
    /// The square of a circle, or where an arrow starts.
    pub from: Square,
    /// The square that an arrow points to; `None` for a circle.
    pub to: Option<Square>,
    /// Whether the shape was drawn (`true`) or erased.
    pub is_drawn: bool,
}

/// The fields of ICC's game-start datagrams that the state of a game depends on, besides the terms in the [`GameInfo`] that
/// contains this. [`Received::datagram`](crate::message::Received::datagram) returns the others.
///
/// Source: the game-start list of ICC's level-2 format (datagrams 12, 15, 18, 40, 100). Flags that older
/// servers do not send are false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IccGameStart {
    /// Reason why the datagram was sent.
    pub(crate) kind: IccGameStartReason,
    /// The player of the white pieces. In an examined game names are free text.
    pub(crate) white: Handle,
    /// The player of the black pieces.
    pub(crate) black: Handle,
    /// Number of the variant; 0 is standard chess.
    pub(crate) wild: u16,
    /// Whether the game is played rather than examined.
    pub(crate) is_played: bool,
    /// Whether the rules of the variant differ from those of chess.
    pub(crate) has_irregular_legality: bool,
    /// Whether moves have effects beyond their squares, so that only boards show the position.
    pub(crate) has_irregular_semantics: bool,
}

/// Reason why ICC sent a game-start datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum IccGameStartReason {
    /// Another player's game on the server started.
    Foreign,
    /// A game started that this login plays or examines.
    Mine,
    /// This login started to observe the game.
    Observed,
    /// A position without a game is shown.
    Isolated,
    /// The names or terms of a game changed.
    Changed,
}
