//! A line that is being typed.

/// Longest line, in bytes; what does not fit is not taken.
const MOST_BYTES: usize = 4_096;

/// The line, and where in it the next character goes.
#[derive(Clone, Debug, Default)]
pub(in crate::console) struct Editor {
    text: String,
    /// In bytes; never inside a character.
    cursor: usize,
    /// What was cut out last.
    cut: String,
}

/// Where the cursor can go, and what can be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::console) enum Reach {
    /// To the start of the line.
    Start,
    /// To its end.
    End,
    /// One character back.
    Back,
    /// One character on.
    On,
    /// To the start of this word, or of the one before.
    WordBack,
    /// To the end of this word, or of the next one.
    WordOn,
}

impl Editor {
    pub(in crate::console) fn text(&self) -> &str {
        &self.text
    }

    /// What stands in front of the cursor, and what behind it.
    pub(in crate::console) fn halves(&self) -> (&str, &str) {
        self.text.split_at_checked(self.cursor).unwrap_or((&self.text, ""))
    }

    /// Puts text in at the cursor. Control characters are left out, so that what is pasted stays one line.
    pub(in crate::console) fn insert(&mut self, text: &str) {
        for character in text.chars().filter(|character| !character.is_control()) {
            if self.text.len() + character.len_utf8() > MOST_BYTES {
                return;
            }
            self.text.insert(self.cursor, character);
            self.cursor += character.len_utf8();
        }
    }

    /// Replaces the whole line; the cursor goes to its end.
    pub(in crate::console) fn set(&mut self, text: &str) {
        self.text.clear();
        self.cursor = 0;
        self.insert(text);
    }

    /// Takes the line away.
    pub(in crate::console) fn take(&mut self) -> String {
        self.cursor = 0;
        std::mem::take(&mut self.text)
    }

    pub(in crate::console) fn go(&mut self, reach: Reach) {
        self.cursor = self.place(reach);
    }

    /// Takes out what is between the cursor and there. More than a character can be put back.
    pub(in crate::console) fn cut(&mut self, reach: Reach) {
        let there = self.place(reach);
        let (from, to) = (self.cursor.min(there), self.cursor.max(there));
        let out: String = self.text.drain(from..to).collect();
        self.cursor = from;
        if !matches!(reach, Reach::Back | Reach::On) {
            self.cut = out;
        }
    }

    /// Puts in what was cut out last.
    pub(in crate::console) fn paste_cut(&mut self) {
        let cut = self.cut.clone();
        self.insert(&cut);
    }

    /// Replaces what stands between this place and the cursor.
    pub(in crate::console) fn complete(&mut self, from: usize, with: &str) {
        if from <= self.cursor && self.text.is_char_boundary(from) {
            self.text.drain(from..self.cursor);
            self.cursor = from;
            self.insert(with);
        }
    }

    fn place(&self, reach: Reach) -> usize {
        let (before, behind) = self.halves();
        match reach {
            Reach::Start => 0,
            Reach::End => self.text.len(),
            Reach::Back => before.char_indices().next_back().map_or(0, |(at, _)| at),
            Reach::On => self.cursor + behind.chars().next().map_or(0, char::len_utf8),
            Reach::WordBack => {
                let word = before.trim_end_matches(|c| !is_of_word(c));
                word.trim_end_matches(is_of_word).len()
            }
            Reach::WordOn => {
                let word = behind.trim_start_matches(|c| !is_of_word(c));
                self.text.len() - word.trim_start_matches(is_of_word).len()
            }
        }
    }
}

fn is_of_word(character: char) -> bool {
    character.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line with a `|` where the cursor is.
    fn drawn(editor: &Editor) -> String {
        let (before, behind) = editor.halves();
        format!("{before}|{behind}")
    }

    fn editor(text: &str) -> Editor {
        let (before, behind) = text.split_once('|').unwrap();
        let mut editor = Editor::default();
        editor.set(&format!("{before}{behind}"));
        (0..behind.chars().count()).for_each(|_| editor.go(Reach::Back));
        editor
    }

    #[test]
    fn the_cursor_goes_by_characters_and_words() {
        let cases = [
            ("tell foo| bar", Reach::Start, "|tell foo bar"),
            ("tell foo| bar", Reach::End, "tell foo bar|"),
            ("caf\u{e9}|", Reach::Back, "caf|\u{e9}"),
            ("|\u{4e16}x", Reach::On, "\u{4e16}|x"),
            ("|", Reach::Back, "|"),
            ("|", Reach::On, "|"),
            ("tell foo-bar |", Reach::WordBack, "tell foo-|bar "),
            ("te|ll", Reach::WordBack, "|tell"),
            ("tell| \"foo\" x", Reach::WordOn, "tell \"foo|\" x"),
            ("x | ", Reach::WordOn, "x  |"),
        ];
        for (text, reach, want) in cases {
            let mut editor = editor(text);
            editor.go(reach);
            assert_eq!(drawn(&editor), want, "{text} {reach:?}");
        }
    }

    #[test]
    fn what_is_cut_can_be_put_back() {
        let cases = [
            ("tell foo| bar", Reach::Start, "| bar", " bartell foo|"),
            ("tell| foo", Reach::End, "tell|", "tell foo|"),
            ("tell foo|", Reach::WordBack, "tell |", "tell foo|"),
            ("|tell foo", Reach::WordOn, "| foo", " footell|"),
            ("\u{e9}|", Reach::Back, "|", "|"),
            ("|\u{e9}x", Reach::On, "|x", "x|"),
        ];
        for (text, reach, want, back) in cases {
            let mut editor = editor(text);
            editor.cut(reach);
            assert_eq!(drawn(&editor), want, "{text} {reach:?}");
            editor.go(Reach::End);
            editor.paste_cut();
            assert_eq!(drawn(&editor), back, "{text} {reach:?}");
        }
    }

    #[test]
    fn a_line_stays_one_line_and_of_bounded_length() {
        let mut editor = Editor::default();
        editor.insert("tell foo hi\r\nresign\n\u{1b}[A\u{7}");
        assert_eq!(editor.text(), "tell foo hiresign[A");
        editor.set(&"\u{4e16}".repeat(10_000));
        assert!(editor.text().len() <= MOST_BYTES);
        assert_eq!(editor.take().len() % 3, 0);
        assert_eq!(drawn(&editor), "|");
    }

    #[test]
    fn a_completion_takes_the_place_of_what_was_typed() {
        let mut editor = editor("tell ne| x");
        editor.complete(5, "Newton");
        assert_eq!(drawn(&editor), "tell Newton| x");
        editor.complete(99, "no");
        assert_eq!(drawn(&editor), "tell Newton| x");
    }
}
