//! Key bindings.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::console::input::Motion;

/// Which part of the screen receives keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Focus {
    /// The list: letters are commands.
    List,
    /// The input line: letters are text.
    Input,
    /// The help page.
    Help,
}

/// The effect of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Quit,
    Redraw,
    Help,
    /// Focus the input line, inserting this character if it is empty.
    StartTyping(Option<char>),
    /// Focus the list, or close the help page.
    LeaveInput,
    MoveRows(isize),
    MovePages(isize),
    FirstRow,
    LastRow,
    PlayOrPause,
    Step,
    Faster,
    Slower,
    NextMatch,
    PreviousMatch,
    SelectView(usize),
    NextView,
    Scroll(isize),
    NextGame,
    PreviousGame,
    Flip,
    ToggleDetails,
    Mark,
    /// Show other times in the list.
    NextTimes,
    /// Start the ruler at the selected row, or remove it.
    ToggleRuler,
    /// Select the reply of the selected sent line.
    GoToReply,
    Insert(char),
    MoveCursor(Motion),
    Cut(Motion),
    Yank,
    HistoryPrevious,
    HistoryNext,
    Complete,
    SubmitLine,
    /// Empty the line, or quit if it is empty.
    Cancel,
}

/// Keys of the list, for the help page.
pub(crate) const LIST_KEYS: [(&str, &str); 17] = [
    ("Up Down PgUp PgDn", "select another line; the views follow"),
    ("Home End", "the first line; the last one, following new lines"),
    ("Space", "play or pause: a recording, or a session's screen"),
    ("Right s", "one line forward"),
    ("Left", "one line back"),
    ("+ -", "double, halve the speed"),
    ("n N", "the next, the previous match of /find or /break"),
    ("Tab 1 2 3", "bytes, frame, event"),
    ("J K", "scroll the view"),
    ("[ ]", "the previous, the next game"),
    ("f", "flip the board"),
    ("a", "show or hide prompts, marks, blank lines, reserves"),
    ("m", "insert a mark into the list"),
    ("r", "from a sent line to its reply"),
    ("t", "times: of the session, UTC, since the row before, since a mark"),
    ("M", "measure from this line to the selected one; again: stop"),
    ("/ i q ?", "type a command; type; quit; this page"),
];

/// Keys of the input line, for the help page.
pub(crate) const INPUT_KEYS: [(&str, &str); 6] = [
    ("Enter Esc", "run the line; back to the keys of the list"),
    ("Space Tab", "on an empty line as in the list"),
    ("Up Down", "previous lines"),
    ("Tab", "complete commands, kinds, handles, channels, games"),
    ("Ctrl-A E B F, Alt-B F", "start, end, a character, a word"),
    ("Ctrl-W U K Y, Alt-D", "cut a word, to the start, to the end; paste"),
];

/// Returns the action of a key, depending on the focus.
pub(crate) fn action(focus: Focus, key: KeyEvent) -> Option<Action> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match (key.code, focus) {
        (KeyCode::Char('c'), _) if control => return Some(Action::Cancel),
        (KeyCode::Char('l'), _) if control => return Some(Action::Redraw),
        (KeyCode::F(1), _) => return Some(Action::Help),
        (KeyCode::PageUp, _) => return Some(Action::MovePages(-1)),
        (KeyCode::PageDown, _) => return Some(Action::MovePages(1)),
        _ => {}
    }
    match focus {
        Focus::List => in_list(key.code),
        Focus::Help => in_help(key.code),
        Focus::Input => in_input(key.code, control, key.modifiers.contains(KeyModifiers::ALT)),
    }
}

const fn in_list(code: KeyCode) -> Option<Action> {
    Some(match code {
        KeyCode::Char('q') => Action::Quit,
        KeyCode::Char('?') => Action::Help,
        KeyCode::Char('/') => Action::StartTyping(Some('/')),
        KeyCode::Char('i') | KeyCode::Enter => Action::StartTyping(None),
        KeyCode::Up | KeyCode::Left | KeyCode::Char('k') => Action::MoveRows(-1),
        KeyCode::Down | KeyCode::Char('j') => Action::MoveRows(1),
        KeyCode::Home | KeyCode::Char('g') => Action::FirstRow,
        KeyCode::End | KeyCode::Char('G') => Action::LastRow,
        KeyCode::Char(' ') => Action::PlayOrPause,
        KeyCode::Right | KeyCode::Char('s') => Action::Step,
        KeyCode::Char('+' | '=') => Action::Faster,
        KeyCode::Char('-') => Action::Slower,
        KeyCode::Char('n') => Action::NextMatch,
        KeyCode::Char('N') => Action::PreviousMatch,
        KeyCode::Char('1') => Action::SelectView(0),
        KeyCode::Char('2') => Action::SelectView(1),
        KeyCode::Char('3') => Action::SelectView(2),
        KeyCode::Tab => Action::NextView,
        KeyCode::Char('J') => Action::Scroll(1),
        KeyCode::Char('K') => Action::Scroll(-1),
        KeyCode::Char(']') => Action::NextGame,
        KeyCode::Char('[') => Action::PreviousGame,
        KeyCode::Char('f') => Action::Flip,
        KeyCode::Char('a') => Action::ToggleDetails,
        KeyCode::Char('m') => Action::Mark,
        KeyCode::Char('r') => Action::GoToReply,
        KeyCode::Char('t') => Action::NextTimes,
        KeyCode::Char('M') => Action::ToggleRuler,
        _ => return None,
    })
}

const fn in_help(code: KeyCode) -> Option<Action> {
    Some(match code {
        KeyCode::Up | KeyCode::Char('k') => Action::MoveRows(-1),
        KeyCode::Down | KeyCode::Char('j') => Action::MoveRows(1),
        KeyCode::Esc | KeyCode::Enter | KeyCode::Char('q' | '?' | ' ') => Action::LeaveInput,
        _ => return None,
    })
}

const fn in_input(code: KeyCode, control: bool, alt: bool) -> Option<Action> {
    Some(match code {
        KeyCode::Enter => Action::SubmitLine,
        KeyCode::Esc => Action::LeaveInput,
        KeyCode::Tab => Action::Complete,
        KeyCode::Up => Action::HistoryPrevious,
        KeyCode::Down => Action::HistoryNext,
        KeyCode::Left if control || alt => Action::MoveCursor(Motion::WordLeft),
        KeyCode::Right if control || alt => Action::MoveCursor(Motion::WordRight),
        KeyCode::Left => Action::MoveCursor(Motion::CharLeft),
        KeyCode::Right => Action::MoveCursor(Motion::CharRight),
        KeyCode::Home => Action::MoveCursor(Motion::Start),
        KeyCode::End => Action::MoveCursor(Motion::End),
        KeyCode::Backspace if control || alt => Action::Cut(Motion::WordLeft),
        KeyCode::Backspace => Action::Cut(Motion::CharLeft),
        KeyCode::Delete => Action::Cut(Motion::CharRight),
        KeyCode::Char(character) if control => return with_control(character),
        KeyCode::Char('b') if alt => Action::MoveCursor(Motion::WordLeft),
        KeyCode::Char('f') if alt => Action::MoveCursor(Motion::WordRight),
        KeyCode::Char('d') if alt => Action::Cut(Motion::WordRight),
        KeyCode::Char(_) if alt => return None,
        KeyCode::Char(character) => Action::Insert(character),
        _ => return None,
    })
}

const fn with_control(character: char) -> Option<Action> {
    Some(match character {
        'a' => Action::MoveCursor(Motion::Start),
        'e' => Action::MoveCursor(Motion::End),
        'b' => Action::MoveCursor(Motion::CharLeft),
        'f' => Action::MoveCursor(Motion::CharRight),
        'h' => Action::Cut(Motion::CharLeft),
        'd' => Action::Cut(Motion::CharRight),
        'w' => Action::Cut(Motion::WordLeft),
        'u' => Action::Cut(Motion::Start),
        'k' => Action::Cut(Motion::End),
        'y' => Action::Yank,
        'p' => Action::HistoryPrevious,
        'n' => Action::HistoryNext,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_letters_while_typing_and_commands_in_the_list() {
        let press = |focus, code, modifiers| action(focus, KeyEvent::new(code, modifiers));
        let (plain, control, alt) = (KeyModifiers::NONE, KeyModifiers::CONTROL, KeyModifiers::ALT);
        let cases = [
            (Focus::List, KeyCode::Char('q'), plain, Some(Action::Quit)),
            (Focus::Input, KeyCode::Char('q'), plain, Some(Action::Insert('q'))),
            (Focus::Input, KeyCode::Char('Q'), KeyModifiers::SHIFT, Some(Action::Insert('Q'))),
            (Focus::Help, KeyCode::Char('q'), plain, Some(Action::LeaveInput)),
            (Focus::List, KeyCode::Char('/'), plain, Some(Action::StartTyping(Some('/')))),
            (Focus::Input, KeyCode::Char('w'), control, Some(Action::Cut(Motion::WordLeft))),
            (Focus::Input, KeyCode::Char('x'), control, None),
            (Focus::Input, KeyCode::Char('f'), alt, Some(Action::MoveCursor(Motion::WordRight))),
            (Focus::Input, KeyCode::Char('x'), alt, None),
            (Focus::Input, KeyCode::Left, control, Some(Action::MoveCursor(Motion::WordLeft))),
            (Focus::Input, KeyCode::PageUp, plain, Some(Action::MovePages(-1))),
            (Focus::List, KeyCode::Char('c'), control, Some(Action::Cancel)),
            (Focus::List, KeyCode::Char('z'), plain, None),
        ];
        for (focus, code, modifiers, want) in cases {
            assert_eq!(press(focus, code, modifiers), want, "{focus:?} {code:?}");
        }
    }

    #[test]
    fn letting_a_key_go_does_nothing() {
        let key = KeyEvent::new_with_kind(KeyCode::Char('q'), KeyModifiers::NONE, KeyEventKind::Release);
        assert_eq!(action(Focus::List, key), None);
    }
}
