//! Whether we are in, and how the server answers.

use super::{Entrance, Login, LoginString, Sealing, Step, Verdict};
use crate::event::Identity;
use crate::message::{CommandCode, Family, Message, NameKind, Titles};
use crate::session::context::Context;
use crate::session::options::SessionOptions;
use crate::session::options::credentials::Credentials;
use crate::session::requests::Mode;
use crate::session::requests::fence::Fence;
use crate::session::transmit::TransmitKind;
use crate::wire::Timeseal;

impl Login {
    /// Types a fence. Whatever stands in front of its answer is the prompt. On ICC it is its own tag, too.
    pub(crate) fn prove(&mut self, cx: &mut Context<'_>) -> Verdict {
        let fence = Fence::draw(cx.random);
        let word = fence.as_str();
        let line = if self.is_icc { format!("`{word}`{word}") } else { word.to_owned() };
        self.send(TransmitKind::Command, line.as_bytes(), cx);
        self.go(Step::Proving { fence, asked_again: false }, cx)
    }

    /// Whether this is the answer to the fence: its refusal, the mark in front of that, or the refusal of a line without a
    /// number.
    pub(crate) fn prove_by(
        &self,
        fence: Fence,
        message: &Message,
        raw: &[u8],
        cx: &mut Context<'_>,
    ) -> Option<Verdict> {
        let mode = mode_shown_by(fence, message, raw)?;
        if mode == Mode::Fenced
            && let Some(prompt) = fence.prompt_in_front(raw)
        {
            cx.reader.framer_mut().set_prompt(prompt);
        }
        // Nothing but ICC speaks so.
        let is_icc = self.is_icc || mode == Mode::Tagged || fence.is_answered_by_icc(raw);
        cx.reader.set_family(if is_icc { Family::Icc } else { Family::Fics });
        Some(Verdict::Complete(Entrance {
            unannounced: (!self.is_announced).then(|| self.identity(Titles::default(), cx.options)),
            mode,
            string_understood: self.string == LoginString::Understood || mode == Mode::Tagged,
            is_icc,
            timeseal: if self.sealing == Sealing::Off { Timeseal::Off } else { self.timeseal },
        }))
    }

    /// The server has let us in.
    ///
    /// What it asked for before that and was not sent yet is not sent any more: it would be a command now, and a password
    /// might be shown to everybody. This does not depend on how the bytes were cut into reads. It depends on whether what
    /// was to be written was [polled](crate::session::Session::poll_transmit) between the two, and so it must: a server
    /// that waits for its answer has to get it.
    pub(crate) fn announce(&mut self, titles: Titles, cx: &mut Context<'_>) -> Verdict {
        cx.out.forget_login();
        if std::mem::replace(&mut self.is_announced, true) {
            return Verdict::Goes;
        }
        Verdict::LoggedIn(self.identity(titles, cx.options))
    }

    pub(crate) fn identity(&self, titles: Titles, options: &SessionOptions) -> Identity {
        let (typed, kind) = match &options.credentials {
            Credentials::Guest => (None, NameKind::Unregistered),
            Credentials::NamedGuest(handle) => (Some(handle), NameKind::Unregistered),
            Credentials::Account { handle, .. } => (Some(handle), NameKind::Registered),
        };
        Identity { handle: self.name.as_ref().or(typed).cloned(), titles, kind }
    }
}

/// How the server tells replies apart, if this answers the fence.
fn mode_shown_by(fence: Fence, message: &Message, raw: &[u8]) -> Option<Mode> {
    match message {
        Message::BlockStart { id: 0, code } if *code == CommandCode::UNNUMBERED => Some(Mode::Numbered),
        Message::UnitStart(header) if header.tag.as_ref().is_some_and(|tag| tag == fence.as_str()) => {
            Some(Mode::Tagged)
        }
        _ => fence.is_answered_by(raw).then_some(Mode::Fenced),
    }
}
