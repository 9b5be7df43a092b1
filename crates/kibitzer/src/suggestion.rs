//! Suggestions for misspelled words.

/// Minimum similarity of a suggested word, from 0 to 1: the share of letters that are right.
const MIN_SIMILARITY: f64 = 0.6;

/// Returns the known word, in lower case, that is most similar to a misspelled one in any case; `None` if none is similar.
pub fn most_similar_word<'a>(misspelled: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let misspelled = misspelled.to_lowercase();
    let similar = known.into_iter().map(|known| (strsim::normalized_damerau_levenshtein(known, &misspelled), known));
    let nearest = similar.max_by(|one, other| one.0.total_cmp(&other.0));
    nearest.filter(|(similarity, _)| *similarity > MIN_SIMILARITY).map(|(_, known)| known)
}
