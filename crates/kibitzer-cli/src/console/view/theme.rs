//! Styles of the screen, with and without color.

use kibitzer::core::{EventCategory, EventKind};
use ratatui::style::{Color, Modifier, Style};

/// The styles. Without color, weight, underlining and reversal replace it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Theme {
    has_color: bool,
}

impl Theme {
    pub(crate) const fn new(has_color: bool) -> Self {
        Self { has_color }
    }

    /// Uses color unless `NO_COLOR` is set to a non-empty value.
    pub(crate) fn from_environment() -> Self {
        Self::new(std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()))
    }

    pub(super) const fn has_color(self) -> bool {
        self.has_color
    }

    fn colored(self, color: Color) -> Style {
        if self.has_color { Style::new().fg(color) } else { Style::new() }
    }

    pub(super) fn dimmed(self) -> Style {
        if self.has_color { Style::new().fg(Color::DarkGray) } else { Style::new().add_modifier(Modifier::DIM) }
    }

    pub(super) fn title(self) -> Style {
        self.colored(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    pub(super) fn name(self) -> Style {
        self.colored(Color::Reset).add_modifier(Modifier::BOLD)
    }

    pub(super) fn error(self) -> Style {
        self.colored(Color::LightRed).add_modifier(Modifier::BOLD)
    }

    pub(super) fn success(self) -> Style {
        self.colored(Color::LightGreen).add_modifier(Modifier::BOLD)
    }

    /// The selected row.
    pub(super) fn selected(self) -> Style {
        if self.has_color {
            Style::new().bg(Color::Indexed(24)).add_modifier(Modifier::BOLD)
        } else {
            Style::new().add_modifier(Modifier::REVERSED)
        }
    }

    /// Bytes that are not printable; also breakpoints.
    pub(super) fn special(self) -> Style {
        self.colored(Color::LightYellow).add_modifier(Modifier::BOLD)
    }

    /// The clock of the player to move.
    pub(super) fn running(self) -> Style {
        self.colored(Color::LightYellow).add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
    }

    /// Sparklines.
    pub(super) fn sparkline(self) -> Style {
        self.colored(Color::LightBlue)
    }

    /// The kind of a row.
    pub(super) fn kind(self, kind: &str) -> Style {
        // Marks and a bot's actions are not events.
        let category = kind.parse::<EventKind>().map_or(EventCategory::Session, EventKind::category);
        match category {
            EventCategory::Sent => self.colored(Color::LightGreen).add_modifier(Modifier::BOLD),
            EventCategory::Session => self.colored(Color::LightMagenta).add_modifier(Modifier::BOLD),
            EventCategory::Board => self.colored(Color::Blue),
            EventCategory::Game | EventCategory::Login => self.colored(Color::Green),
            EventCategory::PrivateTalk => self.colored(Color::LightCyan),
            EventCategory::PublicTalk => self.colored(Color::Magenta),
            EventCategory::ChannelTalk | EventCategory::GameTalk => self.colored(Color::Cyan),
            EventCategory::Offer => self.colored(Color::Yellow),
            EventCategory::Refusal | EventCategory::Trouble => self.colored(Color::LightRed),
            _ => self.dimmed(),
        }
    }

    /// A square of the board, highlighted if it belongs to the last move.
    pub(super) fn square(self, is_light: bool, is_moved: bool) -> Style {
        let ground = match (is_moved, is_light) {
            (true, true) => Color::Indexed(180),
            (true, false) => Color::Indexed(137),
            (false, true) => Color::Indexed(109),
            (false, false) => Color::Indexed(66),
        };
        match (self.has_color, is_moved) {
            (true, _) => Style::new().bg(ground),
            (false, true) => Style::new().add_modifier(Modifier::REVERSED),
            (false, false) => Style::new(),
        }
    }

    /// A piece on its square.
    pub(super) fn piece(self, is_white: bool) -> Style {
        let color = if is_white { Color::Indexed(231) } else { Color::Indexed(16) };
        self.colored(color).add_modifier(Modifier::BOLD)
    }
}
