//! The terminal: escaped text, and the line being typed below the lines that the program prints.
//!
//! While a line is edited, everything printed on the terminal has to go through [`print_above_input`]: it erases the input line,
//! prints the output in its place, and draws the input line again below. Without an input line it only prints.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) use kibitzer::internal::filter::TerminalSafe;

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
