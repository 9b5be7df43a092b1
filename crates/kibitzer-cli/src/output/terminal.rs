//! The terminal: escaped text, and the line being typed below the lines that the program prints.
//!
//! Only this file defines which characters are allowed.
//!
//! While a line is edited, everything printed on the terminal has to go through [`print_above_input`]: it erases the input line,
//! prints the output in its place, and draws the input line again below. Without an input line it only prints.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::sync::{Mutex, MutexGuard, PoisonError};

use unicode_width::UnicodeWidthChar as _;

/// Displays received text safely on a terminal: characters that do not print, move the cursor, change the direction of
/// writing, or have a width on which terminals differ are escaped, such as `\u{1b}`. Tabs stay.
///
/// Letters of scripts that are written from right to left are escaped as well: terminals that support such scripts reorder
/// the neighboring text, too, so that the parts of a line would change places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TerminalSafe<'a>(pub(crate) &'a str);

/// Printable characters that are escaped nevertheless, because they are written from right to left or join with their neighbors:
/// blocks of such scripts, regional indicators, modifiers of emoji.
const SPELLED_OUT: [RangeInclusive<char>; 7] = [
    '\u{590}'..='\u{8ff}',
    '\u{fb1d}'..='\u{fdff}',
    '\u{fe70}'..='\u{feff}',
    '\u{10800}'..='\u{10fff}',
    '\u{1e800}'..='\u{1efff}',
    '\u{1f1e6}'..='\u{1f1ff}',
    '\u{1f3fb}'..='\u{1f3ff}',
];

impl<'a> TerminalSafe<'a> {
    /// Returns the escaped text for one row of the console, in which tabs are escaped, too.
    pub(crate) fn in_cells(self) -> Cow<'a, str> {
        if self.0.bytes().all(|b| matches!(b, b' '..=b'~')) {
            return Cow::Borrowed(self.0);
        }
        Cow::Owned(self.to_string().replace('\t', r"\t"))
    }
}

impl fmt::Display for TerminalSafe<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.bytes().all(|b| matches!(b, b' '..=b'~' | b'\t')) {
            return f.write_str(self.0);
        }
        for character in self.0.chars() {
            match character {
                ' '..='~' | '\t' => f.write_char(character)?,
                _ if stands_alone(character) => write!(f, "{}", character.escape_debug())?,
                _ => write!(f, "{}", character.escape_unicode())?,
            }
        }
        Ok(())
    }
}

/// Returns whether the character occupies cells and does not change its neighbors. Also `true` for control characters, which
/// `escape_debug` escapes.
fn stands_alone(character: char) -> bool {
    // Control characters have no width; they have short names.
    matches!(character.width(), None | Some(1 | 2)) && !SPELLED_OUT.iter().any(|range| range.contains(&character))
}

/// The shown input line with its escape sequences; empty while no line is edited.
static INPUT_LINE: Mutex<String> = Mutex::new(String::new());

/// Escape sequence that erases the row of the cursor.
const ERASE: &str = "\r\u{1b}[K";

fn lock_input_line() -> MutexGuard<'static, String> {
    INPUT_LINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes text to standard output and flushes it. Ignores failures.
fn print_and_flush(line: &str) {
    let mut out = io::stdout();
    // A failure is reported by whatever prints next.
    let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
}

/// Draws an input line, which may contain escape sequences, in place of the shown one; an empty one removes it.
pub(crate) fn set_input_line(line: String) {
    let mut shown = lock_input_line();
    print_and_flush(&format!("{ERASE}{line}"));
    *shown = line;
}

/// Calls `print`, which has to print complete lines, while the input line is erased; then draws it again. `print` must not call
/// this function or [`set_input_line`], because the input line is locked meanwhile. Without an input line, only calls `print`.
pub(crate) fn print_above_input<T>(print: impl FnOnce() -> T) -> T {
    let shown = lock_input_line();
    if shown.is_empty() {
        // Printing may block, on a pipe that is not read.
        drop(shown);
        return print();
    }
    print_and_flush(ERASE);
    let printed = print();
    print_and_flush(&shown);
    printed
}

/// Writer that prints complete lines to standard output, above the input line. An incomplete line is buffered until its end or a
/// flush.
#[derive(Debug, Default)]
pub(super) struct StdoutAboveInput {
    incomplete: Vec<u8>,
}

impl Write for StdoutAboveInput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n_complete = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let (complete, rest) = bytes.split_at(n_complete);
        if !complete.is_empty() {
            let mut lines = std::mem::take(&mut self.incomplete);
            lines.extend_from_slice(complete);
            print_above_input(|| io::stdout().write_all(&lines))?;
        }
        self.incomplete.extend_from_slice(rest);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.incomplete);
        print_above_input(|| io::stdout().write_all(&rest).and_then(|()| io::stdout().flush()))
    }
}

#[cfg(test)]
mod tests;
