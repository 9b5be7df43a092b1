//! Notices in the status row: errors, the end of the session, and how long a notice stays; requests to the terminal.

use std::mem::discriminant;
use std::time::{Duration, Instant};

use super::App;
use crate::console::source::{ConsoleSource, Notice};

/// Time after which a notice is removed, unless the screen stands still.
const NOTICE_TIME: Duration = Duration::from_secs(10);

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

    /// Shows an error in the status row, in place of an earlier notice.
    pub(super) fn show_error(&mut self, text: impl Into<String>) {
        self.show_notice(Notice::Error(text.into()));
    }

    /// Shows a message in the status row, in place of an earlier notice.
    pub(super) fn show_info(&mut self, text: impl Into<String>) {
        self.show_notice(Notice::Info(text.into()));
    }

    /// Shows a notice in the status row, in place of an earlier one, and restarts the time after which it is removed.
    pub(in crate::console) fn show_notice(&mut self, notice: Notice) {
        (self.notice, self.notice_since) = (Some(notice), None);
    }

    /// Removes a notice that was first seen here ten seconds ago. While the screen stands still (the recording or the list is
    /// paused, or the session is over), the notice stays, because it still explains the screen.
    pub(super) fn remove_outdated_notice(&mut self, now: Instant) {
        let since = *self.notice_since.get_or_insert(now);
        let goes_on = match &self.source {
            ConsoleSource::Recording(player) => player.is_playing(),
            ConsoleSource::Live(live) => !self.list.is_paused && !live.is_over(),
        };
        if goes_on && now.saturating_duration_since(since) >= NOTICE_TIME {
            self.notice = None;
        }
        if self.notice.is_none() {
            self.notice_since = None;
        }
    }

    /// Shows why the session ended, if the row is the end of a live session, and keeps the reason for the title. The focus stays:
    /// letters of a line being typed must not become keys of the list.
    pub(super) fn report_if_session_end(&mut self, row_number: u64) {
        let ended = self.model.rows.get(row_number).filter(|row| self.source.is_live() && row.kind_name() == "ended");
        if let Some(row) = ended {
            let line = row.summary_line();
            let text = line.trim_start_matches("* ");
            self.end_reason = Some(text.trim_start_matches("session over: ").to_owned());
            self.show_error(text);
        }
    }
}
