//! Faults between a connection's outbox and its socket.

use std::time::Duration;

use super::{At, Fault};
use crate::random::Random;

/// The next action on a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Write(Vec<u8>),
    Wait(Duration),
    /// Neither read nor write any more.
    Stall,
    /// Close without another byte.
    Cut,
    /// Reset the connection.
    Reset,
    /// Have the world do it.
    Ask(Fault),
}

/// The faults of one connection, waiting and at work.
#[derive(Debug)]
pub(crate) struct Injector {
    waiting: Vec<(At, Fault)>,
    split: Option<Split>,
    delay: Option<Duration>,
    random: Random,
    /// How many bytes have gone by.
    n_bytes: u64,
}

#[derive(Clone, Copy, Debug)]
enum Split {
    Every(usize),
    Randomly(usize),
}

impl Injector {
    pub(crate) const fn new(seed: u64) -> Self {
        Self { waiting: Vec::new(), split: None, delay: None, random: Random::new(seed), n_bytes: 0 }
    }

    /// Orders a fault. Returns the actions that are due at once.
    pub(crate) fn add(&mut self, at: At, fault: Fault) -> Option<Step> {
        let has_passed = matches!(at, At::AfterBytes(n) if n < self.n_bytes);
        match (if has_passed { At::Now } else { at }, fault) {
            (At::Now, Fault::Stall) => Some(Step::Stall),
            (At::Now, Fault::Reset) => Some(Step::Reset),
            (At::Now, Fault::Kick | Fault::KickByAdmin | Fault::Shutdown) | (_, Fault::RefuseLogin(_)) => {
                Some(Step::Ask(fault))
            }
            (at, _) => {
                self.add_before_next(at, fault);
                None
            }
        }
    }

    /// Orders a fault that waits for the next bytes, even if it needs none.
    pub(crate) fn add_before_next(&mut self, at: At, fault: Fault) {
        self.waiting.push((at, fault));
    }

    /// Returns the actions for the server's next output.
    pub(crate) fn pass(&mut self, bytes: &[u8]) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut rest = bytes;
        while let Some((place, at, fault)) = self.take_first(rest) {
            let cuts = match fault {
                Fault::CutMidLine => true,
                Fault::Reset | Fault::Stall => at != At::Now,
                _ => false,
            };
            let (before, after) = rest.split_at(if cuts { place.middle } else { place.start });
            self.write(before, &mut steps);
            rest = after;
            if self.begin(fault, &mut steps) {
                return steps;
            }
        }
        self.write(rest, &mut steps);
        steps
    }

    /// Removes and returns the pending fault whose place comes first.
    fn take_first(&mut self, bytes: &[u8]) -> Option<(Place, At, Fault)> {
        let places = self.waiting.iter().enumerate();
        let (place, index) = places.filter_map(|(index, &(at, _))| Some((self.place(at, bytes)?, index))).min()?;
        let (at, fault) = self.waiting.remove(index);
        Some((place, at, fault))
    }

    /// Puts a fault to work; `true` if nothing can follow.
    fn begin(&mut self, fault: Fault, steps: &mut Vec<Step>) -> bool {
        match fault {
            Fault::SplitWrites(length) => self.split = Some(Split::Every(length.max(1))),
            Fault::SplitRandomly(length) => self.split = Some(Split::Randomly(length.max(1))),
            Fault::Delay(delay) => self.delay = Some(delay),
            Fault::Garbage(length) => {
                let garbage = (0..length).map(|_| self.random.next().to_le_bytes()[0]).collect();
                self.insert(garbage, steps);
            }
            Fault::OverLongLine(length) => self.insert(vec![b'x'; length], steps),
            Fault::Kick | Fault::KickByAdmin | Fault::Shutdown | Fault::RefuseLogin(_) => steps.push(Step::Ask(fault)),
            Fault::Stall => steps.push(Step::Stall),
            Fault::CutMidLine => steps.push(Step::Cut),
            Fault::Reset => steps.push(Step::Reset),
        }
        matches!(fault, Fault::Stall | Fault::CutMidLine | Fault::Reset)
    }

    /// Writes a line that the world did not send.
    fn insert(&mut self, mut line: Vec<u8>, steps: &mut Vec<Step>) {
        line.extend_from_slice(b"\n\r");
        self.pieces(&line, steps);
    }

    fn write(&mut self, bytes: &[u8], steps: &mut Vec<Step>) {
        self.n_bytes += u64::try_from(bytes.len()).unwrap_or_default();
        self.pieces(bytes, steps);
    }

    fn pieces(&mut self, bytes: &[u8], steps: &mut Vec<Step>) {
        if let Some(delay) = self.delay.filter(|_| !bytes.is_empty()) {
            steps.push(Step::Wait(delay));
        }
        let mut rest = bytes;
        while !rest.is_empty() {
            let length = match self.split {
                None => rest.len(),
                Some(Split::Every(length)) => length,
                Some(Split::Randomly(length)) => 1 + self.random.below(length),
            };
            let (piece, later) = rest.split_at(length.min(rest.len()));
            steps.push(Step::Write(piece.to_vec()));
            rest = later;
        }
    }

    /// Where in the bytes a point is.
    fn place(&self, at: At, bytes: &[u8]) -> Option<Place> {
        let found = match at {
            At::Connect | At::Now => (!bytes.is_empty()).then_some(0),
            At::Login => find(bytes, b"login: "),
            At::Setup => find(bytes, b"**** Starting "),
            At::NextBoard => [find(bytes, b"<12> "), find(bytes, b"<d1> ")].into_iter().flatten().min(),
            // Behind the mark, so that the block has begun.
            At::InBlock => find(bytes, b"\x15").map(|mark| mark + 1),
            At::AfterBytes(n) => {
                let ahead = usize::try_from(n.checked_sub(self.n_bytes)?).ok()?;
                (ahead < bytes.len()).then_some(ahead)
            }
        }?;
        let line = bytes.get(found..)?;
        let length = find(line, b"\n").unwrap_or(line.len());
        Some(Place { start: found, middle: found + length / 2 })
    }
}

/// Where a fault strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    start: usize,
    middle: usize,
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BANNER: &[u8] = b"Welcome\n\r\n\rlogin: ";

    fn write(bytes: &[u8]) -> Step {
        Step::Write(bytes.to_vec())
    }

    fn steps(at: At, fault: Fault, bytes: &[u8]) -> Vec<Step> {
        let mut injector = Injector::new(1);
        assert_eq!(injector.add(at, fault), None);
        injector.pass(bytes)
    }

    #[test]
    fn without_faults_everything_is_written_as_it_is() {
        assert_eq!(Injector::new(1).pass(BANNER), [write(BANNER)]);
        assert_eq!(Injector::new(1).pass(b""), []);
    }

    #[test]
    fn a_cut_is_in_the_middle_of_the_line_it_is_meant_for() {
        assert_eq!(steps(At::Connect, Fault::CutMidLine, BANNER), [write(b"Wel"), Step::Cut]);
        assert_eq!(steps(At::Login, Fault::CutMidLine, BANNER), [write(b"Welcome\n\r\n\rlog"), Step::Cut]);
        assert_eq!(steps(At::Login, Fault::Reset, BANNER), [write(b"Welcome\n\r\n\rlog"), Step::Reset]);
        assert_eq!(steps(At::NextBoard, Fault::Stall, b"\n\r<12> rnbq\n\r"), [write(b"\n\r<12>"), Step::Stall]);
        let block = b"\x154\x1632\x16Local\n\r\x17";
        assert_eq!(steps(At::InBlock, Fault::CutMidLine, block), [write(&block[..6]), Step::Cut]);
        assert_eq!(steps(At::AfterBytes(9), Fault::CutMidLine, BANNER), [write(b"Welcome\n\r"), Step::Cut]);
    }

    #[test]
    fn a_point_that_has_not_come_changes_nothing_until_it_does() {
        let mut injector = Injector::new(1);
        injector.add(At::AfterBytes(10), Fault::OverLongLine(3));
        assert_eq!(injector.pass(b"01234"), [write(b"01234")]);
        assert_eq!(injector.pass(b"56789abc"), [write(b"56789"), write(b"xxx\n\r"), write(b"abc")]);
        assert_eq!(injector.pass(b"def"), [write(b"def")]);
    }

    #[test]
    fn a_point_that_has_passed_is_now() {
        let mut injector = Injector::new(1);
        injector.pass(b"01234");
        assert_eq!(injector.add(At::AfterBytes(4), Fault::Stall), Some(Step::Stall));
        assert_eq!(injector.add(At::AfterBytes(2), Fault::Kick), Some(Step::Ask(Fault::Kick)));
        assert_eq!(injector.add(At::AfterBytes(3), Fault::CutMidLine), None);
        assert_eq!(injector.pass(b"567\n"), [write(b"5"), Step::Cut]);
    }

    #[test]
    fn a_reset_that_is_ordered_before_the_first_line_lets_no_byte_pass() {
        for (fault, step) in [(Fault::Reset, Step::Reset), (Fault::Stall, Step::Stall)] {
            let mut injector = Injector::new(1);
            injector.add_before_next(At::Now, fault);
            assert_eq!(injector.pass(BANNER), [step], "{fault:?}");
        }
    }

    #[test]
    fn a_point_at_the_next_byte_has_not_passed() {
        let mut injector = Injector::new(1);
        injector.pass(b"01234");
        assert_eq!(injector.add(At::AfterBytes(5), Fault::Reset), None);
        assert_eq!(injector.pass(b"5678\n"), [write(b"56"), Step::Reset]);
    }

    #[test]
    fn writes_are_split_and_delayed_from_the_point_on() {
        assert_eq!(
            steps(At::Login, Fault::SplitWrites(3), BANNER),
            [write(b"Welcome\n\r\n\r"), write(b"log"), write(b"in:"), write(b" "),]
        );
        let second = Duration::from_secs(1);
        assert_eq!(steps(At::Now, Fault::Delay(second), b"date"), [Step::Wait(second), write(b"date")]);
        let mut random = steps(At::Now, Fault::SplitRandomly(4), BANNER);
        assert!(random.len() > 4, "{random:?}");
        let Some(Step::Write(mut all)) = random.drain(..).reduce(|all, piece| match (all, piece) {
            (Step::Write(all), Step::Write(piece)) => Step::Write([all, piece].concat()),
            other => panic!("{other:?}"),
        }) else {
            panic!("nothing was written");
        };
        assert_eq!(std::mem::take(&mut all), BANNER);
    }

    #[test]
    fn some_faults_need_no_bytes() {
        let mut injector = Injector::new(1);
        assert_eq!(injector.add(At::Now, Fault::Stall), Some(Step::Stall));
        assert_eq!(injector.add(At::Now, Fault::Reset), Some(Step::Reset));
        assert_eq!(injector.add(At::Now, Fault::Kick), Some(Step::Ask(Fault::Kick)));
        assert_eq!(
            steps(At::Setup, Fault::Kick, b"**** Starting FICS session as X ****\n\r").first(),
            Some(&Step::Ask(Fault::Kick))
        );
    }

    #[test]
    fn garbage_has_the_length_asked_for() {
        let [Step::Write(garbage), Step::Write(rest)] = &steps(At::Connect, Fault::Garbage(20), BANNER)[..] else {
            panic!("two writes are expected");
        };
        assert_eq!((garbage.len(), &rest[..]), (22, BANNER));
    }
}
