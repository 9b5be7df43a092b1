//! What was sent as a secret, and must not be written down where the server sends it back.

use std::time::{Duration, Instant};

use zeroize::Zeroizing;

use crate::core::Event;
use crate::core::event::RequestId;
use crate::core::session::{Secret, SecretSource, Transmit, TransmitKind, hide_secrets, mask_text};

/// How long what a command held is looked for if its reply does not come: nobody waited for it, or it was lost.
const LONGEST_REPLY: Duration = Duration::from_mins(1);

/// Hides what was sent as a secret in what the server sends, wherever the bytes are cut into reads.
///
/// A password of the login is hidden until the session is set up, what a command held until its reply is there, both no
/// longer than the connection lasts. Then it is a word like any other: it may well be one that people use.
pub(super) struct Mask {
    secrets: Vec<Hidden>,
    /// The last bytes that came, if a secret begins with them: what follows will tell.
    tail: Zeroizing<Vec<u8>>,
    /// So many of them were handed out as if they were one.
    n_given: usize,
}

struct Hidden {
    secret: Secret,
    until: Until,
}

/// How long it is hidden.
#[derive(Clone, Copy)]
enum Until {
    SetUp,
    Replied { request: Option<RequestId>, at_latest: Instant },
}

impl Mask {
    /// Hides nothing yet.
    pub(super) fn new() -> Self {
        Self { secrets: Vec::new(), tail: Zeroizing::default(), n_given: 0 }
    }

    /// Takes in what is secret in a line that is sent.
    pub(super) fn learn(&mut self, transmit: &Transmit, now: Instant) {
        let until = match transmit.kind() {
            TransmitKind::Password => Until::SetUp,
            _ => Until::Replied { request: transmit.request(), at_latest: now + LONGEST_REPLY },
        };
        self.secrets.extend(transmit.secrets().filter_map(Secret::new).map(|secret| Hidden { secret, until }));
    }

    /// The session is set up.
    pub(super) fn set_up(&mut self) {
        self.secrets.retain(|secret| !matches!(secret.until, Until::SetUp));
    }

    /// The reply to a request has come.
    pub(super) fn replied(&mut self, id: RequestId) {
        self.secrets.retain(|secret| !matches!(secret.until, Until::Replied { request, .. } if request == Some(id)));
    }

    /// Forgets what has waited too long for its reply.
    pub(super) fn expire(&mut self, now: Instant) {
        self.secrets.retain(|secret| !matches!(secret.until, Until::Replied { at_latest, .. } if at_latest <= now));
    }

    /// Whether there is nothing left to hide.
    pub(super) fn is_over(&self) -> bool {
        self.secrets.is_empty()
    }

    /// What may be written down of what came last and now. What may be the beginning of a secret waits for the next call.
    pub(super) fn received(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut all = std::mem::take(&mut self.tail);
        all.extend_from_slice(bytes);
        let n_known = self.hide(&mut all, SecretSource::Stream);
        let given = all.get(self.n_given..n_known).unwrap_or_default().to_vec();
        self.tail = Zeroizing::new(all.split_off(n_known));
        self.n_given = self.n_given.saturating_sub(n_known);
        given
    }

    /// What waits, as if it were secret: it must not stand behind what is written down next. What comes later may still
    /// show that it was.
    pub(super) fn release(&mut self) -> Vec<u8> {
        let mut shown = self.tail.to_vec();
        mask_text(&mut shown);
        let n_given = std::mem::replace(&mut self.n_given, shown.len());
        shown.split_off(n_given)
    }

    /// The event as it may be shown; `None` if there is nothing to hide in it.
    ///
    /// What is left of one that had a secret in it is the text of its line.
    pub(super) fn event(&self, event: &Event) -> Option<Event> {
        let mut line = event.raw().to_vec();
        self.hide(&mut line, SecretSource::Line);
        if line == event.raw() { None } else { event.with_text(&line) }
    }

    /// Hides the secrets. Returns how many bytes are done; the rest may be the start of a secret.
    fn hide(&self, bytes: &mut [u8], source: SecretSource) -> usize {
        hide_secrets(&self.secrets.iter().map(|hidden| &hidden.secret), bytes, source)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::core::EventReader;

    fn mask(secrets: &[&str]) -> Mask {
        let secret = |text: &&str| Hidden { secret: Secret::new(text.as_bytes()).unwrap(), until: Until::SetUp };
        Mask { secrets: secrets.iter().map(secret).collect(), ..Mask::new() }
    }

    /// What is written down of these reads.
    fn written(mask: &mut Mask, reads: &[&str]) -> Vec<String> {
        let mut written: Vec<_> = reads.iter().map(|read| mask.received(read.as_bytes())).collect();
        written.push(mask.release());
        written.into_iter().map(|bytes| String::from_utf8(bytes).unwrap()).collect()
    }

    /// A name, the secrets, the reads, and what is written down of each and at the end.
    type Case = (&'static str, &'static [&'static str], &'static [&'static str], &'static [&'static str]);

    #[test]
    fn a_secret_is_hidden_wherever_it_is_cut() {
        let cases: &[Case] = &[
            ("whole", &["swordfish"], &["x swordfish\n\r"], &["x *********\n\r", ""]),
            ("in other letters", &["SwordFish"], &["swORDfish."], &["*********.", ""]),
            ("cut", &["swordfish"], &["a sword", "fish b"], &["a ", "********* b", ""]),
            ("cut twice", &["abc"], &["a", "b", "c"], &["", "", "***", ""]),
            ("something like it", &["swordfish"], &["a sword", "s b"], &["a ", "swords b", ""]),
            ("begun in its own beginning", &["aab"], &["aa", "ab"], &["", "a***", ""]),
            ("half of it at the end", &["swordfish"], &["a sword"], &["a ", "*****"]),
            ("the longer of two", &["pass", "password"], &["password pass "], &["******** **** ", ""]),
            ("the shorter of two, in the end", &["pass", "password"], &["pass", "ion"], &["", "****ion", ""]),
            ("none", &[], &["swordfish"], &["swordfish", ""]),
            ("a line end may be a break", &["perch"], &["pe\n\r", "\\   rch."], &["", "**\n\r\\   ***.", ""]),
            ("a line end may be none", &["perch"], &["pe\n\r", "rch."], &["", "pe\n\rrch.", ""]),
            ("control bytes stay", &["perch"], &["pe\0\n\r"], &["", "**\0\n\r"]),
        ];
        for (name, secrets, reads, want) in cases {
            assert_eq!(written(&mut mask(secrets), reads), *want, "{name}");
        }
    }

    #[test]
    fn what_was_released_is_given_once() {
        let mut mask = mask(&["aab"]);
        assert_eq!((mask.received(b"x aa"), mask.release(), mask.release()), (b"x ".to_vec(), b"**".to_vec(), vec![]));
        assert_eq!(mask.received(b"b c a"), b"* c ", "the rest of it is as secret");
        assert_eq!(mask.release(), b"*");
        assert_eq!(mask.received(b" d"), b" d", "it was none");
    }

    #[test]
    fn a_secret_is_hidden_for_its_time() {
        let now = Instant::now();
        let mut mask = mask(&["swordfish"]);
        let until = Until::Replied { request: None, at_latest: now + LONGEST_REPLY };
        mask.secrets.push(Hidden { secret: Secret::new(b"perch").unwrap(), until });
        mask.set_up();
        assert_eq!(mask.received(b"perch swordfish "), b"***** swordfish ");
        mask.expire(now + LONGEST_REPLY);
        assert!(mask.is_over());
    }

    #[test]
    fn an_event_shows_what_is_left_of_its_line() {
        let mut reader = EventReader::default();
        let mut read = &b"fics% \n\r\"pass\" is not a registered name.\n\rhello\n\r\n\r"[..];
        let events: Vec<_> = std::iter::from_fn(|| reader.next(&mut read)).collect();
        let mask = mask(&["pass", "password"]);
        let shown: Vec<_> = events.iter().map(|event| mask.event(event)).collect();
        let masked: Vec<_> = shown.iter().flatten().collect();
        assert_eq!((shown.len(), masked.len()), (4, 1), "{events:?}");
        assert_eq!(masked[0].raw(), b"\"****\" is not a registered name.");
        assert_eq!(masked[0].offset(), events[1].offset());
    }

    proptest! {
        #[test]
        fn every_byte_is_written_once_and_no_secret(input in "[ab]{0,24}", secret in "[ab]{1,4}", size in 1_usize..9) {
            let mut mask = mask(&[&secret]);
            let mut written = Vec::new();
            for read in input.as_bytes().chunks(size) {
                written.extend(mask.received(read));
            }
            written.extend(mask.release());
            prop_assert_eq!(written.len(), input.len());
            prop_assert!(!String::from_utf8(written.clone()).unwrap().contains(&secret), "{}", written.escape_ascii());
            let same = written.iter().zip(input.bytes()).all(|(&shown, byte)| shown == byte || shown == b'*');
            prop_assert!(same);
        }
    }
}
