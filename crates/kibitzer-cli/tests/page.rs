//! The page of `kibitzer-web`, without a browser: its own tests in Node, with this program as the one that decodes.

use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

#[test]
fn the_page_gives_the_boards_of_decode_for_every_recording() {
    let test = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kibitzer-web/tests/page/reducer.test.mjs");
    let output = Command::new("node").arg("--test").arg(test).env("KIBITZER", env!("CARGO_BIN_EXE_kibitzer")).output();
    match output {
        Err(error) if error.kind() == ErrorKind::NotFound => eprintln!("skipped: node is not installed"),
        output => {
            let output = output.unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        }
    }
}
