//! The origin of a message: the request that it is part of, who made that request, and whether it is about an own game.

use std::fmt;

/// Number of a request, unique for the life of the session; after 2^27 requests, the numbers begin again.
///
/// In a recording without numbers of requests, the lines of commands are counted from 1 for each connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RequestId(u32);

impl RequestId {
    /// Bits of an [`Attribution`] that hold the number.
    const MASK: u32 = (1 << 27) - 1;

    /// Creates the identifier of the request that was made after this number of requests.
    pub(crate) const fn after(n_requests: u32) -> Self {
        Self(n_requests % Self::MASK + 1)
    }

    /// Returns the number of the request in its session; the first request has 1.
    pub const fn number(self) -> u64 {
        self.0 as u64
    }
}

/// Who made a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum RequestOrigin {
    /// A caller of the session.
    User,
    /// The session, to log in and to set up the connection.
    SetUp,
    /// The session, to restore games, seeks and settings after a reconnect, and boards that are out of step.
    Restoration,
    /// The session, to check or keep alive the connection, and to find the end of a reply.
    Probe,
    /// The program around the session, on its own; see [`RequestOptions::by_program`](crate::session::RequestOptions::by_program).
    Program,
}

/// What is known about the origin of an event. The default is an event that is part of no known request and about no own game.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Attribution(u32);

/// Position of the bits that hold the origin: 0 for an unknown one, otherwise its index in [`ORIGINS`] plus 1.
const ORIGIN_SHIFT: u32 = 27;
const INFERRED: u32 = 1 << 30;
const OWN_GAME: u32 = 1 << 31;
const ORIGINS: [RequestOrigin; 5] = [
    RequestOrigin::User,
    RequestOrigin::SetUp,
    RequestOrigin::Restoration,
    RequestOrigin::Probe,
    RequestOrigin::Program,
];

impl Attribution {
    /// Creates the attribution of a line or reply of a request; `None` stands for a line without a request, such as one of the
    /// login, and for an unknown origin.
    #[doc(hidden)]
    pub const fn of_request(request: Option<RequestId>, origin: Option<RequestOrigin>) -> Self {
        let number = if let Some(request) = request { request.0 & RequestId::MASK } else { 0 };
        let origin = match origin {
            None => 0,
            Some(RequestOrigin::User) => 1,
            Some(RequestOrigin::SetUp) => 2,
            Some(RequestOrigin::Restoration) => 3,
            Some(RequestOrigin::Probe) => 4,
            Some(RequestOrigin::Program) => 5,
        };
        Self(number | origin << ORIGIN_SHIFT)
    }

    /// Returns the request that the event is part of, or that a sent line belongs to; `None` if there is none, or it is unknown.
    pub fn request(self) -> Option<RequestId> {
        Some(RequestId(self.0 & RequestId::MASK)).filter(|request| request.0 > 0)
    }

    /// Returns who made the request; `None` if there is none, or if a recording does not state it.
    pub fn origin(self) -> Option<RequestOrigin> {
        let index = (self.0 >> ORIGIN_SHIFT & 7).checked_sub(1)?;
        ORIGINS.get(usize::try_from(index).ok()?).copied()
    }

    /// Returns whether the request is a guess, because only a fence or a prompt after the reply shows its extent: an event that
    /// the request did not cause may precede it. Without marks in the stream, talk and news of games are therefore never
    /// attributed to a request.
    pub const fn is_inferred(self) -> bool {
        self.0 & INFERRED != 0
    }

    /// Returns whether the event is about a game that this login plays or has played, the creation of its game, or an offer in it.
    pub const fn is_own_game(self) -> bool {
        self.0 & OWN_GAME != 0
    }

    /// Returns whether the session itself caused the event or sent the line, for the set-up or a check of the connection.
    pub fn is_housekeeping(self) -> bool {
        matches!(self.origin(), Some(RequestOrigin::SetUp | RequestOrigin::Probe))
    }

    /// Returns whether the user of the session caused the event or sent the line, or nobody else is known to have done so.
    #[doc(hidden)]
    pub fn is_of_user(self) -> bool {
        matches!(self.origin(), None | Some(RequestOrigin::User))
    }

    /// Returns the same request as the origin of an answer to a fence or probe.
    pub(crate) fn as_probe(self) -> Self {
        Self::of_request(self.request(), Some(RequestOrigin::Probe))
    }

    /// Returns the same request, marked as inferred.
    pub(crate) const fn as_inferred(self) -> Self {
        Self(self.0 | INFERRED)
    }

    /// Returns the same request, marked as about a game of this login if `is_own`.
    pub(crate) const fn with_own_game(self, is_own: bool) -> Self {
        Self(if is_own { self.0 | OWN_GAME } else { self.0 })
    }
}

impl fmt::Debug for Attribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut list = f.debug_set();
        list.entries(self.request()).entries(self.origin());
        let facts = [(self.is_inferred(), "inferred"), (self.is_own_game(), "own game")];
        list.entries(facts.iter().filter_map(|(holds, name)| holds.then_some(name))).finish()
    }
}
