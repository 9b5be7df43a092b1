//! A server that answers what a session sends.

/// In whose manner it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// With prompts, ivars and block mode.
    Fics,
    /// With levels in front of the name, datagrams and units.
    Icc,
}

/// Lines that are kept for an answer.
const MAX_LINES: usize = 300;

/// A server on one connection.
#[derive(Debug)]
pub struct Peer {
    manner: Manner,
    /// Replies stand in blocks, or in units.
    is_framed: bool,
    is_in: bool,
    lines: Vec<String>,
}

impl Peer {
    /// A server to which a connection was just made.
    pub fn new(manner: Manner) -> Self {
        Self { manner, is_framed: false, is_in: false, lines: Vec::new() }
    }

    /// In whose manner it answers.
    pub const fn manner(&self) -> Manner {
        self.manner
    }

    /// Takes a line in, without its line end.
    pub fn hear(&mut self, line: String) {
        if self.lines.len() >= MAX_LINES {
            return;
        }
        // Block mode is the seventh digit of the login string.
        self.is_framed |=
            self.manner == Manner::Fics && line.starts_with("%b") && line.as_bytes().get(8) == Some(&b'1');
        self.lines.push(line);
    }

    /// Answers the lines that it has heard, one text for each.
    pub fn answers(&mut self) -> Vec<String> {
        let lines = std::mem::take(&mut self.lines);
        lines
            .iter()
            .map(|line| if self.manner == Manner::Fics { self.as_fics(line) } else { self.as_icc(line) })
            .collect()
    }

    fn as_fics(&mut self, line: &str) -> String {
        let (number, command) = match line.split_once(' ') {
            Some((number, command)) if number.parse::<u64>().is_ok() => (Some(number), command),
            _ => (None, line),
        };
        if command.starts_with("%b") {
            return "\n\r#Ivars set.\n\r\n\rlogin: ".to_owned();
        }
        let text = run(command, ": Command not found.");
        let answer = match number {
            Some(number) if self.is_framed => format!("\x15{number}\x1656\x16{text}\x17\n\rfics% "),
            _ if self.is_framed => "\x150\x16519\x16\x17\n\rfics% ".to_owned(),
            _ => format!("{text}fics% "),
        };
        self.is_framed |= command == "iset block 1";
        answer
    }

    fn as_icc(&mut self, line: &str) -> String {
        if line.starts_with("level1=") || line.starts_with("level2settings=") {
            self.is_framed = true;
            return "\r\nlogin: ".to_owned();
        }
        if !std::mem::replace(&mut self.is_in, true) {
            return "\x19(0 Newton {}\x19)\r\nWelcome\r\n".to_owned();
        }
        match line.strip_prefix('`').and_then(|line| line.split_once('`')) {
            Some((tag, command)) if self.is_framed => {
                format!("\x19[77 * {tag}\r\n{}\x19]", run(command, " is no command."))
            }
            _ => format!("No such command ({line}).\r\naics% "),
        }
    }
}

/// What a command gives.
fn run(command: &str, unknown: &str) -> String {
    match command.split(' ').collect::<Vec<_>>()[..] {
        ["iset", ivar, "1"] => format!("{ivar} set.\n\r"),
        ["ivariables"] => "Interface variable settings of Foo:\n\r\n\rms=1  block=1  nowrap=1\n\r\n\r".to_owned(),
        ["observe", game] => format!(
            "You are now observing game {game}.\n\r\n\r<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR \
             W -1 1 1 1 1 0 {game} Foo Bar 0 3 2 39 39 180 180 1 none (0:00) none 0\n\r"
        ),
        ["seek", ..] => "Your seek has been posted with index 4.\n\r".to_owned(),
        _ => format!("{}{unknown}\n\r", command.trim_start_matches('$')),
    }
}
