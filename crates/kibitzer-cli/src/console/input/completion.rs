//! Completion of the word before the cursor.

use crate::console::export::{ExportForm, ExportedRows};
use crate::console::input::command::value_names;
use crate::console::input::{ColorTheme, LineEditor, NamedFilters, PieceSet, ROW_COLORS, TimeColumn, command};
use crate::console::model::{SeenNames, SessionModel};
use crate::{fault, filter};

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
    /// Completes the last word of `line`, the input before the cursor: of a console command or of a line for the server. `None`
    /// without candidates.
    pub(crate) fn for_line(line: &str, model: &SessionModel, filters: &NamedFilters) -> Option<Self> {
        let from = line.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let (before, word) = line.split_at_checked(from)?;
        let command = before.split_whitespace().next();
        match command {
            None if word.starts_with('/') => Self::from_candidates(from, word, command::command_words()),
            Some("/filter" | "/break" | "/find") => Self::for_expression(from, word, model, filters.names()),
            Some("/color") => Self::for_expression(from, word, model, ROW_COLORS.into_iter()),
            Some("/times") => Self::from_candidates(from, word, value_names::<TimeColumn>()),
            Some("/export") => {
                Self::from_candidates(from, word, value_names::<ExportForm>().chain(value_names::<ExportedRows>()))
            }
            Some("/pieces") => Self::from_candidates(from, word, value_names::<PieceSet>()),
            Some("/theme") => Self::from_candidates(from, word, value_names::<ColorTheme>()),
            Some("/bell") => Self::from_candidates(from, word, ["off", "on"].into_iter()),
            Some("/fault") => Self::from_candidates(from, word, fault::fault_completions(word).into_iter()),
            Some("/game") => Self::from_candidates(from, word, game_numbers(model)),
            _ => Self::for_server_line(line, &model.names),
        }
    }

    /// Completes the last word of a line for the server: the command, then handles and channels; `None` without candidates.
    pub(crate) fn for_server_line(line: &str, names: &SeenNames) -> Option<Self> {
        let from = line.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let (before, word) = line.split_at_checked(from)?;
        if before.trim().is_empty() {
            return Self::from_candidates(from, word, SERVER_COMMANDS.split_whitespace());
        }
        let channels = names.channels.iter().map(ToString::to_string);
        let words = names.players.iter().cloned().chain(channels);
        if word.is_empty() { None } else { Self::from_candidates(from, word, words) }
    }

    /// Completes the last term of an expression, or the value after its colon; `names` are further candidates for a whole term.
    fn for_expression<'a>(
        from: usize,
        word: &str,
        model: &SessionModel,
        names: impl Iterator<Item = &'a str>,
    ) -> Option<Self> {
        let signs = word.len() - word.trim_start_matches(['-', '!', '(']).len();
        let (from, word) = (from + signs, word.get(signs..).unwrap_or_default());
        let Some((key, values)) = word.split_once(':') else {
            return Self::from_candidates(from, word, filter::term_completions().chain(names.map(str::to_owned)));
        };
        let (before, value) = values.rsplit_once(',').map_or(("", values), |(_, value)| (values, value));
        let at = from + key.len() + 1 + before.len().saturating_sub(value.len());
        match key {
            "kind" => Self::from_candidates(at, value, filter::kinds()),
            "from" | "name" => Self::from_candidates(at, value, model.names.players.iter()),
            "game" => Self::from_candidates(at, value, game_numbers(model)),
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

    /// Returns the common prefix of all candidates. A single candidate is followed by a blank, unless a value follows it.
    fn common_prefix(&self) -> String {
        let Some((first, others)) = self.words.split_first() else { return String::new() };
        if others.is_empty() {
            let ends = !first.ends_with([':', '<', '=']);
            return if ends { format!("{first} ") } else { first.clone() };
        }
        let same = |word: &String| first.chars().zip(word.chars()).take_while(|(a, b)| a == b).count();
        first.chars().take(others.iter().map(same).min().unwrap_or(0)).collect()
    }
}

fn game_numbers(model: &SessionModel) -> impl Iterator<Item = String> {
    model.games.keys().map(ToString::to_string)
}

#[cfg(test)]
mod tests;
