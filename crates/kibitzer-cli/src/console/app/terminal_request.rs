//! Requests to the terminal, which the event loop carries out.

use std::mem::discriminant;

use super::App;

/// A change of the terminal that the app requests; the event loop carries it out before the next frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::console) enum TerminalRequest {
    /// Clear the screen and draw all of it.
    Redraw,
    /// Write this text to the clipboard.
    Copy(String),
    /// Suspend the process until it is continued.
    Suspend,
    /// Ring the bell.
    Bell,
    /// `true`: let the terminal report the mouse; `false`: let it select text with the mouse.
    CaptureMouse(bool),
}

impl App {
    /// Queues a request to the terminal. It replaces an earlier one of the same variant, which limits the queue.
    pub(super) fn queue_terminal_request(&mut self, request: TerminalRequest) {
        self.terminal_requests.retain(|earlier| discriminant(earlier) != discriminant(&request));
        self.terminal_requests.push(request);
    }
}
