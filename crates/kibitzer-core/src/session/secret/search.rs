//! Search for passwords in received bytes, regardless of control bytes, escapes and line breaks between their characters.

use zeroize::Zeroizing;

use crate::scan::find;
use crate::text::decode_received;

/// Maximum number of bytes inside one occurrence that are not part of the text; an occurrence with more is not recognized.
const MAX_SKIPPED: usize = 256;
/// Length of the longest entity: `&#x`, six digits and the semicolon.
const ENTITY_BYTES: usize = 10;
const IAC: u8 = 0xFF;
const SUBNEGOTIATION: u8 = 250;
const SUBNEGOTIATION_END: u8 = 240;
const ESCAPE: u8 = 0x1B;
/// Byte that replaces each byte of a secret, so that the length of the text does not change.
const MASK: u8 = b'*';

/// A password to search for in received bytes. It is wiped from memory when dropped.
pub struct Secret(Zeroizing<Vec<char>>);

/// Origin of the bytes that are searched for secrets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SecretSource {
    /// The received stream of a connection. More bytes may follow.
    Stream,
    /// One line after framing. It may contain a blank where the server broke the line.
    Line,
}

/// Result of a comparison of a secret with the start of the bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SecretMatch {
    Nothing,
    /// The bytes end inside a possible secret.
    Partial,
    /// A secret of this length in bytes.
    Complete(usize),
}

impl Secret {
    /// Creates a secret from the bytes as they were sent, without surrounding blanks; `None` if they are blank.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let text: Zeroizing<String> = Zeroizing::new(decode_received(bytes.trim_ascii()).into_owned());
        (!text.is_empty()).then(|| Self(Zeroizing::new(text.chars().collect())))
    }

    /// Returns whether a framed line contains the secret, at any position.
    pub(crate) fn is_in(&self, line: &[u8]) -> bool {
        (0..line.len()).any(|at| {
            line.get(at..)
                .is_some_and(|rest| matches!(self.match_at_start(rest, SecretSource::Line), SecretMatch::Complete(_)))
        })
    }

    /// Compares the secret with the start of the bytes, ignoring ASCII case: servers repeat commands in lower case. An entity
    /// counts as its character. Line breaks and control sequences after the first character are skipped, up to [`MAX_SKIPPED`]
    /// bytes in all.
    fn match_at_start(&self, bytes: &[u8], source: SecretSource) -> SecretMatch {
        let Some(first) = self.0.first() else { return SecretMatch::Nothing };
        // Fast path: most bytes begin no secret. An entity may stand for any character.
        if !bytes.first().is_some_and(|&b| b == b'&' || char::from(b).eq_ignore_ascii_case(first)) {
            return SecretMatch::Nothing;
        }
        let (mut n_matched_chars, mut n_matched_bytes, mut n_skipped) = (0, 0, 0);
        while let Some(wanted) = self.0.get(n_matched_chars) {
            let rest = bytes.get(n_matched_bytes..).unwrap_or_default();
            let length = match TextUnit::first_in(rest, source) {
                TextUnit::Character(found, length) if found.eq_ignore_ascii_case(wanted) => {
                    n_matched_chars += 1;
                    length
                }
                TextUnit::Character(' ', length) if source == SecretSource::Line && n_matched_chars > 0 => {
                    n_skipped += length;
                    length
                }
                TextUnit::Skipped(length) if n_matched_chars > 0 => {
                    // The server may have broken the line at a blank.
                    n_matched_chars += usize::from(*wanted == ' ' && rest.starts_with(b"\n"));
                    n_skipped += length;
                    length
                }
                TextUnit::Cut if rest.len() <= MAX_SKIPPED => return SecretMatch::Partial,
                _ => return SecretMatch::Nothing,
            };
            if n_skipped > MAX_SKIPPED {
                return SecretMatch::Nothing;
            }
            n_matched_bytes += length;
        }
        SecretMatch::Complete(n_matched_bytes)
    }
}

/// Prints `Secret(..)`, without the text.
impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// Replaces the characters of all secrets in received bytes by asterisks. Returns the number of processed bytes: the rest may be
/// the start of a secret, and has to be passed again with more bytes.
pub fn mask_secrets_in_stream<'a>(secrets: &(impl Iterator<Item = &'a Secret> + Clone), bytes: &mut [u8]) -> usize {
    mask_secrets(secrets, bytes, SecretSource::Stream)
}

/// Replaces the characters of all secrets in a framed line by asterisks. The line may contain a blank where the server broke it.
pub fn mask_secrets_in_line<'a>(secrets: &(impl Iterator<Item = &'a Secret> + Clone), line: &mut [u8]) {
    mask_secrets(secrets, line, SecretSource::Line);
}

/// Masks secrets, and returns the number of processed bytes: all but those of a stream that may be the start of a secret.
fn mask_secrets<'a>(
    secrets: &(impl Iterator<Item = &'a Secret> + Clone),
    bytes: &mut [u8],
    source: SecretSource,
) -> usize {
    let mut n_done = 0;
    while let Some(rest) = bytes.get_mut(n_done..).filter(|rest| !rest.is_empty()) {
        match longest_match(secrets.clone(), rest, source) {
            SecretMatch::Partial => break,
            SecretMatch::Complete(length) => {
                mask_text_keeping_controls(rest.get_mut(..length).unwrap_or_default());
                n_done += length;
            }
            SecretMatch::Nothing => n_done += 1,
        }
    }
    n_done
}

/// Returns the longest match of a secret at the start of the bytes. In a stream, a partial match of any secret takes precedence.
fn longest_match<'a>(secrets: impl Iterator<Item = &'a Secret>, bytes: &[u8], source: SecretSource) -> SecretMatch {
    let mut longest = SecretMatch::Nothing;
    for secret in secrets {
        longest = match (secret.match_at_start(bytes, source), longest) {
            (SecretMatch::Partial, _) if source == SecretSource::Stream => return SecretMatch::Partial,
            (SecretMatch::Complete(length), SecretMatch::Complete(other)) => SecretMatch::Complete(length.max(other)),
            (SecretMatch::Complete(length), _) => SecretMatch::Complete(length),
            (SecretMatch::Nothing | SecretMatch::Partial, longest) => longest,
        };
    }
    longest
}

/// Replaces text by asterisks, byte for byte. Control bytes are kept, so that the framing does not change. An incomplete unit at
/// the end is replaced unless it begins with a control byte.
pub fn mask_text_keeping_controls(bytes: &mut [u8]) {
    let mut n_done = 0;
    while let Some(rest) = bytes.get_mut(n_done..).filter(|rest| !rest.is_empty()) {
        n_done += match TextUnit::first_in_stream(rest) {
            TextUnit::Character(_, length) => {
                rest.iter_mut().take(length).for_each(|byte| *byte = MASK);
                length
            }
            TextUnit::Skipped(length) => length,
            TextUnit::Cut => {
                if !matches!(rest.first(), Some(&(b'\n' | IAC | ESCAPE))) {
                    rest.fill(MASK);
                }
                rest.len()
            }
        };
    }
}

/// Smallest unit of a stream that is searched for secrets: a character, or bytes to skip. Numbers are lengths in bytes.
enum TextUnit {
    Character(char, usize),
    /// Bytes that are not part of the text, such as the break of a line.
    Skipped(usize),
    /// The bytes end before the part does.
    Cut,
}

impl TextUnit {
    /// Parses the first unit. In a line, where no more bytes follow, the first byte of an incomplete unit counts as a character.
    fn first_in(bytes: &[u8], source: SecretSource) -> Self {
        match (Self::first_in_stream(bytes), bytes) {
            (Self::Cut, [byte, ..]) if source == SecretSource::Line => Self::Character(char::from(*byte), 1),
            (unit, _) => unit,
        }
    }

    /// Parses the first unit; [`Cut`](Self::Cut) if more bytes are needed.
    fn first_in_stream(bytes: &[u8]) -> Self {
        match *bytes {
            [] | [ESCAPE | IAC] | [IAC, 251..=254] => Self::Cut,
            [IAC, SUBNEGOTIATION, ref rest @ ..] => match find(rest, &[IAC, SUBNEGOTIATION_END]) {
                Some(end) => Self::Skipped(end + 4),
                None => Self::Cut,
            },
            [b'\n', ref rest @ ..] => parse_after_line_feed(rest),
            [ESCAPE, b'[', ref rest @ ..] => match rest.iter().position(|b| !matches!(b, 0x20..=0x3F)) {
                Some(end) => Self::Skipped(end + 3),
                None => Self::Cut,
            },
            [IAC, IAC, ..] => Self::Character('\u{ff}', 2),
            [IAC, 251..=254, _, ..] => Self::Skipped(3),
            [IAC, 240..=255, ..] => Self::Skipped(2),
            [0..=0x08 | 0x0B..=0x1F, ..] => Self::Skipped(1),
            [b'&', ..] => parse_entity_or_ampersand(bytes),
            [byte, ..] => Self::Character(char::from(byte), 1),
        }
    }
}

/// Parses the unit that begins with a line feed: a line end, or a line break that the server continued with `\` and blanks, which
/// is skipped. `bytes` starts after the line feed; lengths include it. [`Cut`](TextUnit::Cut) if more bytes are needed.
fn parse_after_line_feed(bytes: &[u8]) -> TextUnit {
    let n_returns = bytes.iter().take_while(|b| matches!(b, b'\r' | 0)).count();
    match bytes.get(n_returns..).and_then(<[u8]>::split_first) {
        None => TextUnit::Cut,
        Some((b'\\', blanks)) => match blanks.iter().position(|&b| b != b' ') {
            Some(n_blanks) => TextUnit::Skipped(n_returns + n_blanks + 2),
            None => TextUnit::Cut,
        },
        Some(_) => TextUnit::Character('\n', 1),
    }
}

fn parse_entity_or_ampersand(bytes: &[u8]) -> TextUnit {
    let start = bytes.get(..ENTITY_BYTES).unwrap_or(bytes);
    if let Some(whole) = start.split_inclusive(|&b| b == b';').next().filter(|whole| whole.ends_with(b";")) {
        let text = decode_received(whole);
        let mut characters = text.chars();
        if let (Some(character), None) = (characters.next(), characters.next()) {
            return TextUnit::Character(character, whole.len());
        }
    }
    let (mark, digits) = start.split_at(start.len().min(3));
    let may_go_on = start.len() < ENTITY_BYTES && b"&#x".starts_with(mark) && digits.iter().all(u8::is_ascii_hexdigit);
    if may_go_on { TextUnit::Cut } else { TextUnit::Character('&', 1) }
}

#[cfg(test)]
mod tests;
