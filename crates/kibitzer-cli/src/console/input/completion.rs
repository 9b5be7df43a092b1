//! Completion of the word before the cursor.

use kibitzer_core::chess::SanMove;

use super::LineEditor;
use crate::console::model::SeenNames;
use crate::filter;

/// Frequent server commands; most exist on both families of servers.
const SERVER_COMMANDS: &str = "\
    abort accept addlist adjourn alias allobservers assess backward best boards cshout censor channel \
    clearmessages date decline draw examine fbest finger flag flip follow formula forward games getpi ginfo \
    goboard handles help history hrank inchannel index info iset it ivariables journal jsave kibitz lastmoves \
    limits llogons logons mailhelp mailmess mailmoves mailoldmoves mailsource match messages mexamine moretime \
    moves news next notify observe oldmoves partner pause pending play password ptell quit rank refresh rematch \
    resign revert say seek set shout showlist simmatch smoves sought statistics stored takeback tell time \
    unexamine unobserve unseek variables whisper who";

/// Candidates that can replace the word before the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CompletionCandidates {
    /// Byte offset of the word in the input.
    from: usize,
    /// The candidates: sorted, without duplicates, at least one.
    words: Vec<String>,
}

impl CompletionCandidates {
    /// Completes the last word of a line, the input before the cursor, to one of these words; `None` without candidates.
    pub(crate) fn for_word(line: &str, words: impl Iterator<Item = impl AsRef<str>>) -> Option<Self> {
        let (from, word) = last_word(line);
        Self::from_candidates(from, word, words)
    }

    /// Completes the last word of a line for the server: the command or one of `moves`, then handles and channels; `None` without
    /// candidates. Before the first letter, and after a capital one that begins a move, only moves are candidates.
    pub(crate) fn for_server_line(line: &str, names: &SeenNames, moves: &[String]) -> Option<Self> {
        let (from, word) = last_word(line);
        if line.get(..from).is_none_or(|before| before.trim().is_empty()) {
            let begun = moves.iter().filter(|san| san.starts_with(word));
            let is_piece = word.is_empty() || word.starts_with(|letter: char| letter.is_ascii_uppercase());
            if is_piece && begun.clone().next().is_some() {
                return Self::from_candidates(from, word, begun);
            }
            let moves = moves.iter().map(String::as_str);
            return Self::from_candidates(from, word, SERVER_COMMANDS.split_whitespace().chain(moves));
        }
        let channels = names.channels.iter().map(ToString::to_string);
        let words = names.players.iter().cloned().chain(channels);
        if word.is_empty() { None } else { Self::from_candidates(from, word, words) }
    }

    /// Completes the last word of a line, a term of an expression or the value after its colon. `names` are further candidates
    /// for a whole term, `games` the numbers of known games.
    pub(crate) fn for_expression<'a>(
        line: &str,
        seen: &SeenNames,
        games: impl Iterator<Item = String>,
        names: impl Iterator<Item = &'a str>,
    ) -> Option<Self> {
        let (from, word) = last_word(line);
        let signs = word.len() - word.trim_start_matches(['-', '!', '(']).len();
        let (from, word) = (from + signs, word.get(signs..).unwrap_or_default());
        let Some((key, values)) = word.split_once(':') else {
            return Self::from_candidates(from, word, filter::term_completions().chain(names.map(str::to_owned)));
        };
        let (before, value) = values.rsplit_once(',').map_or(("", values), |(_, value)| (values, value));
        let at = from + key.len() + 1 + before.len().saturating_sub(value.len());
        match key {
            "kind" => Self::from_candidates(at, value, filter::kinds()),
            "from" | "name" => Self::from_candidates(at, value, seen.players.iter()),
            "game" => Self::from_candidates(at, value, games),
            _ => None,
        }
    }

    /// Returns the words that start with `begun`, regardless of case; `None` without one.
    fn from_candidates(from: usize, begun: &str, words: impl Iterator<Item = impl AsRef<str>>) -> Option<Self> {
        let matches = |word: &str| word.get(..begun.len()).is_some_and(|start| start.eq_ignore_ascii_case(begun));
        let words = words.filter(|word| matches(word.as_ref()));
        let mut words: Vec<_> = words.map(|word| word.as_ref().to_owned()).collect();
        words.sort();
        words.dedup();
        (!words.is_empty()).then_some(Self { from, words })
    }

    /// Replaces the word before the cursor by the common prefix of the candidates. If that is no longer than the word and there
    /// are several candidates, changes nothing and returns their number and list as text.
    pub(crate) fn insert_or_list(&self, editor: &mut LineEditor) -> Option<String> {
        let (common_prefix, typed) = (self.common_prefix(), editor.split_at_cursor().0.len() - self.from);
        if common_prefix.len() > typed || self.words.len() == 1 {
            editor.replace_before_cursor(self.from, &common_prefix);
            return None;
        }
        Some(format!("{}: {}", self.words.len(), self.words.join("  ")))
    }

    /// Returns the common prefix of all candidates. A single candidate is followed by a blank, unless it is a move or a value follows
    /// it.
    fn common_prefix(&self) -> String {
        let Some((first, others)) = self.words.split_first() else { return String::new() };
        if others.is_empty() {
            let ends = !first.ends_with([':', '<', '=']) && SanMove::parse(first.as_bytes()).is_none();
            return if ends { format!("{first} ") } else { first.clone() };
        }
        let same = |word: &String| first.chars().zip(word.chars()).take_while(|(a, b)| a == b).count();
        first.chars().take(others.iter().map(same).min().unwrap_or(0)).collect()
    }
}

/// Returns the last word of a line, and its byte offset; empty after a blank.
fn last_word(line: &str) -> (usize, &str) {
    let from = line.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    (from, line.get(from..).unwrap_or_default())
}

#[cfg(test)]
mod tests;
