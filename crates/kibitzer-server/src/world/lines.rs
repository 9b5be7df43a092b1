//! Decoding of lines: timeseal, characters, and the numbers of block mode.
//!
//! Source: datagrams §8; transcripts fatics-block-client, fatics-talk-mixed-a, fatics-seal-errors-*.

use kibitzer_core::message::CommandCode;
use kibitzer_core::wire::unseal;

use super::{ConnectionId, Ivar, LoginStage, World};
use crate::family::IccLevelSettings;
use crate::lobby::TimesealClock;
use crate::options::Feature;
use crate::wire::MAX_COMMAND_BYTES;

/// Marks of block mode.
const BLOCK_START: char = '\x15';
const BLOCK_SEPARATOR: char = '\x16';
const BLOCK_END: u8 = 0x17;

/// Maximum number of digits of a command's number in block mode.
const MAX_NUMBER_DIGITS: usize = 18;

const LINE_TOO_LONG: &str = "Command ignored: line too long.\n";
const INVALID_CHARACTERS: &str = "Command ignored: invalid characters.\n";

impl World {
    /// Processes a line: starts timeseal if it is the first and sealed, records the answer to a ping, or passes the text on. A
    /// sealed connection may also send plain lines; a sealed line on a plain connection is not unsealed.
    pub(super) fn receive_line(&mut self, id: ConnectionId, line: &[u8]) {
        let Some(connection) = self.lobby.queue_for_output(id) else { return };
        let is_first = !std::mem::replace(&mut connection.has_received_line, true);
        let sealed = unseal(line);
        if let Some(hello) = sealed.as_ref().filter(|_| is_first && self.options.has_feature(Feature::Timeseal)) {
            let Some(version) = hello.hello_version() else {
                self.lobby.queue_text(id, "unknown timeseal version\n");
                return self.end_session(id);
            };
            connection.seal = Some(TimesealClock::new(version));
            return;
        }
        match sealed.filter(|_| self.lobby.uses_timeseal(id)) {
            Some(sealed) => {
                let now = self.now();
                let connection = self.lobby.queue_for_output(id);
                let Some(seal) = connection.and_then(|connection| connection.seal.as_mut()) else { return };
                if sealed.is_ping_answer() {
                    return seal.record_answer(sealed.time_ms, now);
                }
                seal.time_ms = sealed.time_ms;
                self.receive_unsealed_line(id, &sealed.text);
            }
            // The recorded server accepts plain lines on a sealed connection too.
            None => self.receive_unsealed_line(id, line),
        }
    }

    /// Processes a line of text as a command, or before the end of the login as input for the login. A line over
    /// [`MAX_COMMAND_BYTES`] is refused; one with invalid characters is refused without a prompt, as recorded.
    fn receive_unsealed_line(&mut self, id: ConnectionId, line: &[u8]) {
        if line.len() > MAX_COMMAND_BYTES {
            return self.refuse_long_line(id, line);
        }
        // Before the end of the login, a line may contain any bytes.
        let text = String::from_utf8_lossy(line);
        match self.lobby.connection(id).map(|connection| &connection.stage) {
            Some(LoginStage::Name) => self.receive_name_line(id, text.trim()),
            Some(LoginStage::Return(handle)) => self.log_in_guest_or_refuse(id, handle.clone()),
            Some(LoginStage::Password(handle)) => self.receive_password(id, &handle.clone(), &text),
            Some(LoginStage::LoggedIn(_)) => match decode_line(line) {
                Some(text) => self.receive_command(id, &text),
                None => self.lobby.queue_text(id, INVALID_CHARACTERS),
            },
            // Nothing is processed while the login is paused.
            Some(LoginStage::Paused) | None => {}
        }
    }

    /// Refuses a line over the limit, without a prompt outside block mode. `start` is its beginning, which may contain the number
    /// of block mode.
    pub(super) fn refuse_long_line(&mut self, id: ConnectionId, start: &[u8]) {
        if !self.lobby.has_ivar(id, Ivar::Block) {
            return self.lobby.queue_text(id, LINE_TOO_LONG);
        }
        let number =
            std::str::from_utf8(start.get(..=MAX_NUMBER_DIGITS).unwrap_or(start)).ok().and_then(split_block_number);
        self.run_in_block(id, number.map_or("0", |(number, _)| number), |world| {
            world.lobby.queue_text(id, LINE_TOO_LONG);
            CommandCode::LINE_TOO_LONG
        });
    }

    /// Executes a command line, with its output framed as the client has requested: as a unit, as a block, or with a prompt
    /// after it.
    fn receive_command(&mut self, id: ConnectionId, line: &str) {
        if self.lobby.has_level_1_bit(id, IccLevelSettings::UNITS) {
            return self.run_command_in_unit(id, line);
        }
        if !self.lobby.has_ivar(id, Ivar::Block) {
            self.run_command(id, line);
            return self.queue_prompt_unless_closing(id);
        }
        match split_block_number(line) {
            Some((number, command)) => self.run_in_block(id, number, |world| world.run_command(id, command)),
            None => self.run_in_block(id, "0", |_| CommandCode::UNNUMBERED),
        }
    }

    /// Frames the output of `run` to `id` as a block, and queues a prompt. Output to a connection that `run` closes is not
    /// framed.
    fn run_in_block(&mut self, id: ConnectionId, number: &str, run: impl FnOnce(&mut Self) -> CommandCode) {
        let start = self.lobby.connection(id).map_or(0, |connection| connection.unsent.len());
        let code = run(self);
        let Some(connection) = self.lobby.queue_for_output(id) else { return };
        if connection.is_closing {
            // The recorded server frames no reply to the command that ends the session.
            return;
        }
        // The code is known only after the command, so that the head is inserted before the output.
        let head = format!("{BLOCK_START}{number}{BLOCK_SEPARATOR}{code}{BLOCK_SEPARATOR}");
        connection.unsent.splice(start..start, head.bytes());
        connection.unsent.push(BLOCK_END);
        self.lobby.queue_unwrapped(id, "\n");
        self.queue_prompt_unless_closing(id);
    }

    /// Queues a prompt at the end of a reply, unless the connection is closing.
    fn queue_prompt_unless_closing(&mut self, id: ConnectionId) {
        if self.lobby.connection(id).is_some_and(|connection| !connection.is_closing) {
            self.lobby.queue_prompt_if_on(id);
        }
    }
}

/// Splits a line into the number of block mode and the command after it; `None` unless it starts with a number of at most
/// [`MAX_NUMBER_DIGITS`] and a blank.
fn split_block_number(line: &str) -> Option<(&str, &str)> {
    let (number, command) = line.split_once(' ')?;
    let is_number = (1..=MAX_NUMBER_DIGITS).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some((number, command))
}

/// Decodes a line and replaces tabs by four blanks; `None` if it has other bytes below 0x20 or is not UTF-8.
fn decode_line(line: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(line).ok()?.replace('\t', "    ");
    (!text.bytes().any(|byte| byte < b' ')).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_digits_and_a_blank() {
        let cases = [
            ("1 date", Some(("1", "date"))),
            ("29  date", Some(("29", " date"))),
            ("28 ", Some(("28", ""))),
            ("999999999999 date", Some(("999999999999", "date"))),
            ("27", None),
            ("", None),
            ("-1 date", None),
            (" 30 date", None),
            ("x31 date", None),
            ("1234567890123456789 date", None),
        ];
        for (line, want) in cases {
            assert_eq!(split_block_number(line), want, "{line}");
        }
    }

    #[test]
    fn lines_with_control_bytes_or_invalid_utf8_are_rejected() {
        assert_eq!(decode_line(b"tab\there").as_deref(), Some("tab    here"));
        assert_eq!(decode_line("caf\u{e9}".as_bytes()).as_deref(), Some("caf\u{e9}"));
        for bad in [&b"caf\xe9"[..], b"bell\x07", b"nul\0x", b"cr\rx"] {
            assert_eq!(decode_line(bad), None, "{bad:?}");
        }
    }
}
