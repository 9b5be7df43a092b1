//! tmp
/// tmp
pub(crate) fn guest_prompt(line: &[u8]) -> Option<&[u8]> {
    let mut at = crate::scan::Cursor::new(line.trim_ascii_start());
    at.expect(b"Press return to enter ")?;
    at.until(b"as \"")?;
    at.rest().strip_suffix(b"\":")
}
