//! What the server says in lines while we log in.

use super::{Login, LoginString, Sealing, Step, Verdict, is_guest};
use crate::event::LoginError;
use crate::message::{LoginRefusal, NameKind};
use crate::scan::find;
use crate::session::context::Context;
use crate::session::dialect::refusal::{QUEUED, error_of, read_refusal};
use crate::session::login::fallback::Retreat;
use crate::session::options::{SessionOptions, after};
use crate::text::ServerText;

/// What an ICS says when it has understood the login string.
const IVARS_SET: &[u8] = b"#Ivars set.";

impl Login {
    pub(crate) fn name_status(&self, kind: NameKind, options: &SessionOptions) -> Verdict {
        match (self.step, kind) {
            (Step::Name | Step::NameAndPassword, NameKind::Registered) if is_guest(options) => {
                Verdict::Failed(LoginError::PasswordRequired)
            }
            (Step::Name | Step::NameAndPassword, NameKind::Unregistered) if !is_guest(options) => {
                Verdict::Failed(LoginError::UnknownAccount)
            }
            (Step::Proving { .. }, _) => Verdict::Failed(self.other()),
            _ => Verdict::Goes,
        }
    }

    pub(crate) fn refused(&mut self, refusal: LoginRefusal, raw: &[u8], cx: &Context<'_>) -> Verdict {
        match read_refusal(raw) {
            Some((QUEUED, _)) => self.queued(cx),
            Some((code, text)) => {
                let is_shown = cx.options.credentials.are_shown_by(text.as_str().as_bytes());
                let text = if is_shown { ServerText::default() } else { text };
                Verdict::Failed(error_of(code, text, is_guest(cx.options)))
            }
            None => self.refused_in_words(refusal, raw, cx),
        }
    }

    /// The server is full and puts us in a queue, which is no failure. The first report of our place starts the time-out; later
    /// ones do not extend it.
    fn queued(&mut self, cx: &Context<'_>) -> Verdict {
        self.is_queued = true;
        self.deadline = *self.queue_deadline.get_or_insert(after(cx.now, cx.options.timings.queue));
        Verdict::Goes
    }

    fn refused_in_words(&mut self, refusal: LoginRefusal, raw: &[u8], cx: &Context<'_>) -> Verdict {
        let error = match refusal {
            LoginRefusal::InvalidPassword => LoginError::InvalidPassword,
            LoginRefusal::NameInUse => LoginError::NameInUse,
            LoginRefusal::Banned => LoginError::Banned,
            // It was sealed, and nothing but silence shows that the server can open seals.
            LoginRefusal::BadName if self.step == Step::Name && self.is_seal_doubtful() => {
                return Verdict::Retreat(Retreat::Timeseal, LoginError::BadName);
            }
            LoginRefusal::BadName if matches!(self.step, Step::Name | Step::NameAndPassword) => LoginError::BadName,
            // It is said of a hello or a login string, or in a message of the day.
            LoginRefusal::BadName => return Verdict::Goes,
            LoginRefusal::Queued => return self.queued(cx),
            LoginRefusal::NotRegistered => LoginError::GuestsRefused,
            LoginRefusal::Timeout => LoginError::TimedOut(self.step()),
            LoginRefusal::Full => LoginError::ServerFull,
            LoginRefusal::Other if self.sealing != Sealing::Off => {
                return Verdict::Retreat(Retreat::Timeseal, LoginError::TimesealRefused);
            }
            LoginRefusal::Other => LoginError::Other(ServerText::from_wire(raw)),
        };
        Verdict::Failed(error)
    }

    fn is_seal_doubtful(&self) -> bool {
        self.sealing != Sealing::Off && self.string != LoginString::Understood
    }

    pub(crate) fn text(&mut self, raw: &[u8], cx: &mut Context<'_>) -> Verdict {
        self.is_icc |= matches!(self.step, Step::Greeting) && find(raw, b"chessclub.com").is_some();
        if matches!(self.step, Step::LoginString { .. }) && raw == IVARS_SET {
            self.string = LoginString::Understood;
            if self.sealing == Sealing::Unproven {
                self.sealing = Sealing::Proven;
            }
        }
        if !raw.trim_ascii().is_empty() && !cx.options.credentials.are_shown_by(raw) {
            self.last_line = ServerText::from_wire(raw);
        }
        let is_asked = self.step == Step::Name && is_guest(cx.options) && find(raw, b"ress return").is_some();
        if is_asked { self.press_return(cx) } else { Verdict::Goes }
    }
}
