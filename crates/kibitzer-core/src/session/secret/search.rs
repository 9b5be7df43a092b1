//! Finding a secret in bytes that a server sent, whatever the stream holds between its characters.

use zeroize::Zeroizing;

use crate::scan::find;
use crate::text::decode;

/// Most bytes without a meaning to the text that are accepted inside one secret.
const MAX_SKIPPED: usize = 256;
/// `&#x`, six digits and the semicolon.
const ENTITY_BYTES: usize = 10;
const IAC: u8 = 0xFF;
const SUBNEGOTIATION: u8 = 250;
const SUBNEGOTIATION_END: u8 = 240;
const ESCAPE: u8 = 0x1B;
/// Replaces each byte of a secret, so that the rest keeps its place in the stream.
const MASK: u8 = b'*';

/// A password, to be found in received bytes. It is wiped from memory when dropped.
pub struct Secret(Zeroizing<Vec<char>>);

/// Where bytes come from in which secrets are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a closed set")]
pub enum SecretSource {
    /// The stream of a connection, as received. More may follow.
    Stream,
    /// One line after framing. A blank may stand where the server broke the line.
    Line,
}

/// Result of a search at the start of some bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    Nothing,
    /// The start of a secret; the bytes end there.
    Start,
    /// A secret of so many bytes.
    Secret(usize),
}

impl Secret {
    /// A secret as it was sent; `None` if it is blank. Blanks around it do not belong to it.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let text: Zeroizing<String> = Zeroizing::new(decode(bytes.trim_ascii()).into_owned());
        (!text.is_empty()).then(|| Self(Zeroizing::new(text.chars().collect())))
    }

    /// Whether a line contains it.
    pub(crate) fn is_in(&self, line: &[u8]) -> bool {
        (0..line.len()).any(|at| {
            line.get(at..).is_some_and(|rest| matches!(self.found(rest, SecretSource::Line), Found::Secret(_)))
        })
    }

    /// Letters may differ in case: servers repeat a command in lower case.
    fn found(&self, bytes: &[u8], source: SecretSource) -> Found {
        let Some(first) = self.0.first() else { return Found::Nothing };
        // Most bytes begin no secret. Only a character begins one, and an entity may stand for any.
        if !bytes.first().is_some_and(|&b| b == b'&' || char::from(b).eq_ignore_ascii_case(first)) {
            return Found::Nothing;
        }
        let (mut n_found, mut n_taken, mut n_skipped) = (0, 0, 0);
        while let Some(wanted) = self.0.get(n_found) {
            let rest = bytes.get(n_taken..).unwrap_or_default();
            let length = match Unit::first_in(rest, source) {
                Unit::Character(found, length) if found.eq_ignore_ascii_case(wanted) => {
                    n_found += 1;
                    length
                }
                Unit::Character(' ', length) if source == SecretSource::Line && n_found > 0 => {
                    n_skipped += length;
                    length
                }
                Unit::Skipped(length) if n_found > 0 => {
                    // A line may be broken at a blank.
                    n_found += usize::from(*wanted == ' ' && rest.starts_with(b"\n"));
                    n_skipped += length;
                    length
                }
                Unit::Cut if rest.len() <= MAX_SKIPPED => return Found::Start,
                _ => return Found::Nothing,
            };
            if n_skipped > MAX_SKIPPED {
                return Found::Nothing;
            }
            n_taken += length;
        }
        Found::Secret(n_taken)
    }
}

/// Shows none of it.
impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// Replaces the characters of all secrets in the bytes by asterisks. Returns how many bytes are done: in a stream, those after
/// them may be the start of a secret, and more bytes decide.
pub fn hide_secrets<'a>(
    secrets: &(impl Iterator<Item = &'a Secret> + Clone),
    bytes: &mut [u8],
    source: SecretSource,
) -> usize {
    let mut n_done = 0;
    while let Some(rest) = bytes.get_mut(n_done..).filter(|rest| !rest.is_empty()) {
        match longest(secrets.clone(), rest, source) {
            Found::Start => break,
            Found::Secret(length) => {
                mask_text(rest.get_mut(..length).unwrap_or_default());
                n_done += length;
            }
            Found::Nothing => n_done += 1,
        }
    }
    n_done
}

fn longest<'a>(secrets: impl Iterator<Item = &'a Secret>, bytes: &[u8], source: SecretSource) -> Found {
    let mut longest = Found::Nothing;
    for secret in secrets {
        longest = match (secret.found(bytes, source), longest) {
            (Found::Start, _) if source == SecretSource::Stream => return Found::Start,
            (Found::Secret(length), Found::Secret(other)) => Found::Secret(length.max(other)),
            (Found::Secret(length), _) => Found::Secret(length),
            (Found::Nothing | Found::Start, longest) => longest,
        };
    }
    longest
}

/// Replaces text by asterisks, byte for byte. Control bytes stay: a recording is framed as the stream was.
pub fn mask_text(bytes: &mut [u8]) {
    let mut n_done = 0;
    while let Some(rest) = bytes.get_mut(n_done..).filter(|rest| !rest.is_empty()) {
        n_done += match Unit::first_of(rest) {
            Unit::Character(_, length) => {
                rest.iter_mut().take(length).for_each(|byte| *byte = MASK);
                length
            }
            Unit::Skipped(length) => length,
            Unit::Cut => {
                if !matches!(rest.first(), Some(&(b'\n' | IAC | ESCAPE))) {
                    rest.fill(MASK);
                }
                rest.len()
            }
        };
    }
}

/// The smallest part of a stream, as far as text is concerned. Numbers are lengths in bytes.
enum Unit {
    Character(char, usize),
    /// Bytes that are not part of the text, the break of a line among them.
    Skipped(usize),
    /// The bytes end before it is clear.
    Cut,
}

impl Unit {
    /// The first one, where the end of a line ends what may have gone on.
    fn first_in(bytes: &[u8], source: SecretSource) -> Self {
        match (Self::first_of(bytes), bytes) {
            (Self::Cut, [byte, ..]) if source == SecretSource::Line => Self::Character(char::from(*byte), 1),
            (unit, _) => unit,
        }
    }

    fn first_of(bytes: &[u8]) -> Self {
        match *bytes {
            [] | [ESCAPE | IAC] | [IAC, 251..=254] => Self::Cut,
            [IAC, SUBNEGOTIATION, ref rest @ ..] => match find(rest, &[IAC, SUBNEGOTIATION_END]) {
                Some(end) => Self::Skipped(end + 4),
                None => Self::Cut,
            },
            [b'\n', ref rest @ ..] => after_line_feed(rest),
            [ESCAPE, b'[', ref rest @ ..] => match rest.iter().position(|b| !matches!(b, 0x20..=0x3F)) {
                Some(end) => Self::Skipped(end + 3),
                None => Self::Cut,
            },
            [IAC, IAC, ..] => Self::Character('\u{ff}', 2),
            [IAC, 251..=254, _, ..] => Self::Skipped(3),
            [IAC, 240..=255, ..] => Self::Skipped(2),
            [0..=0x08 | 0x0B..=0x1F, ..] => Self::Skipped(1),
            [b'&', ..] => entity(bytes),
            [byte, ..] => Self::Character(char::from(byte), 1),
        }
    }
}

/// A broken line goes on after `\` and blanks.
fn after_line_feed(bytes: &[u8]) -> Unit {
    let n_returns = bytes.iter().take_while(|b| matches!(b, b'\r' | 0)).count();
    match bytes.get(n_returns..).and_then(<[u8]>::split_first) {
        None => Unit::Cut,
        Some((b'\\', blanks)) => match blanks.iter().position(|&b| b != b' ') {
            Some(n_blanks) => Unit::Skipped(n_returns + n_blanks + 2),
            None => Unit::Cut,
        },
        Some(_) => Unit::Character('\n', 1),
    }
}

fn entity(bytes: &[u8]) -> Unit {
    let start = bytes.get(..ENTITY_BYTES).unwrap_or(bytes);
    if let Some(whole) = start.split_inclusive(|&b| b == b';').next().filter(|whole| whole.ends_with(b";")) {
        let text = decode(whole);
        let mut characters = text.chars();
        if let (Some(character), None) = (characters.next(), characters.next()) {
            return Unit::Character(character, whole.len());
        }
    }
    let (mark, digits) = start.split_at(start.len().min(3));
    let may_go_on = start.len() < ENTITY_BYTES && b"&#x".starts_with(mark) && digits.iter().all(u8::is_ascii_hexdigit);
    if may_go_on { Unit::Cut } else { Unit::Character('&', 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes with the secret hidden; the same however they are cut.
    fn hidden(secret: &str, bytes: &[u8]) -> Vec<u8> {
        let secrets = [Secret::new(secret.as_bytes()).unwrap()];
        let mut all = bytes.to_vec();
        let n_done = hide_secrets(&secrets.iter(), &mut all, SecretSource::Stream);
        for end in 0..bytes.len() {
            let mut start = bytes[..end].to_vec();
            let n_sure = hide_secrets(&secrets.iter(), &mut start, SecretSource::Stream);
            assert_eq!(start[..n_sure], all[..n_sure], "{bytes:?} cut at {end}");
        }
        assert!(n_done <= all.len());
        all
    }

    #[test]
    fn a_secret_is_found_whatever_stands_inside_of_it() {
        let cases: &[(&str, &str, &[u8], &[u8])] = &[
            ("nothing", "perch", b"a perch.", b"a *****."),
            ("other letters", "Perch", b"pERCH", b"*****"),
            ("NUL, CR, bell", "perch", b"p\0e\rr\x07ch.", b"*\0*\r*\x07**."),
            ("IAC NOP", "perch", b"pe\xff\xf1rch.", b"**\xff\xf1***."),
            ("IAC WILL ECHO", "perch", b"pe\xff\xfb\x01rch.", b"**\xff\xfb\x01***."),
            ("IAC SB", "perch", b"pe\xff\xfa\x18x\xff\xf0rch.", b"**\xff\xfa\x18x\xff\xf0***."),
            ("escape", "perch", b"pe\x1b[31;1mrch.", b"**\x1b[31;1m***."),
            ("broken escape", "perch", b"pe\x1brch.", b"**\x1b***."),
            ("entity", "perch", b"p&#x65;r&#x0063;h.", b"*****************."),
            ("wrap", "perch", b"pe\n\r\\   rch.", b"**\n\r\\   ***."),
            ("wrap at a blank", "sea perch", b"sea\n\r\\   perch.", b"***\n\r\\   *****."),
            ("wrap after a blank", "sea perch", b"sea \n\r\\   perch.", b"****\n\r\\   *****."),
            ("all of it", "perch", b"p\0\xff\xf1&#x65;\x1b[m\n\r\\   rch.", b"*\0\xff\xf1******\x1b[m\n\r\\   ***."),
            ("a character of Latin-1", "p&#xe9;rch", b"p\xe9rch p&#xE9;rch.", b"***** **********."),
            ("an escaped 255", "p&#xff;", b"p\xff\xff.", b"***."),
            ("signs", "p&[", b"p&[.", b"***."),
            ("another line", "perch", b"pe\n\rrch.", b"pe\n\rrch."),
            (
                "too much inside",
                "perch",
                &[b"pe", &[0; 300][..], b"rch."].concat(),
                &[b"pe", &[0; 300][..], b"rch."].concat(),
            ),
        ];
        for (name, secret, bytes, want) in cases {
            assert_eq!(hidden(secret, bytes).escape_ascii().to_string(), want.escape_ascii().to_string(), "{name}");
        }
    }

    #[test]
    fn what_waits_for_more_is_bounded() {
        let secrets = [Secret::new(b"perch").unwrap()];
        for noise in [&b"\0"[..], b"\x1b[1", b"\n\r\\  ", b"\n\r\r"] {
            let mut bytes =
                [b"p", &noise.repeat(4)[..noise.len()], &noise.last_chunk::<1>().unwrap().repeat(2_000)].concat();
            let n_done = hide_secrets(&secrets.iter(), &mut bytes, SecretSource::Stream);
            assert!(bytes.len() - n_done <= 2 * MAX_SKIPPED, "{noise:?}: {n_done}");
        }
    }

    #[test]
    fn a_line_may_have_a_blank_where_it_was_broken_and_ends_with_its_last_byte() {
        let secret = Secret::new(b"perch").unwrap();
        assert!(
            secret.is_in(b"a pe rch") && secret.is_in(b"p&#x65;rch") && !secret.is_in(b"a per") && !secret.is_in(b"")
        );
        for secret in ["sea&", "sea&#", "sea&#x1"] {
            assert!(Secret::new(secret.as_bytes()).unwrap().is_in(format!("it is {secret}").as_bytes()), "{secret}");
        }
        let mut line = *b"a pe rch, per";
        assert_eq!(hide_secrets(&[&secret].into_iter(), &mut line, SecretSource::Line), line.len());
        assert_eq!(&line, b"a ******, per");
        assert!(!format!("{secret:?}").contains("perch") && Secret::new(b"  ").is_none());
    }
}
