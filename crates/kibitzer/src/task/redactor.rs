//! Redaction of secrets that the server echoes.

use std::time::{Duration, Instant};

use zeroize::Zeroizing;

use crate::core::Event;
use crate::core::event::RequestId;
use crate::core::session::{
    Secret, SecretSource, Transmit, TransmitKind, mask_secrets_in_prefix, mask_text_keeping_controls,
};

/// Maximum time for which the secrets of a command are redacted while its reply is not received.
const REPLY_TIMEOUT: Duration = Duration::from_mins(1);

/// Replaces secrets that were sent in the bytes that the server sends, independently of read boundaries.
///
/// A password of the login is redacted until the session is set up, the secrets of a command until its reply, both no longer
/// than the connection lasts. They may be common words, which have to remain readable afterwards.
pub(super) struct Redactor {
    secrets: Vec<SentSecret>,
    /// The last received bytes if a secret may begin with them. They are withheld until the next bytes decide.
    withheld: Zeroizing<Vec<u8>>,
    /// Number of withheld bytes that [`release_masked`](Self::release_masked) has already returned, masked.
    n_released: usize,
}

/// A secret that was sent, and how long it is redacted.
struct SentSecret {
    secret: Secret,
    until: SecretLifetime,
}

/// How long a secret is redacted.
#[derive(Clone, Copy)]
enum SecretLifetime {
    /// Until the session is set up. For a password of the login.
    SetUp,
    /// Until the request that contained the secret is replied to, at the latest until `at_latest`. For a secret in a command.
    Replied { request: Option<RequestId>, at_latest: Instant },
}

impl Redactor {
    pub(super) fn new() -> Self {
        Self { secrets: Vec::new(), withheld: Zeroizing::default(), n_released: 0 }
    }

    /// Redacts the secrets of a sent line in bytes received from now on: the password of the login until the set-up is over,
    /// others until the reply to their request, at most for [`REPLY_TIMEOUT`].
    pub(super) fn add_secrets_of(&mut self, transmit: &Transmit, now: Instant) {
        let until = match transmit.kind {
            TransmitKind::Password => SecretLifetime::SetUp,
            _ => SecretLifetime::Replied { request: transmit.request, at_latest: now + REPLY_TIMEOUT },
        };
        self.secrets.extend(transmit.secrets().filter_map(Secret::new).map(|secret| SentSecret { secret, until }));
    }

    /// Forgets the secrets of the login, because the session is set up.
    pub(super) fn forget_login_secrets(&mut self) {
        self.secrets.retain(|secret| !matches!(secret.until, SecretLifetime::SetUp));
    }

    /// Forgets the secrets of a request that was replied to.
    pub(super) fn forget_secrets_of(&mut self, id: RequestId) {
        self.secrets
            .retain(|secret| !matches!(secret.until, SecretLifetime::Replied { request, .. } if request == Some(id)));
    }

    /// Forgets the secrets of requests whose reply is overdue at this time.
    pub(super) fn forget_overdue_secrets(&mut self, now: Instant) {
        self.secrets
            .retain(|secret| !matches!(secret.until, SecretLifetime::Replied { at_latest, .. } if at_latest <= now));
    }

    /// Returns whether no secret is left.
    pub(super) fn has_no_secrets(&self) -> bool {
        self.secrets.is_empty()
    }

    /// Returns the redacted bytes that can be shown now: the withheld bytes and `bytes`, without those that
    /// [`release_masked`](Self::release_masked) has already returned, up to the first byte that may begin a secret. That byte and all
    /// after it are withheld.
    pub(super) fn redact_or_withhold(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut all = std::mem::take(&mut self.withheld);
        all.extend_from_slice(bytes);
        let n_decided = self.mask_and_count_decided(&mut all, SecretSource::Stream);
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
        self.mask_and_count_decided(&mut line, SecretSource::Line);
        if line == event.raw() { None } else { event.to_redacted_text(&line) }
    }

    /// Masks the secrets in `bytes`. Returns the number of bytes at the start for which it is decided whether they are secret;
    /// the rest may begin a secret.
    fn mask_and_count_decided(&self, bytes: &mut [u8], source: SecretSource) -> usize {
        mask_secrets_in_prefix(&self.secrets.iter().map(|sent| &sent.secret), bytes, source)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::core::EventReader;

    fn redactor(secrets: &[&str]) -> Redactor {
        let secret =
            |text: &&str| SentSecret { secret: Secret::new(text.as_bytes()).unwrap(), until: SecretLifetime::SetUp };
        Redactor { secrets: secrets.iter().map(secret).collect(), ..Redactor::new() }
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
        let now = Instant::now();
        let mut redactor = redactor(&["swordfish"]);
        let until = SecretLifetime::Replied { request: None, at_latest: now + REPLY_TIMEOUT };
        redactor.secrets.push(SentSecret { secret: Secret::new(b"perch").unwrap(), until });
        redactor.forget_login_secrets();
        assert_eq!(redactor.redact_or_withhold(b"perch swordfish "), b"***** swordfish ");
        redactor.forget_overdue_secrets(now + REPLY_TIMEOUT);
        assert!(redactor.has_no_secrets());
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
