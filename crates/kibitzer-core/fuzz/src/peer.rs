//! A server that replies to the lines of a session.

use kibitzer_core::message::Family;

/// Maximum number of lines that wait for a reply; further lines are dropped.
const MAX_LINES: usize = 300;

/// A server on one connection, with prompts, ivars and block mode as FICS, or with levels, datagrams and units as ICC.
#[derive(Debug)]
pub struct Peer {
    family: Family,
    /// Whether replies are in blocks or units.
    is_framed: bool,
    is_in: bool,
    lines: Vec<String>,
}

impl Peer {
    /// Creates a server for a new connection. `family` is FICS or ICC.
    pub fn new(family: Family) -> Self {
        Self { family, is_framed: false, is_in: false, lines: Vec::new() }
    }

    /// Returns the family of the server.
    pub const fn family(&self) -> Family {
        self.family
    }

    /// Queues a line of the client, without its line end, for a reply.
    pub fn receive_line(&mut self, line: String) {
        if self.lines.len() >= MAX_LINES {
            return;
        }
        // Block mode is the seventh digit of the login string.
        self.is_framed |=
            self.family == Family::Fics && line.starts_with("%b") && line.as_bytes().get(8) == Some(&b'1');
        self.lines.push(line);
    }

    /// Removes all queued lines, and returns one reply for each.
    pub fn take_replies(&mut self) -> Vec<String> {
        let lines = std::mem::take(&mut self.lines);
        lines
            .iter()
            .map(|line| if self.family == Family::Fics { self.fics_reply(line) } else { self.icc_reply(line) })
            .collect()
    }

    /// Returns the reply of FICS with the prompt after it. May switch block mode on.
    fn fics_reply(&mut self, line: &str) -> String {
        let (number, command) = match line.split_once(' ') {
            Some((number, command)) if number.parse::<u64>().is_ok() => (Some(number), command),
            _ => (None, line),
        };
        if command.starts_with("%b") {
            return "\n\r#Ivars set.\n\r\n\rlogin: ".to_owned();
        }
        let text = output_of(command, ": Command not found.");
        let answer = match number {
            Some(number) if self.is_framed => format!("\x15{number}\x1656\x16{text}\x17\n\rfics% "),
            _ if self.is_framed => "\x150\x16519\x16\x17\n\rfics% ".to_owned(),
            _ => format!("{text}fics% "),
        };
        self.is_framed |= command == "iset block 1";
        answer
    }

    /// Returns the reply of ICC. The first line that sets no level is the name, and completes the login.
    fn icc_reply(&mut self, line: &str) -> String {
        if line.starts_with("level1=") || line.starts_with("level2settings=") {
            self.is_framed = true;
            return "\r\nlogin: ".to_owned();
        }
        if !std::mem::replace(&mut self.is_in, true) {
            return "\x19(0 Newton {}\x19)\r\nWelcome\r\n".to_owned();
        }
        match line.strip_prefix('`').and_then(|line| line.split_once('`')) {
            Some((tag, command)) if self.is_framed => {
                format!("\x19[77 * {tag}\r\n{}\x19]", output_of(command, " is no command."))
            }
            _ => format!("No such command ({line}).\r\naics% "),
        }
    }
}

/// Returns the output of a command; `unknown` follows the command in the reply to one that the server does not know.
fn output_of(command: &str, unknown: &str) -> String {
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
