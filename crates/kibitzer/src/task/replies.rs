//! Who waits for which reply.

use crate::core::event::{RequestError, RequestId};
use crate::core::session::Reply;
use crate::desk::ReplySender;

/// Who waits for which reply. The session bounds how many there are.
#[derive(Debug, Default)]
pub(super) struct Replies {
    waiting: Vec<(RequestId, ReplySender)>,
}

impl Replies {
    pub(super) fn expect(&mut self, id: RequestId, sender: ReplySender) {
        self.waiting.push((id, sender));
    }

    /// Hands a reply to who waits for it, if anybody still does.
    pub(super) fn answer(&mut self, id: RequestId, result: Result<Reply, RequestError>) {
        if let Some(position) = self.waiting.iter().position(|(waiting, _)| *waiting == id) {
            let (_, sender) = self.waiting.swap_remove(position);
            drop(sender.send(result));
        }
        if self.waiting.is_empty() {
            self.waiting = Vec::new();
        }
    }

    /// Takes out a request nobody waits for any more.
    pub(super) fn take_abandoned(&mut self) -> Option<RequestId> {
        let position = self.waiting.iter().position(|(_, sender)| sender.is_closed())?;
        Some(self.waiting.swap_remove(position).0)
    }
}
