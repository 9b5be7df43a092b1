//! What the server says in lines while we log in.

use super::{Login, LoginString, Sealing, Step, Verdict, is_guest};
use crate::message::{LoginRefusal, NameKind};
use crate::scan::find;
use crate::session::context::Context;
use crate::session::error::LoginError;
use crate::session::ladder::Retreat;
use crate::session::options::SessionOptions;
use crate::text::ServerText;

/// What an ICS says when it has understood the login string.
const IVARS_SET: &[u8] = b"#Ivars set.";

impl Login {
    pub(super) fn name_status(&self, kind: NameKind, options: &SessionOptions) -> Verdict {
        match (self.step, kind) {
            (Step::Name, NameKind::Registered) if is_guest(options) => Verdict::Failed(LoginError::PasswordRequired),
            (Step::Name, NameKind::Unregistered) if !is_guest(options) => Verdict::Failed(LoginError::UnknownAccount),
            (Step::Proving { .. }, _) => Verdict::Failed(self.other()),
            _ => Verdict::Goes,
        }
    }

    pub(super) fn refused(&self, refusal: LoginRefusal, raw: &[u8]) -> Verdict {
        let error = match refusal {
            LoginRefusal::InvalidPassword => LoginError::InvalidPassword,
            LoginRefusal::NameInUse => LoginError::NameInUse,
            LoginRefusal::Banned => LoginError::Banned,
            LoginRefusal::BadName if matches!(self.step, Step::Name) => LoginError::BadName,
            // A name that is bad is said of a hello or a login string, or in a message of the day. From a queue the login goes on
            // by itself; the time-out of the step bounds the wait.
            LoginRefusal::BadName | LoginRefusal::Queued => return Verdict::Goes,
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

    pub(super) fn text(&mut self, raw: &[u8], cx: &mut Context<'_>) -> Verdict {
        self.is_icc |= matches!(self.step, Step::Greeting) && find(raw, b"chessclub.com").is_some();
        if matches!(self.step, Step::LoginString { .. }) && raw == IVARS_SET {
            self.string = LoginString::Understood;
            if self.sealing == Sealing::Unproven {
                self.sealing = Sealing::Proven;
            }
        }
        if !raw.trim_ascii().is_empty() {
            self.last_line = ServerText::from_wire(raw);
        }
        let is_asked = self.step == Step::Name && is_guest(cx.options) && find(raw, b"ress return").is_some();
        if is_asked { self.press_return(cx) } else { Verdict::Goes }
    }
}
