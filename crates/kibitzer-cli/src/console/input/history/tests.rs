use super::*;

#[test]
fn lines_come_back_and_the_draft_stays() {
    let mut history = History::default();
    assert_eq!(history.browse(true, "dra"), None);
    for line in ["who", "games", "games", " ", "finger foo"] {
        history.add_unless_secret(line);
    }
    assert_eq!(history.browse(true, "dra"), Some("finger foo"));
    assert_eq!(history.browse(true, "finger foo"), Some("games"));
    assert_eq!(history.browse(true, "games"), Some("who"));
    assert_eq!(history.browse(true, "who"), None);
    assert_eq!(history.browse(false, ""), Some("games"));
    assert_eq!(history.browse(false, ""), Some("finger foo"));
    assert_eq!(history.browse(false, ""), Some("dra"));
    assert_eq!(history.browse(false, ""), None);
}

#[test]
fn no_line_with_a_password_is_kept_or_stays_in_the_file() {
    let secrets = ["password old new", "$PASSW a b", "asetpasswd foo bar", "set pass x", "multi who; pa a b", "pw a b"];
    let store = StateDirectory::temporary("history-secrets");
    let mut history = History::load_and_clean(store.clone());
    let kept = ["alias pw password", "tell foo my password", "partner foo", "p", "/mark x"];
    for line in kept.iter().chain(&secrets).chain(&["who\u{1b}", ""]) {
        history.add_unless_secret(line);
    }
    assert_eq!(history.lines, kept);
    assert_eq!(store.read_file(FILE).lines().collect::<Vec<_>>(), kept);
    // Written by a program that did not know them.
    store.overwrite_with_lines(FILE, kept.iter().chain(&secrets).map(ToString::to_string));
    let later = History::load_and_clean(store.clone());
    assert_eq!(later.lines, kept);
    assert_eq!(store.read_file(FILE).lines().collect::<Vec<_>>(), kept);
    store.remove();
}

#[test]
fn history_is_kept_between_runs() {
    let store = StateDirectory::temporary("history");
    let mut history = History::load_and_clean(store.clone());
    (0..1_500).for_each(|n| history.add_unless_secret(&format!("finger p{n}")));
    assert_eq!(history.lines.len(), KEPT_LINES);
    let mut later = History::load_and_clean(store.clone());
    assert_eq!(later.browse(true, ""), Some("finger p1499"));
    assert_eq!(later.lines.front().map(String::as_str), Some("finger p500"));
    assert_eq!(store.read_file(FILE).lines().count(), KEPT_LINES);
    store.remove();
}
