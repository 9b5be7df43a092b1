use std::fs;
use std::path::PathBuf;

use super::*;

/// A folder of one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("kibitzer-check-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    /// Returns the problems of a file, each without its path.
    async fn check(&self, text: &str) -> Vec<String> {
        let path = self.0.join("bot.toml");
        fs::write(&path, text).unwrap();
        let check = ConfigCheck::run(&path, |_| {}).await.unwrap();
        let path = format!("{}, ", path.display());
        check.problems().iter().map(|problem| problem.to_string().replace(&path, "")).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Settings without an engine, which is an error in line 3.
const START: &str = "[server]\nhost = \"chess.example\"\n[engine]\n";

/// Returns the problems of these settings from line 4 on, except for the missing command of the engine.
async fn problems(name: &str, text: &str) -> Vec<String> {
    let mut found = Folder::new(name).check(&format!("{START}{text}")).await;
    let n_found = found.len();
    found.retain(|problem| problem != "line 3: missing field `command`");
    assert_eq!(found.len() + 1, n_found, "{found:?}");
    found
}

/// Settings, and the only problem with them.
const CONTRADICTIONS: &[(&str, &str)] = &[
    (
        "[accept]\nallow = [\"A\", \"Rude\"]\nblock = [\n  \"B\",\n  \"RUDE\",\n]\n",
        "line 8: `accept.block`: RUDE is also in `allow`; remove one of them",
    ),
    (
        "[accept]\nkinds = [\"lightning\"]\ninitial_min = [20, 30]\n",
        "line 5: `accept.kinds`: no game with these `initial_min` and `increment_s` is lightning; change them, or remove lightning",
    ),
    (
        "[accept]\nkinds = [\"lightning\", \"standard\"]\ninitial_min = [20, 30]\n",
        "warning: line 5: `accept.kinds`: no game with these `initial_min` and `increment_s` is lightning; change them, or remove lightning",
    ),
    (
        "[accept]\nkinds = []\n",
        "line 5: `accept.kinds`: is empty, and every challenge declined; write kinds such as \"blitz\"",
    ),
    (
        "[accept]\nkinds = [\"blitz\",\n\"blits\"]\n",
        "line 6: `accept.kinds`: unknown kind `blits`; write `blitz`; the kinds are lightning, bullet, blitz, standard, atomic, bughouse, chess, chess960, crazyhouse, losers, suicide, wild",
    ),
    (
        "[accept]\nkinds = [\"rapid\"]\n",
        "line 5: `accept.kinds`: unknown kind `rapid`; write `standard`; the kinds are lightning, bullet, blitz, standard, atomic, bughouse, chess, chess960, crazyhouse, losers, suicide, wild",
    ),
    (
        "[accept]\nkinds = [\"pyramid\"]\n",
        "line 5: `accept.kinds`: unknown kind `pyramid`; the kinds are lightning, bullet, blitz, standard, atomic, bughouse, chess, chess960, crazyhouse, losers, suicide, wild",
    ),
    (
        "[[accept.terms]]\n[[accept.terms]]\nkinds = [\"wild/fr\"]\n",
        "line 6: `accept.terms.kinds`: challenges to `wild/fr` have the kind `chess960`; write that",
    ),
    (
        "[accept]\nrating = [4001, 9999]\n",
        "warning: line 5: `accept.rating`: no player has such a rating, only players without one are accepted; write a range such as [1000, 2500]",
    ),
    (
        "[accept]\nrating = [0, 0]\nunrated_players = false\n",
        "warning: line 5: `accept.rating`: no player has such a rating; write a range such as [1000, 2500]",
    ),
    (
        "[accept]\nkinds = [\"crazyhouse\"]\ninitial_min = [0, 0]\nincrement_s = [0, 0]\n",
        "warning: line 6: `accept.initial_min`: no game has these clocks; write minutes such as [1, 60]",
    ),
    (
        "[accept]\nprefer = \"humans\"\ncomputers = \"only\"\n",
        "line 5: `accept.prefer`: people are never played with `computers = \"only\"`; remove one of the keys",
    ),
    (
        "[accept]\nrated = true\n",
        "warning: line 5: `accept.rated`: an account without `password_from` is a guest, who plays no rated games; write one, or false",
    ),
    (
        "[seek]\nads = [\"3 0 unrated\",\n\"90 0\"]\n",
        "line 6: `seek.ads`: every answer is declined, as games have 1 to 60 minutes; change the seek or [accept]",
    ),
    (
        "[seek]\nads = [\"3 0 rated\"]\n",
        "line 5: `seek.ads`: every answer is declined, as rated games are not played; change the seek or [accept]",
    ),
    (
        "[seek]\nads = [\"3 0 crazyhouse\"]\n",
        "line 5: `seek.ads`: every answer is declined, as crazyhouse is not in `kinds`; change the seek or [accept]",
    ),
    ("[seek]\nads = [\"3 0 unratd\"]\n", "line 5: `seek.ads`: unknown word `unratd`; write `unrated`"),
    (
        "[matchmaking]\nterms = []\n",
        "line 5: `matchmaking.terms`: is empty, and no one is challenged; write terms such as \"3 0 unrated\"",
    ),
    ("[matchmaking]\nterms = [{ match = \"3+0\" }]\n", "line 5: `matchmaking.terms`: 3+0 is not a time; write `3 0`"),
    (
        "[accept]\nallow = [\"A\"]\n[matchmaking]\nterms = [\"3 0\"]\nplayers = [\"A\", \"B\"]\n",
        "line 8: `matchmaking.players`: B is excluded by `block` or `allow` of [accept]; remove the name there or here",
    ),
    (
        "[[account]]\nhandle = \"One\"\n[matchmaking]\nterms = [\"3 0\"]\nplayers = [\"one\"]\n",
        "line 8: `matchmaking.players`: one is an account of this bot, which is never challenged; remove it",
    ),
    (
        "[talk]\ngreeting = \"hi {opponent}, I am {me}\"\n",
        "line 5: `talk.greeting`: {me} is not replaced; write one of {opponent}, {engine}",
    ),
    (
        "[talk.commands]\n\"!cpu\" = \"{engine} {}\"\n",
        "line 5: `talk.commands.!cpu`: {engine} is not replaced; write plain text",
    ),
    ("[talk]\ntell_score = true\n", "warning: line 5: `talk.tell_score`: no one gets the scores; write `owners`"),
    (
        "min_move_ms = 2_000\nmove_time_ms = 1_000\n",
        "line 5: `engine.move_time_ms`: is less than `min_move_ms`; write at least that",
    ),
    (
        "[[account]]\nhandle = \"One\"\npassword_from = { file = \"/nosuch\" }\n",
        "line 6: `account.password_from`: cannot read the password file /nosuch: No such file or directory (os error 2)",
    ),
    ("[[account]]\nhost = \"\"\n", "line 5: `host` must not be empty"),
    (
        "[book]\nfile = \"/nosuch\"\n",
        "line 5: `book.file`: cannot open the book /nosuch: No such file or directory (os error 2); write the path of a Polyglot book",
    ),
    (
        "stderr_file = \"/nosuch/a.log\"\n",
        "line 4: `engine.stderr_file`: /nosuch/a.log: cannot write in the folder /nosuch: No such file or directory (os error 2); create it, or permit it",
    ),
    ("directory = \"/nosuch\"\n", "line 4: `engine.directory`: /nosuch: not a folder; write one that exists"),
];

#[tokio::test]
async fn contradictions_and_settings_without_an_effect_are_reported_with_line_and_key() {
    for (n, (text, want)) in CONTRADICTIONS.iter().enumerate() {
        assert_eq!(problems(&format!("rules-{n}"), text).await, [*want], "{text}");
    }
    assert_eq!(problems("shipped", "").await, [""; 0]);
}

#[tokio::test]
async fn all_mistakes_are_reported_in_one_run_in_the_order_of_their_lines() {
    let found = problems(
        "all",
        "[acept]\n[accept]\nratd = true\nrated = 3\nrating = [0, 10000]\ninitial_min = [9, 1]\nblock = [\"A\"]\nallow = [\"a\"]\n\
         [seek]\nads = [\"3+0\"]\n[[book]]\nfil = \"a\"\n[talk]\ngreeting = \"{me}\"\n[[account]]\nhandl = \"One\"\nports = []\n",
    )
    .await;
    let lines: Vec<_> = found.iter().map(|problem| problem.split(": ").next().unwrap()).collect();
    let want = [4, 6, 7, 8, 9, 10, 13, 14, 15, 17, 19, 20].map(|line| format!("line {line}"));
    assert_eq!(lines, want, "{found:#?}");
}

#[tokio::test]
async fn syntax_has_one_error_at_the_bracket_that_is_not_closed() {
    let folder = Folder::new("syntax");
    let rest = "\n\n[accept]\nkinds = [\"blitz\"]\nrated = true\n\n[talk]\ngreeting = \"hi\"\n";
    let cases = [
        ("[server\nhost = 'x'\n[engine]\ncommand = \n".to_owned(), "line 1: unclosed table, expected `]`"),
        (
            format!("[offers]\n\ndraw = {{ within_cp = 20{rest}"),
            "line 3: `offers.draw`: unclosed inline table, expected `}`",
        ),
        (format!("[engine]\ncommand = [\"a\", \"b\"{rest}"), "line 2: `engine.command`: unclosed array, expected `]`"),
        (format!("[engine]\ncommand = \n{rest}"), "line 2: string values must be quoted, expected literal string"),
    ];
    for (text, want) in cases {
        let found = folder.check(&text).await;
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0], format!("{want}; other mistakes are reported when this one is corrected"));
    }
}

#[tokio::test]
async fn keys_of_lichess_and_fractions_are_named_in_the_terms_of_the_file() {
    let text = "token = \"x\"\n[engine]\ndir = \"a\"\n[accept]\ninitial_min = [3.5, 10]\n[challenge]\n";
    let found = Folder::new("lichess").check(text).await;
    assert_eq!(found[0], "line 1: unknown key `token`, a key of lichess-bot; migration.md has the one to write");
    assert_eq!(found[1], "line 1: missing table `[server]`, with the `host` of the server");
    assert!(found.iter().any(|problem| {
        problem.starts_with("line 3: unknown field `dir`") && problem.ends_with("; migration.md has the one to write")
    }));
    let fraction = "line 5: `accept.initial_min`: invalid type: floating point `3.5`, expected a whole number";
    assert!(found.iter().any(|problem| problem == fraction), "{found:#?}");
    let table = "line 6: unknown table `challenge`, a key of lichess-bot; migration.md has the one to write";
    assert!(found.iter().any(|problem| problem == table), "{found:#?}");
}

#[tokio::test]
async fn a_book_needs_whole_entries_in_the_order_of_their_keys() {
    let folder = Folder::new("book");
    let file = folder.0.join("book.bin");
    let entries = |keys: &[u8]| keys.iter().flat_map(|key| [[*key; 8], [1; 8]].concat()).collect::<Vec<_>>();
    let cases = [
        (entries(&[1, 1, 7]), None),
        (entries(&[2, 7, 3]), Some("entry 3 is not in the ascending order of keys")),
        (entries(&[2])[..15].to_vec(), Some("its 15 bytes are not entries of 16 bytes")),
        (Vec::new(), Some("its 0 bytes are not")),
    ];
    for (bytes, want) in cases {
        fs::write(&file, bytes).unwrap();
        let found = folder.check(&format!("{START}[book]\nfile = {:?}\n", file.display().to_string())).await;
        let reason = found.get(1).map(|problem| problem.replace("line 5: `book.file`: cannot use the book ", ""));
        assert_eq!(reason.is_some(), want.is_some(), "{found:?}");
        assert!(want.is_none_or(|want| found[1].contains(want)), "{found:?}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn paths_that_can_be_used_are_no_problem_and_no_file_is_left() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = Folder::new("paths");
    let at = |name: &str| format!("{:?}", folder.0.join(name).display().to_string());
    fs::write(folder.0.join("old.pgn"), "").unwrap();
    let password = folder.0.join("password");
    fs::write(&password, "secret\n").unwrap();
    fs::set_permissions(&password, fs::Permissions::from_mode(0o600)).unwrap();
    let text = |pgn: &str, record: &str| {
        format!(
            "[server]\nhost = 'x'\nhandle = 'One'\npassword_from = {{ file = {} }}\nrecord_file = {}\n[engine]\nstderr_file = {}\n\
             [pgn]\nfile = {}\nlive_file = {}\n[state]\nfolder = {}\n",
            at("password"),
            at(record),
            at("engine.log"),
            at(pgn),
            at("live/{account}/{date}.pgn"),
            at("a/b"),
        )
    };
    assert_eq!(folder.check(&text("old.pgn", "session.jsonl")).await, ["line 6: missing field `command`"]);
    let mut left: Vec<_> = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["bot.toml", "old.pgn", "password"]);
    // A folder in place of a file, a file that is there, a password that others can read.
    fs::set_permissions(&password, fs::Permissions::from_mode(0o644)).unwrap();
    fs::create_dir(folder.0.join("folder")).unwrap();
    let found = folder.check(&text("folder", "old.pgn")).await;
    assert_eq!(found.len(), 4, "{found:?}");
    assert!(found[0].starts_with("line 4: `server.password_from`: password file "), "{found:?}");
    assert!(
        found[1].starts_with("line 5: `server.record_file`: ") && found[1].contains("exists; write a new"),
        "{found:?}"
    );
    assert!(found[3].starts_with("line 9: `pgn.file`: ") && found[3].contains("Is a directory"), "{found:?}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn an_existing_file_is_appended_to_where_no_file_can_be_created() {
    // Not even root can create files in this folder.
    let found = problems("append", "stderr_file = \"/proc/self/comm\"\n").await;
    assert_eq!(found, [""; 0]);
    let text = "[pgn]\nfile = \"/proc/self/comm\"\n";
    assert_eq!(problems("append-guest", text).await, [""; 0]);
    let found = problems("append-account", &format!("{text}[[account]]\nhandle = \"One\"\n")).await;
    let want = "warning: line 5: `pgn.file`: unfinished games are not kept for the next start: cannot write in the folder /proc/self: ";
    assert!(found.len() == 1 && found[0].starts_with(want), "{found:?}");
    let found = problems("replace", "[pgn]\nlive_file = \"/proc/self/comm\"\n").await;
    assert!(found.len() == 1 && found[0].starts_with("line 5: `pgn.live_file`: "), "{found:?}");
}

#[tokio::test]
async fn seeks_are_not_compared_with_speeds_whose_clocks_are_unknown() {
    for (n, (kinds, ad)) in [("5-minute", "5 0"), ("slow", "20 0")].into_iter().enumerate() {
        let text = format!("[accept]\nkinds = [\"{kinds}\"]\n[seek]\nads = [\"{ad}\"]\n");
        assert_eq!(problems(&format!("speeds-{n}"), &text).await, [""; 0], "{text}");
        let other = problems(&format!("variants-{n}"), &text.replace(ad, "5 0 crazyhouse")).await;
        assert!(other.len() == 1 && other[0].contains("crazyhouse is not in `kinds`"), "{other:?}");
    }
}

#[tokio::test]
async fn a_command_of_the_wrong_type_is_not_also_missing() {
    let folder = Folder::new("command");
    for value in ["3", "[1]"] {
        let found = folder.check(&format!("{START}command = {value}\n")).await;
        assert!(found.len() == 1 && found[0].starts_with("line 4: `engine.command`: "), "{found:?}");
    }
    assert_eq!(folder.check(&format!("{START}command = []\n")).await, ["line 3: missing field `command`"]);
}

#[tokio::test]
async fn a_mistake_that_several_terms_inherit_is_reported_once_at_its_line() {
    let inherited = "[accept]\nrating = [4001, 9999]\nkinds = [\"blitz\", \"wild/fr\"]\n";
    let found = problems("inherited", &format!("{inherited}[[accept.terms]]\n[[accept.terms]]\nrated = true\n")).await;
    let places: Vec<_> = found.iter().map(|problem| problem.split("`: ").next().unwrap()).collect();
    let want = ["warning: line 5: `accept.rating", "line 6: `accept.kinds", "warning: line 9: `accept.terms.rated"];
    assert_eq!(places, want, "{found:?}");
    let own = problems("own-clock", "[[accept.terms]]\n[[accept.terms]]\ninitial_min = [2000, 3000]\n").await;
    assert!(own.iter().all(|problem| problem.contains("line 6: `accept.terms.initial_min`: ")), "{own:?}");
    assert!(!own.is_empty());
}

#[tokio::test]
async fn files_of_accounts_are_checked_as_each_account_uses_them() {
    let folder = Folder::new("accounts");
    let at = |name: &str| format!("{:?}", folder.0.join(name).display().to_string());
    fs::write(folder.0.join("old.jsonl"), "").unwrap();
    let text = |server: &str, one: &str, two: &str| {
        format!(
            "[server]\nhost = 'x'\nrecord_file = {}\nca_file = {}\n[engine]\n[[account]]\nhandle = 'One'\n{one}\n[[account]]\n\
             handle = 'Two'\n{two}\n",
            at(server),
            at("old.jsonl"),
        )
    };
    let own = |name: &str| format!("record_file = {}", at(name));
    let missing = "line 5: missing field `command`";
    assert_eq!(folder.check(&text("old.jsonl", &own("a"), &own("b"))).await, [missing]);
    assert_eq!(folder.check(&text("new", "", &own("b"))).await, [missing]);
    let shared = folder.check(&text("new", "", "")).await;
    assert!(shared.len() == 2 && shared[0].starts_with("line 3: `server.record_file`: "), "{shared:?}");
    assert!(shared[0].ends_with("another account creates it too; write a name for each account"), "{shared:?}");
    let exists = folder.check(&text("new", "", &own("old.jsonl"))).await;
    assert!(exists.len() == 2 && exists[1].starts_with("line 11: `account.record_file`: "), "{exists:?}");
    let found = folder.check(&text("new", "", &own("b")).replace("old.jsonl", "")).await;
    assert!(found.len() == 2 && found[0].starts_with("line 4: `server.ca_file`: "), "{found:?}");
    assert!(found[0].ends_with(": not a regular file; write the path of one"), "{found:?}");
}

#[tokio::test]
async fn a_mistake_hides_no_others_in_its_list_or_inline_table() {
    let books = "[[book]]\nmax_moves = 3\n[[book]]\nfile = \"/nosuch\"\nmax_moves = 0\n";
    let found = problems("second-book", books).await;
    let places: Vec<_> = found.iter().map(|problem| problem.split("`: ").next().unwrap()).collect();
    assert_eq!(found.len(), 3, "{found:?}");
    assert_eq!(found[0], "line 4: `book`: missing field `file`");
    assert_eq!(places[1..], ["line 7: `book.file", "warning: line 8: `book.max_moves"], "{found:?}");
    let folder = Folder::new("inline-accept");
    let accept = "accept = { rating = [-1, 10000], block = [\"A\"], allow = [\"a\"] }\n";
    let found = folder.check(&format!("{accept}{START}")).await;
    let places: Vec<_> = found.iter().map(|problem| problem.split("` ").next().unwrap()).collect();
    assert_eq!(found.len(), 4, "{found:?}");
    assert_eq!(places[..2], ["line 1: `accept.rating"; 2], "{found:?}");
    assert!(found[2].starts_with("line 1: `accept.block`: A is also in `allow`"), "{found:?}");
}
