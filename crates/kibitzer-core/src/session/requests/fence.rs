//! A command no server knows: its refusal shows that everything in front of it was answered.

use crate::scan::find;
use crate::session::random::Random;

/// Letters of a fence. With the longest refusal behind it the line is shorter than any width, so it is never broken.
const LETTERS: usize = 10;

/// No server has a command, an alias or a move that begins so.
const HEAD: &[u8; 2] = b"zq";

/// What ICC says in front of a command that it does not know.
const ICC_ANSWER: &[u8] = b"No such command (";

/// An unknown command that nobody else can type, because it is drawn by chance: ten small letters.
///
/// Small, because servers repeat a command in small letters. Every server says of an unknown command what it was:
/// `zqabcdefgh: Command not found.` (FICS, FatICS), `…: Command has failed.` (uhlin/fics), `No such command (…).`
/// (ICC).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fence([u8; LETTERS]);

impl Fence {
    pub(crate) fn draw(random: &mut Random) -> Self {
        let mut letters = [0; LETTERS];
        let (head, tail) = letters.split_at_mut(HEAD.len());
        head.copy_from_slice(HEAD);
        let mut drawn = random.next();
        for letter in tail {
            // Eight letters of 26 are 38 bits.
            *letter = b'a' + u8::try_from(drawn % 26).unwrap_or_default();
            drawn /= 26;
        }
        Self(letters)
    }

    /// The fence that a line which was sent is, if it is one: by itself, as a probe, or as its own tag.
    pub(crate) fn of_line(line: &[u8]) -> Option<Self> {
        let word = line.get(line.len().checked_sub(LETTERS)?..)?;
        let fence = Self(word.try_into().ok()?);
        let in_front = line.strip_suffix(word)?;
        let is_fence = word.starts_with(HEAD) && word.iter().all(u8::is_ascii_lowercase);
        let is_tagged = || in_front == [b"`", word, b"`"].concat();
        (is_fence && (matches!(in_front, b"" | b"$$") || is_tagged())).then_some(fence)
    }

    /// The command.
    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Whether a line answers this fence. No other line has the word, wherever it stands.
    pub(crate) fn is_answered_by(&self, line: &[u8]) -> bool {
        find(line, &self.0).is_some()
    }

    /// Whether a line answers it in ICC's words.
    pub(crate) fn is_answered_by_icc(&self, line: &[u8]) -> bool {
        self.in_front(line).is_some_and(|in_front| in_front.ends_with(ICC_ANSWER))
    }

    /// What stands in front of the answer on its line: a prompt that the account has set. Every prompt ends with a blank;
    /// what does not is a line that broke off.
    pub(crate) fn prompt_in_front<'a>(&self, line: &'a [u8]) -> Option<&'a [u8]> {
        let in_front = self.in_front(line)?;
        let prompt = in_front.strip_suffix(ICC_ANSWER).unwrap_or(in_front);
        prompt.ends_with(b" ").then(|| period(prompt))
    }

    /// What stands in front of it. A server without tags repeats the tag, too.
    fn in_front<'a>(&self, line: &'a [u8]) -> Option<&'a [u8]> {
        let in_front = line.get(..find(line, &self.0)?)?;
        Some(in_front.strip_suffix(b"`").unwrap_or(in_front))
    }
}

/// The word of a line that a session sends to learn where a reply ends or whether the server is still there; `None` of every
/// other line. The server's answer, a refusal, has the word, and no other line does.
///
/// ```
/// use kibitzer_core::session::fence_word;
///
/// assert_eq!(fence_word(b"$$zqabcdefgh"), Some(&b"zqabcdefgh"[..]));
/// assert_eq!(fence_word(b"date"), None);
/// ```
pub fn fence_word(line: &[u8]) -> Option<&[u8]> {
    Fence::of_line(line)?;
    line.get(line.len().checked_sub(LETTERS)?..)
}

/// What a text repeats: some servers print the prompt twice. The text itself if it repeats nothing.
fn period(text: &[u8]) -> &[u8] {
    (1..text.len())
        .filter(|length| text.len().is_multiple_of(*length))
        .filter_map(|length| text.get(..length))
        .find(|part| text.chunks(part.len()).all(|chunk| chunk == *part))
        .unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_ten_small_letters_and_never_the_same() {
        let mut random = Random::new(7);
        let fences: Vec<_> = (0..100).map(|_| Fence::draw(&mut random)).collect();
        assert!(fences.iter().all(|fence| fence.as_str().len() == 10 && fence.as_str().starts_with("zq")));
        assert!(fences.iter().all(|fence| fence.0.iter().all(u8::is_ascii_lowercase)));
        assert!((1..100).all(|at| !fences[..at].contains(&fences[at])));
        assert_ne!(Fence::draw(&mut Random::new(1)), Fence::draw(&mut Random::new(2)));
    }

    #[test]
    fn a_line_that_was_sent_is_known_as_a_fence() {
        let mut random = Random::new(7);
        let (fence, other) = (Fence::draw(&mut random), Fence::draw(&mut random));
        let word = fence.as_str();
        for line in [word.to_owned(), format!("$${word}"), format!("`{word}`{word}")] {
            assert_eq!(Fence::of_line(line.as_bytes()), Some(fence), "{line}");
        }
        for line in
            ["", "zq", "zqabcdefg1", "zqabcdefghi", "tell Foo zqabcdefgh", &format!("`{}`{word}", other.as_str())]
        {
            assert_eq!(Fence::of_line(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn its_answer_is_known_in_every_wording() {
        let fence = Fence::draw(&mut Random::new(7));
        let cases = [
            ("FICS, FatICS", "zqX: Command not found.", None),
            ("uhlin/fics", "zqX: Command has failed.", None),
            ("ICC", "No such command (zqX).", None),
            ("a prompt the account has set", "chess> zqX: Command has failed.", Some("chess> ")),
            ("it twice", "> > zqX: Command has failed.", Some("> ")),
            ("a line that broke off", "(c-shoutedzqX: Command not found.", None),
            ("on ICC", "? No such command (zqX).", Some("? ")),
            ("on ICC, with its tag", "? No such command (`zqX`zqX).", Some("? ")),
        ];
        for (name, line, want) in cases {
            let line = line.replace("zqX", fence.as_str());
            assert!(fence.is_answered_by(line.as_bytes()), "{name}");
            assert_eq!(fence.prompt_in_front(line.as_bytes()), want.map(str::as_bytes), "{name}");
            assert_eq!(fence.is_answered_by_icc(line.as_bytes()), name.contains("ICC"), "{name}");
        }
        assert!(!fence.is_answered_by(b"Foo tells you: zqabcdefgh: Command not found."));
    }
}
