//! Terms of seeks and challenges in the words of the commands `seek` and `match`.

use std::ops::Range;

use kibitzer::internal::most_similar_word;
use kibitzer_core::message::GameKind;

use super::Severity;

/// Speeds of chess by the seconds that a player has for forty moves. `bullet` is ICC's word for lightning.
///
/// Source: FICS help files `lightning`, `blitz`, `standard`.
pub(super) const SPEEDS: [(&str, Range<u32>); 4] =
    [("lightning", 1..180), ("bullet", 1..180), ("blitz", 180..900), ("standard", 900..u32::MAX)];

/// Largest number of minutes, and of seconds per move, that servers of the FICS family accept.
pub(super) const MAX_TIME: u32 = 1_000;

/// Words of both commands with more than one letter, except for kinds of games.
const WORDS: [&str; 8] = ["rated", "unrated", "white", "black", "auto", "manual", "formula", "untimed"];

/// Words of lichess in lower case, with those of servers of the FICS family; `None` for a variant that these do not have.
const LICHESS_WORDS: [(&str, Option<&str>); 10] = [
    ("casual", Some("unrated")),
    ("ultrabullet", Some("lightning")),
    ("rapid", Some("standard")),
    ("classical", Some("standard")),
    ("antichess", Some("suicide")),
    ("horde", None),
    ("kingofthehill", None),
    ("racingkings", None),
    ("threecheck", None),
    ("fromposition", None),
];

/// Returns what to write in place of an unknown word: that of these servers for a word of lichess, otherwise the most similar one of
/// the `known` words; `None` if none is similar.
pub(super) fn advice_for<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    match LICHESS_WORDS.iter().find(|(lichess, _)| word.eq_ignore_ascii_case(lichess)) {
        Some((_, Some(word))) => Some(format!("write `{word}`")),
        Some((_, None)) => Some("remove it, as these servers do not have this variant".to_owned()),
        None => most_similar_word(word, known).map(|nearest| format!("write `{nearest}`")),
    }
}

/// Returns the seconds that a player has for forty moves.
pub(super) const fn forty_moves_s(initial_min: u32, increment_s: u32) -> u32 {
    initial_min.saturating_mul(60).saturating_add(increment_s.saturating_mul(40))
}

/// Terms, as far as they could be parsed.
#[derive(Debug, Default)]
pub(super) struct ParsedTerms {
    /// Whether the game is rated; `None` if the server decides.
    pub(super) rated: Option<bool>,
    /// Minutes at the start and seconds per move; `None` if they are those of the account, or the game is untimed.
    pub(super) clock: Option<(u32, u32)>,
    /// The variant; `None` for chess.
    pub(super) variant: Option<String>,
    pub(super) problems: Vec<(Severity, String)>,
}

impl ParsedTerms {
    /// Parses the words in any order and case. `max_numbers` is how many numbers the command accepts.
    pub(super) fn parse(words: &str, max_numbers: usize) -> Self {
        let mut terms = Self::default();
        let mut numbers = Vec::new();
        let words = words.to_ascii_lowercase().replace("wild ", "wild/");
        for word in words.split_whitespace() {
            match word.parse::<u32>() {
                Ok(number) => numbers.push(number),
                Err(_) => terms.add_word(word),
            }
        }
        if numbers.len() > max_numbers {
            terms.error(format!("{} numbers; write at most {max_numbers}", numbers.len()));
        }
        if numbers.iter().any(|number| *number > MAX_TIME) {
            terms.error(format!("minutes and seconds are 0 to {MAX_TIME}"));
        }
        let mut numbers = numbers.into_iter();
        let initial_min = numbers.next();
        let increment_s = numbers.next().unwrap_or(0);
        terms.clock = initial_min.map(|minutes| (minutes, increment_s)).filter(|clock| *clock != (0, 0));
        terms
    }

    fn error(&mut self, reason: String) {
        self.problems.push((Severity::Error, reason));
    }

    fn add_word(&mut self, word: &str) {
        match word {
            "r" | "rated" => self.rated = Some(true),
            "u" | "unrated" => self.rated = Some(false),
            "w" | "b" | "a" | "m" | "f" => {}
            _ if WORDS.contains(&word) || word.starts_with("idn=") => {}
            _ => self.add_kind_or_range(word),
        }
    }

    /// Applies the name of a kind of games, or a range of ratings.
    fn add_kind_or_range(&mut self, word: &str) {
        let kind = GameKind::parse(match word {
            "zh" => "crazyhouse",
            "bug" => "bughouse",
            word => word,
        });
        if kind.speed.is_some() || kind.variant.is_some() {
            self.variant = kind.variant.map(|name| name.as_str().to_owned()).filter(|name| name != "chess");
            return;
        }
        let range = word.split_once('-').and_then(|(min, max)| Some((min.parse::<u16>().ok()?, max.parse().ok()?)));
        let is_time = |(min, s): (&str, &str)| min.parse::<u32>().is_ok() && s.parse::<u32>().is_ok();
        match range {
            Some((min, max)) if min > max => self.error(format!("the range {word} is empty; write {max}-{min}")),
            Some(_) => {}
            None if word.split_once('+').is_some_and(is_time) => {
                self.error(format!("{word} is not a time; write `{}`", word.replace('+', " ")));
            }
            None => {
                let advice = advice_for(word, WORDS.into_iter().chain(GameKind::VARIANTS));
                self.problems.push(advice.map_or_else(
                    || (Severity::Warning, format!("unknown word `{word}`; servers may refuse it")),
                    |advice| (Severity::Error, format!("unknown word `{word}`; {advice}")),
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_parsed_or_their_words_reported() {
        let cases = [
            ("3 0 unrated", 2, Some((3, 0)), Some(false), None, ""),
            ("5 R w Crazyhouse m", 2, Some((5, 0)), Some(true), Some("crazyhouse"), ""),
            ("2 12 f 1500-1800 wild fr", 2, Some((2, 12)), None, Some("chess960"), ""),
            ("zh white", 2, None, None, Some("crazyhouse"), ""),
            ("chess960 idn=692 3 1", 2, Some((3, 1)), None, Some("chess960"), ""),
            ("untimed", 2, None, None, None, ""),
            ("0 0", 2, None, None, None, ""),
            ("5 2 10 3", 4, Some((5, 2)), None, None, ""),
            ("5 2 10", 2, Some((5, 2)), None, None, "3 numbers; write at most 2"),
            ("1001 0", 2, Some((1001, 0)), None, None, "minutes and seconds are 0 to 1000"),
            ("3 0 ratd", 2, Some((3, 0)), None, None, "unknown word `ratd`; write `rated`"),
            ("3 0 crazyhuose", 2, Some((3, 0)), None, None, "write `crazyhouse`"),
            ("3 0 casual", 2, Some((3, 0)), None, None, "unknown word `casual`; write `unrated`"),
            ("3 0 antichess", 2, Some((3, 0)), None, None, "write `suicide`"),
            ("3 0 threeCheck", 2, Some((3, 0)), None, None, "remove it, as these servers do not have this variant"),
            ("1800-1500", 2, None, None, None, "the range 1800-1500 is empty; write 1500-1800"),
            ("3+2 u", 2, None, Some(false), None, "3+2 is not a time; write `3 2`"),
            ("3 0 pyramid", 2, Some((3, 0)), None, None, "unknown word `pyramid`; servers may refuse it"),
        ];
        for (words, max_numbers, clock, rated, variant, problem) in cases {
            let terms = ParsedTerms::parse(words, max_numbers);
            assert_eq!((terms.clock, terms.rated, terms.variant.as_deref()), (clock, rated, variant), "{words}");
            let found: Vec<_> = terms.problems.iter().map(|(_, reason)| reason.as_str()).collect();
            assert!(
                found.join("; ").ends_with(problem) && found.len() == usize::from(!problem.is_empty()),
                "{found:?}"
            );
            let is_warning = problem.contains("servers may refuse");
            assert!(
                terms.problems.iter().all(|(severity, _)| (*severity == Severity::Warning) == is_warning),
                "{words}"
            );
        }
    }
}
