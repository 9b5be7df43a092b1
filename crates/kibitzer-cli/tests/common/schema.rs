//! A validator of JSON Schema, for the keywords of the schemas in `crates/kibitzer/schema/`.

use std::fs;

use serde_json::Value;

/// A schema of the project.
pub(crate) struct Schema(Value);

impl Schema {
    /// Reads `crates/kibitzer/schema/NAME.json`.
    pub(crate) fn read(name: &str) -> Self {
        let path = format!("{}/../kibitzer/schema/{name}.json", env!("CARGO_MANIFEST_DIR"));
        Self(serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap())
    }

    /// Why the value is not valid, at its first error.
    pub(crate) fn error(&self, value: &Value) -> Option<String> {
        self.check(&self.0, value, "").err()
    }

    fn check(&self, schema: &Value, value: &Value, place: &str) -> Result<(), String> {
        for (keyword, limit) in schema.as_object().unwrap() {
            let is_met = match keyword.as_str() {
                "$schema" | "$defs" | "title" | "description" => true,
                "$ref" => {
                    let target = limit.as_str().unwrap().strip_prefix('#').unwrap();
                    return self.check(self.0.pointer(target).unwrap(), value, place);
                }
                "type" => match limit.as_array() {
                    Some(types) => types.iter().any(|kind| is_of_type(value, kind)),
                    None => is_of_type(value, limit),
                },
                "const" => value == limit,
                "enum" => limit.as_array().unwrap().contains(value),
                "minimum" => value.as_f64().is_none_or(|number| number >= limit.as_f64().unwrap()),
                "minLength" => value.as_str().is_none_or(|text| text.chars().count() as u64 >= limit.as_u64().unwrap()),
                "maxLength" => value.as_str().is_none_or(|text| text.chars().count() as u64 <= limit.as_u64().unwrap()),
                "pattern" => {
                    let pattern = regex_lite::Regex::new(limit.as_str().unwrap()).unwrap();
                    value.as_str().is_none_or(|text| pattern.is_match(text))
                }
                "required" => value.as_object().is_none_or(|object| {
                    limit.as_array().unwrap().iter().all(|key| object.contains_key(key.as_str().unwrap()))
                }),
                "properties" => {
                    for (key, schema) in limit.as_object().unwrap() {
                        if let Some(member) = value.get(key) {
                            self.check(schema, member, &format!("{place}/{key}"))?;
                        }
                    }
                    true
                }
                "additionalProperties" => {
                    assert_eq!(limit, &Value::Bool(false));
                    let known = schema["properties"].as_object().unwrap();
                    value.as_object().is_none_or(|object| object.keys().all(|key| known.contains_key(key)))
                }
                "items" => {
                    for item in value.as_array().into_iter().flatten() {
                        self.check(limit, item, &format!("{place}[]"))?;
                    }
                    true
                }
                "oneOf" => {
                    let fits = limit.as_array().unwrap().iter().filter(|one| self.check(one, value, place).is_ok());
                    fits.count() == 1
                }
                other => panic!("the schema has the keyword {other}, which this validator does not know"),
            };
            if !is_met {
                return Err(format!("{keyword} at {place:?}: {value}"));
            }
        }
        Ok(())
    }
}

fn is_of_type(value: &Value, kind: &Value) -> bool {
    match kind.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other}"),
    }
}
