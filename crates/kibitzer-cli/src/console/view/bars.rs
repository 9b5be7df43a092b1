//! Title row, status row and input row.

use std::time::Duration;

use ratatui::layout::Position;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr as _;

use super::list::clock;
use super::theme::Theme;
use crate::console::app::App;
use crate::console::input::Focus;
use crate::console::source::{ConsoleSource, Notice, RecordingPlayer};
use crate::output::TerminalSafe;

/// Returns the title row: state, time, breakpoint and name.
pub(super) fn title(theme: Theme, app: &App, now: Duration) -> Line<'static> {
    let mut spans = vec![Span::styled("kibitzer ", theme.title())];
    let name = match &app.source {
        ConsoleSource::Recording(player) => {
            spans.extend(progress(theme, player, now));
            player.replay.name()
        }
        ConsoleSource::Live(live) => {
            let style = if live.is_ready() { theme.success() } else { theme.error() };
            spans.push(Span::styled(format!("{:<7} ", live.state()), style));
            spans.push(Span::raw(format!("{}  ", clock(now))));
            if !app.list.follows() {
                spans.push(Span::styled("screen paused  ", theme.error()));
            }
            live.name()
        }
    };
    if let Some(filter) = &app.breakpoint {
        spans.push(Span::styled(
            format!("break at {}  ", TerminalSafe(&filter.to_string()).in_cells()),
            theme.special(),
        ));
    }
    spans.push(Span::styled(TerminalSafe(&name).in_cells().into_owned(), theme.name()));
    Line::from(spans)
}

/// Returns state, position and speed of a recording.
fn progress(theme: Theme, player: &RecordingPlayer, now: Duration) -> [Span<'static>; 2] {
    let state = if player.goal.is_some() {
        "seeking"
    } else if player.replay.is_over {
        "over"
    } else if player.is_playing() {
        "playing"
    } else {
        "paused"
    };
    let length = clock(player.replay.length);
    [
        Span::styled(format!("{state:<7} "), if player.is_playing() { theme.success() } else { theme.error() }),
        Span::raw(format!("{} of {length}  {}\u{d7}  ", clock(now), player.clock.speed)),
    ]
}

/// Returns the row of a notice.
pub(super) fn notice(theme: Theme, notice: Option<&Notice>) -> Option<Line<'static>> {
    let (text, style) = match notice? {
        Notice::Info(text) => (text, theme.success()),
        Notice::Error(text) => (text, theme.error()),
    };
    Some(Line::styled(TerminalSafe(text).in_cells().into_owned(), style))
}

/// Returns the input row, and the cursor's column if the line is focused.
pub(super) fn input(theme: Theme, app: &App, width: u16) -> (Line<'static>, Option<u16>) {
    let (before, after) = app.input.split_at_cursor();
    if app.focus != Focus::Input && app.input.text().is_empty() {
        return (Line::styled(hint(app), theme.dimmed()), None);
    }
    let show = |text: &str| {
        if app.masks_input() {
            return "*".repeat(text.chars().count());
        }
        TerminalSafe(text).in_cells().into_owned()
    };
    let (mut before, after) = (show(before), show(after));
    // Drop the start of a long line, so that the cursor stays visible.
    let room = usize::from(width).saturating_sub(4);
    while before.width() > room {
        before.remove(0);
    }
    let column = u16::try_from(2 + before.width()).ok().filter(|_| app.focus == Focus::Input);
    let typed = if app.input.text().is_empty() {
        Span::styled(typing_hint(app), theme.dimmed())
    } else {
        Span::raw(format!("{before}{after}"))
    };
    (Line::from(vec![Span::styled("> ", theme.title()), typed]), column)
}

fn hint(app: &App) -> &'static str {
    match app.focus {
        Focus::Help => "Esc back  Up Down scroll",
        _ if app.source.is_live() => "Enter type  Space pause  Up Down look  Tab view  / command  ? help  q quit",
        _ if app.source.player().is_some_and(RecordingPlayer::is_playing) => {
            "Space pause  s step  Up Down look  Tab view  / command  ? help  q quit"
        }
        _ => "Space play  s step  Up Down look  Tab view  / command  ? help  q quit",
    }
}

/// Returns the hint in an empty, focused line.
fn typing_hint(app: &App) -> &'static str {
    if app.masks_input() {
        "password: it is not shown"
    } else if app.source.accepts_lines() {
        " type to the server  / command  Space pause  PgUp look  Esc keys  F1 help"
    } else if app.source.is_live() {
        " / command  Space pause  PgUp look  Esc keys  F1 help"
    } else {
        " / command  Esc keys  F1 help"
    }
}

/// Returns the screen position of a cursor column.
pub(super) fn cursor(area: ratatui::layout::Rect, column: u16) -> Position {
    Position::new(area.x + column.min(area.width.saturating_sub(1)), area.y)
}
