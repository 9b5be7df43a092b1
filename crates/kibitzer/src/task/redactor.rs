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
mod tests;
