//! A scripted server that answers commands like one of three servers.

/// Server that a peer behaves like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// FICS and FatICS: login string, ivars, block mode.
    Fics,
    /// uhlin/fics: none of these, and `iset` confirms every name.
    Uhlin,
    Icc,
}

/// A server after the login.
#[derive(Clone, Debug)]
pub(super) struct Peer {
    pub(super) manner: Manner,
    pub(super) block: bool,
    /// Whether the server encloses replies in units with their tags.
    pub(super) units: bool,
    pub(super) ivars: Vec<String>,
    pub(super) prompt: &'static str,
    /// Answers: the start of a command, and the text.
    pub(super) answers: Vec<(String, String)>,
    /// Answers that are used once, before those.
    pub(super) first_answers: Vec<(String, String)>,
    /// Received commands, without numbers and fences.
    pub(super) heard: Vec<String>,
}

impl Peer {
    pub(super) fn new(manner: Manner) -> Self {
        let prompt = if manner == Manner::Icc { "aics% " } else { "fics% " };
        Self {
            manner,
            block: false,
            units: false,
            ivars: Vec::new(),
            prompt,
            answers: Vec::new(),
            first_answers: Vec::new(),
            heard: Vec::new(),
        }
    }

    /// Adds the answer to commands with this start.
    pub(super) fn on(mut self, command: &str, text: &str) -> Self {
        self.answers.insert(0, (command.to_owned(), text.to_owned()));
        self
    }

    /// Adds the answer to the first command with this start.
    pub(super) fn first_on(mut self, command: &str, text: &str) -> Self {
        self.first_answers.push((command.to_owned(), text.to_owned()));
        self
    }

    pub(super) fn answer(&mut self, line: &str) -> String {
        let prompt = self.prompt;
        if self.units {
            let (tag, command) = line.strip_prefix('`').and_then(|line| line.split_once('`')).unwrap_or(("", line));
            let (number, text) = self.run(command);
            return format!("\x19[{number} * {tag}\r\n{text}\x19]");
        }
        if !self.block {
            let (_, text) = self.run(line);
            return format!("{text}{prompt}");
        }
        let Some((number, command)) = line.split_once(' ').filter(|(number, _)| number.parse::<u64>().is_ok()) else {
            return format!("\x150\x16519\x16\x17\n\r{prompt}");
        };
        let (code, text) = self.run(command);
        format!("\x15{number}\x16{code}\x16{text}\x17\n\r{prompt}")
    }

    fn run(&mut self, command: &str) -> (u32, String) {
        let typed = command;
        let command = command.trim_start_matches('$');
        let unknown = match self.manner {
            Manner::Fics => format!("{command}: Command not found.\n\r"),
            // It does not know `$`, and repeats the whole line in its refusal.
            Manner::Uhlin => format!("{typed}: Command has failed.\n\r"),
            Manner::Icc => format!("No such command ({command}).\r\n"),
        };
        if command.trim_start_matches('`').starts_with("zq") {
            return (512, unknown);
        }
        self.heard.push(command.to_owned());
        if let Some(at) = self.first_answers.iter().position(|(start, _)| command.starts_with(start.as_str())) {
            return (37, self.first_answers.remove(at).1);
        }
        if let Some((_, text)) = self.answers.iter().find(|(start, _)| command.starts_with(start.as_str())) {
            return (37, text.clone());
        }
        let words: Vec<_> = command.split(' ').collect();
        match (words[0], self.manner) {
            ("iset", Manner::Uhlin) => (56, format!("com_iset: {} {}\n\r", words[1], words[2])),
            ("iset", Manner::Fics) => {
                self.block |= words[1] == "block";
                self.ivars.push(words[1].to_owned());
                (56, format!("{} set.\n\r", words[1]))
            }
            ("ivariables", Manner::Fics) => (58, self.listing()),
            ("set", _) => (109, format!("{} set.\n\r", words[1])),
            ("date", _) => (32, "Local time     - Sat Nov 21,  0:22 UTC\n\r".to_owned()),
            _ => (512, unknown),
        }
    }

    fn listing(&self) -> String {
        let values: Vec<_> = ["ms", "block", "nowrap", "seekinfo", "lock", "gameinfo", "pendinfo"]
            .iter()
            .map(|name| format!("{name}={}", u8::from(self.ivars.iter().any(|ivar| ivar == name))))
            .collect();
        format!("Interface variable settings of Newton:\n\r\n\r{}\n\rxml=?\n\r\n\r", values.join("   "))
    }
}
