//! What the screen shows besides the session: focus, panes, pages, scroll offsets, notices, and requests to the terminal.

use std::mem::discriminant;
use std::time::{Duration, Instant};

use super::preferences::Switch;
use crate::console::source::{ConsoleSource, Notice};

/// Time after which a notice is removed, unless the screen stands still.
const NOTICE_TIME: Duration = Duration::from_secs(10);
/// Maximum number of characters by which the list can be scrolled sideways.
const MAX_COLUMNS: usize = 4_096;

/// State of the screen: focus, page and view, scroll offsets, notices, and requests to the terminal.
#[derive(Debug)]
pub(crate) struct Screen {
    pub(crate) focus: Focus,
    /// The page that covers the panes, and its scroll offset in lines; of the log, counted from its end.
    pub(crate) page: Option<(OverlayPage, usize)>,
    pub(crate) view: DetailView,
    /// Scroll offset of the detail view, in lines.
    pub(crate) scroll: usize,
    /// The pane that fills the screen; `None` shows all panes.
    pub(crate) alone: Option<Pane>,
    /// Number of characters that are scrolled out at the left of the list.
    pub(crate) columns_left: usize,
    /// Height of the list in rows, by which Page Up and Page Down move the selection; set while drawing.
    pub(crate) list_height: usize,
    /// The notice in the status row.
    pub(crate) notice: Option<Notice>,
    /// When the present notice was first seen; `None` without one.
    notice_since: Option<Instant>,
    /// Whether the next key names what to copy.
    pub(crate) awaits_copy_key: bool,
    /// Requests that the event loop carries out before the next frame, at most one of each variant.
    pub(crate) terminal_requests: Vec<TerminalRequest>,
    /// Text of the offer or move that required an answer at the last check. The bell rings only if it changes.
    pub(super) last_attention: Option<String>,
}

/// Which part of the screen receives keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Focus {
    /// The list: letters are commands.
    List,
    /// The input line: letters are text.
    Input,
}

/// A page that is shown over the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OverlayPage {
    /// Tasks, keys and commands; scrolled from its start.
    Help,
    /// Commands of the server for players; scrolled from its start.
    Server,
    /// The log of the program; scrolled from its end.
    Log,
}

/// A part of the screen that can fill it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Pane {
    List,
    /// The detail view.
    View,
    Board,
    /// The boards of all games in progress.
    Grid,
    /// Talk in tabs, in place of the list and the detail views.
    Talk,
}

/// A detail view of the selected row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum DetailView {
    /// The bytes, in hexadecimal and as characters.
    Bytes,
    /// The class, stream position and line of the frame.
    Frame,
    /// The fields of the event, with names and units.
    Event,
}

/// A change of the terminal that the app requests; the event loop carries it out before the next frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TerminalRequest {
    /// Clear the screen and draw all of it.
    Redraw,
    /// Write this text to the clipboard.
    Copy(String),
    /// Suspend the process until it is continued.
    Suspend,
    /// Ring the bell.
    Bell,
    /// Ring the bell, show this text as a notification, and as the title of the window.
    Notify(String),
    /// Show the title of the window that was there before the notifications.
    RestoreTitle,
    /// Let the terminal report the mouse, or select text with it.
    CaptureMouse(Switch),
}

impl Focus {
    /// Returns the initial focus: the input line of a session, the list of a recording.
    pub(super) const fn default_for(source: &ConsoleSource) -> Self {
        if source.is_live() { Self::Input } else { Self::List }
    }
}

impl DetailView {
    pub(crate) const ALL: [Self; 3] = [Self::Bytes, Self::Frame, Self::Event];
}

impl Screen {
    pub(super) const fn new(focus: Focus) -> Self {
        Self {
            focus,
            page: None,
            view: DetailView::Event,
            scroll: 0,
            alone: None,
            columns_left: 0,
            list_height: 1,
            notice: None,
            notice_since: None,
            awaits_copy_key: false,
            terminal_requests: Vec::new(),
            last_attention: None,
        }
    }

    /// Opens a page, scrolled to its start; the log to its end.
    pub(crate) const fn open_page(&mut self, page: OverlayPage) {
        self.page = Some((page, 0));
    }

    /// Opens the other page of help than the open one. Does nothing on another page.
    pub(crate) const fn open_other_help(&mut self) {
        match self.page {
            Some((OverlayPage::Help, _)) => self.open_page(OverlayPage::Server),
            Some((OverlayPage::Server, _)) => self.open_page(OverlayPage::Help),
            _ => {}
        }
    }

    /// Scrolls the open page down by this number of lines; up if negative.
    pub(crate) fn scroll_page(&mut self, lines: isize) {
        if let Some((page, offset)) = &mut self.page {
            // The offset of the log counts from its end.
            let later = if *page == OverlayPage::Log { -lines } else { lines };
            *offset = offset.saturating_add_signed(later);
        }
    }

    /// Chooses a detail view, scrolled to its first line.
    pub(crate) const fn show_view(&mut self, view: DetailView) {
        self.view = view;
        self.scroll = 0;
    }

    /// Chooses the detail view that is `places` after the chosen one.
    pub(crate) fn show_neighboring_view(&mut self, places: isize) {
        let n_skipped = if places < 0 { DetailView::ALL.len() - 1 } else { 1 };
        let next = DetailView::ALL.into_iter().cycle().nth(self.view as usize + n_skipped);
        self.show_view(next.unwrap_or(self.view));
    }

    /// Scrolls the detail view down by this number of lines; up if negative.
    pub(crate) const fn scroll_view(&mut self, lines: isize) {
        self.scroll = self.scroll.saturating_add_signed(lines);
    }

    /// Scrolls the list to the right by this number of characters; to the left if negative.
    pub(crate) fn scroll_sideways(&mut self, columns: isize) {
        self.columns_left = self.columns_left.saturating_add_signed(columns).min(MAX_COLUMNS);
    }

    /// Shows all panes, the fields of the event, and nothing scrolled.
    pub(super) const fn reset_panes(&mut self) {
        self.page = None;
        self.alone = None;
        self.columns_left = 0;
        self.show_view(DetailView::Event);
    }

    /// Shows a pane alone, or all panes if it is alone already.
    pub(crate) fn toggle_pane(&mut self, pane: Pane) {
        self.alone = (self.alone != Some(pane)).then_some(pane);
    }

    /// Shows the list alone, then the detail view, then the board, then all panes.
    pub(crate) const fn show_next_pane(&mut self) {
        self.alone = match self.alone {
            None => Some(Pane::List),
            Some(Pane::List) => Some(Pane::View),
            Some(Pane::View) => Some(Pane::Board),
            Some(Pane::Board | Pane::Grid | Pane::Talk) => None,
        };
    }

    /// Queues a request to the terminal. It replaces an earlier one of the same variant, which limits the queue.
    pub(crate) fn request(&mut self, request: TerminalRequest) {
        self.terminal_requests.retain(|earlier| discriminant(earlier) != discriminant(&request));
        self.terminal_requests.push(request);
    }

    /// Shows an error in the status row, in place of an earlier notice.
    pub(crate) fn show_error(&mut self, text: impl Into<String>) {
        self.show_notice(Notice::Error(text.into()));
    }

    /// Shows a message in the status row, in place of an earlier notice.
    pub(crate) fn show_info(&mut self, text: impl Into<String>) {
        self.show_notice(Notice::Info(text.into()));
    }

    /// Shows a notice in the status row, in place of an earlier one, and restarts the time after which it is removed.
    pub(crate) fn show_notice(&mut self, notice: Notice) {
        self.notice = Some(notice);
        self.notice_since = None;
    }

    pub(crate) fn remove_notice(&mut self) {
        self.notice = None;
        self.notice_since = None;
    }

    /// Returns whether the notice was first seen here ten seconds ago.
    pub(super) fn is_notice_outdated(&mut self, now: Instant) -> bool {
        if self.notice.is_none() {
            return false;
        }
        let since = *self.notice_since.get_or_insert(now);
        now.saturating_duration_since(since) >= NOTICE_TIME
    }

    /// Ends the wait for the second key of `y`, and removes the notice with these keys. Does nothing unless `y` was pressed.
    pub(crate) fn cancel_copy(&mut self) {
        if std::mem::take(&mut self.awaits_copy_key) {
            self.remove_notice();
        }
    }
}
