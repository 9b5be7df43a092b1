//! From the connection to the first prompt.

use std::time::Instant;

use super::context::Context;
use super::credentials::Credentials;
use super::error::{LoginError, LoginStep};
use super::fence::Fence;
use super::options::{SessionOptions, after};
use super::transmit::TransmitKind;
use crate::message::{Handle, Ivar, LoginRefusal, Message, NameKind, Titles};
use crate::scan::find;
use crate::text::ServerText;
use crate::wire::Timeseal;

/// Positions in the login string. FatICS wants 32 at least and reads no more.
const IVAR_POSITIONS: u8 = 35;

/// What an ICS says when it has understood the login string.
const IVARS_SET: &[u8] = b"#Ivars set.";

/// Who we are on the server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Identity {
    /// Our name as the server spells it. `None` if a guest was not told.
    pub handle: Option<Handle>,
    /// The codes behind it, where the server shows them.
    pub titles: Titles,
    /// Whether it is an account's.
    pub kind: NameKind,
}

/// A login that goes on.
#[derive(Debug)]
pub(super) struct Login {
    step: Step,
    /// When the step has taken too long.
    deadline: Instant,
    /// When the server last said something, or we did.
    quiet_since: Instant,
    timeseal: Timeseal,
    sealing: Sealing,
    string: LoginString,
    is_icc: bool,
    name: Option<Handle>,
    is_announced: bool,
    last_line: ServerText,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Waits for `login: `.
    Greeting,
    /// Waits for the answer to the login string, which is another `login: `.
    LoginString {
        /// How often the server has asked for a name since.
        prompts: u8,
    },
    /// Waits for what the server makes of the name.
    Name,
    /// Waits for what it makes of the password, or for the prompt.
    Password {
        /// It asked for a name again, or something in a message of the day looks so.
        asked_again: bool,
    },
    /// Waits for the prompt.
    Entering { asked_again: bool },
    /// Waits for the answer to the fence.
    Proving { fence: Fence, asked_again: bool },
}

/// What is known of the server and the login string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LoginString {
    Untried,
    /// It led to nothing on another connection.
    Avoided,
    Understood,
}

/// Whether the lines of this connection are sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sealing {
    /// They are not.
    Off,
    /// They are, and nothing shows that the server understands.
    Unproven,
    /// They are, and it does.
    Proven,
}

/// What came of an input.
#[derive(Debug)]
pub(super) enum Verdict {
    /// It goes on.
    Goes,
    /// The server has let us in; it is still to show how it answers.
    LoggedIn(Identity),
    /// The login is complete.
    Complete(Entrance),
    Failed(LoginError),
    /// It has to be tried again at once, with less; if nothing less is left, it failed.
    Retreat(Retreat, LoginError),
}

/// What the next attempt does without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Retreat {
    /// This version of timeseal.
    Timeseal,
    /// The login string.
    LoginString,
}

/// What is known once the login is complete.
#[derive(Clone, Debug)]
pub(super) struct Entrance {
    /// Who we are, if that was not told before.
    pub(super) unannounced: Option<Identity>,
    /// Whether replies are in blocks already.
    pub(super) block: bool,
    pub(super) string_understood: bool,
    pub(super) is_icc: bool,
    /// The version of timeseal the connection speaks.
    pub(super) timeseal: Timeseal,
}

impl Login {
    pub(super) fn new(options: &SessionOptions, timeseal: Timeseal, try_string: bool, now: Instant) -> Self {
        let sealing = if timeseal == Timeseal::Off { Sealing::Off } else { Sealing::Unproven };
        Self {
            step: Step::Greeting,
            deadline: after(now, options.timings.greeting),
            quiet_since: now,
            timeseal,
            sealing,
            string: if try_string { LoginString::Untried } else { LoginString::Avoided },
            is_icc: false,
            name: None,
            is_announced: false,
            last_line: ServerText::default(),
        }
    }

    /// How far it has come.
    pub(super) const fn step(&self) -> LoginStep {
        match self.step {
            Step::Greeting => LoginStep::Greeting,
            Step::LoginString { .. } => LoginStep::LoginString,
            Step::Name => LoginStep::Name,
            Step::Password { .. } => LoginStep::Password,
            Step::Entering { .. } | Step::Proving { .. } => LoginStep::Entering,
        }
    }

    /// Takes in that bytes came.
    pub(super) const fn heard(&mut self, now: Instant) {
        self.quiet_since = now;
    }

    pub(super) fn timeout(&self, options: &SessionOptions) -> Instant {
        match self.settles_at(options) {
            Some(at) => at.min(self.deadline),
            None => self.deadline,
        }
    }

    /// When the silence of the server means something.
    fn settles_at(&self, options: &SessionOptions) -> Option<Instant> {
        let is_waiting = match self.step {
            Step::Greeting => false,
            Step::LoginString { prompts } => self.sealing == Sealing::Unproven && prompts > 0,
            // The wording in which ICC asks guests to press return is not known, nor whether it ends its line.
            Step::Name => self.is_icc && is_guest(options),
            Step::Password { .. } | Step::Entering { .. } => true,
            Step::Proving { asked_again, .. } => asked_again,
        };
        is_waiting.then(|| after(self.quiet_since, options.timings.settle))
    }

    pub(super) fn handle_timeout(&mut self, cx: &mut Context<'_>) -> Verdict {
        if self.settles_at(cx.options).is_some_and(|at| at <= cx.now) {
            return self.settle(cx);
        }
        if self.deadline <= cx.now {
            return self.give_up(LoginError::TimedOut(self.step()));
        }
        Verdict::Goes
    }

    /// The server waits.
    fn settle(&mut self, cx: &mut Context<'_>) -> Verdict {
        match self.step {
            Step::Greeting => Verdict::Goes,
            // The hello was taken as one, or it would have been refused as a name, too.
            Step::LoginString { .. } => {
                self.sealing = Sealing::Proven;
                self.send_name(cx)
            }
            Step::Name => self.press_return(cx),
            Step::Password { asked_again: false } | Step::Entering { asked_again: false } => self.prove(cx),
            Step::Password { .. } | Step::Entering { .. } | Step::Proving { .. } => {
                Verdict::Failed(LoginError::Other(self.last_line.clone()))
            }
        }
    }

    /// The connection is gone.
    pub(super) fn closed(&self) -> Verdict {
        self.give_up(LoginError::Closed(self.step()))
    }

    /// The server does not go on. What it was asked for may be why, if it may never have heard of that.
    fn give_up(&self, error: LoginError) -> Verdict {
        match self.step {
            Step::Greeting | Step::LoginString { .. } if self.sealing == Sealing::Unproven => {
                Verdict::Retreat(Retreat::Timeseal, error)
            }
            Step::LoginString { .. } if self.string != LoginString::Understood => {
                Verdict::Retreat(Retreat::LoginString, error)
            }
            _ => Verdict::Failed(error),
        }
    }

    /// Takes in what the server says.
    pub(super) fn handle(&mut self, message: &Message, raw: &[u8], cx: &mut Context<'_>) -> Verdict {
        if let Step::Proving { fence, .. } = self.step
            && let Some(verdict) = self.prove_by(fence, message, raw, cx)
        {
            return verdict;
        }
        match message {
            Message::LoginPrompt => self.login_prompt(cx),
            Message::PasswordPrompt => self.password_prompt(cx),
            Message::GuestPrompt(name) => self.guest_prompt(name, cx),
            Message::NameStatus(status) => self.name_status(status.kind, cx.options),
            Message::LoginRefused(refusal) => self.refused(*refusal, raw),
            Message::LoggedIn(logged_in) => {
                self.name = Some(logged_in.name.clone());
                self.enter(cx);
                self.announce(logged_in.titles.clone(), cx)
            }
            Message::Prompt => self.prompt(cx),
            Message::Text(_) => self.text(raw, cx),
            _ => Verdict::Goes,
        }
    }

    fn login_prompt(&mut self, cx: &mut Context<'_>) -> Verdict {
        match &mut self.step {
            Step::Greeting
                if self.sealing == Sealing::Unproven || self.string == LoginString::Untried && !self.is_icc =>
            {
                self.send_string(cx)
            }
            Step::Greeting => self.send_name(cx),
            Step::LoginString { prompts } => {
                *prompts = prompts.saturating_add(1);
                let prompts = *prompts;
                self.string_answered(prompts, cx)
            }
            Step::Name => Verdict::Failed(LoginError::Other(self.last_line.clone())),
            // A message of the day may look so. The server's silence behind it will tell.
            Step::Password { asked_again } | Step::Entering { asked_again } | Step::Proving { asked_again, .. } => {
                *asked_again = true;
                Verdict::Goes
            }
        }
    }

    fn string_answered(&mut self, prompts: u8, cx: &mut Context<'_>) -> Verdict {
        match self.sealing {
            // The hello and the string are refused as names, one after the other.
            Sealing::Unproven if prompts < 2 => Verdict::Goes,
            Sealing::Unproven if cx.options.timeseal.versions().contains(&Timeseal::Off) => {
                self.sealing = Sealing::Off;
                cx.out.unseal();
                cx.reader.framer_mut().set_timeseal(Timeseal::Off);
                self.send_string(cx)
            }
            Sealing::Unproven => Verdict::Failed(LoginError::TimesealRefused),
            Sealing::Proven | Sealing::Off => self.send_name(cx),
        }
    }

    fn send_string(&mut self, cx: &mut Context<'_>) -> Verdict {
        self.send(TransmitKind::Login, login_string(cx.options).as_bytes(), cx);
        self.go(Step::LoginString { prompts: 0 }, cx)
    }

    fn send_name(&mut self, cx: &mut Context<'_>) -> Verdict {
        self.send(TransmitKind::Login, cx.options.credentials.name().as_bytes(), cx);
        self.go(Step::Name, cx)
    }

    fn password_prompt(&mut self, cx: &mut Context<'_>) -> Verdict {
        match (self.step, &cx.options.credentials) {
            (Step::Name, Credentials::Account { password, .. }) => {
                let password = password.clone();
                self.send(TransmitKind::Password, password.as_bytes(), cx);
                self.go(Step::Password { asked_again: false }, cx)
            }
            (Step::Name, _) => Verdict::Failed(LoginError::PasswordRequired),
            (Step::LoginString { .. }, _) => Verdict::Retreat(Retreat::LoginString, self.other()),
            _ => Verdict::Goes,
        }
    }

    fn guest_prompt(&mut self, name: &Handle, cx: &mut Context<'_>) -> Verdict {
        match (self.step, &cx.options.credentials) {
            (Step::Name, Credentials::Account { .. }) => Verdict::Failed(LoginError::UnknownAccount),
            (Step::Name, _) => {
                self.name = Some(name.clone());
                self.press_return(cx)
            }
            (Step::LoginString { .. }, _) => Verdict::Retreat(Retreat::LoginString, self.other()),
            // What we typed to prove that we are in was taken for a name.
            (Step::Proving { .. }, _) => Verdict::Failed(self.other()),
            _ => Verdict::Goes,
        }
    }

    fn press_return(&mut self, cx: &mut Context<'_>) -> Verdict {
        self.send(TransmitKind::Login, b"", cx);
        self.go(Step::Entering { asked_again: false }, cx)
    }

    fn name_status(&self, kind: NameKind, options: &SessionOptions) -> Verdict {
        match (self.step, kind) {
            (Step::Name, NameKind::Registered) if is_guest(options) => Verdict::Failed(LoginError::PasswordRequired),
            (Step::Name, NameKind::Unregistered) if !is_guest(options) => Verdict::Failed(LoginError::UnknownAccount),
            (Step::Proving { .. }, _) => Verdict::Failed(self.other()),
            _ => Verdict::Goes,
        }
    }

    fn refused(&self, refusal: LoginRefusal, raw: &[u8]) -> Verdict {
        let error = match refusal {
            LoginRefusal::InvalidPassword => LoginError::InvalidPassword,
            LoginRefusal::NameInUse => LoginError::NameInUse,
            LoginRefusal::Banned => LoginError::Banned,
            LoginRefusal::BadName if matches!(self.step, Step::Name) => LoginError::BadName,
            // Said of a hello or a login string, or in a message of the day.
            LoginRefusal::BadName => return Verdict::Goes,
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

    /// A prompt: we are in.
    fn prompt(&mut self, cx: &mut Context<'_>) -> Verdict {
        match self.step {
            Step::Name | Step::Password { .. } | Step::Entering { .. } => {
                self.prove(cx);
                self.announce(Titles::default(), cx)
            }
            Step::Proving { .. } => self.announce(Titles::default(), cx),
            Step::Greeting | Step::LoginString { .. } => Verdict::Goes,
        }
    }

    fn text(&mut self, raw: &[u8], cx: &mut Context<'_>) -> Verdict {
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

    fn enter(&mut self, cx: &Context<'_>) {
        if matches!(self.step, Step::Name | Step::Password { .. }) {
            self.go(Step::Entering { asked_again: false }, cx);
        }
    }

    /// Types a fence. Whatever stands in front of its answer is the prompt.
    fn prove(&mut self, cx: &mut Context<'_>) -> Verdict {
        let fence = Fence::draw(cx.random);
        self.send(TransmitKind::Command, fence.as_str().as_bytes(), cx);
        self.go(Step::Proving { fence, asked_again: false }, cx)
    }

    /// Whether this is the answer to the fence: its refusal, or that of a line without a number.
    fn prove_by(&self, fence: Fence, message: &Message, raw: &[u8], cx: &mut Context<'_>) -> Option<Verdict> {
        let block = matches!(message, Message::BlockStart { id: 0, code } if code.0 == super::UNNUMBERED);
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

    fn announce(&mut self, titles: Titles, cx: &Context<'_>) -> Verdict {
        if std::mem::replace(&mut self.is_announced, true) {
            return Verdict::Goes;
        }
        Verdict::LoggedIn(self.identity(titles, cx.options))
    }

    fn identity(&self, titles: Titles, options: &SessionOptions) -> Identity {
        let (typed, kind) = match &options.credentials {
            Credentials::Guest => (None, NameKind::Unregistered),
            Credentials::NamedGuest(handle) => (Some(handle), NameKind::Unregistered),
            Credentials::Account { handle, .. } => (Some(handle), NameKind::Registered),
        };
        Identity { handle: self.name.as_ref().or(typed).cloned(), titles, kind }
    }

    fn other(&self) -> LoginError {
        LoginError::Other(self.last_line.clone())
    }

    fn send(&mut self, kind: TransmitKind, text: &[u8], cx: &mut Context<'_>) {
        cx.out.push(kind, text);
        self.quiet_since = cx.now;
    }

    fn go(&mut self, step: Step, cx: &Context<'_>) -> Verdict {
        self.step = step;
        self.deadline = after(cx.now, cx.options.timings.login_step);
        Verdict::Goes
    }
}

const fn is_guest(options: &SessionOptions) -> bool {
    !matches!(options.credentials, Credentials::Account { .. })
}

/// `%b`, and a digit for each ivar. Two have to wait: a list of seeks comes only when `seekinfo` is set after the login, and
/// `lock` would forbid that.
///
/// Source: transport §7, datagrams §1.
fn login_string(options: &SessionOptions) -> String {
    let is_on = |number: u8| options.wanted().any(|ivar| ivar.number() == Some(number) && is_for_string(ivar));
    let digits = (0..IVAR_POSITIONS).map(|number| if is_on(number) { '1' } else { '0' });
    "%b".chars().chain(digits).collect()
}

/// Whether an ivar may be set before the login.
pub(super) fn is_for_string(ivar: Ivar) -> bool {
    ivar.number().is_some() && !matches!(ivar, Ivar::SeekInfo | Ivar::Lock)
}
