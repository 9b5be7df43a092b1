//! State of the console, and the effects of keys and items on it. Contains no drawing code.

pub(crate) mod list;
pub(crate) use mouse::MouseTarget;

mod attention;
mod commands;
mod copy;
mod editing;
mod fields;
mod games;
mod mouse;
mod navigation;
mod notices;
mod ruler;
mod terminal_request;

use std::time::{Duration, Instant};

use kibitzer::core::message::GameId;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
pub(super) use terminal_request::TerminalRequest;

use crate::console::app::list::RowList;
use crate::console::input::{
    Action, Appearance, COLORS_FILE, FILTERS_FILE, Focus, History, LineEditor, NamedFilters, OverlayPage,
    StateDirectory, TimeColumn, action_for_key, normalized_press, page_action,
};
use crate::console::model::{Search, SessionModel, SourceItemKind};
use crate::console::source::{ConsoleSource, NextItem, Notice, SeekGoal};
use crate::failure::Failure;
use crate::filter::Expression;

/// Maximum number of items processed before keys and screen get their turn.
const ITEMS_AT_ONCE: usize = 2_000;

/// Maximum number of characters by which the list can be scrolled sideways.
const MAX_COLUMNS: usize = 4_096;

/// State of the console: the session, and how it is shown.
#[derive(Debug)]
pub(super) struct App {
    pub(super) model: SessionModel,
    pub(super) source: ConsoleSource,
    pub(super) list: RowList,
    pub(super) input: LineEditor,
    pub(super) focus: Focus,
    /// The page that covers the panes, and its scroll offset in lines.
    pub(super) overlay: Option<(OverlayPage, usize)>,
    pub(super) view: DetailView,
    /// The pane that fills the screen; `None` shows all panes.
    pub(super) alone: Option<Pane>,
    /// Number of characters that are scrolled out at the left of the list.
    pub(super) columns_left: usize,
    /// Scroll offset of the detail view, in lines.
    pub(super) scroll: usize,
    pub(super) flip: bool,
    pub(super) appearance: Appearance,
    pub(super) notice: Option<Notice>,
    /// When the present notice was first seen; `None` without one.
    notice_since: Option<Instant>,
    pub(super) breakpoint: Option<Expression>,
    /// Height of the list in rows, by which the keys of pages move; set while drawing.
    pub(super) page: usize,
    /// Whether the user has quit, or the terminal is gone.
    pub(super) is_over: bool,
    /// Why the live session ended; `None` while it continues.
    pub(super) end_reason: Option<String>,
    pub(super) terminal_requests: Vec<TerminalRequest>,
    pub(super) filters: NamedFilters,
    /// The expressions of rows that are drawn in a color; their names are those of the colors.
    pub(super) row_colors: NamedFilters,
    /// Whether the terminal's bell rings for a new offer, and when it is the user's move.
    has_bell: bool,
    /// Text of the offer or move that required an answer at the last check. The bell rings only if it changes.
    last_attention: Option<String>,
    history: History,
    /// The search that `n` and `N` repeat: the last `/find`, or the breakpoint at which the session or the replay stopped.
    search: Option<Search>,
    /// The action that waits for its second key; only [`Action::Copy`] does.
    prefix: Option<Action>,
    /// Kind of time that the list shows for each row.
    pub(super) times: TimeColumn,
    /// The byte cursor: number of its row, and position in the row's bytes.
    byte_cursor: Option<(u64, usize)>,
    /// Number of the row at which the ruler starts.
    ruler_start: Option<u64>,
    /// Game chosen with `/game` or the game keys.
    pub(super) pinned_game: Option<GameId>,
    /// Game that is shown if none is pinned and no older row selects one.
    auto_game: Option<GameId>,
    /// Marks of the user with their times, in ascending order; restored when the recording is restarted.
    marks: Vec<(Duration, String)>,
    /// Number of the marks that have been added to the list since the recording was last restarted.
    n_restored_marks: usize,
}

/// A part of the screen that can fill it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pane {
    List,
    /// The detail view.
    View,
    Board,
    /// The boards of all games in progress.
    Grid,
}

/// A detail view of the selected row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DetailView {
    Bytes,
    Frame,
    Event,
}

impl DetailView {
    pub(crate) const ALL: [Self; 3] = [Self::Bytes, Self::Frame, Self::Event];

    /// Returns the view that Tab shows after this one.
    const fn next(self) -> Self {
        match self {
            Self::Bytes => Self::Frame,
            Self::Frame => Self::Event,
            Self::Event => Self::Bytes,
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Frame => "frame",
            Self::Event => "event",
        }
    }
}

impl App {
    pub(super) fn new(source: ConsoleSource, store: StateDirectory) -> Self {
        let focus = default_focus(&source);
        Self {
            model: SessionModel::default(),
            source,
            list: RowList::default(),
            input: LineEditor::default(),
            focus,
            overlay: None,
            view: DetailView::Event,
            alone: None,
            columns_left: 0,
            scroll: 0,
            flip: false,
            appearance: Appearance::default(),
            notice: None,
            notice_since: None,
            breakpoint: None,
            page: 1,
            is_over: false,
            end_reason: None,
            terminal_requests: Vec::new(),
            filters: NamedFilters::load(store.clone(), FILTERS_FILE),
            row_colors: NamedFilters::load(store.clone(), COLORS_FILE),
            has_bell: false,
            last_attention: None,
            history: History::load_and_clean(store),
            search: None,
            prefix: None,
            times: TimeColumn::default(),
            byte_cursor: None,
            ruler_start: None,
            pinned_game: None,
            auto_game: None,
            marks: Vec::new(),
            n_restored_marks: 0,
        }
    }

    /// Processes items that are due, at most `ITEMS_AT_ONCE`: adds their rows and follows breakpoints and goals. Returns whether
    /// more may be due.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the recording can no longer be read.
    pub(super) fn process_item_batch(&mut self, now: Instant) -> Result<bool, Failure> {
        self.remove_outdated_notice(now);
        for _ in 0..ITEMS_AT_ONCE {
            match self.source.next_item(now)? {
                NextItem::Item(item) => {
                    self.restore_marks(item.at);
                    let is_snapshot = matches!(item.kind, SourceItemKind::Snapshot { .. });
                    let before = self.model.rows.newest;
                    self.model.apply_item(item);
                    if is_snapshot {
                        let games: Vec<_> = self.model.games.keys().copied().collect();
                        games.into_iter().for_each(|game| self.consider_auto_game(game));
                    }
                    for number in before + 1..=self.model.rows.newest {
                        self.on_new_row(number, now);
                        self.report_if_session_end(number);
                    }
                }
                NextItem::Wait => {
                    self.ring_bell_on_new_attention();
                    if let Some(notice) = self.source.try_as_live_mut().and_then(|live| live.take_notice()) {
                        (self.notice, self.notice_since) = (Some(notice), None);
                    }
                    return Ok(false);
                }
                NextItem::GoalReached => {
                    self.list.follow_end();
                    return Ok(false);
                }
                NextItem::End(goal) => {
                    self.restore_marks(
                        self.source.try_as_recording_ref().map_or(Duration::MAX, |player| player.replay.length),
                    );
                    match goal {
                        Some(SeekGoal::Match(search)) => self.select_first_match(&search),
                        Some(SeekGoal::Ply(..)) => self.show_error("not found up to the end of the recording"),
                        _ => {}
                    }
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Handles a key: runs its action, or copies if it is the second key of `y`. Removes the notice; an unknown letter in the
    /// list shows an error.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the recording cannot be read again.
    pub(super) fn on_key(&mut self, key: KeyEvent, now: Instant) -> Result<(), Failure> {
        let Some(key) = normalized_press(key) else { return Ok(()) };
        if self.prefix.take() == Some(Action::Copy) {
            self.copy_part_for_key(key.code);
            return Ok(());
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
            return Ok(());
        };
        if of_page.is_none() && self.focus == Focus::List && !matches!(action, Action::StartTyping(_)) {
            self.overlay = None;
        }
        match action {
            Action::SubmitLine => return self.submit_input(now),
            Action::Step => self.select_or_play_next_row(now),
            Action::PlayOrPause => return self.play_or_pause(now),
            Action::Faster => self.change_speed(|speed| speed * 2.0, now),
            Action::Slower => self.change_speed(|speed| speed / 2.0, now),
            Action::NextMatch => self.select_or_seek_next_match(now),
            Action::PreviousMatch => self.select_previous_match(),
            Action::Mark => self.add_mark(String::new(), now),
            Action::Cancel if self.end_running_seek(now) => {}
            action => self.run_action(action),
        }
        Ok(())
    }

    /// Inserts pasted text into the input line, and moves the focus there. Several lines are run at Enter. Shows an error if the
    /// text is too long.
    pub(super) fn on_paste(&mut self, text: &str) {
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

    /// Runs an action that does not depend on the time.
    fn run_action(&mut self, action: Action) {
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
    fn show_view_from_top(&mut self, view: DetailView) {
        (self.view, self.scroll) = (view, 0);
    }
}

/// Returns the initial focus: the input line of a session, the list of a recording.
const fn default_focus(source: &ConsoleSource) -> Focus {
    if source.is_live() { Focus::Input } else { Focus::List }
}
