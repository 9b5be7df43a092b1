//! A client's bytes: telnet commands out, lines cut, their length limited.

/// Longest command a client may send, in bytes.
///
/// Source: transport rule L6.
pub(crate) const MAX_COMMAND_BYTES: usize = 1022;

/// Longest line kept: a sealed command is longer than what it says.
const MAX_LINE_BYTES: usize = MAX_COMMAND_BYTES + 64;

const IAC: u8 = 0xFF;
const DONT: u8 = 0xFE;
const WILL: u8 = 0xFB;
const SUBNEGOTIATION: u8 = 0xFA;
const SUBNEGOTIATION_END: u8 = 0xF0;
const ERASE_LINE: u8 = 0xF8;
const ARE_YOU_THERE: u8 = 0xF6;
const INTERRUPT: u8 = 0xF4;
const DO: u8 = 0xFD;
const TIMING_MARK: u8 = 0x06;
const SUPPRESS_GO_AHEAD: u8 = 0x03;

/// What a client said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// A line without its end; CR in front of the LF belongs to the end.
    Line(Vec<u8>),
    /// A line that was longer than any command; this is how it starts.
    TooLong(Vec<u8>),
    /// A telnet request that is granted with these bytes.
    Grant(&'static [u8]),
    /// The telnet question whether we are there.
    AreYouThere,
    /// The telnet command to interrupt: the client leaves.
    Interrupt,
}

/// Where in a telnet command the bytes are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Telnet {
    /// In none.
    #[default]
    Text,
    /// Behind IAC.
    Command,
    /// Behind WILL, WONT, DO or DONT.
    Option(u8),
    /// In a subnegotiation, which says nothing to us.
    Subnegotiation,
    /// Behind IAC in a subnegotiation.
    SubnegotiationCommand,
}

/// Turns a client's bytes into what it said, however they arrive.
#[derive(Debug, Default)]
pub(crate) struct InputReader {
    line: Vec<u8>,
    /// Whether the line went over the limit; its rest is dropped.
    is_too_long: bool,
    telnet: Telnet,
}

impl InputReader {
    /// Takes bytes from the front of `bytes` up to the next thing said; `None` once all are taken.
    pub(crate) fn next(&mut self, bytes: &mut &[u8]) -> Option<Input> {
        while let Some((&byte, rest)) = bytes.split_first() {
            *bytes = rest;
            if let Some(input) = self.take(byte) {
                return Some(input);
            }
        }
        None
    }

    fn take(&mut self, byte: u8) -> Option<Input> {
        match (self.telnet, byte) {
            (Telnet::Text, IAC) => self.telnet = Telnet::Command,
            (Telnet::Text, b'\n') => return Some(self.end_line()),
            (Telnet::Text, _) => self.push(byte),
            (Telnet::Command, _) => return self.command(byte),
            (Telnet::Option(command), option) => {
                self.telnet = Telnet::Text;
                return grant(command, option);
            }
            (Telnet::Subnegotiation, IAC) => self.telnet = Telnet::SubnegotiationCommand,
            (Telnet::SubnegotiationCommand, SUBNEGOTIATION_END) => self.telnet = Telnet::Text,
            (Telnet::Subnegotiation | Telnet::SubnegotiationCommand, _) => self.telnet = Telnet::Subnegotiation,
        }
        None
    }

    /// The byte behind IAC.
    fn command(&mut self, byte: u8) -> Option<Input> {
        self.telnet = match byte {
            WILL..=DONT => Telnet::Option(byte),
            SUBNEGOTIATION => Telnet::Subnegotiation,
            _ => Telnet::Text,
        };
        match byte {
            IAC => self.push(IAC),
            ERASE_LINE => self.line.clear(),
            ARE_YOU_THERE => return Some(Input::AreYouThere),
            INTERRUPT => return Some(Input::Interrupt),
            _ => {}
        }
        None
    }

    fn push(&mut self, byte: u8) {
        if self.line.len() < MAX_LINE_BYTES {
            self.line.push(byte);
        } else {
            self.is_too_long = true;
        }
    }

    fn end_line(&mut self) -> Input {
        let mut line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.is_too_long) {
            return Input::TooLong(line);
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        Input::Line(line)
    }
}

/// What a request for an option is answered with; other options are passed over in silence.
///
/// Source: transport §2; transcripts.
const fn grant(command: u8, option: u8) -> Option<Input> {
    match (command, option) {
        (DO, TIMING_MARK) => Some(Input::Grant(&[IAC, WILL, TIMING_MARK])),
        (DO, SUPPRESS_GO_AHEAD) => Some(Input::Grant(&[IAC, WILL, SUPPRESS_GO_AHEAD])),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(chunks: &[&[u8]]) -> Vec<Input> {
        let mut reader = InputReader::default();
        let mut inputs = Vec::new();
        for mut chunk in chunks.iter().copied() {
            while let Some(input) = reader.next(&mut chunk) {
                inputs.push(input);
            }
        }
        inputs
    }

    fn line(text: &str) -> Input {
        Input::Line(text.as_bytes().to_vec())
    }

    /// The bytes of fatics-login-twice-telnet, whole and one by one.
    #[test]
    fn telnet_commands_are_taken_out_wherever_they_stand() {
        let bytes: &[u8] =
            b"\xff\xfd\x06\xff\xfd\x03\xff\xfb\x18\xff\xfb\x1f\xff\xfd\x01\xff\xf6gu\xff\xfa\x18\x01\xff\xf0est\r\n\
            finger\xff\xfe\x01\r\n\xff\xf4";
        let want = [
            Input::Grant(b"\xff\xfb\x06"),
            Input::Grant(b"\xff\xfb\x03"),
            Input::AreYouThere,
            line("guest"),
            line("finger"),
            Input::Interrupt,
        ];
        assert_eq!(read(&[bytes]), want);
        assert_eq!(read(&bytes.chunks(1).collect::<Vec<_>>()), want);
    }

    #[test]
    fn a_line_ends_in_lf_alone_and_can_be_erased() {
        assert_eq!(
            read(&[b"one\ntwo\r\n\r\nth\rree\nwrong\xff\xf8right\n"]),
            [line("one"), line("two"), line(""), line("th\rree"), line("right"),]
        );
        assert_eq!(read(&[b"\xff\xff\n"]), [Input::Line(vec![0xFF])]);
    }

    #[test]
    fn a_line_over_the_limit_is_cut_and_the_next_one_is_whole() {
        let mut bytes = vec![b'7'; MAX_LINE_BYTES * 3];
        bytes.extend_from_slice(b"\ndate\n");
        assert_eq!(read(&[&bytes]), [Input::TooLong(vec![b'7'; MAX_LINE_BYTES]), line("date")]);
    }
}
