//! Effects of keys and pasted text.

use std::time::Instant;

use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::{App, DetailView, Pane, TerminalRequest, copy};
use crate::console::input::{Action, Focus, OverlayPage, action_for_key, normalized_press, page_action};

/// Maximum number of characters by which the list can be scrolled sideways.
const MAX_COLUMNS: usize = 4_096;

impl App {
    /// Handles a key press: runs its action or, after `y`, copies the part of the selected row that the key names. Removes the
    /// previous notice; an action of the list also closes the open page. Shows an error for a letter without an action in the
    /// list. Ignores the release of a key.
    pub(crate) fn on_key(&mut self, key: KeyEvent, now: Instant) {
        let Some(key) = normalized_press(key) else { return };
        if self.prefix.take() == Some(Action::Copy) {
            return self.copy_part_for_key(key.code);
        }
        let is_typing = self.focus == Focus::Input && !self.input.text().is_empty();
        let of_page = self.overlay.and_then(|_| page_action(self.focus, is_typing, key));
        let usual = || action_for_key(self.focus, key).map(|action| self.remap_on_empty_line(action));
        let action = of_page.or_else(usual);
        (self.notice, self.notice_since) = (None, None);
        let Some(action) = action else {
            if let (KeyCode::Char(letter), Focus::List) = (key.code, self.focus) {
                self.show_error(format!(
                    "{letter} is no key of the list: Enter types a line, / a command, ? lists the keys"
                ));
            }
            return;
        };
        if of_page.is_none() && self.focus == Focus::List && !matches!(action, Action::StartTyping(_)) {
            self.overlay = None;
        }
        match action {
            Action::SubmitLine => self.submit_input(now),
            Action::Step => self.select_or_play_next_row(now),
            Action::PlayOrPause => self.play_or_pause(now),
            Action::Faster => self.change_speed(|speed| speed * 2.0, now),
            Action::Slower => self.change_speed(|speed| speed / 2.0, now),
            Action::NextMatch => self.select_or_seek_next_match(now),
            Action::PreviousMatch => self.select_previous_match(),
            Action::Mark => self.add_mark(String::new(), now),
            Action::Cancel if self.end_running_seek(now) => {}
            action => self.run_action(action),
        }
    }

    /// Inserts pasted text at the cursor of the input line, and moves the focus there. No line is run before Enter. Shows an
    /// error if the text is too long.
    pub(crate) fn on_paste(&mut self, text: &str) {
        self.cancel_copy();
        self.focus = Focus::Input;
        if !self.input.try_paste(text) {
            return self.show_error(format!("not pasted: {} bytes are too long for the line", text.len()));
        }
        let n_lines = self.input.text().lines().count();
        if n_lines > 1 {
            self.show_info(format!("{n_lines} lines: Enter runs each of them, Ctrl-C removes them"));
        }
    }

    /// Runs an action that does not need the current time; ignores those that do, which [`on_key`](Self::on_key) runs.
    pub(super) fn run_action(&mut self, action: Action) {
        match action {
            Action::Quit => self.is_over = true,
            Action::Cancel if self.input.text().is_empty() => self.is_over = true,
            Action::Cancel => drop(self.input.take_text()),
            Action::Redraw => self.queue_terminal_request(TerminalRequest::Redraw),
            Action::Suspend => self.queue_terminal_request(TerminalRequest::Suspend),
            Action::Open(page) => self.overlay = Some((page, 0)),
            Action::ClosePage => self.overlay = None,
            Action::ScrollPage(lines) => {
                if let Some((page, offset)) = &mut self.overlay {
                    // The offset of the log counts from its end.
                    let later = if *page == OverlayPage::Log { -lines } else { lines };
                    *offset = offset.saturating_add_signed(later);
                }
            }
            Action::StartTyping(slash) => self.start_typing(slash),
            Action::LeaveInput => self.focus = Focus::List,
            Action::Scroll(lines) => self.scroll = self.scroll.saturating_add_signed(lines),
            Action::SelectView(place) => {
                self.show_view_from_top(DetailView::ALL.get(place).copied().unwrap_or(self.view));
            }
            Action::NextView => self.show_view_from_top(self.view.next()),
            Action::GoToReply => self.select_reply(),
            Action::NextPane => {
                self.alone = match self.alone {
                    None => Some(Pane::List),
                    Some(Pane::List) => Some(Pane::View),
                    Some(Pane::View) => Some(Pane::Board),
                    Some(Pane::Board | Pane::Grid) => None,
                }
            }
            Action::ToggleGrid => self.alone = (self.alone != Some(Pane::Grid)).then_some(Pane::Grid),
            Action::ToggleBoard => self.alone = (self.alone != Some(Pane::Board)).then_some(Pane::Board),
            Action::ScrollSideways(columns) => {
                self.columns_left = self.columns_left.saturating_add_signed(columns).min(MAX_COLUMNS);
            }
            Action::AnswerOffer(accepts) => self.answer_oldest_offer(accepts),
            Action::Flip => self.flip = !self.flip,
            Action::ToggleDetails => self.list.toggle_protocol_details(&self.model.rows),
            Action::MoveByte(by) => self.move_byte_cursor(by),
            Action::MoveField(forward) => self.move_cursor_to_field(forward),
            Action::Copy => {
                self.prefix = Some(action);
                self.show_info(copy::COPY_KEYS);
            }
            Action::NextTimes => self.set_time_column(self.times.next()),
            Action::ToggleRuler => self.toggle_ruler(),
            Action::TogglePin => self.pinned_game = if self.pinned_game.is_some() { None } else { self.shown_game() },
            Action::MoveGames(places) => self.pin_neighboring_game(places),
            Action::MoveRows(places) => {
                self.scroll = 0;
                self.list.move_selection_by(places);
            }
            Action::MovePages(pages) => {
                self.run_action(Action::MoveRows(pages.saturating_mul(self.page.try_into().unwrap_or(1))));
            }
            Action::Complete => self.complete_word(),
            action => self.history.apply_action_to_editor(&mut self.input, action),
        }
    }

    /// Chooses a detail view, scrolled to its first line.
    pub(super) fn show_view_from_top(&mut self, view: DetailView) {
        (self.view, self.scroll) = (view, 0);
    }
}
