use std::iter::once;

use super::*;

#[test]
fn lines_come_back_and_the_draft_stays() {
    let mut history = History::default();
    assert_eq!(history.browse(Browse::Older, "dra"), None);
    for line in ["who", "games", "games", " ", "finger foo"] {
        history.add_unless_secret(line);
    }
    assert_eq!(history.browse(Browse::Older, "dra"), Some("finger foo"));
    assert_eq!(history.browse(Browse::Older, "finger foo"), Some("games"));
    assert_eq!(history.browse(Browse::Older, "games"), Some("who"));
    assert_eq!(history.browse(Browse::Older, "who"), None);
    assert_eq!(history.browse(Browse::Newer, ""), Some("games"));
    assert_eq!(history.browse(Browse::Newer, ""), Some("finger foo"));
    assert_eq!(history.browse(Browse::Newer, ""), Some("dra"));
    assert_eq!(history.browse(Browse::Newer, ""), None);
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
    assert_eq!(later.browse(Browse::Older, ""), Some("finger p1499"));
    assert_eq!(later.lines.front().map(String::as_str), Some("finger p500"));
    assert_eq!(store.read_file(FILE).lines().count(), KEPT_LINES);
    store.remove();
}

#[test]
fn files_are_private_to_their_owner() {
    let store = StateDirectory::temporary("store");
    assert_eq!(store.read_file("x"), "");
    store.append_to("x", "a\n");
    store.append_to("x", "b\n");
    assert_eq!(store.read_file("x"), "a\nb\n");
    store.overwrite_with_lines("x", once("c".to_owned()));
    assert_eq!(store.read_file("x"), "c\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let path = store.path("x").unwrap();
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(), 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        store.append_to("x", "d\n");
        assert_eq!((mode(), store.read_file("x").as_str()), (0o600, "c\nd\n"));
    }
    store.remove();
}

#[cfg(unix)]
#[test]
fn symbolic_links_and_pipes_are_not_written() {
    let store = StateDirectory::temporary("store-link");
    store.append_to("other", "a\n");
    std::os::unix::fs::symlink(store.path("other").unwrap(), store.path("x").unwrap()).unwrap();
    let pipe = store.path("y").unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for name in ["x", "y"] {
        store.append_to(name, "b\n");
        store.overwrite_with_lines(name, once("c".to_owned()));
        assert_eq!((store.read_file(name).as_str(), store.read_file("other").as_str()), ("", "a\n"), "{name}");
    }
    store.remove();
}
