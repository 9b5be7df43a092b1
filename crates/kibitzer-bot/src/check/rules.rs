//! Checks the settings against each other: contradictions, settings without an effect, terms and placeholders.

use std::fmt::Display;

use kibitzer_core::message::GameKind;
use kibitzer_core::text::ServerText;

use super::terms::{MAX_TIME, ParsedTerms, SPEEDS, advice_for, forty_moves_s};
use super::{Findings, Severity};
use crate::config::{AcceptRules, BotConfig, Computers, MatchmakingRules, Preference};

/// No player has a higher rating.
const HIGHEST_RATING: u16 = 4_000;

/// Returns the rules of which a challenge has to meet one, each with the key of its table.
pub(super) fn alternatives(accept: &AcceptRules) -> Vec<(String, AcceptRules)> {
    let table = |index: usize| {
        if accept.terms.is_empty() { "accept".to_owned() } else { format!("accept.terms.{index}") }
    };
    accept.alternatives().into_iter().enumerate().map(|(index, rules)| (table(index), rules)).collect()
}

/// Finds the contradictions of the settings, and those that cannot have an effect.
pub(super) fn check(config: &BotConfig, findings: &mut Findings<'_>) {
    check_accounts(config, findings);
    for (table, rules) in alternatives(&config.accept) {
        check_kinds(&table, &rules, findings);
        check_ranges(&table, &rules, findings);
    }
    check_players(config, findings);
    check_seeks(config, findings);
    if let Some(matchmaking) = &config.matchmaking {
        check_matchmaking(matchmaking, config, findings);
    }
    check_talk(config, findings);
    let engine = &config.engine;
    if engine.move_time_ms.is_some_and(|time| time < engine.min_move_ms) {
        findings.error("engine.move_time_ms", "is less than `min_move_ms`; write at least that");
    }
    for (index, book) in config.books.iter().enumerate() {
        if book.variants.is_empty() {
            let reason = "is empty, and the book not used; remove the key, or write variants";
            findings.error(&format!("book.{index}.variants"), reason);
        }
        if book.max_moves == 0 {
            findings.warn(&format!("book.{index}.max_moves"), "is 0, and the book not used; write at least 1");
        }
    }
}

fn check_accounts(config: &BotConfig, findings: &mut Findings<'_>) {
    for (index, account) in config.accounts.iter().enumerate() {
        if account.host_name().is_empty() {
            findings.error(&findings.account_key(index, "host"), "is missing; write the name of the server");
        }
    }
    if config.warning.is_some() {
        findings.warn("server.handle", "is not used, as the accounts have others; remove it, or write an [[account]]");
    }
    let plays_rated = alternatives(&config.accept).into_iter().find(|(_, rules)| rules.rated);
    if let Some((table, _)) = plays_rated.filter(|_| config.accounts.iter().any(|account| !account.has_password())) {
        let reason = "an account without `password_from` is a guest, who plays no rated games; write one, or false";
        findings.warn(&findings.own_key(&table, "accept", "rated"), reason);
    }
}

/// Checks the names of kinds, and that the clocks allow the speeds among them.
fn check_kinds(table: &str, rules: &AcceptRules, findings: &mut Findings<'_>) {
    let key = findings.own_key(table, "accept", "kinds");
    if rules.kinds.is_empty() && !rules.untimed {
        findings.error(&key, "is empty, and every challenge declined; write kinds such as \"blitz\"");
    }
    for (index, kind) in rules.kinds.iter().enumerate() {
        if let Some(reason) = problem_with_kind(kind) {
            findings.error(&format!("{key}.{index}"), reason);
        }
    }
    let least = forty_moves_s(*rules.initial_min.start(), *rules.increment_s.start());
    let most = forty_moves_s(*rules.initial_min.end(), *rules.increment_s.end());
    let is_impossible = |kind: &&String| {
        let speed = SPEEDS.iter().find(|(name, _)| kind.eq_ignore_ascii_case(name));
        speed.is_some_and(|(_, seconds)| most < seconds.start || seconds.end <= least)
    };
    let impossible: Vec<_> = rules.kinds.iter().filter(is_impossible).map(String::as_str).collect();
    let reason = || {
        let kinds = impossible.join(", ");
        format!("no game with these `initial_min` and `increment_s` is {kinds}; change them, or remove {kinds}")
    };
    let own_kinds = format!("{table}.kinds");
    if !impossible.is_empty() && impossible.len() == rules.kinds.len() {
        let keys = ["kinds", "initial_min", "increment_s"].map(|key| format!("{table}.{key}"));
        findings.error(keys.iter().find(|key| findings.file.contains(key)).unwrap_or(&key), reason());
    } else if !impossible.is_empty() && findings.file.contains(&own_kinds) {
        findings.warn(&key, reason());
    }
}

/// Returns why the name of a kind is never that of a challenge; `None` if it may be.
fn problem_with_kind(name: &str) -> Option<String> {
    let kind = GameKind::parse(name);
    let variant = kind.variant.as_ref().map(ServerText::as_str);
    let Some(variant) = variant else {
        let known: Vec<_> = SPEEDS.iter().map(|(speed, _)| *speed).chain(GameKind::VARIANTS).collect();
        let advice = advice_for(name, known.iter().copied()).map_or_else(String::new, |advice| format!("; {advice}"));
        return Some(format!("unknown kind `{name}`{advice}; the kinds are {}", known.join(", ")));
    };
    let used = if variant == "chess" { kind.speed.unwrap_or("chess") } else { variant };
    (!used.eq_ignore_ascii_case(name)).then(|| format!("challenges to `{name}` have the kind `{used}`; write that"))
}

/// Reports ranges that no game or player is in.
fn check_ranges(table: &str, rules: &AcceptRules, findings: &mut Findings<'_>) {
    let has_no_time = *rules.initial_min.end() == 0 && *rules.increment_s.end() == 0;
    if *rules.initial_min.start() > MAX_TIME || (has_no_time && !rules.untimed) {
        findings.warn(
            &findings.own_key(table, "accept", "initial_min"),
            "no game has these clocks; write minutes such as [1, 60]",
        );
    }
    if *rules.increment_s.start() > MAX_TIME {
        findings.warn(
            &findings.own_key(table, "accept", "increment_s"),
            "no game has this increment; write seconds such as [0, 60]",
        );
    }
    let excludes_all = *rules.rating.start() > HIGHEST_RATING || *rules.rating.end() == 0;
    if excludes_all {
        let others = if rules.unrated_players { ", only players without one are accepted" } else { "" };
        let reason = format!("no player has such a rating{others}; write a range such as [1000, 2500]");
        findings.warn(&findings.own_key(table, "accept", "rating"), reason);
    }
}

/// Checks the lists of players against each other.
fn check_players(config: &BotConfig, findings: &mut Findings<'_>) {
    let accept = &config.accept;
    for (index, name) in accept.block.iter().enumerate().filter(|(_, name)| accept.allow.contains(name)) {
        findings.error(&format!("accept.block.{index}"), format!("{name} is also in `allow`; remove one of them"));
    }
    let only_computers = accept.alternatives().iter().all(|rules| rules.computers == Computers::Only);
    if accept.prefer == Preference::Humans && only_computers {
        findings.error("accept.prefer", "people are never played with `computers = \"only\"`; remove one of the keys");
    }
}

/// Reports the problems of the terms at a key, and returns the terms.
fn parse_terms(key: &str, words: &str, max_numbers: usize, findings: &mut Findings<'_>) -> ParsedTerms {
    let terms = ParsedTerms::parse(words, max_numbers);
    for (severity, reason) in &terms.problems {
        match severity {
            Severity::Error => findings.error(key, reason),
            Severity::Warning => findings.warn(key, reason),
        }
    }
    terms
}

/// Checks the seeks, and that their answers, which are challenges, would be accepted.
fn check_seeks(config: &BotConfig, findings: &mut Findings<'_>) {
    for (index, ad) in config.seek.ads.iter().enumerate() {
        let key = format!("seek.ads.{index}");
        let terms = parse_terms(&key, ad, 2, findings);
        let objections = config.accept.alternatives().iter().map(|rules| objection(rules, &terms)).collect();
        let objections: Option<Vec<_>> = objections;
        if let Some(reason) = objections.and_then(|all| all.into_iter().next()) {
            findings.error(&key, format!("every answer is declined, as {reason}; change the seek or [accept]"));
        }
    }
}

/// Returns why a challenge with these terms is declined; `None` if it may be accepted.
fn objection(rules: &AcceptRules, terms: &ParsedTerms) -> Option<String> {
    if terms.rated == Some(true) && !rules.rated {
        return Some("rated games are not played".to_owned());
    }
    let (initial_min, increment_s) = terms.clock?;
    let time = forty_moves_s(initial_min, increment_s);
    let speeds = SPEEDS.iter().filter(|(_, seconds)| seconds.contains(&time)).map(|(name, _)| *name);
    let names: Vec<_> = terms.variant.as_deref().map_or_else(|| speeds.collect(), |variant| vec![variant]);
    let is_played = |name: &&str| rules.kinds.iter().any(|kind| kind.eq_ignore_ascii_case(name));
    // Such as ICC's `5-minute`: the clocks that it stands for are not known here.
    let is_other_speed = |kind: &String| {
        let speed = GameKind::parse(kind).speed;
        speed.is_some_and(|speed| SPEEDS.iter().all(|(name, _)| *name != speed))
    };
    let may_have_other_speed = terms.variant.is_none() && rules.kinds.iter().any(is_other_speed);
    rules.objection_to_clock(initial_min, increment_s).or_else(|| {
        let name = names.first()?;
        (!may_have_other_speed && !names.iter().any(is_played)).then(|| format!("{name} is not in `kinds`"))
    })
}

fn check_matchmaking(matchmaking: &MatchmakingRules, config: &BotConfig, findings: &mut Findings<'_>) {
    if matchmaking.terms.is_empty() {
        findings.error("matchmaking.terms", "is empty, and no one is challenged; write terms such as \"3 0 unrated\"");
    }
    for (index, terms) in matchmaking.terms.iter().enumerate() {
        let key = format!("matchmaking.terms.{index}");
        let parsed = parse_terms(&key, &terms.words, 4, findings);
        if parsed.rated == Some(true) && config.accounts.iter().any(|account| !account.has_password()) {
            findings.warn(&key, "an account without `password_from` is a guest, who plays no rated games");
        }
        if *terms.rating.as_ref().unwrap_or(&matchmaking.rating).start() > HIGHEST_RATING {
            findings.warn(&key, "no player has a rating in the range `rating`; write one such as [1000, 2500]");
        }
    }
    for (index, player) in matchmaking.players.iter().enumerate() {
        let key = format!("matchmaking.players.{index}");
        if !config.accept.may_play(player) {
            let reason =
                format!("{player} is excluded by `block` or `allow` of [accept]; remove the name there or here");
            findings.error(&key, reason);
        }
        if config.accounts.iter().any(|account| account.handle() == Some(player)) {
            findings.error(&key, format!("{player} is an account of this bot, which is never challenged; remove it"));
        }
    }
}

fn check_talk(config: &BotConfig, findings: &mut Findings<'_>) {
    let talk = &config.talk;
    let in_games = ["{opponent}", "{engine}"];
    check_fields("talk.greeting", &talk.greeting, &in_games, findings);
    check_fields("talk.goodbye", &talk.goodbye, &in_games, findings);
    let of_spectators = ["{spectator}", "{opponent}", "{engine}"];
    check_fields("talk.spectator_greeting", &talk.spectator_greeting, &of_spectators, findings);
    for (table, answers) in [("commands", &talk.commands), ("answers", &talk.answers)] {
        for (word, answer) in answers {
            check_fields(&format!("talk.{table}.{word}"), answer, &[], findings);
        }
    }
    if talk.tell_score && talk.owners.is_empty() {
        findings.warn("talk.tell_score", "no one gets the scores; write `owners`");
    }
}

/// Reports words in braces that are not replaced.
fn check_fields(key: &str, text: &str, known: &[&str], findings: &mut Findings<'_>) {
    let rest = known.iter().fold(text.to_owned(), |rest, field| rest.replace(field, ""));
    let words = rest.split('{').skip(1).filter_map(|after| after.split_once('}')).map(|(word, _)| word);
    for word in words.filter(|word| !word.is_empty() && word.chars().all(|it| it.is_ascii_alphabetic() || it == '_')) {
        let advice: &dyn Display = match known {
            [] => &"write plain text",
            _ => &format_args!("write one of {}", known.join(", ")),
        };
        findings.error(key, format_args!("{{{word}}} is not replaced; {advice}"));
    }
}
