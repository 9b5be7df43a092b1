//! Redaction of secrets that the server echoes.

use std::time::{Duration, Instant};

use zeroize::Zeroizing;

use crate::core::Event;
use crate::core::event::RequestId;
use crate::core::session::{
    Secret, Transmit, mask_secrets_in_line, mask_secrets_in_stream, mask_text_keeping_controls,
};

/// Maximum time for which the secrets of a command are redacted while its reply is not received.
const REPLY_TIMEOUT: Duration = Duration::from_mins(1);

/// Replaces secrets that were sent in the bytes that the server sends, independently of read boundaries.
///
/// A password of the login is redacted until the session is set up, the secrets of a command until its reply or for
/// [`REPLY_TIMEOUT`], both no longer than the connection lasts. They may be common words, which have to remain readable
/// afterwards.
#[derive(Default)]
pub(super) struct Redactor {
    pub(super) secrets: Vec<SentSecret>,
    /// The last received bytes if a secret may begin with them. They are withheld until the next bytes decide.
    withheld: Zeroizing<Vec<u8>>,
    /// Number of withheld bytes that [`release_masked`](Self::release_masked) has already returned, masked.
    n_released: usize,
}

/// A secret that was sent.
pub(super) struct SentSecret {
    secret: Secret,
    /// The request that contained it; `None` for a password of the login.
    request: Option<RequestId>,
    /// Time at which the secret of a request is forgotten even without a reply; `None` for a password of the login.
    at_latest: Option<Instant>,
}

impl Redactor {
    /// Redacts the secrets of a sent line in bytes received from now on: the password of the login until the set-up is over,
    /// others until the reply to their request, at most for [`REPLY_TIMEOUT`].
    pub(super) fn add_secrets_of(&mut self, transmit: &Transmit, now: Instant) {
        let at_latest = transmit.request.map(|_| now + REPLY_TIMEOUT);
        let sent = |secret| SentSecret { secret, request: transmit.request, at_latest };
        self.secrets.extend(transmit.secrets().filter_map(Secret::new).map(sent));
    }

    /// Forgets the secrets of the login, because the session is set up.
    pub(super) fn forget_login_secrets(&mut self) {
        self.secrets.retain(|sent| sent.at_latest.is_some());
    }

    /// Forgets the secrets of a request that was replied to.
    pub(super) fn forget_secrets_of(&mut self, id: RequestId) {
        self.secrets.retain(|sent| sent.request != Some(id));
    }

    /// Forgets the secrets of requests whose reply is overdue at this time.
    pub(super) fn forget_overdue_secrets(&mut self, now: Instant) {
        self.secrets.retain(|sent| sent.at_latest.is_none_or(|at_latest| at_latest > now));
    }

    /// Returns the redacted bytes that can be shown now: the withheld bytes and `bytes`, without those that
    /// [`release_masked`](Self::release_masked) has already returned, up to the first byte that may begin a secret. That byte and all
    /// after it are withheld.
    pub(super) fn redact_or_withhold(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut all = std::mem::take(&mut self.withheld);
        all.extend_from_slice(bytes);
        let n_decided = mask_secrets_in_stream(&self.secrets(), &mut all);
        let shown = all.get(self.n_released..n_decided).unwrap_or_default().to_vec();
        self.withheld = Zeroizing::new(all.split_off(n_decided));
        self.n_released = self.n_released.saturating_sub(n_decided);
        shown
    }

    /// Returns the withheld bytes that were not returned before, masked as if they were secret. They remain withheld, because
    /// later bytes may complete the secret.
    pub(super) fn release_masked(&mut self) -> Vec<u8> {
        let mut shown = self.withheld.to_vec();
        mask_text_keeping_controls(&mut shown);
        let n_released = std::mem::replace(&mut self.n_released, shown.len());
        shown.split_off(n_released)
    }

    /// Returns the event without its secrets, as the text of its redacted line; `None` if it contains no secret.
    pub(super) fn redact_event(&self, event: &Event) -> Option<Event> {
        let mut line = event.raw().to_vec();
        mask_secrets_in_line(&self.secrets(), &mut line);
        if line == event.raw() { None } else { event.to_redacted_text(&line) }
    }

    fn secrets(&self) -> impl Iterator<Item = &Secret> + Clone {
        self.secrets.iter().map(|sent| &sent.secret)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::core::EventReader;

    fn sent(text: &str, at_latest: Option<Instant>) -> SentSecret {
        SentSecret { secret: Secret::new(text.as_bytes()).unwrap(), request: None, at_latest }
    }

    fn redactor(secrets: &[&str]) -> Redactor {
        Redactor { secrets: secrets.iter().map(|text| sent(text, None)).collect(), ..Redactor::default() }
    }

    /// Returns the bytes shown after each read and at the end.
    fn shown(redactor: &mut Redactor, reads: &[&str]) -> Vec<String> {
        let mut shown: Vec<_> = reads.iter().map(|read| redactor.redact_or_withhold(read.as_bytes())).collect();
        shown.push(redactor.release_masked());
        shown.into_iter().map(|bytes| String::from_utf8(bytes).unwrap()).collect()
    }

    /// A name, the secrets, the reads, and the bytes shown after each and at the end.
    type Case = (&'static str, &'static [&'static str], &'static [&'static str], &'static [&'static str]);

    #[test]
    fn a_secret_is_redacted_at_any_read_boundary() {
        let cases: &[Case] = &[
            ("whole", &["swordfish"], &["x swordfish\n\r"], &["x *********\n\r", ""]),
            ("in other letters", &["SwordFish"], &["swORDfish."], &["*********.", ""]),
            ("cut", &["swordfish"], &["a sword", "fish b"], &["a ", "********* b", ""]),
            ("cut twice", &["abc"], &["a", "b", "c"], &["", "", "***", ""]),
            ("a similar word", &["swordfish"], &["a sword", "s b"], &["a ", "swords b", ""]),
            ("overlapping starts", &["aab"], &["aa", "ab"], &["", "a***", ""]),
            ("half a secret at the end", &["swordfish"], &["a sword"], &["a ", "*****"]),
            ("the longer of two", &["pass", "password"], &["password pass "], &["******** **** ", ""]),
            ("the shorter of two, later", &["pass", "password"], &["pass", "ion"], &["", "****ion", ""]),
            ("none", &[], &["swordfish"], &["swordfish", ""]),
            ("a line break inside it", &["perch"], &["pe\n\r", "\\   rch."], &["", "**\n\r\\   ***.", ""]),
            ("a line end that is no break", &["perch"], &["pe\n\r", "rch."], &["", "pe\n\rrch.", ""]),
            ("control bytes remain", &["perch"], &["pe\0\n\r"], &["", "**\0\n\r"]),
        ];
        for (name, secrets, reads, want) in cases {
            assert_eq!(shown(&mut redactor(secrets), reads), *want, "{name}");
        }
    }

    #[test]
    fn released_bytes_are_returned_once() {
        let mut redactor = redactor(&["aab"]);
        assert_eq!(
            (redactor.redact_or_withhold(b"x aa"), redactor.release_masked(), redactor.release_masked()),
            (b"x ".to_vec(), b"**".to_vec(), vec![])
        );
        assert_eq!(redactor.redact_or_withhold(b"b c a"), b"* c ", "the rest of the secret");
        assert_eq!(redactor.release_masked(), b"*");
        assert_eq!(redactor.redact_or_withhold(b" d"), b" d", "no secret after all");
    }

    #[test]
    fn a_secret_is_redacted_until_it_expires() {
        let at_latest = Instant::now() + REPLY_TIMEOUT;
        let mut redactor = redactor(&["swordfish"]);
        redactor.secrets.push(sent("perch", Some(at_latest)));
        redactor.forget_login_secrets();
        assert_eq!(redactor.redact_or_withhold(b"perch swordfish "), b"***** swordfish ");
        redactor.forget_overdue_secrets(at_latest);
        assert!(redactor.secrets.is_empty());
    }

    #[test]
    fn a_redacted_event_is_the_text_of_its_line() {
        let mut reader = EventReader::default();
        let mut read = &b"fics% \n\r\"pass\" is not a registered name.\n\rhello\n\r\n\r"[..];
        let events: Vec<_> = std::iter::from_fn(|| reader.next(&mut read)).collect();
        let redactor = redactor(&["pass", "password"]);
        let shown: Vec<_> = events.iter().map(|event| redactor.redact_event(event)).collect();
        let masked: Vec<_> = shown.iter().flatten().collect();
        assert_eq!((shown.len(), masked.len()), (4, 1), "{events:?}");
        assert_eq!(masked[0].raw(), b"\"****\" is not a registered name.");
        assert_eq!(masked[0].offset(), events[1].offset());
    }

    proptest! {
        #[test]
        fn every_byte_is_shown_once_and_no_secret(input in "[ab]{0,24}", secret in "[ab]{1,4}", size in 1_usize..9) {
            let mut redactor = redactor(&[&secret]);
            let mut written = Vec::new();
            for read in input.as_bytes().chunks(size) {
                written.extend(redactor.redact_or_withhold(read));
            }
            written.extend(redactor.release_masked());
            prop_assert_eq!(written.len(), input.len());
            prop_assert!(!String::from_utf8(written.clone()).unwrap().contains(&secret), "{}", written.escape_ascii());
            let same = written.iter().zip(input.bytes()).all(|(&shown, byte)| shown == byte || shown == b'*');
            prop_assert!(same);
        }
    }
}
