//! Every command of every recorded session that has a type: its reply is an answer, or a refusal that is known.
//!
//! Outside block mode a reply is what came until the client sent the next line, which is near enough: most clients waited.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use kibitzer::command::{self, GameRef, Request};
use kibitzer::transcript::{Direction, TranscriptReader};
use kibitzer_core::EventKind;
use kibitzer_core::event::RequestError;
use kibitzer_core::message::{GameId, Handle, Ivar};
use kibitzer_core::session::Reply;
use kibitzer_tests::Transcript;

/// What servers say against commands, besides the refusals that have a type.
const REFUSALS: &str = "\
    TODO: EXAMINE SCRATCH BOARD|You can only have 3 active seeks.|\
    Usage: TODO for match|Usage: TODO for tell|Command:  tell|Command:  set|\
    Removing game 1 from observation list.|\
    It appears you have found a bug in FatICS. Please notify wmahan.";

/// Sessions in which boards were drawn in another style, replies broke off, or another prompt was set.
const SKIPPED: [&str; 5] =
    ["fatics-info-", "uhlinfics-prompts-1", "uhlinfics-styles-", "uhlinfics-telnet-options", "uhlinfics-cut-mid-line"];

/// Reads the reply as that of this command; `None` for a command without a type.
fn read(line: &str, reply: &Reply) -> Option<Result<(), RequestError>> {
    let words: Vec<&str> = line.split(' ').collect();
    let (&name, arguments) = words.split_first()?;
    let named: Handle = arguments.first().and_then(|name| name.parse().ok()).unwrap_or(Handle::from_wire(b"Nobody"));
    let result = match name {
        "finger" => ask(&command::own_finger(), reply),
        "games" => ask(&command::games(), reply),
        "who" if arguments.is_empty() => ask(&command::who(), reply),
        "history" => ask(&command::own_history(), reply),
        "stored" => ask(&command::own_stored(), reply),
        "variables" => ask(&command::own_variables(), reply),
        "ivariables" => ask(&command::interface_variables(), reply),
        "moves" => ask(&command::own_moves(), reply),
        "inchannel" => ask(&command::in_channel(1), reply),
        "sought" => ask(&command::sought(), reply),
        "date" => ask(&command::date(), reply),
        "tell" | "say" | "kibitz" | "whisper" | "shout" | "cshout" | "ptell" => {
            ask(&command::TalkCommand::say("x"), reply)
        }
        "observe" => ask(&command::observe(observed(arguments)), reply),
        "unobserve" => ask(&command::unobserve_all(), reply),
        "match" => ask(&command::challenge(named, command::GameTerms::new()), reply),
        "resume" => ask(&command::resume_all(), reply),
        "rematch" => ask(&command::rematch(), reply),
        "seek" => ask(&command::seek(command::GameTerms::new()), reply),
        "unseek" => ask(&command::unseek_all(), reply),
        "play" => ask(&command::play(1), reply),
        "accept" => ask(&command::accept(command::OfferRef::Only), reply),
        "decline" => ask(&command::decline(command::OfferRef::Only), reply),
        "withdraw" => ask(&command::withdraw(command::OfferRef::Only), reply),
        "draw" => ask(&command::draw(), reply),
        "abort" => ask(&command::abort(), reply),
        "adjourn" => ask(&command::adjourn(), reply),
        "resign" => ask(&command::resign(), reply),
        "flag" => ask(&command::flag(), reply),
        "takeback" => ask(&command::takeback(1), reply),
        "examine" => ask(&command::examine_scratch(), reply),
        "forward" => ask(&command::forward(1), reply),
        "backward" => ask(&command::backward(1), reply),
        "revert" => ask(&command::revert(), reply),
        "unexamine" => ask(&command::unexamine(), reply),
        "partner" if arguments.is_empty() => ask(&command::end_partnership(), reply),
        "partner" => ask(&command::partner(named), reply),
        "set" if arguments != ["style", "12"] => ask(&command::set("x", "y"), reply),
        "set" => ask(&command::style(12), reply),
        "iset" => switched(arguments, reply)?,
        other => ask(&command::MoveText::new(other).ok().filter(|_| arguments.is_empty())?, reply),
    };
    Some(result)
}

fn ask<R: Request>(command: &R, reply: &Reply) -> Result<(), RequestError> {
    command.parse_reply(reply.clone().into_result()?).map(drop)
}

/// The game that `observe` names.
fn observed(arguments: &[&str]) -> GameRef {
    let target = arguments.first().copied().unwrap_or_default();
    match target.parse() {
        Ok(number) => GameRef::Game(GameId(number)),
        Err(_) => GameRef::Player(target.parse().unwrap_or(Handle::from_wire(b"Nobody"))),
    }
}

fn switched(arguments: &[&str], reply: &Reply) -> Option<Result<(), RequestError>> {
    let &[ivar, value] = arguments else { return None };
    let ivar: Ivar = ivar.parse().ok()?;
    Some(match value {
        "1" => ask(&command::enable_ivar(ivar), reply),
        _ => ask(&command::disable_ivar(ivar), reply),
    })
}

/// The lines the recording client sent, each with what came before the next.
fn exchanges(transcript: &Transcript) -> Vec<(String, Reply)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("transcripts").join(&transcript.name);
    let file = File::open(path.with_extension("jsonl")).unwrap();
    let mut events = transcript.reader();
    let mut exchanges = vec![(String::new(), Reply::default())];
    for record in TranscriptReader::new(BufReader::new(file)) {
        let record = record.unwrap();
        if record.direction == Direction::Sent {
            let lines = record.bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end);
            let lines = lines.filter(|line| !line.is_empty());
            exchanges.extend(lines.map(|line| (String::from_utf8_lossy(line).into_owned(), Reply::default())));
            continue;
        }
        let mut input = record.bytes.as_slice();
        while let Some(event) = events.next(&mut input) {
            let (_, reply) = exchanges.last_mut().unwrap();
            if event.kind() != EventKind::Prompt {
                reply.events.push(event);
            }
        }
    }
    exchanges
}

#[test]
fn every_reply_is_an_answer_or_a_known_refusal() {
    let known: BTreeSet<&str> = REFUSALS.split('|').collect();
    let mut found = BTreeSet::new();
    let (mut n_answers, mut n_refusals) = (0, 0);
    for transcript in Transcript::all() {
        let name = &transcript.name;
        if SKIPPED.iter().any(|skipped| name.starts_with(skipped)) || name.contains("seal") {
            continue;
        }
        for (line, reply) in exchanges(&transcript) {
            // Nothing was said before the next line went out, or all there is belongs to somebody else.
            let Some(result) = reply.first_answer().and_then(|_| read(&line, &reply)) else { continue };
            match result {
                Ok(()) => n_answers += 1,
                Err(RequestError::Unexpected { text, .. }) if !line.starts_with("iset") => {
                    found.insert(text.to_string());
                    n_refusals += 1;
                }
                Err(RequestError::Listing { source, .. }) => panic!("{name}: {line}: {source}"),
                Err(_) => n_refusals += 1,
            }
        }
    }
    assert!(n_answers > 600 && n_refusals > 150, "{n_answers} answers, {n_refusals} refusals");
    let found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
    assert_eq!(found.difference(&known).collect::<Vec<_>>(), Vec::<&&str>::new(), "not known to be refusals");
    assert_eq!(known.difference(&found).collect::<Vec<_>>(), Vec::<&&str>::new(), "nobody says so");
}
