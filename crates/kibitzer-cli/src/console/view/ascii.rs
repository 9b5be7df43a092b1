//! Replaces what a terminal without UTF-8 cannot show.

use ratatui::buffer::Buffer;

/// Replaces every non-ASCII character of the screen with a similar ASCII character, or with `?` if no character is similar.
pub(super) fn convert_to_ascii(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if !cell.symbol().is_ascii() {
            let character = cell.symbol().chars().next().map_or(' ', ascii_lookalike);
            cell.set_char(character);
        }
    }
}

/// Returns an ASCII character that looks similar; `?` if there is none.
const fn ascii_lookalike(character: char) -> char {
    match character {
        '\u{2502}' => '|',
        '\u{253c}' => '+',
        '\u{25b8}' => '>',
        '\u{d7}' => 'x',
        '\u{b7}' => '.',
        '\u{b5}' => 'u',
        '\u{2581}' | '\u{2582}' => '_',
        '\u{2500}' | '\u{2583}' | '\u{2584}' => '-',
        '\u{2585}' | '\u{2586}' => '=',
        '\u{2587}' | '\u{2588}' => '#',
        _ => '?',
    }
}
