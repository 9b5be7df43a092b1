//! From the connection to the first prompt.

pub(super) mod fallback;
mod lines;
mod outcome;
mod proof;

use std::time::{Duration, Instant};

use zeroize::Zeroizing;

use crate::event::{LoginError, LoginStep};
use crate::message::{Datagram, Family, Handle, LoggedIn, Message, Titles};
use crate::session::context::Context;
use crate::session::dialect::levels::{LEVEL_LINES, level_lines};
use crate::session::dialect::login_string::login_string;
use crate::session::login::fallback::Retreat;
use crate::session::options::credentials::{Credentials, Password};
use crate::session::options::{SessionOptions, after};
use crate::session::requests::fence::Fence;
use crate::session::transmit::TransmitKind;
use crate::text::ServerText;
use crate::wire::Timeseal;

pub(crate) use outcome::{Entrance, Verdict};

/// How long the answer to the login string is waited for at least, as the second line behind a hello: a server of the
/// old kind may look at it two seconds after the first. Source: uhlin-fics, tried.
const SECOND_LINE: Duration = Duration::from_secs(3);

/// First bytes that are kept of a server which has not asked for a name.
const GREETING_BYTES: usize = 80;

/// A login that goes on.
#[derive(Debug)]
pub(crate) struct Login {
    step: Step,
    /// When the step has taken too long.
    deadline: Instant,
    /// When the server last said something, or we did.
    quiet_since: Instant,
    timeseal: Timeseal,
    sealing: Sealing,
    string: LoginString,
    is_icc: bool,
    /// The server is full, and has put us in a queue.
    is_queued: bool,
    /// When the wait in the queue has taken too long; set by the server's first word of it.
    queue_deadline: Option<Instant>,
    name: Option<Handle>,
    is_announced: bool,
    /// The first bytes of the server, line ends in front of them left out.
    greeting: Vec<u8>,
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
    /// Waits for what ICC makes of name and password on one line.
    NameAndPassword,
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

impl Login {
    pub(crate) fn new(options: &SessionOptions, timeseal: Timeseal, try_string: bool, now: Instant) -> Self {
        let sealing = if timeseal == Timeseal::Off { Sealing::Off } else { Sealing::Unproven };
        Self {
            step: Step::Greeting,
            deadline: after(now, options.timings.greeting),
            quiet_since: now,
            timeseal,
            sealing,
            string: if try_string { LoginString::Untried } else { LoginString::Avoided },
            is_icc: options.family == Family::Icc,
            is_queued: false,
            queue_deadline: None,
            name: None,
            is_announced: false,
            greeting: Vec::new(),
            last_line: ServerText::default(),
        }
    }

    /// How far it has come.
    pub(crate) const fn step(&self) -> LoginStep {
        match self.step {
            _ if self.is_queued => LoginStep::Queued,
            Step::Greeting => LoginStep::Greeting,
            Step::LoginString { .. } => LoginStep::LoginString,
            Step::Name => LoginStep::Name,
            Step::NameAndPassword | Step::Password { .. } => LoginStep::Password,
            Step::Entering { .. } | Step::Proving { .. } => LoginStep::Entering,
        }
    }

    /// Takes in that bytes came.
    pub(crate) const fn heard(&mut self, now: Instant) {
        self.quiet_since = now;
    }

    /// Keeps the first bytes of the server.
    pub(crate) fn greeted(&mut self, bytes: &[u8]) {
        let bytes = if self.greeting.is_empty() { bytes.trim_ascii_start() } else { bytes };
        let room = GREETING_BYTES.saturating_sub(self.greeting.len());
        self.greeting.extend(bytes.iter().take(room));
    }

    /// This much time does not count.
    pub(crate) fn defer(&mut self, by: Duration) {
        self.deadline = after(self.deadline, by);
        self.queue_deadline = self.queue_deadline.map(|deadline| after(deadline, by));
        self.quiet_since = after(self.quiet_since, by);
    }

    pub(crate) fn timeout(&self, options: &SessionOptions) -> Instant {
        match self.settles_at(options) {
            Some(at) => at.min(self.deadline),
            None => self.deadline,
        }
    }

    /// When the silence of the server means something.
    fn settles_at(&self, options: &SessionOptions) -> Option<Instant> {
        let is_waiting = match self.step {
            Step::Greeting => false,
            // Whether ICC answers each of its lines by a prompt is not certain.
            Step::LoginString { prompts } => self.awaits_levels() || self.sealing == Sealing::Unproven && prompts > 0,
            // The wording in which ICC asks guests to press return is not known, nor whether it ends its line.
            Step::Name => self.is_icc && is_guest(options),
            Step::NameAndPassword | Step::Password { .. } | Step::Entering { .. } => true,
            Step::Proving { asked_again, .. } => asked_again,
        };
        let is_behind_hello = matches!(self.step, Step::LoginString { .. }) && !self.awaits_levels();
        let least = if is_behind_hello { SECOND_LINE } else { Duration::ZERO };
        (is_waiting && !self.is_queued).then(|| after(self.quiet_since, options.timings.settle.max(least)))
    }

    pub(crate) fn handle_timeout(&mut self, cx: &mut Context<'_>) -> Verdict {
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
            Step::LoginString { .. } if self.awaits_levels() => self.send_name(cx),
            // The hello was taken as one, or it would have been refused as a name, too.
            Step::LoginString { .. } => {
                self.sealing = Sealing::Proven;
                self.send_name(cx)
            }
            Step::Name => self.press_return(cx),
            Step::NameAndPassword | Step::Password { asked_again: false } | Step::Entering { asked_again: false } => {
                self.prove(cx)
            }
            Step::Password { .. } | Step::Entering { .. } | Step::Proving { .. } => {
                Verdict::Failed(LoginError::Other(self.last_line.clone()))
            }
        }
    }

    /// The connection is gone.
    pub(crate) fn closed(&self) -> Verdict {
        self.give_up(LoginError::Closed(self.step()))
    }

    /// The server does not go on. What it was asked for may be why, if it may never have heard of that.
    fn give_up(&self, error: LoginError) -> Verdict {
        let first_line = self.greeting.split(|&byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
        let error = match self.step {
            Step::Greeting if !first_line.is_empty() => LoginError::NoLoginPrompt(ServerText::from_wire(first_line)),
            _ => error,
        };
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
    pub(crate) fn handle(&mut self, message: &Message, raw: &[u8], cx: &mut Context<'_>) -> Verdict {
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
            Message::LoginRefused(refusal) => self.refused(*refusal, raw, cx),
            Message::LoggedIn(logged_in) => self.logged_in(logged_in, raw, cx),
            Message::Prompt => self.prompt(cx),
            Message::Text(_) => self.text(raw, cx),
            _ => Verdict::Goes,
        }
    }

    fn login_prompt(&mut self, cx: &mut Context<'_>) -> Verdict {
        match &mut self.step {
            Step::Greeting if self.sealing == Sealing::Unproven || self.string == LoginString::Untried => {
                self.send_string(cx)
            }
            Step::Greeting => self.send_name(cx),
            Step::LoginString { prompts } => {
                *prompts = prompts.saturating_add(1);
                let prompts = *prompts;
                self.string_answered(prompts, cx)
            }
            Step::Name | Step::NameAndPassword => Verdict::Failed(self.other()),
            Step::Password { .. } | Step::Entering { .. } | Step::Proving { .. } => self.asked_again(),
        }
    }

    /// The server wants a name or a password once more. Or a message of the day looks so: its silence behind that will
    /// tell.
    fn asked_again(&mut self) -> Verdict {
        if let Step::Password { asked_again } | Step::Entering { asked_again } | Step::Proving { asked_again, .. } =
            &mut self.step
        {
            *asked_again = true;
        }
        Verdict::Goes
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
            Sealing::Proven | Sealing::Off if self.awaits_levels() && prompts < LEVEL_LINES => Verdict::Goes,
            Sealing::Proven | Sealing::Off => self.send_name(cx),
        }
    }

    /// Whether what was sent in front of the name were ICC's levels. Only an ICS shows by its answer that it speaks timeseal.
    fn awaits_levels(&self) -> bool {
        self.is_icc && self.sealing != Sealing::Unproven
    }

    fn send_string(&mut self, cx: &mut Context<'_>) -> Verdict {
        if self.awaits_levels() {
            for line in level_lines(cx.options) {
                self.send(TransmitKind::Login, line.as_bytes(), cx);
            }
        } else {
            self.send(TransmitKind::Login, login_string(cx.options).as_bytes(), cx);
        }
        self.go(Step::LoginString { prompts: 0 }, cx)
    }

    /// ICC takes name and password on one line, and tells in datagrams what came of the login only then.
    ///
    /// Source: ICC's description of its formats.
    fn send_name(&mut self, cx: &mut Context<'_>) -> Verdict {
        let name = cx.options.credentials.name();
        if let Credentials::Account { password, .. } = &cx.options.credentials
            && self.is_icc
            && !password.as_bytes().contains(&b' ')
        {
            let line = Zeroizing::new([name.as_bytes(), b" ", password.as_bytes()].concat());
            self.send_password(&line, password, cx);
            return self.go(Step::NameAndPassword, cx);
        }
        self.send(TransmitKind::Login, name.as_bytes(), cx);
        self.go(Step::Name, cx)
    }

    fn password_prompt(&mut self, cx: &mut Context<'_>) -> Verdict {
        match (self.step, &cx.options.credentials) {
            (Step::Name | Step::NameAndPassword, Credentials::Account { password, .. }) => {
                let password = password.clone();
                self.send_password(password.as_bytes(), &password, cx);
                self.go(Step::Password { asked_again: false }, cx)
            }
            (Step::Name | Step::NameAndPassword, _) => Verdict::Failed(LoginError::PasswordRequired),
            (Step::LoginString { .. }, _) => Verdict::Retreat(Retreat::LoginString, self.other()),
            (Step::Greeting, _) => Verdict::Goes,
            (Step::Password { .. } | Step::Entering { .. } | Step::Proving { .. }, _) => self.asked_again(),
        }
    }

    fn guest_prompt(&mut self, name: &Handle, cx: &mut Context<'_>) -> Verdict {
        match (self.step, &cx.options.credentials) {
            (Step::Name | Step::NameAndPassword, Credentials::Account { .. }) => {
                Verdict::Failed(LoginError::UnknownAccount)
            }
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

    /// A prompt: we are in.
    fn prompt(&mut self, cx: &mut Context<'_>) -> Verdict {
        match self.step {
            Step::Name | Step::NameAndPassword | Step::Password { .. } | Step::Entering { .. } => {
                self.prove(cx);
                self.announce(Titles::default(), cx)
            }
            Step::Proving { .. } => self.announce(Titles::default(), cx),
            Step::Greeting | Step::LoginString { .. } => Verdict::Goes,
        }
    }

    /// The server says so, and which name we have. ICC's datagram cannot be anything else, and no prompt may follow it.
    ///
    /// Before we have told a name, it can mean nobody.
    fn logged_in(&mut self, logged_in: &LoggedIn, raw: &[u8], cx: &mut Context<'_>) -> Verdict {
        if matches!(self.step, Step::Greeting | Step::LoginString { .. }) {
            return Verdict::Goes;
        }
        self.name = Some(logged_in.name.clone());
        self.enter(cx);
        let is_datagram = Datagram::parse(raw).is_some();
        self.is_icc |= is_datagram;
        if is_datagram && matches!(self.step, Step::Entering { .. }) {
            self.prove(cx);
        }
        self.announce(logged_in.titles.clone(), cx)
    }

    fn enter(&mut self, cx: &Context<'_>) {
        if matches!(self.step, Step::Name | Step::NameAndPassword | Step::Password { .. }) {
            self.go(Step::Entering { asked_again: false }, cx);
        }
    }

    fn other(&self) -> LoginError {
        LoginError::Other(self.last_line.clone())
    }

    fn send(&mut self, kind: TransmitKind, text: &[u8], cx: &mut Context<'_>) {
        cx.out.push(kind, text);
        self.quiet_since = cx.now;
    }

    fn send_password(&mut self, line: &[u8], password: &Password, cx: &mut Context<'_>) {
        cx.out.push_password(line, password);
        self.quiet_since = cx.now;
    }

    fn go(&mut self, step: Step, cx: &Context<'_>) -> Verdict {
        self.step = step;
        self.is_queued = false;
        self.deadline = after(cx.now, cx.options.timings.login_step);
        Verdict::Goes
    }
}

const fn is_guest(options: &SessionOptions) -> bool {
    !matches!(options.credentials, Credentials::Account { .. })
}
