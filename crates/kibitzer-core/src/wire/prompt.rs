//! Detection of prompts, which are the only output of a server without a line end.

use super::control::IAC;
use super::options::Family;
use crate::scan::Cursor;
use crate::text::Handle;

/// The input for which a prompt asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PromptKind {
    /// A command, on a server of this family; [`Family::Auto`] for a custom prompt, which does not show the family.
    Command(Family),
    Login,
    Password,
}

/// The prompts to recognize: those of the known servers, and a custom one that the account may have set.
///
/// Every prompt ends with a blank, also a custom one: the server adds it.
///
/// Source: transport rules P1 to P3, P9.
#[derive(Clone, Debug, Default)]
pub(super) struct Prompts {
    /// The custom prompt, including its blank; empty if none is set.
    pub(super) custom: Box<[u8]>,
    /// Whether the login is complete, so that `login: ` and `password: ` are text.
    pub(super) is_logged_in: bool,
}

/// Server names before `% ` in a command prompt. [`Prompts::match_start`] has to list the first byte of each, and [`LONGEST`] has
/// to cover the longest.
const SERVERS: [&[u8]; 6] = [b"fics", b"aics", b"ics", b"chess", b"uscn", b"bics"];
/// Length of `12:34_`, the optional time before a prompt.
const CLOCK_BYTES: usize = 6;
/// Length of `12:34_chess% `, the longest prompt except custom ones.
const LONGEST: usize = CLOCK_BYTES + 7;

impl Prompts {
    /// Sets the custom prompt, with a blank added if it ends without one. An empty prompt, or one with control bytes, which are
    /// removed from lines, unsets it.
    ///
    /// Without the blank, the end of the prompt would depend on the boundaries of reads.
    pub(super) fn set_custom(&mut self, prompt: &[u8]) {
        let is_text = !prompt.iter().any(|&byte| byte.is_ascii_control() || byte == IAC);
        let blank: &[u8] = if prompt.ends_with(b" ") { b"" } else { b" " };
        let is_prompt = is_text && !prompt.is_empty();
        self.custom = if is_prompt { [prompt, blank].concat().into() } else { Box::default() };
    }

    /// Returns the kind of the prompt at the very start of `line`, and its length in bytes; `None` if `line` starts with no
    /// prompt. A custom prompt does not show the family.
    #[inline]
    pub(super) fn match_start(&self, line: &[u8]) -> Option<(PromptKind, usize)> {
        // Most lines start with a byte that starts no prompt.
        let known = match line.first()? {
            b'f' | b'a' | b'i' | b'c' | b'u' | b'b' | b'0'..=b'9' => command_prompt(line),
            b'l' if !self.is_logged_in && line.starts_with(b"login: ") => Some((PromptKind::Login, 7)),
            b'p' if !self.is_logged_in && line.starts_with(b"password: ") => Some((PromptKind::Password, 10)),
            _ => None,
        };
        let is_custom = || !self.custom.is_empty() && line.starts_with(&self.custom);
        known.or_else(|| is_custom().then_some((PromptKind::Command(Family::Auto), self.custom.len())))
    }

    /// Returns the length of the longest recognized prompt, in bytes.
    pub(super) fn longest_bytes(&self) -> usize {
        LONGEST.max(self.custom.len())
    }
}

/// Returns the command prompt of a known server at the start of `line`, and its length in bytes; `None` if there is none.
#[inline]
fn command_prompt(line: &[u8]) -> Option<(PromptKind, usize)> {
    if line.starts_with(b"fics% ") {
        return Some((PromptKind::Command(Family::Fics), 6));
    }
    let clock = match line {
        [a, b, b':', c, d, b'_', ..] if [a, b, c, d].iter().all(|b| b.is_ascii_digit()) => CLOCK_BYTES,
        _ => 0,
    };
    let named = line.get(clock..)?;
    let name = SERVERS.iter().find(|name| named.strip_prefix(**name).is_some_and(|rest| rest.starts_with(b"% ")))?;
    let family = if *name == b"aics" { Family::Icc } else { Family::Fics };
    Some((PromptKind::Command(family), clock + name.len() + 2))
}

/// Returns the offered name if all of `line` is `Press return to enter the server as "GuestABCD":`, otherwise `None`.
///
/// This is a prompt on some servers and a line on others; the older wording has `the FICS`.
pub(super) fn guest_name_in_prompt(line: &[u8]) -> Option<&[u8]> {
    let mut at = Cursor::new(line);
    at.expect(b"Press return to enter ")?.take_while(|b| b != b'"').ends_with(b" as ").then_some(())?;
    let name = Handle::read(at.expect(b"\"")?)?;
    (at.rest() == b"\":").then_some(name)
}

#[cfg(test)]
mod tests;
