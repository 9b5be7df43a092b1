//! The login: from the connection to the proof that commands are accepted.
//!
//! | state | input | sent | next state |
//! |---|---|---|---|
//! | `Greeting` | login prompt | lines before the name | `LoginString` |
//! | `Greeting` | login prompt; lines before the name are avoided | name | `Name` |
//! | `LoginString` | a login prompt for each line, or silence | name | `Name` |
//! | `LoginString` | the same; password after the name (ICC) | name and password | `NameAndPassword` |
//! | `LoginString` | two login prompts: hello and login string were refused as names | login string, unsealed | `LoginString` |
//! | `Name`, `NameAndPassword` | password prompt | password | `Password` |
//! | `Name` | prompt for guests | empty line | `Entering` |
//! | `Name` to `Password` | line or datagram that reports the login | | `Entering` |
//! | `Name` to `Entering` | prompt; silence; ICC's datagram | fence | `Proving` |
//! | `Password` to `Proving` | login or password prompt | | same, `asked_again`: silence now fails |
//! | `Proving` | answer to the fence | | complete |
//! | `Name`, `NameAndPassword` | login prompt | | failed |
//! | any | refusal, timeout, closed connection | | failed, or retried without a feature |
//!
//! A message of the day may look like any prompt. That is why the silence after a prompt decides, and why a fence has to prove
//! the login.

mod answers;
pub(super) mod fallback;

use std::sync::Arc;
use std::time::{Duration, Instant};

use self::fallback::{LoginFallback, LoginFeature};
use super::dialect::Dialect;
use super::options::{Credentials, SessionOptions, saturating_deadline};
use super::output::{Output, TransmitKind};
use crate::event::{CloseCause, LoginError, LoginStep};
use crate::message::{Control, Handle, LoginRefusal, Message, Titles};
use crate::text::ServerText;
use crate::wire::{Fence, Timeseal};

pub(super) use fallback::{CompletedLogin, LoginProgress};

/// Minimum wait for the answer to the login string after a hello: an FICS 1.6 server may read the second of two lines only two
/// seconds after the first. Source: uhlin-fics, tried.
const SECOND_LINE_WAIT: Duration = Duration::from_secs(3);

/// Maximum number of bytes kept of the greeting; later bytes are ignored.
const GREETING_BYTES: usize = 4 << 10;

/// Maximum number of bytes of the first line of the greeting that an error quotes.
const QUOTED_BYTES: usize = 80;

/// A login in progress.
#[derive(Debug)]
pub(super) struct Login {
    options: Arc<SessionOptions>,
    state: LoginState,
    /// Proves the login.
    fence: Fence,
    /// Time at which this state fails with a timeout.
    deadline: Instant,
    /// Time of the last received byte or sent line.
    quiet_since: Instant,
    /// Longest silence before a received byte on this connection.
    longest_silence: Duration,
    /// Number of lines before the name that the server has not answered when the name was sent. Their answers, however late, are
    /// not about the name.
    n_late_answers: usize,
    timeseal: Timeseal,
    sealing: SealState,
    string: LoginStringState,
    dialect: Dialect,
    /// The server printed a login or password prompt again in this state. The text may be a part of the message of the day, so
    /// the login fails only if silence follows.
    asked_again: bool,
    /// Whether the server is full and has put the login in a queue.
    is_queued: bool,
    /// Time at which the wait in the queue of a full server times out; `None` until the server has reported a place in the queue.
    queue_deadline: Option<Instant>,
    name: Option<Handle>,
    /// Whether [`take_new_identity`](Self::take_new_identity) may return the identity.
    report: LoginReport,
    /// The first bytes before the first login prompt, without leading blanks and line ends.
    greeting: Vec<u8>,
    /// The last line without a type of its own that is not blank, not in the greeting, and does not contain the password; empty
    /// if there was none since the last line of the login was sent.
    last_line: ServerText,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoginState {
    /// Waits for the first login prompt.
    Greeting,
    /// Waits for the answers to the lines before the name.
    LoginString {
        /// Number of login prompts since the lines were sent.
        prompts: u8,
    },
    /// Waits for the answer to the name.
    Name,
    /// Waits for the answer to name and password on one line.
    NameAndPassword,
    /// Waits for the answer to the password, or for the prompt.
    Password,
    /// Waits for the prompt.
    Entering,
    /// Waits for the answer to the fence.
    Proving,
}

/// Report of the identity, once for each login.
#[derive(Clone, Debug, PartialEq, Eq)]
enum LoginReport {
    NotLoggedIn,
    Due(Titles),
    Done,
}

/// Whether the server understands the lines before the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LoginStringState {
    /// It is not known yet; the lines are sent unless the server shows another form of login first.
    Unproven,
    /// The lines are not sent, because an earlier connection failed with them.
    Avoided,
    Understood,
}

/// Whether the lines of this connection are sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SealState {
    Off,
    /// The lines are sealed, and it is not known whether the server understands timeseal.
    Unproven,
    /// The lines are sealed, and the server has shown that it understands timeseal.
    Proven,
}

impl Login {
    pub(super) fn new(options: Arc<SessionOptions>, features: &LoginFallback, fence: Fence, now: Instant) -> Self {
        let timeseal = features.next_timeseal();
        let uses_string = features.uses_login_string;
        Self {
            state: LoginState::Greeting,
            fence,
            deadline: saturating_deadline(now, options.timings.greeting),
            quiet_since: now,
            longest_silence: Duration::ZERO,
            n_late_answers: 0,
            timeseal,
            sealing: if timeseal == Timeseal::Off { SealState::Off } else { SealState::Unproven },
            string: if uses_string { LoginStringState::Unproven } else { LoginStringState::Avoided },
            dialect: Dialect::new(options.family),
            asked_again: false,
            is_queued: false,
            queue_deadline: None,
            name: None,
            report: LoginReport::NotLoggedIn,
            greeting: Vec::new(),
            last_line: ServerText::default(),
            options,
        }
    }

    /// Returns the step to report to users.
    pub(super) const fn step(&self) -> LoginStep {
        match self.state {
            _ if self.is_queued => LoginStep::Queued,
            LoginState::Greeting => LoginStep::Greeting,
            LoginState::LoginString { .. } => LoginStep::LoginString,
            LoginState::Name => LoginStep::Name,
            LoginState::NameAndPassword | LoginState::Password => LoginStep::Password,
            LoginState::Entering | LoginState::Proving => LoginStep::Entering,
        }
    }

    /// Records that bytes were received.
    pub(super) fn record_receipt(&mut self, now: Instant) {
        self.longest_silence = self.longest_silence.max(now.saturating_duration_since(self.quiet_since));
        self.quiet_since = now;
    }

    /// Keeps the first [`GREETING_BYTES`] received bytes, without leading blanks and line ends, until the login prompt.
    pub(super) fn record_greeting(&mut self, bytes: &[u8]) {
        if self.state != LoginState::Greeting {
            return;
        }
        let bytes = if self.greeting.is_empty() { bytes.trim_ascii_start() } else { bytes };
        let room = GREETING_BYTES.saturating_sub(self.greeting.len());
        self.greeting.extend(bytes.iter().take(room));
    }

    /// Postpones all deadlines, and the measured silence, by this duration.
    pub(super) fn postpone_deadlines(&mut self, by: Duration) {
        self.deadline = saturating_deadline(self.deadline, by);
        self.queue_deadline = self.queue_deadline.map(|deadline| saturating_deadline(deadline, by));
        self.quiet_since = saturating_deadline(self.quiet_since, by);
    }

    /// Returns the time at which the current state times out, or the server's silence counts as an answer, whichever is earlier.
    pub(super) fn next_deadline(&self) -> Instant {
        self.silence_deadline().map_or(self.deadline, |at| at.min(self.deadline))
    }

    /// Returns the time at which continued silence of the server counts as an answer; `None` in states where it has no meaning,
    /// and in the queue of a full server.
    fn silence_deadline(&self) -> Option<Instant> {
        let has_meaning = match self.state {
            LoginState::Greeting => false,
            LoginState::LoginString { prompts } => {
                self.dialect_before_name().may_skip_prompt_before_name()
                    || self.sealing == SealState::Unproven && prompts > 0
            }
            LoginState::Name => self.dialect.has_unknown_guest_prompt() && self.options.credentials.is_guest(),
            LoginState::NameAndPassword | LoginState::Password | LoginState::Entering => true,
            LoginState::Proving => self.asked_again,
        };
        let is_after_hello = matches!(self.state, LoginState::LoginString { .. })
            && !self.dialect_before_name().may_skip_prompt_before_name();
        let least = if is_after_hello { SECOND_LINE_WAIT } else { Duration::ZERO };
        // On a slow connection, an answer may take as long as the earlier ones.
        let usual = self.longest_silence.min(self.options.timings.login_step / 2);
        let silence = self.options.timings.settle.max(least).saturating_add(usual);
        (has_meaning && !self.is_queued).then(|| saturating_deadline(self.quiet_since, silence))
    }

    /// Processes a silence or a timeout that is due; does nothing before.
    pub(super) fn handle_timeout(&mut self, now: Instant) -> LoginProgress {
        if self.silence_deadline().is_some_and(|at| at <= now) {
            return self.handle_silence();
        }
        if self.deadline <= now {
            return self.failure_or_retry(LoginError::TimedOut(self.step()));
        }
        LoginProgress::Continue
    }

    /// Processes a silence that counts as an answer in the current state.
    fn handle_silence(&mut self) -> LoginProgress {
        match self.state {
            LoginState::Greeting => LoginProgress::Continue,
            LoginState::LoginString { prompts } => {
                // Only one of hello and login string was refused as a name: the server understood the hello.
                if self.sealing == SealState::Unproven {
                    self.sealing = SealState::Proven;
                } else {
                    let n_lines = self.dialect.lines_before_name(&self.options).len();
                    self.n_late_answers = n_lines.saturating_sub(prompts.into());
                }
                LoginProgress::Enter(LoginState::Name)
            }
            LoginState::Name => LoginProgress::Enter(LoginState::Entering),
            _ if self.asked_again => LoginProgress::Failed(self.unexplained_refusal()),
            _ => LoginProgress::Enter(LoginState::Proving),
        }
    }

    /// Returns the failure of a login whose connection was closed, or a retry without the feature that may be the cause.
    pub(super) fn failure_of_close(&self, cause: CloseCause) -> LoginProgress {
        if cause.is_web_socket_failure() {
            return LoginProgress::Failed(LoginError::WebSocket(cause));
        }
        self.failure_or_retry(LoginError::Closed(self.step()))
    }

    /// Returns the failure, or a retry without the feature that the server may not have understood. Before the login prompt, the
    /// error quotes the first received line.
    fn failure_or_retry(&self, error: LoginError) -> LoginProgress {
        let error = match self.state {
            LoginState::Greeting if !self.greeting.is_empty() => LoginError::NoLoginPrompt(self.first_line()),
            _ => error,
        };
        match self.state {
            LoginState::Greeting | LoginState::LoginString { .. } if self.sealing == SealState::Unproven => {
                LoginProgress::RetryWithout(LoginFeature::Timeseal, error)
            }
            LoginState::LoginString { .. } if self.string != LoginStringState::Understood => {
                LoginProgress::RetryWithout(LoginFeature::LoginString, error)
            }
            _ => LoginProgress::Failed(error),
        }
    }

    /// Returns the first line of the greeting that has a letter, which drawings lack, or else the first one; at most
    /// [`QUOTED_BYTES`].
    fn first_line(&self) -> ServerText {
        let mut lines = self.greeting.split(|&byte| matches!(byte, b'\n' | b'\r'));
        let worded = lines.clone().find(|line| line.iter().any(u8::is_ascii_alphabetic));
        let line = worded.or_else(|| lines.next()).unwrap_or_default().trim_ascii_start();
        ServerText::from_wire(line.get(..QUOTED_BYTES).unwrap_or(line))
    }

    /// Returns whether a message answers a line before the name, which the server took for a name and refused.
    pub(super) fn is_answer_to_line_before_name(&self, message: &Message) -> bool {
        let is_expected = matches!(self.state, LoginState::LoginString { .. }) || self.n_late_answers > 0;
        is_expected && matches!(message, Message::LoginRefused(refusal) if **refusal == LoginRefusal::BadName)
    }

    /// Processes a received message; messages without a meaning in the current state change nothing.
    pub(super) fn handle_message(&mut self, message: &Message, raw: &[u8], now: Instant) -> LoginProgress {
        if self.state == LoginState::Proving
            && let Some(login) = self.completed_by_answer(message, raw)
        {
            return LoginProgress::Complete(login);
        }
        match message {
            Message::Control(Control::LoginPrompt) => self.handle_login_prompt(),
            Message::Control(Control::PasswordPrompt) => self.handle_password_prompt(),
            Message::Control(Control::GuestPrompt(name)) => self.handle_guest_prompt(name),
            Message::NameStatus(status) => self.handle_name_status(status),
            Message::LoginRefused(refusal) => self.handle_refusal(**refusal, raw, now),
            Message::LoggedIn(logged_in) => self.handle_logged_in(logged_in, raw, now),
            Message::Control(Control::Prompt) => self.handle_prompt(),
            Message::Text(_) => self.handle_text(raw),
            _ => LoginProgress::Continue,
        }
    }

    /// Processes a login prompt: sends the lines before the name, or the name. Once the name was sent, the prompt means that the
    /// server did not accept it, unless it is the late answer to a line before.
    fn handle_login_prompt(&mut self) -> LoginProgress {
        if let Some(left) = self.n_late_answers.checked_sub(1) {
            self.n_late_answers = left;
            return LoginProgress::Continue;
        }
        match &mut self.state {
            LoginState::Greeting
                if self.sealing == SealState::Unproven || self.string == LoginStringState::Unproven =>
            {
                LoginProgress::Enter(LoginState::LoginString { prompts: 0 })
            }
            LoginState::Greeting => LoginProgress::Enter(LoginState::Name),
            LoginState::LoginString { prompts } => {
                *prompts = prompts.saturating_add(1);
                let prompts = *prompts;
                self.handle_login_string_prompt(prompts)
            }
            LoginState::Name | LoginState::NameAndPassword => LoginProgress::Failed(self.unexplained_refusal()),
            LoginState::Password | LoginState::Entering | LoginState::Proving => {
                self.asked_again = true;
                LoginProgress::Continue
            }
        }
    }

    /// Processes a login prompt that answers a line before the name, and sends the name after the last one. While it is not known
    /// whether the server understands timeseal, the second prompt shows that it does not: the session continues without timeseal,
    /// or fails if the options require it.
    fn handle_login_string_prompt(&mut self, prompts: u8) -> LoginProgress {
        match self.sealing {
            // A server without timeseal refuses the hello and the login string as names, one after the other.
            SealState::Unproven if prompts < 2 => LoginProgress::Continue,
            SealState::Unproven if self.options.timeseal.versions_to_try().contains(&Timeseal::Off) => {
                self.sealing = SealState::Off;
                LoginProgress::WithoutTimeseal
            }
            SealState::Unproven => LoginProgress::Failed(LoginError::TimesealRefused),
            SealState::Proven | SealState::Off => {
                let n_lines = self.dialect_before_name().lines_before_name(&self.options).len();
                if usize::from(prompts) < n_lines {
                    LoginProgress::Continue
                } else {
                    LoginProgress::Enter(LoginState::Name)
                }
            }
        }
    }

    /// Returns the dialect of the lines before the name.
    fn dialect_before_name(&self) -> Dialect {
        if self.sealing == SealState::Unproven { Dialect::UNPROVEN_TIMESEAL } else { self.dialect }
    }

    /// Processes a password prompt: sends the password; fails for guests, and retries without the login string if the server took
    /// that for a name.
    fn handle_password_prompt(&mut self) -> LoginProgress {
        match (self.state, &self.options.credentials) {
            (LoginState::Name | LoginState::NameAndPassword, Credentials::Account { .. }) => {
                LoginProgress::Enter(LoginState::Password)
            }
            (LoginState::Name | LoginState::NameAndPassword, _) => LoginProgress::Failed(LoginError::PasswordRequired),
            (LoginState::LoginString { .. }, _) => {
                LoginProgress::RetryWithout(LoginFeature::LoginString, self.unexplained_refusal())
            }
            (LoginState::Greeting, _) => LoginProgress::Continue,
            (LoginState::Password | LoginState::Entering | LoginState::Proving, _) => {
                self.asked_again = true;
                LoginProgress::Continue
            }
        }
    }

    /// Returns [`LoginError::Other`] with the last line of the server since the refused line was sent, without the password; or
    /// [`LoginError::Silent`] if there is none.
    fn unexplained_refusal(&self) -> LoginError {
        if self.last_line.as_str().is_empty() {
            LoginError::Silent(self.first_line())
        } else {
            LoginError::Other(self.last_line.clone())
        }
    }

    /// Sends the lines of a state, and waits in it. The name is sent with the password where the dialect has a line for both.
    pub(super) fn enter(&mut self, state: LoginState, output: &mut Output, now: Instant) {
        let credentials = &self.options.credentials;
        let mut entered = state;
        match (state, credentials) {
            (LoginState::LoginString { .. }, _) => {
                for line in self.dialect_before_name().lines_before_name(&self.options) {
                    output.push_plain_line(TransmitKind::Login, line.as_bytes());
                }
            }
            (LoginState::Name, Credentials::Account { password, .. })
                if let Some(line) = self.dialect.name_and_password_line(credentials) =>
            {
                output.push_password_line(&line, password);
                entered = LoginState::NameAndPassword;
            }
            (LoginState::Name, _) => {
                output.push_plain_line(TransmitKind::Login, credentials.name_to_send().as_bytes());
            }
            (LoginState::Password, Credentials::Account { password, .. }) => {
                output.push_password_line(password.as_bytes(), password);
            }
            // A guest accepts the name by an empty line.
            (LoginState::Entering, _) => output.push_plain_line(TransmitKind::Login, b""),
            (LoginState::Proving, _) => {
                output.push_plain_line(TransmitKind::Command, self.dialect.login_proof_line(self.fence).as_bytes());
            }
            (LoginState::Greeting | LoginState::NameAndPassword | LoginState::Password, _) => {}
        }
        self.wait_in(entered, now);
    }

    /// Changes the state, restarts its timeout and the measurement of silence, and leaves the queue of a full server.
    fn wait_in(&mut self, state: LoginState, now: Instant) {
        self.state = state;
        if state != LoginState::Proving {
            self.last_line = ServerText::default();
        }
        self.quiet_since = now;
        self.asked_again = false;
        self.is_queued = false;
        self.deadline = saturating_deadline(now, self.options.timings.login_step);
    }
}
