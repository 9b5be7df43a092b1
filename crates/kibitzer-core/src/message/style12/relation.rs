//! The role of this login in a game.

/// The role of this login in a game: field 19 of a style 12 line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Relation {
    /// −4: the start board inside a move list (FICS, `iset startpos 1`).
    ListedStart,
    /// −3: a board printed on request.
    Isolated,
    /// −2: this login observes an examined game.
    ObservingExamined,
    /// −1: this login plays, and it is the opponent's turn.
    OpponentsTurn,
    /// 0: this login observes a game being played.
    Observing,
    /// 1: this login plays, and it is its turn.
    MyTurn,
    /// 2: this login examines the game.
    Examining,
    /// A number that no server documents, as received.
    Other(i8),
}

impl Relation {
    /// Returns the number that the server sends for the relation.
    pub const fn code(self) -> i32 {
        match self {
            Self::ListedStart => -4,
            Self::Isolated => -3,
            Self::ObservingExamined => -2,
            Self::OpponentsTurn => -1,
            Self::Observing => 0,
            Self::MyTurn => 1,
            Self::Examining => 2,
            Self::Other(code) => code as i32,
        }
    }

    /// Returns the relation for the server's number; [`Other`](Self::Other) if it is not one of −4 to 2.
    pub const fn from_code(code: i8) -> Self {
        match code {
            -4 => Self::ListedStart,
            -3 => Self::Isolated,
            -2 => Self::ObservingExamined,
            -1 => Self::OpponentsTurn,
            0 => Self::Observing,
            1 => Self::MyTurn,
            2 => Self::Examining,
            code => Self::Other(code),
        }
    }

    /// Returns whether this login plays the game; `false` if it examines the game.
    pub const fn is_mine(self) -> bool {
        matches!(self, Self::OpponentsTurn | Self::MyTurn)
    }

    /// Returns whether this login observes the game, whether others play or examine it.
    pub const fn is_observer(self) -> bool {
        matches!(self, Self::Observing | Self::ObservingExamined)
    }

    /// Returns whether the board was printed on request or inside a list, so that it must not change a followed game.
    pub const fn is_isolated(self) -> bool {
        matches!(self, Self::ListedStart | Self::Isolated)
    }

    /// Returns whether the game is examined rather than played, by this login or by others.
    pub const fn is_examined(self) -> bool {
        matches!(self, Self::ObservingExamined | Self::Examining)
    }
}
