//! The JSON Schemas in `crates/kibitzer/schema/` against the output of the program.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::schema::Schema;
use crate::common::{decode, objects};
use serde_json::{Value, json};

#[track_caller]
fn assert_valid(schema: &Schema, lines: &str) {
    for (number, object) in (1..).zip(objects(lines)) {
        if let Some(error) = schema.error(&object) {
            panic!("line {number}: {error} in {object}");
        }
    }
}

/// The lines of the samples that `kibitzer decode` prints.
fn samples() -> String {
    let table = include_str!("events.txt");
    table.lines().filter_map(|line| line.strip_prefix("> ")).flat_map(|line| [line, "\n"]).collect()
}

#[test]
fn every_sample_is_valid() {
    assert_valid(&Schema::read("events"), &samples());
}

#[test]
fn every_event_of_the_golden_sessions_is_valid() {
    let schema = Schema::read("events");
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let mut n_sessions = 0;
    for golden in fs::read_dir(tests.join("golden")).unwrap() {
        let golden = golden.unwrap().path();
        if golden.extension().is_none_or(|extension| extension != "txt") {
            continue;
        }
        let name = golden.file_stem().unwrap().to_str().unwrap();
        let transcript = fs::read(tests.join(format!("transcripts/{name}.jsonl"))).unwrap();
        assert_valid(&schema, &decode(&[], &transcript));
        n_sessions += 1;
    }
    assert!(n_sessions > 20, "{n_sessions}");
}

#[test]
fn wrong_types_and_unknown_events_are_not_valid() {
    let schema = Schema::read("events");
    for object in objects(&samples()) {
        let kind = object["event"].as_str().unwrap();
        let changed = |key: &str, value: Value| {
            let mut object = object.clone();
            object[key] = value;
            object
        };
        assert!(schema.error(&changed("event", "surprise".into())).is_some(), "{kind}");
        assert!(schema.error(&changed("surprise", Value::Null)).is_some(), "{kind}");
        for (key, value) in object.as_object().unwrap() {
            let mut less = object.clone();
            less.as_object_mut().unwrap().remove(key);
            assert!(
                schema.error(&less).is_some() || ["registered", "own"].contains(&key.as_str()),
                "{kind} without {key}"
            );
            // No key of an event has both types.
            let other = if value.is_object() { json!(7) } else { json!({"surprise": 7}) };
            assert!(schema.error(&changed(key, other)).is_some(), "{kind} with another {key}");
        }
    }
}

/// Validates the lines of standard input by the first of the named schemas; prints their number.
const SCRIPT: &str = "
import json, sys
from jsonschema import Draft202012Validator as Validator
for schema in map(json.load, map(open, sys.argv[1:])):
    Validator.check_schema(schema)
validator = Validator(json.load(open(sys.argv[1])))
lines = [json.loads(line) for line in sys.stdin]
for line in lines:
    validator.validate(line)
    assert not validator.is_valid({**line, 'event': 'surprise'})
print(len(lines))
";

/// Validates the samples with the Python package `jsonschema`, which is independent of this project, if `KIBITZER_PYTHON` names
/// an interpreter that has it.
#[test]
fn an_independent_validator_accepts_the_schemas_and_the_samples() {
    let has_package = |python: &OsString| {
        Command::new(python)
            .args(["-c", "import jsonschema"])
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|it| it.success())
    };
    let Some(python) = std::env::var_os("KIBITZER_PYTHON").filter(has_package) else {
        eprintln!("skipped: KIBITZER_PYTHON names no interpreter with the package jsonschema");
        return;
    };
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kibitzer/schema");
    let mut command = Command::new(python);
    command.arg("-c").arg(SCRIPT).args([schemas.join("events.json"), schemas.join("requests.json")]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), samples().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim().parse(), Ok(samples().lines().count()));
}

#[test]
fn requests_are_valid_or_not() {
    let schema = Schema::read("requests");
    let valid = [
        json!({"id": 7, "command": "finger Newton", "expires_ms": 2000, "game": 12}),
        json!({"id": "a", "command": ""}),
        json!({"subscribe": {}}),
        json!({"id": "s", "subscribe": {"filter": "kind:tell"}}),
    ];
    for request in valid {
        assert_eq!(schema.error(&request), None, "{request}");
    }
    let invalid = [
        json!({"id": 7}),
        json!({"command": "finger"}),
        json!({"id": 7.5, "command": "finger"}),
        json!({"id": 7, "command": "a\nb"}),
        json!({"id": 7, "command": "finger", "expires_ms": -1}),
        json!({"id": 7, "command": "finger", "comand": "x"}),
        json!({"id": 7, "command": "finger", "subscribe": {}}),
        json!({"subscribe": {"filer": "mine"}}),
    ];
    for request in invalid {
        assert!(schema.error(&request).is_some(), "{request}");
    }
}
