//! Styles of the screen, with and without color.

use kibitzer_core::chess::{Color as Side, Role};
use kibitzer_core::{EventCategory, EventKind};
use ratatui::style::{Color, Modifier, Style};

use crate::console::app::{ColorTheme, PieceSet};

/// A color in the dark and in the light theme, as indexes of the 256-color palette, without the first 16, which users redefine.
/// The background is drawn, too, so that every pair of colors is known; a test requires a contrast of 4.5:1 for each text.
struct Ink {
    dark: u8,
    light: u8,
}

const BACKGROUND: Ink = Ink { dark: 16, light: 231 };
const TEXT: Ink = Ink { dark: 252, light: 16 };
const DIMMED: Ink = Ink { dark: 245, light: 241 };
const TITLE: Ink = Ink { dark: 80, light: 24 };
const ERROR: Ink = Ink { dark: 210, light: 124 };
const SUCCESS: Ink = Ink { dark: 114, light: 22 };
const SPECIAL: Ink = Ink { dark: 221, light: 94 };
const SPARKLINE: Ink = Ink { dark: 75, light: 25 };
const SELECTED_BACKGROUND: Ink = Ink { dark: 24, light: 153 };
const SELECTED_TEXT: Ink = Ink { dark: 231, light: 16 };
const SESSION: Ink = Ink { dark: 176, light: 90 };
const BOARD: Ink = Ink { dark: 111, light: 25 };
const GAME: Ink = Ink { dark: 78, light: 28 };
const PRIVATE_TALK: Ink = Ink { dark: 123, light: 24 };
const PUBLIC_TALK: Ink = Ink { dark: 182, light: 89 };
const OTHER_TALK: Ink = Ink { dark: 80, light: 23 };
const OFFER: Ink = Ink { dark: 179, light: 94 };

/// Backgrounds of light and dark squares, then of light and dark squares of the last move: brown and blue, which people without
/// red or green cones tell apart. Light and dark differ by 1.5:1 in contrast, and both contrast with all pieces by 3:1. The last one is
/// that of a king in check.
const SQUARES: [u8; 5] = [137, 94, 69, 26, 160];
const WHITE_PIECE: u8 = 231;
const BLACK_PIECE: u8 = 16;

/// The styles of the screen, in color or without. Without color, bold, underlined and reversed text mark the same differences.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Theme {
    /// `None` draws without color.
    colors: Option<ColorTheme>,
    /// Characters of the pieces; `None` chooses them by color and character set.
    pieces: Option<PieceSet>,
    /// Whether the terminal shows ASCII characters only.
    pub(super) is_ascii: bool,
}

impl Theme {
    /// Creates the dark theme, or one without color.
    #[cfg(test)]
    pub(crate) const fn new(has_color: bool) -> Self {
        Self { colors: if has_color { Some(ColorTheme::Dark) } else { None }, pieces: None, is_ascii: false }
    }

    /// Returns the theme for this terminal: without color if `NO_COLOR` is set to a non-empty value, and if the
    /// terminal is not known to show [256 colors](has_256_colors); light if `COLORFGBG` names a light background; in
    /// ASCII if the locale has another character set than UTF-8.
    pub(crate) fn from_environment() -> Self {
        let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable);
        let is_light = has_light_background(variable("COLORFGBG").as_deref());
        let has_color = variable("NO_COLOR").is_none()
            && has_256_colors(variable("TERM").as_deref(), variable("COLORTERM").as_deref());
        let colors = if is_light { ColorTheme::Light } else { ColorTheme::Dark };
        Self {
            colors: has_color.then_some(colors),
            pieces: None,
            is_ascii: locale.is_some_and(|locale| !is_utf8(&locale)),
        }
    }

    /// Returns the theme with the user's choices; `None` changes nothing. A theme without color ignores the choice of colors.
    pub(crate) fn with_choices(self, colors: Option<ColorTheme>, pieces: Option<PieceSet>) -> Self {
        Self { colors: self.colors.map(|own| colors.unwrap_or(own)), pieces: pieces.or(self.pieces), ..self }
    }

    #[cfg(test)]
    pub(crate) const fn ascii(self) -> Self {
        Self { is_ascii: true, ..self }
    }

    pub(super) const fn has_color(self) -> bool {
        self.colors.is_some()
    }

    /// Returns a color of the theme; the default color of the terminal without color.
    fn color(self, ink: &Ink) -> Color {
        match self.colors {
            Some(ColorTheme::Dark) => Color::Indexed(ink.dark),
            Some(ColorTheme::Light) => Color::Indexed(ink.light),
            None => Color::Reset,
        }
    }

    /// Returns a style with a color of the theme; without color, the default style.
    fn colored(self, ink: &Ink) -> Style {
        if self.has_color() { Style::new().fg(self.color(ink)) } else { Style::new() }
    }

    /// Returns the style of plain text and of the background of the screen.
    pub(super) fn base(self) -> Style {
        if self.has_color() { self.colored(&TEXT).bg(self.color(&BACKGROUND)) } else { Style::new() }
    }

    /// Returns the style of less important text.
    pub(super) fn dimmed(self) -> Style {
        if self.has_color() { self.colored(&DIMMED) } else { Style::new().add_modifier(Modifier::DIM) }
    }

    /// Returns the style of titles.
    pub(super) fn title(self) -> Style {
        self.colored(&TITLE).add_modifier(Modifier::BOLD)
    }

    /// Returns the style of names, such as those of players and games.
    pub(super) fn emphasized(self) -> Style {
        self.colored(&TEXT).add_modifier(Modifier::BOLD)
    }

    /// Returns the style of errors, and of a source that is not ready or does not play.
    pub(super) fn error(self) -> Style {
        self.colored(&ERROR).add_modifier(Modifier::BOLD)
    }

    /// Returns the style of good news: notices, results, and a source that is ready or plays.
    pub(super) fn success(self) -> Style {
        self.colored(&SUCCESS).add_modifier(Modifier::BOLD)
    }

    /// Returns the style of a selected row or field. It replaces the colors of the parts, not all of which contrast with its
    /// background.
    pub(super) fn selected(self) -> Style {
        if !self.has_color() {
            return Style::new().add_modifier(Modifier::REVERSED);
        }
        self.colored(&SELECTED_TEXT).bg(self.color(&SELECTED_BACKGROUND)).add_modifier(Modifier::BOLD)
    }

    /// Returns the style of what must catch the eye: breakpoints, offers, bytes that are not printable.
    pub(super) fn accent(self) -> Style {
        self.colored(&SPECIAL).add_modifier(Modifier::BOLD)
    }

    /// Returns the style of the clock of the player to move.
    pub(super) fn running_clock(self) -> Style {
        self.accent().add_modifier(Modifier::UNDERLINED)
    }

    /// Returns the style of sparklines.
    pub(super) fn sparkline(self) -> Style {
        self.colored(&SPARKLINE)
    }

    /// Returns the style of a row's kind, by the category of events with that name. Other rows, such as marks, look like events
    /// of the session.
    pub(super) fn row_kind(self, kind: &str) -> Style {
        // Marks and a bot's actions are not events.
        let category = kind.parse::<EventKind>().map_or(EventCategory::Session, EventKind::category);
        match category {
            EventCategory::Sent => self.success(),
            EventCategory::Session => self.colored(&SESSION).add_modifier(Modifier::BOLD),
            EventCategory::Board => self.colored(&BOARD),
            EventCategory::Game | EventCategory::Login => self.colored(&GAME),
            EventCategory::PrivateTalk => self.colored(&PRIVATE_TALK),
            EventCategory::PublicTalk => self.colored(&PUBLIC_TALK),
            EventCategory::ChannelTalk | EventCategory::GameTalk => self.colored(&OTHER_TALK),
            EventCategory::Offer => self.colored(&OFFER),
            EventCategory::Refusal | EventCategory::Trouble => self.colored(&ERROR),
            _ => self.dimmed(),
        }
    }

    /// Returns the style of a square; `is_moved` highlights it.
    pub(super) fn square(self, is_light: bool, is_moved: bool) -> Style {
        let [light, dark, light_moved, dark_moved, _] = SQUARES;
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

    /// Returns the style of the square of a king in check.
    pub(super) fn check_square(self) -> Style {
        let [.., check] = SQUARES;
        let moved = self.square(true, true);
        if self.has_color() { moved.bg(Color::Indexed(check)) } else { moved }
    }

    /// Returns the style of a piece, without the background of its square.
    pub(super) fn piece(self, side: Side) -> Style {
        let color = Color::Indexed(if side == Side::White { WHITE_PIECE } else { BLACK_PIECE });
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

/// Starts of the names of terminals that show 256 colors, whether or not the name says so.
const TERMINALS_OF_256_COLORS: [&str; 13] = [
    "alacritty",
    "contour",
    "foot",
    "gnome",
    "kitty",
    "konsole",
    "mintty",
    "putty",
    "rxvt",
    "screen",
    "tmux",
    "wezterm",
    "xterm",
];

/// Returns whether the terminal shows 256 colors: `COLORTERM` is set, or `TERM` says so or is the name of such a
/// terminal. A VT100 and the console of Linux do not. Without `TERM`, only Windows does.
fn has_256_colors(term: Option<&str>, color_term: Option<&str>) -> bool {
    let Some(terminal) = term else { return cfg!(windows) };
    let is_known = TERMINALS_OF_256_COLORS.iter().any(|start| terminal.starts_with(start));
    let has_fewer = ["-mono", "-16color", "-88color", "-r5", "-r6"].iter().any(|end| terminal.ends_with(end))
        || ["vt100", ".linux"].iter().any(|part| terminal.contains(part));
    color_term.is_some() || terminal.contains("256color") || (is_known && !has_fewer)
}

fn is_utf8(locale: &str) -> bool {
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Linear red, green and blue of a color of the palette, by the rule of WCAG 2.
    fn linear_rgb(color: Color) -> [f64; 3] {
        let Color::Indexed(number @ 16..) = color else { panic!("{color:?} depends on the terminal") };
        let level = |place: u8| [0_u8, 95, 135, 175, 215, 255][usize::from((number - 16) / place % 6)];
        let rgb = if number >= 232 { [8 + 10 * (number - 232); 3] } else { [level(36), level(6), level(1)] };
        rgb.map(|value| match f64::from(value) / 255.0 {
            low @ ..=0.04045 => low / 12.92,
            high => ((high + 0.055) / 1.055).powf(2.4),
        })
    }

    /// Returns linear red, green and blue as a normal or a deuteranopic eye perceives them.
    type Eyes = fn([f64; 3]) -> [f64; 3];

    fn normal(rgb: [f64; 3]) -> [f64; 3] {
        rgb
    }

    /// Deuteranopia. Source: Machado, Oliveira, Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency",
    /// IEEE Transactions on Visualization and Computer Graphics 15 (6), 2009: the matrix of severity 1.0.
    fn deuteranopic(rgb: [f64; 3]) -> [f64; 3] {
        const MATRIX: [[f64; 3]; 3] =
            [[0.367_322, 0.860_646, -0.227_968], [0.280_085, 0.672_501, 0.047_413], [-0.011_820, 0.042_940, 0.968_881]];
        MATRIX.map(|row| row.iter().zip(rgb).map(|(factor, value)| factor * value).sum::<f64>().clamp(0.0, 1.0))
    }

    /// Relative luminance, by the rule of WCAG 2.
    fn luminance([red, green, blue]: [f64; 3]) -> f64 {
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    fn contrast_for(eyes: Eyes, one: Color, other: Color) -> f64 {
        let [one, other] = [one, other].map(|color| luminance(eyes(linear_rgb(color))) + 0.05);
        one.max(other) / one.min(other)
    }

    pub(crate) fn contrast(one: Color, other: Color) -> f64 {
        contrast_for(normal, one, other)
    }

    /// Whether a color is a background of squares.
    pub(crate) fn is_square(color: Color) -> bool {
        matches!(color, Color::Indexed(number) if SQUARES.contains(&number))
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
        }
    }

    #[test]
    fn squares_differ_in_lightness_and_pieces_contrast_with_them() {
        let eyes: [(&str, Eyes); 2] = [("normal", normal), ("deuteranopic", deuteranopic)];
        for (theme, (name, eyes)) in themes().into_iter().flat_map(|theme| eyes.map(|eyes| (theme, eyes))) {
            let ground = |is_light, is_moved| theme.square(is_light, is_moved).bg.unwrap();
            for (light, dark) in [false, true].into_iter().flat_map(|one| [false, true].map(|other| (one, other))) {
                let (light, dark) = (ground(true, light), ground(false, dark));
                assert!(contrast_for(eyes, light, dark) >= 1.5, "{name}: {light:?} {dark:?}");
                for (side, square) in Side::BOTH.into_iter().flat_map(|side| [(side, light), (side, dark)]) {
                    let piece = theme.piece(side).fg.unwrap();
                    assert!(contrast_for(eyes, piece, square) >= 3.0, "{name}: {piece:?} {square:?}");
                }
            }
            for side in Side::BOTH {
                let check = (theme.piece(side).fg.unwrap(), theme.check_square().bg.unwrap());
                assert!(contrast_for(eyes, check.0, check.1) >= 3.0, "{name}: {check:?}");
            }
            // A move is seen by its hue: more or less blue.
            for is_light in [false, true] {
                let blue = [false, true].map(|is_moved| eyes(linear_rgb(ground(is_light, is_moved)))[2]);
                assert!(blue[1] > blue[0] + 0.3, "{name}: {blue:?}");
            }
        }
    }

    #[test]
    fn only_terminals_of_256_colors_get_them() {
        for terminal in ["vt100", "vt220", "ansi", "linux", "xterm-mono", "rxvt-16color", "unknown"] {
            assert!(!has_256_colors(Some(terminal), None), "{terminal}");
        }
        for terminal in ["putty-vt100", "xterm-r5", "xterm-r6", "screen.vt100", "screen.linux"] {
            assert!(!has_256_colors(Some(terminal), None), "{terminal}");
        }
        for terminal in ["xterm", "xterm-256color", "screen", "tmux-256color", "xterm-kitty", "some-256color"] {
            assert!(has_256_colors(Some(terminal), None), "{terminal}");
        }
        assert!(has_256_colors(Some("vt100"), Some("truecolor")));
    }

    #[test]
    fn the_sides_differ_in_color_or_in_their_characters() {
        let sets = [None, Some(PieceSet::Ascii), Some(PieceSet::Letters), Some(PieceSet::Filled)];
        for (pieces, has_color) in sets.into_iter().flat_map(|set| [(set, true), (set, false)]) {
            let theme = Theme::new(has_color).with_choices(None, pieces);
            for theme in [theme, theme.ascii()] {
                for role in Role::ALL {
                    let looks = Side::BOTH.map(|side| (theme.glyph(role, side), theme.piece(side).fg));
                    assert_ne!(looks[0], looks[1], "{pieces:?} {has_color}");
                    assert!(!theme.is_ascii || looks[0].0.is_ascii());
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
