use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use super::*;
use kibitzer_core::text::error_chain;

fn shell(script: &str) -> PasswordSource {
    PasswordSource::Command(["sh", "-c", script].map(str::to_owned).to_vec())
}

fn password(text: &str) -> Password {
    Password::new(text).unwrap()
}

// Rules: transport LG2, bugs 17
#[tokio::test]
async fn the_first_line_of_a_command_is_the_password() {
    assert_eq!(shell("echo swordfish; echo url: freechess.org").fetch().await.unwrap(), password("swordfish"));
    assert_eq!(shell("printf 'sword fish\\r\\n'").fetch().await.unwrap(), password("sword fish"));
    assert_eq!(shell("printf swordfish").fetch().await.unwrap(), password("swordfish"));
    let cases = [
        ("true", "no password in the first line of a command"),
        ("echo; echo swordfish", "no password in the first line of a command"),
        ("head -c 2000 /dev/zero | tr '\\0' x", "no password in the first line of a command"),
        ("printf '\\377\\n'", "no password in the first line of a command"),
        ("echo swordfish; exit 3", "password command sh failed: exit status: 3"),
        ("printf 'sword\\tfish\\n'", "not a password: control character in a line"),
    ];
    for (script, want) in cases {
        let error = shell(script).fetch().await.unwrap_err();
        assert_eq!(error_chain(&error), want, "{script}");
        assert!(!format!("{error:?}").contains("fish"), "{error:?}");
    }
}

#[tokio::test]
async fn a_command_that_cannot_run_is_an_error() {
    let missing = PasswordSource::Command(vec!["/no/such/program".to_owned()]).fetch().await.unwrap_err();
    assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    assert!(missing.to_string().starts_with("password command /no/such/program failed: "), "{missing}");
    let empty = PasswordSource::Command(Vec::new()).fetch().await.unwrap_err();
    assert_eq!(empty.to_string(), "the password command is empty");
}

#[tokio::test(start_paused = true)]
async fn a_command_is_killed_after_a_minute() {
    // The child's end of the pipe stays open until it is killed.
    let error = shell("exec sleep 1000").fetch().await.unwrap_err();
    assert_eq!(error_chain(&error), "password command sh failed: timed out");
}

// Rules: transport LG2
#[tokio::test]
async fn a_file_with_permissions_for_others_is_rejected() {
    let path = env::temp_dir().join(format!("kibitzer-password-{}", std::process::id()));
    fs::write(&path, "swordfish\nsecond line\n").unwrap();
    let source = PasswordSource::File(path.clone());
    let is_exposed = |error: &io::Error| error.to_string().ends_with("a regular file of yours with mode 0600");
    for (mode, is_accepted) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false), (0o622, false)] {
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        match source.fetch().await {
            Ok(found) => assert!(is_accepted && found == password("swordfish"), "{mode:o}"),
            Err(error) => assert!(!is_accepted && is_exposed(&error), "{mode:o}: {error:?}"),
        }
    }
    fs::remove_file(&path).unwrap();
    // A named pipe without a writer is rejected like everything that is not a regular file.
    assert!(std::process::Command::new("mkfifo").args(["-m", "600"]).arg(&path).status().unwrap().success());
    let outcome = timeout(Duration::from_secs(10), source.fetch()).await.unwrap();
    fs::remove_file(&path).unwrap();
    assert!(outcome.as_ref().is_err_and(is_exposed), "{outcome:?}");
    let missing = source.fetch().await.unwrap_err();
    assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    assert!(missing.to_string().starts_with("cannot read the password file "), "{missing}");
    assert!(PasswordSource::File(env::temp_dir()).fetch().await.as_ref().is_err_and(is_exposed));
}

#[tokio::test]
async fn a_variable_contains_the_password() {
    let missing = PasswordSource::Variable("KIBITZER_TEST_NOT_SET".to_owned());
    let missing = missing.fetch().await.unwrap_err();
    assert_eq!(missing.to_string(), "environment variable KIBITZER_TEST_NOT_SET is not set");
    // Cargo sets it for every test.
    let set = PasswordSource::Variable("CARGO_PKG_NAME".to_owned());
    assert_eq!(set.fetch().await.unwrap(), password("kibitzer"));
}
