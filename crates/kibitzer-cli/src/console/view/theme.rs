//! Styles of the screen, with and without color.

use kibitzer::core::chess::{Color as Side, Role};
use kibitzer::core::{EventCategory, EventKind};
use ratatui::style::{Color, Modifier, Style};

use crate::console::input::{ColorTheme, PieceSet};

/// Colors of a theme, as indexes of the 256-color palette, without the first 16, which users redefine. The background is drawn,
/// too, so that every pair of colors is known; a test requires a contrast of 4.5:1 for each.
#[derive(Debug)]
struct Palette {
    background: u8,
    text: u8,
    dimmed: u8,
    title: u8,
    error: u8,
    success: u8,
    special: u8,
    sparkline: u8,
    selected_background: u8,
    selected_text: u8,
    session: u8,
    board: u8,
    game: u8,
    private_talk: u8,
    public_talk: u8,
    other_talk: u8,
    offer: u8,
}

const DARK: Palette = Palette {
    background: 16,
    text: 252,
    dimmed: 245,
    title: 80,
    error: 210,
    success: 114,
    special: 221,
    sparkline: 75,
    selected_background: 24,
    selected_text: 231,
    session: 176,
    board: 111,
    game: 78,
    private_talk: 123,
    public_talk: 182,
    other_talk: 80,
    offer: 179,
};

const LIGHT: Palette = Palette {
    background: 231,
    text: 16,
    dimmed: 241,
    title: 24,
    error: 124,
    success: 22,
    special: 94,
    sparkline: 25,
    selected_background: 153,
    selected_text: 16,
    session: 90,
    board: 25,
    game: 28,
    private_talk: 24,
    public_talk: 89,
    other_talk: 23,
    offer: 94,
};

/// Backgrounds of light and dark squares, then of light and dark squares of the last move. Only colors of medium lightness
/// contrast with both white and black pieces, so the squares differ in hue.
const SQUARES: [u8; 4] = [243, 29, 98, 63];
const WHITE_PIECE: u8 = 231;
const BLACK_PIECE: u8 = 16;

/// The styles of the screen, in color or without. Without color, bold, underlined and reversed text mark the same differences.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Theme {
    /// Colors; `None` draws without color.
    palette: Option<&'static Palette>,
    /// Characters of the pieces; `None` chooses them by color and character set.
    pieces: Option<PieceSet>,
    /// Whether the terminal shows ASCII characters only.
    is_ascii: bool,
}

impl Theme {
    /// Creates the dark theme, or one without color.
    pub(crate) const fn new(has_color: bool) -> Self {
        Self { palette: if has_color { Some(&DARK) } else { None }, pieces: None, is_ascii: false }
    }

    /// Returns the theme for this terminal: without color if `NO_COLOR` is set to a non-empty value; light if `COLORFGBG` names a
    /// light background; in ASCII if the locale has another character set than UTF-8.
    pub(crate) fn from_environment() -> Self {
        let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable);
        let colors =
            if has_light_background(variable("COLORFGBG").as_deref()) { ColorTheme::Light } else { ColorTheme::Dark };
        let theme = Self::new(variable("NO_COLOR").is_none()).with_choices(Some(colors), None);
        Self { is_ascii: locale.is_some_and(|locale| !is_utf8(&locale)), ..theme }
    }

    /// Returns the theme with the user's choices; `None` changes nothing. A theme without color ignores the choice of colors.
    pub(crate) fn with_choices(self, colors: Option<ColorTheme>, pieces: Option<PieceSet>) -> Self {
        let palette = self.palette.map(|palette| match colors {
            None => palette,
            Some(ColorTheme::Dark) => &DARK,
            Some(ColorTheme::Light) => &LIGHT,
        });
        Self { palette, pieces: pieces.or(self.pieces), ..self }
    }

    #[cfg(test)]
    pub(crate) const fn ascii(self) -> Self {
        Self { is_ascii: true, ..self }
    }

    pub(super) const fn is_ascii(self) -> bool {
        self.is_ascii
    }

    pub(super) const fn has_color(self) -> bool {
        self.palette.is_some()
    }

    /// Returns a style with a color of the palette; without color, the default style.
    fn colored(self, color: fn(&Palette) -> u8) -> Style {
        self.palette.map_or_else(Style::new, |palette| Style::new().fg(Color::Indexed(color(palette))))
    }

    /// Returns the style of plain text and of the background of the screen.
    pub(super) fn base(self) -> Style {
        let text = self.colored(|palette| palette.text);
        self.palette.map_or(text, |palette| text.bg(Color::Indexed(palette.background)))
    }

    /// Returns the style of less important text.
    pub(super) fn dimmed(self) -> Style {
        if self.has_color() { self.colored(|palette| palette.dimmed) } else { Style::new().add_modifier(Modifier::DIM) }
    }

    /// Returns the style of titles.
    pub(super) fn title(self) -> Style {
        self.colored(|palette| palette.title).add_modifier(Modifier::BOLD)
    }

    /// Returns the style of names, such as those of players and games.
    pub(super) fn emphasized(self) -> Style {
        self.colored(|palette| palette.text).add_modifier(Modifier::BOLD)
    }

    /// Returns the style of errors, and of a source that is not ready or does not play.
    pub(super) fn error(self) -> Style {
        self.colored(|palette| palette.error).add_modifier(Modifier::BOLD)
    }

    /// Returns the style of good news: notices, results, and a source that is ready or plays.
    pub(super) fn success(self) -> Style {
        self.colored(|palette| palette.success).add_modifier(Modifier::BOLD)
    }

    /// Returns the style of a selected row or field. It replaces the colors of the parts, not all of which contrast with its
    /// background.
    pub(super) fn selected(self) -> Style {
        match self.palette {
            Some(palette) => self
                .colored(|palette| palette.selected_text)
                .bg(Color::Indexed(palette.selected_background))
                .add_modifier(Modifier::BOLD),
            None => Style::new().add_modifier(Modifier::REVERSED),
        }
    }

    /// Returns the style of what must catch the eye: breakpoints, offers, the ruler, bytes that are not printable.
    pub(super) fn accent(self) -> Style {
        self.colored(|palette| palette.special).add_modifier(Modifier::BOLD)
    }

    /// Returns the style of the clock of the player to move.
    pub(super) fn running_clock(self) -> Style {
        self.accent().add_modifier(Modifier::UNDERLINED)
    }

    /// Returns the style of sparklines.
    pub(super) fn sparkline(self) -> Style {
        self.colored(|palette| palette.sparkline)
    }

    /// Returns the style of rows with one of [`ROW_COLORS`](crate::console::input::ROW_COLORS), which the user chose; without
    /// color they are underlined.
    pub(crate) fn row_color(self, name: &str) -> Style {
        let style = match name {
            "red" => self.error(),
            "yellow" => self.accent(),
            "green" => self.success(),
            "cyan" => self.title(),
            "blue" => self.colored(|palette| palette.board),
            _ => self.colored(|palette| palette.session),
        };
        if self.has_color() { style } else { style.add_modifier(Modifier::UNDERLINED) }
    }

    /// Returns the style of a row's kind, by the category of events with that name. Other rows, such as marks, look like events
    /// of the session.
    pub(super) fn row_kind(self, kind: &str) -> Style {
        // Marks and a bot's actions are not events.
        let category = kind.parse::<EventKind>().map_or(EventCategory::Session, EventKind::category);
        match category {
            EventCategory::Sent => self.success(),
            EventCategory::Session => self.colored(|palette| palette.session).add_modifier(Modifier::BOLD),
            EventCategory::Board => self.colored(|palette| palette.board),
            EventCategory::Game | EventCategory::Login => self.colored(|palette| palette.game),
            EventCategory::PrivateTalk => self.colored(|palette| palette.private_talk),
            EventCategory::PublicTalk => self.colored(|palette| palette.public_talk),
            EventCategory::ChannelTalk | EventCategory::GameTalk => self.colored(|palette| palette.other_talk),
            EventCategory::Offer => self.colored(|palette| palette.offer),
            EventCategory::Refusal | EventCategory::Trouble => self.colored(|palette| palette.error),
            _ => self.dimmed(),
        }
    }

    /// Returns the style of a square; `is_moved` highlights it.
    pub(super) fn square(self, is_light: bool, is_moved: bool) -> Style {
        let [light, dark, light_moved, dark_moved] = SQUARES;
        let background = match (is_moved, is_light) {
            (true, true) => light_moved,
            (true, false) => dark_moved,
            (false, true) => light,
            (false, false) => dark,
        };
        match (self.has_color(), is_moved) {
            (true, _) => Style::new().fg(Color::Indexed(WHITE_PIECE)).bg(Color::Indexed(background)),
            (false, true) => Style::new().add_modifier(Modifier::REVERSED),
            (false, false) => Style::new(),
        }
    }

    /// Returns the style of a piece, without the background of its square.
    pub(super) fn piece(self, is_white: bool) -> Style {
        let color = Color::Indexed(if is_white { WHITE_PIECE } else { BLACK_PIECE });
        let style = Style::new().add_modifier(Modifier::BOLD);
        if self.has_color() { style.fg(color) } else { style }
    }

    /// Returns the character of a piece. Without color it differs between the sides.
    pub(super) fn glyph(self, role: Role, side: Side) -> char {
        let default = if self.has_color() { PieceSet::Filled } else { PieceSet::Ascii };
        let letter = role.letter();
        match self.pieces.unwrap_or(default) {
            PieceSet::Filled if !self.is_ascii => figurine(role, self.has_color() || side == Side::Black),
            PieceSet::Filled | PieceSet::Letters if self.has_color() => letter.to_ascii_uppercase(),
            _ if side == Side::White => letter.to_ascii_uppercase(),
            _ => letter.to_ascii_lowercase(),
        }
    }
}

/// Returns the chess symbol of a piece, filled or as an outline.
const fn figurine(role: Role, is_filled: bool) -> char {
    let (outline, filled) = match role {
        Role::King => ('\u{2654}', '\u{265a}'),
        Role::Queen => ('\u{2655}', '\u{265b}'),
        Role::Rook => ('\u{2656}', '\u{265c}'),
        Role::Bishop => ('\u{2657}', '\u{265d}'),
        Role::Knight => ('\u{2658}', '\u{265e}'),
        Role::Pawn => ('\u{2659}', '\u{265f}'),
    };
    if is_filled { filled } else { outline }
}

/// Returns whether a value of `COLORFGBG`, such as `0;15`, names a light background: white or light gray.
fn has_light_background(value: Option<&str>) -> bool {
    value.and_then(|value| value.rsplit(';').next()).is_some_and(|background| matches!(background, "7" | "15"))
}

fn is_utf8(locale: &str) -> bool {
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Relative luminance of a color of the palette, by the rule of WCAG 2.
    fn luminance(color: Color) -> f64 {
        let Color::Indexed(number @ 16..) = color else { panic!("{color:?} depends on the terminal") };
        let level = |place: u8| [0_u8, 95, 135, 175, 215, 255][usize::from((number - 16) / place % 6)];
        let rgb = if number >= 232 { [8 + 10 * (number - 232); 3] } else { [level(36), level(6), level(1)] };
        let linear = rgb.map(|value| match f64::from(value) / 255.0 {
            low @ ..=0.04045 => low / 12.92,
            high => ((high + 0.055) / 1.055).powf(2.4),
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    pub(crate) fn contrast(one: Color, other: Color) -> f64 {
        let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
        one.max(other) / one.min(other)
    }

    fn themes() -> [Theme; 2] {
        [ColorTheme::Dark, ColorTheme::Light].map(|colors| Theme::new(true).with_choices(Some(colors), None))
    }

    #[test]
    fn every_pair_of_colors_has_a_contrast_of_4_5() {
        for theme in themes() {
            let background = theme.base().bg.unwrap();
            let mut styles =
                vec![theme.base(), theme.dimmed(), theme.title(), theme.emphasized(), theme.error(), theme.success()];
            styles.extend([theme.accent(), theme.running_clock(), theme.sparkline(), theme.selected()]);
            styles.extend(EventKind::ALL.iter().map(|kind| theme.row_kind(kind.as_str())));
            for style in styles {
                let pair = (style.fg.unwrap(), style.bg.unwrap_or(background));
                assert!(contrast(pair.0, pair.1) >= 4.5, "{pair:?}");
            }
            for (is_light, is_moved, is_white) in (0..8).map(|n| (n & 1 > 0, n & 2 > 0, n & 4 > 0)) {
                let pair = (theme.piece(is_white).fg.unwrap(), theme.square(is_light, is_moved).bg.unwrap());
                assert!(contrast(pair.0, pair.1) >= 4.5, "{pair:?}");
            }
        }
    }

    #[test]
    fn the_sides_differ_in_color_or_in_their_characters() {
        let sets = [None, Some(PieceSet::Ascii), Some(PieceSet::Letters), Some(PieceSet::Filled)];
        for (pieces, has_color) in sets.into_iter().flat_map(|set| [(set, true), (set, false)]) {
            let theme = Theme::new(has_color).with_choices(None, pieces);
            for theme in [theme, theme.ascii()] {
                for role in Role::ALL {
                    let looks = Side::BOTH.map(|side| (theme.glyph(role, side), theme.piece(side == Side::White).fg));
                    assert_ne!(looks[0], looks[1], "{pieces:?} {has_color}");
                    assert!(!theme.is_ascii() || looks[0].0.is_ascii());
                }
            }
        }
    }

    #[test]
    fn the_environment_is_understood() {
        assert!(is_utf8("en_US.UTF-8") && is_utf8("C.utf8") && !is_utf8("C") && !is_utf8("de_DE.ISO-8859-1"));
        let grounds = [None, Some("15;0"), Some("0;15"), Some("0;default;7")].map(has_light_background);
        assert_eq!(grounds, [false, false, true, true]);
    }
}
