//! Answers of the server to the name and the password.

use super::outcome::{LoginFeature, LoginProgress};
use super::{Login, LoginState, LoginStringState, SealState};
use crate::event::LoginError;
use crate::message::{Datagram, Handle, LoggedIn, LoginRefusal, NameKind, NameStatus, Titles};
use crate::scan::find;
use crate::session::context::Context;
use crate::session::dialect::{CodedLoginRefusal, Dialect, parse_coded_login_refusal};
use crate::session::options::{SessionOptions, saturating_deadline};
use crate::session::transmit::TransmitKind;
use crate::text::ServerText;

/// Line that confirms the login string. Source: FICS, FatICS, uhlin-fics.
const IVARS_SET: &[u8] = b"#Ivars set.";

impl Login {
    /// Processes the prompt that assigns a guest's name: stores the name and sends an empty line. Fails if the prompt contradicts
    /// the credentials or follows a fence, which the server took for a name. Retries without the login string if the server took
    /// that for a name. Ignored in other states.
    pub(super) fn handle_guest_prompt(&mut self, name: &Handle, cx: &mut Context) -> LoginProgress {
        match self.state {
            LoginState::Name | LoginState::NameAndPassword if !cx.options.credentials.is_guest() => {
                LoginProgress::Failed(LoginError::UnknownAccount)
            }
            LoginState::Name => {
                self.name = Some(name.clone());
                self.accept_guest_name(cx)
            }
            LoginState::LoginString { .. } => {
                LoginProgress::RetryWithout(LoginFeature::LoginString, self.unexplained_refusal())
            }
            // The server took the fence for a name.
            LoginState::Proving(fence) if name.is_same_player(fence.as_str()) => {
                LoginProgress::Failed(self.unexplained_refusal())
            }
            _ => LoginProgress::Continue,
        }
    }

    /// Queues an empty line, with which a guest accepts the name.
    pub(super) fn accept_guest_name(&mut self, cx: &mut Context) -> LoginProgress {
        cx.outbox.push_plain_line(TransmitKind::Login, b"");
        self.enter_state(LoginState::Entering, cx)
    }

    /// Processes a command prompt, which a server sends only after a login: reports the login, and sends the fence that proves it
    /// unless it was sent. Ignored before the name was sent.
    pub(super) fn handle_prompt(&mut self, cx: &mut Context) -> LoginProgress {
        match self.state {
            LoginState::Name | LoginState::NameAndPassword | LoginState::Password | LoginState::Entering => {
                self.send_proof_fence(cx);
                self.drop_login_lines_and_report(Titles::default(), cx)
            }
            LoginState::Proving(_) => self.drop_login_lines_and_report(Titles::default(), cx),
            LoginState::Greeting | LoginState::LoginString { .. } => LoginProgress::Continue,
        }
    }

    /// Processes the line or datagram that reports the login and its name; ignored before the name was sent. A datagram also
    /// shows that the server is ICC, and that the fence can be sent.
    pub(super) fn handle_logged_in(&mut self, logged_in: &LoggedIn, raw: &[u8], cx: &mut Context) -> LoginProgress {
        // Before the name was sent it is a part of the greeting.
        if matches!(self.state, LoginState::Greeting | LoginState::LoginString { .. }) {
            return LoginProgress::Continue;
        }
        self.name = Some(logged_in.name.clone());
        if matches!(self.state, LoginState::Name | LoginState::NameAndPassword | LoginState::Password) {
            self.enter_state(LoginState::Entering, cx);
        }
        if Datagram::parse(raw).is_some() {
            self.dialect = Dialect::Icc;
            // Unlike a line, a datagram cannot be a part of the message of the day, and no prompt may follow it.
            if self.state == LoginState::Entering {
                self.send_proof_fence(cx);
            }
        }
        self.drop_login_lines_and_report(logged_in.titles.clone(), cx)
    }

    /// Processes the line that reports whether the name has an account, and stores the name as the server spells it. Fails if
    /// the line contradicts the credentials, or if the server took the fence for a name; ignored before the name was sent.
    pub(super) fn handle_name_status(&mut self, status: &NameStatus, options: &SessionOptions) -> LoginProgress {
        let is_guest = options.credentials.is_guest();
        match self.state {
            LoginState::Proving(fence) if status.name.is_same_player(fence.as_str()) => {
                return LoginProgress::Failed(self.unexplained_refusal());
            }
            LoginState::Name | LoginState::NameAndPassword => {}
            // The name was accepted before the server asked.
            LoginState::Entering | LoginState::Proving(_) if is_guest && self.name.is_none() => {}
            _ => return LoginProgress::Continue,
        }
        self.name = Some(status.name.clone());
        match status.kind {
            NameKind::Registered if is_guest => LoginProgress::Failed(LoginError::PasswordRequired),
            NameKind::Unregistered if !is_guest => LoginProgress::Failed(LoginError::UnknownAccount),
            _ => LoginProgress::Continue,
        }
    }

    /// Processes a refusal of the login, by a numbered datagram or in words. A place in the queue of a full server is no failure.
    pub(super) fn handle_refusal(&mut self, refusal: LoginRefusal, raw: &[u8], cx: &Context) -> LoginProgress {
        match parse_coded_login_refusal(raw, &cx.options.credentials) {
            Some(CodedLoginRefusal::Queued) => self.enter_server_queue(cx),
            Some(CodedLoginRefusal::Failed(error)) => LoginProgress::Failed(error),
            None => self.handle_refusal_in_words(refusal, raw, cx),
        }
    }

    /// Processes a report of the login's place in the queue of a full server. The first one starts the timeout of the queue;
    /// later ones do not extend it.
    fn enter_server_queue(&mut self, cx: &Context) -> LoginProgress {
        self.is_queued = true;
        self.deadline = *self.queue_deadline.get_or_insert(saturating_deadline(cx.now, cx.options.timings.queue));
        LoginProgress::Continue
    }

    /// Processes a refusal in words: fails, enters the queue of a full server, or retries without timeseal if the server may not
    /// have understood it.
    fn handle_refusal_in_words(&mut self, refusal: LoginRefusal, raw: &[u8], cx: &Context) -> LoginProgress {
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
            LoginRefusal::Queued => return self.enter_server_queue(cx),
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

    /// Processes a line without a type of its own: detects the dialect in the greeting and the answer to the login string, keeps
    /// the line for error messages, and answers a request for an empty line.
    pub(super) fn handle_text(&mut self, raw: &[u8], cx: &mut Context) -> LoginProgress {
        if self.state == LoginState::Greeting && find(raw, b"chessclub.com").is_some() {
            self.dialect = Dialect::Icc;
        }
        if matches!(self.state, LoginState::LoginString { .. }) && raw == IVARS_SET {
            self.string = LoginStringState::Understood;
            if self.sealing == SealState::Unproven {
                self.sealing = SealState::Proven;
            }
        }
        // A server may repeat its greeting with every login prompt.
        let is_news = !raw.trim_ascii().is_empty() && find(&self.greeting, raw).is_none();
        if is_news && !cx.options.credentials.password_appears_in(raw) {
            self.last_line = ServerText::from_wire(raw);
        }
        let asks_guest = self.state == LoginState::Name && find(raw, b"ress return").is_some();
        if asks_guest && cx.options.credentials.is_guest() {
            return self.accept_guest_name(cx);
        }
        LoginProgress::Continue
    }
}
