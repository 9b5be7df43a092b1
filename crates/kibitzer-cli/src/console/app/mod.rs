//! The console as a whole: what the keys and commands do to it. Nothing here draws.

pub(in crate::console) mod list;

mod commands;
mod games;
mod travel;
mod typing;

use std::time::{Duration, Instant};

use kibitzer::core::message::GameId;
use ratatui::crossterm::event::KeyEvent;

use crate::console::app::list::List;
use crate::console::input::filters::{Filters, ProfileFilters};
use crate::console::input::keys::{Action, Focus, action};
use crate::console::input::store::Store;
use crate::console::input::{Editor, History};
use crate::console::model::Model;
use crate::console::model::filter::Filter;
use crate::console::model::item::What;
use crate::console::source::player::{Goal, Next};
use crate::console::source::replay::ReplayError;
use crate::console::source::{Notice, Source};

/// What is taken in before keys and screen have their turn.
const ITEMS_AT_ONCE: usize = 2_000;

/// The console: the session as far as it has come, and how it is looked at.
#[derive(Debug)]
pub(super) struct App {
    pub(super) model: Model,
    pub(super) source: Source,
    pub(super) list: List,
    pub(super) input: Editor,
    pub(super) focus: Focus,
    pub(super) view: View,
    /// How far down the view is scrolled, in lines.
    pub(super) scroll: usize,
    pub(super) flip: bool,
    pub(super) notice: Option<Notice>,
    pub(super) breakpoint: Option<Filter>,
    /// Height of the list on the screen, for keys that go by pages.
    pub(super) page: usize,
    pub(super) is_over: bool,
    pub(super) wants_redraw: bool,
    filters: Filters,
    history: History,
    /// What `n` looks for.
    search: Option<Filter>,
    /// The game that was asked for.
    pinned: Option<GameId>,
    /// The game that is shown if none was asked for.
    found: Option<GameId>,
    marks: Vec<(Duration, String)>,
    /// How many of the marks are in the list.
    n_marks: usize,
}

/// Which view is shown where there is room for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum View {
    Bytes,
    Frame,
    Event,
}

impl View {
    pub(in crate::console) const ALL: [Self; 3] = [Self::Bytes, Self::Frame, Self::Event];

    pub(in crate::console) const fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Frame => "frame",
            Self::Event => "event",
        }
    }
}

/// Whether what is typed is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Echo {
    Shown,
    Hidden,
}

impl App {
    pub(super) fn new(source: Source, store: Option<Store>) -> Self {
        let focus = home(&source);
        Self {
            model: Model::default(),
            source,
            list: List::default(),
            input: Editor::default(),
            focus,
            view: View::Event,
            scroll: 0,
            flip: false,
            notice: None,
            breakpoint: None,
            page: 1,
            is_over: false,
            wants_redraw: false,
            filters: Filters::load(store.clone()),
            history: History::load(store),
            search: None,
            pinned: None,
            found: None,
            marks: Vec::new(),
            n_marks: 0,
        }
    }

    /// Knows these filters by name.
    pub(super) fn know(mut self, filters: ProfileFilters) -> Self {
        self.filters.lay_over(filters);
        self
    }

    /// Takes in what is due; whether there may be more of it at once.
    ///
    /// # Errors
    ///
    /// [`ReplayError`] if the recording cannot be read on.
    pub(super) fn pump(&mut self, now: Instant) -> Result<bool, ReplayError> {
        for _ in 0..ITEMS_AT_ONCE {
            match self.source.next(now)? {
                Next::Item(item) => {
                    self.put_marks(item.at);
                    let is_snapshot = matches!(item.what, What::Snapshot { .. });
                    let taken = self.model.take(item);
                    if is_snapshot {
                        self.find_games();
                    }
                    if let Some(row) = taken {
                        self.arrived(row, now);
                        self.note_end(row);
                    }
                }
                Next::Wait => {
                    self.notice = self.source.notice().or_else(|| self.notice.take());
                    return Ok(false);
                }
                Next::Arrived => {
                    self.list.go_to_end();
                    return Ok(false);
                }
                Next::End(goal) => {
                    self.put_marks(self.source.player().map_or(Duration::MAX, |player| player.replay().length()));
                    if matches!(goal, Some(Goal::Match(_) | Goal::Ply(..))) {
                        self.wrong("not found up to the end of the recording");
                    }
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Tells that a session is over: then nothing that is typed goes anywhere.
    fn note_end(&mut self, row: u64) {
        let ended = self.model.rows.get(row).filter(|row| self.source.is_live() && row.kind() == "ended");
        if let Some(row) = ended {
            self.wrong(format!("{}; q leaves", row.line().trim_start_matches("* ")));
            self.focus = Focus::List;
        }
    }

    /// Does what a key asks for.
    ///
    /// # Errors
    ///
    /// [`ReplayError`] if the recording cannot be read anew.
    pub(super) fn key(&mut self, key: KeyEvent, now: Instant) -> Result<(), ReplayError> {
        let Some(action) = action(self.focus, key).map(|action| self.on_empty_line(action)) else { return Ok(()) };
        self.notice = None;
        match action {
            Action::Run => return self.run_line(now),
            Action::Step => self.step(now),
            Action::PlayOrPause => self.play_or_pause(now),
            Action::Faster => self.play_at(|speed| speed * 2.0, now),
            Action::Slower => self.play_at(|speed| speed / 2.0, now),
            Action::NextMatch => self.next_match(now),
            Action::LastMatch => self.last_match(),
            Action::Mark => self.mark(String::new(), now),
            action => self.act(action),
        }
        Ok(())
    }

    /// Takes in text that was pasted.
    pub(super) fn paste(&mut self, text: &str) {
        self.focus = Focus::Input;
        self.input.insert(text);
    }

    /// What keys do that have nothing to do with time.
    fn act(&mut self, action: Action) {
        match action {
            Action::Quit => self.is_over = true,
            Action::Cancel if self.input.text().is_empty() => self.is_over = true,
            Action::Cancel => drop(self.input.take()),
            Action::Redraw => self.wants_redraw = true,
            Action::Help => (self.focus, self.scroll) = (Focus::Help, 0),
            Action::Type(begun) => {
                self.focus = Focus::Input;
                if let (Some(character), "") = (begun, self.input.text()) {
                    self.input.insert(character.encode_utf8(&mut [0; 4]));
                }
            }
            Action::Leave if self.focus == Focus::Help => (self.focus, self.scroll) = (home(&self.source), 0),
            Action::Leave => self.focus = Focus::List,
            Action::Go(places) if self.focus == Focus::Help => self.scroll_by(places),
            Action::Page(pages) if self.focus == Focus::Help => self.scroll_by(pages * 10),
            Action::Scroll(lines) => self.scroll_by(lines),
            Action::View(place) => self.look(View::ALL.get(place).copied().unwrap_or(self.view)),
            Action::NextView => self.look(next_view(self.view)),
            Action::Reply => self.go_to_reply(),
            Action::Flip => self.flip = !self.flip,
            Action::All => self.list.toggle_plumbing(&self.model.rows),
            Action::NextGame => self.pin_beside(1),
            Action::LastGame => self.pin_beside(-1),
            Action::Go(_) | Action::Page(_) | Action::Start | Action::End => self.go(action),
            action => self.edit(action),
        }
    }

    fn go(&mut self, action: Action) {
        self.scroll = 0;
        match action {
            Action::Go(places) => self.list.go(places),
            Action::Page(pages) => self.list.go(pages.saturating_mul(self.page.try_into().unwrap_or(1))),
            Action::Start => self.list.go_to_start(),
            _ => self.list.go_to_end(),
        }
    }

    fn look(&mut self, view: View) {
        (self.view, self.scroll) = (view, 0);
    }

    const fn scroll_by(&mut self, lines: isize) {
        self.scroll = self.scroll.saturating_add_signed(lines);
    }

    fn wrong(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice::Wrong(text.into()));
    }
}

/// Where keys go at first: what is typed into a session goes to the server.
const fn home(source: &Source) -> Focus {
    if source.is_live() { Focus::Input } else { Focus::List }
}

const fn next_view(view: View) -> View {
    match view {
        View::Bytes => View::Frame,
        View::Frame => View::Event,
        View::Event => View::Bytes,
    }
}
