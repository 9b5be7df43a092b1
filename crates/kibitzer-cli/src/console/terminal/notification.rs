//! Escape sequences of notifications.

/// How a terminal shows notifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotificationForm {
    /// The sequence OSC 9, as in kitty, `iTerm2` and `WezTerm`; terminals that do not know it ignore it.
    Osc9,
    /// The sequence OSC 777 of rxvt, foot and VTE.
    Osc777,
    /// The terminal has no such sequences, and would print them: the bell alone.
    BellOnly,
}

/// Sequence that stores the title of the window on the terminal's stack.
pub(super) const STORE_TITLE: &str = "\u{1b}[22;2t";
/// Sequence that returns to the title stored last.
pub(super) const RESTORE_TITLE: &str = "\u{1b}[23;2t";

impl NotificationForm {
    /// Returns the form for the terminal with this `TERM`; `is_vte` says whether the environment names a version of VTE. One
    /// form, as some terminals know both and would notify twice.
    pub(super) fn for_terminal(name: &str, is_vte: bool) -> Self {
        match name {
            _ if super::WITHOUT_CLIPBOARD.contains(&name) => Self::BellOnly,
            _ if is_vte || name.starts_with("rxvt") || name.starts_with("foot") => Self::Osc777,
            _ => Self::Osc9,
        }
    }

    /// Returns the sequence that rings the bell, notifies, and sets the title of the window. Control characters of the text are left
    /// out, so that it cannot end the sequence.
    pub(super) fn sequence(self, text: &str) -> String {
        let text: String = text.chars().filter(|character| !character.is_control()).collect();
        match self {
            Self::BellOnly => "\u{7}".to_owned(),
            Self::Osc9 => format!("\u{7}\u{1b}]9;kibitzer: {text}\u{7}\u{1b}]2;{text}\u{7}"),
            // A semicolon would separate another parameter.
            Self::Osc777 => {
                format!("\u{7}\u{1b}]777;notify;kibitzer;{}\u{7}\u{1b}]2;{text}\u{7}", text.replace(';', ","))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_follows_the_terminal() {
        use NotificationForm::{BellOnly, Osc9, Osc777};
        let cases = [
            ("xterm-256color", false, Osc9),
            ("tmux-256color", false, Osc9),
            ("xterm-256color", true, Osc777),
            ("rxvt-unicode", false, Osc777),
            ("foot", false, Osc777),
            ("linux", false, BellOnly),
            ("", false, BellOnly),
        ];
        for (name, is_vte, want) in cases {
            assert_eq!(NotificationForm::for_terminal(name, is_vte), want, "{name}");
        }
    }

    #[test]
    fn text_cannot_end_its_sequence() {
        let hostile = "a;b\u{7}\u{1b}]0;c\u{9c}\n";
        assert_eq!(
            NotificationForm::Osc9.sequence(hostile),
            "\u{7}\u{1b}]9;kibitzer: a;b]0;c\u{7}\u{1b}]2;a;b]0;c\u{7}"
        );
        assert_eq!(
            NotificationForm::Osc777.sequence(hostile),
            "\u{7}\u{1b}]777;notify;kibitzer;a,b]0,c\u{7}\u{1b}]2;a;b]0;c\u{7}"
        );
        assert_eq!(NotificationForm::BellOnly.sequence(hostile), "\u{7}");
    }
}
