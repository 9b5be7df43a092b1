//! Events as text for people: the server's own words in color, datagrams in words, boards drawn.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use kibitzer::core::Event;
use kibitzer::core::message::{
    Datagram, GameInfo, Handle, Holding, Pending, PendingDirection, Rating, Seek, Talk, TalkKind,
};
use kibitzer::core::text::{ServerText, decode};

use super::entry::Entry;
use super::told::Told;
use super::{Shown, board, life};

const PLAIN: Style = Style::new();
pub(super) const QUIET: Style = Style::new().dimmed();
pub(super) const NEWS: Style = AnsiColor::Green.on_default();
const OFFER: Style = AnsiColor::Yellow.on_default();
pub(super) const TROUBLE: Style = AnsiColor::Red.on_default();
const TO_ME: Style = AnsiColor::BrightCyan.on_default();
const TO_ALL: Style = AnsiColor::Magenta.on_default();
const TO_CHANNEL: Style = AnsiColor::BrightBlue.on_default();
const OF_GAME: Style = AnsiColor::Cyan.on_default();

/// Writes the event's line, or the lines of a board, if it has any. The styles are escapes: `out` has to remove them where
/// they are not wanted. Of what was received nothing but printable characters gets through.
pub(crate) fn write(out: &mut impl Write, event: &Event) -> io::Result<()> {
    let Some(entry) = Entry::of(event) else {
        return Ok(());
    };
    let raw = match event {
        Event::Received { received, .. } if received.is_datagram() => Cow::default(),
        _ => decode(event.raw()),
    };
    match &entry {
        Entry::Position(position) => board::write(out, position),
        Entry::Talk(talk) if raw.is_empty() => write_talk(out, talk, &Told(&entry).to_string()),
        Entry::Talk(talk) => write_talk(out, talk, &raw),
        Entry::OverLong { bytes, .. } => line(out, TROUBLE, format_args!("{} ... ({bytes} bytes)", Shown(&raw))),
        // The server's own words, where it has any.
        _ if is_readable(&raw) => line(out, style(&entry), Shown(&raw)),
        Entry::Holding(holding) => write_holding(out, holding),
        Entry::GameInfo(info) => write_info(out, info),
        Entry::Arrived(name, _) => line(out, NEWS, format_args!("{} has arrived", name_of(name))),
        Entry::Departed(name, _) => line(out, NEWS, format_args!("{} has departed", name_of(name))),
        Entry::Pending(pending) => write_pending(out, pending),
        Entry::PendingRemoved(removed) => line(out, QUIET, format_args!("offers gone: {}", Numbers(&removed.indexes))),
        Entry::Seek(seek) => write_seek(out, seek),
        Entry::SeeksRemoved(removed) => line(out, QUIET, format_args!("seeks gone: {}", Numbers(&removed.indexes))),
        Entry::SeeksCleared => line(out, QUIET, "no seeks"),
        Entry::LoginPrompt => line(out, NEWS, "login:"),
        Entry::PasswordPrompt => line(out, NEWS, "password:"),
        Entry::GuestPrompt(name) => line(out, NEWS, format_args!("enter as {}?", name_of(name))),
        Entry::Prompt => line(out, QUIET, "%"),
        Entry::BlockStart { id, code } => line(out, QUIET, format_args!("reply {id} to command {code}:")),
        Entry::BlockEnd { id, complete: true } => line(out, QUIET, format_args!("end of reply {id}")),
        Entry::BlockEnd { id, complete: false } => line(out, TROUBLE, format_args!("reply {id} is cut")),
        Entry::Datagram(datagram) => write_datagram(out, datagram),
        Entry::UnitStart(header) => {
            line(out, QUIET, format_args!("unit {} of {}:", header.command, Shown(header.player.as_str())))
        }
        Entry::UnitEnd => line(out, QUIET, "end of unit"),
        Entry::Overflow => line(out, TROUBLE, "the server dropped the rest"),
        Entry::Telnet { command, option } => write_telnet(out, *command, *option),
        Entry::Session(life) => life::text::write(out, life),
        Entry::Desync(desync) => line(out, TROUBLE, format_args!("game {}: {}", desync.game, desync.reason)),
        Entry::Missed(missed) => {
            let (game, from, to) = (missed.game, missed.from_ply, missed.to_ply);
            line(out, TROUBLE, format_args!("game {game}: plies {from} to {to} are missing"))
        }
        // What came in a datagram has no line to show; neither have lines without a text.
        _ if raw.is_empty() => line(out, style(&entry), Told(&entry)),
        _ => line(out, PLAIN, Shown(&raw)),
    }
}

/// Writes that a recording ends inside this line.
pub(crate) fn write_cut(out: &mut impl Write, number: u64) -> io::Result<()> {
    line(out, TROUBLE, format_args!("* {}", cut(number)))
}

/// Returns that a recording ends inside this line, in words.
pub(crate) fn cut(line: u64) -> String {
    format!("the recording ends inside line {line}")
}

pub(super) fn line(out: &mut impl Write, style: Style, text: impl fmt::Display) -> io::Result<()> {
    writeln!(out, "{style}{text}{style:#}")
}

/// Whether the server put the line in words, rather than in a datagram for programs.
fn is_readable(raw: &str) -> bool {
    !raw.is_empty() && !raw.starts_with('<')
}

/// The style of a line that is printed as the server sent it.
fn style(entry: &Entry<'_>) -> Style {
    match entry {
        Entry::GameCreated(_) | Entry::GameEnded(_) | Entry::Observing(_) => NEWS.bold(),
        Entry::Arrived(..) | Entry::Departed(..) | Entry::LoggedIn(_) => NEWS,
        Entry::Challenge(_) => OFFER.bold(),
        Entry::Offer(_) => OFFER,
        Entry::LoginRefused { .. } | Entry::Kicked(_) => TROUBLE.bold(),
        Entry::Refused { .. } | Entry::OverLong { .. } => TROUBLE,
        Entry::Seek(_) | Entry::SeeksRemoved(_) => QUIET,
        _ => PLAIN,
    }
}

/// Writes a line of chat, all of it in the color of its kind, who speaks and how in bold.
fn write_talk(out: &mut impl Write, talk: &Talk, raw: &str) -> io::Result<()> {
    let style = match talk.kind {
        TalkKind::Tell | TalkKind::Say { .. } | TalkKind::PartnerTell | TalkKind::Message => TO_ME,
        TalkKind::Shout | TalkKind::ItShout | TalkKind::CShout | TalkKind::Announcement => TO_ALL,
        TalkKind::ChannelTell { .. } => TO_CHANNEL,
        _ => OF_GAME,
    };
    let said = talk.text.as_str();
    let (head, bold) = (raw.strip_suffix(said).unwrap_or(raw), style.bold());
    writeln!(out, "{bold}{}{bold:#}{style}{}{style:#}", Shown(head), Shown(said))
}

fn write_holding(out: &mut impl Write, holding: &Holding) -> io::Result<()> {
    let (white, black) = (holding.white_letters.as_str(), holding.black_letters.as_str());
    write!(out, "{OF_GAME}game {} reserves: white [{white}] black [{black}]", holding.game)?;
    if let Some((to, piece)) = holding.passed {
        write!(out, ", {to} got {}", piece.letter())?;
    }
    writeln!(out, "{OF_GAME:#}")
}

fn write_info(out: &mut impl Write, info: &GameInfo) -> io::Result<()> {
    let rated = rated(info.rated);
    let kind = info.kind.as_ref().map_or("", ServerText::as_str);
    let [white, black] = [info.white_rating, info.black_rating].map(rating_of);
    line(out, NEWS, format_args!("game {}: {rated}{}, ratings {white} and {black}", info.game, Shown(kind)))
}

fn write_pending(out: &mut impl Write, pending: &Pending) -> io::Result<()> {
    let direction = match pending.direction {
        PendingDirection::To => "to",
        PendingDirection::From => "from",
    };
    let terms = match pending.parameters.as_str() {
        "" | "#" => String::new(),
        terms => format!(": {}", Shown(terms)),
    };
    let (index, kind) = (pending.index, Shown(pending.kind.as_str()));
    line(out, OFFER, format_args!("offer {index} {direction} {}, {kind}{terms}", name_of(&pending.name)))
}

fn write_seek(out: &mut impl Write, seek: &Seek) -> io::Result<()> {
    write!(out, "{QUIET}seek {}: {} ({})", seek.index, name_of(&seek.name), rating_of(seek.rating))?;
    if let (Some(initial), Some(increment)) = (seek.initial_min, seek.increment_s) {
        write!(out, " {initial}+{increment}")?;
    }
    write!(out, " {}{}", rated(seek.rated), Shown(seek.kind.as_ref().map_or("", ServerText::as_str)))?;
    if let Some(color) = seek.color {
        write!(out, ", {color}")?;
    }
    writeln!(out, "{QUIET:#}")
}

fn write_datagram(out: &mut impl Write, datagram: &Datagram) -> io::Result<()> {
    write!(out, "{QUIET}datagram {}:", datagram.number)?;
    for field in &datagram.fields {
        write!(out, " {{{}}}", Shown(field.as_str()))?;
    }
    writeln!(out, "{QUIET:#}")
}

fn write_telnet(out: &mut impl Write, command: Option<&str>, option: Option<u8>) -> io::Result<()> {
    let option = option.map_or_else(String::new, |option| format!(" {option}"));
    line(out, QUIET, format_args!("telnet {}{option}", command.unwrap_or("command")))
}

pub(super) fn name_of(name: &Handle) -> Shown<'_> {
    Shown(name.as_str())
}

const fn rated(rated: Option<bool>) -> &'static str {
    match rated {
        Some(true) => "rated ",
        Some(false) => "unrated ",
        None => "",
    }
}

/// The rating to print: datagrams have 0 for players without one.
fn rating_of(rating: Option<Rating>) -> Rating {
    rating.filter(|rating| rating.value() != Some(0)).unwrap_or(Rating::Unrated)
}

/// Numbers with blanks between them.
struct Numbers<'a>(&'a [u32]);

impl fmt::Display for Numbers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, number) in self.0.iter().enumerate() {
            write!(f, "{}{number}", if place == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}
