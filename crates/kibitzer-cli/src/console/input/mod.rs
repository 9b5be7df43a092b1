//! What is typed: the input line with its editor and keys, shared by the console and the line mode; its history and completion.

mod completion;
mod history;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

pub(crate) use self::completion::CompletionCandidates;
use self::history::Browse;
pub(crate) use self::history::{History, StateDirectory, user_folder};
use crate::output::TerminalSafe;

/// Maximum length of the text, in bytes. Typed characters beyond it are dropped; a paste that exceeds it is refused.
const MAX_BYTES: usize = 16 << 10;

/// Keys of a shell that [`InputLine::edit`] understands, with their effects, for the help page.
pub(crate) const EDITING_KEYS: [(&str, &str); 4] = [
    ("Up Down", "the line before, after, in the history"),
    ("Ctrl-A E B F, Alt-B F", "start, end, a character, a word"),
    ("Ctrl-W U K, Alt-D", "cut a word, to the start, to the end"),
    ("Ctrl-Y", "insert what was cut"),
];

/// The text being typed, and the history of earlier lines.
#[derive(Debug, Default)]
pub(crate) struct InputLine {
    pub(crate) editor: LineEditor,
    pub(crate) history: History,
    /// The last line, if it was reported as an illegal move instead of being sent.
    pub(crate) illegal_move: Option<String>,
}

impl InputLine {
    /// Applies a key of a shell: inserts a character, moves the cursor, cuts, inserts the cut text, or shows another line of the
    /// history. Ignores any other key.
    pub(crate) fn edit(&mut self, key: KeyEvent) {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        let editor = &mut self.editor;
        match key.code {
            KeyCode::Up => self.browse(Browse::Older),
            KeyCode::Down => self.browse(Browse::Newer),
            KeyCode::Left if control || alt => editor.move_cursor(Motion::WordLeft),
            KeyCode::Right if control || alt => editor.move_cursor(Motion::WordRight),
            KeyCode::Left => editor.move_cursor(Motion::CharLeft),
            KeyCode::Right => editor.move_cursor(Motion::CharRight),
            KeyCode::Home => editor.move_cursor(Motion::Start),
            KeyCode::End => editor.move_cursor(Motion::End),
            KeyCode::Backspace if control || alt => editor.cut(Motion::WordLeft),
            KeyCode::Backspace => editor.cut(Motion::CharLeft),
            KeyCode::Delete => editor.cut(Motion::CharRight),
            KeyCode::Char(letter) if control => self.edit_with_control(letter),
            KeyCode::Char('b') if alt => editor.move_cursor(Motion::WordLeft),
            KeyCode::Char('f') if alt => editor.move_cursor(Motion::WordRight),
            KeyCode::Char('d') if alt => editor.cut(Motion::WordRight),
            KeyCode::Char(character) if !alt => editor.insert(character.encode_utf8(&mut [0; 4])),
            _ => {}
        }
    }

    /// Applies a letter pressed together with Ctrl.
    fn edit_with_control(&mut self, letter: char) {
        let editor = &mut self.editor;
        match letter {
            'a' => editor.move_cursor(Motion::Start),
            'e' => editor.move_cursor(Motion::End),
            'b' => editor.move_cursor(Motion::CharLeft),
            'f' => editor.move_cursor(Motion::CharRight),
            'h' => editor.cut(Motion::CharLeft),
            'd' => editor.cut(Motion::CharRight),
            'w' => editor.cut(Motion::WordLeft),
            'u' => editor.cut(Motion::Start),
            'k' => editor.cut(Motion::End),
            'y' => editor.yank(),
            'p' => self.browse(Browse::Older),
            'n' => self.browse(Browse::Newer),
            _ => {}
        }
    }

    fn browse(&mut self, to: Browse) {
        if let Some(line) = self.history.browse(to, self.editor.text()) {
            self.editor.set_text(line);
        }
    }
}

/// Returns the key of an event, with Ctrl-J replaced by Enter; `None` if the key is released. Terminals send Ctrl-J for an Enter
/// that is pressed before raw mode is on, for example while a large recording is opened.
pub(crate) fn normalized_press(key: KeyEvent) -> Option<KeyEvent> {
    let is_line_feed = key.code == KeyCode::Char('j') && key.modifiers.contains(KeyModifiers::CONTROL);
    let pressed = if is_line_feed { KeyEvent::from(KeyCode::Enter) } else { key };
    (key.kind != KeyEventKind::Release).then_some(pressed)
}

/// The typed text and its cursor. Pasted text may have several lines, separated by `\n`.
#[derive(Clone, Debug, Default)]
pub(crate) struct LineEditor {
    text: String,
    /// Byte offset of the cursor in the text, always at a character boundary.
    cursor: usize,
    /// Text of the last cut, for [`yank`](Self::yank).
    cut: String,
}

/// A movement of the cursor; the text that it passes can also be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Motion {
    /// To the start of the line.
    Start,
    /// To the end of the line.
    End,
    /// One character to the left.
    CharLeft,
    /// One character to the right.
    CharRight,
    /// To the start of this word, or of the previous one.
    WordLeft,
    /// To the end of this word, or of the next one.
    WordRight,
}

impl LineEditor {
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text before and after the cursor.
    pub(crate) fn split_at_cursor(&self) -> (&str, &str) {
        self.text.split_at_checked(self.cursor).unwrap_or((&self.text, ""))
    }

    /// Inserts typed text at the cursor, as much as fits into 16 KiB. Control characters are removed.
    pub(crate) fn insert(&mut self, text: &str) {
        for character in text.chars().filter(|character| !character.is_control()) {
            if self.text.len() + character.len_utf8() > MAX_BYTES {
                return;
            }
            self.text.insert(self.cursor, character);
            self.cursor += character.len_utf8();
        }
    }

    /// Inserts pasted text at the cursor. Line ends within the text stay, and those at its end are removed; tabs become blanks,
    /// and other control characters are removed. Returns `false`, and inserts nothing, if the editor would hold more than 16 KiB.
    pub(crate) fn try_paste(&mut self, text: &str) -> bool {
        let text = text.replace("\r\n", "\n").replace('\r', "\n").replace('\t', " ");
        let text: String = text.trim_end_matches('\n').chars().filter(|&c| c == '\n' || !c.is_control()).collect();
        let fits = self.text.len() + text.len() <= MAX_BYTES;
        if fits {
            self.text.insert_str(self.cursor, &text);
            self.cursor += text.len();
        }
        fits
    }

    /// Replaces the text, which may have several lines; the cursor moves to the end. Text that is too long leaves the editor
    /// empty.
    pub(crate) fn set_text(&mut self, text: &str) {
        self.text.clear();
        self.cursor = 0;
        self.try_paste(text);
    }

    /// Removes and returns the text.
    pub(crate) fn take_text(&mut self) -> String {
        self.cursor = 0;
        std::mem::take(&mut self.text)
    }

    /// Moves the cursor to a byte offset, or to the start of the character there; beyond the end to the end.
    pub(crate) fn move_cursor_to_offset(&mut self, offset: usize) {
        self.cursor = self.text.floor_char_boundary(offset);
    }

    pub(crate) fn move_cursor(&mut self, motion: Motion) {
        self.cursor = self.target_of(motion);
    }

    /// Cuts the text between the cursor and the target of a motion. Single characters are not stored for yanking.
    pub(crate) fn cut(&mut self, motion: Motion) {
        let there = self.target_of(motion);
        let (from, to) = (self.cursor.min(there), self.cursor.max(there));
        let out: String = self.text.drain(from..to).collect();
        self.cursor = from;
        if !matches!(motion, Motion::CharLeft | Motion::CharRight) {
            self.cut = out;
        }
    }

    /// Inserts the text of the last cut, if it fits. Cuts of single characters do not count.
    pub(crate) fn yank(&mut self) {
        let cut = self.cut.clone();
        self.try_paste(&cut);
    }

    /// Replaces the text from a byte offset to the cursor. Does nothing if the offset is after the cursor or inside a character.
    pub(crate) fn replace_before_cursor(&mut self, from: usize, with: &str) {
        if from <= self.cursor && self.text.is_char_boundary(from) {
            self.text.drain(from..self.cursor);
            self.cursor = from;
            self.insert(with);
        }
    }

    /// Returns the byte offset to which a motion leads.
    fn target_of(&self, motion: Motion) -> usize {
        let (before, after) = self.split_at_cursor();
        match motion {
            Motion::Start => 0,
            Motion::End => self.text.len(),
            Motion::CharLeft => before.char_indices().next_back().map_or(0, |(at, _)| at),
            Motion::CharRight => self.cursor + after.chars().next().map_or(0, char::len_utf8),
            Motion::WordLeft => {
                let word = before.trim_end_matches(|c| !is_word_char(c));
                word.trim_end_matches(is_word_char).len()
            }
            Motion::WordRight => {
                let word = after.trim_start_matches(|c| !is_word_char(c));
                self.text.len() - word.trim_start_matches(is_word_char).len()
            }
        }
    }
}

/// Returns typed text as the input line shows it: as stars if it is a password, otherwise safe for the terminal.
pub(crate) fn masked_or_safe(text: &str, is_masked: bool) -> String {
    if is_masked { "*".repeat(text.chars().count()) } else { TerminalSafe(text).in_cells().into_owned() }
}

fn is_word_char(character: char) -> bool {
    character.is_alphanumeric()
}

#[cfg(test)]
mod tests;
