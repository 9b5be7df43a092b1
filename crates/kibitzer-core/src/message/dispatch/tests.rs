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
                first_number: template.contains('#').then_some(*number),
                number: template.contains('#').then_some(*number),
                game: if template.starts_with("[Game") { *game } else { template.contains('$').then_some(game.unwrap_or(1)) }.map(GameId),
                word: match (template.contains('@'), has_name) {
                    (true, true) => second.as_bytes(),
                    (true, false) => first.as_bytes(),
                    _ => kind.as_str().as_bytes(),
                },
                titles: b"",
                rest: match meaning {
                    Meaning::Parts(_) if template.contains('*') => continue,
                    Meaning::Parts(_) => b"",
                    _ => b"the word",
                },
            };
            prop_assert_eq!(found, meaning.to_message(written), "{}: {}", template, line);
        }
    }
}

/// Lines with the messages that they stand for, and their source: a transcript, a help file, or another client's test data.
const LINES: &[(&str, &str, &str)] = &[
    (
        "fatics-game-endings-observer",
        "Game 1: Alekhine (1882) Bogoljubov (++++) unrated blitz 5 3",
        "GameInfo(GameInfo { game: GameId(1), white: Some(Handle(\"Alekhine\")), black: Some(Handle(\"Bogoljubov\")), \
         private: None, kind: Some(ServerText(\"blitz\")), rated: Some(false), \
         white_registered: None, black_registered: None, white_time_s: Some(300), white_increment_s: Some(3), \
         black_time_s: Some(300), black_increment_s: Some(3), partner_game: None, white_rating: Some(Established(1882)), \
         black_rating: Some(Guest), white_timeseal: None, black_timeseal: None, min_move_time: None, no_escape: None, \
         start: None })",
    ),
    (
        "test data of a client of freechess.org",
        "Game notification: Mlasker (1709) vs. emranhamid (1791) rated standard 15 0: Game 262",
        "GameNotification(GameNotification { game: Some(GameId(262)), terms: OwnGameStarting { first: Handle(\"Mlasker\"), \
         first_rating: Established(1709), second: Handle(\"emranhamid\"), second_rating: Established(1791), rated: true, \
         kind: ServerText(\"standard\"), initial_min: Some(15), increment_s: Some(0), loaded_from: None, adjourned: false } })",
    ),
    (
        "source code of uhlin-fics",
        "Game notification: Alice (1709) vs. Boris (----) rated blitz 3 0",
        "GameNotification(GameNotification { game: None, terms: OwnGameStarting { first: Handle(\"Alice\"), \
         first_rating: Established(1709), second: Handle(\"Boris\"), second_rating: Unrated, rated: true, \
         kind: ServerText(\"blitz\"), initial_min: Some(3), increment_s: Some(0), loaded_from: None, adjourned: false } })",
    ),
    (
        "uhlinfics-game-mate-1-Boris",
        "Game clock paused.",
        "Clock(ClockNotice { game: None, action: Paused, by: None, to: None, seconds: None })",
    ),
    (
        "test data of a client of freechess.org",
        "Game 4: Game clock resumed.",
        "Clock(ClockNotice { game: Some(GameId(4)), action: Resumed, by: None, to: None, seconds: None })",
    ),
    (
        "fatics-block-client",
        "Bogoljubov has added 1 seconds to your clock.",
        "Clock(ClockNotice { game: None, action: TimeReceived, by: Some(Handle(\"Bogoljubov\")), to: None, seconds: Some(1) })",
    ),
    (
        "fatics-block-opponent",
        "You have added 1 seconds to Alekhine's clock.",
        "Clock(ClockNotice { game: None, action: TimeGiven, by: None, to: Some(Handle(\"Alekhine\")), seconds: Some(1) })",
    ),
    (
        "fatics-block-third",
        "Bogoljubov has added 1 seconds to Alekhine's clock.",
        "Clock(ClockNotice { game: None, action: TimeAdded, by: Some(Handle(\"Bogoljubov\")), \
         to: Some(Handle(\"Alekhine\")), seconds: Some(1) })",
    ),
    (
        "source code of uhlin-fics",
        "60 seconds were added to your opponents clock",
        "Clock(ClockNotice { game: None, action: TimeGiven, by: None, to: None, seconds: Some(60) })",
    ),
    (
        "source code of uhlin-fics",
        "Your opponent has added 60 seconds to your clock.",
        "Clock(ClockNotice { game: None, action: TimeReceived, by: None, to: None, seconds: Some(60) })",
    ),
    (
        "test data of a client of freechess.org",
        "Game 5: foo has lagged for 30 seconds.",
        "Clock(ClockNotice { game: Some(GameId(5)), action: Lagged, by: Some(Handle(\"foo\")), to: None, seconds: Some(30) })",
    ),
    (
        "a client of freechess.org",
        "You may courtesy adjourn the game.",
        "Clock(ClockNotice { game: None, action: MayAdjourn, by: None, to: None, seconds: None })",
    ),
    (
        "FICS help file courtesyabort",
        "You may courtesyabort the game.",
        "Clock(ClockNotice { game: None, action: MayAbort, by: None, to: None, seconds: None })",
    ),
    (
        "fatics-examine-second",
        "Game 1: Bogoljubov resigns 1-0",
        "Examine(ExamineNotice { game: Some(GameId(1)), by: None, action: Result { result: WhiteWins, reason: Resign } })",
    ),
    (
        "a client of freechess.org",
        "Game 7: Still in progress *",
        "Examine(ExamineNotice { game: Some(GameId(7)), by: None, action: Result { result: Unfinished, reason: Unknown } })",
    ),
    (
        "a client of freechess.org",
        "Game 7: foo truncates the game at halfmove 4.",
        "Examine(ExamineNotice { game: Some(GameId(7)), by: Some(Handle(\"foo\")), action: Truncate(4) })",
    ),
    (
        "a client of freechess.org",
        "Game 7: foo enters setup mode.",
        "Examine(ExamineNotice { game: Some(GameId(7)), by: Some(Handle(\"foo\")), action: SetupEntered })",
    ),
    (
        "a client of freechess.org",
        "Castling rights for white set to both.",
        "Examine(ExamineNotice { game: None, by: None, action: Set(PlayerText(\"white set to both\")) })",
    ),
    (
        "uhlinfics-end-adjourn-Boris",
        "Blitz rating adjustment: 1525 --> 1617",
        "RatingChange(RatingChange { kind: Some(ServerText(\"Blitz\")), old: Some(1525), new: Some(1617) })",
    ),
    (
        "text messages §8",
        "Crazyhouse rating adjustment: 1500 --> 1508.",
        "RatingChange(RatingChange { kind: Some(ServerText(\"Crazyhouse\")), old: Some(1500), new: Some(1508) })",
    ),
    (
        "uhlinfics-bughouse-1-Alice",
        "No ratings adjustment done.",
        "RatingChange(RatingChange { kind: None, old: None, new: None })",
    ),
    (
        "uhlinfics-cut-mid-line-Alice",
        "Your blitz rating will change:  Win: +27,  Draw: -72,  Loss: -171",
        "RatingForecast(RatingForecast { kind: Some(ServerText(\"blitz\")), win: Some(27), draw: Some(-72), \
         loss: Some(-171), rd_tenths: None })",
    ),
    (
        "uhlinfics-cut-mid-line-Alice",
        "Your new RD will be 290.2",
        "RatingForecast(RatingForecast { kind: None, win: None, draw: None, loss: None, rd_tenths: Some(2902) })",
    ),
    (
        "fatics-block-client",
        "[2] added to your channel list.",
        "ListChange(ListChange { list: ServerText(\"channel\"), entry: ServerText(\"2\"), change: Added })",
    ),
    (
        "FICS help file sublist, test data of a client of freechess.org",
        "[Mlasker] is not in your gnotify list.",
        "ListChange(ListChange { list: ServerText(\"gnotify\"), entry: ServerText(\"Mlasker\"), change: NotListed })",
    ),
    (
        "source code of FatICS",
        "Foo is already on your notify list.",
        "ListChange(ListChange { list: ServerText(\"notify\"), entry: ServerText(\"Foo\"), change: AlreadyListed })",
    ),
    (
        "fatics-block-client",
        "[2] removed from your channel list.",
        "ListChange(ListChange { list: ServerText(\"channel\"), entry: ServerText(\"2\"), change: Removed })",
    ),
    (
        "test data of clients of freechess.org",
        "Updating seek ad 35; rating range now 1340-1344.",
        "SeekNotice(Updated { index: 35 })",
    ),
    ("text messages, sentences of clients", "Your seek 8 has been removed.", "SeekNotice(RemovedOne { index: 8 })"),
    (
        "fatics-examine-second",
        "You will now be following Alekhine's games.",
        "Following(FollowChange { player: Some(Handle(\"Alekhine\")), is_partner: false })",
    ),
    (
        "a client of freechess.org, source code of FatICS",
        "You will not follow any player's games.",
        "Following(FollowChange { player: None, is_partner: false })",
    ),
    (
        "a client of freechess.org, source code of FatICS",
        "You will no longer be following Alekhine's partner's games.",
        "Following(FollowChange { player: None, is_partner: false })",
    ),
    (
        "uhlinfics-talk-1-Alice",
        "(told Boris, who in a game, back at 10:30 (idle: 0 secs))",
        "Delivered(Delivered { players: 1, to: Some(Handle(\"Boris\")), \
         state: Some(PlayerText(\"in a game, back at 10:30 (idle: 0 secs)\")), channel: None })",
    ),
    (
        "fatics-talk-mixed-a",
        "(told 9 players in channel 53)",
        "Delivered(Delivered { players: 9, to: None, state: None, channel: Some(53) })",
    ),
    (
        "uhlinfics-talk-1-Boris",
        "(1->(2))",
        "Delivered(Delivered { players: 2, to: None, state: None, channel: Some(1) })",
    ),
    (
        "uhlinfics-talk-1-Carla",
        "(3) Carla c-shouts: {Game 1 (Alice vs. Boris) Alice resigns} 0-1",
        "Delivered(Delivered { players: 3, to: None, state: None, channel: None })",
    ),
];

#[test]
fn lines_that_other_clients_act_on_are_typed() {
    for (source, line, message) in LINES {
        let found = parse_sentence(line.as_bytes()).map(|message| format!("{message:?}"));
        assert_eq!(found.as_deref(), Some(*message), "{line} of {source}");
    }
}

#[test]
fn no_line_of_a_player_becomes_such_a_message() {
    for (_, line, _) in LINES {
        for start in
            ["Foo tells you: ", "Foo(53): ", "--> Foo ", ":", "Foo[5] says: ", "    ", "Foo(1500)[5] kibitzes: "]
        {
            let written = format!("{start}{line}");
            let found = Message::parse_untagged(written.as_bytes());
            assert!(matches!(found, None | Some(Message::Talk(_))), "{written}: {found:?}");
        }
    }
}
