//! Faults of a connection, the points at which they take effect, and their injection between the outbox and the stream.

mod parse;

pub use parse::FaultParseError;

use std::time::Duration;

use fastrand::Rng;
use kibitzer_core::ParseError;
use memchr::memmem;

use crate::family::ImitatedFamily;

/// Misbehavior of the server on one connection, injected by [`ServerControl::inject`](crate::ServerControl::inject). The command line
/// has the same names in lower case, with hyphens: `kibitzer serve --fault over-long=100`; [`AsRef`] returns the name. Parsed from
/// the name with its value: `stall`, `split=10`, `delay=200ms`, `refuse=bad-name`. A number is at most 16 Mi.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::AsRefStr)]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
pub enum Fault {
    /// Limits each later write to that many bytes (at least one).
    Split(usize),
    /// Splits the later output into writes of random length, from 1 to that many bytes.
    SplitRandomly(usize),
    /// Waits for that time before each later portion of output.
    Delay(Duration),
    /// Stops reading and writing, and leaves the connection open until the server ends the session. The player stays logged in: a
    /// second login with the name of an account takes over, one with the name of a guest is refused because it is in use.
    Stall,
    /// Closes the connection in the middle of a line.
    Cut,
    /// Resets the connection in the middle of a line. In process, the client sees a closed connection.
    Reset,
    /// Inserts that many random bytes and a line end.
    Garbage(usize),
    /// Inserts that many letters and a line end.
    OverLong(usize),
    /// Refuses every further login on the connection, for this reason. Takes effect at once, whatever its point.
    Refuse(LoginObstacle),
    /// Ends the session with the text that a second login of the player causes; during the login, once that is done.
    Kick,
    /// Ends the session with the text of a kick by an administrator; during the login, once that is done.
    KickByAdmin,
    /// Shuts the server down.
    Shutdown,
}

impl Fault {
    /// Returns the points at which this fault can take effect on a server of that family; [`FaultPoint::After`] stands for every
    /// number of bytes.
    pub(crate) const fn supported_points(self, family: ImitatedFamily) -> &'static [FaultPoint] {
        use FaultPoint::{After, Connect, InBlock, Login, NextBoard, Now, Setup};
        match self {
            Self::Refuse(_) => &[Connect, Login, Now],
            _ if family.has_fics_extensions() => &[Connect, Login, Setup, NextBoard, InBlock, After(0), Now],
            _ => &[Connect, Login, NextBoard, After(0), Now],
        }
    }

    /// Returns the action of the connection's task; `None` if the fault changes the later output, inserts bytes, or is a refusal,
    /// which takes effect when it is injected.
    const fn step(self) -> Option<OutputStep> {
        match self {
            Self::Stall => Some(OutputStep::End(OutputEnd::Stall)),
            Self::Cut => Some(OutputStep::End(OutputEnd::Close)),
            Self::Reset => Some(OutputStep::End(OutputEnd::Reset)),
            Self::Kick => Some(OutputStep::Forward(StateFault::Kick(KickReason::SecondLogin))),
            Self::KickByAdmin => Some(OutputStep::Forward(StateFault::Kick(KickReason::Admin))),
            Self::Shutdown => Some(OutputStep::Forward(StateFault::Shutdown)),
            Self::Split(_)
            | Self::SplitRandomly(_)
            | Self::Delay(_)
            | Self::Garbage(_)
            | Self::OverLong(_)
            | Self::Refuse(_) => None,
        }
    }
}

/// A fault that took effect on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FiredFault {
    /// Number of the connection, as [`ServerControl::connections`](crate::ServerControl::connections) returns it.
    pub connection: u64,
    /// The fault.
    pub fault: Fault,
    /// The point for which it was injected; [`FaultPoint::Now`] if that had passed already.
    pub at: FaultPoint,
    /// Number of bytes that the server had sent on the connection before, without those that faults inserted.
    pub byte: u64,
}

/// Point in the server's output at which a fault takes effect.
///
/// A fault that cuts the output does so halfway from the point to the end of its line; one that inserts bytes does so at the
/// point. Parsed from its name in lower case, with hyphens, which [`AsRef`] returns: `next-board`; [`After`](Self::After) from
/// `after=N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::AsRefStr)]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
pub enum FaultPoint {
    /// At the start of the banner; on an open connection, at the next output.
    Connect,
    /// At the next prompt `login: `.
    Login,
    /// At the line that reports the end of the login, `**** Starting ...`, which only the FICS family has.
    Setup,
    /// At the next line with a board, full or delta.
    NextBoard,
    /// Inside the next reply of block mode, which only the FICS family has.
    InBlock,
    /// At this byte of the server's output on the connection, counted from 0 without bytes that faults inserted; like
    /// [`Now`](Self::Now) if it has been sent.
    After(u64),
    /// At the next output. A stall, a reset, a refused login, and the faults that end the session or the server take effect at
    /// once; injected for the [next connection](crate::ConnectionTarget::Next), before its first byte.
    Now,
}

/// Reason with which the server refuses logins on request, whether it is true or not. Parsed from its name in lower case, with
/// hyphens, which [`AsRef`] returns: `bad-name`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::AsRefStr, strum::EnumString)]
#[strum(serialize_all = "kebab-case", parse_err_ty = ParseError, parse_err_fn = unknown_name)]
#[non_exhaustive]
pub enum LoginObstacle {
    /// The name has characters other than letters.
    BadName,
    /// The name belongs to an account: the server asks for the password and refuses every one.
    Registered,
    /// Another player is logged in under the guest's name.
    InUse,
    /// The account is banned.
    Banned,
    /// Guests are refused.
    Guests,
    /// The password is wrong: the server asks for one and refuses every one.
    Password,
    /// The server is full.
    Full,
    /// No reason: the server sends no answer until the login times out.
    Silence,
}

fn unknown_name(_: &str) -> ParseError {
    ParseError::new("no such name")
}

/// An action of the task that serves a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OutputStep {
    Write(Vec<u8>),
    Wait(Duration),
    /// Stops writing.
    End(OutputEnd),
    /// Passes a fault to the actor, which owns the state.
    Forward(StateFault),
}

/// State of a connection after its last output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputEnd {
    /// The connection stays open without output.
    Stall,
    Close,
    Reset,
}

/// A fault that changes the state of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StateFault {
    Kick(KickReason),
    Shutdown,
}

/// Why a player is disconnected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KickReason {
    /// The player logs in over another connection.
    SecondLogin,
    Admin,
}

/// Pending and active faults of one connection.
#[derive(Debug)]
pub(crate) struct FaultInjector {
    /// Faults that wait for their points, in the order of injection.
    pub(crate) pending: Vec<(FaultPoint, Fault)>,
    /// The newest fault that splits writes.
    split: Option<Fault>,
    delay: Option<Duration>,
    random: Rng,
    /// Number of bytes of the server's output that were converted to actions.
    n_bytes: u64,
    /// Faults that took effect since the last [`drain_fired`](Self::drain_fired), each with the number of bytes before it.
    fired: Vec<(FaultPoint, Fault, u64)>,
}

impl FaultInjector {
    pub(crate) const fn new(seed: u64) -> Self {
        let random = Rng::with_seed(seed);
        Self { pending: Vec::new(), split: None, delay: None, random, n_bytes: 0, fired: Vec::new() }
    }

    /// Adds a fault. Returns the action to take now if the fault takes effect at once. `None` if it waits for its point, or if it
    /// is [`Fault::Refuse`], which the task that owns the state has applied already.
    pub(crate) fn inject(&mut self, at: FaultPoint, fault: Fault) -> Option<OutputStep> {
        let has_passed = matches!(at, FaultPoint::After(n) if n < self.n_bytes);
        let at = if has_passed { FaultPoint::Now } else { at };
        let step = match (at, fault) {
            (FaultPoint::Now, Fault::Stall | Fault::Reset | Fault::Kick | Fault::KickByAdmin | Fault::Shutdown) => {
                fault.step()
            }
            // The task that owns the state has applied it already.
            (_, Fault::Refuse(_)) => None,
            _ => {
                self.pending.push((at, fault));
                return None;
            }
        };
        self.fired.push((at, fault, self.n_bytes));
        step
    }

    /// Removes and returns the faults that took effect since the last call, with the number of their connection.
    pub(crate) fn drain_fired(&mut self, connection: u64) -> Vec<FiredFault> {
        let fired = self.fired.drain(..);
        fired.map(|(at, fault, byte)| FiredFault { connection, fault, at, byte }).collect()
    }

    /// Converts the server's next output to actions, and applies the pending faults whose points are in it. Output after a stall,
    /// cut or reset is dropped.
    pub(crate) fn apply_to_output(&mut self, bytes: &[u8]) -> Vec<OutputStep> {
        let mut steps = Vec::new();
        let mut rest = bytes;
        while let Some(([start, middle], at, fault)) = self.take_first_due_fault(rest) {
            let cuts = match fault {
                Fault::Cut => true,
                // Injected before the connection was made, they apply before its first byte.
                Fault::Reset | Fault::Stall => at != FaultPoint::Now,
                _ => false,
            };
            let (before, after) = rest.split_at(if cuts { middle } else { start });
            self.push_server_output(before, &mut steps);
            rest = after;
            self.fired.push((at, fault, self.n_bytes));
            self.activate_or_push_steps(fault, &mut steps);
            if matches!(fault, Fault::Stall | Fault::Cut | Fault::Reset) {
                return steps;
            }
        }
        self.push_server_output(rest, &mut steps);
        steps
    }

    /// Removes the pending fault whose point comes first in these bytes, and returns it with its point and the offsets that
    /// [`locate`](Self::locate) returns; `None` if no point is in the bytes.
    fn take_first_due_fault(&mut self, bytes: &[u8]) -> Option<([usize; 2], FaultPoint, Fault)> {
        // At equal positions, the fault that was injected first is applied first.
        let pending = self.pending.iter().enumerate();
        let (position, index) = pending.filter_map(|(index, &(at, _))| Some((self.locate(at, bytes)?, index))).min()?;
        let (at, fault) = self.pending.remove(index);
        Some((position, at, fault))
    }

    /// Activates a fault that splits or delays the later output, or adds the actions of any other fault.
    fn activate_or_push_steps(&mut self, fault: Fault, steps: &mut Vec<OutputStep>) {
        match fault {
            Fault::Split(_) | Fault::SplitRandomly(_) => self.split = Some(fault),
            Fault::Delay(delay) => self.delay = Some(delay),
            Fault::Garbage(length) => {
                let garbage = (0..length).map(|_| self.random.u8(..)).collect();
                self.push_inserted_line(garbage, steps);
            }
            Fault::OverLong(length) => self.push_inserted_line(vec![b'x'; length], steps),
            Fault::Stall | Fault::Cut | Fault::Reset | Fault::Kick | Fault::KickByAdmin | Fault::Shutdown => {
                steps.extend(fault.step());
            }
            // Never pending.
            Fault::Refuse(_) => {}
        }
    }

    /// Adds writes of a line that a fault inserts, and of its line end. Their bytes are not counted, as they are not the
    /// server's.
    fn push_inserted_line(&mut self, mut line: Vec<u8>, steps: &mut Vec<OutputStep>) {
        line.extend_from_slice(b"\n\r");
        self.push_writes_with_faults(&line, steps);
    }

    /// Adds writes of bytes of the server, and counts those bytes.
    fn push_server_output(&mut self, bytes: &[u8], steps: &mut Vec<OutputStep>) {
        self.n_bytes += u64::try_from(bytes.len()).unwrap_or_default();
        self.push_writes_with_faults(bytes, steps);
    }

    /// Adds writes of these bytes, delayed and split as the active faults require.
    fn push_writes_with_faults(&mut self, bytes: &[u8], steps: &mut Vec<OutputStep>) {
        if let Some(delay) = self.delay.filter(|_| !bytes.is_empty()) {
            steps.push(OutputStep::Wait(delay));
        }
        let mut rest = bytes;
        while !rest.is_empty() {
            let length = match self.split {
                Some(Fault::Split(length)) => length.max(1),
                Some(Fault::SplitRandomly(length)) => self.random.usize(1..=length.max(1)),
                _ => rest.len(),
            };
            let (piece, later) = rest.split_at(length.min(rest.len()));
            steps.push(OutputStep::Write(piece.to_vec()));
            rest = later;
        }
    }

    /// Returns the offset of a point in these bytes, and the offset halfway from there to the end of its line; `None` if the
    /// point is not in them.
    fn locate(&self, at: FaultPoint, bytes: &[u8]) -> Option<[usize; 2]> {
        let found = match at {
            FaultPoint::Connect | FaultPoint::Now => (!bytes.is_empty()).then_some(0),
            FaultPoint::Login => memmem::find(bytes, b"login: "),
            FaultPoint::Setup => memmem::find(bytes, b"**** Starting "),
            FaultPoint::NextBoard => {
                [memmem::find(bytes, b"<12> "), memmem::find(bytes, b"<d1> ")].into_iter().flatten().min()
            }
            // After the mark, so that the block has begun.
            FaultPoint::InBlock => memmem::find(bytes, b"\x15").map(|mark| mark + 1),
            FaultPoint::After(n) => {
                let ahead = usize::try_from(n.checked_sub(self.n_bytes)?).ok()?;
                (ahead < bytes.len()).then_some(ahead)
            }
        }?;
        let line = bytes.get(found..)?;
        let length = memmem::find(line, b"\n").unwrap_or(line.len());
        Some([found, found + length / 2])
    }
}

#[cfg(test)]
mod tests;
