//! Answers of the server to the name, the password and the fence that proves the login.

use std::time::Instant;

use super::fallback::{CompletedLogin, LoginFeature, LoginProgress};
use super::{Login, LoginReport, LoginState, LoginStringState, SealState};
use crate::event::{Identity, LoginError};
use crate::message::{Datagram, Handle, LoggedIn, LoginRefusal, Message, NameKind, NameStatus, Titles};
use crate::scan::find;
use crate::session::dialect::{CodedLoginRefusal, Dialect, ReplyMode, parse_coded_login_refusal};
use crate::session::options::{Credentials, saturating_deadline};
use crate::text::ServerText;
use crate::wire::Timeseal;

/// Line that confirms the login string. Source: FICS, FatICS, uhlin-fics.
const IVARS_SET: &[u8] = b"#Ivars set.";

impl Login {
    /// Processes the prompt that assigns a guest's name: stores the name and sends an empty line. Fails if the prompt contradicts
    /// the credentials or follows a fence, which the server took for a name. Retries without the login string if the server took
    /// that for a name. Ignored in other states.
    pub(super) fn handle_guest_prompt(&mut self, name: &Handle) -> LoginProgress {
        match self.state {
            LoginState::Name | LoginState::NameAndPassword if !self.options.credentials.is_guest() => {
                LoginProgress::Failed(LoginError::UnknownAccount)
            }
            LoginState::Name => {
                self.name = Some(name.clone());
                LoginProgress::Enter(LoginState::Entering)
            }
            LoginState::LoginString { .. } => {
                LoginProgress::RetryWithout(LoginFeature::LoginString, self.unexplained_refusal())
            }
            // The server took the fence for a name.
            LoginState::Proving if *name == *self.fence.as_str() => LoginProgress::Failed(self.unexplained_refusal()),
            _ => LoginProgress::Continue,
        }
    }

    /// Processes a command prompt, which a server sends only after a login: reports the login, and sends the fence that proves it
    /// unless it was sent. Ignored before the name was sent.
    pub(super) fn handle_prompt(&mut self) -> LoginProgress {
        match self.state {
            LoginState::Name | LoginState::NameAndPassword | LoginState::Password | LoginState::Entering => {
                self.note_logged_in(Titles::default());
                LoginProgress::Enter(LoginState::Proving)
            }
            LoginState::Proving => {
                self.note_logged_in(Titles::default());
                LoginProgress::Continue
            }
            LoginState::Greeting | LoginState::LoginString { .. } => LoginProgress::Continue,
        }
    }

    /// Processes the line or datagram that reports the login and its name; ignored before the name was sent. A datagram also
    /// shows that the server is ICC, and that the fence can be sent.
    pub(super) fn handle_logged_in(&mut self, logged_in: &LoggedIn, raw: &[u8], now: Instant) -> LoginProgress {
        // Before the name was sent it is a part of the greeting.
        if matches!(self.state, LoginState::Greeting | LoginState::LoginString { .. }) {
            return LoginProgress::Continue;
        }
        self.name = Some(logged_in.name.clone());
        self.note_logged_in(logged_in.titles.clone());
        if matches!(self.state, LoginState::Name | LoginState::NameAndPassword | LoginState::Password) {
            self.wait_in(LoginState::Entering, now);
        }
        if Datagram::parse(raw).is_none() {
            return LoginProgress::Continue;
        }
        self.dialect = Dialect::Icc;
        // Unlike a line, a datagram cannot be a part of the message of the day, and no prompt may follow it.
        match self.state {
            LoginState::Entering => LoginProgress::Enter(LoginState::Proving),
            _ => LoginProgress::Continue,
        }
    }

    /// Processes the line that reports whether the name has an account, and stores the name as the server spells it. Fails if
    /// the line contradicts the credentials, or if the server took the fence for a name; ignored before the name was sent.
    pub(super) fn handle_name_status(&mut self, status: &NameStatus) -> LoginProgress {
        let is_guest = self.options.credentials.is_guest();
        match self.state {
            LoginState::Proving if status.name == *self.fence.as_str() => {
                return LoginProgress::Failed(self.unexplained_refusal());
            }
            LoginState::Name | LoginState::NameAndPassword => {}
            // The name was accepted before the server asked.
            LoginState::Entering | LoginState::Proving if is_guest && self.name.is_none() => {}
            _ => return LoginProgress::Continue,
        }
        self.name = Some(status.name.clone());
        match status.kind {
            NameKind::Registered if is_guest => LoginProgress::Failed(LoginError::PasswordRequired),
            NameKind::Unregistered if !is_guest => LoginProgress::Failed(LoginError::UnknownAccount),
            _ => LoginProgress::Continue,
        }
    }

    /// Processes a refusal of the login, by a numbered datagram or in words: fails, enters the queue of a full server, or retries
    /// without timeseal if the server may not have understood it.
    pub(super) fn handle_refusal(&mut self, refusal: LoginRefusal, raw: &[u8], now: Instant) -> LoginProgress {
        match parse_coded_login_refusal(raw, &self.options.credentials) {
            Some(CodedLoginRefusal::Queued) => return self.enter_server_queue(now),
            Some(CodedLoginRefusal::Failed(error)) => return LoginProgress::Failed(error),
            None => {}
        }
        let error = match refusal {
            LoginRefusal::InvalidPassword => LoginError::InvalidPassword,
            LoginRefusal::NameInUse => LoginError::NameInUse,
            LoginRefusal::Banned => LoginError::Banned,
            // The name was sealed, and only silence suggests that the server can unseal it.
            LoginRefusal::BadName
                if self.state == LoginState::Name
                    && self.sealing != SealState::Off
                    && self.string != LoginStringState::Understood =>
            {
                return LoginProgress::RetryWithout(LoginFeature::Timeseal, LoginError::BadName);
            }
            LoginRefusal::BadName if matches!(self.state, LoginState::Name | LoginState::NameAndPassword) => {
                LoginError::BadName
            }
            // A part of the message of the day.
            LoginRefusal::BadName => return LoginProgress::Continue,
            LoginRefusal::Queued => return self.enter_server_queue(now),
            LoginRefusal::NotRegistered => LoginError::GuestsRefused,
            LoginRefusal::Timeout => LoginError::TimedOut(self.step()),
            LoginRefusal::Full => LoginError::ServerFull,
            LoginRefusal::Other if self.sealing != SealState::Off => {
                return LoginProgress::RetryWithout(LoginFeature::Timeseal, LoginError::TimesealRefused);
            }
            LoginRefusal::Other => LoginError::Other(ServerText::from_wire(raw)),
        };
        LoginProgress::Failed(error)
    }

    /// Processes a report of the login's place in the queue of a full server. The first one starts the timeout of the queue;
    /// later ones do not extend it.
    fn enter_server_queue(&mut self, now: Instant) -> LoginProgress {
        self.is_queued = true;
        self.deadline = *self.queue_deadline.get_or_insert(saturating_deadline(now, self.options.timings.queue));
        LoginProgress::Continue
    }

    /// Processes a line without a type of its own: detects the dialect in the greeting and the answer to the login string, keeps
    /// the line for error messages, and answers a request for an empty line.
    pub(super) fn handle_text(&mut self, raw: &[u8]) -> LoginProgress {
        if self.state == LoginState::Greeting {
            self.dialect = self.dialect.after_greeting_line(raw);
        }
        if matches!(self.state, LoginState::LoginString { .. }) && raw == IVARS_SET {
            self.string = LoginStringState::Understood;
            if self.sealing == SealState::Unproven {
                self.sealing = SealState::Proven;
            }
        }
        // A server may repeat its greeting with every login prompt.
        let is_news = !raw.trim_ascii().is_empty() && find(&self.greeting, raw).is_none();
        if is_news && !self.options.credentials.password_appears_in(raw) {
            self.last_line = ServerText::from_wire(raw);
        }
        let asks_guest = self.state == LoginState::Name && find(raw, b"ress return").is_some();
        if asks_guest && self.options.credentials.is_guest() {
            return LoginProgress::Enter(LoginState::Entering);
        }
        LoginProgress::Continue
    }

    /// Returns what the login has revealed, if the message answers the fence: its refusal, the mark before that, or the refusal of
    /// a line without a number; `None` for any other message.
    pub(super) fn completed_by_answer(&mut self, message: &Message, raw: &[u8]) -> Option<CompletedLogin> {
        let mode = ReplyMode::revealed_by(self.fence, message, raw)?;
        self.dialect = self.dialect.after_proof(mode, self.fence, raw);
        self.note_logged_in(Titles::default());
        Some(CompletedLogin {
            mode,
            string_understood: self.string == LoginStringState::Understood || mode == ReplyMode::Tagged,
            dialect: self.dialect,
            timeseal: if self.sealing == SealState::Off { Timeseal::Off } else { self.timeseal },
            prompt: self.fence.prompt_before_answer(raw).filter(|_| mode == ReplyMode::Fenced).map(<[u8]>::to_vec),
        })
    }

    /// Makes the identity known, once for each login.
    fn note_logged_in(&mut self, titles: Titles) {
        if self.report == LoginReport::NotLoggedIn {
            self.report = LoginReport::Due(titles);
        }
    }

    /// Returns the identity of the login, once, when the server has reported or proved the login.
    pub(in crate::session) fn take_new_identity(&mut self) -> Option<Identity> {
        let LoginReport::Due(titles) = &mut self.report else { return None };
        let titles = std::mem::take(titles);
        self.report = LoginReport::Done;
        let (configured, kind) = match &self.options.credentials {
            Credentials::Guest => (None, NameKind::Unregistered),
            Credentials::NamedGuest(handle) => (Some(handle), NameKind::Unregistered),
            Credentials::Account { handle, .. } => (Some(handle), NameKind::Registered),
        };
        Some(Identity { handle: self.name.as_ref().or(configured).cloned(), titles, kind })
    }
}
