//! Title row, status row and input row.

use std::borrow::Cow;
use std::time::Duration;

use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use unicode_truncate::UnicodeTruncateStr as _;

use super::layout::NARROW;
use super::theme::Theme;
use crate::console::app::{App, Focus, Pane};
use crate::console::input::masked_or_safe;
use crate::console::model::SessionModel;
use crate::console::source::{ConsoleSource, LiveSession, Notice, RecordingPlayer};
use crate::output::{TerminalSafe, format_session_time};

/// Part of a line that waits for its reply that the title shows, in cells: the other facts must stay visible.
const MAX_OVERDUE_CELLS: usize = 24;

/// Returns the first row: state, time, breakpoint and name of the source.
pub(super) fn title_row(theme: Theme, app: &App, now: Duration) -> Line<'static> {
    let mut spans = vec![Span::styled("kibitzer ", theme.title())];
    let name = match &app.playback.source {
        ConsoleSource::Recording(player) => {
            spans.extend(playback_spans(theme, player, now));
            player.reader.file_name()
        }
        ConsoleSource::Live(live) => {
            let is_alive = live.is_ready() && !app.model.is_stalled(now);
            let style = if is_alive { theme.success() } else { theme.error() };
            let state = session_state(live, &app.model, now);
            spans.push(Span::styled(format!("{:<7} ", TerminalSafe(&state).in_cells()), style));
            spans.push(Span::raw(format!("{}  ", format_session_time(now))));
            if let Some((sent, waited)) = app.model.overdue_line(now) {
                let sent = TerminalSafe(&sent.text_or_mask()).in_cells().into_owned();
                let (line, _) = sent.unicode_truncate(MAX_OVERDUE_CELLS);
                spans.push(Span::styled(format!("{line} waits {}s  ", waited.as_secs()), theme.error()));
            }
            if app.list.is_paused {
                spans.push(Span::styled("screen paused  ", theme.error()));
            }
            live.title()
        }
    };
    if let Some(filter) = &app.playback.breakpoint {
        spans
            .push(Span::styled(format!("break at {}  ", TerminalSafe(&filter.to_string()).in_cells()), theme.accent()));
    }
    spans.push(Span::styled(TerminalSafe(&name).in_cells().into_owned(), theme.emphasized()));
    Line::from(spans)
}

/// Returns the state of a session: of one that is ready with the age of the last received byte, once that exceeds two seconds, and
/// with whether an answer is overdue; of one that has ended with the reason.
fn session_state(live: &LiveSession, model: &SessionModel, now: Duration) -> String {
    let reason = live.end_reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
    match model.silence(now).filter(|_| live.is_ready()) {
        Some(silence) if model.is_probing(now) => format!("probing, silent {}s", silence.as_secs()),
        Some(silence) if model.is_stalled(now) => format!("stalled {}s", silence.as_secs()),
        Some(silence) => format!("live, silent {}s", silence.as_secs()),
        None => format!("{}{reason}", live.state_label()),
    }
}

/// Returns the state of a recording, and its position, length and speed.
fn playback_spans(theme: Theme, player: &RecordingPlayer, now: Duration) -> [Span<'static>; 2] {
    let state = if player.goal.is_some() {
        "seeking"
    } else if player.reader.is_over {
        "over"
    } else if player.is_playing() {
        "playing"
    } else {
        "paused"
    };
    let length = format_session_time(player.reader.length);
    [
        Span::styled(format!("{state:<7} "), if player.is_playing() { theme.success() } else { theme.error() }),
        Span::raw(format!("{} of {length}  {}\u{d7}  ", format_session_time(now), player.clock.speed)),
    ]
}

/// Returns the row of a notice; `None` without one.
pub(super) fn notice_row(theme: Theme, notice: Option<&Notice>) -> Option<Line<'static>> {
    let (text, style) = match notice? {
        Notice::Info(text) => (text, theme.success()),
        Notice::Error(text) => (text, theme.error()),
    };
    Some(Line::styled(TerminalSafe(text).in_cells().into_owned(), style))
}

/// Returns the rows of the input that fit into the area, and the position of the cursor if the input is focused. A hint stands in
/// place of an empty input.
pub(super) fn input_rows_and_cursor(theme: Theme, app: &App, area: Rect) -> (Vec<Line<'static>>, Option<Position>) {
    let (before, after) = app.input.editor.split_at_cursor();
    if app.screen.focus != Focus::Input && app.input.editor.text().is_empty() {
        let text =
            if area.width < NARROW { "b board  z one pane  Space play, pause  ? help  q quit" } else { list_hint(app) };
        return (vec![Line::styled(text, theme.dimmed())], None);
    }
    if app.input.editor.text().is_empty() {
        let is_narrow = area.width < NARROW && !app.masks_input() && !is_session_over(app);
        let text = if is_narrow {
            " F3 board  F2 one pane  / command  Esc keys  F1 help".into()
        } else {
            empty_input_hint(app)
        };
        let hint = Span::styled(text, theme.dimmed());
        let cursor = Position::new(area.x + 2.min(area.width.saturating_sub(1)), area.y);
        return (vec![Line::from(vec![Span::styled("> ", theme.title()), hint])], Some(cursor));
    }
    let show = |text: &str| masked_or_safe(text, app.masks_input());
    let row = before.matches('\n').count();
    let before = show(before.rsplit('\n').next().unwrap_or_default());
    // Drop the start of a long line, so that the cursor stays visible.
    let (before, width) = before.unicode_truncate_start(usize::from(area.width).saturating_sub(4));
    let column = u16::try_from(2 + width).unwrap_or(u16::MAX).min(area.width.saturating_sub(1));
    let mut all: Vec<_> = app.input.editor.text().split('\n').map(show).collect();
    if let Some(line) = all.get_mut(row) {
        *line = format!("{before}{}", show(after.split('\n').next().unwrap_or_default()));
    }
    // The line of the cursor is the last one if not all fit.
    let n_hidden = (row + 1).saturating_sub(area.height.into());
    let row = u16::try_from(row.saturating_sub(n_hidden)).unwrap_or(u16::MAX);
    let typed = all.into_iter().skip(n_hidden);
    let lines = typed.map(|line| Line::from(vec![Span::styled("> ", theme.title()), Span::raw(line)])).collect();
    let cursor = Position::new(area.x + column, area.y + row);
    (lines, (app.screen.focus == Focus::Input).then_some(cursor))
}

/// Returns the hint about the keys of the list or of the open page.
fn list_hint(app: &App) -> &'static str {
    if app.screen.page.is_some() {
        "Esc back  Up Down scroll  / command"
    } else if app.playback.source.is_live() {
        "Enter type  Space pause  Up Down look  Tab view  / command  ? help  q quit"
    } else if app.playback.player().is_some_and(RecordingPlayer::is_playing) {
        "Space pause  s step  Up Down look  Tab view  / command  ? help  q quit"
    } else {
        "Space play  s step  Up Down look  Tab view  / command  ? help  q quit"
    }
}

fn is_session_over(app: &App) -> bool {
    matches!(&app.playback.source, ConsoleSource::Live(live) if live.is_over())
}

/// Returns the hint in an empty, focused line; of the session of a person with the number of unread tells.
fn empty_input_hint(app: &App) -> Cow<'static, str> {
    let hint = if is_session_over(app) {
        " session over: Esc, then q quits  / command  PgUp look  F1 help"
    } else if app.masks_input() {
        "password: it is not shown"
    } else if app.screen.alone == Some(Pane::Board) && app.playback.source.accepts_lines() {
        " type a move or a line  Tab lists moves  F3 all panes  Esc keys  F1 help"
    } else if app.playback.source.accepts_lines() {
        match app.talk.unread_tells() {
            n @ 1.. if app.may_play() => {
                return format!(" type to the server  / command  F7 talk: {n} unread  F9 answer  F1 help").into();
            }
            _ => " type to the server  / command  Space pause  PgUp look  Esc keys  F1 help",
        }
    } else if app.playback.source.is_live() {
        " / command  Space pause  PgUp look  Esc keys  F1 help"
    } else {
        " / command  Esc keys  F1 help"
    };
    hint.into()
}
