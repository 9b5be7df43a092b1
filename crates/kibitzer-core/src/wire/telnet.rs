//! Telnet commands: the lowest layer of the stream.

/// Interpret-as-command.
pub(super) const IAC: u8 = 255;
const SE: u8 = 240;
/// The command byte of a subnegotiation.
pub(super) const SUBNEGOTIATION: u8 = 250;
/// The lowest command byte that follows an IAC without an option (end-of-file of RFC 1184).
const FIRST_COMMAND: u8 = 236;
/// Most bytes of a subnegotiation. No known server sends any.
const SUBNEGOTIATION_LIMIT: u16 = 1024;

/// Position of the stream within a telnet command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TelnetState {
    #[default]
    Text,
    /// After IAC.
    Command,
    /// After IAC and a command that has an option.
    Option(u8),
    /// Inside a subnegotiation: its option once known, bytes so far, whether the last was IAC.
    Subnegotiation { option: Option<u8>, bytes: u16, iac: bool },
}

/// The effect of one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TelnetByte {
    /// Part of a command that is not over.
    Pending,
    /// A byte of text.
    Text(u8),
    /// A doubled IAC: the byte 255, as text.
    Escaped,
    /// An IAC that began no command: it is text, and the byte has to be processed again.
    NotACommand,
    /// A whole command.
    Done { command: u8, option: Option<u8> },
}

impl TelnetState {
    /// Processes one byte, and returns its effect. A subnegotiation is cut off at its limit.
    pub(super) fn process(&mut self, byte: u8) -> TelnetByte {
        match (*self, byte) {
            (Self::Text, IAC) => self.enter(Self::Command),
            (Self::Text, _) => TelnetByte::Text(byte),
            (Self::Command, IAC) => self.finish(TelnetByte::Escaped),
            (Self::Command, 251..=254) => self.enter(Self::Option(byte)),
            (Self::Command, SUBNEGOTIATION) => self.enter(Self::Subnegotiation { option: None, bytes: 0, iac: false }),
            (Self::Command, FIRST_COMMAND..=249) => self.finish(TelnetByte::Done { command: byte, option: None }),
            (Self::Command, _) => self.finish(TelnetByte::NotACommand),
            (Self::Option(command), option) => self.finish(TelnetByte::Done { command, option: Some(option) }),
            (Self::Subnegotiation { option, bytes, iac }, _) => {
                // Without a limit, a stray SB would swallow the rest of the stream.
                if (iac && byte == SE) || bytes == SUBNEGOTIATION_LIMIT {
                    return self.finish(TelnetByte::Done { command: SUBNEGOTIATION, option });
                }
                let option = option.or((byte != IAC).then_some(byte));
                self.enter(Self::Subnegotiation { option, bytes: bytes + 1, iac: byte == IAC && !iac })
            }
        }
    }

    fn enter(&mut self, next: Self) -> TelnetByte {
        *self = next;
        TelnetByte::Pending
    }

    fn finish(&mut self, meaning: TelnetByte) -> TelnetByte {
        *self = Self::Text;
        meaning
    }
}

/// Returns the name of a telnet command byte in RFC 854, in lower case; `None` for a byte below 236 or above 254.
pub fn telnet_command_name(command: u8) -> Option<&'static str> {
    const NAMES: [&str; 19] = [
        "eof", "susp", "abort", "eor", "se", "nop", "dm", "brk", "ip", "ao", "ayt", "ec", "el", "ga", "sb", "will",
        "wont", "do", "dont",
    ];
    NAMES.get(usize::from(command.checked_sub(FIRST_COMMAND)?)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(bytes: &[u8]) -> Vec<TelnetByte> {
        let mut telnet = TelnetState::default();
        bytes.iter().map(|&b| telnet.process(b)).filter(|m| *m != TelnetByte::Pending).collect()
    }

    #[test]
    fn commands_are_separated_from_text() {
        use TelnetByte::{Done, Escaped, NotACommand, Text};
        let cases: &[(&[u8], &[TelnetByte])] = &[
            (b"a\xff\xfb\x01b", &[Text(b'a'), Done { command: 251, option: Some(1) }, Text(b'b')]),
            (b"\xff\xf9", &[Done { command: 249, option: None }]),
            (b"\xff\xfa\x18\x01\xff\xf0x", &[Done { command: 250, option: Some(24) }, Text(b'x')]),
            (b"\xff\xfa\x18\xff\xff\xf0\xff\xf0", &[Done { command: 250, option: Some(24) }]),
            (b"\xff\xff", &[Escaped]),
            (b"\xffA", &[NotACommand]),
            (b"\xfb\xfc\xfd", &[Text(0xfb), Text(0xfc), Text(0xfd)]),
        ];
        for (sent, want) in cases {
            assert_eq!(run(sent), *want, "{sent:?}");
        }
    }

    #[test]
    fn a_subnegotiation_without_end_is_given_up() {
        let mut sent = b"\xff\xfa".to_vec();
        sent.extend([b'x'; 1100]);
        let meanings = run(&sent);
        assert_eq!(meanings.first(), Some(&TelnetByte::Done { command: SUBNEGOTIATION, option: Some(b'x') }));
        assert_eq!(meanings.len(), 1 + 1100 - 1025);
    }

    #[test]
    fn commands_have_names() {
        assert_eq!(telnet_command_name(251), Some("will"));
        assert_eq!(telnet_command_name(254), Some("dont"));
        assert_eq!(telnet_command_name(249), Some("ga"));
        assert_eq!(telnet_command_name(255), None);
        assert_eq!(telnet_command_name(12), None);
    }
}
