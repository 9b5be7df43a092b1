//! State of the console, and the effects on it of keys and of the items of the source. Contains no drawing code.

pub(crate) mod list;
pub(crate) use mouse::MouseTarget;

mod actions;
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

use std::time::{Duration, Instant};

use kibitzer::core::message::GameId;
pub(super) use notices::TerminalRequest;

use crate::console::app::list::RowList;
use crate::console::input::{
    Action, COLORS_FILE, ColorTheme, FILTERS_FILE, Focus, History, LineEditor, NamedFilters, OverlayPage, PieceSet,
    StateDirectory, TimeColumn,
};
use crate::console::model::{Search, SessionModel, SourceItemKind};
use crate::console::source::{ConsoleSource, NextItem, Notice, SeekGoal};
use crate::failure::Failure;
use crate::filter::Expression;

/// Maximum number of items that are processed between two frames.
const ITEMS_AT_ONCE: usize = 2_000;

/// State of the console: the session, and how it is shown.
#[derive(Debug)]
pub(super) struct App {
    pub(super) model: SessionModel,
    pub(super) source: ConsoleSource,
    pub(super) list: RowList,
    pub(super) input: LineEditor,
    pub(super) focus: Focus,
    /// The page that covers the panes, and its scroll offset in lines; of the log, counted from its end.
    pub(super) overlay: Option<(OverlayPage, usize)>,
    pub(super) view: DetailView,
    /// The pane that fills the screen; `None` shows all panes.
    pub(super) alone: Option<Pane>,
    /// Number of characters that are scrolled out at the left of the list.
    pub(super) columns_left: usize,
    /// Scroll offset of the detail view, in lines.
    pub(super) scroll: usize,
    /// Whether the user turned the board.
    pub(super) flip: bool,
    /// The user's choice of colors; `None` keeps that of the environment.
    pub(super) colors: Option<ColorTheme>,
    /// The user's choice of pieces; `None` keeps that of the theme.
    pub(super) pieces: Option<PieceSet>,
    /// The notice in the status row.
    pub(super) notice: Option<Notice>,
    /// When the present notice was first seen; `None` without one.
    notice_since: Option<Instant>,
    /// Expression of the rows at which a recording, or the screen of a session, pauses.
    pub(super) breakpoint: Option<Expression>,
    /// Height of the list in rows, by which Page Up and Page Down move the selection; set while drawing.
    pub(super) page: usize,
    /// Whether the user has quit, or the terminal is gone.
    pub(super) is_over: bool,
    /// Why the live session ended; `None` while it continues.
    pub(super) end_reason: Option<String>,
    /// Requests that the event loop carries out before the next frame, at most one of each variant.
    pub(super) terminal_requests: Vec<TerminalRequest>,
    pub(super) filters: NamedFilters,
    /// Expressions named after colors; the list draws the rows that match one in its color.
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
    /// Game chosen by the console; shown if none is pinned and the selected older row has none.
    auto_game: Option<GameId>,
    /// Marks of the user with their times, in ascending order, at most 1,000; restored while a restarted recording plays.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub(super) enum DetailView {
    /// The bytes, in hexadecimal and as characters.
    Bytes,
    /// The class, stream position and line of the frame.
    Frame,
    /// The fields of the event, with names and units.
    Event,
}

impl DetailView {
    pub(crate) const ALL: [Self; 3] = [Self::Bytes, Self::Frame, Self::Event];

    /// Returns the view that Tab shows after this one.
    fn next(self) -> Self {
        Self::ALL.into_iter().cycle().nth(self as usize + 1).unwrap_or(self)
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
            colors: None,
            pieces: None,
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

    /// Processes the items of the source that are due, at most 2,000: adds their rows, and checks the breakpoint and the goal of
    /// a seek. Also updates notices and the bell. Returns `true` if it stopped at that limit.
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
                        for game in games {
                            self.consider_auto_game(game);
                        }
                    }
                    for number in before + 1..=self.model.rows.newest {
                        self.on_new_row(number, now);
                        self.report_if_session_end(number);
                    }
                }
                NextItem::Wait => {
                    self.ring_bell_on_new_attention();
                    if let Some(notice) = self.source.try_as_live_mut().and_then(|live| live.take_notice()) {
                        self.show_notice(notice);
                    }
                    return Ok(false);
                }
                NextItem::GoalReached => {
                    self.list.follow_end();
                    return Ok(false);
                }
                NextItem::End(goal) => {
                    self.restore_marks(
                        self.source.try_as_recording_ref().map_or(Duration::MAX, |player| player.reader.length),
                    );
                    match goal {
                        Some(SeekGoal::Match(search, start)) => self.continue_search_at_start(search, start, now),
                        Some(SeekGoal::Wrapped(_, start)) => self.return_to_search_start(&start, now),
                        Some(SeekGoal::Ply(..)) => self.show_error("not found up to the end of the recording"),
                        _ => {}
                    }
                    // A search may go on at the start.
                    return Ok(self.source.try_as_recording_ref().is_some_and(|player| player.goal.is_some()));
                }
            }
        }
        Ok(true)
    }
}

/// Returns the initial focus: the input line of a session, the list of a recording.
const fn default_focus(source: &ConsoleSource) -> Focus {
    if source.is_live() { Focus::Input } else { Focus::List }
}
