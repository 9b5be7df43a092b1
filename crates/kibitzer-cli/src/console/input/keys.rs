//! What each key does.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::console::input::Reach;

/// Where keys go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::console) enum Focus {
    /// To the list: letters are commands.
    List,
    /// To the line at the bottom: letters are letters.
    Input,
    /// To the page of help.
    Help,
}

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::console) enum Action {
    Quit,
    Redraw,
    Help,
    /// Keys go to the line; a command is begun with this character.
    Type(Option<char>),
    /// Keys go to the list.
    Leave,
    Go(isize),
    Page(isize),
    Start,
    End,
    PlayOrPause,
    Step,
    Faster,
    Slower,
    NextMatch,
    LastMatch,
    View(usize),
    NextView,
    Scroll(isize),
    NextGame,
    LastGame,
    Flip,
    All,
    Mark,
    /// From a line that was sent to its reply.
    Reply,
    Insert(char),
    Move(Reach),
    Cut(Reach),
    PasteCut,
    HistoryBack,
    HistoryOn,
    Complete,
    Run,
    /// Empties the line; if it is empty, ends the program.
    Cancel,
}

/// The keys of the list and what they do, for the page of help.
pub(in crate::console) const LIST_KEYS: [(&str, &str); 15] = [
    ("Up Down PgUp PgDn", "look at another line; the views follow"),
    ("Home End", "the first line; the last one, and those to come"),
    ("Space", "run or stand still: a recording, or a session's screen"),
    ("Right s", "one line on"),
    ("Left", "one line back"),
    ("+ -", "twice, half as fast"),
    ("n N", "the next, the last line that /find or /break means"),
    ("Tab 1 2 3", "bytes, frame, event"),
    ("J K", "scroll the view"),
    ("[ ]", "the game before, the next game"),
    ("f", "turn the board"),
    ("a", "list prompts, marks, empty lines, repeated reserves too"),
    ("m", "put a mark into the list"),
    ("r", "from a line that was sent to its reply"),
    ("/ i q ?", "type a command; type; quit; this page"),
];

/// The keys of the line.
pub(in crate::console) const INPUT_KEYS: [(&str, &str); 6] = [
    ("Enter Esc", "run the line; to the keys of the list"),
    ("Space Tab", "on an empty line as in the list"),
    ("Up Down", "lines typed before"),
    ("Tab", "complete commands, kinds, handles, channels, games"),
    ("Ctrl-A E B F, Alt-B F", "start, end, a character, a word"),
    ("Ctrl-W U K Y, Alt-D", "cut a word, to the start, to the end; put back"),
];

/// What a key asks for, given where keys go.
pub(in crate::console) fn action(focus: Focus, key: KeyEvent) -> Option<Action> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match (key.code, focus) {
        (KeyCode::Char('c'), _) if control => return Some(Action::Cancel),
        (KeyCode::Char('l'), _) if control => return Some(Action::Redraw),
        (KeyCode::F(1), _) => return Some(Action::Help),
        (KeyCode::PageUp, _) => return Some(Action::Page(-1)),
        (KeyCode::PageDown, _) => return Some(Action::Page(1)),
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
        KeyCode::Char('/') => Action::Type(Some('/')),
        KeyCode::Char('i') | KeyCode::Enter => Action::Type(None),
        KeyCode::Up | KeyCode::Left | KeyCode::Char('k') => Action::Go(-1),
        KeyCode::Down | KeyCode::Char('j') => Action::Go(1),
        KeyCode::Home | KeyCode::Char('g') => Action::Start,
        KeyCode::End | KeyCode::Char('G') => Action::End,
        KeyCode::Char(' ') => Action::PlayOrPause,
        KeyCode::Right | KeyCode::Char('s') => Action::Step,
        KeyCode::Char('+' | '=') => Action::Faster,
        KeyCode::Char('-') => Action::Slower,
        KeyCode::Char('n') => Action::NextMatch,
        KeyCode::Char('N') => Action::LastMatch,
        KeyCode::Char('1') => Action::View(0),
        KeyCode::Char('2') => Action::View(1),
        KeyCode::Char('3') => Action::View(2),
        KeyCode::Tab => Action::NextView,
        KeyCode::Char('J') => Action::Scroll(1),
        KeyCode::Char('K') => Action::Scroll(-1),
        KeyCode::Char(']') => Action::NextGame,
        KeyCode::Char('[') => Action::LastGame,
        KeyCode::Char('f') => Action::Flip,
        KeyCode::Char('a') => Action::All,
        KeyCode::Char('m') => Action::Mark,
        KeyCode::Char('r') => Action::Reply,
        _ => return None,
    })
}

const fn in_help(code: KeyCode) -> Option<Action> {
    Some(match code {
        KeyCode::Up | KeyCode::Char('k') => Action::Go(-1),
        KeyCode::Down | KeyCode::Char('j') => Action::Go(1),
        KeyCode::Esc | KeyCode::Enter | KeyCode::Char('q' | '?' | ' ') => Action::Leave,
        _ => return None,
    })
}

const fn in_input(code: KeyCode, control: bool, alt: bool) -> Option<Action> {
    Some(match code {
        KeyCode::Enter => Action::Run,
        KeyCode::Esc => Action::Leave,
        KeyCode::Tab => Action::Complete,
        KeyCode::Up => Action::HistoryBack,
        KeyCode::Down => Action::HistoryOn,
        KeyCode::Left if control || alt => Action::Move(Reach::WordBack),
        KeyCode::Right if control || alt => Action::Move(Reach::WordOn),
        KeyCode::Left => Action::Move(Reach::Back),
        KeyCode::Right => Action::Move(Reach::On),
        KeyCode::Home => Action::Move(Reach::Start),
        KeyCode::End => Action::Move(Reach::End),
        KeyCode::Backspace if control || alt => Action::Cut(Reach::WordBack),
        KeyCode::Backspace => Action::Cut(Reach::Back),
        KeyCode::Delete => Action::Cut(Reach::On),
        KeyCode::Char(character) if control => return with_control(character),
        KeyCode::Char('b') if alt => Action::Move(Reach::WordBack),
        KeyCode::Char('f') if alt => Action::Move(Reach::WordOn),
        KeyCode::Char('d') if alt => Action::Cut(Reach::WordOn),
        KeyCode::Char(_) if alt => return None,
        KeyCode::Char(character) => Action::Insert(character),
        _ => return None,
    })
}

const fn with_control(character: char) -> Option<Action> {
    Some(match character {
        'a' => Action::Move(Reach::Start),
        'e' => Action::Move(Reach::End),
        'b' => Action::Move(Reach::Back),
        'f' => Action::Move(Reach::On),
        'h' => Action::Cut(Reach::Back),
        'd' => Action::Cut(Reach::On),
        'w' => Action::Cut(Reach::WordBack),
        'u' => Action::Cut(Reach::Start),
        'k' => Action::Cut(Reach::End),
        'y' => Action::PasteCut,
        'p' => Action::HistoryBack,
        'n' => Action::HistoryOn,
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
            (Focus::Help, KeyCode::Char('q'), plain, Some(Action::Leave)),
            (Focus::List, KeyCode::Char('/'), plain, Some(Action::Type(Some('/')))),
            (Focus::Input, KeyCode::Char('w'), control, Some(Action::Cut(Reach::WordBack))),
            (Focus::Input, KeyCode::Char('x'), control, None),
            (Focus::Input, KeyCode::Char('f'), alt, Some(Action::Move(Reach::WordOn))),
            (Focus::Input, KeyCode::Char('x'), alt, None),
            (Focus::Input, KeyCode::Left, control, Some(Action::Move(Reach::WordBack))),
            (Focus::Input, KeyCode::PageUp, plain, Some(Action::Page(-1))),
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
