//! Converts stored events back to lines of a server, from which the game tracker follows the games.

use kibitzer::core::chess::{CastlingSide, Color, Fen};
use kibitzer::core::text::encode_ascii;
use serde_json::Value;

use super::member_or_null;

/// Returns the bytes in which a server of the FICS family would report the event, with line ends; `None` for an event that says
/// nothing about games.
///
/// The events are published by any program: values of another type are `None`, and no text can add a line.
pub(super) fn to_server_lines(event: &Value) -> Option<String> {
    let name = member_or_null(event, "event").as_str()?;
    let game = member_or_null(event, "game").as_u64();
    let line = match name {
        // Its game is not tracked: the board has no number.
        "position" if member_or_null(event, "source") == "style10" => return None,
        "position" => style12_line(event)?,
        "holding" => {
            let passed = member_or_null(event, "passed");
            let passed = member_or_null(passed, "to").as_str().and_then(|to| {
                Some((uppercase_initial(to)?, uppercase_initial(member_or_null(passed, "piece").as_str()?)?))
            });
            let passed = passed.map(|(to, piece)| format!(" <- {to}{piece}")).unwrap_or_default();
            format!(
                "<b1> game {} white [{}] black [{}]{passed}",
                game?,
                encoded_text(event, "white")?,
                encoded_text(event, "black")?
            )
        }
        "game_info" => g1_line(event)?,
        "game_created" => {
            let verb = if *member_or_null(event, "resumed") == true { "Continuing" } else { "Creating" };
            let rated = match member_or_null(event, "rated").as_bool() {
                Some(true) => "rated ",
                Some(false) => "unrated ",
                None => "",
            };
            format!(
                "{{{} {verb} {rated}{} match.}}",
                game_and_players(event)?,
                encoded_text(event, "kind").unwrap_or_default()
            )
        }
        "game_ended" => format!(
            "{{{} {}}} {}",
            game_and_players(event)?,
            encoded_text(event, "text")?,
            encoded_text(event, "result")?
        ),
        "observing" if *member_or_null(event, "on") == true => format!("You are now observing game {}.", game?),
        "observing" => format!("Removing game {} from observation list.", game?),
        "kibitz" | "whisper" | "say" => talk_line(event, name)?,
        // In a reply that names its command, lines are read as those of a listing.
        "block_start" => {
            return Some(format!(
                "\x15{}\x16{}\x16",
                member_or_null(event, "id").as_u64()?,
                member_or_null(event, "code").as_u64()?
            ));
        }
        "block_end" => return Some("\x17\n\r".to_owned()),
        "creating" | "partner" | "listing_line" | "text" => encoded_text(event, "text")?,
        _ => return None,
    };
    let end = if *member_or_null(event, "cut") == true { "\n\r\\   \n\r" } else { "\n\r" };
    Some(line + end)
}

/// Returns a text member as a server sends it, with control characters and characters beyond ASCII as entities; `None` if it is
/// no text.
fn encoded_text(event: &Value, key: &str) -> Option<String> {
    member_or_null(event, key).as_str().map(|text| encode_ascii(text).into_owned())
}

/// Returns the first character in upper case; `None` if it is no ASCII letter.
fn uppercase_initial(text: &str) -> Option<char> {
    text.chars().next().filter(char::is_ascii_alphabetic).map(|letter| letter.to_ascii_uppercase())
}

/// Returns the start of a line about a game, such as `Game 12 (Newton vs. Einstein)`.
fn game_and_players(event: &Value) -> Option<String> {
    let name = |key| encoded_text(event, key).unwrap_or_default();
    Some(format!("Game {} ({} vs. {})", member_or_null(event, "game").as_u64()?, name("white"), name("black")))
}

/// Returns the line of a kibitz, whisper or say.
fn talk_line(event: &Value, kind: &str) -> Option<String> {
    let titles = member_or_null(event, "titles").as_array().into_iter().flatten().filter_map(Value::as_str);
    let titles = titles.map(|title| format!("({})", encode_ascii(title))).collect::<Vec<_>>().concat();
    let game = member_or_null(event, "game").as_u64().map(|game| format!("[{game}]")).unwrap_or_default();
    let rating =
        member_or_null(event, "rating").as_i64().map_or_else(|| "----".to_owned(), |rating| rating.to_string());
    let (rating, verb) = match kind {
        "say" => (String::new(), "says"),
        "kibitz" => (format!("({rating})"), "kibitzes"),
        _ => (format!("({rating})"), "whispers"),
    };
    Some(format!("{}{titles}{rating}{game} {verb}: {}", encoded_text(event, "from")?, encoded_text(event, "text")?))
}

/// Returns the `<g1>` line of the terms that are known.
fn g1_line(event: &Value) -> Option<String> {
    let number = |key: &str| member_or_null(event, key).as_i64();
    let flag = |key: &str| member_or_null(event, key).as_bool().map(i64::from);
    let pair = |white: Option<i64>, black: Option<i64>| Some(format!("{},{}", white?, black?));
    let guest = |key| flag(key).map(|registered| 1 - registered);
    let terms = [
        ("p", flag("private").map(|flag| flag.to_string())),
        ("t", encoded_text(event, "kind")),
        ("r", flag("rated").map(|flag| flag.to_string())),
        ("u", pair(guest("white_registered"), guest("black_registered"))),
        ("it", pair(number("white_time_s"), number("white_increment_s"))),
        ("i", pair(number("black_time_s"), number("black_increment_s"))),
        ("pt", Some(number("partner_game").unwrap_or_default().to_string())),
        ("rt", pair(number("white_rating"), number("black_rating"))),
        ("ts", pair(flag("white_timeseal"), flag("black_timeseal"))),
    ];
    let known = terms.into_iter().filter_map(|(key, value)| Some(format!("{key}={}", value?)));
    Some([format!("<g1> {}", number("game")?)].into_iter().chain(known).collect::<Vec<_>>().join(" "))
}

/// Returns the `<12>` line of a board, with clocks in milliseconds, without the fields after the first unknown one.
fn style12_line(event: &Value) -> Option<String> {
    let number = |key: &str| Some(member_or_null(event, key).as_i64()?.to_string());
    let fen: Fen = member_or_null(event, "fen").as_str()?.parse().ok()?;
    let mut fields = vec!["<12>".to_owned()];
    fields.extend(fen.board.to_rows().map(|row| row.map(char::from).iter().collect()));
    fields.push(if fen.side_to_move == Color::White { "W" } else { "B" }.to_owned());
    let file = member_or_null(event, "double_push_file").as_str().and_then(|file| "abcdefgh".find(file));
    fields.push(file.map_or_else(|| "-1".to_owned(), |file| file.to_string()));
    for color in Color::BOTH {
        let rights = [CastlingSide::Short, CastlingSide::Long].map(|side| fen.castling.has(color, side));
        fields.extend(rights.map(|right| u8::from(right).to_string()));
    }
    fields.extend([
        number("halfmove_clock")?,
        number("game")?,
        encoded_text(event, "white")?,
        encoded_text(event, "black")?,
    ]);
    fields.extend([number("relation")?, (member_or_null(event, "initial_s").as_i64()? / 60).to_string()]);
    for key in ["increment_s", "white_material", "black_material", "white_clock_ms", "black_clock_ms", "move_number"] {
        fields.push(number(key)?);
    }
    let last = member_or_null(event, "last_move");
    fields.push(encoded_text(last, "verbose").unwrap_or_else(|| "none".to_owned()));
    // The fraction declares the clocks to be in milliseconds.
    fields.push(match member_or_null(last, "elapsed_ms").as_u64() {
        Some(ms) => format!("({}:{:02}.{:03})", ms / 60_000, ms / 1000 % 60, ms % 1000),
        None if last.is_null() => "(0:00.000)".to_owned(),
        None => "(?.)".to_owned(),
    });
    if *member_or_null(event, "cut") != true {
        fields.push(encoded_text(last, "san").unwrap_or_else(|| "none".to_owned()));
        let flags =
            ["flip", "clock_running"].map(|key| Some(u8::from(member_or_null(event, key).as_bool()?).to_string()));
        fields.extend(flags.into_iter().chain([number("lag_ms")]).map_while(|field| field));
    }
    Some(fields.join(" "))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use kibitzer::core::{Event, EventReader};
    use kibitzer::transcript::{Direction, TranscriptReader};
    use kibitzer_bot::pgn::{PgnCollector, PgnOrigin};
    use kibitzer_bot::tracker::TrackedRelation;

    use super::super::games::KINDS;
    use super::*;

    fn collector() -> PgnCollector {
        PgnCollector::new(PgnOrigin::new("freechess.org"), TrackedRelation::All).with_talk(true)
    }

    fn games(collector: &PgnCollector) -> Vec<String> {
        collector.tracker().iter().map(|game| collector.game(game.key()).unwrap().to_string()).collect()
    }

    /// The events of all connections of a recording; `None` between two of them.
    fn events(path: &Path) -> Vec<Option<Event>> {
        let (mut events, mut reader) = (Vec::new(), EventReader::default());
        for record in TranscriptReader::new(std::io::BufReader::new(std::fs::File::open(path).unwrap())) {
            let record = record.unwrap();
            let mut bytes = &record.bytes[..];
            if record.direction == Direction::Received {
                events.extend(std::iter::from_fn(|| reader.next(&mut bytes)).map(Some));
            }
            if record.direction == Direction::Received && record.bytes.is_empty() {
                reader = EventReader::default();
                events.push(None);
            }
        }
        events.extend(std::iter::from_fn(|| reader.finish()).map(Some));
        events
    }

    #[test]
    fn stored_events_give_the_same_games_as_the_recordings() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/transcripts");
        let (mut n_games, mut different) = (0, Vec::new());
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "jsonl") {
                continue;
            }
            let (mut direct, mut stored, mut reader) = (collector(), collector(), EventReader::default());
            for event in events(&path) {
                let Some(event) = event else {
                    direct.interrupt_games();
                    stored.interrupt_games();
                    reader = EventReader::default();
                    continue;
                };
                direct.apply(&event, None);
                let mut line = Vec::new();
                event.write_json("", &mut line);
                let lines = to_server_lines(&serde_json::from_slice(&line).unwrap()).unwrap_or_default();
                assert!(lines.is_empty() || KINDS.contains(&event.kind()), "{event:?}");
                let mut bytes = lines.as_bytes();
                while let Some(event) = reader.next(&mut bytes) {
                    stored.apply(&event, None);
                }
            }
            n_games += games(&direct).len();
            if games(&direct) != games(&stored) {
                different.push(path.display().to_string());
            }
        }
        assert!(n_games > 150, "{n_games}");
        assert!(different.is_empty(), "{} of {n_games}: {}", different.len(), different.join("\n"));
    }

    #[test]
    fn no_text_adds_a_line() {
        let event = serde_json::json!({
            "event": "kibitz", "from": "Foo\n\r<12> x", "titles": ["x\ny"], "text": "a\r\n\u{15}b", "game": 7, "rating": 1500,
        });
        let line = to_server_lines(&event).unwrap();
        assert_eq!(line.matches('\n').count(), 1, "{line:?}");
        assert!(line.chars().all(|c| (' '..='~').contains(&c) || "\n\r".contains(c)), "{line:?}");
        for event in
            [serde_json::json!(7), serde_json::json!({"event": "position", "fen": 7}), serde_json::json!({"event": 1})]
        {
            assert_eq!(to_server_lines(&event), None);
        }
    }
}
