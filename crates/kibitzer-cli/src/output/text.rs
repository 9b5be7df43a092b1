//! Events as text for people, in color, boards drawn.

use std::fmt;
use std::io::{self, Write};
use std::time::Duration;

use anstyle::{Ansi256Color, AnsiColor, Style};
use clap::ValueEnum;
use kibitzer_core::chess::{Color, LastMove, Piece, Square};
use kibitzer_core::message::{ClockReading, Message, Style12};
use kibitzer_core::{Event, EventCategory, EventKind};

use super::TerminalSafe;

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

/// Options of the text output, also for screen readers.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct TextArgs {
    /// Boards to draw in text; the others are one line with the move and the clocks
    #[arg(long, value_enum, default_value_t)]
    boards: DrawnBoards,
    /// Begin each line of text with its time since the start of the session
    #[arg(long)]
    times: bool,
}

/// The boards that are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum DrawnBoards {
    /// None
    Never,
    /// Those of the login's own games
    Mine,
    /// All
    #[default]
    All,
}

/// Writes an event as a line, or as the lines of a board. With `--times`, its time is before the first line. Writes
/// nothing for a ping, nor for a listing, because its lines are events of their own.
///
/// The output contains escape sequences for color, which `out` has to remove if it shows none. Received text is escaped by
/// [`TerminalSafe`].
pub(crate) fn write_event(
    out: &mut impl Write,
    event: &Event,
    args: TextArgs,
    time: Option<Duration>,
) -> io::Result<()> {
    if event.kind() == EventKind::Ping || event.kind().category() == EventCategory::Listing {
        return Ok(());
    }
    if let Some(time) = time.filter(|_| args.times) {
        let time = i64::try_from(time.as_secs()).unwrap_or(i64::MAX).saturating_mul(1_000);
        write!(out, "{LABEL}{}{LABEL:#} ", ClockReading::from_ms(time))?;
    }
    if let Some(board) = event.board() {
        let is_drawn = match args.boards {
            DrawnBoards::Never => false,
            DrawnBoards::Mine => event.attribution().is_own_game(),
            DrawnBoards::All => true,
        };
        if !is_drawn {
            return write_styled_line(out, PLAIN, move_and_clocks(board));
        }
        if args.times && time.is_some() {
            writeln!(out)?;
        }
        return write_board(out, board, event.reported_move());
    }
    match (event.kind(), event.message()) {
        (kind, Some(Message::Talk(talk))) => write_talk(out, style_of(kind), event, &talk.text()),
        (kind, _) => write_styled_line(out, style_of(kind), TerminalSafe(&event.to_string())),
    }
}

/// Returns a board as one line: `game 1: 6. a4, white 4:57, black 4:58`.
fn move_and_clocks(board: &Style12) -> String {
    let played = numbered_move(board).unwrap_or_else(|| "no move yet".to_owned());
    let [white, black] = [Color::White, Color::Black].map(|color| board.clock(color));
    format!("game {}: {played}, white {white}, black {black}", board.game())
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

/// Formats a time of the session: `m:ss.mmm`, from an hour on `h:mm:ss.mmm`.
pub(crate) fn format_session_time(at: Duration) -> String {
    let (hours, minutes, seconds) = (at.as_secs() / 3600, at.as_secs() / 60 % 60, at.as_secs() % 60);
    let minutes = if hours > 0 { format!("{hours}:{minutes:02}") } else { minutes.to_string() };
    format!("{minutes}:{seconds:02}.{:03}", at.subsec_millis())
}

/// Writes a line in one style. Does not escape the text.
fn write_styled_line(out: &mut impl Write, style: Style, text: impl fmt::Display) -> io::Result<()> {
    writeln!(out, "{style}{text}{style:#}")
}

/// Writes a line of talk in one color, with everything before the spoken text `said`, such as the speaker, in bold.
fn write_talk(out: &mut impl Write, style: Style, event: &Event, said: &str) -> io::Result<()> {
    let text = TerminalSafe(&event.to_string()).to_string();
    let head = text.strip_suffix(&TerminalSafe(said).to_string()).unwrap_or_default();
    let bold = style.bold();
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

const LABEL: Style = Style::new().dimmed();
const NAME: Style = Style::new().bold();
const MOVE: Style = AnsiColor::Yellow.on_default().bold();
const WHITE_PIECE: Ansi256Color = Ansi256Color(231);
const BLACK_PIECE: Ansi256Color = Ansi256Color(16);
const LIGHT: Ansi256Color = Ansi256Color(109);
const DARK: Ansi256Color = Ansi256Color(66);
const LIGHT_MOVED: Ansi256Color = Ansi256Color(180);
const DARK_MOVED: Ansi256Color = Ansi256Color(137);

/// Writes a board as nine lines in color: eight rows, with players, clocks and move beside them, and the names of the files.
/// White's pieces are upper case. The board is drawn as the server suggests, else from White's side. The squares of `played`, the
/// last move, are highlighted.
fn write_board(out: &mut impl Write, board: &Style12, played: Option<LastMove>) -> io::Result<()> {
    let bottom = if board.flip() == Some(true) { Color::Black } else { Color::White };
    let beside = [
        player_text(board, bottom.opponent()),
        String::new(),
        move_text(board),
        String::new(),
        game_text(board),
        format!("material {}-{}", board.white_material(), board.black_material()),
        String::new(),
        player_text(board, bottom),
    ];
    for (row, beside) in (0..).zip(beside) {
        let rank = if bottom == Color::White { 7 - row } else { row };
        write!(out, " {LABEL}{}{LABEL:#} ", rank + 1)?;
        for column in 0..8 {
            let file = if bottom == Color::White { column } else { 7 - column };
            if let Some(square) = Square::new(file, rank) {
                write_square(out, square, board.board().piece(square), played)?;
            }
        }
        writeln!(out, "{}{beside}", if beside.is_empty() { "" } else { "   " })?;
    }
    let files = if bottom == Color::White { "a b c d e f g h" } else { "h g f e d c b a" };
    writeln!(out, "    {LABEL}{files}{LABEL:#}")
}

/// Writes a square with its piece in two cells; an empty square as a dot.
fn write_square(
    out: &mut impl Write,
    square: Square,
    piece: Option<Piece>,
    played: Option<LastMove>,
) -> io::Result<()> {
    let is_light = (square.file() + square.rank()) % 2 == 1;
    let ground = match (is_move_square(played, square), is_light) {
        (true, true) => LIGHT_MOVED,
        (true, false) => DARK_MOVED,
        (false, true) => LIGHT,
        (false, false) => DARK,
    };
    let style = match piece.map(|piece| piece.color) {
        Some(Color::White) => WHITE_PIECE.on(ground).bold(),
        Some(Color::Black) => BLACK_PIECE.on(ground).bold(),
        None => LABEL.bg_color(Some(ground.into())),
    };
    write!(out, "{style} {}{style:#}", piece.map_or('.', Piece::letter))
}

/// Returns whether a move started or ended on a square; for castling, whether the king or the rook started there. `false` without
/// a move.
pub(crate) fn is_move_square(played: Option<LastMove>, square: Square) -> bool {
    match played {
        Some(LastMove::Normal { from, to, .. }) => square == from || square == to,
        Some(LastMove::Drop { to, .. }) => square == to,
        Some(LastMove::Castle { king_from, rook_from, .. }) => king_from == Some(square) || rook_from == Some(square),
        _ => false,
    }
}

/// Returns a player's name and clock, with a mark for the side to move.
fn player_text(board: &Style12, color: Color) -> String {
    let name = TerminalSafe(board.player(color).as_str()).to_string();
    let turn = if board.side_to_move() == color { format!(" {MOVE}<{MOVE:#}") } else { String::new() };
    format!("{NAME}{name:<17}{NAME:#} {:>8}{turn}", board.clock(color).to_string())
}

/// Returns the last move with its number and the time it took, or `no move yet`.
fn move_text(board: &Style12) -> String {
    let Some(played) = board.numbered_move() else { return format!("{LABEL}no move yet{LABEL:#}") };
    let time = board.last_move().and_then(|last_move| last_move.elapsed_ms);
    let time = time.map(|ms| format!("  {LABEL}({}){LABEL:#}", ClockReading::from_ms(ms.into()))).unwrap_or_default();
    format!("{MOVE}{}{MOVE:#}{time}", TerminalSafe(&played))
}

/// Returns the number of the game, its initial minutes and increment in seconds, and whether it is examined or only shown.
fn game_text(board: &Style12) -> String {
    let part = if board.relation().is_isolated() {
        ", shown"
    } else if board.relation().is_examined() {
        ", examined"
    } else {
        ""
    };
    format!("game {}, {}+{}{part}", board.game(), board.initial_min(), board.increment_s())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_hours_minutes_and_seconds() {
        let cases = [
            (59_999, "0:59.999"),
            (3_599_000, "59:59.000"),
            (3_600_000, "1:00:00.000"),
            (363_725_001, "101:02:05.001"),
        ];
        for (ms, want) in cases {
            assert_eq!(format_session_time(Duration::from_millis(ms)), want);
        }
    }
}
