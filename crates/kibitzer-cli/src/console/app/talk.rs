//! The talk of the session by tabs, its unread lines, and the line that answers it.

use std::collections::{BTreeMap, VecDeque};

use kibitzer_core::message::{GameId, Message, Talk, TalkKind};
use kibitzer_core::text::decode_received;

use super::App;
use super::screen::{Focus, Pane};
use super::typing::NO_SERVER;
use crate::console::model::{ConsoleRow, RowBuffer, RowContent};
use crate::output::TerminalSafe;

/// Maximum number of lines of talk; the oldest is dropped.
const KEPT_LINES: usize = 2_000;
/// Maximum number of tabs beside the one with all talk, which alone contains the lines of further channels.
const MAX_TABS: usize = 32;
/// Maximum length of the name in an answer, in characters.
const MAX_NAME: usize = 64;

/// A tab of the talk pane, in the order on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TalkTab {
    /// All talk.
    #[default]
    All,
    /// Private talk: to this login, and from it to other players.
    Tells,
    Channel(u16),
    /// Kibitzes and whispers.
    Kibitzes,
    /// Shouts and announcements.
    Shouts,
}

/// The talk of the session: which rows contain it, and which of them the user has not seen.
#[derive(Debug)]
pub(crate) struct TalkPane {
    /// The chosen tab.
    pub(crate) tab: TalkTab,
    /// Number of screen rows from the newest one to the lowest visible one.
    pub(crate) rows_from_end: usize,
    /// Number of the newest row when the pane was last drawn. Later rows do not move a pane that is scrolled up.
    pub(crate) newest_drawn: u64,
    /// Numbers of the rows with talk, ascending, and their tabs.
    lines: VecDeque<(u64, TalkTab)>,
    /// Number of unread lines of each tab but [`TalkTab::All`], which also counts lines that have no other tab.
    unread: BTreeMap<TalkTab, u64>,
}

impl Default for TalkPane {
    fn default() -> Self {
        let unread = [TalkTab::Tells, TalkTab::Kibitzes, TalkTab::Shouts].map(|tab| (tab, 0)).into();
        Self { tab: TalkTab::All, rows_from_end: 0, newest_drawn: 0, lines: VecDeque::new(), unread }
    }
}

impl TalkTab {
    fn of_talk(talk: &Talk) -> Self {
        match talk.kind {
            TalkKind::ChannelTell { channel, .. } => Self::Channel(channel),
            TalkKind::Kibitz { .. } | TalkKind::Whisper { .. } => Self::Kibitzes,
            TalkKind::Shout | TalkKind::ItShout | TalkKind::CShout | TalkKind::Announcement => Self::Shouts,
            TalkKind::Tell | TalkKind::Say { .. } | TalkKind::PartnerTell | TalkKind::Message => Self::Tells,
            _ => Self::All,
        }
    }

    /// Returns the tab of a row with talk; `None` for any other row. What the user tells a player belongs to the tells.
    pub(crate) fn of_row(row: &ConsoleRow) -> Option<Self> {
        match &row.content {
            RowContent::Event(_) => talk_of(row).map(Self::of_talk),
            RowContent::Sent(sent) if !sent.secret && sent.attribution.is_of_user() => {
                is_private_talk(&decode_received(&sent.text)).then_some(Self::Tells)
            }
            _ => None,
        }
    }
}

impl TalkPane {
    /// Adds a row if it is talk, as unread unless the user sent it, and drops lines before the row `oldest`.
    pub(super) fn add_row(&mut self, row: &ConsoleRow, oldest: u64) {
        let Some(tab) = TalkTab::of_row(row) else { return };
        let tab = if self.unread.contains_key(&tab) || self.unread.len() < MAX_TABS { tab } else { TalkTab::All };
        *self.unread.entry(tab).or_default() += u64::from(row.event().is_some());
        self.lines.push_back((row.number, tab));
        while self.lines.len() > KEPT_LINES || self.lines.front().is_some_and(|(number, _)| *number < oldest) {
            self.lines.pop_front();
        }
    }

    /// Removes all lines, and keeps the chosen tab.
    pub(super) fn clear(&mut self) {
        *self = Self { tab: self.tab, ..Self::default() };
    }

    /// Returns all tabs with their numbers of unread lines.
    pub(crate) fn tabs(&self) -> impl Iterator<Item = (TalkTab, u64)> {
        let others = self.unread.iter().filter(|(tab, _)| **tab != TalkTab::All).map(|(tab, n)| (*tab, *n));
        [(TalkTab::All, self.unread.values().sum())].into_iter().chain(others)
    }

    /// Returns the number of unread tells.
    pub(crate) fn unread_tells(&self) -> u64 {
        self.unread.get(&TalkTab::Tells).copied().unwrap_or(0)
    }

    /// Marks the lines of a tab as read, those of all tabs for [`TalkTab::All`].
    pub(crate) fn mark_read(&mut self, tab: TalkTab) {
        let shown = self.unread.iter_mut().filter(|(unread, _)| tab == TalkTab::All || **unread == tab);
        shown.for_each(|(_, n)| *n = 0);
    }

    /// Marks the lines of a tab as read if no more than this number are unread, because its newest lines are drawn elsewhere.
    pub(crate) fn mark_newest_read(&mut self, tab: TalkTab, n_drawn: u64) {
        if self.unread.get(&tab).is_some_and(|n| *n <= n_drawn) {
            self.mark_read(tab);
        }
    }

    /// Iterates over the stored rows of a tab, newest first.
    pub(crate) fn rows_back<'a>(&'a self, tab: TalkTab, rows: &'a RowBuffer) -> impl Iterator<Item = &'a ConsoleRow> {
        let lines = self.lines.iter().rev().filter(move |(_, of_line)| tab == TalkTab::All || *of_line == tab);
        lines.filter_map(|(number, _)| rows.get(*number))
    }

    /// Chooses the tab that is `places` after the chosen one, and shows its newest line.
    fn show_neighbor(&mut self, places: isize) {
        let tabs: Vec<_> = self.tabs().map(|(tab, _)| tab).collect();
        let at = tabs.iter().position(|tab| *tab == self.tab).unwrap_or(0);
        let n_tabs = isize::try_from(tabs.len()).unwrap_or(1);
        let to = usize::try_from(places.rem_euclid(n_tabs)).unwrap_or(0) + at;
        self.tab = tabs.get(to % tabs.len().max(1)).copied().unwrap_or_default();
        self.rows_from_end = 0;
    }

    /// Scrolls down by this number of screen rows; up if negative. Drawing limits the offset.
    pub(super) const fn scroll(&mut self, lines: isize) {
        self.rows_from_end = self.rows_from_end.saturating_add_signed(lines.saturating_neg());
    }
}

/// Returns the talk that a row reports.
fn talk_of(row: &ConsoleRow) -> Option<&Talk> {
    if let Message::Talk(talk) = row.event()?.message()? { Some(talk) } else { None }
}

/// Returns the text of a row with talk, safe for the terminal: of a sent line without its number in block mode.
pub(crate) fn talk_text(row: &ConsoleRow) -> String {
    match &row.content {
        RowContent::Sent(sent) => format!("> {}", TerminalSafe(without_number(&sent.text_or_mask())).in_cells()),
        _ => row.summary_line(),
    }
}

/// Returns a sent line without its number in block mode.
fn without_number(line: &str) -> &str {
    line.trim_start_matches(|character: char| character.is_ascii_digit() || character == ' ')
}

/// Returns whether a sent line is talk to one player: `tell NAME`, or an abbreviation, `say` or `ptell`, in any case.
fn is_private_talk(line: &str) -> bool {
    let mut words = without_number(line).split_whitespace();
    match words.next().map(str::to_ascii_lowercase).as_deref() {
        Some("say" | "ptell") => true,
        Some(verb) if verb == "xtell" || "tell".starts_with(verb) => {
            words.next().is_some_and(|to| !to.bytes().all(|byte| byte.is_ascii_digit()))
        }
        _ => false,
    }
}

impl App {
    /// Returns whether the talk pane is open.
    pub(crate) fn shows_talk(&self) -> bool {
        self.screen.alone == Some(Pane::Talk)
    }

    /// Chooses another tab of the talk pane, or another detail view if that pane is not open.
    pub(super) fn show_neighboring_tab(&mut self, places: isize) {
        if self.shows_talk() { self.talk.show_neighbor(places) } else { self.screen.show_neighboring_view(places) }
    }

    /// Puts the start of the line that answers the newest talk on the input line, such as `tell NAME `: the newest line of the chosen
    /// tab. In the tab with all talk, and while the pane is closed, the newest tell is preferred. Unfinished text is cut.
    pub(super) fn start_answer(&mut self) {
        if !self.playback.source.accepts_lines() {
            return self.screen.show_error(NO_SERVER);
        }
        let chosen = if self.shows_talk() { self.talk.tab } else { TalkTab::All };
        let tabs = if chosen == TalkTab::All { [TalkTab::Tells, TalkTab::All] } else { [chosen; 2] };
        let rows = &self.model.rows;
        let newest_in = |tab| self.talk.rows_back(tab, rows).find_map(|row| self.start_of_answer(row));
        let Some(start) = tabs.into_iter().find_map(newest_in) else {
            return self.screen.show_error("there is no talk to answer here");
        };
        self.screen.focus = Focus::Input;
        if self.masks_input() {
            return self.screen.show_error("the server waits for a password");
        }
        if self.input.editor.text() != start {
            self.cut_unfinished_line();
            self.input.editor.insert(&start);
        }
    }

    /// Returns the start of the line that answers talk; `None` for an announcement or a line of a robot without a name, and for a row
    /// without talk.
    pub(crate) fn start_of_answer(&self, row: &ConsoleRow) -> Option<String> {
        let talk = talk_of(row)?;
        Some(match talk.kind {
            TalkKind::ChannelTell { channel, .. } => format!("tell {channel} "),
            TalkKind::PartnerTell => "ptell ".to_owned(),
            TalkKind::Kibitz { game, .. } => self.start_of_comment("kibitz", game),
            TalkKind::Whisper { game, .. } => self.start_of_comment("whisper", game),
            TalkKind::Shout | TalkKind::ItShout => "shout ".to_owned(),
            TalkKind::CShout => "cshout ".to_owned(),
            _ => format!("tell {} ", talk.speaker()?.as_str().chars().take(MAX_NAME).collect::<String>()),
        })
    }

    /// Returns the start of the line that comments on a game: with its number unless the server chooses that game without one.
    fn start_of_comment(&self, verb: &str, game: Option<GameId>) -> String {
        match game.filter(|game| !self.is_default_game(*game)) {
            Some(game) => format!("x{verb} {game} "),
            None => format!("{verb} "),
        }
    }

    /// Returns whether the server chooses a game for a command without a number: the only one that the user plays or, if there is
    /// none, the only followed one. Of several, the console does not know which is the primary one.
    fn is_default_game(&self, game: GameId) -> bool {
        let is_playing = self.own_game().is_some();
        let followed = self.model.games.values().filter(|game| game.followed);
        followed.filter(|game| !is_playing || self.is_own_game(game)).map(|game| game.id()).eq([game])
    }
}
