//! Proof that the login is complete, and of how the server delimits replies.

use std::sync::Arc;

use super::outcome::{CompletedLogin, LoginProgress};
use super::{Login, LoginState, LoginStringState, SealState};
use crate::event::{Event, Identity};
use crate::message::{Message, NameKind, Titles};
use crate::session::context::Context;
use crate::session::dialect::Dialect;
use crate::session::dialect::reply_marks::ReplyMode;
use crate::session::options::SessionOptions;
use crate::session::options::credentials::Credentials;
use crate::session::transmit::TransmitKind;
use crate::wire::Fence;
use crate::wire::Timeseal;

impl Login {
    /// Queues a fence, and enters the state that waits for its answer, which reveals the prompt and the delimitation of replies.
    pub(super) fn send_proof_fence(&mut self, cx: &mut Context) -> LoginProgress {
        let fence = Fence::random(&mut cx.rng);
        let line = self.dialect.login_proof_line(fence);
        cx.outbox.push_plain_line(TransmitKind::Command, line.as_bytes());
        self.enter_state(LoginState::Proving(fence), cx)
    }

    /// Completes the login if the message answers the fence: its refusal, the mark before that, or the refusal of a line without
    /// a number; `None` for any other message. Passes the detected prompt and family to the reader.
    pub(super) fn complete_if_answered(
        &mut self,
        fence: Fence,
        message: &Message,
        raw: &[u8],
        cx: &mut Context,
    ) -> Option<LoginProgress> {
        let mode = ReplyMode::revealed_by(fence, message, raw)?;
        if mode == ReplyMode::Fenced
            && let Some(prompt) = fence.prompt_before_answer(raw)
        {
            cx.reader.framer_mut().set_prompt(prompt);
        }
        if mode == ReplyMode::Tagged || fence.is_answered_by_icc(raw) {
            self.dialect = Dialect::Icc;
        }
        cx.reader.framer_mut().set_family(self.dialect.family());
        self.drop_login_lines_and_report(Titles::default(), cx);
        Some(LoginProgress::Complete(CompletedLogin {
            mode,
            string_understood: self.string == LoginStringState::Understood || mode == ReplyMode::Tagged,
            dialect: self.dialect,
            timeseal: if self.sealing == SealState::Off { Timeseal::Off } else { self.timeseal },
        }))
    }

    /// Emits [`Event::LoggedIn`] with the identity, once for each login.
    ///
    /// Removes unsent lines of the login: they would be commands now, and other players could see a password. This depends on
    /// whether the lines were [polled](crate::session::Session::poll_transmit) before, not on how the received bytes were
    /// chunked: a server that waits for an answer has to get it.
    pub(super) fn drop_login_lines_and_report(&mut self, titles: Titles, cx: &mut Context) -> LoginProgress {
        cx.outbox.remove_unsent_login_lines();
        if !std::mem::replace(&mut self.is_reported, true) {
            let identity = self.identity(titles, &cx.options);
            cx.emit(Event::LoggedIn(Arc::new(identity.clone())));
            cx.identity = Some(identity);
        }
        LoginProgress::Continue
    }

    fn identity(&self, titles: Titles, options: &SessionOptions) -> Identity {
        let (configured, kind) = match &options.credentials {
            Credentials::Guest => (None, NameKind::Unregistered),
            Credentials::NamedGuest(handle) => (Some(handle), NameKind::Unregistered),
            Credentials::Account { handle, .. } => (Some(handle), NameKind::Registered),
        };
        Identity { handle: self.name.as_ref().or(configured).cloned(), titles, kind }
    }
}
