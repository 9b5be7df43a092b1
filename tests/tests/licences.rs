//! Everything that is linked, tests included, may be used under permissive terms.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail by panicking")]

use std::iter::Peekable;
use std::process::Command;

/// Licences that ask for no more than a notice.
const ALLOWED: [&str; 11] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

#[test]
fn every_package_can_be_used_under_permissive_terms() {
    let metadata: serde_json::Value = serde_json::from_slice(&metadata()).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 20, "only {} packages", packages.len());
    let refused: Vec<_> = packages
        .iter()
        .filter(|package| !package["license"].as_str().is_some_and(is_permissive))
        .map(|package| format!("{} {}: {}", package["name"], package["version"], package["license"]))
        .collect();
    assert!(refused.is_empty(), "{refused:#?}");
}

/// What cargo knows of the packages: those of all platforms if they were fetched, else those of this one, which have been
/// since this test was built.
fn metadata() -> Vec<u8> {
    let host = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())).arg("-vV").output().unwrap();
    let host = String::from_utf8(host.stdout).unwrap();
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let run = |more: &[&str]| {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let arguments = ["metadata", "--format-version", "1", "--locked", "--offline"];
        Command::new(cargo).current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).args(more).output().unwrap()
    };
    let output = Some(run(&[])).filter(|all| all.status.success()).unwrap_or_else(|| run(&["--filter-platform", host]));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Whether an SPDX expression can be met with allowed licences alone.
fn is_permissive(expression: &str) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut words = spaced.split_ascii_whitespace().peekable();
    let is_met = any(&mut words);
    is_met && words.next().is_none()
}

fn any<'a>(words: &mut Peekable<impl Iterator<Item = &'a str>>) -> bool {
    let mut is_met = all(words);
    while words.next_if_eq(&"OR").is_some() {
        is_met |= all(words);
    }
    is_met
}

fn all<'a>(words: &mut Peekable<impl Iterator<Item = &'a str>>) -> bool {
    let mut is_met = one(words);
    while words.next_if_eq(&"AND").is_some() {
        is_met &= one(words);
    }
    is_met
}

fn one<'a>(words: &mut Peekable<impl Iterator<Item = &'a str>>) -> bool {
    match words.next() {
        Some("(") => {
            let is_met = any(words);
            words.next() == Some(")") && is_met
        }
        Some(id) => match words.next_if_eq(&"WITH").and_then(|_| words.next()) {
            Some(exception) => ALLOWED.contains(&format!("{id} WITH {exception}").as_str()),
            None => ALLOWED.contains(&id),
        },
        None => false,
    }
}

#[test]
fn expressions_are_read_as_spdx_has_them() {
    let cases = [
        ("MIT", true),
        ("GPL-3.0-or-later", false),
        ("MIT OR GPL-2.0-only", true),
        ("GPL-2.0-only OR LGPL-3.0-only", false),
        ("MIT AND GPL-2.0-only", false),
        ("MIT/Apache-2.0", true),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("MIT OR Apache-2.0 AND AGPL-3.0-only", true),
        ("(MIT OR Apache-2.0) AND AGPL-3.0-only", false),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("GPL-2.0-only WITH Classpath-exception-2.0", false),
        ("", false),
        ("(MIT", false),
        ("MIT MIT", false),
    ];
    for (expression, want) in cases {
        assert_eq!(is_permissive(expression), want, "{expression}");
    }
}
