//! The JSON Schema of the settings: made of what [`BotConfig::load`] accepts, and of the commented settings.
//!
//! The keys and their descriptions are those of `config/bot.toml` and [`Profile::to_toml`]. The types and ranges are found by loading
//! files with other values. An independent validator then compares the result with files that are right and wrong.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kibitzer::Profile;
use kibitzer::session::FirstConnect;
use kibitzer_bot::BotConfig;
use kibitzer_bot::config::SCHEMA;
use serde_json::{Map, Value, json};

/// A path of keys; `*` is an item of a list.
type Keys<'a> = &'a [&'a str];

/// A key of a commented file: its description, its value there, and whether this is its default.
#[derive(Clone, Debug, Default)]
struct Described {
    text: String,
    default: Option<Value>,
}

/// Commented settings: the values, and the descriptions of keys by path.
struct Commented {
    values: Value,
    described: BTreeMap<String, Described>,
}

impl Commented {
    /// Parses commented settings; those in comments count, too.
    fn parse(text: &str, root: &str) -> Self {
        let is_key =
            |text: &str| text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        let is_setting = |line: &str| {
            let Some(text) = line.strip_prefix("# ") else { return false };
            (text.starts_with('[') && text.ends_with(']')) || text.split_once(" = ").is_some_and(|(key, _)| is_key(key))
        };
        let join = |table: &str, key: &str| if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") };
        let (mut lines, mut described, mut comments) = (Vec::new(), BTreeMap::new(), Vec::new());
        let mut table = root.to_owned();
        let mut follows_key = false;
        for line in text.lines() {
            let setting = if is_setting(line) { line.trim_start_matches("# ") } else { line };
            lines.push(setting);
            if setting.starts_with('#') {
                if std::mem::take(&mut follows_key) {
                    comments.clear();
                }
                comments.push(setting.trim_start_matches(['#', ' ']));
                continue;
            }
            let description =
                || comments.iter().filter(|it| !it.starts_with("---")).copied().collect::<Vec<_>>().join(" ");
            let key = if let Some(header) = setting.strip_prefix('[') {
                table = join(root, header.split(']').next().unwrap().trim_start_matches('['));
                Some((table.clone(), None))
            } else if let Some((key, value)) = setting.split_once(" = ") {
                let is_default = setting == line && !description().contains("Not a default");
                let value = toml::from_str::<Value>(&format!("v = {value}")).unwrap()["v"].take();
                Some((join(&table, key), Some(value).filter(|_| is_default)))
            } else {
                None
            };
            if let Some((key, default)) = key.filter(|_| !comments.is_empty()) {
                described.entry(key).or_insert_with(|| Described { text: description(), default });
            }
            // Keys that follow each other share their comment.
            follows_key = !setting.is_empty();
            if !follows_key {
                comments.clear();
            }
        }
        Self { values: toml::from_str(&lines.join("\n")).unwrap(), described }
    }
}

/// Writes a value as TOML.
fn to_toml(value: &Value) -> String {
    match value {
        Value::Object(table) => {
            let entries: Vec<_> = table.iter().map(|(key, value)| format!("{key:?} = {}", to_toml(value))).collect();
            format!("{{ {} }}", entries.join(", "))
        }
        Value::Array(list) => format!("[{}]", list.iter().map(to_toml).collect::<Vec<_>>().join(", ")),
        scalar => scalar.to_string(),
    }
}

/// Loads settings with these values at the top; the error is the reason.
fn load(settings: &Value) -> Result<(), String> {
    // Another test may do the same at the same time.
    let thread = format!("{:?}", std::thread::current().id()).replace(['(', ')'], "-");
    let path = std::env::temp_dir().join(format!("kibitzer-schema-{}-{thread}.toml", std::process::id()));
    let lines: Vec<_> =
        settings.as_object().unwrap().iter().map(|(key, it)| format!("{key:?} = {}", to_toml(it))).collect();
    fs::write(&path, lines.join("\n")).unwrap();
    let loaded = BotConfig::load(&path).map(drop).map_err(|error| error.to_string());
    fs::remove_file(path).unwrap();
    loaded
}

/// Makes the schema of one value after the other.
struct Prober {
    values: Value,
    described: BTreeMap<String, Described>,
}

impl Prober {
    /// Loads the least settings with a value at a path; the error is the reason.
    fn probe(&self, path: Keys<'_>, value: Value) -> Result<(), String> {
        let mut settings = json!({"server": {"host": "h"}, "engine": {"command": ["e"]}});
        let mut whole = value;
        for (depth, key) in path.iter().enumerate().skip(1).rev() {
            whole = if *key == "*" {
                json!([whole])
            } else {
                let mut table = self.required(&path[..depth]);
                table.insert((*key).to_owned(), whole);
                Value::Object(table)
            };
        }
        settings[path[0]] = whole;
        load(&settings)
    }

    /// Returns the entries that a table must have.
    fn required(&self, path: Keys<'_>) -> Map<String, Value> {
        let known = [("server", "host"), ("engine", "command"), ("book", "file"), ("matchmaking", "terms")];
        let key = known.iter().find(|(table, _)| path == [*table] || path == [*table, "*"]).map(|(_, key)| *key);
        let key = key.or_else(|| (path == ["matchmaking", "terms", "*"]).then_some("match"));
        key.into_iter().map(|key| (key.to_owned(), self.sample(&[path, &[key]].concat()))).collect()
    }

    /// Returns the values of the commented settings at a path.
    fn samples(&self, path: Keys<'_>) -> Vec<Value> {
        path.iter().fold(vec![self.values.clone()], |values, key| {
            let inner = |value: Value| match (value, *key) {
                (Value::Array(list), "*") => list,
                (table, "*") => vec![table],
                (Value::Array(list), key) => list.iter().filter_map(|item| item.get(key).cloned()).collect(),
                (value, key) => value.get(key).cloned().into_iter().collect(),
            };
            values.into_iter().flat_map(inner).collect()
        })
    }

    fn sample(&self, path: Keys<'_>) -> Value {
        self.samples(path).into_iter().next().unwrap_or_else(|| panic!("no sample of {path:?}"))
    }

    /// Returns the schema of the values that are accepted at a path.
    fn schema(&self, path: Keys<'_>) -> Value {
        let mut found = Vec::new();
        if self.probe(path, json!(true)).is_ok() {
            found.push(json!({"type": "boolean"}));
        }
        found.extend(self.integer(path, |number| number));
        found.extend(self.text(path));
        let table = self.table(path);
        // Serde also reads a list of the values of a table's keys, in their order: nobody writes that.
        let items = [path, &["*"]].concat();
        let is_list = table.is_none() || self.probe(&items, Value::Object(self.required(&items))).is_ok();
        found.extend(is_list.then(|| self.list(path)).flatten());
        found.extend(table);
        let mut schema = match found.len() {
            0 => panic!("no value is accepted at {path:?}"),
            1 => found.remove(0),
            _ => json!({"anyOf": found}),
        };
        // A key of `terms` has the meaning of that of its table.
        let key = path.iter().filter(|key| **key != "*").copied().collect::<Vec<_>>().join(".");
        let described = self.described.get(&key).or_else(|| self.described.get(&key.replace(".terms.", ".")));
        if let Some(Described { text, default }) = described.filter(|_| path.last() != Some(&"*")) {
            schema["description"] = json!(text);
            if let Some(default) = default {
                schema["default"] = default.clone();
            }
        }
        schema
    }

    /// Returns the schema of the accepted numbers; `wrap` makes the value of a number.
    fn integer(&self, path: Keys<'_>, wrap: impl Fn(Value) -> Value) -> Option<Value> {
        let sample = [1, 20, -1].into_iter().find(|number| self.probe(path, wrap(json!(number))).is_ok())?;
        let reason = self.probe(path, wrap(json!(i64::MAX))).err();
        let mut schema = json!({"type": "integer"});
        // `must be 0 to 9`, `must be a whole number from 1 to 9`, `must be a whole number of at least 1`.
        let reason = reason.or_else(|| self.probe(path, wrap(json!(-i64::MAX))).err()).unwrap();
        let bounds = reason.rsplit("must be ").next().unwrap();
        let numbers: Vec<i64> = bounds.split(' ').filter_map(|word| word.parse().ok()).collect();
        for (name, number) in ["minimum", "maximum"].into_iter().zip(numbers) {
            schema[name] = json!(number);
        }
        assert!(schema["minimum"].as_i64().is_some_and(|least| least <= sample), "{path:?}: {reason}");
        Some(schema)
    }

    /// Returns the schema of the accepted texts: any, or the words that the error of another one names.
    fn text(&self, path: Keys<'_>) -> Option<Value> {
        let Err(reason) = self.probe(path, json!("zz")) else { return Some(json!({"type": "string"})) };
        let quoted = reason.split_once("expected").map_or("", |(_, words)| words).split(['`', '"']).skip(1).step_by(2);
        let plain = reason.rsplit("must be ").next().unwrap().split([' ', ',']);
        let accepted = |word: &&str| !word.is_empty() && self.probe(path, json!(word)).is_ok();
        let words: Vec<_> = quoted.chain(plain).filter(accepted).collect();
        let samples = self.samples(path).into_iter().filter(Value::is_string);
        let mut others = samples.filter(|sample| !words.contains(&sample.as_str().unwrap()));
        if others.any(|sample| self.probe(path, sample).is_ok()) {
            return Some(json!({"type": "string"}));
        }
        (!words.is_empty()).then(|| json!({"enum": words}))
    }

    /// Returns the schema of the accepted lists.
    fn list(&self, path: Keys<'_>) -> Option<Value> {
        let both_ends = |number: Value| json!([number.as_i64().unwrap().min(1), number]);
        if let Some(number) = self.integer(path, both_ends)
            && self.probe(path, json!([1])).is_err()
        {
            return Some(json!({"type": "array", "items": number, "minItems": 2, "maxItems": 2}));
        }
        let accepts_none = self.probe(path, json!([])).is_ok();
        let items = [path, &["*"]].concat();
        let candidates = [json!("zz"), json!(1), json!({})].into_iter().chain(self.samples(&items));
        let accepts_some = candidates.into_iter().any(|item| self.probe(&items, item).is_ok());
        let least = usize::from(!accepts_none);
        accepts_some.then(|| match least {
            0 => json!({"type": "array", "items": self.schema(&items)}),
            least => json!({"type": "array", "items": self.schema(&items), "minItems": least}),
        })
    }

    /// Returns the schema of the accepted tables: with certain keys, or with any.
    fn table(&self, path: Keys<'_>) -> Option<Value> {
        let any = [path, &["zz"]].concat();
        let accepts = |value: Value| self.probe(&any, value).is_ok();
        let kinds = [(json!("z"), "string"), (json!(1), "integer"), (json!(true), "boolean")];
        let kinds: Vec<_> =
            kinds.into_iter().filter(|(value, _)| accepts(value.clone())).map(|(_, kind)| kind).collect();
        if !kinds.is_empty() {
            return Some(json!({"type": "object", "additionalProperties": {"type": kinds}}));
        }
        let reason = self.probe(&any, json!(1)).unwrap_err();
        if let Some((_, words)) = reason.rsplit_once("must be one of ") {
            let words = words.split(", ").flat_map(|words| words.split(" and "));
            let properties: Map<_, _> =
                words.map(|word| (word.to_owned(), self.schema_of_only_key(&[path, &[word]].concat()))).collect();
            return Some(closed_table(&properties, &[], Some(1)));
        }
        let required = self.required(path);
        self.probe(path, Value::Object(required.clone())).ok()?;
        // The error about an unknown key has all keys of a table of the bot; those of a profile are in its commented form.
        let fields: Vec<_> = match reason.split_once("expected one of ").or_else(|| reason.split_once("expected ")) {
            Some((_, words)) => words.split('`').skip(1).step_by(2).map(str::to_owned).collect(),
            None => self.samples(path).iter().flat_map(|table| table.as_object().unwrap().keys().cloned()).collect(),
        };
        let schema = |key: String| (key.clone(), self.schema(&[path, &[&key]].concat()));
        let properties: Map<_, _> = fields.into_iter().map(schema).collect();
        // Each top-level key has a comment.
        assert!(path.len() > 1 || properties.values().all(|schema| schema.get("description").is_some()), "{path:?}");
        let is_optional =
            |key: &&String| path == ["server"] || path == ["account", "*"] || !required.contains_key(*key);
        let required: Vec<_> = required.keys().filter(|key| !is_optional(key)).map(String::as_str).collect();
        Some(closed_table(&properties, &required, None))
    }

    /// Returns the schema of the value of a table with one key.
    fn schema_of_only_key(&self, path: Keys<'_>) -> Value {
        let text = self.probe(path, json!("z")).is_ok().then(|| json!({"type": "string"}));
        text.unwrap_or_else(|| json!({"type": "array", "items": {"type": "string"}}))
    }
}

/// Returns the schema of a table without other keys; with `n_entries`, of exactly so many.
fn closed_table(properties: &Map<String, Value>, required: &[&str], n_entries: Option<usize>) -> Value {
    let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    for name in n_entries.map_or(&[][..], |_| &["minProperties", "maxProperties"]) {
        schema[*name] = json!(n_entries);
    }
    schema
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Makes the schema of the whole file.
fn generate() -> String {
    let mut bot = Commented::parse(&fs::read_to_string(repository().join("config/bot.toml")).unwrap(), "");
    let profile = Profile::new("h").session(|session| session.first_connect(FirstConnect::Retry)).to_toml();
    let mut profile = Commented::parse(&profile, "server");
    profile.described.get_mut("server.host").unwrap().default = None;
    bot.values["server"] = profile.values.clone();
    let tables: Vec<_> = bot.values.as_object().unwrap().keys().filter(|table| *table != "account").cloned().collect();
    bot.described.extend(profile.described);
    let prober = Prober { values: bot.values, described: bot.described.clone() };
    let mut properties: Map<_, _> = tables.iter().map(|table| (table.clone(), prober.schema(&[table]))).collect();
    let mut server = properties["server"].take();
    let description = server.as_object_mut().unwrap().remove("description");
    server["patternProperties"] = json!({"^x-": {}});
    properties.insert("server".to_owned(), json!({"$ref": "#/definitions/profile"}));
    let accounts = json!({"type": "array", "items": {"$ref": "#/definitions/profile"}, "description": bot.described["account"].text});
    properties.insert("account".to_owned(), accounts);
    if let Some(description) = description {
        server["description"] = description;
    }
    let mut schema = closed_table(&properties, &["engine", "server"], None);
    schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    schema["title"] = json!("Settings of kibitzer bot");
    schema["patternProperties"] = json!({"^x-": {}});
    schema["definitions"] = json!({"profile": server});
    serde_json::to_string_pretty(&schema).unwrap() + "\n"
}

#[test]
fn schema_is_made_of_the_accepted_settings() {
    let generated = generate();
    if std::env::var_os("KIBITZER_BLESS").is_some() {
        fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/bot.json"), &generated).unwrap();
    } else {
        assert!(generated == SCHEMA, "schema/bot.json differs: see \"Generated files\" in CONTRIBUTING.md");
    }
}

/// Validates pairs of a validity and settings; prints their number.
const SCRIPT: &str = "
import json, sys
from jsonschema import Draft7Validator as Validator
schema = json.load(open(sys.argv[1]))
Validator.check_schema(schema)
cases = json.load(sys.stdin)
for valid, settings in cases:
    errors = [error.message for error in Validator(schema).iter_errors(settings)]
    assert (not errors) == valid, (valid, settings, errors)
print(len(cases))
";

/// Returns the examples of a page, as settings that have the tables that they lack.
fn examples(page: &str) -> Vec<Value> {
    let blocks = page.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let settings =
        blocks.map(|block| toml::from_str::<Value>(block).unwrap()).filter(|it| it.get("dependencies").is_none());
    let whole = |mut settings: Value| {
        for (table, value) in [("server", json!({})), ("engine", json!({"command": "e"}))] {
            let table = &mut settings[table];
            if table.is_null() {
                *table = value;
            }
        }
        settings["engine"].as_object_mut().unwrap().entry("command").or_insert("e".into());
        settings
    };
    settings.map(whole).collect()
}

#[test]
fn an_independent_validator_distinguishes_right_and_wrong_settings() {
    let least = |rest: &str| toml::from_str::<Value>(&format!("[server]\n[engine]\ncommand = 'e'\n{rest}")).unwrap();
    let shipped = fs::read_to_string(repository().join("config/bot.toml")).unwrap();
    let mut cases = vec![(true, toml::from_str(&shipped).unwrap()), (true, Commented::parse(&shipped, "").values)];
    let docs = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")).unwrap();
    let pages = docs.map(|page| fs::read_to_string(page.unwrap().path()).unwrap());
    cases.extend(pages.flat_map(|page| examples(&page)).map(|settings| (true, settings)));
    assert!(cases.len() > 7, "{}", cases.len());
    cases.extend(
        ["", "[x-mine]\na = 1\n", "[[account]]\nhandle = 'A'\n", "[book]\nfile = 'a'\n"].map(|it| (true, least(it))),
    );
    let wrong = [
        "[acept]\n",
        "[accept]\nratd = true\n",
        "[accept]\nrated = 1\n",
        "[accept]\nrating = [0, 10000]\n",
        "[accept]\nrating = [1]\n",
        "[accept]\ncomputers = 'no'\n",
        "[accept]\nprefer = 'people'\n",
        "[book]\n",
        "[[book]]\nfile = 3\n",
        "[talk]\nscores = 'shout'\n",
        "[talk.commands]\na = 1\n",
        "[[account]]\nports = []\n",
        "[[account]]\nports = [70000]\n",
        "[account]\n",
        "[[account]]\npassword_from = { file = 'a', env = 'b' }\n",
        "[[account]]\npassword_from = 'secret'\n",
        "[matchmaking]\n",
        "[matchmaking]\nterms = [{ rating = [1, 2] }]\n",
        "[offers]\nresign = { below_cp = 900 }\n",
    ];
    cases.extend(wrong.map(|it| (false, least(it))));
    cases.push((false, json!({"server": {}, "engine": {}})));
    for (valid, settings) in cases.iter().filter(|(valid, _)| !valid) {
        let mut settings = settings.clone();
        settings["server"]["host"] = json!("h");
        assert_eq!(load(&settings).is_ok(), *valid, "{settings}");
    }
    let python = std::env::var_os("KIBITZER_PYTHON");
    let has_package = |python: &std::ffi::OsString| {
        let mut import = Command::new(python);
        import.args(["-c", "import jsonschema"]).stderr(Stdio::null()).status().is_ok_and(|it| it.success())
    };
    let Some(python) = python.filter(has_package) else {
        eprintln!("skipped: KIBITZER_PYTHON names no interpreter with the package jsonschema");
        return;
    };
    let mut command = Command::new(python);
    command.arg("-c").arg(SCRIPT).arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/bot.json"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let input = serde_json::to_vec(&cases).unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), &input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim().parse(), Ok(cases.len()));
}
