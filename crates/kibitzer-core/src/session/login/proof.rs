//! Whether we are in, and how the server answers.

use super::{Entrance, Identity, Login, LoginString, Sealing, Step, Verdict};
use crate::message::{Message, NameKind, Titles};
use crate::session::UNNUMBERED;
use crate::session::context::Context;
use crate::session::credentials::Credentials;
use crate::session::fence::Fence;
use crate::session::options::SessionOptions;
use crate::session::transmit::TransmitKind;
use crate::wire::Timeseal;

impl Login {
    /// Types a fence. Whatever stands in front of its answer is the prompt.
    pub(super) fn prove(&mut self, cx: &mut Context<'_>) -> Verdict {
        let fence = Fence::draw(cx.random);
        self.send(TransmitKind::Command, fence.as_str().as_bytes(), cx);
        self.go(Step::Proving { fence, asked_again: false }, cx)
    }

    /// Whether this is the answer to the fence: its refusal, or that of a line without a number.
    pub(super) fn prove_by(
        &self,
        fence: Fence,
        message: &Message,
        raw: &[u8],
        cx: &mut Context<'_>,
    ) -> Option<Verdict> {
        let block = matches!(message, Message::BlockStart { id: 0, code } if code.0 == UNNUMBERED);
        if !block && !fence.is_answered_by(raw) {
            return None;
        }
        if let Some(prompt) = fence.prompt_in_front(raw) {
            cx.reader.framer_mut().set_prompt(prompt);
        }
        Some(Verdict::Complete(Entrance {
            unannounced: (!self.is_announced).then(|| self.identity(Titles::default(), cx.options)),
            block,
            string_understood: self.string == LoginString::Understood,
            is_icc: self.is_icc,
            timeseal: if self.sealing == Sealing::Off { Timeseal::Off } else { self.timeseal },
        }))
    }

    /// The server has let us in.
    ///
    /// What it asked for before that and was not sent yet is not sent any more: it would be a command now, and a password
    /// might be shown to everybody. This does not depend on how the bytes were cut into reads. It depends on whether what
    /// was to be written was [polled](crate::session::Session::poll_transmit) between the two, and so it must: a server
    /// that waits for its answer has to get it.
    pub(super) fn announce(&mut self, titles: Titles, cx: &mut Context<'_>) -> Verdict {
        cx.out.forget_login();
        if std::mem::replace(&mut self.is_announced, true) {
            return Verdict::Goes;
        }
        Verdict::LoggedIn(self.identity(titles, cx.options))
    }

    pub(super) fn identity(&self, titles: Titles, options: &SessionOptions) -> Identity {
        let (typed, kind) = match &options.credentials {
            Credentials::Guest => (None, NameKind::Unregistered),
            Credentials::NamedGuest(handle) => (Some(handle), NameKind::Unregistered),
            Credentials::Account { handle, .. } => (Some(handle), NameKind::Registered),
        };
        Identity { handle: self.name.as_ref().or(typed).cloned(), titles, kind }
    }
}
