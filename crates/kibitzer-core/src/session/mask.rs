//! A password that a server sends back.

use std::fmt;

use zeroize::Zeroizing;

/// What stands for a byte that is not shown.
const MASK: u8 = b'*';

/// Blots a password out of what the server sends: one that does not keep what it is told to itself sends it back.
///
/// What may be the beginning of the password, at the end of a piece, is blotted out as well, as nobody can tell yet. The
/// length of a piece stays.
pub struct EchoMask {
    password: Zeroizing<Vec<u8>>,
    /// How much of the password the bytes before ended with.
    n_matched: usize,
}

impl EchoMask {
    pub(super) fn new(password: &[u8]) -> Self {
        Self { password: Zeroizing::new(password.to_vec()), n_matched: 0 }
    }

    /// Blots it out of the next piece of the stream.
    pub fn apply(&mut self, piece: &mut [u8]) {
        for at in 0..piece.len() {
            let Some(&byte) = piece.get(at) else { break };
            self.n_matched = self.matched_with(byte);
            if self.n_matched == self.password.len() {
                blot(piece, at + 1, self.n_matched);
                self.n_matched = 0;
            }
        }
        blot(piece, piece.len(), self.n_matched);
    }

    /// How much of the password ends with this byte.
    fn matched_with(&self, byte: u8) -> usize {
        let mut n_matched = self.n_matched;
        while self.password.get(n_matched) != Some(&byte) {
            let Some(shorter) = self.border(n_matched) else { return 0 };
            n_matched = shorter;
        }
        n_matched + 1
    }

    /// The longest beginning of the password, shorter than `length`, with which its first `length` bytes end.
    fn border(&self, length: usize) -> Option<usize> {
        let begun = self.password.get(..length)?;
        (0..length).rev().find(|&shorter| begun.get(length - shorter..) == self.password.get(..shorter))
    }
}

/// Blots out the last `n` bytes in front of `end`; those that went before the piece are gone.
fn blot(piece: &mut [u8], end: usize, n: usize) {
    if let Some(matched) = piece.get_mut(end.saturating_sub(n)..end) {
        matched.fill(MASK);
    }
}

/// Shows no password.
impl fmt::Debug for EchoMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EchoMask(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(password: &str, pieces: &[&str]) -> String {
        let mut mask = EchoMask::new(password.as_bytes());
        let mut out = Vec::new();
        for piece in pieces {
            let mut piece = piece.as_bytes().to_vec();
            mask.apply(&mut piece);
            out.extend(piece);
        }
        String::from_utf8(out).unwrap()
    }

    // Rules: transport LG2
    #[test]
    fn a_password_that_comes_back_is_blotted_out() {
        let cases: &[(&str, &[&str], &str)] = &[
            ("swordfish", &["swordfish\n\rHello"], "*********\n\rHello"),
            ("swordfish", &["sword", "fish\n\rHello"], "*********\n\rHello"),
            ("swordfish", &["s", "w", "o", "r", "d", "f", "i", "s", "h", "!"], "*********!"),
            ("swordfish", &["a sword is no fish"], "a sword is no fish"),
            ("swordfish", &["Starting FICS", " as s", "omebody"], "Starting FICS as *omebody"),
            ("aab", &["aaab aabaab"], "a*** ******"),
            ("abab", &["ababab"], "******"),
            ("x", &["xyx"], "*y*"),
            ("swordfish", &["sswordfish swordfis"], "s********* ********"),
        ];
        for (password, pieces, want) in cases {
            assert_eq!(masked(password, pieces), *want, "{pieces:?}");
        }
    }

    #[test]
    fn it_shows_nothing_itself() {
        assert_eq!(format!("{:?}", EchoMask::new(b"swordfish")), "EchoMask(..)");
    }
}
