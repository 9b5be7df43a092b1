//! Telnet commands: the lowest layer of the stream.

/// The byte that starts a telnet command (interpret as command).
pub(super) const IAC: u8 = 255;
/// The option timing mark: who is asked for it answers once everything before is processed. Source: RFC 860.
pub(crate) const TIMING_MARK: u8 = 6;
/// The request for a timing mark: IAC DO TIMING-MARK.
pub(crate) const TIMING_MARK_REQUEST: [u8; 3] = [IAC, 253, TIMING_MARK];
const SE: u8 = 240;
/// The command byte of a subnegotiation.
pub(super) const SUBNEGOTIATION: u8 = 250;
/// The lowest command byte (end of file, RFC 1184).
const FIRST_COMMAND: u8 = 236;
/// Maximum length of a subnegotiation, in bytes. No known server sends one.
const SUBNEGOTIATION_LIMIT: u16 = 1024;

/// State of the telnet layer: the part of a command that has been received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TelnetState {
    /// Outside of commands.
    #[default]
    Text,
    /// After IAC.
    Command,
    /// After IAC and this command byte, which an option byte follows.
    Option(u8),
    /// Inside a subnegotiation: its option once received, number of bytes so far, and whether the last one was IAC.
    Subnegotiation { option: Option<u8>, bytes: u16, iac: bool },
}

/// The effect of one byte on the telnet layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TelnetStep {
    /// The byte belongs to a command that is not complete.
    Pending,
    /// A byte of text.
    Text(u8),
    /// A doubled IAC: the byte 255, as text.
    Escaped,
    /// The IAC before the byte began no command, so it is text. The byte itself was not consumed and has to be processed again.
    NotACommand,
    /// A complete command.
    Done { command: u8, option: Option<u8> },
}

impl TelnetState {
    /// Processes one byte, and returns its effect. A subnegotiation that reaches its limit is complete.
    pub(super) fn process(&mut self, byte: u8) -> TelnetStep {
        match (*self, byte) {
            (Self::Text, IAC) => self.enter(Self::Command),
            (Self::Text, _) => TelnetStep::Text(byte),
            (Self::Command, IAC) => self.finish(TelnetStep::Escaped),
            (Self::Command, 251..=254) => self.enter(Self::Option(byte)),
            (Self::Command, SUBNEGOTIATION) => self.enter(Self::Subnegotiation { option: None, bytes: 0, iac: false }),
            (Self::Command, FIRST_COMMAND..=249) => self.finish(TelnetStep::Done { command: byte, option: None }),
            (Self::Command, _) => self.finish(TelnetStep::NotACommand),
            (Self::Option(command), option) => self.finish(TelnetStep::Done { command, option: Some(option) }),
            (Self::Subnegotiation { option, bytes, iac }, _) => {
                // Without a limit, a stray SB would swallow the rest of the stream.
                if (iac && byte == SE) || bytes == SUBNEGOTIATION_LIMIT {
                    return self.finish(TelnetStep::Done { command: SUBNEGOTIATION, option });
                }
                let option = option.or((byte != IAC).then_some(byte));
                self.enter(Self::Subnegotiation { option, bytes: bytes + 1, iac: byte == IAC && !iac })
            }
        }
    }

    /// Sets the state to `next`, inside a command that is not complete, and returns [`TelnetStep::Pending`].
    fn enter(&mut self, next: Self) -> TelnetStep {
        *self = next;
        TelnetStep::Pending
    }

    /// Sets the state to [`Text`](Self::Text), because a command has ended, and returns `step`.
    fn finish(&mut self, step: TelnetStep) -> TelnetStep {
        *self = Self::Text;
        step
    }
}

/// Returns the name of a telnet command byte in lower case, such as `will`; `None` for a byte below 236, and for 255.
pub fn telnet_command_name(command: u8) -> Option<&'static str> {
    const NAMES: [&str; 19] = [
        "eof", "susp", "abort", "eor", "se", "nop", "dm", "brk", "ip", "ao", "ayt", "ec", "el", "ga", "sb", "will",
        "wont", "do", "dont",
    ];
    NAMES.get(usize::from(command.checked_sub(FIRST_COMMAND)?)).copied()
}

#[cfg(test)]
mod tests;
