//! The JSON Schema of events, `crates/kibitzer/schema/events.json`.
//!
//! The descriptors have the type of every field of an event, but events have no values without a sample: the schema is generated
//! from a sample of each kind. Fields of an object that no sample contains fail the generation.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value as Json, json};
use strum::VariantNames;

use super::value::{FieldSink, FieldType, Value};
use crate::EventReader;
use crate::event::{
    AdjournedGame, Capabilities, CloseCause, ConnectionAttempt, ConnectionLoss, Event, EventKind, Identity,
    RestoreOutcome, Restored, RestoredCommand, RestoredGame, ResumptionState, SessionEndReason,
};
use crate::message::listing::{GameActivity, GameRowState, MoveList, WhoStatus};
use crate::message::{
    Attribution, ChallengeChange, ExamineAction, Farewell, GameEndReason, GameId, GameKind, Ivar, LoginRefusal,
    NameKind, OfferAnswer, OfferKind, PartnershipUpdate, Refusal, Relation, RequestOrigin, SeekNotice,
};
use crate::text::Titles;

/// The members that an event may lack.
const OPTIONAL: [&str; 6] = ["t", "utc", "request", "requested_by", "inferred", "own"];

/// Received lines and the JSON of their events; the tests of the command line compare both.
const SAMPLES: &str = include_str!("../../../../kibitzer-cli/tests/events.txt");

/// A reply with the objects that no line of [`SAMPLES`] contains.
const FINGER: &[u8] = b"fics% \x157\x1637\x16Finger of Newton:\n\rOn for: 5 seconds   Idle: 0 seconds\n\r\
    (examining game 12: Alekhine vs. Newton)\n\r\n\rspeed & variant         rating  RD    Volat.    total  best\n\r\
    blitz crazyhouse         2100    51  0.06          15 2110 (15-Mar-2003)\n\r\n\r\
    Email:       newton@example.com\n\r\x17fics% ";

/// The fields of the objects at one place of the schema, over all samples.
#[derive(Default)]
struct ObjectShape {
    n_samples: usize,
    fields: BTreeMap<&'static str, (FieldType, usize)>,
}

/// The objects of the schema by their place: the kind of the event, then keys, each after a slash.
#[derive(Default)]
struct Shapes {
    objects: BTreeMap<String, ObjectShape>,
    /// Whether samples of a kind have an offset, and whether some have none.
    offsets: BTreeMap<&'static str, [bool; 2]>,
    /// The kinds of listings, which a reply may contain.
    listings: BTreeSet<&'static str>,
}

impl Shapes {
    fn add_event(&mut self, event: &Event) {
        let kind = event.kind().as_str();
        let has_offset = event.offset().is_some();
        self.offsets.entry(kind).or_default()[usize::from(!has_offset)] = true;
        if matches!(event, Event::Listing { .. }) {
            self.listings.insert(kind);
        }
        event.with_descriptor(|it| self.add_object(kind, |put| event.put_fields_and_line(it, put)));
    }

    fn add_object(&mut self, place: &str, fields: impl FnOnce(&mut FieldSink<'_>)) {
        self.objects.entry(place.to_owned()).or_default().n_samples += 1;
        fields(&mut |key, value, kind| {
            let (known, n_samples) = self.objects.get_mut(place).unwrap().fields.entry(key).or_insert((*kind, 0));
            *n_samples += 1;
            *known = wider(*known, *kind).unwrap_or_else(|| panic!("{place}/{key} is {known:?} and {kind:?}"));
            self.add_value(&format!("{place}/{key}"), value);
        });
    }

    fn add_value(&mut self, place: &str, value: Value<'_>) {
        match value {
            Value::Object(object) => self.add_object(place, |put| object.put_fields(put)),
            Value::List(list) => list.put_items(&mut |item| self.add_value(place, item)),
            _ => {}
        }
    }

    /// Returns the schema of the object at a place, with the members of `first` before its own.
    fn object(&self, place: &str, first: Map<String, Json>) -> Json {
        let shape = self.objects.get(place).unwrap_or_else(|| panic!("no sample has an object at {place}"));
        let always = |(key, (_, n_samples)): (&&'static str, &(FieldType, usize))| {
            (*n_samples == shape.n_samples).then(|| (*key).to_owned())
        };
        let required: Vec<_> = first.keys().filter(|key| !OPTIONAL.contains(&key.as_str())).cloned().collect();
        let required = [required, shape.fields.iter().filter_map(always).collect()].concat();
        let mut properties = first;
        for (key, (kind, _)) in &shape.fields {
            properties.insert((*key).to_owned(), self.field(&format!("{place}/{key}"), *kind));
        }
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    }

    fn field(&self, place: &str, kind: FieldType) -> Json {
        match kind {
            FieldType::Bool => json!({"type": "boolean"}),
            FieldType::Integer => json!({"type": "integer"}),
            FieldType::Natural => json!({"type": "integer", "minimum": 0}),
            FieldType::Letter => json!({"type": "string", "minLength": 1, "maxLength": 1}),
            FieldType::Text => json!({"type": "string"}),
            FieldType::Word(words) => json!({"enum": words}),
            FieldType::Object => self.object(place, Map::new()),
            FieldType::List(item) => json!({"type": "array", "items": self.field(place, *item)}),
            FieldType::Nullable(inner) => nullable(self.field(place, *inner)),
        }
    }

    /// Returns the schema of the events of a kind.
    fn event(&self, kind: &str) -> Json {
        let offsets = self.offsets.get(kind).unwrap_or_else(|| panic!("no sample is a {kind}"));
        let offset = match offsets {
            [true, true] => json!({"type": ["integer", "null"], "minimum": 0}),
            [true, false] => json!({"type": "integer", "minimum": 0}),
            _ => json!({"type": "null"}),
        };
        let mut members = envelope(kind, &offset);
        if kind == "sent" || offsets[0] {
            members.extend(attribution().as_object().unwrap().clone());
        }
        self.object(kind, members)
    }

    /// Returns the schema of the event `reply`, whose content depends on its `kind`.
    fn reply(&self) -> Json {
        let text = json!({"type": "string"});
        let mut contents = vec![
            ("text", closed(&json!({"lines": {"type": "array", "items": text}}))),
            ("refused", closed(&json!({"reason": text, "text": text}))),
        ];

        contents.extend(self.listings.iter().map(|kind| (*kind, self.object(kind, Map::new()))));
        let kinds: Vec<_> = contents.iter().map(|(kind, _)| *kind).collect();
        let of_kind = |(kind, content)| json!({"properties": {"kind": {"const": kind}, "content": content}});
        let mut reply =
            own_event("reply", &json!({"id": id(), "kind": {"enum": kinds}, "content": {"type": "object"}}));
        reply["oneOf"] = contents.into_iter().map(of_kind).collect();
        reply
    }

    fn into_schema(self) -> Json {
        let kinds = EventKind::ALL.iter().filter(|kind| **kind != EventKind::Ping).map(|kind| kind.as_str());
        let mut events: BTreeMap<_, _> = kinds.map(|kind| (kind, self.event(kind))).collect();
        let (line, text) = (json!({"type": "integer", "minimum": 1}), json!({"type": "string"}));
        let mut answered = attribution();
        answered.as_object_mut().unwrap().remove("own");
        answered["after_ms"] = json!({"type": "number", "minimum": 0});
        events.insert("answered", own_event("answered", &answered));
        events.insert("analysis", own_event("analysis", &analysis()));
        events.insert("bot", own_event("bot", &bot_action()));
        events.insert("cut", own_event("cut", &json!({"line": line})));
        events.insert("reply", self.reply());
        let failed = json!({"id": nullable(id()), "line": line, "reason": text, "text": text});
        events.insert("metrics", own_event("metrics", &metrics()));
        events.insert("statistics", own_event("statistics", &statistics()));
        events.insert("failed", own_event("failed", &failed));
        events.insert("subscribed", own_event("subscribed", &json!({"id": nullable(id()), "filter": nullable(text)})));
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Events of kibitzer",
            "description": "One line of the output of kibitzer decode, connect, console, replay and bot in JSON. Later versions may add \
                events and keys.",
            "oneOf": events.keys().map(|kind| json!({"$ref": format!("#/$defs/{kind}")})).collect::<Vec<_>>(),
            "$defs": events,
        })
    }
}

/// Returns the type that includes both; `None` if only a union would.
fn wider(one: FieldType, other: FieldType) -> Option<FieldType> {
    match (one, other) {
        _ if one == other => Some(one),
        (FieldType::Nullable(inner), it) | (it, FieldType::Nullable(inner)) if *inner == it => {
            Some(FieldType::Nullable(inner))
        }
        _ => None,
    }
}

/// Returns a schema that also accepts `null`.
fn nullable(mut schema: Json) -> Json {
    if let Some(words) = schema.get_mut("enum") {
        words.as_array_mut().unwrap().push(Json::Null);
        return schema;
    }
    schema["type"] = match schema["type"].take() {
        // The value of a field may be nullable twice: no rating, and a rating without a number.
        Json::Array(kinds) if kinds.contains(&"null".into()) => kinds.into(),
        Json::Array(kinds) => [kinds, vec!["null".into()]].concat().into(),
        kind => json!([kind, "null"]),
    };
    schema
}

/// Returns the members that all events have.
fn envelope(kind: &str, offset: &Json) -> Map<String, Json> {
    let members = json!({
        "event": {"const": kind},
        "offset": offset,
        "t": {"type": "number", "minimum": 0},
        "utc": {"type": ["string", "null"], "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$"},
    });
    members.as_object().unwrap().clone()
}

/// Returns the schemas of the members that an event has if they apply.
fn attribution() -> Json {
    json!({
        "request": {"type": "integer", "minimum": 1},
        "requested_by": {"enum": RequestOrigin::VARIANTS},
        "inferred": {"const": true},
        "own": {"const": true},
    })
}

/// Returns the schema of an object with exactly these members.
fn closed(properties: &Json) -> Json {
    let required: Vec<_> =
        properties.as_object().unwrap().keys().filter(|key| !OPTIONAL.contains(&key.as_str())).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// Returns the schema of an event of the command line itself.
fn own_event(kind: &str, members: &Json) -> Json {
    let mut properties = envelope(kind, &json!({"type": "null"}));
    properties.extend(members.as_object().unwrap().clone());
    closed(&Json::Object(properties))
}

/// Returns the schemas of the members of `metrics`.
fn metrics() -> Json {
    const COUNTERS: [&str; 13] = [
        "bytes_received",
        "bytes_sent",
        "lines_received",
        "lines_sent",
        "events",
        "missed_events",
        "unrecorded_pieces",
        "reconnects",
        "pings",
        "requests_answered",
        "requests_failed",
        "request_time_ms",
        "round_trip_ms",
    ];
    let mut members =
        json!({"server": {"type": "string"}, "handle": {"type": ["string", "null"]}, "ready": {"type": "boolean"}});
    for key in COUNTERS {
        let counter = json!({"type": "integer", "minimum": 0});
        members[key] = if key == "round_trip_ms" { nullable(counter) } else { counter };
    }
    members
}

/// Returns the schemas of the members of an action of `kibitzer bot`.
fn bot_action() -> Json {
    let text = json!({"type": "string"});
    let (game, name) = (nullable(json!({"type": "integer"})), nullable(text.clone()));
    json!({"account": name, "action": text, "game": game, "player": name, "reason": text})
}

/// Returns the schemas of the members of a line of analysis of `kibitzer bot`.
fn analysis() -> Json {
    let (text, integer) = (json!({"type": "string"}), json!({"type": "integer"}));
    let (count, number) = (nullable(json!({"type": "integer", "minimum": 0})), nullable(integer.clone()));
    json!({
        "account": nullable(text.clone()), "game": integer, "depth": count, "score_cp": number, "mate": number,
        "nodes_per_second": count, "line": {"type": "array", "items": text},
    })
}

/// Returns the schemas of the members of the results of `kibitzer bot`.
fn statistics() -> Json {
    let count = json!({"type": "integer", "minimum": 0});
    let number = json!({"type": ["number", "null"]});
    let tally = closed(&json!({
        "games": count, "won": count, "drawn": count, "lost": count, "elo": number, "elo_error": number,
    }));
    let tallies = json!({"type": "object", "additionalProperties": tally});
    let losses = closed(&json!({
        "time": count, "mate": count, "resignation": count, "engine_failure": count, "connection": count, "other": count,
    }));
    json!({
        "total": tally, "without_result": count, "white": tally, "black": tally, "speeds": tallies, "variants": tallies,
        "opponents": tallies, "other_opponents": tally, "losses": losses,
    })
}

fn id() -> Json {
    json!({"type": ["integer", "string"]})
}

/// The events of the lines in [`SAMPLES`], and of a line that is too long for the table.
fn received_events() -> Vec<Event> {
    let mut events = Vec::new();
    let over_long = format!("\n\r{}\n\r", "x".repeat(100_000)).into_bytes();
    let cases = SAMPLES.split("\n\n").map(|case| {
        let sent = case.lines().filter_map(|line| line.strip_prefix("< ").or((line == "<").then_some("")));
        sent.flat_map(|line| [unescape(line), b"\n\r".to_vec()].concat()).collect::<Vec<u8>>()
    });
    for sent in cases.chain([over_long, FINGER.to_vec()]) {
        let (mut reader, mut rest) = (EventReader::default(), &sent[..]);
        events.extend(std::iter::from_fn(|| reader.next(&mut rest).or_else(|| reader.finish())));
    }
    events
}

/// Returns the bytes of a line: `\\` and `\xHH` stand for one, and so does every other character.
fn unescape(line: &str) -> Vec<u8> {
    let mut characters = line.chars();
    let mut bytes = Vec::new();
    while let Some(character) = characters.next() {
        bytes.push(match (character, characters.as_str().chars().next()) {
            ('\\', Some('x')) => {
                let digits: String = characters.by_ref().take(3).skip(1).collect();
                u8::from_str_radix(&digits, 16).unwrap()
            }
            ('\\', Some(_)) => u8::try_from(characters.next().unwrap()).unwrap(),
            _ => u8::try_from(character).unwrap(),
        });
    }
    bytes
}

/// Events of the session itself.
fn session_events() -> Vec<Event> {
    let (white, black) = ("Newton".parse().unwrap(), "Einstein".parse().unwrap());
    let mut game = RestoredGame::unchanged(GameId(7), white, black, Relation::Observing);
    (game.outcome, game.moves) = (RestoreOutcome::Advanced { plies: 2 }, Some(MoveList::default()));
    let command = RestoredCommand { command: "set seek 0".to_owned(), error: None, game: None };
    let restored = Restored {
        games: vec![game],
        settings: vec![command.clone()],
        requests: vec![command.clone()],
        seeks: vec![command],
        ..Restored::default()
    };
    let adjourned = AdjournedGame::new("Newton".parse().unwrap(), "Einstein".parse().unwrap(), ResumptionState::Stored);
    let mut capabilities = Capabilities::default();
    capabilities.set(Ivar::Block, true);
    vec![
        Event::Connecting(ConnectionAttempt::new(1)),
        Event::Connected,
        Event::LoggedIn(Arc::new(Identity { handle: None, titles: Titles::default(), kind: NameKind::Unregistered })),
        Event::SessionReady(capabilities),
        Event::Sent { line: Some("date".into()), attribution: Attribution::default() },
        Event::Fault,
        Event::Lost(Box::new(ConnectionLoss::new(
            CloseCause::Closed.into(),
            Some(Duration::from_secs(1)),
            Duration::ZERO,
        ))),
        Event::Restored(Arc::new(restored)),
        Event::AdjournedGame(Arc::new(adjourned)),
        Event::Ended(SessionEndReason::Quit),
    ]
}

#[test]
fn the_schema_of_events_is_up_to_date() {
    let mut shapes = Shapes::default();
    received_events().iter().chain(&session_events()).for_each(|event| shapes.add_event(event));
    let schema = format!("{:#}\n", shapes.into_schema());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kibitzer/schema/events.json");
    if std::env::var_os("KIBITZER_BLESS").is_some() {
        std::fs::write(&path, &schema).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == schema, "{} is out of date; KIBITZER_BLESS=1 writes it", path.display());
}

/// Returns the words between backticks.
fn words(text: &str) -> BTreeSet<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

#[test]
fn the_page_has_every_name_that_can_be_emitted() {
    const PAGE: &str = include_str!("../../../../kibitzer/docs/events.md");
    fn names<T: Copy>(all: &[T], name: impl Fn(T) -> &'static str) -> Vec<&'static str> {
        all.iter().map(|it| name(*it)).collect()
    }
    let (_, listed) = PAGE.split_once("## Reasons").unwrap();
    let rows = [
        ("game_ended", names(GameEndReason::ALL, GameEndReason::as_str)),
        ("farewell", names(Farewell::ALL, Farewell::as_str)),
        ("login_refused", names(LoginRefusal::ALL, LoginRefusal::as_str)),
        ("refused", Refusal::VARIANTS.to_vec()),
        ("challenge_update", names(ChallengeChange::ALL, ChallengeChange::as_str)),
        ("partner", [PartnershipUpdate::VARIANTS, &["offer_withdrawn"]].concat()),
        ("examine", [ExamineAction::VARIANTS, &["start_scratch"]].concat()),
    ];
    for (event, names) in rows {
        let start = format!("| `{event}`");
        let row: String = listed.lines().filter_map(|line| line.strip_prefix(&start)).collect();
        let keys = ["plies", "move_number", "value"];
        let listed: BTreeSet<_> = words(&row).into_iter().filter(|word| !keys.contains(word)).collect();
        assert_eq!(listed, names.into_iter().collect(), "{event}");
    }
    let elsewhere = [
        names(OfferKind::ALL, OfferKind::as_str),
        names(OfferAnswer::ALL, OfferAnswer::as_str),
        names(WhoStatus::ALL, WhoStatus::as_str),
        names(GameRowState::ALL, GameRowState::as_str),
        names(GameActivity::ALL, GameActivity::as_str),
        SeekNotice::VARIANTS.to_vec(),
        RestoreOutcome::VARIANTS.to_vec(),
        ResumptionState::VARIANTS.to_vec(),
        GameKind::VARIANTS.to_vec(),
    ];
    let page = words(PAGE);
    for name in elsewhere.concat() {
        assert!(page.contains(name), "{name}");
    }
}
