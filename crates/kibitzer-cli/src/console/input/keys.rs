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
}

/// A page that is shown over the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OverlayPage {
    /// Keys and commands; scrolled from its start.
    Help,
    /// The log of the program; scrolled from its end.
    Log,
}

/// An effect of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Quit,
    Redraw,
    Open(OverlayPage),
    /// Focus the input line. With a character, always `/`, start a command, and cut an unfinished line for the server.
    StartTyping(Option<char>),
    /// Focus the list.
    LeaveInput,
    /// Close the page over the screen.
    ClosePage,
    /// Scroll the page over the screen down by this number of lines; up if negative.
    ScrollPage(isize),
    /// Move the selection down by this number of listed rows, up if negative, at most to the first one. Beyond the last one,
    /// follow new rows.
    MoveRows(isize),
    /// Move the selection down by this number of pages, each as long as the list is high; up if negative.
    MovePages(isize),
    /// Play or pause a recording; in a session, follow the newest row or stay on the selected one.
    PlayOrPause,
    /// Select the next row, or play a recording up to it.
    Step,
    /// Double the speed of playback.
    Faster,
    /// Halve the speed of playback.
    Slower,
    /// Select the next match of the last search.
    NextMatch,
    /// Select the previous match of the last search.
    PreviousMatch,
    /// Choose a detail view by its place, counted from 0.
    SelectView(usize),
    /// Choose the next detail view.
    NextView,
    /// Scroll the detail view down by this number of lines; up if negative.
    Scroll(isize),
    /// Pin the shown game to the board, or unpin it.
    TogglePin,
    /// Pin the game that is this number of places after the shown one, in the order of game numbers; before it if negative.
    MoveGames(isize),
    /// Show the list alone, then the detail view, then the board, then all panes.
    NextPane,
    /// Show the board alone, or all panes.
    ToggleBoard,
    /// Show the boards of all games in progress, or all panes.
    ToggleGrid,
    /// Scroll the list to the right by this number of characters; to the left if negative.
    ScrollSideways(isize),
    /// Accept the oldest offer to this login (`true`), or decline it.
    AnswerOffer(bool),
    /// Turn the board, or turn it back.
    Flip,
    /// Show or hide details of the protocol, such as prompts.
    ToggleDetails,
    /// Add a mark with a number as its text.
    Mark,
    /// Move the byte cursor forward by this number of bytes in the selected row; backward if negative.
    MoveByte(isize),
    /// Move the byte cursor to the next field (`true`), or to the previous one.
    MoveField(bool),
    /// Show the next kind of time in the list.
    NextTimes,
    /// Start the ruler at the selected row, or remove it.
    ToggleRuler,
    /// Copy the part of the selected row that the next key names, to the clipboard.
    Copy,
    /// Select the reply to the selected sent line.
    GoToReply,
    /// Insert a character at the cursor of the input line.
    Insert(char),
    MoveCursor(Motion),
    /// Cut the text from the cursor of the input line to the target of the motion.
    Cut(Motion),
    /// Insert the text of the last [`Cut`](Self::Cut).
    Yank,
    /// Show the previous line of the history in the input line.
    HistoryPrevious,
    /// Show the next line of the history in the input line; after the newest, the unfinished one.
    HistoryNext,
    /// Complete the word before the cursor.
    Complete,
    /// Run the lines of the input line: commands of the console, and lines for the server.
    SubmitLine,
    /// End a running seek. Without a seek, empty the input line; if that is empty already, quit.
    Cancel,
    /// Stop the process until it is continued.
    Suspend,
}

/// Number of characters by which a key scrolls the list sideways.
const SIDEWAYS: isize = 20;

/// Keys of the list and their effects, for the help page.
pub(crate) const LIST_KEYS: [(&str, &str); 23] = [
    ("Up Down PgUp PgDn", "select another line; the views follow"),
    ("Home End", "the first line; the last one, following new lines"),
    ("Space", "play or pause: a recording, or a session's screen"),
    ("Right s", "one line forward"),
    ("Left", "one line back"),
    ("+ -", "double, halve the speed"),
    ("n N", "the next, the previous match of /find or /break"),
    ("Tab 1 2 3", "bytes, frame, event"),
    ("J K, h l", "scroll the view; the list to the left, to the right"),
    ("z b B, F2 F3", "one pane alone, the next, all; the board; all boards"),
    ("F5 F6", "accept, decline the offer above the input line"),
    ("[ ]", "pin the previous, the next game to the board"),
    ("p", "pin the game shown, or show that of the selected line"),
    ("f", "flip the board"),
    ("a", "show or hide prompts, marks, blank lines, reserves"),
    ("m", "insert a mark into the list"),
    ("r", "from a sent line to its reply"),
    ("< > , .", "the previous, the next field; byte; both views show it"),
    ("y", "copy this line, or its frame, bytes, position, JSON"),
    ("t", "times: of the session, UTC, since the row before, since a mark"),
    ("M", "measure from this line to the selected one; again: stop"),
    ("L, also F4", "the log of the program, with --log"),
    ("/ Enter q ?", "type a command; type a line; quit; this page"),
];

/// Keys of the input line and their effects, for the help page.
pub(crate) const INPUT_KEYS: [(&str, &str); 7] = [
    ("Enter Esc", "run the line; back to the keys of the list"),
    ("Space Tab", "on an empty line as in the list"),
    ("Up Down", "previous lines"),
    ("Tab", "complete commands, kinds, handles, channels, games"),
    ("Ctrl-A E B F, Alt-B F", "start, end, a character, a word"),
    ("Ctrl-W U K Y, Alt-D", "cut a word, to the start, to the end; paste"),
    ("Ctrl-C Ctrl-Z", "end a seek, or empty the line, or quit; suspend"),
];

/// Returns the key of an event, with Ctrl-J replaced by Enter; `None` if the key is released. Terminals send Ctrl-J for an Enter
/// that is pressed before raw mode is on, for example while a large recording is opened.
pub(crate) fn normalized_press(key: KeyEvent) -> Option<KeyEvent> {
    let is_line_feed = key.code == KeyCode::Char('j') && key.modifiers.contains(KeyModifiers::CONTROL);
    let pressed = if is_line_feed { KeyEvent::from(KeyCode::Enter) } else { key };
    (key.kind != KeyEventKind::Release).then_some(pressed)
}

/// Returns the action of a key while a page is shown over the screen; `None` for keys that act as without the page. `is_typing`
/// is whether the input line is focused and not empty: Enter and Space then belong to it, and do not close the page.
pub(crate) const fn page_action(focus: Focus, is_typing: bool, key: KeyEvent) -> Option<Action> {
    Some(match (key.code, focus) {
        (KeyCode::Up, _) | (KeyCode::Char('k'), Focus::List) => Action::ScrollPage(-1),
        (KeyCode::Down, _) | (KeyCode::Char('j'), Focus::List) => Action::ScrollPage(1),
        (KeyCode::PageUp, _) => Action::ScrollPage(-10),
        (KeyCode::PageDown, _) => Action::ScrollPage(10),
        (KeyCode::Esc | KeyCode::F(1 | 4), _) | (KeyCode::Char('q' | '?' | 'L'), Focus::List) => Action::ClosePage,
        (KeyCode::Enter | KeyCode::Char(' '), _) if !is_typing => Action::ClosePage,
        _ => return None,
    })
}

/// Returns the action of a key in the focused part; `None` for a key without one.
pub(crate) fn action_for_key(focus: Focus, key: KeyEvent) -> Option<Action> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match (key.code, focus) {
        (KeyCode::Char('c'), _) if control => return Some(Action::Cancel),
        (KeyCode::Char('l'), _) if control => return Some(Action::Redraw),
        (KeyCode::Char('z'), _) if control => return Some(Action::Suspend),
        (KeyCode::F(1), _) => return Some(Action::Open(OverlayPage::Help)),
        (KeyCode::F(2), _) => return Some(Action::NextPane),
        (KeyCode::F(3), _) => return Some(Action::ToggleBoard),
        (KeyCode::F(4), _) => return Some(Action::Open(OverlayPage::Log)),
        (KeyCode::F(5), _) => return Some(Action::AnswerOffer(true)),
        (KeyCode::F(6), _) => return Some(Action::AnswerOffer(false)),
        (KeyCode::PageUp, _) => return Some(Action::MovePages(-1)),
        (KeyCode::PageDown, _) => return Some(Action::MovePages(1)),
        _ => {}
    }
    match focus {
        Focus::List => list_action(key.code),
        Focus::Input => input_action(key.code, control, key.modifiers.contains(KeyModifiers::ALT)),
    }
}

const fn list_action(code: KeyCode) -> Option<Action> {
    Some(match code {
        KeyCode::Char('q') => Action::Quit,
        KeyCode::Char('?') => Action::Open(OverlayPage::Help),
        KeyCode::Char('L') => Action::Open(OverlayPage::Log),
        KeyCode::Char('/') => Action::StartTyping(Some('/')),
        // No letter: of a line typed here by mistake, the server must not receive the end.
        KeyCode::Enter => Action::StartTyping(None),
        KeyCode::Up | KeyCode::Left | KeyCode::Char('k') => Action::MoveRows(-1),
        KeyCode::Down | KeyCode::Char('j') => Action::MoveRows(1),
        KeyCode::Home | KeyCode::Char('g') => Action::MoveRows(isize::MIN),
        KeyCode::End | KeyCode::Char('G') => Action::MoveRows(isize::MAX),
        KeyCode::Char(' ') => Action::PlayOrPause,
        KeyCode::Right | KeyCode::Char('s') => Action::Step,
        KeyCode::Char('+' | '=') => Action::Faster,
        KeyCode::Char('-') => Action::Slower,
        KeyCode::Char('n') => Action::NextMatch,
        KeyCode::Char('N') => Action::PreviousMatch,
        KeyCode::Char(digit @ '1'..='3') => Action::SelectView(digit as usize - '1' as usize),
        KeyCode::Tab => Action::NextView,
        KeyCode::Char('J') => Action::Scroll(1),
        KeyCode::Char('K') => Action::Scroll(-1),
        KeyCode::Char(']') => Action::MoveGames(1),
        KeyCode::Char('[') => Action::MoveGames(-1),
        KeyCode::Char('p') => Action::TogglePin,
        KeyCode::Char('z') => Action::NextPane,
        KeyCode::Char('b') => Action::ToggleBoard,
        KeyCode::Char('B') => Action::ToggleGrid,
        KeyCode::Char('l') => Action::ScrollSideways(SIDEWAYS),
        KeyCode::Char('h') => Action::ScrollSideways(-SIDEWAYS),
        KeyCode::Char('f') => Action::Flip,
        KeyCode::Char('a') => Action::ToggleDetails,
        KeyCode::Char('m') => Action::Mark,
        KeyCode::Char('r') => Action::GoToReply,
        KeyCode::Char('.') => Action::MoveByte(1),
        KeyCode::Char(',') => Action::MoveByte(-1),
        KeyCode::Char('>') => Action::MoveField(true),
        KeyCode::Char('<') => Action::MoveField(false),
        KeyCode::Char('y') => Action::Copy,
        KeyCode::Char('t') => Action::NextTimes,
        KeyCode::Char('M') => Action::ToggleRuler,
        _ => return None,
    })
}

const fn input_action(code: KeyCode, control: bool, alt: bool) -> Option<Action> {
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
        KeyCode::Char(character) if control => return control_action(character),
        KeyCode::Char('b') if alt => Action::MoveCursor(Motion::WordLeft),
        KeyCode::Char('f') if alt => Action::MoveCursor(Motion::WordRight),
        KeyCode::Char('d') if alt => Action::Cut(Motion::WordRight),
        KeyCode::Char(_) if alt => return None,
        KeyCode::Char(character) => Action::Insert(character),
        _ => return None,
    })
}

const fn control_action(character: char) -> Option<Action> {
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
mod tests;
