//! Fences: unknown commands whose refusal marks the end of everything before it.

use fastrand::Rng;

use crate::scan::find;

/// Length of a fence in bytes. Together with the longest refusal it is shorter than any line width, so servers never break the
/// line.
const LENGTH: usize = 10;

/// Prefix of every fence. No server has a command or alias that begins with it, and no move does.
const PREFIX: &[u8; 2] = b"zq";

/// Text before the command in ICC's refusal of an unknown command.
const ICC_REFUSAL: &[u8] = b"No such command (";

/// An unknown command that no other player can guess: `zq` and eight random lower-case letters.
///
/// Every server repeats an unknown command in its refusal, in lower case: `zqabcdefgh: Command not found.` (FICS, FatICS),
/// `…: Command has failed.` (uhlin/fics), `No such command (…).` (ICC).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fence([u8; LENGTH]);

impl Fence {
    /// Draws the letters of a new fence from the generator; equal seeds give equal fences.
    pub(crate) fn random(rng: &mut Rng) -> Self {
        let mut letters = [0; LENGTH];
        let (prefix, random) = letters.split_at_mut(PREFIX.len());
        prefix.copy_from_slice(PREFIX);
        random.fill_with(|| rng.u8(b'a'..=b'z'));
        Self(letters)
    }

    /// Returns the fence if a sent line consists of one: alone, after `$$` (a probe), or tagged with itself (ICC). `None` for
    /// every other line.
    pub(crate) fn in_sent_line(line: &[u8]) -> Option<Self> {
        let (before, word) = line.split_last_chunk::<LENGTH>()?;
        let is_fence = word.starts_with(PREFIX) && word.iter().all(u8::is_ascii_lowercase);
        let is_tagged = || before == [b"`", &word[..], b"`"].concat();
        (is_fence && (matches!(before, b"" | b"$$") || is_tagged())).then_some(Self(*word))
    }

    /// Returns the ten letters of the fence, which are sent as a command.
    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Returns whether a received line contains this fence. Only its refusal does, at any position: a prompt may precede it.
    pub(crate) fn is_answered_by(&self, line: &[u8]) -> bool {
        find(line, &self.0).is_some()
    }

    /// Returns whether a received line is the refusal of this fence in ICC's words.
    pub(crate) fn is_answered_by_icc(&self, line: &[u8]) -> bool {
        self.text_before_answer(line).is_some_and(|before| before.ends_with(ICC_REFUSAL))
    }

    /// Returns the custom prompt that precedes the refusal on its line; `None` if the line does not contain the fence, or if the
    /// text before it does not end with a blank. Every prompt does; other text is the rest of a line that was cut short.
    pub(crate) fn prompt_before_answer<'a>(&self, line: &'a [u8]) -> Option<&'a [u8]> {
        let before = self.text_before_answer(line)?;
        let prompt = before.strip_suffix(ICC_REFUSAL).unwrap_or(before);
        prompt.ends_with(b" ").then(|| shortest_period(prompt))
    }

    fn text_before_answer<'a>(&self, line: &'a [u8]) -> Option<&'a [u8]> {
        let before = line.get(..find(line, &self.0)?)?;
        // A server without tags repeats the tag of the fence, too.
        Some(before.strip_suffix(b"`").unwrap_or(before))
    }
}

/// Returns the shortest part whose repetition gives the whole text (`> ` for `> > `), or the text if nothing repeats. Some
/// servers print the prompt twice.
fn shortest_period(text: &[u8]) -> &[u8] {
    (1..text.len())
        .filter(|length| text.len().is_multiple_of(*length))
        .filter_map(|length| text.get(..length))
        .find(|part| text.chunks(part.len()).all(|chunk| chunk == *part))
        .unwrap_or(text)
}

#[cfg(test)]
mod tests;
