//! Converts stored events back to lines of a server, from which the game tracker follows the games.

use kibitzer::core::chess::{CastlingSide, Color, Fen};
use kibitzer::core::text::encode_ascii;
use serde_json::Value;

/// Returns the text, with its line ends, in which a server of the FICS family would report the event; `None` for an event that
/// says nothing about games.
///
/// Any program can publish events. A member of the wrong type counts as missing, and no text can add a line.
pub(super) fn to_server_lines(event: &Value) -> Option<String> {
    let name = event.get("event")?.as_str()?;
    let line = match name {
        // Its game is not tracked: the board has no number.
        "position" if text(event, "source").as_deref() == Some("style10") => return None,
        "position" => style12_line(event)?,
        "holding" => format!(
            "<b1> game {} white [{}] black [{}]{}",
            number(event, "game")?,
            text(event, "white")?,
            text(event, "black")?,
            event.get("passed").and_then(passed_piece).unwrap_or_default()
        ),
        "game_info" => g1_line(event)?,
        "game_created" => {
            let verb = if flag(event, "resumed") == Some(true) { "Continuing" } else { "Creating" };
            let rated = match flag(event, "rated") {
                Some(true) => "rated ",
                Some(false) => "unrated ",
                None => "",
            };
            let kind = text(event, "kind").unwrap_or_default();
            format!("{{{} {verb} {rated}{kind} match.}}", game_and_players(event)?)
        }
        "game_ended" => {
            format!("{{{} {}}} {}", game_and_players(event)?, text(event, "text")?, text(event, "result")?)
        }
        "observing" if flag(event, "on") == Some(true) => {
            format!("You are now observing game {}.", number(event, "game")?)
        }
        "observing" => format!("Removing game {} from observation list.", number(event, "game")?),
        "kibitz" | "whisper" | "say" => talk_line(event, name)?,
        // In a reply that names its command, lines are read as those of a listing.
        "block_start" => return Some(format!("\x15{}\x16{}\x16", number(event, "id")?, number(event, "code")?)),
        "block_end" => return Some("\x17\n\r".to_owned()),
        "challenge" => challenge_line(event)?,
        "challenge_sent" | "creating" | "partner" | "listing_line" | "text" | "refused" => text(event, "text")?,
        _ => return None,
    };
    let end = if flag(event, "cut") == Some(true) { "\n\r\\   \n\r" } else { "\n\r" };
    Some(line + end)
}

/// Returns a text member as a server sends it, with control and non-ASCII characters as entities; `None` if it is missing or not
/// a string.
fn text(event: &Value, key: &str) -> Option<String> {
    Some(encode_ascii(event.get(key)?.as_str()?).into_owned())
}

fn number(event: &Value, key: &str) -> Option<i64> {
    event.get(key)?.as_i64()
}

fn flag(event: &Value, key: &str) -> Option<bool> {
    event.get(key)?.as_bool()
}

/// Returns the end of a holding line, such as ` <- WP`, for a piece that was added to a player's reserve.
fn passed_piece(passed: &Value) -> Option<String> {
    let initial = |key: &str| {
        let first = passed.get(key)?.as_str()?.chars().next()?;
        first.is_ascii_alphabetic().then_some(first.to_ascii_uppercase())
    };
    Some(format!(" <- {}{}", initial("to")?, initial("piece")?))
}

/// Returns the start of a line about a game, such as `Game 12 (Newton vs. Einstein)`.
fn game_and_players(event: &Value) -> Option<String> {
    let name = |key| text(event, key).unwrap_or_default();
    Some(format!("Game {} ({} vs. {})", number(event, "game")?, name("white"), name("black")))
}

/// Returns the line of talk of this kind: `say`, `kibitz`, or else a whisper.
fn talk_line(event: &Value, kind: &str) -> Option<String> {
    let titles = event.get("titles").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let titles = titles.map(|title| format!("({})", encode_ascii(title))).collect::<Vec<_>>().concat();
    let game = number(event, "game").map(|game| format!("[{game}]")).unwrap_or_default();
    let rating = number(event, "rating").map_or_else(|| "----".to_owned(), |rating| rating.to_string());
    let (rating, verb) = match kind {
        "say" => (String::new(), "says"),
        "kibitz" => (format!("({rating})"), "kibitzes"),
        _ => (format!("({rating})"), "whispers"),
    };
    Some(format!("{}{titles}{rating}{game} {verb}: {}", text(event, "from")?, text(event, "text")?))
}

/// Returns the line of a challenge with the position that it names; the rest says nothing about games. `None` if it names none.
fn challenge_line(event: &Value) -> Option<String> {
    let (from, to, position) = (text(event, "from")?, text(event, "to")?, text(event, "loaded_from")?);
    Some(format!("Challenge: {from} (----) {to} (----) unrated wild Loaded from {position}."))
}

/// Returns the `<g1>` line, which describes a game at its start, with the terms that the event has.
fn g1_line(event: &Value) -> Option<String> {
    let number = |key: &str| number(event, key);
    let flag = |key: &str| flag(event, key).map(i64::from);
    let pair = |white: Option<i64>, black: Option<i64>| Some(format!("{},{}", white?, black?));
    let guest = |key| flag(key).map(|registered| 1 - registered);
    let terms = [
        ("p", flag("private").map(|flag| flag.to_string())),
        ("t", text(event, "kind")),
        ("r", flag("rated").map(|flag| flag.to_string())),
        ("u", pair(guest("white_registered"), guest("black_registered"))),
        ("it", pair(number("white_time_s"), number("white_increment_s"))),
        ("i", pair(number("black_time_s"), number("black_increment_s"))),
        ("pt", Some(number("partner_game").unwrap_or_default().to_string())),
        ("rt", pair(number("white_rating"), number("black_rating"))),
        ("ts", pair(flag("white_timeseal"), flag("black_timeseal"))),
    ];
    let known = terms.into_iter().filter_map(|(key, value)| Some(format!(" {key}={}", value?)));
    Some(format!("<g1> {}{}", number("game")?, known.collect::<Vec<_>>().concat()))
}

/// Returns the `<12>` line of a board, with clocks in milliseconds; ends before the first optional field that is not known.
/// `None` if the event lacks a required field.
fn style12_line(event: &Value) -> Option<String> {
    let number = |key: &str| Some(number(event, key)?.to_string());
    let fen: Fen = event.get("fen")?.as_str()?.parse().ok()?;
    let mut fields = vec!["<12>".to_owned()];
    fields.extend(fen.board.to_rows().map(|row| row.map(char::from).iter().collect()));
    fields.push(if fen.side_to_move == Color::White { "W" } else { "B" }.to_owned());
    let file = event.get("double_push_file").and_then(|file| "abcdefgh".find(file.as_str()?));
    fields.push(file.map_or_else(|| "-1".to_owned(), |file| file.to_string()));
    for color in Color::BOTH {
        let rights = [CastlingSide::Short, CastlingSide::Long].map(|side| fen.castling.has(color, side));
        fields.extend(rights.map(|right| u8::from(right).to_string()));
    }
    fields.extend([number("halfmove_clock")?, number("game")?, text(event, "white")?, text(event, "black")?]);
    fields.extend([number("relation")?, (event.get("initial_s")?.as_i64()? / 60).to_string()]);
    for key in ["increment_s", "white_material", "black_material", "white_clock_ms", "black_clock_ms", "move_number"] {
        fields.push(number(key)?);
    }
    let last = event.get("last_move").unwrap_or(&Value::Null);
    fields.push(text(last, "verbose").unwrap_or_else(|| "none".to_owned()));
    // The fraction declares the clocks to be in milliseconds.
    fields.push(match last.get("elapsed_ms").and_then(Value::as_u64) {
        Some(ms) => format!("({}:{:02}.{:03})", ms / 60_000, ms / 1000 % 60, ms % 1000),
        None if last.is_null() => "(0:00.000)".to_owned(),
        None => "(?.)".to_owned(),
    });
    if flag(event, "cut") != Some(true) {
        fields.push(text(last, "san").unwrap_or_else(|| "none".to_owned()));
        let flags = ["flip", "clock_running"].map(|key| Some(u8::from(flag(event, key)?).to_string()));
        fields.extend(flags.into_iter().chain([number("lag_ms")]).map_while(|field| field));
    }
    Some(fields.join(" "))
}

#[cfg(test)]
mod tests;
