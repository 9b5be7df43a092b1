//! Effects of the mouse. Each of them has a key as well.

use kibitzer::core::message::GameId;
use ratatui::crossterm::event::{MouseButton, MouseEventKind};

use super::{Action, App, DetailView, TerminalRequest};
use crate::console::input::Focus;

/// Lines by which one step of the wheel scrolls.
const WHEEL_LINES: isize = 3;

/// A place on the screen that reacts to the mouse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MouseTarget {
    /// The page over the screen.
    Page,
    /// The list; with the number of the row, if one is there.
    List(Option<u64>),
    /// A detail view; `true` if its name is there, which a click chooses.
    View(DetailView, bool),
    /// A game of the list of games, or a board.
    Game(GameId),
    Input,
}

impl App {
    /// Handles a mouse event at a target: the wheel scrolls it or goes from game to game, and a left click selects.
    pub(crate) fn on_mouse(&mut self, target: MouseTarget, kind: MouseEventKind) {
        let lines = match kind {
            MouseEventKind::ScrollUp => -WHEEL_LINES,
            MouseEventKind::ScrollDown => WHEEL_LINES,
            MouseEventKind::Down(MouseButton::Left) => return self.on_click(target),
            _ => return,
        };
        match target {
            MouseTarget::Page => self.run_action(Action::ScrollPage(lines)),
            MouseTarget::List(_) => self.run_action(Action::MoveRows(lines)),
            MouseTarget::View(view, _) => {
                if view != self.view {
                    self.show_view_from_top(view);
                }
                self.run_action(Action::Scroll(lines));
            }
            MouseTarget::Game(_) => self.pin_neighboring_game(lines.signum()),
            MouseTarget::Input => {}
        }
    }

    fn on_click(&mut self, target: MouseTarget) {
        self.cancel_copy();
        match target {
            MouseTarget::List(Some(row)) => {
                self.scroll = 0;
                self.list.select_and_stop_following(row);
            }
            MouseTarget::View(view, true) => self.show_view_from_top(view),
            MouseTarget::Game(game) => self.pin_game(Some(game)),
            MouseTarget::Input => self.focus = Focus::Input,
            MouseTarget::Page | MouseTarget::List(None) | MouseTarget::View(..) => {}
        }
    }

    /// Requests that the terminal reports the mouse (`true`), or lets it select text, and shows a notice.
    pub(super) fn request_mouse_capture(&mut self, is_on: bool) {
        self.queue_terminal_request(TerminalRequest::CaptureMouse(is_on));
        let text = if is_on {
            "the mouse selects and scrolls; text is marked with Shift held, or after /mouse off"
        } else {
            "the mouse marks text"
        };
        self.show_info(text);
    }
}
