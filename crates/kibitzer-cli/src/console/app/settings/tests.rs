use std::{env, fs, process};

use super::*;
use crate::console::tests::assert_matches_file;

fn parse(text: &str) -> Result<ConsoleSettings, String> {
    ConsoleSettings::default().with_file(Path::new("c.toml"), text).map_err(|error| error.to_string())
}

#[test]
fn the_shipped_file_has_every_key_and_the_defaults() {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/console.toml");
    let file = ConsoleSettings::default().to_file();
    assert_matches_file(&shipped, &file);
    assert_eq!(parse(&file), Ok(ConsoleSettings::default()));
    let examples: String =
        SETTINGS.iter().map(|setting| [setting.key, " = ", setting.example, "\n"].concat()).collect();
    let all = parse(&examples).unwrap();
    assert_eq!(parse(&all.to_file()), Ok(all.clone()), "written and read again");
    let changed = ConsoleSettings::default();
    for setting in &SETTINGS {
        assert_ne!((setting.to_toml)(&all), (setting.to_toml)(&changed), "{}", setting.key);
    }
}

#[test]
fn errors_name_file_line_and_key() {
    let cases = [
        ("\n\nthem = 'dark'", "c.toml, line 3: unknown key `them`, did you mean `theme`?"),
        ("theme = 'dark'\npieces = 3", "c.toml, line 2: `pieces` must be one of \"ascii\", \"letters\", \"filled\""),
        (
            "pane = 'x'",
            "c.toml, line 1: `pane` must be one of \"list\", \"view\", \"board\", \"grid\", \"talk\" or all",
        ),
        ("bell = 'on'", "c.toml, line 1: `bell` must be true or false"),
        ("notify = 'kind:x'", "c.toml, line 1: `notify` is no filter: unknown kind \"x\""),
        ("commands = [\"a\\nb\"]", "c.toml, line 1: `commands` must be an array of at most 32 strings, each one line"),
    ];
    for (text, want) in cases {
        let error = parse(text).unwrap_err();
        assert!(error.starts_with(want), "{error}");
    }
    assert!(parse(&format!("commands = [{}]", "'a',".repeat(33))).is_err());
    assert!(parse("theme = ").unwrap_err().starts_with("c.toml, line 1: "));
    assert!(parse(&format!("x = {}", "[".repeat(100_000))).is_err());
    assert!(parse("\u{0}").is_err());
}

#[test]
fn hostile_files_are_refused() {
    let folder = env::temp_dir().join(format!("kibitzer-settings-{}", process::id()));
    fs::create_dir_all(&folder).unwrap();
    let load = |path: &Path| {
        let args = SettingsArgs::of_file(path);
        args.load().map_err(|failure| format!("{failure:?}"))
    };
    assert!(load(&folder).unwrap_err().contains("regular file"));
    assert!(load(&folder.join("none.toml")).unwrap_err().contains("cannot read"));
    let large = folder.join("large.toml");
    fs::write(&large, vec![b'#'; 2 << 20]).unwrap();
    assert!(load(&large).unwrap_err().contains("at most 1 MiB"));
    let bytes = folder.join("bytes.toml");
    fs::write(&bytes, b"\xff\xfe").unwrap();
    assert!(load(&bytes).unwrap_err().contains("cannot read"));
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn text_is_quoted_for_toml() {
    let text = "\"\\ \u{7f} \u{e9} \u{1}";
    let settings = ConsoleSettings { commands: vec![text.to_owned()], ..ConsoleSettings::default() };
    let file = settings.to_file();
    let table = DeTable::parse(&file).unwrap();
    let commands = table.get_ref().get("commands").unwrap().get_ref().as_array().unwrap();
    assert_eq!(commands.iter().next().unwrap().get_ref().as_str(), Some(text));
}

#[test]
fn saved_settings_are_loaded_again() {
    let folder = env::temp_dir().join(format!("kibitzer-saved-{}", process::id()));
    let path = folder.join("new/console.toml");
    let saved = parse("theme = 'light'\npane = 'talk'\ncommands = ['/filter chat']").unwrap();
    let saved = ConsoleSettings { path: Some(path.clone()), ..saved };
    assert_eq!(saved.write().unwrap(), path);
    let loaded = SettingsArgs::of_file(&path).load().unwrap();
    assert_eq!(loaded, saved);
    #[cfg(unix)]
    {
        let link = folder.join("link.toml");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let through_link = ConsoleSettings { path: Some(link.clone()), ..ConsoleSettings::default() };
        through_link.write().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), ConsoleSettings::default().to_file());
    }
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no file besides");
    fs::remove_dir_all(&folder).unwrap();
    assert!(ConsoleSettings::default().write().is_err());
}
