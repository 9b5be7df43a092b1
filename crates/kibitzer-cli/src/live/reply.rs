//! Numbers of sent lines, and of their replies.

use kibitzer::core::message::{Control, Message};

/// Splits a numbered line into number and command: `12 finger foo` in block mode, `` `12`finger foo `` on ICC.
pub(crate) fn split_request_number(line: &[u8]) -> Option<(u64, &[u8])> {
    let (rest, end) = line.strip_prefix(b"`").map_or((line, b' '), |rest| (rest, b'`'));
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let (digits, behind) = rest.split_at_checked(digits)?;
    let command = behind.strip_prefix(&[end])?;
    let number = std::str::from_utf8(digits).ok()?.parse().ok().filter(|&number| number > 0)?;
    Some((number, command))
}

/// Returns the number of the line whose reply starts with this message.
pub(crate) fn reply_number(message: &Message) -> Option<u64> {
    match message {
        Message::Control(Control::BlockStart { id, .. }) => Some(*id),
        Message::Control(Control::UnitStart(header)) => header.tag.as_ref()?.as_str().parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_and_its_end_make_a_numbered_line() {
        let cases: [(&str, Option<(u64, &str)>); 10] = [
            ("12 date", Some((12, "date"))),
            ("`7`finger foo", Some((7, "finger foo"))),
            ("12", None),
            ("0 date", None),
            ("`7 date", None),
            ("`x`date", None),
            ("7`date", None),
            ("x1 date", None),
            ("", None),
            ("99999999999999999999 x", None),
        ];
        for (line, want) in cases {
            assert_eq!(
                split_request_number(line.as_bytes()),
                want.map(|(number, command)| (number, command.as_bytes())),
                "{line}"
            );
        }
    }
}
