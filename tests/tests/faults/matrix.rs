//! What goes wrong, and when.

use std::time::Duration;

use kibitzer_server::{Fault, FaultPoint, LoginObstacle};

/// What the client is doing when something goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Connecting,
    Login,
    SetUp,
    LoginAgain,
    Idle,
    Observing,
    Playing,
    Request,
    Block,
}

impl Phase {
    pub(crate) const ALL: [Self; 9] = [
        Self::Connecting,
        Self::Login,
        Self::SetUp,
        Self::LoginAgain,
        Self::Idle,
        Self::Observing,
        Self::Playing,
        Self::Request,
        Self::Block,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Connecting => "connecting",
            Self::Login => "login",
            Self::SetUp => "set-up",
            Self::LoginAgain => "login again",
            Self::Idle => "idle",
            Self::Observing => "observing",
            Self::Playing => "playing",
            Self::Request => "in a request",
            Self::Block => "in a block",
        }
    }

    /// What the name stands for, and where exactly the fault strikes.
    pub(crate) const fn sentence(self) -> &'static str {
        match self {
            Self::Connecting => "during the first connection; the fault strikes in the first line of the server",
            Self::Login => "during the first login; strikes in the first `login: `",
            Self::SetUp => "after the login; strikes in the list of ivars, the first request of the session",
            Self::LoginAgain => {
                "after the loss of a ready session's connection (closed); strikes in the first `login: ` of the next one"
            }
            Self::Idle => "no activity; strikes in an announcement that comes some time later",
            Self::Observing => "a game is observed; strikes in the board of a move",
            Self::Playing => "a game is played; strikes in the board of the opponent's move",
            Self::Request => "a request without block mode waits for its reply; strikes in the reply's first line",
            Self::Block => {
                "a request in block mode waits for its reply; strikes in the reply's first line, after its start mark"
            }
        }
    }

    /// Where the fault strikes. `n_bytes` is how many the server has sent before: until the list of ivars, or until now.
    pub(crate) const fn point(self, n_bytes: u64) -> FaultPoint {
        match self {
            Self::Connecting => FaultPoint::Connect,
            Self::Login | Self::LoginAgain => FaultPoint::Login,
            Self::SetUp | Self::Idle | Self::Request => FaultPoint::After(n_bytes),
            Self::Observing | Self::Playing => FaultPoint::NextBoard,
            Self::Block => FaultPoint::InBlock,
        }
    }

    /// Whether the client has not been logged in before.
    pub(crate) const fn is_first(self) -> bool {
        matches!(self, Self::Connecting | Self::Login | Self::SetUp)
    }

    /// Whether somebody is logged in.
    const fn is_in(self) -> bool {
        !matches!(self, Self::Connecting | Self::Login | Self::LoginAgain)
    }
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// On the way, or by the server's will.
    Fault(Fault),
    /// The login is refused once.
    Refused(LoginObstacle),
    /// The player gives no command for an hour, and the client is set not to do so for him.
    IdleLogout,
    /// Three attempts to connect are refused.
    NobodyThere,
}

/// Every row: what goes wrong, in words too.
pub(crate) const TROUBLES: [(&str, Trouble); 20] = [
    ("writes of one byte", Trouble::Fault(Fault::Split(1))),
    ("writes of random length", Trouble::Fault(Fault::SplitRandomly(7))),
    ("output delayed by 1 s", Trouble::Fault(Fault::Delay(Duration::from_secs(1)))),
    ("stall: open but silent", Trouble::Fault(Fault::Stall)),
    ("cut in the middle of a line", Trouble::Fault(Fault::Cut)),
    ("reset", Trouble::Fault(Fault::Reset)),
    ("a line of 300 random bytes", Trouble::Fault(Fault::Garbage(300))),
    ("a line of 100,000 letters", Trouble::Fault(Fault::OverLong(100_000))),
    ("login: bad name", Trouble::Refused(LoginObstacle::BadName)),
    ("login: guest's name is an account's", Trouble::Refused(LoginObstacle::Registered)),
    ("login: guest's name is in use", Trouble::Refused(LoginObstacle::InUse)),
    ("login: banned", Trouble::Refused(LoginObstacle::Banned)),
    ("login: no guests", Trouble::Refused(LoginObstacle::Guests)),
    ("login: wrong password", Trouble::Refused(LoginObstacle::Password)),
    ("login: server is full", Trouble::Refused(LoginObstacle::Full)),
    ("login: no answer", Trouble::Refused(LoginObstacle::Silence)),
    ("kicked by a second login", Trouble::Fault(Fault::Kick)),
    ("kicked by an administrator", Trouble::Fault(Fault::KickByAdmin)),
    ("shutdown, for a minute", Trouble::Fault(Fault::Shutdown)),
    ("idle logout", Trouble::IdleLogout),
];

/// One more row, which no server can be blamed for.
pub(crate) const NOBODY_THERE: (&str, Trouble) = ("connection refused, three times", Trouble::NobodyThere);

impl Trouble {
    /// Whether it concerns guests alone.
    pub(crate) const fn is_guests(self) -> bool {
        matches!(self, Self::Refused(LoginObstacle::Registered | LoginObstacle::InUse | LoginObstacle::Guests))
    }

    /// Why it cannot happen in that phase, if it cannot.
    pub(crate) const fn why_not(self, phase: Phase) -> Option<&'static str> {
        if self.applies_to(phase) { None } else { Some(self.obstacle(phase)) }
    }

    const fn applies_to(self, phase: Phase) -> bool {
        match self {
            Self::Fault(Fault::Kick | Fault::KickByAdmin) => phase.is_in(),
            Self::Fault(_) => true,
            Self::Refused(LoginObstacle::Full) => {
                matches!(phase, Phase::Connecting | Phase::Login | Phase::LoginAgain)
            }
            Self::Refused(_) => matches!(phase, Phase::Login | Phase::LoginAgain),
            Self::IdleLogout => matches!(phase, Phase::Idle | Phase::Observing | Phase::Playing),
            Self::NobodyThere => matches!(phase, Phase::Connecting | Phase::LoginAgain),
        }
    }

    const fn obstacle(self, phase: Phase) -> &'static str {
        match (self, phase) {
            (Self::Refused(_), Phase::Connecting) => "no name has been sent yet",
            (Self::Refused(_), _) => "the login is complete; the next one is the column `login again`",
            (Self::Fault(_), _) => "no player is logged in yet",
            (Self::IdleLogout, Phase::Request | Phase::Block) => "a request resets the idle time",
            (Self::IdleLogout, _) => "idle time starts at the login, which has its own timeout",
            (Self::NobodyThere, _) => "the connection is established; the next one is the column `login again`",
        }
    }
}
