//! Events as text for people, in color, boards drawn.

use std::fmt;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use kibitzer::core::message::{Message, Style12};
use kibitzer::core::{Event, EventCategory, EventKind};

use super::{TerminalSafe, board};

const PLAIN: Style = Style::new();
const QUIET: Style = Style::new().dimmed();
const NEWS: Style = AnsiColor::Green.on_default();
const OFFER: Style = AnsiColor::Yellow.on_default();
const TROUBLE: Style = AnsiColor::Red.on_default();
const TO_ME: Style = AnsiColor::BrightCyan.on_default();
const TO_ALL: Style = AnsiColor::Magenta.on_default();
const TO_CHANNEL: Style = AnsiColor::BrightBlue.on_default();
const OF_GAME: Style = AnsiColor::Cyan.on_default();

/// Returns two hexadecimal digits, in lower case, for each byte, with `separator` between the bytes.
pub(crate) fn hex_digits(bytes: &[u8], separator: &str) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(separator)
}

/// Writes an event as a line, or as the lines of a board. Writes nothing for a ping, nor for a listing, because its lines are
/// events of their own.
///
/// The output contains escape sequences for color, which `out` has to remove if it shows none. Received text is escaped by
/// [`TerminalSafe`].
pub(crate) fn write_event(out: &mut impl Write, event: &Event) -> io::Result<()> {
    if let Some(board) = event.reported_board() {
        return board::write_board(out, board, event.reported_move());
    }
    match (event.kind(), event.message()) {
        (EventKind::Ping, _) => Ok(()),
        (kind, _) if kind.category() == EventCategory::Listing => Ok(()),
        (kind, Some(Message::Talk(talk))) => write_talk(out, style_of(kind), event, &talk.text()),
        (kind, _) => write_styled_line(out, style_of(kind), TerminalSafe(&event.to_string())),
    }
}

/// Writes a line that says that the recording ends inside the line with this number.
pub(crate) fn write_cut_recording(out: &mut impl Write, line_number: u64) -> io::Result<()> {
    write_styled_line(out, TROUBLE, format_args!("* {}", cut_recording_text(line_number)))
}

/// Returns the message `the recording ends inside line N`.
pub(crate) fn cut_recording_text(line: u64) -> String {
    format!("the recording ends inside line {line}")
}

/// Returns an event as escaped text for one row of the console. A board becomes its move and clocks.
pub(crate) fn one_line(event: &Event) -> String {
    TerminalSafe(&event.to_string()).in_cells().into_owned()
}

/// Returns the last move of a board with its number, such as `12... Nf6`, as escaped text; `None` without a move.
pub(crate) fn numbered_move(board: &Style12) -> Option<String> {
    board.numbered_move().map(|played| TerminalSafe(&played).in_cells().into_owned())
}

/// Writes a line in one style. Does not escape the text.
fn write_styled_line(out: &mut impl Write, style: Style, text: impl fmt::Display) -> io::Result<()> {
    writeln!(out, "{style}{text}{style:#}")
}

/// Writes a line of talk in one color, with everything before the spoken text `said`, such as the speaker, in bold.
fn write_talk(out: &mut impl Write, style: Style, event: &Event, said: &str) -> io::Result<()> {
    let (text, said) = (TerminalSafe(&event.to_string()).to_string(), TerminalSafe(said).to_string());
    let (head, bold) = (text.strip_suffix(&said).unwrap_or_default(), style.bold());
    let tail = text.get(head.len()..).unwrap_or_default();
    writeln!(out, "{bold}{head}{bold:#}{style}{tail}{style:#}")
}

/// Returns the color of events of a kind.
fn style_of(kind: EventKind) -> Style {
    match kind {
        EventKind::Holding => return OF_GAME,
        EventKind::Challenge => return OFFER.bold(),
        EventKind::LoginRefused | EventKind::Kicked => return TROUBLE.bold(),
        EventKind::Text | EventKind::ListingLine => return PLAIN,
        EventKind::SessionReady | EventKind::Restored | EventKind::AdjournedGame => return NEWS,
        _ => {}
    }
    match kind.category() {
        EventCategory::Game => NEWS.bold(),
        EventCategory::Board | EventCategory::Player | EventCategory::Login => NEWS,
        EventCategory::PrivateTalk => TO_ME,
        EventCategory::PublicTalk => TO_ALL,
        EventCategory::ChannelTalk => TO_CHANNEL,
        EventCategory::GameTalk => OF_GAME,
        EventCategory::Offer => OFFER,
        EventCategory::Refusal | EventCategory::Trouble => TROUBLE,
        _ => QUIET,
    }
}
