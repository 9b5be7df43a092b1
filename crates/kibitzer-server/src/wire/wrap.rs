//! Breaking long lines for a client that did not ask for whole ones.

/// What a broken line goes on with.
const CONTINUATION: &str = "\\   ";

/// Breaks one line, given with its line end, into pieces of at most `width` characters.
///
/// Words and the blanks between them are put on a line as long as they fit; what does not begins the next one behind a
/// backslash and three blanks, so that a blank may end the one line or begin the other. A word that is longer than a whole
/// line fills the rest of this one first. The line end counts like a blank: a line of exactly `width` characters is followed
/// by an empty continuation.
///
/// Source: transcripts of talk at widths of 60 and 79.
pub(super) fn wrap(line: &str, width: usize, out: &mut String) {
    let width = width.max(CONTINUATION.len() + 1);
    if line.len() <= width || line.chars().count() <= width {
        out.push_str(line);
        return;
    }
    let mut column = 0;
    for chunk in chunks(line) {
        place(chunk, width, &mut column, out);
    }
}

/// Puts a chunk where there is room for it.
fn place(chunk: &str, width: usize, column: &mut usize, out: &mut String) {
    let mut rest = chunk;
    loop {
        let length = rest.chars().count();
        let room = width - *column;
        if length <= room {
            out.push_str(rest);
            *column += length;
            return;
        }
        if length > width - CONTINUATION.len() {
            let cut = rest.char_indices().nth(room).map_or(rest.len(), |(at, _)| at);
            let (fits, later) = rest.split_at(cut);
            out.push_str(fits);
            rest = later;
        }
        out.push('\n');
        out.push_str(CONTINUATION);
        *column = CONTINUATION.len();
    }
}

/// Words and the white space between them, in turn.
fn chunks(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let is_blank = rest.chars().next()?.is_ascii_whitespace();
        let end = rest.find(|c: char| c.is_ascii_whitespace() != is_blank).unwrap_or(rest.len());
        let (chunk, later) = rest.split_at(end);
        rest = later;
        Some(chunk)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(line: &str, width: usize) -> String {
        let mut out = String::new();
        wrap(line, width, &mut out);
        out
    }

    /// Lines as fatics-talk-mixed-a and -b have them.
    #[test]
    fn lines_break_where_the_recorded_ones_do() {
        let board = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 99 Foo Bar 0 \
                     2 12 39 39 120 120 1 none (0:00) none 0 0 0\n";
        assert_eq!(
            wrapped(&format!("Alekhine(53): {board}"), 79),
            "Alekhine(53): <12> rnbqkbnr pppppppp -------- -------- -------- -------- \n\
             \\   PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 99 Foo Bar 0 2 12 39 39 120 120 1 none \n\
             \\   (0:00) none 0 0 0\n"
        );
        assert_eq!(
            wrapped(&format!("Alekhine(1940)[1] kibitzes: {board}"), 79),
            "Alekhine(1940)[1] kibitzes: <12> rnbqkbnr pppppppp -------- -------- -------- \n\
             \\   -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 99 Foo Bar 0 2 12 39 39 120 120 1\n\
             \\    none (0:00) none 0 0 0\n"
        );
        assert_eq!(wrapped("testing it at ten\n", 10), "testing it\n\\    at \n\\   ten\n");
    }

    #[test]
    fn a_long_word_fills_the_line_and_a_full_line_has_an_empty_one_behind_it() {
        assert_eq!(wrapped("ab xxxxxxxxxxxxxxxxxx\n", 10), "ab xxxxxxx\n\\   xxxxxx\n\\   xxxxx\n");
        assert_eq!(wrapped("0123456789\n", 10), "0123456789\n\\   \n");
        assert_eq!(wrapped("012345678\n", 10), "012345678\n");
    }
}
