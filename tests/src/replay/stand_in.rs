//! Replies to lines that the recorded client did not send: login string, set-up, fences, keep-alives.

use kibitzer_core::message::Ivar;
use kibitzer_core::session::TransmitKind;

/// Replies in place of the recorded server, in the forms of that server.
#[derive(Clone, Debug)]
pub struct StandIn {
    is_fatics: bool,
    /// Whether block mode is on: replies are framed, and lines need a number.
    in_blocks: bool,
    ivars: Vec<Ivar>,
    prompt: String,
}

impl StandIn {
    /// Creates a stand-in for FatICS, otherwise for uhlin/fics.
    pub fn new(is_fatics: bool) -> Self {
        Self { is_fatics, in_blocks: false, ivars: Vec::new(), prompt: "fics% ".to_owned() }
    }

    /// Returns whether block mode is on.
    pub const fn is_in_blocks(&self) -> bool {
        self.in_blocks
    }

    /// Returns the current prompt.
    pub fn prompt(&self) -> &str {
        &self.prompt
    }

    /// Updates ivars, prompt and block mode from a line that the recorded server received.
    pub fn note_recorded_line(&mut self, line: &str) {
        let line = without_number(line).1;
        if let Some(digits) = line.strip_prefix("%b") {
            self.set_by_string(digits);
        } else if let Some(prompt) = line.strip_prefix("set prompt") {
            self.prompt = match prompt.trim() {
                "" => "fics% ".to_owned(),
                prompt => format!("{prompt} "),
            };
        } else if let Some(on) = line.strip_prefix("iset block ").filter(|_| self.is_fatics) {
            self.in_blocks = on == "1";
        }
    }

    /// Returns the reply to a line, with the prompt after it.
    pub fn reply_to(&mut self, kind: TransmitKind, line: &str) -> String {
        if kind == TransmitKind::Login {
            return self.answer_login(line);
        }
        let prompt = self.prompt.clone();
        if !self.in_blocks {
            return format!("{}{prompt}", self.run(line).1);
        }
        let (Some(number), command) = without_number(line) else {
            return format!("\x150\x16519\x16\x17\n\r{prompt}");
        };
        let (code, text) = self.run(command);
        format!("\x15{number}\x16{code}\x16{text}\x17\n\r{prompt}")
    }

    fn answer_login(&mut self, line: &str) -> String {
        match line.strip_prefix("%b") {
            Some(digits) if self.is_fatics => {
                self.set_by_string(digits);
                "\n\r#Ivars set.\n\r\n\rlogin: ".to_owned()
            }
            _ => "\n\rSorry, names can only consist of lower and upper case letters. Try again.\n\r\n\r\
                  If you are not a registered player, enter a unique ID to join the server.\n\r\n\rlogin: "
                .to_owned(),
        }
    }

    fn set_by_string(&mut self, digits: &str) {
        let is_on = |ivar: &Ivar| {
            ivar.login_string_position()
                .and_then(|number| digits.as_bytes().get(usize::from(number)))
                .is_some_and(|&digit| digit == b'1')
        };
        // The recorded lines are wrapped, whatever the session requests.
        self.ivars = Ivar::ALL.iter().copied().filter(|ivar| is_on(ivar) && *ivar != Ivar::NoWrap).collect();
        self.in_blocks = self.ivars.contains(&Ivar::Block);
    }

    /// Executes a command; returns code and text of the reply.
    fn run(&mut self, command: &str) -> (u32, String) {
        let command = command.trim_start_matches('$');
        let words: Vec<_> = command.split(' ').collect();
        match (words.as_slice(), self.is_fatics) {
            (["iset", name, value], false) => (56, format!("com_iset: {name} {value}\n\r")),
            (["iset", name, "1"], true) => (56, self.iset(name)),
            (["ivariables"], true) => (58, self.listing()),
            (["set", name, ..], _) => (109, format!("{name} set.\n\r")),
            ([verb @ ("shout" | "it"), ..], _) => (110, format!("(3) Somebody {verb}s.\n\r")),
            (["date"], _) => (32, "Local time     - Sat Nov 21,  0:22 UTC\n\r".to_owned()),
            ([name, ..], true) => (512, format!("{name}: Command not found.\n\r")),
            (_, _) => (512, format!("{command}: Command has failed.\n\r")),
        }
    }

    fn iset(&mut self, name: &str) -> String {
        // An empty reply, as to an invalid value: the recorded lines are wrapped, whatever the session requests.
        let Some(ivar) = name.parse().ok().filter(|ivar| *ivar != Ivar::NoWrap) else { return String::new() };
        self.ivars.push(ivar);
        self.in_blocks |= ivar == Ivar::Block;
        format!("{name} set.\n\r")
    }

    fn listing(&self) -> String {
        let numbered = Ivar::ALL.iter().filter(|ivar| ivar.login_string_position().is_some());
        let values: Vec<_> =
            numbered.map(|ivar| format!("{}={}", ivar.as_str(), u8::from(self.ivars.contains(ivar)))).collect();
        let rows: Vec<_> = values.chunks(4).map(|row| row.join("     ")).collect();
        format!("Interface variable settings of Somebody:\n\r\n\r{}\n\r\n\r", rows.join("\n\r"))
    }
}

/// Splits a line into the number before a command, if there is one, and the command.
fn without_number(line: &str) -> (Option<u64>, &str) {
    match line.split_once(' ') {
        Some((number, command)) if number.bytes().all(|byte| byte.is_ascii_digit()) => (number.parse().ok(), command),
        _ => (None, line),
    }
}
