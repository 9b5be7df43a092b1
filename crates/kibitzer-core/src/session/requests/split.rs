//! Splitting of long texts into pieces that servers accept.

use crate::text;

/// Splits a text into pieces of at most `max_bytes` each once encoded by [`text::encode_ascii`].
///
/// Pieces end at blanks if possible, otherwise inside a word, but never inside the entity of a character, whether it is written
/// in the text or produced by encoding. An entity longer than `max_bytes` is a piece of its own. Blanks at the ends of pieces are
/// removed, as servers remove them too; all others are kept. A blank text has no pieces.
///
/// ```
/// use kibitzer_core::session::split_text;
///
/// assert_eq!(split_text("a long story, cut short", 12), ["a long", "story, cut", "short"]);
/// assert_eq!(split_text("♞♞♞", 16), ["♞♞", "♞"], "8 bytes each, once encoded");
/// ```
pub fn split_text(text: &str, max_bytes: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = text.trim_matches(' ');
    while !rest.is_empty() {
        let (fitting, after) = split_fitting(rest, max_bytes);
        let is_at_blank = after.is_empty() || after.starts_with(' ');
        let last_blank = fitting.rfind(' ').filter(|_| !is_at_blank);
        let (piece, tail) = last_blank.and_then(|blank| rest.split_at_checked(blank)).unwrap_or((fitting, after));
        pieces.push(piece.trim_end_matches(' ').to_owned());
        rest = tail.trim_start_matches(' ');
    }
    pieces
}

/// Splits a text after the last entity or character that fits into `max_bytes` once encoded, but not before the first one.
fn split_fitting(text: &str, max_bytes: usize) -> (&str, &str) {
    let (mut length, mut bytes) = (0, 0);
    let mut rest = text;
    while let Some((unit, tail)) = split_first_unit(rest) {
        bytes += text::encode_ascii(unit).len();
        if bytes > max_bytes && length > 0 {
            break;
        }
        length += unit.len();
        rest = tail;
    }
    text.split_at_checked(length).unwrap_or((text, ""))
}

/// Splits off the first entity or character of a text, which must not be cut; `None` for an empty text.
fn split_first_unit(text: &str) -> Option<(&str, &str)> {
    let entity = text.strip_prefix("&#x").and_then(|body| {
        // Six digits are the most, then the semicolon.
        let digits = body.bytes().take(7).take_while(u8::is_ascii_hexdigit).count();
        (digits > 0 && body.as_bytes().get(digits) == Some(&b';')).then_some(3 + digits + 1)
    });
    let length = entity.or_else(|| text.chars().next().map(char::len_utf8))?;
    text.split_at_checked(length)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pieces_end_at_blanks_where_there_are_some() {
        let cases: &[(&str, &str, usize, &[&str])] = &[
            ("nothing", "   ", 5, &[]),
            ("fits", "hello", 5, &["hello"]),
            ("two words fit", "a b", 3, &["a b"]),
            ("second word does not", "ab cd", 4, &["ab", "cd"]),
            ("a run of blanks", " a  b   c ", 8, &["a  b   c"]),
            ("a run of blanks that does not fit", "ab   cd", 6, &["ab", "cd"]),
            ("long word", "abcdefg hi", 3, &["abc", "def", "g", "hi"]),
            ("long word behind a short one", "x abcdef", 4, &["x", "abcd", "ef"]),
            ("entities are whole", "ééé", 12, &["éé", "é"]),
            ("written entities too", "a&#xe9;&#xe9;", 8, &["a&#xe9;", "&#xe9;"]),
            ("half an entity is text", "&#xzz;abc", 4, &["&#xz", "z;ab", "c"]),
            ("longer than a piece", "é", 3, &["é"]),
        ];
        for &(name, text, max, want) in cases {
            assert_eq!(split_text(text, max), want, "{name}");
        }
    }

    proptest! {
        #[test]
        fn nothing_but_blanks_between_pieces_is_lost(text in "[a-z&#;x0-9é♞ ]{0,80}", max in 9_usize..40) {
            let pieces = split_text(&text, max);
            let mut rest = text.as_str();
            for piece in &pieces {
                prop_assert!(text::encode_ascii(piece).len() <= max, "{}", piece);
                rest = rest.trim_start_matches(' ').strip_prefix(piece.as_str()).unwrap();
            }
            prop_assert_eq!(rest.trim_start_matches(' '), "");
        }
    }
}
