//! The server's text as bytes.

use super::wrap::wrap;

/// How a client wants long lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// Broken behind that many characters.
    Wrapped(usize),
    /// Whole.
    Whole,
}

/// Appends a text to what goes out: lines end in `\n` here and in `line_end` there, and characters beyond ASCII are
/// written as `&#x265e;`.
///
/// The width counts characters before they are written out, as the recorded server does.
pub(crate) fn write(text: &str, width: Width, line_end: &[u8], out: &mut Vec<u8>) {
    let mut broken = String::new();
    for line in text.split_inclusive('\n') {
        match width {
            Width::Wrapped(width) if line.len() > width => {
                broken.clear();
                wrap(line, width, &mut broken);
                write_plain(&broken, line_end, out);
            }
            Width::Wrapped(_) | Width::Whole => write_plain(line, line_end, out),
        }
    }
}

fn write_plain(text: &str, line_end: &[u8], out: &mut Vec<u8>) {
    out.reserve(text.len() + line_end.len());
    for character in text.chars() {
        match u8::try_from(character) {
            Ok(b'\n') => out.extend_from_slice(line_end),
            Ok(byte) if byte.is_ascii() => out.push(byte),
            Ok(_) | Err(_) => out.extend_from_slice(format!("&#x{:x};", u32::from(character)).as_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str, width: Width) -> String {
        let mut out = Vec::new();
        write(text, width, b"\n\r", &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn lines_end_in_lf_cr_and_letters_beyond_ascii_are_entities() {
        assert_eq!(written("caf\u{e9} \u{265e}\n\nfics% ", Width::Whole), "caf&#xe9; &#x265e;\n\r\n\rfics% ");
    }

    #[test]
    fn each_line_is_broken_by_itself_and_entities_do_not_count() {
        assert_eq!(
            written("\u{e9}\u{e9}\u{e9} \u{e9}\u{e9}\n", Width::Wrapped(7)),
            "&#xe9;&#xe9;&#xe9; &#xe9;&#xe9;\n\r"
        );
        assert_eq!(written("one two\nthree four\n", Width::Wrapped(9)), "one two\n\rthree \n\r\\   four\n\r");
    }
}
