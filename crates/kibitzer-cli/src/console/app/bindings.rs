//! What keys and the mouse do: one table of all keys, with their help, and the parts of the screen that react to the mouse.

use std::time::Instant;

use kibitzer_core::message::GameId;
use ratatui::crossterm::event::KeyCode::{
    BackTab, Char, Down, End, Enter, Esc, F, Home, Left, PageDown, PageUp, Right, Tab, Up,
};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEventKind};

use super::App;
use super::copy::COPY_KEYS;
use super::games::OfferCommand;
use super::preferences::PRESETS;
use super::screen::{DetailView, Focus, OverlayPage, Pane, TerminalRequest};
use crate::console::input::normalized_press;

/// Lines by which one step of the wheel scrolls.
const WHEEL_LINES: isize = 3;
/// Help of the keys of the [`PRESETS`].
const PRESET_HELP: &str = "list only chat, mine, sent or wrong; again: all";
/// Number of characters by which a key scrolls the list sideways.
const SIDEWAYS: isize = 20;

/// Keys with a related effect, and their line on the help page.
struct KeyBinding {
    /// The keys, each with the number that it passes to `run`: how far it goes, negative for back and up.
    keys: &'static [(KeyCode, isize)],
    help: &'static str,
    run: KeyEffect,
}

/// Runs the effect of a key with its number.
type KeyEffect = fn(&mut App, isize, Instant);

/// Bindings that apply in the same place.
pub(crate) struct KeyGroup {
    /// Title on the help page; empty if the group continues the one before.
    pub(crate) title: &'static str,
    place: KeyPlace,
    bindings: &'static [KeyBinding],
}

/// Where keys have an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyPlace {
    /// Anywhere, pressed with Ctrl.
    Control,
    /// On a page over the screen.
    Page,
    /// On a page, unless a line is typed: its keys do not close the page.
    IdlePage,
    /// On a page, while the list has the focus.
    PageOverList,
    /// In the list; also elsewhere if the key edits no line.
    List,
    EmptyLine,
    Line,
}

impl KeyPlace {
    fn applies(self, app: &App, key: KeyEvent) -> bool {
        let focus = app.screen.focus;
        let is_on_page = app.screen.page.is_some();
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        let is_typing = focus == Focus::Input && !app.input.editor.text().is_empty();
        match self {
            Self::Control => is_control,
            Self::Page => is_on_page,
            Self::IdlePage => is_on_page && !is_typing,
            Self::PageOverList => is_on_page && focus == Focus::List,
            Self::List if is_control => false,
            Self::List => focus == Focus::List || matches!(key.code, F(_) | PageUp | PageDown),
            Self::EmptyLine => focus == Focus::Input && !is_typing && !app.masks_input(),
            Self::Line => focus == Focus::Input,
        }
    }
}

const fn bind(keys: &'static [(KeyCode, isize)], help: &'static str, run: KeyEffect) -> KeyBinding {
    KeyBinding { keys, help, run }
}

/// All keys but those that [edit the input line](crate::console::input::EDITING_KEYS), and those of [`PAGE_KEY_GROUPS`]. The first
/// binding that applies has effect.
pub(crate) const KEY_GROUPS: &[KeyGroup] = &[
    KeyGroup {
        title: "Keys; also while typing: F1 to F9, Page Up and Page Down",
        place: KeyPlace::List,
        bindings: LIST_KEYS,
    },
    KeyGroup { title: "", place: KeyPlace::Control, bindings: CONTROL_KEYS },
    KeyGroup { title: "Keys on an empty line", place: KeyPlace::EmptyLine, bindings: EMPTY_LINE_KEYS },
    KeyGroup { title: "Keys while typing", place: KeyPlace::Line, bindings: LINE_KEYS },
];

/// Keys of a page over the screen, which come before all others.
pub(crate) const PAGE_KEY_GROUPS: &[KeyGroup] = &[
    KeyGroup { title: "Keys on a page", place: KeyPlace::Page, bindings: PAGE_KEYS },
    KeyGroup { title: "", place: KeyPlace::IdlePage, bindings: IDLE_PAGE_KEYS },
    KeyGroup { title: "", place: KeyPlace::PageOverList, bindings: PAGE_OVER_LIST_KEYS },
];

const CONTROL_KEYS: &[KeyBinding] = &[
    bind(&[(Char('c'), 0)], "end a search, or empty the line, or quit", |app, _, now| app.cancel(now)),
    bind(&[(Char('l'), 0)], "draw the screen again", |app, _, _| app.screen.request(TerminalRequest::Redraw)),
    bind(&[(Char('z'), 0)], "suspend the program", |app, _, _| app.screen.request(TerminalRequest::Suspend)),
];

const PAGE_KEYS: &[KeyBinding] = &[
    bind(&[(Up, -1), (Down, 1)], "scroll", |app, lines, _| app.screen.scroll_page(lines)),
    bind(&[(PageUp, -10), (PageDown, 10)], "scroll by ten lines", |app, lines, _| app.screen.scroll_page(lines)),
    bind(&[(Esc, 0), (F(1), 0), (F(4), 0)], "close the page", |app, _, _| app.screen.page = None),
];

const IDLE_PAGE_KEYS: &[KeyBinding] = &[
    bind(&[(Enter, 0), (Char(' '), 0)], "close the page, unless a line is typed", |app, _, _| {
        app.screen.page = None;
    }),
    bind(&[(Tab, 0)], "help, or the commands of the server", |app, _, _| app.screen.open_other_help()),
];

const PAGE_OVER_LIST_KEYS: &[KeyBinding] = &[
    bind(&[(Char('k'), -1), (Char('j'), 1)], "scroll", |app, lines, _| app.screen.scroll_page(lines)),
    bind(&[(Char('q'), 0), (Char('?'), 0), (Char('L'), 0)], "close the page", |app, _, _| app.screen.page = None),
    bind(&[(Char('/'), 0)], "type a command", |app, _, _| app.start_command()),
];

const LIST_KEYS: &[KeyBinding] = &[
    bind(
        &[(Up, -1), (Down, 1), (Left, -1), (Char('k'), -1), (Char('j'), 1)],
        "select another line; the views follow",
        |app, lines, _| app.move_rows(lines),
    ),
    bind(&[(PageUp, -1), (PageDown, 1)], "select a line a page away", |app, pages, _| {
        app.move_rows(pages.saturating_mul(app.screen.list_height.try_into().unwrap_or(1)));
    }),
    bind(
        &[(Home, isize::MIN), (End, isize::MAX), (Char('g'), isize::MIN), (Char('G'), isize::MAX)],
        "the first line; the last one, following new lines",
        |app, lines, _| app.move_rows(lines),
    ),
    bind(&[(Char(' '), 0)], "play or pause: a recording, or a session's screen", |app, _, now| app.play_or_pause(now)),
    bind(&[(Right, 0), (Char('s'), 0)], "one line forward", |app, _, now| app.step(now)),
    bind(&[(Char('+'), 1), (Char('='), 1), (Char('-'), -1)], "double, halve the speed", |app, way, now| {
        app.change_speed(|speed| if way > 0 { speed * 2.0 } else { speed / 2.0 }, now);
    }),
    bind(&[(Char('n'), 1), (Char('N'), -1)], "the next, the previous match of /find or /break", |app, way, now| {
        if way > 0 { app.select_or_seek_next_match(now) } else { app.select_previous_match() }
    }),
    bind(&[(Tab, 1), (BackTab, -1)], "the next, the previous view, or tab of talk", |app, places, _| {
        app.show_neighboring_tab(places);
    }),
    bind(&[(Char('1'), 0), (Char('2'), 1), (Char('3'), 2)], "bytes, frame, event", |app, place, _| {
        let view = usize::try_from(place).ok().and_then(|place| DetailView::ALL.get(place));
        app.screen.show_view(view.copied().unwrap_or(app.screen.view));
    }),
    bind(&[(Char('J'), 1), (Char('K'), -1)], "scroll the view", |app, lines, _| app.screen.scroll_view(lines)),
    bind(&[(Char('h'), -SIDEWAYS), (Char('l'), SIDEWAYS)], "scroll the list sideways", |app, columns, _| {
        app.screen.scroll_sideways(columns);
    }),
    bind(&[(Char('z'), 0), (F(2), 0)], "one pane alone, the next, all", |app, _, _| app.screen.show_next_pane()),
    bind(&[(Char('b'), 0), (F(3), 0)], "the board alone, as in your own game, or all panes", |app, _, _| {
        app.screen.toggle_pane(Pane::Board);
    }),
    bind(&[(Char('B'), 0)], "the boards of all games, or all panes", |app, _, _| app.screen.toggle_pane(Pane::Grid)),
    bind(&[(Char('c'), 0), (F(7), 0)], "talk, in tabs, or the list and its views", |app, _, _| {
        app.screen.toggle_pane(Pane::Talk);
    }),
    bind(&[(Char('w'), 0), (F(9), 0)], "answer the newest tell, or the tab of talk", |app, _, _| app.start_answer()),
    bind(&[(F(5), 0)], "accept the offer above the input line", |app, _, _| app.answer_offer(OfferCommand::Accept)),
    bind(&[(F(6), 0)], "decline it", |app, _, _| app.answer_offer(OfferCommand::Decline)),
    bind(&[(Char('['), -1), (Char(']'), 1)], "pin the previous, the next game to the board", |app, places, _| {
        app.pin_neighboring_game(places);
    }),
    bind(&[(Char('p'), 0)], "pin the game shown, or that of the selected line", |app, _, _| app.toggle_pin()),
    bind(&[(Char('f'), 0)], "flip the board", |app, _, _| app.flip_board()),
    bind(&[(Char('C'), 0), (Char('M'), 1), (Char('S'), 2), (Char('W'), 3)], PRESET_HELP, |app, place, _| {
        let preset = usize::try_from(place).ok().and_then(|place| PRESETS.get(place));
        if let Some((name, _)) = preset {
            app.toggle_filter(name);
        }
    }),
    bind(&[(Char('x'), 0), (F(8), 0)], "reset: no filter, pin, or pane alone; the newest line", |app, _, _| {
        app.reset_view();
    }),
    bind(&[(Char('a'), 0)], "show or hide prompts, marks, blank lines, reserves", |app, _, _| app.toggle_details()),
    bind(&[(Char('m'), 0)], "insert a mark into the list", |app, _, now| app.add_mark("", now)),
    bind(&[(Char('r'), 0)], "from a sent line to its reply", |app, _, _| app.select_reply()),
    bind(&[(Char('y'), 0)], "copy this line, or its frame, bytes, position, JSON", |app, _, _| {
        app.screen.awaits_copy_key = true;
        app.screen.show_info(COPY_KEYS);
    }),
    bind(&[(Char('t'), 0)], "times: of the session, of day, since a line, a mark", |app, _, _| {
        app.show_times(app.preferences.times.next());
    }),
    bind(&[(Char('L'), 0), (F(4), 0)], "the log of the program, with --log", |app, _, _| {
        app.screen.open_page(OverlayPage::Log);
    }),
    bind(&[(Char('?'), 0), (F(1), 0)], "this page", |app, _, _| app.screen.open_page(OverlayPage::Help)),
    bind(&[(Char('/'), 0)], "type a command", |app, _, _| app.start_command()),
    // No letter: of a line typed here by mistake, the server must not receive the end.
    bind(&[(Enter, 0)], "type a line", |app, _, _| app.screen.focus = Focus::Input),
    bind(&[(Char('q'), 0)], "quit", |app, _, _| app.is_over = true),
];

const EMPTY_LINE_KEYS: &[KeyBinding] = &[
    bind(&[(Char(' '), 0)], "play or pause, as in the list", |app, _, now| app.play_or_pause(now)),
    bind(&[(Tab, 1), (BackTab, -1)], "next, previous view or tab; in your own game, moves", |app, places, _| {
        let is_view_hidden = app.screen.alone == Some(Pane::Board) && !app.legal_sans().is_empty();
        if is_view_hidden { app.complete_word() } else { app.show_neighboring_tab(places) }
    }),
];

const LINE_KEYS: &[KeyBinding] = &[
    bind(&[(Enter, 0)], "run the line", |app, _, now| app.submit_input(now)),
    bind(&[(Esc, 0)], "back to the keys of the list", |app, _, _| app.screen.focus = Focus::List),
    bind(&[(Tab, 0)], "complete moves, commands, kinds, handles, games", |app, _, _| app.complete_word()),
];

impl KeyGroup {
    /// Returns the lines of the help page: the names of the keys, and what they do.
    pub(crate) fn help_lines(&self) -> impl Iterator<Item = (String, &'static str)> {
        let name = |key: &KeyCode| match self.place {
            KeyPlace::Control => format!("Ctrl-{}", key.to_string().to_uppercase()),
            _ => key.to_string(),
        };
        self.bindings.iter().map(move |binding| {
            let names: Vec<_> = binding.keys.iter().map(|(key, _)| name(key)).collect();
            (names.join(" "), binding.help)
        })
    }
}

/// A place on the screen that reacts to the mouse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MouseTarget {
    /// The page over the screen.
    Page,
    /// The list; with the number of the row, if one is there.
    List(Option<u64>),
    /// A detail view.
    View(DetailView),
    /// The name of a detail view.
    ViewName(DetailView),
    /// A game of the list of games, or a board.
    Game(GameId),
    Input,
}

impl App {
    /// Handles a key press: runs its binding or, after `y`, copies the part of the selected row that the key names; any other key
    /// edits the input line, if that has the focus. Removes the previous notice; a key of the list also closes the open page.
    /// Shows an error for a letter without a binding in the list. Ignores the release of a key.
    pub(crate) fn on_key(&mut self, key: KeyEvent, now: Instant) {
        let Some(key) = normalized_press(key) else { return };
        if std::mem::take(&mut self.screen.awaits_copy_key) {
            return self.copy_part_for_key(key.code);
        }
        self.screen.remove_notice();
        if std::mem::take(&mut self.notifier.is_title_shown) {
            self.screen.request(TerminalRequest::RestoreTitle);
        }
        let of_page = self.find_binding(PAGE_KEY_GROUPS, key);
        match (of_page.or_else(|| self.find_binding(KEY_GROUPS, key)), key.code, self.screen.focus) {
            (Some((run, number)), _, focus) => {
                if focus == Focus::List && of_page.is_none() {
                    self.screen.page = None;
                }
                run(self, number, now);
            }
            (None, Char(letter), Focus::List) => self.screen.show_error(format!(
                "{letter} is no key of the list: Enter types a line, / a command, ? lists the keys"
            )),
            (None, _, Focus::Input) => self.input.edit(key),
            (None, _, Focus::List) => {}
        }
    }

    /// Returns the effect of a key, and the number to pass to it; `None` without a binding that applies.
    fn find_binding(&self, groups: &[KeyGroup], key: KeyEvent) -> Option<(KeyEffect, isize)> {
        let groups = groups.iter().filter(|group| group.place.applies(self, key));
        groups.flat_map(|group| group.bindings).find_map(|binding| {
            let (_, number) = binding.keys.iter().find(|(code, _)| *code == key.code)?;
            Some((binding.run, *number))
        })
    }

    /// Handles a mouse event at a target: the wheel scrolls it or goes from game to game, and a left click selects.
    pub(crate) fn on_mouse(&mut self, target: MouseTarget, kind: MouseEventKind) {
        let lines = match kind {
            MouseEventKind::ScrollUp => -WHEEL_LINES,
            MouseEventKind::ScrollDown => WHEEL_LINES,
            MouseEventKind::Down(MouseButton::Left) => return self.on_click(target),
            _ => return,
        };
        match target {
            MouseTarget::Page => self.screen.scroll_page(lines),
            MouseTarget::List(_) => self.move_rows(lines),
            MouseTarget::View(view) | MouseTarget::ViewName(view) => {
                if view != self.screen.view {
                    self.screen.show_view(view);
                }
                self.screen.scroll_view(lines);
            }
            MouseTarget::Game(_) => self.pin_neighboring_game(lines.signum()),
            MouseTarget::Input => {}
        }
    }

    fn on_click(&mut self, target: MouseTarget) {
        self.screen.cancel_copy();
        match target {
            MouseTarget::List(Some(row)) => {
                self.screen.scroll = 0;
                self.list.select_and_stop_following(row);
            }
            MouseTarget::ViewName(view) => self.screen.show_view(view),
            MouseTarget::Game(game) => self.pin_game(Some(game)),
            MouseTarget::Input => self.screen.focus = Focus::Input,
            MouseTarget::Page | MouseTarget::List(None) | MouseTarget::View(_) => {}
        }
    }
}
