//! Conversion of a client's bytes to lines and telnet commands, and of the server's text to bytes.
//!
//! States of the telnet parser:
//!
//! | state | byte | output | next state |
//! |---|---|---|---|
//! | `Text` | IAC | | `Command` |
//! | `Text` | LF | [`ClientInput::Line`] or [`ClientInput::TooLong`] | `Text` |
//! | `Text` | other | | `Text` |
//! | `Command` | WILL, WONT, DO, DONT | | `Option` |
//! | `Command` | SB | | `Subnegotiation` |
//! | `Command` | AYT, IP | [`ClientInput::AreYouThere`], [`ClientInput::Interrupt`] | `Text` |
//! | `Command` | EL, IAC, other | erases the line, adds 0xFF, ignored | `Text` |
//! | `Option` | any | [`ClientInput::Grant`] for the options we have | `Text` |
//! | `Subnegotiation` | IAC | | `SubnegotiationCommand` |
//! | `SubnegotiationCommand` | SE | | `Text` |
//! | both | other | | `Subnegotiation` |

/// Longest command a client may send, in bytes.
///
/// Source: transport rule L6.
pub(crate) const MAX_COMMAND_BYTES: usize = 1022;

/// Longest line kept: timeseal makes a command longer.
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

/// A line or telnet command of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClientInput {
    /// A line without its end, which is LF or CR LF.
    Line(Vec<u8>),
    /// The first [`MAX_LINE_BYTES`] of a longer line, whose rest is dropped.
    TooLong(Vec<u8>),
    /// A request for a telnet option, with the reply that grants it.
    Grant(&'static [u8]),
    /// The telnet command AYT.
    AreYouThere,
    /// The telnet command IP; the connection is closed.
    Interrupt,
}

/// State of the telnet parser.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum TelnetState {
    #[default]
    Text,
    /// After IAC.
    Command,
    /// After this byte of WILL, WONT, DO or DONT.
    Option(u8),
    /// In a subnegotiation, which is ignored.
    Subnegotiation,
    /// After IAC in a subnegotiation.
    SubnegotiationCommand,
}

/// Parser of the bytes of one client. Its output does not depend on how they are split into reads.
#[derive(Debug, Default)]
pub(crate) struct InputReader {
    line: Vec<u8>,
    /// Whether the line exceeded the limit; its rest is dropped.
    is_too_long: bool,
    telnet: TelnetState,
}

impl InputReader {
    /// Consumes bytes up to the end of the next line or telnet command, and returns that; `None` once all bytes are consumed. The
    /// start of an unfinished line is kept for the next call.
    pub(crate) fn next(&mut self, bytes: &mut &[u8]) -> Option<ClientInput> {
        while let Some((&byte, rest)) = bytes.split_first() {
            *bytes = rest;
            if let Some(input) = self.process_byte(byte) {
                return Some(input);
            }
        }
        None
    }

    /// Processes a byte by the table in this module's documentation; returns the line or command that it completes.
    fn process_byte(&mut self, byte: u8) -> Option<ClientInput> {
        match (self.telnet, byte) {
            (TelnetState::Text, IAC) => self.telnet = TelnetState::Command,
            (TelnetState::Text, b'\n') => return Some(self.finish_line()),
            (TelnetState::Text, _) => self.push_byte(byte),
            (TelnetState::Command, _) => return self.process_telnet_command(byte),
            (TelnetState::Option(command), option) => {
                self.telnet = TelnetState::Text;
                return granted_option(command, option);
            }
            (TelnetState::Subnegotiation, IAC) => self.telnet = TelnetState::SubnegotiationCommand,
            (TelnetState::SubnegotiationCommand, SUBNEGOTIATION_END) => self.telnet = TelnetState::Text,
            (TelnetState::Subnegotiation | TelnetState::SubnegotiationCommand, _) => {
                self.telnet = TelnetState::Subnegotiation;
            }
        }
        None
    }

    /// Processes the byte after IAC; returns the command if that alone completes it.
    fn process_telnet_command(&mut self, byte: u8) -> Option<ClientInput> {
        self.telnet = match byte {
            WILL..=DONT => TelnetState::Option(byte),
            SUBNEGOTIATION => TelnetState::Subnegotiation,
            _ => TelnetState::Text,
        };
        match byte {
            IAC => self.push_byte(IAC),
            ERASE_LINE => {
                self.line.clear();
                self.is_too_long = false;
            }
            ARE_YOU_THERE => return Some(ClientInput::AreYouThere),
            INTERRUPT => return Some(ClientInput::Interrupt),
            _ => {}
        }
        None
    }

    /// Adds a byte to the current line; drops it if the line has reached [`MAX_LINE_BYTES`].
    fn push_byte(&mut self, byte: u8) {
        if self.line.len() < MAX_LINE_BYTES {
            self.line.push(byte);
        } else {
            self.is_too_long = true;
        }
    }

    /// Removes and returns the current line, without a carriage return at its end.
    fn finish_line(&mut self) -> ClientInput {
        let mut line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.is_too_long) {
            return ClientInput::TooLong(line);
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        ClientInput::Line(line)
    }
}

/// Returns the reply that grants a `DO` of an option that the server supports; `None` for every other negotiation.
///
/// Source: transport §2; transcripts.
const fn granted_option(command: u8, option: u8) -> Option<ClientInput> {
    match (command, option) {
        (DO, TIMING_MARK) => Some(ClientInput::Grant(&[IAC, WILL, TIMING_MARK])),
        (DO, SUPPRESS_GO_AHEAD) => Some(ClientInput::Grant(&[IAC, WILL, SUPPRESS_GO_AHEAD])),
        _ => None,
    }
}

/// Encodes a text and appends it to `out`, with `line_end` for each `\n`, and entities such as `&#x265e;` for characters beyond
/// ASCII.
///
/// Lines longer than `width` are wrapped; `None` keeps them whole. An entity counts as one character, as on the recorded server.
pub(crate) fn encode_text(text: &str, width: Option<usize>, line_end: &[u8], out: &mut Vec<u8>) {
    let mut wrapped = String::new();
    if let Some(width) = width {
        text.split_inclusive('\n').for_each(|line| wrap_line(line, width, &mut wrapped));
    }
    let text = if width.is_some() { &wrapped } else { text };
    out.reserve(text.len() + line_end.len());
    for character in text.chars() {
        match u8::try_from(character) {
            Ok(b'\n') => out.extend_from_slice(line_end),
            Ok(byte) if byte.is_ascii() => out.push(byte),
            Ok(_) | Err(_) => out.extend_from_slice(format!("&#x{:x};", u32::from(character)).as_bytes()),
        }
    }
}

/// Start of the continuation of a wrapped line.
const CONTINUATION: &str = "\\   ";

/// Wraps one line, given with its line end, into pieces of at most `width` characters.
///
/// Words and the blanks between them are placed on a line if they fit, otherwise on the next one after [`CONTINUATION`]; a blank
/// may therefore end a line or begin the next one. A word longer than a whole line first fills the rest of the current one. The
/// line end counts like a blank: a line of exactly `width` characters is followed by an empty continuation.
///
/// Source: transcripts of talk at widths of 60 and 79.
fn wrap_line(line: &str, width: usize, out: &mut String) {
    let width = width.max(CONTINUATION.len() + 1);
    if line.chars().count() <= width {
        return out.push_str(line);
    }
    let characters: Vec<char> = line.chars().collect();
    let mut column = 0;
    for chunk in characters.chunk_by(|one, next| one.is_ascii_whitespace() == next.is_ascii_whitespace()) {
        column = wrap_word_or_blanks(chunk, width, column, out);
    }
}

/// Appends a word, or the blanks between two words, to the current line, or to the next ones after [`CONTINUATION`]. `column` is
/// the current column; returns the one after the chunk.
fn wrap_word_or_blanks(chunk: &[char], width: usize, mut column: usize, out: &mut String) -> usize {
    let mut rest = chunk;
    while rest.len() > width - column {
        if rest.len() > width - CONTINUATION.len() {
            let (fits, later) = rest.split_at(width - column);
            out.extend(fits);
            rest = later;
        }
        out.push('\n');
        out.push_str(CONTINUATION);
        column = CONTINUATION.len();
    }
    out.extend(rest);
    column + rest.len()
}

#[cfg(test)]
mod tests;
