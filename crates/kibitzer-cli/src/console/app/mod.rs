//! State of the console, and the effects on it of keys and of the items of the source. Contains no drawing code.
//!
//! | part | state |
//! |---|---|
//! | [`SessionModel`] | the session so far |
//! | [`Playback`] | where its items come from, and where they stop |
//! | [`RowList`] | the listed and the selected rows |
//! | [`GameChoice`] | the game on the board |
//! | [`TalkPane`] | the lines of talk, and the unread ones |
//! | [`InputLine`] | the text being typed |
//! | [`Screen`] | focus, panes, scroll offsets, notices |
//! | [`Notifier`] | the rule of notifications, and those that wait |
//! | [`Preferences`] | colors, pieces, times, named filters |
//!
//! What concerns one part is its method; a method of [`App`] joins several.

mod bindings;
mod commands;
mod copy;
mod games;
mod list;
mod moves;
mod notify;
mod playback;
mod preferences;
mod screen;
mod settings;
mod talk;
mod typing;

use std::time::Instant;

use clap::ValueEnum as _;
use kibitzer_core::message::GameId;

pub(crate) use self::bindings::{KEY_GROUPS, KeyGroup, MouseTarget, PAGE_KEY_GROUPS};
pub(crate) use self::commands::COMMANDS;
use self::games::GameChoice;
use self::list::RowList;
use self::notify::Notifier;
use self::playback::Playback;
use self::preferences::NamedFilters;
pub(crate) use self::preferences::{
    ColorTheme, PieceSet, Preferences, ProfileFilters, Switch, TimeColumn, parse_profile_filters,
};
pub(crate) use self::screen::{DetailView, Focus, OverlayPage, Pane, Screen, TerminalRequest};
pub(crate) use self::settings::{ConsoleSettings, SettingsArgs};
pub(crate) use self::talk::{TalkPane, TalkTab, talk_text};
use crate::console::input::{History, InputLine, StateDirectory};
use crate::console::model::{ConsoleRow, SessionModel, SourceItem, SourceItemKind};
use crate::console::source::{ConsoleSource, NextItem, SeekGoal};
use crate::failure::Failure;

/// Maximum number of items that are processed between two frames.
const ITEMS_AT_ONCE: usize = 2_000;

/// State of the console: the session, and how it is shown.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) model: SessionModel,
    pub(crate) playback: Playback,
    pub(crate) list: RowList,
    pub(crate) game_choice: GameChoice,
    pub(crate) talk: TalkPane,
    pub(crate) notifier: Notifier,
    pub(crate) input: InputLine,
    pub(crate) screen: Screen,
    pub(crate) preferences: Preferences,
    /// The settings that were loaded, of which `/save` keeps the commands.
    settings: ConsoleSettings,
    /// Commands of the settings that are not run yet.
    start_commands: Vec<String>,
    /// Whether the user has quit, or the terminal is gone.
    pub(crate) is_over: bool,
}

impl App {
    pub(crate) fn new(source: ConsoleSource, store: StateDirectory) -> Self {
        let preferences = Preferences {
            colors: None,
            pieces: None,
            times: TimeColumn::default(),
            bell: Switch::Off,
            mouse: Switch::On,
            filters: NamedFilters::load(store.clone()),
        };
        Self {
            model: SessionModel::default(),
            screen: Screen::new(Focus::default_for(&source)),
            playback: Playback::new(source),
            list: RowList::default(),
            game_choice: GameChoice::default(),
            talk: TalkPane::default(),
            notifier: Notifier::default(),
            input: InputLine { history: History::load_and_clean(store), ..InputLine::default() },
            preferences,
            settings: ConsoleSettings::default(),
            start_commands: Vec::new(),
            is_over: false,
        }
    }

    /// Processes the items of the source that are due, at most 2,000: adds their rows, and checks the breakpoint and the goal of
    /// a seek. Also updates notices and the bell. Returns `true` if it stopped at that limit.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the recording can no longer be read.
    pub(crate) fn process_item_batch(&mut self, now: Instant) -> Result<bool, Failure> {
        // While the screen stands still, a notice still explains it.
        if self.screen.is_notice_outdated(now) && self.goes_on() {
            self.screen.remove_notice();
        }
        for _ in 0..ITEMS_AT_ONCE {
            match self.playback.source.next_item(now)? {
                NextItem::Item(item) => self.apply_item(item, now),
                NextItem::Wait => {
                    self.ring_bell_on_new_attention();
                    if let Some(text) = self.notifier.take_due(now) {
                        self.screen.request(TerminalRequest::Notify(text));
                    }
                    self.run_start_commands(now);
                    if let Some(notice) = self.playback.source.try_as_live_mut().and_then(|live| live.take_notice()) {
                        self.screen.show_notice(notice);
                    }
                    return Ok(false);
                }
                NextItem::GoalReached => {
                    self.list.follow_end();
                    return Ok(false);
                }
                NextItem::End(goal) => {
                    match goal {
                        Some(SeekGoal::Match { search, from }) => self.continue_search_at_oldest_row(&search, from),
                        Some(SeekGoal::Ply(..)) => self.screen.show_error("not found up to the end of the recording"),
                        _ => {}
                    }
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn apply_item(&mut self, item: SourceItem, now: Instant) {
        let is_snapshot = matches!(item.kind, SourceItemKind::Snapshot { .. });
        let before = self.model.rows.newest;
        self.model.apply_item(item);
        if is_snapshot {
            let games: Vec<GameId> = self.model.games.keys().copied().collect();
            for game in games {
                self.consider_auto_game(game);
            }
        }
        (before + 1..=self.model.rows.newest).for_each(|number| self.on_new_row(number, now));
    }

    /// Returns whether the recording plays, or the session continues and the list follows it.
    fn goes_on(&self) -> bool {
        match &self.playback.source {
            ConsoleSource::Recording(player) => player.is_playing(),
            ConsoleSource::Live(live) => !self.list.is_paused && !live.is_over(),
        }
    }

    /// Returns the selected row; `None` without a selection, and if the row is no longer stored.
    pub(crate) fn selected_row(&self) -> Option<&ConsoleRow> {
        self.model.rows.get(self.list.selected_number()?)
    }

    /// Lists only the rows that match the filter with this name, or all rows if it is the present filter.
    fn toggle_filter(&mut self, name: &str) {
        let filter = self.preferences.filters.get(name).filter(|filter| self.list.filter.as_ref() != Some(filter));
        self.list.set_filter(filter.cloned(), &self.model.rows);
    }

    /// Shows all panes, without a filter, a pinned game or details of the protocol, at the newest line. A breakpoint stays.
    fn reset_view(&mut self) {
        self.screen.reset_panes();
        self.game_choice.pinned = None;
        self.list.shows_protocol_details = false;
        self.list.set_filter(None, &self.model.rows);
        self.list.follow_end();
    }

    /// Shows or hides details of the protocol, such as prompts.
    fn toggle_details(&mut self) {
        self.list.toggle_protocol_details(&self.model.rows);
    }

    /// Shows these times in the list, with a notice; with an error for times of day that the recording does not contain.
    fn show_times(&mut self, times: TimeColumn) {
        self.preferences.times = times;
        let about = times.to_possible_value().and_then(|value| value.get_help().map(ToString::to_string));
        self.screen.show_info(about.unwrap_or_default());
        if times == TimeColumn::Utc && self.playback.source.utc_start().is_none() {
            self.screen.show_error("the recording contains no time of day");
        }
    }
}
