//! Delays and rates.

use std::time::Duration;

use ratatui::text::{Line, Span};

use super::draw::{Canvas, short_count, sparkline};
use super::theme::Theme;
use crate::console::model::{DelaySamples, SecondCounts, SessionModel};
use crate::filter::ShortDuration;

/// Number of powers of ten on the axis, which starts at a microsecond.
const DECADES: usize = 7;

/// Returns the three kinds of delays: the letter on the axis, the name and the samples.
fn delay_kinds(model: &SessionModel) -> [(char, &'static str, &DelaySamples); 3] {
    let latency = &model.latency;
    [('R', "round trip", &latency.round_trip), ('L', "lag", &latency.lag), ('D', "decoding", &latency.decoding)]
}

/// Draws the time pane of large screens: delays, their axis, and rates.
pub(super) fn draw(canvas: Canvas<'_>, model: &SessionModel, now: Duration) {
    let mut canvas = canvas.draw_heading("time", "last, median, 99 of 100");
    let (theme, width) = (canvas.theme, usize::from(canvas.area.width));
    let seconds = model.rates.last_seconds(width.saturating_sub(20), now);
    let mut lines: Vec<_> =
        delay_kinds(model).iter().map(|(letter, name, delays)| delay_line(theme, *letter, name, delays)).collect();
    lines.extend(delay_axis(theme, model, width));
    lines.push(rate_line(theme, "events/s", &seconds, |second| second.events));
    lines.push(rate_line(theme, "bytes/s", &seconds, |second| second.bytes));
    canvas.draw_lines(lines);
}

/// Returns the newest delays and the rates as a single line, for screens without the time pane.
pub(super) fn delays_and_rates_line(theme: Theme, model: &SessionModel, now: Duration, width: u16) -> Line<'static> {
    let mut spans = Vec::new();
    for (_, name, delays) in delay_kinds(model) {
        let last = delays.last_median_and_p99().map(|[last, ..]| ShortDuration(last).to_string());
        spans.push(Span::styled(format!("{name} "), theme.dimmed()));
        spans.push(Span::raw(format!("{}  ", last.as_deref().unwrap_or("-"))));
    }
    let seconds = model.rates.last_seconds(usize::from(width).saturating_sub(68).clamp(4, 20), now);
    for (name, rate) in [("ev/s", (|second| second.events) as fn(&SecondCounts) -> u64), ("B/s", |second| second.bytes)]
    {
        let newest = seconds.last().map_or(0, rate);
        spans.push(Span::styled(format!("{name} "), theme.dimmed()));
        spans.push(Span::raw(format!("{} ", short_count(newest))));
        spans.extend(with_losses_marked(theme, &sparkline(seconds.iter().map(rate)), &seconds));
        spans.push(Span::raw(" "));
    }
    Line::from(spans)
}

/// Returns the line of a kind of delay: newest sample, median, 99th percentile, and a sparkline of the newest six.
fn delay_line(theme: Theme, letter: char, name: &str, delays: &DelaySamples) -> Line<'static> {
    let sparkline = sparkline(delays.last_samples(6).map(|delay| u64::try_from(delay.as_micros()).unwrap_or(u64::MAX)));
    let texts = delays.last_median_and_p99().map(|delays| delays.map(|delay| ShortDuration(delay).to_string()));
    let [last, median, p99] = texts.unwrap_or_else(|| ["-"; 3].map(str::to_owned));
    Line::from(vec![
        Span::styled(format!("{letter} "), theme.accent()),
        Span::styled(format!("{name:<11}"), theme.dimmed()),
        Span::raw(format!("{last:>6} {median:>6} {p99:>6} ")),
        Span::styled(sparkline, theme.sparkline()),
    ])
}

/// Returns the line of a rate: the count of the newest second, and a sparkline of all `seconds`.
fn rate_line(theme: Theme, name: &str, seconds: &[SecondCounts], rate: fn(&SecondCounts) -> u64) -> Line<'static> {
    let newest = short_count(seconds.last().map_or(0, rate));
    let mut spans = vec![Span::styled(format!("  {name:<11}"), theme.dimmed()), Span::raw(format!("{newest:>6}  "))];
    spans.extend(with_losses_marked(theme, &sparkline(seconds.iter().map(rate)), seconds));
    Line::from(spans)
}

/// Returns a sparkline with a cross in each second that lost the connection.
fn with_losses_marked(theme: Theme, sparkline: &str, seconds: &[SecondCounts]) -> Vec<Span<'static>> {
    let cells = sparkline.chars().zip(seconds).map(|(cell, second)| match second.losses {
        0 => Span::styled(cell.to_string(), theme.sparkline()),
        _ => Span::styled("\u{d7}", theme.error()),
    });
    cells.collect()
}

/// Returns a logarithmic scale from one microsecond to ten seconds, with the medians on it.
fn delay_axis(theme: Theme, model: &SessionModel, width: usize) -> [Line<'static>; 2] {
    let width = width.saturating_sub(1).max(DECADES);
    let mut scale: Vec<char> = vec!['\u{2500}'; width];
    let mut labels: Vec<char> = vec![' '; width];
    for (decade, label) in ["1\u{b5}s", "10", "100", "1ms", "10", "100", "1s"].into_iter().enumerate() {
        let at = decade * width / DECADES;
        put_char(&mut scale, at, '\u{253c}');
        label.chars().zip(at..).for_each(|(character, at)| put_char(&mut labels, at, character));
    }
    for (letter, _, delays) in delay_kinds(model) {
        if let Some([_, median, _]) = delays.last_median_and_p99() {
            put_char(&mut scale, axis_column(median, width), letter);
        }
    }
    let spans = scale.into_iter().map(|character| {
        let style = if character.is_ascii_uppercase() { theme.accent() } else { theme.dimmed() };
        Span::styled(character.to_string(), style)
    });
    [spans.collect(), Line::styled(labels.into_iter().collect::<String>(), theme.dimmed())]
}

/// Returns the column of a delay on the axis.
fn axis_column(delay: Duration, width: usize) -> usize {
    let us = delay.as_micros().max(1);
    let decade = usize::try_from(us.ilog10()).unwrap_or(usize::MAX).min(DECADES - 1);
    let floor = 10_u128.pow(us.ilog10());
    // 1, 2 and 5 divide a power of ten into about equal thirds on a logarithmic scale.
    let third = match us / floor {
        1 => 0,
        2..5 => 1,
        _ => 2,
    };
    ((decade * 3 + third) * width / (DECADES * 3)).min(width.saturating_sub(1))
}

/// Writes a character at a column; ignores columns outside of the row.
fn put_char(row: &mut [char], at: usize, character: char) {
    if let Some(place) = row.get_mut(at) {
        *place = character;
    }
}
