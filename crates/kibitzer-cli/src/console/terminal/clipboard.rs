//! The clipboard of the terminal.

use std::env;
use std::io;

use crossterm::clipboard::CopyToClipboard;
use ratatui::crossterm::execute;

/// Values of `TERM` of terminals that have no clipboard.
const WITHOUT_CLIPBOARD: [&str; 4] = ["", "dumb", "linux", "vt100"];

/// Writes text to the clipboard of the terminal, with the escape sequence OSC 52. Returns why it cannot, if the terminal is known to have
/// no clipboard; other terminals report neither success nor refusal.
///
/// # Errors
///
/// The terminal cannot be written to.
pub(super) fn copy_or_refuse(text: &str) -> io::Result<Option<String>> {
    let name = env::var("TERM").unwrap_or_default();
    if WITHOUT_CLIPBOARD.contains(&name.as_str()) {
        return Ok(Some(format!("this terminal (TERM={name}) has no clipboard; /export writes a file")));
    }
    execute!(io::stdout(), CopyToClipboard::to_clipboard_from(text)).map(|()| None)
}
