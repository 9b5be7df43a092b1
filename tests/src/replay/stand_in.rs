//! Answers to what the recorded client did not type: login string, set-up, fences, signs of life.

use kibitzer_core::message::Ivar;
use kibitzer_core::session::TransmitKind;

/// Speaks for the server of a recording, in the forms that it uses elsewhere.
#[derive(Clone, Debug)]
pub struct StandIn {
    is_fatics: bool,
    /// Replies are framed, and lines need a number.
    in_blocks: bool,
    ivars: Vec<Ivar>,
    prompt: String,
}

impl StandIn {
    /// For FatICS, or else uhlin/fics.
    pub fn new(is_fatics: bool) -> Self {
        Self { is_fatics, in_blocks: false, ivars: Vec::new(), prompt: "fics% ".to_owned() }
    }

    /// Whether the server frames its replies now.
    pub const fn is_in_blocks(&self) -> bool {
        self.in_blocks
    }

    /// What the account has as its prompt now.
    pub fn prompt(&self) -> &str {
        &self.prompt
    }

    /// The recorded server has taken this in from its client: what it means for later answers.
    pub fn overhear(&mut self, line: &str) {
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

    /// Answers a line.
    pub fn answer(&mut self, kind: TransmitKind, line: &str) -> String {
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
            ivar.number()
                .and_then(|number| digits.as_bytes().get(usize::from(number)))
                .is_some_and(|&digit| digit == b'1')
        };
        // What was recorded is broken into lines, whatever we ask for.
        self.ivars = Ivar::ALL.iter().copied().filter(|ivar| is_on(ivar) && *ivar != Ivar::NoWrap).collect();
        self.in_blocks = self.ivars.contains(&Ivar::Block);
    }

    /// Code and text of a reply.
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
        // An empty reply, as to a value that is none: what was recorded is broken into lines, whatever we ask for.
        let Some(ivar) = name.parse().ok().filter(|ivar| *ivar != Ivar::NoWrap) else { return String::new() };
        self.ivars.push(ivar);
        self.in_blocks |= ivar == Ivar::Block;
        format!("{name} set.\n\r")
    }

    fn listing(&self) -> String {
        let numbered = Ivar::ALL.iter().filter(|ivar| ivar.number().is_some());
        let values: Vec<_> =
            numbered.map(|ivar| format!("{}={}", ivar.as_str(), u8::from(self.ivars.contains(ivar)))).collect();
        let rows: Vec<_> = values.chunks(4).map(|row| row.join("     ")).collect();
        format!("Interface variable settings of Somebody:\n\r\n\r{}\n\r\n\r", rows.join("\n\r"))
    }
}

/// The number in front of a command, and the command.
fn without_number(line: &str) -> (Option<u64>, &str) {
    match line.split_once(' ') {
        Some((number, command)) if number.bytes().all(|byte| byte.is_ascii_digit()) => (number.parse().ok(), command),
        _ => (None, line),
    }
}
