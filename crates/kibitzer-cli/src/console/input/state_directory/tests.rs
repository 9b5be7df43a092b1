use std::iter::once;

use super::*;

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
