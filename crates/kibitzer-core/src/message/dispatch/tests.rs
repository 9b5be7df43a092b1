use proptest::prelude::*;

use super::*;
use crate::SentenceParts;
use crate::message::OfferKind;
use crate::message::template::{Captures, write_template};

/// Parts that every template can be written with, and the kind of offer for `&`.
fn any_parts() -> impl Strategy<Value = ([String; 2], u32, Option<i32>, OfferKind)> {
    let name = || "[A-Z][a-z]{2,16}".prop_filter("no name", |name| !["You", "Your", "Game"].contains(&name.as_str()));
    let kind = prop::sample::select(OfferKind::ALL);
    ([name(), name()], 0..5000_u32, prop::option::of(1..5000_i32), kind)
}

/// Writes a sentence; `None` if the template has no place for the number of the game. Of the terms of a game, it has an example.
fn write(template: &str, parts: &([String; 2], u32, Option<i32>, OfferKind)) -> Option<String> {
    let ([first, second], number, game, kind) = parts;
    let template = template.replace('&', &format!("{kind} request")).replace("Ads removed: *", "Ads removed: 1 2");
    let needs_game = template.contains('$') && !template.starts_with("[Game $: ]");
    let game = if needs_game { Some(game.unwrap_or(1)) } else { *game };
    let is_of_terms = ["Challenge", "Issuing: ", "Updating match request", "Creating"]
        .iter()
        .any(|start| template.starts_with(start));
    let text = if is_of_terms { "A (1500) B (1600) rated blitz 5 0" } else { "the word" };
    let names: &[&str] = &[first, second];
    write_template(&template, &SentenceParts { names, number: Some(*number), game: game.map(GameId), text })
}

proptest! {
    #[test]
    fn every_written_sentence_has_its_meaning(parts in any_parts()) {
        for (template, meaning) in all_sentences() {
            let Some(line) = write(template, &parts) else { continue };
            let found = parse_sentence(line.as_bytes());
            let ([first, second], number, game, kind) = &parts;
            let (name, other) = (Handle::from_wire(first.as_bytes()), Handle::from_wire(second.as_bytes()));
            let has_name = template.contains('%');
            let written = Captures {
                name: has_name.then_some(name),
                second_name: (template.matches('%').count() > 1).then_some(other),
                number: template.contains('#').then_some(*number),
                game: if template.starts_with("[Game") { *game } else { template.contains('$').then_some(game.unwrap_or(1)) }.map(GameId),
                word: kind.as_str().as_bytes(),
                titles: b"",
                rest: if let Meaning::Text(_) = meaning { continue } else { b"the word" },
            };
            prop_assert_eq!(found, meaning.to_message(written), "{}: {}", template, line);
        }
    }
}
